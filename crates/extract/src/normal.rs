//! Normalisation: typed trees become control structure around fragments without hidden side effects.
//!
//! Fragments have no side effects hidden in them: assignments, increments and calls of functions with bodies that stand
//! inside of other expressions become fragments of their own before (or behind) it, with a temporary object for the
//! value where one is needed. A negated condition would otherwise execute them twice. Unknown calls stay
//! where they are: the table decides on the text as a whole.

mod atomic;
mod dispatch;
mod scan;
mod statement;
mod value;

use std::collections::{BTreeSet, HashMap};

use unpick_base::{IdVec, Interner, SourceMap, Span};
use unpick_front_c::ast::{
    CastKind, Decl, DeclId, DeclKind, Expr, ExprId, ExprKind, Item, LabelId, Linkage, StmtId, Storage, Unit, Var,
};
use unpick_front_c::types::{QualTy, TyId, Type};

use crate::code::{Class, Code, DefinedFunctions, Fragment, FragmentId, FragmentKind, Function, FunctionId, Node};
use crate::effect::{Effects, Objects};
use crate::library;

pub use scan::{children, init_exprs};

/// Brings all units into the shape that tables speak of. Texts and effects are not filled in yet.
pub fn normalise(units: Vec<Unit>, interner: &mut Interner, sources: &SourceMap) -> Code {
    let mut code = Code {
        units,
        functions: IdVec::new(),
        thread_functions: Vec::new(),
        addressed: BTreeSet::new(),
        fragments: IdVec::new(),
        globals: Vec::new(),
        undefined: Vec::new(),
        objects: Objects::default(),
        known: DefinedFunctions::default(),
    };
    declare(&mut code, interner, sources);
    for unit in 0..code.units.len() {
        globals(&mut code, unit, sources);
    }
    let taken = crate::pool::taken_functions(&code, interner);
    for id in code.functions.ids() {
        let (unit, decl) = (code.functions[id].unit, code.functions[id].decl);
        let DeclKind::Function(function) = &code.units[unit].decls[decl].kind else { continue };
        let Some(body) = function.body else { continue };
        let mut normaliser = Normaliser {
            code: &mut code,
            interner,
            sources,
            unit,
            function: id,
            nodes: Vec::new(),
            behind: None,
            taken: &taken,
            n_temporaries: HashMap::new(),
            olds: HashMap::new(),
        };
        normaliser.stmt(body);
        let nodes = std::mem::take(&mut normaliser.nodes);
        code.functions[id].body = nodes;
    }
    code
}

fn declare(code: &mut Code, interner: &Interner, sources: &SourceMap) {
    for unit in 0..code.units.len() {
        for id in code.units[unit].decls.ids() {
            let decl = &code.units[unit].decls[id];
            let DeclKind::Function(function) = &decl.kind else { continue };
            let is_system = sources.place(decl.span.lo).is_some_and(|place| place.system);
            if function.body.is_none() || is_system {
                continue;
            }
            let name = interner.name(decl.name).to_owned();
            let (is_static, span, params) = (function.linkage == Linkage::Internal, decl.span, function.params.clone());
            if !is_static && code.known.external.contains_key(&name) {
                continue;
            }
            let result = code.objects.result(unit, id, &name, is_static);
            let function = Function {
                name: name.clone(),
                unit,
                decl: id,
                params,
                locals: Vec::new(),
                body: Vec::new(),
                result,
                callees: Vec::new(),
                span,
            };
            let function = code.functions.push(function);
            match is_static {
                true => code.known.internal.insert((unit, id), function),
                false => code.known.external.insert(name, function),
            };
        }
    }
}

/// Declarations at file scope that the user wrote.
fn globals(code: &mut Code, unit: usize, sources: &SourceMap) {
    let mut is_seen = std::collections::HashSet::new();
    let items = code.units[unit].items.clone();
    for item in items {
        let Item::Decl(id) = item else { continue };
        let decl = &code.units[unit].decls[id];
        let DeclKind::Var(var) = &decl.kind else { continue };
        let is_system = sources.place(decl.span.lo).is_some_and(|place| place.system);
        if is_system || !is_seen.insert(id) {
            continue;
        }
        if var.is_declared_only {
            code.undefined.push((unit, id));
            continue;
        }
        let (span, what) = (decl.span, FragmentKind::Declaration(id));
        let fragment = new_fragment(Class::Declaration, what, span, unit, None);
        let fragment = code.fragments.push(fragment);
        code.globals.push(fragment);
    }
}

fn new_fragment(class: Class, what: FragmentKind, span: Span, unit: usize, function: Option<FunctionId>) -> Fragment {
    Fragment {
        class,
        what,
        text: String::new(),
        negated: String::new(),
        span,
        unit,
        function,
        effects: Effects::default(),
    }
}

/// Normalises one function.
struct Normaliser<'a> {
    code: &'a mut Code,
    interner: &'a mut Interner,
    sources: &'a SourceMap,
    unit: usize,
    function: FunctionId,
    /// Where fragments go.
    nodes: Vec<Node>,
    /// Increments that happen after the statement, if it is one that allows it.
    behind: Option<Vec<ExprId>>,
    /// Functions whose address is taken.
    taken: &'a [FunctionId],
    n_temporaries: HashMap<String, u32>,
    /// What increments that have happened were worth, where the new value does not tell.
    olds: HashMap<ExprId, DeclId>,
}

