//! Random instructions with operands that mostly let them succeed.

use super::TYPES;
use super::code::{BOOL, Code, NUMBER};
use crate::ViolationKind;
use crate::program::*;

const INTS: [Ty; 8] = [NUMBER, Ty::Int(64), Ty::Int(8), Ty::Int(16), Ty::Int(128), Ty::Int(33), Ty::Int(7), Ty::Int(1)];
const FLOATS: [Ty; 4] = [Ty::F32, Ty::F64, Ty::F80, Ty::F128];
const WHOLE_BYTES: [Ty; 5] = [NUMBER, Ty::Int(64), Ty::Int(8), Ty::Int(16), Ty::Int(128)];
const ORDERS: [Order; 6] =
    [Order::SeqCst, Order::Relaxed, Order::Consume, Order::Acquire, Order::Release, Order::AcqRel];
const WRAPPING: [BinOp; 6] = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::And, BinOp::Or, BinOp::Xor];
const DIVIDING: [BinOp; 4] = [BinOp::SDiv, BinOp::UDiv, BinOp::SRem, BinOp::URem];
const SHIFTING: [BinOp; 3] = [BinOp::Shl, BinOp::LShr, BinOp::AShr];
const FLOATING: [BinOp; 5] = [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem];
const INT_UNARY: [UnOp; 6] = [UnOp::Neg, UnOp::NegChecked, UnOp::Not, UnOp::Clz, UnOp::Ctz, UnOp::Popcount];
const FLOAT_UNARY: [UnOp; 8] =
    [UnOp::FNeg, UnOp::FAbs, UnOp::FSqrt, UnOp::FFloor, UnOp::FCeil, UnOp::FTrunc, UnOp::FRound, UnOp::FRint];
const INT_COMPARE: [CmpOp; 10] = [
    CmpOp::Eq,
    CmpOp::Ne,
    CmpOp::SLt,
    CmpOp::SLe,
    CmpOp::SGt,
    CmpOp::SGe,
    CmpOp::ULt,
    CmpOp::ULe,
    CmpOp::UGt,
    CmpOp::UGe,
];
const FLOAT_COMPARE: [CmpOp; 7] = [CmpOp::FEq, CmpOp::FNe, CmpOp::FLt, CmpOp::FLe, CmpOp::FGt, CmpOp::FGe, CmpOp::FUno];
const RMW: [RmwOp; 7] = [RmwOp::Exchange, RmwOp::Add, RmwOp::Sub, RmwOp::And, RmwOp::Or, RmwOp::Xor, RmwOp::Nand];

