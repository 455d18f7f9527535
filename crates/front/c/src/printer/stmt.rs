//! Printer of statements, one on a line, bodies always in braces.

use std::fmt::Write as _;

use super::expr::COMMA;
use super::names::fresh_name;
use super::{Printer, literal};
use crate::ast::{Asm, DeclId, DeclKind, ExprId, ExprKind, Linkage, StmtId, StmtKind, Storage};
use crate::types::{ArrayExtent, IntKind, QualSet, QualTy, TyId, Type};

impl Printer<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        let unit = self.unit;
        match &unit.stmts[id].kind {
            StmtKind::Empty | StmtKind::Error => self.line(";"),
            StmtKind::Expr(expr) => {
                self.start_line();
                self.expr(*expr, COMMA);
                self.out.push_str(";\n");
            }
            StmtKind::Decl(decls) => {
                for &decl in decls {
                    self.local(decl);
                }
            }
            // All types stand at the top.
            StmtKind::Type(_) => {}
            StmtKind::VlaSizes(bounds) => {
                for &bound in bounds {
                    self.compute_bound(bound);
                }
            }
            StmtKind::Block(_) => self.block(id),
            StmtKind::If { cond, then, otherwise } => self.conditional(*cond, *then, *otherwise),
            StmtKind::While { cond, body } => {
                self.start_line();
                self.out.push_str("while (");
                self.expr(*cond, COMMA);
                self.out.push_str(") ");
                self.braces(*body);
                self.out.push('\n');
            }
            StmtKind::DoWhile { body, cond } => {
                self.start_line();
                self.out.push_str("do ");
                self.braces(*body);
                self.out.push_str(" while (");
                self.expr(*cond, COMMA);
                self.out.push_str(");\n");
            }
            StmtKind::For { init, cond, step, body } => self.for_loop(*init, *cond, *step, *body),
            StmtKind::Switch { value, body } => self.switch(*value, *body),
            StmtKind::Case { low, high, body } => {
                let kind = self.switch_kinds.last().copied().unwrap_or(IntKind::Int);
                let low_text = literal::int(*low, kind).0;
                if low == high {
                    self.line(&format!("case {low_text}:"));
                } else {
                    self.line(&format!("case {low_text} ... {}:", literal::int(*high, kind).0));
                }
                self.labelled(*body);
            }
            StmtKind::Default { body } => {
                self.line("default:");
                self.labelled(*body);
            }
            StmtKind::Label { label, body } => {
                let name = self.label_name(*label);
                self.line(&format!("{name}:"));
                self.labelled(*body);
            }
            StmtKind::Goto(label) => {
                let name = self.label_name(*label);
                self.line(&format!("goto {name};"));
            }
            StmtKind::GotoComputed(target) => {
                self.start_line();
                self.out.push_str("goto *");
                self.expr(*target, COMMA);
                self.out.push_str(";\n");
            }
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Break => self.line("break;"),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Return(Some(value)) => {
                self.start_line();
                self.out.push_str("return ");
                self.expr(*value, COMMA);
                self.out.push_str(";\n");
            }
            StmtKind::Asm(asm) => self.asm(asm),
        }
    }

    /// A statement in braces on lines of its own.
    pub(super) fn block(&mut self, id: StmtId) {
        self.start_line();
        self.braces(id);
        self.out.push('\n');
    }

    /// A statement in braces, from the current position to the closing brace.
    fn braces(&mut self, id: StmtId) {
        self.out.push_str("{\n");
        self.indent += 1;
        self.contents(id);
        self.indent -= 1;
        self.start_line();
        self.out.push('}');
    }

    fn contents(&mut self, id: StmtId) {
        match &self.unit.stmts[id].kind {
            StmtKind::Block(stmts) => {
                for &stmt in stmts {
                    self.stmt(stmt);
                }
            }
            _ => self.stmt(id),
        }
    }

    /// `({ ... })` in the middle of a line.
    pub(super) fn stmt_expr(&mut self, body: StmtId) {
        self.out.push_str("({\n");
        self.indent += 1;
        self.contents(body);
        self.indent -= 1;
        self.start_line();
        self.out.push_str("})");
    }

    /// What a label stands before: a label needs a statement, and a declaration is none.
    fn labelled(&mut self, body: StmtId) {
        if matches!(self.unit.stmts[body].kind, StmtKind::Decl(_) | StmtKind::Type(_) | StmtKind::VlaSizes(_)) {
            self.line(";");
        }
        self.stmt(body);
    }

    fn conditional(&mut self, cond: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        self.start_line();
        let (mut cond, mut then, mut otherwise) = (cond, then, otherwise);
        loop {
            self.out.push_str("if (");
            self.expr(cond, COMMA);
            self.out.push_str(") ");
            self.braces(then);
            let Some(other) = otherwise else { break };
            self.out.push_str(" else ");
            match self.unit.stmts[other].kind {
                StmtKind::If { cond: next_cond, then: next_then, otherwise: next } => {
                    (cond, then, otherwise) = (next_cond, next_then, next);
                }
                _ => {
                    self.braces(other);
                    break;
                }
            }
        }
        self.out.push('\n');
    }

    /// A loop whose first clause declares more than one plain object gets a block around it instead.
    fn for_loop(&mut self, init: Option<StmtId>, cond: Option<ExprId>, step: Option<ExprId>, body: StmtId) {
        let inline_init = match init.map(|init| &self.unit.stmts[init].kind) {
            None | Some(StmtKind::Empty | StmtKind::Expr(_)) => true,
            Some(StmtKind::Decl(decls)) => {
                matches!(&decls[..], [decl] if !self.unit.types.is_variably_modified(self.unit.decls[*decl].ty.ty))
            }
            Some(_) => false,
        };
        if !inline_init {
            self.line("{");
            self.indent += 1;
            if let Some(init) = init {
                self.contents(init);
            }
        }
        self.start_line();
        self.out.push_str("for (");
        match init {
            Some(init) if inline_init => self.for_init(init),
            _ => self.out.push(';'),
        }
        if let Some(cond) = cond {
            self.out.push(' ');
            self.expr(cond, COMMA);
        }
        self.out.push(';');
        if let Some(step) = step {
            self.out.push(' ');
            self.expr(step, COMMA);
        }
        self.out.push_str(") ");
        self.braces(body);
        self.out.push('\n');
        if !inline_init {
            self.indent -= 1;
            self.line("}");
        }
    }

    /// The first clause of a loop, with its semicolon, without indentation and line end.
    fn for_init(&mut self, init: StmtId) {
        let start = self.out.len();
        let indent = std::mem::take(&mut self.indent);
        self.stmt(init);
        self.indent = indent;
        let text = self.out.split_off(start);
        let text = text.trim_end();
        self.out.push_str(if text.is_empty() { ";" } else { text });
    }

    fn switch(&mut self, value: ExprId, body: StmtId) {
        let kind = self.unit.types.int_kind_of(self.unit.exprs[value].ty.ty).unwrap_or(IntKind::Int);
        self.start_line();
        self.out.push_str("switch (");
        self.expr(value, COMMA);
        self.out.push_str(") ");
        self.switch_kinds.push(kind);
        self.braces(body);
        self.switch_kinds.pop();
        self.out.push('\n');
    }

    /// A declaration inside a body. What has linkage was declared at file scope.
    fn local(&mut self, id: DeclId) {
        let decl = &self.unit.decls[id];
        match &decl.kind {
            // The compiler declares this one itself.
            DeclKind::Var(_) if self.interner.name(decl.name) == "__func__" => {}
            DeclKind::Var(var) if var.linkage == Linkage::None => self.var(id),
            DeclKind::Var(_) | DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => {}
        }
    }

    /// Computes the bounds of a variably modified type into variables, once, where the type is declared.
    pub(super) fn compute_bounds(&mut self, ty: TyId) {
        match *self.unit.types.get(ty) {
            Type::Array { element, extent } => {
                if let ArrayExtent::Variable(bound) = extent {
                    self.compute_bound(bound);
                }
                self.compute_bounds(element.ty);
            }
            Type::Pointer(pointee) => self.compute_bounds(pointee.ty),
            _ => {}
        }
    }

    fn compute_bound(&mut self, bound: ExprId) {
        if self.bounds.contains_key(&bound) || self.is_fixed(bound) {
            return;
        }
        let name = fresh_name("bound", |name| self.taken_names.contains(name));
        self.taken_names.insert(name.clone());
        self.start_line();
        let ty = QualTy::plain(self.unit.exprs[bound].ty.ty).with(QualSet::CONST);
        let head = self.declare(ty, name.clone());
        let _ = write!(self.out, "{head} = ");
        self.expr(bound, COMMA + 1);
        self.out.push_str(";\n");
        self.bounds.insert(bound, name);
    }

    /// Whether a bound has the same value wherever it is evaluated: a constant, or a local that never changes.
    fn is_fixed(&self, bound: ExprId) -> bool {
        match self.unit.exprs[self.visible(bound)].kind {
            ExprKind::Int(_) => true,
            ExprKind::Decl(id) => {
                let decl = &self.unit.decls[id];
                let DeclKind::Var(var) = &decl.kind else { return false };
                matches!(var.storage, Storage::Automatic | Storage::Parameter)
                    && !var.is_address_taken
                    && !decl.ty.is_volatile()
                    && !self.assigned.contains(&id)
            }
            _ => false,
        }
    }

    fn asm(&mut self, asm: &Asm) {
        self.start_line();
        self.out.push_str("__asm__");
        if asm.is_volatile {
            self.out.push_str(" volatile");
        }
        if !asm.labels.is_empty() {
            self.out.push_str(" goto");
        }
        let _ = write!(self.out, " ({}", literal::string(&asm.template));
        let has_operands =
            !(asm.outputs.is_empty() && asm.inputs.is_empty() && asm.clobbers.is_empty() && asm.labels.is_empty());
        if has_operands {
            self.out.push_str(" : ");
            self.asm_operands(&asm.outputs);
            self.out.push_str(" : ");
            self.asm_operands(&asm.inputs);
            let clobbers: Vec<String> = asm.clobbers.iter().map(|clobber| literal::string(clobber)).collect();
            let _ = write!(self.out, " : {}", clobbers.join(", "));
        }
        if !asm.labels.is_empty() {
            let names: Vec<String> = asm.labels.iter().map(|&label| self.label_name(label)).collect();
            let _ = write!(self.out, " : {}", names.join(", "));
        }
        self.out.push_str(");\n");
    }

    fn asm_operands(&mut self, operands: &[(String, ExprId)]) {
        for (position, (constraint, operand)) in operands.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            let _ = write!(self.out, "{}(", literal::string(constraint));
            self.expr(*operand, COMMA);
            self.out.push(')');
        }
    }

    fn line(&mut self, text: &str) {
        self.start_line();
        self.out.push_str(text);
        self.out.push('\n');
    }
}
