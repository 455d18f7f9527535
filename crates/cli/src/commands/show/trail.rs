//! Trails of SPIN, shown on the lines of the source the model was extracted from.

use std::path::Path;

use unpick_automaton::run::moves_along;
use unpick_extract::origin::Origins;
use unpick_report::{Sources as _, TraceStyle};
use unpick_system::{AutomatonRun, Interpreted};
use unpick_witness::{Finding, Trace, replay_run, tell_moves};

use crate::args::{ShowArgs, TraceArg};
use crate::failure::{Failure, Outcome};
use crate::flags::Flags;
use crate::input::screen;
use crate::model::{LoadedModel, load_model};
use crate::output::say;

/// Shows a trail for a model.
pub fn run(args: &ShowArgs, trail: &Path) -> Outcome<u8> {
    let flags = Flags::new(&[], &args.defines, &[], &[], None)?;
    let loaded = load_model(std::slice::from_ref(&args.trace), &flags, &[])?;
    let followed = crate::trail::follow(&loaded, &args.trace, &flags, trail, args.run_model_code)?;
    let sources = &loaded.session.sources;
    let wrong =
        |mismatch: unpick_witness::ReplayMismatch| Failure::new(format!("the trail cannot be told: {mismatch}"));
    let told = |path: &[Vec<u8>]| {
        let moves = moves_along(&loaded.model, path, false, false).map_err(|impossible| wrong(impossible.into()))?;
        Ok::<Trace, Failure>(tell_moves(&loaded.model, sources, &moves))
    };
    let (mut finding, mut trace) = match followed.wrong {
        Some(wrong_kind) => {
            let run = AutomatonRun::along(&Interpreted::new(&loaded.model), &followed.path, false, wrong_kind);
            let run = run.map_err(|impossible| wrong(impossible.into()))?;
            let (finding, trace) = replay_run(&loaded.model, sources, &run).map_err(wrong)?;
            (Some(finding), trace)
        }
        None => (None, told(&followed.path)?),
    };
    if let Some(n_states) = followed.loop_from {
        trace.loop_start = Some(told(&followed.path[..n_states])?.steps.len());
    }
    let text = crate::input::read_text(&args.trace)?;
    on_the_source(&args.trace.display().to_string(), &Origins::read(&text), finding.as_mut(), &mut trace, &loaded);
    let screen = screen(args.width);
    let style = match args.how {
        TraceArg::Full => TraceStyle::Full,
        TraceArg::Short => TraceStyle::Short,
        TraceArg::None => TraceStyle::None,
    };
    let head = match (&finding, trace.loop_start) {
        (Some(finding), _) => unpick_report::text::violation(finding, &loaded.lines, screen.colour),
        (None, Some(_)) => "the execution goes round for ever\n".to_owned(),
        (None, None) => "the trail ends where nothing is wrong by itself\n".to_owned(),
    };
    say(&format!("{head}\n{}", unpick_report::trace::trace(&trace, style, screen)));
    Ok(0)
}

/// Puts steps on the lines of the source that the model's lines come from.
fn on_the_source(
    model: &str,
    origins: &Origins,
    finding: Option<&mut Finding>,
    trace: &mut Trace,
    loaded: &LoadedModel,
) {
    for step in &mut trace.steps {
        let Some((file, line)) = origins.get(step.line).filter(|_| step.file == model) else { continue };
        if let Some(text) = loaded.lines.line(file, line) {
            step.text = text.trim().to_owned();
        }
        (step.file, step.line, step.column) = (file.to_owned(), line, 0);
    }
    if let Some(finding) = finding
        && let Some((file, line)) = origins.get(finding.line).filter(|_| finding.file == model)
    {
        (finding.file, finding.line, finding.column) = (file.to_owned(), line, 0);
    }
}
