//! Unspecified and undefined evaluation order (C11 6.5, sequence points): detects expressions whose result may depend
//! on it.
//!
//! Lowering follows one order: operands from left to right, arguments from right to left. Two things make that worth
//! saying, and are noted as assumptions where a full expression is reached. An operand changes a variable that another
//! one changes or reads, with nothing that orders them: C leaves that undefined. Or calls in two operands touch the same
//! variables, write through pointers or do input and output: then their order is unspecified. What functions touch is
//! collected over the bodies of the unit, without regard to paths; objects behind pointers are not told apart, and
//! direct accesses through pointers are not compared.

use std::collections::{BTreeSet, HashSet};

use unpick_program::program::StmtKind as IrStmt;

use super::DeclRef;
use super::function::FunctionLowering;
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Init, StmtId, StmtKind, Storage};

const FOLLOWED: &str = "operands are evaluated from left to right, arguments from right to left";

/// Expressions of more nodes are not looked at.
const MAX_NODES: u32 = 4096;

/// Functions of the library that change what the next call of one of them does.
const SPEAKING: [&str; 32] = [
    "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "fwrite", "write",
    "getchar", "getc", "fgetc", "fgets", "gets", "scanf", "fscanf", "fread", "read", "rand", "random", "srand",
    "srandom", "strtok", "getenv", "setenv", "lseek", "fseek", "perror", "time", "clock",
];
/// Functions of the library that write through their arguments.
const WRITING: [&str; 16] = [
    "memcpy",
    "memmove",
    "memset",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "sscanf",
    "qsort",
    "realloc",
    "free",
    "swab",
];

/// A variable or a part of it: members by number, elements by constant index.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Part {
    decl: DeclId,
    path: Vec<i128>,
}

impl Part {
    fn overlaps(&self, other: &Part) -> bool {
        self.decl == other.decl && self.path.iter().zip(&other.path).all(|(one, other)| one == other)
    }
}

/// What functions touch.
#[derive(Clone, Default, Debug)]
pub(super) struct Touches {
    reads: BTreeSet<DeclId>,
    writes: BTreeSet<DeclId>,
    reads_behind: bool,
    writes_behind: bool,
    speaks: bool,
}

impl Touches {
    const ANYTHING: Touches = Touches {
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        reads_behind: true,
        writes_behind: true,
        speaks: true,
    };

    fn add(&mut self, other: &Touches) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.reads_behind |= other.reads_behind;
        self.writes_behind |= other.writes_behind;
        self.speaks |= other.speaks;
    }

    /// Whether the order of these calls and those can matter.
    fn disturb(&self, other: &Touches) -> bool {
        let changes = |one: &Touches, other: &Touches| {
            one.writes.iter().any(|decl| other.reads.contains(decl) || other.writes.contains(decl))
                || (one.writes_behind && (other.reads_behind || other.writes_behind))
        };
        changes(self, other) || changes(other, self) || (self.speaks && other.speaks)
    }
}

/// What evaluating an expression does.
#[derive(Clone, Default)]
struct Effects {
    /// Variables it changes itself, and whether that may still be to come when its value is there.
    writes: Vec<(Part, bool)>,
    reads: Vec<Part>,
    calls: Touches,
}

impl Effects {
    fn settle(&mut self) {
        self.writes.iter_mut().for_each(|(_, is_pending)| *is_pending = false);
    }

    fn add(&mut self, other: Effects) {
        self.writes.extend(other.writes);
        self.reads.extend(other.reads);
        self.calls.add(&other.calls);
    }
}

/// What was found in a full expression.
#[derive(Default)]
struct Finding {
    unsequenced: Option<DeclId>,
    calls_disturb: bool,
}

