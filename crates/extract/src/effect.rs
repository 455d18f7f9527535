//! Effect analysis: the objects that fragments read and write, with one object for each field of a record type
//! (field-based, type-based aliasing).
//!
//! A field is one object for all records of its type, so that two pointers to the same record need no analysis to be
//! seen as such. Through a pointer to anything else, every object of that type whose address is taken may be meant;
//! through `char *` and `void *`, every such object. That is coarse, but it errs on the side that the check of a table
//! needs: it never overlooks a dependency, casts between records of different types aside.

use std::collections::{BTreeSet, HashMap};

use unpick_base::{IdVec, Interner, SourceMap, define_id};
use unpick_front_c::ast::{BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind, Linkage, Storage, Unit};
use unpick_front_c::types::{IntKind, RecordId, TyId, Type};

use crate::code::{Code, FragmentId, FragmentKind, FunctionId};
use crate::normal::{children, init_exprs};

define_id! {
    /// A variable, a field, or the result of a function.
    pub struct ObjectId("object");
}

/// What tells objects apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A variable with linkage.
    External(String),
    /// Any other variable of a unit.
    Internal(usize, DeclId),
    /// A field of the record that is defined at this place; those of a union are one object.
    Field(String, u32),
    /// What a function returns.
    Result(String, Option<usize>),
}

/// One object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub key: Key,
    /// Its name as users write it.
    pub name: String,
    /// Whether it lives as long as the program.
    pub is_shared: bool,
}

/// All objects.
#[derive(Default, Debug)]
pub struct Objects {
    all: IdVec<ObjectId, Object>,
    ids: HashMap<Key, ObjectId>,
}

impl Objects {
    /// The object with this id.
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.all[id]
    }

    /// The object that this tells from others.
    pub fn by_key(&self, key: &Key) -> Option<ObjectId> {
        self.ids.get(key).copied()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.all.iter_enumerated()
    }

    fn intern(&mut self, key: Key, name: &str, is_shared: bool) -> ObjectId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.all.push(Object { key: key.clone(), name: name.to_owned(), is_shared });
        self.ids.insert(key, id);
        id
    }

    /// What a function returns.
    pub fn result(&mut self, unit: usize, decl: DeclId, name: &str, is_static: bool) -> ObjectId {
        let place = is_static.then_some(unit * 1_000_000 + decl.0 as usize);
        self.intern(Key::Result(name.to_owned(), place), &format!("the result of {name}"), false)
    }
}

/// What a fragment reads and writes.
#[derive(Clone, Default, Debug)]
pub struct Effects {
    /// Objects read; also those that have to exist for the fragment to make sense.
    pub uses: BTreeSet<ObjectId>,
    /// Objects written.
    pub defs: BTreeSet<ObjectId>,
    /// Objects that unknown functions may write through pointers they are given.
    pub havoc: BTreeSet<ObjectId>,
    /// The function with a body that is called, and what each parameter gets.
    pub call: Option<(FunctionId, Vec<Binding>)>,
}

/// A parameter and its argument.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The parameter.
    pub param: ObjectId,
    /// The value.
    pub argument: ExprId,
    /// What the value is made of.
    pub uses: BTreeSet<ObjectId>,
}

impl Effects {
    /// Everything it touches.
    pub fn touched(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.uses.iter().chain(&self.defs).copied()
    }
}

/// Fills in the effects of all fragments.
pub fn analyse(code: &mut Code, interner: &Interner, sources: &SourceMap) {
    let locks = crate::library::lock_types(code, interner, sources).into_keys().collect();
    let mut analyser = Analyser { interner, sources, taken: Vec::new(), record_keys: HashMap::new(), locks };
    analyser.find_taken(code);
    // Objects of other units exist whether this one touches them or not.
    for (unit, decl) in code.undefined.clone() {
        variable(code, unit, decl, interner);
    }
    code.addressed = addressed(code, interner);
    for id in code.fragments.ids() {
        let effects = analyser.fragment(code, id);
        code.fragments[id].effects = effects;
    }
}

