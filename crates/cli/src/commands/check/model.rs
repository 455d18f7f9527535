//! `unpick check` on a model: every state of it, on all cores.

use std::collections::BTreeMap;

use unpick_automaton::{Model, Transition};
use unpick_base::SourceMap;
use unpick_check::confirm::Found;
use unpick_check::fingerprint;
use unpick_check::model::{Conclusion, Question, UnknownProperty, Wanted, without_assertions};
use unpick_extract::write::Added;
use unpick_program::interp::Decision;
use unpick_report::{Outcome as Report, Sources as _};
use unpick_system::{Reach, Reached, Reason, Stats, Why};
use unpick_witness::{Extracted, FileCoverage, Finding, Judgement, ModelRecipe, Recipe, SavedTrace, Trace, model_flow};

use super::again_model;
use super::{Limits, show};
use crate::args::CheckArgs;
use crate::attendant::Attendant;
use crate::checkpoint::Keeper;
use crate::config::Layers;
use crate::engines::ENGINES;
use crate::failure::{Failure, Outcome};
use crate::guard;
use crate::input::Settings;
pub use crate::model::EXTRACTED;
use crate::model::{LoadedModel, load_model};
use crate::output::save;
use crate::pictures;
use crate::side_files::{Context, accept, name_of, read_baseline, write};
use crate::supervisor::Supervisor;

/// What a model has to do with the program it stands for.
#[derive(Default)]
pub struct Basis {
    /// What the verdict rests on besides the model.
    pub assumptions: Vec<String>,
    /// Why nothing is proved if nothing is found.
    pub doubts: Vec<String>,
    /// Assertions of the model that the program does not have, by their lines in it, and the lines of the source.
    pub added: BTreeMap<u32, (Added, Option<(String, u32)>)>,
    /// What it is extracted from.
    pub extracted: Option<Extracted>,
    /// Looks whether a violation of the model is one of the program.
    pub confirm: Option<Box<Confirm>>,
}

/// Asks about a violation of the model; what is asserted comes with it if the program does not assert it.
pub type Confirm = dyn Fn(&Found<'_>, Option<Added>, &Attendant<'_>) -> Confirmation;

/// What a violation of the model says about the program.
pub enum Confirmation {
    /// Nothing in it is freer than the program.
    Stands,
    /// The program does this.
    Confirmed(Box<Confirmed>),
    /// It is not known whether the program does it, or it does not.
    Possible(Reason),
}

/// An execution of the program that a model stands for.
pub struct Confirmed {
    pub finding: Finding,
    pub trace: Trace,
    pub assumptions: Vec<String>,
    pub saved: Saved,
}

/// How to execute a violation again.
pub struct Saved {
    pub fingerprint: String,
    pub decisions: Vec<Decision>,
    pub recipe: Recipe,
}

/// A verdict on a model, before it is printed.
pub struct Answer {
    report: Report,
    loaded: LoadedModel,
    /// A violation that is not confirmed.
    possible: Option<Box<Execution>>,
    saved: Option<Saved>,
}

/// What goes wrong, and how it comes about.
pub type Execution = (Finding, Trace);

/// A model as it is searched, and for what.
pub(super) struct Prepared {
    pub loaded: LoadedModel,
    wanted: Wanted,
}

impl Prepared {
    /// A model, and what is asked of it.
    pub(super) fn new(mut loaded: LoadedModel, args: &CheckArgs, layers: &Layers, basis: &Basis) -> Outcome<Prepared> {
        let list = layers.pick(args.property.clone(), |config| &config.property).0.unwrap_or("default".into());
        let is_fair = layers.pick(args.fair.then_some(true), |config| &config.fair).0.unwrap_or(false);
        // Formulas given with the command come last, and are asked for by being given.
        let n_given = super::formulas(args, layers).len();
        let wanted = Wanted::parse(&list, &loaded.model, is_fair, n_given).map_err(unknown_property)?;
        let sources = &loaded.session.sources;
        wanted.prepare(&mut loaded.model, |transition| basis.added_by(transition, sources).is_some());
        Ok(Prepared { loaded, wanted })
    }
}

