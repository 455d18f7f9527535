//! Bit-blasting: terms over bit-vectors and arrays as edges of an and-inverter graph, lowest bit first.
//!
//! Each term is translated once. Bits of inputs are inputs of the graph. Some circuits have inputs of their own that stand
//! for a value which a *definition* pins down (quotients, elements read from arrays): the definition holds in every model
//! and is put into the clauses as soon as a query depends on what it defines.

mod add;
mod array;
mod count;
mod divide;
mod float;
mod multiply;
mod shift;

use std::collections::HashMap;

use unpick_term::{InputId, Op, Sort, Term, Terms};

use crate::aig::{Aig, Edge, Node};
use crate::solver::Unfinished;
pub(crate) use array::BitModel;
pub use array::Reads;

/// A bit-vector: its edges, lowest bit first.
pub type Word = Vec<Edge>;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// How products are computed; which is better depends on the question.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Multiplier {
    /// Rows of partial products, added one after the other.
    Array,
    /// Columns of partial products, compressed by full adders (Wallace 1964) before one addition.
    #[default]
    Tree,
}

/// How quotients are computed; which is better depends on the question.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Divider {
    /// Subtract and restore, bit by bit: better for finding values.
    Restoring,
    /// Any quotient and remainder with `n = d * q + r` and `r < d`: better for refuting.
    #[default]
    Relation,
}

/// Choices among circuits, and their limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How products are computed.
    pub multiplier: Multiplier,
    /// How quotients by something that is not constant are computed.
    pub divider: Divider,
    /// How many nodes the graph may have.
    pub max_nodes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { multiplier: Multiplier::default(), divider: Divider::default(), max_nodes: 20_000_000 }
    }
}

/// What holds of nodes that stand for a value.
#[derive(Clone, Debug)]
pub struct Definition {
    /// It matters if a query depends on one of these.
    pub defined: Vec<Node>,
    /// What holds.
    pub holds: Edge,
}

/// Terms of one arena as circuits.
#[derive(Default)]
pub struct Blaster {
    aig: Aig,
    options: Options,
    /// Where the edges of a term's node begin, or `NOT_YET`.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    inputs: Map<InputId, Word>,
    quotients: Map<(Word, Word), (Word, Word)>,
    definitions: Vec<Definition>,
    reads: Reads,
}

const NOT_YET: u32 = u32::MAX;

impl Blaster {
    /// Nothing translated yet.
    pub fn new(options: Options) -> Blaster {
        Blaster { options, ..Blaster::default() }
    }

    /// The graph so far.
    pub fn aig(&self) -> &Aig {
        &self.aig
    }

    /// All definitions so far, in the order they were made.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The edges of an input that was met.
    pub(crate) fn input(&self, input: InputId) -> Option<&Word> {
        self.inputs.get(&input)
    }

    /// What was read from arrays.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// The edges of a bit-vector.
    ///
    /// # Errors
    /// The graph would become larger than allowed.
    pub fn word(&mut self, terms: &Terms, term: Term) -> Result<Word, Unfinished> {
        self.starts.resize(terms.n_nodes().max(self.starts.len()), NOT_YET);
        let mut pending = vec![(term, false)];
        while let Some((term, is_ready)) = pending.pop() {
            if self.starts[term.index()] != NOT_YET {
                continue;
            }
            if !is_ready {
                pending.push((term, true));
                pending.extend(terms.args(term).into_iter().map(|arg| (arg, false)));
                continue;
            }
            let start = u32::try_from(self.edges.len()).expect("edges should fit 32 bits");
            if let Sort::Bits(width) = terms.sort(term) {
                self.check_size(terms, term)?;
                let word = self.node(terms, term)?;
                assert_eq!(word.len(), width as usize, "{:?} should have its width", terms.op(term));
                self.edges.extend(word);
            } else {
                self.reads.weigh(terms, term);
            }
            self.starts[term.index()] = start;
        }
        Ok(self.known(terms, term))
    }

    /// The edge of a Boolean.
    ///
    /// # Errors
    /// The graph would become larger than allowed.
    pub fn edge(&mut self, terms: &Terms, term: Term) -> Result<Edge, Unfinished> {
        let word = self.word(terms, term)?;
        assert_eq!(word.len(), 1, "a Boolean should be here");
        Ok(word[0])
    }

    /// The edges of a term that was translated.
    pub(crate) fn known(&self, terms: &Terms, term: Term) -> Word {
        let start = self.starts[term.index()] as usize;
        let word = &self.edges[start..start + terms.width(term) as usize];
        word.iter().map(|edge| edge.negated_if(term.is_negated())).collect()
    }

    /// Refuses a circuit before it is built.
    fn check_size(&self, terms: &Terms, term: Term) -> Result<(), Unfinished> {
        let widths = terms.args(term).into_iter().map(|arg| match terms.sort(arg) {
            Sort::Bits(width) => width as usize,
            Sort::Array { element, .. } => element as usize,
        });
        let width = widths.max().unwrap_or(1);
        let estimate = match terms.op(term) {
            Op::Mul | Op::Udiv | Op::Urem | Op::UmulOverflow | Op::SmulOverflow => 10 * width * width,
            Op::Fp(_) => 40 * width * width,
            Op::Shl | Op::Lshr | Op::Ashr | Op::Popcount => 64 * width,
            _ => 16 * width,
        };
        if self.aig.len() + estimate > self.options.max_nodes { Err(Unfinished::Size) } else { Ok(()) }
    }

