//! `setjmp` and `longjmp`: a saved position, and the return to it across activations.
//!
//! What is remembered are numbers in the user's buffer: thread, depth of the activation, function, block, instruction.
//! So a state has nothing new in it, a copied buffer works, and one that was never filled is indeterminate. Activations
//! are known by their depth: a jump into a function that returned is noticed unless the same function is active at the
//! same depth again. Local objects keep the values they have at the jump; C promises that for unchanged and volatile
//! ones only (C11 7.13.2.1), which is noted.

use super::Observer;
use super::exec::{Exec, Step};
use super::value::{Pointer, Value};
use crate::{BlockId, FuncId, Operand, RegId, StmtKind, Ty, ViolationKind};

/// Numbers in a buffer, of 32 bits each.
const N_WORDS: usize = 5;

/// Bytes of a buffer that are used.
pub(crate) const JUMP_BYTES: u64 = 4 * N_WORDS as u64;

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    pub(crate) fn set_jump(&mut self, dst: RegId, addr: &Operand) -> Step {
        let pointer = self.pointer(addr, "the buffer of setjmp")?;
        let depth = self.state.threads[self.thread].frames.len() - 1;
        let words = [self.thread as u32, depth as u32, self.function_id.0, self.block_id.0, self.index as u32];
        for (at, word) in words.into_iter().enumerate() {
            self.store_value(word_at(pointer, at), Value::Bits(u64::from(word)), Ty::Int(32), 4)?;
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
        let mut words = [0u32; N_WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            let loaded = self.load_slow(word_at(pointer, at), Ty::Int(32))?;
            let Some(bits) = self.int(loaded, 32)? else {
                let message = "the buffer of longjmp was not filled by setjmp".into();
                return Err(self.violation(ViolationKind::Uninitialized, message));
            };
            *word = bits as u32;
        }
        let [thread, depth, function, block, index] = words;
        let (depth, block, index) = (depth as usize, BlockId(block), index as usize);
        let frame = self.state.threads[self.thread].frames.get(depth);
        let is_active = frame.is_some_and(|frame| frame.function == FuncId(function));
        if thread as usize != self.thread || !is_active {
            return Err(self.unmodelled("longjmp to a function that has returned, or of another thread".into()));
        }
        if self.state.atomic.is_some() {
            return Err(self.unmodelled("longjmp out of an atomic section".into()));
        }
        let stmts = self.program.functions[FuncId(function)].blocks.get(block).map(|block| &block.stmts);
        let Some(StmtKind::SetJump { dst, .. }) = stmts.and_then(|stmts| stmts.get(index)).map(|stmt| &stmt.kind)
        else {
            return Err(self.unmodelled("longjmp with a buffer that somebody changed".into()));
        };
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
}

fn word_at(pointer: Pointer, index: usize) -> Pointer {
    pointer.at(pointer.offset + 4 * index as i64)
}
