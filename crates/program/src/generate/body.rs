//! Random instructions and terminators.

use super::{Generator, TYPES};
use crate::ViolationKind;
use crate::program::*;

const INTS: [Ty; 7] = [Ty::Int(32), Ty::Int(1), Ty::Int(64), Ty::Int(8), Ty::Int(128), Ty::Int(16), Ty::Int(7)];
const FLOATS: [Ty; 4] = [Ty::F64, Ty::F32, Ty::F80, Ty::F128];
const WHOLE_BYTES: [Ty; 5] = [Ty::Int(32), Ty::Int(64), Ty::Int(8), Ty::Int(128), Ty::Int(16)];
const ORDERS: [Order; 6] =
    [Order::SeqCst, Order::Relaxed, Order::Consume, Order::Acquire, Order::Release, Order::AcqRel];
const FALLIBLE: [BinOp; 10] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::SDiv,
    BinOp::UDiv,
    BinOp::SRem,
    BinOp::URem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
];
const FLOATING: [BinOp; 5] = [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem];
const INT_UNARY: [UnOp; 6] = [UnOp::Neg, UnOp::NegChecked, UnOp::Not, UnOp::Clz, UnOp::Ctz, UnOp::Popcount];
const FLOAT_UNARY: [UnOp; 8] =
    [UnOp::FNeg, UnOp::FAbs, UnOp::FSqrt, UnOp::FFloor, UnOp::FCeil, UnOp::FTrunc, UnOp::FRound, UnOp::FRint];
const POINTER_COMPARE: [CmpOp; 6] = [CmpOp::Eq, CmpOp::Ne, CmpOp::ULt, CmpOp::ULe, CmpOp::UGt, CmpOp::UGe];
const SIGNED_COMPARE: [CmpOp; 4] = [CmpOp::SLt, CmpOp::SLe, CmpOp::SGt, CmpOp::SGe];
const FLOAT_COMPARE: [CmpOp; 7] = [CmpOp::FEq, CmpOp::FNe, CmpOp::FLt, CmpOp::FLe, CmpOp::FGt, CmpOp::FGe, CmpOp::FUno];
const RMW: [RmwOp; 7] = [RmwOp::Exchange, RmwOp::Add, RmwOp::Sub, RmwOp::And, RmwOp::Or, RmwOp::Xor, RmwOp::Nand];

