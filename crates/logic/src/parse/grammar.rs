//! Parser of formulas: operator precedence over parts of host text.
//!
//! A level is the text between two parentheses of the formula, or the whole text. It is read by precedence; the host
//! text up to the next operator of the formula is an operand. If the operand is a single pair of parentheses, they are
//! the formula's; otherwise it is host text.

use std::ops::Range;

use unpick_base::{Diagnostic, Span};

use super::lexer::{Kind, Token, span};
use super::role::{Binary, Role, Unary, ends_operand, roles};
use super::{Dialect, MAX_NESTING, Options, error, too_deep};

/// A formula whose atoms are ranges of tokens.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) shape: Shape,
    /// The tokens it was read from, without brackets around it.
    pub(super) tokens: Range<usize>,
    /// The same with the brackets around it.
    pub(super) outer: Range<usize>,
    depth: usize,
}

#[derive(Debug)]
pub(super) enum Shape {
    Constant(bool),
    Host,
    Unary(Unary, Box<Raw>),
    Binary(Binary, Box<Raw>, Box<Raw>),
    /// `And` or `Or` of two or more.
    List(Binary, Vec<Raw>),
}

/// Reads all tokens as one formula.
pub(super) fn parse(text: &str, tokens: &[Token], options: &Options) -> Result<Raw, Diagnostic> {
    if u32::try_from(text.len()).ok().and_then(|len| options.base.checked_add(len)).is_none() {
        return Err(error(Span::NONE, "the formula is too long", "split the formula"));
    }
    let roles = roles(text, tokens, options)?;
    let mut n_temporal = vec![0];
    for role in &roles {
        n_temporal.push(n_temporal[n_temporal.len() - 1] + usize::from(role.is_temporal()));
    }
    let mut grammar = Grammar { text, tokens, options, roles, n_temporal, nesting: 0 };
    grammar.level(0..tokens.len())
}

struct Grammar<'a> {
    text: &'a str,
    tokens: &'a [Token],
    options: &'a Options,
    roles: Vec<Role>,
    /// How many temporal operators stand before each token.
    n_temporal: Vec<usize>,
    nesting: usize,
}

/// The place in a level.
struct Cursor {
    at: usize,
    end: usize,
}

