//! Negation normal form and simplification (Etessami and Holzmann, CONCUR 2000; Somenzi and Bloem, CAV 2000), applied
//! by the constructors of terms.
//!
//! Each rule is an equivalence, tried once where a term is made, from the inside out. The rules are the usual ones of
//! translations of LTL: constants, idempotence, absorption by syntactic implication, collecting operands with a common
//! side, moving `X` outwards, and the collapse of nested modalities whose operand is already eventual or universal.

use std::collections::HashMap;

use crate::formula::{AtomId, Formula, Node};
use crate::term::{Term, TermId, Terms};

/// An equivalent formula that is usually shorter, in negation normal form.
pub fn simplify(formula: &Formula) -> Formula {
    let mut terms = Terms::new();
    let id = terms.from_formula(formula);
    terms.to_formula(id, &mut HashMap::new())
}

/// The formula with negations at atoms only, and without implication, equivalence, `W` and `M`.
pub fn negation_normal_form(formula: &Formula) -> Formula {
    Normal { done: HashMap::new() }.formula(formula, true)
}

/// Normal forms found so far, by the place of the formula and whether it is negated: `<->` needs both of each side.
struct Normal {
    done: HashMap<(usize, bool), Formula>,
}

impl Normal {
    fn formula(&mut self, formula: &Formula, positive: bool) -> Formula {
        let place = (formula.address(), positive);
        if let Some(done) = self.done.get(&place) {
            return done.clone();
        }
        let normal = self.fresh(formula, positive);
        self.done.insert(place, normal.clone());
        normal
    }

    fn fresh(&mut self, formula: &Formula, positive: bool) -> Formula {
        let mut same = |formula: &Formula| self.formula(formula, positive);
        let node = match (formula.node(), positive) {
            (Node::True, true) | (Node::False, false) => Node::True,
            (Node::True, false) | (Node::False, true) => Node::False,
            (Node::Atom(_), true) => return formula.clone(),
            (Node::Atom(_), false) => Node::Not(formula.clone()),
            (Node::Not(operand), _) => return self.formula(operand, !positive),
            (Node::And(operands), true) | (Node::Or(operands), false) => {
                Node::And(operands.iter().map(&mut same).collect())
            }
            (Node::And(operands), false) | (Node::Or(operands), true) => {
                Node::Or(operands.iter().map(&mut same).collect())
            }
            (Node::Implies(left, right), true) => Node::Or(vec![self.formula(left, false), self.formula(right, true)]),
            (Node::Implies(left, right), false) => {
                Node::And(vec![self.formula(left, true), self.formula(right, false)])
            }
            (Node::Equivalent(left, right), _) => {
                let (yes, no) = (self.formula(left, true), self.formula(left, false));
                let (also, other) = (self.formula(right, positive), self.formula(right, !positive));
                Node::Or(vec![Formula::and(vec![yes, also]), Formula::and(vec![no, other])])
            }
            (Node::Next(operand), _) => Node::Next(same(operand)),
            (Node::Eventually(operand), true) | (Node::Always(operand), false) => Node::Eventually(same(operand)),
            (Node::Eventually(operand), false) | (Node::Always(operand), true) => Node::Always(same(operand)),
            (Node::Until(left, right), true) | (Node::Release(left, right), false) => {
                Node::Until(same(left), same(right))
            }
            (Node::Until(left, right), false) | (Node::Release(left, right), true) => {
                Node::Release(same(left), same(right))
            }
            (Node::WeakUntil(left, right), true) | (Node::StrongRelease(left, right), false) => {
                Node::Release(same(right), Formula::or(vec![same(left), same(right)]))
            }
            (Node::WeakUntil(left, right), false) | (Node::StrongRelease(left, right), true) => {
                Node::Until(same(right), Formula::and(vec![same(left), same(right)]))
            }
        };
        Formula::new(node)
    }
}

