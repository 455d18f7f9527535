//! `unpick check --table`: extract a model, check it, speak of the lines of the source.
//!
//! A violation that the model owes to its freedom is looked for in the program itself; with `--refine`, rows that gave it
//! the freedom are taken back until a violation is confirmed, nothing is found, or nothing is left to be taken back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use unpick_extract::audit::{Kind, labels, n_restrictions};
use unpick_extract::extraction::Decided;
use unpick_extract::omissions::Omissions;
use unpick_extract::proof::Proofs;
use unpick_extract::refine::Edit;
use unpick_extract::write::{Added, Written};
use unpick_system::Reason;
use unpick_witness::{Extracted as Recipe, Finding};

use super::Limits;
use super::confirm::{Source, Widening, confirm};
use super::model::{self, Answer, Basis, Confirmation, EXTRACTED, Prepared};
use crate::args::{CheckArgs, InputArgs};
use crate::config::Layers;
use crate::failure::Outcome;
use crate::flags::Flags;
use crate::input::Settings;
use crate::model::{LoadedModel, load_text};
use crate::tabled::{CommandLineClaims, Modelled, read_refined, warn, wrong_table};

/// Rows are taken back at most so often.
const MAX_ROUNDS: usize = 20;

pub fn run(mut args: CheckArgs, layers: &Layers) -> Outcome<u8> {
    let claimed =
        CommandLineClaims { invariants: std::mem::take(&mut args.invariant), formulas: super::formulas(&args, layers) };
    model::refuse_flags(&args, layers)?;
    let limits = Limits::new(&args, layers, true)?;
    let source = Rc::new(RefCell::new(Source::new(Settings::new(&args.input, layers)?)));
    let mut edits: Vec<Edit> = Vec::new();
    let mut last: Option<Answer> = None;
    for round in 0..MAX_ROUNDS {
        let mut modelled = read_refined(&args.input, &args.model, layers, &edits, &claimed)?;
        let Extracted { text, mut basis, widening } = match extract(&mut modelled, &args, layers) {
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
        let loaded = load_text(&text, &model_flags(&args, layers)?, &super::formulas(&args, layers))?;
        if args.syntax_only {
            return Ok(0);
        }
        basis.extracted = Some(recipe(&args.input, &args, layers, &edits));
        let next = Rc::new(RefCell::new(Vec::new()));
        let (ideas, source) = (next.clone(), source.clone());
        basis.confirm = Some(Box::new(move |found, added, attendant| {
            if let Some(reason) = exhausted(found.finding, added) {
                return Confirmation::Possible(reason);
            }
            let (confirmation, edits) = confirm(&mut source.borrow_mut(), &widening, found, attendant);
            *ideas.borrow_mut() = edits;
            confirmation
        }));
        last = Some(model::answer(Prepared::new(loaded, &args, layers, &basis)?, &args, &limits, basis)?);
        let next: Vec<Edit> = next.take().into_iter().filter(|edit| !edits.contains(edit)).collect();
        if !args.refine || next.is_empty() {
            break;
        }
        for edit in &next {
            tell!("refined: {}", edit.shown());
        }
        // Lines keep their numbers as long as rows are added behind the others are taken out.
        edits.extend(next);
        edits.sort_by_key(|edit| matches!(edit, Edit::Add { .. }));
    }
    match last {
        Some(answer) => model::present(&args, &limits, answer),
        None => Ok(0),
    }
}

/// How the text of a model is preprocessed: macros and files of the command are for the sources.
fn model_flags(args: &CheckArgs, layers: &Layers) -> Outcome<Flags> {
    let mut input = args.input.clone();
    input.defines.clear();
    input.undefines.clear();
    input.includes.clear();
    Ok(Settings::new(&input, layers)?.flags)
}

/// What a model is extracted from.
fn recipe(input: &InputArgs, args: &CheckArgs, layers: &Layers, edits: &[Edit]) -> Recipe {
    let (config, harness) = layers.pick(None, |config| &config.extract);
    let config = config.unwrap_or_default();
    let table = args.model.table.as_ref().or(config.table.as_ref());
    let preferences = args.model.preferences.as_ref().or(config.preferences.as_ref());
    let named = input.files.iter().chain(table).chain(preferences).chain(&config.environment);
    let harness = (harness != "default").then(|| harness.to_owned());
    let mut recipe =
        Recipe { files: named.map(|path| path.display().to_string()).chain(harness).collect(), ..Recipe::default() };
    for edit in edits {
        match edit {
            Edit::Drop { file, line, text } => recipe.dropped.push((file.clone(), *line, text.clone())),
            Edit::Add { row } => recipe.added.push(row.clone()),
        }
    }
    recipe
}

/// Extracts the model of a saved trace again.
pub fn again(mut args: CheckArgs, layers: &Layers, recipe: &Recipe) -> Outcome<(LoadedModel, Basis)> {
    let drop =
        |(file, line, text): &(String, u32, String)| Edit::Drop { file: file.clone(), line: *line, text: text.clone() };
    let added = recipe.added.iter().map(|row| Edit::Add { row: row.clone() });
    let edits: Vec<Edit> = recipe.dropped.iter().map(drop).chain(added).collect();
    let claimed =
        CommandLineClaims { invariants: std::mem::take(&mut args.invariant), formulas: super::formulas(&args, layers) };
    let mut modelled = read_refined(&args.input, &args.model, layers, &edits, &claimed)?;
    let Extracted { text, basis, .. } = extract(&mut modelled, &args, layers)?;
    let loaded = load_text(&text, &model_flags(&args, layers)?, &super::formulas(&args, layers))?;
    Ok((Prepared::new(loaded, &args, layers, &basis)?.loaded, basis))
}

/// What a violation says that is none of the program: there is not enough room in the model for its data.
fn exhausted(finding: &Finding, added: Option<Added>) -> Option<Reason> {
    let what = match added {
        Some(Added::Block) => "the program allocates more blocks at a time than the model has room for",
        Some(Added::Process) => "more processes run at a time than the model has room for",
        Some(Added::Freed) | None => return None,
    };
    let remedy = "check the program itself, without a table".to_owned();
    Some(Reason::Abstraction { text: format!("{what}, at {}:{}", finding.file, finding.line), remedy: Some(remedy) })
}

/// A model, what it rests on, and where it is freer than the program.
struct Extracted {
    text: String,
    basis: Basis,
    widening: Widening,
}

fn extract(modelled: &mut Modelled, args: &CheckArgs, layers: &Layers) -> Outcome<Extracted> {
    let is_fair = layers.pick(args.fair.then_some(true), |config| &config.fair).0.unwrap_or(false);
    let has_formulas = !super::formulas(args, layers).is_empty() || !modelled.program.harness.ltl.is_empty();
    let mut diagnostics = std::mem::take(&mut modelled.session.diagnostics);
    let n_before = diagnostics.iter().count();
    let decided = modelled.program.decide(&modelled.session.interner, &modelled.session.sources, &mut diagnostics);
    let result = decided.and_then(|decided| {
        let written = decided.checked_model("", !args.model.no_simplify, &mut diagnostics)?;
        let proofs = Proofs::new(&decided);
        let mut basis = basis(&decided, &proofs);
        basis.added = added(&decided, &written);
        if is_fair && written.text.contains("progress_at_the_end:") && has_formulas {
            basis.doubts.push("threads may go on in the model when `main` has ended, and fairness makes them".into());
        }
        basis.assumptions.extend(written.assumptions.iter().cloned());
        let omissions = Omissions::new(&decided, &written);
        basis.assumptions.extend(omissions.assumptions);
        let n_doubts = omissions.doubts.len();
        basis.doubts.extend(omissions.doubts);
        let mut widening = Widening::new(&decided, &proofs);
        let freedom = &mut widening.freedom;
        // What the program could refute is asked of it; where only the model can be run, its assumptions stand with
        // the verdict.
        freedom.is_certain = n_doubts == 0 && (written.assumptions.is_empty() || !freedom.can_be_run());
        Some(Extracted { text: written.marked(&decided.context, EXTRACTED), basis, widening })
    });
    modelled.session.diagnostics = diagnostics;
    result.ok_or_else(|| wrong_table(&modelled.session, &modelled.lines, n_before))
}

/// The assertions that only the model has, by their lines in it, and the lines of the source.
fn added(decided: &Decided<'_>, written: &Written) -> BTreeMap<u32, (Added, Option<(String, u32)>)> {
    let place = |line: u32| {
        let fragment = written.lines.get(line as usize - 1).copied().flatten()?;
        let place = decided.context.sources.place(decided.context.code.fragments[fragment].span.lo)?;
        Some((place.file.to_string(), place.line))
    };
    written.added.iter().map(|(line, added)| (*line, (*added, place(*line)))).collect()
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
    let n = proofs.n_narrowing().saturating_sub(n);
    if n > 0 {
        basis.doubts.push(format!("{n} rows forget something that the program may do, see `unpick table --audit`"));
    }
    if !decided.decisions.dropped.is_empty() {
        let n = decided.decisions.dropped.len();
        basis.doubts.push(format!("{n} assertions are not in the model"));
    }
    basis
}
