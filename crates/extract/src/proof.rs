//! Proves by SAT that a table row over-approximates its C fragment: existential (predicate) abstraction (Graf and Saïdi
//! 1997), checked row by row.
//!
//! A row about an object that the model represents differently (a timer as a truth value) is sound if it includes
//! whatever the program may do: for every value before, some path through the row leads to the representation of the
//! value after. The representation is a function of the program's value, the *abstraction* of the object: stated by
//! `Predicate` in the table, or else found among the conditions that the program tests on it. Both sides become
//! circuits, and a SAT solver looks for a behaviour that the row omits.
//!
//! Operations without a meaning in C (overflow, division by zero) are left out: they are errors of the program by
//! themselves. Rows that send, run or wait have no circuits; those stay unverified.

mod evaluate;
mod relate;

use std::collections::HashMap;

use unpick_front_c::ast::ExprKind as CExpr;
use unpick_front_promela::syntax::{Block, Expr, Step, StmtKind};
use unpick_sat::circuit::{Answer, Bit, Circuit};

use crate::code::{Fragment, FragmentId, FragmentKind};
use crate::effect::ObjectId;
use crate::extraction::Decided;
use crate::rules::Origin;
use crate::table::Mapping;
use crate::translate::{falsehood, negation, step, truth};
use evaluate::{Cells, Evaluator, NoCircuit, Way, any, cells_of};
use relate::Relations;

/// Queries that need more learnt clauses stay undecided.
const MAX_LEARNT: u64 = 20_000;

/// How one row relates to one fragment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The row does what the fragment does.
    Equivalent,
    /// The row does that, and perhaps more: it over-approximates the fragment.
    Widens,
    /// The row omits behaviours of the fragment, for example this, and adds none.
    Narrows(String),
    /// The row adds behaviours and omits others, for example this.
    Incomparable(String),
    /// Not decided, for this reason.
    Unknown(String),
}

/// The results for all rows that need a proof.
pub struct Proofs {
    plain: HashMap<FragmentId, Proof>,
    negated: HashMap<FragmentId, Proof>,
    /// Objects with another representation in the model: their names and their abstractions.
    pub abstractions: Vec<(String, String)>,
    abstracted: Vec<ObjectId>,
}

impl Proofs {
    /// Proves or refutes all rows.
    pub fn new(decided: &Decided<'_>) -> Proofs {
        let mut relations = Relations::new(decided);
        let asked = asked(decided, &relations);
        for object in relations.abstracted() {
            choose(decided, &mut relations, object, &asked);
        }
        let (abstractions, abstracted) = (relations.shown(decided), relations.abstracted());
        let mut proofs = Proofs { plain: HashMap::new(), negated: HashMap::new(), abstractions, abstracted };
        for (id, is_negated) in asked {
            let proof = prove(decided, &relations, id, is_negated);
            if is_negated { &mut proofs.negated } else { &mut proofs.plain }.insert(id, proof);
        }
        proofs
    }

    /// Objects with another representation in the model.
    pub fn abstracted(&self) -> &[ObjectId] {
        &self.abstracted
    }

    /// How many rows omit behaviours.
    pub fn n_narrowing(&self) -> usize {
        let all = self.plain.values().chain(self.negated.values());
        all.filter(|proof| matches!(proof, Proof::Narrows(_) | Proof::Incomparable(_))).count()
    }

    /// The result for a fragment, or for the negation of a condition.
    pub fn get(&self, fragment: FragmentId, is_negated: bool) -> Option<&Proof> {
        if is_negated { self.negated.get(&fragment) } else { self.plain.get(&fragment) }
    }
}

/// Fragments whose translation is not literal.
fn asked(decided: &Decided<'_>, relations: &Relations) -> Vec<(FragmentId, bool)> {
    let mut asked = Vec::new();
    for (id, decision) in decided.decisions.plain.iter_enumerated() {
        if !crate::audit::is_written(decided, id) {
            continue;
        }
        let fragment = &decided.context.code.fragments[id];
        let negated = decided.decisions.negated.get(&id).map(|decision| (true, decision));
        for (is_negated, decision) in std::iter::once((false, decision)).chain(negated) {
            let touches_abstracted = fragment.effects.touched().any(|object| relations.is_abstracted(object));
            let is_own = match decision.mapping {
                Mapping::Keep => touches_abstracted,
                Mapping::Text(_) => !matches!(decision.origin, Origin::Library(_)),
                Mapping::Print | Mapping::Comment | Mapping::Hide | Mapping::True | Mapping::False => decision.is_row(),
            };
            if is_own {
                asked.push((id, is_negated));
            }
        }
    }
    asked
}