impl Code<'_> {
    /// A small constant of the type; a pointer to a plain global.
    pub(super) fn constant(&mut self, ty: Ty) -> Operand {
        let small = self.random.below(5) as u128;
        match ty {
            Ty::Int(width) => {
                let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
                Operand::Bits(ty, if self.random.one_in(10) { all - small.min(all) } else { small & all })
            }
            Ty::F32 => Operand::Bits(ty, (1.5f32 * small as f32).to_bits().into()),
            Ty::F64 => Operand::Bits(ty, (0.5f64 * small as f64).to_bits().into()),
            // Powers of two: the leading bit of the x87 format is explicit.
            Ty::F80 => Operand::Bits(ty, (0x3fff + small) << 64 | 1 << 63),
            Ty::F128 => Operand::Bits(ty, (0x3fff + small) << 112),
            Ty::Ptr => self.place(16).0,
        }
    }

    /// A register of the type, or a constant, and rarely an indeterminate value.
    fn value(&mut self, ty: Ty) -> Operand {
        match self.random.below(80) {
            0 => Operand::Undef(ty),
            1 if ty == Ty::Ptr => Operand::Null,
            2..=29 => self.constant(ty),
            _ => Operand::Reg(self.reg(ty)),
        }
    }

    /// A pointer with room for so many bytes behind it, and how much room there is; rarely any pointer.
    fn place(&mut self, n_bytes: u64) -> (Operand, u64) {
        let n_slots = self.function.slots.len();
        match self.random.below(20) {
            0 => (Operand::Reg(self.reg(Ty::Ptr)), n_bytes),
            1..=5 if n_slots > 0 => (Operand::Slot(SlotId(self.random.below(n_slots) as u32)), 32),
            6 => (Operand::Address(Address::Global(self.globals.any, 0)), 32),
            _ => {
                let (global, size) = self.random.pick(&self.globals.plain);
                let room = size.saturating_sub(n_bytes) / 8;
                let offset = 8 * self.random.below(room as usize + 1) as u64;
                (Operand::Address(Address::Global(global, offset as i64)), size - offset)
            }
        }
    }

    /// Where something may be read.
    fn source(&mut self, n_bytes: u64) -> Operand {
        if self.random.one_in(8) {
            return Operand::Address(Address::Global(self.globals.literal, 0));
        }
        self.place(n_bytes).0
    }

    fn access(&mut self) -> Access {
        let atomic = if self.random.one_in(3) { Some(self.random.pick(&ORDERS)) } else { None };
        Access { is_volatile: self.random.one_in(8), atomic }
    }

    fn length(&mut self, limit: usize) -> Operand {
        Operand::Bits(self.word(), self.random.below(limit + 1) as u128)
    }

    /// One random instruction, or a few that belong together.
    pub(super) fn random_stmt(&mut self) {
        match self.random.below(12) {
            0..=4 => self.compute(),
            5..=7 => self.touch_memory(),
            8 => self.use_heap(),
            9 => self.call(),
            10 => self.environment(),
            _ => self.concurrency(),
        }
    }

    fn compute(&mut self) {
        let (dst_ty, rvalue) = match self.random.below(12) {
            0 => {
                let ty = self.random.pick(&TYPES);
                (ty, Rvalue::Use(self.value(ty)))
            }
            1 => self.arithmetic(),
            2 => {
                let ty = self.random.pick(&FLOATS);
                (ty, Rvalue::Binary(self.random.pick(&FLOATING), ty, self.value(ty), self.value(ty)))
            }
            3 => {
                let (ty, op) = (self.random.pick(&INTS), self.random.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul]));
                let is_signed = self.random.one_in(2);
                (BOOL, Rvalue::Overflows { op, is_signed, ty, left: self.value(ty), right: self.value(ty) })
            }
            4 => {
                let ty = self.random.pick(&INTS);
                (ty, Rvalue::Unary(self.random.pick(&INT_UNARY), ty, self.value(ty)))
            }
            5 => {
                let ty = self.random.pick(&[NUMBER, Ty::Int(64), Ty::Int(16)]);
                (ty, Rvalue::Unary(UnOp::Bswap, ty, self.value(ty)))
            }
            6 => {
                let ty = self.random.pick(&FLOATS);
                (ty, Rvalue::Unary(self.random.pick(&FLOAT_UNARY), ty, self.value(ty)))
            }
            7 => {
                let ty = self.random.pick(&TYPES);
                let op = match ty {
                    Ty::Int(_) => self.random.pick(&INT_COMPARE),
                    Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => self.random.pick(&FLOAT_COMPARE),
                    Ty::Ptr => self.random.pick(&[CmpOp::Eq, CmpOp::Ne]),
                };
                (BOOL, Rvalue::Compare(op, ty, self.value(ty), self.value(ty)))
            }
            8 => self.cast(),
            9 => {
                let (base, room) = self.place(16);
                let index = self.length(room.min(16) as usize);
                (Ty::Ptr, Rvalue::PtrAdd { base, index, stride: self.random.pick(&[1, 1, 2, -1]) })
            }
            10 => {
                let base = self.place(16).0;
                let (left, right) = if self.random.one_in(6) { (base, self.value(Ty::Ptr)) } else { (base, base) };
                (self.word(), Rvalue::PtrDiff { left, right, stride: self.random.pick(&[1, 4]) })
            }
            _ => {
                let ty = self.random.pick(&TYPES);
                let (then, otherwise) = (self.value(ty), self.value(ty));
                (ty, Rvalue::Select { cond: self.value(BOOL), then, otherwise })
            }
        };
        let dst = self.reg(dst_ty);
        self.assign(dst, rvalue);
    }

    fn arithmetic(&mut self) -> (Ty, Rvalue) {
        let ty = self.random.pick(&INTS);
        let Ty::Int(width) = ty else { return (ty, Rvalue::Use(self.value(ty))) };
        let (op, right) = match self.random.below(5) {
            0 => {
                // The number one, or rarely anything: zero divides nothing.
                let one = Operand::Bits(ty, 1);
                (self.random.pick(&DIVIDING), if self.random.one_in(8) { self.value(ty) } else { one })
            }
            1 => {
                let amount = Operand::Bits(ty, self.random.below(usize::from(width).min(2)) as u128);
                (self.random.pick(&SHIFTING), if self.random.one_in(8) { self.value(ty) } else { amount })
            }
            _ => (self.random.pick(&WRAPPING), self.value(ty)),
        };
        let left = self.value(ty);
        let can_be_checked = !matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        match can_be_checked && self.random.one_in(2) {
            true => (ty, Rvalue::Checked(op, ty, left, right)),
            false => (ty, Rvalue::Binary(op, ty, left, right)),
        }
    }

    fn cast(&mut self) -> (Ty, Rvalue) {
        let (op, from, to) = match self.random.below(9) {
            0 => (
                self.random.pick(&[CastOp::ZeroExtend, CastOp::SignExtend]),
                Ty::Int(8),
                self.random.pick(&WHOLE_BYTES),
            ),
            1 => (CastOp::Truncate, Ty::Int(128), self.random.pick(&INTS)),
            2 => {
                let op = self.random.pick(&[CastOp::SignedToFloat, CastOp::UnsignedToFloat]);
                (op, self.random.pick(&INTS), self.random.pick(&FLOATS))
            }
            3 => {
                let op = self.random.pick(&[CastOp::FloatToSigned, CastOp::FloatToUnsigned]);
                (op, self.random.pick(&FLOATS), self.random.pick(&INTS))
            }
            4 => (CastOp::FloatToFloat, self.random.pick(&FLOATS), self.random.pick(&FLOATS)),
            5 => (CastOp::PtrToInt, Ty::Ptr, self.word()),
            6 => (CastOp::IntToPtr, self.word(), Ty::Ptr),
            7 => (CastOp::Bitcast, Ty::F32, NUMBER),
            _ => (CastOp::Bitcast, Ty::Int(64), Ty::F64),
        };
        (to, Rvalue::Cast(op, from, to, self.value(from)))
    }

    fn touch_memory(&mut self) {
        let word = self.word();
        match self.random.below(10) {
            0 | 1 => {
                let ty = self.random.pick(&TYPES);
                let (dst, addr, access) = (self.reg(ty), self.source(16), self.access());
                self.push(StmtKind::Load { dst, addr, access });
            }
            2 | 3 => {
                let ty = self.random.pick(&TYPES);
                let (addr, value, access) = (self.place(16).0, self.value(ty), self.access());
                self.push(StmtKind::Store { addr, value, ty, access });
            }
            4 => {
                let (dst, addr, access) = (self.reg(NUMBER), self.source(16), self.access());
                let bits = BitRange::new(self.random.below(8) as u8, 1 + self.random.below(24) as u8);
                let is_signed = self.random.one_in(2);
                self.push(StmtKind::LoadBits { dst, addr, bits, is_signed, access });
            }
            5 => {
                let (addr, value, access) = (self.place(16).0, self.value(NUMBER), self.access());
                let bits = BitRange::new(self.random.below(8) as u8, 1 + self.random.below(24) as u8);
                self.push(StmtKind::StoreBits { addr, bits, value, access });
            }
            6 => {
                let (dst, src, bytes) = (self.place(16).0, self.source(16), self.length(16));
                let may_overlap = !self.random.one_in(4);
                self.push(StmtKind::MemCopy { dst, src, bytes, may_overlap });
            }
            7 => {
                let (dst, byte, bytes) = (self.place(16).0, self.value(Ty::Int(8)), self.length(16));
                self.push(StmtKind::MemSet { dst, byte, bytes });
            }
            8 => {
                let (dst, bytes) = (self.place(16).0, self.length(8));
                let (is_assumed, label) = (self.random.one_in(2), "what nobody knows".into());
                self.push(StmtKind::MemAny { dst, bytes, is_assumed, label });
            }
            _ => {
                let element = if self.random.one_in(2) { Some(self.random.below(5) as u64) } else { None };
                let (dst, addr) = (self.reg(word), self.place(16).0);
                self.push(StmtKind::ObjectSize { dst, addr, element });
            }
        }
    }

    /// An object of its own, used and mostly freed.
    fn use_heap(&mut self) {
        let dst = self.own_reg(Ty::Ptr);
        let kind = self.random.pick(&[AllocKind::Heap, AllocKind::Heap, AllocKind::Stack]);
        let contents = self.random.pick(&[Contents::Indeterminate, Contents::Zero, Contents::Any]);
        let bytes = Operand::Bits(self.word(), 16 + self.random.below(16) as u128);
        let align = self.random.pick(&[1, 8, 16]);
        self.push(StmtKind::Alloc { dst, bytes, align, kind, contents });
        let (addr, ty, access) = (Operand::Reg(dst), self.random.pick(&TYPES), Access::default());
        let value = self.value(ty);
        self.push(StmtKind::Store { addr, value, ty, access });
        if self.random.one_in(2) {
            let loaded = self.reg(ty);
            self.push(StmtKind::Load { dst: loaded, addr, access });
        }
        if self.random.one_in(4) {
            let kept = self.reg(Ty::Ptr);
            self.assign(kept, Rvalue::Use(addr));
        }
        if !self.random.one_in(4) {
            self.push(StmtKind::Free { addr, kind });
        }
    }

    /// A call of a later function, directly or through the table; the entry and workers are never called.
    fn call(&mut self) {
        let is_callable = |(index, signature): &(usize, &super::Signature)| *index > self.index && !signature.is_worker;
        let later: Vec<usize> =
            self.signatures.iter().enumerate().filter(is_callable).map(|(index, _)| index).collect();
        if later.is_empty() || self.signatures[self.index].is_worker {
            return self.compute();
        }
        let index = self.random.pick(&later);
        let signature = &self.signatures[index];
        let args: Vec<Operand> = signature.params.iter().map(|ty| Operand::Reg(self.reg(*ty))).collect();
        let dst = signature.ret.filter(|_| self.random.one_in(2)).map(|ty| self.reg(ty));
        let function = Operand::Address(Address::Func(FuncId(index as u32)));
        let callee = match self.random.below(6) {
            0 => {
                let pointer = self.own_reg(Ty::Ptr);
                self.assign(pointer, Rvalue::Use(function));
                Operand::Reg(pointer)
            }
            1 if self.random.one_in(4) => {
                // Whatever the table holds; a function that has other parameters is a violation or reads nothing.
                let pointer = self.own_reg(Ty::Ptr);
                let addr = Operand::Address(Address::Global(self.globals.table, 0));
                self.push(StmtKind::Load { dst: pointer, addr, access: Access::default() });
                let cond = self.own_reg(BOOL);
                self.assign(cond, Rvalue::Compare(CmpOp::Eq, Ty::Ptr, Operand::Reg(pointer), function));
                self.push(StmtKind::Assume(Operand::Reg(cond)));
                Operand::Reg(pointer)
            }
            _ => function,
        };
        self.push(StmtKind::Call { dst, callee, args });
    }

    fn environment(&mut self) {
        match self.random.below(8) {
            0 | 1 => {
                let ty = self.random.pick(&TYPES[..12]);
                let range = match ty {
                    Ty::Int(7) => Some((-3, 3)),
                    Ty::Int(32) if self.random.one_in(2) => Some((-2, 5)),
                    Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => None,
                };
                let dst = self.reg(ty);
                self.push(StmtKind::Choose { dst, range, label: "an input".into() });
            }
            2 => {
                let cond = self.reg(BOOL);
                let (left, right) = (self.value(NUMBER), self.value(NUMBER));
                self.assign(cond, Rvalue::Compare(CmpOp::Ne, NUMBER, left, right));
                let cond = if self.random.one_in(3) { Operand::Reg(cond) } else { Operand::Bits(BOOL, 1) };
                self.push(StmtKind::Assume(cond));
            }
            3 => {
                let cond = if self.random.one_in(6) { self.value(BOOL) } else { Operand::Bits(BOOL, 1) };
                let kind = self.random.pick(&[ViolationKind::Assertion, ViolationKind::ReachError]);
                self.push(StmtKind::Assert { cond, kind, message: "what should hold".into() });
            }
            4 => {
                let index = if self.random.one_in(6) { self.value(self.word()) } else { self.length(3) };
                let one_past = self.random.one_in(2);
                self.push(StmtKind::CheckIndex { index, len: 4, one_past });
            }
            5 => self.push(StmtKind::Note("something is taken for granted".into())),
            6 => {
                let addr = Operand::Address(Address::Global(self.globals.literal, 0));
                let (stream, bytes) = (Operand::Bits(NUMBER, self.random.below(3) as u128), self.length(8));
                self.push(StmtKind::Output { stream, addr, bytes });
            }
            _ => self.push(StmtKind::Progress),
        }
    }

    fn concurrency(&mut self) {
        match self.random.below(9) {
            0 | 1 => {
                let (ty, op) = if self.random.one_in(4) {
                    (Ty::Ptr, RmwOp::Exchange)
                } else {
                    (self.random.pick(&WHOLE_BYTES), self.random.pick(&RMW))
                };
                let (dst, addr, value) = (self.reg(ty), self.place(16).0, self.value(ty));
                let order = self.random.pick(&ORDERS);
                self.push(StmtKind::AtomicRmw { dst, op, addr, value, order });
            }
            2 | 3 => {
                let ty = self.random.pick(&[NUMBER, Ty::Int(64), Ty::Int(8), Ty::Ptr, Ty::F64]);
                let (dst, ok, addr) = (self.reg(ty), self.reg(BOOL), self.place(16).0);
                let (expected, desired) = (self.value(ty), self.value(ty));
                let (is_weak, order) = (self.random.one_in(2), self.random.pick(&ORDERS));
                self.push(StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak, order });
            }
            4 => {
                let order = self.random.pick(&ORDERS);
                self.push(StmtKind::Fence(order));
            }
            5 => {
                let dst = self.reg(NUMBER);
                self.push(StmtKind::SelfThread(dst));
            }
            6 => {
                let (dst, thread) = (self.own_reg(BOOL), Operand::Bits(NUMBER, self.random.below(2) as u128));
                self.push(StmtKind::ThreadEnded { dst, thread });
            }
            7 if !self.is_atomic => {
                self.is_atomic = true;
                self.push(StmtKind::AtomicBegin);
                (0..3).for_each(|_| self.compute());
                self.touch_memory();
                self.push(StmtKind::AtomicEnd);
                self.is_atomic = false;
            }
            7 | 8 => self.interrupts(),
            _ => {}
        }
    }

    /// Interrupts off and on again, or what is allowed looked at; rarely a handler.
    fn interrupts(&mut self) {
        let dst = self.reg(NUMBER);
        let number = |value| Operand::Bits(NUMBER, value);
        let (first, second) = match self.random.below(4) {
            0 => ((InterruptOp::Set, number(1)), Some((InterruptOp::Set, number(0)))),
            1 => ((InterruptOp::Nest, number(1)), Some((InterruptOp::Nest, number(0)))),
            2 if !self.is_atomic => ((InterruptOp::Enter, number(3)), Some((InterruptOp::Leave, number(0)))),
            _ => ((InterruptOp::Get, number(0)), None),
        };
        self.push(StmtKind::Interrupts { dst, op: first.0, value: first.1 });
        if let Some((op, value)) = second {
            self.compute();
            self.push(StmtKind::Interrupts { dst, op, value });
        }
    }
}
