//! Code that keeps the weighted sum of a state up to date while a copy of it is changed: every write adds what the new byte
//! counts more than the old one (Nguyen and Ruys, SPIN 2008).
//!
//! A step that knows what it writes pays for that alone, and not for the length of the state. Old bytes are read from the copy
//! itself, so that two writes to one place count once; only the location that a process leaves is known before. Sums and
//! weights: `unpick_base::weighted_sum`.

use std::mem::offset_of;

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;
use unpick_automaton::LocationId;

use super::{Address, Emitter, View, constant, flags};
use crate::context::Context;

/// What changes are kept in.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    /// By how much the sum has grown since the copy was made.
    sum: Variable,
    /// The weight of the first byte of a state, and that of the first byte of the process's frame.
    weights: Value,
    frame_weights: Value,
}

impl Emitter<'_, '_> {
    /// Changes are to be kept; called before any code is written.
    pub(crate) fn note_changes(&mut self) {
        // Nothing writes to the pointer while code runs, so that it is only loaded where it is needed.
        let offset = offset_of!(Context, weights) as i32;
        let weights = self.builder.ins().load(I64, constant(), self.context, offset);
        let delta = self.builder.ins().isub(self.state.frame, self.state.base);
        let delta = self.scale(delta, 8);
        let frame_weights = self.builder.ins().iadd(weights, delta);
        let sum = self.builder.declare_var(I64);
        self.changes = Some(Changes { sum, weights, frame_weights });
    }

    /// A copy has been made.
    pub(super) fn begin_change(&mut self) {
        if let Some(changes) = self.changes {
            let zero = self.long(0);
            self.builder.def_var(changes.sum, zero);
        }
    }

    /// By how much the sum has grown.
    pub(super) fn change(&mut self) -> Option<Value> {
        self.changes.map(|changes| self.builder.use_var(changes.sum))
    }

    /// A value of so many bytes is about to be written.
    pub(super) fn note_write(&mut self, view: View, address: Address, n_bytes: u32, value: Value) {
        let Some(changes) = self.changes else { return };
        let (weights, at) = self.weights_of(changes, address);
        let (start, offset) = self.resolve(view, address);
        let new = self.builder.ins().uextend(I64, value);
        if n_bytes < 4 {
            self.note_bytes(view, (start, offset), new, (weights, at), 0..n_bytes as i32);
            return;
        }
        // Most numbers are small before and after.
        self.note_bytes(view, (start, offset), new, (weights, at), 0..1);
        let old = self.builder.ins().load(I32, flags(view), start, offset);
        let different = self.builder.ins().bxor(old, value);
        let different = self.builder.ins().ushr_imm_u(different, 8);
        let (more, done) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(more);
        self.builder.ins().brif(different, more, &[], done, &[]);
        self.builder.switch_to_block(more);
        self.note_bytes(view, (start, offset), new, (weights, at), 1..n_bytes as i32);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }

    /// The number of the process that moved last is about to be written.
    pub(super) fn note_hidden_head(&mut self, copy: View, offset: i32, value: Value) {
        let Some(changes) = self.changes else { return };
        let new = self.builder.ins().uextend(I64, value);
        self.note_bytes(copy, (copy.base, offset), new, (changes.weights, 8 * offset), 0..1);
    }

    /// The process goes from its location to another one.
    pub(super) fn note_location(&mut self, target: LocationId) {
        let Some(changes) = self.changes else { return };
        let (old, new) = ((self.source.0 as u16).to_le_bytes(), (target.0 as u16).to_le_bytes());
        for (at, (old, new)) in old.into_iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            let difference = self.long(i64::from(new) - i64::from(old));
            self.note_difference(difference, changes.frame_weights, 8 * (1 + at as i32));
        }
    }

    /// The process whose message is taken goes to a location; where its frame begins.
    pub(super) fn note_sender(&mut self, copy: View, frame: Value, target: Value) {
        let Some(changes) = self.changes else { return };
        let delta = self.scale(frame, 8);
        let weights = self.builder.ins().iadd(changes.weights, delta);
        let start = self.builder.ins().iadd(copy.base, frame);
        let new = self.builder.ins().uextend(I64, target);
        self.note_bytes(copy, (start, 1), new, (weights, 8), 0..2);
    }

    /// So many bytes from an address on are about to be replaced by those that lie further behind by so many, and as many
    /// zeros follow.
    pub(super) fn note_shift(&mut self, from: View, address: Address, n_moved: u32, by: u32) {
        let Some(changes) = self.changes else { return };
        let (weights, at) = self.weights_of(changes, address);
        let (start, offset) = self.resolve(from, address);
        let (n_moved, by) = (n_moved as i32, by as i32);
        let mut first = 0;
        while first < n_moved + by {
            let end = (first + 8).min(n_moved + by);
            let done = self.builder.create_block();
            // Where channels are mostly empty, words are mostly zeros.
            if first + 8 <= n_moved {
                let old = self.builder.ins().load(I64, flags(from), start, offset + first);
                let new = self.builder.ins().load(I64, flags(from), start, offset + by + first);
                let different = self.builder.ins().bxor(old, new);
                self.require(different, done);
            }
            for byte in first..end {
                let old = self.builder.ins().uload8(I64, flags(from), start, offset + byte);
                let new = match byte < n_moved {
                    true => self.builder.ins().uload8(I64, flags(from), start, offset + by + byte),
                    false => self.long(0),
                };
                let difference = self.builder.ins().isub(new, old);
                self.note_difference(difference, weights, at + 8 * byte);
            }
            self.builder.ins().jump(done, &[]);
            self.builder.switch_to_block(done);
            first = end;
        }
    }

    /// Some bytes of a number are about to be written.
    fn note_bytes(
        &mut self,
        view: View,
        (start, offset): (Value, i32),
        new: Value,
        (weights, at): (Value, i32),
        bytes: std::ops::Range<i32>,
    ) {
        for byte in bytes {
            let new = self.builder.ins().ushr_imm_u(new, i64::from(8 * byte));
            let new = self.builder.ins().band_imm_u(new, 0xff);
            let old = self.builder.ins().uload8(I64, flags(view), start, offset + byte);
            let difference = self.builder.ins().isub(new, old);
            self.note_difference(difference, weights, at + 8 * byte);
        }
    }

    /// A byte counts so much more.
    fn note_difference(&mut self, difference: Value, weights: Value, at: i32) {
        let Some(changes) = self.changes else { return };
        let weight = self.builder.ins().load(I64, constant(), weights, at);
        let product = self.builder.ins().imul(difference, weight);
        let sum = self.builder.use_var(changes.sum);
        let sum = self.builder.ins().iadd(sum, product);
        self.builder.def_var(changes.sum, sum);
    }

    /// Where the weights of an address begin, and how far behind that.
    fn weights_of(&mut self, changes: Changes, address: Address) -> (Value, i32) {
        let start = if address.is_in_frame { changes.frame_weights } else { changes.weights };
        let start = match address.dynamic {
            Some(dynamic) => {
                let dynamic = self.scale(dynamic, 8);
                self.builder.ins().iadd(start, dynamic)
            }
            None => start,
        };
        (start, 8 * address.offset)
    }
}