    fn node(&mut self, terms: &Terms, term: Term) -> Result<Word, Unfinished> {
        let args = terms.args(term);
        let op = terms.op(term);
        let sort = terms.sort(term);
        let Sort::Bits(width) = sort else { unreachable!("arrays should have no word") };
        match op {
            Op::Const => {
                let value = terms.constant_value(term.node_term()).expect("a constant should have a value");
                return Ok((0..width).map(|position| Edge::constant(value.bit(position))).collect());
            }
            Op::Input => {
                let word: Word = (0..width).map(|_| self.aig.input()).collect();
                self.inputs.insert(terms.input_of(term), word.clone());
                return Ok(word);
            }
            Op::Select => {
                let index = self.known(terms, args[1]);
                return Ok(self.select(terms, term.node_term(), args[0], &index));
            }
            _ => {}
        }
        let words: Vec<Word> = args.iter().map(|arg| self.known(terms, *arg)).collect();
        let low = if op == Op::Extract { terms.extract_low(term) as usize } else { 0 };
        self.circuit(op, &words, width as usize, low)
    }

    /// The circuit of an operation on bit-vectors.
    fn circuit(&mut self, op: Op, args: &[Word], width: usize, low: usize) -> Result<Word, Unfinished> {
        let aig = &mut self.aig;
        let bit = |edge: Edge| vec![edge];
        Ok(match op {
            Op::Not => args[0].iter().map(|edge| !*edge).collect(),
            Op::And => bitwise(&args[0], &args[1], |one, other| aig.and(one, other)),
            Op::Xor => bitwise(&args[0], &args[1], |one, other| aig.xor(one, other)),
            Op::Neg => add::negate(aig, &args[0]),
            Op::Add => add::add(aig, &args[0], &args[1], Edge::FALSE).0,
            Op::Mul => multiply::product(aig, &args[0], &args[1], width, self.options.multiplier),
            Op::UmulOverflow => bit(multiply::unsigned_overflow(aig, &args[0], &args[1], self.options.multiplier)),
            Op::SmulOverflow => bit(multiply::signed_overflow(aig, &args[0], &args[1], self.options.multiplier)),
            Op::Udiv => self.divided(&args[0], &args[1]).0,
            Op::Urem => self.divided(&args[0], &args[1]).1,
            Op::Shl => shift::left(aig, &args[0], &args[1]),
            Op::Lshr => shift::right(aig, &args[0], &args[1], Edge::FALSE),
            Op::Ashr => shift::right(aig, &args[0], &args[1], sign(&args[0])),
            Op::Eq => bit(add::equal(aig, &args[0], &args[1])),
            Op::Ult => bit(add::less(aig, &args[0], &args[1])),
            Op::Slt => bit(add::less_signed(aig, &args[0], &args[1])),
            Op::Ite => bitwise(&args[1], &args[2], |yes, no| aig.ite(args[0][0], yes, no)),
            Op::Concat => [args[1].as_slice(), args[0].as_slice()].concat(),
            Op::Extract => args[0][low..low + width].to_vec(),
            Op::Zext => extended(&args[0], width, Edge::FALSE),
            Op::Sext => extended(&args[0], width, sign(&args[0])),
            Op::Clz => {
                let reversed: Word = args[0].iter().rev().copied().collect();
                count::trailing_zeros(aig, &reversed)
            }
            Op::Ctz => count::trailing_zeros(aig, &args[0]),
            Op::Popcount => count::ones(aig, &args[0]),
            Op::Fp(operation) => return self.float(operation, args, width),
            Op::Const | Op::Input | Op::Select => unreachable!("these should have been translated before"),
            Op::ConstArray | Op::Store | Op::Fill | Op::Copy => unreachable!("arrays should have no word"),
        })
    }

    /// Quotient and remainder; one pair of operands has one pair of results.
    fn divided(&mut self, dividend: &Word, divisor: &Word) -> (Word, Word) {
        let key = (dividend.clone(), divisor.clone());
        if let Some(known) = self.quotients.get(&key) {
            return known.clone();
        }
        let is_constant = divisor.iter().all(|edge| edge.value().is_some());
        let result = match self.options.divider {
            Divider::Restoring if !is_constant => divide::restoring(&mut self.aig, dividend, divisor),
            Divider::Restoring | Divider::Relation => {
                let (result, definition) = divide::relation(&mut self.aig, dividend, divisor, self.options.multiplier);
                self.definitions.extend(definition);
                result
            }
        };
        self.quotients.insert(key, result.clone());
        result
    }
}

/// The highest bit.
fn sign(word: &[Edge]) -> Edge {
    *word.last().expect("a word should have a bit")
}

fn bitwise(one: &[Edge], other: &[Edge], mut gate: impl FnMut(Edge, Edge) -> Edge) -> Word {
    one.iter().zip(other).map(|(one, other)| gate(*one, *other)).collect()
}

/// The lowest bits, with others above if there are too few.
fn extended(word: &[Edge], width: usize, above: Edge) -> Word {
    (0..width).map(|position| word.get(position).copied().unwrap_or(above)).collect()
}

/// `yes` where the condition is true.
fn choose(aig: &mut Aig, condition: Edge, yes: &[Edge], no: &[Edge]) -> Word {
    bitwise(yes, no, |yes, no| aig.ite(condition, yes, no))
}

#[cfg(test)]
pub(crate) mod tests;
