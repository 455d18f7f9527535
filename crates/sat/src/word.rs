//! Bit-blasting of bit vectors, lowest bit first: the operators of C and Promela with their overflow conditions.

use crate::circuit::{Bit, Circuit};

/// A number in two's complement; whether it has a sign is up to the operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word(pub Vec<Bit>);

impl Word {
    /// How many bits it has.
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// The bit that says whether a number with a sign is below zero.
    pub fn sign(&self) -> Bit {
        *self.0.last().expect("a word should have a bit")
    }

    /// The word in so many bits, with the sign or with zeros in front.
    pub fn resized(&self, circuit: &Circuit, width: usize, is_signed: bool) -> Word {
        let fill = if is_signed { self.sign() } else { circuit.constant(false) };
        Word((0..width).map(|at| self.0.get(at).copied().unwrap_or(fill)).collect())
    }
}

impl Circuit {
    /// A number that may be any.
    pub fn unknown_word(&mut self, width: usize) -> Word {
        Word((0..width).map(|_| self.unknown()).collect())
    }

    /// A constant.
    pub fn constant_word(&self, value: i64, width: usize) -> Word {
        Word((0..width).map(|at| self.constant(value >> at.min(63) & 1 == 1)).collect())
    }

    /// The number that a word is in the last possible answer, taken with its sign.
    pub fn example_word(&self, word: &Word) -> i64 {
        let mut value = if self.example(word.sign()) { -1_i64 } else { 0 };
        for (at, bit) in word.0.iter().enumerate() {
            let mask = 1_i64 << at;
            value = if self.example(*bit) { value | mask } else { value & !mask };
        }
        value
    }

    /// Bit by bit.
    pub fn bitwise(&mut self, one: &Word, other: &Word, gate: impl Fn(&mut Circuit, Bit, Bit) -> Bit) -> Word {
        Word(one.0.iter().zip(&other.0).map(|(one, other)| gate(self, *one, *other)).collect())
    }

    /// All bits the other way round.
    pub fn complement(&self, word: &Word) -> Word {
        Word(word.0.iter().map(|bit| !*bit).collect())
    }

    /// Word by word: `yes` where the condition is true.
    pub fn choose_word(&mut self, condition: Bit, yes: &Word, no: &Word) -> Word {
        self.bitwise(yes, no, |circuit, yes, no| circuit.choose(condition, yes, no))
    }

    fn add_carry(&mut self, one: &Word, other: &Word, mut carry: Bit) -> Word {
        let mut sum = Vec::new();
        for (one, other) in one.0.iter().zip(&other.0) {
            let half = self.xor(*one, *other);
            sum.push(self.xor(half, carry));
            let (both, over) = (self.and(*one, *other), self.and(half, carry));
            carry = self.or(both, over);
        }
        Word(sum)
    }

    /// The sum, cut to the width.
    pub fn add(&mut self, one: &Word, other: &Word) -> Word {
        self.add_carry(one, other, self.constant(false))
    }

    /// The difference, cut to the width.
    pub fn subtract(&mut self, one: &Word, other: &Word) -> Word {
        let other = self.complement(other);
        self.add_carry(one, &other, self.constant(true))
    }

    /// The number with the other sign.
    pub fn negate(&mut self, word: &Word) -> Word {
        let zero = self.constant_word(0, word.width());
        self.subtract(&zero, word)
    }

    /// The product, cut to the width.
    pub fn multiply(&mut self, one: &Word, other: &Word) -> Word {
        let width = one.width();
        let mut sum = self.constant_word(0, width);
        for (at, bit) in other.0.iter().enumerate() {
            if self.value(*bit) == Some(false) {
                continue;
            }
            let shifted: Vec<Bit> = (0..width)
                .map(|position| match position.checked_sub(at) {
                    Some(from) => self.and(one.0[from], *bit),
                    None => self.constant(false),
                })
                .collect();
            sum = self.add(&sum, &Word(shifted));
        }
        sum
    }

    /// Quotient and remainder without signs; what division by zero gives means nothing.
    pub fn divide_unsigned(&mut self, one: &Word, other: &Word) -> (Word, Word) {
        let width = one.width();
        let wide = other.resized(self, width + 1, false);
        let mut rest = self.constant_word(0, width + 1);
        let mut quotient = vec![self.constant(false); width];
        for at in (0..width).rev() {
            rest.0.pop();
            rest.0.insert(0, one.0[at]);
            let less = self.less_unsigned(&rest, &wide);
            let difference = self.subtract(&rest, &wide);
            rest = self.choose_word(less, &rest, &difference);
            quotient[at] = !less;
        }
        rest.0.pop();
        (Word(quotient), rest)
    }

