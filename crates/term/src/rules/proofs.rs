//! Tests of rules: every level against the evaluator on random terms, and uses of every rule proved by z3 at many widths.
//!
//! What is proved is what a constructor was asked for against what it returned, over the same arguments, so that no rewrite
//! passes unseen. That constructors mean what they say is tested beside them, value by value.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{Level, rule};
use crate::arena::Terms;
use crate::build::Signedness;
use crate::node::{Node, Op, Sort, Term};
use crate::random::Pool;

/// How many random terms are compared; `UNPICK_TERM_TESTS` sets another number.
fn n_random_terms() -> usize {
    std::env::var("UNPICK_TERM_TESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(50_000)
}

/// Builds the same random terms twice, folded only and rewritten, and compares their values. The first difference.
fn first_difference(seed: u64, level: Level, prepare: &dyn Fn(&mut Terms)) -> Option<String> {
    let widths: &[u32] =
        [&[8, 1, 16][..], &[4, 3, 7], &[32, 64, 8], &[2, 5, 130], &[64, 32, 1], &[3, 6, 200]][seed as usize % 6];
    let (mut plain, mut rewritten) = (Terms::new(), Terms::new());
    plain.set_level(Level::Fold);
    rewritten.set_level(level);
    prepare(&mut rewritten);
    let mut plain_pool = Pool::new(&mut plain, seed, widths);
    let mut pool = Pool::new(&mut rewritten, seed, widths);
    for _ in 0..STEPS {
        plain_pool.step(&mut plain);
        pool.step(&mut rewritten);
    }
    for _ in 0..4 {
        let model = pool.model(&rewritten);
        let mut expected = crate::Evaluator::new(&plain, &model);
        let mut found = crate::Evaluator::new(&rewritten, &model);
        for (&one, &other) in plain_pool.words.iter().zip(&pool.words) {
            if expected.value(one) != found.value(other) {
                let (one, other) = (plain.display(one), rewritten.display(other));
                return Some(format!("seed {seed}, {model:?}:\n{one}\nis not\n{other}"));
            }
        }
    }
    None
}

/// Terms of one random pool.
const STEPS: usize = 100;

#[test]
fn rewritten_terms_have_the_same_values() {
    for seed in 0..(n_random_terms() / STEPS) as u64 {
        let level = if seed % 3 == 0 { Level::Zero } else { Level::One };
        if let Some(difference) = first_difference(seed, level, &|_| ()) {
            panic!("{level:?}, {difference}");
        }
    }
}

/// A use of a rule, to be proved.
struct Use {
    rule: &'static str,
    width: u32,
    seed: u64,
    node: Node,
    result: Term,
}

/// Builds small random terms of one width until each rule was used, or nearly so, and asks z3 about the first uses of each.
/// How many were proved for each rule, and those refuted.
fn prove(width: u32, uses_each: usize, prepare: &dyn Fn(&mut Terms)) -> (BTreeMap<&'static str, usize>, Vec<String>) {
    // Counted work, not time: the same answers on a busy machine.
    let mut script = String::from("(set-option :rlimit 2000000)\n");
    let mut asked: Vec<String> = Vec::new();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut last_new = 0;
    for seed in 0..6000 {
        // The rare ones have come by then.
        if seed > last_new + 1500 {
            break;
        }
        let mut terms = Terms::new();
        prepare(&mut terms);
        let widths = if width == 1 { vec![1, 2] } else { vec![width, width + 1 + seed as u32 % width, 1] };
        let mut pool = Pool::new(&mut terms, seed, &widths);
        terms.rules.log = Some(Vec::new());
        for _ in 0..8 {
            pool.step(&mut terms);
            shape(&mut pool, &mut terms, widths[0]);
        }
        let log = terms.rules.log.take().unwrap_or_default();
        let mut seen = HashSet::new();
        for (rule, node, result) in log {
            let count = counts.entry(rule).or_default();
            let is_new = seen.insert((rule, node.op, node.sort, node.args, node.aux));
            if *count >= uses_each || !is_new || is_hard(&terms, &node) {
                continue;
            }
            *count += 1;
            last_new = seed;
            let one = Use { rule, width, seed, node, result };
            script.push_str(&question(&terms, &one));
            asked.push(format!(
                "{rule} at width {width}, seed {}: {:?} -> {}",
                one.seed,
                one.node,
                terms.display(result)
            ));
        }
    }
    let answers = z3(&script);
    assert_eq!(answers.len(), asked.len(), "z3 should answer each question: {answers:?}");
    let mut proved: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut refuted = Vec::new();
    for (answer, question) in answers.iter().zip(&asked) {
        let rule = question.split(' ').next().unwrap_or_default();
        let name = counts.keys().find(|&&name| name == rule).copied().unwrap_or_default();
        match answer.as_str() {
            "unsat" => *proved.entry(name).or_default() += 1,
            "unknown" => {}
            _ => refuted.push(format!("{answer}: {question}")),
        }
    }
    (proved, refuted)
}

/// A term of a shape that chance rarely makes.
fn shape(pool: &mut Pool, terms: &mut Terms, width: u32) {
    let [x, y, z] = [0; 3].map(|_| pool.word(terms, width));
    let [c, d] = [0; 2].map(|_| {
        let value = pool.rng.value(width);
        terms.constant_bits(&value)
    });
    let cut = pool.rng.below(width as usize) as u32;
    let term = match pool.rng.below(13) {
        12 => {
            let (plain, inverted) = (terms.and(x, y), terms.not(y));
            let other = terms.and(x, inverted);
            [terms.not(plain), terms.not(other)]
        }
        0 => [(x, y, false), (x, z, true)].map(|(one, other, inverted)| {
            let one = if inverted { terms.not(one) } else { one };
            terms.and(one, other)
        }),
        1 => [terms.xor(c, x), d],
        2 => [terms.mul(c, x), d],
        3 => [terms.neg(x), terms.neg(y)],
        4 => [terms.not(x), terms.not(y)],
        5 => [terms.add(x, y), terms.add(x, z)],
        6 => [terms.xor(x, y), terms.xor(z, x)],
        7 => [terms.zext(x, width + 2), terms.zext(y, width + 2)],
        8 => [terms.sext(x, width + 2), terms.sext(y, width + 2)],
        9 => [terms.concat(x, y), if cut == 0 { terms.concat(x, z) } else { terms.concat(z, y) }],
        10 => [terms.extract(x, width - 1, cut), if cut == 0 { x } else { terms.extract(x, cut - 1, 0) }],
        _ => [terms.concat(x, c), terms.concat(y, d)],
    };
    // Small, because z3 multiplies slowly.
    let half = ((width.max(3) - 1) / 2).min(6);
    let [small, other] = [x, y].map(|word| {
        let part = terms.extract(word, half - 1, 0);
        terms.zext(part, width)
    });
    for signedness in [Signedness::Unsigned, Signedness::Signed] {
        pool.words.push(terms.checked_mul(small, other, signedness).ok);
    }
    let p = pool.word(terms, 1);
    let [left, right] = term;
    if terms.width(left) == terms.width(right) {
        let made = [
            terms.and(left, right),
            terms.add(left, right),
            terms.mul(left, right),
            terms.xor(left, right),
            terms.eq(left, right),
            terms.ult(left, right),
            terms.slt(left, right),
            terms.ite(p, left, right),
        ];
        let low = terms.extract(made[pool.rng.below(3)], terms.width(left) / 2, 0);
        pool.words.extend([low, pool.rng.pick(&made)]);
        if terms.width(left) == width {
            pool.words.extend([terms.udiv(x, x), terms.urem(x, x)]);
        }
    }
    let joined = terms.concat(left, right);
    let rest = terms.concat(right, z);
    let both = terms.concat(left, rest);
    pool.words.extend([joined, both]);
}

/// Whether products or quotients of unknown wide words lie below, which z3 does not settle in a moment.
fn is_hard(terms: &Terms, node: &Node) -> bool {
    let is_product = |op: Op| matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::UmulOverflow | Op::SmulOverflow);
    let is_hard = |op: Op, args: &[Term]| {
        is_product(op) && !args.iter().any(|&arg| terms.is_constant(arg)) && terms.width(args[0]) > 8
    };
    let is_small = |arg: &Term| terms.fact(*arg).is_some_and(|fact| fact.leading_zeros() >= fact.width / 2);
    let is_easy = node.op == Op::Mul || node.args().iter().all(is_small);
    let cone = terms.cone(&node.args());
    (is_hard(node.op, &node.args()) && !is_easy) || cone.iter().any(|&term| is_hard(terms.op(term), &terms.args(term)))
}

