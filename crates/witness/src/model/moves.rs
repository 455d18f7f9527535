//! Saved executions of models as moves: the process and transition of each step, replayed in order.

use unpick_automaton::interp::{Control, Machine, Move};
use unpick_automaton::run::{Moves, Taken, Walk};
use unpick_automaton::{LocationId, Model};
use unpick_base::SourceMap;
use unpick_base::id::Id as _;
use unpick_system::{AutomatonRun, AutomatonViolation};

use super::Teller;
use crate::{Finding, ReplayMismatch, Trace};

/// `1:4.0` is process 1 at its location 4 with the first transition there; `+` joins sender and receiver, `-` stands for no process.
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
    run: &AutomatonRun,
) -> (Result<Finding, ReplayMismatch>, Trace) {
    let AutomatonRun { moves: steps, wrong, .. } = run;
    let machine = Machine::new(model);
    let teller = Teller { machine: &machine, model, sources };
    let first = match machine.initial() {
        Ok(first) => first,
        Err(fault) if steps.is_empty() => return (Ok(teller.fault(&fault, None, &[])), Trace::default()),
        Err(_) => return (Err(ReplayMismatch::new("the first state goes wrong")), Trace::default()),
    };
    let walk = Walk::new(&machine, &first, steps);
    let mut trace = teller.trace(&walk.taken);
    let found = match walk.last() {
        Ok(last) => teller.judge(&walk.taken, last, *wrong).inspect(|_| {
            if *wrong == AutomatonViolation::InvalidEnd {
                teller.add_waiting(&mut trace, last);
            }
        }),
        Err(impossible) => Err(impossible.into()),
    };
    (found, trace)
}

/// Tells an execution by its moves, whatever comes of it, as far as they are possible.
pub fn tell_moves(model: &Model, sources: &SourceMap, steps: &[Moves]) -> Trace {
    let machine = Machine::new(model);
    let Ok(first) = machine.initial() else { return Trace::default() };
    let walk = Walk::new(&machine, &first, steps);
    Teller { machine: &machine, model, sources }.trace(&walk.taken)
}

impl Teller<'_> {
    /// What is wrong at the end of an execution, if it is.
    pub(super) fn judge(
        &self,
        taken: &[Taken],
        last: &[u8],
        wrong: AutomatonViolation,
    ) -> Result<Finding, ReplayMismatch> {
        match wrong {
            AutomatonViolation::InvalidEnd => {
                let next = self.machine.successors(last, Control::Any);
                let next = next.map_err(|_| ReplayMismatch::new("a step goes wrong"))?;
                if !next.is_empty() || self.machine.is_valid_end(last) {
                    return Err(ReplayMismatch::new("the last state is no invalid end"));
                }
                Ok(self.invalid_end(last))
            }
            AutomatonViolation::Behaviour { .. } => Err(ReplayMismatch::new("no step is wrong by itself")),
            AutomatonViolation::Fault => {
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
