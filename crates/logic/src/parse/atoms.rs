//! Which parts of a formula's text become atoms.
//!
//! Connectives between host expressions belong to the formula if every operand but the first can be evaluated in any
//! state: it consists of names, numbers and comparisons. Otherwise the operands before it may be its guard, as in `p &&
//! p->x`, and the largest part without temporal operator stays together as one atom.

use std::collections::HashMap;
use std::ops::Range;

use unpick_base::id::Id;
use unpick_base::{Diagnostic, IdVec};

use super::grammar::{Raw, Shape};
use super::lexer::{Kind, Token, span};
use super::role::{Binary, Unary};
use super::{Atom, Options, too_many_atoms};
use crate::formula::{AtomId, Formula, Node};
use crate::guard::MAX_ATOMS;

/// The atoms met so far.
pub(super) struct Atoms<'a> {
    text: &'a str,
    tokens: &'a [Token],
    options: &'a Options,
    pub(super) items: IdVec<AtomId, Atom>,
    /// By the text without blanks.
    numbers: HashMap<String, AtomId>,
}

impl<'a> Atoms<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], options: &'a Options) -> Self {
        Self { text, tokens, options, items: IdVec::new(), numbers: HashMap::new() }
    }

    /// The formula, atoms numbered in the order of the text.
    pub(super) fn formula(&mut self, raw: &Raw) -> Result<Formula, Diagnostic> {
        let is_negation = matches!(raw.shape, Shape::Unary(Unary::Not, _));
        if !is_negation && is_stateless(raw) && self.must_stay_together(&[raw]) {
            return self.atom(&[raw], Binary::And);
        }
        let node = match &raw.shape {
            Shape::Constant(true) => Node::True,
            Shape::Constant(false) => Node::False,
            Shape::Host => return self.atom(&[raw], Binary::And),
            Shape::Unary(unary, operand) => {
                let operand = self.formula(operand)?;
                match unary {
                    Unary::Not => Node::Not(operand),
                    Unary::Next => Node::Next(operand),
                    Unary::Always => Node::Always(operand),
                    Unary::Eventually => Node::Eventually(operand),
                }
            }
            Shape::Binary(binary, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                match binary {
                    Binary::Implies => Node::Implies(left, right),
                    Binary::Iff => Node::Equivalent(left, right),
                    Binary::Until => Node::Until(left, right),
                    Binary::WeakUntil => Node::WeakUntil(left, right),
                    Binary::Release => Node::Release(left, right),
                    Binary::StrongRelease => Node::StrongRelease(left, right),
                    Binary::And => Node::And(vec![left, right]),
                    Binary::Or => Node::Or(vec![left, right]),
                }
            }
            Shape::List(binary, operands) => {
                let operands = self.list(*binary, operands)?;
                if *binary == Binary::And { Node::And(operands) } else { Node::Or(operands) }
            }
        };
        Ok(Formula::new(node))
    }

    /// Neighbours without temporal operator are looked at together.
    fn list(&mut self, binary: Binary, operands: &[Raw]) -> Result<Vec<Formula>, Diagnostic> {
        let mut formulas = Vec::new();
        for run in operands.chunk_by(|left, right| is_stateless(left) && is_stateless(right)) {
            let run: Vec<&Raw> = run.iter().collect();
            if run.len() > 1 && self.must_stay_together(&run) {
                formulas.push(self.atom(&run, binary)?);
            } else {
                for operand in run {
                    formulas.push(self.formula(operand)?);
                }
            }
        }
        Ok(formulas)
    }

    /// Whether an operand other than the first cannot be evaluated in every state.
    fn must_stay_together(&self, run: &[&Raw]) -> bool {
        let mut leaves = Vec::new();
        for raw in run {
            collect_leaves(raw, &mut leaves);
        }
        leaves.iter().skip(1).any(|leaf| !self.is_total(leaf.clone()))
    }

    /// Whether the expression has a value in every state, as far as its tokens tell.
    fn is_total(&self, range: Range<usize>) -> bool {
        range.clone().all(|at| match self.tokens[at].kind {
            Kind::Word | Kind::Number | Kind::Quoted | Kind::Close(_) => true,
            Kind::Dot | Kind::Compare | Kind::Not | Kind::And | Kind::Or => true,
            // A call has a name before it.
            Kind::Open(sign) => {
                sign == b')' && (at == range.start || !matches!(self.tokens[at - 1].kind, Kind::Word | Kind::Close(_)))
            }
            Kind::Operator => self.tokens[at].text(self.text) == "@",
            Kind::Always | Kind::Eventually | Kind::Arrow | Kind::FatArrow | Kind::Iff => false,
            Kind::Tilde | Kind::Ampersand | Kind::Bar | Kind::Loose => false,
            // The sign of a number.
            Kind::Sign => {
                let after_comparison = at == range.start || self.tokens[at - 1].kind == Kind::Compare;
                after_comparison && at + 1 < range.end && self.tokens[at + 1].kind == Kind::Number
            }
        })
    }

    /// The atom of some neighbours, joined by `binary` if there are several.
    fn atom(&mut self, run: &[&Raw], binary: Binary) -> Result<Formula, Diagnostic> {
        let tokens = match run {
            [raw] => raw.tokens.clone(),
            _ => run[0].outer.start..run[run.len() - 1].outer.end,
        };
        let (start, end) = (self.tokens[tokens.start].start, self.tokens[tokens.end - 1].end);
        let is_expression = matches!(run, [Raw { shape: Shape::Host, .. }]);
        let written = run.windows(2).all(|pair| self.is_written(binary, pair[0], pair[1]));
        let verbatim = is_expression || written && run.iter().all(|raw| self.is_host_text(raw));
        let text = match run {
            _ if verbatim => self.text[start..end].to_owned(),
            [raw] => self.spelled(raw),
            _ => run.iter().map(|raw| format!("({})", self.spelled(raw))).collect::<Vec<_>>().join(sign(binary)),
        };
        let key = if verbatim { self.without_blanks(tokens) } else { text.clone() };
        if let Some(atom) = self.numbers.get(&key) {
            return Ok(Formula::new(Node::Atom(*atom)));
        }
        let span = span(self.options, start, end);
        if self.items.len() == MAX_ATOMS {
            return Err(too_many_atoms(span));
        }
        let atom = self.items.push(Atom { text, span, verbatim });
        self.numbers.insert(key, atom);
        Ok(Formula::atom(u32::try_from(atom.index()).expect("there should be few atoms")))
    }

    fn without_blanks(&self, tokens: Range<usize>) -> String {
        self.tokens[tokens].iter().map(|token| token.text(self.text)).collect::<Vec<_>>().join(" ")
    }

    /// Whether the host reads the text of this formula as the formula is meant.
    fn is_host_text(&self, raw: &Raw) -> bool {
        match &raw.shape {
            Shape::Constant(_) => matches!(self.tokens[raw.tokens.start].kind, Kind::Number),
            Shape::Host => self.tokens[raw.outer.start].kind != Kind::Open(b'}'),
            Shape::Unary(_, operand) => {
                self.tokens[raw.tokens.start].text(self.text) == "!" && self.is_host_text(operand)
            }
            Shape::Binary(..) => false,
            Shape::List(binary, operands) => {
                operands.iter().all(|operand| self.is_host_text(operand))
                    && operands.windows(2).all(|pair| self.is_written(*binary, &pair[0], &pair[1]))
            }
        }
    }

    /// Whether the connective between two neighbours is written as the host writes it.
    fn is_written(&self, binary: Binary, left: &Raw, right: &Raw) -> bool {
        let mut between = self.tokens[left.outer.end..right.outer.start].iter();
        between.all(|token| token.text(self.text) == sign(binary).trim())
    }

    /// A formula without temporal operator as the host would write it.
    fn spelled(&self, raw: &Raw) -> String {
        match &raw.shape {
            Shape::Constant(value) => String::from(if *value { "1" } else { "0" }),
            Shape::Host => {
                let (first, last) = (self.tokens[raw.tokens.start], self.tokens[raw.tokens.end - 1]);
                self.text[first.start..last.end].to_owned()
            }
            Shape::Unary(_, operand) => format!("!({})", self.spelled(operand)),
            Shape::Binary(binary, left, right) => {
                let (left, right) = (self.spelled(left), self.spelled(right));
                match binary {
                    Binary::Implies => format!("!({left}) || ({right})"),
                    Binary::Iff => format!("!({left}) == !({right})"),
                    _ => format!("({left}){}({right})", sign(*binary)),
                }
            }
            Shape::List(binary, operands) => {
                let operands = operands.iter().map(|operand| format!("({})", self.spelled(operand)));
                operands.collect::<Vec<_>>().join(sign(*binary))
            }
        }
    }
}

fn sign(binary: Binary) -> &'static str {
    if binary == Binary::Or { " || " } else { " && " }
}

/// Whether there is no temporal operator.
fn is_stateless(raw: &Raw) -> bool {
    match &raw.shape {
        Shape::Constant(_) | Shape::Host => true,
        Shape::Unary(unary, operand) => *unary == Unary::Not && is_stateless(operand),
        Shape::Binary(binary, left, right) => !binary.is_temporal() && is_stateless(left) && is_stateless(right),
        Shape::List(_, operands) => operands.iter().all(is_stateless),
    }
}

fn collect_leaves(raw: &Raw, leaves: &mut Vec<Range<usize>>) {
    match &raw.shape {
        Shape::Constant(_) => {}
        Shape::Host => leaves.push(raw.tokens.clone()),
        Shape::Unary(_, operand) => collect_leaves(operand, leaves),
        Shape::Binary(_, left, right) => {
            collect_leaves(left, leaves);
            collect_leaves(right, leaves);
        }
        Shape::List(_, operands) => operands.iter().for_each(|operand| collect_leaves(operand, leaves)),
    }
}
