//! Tests of the circuits of floats: all operands and modes at formats of 4 to 6 bits against rustc_apfloat, and single
//! precision by chance against the hardware.

use rustc_apfloat::ieee::{Double, IeeeFloat, Semantics};
use rustc_apfloat::{Float, FloatConvert, Round};
use unpick_term::Rounding;

use super::*;
use crate::aig::Simulation;
use crate::blast::{Divider, Options};
use crate::solver::tests::Numbers;

macro_rules! formats {
    ($($name:ident: $exponent:literal, $precision:literal;)*) => {$(
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Semantics for $name {
            const BITS: usize = $exponent + $precision;
            const EXP_BITS: usize = $exponent;
        }
    )*};
}

formats! {
    E2P2: 2, 2;
    E2P3: 2, 3;
    E3P2: 3, 2;
    E2P4: 2, 4;
    E3P3: 3, 3;
}

fn format_of<S: Semantics>() -> FpFormat {
    let (exponent, precision) = (S::EXP_BITS, S::PRECISION);
    let small = |number: usize| u8::try_from(number).expect("formats should be small");
    FpFormat { exponent: small(exponent), precision: small(precision), is_leading_stored: false }
}

const MODES: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::Negative, Round::TowardNegative),
    (Rounding::Positive, Round::TowardPositive),
    (Rounding::Zero, Round::TowardZero),
    (Rounding::NearestAway, Round::NearestTiesToAway),
];

fn options() -> Options {
    // The relation has unknowns, which simulation cannot find.
    Options { divider: Divider::Restoring, ..Options::default() }
}

/// An operation's circuit, simulated on operands of these widths: the numbers of all results, for each row of operands.
fn simulated(operation: FpOp, widths: &[usize], result_width: usize, rows: &[Vec<u128>]) -> Vec<u128> {
    let mut blaster = Blaster::new(options());
    let args: Vec<Word> = widths.iter().map(|width| (0..*width).map(|_| blaster.aig.input()).collect()).collect();
    let result = blaster.float(operation, &args, result_width).expect("it should have a circuit");
    assert_eq!(result.len(), result_width, "{operation:?}");
    let mut results = Vec::new();
    for rows in rows.chunks(64) {
        let mut values: Vec<u64> = vec![0; widths.iter().sum()];
        for (at, row) in rows.iter().enumerate() {
            let bits = row.iter().zip(widths).flat_map(|(value, width)| (0..*width).map(move |bit| value >> bit & 1));
            for (input, bit) in bits.enumerate() {
                values[input] |= u64::from(bit == 1) << at;
            }
        }
        let mut simulation = Simulation::new();
        simulation.extend(&blaster.aig, &mut |number: u32| values[number as usize]);
        for at in 0..rows.len() {
            let bit = |edge: &Edge| u128::from(simulation.word(*edge) >> at & 1);
            results.push(result.iter().rev().fold(0, |number, edge| number << 1 | bit(edge)));
        }
    }
    results
}

/// All operands of some widths, the mode in front if wanted.
fn all_rows(widths: &[usize]) -> Vec<Vec<u128>> {
    widths.iter().fold(vec![Vec::new()], |rows, width| {
        let extend = |row: Vec<u128>| (0..1_u128 << width).map(move |value| [row.as_slice(), &[value]].concat());
        rows.into_iter().flat_map(extend).collect()
    })
}

fn mode(number: u128) -> Round {
    let wanted = Rounding::of_number(number);
    MODES.iter().find(|(mode, _)| *mode == wanted).expect("every mode should be listed").1
}

/// The result with our rule for NaNs.
fn bits_of<S: Semantics>(result: IeeeFloat<S>, args: &[u128]) -> u128 {
    let format = format_of::<S>();
    let quiet = 1 << (format.stored() - 1);
    let nan = args.iter().find(|arg| IeeeFloat::<S>::from_bits(**arg).is_nan());
    match (nan, result.is_nan()) {
        (Some(nan), _) => nan | quiet,
        (None, true) => ((1 << format.width()) - 1) & !(quiet - 1),
        (None, false) => result.to_bits(),
    }
}

