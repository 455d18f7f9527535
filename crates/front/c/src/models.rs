//! The library models: embedded C sources that stand for libc, pthread and related libraries.
//!
//! Which file provides which function is not written down anywhere: the files are parsed once and every
//! function defined and every object defined at file scope counts.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::ast::DeclKind;
use crate::library_name;
use crate::parser::Parser;
use crate::session::Session;
use crate::syntax::{Derivation, ExternalDecl};
use crate::types::{QualTy, Target, TyId, Type};

/// Starts the name of a function's twin that writes nothing, for calls whose result is unused.
pub const QUIET_PREFIX: &str = "__quiet_";

/// Starts the name of a function's twin that takes, after its first argument, the length of the array that argument
/// is the start of, and stays within it.
pub const WITHIN_PREFIX: &str = "__within_";

/// Starts the name of a function's twin whose wait can be ended by cancelling the thread.
pub const CANCELLABLE_PREFIX: &str = "__cancellable_";

/// One embedded source file.
#[derive(Debug)]
pub struct ModelFile {
    /// File name, as it shows in places.
    pub name: &'static str,
    /// C text, not preprocessed.
    pub text: &'static str,
}

macro_rules! model_files {
    ($($name:literal),* $(,)?) => {
        &[$(ModelFile { name: $name, text: include_str!(concat!("../models/", $name)) }),*]
    };
}

/// All of them.
pub static FILES: &[ModelFile] = model_files![
    "arguments.c",
    "assert.c",
    "byteorder.c",
    "clang.c",
    "cprover.c",
    "ctype.c",
    "environment.c",
    "err.c",
    "errno.c",
    "exit.c",
    "fenv.c",
    "format.c",
    "format_float.c",
    "futex.c",
    "getopt.c",
    "input.c",
    "inttypes.c",
    "locale.c",
    "math.c",
    "math_float.c",
    "math_inexact.c",
    "math_long.c",
    "memory.c",
    "prctl.c",
    "printf.c",
    "pthread.c",
    "pthread_attr.c",
    "pthread_barrier.c",
    "pthread_cancel.c",
    "pthread_cond.c",
    "pthread_mutex.c",
    "pthread_once_key.c",
    "pthread_rwlock.c",
    "pthread_spin.c",
    "random.c",
    "resource.c",
    "scan.c",
    "scanf.c",
    "sched.c",
    "semaphore.c",
    "setjmp.c",
    "signal.c",
    "sigset.c",
    "socket.c",
    "stat.c",
    "stdio.c",
    "stdlib.c",
    "strerror.c",
    "string.c",
    "string_search.c",
    "strtod.c",
    "strtol.c",
    "threads.c",
    "time.c",
    "unistd.c",
    "waiters.c",
    "wchar.c",
    "within.c",
];

/// The file that defines an external function or object.
pub fn file_for(name: &str) -> Option<&'static ModelFile> {
    static INDEX: OnceLock<HashMap<String, usize>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = HashMap::new();
        for (number, file) in FILES.iter().enumerate() {
            for name in provided_by(file) {
                index.entry(name).or_insert(number);
            }
        }
        index
    });
    index.get(name).map(|number| &FILES[*number])
}

/// The header that declares a function of a model, or a macro that every program knows.
pub fn header_of(name: &str) -> Option<&'static str> {
    if let Some(constant) = library_name::constant(name) {
        return Some(constant.header);
    }
    if let Some(header) = library_name::MACROS.iter().find(|(known, _)| *known == name).map(|(_, header)| header) {
        return Some(header);
    }
    let header = file_for(name)?.text.lines().find_map(|line| line.strip_prefix("//! header: "))?;
    header.ends_with(".h").then_some(header)
}

/// The type of a function of a model: result, parameters, whether more may follow.
pub struct ModelType {
    pub ret: ModelPart,
    pub params: Vec<ModelPart>,
    pub is_variadic: bool,
}

/// A type as all units know it.
#[derive(Clone, Copy)]
pub enum ModelPart {
    /// `void`, numbers: types that have the same id everywhere.
    Basic(TyId),
    /// A pointer to such a type; `void *` for pointers to anything else.
    Pointer(QualTy),
}

