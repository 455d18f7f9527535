//! Parser of primary expressions: names, literals, parentheses, and the built-in forms that take types.

use unpick_base::Span;

use super::{Failed, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::lexer::literal::{self, Number};
use crate::lexer::text::{self, Flaw};
use crate::syntax::{
    Designator, Encoding, Expr, ExprKind, GenericArm, GenericControl, Ident, IntLit, IntSize, StrLit, TypeName,
};

impl Parser {
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token_at(0);
        let kind = match self.word() {
            TokenKind::Ident if self.at_quantifier() => return self.quantifier(),
            TokenKind::Ident => {
                self.bump();
                ExprKind::Ident(Ident { name: token.symbol, span: token.span })
            }
            TokenKind::Number => return Ok(self.number()),
            TokenKind::Char => return Ok(self.char_constant()),
            TokenKind::Str => ExprKind::Str(self.string_literal()?),
            TokenKind::LParen => return self.parenthesised(),
            TokenKind::True | TokenKind::False => ExprKind::Bool(self.bump_word() == TokenKind::True),
            TokenKind::Nullptr => {
                self.bump();
                ExprKind::Nullptr
            }
            TokenKind::FuncName => {
                self.bump();
                ExprKind::FuncName
            }
            TokenKind::Alignof => return self.size_of(),
            TokenKind::Generic => self.generic()?,
            TokenKind::VaArg | TokenKind::Offsetof | TokenKind::TypesCompatible | TokenKind::ChooseExpr => {
                self.builtin_form(self.word())?
            }
            _ => return self.expected("expression"),
        };
        Ok(Expr { kind, span: Span::new(token.span.lo, self.previous_end()) })
    }

    fn bump_word(&mut self) -> TokenKind {
        let word = self.word();
        self.bump();
        word
    }

    fn number(&mut self) -> Expr {
        let span = self.bump().span;
        let kind = match literal::number(self.spelling(span)) {
            Ok(Number::Int(literal)) => ExprKind::Int(literal),
            Ok(Number::Float(literal)) => ExprKind::Float(literal),
            Err(message) => {
                self.error(span, message);
                ExprKind::Error
            }
        };
        Expr { kind, span }
    }

    fn char_constant(&mut self) -> Expr {
        let span = self.bump().span;
        let mut flaws = Vec::new();
        let (value, prefix) = text::char_value(self.spelling(span), &mut flaws);
        self.report_flaws(span, flaws);
        Expr { kind: ExprKind::Char { value, prefix }, span }
    }

    fn report_flaws(&mut self, span: Span, flaws: Vec<Flaw>) {
        for flaw in flaws {
            if flaw.is_warning {
                self.warning(span, flaw.message);
            } else {
                self.error(span, flaw.message);
            }
        }
    }

    /// Adjacent string literals, joined.
    pub(super) fn string_literal(&mut self) -> Parsed<StrLit> {
        let start = self.position;
        while self.at(TokenKind::Str) {
            self.bump();
        }
        let span = self.span_from(start);
        let mut flaws = Vec::new();
        let literal = if self.position == start + 1 {
            text::join(&[self.spelling(span)], &mut flaws)
        } else {
            let tokens = self.tokens[start..self.position].iter();
            let spellings: Vec<&str> = tokens.map(|token| self.spelling(token.span)).collect();
            text::join(&spellings, &mut flaws)
        };
        self.report_flaws(span, flaws);
        let Some(literal) = literal else {
            self.error(span, "adjacent string literals have different prefixes");
            return Err(Failed);
        };
        Ok(literal)
    }

    /// A string literal whose text is wanted, as in `asm`.
    pub(super) fn string_text(&mut self, what: &str) -> Parsed<String> {
        if !self.at(TokenKind::Str) {
            return self.expected(&format!("string literal as {what}"));
        }
        let literal = self.string_literal()?;
        Ok(match literal.encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let bytes: Vec<u8> = literal.units.iter().map(|unit| *unit as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Encoding::Wide | Encoding::Utf16 | Encoding::Utf32 => {
                literal.units.iter().map(|unit| char::from_u32(*unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
        })
    }

    /// `( expression )` or `({ ... })`.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let open = self.bump().span;
        let kind = if self.at(TokenKind::LBrace) {
            let outer = self.enter()?;
            let block = self.block();
            self.leave(outer);
            ExprKind::StmtExpr(Box::new(block?))
        } else {
            ExprKind::Paren(Box::new(self.expression()?))
        };
        let close = self.expect_close(TokenKind::RParen, open, "after expression")?;
        Ok(Expr { kind, span: open.to(close.span) })
    }

    fn generic(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `_Generic`")?.span;
        let control = if self.starts_type(0) {
            GenericControl::Type(self.type_name()?)
        } else {
            GenericControl::Expr(self.assignment()?)
        };
        let mut arms = Vec::new();
        self.expect(TokenKind::Comma, "after the controlling operand")?;
        loop {
            let ty = if self.eat(TokenKind::Default) { None } else { Some(self.type_name()?) };
            self.expect(TokenKind::Colon, "after the type of an association")?;
            arms.push(GenericArm { ty, value: self.assignment()? });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_close(TokenKind::RParen, open, "after associations")?;
        Ok(ExprKind::Generic { control: Box::new(control), arms })
    }

    /// Built-ins that are no functions because they take types or choose what they evaluate.
    fn builtin_form(&mut self, kind: TokenKind) -> Parsed<ExprKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen, &format!("after `{}`", kind.text()))?.span;
        let form = match kind {
            TokenKind::VaArg => {
                let list = self.boxed_assignment()?;
                self.expect(TokenKind::Comma, "after the argument list")?;
                ExprKind::VaArg(list, self.boxed_type_name()?)
            }
            TokenKind::Offsetof => {
                let ty = self.boxed_type_name()?;
                self.expect(TokenKind::Comma, "after type")?;
                ExprKind::Offsetof(ty, self.offset_path()?)
            }
            TokenKind::TypesCompatible => {
                let first = self.boxed_type_name()?;
                self.expect(TokenKind::Comma, "after type")?;
                ExprKind::TypesCompatible(first, self.boxed_type_name()?)
            }
            _ => {
                let condition = self.boxed_assignment()?;
                self.expect(TokenKind::Comma, "after the condition")?;
                let then = self.boxed_assignment()?;
                self.expect(TokenKind::Comma, "after the first alternative")?;
                ExprKind::ChooseExpr(condition, then, self.boxed_assignment()?)
            }
        };
        self.expect_close(TokenKind::RParen, open, "after arguments")?;
        Ok(form)
    }

    fn boxed_assignment(&mut self) -> Parsed<Box<Expr>> {
        self.assignment().map(Box::new)
    }

    fn boxed_type_name(&mut self) -> Parsed<Box<TypeName>> {
        self.type_name().map(Box::new)
    }

    /// `field.field[index]->field`.
    fn offset_path(&mut self) -> Parsed<Vec<Designator>> {
        let mut path = vec![Designator::Field(self.identifier("field name")?)];
        loop {
            self.designators(&mut path)?;
            if !self.at(TokenKind::Arrow) {
                return Ok(path);
            }
            // `a->b` stands for `a[0].b` here.
            let span = self.bump().span;
            let zero =
                IntLit { value: 0, is_unsigned: false, size: IntSize::Int, is_decimal: false, is_imaginary: false };
            path.push(Designator::Index(Expr { kind: ExprKind::Int(zero), span }));
            path.push(Designator::Field(self.identifier("field name after `->`")?));
        }
    }
}
