//! Solving: goals are decided in the order of the log, each with the facts before it and no others.
//!
//! Facts are added for good once everything before them is decided; goals are only ever assumed, so that none stays behind
//! and makes later ones hold. Goals are asked about in groups: a model settles those it violates, that there is none settles
//! the group. A model of a violation is replayed by the interpreter before anyone hears of it (`replay.rs`).

use std::cell::Cell;

use unpick_program::Program;
use unpick_system::{Control, Halt, Ledger, ProgramRun, PropertySet, Reason, Site, Snapshot, Stats, Strategy};
use unpick_term::{Evaluator, Model, Term, Terms};

use crate::log::{About, Entry, Goal, Input};
use crate::query::{Outcome, Query};
use crate::replay::{Replay, Replayed};
use crate::symex::{Symex, Work};

/// Why the execution does not go on.
#[derive(Clone, Debug)]
pub(crate) enum Interrupted {
    /// A violation that the interpreter has confirmed.
    Found(Box<ProgramRun>),
    /// The caller stops it.
    Halted(Halt),
    /// It has done as much as one round may.
    Spent,
}

/// Whether executions exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Feasible {
    Yes,
    No,
    Unknown,
}

/// Goals that are asked about at once.
const GROUP: usize = 64;
/// Conflicts for a group of goals, and for one that is left over.
const GROUP_CONFLICTS: u64 = 20_000;
const GOAL_CONFLICTS: u64 = 200_000;
/// Conflicts for the question whether a loop goes on.
const LOOP_CONFLICTS: u64 = 2_000;
/// Conflicts of all questions together.
const RUN_CONFLICTS: u64 = 4_000_000;
/// As many instructions may be executed in one round.
const ROUND_INSTRUCTIONS: u64 = 4_000_000;

/// The solver's side of a run.
pub(crate) struct Solving<'p> {
    query: Query,
    replay: Replay<'p>,
    strategy: &'p Strategy,
    control: &'p dyn Control,
    /// What keeps the run from being a proof.
    pub(crate) ledger: Ledger,
    /// Paths that were not followed to their ends.
    pub(crate) cuts: Vec<Reason>,
    /// Some execution comes to an end.
    pub(crate) is_feasible: bool,
    /// Whether one does could not be found out.
    pub(crate) is_feasibility_open: bool,
    pub(crate) n_queries: u64,
    pub(crate) n_goals: u64,
    n_ends_asked: u32,
}

impl<'p> Solving<'p> {
    pub(crate) fn new(
        program: &'p Program,
        properties: PropertySet,
        strategy: &'p Strategy,
        control: &'p dyn Control,
    ) -> Self {
        Solving {
            query: Query::new(),
            replay: Replay::new(program, properties, strategy),
            strategy,
            control,
            ledger: Ledger::default(),
            cuts: Vec::new(),
            is_feasible: false,
            is_feasibility_open: false,
            n_queries: 0,
            n_goals: 0,
            n_ends_asked: 0,
        }
    }

    /// Tells how far the run is, and whether it is to stop.
    pub(crate) fn poll(&self, terms: &Terms, work: &Work) -> Result<(), Interrupted> {
        let bytes = terms.n_bytes() as u64;
        let at = Snapshot {
            phase: "executing symbolically",
            states: work.joins,
            transitions: work.instructions,
            depth: work.max_depth,
            bytes,
        };
        if let Some(halt) = self.control.poll(&at) {
            return Err(Interrupted::Halted(halt));
        }
        if self.strategy.memory_bytes.is_some_and(|limit| bytes > limit) {
            return Err(Interrupted::Halted(Halt::Memory));
        }
        if work.instructions > ROUND_INSTRUCTIONS { Err(Interrupted::Spent) } else { Ok(()) }
    }

