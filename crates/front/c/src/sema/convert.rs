//! Implicit conversions, made explicit as cast nodes.

use unpick_base::{Span, Symbol};

use super::Sema;
use super::typing::{int_shape, int_ty, unsigned_of};
use crate::ast::{CastKind, ExprId, ExprKind};
use crate::syntax;
use crate::types::{FloatKind, IntKind, QualSet, QualTy, Target, TyId, Type};

/// What makes a value take another type, for messages.
#[derive(Clone, Copy)]
pub(super) enum Why {
    Assign,
    Init,
    /// Argument number from one, and the function if it has a name.
    Argument(usize, Option<Symbol>),
    Return,
}

impl Sema {
    /// Analyses an expression and makes it a value.
    pub(super) fn rvalue(&mut self, expr: &syntax::Expr) -> ExprId {
        let id = self.expr(expr);
        self.value_of(id)
    }

    /// An expression that decides a branch: any scalar value.
    pub(super) fn condition(&mut self, expr: &syntax::Expr) -> ExprId {
        let value = self.rvalue(expr);
        self.check_scalar(value);
        value
    }

    pub(super) fn check_scalar(&mut self, value: ExprId) {
        let ty = self.ty_of(value);
        if !self.is_scalar(ty) {
            let message = format!("a scalar is needed here, not `{}`", self.spell(ty));
            let span = self.span_of(value);
            self.error(span, message);
        }
    }

    /// Lvalues are read, arrays and functions become pointers.
    pub(super) fn value_of(&mut self, expr: ExprId) -> ExprId {
        let ty = self.type_of(expr);
        match *self.get(ty.ty) {
            Type::Array { element, .. } => {
                self.mark_address_taken(expr);
                let pointer = self.pointer_to(element.with(ty.quals));
                self.add_cast(CastKind::ArrayDecay, expr, pointer, true)
            }
            Type::Function(_) => {
                let pointer = self.pointer_to(QualTy::plain(ty.ty));
                self.add_cast(CastKind::FunctionDecay, expr, pointer, true)
            }
            Type::VaList if self.types().target == Target::Lp64 => {
                self.mark_address_taken(expr);
                let pointer = self.pointer_to(QualTy::plain(ty.ty));
                self.add_cast(CastKind::ArrayDecay, expr, pointer, true)
            }
            Type::Void | Type::Error => expr,
            Type::Record(_) if !self.is_complete(ty.ty) && self.is_lvalue(expr) => {
                let message = format!("`{}` is incomplete here", self.spell(ty.ty));
                let span = self.span_of(expr);
                self.error(span, message);
                self.add_error(span)
            }
            _ if self.is_lvalue(expr) => self.add_cast(CastKind::Load, expr, ty.ty, true),
            _ => expr,
        }
    }

    /// The type integer promotion gives a value.
    pub(super) fn promoted(&self, value: ExprId) -> TyId {
        let ty = self.ty_of(value);
        let Some(kind) = self.int_kind(ty) else { return ty };
        let shape = int_shape(kind, self.types().target);
        if let Some(bits) = self.bit_field(value) {
            let fits_int = bits < 32 || bits == 32 && shape.is_signed;
            return match (fits_int, bits) {
                (true, _) => TyId::INT,
                (false, 32) => TyId::UINT,
                (false, _) => int_ty(kind),
            };
        }
        if shape.rank < 3 { TyId::INT } else { int_ty(kind) }
    }

    pub(super) fn promote(&mut self, value: ExprId) -> ExprId {
        let ty = self.promoted(value);
        self.convert(value, ty, true)
    }

    /// Promotions of arguments no parameter type is known for.
    pub(super) fn promote_argument(&mut self, value: ExprId) -> ExprId {
        match *self.get(self.ty_of(value)) {
            Type::Float(FloatKind::Float) => self.convert(value, TyId::DOUBLE, true),
            Type::Float(_) => value,
            _ => self.promote(value),
        }
    }

