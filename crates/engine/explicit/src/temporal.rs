//! Claims about infinite executions (Vardi and Wolper 1986): the complete state graph is built, then searched for
//! accepting cycles of its product with the claim's automaton.
//!
//! Nodes are the states before each access to shared memory, with the propositions that hold in them and the threads
//! that can move; edges are steps of threads. An execution violates a formula if the automaton of the formula's
//! negation accepts it, so accepting components of the product of graph and automaton are looked for. Weak fairness is
//! a property of components as well: an execution that goes through a whole component infinitely often is fair if every
//! thread moves on some edge of it or cannot move in some state of it. That is why the graph is kept: with it, fairness
//! costs nothing, where copies of the state space for each thread would be the alternative. The graph is looked at
//! whenever it has doubled, so that violations show early.

use std::collections::{HashMap, VecDeque};

use unpick_logic::buchi::Buchi;
use unpick_program::interp::{self, Checks, Choice, Machine, Options, State};
use unpick_program::{Program, ViolationKind};
use unpick_store::{Seen, StateId};
use unpick_system::{
    Answer, Budget, Claim, ClaimKind, Control, Engine, Goal, Limit, ProgramRun, ProofKind, PropertySet, Reason,
    Reduction, Stats, Strategy, Task, Unfit, Verdict, Why,
};

use crate::graph::{Adjacency, trim};
use crate::guided_search::{Followed, follow_claim};
use crate::lasso::{self, Lasso};
use crate::macro_step::MacroStepEnd;
use crate::schedule::Scheduled;
use crate::search::Search;
use crate::{MOST_THREADS, free_program};

/// Nodes after which the graph is looked at for the first time.
const FIRST_LOOK: usize = 1_000;
/// What a node or an edge takes, estimated.
const NODE_BYTES: u64 = 64;
const EDGE_BYTES: u64 = 32;
/// The node in which the program starts: there is no choice of a thread.
const START: u32 = 0;
/// The pseudo-thread that runs where the program has ended, and where a proposition needs an input to be known.
const ENDED: usize = u32::MAX as usize;
const ASKING: usize = u32::MAX as usize - 1;

/// The graph of all states.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
}

impl Graph {
    /// Whether an execution may go on for ever without passing a point.
    fn has_cycle_of_choices(&self) -> bool {
        let is_choice = |node: u32| matches!(self.nodes[node as usize].kind, NodeKind::Choice | NodeKind::Question);
        let mut choices = Adjacency::default();
        for (at, node) in self.nodes.iter().enumerate() {
            let next = node.edges.iter().map(|edge| edge.to).filter(|to| is_choice(at as u32) && is_choice(*to));
            choices.push(next);
        }
        trim(&choices).n_left > 0
    }
}

pub(crate) struct Node {
    pub kind: NodeKind,
    /// Which propositions hold.
    pub letter: u64,
    /// Threads that can move.
    pub enabled: u64,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    /// A thread is about to be chosen: a point of the execution.
    Point,
    /// A thread is in the middle of a step.
    Choice,
    /// A proposition needs to know more of an input.
    Question,
    /// The program has ended, or no thread can move.
    End,
}

#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub from: u32,
    pub to: u32,
    /// The thread that moves, or the option taken.
    pub label: u64,
    pub is_progress: bool,
}

/// What is still to be followed.
struct Open {
    node: u32,
    state: State,
    what: What,
}

enum What {
    Threads(Vec<usize>),
    /// In the middle of a step of the thread.
    Options(usize, Choice),
    /// The thread that ran last, one that goes no further, and the choice.
    Questions(usize, Option<usize>, Choice),
}

/// An execution of the graph that is run again.
struct Rerun {
    state: State,
    thread: usize,
    /// It has stopped at this choice.
    choice: Option<Choice>,
}

/// The search; see the module.
pub(crate) struct Temporal<'a, 'p> {
    search: Search<'p>,
    claims: &'a [Claim],
    /// Automata of the negated formulas.
    automata: Vec<Option<Buchi>>,
    /// Functions that are propositions, each once; a letter has a bit for each.
    atoms: Vec<unpick_program::FuncId>,
    graph: Graph,
    numbers: HashMap<StateId, u32, foldhash::fast::RandomState>,
    open: VecDeque<Open>,
    /// The program marks progress itself.
    has_marks: bool,
    n_edges: u64,
}

/// Decides claims about a program's executions as a whole; see the module.
pub struct WholeExecutions;

