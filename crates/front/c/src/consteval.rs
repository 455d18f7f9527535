//! Evaluation of constant expressions (C11 6.6) on the typed tree.
//!
//! Integers are exact in 128 bits and wrapped to their type after each step, floating values live in the
//! format of their type, addresses are a base and a byte offset the linker will add up. Semantic analysis
//! asks while it is still building the tree, hence [`ExprView`] instead of a whole unit.

use std::cmp::Ordering;

use unpick_base::IdVec;

mod builtin;
pub mod float;

pub use float::parse_float;

use crate::ast::{BinaryOp, CastKind, Decl, DeclId, DeclKind, Expr, ExprId, ExprKind, Init, LabelId, Storage, UnaryOp};
use crate::types::{FloatKind, IntKind, TyId, Type, TypeTable};

/// The parts of a unit an expression refers to.
#[derive(Clone, Copy)]
pub struct ExprView<'a> {
    pub types: &'a TypeTable,
    pub exprs: &'a IdVec<ExprId, Expr>,
    pub decls: &'a IdVec<DeclId, Decl>,
}

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstValue {
    /// Sign- or zero-extended by the expression's type; `unsigned __int128` by its bits.
    Int(i128),
    /// In the format of `kind`, see [`float`].
    Float { kind: FloatKind, bits: u128 },
    /// Of a pointer, or of an integer as wide as a pointer made from one.
    Address { base: AddressBase, offset: i128 },
}

/// What the linker places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressBase {
    /// No object: the offset is the address.
    Null,
    /// An object of static storage, or a function.
    Decl(DeclId),
    /// A string literal.
    Str(ExprId),
    /// A compound literal of static storage.
    CompoundLiteral(ExprId),
    Label(LabelId),
}

/// The value of an integer constant expression.
pub fn eval_int(view: &ExprView<'_>, expr: ExprId) -> Option<i128> {
    eval_int_checked(view, expr).map(|(value, _)| value)
}

/// The value of an integer constant expression, and whether a step of it overflowed a signed type.
pub fn eval_int_checked(view: &ExprView<'_>, expr: ExprId) -> Option<(i128, bool)> {
    let mut evaluator = Evaluator::new(*view, false);
    match evaluator.value(expr)? {
        ConstValue::Int(value) => Some((value, evaluator.has_overflowed)),
        ConstValue::Float { .. } | ConstValue::Address { .. } => None,
    }
}

/// The value of an expression that an initialiser of a static object may have. Like gcc this also looks
/// through `const` scalars with a constant initialiser.
pub fn eval_const(view: &ExprView<'_>, expr: ExprId) -> Option<ConstValue> {
    Evaluator::new(*view, true).value(expr)
}

/// Bound on the depth of recursion: deeper trees count as not constant.
const MAX_DEPTH: u32 = 1500;

struct Evaluator<'a> {
    view: ExprView<'a>,
    /// Whether the contents of constant objects count.
    looks_into_objects: bool,
    has_overflowed: bool,
    /// Values of the enclosing `cond ?: otherwise`, innermost last.
    conditions: Vec<ConstValue>,
    depth: u32,
}

impl<'a> Evaluator<'a> {
    fn new(view: ExprView<'a>, looks_into_objects: bool) -> Self {
        Self { view, looks_into_objects, has_overflowed: false, conditions: Vec::new(), depth: 0 }
    }

