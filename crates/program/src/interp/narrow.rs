//! Narrowing of open inputs by instructions: case splits, comparisons, switches, index checks.
//!
//! A lazy value is `scale * x + offset` modulo the width at which it is read. A *view* of it (as signed or
//! unsigned number) is piecewise linear: each piece is one multiple of 2^width. Comparisons cut the domain of
//! `x` along pieces; conversions and checked operations first make the caller say which piece it is.

use super::Observer;
use super::Stop;
use super::choice::truncate;
use super::domain::{Domain, affine_preimage};
use super::exec::{Exec, Step};
use super::unselected::INDEXES;
use super::value::{Lazy, Value};
use crate::{BlockId, CmpOp, Operand, Ty, ViolationKind};

/// More pieces than this are not worth a split.
const MAX_PIECES: i128 = 64;

impl Lazy {
    /// The exact integer for a value of the input.
    pub(crate) fn image(self, x: i128) -> i128 {
        self.scale() * x + self.offset()
    }

    /// `factor * self + summand`, if the numbers stay small.
    pub(crate) fn affine(self, factor: i128, summand: i128) -> Option<Lazy> {
        let scale = self.scale().checked_mul(factor)?;
        Lazy::new(self.input(), scale, self.offset().checked_mul(factor)?.checked_add(summand)?)
    }

    /// `self + sign * other`, for the same input, if the numbers stay small.
    pub(crate) fn combine(self, other: Lazy, sign: i128) -> Option<Lazy> {
        Lazy::new(self.input(), self.scale() + sign * other.scale(), self.offset() + sign * other.offset())
    }

    /// The interval of the input for which the exact integer lies in the interval.
    pub(crate) fn preimage(self, (low, high): (i128, i128)) -> (i128, i128) {
        affine_preimage(self.scale(), self.offset(), low, high)
    }
}

/// How bits are read as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Signed,
    Unsigned,
}

impl View {
    /// Smallest and largest number of a width.
    pub(crate) fn limits(self, width: u32) -> (i128, i128) {
        match self {
            View::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            View::Unsigned => (0, (1 << width) - 1),
        }
    }

    /// Bits as a number; widths up to 64.
    pub(crate) fn read(self, bits: u128, width: u32) -> i128 {
        match self {
            View::Signed => sign_extend(bits, width),
            View::Unsigned => bits as i128,
        }
    }
}

