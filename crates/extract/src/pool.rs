//! Pointers as numbers: for each pointee type a pool of the objects whose address is taken, and their numbers
//! (type-based points-to sets).
//!
//! Objects whose address is taken lie in the pool of their type: variables of static storage, local ones of functions that
//! run once at a time, fields, elements and rows of both. An array is as many objects in a row, so that arithmetic on
//! pointers is arithmetic on numbers; behind every object lies a number that means nothing. Zero is the null pointer.
//! Addresses of anything else have no number: an assignment of one cannot be said, and by the rules for what cannot be said
//! the pointer is then not in the model. So a pointer that is in the model holds a number of its pool. What `malloc` gives
//! for one object is an element of an array for its type, as many as may be allocated at a time. Functions whose address is
//! taken have numbers too; calls through pointers to them are taken apart before, see `normal`.
//!
//! What a pointer leads to is written out as a choice, so pools are kept small: where fields and local objects would make
//! one too large, it has whole objects of static storage only.

mod place;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use unpick_base::{Interner, SourceMap};
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Linkage, Storage, Unit};
use unpick_front_c::types::{ArrayExtent, TyId, Type};

use crate::code::{Code, FunctionId};
use crate::effect::{indexed_array, record_key};
pub use place::{Dimension, Part, Root, dimensions};
use place::{Start, element_way, passing, way};

/// Larger pools would only fill states.
const MAX_SIZE: u64 = 250;
/// More objects would only fill the text, where they are not of static storage.
const MAX_MEMBERS: usize = 24;

/// What a pointer points to, as far as pools are concerned.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pointee {
    /// A record.
    Record(String),
    /// A number of this kind.
    Int(String),
    /// A pointer.
    Pointer(Box<Pointee>),
    /// An array, as a row of a matrix is one.
    Array(Box<Pointee>, u64),
    /// A function.
    Function,
}

/// How many objects of a type may be allocated at the same time.
pub const HEAP: u64 = 4;

/// An object of a pool, or several that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// What it lies in.
    pub root: Root,
    /// Where it lies there.
    pub parts: Vec<Part>,
    /// The number of the first of them.
    pub first: u64,
}

/// The objects that pointers to one type may point to.
#[derive(Clone, Default, Debug)]
pub struct Pool {
    /// In order of their numbers.
    pub members: Vec<Member>,
    /// How many numbers there are.
    pub size: u64,
}

impl Pool {
    /// Whether an object or what lies there is a member.
    fn has(&self, root: &Root, parts: &[Part]) -> bool {
        self.members.iter().any(|member| member.root == *root && member.parts == parts)
    }

    /// Adds what is not there yet.
    fn add(&mut self, root: Root, parts: Vec<Part>) {
        if !self.has(&root, &parts) && dimensions(&parts).1 > 0 {
            self.push(root, parts);
        }
    }

    fn push(&mut self, root: Root, parts: Vec<Part>) {
        let first = self.size + 1;
        // One number behind it means nothing; fields bring one along.
        let (_, span) = dimensions(&parts);
        let has_gap = matches!(parts.last(), Some(Part::Field(..))) && !parts.is_empty();
        self.size = self.size.saturating_add(span).saturating_add(u64::from(!has_gap));
        self.members.push(Member { root, parts, first });
    }

    fn is_small(&self) -> bool {
        self.size <= MAX_SIZE && self.members.len() <= MAX_MEMBERS
    }
}

/// All pools of a program.
#[derive(Default, Debug)]
pub struct Pools {
    pools: BTreeMap<Pointee, Pool>,
    /// Which declaration speaks for the others of the same object.
    canonical: HashMap<(usize, DeclId), (usize, DeclId)>,
    /// Local objects with numbers.
    locals: BTreeSet<(usize, DeclId)>,
    /// Functions whose address is taken, in order of their numbers.
    functions: Vec<FunctionId>,
}

/// A taken address: where the way begins, its parts, and what lies there.
struct Taken {
    start: Start,
    parts: Vec<Part>,
    pointee: Pointee,
    unit: usize,
    /// Whether a pointer of the model may hold it.
    is_kept: bool,
}

