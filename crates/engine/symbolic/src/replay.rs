//! From a model to an execution: the interpreter runs with concrete values and asks for each input by its key.
//!
//! Inputs are keyed by place and occurrence. Those whose guard holds in the model are asked for in the order of the log, so
//! the occurrences are counted here. What the model says besides is not believed: the interpreter's violation is the one that
//! is told, and without one there is none.

use std::collections::HashMap;

use unpick_program::interp::{Asked, Decision, Followed, Key, Machine, Observer, Options, Oracle, Stop, Wants};
use unpick_program::{BlockId, FuncId, Program};
use unpick_system::{ProgramRun, PropertySet, Reason, Site, Strategy};

use crate::log::Input;

/// Instructions between two inputs, and inputs.
const FUEL: u64 = 20_000_000;
const MAX_QUESTIONS: usize = 1_000_000;

/// Replays models.
pub(crate) struct Replay<'p> {
    machine: Machine<'p>,
}

/// What came of a model.
pub(crate) enum Replayed {
    /// The interpreter meets a violation.
    Confirmed(Box<ProgramRun>),
    /// It meets something that says nothing.
    Open(Reason),
    /// It meets none: the formula or the replay is wrong.
    Refuted(String),
}

impl<'p> Replay<'p> {
    pub(crate) fn new(program: &'p Program, properties: PropertySet, strategy: &Strategy) -> Self {
        let checks = properties.iter().collect();
        let options = Options { is_lazy: false, checks, max_enumerate: strategy.max_enumerate, ..Options::default() };
        Replay { machine: Machine::new(program, options) }
    }

    /// Runs the program with the inputs of a model, and tries to make them small.
    pub(crate) fn run(&self, inputs: &[(&Input, u128)]) -> Replayed {
        let mut oracle = Known::default();
        let mut times: HashMap<_, u64> = HashMap::new();
        for (input, bits) in inputs {
            let times = times.entry((input.asked, input.at)).or_default();
            let key = (input.asked, Some(input.at), *times);
            *times += 1;
            let decision = match input.asked {
                Asked::Value => Decision::Value(*bits),
                Asked::Fail => Decision::Fail(*bits == 1),
                Asked::Address => Decision::Address(*bits as u64),
                Asked::Thread => Decision::Thread(*bits as u32),
            };
            oracle.0.insert(key, decision);
        }
        let followed = match self.machine.follow(&mut oracle, FUEL, MAX_QUESTIONS, &mut Silent) {
            Ok(followed) => followed,
            Err(misfit) => {
                return Replayed::Refuted(format!("{} has no value {:?}", misfit.key.label, misfit.decision));
            }
        };
        self.judge(followed, &oracle)
    }

    fn judge(&self, followed: Followed, oracle: &Known) -> Replayed {
        match &followed.stop {
            Stop::Violated(_) => {
                let small = self.smaller(&followed, oracle);
                match self.run_of(small.as_ref().unwrap_or(&followed)) {
                    Some(run) => Replayed::Confirmed(Box::new(run)),
                    None => Replayed::Refuted("the smaller execution has no violation".to_owned()),
                }
            }
            Stop::Unmodelled { loc, what } => {
                let site = Site::new(self.machine.program, *loc);
                Replayed::Open(Reason::Unmodelled { what: what.clone(), site })
            }
            Stop::Limit { what, loc } => {
                let site = Site::new(self.machine.program, *loc);
                Replayed::Open(Reason::Recursion { what: what.clone(), site })
            }
            Stop::Fuel => Replayed::Open(Reason::unsupported("an execution is too long to be replayed")),
            other => Replayed::Refuted(format!("it ends with {other:?}")),
        }
    }

    fn run_of(&self, followed: &Followed) -> Option<ProgramRun> {
        let Stop::Violated(violation) = &followed.stop else { return None };
        Some(ProgramRun {
            decisions: self.machine.decisions(&followed.state),
            every_step: false,
            claim: None,
            loop_from: None,
            violation: violation.clone(),
        })
    }

    /// The same violation with smaller inputs: one after the other is replaced by simpler values, as long as the interpreter
    /// agrees.
    fn smaller(&self, followed: &Followed, oracle: &Known) -> Option<Followed> {
        const MAX_RUNS: usize = 64;
        const SHORT: u64 = 2_000_000;
        let Stop::Violated(violation) = &followed.stop else { return None };
        let mut best: Option<Followed> = None;
        let mut oracle = oracle.clone();
        let mut n_runs = 0;
        let keys: Vec<(Key, Decision)> = followed.asked.clone();
        for (key, decision) in keys {
            let Decision::Value(bits) = decision else { continue };
            for simple in [0, 1, 2, 10, 65, bits >> 1, bits.wrapping_sub(1)] {
                if simple >= bits || n_runs >= MAX_RUNS {
                    continue;
                }
                n_runs += 1;
                let key = (key.asked, key.place, key.occurrence);
                let old = oracle.0.insert(key, Decision::Value(simple));
                let tried = self.machine.follow(&mut oracle, SHORT, MAX_QUESTIONS, &mut Silent);
                let is_same = |other: &Followed| matches!(&other.stop, Stop::Violated(other) if other.kind == violation.kind && other.loc == violation.loc);
                match tried {
                    Ok(other) if is_same(&other) => {
                        best = Some(other);
                        break;
                    }
                    Ok(_) | Err(_) => match old {
                        Some(old) => drop(oracle.0.insert(key, old)),
                        None => drop(oracle.0.remove(&key)),
                    },
                }
            }
        }
        best
    }
}

/// What is asked, where, and for which time.
type Question = (Asked, Option<(FuncId, BlockId, usize)>, u64);

/// Decisions of the only thread.
#[derive(Clone, Default)]
struct Known(HashMap<Question, Decision>);

impl Oracle for Known {
    fn decide(&mut self, key: &Key) -> Option<Decision> {
        self.0.get(&(key.asked, key.place, key.occurrence)).copied()
    }
}

/// Observes nothing.
struct Silent;

impl Observer for Silent {
    fn wants(&self) -> Wants {
        Wants::RARE
    }
}
