//! Parser of `struct`, `union` and `enum` specifiers with their bodies.

use super::specifier::Place;
use super::{Failed, Name, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{EnumSpec, Enumerator, FieldDeclarator, Ident, Member, RecordSpec};

impl Parser {
    /// `struct tag { ... }`, from its keyword on.
    pub(super) fn record(&mut self) -> Parsed<RecordSpec> {
        let outer = self.enter()?;
        let parsed = self.record_inside();
        self.leave(outer);
        parsed
    }

    fn record_inside(&mut self) -> Parsed<RecordSpec> {
        let start = self.position;
        let is_union = self.bump().kind == TokenKind::Union;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.tag();
        if tag.is_none() && !self.at(TokenKind::LBrace) {
            let keyword = if is_union { "union" } else { "struct" };
            return self.expected(&format!("tag or `{{` after `{keyword}`"));
        }
        let mut members = None;
        if self.at(TokenKind::LBrace) {
            members = Some(self.members()?);
            // Behind the brace attributes speak of the type, behind a mere tag of what is declared.
            self.attributes(&mut attrs)?;
        }
        Ok(RecordSpec { is_union, tag, members, attrs, span: self.span_from(start) })
    }

    fn tag(&mut self) -> Option<Ident> {
        self.at(TokenKind::Ident).then(|| {
            let token = self.bump();
            Ident { name: token.symbol, span: token.span }
        })
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        let open = self.bump().span;
        let mut members = Vec::new();
        loop {
            if let Some(pack) = self.pragma() {
                members.push(Member::PragmaPack(pack));
                continue;
            }
            let start = self.position;
            let member = match self.word() {
                TokenKind::RBrace | TokenKind::Eof => break,
                TokenKind::Semi => {
                    self.bump();
                    continue;
                }
                TokenKind::StaticAssert => self.static_assert().map(Member::StaticAssert),
                _ => self.member(),
            };
            match member {
                Ok(member) => members.push(member),
                // A function body: the closing brace of this record is missing.
                Err(_) if self.at(TokenKind::LBrace) && self.is_behind_parameters() => break,
                Err(_) => self.recover_item(start),
            }
        }
        self.expect_close(TokenKind::RBrace, open, "after members")?;
        Ok(members)
    }

    fn member(&mut self) -> Parsed<Member> {
        let start = self.position;
        let specs = self.specifiers(Place::Member, Vec::new())?;
        if self.position == start {
            return self.expected("member declaration or `}`");
        }
        let mut declarators = Vec::new();
        if !self.at(TokenKind::Semi) && self.position != self.assumed_semi {
            loop {
                declarators.push(self.field()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if self.at(TokenKind::LBrace) && self.is_behind_parameters() {
            return Err(Failed);
        }
        if self.at(TokenKind::RBrace) && !declarators.is_empty() {
            // gcc takes the last member without its `;`.
            let end = self.previous_end();
            self.warning(unpick_base::Span::new(end, end), "no `;` after the last member");
        } else {
            self.expect_semi("member declaration")?;
        }
        Ok(Member::Fields { specs, declarators, span: self.span_from(start) })
    }

    fn is_behind_parameters(&self) -> bool {
        self.tokens[self.position - 1].kind == TokenKind::RParen
    }

    fn field(&mut self) -> Parsed<FieldDeclarator> {
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let mut declarator =
            if self.at(TokenKind::Colon) { self.unnamed_declarator() } else { self.named_declarator()? };
        let width = if self.eat(TokenKind::Colon) { Some(self.conditional()?) } else { None };
        self.attributes(&mut attrs)?;
        self.skip_macros_behind();
        declarator.attrs.append(&mut attrs);
        Ok(FieldDeclarator { declarator, width })
    }

    /// `enum tag : type { ... }`, from its keyword on.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumSpec> {
        let start = self.position;
        self.bump();
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.tag();
        // `enum e : 3` is a bit-field, `enum e : int` has an underlying type.
        let mut underlying = None;
        if self.at(TokenKind::Colon) && self.starts_type(1) {
            self.bump();
            underlying = Some(self.type_name()?);
        }
        if tag.is_none() && !self.at(TokenKind::LBrace) {
            return self.expected("tag or `{` after `enum`");
        }
        let mut enumerators = None;
        if self.at(TokenKind::LBrace) {
            enumerators = Some(self.enumerators()?);
            self.attributes(&mut attrs)?;
        }
        Ok(EnumSpec { tag, underlying, enumerators, attrs, span: self.span_from(start) })
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        let open = self.bump().span;
        let mut enumerators = Vec::new();
        while !self.at(TokenKind::RBrace) {
            let name = self.identifier("enumerator or `}`")?;
            let mut attrs = Vec::new();
            self.attributes(&mut attrs)?;
            let value = if self.eat(TokenKind::Assign) { Some(self.conditional()?) } else { None };
            self.names.declare(name.name, Name::Ordinary);
            enumerators.push(Enumerator { name, value, attrs });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_close(TokenKind::RBrace, open, "after enumerators")?;
        Ok(enumerators)
    }
}
