//! Display of values as in C.
//!
//! A [`Shape`] says how bytes are to be read. Without one, integers are shown as signed numbers.

mod library;

pub use library::is_library_type;

use crate::interp::{Machine, Object, ObjectKind, Pointer, State, Value, stored_bytes};
use crate::{BitRange, Loc, Program, Shape, ShapeField, ShapeId, Ty};

/// Elements of an array shown before it is cut.
const MAX_ELEMENTS: u64 = 16;
/// Characters of a string shown before it is cut.
const MAX_CHARACTERS: u64 = 64;
/// Bytes shown before they are cut.
const MAX_BYTES: u64 = 32;
const INDETERMINATE: &str = "indeterminate";

/// Bytes that become inputs when they are read.
const UNKNOWN: &str = "unknown";

/// A register's value.
pub fn value(machine: &Machine, state: &State, value: Value, ty: Ty, shape: Option<ShapeId>) -> String {
    let program = machine.program;
    let width = crate::interp::width(ty, program.pointer_bytes);
    let bits = match state.witnessed(value, width) {
        Value::Undef => return INDETERMINATE.into(),
        Value::Ptr(target) => {
            let pointee = shape.and_then(|shape| match &program.shapes[shape] {
                Shape::Pointer(pointee) => *pointee,
                _ => None,
            });
            return pointer_to(machine, state, target, pointee);
        }
        Value::Fragment { pointer: target, byte } => {
            return format!("byte {byte} of {}", pointer_to(machine, state, target, None));
        }
        plain => plain.bits().unwrap_or(0),
    };
    match shape {
        Some(shape) => scalar(machine, state, bits, width, &program.shapes[shape]),
        None => match ty {
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => float(ty, bits),
            Ty::Int(1) => bits.to_string(),
            Ty::Int(_) => signed(bits, width).to_string(),
            Ty::Ptr => pointer_to(machine, state, Pointer::wild(bits as u64), None),
        },
    }
}

/// Plain bits of a scalar.
fn scalar(machine: &Machine, state: &State, bits: u128, width: u32, shape: &Shape) -> String {
    let number = |is_signed: bool| if is_signed { signed(bits, width).to_string() } else { bits.to_string() };
    match shape {
        Shape::Int { is_signed, .. } => number(*is_signed),
        Shape::Char { is_signed } => character(bits as u8, *is_signed),
        Shape::Bool => if bits & 0xff == 0 { "false" } else { "true" }.into(),
        Shape::Float(ty) => float(*ty, bits),
        Shape::Pointer(pointee) => pointer_to(machine, state, Pointer::wild(bits as u64), *pointee),
        Shape::Code => pointer_to(machine, state, Pointer::wild(bits as u64), None),
        Shape::Enum { is_signed, names, .. } => {
            let value = if *is_signed { signed(bits, width) } else { bits as i128 };
            let name = names.iter().find(|(number, _)| *number == value).map(|(_, name)| name.clone());
            name.unwrap_or_else(|| value.to_string())
        }
        Shape::Array { .. } | Shape::Record { .. } | Shape::Opaque { .. } => number(true),
    }
}

fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    (bits << shift) as i128 >> shift
}

/// A floating number.
pub fn float(ty: Ty, bits: u128) -> String {
    crate::interp::display_float(ty, bits)
}

/// A byte as a number, with the character beside it where there is one.
fn character(byte: u8, is_signed: bool) -> String {
    match escaped(byte, '\'').filter(|_| byte != 0) {
        Some(text) => format!("{byte} '{text}'"),
        None if is_signed => (byte as i8).to_string(),
        None => byte.to_string(),
    }
}

/// A byte inside quotes; `None` if there is no short notation.
fn escaped(byte: u8, quote: char) -> Option<String> {
    Some(match byte {
        0 => "\\0".into(),
        b'\n' => "\\n".into(),
        b'\t' => "\\t".into(),
        b'\r' => "\\r".into(),
        b'\\' => "\\\\".into(),
        byte if char::from(byte) == quote => format!("\\{quote}"),
        0x20..=0x7e => char::from(byte).to_string(),
        _ => return None,
    })
}

