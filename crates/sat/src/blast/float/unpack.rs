//! The unpacker: a float as sign, exponent and normalised significand, with what kind of float it is.

use unpick_term::FpFormat;

use crate::aig::{Aig, Edge};
use crate::blast::{Word, add, choose, extended, sign};

/// What kind of float it is.
pub(super) struct Class {
    pub(super) nan: Edge,
    pub(super) infinite: Edge,
    pub(super) zero: Edge,
    pub(super) subnormal: Edge,
    has_no_exponent: Edge,
}

impl Class {
    pub(super) fn new(aig: &mut Aig, format: FpFormat, word: &[Edge]) -> Class {
        let (stored, above) = (format.stored() as usize, word.len() - 1);
        let is_full = aig.and_all(&word[stored..above]);
        let has_no_exponent = !aig.or_all(&word[stored..above]);
        let has_no_fraction = !aig.or_all(&word[..stored]);
        Class {
            nan: aig.and(is_full, !has_no_fraction),
            infinite: aig.and(is_full, has_no_fraction),
            zero: aig.and(has_no_exponent, has_no_fraction),
            subnormal: aig.and(has_no_exponent, !has_no_fraction),
            has_no_exponent,
        }
    }
}

/// A float taken apart.
pub(super) struct Number {
    /// As it was packed.
    pub(super) bits: Word,
    pub(super) nan: Edge,
    pub(super) infinite: Edge,
    pub(super) zero: Edge,
    pub(super) sign: Edge,
    /// Signed, without bias: the weight of the highest bit of the significand.
    pub(super) exponent: Word,
    /// As many bits as the precision; the highest is set unless the number is 0.
    pub(super) significand: Word,
}

/// How many bits the exponents of a format take, subnormal numbers and sums of a few of them included.
pub(super) fn exponent_width(format: FpFormat) -> usize {
    let precision_bits = u8::BITS - format.precision.leading_zeros();
    u32::from(format.exponent).max(precision_bits) as usize + 2
}

/// A constant exponent.
pub(super) fn constant(value: i32, width: usize) -> Word {
    (0..width).map(|at| Edge::constant(value >> at.min(31) & 1 == 1)).collect()
}

pub(super) fn unpack(aig: &mut Aig, format: FpFormat, word: &[Edge]) -> Number {
    let class = Class::new(aig, format, word);
    let (stored, above) = (format.stored() as usize, word.len() - 1);
    let raw = [&word[..stored], &[!class.has_no_exponent]].concat();
    let (significand, n_shifted) = normalised(aig, &raw);
    let width = exponent_width(format);
    let mut biased = extended(&word[stored..above], width, Edge::FALSE);
    // Subnormal numbers have the exponent of the smallest normal ones.
    biased[0] = aig.or(biased[0], class.has_no_exponent);
    let unbiased = add::add(aig, &biased, &constant(-format.bias(), width), Edge::FALSE).0;
    let exponent = add::subtract(aig, &unbiased, &extended(&n_shifted, width, Edge::FALSE));
    Number {
        bits: word.to_vec(),
        nan: class.nan,
        infinite: class.infinite,
        zero: class.zero,
        sign: sign(word),
        exponent,
        significand,
    }
}

/// Shifted to the left until the highest bit is set, and by how much; a word of zeros by some number.
pub(super) fn normalised(aig: &mut Aig, word: &[Edge]) -> (Word, Word) {
    let width = word.len();
    let n_stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
    let mut count = vec![Edge::FALSE; n_stages.max(1)];
    let mut shifted = word.to_vec();
    for stage in (0..n_stages).rev() {
        let step = 1 << stage;
        let is_free = !aig.or_all(&shifted[width - step..]);
        let moved: Word = [vec![Edge::FALSE; step].as_slice(), &shifted[..width - step]].concat();
        shifted = choose(aig, is_free, &moved, &shifted);
        count[stage] = is_free;
    }
    (shifted, count)
}
