//! Positions of pointed-to objects: a variable or an array of allocated blocks, and the path of fields and indices into
//! it.
//!
//! The elements of an array follow each other by number, also those of all rows of a matrix. What lies in fields of the
//! elements of an array is further apart by one, so that a pointer that leaves its field points to nothing.

use std::collections::HashSet;

use unpick_base::SourceMap;
use unpick_front_c::ast::{CastKind, DeclId, ExprId, ExprKind, Unit};
use unpick_front_c::types::{ArrayExtent, TyId, Type};

use super::{Pointee, pointee};
use crate::effect::{indexed_array, record_key};

/// What an object is, or is a part of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    /// A variable: its unit and declaration.
    Variable(usize, DeclId),
    /// What `malloc` gives: the name of the array, and the type with its unit.
    Heap(String, usize, TyId),
}

/// A step of the way into an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A field of the record with this key.
    Field(String, u32),
    /// One of so many elements.
    Elements(u64),
}

/// One dimension of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// How many elements.
    pub len: u64,
    /// The distance between two neighbours.
    pub stride: u64,
    /// Whether the last number before the next element means nothing.
    pub has_gap: bool,
}

/// The dimensions on a way, the outermost first, and how many numbers they take.
pub fn dimensions(parts: &[Part]) -> (Vec<Dimension>, u64) {
    let mut dimensions = Vec::new();
    let (mut span, mut has_gap) = (1u64, false);
    for part in parts.iter().rev() {
        match part {
            Part::Elements(len) => {
                dimensions.insert(0, Dimension { len: *len, stride: span, has_gap });
                span = span.saturating_mul(*len);
                has_gap = false;
            }
            Part::Field(..) if has_gap => {}
            Part::Field(..) => {
                span = span.saturating_add(1);
                has_gap = true;
            }
        }
    }
    (dimensions, span)
}

/// Where a way begins.
pub enum Start {
    /// In a variable.
    Variable(DeclId),
    /// Behind a pointer to this.
    Behind(Pointee),
}

/// The way to a place, as far as the source says.
pub fn way(unit: &Unit, index: usize, place: ExprId, sources: &SourceMap) -> Option<(Start, Vec<Part>)> {
    match unit.exprs[place].kind {
        ExprKind::Decl(decl) => Some((Start::Variable(decl), Vec::new())),
        ExprKind::Index { base, .. } => element_way(unit, index, base, sources),
        ExprKind::Deref(pointer) => match indexed_array(unit, pointer) {
            Some((array, _)) => element_way(unit, index, array, sources),
            None => {
                let to = unit.types.pointee_of(unit.exprs[pointer].ty.ty)?;
                Some((Start::Behind(pointee(unit, index, to.ty, sources)?), Vec::new()))
            }
        },
        ExprKind::Member { base, record, index: position } => {
            let (start, mut parts) = way(unit, index, base, sources)?;
            parts.push(Part::Field(record_key(unit, record, index, sources), position));
            Some((start, parts))
        }
        _ => None,
    }
}

/// The way to the elements of an array.
pub fn element_way(unit: &Unit, index: usize, array: ExprId, sources: &SourceMap) -> Option<(Start, Vec<Part>)> {
    let (start, mut parts) = way(unit, index, array, sources)?;
    let Type::Array { extent: ArrayExtent::Fixed(len), .. } = unit.types.get(unit.exprs[array].ty.ty) else {
        return None;
    };
    parts.push(Part::Elements(*len));
    Some((start, parts))
}

/// Addresses that go no further than a function without a body, or that are followed at once: no pointer of the model
/// ever holds them.
pub fn passing(unit: &Unit, has_body: impl Fn(ExprId) -> bool) -> HashSet<ExprId> {
    let mut passing = HashSet::new();
    let mut add = |mut expr: ExprId| {
        passing.insert(expr);
        while let ExprKind::Cast { operand, kind: CastKind::PointerToPointer | CastKind::NoOp, .. } =
            unit.exprs[expr].kind
        {
            expr = operand;
            passing.insert(expr);
        }
    };
    for node in unit.exprs.iter() {
        match &node.kind {
            ExprKind::Call { callee, args } if !has_body(*callee) => args.iter().for_each(|arg| add(*arg)),
            ExprKind::Builtin { args, .. } => args.iter().for_each(|arg| add(*arg)),
            ExprKind::Deref(pointer) => add(*pointer),
            // A pointer to something else is not held.
            ExprKind::Cast { kind: CastKind::PointerToPointer, operand, .. } => {
                let to = |expr: ExprId| unit.types.pointee_of(unit.exprs[expr].ty.ty).map(|to| to.ty);
                if to(*operand) != unit.types.pointee_of(node.ty.ty).map(|to| to.ty) {
                    add(*operand);
                }
            }
            _ => {}
        }
    }
    passing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_and_fields_are_apart() {
        let field = || Part::Field("r".into(), 0);
        let dimension = |len, stride, has_gap| Dimension { len, stride, has_gap };
        let matrix = dimensions(&[Part::Elements(3), Part::Elements(4)]);
        assert_eq!(matrix, (vec![dimension(3, 4, false), dimension(4, 1, false)], 12));
        let fields = dimensions(&[Part::Elements(3), field()]);
        assert_eq!(fields, (vec![dimension(3, 2, true)], 6));
        let arrays = dimensions(&[Part::Elements(3), field(), Part::Elements(4)]);
        assert_eq!(arrays, (vec![dimension(3, 5, true), dimension(4, 1, false)], 15));
        assert_eq!(dimensions(&[]), (Vec::new(), 1));
    }
}
