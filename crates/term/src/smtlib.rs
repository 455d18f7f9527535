//! Terms as SMT-LIB 2, for other solvers: logic QF_ABV, with floats QF_ABVFP (Barrett, Fontaine, Tinelli).
//!
//! Width 1 is `Bool` and becomes a bit where a word is made of it. Each node is one `define-fun`, so the script is as large as
//! the graph. `Fill` and `Copy` are functions as arrays, `lambda`, which z3 and cvc5 read. The standard has no operation that
//! gives the bits of a float: z3's `fp.to_ieee_bv` does, guarded by our rule for NaNs.

mod floats;

use std::fmt::Write;

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Node, Op, Sort, Term};

/// Why a script cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotSmtLib {
    /// A float whose leading bit is stored.
    StoredLeadingBit,
    /// Rounding to an integer with a status, C's `remainder` or `fmod`, which solvers compute each in their way.
    FloatOperation(&'static str),
}

impl std::fmt::Display for NotSmtLib {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotSmtLib::StoredLeadingBit => write!(f, "SMT-LIB has no floats with a stored leading bit"),
            NotSmtLib::FloatOperation(name) => write!(f, "SMT-LIB has no `{name}` as meant here"),
        }
    }
}

impl std::error::Error for NotSmtLib {}

impl Terms {
    /// A script that asks whether all of these Booleans can be true.
    pub fn smtlib(&self, assertions: &[Term]) -> Result<String, NotSmtLib> {
        let mut script = String::from("(set-logic ALL)\n");
        self.write_definitions(assertions, &mut script)?;
        for &assertion in assertions {
            let _ = writeln!(script, "(assert {})", self.smt_reference(assertion));
        }
        script.push_str("(check-sat)\n");
        Ok(script)
    }

    /// Declarations and definitions of everything below the roots.
    pub(crate) fn write_definitions(&self, roots: &[Term], script: &mut String) -> Result<(), NotSmtLib> {
        for term in self.cone(roots) {
            let sort = smt_sort(self.sort(term));
            let index = term.index();
            let _ = match self.op(term) {
                Op::Const => continue,
                Op::Input => {
                    let name = self.input_name(self.input_of(term));
                    writeln!(script, "(declare-fun t{index} () {sort}) ; {name}")
                }
                _ => writeln!(script, "(define-fun t{index} () {sort} {})", self.smt_expression(self.node(term))?),
            };
        }
        Ok(())
    }

    /// How a term is called: its node's name, or the constant itself.
    pub(crate) fn smt_reference(&self, term: Term) -> String {
        match term {
            Term::FALSE => "false".to_owned(),
            Term::TRUE => "true".to_owned(),
            _ if term.is_negated() => format!("(not t{})", term.index()),
            _ => self.constant_value(term).map_or_else(|| format!("t{}", term.index()), |value| smt_constant(&value)),
        }
    }

    /// A term where a bit-vector has to be, of one bit too.
    fn smt_word(&self, term: Term) -> String {
        let reference = self.smt_reference(term);
        match self.sort(term) {
            Sort::BOOL => format!("(ite {reference} #b1 #b0)"),
            Sort::Bits(_) | Sort::Array { .. } => reference,
        }
    }

