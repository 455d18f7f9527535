//! The text form of terms: one line for each node, arguments before what uses them. Read into the arena that printed it, a
//! text gives the same terms; into another one, equal ones, whose nodes may have other numbers.
//!
//! ```text
//! t1 = input "x" bits 32
//! t2 = add 0x5:32 t1
//! t3 = extract 7 0 t2
//! t4 = eq 0x7:8 t3
//! root !t4
//! ```

use std::collections::HashMap;
use std::fmt::Write;

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::float::{FpFormat, FpOp};
use crate::node::{Op, Sort, Term};

/// Why a text was not read: the line, from 1 on, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Which line.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for TextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

/// Operations with a name of their own; those on floats are in `float_name`.
const NAMES: &[(&str, Op)] = &[
    ("not", Op::Not),
    ("and", Op::And),
    ("xor", Op::Xor),
    ("neg", Op::Neg),
    ("add", Op::Add),
    ("mul", Op::Mul),
    ("udiv", Op::Udiv),
    ("urem", Op::Urem),
    ("shl", Op::Shl),
    ("lshr", Op::Lshr),
    ("ashr", Op::Ashr),
    ("eq", Op::Eq),
    ("ult", Op::Ult),
    ("slt", Op::Slt),
    ("umul-overflow", Op::UmulOverflow),
    ("smul-overflow", Op::SmulOverflow),
    ("ite", Op::Ite),
    ("concat", Op::Concat),
    ("extract", Op::Extract),
    ("zext", Op::Zext),
    ("sext", Op::Sext),
    ("clz", Op::Clz),
    ("ctz", Op::Ctz),
    ("popcount", Op::Popcount),
    ("const-array", Op::ConstArray),
    ("store", Op::Store),
    ("select", Op::Select),
    ("fill", Op::Fill),
    ("copy", Op::Copy),
];

impl Terms {
    /// The cone of some terms as text.
    pub fn print(&self, roots: &[Term]) -> String {
        let mut text = String::new();
        for term in self.cone(roots) {
            if !self.is_constant(term) {
                let _ = writeln!(text, "t{} = {}", term.index(), self.definition(term));
            }
        }
        for &root in roots {
            let _ = writeln!(text, "root {}", self.operand(root));
        }
        text
    }

    fn operand(&self, term: Term) -> String {
        if let Some(value) = self.constant_value(term) {
            return format!("{value}:{}", value.width());
        }
        format!("{}t{}", if term.is_negated() { "!" } else { "" }, term.index())
    }

    fn definition(&self, term: Term) -> String {
        let op = self.op(term);
        let width = || self.width(term);
        let head = match op {
            Op::Input => {
                return format!("input {:?} {}", self.input_name(self.input_of(term)), self.sort(term));
            }
            Op::Extract => {
                let low = self.extract_low(term);
                format!("extract {} {low}", low + width() - 1)
            }
            Op::Zext => format!("zext {}", width()),
            Op::Sext => format!("sext {}", width()),
            Op::ConstArray => format!("const-array {}", self.array_widths(term).0),
            Op::Fp(operation) => float_head(operation, width()),
            _ => op_name(op).to_owned(),
        };
        let operands: Vec<String> = self.args(term).iter().map(|&arg| self.operand(arg)).collect();
        format!("{head} {}", operands.join(" "))
    }

    /// Reads what [`Terms::print`] wrote and returns the roots. Nodes go through their constructors, so at the level at which
    /// they were made they are the same again; inputs are found by name.
    pub fn parse(&mut self, text: &str) -> Result<Vec<Term>, TextError> {
        let mut reader = Reader { known: HashMap::new(), roots: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let error = |message: String| TextError { line: number + 1, message };
            reader.line(self, line.trim()).map_err(error)?;
        }
        Ok(reader.roots)
    }
}

pub(crate) fn op_name(op: Op) -> &'static str {
    NAMES.iter().find(|(_, other)| *other == op).map_or("fp", |(name, _)| name)
}

