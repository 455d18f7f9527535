//! Embedded C of a model: written as one unit, preprocessed and compiled as any C, joined with the model.
//!
//! What C text names has to be there: a model is no fragment, so holes in it are errors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unpick_automaton::Model;
use unpick_automaton::code::names;
use unpick_base::{Diagnostic, Severity, Span};
use unpick_embedded::Embedded;
use unpick_front_c::ast::{DeclKind, ExprKind, Unit};
use unpick_front_c::session::Session as CSession;
use unpick_front_promela::embed;
use unpick_front_promela::session::Session;
use unpick_lower_c::LowerOptions;
use unpick_program::verify::{Form, verify};
use unpick_report::diagnostic::assumption_line;

use crate::args::TargetArg;
use crate::failure::{Failure, Outcome};
use crate::flags::Flags;
use crate::input::{rejected, show_from};
use crate::lines::Lines;
use crate::preprocess::preprocess;
use crate::scratch;

/// Compiles the C of a model and joins the two; nothing if there is none. Gives what it leans on.
pub fn join(model: &mut Model, session: &Session, lines: &Lines, file: &Path, flags: &Flags) -> Outcome<Vec<String>> {
    if !model.has_code {
        return Ok(Vec::new());
    }
    let unit = embed::unit(model, &session.sources);
    let text = preprocessed(&unit.text, file, flags)?;
    let mut c = CSession { is_strict: true, ..CSession::default() };
    let index = c.sources.add(embed::PLACE, &text).ok_or_else(|| Failure::new("the C code is larger than 4 GiB"))?;
    let analysed = unpick_front_c::analyse(&mut c, index);
    refuse_effects(&mut c, &analysed, model);
    if c.diagnostics.n_errors() > 0 {
        return Err(refused(&c, lines, model));
    }
    let mut options = LowerOptions { entry: names::START.to_owned(), also: unit.functions, ..LowerOptions::default() };
    // What is printed is told with the steps that print it.
    options.options.insert("skip-output".into(), 0);
    let Some(program) = unpick_lower_c::lower(&mut c, vec![analysed], &options) else {
        return Err(refused(&c, lines, model));
    };
    show_from(&c, lines, 0);
    if let Err(faults) = verify(&program, Form::Program) {
        let list: Vec<String> = faults.iter().take(5).map(ToString::to_string).collect();
        panic!("the program of embedded C should be well-formed:\n{}", list.join("\n"));
    }
    let holes = c.diagnostics.iter().filter(|item| item.severity == Severity::Assumption);
    let assumptions = holes.map(|item| assumption_line(item, &c.sources)).collect();
    let embedded = Embedded::link(program, model);
    model.embedded = Some(Arc::new(embedded));
    Ok(assumptions)
}

/// Expressions are looked at as often as the search likes, so they must not change anything. What they call may do
/// so nevertheless, which is found when it happens.
fn refuse_effects(c: &mut CSession, unit: &Unit, model: &Model) {
    let is_looked_at = |name: &str| {
        let pieces = model.code.pieces.iter_enumerated();
        pieces
            .into_iter()
            .any(|(id, piece)| piece.is_expression && name == names::piece(id) || name == names::precondition(id))
    };
    let bodies = unit.decls.iter().filter_map(|decl| match &decl.kind {
        DeclKind::Function(function) if is_looked_at(c.interner.name(decl.name)) => function.body,
        _ => None,
    });
    let spans: Vec<Span> = bodies.map(|body| unit.stmts[body].span).collect();
    for expr in unit.exprs.iter() {
        let changes =
            matches!(expr.kind, ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. });
        if changes && spans.iter().any(|span| span.lo <= expr.span.lo && expr.span.hi <= span.hi) {
            let help = "do it in `c_code`, and look at the result here";
            let message = "an expression that is only looked at must not change anything";
            c.diagnostics.push(Diagnostic::new(Severity::Error, expr.span, message).help(help));
        }
    }
}

/// Runs the C preprocessor; files are looked for beside the model.
fn preprocessed(text: &str, file: &Path, flags: &Flags) -> Outcome<String> {
    let cannot = |error: std::io::Error| Failure::new(format!("cannot write a temporary file: {error}"));
    let folder = scratch::Folder::new().map_err(cannot)?;
    let path = folder.path().join("embedded.c");
    std::fs::write(&path, text).map_err(cannot)?;
    let mut flags = flags.clone();
    let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(".".into(), PathBuf::from);
    flags.search_first(&beside);
    let found = preprocess(&path, &flags, TargetArg::Lp64, true);
    found
        .map(|found| plainly_named(&found.text))
        .map_err(|failure| failure.help("files are looked for beside the model and in -I"))
}

/// Files of this folder are known by their plain names in line markers.
fn plainly_named(text: &str) -> String {
    let line = |line: &str| match line.starts_with("# ") {
        true => line.replacen(" \"./", " \"", 1),
        false => line.to_owned(),
    };
    text.lines().map(|found| line(found) + "\n").collect()
}

/// The errors; names that belong to another process are explained.
fn refused(c: &CSession, lines: &Lines, model: &Model) -> Failure {
    let mut failure = rejected(c, lines, 0);
    failure.message = failure.message.replace("the source has", "the C code of the model has");
    let pointers = model.proctypes.iter().map(|proctype| format!("`P{}`", proctype.name.trim_matches(':')));
    let is_about = |pointer: &String| failure.details.iter().any(|detail| detail.message.contains(pointer.as_str()));
    if let Some(pointer) = pointers.into_iter().find(is_about) {
        failure.help = Some(format!(
            "{pointer} is known in the code of its own process type only; hand it to functions; globals are in `now`"
        ));
    }
    failure
}