/// Picks the abstraction of an object under which most of its rows are sound.
fn choose(decided: &Decided<'_>, relations: &mut Relations, object: ObjectId, asked: &[(FragmentId, bool)]) {
    let fragments = &decided.context.code.fragments;
    let concerned: Vec<(FragmentId, bool)> = asked
        .iter()
        .copied()
        .filter(|(id, _)| fragments[*id].effects.touched().any(|touched| touched == object))
        .collect();
    let n_candidates = relations.n_candidates(object);
    let mut best: Option<(usize, usize)> = None;
    for candidate in 0..n_candidates {
        if n_candidates == 1 {
            break;
        }
        relations.pick(object, candidate);
        let is_right = |proof: &Proof| matches!(proof, Proof::Equivalent | Proof::Widens);
        let n_right =
            concerned.iter().filter(|(id, is_negated)| is_right(&prove(decided, relations, *id, *is_negated))).count();
        if best.is_none_or(|(known, _)| n_right > known) {
            best = Some((n_right, candidate));
        }
        if n_right == concerned.len() {
            break;
        }
    }
    relations.pick(object, best.map_or(0, |(_, candidate)| candidate));
}

/// The semantics of a fragment in the program.
struct Concrete {
    /// For conditions: when they hold.
    guard: Bit,
    cells: Cells,
    /// Whether it depends on functions without bodies.
    is_unconstrained: bool,
}

fn prove(decided: &Decided<'_>, relations: &Relations, id: FragmentId, is_negated: bool) -> Proof {
    attempt(decided, relations, id, is_negated).unwrap_or_else(Proof::Unknown)
}

fn attempt(decided: &Decided<'_>, relations: &Relations, id: FragmentId, is_negated: bool) -> Result<Proof, NoCircuit> {
    let fragment = &decided.context.code.fragments[id];
    if fragment.effects.call.is_some() {
        return Err("a function with a body is called".into());
    }
    if relate::is_indeterminate(decided, fragment) {
        return Ok(Proof::Equivalent);
    }
    let block = meaning(decided, id, is_negated)?;
    let mut circuit = Circuit::new(MAX_LEARNT);
    let shapes = &decided.context.shapes;
    let constants = &decided.context.constants;
    // The program's side.
    let holds = |name: &str| relations.concrete(decided, fragment, name);
    let mut program = Evaluator::new(&mut circuit, shapes, &holds, constants);
    let concrete = concrete(decided, fragment, is_negated, &mut program)?;
    let names = relations.names(&block, &program.initial, &concrete.cells);
    for name in &names {
        let Some(shape) = holds(name)? else { continue };
        let mut cells = Vec::new();
        cells_of(name, &shape, shapes, &mut cells);
        for (cell, scalar) in cells {
            program.cell(&cell, &scalar, &Cells::new());
        }
    }
    // What the model holds before and behind.
    let (mut before, mut behind) = (Cells::new(), Cells::new());
    let mut fits = Vec::new();
    let mut fits_behind = Vec::new();
    let no_cells = Cells::new();
    for name in &names {
        relations.held(decided, fragment, name, &mut program, &no_cells, &mut before, &mut fits)?;
        relations.held(decided, fragment, name, &mut program, &concrete.cells, &mut behind, &mut fits_behind)?;
    }
    let (defined, start) = (std::mem::take(&mut program.defined), std::mem::take(&mut program.initial));
    // The model's side.
    let holds = |name: &str| relations.modelled(decided, fragment, name);
    let mut model = Evaluator::new(&mut circuit, shapes, &holds, constants);
    model.initial = before;
    let guard = model.circuit.constant(true);
    let ways = model.ways(&block, Way { guard, cells: Cells::new() })?;
    let before = std::mem::take(&mut model.initial);
    let query =
        InclusionQuery { assumed: [defined, fits].concat(), fits_behind, start, before, behind, concrete, ways };
    Ok(query.answer(&mut circuit, fragment))
}

