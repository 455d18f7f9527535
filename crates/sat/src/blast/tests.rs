//! Tests of the circuits: against the evaluator of terms by simulation, exhaustively at small widths, and how large they are.

use unpick_term::{Assignment, Evaluator, Model, Signedness, Value};

use super::*;
use crate::aig::Simulation;
use crate::solver::tests::Numbers;

type Binary = fn(&mut Terms, Term, Term) -> Term;

/// Every operation on bit-vectors, of two operands of one width; those that take one ignore the second.
pub(crate) const OPERATIONS: &[(&str, Binary)] = &[
    ("not", |t, a, _| t.not(a)),
    ("and", |t, a, b| t.and(a, b)),
    ("or", |t, a, b| t.or(a, b)),
    ("xor", |t, a, b| t.xor(a, b)),
    ("neg", |t, a, _| t.neg(a)),
    ("add", |t, a, b| t.add(a, b)),
    ("sub", |t, a, b| t.sub(a, b)),
    ("mul", |t, a, b| t.mul(a, b)),
    ("square", |t, a, _| t.mul(a, a)),
    ("umul overflow", |t, a, b| t.checked_mul(a, b, Signedness::Unsigned).ok),
    ("smul overflow", |t, a, b| t.checked_mul(a, b, Signedness::Signed).ok),
    ("square overflow", |t, a, _| t.checked_mul(a, a, Signedness::Signed).ok),
    ("udiv", |t, a, b| t.udiv(a, b)),
    ("urem", |t, a, b| t.urem(a, b)),
    ("sdiv", |t, a, b| t.sdiv(a, b)),
    ("srem", |t, a, b| t.srem(a, b)),
    ("shl", |t, a, b| t.shl(a, b)),
    ("lshr", |t, a, b| t.lshr(a, b)),
    ("ashr", |t, a, b| t.ashr(a, b)),
    ("eq", |t, a, b| t.eq(a, b)),
    ("ult", |t, a, b| t.ult(a, b)),
    ("slt", |t, a, b| t.slt(a, b)),
    ("ite", |t, a, b| {
        let condition = t.bit(b, 0);
        t.ite(condition, a, b)
    }),
    ("concat", |t, a, b| t.concat(a, b)),
    ("extract", |t, a, _| {
        let width = t.width(a);
        t.extract(a, width - 1, width / 2)
    }),
    ("zext", |t, a, _| {
        let width = t.width(a);
        t.zext(a, width + 3)
    }),
    ("sext", |t, a, _| {
        let width = t.width(a);
        t.sext(a, width + 3)
    }),
    ("clz", |t, a, _| t.clz(a)),
    ("ctz", |t, a, _| t.ctz(a)),
    ("popcount", |t, a, _| t.popcount(a)),
    ("times constants", |t, a, b| {
        let width = t.width(a);
        let (mut sum, mut factor) = (b, 1_u128);
        for number in 0..6 {
            factor = factor.wrapping_mul(7 + number) ^ number << (width / 2);
            let constant = t.constant(width, factor);
            let product = t.mul(a, constant);
            sum = t.xor(sum, product);
        }
        sum
    }),
];

pub(crate) fn options() -> Vec<Options> {
    let mut all = Vec::new();
    for multiplier in [Multiplier::Array, Multiplier::Tree] {
        for divider in [Divider::Restoring, Divider::Relation] {
            all.push(Options { multiplier, divider, ..Options::default() });
        }
    }
    all
}

/// Values of the graph's inputs under an assignment of the terms' inputs; unknowns of definitions are tried out.
struct Patterns<'a> {
    terms: &'a Terms,
    blaster: &'a Blaster,
    assignments: &'a [Model],
}

impl Patterns<'_> {
    /// Sixty-four values of each input of the graph that belongs to a term.
    fn inputs(&self) -> Map<u32, u64> {
        let mut words: Map<u32, u64> = Map::default();
        for (id, word) in &self.blaster.inputs {
            let sort = self.terms.sort(self.terms.input_term(*id));
            for (at, model) in self.assignments.iter().enumerate() {
                let value = model.value(*id, sort);
                for (position, edge) in (0..).zip(word) {
                    let crate::aig::Gate::Input(number) = self.blaster.aig.gate(edge.node()) else { unreachable!() };
                    *words.entry(number).or_default() |= u64::from(value.bits().bit(position)) << at;
                }
            }
        }
        words
    }
}

