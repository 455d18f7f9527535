//! Instrumentation: a call before each chosen memory access, by which a native run can be held at that access.
//!
//! An access is split as the lowering splits it: first the place, then the operands, then the call, then the access
//! itself. What the call stands before is therefore exactly one read or one write of memory, also inside `x = x + 1`.

use std::fmt::Write as _;

use unpick_base::Span;

use super::Printer;
use super::expr::ASSIGN;
use crate::ast::{BinaryOp, CastKind, DeclKind, ExprId, ExprKind, Storage};
use crate::builtin::Builtin;
use crate::types::{QualTy, Type};

/// What happens at a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum PointKind {
    Read,
    Write,
    /// A read and a write in one.
    Update,
    /// A call of a function that the program does not define.
    Call,
}

/// Where calls are wanted.
pub trait Points {
    /// The number that the call is to pass, for the access that stands at a place in the source.
    fn point(&self, kind: PointKind, span: Span) -> Option<u32>;
}

impl Printer<'_> {
    fn point(&self, kind: PointKind, span: Span) -> Option<u32> {
        self.points?.point(kind, span)
    }

    /// The points that an expression of any kind passes before it takes effect.
    fn points_at(&self, expr: ExprId) -> Vec<u32> {
        let span = self.unit.exprs[expr].span;
        [PointKind::Read, PointKind::Update, PointKind::Write]
            .into_iter()
            .filter_map(|kind| self.point(kind, span))
            .collect()
    }

    /// Whether an expression is printed with a call.
    pub(super) fn is_pointed(&self, expr: ExprId) -> bool {
        if self.points.is_none() {
            return false;
        }
        let node = &self.unit.exprs[expr];
        match &node.kind {
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                let span = self.unit.exprs[*operand].span;
                self.is_in_memory(*operand)
                    && !matches!(self.unit.types.get(node.ty.ty), Type::Record(_))
                    && self.point(PointKind::Read, span).is_some()
            }
            ExprKind::Assign { lhs, .. } | ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => {
                self.is_in_memory(*lhs) && !self.points_at(expr).is_empty()
            }
            ExprKind::Builtin { builtin, .. } => touches_memory(*builtin) && !self.points_at(expr).is_empty(),
            ExprKind::Call { .. } => {
                !self.points_at(expr).is_empty() || self.point(PointKind::Call, node.span).is_some()
            }
            _ => false,
        }
    }

    /// Whether other threads could know the object; scalars whose address is not taken are left alone, as the
    /// lowering leaves them in registers.
    fn is_in_memory(&self, lvalue: ExprId) -> bool {
        match &self.unit.exprs[lvalue].kind {
            ExprKind::Decl(decl) => {
                let decl = &self.unit.decls[*decl];
                let DeclKind::Var(var) = &decl.kind else { return false };
                let is_scalar = !matches!(self.unit.types.get(decl.ty.ty), Type::Record(_) | Type::Array { .. });
                var.is_address_taken
                    || !is_scalar
                    || decl.ty.is_volatile()
                    || decl.ty.is_atomic()
                    || matches!(var.storage, Storage::Static | Storage::ThreadLocal)
            }
            ExprKind::Deref(_) | ExprKind::Index { .. } => true,
            ExprKind::Member { base, .. } => self.is_in_memory(*base),
            _ => false,
        }
    }

    fn is_bit_field(&self, lvalue: ExprId) -> bool {
        match self.unit.exprs[lvalue].kind {
            ExprKind::Member { record, index, .. } => {
                self.unit.types.records[record].fields.get(index as usize).is_some_and(|field| field.bits.is_some())
            }
            _ => false,
        }
    }

    /// An expression with its calls.
    pub(super) fn pointed(&mut self, expr: ExprId) {
        let unit = self.unit;
        let node = &unit.exprs[expr];
        self.out.push_str("({ ");
        match &node.kind {
            ExprKind::Cast { operand, .. } => {
                let place = self.place_before(*operand);
                let point = self.point(PointKind::Read, unit.exprs[*operand].span);
                self.stops(point);
                self.out.push_str(&place);
            }
            ExprKind::Assign { lhs, rhs } => {
                let place = self.place_before(*lhs);
                let value = self.value_before(*rhs);
                let points = self.points_at(expr);
                self.stops(points);
                let _ = write!(self.out, "{place} = {value}");
            }
            ExprKind::CompoundAssign { op, lhs, rhs, compute } => {
                let place = self.place_before(*lhs);
                let value = self.value_before(*rhs);
                let compute = self.type_name(*compute);
                self.change(expr, *lhs, &place, (*op, &compute), &value, true);
            }
            ExprKind::IncDec { lhs, is_inc, is_prefix } => {
                let place = self.place_before(*lhs);
                let op = if *is_inc { BinaryOp::Add } else { BinaryOp::Sub };
                self.change(expr, *lhs, &place, (op, ""), "1", *is_prefix);
            }
            ExprKind::Builtin { builtin, args } => {
                self.hold_back(args);
                let points = self.points_at(expr);
                self.stops(points);
                self.builtin(expr, *builtin, args, node.ty.ty);
            }
            ExprKind::Call { callee, args } => self.pointed_call(expr, *callee, args),
            _ => {}
        }
        self.out.push_str("; })");
    }

    fn pointed_call(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) {
        self.hold_back(args);
        let points = self.points_at(expr);
        self.stops(points);
        let node = &self.unit.exprs[expr];
        let point = self.point(PointKind::Call, node.span);
        if let Some(point) = point {
            let _ = write!(self.out, "__unpick_enter({point}u); ");
        }
        let is_void = matches!(self.unit.types.get(node.ty.ty), Type::Void);
        let result = self.temporary();
        if point.is_some() && !is_void {
            let declared = self.declare(QualTy::plain(node.ty.ty), result.clone());
            let _ = write!(self.out, "{declared} = ");
        }
        self.expr(callee, super::expr::PRIMARY);
        self.arguments(args);
        if let Some(point) = point {
            let _ = write!(self.out, "; __unpick_leave({point}u)");
            if !is_void {
                let _ = write!(self.out, "; {result}");
            }
        }
    }

    /// `place op= value` as a read and a write with what stands between them. The operation is done in the given type, if
    /// one is given.
    fn change(&mut self, expr: ExprId, lhs: ExprId, place: &str, op: (BinaryOp, &str), value: &str, is_new: bool) {
        let (op, compute) = op;
        let node = &self.unit.exprs[lhs];
        let span = self.unit.exprs[expr].span;
        let operator = super::expr::binary_text(op);
        if node.ty.is_atomic() {
            let points = self.points_at(expr);
            self.stops(points);
            match (is_new, op) {
                (true, _) => write!(self.out, "{place} {operator}= {value}"),
                (false, BinaryOp::Add) => write!(self.out, "{place}++"),
                (false, _) => write!(self.out, "{place}--"),
            }
            .expect("writing to a string should not fail");
            return;
        }
        let old = self.temporary();
        let declared = self.declare(QualTy::plain(node.ty.ty), old.clone());
        let (read, write) = (self.point(PointKind::Read, span), self.point(PointKind::Write, span));
        self.stops(read);
        let _ = write!(self.out, "{declared} = {place}; ");
        self.stops(write);
        let cast = if compute.is_empty() { String::new() } else { format!("({compute})") };
        let _ = write!(self.out, "{place} = {cast}{old} {operator} {value}");
        if !is_new {
            let _ = write!(self.out, "; {old}");
        }
    }

    /// Computes where an lvalue lies; what to write for it then. Bit-fields have no address and are written again.
    fn place_before(&mut self, lvalue: ExprId) -> String {
        if self.is_bit_field(lvalue) {
            let outer = std::mem::take(&mut self.out);
            self.expr(lvalue, super::expr::UNARY);
            return std::mem::replace(&mut self.out, outer);
        }
        let name = self.temporary();
        let _ = write!(self.out, "__auto_type {name} = &(");
        self.expr(lvalue, super::expr::COMMA);
        self.out.push_str("); ");
        format!("*{name}")
    }

    fn value_before(&mut self, value: ExprId) -> String {
        let name = self.temporary();
        let declared = self.declare(QualTy::plain(self.unit.exprs[value].ty.ty), name.clone());
        let _ = write!(self.out, "{declared} = ");
        self.expr(value, ASSIGN);
        self.out.push_str("; ");
        name
    }

    /// Computes arguments before the point; constants need none.
    fn hold_back(&mut self, args: &[ExprId]) {
        for &arg in args {
            let node = &self.unit.exprs[arg];
            let is_simple = matches!(self.unit.exprs[self.visible(arg)].kind, ExprKind::Int(_) | ExprKind::Str { .. })
                || matches!(self.unit.types.get(node.ty.ty), Type::Void | Type::VaList)
                || node.ty.ty == crate::types::TyId::VALIST
                || self.unit.types.is_variably_modified(node.ty.ty);
            if !is_simple {
                let name = self.value_before(arg);
                self.held_back.insert(arg, name);
            }
        }
    }

    fn stops(&mut self, points: impl IntoIterator<Item = u32>) {
        for point in points {
            let _ = write!(self.out, "__unpick_point({point}u); ");
        }
    }

    fn temporary(&mut self) -> String {
        self.n_temporaries += 1;
        format!("__unpick_{}", self.n_temporaries)
    }
}

/// Whether a built-in reads or writes an object that its arguments point to.
fn touches_memory(builtin: Builtin) -> bool {
    let name = builtin.c_name();
    ["__atomic_", "__sync_", "__builtin_mem", "__builtin_str"].iter().any(|family| name.starts_with(family))
}