    /// The type both operands of an arithmetic operation take.
    pub(super) fn common_type(&mut self, a: ExprId, b: ExprId) -> TyId {
        let (x, y) = (self.get(self.ty_of(a)).clone(), self.get(self.ty_of(b)).clone());
        match (&x, &y) {
            (Type::Error, _) | (_, Type::Error) => return TyId::ERROR,
            (Type::Vector { .. }, _) => return self.ty_of(a),
            (_, Type::Vector { .. }) => return self.ty_of(b),
            _ => {}
        }
        let float = |ty: &Type| match ty {
            Type::Float(kind) | Type::Complex(kind) => Some(*kind),
            _ => None,
        };
        let kind = match (float(&x), float(&y)) {
            (Some(p), Some(q)) => Some(if q.rank() > p.rank() { q } else { p }),
            (p, q) => p.or(q),
        };
        if let Some(kind) = kind {
            let is_complex = matches!(x, Type::Complex(_)) || matches!(y, Type::Complex(_));
            return self.unit.types.intern(if is_complex { Type::Complex(kind) } else { Type::Float(kind) });
        }
        let (p, q) = (self.promoted(a), self.promoted(b));
        self.common_integer(p, q)
    }

    /// The usual conversions of two promoted integer types.
    fn common_integer(&self, a: TyId, b: TyId) -> TyId {
        if a == b {
            return a;
        }
        let (Some(x), Some(y)) = (self.int_kind(a), self.int_kind(b)) else { return TyId::ERROR };
        let target = self.types().target;
        let (sx, sy) = (int_shape(x, target), int_shape(y, target));
        if sx.is_signed == sy.is_signed {
            return if sy.rank > sx.rank { b } else { a };
        }
        let ((signed, s), (unsigned, u)) = if sx.is_signed { ((x, sx), (y, sy)) } else { ((y, sy), (x, sx)) };
        let kind = if u.rank >= s.rank {
            unsigned
        } else if s.bits > u.bits {
            signed
        } else {
            unsigned_of(signed)
        };
        int_ty(kind)
    }

    /// Changes the type of a value, whatever the two types are; complaints are the caller's.
    pub(super) fn convert(&mut self, value: ExprId, to: TyId, is_implicit: bool) -> ExprId {
        let from = self.ty_of(value);
        if from == to && is_implicit || from == TyId::ERROR && !self.is_unmodelled(value) {
            return value;
        }
        let kind = self.cast_kind(value, from, to);
        self.add_cast(kind, value, to, is_implicit)
    }

    /// A value whose type is open because it stands for an unmodelled built-in, not because of an error.
    fn is_unmodelled(&self, value: ExprId) -> bool {
        match &self.unit.exprs[value].kind {
            ExprKind::Builtin { .. } => true,
            ExprKind::Comma(left, right) => self.is_unmodelled(*left) || self.is_unmodelled(*right),
            ExprKind::Cond { then, otherwise, .. } => self.is_unmodelled(*then) || self.is_unmodelled(*otherwise),
            _ => false,
        }
    }

    fn cast_kind(&self, value: ExprId, from: TyId, to: TyId) -> CastKind {
        if from == to {
            return CastKind::NoOp;
        }
        let is_int = |ty: TyId| self.is_integer(ty);
        match (self.get(from), self.get(to)) {
            (_, Type::Void) => CastKind::ToVoid,
            (Type::Error, _) | (_, Type::Error) => CastKind::NoOp,
            (Type::Vector { .. }, _) | (_, Type::Vector { .. }) => CastKind::Vector,
            (Type::Complex(_), _) | (_, Type::Complex(_)) => CastKind::Complex,
            (_, Type::Int(IntKind::Bool)) => CastKind::ToBool,
            (Type::Float(_), Type::Float(_)) => CastKind::FloatToFloat,
            (Type::Float(_), _) if is_int(to) => CastKind::FloatToInt,
            (_, Type::Float(_)) if is_int(from) => CastKind::IntToFloat,
            (Type::NullPtr, Type::Pointer(_)) => CastKind::NullToPointer,
            (Type::Pointer(_), Type::Pointer(_)) if self.is_null_constant(value) => CastKind::NullToPointer,
            (Type::Pointer(_), Type::Pointer(_)) => CastKind::PointerToPointer,
            (_, Type::Pointer(_) | Type::NullPtr) if is_int(from) => {
                if self.is_null_constant(value) {
                    CastKind::NullToPointer
                } else {
                    CastKind::IntToPointer
                }
            }
            (Type::Pointer(_) | Type::NullPtr, _) if is_int(to) => CastKind::PointerToInt,
            _ if is_int(from) && is_int(to) => CastKind::IntToInt,
            _ => CastKind::NoOp,
        }
    }

