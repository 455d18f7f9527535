//! Terms as people read them: nested, and what occurs more than once by name, so that the text is as large as the graph.

use std::collections::HashMap;
use std::fmt;

use crate::arena::Terms;
use crate::node::{Op, Term};

/// A term to be shown; made by [`Terms::display`].
pub struct Display<'a> {
    terms: &'a Terms,
    term: Term,
}

impl Terms {
    /// Shows a term. Nodes that are used more than once come first, each as a definition.
    pub fn display(&self, term: Term) -> Display<'_> {
        Display { terms: self, term }
    }

    /// The name of an operation in texts.
    pub(crate) fn op_name(&self, term: Term) -> String {
        match self.op(term) {
            Op::Zext => format!("zext[{}]", self.width(term)),
            Op::Sext => format!("sext[{}]", self.width(term)),
            Op::Extract => {
                let low = self.extract_low(term);
                format!("extract[{}:{low}]", low + self.width(term) - 1)
            }
            Op::Fp(operation) => crate::text::float_head(operation, self.width(term)).replace(' ', ":"),
            op => crate::text::op_name(op).to_owned(),
        }
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cone = self.terms.cone(&[self.term]);
        let mut uses: HashMap<usize, usize> = HashMap::new();
        for &term in &cone {
            for arg in self.terms.args(term) {
                *uses.entry(arg.index()).or_default() += 1;
            }
        }
        let is_named = |term: Term| uses.get(&term.index()).is_some_and(|&n| n > 1) && self.terms.op(term).arity() > 0;
        for &term in cone.iter().filter(|&&term| is_named(term)) {
            write!(f, "let t{} = ", term.index())?;
            self.write_node(term, &is_named, f)?;
            writeln!(f, ";")?;
        }
        self.write(self.term, &is_named, f)
    }
}

impl Display<'_> {
    fn write(&self, term: Term, is_named: &dyn Fn(Term) -> bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.terms.constant_value(term) {
            return write!(f, "{value}:{}", value.width());
        }
        if term.is_negated() {
            write!(f, "!")?;
        }
        if is_named(term) { write!(f, "t{}", term.index()) } else { self.write_node(term, is_named, f) }
    }

    fn write_node(&self, term: Term, is_named: &dyn Fn(Term) -> bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.op(term) == Op::Input {
            return write!(f, "{}", self.terms.input_name(self.terms.input_of(term)));
        }
        write!(f, "({}", self.terms.op_name(term))?;
        for arg in self.terms.args(term) {
            write!(f, " ")?;
            self.write(arg, is_named, f)?;
        }
        write!(f, ")")
    }
}
