//! Random programs print, read back, verify and behave the same; what a run with open inputs finds, a concrete run
//! shows again.
//!
//! `cargo xtask programs A-B` sets `$UNPICK_PROGRAMS` for more seeds than the few hundred of every test run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use unpick_ir::generate::{Random, kinds, running};
use unpick_ir::interp::{Checks, Choice, Decision, Machine, Observer, Options, Pointer, State, Stop, Until, Value};
use unpick_ir::text::{parse, print};
use unpick_ir::verify::{Form, verify};
use unpick_ir::{Block, FuncId, Program, RegId, Stmt, ViolationKind};

/// Instructions between two stops, and stops of an execution, before it is cut.
const FUEL: u64 = 20_000;
const MAX_STOPS: usize = 4_000;

/// What one run did.
struct Run {
    /// Who executed what, in order; instructions that were tried again after a choice count once.
    steps: Vec<(usize, u32, u32)>,
    /// Values and writes too, if asked for.
    details: String,
    end: String,
    decisions: Vec<Decision>,
    key: Vec<u8>,
    is_cut: bool,
}

struct Recorder {
    steps: Vec<(usize, u32, u32)>,
    details: Option<String>,
    is_retry: bool,
    kinds: BTreeSet<&'static str>,
}

impl Recorder {
    fn new(has_details: bool) -> Self {
        Recorder { steps: Vec::new(), details: has_details.then(String::new), is_retry: false, kinds: BTreeSet::new() }
    }

    fn step(&mut self, thread: usize, function: FuncId, line: u32) {
        if !std::mem::take(&mut self.is_retry) {
            self.steps.push((thread, function.0, line));
        }
    }
}

impl Observer for Recorder {
    fn step(&mut self, _state: &State, thread: usize, function: FuncId, stmt: &Stmt) {
        Recorder::step(self, thread, function, stmt.loc.line);
        kinds::add_stmt(&stmt.kind, &mut self.kinds);
    }

    fn terminator(&mut self, _state: &State, thread: usize, function: FuncId, block: &Block) {
        Recorder::step(self, thread, function, block.loc.line);
        kinds::add_terminator(&block.terminator, &mut self.kinds);
    }

    fn assigned(&mut self, state: &State, thread: usize, _function: FuncId, reg: RegId, _old: Value) {
        if let Some(details) = &mut self.details {
            let value = state.register(thread, state.depth(thread) - 1, reg);
            let _ = write!(details, "{reg:?}={value:?};");
        }
    }

    fn written(&mut self, _state: &State, _thread: usize, object: Pointer, offset: u64, bytes: u64) {
        if let Some(details) = &mut self.details {
            let _ = write!(details, "{object:?}+{offset}:{bytes};");
        }
    }
}

/// What decides where an execution goes.
trait Guide {
    fn option(&mut self, choice: &Choice) -> Result<u128, String>;
    fn thread(&mut self, runnable: &[usize]) -> Result<usize, String>;
}

/// Decides by chance.
struct Chance(Random);

impl Guide for Chance {
    fn option(&mut self, choice: &Choice) -> Result<u128, String> {
        let few = usize::try_from(choice.n_options).unwrap_or(usize::MAX);
        let wide = if self.0.one_in(3) { few } else { few.min(4) };
        Ok(self.0.below(wide) as u128)
    }

    fn thread(&mut self, runnable: &[usize]) -> Result<usize, String> {
        Ok(runnable[self.0.below(runnable.len())])
    }
}

/// Decides as was recorded.
struct Recorded<'d>(std::slice::Iter<'d, Decision>);

impl Guide for Recorded<'_> {
    fn option(&mut self, choice: &Choice) -> Result<u128, String> {
        let decision = self.0.next().ok_or_else(|| format!("no decision for {choice:?}"))?;
        choice.option_of(decision).ok_or_else(|| format!("{decision:?} does not answer {choice:?}"))
    }

    fn thread(&mut self, runnable: &[usize]) -> Result<usize, String> {
        match self.0.next() {
            Some(Decision::Thread(thread)) if runnable.contains(&(*thread as usize)) => Ok(*thread as usize),
            other => Err(format!("{other:?} where one of the threads {runnable:?} goes on")),
        }
    }
}

fn run(machine: &Machine<'_>, guide: &mut dyn Guide, mut recorder: Recorder) -> Result<(Run, Recorder), String> {
    let mut state = machine.initial();
    let (mut thread, mut n_stops) = (0, 0);
    let until = Until { fuel: FUEL, shared_access: true, ..Until::NEVER };
    let (end, is_cut) = loop {
        let stop = machine.run(&mut state, thread, until, &mut recorder);
        n_stops += 1;
        match stop {
            Stop::Choice(choice) | Stop::TooWide { samples: choice, .. } => {
                let option = guide.option(&choice)?;
                machine.pick(&mut state, &choice, option);
                recorder.is_retry = true;
            }
            Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                let runnable = machine.runnable(&state);
                if runnable.is_empty() {
                    break ("nothing can go on".to_string(), false);
                }
                thread = guide.thread(&runnable)?;
                state.record_thread(thread);
            }
            Stop::Fuel => break ("fuel".to_string(), true),
            Stop::Violated(violation) => break (format!("{} at {:?}", violation.kind, violation.loc), false),
            other => break (format!("{other:?}"), false),
        }
        if n_stops == MAX_STOPS {
            break ("too long".to_string(), true);
        }
    };
    let mut key = Vec::new();
    machine.key(&state, &mut key);
    let details = recorder.details.take().unwrap_or_default();
    let steps = std::mem::take(&mut recorder.steps);
    Ok((Run { steps, details, end, decisions: machine.decisions(&state), key, is_cut }, recorder))
}

