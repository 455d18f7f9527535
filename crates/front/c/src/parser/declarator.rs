//! Parser of declarators, inverted while they are read: the result lists the steps from the specified type to the
//! declared one.

use unpick_base::Span;

use super::specifier::Place;
use super::{Name, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{ArrayLen, DeclSpecs, Declarator, Derivation, Ident, Param, Params, Quals, StorageSpecs, TypeSpec};

/// Whether a declarator has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Must,
    May,
    MustNot,
}

impl Parser {
    /// The declarator of a declaration or member.
    pub(super) fn named_declarator(&mut self) -> Parsed<Declarator> {
        self.declarator(Naming::Must)
    }

    /// The declarator of a type name.
    pub(super) fn abstract_declarator(&mut self) -> Parsed<Declarator> {
        self.declarator(Naming::MustNot)
    }

    /// The declarator of an unnamed bit-field.
    pub(super) fn unnamed_declarator(&mut self) -> Declarator {
        let start = self.span().lo;
        Declarator { name: None, derivations: Vec::new(), attrs: Vec::new(), span: Span::new(start, start) }
    }

    fn declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        let start = self.position;
        let mut declarator = self.unnamed_declarator();
        let mut derivations = Vec::new();
        let beside = std::mem::take(&mut self.height);
        self.derive(naming, &mut declarator, &mut derivations)?;
        self.height = self.height.max(beside);
        declarator.derivations = derivations;
        declarator.span = self.span_from(start);
        Ok(declarator)
    }

    /// Appends the steps of one level of parentheses; name and attributes go to `declarator`.
    fn derive(&mut self, naming: Naming, declarator: &mut Declarator, steps: &mut Vec<Derivation>) -> Parsed<()> {
        while self.eat(TokenKind::Star) {
            let mut attrs = Vec::new();
            let quals = self.qualifiers(&mut attrs)?;
            steps.push(Derivation::Pointer { quals, attrs });
            if naming != Naming::MustNot {
                self.skip_macros_between();
            }
            self.grow()?;
        }
        let mut inner = Vec::new();
        match self.kind() {
            TokenKind::Ident if naming != Naming::MustNot => {
                let token = self.bump();
                declarator.name = Some(Ident { name: token.symbol, span: token.span });
            }
            TokenKind::LParen if !self.starts_parameters(naming) => {
                let outer = self.enter()?;
                let parsed = self.derive_parenthesised(naming, declarator, &mut inner);
                self.leave(outer);
                parsed?;
            }
            _ if naming == Naming::Must => return self.expected("identifier or `(`"),
            _ => {}
        }
        let first_suffix = steps.len();
        self.suffixes(declarator, steps)?;
        // The suffix nearest to the name applies last.
        steps[first_suffix..].reverse();
        steps.append(&mut inner);
        Ok(())
    }

    fn derive_parenthesised(
        &mut self,
        naming: Naming,
        declarator: &mut Declarator,
        inner: &mut Vec<Derivation>,
    ) -> Parsed<()> {
        let open = self.bump().span;
        self.attributes(&mut declarator.attrs)?;
        self.skip_macros_between();
        self.derive(naming, declarator, inner)?;
        self.expect_close(TokenKind::RParen, open, "after declarator")?;
        Ok(())
    }

    /// Whether the parenthesis here opens a parameter list rather than an inner declarator.
    fn starts_parameters(&self, naming: Naming) -> bool {
        if naming == Naming::Must {
            return false;
        }
        let is_type = self.kind_at(1) != TokenKind::Attribute && self.starts_declaration_word(1);
        let is_type_name = naming == Naming::MustNot && self.kind_at(1) == TokenKind::Ident;
        is_type || is_type_name || matches!(self.kind_at(1), TokenKind::RParen | TokenKind::Ellipsis)
    }

    fn starts_declaration_word(&self, ahead: usize) -> bool {
        self.starts_type(ahead) || self.word_at(ahead).is_declaration_word()
    }

    fn suffixes(&mut self, declarator: &mut Declarator, steps: &mut Vec<Derivation>) -> Parsed<()> {
        loop {
            match self.kind() {
                TokenKind::LBracket if self.kind_at(1) == TokenKind::LBracket => {
                    self.attributes(&mut declarator.attrs)?;
                }
                TokenKind::LBracket => {
                    let step = self.array()?;
                    steps.push(step);
                    self.grow()?;
                }
                TokenKind::LParen => {
                    let start = self.position;
                    let outer = self.enter()?;
                    self.names.open();
                    self.n_parameter_lists += 1;
                    let params = self.parameters();
                    self.n_parameter_lists -= 1;
                    self.names.close();
                    self.leave(outer);
                    let params = params?;
                    steps.push(Derivation::Function { params, attrs: Vec::new(), span: self.span_from(start) });
                    self.grow()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn array(&mut self) -> Parsed<Derivation> {
        let start = self.position;
        let open = self.bump().span;
        let mut attrs = Vec::new();
        let is_static_first = self.eat(TokenKind::Static);
        let quals = self.qualifiers(&mut attrs)?;
        let is_static = self.eat(TokenKind::Static) || is_static_first;
        let len = match self.kind() {
            TokenKind::RBracket => ArrayLen::Unspecified,
            TokenKind::Star if self.kind_at(1) == TokenKind::RBracket => {
                self.bump();
                ArrayLen::Star
            }
            _ => ArrayLen::Expr(Box::new(self.assignment()?)),
        };
        self.expect_close(TokenKind::RBracket, open, "after array size")?;
        Ok(Derivation::Array { len, quals, is_static, span: self.span_from(start) })
    }

    fn parameters(&mut self) -> Parsed<Params> {
        let open = self.bump().span;
        if self.eat(TokenKind::RParen) {
            return Ok(Params::Empty);
        }
        if self.kind() == TokenKind::Void && self.kind_at(1) == TokenKind::RParen {
            self.bump();
            self.bump();
            return Ok(Params::Prototype { params: Vec::new(), is_variadic: false });
        }
        if let Some(length) = self.identifier_list() {
            return Ok(self.names_or_types(length));
        }
        let mut params = Vec::new();
        let mut is_variadic = false;
        loop {
            if self.eat(TokenKind::Ellipsis) {
                is_variadic = true;
                break;
            }
            params.push(self.parameter()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_close(TokenKind::RParen, open, "after parameters")?;
        Ok(Params::Prototype { params, is_variadic })
    }

    fn parameter(&mut self) -> Parsed<Param> {
        let start = self.position;
        let specs = self.specifiers(Place::Parameter, Vec::new())?;
        if self.position == start {
            return self.expected("parameter declaration");
        }
        let mut declarator = self.declarator(Naming::May)?;
        self.attributes(&mut declarator.attrs)?;
        self.skip_macros_behind();
        if let Some(name) = declarator.name {
            self.names.declare(name.name, Name::Ordinary);
        }
        Ok(Param { specs, declarator, span: self.span_from(start) })
    }

    /// The number of names if only names that are no types stand up to the closing parenthesis.
    fn identifier_list(&self) -> Option<usize> {
        let mut length = 0;
        loop {
            let token = self.token_at(2 * length);
            if token.kind != TokenKind::Ident || self.names.get(token.symbol).is_type() || self.starts_type(2 * length)
            {
                return None;
            }
            match self.kind_at(2 * length + 1) {
                TokenKind::Comma => length += 1,
                TokenKind::RParen => return Some(length + 1),
                _ => return None,
            }
        }
    }

    /// Whether behind the rest of the declarator, as in `(*f(a, b))()`, a body or the declarations of
    /// old-style parameters follow.
    fn definition_follows(&self) -> bool {
        let mut ahead = 0;
        loop {
            match self.kind_at(ahead) {
                TokenKind::RParen => ahead += 1,
                TokenKind::LParen | TokenKind::LBracket => ahead = self.behind_brackets(ahead),
                TokenKind::LBrace => return true,
                _ => return self.starts_declaration(ahead),
            }
        }
    }

    /// `(a, b)`: parameter names of an old-style definition, or unknown types if no definition follows.
    fn names_or_types(&mut self, length: usize) -> Params {
        let mut names = Vec::with_capacity(length);
        for _ in 0..length {
            let token = self.bump();
            names.push(Ident { name: token.symbol, span: token.span });
            self.bump();
        }
        let is_definition = self.n_parameter_lists == 1 && self.definition_follows();
        let are_unknown = names.iter().all(|name| self.names.get(name.name) == Name::Unknown);
        if is_definition || !are_unknown {
            return Params::Names(names);
        }
        let params = names.into_iter().map(|name| {
            self.names.assume(name.name, Name::AssumedType);
            named_parameter(name)
        });
        Params::Prototype { params: params.collect(), is_variadic: false }
    }
}

/// A parameter that is nothing but a type name.
fn named_parameter(name: Ident) -> Param {
    let specs = DeclSpecs {
        storage: StorageSpecs::default(),
        quals: Quals::default(),
        is_inline: false,
        is_noreturn: false,
        ty: TypeSpec::Named(name),
        aligns: Vec::new(),
        attrs: Vec::new(),
        span: name.span,
    };
    let span = Span::new(name.span.hi, name.span.hi);
    let declarator = Declarator { name: None, derivations: Vec::new(), attrs: Vec::new(), span };
    Param { specs, declarator, span: name.span }
}
