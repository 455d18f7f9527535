//! Analysis of declaration specifiers.

use super::Sema;
use super::attr::Attrs;
use crate::ast::DeclKind;
use crate::syntax::{AlignSpec, Basic, DeclSpecs, Ident, Quals, TypeName, TypeSpec};
use crate::types::{FloatKind, IntKind, QualSet, QualTy, TyId, Type};

/// What the specifiers of a declaration say.
pub(super) struct Specified {
    pub ty: QualTy,
    /// Alignment that comes with a typedef name.
    pub typedef_align: Option<u64>,
    /// `_Alignas`.
    pub alignas: Option<u64>,
    pub attrs: Attrs,
    /// The type is that of the initialiser.
    pub is_auto_type: bool,
}

pub(super) fn qual_set(quals: Quals) -> QualSet {
    let mut set = QualSet::NONE;
    for (is_set, bit) in [
        (quals.is_const, QualSet::CONST),
        (quals.is_volatile, QualSet::VOLATILE),
        (quals.is_restrict, QualSet::RESTRICT),
        (quals.is_atomic, QualSet::ATOMIC),
    ] {
        if is_set {
            set = set.with(bit);
        }
    }
    set
}

impl Sema {
    /// `is_alone`: no declarator follows, so `struct tag;` declares the tag here.
    pub(super) fn specs(&mut self, specs: &DeclSpecs, is_alone: bool) -> Specified {
        let mut typedef_align = None;
        let mut is_auto_type = false;
        let ty = match &specs.ty {
            TypeSpec::Implicit => QualTy::plain(TyId::INT),
            TypeSpec::Basic(basic) => QualTy::plain(self.basic_type(*basic)),
            TypeSpec::Complex(basic) => QualTy::plain(self.complex_type(*basic)),
            TypeSpec::Named(ident) => {
                let (ty, align) = self.named_type(*ident);
                typedef_align = align;
                ty
            }
            TypeSpec::Record(record) => QualTy::plain(self.record_spec(record, is_alone)),
            TypeSpec::Enum(spec) => QualTy::plain(self.enum_spec(spec)),
            TypeSpec::TypeofExpr(expr) => {
                self.n_unevaluated += 1;
                let id = self.expr(expr);
                self.n_unevaluated -= 1;
                self.type_of(id)
            }
            TypeSpec::TypeofUnqualExpr(expr) => {
                self.n_unevaluated += 1;
                let id = self.expr(expr);
                self.n_unevaluated -= 1;
                let ty = self.type_of(id);
                QualTy::plain(self.unqualified(ty))
            }
            TypeSpec::TypeofType(name) => self.type_name(name),
            TypeSpec::TypeofUnqualType(name) => {
                let ty = self.type_name(name);
                QualTy::plain(self.unqualified(ty))
            }
            TypeSpec::Atomic(name) => {
                let ty = self.type_name(name);
                self.qualify(ty, QualSet::ATOMIC)
            }
            TypeSpec::Auto => {
                is_auto_type = true;
                QualTy::plain(TyId::ERROR)
            }
            TypeSpec::VaList => QualTy::plain(TyId::VALIST),
        };
        let ty = self.qualify(ty, qual_set(specs.quals));
        let attrs = self.attrs(&specs.attrs);
        let ty = self.apply_type_attrs(ty, &attrs);
        let mut alignas = None;
        for spec in &specs.aligns {
            alignas = alignas.max(self.align_spec(spec));
        }
        Specified { ty, typedef_align, alignas, attrs, is_auto_type }
    }

    /// Specifiers where no initialiser could say the type.
    pub(super) fn explicit_specs(&mut self, specs: &DeclSpecs, is_alone: bool) -> Specified {
        let specified = self.specs(specs, is_alone);
        if specified.is_auto_type {
            self.error(specs.span, "`__auto_type` needs an initialiser");
        }
        specified
    }

    fn align_spec(&mut self, spec: &AlignSpec) -> Option<u64> {
        match spec {
            AlignSpec::Type(name) => {
                let ty = self.type_name(name);
                self.types().align_of(ty.ty)
            }
            AlignSpec::Expr(expr) => {
                let value = self.required_const(expr, "alignment")?;
                match u64::try_from(value) {
                    Ok(0) => None,
                    Ok(n) if n.is_power_of_two() => Some(n),
                    _ => {
                        self.error(expr.span, "alignment is not a power of two");
                        None
                    }
                }
            }
        }
    }

    fn named_type(&mut self, ident: Ident) -> (QualTy, Option<u64>) {
        if let Some(decl) = self.scopes.name(ident.name)
            && matches!(self.unit.decls[decl].kind, DeclKind::Typedef)
        {
            return (self.unit.decls[decl].ty, self.typedef_aligns.get(&decl).copied());
        }
        let known = match self.name(ident.name) {
            "__int128_t" => Some(TyId::INT128),
            "__uint128_t" => Some(TyId::UINT128),
            "__builtin_va_list" | "__gnuc_va_list" => Some(TyId::VALIST),
            _ => None,
        };
        (QualTy::plain(known.unwrap_or_else(|| self.unknown_type(ident))), None)
    }

