//! Floats as values: the meaning of every [`FpOp`].

use crate::bits::BitVec;
use crate::float::{FpFormat, FpOp};

/// What an operation gives on values; `width` is that of the result.
pub(crate) fn apply(operation: FpOp, width: u32, args: &[&BitVec]) -> BitVec {
    unreachable!("no constructor should make {operation:?} of width {width} with {} arguments yet", args.len())
}

/// The bit that distinguishes quiet NaNs.
pub(crate) fn quiet_bit(format: FpFormat) -> BitVec {
    let width = format.width();
    BitVec::one(width).shl(&BitVec::new(width, u128::from(format.precision) - 2))
}

/// What an invalid operation gives: negative, quiet, without payload.
pub(crate) fn default_nan(format: FpFormat) -> BitVec {
    let width = format.width();
    let quiet_and_above = u32::from(format.precision) - 2;
    BitVec::ones(width).shl(&BitVec::new(width, u128::from(quiet_and_above)))
}
