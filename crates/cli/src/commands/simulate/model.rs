//! `unpick simulate` on a model: one execution, at random, chosen step by step, or one that was found before.
//!
//! What is printed stands where SPIN's users expect it: the further to the right, the higher the number of the process.

mod guide;

use std::io::BufRead as _;
use std::path::Path;

use unpick_automaton::Step;
use unpick_automaton::interp::{Control, Machine, Move, Successor};
use unpick_automaton::run::Moves;
use unpick_report::{Sources as _, chart};
use unpick_system::{AutomatonRun, AutomatonViolation, Interpreted};
use unpick_witness::{Finding, ReplayMismatch, Trace, moves_text, replay_run, retrace_model, tell_moves};

use self::guide::Guide;
use super::{Dice, Stops};
use crate::args::SimulateArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::{Settings, colour_of_stderr, screen};
use crate::model::{LoadedModel, load_model};
use crate::output::{is_reader_gone, save, say, tell_drawn};

/// Steps of a simulation unless the user says otherwise.
const DEFAULT_STEPS: u64 = 100_000;

/// Runs one execution of a model.
pub fn run(args: &SimulateArgs) -> Outcome<u8> {
    let stop = Stops::new(args)?;
    let layers = Layers::read(&args.input)?;
    let settings = Settings::new(&args.input, &layers)?;
    let (loaded, choice) = match &args.guide {
        Some(file) => {
            let (loaded, guide) = guide::read(file, &settings, args.run_model_code)?;
            (loaded, Choice::Guided(guide))
        }
        None => {
            let loaded = load_model(&settings.files, &settings.flags, &[])?;
            let dice = Dice { state: args.seed };
            (loaded, if args.interactive { Choice::Asked } else { Choice::Random(dice) })
        }
    };
    let machine = Machine::new(&loaded.model);
    let Ok(first) = machine.initial() else {
        return Ok(tell(&loaded, &[], AutomatonViolation::Fault));
    };
    let mut run = Run {
        loaded: &loaded,
        machine,
        choice,
        // A chart tells everything at the end.
        is_silent: args.chart && !args.interactive,
        is_verbose: args.verbose || args.interactive,
        state: first.clone(),
        control: Control::Any,
        path: vec![first],
        moves: Vec::new(),
        wrong: None,
    };
    let limit = args.steps.unwrap_or(DEFAULT_STEPS);
    let code = run.go(limit, &stop)?;
    if args.chart || args.dot.is_some() {
        run.draw(args)?;
    }
    Ok(code)
}

/// How a step went.
enum Next {
    Went,
    Ended(u8),
}

/// The source of decisions.
enum Choice {
    Random(Dice),
    Asked,
    Guided(Guide),
}

/// An execution so far.
struct Run<'a> {
    loaded: &'a LoadedModel,
    machine: Machine<'a>,
    choice: Choice,
    is_silent: bool,
    is_verbose: bool,
    state: Vec<u8>,
    control: Control,
    /// States at which all processes could move.
    path: Vec<Vec<u8>>,
    /// The steps.
    moves: Vec<Moves>,
    /// How it has ended, if it should not have.
    wrong: Option<AutomatonViolation>,
}

