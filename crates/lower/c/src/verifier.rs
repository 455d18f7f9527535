//! Lowering of intrinsics of the library models and of the verification competitions, one instruction each.

use unpick_base::Span;
use unpick_program::ViolationKind;
use unpick_program::program::{
    AllocKind, BinOp, CastOp, Contents, InterruptOp, LockOp, Operand, Rvalue, StmtKind, Terminator, Ty, UnOp,
};

use super::arith::bit;
use super::class::{Class, is_bool};
use super::function::FunctionLowering;
use unpick_front_c::ast::{ExprId, ExprKind};
use unpick_front_c::builtin::Builtin;
use unpick_front_c::types::TyId;

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn verifier_builtin(&mut self, expr: ExprId, builtin: Builtin, args: &[ExprId]) -> Option<Operand> {
        let node = &self.unit.exprs[expr];
        let (span, ty) = (node.span, node.ty.ty);
        if let Some(value) = self.memory_intrinsic(span, builtin, args) {
            return Some(value);
        }
        if let Some(value) = self.float_intrinsic(span, builtin, args) {
            return Some(value);
        }
        let nothing = Operand::Undef(Ty::Int(8));
        match (builtin, args) {
            (Builtin::Assume, [cond, ..]) => {
                let cond = self.truth(*cond);
                self.emit(span, StmtKind::Assume(cond));
            }
            (Builtin::Assert, [cond, rest @ ..]) => {
                let cond = self.truth(*cond);
                let message = rest.first().and_then(|text| self.text_argument(*text)).unwrap_or_default();
                let message = if message.is_empty() { "assertion does not hold".to_owned() } else { message };
                self.emit(span, StmtKind::Assert { cond, kind: ViolationKind::Assertion, message });
            }
            (Builtin::Nondet, _) => return Some(self.nondet(span, ty)),
            (Builtin::Async, [call]) => self.start_call(span, *call),
            (Builtin::AtomicBegin, _) => self.emit(span, StmtKind::AtomicBegin),
            (Builtin::AtomicEnd, _) => self.emit(span, StmtKind::AtomicEnd),
            (Builtin::UnpickOutput, [stream, addr, bytes]) => {
                let stream_value = self.value(*stream);
                let stream = self.convert(span, stream_value, self.ty(*stream), TyId::INT);
                let addr = self.value(*addr);
                let bytes = self.word_argument(*bytes);
                self.emit(span, StmtKind::Output { stream, addr, bytes });
            }
            (Builtin::UnpickExit, [code]) => {
                let value = self.value(*code);
                let code = self.convert(span, value, self.ty(*code), TyId::INT);
                self.terminate(span, Terminator::Exit { code, is_abort: false });
            }
            (Builtin::UnpickAbort, _) => {
                let code = Operand::Bits(Ty::Int(32), 134);
                self.terminate(span, Terminator::Exit { code, is_abort: true });
            }
            (Builtin::UnpickFail, [kind, message, ..]) => {
                let name = self.text_argument(*kind).unwrap_or_default();
                let kind = ViolationKind::from_name(&name).unwrap_or(ViolationKind::Assertion);
                let message = self.text_argument(*message).unwrap_or_default();
                self.emit(span, StmtKind::Assert { cond: bit(false), kind, message });
            }
            (Builtin::UnpickUnmodelled, [what]) => {
                let what = self.text_argument(*what).unwrap_or_default();
                self.emit(span, StmtKind::Unmodelled(what));
            }
            (Builtin::UnpickNote, [text]) => {
                let text = self.text_argument(*text).unwrap_or_default();
                self.emit(span, StmtKind::Note(text));
            }
            (Builtin::UnpickOption, [name]) => {
                let name = self.text_argument(*name).unwrap_or_default();
                let value = match name.as_str() {
                    "cancels" => i64::from(self.cx.endings.by_cancellation),
                    option => self.cx.options.options.get(option).copied().unwrap_or(0),
                };
                return Some(self.int(self.scalar(ty), i128::from(value)));
            }
            (Builtin::UnpickWait, [cond]) => {
                let cond = self.truth(*cond);
                self.emit(span, StmtKind::Wait(cond));
            }
            (Builtin::UnpickSpawn, [callee, args @ ..]) => {
                let callee = self.value(*callee);
                let args = args.iter().map(|arg| self.value(*arg)).collect();
                let dst = self.temp(Ty::Int(32));
                self.emit(span, StmtKind::Spawn { dst, callee, args });
                return Some(self.convert_number(span, dst, ty));
            }
            (Builtin::UnpickSelf, _) => {
                let dst = self.temp(Ty::Int(32));
                self.emit(span, StmtKind::SelfThread(dst));
                return Some(self.convert_number(span, dst, ty));
            }
            (Builtin::UnpickTaken | Builtin::UnpickGot | Builtin::UnpickGivenBack, [lock, is_exclusive]) => {
                let addr = self.value(*lock);
                let op = match builtin {
                    Builtin::UnpickTaken => LockOp::Take,
                    Builtin::UnpickGot => LockOp::Get,
                    _ => LockOp::Give,
                };
                let is_exclusive = !matches!(self.value(*is_exclusive), Operand::Bits(_, 0));
                self.emit(span, StmtKind::Hold { addr, op, is_exclusive });
            }
            (Builtin::UnpickProgress, _) => self.emit(span, StmtKind::Progress),
            (Builtin::UnpickDisableInterrupts, _) => {
                let before = self.set_interrupts(span, InterruptOp::Set, Operand::Bits(Ty::Int(32), 1));
                return Some(self.convert_number(span, before, ty));
            }
            (Builtin::UnpickEnableInterrupts, _) => {
                self.set_interrupts(span, InterruptOp::Set, Operand::Bits(Ty::Int(32), 0));
            }
            (Builtin::UnpickLongJump, [buffer, value]) => {
                let (addr, value) = (self.value(*buffer), self.value(*value));
                self.emit(span, StmtKind::LongJump { addr, value });
            }
            (Builtin::UnpickEndThread, _) => self.terminate(span, Terminator::EndThread),
            (Builtin::UnpickEnded, [thread]) => {
                let value = self.value(*thread);
                let thread = self.convert(span, value, self.ty(*thread), TyId::INT);
                let dst = self.temp(Ty::Int(1));
                self.emit(span, StmtKind::ThreadEnded { dst, thread });
                return Some(self.extend_bit(span, Operand::Reg(dst), self.scalar(ty)));
            }
            _other => return None,
        }
        Some(nothing)
    }

    /// A call in a thread of its own: the arguments are evaluated here.
    fn start_call(&mut self, span: Span, call: ExprId) {
        let ExprKind::Call { callee, args } = &self.unit.exprs[call].kind else { return };
        let callee = self.value(*callee);
        let mut values: Vec<Operand> = args.iter().rev().map(|arg| self.value(*arg)).collect();
        values.reverse();
        let dst = self.temp(Ty::Int(32));
        self.emit(span, StmtKind::Spawn { dst, callee, args: values });
    }

    fn convert_number(&mut self, span: Span, reg: unpick_program::program::RegId, ty: TyId) -> Operand {
        self.convert(span, Operand::Reg(reg), TyId::INT, ty)
    }

    fn memory_intrinsic(&mut self, span: Span, builtin: Builtin, args: &[ExprId]) -> Option<Operand> {
        match (builtin, args) {
            (Builtin::UnpickAlloc, [bytes, align, contents]) => {
                let bytes = self.word_argument(*bytes);
                let align = self.constant_argument(*align).and_then(|align| u64::try_from(align).ok());
                let align = align.filter(|align| align.is_power_of_two()).unwrap_or(16);
                let contents = match self.constant_argument(*contents) {
                    Some(1) => Contents::Zero,
                    Some(2) => Contents::Any,
                    _indeterminate => Contents::Indeterminate,
                };
                let dst = self.temp(Ty::Ptr);
                self.emit(span, StmtKind::Alloc { dst, bytes, align, kind: AllocKind::Heap, contents });
                Some(Operand::Reg(dst))
            }
            (Builtin::UnpickFree, [pointer]) => {
                let addr = self.value(*pointer);
                self.emit(span, StmtKind::Free { addr, kind: AllocKind::Heap });
                Some(Operand::Undef(Ty::Int(8)))
            }
            (Builtin::UnpickObjectSize, [pointer]) => {
                let addr = self.value(*pointer);
                let dst = self.temp(self.word());
                self.emit(span, StmtKind::ObjectSize { dst, addr, element: None });
                Some(Operand::Reg(dst))
            }
            (Builtin::UnpickWritable, [pointer]) => {
                let addr = self.value(*pointer);
                let dst = self.temp(self.word());
                self.emit(span, StmtKind::ObjectSize { dst, addr, element: Some(0) });
                Some(Operand::Reg(dst))
            }
            (Builtin::UnpickMemAny, [dst, bytes]) => {
                let dst = self.value(*dst);
                let bytes = self.word_argument(*bytes);
                self.any_bytes(span, dst, bytes);
                Some(Operand::Undef(Ty::Int(8)))
            }
            (Builtin::UnpickMemcpy | Builtin::UnpickMemmove, [dst, src, bytes]) => {
                let (dst, src) = (self.value(*dst), self.value(*src));
                let bytes = self.word_argument(*bytes);
                let may_overlap = builtin == Builtin::UnpickMemmove;
                self.emit(span, StmtKind::MemCopy { dst, src, bytes, may_overlap });
                Some(dst)
            }
            (Builtin::UnpickMemset, [dst, byte, bytes]) => {
                let dst = self.value(*dst);
                let value = self.value(*byte);
                let byte = self.convert(span, value, self.ty(*byte), TyId::UCHAR);
                let bytes = self.word_argument(*bytes);
                self.emit(span, StmtKind::MemSet { dst, byte, bytes });
                Some(dst)
            }
            _other => None,
        }
    }

    /// The writer is named: the user's call, or the model that makes it.
    fn any_bytes(&mut self, span: Span, dst: Operand, bytes: Operand) {
        let label = match self.func.is_model {
            true => format!("what {}() wrote", self.func.source_name),
            false => format!("{}()", self.callee_text(span)),
        };
        self.emit(span, StmtKind::MemAny { dst, bytes, is_assumed: false, label });
    }

    fn float_intrinsic(&mut self, span: Span, builtin: Builtin, args: &[ExprId]) -> Option<Operand> {
        let op = match builtin {
            Builtin::UnpickSqrt => UnOp::FSqrt,
            Builtin::UnpickFloor => UnOp::FFloor,
            Builtin::UnpickCeil => UnOp::FCeil,
            Builtin::UnpickTrunc => UnOp::FTrunc,
            Builtin::UnpickRound => UnOp::FRound,
            Builtin::UnpickRint => UnOp::FRint,
            Builtin::UnpickFmod => {
                let [left, right] = args else { return None };
                let ty = self.scalar(self.ty(*left));
                let (left, right) = (self.value(*left), self.value(*right));
                return Some(self.compute(span, ty, Rvalue::Binary(BinOp::FRem, ty, left, right)));
            }
            _other => return None,
        };
        let [arg] = args else { return None };
        let ty = self.scalar(self.ty(*arg));
        let value = self.value(*arg);
        Some(self.compute(span, ty, Rvalue::Unary(op, ty, value)))
    }

    fn word_argument(&mut self, arg: ExprId) -> Operand {
        let value = self.value(arg);
        self.as_word(self.span(arg), value, self.ty(arg))
    }

    /// The text of a literal argument.
    pub(super) fn text_argument(&self, arg: ExprId) -> Option<String> {
        match &self.unit.exprs[arg].kind {
            ExprKind::Cast { operand, .. } | ExprKind::AddrOf(operand) => self.text_argument(*operand),
            ExprKind::Str { units, .. } => {
                let bytes: Vec<u8> = units.iter().map(|code| *code as u8).collect();
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            _other => None,
        }
    }

    fn nondet(&mut self, span: Span, ty: TyId) -> Operand {
        let name = self.callee_text(span);
        let label = if name.is_empty() { "an input".to_owned() } else { format!("{name}()") };
        self.any_value(span, ty, label)
    }

    /// Any value of a type.
    pub(super) fn any_value(&mut self, span: Span, ty: TyId, label: String) -> Operand {
        match self.class(ty) {
            Class::Void => Operand::Undef(Ty::Int(8)),
            Class::Memory => {
                let dst = self.temp(Ty::Ptr);
                let bytes = self.word_value(self.unit.types.size_of(ty).unwrap_or(0));
                let align = self.unit.types.align_of(ty).unwrap_or(1);
                let (kind, contents) = (AllocKind::Stack, Contents::Any);
                self.emit(span, StmtKind::Alloc { dst, bytes, align, kind, contents });
                Operand::Reg(dst)
            }
            Class::Scalar(Ty::Ptr) => {
                let word = self.word();
                let dst = self.temp(word);
                self.emit(span, StmtKind::Choose { dst, range: None, label });
                self.compute(span, Ty::Ptr, Rvalue::Cast(CastOp::IntToPtr, word, Ty::Ptr, Operand::Reg(dst)))
            }
            Class::Scalar(scalar) => {
                let range = is_bool(&self.unit.types, ty).then_some((0, 1));
                let dst = self.temp(scalar);
                self.emit(span, StmtKind::Choose { dst, range, label });
                Operand::Reg(dst)
            }
        }
    }
}
