//! The text of a test: one C file of several parts, because the program's own declarations of library types and those of
//! the system's headers cannot stand in one translation unit.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use unpick_base::{Interner, Span};
use unpick_front_c::ast::{DeclKind, Linkage, Unit};
use unpick_front_c::printer::instrument::{PointKind, Points};
use unpick_front_c::printer::{print_type, print_unit_with_points};
use unpick_front_c::session::Session;
use unpick_front_c::types::{QualTy, Type};
use unpick_front_c::{builtin, models};
use unpick_program::{Global, Program, StmtKind};
use unpick_witness::Schedule;
use unpick_witness::schedule::{EventKind, TurnLimit};

/// What threads run on.
const RUNTIME: &str = include_str!("runtime.c");

/// A test, ready to be written and compiled.
pub struct NativeTest {
    pub text: String,
    /// Parts of the file, each to be compiled with `UNPICK_PART` set to its number.
    pub n_parts: usize,
}

/// The functions of the library that the runtime stands in for: those it defines with `W(...)`.
fn wrapped() -> BTreeSet<&'static str> {
    let names = RUNTIME.lines().filter(|line| !line.starts_with('#') && !line.starts_with(' '));
    names.filter_map(|line| Some(line.split_once("W(")?.1.split_once(')')?.0)).collect()
}

/// Writes the test for a program and the turns of one of its executions. `head` goes into the comment at the top.
pub fn write_test(
    session: &Session,
    units: &[Unit],
    program: &Program,
    schedule: &Schedule,
    head: &str,
    finds_leaks: bool,
) -> NativeTest {
    let mut text = String::new();
    for line in head.lines() {
        let _ = writeln!(text, "// {line}");
    }
    text.push_str("#if UNPICK_PART == 0\n\n");
    tables(schedule, finds_leaks, &mut text);
    text.push_str(RUNTIME);
    let is_defined = |name: &str| units.iter().any(|unit| defines(unit, &session.interner, name));
    let names: Vec<&str> = wrapped().into_iter().filter(|name| !is_defined(name)).collect();
    let mut stubs = stubs(program);
    let weak = never_reached(session, units, program);
    for (number, unit) in units.iter().enumerate() {
        let _ = writeln!(text, "\n#elif UNPICK_PART == {}\n", number + 1);
        for name in weak.difference(&stubs) {
            let _ = writeln!(text, "#pragma weak {name}");
        }
        text.push_str("void __unpick_point(unsigned), __unpick_enter(unsigned), __unpick_leave(unsigned);\n");
        for name in &names {
            let _ = writeln!(text, "#define {name} __unpick_{name}");
        }
        let points = PointMap::new(session, schedule);
        text.push_str(&print_unit_with_points(unit, &session.interner, &points));
        if number == 0 {
            text.push_str("\nvoid __unpick_touch(const volatile char *at) { (void)*at; }\n");
            text.push_str(&unknown_objects(program));
        }
        text.push_str(&bodies(unit, &session.interner, &mut stubs));
    }
    text.push_str("\n#endif\n");
    NativeTest { text, n_parts: units.len() + 1 }
}

/// External names that no unit defines and no model stands for. The system's libraries may have them or not: a weak
/// reference takes both, and what the execution reaches has a definition of its own.
fn never_reached(session: &Session, units: &[Unit], program: &Program) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for decl in units.iter().flat_map(|unit| unit.decls.iter()) {
        let (linkage, is_defined) = match &decl.kind {
            DeclKind::Function(function) => (function.linkage, function.body.is_some() || function.alias.is_some()),
            DeclKind::Var(var) => (var.linkage, !var.is_declared_only),
            DeclKind::Enumerator { .. } | DeclKind::Typedef => continue,
        };
        let name = session.interner.name(decl.name);
        if linkage == Linkage::External {
            if is_defined { &mut defined } else { &mut names }.insert(name.to_owned());
        }
    }
    let objects: BTreeSet<&str> = reached_objects(program).map(|(name, _)| name).collect();
    let is_known = |name: &str| {
        defined.contains(name)
            || objects.contains(name)
            || wrapped().contains(name)
            || models::file_for(name).is_some()
            || builtin::intrinsic(name).is_some()
    };
    names.retain(|name| !is_known(name));
    names
}

/// Undefined objects of the program, by name.
fn reached_objects(program: &Program) -> impl Iterator<Item = (&str, &Global)> {
    let unknown = program.globals.iter().filter(|global| global.init.any.is_some() && !global.is_thread_local);
    unknown.filter_map(|global| Some((global.source_name.as_deref()?, global)))
}

/// Definitions of such objects, without saying their type once more. They begin as zero.
fn unknown_objects(program: &Program) -> String {
    let line = |(name, global): (&str, &Global)| {
        format!("__asm__(\".comm {name},{},{}\");\n", global.size.max(1), global.align.max(1))
    };
    reached_objects(program).map(line).collect()
}

fn defines(unit: &Unit, interner: &Interner, name: &str) -> bool {
    unit.decls.iter().any(|decl| {
        matches!(&decl.kind, DeclKind::Function(function) if function.body.is_some())
            && interner.name(decl.name) == name
    })
}

/// Undefined functions without a library model.
fn stubs(program: &Program) -> BTreeSet<String> {
    let functions = program.functions.iter().filter(|function| {
        let first = function.blocks.iter().next().and_then(|block| block.stmts.first());
        matches!(first.map(|stmt| &stmt.kind), Some(StmtKind::Note(text)) if text.contains("` has no body: "))
    });
    functions.map(|function| function.source_name.clone()).collect()
}

