//! Goals and facts of a state: what its executions must satisfy here, and what is known of them.

use unpick_program::ViolationKind;
use unpick_program::interp::{INDEXES, MISUSED, WRAPS};
use unpick_system::Reason;
use unpick_term::Term;

use crate::log::About;
use crate::state::State;
use crate::symex::Symex;

/// No execution of the state goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Died;

/// What an instruction gives, or that no execution goes on.
pub(crate) type Step<T = ()> = Result<T, Died>;

impl Symex<'_> {
    /// What is known of a condition in a state, without a solver.
    pub(crate) fn decide(&mut self, state: &State, cond: Term) -> Option<bool> {
        let known = self.guards.decide(&mut self.terms, state.known, cond);
        known.or_else(|| self.guards.decide(&mut self.terms, state.guard, cond))
    }

    /// A condition simplified by what is known in a state: true, false or itself.
    pub(crate) fn simplify(&mut self, state: &State, cond: Term) -> Term {
        match self.decide(state, cond) {
            Some(true) => Term::TRUE,
            Some(false) => Term::FALSE,
            None => cond,
        }
    }

    /// The executions of the state are over, and the log knows it.
    pub(crate) fn kill(&mut self, state: &mut State) {
        let guard = self.guards.term(state.guard);
        let over = self.terms.not(guard);
        self.log.fact(over);
        self.guards.died(&mut self.terms, state.guard);
    }

    /// All executions of the state satisfy a condition from here on.
    pub(crate) fn learn(&mut self, state: &mut State, cond: Term) -> Step {
        match self.decide(state, cond) {
            Some(true) => Ok(()),
            Some(false) => {
                self.kill(state);
                Err(Died)
            }
            None => {
                let guard = self.guards.term(state.guard);
                let fact = self.terms.implies(guard, cond);
                self.log.fact(fact);
                state.known = self.guards.push(&mut self.terms, state.known, cond);
                Ok(())
            }
        }
    }

    /// A condition that all executions have to satisfy.
    pub(crate) fn goal(&mut self, state: &mut State, ok: Term, about: About) -> Step {
        if self.decide(state, ok) != Some(true) {
            let guard = self.guards.term(state.guard);
            let ok = self.simplify(state, ok);
            self.log.goal(guard, ok, about);
        }
        self.learn(state, ok)
    }

    /// A condition without which the program does something wrong. If nobody asked for that, it is what gcc makes of it, or
    /// it has no meaning.
    pub(crate) fn require(&mut self, state: &mut State, ok: Term, kind: ViolationKind) -> Step {
        if self.properties.contains(kind) {
            return self.goal(state, ok, About::Violation(kind));
        }
        let what = format!("undefined behaviour not selected by --property ({kind})");
        let reason = Reason::Unmodelled { what, site: self.site(self.log.loc) };
        self.goal(state, ok, About::Open(reason))
    }

    /// Like [`Symex::require`], for a kind of which gcc makes something definite.
    pub(crate) fn require_or(&mut self, state: &mut State, ok: Term, kind: ViolationKind, otherwise: &str) -> Step {
        if self.properties.contains(kind) {
            return self.require(state, ok, kind);
        }
        if self.decide(state, ok) != Some(true) {
            let guard = self.guards.term(state.guard);
            self.log.goal(guard, ok, About::Note(otherwise.to_owned()));
        }
        Ok(())
    }

    /// Signed arithmetic fits its type.
    pub(crate) fn require_fit(&mut self, state: &mut State, ok: Term) -> Step {
        self.require_or(state, ok, ViolationKind::Overflow, WRAPS)
    }

    /// An index is inside its array.
    pub(crate) fn require_index(&mut self, state: &mut State, ok: Term) -> Step {
        self.require_or(state, ok, ViolationKind::OutOfBounds, INDEXES)
    }

    /// A check of the program itself.
    pub(crate) fn assert(&mut self, state: &mut State, ok: Term, kind: ViolationKind) -> Step {
        match kind {
            // The program goes on after these by itself, or ends itself.
            ViolationKind::Assertion | ViolationKind::ReachError if !self.properties.contains(kind) => Ok(()),
            ViolationKind::UnlockError => self.require_or(state, ok, kind, MISUSED),
            _other => self.require(state, ok, kind),
        }
    }

    /// What is done with an indeterminate value depends on it.
    pub(crate) fn determinate(&mut self, state: &mut State, undef: Term) -> Step {
        let ok = self.terms.not(undef);
        self.require(state, ok, ViolationKind::Uninitialized)
    }

    /// Nothing is said of these executions.
    pub(crate) fn refuse(&mut self, state: &mut State, reason: Reason) -> Died {
        let guard = self.guards.term(state.guard);
        self.log.goal(guard, Term::FALSE, About::Open(reason));
        self.kill(state);
        Died
    }

    /// Nothing is said of these executions, because of something at this place.
    pub(crate) fn unsupported(&mut self, state: &mut State, what: &str) -> Died {
        let site = self.site(self.log.loc);
        self.refuse(state, Reason::Unsupported { what: format!("the symbolic engine does not know {what} yet"), site })
    }

    /// Nothing is said of executions that do not satisfy a condition.
    pub(crate) fn supported(&mut self, state: &mut State, ok: Term, what: &str) -> Step {
        let site = self.site(self.log.loc);
        let reason = Reason::Unsupported { what: format!("the symbolic engine does not know {what} yet"), site };
        self.goal(state, ok, About::Open(reason))
    }
}
