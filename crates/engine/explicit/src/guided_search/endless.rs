//! Guided search for infinite executions: the graph of states along the lines, searched for a violation of a claim.
//!
//! Nodes are states before each instruction, with how far the lines were followed. At every node the thread of the next
//! line may move, and the last moved one, because not every statement is in the model; all threads may behind the last
//! line, unless the lines form a cycle, and where only fair executions count. Claims are decided on this part of the
//! program's graph as on the whole.

use std::collections::HashMap;

use unpick_logic::buchi::Buchi;
use unpick_program::interp::{Answer, Choice, Machine, Observer, State, Stop, Until, Wants};
use unpick_program::{FileId, Loc};
use unpick_system::{Claim, ClaimKind, ProgramRun, Waypoint};

use super::{Followed, line_of, violation};
use crate::lasso::{self, Lasso};
use crate::temporal::{Edge, Graph, Node, NodeKind, automaton};

/// More nodes, bytes and instructions are not spent on one question.
const MAX_NODES: usize = 150_000;
const MAX_BYTES: usize = 256 << 20;
const MAX_INSTRUCTIONS: u64 = 3_000_000;
/// Instructions that a thread may run while no other can.
const MAX_ALONE: u64 = 100_000;
/// More options of one choice are not tried.
const MAX_OPTIONS: u128 = 256;
/// Nodes after which the graph is looked at for the first time.
const FIRST_LOOK: usize = 256;
/// The node in which the program starts: there is no choice of a thread.
const START: u32 = 0;

/// Looks for an execution along the waypoints that violates a claim; from `loop_from` on they go round, if they do.
/// `machine` keeps inputs open.
pub(crate) fn follow_claim(
    machine: &Machine<'_>,
    waypoints: &[Waypoint],
    loop_from: Option<usize>,
    claim: &Claim,
) -> Followed {
    let files = &machine.program.files;
    let file = |name: &str| files.iter_enumerated().find(|(_, file)| *file == name).map(|(id, _)| id);
    let resolved = waypoints.iter().map(|point| Some((point.thread, file(&point.file)?, point.line)));
    let Some(route) = resolved.collect::<Option<Vec<_>>>() else {
        return Followed::Undecided { why: "a file of the model is none of the program".to_owned() };
    };
    let automaton = match automaton(claim) {
        Ok(automaton) => automaton,
        Err(why) => return Followed::Undecided { why },
    };
    let loop_from = loop_from.filter(|from| *from < route.len());
    let mut search = Search {
        machine,
        route,
        loop_from,
        claim,
        automaton,
        graph: Graph::default(),
        numbers: HashMap::default(),
        open: Vec::new(),
        n_instructions: 0,
        n_bytes: 0,
        n_passed: 0,
        has_marks: machine.marks_progress(),
        left_out: None,
    };
    match search.run() {
        Some(evidence) => Followed::Reached(Box::new(evidence)),
        None => match search.left_out {
            Some(why) => Followed::Undecided { why },
            None => Followed::Lost { n_passed: search.n_passed },
        },
    }
}

/// What is still to be followed.
struct Open {
    node: u32,
    state: State,
    /// The last mover.
    thread: usize,
    /// The next waypoint.
    at: usize,
    what: What,
}

enum What {
    Threads,
    /// In the middle of a step.
    Options(Choice),
    /// A proposition needs to know more of an input.
    Question(Choice),
}

struct Search<'a, 'p> {
    machine: &'a Machine<'p>,
    route: Vec<(usize, FileId, u32)>,
    loop_from: Option<usize>,
    claim: &'a Claim,
    automaton: Option<Buchi>,
    graph: Graph,
    numbers: HashMap<Vec<u8>, u32>,
    open: Vec<Open>,
    n_instructions: u64,
    n_bytes: usize,
    n_passed: usize,
    has_marks: bool,
    left_out: Option<String>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Option<ProgramRun> {
        let found = self.arrive(None, self.machine.initial(), 0, 0, NodeKind::Point);
        if found.is_some() {
            return found;
        }
        let mut next_look = FIRST_LOOK;
        while let Some(open) = self.open.pop() {
            let found = self.follow(open);
            if found.is_some() {
                return found;
            }
            let n_nodes = self.graph.nodes.len();
            if n_nodes >= next_look {
                next_look *= 2;
                let found = self.look();
                if found.is_some() {
                    return found;
                }
            }
            if n_nodes > MAX_NODES || self.n_bytes > MAX_BYTES || self.n_instructions > MAX_INSTRUCTIONS {
                self.leave_out("the program runs too long between the lines of the model");
                break;
            }
        }
        self.look()
    }