/// Definitions of those that a unit declares; their results are inputs.
fn bodies(unit: &Unit, interner: &Interner, stubs: &mut BTreeSet<String>) -> String {
    let mut text = String::new();
    for decl in unit.decls.iter() {
        let DeclKind::Function(_) = &decl.kind else { continue };
        let name = interner.name(decl.name);
        let Type::Function(ty) = unit.types.get(decl.ty.ty) else { continue };
        if !stubs.remove(name) {
            continue;
        }
        let head = print_type(&unit.types, interner, decl.ty, name);
        let body = match unit.types.get(ty.ret.ty) {
            Type::Void => String::new(),
            Type::Pointer(pointee) => {
                let size = unit.types.size_of(pointee.ty).unwrap_or(1);
                format!("return __unpick_object({size}ul); ")
            }
            _ => {
                let result = print_type(&unit.types, interner, QualTy::plain(ty.ret.ty), "result");
                format!("{result}; __unpick_result(&result, sizeof result); return result; ")
            }
        };
        let _ = writeln!(
            text,
            "void __unpick_result(void *, unsigned long), *__unpick_object(unsigned long);\n{head} {{ {body}}}"
        );
    }
    text
}

fn tables(schedule: &Schedule, finds_leaks: bool, text: &mut String) {
    let _ = writeln!(
        text,
        "#define N_POINTS {}\n#define N_TURNS {}\n#define N_INPUTS {}u\n#define N_ANSWERS {}u\n#define DETECT_LEAKS \"{}\"\n",
        schedule.points.len(),
        schedule.turns.len(),
        schedule.inputs.len(),
        schedule.answers.len(),
        u32::from(finds_leaks),
    );
    for (number, point) in schedule.points.iter().enumerate() {
        let what = match point.kind {
            EventKind::Read => "read",
            EventKind::Write => "write",
            EventKind::Update => "update",
            EventKind::Call => "call",
        };
        let file = point.file.replace(['\n', '\r', '\\'], "?");
        let _ = writeln!(text, "// point {number}: {what} at {file}:{}:{}", point.line, point.column);
    }
    text.push_str("enum { BEFORE, INSIDE, STUCK, ANYWHERE };\nstatic const struct turn { int thread, how; unsigned point, nth, n_parts; } turns[] = {\n");
    for turn in &schedule.turns {
        let (how, point, nth, n_parts) = match turn.until {
            TurnLimit::Before { point, nth } => ("BEFORE", point, nth, 0),
            TurnLimit::Inside { point, nth, n_parts } => ("INSIDE", point, nth, n_parts),
            TurnLimit::Stuck => ("STUCK", 0, 0, 0),
            TurnLimit::Anywhere => ("ANYWHERE", 0, 0, 0),
        };
        let _ = writeln!(text, "    {{{}, {how}, {point}, {nth}, {n_parts}}},", turn.thread);
    }
    text.push_str(
        "    {-1, STUCK, 0, 0, 0}};\nstatic const struct { int thread; unsigned long long low, high; } inputs[] = {\n",
    );
    for (thread, value) in &schedule.inputs {
        let _ = writeln!(text, "    {{{thread}, {}ull, {}ull}},", *value as u64, (*value >> 64) as u64);
    }
    text.push_str(
        "    {-1, 0, 0}};\nstatic const struct { int thread; unsigned point, nth, first, n; } answers[] = {\n",
    );
    let mut values = String::new();
    let mut n_values = 0;
    for answer in &schedule.answers {
        let n = answer.values.len();
        let _ = writeln!(text, "    {{{}, {}, {}, {n_values}, {n}}},", answer.thread, answer.point, answer.nth);
        answer.values.iter().for_each(|value| {
            let _ = write!(values, "{value}ull, ");
        });
        n_values += n;
    }
    let _ =
        writeln!(text, "    {{-1, 0, 0, 0, 0}}}};\nstatic const unsigned long long answer_values[] = {{{values}0}};\n");
}

/// Points by their places.
struct PointMap<'a> {
    session: &'a Session,
    numbers: HashMap<(PointKind, &'a str, u32, u32), u32>,
}

impl<'a> PointMap<'a> {
    fn new(session: &'a Session, schedule: &'a Schedule) -> Self {
        let numbers = schedule.points.iter().enumerate().map(|(number, point)| {
            let kind = match point.kind {
                EventKind::Read => PointKind::Read,
                EventKind::Write => PointKind::Write,
                EventKind::Update => PointKind::Update,
                EventKind::Call => PointKind::Call,
            };
            ((kind, point.file.as_str(), point.line, point.column), number as u32)
        });
        Self { session, numbers: numbers.collect() }
    }
}

impl Points for PointMap<'_> {
    fn point(&self, kind: PointKind, span: Span) -> Option<u32> {
        if span == Span::NONE {
            return None;
        }
        let place = self.session.sources.place(span.lo)?;
        self.numbers.get(&(kind, &*place.file, place.line, place.column)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_says_what_it_stands_in_for() {
        let names = wrapped();
        for name in ["pthread_create", "pthread_cond_wait", "mtx_lock", "sem_wait", "call_once", "thrd_exit"] {
            assert!(names.contains(name), "{name} is missing in {names:?}");
        }
        assert!(!names.contains("name"));
    }
}
