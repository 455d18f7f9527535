//! Claims about whole executions of programs of several threads, decided on the automata that the programs translate to:
//! the product with a claim, on all cores, with stores and reductions of models.
//!
//! Propositions become expressions over the state vector, a formula the automaton of its negation, an invariant an
//! automaton that comes to its end where it does not hold; livelocks and endless executions are cycles without progress.
//! What is claimed of stutter-equivalent executions is the same, so it does not matter that automata take fewer steps than the
//! program; formulas with "next" are left to the search on the interpreter, and so is everything that does not translate. A
//! violation is led back to the program, round by round, and replayed before it is believed.

use unpick_automaton::{
    Automaton, Binary, Claim as ModelClaim, Expr, LivenessProperty, Location, LocationId, Model, Step, Transition,
    Unary,
};
use unpick_base::Span;
use unpick_logic::{AtomId, Buchi, Cube, Guard, translate};
use unpick_pass::{Profile, Proposition, Purpose, Translation, to_automata};
use unpick_program::interp::{Checks, volatile_kept};
use unpick_program::{FuncId, ViolationKind};
use unpick_system::{
    Answer, AutomatonRun, Claim, ClaimKind, Control, Engine, Evidence, Goal, Guidance, Ledger, ProofKind, Rules,
    RunStatus, Stats, Strategy, Subject, Task, Verdict, has_threads, memory_model,
};

use crate::portfolio::first_able;
use crate::program::{Question, is_internal};
use crate::translated::{merged, volatile_variables};

/// Larger automata of formulas are left to the other search.
const MAX_LOCATIONS: usize = 4_000;

/// The automata of a program whose end is a step say neither that it is the end of all threads nor what has failed.
struct WholeRules<'a>(&'a Translation);

impl Rules for WholeRules<'_> {
    fn may_exit(&self, _: &[u8]) -> bool {
        false
    }

    fn has_race(&self, _: &[u8]) -> bool {
        false
    }

    fn status(&self, state: &[u8]) -> RunStatus {
        if self.0.is_over(state) {
            return RunStatus::Over;
        }
        if self.0.has_failed(state) { RunStatus::Failed } else { RunStatus::Running }
    }
}

/// Decides the claims of a question so, if the program fits and the search can answer; else says why not.
pub(crate) fn answer(
    question: &Question<'_>,
    engines: &[&dyn Engine],
    control: &dyn Control,
) -> Result<Answer, String> {
    if let Some(what) = unfit(question) {
        return Err(what.to_owned());
    }
    let program = question.program;
    let profile = Profile::new(program);
    if profile.threads.is_empty() || profile.threads.len() >= question.strategy.max_threads {
        return Err("no thread was started, or too many were".to_owned());
    }
    let mut functions: Vec<FuncId> = question.claims.iter().flat_map(|claim| claim.atoms.iter().copied()).collect();
    functions.sort_unstable();
    functions.dedup();
    let checks = Checks::ALL.without(ViolationKind::DataRace);
    let purpose = Purpose::Claims { checks, propositions: &functions };
    let translation = to_automata(program, &profile, purpose).map_err(|unfit| unfit.0)?;
    control.milestone(&format!("flat states for claims: {}", translation.summary()));
    let mut all = Answer::new(
        Ledger::default().settle(ProofKind::Exhausted { n_states: 0 }),
        Stats { engine: "flat", ..Stats::default() },
    );
    all.assumptions.push(memory_model(program, question.properties).to_owned());
    all.assumptions.extend(volatile_variables(program).into_iter().filter_map(|id| volatile_kept(program, id)));
    // What a state alone can violate shows first.
    let is_invariant = |claim: &&Claim| matches!(claim.kind, ClaimKind::Invariant);
    let (invariants, others): (Vec<&Claim>, Vec<&Claim>) = question.claims.iter().partition(is_invariant);
    for claim in invariants.into_iter().chain(others) {
        let decider = Decider { question, translation: &translation, functions: &functions, claim, engines, control };
        let Answer { verdict, stats, assumptions, .. } = decider.decide()?;
        all.stats = all.stats.and(stats);
        let new = assumptions.into_iter().filter(|note| !all.assumptions.contains(note));
        let new: Vec<String> = new.collect();
        all.assumptions.extend(new);
        all.verdict = verdict;
        if !matches!(all.verdict, Verdict::Holds(_)) {
            break;
        }
    }
    Ok(all)
}

