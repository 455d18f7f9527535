//! `unpick check`: explore every execution, replay what fails, report.

mod again;
pub mod again_model;
mod confirm;
mod flat;
mod model;
mod model_claims;
mod model_search;
mod tabled;

use std::sync::Mutex;
use std::time::Duration;

use unpick_engine_explicit::flat::{Hashing, Order};
use unpick_engine_explicit::{Matching, Reduction, decide_claims};
use unpick_ir::interp::{Checks, Options};
use unpick_ir::{Program, StmtKind, ViolationKind};
use unpick_report::{Outcome as Report, Sources as _, TraceStyle};
use unpick_system::{Budget, Claim, Coverage, Evidence, Measure, ProgramRun, PropertySet, Reach, Verdict};
use unpick_witness::coverage::add_trace;
use unpick_witness::{Failing, FileCoverage, Judgement, LockGraph, SavedTrace, program_flow};

pub use again::{Again, execute_again};

use crate::announce::Announcer;
use crate::args::{CheckArgs, EngineArg, HashArg, ReduceArg, SearchArg, StoreArg, TargetArg, TraceArg};
use crate::claims::Wanted;
use crate::config::Layers;
use crate::explore::{Question, Searched, answer};
use crate::failure::{Failure, Outcome};
use crate::guard;
use crate::input::{Settings, analyse, load, screen};
use crate::lines::Lines;
use crate::output::{save, say};
use crate::pictures;
use crate::property_file;
use crate::quantity;
use crate::shorten::Judge;
use crate::side_files::{Context, accept, name_of, read_baseline, write};
use crate::watch::{Part, Watch, default_memory};

/// What a search may cost and look for.
#[derive(Clone)]
struct Limits {
    properties: PropertySet,
    time: Duration,
    memory: u64,
    depth: Option<u64>,
    unwind: Option<u64>,
    enumerate: u64,
    threads: usize,
    workers: usize,
    seed: Option<u64>,
    reduction: Reduction,
    table_from: Option<u64>,
    all: bool,
    matching: Matching,
    bounds: Option<(Measure, Option<u32>)>,
    store: StoreArg,
    order: Order,
    hashing: Hashing,
    trace: TraceStyle,
}

