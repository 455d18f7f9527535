//! Floats against the machine at 32 and 64 bits, and exhaustively at formats of 4 to 7 bits against doubles, which hold their
//! sums, products, quotients and roots with bits to spare, so that rounding twice does no harm.

use super::{apply, default_nan, is_nan};
use crate::bits::{BitVec, mask};
use crate::float::{FpFormat, FpOp, Rounding};
use crate::node::{Sort, Term};
use crate::random::Rng;
use crate::value::{Model, Value};
use crate::{Level, Terms};

const SMALL: [(u8, u8); 8] = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3)];

fn small_formats() -> impl Iterator<Item = FpFormat> {
    SMALL.iter().map(|&(exponent, precision)| FpFormat { exponent, precision, is_leading_stored: false })
}

const MODES: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::Negative, Rounding::Positive, Rounding::Zero, Rounding::NearestAway];

fn compute(operation: FpOp, width: u32, mode: Rounding, operands: &[(u32, u128)]) -> u128 {
    let mut args: Vec<BitVec> = Vec::new();
    if operation.has_rounding() {
        args.push(BitVec::new(3, mode as u128));
    }
    args.extend(operands.iter().map(|&(width, bits)| BitVec::new(width, bits)));
    let references: Vec<&BitVec> = args.iter().collect();
    apply(operation, width, &references).to_u128().expect("narrow")
}

/// The value as a double; every small format fits.
fn double_of(format: FpFormat, bits: u128) -> f64 {
    let convert = FpOp::Convert { from: format, to: FpFormat::DOUBLE };
    f64::from_bits(compute(convert, 64, Rounding::NearestEven, &[(format.width(), bits)]) as u64)
}

/// A double rounded to a small format, by search: the neighbours among all numbers of the format.
fn rounded(format: FpFormat, value: f64, mode: Rounding) -> u128 {
    let width = format.width();
    if value.is_nan() {
        return default_nan(format);
    }
    let sign = u128::from(value.is_sign_negative()) << (width - 1);
    let magnitude = value.abs();
    let infinity = super::infinity(format);
    if value == 0.0 || value.is_infinite() {
        return sign | if value == 0.0 { 0 } else { infinity };
    }
    let below = (0..infinity).rev().find(|&bits| double_of(format, bits) <= magnitude).expect("zero is below");
    if double_of(format, below) == magnitude {
        return sign | below;
    }
    // The number after the greatest one counts as the power of two that it would be.
    let step = double_of(format, infinity - 1) - double_of(format, infinity - 2);
    let exact =
        |bits: u128| if bits == infinity { double_of(format, infinity - 1) + step } else { double_of(format, bits) };
    let (low, high) = (exact(below), exact(below + 1));
    let is_nearer_up = magnitude - low > high - magnitude;
    let is_tie = magnitude - low == high - magnitude;
    let is_up = match mode {
        Rounding::NearestEven => is_nearer_up || is_tie && below & 1 == 1,
        Rounding::NearestAway => is_nearer_up || is_tie,
        Rounding::Negative => sign != 0,
        Rounding::Positive => sign == 0,
        Rounding::Zero => false,
    };
    sign | if is_up { below + 1 } else { below }
}

#[test]
fn small_formats_round_as_doubles_say() {
    for format in small_formats() {
        let width = format.width();
        for a in 0..=mask(width) {
            for b in 0..=mask(width) {
                if is_nan(format, a) || is_nan(format, b) {
                    continue;
                }
                let (x, y) = (double_of(format, a), double_of(format, b));
                for mode in MODES {
                    let found = |operation: FpOp| compute(operation, width, mode, &[(width, a), (width, b)]);
                    assert_eq!(found(FpOp::Mul(format)), rounded(format, x * y, mode), "{x} * {y} {mode:?} {format:?}");
                    assert_eq!(found(FpOp::Div(format)), rounded(format, x / y, mode), "{x} / {y} {mode:?} {format:?}");
                    // The sign of an exact zero depends on the mode.
                    let sum = if x + y == 0.0 && x.signum() != y.signum() {
                        u128::from(mode == Rounding::Negative) << (width - 1)
                    } else {
                        rounded(format, x + y, mode)
                    };
                    assert_eq!(found(FpOp::Add(format)), sum, "{x} + {y} {mode:?} {format:?}");
                }
                let found = |operation: FpOp| compute(operation, 1, MODES[0], &[(width, a), (width, b)]) == 1;
                assert_eq!(found(FpOp::Lt(format)), x < y);
                assert_eq!(found(FpOp::Le(format)), x <= y);
                assert_eq!(found(FpOp::Eq(format)), x == y);
                let remainder = compute(FpOp::Fmod(format), width, MODES[0], &[(width, a), (width, b)]);
                assert_eq!(remainder, rounded(format, x % y, MODES[0]), "{x} % {y} {format:?}");
            }
        }
    }
}

