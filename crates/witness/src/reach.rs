//! Names for heap objects by access paths from variables: `bank[0]->lock`, `list->next->value`.
//!
//! Variables that every thread sees come first, then those of the function the program starts with: a name should mean
//! the same in all threads.

use unpick_base::id::Id;
use unpick_program::interp::{Machine, ObjectKind, Pointer, State, Value};
use unpick_program::{FuncId, GlobalId, Program, RegId, Shape, ShapeId, SlotId, Ty};

use crate::place::{LEADS, ScalarPart, element, leads, size_of_shape};

/// Pointers that are followed before the search gives up.
const MAX_POINTERS: usize = 512;
/// Elements of an array that are looked at.
const MAX_ELEMENTS: u64 = 32;

/// A pointer that has a name.
struct Named {
    name: String,
    target: Pointer,
    pointee: ShapeId,
}

/// The part of a heap object that a range of bytes touches, under a name that starts at a variable: one of the activation
/// of `user`, if there is one, or a global one. `n_levels` is how many pointers may be followed.
pub(crate) fn named_part(
    machine: &Machine<'_>,
    state: &State,
    user: Option<(usize, usize, FuncId)>,
    pointer: Pointer,
    range: (u64, u64),
    n_levels: usize,
) -> Option<Vec<ScalarPart>> {
    let object = state.object(pointer)?;
    let mut level = variables(machine, state, user.filter(|_| n_levels > 0));
    let mut seen: Vec<Pointer> = Vec::new();
    for _ in 0..n_levels {
        for (lead, named) in LEADS.iter().flat_map(|lead| level.iter().map(move |named| (*lead, named))) {
            let mut leaves = Vec::new();
            let Named { name, target, pointee } = named;
            if target.same_object(pointer)
                && leads(machine.program, lead, *pointee, target.offset, object, range)
                && element(machine.program, *pointee, name, target.offset, object, range, &mut leaves)
            {
                return Some(leaves);
            }
        }
        let mut next = Vec::new();
        for Named { name, target, pointee } in level {
            let is_heap = state.object(target).is_some_and(|object| matches!(object.kind, ObjectKind::Heap(_)));
            if !is_heap || seen.iter().any(|other| other.same_object(target)) || next.len() > MAX_POINTERS {
                continue;
            }
            seen.push(target);
            let is_record = matches!(machine.program.shapes[pointee], Shape::Record { .. });
            let name = if is_record { format!("{name}->") } else { format!("(*{name})") };
            let Ok(offset) = u64::try_from(target.offset) else { continue };
            Pointers { machine, state, object: target, found: &mut next }.collect(pointee, name, offset);
        }
        level = next;
    }
    None
}

/// The pointers in global variables.
fn variables(machine: &Machine<'_>, state: &State, user: Option<(usize, usize, FuncId)>) -> Vec<Named> {
    let program = machine.program;
    let mut found = Vec::new();
    if let Some((thread, frame, _)) = user {
        local_variables(machine, state, thread, frame, &mut found);
    }
    for index in 0..program.globals.len() {
        let id = GlobalId::from_index(index);
        let global = &program.globals[id];
        if let (Some(name), Some(shape), false, false) =
            (&global.source_name, global.shape, global.is_model, global.is_thread_local)
        {
            let object = machine.global(state, 0, id);
            Pointers { machine, state, object, found: &mut found }.collect(shape, name.clone(), 0);
        }
    }
    main_variables(machine, state, &mut found);
    found
}

/// Those of the first function of the user's own that thread 0 is in.
fn main_variables(machine: &Machine<'_>, state: &State, found: &mut Vec<Named>) {
    let program = machine.program;
    let frames = state.frames(program, 0);
    if let Some(at) = frames.iter().position(|frame| !program.functions[frame.function].is_model) {
        local_variables(machine, state, 0, at, found);
    }
}

/// Those of one activation of a thread.
fn local_variables(machine: &Machine<'_>, state: &State, thread: usize, at: usize, found: &mut Vec<Named>) {
    let program = machine.program;
    let frames = state.frames(program, thread);
    let Some(frame) = frames.get(at) else { return };
    let body = &program.functions[frame.function];
    for index in 0..body.regs.len() {
        let id = RegId::from_index(index);
        let reg = &body.regs[id];
        let (Some(name), Ty::Ptr, Some(shape)) = (&reg.name, reg.ty, reg.shape) else { continue };
        if let (Value::Ptr(target), Shape::Pointer(Some(pointee))) =
            (state.register(thread, at, id), &program.shapes[shape])
        {
            found.push(Named { name: name.clone(), target, pointee: *pointee });
        }
    }
    for index in 0..body.slots.len() {
        let id = SlotId::from_index(index);
        let slot = &body.slots[id];
        if let (Some(name), Some(shape), Some(object)) = (&slot.name, slot.shape, state.slot(thread, at, id)) {
            Pointers { machine, state, object, found }.collect(shape, name.clone(), 0);
        }
    }
}

/// Collects the pointers in an object.
struct Pointers<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    object: Pointer,
    found: &'a mut Vec<Named>,
}

impl Pointers<'_, '_> {
    fn collect(&mut self, shape: ShapeId, name: String, offset: u64) {
        if self.found.len() > MAX_POINTERS {
            return;
        }
        let program: &Program = self.machine.program;
        match &program.shapes[shape] {
            Shape::Pointer(Some(pointee)) => {
                let bytes = u64::from(program.pointer_bytes);
                let value = self.state.object(self.object).and_then(|object| object.scalar(offset, bytes));
                if let Some(Value::Ptr(target)) = value {
                    self.found.push(Named { name, target, pointee: *pointee });
                }
            }
            Shape::Array { element, len, stride } => {
                if !holds_pointers(program, *element) || size_of_shape(program, *element) == 0 {
                    return;
                }
                for index in 0..(*len).min(MAX_ELEMENTS) {
                    self.collect(*element, format!("{name}[{index}]"), offset + index * stride);
                }
            }
            Shape::Record { fields, is_union: false, .. } => {
                for field in fields.iter().filter(|field| field.bits.is_none()) {
                    let dot = if name.ends_with("->") || field.name.is_empty() { "" } else { "." };
                    self.collect(field.shape, format!("{name}{dot}{}", field.name), offset + field.offset);
                }
            }
            Shape::Record { is_union: true, .. }
            | Shape::Pointer(None)
            | Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Bool
            | Shape::Float(_)
            | Shape::Code
            | Shape::Enum { .. }
            | Shape::Opaque { .. } => {}
        }
    }
}

/// Whether it is worth while to look at the elements of an array.
fn holds_pointers(program: &Program, shape: ShapeId) -> bool {
    match &program.shapes[shape] {
        Shape::Pointer(_) => true,
        Shape::Array { element, .. } => holds_pointers(program, *element),
        Shape::Record { fields, is_union, .. } => {
            !is_union && fields.iter().any(|field| holds_pointers(program, field.shape))
        }
        Shape::Int { .. }
        | Shape::Char { .. }
        | Shape::Bool
        | Shape::Float(_)
        | Shape::Code
        | Shape::Enum { .. }
        | Shape::Opaque { .. } => false,
    }
}
