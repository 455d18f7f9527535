//! Source names for parts of objects.

use unpick_base::id::Id;
use unpick_program::interp::{Machine, Object, ObjectKind, Pointer, State, Value};
use unpick_program::{FuncId, Program, RegId, Shape, ShapeId, SlotId, Ty, show};

use crate::reach::named_part;

/// A scalar, or another part that is shown as one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ScalarPart {
    pub name: String,
    pub offset: u64,
    pub size: u64,
    pub shape: Option<ShapeId>,
}

/// More parts of one write than this are not told.
const MAX_LEAVES: usize = 64;
/// Character arrays are shown as strings if more than this many characters change at once.
const MAX_CHARACTERS: u64 = 4;

/// The parts of an object that a range of bytes touches; none if the object means nothing to the user. What library
/// functions do (`is_folded`) is told only where the user has a name for it. Names may lead through `n_levels` pointers
/// that start at other variables than those of the user's activation.
pub(crate) fn leaves(
    machine: &Machine<'_>,
    state: &State,
    user: Option<(usize, usize, FuncId)>,
    pointer: Pointer,
    range: (u64, u64),
    is_folded: bool,
    n_levels: usize,
) -> Vec<ScalarPart> {
    let program = machine.program;
    let Some(object) = state.object(pointer) else { return Vec::new() };
    let (offset, bytes) = range;
    let mut leaves = Vec::new();
    match object.kind {
        ObjectKind::Global(global) => {
            let global = &program.globals[global];
            if let (Some(name), false) = (&global.source_name, global.is_model) {
                collect(program, global.shape, name.clone(), 0, object.size(), range, &mut leaves);
            }
        }
        ObjectKind::Slot(function, slot) => {
            let body = &program.functions[function];
            let slot = &body.slots[slot];
            if let (Some(name), false) = (&slot.name, body.is_model) {
                collect(program, slot.shape, name.clone(), 0, object.size(), range, &mut leaves);
            }
        }
        ObjectKind::Alloca(function) if program.functions[function].is_model => {}
        ObjectKind::Alloca(_) | ObjectKind::Heap(_) => {
            if through_pointer(machine, state, user, pointer, object, range, &mut leaves) {
                return leaves;
            }
            if let Some(named) = named_part(machine, state, user, pointer, range, n_levels) {
                leaves = named;
            } else if !is_folded {
                let name = show::place(machine, state, pointer, offset, bytes);
                leaves.push(ScalarPart { name, offset, size: bytes, shape: None });
            }
        }
    }
    leaves
}

/// The variables of static storage with their values, part by part.
pub(crate) fn shared_values(machine: &Machine<'_>, state: &State) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for (id, global) in machine.program.globals.iter_enumerated() {
        if global.is_model || global.is_read_only || global.is_thread_local || global.source_name.is_none() {
            continue;
        }
        let object = machine.global(state, 0, id);
        for leaf in leaves(machine, state, None, object, (0, global.size), false, 0) {
            let value = show::region(machine, state, object, leaf.offset, leaf.size, leaf.shape);
            values.push((leaf.name, value));
        }
    }
    values
}

/// Names an unnamed object by a variable of the user's activation that points to it: `p->x`, `p[2]`.
fn through_pointer(
    machine: &Machine<'_>,
    state: &State,
    user: Option<(usize, usize, FuncId)>,
    pointer: Pointer,
    object: &Object,
    range: (u64, u64),
    leaves: &mut Vec<ScalarPart>,
) -> bool {
    let Some((thread, frame, function)) = user else { return false };
    let program = machine.program;
    let body = &program.functions[function];
    let mut known: Vec<(&str, Pointer, ShapeId)> = Vec::new();
    for index in 0..body.regs.len() {
        let reg = &body.regs[RegId::from_index(index)];
        let (Some(name), Ty::Ptr, Some(pointee)) = (&reg.name, reg.ty, pointee(program, reg.shape)) else { continue };
        if let Value::Ptr(target) = state.register(thread, frame, RegId::from_index(index)) {
            known.push((name, target, pointee));
        }
    }
    for index in 0..body.slots.len() {
        let slot = &body.slots[SlotId::from_index(index)];
        let (Some(name), Some(pointee)) = (&slot.name, pointee(program, slot.shape)) else { continue };
        let Some(place) = state.slot(thread, frame, SlotId::from_index(index)) else { continue };
        if let Some(target) = stored_pointer(machine, state, place) {
            known.push((name, target, pointee));
        }
    }
    known.retain(|(_, target, _)| target.same_object(pointer));
    LEADS.iter().any(|lead| {
        known.iter().any(|(name, target, pointee)| {
            leads(program, *lead, *pointee, target.offset, object, range)
                && element(program, *pointee, name, target.offset, object, range, leaves)
        })
    })
}