    pub(super) fn type_name(&mut self, name: &TypeName) -> QualTy {
        self.aligned_type_name(name).0
    }

    /// The type with the alignment of a typedef name that has its own.
    pub(super) fn aligned_type_name(&mut self, name: &TypeName) -> (QualTy, Option<u64>) {
        let specified = self.explicit_specs(&name.specs, false);
        let attrs = self.attrs(&name.declarator.attrs);
        let base = self.apply_type_attrs(specified.ty, &attrs);
        let ty = self.derive(base, &name.declarator, false);
        let align = specified.typedef_align.or(specified.attrs.aligned);
        (ty, align.filter(|_| name.declarator.derivations.is_empty()))
    }

    pub(super) fn basic_type(&mut self, basic: Basic) -> TyId {
        match basic {
            Basic::Void => TyId::VOID,
            Basic::Bool => TyId::BOOL,
            Basic::Char => TyId::CHAR,
            Basic::SChar => TyId::SCHAR,
            Basic::UChar => TyId::UCHAR,
            Basic::Short => TyId::SHORT,
            Basic::UShort => TyId::USHORT,
            Basic::Int => TyId::INT,
            Basic::UInt => TyId::UINT,
            Basic::Long => TyId::LONG,
            Basic::ULong => TyId::ULONG,
            Basic::LongLong => TyId::LONGLONG,
            Basic::ULongLong => TyId::ULONGLONG,
            Basic::Int128 => TyId::INT128,
            Basic::UInt128 => TyId::UINT128,
            _ => {
                let kind = float_kind(basic).unwrap_or(FloatKind::Double);
                self.unit.types.intern(Type::Float(kind))
            }
        }
    }

    fn complex_type(&mut self, basic: Basic) -> TyId {
        // GNU complex integers are rounded up to complex doubles: both are unmodelled when executed.
        let kind = float_kind(basic).unwrap_or(FloatKind::Double);
        self.unit.types.intern(Type::Complex(kind))
    }

    /// The type that the standard library gives an undeclared name.
    pub(super) fn well_known_type(&self, name: &str) -> Option<TyId> {
        let lp64 = self.types().target == crate::types::Target::Lp64;
        let (long, ulong) = if lp64 { (TyId::LONG, TyId::ULONG) } else { (TyId::LONGLONG, TyId::ULONGLONG) };
        Some(match name {
            "size_t" | "__CPROVER_size_t" => self.size_type(),
            "__CPROVER_ssize_t" | "ssize_t" | "ptrdiff_t" => self.ptrdiff_type(),
            "wchar_t" => self.wide_char_type(),
            "bool" => TyId::BOOL,
            "int8_t" | "s8" | "__s8" => TyId::SCHAR,
            "uint8_t" | "u8" | "__u8" | "u_char" | "uchar" | "u_int8_t" => TyId::UCHAR,
            "int16_t" | "s16" | "__s16" => TyId::SHORT,
            "uint16_t" | "u16" | "__u16" | "u_short" | "ushort" | "u_int16_t" => TyId::USHORT,
            "int32_t" | "s32" | "__s32" | "pid_t" => TyId::INT,
            "uint32_t" | "u32" | "__u32" | "u_int" | "uint" | "u_int32_t" | "uid_t" | "gid_t" => TyId::UINT,
            "int64_t" | "s64" | "__s64" | "intmax_t" | "loff_t" => long,
            "uint64_t" | "u64" | "__u64" | "uintmax_t" | "u_int64_t" => ulong,
            "intptr_t" => self.ptrdiff_type(),
            "uintptr_t" => self.size_type(),
            "off_t" | "time_t" | "clock_t" => TyId::LONG,
            "pthread_t" | "thrd_t" | "u_long" | "ulong" => TyId::ULONG,
            "pthread_key_t" | "tss_t" | "mode_t" | "socklen_t" => TyId::UINT,
            "pthread_once_t" | "once_flag" | "clockid_t" | "sig_atomic_t" => TyId::INT,
            "va_list" => TyId::VALIST,
            _ => return None,
        })
    }
}

fn float_kind(basic: Basic) -> Option<FloatKind> {
    Some(match basic {
        Basic::Float16 => FloatKind::Float16,
        Basic::Float => FloatKind::Float,
        Basic::Double => FloatKind::Double,
        Basic::LongDouble => FloatKind::LongDouble,
        Basic::Float128 => FloatKind::Float128,
        Basic::Float32 => FloatKind::Float32,
        Basic::Float64 => FloatKind::Float64,
        Basic::Float32x => FloatKind::Float32x,
        Basic::Float64x => FloatKind::Float64x,
        _ => return None,
    })
}

/// The integer type of an enumeration or character literal.
pub(super) fn smallest_kind(bytes: u64, is_signed: bool) -> IntKind {
    match (bytes, is_signed) {
        (1, true) => IntKind::SChar,
        (1, false) => IntKind::UChar,
        (2, true) => IntKind::Short,
        (2, false) => IntKind::UShort,
        (4, true) => IntKind::Int,
        (4, false) => IntKind::UInt,
        (_, true) => IntKind::Long,
        (_, false) => IntKind::ULong,
    }
}