impl Engine for WholeExecutions {
    fn name(&self) -> &'static str {
        "whole executions"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        free_program(task)?;
        claims(task.goals).map(|_| ()).ok_or(Unfit::Foreign)
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        match (free_program(task), claims(task.goals)) {
            (Ok(program), Some(claims)) => decide(program, &claims, task.strategy, control),
            _not_supported => {
                Answer::new(unsupported("only claims about programs are decided".to_owned()), Stats::default())
            }
        }
    }
}

/// The claims, if goals are about nothing else.
fn claims(goals: &[Goal]) -> Option<Vec<Claim>> {
    let claims = goals.iter().map(|goal| match goal {
        Goal::Claim(claim) => Some(claim.clone()),
        _another_question => None,
    });
    claims.collect()
}

/// Decides all claims about a program. No interleaving is left out between accesses to shared memory.
fn decide(program: &Program, claims: &[Claim], strategy: &Strategy, control: &dyn Control) -> Answer {
    let checks = Checks::ALL.without(ViolationKind::DataRace);
    let options = Options { checks, is_lazy: true, max_enumerate: strategy.max_enumerate, ..Options::default() };
    let machine = Machine::new(program, options);
    let max_threads = strategy.max_threads.min(MOST_THREADS);
    let mut search = Search::new(machine, PropertySet::EMPTY, Reduction::GlobalAccess, max_threads);
    search.alone_too = true;
    let mut atoms: Vec<unpick_program::FuncId> = claims.iter().flat_map(|claim| claim.atoms.iter().copied()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    let has_marks = search.machine.marks_progress();
    let mut temporal = Temporal {
        search,
        claims,
        automata: Vec::new(),
        atoms,
        graph: Graph::default(),
        numbers: HashMap::default(),
        open: VecDeque::new(),
        has_marks,
        n_edges: 0,
    };
    let verdict = temporal.run(&strategy.budget(control));
    let stats = Stats { engine: "explicit", transitions: temporal.n_edges, ..temporal.search.stats() };
    Answer { assumptions: temporal.search.notes().to_vec(), ..Answer::new(verdict, stats) }
}

impl Temporal<'_, '_> {
    fn run(&mut self, budget: &Budget<'_>) -> Verdict {
        if self.atoms.len() > 64 {
            return unsupported("more than 64 different propositions".to_owned());
        }
        for claim in self.claims {
            match automaton(claim) {
                Ok(automaton) => self.automata.push(automaton),
                Err(why) => return unsupported(why),
            }
        }
        let state = self.search.machine.initial();
        if let Some(verdict) = self.arrive(None, state, 0, None, NodeKind::Point, budget) {
            return verdict;
        }
        let mut next_look = FIRST_LOOK;
        while let Some(open) = self.open.pop_front() {
            if let Some(verdict) = self.follow(open, budget) {
                return verdict;
            }
            if self.graph.nodes.len() >= next_look {
                next_look *= 2;
                if let Some(verdict) = self.look() {
                    return verdict;
                }
            }
        }
        if let Some(verdict) = self.look().or_else(|| self.look_closer()) {
            return verdict;
        }
        match self.search.finish() {
            crate::search::End::Finished(ledger) => {
                ledger.settle(ProofKind::Exhausted { n_states: self.search.n_states() })
            }
            crate::search::End::Halted(why) => Verdict::Unknown(why),
            crate::search::End::Found(evidence) => Verdict::from(evidence),
        }
    }

    /// Follows all options of a node.
    fn follow(&mut self, open: Open, budget: &Budget<'_>) -> Option<Verdict> {
        let Open { node, state, what } = open;
        match what {
            What::Threads(threads) => {
                for thread in threads {
                    let mut next = state.clone();
                    if node != START {
                        next.record_thread(thread);
                    }
                    let verdict = self.step(node, next, thread, thread as u64, budget);
                    if verdict.is_some() {
                        return verdict;
                    }
                }
            }
            What::Options(thread, choice) => {
                for option in 0..choice.n_options {
                    let mut next = state.clone();
                    self.search.machine.pick(&mut next, &choice, option);
                    let verdict = self.step(node, next, thread, option as u64, budget);
                    if verdict.is_some() {
                        return verdict;
                    }
                }
            }
            What::Questions(thread, without, choice) => {
                for option in 0..choice.n_options {
                    let mut next = state.clone();
                    self.search.machine.pick(&mut next, &choice, option);
                    let edge = Edge { from: node, to: 0, label: option as u64, is_progress: false };
                    let verdict = self.schedule(Some((node, edge)), next, thread, without, budget);
                    if verdict.is_some() {
                        return verdict;
                    }
                }
            }
        }
        None
    }

    /// A thread moves.
    fn step(&mut self, from: u32, mut state: State, thread: usize, label: u64, budget: &Budget<'_>) -> Option<Verdict> {
        let search = &mut self.search;
        search.observer.footprint.clear();
        search.observer.has_progressed = false;
        let is_choice = self.graph.nodes[from as usize].kind == NodeKind::Choice;
        search.observer.is_retry = is_choice && state.is_at_terminator(search.machine.program, thread);
        (search.has_ended, search.is_dropped) = (false, false);
        let macro_step = search.macro_step(&mut state, thread, false, budget);
        let is_progress = match self.has_marks {
            true => search.observer.has_progressed,
            false => search.observer.footprint.starts_or_ends_threads(),
        };
        let edge = Some((from, Edge { from, to: 0, label, is_progress }));
        match macro_step {
            MacroStepEnd::Value(choice) | MacroStepEnd::Samples(choice) => {
                let (node, is_new) = match self.number(&state, Some(thread), NodeKind::Choice, budget) {
                    Ok(found) => found,
                    Err(verdict) => return Some(*verdict),
                };
                self.connect(edge, node);
                if is_new {
                    self.open.push_back(Open { node, state, what: What::Options(thread, choice) });
                }
                None
            }
            MacroStepEnd::Schedule(_) if self.search.is_dropped => None,
            MacroStepEnd::Schedule(without) => self.schedule(edge, state, thread, without, budget),
            MacroStepEnd::Over if self.search.has_ended => {
                self.arrive(edge, state, thread, None, NodeKind::End, budget)
            }
            MacroStepEnd::Over | MacroStepEnd::Cut { .. } => None,
            MacroStepEnd::Violated(violation) => {
                let what = format!("undefined behaviour on the way: {}", violation.message);
                let site = self.search.site(violation.loc);
                self.search.findings.ledger.add(Reason::Unsupported { what, site });
                None
            }
            MacroStepEnd::Halted(limit) => Some(self.halt(limit)),
        }
    }

    /// Before a choice of thread.
    fn schedule(
        &mut self,
        edge: Option<(u32, Edge)>,
        state: State,
        thread: usize,
        without: Option<usize>,
        budget: &Budget<'_>,
    ) -> Option<Verdict> {
        let kind = match self.search.schedule(&state, thread, None, without) {
            Scheduled::Threads(..) => NodeKind::Point,
            Scheduled::Over | Scheduled::Violated(_) if without.is_some() => NodeKind::Point,
            Scheduled::Over | Scheduled::Violated(_) => NodeKind::End,
        };
        self.arrive(edge, state, thread, without, kind, budget)
    }

    /// A point of the execution: asks what holds, and follows it if it is new.
    fn arrive(
        &mut self,
        edge: Option<(u32, Edge)>,
        state: State,
        thread: usize,
        without: Option<usize>,
        kind: NodeKind,
        budget: &Budget<'_>,
    ) -> Option<Verdict> {
        let letter = match self.letter(&state) {
            Ok(letter) => letter,
            Err(Some(choice)) => {
                let found = self.number(&state, Some(ASKING), NodeKind::Question, budget);
                let (node, is_new) = match found {
                    Ok(found) => found,
                    Err(verdict) => return Some(*verdict),
                };
                self.connect(edge, node);
                if is_new {
                    self.open.push_back(Open { node, state, what: What::Questions(thread, without, *choice) });
                }
                return None;
            }
            Err(None) => return None,
        };
        let running = (kind == NodeKind::End).then_some(ENDED);
        let (node, is_new) = match self.number(&state, running, kind, budget) {
            Ok(found) => found,
            Err(verdict) => return Some(*verdict),
        };
        self.connect(edge, node);
        if !is_new {
            return self.search.poll(budget).map(|limit| self.halt(limit));
        }
        self.graph.nodes[node as usize].letter = letter;
        if let Some(claim) = self.broken_invariant(letter) {
            return Some(self.invariant_fails(&state, thread, claim));
        }
        if kind == NodeKind::Point {
            let mut threads = self.search.machine.runnable(&state);
            if threads.iter().any(|thread| *thread >= 64) {
                let what = "more than 64 threads in a claim about endless executions".to_owned();
                self.search.findings.ledger.add(Reason::unsupported(what));
                return None;
            }
            let entry = &mut self.graph.nodes[node as usize];
            entry.enabled = threads.iter().fold(0, |enabled, thread| enabled | 1 << *thread);
            if let Some(circling) = without {
                // It runs in circles of its own: for the others, the state stays as it is.
                entry.edges.push(Edge { from: node, to: node, label: circling as u64, is_progress: false });
                threads.retain(|thread| *thread != circling);
            }
            self.open.push_back(Open { node, state, what: What::Threads(threads) });
        }
        self.search.poll(budget).map(|limit| self.halt(limit))
    }

    /// Which propositions hold; an input that has to be known first; or nothing, which is a doubt.
    fn letter(&mut self, state: &State) -> Result<u64, Option<Box<Choice>>> {
        let mut letter = 0;
        for (bit, atom) in self.atoms.iter().enumerate() {
            match self.search.machine.ask(state, *atom).0 {
                interp::Answer::Is(holds) => letter |= u64::from(holds) << bit,
                interp::Answer::Depends(choice) => return Err(Some(Box::new(choice))),
                interp::Answer::Nothing(why) => {
                    let what = format!("a proposition has no value: {why}");
                    self.search.findings.ledger.add(Reason::unsupported(what));
                    return Err(None);
                }
            }
        }
        Ok(letter)
    }

    /// The node of a state, and whether it is new.
    fn number(
        &mut self,
        state: &State,
        running: Option<usize>,
        kind: NodeKind,
        budget: &Budget<'_>,
    ) -> Result<(u32, bool), Box<Verdict>> {
        let graph_bytes = self.graph.nodes.len() as u64 * NODE_BYTES + self.n_edges * EDGE_BYTES;
        let limit = budget.memory_bytes.map(|limit| limit.saturating_sub(graph_bytes));
        let seen = self.search.insert(state, running, &Budget { memory_bytes: limit, ..*budget });
        let Some(Seen::Known(id) | Seen::Fresh(id)) = seen else { return Err(Box::new(self.halt(Limit::Memory))) };
        let next = self.graph.nodes.len() as u32;
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.graph.nodes.push(Node { kind, letter: 0, enabled: 0, edges: Vec::new() });
        }
        Ok((number, number == next))
    }

    fn connect(&mut self, edge: Option<(u32, Edge)>, to: u32) {
        if let Some((from, edge)) = edge {
            self.n_edges += 1;
            self.graph.nodes[from as usize].edges.push(Edge { to, ..edge });
        }
    }

    fn broken_invariant(&self, letter: u64) -> Option<usize> {
        self.claims.iter().position(|claim| {
            matches!(claim.kind, ClaimKind::Invariant)
                && claim.atoms.iter().any(|atom| letter >> self.bit(*atom) & 1 == 0)
        })
    }

    fn bit(&self, atom: unpick_program::FuncId) -> usize {
        self.atoms.binary_search(&atom).expect("every proposition should have a bit")
    }

    fn invariant_fails(&mut self, state: &State, thread: usize, claim: usize) -> Verdict {
        let claim = self.claims[claim].clone();
        let message = format!("the invariant `{}` does not hold", claim.text);
        let mut violation = self.search.violation(state, thread, ViolationKind::Invariant, message);
        violation.loc = self.search.own_place(state, thread, violation.loc);
        let decisions = self.search.machine.decisions(state);
        Verdict::from(ProgramRun { decisions, every_step: false, claim: Some(claim), loop_from: None, violation })
    }

    /// Looks for endless executions that violate a claim in what is known of the graph.
    fn look(&mut self) -> Option<Verdict> {
        let claims = self.claims;
        for (claim, automaton) in claims.iter().zip(&self.automata) {
            if let ClaimKind::Invariant = claim.kind {
                continue;
            }
            let letter = |letter: u64| {
                let bit = |(at, atom): (usize, &unpick_program::FuncId)| (letter >> self.bit(*atom) & 1) << at;
                claim.atoms.iter().enumerate().map(bit).sum()
            };
            let found = lasso::find(&self.graph, claim, automaton.as_ref(), &letter);
            // What passes no point is looked at closer in the end.
            if let Some(lasso) = found.and_then(|lasso| lasso.from_point(&self.graph)) {
                return Some(self.lasso_found(claim, &lasso));
            }
        }
        None
    }

    /// A thread that asks for inputs for ever and touches nothing shared passes no point, and its execution is none of
    /// the graph's. Where one can, every instruction is made a point.
    fn look_closer(&mut self) -> Option<Verdict> {
        if !self.graph.has_cycle_of_choices() {
            return None;
        }
        for claim in self.claims.iter().filter(|claim| !matches!(claim.kind, ClaimKind::Invariant)) {
            let counts_steps = matches!(&claim.kind, ClaimKind::Ltl(formula) if formula.has_next());
            let why = match counts_steps {
                true => "a thread may ask for inputs for ever, where \"next\" means nothing".to_owned(),
                false => match follow_claim(&self.search.machine, &[], None, claim) {
                    Followed::Reached(evidence) => return Some(Verdict::from(*evidence)),
                    Followed::Lost { .. } => continue,
                    Followed::Undecided { why } => format!("a thread may ask for inputs for ever: {why}"),
                },
            };
            self.search.findings.ledger.add(Reason::unsupported(why));
        }
        None
    }

    /// Runs an execution of the graph again for its decisions.
    fn lasso_found(&mut self, claim: &Claim, lasso: &Lasso) -> Verdict {
        let mut run = Rerun { state: self.search.machine.initial(), thread: 0, choice: None };
        let mut loop_from = None;
        let mut at = 0;
        for (position, edge) in lasso.edges.iter().enumerate() {
            if position == lasso.start {
                loop_from = Some(self.search.machine.decisions(&run.state).len());
            }
            if !self.retrace(&mut run, at, edge) {
                return unsupported("internal: an execution of the graph cannot be run again".to_owned());
            }
            at = edge.to;
        }
        let Rerun { state, thread, .. } = run;
        let decisions = self.search.machine.decisions(&state);
        let loop_from = loop_from.or(Some(decisions.len()));
        let message = match claim.kind {
            ClaimKind::Ltl(_) => format!("the formula `{}` does not hold for this execution", claim.text),
            ClaimKind::Livelock => "threads run for ever without progress".to_owned(),
            ClaimKind::Termination | ClaimKind::Invariant => {
                "the execution never ends: it comes back to the same state".to_owned()
            }
        };
        let mut violation = self.search.violation(&state, thread, claim.violation(), message);
        violation.loc = self.search.own_place(&state, thread, violation.loc);
        Verdict::from(ProgramRun { decisions, every_step: false, claim: Some(claim.clone()), loop_from, violation })
    }

    /// Takes one edge from the node; whether that was possible.
    fn retrace(&mut self, run: &mut Rerun, from: u32, edge: &Edge) -> bool {
        match self.graph.nodes[from as usize].kind {
            NodeKind::Point => {
                run.thread = edge.label as usize;
                if from != START {
                    run.state.record_thread(run.thread);
                }
                if edge.to == from && self.is_circling(from, edge.label) {
                    // The thread goes round by itself.
                    return true;
                }
            }
            NodeKind::Question => {
                let mut answers = self.atoms.iter().map(|atom| self.search.machine.ask(&run.state, *atom).0);
                let choice = answers.find_map(|answer| match answer {
                    interp::Answer::Depends(choice) => Some(choice),
                    interp::Answer::Is(_) | interp::Answer::Nothing(_) => None,
                });
                let Some(choice) = choice else { return false };
                self.search.machine.pick(&mut run.state, &choice, u128::from(edge.label));
                return true;
            }
            NodeKind::Choice => {
                let Some(choice) = run.choice.take() else { return false };
                self.search.machine.pick(&mut run.state, &choice, u128::from(edge.label));
            }
            NodeKind::End => return true,
        }
        match self.search.macro_step(&mut run.state, run.thread, false, &Budget::UNLIMITED) {
            MacroStepEnd::Value(choice) | MacroStepEnd::Samples(choice) => run.choice = Some(choice),
            MacroStepEnd::Schedule(_) | MacroStepEnd::Over | MacroStepEnd::Cut { .. } => {}
            MacroStepEnd::Violated(_) | MacroStepEnd::Halted(_) => return false,
        }
        true
    }

    /// Whether a thread runs in circles of its own at a node.
    fn is_circling(&self, node: u32, label: u64) -> bool {
        self.graph.nodes[node as usize].edges.first().is_some_and(|edge| edge.to == node && edge.label == label)
    }

    fn halt(&mut self, limit: Limit) -> Verdict {
        match self.search.halt(limit) {
            crate::search::End::Halted(why) => Verdict::Unknown(why),
            crate::search::End::Finished(ledger) => Verdict::Unknown(ledger.why().clone()),
            crate::search::End::Found(evidence) => Verdict::from(evidence),
        }
    }
}

/// The automaton of a formula's negation.
pub(crate) fn automaton(claim: &Claim) -> Result<Option<Buchi>, String> {
    const MAX_STATES: usize = 20_000;
    match &claim.kind {
        ClaimKind::Ltl(formula) => {
            let automaton = unpick_logic::translate::translate(&formula.negated(), MAX_STATES);
            automaton.map(Some).map_err(|error| format!("the formula `{}`: {error}", claim.text))
        }
        ClaimKind::Invariant | ClaimKind::Livelock | ClaimKind::Termination => Ok(None),
    }
}

fn unsupported(what: String) -> Verdict {
    Verdict::Unknown(Why::because(Reason::unsupported(what)))
}
