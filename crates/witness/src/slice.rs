//! Dynamic backward slicing (Korel and Laski 1988): the steps of an execution that the failure depends on.
//!
//! Every executed instruction is an event. It depends on the events that computed what it reads, in registers and in
//! memory, and on the branch (or call, or start of a thread) that decided that it was executed at all. What the failing
//! event depends on, directly or not, bears on the failure. Synchronisation is added where it orders two of these events
//! in different threads: locks that are held around them, and waiting that one thread ended for the other; of those only
//! the calls that led there are followed, not what they compute.
//!
//! A slice is made while an execution is replayed, beside the steps as they are told, and says of each step whether
//! something of it is in the slice. Very long executions have none.

mod control;
mod record;

use unpick_program::ViolationKind;
use unpick_program::interp::Machine;

pub(crate) use record::Slicer;

use record::{Event, EventId, NONE};

/// Whether the failing condition of a violation is found at one instruction, or where threads wait.
pub(crate) fn has_condition(kind: ViolationKind) -> bool {
    match kind {
        ViolationKind::Assertion
        | ViolationKind::Deadlock
        | ViolationKind::DataRace
        | ViolationKind::NullDereference
        | ViolationKind::OutOfBounds
        | ViolationKind::UseAfterFree
        | ViolationKind::DoubleFree
        | ViolationKind::InvalidFree
        | ViolationKind::Overflow
        | ViolationKind::DivisionByZero
        | ViolationKind::InvalidShift
        | ViolationKind::Uninitialized
        | ViolationKind::UnlockError
        | ViolationKind::ReachError => true,
        // These are about everything that happens, or does not.
        ViolationKind::Leak
        | ViolationKind::Livelock
        | ViolationKind::Ltl
        | ViolationKind::Invariant
        | ViolationKind::EndState
        | ViolationKind::Unwinding
        | ViolationKind::Termination => false,
    }
}

impl Slicer<'_> {
    pub(crate) fn new<'m>(machine: &'m Machine<'_>) -> Slicer<'m> {
        Slicer::on(machine.program)
    }

    /// The events that the last ones of some threads depend on, by their numbers; none if there were too many.
    pub(crate) fn slice(&self, threads: &[usize]) -> Option<Vec<bool>> {
        if self.is_full() {
            return None;
        }
        let mut marked = vec![false; self.events.len()];
        let mut waiting: Vec<EventId> = threads.iter().filter_map(|thread| self.last(*thread)).collect();
        let mut crossings = Vec::new();
        while let Some(event) = waiting.pop() {
            if std::mem::replace(&mut marked[event as usize], true) {
                continue;
            }
            for source in self.sources(event) {
                waiting.push(source);
                if self.event(source).thread != self.event(event).thread {
                    crossings.push((source, event));
                }
            }
        }
        for (earlier, later) in crossings {
            self.keep_holds(earlier, &mut marked);
            self.keep_holds(later, &mut marked);
            if let Some((release, acquire)) = self.ordering(earlier, later) {
                self.keep(release, &mut marked);
                self.keep(acquire, &mut marked);
            }
        }
        Some(marked)
    }

    fn event(&self, id: EventId) -> &Event {
        &self.events[id as usize]
    }

    /// Marks an event and what led there.
    fn keep(&self, event: EventId, marked: &mut [bool]) {
        let mut at = event;
        while at != NONE && !std::mem::replace(&mut marked[at as usize], true) {
            at = self.event(at).control;
        }
    }

    /// Marks the locks that are held around an event.
    fn keep_holds(&self, event: EventId, marked: &mut [bool]) {
        let mut at = self.event(event).hold;
        while let Some(hold) = at.and_then(|hold| self.holds.get(hold as usize)) {
            self.keep(hold.taken, marked);
            if hold.given != NONE {
                self.keep(hold.given, marked);
            }
            at = hold.outer;
        }
    }

    /// What ordered two events of different threads: the last waiting of the later thread that ended because of something
    /// the earlier one did after its event.
    fn ordering(&self, earlier: EventId, later: EventId) -> Option<(EventId, EventId)> {
        let (from, to) = (self.event(earlier).thread, self.event(later).thread);
        let waits = self.waits.get(to as usize)?;
        let end = waits.partition_point(|wait| *wait < later);
        let after = waits[..end].iter().rev().take_while(|wait| **wait > earlier);
        after.copied().find_map(|wait| {
            let cause =
                self.causes(wait).into_iter().find(|cause| *cause >= earlier && self.event(*cause).thread == from);
            cause.map(|cause| (cause, wait))
        })
    }

    /// The events of other threads that a wait looked at.
    fn causes(&self, wait: EventId) -> Vec<EventId> {
        /// Conditions of waits are computed by a few instructions.
        const MAX_EVENTS: usize = 64;
        let thread = self.event(wait).thread;
        let (mut causes, mut seen, mut open) = (Vec::new(), Vec::new(), vec![wait]);
        while let Some(event) = open.pop() {
            if seen.len() >= MAX_EVENTS || seen.contains(&event) {
                continue;
            }
            seen.push(event);
            for source in self.data(event) {
                if self.event(*source).thread == thread {
                    open.push(*source);
                } else {
                    causes.push(*source);
                }
            }
        }
        causes
    }

    /// Says of each step whether something of it is marked. `numbers` are those of the steps by their serials. Events of
    /// steps that were taken back belong to the next step of their thread, or to its last one, `last`.
    pub(crate) fn steps(
        &self,
        marked: &[bool],
        numbers: &[Option<usize>],
        last: impl Fn(u32) -> Option<usize>,
        n_steps: usize,
    ) -> Vec<bool> {
        let mut is_relevant = vec![false; n_steps];
        let mut next: Vec<Option<usize>> = (0..self.n_threads()).map(|thread| last(thread as u32)).collect();
        for (event, is_marked) in self.events.iter().zip(marked).rev() {
            let number = numbers.get(event.serial as usize).copied().flatten();
            let number = number.or(next[event.thread as usize]);
            next[event.thread as usize] = number;
            if let (Some(number), true) = (number, *is_marked) {
                is_relevant[number] = true;
            }
        }
        is_relevant
    }
}
