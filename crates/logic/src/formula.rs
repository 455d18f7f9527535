//! Formulas of linear temporal logic (LTL, Pnueli 1977) over opaque atoms.
//!
//! A formula is a shared immutable tree. Conjunction and disjunction take any number of operands, so that long lists
//! stay shallow. Subtrees may be shared, so traversals keep a table of visited nodes; the depth of every tree is kept
//! at its root, so that recursive functions can refuse deep ones first.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use unpick_base::define_id;

define_id! {
    /// A proposition that is true or false in a state; what it stands for is known to the caller alone.
    pub struct AtomId("a");
}

/// A formula; cloning it is cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct Formula(Arc<Tree>);

#[derive(PartialEq, Eq)]
struct Tree {
    node: Node,
    depth: usize,
    size: usize,
}

/// The outermost connective of a formula and its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Always true.
    True,
    /// Never true.
    False,
    /// True if the atom is true now.
    Atom(AtomId),
    /// The operand is false.
    Not(Formula),
    /// All operands are true.
    And(Vec<Formula>),
    /// Some operand is true.
    Or(Vec<Formula>),
    /// If the first is true, so is the second.
    Implies(Formula, Formula),
    /// Both are true or both are false.
    Equivalent(Formula, Formula),
    /// True in the next state.
    Next(Formula),
    /// True now or later.
    Eventually(Formula),
    /// True now and ever after.
    Always(Formula),
    /// The second becomes true, and the first is true until then.
    Until(Formula, Formula),
    /// Like `Until`, but the second may stay false if the first stays true.
    WeakUntil(Formula, Formula),
    /// The second is true up to and including when the first becomes true, for ever if it never does. SPIN's `V`.
    Release(Formula, Formula),
    /// Like `Release`, but the first must become true.
    StrongRelease(Formula, Formula),
}

impl Formula {
    /// The formula with this outermost node.
    pub fn new(node: Node) -> Self {
        let operands = node.operands();
        let depth = operands.iter().map(|operand| operand.depth()).max().map_or(0, |depth| depth + 1);
        let size = operands.iter().fold(1, |size: usize, operand| size.saturating_add(operand.size()));
        Self(Arc::new(Tree { node, depth, size }))
    }

    /// Truth.
    pub fn truth() -> Self {
        Self::new(Node::True)
    }

    /// Falsehood.
    pub fn falsehood() -> Self {
        Self::new(Node::False)
    }

    /// The atom with this number.
    pub fn atom(number: u32) -> Self {
        Self::new(Node::Atom(AtomId(number)))
    }

    /// The negation, as it is: `!` in front.
    pub fn negated(&self) -> Self {
        Self::new(Node::Not(self.clone()))
    }

    /// The conjunction; operands that are conjunctions themselves are not merged.
    pub fn and(operands: Vec<Formula>) -> Self {
        Self::new(Node::And(operands))
    }

    /// The disjunction; operands that are disjunctions themselves are not merged.
    pub fn or(operands: Vec<Formula>) -> Self {
        Self::new(Node::Or(operands))
    }

    /// The outermost node.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// The length of the longest path down the tree.
    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// The number of nodes of the tree, shared ones counted each time.
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The atoms that occur, in ascending order.
    pub fn atoms(&self) -> Vec<AtomId> {
        let mut atoms = Vec::new();
        self.visit(&mut |node| {
            if let Node::Atom(atom) = node {
                atoms.push(*atom);
            }
        });
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Whether the next-state operator occurs.
    pub fn has_next(&self) -> bool {
        let mut found = false;
        self.visit(&mut |node| found |= matches!(node, Node::Next(_)));
        found
    }

    /// The same formula over other atoms.
    pub fn map_atoms(&self, map: &mut dyn FnMut(AtomId) -> Formula) -> Formula {
        self.map_shared(map, &mut HashMap::new())
    }

    fn map_shared(&self, map: &mut dyn FnMut(AtomId) -> Formula, done: &mut HashMap<usize, Formula>) -> Formula {
        if let Node::Atom(atom) = self.node() {
            return map(*atom);
        }
        if let Some(formula) = done.get(&self.address()) {
            return formula.clone();
        }
        let formula = Formula::new(self.node().map_operands(&mut |operand| operand.map_shared(map, done)));
        done.insert(self.address(), formula.clone());
        formula
    }

    /// Shows the formula in SPIN's notation; `names` gives the text of atoms.
    pub fn display<'a>(&'a self, names: &'a dyn Fn(AtomId) -> String) -> impl fmt::Display + 'a {
        Shown { formula: self, names }
    }

    /// Where the tree lies: equal for shared trees, so that each is looked at once.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    fn visit(&self, see: &mut dyn FnMut(&Node)) {
        let mut seen = HashSet::new();
        let mut stack = vec![self];
        while let Some(formula) = stack.pop() {
            if seen.insert(formula.address()) {
                see(formula.node());
                stack.extend(formula.node().operands());
            }
        }
    }
}