/// Functions whose names stand elsewhere than where they are called.
fn addressed(code: &Code, interner: &Interner) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for (index, unit) in code.units.iter().enumerate() {
        let callees = unit.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Call { callee, .. } => Some(match unit.exprs[callee].kind {
                ExprKind::Cast { operand, .. } => operand,
                _ => callee,
            }),
            _ => None,
        });
        let callees: BTreeSet<ExprId> = callees.collect();
        for (id, expr) in unit.exprs.iter_enumerated() {
            if let ExprKind::Decl(decl) = expr.kind
                && !callees.contains(&id)
            {
                found.extend(code.function_of(index, decl, interner.name(unit.decls[decl].name)));
            }
        }
    }
    found
}

/// The object of a variable, if it has been touched.
pub fn variable(code: &mut Code, unit: usize, decl: DeclId, interner: &Interner) -> ObjectId {
    let item = &code.units[unit].decls[decl];
    let name = interner.name(item.name).to_owned();
    let (linkage, is_shared) = match &item.kind {
        DeclKind::Var(var) => (var.linkage, !matches!(var.storage, Storage::Automatic | Storage::Parameter)),
        DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => (Linkage::None, true),
    };
    let key = match linkage {
        Linkage::External => Key::External(name.clone()),
        Linkage::Internal | Linkage::None => Key::Internal(unit, decl),
    };
    code.objects.intern(key, &name, is_shared)
}

struct Analyser<'a> {
    interner: &'a Interner,
    sources: &'a SourceMap,
    /// Objects whose address is taken, with what they consist of.
    taken: Vec<(ObjectId, Kind)>,
    record_keys: HashMap<(usize, RecordId), String>,
    /// Records that are locks, semaphores and the like: their fields belong to the library.
    locks: BTreeSet<String>,
}

/// What matters of a type for who may point to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Bytes,
    Int(u32),
    Pointer,
    Record(String),
    Other,
}

