//! Values of terms: bit-vectors, and arrays as a default with exceptions.

use std::collections::BTreeMap;

use crate::bits::BitVec;
use crate::node::Sort;

/// What a term evaluates to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A bit-vector.
    Bits(BitVec),
    /// An array.
    Array(ArrayValue),
}

/// An array: one element everywhere but at finitely many indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    index_width: u32,
    default: BitVec,
    entries: BTreeMap<u128, BitVec>,
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
            Value::Array(array) => Sort::Array { index: array.index_width, element: array.default.width() },
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
    pub fn new(index_width: u32, default: BitVec) -> ArrayValue {
        ArrayValue { index_width, default, entries: BTreeMap::new() }
    }

    /// Width of the indices.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// The element wherever [`ArrayValue::entries`] has none.
    pub fn default(&self) -> &BitVec {
        &self.default
    }

    /// Indices, ascending, whose elements are not the default.
    pub fn entries(&self) -> impl Iterator<Item = (u128, &BitVec)> {
        self.entries.iter().map(|(&index, element)| (index, element))
    }

    /// The element at an index.
    pub fn select(&self, index: u128) -> &BitVec {
        self.entries.get(&index).unwrap_or(&self.default)
    }

    /// Changes one element.
    pub fn store(&mut self, index: u128, element: BitVec) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
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
