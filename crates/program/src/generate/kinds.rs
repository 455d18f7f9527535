//! Names of the variants of instructions and their parts, to measure the coverage of random programs.
//!
//! The match is exhaustive, so that a new variant has to be named here, and then be generated.

use std::collections::BTreeSet;

use crate::program::*;
use crate::visit;

macro_rules! kinds {
    ($($name:ident, $all:ident, $kind:ident { $($variant:ident)* })*) => {
        $(
            fn $name(it: &$kind) -> &'static str {
                match it {
                    $($kind::$variant { .. } => concat!(stringify!($kind), "::", stringify!($variant)),)*
                }
            }

            const $all: &[&str] = &[$(concat!(stringify!($kind), "::", stringify!($variant))),*];
        )*

        /// All names.
        pub fn all() -> BTreeSet<&'static str> {
            [$($all),*].into_iter().flatten().copied().collect()
        }
    };
}

kinds! {
    stmt_kind, STMTS, StmtKind {
        Assign Load Store LoadBits StoreBits MemCopy MemSet MemAny SlotLive SlotDead Alloc Free ObjectSize Call Choose
        Assume Assert CheckIndex Note Unmodelled Output AtomicRmw AtomicCas Fence AtomicBegin AtomicEnd Wait Spawn
        SelfThread ThreadEnded Progress Hold SetJump LongJump Interrupts
    }
    terminator_kind, TERMINATORS, Terminator {
        Goto Branch Switch IndirectGoto Return Exit EndThread Unreachable
    }
    rvalue_kind, RVALUES, Rvalue { Use Binary Checked Overflows Unary Compare Cast PtrAdd PtrDiff Select }
    operand_kind, OPERANDS, Operand { Reg Bits Null Address Slot Undef }
    address_kind, ADDRESSES, Address { Global Func Label }
    binary_kind, BINARIES, BinOp {
        Add Sub Mul SDiv UDiv SRem URem Shl LShr AShr And Or Xor FAdd FSub FMul FDiv FRem
    }
    unary_kind, UNARIES, UnOp {
        Neg NegChecked Not FNeg FAbs FSqrt FFloor FCeil FTrunc FRound FRint Clz Ctz Popcount Bswap
    }
    compare_kind, COMPARISONS, CmpOp { Eq Ne SLt SLe SGt SGe ULt ULe UGt UGe FEq FNe FLt FLe FGt FGe FUno }
    cast_kind, CASTS, CastOp {
        ZeroExtend SignExtend Truncate SignedToFloat UnsignedToFloat FloatToSigned FloatToUnsigned FloatToFloat PtrToInt
        IntToPtr Bitcast
    }
    rmw_kind, RMWS, RmwOp { Exchange Add Sub And Or Xor Nand }
    order_kind, ORDERS, Order { Relaxed Consume Acquire Release AcqRel SeqCst }
    lock_kind, LOCKS, LockOp { Take Get Give }
    interrupt_kind, INTERRUPTS, InterruptOp { Enter Leave Set Nest Get }
    alloc_kind, ALLOCS, AllocKind { Heap Stack }
    contents_kind, CONTENTS, Contents { Indeterminate Zero Any }
    ty_kind, TYPES, Ty { Int F32 F64 F80 F128 Ptr }
}

/// Adds the names of what an instruction has.
pub fn add_stmt(kind: &StmtKind, found: &mut BTreeSet<&'static str>) {
    found.insert(stmt_kind(kind));
    visit::operands(kind, |operand| add_operand(operand, found));
    match kind {
        StmtKind::Assign(_, rvalue) => add_rvalue(rvalue, found),
        StmtKind::Load { access, .. } | StmtKind::LoadBits { access, .. } | StmtKind::StoreBits { access, .. } => {
            found.extend(access.atomic.as_ref().map(order_kind));
        }
        StmtKind::Store { access, ty, .. } => {
            found.extend(access.atomic.as_ref().map(order_kind));
            found.insert(ty_kind(ty));
        }
        StmtKind::Alloc { kind, contents, .. } => found.extend([alloc_kind(kind), contents_kind(contents)]),
        StmtKind::Free { kind, .. } => found.extend([alloc_kind(kind)]),
        StmtKind::AtomicRmw { op, order, .. } => found.extend([rmw_kind(op), order_kind(order)]),
        StmtKind::AtomicCas { order, .. } | StmtKind::Fence(order) => found.extend([order_kind(order)]),
        StmtKind::Hold { op, .. } => found.extend([lock_kind(op)]),
        StmtKind::Interrupts { op, .. } => found.extend([interrupt_kind(op)]),
        StmtKind::MemCopy { .. }
        | StmtKind::MemSet { .. }
        | StmtKind::MemAny { .. }
        | StmtKind::SlotLive(_)
        | StmtKind::SlotDead(_)
        | StmtKind::ObjectSize { .. }
        | StmtKind::Call { .. }
        | StmtKind::Choose { .. }
        | StmtKind::Assume(_)
        | StmtKind::Assert { .. }
        | StmtKind::CheckIndex { .. }
        | StmtKind::Note(_)
        | StmtKind::Unmodelled(_)
        | StmtKind::Output { .. }
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::Wait(_)
        | StmtKind::Spawn { .. }
        | StmtKind::SelfThread(_)
        | StmtKind::ThreadEnded { .. }
        | StmtKind::Progress
        | StmtKind::SetJump { .. }
        | StmtKind::LongJump { .. } => {}
    }
}

/// Adds the names of what a terminator has.
pub fn add_terminator(terminator: &Terminator, found: &mut BTreeSet<&'static str>) {
    found.insert(terminator_kind(terminator));
    visit::terminator_operands(terminator, |operand| add_operand(operand, found));
}

fn add_operand(operand: &Operand, found: &mut BTreeSet<&'static str>) {
    found.insert(operand_kind(operand));
    match operand {
        Operand::Bits(ty, _) | Operand::Undef(ty) => found.extend([ty_kind(ty)]),
        Operand::Address(address) => found.extend([address_kind(address)]),
        Operand::Reg(_) | Operand::Null | Operand::Slot(_) => {}
    }
}

fn add_rvalue(rvalue: &Rvalue, found: &mut BTreeSet<&'static str>) {
    found.insert(rvalue_kind(rvalue));
    match rvalue {
        Rvalue::Binary(op, ty, ..) | Rvalue::Checked(op, ty, ..) | Rvalue::Overflows { op, ty, .. } => {
            found.extend([binary_kind(op), ty_kind(ty)]);
        }
        Rvalue::Unary(op, ty, _) => found.extend([unary_kind(op), ty_kind(ty)]),
        Rvalue::Compare(op, ty, ..) => found.extend([compare_kind(op), ty_kind(ty)]),
        Rvalue::Cast(op, from, to, _) => found.extend([cast_kind(op), ty_kind(from), ty_kind(to)]),
        Rvalue::Use(_) | Rvalue::PtrAdd { .. } | Rvalue::PtrDiff { .. } | Rvalue::Select { .. } => {}
    }
}