/// The numbers of a word, one per pattern.
fn numbers(simulation: &Simulation, word: &[Edge], n_patterns: usize) -> Vec<u128> {
    let number = |at: usize| {
        word.iter().rev().fold(0, |number, edge| number << 1 | u128::from(simulation.word(*edge) >> at & 1))
    };
    (0..n_patterns).map(number).collect()
}

/// Two inputs with all pairs of values, in blocks.
fn all_pairs(terms: &mut Terms, width: u32) -> (Term, Term, Vec<Vec<Model>>) {
    let (a, b) = (terms.input("a", Sort::Bits(width)), terms.input("b", Sort::Bits(width)));
    let models: Vec<Model> =
        (0..1_u128 << (2 * width)).map(|pair| model(terms, &[(a, pair), (b, pair >> width)])).collect();
    (a, b, models.chunks(64).map(<[Model]>::to_vec).collect())
}

fn model(terms: &Terms, values: &[(Term, u128)]) -> Model {
    let mut model = Model::new();
    for (term, value) in values {
        model.set(terms.input_of(*term), Value::Bits(unpick_term::BitVec::new(terms.width(*term), *value)));
    }
    model
}

/// Compares a circuit with the evaluator. Where it has unknowns, exactly one assignment of them fits the definitions, and
/// with that the results are the same.
fn compare(terms: &Terms, term: Term, options: Options, blocks: &[Vec<Model>], what: &str) {
    let mut blaster = Blaster::new(options);
    let word = blaster.word(terms, term).expect("the circuit should fit");
    let aig = &blaster.aig;
    let unknown: Vec<u32> = blaster
        .definitions
        .iter()
        .flat_map(|definition| &definition.defined)
        .map(|node| match aig.gate(*node) {
            crate::aig::Gate::Input(number) => number,
            gate => panic!("{gate:?} should be an input"),
        })
        .collect();
    for models in blocks {
        let patterns = Patterns { terms, blaster: &blaster, assignments: models };
        let inputs = patterns.inputs();
        let expected: Vec<u128> = models.iter().map(|model| Evaluator::new(terms, model).number(term)).collect();
        let mut n_fitting = vec![0; models.len()];
        for candidate in 0..1_u64 << unknown.len() {
            let mut simulation = Simulation::new();
            simulation.extend(aig, &mut |number: u32| match unknown.iter().position(|one| *one == number) {
                Some(position) => 0_u64.wrapping_sub(candidate >> position & 1),
                None => inputs.get(&number).copied().unwrap_or(0),
            });
            let fits = blaster.definitions.iter().fold(u64::MAX, |all, one| all & simulation.word(one.holds));
            for (at, number) in numbers(&simulation, &word, models.len()).into_iter().enumerate() {
                if fits >> at & 1 == 1 {
                    n_fitting[at] += 1;
                    assert_eq!(number, expected[at], "{what}, {options:?}: {:?}", models[at]);
                }
            }
        }
        assert!(n_fitting.iter().all(|count| *count == 1), "{what}, {options:?}: {n_fitting:?}");
    }
}

#[test]
fn every_operation_is_right_on_all_operands_of_up_to_four_bits() {
    for width in 1..=4 {
        let mut terms = Terms::new();
        let (a, b, blocks) = all_pairs(&mut terms, width);
        for (name, operation) in OPERATIONS {
            let term = operation(&mut terms, a, b);
            // The relation has eight unknowns at four bits, and signed division has more of them.
            let has_unknowns = name.ends_with("div") || name.ends_with("rem");
            for options in options() {
                if has_unknowns && options.divider == Divider::Relation && width == 4 {
                    continue;
                }
                compare(&terms, term, options, &blocks, &format!("{name} at {width} bits"));
            }
        }
    }
}

#[test]
fn divisions_by_constants_are_right() {
    for divisor in 0..16 {
        let mut terms = Terms::new();
        let (a, _, blocks) = all_pairs(&mut terms, 4);
        let divisor_term = terms.constant(4, divisor);
        let (quotient, rest) = (terms.udiv(a, divisor_term), terms.urem(a, divisor_term));
        let both = terms.concat(quotient, rest);
        compare(&terms, both, Options::default(), &blocks, &format!("by {divisor}"));
    }
}

