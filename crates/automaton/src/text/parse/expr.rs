//! Parser of the text form: expressions and places.

use super::super::lex::TokenKind;
use super::super::words::{PROBES, UNARY, binary_of, kind_of, number_after, scope_of};
use super::{MAX_NESTING, Parsed, Parser};
use crate::code::PieceId;
use crate::{Binary, Expr, Match, Receive, Run, Unary};

impl Parser<'_> {
    /// An expression, with operators of one kind in a row or a condition and two cases.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let beside = std::mem::take(&mut self.tallest);
        let first = self.operand()?;
        let found = match self.operator() {
            Some(operator) => self.row(first, operator)?,
            None if self.is("?") => self.cases(first)?,
            None => first,
        };
        self.tallest = self.tallest.max(beside);
        Ok(found)
    }

    /// What is read has one more level than what is below it.
    fn grow(&mut self) -> Parsed<()> {
        self.tallest += 1;
        if self.tallest > MAX_NESTING { self.too_deep() } else { Ok(()) }
    }

    fn operator(&self) -> Option<Binary> {
        let token = self.token();
        if token.kind == TokenKind::Punct { binary_of(token.text) } else { None }
    }

    #[inline(never)]
    fn cases(&mut self, condition: Expr) -> Parsed<Expr> {
        self.expect("?")?;
        let yes = self.operand()?;
        self.expect(":")?;
        let no = self.operand()?;
        self.grow()?;
        Ok(Expr::Conditional(Box::new((condition, yes, no))))
    }

    #[inline(never)]
    fn row(&mut self, first: Expr, operator: Binary) -> Parsed<Expr> {
        let mut found = first;
        while let Some(next) = self.operator() {
            if kind_of(next) != kind_of(operator) {
                return self.error(format!("`{}` and `{}` need parentheses", operator.spelling(), next.spelling()));
            }
            self.advance();
            let right = self.operand()?;
            self.grow()?;
            found = Expr::Binary(next, Box::new(found), Box::new(right));
        }
        Ok(found)
    }

    fn too_deep<T>(&self) -> Parsed<T> {
        self.error(format!("expressions nest no deeper than {MAX_NESTING} levels"))
    }

    /// An expression that nothing beside it can be taken to belong to.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        if self.nesting >= MAX_NESTING {
            return self.too_deep();
        }
        self.nesting += 1;
        let beside = std::mem::take(&mut self.tallest);
        let is_inner = self.is("(");
        let found = match self.token().kind {
            TokenKind::Number => self.constant(false),
            TokenKind::Punct => self.signed(),
            TokenKind::Word => self.worded(),
            TokenKind::Text | TokenKind::End => self.expected("an expression"),
        };
        self.nesting -= 1;
        if !is_inner {
            self.grow()?;
        }
        self.tallest = self.tallest.max(beside);
        found
    }

    fn constant(&mut self, is_negative: bool) -> Parsed<Expr> {
        let at = self.at;
        let magnitude: i64 = self.number()?;
        match i32::try_from(if is_negative { -magnitude } else { magnitude }) {
            Ok(value) => Ok(Expr::Const(value)),
            Err(_) => {
                self.at = at;
                self.error("this number does not fit 32 bits with sign")
            }
        }
    }

    /// What begins with a sign: parentheses, an operator, a negative number.
    fn signed(&mut self) -> Parsed<Expr> {
        if self.eat("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let Some(operator) = self.meaning(TokenKind::Punct, unary_of) else {
            return self.expected("an expression");
        };
        if operator == Unary::Minus && self.token().kind == TokenKind::Number {
            return self.constant(true);
        }
        Ok(Expr::Unary(operator, Box::new(self.operand()?)))
    }

    /// What begins with a word.
    #[inline(never)]
    fn worded(&mut self) -> Parsed<Expr> {
        let word = self.token().text;
        if scope_of(word).is_some() {
            return Ok(Expr::Load(Box::new(self.place()?)));
        }
        let simple = match word {
            "pid" => Some(Expr::Pid),
            "processes" => Some(Expr::ProcessCount),
            "last" => Some(Expr::Last),
            "priority" => Some(Expr::Priority),
            "timeout" => Some(Expr::Timeout),
            "nonprogress" => Some(Expr::NonProgress),
            _ => None,
        };
        if let Some(simple) = simple {
            self.advance();
            return Ok(simple);
        }
        if let Some(probe) = PROBES.into_iter().find(|probe| probe.spelling() == word) {
            self.advance();
            return Ok(Expr::Probe(probe, Box::new(self.operand()?)));
        }
        let wrap = match word {
            "len" => Expr::Len,
            "enabled" => Expr::Enabled,
            "priority_of" => Expr::GetPriority,
            "location_of" => Expr::PcValue,
            _ => return self.compound(),
        };
        self.advance();
        Ok(wrap(Box::new(self.operand()?)))
    }

    #[inline(never)]
    fn compound(&mut self) -> Parsed<Expr> {
        if self.eat("run") {
            let proctype = self.proctype_id()?;
            let args = self.list(Self::expr)?;
            let priority = self.number_of("priority")?;
            return Ok(Expr::Run(Box::new(Run { proctype, args, priority, span: self.span()? })));
        }
        if self.eat("poll") {
            return Ok(Expr::Poll(Box::new(self.receive()?)));
        }
        if self.eat("at") {
            let proctype = self.proctype_id()?;
            let pid = self.pid()?;
            return Ok(Expr::RemoteLabel(proctype, pid, self.location_id()?));
        }
        if self.eat("remote") {
            let proctype = self.proctype_id()?;
            let pid = self.pid()?;
            return Ok(Expr::RemoteVar(proctype, pid, Box::new(self.place()?)));
        }
        if self.eat("value") {
            let piece = self.piece_id()?;
            return Ok(Expr::Code(piece, self.span()?));
        }
        self.expected("an expression")
    }

    fn pid(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let pid = self.expr()?;
        self.expect("]")?;
        Ok(Some(Box::new(pid)))
    }

    pub(super) fn piece_id(&mut self) -> Parsed<PieceId> {
        match self.meaning(TokenKind::Word, |word| number_after(word, "code")) {
            Some(number) => Ok(PieceId(number)),
            None => self.expected("a piece of C"),
        }
    }

    /// What follows the word for a receive or for its test.
    pub(super) fn receive(&mut self) -> Parsed<Receive> {
        let is_random = self.eat("random");
        let is_copy = self.eat("copy");
        let channel = self.operand()?;
        let args = self.list(|parser| match parser.eat("->") {
            true => Ok(Match::Store(parser.place()?)),
            false => Ok(Match::Equal(parser.expr()?)),
        })?;
        Ok(Receive { channel, is_random, is_copy, args, span: self.span()? })
    }
}

fn unary_of(spelling: &str) -> Option<Unary> {
    UNARY.into_iter().find(|operator| operator.spelling() == spelling)
}
