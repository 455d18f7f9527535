//! Display of objects of the C library's types: a mutex is held by a thread or free, a semaphore has a value.
//!
//! Which members such a type has is the business of the installed headers; they begin with two underscores. What the bytes
//! mean is laid down by our models of the functions (`models/pthread_mutex.c` and its neighbours).

use super::{INDETERMINATE, View};
use crate::{Program, Shape, ShapeField, ShapeId};

/// What a type of the library is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Mutex,
    ReadWriteLock,
    Condition,
    Semaphore,
    Barrier,
}

/// Whether a shape is a type of the library for threads, which is shown by what it means.
pub fn is_library_type(program: &Program, shape: ShapeId) -> bool {
    kind(program, shape).is_some()
}

fn kind(program: &Program, shape: ShapeId) -> Option<Kind> {
    let Shape::Record { is_union: true, fields, .. } = &program.shapes[shape] else { return None };
    if fields.is_empty() || !fields.iter().all(|field| field.name.starts_with("__")) {
        return None;
    }
    let member = |fields: &[ShapeField], name: &str| fields.iter().find(|field| field.name == name).map(|f| f.shape);
    if let Some(Shape::Record { fields: inner, .. }) = member(fields, "__data").map(|data| &program.shapes[data]) {
        let has = |name: &str| member(inner, name).is_some();
        return match () {
            () if has("__owner") && has("__kind") => Some(Kind::Mutex),
            () if has("__cur_writer") => Some(Kind::ReadWriteLock),
            () if has("__g_refs") => Some(Kind::Condition),
            () => None,
        };
    }
    let Shape::Array { len, .. } = program.shapes[member(fields, "__size")?] else { return None };
    let is_called = |name: &str| program.functions.iter().any(|function| function.is_model && function.name == name);
    match (len, program.pointer_bytes) {
        (40, 8) | (24, 4) => Some(Kind::Mutex),
        (48, _) => Some(Kind::Condition),
        // Semaphores and barriers look alike: what the program does with them tells.
        (32, 8) | (16 | 20, 4) if is_called("pthread_barrier_wait") => Some(Kind::Barrier),
        (32, 8) | (16, 4) => Some(Kind::Semaphore),
        _ => None,
    }
}

impl View<'_, '_> {
    /// What an object of the library means; `None` for all other types.
    pub(super) fn library(&self, offset: u64, shape: ShapeId) -> Option<String> {
        let word = |at: u64| self.state.plain_bits(self.object, offset + at, 4).map(|bits| bits as u32);
        let unknown = || INDETERMINATE.to_owned();
        let is_wide = self.machine.program.pointer_bytes == 8;
        Some(match kind(self.machine.program, shape)? {
            Kind::Mutex => match (word(0), word(if is_wide { 16 } else { 12 })) {
                (Some(_), Some(u32::MAX)) => "destroyed".to_owned(),
                (Some(0), _) => "free".to_owned(),
                (Some(owner), _) => format!("held by thread {}", owner.wrapping_sub(1)),
                (None, _) => unknown(),
            },
            Kind::ReadWriteLock => match (word(0), word(4)) {
                (Some(u32::MAX), _) => "destroyed".to_owned(),
                (Some(0), Some(0)) => "free".to_owned(),
                (Some(0), Some(1)) => "held by 1 reader".to_owned(),
                (Some(0), Some(n_readers)) => format!("held by {n_readers} readers"),
                (Some(writer), _) => format!("held by thread {} for writing", writer.wrapping_sub(1)),
                (None, _) => unknown(),
            },
            Kind::Semaphore => match word(0) {
                Some(u32::MAX) => "destroyed".to_owned(),
                Some(value) => format!("value {value}"),
                None => unknown(),
            },
            // Who waits is a list in the waiting threads themselves, which says so where they wait.
            Kind::Condition => "a condition variable".to_owned(),
            Kind::Barrier => "a barrier".to_owned(),
        })
    }
}
