//! Interrupt semantics: one processor shared by all threads, with priority levels.
//!
//! A thread has a level. Ordinary threads have level 0, an active handler has that of its priority, and a thread that keeps
//! interrupts off has the highest one. Only threads of the highest level present run, so a handler runs to its end
//! before the code that it interrupted, and nothing happens to a thread that keeps interrupts off. A handler that is
//! not active stands before [`InterruptOp::Enter`], which goes through as soon as its level is above all others.
//!
//! Because levels let and forbid steps of all threads at once, reductions that look at memory only do not know what
//! depends on what; a reduction asks [`Machine::has_interrupts`] first.

use super::exec::{Exec, Step};
use super::value::Value;
use super::{Machine, Observer, State};
use crate::{InterruptOp, Operand, Program, RegId, Stmt, StmtKind, ViolationKind};

/// What may interrupt a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Interruptible {
    /// The level of the handler that the thread runs; 0 if it runs none.
    base: u32,
    /// It keeps interrupts off.
    is_off: bool,
    /// Critical sections it is in.
    n_nested: u32,
}

/// The level of a thread that keeps interrupts off.
const HIGHEST: u32 = u32::MAX;

impl Interruptible {
    fn level(self) -> u32 {
        if self.is_off || self.n_nested > 0 { HIGHEST } else { self.base }
    }

    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.base.to_le_bytes());
        out.push(u8::from(self.is_off));
        out.extend_from_slice(&self.n_nested.to_le_bytes());
    }
}

/// Whether some instruction changes what may interrupt a thread.
pub(crate) fn has_interrupts(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::Interrupts { .. }))
}

impl State {
    /// The level of a thread: 0 unless it runs an interrupt handler or keeps interrupts off.
    pub fn level(&self, thread: usize) -> u32 {
        self.threads[thread].interrupts.level()
    }

    /// Whether a thread keeps interrupts off.
    pub fn is_uninterruptible(&self, thread: usize) -> bool {
        self.level(thread) == HIGHEST
    }

    /// The thread that no other may take the processor from unless as a handler of a higher level; `None` while
    /// only ordinary threads run.
    pub fn owner(&self) -> Option<usize> {
        let live = (0..self.threads.len()).filter(|thread| !self.threads[*thread].is_ended);
        live.filter(|thread| self.level(*thread) > 0).max_by_key(|thread| self.level(*thread))
    }
}

impl Machine<'_> {
    /// Whether threads change what may interrupt them.
    pub fn has_interrupts(&self) -> bool {
        self.has_interrupts
    }

    /// Whether a thread is an interrupt handler that is not active.
    pub fn is_idle_handler(&self, state: &State, thread: usize) -> bool {
        let Some(frame) = state.threads[thread].frames.last() else { return false };
        let block = &self.program.functions[frame.function].blocks[frame.block];
        let stmt = block.stmts.get(frame.index as usize);
        matches!(stmt, Some(Stmt { kind: StmtKind::Interrupts { op: InterruptOp::Enter, .. }, .. }))
    }

    /// The active handler, or the thread that keeps interrupts off, that cannot go on itself: no thread that it
    /// waits for gets the processor before it does.
    pub fn blocked_owner(&self, state: &State) -> Option<usize> {
        if !self.has_interrupts || state.atomic.is_some() {
            return None;
        }
        state.owner().filter(|owner| !self.can_step(state, *owner))
    }

    /// Whether the levels let a thread run. A handler that is not active may always try.
    pub(crate) fn has_turn(&self, state: &State, thread: usize) -> bool {
        if !self.has_interrupts {
            return true;
        }
        let highest = state.owner().map_or(0, |owner| state.level(owner));
        state.level(thread) == highest || self.is_idle_handler(state, thread)
    }
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    pub(crate) fn interrupts(&mut self, dst: RegId, op: InterruptOp, value: &Operand) -> Step {
        let value = self.operand(value);
        let Some(value) = self.int(value, 32)? else {
            let message = "whether interrupts are off is to depend on an indeterminate value".into();
            return Err(self.violation(ViolationKind::Uninitialized, message));
        };
        let (value, before) = (value as u32, self.state.threads[self.thread].interrupts);
        let mut after = before;
        match op {
            InterruptOp::Enter => {
                let others = (0..self.state.threads.len()).filter(|other| *other != self.thread);
                let mut live = others.filter(|other| !self.state.threads[*other].is_ended);
                if live.any(|other| self.state.level(other) >= value) {
                    return Err(self.blocked());
                }
                after = Interruptible { base: value, ..Interruptible::default() };
            }
            InterruptOp::Leave => {
                if before.level() == HIGHEST {
                    let text = "an interrupt handler that returns with interrupts off turns them on again";
                    self.observer.note(text);
                }
                after = Interruptible::default();
            }
            InterruptOp::Set => after.is_off = value != 0,
            InterruptOp::Nest if value != 0 => after.n_nested = before.n_nested.saturating_add(1),
            InterruptOp::Nest if before.n_nested == 0 => {
                let message = "a critical section is left that was not entered".into();
                return Err(self.violation(ViolationKind::UnlockError, message));
            }
            InterruptOp::Nest => after.n_nested -= 1,
            InterruptOp::Get => {}
        }
        self.state.threads[self.thread].interrupts = after;
        self.assign(dst, Value::from_bool(before.is_off));
        Ok(())
    }
}
