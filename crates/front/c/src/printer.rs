//! Canonical printer: the typed tree as C that a compiler accepts, with the same meaning.
//!
//! Output is canonical: typedefs are gone, all types stand first in order of dependency, every object and
//! function with linkage is declared before the bodies, one statement stands on a line. Because semantic
//! analysis has resolved all names, the printer is free to rename: each record and enumeration has a tag of
//! its own in the unit, each local name is unique in its function, so scopes cannot change a meaning.
//! Implicit conversions are left out, since the compiler finds the same ones again, or written as casts on
//! request.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::rc::Rc;

use unpick_base::{Interner, SourceMap, Symbol};

mod builtin;
pub mod embedded;
mod expr;
mod init;
pub mod instrument;
mod literal;
mod names;
mod stmt;
mod types;

use crate::ast::{
    Decl, DeclId, DeclKind, ExprId, ExprKind, Function, Item, LabelId, Linkage, StmtId, Storage, Unit, Var,
};
use crate::types::{IntKind, QualTy, TyId, Type, TypeTable};
use names::{TagNames, fresh_name};
use types::{TypePrinter, star_bound};

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintOptions {
    /// Implicit conversions of values stand as casts.
    pub explicit_conversions: bool,
}

/// A whole unit.
pub fn print_unit(unit: &Unit, interner: &Interner) -> String {
    print_unit_with(unit, interner, PrintOptions::default())
}

/// A whole unit, with options.
pub fn print_unit_with(unit: &Unit, interner: &Interner, options: PrintOptions) -> String {
    let mut printer = Printer::new(unit, interner, options);
    printer.is_renaming = true;
    printer.unit();
    printer.out
}

/// A whole unit, with calls before the accesses that `points` names.
pub fn print_unit_with_points(unit: &Unit, interner: &Interner, points: &dyn instrument::Points) -> String {
    let mut printer = Printer::new(unit, interner, PrintOptions::default());
    printer.is_renaming = true;
    printer.points = Some(points);
    printer.unit();
    printer.out
}

/// One statement, with the names of the source.
pub fn print_stmt(unit: &Unit, interner: &Interner, stmt: StmtId) -> String {
    let mut printer = Printer::new(unit, interner, PrintOptions::default());
    printer.stmt(stmt);
    printer.out
}

/// Prints fragments of one unit as a reader of the source would write them: constants as they are spelled there, null
/// pointers by name.
pub struct FragmentPrinter<'a>(Printer<'a>);

impl<'a> FragmentPrinter<'a> {
    /// For the fragments of this unit.
    pub fn new(unit: &'a Unit, interner: &'a Interner, sources: &'a SourceMap) -> Self {
        let mut printer = Printer::new(unit, interner, PrintOptions::default());
        printer.spellings = Some(sources);
        Self(printer)
    }

    /// An expression.
    pub fn expr(&mut self, expr: ExprId) -> String {
        self.0.out.clear();
        self.0.expr(expr, 0);
        std::mem::take(&mut self.0.out)
    }

    /// An expression as the operand of `!`.
    pub fn operand(&mut self, expr: ExprId) -> String {
        self.0.out.clear();
        self.0.expr(expr, expr::UNARY);
        std::mem::take(&mut self.0.out)
    }

    /// A type around a declarator.
    pub fn declarator(&mut self, ty: QualTy, name: &str) -> String {
        self.0.declare(ty, name.to_owned())
    }

    /// What stands behind the `=` of a definition.
    pub fn init(&mut self, init: &crate::ast::Init, ty: TyId) -> String {
        self.0.out.clear();
        self.0.init(init, ty);
        std::mem::take(&mut self.0.out)
    }
}

/// A type around a declarator name, which may be empty.
pub fn print_type(types: &TypeTable, interner: &Interner, ty: QualTy, name: &str) -> String {
    let tags = TagNames::new(types, interner);
    TypePrinter { types, interner, tags: &tags }.declare(ty, name.to_owned(), &mut star_bound)
}

