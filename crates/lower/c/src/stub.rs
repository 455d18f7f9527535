//! Stubs of undefined functions: any result, the havocked writes of `missing.rs`, and the assumption in a note.

use unpick_base::Span;
use unpick_program::program::{
    Access, AllocKind, BlockId, Contents, FuncId, Operand, RegId, Rvalue, StmtKind, Terminator, Ty,
};

use super::class::{self, Class};
use super::function::{FunctionLowering, promoted};
use super::missing::MissingMode;
use super::{DeclRef, Lowering};
use unpick_front_c::ast::{Decl, DeclKind};
use unpick_front_c::types::{IntKind, TyId, Type};

/// Room for a text that comes from nowhere.
const TEXT_BYTES: u64 = 8;

impl Lowering<'_> {
    pub(super) fn make_stub(&mut self, id: FuncId, at: DeclRef) {
        let unit = self.unit(at.unit);
        let decl = &unit.decls[at.decl];
        let mut lowering = FunctionLowering::new(self, &unit, at.unit, id, decl);
        lowering.stub(decl);
        let func = lowering.func;
        self.program.functions[id] = func;
    }
}

impl FunctionLowering<'_, '_, '_> {
    fn stub(&mut self, decl: &Decl) {
        let span = decl.span;
        let name = self.func.source_name.clone();
        let result = self.stub_parameters(decl);
        let is_noreturn = matches!(&decl.kind, DeclKind::Function(function) if function.is_noreturn);
        let ret = self.ret;
        let mode = self.cx.options.missing.mode(&name);
        if mode == MissingMode::Fail {
            self.cx.complain_about_missing(span, &format!("function `{name}` has no body"));
        }
        let function = class::function_type(&self.unit.types, decl.ty.ty).cloned();
        // The note comes first: it marks the function as one that we made up.
        let note = self.note_here(span);
        let is_writing = match &function {
            Some(function) if mode == MissingMode::Havoc && !is_noreturn => {
                let is_open = !function.has_prototype;
                self.write_through_parameters(span, function, usize::from(result.is_some())) || is_open
            }
            Some(_) | None => false,
        };
        let effect = if is_writing {
            "to write any value through its pointer arguments (pointers there stay), and to leave other memory alone"
        } else {
            "to leave memory alone"
        };
        let what = match (is_noreturn, self.class(ret)) {
            (true, _) => "to end the program".to_owned(),
            (false, Class::Void) if !is_writing => "to have no effect".to_owned(),
            (false, Class::Void) => effect.to_owned(),
            (false, Class::Scalar(Ty::Ptr)) if self.points_to_text(ret) => {
                format!("to return NULL or a new text of up to {} bytes, and {effect}", TEXT_BYTES - 1)
            }
            (false, Class::Scalar(Ty::Ptr)) => {
                format!("to return NULL or a new object with any contents, and {effect}")
            }
            (false, Class::Scalar(_) | Class::Memory) if is_writing => format!("to return any value, {effect}"),
            (false, Class::Scalar(_) | Class::Memory) => format!("to return any value and {effect}"),
        };
        self.set_note(note, format!("`{name}` has no body: assumed {what}"));
        if is_noreturn {
            self.terminate(span, Terminator::Exit { code: Operand::Bits(Ty::Int(32), 0), is_abort: true });
            self.finish();
            return;
        }
        let label = format!("result of {name}()");
        match (self.class(ret), result) {
            (Class::Void, _) => self.terminate(span, Terminator::Return(None)),
            (Class::Memory, Some(pointer)) => {
                let value = self.any_value(span, ret, label);
                let bytes = self.unit.types.size_of(ret).unwrap_or(0);
                self.copy(span, Operand::Reg(pointer), value, bytes, Default::default());
                self.terminate(span, Terminator::Return(None));
            }
            (Class::Memory, None) => self.terminate(span, Terminator::Return(None)),
            (Class::Scalar(Ty::Ptr), _) => {
                let value = self.null_or_new(span, ret, &name);
                self.terminate(span, Terminator::Return(Some(value)));
            }
            (Class::Scalar(_), _) => {
                let value = self.any_value(span, ret, label);
                self.terminate(span, Terminator::Return(Some(value)));
            }
        }
        self.finish();
    }

    /// A note whose text is not known yet.
    fn note_here(&mut self, span: Span) -> (BlockId, usize) {
        self.emit(span, StmtKind::Note(String::new()));
        (self.block, self.func.blocks[self.block].stmts.len() - 1)
    }

    fn set_note(&mut self, (block, at): (BlockId, usize), text: String) {
        self.func.blocks[block].stmts[at].kind = StmtKind::Note(text);
    }

    fn points_to_text(&self, ty: TyId) -> bool {
        let pointee = class::pointee(&self.unit.types, ty).map(|pointee| self.unit.types.get(pointee.ty));
        matches!(pointee, Some(Type::Int(IntKind::Char)))
    }

    /// Parameters by the declared type; gives the pointer for a struct result.
    pub(super) fn stub_parameters(&mut self, decl: &Decl) -> Option<RegId> {
        let unit = self.unit;
        let function = class::function_type(&unit.types, decl.ty.ty)?;
        let result = match self.class(function.ret.ty) {
            Class::Memory => {
                let reg = self.temp(Ty::Ptr);
                self.func.params.push(reg);
                Some(reg)
            }
            Class::Scalar(ty) => {
                self.func.ret = Some(ty);
                None
            }
            Class::Void => None,
        };
        for param in &function.params {
            let ty = match class::passed_class(&unit.types, *param) {
                Class::Scalar(ty) if function.has_prototype => ty,
                Class::Scalar(ty) => promoted(ty),
                Class::Void | Class::Memory => Ty::Ptr,
            };
            let reg = self.temp(ty);
            self.func.params.push(reg);
        }
        if function.is_variadic {
            let reg = self.temp(Ty::Ptr);
            self.func.params.push(reg);
            self.func.is_variadic = true;
        }
        result
    }

    /// A null pointer or a pointer to a new object that holds anything.
    pub(super) fn null_or_new(&mut self, span: Span, ty: TyId, name: &str) -> Operand {
        let result = self.temp(Ty::Ptr);
        let is_new = self.temp(Ty::Int(1));
        let label = format!("whether {name}() returns an object");
        self.emit(span, StmtKind::Choose { dst: is_new, range: None, label });
        let (new, null, end) = (self.new_block(), self.new_block(), self.new_block());
        self.terminate(span, Terminator::Branch { cond: Operand::Reg(is_new), then: new, otherwise: null });
        self.switch_to(new);
        let is_text = self.points_to_text(ty);
        let object = self.new_object(span, ty, if is_text { TEXT_BYTES } else { 1 });
        self.emit(span, StmtKind::Assign(result, Rvalue::Use(object)));
        if is_text {
            let index = self.word_value(TEXT_BYTES - 1);
            let addr = self.compute(span, Ty::Ptr, Rvalue::PtrAdd { base: object, index, stride: 1 });
            let value = Operand::Bits(Ty::Int(8), 0);
            self.emit(span, StmtKind::Store { addr, value, ty: Ty::Int(8), access: Access::default() });
        }
        self.goto(span, end);
        self.switch_to(null);
        self.emit(span, StmtKind::Assign(result, Rvalue::Use(Operand::Null)));
        self.goto(span, end);
        self.switch_to(end);
        Operand::Reg(result)
    }

    /// A new object of some elements that hold anything, for a pointer of this type.
    pub(super) fn new_object(&mut self, span: Span, ty: TyId, n_elements: u64) -> Operand {
        let pointee = class::pointee(&self.unit.types, ty).map_or(TyId::CHAR, |pointee| pointee.ty);
        let size = self.unit.types.size_of(pointee).unwrap_or(1);
        let align = self.unit.types.align_of(pointee).unwrap_or(16);
        let (bytes, contents) = (self.word_value(size.saturating_mul(n_elements)), Contents::Any);
        let dst = self.temp(Ty::Ptr);
        self.emit(span, StmtKind::Alloc { dst, bytes, align, kind: AllocKind::Heap, contents });
        Operand::Reg(dst)
    }
}