impl Terms {
    /// The simplified term of a formula.
    pub(crate) fn from_formula(&mut self, formula: &Formula) -> TermId {
        self.from_shared(formula, &mut HashMap::new())
    }

    fn from_shared(&mut self, formula: &Formula, done: &mut HashMap<usize, TermId>) -> TermId {
        if let Some(id) = done.get(&formula.address()) {
            return *id;
        }
        let operands = formula.node().operands().into_iter().map(|operand| self.from_shared(operand, done)).collect();
        let id = self.connective(formula.node(), operands);
        done.insert(formula.address(), id);
        id
    }

    /// The term of a node whose operands are known.
    fn connective(&mut self, node: &Node, operands: Vec<TermId>) -> TermId {
        match node {
            Node::True => self.truth,
            Node::False => self.falsehood,
            Node::Atom(atom) => self.literal(*atom, true),
            Node::Not(_) => self.dual(operands[0]),
            Node::And(_) => self.and(operands),
            Node::Or(_) => self.or(operands),
            Node::Next(_) => self.next(operands[0]),
            Node::Eventually(_) => self.until(self.truth, operands[0]),
            Node::Always(_) => self.release(self.falsehood, operands[0]),
            Node::Until(..) => self.until(operands[0], operands[1]),
            Node::Release(..) => self.release(operands[0], operands[1]),
            Node::WeakUntil(..) => {
                let right = operands[1];
                let either = self.or(operands);
                self.release(right, either)
            }
            Node::StrongRelease(..) => {
                let right = operands[1];
                let both = self.and(operands);
                self.until(right, both)
            }
            Node::Implies(..) => {
                let not_left = self.dual(operands[0]);
                self.or(vec![not_left, operands[1]])
            }
            Node::Equivalent(..) => {
                let neither = operands.iter().map(|operand| self.dual(*operand)).collect();
                let (both, neither) = (self.and(operands), self.and(neither));
                self.or(vec![both, neither])
            }
        }
    }

    /// The formula of a term.
    fn to_formula(&self, id: TermId, done: &mut HashMap<TermId, Formula>) -> Formula {
        if let Some(formula) = done.get(&id) {
            return formula.clone();
        }
        let mut list = |operands: &[TermId]| operands.iter().map(|operand| self.to_formula(*operand, done)).collect();
        let node = match self.get(id) {
            Term::True => Node::True,
            Term::False => Node::False,
            Term::Literal(atom, true) => Node::Atom(*atom),
            Term::Literal(atom, false) => Node::Not(Formula::new(Node::Atom(*atom))),
            Term::And(operands) => Node::And(list(operands)),
            Term::Or(operands) => Node::Or(list(operands)),
            Term::Next(operand) => Node::Next(self.to_formula(*operand, done)),
            Term::Until(left, right) if *left == self.truth => Node::Eventually(self.to_formula(*right, done)),
            Term::Release(left, right) if *left == self.falsehood => Node::Always(self.to_formula(*right, done)),
            Term::Until(left, right) => Node::Until(self.to_formula(*left, done), self.to_formula(*right, done)),
            Term::Release(left, right) => Node::Release(self.to_formula(*left, done), self.to_formula(*right, done)),
        };
        let formula = Formula::new(node);
        done.insert(id, formula.clone());
        formula
    }

    /// An atom or its negation.
    pub(crate) fn literal(&mut self, atom: AtomId, positive: bool) -> TermId {
        self.intern(Term::Literal(atom, positive))
    }

