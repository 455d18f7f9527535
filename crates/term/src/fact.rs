//! Facts: what is known of a term whatever the inputs are. A reduced product of known bits, unsigned and signed ranges and a
//! congruence (Cousot and Cousot, 1979; Granger, 1989), computed once, when a node is made.
//!
//! Facts hold for *every* assignment. What holds only behind a branch has no place here; it belongs to the state of whoever
//! walks the branches.

mod table;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use table::FactTable;
pub(crate) use transfer::transfer;

use crate::bits::mask;

/// What is known of a bit-vector of at most [`Fact::MAX_WIDTH`] bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// How wide the bit-vector is.
    pub width: u32,
    /// Bits that are 0.
    pub zeros: u128,
    /// Bits that are 1.
    pub ones: u128,
    /// The least unsigned value.
    pub umin: u128,
    /// The greatest unsigned value.
    pub umax: u128,
    /// The least signed value.
    pub smin: i128,
    /// The greatest signed value.
    pub smax: i128,
    /// The unsigned value is `residue` modulo this; 0 says that it is `residue`, 1 says nothing.
    pub stride: u128,
    /// Less than `stride`, unless that is 0.
    pub residue: u128,
}

/// The value of these `width` bits as two's complement, `width` at most 128.
pub(crate) fn signed(width: u32, value: u128) -> i128 {
    let shift = 128 - width;
    (value << shift) as i128 >> shift
}

pub(crate) fn gcd(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl Fact {
    /// Wider bit-vectors have no facts.
    pub const MAX_WIDTH: u32 = 128;

    /// Nothing is known.
    pub fn unknown(width: u32) -> Fact {
        let smax = (mask(width) >> 1) as i128;
        Fact { width, zeros: 0, ones: 0, umin: 0, umax: mask(width), smin: -smax - 1, smax, stride: 1, residue: 0 }
    }

    /// The value is known.
    pub fn constant(width: u32, value: u128) -> Fact {
        let value = value & mask(width);
        let number = signed(width, value);
        Fact {
            width,
            zeros: !value & mask(width),
            ones: value,
            umin: value,
            umax: value,
            smin: number,
            smax: number,
            stride: 0,
            residue: value,
        }
    }

    /// The value, if only one is possible.
    pub fn value(&self) -> Option<u128> {
        (self.umin == self.umax).then_some(self.umin)
    }

    /// Whether a value is possible.
    pub fn contains(&self, value: u128) -> bool {
        let number = signed(self.width, value);
        let fits_bits = value & self.zeros == 0 && value & self.ones == self.ones;
        let fits_ranges = (self.umin..=self.umax).contains(&value) && (self.smin..=self.smax).contains(&number);
        let fits_stride = match self.stride {
            0 => value == self.residue,
            stride => value % stride == self.residue,
        };
        fits_bits && fits_ranges && fits_stride
    }

    /// The sign, if it is known.
    pub fn sign(&self) -> Option<bool> {
        match (self.smin >= 0, self.smax < 0) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            (false, false) => None,
        }
    }

    /// Zeros that are certainly above the highest one.
    pub fn leading_zeros(&self) -> u32 {
        self.umax.leading_zeros() - (128 - self.width)
    }

    /// Whether two bit-vectors with these facts are never equal.
    pub fn excludes(&self, other: &Fact) -> bool {
        let step = gcd(self.stride, other.stride);
        self.umax < other.umin
            || other.umax < self.umin
            || self.smax < other.smin
            || other.smax < self.smin
            || self.zeros & other.ones != 0
            || self.ones & other.zeros != 0
            || (step > 1 && self.residue % step != other.residue % step)
    }

    /// What holds of both: the least fact above them.
    pub fn join(&self, other: &Fact) -> Fact {
        let stride = gcd(gcd(self.stride, other.stride), self.residue.abs_diff(other.residue));
        let residue = if stride == 0 { self.residue } else { self.residue % stride };
        Fact {
            width: self.width,
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            umin: self.umin.min(other.umin),
            umax: self.umax.max(other.umax),
            smin: self.smin.min(other.smin),
            smax: self.smax.max(other.smax),
            stride,
            residue,
        }
    }

    /// Lets each part sharpen the others.
    pub(crate) fn reduced(mut self) -> Fact {
        if self.stride > 1 << 126 {
            // So that sums of two of them do not overflow.
            (self.stride, self.residue) = (1, 0);
        }
        // Twice: bits that ranges give may sharpen the other range. More rounds were never seen to help.
        for _ in 0..2 {
            self.bits_to_ranges();
            self.ranges_to_each_other();
            self.stride_to_range();
            self.ranges_to_bits();
            self.bits_and_stride();
        }
        if let Some(value) = self.value() {
            return Fact::constant(self.width, value);
        }
        assert!(
            self.umin < self.umax && self.smin < self.smax && self.zeros & self.ones == 0,
            "facts should agree: {self:?}"
        );
        self
    }

    fn bits_to_ranges(&mut self) {
        let sign = 1 << (self.width - 1);
        let possible = mask(self.width) & !self.zeros;
        self.umin = self.umin.max(self.ones);
        self.umax = self.umax.min(possible);
        // An unknown sign is 1 in the least signed value and 0 in the greatest.
        let least = if self.zeros & sign == 0 { self.ones | sign } else { self.ones };
        let greatest = if self.ones & sign == 0 { possible & !sign } else { possible };
        self.smin = self.smin.max(signed(self.width, least));
        self.smax = self.smax.min(signed(self.width, greatest));
    }

    fn ranges_to_each_other(&mut self) {
        let width = self.width;
        let sign = 1 << (width - 1);
        if self.umax < sign || self.umin >= sign {
            self.smin = self.smin.max(signed(width, self.umin));
            self.smax = self.smax.min(signed(width, self.umax));
        }
        if self.smin >= 0 || self.smax < 0 {
            self.umin = self.umin.max(self.smin as u128 & mask(width));
            self.umax = self.umax.min(self.smax as u128 & mask(width));
        }
    }

    fn stride_to_range(&mut self) {
        match self.stride {
            0 => (self.umin, self.umax) = (self.residue, self.residue),
            1 => {}
            stride => {
                let above = (self.residue + (stride - self.umin % stride)) % stride;
                let below = (self.umax % stride + (stride - self.residue)) % stride;
                self.umin = self.umin.saturating_add(above);
                self.umax = self.umax.saturating_sub(below);
            }
        }
    }

    fn ranges_to_bits(&mut self) {
        let unknown = 128 - (self.umin ^ self.umax).leading_zeros();
        let known = mask(self.width) & !mask(unknown);
        self.ones |= self.umin & known;
        self.zeros |= !self.umin & known;
    }

    /// Low bits that are known and a power of two in the stride say the same.
    fn bits_and_stride(&mut self) {
        let n_known = (self.zeros | self.ones).trailing_ones().min(self.width);
        if n_known < 127 && self.stride != 0 && self.stride < 1 << n_known {
            self.stride = 1 << n_known;
            self.residue = self.ones & mask(n_known);
        }
        if self.stride > 1 {
            let low = mask(self.stride.trailing_zeros()) & mask(self.width);
            self.ones |= self.residue & low;
            self.zeros |= !self.residue & low;
        }
    }
}
