//! Which memory model a verdict on several threads assumes: sequential consistency (Lamport 1979).

use unpick_program::{Order, Program, StmtKind, ViolationKind};

use crate::PropertySet;

/// What the verdict on a program of several threads rests on.
pub fn memory_model(program: &Program, properties: PropertySet) -> &'static str {
    if has_weak_atomics(program) {
        "memory is sequentially consistent, atomic operations of weaker order included"
    } else if properties.contains(ViolationKind::DataRace) {
        "memory is sequentially consistent, as C promises to programs without data races"
    } else {
        "memory is sequentially consistent; data races were not looked for"
    }
}

/// Whether some atomic operation asks for less than sequential consistency.
fn has_weak_atomics(program: &Program) -> bool {
    let stmts = program.functions.iter().flat_map(|function| function.blocks.iter()).flat_map(|block| &block.stmts);
    let mut orders = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Load { access, .. }
        | StmtKind::Store { access, .. }
        | StmtKind::LoadBits { access, .. }
        | StmtKind::StoreBits { access, .. } => access.atomic,
        StmtKind::AtomicRmw { order, .. } | StmtKind::AtomicCas { order, .. } => Some(*order),
        StmtKind::Assign(..)
        | StmtKind::MemCopy { .. }
        | StmtKind::MemSet { .. }
        | StmtKind::MemAny { .. }
        | StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::Alloc { .. }
        | StmtKind::Free { .. }
        | StmtKind::ObjectSize { .. }
        | StmtKind::Call { .. }
        | StmtKind::Choose { .. }
        | StmtKind::Assume(_)
        | StmtKind::Assert { .. }
        | StmtKind::CheckIndex { .. }
        | StmtKind::Note(_)
        | StmtKind::Unmodelled(_)
        | StmtKind::Output { .. }
        | StmtKind::Fence(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::Wait(_)
        | StmtKind::Spawn { .. }
        | StmtKind::SelfThread(_)
        | StmtKind::Hold { .. }
        | StmtKind::Progress
        | StmtKind::ThreadEnded { .. }
        | StmtKind::SetJump { .. }
        | StmtKind::LongJump { .. }
        | StmtKind::Interrupts { .. } => None,
    });
    orders.any(|order| order != Order::SeqCst)
}
