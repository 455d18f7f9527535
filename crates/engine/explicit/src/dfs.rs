//! Depth-first search with summaries over the threads of a program: the loop behind dynamic partial-order reduction.
//!
//! A node of the stack is a state at which executions part, with the backtrack set of the threads to follow from it
//! (`dpor.rs`); what a state's subtree does is summarised by component of the graph (`scc_summaries.rs`) and asked for
//! when the state is met again. What a state is and how a thread moves is another's business: [`Threads`] is a program on
//! the interpreter (`interpreter.rs`), or the same program with a transition cache (`transition_cache.rs`). Searches by
//! cost use it too (`bounded.rs`).

use unpick_program::interp::Refused;
use unpick_store::{Seen, StateId};
use unpick_system::{Budget, Limit};

use crate::dpor::BacktrackSet;
use crate::effect::{EMPTY, Effects, LocksId, SetId, StepEffects};
use crate::scc_summaries::{SccSummaries, Status};
use crate::search::{End, Search};
use unpick_system::Reduction;

/// The threads of a program, as searches see them.
pub(crate) trait Threads<'p> {
    /// Where executions part: a thread is about to be chosen, or one is in the middle of its step.
    type State;
    /// A step that is about to be taken.
    type Step;
    /// The target of a step before the lookup in the visited set.
    type Reached;
    /// One step of an execution, for running it again.
    type Move: Clone;
    /// A violation that has to be run again before it is believed.
    type Claimed;

    /// How many states are stored.
    fn n_states(&self) -> u64;

    /// What the search is about and what it has found.
    fn search(&mut self) -> &mut Search<'p>;

    /// A thread of the state moves; also gives the locks that it holds. `is_last`: the state is not asked again.
    fn begin(&mut self, at: &mut Self::State, thread: usize, is_last: bool) -> (Self::Step, LocksId);

    /// Another way on of the step that was begun, or that the state interrupts.
    fn next_outcome(&mut self, at: &mut Self::State) -> Option<Self::Step>;

    /// Takes a step from a state.
    fn advance(
        &mut self,
        from: &mut Self::State,
        step: Self::Step,
        budget: &Budget<'_>,
    ) -> Result<Advance<'p, Self>, Refused>;

    /// Stores the state that was reached; `None` if there is no room.
    fn insert(&mut self, arrival: &Arrival<Self::Reached>, budget: &Budget<'_>) -> Result<Option<Seen>, Refused>;

    /// Finds out what can follow.
    fn enter(&mut self, reached: Self::Reached, thread: usize) -> Result<Entered<'p, Self>, Refused>;

    /// The state that was reached is not finished.
    fn met_unfinished(&mut self, arrival: &mut Arrival<Self::Reached>, is_on_stack: bool) -> Option<Box<End>>;

    /// The search leaves a state for good.
    fn leave(&mut self, at: Self::State);

    /// The step that was taken last from a state.
    fn last_move(&self, at: &Self::State) -> Self::Move;

    /// Runs an execution on the interpreter that ends in a violation.
    fn confirm(&mut self, claimed: Self::Claimed, moves: &[Self::Move]) -> Result<End, Refused>;

    /// Now and then: whether to go on.
    fn poll(&mut self, budget: &Budget<'_>) -> Result<Option<Box<End>>, Refused>;
}

/// Where a step has led.
pub(crate) struct Arrival<R> {
    pub reached: R,
    /// The thread that moved.
    pub thread: usize,
    /// What its step did.
    pub step: StepEffects,
    /// The thread is in the middle of a step.
    pub is_choice: bool,
    /// The step has no other outcome.
    pub is_whole: bool,
}

/// What came of a step.
pub(crate) enum Advance<'p, T: Threads<'p> + ?Sized> {
    At(Arrival<T::Reached>),
    /// The execution is over, or of no more interest.
    Over {
        step: StepEffects,
        /// Effects of threads that wait where it ends.
        summary: SetId,
        /// The state, if the threads that are left can do nothing.
        stuck: Option<Arrival<T::Reached>>,
    },
    Found(Box<End>),
    Claimed(T::Claimed),
    /// The budget is used up; the step can be resumed.
    Halted(T::Step, Limit),
}

/// What follows from a state.
pub(crate) enum Entered<'p, T: Threads<'p> + ?Sized> {
    /// Threads can move; also the effects of those that cannot.
    Threads(T::State, BacktrackSet, SetId),
    /// The moving thread's step has several outcomes.
    Choice(T::State),
    /// Nothing; threads with these effects wait for ever.
    Over(SetId),
    Claimed(T::Claimed),
}

/// A state on the stack.
pub(crate) struct Node<S> {
    pub at: S,
    /// The threads to follow; none in the middle of a step.
    pub backtrack: Option<BacktrackSet>,
    pub id: StateId,
    /// Effects of the step that led here.
    incoming: StepEffects,
    /// The summary of the subtree so far.
    summary: SetId,
    /// Effects of the rest of the step that this state interrupts.
    rest: SetId,
    /// Its number in the order in which states came on the stack.
    index: u32,
    /// The least number of a state that can be reached from here and is not finished.
    low: u32,
}

impl<S> Node<S> {
    /// The same node with its state in other words.
    pub(crate) fn with<O>(&self, at: O, id: StateId) -> Node<O> {
        let Self { backtrack, incoming, summary, rest, index, low, .. } = self;
        let (backtrack, incoming) = (backtrack.clone(), incoming.clone());
        Node { at, backtrack, id, incoming, summary: *summary, rest: *rest, index: *index, low: *low }
    }
}

/// A search and where it stands.
pub(crate) struct Dfs<S, P> {
    /// From the first state, where the first thread is the only choice.
    pub stack: Vec<Node<S>>,
    /// Status and summary of each stored state.
    pub summaries: SccSummaries,
    /// A step that was halted before its end.
    interrupted: Option<P>,
    /// Each state that was new, if nothing but threads was ever chosen.
    pub log: Option<Vec<Logged>>,
}

/// How a new state was reached.
pub(crate) struct Logged {
    pub id: StateId,
    /// Its depth in the tree of new states; it comes behind its parent and all that was below its older siblings.
    pub depth: usize,
    /// The thread that led to it.
    pub thread: usize,
}

impl<S, P> Dfs<S, P> {
    pub(crate) fn new(first: S, id: StateId, is_logged: bool) -> Self {
        let mut summaries = SccSummaries::default();
        let index = summaries.enter(id);
        let backtrack = Some(BacktrackSet::all(vec![0], 1));
        let (incoming, summary) = (StepEffects::default(), EMPTY);
        let node = Node { at: first, backtrack, id, incoming, summary, rest: EMPTY, index, low: index };
        Self { stack: vec![node], summaries, interrupted: None, log: is_logged.then(Vec::new) }
    }

    /// A search that goes on where another one stands.
    pub(crate) fn standing(stack: Vec<Node<S>>, summaries: SccSummaries) -> Self {
        Self { stack, summaries, interrupted: None, log: None }
    }

    /// Searches until everything is settled, the budget ends, or the threads refuse to go on.
    pub(crate) fn explore<'p, T>(&mut self, threads: &mut T, budget: &Budget<'_>) -> Result<End, Refused>
    where
        T: Threads<'p, State = S, Step = P>,
    {
        loop {
            let Some(step) = self.interrupted.take().or_else(|| self.next_step(threads)) else {
                return Ok(threads.search().finish());
            };
            let from = self.stack.last_mut().expect("a step should come from a state");
            match threads.advance(&mut from.at, step, budget)? {
                Advance::At(arrival) => {
                    if let Some(end) = self.arrive(threads, arrival, budget)? {
                        return Ok(*end);
                    }
                }
                Advance::Over { step, summary, .. } => {
                    threads.search().meter.stats.executions += 1;
                    self.step_done(threads.search(), step, summary, EMPTY, u32::MAX);
                }
                Advance::Found(end) => return Ok(*end),
                Advance::Claimed(claimed) => return self.confirm(threads, claimed),
                Advance::Halted(step, limit) => {
                    self.interrupted = Some(step);
                    return Ok(threads.search().halt(limit));
                }
            }
            if let Some(end) = threads.poll(budget)? {
                return Ok(*end);
            }
        }
    }

    /// The next option of the innermost state that has one left.
    fn next_step<'p, T: Threads<'p, State = S, Step = P>>(&mut self, threads: &mut T) -> Option<P> {
        loop {
            let is_first = self.stack.len() == 1;
            let node = self.stack.last_mut()?;
            let is_open = node.low < node.index;
            let mut step = threads.next_outcome(&mut node.at);
            if let (None, Some(backtrack)) = (&step, &mut node.backtrack)
                && let Some(thread) = next_thread(backtrack, &mut threads.search().effects, node.summary, is_open)
            {
                // Others may turn out to be needed as long as not all are followed.
                let is_last = backtrack.is_finished() && backtrack.is_full();
                let (begun, locks) = threads.begin(&mut node.at, thread, is_last);
                backtrack.set_held(locks);
                step = Some(begun);
            }
            if step.is_some() {
                threads.search().meter.stats.transitions += u64::from(!is_first);
                return step;
            }
            self.pop(threads);
        }
    }

    /// Leaves the innermost state: everything behind it has been followed.
    fn pop<'p, T: Threads<'p, State = S, Step = P>>(&mut self, threads: &mut T) {
        let Some(node) = self.stack.pop() else { return };
        threads.leave(node.at);
        let rest = if node.backtrack.is_none() { node.rest } else { EMPTY };
        self.summaries.leave(node.id, node.index, node.low, node.summary, rest);
        let low = if node.low < node.index { node.low } else { u32::MAX };
        let search = threads.search();
        search.meter.depth = self.stack.len().saturating_sub(1) as u64;
        self.step_done(search, node.incoming, node.summary, rest, low);
    }

    /// Stores the state that was reached and, if it is new, follows it.
    fn arrive<'p, T: Threads<'p, State = S, Step = P>>(
        &mut self,
        threads: &mut T,
        arrival: Arrival<T::Reached>,
        budget: &Budget<'_>,
    ) -> Result<Option<Box<End>>, Refused> {
        threads.search().meter.summary_bytes = self.summaries.bytes();
        match threads.insert(&arrival, budget)? {
            None => Ok(Some(Box::new(threads.search().halt(Limit::Memory)))),
            Some(Seen::Known(id)) => {
                threads.search().meter.stats.executions += 1;
                Ok(self.meet_again(threads, arrival, id))
            }
            Some(Seen::Fresh(id)) => self.enter(threads, arrival, id),
        }
    }

    /// The state is stored already.
    fn meet_again<'p, T: Threads<'p, State = S, Step = P>>(
        &mut self,
        threads: &mut T,
        mut arrival: Arrival<T::Reached>,
        id: StateId,
    ) -> Option<Box<End>> {
        let (index, is_on_stack) = match self.summaries.get(id) {
            Status::Left { summary, rest } => {
                self.step_done(threads.search(), arrival.step, summary, rest, u32::MAX);
                return None;
            }
            Status::OnStack { index } => (index, true),
            Status::Open { index } => (index, false),
        };
        if let Some(end) = threads.met_unfinished(&mut arrival, is_on_stack) {
            return Some(end);
        }
        let search = threads.search();
        let node = self.stack.last_mut().expect("a step should come from a state");
        let is_self = is_on_stack && arrival.is_whole && node.index == index;
        match &mut node.backtrack {
            Some(backtrack) if is_self && search.reduction == Reduction::Dpor => {
                node.summary = search.effects.union(node.summary, arrival.step.set);
                backtrack.step_was_idle(&mut search.effects, arrival.step.effects);
            }
            Some(_) | None => self.step_done(search, arrival.step, EMPTY, EMPTY, index),
        }
        None
    }

    /// A new state.
    fn enter<'p, T: Threads<'p, State = S, Step = P>>(
        &mut self,
        threads: &mut T,
        arrival: Arrival<T::Reached>,
        id: StateId,
    ) -> Result<Option<Box<End>>, Refused> {
        let Arrival { reached, thread, step: incoming, .. } = arrival;
        let (at, backtrack, summary) = match threads.enter(reached, thread)? {
            Entered::Threads(at, backtrack, summary) => (at, Some(backtrack), summary),
            Entered::Choice(at) => (at, None, EMPTY),
            Entered::Over(summary) => {
                let index = self.summaries.enter(id);
                self.summaries.leave(id, index, index, summary, EMPTY);
                threads.search().meter.stats.executions += 1;
                self.step_done(threads.search(), incoming, summary, EMPTY, u32::MAX);
                return Ok(None);
            }
            Entered::Claimed(claimed) => return self.confirm(threads, claimed).map(|end| Some(Box::new(end))),
        };
        let depth = self.stack.len();
        match &mut self.log {
            Some(log) if backtrack.is_some() => log.push(Logged { id, depth, thread }),
            log => *log = None,
        }
        let index = self.summaries.enter(id);
        self.stack.push(Node { at, backtrack, id, incoming, summary, rest: EMPTY, index, low: index });
        threads.search().meter.set_depth(depth as u64);
        Ok(None)
    }

    /// The innermost state's step leads to something with these effects behind it.
    fn step_done(&mut self, search: &mut Search<'_>, step: StepEffects, summary: SetId, rest: SetId, low: u32) {
        let Some(node) = self.stack.last_mut() else { return };
        node.low = node.low.min(low);
        if search.reduction != Reduction::Dpor {
            return;
        }
        let effects = &mut search.effects;
        let all = effects.union(step.set, summary);
        node.summary = effects.union(node.summary, all);
        let whole = effects.union(step.set, rest);
        match &mut node.backtrack {
            None => node.rest = effects.union(node.rest, whole),
            Some(backtrack) => {
                let members = if whole == step.set { step.effects } else { effects.members(whole) };
                backtrack.step_done(effects, members, summary);
            }
        }
    }

    /// Runs the execution on the stack again.
    fn confirm<'p, T>(&self, threads: &mut T, claimed: T::Claimed) -> Result<End, Refused>
    where
        T: Threads<'p, State = S, Step = P>,
    {
        let moves: Vec<T::Move> = self.stack.iter().map(|node| threads.last_move(&node.at)).collect();
        threads.confirm(claimed, &moves)
    }
}

/// The next thread to follow, after asking whether those followed so far are enough. `is_open`: the state's
/// component of the graph is not finished with it.
fn next_thread(backtrack: &mut BacktrackSet, effects: &mut Effects, summary: SetId, is_open: bool) -> Option<usize> {
    if backtrack.is_finished() {
        if is_open {
            backtrack.follow_all();
        } else if !backtrack.is_full() {
            backtrack.judge_all(effects, summary);
        }
        backtrack.follow_another();
    }
    backtrack.take_next()
}
