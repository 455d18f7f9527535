//! Expressions and statements of the program as embedded C in a model.

use std::cell::RefCell;
use std::sync::Arc;

use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Init};
use unpick_front_c::builtin::Builtin;
use unpick_front_c::printer::embedded::{EmbeddedPrinter, Spelling};
use unpick_front_c::types::{ArrayExtent, QualTy, RecordId, TyId, Type};
use unpick_front_promela::lexer::{Code, CodeKind};
use unpick_front_promela::syntax::{At, Expr, ExprKind as To, Step, StmtKind};

use super::{Embedding, is_thread_local};
use crate::context::Context;
use crate::effect::direct_callee;
use crate::normal::children;
use crate::shape::Untranslatable;
use crate::translate::{at, step};

/// What a variable is called in embedded C: its unit and declaration.
pub type NameOf<'a> = dyn Fn(usize, DeclId) -> Result<String, Untranslatable> + 'a;

/// Writes pieces of one unit as C.
pub struct Embedder<'a> {
    context: &'a Context<'a>,
    embedding: &'a Embedding,
    unit: usize,
    name: &'a NameOf<'a>,
    wrong: RefCell<Option<Untranslatable>>,
}

impl Spelling for Embedder<'_> {
    fn object(&self, decl: DeclId) -> String {
        let unit = &self.context.code.units[self.unit];
        let name = self.context.interner.name(unit.decls[decl].name);
        if matches!(unit.decls[decl].kind, DeclKind::Function(_)) {
            return match self.context.code.function_of(self.unit, decl, name) {
                Some(function) => self.embedding.function(function).to_owned(),
                None => name.to_owned(),
            };
        }
        let found = match is_thread_local(unit, decl) {
            true => Err(format!("`{name}` is another object in each thread")),
            false => (self.name)(self.unit, decl),
        };
        found.unwrap_or_else(|why| {
            self.wrong.borrow_mut().get_or_insert(why);
            name.to_owned()
        })
    }

    fn constant(&self, expr: ExprId) -> Option<String> {
        let node = &self.context.code.units[self.unit].exprs[expr];
        let ExprKind::Int(value) = node.kind else { return None };
        let spelled = self.context.sources.snippet(node.span).trim();
        let number = i32::try_from(value).ok()?;
        (self.context.constants.get(spelled) == Some(&value)).then(|| {
            self.context.used.borrow_mut().insert(spelled.to_owned(), number);
            spelled.to_owned()
        })
    }

    fn record(&self, record: RecordId) -> String {
        self.embedding.tag(self.unit, record).to_owned()
    }

    fn is_foreign(&self, record: RecordId) -> bool {
        // Headers that the verifier includes have macros for some of them.
        let item = &self.context.code.units[self.unit].types.records[record];
        self.context.sources.place(item.span.lo).is_some_and(|place| place.system)
    }
}

