//! Instructions, and the ways blocks end that need more than a branch.

use unpick_program::interp::Asked;
use unpick_program::{BinOp, BlockId, FuncId, Operand, RegId, RmwOp, Rvalue, Stmt, StmtKind, Ty, UnOp, ViolationKind};
use unpick_system::Reason;
use unpick_term::{Sort, Term};

use crate::goals::{Died, Step};
use crate::log::Input;
use crate::order::Place;
use crate::solve::Interrupted;
use crate::state::State;
use crate::symex::{Next, Symex};
use crate::value::{Base, Targets, Value};

impl Symex<'_> {
    /// Executes an instruction.
    pub(crate) fn stmt(&mut self, state: &mut State, place: &Place, stmt: &Stmt) -> Result<Step<Next>, Interrupted> {
        if self.log.is_full() {
            self.flush()?;
        }
        if let StmtKind::Call { dst, callee, args } = &stmt.kind {
            return self.calls(state, place, (*dst, callee, args));
        }
        Ok(self.simple(state, stmt).map(|()| Next::Go))
    }

    fn simple(&mut self, state: &mut State, stmt: &Stmt) -> Step {
        match &stmt.kind {
            StmtKind::Assign(dst, rvalue) => {
                let value = self.rvalue(state, rvalue)?;
                self.set(state, *dst, value);
            }
            StmtKind::Load { dst, addr, access } => self.load(state, *dst, addr, access)?,
            StmtKind::Store { addr, value, ty, access: _ } => self.store(state, addr, value, *ty)?,
            StmtKind::LoadBits { dst, addr, bits, is_signed, access } => {
                self.load_bits(state, (*dst, *is_signed), addr, *bits, access)?;
            }
            StmtKind::StoreBits { addr, bits, value, access: _ } => self.store_bits(state, addr, *bits, value)?,
            StmtKind::MemCopy { dst, src, bytes, may_overlap } => {
                self.mem_copy(state, (dst, src), bytes, *may_overlap)?
            }
            StmtKind::MemSet { dst, byte, bytes } => self.mem_set(state, dst, byte, bytes)?,
            StmtKind::MemAny { dst, bytes, is_assumed, label } => {
                self.mem_any(state, dst, bytes, (*is_assumed, label))?
            }
            StmtKind::SlotLive(slot) => self.slot_live(state, *slot),
            StmtKind::SlotDead(slot) => self.slot_dead(state, *slot),
            StmtKind::Alloc { dst, bytes, align, kind, contents } => {
                self.alloc(state, *dst, bytes, (*align, *kind, *contents))?;
            }
            StmtKind::Free { addr, kind } => self.free(state, addr, *kind)?,
            StmtKind::ObjectSize { dst, addr, element } => self.object_size(state, *dst, addr, *element)?,
            StmtKind::Choose { dst, range, label: _ } => self.choose(state, *dst, *range)?,
            StmtKind::Assume(cond) => {
                let cond = self.condition(state, cond)?;
                self.assume(state, cond)?;
            }
            StmtKind::Assert { cond, kind, message: _ } => {
                let cond = self.condition(state, cond)?;
                self.assert(state, cond, *kind)?;
            }
            StmtKind::CheckIndex { index, len, one_past } => {
                let width = self.width(Ty::Ptr);
                let index = self.number(state, index, width)?;
                let end = self.terms.constant(width, u128::from(*len) + u128::from(*one_past));
                let ok = self.terms.ult(index, end);
                self.require_index(state, ok)?;
            }
            StmtKind::Note(text) => self.log.note(text),
            StmtKind::Unmodelled(what) => {
                let site = self.site(stmt.loc);
                return Err(self.refuse(state, Reason::Unmodelled { what: what.clone(), site }));
            }
            StmtKind::Output { stream, addr, bytes } => {
                let stream = self.operand(state, stream);
                self.word(state, &stream, 32)?;
                self.output(state, addr, bytes)?;
            }
            StmtKind::Call { .. } => unreachable!("calls should have been taken apart"),
            StmtKind::AtomicRmw { .. }
            | StmtKind::AtomicCas { .. }
            | StmtKind::Fence(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Wait(_)
            | StmtKind::Spawn { .. }
            | StmtKind::SelfThread(_)
            | StmtKind::ThreadEnded { .. }
            | StmtKind::Progress
            | StmtKind::Hold { .. }
            | StmtKind::SetJump { .. }
            | StmtKind::LongJump { .. }
            | StmtKind::Interrupts { .. } => self.rare(state, &stmt.kind)?,
        }
        Ok(())
    }

    /// Instructions for programs with threads, as the only thread sees them, and jumps between activations.
    fn rare(&mut self, state: &mut State, kind: &StmtKind) -> Step {
        match kind {
            StmtKind::AtomicRmw { dst, op, addr, value, order: _ } => self.atomic_rmw(state, *dst, *op, addr, value),
            StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak: false, order: _ } => {
                self.atomic_cas(state, (*dst, *ok), addr, (expected, desired))
            }
            StmtKind::AtomicCas { .. } => {
                Err(self.unsupported(state, "a weak compare and exchange, which may fail for no reason"))
            }
            StmtKind::Fence(_) | StmtKind::AtomicBegin | StmtKind::AtomicEnd | StmtKind::Progress => Ok(()),
            StmtKind::Wait(cond) => {
                let cond = self.condition(state, cond)?;
                self.supported(state, cond, "what becomes of a thread that waits for ever")
            }
            StmtKind::SelfThread(dst) => {
                let zero = self.terms.constant(32, 0);
                self.set(state, *dst, Value::word(zero));
                Ok(())
            }
            StmtKind::Hold { addr, .. } => self.used_pointer(state, addr).map(|_| ()),
            StmtKind::Spawn { .. } | StmtKind::ThreadEnded { .. } => Err(self.unsupported(state, "threads")),
            StmtKind::SetJump { .. } | StmtKind::LongJump { .. } => Err(self.unsupported(state, "setjmp and longjmp")),
            StmtKind::Interrupts { .. } => Err(self.unsupported(state, "interrupts")),
            other => unreachable!("{other:?} should have been executed elsewhere"),
        }
    }

    fn assume(&mut self, state: &mut State, cond: Term) -> Step {
        if self.decide(state, cond) != Some(true) {
            self.log.has_assumption = true;
        }
        self.learn(state, cond)
    }

    /// Any value of the register's type within the range.
    fn choose(&mut self, state: &mut State, dst: RegId, range: Option<(i128, i128)>) -> Step {
        let ty = self.program.functions[self.function()].regs[dst].ty;
        if ty == Ty::Ptr {
            return Err(self.unsupported(state, "pointers of any value"));
        }
        let width = self.width(ty);
        let value = self.terms.input(&format!("in{}", self.log.inputs.len()), Sort::Bits(width));
        let guard = self.guards.term(state.guard);
        self.log.inputs.push(Input { guard, at: self.log.at, asked: Asked::Value, value });
        if let Some((low, high)) = range {
            let first = self.terms.constant(width, low as u128);
            let from_first = self.terms.sub(value, first);
            let span = high.wrapping_sub(low) as u128;
            let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
            if low > high {
                self.log.has_assumption = true;
                self.kill(state);
                return Err(Died);
            }
            if span < all {
                let span = self.terms.constant(width, span);
                let cond = self.terms.ule(from_first, span);
                self.learn(state, cond)?;
            }
        }
        self.set(state, dst, Value::word(value));
        Ok(())
    }

    fn atomic_rmw(&mut self, state: &mut State, dst: RegId, op: RmwOp, addr: &Operand, value: &Operand) -> Step {
        let ty = self.program.functions[self.function()].regs[dst].ty;
        let targets = self.used_pointer(state, addr)?;
        let old = self.load_value(state, &targets, ty)?;
        // The old value is in the register only afterwards.
        let kept = state.regs[dst.0 as usize].clone();
        let value = self.operand(state, value);
        self.set(state, dst, old.clone());
        let (left, right) = (Operand::Reg(dst), value);
        let combined = match op {
            RmwOp::Exchange => Ok(right),
            RmwOp::Add => self.combine(state, BinOp::Add, ty, &left, &right),
            RmwOp::Sub => self.combine(state, BinOp::Sub, ty, &left, &right),
            RmwOp::And => self.combine(state, BinOp::And, ty, &left, &right),
            RmwOp::Or => self.combine(state, BinOp::Or, ty, &left, &right),
            RmwOp::Xor => self.combine(state, BinOp::Xor, ty, &left, &right),
            RmwOp::Nand => self.combine(state, BinOp::And, ty, &left, &right).and_then(|both| {
                self.set(state, dst, both);
                self.rvalue(state, &Rvalue::Unary(UnOp::Not, ty, left))
            }),
        };
        self.set(state, dst, kept);
        self.store_value(state, &targets, combined?, ty)?;
        self.set(state, dst, old);
        Ok(())
    }

    fn combine(&mut self, state: &mut State, op: BinOp, ty: Ty, left: &Operand, right: &Value) -> Step<Value> {
        let left = self.operand(state, left);
        self.binary(state, op, ty, (&left, right))
    }

    fn atomic_cas(
        &mut self,
        state: &mut State,
        (dst, ok): (RegId, RegId),
        addr: &Operand,
        (expected, desired): (&Operand, &Operand),
    ) -> Step {
        let ty = self.program.functions[self.function()].regs[dst].ty;
        let Ty::Int(_) = ty else { return Err(self.unsupported(state, "compare and exchange of such types")) };
        let width = self.width(ty);
        let targets = self.used_pointer(state, addr)?;
        let old = self.load_value(state, &targets, ty)?;
        let (bits, undef) = self.word(state, &old, width)?;
        self.determinate(state, undef)?;
        let expected = self.number(state, expected, width)?;
        let desired = self.operand(state, desired);
        let is_equal = self.terms.eq(bits, expected);
        let Some(new) = Value::join(&mut self.terms, is_equal, &desired, &old) else {
            return Err(self.unsupported(state, "compare and exchange of addresses"));
        };
        self.store_value(state, &targets, new, ty)?;
        self.set(state, dst, old);
        self.set(state, ok, Value::word(is_equal));
        Ok(())
    }

    // ---- calls ----

    fn calls(
        &mut self,
        state: &mut State,
        place: &Place,
        (dst, callee, args): (Option<RegId>, &Operand, &[Operand]),
    ) -> Result<Step<Next>, Interrupted> {
        let loc = self.log.loc;
        let mut callees = match place.callee {
            Some((_, callee)) => vec![(Term::TRUE, callee)],
            None => match self.callees(state, callee) {
                Ok(callees) => callees,
                Err(Died) => return Ok(Err(Died)),
            },
        };
        // All but the last are called later from here; then the way is decided.
        while callees.len() > 1 {
            let (when, callee) = callees.pop().expect("there should be two");
            let mut one = state.clone();
            let other = self.fork(&mut one, when);
            *state = other;
            self.n_ways += 1;
            let place = Place { callee: Some((self.n_ways, callee)), ..place.clone() };
            self.arrive_later(place, one);
        }
        let Some((_, callee)) = callees.pop() else {
            self.kill(state);
            return Ok(Err(Died));
        };
        let args = args.iter().map(|arg| self.operand(state, arg)).collect();
        self.call(place, state.clone(), (callee, args, dst), loc)?;
        Ok(Ok(Next::Called))
    }

    /// The functions a pointer may lead to; where it leads to none, something goes wrong.
    fn callees(&mut self, state: &mut State, callee: &Operand) -> Step<Vec<(Term, FuncId)>> {
        let targets = self.used_pointer(state, callee)?;
        let mut callees: Vec<(Term, FuncId)> = Vec::new();
        for target in targets.iter() {
            let when = self.simplify(state, target.when);
            let never = self.terms.not(when);
            match target.base {
                Base::Number => {
                    self.no_function(state, when, target.offset.term)?;
                    self.require(state, never, ViolationKind::NullDereference)?;
                }
                Base::Object(_) => self.require(state, never, ViolationKind::OutOfBounds)?,
                Base::Function(function) => {
                    let is_start = self.terms.is_zero(target.offset.term);
                    let ok = self.terms.or(never, is_start);
                    self.require(state, ok, ViolationKind::OutOfBounds)?;
                    match callees.iter_mut().find(|(_, known)| *known == function) {
                        Some((known, _)) => *known = self.terms.or(*known, when),
                        None => callees.push((when, function)),
                    }
                }
            }
        }
        Ok(callees)
    }

    /// Under a condition, a number is not the address of a function.
    fn no_function(&mut self, state: &mut State, when: Term, number: Term) -> Step {
        let width = self.terms.width(number);
        let lowest = self.terms.constant(width, 0x10_0000);
        let is_low = self.terms.ult(number, lowest);
        let ok = self.terms.implies(when, is_low);
        self.supported(state, ok, "calls of numbers")
    }

    // ---- ends of blocks ----

    pub(crate) fn switch(
        &mut self,
        state: &mut State,
        place: &Place,
        (value, ty): (&Operand, Ty),
        cases: &[(u128, u128, BlockId)],
        default: BlockId,
    ) -> Step {
        let width = self.width(ty);
        let value = self.number(state, value, width)?;
        for (low, high, target) in cases {
            let (first, last) = (self.terms.constant(width, *low), self.terms.constant(width, *high));
            let cond = if low == high {
                self.terms.eq(value, first)
            } else {
                let (above, below) = (self.terms.ule(first, value), self.terms.ule(value, last));
                self.terms.and(above, below)
            };
            match self.decide(state, cond) {
                Some(true) => {
                    self.jump(state.clone(), place, *target);
                    return Ok(());
                }
                Some(false) => {}
                None => {
                    let mut one = state.clone();
                    *state = self.fork(&mut one, cond);
                    self.jump(one, place, *target);
                }
            }
        }
        self.jump(state.clone(), place, default);
        Ok(())
    }

    pub(crate) fn indirect_goto(
        &mut self,
        state: &mut State,
        place: &Place,
        addr: &Operand,
        labels: &[BlockId],
    ) -> Step {
        let function = self.function();
        let targets: Targets = self.used_pointer(state, addr)?;
        let mut ways: Vec<(Term, BlockId)> = Vec::new();
        for target in targets.iter() {
            let when = self.simplify(state, target.when);
            let never = self.terms.not(when);
            let label = target.offset.number().and_then(|number| u32::try_from(number - 1).ok()).map(BlockId);
            match (target.base, label) {
                (Base::Function(base), Some(label)) if base == function && labels.contains(&label) => {
                    ways.push((when, label));
                }
                (Base::Function(base), None) if base == function && target.offset.number().is_none() => {
                    return Err(self.unsupported(state, "computed labels"));
                }
                (Base::Number, _) => self.require(state, never, ViolationKind::NullDereference)?,
                (_, _) => self.require(state, never, ViolationKind::OutOfBounds)?,
            }
        }
        while ways.len() > 1 {
            let (when, label) = ways.pop().expect("there should be two");
            let mut one = state.clone();
            *state = self.fork(&mut one, when);
            self.jump(one, place, label);
        }
        match ways.pop() {
            Some((_, label)) => self.jump(state.clone(), place, label),
            None => self.kill(state),
        }
        Ok(())
    }
}
