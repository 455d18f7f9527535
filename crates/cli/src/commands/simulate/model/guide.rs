//! What a guided simulation follows: the moves of a saved trace, or of a trail that SPIN has left.

use std::path::Path;

use unpick_witness::{ModelRecipe, Moves, SavedTrace, moves_between, moves_from_text};

use crate::commands::check::again_model;
use crate::failure::{Failure, Outcome};
use crate::input::{Settings, read_text};
use crate::model::{LoadedModel, load_model};
use crate::trail;

/// An execution.
pub struct Guide {
    pub moves: Vec<Moves>,
    /// How many steps come before the endless part.
    pub loop_from: Option<usize>,
}

const HELP: &str = "a guide is a trace that `unpick check --save-trace FILE` wrote for a model, or a .trail of SPIN";
const STALE: &str = "the guide has to belong to this model, as it is now, with the same macros";

/// Reads an execution, and the model as the execution knows it.
pub fn read(file: &Path, settings: &Settings, runs_code: bool) -> Outcome<(LoadedModel, Guide)> {
    if file.extension().is_some_and(|extension| extension == "trail") {
        let loaded = load_model(&settings.files, &settings.flags, &[])?;
        let followed = trail::follow(&loaded, &settings.files[0], &settings.flags, file, runs_code)?;
        return Ok((loaded, Guide { moves: followed.moves, loop_from: followed.loop_after }));
    }
    let name = file.display();
    let saved = SavedTrace::from_json(&read_text(file)?);
    let saved = saved.map_err(|error| Failure::new(format!("{name}: {error}")).help(HELP))?;
    let Some((recipe, of_model)) = saved.recipe.as_ref().and_then(|recipe| Some((recipe, recipe.model.as_ref()?)))
    else {
        return Err(Failure::new(format!("{name}: this is no execution of a model")).help(HELP));
    };
    let mut loaded = again_model::load_recorded(recipe, &settings.files)?;
    let guide = match of_model.states.is_empty() {
        true => by_moves(of_model)?,
        // States of one model mean nothing to another.
        false if again_model::fingerprint(&loaded.model) != saved.fingerprint => {
            return Err(Failure::new(format!("{name}: its states are not those of the model")).help(STALE));
        }
        false => by_states(of_model, &mut loaded)?,
    };
    Ok((loaded, guide))
}

fn by_moves(recipe: &ModelRecipe) -> Outcome<Guide> {
    let read = |text: &String| {
        moves_from_text(text).ok_or_else(|| Failure::new(format!("the trace holds an unknown move `{text}`")))
    };
    Ok(Guide { moves: recipe.moves.iter().map(read).collect::<Outcome<_>>()?, loop_from: None })
}

fn by_states(recipe: &ModelRecipe, loaded: &mut LoadedModel) -> Outcome<Guide> {
    // SPIN counts claims among the processes.
    if recipe.wrong != "acceptance" {
        loaded.model = loaded.model.beside_claim();
    }
    let mut path = again_model::states(recipe)?;
    for state in &mut path {
        // The last two bytes are those of what watches.
        state.truncate(state.len() - 2);
    }
    let mismatch = |mismatch| Failure::new(format!("the trace cannot be followed: {mismatch}")).help(STALE);
    let (moves, loop_from) = moves_between(&loaded.model, &path, recipe.loop_from).map_err(mismatch)?;
    Ok(Guide { moves, loop_from })
}
