//! Floats as IEEE 754 has them: formats, rounding modes and the operations that terms know.
//!
//! A float is a bit-vector in its interchange format, sign first. The result of an operation that is not a number is, as on
//! x86 with SSE: the first argument that is a NaN, made quiet; without such an argument the *default NaN*, whose sign and
//! quiet bit are one and whose other bits are zero. `Neg` and `Abs` change the sign bit only, of NaNs too.

/// How a float is laid out: a sign, `exponent` bits, then the significand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FpFormat {
    /// Bits of the exponent.
    pub exponent: u8,
    /// Bits of the significand, the leading one included, whether it is stored or not.
    pub precision: u8,
    /// Whether the leading bit is stored, as the x87 does.
    pub is_leading_stored: bool,
}

impl FpFormat {
    /// IEEE binary16.
    pub const HALF: FpFormat = FpFormat { exponent: 5, precision: 11, is_leading_stored: false };
    /// IEEE binary32, C's `float`.
    pub const SINGLE: FpFormat = FpFormat { exponent: 8, precision: 24, is_leading_stored: false };
    /// IEEE binary64, C's `double`.
    pub const DOUBLE: FpFormat = FpFormat { exponent: 11, precision: 53, is_leading_stored: false };
    /// The 80 bits of the x87, C's `long double` on x86.
    pub const X87: FpFormat = FpFormat { exponent: 15, precision: 64, is_leading_stored: true };
    /// IEEE binary128.
    pub const QUAD: FpFormat = FpFormat { exponent: 15, precision: 113, is_leading_stored: false };

    /// Width of the bit-vector.
    pub fn width(self) -> u32 {
        1 + u32::from(self.exponent) + self.stored()
    }

    /// Bits of the significand that are stored.
    pub fn stored(self) -> u32 {
        u32::from(self.precision) - u32::from(!self.is_leading_stored)
    }

    /// The exponent field of 1.0.
    pub fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }
}

/// The width of a term that names a rounding mode.
pub const ROUNDING_WIDTH: u32 = 3;

/// How a result that has no exact representation is rounded. As a term it has three bits; the four first are the numbers
/// of the x86's control registers, and 5 to 7 mean the same as 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rounding {
    /// To the nearest, ties to the even one.
    NearestEven = 0,
    /// Down.
    Negative = 1,
    /// Up.
    Positive = 2,
    /// Towards zero.
    Zero = 3,
    /// To the nearest, ties away from zero.
    NearestAway = 4,
}

impl Rounding {
    /// The mode with this number.
    pub fn of_number(number: u128) -> Rounding {
        match number {
            1 => Rounding::Negative,
            2 => Rounding::Positive,
            3 => Rounding::Zero,
            4 => Rounding::NearestAway,
            _ => Rounding::NearestEven,
        }
    }
}