impl Analyser<'_> {
    fn kind(&mut self, unit: &Unit, index: usize, mut ty: TyId) -> Kind {
        while let Some(element) = unit.types.element_of(ty) {
            ty = element.ty;
        }
        match unit.types.get(ty) {
            Type::Void => Kind::Bytes,
            Type::Record(record) => Kind::Record(self.record_key(unit, index, *record)),
            Type::Pointer(_) | Type::NullPtr => Kind::Pointer,
            _ => match unit.types.int_kind_of(ty) {
                Some(IntKind::Char | IntKind::SChar | IntKind::UChar) => Kind::Bytes,
                Some(kind) => Kind::Int(kind.rank()),
                None => Kind::Other,
            },
        }
    }

    /// Records of one header have one key in all units.
    fn record_key(&mut self, unit: &Unit, index: usize, record: RecordId) -> String {
        if let Some(key) = self.record_keys.get(&(index, record)) {
            return key.clone();
        }
        let key = record_key(unit, record, index, self.sources);
        self.record_keys.insert((index, record), key.clone());
        key
    }

    fn find_taken(&mut self, code: &mut Code) {
        let mut seen = std::collections::HashSet::new();
        for index in 0..code.units.len() {
            let lent = lent(&code.units[index], self.interner);
            for expr in code.units[index].exprs.ids().filter(|expr| !lent.contains(expr)) {
                let place = match code.units[index].exprs[expr].kind {
                    ExprKind::AddrOf(place) => place,
                    ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } => operand,
                    _ => continue,
                };
                let mut effects = Effects::default();
                let Some(object) = self.named_place(code, index, place, &mut effects) else { continue };
                let kind = self.kind(&code.units[index], index, code.units[index].exprs[place].ty.ty);
                if seen.insert((object, kind.clone())) {
                    self.taken.push((object, kind));
                }
            }
        }
    }

    fn fragment(&mut self, code: &mut Code, id: FragmentId) -> Effects {
        let (unit, what, function) = {
            let fragment = &code.fragments[id];
            (fragment.unit, fragment.what, fragment.function)
        };
        let mut effects = Effects::default();
        match what {
            FragmentKind::Declaration(decl) => {
                let object = variable(code, unit, decl, self.interner);
                effects.defs.insert(object);
                let init = match &code.units[unit].decls[decl].kind {
                    DeclKind::Var(var) => var.init.clone(),
                    DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => None,
                };
                for expr in init.iter().flat_map(init_exprs) {
                    self.read(code, unit, expr, &mut effects);
                }
            }
            FragmentKind::Effect(expr) | FragmentKind::Stray(expr, _) => self.read(code, unit, expr, &mut effects),
            FragmentKind::Condition(expr) | FragmentKind::Assertion(expr) | FragmentKind::Assumption(expr) => {
                self.read(code, unit, expr, &mut effects);
            }
            FragmentKind::Return(expr) => {
                self.read(code, unit, expr, &mut effects);
                if let Some(function) = function {
                    effects.defs.insert(code.functions[function].result);
                }
            }
        }
        effects
    }

    /// Reads (and whatever else evaluating does).
    fn read(&mut self, code: &mut Code, unit: usize, expr: ExprId, effects: &mut Effects) {
        match code.units[unit].exprs[expr].kind.clone() {
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                for object in self.place(code, unit, operand, effects) {
                    effects.uses.insert(object);
                }
            }
            // The address alone: nothing is read, but the object has to be there.
            ExprKind::AddrOf(place) | ExprKind::Cast { kind: CastKind::ArrayDecay, operand: place, .. } => {
                let objects = self.place(code, unit, place, effects);
                effects.uses.extend(objects);
            }
            ExprKind::Assign { lhs, rhs } => {
                self.read(code, unit, rhs, effects);
                let objects = self.place(code, unit, lhs, effects);
                effects.defs.extend(objects);
            }
            ExprKind::CompoundAssign { lhs, rhs, .. } => {
                self.read(code, unit, rhs, effects);
                let objects = self.place(code, unit, lhs, effects);
                effects.uses.extend(objects.iter().copied());
                effects.defs.extend(objects);
            }
            ExprKind::IncDec { lhs, .. } => {
                let objects = self.place(code, unit, lhs, effects);
                effects.uses.extend(objects.iter().copied());
                effects.defs.extend(objects);
            }
            ExprKind::Call { callee, args } => self.call(code, unit, callee, &args, effects),
            ExprKind::Builtin { args, .. } => {
                for arg in args {
                    self.read(code, unit, arg, effects);
                    self.handed_over(code, unit, arg, false, effects);
                }
            }
            kind @ (ExprKind::Decl(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Str { .. }) => {
                // A place whose value and address are unused.
                for child in children(&kind) {
                    self.read(code, unit, child, effects);
                }
            }
            kind => {
                for child in children(&kind) {
                    self.read(code, unit, child, effects);
                }
            }
        }
    }

    fn call(&mut self, code: &mut Code, unit: usize, callee: ExprId, args: &[ExprId], effects: &mut Effects) {
        let function = direct_callee(&code.units[unit], callee).and_then(|decl| {
            let name = self.interner.name(code.units[unit].decls[decl].name).to_owned();
            code.function_of(unit, decl, &name)
        });
        if direct_callee(&code.units[unit], callee).is_none() {
            self.read(code, unit, callee, effects);
        }
        if let Some(function) = function {
            let (params, params_unit) = (code.functions[function].params.clone(), code.functions[function].unit);
            let mut bindings = Vec::new();
            for (param, argument) in params.iter().zip(args) {
                let mut inner = Effects::default();
                self.read(code, unit, *argument, &mut inner);
                let param = variable(code, params_unit, *param, self.interner);
                effects.havoc.extend(inner.havoc);
                bindings.push(Binding { param, argument: *argument, uses: inner.uses });
            }
            effects.uses.insert(code.functions[function].result);
            effects.call = Some((function, bindings));
            return;
        }
        let prototype = prototype(&code.units[unit], callee);
        let name = direct_callee(&code.units[unit], callee).map(|decl| code.units[unit].decls[decl].name);
        let only_reads = name.is_some_and(|name| crate::library::only_reads(self.interner.name(name)));
        for (position, arg) in args.iter().enumerate() {
            self.read(code, unit, *arg, effects);
            let is_read_only = prototype.as_ref().is_some_and(|params| params.get(position).copied().unwrap_or(false));
            self.handed_over(code, unit, *arg, is_read_only || only_reads, effects);
        }
    }

    /// What a function may write that gets this value.
    fn handed_over(&mut self, code: &mut Code, unit: usize, arg: ExprId, is_read_only: bool, effects: &mut Effects) {
        let Some(pointee) = code.units[unit].types.pointee_of(code.units[unit].exprs[arg].ty.ty) else { return };
        if is_read_only || pointee.is_const() || code.units[unit].types.is_function(pointee.ty) {
            return;
        }
        let mut value = arg;
        while let ExprKind::Cast { operand, kind: CastKind::PointerToPointer | CastKind::NoOp, .. } =
            code.units[unit].exprs[value].kind
        {
            value = operand;
        }
        match code.units[unit].exprs[value].kind {
            ExprKind::AddrOf(place) | ExprKind::Cast { kind: CastKind::ArrayDecay, operand: place, .. } => {
                let objects = self.place(code, unit, place, &mut Effects::default());
                effects.havoc.extend(objects);
                self.fields_below(code, unit, code.units[unit].exprs[place].ty.ty, &mut effects.havoc);
            }
            ExprKind::Cast { kind: CastKind::NullToPointer, .. } | ExprKind::Int(_) => {}
            _ => {
                let objects = self.pointed(code, unit, value);
                effects.havoc.extend(objects);
                let pointee = code.units[unit].types.pointee_of(code.units[unit].exprs[value].ty.ty);
                if let Some(pointee) = pointee {
                    self.fields_below(code, unit, pointee.ty, &mut effects.havoc);
                }
            }
        }
    }

    /// The fields of a record, and of the records in it.
    fn fields_below(&mut self, code: &mut Code, unit: usize, mut ty: TyId, into: &mut BTreeSet<ObjectId>) {
        while let Some(element) = code.units[unit].types.element_of(ty) {
            ty = element.ty;
        }
        let Some(record) = code.units[unit].types.record_of(ty) else { return };
        let key = self.record_key(&code.units[unit], unit, record);
        if self.locks.contains(&key) {
            return;
        }
        let types: Vec<TyId> = code.units[unit].types.records[record].fields.iter().map(|field| field.ty.ty).collect();
        for (index, ty) in types.into_iter().enumerate() {
            let object = self.field(code, unit, record, index as u32);
            if into.insert(object) {
                self.fields_below(code, unit, ty, into);
            }
        }
    }

    fn field(&mut self, code: &mut Code, unit: usize, record: RecordId, index: u32) -> ObjectId {
        let key = self.record_key(&code.units[unit], unit, record);
        let item = &code.units[unit].types.records[record];
        let position = if item.is_union { 0 } else { index };
        let name = item.fields.get(index as usize).and_then(|field| field.name);
        let name = name.map_or("(unnamed)".to_owned(), |name| self.interner.name(name).to_owned());
        code.objects.intern(Key::Field(key, position), &name, true)
    }

    /// The objects an lvalue may mean; what it takes to get there is read.
    fn place(&mut self, code: &mut Code, unit: usize, expr: ExprId, effects: &mut Effects) -> Vec<ObjectId> {
        let mut objects: Vec<ObjectId> = match self.named_place(code, unit, expr, effects) {
            Some(object) => vec![object],
            None => match code.units[unit].exprs[expr].kind {
                ExprKind::Deref(pointer) => {
                    self.read(code, unit, pointer, effects);
                    self.pointed(code, unit, pointer)
                }
                ExprKind::Index { base, index } => {
                    self.read(code, unit, index, effects);
                    self.place(code, unit, base, effects)
                }
                ExprKind::Member { base, .. } => self.place(code, unit, base, effects),
                _ => {
                    self.read(code, unit, expr, effects);
                    Vec::new()
                }
            },
        };
        // A whole record is all of its fields.
        let ty = code.units[unit].exprs[expr].ty.ty;
        let mut fields = BTreeSet::new();
        self.fields_below(code, unit, ty, &mut fields);
        objects.extend(fields);
        objects
    }

    /// The object that an lvalue names without going through pointers to anything but records.
    fn named_place(&mut self, code: &mut Code, unit: usize, expr: ExprId, effects: &mut Effects) -> Option<ObjectId> {
        match code.units[unit].exprs[expr].kind {
            ExprKind::Decl(decl) => match code.units[unit].decls[decl].kind {
                DeclKind::Var(_) => Some(variable(code, unit, decl, self.interner)),
                DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => None,
            },
            ExprKind::Index { base, index } => {
                let object = self.named_place(code, unit, base, effects)?;
                self.read(code, unit, index, effects);
                Some(object)
            }
            ExprKind::Member { base, record, index } => {
                self.container(code, unit, base, effects);
                Some(self.field(code, unit, record, index))
            }
            ExprKind::Deref(pointer) => {
                let (array, index) = indexed_array(&code.units[unit], pointer)?;
                let object = self.named_place(code, unit, array, effects)?;
                if let Some(index) = index {
                    self.read(code, unit, index, effects);
                }
                Some(object)
            }
            _ => None,
        }
    }

    /// What has to be there for a member to be there.
    fn container(&mut self, code: &mut Code, unit: usize, base: ExprId, effects: &mut Effects) {
        match code.units[unit].exprs[base].kind {
            ExprKind::Deref(pointer) if indexed_array(&code.units[unit], pointer).is_none() => {
                self.read(code, unit, pointer, effects);
                // Whatever it points to has to be there as well.
                let objects = self.pointed(code, unit, pointer);
                effects.uses.extend(objects);
            }
            _ => {
                if let Some(object) = self.named_place(code, unit, base, effects) {
                    effects.uses.insert(object);
                } else {
                    self.read(code, unit, base, effects);
                }
            }
        }
    }

    /// What a pointer may point to.
    fn pointed(&mut self, code: &mut Code, unit: usize, pointer: ExprId) -> Vec<ObjectId> {
        let pointee = code.units[unit].types.pointee_of(code.units[unit].exprs[pointer].ty.ty);
        let kind = pointee.map_or(Kind::Bytes, |pointee| self.kind(&code.units[unit], unit, pointee.ty));
        let may_be = |taken: &Kind| match (&kind, taken) {
            (Kind::Bytes, _) | (_, Kind::Bytes) => true,
            (kind, taken) => kind == taken,
        };
        self.taken.iter().filter(|(_, taken)| may_be(taken)).map(|(object, _)| *object).collect()
    }
}

