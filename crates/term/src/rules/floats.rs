//! Rules for floats: classes of a result from the classes of the operands, so that nobody needs the circuit of a root to
//! learn whether it is a number; comparisons below exact conversions.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::bits::{BitVec, mask};
use crate::float::{FpFormat, FpOp};
use crate::node::{Args, Node, Op, Term};

pub(super) const FP: &[Rule] = &[
    rule("fp-compare-same", Level::Zero, compare_same),
    rule("fp-nan-of-result", Level::Zero, nan_of_result),
    rule("fp-class-of-root", Level::Zero, class_of_root),
    rule("fp-class-of-bits", Level::Zero, class_of_bits),
    rule("fp-compare-widened", Level::Zero, compare_widened),
    rule("fp-convert-back", Level::Zero, convert_back),
    rule("fp-zero-compared", Level::Zero, zero_compared),
];

fn operation(node: &Node) -> Option<FpOp> {
    match node.op {
        Op::Fp(operation) => Some(operation),
        _ => None,
    }
}

impl Terms {
    /// The operation on floats that made a term, with its arguments.
    fn matches_fp(&self, term: Term) -> Option<(FpOp, Args)> {
        match self.op(term) {
            Op::Fp(operation) if !term.is_negated() => Some((operation, self.args(term))),
            _ => None,
        }
    }
}

/// Whether every number of one format is one of the other.
fn is_exact(from: FpFormat, to: FpFormat) -> bool {
    from.exponent <= to.exponent && from.precision <= to.precision
}

/// match: `x < x`, `x == x`, `x <= x`
/// result: false; whether `x` is a number
fn compare_same(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (format, is_less) = match operation(node)? {
        FpOp::Lt(format) => (format, true),
        FpOp::Eq(format) | FpOp::Le(format) => (format, false),
        _ => return None,
    };
    if node.args[0] != node.args[1] {
        return None;
    }
    if is_less {
        return Some(Term::FALSE);
    }
    Some(terms.fp(FpOp::IsNan(format), &[node.args[0]]).negate_if(true))
}

/// match: whether the result of an operation is a NaN
/// result: whether an operand is one, or their classes are invalid together
/// condition: the operation is a sum, product, quotient, root, rounding or conversion
fn nan_of_result(terms: &mut Terms, node: &Node) -> Option<Term> {
    let FpOp::IsNan(_) = operation(node)? else { return None };
    let (inner, args) = terms.matches_fp(node.args[0])?;
    let format = inner.format();
    let operands = &args[1.min(args.len())..];
    let mut class = |class: fn(FpFormat) -> FpOp, position: usize| terms.fp(class(format), &[operands[position]]);
    match inner {
        FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => Some(Term::FALSE),
        FpOp::RoundToIntegral(_) | FpOp::Convert { .. } => Some(class(FpOp::IsNan, 0)),
        FpOp::Sqrt(_) => {
            let (is_nan, is_zero) = (class(FpOp::IsNan, 0), class(FpOp::IsZero, 0));
            let is_negative = terms.sign(operands[0]);
            let is_invalid = terms.and(is_negative, is_zero.negate_if(true));
            Some(terms.or(is_nan, is_invalid))
        }
        FpOp::Add(_) => {
            let infinite = [class(FpOp::IsInfinite, 0), class(FpOp::IsInfinite, 1)];
            let nans = [class(FpOp::IsNan, 0), class(FpOp::IsNan, 1)];
            let signs = [terms.sign(operands[0]), terms.sign(operands[1])];
            let differ = terms.xor(signs[0], signs[1]);
            let is_invalid = terms.and_all(&[infinite[0], infinite[1], differ]);
            Some(terms.or_all(&[nans[0], nans[1], is_invalid]))
        }
        FpOp::Mul(_) | FpOp::Div(_) => {
            let infinite = [class(FpOp::IsInfinite, 0), class(FpOp::IsInfinite, 1)];
            let zero = [class(FpOp::IsZero, 0), class(FpOp::IsZero, 1)];
            let nans = [class(FpOp::IsNan, 0), class(FpOp::IsNan, 1)];
            let is_product = matches!(inner, FpOp::Mul(_));
            let (one, other) = if is_product { (zero[1], infinite[1]) } else { (infinite[1], zero[1]) };
            let (first, second) = (terms.and(infinite[0], one), terms.and(zero[0], other));
            Some(terms.or_all(&[nans[0], nans[1], first, second]))
        }
        FpOp::Fma(_) | FpOp::Fmod(_) | FpOp::Remainder(_) | FpOp::Eq(_) | FpOp::Lt(_) | FpOp::Le(_) => None,
        FpOp::IsNan(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) | FpOp::IsSubnormal(_) => None,
        FpOp::ToUnsigned(_) | FpOp::ToSigned(_) | FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => None,
    }
}