/// Prints the parts of one unit into `out`.
struct Printer<'a> {
    unit: &'a Unit,
    interner: &'a Interner,
    options: PrintOptions,
    tags: Rc<TagNames>,
    out: String,
    indent: usize,
    /// Whether local names are made unique.
    is_renaming: bool,
    /// Names at file scope, which locals avoid.
    global_names: HashSet<Symbol>,
    local_names: HashMap<DeclId, String>,
    label_names: HashMap<LabelId, String>,
    /// Names of locals and of labels taken in the current function.
    taken_names: HashSet<String>,
    taken_labels: HashSet<String>,
    /// Array bounds that were computed into a variable, by their expression.
    bounds: HashMap<ExprId, String>,
    /// Objects that an assignment changes.
    assigned: HashSet<DeclId>,
    /// Types of the enclosing switches' values, innermost last.
    switch_kinds: Vec<IntKind>,
    /// Where the definitions of types end in `out`.
    types_end: usize,
    /// Texts that tell how constants were written, if that matters.
    spellings: Option<&'a SourceMap>,
    /// Accesses that are printed with a call before them.
    points: Option<&'a dyn instrument::Points>,
    /// Arguments that were computed into a variable.
    held_back: HashMap<ExprId, String>,
    n_temporaries: u32,
    /// Names that the text around gives to objects and constants.
    spelling: Option<&'a dyn embedded::Spelling>,
}

impl<'a> Printer<'a> {
    fn new(unit: &'a Unit, interner: &'a Interner, options: PrintOptions) -> Self {
        Self {
            unit,
            interner,
            options,
            tags: Rc::new(TagNames::new(&unit.types, interner)),
            out: String::new(),
            indent: 0,
            is_renaming: false,
            global_names: HashSet::new(),
            local_names: HashMap::new(),
            label_names: HashMap::new(),
            taken_names: HashSet::new(),
            taken_labels: HashSet::new(),
            bounds: HashMap::new(),
            assigned: HashSet::new(),
            switch_kinds: Vec::new(),
            types_end: 0,
            spellings: None,
            points: None,
            held_back: HashMap::new(),
            n_temporaries: 0,
            spelling: None,
        }
    }

    fn unit(&mut self) {
        let unit = self.unit;
        self.global_names = unit.decls.iter().filter(|decl| has_linkage(decl)).map(|decl| decl.name).collect();
        self.assigned = self.assigned_objects();
        let mut reserved: HashSet<String> =
            self.global_names.iter().map(|&symbol| self.interner.name(symbol).to_owned()).collect();
        let types = TypePrinter { types: &unit.types, interner: self.interner, tags: &self.tags };
        self.out = types.definitions(unit, &mut reserved);
        self.types_end = self.out.len();
        let mut n_left: HashMap<DeclId, usize> = HashMap::new();
        for item in &unit.items {
            if let Item::Decl(decl) = *item {
                *n_left.entry(decl).or_default() += 1;
            }
        }
        self.declarations(&n_left);
        let mut is_declared = HashSet::new();
        for item in &unit.items {
            let Item::Decl(id) = *item else { continue };
            let left = n_left.get_mut(&id).expect("an item should have been counted");
            *left -= 1;
            if *left == 0 {
                self.definition(id, is_declared.contains(&id));
            } else if is_declared.insert(id) {
                self.declaration(id);
            }
        }
        self.intrinsic_declarations();
    }