    /// The expression of a node, whether it is in the arena or not.
    pub(crate) fn smt_expression(&self, node: &Node) -> Result<String, NotSmtLib> {
        let args = node.args();
        let word = |position: usize| self.smt_word(args[position]);
        let reference = |position: usize| self.smt_reference(args[position]);
        let two = |name: &str| format!("({name} {} {})", reference(0), reference(1));
        let is_bool = node.sort() == Sort::BOOL;
        let text = match node.op {
            Op::Const | Op::Input => unreachable!("constants and inputs should have no expression"),
            Op::Not => format!("(bvnot {})", reference(0)),
            Op::And => two(if is_bool { "and" } else { "bvand" }),
            Op::Xor => two(if is_bool { "xor" } else { "bvxor" }),
            Op::Neg => format!("(bvneg {})", reference(0)),
            Op::Add => two("bvadd"),
            Op::Mul => two("bvmul"),
            Op::Udiv => two("bvudiv"),
            Op::Urem => two("bvurem"),
            Op::Shl => two("bvshl"),
            Op::Lshr => two("bvlshr"),
            Op::Ashr => two("bvashr"),
            Op::Eq => two("="),
            Op::Ult => two("bvult"),
            Op::Slt => two("bvslt"),
            Op::UmulOverflow => self.product_overflow(node, "zero_extend"),
            Op::SmulOverflow => self.product_overflow(node, "sign_extend"),
            Op::Ite => format!("(ite {} {} {})", reference(0), reference(1), reference(2)),
            Op::Concat => format!("(concat {} {})", word(0), word(1)),
            Op::Extract => as_bool_if(
                is_bool,
                format!("((_ extract {} {}) {})", node.aux as u32 + node.sort - 1, node.aux as u32, reference(0)),
            ),
            Op::Zext => format!("((_ zero_extend {}) {})", node.sort - self.width(args[0]), word(0)),
            Op::Sext => format!("((_ sign_extend {}) {})", node.sort - self.width(args[0]), word(0)),
            Op::Clz => counted(node.sort, &reference(0), (0..node.sort).rev()),
            Op::Ctz => counted(node.sort, &reference(0), 0..node.sort),
            Op::Popcount => summed(node.sort, &reference(0)),
            Op::ConstArray => format!("((as const {}) {})", smt_sort(node.sort()), word(0)),
            Op::Store => format!("(store {} {} {})", reference(0), word(1), word(2)),
            Op::Select => as_bool_if(is_bool, format!("(select {} {})", reference(0), word(1))),
            Op::Fill => self.splice(node, args[1], args[2], &word(3)),
            Op::Copy => {
                let index = format!("(bvadd {} (bvsub i {}))", word(3), word(1));
                self.splice(node, args[1], args[4], &format!("(select {} {index})", reference(2)))
            }
            Op::Fp(operation) => self.smt_float(operation, node)?,
        };
        Ok(text)
    }

    /// Whether the product in twice the width is another one than the product in the width, extended.
    fn product_overflow(&self, node: &Node, extension: &str) -> String {
        let width = self.width(node.args[0]);
        let (left, right) = (self.smt_reference(node.args[0]), self.smt_reference(node.args[1]));
        let extend = |term: &str| format!("((_ {extension} {width}) {term})");
        let exact = format!("(bvmul {} {})", extend(&left), extend(&right));
        format!("(not (= {exact} {}))", extend(&format!("(bvmul {left} {right})")))
    }

    /// An array that is another one from `start` on.
    fn splice(&self, node: &Node, start: Term, length: Term, inside: &str) -> String {
        let index_width = self.width(start);
        let (start, length) = (self.smt_word(start), self.smt_word(length));
        let outside = format!("(select {} i)", self.smt_reference(node.args[0]));
        let is_inside = format!("(bvult (bvsub i {start}) {length})");
        format!("(lambda ((i (_ BitVec {index_width}))) (ite {is_inside} {inside} {outside}))")
    }
}

fn as_bool_if(is_bool: bool, word: String) -> String {
    if is_bool { format!("(= {word} #b1)") } else { word }
}

pub(crate) fn smt_sort(sort: Sort) -> String {
    match sort {
        Sort::BOOL => "Bool".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}

fn smt_constant(value: &BitVec) -> String {
    let bits: String = (0..value.width()).rev().map(|position| if value.bit(position) { '1' } else { '0' }).collect();
    format!("#b{bits}")
}

fn decimal(value: u32, width: u32) -> String {
    smt_constant(&BitVec::new(width, u128::from(value)))
}

/// How many bits, taken in this order, are 0 before the first 1.
fn counted(width: u32, word: &str, positions: impl Iterator<Item = u32>) -> String {
    let mut text = String::new();
    for (zeros, position) in positions.enumerate() {
        let count = decimal(zeros as u32, width);
        let _ = write!(text, "(ite (= ((_ extract {position} {position}) {word}) #b1) {count} ");
    }
    text + &decimal(width, width) + &")".repeat(width as usize)
}

/// How many bits are 1.
fn summed(width: u32, word: &str) -> String {
    let bit = |position: u32| format!("((_ zero_extend {}) ((_ extract {position} {position}) {word}))", width - 1);
    let first = bit(0);
    (1..width).fold(first, |sum, position| format!("(bvadd {sum} {})", bit(position)))
}