/// match: whether a square root is zero, infinite, subnormal
/// result: whether the operand is zero, positive infinity; false
/// condition: the least number's root is no subnormal, which an exponent of three bits ensures
fn class_of_root(terms: &mut Terms, node: &Node) -> Option<Term> {
    let class = operation(node)?;
    let (FpOp::Sqrt(format), args) = terms.matches_fp(node.args[0])? else { return None };
    let operand = args[1];
    match class {
        FpOp::IsZero(_) => Some(terms.fp(class, &[operand])),
        FpOp::IsInfinite(_) => {
            let (is_infinite, is_negative) = (terms.fp(class, &[operand]), terms.sign(operand));
            Some(terms.and(is_infinite, is_negative.negate_if(true)))
        }
        FpOp::IsSubnormal(_) if u32::from(format.precision) < 1 << (format.exponent - 1) => Some(Term::FALSE),
        _ => None,
    }
}

/// match: whether `x` is a NaN, infinite, zero, subnormal
/// result: comparisons of the exponent and the significand
/// condition: no operation made `x`, and the leading bit is not stored
fn class_of_bits(terms: &mut Terms, node: &Node) -> Option<Term> {
    let class = operation(node)?;
    let format = match class {
        FpOp::IsNan(format) | FpOp::IsInfinite(format) | FpOp::IsZero(format) | FpOp::IsSubnormal(format) => format,
        _ => return None,
    };
    let float = node.args[0];
    if format.is_leading_stored || terms.matches_fp(float).is_some() {
        return None;
    }
    let stored = format.stored();
    let exponent = terms.extract(float, stored + u32::from(format.exponent) - 1, stored);
    let significand = terms.extract(float, stored - 1, 0);
    let greatest = terms.constant_bits(&BitVec::ones(u32::from(format.exponent)));
    let is_special = terms.eq(exponent, greatest);
    let is_least = terms.is_zero(exponent);
    let is_round = terms.is_zero(significand);
    let (first, second) = match class {
        FpOp::IsNan(_) => (is_special, is_round.negate_if(true)),
        FpOp::IsInfinite(_) => (is_special, is_round),
        FpOp::IsZero(_) => (is_least, is_round),
        _ => (is_least, is_round.negate_if(true)),
    };
    Some(terms.and(first, second))
}

/// match: `convert(x) < convert(y)`, likewise `==`, `<=`; a constant that is exact in the narrower format, too
/// result: `x < y` in the narrower format
/// condition: the conversions are exact, from one format
fn compare_widened(terms: &mut Terms, node: &Node) -> Option<Term> {
    let comparison = operation(node)?;
    let rebuild: fn(FpFormat) -> FpOp = match comparison {
        FpOp::Lt(_) => FpOp::Lt,
        FpOp::Le(_) => FpOp::Le,
        FpOp::Eq(_) => FpOp::Eq,
        _ => return None,
    };
    let wide = comparison.format();
    let [left, right, _] = node.args;
    let source = |terms: &Terms, term: Term| match terms.matches_fp(term) {
        Some((FpOp::Convert { from, .. }, args)) if is_exact(from, wide) => Some((from, args[1])),
        _ => None,
    };
    let narrow = source(terms, left).or(source(terms, right))?.0;
    let mut operands = [left, right];
    for operand in &mut operands {
        *operand = match (source(terms, *operand), terms.constant_u128(*operand)) {
            (Some((from, inner)), _) if from == narrow => inner,
            (None, Some(value)) => narrowed(terms, wide, narrow, value)?,
            _ => return None,
        };
    }
    Some(terms.fp(rebuild(narrow), &operands))
}

/// A constant in a narrower format, if it is exact there.
fn narrowed(terms: &mut Terms, wide: FpFormat, narrow: FpFormat, value: u128) -> Option<Term> {
    let mode = BitVec::zero(crate::float::ROUNDING_WIDTH);
    let convert = |from: FpFormat, to: FpFormat, value: &BitVec| {
        crate::softfloat::apply(FpOp::Convert { from, to }, to.width(), &[&mode, value])
    };
    let value = BitVec::new(wide.width(), value);
    let result = convert(wide, narrow, &value);
    (convert(narrow, wide, &result) == value).then(|| terms.constant_bits(&result))
}

/// match: `convert(convert(x))` to a wider format and back
/// result: `x`, a NaN made quiet
fn convert_back(terms: &mut Terms, node: &Node) -> Option<Term> {
    let FpOp::Convert { from: wide, to } = operation(node)? else { return None };
    let (FpOp::Convert { from, .. }, args) = terms.matches_fp(node.args[1])? else { return None };
    if from != to || !is_exact(from, wide) || from.is_leading_stored {
        return None;
    }
    let float = args[1];
    let is_nan = terms.fp(FpOp::IsNan(from), &[float]);
    let quiet = terms.constant(from.width(), crate::softfloat::quiet_bits(from));
    let quieted = terms.or(float, quiet);
    Some(terms.ite(is_nan, quieted, float))
}

/// match: `x == 0.0`
/// result: whether `x` is zero
fn zero_compared(terms: &mut Terms, node: &Node) -> Option<Term> {
    let FpOp::Eq(format) = operation(node)? else { return None };
    let [left, right, _] = node.args;
    for [one, other] in [[left, right], [right, left]] {
        if terms.constant_u128(one).is_some_and(|value| value & mask(format.width() - 1) == 0) {
            return Some(terms.fp(FpOp::IsZero(format), &[other]));
        }
    }
    None
}