    /// An integer constant expression of value zero, or such a one cast to `void *`.
    pub(super) fn is_null_constant(&self, value: ExprId) -> bool {
        let expr = &self.unit.exprs[value];
        match (&expr.kind, self.get(expr.ty.ty)) {
            (ExprKind::Cast { kind: CastKind::NullToPointer, is_implicit: false, operand }, Type::Pointer(pointee)) => {
                *pointee == QualTy::plain(TyId::VOID) && self.is_integer(self.ty_of(*operand))
            }
            (_, Type::NullPtr) => true,
            (ExprKind::Int(value), Type::Int(_) | Type::Enum(_)) => *value == 0,
            // Only shapes that can be constant are worth evaluating.
            (
                ExprKind::Cast { kind: CastKind::IntToInt | CastKind::NoOp, .. }
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Cond { .. },
                Type::Int(_) | Type::Enum(_),
            ) => self.const_int(value) == Some(0),
            _ => false,
        }
    }

    /// Converts a value as assignment to an object of type `to` does, with the complaints that deserves.
    pub(super) fn assign_to(&mut self, value: ExprId, to: TyId, why: Why) -> ExprId {
        let from = self.ty_of(value);
        if from == to {
            return value;
        }
        self.learn_from_assignment(to, from);
        match (self.get(from), self.get(to)) {
            (Type::Error, _) | (_, Type::Error) => {}
            (Type::Void, _) => return self.cannot_convert(value, to, why),
            (Type::Pointer(a), Type::Pointer(b)) => {
                let (a, b) = (*a, *b);
                self.check_pointers(value, a, b, to, why);
            }
            (_, Type::Int(IntKind::Bool)) if self.is_scalar(from) => {}
            (Type::Pointer(_), _) if self.is_integer(to) => {
                let text = format!("{} makes an integer from a pointer without a cast", self.reason(why));
                let span = self.span_of(value);
                self.warn(span, text);
            }
            (_, Type::Pointer(_)) if self.is_integer(from) => {
                if !self.is_null_constant(value) {
                    let text = format!("{} makes a pointer from an integer without a cast", self.reason(why));
                    let span = self.span_of(value);
                    self.warn(span, text);
                }
            }
            (Type::NullPtr, Type::Pointer(_)) => {}
            (Type::Record(a), Type::Record(b)) if a == b => {}
            (_, Type::Record(id)) if self.types().records[*id].is_transparent_union => {
                return self.transparent_union(value, to, why);
            }
            (Type::Vector { bytes: a, .. }, Type::Vector { bytes: b, .. }) if a == b => {}
            (Type::VaList, Type::VaList) => {}
            (Type::VaList, Type::Pointer(_)) | (Type::Pointer(_), Type::VaList) => {}
            _ if self.is_arithmetic(from) && self.is_arithmetic(to) => {}
            _ => return self.cannot_convert(value, to, why),
        }
        self.convert(value, to, true)
    }

    fn reason(&self, why: Why) -> String {
        match why {
            Why::Assign => "assignment".to_owned(),
            Why::Init => "initialisation".to_owned(),
            Why::Argument(n, Some(name)) => format!("argument {n} of `{}`", self.name(name)),
            Why::Argument(n, None) => format!("argument {n}"),
            Why::Return => "return".to_owned(),
        }
    }

    fn cannot_convert(&mut self, value: ExprId, to: TyId, why: Why) -> ExprId {
        let from = self.ty_of(value);
        let text =
            format!("{}: a value of type `{}` cannot become `{}`", self.reason(why), self.spell(from), self.spell(to));
        let span = self.span_of(value);
        self.error(span, text);
        self.add_error(span)
    }

    /// Complains about pointers that gcc would complain about.
    fn check_pointers(&mut self, value: ExprId, from: QualTy, to: QualTy, to_pointer: TyId, why: Why) {
        self.learn_from_assignment(to.ty, from.ty);
        let (from_quals, to_quals) = (self.quals_of(from), self.quals_of(to));
        let is_void = from.ty == TyId::VOID || to.ty == TyId::VOID;
        let agree = is_void || self.is_null_constant(value) || self.are_pointees_alike(from, to);
        let span = self.span_of(value);
        if !agree {
            let from_pointer = self.ty_of(value);
            let text = format!(
                "{} from incompatible pointer type: `{}` becomes `{}`",
                self.reason(why),
                self.spell(from_pointer),
                self.spell(to_pointer)
            );
            return self.warn(span, text);
        }
        let lost = from_quals.without(to_quals).without(QualSet::RESTRICT.with(QualSet::ATOMIC));
        if lost != QualSet::NONE && !self.is_function(from.ty) {
            let word = if lost.has(QualSet::CONST) { "const" } else { "volatile" };
            let text = format!("{} discards `{word}` from the pointed-to type", self.reason(why));
            self.warn(span, text);
        }
    }