/// The contents of `size` bytes at `offset` of an object; without a shape, as the object's own shape says.
pub fn region(
    machine: &Machine,
    state: &State,
    object: Pointer,
    offset: u64,
    size: u64,
    shape: Option<ShapeId>,
) -> String {
    let Some(found) = state.object(object) else { return "an object that is no longer alive".into() };
    let shape = shape.or_else(|| {
        let path = shape_of(machine.program, found).map(|shape| find_path(machine.program, shape, offset, size));
        path.filter(|(_, _, rest)| *rest == 0).map(|(_, shape, _)| shape)
    });
    match shape {
        Some(shape) => View { machine, state, object: found }.shaped(offset, shape),
        None => View { machine, state, object: found }.unshaped(offset, size),
    }
}

/// A bit-field of an object.
fn bit_field(view: &View, offset: u64, bits: BitRange, shape: &Shape) -> String {
    let len = (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8).min(16);
    if offset + len > view.object.size() {
        return INDETERMINATE.into();
    }
    let Some(raw) = view.state.plain_bits(view.object, offset, len) else { return INDETERMINATE.into() };
    let width = u32::from(bits.width);
    let value = raw >> bits.offset & if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    scalar(view.machine, view.state, value, width, shape)
}

/// An object to be shown.
struct View<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    object: &'a Object,
}

impl View<'_, '_> {
    fn shaped(&self, offset: u64, shape: ShapeId) -> String {
        let program = self.machine.program;
        if let Some(meaning) = self.library(offset, shape) {
            return meaning;
        }
        match &program.shapes[shape] {
            Shape::Array { element, len, stride } => self.array(offset, *element, *len, *stride),
            Shape::Record { is_union, fields, .. } => self.record(offset, *is_union, fields),
            Shape::Opaque { size } => self.unshaped(offset, *size),
            Shape::Int { .. } | Shape::Char { .. } | Shape::Bool | Shape::Float(_) | Shape::Enum { .. } => {
                self.leaf(offset, scalar_type(program, shape), Some(shape))
            }
            Shape::Pointer(_) | Shape::Code => self.leaf(offset, Ty::Ptr, Some(shape)),
        }
    }

    fn leaf(&self, offset: u64, ty: Ty, shape: Option<ShapeId>) -> String {
        match self.state.peek(self.object, offset, ty, self.machine.program.pointer_bytes) {
            Some(found) => value(self.machine, self.state, found, ty, shape),
            None if self.is_unknown(offset, stored_bytes(ty, self.machine.program.pointer_bytes)) => UNKNOWN.into(),
            None => INDETERMINATE.into(),
        }
    }