/// Reads the one model that the command names.
fn read(args: &CheckArgs, layers: &Layers) -> Outcome<LoadedModel> {
    refuse_flags(args, layers)?;
    let settings = Settings::new(&args.input, layers)?;
    load_model(&settings.files, &settings.flags, &super::formulas(args, layers))
}

/// Reads the one model that the command names, and what is asked of it.
pub(super) fn prepare(args: &CheckArgs, layers: &Layers) -> Outcome<Prepared> {
    Prepared::new(read(args, layers)?, args, layers, &Basis::default())
}

/// Checks the one model that the command names.
pub fn run(args: &CheckArgs, layers: &Layers, limits: &Limits) -> Outcome<u8> {
    if args.syntax_only {
        read(args, layers)?;
        return Ok(0);
    }
    // A model that was extracted says itself what of its program is not in it.
    let text = args.input.files.first().and_then(|path| std::fs::read_to_string(path).ok());
    let left_out = text.as_deref().and_then(unpick_extract::omissions::left_out);
    let basis = Basis { doubts: left_out.into_iter().collect(), ..Basis::default() };
    present(args, limits, answer(prepare(args, layers)?, args, limits, basis)?)
}

/// Checks a model.
pub(super) fn answer(prepared: Prepared, args: &CheckArgs, limits: &Limits, basis: Basis) -> Outcome<Answer> {
    let Prepared { loaded, wanted } = prepared;
    let keeper = super::keeper(args)?;
    if keeper.is_some() && !wanted.has_safety() {
        return Err(Failure::new(
            "--checkpoint keeps searches for assertions and end states, and only claims are asked for",
        )
        .help("leave it out, or ask for `assertion` or `end-state` as well"));
    }
    if keeper.is_some() && loaded.model.has_code {
        return Err(Failure::new("--checkpoint keeps states of models, and what embedded C has in memory is not kept")
            .help("leave it out for models with C code"));
    }
    let watch = Supervisor::start(limits.time, args.quiet);
    let question = Question {
        model: &loaded.model,
        sources: &loaded.session.sources,
        wanted: &wanted,
        strategy: &limits.strategy,
        doubts: &basis.doubts,
    };
    let attendant = Attendant { watch: &watch, announcer: None, keeper: keeper.as_ref() };
    let concluded = question.ask(ENGINES, &attendant);
    watch.finish();
    keeper.as_ref().map_or(Ok(()), Keeper::refusal)?;
    let Conclusion { judgement, evidence, mut stats, notes, reached } = concluded;
    let recipe = evidence.map(|run| again_model::of_run(&loaded.model, &run));
    let mut weighed = confirmed(judgement, &basis, &loaded.model, (recipe.as_ref(), false), &attendant);
    if weighed.is_out_of_room {
        let (own, more) = beyond_bounds(&question, &basis, &attendant);
        stats = stats.and(more);
        weighed = own.unwrap_or(weighed);
    }
    stats.seconds = watch.seconds();
    let Weighed { judgement, possible, assumptions: more, own, .. } = weighed;
    let mut report = Report::new(judgement, stats);
    if let Some(reached) = &reached {
        report.coverage = FileCoverage::of_model(&loaded.model, &loaded.session.sources, reached);
        report.stats.reach = reach(&loaded.model, &report.coverage, reached);
    }
    if let Some(path) = &args.flow {
        pictures::save_flow(&model_flow(&loaded.model, &loaded.session.sources, reached.as_ref()), path)?;
    }
    report.assumptions = notes;
    report.assumptions.extend(loaded.assumptions.iter().cloned());
    report.assumptions.extend(basis.assumptions);
    report.assumptions.extend(more);
    report.growth = watch.growth();
    report.properties = wanted.names(&loaded.model);
    let extracted = basis.extracted;
    let saved = match own {
        Some(mut own) => {
            let known = own.recipe.extracted.take().unwrap_or_default();
            let all = extracted.unwrap_or_default();
            own.recipe.extracted = Some(Extracted { entry: known.entry, is_fair: known.is_fair, ..all });
            Some(own)
        }
        None => recipe.map(|recipe| Saved {
            fingerprint: fingerprint::of_model(&loaded.model),
            decisions: Vec::new(),
            recipe: Recipe { extracted, ..again_model::recipe(recipe) },
        }),
    };
    Ok(Answer { report, loaded, possible, saved })
}

