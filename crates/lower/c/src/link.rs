//! Linking of translation units: the definition that a name refers to, with library models as the last resort.

use unpick_base::{Diagnostic, Severity, Span};
use unpick_program::program::{FuncId, Function, GlobalId};

use super::class::{self, Class, Signature};
use super::section::section_of;
use super::{DeclRef, Lowering, UnitEntry, Work};
use unpick_front_c::ast::{Decl, DeclKind, Linkage, Storage, Unit};
use unpick_front_c::types::{ArrayExtent, TyId, Type, TypeTable};
use unpick_front_c::{analyse, intrinsic, models};

/// A name with external linkage.
pub(super) struct Symbol {
    strength: Strength,
    /// The best definition so far; a mere declaration if the strength is `None`.
    best: DeclRef,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Function,
    Object,
}

impl Kind {
    fn of(decl: &Decl) -> Kind {
        if matches!(decl.kind, DeclKind::Function(_)) { Kind::Function } else { Kind::Object }
    }
}

/// Of two definitions the stronger one counts; two strong ones are an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// Declared only.
    None,
    /// From a library model.
    Model,
    /// An inline definition that provides no external one.
    Inline,
    /// Tentative.
    Common,
    Weak,
    Strong,
}

/// What a reference leads to.
pub(super) enum Target {
    Defined(DeclRef),
    Undefined(DeclRef),
}

