//! The scheduler: enabled threads at a scheduling point, and violations that show there (deadlock, data race).
//!
//! A thread runs up to the next visible instruction. There every enabled thread is an option. The invisible
//! instructions between two such points commute with everything others do, so nothing is lost. Memory is sequentially
//! consistent: an access is made at once and seen by all. C promises that to programs without data races, and every
//! data race shows as two threads whose next accesses touch the same bytes.

use unpick_program::interp::{DeadlockedThread, Held, Name, NextAccess, Part, Race, State, Violation, Wait};
use unpick_program::{Loc, ViolationKind, show};
use unpick_system::{Reason, memory_model, place};

use crate::dpor::{NextStep, NextSteps};
use crate::search::Search;

/// What the scheduler can do.
pub(crate) enum Scheduled {
    /// These threads can go on, the preferred one first; and what each thread would do.
    Threads(Vec<usize>, NextSteps),
    /// The execution is over, or of no more interest.
    Over,
    /// Something is wrong.
    Violated(Violation),
}

impl Search<'_> {
    /// The point before something that other threads can notice, or where the thread cannot go on. `known` is what
    /// the threads were about to do before the running one moved; `without` is a thread that goes no further.
    pub(crate) fn schedule(
        &mut self,
        state: &State,
        thread: usize,
        known: Option<NextSteps>,
        without: Option<usize>,
    ) -> Scheduled {
        self.note_threads(state);
        let n_live = state.n_live_threads();
        if n_live > self.max_threads {
            let what =
                format!("executions with more than {} threads at once were not followed (--threads)", self.max_threads);
            let loc = self.own_place(state, thread, Loc::NONE);
            self.cut_off(state, thread);
            self.doubt(Reason::Unsupported { what, site: self.site(loc) });
            return Scheduled::Over;
        }
        let next = self.next_steps(state, thread, known);
        self.meter.n_looks += 1 + next.len() as u64;
        // Threads that go no further here.
        let mut stopped: Vec<usize> = without.into_iter().chain(self.observer.loops.cut_threads()).collect();
        if self.properties.contains(ViolationKind::DataRace) && may_race(&next) {
            let n_wanted = if self.keeps_going { usize::MAX } else { 1 };
            for race in self.machine.races(state, n_wanted) {
                let violation = self.race_found(state, &race);
                if !self.keeps_going {
                    return Scheduled::Violated(violation);
                }
                // No thread goes on behind a race, but others can do what they do before it.
                self.note(state, violation);
                stopped.extend([race.first.thread, race.second.thread]);
                self.cut_off(state, race.first.thread);
                self.cut_off(state, race.second.thread);
            }
        }
        if self.properties.contains(ViolationKind::Deadlock)
            && let Some(owner) = self.machine.blocked_owner(state)
        {
            return Scheduled::Violated(self.blocked_owner(state, owner));
        }
        let is_enabled = |thread: &usize| next[*thread].as_ref().is_some_and(|waiting| waiting.pending.is_enabled);
        let mut enabled: Vec<usize> = (0..next.len()).filter(is_enabled).collect();
        if enabled.is_empty() {
            self.stuck_here(state, &next);
            return self.deadlock(state, &next);
        }
        if self.properties.contains(ViolationKind::Deadlock)
            && let Some(violation) = self.stuck_together(state, &next)
        {
            if !self.keeps_going {
                return Scheduled::Violated(violation);
            }
            self.note(state, violation);
        }
        // Going on with the same thread first keeps executions readable.
        if let Some(at) = enabled.iter().position(|other| *other == thread) {
            enabled[..=at].rotate_right(1);
        }
        self.order.arrange(&mut enabled);
        enabled.retain(|thread| !stopped.contains(thread));
        if enabled.is_empty() {
            self.stuck_here(state, &next);
            return Scheduled::Over;
        }
        Scheduled::Threads(enabled, next)
    }

    /// What each thread would do next. A thread's next step stays the same until it moves or another thread writes what it
    /// looks at, so most of it is known.
    fn next_steps(&self, state: &State, thread: usize, known: Option<NextSteps>) -> NextSteps {
        let is_known = self.observer.is_recording && !self.machine.has_interrupts();
        let mut next = known.filter(|_| is_known).unwrap_or_default();
        let is_fresh = next.is_empty();
        next.resize_with(state.n_threads(), || None);
        for (other, waiting) in next.iter_mut().enumerate() {
            let is_same = !is_fresh
                && other != thread
                && waiting
                    .as_ref()
                    .is_some_and(|waiting| !waiting.pending.footprint.conflicts(&self.observer.footprint));
            if !is_same {
                *waiting = self.machine.pending(state, other).map(NextStep::new);
            }
        }
        next
    }

    /// Whether an endless execution of several threads counts depends on the schedule.
    pub(crate) fn doubt_endless(&mut self) {
        if self.properties.contains(ViolationKind::Termination) {
            let what = "endless executions of several threads are not judged yet".to_owned();
            self.findings.ledger.add(Reason::unsupported(what));
        }
    }

    /// No thread can go on while some have not ended. The place is that of the first thread that waits for more than
    /// another's end, so that it does not depend on the last mover.
    fn deadlock(&mut self, state: &State, next: &NextSteps) -> Scheduled {
        self.findings.is_feasible = true;
        if !self.properties.contains(ViolationKind::Deadlock) {
            return Scheduled::Over;
        }
        // An interrupt that never comes is no deadlock.
        let is_waiting = |thread: &usize| !state.is_ended(*thread) && !self.machine.is_idle_handler(state, *thread);
        let waiting: Vec<usize> = (0..state.n_threads()).filter(is_waiting).collect();
        if waiting.is_empty() {
            return Scheduled::Over;
        }
        let program = self.machine.program;
        let places: Vec<String> = waiting
            .iter()
            .map(|waiting| {
                let at = place(program, self.own_place(state, *waiting, Loc::NONE));
                match self.awaited_call(state, *waiting) {
                    Some(call) => format!("thread {waiting} waits in {call} at {at}"),
                    None => format!("thread {waiting} waits at {at}"),
                }
            })
            .collect();
        let message = match places.len() {
            1 => format!("{} for something that never happens", places[0]),
            _ => format!("no thread can go on: {}", places.join(", ")),
        };
        let is_join = |thread: &&usize| {
            let waiting = next[**thread].as_ref();
            waiting.is_some_and(|waiting| waiting.pending.footprint.touched.iter().any(|part| part.name == Name::Ends))
        };
        let thread = waiting.iter().find(|thread| !is_join(thread)).or(waiting.first()).copied().unwrap_or(0);
        Scheduled::Violated(self.violation(state, thread, ViolationKind::Deadlock, message))
    }

    /// Some threads wait for each other for ever, while others can go on.
    fn stuck_together(&self, state: &State, next: &NextSteps) -> Option<Violation> {
        let pending = next.iter().map(|waiting| waiting.as_ref().map(|waiting| &waiting.pending));
        let partial_deadlock = self.machine.stuck_among(state, pending);
        let is_lock = |member: &&DeadlockedThread<Held>| matches!(member.wait, Wait::Lock(_));
        let first = partial_deadlock.iter().find(is_lock).or(partial_deadlock.first())?;
        let texts: Vec<String> = partial_deadlock.iter().map(|member| self.wait_text(state, member)).collect();
        let message = format!("threads wait for ever, whatever the others do: {}", texts.join(", "));
        Some(self.violation(state, first.thread, ViolationKind::Deadlock, message))
    }

    fn wait_text(&self, state: &State, member: &DeadlockedThread<Held>) -> String {
        let DeadlockedThread { thread, wait, on } = *member;
        let at = place(self.machine.program, self.own_place(state, thread, Loc::NONE));
        let call = self.awaited_call(state, thread).map_or_else(String::new, |call| format!(" in {call}"));
        let what = match wait {
            Wait::End(other) if other == thread => "its own end".to_owned(),
            Wait::End(other) => format!("the end of thread {other}"),
            Wait::Lock(_) if on == thread => "a lock that it holds itself".to_owned(),
            Wait::Lock(_) if state.is_ended(on) => format!("a lock that thread {on} held when it ended"),
            Wait::Lock(_) => format!("a lock that thread {on} holds"),
        };
        format!("thread {thread} waits{call} at {at} for {what}")
    }

    /// An active interrupt handler, or a thread that keeps interrupts off, waits.
    fn blocked_owner(&self, state: &State, owner: usize) -> Violation {
        let program = self.machine.program;
        let at = place(program, self.own_place(state, owner, Loc::NONE));
        let wait = match self.awaited_call(state, owner) {
            Some(call) => format!("waits in {call} at {at}"),
            None => format!("waits at {at}"),
        };
        let message = if state.is_uninterruptible(owner) {
            format!("thread {owner} {wait} with interrupts off: nobody else gets to run")
        } else {
            let frames = state.frames(program, owner);
            let name = frames.get(1).map_or("", |frame| &program.functions[frame.function].source_name);
            format!("the interrupt handler `{name}` {wait}: nobody gets to run before it returns")
        };
        self.violation(state, owner, ViolationKind::Deadlock, message)
    }

    /// The library function that the user's code has called and that does not return.
    fn awaited_call(&self, state: &State, thread: usize) -> Option<String> {
        let program = self.machine.program;
        let frames = state.frames(program, thread);
        let own = frames.iter().rposition(|frame| !program.functions[frame.function].is_model)?;
        let callee = frames.get(own + 1)?;
        Some(format!("{}()", program.functions[callee.function].source_name))
    }

    pub(crate) fn race_found(&self, state: &State, race: &Race) -> Violation {
        let (program, machine) = (self.machine.program, &self.machine);
        let verb = |access: &NextAccess, part: &Part| match (access.is_free, part.is_write) {
            (true, _) => "free",
            (false, true) if access.is_atomic => "atomic write",
            (false, true) => "write",
            (false, false) if access.is_atomic => "atomic read",
            (false, false) => "read",
        };
        let at = |access: &NextAccess| format!("{} in thread {}", place(program, access.loc), access.thread);
        let part = &race.first_part;
        let name = show::place(machine, state, part.object, part.offset, part.bytes);
        let message = format!(
            "{} of `{name}` at {} and {} at {}, with nothing ordering them",
            verb(&race.first, part),
            at(&race.first),
            verb(&race.second, &race.second_part),
            at(&race.second),
        );
        self.violation(state, race.first.thread, ViolationKind::DataRace, message)
    }

    /// What the verdict rests on as soon as there are several threads.
    pub(crate) fn note_threads(&mut self, state: &State) {
        if state.n_threads() < 2 || self.has_noted_threads {
            return;
        }
        self.has_noted_threads = true;
        self.observer.notes.push(memory_model(self.machine.program, self.properties).to_owned());
    }
}

/// Whether two threads are about to touch the same memory.
fn may_race(next: &NextSteps) -> bool {
    let mut accesses = next.iter().flatten().filter(|waiting| waiting.pending.may_race);
    std::iter::from_fn(|| accesses.next().map(|one| (one, accesses.clone())))
        .any(|(one, mut others)| others.any(|other| one.pending.footprint.conflicts(&other.pending.footprint)))
}
