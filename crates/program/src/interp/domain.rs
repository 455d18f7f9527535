//! Abstract domain of open inputs: ordered arithmetic progressions (strided intervals), or intervals of numbers with
//! some known bits, with exact operations.
//!
//! Invariant: runs are not empty, do not overlap or interleave, and ascend. Every set that occurs comes from an
//! interval by cutting intervals out, by keeping one residue class, and by fixing bits, which preserves this. A set with
//! a pattern has runs of stride one that begin and end with numbers of the pattern. All numbers stay below 2^96 in
//! magnitude, so `i128` never overflows; where it could, arithmetic is checked.

use std::rc::Rc;

use super::pattern::Pattern;

/// A set of integers.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Domain {
    runs: Rc<[Run]>,
    pattern: Pattern,
}

/// `low, low + stride, ..., high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
struct Run {
    low: i128,
    high: i128,
    stride: i128,
}

impl Run {
    /// The run up to the last element not above `high`; `None` if empty.
    fn new(low: i128, high: i128, stride: i128) -> Option<Run> {
        if low > high {
            return None;
        }
        let high = low + (high - low) / stride * stride;
        Some(Run { low, high, stride: if low == high { 1 } else { stride } })
    }

    fn count(&self) -> u128 {
        ((self.high - self.low) / self.stride) as u128 + 1
    }

    fn contains(&self, value: i128) -> bool {
        self.low <= value && value <= self.high && (value - self.low) % self.stride == 0
    }

    fn within(&self, low: i128, high: i128) -> Option<Run> {
        let steps = if low > self.low { (low - self.low + self.stride - 1) / self.stride } else { 0 };
        Run::new(self.low + steps * self.stride, high.min(self.high), self.stride)
    }

    /// Elements congruent to `residue` modulo `modulus`.
    fn congruent(&self, modulus: i128, residue: i128) -> Option<Run> {
        let (divisor, inverse) = extended_gcd(self.stride, modulus);
        let distance = residue - self.low;
        if distance.rem_euclid(divisor) != 0 {
            return None;
        }
        let period = modulus / divisor;
        // The first element is `steps` strides away: stride * steps = distance (mod modulus).
        let steps = mul_mod((distance / divisor).rem_euclid(period), inverse.rem_euclid(period), period);
        let low = self.stride.checked_mul(steps)?.checked_add(self.low)?;
        let stride = self.stride.checked_mul(period).unwrap_or(i128::MAX / 4);
        Run::new(low, self.high, stride)
    }
}

impl Domain {
    fn from_runs(runs: impl IntoIterator<Item = Run>) -> Domain {
        Domain { runs: runs.into_iter().collect(), pattern: Pattern::NONE }
    }

    /// The numbers of a pattern in runs of stride one.
    fn with_pattern(runs: impl IntoIterator<Item = Run>, pattern: Pattern) -> Domain {
        if pattern.is_none() {
            return Domain::from_runs(runs);
        }
        let trim = |run: Run| Run::new(pattern.at_least(run.low), pattern.at_most(run.high), 1);
        let runs: Rc<[Run]> = runs.into_iter().filter_map(trim).collect();
        let is_plain = runs.iter().all(|run| run.low == run.high);
        Domain { runs, pattern: if is_plain { Pattern::NONE } else { pattern } }
    }

    fn n_in(&self, run: &Run) -> u128 {
        match self.pattern.is_none() {
            true => run.count(),
            false => self.pattern.rank(run.high) - self.pattern.rank(run.low) + 1,
        }
    }

    /// All integers from `low` to `high`.
    pub fn range(low: i128, high: i128) -> Domain {
        Domain::from_runs(Run::new(low, high, 1))
    }

