//! Printer of parts of a unit as C embedded in a text that names its own objects and types.
//!
//! Enumerations are written as the integers that they are: the text around says what names of constants mean, and a
//! definition of theirs would only collide with it.

use unpick_base::Interner;

use super::expr::UNARY;
use super::names::TagNames;
use super::types::TypePrinter;
use super::{PrintOptions, Printer};
use crate::ast::{DeclId, ExprId, Init, Unit};
use crate::types::{QualTy, RecordId, TyId};

/// What things are called in the text around.
pub trait Spelling {
    /// An object or a function.
    fn object(&self, decl: DeclId) -> String;
    /// A constant that has a name there.
    fn constant(&self, expr: ExprId) -> Option<String>;
    /// The tag of a record.
    fn record(&self, record: RecordId) -> String;
    /// Whether names of its fields may mean something else there.
    fn is_foreign(&self, record: RecordId) -> bool;
}

/// Prints pieces of one unit.
pub struct EmbeddedPrinter<'a>(Printer<'a>);

impl<'a> EmbeddedPrinter<'a> {
    /// For this unit.
    pub fn new(unit: &'a Unit, interner: &'a Interner, spelling: &'a dyn Spelling) -> Self {
        let mut printer = Printer::new(unit, interner, PrintOptions::default());
        printer.tags =
            TagNames::picked(&unit.types, |record| spelling.record(record), |record| spelling.is_foreign(record))
                .into();
        printer.spelling = Some(spelling);
        Self(printer)
    }

    /// An expression.
    pub fn expr(&mut self, expr: ExprId) -> String {
        self.strong(expr, 0)
    }

    /// An expression as the operand of a unary operator.
    pub fn operand(&mut self, expr: ExprId) -> String {
        self.strong(expr, UNARY)
    }

    fn strong(&mut self, expr: ExprId, least: u8) -> String {
        self.0.out.clear();
        self.0.expr(expr, least);
        std::mem::take(&mut self.0.out)
    }

    /// A type around a declarator.
    pub fn declarator(&mut self, ty: QualTy, name: &str) -> String {
        self.0.declare(ty, name.to_owned())
    }

    /// What stands behind the `=` of a definition.
    pub fn init(&mut self, init: &Init, ty: TyId) -> String {
        self.0.out.clear();
        self.0.init(init, ty);
        std::mem::take(&mut self.0.out)
    }

    /// The definition of a record, without what lies in it.
    pub fn record(&mut self, record: RecordId) -> String {
        let tags = self.0.tags.clone();
        let printer = TypePrinter { types: &self.0.unit.types, interner: self.0.interner, tags: &tags };
        let item = &self.0.unit.types.records[record];
        let mut out = String::new();
        if let Some(pack) = item.pack {
            out.push_str(&format!("#pragma pack(push, {pack})\n"));
        }
        printer.record_body(item, tags.record(record), 0, &mut out);
        out.push_str(";\n");
        if item.pack.is_some() {
            out.push_str("#pragma pack(pop)\n");
        }
        out
    }
}
