//! Bit-vectors as values: the meaning of every operation on bits, as SMT-LIB's theory FixedSizeBitVectors has it.
//!
//! Up to 128 bits lie in a machine number; wider ones in limbs, with schoolbook arithmetic, since they are rare.

mod limbs;

use std::cmp::Ordering;
use std::fmt;

/// A bit-vector.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitVec {
    width: u32,
    digits: Digits,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Digits {
    /// At most 128 bits; the bits above the width are 0.
    Small(u128),
    /// More than 128 bits, least significant limb first; the bits above the width are 0.
    Big(Box<[u64]>),
}

/// The lowest `width` bits, up to 128.
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl BitVec {
    /// The lowest `width` bits of a number; zeros above 128.
    pub fn new(width: u32, value: u128) -> BitVec {
        assert!(width > 0, "a bit-vector should have a bit");
        if width <= 128 {
            return BitVec { width, digits: Digits::Small(value & mask(width)) };
        }
        BitVec::from_limbs(width, &[value as u64, (value >> 64) as u64])
    }

    /// The value of a Boolean.
    pub fn of_bool(value: bool) -> BitVec {
        BitVec::new(1, u128::from(value))
    }

    /// All bits 0.
    pub fn zero(width: u32) -> BitVec {
        BitVec::new(width, 0)
    }

    /// The number 1.
    pub fn one(width: u32) -> BitVec {
        BitVec::new(width, 1)
    }

    /// All bits 1.
    pub fn ones(width: u32) -> BitVec {
        BitVec::zero(width).not()
    }

    /// The lowest `width` bits of a number given by limbs, least significant first; zeros above.
    pub fn from_limbs(width: u32, limbs: &[u64]) -> BitVec {
        let limb = |position: usize| limbs.get(position).copied().unwrap_or(0);
        if width <= 128 {
            return BitVec::new(width, u128::from(limb(0)) | u128::from(limb(1)) << 64);
        }
        let mut all: Vec<u64> = (0..width.div_ceil(64) as usize).map(limb).collect();
        limbs::truncate(&mut all, width);
        BitVec { width, digits: Digits::Big(all.into()) }
    }

    /// The least signed number: only the sign is 1.
    pub fn least(width: u32) -> BitVec {
        BitVec::one(width).shl(&BitVec::new(width, u128::from(width - 1)))
    }

    /// How many bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The unsigned value, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        match &self.digits {
            Digits::Small(value) => Some(*value),
            Digits::Big(all) => {
                let fits = all[2..].iter().all(|&limb| limb == 0);
                fits.then(|| u128::from(all[0]) | u128::from(all[1]) << 64)
            }
        }
    }

    /// The limbs, least significant first.
    pub fn limbs(&self) -> Vec<u64> {
        match &self.digits {
            Digits::Small(value) => {
                let all = [*value as u64, (*value >> 64) as u64];
                all[..self.width.div_ceil(64) as usize].to_vec()
            }
            Digits::Big(all) => all.to_vec(),
        }
    }

    /// The bit of this weight; 0 above the width.
    pub fn bit(&self, position: u32) -> bool {
        match &self.digits {
            Digits::Small(value) => position < 128 && value >> position & 1 == 1,
            Digits::Big(all) => all.get(position as usize / 64).is_some_and(|limb| limb >> (position % 64) & 1 == 1),
        }
    }

    /// The highest bit.
    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Whether all bits are 0.
    pub fn is_zero(&self) -> bool {
        match &self.digits {
            Digits::Small(value) => *value == 0,
            Digits::Big(all) => all.iter().all(|&limb| limb == 0),
        }
    }

    /// Whether all bits are 1.
    pub fn is_ones(&self) -> bool {
        self.not().is_zero()
    }

    /// The exponent, if this is a power of two.
    pub fn log2(&self) -> Option<u32> {
        let trailing = self.ctz().to_u128()? as u32;
        (self.popcount().to_u128() == Some(1)).then_some(trailing)
    }

    fn unary(&self, small: impl Fn(u128) -> u128, big: impl Fn(&[u64]) -> Vec<u64>) -> BitVec {
        match &self.digits {
            Digits::Small(value) => BitVec::new(self.width, small(*value)),
            Digits::Big(all) => BitVec::from_limbs(self.width, &big(all)),
        }
    }

    fn binary(
        &self,
        other: &BitVec,
        small: impl Fn(u128, u128) -> u128,
        big: impl Fn(&[u64], &[u64]) -> Vec<u64>,
    ) -> BitVec {
        assert_eq!(self.width, other.width, "both widths should be equal");
        match (&self.digits, &other.digits) {
            (Digits::Small(left), Digits::Small(right)) => BitVec::new(self.width, small(*left, *right)),
            _ => BitVec::from_limbs(self.width, &big(&self.limbs(), &other.limbs())),
        }
    }

    /// Each bit inverted.
    pub fn not(&self) -> BitVec {
        self.unary(|value| !value, |all| all.iter().map(|limb| !limb).collect())
    }

    /// Bit by bit.
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a & b, |a, b| a.iter().zip(b).map(|(a, b)| a & b).collect())
    }

    /// Bit by bit.
    pub fn or(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a | b, |a, b| a.iter().zip(b).map(|(a, b)| a | b).collect())
    }

    /// Bit by bit.
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a ^ b, |a, b| a.iter().zip(b).map(|(a, b)| a ^ b).collect())
    }

    /// Modulo the width.
    pub fn add(&self, other: &BitVec) -> BitVec {
        self.binary(other, u128::wrapping_add, |a, b| limbs::add(a, b, false))
    }

    /// Modulo the width.
    pub fn sub(&self, other: &BitVec) -> BitVec {
        self.add(&other.neg())
    }

    /// Two's complement.
    pub fn neg(&self) -> BitVec {
        self.unary(u128::wrapping_neg, |all| {
            let inverted: Vec<u64> = all.iter().map(|limb| !limb).collect();
            limbs::add(&inverted, &vec![0; all.len()], true)
        })
    }

    /// Modulo the width.
    pub fn mul(&self, other: &BitVec) -> BitVec {
        self.binary(other, u128::wrapping_mul, limbs::mul)
    }

    /// The inverse of an odd number modulo the width, by Newton's iteration, which doubles the right bits.
    pub fn inverse(&self) -> BitVec {
        assert!(self.bit(0), "only odd numbers have an inverse");
        let two = BitVec::one(self.width).add(&BitVec::one(self.width));
        let mut result = self.clone();
        let mut right_bits = 3;
        while right_bits < self.width {
            result = result.mul(&two.sub(&self.mul(&result)));
            right_bits *= 2;
        }
        result
    }

    /// Unsigned; by 0 all ones.
    pub fn udiv(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a.checked_div(b).unwrap_or(u128::MAX), |a, b| limbs::divide(a, b).0)
    }

    /// Unsigned; by 0 the dividend.
    pub fn urem(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a.checked_rem(b).unwrap_or(a), |a, b| limbs::divide(a, b).1)
    }

    /// How far a shift by this amount goes, at most the width.
    fn distance(&self) -> u32 {
        self.to_u128().map_or(self.width, |amount| amount.min(u128::from(self.width)) as u32)
    }

    /// By the width or more: 0.
    pub fn shl(&self, amount: &BitVec) -> BitVec {
        let distance = amount.distance();
        self.unary(|value| value.checked_shl(distance).unwrap_or(0), |all| limbs::shift_left(all, distance))
    }

    /// By the width or more: 0.
    pub fn lshr(&self, amount: &BitVec) -> BitVec {
        let distance = amount.distance();
        self.unary(|value| value.checked_shr(distance).unwrap_or(0), |all| limbs::shift_right(all, distance))
    }

    /// By the width or more: copies of the sign.
    pub fn ashr(&self, amount: &BitVec) -> BitVec {
        let shifted = self.lshr(amount);
        if !self.sign() {
            return shifted;
        }
        shifted.or(&BitVec::ones(self.width).lshr(amount).not())
    }

    /// Unsigned order.
    pub fn ucmp(&self, other: &BitVec) -> Ordering {
        match (&self.digits, &other.digits) {
            (Digits::Small(left), Digits::Small(right)) => left.cmp(right),
            _ => self.limbs().iter().rev().cmp(other.limbs().iter().rev()),
        }
    }

    /// Order of two's complement.
    pub fn scmp(&self, other: &BitVec) -> Ordering {
        other.sign().cmp(&self.sign()).then_with(|| self.ucmp(other))
    }

    /// `self` becomes the upper part.
    pub fn concat(&self, lower: &BitVec) -> BitVec {
        let width = self.width + lower.width;
        if let (true, Digits::Small(high), Digits::Small(low)) = (width <= 128, &self.digits, &lower.digits) {
            return BitVec::new(width, high << lower.width | low);
        }
        let amount = BitVec::new(width, u128::from(lower.width));
        self.zext(width).shl(&amount).or(&lower.zext(width))
    }

    /// Bits `high` to `low`, both included.
    pub fn extract(&self, high: u32, low: u32) -> BitVec {
        assert!(low <= high && high < self.width, "bits {high} to {low} should lie in {} bits", self.width);
        let width = high - low + 1;
        match &self.digits {
            Digits::Small(value) => BitVec::new(width, value >> low),
            Digits::Big(all) => BitVec::from_limbs(width, &limbs::shift_right(all, low)),
        }
    }

    /// Zeros above; `width` is not smaller.
    pub fn zext(&self, width: u32) -> BitVec {
        assert!(width >= self.width, "an extension should not be narrower");
        match &self.digits {
            Digits::Small(value) => BitVec::new(width, *value),
            Digits::Big(all) => BitVec::from_limbs(width, all),
        }
    }

    /// Copies of the sign above; `width` is not smaller.
    pub fn sext(&self, width: u32) -> BitVec {
        if self.sign() { self.not().zext(width).not() } else { self.zext(width) }
    }

    /// Zeros above the highest one.
    pub fn clz(&self) -> BitVec {
        let zeros = (0..self.width).rev().take_while(|&position| !self.bit(position)).count();
        BitVec::new(self.width, zeros as u128)
    }

    /// Zeros below the lowest one.
    pub fn ctz(&self) -> BitVec {
        let zeros = (0..self.width).take_while(|&position| !self.bit(position)).count();
        BitVec::new(self.width, zeros as u128)
    }

    /// How many ones.
    pub fn popcount(&self) -> BitVec {
        let ones: u32 = self.limbs().iter().map(|limb| limb.count_ones()).sum();
        BitVec::new(self.width, u128::from(ones))
    }

    /// Reads what `Display` writes after the width: `0x` and hexadecimal digits.
    pub fn from_hex(width: u32, digits: &str) -> Option<BitVec> {
        let mut all = vec![0u64; digits.len().div_ceil(16).max(1)];
        for (position, digit) in digits.chars().rev().enumerate() {
            all[position / 16] |= u64::from(digit.to_digit(16)?) << (position % 16 * 4);
        }
        let value = BitVec::from_limbs(width, &all);
        (!digits.is_empty() && limbs::fits(&all, width)).then_some(value)
    }
}

