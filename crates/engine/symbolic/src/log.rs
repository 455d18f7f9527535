//! The log of a run: what is known, what must hold, which inputs were asked for, in the order of execution.
//!
//! Every execution passes its entries in this order, whatever the order in which paths were walked, so a goal may use the
//! facts before it and no others. A goal that holds is a fact from then on, because the interpreter stops at a violation; the
//! end of a path is the fact that the execution did not end there.

use unpick_program::interp::Asked;
use unpick_program::{BlockId, FuncId, Loc, ViolationKind};
use unpick_system::Reason;
use unpick_term::Term;

/// Everything the solver has not seen yet, and what was asked for.
pub(crate) struct Log {
    /// In order.
    pub(crate) entries: Vec<Entry>,
    n_goals: usize,
    /// Inputs of the program so far.
    pub(crate) inputs: Vec<Input>,
    /// What executions lean on.
    pub(crate) assumptions: Vec<String>,
    /// Some executions may have been assumed away.
    pub(crate) has_assumption: bool,
    /// Function, block and instruction at work.
    pub(crate) at: (FuncId, BlockId, usize),
    /// Its place in the source.
    pub(crate) loc: Loc,
}

impl Default for Log {
    fn default() -> Self {
        Log {
            entries: Vec::new(),
            n_goals: 0,
            inputs: Vec::new(),
            assumptions: Vec::new(),
            has_assumption: false,
            at: (FuncId(0), BlockId(0), 0),
            loc: Loc::NONE,
        }
    }
}

/// Something the solver should know or decide.
#[derive(Clone)]
pub(crate) enum Entry {
    /// True of all executions that are followed further.
    Fact(Term),
    Goal(Goal),
}

/// `ok` has to hold in all executions that satisfy the guard.
#[derive(Clone)]
pub(crate) struct Goal {
    pub(crate) guard: Term,
    pub(crate) ok: Term,
    pub(crate) about: About,
    pub(crate) loc: Loc,
}

/// What it means for a goal to fail.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum About {
    /// The program does something wrong.
    Violation(ViolationKind),
    /// Nothing can be said of these executions.
    Open(Reason),
    /// These executions were not followed further; more work may help.
    Cut(Reason),
    /// The verdict leans on an assumption.
    Note(String),
}

/// A decision that the interpreter asks for.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) guard: Term,
    pub(crate) at: (FuncId, BlockId, usize),
    pub(crate) asked: Asked,
    pub(crate) value: Term,
}

impl Log {
    /// Enters a fact; the executions with the guard satisfy it.
    pub(crate) fn fact(&mut self, implication: Term) {
        if implication != Term::TRUE {
            self.entries.push(Entry::Fact(implication));
        }
    }

    /// Enters a goal.
    pub(crate) fn goal(&mut self, guard: Term, ok: Term, about: About) {
        if ok != Term::TRUE && guard != Term::FALSE {
            self.n_goals += 1;
            self.entries.push(Entry::Goal(Goal { guard, ok, about, loc: self.loc }));
        }
    }

    /// Whether enough has come together for the solver.
    pub(crate) fn is_full(&self) -> bool {
        self.n_goals >= 256
    }

    /// All entries, which the log forgets.
    pub(crate) fn take(&mut self) -> Vec<Entry> {
        self.n_goals = 0;
        std::mem::take(&mut self.entries)
    }

    /// The verdict leans on something.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.assumptions.iter().any(|known| known == text) {
            self.assumptions.push(text.to_owned());
        }
    }
}
