//! Reductions on the interpreter: effects of the steps it runs, and supersteps.

use unpick_program::ViolationKind;
use unpick_program::interp::{State, Until, Violation};

use crate::dpor::{NextSteps, disabled};
use crate::effect::StepEffects;
use crate::interpreter::{Path, Place, others_can_go};
use crate::macro_step::MacroStepEnd;
use crate::search::Search;
use unpick_system::Reduction;

impl Search<'_> {
    /// Whether the running thread's superstep goes on.
    pub(crate) fn goes_on(&mut self, from: &mut Place, path: &Path, next: &NextSteps, without: Option<usize>) -> bool {
        if self.reduction != Reduction::Superstep || without.is_some() {
            return false;
        }
        let can_go = next[path.thread].as_ref().is_some_and(|waiting| waiting.pending.is_enabled);
        let supersteps = from.supersteps.as_mut().filter(|_| can_go);
        let goes_on = supersteps.is_some_and(|supersteps| supersteps.goes_on(path.thread, next));
        self.race_found_early = self.race_between_supersteps(from, path.state.clone());
        goes_on
    }

    /// Whether the step at hand races with one in the middle of another thread's superstep from the same state.
    pub(crate) fn race_between_supersteps(&mut self, from: &mut Place, mut state: State) -> Option<(State, Violation)> {
        let (rival, n_before) = from.supersteps.as_mut()?.take_rival()?;
        if !self.properties.contains(ViolationKind::DataRace) {
            return None;
        }
        for _ in 0..n_before {
            state.record_thread(rival);
            let until = Until { shared_access: true, ..Until::NEVER };
            self.machine.run_silent(&mut state, rival, until);
        }
        let race = self.machine.race(&state)?;
        let violation = self.race_found(&state, &race);
        Some((state, violation))
    }

    /// A thread has ended the program while others may live.
    pub(crate) fn exited(&mut self, state: &State, thread: usize) {
        if self.reduction == Reduction::Dpor && state.n_live_threads() > 1 {
            let exit = self.effects.exit(state, thread);
            self.extra.push(exit);
        }
    }

    /// The execution is not followed to its end although something else may happen: what the thread touches and what
    /// comes next is not known.
    pub(crate) fn cut_off(&mut self, state: &State, thread: usize) {
        if self.reduction == Reduction::Dpor && state.n_live_threads() > 1 {
            let total = self.effects.total(state, thread);
            self.extra.push(total);
        }
    }

    /// The running thread is not followed further: it stands still from here on, as if it waited for ever, and the others
    /// go on. Its step so far is what it is, but if the state decides that it ends here, for example because an object is
    /// dead, footprints do not show on what that depends. No thread can move if this one stands in the middle of an atomic
    /// step; then that step has unknown effects, and the others are followed from before it.
    pub(crate) fn cut_here(&mut self, state: &State, thread: usize, by_state: bool) -> MacroStepEnd {
        let others_go_on = others_can_go(state);
        if by_state || !others_go_on {
            self.cut_off(state, thread);
        }
        if others_go_on { MacroStepEnd::Schedule(Some(thread)) } else { MacroStepEnd::Over }
    }

    /// Threads wait here for ever; what they look at may be what others do too early.
    pub(crate) fn stuck_here(&mut self, state: &State, next: &NextSteps) {
        if self.reduction == Reduction::Dpor {
            (_, self.end_summary) = disabled(&[], next, &mut self.effects, &self.machine, state);
        }
    }

    /// Effects of the stretch that has just ended.
    pub(crate) fn step_effects(&mut self, path: &Path) -> StepEffects {
        let mut effects = Vec::new();
        if self.reduction == Reduction::Dpor {
            let footprint = &self.observer.footprint;
            effects = self.effects.of_step(&self.machine, &path.state, path.thread, footprint, &path.held);
            effects.append(&mut self.extra);
        }
        self.effects.step(effects)
    }
}
