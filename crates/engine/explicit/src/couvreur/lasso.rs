//! Counterexample construction: a path to the component, and a cycle in it through all that fairness and acceptance
//! require.

use std::collections::{HashMap, VecDeque};

use unpick_system::{Processes, Stepper as _, Which};

use super::{DONE, Search, UNSEEN};

/// What a cycle has to pass next.
#[derive(Clone, Copy)]
enum Aim {
    Accepting,
    /// A state in which the process cannot move, or a step of it.
    Fair(u8),
    /// This state, after at least one step.
    State(u32),
}

impl Search<'_> {
    /// The execution that the topmost component holds: its states, and where the endless part begins.
    pub(super) fn lasso(&mut self) -> (Vec<Vec<u8>>, usize) {
        let root = *self.roots.last().expect("a cycle should lie in a component");
        let entry = self.living[root.place as usize];
        let n_frames = self.frames.iter().take_while(|frame| frame.place <= root.place).count();
        self.frames.truncate(n_frames);
        let mut path = self.way();
        let loop_from = path.len() - 1;
        let mut cycle = vec![entry];
        let mut fair = if self.is_fair { Processes::default() } else { Processes::ALL };
        if self.is_fair {
            fair.extend(self.disabled(entry));
        }
        if !self.is_accepting(entry) {
            self.go(root.place, Aim::Accepting, &mut cycle, &mut fair);
        }
        for process in 0..=u8::MAX {
            if !fair.contains(process) {
                self.go(root.place, Aim::Fair(process), &mut cycle, &mut fair);
            }
        }
        let is_closed = cycle.len() > 1 && cycle.last() == Some(&entry);
        if !is_closed {
            self.go(root.place, Aim::State(entry), &mut cycle, &mut fair);
        }
        // The first state of the cycle is on the path already, and its last one is the first.
        cycle.pop();
        let states: Vec<Vec<u8>> = cycle.into_iter().skip(1).map(|id| self.bytes_of(id)).collect();
        path.extend(states);
        (path, loop_from)
    }

    fn is_accepting(&mut self, id: u32) -> bool {
        self.load(id);
        self.stepper.is_accepting(&self.state)
    }

    /// Processes that cannot move in a state.
    fn disabled(&mut self, id: u32) -> Processes {
        self.load(id);
        self.successors.clear();
        self.stepper.expand(&self.state, Which::All, &mut self.successors);
        self.successors.enabled.complement()
    }

    /// Extends the cycle by a shortest way inside the component to what it has to pass.
    fn go(&mut self, root: u32, aim: Aim, cycle: &mut Vec<u32>, fair: &mut Processes) {
        let start = *cycle.last().expect("a cycle should have a state");
        let mut origins: HashMap<u32, u32, foldhash::fast::RandomState> = HashMap::default();
        let mut waiting = VecDeque::from([start]);
        let mut found = None;
        'search: while let Some(from) = waiting.pop_front() {
            for (next, movers) in self.successors_within(from, root) {
                let is_aim = match aim {
                    Aim::Accepting => self.is_accepting(next),
                    Aim::Fair(process) => movers.contains(process) || self.disabled(next).contains(process),
                    Aim::State(state) => state == next,
                };
                if is_aim {
                    found = Some((from, next));
                    break 'search;
                }
                if next != start && !origins.contains_key(&next) {
                    origins.insert(next, from);
                    waiting.push_back(next);
                }
            }
        }
        let (mut from, last) = found.expect("a component should hold what it has passed");
        let mut way = vec![last];
        while from != start {
            way.push(from);
            from = origins[&from];
        }
        for next in way.into_iter().rev() {
            self.pass(next, cycle, fair, root);
        }
    }

    /// Adds a state to the cycle, and what is passed with it.
    fn pass(&mut self, next: u32, cycle: &mut Vec<u32>, fair: &mut Processes, root: u32) {
        if self.is_fair {
            let from = *cycle.last().expect("a cycle should have a state");
            let edges = self.successors_within(from, root);
            let movers = edges.iter().filter(|(id, _)| *id == next);
            // Two ways may lead to the same state; only what all of them have in common is sure.
            let common = movers.fold(Processes::ALL, |common, (_, movers)| common.common(*movers));
            fair.extend(common);
            fair.extend(self.disabled(next));
        }
        cycle.push(next);
    }

    /// Successors within the component, with their movers.
    fn successors_within(&mut self, id: u32, root: u32) -> Vec<(u32, Processes)> {
        self.load(id);
        let mut successors = std::mem::take(&mut self.successors);
        successors.clear();
        self.stepper.expand(&self.state, Which::All, &mut successors);
        let mut found = Vec::new();
        for (at, next) in successors.list.iter().enumerate().filter(|(_, next)| next.len > 0) {
            let state = successors.state(*next);
            let hash = self.store.hash(self.product.key(state));
            let Ok(id) = self.number(hash, state) else { continue };
            let place = self.places[id as usize];
            if place != UNSEEN && place != DONE && place > root {
                found.push((id, successors.movers.get(at).copied().unwrap_or_default()));
            }
        }
        self.successors = successors;
        found
    }
}