impl Lowering<'_> {
    /// Adds a unit and links its external names.
    pub(super) fn add_unit(&mut self, unit: Unit, is_model: bool) {
        let index = self.units.len();
        let unit = std::rc::Rc::new(unit);
        if !is_model {
            self.note_endings(&unit);
        }
        let has_sections = unit.decls.iter().any(|decl| section_of(&decl.kind).is_some());
        self.units.push(UnitEntry { unit: unit.clone(), is_model, has_sections });
        for (id, decl) in unit.decls.iter_enumerated() {
            let Some(strength) = strength_of(decl, is_model) else { continue };
            self.link(DeclRef { unit: index, decl: id }, decl, strength);
        }
    }

    fn link(&mut self, at: DeclRef, decl: &Decl, strength: Strength) {
        let plain = self.session.interner.name(decl.name);
        let name = asm_label(decl).unwrap_or(plain).to_owned();
        let kind = Kind::of(decl);
        // An object and a function of one name clash between the user's files, but a model does not get in
        // the way of a user's object that happens to be called like a library function.
        for other_kind in [Kind::Function, Kind::Object] {
            let Some(symbol) = self.symbols.get(&(name.clone(), other_kind)) else { continue };
            let (other, other_strength) = (symbol.best, symbol.strength);
            self.check_conflict(&name, (at, strength), (other, other_strength));
            let is_better = strength > other_strength || (strength == other_strength && self.is_larger(at, other));
            if kind == other_kind && !is_better {
                return;
            }
        }
        self.symbols.insert((name, kind), Symbol { strength, best: at });
    }

    /// Whether, of two tentative definitions or declarations, the first says more about the type.
    fn is_larger(&self, at: DeclRef, other: DeclRef) -> bool {
        let size = |at: DeclRef| {
            let unit = &self.units[at.unit].unit;
            unit.types.size_of(unit.decls[at.decl].ty.ty)
        };
        size(at) > size(other)
    }

    fn check_conflict(&mut self, name: &str, new: (DeclRef, Strength), old: (DeclRef, Strength)) {
        if self.units[new.0.unit].is_model || self.units[old.0.unit].is_model {
            return;
        }
        let (new_unit, old_unit) = (self.unit(new.0.unit), self.unit(old.0.unit));
        let (new_decl, old_decl) = (&new_unit.decls[new.0.decl], &old_unit.decls[old.0.decl]);
        let problem = if new.1 == Strength::Strong && old.1 == Strength::Strong {
            if is_inline(new_decl) && is_inline(old_decl) {
                return;
            }
            format!("`{name}` is defined twice")
        } else if Kind::of(new_decl) != Kind::of(old_decl) {
            format!("`{name}` is a function in one file and an object in another")
        } else if !compatible(&new_unit.types, new_decl.ty.ty, &old_unit.types, old_decl.ty.ty, 0) {
            format!("`{name}` is declared with different types")
        } else {
            return;
        };
        let help = "rename one of them, make it `static`, or check the files one at a time";
        self.session.diagnostics.push(
            Diagnostic::new(Severity::Error, new_decl.span, problem)
                .label(old_decl.span, "the other one is here")
                .help(help),
        );
    }

    /// The definition behind a declaration, with models loaded as needed.
    pub(super) fn resolve(&mut self, at: DeclRef) -> Target {
        let unit = self.unit(at.unit);
        let decl = &unit.decls[at.decl];
        let target = match strength_of(decl, false) {
            None => match &decl.kind {
                DeclKind::Function(function) if function.body.is_none() && function.alias.is_none() => {
                    Target::Undefined(at)
                }
                _defined => Target::Defined(at),
            },
            Some(_) => self.resolve_external(at, decl),
        };
        match target {
            Target::Defined(def) => self.follow_alias(def, at),
            Target::Undefined(_) => target,
        }
    }

    pub(super) fn is_defined(&mut self, at: DeclRef) -> bool {
        matches!(self.resolve(at), Target::Defined(_))
    }

    fn resolve_external(&mut self, at: DeclRef, decl: &Decl) -> Target {
        let plain = self.session.interner.name(decl.name).to_owned();
        let label = asm_label(decl).map(str::to_owned);
        // An undefined assembler name (as headers use for variants of a function) gives way
        // to the name in the source.
        for name in label.iter().chain([&plain]) {
            if let Some(def) = self.definition_of(name, Kind::of(decl)) {
                return Target::Defined(def);
            }
        }
        let name = label.as_ref().unwrap_or(&plain);
        Target::Undefined(self.symbols.get(&(name.clone(), Kind::of(decl))).map_or(at, |symbol| symbol.best))
    }

    /// The definition of an external name; a model if no unit has one.
    pub(super) fn definition_of(&mut self, name: &str, kind: Kind) -> Option<DeclRef> {
        let key = (name.to_owned(), kind);
        let defined = |symbol: &Symbol| (symbol.strength > Strength::None).then_some(symbol.best);
        if let Some(def) = self.symbols.get(&key).and_then(defined) {
            return Some(def);
        }
        self.load_model(name);
        self.symbols.get(&key).and_then(defined)
    }

    fn load_model(&mut self, name: &str) {
        let Some(file) = models::file_for(name) else { return };
        if self.loaded_models.contains(&file.name) {
            return;
        }
        self.loaded_models.push(file.name);
        let shown = format!("<unpick>/{}", file.name);
        let Some(text) = self.session.sources.add(&shown, file.text) else {
            self.session.diagnostics.error(Span::NONE, "the input is larger than 4 GiB");
            return;
        };
        let unit = analyse(self.session, text);
        self.add_unit(unit, true);
    }

    fn follow_alias(&mut self, def: DeclRef, at: DeclRef) -> Target {
        let unit = self.unit(def.unit);
        let DeclKind::Function(function) = &unit.decls[def.decl].kind else { return Target::Defined(def) };
        let (Some(alias), None) = (&function.alias, function.body) else { return Target::Defined(def) };
        let local = unit.decls.iter_enumerated().find(|(_, decl)| {
            matches!(&decl.kind, DeclKind::Function(function) if function.body.is_some())
                && self.session.interner.name(decl.name) == alias
        });
        match local {
            Some((decl, _)) => Target::Defined(DeclRef { unit: def.unit, decl }),
            None => Target::Undefined(at),
        }
    }

    /// The number of a function, which is lowered in time.
    pub(super) fn function_id(&mut self, at: DeclRef) -> FuncId {
        let (canonical, is_defined) = match self.resolve(at) {
            Target::Defined(def) => (def, true),
            Target::Undefined(first) => (first, false),
        };
        if let Some(&id) = self.functions.get(&canonical) {
            return id;
        }
        let unit = self.unit(canonical.unit);
        let decl = &unit.decls[canonical.decl];
        let full_name = self.session.interner.name(decl.name);
        let prefixes = [models::QUIET_PREFIX, models::CANCELLABLE_PREFIX];
        let plain_name = prefixes.iter().find_map(|prefix| full_name.strip_prefix(prefix));
        let source_name = plain_name.unwrap_or(full_name).to_owned();
        let is_internal = matches!(&decl.kind, DeclKind::Function(function) if function.linkage == Linkage::Internal);
        let name = if is_internal { self.internal_name(&unit, &source_name) } else { source_name.clone() };
        let name = self.unique_name(&name);
        let loc = self.loc(decl.span);
        let mask = self.options.interrupts.mask(&source_name, is_defined);
        let id = self.program.functions.push(Function {
            name,
            source_name,
            params: Vec::new(),
            is_variadic: false,
            ret: None,
            regs: Default::default(),
            slots: Default::default(),
            blocks: Default::default(),
            // A body that we make up is no code of the user's: traces fold it.
            is_model: !is_defined || mask.is_some() || self.units[canonical.unit].is_model,
            loc,
        });
        if !is_defined && let Some((message, help)) = intrinsic::unknown(&self.program.functions[id].source_name) {
            self.session.diagnostics.push(Diagnostic::new(Severity::Error, decl.span, message).help(help));
        }
        self.functions.insert(canonical, id);
        self.work.push(match mask {
            Some(mask) => Work::Mask(id, canonical, mask),
            None if is_defined => Work::Function(id, canonical),
            None => Work::Stub(id, canonical),
        });
        id
    }

    /// A static name keeps its plain form unless another unit might have it too.
    pub(super) fn internal_name(&self, unit: &Unit, name: &str) -> String {
        let n_users = self.units.iter().filter(|entry| !entry.is_model).count();
        let mut kinds = [Kind::Function, Kind::Object].into_iter();
        let is_shared = n_users > 1 || kinds.any(|kind| self.symbols.contains_key(&(name.to_owned(), kind)));
        if is_shared { format!("{}::{name}", unit.name) } else { name.to_owned() }
    }

    /// Whether a declaration means a function that the checked program itself defines.
    pub(super) fn has_users_body(&mut self, at: DeclRef) -> bool {
        matches!(self.resolve(at), Target::Defined(def) if !self.units[def.unit].is_model)
    }

    /// How the definition behind a declaration wants to be called; `None` if there is no definition.
    pub(super) fn defined_signature(&mut self, at: DeclRef) -> Option<Signature> {
        let Target::Defined(def) = self.resolve(at) else { return None };
        let unit = self.unit(def.unit);
        let decl = &unit.decls[def.decl];
        let function = class::function_type(&unit.types, decl.ty.ty)?;
        let mut signature = class::signature(&unit.types, function);
        // An old-style definition has parameters although its type names none.
        if let DeclKind::Function(function) = &decl.kind
            && !signature.has_prototype
        {
            let params = function.params.iter().map(|param| unit.decls[*param].ty.ty);
            signature.params = params.filter_map(|ty| class::pass(&unit.types, ty)).collect();
        }
        Some(signature)
    }

    /// The number of a static object, which gets its contents in time.
    pub(super) fn global_id(&mut self, at: DeclRef, enclosing: Option<&str>) -> GlobalId {
        let (canonical, is_defined) = match self.resolve(at) {
            Target::Defined(def) => (def, true),
            Target::Undefined(first) => (first, false),
        };
        if let Some(&id) = self.globals.get(&canonical) {
            return id;
        }
        let id = self.new_global(canonical, is_defined, enclosing);
        self.globals.insert(canonical, id);
        if is_defined {
            self.work.push(Work::Global(id, canonical));
        }
        id
    }
}