    /// The negation.
    pub(crate) fn dual(&mut self, id: TermId) -> TermId {
        if let Some(dual) = self.duals.get(&id) {
            return *dual;
        }
        let dual = match self.get(id).clone() {
            Term::True => self.falsehood,
            Term::False => self.truth,
            Term::Literal(atom, positive) => self.literal(atom, !positive),
            Term::And(operands) => {
                let operands = operands.iter().map(|operand| self.dual(*operand)).collect();
                self.or(operands)
            }
            Term::Or(operands) => {
                let operands = operands.iter().map(|operand| self.dual(*operand)).collect();
                self.and(operands)
            }
            Term::Next(operand) => {
                let operand = self.dual(operand);
                self.next(operand)
            }
            Term::Until(left, right) => {
                let (left, right) = (self.dual(left), self.dual(right));
                self.release(left, right)
            }
            Term::Release(left, right) => {
                let (left, right) = (self.dual(left), self.dual(right));
                self.until(left, right)
            }
        };
        self.duals.insert(id, dual);
        self.duals.insert(dual, id);
        dual
    }

    /// `X operand`.
    pub(crate) fn next(&mut self, operand: TermId) -> TermId {
        // match: X true, X false, X []<>a     result: the operand
        if self.is_positionless(operand) { operand } else { self.intern(Term::Next(operand)) }
    }

    /// `left U right`.
    pub(crate) fn until(&mut self, left: TermId, right: TermId) -> TermId {
        // match: a U b with a => b, or b eventual (in particular a constant)     result: b
        if self.is_eventual(right) || self.implies(left, right) {
            return right;
        }
        // match: a U b with !b => a     result: <>b
        let not_right = self.dual(right);
        if left != self.truth && self.implies(not_right, left) {
            return self.until(self.truth, right);
        }
        match self.get(right).clone() {
            // match: a U X b with a = X c or true     result: X (c U b), X <>b
            Term::Next(goal) => match *self.get(left) {
                Term::Next(stay) => {
                    let inner = self.until(stay, goal);
                    return self.next(inner);
                }
                Term::True => {
                    let inner = self.until(left, goal);
                    return self.next(inner);
                }
                _ => {}
            },
            // match: a U (b U c) with a => b     result: b U c;     <>(b U c)     result: <>c
            Term::Until(stay, goal) => {
                if left == self.truth {
                    return self.until(left, goal);
                }
                if self.implies(left, stay) {
                    return right;
                }
            }
            Term::And(operands) if left == self.truth => {
                // match: <>(a && []<>b)     result: <>a && []<>b
                let (outside, inside) = self.split_positionless(&operands);
                if !outside.is_empty() {
                    let inside = self.and(inside);
                    let inside = self.until(left, inside);
                    return self.and([outside, vec![inside]].concat());
                }
            }
            // match: <>(a || <>b)     result: <>(a || b)
            Term::Or(operands) if left == self.truth => {
                let bare: Vec<TermId> = operands.iter().map(|it| self.eventually(*it).unwrap_or(*it)).collect();
                if bare != operands {
                    let bare = self.or(bare);
                    return self.until(left, bare);
                }
            }
            _ => {}
        }
        self.intern(Term::Until(left, right))
    }

    /// `left R right`, by the rules for its negation.
    pub(crate) fn release(&mut self, left: TermId, right: TermId) -> TermId {
        let (not_left, not_right) = (self.dual(left), self.dual(right));
        let dual = self.until(not_left, not_right);
        match *self.get(dual) {
            Term::Until(stay, goal) => {
                let (until, keep) = (self.dual(stay), self.dual(goal));
                let id = self.intern(Term::Release(until, keep));
                self.duals.insert(id, dual);
                self.duals.insert(dual, id);
                id
            }
            _ => self.dual(dual),
        }
    }

