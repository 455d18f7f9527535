//! Circuits of gates over unknown bits, in conjunctive normal form as they are built (Tseitin 1968).
//!
//! Each gate gets a variable and the clauses that define it; gates with a constant or with twice the same operand get
//! none. A query is whether some bits can be true together. Work is bounded by the number of learnt clauses, not by
//! time, so that answers do not depend on the machine.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// A bit: an unknown, a gate, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bit(Lit);

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(!self.0)
    }
}

/// What came of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They can: ask for the values of bits.
    Possible,
    /// They cannot.
    Impossible,
    /// Too much work.
    Unknown,
}

/// A network of gates and its solver.
pub struct Circuit {
    solver: Solver<Work>,
    truth: Bit,
}

/// Counts what was learnt, and says when it is enough.
struct Work {
    n_learnt: u64,
    max_learnt: u64,
}

impl Callbacks for Work {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        self.n_learnt += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.n_learnt > self.max_learnt
    }
}

impl Circuit {
    /// No gates yet; questions give up after so many learnt clauses.
    pub fn new(max_learnt: u64) -> Circuit {
        let mut solver = Solver::new(SolverOpts::default(), Work { n_learnt: 0, max_learnt });
        let truth = Bit(Lit::new(solver.new_var_default(), true));
        solver.add_clause_reuse(&mut vec![truth.0]);
        Circuit { solver, truth }
    }

    /// A bit that may be either.
    pub fn unknown(&mut self) -> Bit {
        Bit(Lit::new(self.solver.new_var_default(), true))
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Bit {
        if value { self.truth } else { !self.truth }
    }

    /// The value of a bit that is constant.
    pub fn value(&self, bit: Bit) -> Option<bool> {
        match bit {
            bit if bit == self.truth => Some(true),
            bit if bit == !self.truth => Some(false),
            _ => None,
        }
    }

    fn clause(&mut self, bits: &[Bit]) {
        self.solver.add_clause_reuse(&mut bits.iter().map(|bit| bit.0).collect());
    }

    /// Both.
    pub fn and(&mut self, one: Bit, other: Bit) -> Bit {
        match (self.value(one), self.value(other)) {
            (Some(false), _) | (_, Some(false)) => return self.constant(false),
            (Some(true), _) => return other,
            (_, Some(true)) => return one,
            (None, None) if one == other => return one,
            (None, None) if one == !other => return self.constant(false),
            (None, None) => {}
        }
        let gate = self.unknown();
        self.clause(&[!gate, one]);
        self.clause(&[!gate, other]);
        self.clause(&[gate, !one, !other]);
        gate
    }

    /// At least one.
    pub fn or(&mut self, one: Bit, other: Bit) -> Bit {
        !self.and(!one, !other)
    }

    /// Exactly one.
    pub fn xor(&mut self, one: Bit, other: Bit) -> Bit {
        match (self.value(one), self.value(other)) {
            (Some(value), _) => return if value { !other } else { other },
            (_, Some(value)) => return if value { !one } else { one },
            (None, None) if one == other => return self.constant(false),
            (None, None) if one == !other => return self.constant(true),
            (None, None) => {}
        }
        let gate = self.unknown();
        self.clause(&[!gate, one, other]);
        self.clause(&[!gate, !one, !other]);
        self.clause(&[gate, !one, other]);
        self.clause(&[gate, one, !other]);
        gate
    }

    /// `yes` where `condition` is true, else `no`.
    pub fn choose(&mut self, condition: Bit, yes: Bit, no: Bit) -> Bit {
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    /// Whether all can be true together.
    pub fn ask(&mut self, bits: &[Bit]) -> Answer {
        self.solver.cb_mut().n_learnt = 0;
        let assumptions: Vec<Lit> = bits.iter().map(|bit| bit.0).collect();
        match self.solver.solve_limited(&assumptions) {
            answer if answer == lbool::TRUE => Answer::Possible,
            answer if answer == lbool::FALSE => Answer::Impossible,
            _ => Answer::Unknown,
        }
    }

    /// The value of a bit in the last possible answer.
    pub fn example(&self, bit: Bit) -> bool {
        self.solver.value_lit(bit.0) == lbool::TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_mean_what_they_say() {
        let mut circuit = Circuit::new(1000);
        let (a, b) = (circuit.unknown(), circuit.unknown());
        let (and, xor) = (circuit.and(a, b), circuit.xor(a, b));
        assert_eq!(circuit.ask(&[and, xor]), Answer::Impossible);
        assert_eq!(circuit.ask(&[and]), Answer::Possible);
        assert!(circuit.example(a) && circuit.example(b));
        assert_eq!(circuit.ask(&[xor, a]), Answer::Possible);
        assert!(!circuit.example(b));
        let same = circuit.xor(a, a);
        assert_eq!(circuit.value(same), Some(false));
    }
}
