//! Random terms for tests: built bottom-up from a few inputs, so that nodes share arguments, with constants at the edges.

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::build::Signedness;
use crate::node::{InputId, Sort, Term};
use crate::value::{ArrayValue, Model, Value};

/// A small generator (xorshift64*), so that a test repeats.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A value that is often at an edge.
    pub fn value(&mut self, width: u32) -> BitVec {
        let random = BitVec::from_limbs(width, &[self.next(), self.next(), self.next(), self.next()]);
        let small = BitVec::new(width, u128::from(self.next() % 5));
        match self.below(10) {
            0 => BitVec::zero(width),
            1 => BitVec::ones(width),
            2 => BitVec::least(width),
            3 => BitVec::least(width).not(),
            4 => small,
            5 => small.neg(),
            6 => BitVec::one(width).shl(&small),
            _ => random,
        }
    }
}

/// A pool of terms that grows: what is drawn from it is an argument of the next.
pub struct Pool {
    pub rng: Rng,
    widths: Vec<u32>,
    pub words: Vec<Term>,
    pub arrays: Vec<Term>,
}

impl Pool {
    /// Inputs of each of these widths; the first is the width of elements and indices of arrays.
    pub fn new(terms: &mut Terms, seed: u64, widths: &[u32]) -> Pool {
        let mut pool = Pool { rng: Rng::new(seed), widths: widths.to_vec(), words: Vec::new(), arrays: Vec::new() };
        for &width in widths {
            for name in ["x", "y"] {
                pool.words.push(terms.input(&format!("{name}{width}"), Sort::Bits(width)));
            }
        }
        pool.words.push(terms.input("p", Sort::BOOL));
        pool.words.push(terms.input("q", Sort::BOOL));
        let (index, element) = (widths[0], widths[0]);
        pool.arrays.push(terms.input("a", Sort::Array { index, element }));
        pool
    }

    /// A term of this width, mostly one that exists.
    pub fn word(&mut self, terms: &mut Terms, width: u32) -> Term {
        let fitting: Vec<Term> = self.words.iter().copied().filter(|&term| terms.width(term) == width).collect();
        if fitting.is_empty() || self.rng.below(5) == 0 {
            let value = self.rng.value(width);
            return terms.constant_bits(&value);
        }
        // The last ones are deeper.
        let recent = fitting.len().saturating_sub(8);
        if self.rng.below(2) == 0 {
            fitting[recent + self.rng.below(fitting.len() - recent)]
        } else {
            self.rng.pick(&fitting)
        }
    }

    fn array(&mut self) -> Term {
        let arrays = self.arrays.clone();
        self.rng.pick(&arrays)
    }

    /// Adds one more term, and returns it if it is a bit-vector.
    pub fn step(&mut self, terms: &mut Terms) -> Term {
        let widths = self.widths.clone();
        let width = self.rng.pick(&widths);
        let a = self.word(terms, width);
        let b = self.word(terms, width);
        let term = match self.rng.below(40) {
            0 => terms.not(a),
            1 | 2 => terms.and(a, b),
            3 => terms.or(a, b),
            4 => terms.xor(a, b),
            5 => terms.neg(a),
            6..=8 => terms.add(a, b),
            9 => terms.sub(a, b),
            10 => terms.mul(a, b),
            11 => terms.udiv(a, b),
            12 => terms.urem(a, b),
            13 => terms.sdiv(a, b),
            14 => terms.srem(a, b),
            15 => terms.shl(a, b),
            16 => terms.lshr(a, b),
            17 => terms.ashr(a, b),
            18 | 19 => terms.eq(a, b),
            20 => terms.ult(a, b),
            21 => terms.slt(a, b),
            22 => terms.clz(a),
            23 => terms.ctz(a),
            24 => terms.popcount(a),
            25 | 26 => {
                let condition = self.word(terms, 1);
                terms.ite(condition, a, b)
            }
            27 | 28 => {
                let low = self.rng.below(width as usize) as u32;
                let high = low + self.rng.below((width - low) as usize) as u32;
                terms.extract(a, high, low)
            }
            29..=31 => self.resized(terms, a, width),
            32 => self.logic(terms),
            33 | 34 => self.checked(terms, a, b),
            _ => self.with_array(terms),
        };
        self.words.push(term);
        term
    }

    /// A term made wider, by one of three ways, or joined.
    fn resized(&mut self, terms: &mut Terms, term: Term, width: u32) -> Term {
        let wider: Vec<u32> = self.widths.iter().copied().filter(|&other| other > width).collect();
        if wider.is_empty() {
            let split = 1 + self.rng.below(width as usize) as u32;
            if split >= width {
                return term;
            }
            let low = terms.extract(term, split - 1, 0);
            let other = self.word(terms, width - split);
            return if self.rng.below(2) == 0 { terms.concat(other, low) } else { terms.concat(low, other) };
        }
        let target = self.rng.pick(&wider);
        match self.rng.below(3) {
            0 => terms.zext(term, target),
            1 => terms.sext(term, target),
            _ => {
                let other = self.word(terms, target - width);
                if self.rng.below(2) == 0 { terms.concat(other, term) } else { terms.concat(term, other) }
            }
        }
    }

    fn logic(&mut self, terms: &mut Terms) -> Term {
        let (a, b, c) = (self.word(terms, 1), self.word(terms, 1), self.word(terms, 1));
        match self.rng.below(5) {
            0 => terms.and(a, b),
            1 => terms.or(a, b),
            2 => terms.xor(a, b),
            3 => terms.implies(a, b),
            _ => terms.ite(a, b, c),
        }
    }

    fn checked(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        let signedness = self.rng.pick(&[Signedness::Signed, Signedness::Unsigned]);
        let checked = match self.rng.below(6) {
            0 => terms.checked_add(a, b, signedness),
            1 => terms.checked_sub(a, b, signedness),
            2 => terms.checked_mul(a, b, signedness),
            3 => terms.checked_neg(a, signedness),
            4 => terms.checked_sdiv(a, b),
            _ => terms.checked_shl(a, b, signedness),
        };
        self.words.push(checked.result);
        checked.ok
    }

    fn with_array(&mut self, terms: &mut Terms) -> Term {
        let width = self.widths[0];
        let (index, element, other) = (self.word(terms, width), self.word(terms, width), self.word(terms, width));
        let array = self.array();
        let changed = match self.rng.below(8) {
            0 => terms.const_array(width, element),
            1 => terms.fill(array, index, other, element),
            2 => {
                let (source, length) = (self.array(), self.word(terms, width));
                terms.copy(array, index, source, other, length)
            }
            3 => {
                let (condition, second) = (self.word(terms, 1), self.array());
                terms.ite(condition, array, second)
            }
            _ => terms.store(array, index, element),
        };
        self.arrays.push(changed);
        let (array, index) = (self.array(), self.word(terms, width));
        terms.select(array, index)
    }

    /// Random values for all inputs.
    pub fn model(&mut self, terms: &Terms) -> Model {
        let mut model = Model::new();
        for input in terms.inputs() {
            let value = self.input_value(terms, input);
            model.set(input, value);
        }
        model
    }

    fn input_value(&mut self, terms: &Terms, input: InputId) -> Value {
        match terms.sort(terms.input_term(input)) {
            Sort::Bits(width) => Value::Bits(self.rng.value(width)),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::new(index, self.rng.value(element));
                for _ in 0..4 {
                    let position = self.rng.value(index).to_u128().expect("an index should fit");
                    array.store(position, self.rng.value(element));
                }
                Value::Array(array)
            }
        }
    }
}
