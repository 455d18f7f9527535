//! Depth-first search over the choices of a program.

use std::collections::HashSet;

use unpick_ir::Loc;
use unpick_ir::ViolationKind;
use unpick_ir::interp::{Choice, Machine, State, Violation};
use unpick_store::{Seen, StateId, StateStore};
use unpick_system::{Budget, Coverage, Evidence, Limit, PropertySet, Reason, Snapshot, Stats, Why};

use crate::loops::Loops;
use crate::stretch::Stretch;
use crate::watch::Watch;

/// Instructions between two looks at the supervisor.
const POLL_INSTRUCTIONS: u64 = 200_000;
/// Choices between two looks at the supervisor.
const POLL_TRANSITIONS: u64 = 1_000;
/// What a node of the stack takes besides what its state shares with others, estimated.
const NODE_BYTES: u64 = 512;

/// A search and where it stands.
pub(crate) struct Search<'p> {
    pub machine: Machine<'p>,
    pub properties: PropertySet,
    store: Box<dyn StateStore>,
    /// Choices on the way to the current state, outermost first.
    stack: Vec<Node>,
    /// The state to go on from; else the next option of the innermost choice.
    path: Option<Path>,
    pub watch: Watch<'p>,
    /// What stands against a proof so far.
    pub why: Why,
    /// An execution was met that satisfies all assumptions.
    pub is_feasible: bool,
    /// An assumption that cut executions off.
    pub infeasible: Option<Loc>,
    /// States of the stack, kept only if endless executions matter.
    on_stack: HashSet<StateId, foldhash::fast::RandomState>,
    key: Vec<u8>,
    /// Bytes of states written so far: work, as instructions are.
    pub n_key_bytes: u64,
    stack_bytes: u64,
    /// More threads at once are not followed.
    pub max_threads: usize,
    /// The verdict is known to rest on sequential consistency.
    pub has_noted_threads: bool,
    stats: Stats,
    polled: (u64, u64),
}

/// A state and the thread that runs.
struct Path {
    state: State,
    thread: usize,
    /// The search was halted in the middle of a stretch: the next instruction has not been looked at.
    is_resumed: bool,
}

/// A choice with options left.
struct Node {
    /// The state at the choice; gone when the last option has been taken.
    state: Option<State>,
    thread: usize,
    options: Options,
    next: u128,
    loops: Loops,
    id: StateId,
    bytes: u64,
}

/// What is chosen at a node. Data and schedule are the same to the search.
enum Options {
    Value(Choice),
    Schedule(Vec<usize>),
}

/// How a call of [`Search::explore`] ended.
pub(crate) enum End {
    /// Everything has been followed; empty reasons mean a proof.
    Finished(Why),
    /// The budget is used up; exploring again goes on.
    Halted(Why),
    /// A violation.
    Found(Evidence),
}

impl Options {
    fn n_options(&self) -> u128 {
        match self {
            Options::Value(choice) => choice.n_options,
            Options::Schedule(threads) => threads.len() as u128,
        }
    }
}

impl<'p> Search<'p> {
    pub(crate) fn new(
        machine: Machine<'p>,
        properties: PropertySet,
        max_threads: usize,
        store: Box<dyn StateStore>,
    ) -> Self {
        let state = machine.initial();
        let mut key = Vec::new();
        machine.key(&state, &mut key);
        // Nothing is lost if it does not fit: no execution comes back to it before the first choice.
        let _ = store.insert(&key);
        let path = Some(Path { state, thread: 0, is_resumed: false });
        Self {
            watch: Watch::new(machine.program),
            machine,
            properties,
            store,
            stack: Vec::new(),
            path,
            why: Why::default(),
            is_feasible: false,
            infeasible: None,
            on_stack: HashSet::default(),
            key,
            n_key_bytes: 0,
            stack_bytes: 0,
            max_threads,
            has_noted_threads: false,
            stats: Stats::default(),
            polled: (0, 0),
        }
    }

