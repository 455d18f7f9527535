//! Observations of a claim during replay: the points of an execution at which its propositions are evaluated.

use unpick_program::interp::{Answer, Machine, State};
use unpick_system::{Claim, ClaimKind, Point};

/// The execution so far, as a claim sees it.
pub(crate) struct Endless<'m> {
    claim: &'m Claim,
    /// With which decision the endless part begins.
    loop_from: Option<usize>,
    points: Vec<Point>,
    /// The point at which the endless part begins, the state there, and the steps told before.
    start: Option<(usize, Vec<u8>, usize)>,
}

impl<'m> Endless<'m> {
    pub(crate) fn new(claim: &'m Claim, loop_from: Option<usize>) -> Self {
        Self { claim, loop_from, points: Vec::new(), start: None }
    }

    /// A thread is about to move; `n_used` decisions were needed so far, and `n_steps` steps have been told.
    pub(crate) fn pass(
        &mut self,
        machine: &Machine<'_>,
        state: &State,
        thread: Option<usize>,
        n_used: usize,
        n_steps: usize,
    ) {
        if self.loop_from == Some(n_used) && self.start.is_none() {
            self.start = Some((self.points.len(), key(machine, state), n_steps));
        }
        let enabled = match thread {
            Some(_) => machine.runnable(state).iter().filter(|thread| **thread < 64).fold(0, |set, t| set | 1 << *t),
            None => 0,
        };
        let letter = self.letter(machine, state).unwrap_or(0);
        let moved = thread.map(|thread| thread as u32);
        self.points.push(Point { letter, enabled, moved, is_progress: false });
    }

    /// The step from the last point made progress.
    pub(crate) fn progressed(&mut self) {
        if let Some(last) = self.points.last_mut() {
            last.is_progress = true;
        }
    }

    /// Whether the execution is back where the endless part began.
    pub(crate) fn is_closed(&self, machine: &Machine<'_>, state: &State) -> bool {
        self.start.as_ref().is_some_and(|(_, start, _)| *start == key(machine, state))
    }

    /// Whether the claim is violated by going round for ever; and how many steps come before.
    pub(crate) fn violation(&self) -> Option<usize> {
        let (start, _, n_steps) = self.start.as_ref()?;
        self.claim.is_violated(&self.points, *start).then_some(*n_steps)
    }

    /// Whether an invariant does not hold in a state.
    pub(crate) fn breaks_invariant(&self, machine: &Machine<'_>, state: &State) -> bool {
        matches!(self.claim.kind, ClaimKind::Invariant) && self.letter(machine, state) == Some(0)
    }

    fn letter(&self, machine: &Machine<'_>, state: &State) -> Option<u64> {
        let mut letter = 0;
        for (bit, atom) in self.claim.atoms.iter().enumerate() {
            match machine.ask(state, *atom).0 {
                Answer::Is(holds) => letter |= u64::from(holds) << bit,
                Answer::Depends(_) | Answer::Nothing(_) => return None,
            }
        }
        Some(letter)
    }
}

fn key(machine: &Machine<'_>, state: &State) -> Vec<u8> {
    let mut key = Vec::new();
    machine.key(state, &mut key);
    key
}
