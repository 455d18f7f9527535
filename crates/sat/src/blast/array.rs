//! Reads of arrays: through few writes by multiplexers, through many by lemmas on demand (Brummayer and Biere 2009).
//!
//! A read of an unknown array, or of one with many writes, is an unknown element. Which element it must be is found out in
//! a model: the read is followed through the writes with the model's indices to what defines it, and if that differs, the
//! lemma "under the comparisons on this way both are equal" is added. Lemmas hold in every model. Two reads of one unknown
//! array at equal indices are equal by the same rule (congruence; Ackermann 1954). Arrays are never compared with each
//! other, so there is no extensionality.

use unpick_term::{ArrayValue, BitVec, InputId, Op, Term, Terms};

use super::{Blaster, Map, Word, add, choose};
use crate::aig::{Edge, Simulation};

/// Reads go through at most so many array operations by multiplexers.
const MAX_EAGER: u32 = 64;
/// Lemmas that are added before the search goes on.
const MAX_LEMMAS: usize = 64;

/// An unknown element.
struct Read {
    array: Term,
    index: Word,
    element: Word,
}

/// What was read.
#[derive(Default)]
pub struct Reads {
    reads: Vec<Read>,
    /// Element by array and index, with the unknown elements it depends on.
    known: Map<(Term, Word), (Word, Vec<u32>)>,
    /// Unknown elements that a `Select` depends on.
    of_select: Map<Term, Vec<u32>>,
    /// How many array operations a read goes through.
    weights: Map<Term, u32>,
}

impl Reads {
    /// How many unknown elements there are.
    pub fn len(&self) -> usize {
        self.reads.len()
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    /// The unknown elements that terms depend on, by number.
    pub(crate) fn relevant(&self, cone: &[Term]) -> Vec<u32> {
        let mut relevant: Vec<u32> =
            cone.iter().filter_map(|term| self.of_select.get(term)).flatten().copied().collect();
        relevant.sort_unstable();
        relevant.dedup();
        relevant
    }

    /// Notes how many operations lie below an array, which were met before.
    pub(super) fn weigh(&mut self, terms: &Terms, array: Term) {
        let below = terms.args(array).into_iter().filter_map(|arg| self.weights.get(&arg));
        let weight = below.fold(1, |sum: u32, weight| sum.saturating_add(*weight));
        self.weights.insert(array, weight);
    }
}

/// Where following a read ends.
enum End {
    /// In an element that somebody wrote.
    Written(Word),
    /// In an array that is unknown.
    Unknown(InputId),
}

/// A read followed in a model.
struct Way {
    /// What holds on it.
    conditions: Vec<Edge>,
    index: Word,
    end: End,
}

impl Blaster {
    /// The element that a `Select` reads.
    pub(super) fn select(&mut self, terms: &Terms, select: Term, array: Term, index: &Word) -> Word {
        let (word, unknown) = self.read(terms, array, index);
        self.reads.of_select.insert(select, unknown);
        word
    }

    fn read(&mut self, terms: &Terms, array: Term, index: &Word) -> (Word, Vec<u32>) {
        let key = (array, index.clone());
        if let Some(known) = self.reads.known.get(&key) {
            return known.clone();
        }
        let is_eager = self.reads.weights.get(&array).is_some_and(|weight| *weight <= MAX_EAGER);
        let result = match terms.op(array) {
            op if op == Op::Input || !is_eager => self.unknown_element(terms, array, index),
            _ => self.read_through(terms, array, index),
        };
        self.reads.known.insert(key, result.clone());
        result
    }

    fn unknown_element(&mut self, terms: &Terms, array: Term, index: &Word) -> (Word, Vec<u32>) {
        let (_, width) = terms.array_widths(array);
        let element: Word = (0..width).map(|_| self.aig.input()).collect();
        let number = u32::try_from(self.reads.len()).expect("reads should be fewer than edges");
        self.reads.reads.push(Read { array, index: index.clone(), element: element.clone() });
        (element, vec![number])
    }

    /// Reads through one operation.
    fn read_through(&mut self, terms: &Terms, array: Term, index: &Word) -> (Word, Vec<u32>) {
        let args = terms.args(array);
        if terms.op(array) == Op::ConstArray {
            return (self.known(terms, args[0]), Vec::new());
        }
        let condition = self.condition(terms, array, index);
        let side = |blaster: &mut Blaster, is_inside: bool| match blaster.step(terms, array, index, is_inside) {
            Step::Element(word) => (word, Vec::new()),
            Step::Array(array, index) => blaster.read(terms, array, &index),
        };
        match condition.value() {
            Some(is_inside) => side(self, is_inside),
            None => {
                let ((yes, mut unknown), (no, others)) = (side(self, true), side(self, false));
                unknown.extend(others);
                (choose(&mut self.aig, condition, &yes, &no), unknown)
            }
        }
    }

    /// Whether a read at an index ends in what the operation itself says: in the range written, or in the first branch.
    fn condition(&mut self, terms: &Terms, array: Term, index: &Word) -> Edge {
        let args = terms.args(array);
        match terms.op(array) {
            Op::Store => {
                let written = self.known(terms, args[1]);
                add::equal(&mut self.aig, index, &written)
            }
            Op::Ite => self.known(terms, args[0])[0],
            Op::Fill => self.is_in_range(terms, index, args[1], args[2]),
            Op::Copy => self.is_in_range(terms, index, args[1], args[4]),
            op => unreachable!("{op:?} should have no condition"),
        }
    }

    fn is_in_range(&mut self, terms: &Terms, index: &Word, start: Term, length: Term) -> Edge {
        let (start, length) = (self.known(terms, start), self.known(terms, length));
        let offset = add::subtract(&mut self.aig, index, &start);
        add::less(&mut self.aig, &offset, &length)
    }

