//! Canonical text of fragments: one spelling for every layout.
//!
//! The typed tree has no layout, so printing it is canonical by itself; only names that the tree has dropped
//! (enumerators, typedefs of plain declarations) are taken from the source.

use std::collections::HashMap;

use unpick_base::{Interner, SourceMap, Symbol};
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, UnaryOp, Unit};
use unpick_front_c::printer::FragmentPrinter;
use unpick_front_c::types::{ArrayExtent, Type};

use crate::code::{Code, FragmentKind};

/// Fills in the texts of all fragments.
pub fn fill(code: &mut Code, interner: &Interner, sources: &SourceMap) {
    let mut texts: Vec<(String, String)> = Vec::with_capacity(code.fragments.len());
    for (index, unit) in code.units.iter().enumerate() {
        let mut writer = Writer::new(unit, interner, sources);
        for fragment in code.fragments.iter().filter(|fragment| fragment.unit == index) {
            texts.push(writer.fragment(fragment.what));
        }
    }
    // Fragments of one unit are not contiguous: globals of all units come first.
    let mut order: Vec<usize> = (0..code.fragments.len()).collect();
    let units: Vec<usize> = code.fragments.iter().map(|fragment| fragment.unit).collect();
    order.sort_by_key(|at| units[*at]);
    let ids: Vec<_> = code.fragments.ids().collect();
    for (at, (text, negated)) in order.into_iter().zip(texts) {
        let fragment = &mut code.fragments[ids[at]];
        fragment.text = text;
        fragment.negated = negated;
    }
}

/// Writes fragments of one unit.
pub struct Writer<'a> {
    unit: &'a Unit,
    interner: &'a Interner,
    sources: &'a SourceMap,
    printer: FragmentPrinter<'a>,
    typedefs: HashMap<&'a str, ()>,
}

impl<'a> Writer<'a> {
    /// For this unit.
    pub fn new(unit: &'a Unit, interner: &'a Interner, sources: &'a SourceMap) -> Self {
        let is_typedef = |kind: &DeclKind| matches!(kind, DeclKind::Typedef);
        let typedefs = unit.decls.iter().filter(|decl| is_typedef(&decl.kind));
        let typedefs = typedefs.map(|decl| (interner.name(decl.name), ())).collect();
        Self { unit, interner, sources, printer: FragmentPrinter::new(unit, interner, sources), typedefs }
    }

    /// A fragment, and its negation if it is a condition.
    pub fn fragment(&mut self, what: FragmentKind) -> (String, String) {
        match what {
            FragmentKind::Declaration(decl) => (self.declaration(decl), String::new()),
            FragmentKind::Effect(expr) | FragmentKind::Stray(expr, _) => (self.printer.expr(expr), String::new()),
            FragmentKind::Condition(expr) => self.condition(expr),
            FragmentKind::Assertion(expr) => (format!("assert({})", self.printer.expr(expr)), String::new()),
            FragmentKind::Assumption(expr) => {
                (format!("__VERIFIER_assume({})", self.printer.expr(expr)), String::new())
            }
            FragmentKind::Return(expr) => (format!("return {}", self.printer.expr(expr)), String::new()),
        }
    }

    /// Any expression.
    pub fn expr(&mut self, expr: ExprId) -> String {
        self.printer.expr(expr)
    }

    fn condition(&mut self, expr: ExprId) -> (String, String) {
        let text = self.printer.expr(expr);
        match self.negated_operand(expr) {
            Some(operand) => (text, self.printer.expr(operand)),
            None => {
                let negated = format!("!{}", self.printer.operand(expr));
                (text, negated)
            }
        }
    }

    /// `x` of `!x`.
    fn negated_operand(&self, expr: ExprId) -> Option<ExprId> {
        match self.unit.exprs[expr].kind {
            ExprKind::Unary(UnaryOp::LogNot, operand) => Some(operand),
            ExprKind::Cast { operand, is_implicit: true, kind: CastKind::IntToInt | CastKind::ToBool } => {
                self.negated_operand(operand)
            }
            _ => None,
        }
    }

    fn declaration(&mut self, decl: DeclId) -> String {
        let item = &self.unit.decls[decl];
        let name = self.interner.name(item.name);
        let head = self.alias(decl).unwrap_or_else(|| self.printer.declarator(item.ty, name));
        let DeclKind::Var(var) = &item.kind else { return head };
        match &var.init {
            Some(init) => format!("{head} = {}", self.printer.init(init, item.ty.ty)),
            None => head,
        }
    }

    /// `TYPE name` or `TYPE name[n]` where the source uses the name of a type.
    fn alias(&self, decl: DeclId) -> Option<String> {
        let item = &self.unit.decls[decl];
        let word = self.type_word(decl)?;
        let name = self.interner.name(item.name);
        match self.unit.types.get(item.ty.ty) {
            Type::Array { extent: ArrayExtent::Fixed(n), element } => {
                let is_flat = !self.unit.types.is_array(element.ty);
                is_flat.then(|| format!("{word} {name}[{n}]"))
            }
            Type::Pointer(_) => {
                let before =
                    self.sources.snippet(unpick_base::Span::new(item.span.lo.saturating_sub(16), item.span.lo));
                let n_stars = before.chars().rev().take_while(|c| c.is_whitespace() || *c == '*').filter(|c| *c == '*');
                Some(format!("{word} {}{name}", "*".repeat(n_stars.count())))
            }
            _ => Some(format!("{word} {name}")),
        }
    }

    /// The name of a type at the start of the declaration, if the source names one.
    fn type_word(&self, decl: DeclId) -> Option<&'a str> {
        let at = self.unit.decls[decl].span.lo;
        let from = at.saturating_sub(200);
        let text = (from..at).find_map(|lo| {
            let snippet = self.sources.snippet(unpick_base::Span::new(lo, at));
            (!snippet.is_empty()).then_some(snippet)
        })?;
        let start = text.rfind([';', '{', '}', '(', '#', '\n'])? + 1;
        let head = text[start..].split([',', '=']).next()?;
        let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        let is_storage = |word: &&str| matches!(*word, "static" | "const" | "volatile" | "register" | "extern");
        let first = words.find(|word| !is_storage(word))?;
        self.typedefs.get_key_value(first).map(|(word, ())| *word)
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &'a str {
        self.interner.name(symbol)
    }
}
