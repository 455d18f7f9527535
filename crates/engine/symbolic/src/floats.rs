//! Floating numbers: they are moved about, negated and compared as bits; arithmetic is left open so far.

use unpick_program::{BinOp, CastOp, CmpOp, Ty, UnOp};

use crate::goals::Step;
use crate::state::State;
use crate::symex::Symex;
use crate::value::Value;

impl Symex<'_> {
    pub(crate) fn float_binary(
        &mut self,
        state: &mut State,
        op: BinOp,
        ty: Ty,
        _left: &Value,
        _right: &Value,
    ) -> Step<Value> {
        Err(self.unsupported(state, &format!("{op:?} on {ty:?}")))
    }

    /// The sign bit is the topmost of each format, and all that negation and magnitude touch.
    pub(crate) fn float_unary(&mut self, state: &mut State, op: UnOp, ty: Ty, value: &Value) -> Step<Value> {
        let width = self.width(ty);
        let (bits, undef) = self.word(state, value, width)?;
        let sign = self.terms.constant(width, 1 << (width - 1));
        let bits = match op {
            UnOp::FNeg => self.terms.xor(bits, sign),
            UnOp::FAbs => {
                let others = self.terms.not(sign);
                self.terms.and(bits, others)
            }
            _other => return Err(self.unsupported(state, &format!("{op:?} on {ty:?}"))),
        };
        Ok(Value::Word { bits, undef })
    }

    pub(crate) fn float_compare(
        &mut self,
        state: &mut State,
        op: CmpOp,
        ty: Ty,
        _left: &Value,
        _right: &Value,
    ) -> Step<Value> {
        Err(self.unsupported(state, &format!("{op:?} on {ty:?}")))
    }

    pub(crate) fn float_cast(
        &mut self,
        state: &mut State,
        op: CastOp,
        (from, to): (Ty, Ty),
        _value: &Value,
    ) -> Step<Value> {
        Err(self.unsupported(state, &format!("{op:?} from {from:?} to {to:?}")))
    }
}