#[test]
fn small_roots_and_conversions_round_as_doubles_say() {
    for format in small_formats() {
        let width = format.width();
        for a in (0..=mask(width)).filter(|&a| !is_nan(format, a)) {
            let x = double_of(format, a);
            for mode in MODES {
                let found = compute(FpOp::Sqrt(format), width, mode, &[(width, a)]);
                assert_eq!(found, rounded(format, x.sqrt(), mode), "sqrt {x} {mode:?} {format:?}");
                for to in small_formats() {
                    let found = compute(FpOp::Convert { from: format, to }, to.width(), mode, &[(width, a)]);
                    assert_eq!(found, rounded(to, x, mode), "{x} to {to:?} {mode:?}");
                }
                let integral = match mode {
                    Rounding::NearestEven => x.round_ties_even(),
                    Rounding::NearestAway => x.round(),
                    Rounding::Negative => x.floor(),
                    Rounding::Positive => x.ceil(),
                    Rounding::Zero => x.trunc(),
                };
                let found = compute(FpOp::RoundToIntegral(format), width, mode, &[(width, a)]);
                assert_eq!(found, rounded(format, integral, mode), "{x} to an integer {mode:?} {format:?}");
                let fits = (-8.0..8.0).contains(&integral);
                let number = if fits { integral as i64 as u128 & 15 } else { 8 };
                assert_eq!(compute(FpOp::ToSigned(format), 4, mode, &[(width, a)]), number, "{x} {mode:?}");
                let found = compute(FpOp::FitsSigned { from: format, width: 4 }, 1, mode, &[(width, a)]);
                assert_eq!(found == 1, fits, "{x} {mode:?}");
                let fits = (0.0..16.0).contains(&integral);
                let number = if fits { integral as u128 } else { 15 };
                assert_eq!(compute(FpOp::ToUnsigned(format), 4, mode, &[(width, a)]), number, "{x} {mode:?}");
            }
        }
    }
}

/// Bits at the edges, or any.
fn random_float(rng: &mut Rng, format: FpFormat) -> u128 {
    let width = format.width();
    let special = [
        0,
        1,
        super::infinity(format),
        super::infinity(format) - 1,
        super::quiet_bits(format) | super::infinity(format),
    ];
    let sign = (rng.next() as u128 & 1) << (width - 1);
    let random = u128::from(rng.next()) & mask(width);
    // Exponents near each other, so that sums round.
    let near_one = (u128::from(rng.next()) & mask(format.stored()))
        | (format.bias() as u128 + u128::from(rng.next() % 9) - 4) << format.stored();
    match rng.below(6) {
        0 => sign | special[rng.below(5)],
        1 | 2 => random,
        _ => sign | near_one,
    }
}

#[test]
fn doubles_are_those_of_the_machine() {
    let mut rng = Rng::new(5);
    let format = FpFormat::DOUBLE;
    for _ in 0..200_000 {
        let [a, b, c] = [0; 3].map(|_| random_float(&mut rng, format));
        let [x, y, z] = [a, b, c].map(|bits| f64::from_bits(bits as u64));
        let found = |operation: FpOp, n: usize| {
            compute(operation, 64, Rounding::NearestEven, &[(64, a), (64, b), (64, c)][..n]) as u64
        };
        let check = |found: u64, expected: f64, what: &str| {
            // Which payload a library function keeps is its own affair.
            let are_nans = f64::from_bits(found).is_nan() && expected.is_nan();
            assert!(found == expected.to_bits() || are_nans, "{what} {x} {y} {z}: {:?}", f64::from_bits(found));
        };
        check(found(FpOp::Add(format), 2), x + y, "add");
        check(found(FpOp::Mul(format), 2), x * y, "mul");
        check(found(FpOp::Div(format), 2), x / y, "div");
        check(found(FpOp::Sqrt(format), 1), x.sqrt(), "sqrt");
        check(found(FpOp::Fma(format), 3), x.mul_add(y, z), "fma");
        check(found(FpOp::RoundToIntegral(format), 1), x.round_ties_even(), "round");
        let single = compute(FpOp::Convert { from: format, to: FpFormat::SINGLE }, 32, MODES[0], &[(64, a)]) as u32;
        assert!(single == (x as f32).to_bits() || x.is_nan(), "{x} as f32");
        let is_equal = compute(FpOp::Eq(format), 1, MODES[0], &[(64, a), (64, b)]) == 1;
        assert_eq!(is_equal, x == y);
        let signed = compute(FpOp::FromSigned(format), 64, MODES[0], &[(64, a)]) as u64;
        assert_eq!(signed, (a as i64 as f64).to_bits());
        let unsigned = compute(FpOp::FromUnsigned(format), 64, MODES[0], &[(64, a)]) as u64;
        assert_eq!(unsigned, (a as u64 as f64).to_bits());
    }
}