    fn value(&mut self, expr: ExprId) -> Option<ConstValue> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = self.value_of_kind(expr);
        self.depth -= 1;
        result
    }

    fn value_of_kind(&mut self, expr: ExprId) -> Option<ConstValue> {
        let node = &self.view.exprs[expr];
        match node.kind {
            ExprKind::Int(value) => Some(self.wrap(value, node.ty.ty)),
            ExprKind::Float(ref text) => {
                let kind = self.view.types.float_kind_of(node.ty.ty)?;
                Some(ConstValue::Float { kind, bits: parse_float(text, kind)? })
            }
            ExprKind::LabelAddr(label) => Some(ConstValue::Address { base: AddressBase::Label(label), offset: 0 }),
            ExprKind::AddrOf(lvalue) => {
                let (base, offset) = self.address(lvalue)?;
                Some(ConstValue::Address { base, offset })
            }
            ExprKind::Cast { kind, operand, .. } => self.cast(kind, operand, node.ty.ty),
            ExprKind::Unary(op, operand) => self.unary(op, operand, node.ty.ty),
            ExprKind::Binary(op, left, right) => self.binary(op, left, right, node.ty.ty),
            ExprKind::Cond { cond, then, otherwise } => {
                if self.truth_of(cond)? {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            ExprKind::CondElvis { cond, converted, otherwise } => self.elvis(cond, converted, otherwise),
            ExprKind::CondValue => self.conditions.last().copied(),
            ExprKind::LogAnd(left, right) => {
                let value = self.truth_of(left)? && self.truth_of(right)?;
                Some(ConstValue::Int(value.into()))
            }
            ExprKind::LogOr(left, right) => {
                let value = self.truth_of(left)? || self.truth_of(right)?;
                Some(ConstValue::Int(value.into()))
            }
            ExprKind::Comma(left, right) => {
                self.value(left)?;
                self.value(right)
            }
            ExprKind::Builtin { builtin, ref args } => self.builtin(builtin, args, node.ty.ty),
            ExprKind::Decl(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Str { .. }
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Call { .. }
            | ExprKind::VaArg { .. }
            | ExprKind::StmtExpr(_)
            | ExprKind::SizeofVla(_)
            | ExprKind::Error => None,
        }
    }

    fn elvis(&mut self, cond: ExprId, converted: ExprId, otherwise: ExprId) -> Option<ConstValue> {
        let value = self.value(cond)?;
        if !self.truth(value)? {
            return self.value(otherwise);
        }
        self.conditions.push(value);
        let result = self.value(converted);
        self.conditions.pop();
        result
    }

    /// Where an lvalue lies.
    fn address(&mut self, lvalue: ExprId) -> Option<(AddressBase, i128)> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = self.address_of_kind(lvalue);
        self.depth -= 1;
        result
    }

    fn address_of_kind(&mut self, lvalue: ExprId) -> Option<(AddressBase, i128)> {
        let node = &self.view.exprs[lvalue];
        match node.kind {
            ExprKind::Decl(decl) => {
                let is_static = match &self.view.decls[decl].kind {
                    DeclKind::Var(var) => var.storage == Storage::Static,
                    DeclKind::Function(_) => true,
                    DeclKind::Enumerator { .. } | DeclKind::Typedef => false,
                };
                is_static.then_some((AddressBase::Decl(decl), 0))
            }
            ExprKind::Deref(pointer) => match self.value(pointer)? {
                ConstValue::Address { base, offset } => Some((base, offset)),
                ConstValue::Int(address) => Some((AddressBase::Null, address)),
                ConstValue::Float { .. } => None,
            },
            ExprKind::Member { base, record, index } => {
                let (base, offset) = self.address(base)?;
                let field = self.view.types.records[record].fields.get(index as usize)?;
                field.bits.is_none().then_some((base, offset + i128::from(field.offset)))
            }
            ExprKind::Index { base, index } => {
                let (base, offset) = self.address(base)?;
                let ConstValue::Int(index) = self.value(index)? else { return None };
                let stride = self.view.types.size_of(node.ty.ty)?;
                Some((base, offset.checked_add(index.checked_mul(stride.into())?)?))
            }
            ExprKind::CompoundLiteral { is_static, .. } => {
                is_static.then_some((AddressBase::CompoundLiteral(lvalue), 0))
            }
            ExprKind::Str { .. } => Some((AddressBase::Str(lvalue), 0)),
            ExprKind::Cast { kind: CastKind::NoOp, operand, .. } => self.address(operand),
            _ => None,
        }
    }

    fn cast(&mut self, kind: CastKind, operand: ExprId, to: TyId) -> Option<ConstValue> {
        match kind {
            CastKind::Load => return self.load(operand),
            CastKind::ArrayDecay | CastKind::FunctionDecay => {
                let (base, offset) = self.address(operand)?;
                return Some(ConstValue::Address { base, offset });
            }
            CastKind::ToVoid | CastKind::ToUnion | CastKind::Complex | CastKind::Vector => return None,
            CastKind::IntToInt
            | CastKind::ToBool
            | CastKind::IntToFloat
            | CastKind::FloatToInt
            | CastKind::FloatToFloat
            | CastKind::IntToPointer
            | CastKind::PointerToInt
            | CastKind::PointerToPointer
            | CastKind::NullToPointer
            | CastKind::NoOp => {}
        }
        let value = self.value(operand)?;
        if kind == CastKind::ToBool {
            return Some(ConstValue::Int(self.truth(value)?.into()));
        }
        self.convert(value, self.view.exprs[operand].ty.ty, to)
    }

    /// A value converted from one scalar type to another.
    fn convert(&mut self, value: ConstValue, from: TyId, to: TyId) -> Option<ConstValue> {
        let types = self.view.types;
        match (types.get(to), value) {
            (Type::Pointer(_) | Type::NullPtr, ConstValue::Int(address)) => {
                let offset = types.size_kind().wrap(address, types.target);
                Some(ConstValue::Address { base: AddressBase::Null, offset })
            }
            (Type::Pointer(_) | Type::NullPtr, ConstValue::Address { .. }) => Some(value),
            (Type::Float(kind), ConstValue::Int(int)) => {
                let is_signed = types.int_kind_of(from)?.is_signed();
                Some(ConstValue::Float { kind: *kind, bits: float::from_int(*kind, int, is_signed) })
            }
            (Type::Float(to), ConstValue::Float { kind, bits }) => {
                Some(ConstValue::Float { kind: *to, bits: float::convert(kind, *to, bits) })
            }
            (_, ConstValue::Int(int)) if types.is_integer(to) => Some(self.wrap(int, to)),
            (_, ConstValue::Float { kind, bits }) => {
                let int_kind = types.int_kind_of(to)?;
                if int_kind == IntKind::Bool {
                    return Some(ConstValue::Int((!float::is_zero(kind, bits)).into()));
                }
                let (int, is_outside) = float::to_int(kind, bits, int_kind.bits(types.target), int_kind.is_signed());
                self.has_overflowed |= is_outside;
                Some(ConstValue::Int(int))
            }
            (_, ConstValue::Address { base: AddressBase::Null, offset }) if types.is_integer(to) => {
                Some(self.wrap(offset, to))
            }
            (_, ConstValue::Address { .. }) => {
                let is_wide = types.int_kind_of(to)?.bytes(types.target) >= types.target.pointer_bytes();
                is_wide.then_some(value)
            }
            (_, ConstValue::Int(_)) => None,
        }
    }

    /// The value of an lvalue: of literals, and of `const` scalars with a constant initialiser.
    fn load(&mut self, lvalue: ExprId) -> Option<ConstValue> {
        if !self.looks_into_objects {
            return None;
        }
        let view = self.view;
        let node = &view.exprs[lvalue];
        match &node.kind {
            ExprKind::Decl(decl) => {
                let decl = &view.decls[*decl];
                let DeclKind::Var(var) = &decl.kind else { return None };
                let is_constant = decl.ty.is_const() && !decl.ty.is_volatile() && !var.is_weak;
                match (&var.init, is_constant) {
                    (Some(Init::Expr(init)), true) if view.types.is_scalar(decl.ty.ty) => self.value(*init),
                    _ => None,
                }
            }
            ExprKind::CompoundLiteral { init, .. } => match &**init {
                Init::Expr(init) if view.types.is_scalar(node.ty.ty) => self.value(*init),
                _ => None,
            },
            _ => {
                let (AddressBase::Str(literal), offset) = self.address(lvalue)? else { return None };
                let ExprKind::Str { units, .. } = &view.exprs[literal].kind else { return None };
                let unit = view.types.element_of(view.exprs[literal].ty.ty)?.ty;
                let index = offset / i128::from(view.types.size_of(unit)?);
                let value = match usize::try_from(index).ok()? {
                    index if index < units.len() => units[index],
                    index if index == units.len() => 0,
                    _ => return None,
                };
                (unit == node.ty.ty).then(|| self.wrap(value.into(), unit))
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, ty: TyId) -> Option<ConstValue> {
        let value = self.value(operand)?;
        match (op, value) {
            (UnaryOp::LogNot, value) => Some(ConstValue::Int((!self.truth(value)?).into())),
            (UnaryOp::Plus | UnaryOp::Real, value) => Some(value),
            (UnaryOp::Neg, ConstValue::Int(value)) => Some(self.fit(value.checked_neg(), value.wrapping_neg(), ty)),
            (UnaryOp::Neg, ConstValue::Float { kind, bits }) => {
                Some(ConstValue::Float { kind, bits: float::negate(kind, bits) })
            }
            (UnaryOp::BitNot, ConstValue::Int(value)) => Some(self.wrap(!value, ty)),
            (UnaryOp::Neg | UnaryOp::BitNot, _) | (UnaryOp::Imag, _) => None,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TyId) -> Option<ConstValue> {
        let operand_ty = self.view.exprs[left].ty.ty;
        let a = self.value(left)?;
        let b = self.value(right)?;
        match (op, a, b) {
            (BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne, _, _) => {
                self.compare(op, a, b, operand_ty)
            }
            (BinaryOp::PtrAdd | BinaryOp::PtrSub, _, ConstValue::Int(steps)) => {
                let steps = if op == BinaryOp::PtrSub { -steps } else { steps };
                self.step(a, steps, operand_ty)
            }
            (BinaryOp::PtrDiff, _, _) => {
                let ((base_a, a), (base_b, b)) = (as_address(a)?, as_address(b)?);
                let stride = i128::from(self.view.types.stride_of(self.view.types.pointee_of(operand_ty)?.ty)?);
                (base_a == base_b && stride != 0).then(|| self.wrap((a - b) / stride, ty))
            }
            (_, ConstValue::Int(a), ConstValue::Int(b)) => self.int_binary(op, a, b, ty),
            (_, ConstValue::Float { kind, bits: a }, ConstValue::Float { bits: b, .. }) => {
                let op = match op {
                    BinaryOp::Add => float::FloatOp::Add,
                    BinaryOp::Sub => float::FloatOp::Sub,
                    BinaryOp::Mul => float::FloatOp::Mul,
                    BinaryOp::Div => float::FloatOp::Div,
                    _ => return None,
                };
                Some(ConstValue::Float { kind, bits: float::binary(kind, op, a, b) })
            }
            (BinaryOp::Add, ConstValue::Address { base, offset }, ConstValue::Int(n))
            | (BinaryOp::Add, ConstValue::Int(n), ConstValue::Address { base, offset }) => {
                Some(ConstValue::Address { base, offset: offset.checked_add(n)? })
            }
            (BinaryOp::Sub, ConstValue::Address { base, offset }, ConstValue::Int(n)) => {
                Some(ConstValue::Address { base, offset: offset.checked_sub(n)? })
            }
            (
                BinaryOp::Sub,
                ConstValue::Address { base: base_a, offset: a },
                ConstValue::Address { base: base_b, offset: b },
            ) => (base_a == base_b).then(|| self.wrap(a - b, ty)),
            _ => None,
        }
    }

    /// A pointer moved by a number of elements.
    fn step(&self, pointer: ConstValue, steps: i128, pointer_ty: TyId) -> Option<ConstValue> {
        let types = self.view.types;
        let stride = types.stride_of(types.pointee_of(pointer_ty)?.ty)?;
        let (base, offset) = as_address(pointer)?;
        let offset = offset.checked_add(steps.checked_mul(stride.into())?)?;
        let offset = if base == AddressBase::Null { types.size_kind().wrap(offset, types.target) } else { offset };
        Some(ConstValue::Address { base, offset })
    }

    fn int_binary(&mut self, op: BinaryOp, a: i128, b: i128, ty: TyId) -> Option<ConstValue> {
        let kind = self.view.types.int_kind_of(ty)?;
        let is_wide_unsigned = kind == IntKind::UInt128;
        let bits = kind.bits(self.view.types.target);
        Some(match op {
            BinaryOp::Add => self.fit(a.checked_add(b), a.wrapping_add(b), ty),
            BinaryOp::Sub => self.fit(a.checked_sub(b), a.wrapping_sub(b), ty),
            BinaryOp::Mul => self.fit(a.checked_mul(b), a.wrapping_mul(b), ty),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Div if is_wide_unsigned => ConstValue::Int((a as u128 / b as u128) as i128),
            BinaryOp::Rem if is_wide_unsigned => ConstValue::Int((a as u128 % b as u128) as i128),
            BinaryOp::Div => self.fit(a.checked_div(b), a.wrapping_div(b), ty),
            BinaryOp::Rem => self.fit(Some(a.wrapping_rem(b)), a.wrapping_rem(b), ty),
            BinaryOp::Shl | BinaryOp::Shr if !(0..i128::from(bits)).contains(&b) => {
                self.has_overflowed = true;
                return None;
            }
            BinaryOp::Shl => self.wrap(a.wrapping_shl(b as u32), ty),
            BinaryOp::Shr if is_wide_unsigned => ConstValue::Int(((a as u128) >> b) as i128),
            BinaryOp::Shr => ConstValue::Int(a >> b),
            BinaryOp::BitAnd => self.wrap(a & b, ty),
            BinaryOp::BitXor => self.wrap(a ^ b, ty),
            BinaryOp::BitOr => self.wrap(a | b, ty),
            BinaryOp::Lt
            | BinaryOp::Gt
            | BinaryOp::Le
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::PtrAdd
            | BinaryOp::PtrSub
            | BinaryOp::PtrDiff => return None,
        })
    }

    fn compare(&mut self, op: BinaryOp, a: ConstValue, b: ConstValue, operand_ty: TyId) -> Option<ConstValue> {
        let order = match (a, b) {
            (ConstValue::Int(a), ConstValue::Int(b)) => {
                let is_unsigned = self.view.types.int_kind_of(operand_ty) == Some(IntKind::UInt128);
                Some(if is_unsigned { (a as u128).cmp(&(b as u128)) } else { a.cmp(&b) })
            }
            (ConstValue::Float { kind, bits: a }, ConstValue::Float { bits: b, .. }) => float::compare(kind, a, b),
            _ => {
                let ((base_a, a), (base_b, b)) = (as_address(a)?, as_address(b)?);
                if base_a != base_b {
                    let is_null = |base, offset| base == AddressBase::Null && offset == 0;
                    let differ = (is_null(base_a, a) && self.is_object(base_b))
                        || (is_null(base_b, b) && self.is_object(base_a));
                    return match op {
                        BinaryOp::Eq if differ => Some(ConstValue::Int(0)),
                        BinaryOp::Ne if differ => Some(ConstValue::Int(1)),
                        _ => None,
                    };
                }
                Some(a.cmp(&b))
            }
        };
        let holds = match op {
            BinaryOp::Lt => order == Some(Ordering::Less),
            BinaryOp::Gt => order == Some(Ordering::Greater),
            BinaryOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            BinaryOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            BinaryOp::Eq => order == Some(Ordering::Equal),
            BinaryOp::Ne => order != Some(Ordering::Equal),
            _ => return None,
        };
        Some(ConstValue::Int(holds.into()))
    }

    fn truth_of(&mut self, expr: ExprId) -> Option<bool> {
        let value = self.value(expr)?;
        self.truth(value)
    }

    /// Whether a value differs from zero.
    fn truth(&self, value: ConstValue) -> Option<bool> {
        match value {
            ConstValue::Int(value) => Some(value != 0),
            ConstValue::Float { kind, bits } => Some(!float::is_zero(kind, bits)),
            ConstValue::Address { base: AddressBase::Null, offset } => Some(offset != 0),
            ConstValue::Address { base, .. } => self.is_object(base).then_some(true),
        }
    }

    /// Whether the address certainly is not null: weak symbols may be.
    fn is_object(&self, base: AddressBase) -> bool {
        match base {
            AddressBase::Null => false,
            AddressBase::Str(_) | AddressBase::CompoundLiteral(_) | AddressBase::Label(_) => true,
            AddressBase::Decl(decl) => match &self.view.decls[decl].kind {
                DeclKind::Var(var) => !var.is_weak,
                DeclKind::Function(function) => !function.is_weak,
                DeclKind::Enumerator { .. } | DeclKind::Typedef => false,
            },
        }
    }

    fn wrap(&self, value: i128, ty: TyId) -> ConstValue {
        let types = self.view.types;
        ConstValue::Int(types.int_kind_of(ty).map_or(value, |kind| kind.wrap(value, types.target)))
    }

    /// The exact result if it is a value of `ty`, else the wrapped one, remembering a signed overflow.
    fn fit(&mut self, exact: Option<i128>, wrapped: i128, ty: TyId) -> ConstValue {
        let types = self.view.types;
        let Some(kind) = types.int_kind_of(ty) else { return ConstValue::Int(wrapped) };
        let fits = exact.is_some_and(|value| kind.contains(value, types.target));
        self.has_overflowed |= kind.is_signed() && !fits;
        ConstValue::Int(kind.wrap(wrapped, types.target))
    }
}

fn as_address(value: ConstValue) -> Option<(AddressBase, i128)> {
    match value {
        ConstValue::Address { base, offset } => Some((base, offset)),
        ConstValue::Int(address) => Some((AddressBase::Null, address)),
        ConstValue::Float { .. } => None,
    }
}
