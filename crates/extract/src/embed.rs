//! Data as embedded C: which objects keep their C type in the model, and under which names.
//!
//! Objects of the program are members of one tracked record of static storage, local objects of a process members of a
//! record of its own, an array of them where several processes may run the function. So every object has an address
//! that is the same in all states, and no name of the program meets one of the verifier that SPIN writes. Promela keeps
//! what it speaks of: locks, semaphores and threads that only the library is told of, and what rows, formulas or the
//! environment mention.

mod text;

use std::collections::{HashMap, HashSet};

use unpick_base::{Interner, SourceMap};
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Storage, Unit};
use unpick_front_c::types::{RecordId, TyId, Type};

use crate::code::{Code, FunctionId};
use crate::effect::{ObjectId, direct_callee, indexed_array, record_key};
use crate::names;
use crate::shape::Untranslatable;

pub use text::{Embedder, NameOf, code_expr, code_step};

/// The record of the objects of the program.
pub const DATA: &str = "data";

/// How many blocks of a kind may be allocated at the same time.
pub const BLOCKS: u64 = 4;

/// How many processes may run at the same time where the number is unknown.
pub const INSTANCES: u64 = 16;

/// Objects beyond this many bytes would only fill states.
const MAX_BYTES: u64 = 4096;

/// What `malloc` gives for one type and count: a static array of blocks.
#[derive(Clone, Debug)]
pub struct Heap {
    /// The name of the array.
    pub name: String,
    /// The unit of the type.
    pub unit: usize,
    /// The type of an element.
    pub ty: TyId,
    /// How many elements a block has.
    pub count: u64,
}

/// What is known about data that stays C.
pub struct Embedding {
    /// Objects whose address goes anywhere but into calls that forget it.
    escaping: HashSet<ObjectId>,
    /// Names in texts of Promela written by the user.
    mentioned: HashSet<String>,
    tags: HashMap<(usize, RecordId), String>,
    heaps: Vec<Heap>,
    functions: HashMap<FunctionId, String>,
}

impl Embedding {
    /// Looks at a program; `object` tells the objects of variables.
    pub fn new(
        code: &Code,
        interner: &Interner,
        sources: &SourceMap,
        mentioned: HashSet<String>,
        object: impl Fn(usize, DeclId) -> Option<ObjectId>,
    ) -> Embedding {
        let tags = tags(code, interner, sources);
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let functions = code.functions.iter_enumerated().map(|(id, function)| {
            let count = seen.entry(&function.name).or_default();
            *count += 1;
            let number = if *count == 1 { String::new() } else { format!("_{count}") };
            (id, format!("function_{}{number}", function.name))
        });
        Embedding {
            functions: functions.collect(),
            escaping: escaping(code, interner, object),
            mentioned,
            heaps: heaps(code, interner, &tags),
            tags,
        }
    }

    /// Whether the address of an object goes anywhere.
    pub fn escapes(&self, object: ObjectId) -> bool {
        self.escaping.contains(&object)
    }

    /// Whether the user's Promela mentions a name.
    pub fn mentions(&self, name: &str) -> bool {
        self.mentioned.contains(name)
    }

    /// The tag of a record.
    pub fn tag(&self, unit: usize, record: RecordId) -> &str {
        self.tags.get(&(unit, record)).map_or("record", String::as_str)
    }

    /// Blocks that may be allocated.
    pub fn heaps(&self) -> &[Heap] {
        &self.heaps
    }

    /// The function of C that stands for one of the program in comparisons of pointers.
    pub fn function(&self, function: FunctionId) -> &str {
        &self.functions[&function]
    }

    /// The blocks that an allocation takes one of.
    pub fn heap(&self, code: &Code, unit: usize, expr: ExprId, interner: &Interner) -> Option<&Heap> {
        let (ty, count) = allocation(code, unit, expr, interner)?;
        let wanted = heap_name(&code.units[unit], unit, ty, count, &self.tags);
        self.heaps.iter().find(|heap| heap.name == wanted)
    }
}