    fn leave_out(&mut self, why: &str) {
        self.left_out.get_or_insert_with(|| why.to_owned());
    }

    /// Follows all options of a node.
    fn follow(&mut self, open: Open) -> Option<ProgramRun> {
        let Open { node, state, thread, at, what } = open;
        match what {
            What::Threads => {
                for moving in self.movers(&state, thread, at) {
                    let mut next = state.clone();
                    if node != START {
                        next.record_thread(moving);
                    }
                    let found = self.step(node, next, moving, at, moving as u64);
                    if found.is_some() {
                        return found;
                    }
                }
                None
            }
            What::Options(choice) => (0..self.n_options(&choice)).find_map(|option| {
                let mut next = state.clone();
                self.machine.pick(&mut next, &choice, option);
                self.step(node, next, thread, at, option as u64)
            }),
            What::Question(choice) => (0..self.n_options(&choice)).find_map(|option| {
                let mut next = state.clone();
                self.machine.pick(&mut next, &choice, option);
                let edge = Edge { from: node, to: 0, label: option as u64, is_progress: false };
                let kind = self.kind(&next);
                self.arrive(Some(edge), next, thread, at, kind)
            }),
        }
    }

    fn n_options(&mut self, choice: &Choice) -> u128 {
        if choice.n_options > MAX_OPTIONS {
            self.leave_out(&format!("the input {} has too many values", choice.label));
        }
        choice.n_options.min(MAX_OPTIONS)
    }

    /// The threads that may move; the last one is followed first.
    fn movers(&self, state: &State, thread: usize, at: usize) -> Vec<usize> {
        let runnable = self.machine.runnable(state);
        let wanted = self.route.get(at).map(|(thread, ..)| *thread);
        match wanted.filter(|wanted| runnable.contains(wanted)) {
            // Fairness makes others move as well, past what the model may not have.
            Some(wanted) => {
                let is_last = |mover: &usize| *mover == thread || self.claim.is_fair;
                let mut movers: Vec<usize> =
                    runnable.into_iter().filter(|mover| *mover != wanted && is_last(mover)).collect();
                movers.sort_by_key(|mover| *mover == thread);
                movers.push(wanted);
                movers
            }
            // The wanted thread may wait for something that is not in the model; behind the lines all threads may move.
            None => {
                let mut movers = runnable;
                movers.sort_by_key(|mover| *mover == thread);
                movers
            }
        }
    }

    /// How far the lines are followed when a thread is about to execute something.
    fn pass(&mut self, state: &State, thread: usize, mut at: usize) -> usize {
        let Some((file, line)) = line_of(self.machine, state, thread) else { return at };
        for _ in 0..self.route.len() {
            if self.route.get(at) != Some(&(thread, file, line)) {
                break;
            }
            at += 1;
            self.n_passed = self.n_passed.max(at);
            if let (Some(from), true) = (self.loop_from, at == self.route.len()) {
                at = from;
            }
        }
        at
    }