/// The bits of a width as a signed number.
#[inline]
pub(crate) fn sign_extend(bits: u128, width: u32) -> i128 {
    let shift = 128 - width;
    (bits << shift) as i128 >> shift
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// Smallest and largest exact integer of a lazy value.
    pub(crate) fn bounds(&self, lazy: Lazy) -> (i128, i128) {
        let domain = self.state.domain_of(lazy);
        let (left, right) = (lazy.image(domain.min()), lazy.image(domain.max()));
        (left.min(right), left.max(right))
    }

    /// The same bits with the exact integer being the viewed number; stops if that depends on the input.
    pub(crate) fn normalise(&self, lazy: Lazy, width: u32, view: View) -> Step<Lazy> {
        let (low, high) = view.limits(width);
        let (min, max) = self.bounds(lazy);
        let modulus = 1i128 << width;
        let (first, last) = ((min - low).div_euclid(modulus), (max - low).div_euclid(modulus));
        if first == last {
            return lazy.affine(1, -first * modulus).ok_or_else(|| self.enumerate(lazy));
        }
        if last - first >= MAX_PIECES {
            return Err(self.too_many_pieces(lazy, width, view));
        }
        let domain = self.state.domain_of(lazy);
        let parts: Vec<Domain> = (first..=last)
            .map(|piece| lazy.preimage((low + piece * modulus, high + piece * modulus)))
            .map(|(from, to)| domain.within(from, to))
            .collect();
        if parts.iter().filter(|part| !part.is_empty()).count() == 1 {
            // Holes of the domain leave a single piece after all.
            let piece = first + parts.iter().position(|part| !part.is_empty()).expect("one part has elements") as i128;
            return lazy.affine(1, -piece * modulus).ok_or_else(|| self.enumerate(lazy));
        }
        Err(self.split(lazy, parts))
    }

    /// Whether the viewed number lies in one of the ranges; stops if that depends on the input.
    pub(crate) fn lies_within(&self, lazy: Lazy, width: u32, view: View, ranges: &[(i128, i128)]) -> Step<bool> {
        let intervals = self.input_intervals(lazy, width, view, ranges)?;
        let domain = self.state.domain_of(lazy);
        let inside = domain.within_any(&intervals);
        if inside.is_empty() {
            return Ok(false);
        }
        let outside = domain.outside_all(&intervals);
        if outside.is_empty() {
            return Ok(true);
        }
        Err(self.split(lazy, vec![inside, outside]))
    }

    /// Intervals of the input for which the viewed number lies in one of the ranges.
    fn input_intervals(&self, lazy: Lazy, width: u32, view: View, ranges: &[(i128, i128)]) -> Step<Vec<(i128, i128)>> {
        let (low, _) = view.limits(width);
        let (min, max) = self.bounds(lazy);
        let modulus = 1i128 << width;
        let (first, last) = ((min - low).div_euclid(modulus), (max - low).div_euclid(modulus));
        if last - first >= MAX_PIECES {
            return Err(self.too_many_pieces(lazy, width, view));
        }
        Ok((first..=last)
            .flat_map(|piece| ranges.iter().map(move |(from, to)| (from + piece * modulus, to + piece * modulus)))
            .map(|range| lazy.preimage(range))
            .filter(|(from, to)| from <= to)
            .collect())
    }

    /// Compares a lazy integer with a number or another lazy integer.
    pub(crate) fn compare_lazy(&mut self, op: CmpOp, width: u32, left: Value, right: Value) -> Step<Value> {
        let (lazy, other, op) = match (left, right) {
            (Value::Undef, _) | (_, Value::Undef) => return Ok(Value::Undef),
            (Value::Lazy(left), Value::Lazy(right)) if left.input() == right.input() => {
                return self.compare_with_itself(op, width, left, right);
            }
            (Value::Lazy(left), Value::Lazy(right)) => return self.compare_apart(op, width, left, right),
            (Value::Lazy(lazy), other) => (lazy, other, op),
            (other, Value::Lazy(lazy)) => (lazy, other, swapped(op)),
            (_, _) => unreachable!("one side should be lazy"),
        };
        let bits = self.int(other, width)?.expect("an indeterminate side was handled");
        let Some((view, range, is_inside)) = true_range(op, width, bits) else {
            return Err(self.enumerate(lazy));
        };
        Ok(Value::from_bool(self.lies_within(lazy, width, view, &[range])? == is_inside))
    }

    /// Different inputs compare by their bounds if these lie apart, else one of them must be known.
    fn compare_apart(&mut self, op: CmpOp, width: u32, left: Lazy, right: Lazy) -> Step<Value> {
        let Some((view, _, _)) = true_range(op, width, 0) else { return Err(self.enumerate(left)) };
        let (first, second) = (self.normalise(left, width, view)?, self.normalise(right, width, view)?);
        let ((low, high), (other_low, other_high)) = (self.bounds(first), self.bounds(second));
        if high < other_low || low > other_high {
            return Ok(Value::from_bool(holds(op, low.cmp(&other_low))));
        }
        let is_weak_order = matches!(op, CmpOp::SLe | CmpOp::ULe | CmpOp::SGt | CmpOp::UGt);
        if is_weak_order && high <= other_low {
            return Ok(Value::from_bool(matches!(op, CmpOp::SLe | CmpOp::ULe)));
        }
        if matches!(op, CmpOp::SGe | CmpOp::UGe | CmpOp::SLt | CmpOp::ULt) && low >= other_high {
            return Ok(Value::from_bool(matches!(op, CmpOp::SGe | CmpOp::UGe)));
        }
        Err(self.enumerate_smaller(left, right))
    }

    fn compare_with_itself(&mut self, op: CmpOp, width: u32, left: Lazy, right: Lazy) -> Step<Value> {
        let Some((view, _, _)) = true_range(op, width, 0) else { return Err(self.enumerate(left)) };
        let left = self.normalise(left, width, view)?;
        let right = self.normalise(right, width, view)?;
        let Some(difference) = left.combine(right, -1) else { return Err(self.enumerate(left)) };
        if difference.scale() == 0 {
            return Ok(Value::from_bool(holds(op, difference.offset().cmp(&0))));
        }
        // Exact integers are at most 65 bits apart, so a 100-bit signed view shows the difference unchanged.
        let (view, range, is_inside) = true_range(signed(op), 100, 0).expect("a signed comparison has a range");
        Ok(Value::from_bool(self.lies_within(difference, 100, view, &[range])? == is_inside))
    }

    /// Stops for a decision on the input with fewer values.
    pub(crate) fn enumerate_smaller(&self, left: Lazy, right: Lazy) -> Box<Stop> {
        let is_left = self.state.domain_of(left).count() <= self.state.domain_of(right).count();
        self.enumerate(if is_left { left } else { right })
    }

    /// The target of a switch.
    pub(crate) fn switch(
        &mut self,
        value: &Operand,
        ty: Ty,
        cases: &[(u128, u128, BlockId)],
        default: BlockId,
    ) -> Step<BlockId> {
        let width = self.width(ty);
        let value = self.operand(value);
        if let Value::Lazy(lazy) = value
            && width <= 64
        {
            return self.switch_lazy(lazy, width, cases, default);
        }
        let Some(bits) = self.int(value, width)? else {
            return Err(self.violation(ViolationKind::Uninitialized, "switch on an indeterminate value".into()));
        };
        let case = cases.iter().find(|(low, high, _)| *low <= bits && bits <= *high);
        Ok(case.map_or(default, |(_, _, target)| *target))
    }

    fn switch_lazy(
        &mut self,
        lazy: Lazy,
        width: u32,
        cases: &[(u128, u128, BlockId)],
        default: BlockId,
    ) -> Step<BlockId> {
        // One part per target, not per case.
        let mut targets: Vec<(BlockId, Vec<(i128, i128)>)> = Vec::new();
        let mut all = Vec::new();
        for (low, high, target) in cases {
            let intervals = self.input_intervals(lazy, width, View::Unsigned, &[(*low as i128, *high as i128)])?;
            all.extend_from_slice(&intervals);
            match targets.iter_mut().find(|(other, _)| other == target) {
                Some((_, known)) => known.extend(intervals),
                None => targets.push((*target, intervals)),
            }
        }
        let domain = self.state.domain_of(lazy);
        let mut parts: Vec<(BlockId, Domain)> =
            targets.iter().map(|(target, intervals)| (*target, domain.within_any(intervals))).collect();
        parts.push((default, domain.outside_all(&all)));
        parts.retain(|(_, part)| !part.is_empty());
        match &parts[..] {
            [(target, _)] => Ok(*target),
            _ => Err(self.split(lazy, parts.into_iter().map(|(_, part)| part).collect())),
        }
    }

    /// The value of a condition.
    #[inline]
    pub(crate) fn condition(&mut self, cond: &Operand, what: &str) -> Step<bool> {
        match self.operand(cond) {
            Value::Bits(bits) => Ok(bits & 1 == 1),
            value => match self.int(value, 1)? {
                Some(bits) => Ok(bits & 1 == 1),
                None => {
                    let message = format!("{what} depends on an indeterminate value");
                    Err(self.violation(ViolationKind::Uninitialized, message))
                }
            },
        }
    }

    #[inline]
    pub(crate) fn check_index(&mut self, index: &Operand, len: u64, one_past: bool) -> Step {
        match self.operand(index) {
            Value::Bits(bits) if bits < len => Ok(()),
            _ => self.check_index_slow(index, len, one_past),
        }
    }

    fn check_index_slow(&mut self, index: &Operand, len: u64, one_past: bool) -> Step {
        let width = self.width(Ty::Ptr);
        let value = self.operand(index);
        let last = i128::from(len) - i128::from(!one_past);
        let number = match value {
            Value::Lazy(lazy) => {
                if self.lies_within(lazy, width, View::Signed, &[(0, last)])? {
                    return Ok(());
                }
                self.witness(lazy, width, View::Signed)
            }
            value => match self.int(value, width)? {
                Some(bits) => sign_extend(bits, width),
                None => {
                    let message = "an array index is indeterminate".into();
                    return Err(self.violation(ViolationKind::Uninitialized, message));
                }
            },
        };
        if number >= 0 && number <= last {
            return Ok(());
        }
        if !self.looks_for(ViolationKind::OutOfBounds) {
            self.observer.note(INDEXES);
            return Ok(());
        }
        let elements = if len == 1 { "element" } else { "elements" };
        let message = format!("index {number} is outside the bounds of an array of {len} {elements}");
        Err(self.violation(ViolationKind::OutOfBounds, message))
    }

    /// The number a lazy value has in the execution that [`super::Machine::decisions`] describes.
    pub(crate) fn witness(&self, lazy: Lazy, width: u32, view: View) -> i128 {
        let bits = truncate(lazy.image(self.state.domain_of(lazy).min()) as u128, width);
        view.read(bits, width)
    }
}

