//! Semantics of undefined functions and objects: `--missing havoc|keep|fail`.
//!
//! A function without a body may write what its arguments let it write: everything that a pointer to something not
//! `const` leads to becomes any value of its type. How far a pointer leads is decided when the call happens: to the end
//! of the array it points into, else to one object of the declared type; a `size_t` behind a pointer to bytes bounds it.
//! The values are inputs that are made when they are first read (`MemAny`), so that a large buffer costs nothing. What
//! stays: pointers that lead to objects (an object handed over keeps its links), and objects of the C library such as
//! locks and streams, whose contents only the library's own models understand.

use std::collections::HashMap;

use unpick_base::{Diagnostic, Severity, Span};
use unpick_program::program::{CmpOp, Operand, Rvalue, StmtKind, Ty};

use super::arith::BIT;
use super::class::{self, Class};
use super::function::FunctionLowering;
use super::{DeclRef, Lowering};
use unpick_front_c::ast::DeclId;
use unpick_front_c::types::{FunctionType, QualTy, RecordId, TyId, Type, TypeTable};

/// What a function without a body does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MissingMode {
    /// Writes any value wherever its arguments let it.
    #[default]
    Havoc,
    /// Leaves memory alone.
    Keep,
    /// Is an error.
    Fail,
}

/// How functions without a body are taken.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    /// Those that are not listed.
    pub default: MissingMode,
    /// By name.
    pub functions: HashMap<String, MissingMode>,
}

impl Missing {
    pub(super) fn mode(&self, name: &str) -> MissingMode {
        self.functions.get(name).copied().unwrap_or(self.default)
    }
}

impl Lowering<'_> {
    /// The error of `--missing fail` for an undefined function or object.
    pub(super) fn complain_about_missing(&mut self, span: Span, what: &str) {
        let help = "add the file that defines it, or assume something with --missing havoc or --missing keep";
        self.session.diagnostics.push(Diagnostic::new(Severity::Error, span, what.to_owned()).help(help));
    }
}