/// How a model declares a function; `None` if structs are passed, or if there is no model.
pub fn type_of(name: &str, target: Target) -> Option<ModelType> {
    let file = file_for(name)?;
    let mut session = Session { target, ..Session::default() };
    let text = session.sources.add(file.name, file.text)?;
    let unit = crate::analyse(&mut session, text);
    let types = &unit.types;
    let decl = unit.decls.iter().find(|decl| {
        matches!(&decl.kind, DeclKind::Function(function) if function.body.is_some())
            && session.interner.name(decl.name) == name
    })?;
    let Type::Function(function) = types.get(decl.ty.ty) else { return None };
    let part = |ty: TyId| match types.get(ty) {
        _ if is_basic(ty) => Some(ModelPart::Basic(ty)),
        Type::Pointer(pointee) if is_basic(pointee.ty) => Some(ModelPart::Pointer(*pointee)),
        Type::Pointer(_) => Some(ModelPart::Pointer(QualTy::plain(TyId::VOID))),
        _other => None,
    };
    let params = function.params.iter().map(|param| part(*param)).collect::<Option<Vec<_>>>()?;
    Some(ModelType { ret: part(function.ret.ty)?, params, is_variadic: function.is_variadic })
}

/// Types that every table holds at the same place.
fn is_basic(ty: TyId) -> bool {
    ty.0 <= TyId::VALIST.0 && ty != TyId::ERROR
}

/// What stands above the support table.
const SUPPORT_HEAD: &str = "\
# Library models

Functions that a program uses but does not define get one of these models; what anything else without a body
is assumed to do is said by `--missing` (`docs/missing.md`). This page is the output of `unpick library`.

`exact` does what the C library does (and checks what it accesses), `any value` stands for every possible result,
`bounded` is exact up to the limit named, `unmodelled` ends in `unknown` when it is reached.

| header | function | model | remark |
|---|---|---|---|
";

/// What is modelled and how well, as a Markdown page. The files say it themselves: `//! header: NAME` at the
/// top, and `/// FUNCTION: DEGREE — REMARK` above each function.
pub fn support_table() -> String {
    let mut rows: Vec<(&str, &str, &str, &str)> = Vec::new();
    for file in FILES {
        let header = file.text.lines().find_map(|line| line.strip_prefix("//! header: ")).unwrap_or("");
        for line in file.text.lines().filter_map(|line| line.strip_prefix("/// ")) {
            let Some((name, rest)) = line.split_once(": ") else { continue };
            let (degree, remark) = rest.split_once(" — ").unwrap_or((rest, ""));
            rows.push((header, name, degree, remark));
        }
    }
    rows.sort_unstable();
    let mut table = String::from(SUPPORT_HEAD);
    for (header, name, degree, remark) in rows {
        table.push_str(&format!("| {header} | `{name}` | {degree} | {remark} |\n"));
    }
    table
}

/// External names a file defines.
fn provided_by(file: &ModelFile) -> Vec<String> {
    let mut session = Session::default();
    let Some(text) = session.sources.add(file.name, file.text) else { return Vec::new() };
    let mut parser = Parser::new(&mut session, text);
    let mut names = Vec::new();
    while let Some(external) = parser.next_external(&mut session) {
        match external {
            ExternalDecl::Function(function) if !function.specs.storage.is_static => {
                names.extend(function.declarator.name.map(|ident| ident.name));
            }
            ExternalDecl::Declaration(declaration) => {
                let storage = declaration.specs.storage;
                if storage.is_static || storage.is_extern || storage.is_typedef {
                    continue;
                }
                let objects = declaration
                    .declarators
                    .iter()
                    .filter(|init| !matches!(init.declarator.derivations.last(), Some(Derivation::Function { .. })));
                names.extend(objects.filter_map(|init| init.declarator.name).map(|ident| ident.name));
            }
            ExternalDecl::Function(_)
            | ExternalDecl::StaticAssert(_)
            | ExternalDecl::Asm(_)
            | ExternalDecl::Empty
            | ExternalDecl::PragmaPack(_) => {}
        }
    }
    names.into_iter().map(|symbol| session.interner.name(symbol).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_listed_and_defines_what_it_describes() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
        let entries = std::fs::read_dir(folder).expect("the models should be there");
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(!name.ends_with(".c") || FILES.iter().any(|file| file.name == name), "{name} is not listed");
        }
        for file in FILES {
            let provided = provided_by(file);
            for line in file.text.lines().filter_map(|line| line.strip_prefix("/// ")) {
                let Some((name, _)) = line.split_once(": ") else { continue };
                assert!(provided.iter().any(|other| other == name), "{} describes {name} but lacks it", file.name);
            }
        }
    }
}
