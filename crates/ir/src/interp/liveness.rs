//! Which registers a future may still read: a backward analysis over each function.

use unpick_base::IdVec;

use crate::{Block, BlockId, FuncId, Function, Operand, Program, RecvField, RegId, Rvalue, StmtKind, Terminator};

/// Registers live at the beginning of each block.
pub(crate) struct Liveness {
    functions: IdVec<FuncId, IdVec<BlockId, Registers>>,
}

/// A set of registers of one function.
#[derive(Clone, PartialEq)]
pub(crate) struct Registers(Vec<u64>);

impl Registers {
    fn new(function: &Function) -> Registers {
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

    fn unite(&mut self, other: &Registers) {
        for (left, right) in self.0.iter_mut().zip(&other.0) {
            *left |= right;
        }
    }
}

impl Liveness {
    pub(crate) fn new(program: &Program) -> Liveness {
        Liveness { functions: program.functions.iter().map(analyse).collect() }
    }

    /// Registers live before an instruction.
    pub(crate) fn at(&self, program: &Program, function: FuncId, block: BlockId, index: usize) -> Registers {
        let begins = &self.functions[function];
        if index == 0 {
            return begins[block].clone();
        }
        live_before(&program.functions[function], begins, &program.functions[function].blocks[block], index)
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

fn live_before(function: &Function, begins: &IdVec<BlockId, Registers>, block: &Block, index: usize) -> Registers {
    let mut live = Registers::new(function);
    for_each_successor(&block.terminator, |target| live.unite(&begins[target]));
    terminator_uses(&block.terminator, |reg| live.insert(reg));
    for stmt in block.stmts[index.min(block.stmts.len())..].iter().rev() {
        for_each_definition(&stmt.kind, |reg| live.remove(reg));
        for_each_use(&stmt.kind, |reg| live.insert(reg));
    }
    live
}

fn for_each_successor(terminator: &Terminator, mut visit: impl FnMut(BlockId)) {
    match terminator {
        Terminator::Goto(target) => visit(*target),
        Terminator::Branch { then, otherwise, .. } => {
            visit(*then);
            visit(*otherwise);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, _, target)| visit(*target));
            visit(*default);
        }
        Terminator::IndirectGoto { targets, .. } => targets.iter().copied().for_each(visit),
        Terminator::Select { arms, otherwise } => arms.iter().chain(otherwise).copied().for_each(visit),
        Terminator::Return(_) | Terminator::Exit { .. } | Terminator::Unreachable => {}
    }
}

fn terminator_uses(terminator: &Terminator, mut visit: impl FnMut(RegId)) {
    let mut see = |operand: &Operand| {
        if let Operand::Reg(reg) = operand {
            visit(*reg);
        }
    };
    match terminator {
        Terminator::Branch { cond: operand, .. }
        | Terminator::Switch { value: operand, .. }
        | Terminator::IndirectGoto { addr: operand, .. }
        | Terminator::Exit { code: operand, .. } => see(operand),
        Terminator::Return(value) => value.iter().for_each(see),
        Terminator::Goto(_) | Terminator::Select { .. } | Terminator::Unreachable => {}
    }
}

fn for_each_definition(kind: &StmtKind, mut visit: impl FnMut(RegId)) {
    match kind {
        StmtKind::Assign(dst, _)
        | StmtKind::Load { dst, .. }
        | StmtKind::LoadBits { dst, .. }
        | StmtKind::Alloc { dst, .. }
        | StmtKind::ObjectSize { dst, .. }
        | StmtKind::Choose { dst, .. }
        | StmtKind::AtomicRmw { dst, .. }
        | StmtKind::Spawn { dst, .. }
        | StmtKind::SelfThread(dst)
        | StmtKind::ThreadEnded { dst, .. }
        | StmtKind::ChanNew { dst, .. }
        | StmtKind::ChanLen { dst, .. } => visit(*dst),
        StmtKind::Call { dst, .. } => dst.iter().copied().for_each(visit),
        StmtKind::AtomicCas { dst, ok, .. } => {
            visit(*dst);
            visit(*ok);
        }
        StmtKind::Recv { fields, .. } => {
            for field in fields {
                if let RecvField::Bind(reg) = field {
                    visit(*reg);
                }
            }
        }
        StmtKind::Store { .. }
        | StmtKind::StoreBits { .. }
        | StmtKind::MemCopy { .. }
        | StmtKind::MemSet { .. }
        | StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::Free { .. }
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
        | StmtKind::Send { .. } => {}
    }
}

fn for_each_use(kind: &StmtKind, mut visit: impl FnMut(RegId)) {
    let mut see = |operand: &Operand| {
        if let Operand::Reg(reg) = operand {
            visit(*reg);
        }
    };
    match kind {
        StmtKind::Assign(_, rvalue) => for_each_operand(rvalue, see),
        StmtKind::Load { addr: operand, .. }
        | StmtKind::LoadBits { addr: operand, .. }
        | StmtKind::Alloc { bytes: operand, .. }
        | StmtKind::Free { addr: operand, .. }
        | StmtKind::ObjectSize { addr: operand, .. }
        | StmtKind::Assume(operand)
        | StmtKind::Assert { cond: operand, .. }
        | StmtKind::CheckIndex { index: operand, .. }
        | StmtKind::Wait(operand)
        | StmtKind::ThreadEnded { thread: operand, .. }
        | StmtKind::ChanLen { chan: operand, .. } => see(operand),
        StmtKind::Store { addr, value, .. }
        | StmtKind::StoreBits { addr, value, .. }
        | StmtKind::AtomicRmw { addr, value, .. } => {
            see(addr);
            see(value);
        }
        StmtKind::MemCopy { dst: first, src: second, bytes: third, .. }
        | StmtKind::MemSet { dst: first, byte: second, bytes: third }
        | StmtKind::Output { stream: first, addr: second, bytes: third }
        | StmtKind::AtomicCas { addr: first, expected: second, desired: third, .. } => {
            see(first);
            see(second);
            see(third);
        }
        StmtKind::Call { callee: first, args: rest, .. }
        | StmtKind::Spawn { callee: first, args: rest, .. }
        | StmtKind::Send { chan: first, values: rest, .. } => {
            see(first);
            rest.iter().for_each(see);
        }
        StmtKind::Recv { chan, fields, .. } => {
            see(chan);
            for field in fields {
                if let RecvField::Match(operand) = field {
                    see(operand);
                }
            }
        }
        StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::Choose { .. }
        | StmtKind::Note(_)
        | StmtKind::Unmodelled(_)
        | StmtKind::Fence(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::SelfThread(_)
        | StmtKind::ChanNew { .. } => {}
    }
}

fn for_each_operand(rvalue: &Rvalue, mut visit: impl FnMut(&Operand)) {
    match rvalue {
        Rvalue::Use(operand) | Rvalue::Unary(_, _, operand) | Rvalue::Cast(_, _, _, operand) => visit(operand),
        Rvalue::Binary(_, _, left, right)
        | Rvalue::Checked(_, _, left, right)
        | Rvalue::Overflows { left, right, .. }
        | Rvalue::Compare(_, _, left, right)
        | Rvalue::PtrAdd { base: left, index: right, .. }
        | Rvalue::PtrDiff { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Rvalue::Select { cond, then, otherwise } => {
            visit(cond);
            visit(then);
            visit(otherwise);
        }
    }
}