    /// The conjunction.
    pub(crate) fn and(&mut self, operands: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for operand in operands {
            match self.get(operand) {
                Term::And(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let flat = self.collect_common(flat, Side::And);
        let mut kept: Vec<TermId> = Vec::new();
        for operand in flat {
            // match: a && b with a => !b     result: false
            if kept.iter().any(|other| self.excludes(*other, operand)) {
                return self.falsehood;
            }
            // match: a && b with a => b     result: a
            if kept.iter().any(|other| self.implies(*other, operand)) {
                continue;
            }
            kept.retain(|other| !self.implies(operand, *other));
            kept.push(operand);
        }
        kept.retain(|operand| *operand != self.truth);
        if kept.contains(&self.falsehood) {
            return self.falsehood;
        }
        kept.sort_unstable();
        match kept[..] {
            [] => self.truth,
            [only] => only,
            _ => self.intern(Term::And(kept)),
        }
    }

    /// The disjunction, as the negation of a conjunction is one.
    pub(crate) fn or(&mut self, operands: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for operand in operands {
            match self.get(operand) {
                Term::Or(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let flat = self.collect_common(flat, Side::Or);
        let mut kept: Vec<TermId> = Vec::new();
        for operand in flat {
            // match: a || b with !a => b     result: true
            let not_operand = self.dual(operand);
            if kept.iter().any(|other| self.implies(not_operand, *other)) {
                return self.truth;
            }
            // match: a || b with a => b     result: b
            if kept.iter().any(|other| self.implies(operand, *other)) {
                continue;
            }
            kept.retain(|other| !self.implies(*other, operand));
            kept.push(operand);
        }
        kept.retain(|operand| *operand != self.falsehood);
        if kept.contains(&self.truth) {
            return self.truth;
        }
        kept.sort_unstable();
        match kept[..] {
            [] => self.falsehood,
            [only] => only,
            _ => self.intern(Term::Or(kept)),
        }
    }

    fn excludes(&mut self, left: TermId, right: TermId) -> bool {
        let not_right = self.dual(right);
        self.implies(left, not_right)
    }

    /// Those that say the same everywhere, and the rest.
    fn split_positionless(&mut self, operands: &[TermId]) -> (Vec<TermId>, Vec<TermId>) {
        operands.iter().partition(|operand| self.is_positionless(**operand))
    }

    /// match: (a R b) && (a R c), (a U c) && (b U c), X a && X b     result: a R (b && c), (a && b) U c, X (a && b)
    /// and the same for `||` with `U` and `R` exchanged.
    fn collect_common(&mut self, operands: Vec<TermId>, side: Side) -> Vec<TermId> {
        let mut groups: Vec<(Shape, TermId, Vec<TermId>)> = Vec::new();
        for operand in operands {
            let (shape, part) = match (self.get(operand), side) {
                (Term::Next(inner), _) => (Shape::Next, *inner),
                (Term::Until(left, right), Side::And) => (Shape::Until(*right), *left),
                (Term::Until(left, right), Side::Or) => (Shape::Until(*left), *right),
                (Term::Release(left, right), Side::And) => (Shape::Release(*left), *right),
                (Term::Release(left, right), Side::Or) => (Shape::Release(*right), *left),
                _ => (Shape::Other(operand), operand),
            };
            match groups.iter_mut().find(|(known, ..)| *known == shape) {
                Some((_, _, parts)) => parts.push(part),
                None => groups.push((shape, operand, vec![part])),
            }
        }
        let join = |terms: &mut Terms, parts: Vec<TermId>| match side {
            Side::And => terms.and(parts),
            Side::Or => terms.or(parts),
        };
        let joined = groups.into_iter().map(|(shape, first, parts)| match (shape, side) {
            _ if parts.len() == 1 => first,
            (Shape::Other(operand), _) => operand,
            (Shape::Next, _) => {
                let inner = join(self, parts);
                self.next(inner)
            }
            (Shape::Until(right), Side::And) => {
                let left = join(self, parts);
                self.until(left, right)
            }
            (Shape::Until(left), Side::Or) => {
                let right = join(self, parts);
                self.until(left, right)
            }
            (Shape::Release(left), Side::And) => {
                let right = join(self, parts);
                self.release(left, right)
            }
            (Shape::Release(right), Side::Or) => {
                let left = join(self, parts);
                self.release(left, right)
            }
        });
        joined.collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    And,
    Or,
}

/// What operands must share to be joined.
#[derive(PartialEq, Eq)]
enum Shape {
    Next,
    Until(TermId),
    Release(TermId),
    Other(TermId),
}