/// How a pointer may lead to a part of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lead {
    /// The part lies in what it points to.
    Exact,
    /// The object is an array of what it points to.
    Array,
}

/// The best first: a pointer to a member may look like one into an array, but another one leads there.
pub(crate) const LEADS: [Lead; 2] = [Lead::Exact, Lead::Array];

/// Whether a pointer leads to a range of an object in this way.
pub(crate) fn leads(
    program: &Program,
    lead: Lead,
    pointee: ShapeId,
    start: i64,
    object: &Object,
    range: (u64, u64),
) -> bool {
    let size = size_of_shape(program, pointee);
    let Some(distance) = range.0.checked_sub_signed(start).filter(|_| size > 0) else { return false };
    match lead {
        Lead::Exact => distance + range.1 <= size,
        Lead::Array => object.size().is_multiple_of(size) && start.unsigned_abs().is_multiple_of(size),
    }
}

/// The pointer that lies at the start of an object.
fn stored_pointer(machine: &Machine<'_>, state: &State, place: Pointer) -> Option<Pointer> {
    match state.object(place)?.scalar(0, u64::from(machine.program.pointer_bytes)) {
        Some(Value::Ptr(target)) => Some(target),
        Some(_) | None => None,
    }
}

fn pointee(program: &Program, shape: Option<ShapeId>) -> Option<ShapeId> {
    match &program.shapes[shape?] {
        Shape::Pointer(pointee) => *pointee,
        Shape::Int { .. }
        | Shape::Char { .. }
        | Shape::Bool
        | Shape::Float(_)
        | Shape::Code
        | Shape::Array { .. }
        | Shape::Record { .. }
        | Shape::Enum { .. }
        | Shape::Opaque { .. } => None,
    }
}

/// The element of the array that `name` points into which holds the range.
pub(crate) fn element(
    program: &Program,
    pointee: ShapeId,
    name: &str,
    start: i64,
    object: &Object,
    range: (u64, u64),
    leaves: &mut Vec<ScalarPart>,
) -> bool {
    let size = size_of_shape(program, pointee);
    let Some(distance) = range.0.checked_sub_signed(start).filter(|_| size > 0) else { return false };
    let first = distance / size;
    let last = (distance + range.1.max(1) - 1) / size;
    for index in first..=last.min(first + MAX_LEAVES as u64) {
        let offset = (start + (index * size) as i64) as u64;
        if offset + size > object.size() {
            return !leaves.is_empty();
        }
        let is_record = matches!(program.shapes[pointee], Shape::Record { .. });
        // People write `list->next`, but `table[0].next` if there are more of them.
        let is_array = start == 0 && object.size() >= 2 * size && object.size().is_multiple_of(size);
        let prefix = match (index, is_record) {
            (0, true) if !is_array => format!("{name}->"),
            (0, false) if !is_array => format!("*{name}"),
            (_, _) => format!("{name}[{index}]"),
        };
        collect(program, Some(pointee), prefix, offset, size, range, leaves);
    }
    true
}

