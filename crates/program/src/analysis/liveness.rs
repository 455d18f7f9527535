//! Live-register analysis, backward over each function.
//!
//! A register is live before an instruction if some path from there reads it before anything writes it. A place that
//! `setjump` has remembered may be jumped back to from any callee, so whatever is live behind one is live everywhere in
//! its function.

use std::cell::OnceCell;

use unpick_base::IdVec;

use crate::{Block, BlockId, FuncId, Function, Operand, Program, RegId, StmtKind, visit};

/// Registers live at the beginning of each block, and before each instruction that was asked for.
#[derive(Debug)]
pub struct Liveness {
    functions: IdVec<FuncId, IdVec<BlockId, Registers>>,
    /// What is live behind instructions to which a jump may come back from anywhere below; empty without such.
    jumps: IdVec<FuncId, Option<Registers>>,
    asked: IdVec<FuncId, OnceCell<IdVec<BlockId, Asked>>>,
}

/// Live registers before each instruction of a block, as far as known.
type Asked = OnceCell<Box<[OnceCell<Box<[RegId]>>]>>;

/// A set of registers of one function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Registers(Vec<u64>);

impl Registers {
    pub(crate) fn new(function: &Function) -> Registers {
        Registers(vec![0; function.regs.len().div_ceil(64)])
    }

    pub(crate) fn contains(&self, reg: RegId) -> bool {
        self.0[reg.0 as usize / 64] >> (reg.0 % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, reg: RegId) {
        self.0[reg.0 as usize / 64] |= 1 << (reg.0 % 64);
    }

    pub(crate) fn remove(&mut self, reg: RegId) {
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
    /// Of all functions of a program.
    pub fn new(program: &Program) -> Liveness {
        let asked = program.functions.iter().map(|_| OnceCell::new()).collect();
        let functions: IdVec<FuncId, _> = program.functions.iter().map(analyse).collect();
        let jumps = program.functions.iter().zip(functions.iter()).map(|(body, begins)| behind_jumps(body, begins));
        Liveness { jumps: jumps.collect(), functions, asked }
    }

    /// Registers live at the beginning of each block, jumps back not counted.
    pub(crate) fn begins(&self, function: FuncId) -> &IdVec<BlockId, Registers> {
        &self.functions[function]
    }

    /// Registers live before an instruction, ascending; the number of instructions stands for the terminator.
    pub fn at(&self, program: &Program, function: FuncId, block: BlockId, index: usize) -> &[RegId] {
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

/// Registers live before an instruction of a block, jumps back not counted.
pub(crate) fn live_before(
    function: &Function,
    begins: &IdVec<BlockId, Registers>,
    block: &Block,
    index: usize,
) -> Registers {
    let mut live = Registers::new(function);
    visit::successors(&block.terminator, |target| live.unite(&begins[target]));
    visit::terminator_operands(&block.terminator, |operand| live.see(*operand));
    for stmt in block.stmts[index.min(block.stmts.len())..].iter().rev() {
        visit::written(&stmt.kind, |reg| live.remove(*reg));
        visit::operands(&stmt.kind, |operand| live.see(*operand));
    }
    live
}