#[test]
fn remainders_are_those_of_the_machine() {
    let mut rng = Rng::new(11);
    let format = FpFormat::SINGLE;
    for _ in 0..20_000 {
        let [a, b] = [0; 2].map(|_| random_float(&mut rng, format));
        let expected = f32::from_bits(a as u32) % f32::from_bits(b as u32);
        let found = compute(FpOp::Fmod(format), 32, MODES[0], &[(32, a), (32, b)]) as u32;
        let are_nans = f32::from_bits(found).is_nan() && expected.is_nan();
        assert!(found == expected.to_bits() || are_nans, "{a:x} % {b:x}: {found:x}");
    }
}

/// The rule in words: the first NaN, made quiet; else the default one.
#[test]
fn nans_follow_one_rule() {
    let single =
        |operation: FpOp, a: u32, b: u32| compute(operation, 32, MODES[0], &[(32, a.into()), (32, b.into())]) as u32;
    let (signalling, quiet, infinity) = (0x7f80_0001, 0xffc1_2345, f32::INFINITY.to_bits());
    assert_eq!(single(FpOp::Add(FpFormat::SINGLE), signalling, quiet), 0x7fc0_0001);
    assert_eq!(single(FpOp::Mul(FpFormat::SINGLE), 0, quiet), quiet);
    assert_eq!(single(FpOp::Add(FpFormat::SINGLE), infinity, infinity | 1 << 31), 0xffc0_0000);
    let widened = compute(
        FpOp::Convert { from: FpFormat::SINGLE, to: FpFormat::DOUBLE },
        64,
        MODES[0],
        &[(32, u128::from(signalling))],
    );
    assert_eq!(widened, 0x7ff8_0000_2000_0000);
    assert_eq!(default_nan(FpFormat::X87), 0xffff_c000_0000_0000_0000);
}

#[test]
fn the_wide_formats_hold_a_third_and_a_root_to_their_last_bit() {
    for (format, third, root) in [
        (FpFormat::X87, 0x3ffd_aaaa_aaaa_aaaa_aaab, 0x3fff_b504_f333_f9de_6484),
        (FpFormat::QUAD, 0x3ffd_5555_5555_5555_5555_5555_5555_5555, 0x3fff_6a09_e667_f3bc_c908_b2fb_1366_ea95),
    ] {
        let width = format.width();
        let number = |value: u128| compute(FpOp::FromUnsigned(format), width, MODES[0], &[(64, value)]);
        let (one, two, three) = (number(1), number(2), number(3));
        assert_eq!(compute(FpOp::Div(format), width, MODES[0], &[(width, one), (width, three)]), third);
        assert_eq!(compute(FpOp::Sqrt(format), width, MODES[0], &[(width, two)]), root);
    }
}

/// Terms over two inputs that the rules for floats rewrite, and some that they leave.
fn shapes(terms: &mut Terms, format: FpFormat, mode: Term, x: Term, y: Term) -> Vec<Term> {
    let wide = FpFormat::HALF;
    let back = FpOp::Convert { from: wide, to: format };
    let there = FpOp::Convert { from: format, to: wide };
    let mut results = vec![x, y];
    for operation in [FpOp::Add(format), FpOp::Mul(format), FpOp::Div(format)] {
        results.push(terms.fp(operation, &[mode, x, y]));
        results.push(terms.fp(operation, &[mode, x, x]));
    }
    results.push(terms.fp_sub(format, mode, x, y));
    results.push(terms.fp(FpOp::Sqrt(format), &[mode, x]));
    results.push(terms.fp(FpOp::RoundToIntegral(format), &[mode, x]));
    results.push(terms.fp(FpOp::FromSigned(format), &[mode, x]));
    let [wide_x, wide_y] = [x, y].map(|float| terms.fp(there, &[mode, float]));
    results.push(terms.fp(back, &[mode, wide_x]));
    let mut all = results.clone();
    let zero = terms.constant(format.width(), 0);
    for &float in &results {
        for class in [FpOp::IsNan, FpOp::IsInfinite, FpOp::IsZero, FpOp::IsSubnormal] {
            all.push(terms.fp(class(format), &[float]));
        }
        for compare in [FpOp::Eq, FpOp::Lt, FpOp::Le] {
            all.push(terms.fp(compare(format), &[float, x]));
            all.push(terms.fp(compare(format), &[zero, float]));
        }
    }
    let third = terms.constant(16, 0x3555);
    let half = terms.constant(16, 0x3800);
    for compare in [FpOp::Eq, FpOp::Lt, FpOp::Le] {
        for pair in [[wide_x, wide_y], [wide_x, half], [half, wide_y], [wide_x, third]] {
            all.push(terms.fp(compare(wide), &pair));
        }
    }
    all
}

