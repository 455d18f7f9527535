//! Executions of automata as moves: which process moved by which transition, step after step, on the reference interpreter.
//!
//! Searches know an execution as the states at which everybody may move. [`way`] finds the steps between two of them,
//! through the states inside an `atomic` ([`walk_through`]), and [`Walk`] takes recorded moves again and knows these states of its own.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use super::Model;
use super::dead_variables::DeadVariables;
use super::interp::{Control, Fault, Machine, Move, Successor};

/// The moves of one step: one process, or sender and receiver; empty if the step goes wrong before it is taken.
pub type Moves = Vec<Move>;

/// A step of an execution.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The state before it.
    pub before: Vec<u8>,
    /// What comes of it.
    pub next: Successor,
}

/// Why moves are no execution, or states none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Impossible {
    /// There is no first state.
    Start,
    /// The states begin with another one than the model.
    OtherStart,
    /// No step leads from a state to the next.
    NoWay,
    /// A move cannot be taken.
    Move(usize),
    /// The last state is not the one with which the endless part begins.
    NotEndless,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Impossible::Start => f.write_str("the first state goes wrong"),
            Impossible::OtherStart => f.write_str("the execution does not begin with the first state"),
            Impossible::NoWay => f.write_str("no step leads from a state of the execution to the next"),
            Impossible::Move(_) => f.write_str("a step is not possible"),
            Impossible::NotEndless => f.write_str("the endless part does not come back to where it begins"),
        }
    }
}

/// What a walk from a state through atomic regions comes to.
pub struct Met<'a> {
    /// The state, if everybody may move there.
    pub rest: Option<&'a [u8]>,
    /// The step that leads there; nothing if a process inside cannot go on, which lets everybody move.
    pub last: Option<&'a Successor>,
    steps: &'a [Walked],
    at: Option<usize>,
}

impl Met<'_> {
    /// All steps that lead there.
    pub fn taken(&self) -> Vec<Taken> {
        let mut taken = Vec::new();
        let mut at = self.at;
        while let Some(index) = at {
            taken.push(self.steps[index].taken.clone());
            at = self.steps[index].after;
        }
        taken.reverse();
        taken
    }
}

/// A step and the one before it.
struct Walked {
    after: Option<usize>,
    taken: Taken,
}

/// How a walk goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// Through the state, if it lies inside an atomic region.
    Through,
    /// Elsewhere.
    Elsewhere,
    /// Not at all.
    Stop,
}

/// Walks from a state through atomic regions to all states at which everybody may move, fewest steps first and every state
/// inside once. This is the one walker that knows moves; searches have one that knows bytes only.
pub fn walk_through(machine: &Machine<'_>, from: &[u8], visit: &mut dyn FnMut(&Met<'_>) -> Then) {
    let mut steps: Vec<Walked> = Vec::new();
    let mut waiting = VecDeque::from([None]);
    let mut seen = HashSet::new();
    while let Some(at) = waiting.pop_front() {
        let (state, control) = match at {
            None => (from.to_vec(), Control::Any),
            Some(index) => {
                let Walked { taken: Taken { next, .. }, .. } = &steps[index];
                (next.state.clone(), next.control)
            }
        };
        let found = match machine.successors(&state, control) {
            Ok(found) => found,
            Err(fault) => vec![lost(&state, control, fault)],
        };
        let is_stuck = found.is_empty() && at.is_some();
        if is_stuck && visit(&Met { rest: Some(&state), last: None, steps: &steps, at }) == Then::Stop {
            return;
        }
        for next in found {
            // Only a step that goes wrong before it is taken has no moves.
            let is_taken = !next.moves.is_empty();
            steps.push(Walked { after: at, taken: Taken { before: state.clone(), next } });
            let last = steps.len() - 1;
            let next = &steps[last].taken.next;
            let rest = (is_taken && next.control == Control::Any).then_some(&next.state[..]);
            match visit(&Met { rest, last: Some(next), steps: &steps, at: Some(last) }) {
                Then::Stop => return,
                Then::Elsewhere => continue,
                Then::Through => {}
            }
            let is_inside = is_taken && matches!(next.control, Control::Only(_));
            if is_inside && seen.insert((next.state.clone(), next.control)) {
                waiting.push_back(Some(last));
            }
        }
    }
}

/// The fewest steps from a state to one at which everybody may move, or to a fault, that is wanted.
pub fn way(
    machine: &Machine<'_>,
    from: &[u8],
    is_wanted: impl Fn(Option<&[u8]>, Option<&Fault>) -> bool,
) -> Option<Vec<Taken>> {
    let mut found = None;
    walk_through(machine, from, &mut |met| {
        if !is_wanted(met.rest, met.last.and_then(|last| last.faults.first())) {
            return Then::Through;
        }
        found = Some(met.taken());
        Then::Stop
    });
    found
}

/// A step that goes wrong before it is taken.
fn lost(state: &[u8], control: Control, fault: Fault) -> Successor {
    Successor { state: state.to_vec(), control, moves: Vec::new(), faults: vec![fault] }
}

