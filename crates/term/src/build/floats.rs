//! Constructors of floats: bit-vectors in their interchange format. A sign is changed by bits; everything else is an
//! [`FpOp`], which stays whole until a solver takes it apart.

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::float::{FpFormat, FpOp, ROUNDING_WIDTH, Rounding};
use crate::node::{Op, Sort, Term};

impl Terms {
    /// The constant of a rounding mode.
    pub fn rounding(&mut self, mode: Rounding) -> Term {
        self.constant(ROUNDING_WIDTH, mode as u128)
    }

    /// An operation on floats but the conversions to integers; see [`FpOp`] for the arguments.
    pub fn fp(&mut self, operation: FpOp, args: &[Term]) -> Term {
        let format = operation.format();
        let width = match operation {
            FpOp::Add(_) | FpOp::Mul(_) | FpOp::Div(_) | FpOp::Fma(_) | FpOp::Sqrt(_) => format.width(),
            FpOp::Fmod(_) | FpOp::Remainder(_) | FpOp::RoundToIntegral(_) => format.width(),
            FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => format.width(),
            FpOp::Convert { to, .. } => to.width(),
            FpOp::Eq(_) | FpOp::Lt(_) | FpOp::Le(_) | FpOp::IsNan(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) => 1,
            FpOp::IsSubnormal(_) | FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => 1,
            FpOp::ToUnsigned(_) | FpOp::ToSigned(_) => panic!("the width should be given: `fp_to_unsigned`"),
        };
        self.checked_fp(operation, width, args)
    }

    /// Rounded to an unsigned integer; all ones if it does not fit ([`FpOp::FitsUnsigned`]).
    pub fn fp_to_unsigned(&mut self, format: FpFormat, width: u32, mode: Term, float: Term) -> Term {
        self.checked_fp(FpOp::ToUnsigned(format), width, &[mode, float])
    }

    /// Rounded to a signed integer; the least one if it does not fit ([`FpOp::FitsSigned`]).
    pub fn fp_to_signed(&mut self, format: FpFormat, width: u32, mode: Term, float: Term) -> Term {
        self.checked_fp(FpOp::ToSigned(format), width, &[mode, float])
    }

    fn checked_fp(&mut self, operation: FpOp, width: u32, args: &[Term]) -> Term {
        let format = operation.format();
        let is_to_supported = match operation {
            FpOp::Convert { to, .. } => to.is_supported(),
            _ => true,
        };
        assert!(format.is_supported() && is_to_supported, "the formats of {operation:?} should be supported");
        assert_eq!(args.len(), operation.arity(), "{operation:?} should have its arguments");
        let (modes, operands) = args.split_at(usize::from(operation.has_rounding()));
        for &mode in modes {
            assert_eq!(self.width(mode), ROUNDING_WIDTH, "a rounding mode should be first");
        }
        for &operand in operands {
            let found = self.width(operand);
            match operation {
                FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => assert!(found <= 128, "an integer should fit 128 bits"),
                _ => assert_eq!(found, format.width(), "an operand of {operation:?} should have its format's width"),
            }
        }
        assert!(width <= 128, "an integer should fit 128 bits");
        self.build(Op::Fp(operation), Sort::Bits(width), args)
    }

    /// The other sign, of NaNs too.
    pub fn fp_neg(&mut self, format: FpFormat, float: Term) -> Term {
        assert_eq!(self.width(float), format.width(), "a float should have its format's width");
        let sign = self.constant_bits(&BitVec::least(format.width()));
        self.xor(float, sign)
    }

    /// Without sign, NaNs too.
    pub fn fp_abs(&mut self, format: FpFormat, float: Term) -> Term {
        assert_eq!(self.width(float), format.width(), "a float should have its format's width");
        let rest = self.constant_bits(&BitVec::least(format.width()).not());
        self.and(float, rest)
    }

    /// `left - right`. A NaN on the right keeps its sign, as on hardware.
    pub fn fp_sub(&mut self, format: FpFormat, mode: Term, left: Term, right: Term) -> Term {
        let is_nan = self.fp(FpOp::IsNan(format), &[right]);
        let negated = self.fp_neg(format, right);
        let addend = self.ite(is_nan, right, negated);
        self.fp(FpOp::Add(format), &[mode, left, addend])
    }
}
