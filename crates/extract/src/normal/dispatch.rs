//! Indirect calls, expanded to a choice between the functions whose address is taken.
//!
//! The table then has an entry for each comparison and for each call, and everything known about calls by name applies.
//! What is called if the pointer is none of them stays an unknown call.

use unpick_base::Span;
use unpick_front_c::ast::{BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind};
use unpick_front_c::types::{QualTy, TyId};

use super::Normaliser;
use crate::code::{Class, FragmentKind};

/// More functions would only fill the model.
const MAX_FUNCTIONS: usize = 16;

impl Normaliser<'_> {
    /// Whether a call is taken apart: it goes through a pointer, and there are functions that it may mean.
    pub(super) fn is_dispatched(&self, callee: ExprId) -> bool {
        let candidates = self.candidates(callee);
        !candidates.is_empty() && candidates.len() <= MAX_FUNCTIONS
    }

    /// Functions of the pointer's type whose address is taken.
    fn candidates(&self, callee: ExprId) -> Vec<DeclId> {
        if self.callee_decl(callee).is_some() {
            return Vec::new();
        }
        let types = &self.unit().types;
        let ty = self.node(callee).ty.ty;
        let ty = types.pointee_of(ty).map_or(ty, |to| to.ty);
        let decls = self.unit().decls.iter_enumerated();
        let fitting = decls.filter(|(id, decl)| {
            let function = matches!(decl.kind, DeclKind::Function(_))
                .then(|| self.code.known.get(self.unit, *id, self.interner.name(decl.name)));
            let is_taken = function.flatten().is_some_and(|function| self.taken.contains(&function));
            is_taken && decl.ty.ty == ty
        });
        fitting.map(|(id, _)| id).collect()
    }

    /// One call for each function, behind the question whether it is meant; `finish` says what the calls are part of.
    pub(super) fn dispatch(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        args: &[ExprId],
        span: Span,
        finish: &mut dyn FnMut(&mut Self, ExprId) -> (Class, ExprId),
    ) {
        let args: Vec<ExprId> = args.iter().map(|arg| self.value(*arg)).collect();
        let pointer = self.value(callee);
        let candidates = self.candidates(callee);
        let mut nodes = self.inner(|this| {
            let unknown = this.call(expr, pointer, &args);
            let (class, whole) = finish(this, unknown);
            this.emit(class, FragmentKind::Stray(whole, pointer), span);
        });
        for decl in candidates.into_iter().rev() {
            let pointer_ty = self.node(pointer).ty;
            let function_ty = self.unit().decls[decl].ty;
            let designator = self.push_expr(ExprKind::Decl(decl), pointer, function_ty);
            let kind = ExprKind::Cast { kind: CastKind::FunctionDecay, operand: designator, is_implicit: true };
            let function = self.push_expr(kind, pointer, pointer_ty);
            let equal = ExprKind::Binary(BinaryOp::Eq, pointer, function);
            let condition = self.push_expr(equal, pointer, QualTy::plain(TyId::INT));
            let then = self.inner(|this| {
                let call = this.call(expr, function, &args);
                let (class, whole) = finish(this, call);
                this.emit(class, FragmentKind::Effect(whole), span);
            });
            nodes = self.inner(|this| this.choice(condition, then, nodes, span));
        }
        self.nodes.extend(nodes);
    }
}
