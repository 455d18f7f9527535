//! Executes the saved execution of a model again, with the model as it is now.

use std::path::PathBuf;

use unpick_automaton::Model;
use unpick_automaton::run::Moves;
use unpick_check::fingerprint;
use unpick_system::{AutomatonRun, AutomatonViolation, Interpreted, LivenessProperty};
use unpick_witness::{
    Finding, ModelRecipe, Recipe, SavedTrace, Trace, first_difference, moves_from_text, moves_text, replay_run,
    retrace_model,
};

use super::again::{Again, recorded};
use super::model::{Basis, prepare};
use super::tabled;
use crate::args::CheckArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::model::LoadedModel;

/// What has to be kept besides the execution itself.
pub fn recipe(model: ModelRecipe) -> Recipe {
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Recipe { version, arguments: arguments.collect(), model: Some(model), ..Recipe::default() }
}

/// An execution that is wrong.
pub fn of_run(model: &Model, run: &AutomatonRun) -> ModelRecipe {
    let is_fair = matches!(run.wrong, AutomatonViolation::Behaviour { is_fair: true, .. });
    let wrong = match run.wrong {
        AutomatonViolation::Fault => "fault".to_owned(),
        AutomatonViolation::InvalidEnd => "end".to_owned(),
        AutomatonViolation::Behaviour { watch: LivenessProperty::Claim(claim), .. } => {
            format!("claim:{}", model.claims[claim].name)
        }
        AutomatonViolation::Behaviour { watch: LivenessProperty::Accepted, .. } => "acceptance".to_owned(),
        AutomatonViolation::Behaviour { watch: LivenessProperty::NonProgress, .. } => "non-progress".to_owned(),
    };
    let moves = run.moves.iter().map(moves_text).collect();
    ModelRecipe { wrong, is_fair, moves, loop_from: run.loop_from, states: Vec::new() }
}

/// The saved execution of a model, or why it is none any more; and the model with the claim counted among its processes if there is one. Files of
/// earlier versions hold states where claims are violated, which mean nothing to another model.
pub fn saved_run(recipe: &ModelRecipe, model: &Model) -> Outcome<Result<(AutomatonRun, Model), &'static str>> {
    let wrong = match recipe.wrong.as_str() {
        "fault" => AutomatonViolation::Fault,
        "end" => AutomatonViolation::InvalidEnd,
        _ => AutomatonViolation::Behaviour { watch: watch(recipe, model)?, is_fair: recipe.is_fair },
    };
    let model = match wrong {
        AutomatonViolation::Behaviour { watch: LivenessProperty::Claim(_) | LivenessProperty::NonProgress, .. } => {
            model.beside_claim()
        }
        AutomatonViolation::Behaviour { watch: LivenessProperty::Accepted, .. }
        | AutomatonViolation::Fault
        | AutomatonViolation::InvalidEnd => model.clone(),
    };
    if recipe.states.is_empty() {
        let read = |text: &String| {
            moves_from_text(text).ok_or_else(|| Failure::new(format!("the trace holds an unknown move `{text}`")))
        };
        let moves: Vec<Moves> = recipe.moves.iter().map(read).collect::<Outcome<_>>()?;
        if recipe.loop_from.is_some_and(|from| from > moves.len()) {
            return Err(Failure::new("the trace is endless from a step on that it does not have"));
        }
        return Ok(Ok((AutomatonRun { moves, loop_from: recipe.loop_from, wrong }, model)));
    }
    let mut path = states(recipe)?;
    // The last two bytes are those of what watches.
    path.iter_mut().for_each(|state| state.truncate(state.len() - 2));
    let stale = "the states of the recorded execution are not those of the model any more";
    let AutomatonViolation::Behaviour { watch, is_fair } = wrong else { return Ok(Err(stale)) };
    let run = AutomatonRun::round(&Interpreted::new(&model), &path, recipe.loop_from, (watch, is_fair));
    Ok(run.map(|run| (run, model)).map_err(|_| stale))
}

/// Executes a saved trace of a model again, with the model extracted again if it stands for a program.
pub fn execute_again(
    saved: &SavedTrace,
    (whole, recipe): (&Recipe, &ModelRecipe),
    args: CheckArgs,
    layers: &Layers,
) -> Outcome<Again> {
    match &whole.extracted {
        Some(extracted) => {
            let (loaded, basis) = tabled::again(args, layers, extracted)?;
            again(saved, recipe, &loaded, &basis)
        }
        None => again(saved, recipe, &prepare(&args, layers)?.loaded, &Basis::default()),
    }
}

fn again(saved: &SavedTrace, recipe: &ModelRecipe, loaded: &LoadedModel, basis: &Basis) -> Outcome<Again> {
    let is_changed = fingerprint::of_model(&loaded.model) != saved.fingerprint;
    let (run, model) = match saved_run(recipe, &loaded.model)? {
        Ok(found) => found,
        Err(stale) => return Ok(Again { is_changed, difference: None, mismatch: Some(stale.to_owned()) }),
    };
    let sources = &loaded.session.sources;
    let (found, mut trace) = match run.wrong {
        AutomatonViolation::Behaviour { .. } => match replay_run(&model, sources, &run) {
            Ok((finding, trace)) => (Ok(finding), trace),
            Err(mismatch) => (Err(mismatch), Trace::default()),
        },
        AutomatonViolation::Fault | AutomatonViolation::InvalidEnd => retrace_model(&model, sources, &run),
    };
    basis.on_the_source(&mut Finding::default(), &mut trace);
    let mismatch = match found {
        Ok(finding) if finding.kind == saved.finding.kind => None,
        Ok(finding) => Some(format!("{} instead of {}", finding.kind, saved.finding.kind)),
        Err(mismatch) => Some(mismatch.to_string()),
    };
    Ok(Again { is_changed, difference: first_difference(&saved.trace, &trace), mismatch })
}

/// The model of a saved trace as the recorded command reads it, from the files that are named now.
pub fn load_recorded(recipe: &Recipe, files: &[PathBuf]) -> Outcome<LoadedModel> {
    if recipe.extracted.is_some() {
        return Err(Failure::new("the trace is one of a model that is extracted from C, not of the model in a file")
            .help("`unpick show --verify TRACE` executes it again"));
    }
    let mut args = recorded(recipe)?;
    args.input.files = files.to_vec();
    let layers = Layers::read(&args.input)?;
    Ok(prepare(&args, &layers)?.loaded)
}

/// The states of a saved execution, each with two bytes for what watches.
fn states(recipe: &ModelRecipe) -> Outcome<Vec<Vec<u8>>> {
    let path: Option<Vec<Vec<u8>>> = recipe.states.iter().map(|digits| state(digits)).collect();
    let path = path.filter(|path| recipe.loop_from.is_none_or(|from| from < path.len()));
    path.ok_or_else(|| Failure::new("the trace holds a state that is none"))
}

fn watch(recipe: &ModelRecipe, model: &Model) -> Outcome<LivenessProperty> {
    let unknown = || Failure::new(format!("the trace speaks of `{}`, which the model does not have", recipe.wrong));
    match recipe.wrong.as_str() {
        "acceptance" => Ok(LivenessProperty::Accepted),
        "non-progress" => Ok(LivenessProperty::NonProgress),
        other => {
            let name = other.strip_prefix("claim:").ok_or_else(unknown)?;
            let claim = model.claims.iter().position(|claim| &*claim.name == name).ok_or_else(unknown)?;
            Ok(LivenessProperty::Claim(claim))
        }
    }
}

/// The bytes of a state; the last two are those of what watches.
fn state(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) || digits.len() < 4 {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}