/// An operation on floats. `R` in a list of arguments is a rounding mode, of [`ROUNDING_WIDTH`] bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FpOp {
    /// `(R, a, b)`.
    Add(FpFormat),
    /// `(R, a, b)`.
    Mul(FpFormat),
    /// `(R, a, b)`.
    Div(FpFormat),
    /// `(R, a, b, c)`: `a * b + c`, rounded once.
    Fma(FpFormat),
    /// `(R, a)`.
    Sqrt(FpFormat),
    /// `(a, b)`: C's `fmod`, exact; the sign is that of `a`.
    Fmod(FpFormat),
    /// `(a, b)`: C's `remainder`, exact; the quotient is rounded to even.
    Remainder(FpFormat),
    /// `(R, a)`: to an integral value in the same format.
    RoundToIntegral(FpFormat),
    /// `(a, b)`: equal as numbers; false for NaNs; the zeros are equal.
    Eq(FpFormat),
    /// `(a, b)`: false for NaNs.
    Lt(FpFormat),
    /// `(a, b)`: false for NaNs.
    Le(FpFormat),
    /// `(a)`: whether it is a NaN.
    IsNan(FpFormat),
    /// `(a)`: whether it is an infinity.
    IsInfinite(FpFormat),
    /// `(a)`: whether it is a zero.
    IsZero(FpFormat),
    /// `(a)`: whether it is subnormal; zero is not.
    IsSubnormal(FpFormat),
    /// `(R, a)`: from one format to another.
    Convert {
        /// The format of the argument.
        from: FpFormat,
        /// The format of the result.
        to: FpFormat,
    },
    /// `(R, a)`: from an unsigned integer of any width up to 128.
    FromUnsigned(FpFormat),
    /// `(R, a)`: from a signed integer of any width up to 128.
    FromSigned(FpFormat),
    /// `(R, a)`: rounded to an unsigned integer of the result's width, up to 128; outside its range, and for NaN, all ones.
    ToUnsigned(FpFormat),
    /// `(R, a)`: rounded to a signed integer of the result's width, up to 128; outside its range, and for NaN, the least one
    /// (x86's "integer indefinite").
    ToSigned(FpFormat),
    /// `(R, a)`: whether rounding gives an unsigned integer of `width` bits.
    FitsUnsigned {
        /// The format of the argument.
        from: FpFormat,
        /// The width of the integer.
        width: u8,
    },
    /// `(R, a)`: whether rounding gives a signed integer of `width` bits.
    FitsSigned {
        /// The format of the argument.
        from: FpFormat,
        /// The width of the integer.
        width: u8,
    },
}

impl FpOp {
    /// How many arguments, rounding mode included.
    pub fn arity(self) -> usize {
        match self {
            FpOp::IsNan(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) | FpOp::IsSubnormal(_) => 1,
            FpOp::Sqrt(_) | FpOp::Fmod(_) | FpOp::Remainder(_) | FpOp::RoundToIntegral(_) => 2,
            FpOp::Eq(_) | FpOp::Lt(_) | FpOp::Le(_) | FpOp::Convert { .. } => 2,
            FpOp::FromUnsigned(_) | FpOp::FromSigned(_) | FpOp::ToUnsigned(_) | FpOp::ToSigned(_) => 2,
            FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => 2,
            FpOp::Add(_) | FpOp::Mul(_) | FpOp::Div(_) => 3,
            FpOp::Fma(_) => 4,
        }
    }

    /// Whether the first argument is a rounding mode.
    pub fn has_rounding(self) -> bool {
        match self {
            FpOp::Add(_) | FpOp::Mul(_) | FpOp::Div(_) | FpOp::Fma(_) | FpOp::Sqrt(_) | FpOp::RoundToIntegral(_) => {
                true
            }
            FpOp::Convert { .. } | FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => true,
            FpOp::ToUnsigned(_) | FpOp::ToSigned(_) | FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => true,
            FpOp::Fmod(_) | FpOp::Remainder(_) | FpOp::Eq(_) | FpOp::Lt(_) | FpOp::Le(_) => false,
            FpOp::IsNan(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) | FpOp::IsSubnormal(_) => false,
        }
    }

    /// The format of the arguments that are floats; of the result for conversions from integers.
    pub fn format(self) -> FpFormat {
        match self {
            FpOp::Add(format) | FpOp::Mul(format) | FpOp::Div(format) | FpOp::Fma(format) => format,
            FpOp::Sqrt(format) | FpOp::Fmod(format) | FpOp::Remainder(format) => format,
            FpOp::RoundToIntegral(format) | FpOp::Eq(format) | FpOp::Lt(format) | FpOp::Le(format) => format,
            FpOp::IsNan(format) | FpOp::IsInfinite(format) | FpOp::IsZero(format) => format,
            FpOp::IsSubnormal(format) | FpOp::FromUnsigned(format) | FpOp::FromSigned(format) => format,
            FpOp::ToUnsigned(format) | FpOp::ToSigned(format) => format,
            FpOp::Convert { from, .. } | FpOp::FitsUnsigned { from, .. } | FpOp::FitsSigned { from, .. } => from,
        }
    }
}
