//! Attributes with semantic effect; the others are ignored.

use super::Sema;
use super::typing::int_ty;
use crate::syntax::{Attr, AttrArg, ExprKind, Ident};
use crate::types::{FloatKind, IntKind, QualTy, Target, TyId, Type};

/// Priority of constructors and destructors that name none; they run after those that do.
const DEFAULT_PRIORITY: u32 = 65535;

/// What a list of attributes asks for.
#[derive(Default, Clone)]
pub(super) struct Attrs {
    pub is_packed: bool,
    pub aligned: Option<u64>,
    pub mode: Option<String>,
    pub vector_size: Option<u64>,
    pub is_transparent_union: bool,
    pub is_noreturn: bool,
    pub is_always_inline: bool,
    pub is_weak: bool,
    pub alias: Option<String>,
    pub constructor: Option<u32>,
    pub destructor: Option<u32>,
    pub cleanup: Option<Ident>,
    pub is_gnu_inline: bool,
    pub section: Option<String>,
    /// Numbers of parameters, counted from 1; empty for all of them.
    pub nonnull: Option<Vec<u64>>,
}

impl Attrs {
    /// Both lists together.
    pub fn merge(mut self, other: Attrs) -> Attrs {
        self.is_packed |= other.is_packed;
        self.aligned = self.aligned.max(other.aligned);
        self.mode = other.mode.or(self.mode);
        self.vector_size = other.vector_size.or(self.vector_size);
        self.is_transparent_union |= other.is_transparent_union;
        self.is_noreturn |= other.is_noreturn;
        self.is_always_inline |= other.is_always_inline;
        self.is_weak |= other.is_weak;
        self.alias = other.alias.or(self.alias);
        self.constructor = other.constructor.or(self.constructor);
        self.destructor = other.destructor.or(self.destructor);
        self.cleanup = other.cleanup.or(self.cleanup);
        self.is_gnu_inline |= other.is_gnu_inline;
        self.section = other.section.or(self.section);
        self.nonnull = other.nonnull.or(self.nonnull);
        self
    }
}

impl Sema {
    pub(super) fn attrs(&mut self, list: &[Attr]) -> Attrs {
        let mut attrs = Attrs::default();
        for attr in list {
            self.attr(attr, &mut attrs);
        }
        attrs
    }

    fn attr(&mut self, attr: &Attr, attrs: &mut Attrs) {
        match self.session.interner.name(attr.name) {
            "packed" => attrs.is_packed = true,
            "aligned" => {
                let align = match attr.args.first() {
                    Some(arg) => self.attr_number(arg),
                    None => Some(16),
                };
                match align {
                    Some(n) if n.is_power_of_two() => attrs.aligned = attrs.aligned.max(Some(n)),
                    Some(0) | None => {}
                    Some(_) => self.error(attr.span, "alignment is not a power of two"),
                }
            }
            "mode" => {
                if let Some(AttrArg::Ident(ident)) = attr.args.first() {
                    attrs.mode = Some(self.name(ident.name).trim_matches('_').to_owned());
                }
            }
            "vector_size" => attrs.vector_size = attr.args.first().and_then(|arg| self.attr_number(arg)),
            "transparent_union" => attrs.is_transparent_union = true,
            "noreturn" | "Noreturn" => attrs.is_noreturn = true,
            "always_inline" => attrs.is_always_inline = true,
            "weak" => attrs.is_weak = true,
            "alias" => attrs.alias = attr.args.first().and_then(attr_string),
            "constructor" => attrs.constructor = Some(self.attr_priority(attr)),
            "destructor" => attrs.destructor = Some(self.attr_priority(attr)),
            "cleanup" => {
                if let Some(AttrArg::Ident(ident)) = attr.args.first() {
                    attrs.cleanup = Some(*ident);
                }
            }
            "gnu_inline" => attrs.is_gnu_inline = true,
            "section" => attrs.section = attr.args.first().and_then(attr_string),
            "nonnull" => {
                let numbers: Vec<u64> = attr.args.iter().filter_map(|arg| self.attr_number(arg)).collect();
                attrs.nonnull.get_or_insert_default().extend(numbers);
            }
            _ => {}
        }
    }