/// An operation with a mode on all operands.
fn check<S: Semantics>(operation: FpOp, n_operands: usize, expected: impl Fn(Round, &[IeeeFloat<S>]) -> IeeeFloat<S>) {
    let widths = [vec![3], vec![S::BITS; n_operands]].concat();
    let rows = all_rows(&widths);
    let results = simulated(operation, &widths, S::BITS, &rows);
    for (row, result) in rows.iter().zip(results) {
        let floats: Vec<IeeeFloat<S>> = row[1..].iter().map(|bits| IeeeFloat::from_bits(*bits)).collect();
        let expected = bits_of(expected(mode(row[0]), &floats), &row[1..]);
        assert_eq!(result, expected, "{operation:?} on {row:?}: {floats:?}");
    }
}

/// A function of doubles on a small float. Rounding twice does no harm: no root is that close to a number of a small
/// format, and integral values are exact.
fn by_double<S: Semantics>(mode: Round, number: IeeeFloat<S>, function: impl Fn(f64) -> f64) -> IeeeFloat<S>
where
    IeeeFloat<S>: FloatConvert<Double>,
    Double: FloatConvert<IeeeFloat<S>>,
{
    let mut is_inexact = false;
    let double: Double = number.convert(&mut is_inexact).value;
    let result = function(f64::from_bits(u64::try_from(double.to_bits()).expect("doubles have 64 bits")));
    Double::from_bits(result.to_bits().into()).convert_r(mode, &mut is_inexact).value
}

/// rustc_apfloat adds a power of two that formats with two bits of exponent do not have.
fn to_integral(mode: Round) -> fn(f64) -> f64 {
    match mode {
        Round::NearestTiesToEven => f64::round_ties_even,
        Round::TowardNegative => f64::floor,
        Round::TowardPositive => f64::ceil,
        Round::TowardZero => f64::trunc,
        Round::NearestTiesToAway => f64::round,
    }
}

fn check_arithmetic<S: Semantics>()
where
    IeeeFloat<S>: FloatConvert<Double>,
    Double: FloatConvert<IeeeFloat<S>>,
{
    let format = format_of::<S>();
    check::<S>(FpOp::Add(format), 2, |mode, args| args[0].add_r(args[1], mode).value);
    check::<S>(FpOp::Mul(format), 2, |mode, args| args[0].mul_r(args[1], mode).value);
    check::<S>(FpOp::Div(format), 2, |mode, args| args[0].div_r(args[1], mode).value);
    check::<S>(FpOp::Sqrt(format), 1, |mode, args| by_double(mode, args[0], f64::sqrt));
    check::<S>(FpOp::RoundToIntegral(format), 1, |mode, args| by_double(mode, args[0], to_integral(mode)));
}

#[test]
fn arithmetic_is_right_at_small_formats() {
    check_arithmetic::<E2P2>();
    check_arithmetic::<E2P3>();
    check_arithmetic::<E3P2>();
    check_arithmetic::<E2P4>();
    check_arithmetic::<E3P3>();
}

#[test]
fn fused_products_are_right_at_small_formats() {
    fn check_fused<S: Semantics>() {
        check::<S>(FpOp::Fma(format_of::<S>()), 3, |mode, args| args[0].mul_add_r(args[1], args[2], mode).value);
    }
    check_fused::<E2P2>();
    check_fused::<E2P3>();
    check_fused::<E3P2>();
}

