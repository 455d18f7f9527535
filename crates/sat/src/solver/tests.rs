//! Tests of all solvers on the same formulas: against brute force, against each other, incrementally, out of budget.

use std::ffi::OsString;

use super::*;

/// A small generator of numbers (xorshift), so that a seed is a formula.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 11).expect("numbers should fit") % bound
    }
}

/// Clauses of three literals.
pub(crate) fn random_clauses(seed: u64, n_variables: usize, n_clauses: usize) -> Clauses {
    let mut numbers = Numbers::new(seed + 1);
    let mut clauses = Clauses::new();
    (0..n_variables).for_each(|_| {
        clauses.new_literal();
    });
    for _ in 0..n_clauses {
        let clause = [(); 3].map(|()| Lit::variable(numbers.below(n_variables)).negated_if(numbers.next() & 64 == 0));
        clauses.add_clause(&clause);
    }
    clauses
}

/// One pigeon more than there are holes.
pub(crate) fn pigeons(n_holes: usize) -> Clauses {
    let mut clauses = Clauses::new();
    let sits = |pigeon: usize, hole: usize| Lit::variable(pigeon * n_holes + hole);
    for pigeon in 0..=n_holes {
        let somewhere: Vec<Lit> = (0..n_holes).map(|hole| sits(pigeon, hole)).collect();
        clauses.add_clause(&somewhere);
    }
    for hole in 0..n_holes {
        for pigeon in 0..=n_holes {
            (0..pigeon).for_each(|other| clauses.add_clause(&[!sits(pigeon, hole), !sits(other, hole)]));
        }
    }
    clauses
}

fn solvers() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Light::new()),
        crate::default_solver(),
        #[cfg(feature = "cadical")]
        Box::new(Heavy::new()),
    ]
}

fn fill(solver: &mut dyn Solver, clauses: &Clauses) {
    (0..clauses.n_variables()).for_each(|_| {
        solver.new_literal();
    });
    clauses.iter().for_each(|clause| solver.add_clause(clause));
}

fn models(clauses: &Clauses) -> impl Iterator<Item = u32> {
    (0..1_u32 << clauses.n_variables()).filter(|values| clauses.are_satisfied(&|literal| holds(*values, literal)))
}

fn holds(values: u32, literal: Lit) -> bool {
    (values >> literal.index() & 1 == 1) != literal.is_negated()
}

#[test]
fn answers_models_and_cores_agree_with_brute_force() {
    for seed in 0..150 {
        let clauses = random_clauses(seed, 8, 20 + usize::try_from(seed % 3).expect("small") * 8);
        let mut numbers = Numbers::new(seed);
        for mut solver in solvers() {
            fill(solver.as_mut(), &clauses);
            for _ in 0..4 {
                let assumed: Vec<Lit> = (0..numbers.below(4))
                    .map(|_| Lit::variable(numbers.below(8)).negated_if(numbers.next() & 32 == 0))
                    .collect();
                let is_possible =
                    |assumed: &[Lit]| models(&clauses).any(|values| assumed.iter().all(|lit| holds(values, *lit)));
                match solver.solve(&assumed, &Budget::UNLIMITED) {
                    Outcome::Satisfiable => {
                        let value = |literal: Lit| solver.value(literal).unwrap_or(literal.is_negated());
                        assert!(clauses.are_satisfied(&value), "{}: seed {seed}", solver.name());
                        assert!(assumed.iter().all(|literal| value(*literal)), "{}: seed {seed}", solver.name());
                    }
                    Outcome::Unsatisfiable => {
                        assert!(!is_possible(&assumed), "{}: seed {seed}", solver.name());
                        assert!(!is_possible(solver.core()), "{}: core, seed {seed}", solver.name());
                        assert!(solver.core().iter().all(|literal| assumed.contains(literal)));
                    }
                    Outcome::Unknown(why) => panic!("{}: seed {seed}: {why:?}", solver.name()),
                }
            }
        }
    }
}

#[test]
fn clauses_and_queries_alternate() {
    for mut solver in solvers() {
        let [a, b, c] = [(); 3].map(|()| solver.new_literal());
        solver.add_clause(&[a, b]);
        assert_eq!(solver.solve(&[!a], &Budget::UNLIMITED), Outcome::Satisfiable, "{}", solver.name());
        assert_eq!(solver.value(b), Some(true));
        assert_eq!(solver.value(!b), Some(false));
        solver.add_clause(&[!b, c]);
        assert_eq!(solver.solve(&[!a, !c], &Budget::UNLIMITED), Outcome::Unsatisfiable);
        assert!(!solver.core().is_empty());
        solver.prefer(!c);
        assert_eq!(solver.solve(&[], &Budget::UNLIMITED), Outcome::Satisfiable, "a failed assumption leaves no trace");
        let late = solver.new_literal();
        solver.add_clause(&[late]);
        assert_eq!(solver.solve(&[!late, a], &Budget::UNLIMITED), Outcome::Unsatisfiable);
        assert_eq!(solver.core(), [!late]);
        solver.add_clause(&[]);
        assert_eq!(solver.solve(&[], &Budget::UNLIMITED), Outcome::Unsatisfiable, "{}", solver.name());
    }
}

