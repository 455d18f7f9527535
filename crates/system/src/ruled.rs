//! A wrapper around a system that adds rules which its steps do not have: wrong states (data races, failed steps), states
//! in which it may stop, and states in which it has.
//!
//! Programs that were translated to automata need them. Two threads that are about to touch the same memory race,
//! though each could go on; who waits when the program ends waits for nothing; and whoever looks at whole executions
//! passes steps that fail, which for a program means that nothing is known of what follows.

use unpick_automaton::interp::Fault;

use crate::product::Processes;
use crate::reached::Reached;
use crate::successors::{NOBODY, NOWHERE, Successors};
use crate::system::{Expansion, Floor, Stepper, System, Walking, Which};
use crate::task::{Rules, RunStatus};

/// The system with its rules.
#[derive(Clone, Copy)]
pub struct Ruled<'a> {
    /// Whose steps are taken.
    pub system: &'a dyn System,
    /// Which states are wrong is asked where all processes are followed: a process that may be followed alone should have
    /// no part in what is wrong, so that it still is wrong then.
    pub rules: &'a dyn Rules,
}

struct RuledStepper<'a> {
    rules: &'a dyn Rules,
    walking: Walking,
    stepper: Box<dyn Stepper + 'a>,
}

impl System for Ruled<'_> {
    fn floor(&self) -> &dyn Floor {
        self.system.floor()
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.system.initial()
    }

    fn stepper(&self, walking: Walking) -> Box<dyn Stepper + '_> {
        Box::new(RuledStepper { rules: self.rules, walking, stepper: self.system.stepper(walking) })
    }
}

impl Stepper for RuledStepper<'_> {
    fn expand(&mut self, state: &[u8], which: Which<'_>, into: &mut Successors) -> Expansion {
        match self.rules.status(state) {
            RunStatus::Running => {}
            RunStatus::Over => return Expansion::End { is_valid: true },
            RunStatus::Failed => {
                into.push(&[], NOBODY, NOBODY, true, NOWHERE);
                if self.walking.notes_movers {
                    into.movers.resize(into.list.len(), Processes::default());
                }
                return Expansion::Full;
            }
        }
        let first = into.list.len();
        let mut expansion = self.stepper.expand(state, which, into);
        // Searches that pass faults of models must not pass those of programs.
        if self.walking.passes_faults && into.list[first..].iter().any(|successor| successor.is_fault) {
            into.push(&[], NOBODY, NOBODY, true, NOWHERE);
        }
        if matches!(expansion, Expansion::End { .. }) && self.rules.may_exit(state) {
            into.push(state, NOBODY, 0, false, NOWHERE);
            expansion = Expansion::Full;
        }
        // What the processes can do is there as well, for those who only pass by.
        if matches!(which, Which::All | Which::Few(_) | Which::Awake(_)) && self.rules.has_race(state) {
            into.push(&[], NOBODY, NOBODY, true, NOWHERE);
            expansion = Expansion::Full;
        }
        if self.walking.notes_movers {
            into.movers.resize(into.list.len(), Processes::default());
        }
        expansion
    }

    fn reached(&self) -> &Reached {
        self.stepper.reached()
    }
}
