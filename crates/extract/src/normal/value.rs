//! Normalisation of expressions: side effects become fragments, values become expressions without side effects.

use unpick_base::Span;
use unpick_front_c::ast::{BinaryOp, CastKind, ExprId, ExprKind, StmtId, StmtKind};
use unpick_front_c::builtin::Builtin;
use unpick_front_c::types::{QualTy, TyId};

use super::Normaliser;
use crate::code::{Class, Ends, FragmentKind, Node};

impl Normaliser<'_> {
    /// A whole expression statement.
    pub(super) fn effect(&mut self, expr: ExprId, span: Span) {
        let outer = self.behind.replace(Vec::new());
        self.effect_now(expr, span);
        let increments = std::mem::replace(&mut self.behind, outer).unwrap_or_default();
        for increment in increments {
            self.emit(Class::Expression, FragmentKind::Effect(increment), span);
        }
    }

    fn effect_now(&mut self, expr: ExprId, span: Span) {
        let mut expr = self.bare(expr);
        if let ExprKind::StmtExpr(body) = self.node(expr).kind
            && let Some(operation) = self.atomic_macro(body)
        {
            expr = operation;
        }
        if let Some(condition) = self.assertion(expr) {
            let condition = self.decided(condition);
            return self.emit(Class::Call, FragmentKind::Assertion(condition), span);
        }
        match self.node(expr).kind.clone() {
            ExprKind::Comma(first, last) => {
                self.effect(first, span);
                self.effect(last, span);
            }
            ExprKind::Assign { lhs, rhs } => self.assignment(expr, lhs, rhs, span),
            ExprKind::CompoundAssign { op, lhs, rhs, compute } => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                let ty = self.node(expr).ty;
                let expr = self.push_expr(ExprKind::CompoundAssign { op, lhs, rhs, compute }, expr, ty);
                self.emit(Class::Assignment, FragmentKind::Effect(expr), span);
            }
            ExprKind::IncDec { lhs, is_inc, .. } => {
                let lhs = self.value(lhs);
                let ty = self.node(expr).ty;
                // As a statement `++x` and `x++` are the same entry.
                let expr = self.push_expr(ExprKind::IncDec { lhs, is_inc, is_prefix: false }, expr, ty);
                self.emit(Class::Expression, FragmentKind::Effect(expr), span);
            }
            ExprKind::Call { callee, args } => self.call_statement(expr, callee, &args, span),
            ExprKind::Builtin { builtin, args } => self.builtin_statement(expr, builtin, &args, span),
            ExprKind::Cond { cond, then, otherwise } => {
                let condition = self.condition(cond);
                let then = self.inner(|this| this.effect(then, span));
                let otherwise = self.inner(|this| this.effect(otherwise, span));
                self.choice(condition, then, otherwise, span);
            }
            ExprKind::LogAnd(cond, then) if self.has_effects(then) || self.is_call(then) => {
                let condition = self.condition(cond);
                let then = self.inner(|this| this.effect(then, span));
                self.choice(condition, then, Vec::new(), span);
            }
            ExprKind::LogOr(cond, otherwise) if self.has_effects(otherwise) || self.is_call(otherwise) => {
                let condition = self.condition(cond);
                let otherwise = self.inner(|this| this.effect(otherwise, span));
                self.choice(condition, Vec::new(), otherwise, span);
            }
            ExprKind::StmtExpr(body) => self.stmt(body),
            ExprKind::Cast { operand, .. } => self.effect_now(operand, span),
            _ => {
                // Only what is below may matter.
                for child in self.children(expr) {
                    if self.has_effects(child) || self.is_call(child) {
                        self.effect(child, span);
                    }
                }
            }
        }
    }

    fn is_call(&self, expr: ExprId) -> bool {
        matches!(self.node(self.bare(expr)).kind, ExprKind::Call { .. } | ExprKind::Builtin { .. })
    }

    fn assignment(&mut self, expr: ExprId, lhs: ExprId, rhs: ExprId, span: Span) {
        let ty = self.node(expr).ty;
        let mut rhs = rhs;
        let mut source = self.through_casts(rhs);
        if let ExprKind::StmtExpr(body) = self.node(source).kind
            && let Some(operation) = self.atomic_macro(body)
        {
            rhs = self.with_operand(rhs, source, operation);
            source = operation;
        }
        match self.node(source).kind.clone() {
            ExprKind::Cond { cond, then, otherwise } if self.has_effects(then) || self.has_effects(otherwise) => {
                let lhs = self.value(lhs);
                let condition = self.condition(cond);
                let then = self.inner(|this| this.assignment(expr, lhs, then, span));
                let otherwise = self.inner(|this| this.assignment(expr, lhs, otherwise, span));
                return self.choice(condition, then, otherwise, span);
            }
            ExprKind::Call { callee, args } if self.is_dispatched(callee) => {
                let lhs = self.value(lhs);
                return self.dispatch(source, callee, &args, span, &mut |this, call| {
                    let rhs = this.with_operand(rhs, source, call);
                    (Class::Assignment, this.push_expr(ExprKind::Assign { lhs, rhs }, expr, ty))
                });
            }
            // `x = f(...)` is one fragment, also if `f` has a body.
            ExprKind::Call { callee, args } if source == rhs || self.is_step(callee) => {
                let lhs = self.value(lhs);
                let call = self.call(source, callee, &args);
                let rhs = self.with_operand(rhs, source, call);
                let expr = self.push_expr(ExprKind::Assign { lhs, rhs }, expr, ty);
                return self.emit(Class::Assignment, FragmentKind::Effect(expr), span);
            }
            ExprKind::Builtin { builtin, args } if super::scan::is_atomic_update(builtin) => {
                let lhs = self.value(lhs);
                let args = args.iter().map(|arg| self.value(*arg)).collect();
                let inner_ty = self.node(source).ty;
                let call = self.push_expr(ExprKind::Builtin { builtin, args }, source, inner_ty);
                let rhs = self.with_operand(rhs, source, call);
                let expr = self.push_expr(ExprKind::Assign { lhs, rhs }, expr, ty);
                return self.emit(Class::Assignment, FragmentKind::Effect(expr), span);
            }
            _ => {}
        }
        let rhs = self.value(rhs);
        let lhs = self.value(lhs);
        let expr = self.push_expr(ExprKind::Assign { lhs, rhs }, expr, ty);
        self.emit(Class::Assignment, FragmentKind::Effect(expr), span);
    }

    /// The expression under conversions of values.
    fn through_casts(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Cast { operand, kind, .. } = self.node(expr).kind {
            if matches!(kind, CastKind::Load | CastKind::ArrayDecay | CastKind::FunctionDecay) {
                break;
            }
            expr = operand;
        }
        expr
    }

    /// `expr`, a chain of conversions around `old`, around `new` instead.
    fn with_operand(&mut self, expr: ExprId, old: ExprId, new: ExprId) -> ExprId {
        if expr == old {
            return new;
        }
        let ExprKind::Cast { kind, operand, is_implicit } = self.node(expr).kind.clone() else { return new };
        let ty = self.node(expr).ty;
        let operand = self.with_operand(operand, old, new);
        self.push_expr(ExprKind::Cast { kind, operand, is_implicit }, expr, ty)
    }

    /// A call with arguments that have no effects.
    pub(super) fn call(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) -> ExprId {
        let ty = self.node(expr).ty;
        // A function sees increments of its arguments.
        let outer = if self.is_step(callee) { self.behind.take() } else { None };
        let args = args.iter().map(|arg| self.value(*arg)).collect();
        let callee = self.value(callee);
        if outer.is_some() {
            self.behind = outer;
        }
        if let Some(function) = self.known_callee(callee) {
            let callees = &mut self.code.functions[self.function].callees;
            if !callees.contains(&function) {
                callees.push(function);
            }
        }
        let call = self.push_expr(ExprKind::Call { callee, args }, expr, ty);
        self.note_thread(call);
        call
    }

    /// `pthread_create(..., f, ...)` starts `f`.
    fn note_thread(&mut self, call: ExprId) {
        let ExprKind::Call { callee, args } = self.node(call).kind.clone() else { return };
        let Some(decl) = self.callee_decl(callee) else { return };
        let Some(position) = crate::library::thread_argument(self.name_of(decl)) else { return };
        let Some(function) = args.get(position).and_then(|arg| self.known_callee(self.through_casts(*arg))) else {
            return;
        };
        if !self.code.thread_functions.contains(&function) {
            self.code.thread_functions.push(function);
        }
    }

    fn call_statement(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId], span: Span) {
        if self.is_dispatched(callee) {
            return self.dispatch(expr, callee, args, span, &mut |_, call| (Class::Call, call));
        }
        let call = self.call(expr, callee, args);
        self.emit(Class::Call, FragmentKind::Effect(call), span);
        let name = self.callee_decl(callee).map(|decl| self.name_of(decl).to_owned());
        let ends = name.as_deref().and_then(crate::library::ends);
        if let (Some(ends), None) = (ends, self.known_callee(callee)) {
            self.nodes.push(Node::Stop(ends));
        }
    }

    fn builtin_statement(&mut self, expr: ExprId, builtin: Builtin, args: &[ExprId], span: Span) {
        if let (Builtin::CompilerAssume, [condition]) = (builtin, args) {
            // Where it is false the behaviour is undefined; a condition with effects is not evaluated.
            if !self.has_effects(*condition) {
                self.emit(Class::Call, FragmentKind::Assertion(*condition), span);
            }
            return;
        }
        let args: Vec<ExprId> = args.iter().map(|arg| self.value(*arg)).collect();
        match (builtin, args.first()) {
            (Builtin::Assume, Some(condition)) => {
                return self.emit(Class::Call, FragmentKind::Assumption(*condition), span);
            }
            (Builtin::Unreachable | Builtin::Trap, _) => return self.nodes.push(Node::Stop(Ends::Program)),
            _ => {}
        }
        let ty = self.node(expr).ty;
        let call = self.push_expr(ExprKind::Builtin { builtin, args }, expr, ty);
        self.emit(Class::Call, FragmentKind::Effect(call), span);
    }

    /// The value of an expression, without effects: they have become fragments before.
    pub(super) fn value(&mut self, expr: ExprId) -> ExprId {
        if !self.has_effects(expr) {
            return expr;
        }
        let span = self.node(expr).span;
        let ty = self.node(expr).ty;
        match self.node(expr).kind.clone() {
            ExprKind::Comma(first, last) => {
                self.effect(first, span);
                self.value(last)
            }
            ExprKind::Assign { lhs, .. } | ExprKind::CompoundAssign { lhs, .. } => {
                self.effect_now(expr, span);
                let lhs = if self.has_effects(lhs) { self.again(lhs) } else { lhs };
                self.loaded(lhs, expr)
            }
            ExprKind::IncDec { lhs, is_inc, is_prefix } => self.increment(expr, lhs, is_inc, is_prefix, span),
            ExprKind::Call { callee, args } if self.is_step(callee) => {
                let name = self.callee_decl(callee).map(|decl| self.name_of(decl).to_owned());
                let call = self.call(expr, callee, &args);
                let temporary = self.temporary(&format!("{}_result", name.unwrap_or_default()), ty.ty, span);
                self.assign(temporary, call);
                self.load(temporary, expr)
            }
            ExprKind::Builtin { builtin, args } if super::scan::is_atomic_update(builtin) => {
                let args = args.iter().map(|arg| self.value(*arg)).collect();
                let call = self.push_expr(ExprKind::Builtin { builtin, args }, expr, ty);
                let temporary = self.temporary("atomic_result", ty.ty, span);
                self.assign(temporary, call);
                self.load(temporary, expr)
            }
            ExprKind::LogAnd(first, second) if self.has_effects(second) => {
                self.short_circuit(first, second, true, expr)
            }
            ExprKind::LogOr(first, second) if self.has_effects(second) => {
                self.short_circuit(first, second, false, expr)
            }
            ExprKind::Cond { cond, then, otherwise } if self.has_effects(then) || self.has_effects(otherwise) => {
                let temporary = self.temporary("chosen", ty.ty, span);
                let condition = self.condition(cond);
                let then = self.branch_value(temporary, then);
                let otherwise = self.branch_value(temporary, otherwise);
                self.choice(condition, then, otherwise, span);
                self.load(temporary, expr)
            }
            ExprKind::CondElvis { cond, otherwise, .. } => {
                // `a ?: b` with effects: `a` is evaluated once, into a temporary.
                let temporary = self.temporary("chosen", ty.ty, span);
                let value = self.value(cond);
                self.assign(temporary, value);
                let test = self.load(temporary, expr);
                let otherwise = self.branch_value(temporary, otherwise);
                self.choice(test, Vec::new(), otherwise, span);
                self.load(temporary, expr)
            }
            ExprKind::StmtExpr(body) => match self.atomic_macro(body) {
                Some(operation) => self.value(operation),
                None => self.statement_value(body, expr),
            },
            kind => {
                let children: Vec<ExprId> = self.children(expr).into_iter().map(|child| self.value(child)).collect();
                let kind = rebuilt(kind, &children);
                self.push_expr(kind, expr, ty)
            }
        }
    }

    fn branch_value(&mut self, temporary: unpick_front_c::ast::DeclId, value: ExprId) -> Vec<Node> {
        // Increments behind the statement would happen whichever branch is taken.
        let outer = self.behind.take();
        let nodes = self.inner(|this| {
            let value = this.value(value);
            if !this.is_void(value) {
                this.assign(temporary, value);
            }
        });
        self.behind = outer;
        nodes
    }

    fn short_circuit(&mut self, first: ExprId, second: ExprId, is_and: bool, expr: ExprId) -> ExprId {
        let span = self.node(expr).span;
        let temporary = self.temporary(if is_and { "both" } else { "either" }, TyId::INT, span);
        let condition = self.condition(first);
        let outer = self.behind.take();
        let decided = self.inner(|this| {
            let value = this.int(i128::from(!is_and), expr);
            this.assign(temporary, value);
        });
        let open = self.inner(|this| {
            let condition = this.condition(second);
            let yes = this.inner(|this| {
                let one = this.int(1, expr);
                this.assign(temporary, one);
            });
            let no = this.inner(|this| {
                let zero = this.int(0, expr);
                this.assign(temporary, zero);
            });
            this.choice(condition, yes, no, span);
        });
        self.behind = outer;
        match is_and {
            true => self.choice(condition, open, decided, span),
            false => self.choice(condition, decided, open, span),
        }
        self.load(temporary, expr)
    }

    fn increment(&mut self, expr: ExprId, lhs: ExprId, is_inc: bool, is_prefix: bool, span: Span) -> ExprId {
        let ty = self.node(expr).ty;
        let lhs = self.value(lhs);
        let statement = self.push_expr(ExprKind::IncDec { lhs, is_inc, is_prefix: false }, expr, ty);
        let value = self.loaded(lhs, expr);
        if is_prefix {
            self.emit(Class::Expression, FragmentKind::Effect(statement), span);
            return value;
        }
        if let Some(behind) = &mut self.behind {
            behind.push(statement);
            return value;
        }
        // Nothing can come behind a condition.
        if self.wraps(ty.ty) {
            let old = self.temporary("old", ty.ty, span);
            self.assign(old, value);
            self.olds.insert(expr, old);
        }
        self.emit(Class::Expression, FragmentKind::Effect(statement), span);
        self.old_value(expr, lhs, is_inc)
    }

    /// What `place++` was worth when it has happened: the new value less the step, or what was kept of it.
    fn old_value(&mut self, expr: ExprId, place: ExprId, is_inc: bool) -> ExprId {
        if let Some(old) = self.olds.get(&expr) {
            return self.load(*old, expr);
        }
        let ty = self.node(expr).ty.ty;
        let value = self.loaded(place, expr);
        let one = self.int(1, expr);
        let op = match (is_inc, self.unit().types.is_pointer(ty)) {
            (true, false) => BinaryOp::Sub,
            (true, true) => BinaryOp::PtrSub,
            (false, false) => BinaryOp::Add,
            (false, true) => BinaryOp::PtrAdd,
        };
        self.push_expr(ExprKind::Binary(op, value, one), expr, QualTy::plain(ty))
    }

    /// Whether counting in a type comes to an end and begins again, or stays there.
    fn wraps(&self, ty: TyId) -> bool {
        let types = &self.unit().types;
        let is_narrow = types.size_of(ty) < types.size_of(TyId::INT);
        types.int_kind_of(ty).is_some_and(|kind| is_narrow || !kind.is_signed())
    }

    /// An lvalue whose effects have happened already.
    fn again(&mut self, lhs: ExprId) -> ExprId {
        let kind = self.node(lhs).kind.clone();
        let ty = self.node(lhs).ty;
        match kind {
            ExprKind::IncDec { lhs: place, is_inc, is_prefix } => {
                if is_prefix || self.behind.is_some() {
                    return self.loaded(place, lhs);
                }
                self.old_value(lhs, place, is_inc)
            }
            ExprKind::Assign { lhs: place, .. } | ExprKind::CompoundAssign { lhs: place, .. } => {
                self.loaded(place, lhs)
            }
            ExprKind::Comma(_, last) => self.again(last),
            kind => {
                let children: Vec<ExprId> = crate::normal::scan::children(&kind)
                    .into_iter()
                    .map(|child| if self.has_effects(child) { self.again(child) } else { child })
                    .collect();
                let kind = rebuilt(kind, &children);
                self.push_expr(kind, lhs, ty)
            }
        }
    }

    fn loaded(&mut self, place: ExprId, like: ExprId) -> ExprId {
        let ty = QualTy::plain(self.node(place).ty.ty);
        let kind = ExprKind::Cast { kind: CastKind::Load, operand: place, is_implicit: true };
        self.push_expr(kind, like, ty)
    }

    /// The value of `({ ...; last; })`.
    fn statement_value(&mut self, body: StmtId, expr: ExprId) -> ExprId {
        let StmtKind::Block(stmts) = &self.unit().stmts[body].kind else { return self.int(0, expr) };
        let stmts = stmts.clone();
        let Some((last, first)) = stmts.split_last() else { return self.int(0, expr) };
        for stmt in first {
            self.stmt(*stmt);
        }
        match self.unit().stmts[*last].kind {
            StmtKind::Expr(value) => self.value(value),
            _ => {
                self.stmt(*last);
                self.int(0, expr)
            }
        }
    }

    /// The condition of a decision, without effects.
    pub(super) fn condition(&mut self, expr: ExprId) -> ExprId {
        let outer = self.behind.take();
        let value = self.value(expr);
        self.behind = outer;
        value
    }

    /// The same, for what is only looked at.
    fn decided(&mut self, expr: ExprId) -> ExprId {
        self.condition(expr)
    }

    /// A decision; a constant one is none.
    pub(super) fn choice(&mut self, condition: ExprId, then: Vec<Node>, otherwise: Vec<Node>, span: Span) {
        if let Some(value) = self.constant(condition) {
            self.nodes.extend(if value != 0 { then } else { otherwise });
            return;
        }
        let condition = self.fragment(Class::Condition, FragmentKind::Condition(condition), span);
        self.nodes.push(Node::If { condition, then, otherwise });
    }

    /// The value of a condition that is written as a constant.
    pub(super) fn constant(&self, expr: ExprId) -> Option<i128> {
        match self.node(expr).kind {
            ExprKind::Int(value) => Some(value),
            ExprKind::Cast { operand, kind: CastKind::IntToInt | CastKind::ToBool, .. } => self.constant(operand),
            ExprKind::Unary(unpick_front_c::ast::UnaryOp::LogNot, operand) => {
                self.constant(operand).map(|value| i128::from(value == 0))
            }
            _ => None,
        }
    }
}