pub fn run(args: CheckArgs) -> Outcome<u8> {
    crate::events::around(args, run_silently)
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
    let is_flat = layers.pick(args.engine, |config| &config.engine).0 == Some(EngineArg::Flat);
    let is_disk = args.checkpoint.is_some() || args.resume.is_some();
    let is_search = args.hash.is_some() || args.audit_hash || args.search.is_some();
    if !is_flat && (args.store.is_some() || is_search || is_disk) {
        return Err(Failure::new("--store, --search, --hash, --audit-hash, --checkpoint and --resume are for models")
            .help("name a .pml file, or say --engine flat; programs are kept in an exact store and are not written to disk"));
    }
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
    limits.matching = matching(&args, &layers, &loaded.program)?;
    let claims = settings.wanted.claims(&loaded.program, limits.properties, has_threads(&loaded.program))?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    // What is known must not hide what is new.
    limits.all |= baseline.is_some();
    let watch = Watch::start(limits.time, args.quiet);
    let searched = match is_flat {
        true => flat::answer(&args, &loaded.program, &limits, &claims, &watch)?,
        false => None,
    };
    let is_replaced = is_flat && searched.is_none();
    let (sources, baseline) = (&loaded.lines, baseline.as_ref());
    let announcer = Announcer { watch: &watch, sources, baseline, is_quiet: args.quiet, told: Mutex::default() };
    let mut explored = explore(&loaded.program, &limits, &claims, &announcer, searched);
    if is_replaced {
        explored.report.stats.engine = "explicit instead of flat";
    }
    let lines = &loaded.lines;
    accept(&mut explored.report, baseline, lines);
    if !limits.all && explored.report.is_all_accepted() && !explored.evidence.is_empty() {
        limits.all = true;
        explored = explore(&loaded.program, &limits, &claims, &announcer, None);
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

/// Explores the program, unless that has been done, and replays a violation before anyone believes it.
fn explore(
    program: &Program,
    limits: &Limits,
    claims: &[Claim],
    announcer: &Announcer<'_>,
    searched: Option<Searched>,
) -> Explored {
    let watch = announcer.watch;
    let limits = &Limits { properties: safety(limits.properties, claims), ..limits.clone() };
    let checks: Checks = limits.properties.iter().collect();
    let options = Options { checks, max_enumerate: u128::from(limits.enumerate), ..Options::default() };
    let all = Options { checks: Checks::ALL.without(ViolationKind::DataRace), ..options.clone() };
    let concrete = Options { is_lazy: false, ..options.clone() };
    let on_found = |evidence: &Evidence| announcer.found(&concrete, program, evidence);
    let question = Question {
        program,
        options: options.clone(),
        properties: limits.properties,
        reduction: limits.reduction,
        bounds: limits.bounds,
        keeps_going: limits.all,
        matching: limits.matching.clone(),
        max_threads: limits.threads,
        table_from: limits.table_from,
        memory_bytes: limits.memory,
        depth: limits.depth,
        unwind: limits.unwind,
        workers: limits.workers,
        seed: limits.seed,
    };
    // A third of the time is kept for looking at executions with few changes of thread.
    let part = Part { watch, until: limits.time.mul_f64(2.0 / 3.0) };
    let Searched { mut verdict, mut stats, mut assumptions, others, found_all, bounds, mut coverage } =
        searched.unwrap_or_else(|| answer(&question, has_threads(program), watch, &part, &on_found));
    if !claims.is_empty() && !matches!(verdict, Verdict::Fails(_)) {
        let budget =
            Budget { memory_bytes: Some(limits.memory), depth: limits.depth, unwind: limits.unwind, control: watch };
        let (claimed, cost, notes) = decide_claims(program, all.clone(), limits.threads, claims, &budget);
        // The first search has said more precisely what several threads rest on.
        let is_said = |note: &String| {
            let about = |text: &str| text.starts_with("memory is sequentially consistent");
            assumptions.iter().any(|said: &String| said == note || (about(said) && about(note)))
        };
        let new: Vec<String> = notes.into_iter().filter(|note| !is_said(note)).collect();
        assumptions.extend(new);
        stats = stats.and(cost);
        verdict = both(verdict, claimed);
    }
    guard::enter("replaying what was found");
    // What is not looked for has another meaning, so a violation is replayed as it was found.
    let is_claim = matches!(&verdict, Verdict::Fails(Evidence::Program(found)) if found.claim.is_some());
    let (judgement, first) = Judge::new(program, if is_claim { &all } else { &options }, watch).judge(verdict);
    let mut evidence: Vec<ProgramRun> = first.into_iter().collect();
    let mut judge = Judge::new(program, &options, watch);
    let mut failing = Vec::new();
    for other in others {
        if let (Judgement::Violated { finding, trace }, Some(other)) = judge.judge(other.into()) {
            failing.push(Failing { finding, trace });
            evidence.push(other);
        }
    }
    if let Judgement::Violated { trace, .. } = &judgement {
        add_trace(program, &mut coverage, trace);
    }
    failing.iter().for_each(|other| add_trace(program, &mut coverage, &other.trace));
    stats.seconds = watch.seconds();
    stats.reach = Reach::new(program, &coverage);
    let is_harmless = judgement == Judgement::Verified && limits.properties.contains(ViolationKind::Deadlock);
    let locks = LockGraph::new(program, &coverage.lock_order, is_harmless);
    let files = FileCoverage::of(program, &coverage);
    // A claim is decided only if nothing else goes wrong.
    let is_complete = found_all && claims.is_empty();
    let mut report = Report { assumptions, bounds, locks, coverage: files, ..Report::new(judgement, stats) };
    report.others = failing;
    report.is_complete = is_complete;
    report.growth = watch.growth();
    Explored { report, evidence, coverage }
}

/// Which of the default properties nobody asked for: a verdict says nothing about them.
fn unlooked(properties: PropertySet) -> Option<String> {
    let missing: PropertySet = PropertySet::default_for_c().iter().filter(|kind| !properties.contains(*kind)).collect();
    (!missing.is_empty()).then(|| format!("looked for only: {properties}; not for: {missing}"))
}

/// What the search for single steps looks for; endless executions are for claims.
fn safety(properties: PropertySet, claims: &[Claim]) -> PropertySet {
    let claimed = claims.iter().map(Claim::violation);
    claimed.fold(properties.without(ViolationKind::Livelock), PropertySet::without)
}

/// The verdict on two sets of properties of one program.
fn both(first: Verdict, second: Verdict) -> Verdict {
    match (first, second) {
        (first, Verdict::Holds(_)) => first,
        (Verdict::Unknown(mut first), Verdict::Unknown(second)) => {
            second.reasons().into_iter().for_each(|reason| first.add(reason.clone()));
            Verdict::Unknown(first)
        }
        (_, second) => second,
    }
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
    Wanted::new(&formulas, &invariants, is_fair)
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

fn has_threads(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::Spawn { .. }))
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
        Ok(Limits {
            properties,
            time,
            memory,
            depth: layers.pick(args.depth, |config| &config.depth).0,
            unwind: layers.pick(args.unwind, |config| &config.unwind).0,
            enumerate: layers.pick(args.enumerate, |config| &config.enumerate).0.unwrap_or(65536),
            threads: layers.pick(args.threads, |config| &config.threads).0.map_or(16, |threads| threads as usize),
            workers: layers.pick(args.workers, |config| &config.workers).0.map_or_else(n_cores, |n| n.max(1) as usize),
            bounds: bounds(args, layers),
            store: layers.pick(args.store, |config| &config.store).0.unwrap_or(StoreArg::Auto),
            order: match layers.pick(args.search, |config| &config.search).0 {
                Some(SearchArg::Depth) => Order::Depth,
                Some(SearchArg::Breadth) | None => Order::Breadth,
            },
            hashing: match layers.pick(args.hash, |config| &config.hash).0 {
                _ if args.audit_hash => Hashing::Audited,
                Some(HashArg::Incremental) => Hashing::Incremental,
                Some(HashArg::Full) | None => Hashing::Full,
            },
            matching: Matching::default(),
            all: layers.pick(args.all.then_some(true), |config| &config.all).0.unwrap_or(false),
            seed: layers.pick(args.seed, |config| &config.seed).0,
            table_from: layers.pick(args.table_from, |config| &config.table_from).0,
            reduction: match layers.pick(args.reduce, |config| &config.reduce).0 {
                Some(ReduceArg::None) => Reduction::None,
                Some(ReduceArg::Sleep) => Reduction::Sleep,
                Some(ReduceArg::Superstep) => Reduction::Superstep,
                Some(ReduceArg::GlobalAccess) => Reduction::GlobalAccess,
                Some(ReduceArg::Dpor | ReduceArg::Auto) | None => Reduction::Dpor,
            },
            trace: match layers.pick(args.trace, |config| &config.trace).0 {
                Some(TraceArg::Full) => TraceStyle::Full,
                Some(TraceArg::None) => TraceStyle::None,
                Some(TraceArg::Short) | None => TraceStyle::Short,
            },
        })
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
    if args.json {
        return crate::events::document(&unpick_report::json::json(report));
    }
    let locks = if args.lock_order { unpick_report::text::lock_order(&report.locks) } else { String::new() };
    say(&(locks + &unpick_report::text::text(report, limits.trace, lines, screen(args.width))));
}

/// Identifies the program a trace belongs to.
pub fn fingerprint(program: &Program) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(unpick_ir::text::print(program).as_bytes()))
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
    row("cache-steps-from", "8000", layers.pick(args.table_from, |config| &config.table_from));
    row("store", "Auto", layers.pick(args.store, |config| &config.store));
    row("search", "Breadth", layers.pick(args.search, |config| &config.search));
    row("hash", "Full", layers.pick(args.hash, |config| &config.hash));
    row("trace", "Short", layers.pick(args.trace, |config| &config.trace));
}
