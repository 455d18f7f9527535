//! Lowering of initialisers of automatic objects, executed where control passes the declaration.
//!
//! A list first zeroes the object unless it names every part, then stores its entries in order. A long
//! list of constants is one copy from a read-only image instead, as compilers do it.

use unpick_base::Span;
use unpick_program::program::{Access, Address, Operand, StmtKind, Ty};

use super::bits::bit_range;
use super::class::Class;
use super::function::FunctionLowering;
use super::globals::Image;
use super::place::{Mem, Place};
use unpick_front_c::ast::{ExprKind, Init, InitEntry};
use unpick_front_c::types::{ArrayExtent, QualTy, TyId, Type};

/// From how many leaves on a list is worth an image.
const MIN_IMAGE_LEAVES: usize = 8;

impl FunctionLowering<'_, '_, '_> {
    /// Gives an object at a place its initial value.
    pub(super) fn initialise(&mut self, span: Span, place: Place, ty: QualTy, init: &Init) {
        let plain = QualTy::plain(ty.ty);
        match (init, place) {
            (Init::Expr(expr), Place::Mem(mem)) if self.class(ty.ty) == Class::Memory => {
                let dst = self.pointer(span, mem);
                if let ExprKind::Call { callee, args } = &self.unit.exprs[*expr].kind {
                    self.call(*expr, *callee, args, Some(dst));
                    return;
                }
                let value = self.value(*expr);
                let bytes = self.unit.types.size_of(ty.ty).unwrap_or(0);
                self.copy(self.span(*expr), dst, value, bytes, Access::default());
            }
            (Init::Expr(expr), _) => {
                let value = self.value(*expr);
                let target = if ty.is_volatile() { ty } else { plain };
                self.store(self.span(*expr), place, target, value);
            }
            (Init::List { entries, .. }, Place::Reg(_) | Place::Bits(..)) => {
                if let Some(entry) = entries.last() {
                    self.initialise(span, place, ty, &entry.init);
                } else {
                    let zero = self.int(self.scalar(ty.ty), 0);
                    self.store(span, place, plain, zero);
                }
            }
            (Init::Str { .. }, Place::Mem(mem)) => self.image_or_parts(span, mem, ty.ty, init),
            (Init::List { .. }, Place::Mem(mem)) => self.image_or_parts(span, mem, ty.ty, init),
            (Init::Str { .. }, Place::Reg(_) | Place::Bits(..)) => {}
        }
    }

    fn image_or_parts(&mut self, span: Span, mem: Mem, ty: TyId, init: &Init) {
        let Some(size) = self.unit.types.size_of(ty) else { return };
        let is_string = matches!(init, Init::Str { .. });
        let is_copied = (is_string || n_leaves(init) >= MIN_IMAGE_LEAVES) && self.copy_image(span, mem, ty, size, init);
        if !is_copied {
            if !self.covers(ty, init) {
                self.zero(span, mem, size);
            }
            self.parts(span, mem, ty, init);
        }
        self.forget_rests(span, mem, init);
    }

    /// A member of a union says nothing of the bytes behind it: in automatic objects they are indeterminate.
    fn forget_rests(&mut self, span: Span, mem: Mem, init: &Init) {
        let Init::List { ty, entries } = init else { return };
        match self.unit.types.get(*ty) {
            Type::Array { element, .. } => {
                let stride = self.unit.types.size_of(element.ty).unwrap_or(0);
                if !entries.iter().any(|entry| self.has_rest(&entry.init)) {
                    return;
                }
                for entry in entries {
                    for index in entry.index..=entry.last {
                        self.forget_rests(span, mem.plus((index * stride) as i64), &entry.init);
                    }
                }
            }
            Type::Record(record) => {
                for entry in entries {
                    let offset = self.unit.types.records[*record].fields[entry.index as usize].offset;
                    self.forget_rests(span, mem.plus(offset as i64), &entry.init);
                }
                if let Some((from, to)) = self.rest(init) {
                    let dst = self.pointer(span, mem.plus(from as i64));
                    let bytes = self.word_value(to - from);
                    self.emit(span, StmtKind::MemSet { dst, byte: Operand::Undef(Ty::Int(8)), bytes });
                }
            }
            _scalar => {}
        }
    }

    /// The bytes of a union behind the member that an initialiser names.
    fn rest(&self, init: &Init) -> Option<(u64, u64)> {
        let Init::List { ty, entries } = init else { return None };
        let Type::Record(record) = *self.unit.types.get(*ty) else { return None };
        let fields = &self.unit.types.records[record];
        let field = fields.fields.get(entries.last()?.index as usize).filter(|_| fields.is_union)?;
        let end = match field.bits {
            Some(width) => u64::from(field.bit_offset + width).div_ceil(8),
            None => self.unit.types.size_of(field.ty.ty)?,
        };
        let size = self.unit.types.size_of(*ty)?;
        (field.offset + end < size).then_some((field.offset + end, size))
    }

    fn has_rest(&self, init: &Init) -> bool {
        match init {
            Init::Expr(_) | Init::Str { .. } => false,
            Init::List { entries, .. } => {
                self.rest(init).is_some() || entries.iter().any(|entry| self.has_rest(&entry.init))
            }
        }
    }

    fn zero(&mut self, span: Span, mem: Mem, size: u64) {
        if size == 0 {
            return;
        }
        let dst = self.pointer(span, mem);
        let bytes = self.word_value(size);
        self.emit(span, StmtKind::MemSet { dst, byte: Operand::Bits(Ty::Int(8), 0), bytes });
    }

    /// Copies from a constant image; `false` if the initialiser is not constant.
    fn copy_image(&mut self, span: Span, mem: Mem, ty: TyId, size: u64, init: &Init) -> bool {
        let mut image = Image::default();
        if self.cx.write_init(self.unit_index, self.unit, &mut image, 0, ty, init).is_err() {
            return false;
        }
        if image.bytes.is_empty() && image.pointers.is_empty() {
            self.zero(span, mem, size);
            return true;
        }
        image.bytes.resize(size as usize, 0);
        let global = if image.pointers.is_empty() {
            self.cx.string(image.bytes, self.unit.types.align_of(ty).unwrap_or(1), span)
        } else {
            let global = self.cx.unnamed_global("image", self.unit_index, self.unit, ty, span);
            let target = &mut self.cx.program.globals[global];
            target.init.bytes = image.bytes;
            target.init.pointers = image.pointers;
            target.is_read_only = true;
            global
        };
        let dst = self.pointer(span, mem);
        let src = Operand::Address(Address::Global(global, 0));
        self.copy(span, dst, src, size, Access::default());
        true
    }

    /// Whether a list gives every byte that matters a value, so that zeroing first would be idle.
    fn covers(&self, ty: TyId, init: &Init) -> bool {
        match (init, self.unit.types.get(ty)) {
            (Init::Expr(_), _) => true,
            (Init::Str { .. }, _) => false,
            (Init::List { entries, .. }, Type::Array { element, extent: ArrayExtent::Fixed(len) }) => {
                let is_complete = entries.len() as u64 == *len
                    && entries
                        .iter()
                        .enumerate()
                        .all(|(at, entry)| entry.index == at as u64 && entry.last == entry.index);
                is_complete && entries.iter().all(|entry| self.covers(element.ty, &entry.init))
            }
            (Init::List { entries, .. }, Type::Record(record)) => {
                let record = &self.unit.types.records[*record];
                !record.is_union
                    && entries.len() == record.fields.len()
                    && record.fields.iter().all(|field| field.bits.is_none())
                    && entries.iter().enumerate().all(|(at, entry)| {
                        entry.index == at as u64 && self.covers(record.fields[at].ty.ty, &entry.init)
                    })
            }
            (Init::List { .. }, _) => false,
        }
    }

    fn parts(&mut self, span: Span, mem: Mem, ty: TyId, init: &Init) {
        let Init::List { ty: list_ty, entries } = init else {
            self.initialise(span, Place::Mem(mem), QualTy::plain(ty), init);
            return;
        };
        match *self.unit.types.get(*list_ty) {
            Type::Array { element, .. } => {
                for entry in entries {
                    self.array_part(span, mem, element, entry);
                }
            }
            Type::Vector { element, .. } => {
                for entry in entries {
                    self.array_part(span, mem, QualTy::plain(element), entry);
                }
            }
            Type::Record(record) => {
                for entry in entries {
                    let declared = &self.unit.types.records[record];
                    let field = &declared.fields[entry.index as usize];
                    let at = mem.plus(field.offset as i64);
                    match field.bits {
                        Some(width) => {
                            let bits = bit_range(declared, entry.index as usize, width);
                            self.initialise(span, Place::Bits(at, bits), QualTy::plain(field.ty.ty), &entry.init);
                        }
                        None => self.part(span, at, field.ty, &entry.init),
                    }
                }
            }
            _ => {
                if let Some(entry) = entries.last() {
                    self.part(span, mem, QualTy::plain(*list_ty), &entry.init);
                }
            }
        }
    }

    /// A part of an object that has been zeroed already.
    fn part(&mut self, span: Span, mem: Mem, ty: QualTy, init: &Init) {
        match init {
            Init::Expr(_) | Init::Str { .. } => self.initialise(span, Place::Mem(mem), QualTy::plain(ty.ty), init),
            Init::List { .. } => self.parts(span, mem, ty.ty, init),
        }
    }

    /// One element, or a range of elements filled by doubling copies of the first.
    fn array_part(&mut self, span: Span, mem: Mem, element: QualTy, entry: &InitEntry) {
        let stride = self.unit.types.size_of(element.ty).unwrap_or(0);
        let first = mem.plus((entry.index * stride) as i64);
        self.part(span, first, element, &entry.init);
        let total = entry.last.saturating_sub(entry.index) + 1;
        let mut done = 1;
        while done < total {
            let count = done.min(total - done);
            let src = self.pointer(span, first);
            let dst = self.pointer(span, first.plus((done * stride) as i64));
            self.copy(span, dst, src, count * stride, Access::default());
            done += count;
        }
    }
}

fn n_leaves(init: &Init) -> usize {
    match init {
        Init::Expr(_) => 1,
        Init::Str { .. } => 1,
        Init::List { entries, .. } => entries
            .iter()
            .map(|entry| n_leaves(&entry.init).saturating_mul((entry.last - entry.index + 1) as usize))
            .sum(),
    }
}