/// Addresses that functions of the C library get and forget again.
pub fn lent(unit: &Unit, interner: &Interner) -> BTreeSet<ExprId> {
    let mut lent = BTreeSet::new();
    for expr in unit.exprs.iter() {
        let ExprKind::Call { callee, args } = &expr.kind else { continue };
        let name = direct_callee(unit, *callee).map(|decl| interner.name(unit.decls[decl].name));
        if !name.is_some_and(crate::library::forgets) {
            continue;
        }
        for arg in args {
            let mut value = *arg;
            while let ExprKind::Cast { operand, kind: CastKind::PointerToPointer | CastKind::NoOp, .. } =
                unit.exprs[value].kind
            {
                value = operand;
            }
            lent.insert(value);
        }
    }
    lent
}

/// `a[i]` and `*a` where `a` is an array, not a pointer.
pub fn indexed_array(unit: &Unit, pointer: ExprId) -> Option<(ExprId, Option<ExprId>)> {
    match unit.exprs[pointer].kind {
        ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } => Some((operand, None)),
        ExprKind::Binary(BinaryOp::PtrAdd, base, index) => match unit.exprs[base].kind {
            ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } => Some((operand, Some(index))),
            _ => None,
        },
        _ => None,
    }
}

/// What tells a record from others in all units of a program.
pub fn record_key(unit: &Unit, record: RecordId, index: usize, sources: &SourceMap) -> String {
    let item = &unit.types.records[record];
    match sources.place(item.span.lo) {
        Some(place) => format!("{}:{}:{}", place.file, place.line, place.column),
        None => format!("{index}:{}", record.0),
    }
}

/// The function that is called by name.
pub fn direct_callee(unit: &Unit, callee: ExprId) -> Option<DeclId> {
    match unit.exprs[callee].kind {
        ExprKind::Cast { operand, .. } | ExprKind::Deref(operand) | ExprKind::AddrOf(operand) => {
            direct_callee(unit, operand)
        }
        ExprKind::Decl(decl) => matches!(unit.decls[decl].kind, DeclKind::Function(_)).then_some(decl),
        _ => None,
    }
}

/// For each parameter, whether it is a pointer to something constant.
fn prototype(unit: &Unit, callee: ExprId) -> Option<Vec<bool>> {
    let pointee = unit.types.pointee_of(unit.exprs[callee].ty.ty).map_or(unit.exprs[callee].ty.ty, |to| to.ty);
    let Type::Function(function) = unit.types.get(pointee) else { return None };
    let is_constant = |ty: &TyId| unit.types.pointee_of(*ty).is_some_and(|to| to.is_const());
    Some(function.params.iter().map(is_constant).collect())
}
