//! The symbolic engine: sequential programs with inputs of any width, by symbolic execution with joins and SAT.
//!
//! It is the interpreter of floor 1 over terms instead of numbers: `program::interp` defines every meaning, this engine only
//! computes it for many inputs at once. What it does not know is a goal that fails where it can be reached, so the verdict is
//! `unknown` then and never better. Violations are those that the interpreter has confirmed.
#![forbid(unsafe_code)]

mod access;
mod compute;
mod content;
mod floats;
mod goals;
mod guard;
mod lifetimes;
mod log;
mod memory;
mod object;
mod order;
mod pointers;
mod query;
mod ranges;
mod replay;
mod solve;
mod state;
mod stmt;
mod symex;
mod unknown;
mod value;

use unpick_program::{Program, StmtKind, ViolationKind};
use unpick_system::{
    Answer, Control, Engine, Goal, Guidance, Inputs, Ledger, ProofKind, PropertySet, Reason, Stats, Subject, Task,
    Unfit, Verdict, Why,
};

use crate::solve::Interrupted;
use crate::symex::Symex;

/// Its name in messages.
pub(crate) const NAME: &str = "sat";

/// Loops whose exits depend on inputs come round at most so often, round after round.
const BOUNDS: [u32; 6] = [8, 32, 128, 512, 2048, 8192];

/// How far loops are followed if there is no proof to be had.
const OPEN_BOUND: u32 = 128;

/// Executes a program for all inputs at once.
pub struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        supported(task).map(|_| ())
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        match supported(task) {
            Ok((program, properties)) => run(program, properties, task, control),
            Err(unfit) => {
                let text = match unfit {
                    Unfit::Refused(text) => text,
                    Unfit::Foreign => "the symbolic engine is for safety properties of programs".to_owned(),
                };
                let stats = Stats { engine: NAME, ..Stats::default() };
                Answer::new(Verdict::Unknown(Why::because(Reason::unsupported(text))), stats)
            }
        }
    }
}

/// The program and what should not go wrong in it, if this engine can say anything about that.
fn supported<'t>(task: &Task<'t>) -> Result<(&'t Program, PropertySet), Unfit> {
    use ViolationKind::{EndState, Invariant, Leak, Livelock, Ltl, Termination, Unwinding};
    let (Subject::Program(program), Guidance::Free) = (task.subject, &task.strategy.guidance) else {
        return Err(Unfit::Foreign);
    };
    if task.strategy.inputs != Inputs::Symbolic {
        return Err(Unfit::Foreign);
    }
    let mut properties = PropertySet::EMPTY;
    for goal in task.goals {
        match goal {
            Goal::Safety(more) => properties = properties.union(*more),
            _other => return Err(Unfit::Foreign),
        }
    }
    if task.strategy.bounds.is_some() {
        return Err(Unfit::Foreign);
    }
    let refused = |what: &str| Err(Unfit::Refused(format!("the symbolic engine does not treat {what}")));
    let others = [EndState, Invariant, Leak, Livelock, Ltl, Termination, Unwinding];
    if let Some(kind) = others.into_iter().find(|kind| properties.contains(*kind)) {
        return refused(&format!("the property {kind}"));
    }
    if program.entry.is_none() {
        return refused("programs without an entry");
    }
    if unpick_system::has_threads(program) {
        return refused("programs with threads");
    }
    let mut stmts = program.functions.iter().flat_map(|function| function.blocks.iter()).flat_map(|block| &block.stmts);
    if stmts.any(|stmt| matches!(stmt.kind, StmtKind::Interrupts { .. })) {
        return refused("interrupts");
    }
    if !program.devices.is_empty() {
        return refused("devices");
    }
    if task.strategy.keeps_going {
        return refused("the search for all violations");
    }
    if task.strategy.depth.is_some() || !task.strategy.matching.is_exact() {
        return refused("bounds on depth and inexact matching");
    }
    Ok((program, properties))
}

fn run(program: &Program, properties: PropertySet, task: &Task<'_>, control: &dyn Control) -> Answer {
    let mut total = Stats { engine: NAME, ..Stats::default() };
    let mut last = None;
    for bound in BOUNDS {
        control.enter("executing symbolically");
        let mut symex = Symex::new(program, properties, task.strategy, control, bound);
        let entry = program.entry.expect("a program that is treated should have an entry");
        let end = symex.run(entry);
        total = total.and(symex.stats());
        let cuts = std::mem::take(&mut symex.solving.cuts);
        // Where something is open anyway, only violations are looked for, and not for ever.
        let is_worth_it = symex.solving.ledger.is_empty() || bound < OPEN_BOUND;
        let is_again = end.is_ok()
            && !cuts.is_empty()
            && is_worth_it
            && task.strategy.unwind.is_none_or(|limit| limit > bound.into());
        let answer = answer(symex, end, cuts, total);
        if !is_again {
            return answer;
        }
        last = Some(answer);
    }
    last.expect("there should be a first round")
}

/// What a round says.
fn answer(symex: Symex<'_>, end: Result<(), Interrupted>, cuts: Vec<Reason>, stats: Stats) -> Answer {
    let mut ledger: Ledger = symex.solving.ledger.clone();
    cuts.into_iter().for_each(|cut| ledger.add(cut));
    let kind = ProofKind::Refuted { n_goals: symex.solving.n_goals, n_queries: symex.solving.n_queries };
    let verdict = match end {
        Ok(()) => {
            if !symex.solving.is_feasible && symex.log.has_assumption && ledger.is_empty() {
                ledger.add(match symex.solving.is_feasibility_open {
                    false => Reason::Vacuous { site: unpick_system::Site::default() },
                    true => {
                        Reason::unsupported("whether some execution satisfies the assumptions was too hard to find out")
                    }
                });
            }
            ledger.settle(kind)
        }
        Err(Interrupted::Found(run)) => Verdict::from(*run),
        Err(Interrupted::Halted(halt)) => ledger.halted(Reason::limit(halt.into())),
        Err(Interrupted::Spent) => {
            let what = "the program was executed symbolically as far as one round goes, and not to its end";
            ledger.halted(Reason::unsupported(what))
        }
    };
    Answer { assumptions: symex.log.assumptions, coverage: symex.coverage, ..Answer::new(verdict, stats) }
}
