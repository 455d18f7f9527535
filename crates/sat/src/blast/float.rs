//! Circuits of floats (IEEE 754): one unpacker, one rounder, and between them exact arithmetic on significands.
//!
//! Every operand is unpacked to a normalised significand and a signed exponent without a bias, subnormals too, so that
//! arithmetic knows neither formats nor special values; the rounder makes subnormals, infinities and the largest number of
//! a format again, for all rounding modes. NaNs are those of x86: the first argument that is one, made quiet, else the
//! default NaN. `fmod` and `remainder`, whose circuits grow with the range of the exponent, have none, nor have formats
//! whose leading bit is stored.

mod arithmetic;
mod convert;
mod round;
mod unpack;

use unpick_term::{FpFormat, FpOp};

use super::{Blaster, Word, choose};
use crate::aig::{Aig, Edge};
use crate::solver::Unfinished;
use round::Mode;
use unpack::{Number, unpack};

impl Blaster {
    /// The circuit of an operation on floats.
    pub(super) fn float(&mut self, operation: FpOp, args: &[Word], width: usize) -> Result<Word, Unfinished> {
        let format = operation.format();
        let target = if let FpOp::Convert { to, .. } = operation { to } else { format };
        if format.is_leading_stored || target.is_leading_stored {
            return Err(Unfinished::Failed("floats whose leading bit is stored have no circuit".to_owned()));
        }
        let aig = &mut self.aig;
        let (mode, operands) = match operation.has_rounding() {
            true => (Mode::new(aig, &args[0]), &args[1..]),
            false => (Mode::nearest(), args),
        };
        let bit = |edge: Edge| vec![edge];
        Ok(match operation {
            FpOp::Add(_) => arithmetic::sum(aig, format, &mode, operands),
            FpOp::Mul(_) => arithmetic::product(aig, format, &mode, operands, self.options.multiplier),
            FpOp::Div(_) => self.float_quotient(format, &mode, operands),
            FpOp::Fma(_) => arithmetic::fused(aig, format, &mode, operands, self.options.multiplier),
            FpOp::Sqrt(_) => arithmetic::square_root(aig, format, &mode, &operands[0]),
            FpOp::RoundToIntegral(_) => convert::integral(aig, format, &mode, &operands[0]),
            FpOp::Eq(_) => bit(compare(aig, format, operands, Comparison::Equal)),
            FpOp::Lt(_) => bit(compare(aig, format, operands, Comparison::Less)),
            FpOp::Le(_) => bit(compare(aig, format, operands, Comparison::LessOrEqual)),
            FpOp::IsNan(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) | FpOp::IsSubnormal(_) => {
                let class = unpack::Class::new(aig, format, &operands[0]);
                bit(match operation {
                    FpOp::IsNan(_) => class.nan,
                    FpOp::IsInfinite(_) => class.infinite,
                    FpOp::IsZero(_) => class.zero,
                    _ => class.subnormal,
                })
            }
            FpOp::Convert { from, to } => convert::format(aig, from, to, &mode, &operands[0]),
            FpOp::FromUnsigned(_) => convert::from_integer(aig, format, &mode, &operands[0], Edge::FALSE),
            FpOp::FromSigned(_) => convert::from_integer(aig, format, &mode, &operands[0], super::sign(&operands[0])),
            FpOp::ToUnsigned(_) => convert::to_integer(aig, format, &mode, &operands[0], width, false).0,
            FpOp::ToSigned(_) => convert::to_integer(aig, format, &mode, &operands[0], width, true).0,
            FpOp::FitsUnsigned { width, .. } => {
                bit(convert::to_integer(aig, format, &mode, &operands[0], width.into(), false).1)
            }
            FpOp::FitsSigned { width, .. } => {
                bit(convert::to_integer(aig, format, &mode, &operands[0], width.into(), true).1)
            }
            FpOp::Fmod(_) | FpOp::Remainder(_) => {
                return Err(Unfinished::Failed("`fmod` and `remainder` have no circuit".to_owned()));
            }
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Less,
    LessOrEqual,
}

/// Comparisons need no unpacking: floats of one sign are ordered like their bits.
fn compare(aig: &mut Aig, format: FpFormat, operands: &[Word], comparison: Comparison) -> Edge {
    let [one, other] = [0, 1].map(|at| unpack::Class::new(aig, format, &operands[at]));
    let magnitude = |word: &Word| word[..word.len() - 1].to_vec();
    let (left, right) = (magnitude(&operands[0]), magnitude(&operands[1]));
    let is_same = super::add::equal(aig, &operands[0], &operands[1]);
    let are_zeros = aig.and(one.zero, other.zero);
    let equal = aig.or(is_same, are_zeros);
    let (is_smaller, is_larger) = (super::add::less(aig, &left, &right), super::add::less(aig, &right, &left));
    let (one_sign, other_sign) = (super::sign(&operands[0]), super::sign(&operands[1]));
    let is_same_sign = aig.equal(one_sign, other_sign);
    let with_one_sign = aig.ite(one_sign, is_larger, is_smaller);
    let less = aig.ite(is_same_sign, with_one_sign, one_sign);
    let less = aig.and(less, !are_zeros);
    let result = match comparison {
        Comparison::Equal => equal,
        Comparison::Less => less,
        Comparison::LessOrEqual => aig.or(less, equal),
    };
    aig.and_all(&[result, !one.nan, !other.nan])
}

/// The float of a number, when all special values are told apart.
struct Special {
    nan: Edge,
    infinite: Edge,
    zero: Edge,
    sign: Edge,
}

impl Special {
    /// The float: a NaN by the arguments, an infinity, a zero, or else the finite one.
    fn or(&self, aig: &mut Aig, format: FpFormat, args: &[&Number], finite: &[Edge]) -> Word {
        let signed = |magnitude: Word| [magnitude, vec![self.sign]].concat();
        let (zero, infinity) = (signed(magnitude(format, false)), signed(magnitude(format, true)));
        let result = choose(aig, self.zero, &zero, finite);
        let result = choose(aig, self.infinite, &infinity, &result);
        let nan = nan(aig, format, args);
        choose(aig, self.nan, &nan, &result)
    }
}

/// Zero or infinity without its sign.
fn magnitude(format: FpFormat, is_infinite: bool) -> Word {
    let stored = format.stored() as usize;
    (0..format.width() as usize - 1).map(|at| Edge::constant(is_infinite && at >= stored)).collect()
}

/// The first argument that is a NaN, made quiet; without one the default NaN.
fn nan(aig: &mut Aig, format: FpFormat, args: &[&Number]) -> Word {
    let quiet = format.stored() as usize - 1;
    let default = (0..format.width() as usize).map(|at| Edge::constant(at >= quiet)).collect();
    args.iter().rev().fold(default, |otherwise: Word, arg| {
        let mut own = arg.bits.clone();
        own[quiet] = Edge::TRUE;
        choose(aig, arg.nan, &own, &otherwise)
    })
}

#[cfg(test)]
mod tests;
