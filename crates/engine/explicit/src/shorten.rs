//! Counterexample shortening by delta debugging (Zeller 1999) and shortest-path search (Dijkstra): the same violation
//! at the same place after fewer steps.
//!
//! A depth-first search finds some execution, and mostly a long one. Two ways make it shorter. First the decisions are
//! shrunk (Zeller's delta debugging): runs of them are left out, from long ones to single ones, as long as what is left
//! ends in the same violation. Then the program is searched from its beginning with the shortest executions first
//! (Dijkstra's algorithm over the states at choices), up to the length that is known; if it comes to an end, no shorter
//! execution exists.
//!
//! The length is counted as people see it: steps on source lines of the user's functions, with the instructions to
//! decide between equals and to keep long library calls from being free. Programs of several threads are left alone: for
//! them the search by preemptions finds simple executions. All work is counted, not timed, so that the same program
//! shows the same execution everywhere. What comes out is a proposal like any other evidence: it is replayed before it is shown.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::{BuildHasher as _, Hasher as _};

use unpick_program::interp::{
    Choice, Decision, Machine, Observer, Options, State, Stop, Until, Value, Violation, Wants,
};
use unpick_program::{Block, FileId, FuncId, Loc, Program, Stmt, ViolationKind};
use unpick_system::{Control, ProgramRun, Snapshot};

use crate::findings::own_line;

/// Instructions of one macro step before others have their turn, so that endless ones do not starve the rest.
const CHUNK: u64 = 2_000;
/// What a step on a source line weighs, in instructions.
const LINE: u64 = 16;
/// Work between two polls.
const POLL: u64 = 100_000;
/// Bytes of a state that are written as fast as one instruction is run.
const BYTES_PER_WORK: u64 = 8;

/// Looks for a shorter execution with the same violation. `work` is what the search may cost, about one unit for each
/// instruction; what was used is taken off.
pub(crate) fn shorter(
    program: &Program,
    options: &Options,
    evidence: &ProgramRun,
    work: &mut u64,
    control: &dyn Control,
) -> Option<ProgramRun> {
    let is_endless = evidence.claim.is_some() || evidence.violation.kind == ViolationKind::Termination;
    let has_turns = evidence.decisions.iter().any(|decision| matches!(decision, Decision::Thread(_)));
    let lazy = Machine::new(program, Options { is_lazy: true, ..options.clone() });
    if is_endless || has_turns || lazy.has_threads() || evidence.decisions.is_empty() {
        return None;
    }
    let concrete = Machine::new(program, Options { is_lazy: false, ..options.clone() });
    let mut shortener = Shortener { expected: &evidence.violation, work, n_polled: 0, control, is_halted: false };
    let found = shortener.follow(&concrete, &evidence.decisions)?;
    let n_first = found.cost;
    let mut best = found;
    shortener.shrink(&concrete, &mut best);
    if let Some(found) = shortener.search(&lazy, best.cost) {
        best = found;
    }
    (best.cost < n_first).then(|| ProgramRun {
        decisions: best.decisions,
        violation: best.violation,
        ..evidence.clone()
    })
}

/// An execution that ends in the violation.
struct Found {
    cost: u64,
    decisions: Vec<Decision>,
    violation: Violation,
}

struct Shortener<'a> {
    expected: &'a Violation,
    work: &'a mut u64,
    n_polled: u64,
    control: &'a dyn Control,
    is_halted: bool,
}

