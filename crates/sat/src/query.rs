//! Queries about terms: whether some Booleans can be true together, with values of the inputs if they can and with those
//! that contradict each other if they cannot.
//!
//! A context keeps circuits, clauses and what the solver has learnt from query to query. Nothing that is asked is ever
//! asserted; only what holds in every model is: definitions of quotients, and lemmas about arrays. A model is evaluated on
//! the terms themselves before it is handed out, so that no mistake on the way down turns into values.

use std::fmt;

use unpick_lrat::Refutation;
use unpick_term::{BitVec, Evaluator, Model, Op, Term, Terms, Value};

use crate::aig::{Aig, Edge, Gate, Node};
use crate::blast::{BitModel, Blaster, Options};
use crate::cnf::Encoder;
use crate::proof::{self, Unrefuted};
use crate::solver::{Budget, ClauseSink, Clauses, Lit, Outcome, Solver, Unfinished};

/// What came of a query.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// All can be true: with these inputs, for example. Inputs that do not matter have no value.
    Sat(Model),
    /// They cannot; these of them suffice for that.
    Unsat(Vec<Term>),
    /// Not known.
    Unknown(Unfinished),
}

/// How much was built and done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effort {
    /// Nodes of the and-inverter graph.
    pub n_nodes: usize,
    /// Variables of the clauses.
    pub n_variables: usize,
    /// Clauses written.
    pub n_clauses: u64,
    /// Lemmas about arrays.
    pub n_lemmas: usize,
    /// Conflicts of all searches.
    pub n_conflicts: u64,
    /// Queries that went to the solver.
    pub n_queries: u64,
}

/// Circuits and clauses of the terms of one arena, and the solver.
pub struct Context {
    blaster: Blaster,
    encoder: Encoder,
    solver: Counting,
    /// Which definitions are clauses already.
    is_defined: Vec<bool>,
    lemmas: Vec<Edge>,
    n_queries: u64,
}

/// A solver whose variables are counted.
struct Counting {
    solver: Box<dyn Solver>,
    n_variables: usize,
}

impl ClauseSink for Counting {
    fn new_literal(&mut self) -> Lit {
        self.n_variables += 1;
        self.solver.new_literal()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause);
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context").field(&self.effort()).finish()
    }
}

impl Context {
    /// The default solver and circuits.
    pub fn new() -> Context {
        Context::with(crate::default_solver(), Options::default())
    }

    /// A solver without clauses, and choices among circuits.
    pub fn with(solver: Box<dyn Solver>, options: Options) -> Context {
        Context {
            blaster: Blaster::new(options),
            encoder: Encoder::new(),
            solver: Counting { solver, n_variables: 0 },
            is_defined: Vec::new(),
            lemmas: Vec::new(),
            n_queries: 0,
        }
    }

    /// How much was built and done so far.
    pub fn effort(&self) -> Effort {
        Effort {
            n_nodes: self.blaster.aig().len(),
            n_variables: self.solver.n_variables,
            n_clauses: self.encoder.n_clauses(),
            n_lemmas: self.lemmas.len(),
            n_conflicts: self.solver.solver.n_conflicts(),
            n_queries: self.n_queries,
        }
    }

    /// Whether all of these Booleans can be true together. All queries of a context should be about one arena.
    pub fn solve(&mut self, terms: &Terms, assumptions: &[Term], budget: &Budget<'_>) -> Answer {
        match self.search(terms, assumptions, budget) {
            Ok(answer) => answer,
            Err(why) => Answer::Unknown(why),
        }
    }

    fn search(&mut self, terms: &Terms, assumptions: &[Term], budget: &Budget<'_>) -> Result<Answer, Unfinished> {
        let mut assumed: Vec<(Lit, Term)> = Vec::new();
        for term in assumptions {
            match self.blaster.edge(terms, *term)? {
                Edge::FALSE => return Ok(Answer::Unsat(vec![*term])),
                Edge::TRUE => {}
                edge => assumed.push((self.encoder.literal(self.blaster.aig(), edge, &mut self.solver), *term)),
            }
        }
        let cone = terms.cone(assumptions);
        let relevant = self.blaster.reads().relevant(&cone);
        let literals: Vec<Lit> = assumed.iter().map(|(literal, _)| *literal).collect();
        self.n_queries += 1;
        let start = self.solver.solver.n_conflicts();
        loop {
            self.define(!relevant.is_empty());
            let spent = self.solver.solver.n_conflicts() - start;
            let left = budget.conflicts.map(|conflicts| conflicts.saturating_sub(spent));
            match self.solver.solver.solve(&literals, &Budget { conflicts: left, stop: budget.stop }) {
                Outcome::Unknown(why) => return Err(why),
                Outcome::Unsatisfiable => {
                    let core = self.solver.solver.core();
                    let failed = assumed.iter().filter(|(literal, _)| core.contains(literal));
                    return Ok(Answer::Unsat(failed.map(|(_, term)| *term).collect()));
                }
                Outcome::Satisfiable => {}
            }
            let broken = self.broken_lemmas(terms, &relevant);
            if broken.is_empty() {
                let model = self.model(terms, &cone, &relevant);
                return checked(terms, assumptions, model).map(Answer::Sat);
            }
            for lemma in broken {
                let literal = self.encoder.literal(self.blaster.aig(), lemma, &mut self.solver);
                self.solver.add_clause(&[literal]);
                self.lemmas.push(lemma);
            }
        }
    }