impl FunctionLowering<'_, '_, '_> {
    /// Writes what a function of the type may write; its parameters are there. Whether there is anything.
    pub(super) fn write_through_parameters(&mut self, span: Span, function: &FunctionType, first: usize) -> bool {
        let label = self.written_label();
        let mut is_writing = false;
        for (at, param) in function.params.iter().enumerate() {
            let Some(pointee) = class::pointee(&self.unit.types, *param) else { continue };
            let Some(pointer) = self.func.params.get(first + at).copied().map(Operand::Reg) else { continue };
            let next = function.params.get(at + 1).filter(|next| self.is_size(**next));
            let limit = next.and_then(|_| self.func.params.get(first + at + 1)).copied().map(Operand::Reg);
            is_writing |= self.write_any(span, pointer, pointee, limit, &label);
        }
        is_writing
    }

    fn written_label(&self) -> String {
        format!("what {}() wrote", self.func.source_name)
    }

    /// A call without a prototype: only the arguments say what may be written.
    pub(super) fn write_through_arguments(&mut self, span: Span, callee: DeclId, args: &[(Operand, TyId)]) {
        let decl = &self.unit.decls[callee];
        let name = self.name(decl.name);
        let has_prototype = class::function_type(&self.unit.types, decl.ty.ty).is_some_and(|ty| ty.has_prototype);
        let is_masking = self.cx.options.interrupts.mask(&name, false).is_some();
        if has_prototype || is_masking || self.cx.options.missing.mode(&name) != MissingMode::Havoc {
            return;
        }
        if self.cx.is_defined(DeclRef { unit: self.unit_index, decl: callee }) {
            return;
        }
        for (pointer, ty) in args {
            if let (Class::Scalar(Ty::Ptr), Some(pointee)) = (self.class(*ty), class::pointee(&self.unit.types, *ty)) {
                self.write_any(span, *pointer, pointee, None, &format!("what {name}() wrote"));
            }
        }
    }

    /// Makes what a pointer leads to any value, up to a limit in bytes; `false` if nothing there can be written.
    fn write_any(
        &mut self,
        span: Span,
        pointer: Operand,
        pointee: QualTy,
        limit: Option<Operand>,
        label: &str,
    ) -> bool {
        let types = &self.unit.types;
        if is_const(types, pointee) {
            return false;
        }
        let element = match (types.get(pointee.ty), types.size_of(pointee.ty)) {
            (Type::Void, _) => 0,
            (Type::Function(_), _) | (_, None | Some(0)) => return false,
            (_, Some(size)) => size,
        };
        let mut kept = Vec::new();
        self.library_parts(pointee.ty, 0, &mut kept);
        if kept.first() == Some(&(0, element)) && element > 0 {
            return false;
        }
        let word = self.word();
        let size = self.temp(word);
        self.emit(span, StmtKind::ObjectSize { dst: size, addr: pointer, element: Some(element) });
        let size = Operand::Reg(size);
        if kept.is_empty() {
            let bytes = match limit.filter(|_| element <= 1) {
                Some(limit) => {
                    let cond = self.compute(span, BIT, Rvalue::Compare(CmpOp::ULt, word, limit, size));
                    self.compute(span, word, Rvalue::Select { cond, then: limit, otherwise: size })
                }
                None => size,
            };
            self.emit_any(span, pointer, bytes, label);
            return true;
        }
        // Parts of the library's in the middle: what lies between them, of one object.
        let all = self.word_value(element);
        let cond = self.compute(span, BIT, Rvalue::Compare(CmpOp::UGe, word, size, all));
        let mut from = 0;
        for (start, end) in kept.into_iter().chain([(element, element)]) {
            if from < start {
                let (len, none) = (self.word_value(start - from), self.word_value(0));
                let bytes = self.compute(span, word, Rvalue::Select { cond, then: len, otherwise: none });
                let index = self.word_value(from);
                let part = self.compute(span, Ty::Ptr, Rvalue::PtrAdd { base: pointer, index, stride: 1 });
                self.emit_any(span, part, bytes, label);
            }
            from = from.max(end);
        }
        true
    }

    fn emit_any(&mut self, span: Span, dst: Operand, bytes: Operand, label: &str) {
        self.emit(span, StmtKind::MemAny { dst, bytes, is_assumed: true, label: label.to_owned() });
    }

    /// `size_t` and whatever else is an unsigned word.
    fn is_size(&self, ty: TyId) -> bool {
        self.class(ty) == Class::Scalar(self.word()) && !class::is_signed(&self.unit.types, ty)
    }

    /// The parts of a type that belong to the C library, ascending.
    fn library_parts(&self, ty: TyId, offset: u64, found: &mut Vec<(u64, u64)>) {
        let types = &self.unit.types;
        match types.get(ty) {
            Type::Record(record) if self.is_library_record(*record) => {
                found.push((offset, offset + types.size_of(ty).unwrap_or(0)));
            }
            Type::Record(record) => {
                for field in &types.records[*record].fields {
                    self.library_parts(field.ty.ty, offset + field.offset, found);
                }
                found.sort_unstable();
            }
            Type::Array { element, .. } => {
                let mut inner = Vec::new();
                self.library_parts(element.ty, 0, &mut inner);
                let (stride, size) = (types.size_of(element.ty).unwrap_or(0), types.size_of(ty).unwrap_or(0));
                if !inner.is_empty() && stride > 0 {
                    let starts = (0..size / stride).map(|at| offset + at * stride);
                    found.extend(
                        starts.flat_map(|start| inner.iter().map(move |part| (start + part.0, start + part.1))),
                    );
                }
            }
            Type::Void
            | Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::NullPtr
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Enum(_)
            | Type::Vector { .. }
            | Type::VaList
            | Type::Unknown(_)
            | Type::Error => {}
        }
    }

    /// Streams, and what threads are synchronised with: their members have reserved names.
    fn is_library_record(&self, record: RecordId) -> bool {
        let record = &self.unit.types.records[record];
        let is_stream = record.tag.is_some_and(|tag| self.name(tag) == "_IO_FILE");
        let first = record.fields.first().and_then(|field| field.name).map(|name| self.name(name));
        is_stream || first.is_some_and(|name| name == "__data" || name == "__size")
    }
}

fn is_const(types: &TypeTable, pointee: QualTy) -> bool {
    match types.get(pointee.ty) {
        Type::Array { element, .. } => pointee.is_const() || is_const(types, *element),
        _other => pointee.is_const(),
    }
}