/// The moves along states at which everybody may move, to a fault behind the last one if `to_fault` and there is one.
/// With `forgets`, dead variables are zero in the states.
pub fn moves_along(model: &Model, path: &[Vec<u8>], forgets: bool, to_fault: bool) -> Result<Vec<Moves>, Impossible> {
    let machine = Machine::new(model);
    let Ok(mut state) = machine.initial() else {
        return if path.is_empty() { Ok(Vec::new()) } else { Err(Impossible::Start) };
    };
    let dead = if forgets { DeadVariables::new(model) } else { None };
    let seen = |state: &[u8]| {
        let mut seen = state.to_vec();
        dead.iter().for_each(|dead| dead.forget(&mut seen));
        seen
    };
    if path.first() != Some(&seen(&state)) {
        return Err(Impossible::OtherStart);
    }
    let mut moves = Vec::new();
    for wanted in &path[1..] {
        let steps = way(&machine, &state, |found, _| found.is_some_and(|found| seen(found) == *wanted));
        let steps = steps.ok_or(Impossible::NoWay)?;
        if let Some(last) = steps.last() {
            state.clone_from(&last.next.state);
        }
        moves.extend(steps.into_iter().map(|step| step.next.moves));
    }
    if to_fault {
        let steps = way(&machine, &state, |_, fault| fault.is_some()).unwrap_or_default();
        moves.extend(steps.into_iter().map(|step| step.next.moves));
    }
    Ok(moves)
}

/// The moves from state to state, back to the state `loop_from` if the execution is endless, and how many come before
/// that. In the states everybody may move; a state that stays as it is has come to its end, and the endless part then
/// has no moves.
pub fn moves_round(
    model: &Model,
    path: &[Vec<u8>],
    loop_from: Option<usize>,
) -> Result<(Vec<Moves>, Option<usize>), Impossible> {
    let machine = Machine::new(model);
    let Ok(mut state) = machine.initial() else {
        return if path.is_empty() { Ok((Vec::new(), None)) } else { Err(Impossible::Start) };
    };
    // Hidden variables do not count, and states out of a file may have any length.
    let is_same = |one: &[u8], other: &[u8]| one.len() == other.len() && machine.key(one) == machine.key(other);
    if !path.first().is_some_and(|first| is_same(first, &state)) {
        return Err(Impossible::OtherStart);
    }
    let again = loop_from.and_then(|from| path.get(from));
    let mut moves: Vec<Moves> = Vec::new();
    let mut n_before = None;
    for at in 0..path.len() {
        if loop_from == Some(at) {
            n_before = Some(moves.len());
        }
        let Some(next) = path.get(at + 1).or(again) else { break };
        match way(&machine, &state, |found, _| found.is_some_and(|found| is_same(found, next))) {
            Some(steps) => {
                if let Some(last) = steps.last() {
                    state.clone_from(&last.next.state);
                }
                moves.extend(steps.into_iter().map(|step| step.next.moves));
            }
            None if is_same(&state, next) => {}
            None => return Err(Impossible::NoWay),
        }
    }
    Ok((moves, n_before))
}

/// Moves taken again from the first state on.
pub struct Walk {
    /// The steps, as far as they are possible.
    pub taken: Vec<Taken>,
    /// The states at which everybody may move, each with the number of steps before it; the last one is where the walk
    /// ends, whichever process may move there.
    pub states: Vec<(usize, Vec<u8>)>,
    /// What could not be taken.
    pub impossible: Option<Impossible>,
}

impl Walk {
    /// Takes moves.
    pub fn new(machine: &Machine<'_>, first: &[u8], moves: &[Moves]) -> Walk {
        let (mut state, mut control) = (first.to_vec(), Control::Any);
        let mut walk = Walk { taken: Vec::new(), states: Vec::new(), impossible: None };
        for (at, wanted) in moves.iter().enumerate() {
            let mut found = machine.successors(&state, control);
            if control != Control::Any && found.as_ref().is_ok_and(Vec::is_empty) {
                control = Control::Any;
                found = machine.successors(&state, control);
            }
            if control == Control::Any {
                walk.states.push((at, state.clone()));
            }
            let next = match found {
                Ok(found) => found.into_iter().find(|next| next.moves == *wanted),
                Err(fault) if wanted.is_empty() => Some(lost(&state, control, fault)),
                Err(_) => None,
            };
            let Some(next) = next else {
                walk.impossible = Some(Impossible::Move(at));
                return walk;
            };
            let before = std::mem::replace(&mut state, next.state.clone());
            control = next.control;
            walk.taken.push(Taken { before, next });
        }
        walk.states.push((moves.len(), state));
        walk
    }

    /// Where the walk ends.
    pub fn last(&self) -> Result<&[u8], Impossible> {
        match (self.impossible, self.states.last()) {
            (None, Some((_, state))) => Ok(state),
            (Some(impossible), _) => Err(impossible),
            (None, None) => Err(Impossible::Start),
        }
    }

    /// The position in [`Walk::states`] with which the endless part begins, if it comes back there.
    pub fn loop_from(&self, machine: &Machine<'_>, loop_from: usize) -> Result<usize, Impossible> {
        let last = self.last()?;
        let at = self.states.iter().position(|(n_before, _)| *n_before == loop_from).ok_or(Impossible::NotEndless)?;
        match machine.key(&self.states[at].1) == machine.key(last) {
            true => Ok(at),
            false => Err(Impossible::NotEndless),
        }
    }
}
