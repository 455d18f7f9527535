//! Printer of instructions and terminators.

use std::fmt::Write;

use super::{Printer, as_small_negative, put};
use crate::program::*;
use crate::text::lex::write_text;
use crate::text::words::Word;

const BOOL: Option<Ty> = Some(Ty::Int(1));
const NUMBER: Option<Ty> = Some(Ty::Int(32));

impl Printer<'_> {
    pub(super) fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign(dst, rvalue) => {
                put!(self, "{dst:?} = ");
                self.rvalue(*dst, rvalue);
            }
            StmtKind::Load { .. }
            | StmtKind::Store { .. }
            | StmtKind::LoadBits { .. }
            | StmtKind::StoreBits { .. }
            | StmtKind::MemCopy { .. }
            | StmtKind::MemSet { .. }
            | StmtKind::MemAny { .. }
            | StmtKind::Output { .. }
            | StmtKind::SlotLive(_)
            | StmtKind::SlotDead(_)
            | StmtKind::Alloc { .. }
            | StmtKind::Free { .. }
            | StmtKind::SetJump { .. }
            | StmtKind::LongJump { .. }
            | StmtKind::ObjectSize { .. } => self.memory(kind),
            StmtKind::AtomicRmw { .. }
            | StmtKind::AtomicCas { .. }
            | StmtKind::Fence(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Wait(_)
            | StmtKind::Spawn { .. }
            | StmtKind::SelfThread(_)
            | StmtKind::Hold { .. }
            | StmtKind::Progress
            | StmtKind::ThreadEnded { .. }
            | StmtKind::Interrupts { .. } => self.concurrency(kind),
            StmtKind::Call { dst, callee, args } => {
                if let Some(dst) = dst {
                    put!(self, "{dst:?} = ");
                }
                self.invoke("call", *callee, args);
            }
            StmtKind::Choose { dst, range, label } => {
                put!(self, "{dst:?} = choose ");
                if let Some((low, high)) = range {
                    put!(self, "{low} to {high} ");
                }
                write_text(label, &mut self.out);
            }
            StmtKind::Assume(cond) => self.word_and_operand("assume ", *cond, BOOL),
            StmtKind::Assert { cond, kind, message } => {
                self.word_and_operand("assert ", *cond, BOOL);
                put!(self, " else {kind} ");
                write_text(message, &mut self.out);
            }
            StmtKind::CheckIndex { index, len, one_past } => {
                self.out.push_str("checkindex ");
                self.word(*index);
                put!(self, " {} {len}", if *one_past { "<=" } else { "<" });
            }
            StmtKind::Note(text) => self.word_and_text("note ", text),
            StmtKind::Unmodelled(text) => self.word_and_text("unmodelled ", text),
        }
    }

    fn memory(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Load { dst, addr, access } => {
                put!(self, "{dst:?} = load{} ", access_suffix(*access));
                self.pointer(*addr);
            }
            StmtKind::Store { addr, value, ty, access } => {
                put!(self, "store{} ", access_suffix(*access));
                self.ty(*ty);
                self.out.push(' ');
                self.operand(*value, Some(*ty));
                self.out.push_str(" -> ");
                self.pointer(*addr);
            }
            StmtKind::LoadBits { dst, addr, bits, is_signed, access } => {
                let sign = if *is_signed { ".signed" } else { "" };
                put!(self, "{dst:?} = loadbits{sign}{} ", access_suffix(*access));
                self.pointer(*addr);
                self.bit_range(*bits);
            }
            StmtKind::StoreBits { addr, bits, value, access } => {
                put!(self, "storebits{} ", access_suffix(*access));
                self.operand(*value, None);
                self.out.push_str(" -> ");
                self.pointer(*addr);
                self.bit_range(*bits);
            }
            StmtKind::MemCopy { dst, src, bytes, may_overlap } => {
                self.out.push_str(if *may_overlap { "memmove " } else { "memcopy " });
                self.pointer(*src);
                self.out.push_str(" -> ");
                self.pointer(*dst);
                self.byte_count(*bytes);
            }
            StmtKind::MemSet { dst, byte, bytes } => {
                self.word_and_operand("memset ", *byte, Some(Ty::Int(8)));
                self.out.push_str(" -> ");
                self.pointer(*dst);
                self.byte_count(*bytes);
            }
            StmtKind::MemAny { dst, bytes, is_assumed, label } => {
                self.out.push_str("memany ");
                write_text(label, &mut self.out);
                self.out.push_str(" -> ");
                self.pointer(*dst);
                self.byte_count(*bytes);
                if *is_assumed {
                    self.out.push_str(" assumed");
                }
            }
            StmtKind::Output { stream, addr, bytes } => {
                self.word_and_operand("output ", *stream, NUMBER);
                self.out.push_str(", ");
                self.pointer(*addr);
                self.byte_count(*bytes);
            }
            StmtKind::SlotLive(slot) => put!(self, "live {slot:?}"),
            StmtKind::SlotDead(slot) => put!(self, "dead {slot:?}"),
            StmtKind::Alloc { dst, bytes, align, kind, contents } => {
                put!(self, "{dst:?} = alloc.{} ", kind.word());
                self.word(*bytes);
                put!(self, " align {align} {}", contents.word());
            }
            StmtKind::Free { addr, kind } => {
                put!(self, "free.{} ", kind.word());
                self.pointer(*addr);
            }
            StmtKind::SetJump { dst, addr, anchor } => {
                put!(self, "{dst:?} = setjump ");
                self.pointer(*addr);
                put!(self, ", {anchor:?}");
            }
            StmtKind::LongJump { addr, value } => {
                self.out.push_str("longjump ");
                self.pointer(*addr);
                self.out.push_str(", ");
                self.operand(*value, NUMBER);
            }
            StmtKind::ObjectSize { dst, addr, element } => {
                put!(self, "{dst:?} = objectsize ");
                self.pointer(*addr);
                if let Some(element) = element {
                    put!(self, " of {element}");
                }
            }
            other => unreachable!("{other:?} should have been printed elsewhere"),
        }
    }

    fn concurrency(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::AtomicRmw { dst, op, addr, value, order } => {
                put!(self, "{dst:?} = rmw.{}.{} ", op.word(), order.word());
                self.pointer(*addr);
                self.out.push_str(", ");
                self.operand(*value, self.reg_ty(*dst));
            }
            StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak, order } => {
                let weak = if *is_weak { ".weak" } else { "" };
                put!(self, "{dst:?}, {ok:?} = cas{weak}.{} ", order.word());
                self.pointer(*addr);
                self.out.push_str(" expect ");
                self.operand(*expected, self.reg_ty(*dst));
                self.out.push_str(" set ");
                self.operand(*desired, self.reg_ty(*dst));
            }
            StmtKind::Fence(order) => put!(self, "fence.{}", order.word()),
            StmtKind::AtomicBegin => self.out.push_str("atomic.begin"),
            StmtKind::AtomicEnd => self.out.push_str("atomic.end"),
            StmtKind::Progress => self.out.push_str("progress"),
            StmtKind::Wait(cond) => self.word_and_operand("wait ", *cond, BOOL),
            StmtKind::Spawn { dst, callee, args } => {
                put!(self, "{dst:?} = ");
                self.invoke("spawn", *callee, args);
            }
            StmtKind::SelfThread(dst) => put!(self, "{dst:?} = self"),
            StmtKind::Hold { addr, op, is_exclusive } => {
                let verb = match op {
                    LockOp::Take => "take",
                    LockOp::Get => "get",
                    LockOp::Give => "give",
                };
                put!(self, "lock.{verb}{} ", if *is_exclusive { "" } else { ".shared" });
                self.pointer(*addr);
            }
            StmtKind::ThreadEnded { dst, thread } => {
                put!(self, "{dst:?} = ended ");
                self.operand(*thread, NUMBER);
            }
            StmtKind::Interrupts { dst, op, value } => {
                put!(self, "{dst:?} = interrupts {} ", op.word());
                self.operand(*value, NUMBER);
            }
            other => unreachable!("{other:?} should have been printed elsewhere"),
        }
    }

    fn rvalue(&mut self, dst: RegId, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(operand) => self.operand(*operand, self.reg_ty(dst)),
            Rvalue::Binary(op, ty, left, right) => self.two(op.word(), "", *ty, *left, *right),
            Rvalue::Checked(op, ty, left, right) => self.two(op.word(), ".checked", *ty, *left, *right),
            Rvalue::Overflows { op, is_signed, ty, left, right } => {
                let suffix = if *is_signed { ".overflows.signed" } else { ".overflows.unsigned" };
                self.two(op.word(), suffix, *ty, *left, *right);
            }
            Rvalue::Unary(op, ty, operand) => {
                put!(self, "{} ", op.word());
                self.ty(*ty);
                self.out.push(' ');
                self.operand(*operand, Some(*ty));
            }
            Rvalue::Compare(op, ty, left, right) => self.two("cmp.", op.word(), *ty, *left, *right),
            Rvalue::Cast(op, from, to, operand) => {
                put!(self, "{} ", op.word());
                self.ty(*from);
                self.out.push(' ');
                self.operand(*operand, Some(*from));
                self.out.push_str(" to ");
                self.ty(*to);
            }
            Rvalue::PtrAdd { base, index, stride } => {
                self.out.push_str("ptradd ");
                self.pointer(*base);
                self.out.push_str(", ");
                self.word(*index);
                put!(self, " * {stride}");
            }
            Rvalue::PtrDiff { left, right, stride } => {
                self.out.push_str("ptrdiff ");
                self.pointer(*left);
                self.out.push_str(", ");
                self.pointer(*right);
                put!(self, " / {stride}");
            }
            Rvalue::Select { cond, then, otherwise } => {
                self.word_and_operand("select ", *cond, BOOL);
                self.out.push_str(" ? ");
                self.operand(*then, self.reg_ty(dst));
                self.out.push_str(" : ");
                self.operand(*otherwise, self.reg_ty(dst));
            }
        }
    }

    fn two(&mut self, word: &str, suffix: &str, ty: Ty, left: Operand, right: Operand) {
        put!(self, "{word}{suffix} ");
        self.ty(ty);
        self.out.push(' ');
        self.operand(left, Some(ty));
        self.out.push_str(", ");
        self.operand(right, Some(ty));
    }

    pub(super) fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Goto(target) => put!(self, "goto {target:?}"),
            Terminator::Branch { cond, then, otherwise } => {
                self.word_and_operand("branch ", *cond, BOOL);
                put!(self, " ? {then:?} : {otherwise:?}");
            }
            Terminator::Switch { value, ty, cases, default } => self.switch(*value, *ty, cases, *default),
            Terminator::IndirectGoto { addr, targets } => {
                self.out.push_str("goto *");
                self.pointer(*addr);
                self.out.push_str(" [");
                self.list(targets, |printer, target| put!(printer, "{target:?}"));
                self.out.push(']');
            }
            Terminator::Return(None) => self.out.push_str("return"),
            Terminator::Return(Some(value)) => {
                let expected = self.function.and_then(|function| function.ret);
                self.word_and_operand("return ", *value, expected);
            }
            Terminator::Exit { code, is_abort } => {
                self.word_and_operand(if *is_abort { "abort " } else { "exit " }, *code, NUMBER);
            }
            Terminator::EndThread => self.out.push_str("endthread"),
            Terminator::Unreachable => self.out.push_str("unreachable"),
        }
    }

    fn switch(&mut self, value: Operand, ty: Ty, cases: &[(u128, u128, BlockId)], default: BlockId) {
        self.out.push_str("switch ");
        self.ty(ty);
        self.out.push(' ');
        self.operand(value, Some(ty));
        // Few cases fit a line, many are easier to find below each other.
        let (before, end) = if cases.len() > 4 { ("\n    ", "\n  }") } else { (" ", " }") };
        self.out.push_str(" {");
        for (low, high, target) in cases {
            self.out.push_str(before);
            self.case_bounds(ty, *low, *high);
            put!(self, " -> {target:?},");
        }
        put!(self, "{before}else {default:?}{end}");
    }

    fn case_bounds(&mut self, ty: Ty, low: u128, high: u128) {
        let Ty::Int(width) = ty else {
            put!(self, "{low} to {high}");
            return;
        };
        match (as_small_negative(width, low), as_small_negative(width, high)) {
            (Some(low), Some(high)) if low == high => put!(self, "{low}"),
            (Some(low), Some(high)) => put!(self, "{low} to {high}"),
            (Some(_), None) | (None, Some(_)) | (None, None) if low == high => put!(self, "{low}"),
            (Some(_), None) | (None, Some(_)) | (None, None) => put!(self, "{low} to {high}"),
        }
    }

    /// `main(i32 1, r2)` for a function known by name, `*r1(i32 1, r2)` for a pointer.
    fn invoke(&mut self, word: &str, callee: Operand, args: &[Operand]) {
        put!(self, "{word} ");
        if let Operand::Address(Address::Func(function)) = callee {
            self.function_name(function);
        } else {
            self.out.push('*');
            self.pointer(callee);
        }
        self.out.push('(');
        self.list(args, |printer, operand| printer.operand(*operand, None));
        self.out.push(')');
    }

    fn byte_count(&mut self, bytes: Operand) {
        self.out.push_str(" bytes ");
        self.word(bytes);
    }

    pub(super) fn bit_range(&mut self, bits: BitRange) {
        put!(self, " bits {} width {}", bits.offset, bits.width);
        if bits.before != 0 || bits.after != 0 {
            put!(self, " beside {} {}", bits.before, bits.after);
        }
    }

    fn word_and_operand(&mut self, word: &str, operand: Operand, expected: Option<Ty>) {
        self.out.push_str(word);
        self.operand(operand, expected);
    }

    fn word_and_text(&mut self, word: &str, text: &str) {
        self.out.push_str(word);
        write_text(text, &mut self.out);
    }
}

fn access_suffix(access: Access) -> String {
    let volatile = if access.is_volatile { ".volatile" } else { "" };
    match access.atomic {
        None => volatile.into(),
        Some(order) => format!("{volatile}.{}", order.word()),
    }
}
