//! Threads and atomic regions.
//!
//! An instruction that cannot go on has no effect; inside an atomic region, what came before it in the region is
//! undone too. Whether a thread can do a step is found out by trying on a copy.

use std::rc::Rc;

use super::choice::{Choice, ChoiceKind};
use super::exec::{Exec, Step};
use super::state::{Atomic, Held};
use super::value::Value;
use super::{Machine, Observer, State, Stop};
use crate::{BinOp, FuncId, InterruptOp, LockOp, Operand, Program, RegId, RmwOp, StmtKind, Ty, ViolationKind};

/// A trial that runs longer than this counts as able to go on.
pub(crate) const TRIAL_FUEL: u64 = 100_000;

impl Machine<'_> {
    /// The threads that can do a step.
    pub fn runnable(&self, state: &State) -> Vec<usize> {
        if let Some(atomic) = &state.atomic {
            return vec![atomic.thread];
        }
        (0..state.threads.len()).filter(|thread| self.can_step(state, *thread)).collect()
    }
}

/// Whether some instruction of the program waits for other threads.
pub(crate) fn may_block(program: &Program) -> bool {
    let mut blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.any(|block| block.stmts.iter().any(|stmt| is_blocking(&stmt.kind)))
}

/// Whether some instruction of the program starts a thread.
pub(crate) fn has_threads(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::Spawn { .. }))
}