/// The steps that stand for a fragment in the model, with the names of the program.
fn meaning(decided: &Decided<'_>, id: FragmentId, is_negated: bool) -> Result<Block, NoCircuit> {
    let decision = if is_negated { &decided.decisions.negated[&id] } else { &decided.decisions.plain[id] };
    let fragment = &decided.context.code.fragments[id];
    let is_condition = matches!(fragment.what, FragmentKind::Condition(_));
    match &decision.mapping {
        Mapping::Text(_) => Ok(relate::with_declared(decided.rows().steps(id, is_negated))),
        Mapping::True => Ok(steps_of_condition(truth())),
        Mapping::False => Ok(steps_of_condition(falsehood())),
        Mapping::Print | Mapping::Comment | Mapping::Hide if is_condition => Ok(steps_of_condition(truth())),
        Mapping::Print | Mapping::Comment | Mapping::Hide => Ok(Block::new()),
        Mapping::Keep => match fragment.what {
            FragmentKind::Effect(expr) => decided.context.probe(fragment.unit, |translator| translator.effect(expr)),
            FragmentKind::Condition(expr) => {
                let value = decided.context.probe(fragment.unit, |translator| translator.expr(expr))?;
                Ok(steps_of_condition(if is_negated { negation(value) } else { value }))
            }
            FragmentKind::Declaration(decl) => relate::initial_values(decided, fragment.unit, decl),
            FragmentKind::Assertion(_)
            | FragmentKind::Assumption(_)
            | FragmentKind::Return(_)
            | FragmentKind::Stray(..) => Err("it does more than change data".into()),
        },
    }
}

fn steps_of_condition(expr: Expr) -> Block {
    vec![step(StmtKind::Condition(expr))]
}

/// Evaluates the program's side.
fn concrete(
    decided: &Decided<'_>,
    fragment: &Fragment,
    is_negated: bool,
    program: &mut Evaluator<'_>,
) -> Result<Concrete, NoCircuit> {
    let yes = program.circuit.constant(true);
    match fragment.what {
        FragmentKind::Condition(expr) => {
            let value = decided.context.probe(fragment.unit, |translator| translator.expr(expr));
            let (guard, is_unconstrained) = match value {
                Ok(value) => (program.condition(&value, &Cells::new())?, false),
                // Nobody knows: either.
                Err(_) => (program.circuit.unknown(), true),
            };
            Ok(Concrete { guard: if is_negated { !guard } else { guard }, cells: Cells::new(), is_unconstrained })
        }
        FragmentKind::Effect(expr) => {
            let steps = decided.context.probe(fragment.unit, |translator| translator.effect(expr));
            let (cells, is_unconstrained) = match steps {
                Ok(steps) => (run(program, &steps)?, false),
                Err(_) => (unknown_effect(decided, fragment, program)?, true),
            };
            Ok(Concrete { guard: yes, cells, is_unconstrained })
        }
        FragmentKind::Declaration(decl) => {
            let steps = relate::initial_values(decided, fragment.unit, decl)?;
            Ok(Concrete { guard: yes, cells: run(program, &steps)?, is_unconstrained: false })
        }
        FragmentKind::Assertion(_)
        | FragmentKind::Assumption(_)
        | FragmentKind::Return(_)
        | FragmentKind::Stray(..) => Err("it does more than change data".into()),
    }
}

/// The only path through steps without choices.
fn run(program: &mut Evaluator<'_>, steps: &[Step]) -> Result<Cells, NoCircuit> {
    let guard = program.circuit.constant(true);
    let mut ways = program.ways(&steps.to_vec(), Way { guard, cells: Cells::new() })?;
    ways.pop().map(|way| way.cells).ok_or_else(|| "it has no way through it".into())
}

/// Written objects get any value.
fn unknown_effect(decided: &Decided<'_>, fragment: &Fragment, program: &mut Evaluator<'_>) -> Result<Cells, NoCircuit> {
    let mut cells = Cells::new();
    let FragmentKind::Effect(expr) = fragment.what else { return Ok(cells) };
    let unit = &decided.context.code.units[fragment.unit];
    let assigned = match unit.exprs[expr].kind {
        CExpr::Assign { lhs, .. } | CExpr::CompoundAssign { lhs, .. } | CExpr::IncDec { lhs, .. } => Some(lhs),
        _ => None,
    };
    let place = assigned.map(|lhs| decided.context.probe(fragment.unit, |translator| translator.place(lhs)));
    let mut is_known = true;
    match place {
        Some(Ok((place, _))) => {
            let value = program.circuit.unknown_word(evaluate::WIDTH);
            program.store(&place, &value, &mut cells)?;
        }
        Some(Err(_)) => is_known = false,
        None => {}
    }
    let defs = fragment.effects.defs.iter().filter(|_| !is_known);
    for object in defs.chain(&fragment.effects.havoc) {
        let name = &decided.context.code.objects.get(*object).name;
        match (program.holds)(name)? {
            Some(crate::shape::Shape::Scalar(scalar)) => {
                let value = any(program.circuit, &scalar);
                cells.insert(name.clone(), value);
            }
            Some(_) => return Err(format!("it may write anywhere in `{name}`")),
            None => {}
        }
    }
    Ok(cells)
}

