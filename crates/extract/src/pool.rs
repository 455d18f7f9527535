//! Pointers as numbers: which objects a pointer to a type may point to, and what their numbers are.
//!
//! Objects of static storage whose address is taken lie in the pool of their type; an array is as many of them in a row,
//! so that arithmetic on pointers is arithmetic on numbers. Zero is the null pointer. Addresses of anything else have no
//! number: an assignment of one cannot be said, and by the rules for what cannot be said the pointer is then not in the
//! model. So a pointer that is in the model holds a number of its pool. What `malloc` gives for one object is an element of
//! an array for its type, as many as may be allocated at a time. Functions whose address is taken have numbers too;
//! calls through pointers to them are taken apart before, see `normal`.

use std::collections::{BTreeMap, HashMap, HashSet};

use unpick_base::{Interner, SourceMap};
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Linkage, Storage, Unit};
use unpick_front_c::types::{ArrayExtent, TyId, Type};

use crate::code::{Code, FunctionId};
use crate::effect::{indexed_array, record_key};

/// Larger pools would only fill states.
const MAX_SIZE: u64 = 250;

/// What a pointer points to, as far as pools are concerned.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pointee {
    /// A record.
    Record(String),
    /// A number of this kind.
    Int(String),
    /// A pointer.
    Pointer(Box<Pointee>),
    /// A function.
    Function,
}

/// How many objects of a type may be allocated at the same time.
pub const HEAP: u64 = 4;

/// What an object of a pool is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A variable: its unit and declaration.
    Variable(usize, DeclId),
    /// What `malloc` gives: the name of the array, and the type with its unit.
    Heap(String, usize, TyId),
}

/// An object of a pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// What it is.
    pub place: Place,
    /// How many objects it is, if it is an array.
    pub len: Option<u64>,
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

/// All pools of a program.
#[derive(Default, Debug)]
pub struct Pools {
    pools: BTreeMap<Pointee, Pool>,
    /// Numbers of objects, or of their first elements.
    numbers: HashMap<(usize, DeclId), u64>,
    /// Functions whose address is taken, in order of their numbers.
    functions: Vec<FunctionId>,
}

impl Pools {
    /// Looks for addresses.
    pub fn new(code: &Code, interner: &Interner, sources: &SourceMap) -> Pools {
        let mut pools = Pools::default();
        let mut known: HashMap<String, u64> = HashMap::new();
        for (index, unit) in code.units.iter().enumerate() {
            let bases = index_bases(unit);
            for (expr, node) in unit.exprs.iter_enumerated() {
                let place = match node.kind {
                    ExprKind::AddrOf(place) => place,
                    ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } if !bases.contains(&expr) => operand,
                    _ => continue,
                };
                if let Some(decl) = root(unit, place) {
                    pools.add(unit, index, decl, interner, sources, &mut known);
                }
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
        pools
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
        let has_heap = pool.members.iter().any(|member| matches!(member.place, Place::Heap(..)));
        if has_heap || pool.size + HEAP > MAX_SIZE {
            return;
        }
        let first = pool.size + 1;
        pool.size += HEAP;
        let name = format!("heap_{name}_{n_pools}");
        pool.members.push(Member { place: Place::Heap(name, index, ty), len: Some(HEAP), first });
    }

    /// The arrays for what is allocated: name, unit and type.
    pub fn heaps(&self) -> Vec<(String, usize, TyId)> {
        let members = self.pools.values().flat_map(|pool| &pool.members);
        let heaps = members.filter_map(|member| match &member.place {
            Place::Heap(name, unit, ty) => Some((name.clone(), *unit, *ty)),
            Place::Variable(..) => None,
        });
        heaps.collect()
    }

    /// The number of a function, if somebody takes its address.
    pub fn function(&self, function: FunctionId) -> Option<u64> {
        self.functions.iter().position(|known| *known == function).map(|at| at as u64 + 1)
    }

    fn add(
        &mut self,
        unit: &Unit,
        index: usize,
        decl: DeclId,
        interner: &Interner,
        sources: &SourceMap,
        known: &mut HashMap<String, u64>,
    ) {
        let item = &unit.decls[decl];
        let DeclKind::Var(var) = &item.kind else { return };
        if self.numbers.contains_key(&(index, decl))
            || matches!(var.storage, Storage::Automatic | Storage::Parameter)
            || sources.place(item.span.lo).is_some_and(|place| place.system)
        {
            return;
        }
        let (ty, len) = match unit.types.get(item.ty.ty) {
            Type::Array { element, extent: ArrayExtent::Fixed(n) } => (element.ty, Some(*n)),
            _ => (item.ty.ty, None),
        };
        let Some(pointee) = pointee(unit, index, ty, sources) else { return };
        // An object of several units is one.
        let linked = (var.linkage == Linkage::External).then(|| interner.name(item.name).to_owned());
        if let Some(first) = linked.as_ref().and_then(|name| known.get(name)) {
            self.numbers.insert((index, decl), *first);
            return;
        }
        let pool = self.pools.entry(pointee).or_default();
        let count = len.unwrap_or(1);
        if count == 0 || pool.size + count > MAX_SIZE {
            return;
        }
        let first = pool.size + 1;
        pool.size += count;
        pool.members.push(Member { place: Place::Variable(index, decl), len, first });
        self.numbers.insert((index, decl), first);
        known.extend(linked.map(|name| (name, first)));
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

    /// The number of an object, or of the first element of an array.
    pub fn number(&self, unit: usize, decl: DeclId) -> Option<u64> {
        self.numbers.get(&(unit, decl)).copied()
    }
}

/// What pointers to this type point to; `None` if they are not held at all.
pub fn pointee(unit: &Unit, index: usize, ty: TyId, sources: &SourceMap) -> Option<Pointee> {
    match unit.types.get(ty) {
        Type::Function(_) => Some(Pointee::Function),
        Type::Record(record) => Some(Pointee::Record(record_key(unit, *record, index, sources))),
        Type::Pointer(inner) => pointee(unit, index, inner.ty, sources).map(|inner| Pointee::Pointer(Box::new(inner))),
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

/// The variable that a place is, or is an element of.
fn root(unit: &Unit, place: ExprId) -> Option<DeclId> {
    match unit.exprs[place].kind {
        ExprKind::Decl(decl) => Some(decl),
        ExprKind::Index { base, .. } => match unit.exprs[base].kind {
            ExprKind::Decl(decl) => Some(decl),
            _ => None,
        },
        ExprKind::Deref(pointer) => match unit.exprs[indexed_array(unit, pointer)?.0].kind {
            ExprKind::Decl(decl) => Some(decl),
            _ => None,
        },
        _ => None,
    }
}
