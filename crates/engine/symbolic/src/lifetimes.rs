//! Lifetimes of objects: stack objects, the heap, the size behind a pointer.

use std::rc::Rc;

use unpick_program::{AllocKind, Contents, Operand, RegId, SlotId, Ty, ViolationKind};
use unpick_system::Reason;
use unpick_term::Term;

use crate::goals::Step;
use crate::object::{Ground, Object, ObjectKind};
use crate::state::State;
use crate::symex::Symex;
use crate::value::{Base, OFFSET_BITS, ObjectId, Targets, Value};

/// Larger objects are a limit of the interpreter.
const MAX_OBJECT_BYTES: u128 = 1 << 30;

impl Symex<'_> {
    fn new_object(&mut self, state: &mut State, object: Object) -> ObjectId {
        let id = ObjectId(self.n_objects);
        self.n_objects += 1;
        state.memory.put(id, object);
        id
    }

    pub(crate) fn slot_live(&mut self, state: &mut State, slot: SlotId) {
        self.slot_dead(state, slot);
        let function = self.function();
        let declared = &self.program.functions[function].slots[slot];
        let size = self.terms.constant(OFFSET_BITS, u128::from(declared.size));
        let kind = ObjectKind::Slot(function, slot);
        let object = Object::new(kind, size, declared.align, Ground::Undefined);
        let id = self.new_object(state, object);
        let targets = self.to_object(id);
        Rc::make_mut(&mut state.slots)[slot.0 as usize] = Some(targets);
    }

    pub(crate) fn slot_dead(&mut self, state: &mut State, slot: SlotId) {
        if state.slots[slot.0 as usize].is_some() {
            let targets = Rc::make_mut(&mut state.slots)[slot.0 as usize].take();
            self.end_targets(state, &targets.unwrap_or_default());
        }
    }

    /// The lives of all these objects are over.
    fn end_targets(&mut self, state: &mut State, targets: &Targets) {
        for target in targets.iter() {
            if let Base::Object(object) = target.base {
                self.end_object(state, object, target.when);
            }
        }
    }

    fn end_object(&mut self, state: &mut State, id: ObjectId, when: Term) {
        let when = self.simplify(state, when);
        let not = self.terms.not(when);
        if let Some(object) = state.memory.get_mut(id) {
            object.live = self.terms.and(object.live, not);
            if object.live == Term::FALSE {
                object.clear();
            }
        }
    }

    /// Stack objects end with their activation.
    pub(crate) fn end_frame(&mut self, state: &mut State) {
        let slots = std::mem::take(&mut state.slots);
        for targets in slots.iter().flatten() {
            self.end_targets(state, targets);
        }
        let allocas = std::mem::take(&mut state.allocas);
        for (object, made) in allocas.iter() {
            self.end_object(state, *object, *made);
        }
    }

    pub(crate) fn alloc(
        &mut self,
        state: &mut State,
        dst: RegId,
        bytes: &Operand,
        (align, kind, contents): (u64, AllocKind, Contents),
    ) -> Step {
        let size = self.byte_count(state, bytes)?;
        let limit = self.terms.constant(OFFSET_BITS, MAX_OBJECT_BYTES);
        let is_small = self.terms.ule(size, limit);
        self.supported(state, is_small, "objects of more than a gibibyte")?;
        let object_kind = match kind {
            AllocKind::Heap => ObjectKind::Heap,
            AllocKind::Stack => ObjectKind::Alloca,
        };
        let ground = match contents {
            Contents::Zero => Ground::Bytes([].into()),
            Contents::Indeterminate => Ground::Undefined,
            Contents::Any => Ground::Unknown("memory of unknown contents".into()),
        };
        let id = self.new_object(state, Object::new(object_kind, size, align, ground));
        if kind == AllocKind::Stack {
            let mut allocas = (*state.allocas).clone();
            allocas.push((id, Term::TRUE));
            state.allocas = allocas.into();
        }
        let targets = self.to_object(id);
        self.set(state, dst, Value::Pointer { targets, undef: Term::FALSE });
        Ok(())
    }

    pub(crate) fn free(&mut self, state: &mut State, addr: &Operand, kind: AllocKind) -> Step {
        let targets = self.used_pointer(state, addr)?;
        for target in targets.iter() {
            let when = self.simplify(state, target.when);
            let never = self.terms.not(when);
            let is_start = self.terms.is_zero(target.offset.term);
            let Base::Object(id) = target.base else {
                // Null is fine.
                let is_null = if target.base == Base::Number { is_start } else { Term::FALSE };
                let ok = self.terms.or(never, is_null);
                self.require(state, ok, ViolationKind::InvalidFree)?;
                continue;
            };
            let Some(object) = state.memory.get(id).cloned() else {
                return Err(self.unsupported(state, "an object that was not made on this path"));
            };
            if kind == AllocKind::Heap {
                self.check_free(state, &object, never, is_start)?;
            }
            self.end_object(state, id, when);
        }
        Ok(())
    }

    fn check_free(&mut self, state: &mut State, object: &Object, never: Term, is_start: Term) -> Step {
        if object.kind != ObjectKind::Heap {
            return self.require(state, never, ViolationKind::InvalidFree);
        }
        let alive = self.terms.or(never, object.live);
        self.require(state, alive, ViolationKind::DoubleFree)?;
        let ok = self.terms.or(never, is_start);
        self.require(state, ok, ViolationKind::InvalidFree)
    }

    pub(crate) fn object_size(&mut self, state: &mut State, dst: RegId, addr: &Operand, element: Option<u64>) -> Step {
        if element.is_some() {
            return Err(self.unsupported(state, "how much of an array may be written"));
        }
        let width = self.width(Ty::Ptr);
        let value = self.operand(state, addr);
        let unknown = self.terms.constant(width, u128::MAX);
        let targets = self.targets(state, &value)?;
        let mut result = unknown;
        for target in targets.iter() {
            let Base::Object(id) = target.base else { continue };
            let Some(object) = state.memory.get(id) else { continue };
            let (size, live) = (object.size, object.live);
            let is_behind = self.terms.sign(target.offset.term);
            let is_inside = self.terms.ule(target.offset.term, size);
            let rest = self.terms.sub(size, target.offset.term);
            let zero = self.terms.constant(OFFSET_BITS, 0);
            let rest = self.terms.ite(is_inside, rest, zero);
            let rest = self.terms.resize_unsigned(rest, width);
            let not_behind = self.terms.not(is_behind);
            let is_known = self.terms.and(live, not_behind);
            let when = self.terms.and(target.when, is_known);
            result = self.terms.ite(when, rest, result);
        }
        // An indeterminate pointer counts as null.
        let result = self.terms.ite(value.undef(), unknown, result);
        self.set(state, dst, Value::word(result));
        Ok(())
    }

    /// The status with which the program ends.
    pub(crate) fn exit_status(&mut self, state: &mut State, code: &Operand) -> Step {
        self.number(state, code, 32)?;
        if self.properties.contains(ViolationKind::Leak) {
            let site = self.site(self.log.loc);
            let what = "the symbolic engine does not look for leaks yet".to_owned();
            return Err(self.refuse(state, Reason::Unsupported { what, site }));
        }
        Ok(())
    }
}
