//! Parser of declarations and function definitions, at file scope and in blocks.

use super::specifier::Place;
use super::{Failed, Name, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{
    Attr, Declaration, Declarator, Derivation, ExternalDecl, FunctionDef, InitDeclarator, Params, StaticAssert,
    TypeSpec,
};

/// A declaration, or the function definition it turned out to be.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(Box<FunctionDef>),
}

impl Parser {
    pub(super) fn external_declaration(&mut self) -> Parsed<ExternalDecl> {
        Ok(match self.declaration(Place::File, Vec::new())? {
            Declared::Declaration(declaration) => ExternalDecl::Declaration(declaration),
            Declared::Function(function) => ExternalDecl::Function(function),
        })
    }

    /// A whole declaration; `attrs` have been read before it.
    pub(super) fn declaration(&mut self, place: Place, attrs: Vec<Attr>) -> Parsed<Declared> {
        let start = self.position;
        let specs = self.specifiers(place, attrs)?;
        // At file scope a name alone may still declare something with implicit `int`.
        if self.position == start && !self.is_implicit_declaration() {
            return self.expected("a declaration");
        }
        let mut declarators = Vec::new();
        let is_assumed = self.position == self.assumed_semi;
        if !self.at(TokenKind::Semi) && !is_assumed {
            loop {
                let mut attrs = Vec::new();
                self.attributes(&mut attrs)?;
                let mut declarator = self.named_declarator()?;
                let asm_label = self.declarator_tail(&mut attrs)?;
                declarator.attrs.append(&mut attrs);
                self.declare(&declarator, specs.storage.is_typedef);
                if declarators.is_empty() && !specs.storage.is_typedef && self.starts_body(&declarator) {
                    let function = self.function(start, FunctionHead { specs, declarator })?;
                    return Ok(Declared::Function(Box::new(function)));
                }
                let init = if self.eat(TokenKind::Assign) { Some(self.initializer()?) } else { None };
                declarators.push(InitDeclarator { declarator, asm_label, init });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let what = match &specs.ty {
            TypeSpec::Record(record) if declarators.is_empty() && record.is_union => "union definition",
            TypeSpec::Record(_) if declarators.is_empty() => "struct definition",
            TypeSpec::Enum(_) if declarators.is_empty() => "enum definition",
            _ => "declaration",
        };
        self.expect_semi(what)?;
        Ok(Declared::Declaration(Declaration { specs, declarators, span: self.span_from(start) }))
    }

    /// What can follow a name that is declared without any specifier: `main() {...}`, `x = 3;`.
    fn is_implicit_declaration(&self) -> bool {
        use TokenKind::{Assign, Comma, Ident, LBracket, LParen, Semi};
        self.at(Ident) && matches!(self.kind_at(1), LParen | Semi | Assign | Comma | LBracket)
            || self.at(TokenKind::Star)
            || self.at(LParen)
    }

    /// `asm("name")` and attributes behind a declarator, in any order.
    fn declarator_tail(&mut self, attrs: &mut Vec<Attr>) -> Parsed<Option<String>> {
        let mut label = None;
        loop {
            match self.kind() {
                TokenKind::Asm => label = Some(self.asm_label()?),
                TokenKind::Extension => _ = self.bump(),
                TokenKind::Ident if self.is_macro_behind() => self.skip_macros_behind(),
                _ if self.at_attribute() => self.attributes(attrs)?,
                _ => return Ok(label),
            }
        }
    }

    fn declare(&mut self, declarator: &Declarator, is_typedef: bool) {
        if let Some(name) = declarator.name {
            self.names.declare(name.name, if is_typedef { Name::Type } else { Name::Ordinary });
        }
    }

    /// Whether the declarator is that of a function and its body (or its old-style parameters) follow.
    fn starts_body(&self, declarator: &Declarator) -> bool {
        let Some(Derivation::Function { params, .. }) = declarator.derivations.last() else { return false };
        match self.kind() {
            TokenKind::LBrace => true,
            _ => matches!(params, Params::Names(_)) && self.starts_declaration(0),
        }
    }

    fn function(&mut self, start: usize, head: FunctionHead) -> Parsed<FunctionDef> {
        self.names.open();
        let parsed = self.function_inside(start, head);
        self.names.close();
        parsed
    }

    fn function_inside(&mut self, start: usize, head: FunctionHead) -> Parsed<FunctionDef> {
        let FunctionHead { specs, declarator } = head;
        if let Some(Derivation::Function { params, .. }) = declarator.derivations.last() {
            match params {
                Params::Empty => {}
                Params::Names(names) => names.iter().for_each(|name| self.names.declare(name.name, Name::Ordinary)),
                Params::Prototype { params, .. } => {
                    for name in params.iter().filter_map(|param| param.declarator.name) {
                        self.names.declare(name.name, Name::Ordinary);
                    }
                }
            }
        }
        let mut old_style = Vec::new();
        while !self.at(TokenKind::LBrace) {
            if !self.starts_declaration(0) {
                return self.expected("`{` after the parameters of a function definition");
            }
            match self.declaration(Place::Block, Vec::new())? {
                Declared::Declaration(declaration) => old_style.push(declaration),
                Declared::Function(function) => {
                    self.error(function.declarator.span, "a function cannot be defined among parameters");
                    return Err(Failed);
                }
            }
        }
        let body = self.block()?;
        Ok(FunctionDef { specs, declarator, old_style, body, span: self.span_from(start) })
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.position;
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `_Static_assert`")?.span;
        let condition = self.conditional()?;
        let message = if self.eat(TokenKind::Comma) { Some(self.string_text("message")?) } else { None };
        self.expect_close(TokenKind::RParen, open, "after assertion")?;
        self.expect_semi("assertion")?;
        Ok(StaticAssert { condition, message, span: self.span_from(start) })
    }
}

/// What a function definition has before its body.
struct FunctionHead {
    specs: crate::syntax::DeclSpecs,
    declarator: Declarator,
}
