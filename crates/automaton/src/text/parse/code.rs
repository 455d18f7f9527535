//! Parser of the text form: embedded C.

use super::super::lex::TokenKind;
use super::super::words::{number_after, scalar_of, scope_of};
use super::{Parsed, Parser};
use crate::code::{CState, Code, Declared, DeclaredType, MemoryPlace, Piece, Record, Text, TopLevel};

impl Parser<'_> {
    pub(super) fn code(&mut self, code: &mut Code) -> Parsed<()> {
        self.expect("{")?;
        while !self.eat("}") {
            self.code_item(code)?;
        }
        Ok(())
    }

    fn code_item(&mut self, code: &mut Code) -> Parsed<()> {
        let word = self.token().text;
        if self.eat("expression") || self.eat("statements") {
            self.next_id(code.pieces.next_id(), "code", "piece of C")?;
            let owner = if self.eat("in") { Some(self.proctype_id()?) } else { None };
            let precondition = if self.eat("requires") { Some(self.c_text()?) } else { None };
            let piece = Piece { is_expression: word == "expression", precondition, text: self.c_text()?, owner };
            code.pieces.push(piece);
        } else if self.eat("declaration") || self.eat("text") {
            code.texts.push(TopLevel { is_declaration: word == "declaration", text: self.c_text()? });
        } else if self.eat("state") || self.eat("track") {
            let texts = self.list(Self::c_text)?;
            code.states.push(CState { is_track: word == "track", texts, span: self.span()? });
        } else if self.eat("record") {
            let name = self.name()?;
            let size = self.number_of("size")?;
            code.records.push(Record { name, fields: self.all_declared()?, size });
        } else if self.eat("globals") {
            code.globals = self.all_declared()?;
        } else if self.eat("locals") {
            code.locals.push(self.all_declared()?);
        } else if self.eat("memory") {
            let at = self.id("global", "a place among the global variables")?;
            let hidden_at = self.meaning(TokenKind::Word, |word| number_after(word, "hidden"));
            code.memory = Some(MemoryPlace { at, hidden_at });
        } else {
            return self.expected("an item of C text");
        }
        Ok(())
    }

    fn c_text(&mut self) -> Parsed<Text> {
        let text = self.text()?;
        Ok(Text { text, span: self.span()? })
    }

    fn all_declared(&mut self) -> Parsed<Vec<Declared>> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.eat("}") {
            all.push(self.declared()?);
        }
        Ok(all)
    }

    fn declared(&mut self) -> Parsed<Declared> {
        let name = self.name()?;
        let Some((scope, offset)) = self.meaning(TokenKind::Word, scope_of) else {
            return self.expected("a place");
        };
        self.expect(".")?;
        let ty = match self.meaning(TokenKind::Word, scalar_of) {
            Some(scalar) => DeclaredType::Scalar(scalar),
            None => DeclaredType::Record(self.number_of("record")?),
        };
        let count = if self.eat("times") { Some(self.number()?) } else { None };
        Ok(Declared { name, ty, count, scope, offset, span: self.span()? })
    }
}
