//! Semantic analysis: from the syntax tree to the typed tree, with names resolved, types checked, conversions explicit.
//!
//! One external declaration comes in at a time; its typed form is appended to the unit under
//! construction. What gcc accepts with a warning is accepted here; an undeclared name is given its
//! most plausible meaning and carried as an assumption.

mod attr;
mod builtin_call;
mod call;
mod constant;
mod convert;
mod decl;
mod declarator;
mod expr;
mod function;
mod init;
mod init_store;
mod library;
mod operator;
mod primary;
mod record;
mod scope;
mod specs;
mod spell;
mod stmt;
mod typing;
mod undeclared;
mod verifier;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use unpick_base::{Diagnostic, IdVec, Severity, Span, Symbol};

use crate::ast::{CastKind, DeclId, Expr, ExprId, ExprKind, Item, Stmt, StmtId, StmtKind, Unit};
use crate::builtin::Builtin;
use crate::consteval::ExprView;
use crate::session::Session;
use crate::syntax::{self, ExternalDecl, PragmaPack};
use crate::types::{QualTy, TyId, TypeTable};

pub(crate) type FastMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Analysis of one translation unit in progress.
pub struct Sema {
    /// On loan from the caller while a declaration is analysed.
    session: Session,
    unit: Unit,
    scopes: scope::Scopes,
    /// Everything with linkage, also when declared in a block that has ended.
    linked: FastMap<Symbol, DeclId>,
    /// Explicit alignment of typedef names, which leave no trace in the type.
    typedef_aligns: FastMap<DeclId, u64>,
    pack: Vec<Option<u64>>,
    function: Option<stmt::FunctionState>,
    undeclared: undeclared::UndeclaredNames,
    /// Variable array extents of type names and typedefs met since the last statement began.
    vla_sizes: Vec<ExprId>,
    /// Calls of declared functions that stand for built-ins unless they turn out to have a body.
    intrinsic_calls: Vec<(ExprId, DeclId, Builtin)>,
    /// Calls of an `assert` that only an implicit declaration stands behind.
    assert_calls: Vec<library::AssertCall>,
    /// Parameters of the function derivation applied last.
    last_params: Vec<DeclId>,
    /// How deep we are in operands that are not evaluated.
    n_unevaluated: u32,
    /// Nesting of expressions and statements.
    depth: u32,
    is_too_deep: bool,
}

impl Sema {
    pub fn new(session: &Session, unit_name: &str) -> Sema {
        Sema {
            session: Session { target: session.target, is_strict: session.is_strict, ..Session::default() },
            unit: Unit {
                name: unit_name.to_owned(),
                types: TypeTable::new(session.target),
                exprs: IdVec::new(),
                stmts: IdVec::new(),
                decls: IdVec::new(),
                labels: IdVec::new(),
                items: Vec::new(),
                unmodelled: Vec::new(),
                assumptions: Vec::new(),
            },
            scopes: scope::Scopes::default(),
            linked: FastMap::default(),
            typedef_aligns: FastMap::default(),
            pack: vec![None],
            function: None,
            undeclared: undeclared::UndeclaredNames::default(),
            vla_sizes: Vec::new(),
            intrinsic_calls: Vec::new(),
            assert_calls: Vec::new(),
            last_params: Vec::new(),
            n_unevaluated: 0,
            depth: 0,
            is_too_deep: false,
        }
    }

    /// Analyses the next declaration of the file.
    pub fn external(&mut self, session: &mut Session, decl: ExternalDecl) {
        std::mem::swap(&mut self.session, session);
        match &decl {
            ExternalDecl::Function(def) => self.function_definition(def),
            ExternalDecl::Declaration(declaration) => self.file_declaration(declaration),
            ExternalDecl::StaticAssert(assertion) => self.static_assert(assertion),
            ExternalDecl::Asm(_) | ExternalDecl::Empty => {}
            ExternalDecl::PragmaPack(pragma) => self.pragma_pack(*pragma),
        }
        self.vla_sizes.clear();
        std::mem::swap(&mut self.session, session);
    }