    /// A thread moves, up to the next instruction.
    fn step(&mut self, from: u32, mut state: State, thread: usize, mut at: usize, label: u64) -> Option<ProgramRun> {
        let mut observer = ProgressObserver { has_marks: self.has_marks, has_progressed: false };
        let mut is_resumed = false;
        let mut n_alone = 0;
        let stop = loop {
            at = self.pass(&state, thread, at);
            self.n_instructions += 1;
            n_alone += 1;
            let stop = self.machine.run(&mut state, thread, until(1, is_resumed), &mut observer);
            is_resumed = stop == Stop::Fuel;
            if !is_resumed || n_alone > MAX_ALONE {
                break stop;
            }
        };
        let edge = Edge { from, to: 0, label, is_progress: observer.has_progressed };
        match stop {
            Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                let kind = self.kind(&state);
                self.arrive(Some(edge), state, thread, at, kind)
            }
            Stop::Exited { .. } => self.arrive(Some(edge), state, thread, at, NodeKind::End),
            Stop::Choice(choice) => self.choose(edge, state, thread, at, choice),
            Stop::TooWide { samples, label, .. } => {
                self.leave_out(&format!("the input {label} has too many values"));
                self.choose(edge, state, thread, at, samples)
            }
            Stop::Infeasible | Stop::LoopHead(..) => None,
            Stop::Fuel => {
                self.leave_out("the program runs too long between the lines of the model");
                None
            }
            Stop::Violated(found) => {
                self.leave_out(&format!("the program does something undefined on the way: {}", found.message));
                None
            }
            Stop::Unmodelled { what, .. } | Stop::Limit { what, .. } => {
                self.leave_out(&format!("the program does something unmodelled: {what}"));
                None
            }
        }
    }

    fn choose(&mut self, edge: Edge, state: State, thread: usize, at: usize, choice: Choice) -> Option<ProgramRun> {
        let (node, is_new) = self.number(&state, thread, at, NodeKind::Choice);
        self.connect(edge, node);
        if is_new {
            self.open.push(Open { node, state, thread, at, what: What::Options(choice) });
        }
        None
    }

    fn kind(&self, state: &State) -> NodeKind {
        if self.machine.runnable(state).is_empty() { NodeKind::End } else { NodeKind::Point }
    }

    /// A point of the execution: asks what holds, and follows it if it is new.
    fn arrive(
        &mut self,
        edge: Option<Edge>,
        state: State,
        thread: usize,
        at: usize,
        kind: NodeKind,
    ) -> Option<ProgramRun> {
        let mut letter = 0;
        for (bit, atom) in self.claim.atoms.iter().enumerate() {
            match self.machine.ask(&state, *atom).0 {
                Answer::Is(holds) => letter |= u64::from(holds) << bit,
                Answer::Depends(choice) => {
                    let (node, is_new) = self.number(&state, thread, at, NodeKind::Question);
                    edge.into_iter().for_each(|edge| self.connect(edge, node));
                    if is_new {
                        self.open.push(Open { node, state, thread, at, what: What::Question(choice) });
                    }
                    return None;
                }
                Answer::Nothing(why) => {
                    self.leave_out(&format!("a proposition has no value: {why}"));
                    return None;
                }
            }
        }
        let (node, is_new) = self.number(&state, thread, at, kind);
        edge.into_iter().for_each(|edge| self.connect(edge, node));
        if !is_new {
            return None;
        }
        let runnable = self.machine.runnable(&state);
        if runnable.iter().any(|thread| *thread >= 64) {
            self.leave_out("the program has more than 64 threads");
            return None;
        }
        let entry = &mut self.graph.nodes[node as usize];
        entry.letter = letter;
        // Threads left when the program has ended do not count.
        let moving = if kind == NodeKind::Point { runnable } else { Vec::new() };
        entry.enabled = moving.iter().fold(0, |enabled, thread| enabled | 1 << *thread);
        if matches!(self.claim.kind, ClaimKind::Invariant) && letter & 1 == 0 {
            let message = format!("the invariant `{}` does not hold", self.claim.text);
            return Some(self.evidence(&state, thread, None, message));
        }
        if kind == NodeKind::Point {
            self.open.push(Open { node, state, thread, at, what: What::Threads });
        }
        None
    }

    /// The node of a state, and whether it is new.
    fn number(&mut self, state: &State, thread: usize, at: usize, kind: NodeKind) -> (u32, bool) {
        let mut key = Vec::new();
        self.machine.key(state, &mut key);
        key.extend([thread as u8, kind as u8]);
        key.extend((at as u32).to_le_bytes());
        let next = self.graph.nodes.len() as u32;
        let n_bytes = key.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.n_bytes += n_bytes;
            self.graph.nodes.push(Node { kind, letter: 0, enabled: 0, edges: Vec::new() });
        }
        (number, number == next)
    }

    fn connect(&mut self, edge: Edge, to: u32) {
        self.graph.nodes[edge.from as usize].edges.push(Edge { to, ..edge });
    }

    /// Looks for an endless execution that violates the claim in what is known of the graph.
    fn look(&mut self) -> Option<ProgramRun> {
        if matches!(self.claim.kind, ClaimKind::Invariant) {
            return None;
        }
        let lasso = lasso::find(&self.graph, self.claim, self.automaton.as_ref(), &|letter| letter)?;
        let found = lasso.from_point(&self.graph).and_then(|lasso| self.rerun(&self.unrolled(lasso)));
        if found.is_none() {
            self.leave_out("an endless execution was found that cannot be run again");
        }
        found
    }

    /// What an input is is known when it is used, perhaps a round later. So where inputs are asked for, the round that is
    /// gone for ever has one before it and one behind it.
    fn unrolled(&self, lasso: Lasso) -> (Lasso, usize) {
        let Lasso { mut edges, start } = lasso;
        let n_edges = edges.len();
        let is_input =
            |edge: &Edge| matches!(self.graph.nodes[edge.from as usize].kind, NodeKind::Choice | NodeKind::Question);
        if !edges[start..].iter().any(is_input) {
            return (Lasso { edges, start }, n_edges);
        }
        let round = edges[start..].to_vec();
        edges.extend(round.iter().chain(&round));
        (Lasso { edges, start: n_edges }, n_edges + round.len())
    }

    /// Runs an execution of the graph again for its decisions, those up to an edge.
    fn rerun(&self, (lasso, end): &(Lasso, usize)) -> Option<ProgramRun> {
        let (mut state, mut thread) = (self.machine.initial(), 0);
        let mut choice: Option<Choice> = None;
        let (mut loop_from, mut until_end) = (None, None);
        for (position, edge) in lasso.edges.iter().enumerate() {
            if position == lasso.start {
                loop_from = Some(self.machine.decisions(&state).len());
            }
            if position == *end {
                until_end = Some(self.machine.decisions(&state).len());
            }
            match self.graph.nodes[edge.from as usize].kind {
                NodeKind::Point => {
                    thread = edge.label as usize;
                    if edge.from != START {
                        state.record_thread(thread);
                    }
                }
                NodeKind::Choice => self.machine.pick(&mut state, &choice.take()?, u128::from(edge.label)),
                NodeKind::Question => {
                    let mut answers = self.claim.atoms.iter().map(|atom| self.machine.ask(&state, *atom).0);
                    let asked = answers.find_map(|answer| match answer {
                        Answer::Depends(choice) => Some(choice),
                        Answer::Is(_) | Answer::Nothing(_) => None,
                    });
                    self.machine.pick(&mut state, &asked?, u128::from(edge.label));
                    continue;
                }
                NodeKind::End => continue,
            }
            let mut observer = ProgressObserver { has_marks: true, has_progressed: false };
            match self.machine.run(&mut state, thread, until(MAX_ALONE, false), &mut observer) {
                Stop::Choice(next) | Stop::TooWide { samples: next, .. } => choice = Some(next),
                Stop::Shared | Stop::Blocked | Stop::ThreadEnded | Stop::Exited { .. } => {}
                Stop::Fuel
                | Stop::LoopHead(..)
                | Stop::Infeasible
                | Stop::Violated(_)
                | Stop::Unmodelled { .. }
                | Stop::Limit { .. } => return None,
            }
        }
        let message = match self.claim.kind {
            ClaimKind::Ltl(_) => format!("the formula `{}` does not hold for this execution", self.claim.text),
            ClaimKind::Livelock => "threads run for ever without progress".to_owned(),
            ClaimKind::Termination | ClaimKind::Invariant => {
                "the execution never ends: it comes back to the same state".to_owned()
            }
        };
        let loop_from = loop_from.unwrap_or_else(|| self.machine.decisions(&state).len());
        let mut evidence = self.evidence(&state, thread, Some(loop_from), message);
        evidence.decisions.truncate(until_end.unwrap_or(usize::MAX));
        Some(evidence)
    }

    fn evidence(&self, state: &State, thread: usize, loop_from: Option<usize>, message: String) -> ProgramRun {
        let kind = self.claim.violation();
        let found = match state.is_ended(thread) {
            true => unpick_program::interp::Violation {
                kind,
                message,
                loc: Loc::NONE,
                function: String::new(),
                thread,
                frames: Vec::new(),
            },
            false => violation(self.machine, state, thread, kind, message),
        };
        let decisions = self.machine.decisions(state);
        ProgramRun { decisions, every_step: true, claim: Some(self.claim.clone()), loop_from, violation: found }
    }
}

/// Up to the next instruction, also while there is only one thread.
fn until(fuel: u64, is_resumed: bool) -> Until {
    Until { fuel, loop_heads: false, shared_access: true, every_step: true, alone_too: true, is_resumed }
}

/// Notices progress, as the program marks it or, if it never does, by threads that start and end.
struct ProgressObserver {
    has_marks: bool,
    has_progressed: bool,
}

impl Observer for ProgressObserver {
    fn wants(&self) -> Wants {
        Wants::RARE
    }

    fn progress(&mut self) {
        self.has_progressed = true;
    }

    fn spawned(&mut self, _: &State, _: usize, _: usize) {
        self.has_progressed |= !self.has_marks;
    }

    fn thread_ended(&mut self, _: &State, _: usize) {
        self.has_progressed |= !self.has_marks;
    }
}