    fn ask(&mut self, terms: &mut Terms, assumption: Term, conflicts: u64) -> Result<Outcome, Interrupted> {
        if assumption == Term::FALSE {
            return Ok(Outcome::Unsatisfiable);
        }
        if self.query.n_conflicts() > RUN_CONFLICTS {
            return Ok(Outcome::Unknown);
        }
        self.n_queries += 1;
        let halt = Cell::new(None);
        let bytes = terms.n_bytes() as u64;
        let stop = || {
            let at = Snapshot { phase: "solving", states: 0, transitions: 0, depth: 0, bytes };
            halt.set(self.control.poll(&at));
            halt.get().is_some()
        };
        let outcome = self.query.check(terms, assumption, conflicts, &stop);
        match halt.get() {
            Some(halt) => Err(Interrupted::Halted(halt)),
            None => Ok(outcome),
        }
    }

    /// Whether some execution satisfies a condition, after all facts so far.
    pub(crate) fn feasible(&mut self, terms: &mut Terms, guard: Term) -> Result<Feasible, Interrupted> {
        Ok(match self.ask(terms, guard, LOOP_CONFLICTS)? {
            Outcome::Satisfiable(_) => Feasible::Yes,
            Outcome::Unsatisfiable => Feasible::No,
            Outcome::Unknown => Feasible::Unknown,
        })
    }

    /// The program ends under this condition.
    pub(crate) fn reach_end(&mut self, terms: &mut Terms, guard: Term) -> Result<(), Interrupted> {
        const MAX_ASKED: u32 = 64;
        self.n_ends_asked += 1;
        if self.n_ends_asked > MAX_ASKED {
            self.is_feasibility_open = true;
            return Ok(());
        }
        match self.ask(terms, guard, GROUP_CONFLICTS)? {
            Outcome::Satisfiable(_) => self.is_feasible = true,
            Outcome::Unsatisfiable => {}
            Outcome::Unknown => self.is_feasibility_open = true,
        }
        Ok(())
    }
}

