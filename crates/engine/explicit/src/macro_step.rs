//! Macro steps: deterministic runs of one thread, from a choice to the next choice, to the end, or to a violation.

use unpick_program::interp::{Choice, State, Stop, Violation};
use unpick_program::{BlockId, FuncId, Loc, ViolationKind};
use unpick_system::{Budget, Limit, Reason};

use crate::cycle::CycleFinder;
use crate::search::Search;
use unpick_system::Reduction;

/// How a macro step ended.
pub(crate) enum MacroStepEnd {
    /// At a choice of a value; running on asks for it again.
    Value(Choice),
    /// At a value that has too many possibilities: a choice among some of them.
    Samples(Choice),
    /// Before a visible instruction, or the thread is blocked. The thread named goes no further in any case.
    Schedule(Option<usize>),
    /// The thread is not followed further although it could go on. Others may be. `by_state`: had they done something
    /// else before, it might be.
    Cut { by_state: bool },
    /// The execution has ended, or is not followed further.
    Over,
    /// A violation.
    Violated(Violation),
    /// The budget is used up; the macro step can be resumed from the state.
    Halted(Limit),
}

impl Search<'_> {
    /// Runs a thread to the end of the macro step.
    pub(crate) fn macro_step(
        &mut self,
        state: &mut State,
        thread: usize,
        mut is_resumed: bool,
        budget: &Budget<'_>,
    ) -> MacroStepEnd {
        let mut cycle = CycleFinder::new(self.observer.n_instructions);
        loop {
            let until = cycle.until(
                budget.unwind.is_some(),
                matches!(self.reduction, Reduction::None | Reduction::Sleep),
                self.alone_too,
                is_resumed,
            );
            let stop = self.machine.run(state, thread, until, &mut self.observer);
            is_resumed = true;
            match stop {
                Stop::Fuel => {
                    cycle.fuel_used();
                    if let Some(limit) = self.poll(budget) {
                        return MacroStepEnd::Halted(limit);
                    }
                }
                Stop::LoopHead(function, block) => {
                    if self.is_unwound(thread, function, block, budget) {
                        self.observer.loops.cut(thread);
                        return MacroStepEnd::Cut { by_state: false };
                    }
                    let n_compared = cycle.n_bytes;
                    let is_repeated = cycle.is_repeated(&self.machine, state, self.observer.n_instructions);
                    self.visited.n_key_bytes += cycle.n_bytes - n_compared;
                    if is_repeated {
                        let data = &self.machine.program.functions[function].blocks[block];
                        return self.repeated(state, thread, data.loop_head);
                    }
                    if let Some(limit) = self.poll(budget) {
                        return MacroStepEnd::Halted(limit);
                    }
                }
                stop => return self.stopped(stop, state, thread),
            }
        }
    }

    /// What a stop means that is neither fuel nor a loop head.
    fn stopped(&mut self, stop: Stop, state: &State, thread: usize) -> MacroStepEnd {
        match stop {
            Stop::Choice(choice) => MacroStepEnd::Value(choice),
            Stop::ThreadEnded if state.n_live_threads() == 0 => self.end(),
            Stop::Fuel | Stop::LoopHead(..) | Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                MacroStepEnd::Schedule(None)
            }
            Stop::Exited { .. } => {
                self.exited(state, thread);
                self.end()
            }
            Stop::Infeasible => {
                self.is_dropped = true;
                if self.findings.infeasible.is_none() {
                    self.findings.infeasible = Some(self.own_place(state, thread, Loc::NONE));
                }
                without(state, thread)
            }
            Stop::Violated(violation) => MacroStepEnd::Violated(violation),
            Stop::Unmodelled { loc, what } => {
                let loc = self.own_place(state, thread, loc);
                self.doubt(Reason::Unmodelled { what, site: self.site(loc) });
                MacroStepEnd::Cut { by_state: !self.machine.is_before_hole(state, thread) }
            }
            Stop::TooWide { samples, label, loc_of_choose, loc_of_use, count } => {
                let used = self.own_place(state, thread, loc_of_use);
                let (chosen, used) = (self.site(loc_of_choose), self.site(used));
                self.findings.ledger.add(Reason::TooWide { label, chosen, used, n_values: count });
                MacroStepEnd::Samples(samples)
            }
            Stop::Limit { what, loc } => {
                let loc = self.own_place(state, thread, loc);
                self.doubt(Reason::Recursion { what, site: self.site(loc) });
                MacroStepEnd::Cut { by_state: false }
            }
        }
    }

    /// The program ended: an execution that counts.
    fn end(&mut self) -> MacroStepEnd {
        self.findings.is_feasible = true;
        self.has_ended = true;
        MacroStepEnd::Over
    }

    /// Something is not followed.
    pub(crate) fn doubt(&mut self, reason: Reason) {
        self.findings.is_feasible = true;
        self.findings.ledger.add(reason);
    }

    /// The execution is in a state where it has been: it goes on like this for ever, in the given loop or else in
    /// the one that came round most often.
    pub(crate) fn repeated(&mut self, state: &State, thread: usize, loop_head: Option<Loc>) -> MacroStepEnd {
        self.findings.is_feasible = true;
        if state.n_live_threads() > 1 || self.alone_too {
            self.doubt_endless();
            return match state.atomic_thread() {
                Some(_) => MacroStepEnd::Over,
                None => MacroStepEnd::Schedule(Some(thread)),
            };
        }
        if !self.properties.contains(ViolationKind::Termination) {
            return MacroStepEnd::Over;
        }
        let message = "the execution never ends: it comes back to the same state".to_owned();
        let mut violation = self.violation(state, thread, ViolationKind::Termination, message);
        let hottest = || self.observer.loops.hottest_loc(self.machine.program);
        violation.loc = loop_head.or_else(hottest).unwrap_or(violation.loc);
        MacroStepEnd::Violated(violation)
    }

    /// Whether `--unwind` cuts the loop here. A loop that ends after as many iterations as the bound says passes
    /// its head once more, to leave.
    fn is_unwound(&mut self, thread: usize, function: FuncId, block: BlockId, budget: &Budget<'_>) -> bool {
        let Some(bound) = budget.unwind else { return false };
        if self.observer.loops.count(thread, function, block) <= bound {
            return false;
        }
        let data = &self.machine.program.functions[function].blocks[block];
        let loop_head = self.site(data.loop_head.unwrap_or(data.loc));
        self.findings.ledger.add(Reason::Unwinding { loop_head, bound });
        self.findings.is_feasible = true;
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
fn without(state: &State, thread: usize) -> MacroStepEnd {
    if state.atomic_thread().is_some() || state.n_live_threads() < 2 {
        return MacroStepEnd::Over;
    }
    MacroStepEnd::Schedule(Some(thread))
}