/// Name, format and what else an operation on floats needs.
pub(crate) fn float_head(operation: FpOp, width: u32) -> String {
    let format = |format: FpFormat| {
        let stored = if format.is_leading_stored { "x" } else { "" };
        format!("{}.{}{stored}", format.exponent, format.precision)
    };
    let from = format(operation.format());
    match operation {
        FpOp::Convert { to, .. } => format!("fp.convert {from} {}", format(to)),
        FpOp::ToUnsigned(_) => format!("fp.to-unsigned {from} {width}"),
        FpOp::ToSigned(_) => format!("fp.to-signed {from} {width}"),
        FpOp::FitsUnsigned { width, .. } => format!("fp.fits-unsigned {from} {width}"),
        FpOp::FitsSigned { width, .. } => format!("fp.fits-signed {from} {width}"),
        _ => {
            let name = FLOAT_NAMES.iter().find(|(_, make)| make(operation.format()) == operation);
            format!("{} {from}", name.map_or("fp", |(name, _)| name))
        }
    }
}

type OfFormat = fn(FpFormat) -> FpOp;

/// Operations on floats that have nothing but their format.
const FLOAT_NAMES: &[(&str, OfFormat)] = &[
    ("fp.add", FpOp::Add),
    ("fp.mul", FpOp::Mul),
    ("fp.div", FpOp::Div),
    ("fp.fma", FpOp::Fma),
    ("fp.sqrt", FpOp::Sqrt),
    ("fp.fmod", FpOp::Fmod),
    ("fp.remainder", FpOp::Remainder),
    ("fp.round", FpOp::RoundToIntegral),
    ("fp.eq", FpOp::Eq),
    ("fp.lt", FpOp::Lt),
    ("fp.le", FpOp::Le),
    ("fp.is-nan", FpOp::IsNan),
    ("fp.is-infinite", FpOp::IsInfinite),
    ("fp.is-zero", FpOp::IsZero),
    ("fp.is-subnormal", FpOp::IsSubnormal),
    ("fp.from-unsigned", FpOp::FromUnsigned),
    ("fp.from-signed", FpOp::FromSigned),
];

struct Reader {
    known: HashMap<String, Term>,
    roots: Vec<Term>,
}

/// What stands in a line after the name, word by word.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        self.0.next().ok_or_else(|| "the line ends too early".to_owned())
    }

    fn number(&mut self, most: u32) -> Result<u32, String> {
        let word = self.next()?;
        let number = word.parse().map_err(|_| format!("`{word}` should be a number"))?;
        if number > most { Err(format!("{number} is more than {most}")) } else { Ok(number) }
    }

    fn width(&mut self) -> Result<u32, String> {
        match self.number(crate::node::MAX_WIDTH)? {
            0 => Err("a width should not be 0".to_owned()),
            width => Ok(width),
        }
    }

    fn format(&mut self) -> Result<FpFormat, String> {
        let word = self.next()?;
        let (plain, is_leading_stored) = word.strip_suffix('x').map_or((word, false), |plain| (plain, true));
        let numbers = plain.split_once('.').and_then(|(exponent, precision)| {
            Some(FpFormat { exponent: exponent.parse().ok()?, precision: precision.parse().ok()?, is_leading_stored })
        });
        numbers.filter(|format| format.is_supported()).ok_or_else(|| format!("`{word}` should be a supported format"))
    }
}

