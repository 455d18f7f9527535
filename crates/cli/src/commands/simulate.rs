//! `unpick simulate`: one execution, with unknown values chosen by a seeded generator.

mod model;

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use unpick_lower_c::Arguments;
use unpick_program::interp::{Checks, Choice, Machine, Observer, Options, Stop, Until, Wants};
use unpick_report::escape::printable;
use unpick_report::{Colour, Sources as _};
use unpick_system::Halt;
use unpick_system::PropertySet;
use unpick_witness::{Finding, stuck_text};

use crate::args::SimulateArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::guard;
use crate::input::{Loaded, Settings, colour_of_stderr, load};
use crate::output::{is_reader_gone, keep_stdout, tell_drawn, to_stderr};
use crate::quantity;
use crate::supervisor::default_memory;

pub fn run(args: SimulateArgs) -> Outcome<u8> {
    if args.input.files.iter().any(|file| crate::model::is_model(file)) {
        return model::run(&args);
    }
    let stop = Stops::new(&args)?;
    let is_for_models = args.interactive || args.steps.is_some() || args.verbose || args.chart;
    if is_for_models || args.guide.is_some() || args.dot.is_some() || args.width.is_some() {
        return Err(Failure::new("everything but --seed, --time and --depth is for models")
            .help("name a .pml file, or look at an execution with `unpick check --save-trace` and `unpick show`"));
    }
    let layers = Layers::read(&args.input)?;
    let mut settings = Settings::new(&args.input, &layers)?;
    settings.is_rand_seeded = true;
    settings.shows_output = true;
    // Like a program that is started without arguments.
    settings.arguments.get_or_insert(Arguments::Given(Vec::new()));
    let loaded = load(&settings)?;
    let checks: Checks = PropertySet::default_for_c().iter().collect();
    let machine = Machine::new(&loaded.program, Options { is_lazy: false, checks, ..Options::default() });
    let mut console = Console::new();
    let mut dice = Dice { state: args.seed };
    let mut state = machine.initial();
    let mut thread = 0;
    let mut n_choices = 0;
    let code = loop {
        if is_reader_gone() {
            break 0;
        }
        if let Some(why) = stop.reached(n_choices) {
            break stuck(&mut console, &why);
        }
        match machine.run(&mut state, thread, Until { fuel: FUEL, ..Until::NEVER }, &mut console) {
            Stop::Choice(choice) | Stop::TooWide { samples: choice, .. } => {
                n_choices += 1;
                let option = dice.option(&choice);
                machine.pick(&mut state, &choice, option);
            }
            Stop::Exited { code, is_abort } => break if is_abort { 134 } else { code as u8 },
            Stop::Blocked if !machine.partial_deadlock(&state).is_empty() && !machine.runnable(&state).is_empty() => {
                break stuck(&mut console, &stuck_text(&machine, &state));
            }
            Stop::ThreadEnded | Stop::Blocked | Stop::Shared => match dice.thread(&machine.runnable(&state)) {
                Some(next) => {
                    n_choices += 1;
                    thread = next;
                }
                None => break stuck(&mut console, "every thread waits for another: deadlock"),
            },
            Stop::Infeasible => break stuck(&mut console, "an assumption does not hold for this seed; try another"),
            Stop::Violated(violation) => {
                console.flush();
                let finding = Finding::of(&loaded.program, &violation);
                explain(&loaded, &finding);
                break 1;
            }
            Stop::Unmodelled { loc, what } => {
                let place = unpick_system::why::place(&loaded.program, loc);
                break stuck(&mut console, &format!("{place}: not modelled: {what}"));
            }
            Stop::Limit { what, loc } => {
                let place = unpick_system::why::place(&loaded.program, loc);
                break stuck(&mut console, &format!("{place}: {what}"));
            }
            Stop::Fuel | Stop::LoopHead(..) => {}
        }
    };
    console.flush();
    Ok(code)
}

/// Instructions between two looks at the clock.
const FUEL: u64 = 100_000;

/// When an execution is followed no further.
struct Stops {
    time: Option<Duration>,
    depth: Option<u64>,
}

