//! Analysis of statements, labels, and rules that depend on the enclosing function.

use unpick_base::{Span, Symbol};

use super::Sema;
use super::convert::Why;
use super::typing::wrap;
use crate::ast::{self, DeclId, ExprId, Label, LabelId, StmtId, StmtKind};
use crate::syntax::{self, Block, BlockItem, Expr, ForInit, Ident, Stmt};
use crate::types::{QualTy, TyId};

/// What is known of the function whose body is being analysed.
pub(super) struct FunctionState {
    pub decl: DeclId,
    pub ret: QualTy,
    labels: Vec<LabelEntry>,
    n_loops: u32,
    n_breakable: u32,
    switches: Vec<SwitchState>,
    pub address_labels: Vec<LabelId>,
    /// Records and enums completed since the last statement began.
    pub pending_types: Vec<TyId>,
    /// The array behind `__func__`, once used.
    pub name_decl: Option<DeclId>,
}

struct LabelEntry {
    name: Symbol,
    id: LabelId,
    span: Span,
    is_defined: bool,
    /// Declared by `__label__` in a block that may have ended.
    is_local: bool,
    is_closed: bool,
}

/// What stands before a statement.
enum StmtLabel {
    Case(i128, i128),
    Default,
    Named(LabelId),
}

struct SwitchState {
    ty: TyId,
    cases: Vec<(i128, i128, Span)>,
    default: Option<Span>,
}

impl FunctionState {
    pub fn new(decl: DeclId, ret: QualTy) -> Self {
        Self {
            decl,
            ret,
            labels: Vec::new(),
            n_loops: 0,
            n_breakable: 0,
            switches: Vec::new(),
            address_labels: Vec::new(),
            pending_types: Vec::new(),
            name_decl: None,
        }
    }
}

impl Sema {
    pub(super) fn has_pending(&self) -> bool {
        !self.vla_sizes.is_empty() || self.function.as_ref().is_some_and(|state| !state.pending_types.is_empty())
    }

    /// Statements for types completed and sizes to be evaluated before the statement at hand.
    pub(super) fn flush_pending(&mut self, span: Span, stmts: &mut Vec<StmtId>) {
        if !self.has_pending() {
            return;
        }
        if let Some(state) = &mut self.function {
            for ty in std::mem::take(&mut state.pending_types) {
                let stmt = self.unit.stmts.push(ast::Stmt { kind: StmtKind::Type(ty), span });
                stmts.push(stmt);
            }
        }
        if !self.vla_sizes.is_empty() {
            let sizes = std::mem::take(&mut self.vla_sizes);
            let stmt = self.add_stmt(StmtKind::VlaSizes(sizes), span);
            stmts.push(stmt);
        }
    }

    pub(super) fn block_items(&mut self, items: &[BlockItem], stmts: &mut Vec<StmtId>) {
        let outer_sizes = std::mem::take(&mut self.vla_sizes);
        let outer_types = self.function.as_mut().map(|state| std::mem::take(&mut state.pending_types));
        let n_labels = self.function.as_ref().map_or(0, |state| state.labels.len());
        for item in items {
            self.block_item(item, stmts);
        }
        self.close_local_labels(n_labels);
        self.vla_sizes = outer_sizes;
        if let (Some(state), Some(types)) = (&mut self.function, outer_types) {
            state.pending_types = types;
        }
    }

    fn block_item(&mut self, item: &BlockItem, stmts: &mut Vec<StmtId>) {
        match item {
            BlockItem::Declaration(declaration) => {
                let mut own = Vec::new();
                self.declaration(declaration, &mut own);
                self.flush_pending(declaration.span, stmts);
                stmts.append(&mut own);
            }
            BlockItem::Function(def) => {
                self.error(def.declarator.span, "nested functions are not supported");
            }
            BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            BlockItem::LocalLabels(labels) => {
                for label in labels {
                    self.new_label(*label, true);
                }
            }
            BlockItem::PragmaPack(pragma) => self.pragma_pack(*pragma),
            BlockItem::Stmt(stmt) => {
                let id = self.stmt(stmt);
                self.flush_pending(stmt.span, stmts);
                stmts.push(id);
            }
        }
    }