impl Pools {
    /// Looks for addresses; `single` are local objects of which there is one at a time.
    pub fn new(code: &Code, interner: &Interner, sources: &SourceMap, single: &HashSet<(usize, DeclId)>) -> Pools {
        let mut pools = Pools::default();
        let mut known: HashMap<String, (usize, DeclId)> = HashMap::new();
        let taken = taken(code, interner, sources);
        // Whole objects of static storage come first.
        for item in &taken {
            if let (Start::Variable(decl), [] | [Part::Elements(_)]) = (&item.start, item.parts.as_slice())
                && is_static(&code.units[item.unit], *decl, sources)
            {
                let root = pools.canonical(code, item.unit, *decl, interner, &mut known);
                pools.add(item.pointee.clone(), root, item.parts.clone());
            }
        }
        pools.functions = taken_functions(code, interner);
        for (index, unit) in code.units.iter().enumerate() {
            for (expr, node) in unit.exprs.iter_enumerated() {
                let to = unit.types.pointee_of(node.ty.ty);
                if let (Some(to), true) = (to, is_allocation(code, unit, index, expr, interner)) {
                    pools.add_heap(unit, index, to.ty, interner, sources);
                }
            }
        }
        pools.extend(code, &taken, interner, sources, single, &mut known);
        pools
    }

    /// Gives numbers to parts of objects and to local objects, where that makes no pool too large.
    fn extend(
        &mut self,
        code: &Code,
        taken: &[Taken],
        interner: &Interner,
        sources: &SourceMap,
        single: &HashSet<(usize, DeclId)>,
        known: &mut HashMap<String, (usize, DeclId)>,
    ) {
        let before = self.pools.clone();
        let mut given_up: BTreeSet<Pointee> = BTreeSet::new();
        loop {
            let n_members: usize = self.pools.values().map(|pool| pool.members.len()).sum();
            for item in taken.iter().filter(|item| item.is_kept && !given_up.contains(&item.pointee)) {
                match &item.start {
                    Start::Variable(decl) => {
                        let is_local = single.contains(&(item.unit, *decl));
                        if is_local || is_static(&code.units[item.unit], *decl, sources) {
                            let root = self.canonical(code, item.unit, *decl, interner, known);
                            self.pools.entry(item.pointee.clone()).or_default().add(root, item.parts.clone());
                        }
                    }
                    Start::Behind(_) if item.parts.is_empty() => {}
                    Start::Behind(from) => {
                        for member in self.of(from).members {
                            let parts = [member.parts.as_slice(), &item.parts].concat();
                            self.pools.entry(item.pointee.clone()).or_default().add(member.root, parts);
                        }
                    }
                }
            }
            let large = self.pools.iter().find(|(_, pool)| !pool.is_small()).map(|(pointee, _)| pointee.clone());
            if let Some(pointee) = large.filter(|pointee| !given_up.contains(pointee)) {
                // Again from the start, because other pools have grown by this one.
                given_up.insert(pointee);
                self.pools = before.clone();
                continue;
            }
            if n_members == self.pools.values().map(|pool| pool.members.len()).sum::<usize>() {
                break;
            }
        }
        let members = self.pools.values().flat_map(|pool| &pool.members);
        let locals = members.filter_map(|member| match &member.root {
            Root::Variable(unit, decl) => Some((*unit, *decl)).filter(|variable| single.contains(variable)),
            Root::Heap(..) => None,
        });
        self.locals = locals.collect();
    }

    /// An object of several units is one.
    fn canonical(
        &mut self,
        code: &Code,
        index: usize,
        decl: DeclId,
        interner: &Interner,
        known: &mut HashMap<String, (usize, DeclId)>,
    ) -> Root {
        let item = &code.units[index].decls[decl];
        let is_linked = matches!(&item.kind, DeclKind::Var(var) if var.linkage == Linkage::External);
        let mut speaker = (index, decl);
        if is_linked {
            speaker = *known.entry(interner.name(item.name).to_owned()).or_insert(speaker);
        }
        self.canonical.insert((index, decl), speaker);
        Root::Variable(speaker.0, speaker.1)
    }

    /// Room for objects that are allocated.
    fn add_heap(&mut self, unit: &Unit, index: usize, ty: TyId, interner: &Interner, sources: &SourceMap) {
        let Some(pointee) = pointee(unit, index, ty, sources) else { return };
        let name = match unit.types.get(ty) {
            Type::Record(record) => match unit.types.records[*record].tag {
                Some(tag) => interner.name(tag).to_owned(),
                None => format!("record_{}", record.0),
            },
            _ => "numbers".to_owned(),
        };
        let n_pools = self.pools.len();
        let pool = self.pools.entry(pointee).or_default();
        let has_heap = pool.members.iter().any(|member| matches!(member.root, Root::Heap(..)));
        if has_heap || pool.size + HEAP >= MAX_SIZE {
            return;
        }
        pool.push(Root::Heap(format!("heap_{name}_{n_pools}"), index, ty), vec![Part::Elements(HEAP)]);
    }