/// The range of the left operand for which the comparison with `bits` holds (or, with `false`, does not).
fn true_range(op: CmpOp, width: u32, bits: u128) -> Option<(View, (i128, i128), bool)> {
    let unsigned = bits as i128;
    let signed = sign_extend(bits, width);
    let (smin, smax) = View::Signed.limits(width);
    let (umin, umax) = View::Unsigned.limits(width);
    Some(match op {
        CmpOp::Eq => (View::Unsigned, (unsigned, unsigned), true),
        CmpOp::Ne => (View::Unsigned, (unsigned, unsigned), false),
        CmpOp::SLt => (View::Signed, (smin, signed - 1), true),
        CmpOp::SLe => (View::Signed, (smin, signed), true),
        CmpOp::SGt => (View::Signed, (signed + 1, smax), true),
        CmpOp::SGe => (View::Signed, (signed, smax), true),
        CmpOp::ULt => (View::Unsigned, (umin, unsigned - 1), true),
        CmpOp::ULe => (View::Unsigned, (umin, unsigned), true),
        CmpOp::UGt => (View::Unsigned, (unsigned + 1, umax), true),
        CmpOp::UGe => (View::Unsigned, (unsigned, umax), true),
        CmpOp::FEq | CmpOp::FNe | CmpOp::FLt | CmpOp::FLe | CmpOp::FGt | CmpOp::FGe | CmpOp::FUno => return None,
    })
}

