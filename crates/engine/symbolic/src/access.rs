//! Accesses: which objects a pointer leads to, whether it may be used there, and what is read and written.
//!
//! An offset that depends on inputs is one of finitely many places, known by its stride; a read is then a choice between
//! them, a write changes each under its condition.

use unpick_program::interp::{stored_bytes, volatile_kept};
use unpick_program::{Access, BitRange, Operand, RegId, Ty, ViolationKind};
use unpick_term::Term;

use crate::compute::ADDRESSES;
use crate::content::{Content, Mask, Piece, number_of, scalar};
use crate::goals::{Died, Step};
use crate::object::ObjectKind;
use crate::state::State;
use crate::symex::Symex;
use crate::value::{Base, OFFSET_BITS, ObjectId, Offset, Target, Targets, Value};

/// As many places of an object are told apart.
pub(crate) const MAX_PLACES: u64 = 1024;

/// What cannot be read as a number.
pub(crate) const LOST: &str = "memory of unknown contents, or parts of addresses as numbers";

/// An object that may be accessed, under a condition.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) when: Term,
    pub(crate) object: ObjectId,
    pub(crate) offset: Offset,
}

impl Symex<'_> {
    /// The objects that a range of bytes may lie in; where it lies in none, something goes wrong.
    pub(crate) fn spots(&mut self, state: &mut State, targets: &Targets, len: Term, is_write: bool) -> Step<Vec<Spot>> {
        let mut spots = Vec::new();
        for target in targets.iter() {
            if let Some(spot) = self.spot(state, target, len, is_write)? {
                spots.push(spot);
            }
        }
        match spots.is_empty() {
            // Everything went wrong, which the log says.
            true => {
                self.kill(state);
                Err(Died)
            }
            false => Ok(spots),
        }
    }

    fn spot(&mut self, state: &mut State, target: &Target, len: Term, is_write: bool) -> Step<Option<Spot>> {
        let when = self.simplify(state, target.when);
        if when == Term::FALSE {
            return Ok(None);
        }
        let never = self.terms.not(when);
        let object = match target.base {
            Base::Number => {
                self.require(state, never, ViolationKind::NullDereference)?;
                return Ok(None);
            }
            Base::Function(_) => {
                self.require(state, never, ViolationKind::OutOfBounds)?;
                return Ok(None);
            }
            Base::Object(object) => object,
        };
        let Some(found) = state.memory.get(object).cloned() else {
            return Err(self.unsupported(state, "an object that was not made on this path"));
        };
        let alive = self.terms.or(never, found.live);
        self.require(state, alive, ViolationKind::UseAfterFree)?;
        if is_write && found.is_read_only {
            self.require(state, never, ViolationKind::OutOfBounds)?;
            return Ok(None);
        }
        let is_inside = self.is_inside(target.offset, found.size, len);
        let inside = self.terms.or(never, is_inside);
        self.require(state, inside, ViolationKind::OutOfBounds)?;
        Ok(Some(Spot { when, object, offset: target.offset }))
    }

    /// Whether a range of bytes lies inside an object of a size.
    fn is_inside(&mut self, offset: Offset, size: Term, len: Term) -> Term {
        let starts = self.terms.ule(offset.term, size);
        let rest = self.terms.sub(size, offset.term);
        let fits = self.terms.ule(len, rest);
        if let (Some(size), Some(len)) = (self.terms.constant_u128(size), self.terms.constant_u128(len)) {
            // One comparison where both are known.
            return match size.checked_sub(len) {
                Some(last) => {
                    let last = self.terms.constant(OFFSET_BITS, last);
                    self.terms.ule(offset.term, last)
                }
                None => Term::FALSE,
            };
        }
        self.terms.and(starts, fits)
    }

    /// A length as a term.
    pub(crate) fn length(&mut self, bytes: u64) -> Term {
        self.terms.constant(OFFSET_BITS, u128::from(bytes))
    }

    /// The places at which a range of bytes may lie in a spot, each with its condition.
    pub(crate) fn places(&mut self, state: &mut State, spot: &Spot, len: u64) -> Step<Vec<(Term, u64)>> {
        if let Some(number) = spot.offset.number() {
            return Ok(vec![(spot.when, number as u64)]);
        }
        let size = state.memory.get(spot.object).map(|object| object.size);
        let size = size.and_then(|size| self.terms.constant_u128(size));
        let stride = spot.offset.stride.max(1);
        let first = spot.offset.residue.max(0) as u64;
        let last = size.map_or(u64::MAX, |size| size as u64).saturating_sub(len);
        let n_places = if last < first { 0 } else { (last - first) / stride + 1 };
        let is_open = size.is_none() || n_places > MAX_PLACES;
        let places: Vec<u64> = (0..n_places.min(MAX_PLACES)).map(|at| first + at * stride).collect();
        if is_open {
            // What lies behind the places is left open.
            let limit = places.last().copied().unwrap_or(0);
            let limit = self.terms.constant(OFFSET_BITS, u128::from(limit));
            let is_low = self.terms.ule(spot.offset.term, limit);
            let ok = self.terms.implies(spot.when, is_low);
            self.supported(state, ok, "offsets that depend on inputs in large objects")?;
        }
        let mut all = Vec::with_capacity(places.len());
        for place in places {
            let number = self.terms.constant(OFFSET_BITS, u128::from(place));
            let is_here = self.terms.eq(spot.offset.term, number);
            let when = self.terms.and(spot.when, is_here);
            if self.decide(state, when) != Some(false) {
                all.push((when, place));
            }
        }
        Ok(all)
    }

    /// What lies at some spots, as a value of so many bytes.
    fn read_scalar(&mut self, state: &mut State, spots: &[Spot], ty: Ty, len: u64) -> Step<Value> {
        let pointer_bytes = u64::from(self.program.pointer_bytes);
        let mut result: Option<Value> = None;
        for spot in spots {
            for (when, place) in self.places(state, spot, len)? {
                self.touch_scalar(state, spot.object, (place, len), when, ty)?;
                let object = state.memory.get(spot.object).expect("the access was checked").clone();
                let run = object.read(&mut self.terms, place, len);
                let value = match scalar(&mut self.terms, &run, pointer_bytes) {
                    Some(value) => value,
                    None => {
                        let ok = self.terms.not(when);
                        self.supported(state, ok, LOST)?;
                        continue;
                    }
                };
                result = Some(match result {
                    None => value,
                    Some(rest) => match Value::join(&mut self.terms, when, &value, &rest) {
                        Some(value) => value,
                        None => {
                            let ok = self.terms.not(when);
                            self.supported(state, ok, LOST)?;
                            rest
                        }
                    },
                });
            }
        }
        match result {
            Some(value) => Ok(value),
            None => {
                self.kill(state);
                Err(Died)
            }
        }
    }

    /// A value of so many bytes as one of a type.
    fn typed(&mut self, state: &mut State, value: Value, ty: Ty, len: u64) -> Step<Value> {
        let width = self.width(ty);
        match value {
            Value::Word { bits, undef } => Ok(Value::Word { bits: self.terms.resize_unsigned(bits, width), undef }),
            Value::Pointer { .. } if ty == Ty::Ptr || (matches!(ty, Ty::Int(_)) && u64::from(width) == 8 * len) => {
                Ok(value)
            }
            Value::Fragment { .. } if ty == Ty::Int(8) => Ok(value),
            Value::Pointer { ref targets, undef } => match number_of(&mut self.terms, targets, 8 * len as u32) {
                Some(bits) => Ok(Value::Word { bits: self.terms.resize_unsigned(bits, width), undef }),
                None => Err(self.unsupported(state, ADDRESSES)),
            },
            Value::Fragment { .. } => Err(self.unsupported(state, ADDRESSES)),
        }
    }

    /// Reads a scalar of a type.
    pub(crate) fn load_value(&mut self, state: &mut State, targets: &Targets, ty: Ty) -> Step<Value> {
        let bytes = stored_bytes(ty, self.program.pointer_bytes);
        let len = self.length(bytes);
        let spots = self.spots(state, targets, len, false)?;
        let value = self.read_scalar(state, &spots, ty, bytes)?;
        self.typed(state, value, ty, bytes)
    }

    /// Writes a scalar of a type.
    pub(crate) fn store_value(&mut self, state: &mut State, targets: &Targets, value: Value, ty: Ty) -> Step {
        let bytes = stored_bytes(ty, self.program.pointer_bytes);
        let len = self.length(bytes);
        let spots = self.spots(state, targets, len, true)?;
        let piece = Piece::store(&mut self.terms, value, bytes);
        self.write_run(state, &spots, vec![piece])
    }

    /// Writes some bytes at the place of each spot.
    pub(crate) fn write_run(&mut self, state: &mut State, spots: &[Spot], run: Vec<Piece>) -> Step {
        let len = run.iter().map(|piece| piece.len).sum();
        let pointer_bytes = u64::from(self.program.pointer_bytes);
        for spot in spots {
            for (when, place) in self.places(state, spot, len)? {
                self.check_unknown(state, spot.object, &run, when)?;
                let object = state.memory.get_mut(spot.object).expect("the access was checked");
                object.write_if(&mut self.terms, when, place, run.clone(), pointer_bytes);
            }
        }
        Ok(())
    }

    pub(crate) fn load(&mut self, state: &mut State, dst: RegId, addr: &Operand, access: &Access) -> Step {
        let ty = self.program.functions[self.function()].regs[dst].ty;
        let targets = self.used_pointer(state, addr)?;
        self.note_volatile(state, &targets, access);
        let value = self.load_value(state, &targets, ty)?;
        self.set(state, dst, value);
        Ok(())
    }

    pub(crate) fn store(&mut self, state: &mut State, addr: &Operand, value: &Operand, ty: Ty) -> Step {
        let targets = self.used_pointer(state, addr)?;
        let value = self.operand(state, value);
        self.store_value(state, &targets, value, ty)
    }

    /// A register gets a value.
    pub(crate) fn set(&mut self, state: &mut State, dst: RegId, value: Value) {
        std::rc::Rc::make_mut(&mut state.regs)[dst.0 as usize] = value;
    }

    /// A volatile variable keeps its value, which is assumed.
    fn note_volatile(&mut self, state: &State, targets: &Targets, access: &Access) {
        if !access.is_volatile || access.atomic.is_some() {
            return;
        }
        for target in targets.iter() {
            if let Base::Object(object) = target.base
                && let Some(ObjectKind::Global(global)) = state.memory.get(object).map(|object| object.kind)
                && let Some(text) = volatile_kept(self.program, global)
            {
                self.log.note(&text);
            }
        }
    }

    // ---- bit-fields ----

    /// The bytes that a bit-field touches at some spots, as bits and their indeterminate ones.
    fn read_bits(&mut self, state: &mut State, spots: &[Spot], len: u64) -> Step<(Term, Term)> {
        let width = 8 * len as u32;
        let mut result: Option<(Term, Term)> = None;
        for spot in spots {
            for (when, place) in self.places(state, spot, len)? {
                self.refuse_open(state, spot.object, (place, len), when)?;
                let object = state.memory.get(spot.object).expect("the access was checked").clone();
                let run = crate::unknown::known(object.read(&mut self.terms, place, len));
                let Some((bits, undef)) = self.raw(&run) else {
                    let ok = self.terms.not(when);
                    self.supported(state, ok, LOST)?;
                    continue;
                };
                debug_assert_eq!(self.terms.width(bits), width);
                result = Some(match result {
                    None => (bits, undef),
                    Some((rest, rest_undef)) => {
                        (self.terms.ite(when, bits, rest), self.terms.ite(when, undef, rest_undef))
                    }
                });
            }
        }
        match result {
            Some(result) => Ok(result),
            None => {
                self.kill(state);
                Err(Died)
            }
        }
    }

    /// Bits and indeterminate bits of a run without pointers.
    fn raw(&mut self, run: &[Piece]) -> Option<(Term, Term)> {
        let mut all: Option<(Term, Term)> = None;
        for piece in run {
            let Content::Word { bits, undef } = &piece.content else { return None };
            let undef = undef.bits(&mut self.terms, 8 * piece.len as u32);
            all = Some(match all {
                None => (*bits, undef),
                Some((low, low_undef)) => (self.terms.concat(*bits, low), self.terms.concat(undef, low_undef)),
            });
        }
        all
    }

    pub(crate) fn load_bits(
        &mut self,
        state: &mut State,
        (dst, is_signed): (RegId, bool),
        addr: &Operand,
        bits: BitRange,
        access: &Access,
    ) -> Step {
        let targets = self.used_pointer(state, addr)?;
        self.note_volatile(state, &targets, access);
        let bytes = (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8);
        let len = self.length(bytes);
        let spots = self.spots(state, &targets, len, false)?;
        let (all, all_undef) = self.read_bits(state, &spots, bytes)?;
        let (low, high) = (u32::from(bits.offset), u32::from(bits.offset) + u32::from(bits.width) - 1);
        let field = self.terms.extract(all, high, low);
        let undef = self.terms.extract(all_undef, high, low);
        let is_zero = self.terms.is_zero(undef);
        let undef = self.terms.not(is_zero);
        let width = self.width(self.program.functions[self.function()].regs[dst].ty);
        let bits = match is_signed {
            true => self.terms.resize_signed(field, width),
            false => self.terms.resize_unsigned(field, width),
        };
        self.set(state, dst, Value::Word { bits, undef });
        Ok(())
    }

    pub(crate) fn store_bits(&mut self, state: &mut State, addr: &Operand, bits: BitRange, value: &Operand) -> Step {
        let targets = self.used_pointer(state, addr)?;
        let bytes = (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8);
        let len = self.length(bytes);
        let spots = self.spots(state, &targets, len, true)?;
        let (old, old_undef) = self.read_bits(state, &spots, bytes)?;
        let value = self.operand(state, value);
        let width = match &value {
            Value::Word { bits, .. } => self.terms.width(*bits),
            Value::Pointer { .. } | Value::Fragment { .. } => return Err(self.unsupported(state, ADDRESSES)),
        };
        let (new, undef) = self.word(state, &value, width)?;
        let total = 8 * bytes as u32;
        let field = self.terms.resize_unsigned(new, u32::from(bits.width));
        let undef = self.terms.resize_signed(undef, u32::from(bits.width));
        let all = self.spliced(old, field, u32::from(bits.offset));
        let all_undef = self.spliced(old_undef, undef, u32::from(bits.offset));
        debug_assert_eq!(self.terms.width(all), total);
        let undef = Mask::of(&self.terms, all_undef);
        self.write_run(state, &spots, vec![Piece { len: bytes, content: Content::Word { bits: all, undef } }])
    }

    /// Bits with some of them replaced.
    fn spliced(&mut self, all: Term, field: Term, low: u32) -> Term {
        let (total, width) = (self.terms.width(all), self.terms.width(field));
        let mut result = field;
        if low > 0 {
            let below = self.terms.extract(all, low - 1, 0);
            result = self.terms.concat(result, below);
        }
        if low + width < total {
            let above = self.terms.extract(all, total - 1, low + width);
            result = self.terms.concat(above, result);
        }
        result
    }
}