    fn is_unknown(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.object.size()) && self.object.has_any(offset, len)
    }

    fn array(&self, offset: u64, element: ShapeId, len: u64, stride: u64) -> String {
        // A flexible or unknown length goes to the end of the object.
        let room = self.object.size().saturating_sub(offset) / stride.max(1);
        let len = if len == 0 { room } else { len.min(room) };
        if let Shape::Char { .. } = self.machine.program.shapes[element]
            && let Some(text) = self.string(offset, len).or_else(|| self.bytes(offset, len))
        {
            return text;
        }
        let mut shown: Vec<String> =
            (0..len.min(MAX_ELEMENTS)).map(|at| self.shaped(offset + at * stride, element)).collect();
        if len > MAX_ELEMENTS {
            shown.push(format!("... ({len} elements)"));
        }
        let is_all = |text: &str| {
            shown.len() > 1 && shown[..shown.len().min(MAX_ELEMENTS as usize)].iter().all(|item| item == text)
        };
        if len <= MAX_ELEMENTS && is_all(INDETERMINATE) {
            return INDETERMINATE.into();
        }
        if is_all(UNKNOWN) && self.object.is_untouched(offset, len * stride) {
            return UNKNOWN.into();
        }
        format!("{{{}}}", shown.join(", "))
    }

    /// Bytes that are no string, in hexadecimal; two question marks for one that has no value. `None` if none has.
    fn bytes(&self, offset: u64, len: u64) -> Option<String> {
        let byte = |at: u64| self.state.plain_bits(self.object, offset + at, 1);
        let n_shown = len.min(MAX_BYTES);
        (0..n_shown).find_map(byte)?;
        let shown = (0..n_shown).map(|at| byte(at).map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}")));
        let mut shown: Vec<String> = shown.collect();
        if len > n_shown {
            shown.push(format!("... ({len} bytes)"));
        }
        Some(format!("bytes {}", shown.join(" ")))
    }

    /// Characters up to a zero within the length, if all of them can be shown.
    fn string(&self, offset: u64, len: u64) -> Option<String> {
        let mut text = String::new();
        for at in 0..len {
            let byte = self.state.plain_bits(self.object, offset + at, 1)? as u8;
            if byte == 0 {
                return Some(format!("\"{text}\""));
            }
            if at >= MAX_CHARACTERS {
                return Some(format!("\"{text}\"..."));
            }
            text.push_str(&escaped(byte, '"')?);
        }
        None
    }

    fn record(&self, offset: u64, is_union: bool, fields: &[ShapeField]) -> String {
        let shown: Vec<String> = fields
            .iter()
            .take(if is_union { 1 } else { usize::MAX })
            .map(|field| {
                let at = offset + field.offset;
                let text = match field.bits {
                    Some(bits) => bit_field(self, at, bits, &self.machine.program.shapes[field.shape]),
                    None => self.shaped(at, field.shape),
                };
                if field.name.is_empty() { text } else { format!(".{} = {text}", field.name) }
            })
            .collect();
        format!("{{{}}}", shown.join(", "))
    }

    fn unshaped(&self, offset: u64, size: u64) -> String {
        let pointer_bytes = u64::from(self.machine.program.pointer_bytes);
        if let 1 | 2 | 4 | 8 | 16 = size {
            let ty = Ty::Int(8 * size as u8);
            return self.leaf(offset, ty, None);
        }
        let shown: Vec<String> = (0..(size / pointer_bytes).min(MAX_ELEMENTS))
            .map(|at| self.leaf(offset + at * pointer_bytes, Ty::Int(8 * pointer_bytes as u8), None))
            .collect();
        format!("{{{}}}", shown.join(", "))
    }
}

/// The type a scalar shape is loaded as.
fn scalar_type(program: &Program, shape: ShapeId) -> Ty {
    match &program.shapes[shape] {
        Shape::Int { size, .. } | Shape::Enum { size, .. } => Ty::Int(size.saturating_mul(8).clamp(1, 128)),
        Shape::Char { .. } | Shape::Bool => Ty::Int(8),
        Shape::Float(ty) => *ty,
        Shape::Pointer(_) | Shape::Code => Ty::Ptr,
        Shape::Array { .. } | Shape::Record { .. } | Shape::Opaque { .. } => Ty::Int(8),
    }
}

/// Bytes a shape covers (without padding at the end).
pub(crate) fn size_of(program: &Program, shape: ShapeId) -> u64 {
    match &program.shapes[shape] {
        Shape::Int { size, .. } | Shape::Enum { size, .. } => u64::from(*size),
        Shape::Char { .. } | Shape::Bool => 1,
        Shape::Float(ty) => match ty {
            Ty::F80 => 16,
            ty => u64::from(crate::interp::width(*ty, program.pointer_bytes) / 8),
        },
        Shape::Pointer(_) | Shape::Code => u64::from(program.pointer_bytes),
        Shape::Array { len, stride, .. } => len * stride,
        Shape::Record { fields, .. } => {
            fields.iter().map(|field| field.offset + size_of(program, field.shape)).max().unwrap_or(0)
        }
        Shape::Opaque { size } => *size,
    }
}