impl Symex<'_> {
    /// Decides all goals of the log and makes its facts known.
    pub(crate) fn flush(&mut self) -> Result<(), Interrupted> {
        let entries = self.log.take();
        let mut rest = &entries[..];
        while !rest.is_empty() {
            let is_goal = |entry: &Entry| matches!(entry, Entry::Goal(_));
            let goals = rest.iter().enumerate().filter(|(_, entry)| is_goal(entry));
            let end = goals.skip(GROUP).map(|(at, _)| at).next().unwrap_or(rest.len());
            let (group, others) = rest.split_at(end);
            self.decide_group(group)?;
            for entry in group {
                if let Entry::Fact(fact) = entry {
                    self.solving.query.add(&mut self.terms, *fact);
                }
            }
            rest = others;
        }
        Ok(())
    }

    /// Decides the goals of a stretch of the log.
    fn decide_group(&mut self, group: &[Entry]) -> Result<(), Interrupted> {
        let goals: Vec<usize> =
            group.iter().enumerate().filter(|(_, entry)| matches!(entry, Entry::Goal(_))).map(|(at, _)| at).collect();
        self.solving.n_goals += goals.len() as u64;
        let mut left = goals;
        while !left.is_empty() {
            let failures = self.failures(group, &left);
            let any = self.terms.or_all(&failures);
            match self.solving.ask(&mut self.terms, any, GROUP_CONFLICTS)? {
                Outcome::Unsatisfiable => return Ok(()),
                Outcome::Satisfiable(model) => {
                    let mut evaluator = Evaluator::new(&self.terms, &model);
                    let at = failures.iter().position(|failure| evaluator.value(*failure).bits().bit(0));
                    let at = at.expect("a model of some failure should be one of a failure");
                    self.fails(goal_of(&group[left[at]]), &model)?;
                    left.remove(at);
                    self.leave_out(group, &mut left);
                }
                Outcome::Unknown => return self.decide_each(group, &left),
            }
        }
        Ok(())
    }

    /// The conditions under which goals fail, with the facts of the group before each.
    fn failures(&mut self, group: &[Entry], left: &[usize]) -> Vec<Term> {
        let mut failures = Vec::new();
        let mut facts = Term::TRUE;
        for (at, entry) in group.iter().enumerate() {
            match entry {
                Entry::Fact(fact) => facts = self.terms.and(facts, *fact),
                Entry::Goal(goal) if left.contains(&at) => {
                    let wrong = self.terms.not(goal.ok);
                    let fails = self.terms.and(goal.guard, wrong);
                    failures.push(self.terms.and(facts, fails));
                }
                Entry::Goal(_) => {}
            }
        }
        failures
    }

    /// One after the other, where all together were too hard.
    fn decide_each(&mut self, group: &[Entry], left: &[usize]) -> Result<(), Interrupted> {
        for (failure, at) in self.failures(group, left).into_iter().zip(left) {
            let goal = goal_of(&group[*at]);
            match self.solving.ask(&mut self.terms, failure, GOAL_CONFLICTS)? {
                Outcome::Unsatisfiable => {}
                Outcome::Satisfiable(model) => self.fails(goal, &model)?,
                Outcome::Unknown => self.give_up(goal),
            }
        }
        Ok(())
    }

    /// Goals whose failure would say nothing new.
    fn leave_out(&self, group: &[Entry], left: &mut Vec<usize>) {
        left.retain(|at| match &goal_of(&group[*at]).about {
            About::Violation(_) => true,
            About::Open(reason) => !self.solving.ledger.why().reasons().contains(&reason),
            About::Cut(reason) => !self.solving.cuts.contains(reason),
            About::Note(text) => !self.log.assumptions.contains(text),
        });
    }

    /// A goal fails in a model.
    fn fails(&mut self, goal: &Goal, model: &Model) -> Result<(), Interrupted> {
        match &goal.about {
            About::Open(reason) => self.solving.ledger.add(reason.clone()),
            About::Cut(reason) => {
                if !self.solving.cuts.contains(reason) {
                    self.solving.cuts.push(reason.clone());
                }
            }
            About::Note(text) => self.log.note(text),
            About::Violation(kind) => {
                let mut evaluator = Evaluator::new(&self.terms, model);
                let mut inputs: Vec<(&Input, u128)> = Vec::new();
                for input in &self.log.inputs {
                    if evaluator.value(input.guard).bits().bit(0) {
                        inputs.push((input, evaluator.value(input.value).bits().to_u128().unwrap_or(0)));
                    }
                }
                match self.solving.replay.run(&inputs) {
                    Replayed::Confirmed(run) => return Err(Interrupted::Found(run)),
                    Replayed::Open(reason) => self.solving.ledger.add(reason),
                    Replayed::Refuted(how) => {
                        let site = Site::new(self.program, goal.loc);
                        let what = format!("a model of a violation ({kind} at {site}) does not replay: {how}");
                        self.solving.ledger.add(Reason::Internal(what));
                    }
                }
            }
        }
        Ok(())
    }

    /// A goal is too hard.
    fn give_up(&mut self, goal: &Goal) {
        match &goal.about {
            About::Violation(kind) => {
                let what = format!("whether a violation ({kind}) is possible was too hard for the solver");
                let site = Site::new(self.program, goal.loc);
                self.solving.ledger.add(Reason::Unsupported { what, site });
            }
            About::Open(reason) => self.solving.ledger.add(reason.clone()),
            About::Cut(reason) => {
                if !self.solving.cuts.contains(reason) {
                    self.solving.cuts.push(reason.clone());
                }
            }
            About::Note(text) => self.log.note(text),
        }
    }

    /// What the run cost.
    pub(crate) fn stats(&self) -> Stats {
        Stats {
            states: self.work.joins,
            transitions: self.work.instructions,
            depth: self.work.max_depth,
            executions: self.solving.n_queries,
            instructions: self.work.instructions,
            peak_bytes: self.terms.n_bytes() as u64,
            engine: crate::NAME,
            ..Stats::default()
        }
    }
}

fn goal_of(entry: &Entry) -> &Goal {
    match entry {
        Entry::Goal(goal) => goal,
        Entry::Fact(_) => unreachable!("goals should have been picked out"),
    }
}