impl Reader {
    fn line(&mut self, terms: &mut Terms, line: &str) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        if let Some(operand) = line.strip_prefix("root ") {
            let root = self.operand(terms, operand.trim())?;
            self.roots.push(root);
            return Ok(());
        }
        let (name, rest) = line.split_once(" = ").ok_or("a line should define a node or name a root")?;
        let term = match rest.strip_prefix("input ") {
            Some(rest) => input(terms, rest)?,
            None => self.node(terms, Words(rest.split_whitespace()))?,
        };
        self.known.insert(name.to_owned(), term);
        Ok(())
    }

    fn operand(&self, terms: &mut Terms, word: &str) -> Result<Term, String> {
        if let Some((digits, width)) = word.split_once(':') {
            let width: u32 = width.parse().map_err(|_| format!("`{width}` should be a width"))?;
            let is_width = (1..=crate::node::MAX_WIDTH).contains(&width);
            let digits = digits.strip_prefix("0x").filter(|_| is_width);
            let value = digits.and_then(|digits| BitVec::from_hex(width, digits));
            return Ok(terms.constant_bits(&value.ok_or_else(|| format!("`{word}` should be a constant"))?));
        }
        let name = word.strip_prefix('!').unwrap_or(word);
        let term = *self.known.get(name).ok_or_else(|| format!("`{name}` should be defined before"))?;
        if name == word {
            return Ok(term);
        }
        if terms.sort(term) == Sort::BOOL { Ok(terms.not(term)) } else { Err(format!("`{word}` is no Boolean")) }
    }

    fn node(&self, terms: &mut Terms, mut words: Words) -> Result<Term, String> {
        let name = words.next()?;
        if name.starts_with("fp.") {
            return self.float(terms, name, words);
        }
        let op = NAMES.iter().find(|(other, _)| *other == name).map(|(_, op)| *op);
        let op = op.ok_or_else(|| format!("`{name}` should be an operation"))?;
        let numbers = match op {
            Op::Extract => [words.number(crate::node::MAX_WIDTH)?, words.number(crate::node::MAX_WIDTH)?],
            Op::Zext | Op::Sext | Op::ConstArray => [words.width()?, 0],
            _ => [0, 0],
        };
        let args = self.operands(terms, words, op.arity())?;
        let sorts: Vec<Sort> = args.iter().map(|&arg| terms.sort(arg)).collect();
        if !are_fitting(op, &sorts, numbers) {
            return Err(format!("`{name}` does not take these sorts"));
        }
        Ok(build(terms, op, &args, numbers))
    }

    fn operands(&self, terms: &mut Terms, words: Words, arity: usize) -> Result<Vec<Term>, String> {
        let args: Vec<Term> = words.0.map(|word| self.operand(terms, word)).collect::<Result<_, _>>()?;
        if args.len() == arity { Ok(args) } else { Err(format!("{arity} arguments should follow, not {}", args.len())) }
    }

    fn float(&self, terms: &mut Terms, name: &str, mut words: Words) -> Result<Term, String> {
        let format = words.format()?;
        let mut width = 1;
        let mut narrow = || -> Result<u8, String> {
            width = words.number(128)?.max(1);
            Ok(width as u8)
        };
        let operation = match name {
            "fp.to-unsigned" => narrow().map(|_| FpOp::ToUnsigned(format))?,
            "fp.to-signed" => narrow().map(|_| FpOp::ToSigned(format))?,
            "fp.fits-unsigned" => FpOp::FitsUnsigned { from: format, width: narrow()? },
            "fp.fits-signed" => FpOp::FitsSigned { from: format, width: narrow()? },
            "fp.convert" => FpOp::Convert { from: format, to: words.format()? },
            _ => {
                let make = FLOAT_NAMES.iter().find(|(other, _)| *other == name);
                make.ok_or_else(|| format!("`{name}` should be an operation"))?.1(format)
            }
        };
        let args = self.operands(terms, words, operation.arity())?;
        let n_modes = usize::from(operation.has_rounding());
        let is_integer = matches!(operation, FpOp::FromUnsigned(_) | FpOp::FromSigned(_));
        for (position, &arg) in args.iter().enumerate() {
            let fits = match terms.sort(arg) {
                Sort::Bits(found) if position < n_modes => found == crate::float::ROUNDING_WIDTH,
                Sort::Bits(found) => found == format.width() || is_integer && found <= 128,
                Sort::Array { .. } => false,
            };
            if !fits {
                return Err(format!("`{name}` does not take these sorts"));
            }
        }
        Ok(match operation {
            FpOp::ToUnsigned(_) => terms.fp_to_unsigned(format, width, args[0], args[1]),
            FpOp::ToSigned(_) => terms.fp_to_signed(format, width, args[0], args[1]),
            _ => terms.fp(operation, &args),
        })
    }
}

