//! Which registers a future may still read: a backward analysis over each function.

use std::cell::OnceCell;

use unpick_base::IdVec;

use crate::{Address, Block, BlockId, FuncId, Function, Operand, Program, RegId, Rvalue, StmtKind, Terminator, visit};

/// Registers live at the beginning of each block, and before each instruction that somebody asked about.
pub(crate) struct Liveness {
    functions: IdVec<FuncId, IdVec<BlockId, Registers>>,
    /// What is live behind instructions to which a jump may come back from anywhere below; empty without such.
    jumps: IdVec<FuncId, Option<Registers>>,
    asked: IdVec<FuncId, OnceCell<IdVec<BlockId, Asked>>>,
}

/// Live registers before each instruction of a block, as far as known.
type Asked = OnceCell<Box<[OnceCell<Box<[RegId]>>]>>;

/// A set of registers of one function.
#[derive(Clone, PartialEq)]
struct Registers(Vec<u64>);

impl Registers {
    fn new(function: &Function) -> Registers {
        Registers(vec![0; function.regs.len().div_ceil(64)])
    }

    fn contains(&self, reg: RegId) -> bool {
        self.0[reg.0 as usize / 64] >> (reg.0 % 64) & 1 == 1
    }

    fn insert(&mut self, reg: RegId) {
        self.0[reg.0 as usize / 64] |= 1 << (reg.0 % 64);
    }

    fn remove(&mut self, reg: RegId) {
        self.0[reg.0 as usize / 64] &= !(1 << (reg.0 % 64));
    }

    fn see(&mut self, operand: Operand) {
        if let Operand::Reg(reg) = operand {
            self.insert(reg);
        }
    }

    fn unite(&mut self, other: &Registers) {
        for (left, right) in self.0.iter_mut().zip(&other.0) {
            *left |= right;
        }
    }
}

impl Liveness {
    pub(crate) fn new(program: &Program) -> Liveness {
        let asked = program.functions.iter().map(|_| OnceCell::new()).collect();
        let functions: IdVec<FuncId, _> = program.functions.iter().map(analyse).collect();
        let jumps = program.functions.iter().zip(functions.iter()).map(|(body, begins)| behind_jumps(body, begins));
        Liveness { jumps: jumps.collect(), functions, asked }
    }

    /// Registers live before an instruction, ascending.
    pub(crate) fn at(&self, program: &Program, function: FuncId, block: BlockId, index: usize) -> &[RegId] {
        let body = &program.functions[function];
        let blocks = self.asked[function].get_or_init(|| body.blocks.iter().map(|_| OnceCell::new()).collect());
        // The terminator has a place too.
        let n_places = body.blocks[block].stmts.len() + 1;
        let places = blocks[block].get_or_init(|| (0..n_places).map(|_| OnceCell::new()).collect());
        places[index.min(n_places - 1)].get_or_init(|| {
            let mut live = live_before(body, &self.functions[function], &body.blocks[block], index);
            if let Some(jumps) = &self.jumps[function] {
                live.unite(jumps);
            }
            body.regs.ids().filter(|reg| live.contains(*reg)).collect()
        })
    }
}

/// Blocks in which an instruction may read a register that holds an indeterminate value, provided that operands are made
/// determinate before they are used.
pub(crate) struct Unset(IdVec<FuncId, IdVec<BlockId, bool>>);

impl Unset {
    pub(crate) fn new(program: &Program, liveness: &Liveness) -> Unset {
        let calls = Calls::new(program);
        let blocks = |(id, function): (FuncId, &Function)| {
            let unset = unset_registers(program, id, function, &liveness.functions[id], &calls);
            function.blocks.iter().map(|block| reads(block, &unset)).collect()
        };
        Unset(program.functions.iter_enumerated().map(blocks).collect())
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
    let mut unset = begins.iter().next().cloned().unwrap_or_else(|| Registers::new(function));
    let n_args = calls.direct[id].min(calls.indirect);
    function.params.iter().take(n_args).for_each(|param| unset.remove(*param));
    for block in function.blocks.iter() {
        for (index, stmt) in block.stmts.iter().enumerate() {
            let dst = match &stmt.kind {
                StmtKind::Assign(dst, Rvalue::Use(Operand::Undef(_))) => *dst,
                StmtKind::Call { dst: Some(dst), callee, .. } if may_give_nothing(program, callee) => *dst,
                _defined => continue,
            };
            if live_before(function, begins, block, index + 1).contains(dst) {
                unset.insert(dst);
            }
        }
    }
    unset
}

/// Whether a call may come back without a value.
fn may_give_nothing(program: &Program, callee: &Operand) -> bool {
    let Operand::Address(Address::Func(callee)) = callee else { return true };
    program.functions[*callee]
        .blocks
        .iter()
        .any(|block| matches!(block.terminator, Terminator::Return(None | Some(Operand::Undef(_)))))
}

fn reads(block: &Block, unset: &Registers) -> bool {
    let mut is_read = false;
    let mut see = |operand: &Operand| is_read |= matches!(operand, Operand::Reg(reg) if unset.contains(*reg));
    block.stmts.iter().for_each(|stmt| visit::operands(&stmt.kind, &mut see));
    visit::terminator_operands(&block.terminator, &mut see);
    is_read
}

fn analyse(function: &Function) -> IdVec<BlockId, Registers> {
    let mut begins: IdVec<BlockId, Registers> = function.blocks.iter().map(|_| Registers::new(function)).collect();
    loop {
        let mut is_stable = true;
        for block in function.blocks.ids().rev() {
            let live = live_before(function, &begins, &function.blocks[block], 0);
            if live != begins[block] {
                begins[block] = live;
                is_stable = false;
            }
        }
        if is_stable {
            return begins;
        }
    }
}

/// Registers that are read behind a place that is remembered for jumps: a callee may come back there at any time.
fn behind_jumps(function: &Function, begins: &IdVec<BlockId, Registers>) -> Option<Registers> {
    let mut found: Option<Registers> = None;
    for block in function.blocks.iter() {
        for (index, stmt) in block.stmts.iter().enumerate() {
            if matches!(stmt.kind, StmtKind::SetJump { .. }) {
                let live = live_before(function, begins, block, index + 1);
                found.get_or_insert_with(|| Registers::new(function)).unite(&live);
            }
        }
    }
    found
}

fn live_before(function: &Function, begins: &IdVec<BlockId, Registers>, block: &Block, index: usize) -> Registers {
    let mut live = Registers::new(function);
    visit::successors(&block.terminator, |target| live.unite(&begins[target]));
    visit::terminator_operands(&block.terminator, |operand| live.see(*operand));
    for stmt in block.stmts[index.min(block.stmts.len())..].iter().rev() {
        visit::written(&stmt.kind, |reg| live.remove(*reg));
        visit::operands(&stmt.kind, |operand| live.see(*operand));
    }
    live
}