    pub(super) fn block(&mut self, block: &Block) -> StmtId {
        self.scopes.enter();
        let mut stmts = Vec::with_capacity(block.items.len());
        self.block_items(&block.items, &mut stmts);
        self.scopes.leave();
        self.add_stmt(StmtKind::Block(stmts), block.span)
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> StmtId {
        if !self.descend(stmt.span) {
            return self.add_stmt(StmtKind::Error, stmt.span);
        }
        let kind = self.stmt_kind(stmt);
        self.ascend();
        self.add_stmt(kind, stmt.span)
    }

    fn stmt_kind(&mut self, stmt: &Stmt) -> StmtKind {
        match &stmt.kind {
            syntax::StmtKind::Expr(expr) => StmtKind::Expr(self.discarded(expr)),
            syntax::StmtKind::Empty | syntax::StmtKind::Attrs(_) => StmtKind::Empty,
            syntax::StmtKind::Block(block) => {
                let id = self.block(block);
                std::mem::replace(&mut self.unit.stmts[id].kind, StmtKind::Empty)
            }
            syntax::StmtKind::If { .. } => self.if_chain(stmt),
            syntax::StmtKind::While { cond, body } => {
                let cond = self.condition(cond);
                let body = self.loop_body(body);
                StmtKind::While { cond, body }
            }
            syntax::StmtKind::DoWhile { body, cond } => {
                let body = self.loop_body(body);
                let cond = self.condition(cond);
                StmtKind::DoWhile { body, cond }
            }
            syntax::StmtKind::For { init, cond, step, body } => {
                self.for_stmt(init.as_ref(), cond.as_ref(), step.as_ref(), body)
            }
            syntax::StmtKind::Switch { value, body } => self.switch(value, body),
            syntax::StmtKind::Case { .. } | syntax::StmtKind::Default(_) | syntax::StmtKind::Label { .. } => {
                self.labelled(stmt)
            }
            syntax::StmtKind::Goto(label) => StmtKind::Goto(self.use_label(*label)),
            syntax::StmtKind::GotoComputed(expr) => {
                let value = self.rvalue(expr);
                let pointer = self.pointer_to(QualTy::plain(TyId::VOID));
                // Tables of labels are often `const void *`; jumping through them is fine.
                match self.pointee(self.ty_of(value)) {
                    Some(_) => StmtKind::GotoComputed(self.convert(value, pointer, true)),
                    None => StmtKind::GotoComputed(self.assign_to(value, pointer, Why::Assign)),
                }
            }
            syntax::StmtKind::Continue => {
                if self.function.as_ref().is_some_and(|state| state.n_loops == 0) {
                    self.error(stmt.span, "`continue` outside a loop");
                    return StmtKind::Error;
                }
                StmtKind::Continue
            }
            syntax::StmtKind::Break => {
                if self.function.as_ref().is_some_and(|state| state.n_breakable == 0) {
                    self.error(stmt.span, "`break` outside a loop or switch");
                    return StmtKind::Error;
                }
                StmtKind::Break
            }
            syntax::StmtKind::Return(value) => self.return_stmt(value.as_ref(), stmt.span),
            syntax::StmtKind::Asm(asm) => self.asm(asm),
            syntax::StmtKind::Error => StmtKind::Error,
        }
    }

    /// `if` and the `else if`s that follow, which can be many.
    fn if_chain(&mut self, stmt: &Stmt) -> StmtKind {
        let mut links = Vec::new();
        let mut at = stmt;
        let mut last = None;
        while let syntax::StmtKind::If { cond, then, otherwise } = &at.kind {
            let cond = self.condition(cond);
            links.push((cond, self.stmt(then), at.span));
            match otherwise {
                Some(next) if matches!(next.kind, syntax::StmtKind::If { .. }) => at = next,
                Some(next) => {
                    last = Some(self.stmt(next));
                    break;
                }
                None => break,
            }
        }
        let mut result = StmtKind::Empty;
        for (nth, (cond, then, _)) in links.iter().enumerate().rev() {
            let otherwise = match links.get(nth + 1) {
                Some((_, _, span)) => Some(self.add_stmt(std::mem::replace(&mut result, StmtKind::Empty), *span)),
                None => last,
            };
            result = StmtKind::If { cond: *cond, then: *then, otherwise };
        }
        result
    }

    /// Labels of all kinds before one statement, which can be many.
    fn labelled(&mut self, stmt: &Stmt) -> StmtKind {
        let mut labels = Vec::new();
        let mut async_label = None;
        let mut at = stmt;
        loop {
            let (label, body) = match &at.kind {
                syntax::StmtKind::Case { low, high, body } => (self.case(low, high.as_ref(), at.span), body),
                syntax::StmtKind::Default(body) => (self.default(at.span), body),
                syntax::StmtKind::Label { label, body, .. } => {
                    if self.is_async_label(*label) {
                        async_label = Some(*label);
                    }
                    (Some(StmtLabel::Named(self.define_label(*label))), body)
                }
                _ => break,
            };
            labels.push((label, at.span));
            at = body;
        }
        let mut body = match async_label {
            Some(label) => {
                let start = self.async_statement(label, at);
                self.add_stmt(start, at.span)
            }
            None => self.stmt(at),
        };
        let mut result = StmtKind::Error;
        for (nth, (label, span)) in labels.into_iter().enumerate().rev() {
            result = match label {
                Some(StmtLabel::Case(low, high)) => StmtKind::Case { low, high, body },
                Some(StmtLabel::Default) => StmtKind::Default { body },
                Some(StmtLabel::Named(label)) => StmtKind::Label { label, body },
                None => StmtKind::Block(vec![body]),
            };
            if nth > 0 {
                body = self.add_stmt(std::mem::replace(&mut result, StmtKind::Error), span);
            }
        }
        result
    }

    /// An expression evaluated for its effects; reading an lvalue is one of them.
    pub(super) fn discarded(&mut self, expr: &Expr) -> ExprId {
        let id = self.expr(expr);
        let ty = self.type_of(id);
        if self.is_lvalue(id) && !self.is_complete(ty.ty) && !self.is_function(ty.ty) && !self.is_array(ty.ty) {
            return id;
        }
        self.value_of(id)
    }

    fn loop_body(&mut self, body: &Stmt) -> StmtId {
        if let Some(state) = &mut self.function {
            state.n_loops += 1;
            state.n_breakable += 1;
        }
        let body = self.stmt(body);
        if let Some(state) = &mut self.function {
            state.n_loops -= 1;
            state.n_breakable -= 1;
        }
        body
    }

    fn for_stmt(&mut self, init: Option<&ForInit>, cond: Option<&Expr>, step: Option<&Expr>, body: &Stmt) -> StmtKind {
        self.scopes.enter();
        let init = match init {
            None => None,
            Some(ForInit::Expr(expr)) => {
                let value = self.discarded(expr);
                Some(self.add_stmt(StmtKind::Expr(value), expr.span))
            }
            Some(ForInit::Declaration(declaration)) => {
                let mut own = Vec::new();
                self.declaration(declaration, &mut own);
                match own.len() {
                    0 => None,
                    1 => own.pop(),
                    _ => Some(self.add_stmt(StmtKind::Block(own), declaration.span)),
                }
            }
        };
        let cond = cond.map(|cond| self.condition(cond));
        let step = step.map(|step| self.discarded(step));
        let body = self.loop_body(body);
        self.scopes.leave();
        StmtKind::For { init, cond, step, body }
    }

    fn switch(&mut self, value: &Expr, body: &Stmt) -> StmtKind {
        let value = self.rvalue(value);
        let ty = self.ty_of(value);
        let value = if self.is_integer(ty) {
            self.promote(value)
        } else {
            if ty != TyId::ERROR {
                let message = format!("a switch needs an integer, not `{}`", self.spell(ty));
                let span = self.span_of(value);
                self.error(span, message);
            }
            value
        };
        let ty = self.ty_of(value);
        if let Some(state) = &mut self.function {
            state.switches.push(SwitchState { ty, cases: Vec::new(), default: None });
            state.n_breakable += 1;
        }
        let body = self.stmt(body);
        let state = self.function.as_mut().and_then(|state| {
            state.n_breakable -= 1;
            state.switches.pop()
        });
        if let Some(state) = state {
            self.check_cases(state.cases);
        }
        StmtKind::Switch { value, body }
    }

    fn check_cases(&mut self, mut cases: Vec<(i128, i128, Span)>) {
        cases.sort_by_key(|(low, _, span)| (*low, span.lo));
        for pair in cases.windows(2) {
            let ((_, high, first), (low, _, second)) = (pair[0], pair[1]);
            if low <= high {
                self.error_with(second, format!("case {low} appears twice"), first, "first here");
            }
        }
    }

    /// The bounds of a case label; `None` after a complaint.
    fn case(&mut self, low: &Expr, high: Option<&Expr>, span: Span) -> Option<StmtLabel> {
        let ty = self.function.as_ref().and_then(|state| state.switches.last()).map(|switch| switch.ty);
        let low_value = self.required_const(low, "case label");
        let high_value = match high {
            Some(high) => self.required_const(high, "case label"),
            None => low_value,
        };
        let Some(ty) = ty else {
            self.error(span, "`case` outside a switch");
            return None;
        };
        let (mut first, mut last) = (low_value?, high_value?);
        if let Some(shape) = self.shape_of(ty) {
            (first, last) = (wrap(first, shape), wrap(last, shape));
        }
        if first > last {
            self.warn(low.span, "empty case range");
        } else if let Some(switch) = self.function.as_mut().and_then(|state| state.switches.last_mut()) {
            switch.cases.push((first, last, low.span));
        }
        Some(StmtLabel::Case(first, last))
    }

    fn default(&mut self, span: Span) -> Option<StmtLabel> {
        let switch = self.function.as_mut().and_then(|state| state.switches.last_mut());
        match switch {
            None => {
                self.error(span, "`default` outside a switch");
                return None;
            }
            Some(switch) => {
                if let Some(first) = switch.default.replace(span) {
                    self.error_with(span, "a second `default` in this switch".to_owned(), first, "first here");
                }
            }
        }
        Some(StmtLabel::Default)
    }

    fn return_stmt(&mut self, value: Option<&Expr>, span: Span) -> StmtKind {
        let ret = self.function.as_ref().map_or(QualTy::plain(TyId::ERROR), |state| state.ret);
        let Some(expr) = value else {
            if ret.ty != TyId::VOID && ret.ty != TyId::ERROR {
                self.warn(span, "`return` without a value in a function that returns one");
            }
            return StmtKind::Return(None);
        };
        let value = self.rvalue(expr);
        if ret.ty != TyId::VOID {
            let value = self.assign_to(value, ret.ty, Why::Return);
            return StmtKind::Return(Some(value));
        }
        if self.ty_of(value) != TyId::VOID && !self.is_error(value) {
            self.warn(expr.span, "`return` with a value in a function that returns none");
        }
        let effect = self.add_stmt(StmtKind::Expr(value), span);
        let leave = self.add_stmt(StmtKind::Return(None), span);
        StmtKind::Block(vec![effect, leave])
    }

    fn asm(&mut self, asm: &syntax::Asm) -> StmtKind {
        // Operands by name (`%[value]`) become operands by number, so that later stages do not need the names.
        let (mut template, mut constraints) = (asm.template.clone(), Vec::new());
        for (index, operand) in asm.outputs.iter().chain(&asm.inputs).enumerate() {
            if let Some(name) = operand.name {
                template = template.replace(&format!("[{}]", self.name(name.name)), &index.to_string());
                constraints.push((format!("[{}]", self.name(name.name)), index.to_string()));
            }
        }
        let numbered = |constraint: &String| {
            let known = constraints.iter().find(|(name, _)| name == constraint.trim());
            known.map_or_else(|| constraint.clone(), |(_, number)| number.clone())
        };
        let outputs = asm.outputs.iter().map(|operand| (operand.constraint.clone(), self.expr(&operand.value)));
        let outputs = outputs.collect();
        let mut inputs = Vec::with_capacity(asm.inputs.len());
        for operand in &asm.inputs {
            let id = self.expr(&operand.value);
            let is_memory = operand.constraint.contains('m') && self.is_lvalue(id);
            inputs.push((numbered(&operand.constraint), if is_memory { id } else { self.value_of(id) }));
        }
        let labels = asm.labels.iter().map(|label| self.use_label(*label)).collect();
        StmtKind::Asm(Box::new(ast::Asm {
            template,
            outputs,
            inputs,
            clobbers: asm.clobbers.clone(),
            labels,
            is_volatile: asm.is_volatile,
        }))
    }

    // Labels.

    fn new_label(&mut self, label: Ident, is_local: bool) -> LabelId {
        let id = self.unit.labels.push(Label { name: label.name, span: label.span });
        if let Some(state) = &mut self.function {
            state.labels.push(LabelEntry {
                name: label.name,
                id,
                span: label.span,
                is_defined: false,
                is_local,
                is_closed: false,
            });
        }
        id
    }

    fn find_label(&mut self, name: Symbol) -> Option<&mut LabelEntry> {
        let state = self.function.as_mut()?;
        let local = state.labels.iter().rposition(|entry| entry.name == name && entry.is_local && !entry.is_closed);
        let at = local.or_else(|| state.labels.iter().rposition(|entry| entry.name == name && !entry.is_local))?;
        Some(&mut state.labels[at])
    }

    pub(super) fn use_label(&mut self, label: Ident) -> LabelId {
        match self.find_label(label.name) {
            Some(entry) => entry.id,
            None => self.new_label(label, false),
        }
    }

    /// `&&label`.
    pub(super) fn label_address(&mut self, label: Ident) -> LabelId {
        let id = self.use_label(label);
        if let Some(state) = &mut self.function
            && !state.address_labels.contains(&id)
        {
            state.address_labels.push(id);
        }
        id
    }

    fn define_label(&mut self, label: Ident) -> LabelId {
        let found = self.find_label(label.name).map(|entry| {
            let was_defined = std::mem::replace(&mut entry.is_defined, true);
            let other = std::mem::replace(&mut entry.span, label.span);
            (entry.id, was_defined, other)
        });
        match found {
            Some((id, true, other)) => {
                let message = format!("label `{}` is defined twice", self.name(label.name));
                self.error_with(label.span, message, other, "first defined here");
                id
            }
            Some((id, false, _)) => {
                self.unit.labels[id].span = label.span;
                id
            }
            None => {
                let id = self.new_label(label, false);
                if let Some(entry) = self.find_label(label.name) {
                    entry.is_defined = true;
                }
                id
            }
        }
    }

    fn close_local_labels(&mut self, from: usize) {
        let mut missing = Vec::new();
        if let Some(state) = &mut self.function {
            for entry in state.labels.iter_mut().skip(from) {
                if entry.is_local && !entry.is_closed {
                    entry.is_closed = true;
                    if !entry.is_defined {
                        missing.push((entry.name, entry.span));
                    }
                }
            }
        }
        for (name, span) in missing {
            let message = format!("label `{}` is declared but not defined", self.name(name));
            self.warn(span, message);
        }
    }

    /// Every label that is used must stand somewhere in the function.
    pub(super) fn finish_labels(&mut self, state: &FunctionState) {
        for entry in &state.labels {
            if !entry.is_defined && !entry.is_local {
                let message = format!("label `{}` is used but not defined", self.name(entry.name));
                self.error(entry.span, message);
            }
        }
    }
}
