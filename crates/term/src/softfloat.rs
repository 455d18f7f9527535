//! Floats as values: the meaning of every [`FpOp`].

use crate::bits::BitVec;
use crate::float::FpOp;

/// What an operation gives on values; `width` is that of the result.
pub(crate) fn apply(operation: FpOp, width: u32, args: &[&BitVec]) -> BitVec {
    unreachable!("no constructor should make {operation:?} of width {width} with {} arguments yet", args.len())
}
