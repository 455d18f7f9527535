//! Never claims of formulas: the Büchi automaton of the negated formula, over atoms of the model.
//!
//! `&&`, `||`, `!`, `->` and the temporal operators are the formula's; what lies below them is an expression of the
//! model and becomes an atom. The automaton of the negation has one location for each of its states. A state that
//! accepts every continuation becomes the end of the claim, as in SPIN's claims, so that no search for a cycle is
//! needed from there.

use std::collections::HashMap;

use unpick_automaton::{
    Automaton, Binary as IrBinary, Claim, Expr, Location, LocationId, Step, Transition, Unary as IrUnary,
};
use unpick_base::Span;
use unpick_logic::formula::{AtomId, Formula, Node};
use unpick_logic::stutter::{Stuttering, stuttering};
use unpick_logic::{Buchi, Cube, Guard, MAX_ATOMS, translate};

use super::Sema;
use crate::printer::expr_text;
use crate::syntax::{self, Binary, ExprKind, Name, Unary};

/// How many states an automaton may have on the way.
const MAX_STATES: usize = 10_000;

/// The expressions that a formula speaks of; equal ones are one atom.
#[derive(Default)]
struct Atoms {
    numbers: HashMap<String, u32>,
    exprs: Vec<Expr>,
}

impl Sema<'_> {
    pub(super) fn ltl(&mut self, ltl: &syntax::Ltl) {
        let name: Name = match &ltl.name {
            Some(name) => name.clone(),
            None => {
                self.n_unnamed_formulas += 1;
                format!("ltl_{}", self.n_unnamed_formulas - 1).into()
            }
        };
        self.check_claim_name(&name, ltl.at.0);
        let mut atoms = Atoms::default();
        let Some(formula) = self.formula(&ltl.formula, &mut atoms) else { return };
        if atoms.exprs.len() > MAX_ATOMS {
            return self.error(ltl.at.0, format!("formula `{name}` has more than {MAX_ATOMS} different expressions"));
        }
        let automaton = match translate(&formula.negated(), MAX_STATES) {
            Ok(automaton) => automaton,
            Err(why) => return self.error(ltl.at.0, format!("formula `{name}` cannot be translated: {why}")),
        };
        let is_stutter_invariant = stuttering(&formula, MAX_STATES) == Stuttering::Invariant;
        self.model.claims.push(Claim {
            name,
            formula: Some(expr_text(&ltl.formula).into()),
            automaton: claim_automaton(&automaton, &atoms.exprs, ltl.at.0),
            is_stutter_invariant,
            span: ltl.at.0,
        });
    }

    fn formula(&mut self, expr: &syntax::Expr, atoms: &mut Atoms) -> Option<Formula> {
        Some(Formula::new(match &expr.kind {
            ExprKind::Literal(0, _) => Node::False,
            ExprKind::Literal(_, _) => Node::True,
            ExprKind::Unary(operator, operand) if operator.is_temporal() || *operator == Unary::Not => {
                let operand = self.formula(operand, atoms)?;
                match operator {
                    Unary::Next => Node::Next(operand),
                    Unary::Always => Node::Always(operand),
                    Unary::Eventually => Node::Eventually(operand),
                    Unary::Not | Unary::Minus | Unary::Complement => Node::Not(operand),
                }
            }
            ExprKind::Binary(operator, left, right) if is_connective(*operator) => {
                let (left, right) = (self.formula(left, atoms), self.formula(right, atoms));
                connective(*operator, left?, right?)
            }
            _ => {
                let value = self.value(expr)?;
                let next = atoms.exprs.len() as u32;
                let number = *atoms.numbers.entry(expr_text(expr)).or_insert(next);
                if number == next {
                    atoms.exprs.push(value);
                }
                Node::Atom(AtomId(number))
            }
        }))
    }
}

fn is_connective(operator: Binary) -> bool {
    operator.is_temporal() || matches!(operator, Binary::And | Binary::Or)
}

fn connective(operator: Binary, left: Formula, right: Formula) -> Node {
    match operator {
        Binary::Implies => Node::Implies(left, right),
        Binary::Equivalent => Node::Equivalent(left, right),
        Binary::Until => Node::Until(left, right),
        Binary::WeakUntil => Node::WeakUntil(left, right),
        Binary::Release => Node::Release(left, right),
        Binary::And => Node::And(vec![left, right]),
        _ => Node::Or(vec![left, right]),
    }
}

/// The automaton over expressions; location 0 is none, so state `n` is location `n + 1`.
fn claim_automaton(automaton: &Buchi, atoms: &[Expr], span: Span) -> Automaton {
    let location_of = |state: usize| LocationId(state as u32 + 1);
    let mut claim = Automaton { start: Some(location_of(automaton.initial)), ..Automaton::default() };
    claim.locations.push(Location::default());
    for state in 0..automaton.n_states {
        let mut location = Location { is_accept: automaton.accepting[state], span, ..Location::default() };
        let mut add = |step: Step, target: Option<LocationId>| {
            let statement = location.transitions.len() as u32;
            let transition = Transition { step, target, is_atomic: false, escape: None, statement, span };
            location.transitions.push(transition);
        };
        if is_final(automaton, state) {
            add(Step::End, None);
            location.is_end = true;
        } else {
            for edge in &automaton.edges[state] {
                let step = if edge.guard.is_true() { Step::Skip } else { Step::Condition(guard(&edge.guard, atoms)) };
                add(step, Some(location_of(edge.target)));
            }
        }
        claim.locations.push(location);
    }
    claim
}

/// Whether every continuation is accepted, by staying here.
fn is_final(automaton: &Buchi, state: usize) -> bool {
    automaton.accepting[state]
        && matches!(&automaton.edges[state][..], [edge] if edge.target == state && edge.guard.is_true())
}

fn guard(guard: &Guard, atoms: &[Expr]) -> Expr {
    joined(IrBinary::Or, guard.cubes().iter().map(|cube| self::cube(*cube, atoms)), 0)
}

fn cube(cube: Cube, atoms: &[Expr]) -> Expr {
    let literal = |(atom, is_positive): (AtomId, bool)| {
        let expr = atoms[atom.0 as usize].clone();
        if is_positive { expr } else { Expr::Unary(IrUnary::Not, Box::new(expr)) }
    };
    joined(IrBinary::And, cube.literals().map(literal), 1)
}

/// All of them with an operator between; `empty` if there are none.
fn joined(operator: IrBinary, exprs: impl Iterator<Item = Expr>, empty: i32) -> Expr {
    exprs.reduce(|left, right| Expr::Binary(operator, Box::new(left), Box::new(right))).unwrap_or(Expr::Const(empty))
}
