//! From states by number to an execution, step by step and with all values.
//!
//! In the reduced graph, steps are left out and dead variables are zero. The steps are taken again here,
//! round the cycle as often as it takes until all values come back (after one round they depend on nothing older).
//! Whether the claim accepts what comes of it is asked of [`unpick_system::Product::beside`].

use unpick_store::Recall;
use unpick_system::{Product, Stepper, Successors, System as _, Walking, Which};

use super::super::reduced::{Reduced, ReducedStepper};
use super::{Search, recall};
use crate::couvreur::LivenessEnd;

/// A cycle that does not come back to the same values after so many rounds is given up.
const MAX_ROUNDS: usize = 4;

/// States by number, and where the endless part begins.
pub(super) struct Outline {
    pub(super) states: Vec<u32>,
    pub(super) loop_from: Option<usize>,
}

/// The execution with this outline.
pub(super) fn execution(search: &Search<'_>, outline: &Outline) -> LivenessEnd {
    let Search { product, wrapper, store, .. } = *search;
    let Some(wrapper) = wrapper else {
        let path: Vec<Vec<u8>> = outline.states.iter().map(|state| recall(store, *state)).collect();
        return LivenessEnd::violated(product, &path, outline.loop_from);
    };
    let execution = ExecutionBuilder::new(product, wrapper, store).make(outline);
    match execution.filter(|(path, loop_from)| product.beside(path, *loop_from).is_some()) {
        Some((path, loop_from)) => LivenessEnd::violated_along(product, &path, loop_from),
        None => LivenessEnd::Lost,
    }
}

/// Takes steps again.
struct ExecutionBuilder<'a> {
    product: &'a Product<'a>,
    store: &'a dyn Recall,
    reduced: ReducedStepper<'a>,
    plain: Box<dyn Stepper + 'a>,
    path: Vec<Vec<u8>>,
}

impl<'a> ExecutionBuilder<'a> {
    fn new(product: &'a Product<'a>, wrapper: &'a Reduced<'a>, store: &'a dyn Recall) -> Self {
        let walking = Walking { passes_faults: true, ..Walking::default() };
        let (reduced, plain) = (wrapper.steps(walking), product.system().stepper(walking));
        Self { product, store, reduced, plain, path: Vec::new() }
    }

    /// States of the model, and where the endless part begins.
    fn make(mut self, outline: &Outline) -> Option<(Vec<Vec<u8>>, Option<usize>)> {
        let mut first = self.product.initial().ok()?;
        first.truncate(first.len() - 2);
        self.path.push(first);
        let head = outline.loop_from.unwrap_or(outline.states.len() - 1);
        for state in &outline.states[1..=head] {
            self.go_to(*state)?;
        }
        let Some(_) = outline.loop_from else { return Some((self.path, None)) };
        for _ in 0..MAX_ROUNDS {
            let from = self.path.len() - 1;
            for state in outline.states[head + 1..].iter().chain([&outline.states[head]]) {
                self.go_to(*state)?;
            }
            if self.path.last() == self.path.get(from) {
                // After the last state comes the first of the cycle again.
                self.path.pop();
                let from = tighten(&mut self.path, from);
                return Some((self.path, Some(from)));
            }
        }
        None
    }

    /// Takes the step to the next state of the outline, and the chain of steps behind it.
    fn go_to(&mut self, state: u32) -> Option<()> {
        let mut target = recall(self.store, state);
        target.truncate(target.len() - 2);
        let last = self.path.last()?.clone();
        let next = self.successors(&last);
        if next.is_empty() {
            // It has ended, and the claim goes on alone.
            let is_same = self.forgotten(&last) == target;
            self.path.push(last);
            return is_same.then_some(());
        }
        for first in next {
            let mut end = first.clone();
            let mut passed = Vec::new();
            self.reduced.follow_chain(&mut end, |state| passed.push(state.to_vec()));
            if end != target {
                continue;
            }
            passed.push(end);
            self.path.push(first);
            for state in &passed[1..] {
                let last = self.path.last()?.clone();
                let next = self.successors(&last).into_iter().find(|next| self.forgotten(next) == *state)?;
                self.path.push(next);
            }
            return Some(());
        }
        None
    }

    fn forgotten(&self, state: &[u8]) -> Vec<u8> {
        let mut state = state.to_vec();
        self.reduced.forget(&mut state);
        state
    }

    fn successors(&mut self, state: &[u8]) -> Vec<Vec<u8>> {
        let mut next = Successors::default();
        self.plain.expand(state, Which::All, &mut next);
        let real = next.list.iter().filter(|successor| !successor.is_left() && successor.len > 0);
        real.map(|successor| next.state(*successor).to_vec()).collect()
    }
}

/// The same endless execution by fewer states: the cycle goes round once, and begins as early as it can.
fn tighten<T: PartialEq>(path: &mut Vec<T>, mut from: usize) -> usize {
    let cycle = &path[from..];
    let period = (1..=cycle.len())
        .find(|period| cycle.len().is_multiple_of(*period) && cycle[*period..] == cycle[..cycle.len() - period]);
    path.truncate(from + period.unwrap_or(cycle.len()));
    while from > 0 && path.last() == path.get(from - 1) {
        path.pop();
        from -= 1;
    }
    from
}

#[cfg(test)]
mod tests {
    use super::tighten;

    #[test]
    fn cycles_go_round_once_and_begin_early() {
        for (path, from, tight) in [
            ("ab", 1, ("ab", 1)),
            ("abab", 2, ("ab", 0)),
            ("xababab", 3, ("xab", 1)),
            ("xabcbca", 4, ("xabcbca", 4)),
            ("xaaa", 2, ("xa", 1)),
            ("aaaa", 1, ("a", 0)),
            ("xbcabc", 3, ("xbca", 1)),
        ] {
            let mut states: Vec<char> = path.chars().collect();
            let from = tighten(&mut states, from);
            assert_eq!((states.into_iter().collect::<String>().as_str(), from), tight, "{path}");
        }
    }
}
