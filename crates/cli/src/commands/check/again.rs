//! Executes a saved trace again, with the sources as they are now.
//!
//! The file says with which command line the program was read. What it says about the search does not matter here: the
//! decisions lead to the violation, or they do not, and then the first step that differs is told.

use clap::Parser as _;
use unpick_check::confirm::Request;
use unpick_program::interp::{Machine, Options, Violation};
use unpick_program::{Loc, Program, ViolationKind};
use unpick_system::ProgramRun;
use unpick_witness::{Difference, Extracted, Recipe, SavedTrace, first_difference, retrace};

use super::confirm::Asked;
use super::{Limits, Question, Searched, again_model, fingerprint, wanted};
use crate::args::{CheckArgs, Cli, Command, with_compiler_spellings};
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::{Settings, load};

/// What has to be kept to execute the evidence again.
pub fn recipe(evidence: &ProgramRun, program: &Program) -> Recipe {
    let Loc { file, line, column } = evidence.violation.loc;
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    Recipe {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        arguments: arguments.collect(),
        every_step: evidence.every_step,
        claim: evidence.claim.as_ref().map(|claim| claim.text.clone()),
        loop_from: evidence.loop_from,
        noticed: (program.files.get(file).cloned().unwrap_or_default(), line, column),
        model: None,
        extracted: None,
    }
}

/// What became of a saved trace.
pub struct Again {
    /// The sources, or how they are read, have changed.
    pub is_changed: bool,
    /// The first step that differs.
    pub difference: Option<Difference>,
    /// Why the execution does not end in the violation.
    pub mismatch: Option<String>,
}

/// Executes a saved trace again.
pub fn execute_again(saved: &SavedTrace) -> Outcome<Again> {
    let recipe = saved.recipe.as_ref().ok_or_else(|| {
        Failure::new("the trace does not say how it can be executed again").help("it was saved long ago")
    })?;
    let args = recorded(recipe)?;
    let layers = Layers::read(&args.input)?;
    if let Some(model) = &recipe.model {
        return again_model::execute_again(saved, (recipe, model), args, &layers);
    }
    if let Some(extracted) = &recipe.extracted {
        return confirmed_again(saved, recipe, extracted, &args, &layers);
    }
    let limits = Limits::new(&args, &layers, false)?;
    let mut settings = Settings::new(&args.input, &layers)?;
    settings.wanted = wanted(&args, &layers)?;
    settings.wanted.also.extend(layers.pick(args.abstraction.clone(), |config| &config.r#abstract).0);
    let mut loaded = load(&settings)?;
    let claims = settings.wanted.claims(&loaded.program, limits.properties)?;
    let evidence = {
        let claim = claims.iter().find(|claim| Some(&claim.text) == recipe.claim.as_ref()).cloned();
        if claim.is_none() && recipe.claim.is_some() {
            return Err(Failure::new("the command line in the trace does not make the claim that was violated"));
        }
        ProgramRun {
            decisions: saved.decisions.clone(),
            every_step: recipe.every_step,
            claim,
            loop_from: recipe.loop_from,
            violation: violation(saved, recipe, &mut loaded.program)?,
        }
    };
    let question = Question {
        program: &loaded.program,
        properties: limits.properties,
        claims: &claims,
        strategy: &limits.strategy,
        searched: Searched::Program,
    };
    let checks = question.checks(evidence.claim.as_ref());
    let max_enumerate = limits.strategy.max_enumerate;
    let options = Options { checks, max_enumerate, is_lazy: false, ..Options::default() };
    let machine = Machine::new(&loaded.program, options);
    let (finding, trace) = retrace(&machine, &loaded.program, &evidence);
    Ok(Again {
        is_changed: fingerprint(&loaded.program) != saved.fingerprint,
        difference: first_difference(&saved.trace, &trace),
        mismatch: finding.err().map(|mismatch| mismatch.to_string()),
    })
}

/// Executes the program again that was asked about a violation of its model.
fn confirmed_again(
    saved: &SavedTrace,
    recipe: &Recipe,
    extracted: &Extracted,
    args: &CheckArgs,
    layers: &Layers,
) -> Outcome<Again> {
    let mut settings = Settings::new(&args.input, layers)?;
    settings.entry = extracted.entry.clone().unwrap_or(settings.entry);
    let kind = kind_of(saved)?;
    let request = Request::new(kind, recipe.claim.as_deref(), extracted.is_fair)?;
    let mut asked = Asked::new(&mut settings, &request).map_err(Failure::new)?;
    let evidence = ProgramRun {
        decisions: saved.decisions.clone(),
        every_step: recipe.every_step,
        claim: asked.inquiry.claim.clone(),
        loop_from: recipe.loop_from,
        violation: violation(saved, recipe, &mut asked.loaded.program)?,
    };
    let options = Options { checks: asked.inquiry.checks(), is_lazy: false, ..Options::default() };
    let machine = Machine::new(&asked.loaded.program, options);
    let (finding, trace) = retrace(&machine, &asked.loaded.program, &evidence);
    Ok(Again {
        is_changed: fingerprint(&asked.loaded.program) != saved.fingerprint,
        difference: first_difference(&saved.trace, &trace),
        mismatch: finding.err().map(|mismatch| mismatch.to_string()),
    })
}

fn kind_of(saved: &SavedTrace) -> Outcome<ViolationKind> {
    let kind = &saved.finding.kind;
    ViolationKind::from_name(kind)
        .ok_or_else(|| Failure::new(format!("the trace has an unknown kind of violation `{kind}`")))
}

pub(super) fn recorded(recipe: &Recipe) -> Outcome<CheckArgs> {
    let words = std::iter::once("unpick".to_owned()).chain(recipe.arguments.iter().cloned()).map(Into::into);
    let cli = Cli::try_parse_from(with_compiler_spellings(words));
    match cli.map(|cli| cli.command) {
        Ok(Command::Check(mut args)) => {
            args.input.is_recorded = true;
            Ok(*args)
        }
        Ok(_) | Err(_) => Err(Failure::new("the trace holds a command line that this unpick does not understand")),
    }
}

/// The violation that the decisions should lead to.
fn violation(saved: &SavedTrace, recipe: &Recipe, program: &mut Program) -> Outcome<Violation> {
    let finding = &saved.finding;
    let kind = kind_of(saved)?;
    let (name, line, column) = &recipe.noticed;
    let known = program.files.iter_enumerated().find(|(_, file)| *file == name).map(|(id, _)| id);
    // A file that is gone is one more difference, and found as such.
    let file = known.unwrap_or_else(|| program.files.push(name.clone()));
    Ok(Violation {
        kind,
        loc: if *line == 0 { Loc::NONE } else { Loc { file, line: *line, column: *column } },
        function: finding.function.clone(),
        thread: finding.thread as usize,
        message: finding.message.clone(),
        frames: Vec::new(),
    })
}
