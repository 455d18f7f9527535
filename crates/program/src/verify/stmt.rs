//! Rules about single instructions: ids exist and types agree.

use super::function::check_ty;
use super::operation::*;
use super::{Faults, item};
use crate::program::*;

/// One instruction's surroundings.
pub(super) struct Checker<'c> {
    pub(super) program: &'c Program,
    pub(super) function: &'c Function,
    pub(super) faults: &'c mut Faults,
}

const BOOL: Ty = Ty::Int(1);
const NUMBER: Ty = Ty::Int(32);

impl Checker<'_> {
    pub(super) fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign(dst, rvalue) => {
                if let Some(ty) = self.rvalue(rvalue, *dst) {
                    self.dst(*dst, ty);
                }
            }
            StmtKind::Load { dst, addr, access: _ } => {
                self.reg(*dst);
                self.operand(*addr, Ty::Ptr);
            }
            StmtKind::Store { addr, value, ty, access: _ } => {
                self.operand(*addr, Ty::Ptr);
                check_ty(*ty, self.faults);
                self.operand(*value, *ty);
            }
            StmtKind::LoadBits { dst, addr, bits, is_signed: _, access: _ } => {
                self.operand(*addr, Ty::Ptr);
                let ty = self.reg(*dst);
                self.bits(*bits, ty);
            }
            StmtKind::StoreBits { addr, bits, value, access: _ } => {
                self.operand(*addr, Ty::Ptr);
                let ty = self.operand_ty(*value);
                self.bits(*bits, ty);
            }
            StmtKind::MemCopy { dst, src, bytes, may_overlap: _ } => {
                self.operand(*dst, Ty::Ptr);
                self.operand(*src, Ty::Ptr);
                self.operand(*bytes, self.word());
            }
            StmtKind::MemSet { dst, byte, bytes } => {
                self.operand(*dst, Ty::Ptr);
                self.operand(*byte, Ty::Int(8));
                self.operand(*bytes, self.word());
            }
            StmtKind::MemAny { dst, bytes, is_assumed: _, label: _ } => {
                self.operand(*dst, Ty::Ptr);
                self.operand(*bytes, self.word());
            }
            StmtKind::SlotLive(slot) | StmtKind::SlotDead(slot) => self.slot(*slot),
            StmtKind::Alloc { dst, bytes, align, kind: _, contents: _ } => {
                self.dst(*dst, Ty::Ptr);
                self.operand(*bytes, self.word());
                item::check_align(*align, self.faults);
            }
            StmtKind::Free { addr, kind: _ } => self.operand(*addr, Ty::Ptr),
            StmtKind::SetJump { dst, addr, anchor } => {
                self.dst(*dst, NUMBER);
                self.operand(*addr, Ty::Ptr);
                self.slot(*anchor);
            }
            StmtKind::LongJump { addr, value } => {
                self.operand(*addr, Ty::Ptr);
                self.operand(*value, NUMBER);
            }
            StmtKind::ObjectSize { dst, addr, element: _ } => {
                self.dst(*dst, self.word());
                self.operand(*addr, Ty::Ptr);
            }
            StmtKind::Call { dst, callee, args } => self.call(*dst, *callee, args),
            StmtKind::Choose { dst, range, label: _ } => self.choose(*dst, *range),
            StmtKind::Assume(cond) | StmtKind::Wait(cond) => self.operand(*cond, BOOL),
            StmtKind::Assert { cond, kind: _, message: _ } => self.operand(*cond, BOOL),
            StmtKind::CheckIndex { index, len: _, one_past: _ } => self.operand(*index, self.word()),
            StmtKind::Note(_) | StmtKind::Unmodelled(_) => {}
            StmtKind::Output { stream, addr, bytes } => {
                self.operand(*stream, NUMBER);
                self.operand(*addr, Ty::Ptr);
                self.operand(*bytes, self.word());
            }
            StmtKind::AtomicRmw { .. }
            | StmtKind::AtomicCas { .. }
            | StmtKind::Fence(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Spawn { .. }
            | StmtKind::SelfThread(_)
            | StmtKind::Hold { .. }
            | StmtKind::Progress
            | StmtKind::ThreadEnded { .. }
            | StmtKind::Interrupts { .. } => self.concurrency(kind),
        }
    }

    fn concurrency(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::AtomicRmw { dst, op, addr, value, order: _ } => {
                self.operand(*addr, Ty::Ptr);
                let Some(ty) = self.reg(*dst) else { return };
                self.operand(*value, ty);
                let fits = is_int(ty) || *op == RmwOp::Exchange;
                self.faults.require("operation", fits, || format!("{op:?} of {ty:?}"));
            }
            StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak: _, order: _ } => {
                self.operand(*addr, Ty::Ptr);
                self.dst(*ok, BOOL);
                self.faults.require("id", dst != ok, || format!("{dst:?} receives two results"));
                let Some(ty) = self.reg(*dst) else { return };
                self.operand(*expected, ty);
                self.operand(*desired, ty);
            }
            StmtKind::Spawn { dst, callee, args } => {
                self.dst(*dst, NUMBER);
                self.call(None, *callee, args);
            }
            StmtKind::SelfThread(dst) => self.dst(*dst, NUMBER),
            StmtKind::Hold { addr, op: _, is_exclusive: _ } => self.operand(*addr, Ty::Ptr),
            StmtKind::ThreadEnded { dst, thread } => {
                self.dst(*dst, BOOL);
                self.operand(*thread, NUMBER);
            }
            StmtKind::Interrupts { dst, op: _, value } => {
                self.dst(*dst, NUMBER);
                self.operand(*value, NUMBER);
            }
            StmtKind::Fence(_) | StmtKind::AtomicBegin | StmtKind::AtomicEnd | StmtKind::Progress => {}
            other => unreachable!("{other:?} should have been checked elsewhere"),
        }
    }

    /// Checks a computation and returns the type of its result.
    fn rvalue(&mut self, rvalue: &Rvalue, dst: RegId) -> Option<Ty> {
        match rvalue {
            Rvalue::Use(operand) => self.operand_ty(*operand),
            Rvalue::Binary(op, ty, left, right) => {
                self.two(*ty, *left, *right);
                self.operation(binary_fits(*op, *ty), op, *ty);
                Some(*ty)
            }
            Rvalue::Checked(op, ty, left, right) => {
                self.two(*ty, *left, *right);
                self.operation(binary_fits(*op, *ty) && can_be_checked(*op), op, *ty);
                Some(*ty)
            }
            Rvalue::Overflows { op, is_signed: _, ty, left, right } => {
                self.two(*ty, *left, *right);
                let can_overflow = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul);
                self.operation(binary_fits(*op, *ty) && can_overflow, op, *ty);
                Some(BOOL)
            }
            Rvalue::Unary(op, ty, operand) => {
                check_ty(*ty, self.faults);
                self.operand(*operand, *ty);
                self.operation(unary_fits(*op, *ty), op, *ty);
                Some(*ty)
            }
            Rvalue::Compare(op, ty, left, right) => {
                self.two(*ty, *left, *right);
                self.operation(compare_fits(*op, *ty), op, *ty);
                Some(BOOL)
            }
            Rvalue::Cast(op, from, to, operand) => {
                check_ty(*from, self.faults);
                check_ty(*to, self.faults);
                self.operand(*operand, *from);
                let fits = cast_fits(*op, *from, *to, self.program.pointer_bytes);
                self.faults.require("operation", fits, || format!("{op:?} from {from:?} to {to:?}"));
                Some(*to)
            }
            Rvalue::PtrAdd { base, index, stride: _ } => {
                self.operand(*base, Ty::Ptr);
                self.operand(*index, self.word());
                Some(Ty::Ptr)
            }
            Rvalue::PtrDiff { left, right, stride } => {
                self.operand(*left, Ty::Ptr);
                self.operand(*right, Ty::Ptr);
                self.faults.require("operation", *stride > 0, || "a difference in steps of nothing".into());
                Some(self.word())
            }
            Rvalue::Select { cond, then, otherwise } => {
                self.operand(*cond, BOOL);
                let ty = self.reg(dst)?;
                self.two(ty, *then, *otherwise);
                Some(ty)
            }
        }
    }

    fn two(&mut self, ty: Ty, left: Operand, right: Operand) {
        check_ty(ty, self.faults);
        self.operand(left, ty);
        self.operand(right, ty);
    }

    fn operation(&mut self, fits: bool, op: &dyn std::fmt::Debug, ty: Ty) {
        self.faults.require("operation", fits, || format!("{op:?} of {ty:?}"));
    }

    fn call(&mut self, dst: Option<RegId>, callee: Operand, args: &[Operand]) {
        self.operand(callee, Ty::Ptr);
        let tys: Vec<Option<Ty>> = args.iter().map(|arg| self.operand_ty(*arg)).collect();
        let dst_ty = dst.and_then(|dst| self.reg(dst));
        let Operand::Address(Address::Func(id)) = callee else { return };
        let Some(callee) = self.program.functions.get(id) else { return };
        let name = &callee.name;
        self.faults.require("call", args.len() == callee.params.len(), || {
            format!("`{name}` has {} parameters but is given {} arguments", callee.params.len(), args.len())
        });
        for (index, (ty, param)) in tys.iter().zip(&callee.params).enumerate() {
            let param_ty = callee.regs.get(*param).map(|reg| reg.ty);
            let agrees = ty.is_none() || param_ty.is_none() || *ty == param_ty;
            self.faults.require("call", agrees, || {
                format!("argument {index} of `{name}` is {ty:?} but the parameter is {param_ty:?}")
            });
        }
        if dst_ty.is_some() {
            self.faults.require("call", dst_ty == callee.ret, || {
                format!("`{name}` returns {:?} but the destination is {dst_ty:?}", callee.ret)
            });
        }
    }

    fn choose(&mut self, dst: RegId, range: Option<(i128, i128)>) {
        let (Some(ty), Some((low, high))) = (self.reg(dst), range) else { return };
        let fits = matches!(ty, Ty::Int(width) if range_fits(low, high, width));
        self.faults.require("range", fits, || format!("{low} to {high} is no range of {ty:?}"));
    }

    fn bits(&mut self, bits: BitRange, ty: Option<Ty>) {
        check_bits(bits, self.faults);
        let Some(ty) = ty else { return };
        let fits = matches!(ty, Ty::Int(width) if width >= bits.width);
        self.faults.require("bits", fits, || format!("{} bits do not fit {ty:?}", bits.width));
    }

    pub(super) fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Goto(target) => self.block(*target),
            Terminator::Branch { cond, then, otherwise } => {
                self.operand(*cond, BOOL);
                self.block(*then);
                self.block(*otherwise);
            }
            Terminator::Switch { value, ty, cases, default } => {
                check_ty(*ty, self.faults);
                self.operand(*value, *ty);
                self.block(*default);
                self.cases(*ty, cases);
            }
            Terminator::IndirectGoto { addr, targets } => {
                self.operand(*addr, Ty::Ptr);
                targets.iter().for_each(|target| self.block(*target));
            }
            Terminator::Return(value) => self.return_value(*value),
            Terminator::Exit { code, is_abort: _ } => self.operand(*code, NUMBER),
            Terminator::EndThread | Terminator::Unreachable => {}
        }
    }

    fn return_value(&mut self, value: Option<Operand>) {
        match (value, self.function.ret) {
            (Some(value), Some(ty)) => {
                let found = self.operand_ty(value);
                self.faults.require("return", found.is_none_or(|found| found == ty), || {
                    format!("returns {found:?} but the result is {ty:?}")
                });
            }
            (None, None) => {}
            (Some(_), None) => self.faults.add("return", "returns a value but the function has no result"),
            (None, Some(ty)) => self.faults.add("return", format!("returns nothing but the result is {ty:?}")),
        }
    }

    fn cases(&mut self, ty: Ty, cases: &[(u128, u128, BlockId)]) {
        let Ty::Int(width) = ty else { return self.faults.add("switch", format!("a switch on {ty:?}")) };
        let max = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let mut ranges: Vec<(u128, u128)> = Vec::with_capacity(cases.len());
        for (low, high, target) in cases {
            self.block(*target);
            self.faults
                .require("switch", low <= high && *high <= max, || format!("{low} to {high} is no range of {ty:?}"));
            ranges.push((*low, *high));
        }
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            let is_disjoint = pair[0].1 < pair[1].0;
            self.faults.require("switch", is_disjoint, || format!("two cases hold {}", pair[1].0));
        }
    }

    fn word(&self) -> Ty {
        Ty::Int(self.program.pointer_bytes.saturating_mul(8))
    }

    /// The type of an existing register.
    fn reg(&mut self, reg: RegId) -> Option<Ty> {
        let ty = self.function.regs.get(reg).map(|reg| reg.ty);
        self.faults.require("id", ty.is_some(), || format!("register {reg:?} does not exist"));
        ty
    }

    fn slot(&mut self, slot: SlotId) {
        let exists = self.function.slots.get(slot).is_some();
        self.faults.require("id", exists, || format!("{slot:?} does not exist"));
    }

    fn block(&mut self, block: BlockId) {
        let exists = self.function.blocks.get(block).is_some();
        self.faults.require("id", exists, || format!("block {block:?} does not exist"));
    }

    /// A destination has to have the type of what it receives.
    fn dst(&mut self, dst: RegId, ty: Ty) {
        let found = self.reg(dst);
        self.faults.require("type", found.is_none_or(|found| found == ty), || {
            format!("{dst:?} is {found:?} but receives {ty:?}")
        });
    }

    fn operand(&mut self, operand: Operand, ty: Ty) {
        let found = self.operand_ty(operand);
        self.faults.require("type", found.is_none_or(|found| found == ty), || {
            format!("{operand:?} is {found:?} where {ty:?} is needed")
        });
    }

    /// Checks an operand on its own and returns its type.
    fn operand_ty(&mut self, operand: Operand) -> Option<Ty> {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Bits(ty, bits) => {
                check_ty(ty, self.faults);
                let width = width(ty, self.program.pointer_bytes);
                let fits = ty != Ty::Ptr && (width >= 128 || bits >> width == 0);
                self.faults.require("constant", fits, || format!("{bits:#x} is no constant of {ty:?}"));
                Some(ty)
            }
            Operand::Null => Some(Ty::Ptr),
            Operand::Address(address) => {
                item::check_address(self.program, address, self.faults);
                Some(Ty::Ptr)
            }
            Operand::Slot(slot) => {
                self.slot(slot);
                Some(Ty::Ptr)
            }
            Operand::Undef(ty) => {
                check_ty(ty, self.faults);
                Some(ty)
            }
        }
    }
}