impl FunctionLowering<'_, '_, '_> {
    /// Notes what depends on the order that is followed in a full expression.
    pub(super) fn note_order(&mut self, expr: ExprId) {
        if self.cx.units[self.unit_index].is_model || !self.has_effects(expr) {
            return;
        }
        let mut finding = Finding::default();
        self.effects(expr, &mut finding);
        let span = self.span(expr);
        let loc = self.loc(span);
        let file = self.cx.program.files.get(loc.file).cloned().unwrap_or_default();
        let place = format!("{file}:{}", loc.line);
        if let Some(decl) = finding.unsequenced {
            let name = self.name(self.unit.decls[decl].name);
            let text = format!(
                "`{name}` is changed and used without a sequence point between at {place}, which C leaves undefined: one of the ways to read it is followed"
            );
            self.emit(span, IrStmt::Note(text));
        }
        if finding.calls_disturb {
            let text = format!("C leaves the order of the calls at {place} open, and it may matter: {FOLLOWED}");
            self.emit(span, IrStmt::Note(text));
        }
    }

    /// Whether it is worth a closer look.
    fn has_effects(&self, expr: ExprId) -> bool {
        let (mut n_changes, mut n_calls, mut n_nodes) = (0, 0, 0u32);
        self.walk(expr, &mut |kind| {
            n_nodes += 1;
            match kind {
                ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => n_changes += 1,
                ExprKind::Call { .. } => n_calls += 1,
                _other => {}
            }
        });
        // Large tables of operations are written by programs, which have no interest in this.
        n_nodes < MAX_NODES && n_changes + n_calls > 0
    }

    /// Whether evaluating it can have an effect: an assignment, a call, a statement, an atomic operation, a volatile access.
    pub(super) fn changes_something(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.walk(expr, &mut |kind| {
            found |= match kind {
                ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => true,
                ExprKind::Call { .. } | ExprKind::StmtExpr(_) | ExprKind::VaArg { .. } => true,
                ExprKind::Builtin { builtin, .. } => !builtin.c_name().starts_with("__builtin_"),
                ExprKind::Cast { kind: CastKind::Load, operand, .. } => self.unit.exprs[*operand].ty.is_volatile(),
                _other => false,
            };
        });
        found
    }

    fn walk(&self, expr: ExprId, visit: &mut impl FnMut(&ExprKind)) {
        let kind = &self.unit.exprs[expr].kind;
        visit(kind);
        for child in children(kind) {
            self.walk(child, visit);
        }
    }

    fn effects(&mut self, expr: ExprId, finding: &mut Finding) -> Effects {
        let unit = self.unit;
        match &unit.exprs[expr].kind {
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                let mut effects = self.effects(*operand, finding);
                effects.reads.extend(self.named_part(*operand));
                effects
            }
            ExprKind::Assign { lhs, rhs } => {
                let (left, right) = (self.effects(*lhs, finding), self.effects(*rhs, finding));
                let mut effects = self.together(left, right, finding);
                self.change(*lhs, &mut effects, finding);
                effects
            }
            ExprKind::CompoundAssign { lhs, rhs, .. } => {
                let (mut left, right) = (self.effects(*lhs, finding), self.effects(*rhs, finding));
                left.reads.extend(self.named_part(*lhs));
                let mut effects = self.together(left, right, finding);
                self.change(*lhs, &mut effects, finding);
                effects
            }
            ExprKind::IncDec { lhs, .. } => {
                let mut effects = self.effects(*lhs, finding);
                self.change(*lhs, &mut effects, finding);
                effects.reads.extend(self.named_part(*lhs));
                effects
            }
            ExprKind::Comma(first, then) | ExprKind::LogAnd(first, then) | ExprKind::LogOr(first, then) => {
                let mut effects = self.effects(*first, finding);
                effects.settle();
                let then = self.effects(*then, finding);
                effects.add(then);
                effects
            }
            ExprKind::Cond { cond, then, otherwise } | ExprKind::CondElvis { cond, converted: then, otherwise } => {
                let mut effects = self.effects(*cond, finding);
                effects.settle();
                for arm in [*then, *otherwise] {
                    let arm = self.effects(arm, finding);
                    effects.add(arm);
                }
                effects
            }
            ExprKind::Call { callee, args } => {
                let mut effects = self.effects(*callee, finding);
                for arg in args {
                    let arg = self.effects(*arg, finding);
                    effects = self.together(effects, arg, finding);
                }
                effects.settle();
                let touches = match self.direct_callee(*callee) {
                    Some(decl) => self.touches(decl),
                    None => Touches::ANYTHING,
                };
                effects.calls.add(&touches);
                effects
            }
            kind => {
                let mut effects = Effects::default();
                for child in children(kind) {
                    let child = self.effects(child, finding);
                    effects = self.together(effects, child, finding);
                }
                effects
            }
        }
    }

    /// Two operands without an order between them.
    fn together(&self, mut left: Effects, right: Effects, finding: &mut Finding) -> Effects {
        for (one, other) in [(&left, &right), (&right, &left)] {
            for (written, _) in &one.writes {
                let is_met = other.reads.iter().any(|read| read.overlaps(written))
                    || other.writes.iter().any(|(second, _)| second.overlaps(written));
                if is_met {
                    finding.unsequenced = Some(written.decl);
                }
            }
            if !one.calls.writes.is_empty() {
                let mut touched = other.reads.iter().chain(other.writes.iter().map(|(part, _)| part));
                finding.calls_disturb |= touched.any(|part| one.calls.writes.contains(&part.decl));
            }
            finding.calls_disturb |= other.writes.iter().any(|(part, _)| one.calls.reads.contains(&part.decl));
        }
        finding.calls_disturb |= left.calls.disturb(&right.calls);
        left.add(right);
        left
    }

    /// The object of an lvalue is changed once its operands have their values.
    fn change(&self, lhs: ExprId, effects: &mut Effects, finding: &mut Finding) {
        let Some(part) = self.named_part(lhs) else { return };
        if effects.writes.iter().any(|(written, is_pending)| *is_pending && written.overlaps(&part)) {
            finding.unsequenced = Some(part.decl);
        }
        effects.writes.push((part, true));
    }

    /// The variable or part of one that an lvalue names, if that is known.
    fn named_part(&self, lvalue: ExprId) -> Option<Part> {
        match &self.unit.exprs[lvalue].kind {
            ExprKind::Decl(decl) => Some(Part { decl: *decl, path: Vec::new() }),
            ExprKind::Member { base, record, index } => {
                let mut part = self.named_part(*base)?;
                // Members of a union lie over each other: the whole is meant.
                if !self.unit.types.records[*record].is_union {
                    part.path.push(i128::from(*index));
                }
                Some(part)
            }
            ExprKind::Index { base, index } => {
                let mut part = self.named_part(*base)?;
                let ExprKind::Int(index) = self.unit.exprs[*index].kind else { return None };
                part.path.push(index);
                Some(part)
            }
            _other => None,
        }
    }

    /// What a function and those it calls touch.
    fn touches(&mut self, function: DeclId) -> Touches {
        let at = DeclRef { unit: self.unit_index, decl: function };
        if let Some(known) = self.cx.touches.get(&at) {
            return known.clone();
        }
        let mut all = Touches::default();
        let mut seen = HashSet::from([function]);
        let mut open = vec![function];
        while let Some(next) = open.pop() {
            let mut called = Vec::new();
            let own = self.own_touches(next, &mut called);
            all.add(&own);
            open.extend(called.into_iter().filter(|callee| seen.insert(*callee)));
        }
        self.cx.touches.insert(at, all.clone());
        all
    }

    fn own_touches(&mut self, function: DeclId, called: &mut Vec<DeclId>) -> Touches {
        let unit = self.unit;
        let decl = &unit.decls[function];
        let DeclKind::Function(body) = &decl.kind else { return Touches::ANYTHING };
        let Some(body) = body.body else {
            let name = self.name(decl.name);
            return match name.as_str() {
                name if SPEAKING.contains(&name) => Touches { speaks: true, ..Touches::default() },
                name if WRITING.contains(&name) => {
                    Touches { reads_behind: true, writes_behind: true, ..Touches::default() }
                }
                // What another file defines may do anything; an undefined function returns any value and does nothing.
                _other if self.is_defined_elsewhere(function) => Touches::ANYTHING,
                _other => Touches::default(),
            };
        };
        let mut touches = Touches::default();
        let mut exprs = Vec::new();
        expressions(unit, body, &mut exprs);
        while let Some(expr) = exprs.pop() {
            let kind = &unit.exprs[expr].kind;
            match kind {
                ExprKind::Cast { kind: CastKind::Load, operand, .. } => match self.root(*operand) {
                    Root::Static(decl) => {
                        touches.reads.insert(decl);
                    }
                    Root::Own => {}
                    Root::Behind => touches.reads_behind = true,
                },
                ExprKind::Assign { lhs, .. } | ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => {
                    match self.root(*lhs) {
                        Root::Static(decl) => {
                            touches.writes.insert(decl);
                        }
                        Root::Own => {}
                        Root::Behind => touches.writes_behind = true,
                    }
                }
                ExprKind::Call { callee, .. } => match self.direct_callee(*callee) {
                    Some(callee) => called.push(callee),
                    None => touches.add(&Touches::ANYTHING),
                },
                ExprKind::StmtExpr(body) => expressions(unit, *body, &mut exprs),
                _other => {}
            }
            exprs.extend(children(kind));
        }
        touches
    }

    fn is_defined_elsewhere(&self, function: DeclId) -> bool {
        let name = self.unit.decls[function].name;
        self.cx.units.iter().any(|entry| {
            !entry.is_model
                && entry.unit.decls.iter().any(|decl| {
                    decl.name == name && matches!(&decl.kind, DeclKind::Function(function) if function.body.is_some())
                })
        })
    }

    /// Where an lvalue lies.
    fn root(&self, lvalue: ExprId) -> Root {
        match &self.unit.exprs[lvalue].kind {
            ExprKind::Decl(decl) => match &self.unit.decls[*decl].kind {
                DeclKind::Var(var) if matches!(var.storage, Storage::Automatic | Storage::Parameter) => Root::Own,
                DeclKind::Var(_) => Root::Static(*decl),
                DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => Root::Own,
            },
            ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => self.root(*base),
            ExprKind::CompoundLiteral { .. } | ExprKind::Str { .. } => Root::Own,
            _other => Root::Behind,
        }
    }
}

