//! Dynamic partial-order reduction (Flanagan and Godefroid 2005): backtrack sets at the scheduling choices of a
//! stateful search, with summaries of the subtrees behind visited states (Yang et al. 2008).
//!
//! Without reduction the search follows all enabled threads. The reduction begins with one and adds others when a step
//! found later does not commute with its step: if thread `p` was followed and, somewhere behind its step, thread `q`
//! does something that conflicts with the step and that `q` could have done while `p` stood still, then `q` is added to
//! the backtrack set. If `q` is not enabled here, the threads that could enable it are added.
//!
//! Why nothing is lost. Let `w` be any continuation of a state `s`. By induction on the length of `w`, the explored
//! part of the graph holds an execution from `s` that contains `w` up to the order of independent steps. If some
//! followed thread's step is first in `w`, or commutes with all of `w`, take it. Otherwise take a followed `p` and the
//! first step of `w` that conflicts with `p`'s; the shorter continuation before it is covered behind `p`'s step, so the
//! conflict is in the summary, and its thread `q` (or a thread that enables it) is followed, and has an earlier first
//! step in `w`; and so on down to the first. Steps that commute with all of `w` could be taken for ever only on a
//! cycle; there the summaries are not complete either. So a state whose component of the graph is not finished when its
//! own threads are follows all of them, and a component's first state is judged by the summary of the whole component.
//! (Siegel's counterexample to cycle conditions on stacks does not apply: nothing is cut by where a state lies on the
//! stack, only fully followed.) A step that leaves the state as it is counts as disabled.

use std::cell::OnceCell;
use std::rc::Rc;

use unpick_program::interp::{Held, Machine, Pending, State};

use crate::effect::{EMPTY, EffectId, Effects, LocksId, SetId};

/// The next step of a thread, with its effects computed on demand.
pub(crate) struct NextStep {
    pub pending: Pending,
    effects: OnceCell<Rc<[EffectId]>>,
}

/// Effects of threads that cannot move, by thread.
pub(crate) type Disabled = Vec<(usize, Rc<[EffectId]>)>;

/// The next steps of all threads; `None` for threads that have ended.
pub(crate) type NextSteps = Vec<Option<Rc<NextStep>>>;

impl NextStep {
    pub(crate) fn new(pending: Pending) -> Rc<NextStep> {
        Rc::new(NextStep { pending, effects: OnceCell::new() })
    }

    fn effects(&self, effects: &mut Effects, machine: &Machine<'_>, state: &State, thread: usize) -> Rc<[EffectId]> {
        let found = self.effects.get_or_init(|| {
            let held: &[Held] = state.held(thread);
            effects.of_step(machine, state, thread, &self.pending.footprint, held).into()
        });
        found.clone()
    }
}

/// The backtrack set of a scheduling choice; see the module.
#[derive(Clone)]
pub(crate) struct BacktrackSet {
    /// Enabled threads, the preferred one first.
    pub enabled: Vec<usize>,
    n_threads: usize,
    /// The backtrack set: which of `enabled` are to be followed, by position.
    todo: u64,
    /// Which of them have been.
    done: u64,
    /// Which of those led back to this state (self-loops).
    idle: u64,
    /// The thread being followed, by position.
    running: usize,
    /// Locks of the running thread before its step.
    held: LocksId,
    /// Effects of the steps followed, with the thread and the locks it held.
    steps: Vec<Step>,
    /// Effects of disabled threads, by thread.
    disabled: Disabled,
}

#[derive(Clone)]
struct Step {
    thread: usize,
    held: LocksId,
    effects: Rc<[EffectId]>,
    summary: SetId,
    is_idle: bool,
}

impl BacktrackSet {
    /// All threads are to be followed.
    pub(crate) fn all(enabled: Vec<usize>, n_threads: usize) -> Self {
        let todo = mask(enabled.len());
        let (steps, disabled) = (Vec::new(), Vec::new());
        Self { enabled, n_threads, todo, done: 0, idle: 0, running: 0, held: 0, steps, disabled }
    }

    /// One thread is to be followed at first; `disabled` are the effects of those that cannot move.
    pub(crate) fn first(enabled: Vec<usize>, n_threads: usize, disabled: Disabled) -> Self {
        Self { todo: 1, disabled, ..Self::all(enabled, n_threads) }
    }

    /// The next thread to follow.
    pub(crate) fn take_next(&mut self) -> Option<usize> {
        let left = self.todo & !self.done;
        if left == 0 {
            return None;
        }
        self.running = left.trailing_zeros() as usize;
        self.done |= 1 << self.running;
        Some(self.enabled[self.running])
    }

    /// The thread that was taken last.
    pub(crate) fn taken(&self) -> Option<usize> {
        (self.done != 0).then(|| self.enabled[self.running])
    }

    pub(crate) fn set_held(&mut self, held: LocksId) {
        self.held = held;
    }

    /// Whether no thread is left to follow at the moment.
    pub(crate) fn is_finished(&self) -> bool {
        self.todo & !self.done == 0
    }