/// Descends into a shape that lies at `base` and takes `size` bytes.
fn collect(
    program: &Program,
    shape: Option<ShapeId>,
    name: String,
    base: u64,
    size: u64,
    range: (u64, u64),
    leaves: &mut Vec<ScalarPart>,
) {
    let (offset, bytes) = range;
    if leaves.len() >= MAX_LEAVES || base >= offset + bytes || base + size <= offset {
        return;
    }
    let whole = |name: String| ScalarPart { name, offset: base, size, shape };
    let is_of_library = shape.is_some_and(|shape| show::is_library_type(program, shape));
    let name_of_whole = || name.strip_suffix("->").map_or_else(|| name.clone(), |pointer| format!("*{pointer}"));
    match shape.map(|shape| &program.shapes[shape]) {
        Some(_) if is_of_library => leaves.push(whole(name_of_whole())),
        Some(Shape::Array { element, len, stride }) if *stride > 0 => {
            let is_text = matches!(program.shapes[*element], Shape::Char { .. }) && bytes > MAX_CHARACTERS;
            if is_text {
                leaves.push(whole(name_of_whole()));
                return;
            }
            let first = offset.saturating_sub(base) / stride;
            let last = (offset + bytes - base).div_ceil(*stride).min(*len);
            let element_size = size_of_shape(program, *element);
            for index in first..last {
                let start = base + index * stride;
                collect(program, Some(*element), format!("{name}[{index}]"), start, element_size, range, leaves);
                if leaves.len() >= MAX_LEAVES {
                    return;
                }
            }
        }
        Some(Shape::Record { is_union, fields, .. }) => {
            let touched = fields.iter().filter(|field| {
                let start = base + field.offset;
                start < offset + bytes && start + size_of_shape(program, field.shape).max(1) > offset
            });
            if fields.iter().any(|field| field.bits.is_some()) {
                leaves.push(whole(name_of_whole()));
                return;
            }
            for field in touched {
                let name = match (field.name.as_str(), name.ends_with("->")) {
                    ("", _) => name.clone(),
                    (field, true) => format!("{name}{field}"),
                    (field, false) => format!("{name}.{field}"),
                };
                let size = size_of_shape(program, field.shape);
                collect(program, Some(field.shape), name, base + field.offset, size, range, leaves);
                // The members of a union are the same bytes: one of them tells.
                if *is_union {
                    break;
                }
            }
        }
        Some(
            Shape::Array { .. }
            | Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Bool
            | Shape::Float(_)
            | Shape::Pointer(_)
            | Shape::Code
            | Shape::Enum { .. }
            | Shape::Opaque { .. },
        )
        | None => leaves.push(whole(name_of_whole())),
    }
}

/// Bytes that a shape takes, as far as it tells.
pub(crate) fn size_of_shape(program: &Program, shape: ShapeId) -> u64 {
    match &program.shapes[shape] {
        Shape::Int { size, .. } | Shape::Enum { size, .. } => u64::from(*size),
        Shape::Char { .. } | Shape::Bool => 1,
        Shape::Float(ty) => match ty {
            Ty::F32 => 4,
            Ty::F64 => 8,
            Ty::F80 if program.pointer_bytes == 4 => 12,
            Ty::F80 | Ty::F128 => 16,
            Ty::Int(bits) => u64::from(*bits).div_ceil(8).next_power_of_two(),
            Ty::Ptr => u64::from(program.pointer_bytes),
        },
        Shape::Pointer(_) | Shape::Code => u64::from(program.pointer_bytes),
        Shape::Array { len, stride, .. } => len * stride,
        Shape::Record { fields, .. } => record_size(program, fields),
        Shape::Opaque { size } => *size,
    }
}

/// Records do not say their size; the end of the last member rounded up to the largest scalar is close.
fn record_size(program: &Program, fields: &[unpick_program::ShapeField]) -> u64 {
    let end = fields.iter().map(|field| field.offset + size_of_shape(program, field.shape)).max().unwrap_or(0);
    let align = fields.iter().map(|field| align_of_shape(program, field.shape)).max().unwrap_or(1);
    end.next_multiple_of(align.max(1))
}

fn align_of_shape(program: &Program, shape: ShapeId) -> u64 {
    match &program.shapes[shape] {
        Shape::Array { element, .. } => align_of_shape(program, *element),
        Shape::Record { fields, .. } => {
            fields.iter().map(|field| align_of_shape(program, field.shape)).max().unwrap_or(1)
        }
        Shape::Opaque { .. } => 1,
        Shape::Int { .. }
        | Shape::Char { .. }
        | Shape::Bool
        | Shape::Float(_)
        | Shape::Pointer(_)
        | Shape::Code
        | Shape::Enum { .. } => size_of_shape(program, shape).max(1),
    }
}
