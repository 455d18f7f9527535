//! Reachability of heap objects: detection of memory leaks.

use super::object::{Object, ObjectKind};
use super::value::{Pointer, Value};
use super::{Machine, State, Violation};
use crate::ViolationKind;

impl State {
    /// Pointers to the starts of all live objects reachable from the roots, marked by number.
    pub(crate) fn reachable(&self, roots: impl IntoIterator<Item = Pointer>) -> Vec<bool> {
        let mut marks = vec![false; self.memory.n_numbers()];
        let mut pending: Vec<Pointer> = roots.into_iter().collect();
        while let Some(pointer) = pending.pop() {
            let Some(object) = self.memory.get(pointer) else { continue };
            if std::mem::replace(&mut marks[pointer.object as usize], true) {
                continue;
            }
            let cells = object.cells.iter().map(|cell| &cell.value);
            pending.extend(cells.filter_map(|value| pointer_in(*value)));
        }
        marks
    }
}

pub(crate) fn pointer_in(value: Value) -> Option<Pointer> {
    match value {
        Value::Ptr(pointer) | Value::Fragment { pointer, .. } => Some(pointer),
        Value::Undef | Value::Bits(_) | Value::Wide(_) | Value::Lazy(_) => None,
    }
}

impl Machine<'_> {
    /// The first heap object that nothing points to when the program ends.
    pub(crate) fn find_leak(&self, state: &State, thread: usize) -> Option<Violation> {
        let statics = state.memory.iter().filter(|(_, object)| !matches!(object.kind, ObjectKind::Heap(_)));
        let registers = state.threads.iter().flat_map(|thread| &thread.regs).filter_map(|value| pointer_in(*value));
        let roots: Vec<Pointer> = statics.map(|(pointer, _)| pointer).chain(registers).collect();
        let marks = state.reachable(roots);
        let lost = state.memory.iter().filter_map(|(pointer, object)| match object.kind {
            ObjectKind::Heap(number)
                if !marks[pointer.object as usize] && object.base.is_none() && !is_unknown(object) =>
            {
                Some((number, pointer, object))
            }
            _ => None,
        });
        let (_, _, object) = lost.min_by_key(|(number, _, _)| *number)?;
        let bytes = if object.size() == 1 { "1 byte".to_string() } else { format!("{} bytes", object.size()) };
        let frames = state.frames(self.program, thread);
        let function = object.maker.map(|maker| self.program.functions[maker].source_name.clone());
        Some(Violation {
            kind: ViolationKind::Leak,
            message: format!("{bytes} allocated here are never freed and nothing points to them at the end"),
            loc: object.loc,
            function: function.unwrap_or_default(),
            thread,
            frames: frames.iter().map(|frame| (frame.function, frame.loc)).collect(),
        })
    }
}

/// Whether it stands for whatever the environment has.
fn is_unknown(object: &Object) -> bool {
    object.any.as_ref().is_some_and(|any| any.parts.is_none())
}