    /// Whether every thread has been followed, or is about to be.
    pub(crate) fn is_full(&self) -> bool {
        (self.todo | self.done) == mask(self.enabled.len())
    }

    /// Follow every thread.
    pub(crate) fn follow_all(&mut self) {
        self.todo = mask(self.enabled.len());
    }

    /// Adds one more thread if all followed so far were self-loops.
    pub(crate) fn follow_another(&mut self) {
        let left = mask(self.enabled.len()) & !self.done;
        if self.done == self.idle && left != 0 {
            self.todo |= left & left.wrapping_neg();
        }
    }

    /// The running thread's step is a self-loop. Steps that needed the thread need those that enable it.
    pub(crate) fn step_was_idle(&mut self, table: &mut Effects, effects: Rc<[EffectId]>) {
        self.idle |= 1 << self.running;
        let thread = self.enabled[self.running];
        let steps = std::mem::take(&mut self.steps);
        self.steps.push(Step { thread, held: self.held, effects, summary: EMPTY, is_idle: true });
        for step in steps.iter().filter(|step| !step.is_idle) {
            self.demand(table, step.thread, step.held, &step.effects, step.summary);
        }
        self.steps.extend(steps);
    }

    /// The running thread's step has these effects, and the subtree behind it this summary.
    pub(crate) fn step_done(&mut self, table: &mut Effects, effects: Rc<[EffectId]>, summary: SetId) {
        let thread = self.enabled[self.running];
        self.demand(table, thread, self.held, &effects, summary);
        self.steps.push(Step { thread, held: self.held, effects, summary, is_idle: false });
    }

    /// The summary behind every step is this set, because the graph leads back here.
    pub(crate) fn judge_all(&mut self, table: &mut Effects, summary: SetId) {
        let mut steps = std::mem::take(&mut self.steps);
        self.steps = steps.extract_if(.., |step| step.is_idle).collect();
        for step in &mut steps {
            step.summary = summary;
            self.demand(table, step.thread, step.held, &step.effects, summary);
        }
        self.steps.extend(steps);
    }

    fn demand(&mut self, table: &mut Effects, thread: usize, held: LocksId, effects: &[EffectId], summary: SetId) {
        for effect in effects {
            if self.is_full() {
                return;
            }
            let known = table.effect(*effect);
            if known.is_exit || known.is_total {
                self.follow_all();
                return;
            }
            let mut asked: Vec<usize> = Vec::new();
            for other in table.conflicts(*effect, thread as u32, held, summary).iter() {
                if let Some(other) = self.here(table, *other, thread) {
                    self.need(table, other, thread, held, summary, &mut asked);
                }
            }
        }
    }

    /// The thread that exists here and that the effect comes from; `None` if that is `still` or none exists.
    fn here(&self, table: &Effects, effect: EffectId, still: usize) -> Option<usize> {
        let effect = table.effect(effect);
        let line = std::iter::once(effect.thread).chain(effect.ancestors.iter().copied());
        let here = line.map(|thread| thread as usize).find(|thread| *thread < self.n_threads)?;
        (here != still).then_some(here)
    }

    /// Adds a thread, or the threads that could enable it while `still` does not move.
    fn need(
        &mut self,
        table: &mut Effects,
        thread: usize,
        still: usize,
        held: LocksId,
        summary: SetId,
        asked: &mut Vec<usize>,
    ) {
        if asked.contains(&thread) {
            return;
        }
        asked.push(thread);
        let position = self.enabled.iter().position(|enabled| *enabled == thread);
        if let Some(position) = position
            && self.idle >> position & 1 == 0
        {
            self.todo |= 1 << position;
            return;
        }
        for effect in self.waits_for(thread).iter() {
            for other in table.conflicts(*effect, still as u32, held, summary).iter() {
                if let Some(other) = self.here(table, *other, still) {
                    self.need(table, other, still, held, summary, asked);
                }
            }
        }
    }

    /// The effects that a disabled thread depends on.
    fn waits_for(&self, thread: usize) -> Rc<[EffectId]> {
        if let Some((_, effects)) = self.disabled.iter().find(|(other, _)| *other == thread) {
            return effects.clone();
        }
        let step = self.steps.iter().find(|step| step.thread == thread && step.is_idle);
        step.map_or_else(|| Rc::from([]), |step| step.effects.clone())
    }
}

/// The effects of the threads that cannot move, and all of them as a set.
pub(crate) fn disabled(
    enabled: &[usize],
    next: &NextSteps,
    effects: &mut Effects,
    machine: &Machine<'_>,
    state: &State,
) -> (Disabled, SetId) {
    let (mut disabled, mut members) = (Disabled::new(), Vec::new());
    for (thread, waiting) in next.iter().enumerate().filter(|(thread, _)| !enabled.contains(thread)) {
        if let Some(waiting) = waiting {
            let found = waiting.effects(effects, machine, state, thread);
            members.extend_from_slice(&found);
            disabled.push((thread, found));
        }
    }
    let set = effects.set(&members);
    (disabled, set)
}

fn mask(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}