/// Both sides of an inclusion check.
struct InclusionQuery {
    /// Assumptions about the state before.
    assumed: Vec<Bit>,
    /// Whether the model can represent the program's state after.
    fits_behind: Vec<Bit>,
    /// The program's state before.
    start: Cells,
    /// The model's state before.
    before: Cells,
    /// The abstraction of the program's state after.
    behind: Cells,
    concrete: Concrete,
    ways: Vec<Way>,
}

impl InclusionQuery {
    fn answer(&self, circuit: &mut Circuit, fragment: &Fragment) -> Proof {
        let mut any_way = circuit.constant(false);
        let mut other_way = circuit.constant(false);
        for way in &self.ways {
            let same = self.reaches_target(circuit, way);
            let same = circuit.and(same, self.concrete.guard);
            let (right, wrong) = (circuit.and(way.guard, same), circuit.and(way.guard, !same));
            any_way = circuit.or(any_way, right);
            other_way = circuit.or(other_way, wrong);
        }
        let mut missing = self.assumed.clone();
        missing.extend([self.concrete.guard, !any_way]);
        let includes = circuit.ask(&missing);
        let example = (includes == Answer::Possible).then(|| self.example(circuit, fragment));
        let mut more = self.assumed.clone();
        more.push(other_way);
        if self.concrete.is_unconstrained && includes == Answer::Possible {
            return Proof::Unknown("functions without bodies decide on what happens here".into());
        }
        match (includes, circuit.ask(&more), example) {
            (Answer::Impossible, Answer::Impossible, _) => Proof::Equivalent,
            (Answer::Impossible, _, _) => Proof::Widens,
            (Answer::Possible, Answer::Impossible, Some(example)) => Proof::Narrows(example),
            (Answer::Possible, _, Some(example)) => Proof::Incomparable(example),
            (Answer::Possible | Answer::Unknown, _, _) => Proof::Unknown("the question is too hard".into()),
        }
    }

    /// Whether a path of the row ends in the expected abstract state.
    fn reaches_target(&self, circuit: &mut Circuit, way: &Way) -> Bit {
        let mut same = self.fits_behind.iter().fold(circuit.constant(true), |all, bit| circuit.and(all, *bit));
        for (name, expected) in &self.behind {
            let held = way.cells.get(name).or_else(|| self.before.get(name));
            let equal = match held {
                Some(held) => circuit.equal(held, expected),
                None => circuit.constant(false),
            };
            same = circuit.and(same, equal);
        }
        same
    }

    /// The last satisfying assignment in words.
    fn example(&self, circuit: &Circuit, fragment: &Fragment) -> String {
        let shown = |cells: &Cells| -> Vec<String> {
            cells.iter().map(|(name, word)| format!("{name} = {}", circuit.example_word(word))).collect()
        };
        let value = |name: &String, cells: &Cells, otherwise: &Cells| -> Option<i64> {
            cells.get(name).or_else(|| otherwise.get(name)).map(|word| circuit.example_word(word))
        };
        let start = shown(&self.start);
        let at = if start.is_empty() { String::new() } else { format!("with {}, ", start.join(", ")) };
        if matches!(fragment.what, FragmentKind::Condition(_)) {
            return format!("{at}the program goes on here, and the model cannot");
        }
        let wrong = self.behind.iter().filter(|(name, word)| {
            value(name, &self.before, &self.before) != Some(circuit.example_word(word))
                || self.ways.iter().any(|way| way.cells.contains_key(*name))
        });
        let wrong: Vec<String> = wrong.map(|(name, word)| format!("{name} = {}", circuit.example_word(word))).collect();
        let left = shown(&self.concrete.cells);
        let left = match left.is_empty() {
            true => "the program leaves all as it is".to_owned(),
            false => format!("the program leaves {}", left.join(", ")),
        };
        match wrong.is_empty() {
            true => format!("{at}{left}, and the model cannot follow"),
            false => format!("{at}{left}; the model should be able to reach {}", wrong.join(", ")),
        }
    }
}
