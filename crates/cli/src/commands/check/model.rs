//! `unpick check` on a model: every state of it, on all cores.

use std::collections::BTreeMap;
use std::time::Duration;

use unpick_extract::write::Added;
use unpick_ir::automaton::{Model, Step};
use unpick_ir::interp::Decision;
use unpick_report::{Outcome as Report, Sources as _};
use unpick_system::{Evidence, Reach, Reached, Reason, Stats, Verdict, Watch as Behaviour, Why, Wrong};
use unpick_witness::{Extracted, FileCoverage, Finding, Judgement, ModelRecipe, Recipe, SavedTrace, Trace, model_flow};

use super::again_model;
use super::model_claims::{self, Decided, Watched};
use super::model_search::{Disk, ModelSearch, Searched, about};
use super::{Limits, show};
use crate::args::CheckArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::guard;
use crate::input::Settings;
use crate::model::{LoadedModel, load_model};
use crate::output::save;
use crate::pictures;
use crate::quantity;
use crate::side_files::{Context, accept, name_of, read_baseline, write};
use crate::watch::Watch;

/// A failing execution found by several workers is looked for again by one, so that it is always the same, if the
/// search was no longer than this.
pub(super) const MAX_REPEATED: u64 = 20_000_000;

/// How often a search is kept unless the user says otherwise.
pub(super) const DEFAULT_EVERY: Duration = Duration::from_secs(300);

/// What to look for in a model.
struct Wanted {
    assertions: bool,
    end_states: bool,
    /// What is looked for in whole executions.
    watches: Vec<Watched>,
}

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

/// Asks about a violation of the model.
pub type Confirm = dyn Fn(&Found<'_>) -> Confirmation;

/// A violation of a model.
pub struct Found<'a> {
    pub finding: &'a Finding,
    pub trace: &'a Trace,
    /// What is asserted, if the program does not assert it.
    pub added: Option<Added>,
    /// What was looked for.
    pub recipe: Option<&'a ModelRecipe>,
    /// The formula that does not hold.
    pub formula: Option<String>,
}

/// What an extracted model calls itself where no line of the source is to blame.
pub const EXTRACTED: &str = "model.pml";

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

/// A verdict on a model, before anybody has read it.
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

/// Reads the one model that the command names.
pub(super) fn prepare(args: &CheckArgs, layers: &Layers) -> Outcome<Prepared> {
    refuse_flags(args, layers)?;
    let settings = Settings::new(&args.input, layers)?;
    let formulas = super::formulas(args, layers);
    let mut loaded = load_model(&settings.files, &settings.flags, &formulas)?;
    let list = layers.pick(args.property.clone(), |config| &config.property).0.unwrap_or("default".into());
    let is_fair = layers.pick(args.fair.then_some(true), |config| &config.fair).0.unwrap_or(false);
    let mut wanted = Wanted::parse(&list, &loaded.model, is_fair)?;
    // Formulas given with the command come last, and are asked for by being given.
    for claim in loaded.model.claims.len() - formulas.len()..loaded.model.claims.len() {
        if !wanted.watches.contains(&(Behaviour::Claim(claim), is_fair)) {
            wanted.watches.push((Behaviour::Claim(claim), is_fair));
        }
    }
    if !wanted.assertions {
        drop_assertions(&mut loaded.model);
    }
    Ok(Prepared { loaded, wanted })
}

/// Checks the one model that the command names.
pub fn run(args: &CheckArgs, layers: &Layers, limits: &Limits) -> Outcome<u8> {
    // A model that was extracted says itself what of its program is not in it.
    let text = args.input.files.first().and_then(|path| std::fs::read_to_string(path).ok());
    let left_out = text.as_deref().and_then(unpick_extract::omissions::left_out);
    let basis = Basis { doubts: left_out.into_iter().collect(), ..Basis::default() };
    match answer(args, layers, limits, basis)? {
        Some(answer) => present(args, limits, answer),
        None => Ok(0),
    }
}

