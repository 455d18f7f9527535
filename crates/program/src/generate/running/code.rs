//! Control flow of random functions: prologues, branches, bounded loops, jumps, ends.

use std::collections::BTreeSet;

use super::{Globals, Random, Signature, TYPES, new_function};
use crate::ViolationKind;
use crate::program::*;

pub(super) const BOOL: Ty = Ty::Int(1);
pub(super) const NUMBER: Ty = Ty::Int(32);

/// A function under construction; instructions go to the end of the current block.
pub(super) struct Code<'a> {
    pub random: &'a mut Random,
    pub program: &'a Program,
    pub globals: &'a Globals,
    pub signatures: &'a [Signature],
    pub index: usize,
    pub function: Function,
    current: BlockId,
    line: u32,
    /// Registers that random instructions may use, by type.
    pools: Vec<(Ty, Vec<RegId>)>,
    /// Loops around the current place.
    depth: u32,
    /// In an atomic region.
    pub is_atomic: bool,
}

/// The function of a number.
pub(super) fn function(
    random: &mut Random,
    program: &Program,
    globals: &Globals,
    signatures: &[Signature],
    index: usize,
) -> Function {
    let name = match index {
        0 => "main".to_string(),
        _ if signatures[index].is_worker => format!("worker{index}"),
        _ => format!("f{index}"),
    };
    let function = new_function(&name, signatures[index].ret);
    let line = 100 * index as u32 + 1;
    let mut code = Code {
        random,
        program,
        globals,
        signatures,
        index,
        function,
        current: BlockId(0),
        line,
        pools: Vec::new(),
        depth: 0,
        is_atomic: false,
    };
    code.current = code.new_block(None);
    code.begin();
    let n_parts = 3 + code.random.below(5);
    code.parts(n_parts);
    code.end();
    code.function
}

