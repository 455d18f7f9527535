//! Lifetimes of objects: stack objects, the heap, the remaining size behind a pointer.

use super::Observer;
use super::choice::truncate;
use super::exec::{Exec, Step};
use super::object::{AnyBytes, Object, ObjectKind};
use super::value::{Pointer, Value};
use crate::{AllocKind, Contents, Loc, Operand, RegId, SlotId, ViolationKind};

/// Larger objects are a limit of ours.
const MAX_OBJECT_BYTES: u128 = 1 << 30;

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    pub(crate) fn slot_live(&mut self, slot: SlotId) {
        let loc = self.loc();
        self.slot_dead(slot);
        let declared = &self.function.slots[slot];
        let kind = ObjectKind::Slot(self.function_id, slot);
        let pointer = self.state.memory.add_slot(kind, declared.size, declared.align, loc, self.thread);
        *self.slot_entry(slot) = pointer;
    }

    pub(crate) fn slot_dead(&mut self, slot: SlotId) {
        let loc = self.loc();
        let pointer = std::mem::replace(self.slot_entry(slot), Pointer::NULL);
        if pointer != Pointer::NULL {
            self.end(pointer, loc);
        }
    }

    /// An object's life is over.
    pub(crate) fn end(&mut self, pointer: Pointer, loc: Loc) {
        self.observer.ended(self.state, self.thread, pointer);
        self.state.memory.end(pointer, loc);
    }

    /// Whether the running thread makes its first heap object at a place. The first one has a name of its own in
    /// all interleavings, so that a lock in it can be told from others.
    fn is_first_at(&mut self, loc: Loc) -> bool {
        let sites = &mut self.state.threads[self.thread].sites;
        match sites.binary_search(&loc) {
            Ok(_) => false,
            Err(at) => {
                sites.insert(at, loc);
                true
            }
        }
    }

    pub(crate) fn slot_entry(&mut self, slot: SlotId) -> &mut Pointer {
        &mut self.state.threads[self.thread].slots[self.slot_base + slot.0 as usize]
    }

    pub(crate) fn alloc(
        &mut self,
        dst: RegId,
        bytes: &Operand,
        align: u64,
        kind: AllocKind,
        contents: Contents,
    ) -> Step {
        let size = self.length(bytes)?;
        let (maker, loc) = self.user_place();
        if u128::from(size) > MAX_OBJECT_BYTES {
            let what = format!("an object of {size} bytes");
            return Err(Box::new(super::Stop::Limit { what, loc }));
        }
        let object_kind = match kind {
            AllocKind::Heap => {
                self.state.memory.n_heap += 1;
                ObjectKind::Heap(self.state.memory.n_heap)
            }
            AllocKind::Stack => ObjectKind::Alloca(self.function_id),
        };
        let mut object = Object::new(object_kind, size, align, loc);
        object.is_private = true;
        object.maker = Some(maker);
        object.thread = self.thread as u32;
        if kind == AllocKind::Heap && self.machine.has_threads {
            object.is_first = self.is_first_at(loc);
        }
        match contents {
            Contents::Zero => {}
            Contents::Indeterminate => object.forget(),
            Contents::Any => {
                object.forget();
                object.any = Some(AnyBytes::whole("memory of unknown contents".into()));
            }
        }
        let pointer = self.state.memory.add(object);
        match kind {
            AllocKind::Heap => self.observer.made(self.state, self.thread, pointer),
            AllocKind::Stack => self.state.threads[self.thread].allocas.push(pointer),
        }
        self.assign(dst, Value::Ptr(pointer));
        Ok(())
    }

    pub(crate) fn free(&mut self, addr: &Operand, kind: AllocKind) -> Step {
        let pointer = self.pointer(addr, "the pointer to be freed")?;
        if pointer == Pointer::NULL {
            return Ok(());
        }
        if kind == AllocKind::Stack {
            let thread = &mut self.state.threads[self.thread];
            thread.allocas.retain(|alloca| *alloca != pointer);
            let loc = self.loc();
            self.end(pointer, loc);
            return Ok(());
        }
        match self.state.memory.get(pointer) {
            Some(Object { kind: ObjectKind::Heap(_), .. }) if pointer.offset == 0 => {
                let (_, loc) = self.user_place();
                self.end(pointer, loc);
                Ok(())
            }
            Some(Object { kind: ObjectKind::Heap(_), .. }) => {
                let what = self.describe_object(pointer);
                let message = format!("free of a pointer {} bytes into {what}", pointer.offset);
                Err(self.violation(ViolationKind::InvalidFree, message))
            }
            Some(_) => {
                let message = format!("free of {}, which is not on the heap", self.describe_object(pointer));
                Err(self.violation(ViolationKind::InvalidFree, message))
            }
            None => {
                let what = self.describe_object(pointer);
                let is_stack =
                    self.state.memory.tombstone(pointer).is_some_and(|tombstone| {
                        matches!(tombstone.kind, ObjectKind::Slot(..) | ObjectKind::Alloca(_))
                    });
                if pointer.object == 0 || pointer.as_function().is_some() || is_stack {
                    let what = if pointer.object == 0 { self.describe_wild(pointer) } else { what };
                    return Err(self.violation(ViolationKind::InvalidFree, format!("free of {what}")));
                }
                Err(self.violation(ViolationKind::DoubleFree, format!("second free of {what}")))
            }
        }
    }

    pub(crate) fn object_size(&mut self, dst: RegId, addr: &Operand, element: Option<u64>) -> Step {
        let pointer = match self.operand(addr) {
            Value::Undef => Pointer::NULL,
            value => self.as_pointer(value)?,
        };
        let width = self.width(self.function.regs[dst].ty);
        self.observer.looked_at(self.state, self.thread, pointer);
        let size = match (self.state.memory.get(pointer), element) {
            (Some(object), None) if pointer.offset >= 0 => {
                u128::from(object.size().saturating_sub(pointer.offset as u64))
            }
            (_, None) => u128::MAX,
            (Some(object), Some(element)) => u128::from(self.writable(object, pointer.offset, element)),
            (None, Some(_)) => 0,
        };
        self.assign(dst, Value::from_bits(width, truncate(size, width)));
        Ok(())
    }

    /// How many bytes may be written through a pointer to an element: the rest of its array, or the one.
    fn writable(&self, object: &Object, offset: i64, element: u64) -> u64 {
        let Some(rest) = u64::try_from(offset).ok().and_then(|offset| object.size().checked_sub(offset)) else {
            return 0;
        };
        if object.is_read_only {
            return 0;
        }
        let of_array = crate::show::writable_part(self.program, object, offset as u64, element);
        of_array.unwrap_or(rest / element.max(1) * element.max(1)).min(rest)
    }
}