impl Shortener<'_> {
    /// Takes off what was done; whether some is left.
    fn spend(&mut self, work: u64) -> bool {
        *self.work = self.work.saturating_sub(work);
        self.n_polled += work;
        if self.n_polled >= POLL {
            self.n_polled = 0;
            let snapshot = Snapshot { phase: "shortening", states: 0, transitions: 0, depth: 0, bytes: 0 };
            self.is_halted |= self.control.poll(&snapshot).is_some();
        }
        *self.work > 0 && !self.is_halted
    }

    /// What a stop has to do with the violation that is looked for.
    fn is_expected(&self, machine: &Machine<'_>, state: &State, stop: &Stop) -> Option<Violation> {
        let expected = self.expected;
        match stop {
            Stop::Violated(violation) => {
                let place = |violation| own_line(machine.program, violation);
                let is_same = violation.kind == expected.kind
                    && (violation.loc == expected.loc || expected.loc == Loc::NONE)
                    && place(violation) == place(expected);
                is_same.then(|| violation.clone())
            }
            // One thread that waits for ever.
            Stop::Blocked if expected.kind == ViolationKind::Deadlock && machine.runnable(state).is_empty() => {
                let frames = state.frames(machine.program, 0);
                let is_same = frames.last().is_some_and(|frame| frame.loc == expected.loc);
                is_same.then(|| expected.clone())
            }
            Stop::Blocked
            | Stop::Fuel
            | Stop::LoopHead(..)
            | Stop::Shared
            | Stop::Choice(_)
            | Stop::ThreadEnded
            | Stop::Exited { .. }
            | Stop::Infeasible
            | Stop::Unmodelled { .. }
            | Stop::TooWide { .. }
            | Stop::Limit { .. } => None,
        }
    }

    /// Runs with the decisions as they come; the execution, if it ends in the violation.
    fn follow(&mut self, machine: &Machine<'_>, decisions: &[Decision]) -> Option<Found> {
        let mut state = machine.initial();
        let (mut meter, mut n_used, mut is_resumed) = (Meter::new(machine.program), 0, false);
        loop {
            let before = meter.n_instructions;
            let stop = machine.run(&mut state, 0, Until { fuel: POLL, is_resumed, ..Until::NEVER }, &mut meter);
            if !self.spend(meter.n_instructions - before + 1) {
                return None;
            }
            if let Some(violation) = self.is_expected(machine, &state, &stop) {
                let decisions = decisions[..n_used].to_vec();
                return Some(Found { cost: meter.cost(), decisions, violation });
            }
            is_resumed = matches!(stop, Stop::Fuel);
            match stop {
                Stop::Fuel => {}
                Stop::Choice(choice) => {
                    let option = choice.option_of(decisions.get(n_used)?)?;
                    n_used += 1;
                    machine.pick(&mut state, &choice, option);
                }
                _it_ends_otherwise => return None,
            }
        }
    }

    /// Leaves out decisions as long as the violation stays and the execution gets shorter. Half of the work is kept for
    /// the search.
    fn shrink(&mut self, machine: &Machine<'_>, best: &mut Found) {
        let kept = *self.work / 2;
        let mut len = best.decisions.len().div_ceil(2);
        while len > 0 {
            let mut at = 0;
            let mut is_shorter = false;
            while at < best.decisions.len() {
                if *self.work <= kept || self.is_halted {
                    return;
                }
                let end = (at + len).min(best.decisions.len());
                let mut fewer = best.decisions.clone();
                fewer.drain(at..end);
                match self.follow(machine, &fewer) {
                    Some(found) if found.cost < best.cost => {
                        *best = found;
                        is_shorter = true;
                    }
                    Some(_) | None => at += len,
                }
            }
            len = match (is_shorter, len) {
                (true, 1) => 1,
                _ => len / 2,
            };
        }
    }

    /// Searches for the shortest execution below the limit.
    fn search(&mut self, machine: &Machine<'_>, limit: u64) -> Option<Found> {
        let mut waiting = Waiting::default();
        let meter = Meter::new(machine.program);
        waiting.push(Work { state: machine.initial(), meter, next: Next::Run { is_resumed: false } });
        let mut seen: HashSet<u64> = HashSet::new();
        let mut key = Vec::new();
        while let Some(Work { mut state, mut meter, next }) = waiting.pop() {
            let is_resumed = match next {
                Next::Run { is_resumed } => is_resumed,
                Next::Choose { choice, option } => {
                    if option == 0 {
                        key.clear();
                        machine.key(&state, &mut key);
                        if !self.spend(key.len() as u64 / BYTES_PER_WORK) {
                            return None;
                        }
                        // Should two states share a hash, an execution is longer than it could be, nothing else.
                        if !seen.insert(hash(&key)) {
                            continue;
                        }
                    }
                    if option + 1 < choice.n_options {
                        let next = Next::Choose { choice: choice.clone(), option: option + 1 };
                        waiting.push(Work { state: state.clone(), meter: meter.clone(), next });
                    }
                    machine.pick(&mut state, &choice, option);
                    false
                }
            };
            let before = meter.n_instructions;
            let until = Until { fuel: CHUNK, is_resumed, ..Until::NEVER };
            let stop = machine.run(&mut state, 0, until, &mut meter);
            if !self.spend(meter.n_instructions - before + 1) {
                return None;
            }
            if meter.cost() >= limit {
                continue;
            }
            if let Some(violation) = self.is_expected(machine, &state, &stop) {
                waiting.found(Found { cost: meter.cost(), decisions: machine.decisions(&state), violation });
            } else {
                let next = match stop {
                    Stop::Fuel => Next::Run { is_resumed: true },
                    Stop::Choice(choice) | Stop::TooWide { samples: choice, .. } => Next::Choose { choice, option: 0 },
                    _it_ends_otherwise => continue,
                };
                waiting.push(Work { state, meter, next });
            }
            if let Some(found) = waiting.take_found() {
                return Some(found);
            }
        }
        waiting.found.take()
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = foldhash::fast::FixedState::with_seed(0).build_hasher();
    hasher.write(key);
    hasher.finish()
}

