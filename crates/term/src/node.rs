//! Terms, their sorts and operations: the vocabulary of quantifier-free bit-vectors with arrays and floats (QF_ABVFP).
//!
//! A term is a number: the index of its node, and a bit that negates it. Negation is free for width 1 only, as in an
//! and-inverter graph (Kuehlmann et al., 2002); wider terms are negated by [`Op::Not`].

use std::fmt;

use unpick_base::define_id;

use crate::float::FpOp;

/// The widest bit-vector.
pub const MAX_WIDTH: u32 = 0xffff;
/// The widest index of an array.
pub const MAX_INDEX_WIDTH: u32 = 128;

/// A term of one arena: equal terms are equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The constant 0 of width 1.
    pub const FALSE: Term = Term(0);
    /// The constant 1 of width 1.
    pub const TRUE: Term = Term(1);
    /// What fills the places of arguments that a node does not have.
    pub(crate) const NONE: Term = Term(0);

    /// Whether this is the negation of its node (width 1 only).
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The term of the node itself, without the negation.
    pub fn node_term(self) -> Term {
        Term(self.0 & !1)
    }

    /// The number of the node: dense from 0, and greater than those of the node's arguments.
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn of_index(index: usize) -> Term {
        Term(u32::try_from(index << 1).expect("terms should fit 32 bits"))
    }

    /// The term, negated if `negate`; for width 1 only.
    pub(crate) fn negate_if(self, negate: bool) -> Term {
        Term(self.0 ^ u32::from(negate))
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negated() { "~" } else { "" };
        write!(f, "{sign}t{}", self.index())
    }
}

define_id! {
    /// A free input: an unknown value.
    pub struct InputId("in");
}

/// What kind of value a term has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A bit-vector of 1 to [`MAX_WIDTH`] bits; width 1 is the Boolean. Floats are bit-vectors, too.
    Bits(u32),
    /// A map from all bit-vectors of one width (1 to [`MAX_INDEX_WIDTH`]) to bit-vectors of another.
    Array {
        /// Width of the indices.
        index: u32,
        /// Width of the elements.
        element: u32,
    },
}

impl Sort {
    /// The sort of width 1.
    pub const BOOL: Sort = Sort::Bits(1);

    pub(crate) fn pack(self) -> u32 {
        match self {
            Sort::Bits(width) => {
                assert!((1..=MAX_WIDTH).contains(&width), "a width should be 1 to {MAX_WIDTH}, not {width}");
                width
            }
            Sort::Array { index, element } => {
                assert!((1..=MAX_INDEX_WIDTH).contains(&index), "an index should have 1 to 128 bits, not {index}");
                assert!((1..=MAX_WIDTH).contains(&element), "an element should have 1 to {MAX_WIDTH} bits");
                index << 16 | element
            }
        }
    }

    pub(crate) fn unpack(packed: u32) -> Sort {
        match packed >> 16 {
            0 => Sort::Bits(packed),
            index => Sort::Array { index, element: packed & 0xffff },
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bits(width) => write!(f, "bits {width}"),
            Sort::Array { index, element } => write!(f, "array {index} {element}"),
        }
    }
}

/// What a node computes from its arguments. Every operation is total, see each.
///
/// On width 1 only `Const`, `Input`, `And`, `Xor`, `Ite`, the comparisons, `Extract`, `Select` and predicates of floats occur:
/// the constructors express everything else by these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// A constant: [`Terms::constant_value`](crate::Terms::constant_value).
    Const,
    /// A free input: [`Terms::input_of`](crate::Terms::input_of).
    Input,
    /// Each bit inverted; wider than 1 only.
    Not,
    /// Bit by bit; arguments sorted.
    And,
    /// Bit by bit; arguments sorted and not negated.
    Xor,
    /// Two's complement; wider than 1 only. A difference is `Add(a, Neg(b))`.
    Neg,
    /// Modulo the width; arguments sorted.
    Add,
    /// Modulo the width; arguments sorted.
    Mul,
    /// Unsigned; by 0 all ones.
    Udiv,
    /// Unsigned; by 0 the dividend.
    Urem,
    /// By the width or more: 0. The amount has the width of the value, as in SMT-LIB.
    Shl,
    /// By the width or more: 0.
    Lshr,
    /// By the width or more: copies of the sign.
    Ashr,
    /// Equality of bit-vectors wider than 1; arguments sorted. On width 1 it is a negated `Xor`.
    Eq,
    /// Unsigned less than; wider than 1 only.
    Ult,
    /// Signed less than; wider than 1 only.
    Slt,
    /// Whether the unsigned product needs more bits; of width 1, arguments wider than that and sorted.
    UmulOverflow,
    /// Whether the signed product needs more bits; of width 1, arguments wider than that and sorted.
    SmulOverflow,
    /// Condition of width 1, then two values of one sort, arrays included.
    Ite,
    /// The first argument is the upper part.
    Concat,
    /// The bits from [`Terms::extract_low`](crate::Terms::extract_low) on, as many as the width says.
    Extract,
    /// Zeros above.
    Zext,
    /// Copies of the sign above.
    Sext,
    /// Zeros above the highest one, in the same width; all of them for 0.
    Clz,
    /// Zeros below the lowest one, in the same width; all of them for 0.
    Ctz,
    /// How many ones, in the same width.
    Popcount,
    /// An operation on floats.
    Fp(FpOp),
    /// The array with this element everywhere.
    ConstArray,
    /// `Store(array, index, element)`.
    Store,
    /// `Select(array, index)`.
    Select,
    /// `Fill(array, start, length, element)`: index `i` has `element` where `i - start < length`, unsigned, modulo the width.
    Fill,
    /// `Copy(target, target_start, source, source_start, length)`: index `i` has `source[source_start + (i - target_start)]`
    /// where `i - target_start < length`, unsigned; all sums modulo the width. The source is read as a whole before.
    Copy,
}