    /// Completes what the end of the file completes and hands over the unit.
    pub fn finish(mut self, session: &mut Session) -> Unit {
        std::mem::swap(&mut self.session, session);
        self.resolve_intrinsic_calls();
        self.resolve_assert_calls();
        self.complete_tentative();
        self.settle_holes();
        std::mem::swap(&mut self.session, session);
        self.unit
    }

    fn pragma_pack(&mut self, pragma: PragmaPack) {
        let current = self.pack.last().copied().flatten();
        let set = |stack: &mut Vec<Option<u64>>, value| match stack.last_mut() {
            Some(top) => *top = value,
            None => stack.push(value),
        };
        match pragma {
            PragmaPack::Set(n) => set(&mut self.pack, Some(u64::from(n)).filter(|n| *n != 0)),
            PragmaPack::Reset => set(&mut self.pack, None),
            PragmaPack::Push(n) => self.pack.push(n.map(u64::from).filter(|n| *n != 0).or(current)),
            PragmaPack::Pop => {
                if self.pack.len() > 1 {
                    self.pack.pop();
                }
            }
        }
    }

    fn static_assert(&mut self, assertion: &syntax::StaticAssert) {
        let condition = self.rvalue(&assertion.condition);
        match self.const_int(condition) {
            Some(0) => {
                let message = match &assertion.message {
                    Some(text) => format!("static assertion failed: \"{text}\""),
                    None => "static assertion failed".to_owned(),
                };
                self.error(assertion.condition.span, message);
            }
            Some(_) => {}
            None if self.is_error(condition) => {}
            None => self.error(assertion.condition.span, "static assertion is not a constant expression"),
        }
    }

    fn view(&self) -> ExprView<'_> {
        ExprView { types: &self.unit.types, exprs: &self.unit.exprs, decls: &self.unit.decls }
    }

    fn is_file_scope(&self) -> bool {
        self.scopes.depth() == 0
    }

    fn push_item_type(&mut self, ty: TyId) {
        match &mut self.function {
            Some(function) => function.pending_types.push(ty),
            None => self.unit.items.push(Item::Type(ty)),
        }
    }

    // Nodes.

    fn add(&mut self, kind: ExprKind, ty: QualTy, span: Span) -> ExprId {
        self.unit.exprs.push(Expr { kind, ty, span })
    }

    fn add_value(&mut self, kind: ExprKind, ty: TyId, span: Span) -> ExprId {
        self.add(kind, QualTy::plain(ty), span)
    }

    fn add_int(&mut self, value: i128, ty: TyId, span: Span) -> ExprId {
        self.add_value(ExprKind::Int(value), ty, span)
    }

    fn add_error(&mut self, span: Span) -> ExprId {
        self.add_value(ExprKind::Error, TyId::ERROR, span)
    }

    fn add_cast(&mut self, kind: CastKind, operand: ExprId, ty: TyId, is_implicit: bool) -> ExprId {
        let span = self.span_of(operand);
        self.add_value(ExprKind::Cast { kind, operand, is_implicit }, ty, span)
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.unit.stmts.push(Stmt { kind, span })
    }

    fn type_of(&self, expr: ExprId) -> QualTy {
        self.unit.exprs[expr].ty
    }

    fn ty_of(&self, expr: ExprId) -> TyId {
        self.unit.exprs[expr].ty.ty
    }

    fn span_of(&self, expr: ExprId) -> Span {
        self.unit.exprs[expr].span
    }

    fn is_error(&self, expr: ExprId) -> bool {
        self.ty_of(expr) == TyId::ERROR
    }

    // Messages.

    fn name(&self, symbol: Symbol) -> &str {
        self.session.interner.name(symbol)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.session.diagnostics.error(span, message);
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        if !self.is_in_system_header(span) {
            self.session.diagnostics.warning(span, message);
        }
    }

    fn is_in_system_header(&self, span: Span) -> bool {
        self.session.sources.place(span.lo).is_some_and(|place| place.system)
    }

    /// An error that shows where the earlier declaration stands.
    fn error_with(&mut self, span: Span, message: String, other: Span, note: &str) {
        let diagnostic = Diagnostic::new(Severity::Error, span, message).label(other, note);
        self.session.diagnostics.push(diagnostic);
    }
}
