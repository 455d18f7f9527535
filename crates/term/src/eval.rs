//! The reference evaluator: what every operation means. Constant folding uses the same function, so both cannot differ.

use std::cmp::Ordering;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Op, Sort, Term};
use crate::value::{ArrayValue, Assignment, Value};

/// What an operation gives on values. `low` is the lowest bit of an extraction.
pub(crate) fn apply(op: Op, sort: Sort, low: u64, args: &[&Value]) -> Value {
    match sort {
        Sort::Array { index, .. } => array(op, index, args),
        Sort::Bits(width) => Value::Bits(bits(op, width, low as u32, args)),
    }
}

fn bits(op: Op, width: u32, low: u32, args: &[&Value]) -> BitVec {
    let arg = |position: usize| args[position].bits();
    let truth = BitVec::of_bool;
    match op {
        Op::Not => arg(0).not(),
        Op::And => arg(0).and(arg(1)),
        Op::Xor => arg(0).xor(arg(1)),
        Op::Neg => arg(0).neg(),
        Op::Add => arg(0).add(arg(1)),
        Op::Mul => arg(0).mul(arg(1)),
        Op::Udiv => arg(0).udiv(arg(1)),
        Op::Urem => arg(0).urem(arg(1)),
        Op::Shl => arg(0).shl(arg(1)),
        Op::Lshr => arg(0).lshr(arg(1)),
        Op::Ashr => arg(0).ashr(arg(1)),
        Op::Eq => truth(arg(0) == arg(1)),
        Op::Ult => truth(arg(0).ucmp(arg(1)) == Ordering::Less),
        Op::Slt => truth(arg(0).scmp(arg(1)) == Ordering::Less),
        Op::UmulOverflow => truth(product_overflows(arg(0), arg(1), BitVec::zext)),
        Op::SmulOverflow => truth(product_overflows(arg(0), arg(1), BitVec::sext)),
        Op::Ite => arg(if arg(0).is_zero() { 2 } else { 1 }).clone(),
        Op::Concat => arg(0).concat(arg(1)),
        Op::Extract => arg(0).extract(low + width - 1, low),
        Op::Zext => arg(0).zext(width),
        Op::Sext => arg(0).sext(width),
        Op::Clz => arg(0).clz(),
        Op::Ctz => arg(0).ctz(),
        Op::Popcount => arg(0).popcount(),
        Op::Select => args[0].array().select(index_of(args[1])).clone(),
        Op::Fp(operation) => {
            let values: Vec<&BitVec> = args.iter().map(|value| value.bits()).collect();
            crate::softfloat::apply(operation, width, &values)
        }
        Op::Const | Op::Input => unreachable!("constants and inputs should have been looked up"),
        Op::ConstArray | Op::Store | Op::Fill | Op::Copy => unreachable!("arrays should not have bits"),
    }
}

/// Whether the product in twice the width is more than the product in the width, extended.
fn product_overflows(left: &BitVec, right: &BitVec, extend: impl Fn(&BitVec, u32) -> BitVec) -> bool {
    let width = left.width();
    let exact = extend(left, 2 * width).mul(&extend(right, 2 * width));
    exact != extend(&exact.extract(width - 1, 0), 2 * width)
}

fn index_of(value: &Value) -> u128 {
    value.bits().to_u128().expect("an index should have at most 128 bits")
}

fn array(op: Op, index_width: u32, args: &[&Value]) -> Value {
    let result = match op {
        Op::ConstArray => ArrayValue::new(index_width, args[0].bits().clone()),
        Op::Store => {
            let mut array = args[0].array().clone();
            array.store(index_of(args[1]), args[2].bits().clone());
            array
        }
        Op::Ite => args[if args[0].bits().is_zero() { 2 } else { 1 }].array().clone(),
        Op::Fill => {
            let source = ArrayValue::new(index_width, args[3].bits().clone());
            args[0].array().with_copy(index_of(args[1]), &source, 0, index_of(args[2]))
        }
        Op::Copy => args[0].array().with_copy(index_of(args[1]), args[2].array(), index_of(args[3]), index_of(args[4])),
        Op::Const | Op::Input => unreachable!("constants and inputs should have been looked up"),
        Op::Not
        | Op::And
        | Op::Xor
        | Op::Neg
        | Op::Add
        | Op::Mul
        | Op::Udiv
        | Op::Urem
        | Op::Shl
        | Op::Lshr
        | Op::Ashr
        | Op::Eq
        | Op::Ult
        | Op::Slt
        | Op::UmulOverflow
        | Op::SmulOverflow
        | Op::Concat
        | Op::Extract
        | Op::Zext
        | Op::Sext
        | Op::Clz
        | Op::Ctz
        | Op::Popcount
        | Op::Select
        | Op::Fp(_) => {
            unreachable!("bit-vectors should not be arrays")
        }
    };
    Value::Array(result)
}

/// Evaluates terms of one arena under one assignment; what was evaluated is kept.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    assignment: &'a dyn Assignment,
    values: HashMap<Term, Value, FixedState>,
}

impl<'a> Evaluator<'a> {
    /// Nothing is evaluated yet.
    pub fn new(terms: &'a Terms, assignment: &'a dyn Assignment) -> Self {
        Evaluator { terms, assignment, values: HashMap::default() }
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> Value {
        if !self.values.contains_key(&term.node_term()) {
            for next in self.terms.cone(&[term]) {
                if !self.values.contains_key(&next) {
                    let value = self.node_value(next);
                    self.values.insert(next, value);
                }
            }
        }
        match self.known(term) {
            Value::Bits(bits) if term.is_negated() => Value::Bits(bits.not()),
            value => value.clone(),
        }
    }

    /// The value of a term of at most 128 bits.
    pub fn number(&mut self, term: Term) -> u128 {
        self.value(term).bits().to_u128().expect("a number of 128 bits should be asked for")
    }

    fn node_value(&self, term: Term) -> Value {
        let terms = self.terms;
        match terms.op(term) {
            Op::Const => Value::Bits(terms.constant_value(term).expect("a constant should have a value")),
            Op::Input => {
                let value = self.assignment.value(terms.input_of(term), terms.sort(term));
                assert_eq!(value.sort(), terms.sort(term), "an input's value should have its sort");
                value
            }
            op => {
                let inverted: Vec<(Option<Value>, Term)> = terms
                    .args(term)
                    .into_iter()
                    .map(|arg| (arg.is_negated().then(|| self.inverted(arg)), arg))
                    .collect();
                let args: Vec<&Value> =
                    inverted.iter().map(|(own, arg)| own.as_ref().unwrap_or_else(|| self.known(*arg))).collect();
                apply(op, terms.sort(term), terms.node(term).aux, &args)
            }
        }
    }

    fn known(&self, term: Term) -> &Value {
        self.values.get(&term.node_term()).expect("arguments should be evaluated before")
    }

    fn inverted(&self, term: Term) -> Value {
        Value::Bits(self.known(term).bits().not())
    }
}

impl Terms {
    /// The value of a term under an assignment; [`Evaluator`] for many terms.
    pub fn eval(&self, term: Term, assignment: &dyn Assignment) -> Value {
        Evaluator::new(self, assignment).value(term)
    }
}
