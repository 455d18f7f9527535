//! `unpick check`: explore every execution, replay what fails, report.

mod again;
pub mod again_model;
mod confirm;
mod model;
mod tabled;

use std::sync::Mutex;
use std::time::Duration;

use unpick_check::claims::Wanted;
use unpick_check::program::{Conclusion, Question, Searched};
use unpick_program::{Program, ViolationKind};
use unpick_report::{Outcome as Report, Sources as _, TraceStyle};
use unpick_system::{
    Coverage, Hashing, Matching, Measure, Order, ProgramRun, PropertySet, Reduction, Stats, StoreKind, Strategy,
    Vectors,
};
use unpick_witness::{FileCoverage, Judgement, LockGraph, SavedTrace, program_flow};

pub use again::{Again, execute_again};

use crate::announce::Announcer;
use crate::args::{CheckArgs, EngineArg, HashArg, ReduceArg, SearchArg, StoreArg, TargetArg, TraceArg};
use crate::attendant::Attendant;
use crate::checkpoint::Keeper;
use crate::config::Layers;
use crate::engines::ENGINES;
use crate::failure::{Failure, Outcome};
use crate::guard;
use crate::input::{Settings, analyse, load, screen};
use crate::lines::Lines;
use crate::output::{is_anything_lost, save, say};
use crate::pictures;
use crate::property_file;
use crate::quantity;
use crate::side_files::{Context, accept, name_of, read_baseline, write};
use crate::supervisor::{Supervisor, default_memory};

/// How often a search is kept unless the user says otherwise.
const DEFAULT_EVERY: Duration = Duration::from_secs(300);

/// What to look for, what it may cost, and how to show it.
#[derive(Clone)]
struct Limits {
    properties: PropertySet,
    time: Duration,
    strategy: Strategy,
    trace: TraceStyle,
}

pub fn run(args: CheckArgs) -> Outcome<u8> {
    crate::events::around(args, run_silently)
}

/// What is searched of a program.
fn searched(args: &CheckArgs, layers: &Layers) -> Outcome<Searched> {
    let engine = layers.pick(args.engine, |config| &config.engine).0;
    let is_disk = args.checkpoint.is_some() || args.resume.is_some();
    let is_search = args.hash.is_some() || args.audit_hash || args.search.is_some();
    let needs_automata = args.store.is_some() || is_search || is_disk;
    if needs_automata && matches!(engine, Some(EngineArg::Explicit | EngineArg::Sat)) {
        return Err(Failure::new(
            "--store, --search, --hash, --audit-hash, --checkpoint and --resume are for models and flat states",
        )
        .help(
            "leave out --engine explicit or sat: its search keeps states in an exact store and writes nothing to disk",
        ));
    }
    Ok(match engine {
        None if needs_automata => Searched::AutomataOnly,
        None => Searched::Either,
        Some(EngineArg::Explicit) => Searched::Program,
        Some(EngineArg::Sat) => Searched::Symbolically,
        Some(EngineArg::Flat) => Searched::Automata,
    })
}