/// The same expression around other operands, in the order of [`super::scan::children`].
fn rebuilt(kind: ExprKind, children: &[ExprId]) -> ExprKind {
    match (kind, children) {
        (ExprKind::Deref(_), [one]) => ExprKind::Deref(*one),
        (ExprKind::AddrOf(_), [one]) => ExprKind::AddrOf(*one),
        (ExprKind::Member { record, index, .. }, [one]) => ExprKind::Member { base: *one, record, index },
        (ExprKind::Cast { kind, is_implicit, .. }, [one]) => ExprKind::Cast { kind, operand: *one, is_implicit },
        (ExprKind::Unary(op, _), [one]) => ExprKind::Unary(op, *one),
        (ExprKind::VaArg { .. }, [one]) => ExprKind::VaArg { list: *one },
        (ExprKind::Index { .. }, [one, other]) => ExprKind::Index { base: *one, index: *other },
        (ExprKind::Binary(op, ..), [one, other]) => ExprKind::Binary(op, *one, *other),
        (ExprKind::LogAnd(..), [one, other]) => ExprKind::LogAnd(*one, *other),
        (ExprKind::LogOr(..), [one, other]) => ExprKind::LogOr(*one, *other),
        (ExprKind::Cond { .. }, [cond, then, otherwise]) => {
            ExprKind::Cond { cond: *cond, then: *then, otherwise: *otherwise }
        }
        (ExprKind::Call { .. }, [callee, args @ ..]) => ExprKind::Call { callee: *callee, args: args.to_vec() },
        (ExprKind::Builtin { builtin, .. }, args) => ExprKind::Builtin { builtin, args: args.to_vec() },
        (kind, _) => kind,
    }
}
