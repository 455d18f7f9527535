//! Changing what instructions read and write, in place.

use unpick_ir::program::{Operand, RecvField, RegId, Rvalue, StmtKind, Terminator};

/// Visits every operand an instruction reads.
pub(super) fn operands(kind: &mut StmtKind, visit: &mut dyn FnMut(&mut Operand)) {
    match kind {
        StmtKind::Assign(_, rvalue) => rvalue_operands(rvalue, visit),
        StmtKind::Load { addr, .. }
        | StmtKind::LoadBits { addr, .. }
        | StmtKind::Free { addr, .. }
        | StmtKind::ObjectSize { addr, .. } => visit(addr),
        StmtKind::Store { addr, value, .. }
        | StmtKind::StoreBits { addr, value, .. }
        | StmtKind::AtomicRmw { addr, value, .. } => {
            visit(addr);
            visit(value);
        }
        StmtKind::MemCopy { dst, src, bytes, .. } => [dst, src, bytes].into_iter().for_each(visit),
        StmtKind::MemSet { dst, byte, bytes } => [dst, byte, bytes].into_iter().for_each(visit),
        StmtKind::Alloc { bytes, .. } => visit(bytes),
        StmtKind::Call { callee, args, .. } | StmtKind::Spawn { callee, args, .. } => {
            visit(callee);
            args.iter_mut().for_each(visit);
        }
        StmtKind::Assume(cond) | StmtKind::Assert { cond, .. } | StmtKind::Wait(cond) => visit(cond),
        StmtKind::CheckIndex { index, .. } => visit(index),
        StmtKind::Output { stream, addr, bytes } => [stream, addr, bytes].into_iter().for_each(visit),
        StmtKind::AtomicCas { addr, expected, desired, .. } => [addr, expected, desired].into_iter().for_each(visit),
        StmtKind::ThreadEnded { thread, .. } => visit(thread),
        StmtKind::Send { chan, values, .. } => {
            visit(chan);
            values.iter_mut().for_each(visit);
        }
        StmtKind::Recv { chan, fields, .. } => {
            visit(chan);
            fields.iter_mut().for_each(|field| match field {
                RecvField::Match(operand) => visit(operand),
                RecvField::Bind(_) | RecvField::Skip => {}
            });
        }
        StmtKind::ChanLen { chan, .. } => visit(chan),
        StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::Choose { .. }
        | StmtKind::Note(_)
        | StmtKind::Unmodelled(_)
        | StmtKind::Fence(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::SelfThread(_)
        | StmtKind::ChanNew { .. } => {}
    }
}

fn rvalue_operands(rvalue: &mut Rvalue, visit: &mut dyn FnMut(&mut Operand)) {
    match rvalue {
        Rvalue::Use(operand) | Rvalue::Unary(_, _, operand) | Rvalue::Cast(_, _, _, operand) => visit(operand),
        Rvalue::Binary(_, _, left, right)
        | Rvalue::Checked(_, _, left, right)
        | Rvalue::Overflows { left, right, .. }
        | Rvalue::Compare(_, _, left, right)
        | Rvalue::PtrDiff { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Rvalue::PtrAdd { base, index, .. } => {
            visit(base);
            visit(index);
        }
        Rvalue::Select { cond, then, otherwise } => [cond, then, otherwise].into_iter().for_each(visit),
    }
}

/// Visits every operand a terminator reads.
pub(super) fn terminator_operands(terminator: &mut Terminator, visit: &mut dyn FnMut(&mut Operand)) {
    match terminator {
        Terminator::Branch { cond: operand, .. }
        | Terminator::Switch { value: operand, .. }
        | Terminator::IndirectGoto { addr: operand, .. }
        | Terminator::Return(Some(operand))
        | Terminator::Exit { code: operand, .. } => visit(operand),
        Terminator::Goto(_)
        | Terminator::Select { .. }
        | Terminator::Return(None)
        | Terminator::EndThread
        | Terminator::Unreachable => {}
    }
}

/// Visits every register an instruction writes.
pub(super) fn written(kind: &mut StmtKind, visit: &mut dyn FnMut(&mut RegId)) {
    match kind {
        StmtKind::Assign(dst, _)
        | StmtKind::Load { dst, .. }
        | StmtKind::LoadBits { dst, .. }
        | StmtKind::Alloc { dst, .. }
        | StmtKind::ObjectSize { dst, .. }
        | StmtKind::Call { dst: Some(dst), .. }
        | StmtKind::Choose { dst, .. }
        | StmtKind::AtomicRmw { dst, .. }
        | StmtKind::Spawn { dst, .. }
        | StmtKind::SelfThread(dst)
        | StmtKind::ThreadEnded { dst, .. }
        | StmtKind::ChanNew { dst, .. }
        | StmtKind::ChanLen { dst, .. } => visit(dst),
        StmtKind::AtomicCas { dst, ok, .. } => {
            visit(dst);
            visit(ok);
        }
        StmtKind::Recv { fields, .. } => fields.iter_mut().for_each(|field| match field {
            RecvField::Bind(reg) => visit(reg),
            RecvField::Match(_) | RecvField::Skip => {}
        }),
        StmtKind::Call { dst: None, .. }
        | StmtKind::Store { .. }
        | StmtKind::StoreBits { .. }
        | StmtKind::MemCopy { .. }
        | StmtKind::MemSet { .. }
        | StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::Free { .. }
        | StmtKind::Assume(_)
        | StmtKind::Assert { .. }
        | StmtKind::CheckIndex { .. }
        | StmtKind::Note(_)
        | StmtKind::Unmodelled(_)
        | StmtKind::Output { .. }
        | StmtKind::Fence(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::Wait(_)
        | StmtKind::Send { .. } => {}
    }
}
