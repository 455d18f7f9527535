//! Confirmation of an execution of the product: it exists step by step, and violates what watches the model.
//!
//! To be asked of the product with the reference interpreter: executions are not trusted before.

use std::fmt;

use super::{Processes, Product, ProductFault, ProductStepper};
use crate::successors::Successors;
use crate::system::{Stepper as _, System as _, Which};

/// What is wrong with an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unconfirmed {
    /// It does not begin where the model does.
    Start,
    /// After the state with this position something else follows.
    Step(usize),
    /// Nothing is wrong in the last state.
    NoFault,
    /// The endless part does not see an accepted state, or sees progress.
    NotAccepted,
    /// A process could always move in the endless part, and never does.
    Unfair(u8),
}

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unconfirmed::Start => write!(f, "it does not begin with the first state"),
            Unconfirmed::Step(at) => write!(f, "step {at} is not possible"),
            Unconfirmed::NoFault => write!(f, "nothing is wrong at its end"),
            Unconfirmed::NotAccepted => write!(f, "its endless part is harmless"),
            Unconfirmed::Unfair(process) => write!(f, "its endless part is unfair to process {process}"),
        }
    }
}

impl Product<'_> {
    /// Checks that the states of `path` follow each other, and that the last one is wrong or, with `loop_from`, is
    /// followed by that state again in a cycle that counts.
    pub fn confirm(&self, path: &[Vec<u8>], loop_from: Option<usize>) -> Result<Option<ProductFault>, Unconfirmed> {
        let first = path.first().ok_or(Unconfirmed::Start)?;
        if self.initial().as_ref() != Ok(first) {
            return Err(Unconfirmed::Start);
        }
        let (mut stepper, mut successors) = (self.steps(), Successors::default());
        let mut fair = Processes::default();
        let n_steps = path.len() - 1 + usize::from(loop_from.is_some());
        for at in 0..n_steps {
            let next = path.get(at + 1).or_else(|| path.get(loop_from?)).ok_or(Unconfirmed::Step(at))?;
            let movers = self.follow(&mut stepper, &path[at], next, &mut successors).ok_or(Unconfirmed::Step(at))?;
            if loop_from.is_some_and(|from| at >= from) {
                fair.extend(movers);
                fair.extend(successors.enabled.complement());
            }
        }
        let Some(from) = loop_from else {
            stepper.expand(&path[n_steps], Which::All, &mut successors);
            return stepper.take_wrong().map(Some).ok_or(Unconfirmed::NoFault);
        };
        let cycle = &path[from..];
        let is_accepted = cycle.iter().any(|state| stepper.is_accepting(state));
        if !is_accepted || cycle.iter().any(|state| stepper.is_progress(state)) {
            return Err(Unconfirmed::NotAccepted);
        }
        match (0..=u8::MAX).find(|process| self.is_fair && !fair.contains(*process)) {
            Some(process) => Err(Unconfirmed::Unfair(process)),
            None => Ok(None),
        }
    }

    /// The movers between a state and its successor; `None` if it is none.
    fn follow(
        &self,
        stepper: &mut ProductStepper<'_>,
        state: &[u8],
        next: &[u8],
        successors: &mut Successors,
    ) -> Option<Processes> {
        successors.clear();
        stepper.expand(state, Which::All, successors);
        let mut movers = None;
        for (at, found) in successors.list.iter().enumerate().filter(|(_, found)| found.len > 0) {
            if self.key(successors.state(*found)) == self.key(next) {
                let found = successors.movers.get(at).copied().unwrap_or_default();
                movers.get_or_insert_with(Processes::default).extend(found);
            }
        }
        movers
    }
}
