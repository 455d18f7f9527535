//! Lowering of lvalues: the location of an object, and how it is read and written.

use unpick_base::Span;
use unpick_program::program::{Access, Address, BitRange, CastOp, Operand, RegId, Rvalue, Slot, StmtKind, Ty};

use super::DeclRef;
use super::bits::bit_range;
use super::class::Class;
use super::function::{FunctionLowering, Home};
use unpick_front_c::ast::{BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind, Storage, Unit};
use unpick_front_c::types::{ArrayExtent, QualTy, RecordId, Type};

/// An address as a base and a constant distance, so that member chains cost one instruction at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mem {
    pub base: Operand,
    pub offset: i64,
}

/// Where an lvalue lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Reg(RegId),
    Mem(Mem),
    Bits(Mem, BitRange),
}

impl Mem {
    pub(super) fn at(base: Operand) -> Mem {
        match base {
            Operand::Address(Address::Global(global, offset)) => {
                Mem { base: Operand::Address(Address::Global(global, 0)), offset }
            }
            _other => Mem { base, offset: 0 },
        }
    }

    pub(super) fn plus(self, offset: i64) -> Mem {
        Mem { base: self.base, offset: self.offset.wrapping_add(offset) }
    }
}

/// The declared length of an array. Trailing arrays of length 0 or 1 behind a pointer are the old way to write a
/// flexible array member, so they say nothing.
pub(super) fn declared_length(unit: &Unit, array: ExprId) -> Option<u64> {
    let node = &unit.exprs[array];
    let Type::Array { extent: ArrayExtent::Fixed(len), .. } = *unit.types.get(node.ty.ty) else { return None };
    if len == 0 {
        return None;
    }
    if len == 1
        && let ExprKind::Member { base, record, index } = node.kind
    {
        let record = &unit.types.records[record];
        let is_last = index as usize + 1 == record.fields.len() || record.is_union;
        if is_last && is_behind_pointer(unit, base) {
            return None;
        }
    }
    Some(len)
}

fn is_behind_pointer(unit: &Unit, lvalue: ExprId) -> bool {
    match unit.exprs[lvalue].kind {
        ExprKind::Deref(_) => true,
        ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => is_behind_pointer(unit, base),
        _ => false,
    }
}

