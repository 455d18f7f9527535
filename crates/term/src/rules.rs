//! Rewriting rules: one function each, in tables by operation, counted, and switched off one by one.
//!
//! A rule looks at a node that is about to be made: its arguments are in normal form and not all constant, those of a
//! commutative operation are sorted with a constant in front. What it returns was built by constructors. Each rule is headed
//! by `match:` and `result:`, and a condition where it has one. `x`, `y` are terms, `c`, `d` constants.

mod arithmetic;
mod arrays;
mod choice;
mod compare;
mod divide;
mod equal;
mod facts;
mod floats;
mod logic;
mod pattern;
#[cfg(test)]
pub(crate) mod proofs;
mod words;

use crate::arena::{N_OP_NUMBERS, Terms, op_number};
use crate::float::{FpFormat, FpOp};
use crate::node::{Node, Op, Term};

/// How much rewriting there is at construction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Constants are folded, nothing else.
    Fold,
    /// Identities that look at a node and its arguments.
    Zero,
    /// Rules that use facts or look up to three nodes deep.
    One,
}

/// One rule.
pub struct Rule {
    /// What it is called in statistics, and to switch it off.
    pub name: &'static str,
    /// The lowest level at which it is used.
    pub level: Level,
    pub(crate) apply: fn(&mut Terms, &Node) -> Option<Term>,
}

pub(crate) const fn rule(name: &'static str, level: Level, apply: fn(&mut Terms, &Node) -> Option<Term>) -> Rule {
    Rule { name, level, apply }
}

/// The tables, each for one operation; the number of a rule is its position in all of them together.
const TABLES: &[(&[Op], &[Rule])] = &[
    // Asked when nothing else matched, by `constant_by_fact`.
    (&[], &[rule("constant-by-fact", Level::One, |_, _| None)]),
    (&[Op::Not], logic::NOT),
    (&[Op::And], logic::AND),
    (&[Op::Xor], logic::XOR),
    (&[Op::Add], arithmetic::ADD),
    (&[Op::Neg], arithmetic::NEG),
    (&[Op::Mul], arithmetic::MUL),
    (&[Op::UmulOverflow], arithmetic::UMUL_OVERFLOW),
    (&[Op::SmulOverflow], arithmetic::SMUL_OVERFLOW),
    (&[Op::Udiv], divide::UDIV),
    (&[Op::Urem], divide::UREM),
    (&[Op::Shl, Op::Lshr, Op::Ashr], divide::SHIFT),
    (&[Op::Eq], equal::EQ),
    (&[Op::Ult, Op::Slt], compare::LESS),
    (&[Op::Ite], choice::ITE),
    (&[Op::Concat], words::CONCAT),
    (&[Op::Extract], words::EXTRACT),
    (&[Op::Zext, Op::Sext], words::EXTEND),
    (&[Op::Select], arrays::SELECT),
    (&[Op::Store], arrays::STORE),
    (&[Op::Fill], arrays::FILL),
    (&[Op::Copy], arrays::COPY),
    // One stands for all operations on floats.
    (&[Op::Fp(FpOp::IsNan(FpFormat::HALF))], floats::FP),
    (&[Op::Eq], facts::EQ),
    (&[Op::Ult, Op::Slt], facts::LESS),
    (&[Op::And], facts::AND),
    (&[Op::Add, Op::Mul], facts::SUM),
    (&[Op::Udiv, Op::Urem], facts::DIVIDE),
    (&[Op::Zext, Op::Sext], facts::SEXT),
    (&[Op::Shl, Op::Lshr, Op::Ashr], facts::ASHR),
    (&[Op::UmulOverflow, Op::SmulOverflow], facts::PRODUCT_OVERFLOW),
];

/// Rules that build what is rewritten again stop at this depth; every rule leads towards a normal form, so this is a
/// guard against two that undo each other, not a limit that is met.
const MAX_DEPTH: u32 = 64;

