//! Sum, product, fused product and sum, quotient and square root.

use unpick_term::FpFormat;

use super::round::{Mode, round, shifted_sticky};
use super::unpack::{constant, normalised};
use super::{Number, Special, unpack};
use crate::aig::{Aig, Edge};
use crate::blast::{Blaster, Multiplier, Word, add, choose, extended, multiply, sign};

/// A finite number: a significand with its highest bit set, unless it is 0.
struct Finite {
    sign: Edge,
    zero: Edge,
    exponent: Word,
    significand: Word,
}

/// Both exponents or their sum, in one bit more.
fn wider(exponent: &[Edge]) -> Word {
    extended(exponent, exponent.len() + 1, sign(exponent))
}

/// The sum of two finite numbers with significands and exponents of one width each; exact up to a sticky bit at the end.
fn added(aig: &mut Aig, mode: &Mode, one: &Finite, other: &Finite) -> Finite {
    let n_exponent = one.exponent.len();
    let lowest: Word = (0..n_exponent).map(|at| Edge::constant(at + 1 == n_exponent)).collect();
    // The exponent of 0 is lower than any other, so that it never moves what it is added to.
    let mut key = |number: &Finite| {
        let exponent = choose(aig, number.zero, &lowest, &number.exponent);
        let mut ordered = exponent.clone();
        ordered[n_exponent - 1] = !ordered[n_exponent - 1];
        (exponent, [number.significand.as_slice(), &ordered].concat())
    };
    let ((one_exponent, one_key), (other_exponent, other_key)) = (key(one), key(other));
    let is_other_larger = add::less(aig, &one_key, &other_key);
    let high = choose(aig, is_other_larger, &other_exponent, &one_exponent);
    let low = choose(aig, is_other_larger, &one_exponent, &other_exponent);
    let large = choose(aig, is_other_larger, &other.significand, &one.significand);
    let small = choose(aig, is_other_larger, &one.significand, &other.significand);
    let distance = add::subtract(aig, &wider(&high), &wider(&low));
    // Guard, round and sticky bit below, and one above for the carry.
    let padded = |word: &Word| [&[Edge::FALSE; 3], word.as_slice(), &[Edge::FALSE]].concat();
    let small = shifted_sticky(aig, &padded(&small), &distance);
    let is_difference = aig.xor(one.sign, other.sign);
    let small: Word = small.iter().map(|edge| aig.xor(*edge, is_difference)).collect();
    let sum = add::add(aig, &padded(&large), &small, is_difference).0;
    let zero = !aig.or_all(&sum);
    let (significand, n_shifted) = normalised(aig, &sum);
    let n_exponent = n_exponent.max(n_shifted.len()) + 2;
    let high = extended(&high, n_exponent, sign(&high));
    let shift = extended(&n_shifted, n_exponent, Edge::FALSE);
    let exponent = add::subtract(aig, &high, &shift);
    let exponent = add::add(aig, &exponent, &constant(1, n_exponent), Edge::FALSE).0;
    let large_sign = aig.ite(is_other_larger, other.sign, one.sign);
    // Exactly 0: the common sign, or else that of the mode.
    let zero_sign = aig.ite(is_difference, mode.negative, one.sign);
    Finite { sign: aig.ite(zero, zero_sign, large_sign), zero, exponent, significand }
}

fn finite(number: &Number) -> Finite {
    Finite {
        sign: number.sign,
        zero: number.zero,
        exponent: number.exponent.clone(),
        significand: number.significand.clone(),
    }
}

pub(super) fn sum(aig: &mut Aig, format: FpFormat, mode: &Mode, operands: &[Word]) -> Word {
    let [one, other] = [0, 1].map(|at| unpack(aig, format, &operands[at]));
    let sum = added(aig, mode, &finite(&one), &finite(&other));
    let rounded = round(aig, format, mode, sum.sign, &sum.exponent, &sum.significand);
    let special = infinite_sum(aig, [(one.infinite, one.sign), (other.infinite, other.sign)], &sum, &[&one, &other]);
    special.or(aig, format, &[&one, &other], &rounded)
}

/// Special values of a sum: opposite infinities have none, else the infinite summand gives the sign.
fn infinite_sum(aig: &mut Aig, summands: [(Edge, Edge); 2], sum: &Finite, args: &[&Number]) -> Special {
    let [(one, one_sign), (other, other_sign)] = summands;
    let differ = aig.xor(one_sign, other_sign);
    let mut nans: Word = args.iter().map(|arg| arg.nan).collect();
    nans.push(aig.and_all(&[one, other, differ]));
    let sign = aig.ite(other, other_sign, sum.sign);
    let sign = aig.ite(one, one_sign, sign);
    Special { nan: aig.or_all(&nans), infinite: aig.or(one, other), zero: sum.zero, sign }
}

/// The exact product of two finite numbers, in twice the precision.
fn multiplied(aig: &mut Aig, one: &Number, other: &Number, multiplier: Multiplier) -> Finite {
    let width = 2 * one.significand.len();
    let wide = |word: &Word| extended(word, width, Edge::FALSE);
    let (left, right) = (wide(&one.significand), wide(&other.significand));
    let product = multiply::product(aig, &left, &right, width, multiplier);
    let is_two = product[width - 1];
    let doubled = [&[Edge::FALSE], &product[..width - 1]].concat();
    let significand = choose(aig, is_two, &product, &doubled);
    let exponent = add::add(aig, &wider(&one.exponent), &wider(&other.exponent), is_two).0;
    Finite { sign: aig.xor(one.sign, other.sign), zero: aig.or(one.zero, other.zero), exponent, significand }
}

