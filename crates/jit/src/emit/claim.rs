//! Code for claims: the enabled transitions in a state.

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use unpick_automaton::{Location, Step};

use super::{Emitted, Emitter, NotCompilable, own};
use crate::context::{Context, DONE};

impl Emitter<'_, '_> {
    /// The body of a function for a location of a claim. Claims with assertions, escapes or atomic sequences are
    /// rare.
    pub(crate) fn claim(&mut self, location: &Location) -> Emitted<()> {
        let first = self.field(I64, offset_of!(Context, claim_out));
        for transition in &location.transitions {
            let Some(target) = transition.target else { continue };
            if transition.is_atomic || transition.escape.is_some() {
                return Err(NotCompilable("escapes and atomic sequences of claims"));
            }
            let next = self.builder.create_block();
            if transition.step == Step::Else {
                let out = self.field(I64, offset_of!(Context, claim_out));
                let is_alone = self.builder.ins().icmp(IntCC::Equal, out, first);
                self.require(is_alone, next);
            }
            match &transition.step {
                Step::Skip | Step::Else | Step::Condition(_) | Step::Printf(..) | Step::Printm(..) => {
                    self.guard(self.state, &transition.step, next)?;
                }
                Step::Assert(_)
                | Step::Assign(..)
                | Step::Send { .. }
                | Step::Receive(_)
                | Step::SetPriority(..)
                | Step::Code(_)
                | Step::DStep(_)
                | Step::End => return Err(NotCompilable("claims that do more than look")),
            }
            let out = self.field(I64, offset_of!(Context, claim_out));
            let target = self.int(target.0 as i32);
            self.builder.ins().istore16(own(), target, out, 0);
            let out = self.add(out, 2);
            self.set_field(out, offset_of!(Context, claim_out));
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(next);
        }
        self.finish_with(DONE);
        Ok(())
    }
}