enum Root {
    Static(DeclId),
    Own,
    Behind,
}

/// The operands of an expression. The body of a statement expression has full expressions of its own.
fn children(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Decl(_)
        | ExprKind::Str { .. }
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::LabelAddr(_)
        | ExprKind::CondValue
        | ExprKind::SizeofVla(_)
        | ExprKind::StmtExpr(_)
        | ExprKind::Error => Vec::new(),
        ExprKind::AddrOf(operand)
        | ExprKind::Deref(operand)
        | ExprKind::Unary(_, operand)
        | ExprKind::Member { base: operand, .. }
        | ExprKind::Cast { operand, .. }
        | ExprKind::IncDec { lhs: operand, .. }
        | ExprKind::VaArg { list: operand } => vec![*operand],
        ExprKind::Index { base: left, index: right }
        | ExprKind::Binary(_, left, right)
        | ExprKind::LogAnd(left, right)
        | ExprKind::LogOr(left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::Assign { lhs: left, rhs: right }
        | ExprKind::CompoundAssign { lhs: left, rhs: right, .. } => vec![*left, *right],
        ExprKind::Cond { cond, then, otherwise } | ExprKind::CondElvis { cond, converted: then, otherwise } => {
            vec![*cond, *then, *otherwise]
        }
        ExprKind::CompoundLiteral { init, .. } => {
            let mut found = Vec::new();
            initialisers(init, &mut found);
            found
        }
        ExprKind::Call { callee, args } => std::iter::once(*callee).chain(args.iter().copied()).collect(),
        ExprKind::Builtin { args, .. } => args.clone(),
    }
}

