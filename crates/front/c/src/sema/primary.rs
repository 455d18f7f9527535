//! Analysis of literals, names, members, subscripts and operators on types (`sizeof`, `_Alignof`).

use unpick_base::Span;

use super::Sema;
use crate::ast::{self, BinaryOp, Decl, DeclKind, ExprId, ExprKind, Init, Storage, UnaryOp};
use crate::syntax::{
    Designator, Encoding, Expr, FloatLit, GenericArm, GenericControl, Ident, InitList, IntLit, IntSize, StrLit,
    TypeName,
};
use crate::types::{ArrayExtent, QualSet, QualTy, TyId, Type};

impl Sema {
    pub(super) fn int_literal(&mut self, literal: &IntLit, span: Span) -> ExprId {
        let first = match literal.size {
            IntSize::Int => 0,
            IntSize::Long => 1,
            IntSize::LongLong => 2,
        };
        let signed = [TyId::INT, TyId::LONG, TyId::LONGLONG, TyId::INT128];
        let unsigned = [TyId::UINT, TyId::ULONG, TyId::ULONGLONG, TyId::UINT128];
        let mut ty = TyId::UINT128;
        'search: for size in first..4 {
            for (is_signed, candidate) in [(true, signed[size]), (false, unsigned[size])] {
                let is_allowed =
                    if is_signed { !literal.is_unsigned } else { literal.is_unsigned || !literal.is_decimal };
                let bits = self.shape_of(candidate).map_or(128, |shape| shape.bits) - u32::from(is_signed);
                if is_allowed && (bits >= 128 || literal.value >> bits == 0) {
                    ty = candidate;
                    break 'search;
                }
            }
        }
        if literal.is_imaginary {
            let complex = self.unit.types.intern(Type::Complex(crate::types::FloatKind::Double));
            return self.add_value(ExprKind::Float(format!("{}.0", literal.value).into()), complex, span);
        }
        self.add_int(literal.value as i128, ty, span)
    }

    pub(super) fn float_literal(&mut self, literal: &FloatLit, span: Span) -> ExprId {
        let ty = self.basic_type(literal.ty);
        let ty = match (literal.is_imaginary, self.get(ty)) {
            (true, Type::Float(kind)) => {
                let complex = Type::Complex(*kind);
                self.unit.types.intern(complex)
            }
            _ => ty,
        };
        self.add_value(ExprKind::Float(literal.digits.as_str().into()), ty, span)
    }

    pub(super) fn char_literal(&mut self, value: u32, prefix: Encoding, span: Span) -> ExprId {
        let (ty, value) = match prefix {
            Encoding::Plain => (TyId::INT, i128::from(value as i32)),
            Encoding::Wide => (self.wide_char_type(), i128::from(value as i32)),
            Encoding::Utf8 => (TyId::UCHAR, i128::from(value as u8)),
            Encoding::Utf16 => (TyId::USHORT, i128::from(value as u16)),
            Encoding::Utf32 => (TyId::UINT, i128::from(value)),
        };
        self.add_int(value, ty, span)
    }

    /// The element type of a string literal.
    pub(super) fn unit_type(&self, encoding: Encoding) -> TyId {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => TyId::CHAR,
            Encoding::Wide => self.wide_char_type(),
            Encoding::Utf16 => TyId::USHORT,
            Encoding::Utf32 => TyId::UINT,
        }
    }

    pub(super) fn str_literal(&mut self, literal: &StrLit, span: Span) -> ExprId {
        let element = QualTy::plain(self.unit_type(literal.encoding));
        let extent = ArrayExtent::Fixed(literal.units.len() as u64 + 1);
        let ty = self.unit.types.intern(Type::Array { element, extent });
        let kind = ExprKind::Str { units: literal.units.clone(), encoding: literal.encoding };
        self.add(kind, QualTy::plain(ty), span)
    }

    pub(super) fn identifier(&mut self, ident: Ident, span: Span) -> ExprId {
        let Some(decl) = self.scopes.name(ident.name) else {
            let decl = match self.known_function(ident) {
                Some(decl) => decl,
                None if let Some(value) = self.library_value(ident, span) => return value,
                None => self.undeclared_variable(ident),
            };
            let ty = self.unit.decls[decl].ty;
            return self.add(ExprKind::Decl(decl), ty, span);
        };
        let item = &self.unit.decls[decl];
        let ty = item.ty;
        match item.kind {
            DeclKind::Var(_) | DeclKind::Function(_) => self.add(ExprKind::Decl(decl), ty, span),
            DeclKind::Enumerator { value } => self.add_int(value, ty.ty, span),
            DeclKind::Typedef => {
                let message = format!("`{}` is a type, not a value", self.name(ident.name));
                self.error(span, message);
                self.add_error(span)
            }
        }
    }

    /// `__func__`: a static array made on first use in a function.
    pub(super) fn function_name(&mut self, span: Span) -> ExprId {
        let existing = self.function.as_ref().map(|state| (state.name_decl, state.decl));
        let decl = match existing {
            Some((Some(decl), _)) => decl,
            Some((None, function)) => {
                let text = self.name(self.unit.decls[function].name).to_owned();
                let decl = self.declare_function_name(&text, span);
                if let Some(state) = &mut self.function {
                    state.name_decl = Some(decl);
                }
                decl
            }
            None => {
                let literal = StrLit { units: Vec::new(), encoding: Encoding::Plain };
                return self.str_literal(&literal, span);
            }
        };
        let ty = self.unit.decls[decl].ty;
        self.add(ExprKind::Decl(decl), ty, span)
    }

    fn declare_function_name(&mut self, text: &str, span: Span) -> ast::DeclId {
        let units: Vec<u32> = text.bytes().map(u32::from).collect();
        let element = QualTy { ty: TyId::CHAR, quals: QualSet::CONST };
        let extent = ArrayExtent::Fixed(units.len() as u64 + 1);
        let ty = self.unit.types.intern(Type::Array { element, extent });
        let mut var = super::declarator::local_var(Storage::Static);
        var.init = Some(Init::Str { units, unit_bytes: 1 });
        var.is_address_taken = true;
        let name = self.session.interner.intern("__func__");
        self.unit.decls.push(Decl { name, span, ty: QualTy::plain(ty), kind: DeclKind::Var(var) })
    }

    pub(super) fn compound_literal(&mut self, name: &TypeName, list: &InitList, span: Span) -> ExprId {
        let ty = self.type_name(name);
        let (init, ty) = self.init_list_for(ty, list);
        if !self.require_complete(ty.ty, name.span) {
            return self.add_error(span);
        }
        let is_static = self.function.is_none();
        if is_static {
            self.check_static_init(&init);
        }
        self.add(ExprKind::CompoundLiteral { init: Box::new(init), is_static }, ty, span)
    }

    pub(super) fn subscript(&mut self, base: &Expr, index: &Expr, span: Span) -> ExprId {
        let (a, b) = (self.expr(base), self.expr(index));
        let is_base = |sema: &Sema, id: ExprId| {
            let ty = sema.ty_of(id);
            sema.is_array(ty) || sema.is_vector(ty)
        };
        if is_base(self, a) && self.is_integer(self.ty_of(b)) {
            return self.array_element(a, b, span);
        }
        if is_base(self, b) && self.is_integer(self.ty_of(a)) {
            return self.array_element(b, a, span);
        }
        let (a, b) = (self.value_of(a), self.value_of(b));
        if self.is_error(a) || self.is_error(b) {
            return self.add_error(span);
        }
        if self.pointee(self.ty_of(b)).is_none() {
            let ty = self.ty_of(a);
            self.learn_pointer(ty);
        }
        let (pointer, index) = if self.pointee(self.ty_of(a)).is_some() { (a, b) } else { (b, a) };
        let (pointer_ty, index_ty) = (self.ty_of(pointer), self.ty_of(index));
        if self.pointee(pointer_ty).is_none() || !self.is_integer(index_ty) {
            let message = format!(
                "a subscript needs a pointer or array and an integer, not `{}` and `{}`",
                self.spell(pointer_ty),
                self.spell(index_ty)
            );
            self.error(span, message);
            return self.add_error(span);
        }
        self.check_pointee_size(pointer_ty, span);
        let sum = self.add_value(ExprKind::Binary(BinaryOp::PtrAdd, pointer, index), pointer_ty, span);
        self.dereference(sum, span)
    }

    fn array_element(&mut self, base: ExprId, index: ExprId, span: Span) -> ExprId {
        let index = self.value_of(index);
        let base_ty = self.type_of(base);
        self.mark_address_taken(base);
        let element = match *self.get(base_ty.ty) {
            Type::Array { element, .. } => element.with(base_ty.quals),
            Type::Vector { element, .. } => QualTy { ty: element, quals: base_ty.quals },
            _ => QualTy::plain(TyId::ERROR),
        };
        self.add(ExprKind::Index { base, index }, element, span)
    }

    pub(super) fn member(&mut self, base: &Expr, field: Ident, is_arrow: bool, span: Span) -> ExprId {
        let mut object = self.expr(base);
        if is_arrow {
            let pointer = self.value_of(object);
            if self.is_error(pointer) {
                return pointer;
            }
            let ty = self.ty_of(pointer);
            self.learn_pointer(ty);
            if self.pointee(ty).is_none() {
                let message = format!("`->` needs a pointer, not `{}`", self.spell(ty));
                self.error(span, message);
                return self.add_error(span);
            }
            object = self.dereference(pointer, base.span);
        }
        if self.is_error(object) {
            return object;
        }
        let ty = self.ty_of(object);
        let Some(record) = self.learn_record(ty) else {
            let message = match self.pointee(ty) {
                Some(_) if !is_arrow => format!("`{}` is a pointer: use `->`", self.spell(ty)),
                _ => format!("`{}` has no members", self.spell(ty)),
            };
            self.error(span, message);
            return self.add_error(span);
        };
        let path = self.find_member(record, field.name);
        let path = path.or_else(|| self.assume_member(record, field).map(|index| vec![(record, index)]));
        let Some(path) = path else {
            let message = if self.is_complete(ty) {
                format!("`{}` has no member `{}`", self.spell(ty), self.name(field.name))
            } else {
                format!("`{}` is incomplete here: member `{}` is unknown", self.spell(ty), self.name(field.name))
            };
            self.error(field.span, message);
            return self.add_error(span);
        };
        for (record, index) in path {
            object = self.add_member(object, record, index, span);
        }
        object
    }

    fn add_member(&mut self, base: ExprId, record: crate::types::RecordId, index: u32, span: Span) -> ExprId {
        let field_ty = self.types().records[record].fields[index as usize].ty;
        let ty = if self.is_lvalue(base) {
            let quals = self.type_of(base).quals.without(QualSet::RESTRICT.with(QualSet::ATOMIC));
            self.qualify(field_ty, quals)
        } else {
            QualTy::plain(field_ty.ty)
        };
        self.add(ExprKind::Member { base, record, index }, ty, span)
    }

    pub(super) fn unevaluated(&mut self, operand: &Expr) -> ExprId {
        self.n_unevaluated += 1;
        let id = self.expr(operand);
        self.n_unevaluated -= 1;
        id
    }

    pub(super) fn sizeof_expr(&mut self, operand: &Expr, span: Span) -> ExprId {
        let id = self.unevaluated(operand);
        if self.is_lvalue(id) && self.bit_field(id).is_some() {
            self.error(span, "`sizeof` cannot be applied to a bit-field");
        } else if let Some(bits) = self.bit_field(id) {
            // The value of an assignment to a bit-field has, for gcc, the smallest type that is wide enough.
            let size = u64::from(bits).div_ceil(8).next_power_of_two();
            let size_type = self.size_type();
            return self.add_int(i128::from(size), size_type, span);
        }
        let ty = self.type_of(id);
        self.sizeof_type(ty, span)
    }

    pub(super) fn sizeof_type(&mut self, ty: QualTy, span: Span) -> ExprId {
        let size_type = self.size_type();
        if ty.ty == TyId::ERROR {
            return self.add_error(span);
        }
        if self.is_vla(ty.ty) {
            return self.add_value(ExprKind::SizeofVla(ty), size_type, span);
        }
        if ty.ty == TyId::VOID || self.is_function(ty.ty) {
            return self.add_int(1, size_type, span);
        }
        if !self.require_complete(ty.ty, span) {
            return self.add_error(span);
        }
        match self.types().size_of(ty.ty) {
            Some(size) => self.add_int(i128::from(size), size_type, span),
            None => self.add_error(span),
        }
    }

    pub(super) fn alignof_expr(&mut self, operand: &Expr, span: Span) -> ExprId {
        let id = self.unevaluated(operand);
        let explicit = match &self.unit.exprs[id].kind {
            ExprKind::Decl(decl) => match &self.unit.decls[*decl].kind {
                DeclKind::Var(var) => var.align,
                _ => None,
            },
            ExprKind::Member { record, index, .. } => self.types().records[*record].fields[*index as usize].align_attr,
            _ => None,
        };
        let ty = self.type_of(id);
        self.alignof_type(ty, explicit, span)
    }

    pub(super) fn alignof_type(&mut self, ty: QualTy, explicit: Option<u64>, span: Span) -> ExprId {
        let size_type = self.size_type();
        if ty.ty == TyId::ERROR {
            return self.add_error(span);
        }
        let align = match explicit {
            Some(align) => Some(align),
            None if ty.ty == TyId::VOID || self.is_function(ty.ty) => Some(1),
            None => self.types().align_of(ty.ty),
        };
        match align {
            Some(align) => self.add_int(i128::from(align), size_type, span),
            None => {
                let message = format!("`{}` is incomplete here", self.spell(ty.ty));
                self.error(span, message);
                self.add_error(span)
            }
        }
    }

    pub(super) fn generic(&mut self, control: &GenericControl, arms: &[GenericArm], span: Span) -> ExprId {
        let (control_ty, is_type) = match control {
            GenericControl::Expr(expr) => {
                let id = self.unevaluated(expr);
                self.n_unevaluated += 1;
                let value = self.value_of(id);
                self.n_unevaluated -= 1;
                (QualTy::plain(self.ty_of(value)), false)
            }
            GenericControl::Type(name) => (self.type_name(name), true),
        };
        let mut chosen = None;
        let mut default = None;
        for arm in arms {
            let Some(name) = &arm.ty else {
                default = Some(&arm.value);
                continue;
            };
            let ty = self.type_name(name);
            let quals_agree = ty.quals == if is_type { control_ty.quals } else { QualSet::NONE };
            let agree = control_ty.ty != TyId::ERROR && quals_agree && self.are_compatible(control_ty.ty, ty.ty);
            if agree && chosen.is_none() {
                chosen = Some(&arm.value);
            }
        }
        match chosen.or(default) {
            Some(value) => self.expr(value),
            None => {
                if control_ty.ty != TyId::ERROR {
                    let message = format!("no association of `_Generic` fits `{}`", self.spell_qual(control_ty));
                    self.error(span, message);
                }
                self.add_error(span)
            }
        }
    }

    pub(super) fn offsetof(&mut self, name: &TypeName, path: &[Designator], span: Span) -> ExprId {
        let mut ty = self.type_name(name).ty;
        let size_type = self.size_type();
        let mut offset: u64 = 0;
        let mut dynamic: Option<ExprId> = None;
        for step in path {
            if ty == TyId::ERROR {
                return self.add_error(span);
            }
            match step {
                Designator::Field(field) => {
                    let members = self.record_of(ty).and_then(|record| self.find_member(record, field.name));
                    let Some(members) = members else {
                        let message = format!("`{}` has no member `{}`", self.spell(ty), self.name(field.name));
                        self.error(field.span, message);
                        return self.add_error(span);
                    };
                    for (record, index) in members {
                        let field = &self.types().records[record].fields[index as usize];
                        offset = offset.wrapping_add(field.offset);
                        ty = field.ty.ty;
                    }
                }
                Designator::Index(index) | Designator::Range(index, _) => {
                    let Some(element) = self.element(ty) else {
                        let message = format!("`{}` is not an array", self.spell(ty));
                        self.error(index.span, message);
                        return self.add_error(span);
                    };
                    ty = element.ty;
                    let stride = self.types().size_of(ty).unwrap_or(0);
                    let value = self.rvalue(index);
                    match self.const_int(value) {
                        Some(n) => offset = offset.wrapping_add((n as u64).wrapping_mul(stride)),
                        None => {
                            let value = self.convert(value, size_type, true);
                            let stride = self.add_int(i128::from(stride), size_type, span);
                            let scaled = ExprKind::Binary(BinaryOp::Mul, value, stride);
                            let scaled = self.add_value(scaled, size_type, span);
                            dynamic = Some(match dynamic {
                                None => scaled,
                                Some(sum) => {
                                    self.add_value(ExprKind::Binary(BinaryOp::Add, sum, scaled), size_type, span)
                                }
                            });
                        }
                    }
                }
            }
        }
        let constant = self.add_int(i128::from(offset), size_type, span);
        match dynamic {
            Some(sum) => self.add_value(ExprKind::Binary(BinaryOp::Add, constant, sum), size_type, span),
            None => constant,
        }
    }

    pub(super) fn arithmetic_unary(&mut self, op: crate::syntax::UnaryOp, operand: &Expr, span: Span) -> ExprId {
        let value = self.rvalue(operand);
        let ty = self.ty_of(value);
        if ty == TyId::ERROR {
            return self.add_error(span);
        }
        let (op, is_allowed, sign) = match op {
            crate::syntax::UnaryOp::Minus => (UnaryOp::Neg, self.is_arithmetic(ty), "-"),
            crate::syntax::UnaryOp::BitNot => {
                (UnaryOp::BitNot, self.is_integer(ty) || matches!(self.get(ty), Type::Complex(_)), "~")
            }
            _ => (UnaryOp::Plus, self.is_arithmetic(ty), "+"),
        };
        if self.is_vector(ty) {
            return self.add_value(ExprKind::Unary(op, value), ty, span);
        }
        if !is_allowed {
            let message = format!("unary `{sign}` cannot be applied to `{}`", self.spell(ty));
            self.error(span, message);
            return self.add_error(span);
        }
        let value = self.promote(value);
        let ty = self.ty_of(value);
        self.add_value(ExprKind::Unary(op, value), ty, span)
    }
}