    /// Writes the definitions of what the clauses mention, and with arrays, whose models are followed beyond the clauses,
    /// all of them.
    fn define(&mut self, is_every_one: bool) {
        let (blaster, encoder, solver) = (&self.blaster, &mut self.encoder, &mut self.solver);
        define(blaster, encoder, solver, &mut self.is_defined, is_every_one);
    }

    fn broken_lemmas(&mut self, terms: &Terms, relevant: &[u32]) -> Vec<Edge> {
        if relevant.is_empty() {
            return Vec::new();
        }
        let (values, blaster) = (self.input_values(), &mut self.blaster);
        let input = |number: u32| values[number as usize];
        blaster.broken_lemmas(terms, relevant, &mut BitModel::new(&input))
    }

    /// Values of the graph's inputs, by number.
    fn input_values(&self) -> Vec<bool> {
        let value = |node: &Node| {
            let literal = self.encoder.known(Edge::new(*node, false));
            literal.and_then(|literal| self.solver.solver.value(literal)).unwrap_or(false)
        };
        self.blaster.aig().inputs().iter().map(value).collect()
    }

    fn model(&mut self, terms: &Terms, cone: &[Term], relevant: &[u32]) -> Model {
        let values = self.input_values();
        let input = |number: u32| values[number as usize];
        let mut model = Model::new();
        for term in cone.iter().filter(|term| terms.op(**term) == Op::Input) {
            let id = terms.input_of(*term);
            let Some(word) = self.blaster.input(id) else { continue };
            let is_mentioned = word.iter().any(|edge| self.encoder.known(*edge).is_some());
            if is_mentioned {
                model.set(id, Value::Bits(value_of(self.blaster.aig(), word, &input)));
            }
        }
        if !relevant.is_empty() {
            for (id, array) in self.blaster.arrays(terms, relevant, &mut BitModel::new(&input)) {
                model.set(id, Value::Array(array));
            }
        }
        model
    }

    /// Solves afresh that these Booleans cannot be true together, with a proof that is checked.
    ///
    /// Definitions and the lemmas found so far are part of the refuted formula; the Booleans are clauses of it.
    ///
    /// # Errors
    /// They can, or it is not known. Where arrays are read, "they can" may be a lemma that is missing: solve first.
    pub fn refute(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget<'_>,
    ) -> Result<Refutation, Unrefuted> {
        let clauses = self.formula(terms, assumptions).map_err(Unrefuted::Unknown)?;
        proof::refute(&clauses, budget)
    }

    /// The clauses of a query: without a model exactly if the query has none, as far as lemmas are known.
    ///
    /// # Errors
    /// The graph would become larger than allowed.
    pub fn formula(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Clauses, Unfinished> {
        let (mut encoder, mut clauses) = (Encoder::new(), Clauses::new());
        let assumed: Vec<Edge> =
            assumptions.iter().map(|term| self.blaster.edge(terms, *term)).collect::<Result<_, _>>()?;
        for edge in assumed.iter().chain(&self.lemmas) {
            let literal = encoder.literal(self.blaster.aig(), *edge, &mut clauses);
            clauses.add_clause(&[literal]);
        }
        define(&self.blaster, &mut encoder, &mut clauses, &mut Vec::new(), false);
        Ok(clauses)
    }
}

/// Writes definitions until none is missing: one may mention what another defines.
fn define(
    blaster: &Blaster,
    encoder: &mut Encoder,
    sink: &mut dyn ClauseSink,
    is_defined: &mut Vec<bool>,
    is_every_one: bool,
) {
    is_defined.resize(blaster.definitions().len(), false);
    loop {
        let mut is_stable = true;
        for (definition, is_defined) in blaster.definitions().iter().zip(&mut *is_defined) {
            let is_mentioned =
                || definition.defined.iter().any(|node| encoder.known(Edge::new(*node, false)).is_some());
            if *is_defined || !is_every_one && !is_mentioned() {
                continue;
            }
            *is_defined = true;
            is_stable = false;
            let literal = encoder.literal(blaster.aig(), definition.holds, sink);
            sink.add_clause(&[literal]);
        }
        if is_stable {
            return;
        }
    }
}

/// The value of a word of inputs.
fn value_of(aig: &Aig, word: &[Edge], input: &dyn Fn(u32) -> bool) -> BitVec {
    let mut limbs = vec![0_u64; word.len().div_ceil(64)];
    for (position, edge) in word.iter().enumerate() {
        let Gate::Input(number) = aig.gate(edge.node()) else { unreachable!("inputs should stay inputs") };
        limbs[position / 64] |= u64::from(input(number)) << (position % 64);
    }
    BitVec::from_limbs(u32::try_from(word.len()).expect("words should be shorter"), &limbs)
}

/// A model, if the terms are true in it.
fn checked(terms: &Terms, assumptions: &[Term], model: Model) -> Result<Model, Unfinished> {
    let mut evaluator = Evaluator::new(terms, &model);
    let wrong = assumptions.iter().find(|term| evaluator.value(**term).bits().is_zero());
    match wrong {
        None => Ok(model),
        Some(term) => Err(Unfinished::Failed(format!("internal: {term:?} is false in the model of its circuit"))),
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod z3;
