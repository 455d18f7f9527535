//! Constructors against arithmetic on machine numbers: all values at small widths, with every level of rewriting.

use super::{Checked, Signedness};
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Sort, Term};
use crate::rules::Level;
use crate::value::{Model, Value};

type Binary = (&'static str, fn(&mut Terms, Term, Term) -> Term, fn(u32, i64, i64) -> i64);

fn mask(width: u32) -> i64 {
    (1 << width) - 1
}

fn signed(width: u32, value: i64) -> i64 {
    value << (64 - width) >> (64 - width)
}

fn fits_signed(width: u32, value: i64) -> bool {
    signed(width, value) == value
}

/// Each operation and what it gives on unsigned values; the result is taken modulo its width.
const BINARY: &[Binary] = &[
    ("and", Terms::and, |_, a, b| a & b),
    ("or", Terms::or, |_, a, b| a | b),
    ("xor", Terms::xor, |_, a, b| a ^ b),
    ("implies", Terms::implies, |_, a, b| !a | b),
    ("add", Terms::add, |_, a, b| a + b),
    ("sub", Terms::sub, |_, a, b| a - b),
    ("mul", Terms::mul, |_, a, b| a * b),
    ("udiv", Terms::udiv, |_, a, b| a.checked_div(b).unwrap_or(-1)),
    ("urem", Terms::urem, |_, a, b| a.checked_rem(b).unwrap_or(a)),
    ("sdiv", Terms::sdiv, |width, a, b| {
        let (a, b) = (signed(width, a), signed(width, b));
        a.checked_div(b).unwrap_or(if a < 0 { 1 } else { -1 })
    }),
    ("srem", Terms::srem, |width, a, b| {
        let (a, b) = (signed(width, a), signed(width, b));
        a.checked_rem(b).unwrap_or(a)
    }),
    ("shl", Terms::shl, |width, a, b| if b < i64::from(width) { a << b } else { 0 }),
    ("lshr", Terms::lshr, |width, a, b| if b < i64::from(width) { a >> b } else { 0 }),
    ("ashr", Terms::ashr, |width, a, b| signed(width, a) >> b.min(63)),
    ("eq", Terms::eq, |_, a, b| i64::from(a == b)),
    ("ult", Terms::ult, |_, a, b| i64::from(a < b)),
    ("ule", Terms::ule, |_, a, b| i64::from(a <= b)),
    ("slt", Terms::slt, |width, a, b| i64::from(signed(width, a) < signed(width, b))),
    ("sle", Terms::sle, |width, a, b| i64::from(signed(width, a) <= signed(width, b))),
];

type CheckedBinary = (&'static str, fn(&mut Terms, Term, Term) -> Checked, fn(u32, i64, i64) -> bool);

/// Each checked operation and whether it is fine.
const CHECKED: &[CheckedBinary] = &[
    ("uadd", |t, a, b| t.checked_add(a, b, Signedness::Unsigned), |width, a, b| a + b <= mask(width)),
    ("usub", |t, a, b| t.checked_sub(a, b, Signedness::Unsigned), |_, a, b| a >= b),
    ("umul", |t, a, b| t.checked_mul(a, b, Signedness::Unsigned), |width, a, b| a * b <= mask(width)),
    (
        "sadd",
        |t, a, b| t.checked_add(a, b, Signedness::Signed),
        |width, a, b| fits_signed(width, signed(width, a) + signed(width, b)),
    ),
    (
        "ssub",
        |t, a, b| t.checked_sub(a, b, Signedness::Signed),
        |width, a, b| fits_signed(width, signed(width, a) - signed(width, b)),
    ),
    (
        "smul",
        |t, a, b| t.checked_mul(a, b, Signedness::Signed),
        |width, a, b| fits_signed(width, signed(width, a) * signed(width, b)),
    ),
    ("uneg", |t, a, _| t.checked_neg(a, Signedness::Unsigned), |_, a, _| a == 0),
    ("sneg", |t, a, _| t.checked_neg(a, Signedness::Signed), |width, a, _| fits_signed(width, -signed(width, a))),
    ("sdiv", Terms::checked_sdiv, |width, a, b| b == 0 || fits_signed(width, signed(width, a) / signed(width, b))),
    ("srem", Terms::checked_srem, |width, a, b| b == 0 || fits_signed(width, signed(width, a) / signed(width, b))),
    ("ushl", |t, a, b| t.checked_shl(a, b, Signedness::Unsigned), |width, a, b| a << b <= mask(width)),
    (
        "sshl",
        |t, a, b| t.checked_shl(a, b, Signedness::Signed),
        |width, a, b| fits_signed(width, signed(width, a) << b),
    ),
];

/// What a test makes of two terms and their values.
type Check<'a> = dyn FnMut(&mut Terms, &Model, [Term; 2], [i64; 2]) + 'a;

/// Every pair of values of a width, as inputs and as constants.
fn for_all_pairs(width: u32, level: Level, check: &mut Check) {
    let mut terms = Terms::new();
    terms.set_level(level);
    let (x, y) = (terms.input("x", Sort::Bits(width)), terms.input("y", Sort::Bits(width)));
    for a in 0..=mask(width) {
        for b in 0..=mask(width) {
            let mut model = Model::new();
            model.set(terms.input_of(x), Value::Bits(BitVec::new(width, a as u128)));
            model.set(terms.input_of(y), Value::Bits(BitVec::new(width, b as u128)));
            let (c, d) = (terms.constant(width, a as u128), terms.constant(width, b as u128));
            for pair in [[x, y], [c, y], [x, d], [c, d]] {
                check(&mut terms, &model, pair, [a, b]);
            }
        }
    }
}

const LEVELS: [Level; 3] = [Level::Fold, Level::Zero, Level::One];

fn number(terms: &Terms, term: Term, model: &Model) -> i64 {
    terms.eval(term, model).bits().to_u128().expect("a small number") as i64
}

#[test]
fn binary_operations_are_those_of_machine_numbers() {
    for level in LEVELS {
        for width in 1..=4 {
            for_all_pairs(width, level, &mut |terms, model, [left, right], [a, b]| {
                for (name, build, expected) in BINARY {
                    let term = build(terms, left, right);
                    let expected = expected(width, a, b) & mask(terms.width(term));
                    assert_eq!(number(terms, term, model), expected, "{name} of {a} and {b} at width {width}");
                }
            });
        }
    }
}

#[test]
fn overflow_is_found_exactly() {
    for level in LEVELS {
        for width in 1..=4 {
            for_all_pairs(width, level, &mut |terms, model, [left, right], [a, b]| {
                for (name, build, expected) in CHECKED {
                    let ok = build(terms, left, right).ok;
                    let expected = i64::from(expected(width, a, b));
                    assert_eq!(number(terms, ok, model), expected, "{name} of {a} and {b} at width {width}");
                }
            });
        }
    }
}

#[test]
fn constants_always_fold() {
    let mut terms = Terms::new();
    let (a, b) = (terms.constant(64, 1 << 40 | 12345), terms.constant(64, 677));
    for (name, build, _) in BINARY {
        let term = build(&mut terms, a, b);
        assert!(terms.is_constant(term), "{name}");
    }
    for (name, build, _) in CHECKED {
        let checked = build(&mut terms, a, b);
        assert!(terms.is_constant(checked.result) && terms.is_constant(checked.ok), "{name}");
    }
    for wide in
        [terms.zext(a, 300), terms.sext(a, 300), terms.concat(a, b), terms.clz(a), terms.ctz(a), terms.popcount(a)]
    {
        assert!(terms.is_constant(wide));
    }
}

#[test]
fn equal_products_are_equal_without_a_solver() {
    for width in [1, 8, 32, 64, 4096] {
        let mut terms = Terms::new();
        let (x, y) = (terms.input("x", Sort::Bits(width)), terms.input("y", Sort::Bits(width)));
        let (one, other) = (terms.mul(x, y), terms.mul(y, x));
        assert_eq!(terms.eq(one, other), Term::TRUE);
    }
}

#[test]
fn ite_takes_the_branch_of_its_condition() {
    for level in LEVELS {
        for width in 1..=3 {
            for_all_pairs(width, level, &mut |terms, model, [left, right], [a, b]| {
                let condition = terms.ult(left, right);
                for [then, otherwise] in [[left, right], [right, left]] {
                    let term = terms.ite(condition, then, otherwise);
                    let (then, otherwise) = (number(terms, then, model), number(terms, otherwise, model));
                    assert_eq!(number(terms, term, model), if a < b { then } else { otherwise });
                }
            });
        }
    }
}
