//! The arena of terms: a vector of nodes and a table that finds each again (hash-consing; Ershov, 1958), so that equal terms
//! are equal numbers. Nodes are never freed.

use std::collections::HashMap;

use unpick_base::id::Id;
use unpick_base::{IdVec, Interner, Symbol};

use crate::bits::BitVec;
use crate::fact::{Fact, FactTable};
use crate::node::{Args, InputId, Node, Op, Sort, Term};
use crate::rules::RuleBook;

/// Where terms live.
///
/// Constructors (in `src/build`) take `&mut self`, everything that only reads takes `&self`.
pub struct Terms {
    nodes: Vec<Node>,
    table: Table,
    big: Vec<BitVec>,
    big_numbers: HashMap<BitVec, u64>,
    inputs: IdVec<InputId, Input>,
    by_name: HashMap<Symbol, InputId>,
    names: Interner,
    facts: FactTable,
    pub(crate) rules: RuleBook,
}

struct Input {
    name: Symbol,
    term: Term,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An arena with the two constants of width 1.
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            table: Table::new(),
            big: Vec::new(),
            big_numbers: HashMap::new(),
            inputs: IdVec::new(),
            by_name: HashMap::new(),
            names: Interner::new(),
            facts: FactTable::new(),
            rules: RuleBook::new(),
        };
        let falsehood = terms.intern_unknown(Node::with_low(Op::Const, Sort::BOOL, &[], 0));
        assert_eq!(falsehood, Term::FALSE);
        terms
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes held, roughly: vectors at their capacity.
    pub fn n_bytes(&self) -> usize {
        let table = self.table.slots.len() * size_of::<u32>();
        self.nodes.capacity() * size_of::<Node>() + table + self.facts.n_bytes()
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort()
    }

    /// The width of a bit-vector; an array should not come here.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bits(width) => width,
            Sort::Array { .. } => panic!("a bit-vector should be here, not an array"),
        }
    }

    /// The operation of the term's node. A negated term of width 1 is the negation of that.
    pub fn op(&self, term: Term) -> Op {
        self.node(term).op
    }

    /// The arguments of the term's node.
    pub fn args(&self, term: Term) -> Args {
        self.node(term).args()
    }

    /// The lowest bit that an `Extract` takes.
    pub fn extract_low(&self, term: Term) -> u32 {
        let node = self.node(term);
        assert_eq!(node.op, Op::Extract, "an extraction should be here");
        node.aux as u32
    }

    /// The input of an `Input`.
    pub fn input_of(&self, term: Term) -> InputId {
        let node = self.node(term);
        assert_eq!(node.op, Op::Input, "an input should be here");
        InputId::from_index(node.aux as usize)
    }

    /// The value of a constant, negation included; `None` for other terms.
    pub fn constant_value(&self, term: Term) -> Option<BitVec> {
        let node = self.node(term);
        if node.op != Op::Const {
            return None;
        }
        match node.sort {
            1 => Some(BitVec::of_bool(term.is_negated())),
            2..=128 => Some(BitVec::new(node.sort, small_value(node))),
            _ => Some(self.big[node.aux as usize].clone()),
        }
    }

    /// The value of a constant that fits 128 bits; `None` for other terms.
    pub fn constant_u128(&self, term: Term) -> Option<u128> {
        let node = self.node(term);
        if node.op != Op::Const {
            return None;
        }
        match node.sort {
            1 => Some(u128::from(term.is_negated())),
            2..=128 => Some(small_value(node)),
            _ => self.big[node.aux as usize].to_u128(),
        }
    }

    /// The value of a Boolean constant; `None` for other terms.
    pub fn constant_bool(&self, term: Term) -> Option<bool> {
        match term {
            Term::FALSE => Some(false),
            Term::TRUE => Some(true),
            _ => None,
        }
    }

    /// Whether the term is a constant.
    pub fn is_constant(&self, term: Term) -> bool {
        self.op(term) == Op::Const
    }

    /// The constant with the lowest `width` bits of `value`; wider ones have zeros above bit 128.
    pub fn constant(&mut self, width: u32, value: u128) -> Term {
        if width > 128 {
            return self.constant_bits(&BitVec::new(width, value));
        }
        let value = value & crate::bits::mask(width);
        if width == 1 {
            return Term::FALSE.negate_if(value == 1);
        }
        let mut node = Node::with_low(Op::Const, Sort::Bits(width), &[], value as u64);
        node.args[0] = Term((value >> 64) as u32);
        node.args[1] = Term((value >> 96) as u32);
        self.intern_unknown(node)
    }

    /// The constant with this value.
    pub fn constant_bits(&mut self, value: &BitVec) -> Term {
        let width = value.width();
        if width <= 128 {
            return self.constant(width, value.to_u128().expect("128 bits should fit"));
        }
        let number = match self.big_numbers.get(value) {
            Some(&number) => number,
            None => {
                let number = self.big.len() as u64;
                self.big.push(value.clone());
                self.big_numbers.insert(value.clone(), number);
                number
            }
        };
        self.intern_unknown(Node::with_low(Op::Const, Sort::Bits(width), &[], number))
    }

    /// The constant of width 1.
    pub fn constant_of_bool(&self, value: bool) -> Term {
        Term::FALSE.negate_if(value)
    }

    /// The input of this name, made on first sight; a name should not come with two sorts.
    pub fn input(&mut self, name: &str, sort: Sort) -> Term {
        let name = self.names.intern(name);
        if let Some(&id) = self.by_name.get(&name) {
            let term = self.inputs[id].term;
            let text = self.names.name(name);
            assert_eq!(self.sort(term), sort, "the input `{text}` should have one sort");
            return term;
        }
        let id = self.inputs.next_id();
        let term = self.intern_unknown(Node::with_low(Op::Input, sort, &[], id.index() as u64));
        self.inputs.push(Input { name, term });
        self.by_name.insert(name, id);
        term
    }

    /// A new input: `prefix`, or with a number after it if that name is taken.
    pub fn fresh_input(&mut self, prefix: &str, sort: Sort) -> Term {
        let is_taken = |terms: &Terms, name: &str| terms.find_input(name).is_some();
        if !is_taken(self, prefix) {
            return self.input(prefix, sort);
        }
        // Names of one prefix are mostly made here, so the first guess is nearly always free.
        let mut number = self.inputs.len();
        while is_taken(self, &format!("{prefix}.{number}")) {
            number += 1;
        }
        self.input(&format!("{prefix}.{number}"), sort)
    }

    /// All inputs in the order in which they were made.
    pub fn inputs(&self) -> impl DoubleEndedIterator<Item = InputId> + use<> {
        self.inputs.ids()
    }

    /// The input of this name, if there is one.
    pub fn find_input(&self, name: &str) -> Option<InputId> {
        self.by_name.get(&self.names.lookup(name)?).copied()
    }

    /// The name of an input.
    pub fn input_name(&self, input: InputId) -> &str {
        self.names.name(self.inputs[input].name)
    }

    /// The term of an input.
    pub fn input_term(&self, input: InputId) -> Term {
        self.inputs[input].term
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// What is known of a term, whatever the inputs are; `None` for arrays, Booleans and more than 128 bits.
    pub fn fact(&self, term: Term) -> Option<Fact> {
        match self.sort(term) {
            Sort::Bits(width @ 2..=Fact::MAX_WIDTH) => Some(match self.constant_u128(term) {
                Some(value) => Fact::constant(width, value),
                None => self.facts.get(term.index(), width).unwrap_or(Fact::unknown(width)),
            }),
            Sort::Bits(_) | Sort::Array { .. } => None,
        }
    }

    /// What the facts of the arguments say of a node that is about to be made.
    pub(crate) fn fact_of_node(&self, node: &Node) -> Option<Fact> {
        let Sort::Bits(width @ 2..=Fact::MAX_WIDTH) = node.sort() else { return None };
        let mut facts = [Fact::unknown(1); 5];
        let args = node.args();
        for (fact, &arg) in facts.iter_mut().zip(args.iter()) {
            if self.sort(arg) != Sort::BOOL {
                *fact = self.fact(arg)?;
            }
        }
        Some(crate::fact::transfer(node.op, width, node.aux as u32, &facts[..args.len()]))
    }

    /// The term of a node that exists, or where it belongs in the table.
    pub(crate) fn find(&self, node: &Node) -> Result<Term, usize> {
        let mut slot = self.table.first_slot(hash(node));
        loop {
            match self.table.slots[slot] {
                Table::FREE => return Err(slot),
                index if self.nodes[index as usize] == *node => return Ok(Term::of_index(index as usize)),
                _ => slot = self.table.next_slot(slot),
            }
        }
    }

    /// The term of a node of which nothing is known: constants have their facts from their values.
    fn intern_unknown(&mut self, node: Node) -> Term {
        self.intern(node, None)
    }

    /// The term of a node, found or added, without any rewriting.
    pub(crate) fn intern(&mut self, node: Node, fact: Option<Fact>) -> Term {
        let slot = match self.find(&node) {
            Ok(term) => return term,
            Err(slot) => slot,
        };
        let index = self.nodes.len();
        // The negation takes one bit of the number, and the table the number of all ones.
        assert!(index < (1 << 31) - 1, "terms should fit 31 bits");
        self.nodes.push(node);
        self.facts.push(fact);
        self.table.slots[slot] = index as u32;
        if self.nodes.len() * 4 > self.table.slots.len() * 3 {
            self.table.grow(&self.nodes);
        }
        Term::of_index(index)
    }
}

