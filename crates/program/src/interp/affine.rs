//! Arithmetic on open (symbolic) inputs: affine where possible, else by enumeration of the result's values.

use super::Observer;
use super::choice::truncate;
use super::domain::{Domain, affine_residue};
use super::exec::{Exec, Step};
use super::narrow::{View, sign_extend};
use super::value::{Lazy, Value};
use crate::BinOp;

/// Masks below this are residues.
const FEW_RESIDUES: i128 = 64;

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// Wrapping arithmetic with an open input. Neither side is indeterminate, a divisor is not zero.
    pub(crate) fn binary_lazy(&mut self, op: BinOp, width: u32, left: Value, right: Value) -> Step<Value> {
        let (lazy, bits) = match (left, right) {
            (Value::Lazy(left), Value::Lazy(right)) => return self.combine_lazy(op, width, left, right),
            (Value::Lazy(lazy), right) => match self.int(right, width)? {
                Some(bits) => (lazy, bits),
                None => return Ok(Value::Undef),
            },
            (left, Value::Lazy(lazy)) => match self.int(left, width)? {
                Some(bits) => return self.constant_first(op, width, bits, lazy),
                None => return Ok(Value::Undef),
            },
            (_, _) => unreachable!("one side should be lazy"),
        };
        let number = sign_extend(bits, width);
        match op {
            BinOp::Add => self.affine_bits(lazy, 1, number, width),
            BinOp::Sub => self.affine_bits(lazy, 1, -number, width),
            BinOp::Mul => self.affine_bits(lazy, number, 0, width),
            BinOp::Shl if bits < u128::from(width) => self.affine_bits(lazy, 1 << bits, 0, width),
            // Low bits are the same whatever the sign.
            BinOp::And if (bits + 1).is_power_of_two() => self.remainder(lazy, bits as i128 + 1),
            BinOp::And => {
                let lazy = self.normalise(lazy, width, View::Unsigned)?;
                self.masked(lazy, bits, width)
            }
            BinOp::Xor if bits == truncate(u128::MAX, width) => self.affine_bits(lazy, -1, -1, width),
            BinOp::Or | BinOp::Xor if bits == 0 => Ok(Value::Lazy(lazy)),
            BinOp::URem => {
                let lazy = self.normalise(lazy, width, View::Unsigned)?;
                self.remainder(lazy, bits as i128)
            }
            BinOp::UDiv => {
                let lazy = self.normalise(lazy, width, View::Unsigned)?;
                self.quotient(lazy, bits as i128, width)
            }
            BinOp::LShr if bits < u128::from(width) => {
                let lazy = self.normalise(lazy, width, View::Unsigned)?;
                self.quotient(lazy, 1 << bits, width)
            }
            BinOp::AShr if bits < u128::from(width) => {
                let lazy = self.normalise(lazy, width, View::Signed)?;
                self.quotient(lazy, 1 << bits, width)
            }
            BinOp::SDiv | BinOp::SRem => self.signed_division(op, width, lazy, number),
            BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr => Err(self.enumerate(lazy)),
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => Err(self.enumerate(lazy)),
        }
    }

    /// An affine image, cut to the width.
    pub(crate) fn affine_bits(&self, lazy: Lazy, factor: i128, summand: i128, width: u32) -> Step<Value> {
        match self.affine(lazy, factor, summand)? {
            Value::Bits(bits) => Ok(Value::Bits(truncate(u128::from(bits), width) as u64)),
            value => Ok(value),
        }
    }

    fn constant_first(&mut self, op: BinOp, width: u32, bits: u128, lazy: Lazy) -> Step<Value> {
        let number = sign_extend(bits, width);
        match op {
            BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => {
                self.binary_lazy(op, width, Value::Lazy(lazy), Value::Bits(bits as u64))
            }
            BinOp::Sub => self.affine_bits(lazy, -1, number, width),
            BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem | BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                Err(self.enumerate(lazy))
            }
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => Err(self.enumerate(lazy)),
        }
    }

    fn combine_lazy(&mut self, op: BinOp, width: u32, left: Lazy, right: Lazy) -> Step<Value> {
        if left.input() == right.input() && matches!(op, BinOp::Add | BinOp::Sub) {
            let sign = if op == BinOp::Add { 1 } else { -1 };
            if let Some(lazy) = left.combine(right, sign) {
                return self.affine_bits(lazy, 1, 0, width);
            }
        }
        Err(self.enumerate_smaller(left, right))
    }

    /// Division that rounds towards zero: by the sign of the dividend, in terms of division that rounds down.
    fn signed_division(&mut self, op: BinOp, width: u32, lazy: Lazy, divisor: i128) -> Step<Value> {
        let lazy = self.normalise(lazy, width, View::Signed)?;
        let (_, max) = View::Signed.limits(width);
        let is_positive = self.lies_within(lazy, width + 1, View::Signed, &[(0, max)])?;
        let magnitude = if is_positive { Value::Lazy(lazy) } else { self.affine(lazy, -1, 0)? };
        let Value::Lazy(magnitude) = magnitude else { return Err(self.enumerate(lazy)) };
        let (result, is_negative) = match op {
            BinOp::SRem => (self.remainder(magnitude, divisor.abs())?, !is_positive),
            _ => (self.quotient(magnitude, divisor.abs(), width)?, is_positive == (divisor < 0)),
        };
        match result {
            _ if !is_negative => Ok(result),
            Value::Lazy(lazy) => self.affine_bits(lazy, -1, 0, width),
            result => {
                let bits = result.bits().expect("a settled result should be plain");
                Ok(Value::from_bits(width, truncate(bits.wrapping_neg(), width)))
            }
        }
    }

    pub(crate) fn overflows_lazy(
        &mut self,
        op: BinOp,
        view: View,
        width: u32,
        left: Value,
        right: Value,
    ) -> Step<Value> {
        let (lazy, bits, is_lazy_left) = match (left, right) {
            (Value::Lazy(left), Value::Lazy(right)) if left.input() == right.input() && op != BinOp::Mul => {
                let left = self.normalise(left, width, view)?;
                let right = self.normalise(right, width, view)?;
                let sign = if op == BinOp::Add { 1 } else { -1 };
                let Some(exact) = left.combine(right, sign) else { return Err(self.enumerate(left)) };
                if exact.scale() == 0 {
                    let (low, high) = view.limits(width);
                    return Ok(Value::from_bool(exact.offset() < low || exact.offset() > high));
                }
                return Ok(Value::from_bool(!self.fits(exact, width, view)?));
            }
            (Value::Lazy(left), Value::Lazy(right)) => return Err(self.enumerate_smaller(left, right)),
            (Value::Lazy(lazy), other) => (lazy, self.int(other, width)?, true),
            (other, Value::Lazy(lazy)) => (lazy, self.int(other, width)?, false),
            (_, _) => unreachable!("one side should be lazy"),
        };
        let number = view.read(bits.expect("an indeterminate side was handled"), width);
        let lazy = self.normalise(lazy, width, view)?;
        let exact = match op {
            BinOp::Add => self.affine(lazy, 1, number)?,
            BinOp::Sub if is_lazy_left => self.affine(lazy, 1, -number)?,
            BinOp::Sub => self.affine(lazy, -1, number)?,
            _ => self.affine(lazy, number, 0)?,
        };
        match exact {
            Value::Lazy(exact) => Ok(Value::from_bool(!self.fits(exact, width, view)?)),
            // The factor is zero.
            _ => Ok(Value::from_bool(false)),
        }
    }

    /// `factor * value + summand` of a lazy value, modulo the width.
    pub(crate) fn affine(&self, lazy: Lazy, factor: i128, summand: i128) -> Step<Value> {
        match lazy.affine(factor, summand) {
            Some(lazy) if lazy.scale() == 0 => Ok(Value::Bits(lazy.offset() as u64)),
            Some(lazy) => Ok(Value::Lazy(lazy)),
            None => Err(self.enumerate(lazy)),
        }
    }

    /// The exact integer modulo a positive number, never negative.
    pub(crate) fn remainder(&self, lazy: Lazy, modulus: i128) -> Step<Value> {
        let (min, max) = self.bounds(lazy);
        let (first, last) = (min.div_euclid(modulus), max.div_euclid(modulus));
        if first == last {
            return self.affine(lazy, 1, -first * modulus);
        }
        if let Some(residue) = self.constant_residue(lazy, modulus) {
            return Ok(Value::Bits(residue as u64));
        }
        let domain = self.state.domain_of(lazy);
        if last - first < 8 {
            let parts = (first..=last).map(|quotient| {
                let (from, to) = lazy.preimage((quotient * modulus, quotient * modulus + modulus - 1));
                domain.within(from, to)
            });
            return Err(self.split(lazy, parts.collect()));
        }
        if modulus as u128 > self.machine.options.max_enumerate {
            return Err(self.enumerate(lazy));
        }
        let classes = (0..modulus).filter_map(|residue| affine_residue(lazy.scale(), lazy.offset(), modulus, residue));
        let parts: Option<Vec<Domain>> = classes.map(|(period, class)| domain.congruent(period, class)).collect();
        Err(parts.map_or_else(|| self.enumerate(lazy), |parts| self.split(lazy, parts)))
    }

    /// The residue if it is the same for all values of the input.
    fn constant_residue(&self, lazy: Lazy, modulus: i128) -> Option<i128> {
        let domain = self.state.domain_of(lazy);
        let residue = lazy.image(domain.min()).rem_euclid(modulus);
        let (period, class) = affine_residue(lazy.scale(), lazy.offset(), modulus, residue)?;
        (domain.congruent(period, class)?.count() == domain.count()).then_some(residue)
    }

    /// The exact integer divided by a positive number, rounded down.
    pub(crate) fn quotient(&self, lazy: Lazy, divisor: i128, width: u32) -> Step<Value> {
        let (min, max) = self.bounds(lazy);
        let (first, last) = (min.div_euclid(divisor), max.div_euclid(divisor));
        if first == last {
            return Ok(Value::from_bits(width, truncate(first as u128, width)));
        }
        if lazy.scale() % divisor == 0 {
            let quotient = Lazy::new(lazy.input(), lazy.scale() / divisor, lazy.offset().div_euclid(divisor));
            return Ok(Value::Lazy(quotient.expect("a quotient is smaller")));
        }
        if (last - first) as u128 >= self.machine.options.max_enumerate {
            return Err(self.enumerate(lazy));
        }
        let domain = self.state.domain_of(lazy);
        let parts = (first..=last).map(|quotient| {
            let (from, to) = lazy.preimage((quotient * divisor, quotient * divisor + divisor - 1));
            domain.within(from, to)
        });
        Err(self.split(lazy, parts.collect()))
    }

    /// The bitwise conjunction with a constant, for a lazy value whose exact integer is not negative.
    pub(crate) fn masked(&self, lazy: Lazy, mask: u128, width: u32) -> Step<Value> {
        if mask == 0 {
            return Ok(Value::Bits(0));
        }
        let low = mask.trailing_zeros();
        let high = 128 - mask.leading_zeros();
        let (min, max) = self.bounds(lazy);
        let n_intervals = (max >> low) - (min >> low) + 1;
        let is_contiguous = mask >> low == (1 << (high - low)) - 1;
        if low == 0 && is_contiguous {
            return self.remainder(lazy, 1 << high);
        }
        if is_contiguous && max < 1 << high && 1u128 << low <= self.machine.options.max_enumerate {
            // Clearing low bits: what is taken off is a residue.
            return match self.remainder(lazy, 1 << low)? {
                Value::Bits(residue) => self.affine(lazy, 1, -i128::from(residue)),
                // All values lie between two multiples; what is left of them is one of them.
                _ => Ok(Value::from_bits(width, (min >> low << low) as u128)),
            };
        }
        if n_intervals <= 1024 {
            return self.masked_by_intervals(lazy, mask, width, low);
        }
        if let Some(result) = self.masked_by_pattern(lazy, mask, width) {
            return result;
        }
        match self.remainder(lazy, 1 << high)? {
            Value::Bits(bits) => Ok(Value::from_bits(width, u128::from(bits) & mask)),
            _ => Err(self.enumerate(lazy)),
        }
    }

    /// One part for each value of the masked bits, if the bits of the number are those of the input. Few bits of a wide
    /// input lie in too many intervals to list them.
    fn masked_by_pattern(&self, lazy: Lazy, mask: u128, width: u32) -> Option<Step<Value>> {
        let unit = 1i128 << (128 - mask.leading_zeros());
        let n_results = 1u128 << mask.count_ones().min(127);
        let is_plain = lazy.scale() == 1 && lazy.offset() % unit == 0;
        // Few residues are as good, and can be told from those of other numbers.
        if !is_plain || unit <= FEW_RESIDUES || n_results > self.machine.options.max_enumerate {
            return None;
        }
        let domain = self.state.domain_of(lazy);
        // Subsets of the mask, ascending.
        let next = |last: &u128| Some(last.wrapping_sub(mask) & mask).filter(|next| *next != 0);
        let results = std::iter::successors(Some(0u128), next);
        let parts: Option<Vec<(u128, Domain)>> =
            results.map(|result| Some((result, domain.matching(mask, result)?))).collect();
        let mut parts = parts?;
        parts.retain(|(_, part)| !part.is_empty());
        Some(match &parts[..] {
            [(result, _)] => Ok(Value::from_bits(width, *result)),
            _ => Err(self.split(lazy, parts.into_iter().map(|(_, part)| part).collect())),
        })
    }

    /// Groups the intervals between multiples of the mask's lowest bit by what the mask leaves of them.
    fn masked_by_intervals(&self, lazy: Lazy, mask: u128, width: u32, low: u32) -> Step<Value> {
        let (min, max) = self.bounds(lazy);
        let mut groups: Vec<(u128, Vec<(i128, i128)>)> = Vec::new();
        for step in (min >> low)..=(max >> low) {
            let result = (step << low) as u128 & mask;
            let interval = lazy.preimage((step << low, (step << low) + (1 << low) - 1));
            match groups.iter_mut().find(|(other, _)| *other == result) {
                Some((_, intervals)) => intervals.push(interval),
                None => groups.push((result, vec![interval])),
            }
        }
        let domain = self.state.domain_of(lazy);
        let parts: Vec<(u128, Domain)> = groups
            .into_iter()
            .map(|(result, mut intervals)| {
                intervals.retain(|(from, to)| from <= to);
                (result, domain.within_any(&intervals))
            })
            .filter(|(_, part)| !part.is_empty())
            .collect();
        match &parts[..] {
            [(result, _)] => Ok(Value::from_bits(width, *result)),
            _ => Err(self.split(lazy, parts.into_iter().map(|(_, part)| part).collect())),
        }
    }

    /// Whether the exact integer fits a view of the width; stops if that depends on the input.
    pub(crate) fn fits(&self, lazy: Lazy, width: u32, view: View) -> Step<bool> {
        let interval = lazy.preimage(view.limits(width));
        let domain = self.state.domain_of(lazy);
        let inside = domain.within(interval.0, interval.1);
        if inside.is_empty() {
            return Ok(false);
        }
        let outside = domain.outside_all(&[interval]);
        if outside.is_empty() { Ok(true) } else { Err(self.split(lazy, vec![inside, outside])) }
    }
}
