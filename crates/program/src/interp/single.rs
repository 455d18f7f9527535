//! Single-instance analysis: local variables of which an execution has only one, as a rule those of `main`.
//!
//! A function that is called at one place, outside loops, by the function in which the program starts, and whose
//! address is not taken, is entered once. A variable of it whose lifetime begins at one place outside loops has one
//! instance.

use std::collections::HashSet;

use unpick_base::id::Id;

use crate::analysis::LoopForest;
use crate::{Address, BlockId, FuncId, Operand, Program, SlotId, StmtKind, visit};

/// The variables, with their functions.
pub(crate) fn single_slots(program: &Program) -> HashSet<(FuncId, SlotId)> {
    let Some(entry) = program.entry else { return HashSet::new() };
    let entered = entered_once(program, entry);
    let mut single = HashSet::new();
    for function in entered {
        let body = &program.functions[function];
        let loops = LoopForest::new(body);
        for slot in body.slots.ids() {
            let is_birth = |kind: &StmtKind| matches!(kind, StmtKind::SlotLive(live) if *live == slot);
            let births: Vec<BlockId> = body
                .blocks
                .iter_enumerated()
                .flat_map(|(id, block)| block.stmts.iter().filter(|stmt| is_birth(&stmt.kind)).map(move |_| id))
                .collect();
            if let [only] = births[..]
                && loops.innermost(only).is_none()
            {
                single.insert((function, slot));
            }
        }
    }
    single
}

/// Functions called once by the entry and named nowhere else.
fn entered_once(program: &Program, entry: FuncId) -> Vec<FuncId> {
    let mut uses = vec![0u32; program.functions.len()];
    let mut name = |operand: &Operand| {
        if let Operand::Address(Address::Func(function) | Address::Label(function, _)) = operand {
            uses[function.index()] += 1;
        }
    };
    for function in program.functions.iter() {
        for block in function.blocks.iter() {
            block.stmts.iter().for_each(|stmt| visit::operands(&stmt.kind, &mut name));
            visit::terminator_operands(&block.terminator, &mut name);
        }
    }
    for global in program.globals.iter() {
        for (_, address) in &global.init.pointers {
            name(&Operand::Address(*address));
        }
    }
    let body = &program.functions[entry];
    let loops = LoopForest::new(body);
    let calls = body.blocks.iter_enumerated().flat_map(|(id, block)| {
        block.stmts.iter().filter_map(move |stmt| match &stmt.kind {
            StmtKind::Call { callee: Operand::Address(Address::Func(callee)), .. } => Some((id, *callee)),
            _not_a_direct_call => None,
        })
    });
    let is_once = |block: BlockId| loops.innermost(block).is_none();
    calls.filter(|(block, callee)| uses[callee.index()] == 1 && is_once(*block)).map(|(_, f)| f).collect()
}
