//! Rules about files, shapes, globals, names and the entry.

use std::collections::HashSet;

use super::Faults;
use crate::program::*;

pub(super) fn check(program: &Program, faults: &mut Faults) {
    faults.require("pointer-size", matches!(program.pointer_bytes, 4 | 8), || {
        format!("a pointer of {} bytes", program.pointer_bytes)
    });
    check_entry(program, faults);
    check_names("global", program.globals.iter().map(|global| global.name.as_str()), faults);
    check_names("function", program.functions.iter().map(|function| function.name.as_str()), faults);
    for (id, shape) in program.shapes.iter_enumerated() {
        check_shape(program, id, shape, faults);
    }
    check_shape_nesting(program, faults);
    for global in program.globals.iter() {
        check_global(program, global, faults);
    }
    check_devices(program, faults);
}

fn check_devices(program: &Program, faults: &mut Faults) {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for (id, device) in &program.devices {
        let Some(global) = program.globals.get(*id) else {
            faults.add("device", format!("{id:?} does not exist"));
            continue;
        };
        let is_open = global.init.any.is_some() && global.init.bytes.is_empty() && global.init.pointers.is_empty();
        faults.require("device", device.read == DeviceRead::Held || is_open, || {
            format!("`{}` gives any value but has contents", global.name)
        });
        faults.require("device", !global.is_thread_local, || format!("`{}` is thread-local", global.name));
        let Some(from) = device.address else { continue };
        let end = from.checked_add(global.size).filter(|_| from > 0);
        faults.require("device", end.is_some(), || format!("`{}` lies at {from}", global.name));
        let range = (from, end.unwrap_or(from));
        let is_apart = ranges.iter().all(|other| other.1 < range.0 || range.1 < other.0);
        faults.require("device", is_apart, || format!("`{}` lies over or right beside another device", global.name));
        ranges.push(range);
    }
}

fn check_entry(program: &Program, faults: &mut Faults) {
    let Some(entry) = program.entry else { return faults.add("entry", "the program has no entry") };
    let Some(function) = program.functions.get(entry) else {
        return faults.add("entry", format!("the entry {entry:?} does not exist"));
    };
    let is_plain = function.params.is_empty() && !function.is_variadic;
    faults.require("entry", is_plain, || format!("the entry `{}` has parameters", function.name));
}

fn check_names<'p>(what: &str, names: impl Iterator<Item = &'p str>, faults: &mut Faults) {
    let mut seen = HashSet::new();
    for name in names {
        faults.require("name", seen.insert(name), || format!("several {what}s are called `{name}`"));
    }
}

pub(super) fn check_loc(program: &Program, loc: Loc, faults: &mut Faults) {
    let is_fine = loc.line == 0 || program.files.get(loc.file).is_some();
    faults.require("location", is_fine, || format!("there is no file {:?}", loc.file));
}

pub(super) fn check_shape_use(program: &Program, shape: Option<ShapeId>, faults: &mut Faults) {
    if let Some(shape) = shape {
        faults.require("shape", program.shapes.get(shape).is_some(), || format!("{shape:?} does not exist"));
    }
}

pub(super) fn check_align(align: u64, faults: &mut Faults) {
    faults.require("object", align.is_power_of_two(), || format!("alignment {align} is not a power of two"));
}

pub(super) fn check_address(program: &Program, address: Address, faults: &mut Faults) {
    let exists = match address {
        Address::Global(global, _) => program.globals.get(global).is_some(),
        Address::Func(function) => program.functions.get(function).is_some(),
        Address::Label(function, block) => {
            program.functions.get(function).is_some_and(|function| function.blocks.get(block).is_some())
        }
    };
    faults.require("address", exists, || format!("{address:?} does not exist"));
}

fn check_shape(program: &Program, id: ShapeId, shape: &Shape, faults: &mut Faults) {
    match shape {
        Shape::Int { size, .. } | Shape::Enum { size, .. } => {
            faults.require("shape", (1..=16).contains(size), || format!("{id:?} has {size} bytes"));
        }
        Shape::Float(ty) => match ty {
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => {}
            Ty::Int(_) | Ty::Ptr => faults.add("shape", format!("{id:?} is a float of type {ty:?}")),
        },
        Shape::Pointer(target) => check_shape_use(program, *target, faults),
        Shape::Array { element, .. } => check_shape_use(program, Some(*element), faults),
        Shape::Record { fields, .. } => {
            for field in fields {
                check_shape_use(program, Some(field.shape), faults);
                if let Some(bits) = field.bits {
                    super::operation::check_bits(bits, faults);
                }
            }
        }
        Shape::Char { .. } | Shape::Bool | Shape::Code | Shape::Opaque { .. } => {}
    }
}

/// Shapes inside shapes must end somewhere, or showing a value never would. Shapes are taken away once all
/// they contain has been; what remains lies on a cycle or contains one.
fn check_shape_nesting(program: &Program, faults: &mut Faults) {
    let n_shapes = program.shapes.len();
    let mut containers = vec![Vec::new(); n_shapes];
    let mut n_inside = vec![0usize; n_shapes];
    for (index, shape) in program.shapes.iter().enumerate() {
        let mut add = |inner: ShapeId| {
            if let Some(containers) = containers.get_mut(inner.0 as usize) {
                containers.push(index);
                n_inside[index] += 1;
            }
        };
        match shape {
            Shape::Array { element, .. } => add(*element),
            Shape::Record { fields, .. } => fields.iter().for_each(|field| add(field.shape)),
            Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Bool
            | Shape::Float(_)
            | Shape::Pointer(_)
            | Shape::Code
            | Shape::Enum { .. }
            | Shape::Opaque { .. } => {}
        }
    }
    let mut ready: Vec<usize> = (0..n_shapes).filter(|index| n_inside[*index] == 0).collect();
    while let Some(index) = ready.pop() {
        for &container in &containers[index] {
            n_inside[container] -= 1;
            if n_inside[container] == 0 {
                ready.push(container);
            }
        }
    }
    if let Some(index) = n_inside.iter().position(|n_inside| *n_inside > 0) {
        faults.add("shape", format!("shape{index} contains itself"));
    }
}

fn check_global(program: &Program, global: &Global, faults: &mut Faults) {
    let name = &global.name;
    check_align(global.align, faults);
    check_shape_use(program, global.shape, faults);
    check_loc(program, global.loc, faults);
    let n_bytes = global.init.bytes.len() as u64;
    faults.require("object", n_bytes <= global.size, || {
        format!("`{name}` has {} bytes but {n_bytes} initial ones", global.size)
    });
    let mut free_from = 0;
    for (offset, address) in &global.init.pointers {
        check_address(program, *address, faults);
        let end = offset.checked_add(u64::from(program.pointer_bytes));
        let fits = *offset >= free_from && end.is_some_and(|end| end <= global.size);
        faults.require("object", fits, || {
            format!("the pointer at offset {offset} of `{name}` overlaps another, is out of order or lies outside")
        });
        free_from = end.unwrap_or(u64::MAX);
    }
}
