//! What a guided simulation follows: the moves of a saved trace, or of a trail that SPIN has left.

use std::path::Path;

use unpick_automaton::run::Moves;
use unpick_witness::SavedTrace;

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

const STALE: &str = "the guide has to belong to this model, as it is now, with the same macros";
const HELP: &str = "a guide is a trace that `unpick check --save-trace FILE` wrote for a model, or a .trail of SPIN";

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
    let found = again_model::saved_run(of_model, &loaded.model)?;
    let (run, model) = found.map_err(|stale| Failure::new(format!("{name}: {stale}")).help(STALE))?;
    loaded.model = model;
    let loop_from = run.loop_from.filter(|from| *from < run.moves.len());
    Ok((loaded, Guide { moves: run.moves, loop_from }))
}