/// What about the question is not for this search.
fn unfit(question: &Question<'_>) -> Option<&'static str> {
    let Strategy { bounds, unwind, depth, matching, .. } = question.strategy;
    let has_next = |claim: &Claim| matches!(&claim.kind, ClaimKind::Ltl(formula) if formula.has_next());
    let questions = [
        (!has_threads(question.program), "the program has one thread"),
        (bounds.is_some() || unwind.is_some() || depth.is_some(), "a bound is given"),
        (!matching.is_exact(), "states are matched in another way"),
        (question.claims.iter().any(has_next), "a formula counts steps with \"next\""),
    ];
    questions.into_iter().find(|(is_so, _)| *is_so).map(|(_, what)| what)
}

/// Decides one claim.
struct Decider<'a> {
    question: &'a Question<'a>,
    translation: &'a Translation,
    /// The functions that are propositions.
    functions: &'a [FuncId],
    claim: &'a Claim,
    engines: &'a [&'a dyn Engine],
    control: &'a dyn Control,
}

impl Decider<'_> {
    fn decide(&self) -> Result<Answer, String> {
        let (model, watch) = self.watched()?;
        let goals = [Goal::Unseen { watch, is_fair: self.claim.is_fair }];
        let rules = WholeRules(self.translation);
        let subject = Subject::Automata(&model, Some(&rules));
        let task = Task { subject, goals: &goals, strategy: self.question.strategy };
        let mut answer = first_able(self.engines, &task, self.control);
        if let Verdict::Fails(Evidence::Automaton(run)) = &answer.verdict {
            answer.verdict = self.lifted(run)?;
        }
        match &answer.verdict {
            Verdict::Unknown(why) if is_internal(why) || why.is_out_of_memory() => Err(why.summary()),
            Verdict::Unknown(_) | Verdict::Holds(_) | Verdict::Fails(_) => Ok(answer),
        }
    }

    /// The automata with what watches them.
    fn watched(&self) -> Result<(Model, LivenessProperty), String> {
        let mut model = self.translation.model.clone();
        let automaton = match &self.claim.kind {
            ClaimKind::Livelock => return Ok((model, LivenessProperty::NonProgress)),
            ClaimKind::Termination => {
                let proctypes = model.proctypes.iter_mut();
                let locations = proctypes.flat_map(|proctype| proctype.automaton.locations.iter_mut());
                locations.for_each(|location| location.is_progress = false);
                return Ok((model, LivenessProperty::NonProgress));
            }
            ClaimKind::Invariant => invariant(self.proposition(0)),
            ClaimKind::Ltl(formula) => {
                let negated = translate(&formula.negated(), MAX_LOCATIONS).map_err(|error| error.to_string())?;
                let atoms: Vec<&Proposition> = (0..self.claim.atoms.len()).map(|at| self.proposition(at)).collect();
                formula_automaton(&negated, &atoms)
            }
        };
        model.claims.push(ModelClaim {
            name: "claim".into(),
            formula: None,
            automaton: self.with_end(automaton),
            is_stutter_invariant: true,
            span: Span::NONE,
        });
        Ok((model, LivenessProperty::Claim(0)))
    }

    fn proposition(&self, at: usize) -> &Proposition {
        let at = self.functions.binary_search(&self.claim.atoms[at]).expect("every proposition should be translated");
        &self.translation.propositions[at]
    }

    /// The claim sees the end of the program, so that no reduction takes it for a step like others.
    fn with_end(&self, mut automaton: Automaton) -> Automaton {
        if let (Some(start), Some(never)) = (automaton.start, self.translation.never()) {
            automaton.locations[start].transitions.push(transition(Step::Condition(never), start));
        }
        automaton
    }

    /// The violation on the program; or why there is none.
    fn lifted(&self, run: &AutomatonRun) -> Result<Verdict, String> {
        if run.loop_from.is_none() && !matches!(self.claim.kind, ClaimKind::Invariant) {
            return Err("an execution meets what is not translated".to_owned());
        }
        let (turns, loop_from) = self.translation.turns(&run.moves, run.loop_from)?;
        // No turn goes on over the beginning of the endless part.
        let (head, tail) = turns.split_at(loop_from.unwrap_or(turns.len()));
        let mut guided = merged(head);
        let loop_from = loop_from.map(|_| guided.len());
        guided.extend(merged(tail));
        let guidance = Guidance::Turns { turns: guided, loop_from };
        let strategy = Strategy { guidance, ..self.question.strategy.clone() };
        let goals = [Goal::Claim(self.claim.clone())];
        let task = Task { subject: Subject::Program(self.question.program), goals: &goals, strategy: &strategy };
        match first_able(self.engines, &task, self.control).verdict {
            verdict @ Verdict::Fails(_) => Ok(verdict),
            Verdict::Holds(_) | Verdict::Unknown(_) => {
                Err("the way to a violation is not found in the program".to_owned())
            }
        }
    }
}