impl Grammar<'_> {
    fn level(&mut self, range: Range<usize>) -> Result<Raw, Diagnostic> {
        if range.is_empty() {
            return Err(self.missing_operand(range.start));
        }
        if let Some(loose) = self.at_level(range.clone()).find(|at| self.is_loose(*at)) {
            if self.is_temporal(range.clone()) || self.has_implication(range.clone()) {
                let sign = self.tokens[loose].text(self.text);
                let help = "put the expression it belongs to in parentheses";
                let message = format!("`{sign}` beside operators of the formula");
                return Err(error(self.tokens[loose].span(self.options), message, help));
            }
            return self.raw(Shape::Host, range);
        }
        self.place_bitwise(range.clone());
        let mut cursor = Cursor { at: range.start, end: range.end };
        let raw = self.equivalence(&mut cursor)?;
        if cursor.at < cursor.end {
            return Err(self.unexpected(cursor.at));
        }
        Ok(raw)
    }

    /// Tokens of a range that are not inside brackets; of brackets, the opening one.
    fn at_level(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let mut at = range.start;
        std::iter::from_fn(move || {
            let here = at;
            at = self.after(here);
            (here < range.end).then_some(here)
        })
    }

    /// The token after this one, or after the bracket it opens.
    fn after(&self, at: usize) -> usize {
        match self.tokens.get(at) {
            Some(token) if matches!(token.kind, Kind::Open(_)) => token.partner + 1,
            _ => at + 1,
        }
    }

    fn is_loose(&self, at: usize) -> bool {
        let is_promela = self.options.dialect == Dialect::Spin;
        let token = self.tokens[at];
        token.kind == Kind::Loose && !(is_promela && matches!(token.text(self.text), "?" | ":"))
    }

    fn is_temporal(&self, range: Range<usize>) -> bool {
        self.n_temporal[range.end] > self.n_temporal[range.start]
    }

    /// Whether there is an operator that no host knows, outside braces.
    fn has_implication(&self, range: Range<usize>) -> bool {
        range.into_iter().any(|at| self.is_foreign(at))
    }

    fn is_foreign(&self, at: usize) -> bool {
        match self.roles[at] {
            Role::Binary(Binary::Implies | Binary::Iff) => true,
            Role::Binary(Binary::And | Binary::Or) | Role::Unary(Unary::Not) => {
                let is_c = matches!(self.tokens[at].text(self.text), "&&" | "||" | "!");
                let is_bitwise = matches!(self.tokens[at].kind, Kind::Ampersand | Kind::Bar);
                !is_c && !is_bitwise
            }
            role => role.is_temporal(),
        }
    }

    /// `&` and `|` become connectives if one of them in this level has a temporal operator beside it.
    fn place_bitwise(&mut self, range: Range<usize>) {
        if self.options.dialect == Dialect::Spin || !self.is_temporal(range.clone()) {
            return;
        }
        let signs: Vec<usize> = self.at_level(range.clone()).filter(|at| self.is_bitwise(*at, range.start)).collect();
        let beside = |at: usize| {
            let before = self.tokens[at - 1];
            let left = before.kind == Kind::Close(b')') && self.is_temporal(before.partner..at);
            left || self.begins_temporal(at + 1, range.end)
        };
        if signs.iter().any(|at| beside(*at)) {
            for at in signs {
                let and = self.tokens[at].kind == Kind::Ampersand;
                self.roles[at] = Role::Binary(if and { Binary::And } else { Binary::Or });
            }
        }
    }

    /// Whether this is `&` or `|` between two operands.
    fn is_bitwise(&self, at: usize, start: usize) -> bool {
        matches!(self.tokens[at].kind, Kind::Ampersand | Kind::Bar)
            && at > start
            && ends_operand(self.tokens[at - 1], self.text)
            && self.roles[at - 1] == Role::Host
    }

    fn begins_temporal(&self, mut at: usize, end: usize) -> bool {
        while at < end && matches!(self.tokens[at].kind, Kind::Not | Kind::Tilde) {
            at += 1;
        }
        at < end
            && match self.tokens[at].kind {
                Kind::Open(_) => self.is_temporal(at..self.tokens[at].partner),
                _ => matches!(self.roles[at], Role::Unary(unary) if unary != Unary::Not),
            }
    }

    fn binary_at(&self, cursor: &Cursor, accept: &[Binary]) -> Option<Binary> {
        match self.roles.get(cursor.at) {
            Some(Role::Binary(binary)) if cursor.at < cursor.end && accept.contains(binary) => Some(*binary),
            _ => None,
        }
    }

    fn equivalence(&mut self, cursor: &mut Cursor) -> Result<Raw, Diagnostic> {
        let accept: &[Binary] = match self.options.dialect {
            Dialect::Common => &[Binary::Iff],
            Dialect::Spin => &[Binary::Iff, Binary::Implies],
        };
        let mut left = self.implication(cursor)?;
        while let Some(binary) = self.binary_at(cursor, accept) {
            cursor.at += 1;
            let right = self.implication(cursor)?;
            left = self.join(binary, left, right)?;
        }
        Ok(left)
    }

    fn implication(&mut self, cursor: &mut Cursor) -> Result<Raw, Diagnostic> {
        let mut operands = vec![self.list(cursor, Binary::Or)?];
        while self.options.dialect == Dialect::Common && self.binary_at(cursor, &[Binary::Implies]).is_some() {
            cursor.at += 1;
            operands.push(self.list(cursor, Binary::Or)?);
        }
        let mut right = operands.pop().expect("there should be an operand");
        while let Some(left) = operands.pop() {
            right = self.join(Binary::Implies, left, right)?;
        }
        Ok(right)
    }

    /// A disjunction of conjunctions, or a conjunction of what binds tighter.
    fn list(&mut self, cursor: &mut Cursor, binary: Binary) -> Result<Raw, Diagnostic> {
        let mut operands = Vec::new();
        loop {
            operands.push(if binary == Binary::Or { self.list(cursor, Binary::And)? } else { self.temporal(cursor)? });
            if self.binary_at(cursor, &[binary]).is_none() {
                break;
            }
            cursor.at += 1;
        }
        if operands.len() == 1 {
            return Ok(operands.pop().expect("there should be an operand"));
        }
        let tokens = operands[0].outer.start..operands[operands.len() - 1].outer.end;
        self.raw(Shape::List(binary, operands), tokens)
    }

    fn temporal(&mut self, cursor: &mut Cursor) -> Result<Raw, Diagnostic> {
        const SIGNS: &[Binary] = &[Binary::Until, Binary::WeakUntil, Binary::Release, Binary::StrongRelease];
        let start = cursor.at;
        let mut operands = vec![self.operand(cursor)?];
        let mut signs = Vec::new();
        while let Some(binary) = self.binary_at(cursor, SIGNS) {
            cursor.at += 1;
            signs.push(binary);
            operands.push(self.operand(cursor)?);
        }
        if !signs.is_empty() {
            self.reject_bitwise(start..cursor.at)?;
        }
        if self.options.dialect == Dialect::Spin {
            let mut operands = operands.into_iter();
            let mut left = operands.next().expect("there should be an operand");
            for (binary, right) in signs.into_iter().zip(operands) {
                left = self.join(binary, left, right)?;
            }
            return Ok(left);
        }
        let mut right = operands.pop().expect("there should be an operand");
        while let (Some(left), Some(binary)) = (operands.pop(), signs.pop()) {
            right = self.join(binary, left, right)?;
        }
        Ok(right)
    }

    fn operand(&mut self, cursor: &mut Cursor) -> Result<Raw, Diagnostic> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(too_deep(self.tokens[cursor.at.min(self.tokens.len() - 1)].span(self.options)));
        }
        let raw = self.operand_inside(cursor);
        self.nesting -= 1;
        raw
    }

    fn operand_inside(&mut self, cursor: &mut Cursor) -> Result<Raw, Diagnostic> {
        let start = cursor.at;
        if start >= cursor.end {
            return Err(self.missing_operand(start));
        }
        let end = self.operand_end(start, cursor.end);
        match self.roles[start] {
            Role::Binary(_) => return Err(self.missing_operand(start)),
            Role::Unary(Unary::Not) if !self.negates(start, end) => {}
            Role::Unary(unary) => {
                cursor.at += 1;
                let operand = self.operand(cursor)?;
                if unary != Unary::Not {
                    self.reject_bitwise(start + 1..cursor.at)?;
                }
                return self.raw(Shape::Unary(unary, Box::new(operand)), start..cursor.at);
            }
            Role::Host => {}
        }
        let tilde = self.tokens[start].kind == Kind::Tilde && self.options.dialect == Dialect::Common;
        if tilde && self.negates(start, end) {
            cursor.at += 1;
            let operand = self.operand(cursor)?;
            return self.raw(Shape::Unary(Unary::Not, Box::new(operand)), start..cursor.at);
        }
        cursor.at = end;
        self.stretch(start..end)
    }

    /// Where the host text from here ends: at a binary operator of the formula.
    fn operand_end(&self, start: usize, end: usize) -> usize {
        self.at_level(start..end).find(|at| matches!(self.roles[*at], Role::Binary(_))).unwrap_or(end)
    }

    /// Whether the negation in front belongs to the formula: what follows it is temporal or a single operand.
    fn negates(&self, start: usize, end: usize) -> bool {
        let after_signs = (start..end).find(|at| !matches!(self.tokens[*at].kind, Kind::Not | Kind::Tilde));
        let Some(first) = after_signs else { return true };
        if matches!(self.roles[first], Role::Unary(_)) || self.tokens[start].text(self.text) == "not" {
            return true;
        }
        self.is_postfix(first..end)
    }

    /// Whether the range is a primary expression with calls, indices and members after it.
    fn is_postfix(&self, range: Range<usize>) -> bool {
        let primary = match self.tokens[range.start].kind {
            Kind::Word | Kind::Number | Kind::Quoted => true,
            Kind::Open(sign) => sign != b']',
            _ => false,
        };
        let is_group = matches!(self.tokens[range.start].kind, Kind::Open(_));
        let mut after_sign = false;
        let continues = |at: usize| {
            let kind = self.tokens[at].kind;
            let is_sign = matches!(kind, Kind::Dot | Kind::Arrow) || self.tokens[at].text(self.text) == "@";
            // A call after parentheses would be a cast as well.
            let fits = match kind {
                Kind::Open(b')') => !is_group,
                Kind::Open(_) => true,
                Kind::Word | Kind::Number => after_sign,
                _ => is_sign,
            };
            after_sign = is_sign;
            fits
        };
        primary && self.at_level(range).skip(1).all(continues)
    }

    /// An operand without operator in front.
    fn stretch(&mut self, range: Range<usize>) -> Result<Raw, Diagnostic> {
        let first = self.tokens[range.start];
        if first.kind == Kind::Open(b')') && first.partner + 1 == range.end {
            let raw = self.level(range.start + 1..range.end - 1)?;
            return self.checked(Raw { outer: range, depth: raw.depth + 1, ..raw });
        }
        if first.kind == Kind::Open(b'}') && first.partner + 1 == range.end {
            if range.len() == 2 {
                return Err(self.missing_operand(range.end - 1));
            }
            let raw = self.raw(Shape::Host, range.start + 1..range.end - 1)?;
            return Ok(Raw { outer: range, ..raw });
        }
        if range.len() == 1 {
            let constant = match first.text(self.text) {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            };
            if let Some(constant) = constant {
                return self.raw(Shape::Constant(constant), range);
            }
        }
        self.check_host(range.clone())?;
        self.raw(Shape::Host, range)
    }

    /// Host text must have no operators of the formula in it, nor two expressions side by side.
    fn check_host(&self, range: Range<usize>) -> Result<(), Diagnostic> {
        if let Some(at) = range.clone().find(|at| self.is_foreign(*at)) {
            let previous_ends = at > range.start && ends_operand(self.tokens[at - 1], self.text);
            if previous_ends && matches!(self.roles[at], Role::Unary(_)) {
                return Err(self.unexpected(at));
            }
            let sign = self.tokens[at].text(self.text);
            let message = format!("the operator `{sign}` stands inside an expression");
            let help = "expressions can be operands of a formula, not the other way round; braces mark an expression";
            return Err(error(self.tokens[at].span(self.options), message, help));
        }
        let is_plain = |at: usize| match self.tokens[at].kind {
            Kind::Number | Kind::Quoted => true,
            Kind::Word => !is_type_word(self.tokens[at].text(self.text)),
            _ => false,
        };
        let mut pairs = range.clone().zip(range.start + 1..range.end);
        if let Some((_, second)) = pairs.find(|(first, second)| is_plain(*first) && is_plain(*second)) {
            return Err(self.unexpected(second));
        }
        let has = |kind: Kind| self.at_level(range.clone()).any(|at| self.tokens[at].kind == kind);
        if self.options.dialect == Dialect::Common && has(Kind::Bar) && has(Kind::Tilde) {
            let span = self.span(range.clone());
            let help = "write `||` and `!` for the formula's, or braces around the expression";
            return Err(error(span, "`|` and `~` can be the formula's or the expression's here", help));
        }
        Ok(())
    }

    /// `G a & b` has one reading in LTL and another in C.
    fn reject_bitwise(&self, range: Range<usize>) -> Result<(), Diagnostic> {
        let is_host = |at: &usize| self.is_bitwise(*at, range.start) && self.roles[*at] == Role::Host;
        match self.at_level(range.clone()).find(is_host) {
            Some(at) if self.options.dialect == Dialect::Common => {
                let sign = self.tokens[at].text(self.text);
                let message = format!("`{sign}` can be the formula's or the expression's here");
                let help = format!("write `{sign}{sign}` for the formula's, or parentheses around the expression");
                Err(error(self.tokens[at].span(self.options), message, help))
            }
            _ => Ok(()),
        }
    }

    fn join(&self, binary: Binary, left: Raw, right: Raw) -> Result<Raw, Diagnostic> {
        let tokens = left.outer.start..right.outer.end;
        self.raw(Shape::Binary(binary, Box::new(left), Box::new(right)), tokens)
    }

    fn raw(&self, shape: Shape, tokens: Range<usize>) -> Result<Raw, Diagnostic> {
        let depth = match &shape {
            Shape::Constant(_) | Shape::Host => 0,
            Shape::Unary(_, operand) => operand.depth + 1,
            Shape::Binary(_, left, right) => left.depth.max(right.depth) + 1,
            Shape::List(_, operands) => operands.iter().map(|operand| operand.depth + 1).max().unwrap_or(0),
        };
        self.checked(Raw { shape, outer: tokens.clone(), tokens, depth })
    }

    fn checked(&self, raw: Raw) -> Result<Raw, Diagnostic> {
        if raw.depth > MAX_NESTING { Err(too_deep(self.span(raw.tokens))) } else { Ok(raw) }
    }

    fn span(&self, tokens: Range<usize>) -> Span {
        span(self.options, self.tokens[tokens.start].start, self.tokens[tokens.end - 1].end)
    }

    fn missing_operand(&self, at: usize) -> Diagnostic {
        let help = "an operand is an expression of the program, `true`, `false`, or a formula in parentheses";
        match self.tokens.get(at) {
            Some(token) => {
                let message = format!("an operand should stand before `{}`", token.text(self.text));
                error(token.span(self.options), message, help)
            }
            None => {
                let end = self.text.len();
                error(span(self.options, end, end), "the formula ends where an operand should stand", help)
            }
        }
    }

    fn unexpected(&self, at: usize) -> Diagnostic {
        let token = self.tokens[at];
        let message = format!("an operator should stand before `{}`", token.text(self.text));
        let help =
            "binary operators are `&& || -> <-> U V W`, also `until weakuntil release implies equivalent and or`";
        error(token.span(self.options), message, help)
    }
}

/// Words after which C allows another one.
fn is_type_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "sizeof", "struct", "union", "enum", "const", "volatile", "unsigned", "signed", "int", "long", "short", "char",
        "float", "double", "_Bool", "void", "c_expr",
    ];
    WORDS.contains(&word)
}