    /// One integer.
    pub fn single(value: i128) -> Domain {
        Domain::range(value, value)
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The only element, if there is exactly one.
    #[inline]
    pub fn as_single(&self) -> Option<i128> {
        match &*self.runs {
            [run] if run.low == run.high => Some(run.low),
            _ => None,
        }
    }

    /// Number of elements.
    pub fn count(&self) -> u128 {
        self.runs.iter().map(|run| self.n_in(run)).sum()
    }

    /// The smallest element. The domain should not be empty.
    pub fn min(&self) -> i128 {
        self.runs.first().expect("a domain should not be empty").low
    }

    /// The largest element. The domain should not be empty.
    pub fn max(&self) -> i128 {
        self.runs.last().expect("a domain should not be empty").high
    }

    /// Whether the value is an element.
    pub fn contains(&self, value: i128) -> bool {
        self.pattern.contains(value) && self.runs.iter().any(|run| run.contains(value))
    }

    /// The element with this rank, from 0 in ascending order.
    pub fn nth(&self, mut rank: u128) -> Option<i128> {
        for run in self.runs.iter() {
            let count = self.n_in(run);
            if rank < count {
                return Some(match self.pattern.is_none() {
                    true => run.low + rank as i128 * run.stride,
                    false => self.pattern.of_rank(self.pattern.rank(run.low) + rank),
                });
            }
            rank -= count;
        }
        None
    }

    /// The rank of an element.
    pub fn position(&self, value: i128) -> Option<u128> {
        if !self.pattern.contains(value) {
            return None;
        }
        let mut before = 0;
        for run in self.runs.iter() {
            if run.contains(value) {
                return Some(match self.pattern.is_none() {
                    true => before + ((value - run.low) / run.stride) as u128,
                    false => before + self.pattern.rank(value) - self.pattern.rank(run.low),
                });
            }
            before += self.n_in(run);
        }
        None
    }

    /// The elements from `low` to `high`.
    #[must_use]
    pub fn within(&self, low: i128, high: i128) -> Domain {
        Domain::with_pattern(self.runs.iter().filter_map(|run| run.within(low, high)), self.pattern)
    }

    /// The elements that lie in any of the intervals, which should be disjoint.
    #[must_use]
    pub fn within_any(&self, intervals: &[(i128, i128)]) -> Domain {
        let mut sorted = intervals.to_vec();
        sorted.sort_unstable();
        let cut = |(low, high): &(i128, i128)| {
            let (low, high) = (*low, *high);
            self.runs.iter().filter_map(move |run| run.within(low, high))
        };
        Domain::with_pattern(sorted.iter().flat_map(cut), self.pattern)
    }

    /// The elements that lie in none of the intervals, which should be disjoint.
    #[must_use]
    pub fn outside_all(&self, intervals: &[(i128, i128)]) -> Domain {
        if self.is_empty() {
            return self.clone();
        }
        let mut sorted: Vec<_> = intervals.iter().copied().filter(|(low, high)| low <= high).collect();
        sorted.sort_unstable();
        let mut gaps = Vec::with_capacity(sorted.len() + 1);
        let mut from = self.min();
        for (low, high) in sorted {
            if from < low {
                gaps.push((from, low - 1));
            }
            from = from.max(high.saturating_add(1));
        }
        gaps.push((from, self.max()));
        self.within_any(&gaps)
    }

    /// The elements congruent to `residue` modulo `modulus`, which is positive; `None` if that is no such set.
    pub fn congruent(&self, modulus: i128, residue: i128) -> Option<Domain> {
        if self.pattern.is_none() {
            return Some(Domain::from_runs(self.runs.iter().filter_map(|run| run.congruent(modulus, residue))));
        }
        let is_pattern = modulus.count_ones() == 1 && modulus <= 1 << 64;
        is_pattern.then(|| self.matching(modulus as u128 - 1, residue as u128))?
    }

    /// The elements whose bits are those of `value` where `mask`, of at most 64 bits, has ones; `None` if that is no
    /// such set.
    pub fn matching(&self, mask: u128, value: u128) -> Option<Domain> {
        let wanted = Pattern::new(mask, value);
        let Some(mut pattern) = self.pattern.and(wanted) else { return Some(Domain::from_runs([])) };
        // A stride that is a power of two is a pattern of low bits.
        let strided = self.runs.iter().find(|run| run.stride != 1);
        if let Some(Run { low, stride, .. }) = strided.copied() {
            let low_bits = Pattern::new((stride - 1) as u128, low as u128);
            let is_same = |run: &Run| (run.stride == stride || run.low == run.high) && low_bits.contains(run.low);
            if stride.count_ones() != 1 || stride > 1 << 64 || !self.runs.iter().all(is_same) {
                return None;
            }
            let Some(both) = pattern.and(low_bits) else { return Some(Domain::from_runs([])) };
            pattern = both;
        }
        let intervals = self.runs.iter().filter_map(|run| Run::new(run.low, run.high, 1));
        Some(Domain::with_pattern(intervals, pattern))
    }

    /// Appends bytes that determine the set.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let has_pattern = u32::from(!self.pattern.is_none());
        out.extend_from_slice(&(self.runs.len() as u32 | has_pattern << 31).to_le_bytes());
        for run in self.runs.iter() {
            out.extend_from_slice(&run.low.to_le_bytes());
            out.extend_from_slice(&run.high.to_le_bytes());
            out.extend_from_slice(&run.stride.to_le_bytes());
        }
        self.pattern.encode(out);
    }
}

/// Greatest common divisor `d` of two positive numbers and `x` with `left * x = d (mod right)`.
fn extended_gcd(left: i128, right: i128) -> (i128, i128) {
    let (mut r0, mut r1, mut x0, mut x1) = (left, right, 1, 0);
    while r1 != 0 {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (x0, x1) = (x1, x0 - quotient * x1);
    }
    (r0, x0)
}

/// `left * right mod modulus` for operands in `0..modulus`, without overflow.
fn mul_mod(mut left: i128, mut right: i128, modulus: i128) -> i128 {
    if let Some(product) = left.checked_mul(right) {
        return product % modulus;
    }
    let mut sum = 0;
    while right > 0 {
        if right & 1 == 1 {
            sum = (sum + left) % modulus;
        }
        left = left * 2 % modulus;
        right >>= 1;
    }
    sum
}