    fn assigned_objects(&self) -> HashSet<DeclId> {
        let unit = self.unit;
        let assignments = unit.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Assign { lhs, .. } | ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => {
                Some(lhs)
            }
            _ => None,
        });
        assignments
            .filter_map(|lhs| match unit.exprs[self.visible(lhs)].kind {
                ExprKind::Decl(decl) => Some(decl),
                _ => None,
            })
            .collect()
    }

    /// Declares first what no item declares: undeclared functions, and `extern` inside bodies.
    fn declarations(&mut self, items: &HashMap<DeclId, usize>) {
        let unit = self.unit;
        for (id, decl) in unit.decls.iter_enumerated() {
            if has_linkage(decl) && !items.contains_key(&id) {
                self.declaration(id);
            }
        }
    }

    fn declaration(&mut self, id: DeclId) {
        let decl = &self.unit.decls[id];
        match &decl.kind {
            DeclKind::Var(var) => {
                let line = self.var_head(decl, var, id, var.linkage == Linkage::External);
                self.out.push_str(&line);
                self.out.push_str(";\n");
            }
            DeclKind::Function(function) => self.prototype(decl, function),
            DeclKind::Enumerator { .. } | DeclKind::Typedef => {}
        }
    }

    fn definition(&mut self, id: DeclId, is_declared: bool) {
        let decl = &self.unit.decls[id];
        match &decl.kind {
            DeclKind::Var(var) if var.is_declared_only => {
                if !is_declared {
                    self.declaration(id);
                }
            }
            DeclKind::Var(_) => self.var(id),
            DeclKind::Function(function) => match function.body {
                Some(body) => {
                    let has_more = function.asm_label.is_some() || !function_attributes(function).is_empty();
                    if has_more && !is_declared {
                        self.prototype(decl, function);
                    }
                    self.function(decl, function, body);
                }
                None if is_declared => {}
                None => self.prototype(decl, function),
            },
            DeclKind::Enumerator { .. } | DeclKind::Typedef => {}
        }
    }

    /// A variable's definition, on lines of its own.
    fn var(&mut self, id: DeclId) {
        let decl = &self.unit.decls[id];
        let DeclKind::Var(var) = &decl.kind else { return };
        self.compute_bounds(decl.ty.ty);
        self.start_line();
        let head = self.var_head(decl, var, id, false);
        self.out.push_str(&head);
        if let Some(init) = &var.init {
            self.out.push_str(" = ");
            self.init(init, decl.ty.ty);
        }
        self.out.push_str(";\n");
    }

    /// Storage class, type, name and attributes of a variable.
    fn var_head(&mut self, decl: &Decl, var: &Var, id: DeclId, is_extern: bool) -> String {
        let mut head = String::new();
        let is_local = var.linkage == Linkage::None;
        match (var.linkage, var.storage) {
            (Linkage::Internal, _) => head.push_str("static "),
            (Linkage::None, Storage::Static | Storage::ThreadLocal) => head.push_str("static "),
            (Linkage::External, _) if is_extern => head.push_str("extern "),
            (Linkage::External | Linkage::None, _) => {}
        }
        if var.storage == Storage::ThreadLocal {
            head.push_str("__thread ");
        }
        let name = if is_local { self.local_name(id) } else { self.interner.name(decl.name).to_owned() };
        head.push_str(&self.declare(decl.ty, name));
        if let Some(label) = &var.asm_label {
            let _ = write!(head, " __asm__({})", literal::string(label));
        }
        let mut attributes = Vec::new();
        if let Some(align) = var.align {
            attributes.push(format!("aligned({align})"));
        }
        if var.is_weak {
            attributes.push("weak".to_owned());
        }
        if let Some(cleanup) = var.cleanup {
            attributes.push(format!("cleanup({})", self.interner.name(self.unit.decls[cleanup].name)));
        }
        push_attributes(&mut head, &attributes);
        head
    }

    fn prototype(&mut self, decl: &Decl, function: &Function) {
        let mut line = function_specifiers(function).to_owned();
        line.push_str(&self.declare(decl.ty, self.interner.name(decl.name).to_owned()));
        if let Some(label) = &function.asm_label {
            let _ = write!(line, " __asm__({})", literal::string(label));
        }
        push_attributes(&mut line, &function_attributes(function));
        self.out.push_str(&line);
        self.out.push_str(";\n");
    }

    fn function(&mut self, decl: &Decl, function: &Function, body: StmtId) {
        let Type::Function(ty) = self.unit.types.get(decl.ty.ty) else { return };
        self.local_names.clear();
        self.label_names.clear();
        self.taken_names.clear();
        self.taken_labels.clear();
        self.bounds.clear();
        let mut params = Vec::new();
        let mut old_style = String::new();
        for &param in &function.params {
            let name = self.local_name(param);
            let declared = self.declare(self.unit.decls[param].ty, name.clone());
            if ty.has_prototype {
                params.push(declared);
            } else {
                params.push(name);
                let _ = writeln!(old_style, "    {declared};");
            }
        }
        if ty.is_variadic {
            params.push("...".to_owned());
        }
        if params.is_empty() && ty.has_prototype {
            params.push("void".to_owned());
        }
        let inner = format!("{}({})", self.interner.name(decl.name), params.join(", "));
        let head = self.declare(ty.ret, inner);
        let _ = write!(self.out, "\n{}{head}\n{old_style}", function_specifiers(function));
        self.block(body);
    }

    /// A type around a declarator; bounds of variable length arrays are names of variables if they were
    /// computed before, else their expressions.
    fn declare(&mut self, ty: QualTy, inner: String) -> String {
        let (types, interner) = (&self.unit.types, self.interner);
        let tags = Rc::clone(&self.tags);
        TypePrinter { types, interner, tags: &tags }.declare(ty, inner, &mut |bound| self.bound(bound))
    }

    fn type_name(&mut self, ty: TyId) -> String {
        self.declare(QualTy::plain(ty), String::new())
    }

    fn bound(&mut self, bound: ExprId) -> String {
        if let Some(name) = self.bounds.get(&bound) {
            return name.clone();
        }
        let outer = std::mem::take(&mut self.out);
        self.expr(bound, 2);
        std::mem::replace(&mut self.out, outer)
    }

    /// The name of a local, unique in its function.
    fn local_name(&mut self, id: DeclId) -> String {
        if let Some(name) = self.local_names.get(&id) {
            return name.clone();
        }
        let symbol = self.unit.decls[id].name;
        let mut name = self.interner.name(symbol).to_owned();
        if name.is_empty() {
            name = format!("unnamed_{}", id.0);
        }
        if self.is_renaming && name != "__func__" {
            let is_global = self.global_names.contains(&symbol);
            name = fresh_name(&name, |name| {
                self.taken_names.contains(name) || (is_global && name == self.interner.name(symbol))
            });
            self.taken_names.insert(name.clone());
        }
        self.local_names.insert(id, name.clone());
        name
    }

    fn label_name(&mut self, id: LabelId) -> String {
        if let Some(name) = self.label_names.get(&id) {
            return name.clone();
        }
        let mut name = self.interner.name(self.unit.labels[id].name).to_owned();
        if self.is_renaming {
            name = fresh_name(&name, |name| self.taken_labels.contains(name));
            self.taken_labels.insert(name.clone());
        }
        self.label_names.insert(id, name.clone());
        name
    }

    fn decl_name(&mut self, id: DeclId) -> String {
        if let Some(spelling) = self.spelling {
            return spelling.object(id);
        }
        let decl = &self.unit.decls[id];
        if has_linkage(decl) { self.interner.name(decl.name).to_owned() } else { self.local_name(id) }
    }

    fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }
}

