//! Open inputs: how instructions narrow them.
//!
//! A lazy value is `scale * x + offset` modulo the width of whoever reads it. A *view* of it (as signed or
//! unsigned number) is piecewise linear: each piece is one multiple of 2^width. Comparisons cut the domain of
//! `x` along pieces; conversions and checked operations first make the caller say which piece it is.

use std::rc::Rc;

use super::choice::{Choice, ChoiceKind, Logged, truncate};
use super::domain::{Domain, affine_preimage, affine_residue};
use super::exec::{Exec, Step};
use super::object::{Cell, Found, Object};
use super::state::{Input, State};
use super::value::{Lazy, Value};
use super::{Observer, Stop};
use crate::{BlockId, CmpOp, Loc, Operand, RegId, Shape, Ty, ViolationKind};

/// More pieces or intervals than this are not worth a split.
const MAX_PIECES: i128 = 64;

impl State {
    /// The value, concrete if only one is left.
    #[inline]
    pub(crate) fn settle(&self, lazy: Lazy, width: u32) -> Value {
        match self.domain_of(lazy).as_single() {
            Some(x) => Value::from_bits(width, truncate(lazy.image(x) as u128, width)),
            None => Value::Lazy(lazy),
        }
    }

    /// The value in the execution that [`super::Machine::decisions`] describes.
    pub(crate) fn witnessed(&self, value: Value, width: u32) -> Value {
        match value {
            Value::Lazy(lazy) => {
                let number = lazy.image(self.domain_of(lazy).min());
                Value::from_bits(width, truncate(number as u128, width))
            }
            value => value,
        }
    }

    /// The value at an offset as a load would give it, open inputs as witnessed; `None` if indeterminate or out of
    /// bounds.
    pub(crate) fn peek(&self, object: &Object, offset: u64, ty: Ty, pointer_bytes: u8) -> Option<Value> {
        let len = super::exec::stored_bytes(ty, pointer_bytes);
        let width = super::exec::width(ty, pointer_bytes);
        if offset.checked_add(len)? > object.size() {
            return None;
        }
        match object.find(offset, len) {
            Found::Whole(value) => Some(self.witnessed(value, width)),
            Found::Bytes(bits) => Some(Value::from_bits(width, truncate(bits, width))),
            Found::Mixed(Cell { value: Value::Ptr(pointer), offset: start, .. }) if len == 1 => {
                Some(Value::Fragment { pointer, byte: (offset - start) as u8 })
            }
            Found::Mixed(_) => self.plain_bits(object, offset, len).map(|bits| Value::from_bits(width, bits)),
            Found::Undef => None,
        }
    }

    /// Bytes (at most 16) as a number, open inputs as witnessed; `None` if a bit is indeterminate, a byte belongs to
    /// a pointer, or the range is out of bounds.
    pub(crate) fn plain_bits(&self, object: &Object, offset: u64, len: u64) -> Option<u128> {
        if offset.checked_add(len)? > object.size() || object.has_undef(offset, len) {
            return None;
        }
        let mut bits = 0;
        for at in offset..offset + len {
            let byte = match object.cell_in(at, 1) {
                None => object.bytes[at as usize],
                Some(cell) => {
                    let whole = self.witnessed(cell.value, 8 * u32::from(cell.len)).bits()?;
                    (whole >> (8 * (at - cell.offset))) as u8
                }
            };
            bits |= u128::from(byte) << (8 * (at - offset));
        }
        Some(bits)
    }

    pub(crate) fn domain_of(&self, lazy: Lazy) -> &Domain {
        let input = self.inputs[lazy.input() as usize].as_ref();
        &input.expect("a lazy value should belong to an open input").domain
    }

    /// Adds an open input.
    pub(crate) fn open(&mut self, domain: Domain, width: u32, label: Rc<str>, loc: Loc) -> Lazy {
        let serial = self.n_inputs;
        self.n_inputs += 1;
        self.log.push(Logged::Open(serial));
        let input = Some(Input { serial, domain, width, label, loc });
        let number = match self.inputs.iter().position(Option::is_none) {
            Some(free) => {
                self.inputs[free] = input;
                free
            }
            None => {
                self.inputs.push(input);
                self.inputs.len() - 1
            }
        };
        Lazy::new(number as u32, 1, 0).expect("one and zero are small")
    }
}

impl Lazy {
    /// The exact integer for a value of the input.
    pub(crate) fn image(self, x: i128) -> i128 {
        self.scale() * x + self.offset()
    }

