//! Rules about functions: declarations and frames.

use std::collections::HashSet;

use super::{Faults, control, item, stmt};
use crate::program::*;

pub(super) fn check(program: &Program, function: &Function, faults: &mut Faults) {
    item::check_loc(program, function.loc, faults);
    check_params(function, faults);
    if let Some(ty) = function.ret {
        check_ty(ty, faults);
    }
    for reg in function.regs.iter() {
        check_ty(reg.ty, faults);
        item::check_shape_use(program, reg.shape, faults);
    }
    for slot in function.slots.iter() {
        item::check_align(slot.align, faults);
        item::check_shape_use(program, slot.shape, faults);
    }
    faults.require("id", !function.blocks.is_empty(), || format!("`{}` has no blocks", function.name));
    for (id, block) in function.blocks.iter_enumerated() {
        faults.block = Some(id);
        if let Some(loc) = block.loop_head {
            item::check_loc(program, loc, faults);
        }
        for (index, stmt) in block.stmts.iter().enumerate() {
            faults.stmt = Some(index);
            item::check_loc(program, stmt.loc, faults);
            stmt::Checker { program, function, faults }.stmt(&stmt.kind);
        }
        faults.stmt = Some(block.stmts.len());
        item::check_loc(program, block.loc, faults);
        stmt::Checker { program, function, faults }.terminator(&block.terminator);
        faults.stmt = None;
    }
    faults.block = None;
    control::check_loops(function, faults);
}

fn check_params(function: &Function, faults: &mut Faults) {
    let mut seen = HashSet::new();
    for param in &function.params {
        faults.require("id", function.regs.get(*param).is_some(), || format!("parameter {param:?} does not exist"));
        faults.require("parameter", seen.insert(*param), || format!("{param:?} is a parameter twice"));
    }
    let last_ty = function.params.last().and_then(|param| function.regs.get(*param)).map(|reg| reg.ty);
    faults.require("parameter", !function.is_variadic || last_ty == Some(Ty::Ptr), || {
        format!("the last parameter of the variadic `{}` is not a pointer", function.name)
    });
}

pub(super) fn check_ty(ty: Ty, faults: &mut Faults) {
    match ty {
        Ty::Int(width) => {
            faults.require("type", (1..=128).contains(&width), || format!("an integer of {width} bits"));
        }
        Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => {}
    }
}