/// Whether C keeps an object of this type.
pub fn holdable(unit: &Unit, ty: TyId) -> Result<(), Untranslatable> {
    if unit.types.is_variably_modified(ty) {
        return Err("is an array without a fixed size".into());
    }
    match unit.types.get(ty) {
        Type::Void | Type::Function(_) | Type::VaList | Type::Error | Type::Complex(_) | Type::Vector { .. } => {
            return Err("has a type without a counterpart".into());
        }
        Type::Int(_)
        | Type::Float(_)
        | Type::NullPtr
        | Type::Pointer(_)
        | Type::Array { .. }
        | Type::Record(_)
        | Type::Enum(_)
        | Type::Unknown(_) => {}
    }
    match unit.types.size_of(ty) {
        Some(bytes) if bytes > MAX_BYTES => Err(format!("takes {bytes} bytes of every state")),
        Some(_) => Ok(()),
        None => Err("has a type of which nobody knows the size".into()),
    }
}

/// What a pointer from `malloc` or `calloc` points to, and how many of them; nothing if the size is not constant.
pub fn allocation(code: &Code, index: usize, expr: ExprId, interner: &Interner) -> Option<(TyId, u64)> {
    let unit = &code.units[index];
    let ExprKind::Cast { kind: CastKind::PointerToPointer, operand, .. } = unit.exprs[expr].kind else { return None };
    let ExprKind::Call { callee, args } = &unit.exprs[operand].kind else { return None };
    let decl = direct_callee(unit, *callee)?;
    let name = interner.name(unit.decls[decl].name);
    if code.function_of(index, decl, name).is_some() {
        return None;
    }
    let number = |arg: &ExprId| number(unit, *arg);
    let bytes = match (name, args.as_slice()) {
        ("malloc", [size]) => number(size)?,
        ("calloc", [count, size]) => number(count)?.checked_mul(number(size)?)?,
        _ => return None,
    };
    let to = unit.types.pointee_of(unit.exprs[expr].ty.ty)?.ty;
    let size = unit.types.size_of(to).filter(|size| *size > 0)?;
    let is_whole = bytes > 0 && bytes % size == 0 && bytes <= MAX_BYTES;
    is_whole.then_some((to, bytes / size))
}

/// The value of a constant size.
fn number(unit: &Unit, expr: ExprId) -> Option<u64> {
    use unpick_front_c::ast::BinaryOp;
    match unit.exprs[expr].kind {
        ExprKind::Int(value) => u64::try_from(value).ok(),
        ExprKind::Cast { operand, kind: CastKind::IntToInt | CastKind::NoOp, .. } => number(unit, operand),
        ExprKind::Binary(BinaryOp::Mul, left, right) => number(unit, left)?.checked_mul(number(unit, right)?),
        ExprKind::Binary(BinaryOp::Add, left, right) => number(unit, left)?.checked_add(number(unit, right)?),
        _ => None,
    }
}

fn heaps(code: &Code, interner: &Interner, tags: &HashMap<(usize, RecordId), String>) -> Vec<Heap> {
    let mut heaps: Vec<Heap> = Vec::new();
    for (index, unit) in code.units.iter().enumerate() {
        for expr in unit.exprs.ids() {
            let Some((ty, count)) = allocation(code, index, expr, interner) else { continue };
            let name = heap_name(unit, index, ty, count, tags);
            if holdable(unit, ty).is_ok() && !heaps.iter().any(|heap| heap.name == name) {
                heaps.push(Heap { name, unit: index, ty, count });
            }
        }
    }
    heaps
}

/// `heap_node`, `heap_int_8`.
fn heap_name(unit: &Unit, index: usize, ty: TyId, count: u64, tags: &HashMap<(usize, RecordId), String>) -> String {
    fn of(unit: &Unit, index: usize, ty: TyId, tags: &HashMap<(usize, RecordId), String>) -> String {
        match unit.types.get(ty) {
            Type::Record(record) => tags.get(&(index, *record)).map_or("record".into(), Clone::clone),
            Type::Pointer(to) => format!("pointer_{}", of(unit, index, to.ty, tags)),
            Type::Array { element, .. } => {
                let n = unit.types.size_of(ty).unwrap_or_default();
                format!("array_{n}_{}", of(unit, index, element.ty, tags))
            }
            _ => match unit.types.int_kind_of(ty) {
                Some(kind) => kind.name().replace(' ', "_"),
                None => format!("bytes_{}", unit.types.size_of(ty).unwrap_or_default()),
            },
        }
    }
    let base = of(unit, index, ty, tags);
    if count == 1 { format!("heap_{base}") } else { format!("heap_{base}_{count}") }
}