#[test]
fn comparisons_and_classes_are_right_at_small_formats() {
    fn check_predicates<S: Semantics>() {
        let format = format_of::<S>();
        type Predicate<S> = fn(IeeeFloat<S>, IeeeFloat<S>) -> bool;
        let predicates: [(FpOp, usize, Predicate<S>); 7] = [
            (FpOp::Eq(format), 2, |a, b| a == b),
            (FpOp::Lt(format), 2, |a, b| a < b),
            (FpOp::Le(format), 2, |a, b| a <= b),
            (FpOp::IsNan(format), 1, |a, _| a.is_nan()),
            (FpOp::IsInfinite(format), 1, |a, _| a.is_infinite()),
            (FpOp::IsZero(format), 1, |a, _| a.is_zero()),
            (FpOp::IsSubnormal(format), 1, |a, _| a.is_denormal()),
        ];
        for (operation, n_operands, expected) in predicates {
            let widths = vec![S::BITS; n_operands];
            let rows = all_rows(&widths);
            for (row, result) in rows.iter().zip(simulated(operation, &widths, 1, &rows)) {
                let float = |at: usize| IeeeFloat::<S>::from_bits(row[at.min(n_operands - 1)]);
                assert_eq!(result == 1, expected(float(0), float(1)), "{operation:?} on {row:?}");
            }
        }
    }
    check_predicates::<E2P3>();
    check_predicates::<E3P3>();
}

#[test]
fn conversions_are_right_at_small_formats() {
    fn check_formats<S: Semantics, T: Semantics>()
    where
        IeeeFloat<S>: FloatConvert<IeeeFloat<T>>,
    {
        let (from, to) = (format_of::<S>(), format_of::<T>());
        let rows = all_rows(&[3, S::BITS]);
        let results = simulated(FpOp::Convert { from, to }, &[3, S::BITS], T::BITS, &rows);
        for (row, result) in rows.iter().zip(results) {
            let float = IeeeFloat::<S>::from_bits(row[1]);
            let expected: IeeeFloat<T> = float.convert_r(mode(row[0]), &mut false).value;
            if expected.is_nan() {
                assert!(IeeeFloat::<T>::from_bits(result).is_nan() && result >> (to.stored() - 1) & 1 == 1);
                assert_eq!(result >> (T::BITS - 1), row[1] >> (S::BITS - 1), "the sign of {row:?}");
            } else {
                assert_eq!(result, expected.to_bits(), "{row:?} from {from:?} to {to:?}");
            }
        }
    }
    check_formats::<E3P3, E2P2>();
    check_formats::<E2P2, E3P3>();
    check_formats::<E2P4, E3P2>();
    check_formats::<E3P2, E2P4>();
}

#[test]
fn integers_are_converted_right_at_small_formats() {
    fn check_integers<S: Semantics>(width: usize) {
        let format = format_of::<S>();
        let least = 1_u128 << (width - 1);
        let rows = all_rows(&[3, S::BITS]);
        let small = u8::try_from(width).expect("widths should be small");
        for is_signed in [false, true] {
            let (operation, fits) = match is_signed {
                true => (FpOp::ToSigned(format), FpOp::FitsSigned { from: format, width: small }),
                false => (FpOp::ToUnsigned(format), FpOp::FitsUnsigned { from: format, width: small }),
            };
            let results = simulated(operation, &[3, S::BITS], width, &rows);
            let all_fit = simulated(fits, &[3, S::BITS], 1, &rows);
            for ((row, result), fits) in rows.iter().zip(results).zip(all_fit) {
                let float = IeeeFloat::<S>::from_bits(row[1]);
                let wide = float.to_i128_r(128, mode(row[0]), &mut false).value;
                let range = if is_signed { -(least as i128)..least as i128 } else { 0..2 * least as i128 };
                let does_fit = !float.is_nan() && !float.is_infinite() && range.contains(&wide);
                let otherwise = if is_signed { least } else { 2 * least - 1 };
                let expected = if does_fit { wide as u128 & (2 * least - 1) } else { otherwise };
                assert_eq!((result, fits == 1), (expected, does_fit), "{operation:?} on {row:?}: {float:?}");
            }
            let operation = if is_signed { FpOp::FromSigned(format) } else { FpOp::FromUnsigned(format) };
            let rows = all_rows(&[3, width]);
            for (row, result) in rows.iter().zip(simulated(operation, &[3, width], S::BITS, &rows)) {
                let signed =
                    if is_signed && row[1] >= least { row[1] as i128 - 2 * least as i128 } else { row[1] as i128 };
                let expected = IeeeFloat::<S>::from_i128_r(signed, mode(row[0])).value;
                assert_eq!(result, expected.to_bits(), "{operation:?} on {row:?}");
            }
        }
    }
    for width in [1, 2, 3, 5] {
        check_integers::<E2P3>(width);
        check_integers::<E3P3>(width);
        check_integers::<E2P4>(width);
    }
}

