//! Lost wake-ups: signals of condition variables without a waiter.

use unpick_program::interp::{Pointer, State, Value};
use unpick_program::{FuncId, Loc};

use super::Narrator;

/// A signal without effect.
pub(crate) struct LostSignal {
    condition: Pointer,
    /// The user's line.
    pub loc: Loc,
    /// The step in which it happened.
    pub serial: u32,
}

impl Narrator<'_, '_> {
    /// The latest signal of a condition variable without a waiter.
    pub(crate) fn lost_signal(&self, condition: Pointer) -> Option<&LostSignal> {
        self.lost.iter().find(|lost| lost.condition == condition)
    }

    /// A function was entered: the models wake those in the queue, with which a condition variable begins.
    pub(super) fn note_signal(&mut self, state: &State, thread: usize, callee: FuncId) {
        let program = self.machine.program;
        let function = &program.functions[callee];
        let is_waking = matches!(function.source_name.as_str(), "__waiters_wake_one" | "__waiters_wake_all");
        if !function.is_model || !is_waking {
            return;
        }
        let caller = self.threads.get(thread).and_then(|activations| activations.last());
        let caller = caller.map_or("", |caller| program.functions[caller.function].source_name.as_str());
        if !matches!(caller, "pthread_cond_signal" | "pthread_cond_broadcast") {
            return;
        }
        let (Some(frame), Some(list)) = (state.depth(thread).checked_sub(1), function.params.first()) else { return };
        let Value::Ptr(queue) = state.register(thread, frame, *list) else { return };
        let Ok(offset) = u64::try_from(queue.offset) else { return };
        let first = state.object(queue).and_then(|object| object.scalar(offset, u64::from(program.pointer_bytes)));
        let is_empty = match first {
            Some(Value::Ptr(waiter)) => waiter.object == 0 && waiter.offset == 0,
            Some(Value::Bits(bits)) => bits == 0,
            Some(Value::Undef | Value::Wide(_) | Value::Fragment { .. } | Value::Lazy(_)) | None => false,
        };
        self.lost.retain(|lost| lost.condition != queue);
        let loc = self.user(thread).map(|at| self.threads[thread][at].loc);
        if let (true, Some(loc), Some(serial)) = (is_empty, loc, self.serial(thread)) {
            self.lost.push(LostSignal { condition: queue, loc, serial });
        }
    }
}