fn small_value(node: &Node) -> u128 {
    u128::from(node.aux) | u128::from(node.args[0].0) << 64 | u128::from(node.args[1].0) << 96
}

/// Open addressing with linear probing over numbers of nodes; hashes are computed again when it grows.
struct Table {
    slots: Vec<u32>,
}

impl Table {
    const FREE: u32 = u32::MAX;

    fn new() -> Table {
        Table { slots: vec![Table::FREE; 1024] }
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    fn grow(&mut self, nodes: &[Node]) {
        self.slots = vec![Table::FREE; self.slots.len() * 2];
        for (index, node) in nodes.iter().enumerate() {
            let mut slot = self.first_slot(hash(node));
            while self.slots[slot] != Table::FREE {
                slot = self.next_slot(slot);
            }
            self.slots[slot] = index as u32;
        }
    }
}

/// Folded multiplication, as in wyhash; the same on every machine, so that runs repeat.
fn hash(node: &Node) -> u64 {
    let [first, second, third] = node.args.map(|arg| u64::from(arg.0));
    let head = (op_number(node.op) as u64) << 32 | u64::from(node.sort);
    let start = fold(head ^ 0x9e37_79b9_7f4a_7c15, (first | second << 32) ^ 0xd1b5_4a32_d192_ed03);
    fold(start ^ third ^ 0x8cb9_2ba7_2f3d_8dd7, node.aux ^ 0xaef1_7502_108e_f2d9)
}

fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

/// How many numbers [`op_number`] gives.
pub(crate) const N_OP_NUMBERS: usize = 32;

/// A dense number for the hash and for tables; operations on floats share one.
pub(crate) fn op_number(op: Op) -> usize {
    match op {
        Op::Const => 0,
        Op::Input => 1,
        Op::Not => 2,
        Op::And => 3,
        Op::Xor => 4,
        Op::Neg => 5,
        Op::Add => 6,
        Op::Mul => 7,
        Op::Udiv => 8,
        Op::Urem => 9,
        Op::Shl => 10,
        Op::Lshr => 11,
        Op::Ashr => 12,
        Op::Eq => 13,
        Op::Ult => 14,
        Op::Slt => 15,
        Op::Ite => 16,
        Op::Concat => 17,
        Op::Extract => 18,
        Op::Zext => 19,
        Op::Sext => 20,
        Op::Clz => 21,
        Op::Ctz => 22,
        Op::Popcount => 23,
        Op::ConstArray => 24,
        Op::Store => 25,
        Op::Select => 26,
        Op::Fill => 27,
        Op::Copy => 28,
        Op::UmulOverflow => 29,
        Op::SmulOverflow => 30,
        Op::Fp(_) => 31,
    }
}