#[test]
fn divisions_by_narrow_numbers_are_right() {
    for (narrow, shift, known) in
        [(1, 0, 0), (2, 0, 0), (2, 1, 0), (3, 0, 0), (1, 0, 4), (2, 0, 4), (1, 1, 1), (2, 0, 1), (1, 3, 0)]
    {
        let mut terms = Terms::new();
        let (a, b, blocks) = all_pairs(&mut terms, 4);
        let low = terms.extract(b, narrow - 1, 0);
        let wide = terms.zext(low, 4);
        let by = terms.constant(4, shift);
        let divisor = terms.shl(wide, by);
        // Some bits known to be set, others open.
        let known = terms.constant(4, known);
        let divisor = terms.or(divisor, known);
        let (quotient, rest) = (terms.udiv(a, divisor), terms.urem(a, divisor));
        let both = terms.concat(quotient, rest);
        let what = format!("by {narrow} bits, shifted by {shift}");
        compare(&terms, both, Options::default(), &blocks, &what);
    }
}

/// Wide operands by chance, with many zeros and ones among their bits.
fn chance(numbers: &mut Numbers, width: u32) -> u128 {
    let random = u128::from(numbers.next()) << 64 | u128::from(numbers.next());
    match numbers.below(6) {
        0 => random & 7,
        1 => !(random & 7),
        2 => 1 << (random % u128::from(width)),
        3 => (1 << (random % u128::from(width))) - 1,
        _ => random,
    }
}

#[test]
fn every_operation_is_right_on_wide_operands_by_chance() {
    let mut numbers = Numbers::new(11);
    for width in [5, 8, 13, 32, 63] {
        let mut terms = Terms::new();
        let (a, b) = (terms.input("a", Sort::Bits(width)), terms.input("b", Sort::Bits(width)));
        let models: Vec<Model> = (0..64)
            .map(|_| model(&terms, &[(a, chance(&mut numbers, width)), (b, chance(&mut numbers, width))]))
            .collect();
        for (name, operation) in OPERATIONS {
            let term = operation(&mut terms, a, b);
            for options in options().into_iter().filter(|options| options.divider == Divider::Restoring) {
                compare(&terms, term, options, std::slice::from_ref(&models), &format!("{name} at {width} bits"));
            }
        }
    }
}

/// How many conjunctions a term has.
fn n_gates(build: impl Fn(&mut Terms, Term, Term) -> Term, options: Options) -> usize {
    let mut terms = Terms::new();
    let (a, b) = (terms.input("a", Sort::Bits(32)), terms.input("b", Sort::Bits(32)));
    let term = build(&mut terms, a, b);
    let mut blaster = Blaster::new(options);
    let word = blaster.word(&terms, term).expect("it should fit");
    blaster.aig.cone(&word).iter().filter(|node| blaster.aig.operands(**node).is_some()).count()
}

/// The references are the sizes of STP's circuits (stp#771); ours may be a tenth larger at most.
#[test]
fn circuits_are_no_larger_than_the_references() {
    for options in options() {
        let less = n_gates(|terms, a, b| terms.ult(a, b), options);
        assert!(less <= 191 * 11 / 10, "`<` has {less} gates");
        let overflow = n_gates(|terms, a, b| terms.checked_mul(a, b, Signedness::Unsigned).ok, options);
        assert!(overflow <= 11_743 * 11 / 10, "the overflow of a product has {overflow} gates");
    }
}

#[test]
fn equal_terms_are_equal_circuits() {
    let mut terms = Terms::new();
    let (a, b) = (terms.input("a", Sort::Bits(64)), terms.input("b", Sort::Bits(64)));
    let (product, swapped) = (terms.mul(a, b), terms.mul(b, a));
    let equal = terms.eq(product, swapped);
    assert_eq!(Blaster::new(Options::default()).edge(&terms, equal), Ok(Edge::TRUE));
}

#[test]
fn a_graph_that_would_be_too_large_is_refused_before_it_is_built() {
    let mut terms = Terms::new();
    let (a, b) = (terms.input("a", Sort::Bits(4096)), terms.input("b", Sort::Bits(4096)));
    let product = terms.mul(a, b);
    let mut blaster = Blaster::new(Options { max_nodes: 1_000_000, ..Options::default() });
    assert_eq!(blaster.word(&terms, product), Err(Unfinished::Size));
    assert!(blaster.aig.len() < 100_000);
    assert!(blaster.word(&terms, a).is_ok(), "what is smaller still goes");
}
