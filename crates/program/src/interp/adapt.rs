//! Calls through another type than that of the function (C11 6.5.2.2, which leaves them undefined): arguments and results
//! as registers of the machine pass them. Integers are cut, or extended with zeros; a pointer and an integer of its size
//! are the same; what is missing, and a floating value where another class is expected, is indeterminate.
//!
//! Front ends do the same for calls whose callee they know (`lower/c`, `adapt.rs`); the verifier asks it of them. Here
//! are those through pointers, where the callee is known when it is called.

use super::Observer;
use super::exec::{Exec, Step};
use super::value::Value;
use crate::{Address, CastOp, FuncId, Operand, RegId, Ty};

/// What the verdict rests on where a call does not fit.
pub const ADAPTED_CALL: &str = "a function is called through another type than its own, which C leaves undefined: \
                                arguments and results are passed as in the machine's registers";

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// The arguments of a call as the callee takes them, if they are not of its types.
    pub(crate) fn adapted_arguments(
        &mut self,
        callee: FuncId,
        via: &Operand,
        args: &[Operand],
    ) -> Step<Option<Vec<Value>>> {
        if matches!(via, Operand::Address(Address::Func(_))) {
            return Ok(None);
        }
        let body = &self.program.functions[callee];
        let types = |param: &RegId| body.regs[*param].ty;
        let fits = |(param, arg): (&RegId, &Operand)| types(param) == self.type_of(arg);
        if body.params.len() == args.len() && body.params.iter().zip(args).all(fits) {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(args.len());
        for (param, arg) in body.params.iter().zip(args) {
            let (value, from) = (self.operand(arg), self.type_of(arg));
            values.push(self.passed(value, from, types(param))?);
        }
        if !body.is_model {
            self.observer.note(ADAPTED_CALL);
        }
        Ok(Some(values))
    }

    /// What a call gives its caller, who expects a value of the type of a register of his.
    pub(crate) fn adapted_result(&mut self, value: Value) -> Step<Value> {
        let [.., caller, frame] = self.state.threads[self.thread].frames.as_slice() else { return Ok(value) };
        let (Some(dst), Some(from)) = (frame.dst, self.function.ret) else { return Ok(value) };
        let to = self.program.functions[caller.function].regs[dst].ty;
        if from == to {
            return Ok(value);
        }
        self.observer.note(ADAPTED_CALL);
        self.passed(value, from, to)
    }

    fn passed(&mut self, value: Value, from: Ty, to: Ty) -> Step<Value> {
        let word = Ty::Int(self.program.pointer_bytes * 8);
        match (from, to) {
            _ if from == to => Ok(value),
            (Ty::Int(own), Ty::Int(wanted)) => {
                let op = if own < wanted { CastOp::ZeroExtend } else { CastOp::Truncate };
                self.cast(op, from, to, value)
            }
            (Ty::Int(_), Ty::Ptr) => {
                let value = self.passed(value, from, word)?;
                self.cast(CastOp::IntToPtr, word, to, value)
            }
            (Ty::Ptr, Ty::Int(_)) => {
                let value = self.cast(CastOp::PtrToInt, from, word, value)?;
                self.passed(value, word, to)
            }
            _of_another_class => Ok(Value::Undef),
        }
    }

    fn type_of(&self, operand: &Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.function.regs[*reg].ty,
            Operand::Bits(ty, _) | Operand::Undef(ty) => *ty,
            Operand::Null | Operand::Address(_) | Operand::Slot(_) => Ty::Ptr,
        }
    }
}