impl<'a> Embedder<'a> {
    /// For one unit, with these names; nothing if data is not kept as C.
    pub fn new(context: &'a Context<'a>, unit: usize, name: &'a NameOf<'a>) -> Option<Embedder<'a>> {
        let embedding = context.embedding.as_ref()?;
        Some(Embedder { context, embedding, unit, name, wrong: RefCell::default() })
    }

    fn printed(&self, print: impl FnOnce(&mut EmbeddedPrinter<'_>) -> String) -> Result<String, Untranslatable> {
        let mut printer = EmbeddedPrinter::new(&self.context.code.units[self.unit], self.context.interner, self);
        let text = print(&mut printer);
        match self.wrong.take() {
            Some(why) => Err(why),
            // SPIN counts braces, also those in texts.
            None if has_quoted_brace(&text) => Err("has a brace in a text".into()),
            None => Ok(text),
        }
    }

    /// An expression.
    pub fn text(&self, expr: ExprId) -> Result<String, Untranslatable> {
        self.check(expr)?;
        self.printed(|printer| printer.expr(expr))
    }

    /// The negation of an expression.
    pub fn negated(&self, expr: ExprId) -> Result<String, Untranslatable> {
        self.check(expr)?;
        self.printed(|printer| format!("!{}", printer.operand(expr)))
    }

    /// A type around a declarator.
    pub fn declarator(&self, ty: QualTy, name: &str) -> Result<String, Untranslatable> {
        self.printed(|printer| printer.declarator(ty, name))
    }

    /// The definition of a record.
    pub fn record_definition(&self, record: RecordId) -> Result<String, Untranslatable> {
        self.printed(|printer| printer.record(record))
    }

    /// What stands behind the `=` of a definition of static storage.
    pub fn static_init(&self, init: &Init, ty: TyId) -> Result<String, Untranslatable> {
        crate::normal::init_exprs(init).into_iter().try_for_each(|expr| self.check(expr))?;
        self.printed(|printer| printer.init(init, ty))
    }

    /// Whether an expression means the same as a piece of embedded C.
    fn check(&self, expr: ExprId) -> Result<(), Untranslatable> {
        let unit = &self.context.code.units[self.unit];
        match &unit.exprs[expr].kind {
            ExprKind::Call { callee, args } => {
                let name = direct_callee(unit, *callee).map(|decl| self.context.interner.name(unit.decls[decl].name));
                let known = direct_callee(unit, *callee)
                    .and_then(|decl| self.context.code.function_of(self.unit, decl, name.unwrap_or_default()));
                match name {
                    Some(name) if known.is_none() && is_plain(name) => args.iter().try_for_each(|arg| self.check(*arg)),
                    Some(name) => Err(format!("calls `{name}`, which has no model")),
                    None => Err("calls a function pointer".into()),
                }
            }
            ExprKind::Builtin { builtin, args } => {
                if !is_plain_builtin(*builtin) {
                    return Err("has no counterpart".into());
                }
                args.iter().try_for_each(|arg| self.check(*arg))
            }
            ExprKind::AddrOf(place) | ExprKind::Cast { kind: CastKind::ArrayDecay, operand: place, .. } => {
                if matches!(unit.exprs[*place].kind, ExprKind::CompoundLiteral { .. }) {
                    return Err("is an object without a name".into());
                }
                self.check(*place)
            }
            ExprKind::Cast { kind: CastKind::Complex | CastKind::Vector, .. } => Err("has no counterpart".into()),
            ExprKind::Error => Err("has a value that nobody knows".into()),
            ExprKind::LabelAddr(_)
            | ExprKind::CondValue
            | ExprKind::CondElvis { .. }
            | ExprKind::VaArg { .. }
            | ExprKind::StmtExpr(_)
            | ExprKind::SizeofVla(_) => Err("has no counterpart".into()),
            kind @ (ExprKind::Decl(_)
            | ExprKind::Str { .. }
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Unary(..)
            | ExprKind::IncDec { .. }
            | ExprKind::Index { .. }
            | ExprKind::Binary(..)
            | ExprKind::LogAnd(..)
            | ExprKind::LogOr(..)
            | ExprKind::Comma(..)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Cond { .. }) => children(kind).into_iter().try_for_each(|child| self.check(child)),
        }
    }

    /// An assignment, an increment, a call of a function that only works on what it is given.
    pub fn effect(&self, expr: ExprId) -> Result<Vec<Step>, Untranslatable> {
        let unit = &self.context.code.units[self.unit];
        match &unit.exprs[expr].kind {
            ExprKind::Assign { lhs, rhs } => {
                self.check(*lhs)?;
                let place = self.printed(|printer| printer.expr(*lhs))?;
                self.assigned(&place, *rhs)
            }
            ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => Ok(vec![code_step(&self.text(expr)?)]),
            ExprKind::Builtin { .. } => Ok(vec![code_step(&self.text(expr)?)]),
            ExprKind::Cast { kind: CastKind::ToVoid | CastKind::NoOp, operand, .. } => self.effect(*operand),
            ExprKind::Call { callee, args } => {
                let name = direct_callee(unit, *callee).map(|decl| self.context.interner.name(unit.decls[decl].name));
                match (name, args.as_slice()) {
                    (Some("free"), [pointer]) if !self.embedding.heaps().is_empty() => self.freed(*pointer),
                    _ => Ok(vec![code_step(&self.text(expr)?)]),
                }
            }
            _ => Err("has no effect that the model could have".into()),
        }
    }

    /// `place = value`.
    pub fn assigned(&self, place: &str, value: ExprId) -> Result<Vec<Step>, Untranslatable> {
        let code = self.context.code;
        if let Some(heap) = self.embedding.heap(code, self.unit, value, self.context.interner) {
            let room = code_expr(&format!("{}_has_room ()", heap.name));
            let taken = code_step(&format!("{place} = {}_take()", heap.name));
            return Ok(vec![step(StmtKind::DStep(vec![step(StmtKind::Assert(room)), taken]))]);
        }
        Ok(vec![code_step(&format!("{place} = {}", self.text(value)?))])
    }

    /// `free(pointer)`: what is no block in use is an error of the program, and of the model.
    fn freed(&self, pointer: ExprId) -> Result<Vec<Step>, Untranslatable> {
        let pointer = self.text(pointer)?;
        let held = step(StmtKind::Assert(code_expr(&format!("heap_holds ({pointer})"))));
        Ok(vec![step(StmtKind::DStep(vec![held, code_step(&format!("heap_release({pointer})"))]))])
    }

    /// Statements that give an object of automatic storage its first value.
    pub fn initial(&self, init: &Init, place: &str, ty: TyId) -> Result<Vec<Step>, Untranslatable> {
        match init {
            Init::Expr(value) => self.assigned(place, *value),
            Init::Str { .. } | Init::List { .. } => {
                let mut statements = vec![format!("memset(&{place}, 0, sizeof({place}))")];
                self.elements(init, place, ty, &mut statements)?;
                Ok(vec![code_step(&statements.join("; "))])
            }
        }
    }

    fn elements(&self, init: &Init, place: &str, ty: TyId, statements: &mut Vec<String>) -> Result<(), Untranslatable> {
        let unit = &self.context.code.units[self.unit];
        match (init, unit.types.get(ty)) {
            (Init::Expr(value), _) => statements.push(format!("{place} = {}", self.text(*value)?)),
            (Init::Str { units, .. }, _) => {
                let n = match unit.types.get(ty) {
                    Type::Array { extent: ArrayExtent::Fixed(n), .. } => *n as usize,
                    _ => units.len(),
                };
                let given = units.iter().enumerate().take(n).filter(|(_, unit)| **unit != 0);
                statements.extend(given.map(|(at, unit)| format!("{place}[{at}] = {unit}")));
            }
            (Init::List { entries, .. }, Type::Array { element, .. }) => {
                for entry in entries {
                    for at in entry.index..=entry.last {
                        self.elements(&entry.init, &format!("{place}[{at}]"), element.ty, statements)?;
                    }
                }
            }
            (Init::List { entries, .. }, Type::Record(record)) => {
                for entry in entries {
                    let field = unit.types.records[*record].fields.get(entry.index as usize);
                    let field = field.ok_or("has a field that nobody knows")?;
                    let stroke = if self.is_foreign(*record) { "_" } else { "" };
                    let name = field.name.map(|name| format!("{place}.{}{stroke}", self.context.interner.name(name)));
                    self.elements(&entry.init, &name.unwrap_or(place.to_owned()), field.ty.ty, statements)?;
                }
            }
            (Init::List { entries, .. }, _) => {
                for entry in entries {
                    self.elements(&entry.init, place, ty, statements)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a brace stands between quotes.
fn has_quoted_brace(text: &str) -> bool {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.chars().any(|letter| {
        is_quoted ^= letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_quoted && matches!(letter, '{' | '}')
    })
}

/// Embedded C as a statement.
pub fn code_step(text: &str) -> Step {
    let text: Arc<str> = format!(" {text}; ").into();
    step(StmtKind::Code(Arc::new(Code {
        kind: CodeKind::Code,
        precondition: None,
        text,
        at: At::default(),
        precondition_at: At::default(),
    })))
}

/// Embedded C as an expression.
pub fn code_expr(text: &str) -> Expr {
    // SPIN takes a bracket behind a letter for a call, and a call for an effect.
    let mut text = text.to_owned();
    if let Some(open) = text.find('(')
        && text[..open].ends_with(|last: char| last.is_ascii_alphanumeric())
    {
        text.insert(open, ' ');
    }
    let text: Arc<str> = format!(" {text} ").into();
    at(To::Code(Arc::new(Code {
        kind: CodeKind::Expr,
        precondition: None,
        text,
        at: At::default(),
        precondition_at: At::default(),
    })))
}

/// Functions of the C library that work on what they are given and nothing else.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "labs"
            | "memchr"
            | "memcmp"
            | "memcpy"
            | "memmove"
            | "memset"
            | "strchr"
            | "strcmp"
            | "strcpy"
            | "strcat"
            | "strlen"
            | "strncat"
            | "strncmp"
            | "strncpy"
            | "strrchr"
            | "strstr"
    )
}

/// Built-in functions of compilers that mean the same in the verifier.
fn is_plain_builtin(builtin: Builtin) -> bool {
    crate::library::atomic_update(builtin)
        || matches!(builtin, Builtin::First | Builtin::AtomicLoadN | Builtin::AtomicLoad)
}
