//! Parser of the units of a model and of declarations.

use unpick_base::Span;

use super::{Parsed, Parser};
use crate::lexer::{CodeKind, Keyword, Punct, TokenKind};
use crate::syntax::{
    Active, At, CState, ChannelInit, Claim, CodeAt, Decl, Expr, ExprKind, Init, Literal, Ltl, Mtype, Name, Proctype,
    Trace, TypeName, Typedef, Unit, Var, VarInit, VarRef, Visibility,
};

/// Whether a part of a model may begin with this token.
pub(super) fn begins_unit(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Keyword(
            Keyword::Bit
            | Keyword::Bool
            | Keyword::Byte
            | Keyword::Chan
            | Keyword::Int
            | Keyword::Short
            | Keyword::Unsigned
            | Keyword::Pid
            | Keyword::Mtype
            | Keyword::Hidden
            | Keyword::Show
            | Keyword::Local,
        ) => true,
        TokenKind::Code(code) => code.kind != CodeKind::Expr,
        kind => only_begins_unit(kind),
    }
}

/// Whether nothing but a part of a model begins with this token.
pub(super) fn only_begins_unit(kind: &TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Keyword(
            Keyword::Active
                | Keyword::Proctype
                | Keyword::DProctype
                | Keyword::Init
                | Keyword::Never
                | Keyword::Trace
                | Keyword::Notrace
                | Keyword::Ltl
                | Keyword::Typedef
                | Keyword::Inline
                | Keyword::CState
                | Keyword::CTrack
        )
    )
}

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Parsed<Unit> {
        let span = self.peek_span();
        if let TokenKind::Code(code) = self.peek()
            && code.kind != CodeKind::Expr
        {
            let code = code.clone();
            self.next();
            return Ok(Unit::Code(CodeAt { code, at: At(span) }));
        }
        let keyword = match self.peek() {
            TokenKind::Keyword(keyword) => Some(*keyword),
            _ => None,
        };
        match keyword {
            Some(Keyword::Active | Keyword::Proctype | Keyword::DProctype) => self.proctype(),
            Some(Keyword::Init) => self.init(),
            Some(Keyword::Never) => self.never(),
            Some(keyword @ (Keyword::Trace | Keyword::Notrace)) => self.trace(keyword == Keyword::Notrace),
            Some(Keyword::Ltl) => self.ltl(),
            Some(Keyword::Typedef) => self.typedef(),
            Some(Keyword::Inline) => {
                self.next();
                Ok(Unit::Inline(self.inline()?))
            }
            Some(keyword @ (Keyword::CState | Keyword::CTrack)) => self.c_state(keyword == Keyword::CTrack),
            _ if self.is_decl() => match self.decl_or_mtype()? {
                Ok(decl) => Ok(Unit::Decl(decl)),
                Err(mtype) => Ok(Unit::Mtype(mtype)),
            },
            _ => self.unexpected("a declaration or a process type"),
        }
    }

    fn proctype(&mut self) -> Parsed<Unit> {
        let active = match self.eat_keyword(Keyword::Active) {
            true => Some(self.active()?),
            false => None,
        };
        let is_deterministic = self.is_keyword(Keyword::DProctype);
        if !is_deterministic && !self.is_keyword(Keyword::Proctype) {
            return self.unexpected("`proctype`");
        }
        self.next();
        let (name, span) = self.name("the name of the process type")?;
        if !self.proctypes.insert(name.clone()) {
            self.session.diagnostics.error(span, format!("process type `{name}` is defined twice"));
        }
        self.expect(Punct::OpenParen)?;
        let params = if self.is(Punct::CloseParen) { Vec::new() } else { self.decl_list()? };
        self.expect(Punct::CloseParen)?;
        let priority = self.priority()?;
        let mut provided = None;
        if self.eat_keyword(Keyword::Provided) {
            self.expect(Punct::OpenParen)?;
            provided = Some(self.full_expr()?);
            self.expect(Punct::CloseParen)?;
        }
        let body = self.body()?;
        let at = At(span);
        Ok(Unit::Proctype(Proctype { active, is_deterministic, name, params, priority, provided, body, at }))
    }

    fn active(&mut self) -> Parsed<Active> {
        let mut count = None;
        if self.eat(Punct::OpenBracket) {
            count = Some(self.expr()?);
            self.expect(Punct::CloseBracket)?;
        }
        Ok(Active { count })
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<i32>> {
        if !self.eat_keyword(Keyword::Priority) {
            return Ok(None);
        }
        match *self.peek() {
            TokenKind::Number(value) => {
                self.next();
                Ok(Some(value))
            }
            _ => self.unexpected("a number"),
        }
    }

    fn init(&mut self) -> Parsed<Unit> {
        let span = self.next().span;
        let priority = self.priority()?;
        let body = self.body()?;
        Ok(Unit::Init(Init { priority, body, at: At(span) }))
    }

    fn optional_name(&mut self) -> Option<Name> {
        let TokenKind::Name(name) = self.peek() else { return None };
        let name = name.clone();
        self.next();
        Some(name)
    }

    fn never(&mut self) -> Parsed<Unit> {
        let span = self.next().span;
        let name = self.optional_name();
        let body = self.body()?;
        Ok(Unit::Never(Claim { name, body, at: At(span) }))
    }

    fn trace(&mut self, is_negated: bool) -> Parsed<Unit> {
        let span = self.next().span;
        let body = self.body()?;
        Ok(Unit::Trace(Trace { is_negated, body, at: At(span) }))
    }

    fn ltl(&mut self) -> Parsed<Unit> {
        let span = self.next().span;
        let name = self.optional_name();
        self.expect(Punct::OpenBrace)?;
        self.is_in_ltl = true;
        let formula = self.full_expr();
        self.is_in_ltl = false;
        let formula = formula?;
        if self.is_separator() {
            self.next();
        }
        self.expect(Punct::CloseBrace)?;
        Ok(Unit::Ltl(Ltl { name, formula, at: At(span) }))
    }

    fn typedef(&mut self) -> Parsed<Unit> {
        self.next();
        let (name, span) = self.name("the name of the type")?;
        self.expect(Punct::OpenBrace)?;
        let fields = self.decl_list()?;
        self.expect(Punct::CloseBrace)?;
        if !self.typedefs.insert(name.clone()) {
            self.session.diagnostics.error(span, format!("type `{name}` is defined twice"));
        }
        Ok(Unit::Typedef(Typedef { name, fields, at: At(span) }))
    }

    fn c_state(&mut self, is_track: bool) -> Parsed<Unit> {
        let span = self.next().span;
        let mut texts = Vec::new();
        while let TokenKind::Text(text) = self.peek() {
            let text = text.clone();
            texts.push((text, At(self.next().span)));
        }
        if !(2..=3).contains(&texts.len()) {
            let message = "`c_state` and `c_track` take two or three strings";
            return self.fail(span, message);
        }
        Ok(Unit::State(CState { is_track, texts, at: self.at(span) }))
    }

    fn decl_list(&mut self) -> Parsed<Vec<Decl>> {
        let mut decls = vec![self.decl()?];
        while self.eat(Punct::Semicolon) {
            decls.push(self.decl()?);
        }
        Ok(decls)
    }

    /// Whether a declaration begins here.
    pub(super) fn is_decl(&mut self) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::Hidden | Keyword::Show | Keyword::Local) => true,
            TokenKind::Name(name) => {
                let name = name.clone();
                self.typedefs.contains(&name)
            }
            TokenKind::Keyword(keyword) => basic_type(*keyword).is_some(),
            _ => false,
        }
    }

    pub(super) fn decl(&mut self) -> Parsed<Decl> {
        let span = self.peek_span();
        match self.decl_or_mtype()? {
            Ok(decl) => Ok(decl),
            Err(_) => self.fail(span, "names of an `mtype` have to be declared outside of process types"),
        }
    }

    fn decl_or_mtype(&mut self) -> Parsed<Result<Decl, Mtype>> {
        let span = self.peek_span();
        let visibility = match self.peek() {
            TokenKind::Keyword(Keyword::Hidden) => Some(Visibility::Hidden),
            TokenKind::Keyword(Keyword::Show) => Some(Visibility::Show),
            TokenKind::Keyword(Keyword::Local) => Some(Visibility::Local),
            _ => None,
        };
        if visibility.is_some() {
            self.next();
        }
        let mut ty = self.type_name()?;
        if matches!(ty, TypeName::Mtype(_)) {
            let mut set = None;
            if self.eat(Punct::Colon) {
                set = Some(self.name("the name of the set")?.0);
            }
            let has_equals = self.is(Punct::Assign);
            if has_equals || self.is(Punct::OpenBrace) {
                if visibility.is_some() {
                    self.session.diagnostics.error(span, "the names of an `mtype` have no visibility");
                }
                return Ok(Err(self.mtype(set, span)?));
            }
            ty = TypeName::Mtype(set);
        }
        let mut vars = vec![self.var()?];
        while self.eat(Punct::Comma) {
            vars.push(self.var()?);
        }
        Ok(Ok(Decl { visibility, ty, vars, at: self.at(span) }))
    }

    fn mtype(&mut self, set: Option<Name>, span: Span) -> Parsed<Mtype> {
        self.eat(Punct::Assign);
        self.expect(Punct::OpenBrace)?;
        let mut names: Vec<(Name, At)> = Vec::new();
        while !self.is(Punct::CloseBrace) {
            let (name, at) = self.name("a name")?;
            self.mtypes.insert(name.clone());
            names.push((name, At(at)));
            // Commas are optional, and there may be several.
            while self.eat(Punct::Comma) {}
        }
        if names.is_empty() {
            return self.unexpected("a name");
        }
        self.expect(Punct::CloseBrace)?;
        Ok(Mtype { set, names, at: self.at(span) })
    }

    /// A type; what may follow `mtype` is left to the caller.
    fn type_name(&mut self) -> Parsed<TypeName> {
        let found = match self.peek() {
            TokenKind::Keyword(keyword) => basic_type(*keyword),
            TokenKind::Name(name) => {
                let name = name.clone();
                self.typedefs.contains(&name).then_some(TypeName::User(name))
            }
            _ => None,
        };
        match found {
            Some(ty) => {
                self.next();
                Ok(ty)
            }
            None => self.unexpected("a type"),
        }
    }

    fn var(&mut self) -> Parsed<Var> {
        let (name, span) = self.name("the name of a variable")?;
        let (mut width, mut size) = (None, None);
        if self.eat(Punct::Colon) {
            let TokenKind::Number(value) = *self.peek() else { return self.unexpected("a width") };
            self.next();
            width = Some(value);
        } else if self.eat(Punct::OpenBracket) {
            size = Some(self.array_size()?);
            self.expect(Punct::CloseBracket)?;
        }
        let mut init = None;
        if self.eat(Punct::Assign) {
            init = Some(self.var_init()?);
        }
        Ok(Var { name, width, size, init, at: At(span) })
    }

    /// A constant expression, or the name of an initialised variable.
    fn array_size(&mut self) -> Parsed<Expr> {
        if let (TokenKind::Name(name), true) = (self.peek().clone(), self.peek_at(1).is(Punct::CloseBracket)) {
            let at = At(self.next().span);
            let var = VarRef { name, index: None, field: None, at };
            return Ok(Expr { kind: ExprKind::Var(var), at });
        }
        self.expr()
    }

    fn var_init(&mut self) -> Parsed<VarInit> {
        let span = self.peek_span();
        if self.is(Punct::OpenBrace) {
            self.next();
            let mut values = vec![self.constant()?];
            while self.eat(Punct::Comma) {
                values.push(self.constant()?);
            }
            self.expect(Punct::CloseBrace)?;
            return Ok(VarInit::List(values));
        }
        if self.eat(Punct::OpenBracket) {
            let capacity = self.expr()?;
            self.expect(Punct::CloseBracket)?;
            if !self.eat_keyword(Keyword::Of) {
                return self.unexpected("`of`");
            }
            self.expect(Punct::OpenBrace)?;
            let mut fields = vec![self.message_type()?];
            while self.eat(Punct::Comma) {
                fields.push(self.message_type()?);
            }
            self.expect(Punct::CloseBrace)?;
            return Ok(VarInit::Channel(ChannelInit { capacity, fields, at: self.at(span) }));
        }
        Ok(VarInit::Expr(self.expr()?))
    }

    fn message_type(&mut self) -> Parsed<TypeName> {
        let span = self.peek_span();
        let ty = self.type_name()?;
        match ty {
            TypeName::Unsigned => self.fail(span, "`unsigned` cannot be the type of a message field"),
            TypeName::Mtype(_) if self.eat(Punct::Colon) => {
                Ok(TypeName::Mtype(Some(self.name("the name of the set")?.0)))
            }
            ty => Ok(ty),
        }
    }

    /// A single constant token; the name of an `mtype` is one.
    pub(super) fn constant(&mut self) -> Parsed<Expr> {
        let span = self.peek_span();
        let kind = match self.peek().clone() {
            TokenKind::Number(value) => ExprKind::Literal(value, Literal::Number),
            TokenKind::Char(value) => ExprKind::Literal(i32::from(value), Literal::Char),
            TokenKind::Keyword(Keyword::True) => ExprKind::Literal(1, Literal::True),
            TokenKind::Keyword(Keyword::False) => ExprKind::Literal(0, Literal::False),
            TokenKind::Keyword(Keyword::Skip) => ExprKind::Literal(1, Literal::Skip),
            TokenKind::Name(name) if self.mtypes.contains(&name) => {
                ExprKind::Var(VarRef { name, index: None, field: None, at: At(span) })
            }
            _ => return self.unexpected("a constant"),
        };
        self.next();
        Ok(Expr { kind, at: At(span) })
    }
}

fn basic_type(keyword: Keyword) -> Option<TypeName> {
    match keyword {
        Keyword::Bit => Some(TypeName::Bit),
        Keyword::Bool => Some(TypeName::Bool),
        Keyword::Byte => Some(TypeName::Byte),
        Keyword::Pid => Some(TypeName::Pid),
        Keyword::Short => Some(TypeName::Short),
        Keyword::Int => Some(TypeName::Int),
        Keyword::Unsigned => Some(TypeName::Unsigned),
        Keyword::Chan => Some(TypeName::Chan),
        Keyword::Mtype => Some(TypeName::Mtype(None)),
        _ => None,
    }
}