    /// Searches until everything is settled or the budget ends.
    pub(crate) fn explore(&mut self, budget: &Budget<'_>) -> End {
        loop {
            let Some(mut path) = self.path.take().or_else(|| self.next_option()) else { return self.finish() };
            let end = match self.stretch(&mut path.state, path.thread, path.is_resumed, budget) {
                Stretch::Value(choice) => self.branch(path, Options::Value(choice), budget),
                Stretch::Schedule(threads) => self.branch(path, Options::Schedule(threads), budget),
                Stretch::Over => {
                    self.stats.executions += 1;
                    self.poll(budget).map(|limit| self.halt(limit))
                }
                Stretch::Violated(violation) => Some(self.found(&path.state, violation)),
                Stretch::Halted(limit) => {
                    self.path = Some(Path { is_resumed: true, ..path });
                    Some(self.halt(limit))
                }
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { states: self.store.len(), instructions: self.watch.n_instructions, ..self.stats }
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.watch.notes
    }

    pub(crate) fn coverage(&self) -> Coverage {
        self.watch.coverage()
    }

    /// Asks the supervisor, now and then, whether to go on.
    pub(crate) fn poll(&mut self, budget: &Budget<'_>) -> Option<Limit> {
        let (work, n_transitions) = (self.watch.n_instructions + self.n_key_bytes / 8, self.stats.transitions);
        if work - self.polled.0 < POLL_INSTRUCTIONS && n_transitions - self.polled.1 < POLL_TRANSITIONS {
            return None;
        }
        self.polled = (work, n_transitions);
        let snapshot = Snapshot {
            phase: "exploring",
            states: self.store.len(),
            transitions: n_transitions,
            depth: self.stack.len() as u64,
            bytes: self.bytes(),
        };
        budget.supervisor.poll(&snapshot).map(Limit::from)
    }

    fn bytes(&self) -> u64 {
        self.store.bytes() + self.stack_bytes
    }

    /// Takes the next option of the innermost choice that has one left.
    fn next_option(&mut self) -> Option<Path> {
        while self.stack.last()?.next == self.stack.last()?.options.n_options() {
            let node = self.stack.pop()?;
            self.stack_bytes -= node.bytes;
            self.on_stack.remove(&node.id);
        }
        let node = self.stack.last_mut()?;
        let pick = node.next;
        node.next += 1;
        let is_last = node.next == node.options.n_options();
        let state = if is_last { node.state.take() } else { node.state.clone() };
        let mut state = state.expect("a choice with options left should have its state");
        self.watch.loops = if is_last { std::mem::take(&mut node.loops) } else { node.loops.clone() };
        self.stats.transitions += 1;
        let thread = match &node.options {
            Options::Value(choice) => {
                self.machine.pick(&mut state, choice, pick);
                self.watch.is_retry = true;
                node.thread
            }
            Options::Schedule(threads) => {
                let thread = threads[pick as usize];
                state.record_thread(thread);
                self.watch.is_retry = false;
                thread
            }
        };
        Some(Path { state, thread, is_resumed: false })
    }

    /// Stores the state at a choice and, if it is new, follows its options.
    fn branch(&mut self, path: Path, options: Options, budget: &Budget<'_>) -> Option<End> {
        if budget.depth.is_some_and(|depth| self.stack.len() as u64 >= depth) {
            let limit = Limit::Depth(budget.depth.unwrap_or_default());
            let hottest = self.watch.loops.hottest(self.machine.program);
            self.why.add(Reason::Limit { limit, hottest });
            self.is_feasible = true;
            return self.poll(budget).map(|limit| self.halt(limit));
        }
        self.key.clear();
        self.machine.key(&path.state, &mut self.key);
        self.n_key_bytes += self.key.len() as u64;
        if let Options::Value(_) = options {
            // Who runs matters only in the middle of its run.
            self.key.extend_from_slice(&(path.thread as u32).to_le_bytes());
        }
        let is_full = budget.memory_bytes.is_some_and(|limit| self.bytes() > limit);
        let Some(seen) = (if is_full { None } else { self.store.insert(&self.key).ok() }) else {
            // The state is not stored, so running on from it asks for the same choice again.
            self.path = Some(Path { is_resumed: matches!(options, Options::Schedule(_)), ..path });
            return Some(self.halt(Limit::Memory));
        };
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.bytes());
        match seen {
            Seen::Known(id) => {
                self.stats.executions += 1;
                if self.on_stack.contains(&id)
                    && let Stretch::Violated(violation) = self.repeated(&path.state, path.thread, None)
                {
                    return Some(self.found(&path.state, violation));
                }
            }
            Seen::Fresh(id) => self.push(path, options, id),
        }
        self.poll(budget).map(|limit| self.halt(limit))
    }

    fn push(&mut self, path: Path, options: Options, id: StateId) {
        if self.properties.contains(ViolationKind::Termination) {
            self.on_stack.insert(id);
        }
        // States share what they have in common, so the key is an upper estimate of what one adds.
        let bytes = NODE_BYTES + self.key.len() as u64;
        self.stack_bytes += bytes;
        let loops = self.watch.loops.clone();
        self.stack.push(Node { state: Some(path.state), thread: path.thread, options, next: 0, loops, id, bytes });
        self.stats.depth = self.stats.depth.max(self.stack.len() as u64);
    }

    fn found(&mut self, state: &State, violation: Violation) -> End {
        End::Found(Evidence { decisions: self.machine.decisions(state), violation })
    }

    fn halt(&mut self, limit: Limit) -> End {
        let mut why = self.why.clone();
        why.add(Reason::Limit { limit, hottest: self.watch.loops.hottest(self.machine.program) });
        End::Halted(why)
    }

    fn finish(&mut self) -> End {
        if let Some(loc) = self.infeasible.filter(|_| !self.is_feasible) {
            self.why.add(Reason::Vacuous { loc });
        }
        if !self.store.is_exact() {
            self.why.add(Reason::LossyStore);
        }
        End::Finished(self.why.clone())
    }
}
