//! `setjmp` and `longjmp`: a saved position, and the return to it across activations.
//!
//! What is remembered lies in the user's buffer: a pointer to a stack object of the activation (its *anchor*), function,
//! block, instruction. So a state has nothing new in it, a copied buffer works, and one that was never filled is
//! indeterminate. The anchor lives as long as its activation, and its identity is that of every object: a jump into a
//! function that has returned is noticed, whatever has been called since. Local objects keep the values they have at the
//! jump; C promises that for unchanged and volatile ones only (C11 7.13.2.1), which is noted.

use super::Observer;
use super::exec::{Exec, Step};
use super::state::Frame;
use super::value::{Pointer, Value};
use crate::{BlockId, FuncId, Operand, RegId, SlotId, StmtKind, Ty, ViolationKind};

/// Numbers in a buffer behind the pointer, of 32 bits each.
const N_WORDS: usize = 3;

/// Bytes of a buffer that are used.
pub(crate) fn n_bytes(pointer_bytes: u8) -> u64 {
    u64::from(pointer_bytes) + 4 * N_WORDS as u64
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    pub(crate) fn set_jump(&mut self, dst: RegId, addr: &Operand, anchor: SlotId) -> Step {
        let pointer = self.pointer(addr, "the buffer of setjmp")?;
        if *self.slot_entry(anchor) == Pointer::NULL {
            self.slot_live(anchor);
        }
        let activation = Value::Ptr(*self.slot_entry(anchor));
        self.store_value(pointer, activation, Ty::Ptr, u64::from(self.program.pointer_bytes))?;
        let words = [self.function_id.0, self.block_id.0, self.index as u32];
        for (at, word) in words.into_iter().enumerate() {
            self.store_value(self.jump_word(pointer, at), Value::Bits(u64::from(word)), Ty::Int(32), 4)?;
        }
        self.assign(dst, Value::Bits(0));
        Ok(())
    }

    /// Goes on behind the instruction that filled the buffer.
    pub(crate) fn long_jump(&mut self, addr: &Operand, value: &Operand) -> Step {
        let pointer = self.pointer(addr, "the buffer of longjmp")?;
        let value = self.operand(value);
        let Some(value) = self.int(value, 32)? else {
            let message = "the value for longjmp is indeterminate".into();
            return Err(self.violation(ViolationKind::Uninitialized, message));
        };
        let activation = self.load_slow(pointer, Ty::Ptr)?;
        let mut words = [0u32; N_WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            let loaded = self.load_slow(self.jump_word(pointer, at), Ty::Int(32))?;
            let Some(bits) = self.int(loaded, 32)? else {
                let message = "the buffer of longjmp was not filled by setjmp".into();
                return Err(self.violation(ViolationKind::Uninitialized, message));
            };
            *word = bits as u32;
        }
        let [function, block, index] = words;
        let (function, block, index) = (FuncId(function), BlockId(block), index as usize);
        let stmts = self.program.functions.get(function).and_then(|function| function.blocks.get(block));
        let stmt = stmts.and_then(|block| block.stmts.get(index)).map(|stmt| &stmt.kind);
        let (Some(StmtKind::SetJump { dst, anchor, .. }), Value::Ptr(activation)) = (stmt, activation) else {
            return Err(self.unmodelled("longjmp with a buffer that somebody changed".into()));
        };
        let thread = &self.state.threads[self.thread];
        let is_meant = |frame: &Frame| {
            frame.function == function
                && thread.slots.get(frame.slot_base as usize + anchor.0 as usize) == Some(&activation)
        };
        let Some(depth) = thread.frames.iter().rposition(is_meant) else {
            return Err(self.unmodelled("longjmp to a function that has returned, or of another thread".into()));
        };
        if self.state.atomic.is_some() {
            return Err(self.unmodelled("longjmp out of an atomic section".into()));
        }
        while self.state.threads[self.thread].frames.len() > depth + 1 {
            self.leave(None)?;
        }
        self.observer.note("local variables keep over longjmp the values that they have at the jump");
        self.block_id = block;
        self.block = &self.function.blocks[block];
        self.index = index + 1;
        self.assign(*dst, Value::Bits(if value as u32 == 0 { 1 } else { u64::from(value as u32) }));
        Ok(())
    }

    fn jump_word(&self, buffer: Pointer, index: usize) -> Pointer {
        buffer.at(buffer.offset + i64::from(self.program.pointer_bytes) + 4 * index as i64)
    }
}