fn initialisers(init: &Init, found: &mut Vec<ExprId>) {
    match init {
        Init::Expr(expr) => found.push(*expr),
        Init::Str { .. } => {}
        Init::List { entries, .. } => entries.iter().for_each(|entry| initialisers(&entry.init, found)),
    }
}

/// The full expressions of a statement and those inside.
fn expressions(unit: &unpick_front_c::ast::Unit, stmt: StmtId, found: &mut Vec<ExprId>) {
    match &unit.stmts[stmt].kind {
        StmtKind::Empty | StmtKind::Type(_) | StmtKind::Goto(_) | StmtKind::Continue | StmtKind::Break => {}
        StmtKind::Error => {}
        StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) => found.push(*expr),
        StmtKind::Decl(decls) => {
            for decl in decls {
                if let DeclKind::Var(var) = &unit.decls[*decl].kind
                    && matches!(var.storage, Storage::Automatic | Storage::Parameter)
                    && let Some(init) = &var.init
                {
                    initialisers(init, found);
                }
            }
        }
        StmtKind::VlaSizes(exprs) => found.extend(exprs),
        StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| expressions(unit, *stmt, found)),
        StmtKind::If { cond, then, otherwise } => {
            found.push(*cond);
            [Some(*then), *otherwise].into_iter().flatten().for_each(|stmt| expressions(unit, stmt, found));
        }
        StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
            found.push(*cond);
            expressions(unit, *body, found);
        }
        StmtKind::For { init, cond, step, body } => {
            found.extend(cond.iter().chain(step));
            init.iter().chain([body]).for_each(|stmt| expressions(unit, *stmt, found));
        }
        StmtKind::Switch { value, body } => {
            found.push(*value);
            expressions(unit, *body, found);
        }
        StmtKind::Case { body, .. } | StmtKind::Default { body } | StmtKind::Label { body, .. } => {
            expressions(unit, *body, found);
        }
        StmtKind::Return(value) => found.extend(value),
        StmtKind::Asm(asm) => found.extend(asm.outputs.iter().chain(&asm.inputs).map(|(_, expr)| *expr)),
    }
}
