//! Context of translation: how the program's data is held, and what can be expressed in Promela.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use unpick_base::{Interner, SourceMap};
use unpick_front_c::ast::{DeclId, DeclKind, ExprId, ExprKind, Init, Linkage, Storage};
use unpick_front_promela::syntax::Name;

use crate::code::{Code, Fragment, FragmentKind, FunctionId};
use crate::effect::{Key, ObjectId, direct_callee};
use crate::embed::{Embedder, Embedding, NameOf, holdable};
use crate::pool::Pools;
use crate::shape::{Shape, Shapes, Untranslatable, wrapped};
use crate::translate::Translator;

/// A program and how its data is held.
pub struct Context<'a> {
    /// The program.
    pub code: &'a Code,
    /// Names.
    pub interner: &'a Interner,
    /// Texts.
    pub sources: &'a SourceMap,
    /// How types are held.
    pub shapes: Shapes<'a>,
    /// Objects that the library knows better than their type.
    library_shapes: HashMap<ObjectId, Shape>,
    /// Objects by what tells them apart.
    ids: HashMap<Key, ObjectId>,
    /// Enumerators by name, where the name means nothing else.
    pub constants: BTreeMap<String, i128>,
    /// What pointers may point to.
    pub pools: Rc<Pools>,
    /// Whether `malloc` may fail.
    pub malloc_fails: bool,
    /// What stays C, if anything does.
    pub embedding: Option<Embedding>,
    /// Enumerators that the model mentions.
    pub used: RefCell<BTreeMap<String, i32>>,
}