impl Code<'_> {
    pub fn reg(&mut self, ty: Ty) -> RegId {
        let at = self.pools.iter().position(|(other, _)| *other == ty).expect("every type should have registers");
        let n_regs = self.pools[at].1.len();
        self.pools[at].1[self.random.below(n_regs)]
    }

    /// A register that no random instruction writes.
    pub fn own_reg(&mut self, ty: Ty) -> RegId {
        self.function.regs.push(Reg { ty, name: None, shape: None })
    }

    pub fn word(&self) -> Ty {
        Ty::Int(8 * self.program.pointer_bytes)
    }

    fn loc(&mut self) -> Loc {
        self.line += 1;
        Loc { file: FileId(0), line: self.line, column: 1 }
    }

    pub fn push(&mut self, kind: StmtKind) {
        let loc = self.loc();
        self.function.blocks[self.current].stmts.push(Stmt { kind, loc });
    }

    pub fn assign(&mut self, dst: RegId, rvalue: Rvalue) {
        self.push(StmtKind::Assign(dst, rvalue));
    }

    pub fn new_block(&mut self, loop_head: Option<Loc>) -> BlockId {
        let terminator = Terminator::Unreachable;
        self.function.blocks.push(Block { stmts: Vec::new(), terminator, loc: Loc::NONE, loop_head })
    }

    fn terminate(&mut self, terminator: Terminator) {
        let loc = self.loc();
        let block = &mut self.function.blocks[self.current];
        (block.terminator, block.loc) = (terminator, loc);
    }

    /// Ends the block and goes on in another one.
    pub fn go_on_in(&mut self, terminator: Terminator, block: BlockId) {
        self.terminate(terminator);
        self.current = block;
    }

    /// Parameters, registers with values, stack objects with life.
    fn begin(&mut self) {
        let signature = &self.signatures[self.index];
        for ty in &signature.params {
            let param = self.own_reg(*ty);
            self.function.params.push(param);
        }
        let params = self.function.params.clone();
        for ty in TYPES {
            let regs: Vec<RegId> = (0..2).map(|_| self.own_reg(ty)).collect();
            self.pools.push((ty, regs.clone()));
            for reg in regs {
                let param = params.iter().copied().find(|param| self.function.regs[*param].ty == ty);
                let value = match param.filter(|_| self.random.flag()) {
                    Some(param) => Operand::Reg(param),
                    None => self.constant(ty),
                };
                if !self.random.one_in(40) {
                    self.assign(reg, Rvalue::Use(value));
                }
            }
        }
        for index in 0..2 {
            let (name, size) = (Some(format!("local{index}")), 32);
            let slot = self.function.slots.push(Slot { name, size, align: 16, shape: None });
            self.push(StmtKind::SlotLive(slot));
            if !self.random.one_in(10) {
                let bytes = Operand::Bits(self.word(), size.into());
                let byte = Operand::Bits(Ty::Int(8), self.random.below(4) as u128);
                self.push(StmtKind::MemSet { dst: Operand::Slot(slot), byte, bytes });
            }
        }
        if self.index == 0 {
            self.start_workers();
        }
        if signature.is_recursive {
            self.call_itself(params[0]);
        }
    }

    fn start_workers(&mut self) {
        let workers = self.signatures.iter().enumerate().filter(|(_, signature)| signature.is_worker);
        let workers: Vec<(usize, usize)> = workers.map(|(index, worker)| (index, worker.params.len())).collect();
        for (index, n_params) in workers {
            let dst = self.own_reg(NUMBER);
            let args = (0..n_params).map(|_| self.constant(NUMBER)).collect();
            let callee = Operand::Address(Address::Func(FuncId(index as u32)));
            self.push(StmtKind::Spawn { dst, callee, args });
            if self.random.flag() {
                self.wait_for(dst);
            }
        }
    }

    /// Waits for the end of a thread.
    fn wait_for(&mut self, thread: RegId) {
        let ended = self.own_reg(BOOL);
        self.push(StmtKind::AtomicBegin);
        self.push(StmtKind::ThreadEnded { dst: ended, thread: Operand::Reg(thread) });
        self.push(StmtKind::Wait(Operand::Reg(ended)));
        self.push(StmtKind::AtomicEnd);
    }

    /// `if (n > 0 && n < 4) self(n - 1)`.
    fn call_itself(&mut self, n_left: RegId) {
        let (cond, less) = (self.own_reg(BOOL), self.own_reg(NUMBER));
        let n = Operand::Reg(n_left);
        self.assign(less, Rvalue::Binary(BinOp::Sub, NUMBER, n, Operand::Bits(NUMBER, 1)));
        self.assign(cond, Rvalue::Compare(CmpOp::ULt, NUMBER, Operand::Reg(less), Operand::Bits(NUMBER, 3)));
        let (then, after) = (self.new_block(None), self.new_block(None));
        self.go_on_in(Terminator::Branch { cond: Operand::Reg(cond), then, otherwise: after }, then);
        let signature = &self.signatures[self.index];
        let mut args = vec![Operand::Reg(less)];
        args.extend(signature.params[1..].iter().map(|ty| Operand::Reg(self.reg(*ty))).collect::<Vec<_>>());
        let dst = signature.ret.map(|ty| self.reg(ty));
        let callee = Operand::Address(Address::Func(FuncId(self.index as u32)));
        self.push(StmtKind::Call { dst, callee, args });
        self.go_on_in(Terminator::Goto(after), after);
    }

    /// A sequence of instructions and of what has blocks of its own.
    fn parts(&mut self, n_parts: usize) {
        for _ in 0..n_parts {
            match self.random.below(14) {
                0 => self.branch(),
                1 => self.switch(),
                2 if self.depth < 2 => self.count(),
                3 if self.depth < 2 => self.spin(),
                4 => self.computed_jump(),
                5 if self.random.flag() => self.jump_back(),
                6 if self.random.one_in(3) => self.critical_section(),
                7 if self.random.one_in(6) => self.rare_end(),
                _ => (0..2 + self.random.below(5)).for_each(|_| self.random_stmt()),
            }
        }
    }

    /// A condition with some chance of either value.
    fn condition(&mut self) -> Operand {
        let cond = self.reg(BOOL);
        match self.random.below(3) {
            0 => self.push(StmtKind::Choose { dst: cond, range: None, label: "a coin".into() }),
            1 => {
                let (left, right) = (Operand::Reg(self.reg(NUMBER)), self.constant(NUMBER));
                self.assign(cond, Rvalue::Compare(CmpOp::SLt, NUMBER, left, right));
            }
            _ => {}
        }
        Operand::Reg(cond)
    }

    fn branch(&mut self) {
        let cond = self.condition();
        let (then, otherwise, after) = (self.new_block(None), self.new_block(None), self.new_block(None));
        self.go_on_in(Terminator::Branch { cond, then, otherwise }, then);
        let n_parts = 1 + self.random.below(2);
        self.parts(n_parts);
        self.go_on_in(Terminator::Goto(after), otherwise);
        self.parts(1);
        self.go_on_in(Terminator::Goto(after), after);
    }

    fn switch(&mut self) {
        let ty = self.random.pick(&[NUMBER, Ty::Int(8), Ty::Int(64), Ty::Int(7), Ty::Int(128)]);
        let reg = self.reg(ty);
        if self.random.flag() {
            self.push(StmtKind::Choose { dst: reg, range: Some((0, 5)), label: "a way".into() });
        }
        let arms: Vec<BlockId> = (0..3).map(|_| self.new_block(None)).collect();
        let after = self.new_block(None);
        let cases = vec![(0, 1, arms[0]), (3, 3, arms[1])];
        let terminator = Terminator::Switch { value: Operand::Reg(reg), ty, cases, default: arms[2] };
        self.go_on_in(terminator, arms[0]);
        self.parts(1);
        // From the first arm control falls into the second one.
        self.go_on_in(Terminator::Goto(arms[1]), arms[1]);
        self.parts(1);
        self.go_on_in(Terminator::Goto(after), arms[2]);
        self.go_on_in(Terminator::Goto(after), after);
    }

    /// `for (n = 0; n < limit; n++) ...`.
    fn count(&mut self) {
        let (n, cond) = (self.own_reg(NUMBER), self.own_reg(BOOL));
        let limit = Operand::Bits(NUMBER, 1 + self.random.below(3) as u128);
        self.assign(n, Rvalue::Use(Operand::Bits(NUMBER, 0)));
        let loc = self.loc();
        let (head, body, after) = (self.new_block(Some(loc)), self.new_block(None), self.new_block(None));
        self.go_on_in(Terminator::Goto(head), head);
        self.assign(cond, Rvalue::Compare(CmpOp::ULt, NUMBER, Operand::Reg(n), limit));
        self.go_on_in(Terminator::Branch { cond: Operand::Reg(cond), then: body, otherwise: after }, body);
        self.depth += 1;
        let n_parts = 1 + self.random.below(2);
        self.parts(n_parts);
        self.depth -= 1;
        self.assign(n, Rvalue::Checked(BinOp::Add, NUMBER, Operand::Reg(n), Operand::Bits(NUMBER, 1)));
        self.go_on_in(Terminator::Goto(head), after);
    }

    /// A loop that ends by a coin, or after three rounds.
    fn spin(&mut self) {
        let (n, cond) = (self.own_reg(NUMBER), self.own_reg(BOOL));
        self.assign(n, Rvalue::Use(Operand::Bits(NUMBER, 3)));
        let loc = self.loc();
        let (head, again, after) = (self.new_block(Some(loc)), self.new_block(None), self.new_block(None));
        self.go_on_in(Terminator::Goto(head), head);
        self.depth += 1;
        self.parts(1);
        self.depth -= 1;
        self.push(StmtKind::Choose { dst: cond, range: None, label: "once more".into() });
        self.go_on_in(Terminator::Branch { cond: Operand::Reg(cond), then: again, otherwise: after }, again);
        self.assign(n, Rvalue::Binary(BinOp::Sub, NUMBER, Operand::Reg(n), Operand::Bits(NUMBER, 1)));
        let ty = NUMBER;
        let terminator = Terminator::Switch { value: Operand::Reg(n), ty, cases: vec![(0, 0, after)], default: head };
        self.go_on_in(terminator, after);
    }

    /// A jump to one of two labels; every indirect jump of the function lists all labels, which `end` sees to.
    fn computed_jump(&mut self) {
        let (target, cond) = (self.own_reg(Ty::Ptr), self.condition());
        let (one, other, after) = (self.new_block(None), self.new_block(None), self.new_block(None));
        let label = |block| Operand::Address(Address::Label(FuncId(self.index as u32), block));
        self.assign(target, Rvalue::Select { cond, then: label(one), otherwise: label(other) });
        self.go_on_in(Terminator::IndirectGoto { addr: Operand::Reg(target), targets: Vec::new() }, one);
        self.random_stmt();
        self.go_on_in(Terminator::Goto(after), other);
        self.random_stmt();
        self.go_on_in(Terminator::Goto(after), after);
    }

    /// A place that is remembered, and a jump back to it.
    fn jump_back(&mut self) {
        if self.is_atomic {
            return;
        }
        let (came, cond) = (self.own_reg(NUMBER), self.own_reg(BOOL));
        let addr = Operand::Address(Address::Global(self.globals.jumps, 0));
        let anchor = self.function.slots.push(Slot { name: None, size: 1, align: 1, shape: None });
        self.push(StmtKind::SetJump { dst: came, addr, anchor });
        self.assign(cond, Rvalue::Compare(CmpOp::Eq, NUMBER, Operand::Reg(came), Operand::Bits(NUMBER, 0)));
        let (first, after) = (self.new_block(None), self.new_block(None));
        self.go_on_in(Terminator::Branch { cond: Operand::Reg(cond), then: first, otherwise: after }, first);
        self.random_stmt();
        let value = Operand::Bits(NUMBER, self.random.below(3) as u128);
        self.push(StmtKind::LongJump { addr, value });
        self.go_on_in(Terminator::Unreachable, after);
    }

    /// A lock taken, something done, and the lock given back.
    fn critical_section(&mut self) {
        if self.is_atomic {
            return;
        }
        let (held, cond) = (self.own_reg(NUMBER), self.own_reg(BOOL));
        let addr = Operand::Address(Address::Global(self.globals.lock, 0));
        let (access, is_exclusive) = (Access::default(), !self.random.one_in(4));
        self.push(StmtKind::AtomicBegin);
        self.push(StmtKind::Load { dst: held, addr, access });
        self.assign(cond, Rvalue::Compare(CmpOp::Eq, NUMBER, Operand::Reg(held), Operand::Bits(NUMBER, 0)));
        self.push(StmtKind::Wait(Operand::Reg(cond)));
        self.push(StmtKind::Store { addr, value: Operand::Bits(NUMBER, 1), ty: NUMBER, access });
        let op = self.random.pick(&[LockOp::Take, LockOp::Get]);
        self.push(StmtKind::Hold { addr, op, is_exclusive });
        self.push(StmtKind::AtomicEnd);
        (0..2).for_each(|_| self.random_stmt());
        self.push(StmtKind::AtomicBegin);
        self.push(StmtKind::Store { addr, value: Operand::Bits(NUMBER, 0), ty: NUMBER, access });
        self.push(StmtKind::Hold { addr, op: LockOp::Give, is_exclusive });
        self.push(StmtKind::AtomicEnd);
    }

    /// Ends the program, the thread or the execution, by a coin of four sides.
    fn rare_end(&mut self) {
        let (coin, cond) = (self.own_reg(Ty::Int(8)), self.own_reg(BOOL));
        self.push(StmtKind::Choose { dst: coin, range: Some((0, 3)), label: "an end".into() });
        self.assign(cond, Rvalue::Compare(CmpOp::Eq, Ty::Int(8), Operand::Reg(coin), Operand::Bits(Ty::Int(8), 2)));
        let (end, after) = (self.new_block(None), self.new_block(None));
        self.go_on_in(Terminator::Branch { cond: Operand::Reg(cond), then: end, otherwise: after }, end);
        let never = Operand::Bits(BOOL, 0);
        let terminator = match self.random.below(5) {
            0 => Terminator::EndThread,
            1 => {
                let kind = self.random.pick(&[ViolationKind::Assertion, ViolationKind::InvalidShift]);
                self.push(StmtKind::Assert { cond: never, kind, message: "not reached".into() });
                Terminator::Unreachable
            }
            2 => {
                // Now and then the program itself says what is not reached, and is wrong.
                if !self.random.one_in(3) {
                    self.push(StmtKind::Assume(never));
                }
                Terminator::Unreachable
            }
            3 => {
                self.push(StmtKind::Unmodelled("something without a meaning".into()));
                Terminator::Unreachable
            }
            _ => Terminator::Exit { code: self.constant(NUMBER), is_abort: self.random.flag() },
        };
        self.go_on_in(terminator, after);
    }

    /// Lives end, control leaves, and indirect jumps learn their targets.
    fn end(&mut self) {
        for slot in self.function.slots.ids() {
            if self.random.flag() {
                self.push(StmtKind::SlotDead(slot));
            }
        }
        let signature = &self.signatures[self.index];
        let terminator = match signature.ret {
            _ if signature.is_worker && self.random.flag() => Terminator::EndThread,
            _ if self.index == 0 && self.random.flag() => {
                Terminator::Exit { code: Operand::Reg(self.reg(NUMBER)), is_abort: self.random.one_in(3) }
            }
            Some(ty) => Terminator::Return(Some(Operand::Reg(self.reg(ty)))),
            None => Terminator::Return(None),
        };
        self.terminate(terminator);
        let mut taken = BTreeSet::new();
        crate::visit::addresses(&self.function, |address| match address {
            Address::Label(_, block) => {
                taken.insert(block);
            }
            Address::Global(..) | Address::Func(_) => {}
        });
        for block in self.function.blocks.iter_mut() {
            if let Terminator::IndirectGoto { targets, .. } = &mut block.terminator {
                *targets = taken.iter().copied().collect();
            }
        }
        self.mark_heads(&taken);
    }

    /// Indirect jumps list all labels of the function, so that some of their edges lead back.
    fn mark_heads(&mut self, labels: &BTreeSet<BlockId>) {
        for label in labels {
            let block = &mut self.function.blocks[*label];
            block.loop_head.get_or_insert(block.loc);
        }
    }
}