impl Generator<'_> {
    pub(super) fn body(&mut self, function: FuncId) {
        for _ in 0..self.n_blocks[function.0 as usize] {
            let n_stmts = self.below(8);
            let stmts = (0..n_stmts).map(|_| Stmt { kind: self.stmt(function), loc: self.loc() }).collect();
            let loop_head = if self.below(4) == 3 { Some(self.loc()) } else { None };
            let block = Block { stmts, terminator: self.terminator(function), loc: self.loc(), loop_head };
            self.program.functions[function].blocks.push(block);
        }
    }

    fn reg(&mut self, function: FuncId, ty: Ty) -> RegId {
        let regs = &self.program.functions[function].regs;
        let fitting: Vec<RegId> = regs.iter_enumerated().filter(|(_, reg)| reg.ty == ty).map(|(id, _)| id).collect();
        self.pick(&fitting)
    }

    fn slot(&mut self, function: FuncId) -> SlotId {
        SlotId(self.below(self.program.functions[function].slots.len()) as u32)
    }

    fn block(&mut self, function: FuncId) -> BlockId {
        BlockId(self.below(self.n_blocks[function.0 as usize] as usize) as u32)
    }

    fn word(&self) -> Ty {
        Ty::Int(self.program.pointer_bytes * 8)
    }

    fn operand(&mut self, function: FuncId, ty: Ty) -> Operand {
        match self.below(4) {
            0 => Operand::Reg(self.reg(function, ty)),
            1 => Operand::Undef(ty),
            2 | 3 if ty == Ty::Ptr => match self.below(3) {
                0 => Operand::Null,
                1 => Operand::Slot(self.slot(function)),
                _ => Operand::Address(self.address(self.program.globals.len() as u32)),
            },
            _ => Operand::Bits(ty, self.bits(ty)),
        }
    }

    fn bits(&mut self, ty: Ty) -> u128 {
        let width = match ty {
            Ty::Int(width) => u32::from(width),
            Ty::F32 => 32,
            Ty::F64 => 64,
            Ty::F80 => 80,
            Ty::F128 | Ty::Ptr => 128,
        };
        self.number() >> (128 - width)
    }

    fn any_operand(&mut self, function: FuncId) -> Operand {
        let ty = self.pick(&TYPES);
        self.operand(function, ty)
    }

    fn pointer(&mut self, function: FuncId) -> Operand {
        self.operand(function, Ty::Ptr)
    }

    fn access(&mut self) -> Access {
        Access { is_volatile: self.flag(), atomic: self.order_or_none() }
    }

    fn order_or_none(&mut self) -> Option<Order> {
        if self.flag() { Some(self.pick(&ORDERS)) } else { None }
    }

    fn stmt(&mut self, function: FuncId) -> StmtKind {
        match self.below(3) {
            0 => self.assign(function),
            1 => self.memory(function),
            _ => self.other(function),
        }
    }

    fn assign(&mut self, f: FuncId) -> StmtKind {
        let (ty, rvalue) = match self.below(12) {
            0 => {
                let ty = self.pick(&TYPES);
                (ty, Rvalue::Use(self.operand(f, ty)))
            }
            1 => {
                let (ty, op) = (self.pick(&INTS), self.below(13));
                let op = *FALLIBLE.get(op).unwrap_or(&self.pick(&[BinOp::And, BinOp::Or, BinOp::Xor]));
                (ty, Rvalue::Binary(op, ty, self.operand(f, ty), self.operand(f, ty)))
            }
            2 => {
                let (ty, op) = (self.pick(&FLOATS), self.pick(&FLOATING));
                (ty, Rvalue::Binary(op, ty, self.operand(f, ty), self.operand(f, ty)))
            }
            3 => {
                let (ty, op) = (self.pick(&INTS), self.pick(&FALLIBLE));
                (ty, Rvalue::Checked(op, ty, self.operand(f, ty), self.operand(f, ty)))
            }
            4 => {
                let (ty, op) = (self.pick(&INTS), self.pick(&FALLIBLE[..3]));
                let (is_signed, left, right) = (self.flag(), self.operand(f, ty), self.operand(f, ty));
                (Ty::Int(1), Rvalue::Overflows { op, is_signed, ty, left, right })
            }
            5 => self.unary(f),
            6 => (Ty::Int(1), self.compare(f)),
            7 | 8 => self.cast(f),
            9 => {
                let stride = self.pick(&[1, 4, -8, i64::MAX, i64::MIN]);
                (Ty::Ptr, Rvalue::PtrAdd { base: self.pointer(f), index: self.operand(f, self.word()), stride })
            }
            10 => {
                let stride = self.pick(&[1, 12, u64::MAX]);
                (self.word(), Rvalue::PtrDiff { left: self.pointer(f), right: self.pointer(f), stride })
            }
            _ => {
                let (ty, cond) = (self.pick(&TYPES), self.operand(f, Ty::Int(1)));
                (ty, Rvalue::Select { cond, then: self.operand(f, ty), otherwise: self.operand(f, ty) })
            }
        };
        StmtKind::Assign(self.reg(f, ty), rvalue)
    }

    fn unary(&mut self, f: FuncId) -> (Ty, Rvalue) {
        let (ty, op) = match self.below(3) {
            0 => (self.pick(&INTS), self.pick(&INT_UNARY)),
            1 => (self.pick(&FLOATS), self.pick(&FLOAT_UNARY)),
            _ => (self.pick(&WHOLE_BYTES), UnOp::Bswap),
        };
        (ty, Rvalue::Unary(op, ty, self.operand(f, ty)))
    }

    fn compare(&mut self, f: FuncId) -> Rvalue {
        let (ty, op) = match self.below(4) {
            0 => (self.pick(&INTS), self.pick(&POINTER_COMPARE)),
            1 => (Ty::Ptr, self.pick(&POINTER_COMPARE)),
            2 => (self.pick(&INTS), self.pick(&SIGNED_COMPARE)),
            _ => (self.pick(&FLOATS), self.pick(&FLOAT_COMPARE)),
        };
        Rvalue::Compare(op, ty, self.operand(f, ty), self.operand(f, ty))
    }

    fn cast(&mut self, f: FuncId) -> (Ty, Rvalue) {
        let (op, from, to) = match self.below(9) {
            0 => (self.pick(&[CastOp::ZeroExtend, CastOp::SignExtend]), Ty::Int(8), self.pick(&WHOLE_BYTES)),
            1 => (CastOp::Truncate, Ty::Int(128), self.pick(&INTS)),
            2 => {
                let op = self.pick(&[CastOp::SignedToFloat, CastOp::UnsignedToFloat]);
                (op, self.pick(&INTS), self.pick(&FLOATS))
            }
            3 => {
                let op = self.pick(&[CastOp::FloatToSigned, CastOp::FloatToUnsigned]);
                (op, self.pick(&FLOATS), self.pick(&INTS))
            }
            4 => (CastOp::FloatToFloat, self.pick(&FLOATS), self.pick(&FLOATS)),
            5 => (CastOp::PtrToInt, Ty::Ptr, self.pick(&INTS)),
            6 => (CastOp::IntToPtr, self.pick(&INTS), Ty::Ptr),
            7 => (CastOp::Bitcast, Ty::F32, Ty::Int(32)),
            _ => (CastOp::Bitcast, Ty::Int(128), Ty::F128),
        };
        (to, Rvalue::Cast(op, from, to, self.operand(f, from)))
    }

    fn memory(&mut self, f: FuncId) -> StmtKind {
        let word = self.word();
        match self.below(14) {
            0 => {
                let ty = self.pick(&TYPES);
                StmtKind::Load { dst: self.reg(f, ty), addr: self.pointer(f), access: self.access() }
            }
            1 => {
                let ty = self.pick(&TYPES);
                StmtKind::Store { addr: self.pointer(f), value: self.operand(f, ty), ty, access: self.access() }
            }
            2 => {
                let (dst, addr) = (self.reg(f, Ty::Int(32)), self.pointer(f));
                let (bits, is_signed) = (self.bit_range(32), self.flag());
                StmtKind::LoadBits { dst, addr, bits, is_signed, access: self.access() }
            }
            3 => {
                let (addr, bits) = (self.pointer(f), self.bit_range(64));
                StmtKind::StoreBits { addr, bits, value: self.operand(f, Ty::Int(64)), access: self.access() }
            }
            4 => {
                let (dst, src, bytes) = (self.pointer(f), self.pointer(f), self.operand(f, word));
                StmtKind::MemCopy { dst, src, bytes, may_overlap: self.flag() }
            }
            5 => {
                let (dst, byte) = (self.pointer(f), self.operand(f, Ty::Int(8)));
                StmtKind::MemSet { dst, byte, bytes: self.operand(f, word) }
            }
            6 => StmtKind::SlotLive(self.slot(f)),
            7 => StmtKind::SlotDead(self.slot(f)),
            8 => {
                let (dst, bytes, align) = (self.reg(f, Ty::Ptr), self.operand(f, word), self.align());
                let kind = self.pick(&[AllocKind::Heap, AllocKind::Stack]);
                let contents = self.pick(&[Contents::Indeterminate, Contents::Zero, Contents::Any]);
                StmtKind::Alloc { dst, bytes, align, kind, contents }
            }
            9 => StmtKind::Free { addr: self.pointer(f), kind: self.pick(&[AllocKind::Heap, AllocKind::Stack]) },
            10 => StmtKind::ObjectSize {
                dst: self.reg(f, word),
                addr: self.pointer(f),
                element: self.flag().then(|| self.below(9) as u64),
            },
            11 => {
                let (stream, addr) = (self.operand(f, Ty::Int(32)), self.pointer(f));
                StmtKind::Output { stream, addr, bytes: self.operand(f, word) }
            }
            12 => {
                let (dst, bytes) = (self.pointer(f), self.operand(f, word));
                StmtKind::MemAny { dst, bytes, is_assumed: self.flag(), label: self.name() }
            }
            _ => {
                let (ty, op) = self.pick(&[(Ty::Ptr, RmwOp::Exchange), (Ty::Int(32), RmwOp::Add)]);
                let op = if ty == Ty::Ptr { op } else { self.pick(&RMW) };
                let (dst, addr, value) = (self.reg(f, ty), self.pointer(f), self.operand(f, ty));
                StmtKind::AtomicRmw { dst, op, addr, value, order: self.pick(&ORDERS) }
            }
        }
    }

    fn other(&mut self, f: FuncId) -> StmtKind {
        match self.below(13) {
            0 => self.call(f),
            1 => {
                let ty = self.pick(&TYPES);
                let range = match ty {
                    Ty::Int(7) => self.pick(&[None, Some((-64, 63)), Some((0, 127)), Some((5, 5))]),
                    Ty::Int(128) => self.pick(&[None, Some((i128::MIN, i128::MAX)), Some((-1, 0))]),
                    Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => None,
                };
                StmtKind::Choose { dst: self.reg(f, ty), range, label: self.name() }
            }
            2 => StmtKind::Assume(self.operand(f, Ty::Int(1))),
            3 => {
                let (cond, kind) = (self.operand(f, Ty::Int(1)), self.pick(&ViolationKind::ALL));
                StmtKind::Assert { cond, kind, message: self.name() }
            }
            4 => {
                let (index, len) = (self.operand(f, self.word()), self.number() as u64);
                StmtKind::CheckIndex { index, len, one_past: self.flag() }
            }
            5 => StmtKind::Note(self.name()),
            6 => StmtKind::Unmodelled(self.name()),
            7 => {
                let ty = self.pick(&TYPES[1..]);
                let ty = if ty == Ty::Int(1) { Ty::Int(32) } else { ty };
                let (dst, ok, addr) = (self.reg(f, ty), self.reg(f, Ty::Int(1)), self.pointer(f));
                let (expected, desired) = (self.operand(f, ty), self.operand(f, ty));
                let (is_weak, order) = (self.flag(), self.pick(&ORDERS));
                StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak, order }
            }
            8 => StmtKind::Fence(self.pick(&ORDERS)),
            9 => StmtKind::AtomicBegin,
            10 => StmtKind::AtomicEnd,
            11 => StmtKind::Progress,
            _ => self.concurrency(f),
        }
    }

    fn concurrency(&mut self, f: FuncId) -> StmtKind {
        match self.below(8) {
            6 => StmtKind::SetJump { dst: self.reg(f, Ty::Int(32)), addr: self.pointer(f), anchor: self.slot(f) },
            7 => StmtKind::LongJump { addr: self.pointer(f), value: self.operand(f, Ty::Int(32)) },
            0 => StmtKind::Wait(self.operand(f, Ty::Int(1))),
            1 => {
                let callee = self.pointer(f);
                let (callee, args) = self.arguments(f, callee);
                StmtKind::Spawn { dst: self.reg(f, Ty::Int(32)), callee, args }
            }
            2 => StmtKind::SelfThread(self.reg(f, Ty::Int(32))),
            3 => StmtKind::ThreadEnded { dst: self.reg(f, Ty::Int(1)), thread: self.operand(f, Ty::Int(32)) },
            4 => {
                let op = self.pick(&[LockOp::Take, LockOp::Get, LockOp::Give]);
                StmtKind::Hold { addr: self.pointer(f), op, is_exclusive: self.flag() }
            }
            _ => {
                use InterruptOp as Op;
                let op = self.pick(&[Op::Enter, Op::Leave, Op::Set, Op::Nest, Op::Get]);
                let dst = self.reg(f, Ty::Int(32));
                StmtKind::Interrupts { dst, op, value: self.operand(f, Ty::Int(32)) }
            }
        }
    }

    fn call(&mut self, f: FuncId) -> StmtKind {
        let callee = if self.flag() {
            self.pointer(f)
        } else {
            Operand::Address(Address::Func(FuncId(self.below(self.n_blocks.len()) as u32)))
        };
        let (callee, args) = self.arguments(f, callee);
        let result = match callee {
            Operand::Address(Address::Func(id)) => self.program.functions[id].ret,
            Operand::Reg(_)
            | Operand::Bits(..)
            | Operand::Null
            | Operand::Address(_)
            | Operand::Slot(_)
            | Operand::Undef(_) => Some(self.pick(&TYPES)),
        };
        let dst = if self.flag() { result.map(|ty| self.reg(f, ty)) } else { None };
        StmtKind::Call { dst, callee, args }
    }

    /// Arguments that fit the callee, if it is known.
    fn arguments(&mut self, f: FuncId, callee: Operand) -> (Operand, Vec<Operand>) {
        let args = match callee {
            Operand::Address(Address::Func(id)) => {
                let target = &self.program.functions[id];
                let tys: Vec<Ty> = target.params.iter().map(|param| target.regs[*param].ty).collect();
                tys.into_iter().map(|ty| self.operand(f, ty)).collect()
            }
            Operand::Reg(_)
            | Operand::Bits(..)
            | Operand::Null
            | Operand::Address(_)
            | Operand::Slot(_)
            | Operand::Undef(_) => (0..self.below(4)).map(|_| self.any_operand(f)).collect(),
        };
        (callee, args)
    }

    fn terminator(&mut self, f: FuncId) -> Terminator {
        match self.below(9) {
            0 => {
                let ret = self.program.functions[f].ret;
                Terminator::Return(ret.map(|ty| self.operand(f, ty)))
            }
            1 => Terminator::Goto(self.block(f)),
            2 => {
                let cond = self.operand(f, Ty::Int(1));
                Terminator::Branch { cond, then: self.block(f), otherwise: self.block(f) }
            }
            3 | 4 => self.switch(f),
            5 => Terminator::IndirectGoto { addr: self.pointer(f), targets: Vec::new() },
            6 => Terminator::Exit { code: self.operand(f, Ty::Int(32)), is_abort: self.flag() },
            7 => Terminator::EndThread,
            _ => Terminator::Unreachable,
        }
    }

    fn switch(&mut self, f: FuncId) -> Terminator {
        let ty = self.pick(&INTS);
        let mut bounds: Vec<u128> = (0..2 * self.below(8)).map(|_| self.bits(ty)).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let is_reversed = self.flag();
        let mut cases = Vec::new();
        for pair in bounds.chunks(2) {
            let (low, high) = (pair[0], *pair.last().unwrap_or(&pair[0]));
            let high = if self.flag() { high } else { low };
            cases.push((low, high, self.block(f)));
        }
        if is_reversed {
            cases.reverse();
        }
        Terminator::Switch { value: self.operand(f, ty), ty, cases, default: self.block(f) }
    }
}