/// Bytes from one element of an array to the next.
fn stride_of(program: &Program, shape: ShapeId) -> u64 {
    size_of(program, shape).next_multiple_of(align_of(program, shape))
}

fn align_of(program: &Program, shape: ShapeId) -> u64 {
    match &program.shapes[shape] {
        Shape::Array { element, .. } => align_of(program, *element),
        Shape::Record { fields, .. } => fields.iter().map(|field| align_of(program, field.shape)).max().unwrap_or(1),
        Shape::Opaque { .. } => 1,
        Shape::Int { .. }
        | Shape::Char { .. }
        | Shape::Bool
        | Shape::Float(_)
        | Shape::Pointer(_)
        | Shape::Code
        | Shape::Enum { .. } => size_of(program, shape).max(1),
    }
}

fn shape_of(program: &Program, object: &Object) -> Option<ShapeId> {
    if object.shape.is_some() {
        return object.shape;
    }
    match object.kind {
        ObjectKind::Global(global) => program.globals[global].shape,
        ObjectKind::Slot(function, slot) => program.functions[function].slots[slot].shape,
        ObjectKind::Alloca(_) | ObjectKind::Heap(_) => None,
    }
}

/// What may be written through a pointer to an element of this size: the rest of the innermost array of such
/// elements, or one element. A pointer to bytes, or to elements of unknown size (0), may also be one to the largest part
/// that begins there. `None` if the shape of the object is unknown.
pub(crate) fn writable_part(program: &Program, object: &Object, offset: u64, element: u64) -> Option<u64> {
    let (mut shape, mut at) = (shape_of(program, object)?, offset);
    let mut of_array = None;
    let mut of_part = (at == 0).then(|| object.size());
    for _ in 0..64 {
        match &program.shapes[shape] {
            Shape::Array { element: inner, stride, len } if *stride > 0 => {
                let of_object = object.size().saturating_sub(offset);
                let rest = if *len == 0 { of_object } else { (len * stride).saturating_sub(at) };
                if at.is_multiple_of(*stride) {
                    if *stride == element {
                        of_array = Some(rest);
                    }
                    of_part = of_part.or(Some(rest));
                }
                (shape, at) = (*inner, at % stride);
            }
            Shape::Record { fields, .. } => {
                let Some(field) = field_at(program, fields, at) else { break };
                (shape, at) = (field.shape, at - field.offset);
                if at == 0 {
                    of_part = of_part.or(Some(size_of(program, shape)));
                }
            }
            Shape::Array { .. }
            | Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Bool
            | Shape::Float(_)
            | Shape::Pointer(_)
            | Shape::Code
            | Shape::Enum { .. }
            | Shape::Opaque { .. } => break,
        }
    }
    let of_part = if element <= 1 { of_part } else { None };
    of_array.or(of_part).or(Some(element))
}

fn field_at<'a>(program: &Program, fields: &'a [ShapeField], offset: u64) -> Option<&'a ShapeField> {
    fields.iter().find(|field| {
        let end = field.offset + size_of(program, field.shape).max(1);
        let is_flexible = matches!(program.shapes[field.shape], Shape::Array { len: 0, .. });
        field.offset <= offset && (offset < end || is_flexible)
    })
}

/// The scalar that starts at an offset, as declared.
pub(crate) fn scalar_at(program: &Program, object: &Object, offset: u64) -> Option<ShapeId> {
    let (_, part, rest) = find_path(program, shape_of(program, object)?, offset, 0);
    let is_scalar = !matches!(program.shapes[part], Shape::Array { .. } | Shape::Record { .. } | Shape::Opaque { .. });
    (rest == 0 && is_scalar).then_some(part)
}

