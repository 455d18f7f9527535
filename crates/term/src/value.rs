//! Values of terms: bit-vectors, and arrays as pieces of equal elements.

use std::collections::BTreeMap;

use crate::bits::{BitVec, mask};
use crate::node::Sort;

/// What a term evaluates to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A bit-vector.
    Bits(BitVec),
    /// An array.
    Array(ArrayValue),
}

/// An array: pieces of equal elements, so that the longest `memset` takes one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    index_width: u32,
    element_width: u32,
    /// Where each piece begins, from 0 on; neighbours differ.
    pieces: BTreeMap<u128, BitVec>,
}

impl Value {
    /// All bits 0, and so are those of all elements.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bits(width) => Value::Bits(BitVec::zero(width)),
            Sort::Array { index, element } => Value::Array(ArrayValue::new(index, BitVec::zero(element))),
        }
    }

    /// What sort of term has such a value.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bits(bits) => Sort::Bits(bits.width()),
            Value::Array(array) => Sort::Array { index: array.index_width, element: array.element_width },
        }
    }

    /// The bit-vector; an array should not come here.
    pub fn bits(&self) -> &BitVec {
        match self {
            Value::Bits(bits) => bits,
            Value::Array(_) => panic!("a bit-vector should be here, not an array"),
        }
    }

    /// The array; a bit-vector should not come here.
    pub fn array(&self) -> &ArrayValue {
        match self {
            Value::Array(array) => array,
            Value::Bits(_) => panic!("an array should be here, not a bit-vector"),
        }
    }
}

impl ArrayValue {
    /// The array with this element everywhere.
    pub fn new(index_width: u32, element: BitVec) -> ArrayValue {
        ArrayValue { index_width, element_width: element.width(), pieces: BTreeMap::from([(0, element)]) }
    }

    /// Width of the indices.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// The first index of each piece of equal elements, ascending from 0, with the element; a piece ends before the next.
    pub fn pieces(&self) -> impl Iterator<Item = (u128, &BitVec)> {
        self.pieces.iter().map(|(&first, element)| (first, element))
    }

    /// The element at an index.
    pub fn select(&self, index: u128) -> &BitVec {
        self.pieces.range(..=index).next_back().map(|(_, element)| element).expect("a piece should begin at 0")
    }

    /// Changes one element.
    pub fn store(&mut self, index: u128, element: BitVec) {
        self.set_range(index, index, element);
    }

    /// Changes all elements from `first` to `last`.
    fn set_range(&mut self, first: u128, last: u128, element: BitVec) {
        let after = (last < mask(self.index_width)).then(|| (last + 1, self.select(last + 1).clone()));
        let inside: Vec<u128> = self.pieces.range(first..=last).map(|(&start, _)| start).collect();
        for start in inside {
            self.pieces.remove(&start);
        }
        if let Some((start, after)) = after {
            if after == element {
                self.pieces.remove(&start);
            } else {
                self.pieces.insert(start, after);
            }
        }
        if first == 0 || *self.select(first - 1) != element {
            self.pieces.insert(first, element);
        }
    }

    /// This array with `length` elements of another one from `source_start` on at `start`; indices are modulo the width.
    pub fn with_copy(&self, start: u128, source: &ArrayValue, source_start: u128, length: u128) -> ArrayValue {
        let mask = mask(self.index_width);
        let mut result = self.clone();
        let mut done = 0;
        while done < length {
            let (to, from) = (start.wrapping_add(done) & mask, source_start.wrapping_add(done) & mask);
            let next_piece = from.checked_add(1).and_then(|next| source.pieces.range(next..).next());
            // The last index before something ends, less the first: the length without overflow at 2^128.
            let last_of_piece = next_piece.map_or(mask, |(&next, _)| next - 1);
            let more = (last_of_piece - from).min(mask - to).min(length - done - 1);
            result.set_range(to, to + more, source.select(from).clone());
            done += more + 1;
        }
        result
    }
}

/// The values of the inputs.
pub trait Assignment {
    /// The value of an input, of its sort.
    fn value(&self, input: crate::InputId, sort: Sort) -> Value;
}

impl<F: Fn(crate::InputId, Sort) -> Value> Assignment for F {
    fn value(&self, input: crate::InputId, sort: Sort) -> Value {
        self(input, sort)
    }
}

/// An assignment as a map; an input that is not in it is 0.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Model {
    values: BTreeMap<crate::InputId, Value>,
}

impl Model {
    /// Everything is 0.
    pub fn new() -> Model {
        Model::default()
    }

    /// Gives an input a value.
    pub fn set(&mut self, input: crate::InputId, value: Value) {
        self.values.insert(input, value);
    }

    /// The value given to an input, if one was.
    pub fn get(&self, input: crate::InputId) -> Option<&Value> {
        self.values.get(&input)
    }

    /// All values given.
    pub fn iter(&self) -> impl Iterator<Item = (crate::InputId, &Value)> {
        self.values.iter().map(|(&input, value)| (input, value))
    }
}

impl Assignment for Model {
    fn value(&self, input: crate::InputId, sort: Sort) -> Value {
        self.values.get(&input).cloned().unwrap_or_else(|| Value::zero(sort))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_elements_one_by_one() {
        let mut rng = crate::random::Rng::new(7);
        let width = 4;
        let mut array = ArrayValue::new(width, BitVec::zero(8));
        let mut plain = [0u128; 16];
        let mut source = array.clone();
        let mut plain_source = plain;
        for _ in 0..2000 {
            let [index, from, length] = [0; 3].map(|_| rng.below(16));
            let element = rng.below(3) as u128;
            if rng.below(2) == 0 {
                array.store(index as u128, BitVec::new(8, element));
                plain[index] = element;
            } else {
                array = array.with_copy(index as u128, &source, from as u128, length as u128);
                for offset in 0..length {
                    plain[(index + offset) % 16] = plain_source[(from + offset) % 16];
                }
                (array, source) = (source, array);
                (plain, plain_source) = (plain_source, plain);
            }
            let found: Vec<u128> = (0..16).filter_map(|index| array.select(index).to_u128()).collect();
            assert_eq!(found, plain);
            let pieces: Vec<&BitVec> = array.pieces().map(|(_, element)| element).collect();
            assert!(pieces.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
