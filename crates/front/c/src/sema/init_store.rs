//! Placement of initial values within the shape of their type.

use super::Sema;
use crate::ast::{Init, InitEntry};
use crate::types::{ArrayExtent, TyId, Type};

/// One aggregate being filled: the position the next value goes to.
pub(super) struct Frame {
    pub ty: TyId,
    pub at: u64,
    /// Equals `at` unless a range designator fills several elements at once.
    pub last: u64,
    /// Positions there are; unbounded for arrays whose length the initialiser decides.
    pub count: u64,
    /// Positions from here on are still empty.
    pub filled: u64,
}

impl Frame {
    /// Forgets which positions are empty, because the aggregate was entered by a designator.
    pub fn maybe_filled(mut self) -> Frame {
        self.filled = u64::MAX;
        self
    }
}

impl Sema {
    /// A frame at the first position of an aggregate; `None` for other types.
    pub(super) fn init_frame(&self, ty: TyId) -> Option<Frame> {
        let count = match self.get(ty) {
            Type::Array { extent: ArrayExtent::Fixed(n), .. } => *n,
            Type::Array { .. } => u64::MAX,
            Type::Vector { element, bytes } => bytes / self.types().size_of(*element).unwrap_or(1).max(1),
            Type::Record(id) => self.types().records[*id].fields.len() as u64,
            _ => return None,
        };
        let mut frame = Frame { ty, at: 0, last: 0, count, filled: 0 };
        self.skip_unnamed(&mut frame);
        Some(frame)
    }

    /// Unnamed bit-fields take no value.
    fn skip_unnamed(&self, frame: &mut Frame) {
        if let Type::Record(id) = self.get(frame.ty) {
            let fields = &self.types().records[*id].fields;
            while let Some(field) = fields.get(frame.at as usize) {
                if field.name.is_some() || field.bits.is_none() {
                    break;
                }
                frame.at += 1;
            }
        }
        frame.last = frame.at;
    }

    /// Moves on after a value was placed.
    pub(super) fn advance(&self, frame: &mut Frame) {
        let is_union = match self.get(frame.ty) {
            Type::Record(id) => self.types().records[*id].is_union,
            _ => false,
        };
        if is_union {
            frame.at = frame.count;
            frame.last = frame.at;
            return;
        }
        frame.at = frame.last.saturating_add(1);
        self.skip_unnamed(frame);
    }

    /// The type of what stands at the frame's position.
    pub(super) fn type_at(&self, frame: &Frame) -> TyId {
        match self.get(frame.ty) {
            Type::Array { element, .. } => element.ty,
            Type::Vector { element, .. } => *element,
            Type::Record(id) => {
                self.types().records[*id].fields.get(frame.at as usize).map_or(TyId::ERROR, |field| field.ty.ty)
            }
            _ => TyId::ERROR,
        }
    }
}

/// Puts a value at the position the frames lead to.
pub(super) fn store(init: &mut Init, frames: &mut [Frame], value: Init) {
    let Some((frame, rest)) = frames.split_first_mut() else {
        *init = value;
        return;
    };
    if !matches!(init, Init::List { .. }) {
        *init = Init::List { ty: frame.ty, entries: Vec::new() };
    }
    let Init::List { entries, .. } = init else { return };
    let existing = if frame.at >= frame.filled {
        None
    } else {
        entries.iter().rposition(|entry| entry.index == frame.at && entry.last == frame.last)
    };
    frame.filled = frame.filled.max(frame.last.saturating_add(1));
    // Refining part of a list keeps the rest of it; a value given anew goes to its place in the order.
    match existing {
        Some(at) if at + 1 == entries.len() || !rest.is_empty() => store(&mut entries[at].init, rest, value),
        _ => {
            let inner_ty = rest.first().map_or(frame.ty, |inner| inner.ty);
            let mut inner = Init::List { ty: inner_ty, entries: Vec::new() };
            store(&mut inner, rest, value);
            entries.push(InitEntry { index: frame.at, last: frame.last, init: inner });
        }
    }
}