    /// Pointees that may differ in qualifiers and signedness.
    pub(super) fn are_pointees_alike(&mut self, a: QualTy, b: QualTy) -> bool {
        let (x, y) = (self.unqualified(a), self.unqualified(b));
        if self.are_compatible(x, y) {
            return true;
        }
        match (self.int_kind(x), self.int_kind(y)) {
            (Some(p), Some(q)) => int_ty(unsigned_of(p)) == int_ty(unsigned_of(q)),
            _ => match (self.get(x), self.get(y)) {
                (Type::Pointer(p), Type::Pointer(q)) => {
                    let (p, q) = (*p, *q);
                    p.quals == q.quals && self.is_integer(p.ty) && self.are_pointees_alike(p, q)
                }
                _ => false,
            },
        }
    }

    /// An argument for a transparent union takes the first member that accepts it.
    fn transparent_union(&mut self, value: ExprId, to: TyId, why: Why) -> ExprId {
        let Some(record) = self.record_of(to) else { return self.cannot_convert(value, to, why) };
        let members: Vec<TyId> = self.types().records[record].fields.iter().map(|field| field.ty.ty).collect();
        let from = self.ty_of(value);
        let accepts = |sema: &mut Sema, member: TyId| match (sema.get(from).clone(), sema.get(member).clone()) {
            (Type::Pointer(a), Type::Pointer(b)) => {
                a.ty == TyId::VOID || b.ty == TyId::VOID || sema.are_pointees_alike(a, b)
            }
            (_, Type::Pointer(_)) => sema.is_null_constant(value),
            _ => sema.are_compatible(from, member),
        };
        match members.into_iter().find(|member| accepts(self, *member)) {
            Some(member) => {
                let value = self.convert(value, member, true);
                self.add_cast(CastKind::ToUnion, value, to, true)
            }
            None => self.cannot_convert(value, to, why),
        }
    }

    /// A cast as written.
    pub(super) fn explicit_cast(&mut self, value: ExprId, to: QualTy, span: Span) -> ExprId {
        let from = self.ty_of(value);
        let to = self.unqualified(to);
        let cast = match (self.get(from), self.get(to)) {
            (Type::Error, _) | (_, Type::Error | Type::Void) => self.convert(value, to, false),
            (_, Type::Record(id)) if from != to && self.types().records[*id].is_union => {
                let members: Vec<TyId> = self.types().records[*id].fields.iter().map(|field| field.ty.ty).collect();
                if !members.into_iter().any(|member| self.are_compatible(member, from)) {
                    return self.bad_cast(from, to, span);
                }
                self.add_cast(CastKind::ToUnion, value, to, false)
            }
            _ if from == to && !self.is_array(to) => self.convert(value, to, false),
            (Type::Vector { .. }, _) | (_, Type::Vector { .. }) if !self.is_array(to) => self.convert(value, to, false),
            (Type::Pointer(_) | Type::NullPtr, Type::Float(_)) | (Type::Float(_), Type::Pointer(_)) => {
                return self.bad_cast(from, to, span);
            }
            _ if self.is_scalar(to) && self.is_scalar(from) => self.convert(value, to, false),
            (Type::Pointer(_), Type::VaList) | (Type::VaList, Type::Pointer(_)) => self.convert(value, to, false),
            (Type::Record(a), Type::Record(b)) if a == b => self.convert(value, to, false),
            _ => return self.bad_cast(from, to, span),
        };
        if cast != value {
            self.unit.exprs[cast].span = span;
        }
        cast
    }

    fn bad_cast(&mut self, from: TyId, to: TyId, span: Span) -> ExprId {
        let text = format!("a value of type `{}` cannot be cast to `{}`", self.spell(from), self.spell(to));
        self.error(span, text);
        self.add_error(span)
    }
}