    /// The arrays for what is allocated: name, unit and type.
    pub fn heaps(&self) -> Vec<(String, usize, TyId)> {
        let members = self.pools.values().flat_map(|pool| &pool.members);
        let heaps = members.filter_map(|member| match (&member.root, member.parts.as_slice()) {
            (Root::Heap(name, unit, ty), [Part::Elements(_)]) => Some((name.clone(), *unit, *ty)),
            (Root::Heap(..) | Root::Variable(..), _) => None,
        });
        heaps.collect()
    }

    /// The number of a function, if its address is taken.
    pub fn function(&self, function: FunctionId) -> Option<u64> {
        self.functions.iter().position(|known| *known == function).map(|at| at as u64 + 1)
    }

    fn add(&mut self, pointee: Pointee, root: Root, parts: Vec<Part>) {
        let pool = self.pools.entry(pointee).or_default();
        let (_, span) = dimensions(&parts);
        if span > 0 && pool.size.saturating_add(span) < MAX_SIZE {
            pool.add(root, parts);
        }
    }

    /// The pool that pointers to a type point into; an empty one if no address of such an object is known.
    pub fn of(&self, pointee: &Pointee) -> Pool {
        let is_function = *pointee == Pointee::Function;
        let size = self.functions.len() as u64;
        match self.pools.get(pointee) {
            Some(pool) => pool.clone(),
            None if is_function && size <= MAX_SIZE => Pool { members: Vec::new(), size },
            None => Pool::default(),
        }
    }

    /// The number of what lies somewhere, at the first index of each dimension, and the dimensions.
    pub fn number(&self, pointee: &Pointee, root: &Root, parts: &[Part]) -> Option<(u64, Vec<Dimension>)> {
        let root = match root {
            Root::Variable(unit, decl) => {
                let (unit, decl) = *self.canonical.get(&(*unit, *decl))?;
                Root::Variable(unit, decl)
            }
            Root::Heap(..) => root.clone(),
        };
        let members = &self.pools.get(pointee)?.members;
        let member = members.iter().find(|member| member.root == root && member.parts == parts)?;
        Some((member.first, dimensions(parts).0))
    }

    /// Whether a local object has a number: there is one of it at a time, and its address may be taken.
    pub fn has_local(&self, unit: usize, decl: DeclId) -> bool {
        self.locals.contains(&(unit, decl))
    }

    /// What has fields with numbers of their own.
    pub fn with_fields(&self) -> impl Iterator<Item = &Root> + '_ {
        let members = self.pools.values().flat_map(|pool| &pool.members);
        let has_field = |member: &&Member| member.parts.iter().any(|part| matches!(part, Part::Field(..)));
        members.filter(has_field).map(|member| &member.root)
    }

    /// All local objects with numbers.
    pub fn locals(&self) -> impl Iterator<Item = (usize, DeclId)> + '_ {
        self.locals.iter().copied()
    }
}

/// All addresses that are taken, in order.
fn taken(code: &Code, interner: &Interner, sources: &SourceMap) -> Vec<Taken> {
    let mut taken = Vec::new();
    for (index, unit) in code.units.iter().enumerate() {
        let bases = index_bases(unit);
        let has_body = |callee: ExprId| {
            let decl = crate::effect::direct_callee(unit, callee);
            decl.is_some_and(|decl| code.function_of(index, decl, interner.name(unit.decls[decl].name)).is_some())
        };
        let passing = passing(unit, has_body);
        for (expr, node) in unit.exprs.iter_enumerated() {
            let found = match node.kind {
                ExprKind::AddrOf(place) => way(unit, index, place, sources),
                ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } if !bases.contains(&expr) => {
                    element_way(unit, index, operand, sources)
                }
                _ => continue,
            };
            let to = unit.types.pointee_of(node.ty.ty);
            let pointee = to.and_then(|to| pointee(unit, index, to.ty, sources));
            if let (Some((start, parts)), Some(pointee)) = (found, pointee) {
                taken.push(Taken { start, parts, pointee, unit: index, is_kept: !passing.contains(&expr) });
            }
        }
    }
    taken
}