impl FunctionLowering<'_, '_, '_> {
    /// Where an lvalue (or a member of a struct value) lies. With `one_past`, an index may name the end
    /// of its array because only the address is wanted.
    pub(super) fn place(&mut self, expr: ExprId, one_past: bool) -> Place {
        let node = &self.unit.exprs[expr];
        let span = node.span;
        match &node.kind {
            ExprKind::Decl(decl) => self.decl_place(*decl, span),
            ExprKind::Deref(pointer) => match self.part_element(span, *pointer) {
                Some(mem) => Place::Mem(mem),
                None => Place::Mem(Mem::at(self.value(*pointer))),
            },
            ExprKind::Member { base, record, index } => self.member(*base, *record, *index as usize),
            ExprKind::Index { base, index } => self.index(expr, *base, *index, one_past),
            ExprKind::CompoundLiteral { init, is_static } => self.compound_literal(expr, init, *is_static),
            ExprKind::Str { .. } => match self.cx.string_of(self.unit, expr) {
                Some(global) => Place::Mem(Mem::at(Operand::Address(Address::Global(global, 0)))),
                None => Place::Mem(Mem::at(Operand::Null)),
            },
            // A struct value is the address of its bytes.
            _value => {
                let ty = node.ty.ty;
                let value = self.value(expr);
                match self.class(ty) {
                    Class::Memory => Place::Mem(Mem::at(value)),
                    Class::Void => Place::Mem(Mem::at(Operand::Null)),
                    Class::Scalar(scalar) => {
                        let reg = self.temp(scalar);
                        self.emit(span, StmtKind::Assign(reg, Rvalue::Use(value)));
                        Place::Reg(reg)
                    }
                }
            }
        }
    }

    fn decl_place(&mut self, id: DeclId, span: Span) -> Place {
        let decl = &self.unit.decls[id];
        let at = DeclRef { unit: self.unit_index, decl: id };
        match &decl.kind {
            // An undefined weak function has no address.
            DeclKind::Function(function) if function.is_weak && !self.cx.is_defined(at) => {
                Place::Mem(Mem::at(Operand::Null))
            }
            DeclKind::Function(_) => {
                let func = self.cx.function_id(at);
                Place::Mem(Mem::at(Operand::Address(Address::Func(func))))
            }
            DeclKind::Var(var) => match self.homes.get(&id) {
                Some(Home::Reg(reg)) => Place::Reg(*reg),
                Some(Home::Slot(slot)) => Place::Mem(Mem::at(Operand::Slot(*slot))),
                Some(Home::At(reg)) => Place::Mem(Mem::at(Operand::Reg(*reg))),
                None if matches!(var.storage, Storage::Automatic | Storage::Parameter) => {
                    // Used before (or without) its declaration, as a jump into its block allows.
                    let slot = self.declare_slot(id);
                    self.emit(span, StmtKind::SlotLive(slot));
                    Place::Mem(Mem::at(Operand::Slot(slot)))
                }
                None => {
                    let name = self.func.source_name.clone();
                    let (global, offset) = self.cx.global_place(at, Some(&name));
                    Place::Mem(Mem::at(Operand::Address(Address::Global(global, offset))))
                }
            },
            DeclKind::Enumerator { .. } | DeclKind::Typedef => Place::Mem(Mem::at(Operand::Null)),
        }
    }

    fn member(&mut self, base: ExprId, record: RecordId, index: usize) -> Place {
        let span = self.span(base);
        let mem = match self.place(base, false) {
            Place::Mem(mem) => mem,
            Place::Reg(_) | Place::Bits(..) => {
                self.emit(span, StmtKind::Unmodelled("member of something that is not an object".to_owned()));
                Mem::at(Operand::Null)
            }
        };
        let field = &self.unit.types.records[record].fields[index];
        let mem = mem.plus(field.offset as i64);
        match field.bits {
            Some(width) => Place::Bits(mem, bit_range(&self.unit.types.records[record], index, width)),
            None => Place::Mem(mem),
        }
    }

    fn index(&mut self, expr: ExprId, base: ExprId, index: ExprId, one_past: bool) -> Place {
        let span = self.span(expr);
        let mem = match self.place(base, false) {
            Place::Mem(mem) => mem,
            Place::Reg(_) | Place::Bits(..) => Mem::at(Operand::Null),
        };
        let value = self.value(index);
        let value = self.as_word(self.span(index), value, self.ty(index));
        let element = match *self.unit.types.get(self.ty(base)) {
            Type::Array { element, .. } => element,
            Type::Vector { element, .. } => QualTy::plain(element),
            _ => return Place::Mem(mem),
        };
        if let Some(len) = self.checked_length(base) {
            let is_constant_inside = matches!(value, Operand::Bits(_, bits) if bits < u128::from(len) || (one_past && bits == u128::from(len)));
            if !is_constant_inside {
                self.emit(span, StmtKind::CheckIndex { index: value, len, one_past });
            }
        }
        Place::Mem(self.element(span, mem, value, element))
    }

    /// Address of an element; `index` is pointer-sized.
    pub(super) fn element(&mut self, span: Span, mem: Mem, index: Operand, element: QualTy) -> Mem {
        let stride = self.unit.types.stride_of(element.ty);
        if let (Some(stride), Operand::Bits(..)) = (stride, index) {
            let index = self.signed_bits(index).unwrap_or(0);
            return mem.plus((index as i64).wrapping_mul(stride as i64));
        }
        let (index, stride) = match stride {
            Some(stride) => (index, stride as i64),
            None => (self.scale(span, index, element.ty), 1),
        };
        let base = Rvalue::PtrAdd { base: mem.base, index, stride };
        Mem { base: self.compute(span, Ty::Ptr, base), offset: mem.offset }
    }

    /// The declared length to check an index against.
    pub(super) fn checked_length(&self, array: ExprId) -> Option<u64> {
        match self.elements(self.ty(array)) {
            Some(elements) => Some(elements.len),
            None => declared_length(self.unit, array),
        }
    }

    pub(super) fn is_behind_pointer(&self, lvalue: ExprId) -> bool {
        is_behind_pointer(self.unit, lvalue)
    }

    /// `p[i]` where `p` only ever points to the first element of array members: the bound of the member holds.
    fn part_element(&mut self, span: Span, pointer: ExprId) -> Option<Mem> {
        let unit = self.unit;
        let ExprKind::Binary(BinaryOp::PtrAdd, base, index) = unit.exprs[pointer].kind else { return None };
        let ExprKind::Cast { kind: CastKind::Load, operand, .. } = unit.exprs[base].kind else { return None };
        let ExprKind::Decl(decl) = unit.exprs[operand].kind else { return None };
        let len = *self.part_lengths.get(&decl)?;
        let Type::Pointer(element) = *unit.types.get(self.ty(base)) else { return None };
        let base = self.value(base);
        let value = self.value(index);
        let value = self.as_word(self.span(index), value, self.ty(index));
        if !matches!(value, Operand::Bits(_, bits) if bits < u128::from(len)) {
            self.emit(span, StmtKind::CheckIndex { index: value, len, one_past: false });
        }
        Some(self.element(span, Mem::at(base), value, element))
    }

    fn compound_literal(&mut self, expr: ExprId, init: &unpick_front_c::ast::Init, is_static: bool) -> Place {
        let node = &self.unit.exprs[expr];
        if is_static {
            let global = self.cx.literal(self.unit_index, self.unit, expr);
            return Place::Mem(Mem::at(Operand::Address(Address::Global(global, 0))));
        }
        let (span, ty) = (node.span, node.ty);
        // It lives as long as its block, not only as long as the full expression.
        let size = self.unit.types.size_of(ty.ty).unwrap_or(0);
        let align = self.unit.types.align_of(ty.ty).unwrap_or(1);
        let shape = Some(self.cx.shape(self.unit_index, ty.ty));
        let slot = self.func.slots.push(Slot { name: None, size, align, shape });
        self.emit(span, StmtKind::SlotLive(slot));
        self.scopes.declare(super::scope::Item::Slot(slot));
        let mem = Mem::at(Operand::Slot(slot));
        self.initialise(span, Place::Mem(mem), ty, init);
        Place::Mem(mem)
    }

    /// The pointer to a place in memory.
    pub(super) fn pointer(&mut self, span: Span, mem: Mem) -> Operand {
        if mem.offset == 0 {
            return mem.base;
        }
        if let Operand::Address(Address::Global(global, offset)) = mem.base {
            return Operand::Address(Address::Global(global, offset.wrapping_add(mem.offset)));
        }
        let mask = self.word_mask();
        let index = Operand::Bits(self.word(), mem.offset as u128 & mask);
        self.compute(span, Ty::Ptr, Rvalue::PtrAdd { base: mem.base, index, stride: 1 })
    }

    /// The address of an lvalue.
    pub(super) fn address(&mut self, expr: ExprId, one_past: bool) -> Operand {
        let span = self.span(expr);
        match self.place(expr, one_past) {
            Place::Mem(mem) => self.pointer(span, mem),
            Place::Reg(_) | Place::Bits(..) => {
                self.emit(span, StmtKind::Unmodelled("address of something that is not in memory".to_owned()));
                Operand::Undef(Ty::Ptr)
            }
        }
    }

    /// Reads an object: a scalar's value, or the address of anything larger.
    pub(super) fn load(&mut self, span: Span, place: Place, ty: QualTy) -> Operand {
        let access = self.access(ty);
        match (place, self.class(ty.ty)) {
            (Place::Reg(reg), _) => Operand::Reg(reg),
            (Place::Mem(mem), Class::Scalar(scalar)) => {
                let addr = self.pointer(span, mem);
                let dst = self.temp(scalar);
                self.emit(span, StmtKind::Load { dst, addr, access });
                Operand::Reg(dst)
            }
            (Place::Mem(mem), Class::Memory | Class::Void) => self.pointer(span, mem),
            (Place::Bits(mem, bits), _) => {
                let addr = self.pointer(span, mem);
                let scalar = self.scalar(ty.ty);
                let dst = self.temp(scalar);
                let is_signed = self.is_signed(ty.ty);
                let access = self.bit_access(ty);
                self.emit(span, StmtKind::LoadBits { dst, addr, bits, is_signed, access });
                Operand::Reg(dst)
            }
        }
    }

    /// Writes an object.
    pub(super) fn store(&mut self, span: Span, place: Place, ty: QualTy, value: Operand) {
        let access = self.access(ty);
        match (place, self.class(ty.ty)) {
            (Place::Reg(reg), _) => self.assign_reg(span, reg, value),
            (Place::Mem(mem), Class::Scalar(scalar)) => {
                let addr = self.pointer(span, mem);
                self.emit(span, StmtKind::Store { addr, value, ty: scalar, access });
            }
            (Place::Mem(mem), Class::Memory) => {
                let dst = self.pointer(span, mem);
                let bytes = self.unit.types.size_of(ty.ty).unwrap_or(0);
                self.copy(span, dst, value, bytes, access);
            }
            (Place::Mem(_), Class::Void) => {}
            (Place::Bits(mem, bits), _) => {
                let addr = self.pointer(span, mem);
                let access = self.bit_access(ty);
                self.emit(span, StmtKind::StoreBits { addr, bits, value, access });
            }
        }
    }

    /// Copies the bytes of a struct.
    pub(super) fn copy(&mut self, span: Span, dst: Operand, src: Operand, bytes: u64, access: Access) {
        if bytes == 0 || dst == src {
            return;
        }
        let bytes = self.word_value(bytes);
        if access.atomic.is_some() {
            self.emit(span, StmtKind::AtomicBegin);
        }
        self.emit(span, StmtKind::MemCopy { dst, src, bytes, may_overlap: true });
        if access.atomic.is_some() {
            self.emit(span, StmtKind::AtomicEnd);
        }
    }

    /// What a bit-field holds after a value has been stored in it.
    pub(super) fn truncate_to(&mut self, span: Span, value: Operand, bits: BitRange, ty: QualTy) -> Operand {
        let Ty::Int(width) = self.scalar(ty.ty) else { return value };
        if bits.width >= width {
            return value;
        }
        let narrow = Ty::Int(bits.width);
        let low = self.compute(span, narrow, Rvalue::Cast(CastOp::Truncate, Ty::Int(width), narrow, value));
        let op = if self.is_signed(ty.ty) { CastOp::SignExtend } else { CastOp::ZeroExtend };
        self.compute(span, Ty::Int(width), Rvalue::Cast(op, narrow, Ty::Int(width), low))
    }
}
