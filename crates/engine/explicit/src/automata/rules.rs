//! The steps of automata that were made of a program, with what they do not say themselves: data races, and that the end
//! of the program is the end of all threads.

use unpick_ir::automaton::Model;
use unpick_system::{NOBODY, NOWHERE, Reached, Rules, Step, Successors, Who};

/// Steps under rules, if there are any.
pub(super) struct Ruled<'a, S> {
    pub steps: S,
    pub rules: Option<&'a dyn Rules>,
}

impl<S: Step> Step for Ruled<'_, S> {
    type Room = S::Room;

    fn room(&self) -> Self::Room {
        self.steps.room()
    }

    fn model(&self) -> &Model {
        self.steps.model()
    }

    fn reached<'r>(&self, room: &'r Self::Room) -> &'r Reached {
        self.steps.reached(room)
    }

    fn steps(&self, room: &mut Self::Room, state: &[u8], who: Who<'_>, into: &mut Successors) {
        let Some(rules) = self.rules else { return self.steps.steps(room, state, who, into) };
        // Who waits when the program ends waits for nothing.
        if who == Who::Timeout && rules.may_exit(state) {
            return into.push(state, NOBODY, 0, false, NOWHERE);
        }
        self.steps.steps(room, state, who, into);
        // A thread that may be followed alone touches nothing that others touch, so two that race are still at it when
        // all are followed. What they can do is there as well, for those who only pass by.
        if matches!(who, Who::All | Who::Awake(_)) && rules.has_race(state) {
            into.push(&[], NOBODY, NOBODY, true, NOWHERE);
        }
    }

    fn claim_steps(&self, room: &mut Self::Room, state: &[u8], claim: usize, at: u16, into: &mut Vec<u16>) -> bool {
        self.steps.claim_steps(room, state, claim, at, into)
    }
}
