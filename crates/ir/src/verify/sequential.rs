//! The form of programs with one thread that never blocks.

use super::Faults;
use crate::program::*;
use crate::visit::addresses;

/// Everything the entry may come to: functions it names, directly or through the globals it names.
pub(super) fn check(program: &Program, faults: &mut Faults) {
    let mut is_reached = vec![false; program.functions.len()];
    let mut is_global_reached = vec![false; program.globals.len()];
    let mut waiting: Vec<Address> = program.entry.into_iter().map(Address::Func).collect();
    while let Some(address) = waiting.pop() {
        match address {
            Address::Func(id) | Address::Label(id, _) => {
                let Some(function) = program.functions.get(id) else { continue };
                if !std::mem::replace(&mut is_reached[id.0 as usize], true) {
                    addresses(function, |address| waiting.push(address));
                    check_function(id, function, faults);
                }
            }
            Address::Global(id, _) => {
                let Some(global) = program.globals.get(id) else { continue };
                if !std::mem::replace(&mut is_global_reached[id.0 as usize], true) {
                    waiting.extend(global.init.pointers.iter().map(|(_, address)| *address));
                }
            }
        }
    }
}

fn check_function(id: FuncId, function: &Function, faults: &mut Faults) {
    faults.function = Some(id);
    for (block_id, block) in function.blocks.iter_enumerated() {
        faults.block = Some(block_id);
        for (index, stmt) in block.stmts.iter().enumerate() {
            faults.stmt = Some(index);
            let what = what_is_not_sequential(&stmt.kind);
            faults.require("sequential", what.is_none(), || what.unwrap_or_default().into());
        }
        faults.stmt = Some(block.stmts.len());
        let is_select = matches!(block.terminator, Terminator::Select { .. });
        faults.require("sequential", !is_select, || "selects between guards".into());
    }
    faults.function = None;
    faults.block = None;
    faults.stmt = None;
}

fn what_is_not_sequential(kind: &StmtKind) -> Option<&'static str> {
    match kind {
        StmtKind::Spawn { .. } => Some("starts a thread"),
        StmtKind::Wait(_) => Some("waits for a condition"),
        StmtKind::Interrupts { .. } => Some("changes what may interrupt it"),
        StmtKind::ChanNew { .. } | StmtKind::Send { .. } | StmtKind::Recv { .. } | StmtKind::ChanLen { .. } => {
            Some("uses a channel")
        }
        StmtKind::Assign(..)
        | StmtKind::Load { .. }
        | StmtKind::Store { .. }
        | StmtKind::LoadBits { .. }
        | StmtKind::StoreBits { .. }
        | StmtKind::MemCopy { .. }
        | StmtKind::MemSet { .. }
        | StmtKind::MemAny { .. }
        | StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::Alloc { .. }
        | StmtKind::Free { .. }
        | StmtKind::ObjectSize { .. }
        | StmtKind::SetJump { .. }
        | StmtKind::LongJump { .. }
        | StmtKind::Call { .. }
        | StmtKind::Choose { .. }
        | StmtKind::Assume(_)
        | StmtKind::Assert { .. }
        | StmtKind::CheckIndex { .. }
        | StmtKind::Note(_)
        | StmtKind::Unmodelled(_)
        | StmtKind::Output { .. }
        | StmtKind::AtomicRmw { .. }
        | StmtKind::AtomicCas { .. }
        | StmtKind::Fence(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::SelfThread(_)
        | StmtKind::Hold { .. }
        | StmtKind::Progress
        | StmtKind::ThreadEnded { .. } => None,
    }
}