/// The path (`[3].x`) from a shape to the largest part at the offset that is not larger than `size` bytes, its
/// shape, and the offset left over.
fn find_path(program: &Program, shape: ShapeId, offset: u64, size: u64) -> (String, ShapeId, u64) {
    let mut path = String::new();
    let (mut shape, mut offset) = (shape, offset);
    // Shapes are finite trees; the bound only guards against a broken table.
    for _ in 0..64 {
        if offset == 0 && size_of(program, shape) <= size.max(1) {
            break;
        }
        match &program.shapes[shape] {
            Shape::Array { element, stride, len } if *stride > 0 && (*len == 0 || offset < len * stride) => {
                path.push_str(&format!("[{}]", offset / stride));
                (shape, offset) = (*element, offset % stride);
            }
            Shape::Record { fields, .. } => {
                let Some(field) = field_at(program, fields, offset) else { break };
                if !field.name.is_empty() {
                    path.push('.');
                    path.push_str(&field.name);
                }
                (shape, offset) = (field.shape, offset - field.offset);
            }
            Shape::Array { .. }
            | Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Bool
            | Shape::Float(_)
            | Shape::Pointer(_)
            | Shape::Code
            | Shape::Enum { .. }
            | Shape::Opaque { .. } => break,
        }
    }
    (path, shape, offset)
}

/// A pointer: `&name[3]`, `&s.field`, `NULL`.
pub fn pointer(machine: &Machine, state: &State, target: Pointer) -> String {
    pointer_to(machine, state, target, None)
}

fn pointer_to(machine: &Machine, state: &State, target: Pointer, pointee: Option<ShapeId>) -> String {
    let program = machine.program;
    if target.object == 0 {
        return if target.offset == 0 { "NULL".into() } else { format!("{:#x}", target.offset as u64) };
    }
    if let Some(function) = target.as_function() {
        let name = &program.functions[function].source_name;
        return if target.offset == 0 { format!("&{name}") } else { format!("&&{name}+{}", target.offset - 1) };
    }
    let Some(object) = state.object(target) else {
        return match state.tombstone(target) {
            Some(tombstone) => format!("dangling &{}", kind_name(program, tombstone.kind)),
            None => "dangling pointer".into(),
        };
    };
    if let ObjectKind::Global(global) = object.kind
        && program.globals[global].source_name.is_none()
        && object.is_read_only
        && target.offset >= 0
        && let Some(text) = (View { machine, state, object })
            .string(target.offset as u64, object.size().saturating_sub(target.offset as u64))
    {
        return text;
    }
    let name = kind_name(program, object.kind);
    let Ok(offset) = u64::try_from(target.offset) else { return format!("&{name} - {}", -target.offset) };
    let size = pointee.map_or(0, |pointee| stride_of(program, pointee));
    match shape_of(program, object) {
        Some(shape) if offset < object.size() => {
            // `&array` and `&array[0]` are the same; people mean the element.
            let wanted = if size == 0 { u64::MAX } else { size };
            let (path, _, rest) = find_path(program, shape, offset, wanted);
            if rest == 0 { format!("&{name}{path}") } else { format!("&{name}{path} + {rest} bytes") }
        }
        Some(shape) if offset == object.size() => match &program.shapes[shape] {
            Shape::Array { stride, .. } if *stride > 0 => format!("&{name}[{}]", offset / stride),
            _ => format!("&{name} + 1"),
        },
        _ if offset == 0 && size == 0 => format!("&{name}"),
        _ if size > 0 && offset.is_multiple_of(size) => match offset / size {
            0 => format!("&{name}"),
            index => format!("&{name}[{index}]"),
        },
        _ => format!("&{name} + {offset} bytes"),
    }
}

/// A place in memory as an lvalue: `a[3]`, `s.field`, `heap#1[+8]`.
pub fn place(machine: &Machine, state: &State, object: Pointer, offset: u64, bytes: u64) -> String {
    let program = machine.program;
    let Some(found) = state.object(object) else { return "an object that is no longer alive".into() };
    let name = kind_name(program, found.kind);
    match shape_of(program, found).map(|shape| find_path(program, shape, offset, bytes)) {
        Some((path, _, 0)) => format!("{name}{path}"),
        Some((path, _, rest)) => format!("{name}{path}[+{rest}]"),
        None if offset == 0 && bytes == found.size() => name,
        None if bytes > 0 && offset.is_multiple_of(bytes) => format!("{name}[{}]", offset / bytes),
        None => format!("{name}[+{offset}]"),
    }
}