impl Op {
    /// How many arguments a node of this operation has.
    pub fn arity(self) -> usize {
        match self {
            Op::Const | Op::Input => 0,
            Op::Not | Op::Neg | Op::Extract | Op::Zext | Op::Sext | Op::Clz | Op::Ctz | Op::Popcount => 1,
            Op::ConstArray => 1,
            Op::And | Op::Xor | Op::Add | Op::Mul | Op::Udiv | Op::Urem | Op::Shl | Op::Lshr | Op::Ashr => 2,
            Op::Eq | Op::Ult | Op::Slt | Op::UmulOverflow | Op::SmulOverflow | Op::Concat | Op::Select => 2,
            Op::Ite | Op::Store => 3,
            Op::Fill => 4,
            Op::Copy => 5,
            Op::Fp(operation) => operation.arity(),
        }
    }

    /// Whether the order of the two arguments does not matter.
    pub fn is_commutative(self) -> bool {
        match self {
            Op::And | Op::Xor | Op::Add | Op::Mul | Op::Eq | Op::UmulOverflow | Op::SmulOverflow => true,
            Op::Const | Op::Input | Op::Not | Op::Neg | Op::Extract | Op::Zext | Op::Sext | Op::Clz | Op::Ctz => false,
            Op::Popcount | Op::ConstArray | Op::Udiv | Op::Urem | Op::Shl | Op::Lshr | Op::Ashr | Op::Ult => false,
            Op::Slt | Op::Concat | Op::Select | Op::Ite | Op::Store | Op::Fill | Op::Copy | Op::Fp(_) => false,
        }
    }
}

/// One operation with its arguments: 32 bytes.
///
/// `aux` holds what the arguments leave over: the low bit of an extraction, the number of an input, the fourth and fifth
/// argument, and of a constant the lower 64 bits (the upper ones lie in `args`) or its number among the big ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub sort: u32,
    pub args: [Term; 3],
    pub aux: u64,
}

impl Node {
    /// A node with at most three arguments and a number besides.
    pub fn with_low(op: Op, sort: Sort, args: &[Term], low: u64) -> Node {
        debug_assert_eq!(args.len(), op.arity(), "{op:?} should have {} arguments", op.arity());
        let mut node = Node { op, sort: sort.pack(), args: [Term::NONE; 3], aux: low };
        for (position, &arg) in args.iter().enumerate() {
            match position {
                0..=2 => node.args[position] = arg,
                3 => node.aux |= u64::from(arg.0),
                _ => node.aux |= u64::from(arg.0) << 32,
            }
        }
        node
    }

    pub fn sort(&self) -> Sort {
        Sort::unpack(self.sort)
    }

    pub fn args(&self) -> Args {
        let [first, second, third] = self.args;
        let all = [first, second, third, Term(self.aux as u32), Term((self.aux >> 32) as u32)];
        Args { all, len: self.op.arity() }
    }
}

/// The arguments of a node; a slice by value.
#[derive(Clone, Copy, Debug)]
pub struct Args {
    all: [Term; 5],
    len: usize,
}

impl std::ops::Deref for Args {
    type Target = [Term];
    fn deref(&self) -> &[Term] {
        &self.all[..self.len]
    }
}

impl IntoIterator for Args {
    type Item = Term;
    type IntoIter = std::iter::Take<std::array::IntoIter<Term, 5>>;
    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter().take(self.len)
    }
}