/// The interval of `x` with `low <= scale * x + offset <= high`; may be empty (first above second).
pub(crate) fn affine_preimage(scale: i128, offset: i128, low: i128, high: i128) -> (i128, i128) {
    let (low, high) = (low - offset, high - offset);
    if scale > 0 {
        (div_ceil(low, scale), high.div_euclid(scale))
    } else {
        (div_ceil(-high, -scale), (-low).div_euclid(-scale))
    }
}

/// For positive `right`.
fn div_ceil(left: i128, right: i128) -> i128 {
    -((-left).div_euclid(right))
}

/// The modulus and residue of `x` with `scale * x + offset = residue (mod modulus)`; `None` if there is none.
pub(crate) fn affine_residue(scale: i128, offset: i128, modulus: i128, residue: i128) -> Option<(i128, i128)> {
    let scale = scale.rem_euclid(modulus);
    let target = (residue - offset).rem_euclid(modulus);
    if scale == 0 {
        return (target == 0).then_some((1, 0));
    }
    let (divisor, inverse) = extended_gcd(scale, modulus);
    if target % divisor != 0 {
        return None;
    }
    let period = modulus / divisor;
    Some((period, mul_mod(target / divisor % period, inverse.rem_euclid(period), period)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn elements(domain: &Domain) -> Vec<i128> {
        (0..domain.count()).map(|rank| domain.nth(rank).expect("rank below count")).collect()
    }

    #[derive(Clone, Debug)]
    enum Cut {
        Within(i128, i128),
        Outside(i128, i128),
        Congruent(i128, i128),
        Matching(u128, u128),
    }

    fn cut() -> impl Strategy<Value = Cut> {
        prop_oneof![
            (-20i128..20, -20i128..20).prop_map(|(low, high)| Cut::Within(low, high)),
            (-20i128..20, -20i128..20).prop_map(|(low, high)| Cut::Outside(low, high)),
            (1i128..9, -9i128..9).prop_map(|(modulus, residue)| Cut::Congruent(modulus, residue)),
            (0u128..64, 0u128..64).prop_map(|(mask, value)| Cut::Matching(mask, value)),
        ]
    }

    proptest! {
        #[test]
        fn cuts_agree_with_brute_force(cuts in proptest::collection::vec(cut(), 0..6)) {
            let mut domain = Domain::range(-16, 17);
            let mut model: Vec<i128> = (-16..=17).collect();
            for cut in cuts {
                match cut {
                    Cut::Within(low, high) => {
                        domain = domain.within(low, high);
                        model.retain(|x| low <= *x && *x <= high);
                    }
                    Cut::Outside(low, high) => {
                        domain = domain.outside_all(&[(low, high)]);
                        model.retain(|x| !(low <= *x && *x <= high));
                    }
                    Cut::Congruent(modulus, residue) => {
                        let Some(cut) = domain.congruent(modulus, residue) else { continue };
                        domain = cut;
                        model.retain(|x| (x - residue).rem_euclid(modulus) == 0);
                    }
                    Cut::Matching(mask, value) => {
                        let Some(cut) = domain.matching(mask, value) else { continue };
                        domain = cut;
                        model.retain(|x| (*x as u128 ^ value) & mask == 0);
                    }
                }
            }
            prop_assert_eq!(elements(&domain), model.clone());
            prop_assert_eq!(domain.as_single(), (model.len() == 1).then(|| model[0]));
            prop_assert_eq!(domain.is_empty(), model.is_empty());
            if let (Some(first), Some(last)) = (model.first(), model.last()) {
                prop_assert_eq!((domain.min(), domain.max()), (*first, *last));
            }
            for x in -18..20 {
                prop_assert_eq!(domain.contains(x), model.contains(&x));
                prop_assert_eq!(domain.position(x), model.iter().position(|y| *y == x).map(|at| at as u128));
            }
        }

        #[test]
        fn sets_without_a_pattern_can_have_one(mask in 0u128..64, value in 0u128..64, low in -20i128..20) {
            prop_assert!(Domain::range(low, 40).matching(mask, value).is_some());
            let even = Domain::range(low, 40).congruent(2, 1).expect("an interval has residue classes");
            prop_assert!(even.matching(mask, value).is_some_and(|both| both.congruent(4, 1).is_some()));
        }

        #[test]
        fn affine_preimages_are_exact(scale in -5i128..6, offset in -9i128..9, low in -40i128..40, high in -40i128..40) {
            prop_assume!(scale != 0);
            let (from, to) = affine_preimage(scale, offset, low, high);
            for x in -50..50 {
                let image = scale * x + offset;
                prop_assert_eq!(from <= x && x <= to, low <= image && image <= high);
            }
        }

        #[test]
        fn affine_residues_are_exact(scale in -7i128..8, offset in -9i128..9, modulus in 1i128..13, residue in 0i128..13) {
            prop_assume!(scale != 0);
            let found = affine_residue(scale, offset, modulus, residue);
            for x in -50i128..50 {
                let holds = (scale * x + offset - residue).rem_euclid(modulus) == 0;
                prop_assert_eq!(found.is_some_and(|(m, r)| (x - r).rem_euclid(m) == 0), holds);
            }
        }
    }
}