#[test]
fn a_budget_ends_the_search_without_an_answer() {
    for mut solver in solvers() {
        fill(solver.as_mut(), &pigeons(9));
        let outcome = solver.solve(&[], &Budget::conflicts(700));
        assert_eq!(outcome, Outcome::Unknown(Unfinished::Conflicts), "{}", solver.name());
        assert!((700..3_000).contains(&solver.n_conflicts()), "{} conflicts", solver.n_conflicts());
        let is_asked = std::cell::Cell::new(0);
        let stop = || is_asked.replace(is_asked.get() + 1) > 1;
        let outcome = solver.solve(&[], &Budget { conflicts: None, stop: &stop });
        assert_eq!(outcome, Outcome::Unknown(Unfinished::Stopped), "{}", solver.name());
    }
}

#[test]
fn queries_without_conflicts_left_may_still_be_answered() {
    for mut solver in solvers() {
        let a = solver.new_literal();
        solver.add_clause(&[a]);
        let outcome = solver.solve(&[], &Budget::conflicts(0));
        assert!(matches!(outcome, Outcome::Satisfiable | Outcome::Unknown(Unfinished::Conflicts)));
    }
}

#[cfg(feature = "cadical")]
#[test]
fn hard_queries_climb_the_ladder_and_cheap_ones_do_not() {
    let mut ladder = Ladder::new(Box::new(Light::new()), || Box::new(Heavy::new()));
    fill(&mut ladder, &random_clauses(7, 60, 100));
    assert_eq!(ladder.solve(&[], &Budget::UNLIMITED), Outcome::Satisfiable);
    assert_eq!(ladder.conflicts_by_solver().1, 0);
    let mut ladder = Ladder::new(Box::new(Light::new()), || Box::new(Heavy::new()));
    let clauses = pigeons(8);
    fill(&mut ladder, &clauses);
    // The last clause can be left out only by an assumption.
    assert_eq!(ladder.solve(&[], &Budget::UNLIMITED), Outcome::Unsatisfiable);
    assert!(ladder.conflicts_by_solver().1 > 0, "eight holes should take more than the light solver may spend");
}

/// A program of the shell that stands for a solver.
fn pretender(script: &str) -> External {
    External::new("sh".into(), ["-c", script].map(OsString::from).to_vec())
}

#[test]
fn other_programs_solve() {
    let programs = [
        External::new("cadical".into(), vec!["-q".into()]),
        External::new("minisat".into(), ["-verb=0", "/dev/stdin", "/dev/stdout"].map(OsString::from).to_vec()),
    ];
    for mut solver in programs {
        for seed in 0..6 {
            let mut light = Light::new();
            let clauses = random_clauses(seed, 40, 150 + 20 * usize::try_from(seed % 3).expect("small"));
            fill(&mut light, &clauses);
            let mut fresh = External::new(solver.program.clone(), solver.arguments.clone());
            fill(&mut fresh, &clauses);
            let expected = light.solve(&[], &Budget::UNLIMITED);
            assert_eq!(fresh.solve(&[], &Budget::UNLIMITED), expected, "{}: seed {seed}", fresh.name());
        }
        fill(&mut solver, &pigeons(3));
        let assumed = [Lit::variable(0)];
        assert_eq!(solver.solve(&assumed, &Budget::UNLIMITED), Outcome::Unsatisfiable, "{}", solver.name());
        assert_eq!(solver.core(), assumed);
    }
}

#[test]
fn programs_that_lie_or_fail_are_not_believed() {
    let scripts = [
        ("cat >/dev/null; echo 's SATISFIABLE'; echo 'v -1 -2 0'", "a clause false"),
        ("cat >/dev/null; echo 's SATISFIABLE'; echo 'v 1 -1 0'", "both true and false"),
        ("cat >/dev/null; head -c 100000 /dev/zero", "no line"),
        ("exit 3", "no line"),
        ("echo 's SATISFIABLE'; echo 'v 99999999999999999999 0'", "no literal"),
    ];
    for (script, why) in scripts {
        let mut solver = pretender(script);
        let [a, b] = [(); 2].map(|()| solver.new_literal());
        solver.add_clause(&[a, b]);
        match solver.solve(&[], &Budget::UNLIMITED) {
            Outcome::Unknown(Unfinished::Failed(said)) => assert!(said.contains(why), "{script}: {said}"),
            other => panic!("{script}: {other:?}"),
        }
    }
    let mut missing = External::new("no-such-program-here".into(), Vec::new());
    assert!(matches!(missing.solve(&[], &Budget::UNLIMITED), Outcome::Unknown(Unfinished::Failed(_))));
}

#[test]
fn a_program_that_never_ends_is_stopped() {
    let mut solver = pretender("exec sleep 1000");
    let outcome = solver.solve(&[], &Budget { conflicts: None, stop: &|| true });
    assert_eq!(outcome, Outcome::Unknown(Unfinished::Stopped));
}