fn has_linkage(decl: &Decl) -> bool {
    match &decl.kind {
        DeclKind::Var(var) => var.linkage != Linkage::None,
        DeclKind::Function(_) => true,
        DeclKind::Enumerator { .. } | DeclKind::Typedef => false,
    }
}

/// C99 meaning: `inline` without `extern` leaves the external definition to another unit.
fn function_specifiers(function: &Function) -> &'static str {
    match (function.linkage, function.is_inline) {
        (Linkage::Internal, true) => "static inline ",
        (Linkage::Internal, false) => "static ",
        (_, true) if function.is_inline_only => "inline ",
        (_, true) => "extern inline ",
        (_, false) => "",
    }
}

fn function_attributes(function: &Function) -> Vec<String> {
    let mut attributes = Vec::new();
    if function.is_noreturn {
        attributes.push("noreturn".to_owned());
    }
    if function.is_always_inline {
        attributes.push("always_inline".to_owned());
    }
    if function.is_weak {
        attributes.push("weak".to_owned());
    }
    if let Some(alias) = &function.alias {
        attributes.push(format!("alias({})", literal::string(alias)));
    }
    for (word, priority) in [("constructor", function.constructor), ("destructor", function.destructor)] {
        match priority {
            None => {}
            Some(priority) if priority < 65535 => attributes.push(format!("{word}({priority})")),
            Some(_) => attributes.push(word.to_owned()),
        }
    }
    attributes
}

fn push_attributes(line: &mut String, attributes: &[String]) {
    if !attributes.is_empty() {
        let _ = write!(line, " __attribute__(({}))", attributes.join(", "));
    }
}