/// The comparison with its operands exchanged.
fn swapped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::SLt => CmpOp::SGt,
        CmpOp::SLe => CmpOp::SGe,
        CmpOp::SGt => CmpOp::SLt,
        CmpOp::SGe => CmpOp::SLe,
        CmpOp::ULt => CmpOp::UGt,
        CmpOp::ULe => CmpOp::UGe,
        CmpOp::UGt => CmpOp::ULt,
        CmpOp::UGe => CmpOp::ULe,
        CmpOp::FLt => CmpOp::FGt,
        CmpOp::FLe => CmpOp::FGe,
        CmpOp::FGt => CmpOp::FLt,
        CmpOp::FGe => CmpOp::FLe,
        CmpOp::Eq | CmpOp::Ne | CmpOp::FEq | CmpOp::FNe | CmpOp::FUno => op,
    }
}

/// The signed comparison of the same direction.
fn signed(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::ULt => CmpOp::SLt,
        CmpOp::ULe => CmpOp::SLe,
        CmpOp::UGt => CmpOp::SGt,
        CmpOp::UGe => CmpOp::SGe,
        CmpOp::Eq | CmpOp::Ne | CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe => op,
        CmpOp::FEq | CmpOp::FNe | CmpOp::FLt | CmpOp::FLe | CmpOp::FGt | CmpOp::FGe | CmpOp::FUno => op,
    }
}

/// Whether an integer comparison holds for operands in this order.
pub(crate) fn holds(op: CmpOp, ordering: std::cmp::Ordering) -> bool {
    match op {
        CmpOp::Eq | CmpOp::FEq => ordering.is_eq(),
        CmpOp::Ne | CmpOp::FNe => ordering.is_ne(),
        CmpOp::SLt | CmpOp::ULt | CmpOp::FLt => ordering.is_lt(),
        CmpOp::SLe | CmpOp::ULe | CmpOp::FLe => ordering.is_le(),
        CmpOp::SGt | CmpOp::UGt | CmpOp::FGt => ordering.is_gt(),
        CmpOp::SGe | CmpOp::UGe | CmpOp::FGe => ordering.is_ge(),
        CmpOp::FUno => false,
    }
}
