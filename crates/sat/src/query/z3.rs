//! Queries compared with z3 on random terms. `UNPICK_SAT_TESTS` sets how many, `UNPICK_SAT_FIRST` the first seed.

use std::io::Write as _;
use std::process::{Command, Stdio};

use unpick_term::Sort;

use super::*;
use crate::blast::tests::{OPERATIONS, options};
use crate::solver::tests::Numbers;

/// How many are compared each time.
const N_TERMS: u64 = 1_000;
/// Questions that one process of z3 answers.
const N_AT_ONCE: u64 = 250;

pub(super) fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// Some Booleans over random terms, small ones mostly, since products and quotients of wide unknowns are hard for everybody.
pub(super) fn random_query(seed: u64, masks: &[u64]) -> (Terms, Vec<Term>) {
    let mut numbers = Numbers::new(seed);
    let mut terms = Terms::new();
    let width = [1, 2, 3, 4, 5, 6, 7, 8, 8, 12, 16, 32][numbers.below(12)];
    let mut words: Vec<Term> = (0..3).map(|number| terms.input(&format!("x{number}"), Sort::Bits(width))).collect();
    let sort = Sort::Array { index: width, element: width };
    let mut arrays = vec![terms.input("a", sort)];
    // Few, because z3 has them only in its slow logic.
    if numbers.below(12) == 0 {
        arrays.push(terms.const_array(width, words[0]));
    }
    // Constants under these masks, so that bits of operands are known here and there.
    for mask in masks {
        let constant = u128::from(numbers.next() & mask);
        words.push(terms.constant(width, constant));
    }
    for _ in 0..3 + numbers.below(9) {
        let [a, b, c] = [(); 3].map(|()| words[numbers.below(words.len())]);
        let array = arrays[numbers.below(arrays.len())];
        let mut word = match numbers.below(8) {
            0 => terms.select(array, a),
            1 => {
                arrays.push(terms.store(array, a, b));
                continue;
            }
            2 => {
                let (condition, other) = (terms.ult(a, b), arrays[numbers.below(arrays.len())]);
                arrays.push(terms.ite(condition, array, other));
                terms.ite(condition, b, c)
            }
            _ => OPERATIONS[numbers.below(OPERATIONS.len())].1(&mut terms, a, b),
        };
        // Everything has one width.
        let other = terms.width(word);
        if other > width {
            let low = u32::try_from(numbers.below((other - width) as usize + 1)).expect("small");
            word = terms.extract(word, low + width - 1, low);
        } else if numbers.below(2) == 0 {
            word = terms.zext(word, width);
        } else {
            word = terms.sext(word, width);
        }
        words.push(word);
    }
    let last = words.len() - 1;
    let goals = (0..1 + numbers.below(3))
        .map(|number| {
            let (a, b) = (words[last - number], words[numbers.below(words.len())]);
            let goal = match numbers.below(3) {
                0 => terms.eq(a, b),
                1 => terms.ult(a, b),
                _ => terms.slt(a, b),
            };
            if numbers.next() & 32 == 0 { terms.not(goal) } else { goal }
        })
        .collect();
    (terms, goals)
}

/// What z3 answers to scripts, one after the other.
fn z3(scripts: &str) -> Vec<String> {
    let mut child = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 should be installed");
    let mut input = child.stdin.take().expect("its input is a pipe");
    let scripts = scripts.to_owned();
    let writer = std::thread::spawn(move || input.write_all(scripts.as_bytes()));
    let output = child.wait_with_output().expect("z3 should end");
    writer.join().expect("writing should not panic").expect("z3 should read everything");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn answers_are_those_of_z3() {
    let (mut n_sat, mut n_unsat, mut n_open) = (0_u64, 0_u64, 0_u64);
    let all = options();
    let n_terms = number_of("UNPICK_SAT_TESTS").unwrap_or(N_TERMS);
    let mut seed = number_of("UNPICK_SAT_FIRST").unwrap_or(0);
    let end = seed + n_terms;
    while seed < end {
        let seeds = seed..(seed + N_AT_ONCE).min(end);
        seed = seeds.end;
        let mut scripts = String::new();
        let mut ours = Vec::new();
        for seed in seeds.clone() {
            let (terms, goals) = random_query(seed, &[7]);
            let script = terms.smtlib(&goals).expect("there are no floats");
            // Ten times faster; constant arrays are not in this logic.
            let logic = if script.contains("as const") { "ALL" } else { "QF_ABV" };
            let script = script.replace("(set-logic ALL)", &format!("(set-logic {logic})"));
            scripts.push_str(&format!("(reset)\n(set-option :rlimit 3000000)\n(set-option :timeout 10000)\n{script}"));
            let choice = all[usize::try_from(seed).expect("seeds are small") % all.len()];
            let mut context = Context::with(crate::default_solver(), choice);
            ours.push(context.solve(&terms, &goals, &Budget::conflicts(20_000)));
        }
        let theirs = z3(&scripts);
        assert_eq!(theirs.len(), ours.len(), "z3 should answer each question: {theirs:?}");
        for ((seed, ours), theirs) in seeds.zip(ours).zip(theirs) {
            match (ours, theirs.as_str()) {
                (Answer::Sat(_), "sat") => n_sat += 1,
                (Answer::Unsat(_), "unsat") => n_unsat += 1,
                (Answer::Unknown(Unfinished::Conflicts), _) | (Answer::Sat(_) | Answer::Unsat(_), "unknown") => {
                    n_open += 1
                }
                (ours, theirs) => panic!("seed {seed}: z3 says {theirs}, we say {ours:?}"),
            }
        }
    }
    println!("{n_sat} satisfiable, {n_unsat} unsatisfiable, {n_open} not compared");
    assert!(n_open * 10 <= n_terms, "{n_open} were not compared");
    assert!(n_sat * 5 > n_terms && n_unsat * 10 > n_terms, "{n_sat} satisfiable, {n_unsat} unsatisfiable");
}
