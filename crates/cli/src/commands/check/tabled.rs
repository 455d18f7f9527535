//! `unpick check --table`: extract a model, check it, speak of the lines of the source.
//!
//! A violation that the model owes to its freedom is looked for in the program itself; with `--refine`, rows that gave it
//! the freedom are taken back until a violation is confirmed, nothing is found, or nothing is left to be taken back.

use std::cell::RefCell;
use std::rc::Rc;

use unpick_extract::audit::{Kind, labels, n_restrictions};
use unpick_extract::extraction::Decided;
use unpick_extract::proof::Proofs;
use unpick_extract::refine::Edit;
use unpick_extract::worth::Worth;
use unpick_witness::{Doubt, Finding};

use super::Limits;
use super::confirm::{Freedom, confirm};
use super::model::{self, Answer, Basis, Confirmation};
use crate::args::CheckArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::Settings;
use crate::tabled::{Modelled, read_refined, warn, wrong_table};

/// Rows are taken back at most so often.
const MAX_ROUNDS: usize = 20;

pub fn run(mut args: CheckArgs, layers: &Layers) -> Outcome<u8> {
    let input = args.input.clone();
    let cannot = |error: std::io::Error| Failure::new(format!("cannot write a temporary file: {error}"));
    let folder = tempfile::Builder::new().prefix("unpick").tempdir().map_err(cannot)?;
    let path = folder.path().join("model.pml");
    let mut edits: Vec<Edit> = Vec::new();
    let mut last: Option<(Answer, Limits)> = None;
    for round in 0..MAX_ROUNDS {
        let mut modelled = read_refined(&input, &args.model, layers, &edits)?;
        let Extracted { text, mut basis, freedom } = match extract(&mut modelled, &args) {
            Ok(extracted) => extracted,
            // Rows that depend on each other cannot be taken back one by one.
            Err(_) if last.is_some() => break,
            Err(failure) => return Err(failure),
        };
        if round == 0 {
            warn(&modelled);
        }
        basis.assumptions.splice(0..0, modelled.missing.iter().cloned());
        basis.assumptions.extend(edits.iter().map(|edit| format!("the table is taken {}", edit.shown())));
        std::fs::write(&path, text).map_err(cannot)?;
        args.input.files = vec![path.clone()];
        // Macros and folders were for the sources.
        args.input.defines.clear();
        args.input.undefines.clear();
        args.input.includes.clear();
        let limits = Limits::new(&args, layers, true)?;
        let next = Rc::new(RefCell::new(Vec::new()));
        let mut settings = Settings::new(&input, layers)?;
        freedom.enter(&mut settings);
        let ideas = next.clone();
        basis.confirm = Some(Box::new(move |finding, trace| {
            if let Some(doubt) = exhausted(finding) {
                return Confirmation::Possible(doubt);
            }
            let (confirmation, edits) = confirm(&settings, &freedom, finding, trace);
            *ideas.borrow_mut() = edits;
            confirmation
        }));
        let Some(answer) = model::answer(&args, layers, &limits, basis)? else { return Ok(0) };
        last = Some((answer, limits));
        let next: Vec<Edit> = next.take().into_iter().filter(|edit| !edits.contains(edit)).collect();
        if !args.refine || next.is_empty() {
            break;
        }
        for edit in &next {
            eprintln!("refined: {}", edit.shown());
        }
        // Lines keep their numbers as long as rows are added behind the others are taken out.
        edits.extend(next);
        edits.sort_by_key(|edit| matches!(edit, Edit::Add { .. }));
    }
    match last {
        Some((answer, limits)) => model::present(&args, &limits, answer),
        None => Ok(0),
    }
}

/// What a violation says that is none of the program: there is not enough room in the model for its data.
fn exhausted(finding: &Finding) -> Option<Doubt> {
    let is_heap = finding.message.contains("_has_room ()");
    let is_process = finding.message.contains("_pid < ");
    let what = match (is_heap, is_process) {
        (true, _) => "the program allocates more blocks at a time than the model has room for",
        (false, true) => "more processes run at a time than the model has room for",
        (false, false) => return None,
    };
    let remedy = "check the program itself, without a table".to_owned();
    Some(Doubt {
        text: format!("{what}, at {}:{}", finding.file, finding.line),
        remedy: Some(remedy),
        ..Doubt::default()
    })
}

/// A model, what it rests on, and where it is freer than the program.
struct Extracted {
    text: String,
    basis: Basis,
    freedom: Freedom,
}

fn extract(modelled: &mut Modelled, args: &CheckArgs) -> Outcome<Extracted> {
    let mut diagnostics = std::mem::take(&mut modelled.session.diagnostics);
    let n_before = diagnostics.iter().count();
    let decided = modelled.program.decide(&modelled.session.interner, &modelled.session.sources, &mut diagnostics);
    let result = decided.and_then(|decided| {
        let written = decided.checked_model("", !args.model.no_simplify, &mut diagnostics)?;
        let proofs = Proofs::new(&decided);
        let mut basis = basis(&decided, &proofs);
        basis.assumptions.extend(written.assumptions.iter().cloned());
        let worth = Worth::new(&decided, &written);
        basis.assumptions.extend(worth.assumptions);
        let n_doubts = worth.doubts.len();
        basis.doubts.extend(worth.doubts);
        let mut freedom = Freedom::new(&decided, &proofs);
        // What the program could refute is asked of it; where only the model can be run, its assumptions stand with
        // the verdict.
        freedom.is_certain = n_doubts == 0 && (written.assumptions.is_empty() || !freedom.can_be_run());
        Some(Extracted { text: written.marked(&decided.context, "model.pml"), basis, freedom })
    });
    modelled.session.diagnostics = diagnostics;
    result.ok_or_else(|| wrong_table(&modelled.session, &modelled.lines, n_before))
}

/// What the rows of the table do to the behaviours of the program.
fn basis(decided: &Decided<'_>, proofs: &Proofs) -> Basis {
    let counts = labels(decided, proofs);
    let count = |kind: Kind| counts.get(&kind).copied().unwrap_or(0);
    let mut basis = Basis::default();
    let n_entries: usize = counts.values().sum();
    if count(Kind::Unverified) > 0 {
        let n = count(Kind::Unverified);
        basis.assumptions.push(format!("the meaning that rows give to {n} of {n_entries} entries is right"));
    }
    let n = n_restrictions(decided);
    if n > 0 {
        basis.doubts.push(format!("{n} conditions are never tried because rows say so: nothing was found beside them"));
    }
    let n = proofs.n_forgetful().saturating_sub(n);
    if n > 0 {
        basis.doubts.push(format!("{n} rows forget something that the program may do, see `unpick table --audit`"));
    }
    if !decided.decisions.dropped.is_empty() {
        let n = decided.decisions.dropped.len();
        basis.doubts.push(format!("{n} assertions are not in the model"));
    }
    basis
}