impl Stops {
    /// As the flags say. From here on an interrupt is answered, unless the user is asked what to do: then it just ends.
    fn new(args: &SimulateArgs) -> Outcome<Self> {
        let time = args.time.as_deref().map(quantity::duration).transpose()?;
        if !args.interactive {
            let (longest, memory) = (time.unwrap_or(Duration::MAX), default_memory());
            guard::limit(guard::Limits { time: longest, memory, telling: guard::Telling::Message });
        }
        Ok(Self { time, depth: args.depth })
    }

    /// Why it is to be stopped now.
    fn reached(&self, n_choices: u64) -> Option<String> {
        if guard::is_interrupted() {
            return Some("interrupted".to_owned());
        }
        if let Some(time) = self.time.filter(|time| guard::elapsed() >= *time) {
            return Some(format!("the time limit of {:.0} s was reached (--time)", time.as_secs_f64()));
        }
        if guard::halt() == Some(Halt::Memory) {
            return Some("the memory limit was reached".to_owned());
        }
        let depth = self.depth.filter(|depth| n_choices >= *depth)?;
        Some(format!("the depth limit of {depth} choices was reached (--depth)"))
    }
}

fn stuck(console: &mut Console, why: &str) -> u8 {
    console.flush();
    tell!("unpick: {why}");
    3
}

fn explain(loaded: &Loaded, finding: &Finding) {
    let lines = |file: &str, line: u32| loaded.lines.line(file, line);
    tell_drawn(&unpick_report::text::violation(finding, &lines, colour_of_stderr()));
}

/// Standard output and error of the simulated program: its own bytes, except on a terminal, which they must not steer.
struct Console {
    stdout: std::io::BufWriter<std::io::Stdout>,
    gates: [Option<Gate>; 2],
    notes: Vec<String>,
}

/// Makes what goes to a terminal harmless. Characters may come byte by byte.
#[derive(Default)]
struct Gate {
    /// The beginning of a character.
    pending: Vec<u8>,
}

impl Gate {
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(bytes);
        let n_whole = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => self.pending.len(),
        };
        let whole: Vec<u8> = self.pending.drain(..n_whole).collect();
        printable(&String::from_utf8_lossy(&whole), Colour::Never).into_owned().into_bytes()
    }
}

impl Console {
    fn new() -> Self {
        let gates = [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
        let gates = gates.map(|is_terminal| is_terminal.then(Gate::default));
        Self { stdout: std::io::BufWriter::new(std::io::stdout()), gates, notes: Vec::new() }
    }

    fn flush(&mut self) {
        keep_stdout(self.stdout.flush());
    }
}

impl Observer for Console {
    fn wants(&self) -> Wants {
        Wants::RARE
    }

    fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|known| known == text) {
            self.notes.push(text.to_owned());
            tell!("unpick: assumed: {text}");
        }
    }

    fn output(&mut self, stream: i32, bytes: &[u8]) {
        let gate = &mut self.gates[usize::from(stream == 2)];
        let shown = gate.as_mut().map(|gate| gate.pass(bytes));
        let bytes = shown.as_deref().unwrap_or(bytes);
        match stream {
            2 => to_stderr(bytes),
            // A closed pipe is no business of the program's.
            _ => keep_stdout(self.stdout.write_all(bytes)),
        }
    }
}

/// A small generator (SplitMix64): the same seed gives the same execution everywhere.
struct Dice {
    state: u64,
}

impl Dice {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn option(&mut self, choice: &Choice) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        match choice.n_options {
            0 | u128::MAX => wide,
            n => wide % n,
        }
    }

    fn thread(&mut self, runnable: &[usize]) -> Option<usize> {
        let n = runnable.len() as u64;
        (n > 0).then(|| runnable[(self.next() % n) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_steered() {
        let mut gate = Gate::default();
        let bytes = "a\x1b[2Jä\u{202e}\n\t".bytes().chain([0x9b, b'x', 0xff, b'\r', 0xc3]);
        let shown: Vec<u8> = bytes.flat_map(|byte| gate.pass(&[byte])).collect();
        assert_eq!(String::from_utf8(shown).expect("text"), "a\u{241b}[2Jä\u{fffd}\n\t\u{fffd}x\u{fffd}\u{240d}");
    }
}
