//! Values as people write them in C.

use crate::interp::{Machine, Pointer, State, Value};
use crate::{ShapeId, Ty};

/// A register's value.
pub fn value(_machine: &Machine, _state: &State, _value: Value, _ty: Ty, _shape: Option<ShapeId>) -> String {
    String::new()
}

/// The contents of `size` bytes at `offset` of an object.
pub fn region(
    _machine: &Machine,
    _state: &State,
    _object: Pointer,
    _offset: u64,
    _size: u64,
    _shape: Option<ShapeId>,
) -> String {
    String::new()
}

/// A pointer: `&name[3]`, `&s.field`, `NULL`.
pub fn pointer(_machine: &Machine, _state: &State, _pointer: Pointer) -> String {
    String::new()
}

/// A place in memory as an lvalue: `a[3]`, `s.field`, `*malloc@12`.
pub fn place(_machine: &Machine, _state: &State, _object: Pointer, _offset: u64, _bytes: u64) -> String {
    String::new()
}