/// The question whether what was asked for and what was returned can differ.
fn question(terms: &Terms, one: &Use) -> String {
    let roots: Vec<Term> = one.node.args().into_iter().chain([one.result]).collect();
    let mut text = format!("(push) ; {} {}\n", one.rule, one.width);
    terms.write_definitions(&roots, &mut text).expect("there should be no floats");
    let asked = terms.smt_expression(&one.node).expect("there should be no floats");
    let returned = terms.smt_reference(one.result);
    let (asked, returned) = match one.node.sort() {
        Sort::Bits(_) => (asked, returned),
        Sort::Array { index, .. } => {
            text.push_str(&format!("(declare-fun i () (_ BitVec {index}))\n"));
            (format!("(select {asked} i)"), format!("(select {returned} i)"))
        }
    };
    text.push_str(&format!("(assert (not (= {asked} {returned})))\n(check-sat)\n(pop)\n"));
    text
}

/// The answers of z3 to a script.
pub(crate) fn z3(script: &str) -> Vec<String> {
    let mut child = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 should be installed: `cargo xtask setup`");
    let mut input = child.stdin.take().expect("there should be a pipe");
    let script = script.to_owned();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("z3 should end");
    writer.join().expect("writing should not panic").expect("z3 should read its script");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Rules that not every width can show, with the least and the greatest that does: narrower masks have few runs, narrower
/// numbers are powers of two or next to the extremes; and z3 does not divide 32 bits by themselves in its time.
const WIDTHS: &[(&str, u32, u32)] = &[
    ("and-constants", 4, 32),
    ("less-ite-constants", 3, 32),
    ("eq-mul-odd", 3, 32),
    ("neg-mul-constant", 3, 32),
    ("mul-constants", 3, 32),
    ("mul-distribute", 3, 32),
    ("udiv-same", 2, 8),
    ("urem-same", 2, 8),
];

fn prove_all(widths: &[u32]) {
    for &width in widths {
        let (proved, refuted) = prove(width, 3, &|_| ());
        assert!(refuted.is_empty(), "{}", refuted.join("\n"));
        if width > 1 {
            // Rules for floats are tested over all values of small formats, beside the soft floats.
            let fits =
                |name: &str| WIDTHS.iter().all(|&(rule, least, most)| rule != name || (least..=most).contains(&width));
            let is_expected = |name: &str| !name.starts_with("fp-") && fits(name);
            let missing: Vec<&str> = super::all_rules()
                .map(|rule| rule.name)
                .filter(|&name| is_expected(name) && !proved.contains_key(name))
                .collect();
            assert_eq!(missing, [""; 0], "not proved at width {width}");
        }
    }
}

#[test]
fn z3_proves_the_rules_at_1_to_3_bits() {
    prove_all(&[1, 2, 3]);
}

#[test]
fn z3_proves_the_rules_at_4_to_6_bits() {
    prove_all(&[4, 5, 6]);
}

#[test]
fn z3_proves_the_rules_at_7_and_8_bits() {
    prove_all(&[7, 8]);
}

#[test]
fn z3_proves_the_rules_at_32_bits() {
    prove_all(&[32]);
}

/// match: `2 * x`
/// result: `x`, which is wrong
fn planted(terms: &mut Terms, node: &Node) -> Option<Term> {
    (node.op == Op::Mul && terms.constant_u128(node.args[0])? == 2).then_some(node.args[1])
}

#[test]
fn a_wrong_rule_is_caught_by_both() {
    let plant = |terms: &mut Terms| terms.rules.planted = Some(rule("planted", Level::Zero, planted));
    assert!((0..200).any(|seed| first_difference(seed, Level::One, &plant).is_some()));
    let (_, refuted) = prove(8, 2, &plant);
    assert!(!refuted.is_empty() && refuted.iter().all(|text| text.starts_with("sat: planted")), "{refuted:?}");
}