/// Operands at the edges of single precision, and by chance.
fn singles(numbers: &mut Numbers) -> u32 {
    let random = u32::try_from(numbers.next() >> 32).expect("32 bits are left");
    match numbers.below(8) {
        0 => [0, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0001][numbers.below(8)],
        1 => random & 0x807f_ffff,
        // Exponents near each other.
        2..=4 => random & 0x81ff_ffff | 0x3e00_0000,
        _ => random,
    }
}

#[test]
fn single_precision_is_that_of_the_hardware() {
    let mut numbers = Numbers::new(77);
    let rows: Vec<Vec<u128>> =
        (0..20_000).map(|_| [0].into_iter().chain((0..3).map(|_| singles(&mut numbers).into())).collect()).collect();
    let single = FpFormat::SINGLE;
    type Hardware = fn(f32, f32, f32) -> f32;
    let operations: [(FpOp, usize, Hardware); 6] = [
        (FpOp::Add(single), 2, |a, b, _| a + b),
        (FpOp::Mul(single), 2, |a, b, _| a * b),
        (FpOp::Div(single), 2, |a, b, _| a / b),
        (FpOp::Sqrt(single), 1, |a, _, _| a.sqrt()),
        (FpOp::Fma(single), 3, f32::mul_add),
        (FpOp::RoundToIntegral(single), 1, |a, _, _| a.round_ties_even()),
    ];
    for (operation, n_operands, hardware) in operations {
        let rows: Vec<Vec<u128>> = rows.iter().map(|row| row[..=n_operands].to_vec()).collect();
        let widths = [vec![3], vec![32; n_operands]].concat();
        for (row, result) in rows.iter().zip(simulated(operation, &widths, 32, &rows)) {
            let float = |at: usize| f32::from_bits(u32::try_from(row[at.min(n_operands)]).expect("32 bits"));
            let expected = hardware(float(1), float(2), float(3));
            // The sign and the payload of a NaN are not those of the hardware's scalar instructions only in Rust's folding.
            let is_right = if expected.is_nan() {
                f32::from_bits(u32::try_from(result).expect("32 bits")).is_nan()
            } else {
                result == expected.to_bits().into()
            };
            assert!(is_right, "{operation:?} on {row:x?}: {result:x}, not {:x}", expected.to_bits());
        }
    }
}

#[test]
fn a_sticky_shift_keeps_what_was_lost_in_the_lowest_bit() {
    let mut aig = Aig::new();
    let word = [Edge::TRUE, Edge::FALSE, Edge::FALSE, Edge::TRUE];
    let by = |aig: &mut Aig, amount: i32| round::shifted_sticky(aig, &word, &unpack::constant(amount, 4));
    assert_eq!(by(&mut aig, 1), [Edge::TRUE, Edge::FALSE, Edge::TRUE, Edge::FALSE]);
    assert_eq!(by(&mut aig, 7), [Edge::TRUE, Edge::FALSE, Edge::FALSE, Edge::FALSE]);
}

