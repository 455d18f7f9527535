//! Normalisation of statements to nodes.

use unpick_base::Span;
use unpick_front_c::ast::{BinaryOp, DeclId, DeclKind, ExprId, ExprKind, Init, StmtId, StmtKind, Storage};
use unpick_front_c::types::QualTy;

use super::Normaliser;
use crate::code::{Arm, Class, FragmentId, FragmentKind, Node, Switch};

impl Normaliser<'_> {
    pub(super) fn stmt(&mut self, stmt: StmtId) {
        let span = self.stmt_span(stmt);
        let unit = self.unit;
        // The tree only grows: statements stay where they are.
        match &self.code.units[unit].stmts[stmt].kind {
            StmtKind::Empty | StmtKind::Type(_) | StmtKind::Error => {}
            StmtKind::Expr(expr) => {
                let expr = *expr;
                self.effect(expr, span);
            }
            StmtKind::Decl(decls) => {
                let decls = decls.clone();
                decls.into_iter().for_each(|decl| self.declaration(decl));
            }
            StmtKind::VlaSizes(sizes) => {
                let sizes = sizes.clone();
                for size in sizes {
                    self.condition(size);
                }
            }
            StmtKind::Block(stmts) => {
                let stmts = stmts.clone();
                stmts.into_iter().for_each(|stmt| self.stmt(stmt));
            }
            StmtKind::If { cond, then, otherwise } => {
                let (cond, then, otherwise) = (*cond, *then, *otherwise);
                let condition = self.condition(cond);
                let then = self.inner(|this| this.stmt(then));
                let otherwise = self.inner(|this| otherwise.into_iter().for_each(|stmt| this.stmt(stmt)));
                self.choice(condition, then, otherwise, self.node(cond).span);
            }
            StmtKind::While { cond, body } => {
                let (cond, body) = (*cond, *body);
                self.repeat(Some(cond), true, body, None);
            }
            StmtKind::DoWhile { body, cond } => {
                let (cond, body) = (*cond, *body);
                match self.constant(cond) {
                    Some(0) => {
                        let body = self.inner(|this| this.stmt(body));
                        self.nodes.push(Node::Once(body));
                    }
                    _ => self.repeat(Some(cond), false, body, None),
                }
            }
            StmtKind::For { init, cond, step, body } => {
                let (init, cond, step, body) = (*init, *cond, *step, *body);
                if let Some(init) = init {
                    self.stmt(init);
                }
                self.repeat(cond, true, body, step);
            }
            StmtKind::Switch { value, body } => {
                let (value, body) = (*value, *body);
                self.switch(value, body, span);
            }
            StmtKind::Case { body, .. } | StmtKind::Default { body } => {
                // Outside of every switch that `switch` takes apart; only its statement is left.
                let body = *body;
                self.stmt(body);
            }
            StmtKind::Label { label, body } => {
                let (label, body) = (*label, *body);
                self.nodes.push(Node::Label(label));
                self.stmt(body);
            }
            StmtKind::Goto(label) => self.nodes.push(Node::Goto(*label)),
            StmtKind::GotoComputed(target) => {
                let target = *target;
                self.condition(target);
                let labels = self.labels_of_function();
                self.nodes.push(Node::GotoAny(labels));
            }
            StmtKind::Continue => self.nodes.push(Node::Continue),
            StmtKind::Break => self.nodes.push(Node::Break),
            StmtKind::Return(value) => {
                let value = *value;
                self.return_statement(value, span);
            }
            StmtKind::Asm(assembly) => {
                let outputs: Vec<ExprId> = assembly.outputs.iter().map(|(_, expr)| *expr).collect();
                self.assembly(&outputs, span);
            }
        }
    }

    /// What assembly writes gets an unknown value: an expression without a translation.
    fn assembly(&mut self, outputs: &[ExprId], span: Span) {
        for output in outputs {
            let lhs = self.value(*output);
            let ty = self.node(lhs).ty;
            let rhs = self.push_expr(ExprKind::Error, lhs, QualTy::plain(ty.ty));
            let assignment = self.push_expr(ExprKind::Assign { lhs, rhs }, lhs, QualTy::plain(ty.ty));
            self.emit(Class::Assignment, FragmentKind::Effect(assignment), span);
        }
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) {
        let fragment = match value {
            Some(value) if self.is_void(value) => {
                self.effect(value, span);
                None
            }
            Some(value) => {
                let outer = self.behind.take();
                let value = self.value(value);
                self.behind = outer;
                Some(self.fragment(Class::Assignment, FragmentKind::Return(value), span))
            }
            None => None,
        };
        self.nodes.push(Node::Return(fragment));
    }

    fn declaration(&mut self, decl: DeclId) {
        let item = &self.unit().decls[decl];
        let DeclKind::Var(var) = &item.kind else { return };
        let span = item.span;
        if var.is_declared_only || self.interner.name(item.name) == "__func__" {
            return;
        }
        let is_static = !matches!(var.storage, Storage::Automatic | Storage::Parameter);
        if is_static {
            let fragment = self.fragment(Class::Declaration, FragmentKind::Declaration(decl), span);
            self.code.globals.push(fragment);
            return;
        }
        // An initialiser with effects is taken apart like an assignment.
        let init = match &var.init {
            Some(Init::Expr(value)) if self.has_effects(*value) => Some(*value),
            Some(_) | None => None,
        };
        self.code.functions[self.function].locals.push(decl);
        if let Some(value) = init {
            let ty = self.unit().decls[decl].ty;
            if let DeclKind::Var(var) = &mut self.code.units[self.unit].decls[decl].kind {
                var.init = None;
            }
            self.emit(Class::Declaration, FragmentKind::Declaration(decl), span);
            let lhs = self.push_expr(ExprKind::Decl(decl), value, ty);
            let assignment = self.push_expr(ExprKind::Assign { lhs, rhs: value }, value, QualTy::plain(ty.ty));
            self.effect(assignment, span);
            return;
        }
        self.emit(Class::Declaration, FragmentKind::Declaration(decl), span);
    }

    fn repeat(&mut self, cond: Option<ExprId>, is_tested_first: bool, body: StmtId, step: Option<ExprId>) {
        let mut condition = None;
        let before = self.inner(|this| {
            condition = cond.map(|cond| this.condition(cond));
        });
        let is_endless = condition.is_none_or(|condition| self.constant(condition).is_some_and(|value| value != 0));
        let condition = match (condition, cond) {
            (Some(condition), Some(cond)) if !is_endless => {
                let span = self.node(cond).span;
                Some(self.fragment(Class::Condition, FragmentKind::Condition(condition), span))
            }
            _ => None,
        };
        let body = self.inner(|this| this.stmt(body));
        let step = self.inner(|this| {
            if let Some(step) = step {
                let span = this.node(step).span;
                this.effect(step, span);
            }
        });
        self.nodes.push(Node::Loop { before, condition, is_tested_first, body, step });
    }

    fn switch(&mut self, value: ExprId, body: StmtId, span: Span) {
        let value = self.condition(value);
        let mut cases = Vec::new();
        let is_structured = self.is_structured(body);
        self.find_cases(body, &mut cases);
        let mut arms: Vec<Arm> = Vec::new();
        for case in &cases {
            let (condition, is_default) = match case {
                Some((low, high, name)) => (Some(self.case_condition(value, *low, *high, *name, span)), false),
                None => (None, true),
            };
            arms.push(Arm { conditions: condition.into_iter().collect(), is_default, body: Vec::new() });
        }
        let mut position = 0;
        if !is_structured {
            let body = self.inner(|this| this.labelled(body, &mut position));
            return self.nodes.push(Node::Switch(Switch { arms, is_structured: false, body }));
        }
        let StmtKind::Block(stmts) = &self.unit().stmts[body].kind else {
            let body = self.inner(|this| this.labelled(body, &mut position));
            return self.nodes.push(Node::Switch(Switch { arms, is_structured: false, body }));
        };
        let stmts = stmts.clone();
        let mut joined: Vec<Arm> = Vec::new();
        let mut arms = arms.into_iter();
        for stmt in stmts {
            let mut stmt = stmt;
            let mut arm: Option<Arm> = None;
            while let StmtKind::Case { body, .. } | StmtKind::Default { body } = &self.unit().stmts[stmt].kind {
                stmt = *body;
                let next = arms.next().expect("each case should have been found before");
                match &mut arm {
                    Some(arm) => {
                        arm.conditions.extend(next.conditions);
                        arm.is_default |= next.is_default;
                    }
                    None => arm = Some(next),
                }
            }
            joined.extend(arm);
            let nodes = self.inner(|this| this.stmt(stmt));
            // What stands before the first case is never reached, except its declarations.
            if let Some(arm) = joined.last_mut() {
                arm.body.extend(nodes);
            }
        }
        self.nodes.push(Node::Switch(Switch { arms: joined, is_structured: true, body: Vec::new() }));
    }

    fn case_condition(&mut self, value: ExprId, low: i128, high: i128, name: Span, span: Span) -> FragmentId {
        let ty = QualTy::plain(unpick_front_c::types::TyId::INT);
        let bound = |this: &mut Self, bound: i128| {
            let kind = ExprKind::Int(bound);
            let span = if low == high { name } else { Span::NONE };
            let value_ty = this.node(value).ty;
            this.code.units[this.unit].exprs.push(unpick_front_c::ast::Expr { kind, ty: value_ty, span })
        };
        let low_expr = bound(self, low);
        let condition = if low == high {
            self.push_expr(ExprKind::Binary(BinaryOp::Eq, value, low_expr), value, ty)
        } else {
            let high_expr = bound(self, high);
            let above = self.push_expr(ExprKind::Binary(BinaryOp::Ge, value, low_expr), value, ty);
            let below = self.push_expr(ExprKind::Binary(BinaryOp::Le, value, high_expr), value, ty);
            self.push_expr(ExprKind::LogAnd(above, below), value, ty)
        };
        self.fragment(Class::Condition, FragmentKind::Condition(condition), span)
    }

    /// Where a case writes its constant.
    fn case_name(&self, stmt: StmtId) -> Span {
        let span = self.stmt_span(stmt);
        let text = self.sources.snippet(span);
        let Some(rest) = text.strip_prefix("case") else { return Span::NONE };
        let start = text.len() - rest.trim_start().len();
        let len = text[start..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(0);
        Span::new(span.lo + start as u32, span.lo + (start + len) as u32)
    }

    /// Whether all cases are labels of statements directly in the body.
    fn is_structured(&self, body: StmtId) -> bool {
        let StmtKind::Block(stmts) = &self.unit().stmts[body].kind else { return false };
        stmts.iter().all(|stmt| {
            let mut stmt = *stmt;
            while let StmtKind::Case { body, .. } | StmtKind::Default { body } = &self.unit().stmts[stmt].kind {
                stmt = *body;
            }
            let mut nested = Vec::new();
            self.find_cases(stmt, &mut nested);
            nested.is_empty()
        })
    }

    /// The cases of a switch in order; `None` is `default`.
    fn find_cases(&self, stmt: StmtId, cases: &mut Vec<Option<(i128, i128, Span)>>) {
        match &self.unit().stmts[stmt].kind {
            StmtKind::Case { low, high, body } => {
                cases.push(Some((*low, *high, self.case_name(stmt))));
                self.find_cases(*body, cases);
            }
            StmtKind::Default { body } => {
                cases.push(None);
                self.find_cases(*body, cases);
            }
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.find_cases(*stmt, cases)),
            StmtKind::If { then, otherwise, .. } => {
                self.find_cases(*then, cases);
                otherwise.iter().for_each(|stmt| self.find_cases(*stmt, cases));
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Label { body, .. } => self.find_cases(*body, cases),
            StmtKind::Switch { .. }
            | StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Decl(_)
            | StmtKind::Type(_)
            | StmtKind::VlaSizes(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_)
            | StmtKind::Error => {}
        }
    }

    /// A body whose cases lie anywhere: each becomes a label that the switch jumps to.
    fn labelled(&mut self, stmt: StmtId, position: &mut usize) {
        match &self.unit().stmts[stmt].kind {
            StmtKind::Case { body, .. } | StmtKind::Default { body } => {
                let body = *body;
                self.nodes.push(Node::CaseLabel(*position));
                *position += 1;
                self.labelled(body, position);
            }
            StmtKind::Block(stmts) => {
                let stmts = stmts.clone();
                stmts.into_iter().for_each(|stmt| self.labelled(stmt, position));
            }
            StmtKind::If { cond, then, otherwise } => {
                let (cond, then, otherwise) = (*cond, *then, *otherwise);
                let condition = self.condition(cond);
                let span = self.node(cond).span;
                let then = self.inner(|this| this.labelled(then, position));
                let otherwise = self.inner(|this| otherwise.into_iter().for_each(|stmt| this.labelled(stmt, position)));
                // Constant conditions stay: cases may lie in the branch that is not taken.
                let condition = self.fragment(Class::Condition, FragmentKind::Condition(condition), span);
                self.nodes.push(Node::If { condition, then, otherwise });
            }
            StmtKind::While { cond, body } => {
                let (cond, body) = (*cond, *body);
                self.labelled_loop(Some(cond), true, body, None, position);
            }
            StmtKind::DoWhile { body, cond } => {
                let (cond, body) = (*cond, *body);
                self.labelled_loop(Some(cond), false, body, None, position);
            }
            StmtKind::For { init, cond, step, body } => {
                let (init, cond, step, body) = (*init, *cond, *step, *body);
                if let Some(init) = init {
                    self.stmt(init);
                }
                self.labelled_loop(cond, true, body, step, position);
            }
            StmtKind::Label { label, body } => {
                let (label, body) = (*label, *body);
                self.nodes.push(Node::Label(label));
                self.labelled(body, position);
            }
            _ => self.stmt(stmt),
        }
    }

    fn labelled_loop(
        &mut self,
        cond: Option<ExprId>,
        is_tested_first: bool,
        body: StmtId,
        step: Option<ExprId>,
        position: &mut usize,
    ) {
        let mut condition = None;
        let before = self.inner(|this| condition = cond.map(|cond| this.condition(cond)));
        let condition = condition.zip(cond).map(|(condition, cond)| {
            let span = self.node(cond).span;
            self.fragment(Class::Condition, FragmentKind::Condition(condition), span)
        });
        let body = self.inner(|this| this.labelled(body, position));
        let step = self.inner(|this| {
            if let Some(step) = step {
                let span = this.node(step).span;
                this.effect(step, span);
            }
        });
        self.nodes.push(Node::Loop { before, condition, is_tested_first, body, step });
    }
}