pub(super) fn product(aig: &mut Aig, format: FpFormat, mode: &Mode, operands: &[Word], multiplier: Multiplier) -> Word {
    let [one, other] = [0, 1].map(|at| unpack(aig, format, &operands[at]));
    let product = multiplied(aig, &one, &other, multiplier);
    let rounded = round(aig, format, mode, product.sign, &product.exponent, &product.significand);
    let infinite = aig.or(one.infinite, other.infinite);
    let is_invalid = aig.and(infinite, product.zero);
    let nan = aig.or_all(&[one.nan, other.nan, is_invalid]);
    let special = Special { nan, infinite, zero: product.zero, sign: product.sign };
    special.or(aig, format, &[&one, &other], &rounded)
}

/// `a * b + c`, rounded once.
pub(super) fn fused(aig: &mut Aig, format: FpFormat, mode: &Mode, operands: &[Word], multiplier: Multiplier) -> Word {
    let [one, other, third] = [0, 1, 2].map(|at| unpack(aig, format, &operands[at]));
    let product = multiplied(aig, &one, &other, multiplier);
    let padding = vec![Edge::FALSE; third.significand.len()];
    let summand = Finite {
        exponent: wider(&third.exponent),
        significand: [padding, third.significand.clone()].concat(),
        ..finite(&third)
    };
    let sum = added(aig, mode, &product, &summand);
    let rounded = round(aig, format, mode, sum.sign, &sum.exponent, &sum.significand);
    let infinite = aig.or(one.infinite, other.infinite);
    let is_invalid = aig.and(infinite, product.zero);
    let args = [&one, &other, &third];
    let mut special = infinite_sum(aig, [(infinite, product.sign), (third.infinite, third.sign)], &sum, &args);
    special.nan = aig.or(special.nan, is_invalid);
    special.or(aig, format, &args, &rounded)
}

impl Blaster {
    pub(super) fn float_quotient(&mut self, format: FpFormat, mode: &Mode, operands: &[Word]) -> Word {
        let precision = usize::from(format.precision);
        let [one, other] = [0, 1].map(|at| unpack(&mut self.aig, format, &operands[at]));
        // Two bits more than the precision: significands are within a factor of two of each other.
        let width = 2 * precision + 2;
        let dividend = [vec![Edge::FALSE; precision + 1].as_slice(), &one.significand, &[Edge::FALSE]].concat();
        let (quotient, rest) = self.divided(&dividend, &extended(&other.significand, width, Edge::FALSE));
        let aig = &mut self.aig;
        let is_inexact = aig.or_all(&rest);
        let is_one = quotient[precision + 1];
        let full = [&[is_inexact], &quotient[..precision + 2]].concat();
        let doubled = [&[Edge::FALSE], &full[..full.len() - 1]].concat();
        let significand = choose(aig, is_one, &full, &doubled);
        let difference = add::subtract(aig, &wider(&one.exponent), &wider(&other.exponent));
        let minus = vec![!is_one; difference.len()];
        let exponent = add::add(aig, &difference, &minus, Edge::FALSE).0;
        let sign = aig.xor(one.sign, other.sign);
        let rounded = round(aig, format, mode, sign, &exponent, &significand);
        let (zeros, infinities) = (aig.and(one.zero, other.zero), aig.and(one.infinite, other.infinite));
        let special = Special {
            nan: aig.or_all(&[one.nan, other.nan, zeros, infinities]),
            infinite: aig.or(one.infinite, other.zero),
            zero: aig.or(one.zero, other.infinite),
            sign,
        };
        special.or(aig, format, &[&one, &other], &rounded)
    }
}

pub(super) fn square_root(aig: &mut Aig, format: FpFormat, mode: &Mode, operand: &[Edge]) -> Word {
    let number = unpack(aig, format, operand);
    let precision = usize::from(format.precision);
    let is_odd = number.exponent[0];
    let half = extended(&number.exponent[1..], number.exponent.len(), sign(&number.exponent));
    let padding = vec![Edge::FALSE; precision + 3];
    let even = [padding.as_slice(), &number.significand, &[Edge::FALSE]].concat();
    let odd = [&[Edge::FALSE], padding.as_slice(), &number.significand].concat();
    let radicand = choose(aig, is_odd, &odd, &even);
    let (root, rest) = integer_root(aig, &radicand);
    let is_inexact = aig.or_all(&rest);
    let significand = [&[is_inexact], root.as_slice()].concat();
    let rounded = round(aig, format, mode, number.sign, &half, &significand);
    let is_negative = aig.and(number.sign, !number.zero);
    let special = Special {
        nan: aig.or(number.nan, is_negative),
        infinite: number.infinite,
        zero: number.zero,
        sign: number.sign,
    };
    special.or(aig, format, &[&number], &rounded)
}

/// The square root of an integer of an even number of bits, rounded down, and what is left: digit by digit.
fn integer_root(aig: &mut Aig, radicand: &[Edge]) -> (Word, Word) {
    let n_digits = radicand.len() / 2;
    let width = n_digits + 2;
    let mut rest = vec![Edge::FALSE; width];
    // Highest digit first.
    let mut root = Word::new();
    for at in (0..n_digits).rev() {
        let wide = [&radicand[2 * at..2 * at + 2], &rest[..width - 2]].concat();
        // Four times the root, and one.
        let lowest_first: Word = root.iter().rev().copied().collect();
        let trial = extended(&[&[Edge::TRUE, Edge::FALSE], lowest_first.as_slice()].concat(), width, Edge::FALSE);
        let inverted: Word = trial.iter().map(|edge| !*edge).collect();
        let (difference, goes) = add::add(aig, &wide, &inverted, Edge::TRUE);
        rest = choose(aig, goes, &difference, &wide);
        root.push(goes);
    }
    root.reverse();
    (root, rest)
}