/// Bits by chance whose exponents are often near each other, at an end, or those of integers.
fn float_by_chance(numbers: &mut Numbers, format: FpFormat) -> u128 {
    let (stored, width) = (format.stored(), format.width());
    let random = u128::from(numbers.next()) << 64 | u128::from(numbers.next());
    let fraction = [random, random & 3, !(random & 3), 0, 1 << (random % u128::from(stored))][numbers.below(5)];
    let largest = (1_u128 << format.exponent) - 1;
    let near = u128::try_from(format.bias()).expect("biases are positive") + random % 8;
    let exponent = [near, near + u128::from(stored), random & largest, 0, 1, largest][numbers.below(6)].min(largest);
    let sign = u128::from(numbers.next() >> 32 & 1);
    sign << (width - 1) | exponent << stored | fraction & ((1 << stored) - 1)
}

/// All operations at all sizes of machines against the evaluator of terms.
#[test]
fn circuits_of_machine_formats_are_what_the_evaluator_says() {
    use FpOp::{
        Add, Convert, Div, Eq, FitsSigned, FitsUnsigned, Fma, FromSigned, FromUnsigned, IsSubnormal, Le, Lt, Mul,
    };
    use FpOp::{RoundToIntegral, Sqrt, ToSigned, ToUnsigned};
    use unpick_term::{BitVec, Terms};
    let mut numbers = Numbers::new(5);
    for (format, other) in [
        (FpFormat::HALF, FpFormat::SINGLE),
        (FpFormat::SINGLE, FpFormat::DOUBLE),
        (FpFormat::DOUBLE, FpFormat::HALF),
        (FpFormat::DOUBLE, FpFormat::SINGLE),
    ] {
        let fits = (FitsSigned { from: format, width: 32 }, FitsUnsigned { from: format, width: 64 });
        let operations = [Add(format), Mul(format), Div(format), Fma(format), Sqrt(format), RoundToIntegral(format)]
            .into_iter()
            .chain([Eq(format), Lt(format), Le(format), IsSubnormal(format), Convert { from: format, to: other }])
            .chain([FromUnsigned(format), FromSigned(format), ToUnsigned(format), ToSigned(format), fits.0, fits.1]);
        for operation in operations {
            let is_from_integer = matches!(operation, FromUnsigned(_) | FromSigned(_));
            let is_to_integer = matches!(operation, ToUnsigned(_) | ToSigned(_));
            let n_modes = usize::from(operation.has_rounding());
            let operand_width = if is_from_integer { 64 } else { format.width() };
            let mut widths = vec![operand_width as usize; operation.arity()];
            widths[..n_modes].fill(3);
            let mut row = || -> Vec<u128> {
                let mut operand = |width: &usize| match width {
                    3 => u128::from(numbers.next() >> 32 & 7),
                    _ if is_from_integer => u128::from(numbers.next() >> numbers.below(64)),
                    _ => float_by_chance(&mut numbers, format),
                };
                widths.iter().map(&mut operand).collect()
            };
            let rows: Vec<Vec<u128>> = (0..640).map(|_| row()).collect();
            let mut terms = Terms::new();
            let expected: Vec<BitVec> = rows
                .iter()
                .map(|row| {
                    let width = |width: usize| u32::try_from(width).expect("small");
                    let args: Vec<_> =
                        row.iter().zip(&widths).map(|(value, bits)| terms.constant(width(*bits), *value)).collect();
                    let term = match operation {
                        ToUnsigned(_) => terms.fp_to_unsigned(format, 32, args[0], args[1]),
                        ToSigned(_) => terms.fp_to_signed(format, 32, args[0], args[1]),
                        _ => terms.fp(operation, &args),
                    };
                    terms.constant_value(term).expect("constants should be folded")
                })
                .collect();
            let width = if is_to_integer { 32 } else { expected[0].width() as usize };
            let results = simulated(operation, &widths, width, &rows);
            for ((row, result), expected) in rows.iter().zip(results).zip(expected) {
                assert_eq!(Some(result), expected.to_u128(), "{operation:?} on {row:x?}");
            }
        }
    }
}