impl Normaliser<'_> {
    fn unit(&self) -> &Unit {
        &self.code.units[self.unit]
    }

    fn node(&self, expr: ExprId) -> &Expr {
        &self.code.units[self.unit].exprs[expr]
    }

    fn push_expr(&mut self, kind: ExprKind, like: ExprId, ty: QualTy) -> ExprId {
        let span = self.node(like).span;
        self.code.units[self.unit].exprs.push(Expr { kind, ty, span })
    }

    fn fragment(&mut self, class: Class, what: FragmentKind, span: Span) -> FragmentId {
        self.code.fragments.push(new_fragment(class, what, span, self.unit, Some(self.function)))
    }

    fn emit(&mut self, class: Class, what: FragmentKind, span: Span) {
        let fragment = self.fragment(class, what, span);
        self.nodes.push(Node::Do(fragment));
    }

    /// The nodes that `fill` makes.
    fn inner(&mut self, fill: impl FnOnce(&mut Self)) -> Vec<Node> {
        let outer = std::mem::take(&mut self.nodes);
        fill(self);
        std::mem::replace(&mut self.nodes, outer)
    }

    /// The name of the function that is called, if it is called by name.
    fn callee_decl(&self, callee: ExprId) -> Option<DeclId> {
        match self.node(callee).kind {
            ExprKind::Cast { operand, kind: CastKind::FunctionDecay | CastKind::NoOp, .. } => self.callee_decl(operand),
            ExprKind::Decl(decl) => matches!(self.unit().decls[decl].kind, DeclKind::Function(_)).then_some(decl),
            ExprKind::Deref(operand) | ExprKind::AddrOf(operand) => self.callee_decl(operand),
            _ => None,
        }
    }

    fn name_of(&self, decl: DeclId) -> &str {
        self.interner.name(self.unit().decls[decl].name)
    }

    /// The function with a body that is called.
    fn known_callee(&self, callee: ExprId) -> Option<FunctionId> {
        let decl = self.callee_decl(callee)?;
        self.code.known.get(self.unit, decl, self.name_of(decl))
    }

    /// Whether a call is a step of its own: its function has a body, or the library has a row for it.
    fn is_step(&self, callee: ExprId) -> bool {
        self.known_callee(callee).is_some()
            || self.callee_decl(callee).is_some_and(|decl| library::is_step(self.name_of(decl)))
    }

    /// An object for a value between two fragments.
    fn temporary(&mut self, base: &str, ty: TyId, span: Span) -> DeclId {
        let count = self.n_temporaries.entry(base.to_owned()).or_default();
        *count += 1;
        let name = if *count == 1 { base.to_owned() } else { format!("{base}_{count}") };
        let name = self.interner.intern(&name);
        let kind = DeclKind::Var(Var {
            linkage: Linkage::None,
            storage: Storage::Automatic,
            init: None,
            is_declared_only: false,
            is_tentative: false,
            align: None,
            cleanup: None,
            asm_label: None,
            is_weak: false,
            is_assumed: false,
            section: None,
            at_least: None,
            is_address_taken: false,
        });
        let decl = self.code.units[self.unit].decls.push(Decl { name, span, ty: QualTy::plain(ty), kind });
        self.code.functions[self.function].locals.push(decl);
        decl
    }

    fn load(&mut self, decl: DeclId, like: ExprId) -> ExprId {
        let ty = self.unit().decls[decl].ty;
        let place = self.push_expr(ExprKind::Decl(decl), like, ty);
        let kind = ExprKind::Cast { kind: CastKind::Load, operand: place, is_implicit: true };
        self.push_expr(kind, like, QualTy::plain(ty.ty))
    }

    fn assign(&mut self, decl: DeclId, value: ExprId) {
        let ty = self.unit().decls[decl].ty;
        let lhs = self.push_expr(ExprKind::Decl(decl), value, ty);
        let assignment = self.push_expr(ExprKind::Assign { lhs, rhs: value }, value, QualTy::plain(ty.ty));
        let span = self.node(value).span;
        self.emit(Class::Assignment, FragmentKind::Effect(assignment), span);
    }

    fn int(&mut self, value: i128, like: ExprId) -> ExprId {
        self.code.units[self.unit].exprs.push(Expr {
            kind: ExprKind::Int(value),
            ty: QualTy::plain(TyId::INT),
            // No source spells it.
            span: Span::NONE,
        });
        let _ = like;
        ExprId(self.unit().exprs.len() as u32 - 1)
    }

    fn stmt_span(&self, stmt: StmtId) -> Span {
        self.unit().stmts[stmt].span
    }

    fn is_void(&self, expr: ExprId) -> bool {
        matches!(self.unit().types.get(self.node(expr).ty.ty), Type::Void)
    }

    fn labels_of_function(&self) -> Vec<LabelId> {
        let decl = self.code.functions[self.function].decl;
        match &self.unit().decls[decl].kind {
            DeclKind::Function(function) => function.address_labels.clone(),
            DeclKind::Var(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => Vec::new(),
        }
    }
}