/// How strongly a declaration defines its external name; `None` without external linkage.
fn strength_of(decl: &Decl, is_model: bool) -> Option<Strength> {
    let strength = match &decl.kind {
        DeclKind::Function(function) => {
            if function.linkage != Linkage::External {
                return None;
            }
            match (function.body.is_some() || function.alias.is_some(), function.is_inline_only, function.is_weak) {
                (false, ..) => Strength::None,
                (true, true, _) => Strength::Inline,
                (true, false, true) => Strength::Weak,
                (true, false, false) => Strength::Strong,
            }
        }
        DeclKind::Var(var) => {
            if var.linkage != Linkage::External || matches!(var.storage, Storage::Automatic | Storage::Parameter) {
                return None;
            }
            match (var.is_declared_only, var.is_tentative, var.is_weak) {
                (true, ..) => Strength::None,
                (false, true, _) => Strength::Common,
                (false, false, true) => Strength::Weak,
                (false, false, false) => Strength::Strong,
            }
        }
        DeclKind::Enumerator { .. } | DeclKind::Typedef => return None,
    };
    Some(if is_model && strength > Strength::Model { Strength::Model } else { strength })
}

fn asm_label(decl: &Decl) -> Option<&str> {
    match &decl.kind {
        DeclKind::Function(function) => function.asm_label.as_deref(),
        DeclKind::Var(var) => var.asm_label.as_deref(),
        DeclKind::Enumerator { .. } | DeclKind::Typedef => None,
    }
}

fn is_inline(decl: &Decl) -> bool {
    matches!(&decl.kind, DeclKind::Function(function) if function.is_inline)
}

/// Whether two types of two units have the same representation as far as both are known. Signedness and
/// pointees may differ: that is sloppy, but every compiler and linker gives it a meaning.
fn compatible(left: &TypeTable, a: TyId, right: &TypeTable, b: TyId, depth: u32) -> bool {
    if depth > 8 {
        return true;
    }
    match (left.get(a), right.get(b)) {
        (Type::Error | Type::Unknown(_), _) | (_, Type::Error | Type::Unknown(_)) => true,
        (Type::Array { element: x, extent: m }, Type::Array { element: y, extent: n }) => {
            let same_length = match (m, n) {
                (ArrayExtent::Fixed(m), ArrayExtent::Fixed(n)) => m == n,
                _open => true,
            };
            same_length && compatible(left, x.ty, right, y.ty, depth + 1)
        }
        (Type::Function(f), Type::Function(g)) => {
            let same_params = !f.has_prototype
                || !g.has_prototype
                || (f.params.len() == g.params.len()
                    && f.is_variadic == g.is_variadic
                    && f.params.iter().zip(&g.params).all(|(x, y)| compatible(left, *x, right, *y, depth + 1)));
            same_params && compatible(left, f.ret.ty, right, g.ret.ty, depth + 1)
        }
        _other => {
            let (x, y) = (class::class_of(left, a), class::class_of(right, b));
            let (m, n) = (left.size_of(a), right.size_of(b));
            x == y && (x != Class::Memory || m.is_none() || n.is_none() || m == n)
        }
    }
}