/// A state to go on from.
struct Work {
    state: State,
    meter: Meter,
    next: Next,
}

enum Next {
    Run { is_resumed: bool },
    Choose { choice: Choice, option: u128 },
}

/// States by the length of the executions that lead to them; equals in the order in which they came.
#[derive(Default)]
struct Waiting {
    order: BinaryHeap<Reverse<(u64, u64)>>,
    works: HashMap<u64, Work>,
    n_pushed: u64,
    /// The shortest execution with the violation so far: some that are waiting may still be shorter.
    found: Option<Found>,
}

impl Waiting {
    fn push(&mut self, work: Work) {
        let cost = work.meter.cost();
        self.order.push(Reverse((cost, self.n_pushed)));
        self.works.insert(self.n_pushed, work);
        self.n_pushed += 1;
    }

    fn pop(&mut self) -> Option<Work> {
        let Reverse((_, number)) = self.order.pop()?;
        self.works.remove(&number)
    }

    fn found(&mut self, found: Found) {
        if self.found.as_ref().is_none_or(|known| found.cost < known.cost) {
            self.found = Some(found);
        }
    }

    /// The execution that was found, once nothing that waits can become shorter.
    fn take_found(&mut self) -> Option<Found> {
        let least = self.order.peek().map_or(u64::MAX, |Reverse((cost, _))| *cost);
        self.found.take_if(|found| found.cost <= least)
    }
}

/// Measures an execution as people see it.
#[derive(Clone)]
struct Meter {
    /// By function: not the user's own.
    is_model: std::rc::Rc<[bool]>,
    n_lines: u64,
    n_instructions: u64,
    last: Option<(FuncId, FileId, u32)>,
}

impl Meter {
    fn new(program: &Program) -> Self {
        let is_model = program.functions.iter().map(|function| function.is_model).collect();
        Self { is_model, n_lines: 0, n_instructions: 0, last: None }
    }

    fn cost(&self) -> u64 {
        self.n_lines * LINE + self.n_instructions
    }

    fn is_own(&self, function: FuncId) -> bool {
        use unpick_base::id::Id as _;
        !self.is_model[function.index()]
    }

    fn arrive(&mut self, function: FuncId, loc: Loc) {
        let here = Some((function, loc.file, loc.line));
        if loc.line != 0 && self.is_own(function) && self.last != here {
            self.n_lines += 1;
            self.last = here;
        }
    }
}

impl Observer for Meter {
    fn wants(&self) -> Wants {
        Wants { steps: true, blocks: true, ..Wants::RARE }
    }

    fn step(&mut self, _: &State, _: usize, function: FuncId, stmt: &Stmt) {
        self.n_instructions += 1;
        self.arrive(function, stmt.loc);
    }

    fn terminator(&mut self, _: &State, _: usize, function: FuncId, block: &Block) {
        self.n_instructions += 1;
        self.arrive(function, block.loc);
        if block.loop_head.is_some() && self.is_own(function) {
            self.last = None;
        }
    }

    fn called(&mut self, _: &State, _: usize, callee: FuncId, _: Loc) {
        if self.is_own(callee) {
            self.last = None;
        }
    }

    fn returned(&mut self, _: &State, _: usize, function: FuncId, _: Option<Value>) {
        if self.is_own(function) {
            self.last = None;
        }
    }
}