    /// `factor * self + summand`, if the numbers stay small.
    fn affine(self, factor: i128, summand: i128) -> Option<Lazy> {
        let scale = self.scale().checked_mul(factor)?;
        Lazy::new(self.input(), scale, self.offset().checked_mul(factor)?.checked_add(summand)?)
    }

    /// `self + sign * other`, for the same input, if the numbers stay small.
    pub(crate) fn combine(self, other: Lazy, sign: i128) -> Option<Lazy> {
        Lazy::new(self.input(), self.scale() + sign * other.scale(), self.offset() + sign * other.offset())
    }

    /// The interval of the input for which the exact integer lies in the interval.
    fn preimage(self, (low, high): (i128, i128)) -> (i128, i128) {
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

impl<O: Observer> Exec<'_, '_, O> {
    /// Executes `Choose`.
    pub(crate) fn choose(&mut self, dst: RegId, range: Option<(i128, i128)>, label: &str) -> Step {
        let reg = &self.function.regs[dst];
        let shape = reg.shape.map(|shape| &self.program.shapes[shape]);
        let is_unsigned = matches!(shape, Some(Shape::Int { is_signed: false, .. } | Shape::Bool));
        let ty = reg.ty;
        let value = self.fresh(ty, range, is_unsigned, label)?;
        self.assign(dst, value);
        Ok(())
    }

    /// A new input of the type.
    pub(crate) fn fresh(&mut self, ty: Ty, range: Option<(i128, i128)>, is_unsigned: bool, label: &str) -> Step<Value> {
        let width = self.width(ty);
        if let Some(bits) = self.state.threads[self.thread].picked.take() {
            return Ok(Value::from_bits(width, bits));
        }
        if ty == Ty::Ptr {
            return Err(self.unmodelled(format!("any pointer ({label})")));
        }
        if let Some((low, high)) = range
            && low > high
        {
            return Err(Box::new(Stop::Infeasible));
        }
        let view = if is_unsigned || width < 8 || !matches!(ty, Ty::Int(_)) { View::Unsigned } else { View::Signed };
        let domain = match range {
            Some((low, high)) => Some(Domain::range(low, high)),
            None if width <= 64 => {
                let (low, high) = view.limits(width);
                Some(Domain::range(low, high))
            }
            None => None,
        };
        let loc = self.loc();
        match domain {
            Some(domain) if self.machine.options.is_lazy && width <= 64 => {
                self.collect_inputs();
                let lazy = self.state.open(domain, width, label.into(), loc);
                Ok(self.state.settle(lazy, width))
            }
            domain => {
                let n_options = domain.as_ref().map_or(u128::MAX, Domain::count);
                let kind = ChoiceKind::Value { domain, width };
                Err(self.choice(kind, n_options, label.into(), loc))
            }
        }
    }

    fn choice(&self, kind: ChoiceKind, n_options: u128, label: String, loc: Loc) -> Box<Stop> {
        // An eager input of all values of a wide type is as good as too wide for anybody who wants all of them,
        // but a replay only wants one: the caller decides.
        Box::new(Stop::Choice(Choice { kind, n_options, label, loc, thread: self.thread }))
    }

    /// Stops for a decision between parts of the input's domain. Empty parts are left out.
    pub(crate) fn split(&self, lazy: Lazy, parts: Vec<Domain>) -> Box<Stop> {
        let input = self.state.inputs[lazy.input() as usize].as_ref().expect("the input should be open");
        let parts: Rc<[Domain]> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let n_options = parts.len() as u128;
        self.choice(ChoiceKind::Split { input: lazy.input(), parts }, n_options, input.label.to_string(), self.loc())
    }

    /// Stops for a decision on the value.
    pub(crate) fn enumerate(&self, lazy: Lazy) -> Box<Stop> {
        let input = self.state.inputs[lazy.input() as usize].as_ref().expect("the input should be open");
        let count = input.domain.count();
        let label = input.label.to_string();
        if count <= self.machine.options.max_enumerate {
            let kind = ChoiceKind::Enumerate { input: lazy.input(), domain: input.domain.clone() };
            return self.choice(kind, count, label, self.loc());
        }
        let values = samples(&input.domain);
        let n_options = values.len() as u128;
        let kind = ChoiceKind::Samples { input: Some(lazy.input()), values, width: input.width };
        let loc_of_use = self.loc();
        let samples = Choice { kind, n_options, label: label.clone(), loc: loc_of_use, thread: self.thread };
        Box::new(Stop::TooWide { samples, label, loc_of_choose: input.loc, loc_of_use, count })
    }

    /// Smallest and largest exact integer of a lazy value.
    fn bounds(&self, lazy: Lazy) -> (i128, i128) {
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
            return Err(self.enumerate(lazy));
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
            return Err(self.enumerate(lazy));
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
            (Value::Lazy(left), Value::Lazy(right)) => return Err(self.enumerate_smaller(left, right)),
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
        if (number >= 0 && number <= last) || !self.machine.options.checks.contains(ViolationKind::OutOfBounds) {
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

    // ---- arithmetic ----

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
        let parts = (0..modulus).filter_map(|residue| {
            let (period, class) = affine_residue(lazy.scale(), lazy.offset(), modulus, residue)?;
            Some(domain.congruent(period, class))
        });
        Err(self.split(lazy, parts.collect()))
    }

    /// The residue if it is the same for all values of the input.
    fn constant_residue(&self, lazy: Lazy, modulus: i128) -> Option<i128> {
        let domain = self.state.domain_of(lazy);
        let residue = lazy.image(domain.min()).rem_euclid(modulus);
        let (period, class) = affine_residue(lazy.scale(), lazy.offset(), modulus, residue)?;
        (domain.congruent(period, class).count() == domain.count()).then_some(residue)
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
        match self.remainder(lazy, 1 << high)? {
            Value::Bits(bits) => Ok(Value::from_bits(width, u128::from(bits) & mask)),
            _ => Err(self.enumerate(lazy)),
        }
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

    // ---- forgetting ----

    /// Forgets inputs that no value mentions, and those with one value left, once many have gathered.
    fn collect_inputs(&mut self) {
        let n_open = self.state.inputs.iter().flatten().count();
        if n_open < 64 || !n_open.is_power_of_two() {
            return;
        }
        self.state.settle_all(self.program);
        let mut used = vec![false; self.state.inputs.len()];
        self.state.for_each_lazy(|lazy| used[lazy.input() as usize] = true);
        for (number, is_used) in used.into_iter().enumerate() {
            if !is_used && let Some(input) = self.state.inputs[number].take() {
                let bits = truncate(input.domain.min() as u128, input.width);
                self.state.log.push(Logged::Fixed(input.serial, bits));
            }
        }
    }
}

impl State {
    /// Calls for every lazy value in registers and memory. The snapshot of an atomic region has its own inputs.
    pub(crate) fn for_each_lazy(&self, mut visit: impl FnMut(Lazy)) {
        let mut see = |value: &Value| {
            if let Value::Lazy(lazy) = value {
                visit(*lazy);
            }
        };
        self.threads.iter().flat_map(|thread| &thread.regs).for_each(&mut see);
        for (_, object) in self.memory.iter() {
            object.cells.iter().map(|cell| &cell.value).for_each(&mut see);
            if let Some(channel) = &object.channel {
                channel.messages.iter().flatten().for_each(&mut see);
            }
        }
    }

    /// Writes inputs with one value left as plain values wherever they occur.
    fn settle_all(&mut self, program: &crate::Program) {
        for thread in 0..self.threads.len() {
            for frame in 0..self.threads[thread].frames.len() {
                let (base, function) =
                    (self.threads[thread].frames[frame].reg_base as usize, self.threads[thread].frames[frame].function);
                for (reg, declared) in program.functions[function].regs.iter_enumerated() {
                    let at = base + reg.0 as usize;
                    if let Value::Lazy(lazy) = self.threads[thread].regs[at] {
                        let width = super::exec::width(declared.ty, program.pointer_bytes);
                        self.threads[thread].regs[at] = self.settle(lazy, width);
                    }
                }
            }
        }
        let settled: Vec<_> = self
            .memory
            .iter()
            .flat_map(|(pointer, object)| object.cells.iter().map(move |cell| (pointer, *cell)))
            .filter_map(|(pointer, cell)| match cell.value {
                Value::Lazy(lazy) => Some((pointer, cell, self.domain_of(lazy).as_single().map(|x| lazy.image(x))?)),
                _ => None,
            })
            .collect();
        for (pointer, cell, number) in settled {
            let object: &mut Object = self.memory.get_mut(pointer).expect("the object should be live");
            object.write_bytes(cell.offset, &number.to_le_bytes()[..usize::from(cell.len)]);
        }
    }
}

/// A few values worth trying: the ends and small numbers.
fn samples(domain: &Domain) -> Rc<[i128]> {
    let (min, max) = (domain.min(), domain.max());
    let mut values = vec![0, 1, min, max, -1, 2, min + 1, max - 1, min + (max - min) / 2];
    values.retain(|value| domain.contains(*value));
    let mut seen = Vec::new();
    values.retain(|value| {
        !seen.contains(value) && {
            seen.push(*value);
            true
        }
    });
    values.into()
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