    /// Where a read goes on behind an operation.
    fn step(&mut self, terms: &Terms, array: Term, index: &Word, is_inside: bool) -> Step {
        let args = terms.args(array);
        match (terms.op(array), is_inside) {
            (Op::Store, true) => Step::Element(self.known(terms, args[2])),
            (Op::Fill, true) => Step::Element(self.known(terms, args[3])),
            (Op::Ite, true) => Step::Array(args[1], index.clone()),
            (Op::Ite, false) => Step::Array(args[2], index.clone()),
            (Op::Copy, true) => {
                let (start, source_start) = (self.known(terms, args[1]), self.known(terms, args[3]));
                let offset = add::subtract(&mut self.aig, index, &start);
                Step::Array(args[2], add::add(&mut self.aig, &source_start, &offset, Edge::FALSE).0)
            }
            (_, _) => Step::Array(args[0], index.clone()),
        }
    }

    /// Lemmas that a model breaks, among the reads that matter; at most so many that the search goes on soon.
    pub(crate) fn broken_lemmas(&mut self, terms: &Terms, relevant: &[u32], model: &mut BitModel<'_>) -> Vec<Edge> {
        let mut lemmas = Vec::new();
        let mut at_unknown: Map<(InputId, BitVec), u32> = Map::default();
        for number in relevant {
            if lemmas.len() == MAX_LEMMAS {
                break;
            }
            let way = self.follow(terms, *number, model);
            let element = self.reads.reads[*number as usize].element.clone();
            let (same, mut conditions) = match way.end {
                End::Written(word) => (word, way.conditions),
                End::Unknown(input) => {
                    let index = model.value(&self.aig, &way.index);
                    let first = *at_unknown.entry((input, index)).or_insert(*number);
                    let other = self.reads.reads[first as usize].element.clone();
                    if first == *number || model.value(&self.aig, &other) == model.value(&self.aig, &element) {
                        continue;
                    }
                    let other_way = self.follow(terms, first, model);
                    let is_same_place = add::equal(&mut self.aig, &way.index, &other_way.index);
                    (other, [way.conditions, other_way.conditions, vec![is_same_place]].concat())
                }
            };
            if model.value(&self.aig, &same) == model.value(&self.aig, &element) {
                continue;
            }
            conditions.sort_unstable();
            conditions.dedup();
            let is_on_way = self.aig.and_all(&conditions);
            let is_equal = add::equal(&mut self.aig, &same, &element);
            lemmas.push(self.aig.or(!is_on_way, is_equal));
        }
        lemmas
    }

    /// Follows a read through the writes, with the indices that a model has.
    fn follow(&mut self, terms: &Terms, number: u32, model: &mut BitModel<'_>) -> Way {
        let read = &self.reads.reads[number as usize];
        let (mut array, mut index) = (read.array, read.index.clone());
        let mut conditions = Vec::new();
        loop {
            match terms.op(array) {
                Op::Input => return Way { conditions, index, end: End::Unknown(terms.input_of(array)) },
                Op::ConstArray => {
                    let element = self.known(terms, terms.args(array)[0]);
                    return Way { conditions, index, end: End::Written(element) };
                }
                _ => {}
            }
            let condition = self.condition(terms, array, &index);
            let is_inside = model.value(&self.aig, &[condition]).bit(0);
            conditions.push(condition.negated_if(!is_inside));
            match self.step(terms, array, &index, is_inside) {
                Step::Element(word) => return Way { conditions, index, end: End::Written(word) },
                Step::Array(next, at) => (array, index) = (next, at),
            }
        }
    }

    /// The arrays of a model that breaks no lemma: the elements that were read.
    pub(crate) fn arrays(
        &mut self,
        terms: &Terms,
        relevant: &[u32],
        model: &mut BitModel<'_>,
    ) -> Vec<(InputId, ArrayValue)> {
        let mut arrays: Map<InputId, ArrayValue> = Map::default();
        for number in relevant {
            let way = self.follow(terms, *number, model);
            let End::Unknown(input) = way.end else { continue };
            let index = model.value(&self.aig, &way.index).to_u128().expect("an index should have at most 128 bits");
            let element = model.value(&self.aig, &self.reads.reads[*number as usize].element);
            let (index_width, width) = terms.array_widths(terms.input_term(input));
            let array = arrays.entry(input).or_insert_with(|| ArrayValue::new(index_width, BitVec::zero(width)));
            array.store(index, element);
        }
        arrays.into_iter().collect()
    }
}

/// Where a read goes on.
enum Step {
    Element(Word),
    Array(Term, Word),
}

/// A model of the clauses as values of the graph: inputs have those of the solver, everything else follows.
pub(crate) struct BitModel<'a> {
    simulation: Simulation,
    input: &'a dyn Fn(u32) -> bool,
}

impl<'a> BitModel<'a> {
    /// The values of the graph's inputs, by number.
    pub(crate) fn new(input: &'a dyn Fn(u32) -> bool) -> BitModel<'a> {
        BitModel { simulation: Simulation::new(), input }
    }

    /// The value of a word.
    pub(crate) fn value(&mut self, aig: &crate::aig::Aig, word: &[Edge]) -> BitVec {
        let input = self.input;
        self.simulation.extend(aig, &mut |number: u32| u64::from(input(number)));
        let width = u32::try_from(word.len()).expect("words should be shorter");
        let mut limbs = vec![0; word.len().div_ceil(64)];
        for (position, edge) in word.iter().enumerate() {
            limbs[position / 64] |= (self.simulation.word(*edge) & 1) << (position % 64);
        }
        BitVec::from_limbs(width, &limbs)
    }
}
