//! Executes the saved execution of a model again, with the model as it is now.

use std::path::PathBuf;

use unpick_ir::automaton::Model;
use unpick_system::{LassoEvidence, Watch, Wrong};
use unpick_witness::{
    Finding, ModelRecipe, Moves, Recipe, ReplayMismatch, SavedTrace, Trace, first_difference, moves_from_text,
    moves_text, replay_claim, retrace_model,
};

use super::again::{Again, recorded};
use super::model::{Basis, prepare};
use super::model_claims::Watched;
use super::tabled;
use crate::args::CheckArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::model::LoadedModel;

/// Tells models apart, layout of states included.
pub fn fingerprint(model: &Model) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(format!("{model:?}").as_bytes()))
}

/// What has to be kept besides the execution itself.
pub fn recipe(model: ModelRecipe) -> Recipe {
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Recipe { version, arguments: arguments.collect(), model: Some(model), ..Recipe::default() }
}

/// An execution that ends in something wrong.
pub fn of_moves(wrong: Wrong, moves: &[Moves]) -> ModelRecipe {
    let wrong = match wrong {
        Wrong::Fault => "fault",
        Wrong::InvalidEnd => "end",
    };
    ModelRecipe { wrong: wrong.to_owned(), moves: moves.iter().map(moves_text).collect(), ..ModelRecipe::default() }
}

/// An execution that is wrong as a whole.
pub fn of_states(model: &Model, (watch, is_fair): Watched, evidence: &LassoEvidence) -> ModelRecipe {
    let wrong = match watch {
        Watch::Claim(claim) => format!("claim:{}", model.claims[claim].name),
        Watch::Accepted => "acceptance".to_owned(),
        Watch::NonProgress => "non-progress".to_owned(),
    };
    let digits = |state: &Vec<u8>| state.iter().map(|byte| format!("{byte:02x}")).collect();
    let states = evidence.path.iter().map(digits).collect();
    ModelRecipe { wrong, is_fair, states, loop_from: evidence.loop_from, moves: Vec::new() }
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
    let is_changed = fingerprint(&loaded.model) != saved.fingerprint;
    let (found, trace) = match recipe.wrong.as_str() {
        "fault" => by_moves(recipe, loaded, Wrong::Fault)?,
        "end" => by_moves(recipe, loaded, Wrong::InvalidEnd)?,
        // States of one model mean nothing to another.
        _ if is_changed => {
            let mismatch = Some("the states of the recorded execution are not those of the model any more".to_owned());
            return Ok(Again { is_changed, difference: None, mismatch });
        }
        _ => by_states(recipe, loaded)?,
    };
    let mut trace = trace;
    basis.on_the_source(&mut Finding::default(), &mut trace);
    let mismatch = match found {
        Ok(finding) if finding.kind == saved.finding.kind => None,
        Ok(finding) => Some(format!("{} instead of {}", finding.kind, saved.finding.kind)),
        Err(mismatch) => Some(mismatch.to_string()),
    };
    Ok(Again { is_changed, difference: first_difference(&saved.trace, &trace), mismatch })
}

type Followed = (Result<Finding, ReplayMismatch>, Trace);

fn by_moves(recipe: &ModelRecipe, loaded: &LoadedModel, wrong: Wrong) -> Outcome<Followed> {
    let read = |text: &String| {
        moves_from_text(text).ok_or_else(|| Failure::new(format!("the trace holds an unknown move `{text}`")))
    };
    let moves: Vec<Moves> = recipe.moves.iter().map(read).collect::<Outcome<_>>()?;
    Ok(retrace_model(&loaded.model, &loaded.session.sources, &moves, wrong))
}

fn by_states(recipe: &ModelRecipe, loaded: &LoadedModel) -> Outcome<Followed> {
    let watch = watch(recipe, &loaded.model)?;
    let path = states(recipe)?;
    // What nobody can be fooled by is found while the states are followed.
    let evidence = LassoEvidence { path, loop_from: recipe.loop_from, fault: None };
    let beside = loaded.model.beside_claim();
    let model = if watch == Watch::Accepted { &loaded.model } else { &beside };
    Ok(match replay_claim(model, &loaded.session.sources, (watch, recipe.is_fair), &evidence) {
        Ok((finding, trace)) => (Ok(finding), trace),
        Err(mismatch) => (Err(mismatch), Trace::default()),
    })
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
pub fn states(recipe: &ModelRecipe) -> Outcome<Vec<Vec<u8>>> {
    let path: Option<Vec<Vec<u8>>> = recipe.states.iter().map(|digits| state(digits)).collect();
    let path = path.filter(|path| recipe.loop_from.is_none_or(|from| from < path.len()));
    path.ok_or_else(|| Failure::new("the trace holds a state that is none"))
}

fn watch(recipe: &ModelRecipe, model: &Model) -> Outcome<Watch> {
    let unknown = || Failure::new(format!("the trace speaks of `{}`, which the model does not have", recipe.wrong));
    match recipe.wrong.as_str() {
        "acceptance" => Ok(Watch::Accepted),
        "non-progress" => Ok(Watch::NonProgress),
        other => {
            let name = other.strip_prefix("claim:").ok_or_else(unknown)?;
            let claim = model.claims.iter().position(|claim| &*claim.name == name).ok_or_else(unknown)?;
            Ok(Watch::Claim(claim))
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
