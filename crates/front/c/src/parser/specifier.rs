//! Parser of declaration specifiers and type names.

use unpick_base::{Diagnostic, Severity, Span};

use super::specifier_set::SpecifierSet;
use super::{Failed, Name, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{AlignSpec, Attr, DeclSpecs, Expr, Ident, Quals, StorageSpecs, TypeName, TypeSpec};

/// Where specifiers stand; decides what an undeclared name among them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File,
    Block,
    Member,
    Parameter,
    TypeName,
}

/// Specifiers under way.
struct Specs {
    specs: DeclSpecs,
    words: SpecifierSet,
    has_type: bool,
}

/// What stands between the parentheses of `typeof`, `sizeof` and the like.
pub(super) enum TypeOrExpr {
    Type(TypeName),
    Expr(Expr),
}

impl Parser {
    /// Reads specifiers, to which `attrs` read before belong.
    pub(super) fn specifiers(&mut self, place: Place, attrs: Vec<Attr>) -> Parsed<DeclSpecs> {
        let start = self.position;
        let specs = DeclSpecs {
            storage: StorageSpecs::default(),
            quals: Quals::default(),
            is_inline: false,
            is_noreturn: false,
            ty: TypeSpec::Implicit,
            aligns: Vec::new(),
            attrs,
            span: Span::NONE,
        };
        let mut state = Specs { specs, words: SpecifierSet::default(), has_type: false };
        while self.specifier(place, &mut state)? {}
        let Specs { mut specs, words, .. } = state;
        specs.span = self.span_from(start);
        if !words.is_empty() {
            let Some(ty) = words.resolve() else {
                let message = format!("`{}` is not a type", self.type_words(start));
                self.error(specs.span, message);
                return Err(Failed);
            };
            specs.ty = ty;
        } else if specs.storage.is_auto && matches!(specs.ty, TypeSpec::Implicit) {
            specs.ty = TypeSpec::Auto;
        }
        Ok(specs)
    }