impl Run<'_> {
    fn go(&mut self, limit: u64, stop: &Stops) -> Outcome<u8> {
        while (self.moves.len() as u64) < limit {
            if is_reader_gone() {
                return Ok(0);
            }
            if let Some(why) = stop.reached(self.moves.len() as u64) {
                tell!("unpick: {} steps, and {why}", self.moves.len());
                return Ok(3);
            }
            match self.step()? {
                Next::Went => {}
                Next::Ended(code) => return Ok(code),
            }
        }
        tell!("unpick: {limit} steps, and the model goes on (--steps N takes more)");
        Ok(3)
    }

    fn step(&mut self) -> Outcome<Next> {
        let Ok(mut found) = self.machine.successors(&self.state, self.control) else {
            // A step that goes wrong before it is taken has no moves.
            self.moves.push(Moves::new());
            return Ok(Next::Ended(self.fail(AutomatonViolation::Fault)));
        };
        if found.is_empty() {
            if self.control != Control::Any {
                self.control = Control::Any;
                self.path.push(self.state.clone());
                return Ok(Next::Went);
            }
            if !self.machine.is_valid_end(&self.state) {
                return Ok(Next::Ended(self.fail(AutomatonViolation::InvalidEnd)));
            }
            tell!("unpick: {} steps, and nothing is left to do", self.moves.len());
            return Ok(Next::Ended(0));
        }
        let Some(chosen) = self.choose(&found)? else { return Ok(Next::Ended(0)) };
        let next = found.swap_remove(chosen);
        self.moves.push(next.moves.clone());
        if !self.is_silent {
            self.print(&next);
        }
        if !next.faults.is_empty() {
            return Ok(Next::Ended(self.fail(AutomatonViolation::Fault)));
        }
        self.state = next.state;
        self.control = next.control;
        if self.control == Control::Any {
            self.path.push(self.state.clone());
        }
        Ok(Next::Went)
    }

    /// Which of the possible steps is taken; `None` if that was all.
    fn choose(&mut self, found: &[Successor]) -> Outcome<Option<usize>> {
        let n_steps = self.moves.len();
        match &mut self.choice {
            Choice::Random(dice) => Ok(Some(dice.below(found.len()))),
            Choice::Asked => self.ask(found),
            Choice::Guided(guide) => {
                let Some(wanted) = guide.moves.get(n_steps) else {
                    match guide.loop_from {
                        Some(from) => {
                            tell!("unpick: {n_steps} steps; those from step {} on repeat for ever", from + 1)
                        }
                        None => tell!("unpick: {n_steps} steps, and the guide ends here"),
                    }
                    return Ok(None);
                };
                let chosen = found.iter().position(|next| next.moves == *wanted);
                let lost = || {
                    let message =
                        format!("step {} of the guide is not possible here: {}", n_steps + 1, moves_text(wanted));
                    Failure::new(message)
                        .help("the guide has to belong to this model, as it is now, with the same macros")
                };
                chosen.map(Some).ok_or_else(lost)
            }
        }
    }

    /// The execution is told as a search would tell it.
    fn fail(&mut self, wrong: AutomatonViolation) -> u8 {
        self.wrong = Some(wrong);
        tell(self.loaded, &self.path, wrong)
    }

    /// Draws what has happened.
    fn draw(&self, args: &SimulateArgs) -> Outcome<()> {
        let (model, sources) = (&self.loaded.model, &self.loaded.session.sources);
        let mut trace = match self.wrong {
            Some(wrong) => {
                let run = AutomatonRun { moves: self.moves.clone(), loop_from: None, wrong };
                retrace_model(model, sources, &run).1
            }
            None => tell_moves(model, sources, &self.moves),
        };
        if let Choice::Guided(Guide { loop_from: Some(from), .. }) = &self.choice {
            trace.loop_start = Some(self.moves[..*from].iter().map(Vec::len).sum());
        }
        if args.chart {
            say(&chart::columns(&trace, args.verbose, screen(args.width).width));
        }
        match &args.dot {
            Some(path) => save(path, &drawn(&trace, self.wrong.is_some(), path)),
            None => Ok(()),
        }
    }

    fn print(&self, next: &Successor) {
        let mut told = String::new();
        for moved in &next.moves {
            let transition = self.transition(moved);
            let text = self.machine.output(&self.state, moved.process, transition);
            if !text.is_empty() {
                told += &format!("{:width$}{text}", "", width = 6 + 4 * usize::from(moved.process));
            }
            if self.is_verbose {
                told += &format!("{:4}: {}\n", self.moves.len(), self.describe(moved));
            }
        }
        say(&told);
    }

    fn transition(&self, moved: &Move) -> &unpick_automaton::Transition {
        let (proctype, _) = self.machine.positions(&self.state)[usize::from(moved.process)];
        let automaton = &self.loaded.model.proctypes[proctype].automaton;
        &automaton.locations[moved.location].transitions[moved.transition as usize]
    }

    /// Process, place and statement.
    fn describe(&self, moved: &Move) -> String {
        let (proctype, _) = self.machine.positions(&self.state)[usize::from(moved.process)];
        let name = self.loaded.model.proctypes[proctype].name.trim_matches(':');
        let span = self.transition(moved).span;
        let sources = &self.loaded.session.sources;
        let place = sources.place(span.lo).map(|place| format!("{}:{}", place.file, place.line)).unwrap_or_default();
        let text = match self.transition(moved).step {
            Step::End => "ends".to_owned(),
            _ => unpick_witness::model::statement_text(sources, span),
        };
        format!("process {} ({name}) {place}  {text}", moved.process)
    }

    /// Lets the user choose; `None` if they have seen enough.
    fn ask(&self, found: &[Successor]) -> Outcome<Option<usize>> {
        loop {
            let mut told = String::new();
            for (at, next) in found.iter().enumerate() {
                let moves: Vec<String> = next.moves.iter().map(|moved| self.describe(moved)).collect();
                told += &format!("  [{}] {}\n", at + 1, moves.join(", with "));
            }
            say(&format!("{told}choose 1-{}, v for variables, q to end: ", found.len()));
            let mut line = String::new();
            let n_read = std::io::stdin().lock().read_line(&mut line);
            if n_read.map_err(|error| Failure::new(format!("cannot read what was chosen: {error}")))? == 0 {
                return Ok(None);
            }
            match line.trim() {
                "q" => return Ok(None),
                "v" => {
                    for shown in self.machine.values(&self.state) {
                        let owner = shown.process.map(|process| format!("{process}.")).unwrap_or_default();
                        say(&format!("    {owner}{} = {}\n", shown.name, shown.value));
                    }
                }
                "" if found.len() == 1 => return Ok(Some(0)),
                text => match text.parse::<usize>() {
                    Ok(number @ 1..) if number <= found.len() => return Ok(Some(number - 1)),
                    _ => say(&format!("`{text}` is none of these\n")),
                },
            }
        }
    }
}

fn drawn(trace: &Trace, is_wrong: bool, path: &Path) -> String {
    match path.extension().is_some_and(|extension| extension == "svg") {
        true => chart::sequence(trace, is_wrong),
        false => chart::execution(trace, is_wrong),
    }
}

/// What went wrong, on the model's lines.
fn tell(loaded: &LoadedModel, path: &[Vec<u8>], wrong: AutomatonViolation) -> u8 {
    let run = AutomatonRun::along(&Interpreted::new(&loaded.model), path, false, wrong).map_err(ReplayMismatch::from);
    let finding = match run.and_then(|run| replay_run(&loaded.model, &loaded.session.sources, &run)) {
        Ok((finding, _)) => finding,
        Err(mismatch) => Finding { message: mismatch.to_string(), ..Finding::default() },
    };
    let lines = |file: &str, line: u32| loaded.lines.line(file, line);
    tell_drawn(&unpick_report::text::violation(&finding, &lines, colour_of_stderr()));
    1
}
