//! Buffer parameters of an entry function: a pointer with the number of its elements.
//!
//! `int handle(const uint8_t *data, size_t size)` and fuzz targets get a buffer of exactly so many unknown elements, so
//! that an access past its end is seen. The pointer is never null: that is a matter of pointers without a size.

use unpick_base::Span;
use unpick_program::program::{AllocKind, BinOp, Contents, Operand, Rvalue, StmtKind, Ty};

use super::class::{self, Class};
use super::function::FunctionLowering;
use unpick_front_c::ast::DeclId;
use unpick_front_c::types::TyId;

/// As many elements a buffer may have; each number is tried.
const MAX_ELEMENTS: i128 = 16;

impl FunctionLowering<'_, '_, '_> {
    /// The two arguments for a pointer and the size behind it; `None` if they are no such pair.
    pub(super) fn buffer_arguments(&mut self, span: Span, entry: &str, params: &[DeclId]) -> Option<[Operand; 2]> {
        let [pointer, size, ..] = params else { return None };
        let (pointer, size) = (&self.unit.decls[*pointer], &self.unit.decls[*size]);
        let (pointer_name, size_name) = (self.name(pointer.name), self.name(size.name));
        let element = self.element_bytes(pointer.ty.ty)?;
        let (bits, size_ty) = match self.class(size.ty.ty) {
            Class::Scalar(Ty::Int(bits)) if bits >= 16 => (bits, size.ty.ty),
            _ => return None,
        };
        if !self.is_size_type(size_ty) && !sounds_like_size(&size_name) {
            return None;
        }
        let text = format!(
            "parameter `{pointer_name}` of `{entry}` is assumed to point to as many elements as `{size_name}` says, up to \
             {MAX_ELEMENTS}, of any value"
        );
        self.emit(span, StmtKind::Note(text));
        let number = self.temp(Ty::Int(bits));
        let (range, label) = (Some((0, MAX_ELEMENTS)), format!("parameter {size_name}"));
        self.emit(span, StmtKind::Choose { dst: number, range, label });
        let word = self.word();
        let elements = self.as_word(span, Operand::Reg(number), size_ty);
        let stride = self.word_value(element);
        let bytes = self.compute(span, word, Rvalue::Binary(BinOp::Mul, word, elements, stride));
        let dst = self.temp(Ty::Ptr);
        let (kind, contents) = (AllocKind::Heap, Contents::Indeterminate);
        self.emit(span, StmtKind::Alloc { dst, bytes, align: 16, kind, contents });
        let (at, label) = (Operand::Reg(dst), format!("an element of {pointer_name}"));
        self.emit(span, StmtKind::MemAny { dst: at, bytes, is_assumed: false, label });
        Some([Operand::Reg(dst), Operand::Reg(number)])
    }

    /// Bytes of what a parameter points to: numbers, and `void` as bytes.
    fn element_bytes(&self, ty: TyId) -> Option<u64> {
        let types = &self.unit.types;
        let pointee = class::pointee(types, ty)?;
        match class::class_of(types, pointee.ty) {
            Class::Void => Some(1),
            Class::Scalar(Ty::Ptr) | Class::Memory => None,
            Class::Scalar(_) => types.size_of(pointee.ty),
        }
    }

    /// `size_t` and whatever else is an unsigned word.
    fn is_size_type(&self, ty: TyId) -> bool {
        self.class(ty) == Class::Scalar(self.word()) && !class::is_signed(&self.unit.types, ty)
    }
}

fn sounds_like_size(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_short = matches!(name.as_str(), "n" | "len" | "num" | "count" | "sz" | "cnt");
    is_short || ["size", "length", "_len", "len", "count", "bytes"].iter().any(|end| name.ends_with(end))
}
