//! The rounder: an exact or sticky significand and its exponent as a float of a format.

use unpick_term::{FpFormat, Rounding};

use super::magnitude;
use super::unpack::{constant, exponent_width};
use crate::aig::{Aig, Edge};
use crate::blast::{Word, add, choose, extended, sign};

/// A rounding mode, one edge each.
pub(super) struct Mode {
    even: Edge,
    away: Edge,
    positive: Edge,
    pub(super) negative: Edge,
}

impl Mode {
    /// To the nearest, ties to even; for operations that are exact.
    pub(super) fn nearest() -> Mode {
        Mode { even: Edge::TRUE, away: Edge::FALSE, positive: Edge::FALSE, negative: Edge::FALSE }
    }

    /// The mode that a term of three bits names.
    pub(super) fn new(aig: &mut Aig, word: &[Edge]) -> Mode {
        let mut is = |mode: Rounding| {
            let number = constant(mode as i32, word.len());
            add::equal(aig, word, &number)
        };
        let (away, positive) = (is(Rounding::NearestAway), is(Rounding::Positive));
        let (negative, zero) = (is(Rounding::Negative), is(Rounding::Zero));
        // All other numbers mean the first.
        let even = !aig.or_all(&[away, positive, negative, zero]);
        Mode { even, away, positive, negative }
    }

    /// Whether the magnitude goes up: the lowest bit that is kept, the one below, and whether any is set below that.
    pub(super) fn goes_up(&self, aig: &mut Aig, sign: Edge, lowest: Edge, half: Edge, rest: Edge) -> Edge {
        let is_odd_or_more = aig.or(lowest, rest);
        let is_inexact = aig.or(half, rest);
        let outwards = self.outwards(aig, sign);
        let even = aig.and_all(&[self.even, half, is_odd_or_more]);
        let away = aig.and(self.away, half);
        let directed = aig.and(outwards, is_inexact);
        aig.or_all(&[even, away, directed])
    }

    /// Whether the mode is directed away from zero for this sign.
    fn outwards(&self, aig: &mut Aig, sign: Edge) -> Edge {
        let (up, down) = (aig.and(self.positive, !sign), aig.and(self.negative, sign));
        aig.or(up, down)
    }
}

/// Shifted to the right; the lowest bit also says whether anything was lost.
pub(super) fn shifted_sticky(aig: &mut Aig, word: &[Edge], amount: &[Edge]) -> Word {
    let width = word.len();
    let is_inside = |position: usize| position < usize::BITS as usize && 1_usize << position < width;
    let mut shifted = word.to_vec();
    for (position, bit) in amount.iter().enumerate().take_while(|(position, _)| is_inside(*position)) {
        let step = 1 << position;
        let mut moved = extended(&shifted[step..], width, Edge::FALSE);
        let lost = aig.or_all(&shifted[..step]);
        moved[0] = aig.or(moved[0], lost);
        shifted = choose(aig, *bit, &moved, &shifted);
    }
    let beyond: Word = (0..).zip(amount).filter(|(position, _)| !is_inside(*position)).map(|(_, bit)| *bit).collect();
    let is_beyond = aig.or_all(&beyond);
    let any = aig.or_all(&shifted);
    choose(aig, is_beyond, &extended(&[any], width, Edge::FALSE), &shifted)
}

/// The float that is nearest to a number other than 0 in a mode: `significand`, whose highest bit is set and has the weight
/// of the exponent, and whose lowest one may be sticky.
pub(super) fn round(
    aig: &mut Aig,
    format: FpFormat,
    mode: &Mode,
    sign_bit: Edge,
    exponent: &[Edge],
    significand: &[Edge],
) -> Word {
    let precision = usize::from(format.precision);
    let n_padding = (precision + 2).saturating_sub(significand.len());
    let significand = [vec![Edge::FALSE; n_padding].as_slice(), significand].concat();
    let width = exponent.len().max(exponent_width(format)) + 1;
    let exponent = extended(exponent, width, sign(exponent));
    // Below the smallest normal number the significand moves down.
    let deficit = add::subtract(aig, &constant(1 - format.bias(), width), &exponent);
    let is_small = add::less_signed(aig, &constant(0, width), &deficit);
    let amount: Word = deficit.iter().map(|edge| aig.and(*edge, is_small)).collect();
    let shifted = shifted_sticky(aig, &significand, &amount);
    let cut = shifted.len() - precision;
    let (kept, half) = (&shifted[cut..], shifted[cut - 1]);
    let rest = aig.or_all(&shifted[..cut - 1]);
    let goes_up = mode.goes_up(aig, sign_bit, kept[0], half, rest);
    // Exponent and fraction in one number: a carry out of the fraction goes where it belongs.
    let biased = add::add(aig, &exponent, &constant(format.bias(), width), Edge::FALSE).0;
    let biased = biased[..usize::from(format.exponent)].iter().map(|edge| aig.and(*edge, !is_small));
    let biased: Word = biased.collect();
    let field = [&kept[..precision - 1], &biased].concat();
    let zeros = vec![Edge::FALSE; field.len()];
    let field = add::add(aig, &field, &zeros, goes_up).0;
    let is_too_large = add::less_signed(aig, &constant(format.bias(), width), &exponent);
    let outwards = mode.outwards(aig, sign_bit);
    let to_infinity = aig.or_all(&[mode.even, mode.away, outwards]);
    let infinity = magnitude(format, true);
    let largest = add::add(aig, &infinity, &constant(-1, infinity.len()), Edge::FALSE).0;
    let large = choose(aig, to_infinity, &infinity, &largest);
    let magnitude = choose(aig, is_too_large, &large, &field);
    [magnitude, vec![sign_bit]].concat()
}