/// `"name" sort`; the name is quoted as Rust quotes it.
fn input(terms: &mut Terms, text: &str) -> Result<Term, String> {
    let (quoted, sort) = text.rsplit_once("\" ").ok_or("a quoted name and a sort should follow")?;
    let name = unquote(quoted.strip_prefix('"').ok_or("a name should be quoted")?)?;
    let mut words = Words(sort.split_whitespace());
    let sort = match words.next()? {
        "bits" => Sort::Bits(words.width()?),
        "array" => {
            let index = words.width()?;
            if index > crate::node::MAX_INDEX_WIDTH {
                return Err(format!("an index should have at most 128 bits, not {index}"));
            }
            Sort::Array { index, element: words.width()? }
        }
        other => return Err(format!("`{other}` should be `bits` or `array`")),
    };
    let other = terms.find_input(&name).map(|input| terms.sort(terms.input_term(input)));
    if other.is_some_and(|other| other != sort) {
        return Err(format!("the input `{name}` has another sort already"));
    }
    Ok(terms.input(&name, sort))
}

/// Undoes `{:?}` of strings.
fn unquote(text: &str) -> Result<String, String> {
    let mut name = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            name.push(c);
            continue;
        }
        name.push(match rest.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('0') => '\0',
            Some('u') => {
                let code: String = rest.by_ref().take_while(|&c| c != '}').filter(|&c| c != '{').collect();
                let number = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                number.ok_or_else(|| format!("`\\u{{{code}}}` should be a character"))?
            }
            Some(c @ ('\\' | '"' | '\'')) => c,
            other => return Err(format!("`\\{}` should be an escape", other.unwrap_or(' '))),
        });
    }
    Ok(name)
}

/// Whether a constructor would take these sorts.
fn are_fitting(op: Op, sorts: &[Sort], [first, second]: [u32; 2]) -> bool {
    use Sort::{Array, Bits};
    match (op, sorts) {
        (Op::Not | Op::Neg | Op::Clz | Op::Ctz | Op::Popcount | Op::ConstArray, [Bits(_)]) => {
            op != Op::ConstArray || first <= crate::node::MAX_INDEX_WIDTH
        }
        (Op::Extract, [Bits(width)]) => second <= first && first < *width,
        (Op::Zext | Op::Sext, [Bits(width)]) => first >= *width,
        (Op::Concat, [Bits(high), Bits(low)]) => high + low <= crate::node::MAX_WIDTH,
        (Op::Ite, [condition, then, otherwise]) => *condition == Sort::BOOL && then == otherwise,
        (Op::Select, [Array { index, .. }, Bits(width)]) => index == width,
        (Op::Store, [Array { index, element }, Bits(at), Bits(value)]) => index == at && element == value,
        (Op::Fill, [Array { index, element }, Bits(start), Bits(length), Bits(value)]) => {
            [start, length].iter().all(|width| *width == index) && element == value
        }
        (Op::Copy, [target, Bits(to), source, Bits(from), Bits(length)]) => {
            let is_index = |width: &u32| matches!(target, Array { index, .. } if index == width);
            target == source && is_index(to) && is_index(from) && is_index(length)
        }
        (Op::UmulOverflow | Op::SmulOverflow, [Bits(left), Bits(right)]) => left == right && *left > 1,
        (_, [Bits(left), Bits(right)]) => left == right && op.arity() == 2,
        _ => false,
    }
}

