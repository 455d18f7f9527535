//! Lowering of statements: control flow as blocks, with a marked loop head on every cycle.

use unpick_base::Span;
use unpick_program::program::{BlockId, Operand, Rvalue, StmtKind as IrStmt, Terminator, Ty};

use super::arith::mask;
use super::class::Class;
use super::function::{Exit, FunctionLowering, Home, SwitchLabels};
use super::place::{Mem, Place};
use super::scope::Item;
use unpick_front_c::ast::{DeclId, DeclKind, ExprId, Init, StmtId, StmtKind, Storage};

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        let unit = self.unit;
        let stmt = &unit.stmts[id];
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Type(_) => {}
            StmtKind::Expr(expr) => self.full_effect(*expr),
            StmtKind::Decl(decls) => decls.iter().for_each(|decl| self.declaration(*decl)),
            StmtKind::VlaSizes(exprs) => exprs.iter().for_each(|expr| self.evaluate_extent(*expr)),
            StmtKind::Block(stmts) => {
                self.scopes.open();
                stmts.iter().for_each(|stmt| self.stmt(*stmt));
                self.close_scope(end_of(span));
            }
            StmtKind::If { cond, then, otherwise } => self.if_stmt(span, *cond, *then, *otherwise),
            StmtKind::While { cond, body } => self.loop_stmt(span, None, Some(*cond), None, *body),
            StmtKind::For { init, cond, step, body } => self.loop_stmt(span, *init, *cond, *step, *body),
            StmtKind::DoWhile { body, cond } => self.do_stmt(span, *body, *cond),
            StmtKind::Switch { value, body } => self.switch_stmt(span, *value, *body),
            StmtKind::Case { low, high, body } => {
                let block = self.new_block();
                let position = self.scopes.position();
                if let Some(switch) = self.switches.last_mut() {
                    switch.cases.push((*low, *high, block, position));
                }
                self.enter(span, block);
                self.stmt(*body);
            }
            StmtKind::Default { body } => {
                let block = self.new_block();
                let position = self.scopes.position();
                if let Some(switch) = self.switches.last_mut() {
                    switch.default = Some((block, position));
                }
                self.enter(span, block);
                self.stmt(*body);
            }
            StmtKind::Label { label, body } => {
                self.place_label(span, *label);
                if self.name(self.unit.labels[*label].name).starts_with("progress") {
                    self.emit(span, unpick_program::StmtKind::Progress);
                }
                self.stmt(*body);
            }
            StmtKind::Goto(label) => self.goto_label(span, *label),
            StmtKind::GotoComputed(target) => self.computed_goto(span, *target),
            StmtKind::Continue => {
                if let Some(exit) = self.continues.last().copied() {
                    self.leave_to(span, exit);
                }
            }
            StmtKind::Break => {
                if let Some(exit) = self.breaks.last().copied() {
                    self.leave_to(span, exit);
                }
            }
            StmtKind::Return(value) => self.return_stmt(span, *value),
            StmtKind::Asm(asm) => self.asm(span, asm),
            StmtKind::Error => {
                self.emit(span, IrStmt::Unmodelled("a statement that could not be understood".to_owned()))
            }
        }
    }

    /// Evaluates a full expression for its effects.
    pub(super) fn full_effect(&mut self, expr: ExprId) {
        let mark = self.temporaries.len();
        self.note_order(expr);
        self.effect(expr);
        self.end_temporaries(self.span(expr), mark);
    }

    /// Branches on a full expression; its temporaries end on both ways.
    fn full_condition(&mut self, cond: ExprId, then: BlockId, otherwise: BlockId) {
        let span = self.span(cond);
        let mark = self.temporaries.len();
        let (early_then, early_otherwise) = (self.new_block(), self.new_block());
        self.note_order(cond);
        self.condition(cond, early_then, early_otherwise);
        let ended = self.take_temporaries(mark);
        for (early, target) in [(early_then, then), (early_otherwise, otherwise)] {
            self.switch_to(early);
            for slot in &ended {
                self.emit(span, IrStmt::SlotDead(*slot));
            }
            self.goto(span, target);
        }
    }

    fn if_stmt(&mut self, span: Span, cond: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let then_block = self.new_block();
        let end = self.new_block();
        let otherwise_block = if otherwise.is_some() { self.new_block() } else { end };
        self.full_condition(cond, then_block, otherwise_block);
        self.switch_to(then_block);
        self.stmt(then);
        self.goto(span, end);
        if let Some(otherwise) = otherwise {
            self.switch_to(otherwise_block);
            self.stmt(otherwise);
            self.goto(span, end);
        }
        self.switch_to(end);
    }

    fn loop_stmt(
        &mut self,
        span: Span,
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) {
        self.scopes.open();
        if let Some(init) = init {
            self.for_init(init);
        }
        let head = self.new_block();
        let body_block = self.new_block();
        let next = self.new_block();
        let end = self.new_block();
        self.mark_loop(head, span);
        self.enter(span, head);
        match cond {
            Some(cond) => self.full_condition(cond, body_block, end),
            None => self.goto(span, body_block),
        }
        self.switch_to(body_block);
        let depth = self.scopes.depth();
        self.breaks.push(Exit { block: end, depth });
        self.continues.push(Exit { block: next, depth });
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
        self.enter(span, next);
        if let Some(step) = step {
            self.full_effect(step);
        }
        self.goto(span, head);
        self.switch_to(end);
        self.close_scope(end_of(span));
    }

    /// The declarations of a `for` belong to the loop, not to a block of their own.
    fn for_init(&mut self, init: StmtId) {
        match &self.unit.stmts[init].kind {
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(*stmt)),
            _other => self.stmt(init),
        }
    }

    fn do_stmt(&mut self, span: Span, body: StmtId, cond: ExprId) {
        let head = self.new_block();
        let test = self.new_block();
        let end = self.new_block();
        self.mark_loop(head, span);
        self.enter(span, head);
        let depth = self.scopes.depth();
        self.breaks.push(Exit { block: end, depth });
        self.continues.push(Exit { block: test, depth });
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
        self.enter(self.span(cond), test);
        self.full_condition(cond, head, end);
        self.switch_to(end);
    }

    fn switch_stmt(&mut self, span: Span, value: ExprId, body: StmtId) {
        let mark = self.temporaries.len();
        self.note_order(value);
        let selector = self.value(value);
        self.end_temporaries(self.span(value), mark);
        let ty = self.scalar(self.ty(value));
        let dispatch = self.block;
        let from = self.scopes.position();
        self.block = self.new_block();
        let end = self.new_block();
        self.breaks.push(Exit { block: end, depth: self.scopes.depth() });
        self.switches.push(SwitchLabels { cases: Vec::new(), default: None });
        self.stmt(body);
        self.breaks.pop();
        let labels = self.switches.pop().expect("the switch should still be open");
        self.enter(span, end);
        let mut cases = Vec::new();
        for (low, high, target, to) in labels.cases {
            let target = self.case_edge(span, &from, target, &to);
            push_case(&mut cases, ty, self.is_signed(self.ty(value)), low, high, target);
        }
        let default = match labels.default {
            Some((target, to)) => self.case_edge(span, &from, target, &to),
            None => end,
        };
        let loc = self.loc(span);
        let block = &mut self.func.blocks[dispatch];
        block.terminator = Terminator::Switch { value: selector, ty, cases, default };
        block.loc = loc;
        self.switch_to(end);
    }

    fn computed_goto(&mut self, span: Span, target: ExprId) {
        let mark = self.temporaries.len();
        let addr = self.value(target);
        self.end_temporaries(span, mark);
        let labels = self.address_labels.clone();
        let targets: Vec<BlockId> = labels.into_iter().map(|label| self.label_block(label)).collect();
        for target in &targets {
            self.mark_loop(*target, span);
        }
        self.terminate(span, Terminator::IndirectGoto { addr, targets });
    }

    fn return_stmt(&mut self, span: Span, value: Option<ExprId>) {
        let mark = self.temporaries.len();
        if let Some(expr) = value {
            self.note_order(expr);
        }
        let result = match (value, self.class(self.ret)) {
            (None, Class::Scalar(ty)) => Some(Operand::Undef(ty)),
            (None, Class::Void | Class::Memory) => None,
            (Some(expr), Class::Void) => {
                self.effect(expr);
                None
            }
            (Some(expr), Class::Memory) => {
                let source = self.value(expr);
                if let Some(pointer) = self.result_pointer {
                    let bytes = self.unit.types.size_of(self.ret).unwrap_or(0);
                    self.copy(span, Operand::Reg(pointer), source, bytes, Default::default());
                }
                None
            }
            (Some(expr), Class::Scalar(_)) => Some(self.value(expr)),
        };
        self.take_temporaries(mark);
        self.leave_function(span, result);
    }

    fn declaration(&mut self, id: DeclId) {
        let decl = &self.unit.decls[id];
        let DeclKind::Var(var) = &decl.kind else {
            self.evaluate_extents(decl.ty.ty);
            return;
        };
        if !matches!(var.storage, Storage::Automatic | Storage::Parameter) {
            return;
        }
        let (span, ty) = (decl.span, decl.ty);
        if self.unit.types.is_variably_modified(ty.ty) {
            let mark = self.temporaries.len();
            self.evaluate_extents(ty.ty);
            self.end_temporaries(span, mark);
        }
        let is_vla = self.unit.types.is_array(ty.ty) && self.unit.types.size_of(ty.ty).is_none();
        if is_vla {
            self.declare_vla(id);
        } else if let Some(Home::Reg(reg)) = self.homes.get(&id).copied() {
            self.scopes.declare(Item::Reg(reg));
            if var.init.is_none() {
                let undef = Operand::Undef(self.func.regs[reg].ty);
                self.emit(span, IrStmt::Assign(reg, Rvalue::Use(undef)));
            }
        } else {
            let slot = match self.homes.get(&id) {
                Some(Home::Slot(slot)) => *slot,
                Some(Home::Reg(_) | Home::At(_)) | None => self.declare_slot(id),
            };
            self.scopes.declare(Item::Slot(slot));
            self.emit(span, IrStmt::SlotLive(slot));
        }
        if let Some(init) = &var.init {
            let mark = self.temporaries.len();
            let place = match self.homes.get(&id).copied() {
                Some(Home::Reg(reg)) => Place::Reg(reg),
                Some(Home::Slot(slot)) => Place::Mem(Mem::at(Operand::Slot(slot))),
                Some(Home::At(reg)) => Place::Mem(Mem::at(Operand::Reg(reg))),
                None => return,
            };
            if let Init::Expr(expr) = init {
                self.note_order(*expr);
            }
            self.initialise(span, place, ty, init);
            self.end_temporaries(span, mark);
        }
        if let Some(function) = var.cleanup {
            self.scopes.declare(Item::Cleanup { function, var: id });
        }
    }
}

/// Adds a case; a range across zero of a signed type is two ranges of bits.
fn push_case(cases: &mut Vec<(u128, u128, BlockId)>, ty: Ty, is_signed: bool, low: i128, high: i128, target: BlockId) {
    let Ty::Int(bits) = ty else { return };
    if is_signed && low < 0 && high >= 0 {
        cases.push((low as u128 & mask(bits), mask(bits), target));
        cases.push((0, high as u128, target));
        return;
    }
    let (low, high) = (low as u128 & mask(bits), high as u128 & mask(bits));
    if low <= high {
        cases.push((low, high, target));
    }
}

/// The closing brace of a statement.
fn end_of(span: Span) -> Span {
    if span == Span::NONE { span } else { Span::new(span.hi.saturating_sub(1).max(span.lo), span.hi) }
}