fn run_silently(args: CheckArgs) -> Outcome<u8> {
    let layers = Layers::read(&args.input)?;
    watch_over(&args, &layers)?;
    if args.model.table.is_some() || args.tabled {
        return tabled::run(args, &layers);
    }
    if args.model.data.is_some() {
        return Err(Failure::new("--data says how an extracted model holds data, and nothing is extracted here")
            .help("add --tabled, or --table FILE"));
    }
    if args.audit_hash && args.hash == Some(HashArg::Full) {
        return Err(Failure::new("--audit-hash is about incremental hashes, and --hash full makes none")
            .help("leave out --hash"));
    }
    let is_model = args.input.files.iter().any(|file| crate::model::is_model(file));
    let mut limits = Limits::new(&args, &layers, is_model)?;
    if args.input.print_config {
        print_config(&args, &layers);
        return Ok(0);
    }
    if is_model {
        return model::run(&args, &layers, &limits);
    }
    let searched = searched(&args, &layers)?;
    let mut settings = Settings::new(&args.input, &layers)?;
    if let (Some(file), None) = (args.property.as_ref().filter(|list| property_file::is_file(list)), &args.input.entry)
    {
        settings.entry = property_file::read(file)?.entry;
    }
    settings.wanted = wanted(&args, &layers)?;
    settings.wanted.also.extend(layers.pick(args.abstraction.clone(), |config| &config.r#abstract).0);
    if args.syntax_only {
        analyse(&settings)?;
        return Ok(0);
    }
    let loaded = load(&settings)?;
    limits.strategy.matching = matching(&args, &layers, &loaded.program)?;
    let claims = settings.wanted.claims(&loaded.program, limits.properties)?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    // What is known must not hide what is new.
    limits.strategy.keeps_going |= baseline.is_some();
    let keeper = keeper(&args)?;
    let watch = Supervisor::start(limits.time, args.quiet);
    let (lines, baseline) = (&loaded.lines, baseline.as_ref());
    let question = Question {
        program: &loaded.program,
        properties: limits.properties,
        claims: &claims,
        strategy: &limits.strategy,
        searched,
    };
    let announcer = Announcer {
        program: &loaded.program,
        checks: question.checks(None),
        max_enumerate: limits.strategy.max_enumerate,
        watch: &watch,
        sources: lines,
        baseline,
        is_quiet: args.quiet,
        told: Mutex::default(),
    };
    let attendant = Attendant { watch: &watch, announcer: Some(&announcer), keeper: keeper.as_ref() };
    let mut explored = Explored::new(&question, &attendant);
    keeper.as_ref().map_or(Ok(()), Keeper::refusal)?;
    accept(&mut explored.report, baseline, lines);
    if !limits.strategy.keeps_going && explored.report.is_all_accepted() && !explored.evidence.is_empty() {
        let strategy = Strategy { keeps_going: true, ..limits.strategy.clone() };
        let all = Question { strategy: &strategy, searched: Searched::Program, ..question };
        explored = Explored::new(&all, &attendant);
        accept(&mut explored.report, baseline, lines);
    }
    watch.finish();
    guard::enter("telling what was found");
    explored.put_new_first();
    announcer.rest(&explored.report);
    let Explored { mut report, evidence, coverage } = explored;
    loaded.add_unlinked(&mut report.coverage);
    if let Some(path) = &args.flow {
        let graphs = program_flow(&loaded.program, Some(&coverage), &|file, line| lines.line(file, line));
        pictures::save_flow(&graphs, path)?;
    }
    report.assumptions.splice(0..0, loaded.assumptions);
    report.assumptions.extend(settings.wanted.assumptions());
    report.assumptions.extend(unlooked(limits.properties));
    report.properties = limits.properties.iter().map(|kind| kind.name().to_owned()).collect();
    report.properties.extend(settings.wanted.texts());
    guard::found(&report, report.exit_code());
    if let Judgement::Violated { trace, .. } = &mut report.judgement {
        trace.fill_text(|file, line| lines.line(file, line));
    }
    report.others.iter_mut().for_each(|other| other.trace.fill_text(|file, line| lines.line(file, line)));
    if let (Some(path), Judgement::Violated { finding, trace }) = (&args.save_trace, &report.judgement) {
        let evidence = evidence.first();
        let decisions = evidence.map(|evidence| evidence.decisions.clone()).unwrap_or_default();
        let line = |file: &str, line: u32| lines.line(file, line);
        let print = fingerprint(&loaded.program);
        let mut saved = SavedTrace::new(print, decisions, finding.clone(), trace.clone(), line);
        saved.recipe = evidence.map(|evidence| again::recipe(evidence, &loaded.program));
        saved.assumptions.clone_from(&report.assumptions);
        save(path, &saved.to_json())?;
    }
    let name = name_of(&args.input.files);
    let is_64_bit = settings.target == TargetArg::Lp64;
    let files = args.input.files.as_slice();
    write(&report, &args.files, &Context { sources: lines, baseline, name, files, is_64_bit })?;
    show(&report, &args, &limits, &loaded.lines);
    Ok(report.exit_code())
}

struct Explored {
    report: Report,
    /// Of the violations, in the order of the report.
    evidence: Vec<ProgramRun>,
    coverage: Coverage,
}

impl Explored {
    /// What the engines say about a question, as a report.
    fn new(question: &Question<'_>, attendant: &Attendant<'_>) -> Explored {
        let (program, watch) = (question.program, attendant.watch);
        let Conclusion { judgement, others, evidence, is_complete, assumptions, stats, bounds, coverage } =
            question.ask(ENGINES, attendant);
        let is_harmless = judgement == Judgement::Verified && question.properties.contains(ViolationKind::Deadlock);
        let mut report = Report::new(judgement, Stats { seconds: watch.seconds(), ..stats });
        (report.others, report.is_complete, report.assumptions, report.bounds) =
            (others, is_complete, assumptions, bounds);
        report.locks = LockGraph::new(program, &coverage.lock_order, is_harmless);
        report.coverage = FileCoverage::of(program, &coverage);
        report.growth = watch.growth();
        Explored { report, evidence, coverage }
    }

    /// Makes a violation that is not accepted the verdict, if there is one.
    fn put_new_first(&mut self) {
        let Judgement::Violated { finding, trace } = &mut self.report.judgement else { return };
        let others = &mut self.report.others;
        let new = others.iter().position(|other| other.finding.accepted.is_none());
        if let Some(at) = new.filter(|_| finding.accepted.is_some()) {
            std::mem::swap(finding, &mut others[at].finding);
            std::mem::swap(trace, &mut others[at].trace);
            self.evidence.swap(0, at + 1);
        }
    }
}

/// Default properties that were not asked for: a verdict says nothing about them.
fn unlooked(properties: PropertySet) -> Option<String> {
    let missing: PropertySet = PropertySet::default_for_c().iter().filter(|kind| !properties.contains(*kind)).collect();
    (!missing.is_empty()).then(|| format!("looked for only: {properties}; not for: {missing}"))
}

fn formulas(args: &CheckArgs, layers: &Layers) -> Vec<String> {
    let given = (!args.ltl.is_empty()).then(|| args.ltl.clone());
    layers.pick(given, |config| &config.ltl).0.unwrap_or_default()
}

fn wanted(args: &CheckArgs, layers: &Layers) -> Outcome<Wanted> {
    let given = |flag: &Vec<String>| (!flag.is_empty()).then(|| flag.clone());
    let formulas = formulas(args, layers);
    let invariants = layers.pick(given(&args.invariant), |config| &config.invariant).0.unwrap_or_default();
    let is_fair = layers.pick(args.fair.then_some(true), |config| &config.fair).0.unwrap_or(false);
    Ok(Wanted::new(&formulas, &invariants, is_fair)?)
}

/// When two states count as the same.
fn matching(args: &CheckArgs, layers: &Layers, program: &Program) -> Outcome<Matching> {
    let function = layers.pick(args.abstraction.clone(), |config| &config.r#abstract).0;
    let names = (!args.unmatched.is_empty()).then(|| args.unmatched.clone());
    let names = layers.pick(names, |config| &config.unmatched).0.unwrap_or_default();
    let abstraction = match function {
        Some(name) => {
            let found = program.functions.iter_enumerated().find(|(_, function)| function.source_name == name);
            let (id, function) =
                found.ok_or_else(|| Failure::new(format!("--abstract: there is no function `{name}`")))?;
            if !function.params.is_empty() {
                return Err(Failure::new(format!("--abstract: `{name}` must not have parameters")));
            }
            Some((name, id))
        }
        None => None,
    };
    let mut unmatched = Vec::new();
    for name in names {
        let found = program.globals.iter_enumerated().find(|(_, global)| global.source_name.as_ref() == Some(&name));
        let (id, _) = found.ok_or_else(|| Failure::new(format!("--unmatched: there is no global `{name}`")))?;
        unmatched.push((name, id));
    }
    Ok(Matching { abstraction, unmatched })
}

fn n_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Where the search is kept, if it is to be.
fn keeper(args: &CheckArgs) -> Outcome<Option<Keeper>> {
    let every = args.checkpoint_every.as_deref().map(quantity::duration).transpose()?.unwrap_or(DEFAULT_EVERY);
    // A search that is taken up is kept where it was.
    let path = args.checkpoint.as_deref().or(args.resume.as_deref());
    Ok(path.map(|path| Keeper::new(path, every, args.resume.as_deref())))
}

/// Time and memory of the whole run hold from here on.
fn watch_over(args: &CheckArgs, layers: &Layers) -> Outcome<guard::Limits> {
    let time = layers.pick(args.time.clone(), |config| &config.time).0;
    let memory = layers.pick(args.memory.clone(), |config| &config.memory).0;
    let time = time.map_or(Ok(Duration::from_secs(15 * 60)), |text| quantity::duration(&text))?;
    let memory = memory.map_or(Ok(default_memory()), |text| quantity::bytes(&text))?;
    let telling = if args.json { guard::Telling::Json } else { guard::Telling::Text };
    let limits = guard::Limits { time, memory, telling };
    guard::limit(limits);
    Ok(limits)
}

impl Limits {
    /// What flags and configuration say; the properties of models have names of their own and are left out.
    fn new(args: &CheckArgs, layers: &Layers, is_model: bool) -> Outcome<Limits> {
        let property = layers.pick(args.property.clone(), |config| &config.property).0.unwrap_or("default".into());
        let properties = match is_model {
            true => PropertySet::EMPTY,
            false if property_file::is_file(&property) => {
                let asked = property_file::read(&property)?;
                PropertySet::parse(&asked.properties).map_err(|error| Failure::new(error.to_string()))?
            }
            false => PropertySet::parse(&property).map_err(|error| Failure::new(error.to_string()))?,
        };
        let guard::Limits { time, memory, .. } = watch_over(args, layers)?;
        let vectors = Vectors {
            store: match layers.pick(args.store, |config| &config.store).0 {
                Some(StoreArg::Exact) => StoreKind::Exact,
                Some(StoreArg::Tree) => StoreKind::Tree,
                Some(StoreArg::Compact) => StoreKind::Compact,
                Some(StoreArg::Bitstate) => StoreKind::Bitstate,
                Some(StoreArg::Auto) | None => StoreKind::Auto,
            },
            order: match layers.pick(args.search, |config| &config.search).0 {
                Some(SearchArg::Depth) => Order::Depth,
                Some(SearchArg::Breadth) | None => Order::Breadth,
            },
            hashing: match layers.pick(args.hash, |config| &config.hash).0 {
                _ if args.audit_hash => Hashing::Audited,
                Some(HashArg::Incremental) => Hashing::Incremental,
                Some(HashArg::Full) => Hashing::Full,
                Some(HashArg::Auto) | None => Hashing::Auto,
            },
        };
        let strategy = Strategy {
            memory_bytes: Some(memory),
            depth: layers.pick(args.depth, |config| &config.depth).0,
            unwind: layers.pick(args.unwind, |config| &config.unwind).0,
            max_enumerate: layers.pick(args.enumerate, |config| &config.enumerate).0.unwrap_or(65536).into(),
            max_threads: layers.pick(args.threads, |config| &config.threads).0.map_or(16, |threads| threads as usize),
            n_workers: layers
                .pick(args.workers, |config| &config.workers)
                .0
                .map_or_else(n_cores, |n| n.max(1) as usize),
            bounds: bounds(args, layers),
            keeps_going: layers.pick(args.all.then_some(true), |config| &config.all).0.unwrap_or(false),
            seed: layers.pick(args.seed, |config| &config.seed).0,
            cache_steps_from: layers.pick(args.cache_steps_from, |config| &config.cache_steps_from).0,
            reduction: match layers.pick(args.reduce, |config| &config.reduce).0 {
                Some(ReduceArg::None) => Reduction::None,
                Some(ReduceArg::Sleep) => Reduction::Sleep,
                Some(ReduceArg::Superstep) => Reduction::Superstep,
                Some(ReduceArg::GlobalAccess) => Reduction::GlobalAccess,
                Some(ReduceArg::Dpor | ReduceArg::Auto) | None => Reduction::Dpor,
            },
            vectors,
            ..Strategy::default()
        };
        let trace = match layers.pick(args.trace, |config| &config.trace).0 {
            Some(TraceArg::Full) => TraceStyle::Full,
            Some(TraceArg::None) => TraceStyle::None,
            Some(TraceArg::Short) | None => TraceStyle::Short,
        };
        Ok(Limits { properties, time, strategy, trace })
    }
}

/// How the search is to go by changes of thread, if it is.
fn bounds(args: &CheckArgs, layers: &Layers) -> Option<(Measure, Option<u32>)> {
    let preemptions = layers.pick(args.preemptions, |config| &config.preemptions).0;
    let switches = layers.pick(args.switches, |config| &config.switches).0;
    let is_shortest = layers.pick(args.shortest.then_some(true), |config| &config.shortest).0.unwrap_or(false);
    match (args.switches.or(switches), preemptions) {
        (_, Some(max)) if args.switches.is_none() => Some((Measure::Preemptions, Some(max))),
        (Some(max), _) => Some((Measure::Switches, Some(max))),
        (None, _) => is_shortest.then_some((Measure::Switches, None)),
    }
}

fn show(report: &Report, args: &CheckArgs, limits: &Limits, lines: &Lines) {
    let text = if args.json {
        unpick_report::json::json(report)
    } else {
        let locks = if args.lock_order { unpick_report::text::lock_order(&report.locks) } else { String::new() };
        locks + &unpick_report::text::text(report, limits.trace, lines, screen(args.width))
    };
    // One stretch of writing, so that no limit comes between the report and the note that it was told.
    let _writing = guard::Writing::new();
    if args.json {
        crate::events::document(&text)
    } else {
        say(&text)
    }
    if !is_anything_lost() {
        guard::told(report.exit_code());
    }
}

/// Identifies the program a trace belongs to.
pub fn fingerprint(program: &Program) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(unpick_program::text::print(program).as_bytes()))
}

fn print_config(args: &CheckArgs, layers: &Layers) {
    fn row<T: std::fmt::Debug>(name: &str, default: &str, (value, origin): (Option<T>, &str)) {
        let value = value.map_or(default.to_owned(), |value| format!("{value:?}"));
        say(&format!("{name} = {value}  # {origin}\n"));
    }
    let input = &args.input;
    let list = |flag: &[std::path::PathBuf]| (!flag.is_empty()).then(|| flag.to_vec());
    let words = |flag: &[String]| (!flag.is_empty()).then(|| flag.to_vec());
    row("entry", "\"main\"", layers.pick(input.entry.clone(), |config| &config.entry));
    row("include-dirs", "[]", layers.pick(list(&input.include_dirs), |config| &config.include_dirs));
    row("defines", "[]", layers.pick(words(&input.defines), |config| &config.defines));
    row("undefines", "[]", layers.pick(words(&input.undefines), |config| &config.undefines));
    row("includes", "[]", layers.pick(list(&input.includes), |config| &config.includes));
    row("std", "the compiler's", layers.pick(input.std.clone(), |config| &config.std));
    row("target", "Lp64", layers.pick(input.target, |config| &config.target));
    row("compile-commands", "none", layers.pick(input.compile_commands.clone(), |config| &config.compile_commands));
    row("strict", "false", layers.pick(input.strict.then_some(true), |config| &config.strict));
    row("malloc-fails", "false", layers.pick(input.malloc_fails.then_some(true), |config| &config.malloc_fails));
    row("library-fails", "false", layers.pick(input.library_fails.then_some(true), |config| &config.library_fails));
    row("library-races", "false", layers.pick(input.library_races.then_some(true), |config| &config.library_races));
    row("no-spurious", "false", layers.pick(input.no_spurious.then_some(true), |config| &config.no_spurious));
    let missing = input.missing.map(crate::config::MissingConfig::All);
    row("missing", "Havoc", layers.pick(missing, |config| &config.missing));
    row("args", "\"any\"", layers.pick(input.arguments.clone(), |config| &config.args));
    row("isr", "[]", layers.pick(words(&input.isr), |config| &config.isr));
    row("interrupts-off", "[]", layers.pick(None, |config| &config.interrupts_off));
    row("interrupts-on", "[]", layers.pick(None, |config| &config.interrupts_on));
    row("critical-enter", "[]", layers.pick(None, |config| &config.critical_enter));
    row("critical-exit", "[]", layers.pick(None, |config| &config.critical_exit));
    row("interrupts-start-off", "false", layers.pick(None, |config| &config.interrupts_start_off));
    row("volatile-access", "Plain", layers.pick(input.volatile, |config| &config.volatile_access));
    row("volatile-any", "[]", layers.pick(words(&input.volatile_any), |config| &config.volatile_any));
    row("volatile", "[]", layers.pick(None, |config| &config.volatile));
    row("property", "\"default\"", layers.pick(args.property.clone(), |config| &config.property));
    row("ltl", "[]", layers.pick(words(&args.ltl), |config| &config.ltl));
    row("invariant", "[]", layers.pick(words(&args.invariant), |config| &config.invariant));
    row("fair", "false", layers.pick(args.fair.then_some(true), |config| &config.fair));
    row("time", "\"15m\"", layers.pick(args.time.clone(), |config| &config.time));
    row("memory", "three quarters of the machine", layers.pick(args.memory.clone(), |config| &config.memory));
    row("depth", "unlimited", layers.pick(args.depth, |config| &config.depth));
    row("unwind", "unlimited", layers.pick(args.unwind, |config| &config.unwind));
    row("enumerate", "65536", layers.pick(args.enumerate, |config| &config.enumerate));
    row("threads", "16", layers.pick(args.threads, |config| &config.threads));
    row("preemptions", "unlimited", layers.pick(args.preemptions, |config| &config.preemptions));
    row("switches", "unlimited", layers.pick(args.switches, |config| &config.switches));
    row("shortest", "false", layers.pick(args.shortest.then_some(true), |config| &config.shortest));
    row("abstract", "none", layers.pick(args.abstraction.clone(), |config| &config.r#abstract));
    row("unmatched", "[]", layers.pick(words(&args.unmatched), |config| &config.unmatched));
    row("all", "false", layers.pick(args.all.then_some(true), |config| &config.all));
    row("workers", "the cores of the machine", layers.pick(args.workers, |config| &config.workers));
    row("seed", "none", layers.pick(args.seed, |config| &config.seed));
    row("engine", "Explicit", layers.pick(args.engine, |config| &config.engine));
    row("reduce", "Auto", layers.pick(args.reduce, |config| &config.reduce));
    row("cache-steps-from", "8000", layers.pick(args.cache_steps_from, |config| &config.cache_steps_from));
    row("store", "Auto", layers.pick(args.store, |config| &config.store));
    row("search", "Breadth", layers.pick(args.search, |config| &config.search));
    row("hash", "Auto", layers.pick(args.hash, |config| &config.hash));
    row("trace", "Short", layers.pick(args.trace, |config| &config.trace));
}