/// A violation, and what the program says to it.
struct Weighed {
    judgement: Judgement,
    possible: Option<Box<Execution>>,
    assumptions: Vec<String>,
    /// How to execute it again if it is the program's own.
    own: Option<Saved>,
    /// What is violated is that the model has room for a block.
    is_out_of_room: bool,
}

impl Weighed {
    fn new(judgement: Judgement) -> Weighed {
        Weighed { judgement, possible: None, assumptions: Vec::new(), own: None, is_out_of_room: false }
    }
}

/// Looks on where the model had no room for a block, with the null pointer instead of it. What is found there is a
/// violation if the program does it, and nothing else follows from it.
fn beyond_bounds(question: &Question<'_>, basis: &Basis, attendant: &Attendant<'_>) -> (Option<Weighed>, Stats) {
    let mut model = question.model.clone();
    let is_room = |transition: &Transition| basis.added_by(transition, question.sources) == Some(Added::Block);
    without_assertions(&mut model, is_room);
    let question = Question { model: &model, ..*question };
    let Conclusion { judgement, evidence, stats, .. } = question.ask(ENGINES, attendant);
    let recipe = evidence.map(|run| again_model::of_run(&model, &run));
    let weighed = confirmed(judgement, basis, &model, (recipe.as_ref(), true), attendant);
    (Some(weighed).filter(|weighed| weighed.own.is_some()), stats)
}

/// A violation of a model that is freer than the program has to be one of the program too.
fn confirmed(
    judgement: Judgement,
    basis: &Basis,
    model: &Model,
    (recipe, is_beyond_bounds): (Option<&ModelRecipe>, bool),
    attendant: &Attendant<'_>,
) -> Weighed {
    let (mut finding, mut trace, confirm) = match (judgement, &basis.confirm) {
        (Judgement::Violated { finding, trace }, Some(confirm)) => (finding, trace, confirm),
        (judgement, _) => return Weighed::new(judgement),
    };
    let added = basis.on_the_source(&mut finding, &mut trace);
    let name = recipe.and_then(|recipe| recipe.wrong.strip_prefix("claim:"));
    let claim = name.and_then(|name| model.claims.iter().find(|claim| &*claim.name == name));
    let formula = claim.and_then(|claim| claim.formula.as_ref()).map(ToString::to_string);
    let is_fair = recipe.is_some_and(|recipe| recipe.is_fair);
    let is_added = added.is_some();
    let found = Found { finding: &finding, trace: &trace, is_added, is_beyond_bounds, is_fair, formula };
    match confirm(&found, added, attendant) {
        Confirmation::Stands => Weighed::new(Judgement::Violated { finding, trace }),
        Confirmation::Confirmed(found) => {
            let Confirmed { finding, trace, assumptions, saved } = *found;
            Weighed { assumptions, own: Some(saved), ..Weighed::new(Judgement::Violated { finding, trace }) }
        }
        Confirmation::Possible(reason) => {
            let possible = Some(Box::new((finding, trace)));
            let is_out_of_room = added == Some(Added::Block);
            Weighed { possible, is_out_of_room, ..Weighed::new(Judgement::Unknown(Why::because(reason))) }
        }
    }
}

impl Basis {
    /// What an assertion of the model says that is not the program's.
    fn added_by(&self, transition: &Transition, sources: &SourceMap) -> Option<Added> {
        let place = sources.place(transition.span.lo).filter(|place| &*place.file == EXTRACTED)?;
        self.added.get(&place.line).map(|(added, _)| *added)
    }

    /// Puts what was added to the model on the lines of the source that it was added for; and what it asserts.
    pub(super) fn on_the_source(&self, finding: &mut Finding, trace: &mut Trace) -> Option<Added> {
        for step in &mut trace.steps {
            if let Some((_, Some((file, line)))) = self.added.get(&step.line).filter(|_| step.file == EXTRACTED) {
                (step.file, step.line, step.column) = (file.clone(), *line, 0);
            }
        }
        let (added, place) = self.added.get(&finding.line).filter(|_| finding.file == EXTRACTED)?;
        if let Some((file, line)) = place {
            (finding.file, finding.line, finding.column) = (file.clone(), *line, 0);
        }
        Some(*added)
    }
}