/// Whether the instruction waits for other threads.
pub(crate) fn is_blocking(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Wait(_) => true,
        StmtKind::Interrupts { op, .. } => *op == InterruptOp::Enter,
        _other => false,
    }
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    // ---- atomic accesses ----

    pub(crate) fn atomic_rmw(&mut self, dst: RegId, op: RmwOp, addr: &Operand, value: &Operand) -> Step {
        let ty = self.function.regs[dst].ty;
        let pointer = self.pointer(addr, "the address of an atomic access")?;
        let old = self.load_slow(pointer, ty)?;
        let right = self.operand(value);
        let combined = match op {
            RmwOp::Exchange => right,
            RmwOp::Add => self.binary(BinOp::Add, ty, old, right)?,
            RmwOp::Sub => self.binary(BinOp::Sub, ty, old, right)?,
            RmwOp::And => self.binary(BinOp::And, ty, old, right)?,
            RmwOp::Or => self.binary(BinOp::Or, ty, old, right)?,
            RmwOp::Xor => self.binary(BinOp::Xor, ty, old, right)?,
            RmwOp::Nand => {
                let both = self.binary(BinOp::And, ty, old, right)?;
                self.unary(crate::UnOp::Not, ty, both)?
            }
        };
        let len = super::exec::stored_bytes(ty, self.program.pointer_bytes);
        self.store_value(pointer, combined, ty, len)?;
        self.assign(dst, old);
        Ok(())
    }

    pub(crate) fn atomic_cas(
        &mut self,
        dst: RegId,
        ok: RegId,
        addr: &Operand,
        expected: &Operand,
        desired: &Operand,
        is_weak: bool,
    ) -> Step {
        let ty = self.function.regs[dst].ty;
        let pointer = self.pointer(addr, "the address of an atomic access")?;
        let old = self.load_slow(pointer, ty)?;
        // Also when it fails, what others write decides.
        let len = super::exec::stored_bytes(ty, self.program.pointer_bytes);
        self.observe_read(pointer.at(0), pointer.offset as u64, len);
        let (expected, desired) = (self.operand(expected), self.operand(desired));
        let compared = match ty {
            Ty::Int(_) | Ty::Ptr => self.compare(crate::CmpOp::Eq, ty, old, expected)?,
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => self.compare(crate::CmpOp::FEq, ty, old, expected)?,
        };
        let Value::Bits(is_equal) = compared else {
            let message = "an atomic comparison depends on an indeterminate value".into();
            return Err(self.violation(ViolationKind::Uninitialized, message));
        };
        let mut is_equal = is_equal == 1;
        if is_equal && is_weak {
            match self.state.threads[self.thread].picked.take() {
                Some(fails) => is_equal = fails == 0,
                None => {
                    let label = "a weak compare and exchange may fail".into();
                    let choice =
                        Choice { kind: ChoiceKind::Fail, n_options: 2, label, loc: self.loc(), thread: self.thread };
                    return Err(Box::new(Stop::Choice(choice)));
                }
            }
        }
        if is_equal {
            self.store_value(pointer, desired, ty, len)?;
        }
        self.assign(dst, old);
        self.assign(ok, Value::from_bool(is_equal));
        Ok(())
    }

    // ---- atomic regions ----

    pub(crate) fn atomic_begin(&mut self) {
        match &mut self.state.atomic {
            Some(atomic) => atomic.depth += 1,
            None => {
                self.save();
                // The state of a trial that blocks is dropped.
                let is_kept = self.machine.may_block && !self.is_trial;
                let start = is_kept.then(|| Rc::new(self.state.clone()));
                self.state.atomic = Some(Atomic { thread: self.thread, depth: 1, start });
            }
        }
    }

    pub(crate) fn atomic_end(&mut self) -> Step {
        if let Some(atomic) = &mut self.state.atomic {
            atomic.depth -= 1;
            if atomic.depth == 0 {
                self.state.atomic = None;
                // Whether the region goes through is all that a trial wants to know.
                if self.is_trial {
                    return Err(Box::new(Stop::Fuel));
                }
            }
        }
        Ok(())
    }

    /// The thread cannot go on: undoes the atomic region it is in. What was learned about inputs stays, because it
    /// is why the region blocks.
    pub(crate) fn blocked(&mut self) -> Box<Stop> {
        if let Some(start) = self.state.atomic.take().and_then(|atomic| atomic.start) {
            let inputs = std::mem::replace(self.state, (*start).clone()).inputs;
            for (input, later) in self.state.inputs.iter_mut().zip(inputs) {
                if let (Some(input), Some(later)) = (input, later)
                    && input.serial == later.serial
                {
                    Rc::make_mut(input).domain = later.domain.clone();
                }
            }
            self.restore();
        }
        Box::new(Stop::Blocked)
    }

    pub(crate) fn wait(&mut self, cond: &Operand) -> Step {
        if !self.condition(cond, "a wait")? {
            return Err(self.blocked());
        }
        Ok(())
    }

    // ---- threads ----

    pub(crate) fn spawn(&mut self, dst: RegId, callee: &Operand, args: &[Operand]) -> Step {
        let function: FuncId = self.callee(callee)?;
        let args = match self.adapted_arguments(function, callee, args)? {
            Some(args) => args,
            None => args.iter().map(|arg| self.operand(arg)).collect(),
        };
        for arg in &args {
            if let Value::Ptr(pointer) = arg {
                self.state.memory.publish(*pointer);
            }
        }
        let thread = self.state.start_thread(self.program, function, &args);
        self.state.threads[thread].parent = Some(self.thread as u32);
        self.state.threads[thread].known_ended = self.state.threads[self.thread].known_ended;
        self.observer.spawned(self.state, self.thread, thread);
        self.is_alone = false;
        self.assign(dst, Value::Bits(thread as u64));
        Ok(())
    }

    pub(crate) fn thread_ended(&mut self, dst: RegId, thread: &Operand) -> Step {
        let number = self.operand(thread);
        let ended = match self.int(number, 32)? {
            Some(number) => self.state.threads.get(number as usize).map(|thread| (number as usize, thread.is_ended)),
            None => None,
        };
        if let Some((number, is_ended)) = ended {
            self.observer.asked_for_end(self.state, self.thread, number);
            if is_ended {
                self.state.threads[self.thread].known_ended.insert(number);
            }
        }
        let ended = ended.map(|(_, is_ended)| is_ended);
        self.assign(dst, ended.map_or(Value::Undef, Value::from_bool));
        Ok(())
    }

    pub(crate) fn hold(&mut self, addr: &Operand, op: LockOp, is_exclusive: bool) -> Step {
        let lock = self.pointer(addr, "the address of a lock")?;
        let lock = Held { lock, is_exclusive };
        let held = &mut self.state.threads[self.thread].held;
        match op {
            LockOp::Take => {
                held.push(lock);
                self.observer.taken(self.state, self.thread, lock);
            }
            LockOp::Get => held.push(lock),
            LockOp::Give => {
                if let Some(at) = held.iter().rposition(|held| *held == lock) {
                    held.remove(at);
                }
            }
        }
        Ok(())
    }
}
