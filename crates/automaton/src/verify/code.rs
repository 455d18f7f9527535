//! Rules about embedded C: pieces, owners, records, and the place of the memory.

use super::Verifier;
use crate::code::{Declared, DeclaredType, PieceId};

impl Verifier<'_> {
    pub(super) fn code(&mut self) {
        let model = self.model;
        let code = &model.code;
        for (id, piece) in code.pieces.iter_enumerated() {
            let is_owned = piece.owner.is_none_or(|owner| model.proctypes.get(owner).is_some());
            self.require(is_owned, 17, || format!("{id:?} belongs to a process type that does not exist"));
        }
        for (position, record) in code.records.iter().enumerate() {
            self.declared(&record.fields, position);
        }
        self.declared(&code.globals, code.records.len());
        self.require(code.locals.len() <= model.proctypes.len(), 17, || {
            format!("variables of {} process types, of which there are {}", code.locals.len(), model.proctypes.len())
        });
        for locals in &code.locals {
            self.declared(locals, code.records.len());
        }
        if let Some(memory) = code.memory {
            let is_inside = |at: u32, size: u32| u64::from(at) + 4 <= u64::from(size);
            let is_there = is_inside(memory.at, model.globals.size)
                && memory.hidden_at.is_none_or(|at| is_inside(at, model.hidden_size));
            self.require(is_there, 17, || "the number of the memory does not lie in the frames".to_owned());
        }
    }

    /// Variables or fields that may be of the records before a position.
    fn declared(&mut self, all: &[Declared], n_records: usize) {
        for declared in all {
            match declared.ty {
                DeclaredType::Scalar(scalar) => self.scalar(scalar),
                DeclaredType::Record(record) => self.require(record < n_records, 17, || {
                    format!("`{}` is of record {record}, which is not known before it", declared.name)
                }),
            }
        }
    }

    pub(super) fn piece(&mut self, id: PieceId, is_value: bool) {
        let is_right = self.model.code.pieces.get(id).is_some_and(|piece| piece.is_expression == is_value);
        self.require(is_right, 17, || match is_value {
            true => format!("{id:?} is no expression"),
            false => format!("{id:?} is no piece of statements"),
        });
        self.require(self.model.has_code, 16, || "the model does not say that it has C".to_owned());
    }
}
