//! Counterexample construction: a shortest path to an accepting state, and a cycle from there through all that fairness
//! and acceptance require.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;

use unpick_system::Processes;

use super::super::edges::Graph;
use super::super::predecessor_log::StateNumber;
use super::components::Component;
use super::fair::FairnessChecker;
use super::{Kept, Search, Shared};

/// What a cycle has to pass next.
#[derive(Clone, Copy)]
enum Aim {
    /// A state in which the process cannot move, or a step of it.
    Fair(u8),
    /// This state, after at least one step.
    State(u32),
}

/// States by number, and where the endless part begins.
pub(super) struct Outline {
    pub(super) states: Vec<u32>,
    pub(super) loop_from: Option<usize>,
}

/// The states from the first one to this one.
pub(super) fn way(shared: &Shared<'_>, kept: &[impl Deref<Target = Kept>], to: StateNumber) -> Vec<u32> {
    shared.way(kept, to).into_iter().map(|(state, _)| shared.id(state) as u32).collect()
}

/// The execution that a component holds, which accepts and, where that counts, is fair to all.
pub(super) fn lasso(
    search: &Search<'_>,
    kept: &[impl Deref<Target = Kept>],
    graph: &Graph<'_>,
    component: &Component,
    checker: &mut FairnessChecker<'_>,
) -> Outline {
    let accepting = component.states.iter().copied().find(|state| graph.is_accepting(*state));
    let start = accepting.expect("the component should accept");
    let mut path = way(search.shared, kept, search.shared.number(start.into()));
    let loop_from = path.len() - 1;
    let mut cycle = Cycle { graph, component, states: vec![start], fair: Processes::ALL };
    if search.product.is_fair() {
        checker.look_at(start);
        cycle.fair = checker.disabled();
        for process in 0..=u8::MAX {
            if !cycle.fair.contains(process) {
                cycle.go(Aim::Fair(process), checker);
            }
        }
    }
    if cycle.states.len() == 1 || cycle.states.last() != Some(&start) {
        cycle.go(Aim::State(start), checker);
    }
    // The first state of the cycle is on the path already, and its last one is the first.
    cycle.states.pop();
    path.extend(&cycle.states[1..]);
    Outline { states: path, loop_from: Some(loop_from) }
}

struct Cycle<'g> {
    graph: &'g Graph<'g>,
    component: &'g Component,
    states: Vec<u32>,
    /// Processes that have moved or could not.
    fair: Processes,
}

impl Cycle<'_> {
    /// Extends the cycle by a shortest way inside the component to what it has to pass.
    fn go(&mut self, aim: Aim, checker: &mut FairnessChecker<'_>) {
        let start = *self.states.last().expect("a cycle should have a state");
        let mut origins: HashMap<u32, u32, foldhash::fast::RandomState> = HashMap::default();
        let mut waiting = VecDeque::from([start]);
        let mut found = None;
        'search: while let Some(from) = waiting.pop_front() {
            for next in self.graph.successors(from).filter(|next| self.component.contains(*next)) {
                let is_aim = match aim {
                    Aim::State(state) => state == next,
                    Aim::Fair(process) => {
                        checker.look_at(from);
                        let moves = checker.movers_to(next).contains(process);
                        moves || {
                            checker.look_at(next);
                            checker.disabled().contains(process)
                        }
                    }
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
            self.pass(next, checker);
        }
    }

    /// Adds a state to the cycle, and what is passed with it.
    fn pass(&mut self, next: u32, checker: &mut FairnessChecker<'_>) {
        if self.fair != Processes::ALL {
            let from = *self.states.last().expect("a cycle should have a state");
            checker.look_at(from);
            self.fair.extend(checker.movers_to(next));
            checker.look_at(next);
            self.fair.extend(checker.disabled());
        }
        self.states.push(next);
    }
}
