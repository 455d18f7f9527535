//! Executions of models as they are saved and taken again: who moved by which transition, step after step.

use unpick_base::SourceMap;
use unpick_base::id::Id as _;
use unpick_ir::automaton::interp::{Control, Machine, Move, Successor};
use unpick_ir::automaton::{LocationId, Model};
use unpick_system::Wrong;

use super::{Taken, Teller};
use crate::{Finding, ReplayMismatch, Trace};

/// The moves of one step: one process, or sender and receiver; nobody, if the step goes wrong before it is taken.
pub type Moves = Vec<Move>;

/// `1:4.0` is process 1 at its location 4 with the first transition there; `+` joins sender and receiver, `-` is nobody.
pub fn moves_text(moves: &Moves) -> String {
    let words: Vec<String> = moves
        .iter()
        .map(|moved| format!("{}:{}.{}", moved.process, moved.location.index(), moved.transition))
        .collect();
    if words.is_empty() { "-".to_owned() } else { words.join("+") }
}

/// Reads what [`moves_text`] writes.
pub fn moves_from_text(text: &str) -> Option<Moves> {
    if text == "-" {
        return Some(Vec::new());
    }
    let moved = |word: &str| {
        let (process, rest) = word.split_once(':')?;
        let (location, transition) = rest.split_once('.')?;
        let location: u32 = location.parse().ok()?;
        Some(Move {
            process: process.parse().ok()?,
            location: LocationId::from_index(location as usize),
            transition: transition.parse().ok()?,
        })
    };
    text.split('+').map(moved).collect()
}

/// Takes the recorded moves again; the steps are told up to where that is not possible any more.
pub fn retrace_model(
    model: &Model,
    sources: &SourceMap,
    steps: &[Moves],
    wrong: Wrong,
) -> (Result<Finding, ReplayMismatch>, Trace) {
    let machine = Machine::new(model);
    let teller = Teller { machine: &machine, model, sources };
    let first = match machine.initial() {
        Ok(first) => first,
        Err(fault) if steps.is_empty() => return (Ok(teller.fault(&fault, None, &[])), Trace::default()),
        Err(_) => return (Err(ReplayMismatch::new("the first state goes wrong")), Trace::default()),
    };
    let (taken, last) = take(&machine, &first, steps.iter());
    let mut trace = teller.trace(&taken);
    let found = match last {
        Ok(last) => teller.judge(&taken, &last, wrong).inspect(|_| {
            if wrong == Wrong::InvalidEnd {
                teller.add_waiting(&mut trace, &last);
            }
        }),
        Err(mismatch) => Err(mismatch),
    };
    (found, trace)
}

/// Tells an execution by its moves, whatever comes of it, as far as they are possible.
pub fn tell_moves(model: &Model, sources: &SourceMap, steps: &[Moves]) -> Trace {
    let machine = Machine::new(model);
    let Ok(first) = machine.initial() else { return Trace::default() };
    let (taken, _) = take(&machine, &first, steps.iter());
    Teller { machine: &machine, model, sources }.trace(&taken)
}

/// The moves from state to state of an execution, back to the state `loop_from` if it is endless, and how many come
/// before that. In the states everybody may move; what stays as it is has come to its end.
pub fn moves_between(
    model: &Model,
    path: &[Vec<u8>],
    loop_from: Option<usize>,
) -> Result<(Vec<Moves>, Option<usize>), ReplayMismatch> {
    let machine = Machine::new(model);
    let again = loop_from.and_then(|from| path.get(from));
    let mut moves: Vec<Moves> = Vec::new();
    let mut n_before = None;
    for (at, state) in path.iter().enumerate() {
        if loop_from == Some(at) {
            n_before = Some(moves.len());
        }
        let Some(next) = path.get(at + 1).or(again) else { break };
        let is_next = |found: &Vec<u8>| machine.key(found) == machine.key(next);
        match super::way(&machine, state, |found, _| found.is_some_and(is_next)) {
            Ok(steps) => moves.extend(steps.into_iter().map(|step| step.next.moves)),
            Err(_) if machine.key(state) == machine.key(next) => {}
            Err(mismatch) => return Err(mismatch),
        }
    }
    let n_before = n_before.filter(|from| *from < moves.len());
    Ok((moves, n_before))
}

/// Takes steps from a state on, and says where they lead.
pub(super) fn take<'m>(
    machine: &Machine<'_>,
    first: &[u8],
    steps: impl Iterator<Item = &'m Moves>,
) -> (Vec<Taken>, Result<Vec<u8>, ReplayMismatch>) {
    let (mut state, mut control) = (first.to_vec(), Control::Any);
    let mut taken = Vec::new();
    for moves in steps {
        let mut found = machine.successors(&state, control);
        if control != Control::Any && found.as_ref().is_ok_and(Vec::is_empty) {
            found = machine.successors(&state, Control::Any);
        }
        let next = match found {
            Ok(found) => found.into_iter().find(|next| next.moves == *moves),
            Err(fault) if moves.is_empty() => {
                Some(Successor { state: state.clone(), control, moves: Vec::new(), faults: vec![fault] })
            }
            Err(_) => None,
        };
        let Some(next) = next else { return (taken, Err(ReplayMismatch::new("a step is not possible"))) };
        let before = std::mem::replace(&mut state, next.state.clone());
        control = next.control;
        taken.push(Taken { before, next });
    }
    (taken, Ok(state))
}

impl Teller<'_> {
    /// What is wrong at the end of an execution, if it is.
    pub(super) fn judge(&self, taken: &[Taken], last: &[u8], wrong: Wrong) -> Result<Finding, ReplayMismatch> {
        match wrong {
            Wrong::InvalidEnd => {
                let next = self.machine.successors(last, Control::Any);
                let next = next.map_err(|_| ReplayMismatch::new("a step goes wrong"))?;
                if !next.is_empty() || self.machine.is_valid_end(last) {
                    return Err(ReplayMismatch::new("the last state is no invalid end"));
                }
                Ok(self.invalid_end(last))
            }
            Wrong::Fault => {
                let (before, moved, fault) = taken
                    .last()
                    .and_then(|step| Some((&step.before, step.next.moves.last(), step.next.faults.first()?)))
                    .ok_or_else(|| ReplayMismatch::new("no step goes wrong"))?;
                Ok(self.fault(fault, moved.map(|moved| moved.process), before))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_move() -> impl Strategy<Value = Move> {
        (any::<u8>(), 0usize..1_000_000, any::<u32>()).prop_map(|(process, location, transition)| Move {
            process,
            location: LocationId::from_index(location),
            transition,
        })
    }

    proptest! {
        #[test]
        fn moves_read_back(moves in prop::collection::vec(any_move(), 0..3)) {
            prop_assert_eq!(moves_from_text(&moves_text(&moves)), Some(moves));
        }

        #[test]
        fn any_text_is_refused_or_read_without_a_panic(text in ".{0,20}") {
            let _ = moves_from_text(&text);
        }
    }
}