/// Whether a variable of the program's own lives as long as the program.
fn is_static(unit: &Unit, decl: DeclId, sources: &SourceMap) -> bool {
    let item = &unit.decls[decl];
    let DeclKind::Var(var) = &item.kind else { return false };
    !matches!(var.storage, Storage::Automatic | Storage::Parameter)
        && !sources.place(item.span.lo).is_some_and(|place| place.system)
}

/// What pointers to this type point to; `None` if they are not held at all.
pub fn pointee(unit: &Unit, index: usize, ty: TyId, sources: &SourceMap) -> Option<Pointee> {
    match unit.types.get(ty) {
        Type::Function(_) => Some(Pointee::Function),
        Type::Record(record) => Some(Pointee::Record(record_key(unit, *record, index, sources))),
        Type::Pointer(inner) => pointee(unit, index, inner.ty, sources).map(|inner| Pointee::Pointer(Box::new(inner))),
        Type::Array { element, extent: ArrayExtent::Fixed(len) } => {
            pointee(unit, index, element.ty, sources).map(|element| Pointee::Array(Box::new(element), *len))
        }
        _ => unit.types.int_kind_of(ty).map(|kind| Pointee::Int(format!("{kind:?}"))),
    }
}

/// Functions whose address is taken other than to call them.
pub fn taken_functions(code: &Code, interner: &Interner) -> Vec<FunctionId> {
    let mut functions = Vec::new();
    for (index, unit) in code.units.iter().enumerate() {
        let callees: HashSet<ExprId> = unit
            .exprs
            .iter()
            .filter_map(|node| match node.kind {
                ExprKind::Call { callee, .. } => Some(callee),
                _ => None,
            })
            .collect();
        for (_, node) in unit.exprs.iter_enumerated().filter(|(expr, _)| !callees.contains(expr)) {
            let (ExprKind::AddrOf(operand) | ExprKind::Cast { kind: CastKind::FunctionDecay, operand, .. }) = node.kind
            else {
                continue;
            };
            let ExprKind::Decl(decl) = unit.exprs[operand].kind else { continue };
            let function = code.function_of(index, decl, interner.name(unit.decls[decl].name));
            functions.extend(function.filter(|function| !functions.contains(function)));
        }
    }
    functions
}

/// Whether a pointer is what `malloc` gives for one object: `(T *)malloc(...)`, perhaps without the cast being written.
pub fn is_allocation(code: &Code, unit: &Unit, index: usize, expr: ExprId, interner: &Interner) -> bool {
    let ExprKind::Cast { kind: CastKind::PointerToPointer, operand, .. } = unit.exprs[expr].kind else { return false };
    let ExprKind::Call { callee, args } = &unit.exprs[operand].kind else { return false };
    let Some(decl) = crate::effect::direct_callee(unit, *callee) else { return false };
    let name = interner.name(unit.decls[decl].name);
    let of_one = |arg: &ExprId| {
        let size = unit.types.pointee_of(unit.exprs[expr].ty.ty).and_then(|to| unit.types.size_of(to.ty));
        matches!((&unit.exprs[bare(unit, *arg)].kind, size), (ExprKind::Int(value), Some(size)) if *value == i128::from(size))
    };
    let is_one = |arg: &ExprId| matches!(unit.exprs[bare(unit, *arg)].kind, ExprKind::Int(1));
    code.function_of(index, decl, name).is_none()
        && match (name, args.as_slice()) {
            ("malloc", [size]) => of_one(size),
            ("calloc", [count, size]) => is_one(count) && of_one(size),
            _ => false,
        }
}

fn bare(unit: &Unit, mut expr: ExprId) -> ExprId {
    while let ExprKind::Cast { operand, kind: CastKind::IntToInt | CastKind::NoOp, .. } = unit.exprs[expr].kind {
        expr = operand;
    }
    expr
}

/// Arrays that become pointers only to be indexed.
pub fn index_bases(unit: &Unit) -> HashSet<ExprId> {
    let mut bases = HashSet::new();
    for node in unit.exprs.iter() {
        let ExprKind::Deref(pointer) = node.kind else { continue };
        if indexed_array(unit, pointer).is_some() {
            match unit.exprs[pointer].kind {
                ExprKind::Binary(_, base, _) => bases.insert(base),
                _ => bases.insert(pointer),
            };
        }
    }
    bases
}