/// Checks a model; nothing if only its syntax matters.
pub fn answer(args: &CheckArgs, layers: &Layers, limits: &Limits, basis: Basis) -> Outcome<Option<Answer>> {
    if args.syntax_only {
        let settings = Settings::new(&args.input, layers)?;
        refuse_flags(args, layers)?;
        load_model(&settings.files, &settings.flags, &super::formulas(args, layers))?;
        return Ok(None);
    }
    let Prepared { loaded, wanted } = prepare(args, layers)?;
    let every = args.checkpoint_every.as_deref().map(quantity::duration).transpose()?;
    let disk = Disk {
        // A search that is taken up is kept where it was.
        checkpoint: args.checkpoint.clone().or_else(|| args.resume.clone()),
        every: every.unwrap_or(DEFAULT_EVERY),
        resume: args.resume.clone(),
    };
    if disk.checkpoint.is_some() && !wanted.assertions && !wanted.end_states {
        return Err(Failure::new(
            "--checkpoint keeps searches for assertions and end states, and only claims are asked for",
        )
        .help("leave it out, or ask for `assertion` or `end-state` as well"));
    }
    if disk.checkpoint.is_some() && loaded.model.has_code {
        return Err(Failure::new("--checkpoint keeps states of models, and what embedded C has in memory is not kept")
            .help("leave it out for models with C code"));
    }
    let watch = Watch::start(limits.time, args.quiet);
    let judged = judge(&loaded, &wanted, limits, &disk, &watch);
    watch.finish();
    let Judged { judgement, mut stats, notes, reached, recipe } = judged?;
    stats.seconds = watch.seconds();
    let judgement = match judgement {
        Judgement::Verified if !basis.doubts.is_empty() => {
            let mut why = Why::default();
            basis.doubts.iter().for_each(|text| why.add(Reason::Abstraction { text: text.clone(), remedy: None }));
            Judgement::Unknown(why)
        }
        judgement => judgement,
    };
    let Weighed { judgement, possible, assumptions: more, own } =
        confirmed(judgement, &basis, &loaded.model, recipe.as_ref());
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
            fingerprint: again_model::fingerprint(&loaded.model),
            decisions: Vec::new(),
            recipe: Recipe { extracted, ..again_model::recipe(recipe) },
        }),
    };
    Ok(Some(Answer { report, loaded, possible, saved }))
}

/// A violation, and what the program says to it.
struct Weighed {
    judgement: Judgement,
    possible: Option<Box<Execution>>,
    assumptions: Vec<String>,
    /// How to execute it again if it is the program's own.
    own: Option<Saved>,
}

impl Weighed {
    fn new(judgement: Judgement) -> Weighed {
        Weighed { judgement, possible: None, assumptions: Vec::new(), own: None }
    }
}

/// A violation of a model that is freer than the program has to be one of the program too.
fn confirmed(judgement: Judgement, basis: &Basis, model: &Model, recipe: Option<&ModelRecipe>) -> Weighed {
    let (mut finding, mut trace, confirm) = match (judgement, &basis.confirm) {
        (Judgement::Violated { finding, trace }, Some(confirm)) => (finding, trace, confirm),
        (judgement, _) => return Weighed::new(judgement),
    };
    let added = basis.on_the_source(&mut finding, &mut trace);
    let name = recipe.and_then(|recipe| recipe.wrong.strip_prefix("claim:"));
    let claim = name.and_then(|name| model.claims.iter().find(|claim| &*claim.name == name));
    let formula = claim.and_then(|claim| claim.formula.as_ref()).map(ToString::to_string);
    match confirm(&Found { finding: &finding, trace: &trace, added, recipe, formula }) {
        Confirmation::Stands => Weighed::new(Judgement::Violated { finding, trace }),
        Confirmation::Confirmed(found) => {
            let Confirmed { finding, trace, assumptions, saved } = *found;
            Weighed { assumptions, own: Some(saved), ..Weighed::new(Judgement::Violated { finding, trace }) }
        }
        Confirmation::Possible(reason) => {
            let possible = Some(Box::new((finding, trace)));
            Weighed { possible, ..Weighed::new(Judgement::Unknown(Why::because(reason))) }
        }
    }
}

