//! Knowledge of the C library: which calls are steps, which end a process, which start one, which objects are locks.

use std::collections::{BTreeSet, HashMap};

use unpick_base::{Diagnostics, Interner, SourceMap};
use unpick_front_c::ast::{CastKind, DeclKind, ExprId, ExprKind, Linkage, Unit};
use unpick_front_c::builtin::Builtin;
use unpick_front_c::types::RecordId;

use crate::code::{Code, Ends};
use crate::effect::{Key, ObjectId, direct_callee, indexed_array, record_key};
use crate::pattern::{Word, words};
use crate::rules::{Decisions, Origin};
use crate::shape::{Scalar, Shape};
use crate::table::{Mapping, Row, Table, parse_table};

/// The built-in table.
pub fn table(sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Table {
    let text = concat!(include_str!("../library/rows.map"), include_str!("../library/embedded.map"));
    let mut table =
        parse_table("built-in rows", text, sources, diagnostics, &mut |path| Err(format!("there is no {path}")));
    let pointed: Vec<Row> = table.rows.iter().flat_map(pointed_rows).collect();
    table.rows.extend(pointed);
    table
}

/// Ends the names of metavariables that stand for a pointer and mean what it points to.
const POINTED: &str = "_pointed";

/// Whether a metavariable stands for a pointer and means what it points to.
pub fn is_pointed(name: &str) -> bool {
    name.ends_with(POINTED)
}

/// The rows for calls that are given a pointer where a row has `&$m`: `pthread_mutex_lock(lock)`.
fn pointed_rows(row: &Row) -> Vec<Row> {
    let families = ["pthread_", "mtx_", "cnd_", "sem_", "__atomic_", "__sync_"];
    let is_wanted = row.pattern.words.iter().any(|word| match word {
        Word::Exact(word) => families.iter().any(|family| word.starts_with(family)) && !word.ends_with("_create"),
        Word::Any(_) => false,
    });
    let ampersand = Word::Exact("&".into());
    let words = &row.pattern.words;
    let places: Vec<usize> = (1..words.len())
        .filter(|at| is_wanted && words[at - 1] == ampersand && matches!(words[*at], Word::Any(_)))
        .collect();
    let mut rows = Vec::new();
    // Each of the places may be written either way.
    for chosen in 1..1usize << places.len() {
        let mut twin = row.clone();
        for (bit, at) in places.iter().enumerate().rev() {
            if chosen >> bit & 1 == 0 {
                continue;
            }
            let Word::Any(name) = &words[*at] else { continue };
            let new = format!("{name}{POINTED}");
            twin.text = twin.text.replacen(&format!("&${name}"), &format!("${new}"), 1);
            let mapping = crate::pattern::renamed(twin.mapping.text(), name, &new);
            twin.mapping = Mapping::parse(&mapping);
            twin.pattern.words[*at] = Word::Any(new);
            twin.pattern.words.remove(at - 1);
        }
        rows.push(twin);
    }
    rows
}

/// The shape of the object behind an argument of a library function.
fn argument_shape(function: &str, position: usize) -> Option<Shape> {
    let is_lock = ["pthread_mutex_", "pthread_spin_", "mtx_"].iter().any(|start| function.starts_with(start));
    let is_condition = ["pthread_cond_", "cnd_"].iter().any(|start| function.starts_with(start));
    match (function, position) {
        ("pthread_create" | "thrd_create", 0) => Some(Scalar::byte()),
        ("pthread_cond_wait" | "cnd_wait" | "pthread_cond_timedwait" | "cnd_timedwait", 1) => Some(Scalar::lock()),
        // Readers, or the writer below zero.
        (_, 0) if function.starts_with("pthread_rwlock_") => Some(Scalar::counter()),
        (_, 0) if is_lock => Some(Scalar::lock()),
        (_, 0) if is_condition => Some(Scalar::counter()),
        // They may count further than a byte.
        (_, 0) if function.starts_with("sem_") => Some(Scalar::counter()),
        _ => None,
    }
}

/// Objects that calls of the library show to be locks, semaphores and the like.
pub fn library_shapes(code: &Code, interner: &Interner, sources: &SourceMap) -> HashMap<ObjectId, Shape> {
    let mut library_shapes = HashMap::new();
    for (index, unit) in code.units.iter().enumerate() {
        for expr in unit.exprs.iter() {
            let ExprKind::Call { callee, args } = &expr.kind else { continue };
            let Some(decl) = direct_callee(unit, *callee) else { continue };
            let name = interner.name(unit.decls[decl].name);
            for (position, arg) in args.iter().enumerate() {
                let Some(shape) = argument_shape(name, position) else { continue };
                if let Some(object) = addressed(code, index, *arg, interner, sources) {
                    library_shapes.insert(object, shape);
                }
            }
        }
    }
    library_shapes
}

/// Types that calls of the library show to be those of locks, semaphores and the like, through any pointer.
pub fn lock_types(code: &Code, interner: &Interner, sources: &SourceMap) -> HashMap<String, Shape> {
    let mut types = HashMap::new();
    for (index, unit) in code.units.iter().enumerate() {
        let mut add = |arg: ExprId, shape: Shape, is_wanted: &dyn Fn(RecordId) -> bool| {
            let to = unit.types.pointee_of(unit.exprs[addressed_as(unit, arg)].ty.ty);
            let record = to.and_then(|to| unit.types.record_of(to.ty));
            if let Some(record) = record.filter(|record| is_wanted(*record)) {
                types.insert(record_key(unit, record, index, sources), shape);
            }
        };
        for expr in unit.exprs.iter() {
            let (callee, args) = match &expr.kind {
                ExprKind::Call { callee, args } => (*callee, args),
                // `atomic_flag` may be a record, of which only the library knows the inside.
                ExprKind::Builtin { builtin: Builtin::AtomicTestAndSet | Builtin::AtomicClear, args } => {
                    let is_flag = |record: RecordId| {
                        unit.types.records[record].fields.len() == 1 && !is_looked_into(unit, record)
                    };
                    args.first().into_iter().for_each(|arg| add(*arg, Scalar::lock(), &is_flag));
                    continue;
                }
                _ => continue,
            };
            let Some(decl) = direct_callee(unit, callee) else { continue };
            let name = interner.name(unit.decls[decl].name);
            if code.function_of(index, decl, name).is_some() {
                continue;
            }
            for (position, arg) in args.iter().enumerate() {
                if let Some(shape) = argument_shape(name, position) {
                    add(*arg, shape, &|_| true);
                }
            }
        }
    }
    types
}

/// A pointer before it was made one to anything.
fn addressed_as(unit: &Unit, arg: ExprId) -> ExprId {
    match unit.exprs[arg].kind {
        ExprKind::Cast { kind: CastKind::PointerToPointer | CastKind::NoOp, operand, .. } => {
            addressed_as(unit, operand)
        }
        _ => arg,
    }
}

/// Whether a member of a record is mentioned.
fn is_looked_into(unit: &Unit, record: RecordId) -> bool {
    unit.exprs.iter().any(|expr| match expr.kind {
        ExprKind::Member { base, .. } => unit.types.record_of(unit.exprs[base].ty.ty) == Some(record),
        _ => false,
    })
}

/// The object whose address an argument is.
fn addressed(code: &Code, index: usize, arg: ExprId, interner: &Interner, sources: &SourceMap) -> Option<ObjectId> {
    let unit = &code.units[index];
    let mut place = match unit.exprs[arg].kind {
        ExprKind::AddrOf(place) => place,
        ExprKind::Cast { operand, .. } => return addressed(code, index, operand, interner, sources),
        _ => return None,
    };
    loop {
        match unit.exprs[place].kind {
            ExprKind::Index { base, .. } => place = base,
            ExprKind::Decl(decl) => {
                let DeclKind::Var(var) = &unit.decls[decl].kind else { return None };
                let key = match var.linkage {
                    Linkage::External => Key::External(interner.name(unit.decls[decl].name).to_owned()),
                    Linkage::Internal | Linkage::None => Key::Internal(index, decl),
                };
                return code.objects.by_key(&key);
            }
            ExprKind::Member { record, index: field, .. } => {
                return code.objects.by_key(&Key::Field(record_key(unit, record, index, sources), field));
            }
            ExprKind::Deref(pointer) => match indexed_array(unit, pointer) {
                Some((array, _)) => place = array,
                None => return None,
            },
            _ => return None,
        }
    }
}

/// Definitions that the built-in rows need which are used.
pub fn definitions(table: &Table, decisions: &Decisions, has_spurious: bool) -> String {
    let mut needed: BTreeSet<String> = BTreeSet::new();
    for decision in decisions.plain.iter().chain(decisions.negated.values()) {
        if let Origin::Library(row) = decision.origin {
            needed.extend(words(table.rows[row].mapping.text()));
        }
    }
    // Waits that end without a signal, or only with one: the same name for either.
    let (wanted, other) = match has_spurious {
        true => ("inline condition_wait(", "inline condition_wait_for_signal("),
        false => ("inline condition_wait_for_signal(", "inline condition_wait("),
    };
    let blocks = include_str!("../library/definitions.pml").split("\n\n").filter(|block| !block.starts_with(other));
    let blocks: Vec<String> = blocks.map(|block| block.replace(wanted, "inline condition_wait(")).collect();
    let mut is_taken = vec![false; blocks.len()];
    // A definition may need another one.
    for _ in 0..2 {
        for (block, is_taken) in blocks.iter().zip(&mut is_taken) {
            if !*is_taken && defined_name(block).is_some_and(|name| needed.contains(name)) {
                *is_taken = true;
                needed.extend(words(block));
            }
        }
    }
    let taken = blocks.iter().zip(is_taken).filter(|(_, is_taken)| *is_taken).map(|(block, _)| block.trim());
    taken.map(|block| format!("{block}\n\n")).collect()
}

/// Whether the end of a thread has to be seen by others.
pub fn needs_ends(definitions: &str) -> bool {
    definitions.contains("thread_ended")
}

/// The name that a definition defines: behind `inline`, or behind the type.
fn defined_name(block: &str) -> Option<&str> {
    let rest = block.trim().split_once(' ')?.1;
    rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// Whether calls of a function are fragments of their own wherever they stand, because there are rows for them.
pub fn is_step(name: &str) -> bool {
    STEPS.contains(&name)
}

/// The argument that is a function to be run as a thread of its own.
pub fn thread_argument(name: &str) -> Option<usize> {
    match name {
        "pthread_create" => Some(2),
        "thrd_create" => Some(1),
        _ => None,
    }
}

/// Whether it writes nothing of the program's through pointers, although its prototype does not say so.
pub fn only_reads(name: &str) -> bool {
    matches!(
        name,
        "printf" | "fprintf" | "dprintf" | "syslog" | "fflush" | "fclose" | "free" | "close" | "execl" | "execlp"
    )
}

/// Whether it keeps no pointer that it is given beyond the call.
pub fn forgets(name: &str) -> bool {
    is_step(name) && !name.contains("create") || only_reads(name) || FORGETFUL.contains(&name)
}

/// What ends with a call of it, if it does not return.
pub fn ends(name: &str) -> Option<Ends> {
    match name {
        "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" => Some(Ends::Program),
        "pthread_exit" | "thrd_exit" => Some(Ends::Thread),
        _ => None,
    }
}

/// Whether a call of it says that the program is wrong.
pub fn is_failure(name: &str) -> bool {
    let is_assertion = matches!(name, "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail");
    is_assertion || matches!(name, "reach_error" | "__VERIFIER_error")
}

/// Whether a built-in function changes memory.
pub fn atomic_update(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::AtomicStoreN
            | Builtin::AtomicStore
            | Builtin::AtomicExchangeN
            | Builtin::AtomicExchange
            | Builtin::AtomicCompareExchangeN
            | Builtin::AtomicCompareExchange
            | Builtin::AtomicFetchAdd
            | Builtin::AtomicFetchSub
            | Builtin::AtomicFetchAnd
            | Builtin::AtomicFetchOr
            | Builtin::AtomicFetchXor
            | Builtin::AtomicFetchNand
            | Builtin::AtomicAddFetch
            | Builtin::AtomicSubFetch
            | Builtin::AtomicAndFetch
            | Builtin::AtomicOrFetch
            | Builtin::AtomicXorFetch
            | Builtin::AtomicNandFetch
            | Builtin::AtomicTestAndSet
            | Builtin::AtomicClear
            | Builtin::SyncBoolCompareAndSwap
            | Builtin::SyncValCompareAndSwap
            | Builtin::SyncLockTestAndSet
            | Builtin::SyncLockRelease
    )
}

/// Functions that write through pointers and keep none.
const FORGETFUL: &[&str] = &[
    "accept",
    "bind",
    "bsearch",
    "clock_gettime",
    "connect",
    "fgets",
    "fread",
    "fscanf",
    "fstat",
    "fwrite",
    "getsockopt",
    "gettimeofday",
    "inet_ntop",
    "inet_pton",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "nanosleep",
    "poll",
    "qsort",
    "recvfrom",
    "scanf",
    "select",
    "sendto",
    "setsockopt",
    "snprintf",
    "sprintf",
    "sscanf",
    "stat",
    "strcmp",
    "strftime",
    "strlen",
    "time",
];

/// Functions with rows in the built-in table.
const STEPS: &[&str] = &[
    "cnd_broadcast",
    "cnd_destroy",
    "cnd_init",
    "cnd_signal",
    "cnd_timedwait",
    "cnd_wait",
    "mq_receive",
    "mq_send",
    "mtx_destroy",
    "mtx_init",
    "mtx_lock",
    "mtx_timedlock",
    "mtx_trylock",
    "mtx_unlock",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "pthread_cond_init",
    "pthread_cond_signal",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_create",
    "pthread_detach",
    "pthread_join",
    "pthread_mutex_destroy",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_rwlock_destroy",
    "pthread_rwlock_init",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_destroy",
    "pthread_spin_init",
    "pthread_spin_lock",
    "pthread_spin_unlock",
    "read",
    "recv",
    "sched_yield",
    "sem_destroy",
    "sem_init",
    "sem_post",
    "sem_timedwait",
    "sem_trywait",
    "sem_wait",
    "send",
    "sleep",
    "thrd_create",
    "thrd_join",
    "thrd_yield",
    "usleep",
    "write",
];
