//! Random programs that run far (`generate::running`): what the engine says must be what concrete runs show.
//!
//! A verdict of `verified` is compared with runs with random inputs, a violation is replayed by position, and our own
//! mistakes (`internal`) fail the test. `UNPICK_SYMBOLIC=A-B` takes other seeds than the few of every test run.

use std::sync::atomic::{AtomicU64, Ordering};

use unpick_engine_symbolic::Symbolic;
use unpick_program::generate::{Random, running};
use unpick_program::interp::{Asked, Decision, Key, Machine, Observer, Options, Oracle, Positional, Stop};
use unpick_program::{Program, StmtKind, Ty};
use unpick_system::{
    Answer, Control, Engine, Evidence, Goal, Halt, Inputs, PropertySet, Reason, Snapshot, Strategy, Subject, Task,
    Verdict,
};

/// Stops a search that asks so often whether it should.
struct Patience(AtomicU64);

impl Control for Patience {
    fn poll(&self, _: &Snapshot) -> Option<Halt> {
        (self.0.fetch_add(1, Ordering::Relaxed) > 2_000).then_some(Halt::Time)
    }
}

struct Silent;

impl Observer for Silent {}

/// Values that are any, or at the ends.
struct AnyValues<'p> {
    program: &'p Program,
    random: Random,
}

impl Oracle for AnyValues<'_> {
    fn decide(&mut self, key: &Key) -> Option<Decision> {
        let (function, block, index) = key.place.filter(|_| key.asked == Asked::Value)?;
        let body = &self.program.functions[function];
        let StmtKind::Choose { dst, range, .. } = body.blocks[block].stmts.get(index)?.kind else { return None };
        let Ty::Int(width @ 1..=64) = body.regs[dst].ty else { return None };
        let mask = u64::MAX >> (64 - width);
        if let Some((low, high)) = range {
            let span = (high - low + 1) as u128;
            let value = low + (u128::from(self.random.next_u64()) % span) as i128;
            return Some(Decision::Value(u128::from(value as u64 & mask)));
        }
        let value = match self.random.below(4) {
            0 => self.random.below(4) as u64,
            1 => mask - self.random.below(3) as u64,
            2 => 1 << self.random.below(usize::from(width)),
            _any => self.random.next_u64(),
        };
        Some(Decision::Value(u128::from(value & mask)))
    }
}

pub fn ask(program: &Program, properties: PropertySet) -> Option<Answer> {
    let strategy = Strategy { inputs: Inputs::Symbolic, ..Strategy::default() };
    let goals = [Goal::Safety(properties)];
    let task = Task { subject: Subject::Program(program), goals: &goals, strategy: &strategy };
    Symbolic.supports(&task).ok()?;
    Some(Symbolic.run(&task, &Patience(AtomicU64::new(0))))
}

/// Compares an answer with concrete runs; gives a word for the verdict.
pub fn compare(program: &Program, properties: PropertySet, answer: &Answer, seed: u64) -> &'static str {
    let options = Options { is_lazy: false, checks: properties.iter().collect(), ..Options::default() };
    let machine = Machine::new(program, options);
    let text = || unpick_program::text::print(program);
    match &answer.verdict {
        Verdict::Fails(Evidence::Program(run)) => {
            let mut oracle = Positional::new(&run.decisions);
            let followed = machine.follow(&mut oracle, 20_000_000, 1_000_000, &mut Silent);
            let stop = followed.map(|followed| followed.stop);
            assert!(
                matches!(&stop, Ok(Stop::Violated(violation)) if *violation == run.violation),
                "seed {seed}: {stop:?} instead of {:?}\n{}",
                run.violation,
                text()
            );
            "violated"
        }
        Verdict::Fails(_) => unreachable!("a program should fail as a program"),
        Verdict::Unknown(why) => {
            let is_ours = why.reasons().iter().any(|reason| matches!(reason, Reason::Internal(_)));
            assert!(!is_ours, "seed {seed}: {}\n{}", why.summary(), text());
            "unknown"
        }
        Verdict::Holds(_) => {
            for run in 0..200 {
                let random = Random::new(seed.wrapping_mul(1000) + run);
                let mut oracle = AnyValues { program, random };
                let Ok(followed) = machine.follow(&mut oracle, 200_000, 1_000, &mut Silent) else { continue };
                let is_fine = matches!(
                    followed.stop,
                    Stop::Exited { .. } | Stop::Blocked | Stop::Infeasible | Stop::Fuel | Stop::ThreadEnded
                );
                assert!(
                    is_fine,
                    "seed {seed}: verified, but {:?} after {:?}\n{}",
                    followed.stop,
                    followed.asked,
                    text()
                );
            }
            "verified"
        }
    }
}

fn seeds() -> std::ops::RangeInclusive<u64> {
    let given = std::env::var("UNPICK_SYMBOLIC").ok();
    let range = given.as_deref().and_then(|text| text.split_once('-'));
    let range = range.and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?));
    range.unwrap_or(1..=150)
}

#[test]
fn verdicts_agree_with_concrete_runs() {
    let properties = PropertySet::default_for_c();
    let mut counts = std::collections::BTreeMap::new();
    for seed in seeds() {
        let program = running(seed);
        let Some(answer) = ask(&program, properties) else { continue };
        *counts.entry(compare(&program, properties, &answer, seed)).or_insert(0) += 1;
    }
    println!("{counts:?}");
    assert!(counts.values().sum::<i32>() > 0, "{counts:?}");
}