impl Basis {
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
            None => (again_model::fingerprint(&loaded.model), Vec::new(), None),
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
fn refuse_flags(args: &CheckArgs, layers: &Layers) -> Outcome<()> {
    let invariants = (!args.invariant.is_empty()).then(|| args.invariant.clone());
    let flags = [
        ("--invariant", layers.pick(invariants, |config| &config.invariant).0.is_some_and(|list| !list.is_empty())),
        ("--abstract", args.abstraction.is_some()),
        ("--unmatched", !args.unmatched.is_empty()),
        ("--all", args.all),
        ("--preemptions", args.preemptions.is_some()),
        ("--cache-steps-from", args.table_from.is_some()),
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

impl Wanted {
    fn parse(list: &str, model: &Model, is_fair: bool) -> Outcome<Wanted> {
        let mut wanted = Wanted { assertions: false, end_states: false, watches: Vec::new() };
        for name in list.split(',').map(str::trim) {
            match name {
                "default" => {
                    wanted.assertions = true;
                    wanted.end_states = true;
                    wanted.watches.extend((0..model.claims.len()).map(|claim| (Behaviour::Claim(claim), is_fair)));
                }
                "assertion" => wanted.assertions = true,
                "end-state" | "deadlock" => wanted.end_states = true,
                "acceptance" => wanted.watches.push((Behaviour::Accepted, is_fair)),
                "non-progress" => wanted.watches.push((Behaviour::NonProgress, is_fair)),
                "livelock" => wanted.watches.push((Behaviour::NonProgress, true)),
                name => match model.claims.iter().position(|claim| &*claim.name == name) {
                    Some(claim) => wanted.watches.push((Behaviour::Claim(claim), is_fair)),
                    None => return Err(unknown_property(name, model)),
                },
            }
        }
        Ok(wanted)
    }

    fn names(&self, model: &Model) -> Vec<String> {
        let kinds = [(self.assertions, "assertion"), (self.end_states, "end-state")];
        let kinds = kinds.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, name)| name.to_owned());
        let watches = self.watches.iter().map(|(behaviour, _)| match behaviour {
            Behaviour::Claim(claim) => model.claims[*claim].name.to_string(),
            Behaviour::Accepted => "acceptance".to_owned(),
            Behaviour::NonProgress => "non-progress".to_owned(),
        });
        kinds.chain(watches).collect()
    }
}

fn unknown_property(name: &str, model: &Model) -> Failure {
    let claims: Vec<String> = model.claims.iter().map(|claim| format!("`{}`", claim.name)).collect();
    let claims = if claims.is_empty() { String::new() } else { format!(", and its claims {}", claims.join(", ")) };
    Failure::new(format!("--property: the model has no `{name}`")).help(format!(
        "models know `default`, `assertion`, `end-state`, `acceptance`, `non-progress`, `livelock`{claims}"
    ))
}

/// What is asserted is still computed, and may go wrong in other ways.
fn drop_assertions(model: &mut Model) {
    if let Some(embedded) = model.embedded.as_mut().and_then(std::sync::Arc::get_mut) {
        embedded.without_assertions();
    }
    for proctype in model.proctypes.iter_mut() {
        for location in proctype.automaton.locations.iter_mut() {
            for transition in &mut location.transitions {
                if let Step::Assert(expr) = &transition.step {
                    transition.step = Step::Printf("".into(), vec![expr.clone()]);
                }
            }
        }
    }
}

/// A verdict, what it cost, and what the user should know of how it came about.
struct Judged {
    judgement: Judgement,
    stats: Stats,
    notes: Vec<String>,
    /// Where processes have stood, if that was looked at.
    reached: Option<Reached>,
    /// How to execute a violation again.
    recipe: Option<ModelRecipe>,
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

fn judge(loaded: &LoadedModel, wanted: &Wanted, limits: &Limits, disk: &Disk, watch: &Watch) -> Outcome<Judged> {
    let mut reached = None;
    let Decided { verdict, stats, notes } = match wanted.assertions || wanted.end_states {
        true => {
            let (decided, stood) = search(loaded, wanted, limits, disk, watch)?;
            reached = stood;
            decided
        }
        false => model_claims::decide(loaded, &wanted.watches, limits, watch),
    };
    let run = match &verdict {
        Verdict::Fails(Evidence::Automaton(run)) => Some(run),
        _ => None,
    };
    let beside;
    let model = match run.map(|run| run.wrong) {
        // SPIN counts claims among the processes, its own for progress too.
        Some(Wrong::Behaviour { watch: Behaviour::Claim(_) | Behaviour::NonProgress, .. }) => {
            beside = loaded.model.beside_claim();
            &beside
        }
        Some(Wrong::Behaviour { watch: Behaviour::Accepted, .. } | Wrong::Fault | Wrong::InvalidEnd) | None => {
            &loaded.model
        }
    };
    let judgement = Judgement::of_model(model, &loaded.session.sources, &verdict);
    let is_violated = matches!(judgement, Judgement::Violated { .. });
    let recipe = run.filter(|_| is_violated).map(|run| again_model::of_run(&loaded.model, run));
    Ok(Judged { judgement, stats, notes, reached, recipe })
}

/// Looks for assertions and end states, and then for claims.
fn search(
    loaded: &LoadedModel,
    wanted: &Wanted,
    limits: &Limits,
    disk: &Disk,
    watch: &Watch,
) -> Outcome<(Decided, Option<Reached>)> {
    let search = ModelSearch {
        model: &loaded.model,
        program: None,
        stops_at_invalid_ends: wanted.end_states,
        limits,
        watch,
        about: about(&loaded.model, &wanted.names(&loaded.model), limits),
        disk,
    };
    let Searched { mut verdict, mut stats, mut notes, reached } = search.run(limits.workers)?;
    let is_repeatable = limits.workers > 1 && stats.states <= MAX_REPEATED && disk.resume.is_none();
    if matches!(verdict, Verdict::Fails(_)) && is_repeatable {
        // Which execution is shown should not depend on who was faster.
        if let again @ Searched { verdict: Verdict::Fails(_), .. } = search.run(1)? {
            (verdict, stats, notes) = (again.verdict, again.stats, again.notes);
        }
    }
    if matches!(verdict, Verdict::Holds(_)) {
        let claims = model_claims::decide(loaded, &wanted.watches, limits, watch);
        if !wanted.watches.is_empty() {
            verdict = claims.verdict;
        }
        stats = stats.and(claims.stats);
        notes.extend(claims.notes);
        if disk.checkpoint.is_some() && !wanted.watches.is_empty() {
            notes.push(
                "what was kept on disk is the search for assertions and end states, not that for claims".to_owned(),
            );
        }
    }
    Ok((Decided { verdict, stats, notes }, reached))
}