impl fmt::Display for BitVec {
    /// Hexadecimal with `0x`, without leading zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limbs = self.limbs();
        let used = limbs.iter().rposition(|&limb| limb != 0).unwrap_or(0);
        write!(f, "0x{:x}", limbs[used])?;
        limbs[..used].iter().rev().try_for_each(|limb| write!(f, "{limb:016x}"))
    }
}

impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.width)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same number in `width + 192` bits, so that the limbs compute it.
    fn widened(value: &BitVec) -> BitVec {
        value.zext(value.width + 192)
    }

    proptest! {
        #[test]
        fn limbs_compute_what_machine_numbers_do(a: u128, b: u128, shift in 0u32..140) {
            let (small_a, small_b) = (BitVec::new(128, a), BitVec::new(128, b));
            let (big_a, big_b) = (widened(&small_a), widened(&small_b));
            prop_assert_eq!(small_a.add(&small_b), big_a.add(&big_b).extract(127, 0));
            prop_assert_eq!(small_a.sub(&small_b), big_a.sub(&big_b).extract(127, 0));
            prop_assert_eq!(small_a.mul(&small_b), big_a.mul(&big_b).extract(127, 0));
            if b != 0 {
                prop_assert_eq!(widened(&small_a.udiv(&small_b)), big_a.udiv(&big_b));
                prop_assert_eq!(big_a.udiv(&big_b).mul(&big_b).add(&big_a.urem(&big_b)), big_a.clone());
            }
            let amount = BitVec::new(128, u128::from(shift));
            prop_assert_eq!(small_a.shl(&amount), big_a.shl(&widened(&amount)).extract(127, 0));
            prop_assert_eq!(widened(&small_a.lshr(&amount)), big_a.lshr(&widened(&amount)));
            let signed = |value: &BitVec| value.sext(320);
            prop_assert_eq!(signed(&small_a.ashr(&amount)), signed(&small_a).ashr(&widened(&amount)));
            prop_assert_eq!(small_a.ucmp(&small_b), big_a.ucmp(&big_b));
            prop_assert_eq!(small_a.scmp(&small_b), signed(&small_a).scmp(&signed(&small_b)));
            prop_assert_eq!(small_a.concat(&small_b).extract(255, 128), small_a.clone());
            prop_assert_eq!(small_a.concat(&small_b).extract(127, 0), small_b);
            let text = big_a.to_string();
            prop_assert_eq!(BitVec::from_hex(320, &text[2..]), Some(big_a));
        }
    }

    #[test]
    fn division_by_zero_is_total() {
        for width in [1, 8, 128, 200] {
            let (zero, five) = (BitVec::zero(width), BitVec::new(width, 5));
            assert!(five.udiv(&zero).is_ones());
            assert_eq!(five.urem(&zero), five);
        }
    }

    #[test]
    fn products_of_wide_numbers_carry() {
        let all = BitVec::ones(256);
        assert_eq!(all.mul(&all), BitVec::one(256));
        assert_eq!(
            all.udiv(&BitVec::ones(128).zext(256)),
            BitVec::one(256).shl(&BitVec::new(256, 128)).add(&BitVec::one(256))
        );
    }
}
