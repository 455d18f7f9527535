//! Values of registers.

/// What a register holds. The type is the register's; the variants only say how much is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Value {
    /// Indeterminate.
    Undef,
    /// An integer of at most 64 bits, `float` or `double`, zero-extended.
    Bits(u64),
    /// A wider integer, `long double` or `__float128`; low half first.
    Wide([u64; 2]),
    /// A pointer, also inside an integer of its size.
    Ptr(Pointer),
    /// One byte of a pointer, in an 8-bit integer.
    Fragment {
        /// The pointer.
        pointer: Pointer,
        /// Which byte, from the lowest.
        byte: u8,
    },
    /// An open input, as seen through an affine map.
    Lazy(Lazy),
}

/// A pointer: an object and an offset, or a plain address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Pointer {
    /// Number of the object; 0 for a plain address.
    pub object: u32,
    /// Numbers are recycled; this tells the lives apart.
    pub generation: u32,
    /// Bytes from the start of the object, or the address.
    pub offset: i64,
}

/// `scale * input + offset`, modulo the width of the register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Lazy {
    /// Number of the input in the upper 24 bits, signed upper part of the summand in the lower 8: the summand has
    /// more than 64 bits where a sign was cut off or added. Packed because the size of values matters.
    packed: u32,
    scale: i32,
    low: u64,
}

impl Lazy {
    /// `scale * input + offset`, if the numbers are small enough to be kept.
    pub(crate) fn new(input: u32, scale: i128, offset: i128) -> Option<Lazy> {
        let (scale, high) = (i32::try_from(scale).ok()?, i8::try_from(offset >> 64).ok()?);
        Some(Lazy { packed: input << 8 | u32::from(high as u8), scale, low: offset as u64 })
    }

    /// Number of the input in the state.
    #[inline]
    pub fn input(self) -> u32 {
        self.packed >> 8
    }

    /// Factor.
    pub fn scale(self) -> i128 {
        i128::from(self.scale)
    }

    /// Summand.
    pub fn offset(self) -> i128 {
        i128::from(self.packed as u8 as i8) << 64 | i128::from(self.low)
    }
}

/// Numbers of functions as objects start here.
pub(crate) const FIRST_FUNCTION: u32 = 0x8000_0000;

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer { object: 0, generation: 0, offset: 0 };

    /// A plain address.
    pub fn wild(address: u64) -> Pointer {
        Pointer { object: 0, generation: 0, offset: address as i64 }
    }

    /// Pointer to a function.
    pub fn function(function: crate::FuncId) -> Pointer {
        Pointer { object: FIRST_FUNCTION + function.0, generation: 0, offset: 0 }
    }

    /// The function this points to or into (labels are `1 + block` bytes into their function).
    pub fn as_function(self) -> Option<crate::FuncId> {
        (self.object >= FIRST_FUNCTION).then(|| crate::FuncId(self.object - FIRST_FUNCTION))
    }

    /// The same object at another offset.
    #[must_use]
    pub fn at(self, offset: i64) -> Pointer {
        Pointer { offset, ..self }
    }

    /// Whether both point into the same life of the same object.
    #[inline]
    pub fn same_object(self, other: Pointer) -> bool {
        self.object == other.object && self.generation == other.generation
    }
}

impl Value {
    /// The null pointer.
    pub const NULL: Value = Value::Ptr(Pointer::NULL);

    /// The integer or floating value of a type with these bits.
    #[inline]
    pub fn from_bits(width: u32, bits: u128) -> Value {
        if width <= 64 { Value::Bits(bits as u64) } else { Value::Wide([bits as u64, (bits >> 64) as u64]) }
    }

    /// An `Int(1)`.
    #[inline]
    pub fn from_bool(value: bool) -> Value {
        Value::Bits(u64::from(value))
    }

    /// The bits, if they are known and no pointer.
    #[inline]
    pub fn bits(self) -> Option<u128> {
        match self {
            Value::Bits(bits) => Some(u128::from(bits)),
            Value::Wide([low, high]) => Some(u128::from(low) | u128::from(high) << 64),
            Value::Undef | Value::Ptr(_) | Value::Fragment { .. } | Value::Lazy(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_stay_small() {
        assert_eq!(std::mem::size_of::<super::Value>(), 24);
    }
}
