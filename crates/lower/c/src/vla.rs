//! Variable length arrays: sizes computed at run time, and storage with the lifetime of the block.

use unpick_base::Span;
use unpick_program::program::{AllocKind, BinOp, Contents, Operand, Reg, Rvalue, StmtKind, Ty};

use super::function::{FunctionLowering, Home};
use super::scope::Item;
use unpick_front_c::ast::{DeclId, ExprId};
use unpick_front_c::types::{ArrayExtent, TyId, Type};

impl FunctionLowering<'_, '_, '_> {
    /// Evaluates the lengths that stand in a declared type, once per execution of the declaration.
    /// Lengths of a typedef have been evaluated where it was declared.
    pub(super) fn evaluate_extents(&mut self, ty: TyId) {
        match *self.unit.types.get(ty) {
            Type::Array { element, extent } => {
                if let ArrayExtent::Variable(expr) = extent
                    && !self.extents.contains_key(&expr)
                {
                    self.evaluate_extent(expr);
                }
                self.evaluate_extents(element.ty);
            }
            Type::Pointer(pointee) if self.unit.types.is_variably_modified(pointee.ty) => {
                self.evaluate_extents(pointee.ty);
            }
            _ => {}
        }
    }

    pub(super) fn evaluate_extent(&mut self, expr: ExprId) {
        let span = self.span(expr);
        let value = self.value(expr);
        let value = self.as_word(span, value, self.ty(expr));
        let reg = match self.extents.get(&expr) {
            Some(reg) => *reg,
            None => self.func.regs.push(Reg { ty: self.word(), name: None, shape: None }),
        };
        self.emit(span, StmtKind::Assign(reg, Rvalue::Use(value)));
        self.pinned.insert(reg);
        self.extents.insert(expr, reg);
    }

    /// Bytes of a type, as a pointer-sized value.
    pub(super) fn size_value(&mut self, span: Span, ty: TyId) -> Operand {
        if let Some(size) = self.unit.types.size_of(ty) {
            return self.word_value(size);
        }
        match *self.unit.types.get(ty) {
            Type::Array { element, extent: ArrayExtent::Variable(expr) } => {
                let length = match self.extents.get(&expr) {
                    Some(reg) => Operand::Reg(*reg),
                    None => {
                        let value = self.value(expr);
                        self.as_word(span, value, self.ty(expr))
                    }
                };
                self.scale(span, length, element.ty)
            }
            Type::Array { element, extent: ArrayExtent::Fixed(len) } => {
                let length = self.word_value(len);
                self.scale(span, length, element.ty)
            }
            _ => self.word_value(1),
        }
    }

    /// `count` times the size of a type.
    pub(super) fn scale(&mut self, span: Span, count: Operand, ty: TyId) -> Operand {
        let size = self.size_value(span, ty);
        let word = self.word();
        match (count, size) {
            (_, Operand::Bits(_, 1)) => count,
            (Operand::Bits(_, a), Operand::Bits(_, b)) => Operand::Bits(word, a.wrapping_mul(b) & self.word_mask()),
            _runtime => self.compute(span, word, Rvalue::Binary(BinOp::Mul, word, count, size)),
        }
    }

    /// Declares a variable length array.
    pub(super) fn declare_vla(&mut self, id: DeclId) {
        let decl = &self.unit.decls[id];
        let (span, ty) = (decl.span, decl.ty);
        let bytes = self.size_value(span, ty.ty);
        let align = self.unit.types.align_of_qualified(ty).unwrap_or(1);
        let reg = match self.homes.get(&id) {
            Some(Home::At(reg)) => *reg,
            Some(Home::Reg(_) | Home::Slot(_)) | None => {
                let reg = self.temp(Ty::Ptr);
                self.pinned.insert(reg);
                self.homes.insert(id, Home::At(reg));
                reg
            }
        };
        let contents = Contents::Indeterminate;
        self.emit(span, StmtKind::Alloc { dst: reg, bytes, align, kind: AllocKind::Stack, contents });
        self.scopes.declare(Item::Vla(reg));
    }
}
