//! Trails of SPIN, followed on our own interpreter.
//!
//! A trail names transitions by numbers that only SPIN knows, so SPIN is asked to spell it out. What it says is taken as
//! a guide: which process moves, and at which line. The interpreter takes these steps and judges how they end. SPIN does
//! not execute embedded C, the verifier that it writes does: for models with C that one is made and asked.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Output};

use unpick_automaton::interp::{Control, Machine, Move, Successor};
use unpick_automaton::run::Moves;
use unpick_system::AutomatonViolation;

use crate::args::TargetArg;
use crate::child::{self, Broken};
use crate::failure::{Failure, Outcome};
use crate::flags::{Flags, Macro};
use crate::model::LoadedModel;
use crate::preprocess::preprocess;
use crate::scratch;

/// What model and trail are called where SPIN runs.
const MODEL: &str = "model.pml";
const TRAIL: &str = "model.pml.trail";

/// More executions that fit a trail than this are not kept apart.
const MAX_FITTING: usize = 2000;

/// One step as SPIN tells it.
struct Spoken {
    process: u8,
    line: u32,
    text: String,
    is_end: bool,
}

/// What SPIN says about a trail.
struct Told {
    steps: Vec<Spoken>,
    /// How many steps come before the endless part.
    loop_from: Option<usize>,
    is_error: bool,
}