impl<'a> Context<'a> {
    /// Looks at a program; `library_shapes` are objects whose shape the library knows, `mentioned` the names in texts of Promela
    /// if data stays C, `single` local objects of which there is one at a time.
    pub fn new(
        code: &'a Code,
        interner: &'a Interner,
        sources: &'a SourceMap,
        library_shapes: HashMap<ObjectId, Shape>,
        mentioned: Option<HashSet<String>>,
        single: &HashSet<(usize, DeclId)>,
    ) -> Context<'a> {
        let mut fields = HashMap::new();
        for (object, shape) in &library_shapes {
            if let Key::Field(record, position) = &code.objects.get(*object).key {
                fields.insert((record.clone(), *position), shape.clone());
            }
        }
        // Types, processes and variables of a model share their names.
        let taken = code.functions.iter().map(|function| function.name.clone());
        let taken = taken.chain(code.objects.iter().map(|(_, object)| object.name.clone())).collect();
        let open = crate::shape::open_enums(&code.units, sources);
        // C keeps the locks that lie in its records, in their first byte.
        let locks = match mentioned {
            Some(_) => HashMap::new(),
            None => crate::library::lock_types(code, interner, sources),
        };
        // C has pointers of its own.
        let pools = match mentioned {
            Some(_) => Rc::new(Pools::default()),
            None => Rc::new(Pools::new(code, interner, sources, single)),
        };
        let ids: HashMap<Key, ObjectId> = code.objects.iter().map(|(id, object)| (object.key.clone(), id)).collect();
        let object = |unit: usize, decl: DeclId| object(code, interner, &ids, unit, decl);
        let embedding = mentioned.map(|mentioned| Embedding::new(code, interner, sources, mentioned, object));
        Context {
            embedding,
            code,
            interner,
            sources,
            shapes: Shapes::new(interner, sources, fields, taken, pools.clone(), union_members(code, sources), open)
                .with_locks(locks),
            library_shapes,
            ids,
            constants: constants(code, interner),
            pools,
            malloc_fails: false,
            used: RefCell::default(),
        }
    }

    /// The object of a variable, if anything touches it.
    pub fn object(&self, unit: usize, decl: DeclId) -> Option<ObjectId> {
        object(self.code, self.interner, &self.ids, unit, decl)
    }

    /// Whether a variable stays C.
    pub fn is_embedded(&self, unit: usize, decl: DeclId) -> bool {
        let Some(embedding) = &self.embedding else { return false };
        let object = self.object(unit, decl);
        if object.is_some_and(|object| embedding.escapes(object)) {
            return true;
        }
        let item = &self.code.units[unit].decls[decl];
        let is_mentioned = embedding.mentions(self.interner.name(item.name));
        let has_library_shape = object.is_some_and(|object| self.library_shapes.contains_key(&object));
        let is_promela = is_mentioned && self.shapes.shape(&self.code.units[unit], unit, item.ty.ty).is_ok();
        !has_library_shape && !is_promela
    }

    /// Whether the model can hold a variable, one way or the other.
    pub fn holds(&self, unit: usize, decl: DeclId) -> Result<(), Untranslatable> {
        if !self.is_embedded(unit, decl) {
            return self.variable(unit, decl).map(|_| ());
        }
        let item = &self.code.units[unit].decls[decl];
        holdable(&self.code.units[unit], item.ty.ty).map_err(|why| format!("`{}` {why}", self.interner.name(item.name)))
    }

    /// How a variable is held.
    pub fn variable(&self, unit: usize, decl: DeclId) -> Result<Shape, Untranslatable> {
        let item = &self.code.units[unit].decls[decl];
        if self.is_embedded(unit, decl) {
            return Err(format!("`{}` is held as C", self.interner.name(item.name)));
        }
        if let Some(shape) = self.object(unit, decl).and_then(|object| self.library_shapes.get(&object)) {
            return Ok(wrapped(&self.code.units[unit], item.ty.ty, shape.clone()));
        }
        if let DeclKind::Var(var) = &item.kind
            && matches!(var.storage, unpick_front_c::ast::Storage::ThreadLocal)
        {
            return Err(format!("`{}` is another object in each thread", self.interner.name(item.name)));
        }
        let shape = self.shapes.shape(&self.code.units[unit], unit, item.ty.ty);
        shape.map_err(|why| format!("`{}` {why}", self.interner.name(item.name)))
    }

    /// Whether the library gives the object its shape.
    pub fn has_library_shape(&self, unit: usize, decl: DeclId) -> bool {
        self.object(unit, decl).is_some_and(|object| self.library_shapes.contains_key(&object))
    }

    /// Translates with the names of the source, to see whether it can be done.
    pub fn probe<T>(
        &self,
        unit: usize,
        ask: impl FnOnce(&Translator<'_>) -> Result<T, Untranslatable>,
    ) -> Result<T, Untranslatable> {
        let variable = |unit: usize, decl: DeclId| -> Result<(Name, Shape), Untranslatable> {
            let shape = self.variable(unit, decl)?;
            let name = self.interner.name(self.code.units[unit].decls[decl].name);
            Ok((Name::from(crate::names::allowed(name)), shape))
        };
        let name = |unit: usize, decl: DeclId| {
            self.holds(unit, decl)?;
            Ok(self.interner.name(self.code.units[unit].decls[decl].name).to_owned())
        };
        self.translate(unit, &variable, &name, ask)
    }

    /// Translates with these names.
    pub fn translate<T>(
        &self,
        unit: usize,
        variable: &dyn Fn(usize, DeclId) -> Result<(Name, Shape), Untranslatable>,
        name: &NameOf<'_>,
        ask: impl FnOnce(&Translator<'_>) -> Result<T, Untranslatable>,
    ) -> Result<T, Untranslatable> {
        let is_allocation = |unit: usize, expr: ExprId| {
            crate::pool::is_allocation(self.code, &self.code.units[unit], unit, expr, self.interner)
        };
        let is_holdable = |unit: usize, decl: DeclId| self.variable(unit, decl).is_ok();
        let embedder = Embedder::new(self, unit, name);
        ask(&Translator {
            is_holdable: &is_holdable,
            embedder: embedder.as_ref(),
            pinned: None,
            unit: &self.code.units[unit],
            index: unit,
            shapes: &self.shapes,
            interner: self.interner,
            sources: self.sources,
            variable,
            constants: &self.constants,
            pools: &self.pools,
            known: &self.code.known,
            is_allocation: &is_allocation,
            malloc_fails: self.malloc_fails,
            used: &self.used,
        })
    }

    /// Asks for embedded C with the names of the source, to see whether it can be done.
    pub fn embed<T>(
        &self,
        unit: usize,
        ask: impl FnOnce(&Embedder<'_>) -> Result<T, Untranslatable>,
    ) -> Result<T, Untranslatable> {
        self.probe(unit, |translator| match translator.embedder {
            Some(embedder) => ask(embedder),
            None => Err("is not held as C".into()),
        })
    }

    /// Whether the model can hold and do what a fragment says, calls of functions with bodies aside.
    pub fn representable(&self, fragment: &Fragment) -> Result<(), Untranslatable> {
        let unit = fragment.unit;
        match fragment.what {
            FragmentKind::Declaration(decl) if self.is_embedded(unit, decl) => {
                self.holds(unit, decl)?;
                let item = &self.code.units[unit].decls[decl];
                let DeclKind::Var(var) = &item.kind else { return Ok(()) };
                let is_static = !matches!(var.storage, Storage::Automatic | Storage::Parameter);
                match &var.init {
                    Some(init) if is_static => {
                        self.embed(unit, |embedder| embedder.static_init(init, item.ty.ty)).map(|_| ())
                    }
                    Some(init) => self.embed(unit, |embedder| embedder.initial(init, "object", item.ty.ty)).map(|_| ()),
                    None => Ok(()),
                }
            }
            FragmentKind::Declaration(decl) => {
                let shape = self.variable(unit, decl)?;
                if self.has_library_shape(unit, decl) {
                    return self.plain_lock(unit, decl);
                }
                match &self.code.units[unit].decls[decl].kind {
                    DeclKind::Var(var) => var.init.as_ref().map_or(Ok(()), |init| self.initialiser(unit, init, &shape)),
                    DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => Ok(()),
                }
            }
            FragmentKind::Effect(expr) => {
                if self.called(unit, expr).is_some() {
                    return Ok(());
                }
                if let Some((lhs, rhs, call)) = self.assigned_call(unit, expr) {
                    return self.probe(unit, |translator| {
                        if translator.embedded(lhs).is_some() && translator.place(lhs).is_err() {
                            return Ok(());
                        }
                        translator.returned(rhs, call, crate::translate::int(0))?;
                        translator.place(lhs).map(|_| ())
                    });
                }
                self.probe(unit, |translator| translator.effect(expr).map(|_| ()))
            }
            FragmentKind::Stray(_, pointer) => self.probe(unit, |translator| translator.expr(pointer).map(|_| ())),
            FragmentKind::Condition(expr)
            | FragmentKind::Assertion(expr)
            | FragmentKind::Assumption(expr)
            | FragmentKind::Return(expr) => self.probe(unit, |translator| translator.expr(expr).map(|_| ())),
        }
    }

    /// Whether what the library gives a shape starts like any other of its kind: locks of special kinds have numbers in
    /// their initialisers.
    fn plain_lock(&self, unit: usize, decl: DeclId) -> Result<(), Untranslatable> {
        let DeclKind::Var(var) = &self.code.units[unit].decls[decl].kind else { return Ok(()) };
        var.init.as_ref().map_or(Ok(()), |init| self.plain_start(unit, init))
    }

    fn plain_start(&self, unit: usize, init: &Init) -> Result<(), Untranslatable> {
        let tree = &self.code.units[unit];
        let mut open: Vec<ExprId> = crate::normal::init_exprs(init);
        while let Some(expr) = open.pop() {
            let kind = &tree.exprs[expr].kind;
            open.extend(crate::normal::children(kind));
            if matches!(kind, ExprKind::Int(value) if *value != 0) {
                return Err("is not the plain kind".into());
            }
        }
        Ok(())
    }

    fn initialiser(&self, unit: usize, init: &Init, shape: &Shape) -> Result<(), Untranslatable> {
        match (init, shape) {
            (init, Shape::Scalar(scalar)) if scalar.is_lock => self.plain_start(unit, init),
            (Init::Expr(expr), Shape::Scalar(_)) => self.probe(unit, |translator| {
                let place = crate::translate::var_ref(Name::from("place"));
                match translator.allocated(*expr, &place) {
                    Some(_) => Ok(()),
                    None => translator.expr(*expr).map(|_| ()),
                }
            }),
            (Init::Expr(expr), _) => match self.code.units[unit].exprs[*expr].kind {
                ExprKind::Cast { operand, .. } => self.probe(unit, |translator| translator.place(operand).map(|_| ())),
                _ => Err("is a whole record".into()),
            },
            (Init::Str { .. }, _) => Ok(()),
            (Init::List { entries, .. }, Shape::Array(element, _)) => {
                entries.iter().try_for_each(|entry| self.initialiser(unit, &entry.init, element))
            }
            (Init::List { entries, .. }, Shape::Record(key)) => entries.iter().try_for_each(|entry| {
                match self.shapes.field(key, entry.index as u32) {
                    Some((_, shape)) => self.initialiser(unit, &entry.init, &shape),
                    // What is not held needs no value.
                    None => Ok(()),
                }
            }),
            (Init::List { entries, .. }, Shape::Scalar(_)) => {
                entries.iter().try_for_each(|entry| self.initialiser(unit, &entry.init, shape))
            }
        }
    }

    /// The function with a body that an expression calls, and with which arguments.
    pub fn called(&self, unit: usize, expr: ExprId) -> Option<(FunctionId, Vec<ExprId>)> {
        let tree = &self.code.units[unit];
        match &tree.exprs[expr].kind {
            ExprKind::Call { callee, args } => {
                let decl = direct_callee(tree, *callee)?;
                let name = self.interner.name(tree.decls[decl].name);
                Some((self.code.function_of(unit, decl, name)?, args.clone()))
            }
            _ => None,
        }
    }

    /// The function with a body that an expression names without calling it.
    pub fn designated(&self, unit: usize, expr: ExprId) -> Option<FunctionId> {
        designated(self.code, self.interner, unit, expr)
    }

    /// `lhs = f(...)` where `f` has a body: the left side, the right side and the call in it.
    pub fn assigned_call(&self, unit: usize, expr: ExprId) -> Option<(ExprId, ExprId, ExprId)> {
        let tree = &self.code.units[unit];
        let ExprKind::Assign { lhs, rhs } = tree.exprs[expr].kind else { return None };
        let mut call = rhs;
        while let ExprKind::Cast { operand, .. } = tree.exprs[call].kind {
            call = operand;
        }
        self.called(unit, call).map(|_| (lhs, rhs, call))
    }

    /// Whether a fragment is one step for the others in any case: `x++` and `x += 1` where `x` is atomic, `malloc`,
    /// `free`.
    pub fn is_atomic_update(&self, fragment: &Fragment) -> bool {
        let FragmentKind::Effect(expr) = fragment.what else { return false };
        let unit = &self.code.units[fragment.unit];
        match unit.exprs[expr].kind {
            // `free`, and `malloc` below.
            ExprKind::Call { .. } => true,
            ExprKind::Assign { rhs, .. } => {
                crate::pool::is_allocation(self.code, unit, fragment.unit, rhs, self.interner)
            }
            ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => unit.exprs[lhs].ty.is_atomic(),
            _ => false,
        }
    }

    /// `file:line` of a fragment.
    pub fn place(&self, fragment: &Fragment) -> String {
        match self.sources.place(fragment.span.lo) {
            Some(place) => format!("{}:{}", place.file, place.line),
            None => "?".into(),
        }
    }

    /// The line of a fragment.
    pub fn line(&self, fragment: &Fragment) -> u32 {
        self.sources.place(fragment.span.lo).map_or(0, |place| place.line)
    }
}

/// The function with a body that an expression names without calling it.
pub(crate) fn designated(code: &Code, interner: &Interner, unit: usize, expr: ExprId) -> Option<FunctionId> {
    let tree = &code.units[unit];
    match tree.exprs[expr].kind {
        ExprKind::Cast { operand, .. } | ExprKind::AddrOf(operand) => designated(code, interner, unit, operand),
        ExprKind::Decl(decl) => code.function_of(unit, decl, interner.name(tree.decls[decl].name)),
        _ => None,
    }
}

fn object(
    code: &Code,
    interner: &Interner,
    ids: &HashMap<Key, ObjectId>,
    unit: usize,
    decl: DeclId,
) -> Option<ObjectId> {
    let item = &code.units[unit].decls[decl];
    let DeclKind::Var(var) = &item.kind else { return None };
    let key = match var.linkage {
        Linkage::External => Key::External(interner.name(item.name).to_owned()),
        Linkage::Internal | Linkage::None => Key::Internal(unit, decl),
    };
    ids.get(&key).copied()
}

/// The members of unions that the program mentions; initialisers are not looked at.
fn union_members(code: &Code, sources: &SourceMap) -> HashMap<String, HashSet<u32>> {
    let mut members: HashMap<String, HashSet<u32>> = HashMap::new();
    for (index, unit) in code.units.iter().enumerate() {
        for node in unit.exprs.iter() {
            if let ExprKind::Member { record, index: member, .. } = node.kind
                && unit.types.records[record].is_union
            {
                let key = crate::effect::record_key(unit, record, index, sources);
                members.entry(key).or_default().insert(member);
            }
        }
    }
    members
}

/// Enumerators whose names nothing else in the program has.
fn constants(code: &Code, interner: &Interner) -> BTreeMap<String, i128> {
    let mut constants: BTreeMap<String, i128> = BTreeMap::new();
    let mut others = std::collections::HashSet::new();
    for unit in &code.units {
        for decl in unit.decls.iter() {
            let name = interner.name(decl.name);
            match decl.kind {
                DeclKind::Enumerator { value } => {
                    let known = constants.insert(name.to_owned(), value);
                    if known.is_some_and(|known| known != value) {
                        others.insert(name.to_owned());
                    }
                }
                DeclKind::Var(_) | DeclKind::Function(_) => {
                    others.insert(name.to_owned());
                }
                DeclKind::Typedef => {}
            }
        }
        let fields = unit.types.records.iter().flat_map(|record| &record.fields).filter_map(|field| field.name);
        others.extend(fields.map(|name| interner.name(name).to_owned()));
        others.extend(unit.labels.iter().map(|label| interner.name(label.name).to_owned()));
    }
    constants.retain(|name, _| !others.contains(name) && crate::names::allowed(name) == *name);
    constants
}
