//! `unpick simulate` on a model: one execution, at random or chosen step by step.
//!
//! What is printed stands where SPIN's users expect it: the further to the right, the higher the number of the process.

use std::io::{BufRead as _, Write as _};

use unpick_ir::automaton::Step;
use unpick_ir::automaton::interp::{Control, Machine, Move, Successor};
use unpick_report::Sources as _;
use unpick_system::{PathEvidence, Wrong};
use unpick_witness::{Finding, replay_model};

use super::Dice;
use crate::args::SimulateArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::{Settings, colour_of_stderr};
use crate::model::{LoadedModel, load_model};

/// Steps of a simulation unless the user says otherwise.
const DEFAULT_STEPS: u64 = 100_000;

/// Runs one execution of a model.
pub fn run(args: &SimulateArgs) -> Outcome<u8> {
    let layers = Layers::read(&args.input)?;
    let settings = Settings::new(&args.input, &layers)?;
    let loaded = load_model(&settings.files, &settings.flags, &[])?;
    let machine = Machine::new(&loaded.model);
    let Ok(first) = machine.initial() else {
        let evidence = PathEvidence { path: Vec::new(), forgets: false, wrong: Wrong::Fault };
        return Ok(tell(&loaded, &evidence));
    };
    let mut run = Run {
        loaded: &loaded,
        machine,
        dice: Dice { state: args.seed },
        is_interactive: args.interactive,
        is_verbose: args.verbose || args.interactive,
        state: first.clone(),
        control: Control::Any,
        path: vec![first],
        n_steps: 0,
    };
    let limit = args.steps.unwrap_or(DEFAULT_STEPS);
    while run.n_steps < limit {
        match run.step()? {
            Next::Went => {}
            Next::Ended(code) => return Ok(code),
        }
    }
    eprintln!("unpick: {limit} steps, and the model goes on (--steps N takes more)");
    Ok(3)
}

/// How a step went.
enum Next {
    Went,
    Ended(u8),
}

/// An execution so far.
struct Run<'a> {
    loaded: &'a LoadedModel,
    machine: Machine<'a>,
    dice: Dice,
    is_interactive: bool,
    is_verbose: bool,
    state: Vec<u8>,
    control: Control,
    /// States at which everybody could move.
    path: Vec<Vec<u8>>,
    n_steps: u64,
}

impl Run<'_> {
    fn step(&mut self) -> Outcome<Next> {
        let Ok(found) = self.machine.successors(&self.state, self.control) else {
            return Ok(Next::Ended(self.fail(Wrong::Fault)));
        };
        if found.is_empty() {
            if self.control != Control::Any {
                self.control = Control::Any;
                self.path.push(self.state.clone());
                return Ok(Next::Went);
            }
            if !self.machine.is_valid_end(&self.state) {
                return Ok(Next::Ended(self.fail(Wrong::InvalidEnd)));
            }
            eprintln!("unpick: {} steps, and nothing is left to do", self.n_steps);
            return Ok(Next::Ended(0));
        }
        let chosen = match self.is_interactive {
            true => match self.ask(&found)? {
                Some(chosen) => chosen,
                None => return Ok(Next::Ended(0)),
            },
            false => self.dice.below(found.len()),
        };
        let next = &found[chosen];
        self.n_steps += 1;
        self.print(next);
        if !next.faults.is_empty() {
            return Ok(Next::Ended(self.fail(Wrong::Fault)));
        }
        self.state.clone_from(&next.state);
        self.control = next.control;
        if self.control == Control::Any {
            self.path.push(self.state.clone());
        }
        Ok(Next::Went)
    }

    /// The execution is told as a search would tell it.
    fn fail(&self, wrong: Wrong) -> u8 {
        tell(self.loaded, &PathEvidence { path: self.path.clone(), forgets: false, wrong })
    }

    fn print(&self, next: &Successor) {
        let mut stdout = std::io::stdout().lock();
        for moved in &next.moves {
            let transition = self.transition(moved);
            let text = self.machine.output(&self.state, moved.process, transition);
            if !text.is_empty() {
                let _ = write!(stdout, "{:width$}{text}", "", width = 6 + 4 * usize::from(moved.process));
            }
            if self.is_verbose {
                let _ = writeln!(stdout, "{:4}: {}", self.n_steps, self.describe(moved));
            }
        }
        let _ = stdout.flush();
    }

    fn transition(&self, moved: &Move) -> &unpick_ir::automaton::Transition {
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
            _ => sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" "),
        };
        format!("process {} ({name}) {place}  {text}", moved.process)
    }

    /// Lets the user choose; `None` if they have seen enough.
    fn ask(&self, found: &[Successor]) -> Outcome<Option<usize>> {
        let mut stdout = std::io::stdout().lock();
        loop {
            for (at, next) in found.iter().enumerate() {
                let moves: Vec<String> = next.moves.iter().map(|moved| self.describe(moved)).collect();
                let _ = writeln!(stdout, "  [{}] {}", at + 1, moves.join(", with "));
            }
            let _ = write!(stdout, "choose 1-{}, v for variables, q to end: ", found.len());
            let _ = stdout.flush();
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
                        let _ = writeln!(stdout, "    {owner}{} = {}", shown.name, shown.value);
                    }
                }
                "" if found.len() == 1 => return Ok(Some(0)),
                text => match text.parse::<usize>() {
                    Ok(number @ 1..) if number <= found.len() => return Ok(Some(number - 1)),
                    _ => {
                        let _ = writeln!(stdout, "`{text}` is none of these");
                    }
                },
            }
        }
    }
}

/// What went wrong, on the model's lines.
fn tell(loaded: &LoadedModel, evidence: &PathEvidence) -> u8 {
    let finding = match replay_model(&loaded.model, &loaded.session.sources, evidence) {
        Ok((finding, ..)) => finding,
        Err(mismatch) => Finding { message: mismatch.to_string(), ..Finding::default() },
    };
    let lines = |file: &str, line: u32| loaded.lines.line(file, line);
    eprint!("{}", unpick_report::text::violation(&finding, &lines, colour_of_stderr()));
    1
}