fn spell_out(model: &Path, flags: &Flags, trail: &Path, has_code: bool) -> Outcome<Told> {
    let trail = std::path::absolute(trail).unwrap_or_else(|_| trail.to_path_buf());
    if !trail.is_file() {
        return Err(Failure::new(format!("cannot read {}", trail.display()))
            .help("a verifier made by SPIN writes MODEL.trail when it finds an error"));
    }
    let cannot = |error: std::io::Error| Failure::new(format!("cannot make a temporary folder: {error}"));
    // SPIN leaves files where it runs.
    let folder = scratch::Folder::new().map_err(cannot)?;
    // SPIN hands names and macros to a shell, so it gets neither: the model is preprocessed here, as SPIN would read it,
    // and has a plain name.
    let mut flags = flags.clone();
    flags.add_macro(Macro::undefine("__UNPICK__")?);
    let text = preprocess(model, &flags, TargetArg::Lp64, true)?.text;
    std::fs::write(folder.path().join(MODEL), text).map_err(cannot)?;
    std::fs::copy(&trail, folder.path().join(TRAIL)).map_err(cannot)?;
    let mut spin = Command::new("spin");
    spin.current_dir(folder.path());
    let output = match has_code {
        true => {
            run(spin.arg("-a").arg(MODEL), "spin")?;
            spelt_by_verifier(folder.path(), model)?
        }
        false => run(spin.arg("-p").arg("-k").arg(TRAIL).arg(MODEL), "spin")?,
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = read_steps(&text);
    if told.steps.is_empty() {
        let first = text.lines().chain(std::str::from_utf8(&output.stderr).unwrap_or("").lines());
        let first: Vec<&str> = first.filter(|line| !line.trim().is_empty()).take(3).collect();
        return Err(Failure::new(format!("SPIN does not follow the trail: {}", first.join("; ")))
            .help("the trail has to belong to this model, as it is now, with the same macros"));
    }
    Ok(told)
}

fn run(command: &mut Command, name: &str) -> Outcome<Output> {
    child::output(command).map_err(|broken| match broken {
        Broken::Start(error) => {
            Failure::new(format!("{name} cannot be run: {error}")).help("trails are spelt out by SPIN 6")
        }
        Broken::Halted(halt) => Failure::halted(halt),
    })
}

/// Compiles the verifier of a model and lets it follow the trail.
fn spelt_by_verifier(folder: &Path, model: &Path) -> Outcome<Output> {
    let text = crate::input::read_text(model)?;
    // Extracted models say how much room their states need.
    let scratch = text.split("-DVECTORSZ=").nth(1).map(|rest| rest.chars().take_while(char::is_ascii_digit));
    let scratch = scratch.map(|digits| format!("-DVECTORSZ={}", digits.collect::<String>()));
    let compiler = std::env::var("CC").unwrap_or("cc".to_owned());
    let mut compile = Command::new(&compiler);
    let built = run(compile.args(["-w", "-o", "pan", "pan.c"]).args(scratch).current_dir(folder), &compiler)?;
    if !built.status.success() {
        let first = String::from_utf8_lossy(&built.stderr).lines().next().unwrap_or("no pan.c was written").to_owned();
        return Err(Failure::new(format!("the verifier of the model cannot be compiled: {first}")));
    }
    run(Command::new(folder.join("pan")).arg("-r").arg(TRAIL).current_dir(folder), "the verifier of the model")
}

/// `  4:\tproc  0 (A:1) m.pml:7 (state 3)\t[i = (i+1)]`
fn read_steps(text: &str) -> Told {
    let mut told = Told { steps: Vec::new(), loop_from: None, is_error: false };
    for line in text.lines() {
        if line.contains("START OF CYCLE") {
            told.loop_from = Some(told.steps.len());
        }
        told.is_error |= line.starts_with("spin: ") && line.contains("Error:");
        told.is_error |= line.starts_with("pan:") && line.contains("assertion violated");
        let Some((_, rest)) = line.split_once(':').filter(|(number, _)| number.trim().parse::<u64>().is_ok()) else {
            continue;
        };
        let Some(rest) = rest.trim_start().strip_prefix("proc").map(str::trim_start) else { continue };
        let (process, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Ok(process) = process.parse::<u8>() else { continue };
        if rest.trim() == "terminates" {
            told.steps.push(Spoken { process, line: 0, text: String::new(), is_end: true });
            continue;
        }
        // The last lines tell where processes stand: they have no statement.
        let (Some((head, tail)), Some((_, statement))) = (rest.split_once("(state"), rest.split_once("\t[")) else {
            continue;
        };
        let place = head.split_once(')').map_or(head, |(_, place)| place).trim();
        let line = place.rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let _ = tail;
        let text = statement.trim_end().trim_end_matches(']').to_owned();
        told.steps.push(Spoken { process, line, text, is_end: false });
    }
    told
}

/// An execution that fits the trail.
pub struct Followed {
    /// States in which all processes may move.
    pub path: Vec<Vec<u8>>,
    /// How many of them come before the endless part.
    pub loop_from: Option<usize>,
    pub wrong: Option<AutomatonViolation>,
    /// The mover of each step.
    pub moves: Vec<Moves>,
    /// How many of the steps come before the endless part.
    pub loop_after: Option<usize>,
}

/// One of the executions that fit so far.
struct Node {
    parent: usize,
    moves: Moves,
    state: Vec<u8>,
    control: Control,
    has_fault: bool,
    /// A rendezvous has two lines in the trail; this is the receiver's process.
    partner: Option<u8>,
}

/// Follows a trail of the model in a file, which was read with these macros.
///
/// SPIN does not execute embedded C: for models with such code the verifier that SPIN writes is compiled and run, if the
/// user says so.
pub fn follow(loaded: &LoadedModel, model: &Path, flags: &Flags, trail: &Path, runs_code: bool) -> Outcome<Followed> {
    if loaded.model.has_code && !runs_code {
        return Err(Failure::new("the model has C code, and only a verifier compiled from it can follow the trail").help(
            "--run-model-code compiles and runs it, which lets that code do anything: say so for models that you trust",
        ));
    }
    let told = spell_out(model, flags, trail, loaded.model.has_code)?;
    follow_told(loaded, &Machine::new(&loaded.model), &told)
}

fn follow_told(loaded: &LoadedModel, machine: &Machine<'_>, told: &Told) -> Outcome<Followed> {
    let first = machine.initial().map_err(|_| Failure::new("the model has no first state"))?;
    let root =
        Node { parent: 0, moves: Vec::new(), state: first, control: Control::Any, has_fault: false, partner: None };
    let mut nodes = vec![root];
    let mut fitting = vec![0];
    let mut at_loop: Option<Vec<usize>> = None;
    for (at, step) in told.steps.iter().enumerate() {
        if told.loop_from == Some(at) {
            at_loop = Some(fitting.clone());
        }
        let next = advance(loaded, machine, &mut nodes, &fitting, step);
        match next.is_empty() {
            false => fitting = next,
            // Jumps are no steps of their own everywhere.
            true if is_jump(&step.text) => {}
            true => {
                return Err(Failure::new(format!(
                    "step {} of the trail is not possible here: process {} at line {}: {}",
                    at + 1,
                    step.process,
                    step.line,
                    step.text
                ))
                .help("the trail has to belong to this model, as it is now, with the same macros"));
            }
        }
    }
    if told.is_error && !fitting.iter().any(|node| nodes[*node].has_fault) {
        // The verifier stops before the step that goes wrong.
        fitting = failing(machine, &mut nodes, &fitting).unwrap_or(fitting);
    }
    let best = fitting.iter().copied().find(|node| nodes[*node].has_fault == told.is_error).unwrap_or(fitting[0]);
    let wrong = match nodes[best].has_fault {
        true => Some(AutomatonViolation::Fault),
        false => {
            let next = machine.successors(&nodes[best].state, nodes[best].control);
            let is_stuck = next.is_ok_and(|next| next.is_empty()) && !machine.is_valid_end(&nodes[best].state);
            is_stuck.then_some(AutomatonViolation::InvalidEnd)
        }
    };
    let mut chain = Vec::new();
    let mut node = best;
    loop {
        chain.push(node);
        if node == 0 {
            break;
        }
        node = nodes[node].parent;
    }
    chain.reverse();
    let is_state = |node: &&usize| nodes[**node].control == Control::Any && !nodes[**node].has_fault;
    let path = chain.iter().filter(is_state).map(|node| nodes[*node].state.clone()).collect();
    // The first node of the chain is no step.
    let loop_after = at_loop.map(|known| chain.iter().position(|node| known.contains(node)).unwrap_or(0));
    let loop_from = loop_after.map(|until| chain[..=until].iter().filter(is_state).count());
    let moves = chain[1..].iter().map(|node| nodes[*node].moves.clone()).collect();
    Ok(Followed { path, loop_from, wrong, moves, loop_after })
}

/// A step that goes wrong behind one of the executions.
fn failing(machine: &Machine<'_>, nodes: &mut Vec<Node>, fitting: &[usize]) -> Option<Vec<usize>> {
    for at in fitting {
        let found = machine.successors(&nodes[*at].state, nodes[*at].control).unwrap_or_default();
        if let Some(next) = found.into_iter().find(|next| !next.faults.is_empty()) {
            nodes.push(new_node(*at, next, None));
            return Some(vec![nodes.len() - 1]);
        }
    }
    None
}

fn is_jump(text: &str) -> bool {
    text.contains("goto") || text == "break" || text.starts_with(".(") || text == "(1)" || text == "1"
}

/// The executions that go on as the trail says.
fn advance(
    loaded: &LoadedModel,
    machine: &Machine<'_>,
    nodes: &mut Vec<Node>,
    fitting: &[usize],
    step: &Spoken,
) -> Vec<usize> {
    let mut exact: Vec<Node> = Vec::new();
    let mut loose: Vec<Node> = Vec::new();
    let mut waiting = Vec::new();
    for at in fitting {
        // The second line of a rendezvous is no step of its own.
        if nodes[*at].partner.take_if(|partner| *partner == step.process).is_some() {
            waiting.push(*at);
            continue;
        }
        let (state, control) = (nodes[*at].state.clone(), nodes[*at].control);
        let mut found = machine.successors(&state, control).unwrap_or_default();
        if found.is_empty() && control != Control::Any {
            found = machine.successors(&state, Control::Any).unwrap_or_default();
        }
        for next in found {
            let Some(first) = next.moves.first().filter(|first| first.process == step.process) else { continue };
            let is_exact = fits(loaded, machine, &state, first, step);
            let partner = next.moves.get(1).map(|partner| partner.process);
            let node = new_node(*at, next, partner);
            if is_exact { exact.push(node) } else { loose.push(node) }
        }
    }
    if !waiting.is_empty() {
        return waiting;
    }
    let chosen = if exact.is_empty() { loose } else { exact };
    let mut seen = HashSet::new();
    let mut next = Vec::new();
    for node in chosen {
        let key = (node.state.clone(), node.control, node.has_fault, node.partner);
        if next.len() < MAX_FITTING && seen.insert(key) {
            next.push(nodes.len());
            nodes.push(node);
        }
    }
    next
}

fn new_node(parent: usize, next: Successor, partner: Option<u8>) -> Node {
    let has_fault = !next.faults.is_empty();
    Node { parent, moves: next.moves, state: next.state, control: next.control, has_fault, partner }
}

/// Whether a move stands where the trail says.
fn fits(loaded: &LoadedModel, machine: &Machine<'_>, state: &[u8], moved: &Move, step: &Spoken) -> bool {
    let positions = machine.positions(state);
    let proctype = &loaded.model.proctypes[positions[usize::from(moved.process)].0];
    let transition = &proctype.automaton.locations[moved.location].transitions[moved.transition as usize];
    let is_end = matches!(transition.step, unpick_automaton::Step::End);
    if is_end || step.is_end {
        return is_end == step.is_end;
    }
    loaded.session.sources.place(transition.span.lo).is_some_and(|place| place.line == step.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spin_says_is_read() {
        let text = "starting claim 1\n  1:\tproc  0 (A:1) m.pml:7 (state 1)\t[((i<3))]\n  <<<<<START OF CYCLE>>>>>\n \
                    19: proc 1 terminates\nspin: m.pml:17, Error: assertion violated\n  4:\tproc  0 (A:1) m.pml:18 (state \
                    20) <valid end state>\n";
        let told = read_steps(text);
        assert_eq!(told.steps.len(), 2);
        assert!(told.steps[0].line == 7 && told.steps[0].text == "((i<3))" && told.steps[1].is_end);
        assert!(told.loop_from == Some(1) && told.is_error);
    }
}