    fn attr_priority(&mut self, attr: &Attr) -> u32 {
        let number = attr.args.first().and_then(|arg| self.attr_number(arg));
        number.and_then(|n| u32::try_from(n).ok()).unwrap_or(DEFAULT_PRIORITY)
    }

    fn attr_number(&mut self, arg: &AttrArg) -> Option<u64> {
        let value = match arg {
            AttrArg::Expr(expr) => self.required_const(expr, "attribute argument")?,
            AttrArg::Ident(ident) => {
                let decl = self.scopes.name(ident.name)?;
                match self.unit.decls[decl].kind {
                    crate::ast::DeclKind::Enumerator { value } => value,
                    _ => return None,
                }
            }
            AttrArg::Type(_) => return None,
        };
        u64::try_from(value).ok()
    }

    /// Applies the attributes that change the specified type.
    pub(super) fn apply_type_attrs(&mut self, ty: QualTy, attrs: &Attrs) -> QualTy {
        let mut ty = ty;
        if let Some(mode) = &attrs.mode {
            ty.ty = self.mode_type(ty.ty, mode);
        }
        if let Some(bytes) = attrs.vector_size {
            // gcc applies the attribute to the innermost type of whatever is declared.
            if self.is_real(ty.ty) && bytes > 0 {
                ty.ty = self.unit.types.intern(Type::Vector { element: ty.ty, bytes });
            }
        }
        ty
    }

    fn mode_type(&mut self, ty: TyId, mode: &str) -> TyId {
        let target = self.types().target;
        let is_signed = self.shape_of(ty).is_none_or(|shape| shape.is_signed);
        let pick = |signed: IntKind, unsigned: IntKind| int_ty(if is_signed { signed } else { unsigned });
        match mode {
            "QI" | "byte" => pick(IntKind::SChar, IntKind::UChar),
            "HI" => pick(IntKind::Short, IntKind::UShort),
            "SI" => pick(IntKind::Int, IntKind::UInt),
            "DI" if target == Target::Lp64 => pick(IntKind::Long, IntKind::ULong),
            "DI" => pick(IntKind::LongLong, IntKind::ULongLong),
            "TI" => pick(IntKind::Int128, IntKind::UInt128),
            "word" | "pointer" | "unwind_word" if target == Target::Lp64 => pick(IntKind::Long, IntKind::ULong),
            "word" | "pointer" | "unwind_word" => pick(IntKind::Int, IntKind::UInt),
            "HF" => self.float_mode(ty, FloatKind::Float16),
            "SF" => self.float_mode(ty, FloatKind::Float),
            "DF" => self.float_mode(ty, FloatKind::Double),
            "XF" => self.float_mode(ty, FloatKind::LongDouble),
            "TF" => self.float_mode(ty, FloatKind::Float128),
            "SC" => self.unit.types.intern(Type::Complex(FloatKind::Float)),
            "DC" => self.unit.types.intern(Type::Complex(FloatKind::Double)),
            "XC" => self.unit.types.intern(Type::Complex(FloatKind::LongDouble)),
            "TC" => self.unit.types.intern(Type::Complex(FloatKind::Float128)),
            _ => ty,
        }
    }

    fn float_mode(&mut self, ty: TyId, kind: FloatKind) -> TyId {
        let is_complex = matches!(self.get(ty), Type::Complex(_));
        self.unit.types.intern(if is_complex { Type::Complex(kind) } else { Type::Float(kind) })
    }
}

/// The text of a string argument.
fn attr_string(arg: &AttrArg) -> Option<String> {
    match arg {
        AttrArg::Expr(expr) => match &expr.kind {
            ExprKind::Str(literal) => Some(literal.units.iter().filter_map(|unit| char::from_u32(*unit)).collect()),
            _ => None,
        },
        AttrArg::Ident(_) | AttrArg::Type(_) => None,
    }
}