    /// Quotient, towards zero, and remainder with the sign of the dividend, as in C.
    pub fn divide(&mut self, one: &Word, other: &Word) -> (Word, Word) {
        let absolute = |circuit: &mut Circuit, word: &Word| {
            let negated = circuit.negate(word);
            circuit.choose_word(word.sign(), &negated, word)
        };
        let (dividend, divisor) = (absolute(self, one), absolute(self, other));
        let (quotient, rest) = self.divide_unsigned(&dividend, &divisor);
        let (negated, negated_rest) = (self.negate(&quotient), self.negate(&rest));
        let differ = self.xor(one.sign(), other.sign());
        (self.choose_word(differ, &negated, &quotient), self.choose_word(one.sign(), &negated_rest, &rest))
    }

    /// Moved to the left (or, with a fill, to the right) by as much as the second word says, modulo the width.
    pub fn shift(&mut self, word: &Word, by: &Word, right_fill: Option<Bit>) -> Word {
        let width = word.width();
        let mut shifted = word.clone();
        for (at, bit) in by.0.iter().enumerate().take_while(|(at, _)| 1 << at < width) {
            let step = 1 << at;
            let moved: Vec<Bit> = (0..width)
                .map(|position: usize| match right_fill {
                    Some(fill) => shifted.0.get(position + step).copied().unwrap_or(fill),
                    None => position.checked_sub(step).map_or(self.constant(false), |from| shifted.0[from]),
                })
                .collect();
            shifted = self.choose_word(*bit, &Word(moved), &shifted);
        }
        shifted
    }

    /// Whether the numbers are the same.
    pub fn equal(&mut self, one: &Word, other: &Word) -> Bit {
        let mut equal = self.constant(true);
        for (one, other) in one.0.iter().zip(&other.0) {
            let differ = self.xor(*one, *other);
            equal = self.and(equal, !differ);
        }
        equal
    }

    /// Whether the first is smaller, without signs.
    pub fn less_unsigned(&mut self, one: &Word, other: &Word) -> Bit {
        let mut less = self.constant(false);
        for (one, other) in one.0.iter().zip(&other.0) {
            let differ = self.xor(*one, *other);
            less = self.choose(differ, *other, less);
        }
        less
    }

    /// Whether the first is smaller, with signs.
    pub fn less(&mut self, one: &Word, other: &Word) -> Bit {
        let turned = |word: &Word| {
            let mut word = word.clone();
            let last = word.0.len() - 1;
            word.0[last] = !word.0[last];
            word
        };
        self.less_unsigned(&turned(one), &turned(other))
    }

    /// Whether any bit is set.
    pub fn is_true(&mut self, word: &Word) -> Bit {
        word.0.iter().fold(self.constant(false), |any, bit| self.or(any, *bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Answer;
    use proptest::prelude::*;

    type Operation = fn(&mut Circuit, &Word, &Word) -> Word;
    type Expected = fn(i8, i8) -> Option<i8>;

    fn operations() -> Vec<(Operation, Expected)> {
        let fill = |circuit: &mut Circuit, one: &Word, other: &Word| circuit.shift(one, other, Some(one.sign()));
        vec![
            (|c, a, b| c.add(a, b), |a, b| Some(a.wrapping_add(b))),
            (|c, a, b| c.subtract(a, b), |a, b| Some(a.wrapping_sub(b))),
            (|c, a, b| c.multiply(a, b), |a, b| Some(a.wrapping_mul(b))),
            (|c, a, b| c.divide(a, b).0, |a, b| a.checked_div(b)),
            (|c, a, b| c.divide(a, b).1, |a, b| a.checked_rem(b)),
            (|c, a, b| c.shift(a, b, None), |a, b| (0..8).contains(&b).then(|| a.wrapping_shl(b as u32))),
            (fill, |a, b| (0..8).contains(&b).then(|| a.wrapping_shr(b as u32))),
            (|c, a, b| Word(vec![c.less(a, b), c.constant(false)]), |a, b| Some(i8::from(a < b))),
            (|c, a, b| Word(vec![c.equal(a, b), c.constant(false)]), |a, b| Some(i8::from(a == b))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn words_compute_like_the_machine(a in any::<i8>(), b in any::<i8>(), small in 0..8_i8) {
            for (operation, expected) in operations() {
                for b in [b, small] {
                    let Some(expected) = expected(a, b) else { continue };
                    // Unknown bits that are then asked to be these numbers, so that gates are not folded away.
                    let mut circuit = Circuit::new(100_000);
                    let (one, other) = (circuit.unknown_word(8), circuit.unknown_word(8));
                    let result = operation(&mut circuit, &one, &other);
                    let (left, right) = (circuit.constant_word(a.into(), 8), circuit.constant_word(b.into(), 8));
                    let is_left = circuit.equal(&one, &left);
                    let is_right = circuit.equal(&other, &right);
                    prop_assert_eq!(circuit.ask(&[is_left, is_right]), Answer::Possible);
                    prop_assert_eq!(circuit.example_word(&result), i64::from(expected), "{} {}", a, b);
                    let known = circuit.constant_word(expected.into(), result.width());
                    let is_known = circuit.equal(&result, &known);
                    prop_assert_eq!(circuit.ask(&[is_left, is_right, !is_known]), Answer::Impossible);
                }
            }
        }
    }
}