#[test]
fn rules_for_floats_keep_every_value_of_small_formats() {
    for format in small_formats().filter(|format| format.width() <= 6) {
        let width = format.width();
        let (mut plain, mut rewritten) = (Terms::new(), Terms::new());
        plain.set_level(Level::Fold);
        let build = |terms: &mut Terms| {
            let (x, y) = (terms.input("x", Sort::Bits(width)), terms.input("y", Sort::Bits(width)));
            let mode = terms.input("mode", Sort::Bits(3));
            shapes(terms, format, mode, x, y)
        };
        let (expected, found) = (build(&mut plain), build(&mut rewritten));
        let input = |name: &str| plain.find_input(name).expect("an input");
        for a in 0..=mask(width) {
            for b in 0..=mask(width) {
                let mut model = Model::new();
                model.set(input("x"), Value::Bits(BitVec::new(width, a)));
                model.set(input("y"), Value::Bits(BitVec::new(width, b)));
                model.set(input("mode"), Value::Bits(BitVec::new(3, (a ^ b) % 5)));
                let mut plain_values = crate::Evaluator::new(&plain, &model);
                let mut values = crate::Evaluator::new(&rewritten, &model);
                for (&one, &other) in expected.iter().zip(&found) {
                    let is_equal = plain_values.value(one) == values.value(other);
                    assert!(is_equal, "{format:?} {a} {b}: {} is not {}", plain.display(one), rewritten.display(other));
                }
            }
        }
        let uses = |name: &str| rewritten.rule_uses().find(|(rule, _)| rule.name == name).map(|(_, uses)| uses);
        for (rule, _) in rewritten.rule_uses().filter(|(rule, _)| rule.name.starts_with("fp-")) {
            assert!(uses(rule.name) > Some(0), "{} was never used at {format:?}", rule.name);
        }
    }
}

#[test]
fn z3_computes_the_same_floats() {
    let mut rng = Rng::new(21);
    let mut script = String::new();
    let mut n_questions = 0;
    let formats = [FpFormat::HALF, FpFormat::SINGLE, FpFormat { exponent: 3, precision: 4, is_leading_stored: false }];
    for round in 0..240 {
        let format = formats[round % 3];
        let width = format.width();
        let mut terms = Terms::new();
        terms.set_level(Level::Fold);
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.input(name, Sort::Bits(width)));
        let mode = terms.input("mode", Sort::Bits(3));
        let operation = [
            FpOp::Add(format),
            FpOp::Mul(format),
            FpOp::Div(format),
            FpOp::Fma(format),
            FpOp::Sqrt(format),
            FpOp::RoundToIntegral(format),
            FpOp::FromSigned(format),
            FpOp::FromUnsigned(format),
            FpOp::Lt(format),
            FpOp::Le(format),
            FpOp::Eq(format),
            FpOp::IsSubnormal(format),
        ][rng.below(12)];
        let operands = if operation.has_rounding() { [mode, x, y, z] } else { [x, y, z, x] };
        let term = terms.fp(operation, &operands[..operation.arity()]);
        let mut model = Model::new();
        for input in [x, y, z] {
            let bits = random_float(&mut rng, format);
            model.set(terms.input_of(input), Value::Bits(BitVec::new(width, bits)));
        }
        model.set(terms.input_of(mode), Value::Bits(BitVec::new(3, rng.below(6) as u128)));
        let mut facts: Vec<Term> = Vec::new();
        for input in terms.inputs_of(&[term]) {
            let value = terms.constant_bits(model.get(input).expect("all have values").bits());
            let input = terms.input_term(input);
            facts.push(terms.eq(input, value));
        }
        let value = terms.eval(term, &model);
        let value = terms.constant_bits(value.bits());
        facts.push(terms.eq(term, value).negate_if(true));
        let question = terms.smtlib(&facts).expect("these operations are in SMT-LIB");
        script.push_str(&question.replace("(set-logic ALL)", "(reset)"));
        n_questions += 1;
    }
    let answers = crate::rules::proofs::z3(&script);
    assert_eq!(answers, vec!["unsat"; n_questions], "{script}");
}
