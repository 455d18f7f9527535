//! All states of a small model as a graph. What lies inside an `atomic` is part of the step that goes through it.

use unpick_automaton::Model;
use unpick_automaton::interp::{Fault, Machine, Move, Successor};
use unpick_automaton::run::{Met, Then, walk_through};
use unpick_base::SourceMap;

use super::{Teller, describe};
use crate::graph::{Mark, ShownState, StateGraph, StateGraphBuilder, TooManyStates};

/// Every state of the model, unless there are more than `most`.
pub fn model_states(model: &Model, sources: &SourceMap, most: usize) -> Result<StateGraph, TooManyStates> {
    let machine = Machine::new(model);
    let mut explorer = Explorer {
        teller: Teller { machine: &machine, model, sources },
        machine: &machine,
        builder: StateGraphBuilder::new(most),
    };
    match machine.initial() {
        Ok(first) => explorer.number(&first)?,
        Err(fault) => {
            let (_, message) = describe(fault.kind, &explorer.teller.text(fault.span));
            explorer.add_wrong(message)?
        }
    };
    while let Some((from, state)) = explorer.builder.next() {
        explorer.follow(from, &state)?;
    }
    Ok(explorer.builder.finish())
}

struct Explorer<'a> {
    teller: Teller<'a>,
    machine: &'a Machine<'a>,
    builder: StateGraphBuilder<Vec<u8>>,
}

impl Explorer<'_> {
    /// The number of a state, which may be new.
    fn number(&mut self, state: &[u8]) -> Result<usize, TooManyStates> {
        let (key, shown) = (self.machine.key(state).to_vec(), self.shown(state));
        self.builder.arrive(key, shown, state.to_vec())
    }

    fn add_wrong(&mut self, remark: String) -> Result<usize, TooManyStates> {
        self.builder.add(ShownState { remark, mark: Mark::AutomatonViolation, ..ShownState::default() }, None)
    }

    fn shown(&self, state: &[u8]) -> ShownState {
        let positions = self.machine.positions(state);
        let places = positions.iter().enumerate().map(|(process, at)| {
            let (_, line, _) = self.teller.place(self.teller.span_of(*at));
            (self.who(process as u8, state), if line == 0 { "end".to_owned() } else { line.to_string() })
        });
        let values = self.machine.values(state).into_iter().map(|shown| {
            let name = match shown.process {
                Some(process) => format!("{}.{}", self.who(process, state), shown.name),
                None => shown.name,
            };
            (name, shown.value)
        });
        ShownState { places: places.collect(), values: values.collect(), ..ShownState::default() }
    }

    /// The process by its name, and by its number if others have the same name.
    fn who(&self, process: u8, state: &[u8]) -> String {
        let positions = self.machine.positions(state);
        let Some(own) = positions.get(usize::from(process)).map(|at| at.0) else { return process.to_string() };
        let starts = self.teller.model.start.iter().filter(|(proctype, _)| *proctype == own).count();
        let is_alone = starts < 2 && positions.iter().filter(|at| at.0 == own).count() < 2;
        match is_alone {
            true => self.teller.name(own),
            false => format!("{}{process}", self.teller.name(own)),
        }
    }

    fn follow(&mut self, from: usize, state: &[u8]) -> Result<(), TooManyStates> {
        let mut result = Ok(());
        let mut is_end = true;
        walk_through(self.machine, state, &mut |met| {
            is_end = false;
            let faults = met.last.map_or(&[][..], |last| &last.faults);
            if met.rest.is_none() && faults.is_empty() {
                return Then::Through;
            }
            result = self.arrive(from, met, faults);
            if result.is_ok() { Then::Elsewhere } else { Then::Stop }
        });
        if is_end {
            let shown = &mut self.builder.graph.states[from];
            (shown.mark, shown.remark) = match self.machine.is_valid_end(state) {
                true => (Mark::End, String::new()),
                false => (Mark::AutomatonViolation, "invalid end".to_owned()),
            };
        }
        result
    }

    /// A step from a state is done, or goes wrong.
    fn arrive(&mut self, from: usize, met: &Met<'_>, faults: &[Fault]) -> Result<(), TooManyStates> {
        let taken = met.taken();
        let mut label: Vec<String> = taken.iter().flat_map(|step| self.told(&step.before, &step.next)).collect();
        let mut wrong = faults.iter().map(|fault| describe(fault.kind, &self.teller.text(fault.span)).1);
        let is_wrong = !faults.is_empty();
        let to = match taken.last() {
            // It goes wrong before it is taken, and leads nowhere.
            Some(last) if last.next.moves.is_empty() => {
                let message = wrong.next().unwrap_or_default();
                self.add_wrong(message)?
            }
            last => {
                label.extend(wrong);
                let state = met.rest.or(last.map(|last| &last.next.state[..]));
                self.number(state.expect("a step should lead somewhere"))?
            }
        };
        self.builder.step(from, to, label, is_wrong);
        Ok(())
    }

    fn told(&self, state: &[u8], next: &Successor) -> Vec<String> {
        let positions = self.machine.positions(state);
        let tell = |moved: &Move| {
            let transition = self.teller.transition(moved, &positions);
            let text = match transition.step {
                unpick_automaton::Step::End => "ends".to_owned(),
                unpick_automaton::Step::Else => "else".to_owned(),
                _ => self.teller.text(transition.span),
            };
            format!("{}: {text}", self.who(moved.process, state))
        };
        next.moves.iter().map(tell).collect()
    }
}