/// Which rules are used, and how often each was.
pub(crate) struct RuleBook {
    pub level: Level,
    depth: u32,
    /// For each kind of operation the numbers of its rules.
    by_op: [Vec<u16>; N_OP_NUMBERS],
    rules: Vec<&'static Rule>,
    enabled: Vec<bool>,
    uses: Vec<u64>,
    /// Each use, for proofs: the rule's name, the node as it was asked for, the result.
    #[cfg(test)]
    pub log: Option<Vec<(&'static str, Node, Term)>>,
    /// A rule that is asked before all others.
    #[cfg(test)]
    pub planted: Option<Rule>,
}

impl RuleBook {
    pub fn new() -> RuleBook {
        let rules: Vec<&Rule> = all_rules().collect();
        let mut by_op = [const { Vec::new() }; N_OP_NUMBERS];
        let mut first = 0;
        for (ops, table) in TABLES {
            for &op in *ops {
                by_op[op_number(op)].extend((first..first + table.len()).map(|number| number as u16));
            }
            first += table.len();
        }
        let n_rules = rules.len();
        RuleBook {
            level: Level::One,
            depth: 0,
            by_op,
            rules,
            enabled: vec![true; n_rules],
            uses: vec![0; n_rules],
            #[cfg(test)]
            log: None,
            #[cfg(test)]
            planted: None,
        }
    }
}

/// Position among all rules of "constant-by-fact".
const CONSTANT_BY_FACT: usize = 0;

fn all_rules() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().flat_map(|(_, rules)| rules.iter())
}

impl Terms {
    /// Sets how much is rewritten from now on; terms that exist stay as they are.
    pub fn set_level(&mut self, level: Level) {
        self.rules.level = level;
    }

    /// Uses a rule or not from now on; a name that no rule has is an error of the caller.
    pub fn set_rule(&mut self, name: &str, is_enabled: bool) {
        let position = all_rules().position(|rule| rule.name == name);
        let position = position.unwrap_or_else(|| panic!("there should be a rule `{name}`"));
        self.rules.enabled[position] = is_enabled;
    }

    /// How often each rule was used.
    pub fn rule_uses(&self) -> impl Iterator<Item = (&'static Rule, u64)> {
        all_rules().zip(self.rules.uses.iter().copied())
    }

    /// What the first rule that matches makes of a node.
    pub(crate) fn rewrite(&mut self, node: &Node) -> Option<Term> {
        if self.rules.level == Level::Fold || self.rules.depth >= MAX_DEPTH {
            return None;
        }
        self.rules.depth += 1;
        let result = self.first_match(node);
        self.rules.depth -= 1;
        result
    }

    fn first_match(&mut self, node: &Node) -> Option<Term> {
        #[cfg(test)]
        if let Some((name, apply)) = self.rules.planted.as_ref().map(|rule| (rule.name, rule.apply))
            && let Some(result) = apply(self, node)
        {
            self.log_use(name, node, result);
            return Some(result);
        }
        let op = op_number(node.op);
        for position in 0..self.rules.by_op[op].len() {
            let number = usize::from(self.rules.by_op[op][position]);
            let rule = self.rules.rules[number];
            if let Some(result) = self.uses(number, rule).then(|| (rule.apply)(self, node)).flatten() {
                self.rules.uses[number] += 1;
                #[cfg(test)]
                self.log_use(rule.name, node, result);
                return Some(result);
            }
        }
        None
    }

    /// Whether rules of level 0 may look at facts, too.
    pub(crate) fn uses_facts(&self) -> bool {
        self.rules.level >= Level::One
    }

    fn uses(&self, number: usize, rule: &Rule) -> bool {
        rule.level <= self.rules.level && self.rules.enabled[number]
    }

    /// match: any word
    /// result: a constant
    /// condition: facts leave one value
    pub(crate) fn constant_by_fact(&mut self, node: &Node, value: u128) -> Option<Term> {
        let (_, rules) = TABLES[CONSTANT_BY_FACT];
        if !self.uses(CONSTANT_BY_FACT, &rules[0]) {
            return None;
        }
        let result = self.constant(node.sort, value);
        self.rules.uses[CONSTANT_BY_FACT] += 1;
        #[cfg(test)]
        self.log_use(rules[0].name, node, result);
        Some(result)
    }

    #[cfg(test)]
    fn log_use(&mut self, name: &'static str, node: &Node, result: Term) {
        if let Some(log) = &mut self.rules.log {
            log.push((name, *node, result));
        }
    }
}