/// The path (`[3].lock`) from an object to something of the library's inside it, such as a lock. Members that belong to
/// the library, which begin with two underscores, are left out.
pub fn path_to_lock(program: &Program, object: &Object, offset: u64) -> Option<String> {
    let (mut path, _, rest) = find_path(program, shape_of(program, object)?, offset, 1);
    path.truncate(path.find(".__").unwrap_or(path.len()));
    (rest == 0).then_some(path)
}

/// The shape of the part of an object that starts at the offset and has at most so many bytes.
pub fn shape_at(machine: &Machine, state: &State, object: Pointer, offset: u64, bytes: u64) -> Option<ShapeId> {
    let found = state.object(object)?;
    let shape = shape_of(machine.program, found)?;
    let (_, part, rest) = find_path(machine.program, shape, offset, bytes);
    (rest == 0).then_some(part)
}

/// A name for an object.
pub fn kind_name(program: &Program, kind: ObjectKind) -> String {
    match kind {
        ObjectKind::Global(global) => {
            let global = &program.globals[global];
            global.source_name.clone().unwrap_or_else(|| global.name.clone())
        }
        ObjectKind::Slot(function, slot) => {
            program.functions[function].slots[slot].name.clone().unwrap_or_else(|| "a temporary".into())
        }
        ObjectKind::Alloca(function) => format!("array of {}", program.functions[function].source_name),
        ObjectKind::Heap(number) => format!("heap#{number}"),
    }
}

/// `file:line`, or nothing for no place.
fn place_text(program: &Program, loc: Loc) -> Option<String> {
    let file = program.files.get(loc.file).filter(|_| loc.line != 0)?;
    Some(format!("{file}:{}", loc.line))
}

/// The object a pointer points into, dead or alive, for messages.
pub fn describe(machine: &Machine, state: &State, pointer: Pointer) -> String {
    let program = machine.program;
    if pointer.object == 0 {
        return if pointer.offset == 0 { "null".into() } else { format!("the number {:#x}", pointer.offset as u64) };
    }
    if let Some(function) = pointer.as_function() {
        return format!("function `{}`", program.functions[function].source_name);
    }
    if let Some(object) = state.object(pointer) {
        return match object.kind {
            ObjectKind::Global(global) if program.globals[global].source_name.is_none() => {
                if object.is_read_only {
                    "a string literal".into()
                } else {
                    "an unnamed object".into()
                }
            }
            ObjectKind::Heap(_) => match place_text(program, object.loc) {
                Some(place) => format!("the heap object allocated at {place}"),
                None => "a heap object".into(),
            },
            kind => living(program, kind),
        };
    }
    let Some(tombstone) = state.tombstone(pointer) else {
        return "an object that is no longer alive".into();
    };
    let ended = place_text(program, tombstone.ended);
    match tombstone.kind {
        ObjectKind::Heap(_) => {
            let made = place_text(program, tombstone.made).map(|place| format!(" at {place}")).unwrap_or_default();
            let ended = ended.map(|place| format!(" at {place}")).unwrap_or_default();
            format!("the heap object of {} bytes allocated{made} and freed{ended}", tombstone.size)
        }
        kind => format!("{}, which is no longer alive", living(program, kind)),
    }
}

fn living(program: &Program, kind: ObjectKind) -> String {
    match kind {
        ObjectKind::Global(_) => format!("`{}`", kind_name(program, kind)),
        ObjectKind::Slot(function, slot) => {
            let owner = &program.functions[function];
            match &owner.slots[slot].name {
                Some(name) => format!("local `{name}` of `{}`", owner.source_name),
                None => format!("a temporary of `{}`", owner.source_name),
            }
        }
        ObjectKind::Alloca(function) => {
            format!("an array on the stack of `{}`", program.functions[function].source_name)
        }
        ObjectKind::Heap(_) => "a heap object".into(),
    }
}