impl Node {
    /// The operands from left to right.
    pub fn operands(&self) -> Vec<&Formula> {
        match self {
            Node::True | Node::False | Node::Atom(_) => Vec::new(),
            Node::Not(operand) | Node::Next(operand) | Node::Eventually(operand) | Node::Always(operand) => {
                vec![operand]
            }
            Node::And(operands) | Node::Or(operands) => operands.iter().collect(),
            Node::Implies(left, right)
            | Node::Equivalent(left, right)
            | Node::Until(left, right)
            | Node::WeakUntil(left, right)
            | Node::Release(left, right)
            | Node::StrongRelease(left, right) => vec![left, right],
        }
    }

    /// The same connective over other operands.
    pub fn map_operands(&self, map: &mut dyn FnMut(&Formula) -> Formula) -> Node {
        match self {
            Node::True => Node::True,
            Node::False => Node::False,
            Node::Atom(atom) => Node::Atom(*atom),
            Node::Not(operand) => Node::Not(map(operand)),
            Node::Next(operand) => Node::Next(map(operand)),
            Node::Eventually(operand) => Node::Eventually(map(operand)),
            Node::Always(operand) => Node::Always(map(operand)),
            Node::And(operands) => Node::And(operands.iter().map(map).collect()),
            Node::Or(operands) => Node::Or(operands.iter().map(map).collect()),
            Node::Implies(left, right) => Node::Implies(map(left), map(right)),
            Node::Equivalent(left, right) => Node::Equivalent(map(left), map(right)),
            Node::Until(left, right) => Node::Until(map(left), map(right)),
            Node::WeakUntil(left, right) => Node::WeakUntil(map(left), map(right)),
            Node::Release(left, right) => Node::Release(map(left), map(right)),
            Node::StrongRelease(left, right) => Node::StrongRelease(map(left), map(right)),
        }
    }
}

struct Shown<'a> {
    formula: &'a Formula,
    names: &'a dyn Fn(AtomId) -> String,
}

impl Shown<'_> {
    /// An operand: in parentheses unless nothing can be misread.
    fn operand(&self, f: &mut fmt::Formatter<'_>, formula: &Formula) -> fmt::Result {
        let shown = Shown { formula, names: self.names };
        match formula.node() {
            Node::True | Node::False | Node::Atom(_) | Node::Not(_) => write!(f, "{shown}"),
            Node::Next(_) | Node::Eventually(_) | Node::Always(_) => write!(f, "{shown}"),
            Node::And(operands) | Node::Or(operands) if operands.len() < 2 => write!(f, "{shown}"),
            _ => write!(f, "({shown})"),
        }
    }

    fn list(&self, f: &mut fmt::Formatter<'_>, operands: &[Formula], between: &str, none: &str) -> fmt::Result {
        if operands.is_empty() {
            return f.write_str(none);
        }
        for (at, operand) in operands.iter().enumerate() {
            if at > 0 {
                f.write_str(between)?;
            }
            self.operand(f, operand)?;
        }
        Ok(())
    }

    fn unary(&self, f: &mut fmt::Formatter<'_>, sign: &str, operand: &Formula) -> fmt::Result {
        f.write_str(sign)?;
        self.operand(f, operand)
    }

    fn binary(&self, f: &mut fmt::Formatter<'_>, left: &Formula, sign: &str, right: &Formula) -> fmt::Result {
        self.operand(f, left)?;
        write!(f, " {sign} ")?;
        self.operand(f, right)
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.formula.node() {
            Node::True => f.write_str("true"),
            Node::False => f.write_str("false"),
            Node::Atom(atom) => {
                let name = (self.names)(*atom);
                let plain = name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
                if plain && !crate::parse::is_operator_word(&name) { f.write_str(&name) } else { write!(f, "({name})") }
            }
            Node::Not(operand) => self.unary(f, "!", operand),
            Node::Next(operand) => self.unary(f, "X ", operand),
            Node::Eventually(operand) => self.unary(f, "<>", operand),
            Node::Always(operand) => self.unary(f, "[]", operand),
            Node::And(operands) => self.list(f, operands, " && ", "true"),
            Node::Or(operands) => self.list(f, operands, " || ", "false"),
            Node::Implies(left, right) => self.binary(f, left, "->", right),
            Node::Equivalent(left, right) => self.binary(f, left, "<->", right),
            Node::Until(left, right) => self.binary(f, left, "U", right),
            Node::WeakUntil(left, right) => self.binary(f, left, "W", right),
            Node::Release(left, right) => self.binary(f, left, "V", right),
            Node::StrongRelease(left, right) => self.binary(f, left, "M", right),
        }
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.display(&|atom| format!("{atom:?}")))
    }
}
