//! Widths, signedness, ranks and ranges of the arithmetic types.

use super::{FloatKind, IntKind, Target};

impl IntKind {
    /// As programmers write it.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Bool => "_Bool",
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
        }
    }

    /// Bytes in memory.
    pub fn bytes(self, target: Target) -> u64 {
        match self {
            IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 4,
            IntKind::Long | IntKind::ULong => target.pointer_bytes(),
            IntKind::LongLong | IntKind::ULongLong => 8,
            IntKind::Int128 | IntKind::UInt128 => 16,
        }
    }

    /// Bits in memory; `_Bool` has eight, of which only the lowest is ever set.
    pub fn bits(self, target: Target) -> u32 {
        self.bytes(target) as u32 * 8
    }

    /// Bits that can differ between values: one for `_Bool`.
    pub fn value_bits(self, target: Target) -> u32 {
        if self == IntKind::Bool { 1 } else { self.bits(target) }
    }

    pub fn is_signed(self) -> bool {
        match self {
            IntKind::Char
            | IntKind::SChar
            | IntKind::Short
            | IntKind::Int
            | IntKind::Long
            | IntKind::LongLong
            | IntKind::Int128 => true,
            IntKind::Bool
            | IntKind::UChar
            | IntKind::UShort
            | IntKind::UInt
            | IntKind::ULong
            | IntKind::ULongLong
            | IntKind::UInt128 => false,
        }
    }

    /// Conversion rank: higher wins in the usual arithmetic conversions.
    pub fn rank(self) -> u32 {
        match self {
            IntKind::Bool => 0,
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 3,
            IntKind::Long | IntKind::ULong => 4,
            IntKind::LongLong | IntKind::ULongLong => 5,
            IntKind::Int128 | IntKind::UInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        match self {
            IntKind::Bool => IntKind::Bool,
            IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
            IntKind::Short | IntKind::UShort => IntKind::UShort,
            IntKind::Int | IntKind::UInt => IntKind::UInt,
            IntKind::Long | IntKind::ULong => IntKind::ULong,
            IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
            IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
        }
    }

    /// `value` modulo the type's range, extended to 128 bits by the type's sign.
    pub fn wrap(self, value: i128, target: Target) -> i128 {
        wrap_bits(value, self.value_bits(target), self.is_signed())
    }

    /// Least value. `unsigned __int128` is held by its bits, so its bounds read as 0 and -1.
    pub fn min(self, target: Target) -> i128 {
        if self.is_signed() { -1i128 << (self.bits(target) - 1) } else { 0 }
    }

    /// Greatest value; see [`IntKind::min`] for `unsigned __int128`.
    pub fn max(self, target: Target) -> i128 {
        if self == IntKind::UInt128 { -1 } else { self.wrap(!self.min(target), target) & self.positive_mask(target) }
    }

    fn positive_mask(self, target: Target) -> i128 {
        let bits = self.value_bits(target) - u32::from(self.is_signed());
        if bits == 128 { -1 } else { ((1u128 << bits) - 1) as i128 }
    }

    /// Whether `value` (an exact number, not bits) is a value of this type.
    pub fn contains(self, value: i128, target: Target) -> bool {
        if self == IntKind::UInt128 { value >= 0 } else { self.wrap(value, target) == value }
    }
}

/// The low `bits` of `value`, sign- or zero-extended.
pub fn wrap_bits(value: i128, bits: u32, is_signed: bool) -> i128 {
    if bits == 0 {
        return 0;
    }
    let shift = 128u32.saturating_sub(bits);
    if is_signed { (value << shift) >> shift } else { (((value as u128) << shift) >> shift) as i128 }
}

impl FloatKind {
    /// As programmers write it.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Float16 => "_Float16",
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
            FloatKind::Float128 => "_Float128",
            FloatKind::Float32 => "_Float32",
            FloatKind::Float64 => "_Float64",
            FloatKind::Float32x => "_Float32x",
            FloatKind::Float64x => "_Float64x",
        }
    }

    /// Bytes in memory.
    pub fn bytes(self, target: Target) -> u64 {
        match self {
            FloatKind::Float16 => 2,
            FloatKind::Float | FloatKind::Float32 => 4,
            FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x => 8,
            FloatKind::LongDouble | FloatKind::Float64x => match target {
                Target::Lp64 => 16,
                Target::Ilp32 => 12,
            },
            FloatKind::Float128 => 16,
        }
    }

    /// Alignment of an object of its own.
    pub fn align(self, target: Target) -> u64 {
        match (self, target) {
            (FloatKind::LongDouble | FloatKind::Float64x, Target::Ilp32) => 4,
            _ => self.bytes(target),
        }
    }

    /// Rank in the usual arithmetic conversions.
    pub fn rank(self) -> u32 {
        match self {
            FloatKind::Float16 => 0,
            FloatKind::Float => 1,
            FloatKind::Float32 => 2,
            FloatKind::Double => 3,
            FloatKind::Float32x => 4,
            FloatKind::Float64 => 5,
            FloatKind::LongDouble => 6,
            FloatKind::Float64x => 7,
            FloatKind::Float128 => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_bounds() {
        let target = Target::Lp64;
        assert_eq!((IntKind::Int.min(target), IntKind::Int.max(target)), (i32::MIN.into(), i32::MAX.into()));
        assert_eq!((IntKind::UChar.min(target), IntKind::UChar.max(target)), (0, 255));
        assert_eq!((IntKind::Bool.min(target), IntKind::Bool.max(target)), (0, 1));
        assert_eq!((IntKind::Int128.min(target), IntKind::Int128.max(target)), (i128::MIN, i128::MAX));
        assert_eq!(IntKind::ULong.wrap(-1, target), u64::MAX.into());
        assert_eq!(IntKind::Char.wrap(255, target), -1);
    }
}