/// The automaton that comes to its end where an invariant does not hold, or has no value.
fn invariant(proposition: &Proposition) -> Automaton {
    let (stays, ends) = (LocationId(1), LocationId(2));
    let holds = binary(Binary::And, proposition.is_defined.clone(), proposition.value.clone());
    let mut location = Location::default();
    location.transitions.push(transition(Step::Condition(not(holds.clone())), ends));
    location.transitions.push(transition(Step::Condition(holds), stays));
    let mut automaton = Automaton { start: Some(stays), ..Automaton::default() };
    automaton.locations.push(Location::default());
    automaton.locations.push(location);
    automaton.locations.push(end());
    automaton
}

/// A Büchi automaton over propositions, that comes to its end where one of them has no value. Location 0 is none, so
/// state `n` is location `n + 1`.
fn formula_automaton(buchi: &Buchi, atoms: &[&Proposition]) -> Automaton {
    let location_of = |state: usize| LocationId(state as u32 + 1);
    let undefined = LocationId(buchi.n_states as u32 + 1);
    let mut automaton = Automaton { start: Some(location_of(buchi.initial)), ..Automaton::default() };
    automaton.locations.push(Location::default());
    let partial = atoms.iter().filter(|atom| atom.is_defined != Expr::Const(1));
    let is_undefined = joined(Binary::Or, partial.map(|atom| not(atom.is_defined.clone())), 0);
    for state in 0..buchi.n_states {
        let mut location = Location { is_accept: buchi.accepting[state], ..Location::default() };
        if is_undefined != Expr::Const(0) {
            location.transitions.push(transition(Step::Condition(is_undefined.clone()), undefined));
        }
        for edge in &buchi.edges[state] {
            let step = match edge.guard.is_true() {
                true => Step::Skip,
                false => Step::Condition(guard(&edge.guard, atoms)),
            };
            location.transitions.push(transition(step, location_of(edge.target)));
        }
        automaton.locations.push(location);
    }
    automaton.locations.push(end());
    automaton
}

fn end() -> Location {
    let transition = Transition { target: None, ..transition(Step::End, LocationId(0)) };
    Location { is_end: true, transitions: vec![transition], ..Location::default() }
}

fn transition(step: Step, target: LocationId) -> Transition {
    Transition { step, target: Some(target), is_atomic: false, escape: None, statement: 0, span: Span::NONE }
}

fn guard(guard: &Guard, atoms: &[&Proposition]) -> Expr {
    joined(Binary::Or, guard.cubes().iter().map(|cube| self::cube(*cube, atoms)), 0)
}

fn cube(cube: Cube, atoms: &[&Proposition]) -> Expr {
    let literal = |(atom, is_positive): (AtomId, bool)| {
        let value = atoms[atom.0 as usize].value.clone();
        if is_positive { value } else { not(value) }
    };
    joined(Binary::And, cube.literals().map(literal), 1)
}

/// All of them with an operator between; `empty` if there are none.
fn joined(operator: Binary, exprs: impl Iterator<Item = Expr>, empty: i32) -> Expr {
    exprs.reduce(|left, right| binary(operator, left, right)).unwrap_or(Expr::Const(empty))
}

fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

fn not(expr: Expr) -> Expr {
    Expr::Unary(Unary::Not, Box::new(expr))
}
