//! From C sources, table and harness to decisions about a Promela model.

use std::path::Path;

use unpick_extract::extraction::{Inputs, Program};
use unpick_extract::harness::{Data, Harness};
use unpick_extract::refine::Edit;
use unpick_front_c::session::Session;

use crate::args::{DataArg, InputArgs, ModelArgs};
use crate::config::{ExtractConfig, Layers, StepSize};
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::input::{Settings, analyse, rejected, show_from};
use crate::lines::Lines;

/// A program with its table, and what is needed to talk about it.
pub struct Modelled {
    pub session: Session,
    pub program: Program,
    pub lines: Lines,
    /// Headers that were not there, one sentence each.
    pub missing: Vec<String>,
    /// Diagnostics before this one have been shown.
    pub n_shown: usize,
    /// The table as it is written.
    pub table_text: Option<String>,
}

/// Reads everything that a model is made of.
pub fn read(input: &InputArgs, args: &ModelArgs, layers: &Layers) -> Outcome<Modelled> {
    read_refined(input, args, layers, &[], &CommandLineClaims::default())
}

/// Claims about the model on the command line.
#[derive(Default)]
pub struct CommandLineClaims {
    /// Expressions that should hold in every state.
    pub invariants: Vec<String>,
    /// Formulas, which are given to the checker of the model.
    pub formulas: Vec<String>,
}

/// The same, with changes of the table and the preferences, and with what is claimed.
pub fn read_refined(
    input: &InputArgs,
    args: &ModelArgs,
    layers: &Layers,
    edits: &[Edit],
    claimed: &CommandLineClaims,
) -> Outcome<Modelled> {
    let settings = Settings::new(input, layers)?;
    let config = layers.pick(None, |config| &config.extract).0.unwrap_or_default();
    let mut inputs = inputs(args, &config)?;
    refuse_unsupported(&settings)?;
    let named = claimed.invariants.iter().enumerate().map(|(at, text)| (format!("invariant_{}", at + 1), text.clone()));
    inputs.harness.invariants.extend(named);
    inputs.harness.spoken.extend(claimed.formulas.iter().map(|text| ("--ltl".to_owned(), text.clone())));
    inputs.harness.no_spurious = settings.no_spurious;
    inputs.harness.malloc_fails = settings.malloc_fails;
    inputs.harness.any_value.clone_from(&settings.volatile_any);
    if inputs.harness.processes.is_empty() && settings.entry != "main" {
        inputs.harness.processes.push(settings.entry.clone());
    }
    let refined = |name: &str, text: String, is_table: bool| {
        edits.iter().fold(text, |text, edit| edit.applied(name, &text, is_table).unwrap_or(text))
    };
    if inputs.table.is_none() && !edits.is_empty() {
        inputs.table = Some(("refined rows".into(), String::new()));
    }
    inputs.table = inputs.table.map(|(name, text)| (name.clone(), refined(&name, text, true)));
    inputs.preferences = inputs.preferences.map(|(name, text)| (name.clone(), refined(&name, text, false)));
    let table_text = inputs.table.as_ref().map(|(_, text)| text.clone());
    let analysed = analyse(&settings)?;
    let mut session = analysed.session;
    let n_shown = session.diagnostics.iter().count();
    let program = Program::new(
        analysed.units,
        inputs,
        &mut session.interner,
        &mut session.sources,
        &mut session.diagnostics,
        &mut |path| match files::read_to_string(Path::new(path)) {
            Ok(text) => Ok(refined(path, text, false)),
            Err(error) => Err(format!("cannot read {path}: {error}")),
        },
    );
    if session.diagnostics.n_errors() > 0 {
        return Err(wrong_table(&session, &analysed.lines, n_shown));
    }
    Ok(Modelled { session, program, lines: analysed.lines, missing: analysed.missing, n_shown, table_text })
}

/// What is wrong with table or harness.
pub fn wrong_table(session: &Session, lines: &Lines, first: usize) -> Failure {
    let mut failure = rejected(session, lines, first);
    failure.message = failure.message.replace("the source has", "the table or the harness has");
    failure
}

/// Shows warnings about table and harness.
pub fn warn(modelled: &Modelled) {
    show_from(&modelled.session, &modelled.lines, modelled.n_shown);
}

/// Refuses options that extraction does not support.
fn refuse_unsupported(settings: &Settings) -> Outcome<()> {
    let refused = [
        ("--library-fails", settings.library_fails),
        ("--library-races", settings.library_races),
        ("--volatile atomic", settings.volatile == crate::args::VolatileArg::Atomic),
        ("--isr", !settings.interrupts.handlers.is_empty()),
        ("ranges of devices", !settings.devices.is_empty()),
    ];
    match refused.into_iter().find(|(_, is_given)| *is_given) {
        Some((what, _)) => Err(Failure::new(format!("extracted models know nothing of {what}"))
            .help("leave it out, or check the program without a table")),
        None => Ok(()),
    }
}

fn inputs(args: &ModelArgs, config: &ExtractConfig) -> Outcome<Inputs> {
    let file = |path: &Path| -> Outcome<(String, String)> {
        let name = path.display().to_string();
        let text = files::read_to_string(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
        Ok((name, text))
    };
    let table = args.table.as_ref().or(config.table.as_ref());
    let preferences = args.preferences.as_ref().or(config.preferences.as_ref());
    let pairs = |map: &std::collections::BTreeMap<String, String>| {
        map.iter().map(|(name, text)| (name.clone(), text.clone())).collect()
    };
    Ok(Inputs {
        table: table.map(|path| file(path)).transpose()?,
        preferences: preferences.map(|path| file(path)).transpose()?,
        harness: Harness {
            processes: if args.processes.is_empty() { config.processes.clone() } else { args.processes.clone() },
            inline: config.inline.clone(),
            callable: config.callable.clone(),
            abstracted: config.r#abstract.clone(),
            declare: config.declare.clone(),
            environment: config.environment.iter().map(|path| file(path)).collect::<Outcome<_>>()?,
            ltl: pairs(&config.ltl),
            invariants: pairs(&config.invariant),
            has_large_steps: config.steps == StepSize::Statements,
            data: match args.data.or(config.data) {
                Some(DataArg::C) => Data::C,
                Some(DataArg::Promela) | None => Data::Promela,
            },
            ..Harness::default()
        },
    })
}
