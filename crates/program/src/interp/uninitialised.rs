//! Uninitialised registers: blocks that may read a register without a value, for runs in which an indeterminate value
//! is any value.

use unpick_base::IdVec;

use crate::analysis::liveness::{Liveness, Registers, live_before};
use crate::{Address, Block, BlockId, FuncId, Function, Operand, Program, Rvalue, StmtKind, Terminator, visit};

/// Blocks in which an instruction may read a register that holds an indeterminate value, provided that operands are made
/// determinate before they are used.
pub(crate) struct UninitialisedReads(IdVec<FuncId, IdVec<BlockId, bool>>);

impl UninitialisedReads {
    pub(crate) fn new(program: &Program, liveness: &Liveness) -> UninitialisedReads {
        let calls = Calls::new(program);
        let blocks = |(id, function): (FuncId, &Function)| {
            let uninitialised = unset_registers(program, id, function, liveness.begins(id), &calls);
            function.blocks.iter().map(|block| reads(block, &uninitialised)).collect()
        };
        UninitialisedReads(program.functions.iter_enumerated().map(blocks).collect())
    }

    #[inline]
    pub(crate) fn is_read_in(&self, function: FuncId, block: BlockId) -> bool {
        self.0[function][block]
    }
}

/// The fewest arguments with which functions are called.
struct Calls {
    direct: IdVec<FuncId, usize>,
    indirect: usize,
}

impl Calls {
    fn new(program: &Program) -> Calls {
        let mut calls = Calls { direct: program.functions.iter().map(|_| usize::MAX).collect(), indirect: usize::MAX };
        // The first function and those of threads are started with what others hand over.
        if let Some(entry) = program.entry {
            calls.direct[entry] = 0;
        }
        let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
        for stmt in blocks.flat_map(|block| &block.stmts) {
            if let StmtKind::Call { callee, args, .. } | StmtKind::Spawn { callee, args, .. } = &stmt.kind {
                let least = match callee {
                    Operand::Address(Address::Func(callee)) => &mut calls.direct[*callee],
                    _indirect => &mut calls.indirect,
                };
                *least = (*least).min(args.len());
            }
        }
        calls
    }
}

fn unset_registers(
    program: &Program,
    id: FuncId,
    function: &Function,
    begins: &IdVec<BlockId, Registers>,
    calls: &Calls,
) -> Registers {
    let mut uninitialised = begins.iter().next().cloned().unwrap_or_else(|| Registers::new(function));
    let n_args = calls.direct[id].min(calls.indirect);
    function.params.iter().take(n_args).for_each(|param| uninitialised.remove(*param));
    for block in function.blocks.iter() {
        for (index, stmt) in block.stmts.iter().enumerate() {
            let dst = match &stmt.kind {
                StmtKind::Assign(dst, Rvalue::Use(Operand::Undef(_))) => *dst,
                StmtKind::Call { dst: Some(dst), callee, .. } if may_give_nothing(program, callee) => *dst,
                _defined => continue,
            };
            if live_before(function, begins, block, index + 1).contains(dst) {
                uninitialised.insert(dst);
            }
        }
    }
    uninitialised
}

/// Whether a call may come back without a value.
fn may_give_nothing(program: &Program, callee: &Operand) -> bool {
    let Operand::Address(Address::Func(callee)) = callee else { return true };
    program.functions[*callee]
        .blocks
        .iter()
        .any(|block| matches!(block.terminator, Terminator::Return(None | Some(Operand::Undef(_)))))
}

fn reads(block: &Block, uninitialised: &Registers) -> bool {
    let mut is_read = false;
    let mut see = |operand: &Operand| is_read |= matches!(operand, Operand::Reg(reg) if uninitialised.contains(*reg));
    block.stmts.iter().for_each(|stmt| visit::operands(&stmt.kind, &mut see));
    visit::terminator_operands(&block.terminator, &mut see);
    is_read
}
