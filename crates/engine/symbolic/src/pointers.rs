//! Pointers as sets of guarded targets: arithmetic, comparison, and what a pointer that is used may lead to.
//!
//! Nothing here asks where objects lie. What would need their addresses is refused, under the condition that it does.

use unpick_program::{BinOp, CmpOp, Operand, Ty, ViolationKind};
use unpick_term::Term;

use crate::compute::ADDRESSES;
use crate::content::number_of;
use crate::goals::Step;
use crate::state::State;
use crate::symex::Symex;
use crate::value::{Base, OFFSET_BITS, Offset, Target, Targets, Value, add_target, targets_of};

/// Numbers below this are no addresses of functions or objects.
const LOWEST_ADDRESS: u128 = 0x10_0000;

impl Symex<'_> {
    /// Where a value leads, as far as the state allows it.
    pub(crate) fn targets(&mut self, state: &mut State, value: &Value) -> Step<Targets> {
        let Some(all) = targets_of(&mut self.terms, value) else {
            return Err(self.unsupported(state, ADDRESSES));
        };
        let possible: Vec<Target> =
            all.iter().filter(|target| self.decide(state, target.when) != Some(false)).cloned().collect();
        match &possible[..] {
            [only] => Ok([Target { when: Term::TRUE, ..only.clone() }].into()),
            [] => Ok(all),
            _several if possible.len() == all.len() => Ok(all),
            _several => Ok(possible.into()),
        }
    }

    /// Where a pointer leads that is about to be used: an indeterminate one is a violation.
    pub(crate) fn used_pointer(&mut self, state: &mut State, operand: &Operand) -> Step<Targets> {
        let value = self.operand(state, operand);
        self.determinate(state, value.undef())?;
        self.targets(state, &value)
    }

    /// Under a condition, a number is surely not the address of a place. Null is none, whatever the place.
    fn is_no_address(&mut self, state: &mut State, when: Term, number: Offset, place: Offset) -> Step {
        let is_near = place.number().is_some_and(|number| (0..LOWEST_ADDRESS as i64).contains(&number));
        if !is_near {
            let is_null = self.terms.is_zero(number.term);
            let ok = self.terms.implies(when, is_null);
            return self.supported(state, ok, ADDRESSES);
        }
        let lowest = self.terms.constant(OFFSET_BITS, LOWEST_ADDRESS);
        let is_low = self.terms.ult(number.term, lowest);
        let is_high = match self.program.pointer_bytes {
            8 => self.terms.sign(number.term),
            _small => Term::FALSE,
        };
        let is_none = self.terms.or(is_low, is_high);
        let ok = self.terms.implies(when, is_none);
        self.supported(state, ok, ADDRESSES)
    }

    pub(crate) fn ptr_add(&mut self, state: &mut State, base: &Value, index: &Value, stride: i64) -> Step<Value> {
        let undef = self.terms.or(base.undef(), index.undef());
        let width = self.width(Ty::Ptr);
        if undef == Term::TRUE {
            return Ok(Value::undefined(&mut self.terms, width));
        }
        let (index, _) = self.word(state, index, width)?;
        let index = self.terms.resize_signed(index, OFFSET_BITS);
        let step = match self.terms.constant_u128(index) {
            Some(number) => Offset::constant(&mut self.terms, (number as i64).wrapping_mul(stride)),
            None => Offset::scaled(&mut self.terms, index, stride),
        };
        let targets = self.targets(state, base)?;
        let moved = self.moved(&targets, step);
        Ok(Value::Pointer { targets: moved, undef })
    }

    /// All targets, so many bytes further on.
    fn moved(&mut self, targets: &Targets, step: Offset) -> Targets {
        let mut all = Vec::new();
        for target in targets.iter() {
            let offset = match target.base {
                Base::Number => self.number_offset(target.offset, step),
                Base::Object(_) | Base::Function(_) => target.offset.plus(&mut self.terms, step),
            };
            add_target(&mut self.terms, &mut all, Target { offset, ..target.clone() });
        }
        all.into()
    }

    /// A plain address has as many bits as a pointer.
    fn number_offset(&mut self, offset: Offset, step: Offset) -> Offset {
        let sum = offset.plus(&mut self.terms, step);
        if self.program.pointer_bytes == 8 {
            return sum;
        }
        let low = self.terms.extract(sum.term, 31, 0);
        let term = self.terms.zext(low, OFFSET_BITS);
        Offset::any(&mut self.terms, term)
    }

    pub(crate) fn ptr_diff(&mut self, state: &mut State, left: &Value, right: &Value, stride: u64) -> Step<Value> {
        let undef = self.terms.or(left.undef(), right.undef());
        let width = self.width(Ty::Ptr);
        if undef == Term::TRUE {
            return Ok(Value::undefined(&mut self.terms, width));
        }
        let bytes = self.distance(state, left, right, undef)?;
        let stride = self.terms.constant(OFFSET_BITS, u128::from(stride.max(1)));
        let steps = self.terms.sdiv(bytes, stride);
        let bits = self.terms.resize_unsigned(steps, width);
        Ok(Value::Word { bits, undef })
    }

    /// The distance of two pointers, which have to lead into the same object.
    fn distance(&mut self, state: &mut State, left: &Value, right: &Value, undef: Term) -> Step<Term> {
        let (left, right) = (self.targets(state, left)?, self.targets(state, right)?);
        let mut bytes: Option<Term> = None;
        let mut apart = Term::FALSE;
        for one in left.iter() {
            for other in right.iter() {
                let both = self.terms.and(one.when, other.when);
                if one.base != other.base {
                    apart = self.terms.or(apart, both);
                    continue;
                }
                let difference = self.terms.sub(one.offset.term, other.offset.term);
                bytes = Some(match bytes {
                    None => difference,
                    Some(rest) => self.terms.ite(both, difference, rest),
                });
            }
        }
        let is_set = self.terms.not(undef);
        let is_wrong = self.terms.and(apart, is_set);
        let ok = self.terms.not(is_wrong);
        self.require(state, ok, ViolationKind::OutOfBounds)?;
        Ok(bytes.unwrap_or_else(|| self.terms.constant(OFFSET_BITS, 0)))
    }

    /// Compares pointers, or integers that hold them: these are numbers where they lead to different objects.
    pub(crate) fn compare_pointers(
        &mut self,
        state: &mut State,
        (op, ty): (CmpOp, Ty),
        left: &Value,
        right: &Value,
    ) -> Step<Value> {
        let undef = self.terms.or(left.undef(), right.undef());
        if undef == Term::TRUE {
            return Ok(Value::undefined(&mut self.terms, 1));
        }
        let is_equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
        let (left, right) = (self.targets(state, left)?, self.targets(state, right)?);
        let mut result: Option<Term> = None;
        let mut apart = Term::FALSE;
        for one in left.iter() {
            for other in right.iter() {
                let both = self.terms.and(one.when, other.when);
                if both == Term::FALSE {
                    continue;
                }
                let bit = match one.base == other.base {
                    true => self.compare_offsets(op, one, other),
                    false if is_equality && (ty == Ty::Ptr || is_null(one) || is_null(other)) => {
                        self.distinct(state, both, one, other)?;
                        if op == CmpOp::Ne { Term::TRUE } else { Term::FALSE }
                    }
                    false => {
                        apart = self.terms.or(apart, both);
                        continue;
                    }
                };
                result = Some(match result {
                    None => bit,
                    Some(rest) => self.terms.ite(both, bit, rest),
                });
            }
        }
        let is_set = self.terms.not(undef);
        let is_wrong = self.terms.and(apart, is_set);
        let ok = self.terms.not(is_wrong);
        match ty {
            Ty::Ptr => self.require(state, ok, ViolationKind::OutOfBounds)?,
            _integer => self.supported(state, ok, ADDRESSES)?,
        }
        Ok(Value::Word { bits: result.unwrap_or(Term::FALSE), undef })
    }

    fn compare_offsets(&mut self, op: CmpOp, one: &Target, other: &Target) -> Term {
        // Places in one object compare as numbers with a sign, plain addresses as numbers without.
        let op = match (one.base, op) {
            (Base::Number, CmpOp::SLt) => CmpOp::ULt,
            (Base::Number, CmpOp::SLe) => CmpOp::ULe,
            (Base::Number, CmpOp::SGt) => CmpOp::UGt,
            (Base::Number, CmpOp::SGe) => CmpOp::UGe,
            (Base::Object(_) | Base::Function(_), CmpOp::ULt) => CmpOp::SLt,
            (Base::Object(_) | Base::Function(_), CmpOp::ULe) => CmpOp::SLe,
            (Base::Object(_) | Base::Function(_), CmpOp::UGt) => CmpOp::SGt,
            (Base::Object(_) | Base::Function(_), CmpOp::UGe) => CmpOp::SGe,
            (_, op) => op,
        };
        self.relation(op, one.offset.term, other.offset.term).expect("pointers should not be compared as floats")
    }

    /// Two places with different bases differ; a number only if it is no address.
    fn distinct(&mut self, state: &mut State, both: Term, one: &Target, other: &Target) -> Step {
        match (one.base, other.base) {
            (Base::Number, _) => self.is_no_address(state, both, one.offset, other.offset),
            (_, Base::Number) => self.is_no_address(state, both, other.offset, one.offset),
            (Base::Object(_) | Base::Function(_), Base::Object(_) | Base::Function(_)) => Ok(()),
        }
    }

    /// Arithmetic on an integer that holds a pointer, where the result can hold it too or does not depend on the address.
    pub(crate) fn pointer_arithmetic(
        &mut self,
        state: &mut State,
        op: BinOp,
        width: u32,
        left: &Value,
        right: &Value,
    ) -> Step<Option<Value>> {
        let is_address = |symex: &mut Self, value: &Value| match value {
            Value::Pointer { targets, .. } => number_of(&mut symex.terms, targets, width).is_none(),
            Value::Word { .. } | Value::Fragment { .. } => false,
        };
        let is_left = is_address(self, left);
        let is_right = is_address(self, right);
        let undef = self.terms.or(left.undef(), right.undef());
        if !(is_left || is_right) || width != self.width(Ty::Ptr) || undef == Term::TRUE {
            return Ok(None);
        }
        if is_left && is_right {
            if op != BinOp::Sub {
                return Ok(None);
            }
            return self.integer_distance(state, left, right, undef, width).map(Some);
        }
        let (pointer, other) = if is_left { (left, right) } else { (right, left) };
        if !is_left && op == BinOp::Sub {
            return Ok(None);
        }
        let (number, _) = self.word(state, other, width)?;
        let targets = self.targets(state, pointer)?;
        match op {
            BinOp::Add | BinOp::Sub => {
                let number = if op == BinOp::Sub { self.terms.neg(number) } else { number };
                let step = self.terms.resize_signed(number, OFFSET_BITS);
                let step = Offset::any(&mut self.terms, step);
                Ok(Some(Value::Pointer { targets: self.moved(&targets, step), undef }))
            }
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::URem => match self.terms.constant_u128(number) {
                Some(mask) => self.masked(state, op, mask as u64, &targets, undef),
                None => Ok(None),
            },
            BinOp::Mul | BinOp::Shl | BinOp::LShr | BinOp::AShr => Ok(None),
            BinOp::SDiv | BinOp::UDiv | BinOp::SRem => Ok(None),
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => Ok(None),
        }
    }

    fn integer_distance(
        &mut self,
        state: &mut State,
        left: &Value,
        right: &Value,
        undef: Term,
        width: u32,
    ) -> Step<Value> {
        let (left, right) = (self.targets(state, left)?, self.targets(state, right)?);
        let mut bytes: Option<Term> = None;
        for one in left.iter() {
            for other in right.iter() {
                let both = self.terms.and(one.when, other.when);
                if one.base != other.base {
                    let ok = self.terms.not(both);
                    self.supported(state, ok, ADDRESSES)?;
                    continue;
                }
                let difference = self.terms.sub(one.offset.term, other.offset.term);
                bytes = Some(match bytes {
                    None => difference,
                    Some(rest) => self.terms.ite(both, difference, rest),
                });
            }
        }
        let bytes = bytes.unwrap_or_else(|| self.terms.constant(OFFSET_BITS, 0));
        Ok(Value::Word { bits: self.terms.resize_unsigned(bytes, width), undef })
    }

    /// The lowest bits of an address are those of the offset, because objects are aligned. One target only: what comes out
    /// is a number or a pointer.
    fn masked(
        &mut self,
        state: &mut State,
        op: BinOp,
        mask: u64,
        targets: &Targets,
        undef: Term,
    ) -> Step<Option<Value>> {
        let [Target { base: base @ Base::Object(object), offset, .. }] = &targets[..] else { return Ok(None) };
        let align = state.memory.get(*object).map_or(16, |object| object.align.max(16));
        let low_mask = self.terms.constant(OFFSET_BITS, u128::from(align - 1));
        let low = self.terms.and(offset.term, low_mask);
        let number = self.terms.constant(OFFSET_BITS, u128::from(mask));
        let width = self.width(Ty::Ptr);
        let all = if width == 32 { u64::from(u32::MAX) } else { u64::MAX };
        let new_low = match op {
            BinOp::And if mask < align => {
                let bits = self.terms.and(low, number);
                return Ok(Some(Value::Word { bits: self.terms.resize_unsigned(bits, width), undef }));
            }
            BinOp::URem if mask.is_power_of_two() && mask <= align => {
                let number = self.terms.constant(OFFSET_BITS, u128::from(mask - 1));
                let bits = self.terms.and(low, number);
                return Ok(Some(Value::Word { bits: self.terms.resize_unsigned(bits, width), undef }));
            }
            BinOp::And if !mask & all < align => self.terms.and(low, number),
            BinOp::Or if mask < align => self.terms.or(low, number),
            BinOp::Xor if mask < align => self.terms.xor(low, number),
            _other => return Ok(None),
        };
        let above = self.terms.sub(offset.term, low);
        let term = self.terms.add(above, new_low);
        let offset = Offset::any(&mut self.terms, term);
        let base = *base;
        let targets = [Target { when: Term::TRUE, base, offset }].into();
        Ok(Some(Value::Pointer { targets, undef }))
    }
}

/// Whether a target is the null pointer.
fn is_null(target: &Target) -> bool {
    target.base == Base::Number && target.offset.number() == Some(0)
}