    /// The basic type words since `start`, as written.
    fn type_words(&self, start: usize) -> String {
        let tokens = self.tokens[start..self.position].iter();
        let words =
            tokens.filter(|token| SpecifierSet::bit(token.kind).is_some()).map(|token| self.spelling(token.span));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Reads one specifier; false if none follows.
    fn specifier(&mut self, place: Place, state: &mut Specs) -> Parsed<bool> {
        let kind = self.word();
        if let Some(bit) = SpecifierSet::bit(kind) {
            return self.type_word(kind, bit, state);
        }
        let specs = &mut state.specs;
        match kind {
            TokenKind::Typedef => specs.storage.is_typedef = true,
            TokenKind::Extern => specs.storage.is_extern = true,
            TokenKind::Static => specs.storage.is_static = true,
            TokenKind::Auto => specs.storage.is_auto = true,
            TokenKind::Register => specs.storage.is_register = true,
            TokenKind::ThreadLocal => specs.storage.is_thread_local = true,
            TokenKind::Inline => specs.is_inline = true,
            TokenKind::Noreturn => specs.is_noreturn = true,
            TokenKind::Const => specs.quals.is_const = true,
            TokenKind::Volatile => specs.quals.is_volatile = true,
            TokenKind::Restrict => specs.quals.is_restrict = true,
            TokenKind::Extension => {}
            TokenKind::Atomic if self.kind_at(1) != TokenKind::LParen => specs.quals.is_atomic = true,
            TokenKind::Attribute => {
                self.attributes(&mut specs.attrs)?;
                return Ok(true);
            }
            TokenKind::LBracket if self.kind_at(1) == TokenKind::LBracket => {
                self.attributes(&mut specs.attrs)?;
                return Ok(true);
            }
            TokenKind::Alignas => {
                self.bump();
                specs.aligns.push(match self.type_or_expression("`_Alignas`")? {
                    TypeOrExpr::Type(ty) => AlignSpec::Type(ty),
                    TypeOrExpr::Expr(expr) => AlignSpec::Expr(expr),
                });
                return Ok(true);
            }
            TokenKind::Unsupported => {
                let message = format!("type {} is not supported", self.found());
                self.error(self.span(), message);
                return Err(Failed);
            }
            TokenKind::Ident => return self.named_type(place, state),
            _ => return self.other_type(kind, state),
        }
        self.bump();
        Ok(true)
    }

    fn type_word(&mut self, kind: TokenKind, bit: u32, state: &mut Specs) -> Parsed<bool> {
        // A soft `bool` after another type is the name being declared: `typedef int bool;`.
        if self.at(TokenKind::Ident) && (state.has_type || state.words.names_type()) {
            return Ok(false);
        }
        if state.has_type && !self.was_macro(state) {
            if kind == TokenKind::Complex {
                return self.second_type(state);
            }
            return self.missing_semi_or_second_type(state);
        }
        if !state.words.add(bit) {
            let message = format!("{} stands twice in one declaration", self.found());
            self.error(self.span(), message);
            return Err(Failed);
        }
        self.bump();
        Ok(true)
    }

    fn second_type<T>(&mut self, state: &Specs) -> Parsed<T> {
        let message = match &state.specs.ty {
            TypeSpec::Named(ident) => {
                format!("two types in one declaration: `{}` and {}", self.spelling(ident.span), self.found())
            }
            _ => format!("two types in one declaration: the second is {}", self.found()),
        };
        self.error(self.span(), message);
        Err(Failed)
    }

    /// A type right after another one: after `struct s { ... }` a `;` is missing.
    fn missing_semi_or_second_type(&mut self, state: &Specs) -> Parsed<bool> {
        let what = match &state.specs.ty {
            TypeSpec::Record(record) if record.members.is_some() => {
                if record.is_union {
                    "union definition"
                } else {
                    "struct definition"
                }
            }
            TypeSpec::Enum(of) if of.enumerators.is_some() => "enum definition",
            _ => return self.second_type(state),
        };
        let end = self.previous_end();
        let message = format!("expected `;` after {what}, found {}", self.found());
        self.report(Diagnostic::new(Severity::Error, Span::new(end, end), message).help("add `;` here"));
        self.assumed_semi = self.position;
        Ok(false)
    }

    fn named_type(&mut self, place: Place, state: &mut Specs) -> Parsed<bool> {
        let token = self.token_at(0);
        let has_type = state.has_type || !state.words.is_empty();
        if self.is_ignored_macro(0) || has_type && self.is_macro_between() {
            self.skip_macro();
            return Ok(true);
        }
        if has_type {
            let goes_on = match self.kind_at(1) {
                TokenKind::Ident => !self.is_shouted(1),
                kind => kind == TokenKind::Star,
            };
            let is_declared = self.names.get(token.symbol) == Name::Ordinary;
            if !(goes_on && !is_declared && self.was_macro(state)) {
                return Ok(false);
            }
        }
        let is_type = match self.names.get(token.symbol) {
            Name::Type | Name::AssumedType => true,
            Name::Ordinary | Name::Macro => {
                let is_misused = match place {
                    Place::File | Place::Block | Place::Parameter => self.kind_at(1) == TokenKind::Ident,
                    Place::Member | Place::TypeName => true,
                };
                if is_misused {
                    let message = format!("{} does not name a type", self.found());
                    self.error(token.span, message);
                    return Err(Failed);
                }
                false
            }
            Name::Unknown | Name::Soft(_) => match place {
                Place::Member | Place::TypeName => true,
                Place::Parameter if state.specs.storage.is_register => self.is_type_among_specifiers(),
                Place::Parameter => true,
                Place::File | Place::Block => self.is_type_among_specifiers(),
            },
        };
        if !is_type {
            return Ok(false);
        }
        if !self.names.get(token.symbol).is_type() {
            if self.is_macro_before() {
                self.skip_macro();
                return Ok(true);
            }
            self.names.assume(token.symbol, Name::AssumedType);
        }
        self.bump();
        state.specs.ty = TypeSpec::Named(Ident { name: token.symbol, span: token.span });
        state.has_type = true;
        Ok(true)
    }

    /// Takes back the assumption that the type read so far is one, now that another follows it.
    fn was_macro(&mut self, state: &mut Specs) -> bool {
        let TypeSpec::Named(ident) = state.specs.ty else { return false };
        if self.names.get(ident.name) != Name::AssumedType {
            return false;
        }
        self.assume_macro(ident);
        state.specs.ty = TypeSpec::Implicit;
        state.has_type = false;
        true
    }

    fn other_type(&mut self, kind: TokenKind, state: &mut Specs) -> Parsed<bool> {
        let is_type = matches!(
            kind,
            TokenKind::Struct
                | TokenKind::Union
                | TokenKind::Enum
                | TokenKind::Typeof
                | TokenKind::TypeofUnqual
                | TokenKind::Atomic
                | TokenKind::AutoType
                | TokenKind::VaList
        );
        if !is_type {
            return Ok(false);
        }
        let has_type = state.has_type || !state.words.is_empty();
        if has_type && self.at(TokenKind::Ident) {
            return Ok(false);
        }
        if has_type && !self.was_macro(state) {
            return self.missing_semi_or_second_type(state);
        }
        state.specs.ty = match kind {
            TokenKind::Struct | TokenKind::Union => TypeSpec::Record(Box::new(self.record()?)),
            TokenKind::Enum => TypeSpec::Enum(Box::new(self.enumeration()?)),
            TokenKind::Typeof | TokenKind::TypeofUnqual => self.type_of(kind)?,
            TokenKind::Atomic => {
                self.bump();
                let open = self.bump().span;
                let ty = self.type_name()?;
                self.expect_close(TokenKind::RParen, open, "after type")?;
                TypeSpec::Atomic(Box::new(ty))
            }
            _ => {
                self.bump();
                if kind == TokenKind::AutoType { TypeSpec::Auto } else { TypeSpec::VaList }
            }
        };
        state.has_type = true;
        Ok(true)
    }

    fn type_of(&mut self, kind: TokenKind) -> Parsed<TypeSpec> {
        self.bump();
        let operand = self.type_or_expression("`typeof`")?;
        Ok(match (operand, kind == TokenKind::Typeof) {
            (TypeOrExpr::Type(ty), true) => TypeSpec::TypeofType(Box::new(ty)),
            (TypeOrExpr::Type(ty), false) => TypeSpec::TypeofUnqualType(Box::new(ty)),
            (TypeOrExpr::Expr(expr), true) => TypeSpec::TypeofExpr(Box::new(expr)),
            (TypeOrExpr::Expr(expr), false) => TypeSpec::TypeofUnqualExpr(Box::new(expr)),
        })
    }

    /// `( type )` or `( expression )`.
    pub(super) fn type_or_expression(&mut self, after: &str) -> Parsed<TypeOrExpr> {
        if !self.at(TokenKind::LParen) {
            return self.expected(&format!("`(` after {after}"));
        }
        let is_type = self.starts_parenthesised_type();
        let open = self.bump().span;
        let operand = if is_type { TypeOrExpr::Type(self.type_name()?) } else { TypeOrExpr::Expr(self.expression()?) };
        self.expect_close(TokenKind::RParen, open, if is_type { "after type" } else { "after expression" })?;
        Ok(operand)
    }

    /// Specifiers and an abstract declarator.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let outer = self.enter()?;
        let parsed = self.type_name_inside();
        self.leave(outer);
        parsed
    }

    fn type_name_inside(&mut self) -> Parsed<TypeName> {
        let start = self.position;
        let specs = self.specifiers(Place::TypeName, Vec::new())?;
        if self.position == start {
            return self.expected("a type");
        }
        let declarator = self.abstract_declarator()?;
        Ok(TypeName { specs, declarator, span: self.span_from(start) })
    }

    /// Type qualifiers and attributes, as behind `*`.
    pub(super) fn qualifiers(&mut self, attrs: &mut Vec<Attr>) -> Parsed<Quals> {
        let mut quals = Quals::default();
        loop {
            match self.kind() {
                TokenKind::Const => quals.is_const = true,
                TokenKind::Volatile => quals.is_volatile = true,
                TokenKind::Restrict => quals.is_restrict = true,
                TokenKind::Atomic => quals.is_atomic = true,
                TokenKind::Extension => {}
                TokenKind::Attribute => {
                    self.attributes(attrs)?;
                    continue;
                }
                TokenKind::LBracket if self.kind_at(1) == TokenKind::LBracket => {
                    self.attributes(attrs)?;
                    continue;
                }
                _ => return Ok(quals),
            }
            self.bump();
        }
    }
}
