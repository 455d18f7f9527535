//! One deterministic stretch: from a choice to the next, to the end, or to something worth telling.

use unpick_ir::interp::{Choice, State, Stop, Violation};
use unpick_ir::{BlockId, FuncId, Loc, ViolationKind};
use unpick_system::{Budget, Limit, Reason};

use crate::cycle::CycleFinder;
use crate::search::Search;
use unpick_system::Reduction;

/// How a stretch ended.
pub(crate) enum Stretch {
    /// At a choice of a value; running on asks for it again.
    Value(Choice),
    /// At a value that has too many possibilities: a choice among some of them.
    Samples(Choice),
    /// Before something that other threads can notice, or the thread cannot go on. The thread named goes no further
    /// in any case.
    Schedule(Option<usize>),
    /// The thread is not followed further although it could go on. Others may be. `by_state`: had they done something
    /// else before, it might be.
    Cut { by_state: bool },
    /// The execution is over, or of no more interest.
    Over,
    /// Something went wrong.
    Violated(Violation),
    /// The budget is used up; the stretch can go on from the state.
    Halted(Limit),
}

impl Search<'_> {
    /// Runs a thread to the end of the stretch.
    pub(crate) fn stretch(
        &mut self,
        state: &mut State,
        thread: usize,
        mut is_resumed: bool,
        budget: &Budget<'_>,
    ) -> Stretch {
        let mut cycle = CycleFinder::new(self.watch.n_instructions);
        loop {
            let until = cycle.until(
                budget.unwind.is_some(),
                matches!(self.reduction, Reduction::None | Reduction::Sleep),
                self.alone_too,
                is_resumed,
            );
            let stop = self.machine.run(state, thread, until, &mut self.watch);
            is_resumed = true;
            match stop {
                Stop::Fuel => {
                    cycle.fuel_used();
                    if let Some(limit) = self.poll(budget) {
                        return Stretch::Halted(limit);
                    }
                }
                Stop::LoopHead(function, block) => {
                    if self.is_unwound(thread, function, block, budget) {
                        self.watch.loops.cut(thread);
                        return Stretch::Cut { by_state: false };
                    }
                    let n_compared = cycle.n_bytes;
                    let is_repeated = cycle.is_repeated(&self.machine, state, self.watch.n_instructions);
                    self.n_key_bytes += cycle.n_bytes - n_compared;
                    if is_repeated {
                        let data = &self.machine.program.functions[function].blocks[block];
                        return self.repeated(state, thread, data.loop_head);
                    }
                    if let Some(limit) = self.poll(budget) {
                        return Stretch::Halted(limit);
                    }
                }
                stop => return self.stopped(stop, state, thread),
            }
        }
    }

    /// What a stop means that is neither fuel nor a loop head.
    fn stopped(&mut self, stop: Stop, state: &State, thread: usize) -> Stretch {
        match stop {
            Stop::Choice(choice) => Stretch::Value(choice),
            Stop::ThreadEnded if state.n_live_threads() == 0 => self.end(),
            Stop::Fuel | Stop::LoopHead(..) | Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                Stretch::Schedule(None)
            }
            Stop::Exited { .. } => {
                self.exited(state, thread);
                self.end()
            }
            Stop::Infeasible => {
                self.is_dropped = true;
                if self.infeasible.is_none() {
                    self.infeasible = Some(self.own_place(state, thread, Loc::NONE));
                }
                without(state, thread)
            }
            Stop::Violated(violation) => Stretch::Violated(violation),
            Stop::Unmodelled { loc, what } => {
                let loc = self.own_place(state, thread, loc);
                self.doubt(Reason::Unmodelled { what, site: self.site(loc) });
                Stretch::Cut { by_state: !self.machine.is_before_hole(state, thread) }
            }
            Stop::TooWide { samples, label, loc_of_choose, loc_of_use, count } => {
                let used = self.own_place(state, thread, loc_of_use);
                let (chosen, used) = (self.site(loc_of_choose), self.site(used));
                self.ledger.add(Reason::TooWide { label, chosen, used, n_values: count });
                Stretch::Samples(samples)
            }
            Stop::Limit { what, loc } => {
                let loc = self.own_place(state, thread, loc);
                self.doubt(Reason::Recursion { what, site: self.site(loc) });
                Stretch::Cut { by_state: false }
            }
        }
    }

    /// The program ended: an execution that counts.
    fn end(&mut self) -> Stretch {
        self.is_feasible = true;
        self.has_ended = true;
        Stretch::Over
    }

    /// Something is not followed.
    pub(crate) fn doubt(&mut self, reason: Reason) {
        self.is_feasible = true;
        self.ledger.add(reason);
    }

    /// The execution is in a state where it has been: it goes on like this for ever, in the given loop or else in
    /// the one that came round most often.
    pub(crate) fn repeated(&mut self, state: &State, thread: usize, loop_head: Option<Loc>) -> Stretch {
        self.is_feasible = true;
        if state.n_live_threads() > 1 || self.alone_too {
            self.doubt_endless();
            return match state.atomic_thread() {
                Some(_) => Stretch::Over,
                None => Stretch::Schedule(Some(thread)),
            };
        }
        if !self.properties.contains(ViolationKind::Termination) {
            return Stretch::Over;
        }
        let message = "the execution never ends: it comes back to the same state".to_owned();
        let mut violation = self.violation(state, thread, ViolationKind::Termination, message);
        let hottest = || self.watch.loops.hottest_loc(self.machine.program);
        violation.loc = loop_head.or_else(hottest).unwrap_or(violation.loc);
        Stretch::Violated(violation)
    }

    /// Whether `--unwind` cuts the loop here. A loop that ends after as many iterations as the bound says passes
    /// its head once more, to leave.
    fn is_unwound(&mut self, thread: usize, function: FuncId, block: BlockId, budget: &Budget<'_>) -> bool {
        let Some(bound) = budget.unwind else { return false };
        if self.watch.loops.count(thread, function, block) <= bound {
            return false;
        }
        let data = &self.machine.program.functions[function].blocks[block];
        let loop_head = self.site(data.loop_head.unwrap_or(data.loc));
        self.ledger.add(Reason::Unwinding { loop_head, bound });
        self.is_feasible = true;
        true
    }

    /// The place of a stop, or that of the user's call if a library function stopped.
    pub(crate) fn own_place(&self, state: &State, thread: usize, loc: Loc) -> Loc {
        let program = self.machine.program;
        let frames = state.frames(program, thread);
        let own = frames.iter().rposition(|frame| !program.functions[frame.function].is_model);
        match own {
            Some(at) if at + 1 < frames.len() || loc == Loc::NONE => frames[at].loc,
            Some(_) | None => loc,
        }
    }

    pub(crate) fn violation(&self, state: &State, thread: usize, kind: ViolationKind, message: String) -> Violation {
        let program = self.machine.program;
        let frames = state.frames(program, thread);
        let innermost = frames.last();
        Violation {
            kind,
            message,
            loc: innermost.map_or(Loc::NONE, |frame| frame.loc),
            function: innermost.map_or_else(String::new, |frame| program.functions[frame.function].source_name.clone()),
            thread,
            frames: frames.iter().map(|frame| (frame.function, frame.loc)).collect(),
        }
    }
}

/// The thread goes no further: it runs in circles of its own, or this execution is of no interest once its
/// assumption is looked at. Until then the others can do what they do.
fn without(state: &State, thread: usize) -> Stretch {
    if state.atomic_thread().is_some() || state.n_live_threads() < 2 {
        return Stretch::Over;
    }
    Stretch::Schedule(Some(thread))
}