/// Writes and shows a verdict.
pub fn present(args: &CheckArgs, limits: &Limits, answer: Answer) -> Outcome<u8> {
    let Answer { mut report, loaded, possible, saved } = answer;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    accept(&mut report, baseline.as_ref(), &loaded.lines);
    guard::enter("telling what was found");
    guard::found(&report, report.exit_code());
    if let (Some(path), Judgement::Violated { finding, trace }) = (&args.save_trace, &report.judgement) {
        let line = |file: &str, line: u32| loaded.lines.line(file, line);
        let (print, decisions, recipe) = match saved {
            Some(saved) => (saved.fingerprint, saved.decisions, Some(saved.recipe)),
            None => (fingerprint::of_model(&loaded.model), Vec::new(), None),
        };
        let mut file = SavedTrace::new(print, decisions, finding.clone(), trace.clone(), line);
        file.recipe = recipe;
        file.assumptions.clone_from(&report.assumptions);
        save(path, &file.to_json())?;
    }
    let name = name_of(&args.input.files);
    write(
        &report,
        &args.files,
        &Context { sources: &loaded.lines, baseline: baseline.as_ref(), name, files: &[], is_64_bit: true },
    )?;
    if let (Some(possible), false) = (&possible, args.json) {
        let screen = crate::input::screen(args.width);
        let violation = unpick_report::text::violation(&possible.0, &loaded.lines, screen.colour);
        let trace = unpick_report::trace::trace(&possible.1, limits.trace, screen);
        crate::output::say(&format!("possible, but not confirmed:\n{violation}\n{trace}"));
    }
    show(&report, args, limits, &loaded.lines);
    Ok(report.exit_code())
}

/// Flags that ask for something that models do not have: leaving them aside would answer another question.
pub(super) fn refuse_flags(args: &CheckArgs, layers: &Layers) -> Outcome<()> {
    let invariants = (!args.invariant.is_empty()).then(|| args.invariant.clone());
    let flags = [
        ("--invariant", layers.pick(invariants, |config| &config.invariant).0.is_some_and(|list| !list.is_empty())),
        ("--abstract", args.abstraction.is_some()),
        ("--unmatched", !args.unmatched.is_empty()),
        ("--all", args.all),
        ("--preemptions", args.preemptions.is_some()),
        ("--cache-steps-from", args.cache_steps_from.is_some()),
        ("--engine", args.engine.is_some()),
        ("--switches", args.switches.is_some()),
        ("--unwind", args.unwind.is_some()),
        ("--isr", !args.input.isr.is_empty()),
        ("--lock-order", args.lock_order),
        ("--seed", args.seed.is_some()),
    ];
    match flags.into_iter().find(|(_, is_given)| *is_given) {
        Some(("--invariant", _)) => {
            Err(Failure::new("--invariant is for programs").help("for a model say it as a formula: --ltl '[] (EXPR)'"))
        }
        Some((flag, _)) => Err(Failure::new(format!("{flag} is for programs, and this is a model"))),
        None => Ok(()),
    }
}

fn unknown_property(UnknownProperty { name, claims }: UnknownProperty) -> Failure {
    let claims: Vec<String> = claims.iter().map(|claim| format!("`{claim}`")).collect();
    let claims = if claims.is_empty() { String::new() } else { format!(", and its claims {}", claims.join(", ")) };
    Failure::new(format!("--property: the model has no `{name}`")).help(format!(
        "models know `default`, `assertion`, `end-state`, `acceptance`, `non-progress`, `livelock`{claims}"
    ))
}

/// How much of a model was reached; its functions are its process types.
fn reach(model: &Model, coverage: &[FileCoverage], reached: &Reached) -> Reach {
    let mut reach = Reach::default();
    for (proctype, declared) in model.proctypes.iter_enumerated() {
        let is_entered = declared.automaton.locations.ids().any(|location| reached.has(proctype, location));
        reach.functions.0 += u64::from(is_entered);
        reach.functions.1 += 1;
    }
    for file in coverage {
        reach.lines.0 += file.reached.len() as u64;
        reach.lines.1 += (file.reached.len() + file.missed.len()) as u64;
    }
    reach
}
