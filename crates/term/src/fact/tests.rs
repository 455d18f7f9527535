//! Transfer functions, exhaustively: for sets of values of the arguments, every result lies within the fact computed from the
//! facts of the sets. At widths 1 to 3 all pairs of sets, at 4 to 8 random and typical ones.

use super::{Fact, transfer};
use crate::bits::{BitVec, mask};
use crate::node::{Op, Sort};
use crate::random::Rng;
use crate::value::Value;

const UNARY: [Op; 5] = [Op::Not, Op::Neg, Op::Clz, Op::Ctz, Op::Popcount];
const BINARY: [Op; 9] = [Op::And, Op::Xor, Op::Add, Op::Mul, Op::Udiv, Op::Urem, Op::Shl, Op::Lshr, Op::Ashr];

/// The best fact about a set of values.
fn fact_of(width: u32, values: &[u128]) -> Fact {
    let facts = values.iter().map(|&value| Fact::constant(width, value));
    facts.reduce(|one, other| one.join(&other)).expect("a set should not be empty").reduced()
}

fn apply(op: Op, width: u32, low: u32, args: &[(u32, u128)]) -> u128 {
    let values: Vec<Value> = args.iter().map(|&(width, value)| Value::Bits(BitVec::new(width, value))).collect();
    let references: Vec<&Value> = values.iter().collect();
    let result = crate::eval::apply(op, Sort::Bits(width), u64::from(low), &references);
    result.bits().to_u128().expect("narrow")
}

/// All values of a bit set of values.
fn members(set: u64) -> Vec<u128> {
    (0..64).filter(|position| set >> position & 1 == 1).map(|position| position as u128).collect()
}

fn check_binary(op: Op, width: u32, left: &[u128], right: &[u128]) {
    let (x, y) = (fact_of(width, left), fact_of(width, right));
    let fact = transfer(op, width, 0, &[x, y]);
    for &a in left {
        for &b in right {
            let result = apply(op, width, 0, &[(width, a), (width, b)]);
            assert!(
                fact.contains(result),
                "{op:?} at {width}: {a} and {b} give {result}, not in {fact:?}; {x:?}, {y:?}"
            );
        }
    }
}

/// Unary operations, extractions and extensions.
fn check_unary(width: u32, values: &[u128]) {
    let fact = fact_of(width, values);
    let contains = |op: Op, result_width: u32, low: u32| {
        let result_fact = transfer(op, result_width, low, &[fact]);
        for &value in values {
            let result = apply(op, result_width, low, &[(width, value)]);
            assert!(result_fact.contains(result), "{op:?} of {value} at {width}: {result} not in {result_fact:?}");
        }
    };
    for op in UNARY {
        contains(op, width, 0);
    }
    for wider in [width + 1, width + 3, 64, 128] {
        contains(Op::Zext, wider, 0);
        contains(Op::Sext, wider, 0);
    }
    for low in 0..width {
        for high in low..width {
            contains(Op::Extract, high - low + 1, low);
        }
    }
}

fn check_joins(width: u32, left: &[u128], right: &[u128]) {
    let (x, y) = (fact_of(width, left), fact_of(width, right));
    let joined = transfer(Op::Concat, 2 * width, 0, &[x, y]);
    let chosen = transfer(Op::Ite, width, 0, &[Fact::unknown(1), x, y]);
    for &a in left {
        assert!(chosen.contains(a));
        for &b in right {
            assert!(chosen.contains(b) && joined.contains(a << width | b), "{a} {b} {joined:?}");
            assert!(a != b || !x.excludes(&y), "{x:?} {y:?} share {a}");
        }
    }
}

#[test]
fn transfer_functions_hold_for_all_sets_of_values_to_3_bits() {
    for width in 1..=3 {
        let sets: Vec<Vec<u128>> = (1..1u64 << (1 << width)).map(members).collect();
        for left in &sets {
            check_unary(width, left);
            for right in &sets {
                BINARY.iter().for_each(|&op| check_binary(op, width, left, right));
                check_joins(width, left, right);
            }
        }
    }
}

#[test]
fn transfer_functions_hold_for_all_values_of_random_sets_to_8_bits() {
    let mut rng = Rng::new(3);
    for round in 0..12_000 {
        let width = 4 + round % 5;
        let [left, right] = [0; 2].map(|_| random_set(&mut rng, width));
        check_unary(width, &left);
        BINARY.iter().for_each(|&op| check_binary(op, width, &left, &right));
        check_joins(width, &left, &right);
    }
}

/// A range, signed or not, an arithmetic progression, all values with some bits fixed, or a few values.
fn random_set(rng: &mut Rng, width: u32) -> Vec<u128> {
    let all = mask(width);
    let mut random = || u128::from(rng.next()) & all;
    let (a, b, kind) = (random(), random(), random() % 4);
    match kind {
        0 => (0..=b % 24).map(|offset| a.wrapping_add(offset) & all).collect(),
        1 => (0..=all).step_by(1 + (b % 9) as usize).map(|value| (value + a % 5) & all).take(24).collect(),
        2 => (0..=all).filter(|value| value & a == b & a).take(24).collect(),
        _ => [a, b, random(), random()].to_vec(),
    }
}

#[test]
fn transfer_functions_hold_at_the_edges_of_wide_numbers() {
    let mut rng = Rng::new(9);
    for round in 0..40_000 {
        let width = [31, 32, 63, 64, 65, 127, 128][round % 7];
        let mut random = || rng.value(width).to_u128().expect("narrow");
        let (a, b, spread) = (random(), random(), random() & 15);
        let left = [a, a.wrapping_add(spread) & mask(width)];
        let right = [b, b.wrapping_add(1) & mask(width)];
        BINARY.iter().for_each(|&op| check_binary(op, width, &left, &right));
        let fact = fact_of(width, &left);
        for op in UNARY {
            let result = transfer(op, width, 0, &[fact]);
            assert!(left.iter().all(|&value| result.contains(apply(op, width, 0, &[(width, value)]))), "{op:?}");
        }
    }
}