/// One tag for each record of the program, whichever unit declares it.
fn tags(code: &Code, interner: &Interner, sources: &SourceMap) -> HashMap<(usize, RecordId), String> {
    let mut by_key: HashMap<String, String> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut tags = HashMap::new();
    for (index, unit) in code.units.iter().enumerate() {
        let mut aliases: HashMap<RecordId, &str> = HashMap::new();
        for decl in unit.decls.iter().filter(|decl| matches!(decl.kind, DeclKind::Typedef)) {
            if let Some(record) = unit.types.record_of(decl.ty.ty) {
                aliases.entry(record).or_insert(interner.name(decl.name));
            }
        }
        for (record, item) in unit.types.records.iter_enumerated() {
            let key = record_key(unit, record, index, sources);
            let tag = by_key.entry(key).or_insert_with(|| {
                let wanted = item.tag.map(|tag| interner.name(tag)).or_else(|| aliases.get(&record).copied());
                let wanted = wanted.unwrap_or("unnamed");
                let is_system = sources.place(item.span.lo).is_some_and(|place| place.system);
                let is_taken = is_system || names::is_system_record(wanted) || names::is_verifier_record(wanted);
                let base = if is_taken { format!("{wanted}_record") } else { wanted.to_owned() };
                let mut tag = base.clone();
                let mut count = 1;
                while !taken.insert(tag.clone()) {
                    count += 1;
                    tag = format!("{base}_{count}");
                }
                tag
            });
            tags.insert((index, record), tag.clone());
        }
    }
    tags
}

/// Objects whose address is taken and not only lent.
fn escaping(code: &Code, interner: &Interner, object: impl Fn(usize, DeclId) -> Option<ObjectId>) -> HashSet<ObjectId> {
    let mut escaping = HashSet::new();
    for (index, unit) in code.units.iter().enumerate() {
        let mut lent = crate::effect::lent(unit, interner);
        lent.extend(handles(unit, interner));
        let bases = crate::pool::index_bases(unit);
        for (expr, node) in unit.exprs.iter_enumerated() {
            let place = match node.kind {
                ExprKind::AddrOf(place) if !lent.contains(&expr) => place,
                ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. }
                    if !bases.contains(&expr) && !lent.contains(&expr) =>
                {
                    operand
                }
                _ => continue,
            };
            escaping.extend(root(unit, place).and_then(|decl| object(index, decl)));
        }
    }
    escaping
}

/// Where threads put their numbers: a built-in row knows what becomes of them.
fn handles(unit: &Unit, interner: &Interner) -> Vec<ExprId> {
    let calls = unit.exprs.iter().filter_map(|node| match &node.kind {
        ExprKind::Call { callee, args } => Some((direct_callee(unit, *callee)?, *args.first()?)),
        _ => None,
    });
    let name = |decl: DeclId| interner.name(unit.decls[decl].name);
    calls.filter(|(decl, _)| crate::library::thread_argument(name(*decl)).is_some()).map(|(_, handle)| handle).collect()
}

/// The variable that a place is a part of.
fn root(unit: &Unit, place: ExprId) -> Option<DeclId> {
    match unit.exprs[place].kind {
        ExprKind::Decl(decl) => Some(decl),
        ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => root(unit, base),
        ExprKind::Deref(pointer) => root(unit, indexed_array(unit, pointer)?.0),
        _ => None,
    }
}

/// Whether every thread has a copy of its own.
pub fn is_thread_local(unit: &Unit, decl: DeclId) -> bool {
    matches!(&unit.decls[decl].kind, DeclKind::Var(var) if var.storage == Storage::ThreadLocal)
}
