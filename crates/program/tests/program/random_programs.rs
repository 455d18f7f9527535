//! Random programs print, read back, verify and behave the same; what a run with open inputs finds, a concrete run
//! shows again.
//!
//! `cargo xtask programs A-B` sets `$UNPICK_PROGRAMS` for more seeds than the few hundred of every test run.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use unpick_program::generate::{Random, kinds, running};
use unpick_program::interp::{
    Checks, Choice, ChoiceKind, Decision, Key, Machine, Observer, Options, Oracle, Pointer, Positional, State, Stop,
    Until, Value,
};
use unpick_program::text::{parse, print};
use unpick_program::verify::{Form, verify};
use unpick_program::{Block, FuncId, Program, RegId, Stmt, ViolationKind};

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

impl Run {
    fn new(machine: &Machine<'_>, state: &State, stop: &Stop, recorder: &mut Recorder) -> Run {
        let end = match stop {
            Stop::Violated(violation) => format!("{} at {:?}", violation.kind, violation.loc),
            other => format!("{other:?}"),
        };
        let mut key = Vec::new();
        machine.key(state, &mut key);
        let details = recorder.details.take().unwrap_or_default();
        let steps = std::mem::take(&mut recorder.steps);
        Run { steps, details, end, decisions: machine.decisions(state), key, is_cut: *stop == Stop::Fuel }
    }

    /// What is different in another run of the same decisions.
    fn difference(&self, other: &Run) -> Option<String> {
        if self.is_cut || other.is_cut || (&self.steps, &self.end) == (&other.steps, &other.end) {
            return None;
        }
        let at = self.steps.iter().zip(&other.steps).position(|(one, other)| one != other);
        let (n_steps, n_others) = (self.steps.len(), other.steps.len());
        Some(format!("{} after {n_steps} steps, then {} after {n_others}; step {at:?}", self.end, other.end))
    }
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

    fn picked(&mut self, _thread: usize) {
        self.is_retry = true;
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

/// Decides by chance.
struct Chance(Random);

impl Chance {
    fn option(&mut self, choice: &Choice) -> u128 {
        if let ChoiceKind::Address { room, .. } = &choice.kind {
            let wanted = room.lowest.wrapping_add(room.align * self.0.below(1 << 20) as u64);
            return if room.has(wanted) { wanted.into() } else { room.lowest.into() };
        }
        let few = usize::try_from(choice.n_options).unwrap_or(usize::MAX);
        let wide = if self.0.one_in(3) { few } else { few.min(4) };
        self.0.below(wide) as u128
    }

    fn thread(&mut self, runnable: &[usize]) -> usize {
        runnable[self.0.below(runnable.len())]
    }
}

fn run(machine: &Machine<'_>, mut chance: Chance, mut recorder: Recorder) -> (Run, Recorder) {
    let mut state = machine.initial();
    let (mut thread, mut n_stops) = (0, 0);
    let until = Until { fuel: FUEL, shared_access: true, ..Until::NEVER };
    let stop = loop {
        let stop = machine.run(&mut state, thread, until, &mut recorder);
        n_stops += 1;
        match stop {
            Stop::Choice(choice) | Stop::TooWide { samples: choice, .. } => {
                let option = chance.option(&choice);
                machine.pick(&mut state, &choice, option);
                recorder.is_retry = true;
            }
            Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                let runnable = machine.runnable(&state);
                if runnable.is_empty() {
                    break Stop::Blocked;
                }
                thread = chance.thread(&runnable);
                state.record_thread(thread);
            }
            ended => break ended,
        }
        if n_stops == MAX_STOPS {
            break Stop::Fuel;
        }
    };
    (Run::new(machine, &state, &stop, &mut recorder), recorder)
}

/// Runs as an oracle says; also what was asked.
fn follow(machine: &Machine<'_>, oracle: &mut dyn Oracle) -> Result<(Run, Vec<(Key, Decision)>), String> {
    let mut recorder = Recorder::new(false);
    let followed = machine.follow(oracle, FUEL, MAX_STOPS, &mut recorder).map_err(|misfit| format!("{misfit:?}"))?;
    Ok((Run::new(machine, &followed.state, &followed.stop, &mut recorder), followed.asked))
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
    n_addresses: usize,
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
    let (first, recorder) = both(&program, &again, options(seed, false), seed)?;
    let (open, _) = both(&program, &again, options(seed, true), seed)?;
    check_oracles(&again, &open, options(seed, false)).map_err(|why| format!("with open inputs: {why}"))?;
    let placed = Options { asks_addresses: true, ..options(seed, false) };
    let (chosen, _) = both(&program, &again, placed.clone(), seed)?;
    check_oracles(&again, &chosen, placed).map_err(|why| format!("with chosen addresses: {why}"))?;
    let mut present = BTreeSet::new();
    for block in program.functions.iter().flat_map(|function| function.blocks.iter()) {
        block.stmts.iter().for_each(|stmt| kinds::add_stmt(&stmt.kind, &mut present));
        kinds::add_terminator(&block.terminator, &mut present);
    }
    let (is_cut, n_steps) = (first.is_cut || open.is_cut || chosen.is_cut, first.steps.len());
    let n_addresses = chosen.decisions.iter().filter(|decision| matches!(decision, Decision::Address(_))).count();
    Ok(Checked { is_cut, n_steps, n_addresses, end: first.end, present, executed: recorder.kinds })
}

/// The decisions of a run lead a concrete run the same way: in their order, and again when they are asked for by key.
/// An execution with open inputs is the one with the values that its decisions give them.
fn check_oracles(program: &Program, found: &Run, options: Options) -> Result<(), String> {
    if found.is_cut {
        return Ok(());
    }
    let machine = Machine::new(program, options);
    let mut positional = Positional::new(&found.decisions);
    let (in_order, asked) = follow(&machine, &mut positional)?;
    if let Some(difference) = found.difference(&in_order) {
        return Err(format!("by position: {difference}"));
    }
    if !in_order.is_cut && !positional.is_used_up() {
        return Err("some decisions were not asked for".into());
    }
    let n_asked = asked.len();
    let mut answers: HashMap<Key, Decision> = asked.into_iter().collect();
    if answers.len() != n_asked {
        return Err("two questions have one key".into());
    }
    let (by_key, _) = follow(&machine, &mut answers)?;
    match in_order.difference(&by_key) {
        Some(difference) => Err(format!("by key: {difference}")),
        None => Ok(()),
    }
}

/// Runs both programs with the same decisions; they have to do the same.
fn both(program: &Program, again: &Program, options: Options, seed: u64) -> Result<(Run, Recorder), String> {
    let chance = || Chance(Random::new(seed ^ 0x5eed));
    let (machine, other) = (Machine::new(program, options.clone()), Machine::new(again, options));
    let (one, recorder) = run(&machine, chance(), Recorder::new(true));
    let (two, _) = run(&other, chance(), Recorder::new(true));
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
    let n_addresses: usize = checked.iter().map(|checked| checked.n_addresses).sum();
    println!(
        "{} programs: {} wrong, {n_cut} cut, {n_ended} run to their end, {n_steps} instructions in the first runs, \
         {n_addresses} chosen addresses",
        results.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(20)].join("\n"));
    assert!(n_addresses > 0, "no program looked at an address");
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