fn options(seed: u64, is_lazy: bool) -> Options {
    let mut checks = Checks::ALL;
    if seed.is_multiple_of(4) {
        use ViolationKind::{InvalidShift, OutOfBounds, Overflow, Uninitialized};
        checks = [Uninitialized, Overflow, OutOfBounds, InvalidShift].into_iter().fold(checks, Checks::without);
    }
    Options { is_lazy, checks, ..Options::default() }
}

/// What is known after a seed: whether its runs were cut, how long they were, and what they executed.
struct Checked {
    is_cut: bool,
    n_steps: usize,
    end: String,
    present: BTreeSet<&'static str>,
    executed: BTreeSet<&'static str>,
}

fn check(seed: u64) -> Result<Checked, String> {
    let program = running(seed);
    verify(&program, Form::Program).map_err(|faults| format!("ill-formed: {}", faults[0]))?;
    let text = print(&program);
    let again = parse(&text).map_err(|errors| format!("unreadable: {}\n{text}", errors[0]))?;
    if again != program {
        return Err("another program is read back".into());
    }
    if print(&again) != text {
        return Err("another text is printed".into());
    }
    let (first, recorder) = both(&program, &again, seed, false)?;
    let (open, _) = both(&program, &again, seed, true)?;
    // An execution with open inputs is one with the values that its decisions give them.
    if !open.is_cut {
        let machine = Machine::new(&again, options(seed, false));
        let mut guide = Recorded(open.decisions.iter());
        let (closed, _) = run(&machine, &mut guide, Recorder::new(false))?;
        if !closed.is_cut && (&closed.steps, &closed.end) != (&open.steps, &open.end) {
            let differs = closed.steps.iter().zip(&open.steps).position(|(one, other)| one != other);
            return Err(format!(
                "with open inputs: {} after {} steps; again: {} after {}; they differ at {differs:?}",
                open.end,
                open.steps.len(),
                closed.end,
                closed.steps.len()
            ));
        }
    }
    let mut present = BTreeSet::new();
    for block in program.functions.iter().flat_map(|function| function.blocks.iter()) {
        block.stmts.iter().for_each(|stmt| kinds::add_stmt(&stmt.kind, &mut present));
        kinds::add_terminator(&block.terminator, &mut present);
    }
    let (is_cut, n_steps) = (first.is_cut || open.is_cut, first.steps.len());
    Ok(Checked { is_cut, n_steps, end: first.end, present, executed: recorder.kinds })
}

/// Runs both programs with the same decisions; they have to do the same.
fn both(program: &Program, again: &Program, seed: u64, is_lazy: bool) -> Result<(Run, Recorder), String> {
    let chance = || Chance(Random::new(seed ^ 0x5eed));
    let (machine, other) = (Machine::new(program, options(seed, is_lazy)), Machine::new(again, options(seed, is_lazy)));
    let (one, recorder) = run(&machine, &mut chance(), Recorder::new(true))?;
    let (two, _) = run(&other, &mut chance(), Recorder::new(true))?;
    let is_same = one.steps == two.steps
        && one.details == two.details
        && one.end == two.end
        && one.decisions == two.decisions
        && one.key == two.key;
    if is_same { Ok((one, recorder)) } else { Err(format!("the program read back behaves otherwise: {}", two.end)) }
}

/// Checks seeds on all cores.
fn check_all(first: u64, last: u64) -> Vec<(u64, Result<Checked, String>)> {
    let next = AtomicU64::new(first);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > last {
                        return;
                    }
                    let checked = std::panic::catch_unwind(|| check(seed)).unwrap_or_else(|_| Err("a panic".into()));
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((seed, checked));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(seed, _)| *seed);
    results
}

#[test]
fn random_programs_read_back_and_behave_the_same() {
    let seeds = std::env::var("UNPICK_PROGRAMS").unwrap_or_else(|_| "1-200".into());
    let (first, last) = seeds.split_once('-').expect("seeds should be a range");
    let (first, last) = (first.parse().expect("a number"), last.parse().expect("a number"));
    let results = check_all(first, last);
    let wrong: Vec<String> =
        results.iter().filter_map(|(seed, result)| Some(format!("seed {seed}: {}", result.as_ref().err()?))).collect();
    let checked: Vec<&Checked> = results.iter().filter_map(|(_, result)| result.as_ref().ok()).collect();
    let n_cut = checked.iter().filter(|checked| checked.is_cut).count();
    let n_ended = checked.iter().filter(|checked| checked.end.starts_with("Exited")).count();
    let n_steps: usize = checked.iter().map(|checked| checked.n_steps).sum();
    println!(
        "{} programs: {} wrong, {n_cut} cut, {n_ended} run to their end, {n_steps} instructions in the first runs",
        results.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(20)].join("\n"));
    assert!(n_cut * 20 <= results.len(), "{n_cut} of {} runs were cut", results.len());
}

#[test]
fn random_programs_have_everything() {
    let (mut present, mut executed) = (BTreeSet::new(), BTreeSet::new());
    for (seed, result) in check_all(1, 500) {
        let checked = result.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        present.extend(checked.present);
        executed.extend(checked.executed);
    }
    let missing = |found: &BTreeSet<&'static str>| kinds::all().difference(found).copied().collect::<Vec<_>>();
    assert!(missing(&present).is_empty(), "in no program: {:?}", missing(&present));
    assert!(missing(&executed).is_empty(), "executed by no program: {:?}", missing(&executed));
}
