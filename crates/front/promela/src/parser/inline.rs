//! Inlines: parameterised token macros, expanded at their calls.

use std::sync::Arc;

use unpick_base::Span;

use super::{Parsed, Parser};
use crate::lexer::{Keyword, Punct, Token, TokenKind};
use crate::syntax::{Call, Inline, Name, StmtKind, VarRef};

/// How deep calls of inlines may nest; SPIN's limit.
const MAX_INLINE_DEPTH: usize = 16;

/// How many tokens all expansions together may have: text that doubles with every call has an end.
const MAX_EXPANSION: usize = 1 << 19;

/// An inline that was defined.
#[derive(Clone)]
pub(super) struct Definition {
    params: Vec<Name>,
    /// With both braces.
    body: Arc<[Token]>,
}

impl Parser<'_> {
    /// `inline f(a, b) { ... }` after the keyword.
    pub(super) fn inline(&mut self) -> Parsed<Inline> {
        let (name, span) = self.name("the name of the inline")?;
        self.expect(Punct::OpenParen)?;
        let mut params: Vec<Name> = Vec::new();
        while !self.is(Punct::CloseParen) {
            let (param, at) = self.name("the name of a parameter")?;
            if params.contains(&param) {
                self.session.diagnostics.error(at, format!("parameter `{param}` appears twice"));
            }
            params.push(param);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::CloseParen)?;
        let at = self.at(span);
        let open = self.stream.take();
        if !open.kind.is(Punct::OpenBrace) {
            let message = format!("expected the body of inline `{name}` between braces");
            return self.fail(open.span, message);
        }
        let mut body = self.stream.raw_body();
        if !body.last().is_some_and(|token| token.kind.is(Punct::CloseBrace)) {
            return self.fail(open.span, format!("the body of inline `{name}` does not end"));
        }
        let text = text_of(&body[..body.len() - 1]);
        if body.len() == 1 {
            self.warn(open.span, format!("inline `{name}` is empty"));
        }
        body.insert(0, open);
        if self.inlines.insert(name.clone(), Definition { params: params.clone(), body: body.into() }).is_some() {
            self.session.diagnostics.error(span, format!("inline `{name}` is defined twice"));
        }
        Ok(Inline { name, params, text, at })
    }

    /// The call of an inline; its name comes next.
    pub(super) fn call(&mut self, result: Option<VarRef>) -> Parsed<StmtKind> {
        let (name, span) = self.name("the name of an inline")?;
        let open = self.stream.take();
        if !open.kind.is(Punct::OpenParen) {
            return self.fail(open.span, format!("expected `(` after inline `{name}`"));
        }
        let args = self.call_args(open.span)?;
        let end = (self.last_span, self.last_place);
        let definition = self.inlines.get(&name).cloned().expect("a call should name a known inline");
        if args.len() != definition.params.len() {
            let (wanted, given) = (definition.params.len(), args.len());
            return self.fail(span, format!("inline `{name}` takes {wanted} arguments, {given} given"));
        }
        if self.calls.iter().any(|(called, _)| *called == name) {
            return self.fail(span, format!("inline `{name}` calls itself"));
        }
        if self.calls.len() >= MAX_INLINE_DEPTH {
            return self.fail(span, format!("calls of inlines nest deeper than {MAX_INLINE_DEPTH}"));
        }
        let tokens = self.expand(&definition, &args, span)?;
        self.stream.push(tokens);
        self.calls.push((name.clone(), result.is_some()));
        let body = self.nested(Self::stmt);
        self.calls.pop();
        // The call ends behind its arguments, wherever the body stands.
        (self.last_span, self.last_place) = end;
        let args = args.iter().map(|arg| text_of(arg)).collect();
        Ok(StmtKind::Call(Call { result, name, args, body: Box::new(body?) }))
    }

    /// The tokens of the arguments, without looking behind the parenthesis that ends them.
    fn call_args(&mut self, open: Span) -> Parsed<Vec<Vec<Token>>> {
        let mut args = vec![Vec::new()];
        let mut depth = 1_u32;
        loop {
            let mut token = self.stream.take();
            (self.last_span, self.last_place) = (token.span, token.place());
            match &token.kind {
                TokenKind::Punct(Punct::OpenParen) => depth += 1,
                TokenKind::Punct(Punct::CloseParen) => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                TokenKind::Punct(Punct::Comma) if depth == 1 => {
                    args.push(Vec::new());
                    continue;
                }
                TokenKind::End | TokenKind::Punct(Punct::OpenBrace | Punct::CloseBrace | Punct::Semicolon) => {
                    return self.fail(open, "the arguments of the inline do not end");
                }
                _ => {}
            }
            token.is_after_newline = false;
            args.last_mut().expect("there should be a first argument").push(token);
        }
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        match args.iter().any(Vec::is_empty) {
            true => self.fail(open, "an argument of the inline is missing"),
            false => Ok(args),
        }
    }

    /// The body with the arguments in place of the parameters.
    fn expand(&mut self, definition: &Definition, args: &[Vec<Token>], span: Span) -> Parsed<Vec<Token>> {
        let mut tokens: Vec<Token> = Vec::with_capacity(definition.body.len());
        for token in definition.body.iter() {
            let position = match &token.kind {
                TokenKind::Name(name) if !self.mtypes.contains(name) => {
                    definition.params.iter().position(|param| param == name)
                }
                _ => None,
            };
            let Some(position) = position else {
                tokens.push(token.clone());
                continue;
            };
            let first = tokens.len();
            // An argument that is handed on stands where the innermost inline has its parameter.
            let parameter = Some(token.place());
            tokens.extend(args[position].iter().map(|argument| Token { parameter, ..argument.clone() }));
            if let Some(replaced) = tokens.get_mut(first) {
                replaced.is_after_newline = token.is_after_newline;
            }
            if tokens.len() > MAX_EXPANSION {
                break;
            }
        }
        self.n_expanded += tokens.len();
        if self.n_expanded > MAX_EXPANSION {
            return self.fail(span, "the inlines of the model are too long when put in place of their calls");
        }
        Ok(tokens)
    }

    /// `return expr` after the keyword.
    pub(super) fn return_statement(&mut self, span: Span) -> Parsed<StmtKind> {
        if !self.calls.last().is_some_and(|(_, has_result)| *has_result) {
            let message = "`return` outside an inline that is called for its result";
            return self.fail(span, message);
        }
        Ok(StmtKind::Return(self.full_expr()?))
    }

    /// Whether the next token names an inline.
    pub(super) fn is_call(&mut self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            TokenKind::Name(name) => {
                let name = name.clone();
                self.inlines.contains_key(&name)
            }
            _ => false,
        }
    }
}

/// Tokens as text that is read as the same tokens.
fn text_of(tokens: &[Token]) -> Name {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.is_after_newline {
            text.push('\n');
        } else if index > 0 && needs_space(&tokens[index - 1].kind, &token.kind) {
            text.push(' ');
        }
        text.push_str(&token.kind.spelling());
    }
    text.into()
}

fn needs_space(before: &TokenKind, after: &TokenKind) -> bool {
    use Punct::{CloseBracket, CloseParen, Comma, Dot, OpenBracket, OpenParen, Semicolon};
    !matches!(
        (before, after),
        (TokenKind::Punct(OpenParen | OpenBracket | Dot), _)
            | (_, TokenKind::Punct(CloseParen | CloseBracket | Comma | Semicolon | Dot))
            | (TokenKind::Name(_) | TokenKind::Keyword(Keyword::Printf | Keyword::Assert), TokenKind::Punct(OpenParen))
            | (TokenKind::Name(_), TokenKind::Punct(OpenBracket))
    )
}