/// Through the constructor; the sorts fit.
fn build(terms: &mut Terms, op: Op, args: &[Term], [first, second]: [u32; 2]) -> Term {
    match (op, args) {
        (Op::Not, &[a]) => terms.not(a),
        (Op::Neg, &[a]) => terms.neg(a),
        (Op::Clz, &[a]) => terms.clz(a),
        (Op::Ctz, &[a]) => terms.ctz(a),
        (Op::Popcount, &[a]) => terms.popcount(a),
        (Op::ConstArray, &[a]) => terms.const_array(first, a),
        (Op::Extract, &[a]) => terms.extract(a, first, second),
        (Op::Zext, &[a]) => terms.zext(a, first),
        (Op::Sext, &[a]) => terms.sext(a, first),
        (Op::And, &[a, b]) => terms.and(a, b),
        (Op::Xor, &[a, b]) => terms.xor(a, b),
        (Op::Add, &[a, b]) => terms.add(a, b),
        (Op::Mul, &[a, b]) => terms.mul(a, b),
        (Op::Udiv, &[a, b]) => terms.udiv(a, b),
        (Op::Urem, &[a, b]) => terms.urem(a, b),
        (Op::Shl, &[a, b]) => terms.shl(a, b),
        (Op::Lshr, &[a, b]) => terms.lshr(a, b),
        (Op::Ashr, &[a, b]) => terms.ashr(a, b),
        (Op::Eq, &[a, b]) => terms.eq(a, b),
        (Op::Ult, &[a, b]) => terms.ult(a, b),
        (Op::Slt, &[a, b]) => terms.slt(a, b),
        (Op::UmulOverflow | Op::SmulOverflow, _) => terms.build(op, Sort::BOOL, args),
        (Op::Concat, &[a, b]) => terms.concat(a, b),
        (Op::Select, &[a, b]) => terms.select(a, b),
        (Op::Ite, &[a, b, c]) => terms.ite(a, b, c),
        (Op::Store, &[a, b, c]) => terms.store(a, b, c),
        (Op::Fill, &[a, b, c, d]) => terms.fill(a, b, c, d),
        (Op::Copy, &[a, b, c, d, e]) => terms.copy(a, b, c, d, e),
        _ => unreachable!("`{op:?}` should have had its sorts checked"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Pool;
    use crate::{Assignment, Evaluator, InputId, Level};

    #[test]
    fn what_is_printed_reads_back() {
        for seed in 0..300 {
            let level = [Level::Fold, Level::Zero, Level::One][seed as usize % 3];
            let mut terms = Terms::new();
            terms.set_level(level);
            let mut pool = Pool::new(&mut terms, seed, &[8, 1, 16, 200]);
            for _ in 0..40 {
                pool.step(&mut terms);
            }
            let format = FpFormat::HALF;
            let (mode, x, y) =
                (terms.input("r m\"1", Sort::Bits(3)), pool.word(&mut terms, 16), pool.word(&mut terms, 16));
            pool.words.push(terms.fp(FpOp::Add(format), &[mode, x, y]));
            pool.words.push(terms.fp_to_signed(format, 16, mode, x));
            pool.words.push(terms.fp(FpOp::FitsSigned { from: format, width: 16 }, &[mode, y]));
            pool.words.push(terms.fp(FpOp::Convert { from: format, to: FpFormat::X87 }, &[mode, y]));
            let roots = pool.words.split_off(pool.words.len() - 12);
            let text = terms.print(&roots);
            let mut other = Terms::new();
            other.set_level(level);
            let other_roots = other.parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let model = pool.model(&terms);
            let by_name = |input: InputId, sort: Sort| {
                let original = terms.find_input(other.input_name(input)).expect("the names should be the same");
                model.value(original, sort)
            };
            let (mut one, mut two) = (Evaluator::new(&terms, &model), Evaluator::new(&other, &by_name));
            for (&root, &other_root) in roots.iter().zip(&other_roots) {
                assert_eq!(one.value(root), two.value(other_root), "seed {seed}:\n{text}");
            }
            assert_eq!(roots.len(), other_roots.len());
            // In its own arena each root is itself.
            assert_eq!(terms.parse(&text), Ok(roots), "seed {seed}:\n{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_its_line() {
        for (text, message) in [
            ("t1 = input \"x\" bits 0", "a width should not be 0"),
            ("t1 = input \"x\" bits 8\nt2 = add t1 0x1:9", "does not take these sorts"),
            ("t1 = input \"x\" bits 8\nt2 = extract 8 0 t1", "does not take these sorts"),
            ("t1 = input \"x\" bits 8\nt2 = add t1", "2 arguments"),
            ("t1 = input \"x\" bits 8\nroot !t1", "no Boolean"),
            ("root t9", "defined before"),
            ("t1 = frob 0x1:8", "should be an operation"),
            ("t1 = fp.add 7.7 0x0:3", "supported format"),
            ("t1 = not 0x100:8", "should be a constant"),
            ("nonsense", "define a node"),
        ] {
            let error = Terms::new().parse(text).expect_err(text);
            assert!(error.message.contains(message), "{error}");
            assert_eq!(error.line, text.lines().count());
        }
    }
}
