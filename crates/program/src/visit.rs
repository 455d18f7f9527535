//! Visitors over the parts of an instruction: operands read, registers written, successor blocks.
//!
//! Every match names all variants, so that a new instruction has to say here what it touches.

use crate::program::*;

/// The walks over operands and registers, once to look and once to change.
macro_rules! walks {
    ([$($change:tt)?] $iter:ident, $operands:ident, $rvalue_operands:ident, $terminator_operands:ident, $written:ident) => {
        /// Calls `visit` with every operand the instruction reads, in order.
        pub fn $operands(kind: &$($change)? StmtKind, mut visit: impl FnMut(&$($change)? Operand)) {
            match kind {
                StmtKind::Assign(_, rvalue) => $rvalue_operands(rvalue, visit),
                StmtKind::Load { addr, .. }
                | StmtKind::LoadBits { addr, .. }
                | StmtKind::Free { addr, .. }
                | StmtKind::SetJump { addr, .. }
                | StmtKind::ObjectSize { addr, .. } => visit(addr),
                StmtKind::Store { addr, value, .. }
                | StmtKind::StoreBits { addr, value, .. }
                | StmtKind::LongJump { addr, value }
                | StmtKind::AtomicRmw { addr, value, .. } => [addr, value].into_iter().for_each(visit),
                StmtKind::MemCopy { dst, src, bytes, .. } => [dst, src, bytes].into_iter().for_each(visit),
                StmtKind::MemAny { dst, bytes, .. } => [dst, bytes].into_iter().for_each(visit),
                StmtKind::MemSet { dst, byte, bytes } => [dst, byte, bytes].into_iter().for_each(visit),
                StmtKind::Alloc { bytes, .. } => visit(bytes),
                StmtKind::Call { callee, args, .. } | StmtKind::Spawn { callee, args, .. } => {
                    visit(callee);
                    args.$iter().for_each(visit);
                }
                StmtKind::Assume(cond) | StmtKind::Assert { cond, .. } | StmtKind::Wait(cond) => visit(cond),
                StmtKind::CheckIndex { index, .. } => visit(index),
                StmtKind::Output { stream, addr, bytes } => [stream, addr, bytes].into_iter().for_each(visit),
                StmtKind::AtomicCas { addr, expected, desired, .. } => {
                    [addr, expected, desired].into_iter().for_each(visit);
                }
                StmtKind::ThreadEnded { thread, .. } => visit(thread),
                StmtKind::Interrupts { value, .. } => visit(value),
                StmtKind::Hold { addr, .. } => visit(addr),
                StmtKind::SlotLive(_)
                | StmtKind::SlotDead(_)
                | StmtKind::Choose { .. }
                | StmtKind::Note(_)
                | StmtKind::Unmodelled(_)
                | StmtKind::Fence(_)
                | StmtKind::AtomicBegin
                | StmtKind::AtomicEnd
                | StmtKind::SelfThread(_)
                | StmtKind::Progress => {}
            }
        }

        /// Calls `visit` with every operand of a computation.
        pub fn $rvalue_operands(rvalue: &$($change)? Rvalue, mut visit: impl FnMut(&$($change)? Operand)) {
            match rvalue {
                Rvalue::Use(operand) | Rvalue::Unary(_, _, operand) | Rvalue::Cast(_, _, _, operand) => visit(operand),
                Rvalue::Binary(_, _, left, right)
                | Rvalue::Checked(_, _, left, right)
                | Rvalue::Overflows { left, right, .. }
                | Rvalue::Compare(_, _, left, right)
                | Rvalue::PtrAdd { base: left, index: right, .. }
                | Rvalue::PtrDiff { left, right, .. } => [left, right].into_iter().for_each(visit),
                Rvalue::Select { cond, then, otherwise } => [cond, then, otherwise].into_iter().for_each(visit),
            }
        }

        /// Calls `visit` with every operand the terminator reads.
        pub fn $terminator_operands(terminator: &$($change)? Terminator, mut visit: impl FnMut(&$($change)? Operand)) {
            match terminator {
                Terminator::Branch { cond: operand, .. }
                | Terminator::Switch { value: operand, .. }
                | Terminator::IndirectGoto { addr: operand, .. }
                | Terminator::Return(Some(operand))
                | Terminator::Exit { code: operand, .. } => visit(operand),
                Terminator::Goto(_)
                | Terminator::Return(None)
                | Terminator::EndThread
                | Terminator::Unreachable => {}
            }
        }

        /// Calls `visit` with every register the instruction writes.
        pub fn $written(kind: &$($change)? StmtKind, mut visit: impl FnMut(&$($change)? RegId)) {
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
                | StmtKind::Interrupts { dst, .. }
                | StmtKind::SetJump { dst, .. } => visit(dst),
                StmtKind::AtomicCas { dst, ok, .. } => [dst, ok].into_iter().for_each(visit),
                StmtKind::Store { .. }
                | StmtKind::StoreBits { .. }
                | StmtKind::MemCopy { .. }
                | StmtKind::MemSet { .. }
                | StmtKind::MemAny { .. }
                | StmtKind::SlotLive(_)
                | StmtKind::SlotDead(_)
                | StmtKind::Free { .. }
                | StmtKind::Call { dst: None, .. }
                | StmtKind::Assume(_)
                | StmtKind::Assert { .. }
                | StmtKind::CheckIndex { .. }
                | StmtKind::Note(_)
                | StmtKind::Unmodelled(_)
                | StmtKind::Output { .. }
                | StmtKind::LongJump { .. }
                | StmtKind::Fence(_)
                | StmtKind::AtomicBegin
                | StmtKind::AtomicEnd
                | StmtKind::Hold { .. }
                | StmtKind::Progress
                | StmtKind::Wait(_) => {}
            }
        }
    };
}

walks!([] iter, operands, rvalue_operands, terminator_operands, written);
walks!([mut] iter_mut, operands_mut, rvalue_operands_mut, terminator_operands_mut, written_mut);

/// Calls `visit` with every block control may go to next within the function.
pub fn successors(terminator: &Terminator, mut visit: impl FnMut(BlockId)) {
    match terminator {
        Terminator::Goto(target) => visit(*target),
        Terminator::Branch { then, otherwise, .. } => [*then, *otherwise].into_iter().for_each(visit),
        Terminator::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, _, target)| visit(*target));
            visit(*default);
        }
        Terminator::IndirectGoto { targets, .. } => targets.iter().copied().for_each(visit),
        Terminator::Return(_) | Terminator::Exit { .. } | Terminator::EndThread | Terminator::Unreachable => {}
    }
}

/// Calls `visit` with every constant address in a function's code.
pub fn addresses(function: &Function, mut visit: impl FnMut(Address)) {
    let mut visit = |operand: &Operand| match operand {
        Operand::Address(address) => visit(*address),
        Operand::Reg(_) | Operand::Bits(..) | Operand::Null | Operand::Slot(_) | Operand::Undef(_) => {}
    };
    for block in function.blocks.iter() {
        block.stmts.iter().for_each(|stmt| operands(&stmt.kind, &mut visit));
        terminator_operands(&block.terminator, &mut visit);
    }
}
