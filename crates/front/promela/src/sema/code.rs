//! Analysis of embedded C: the pieces in their order, and the variables they may name.

use unpick_automaton::code::{CState, Declared, DeclaredType, Piece, PieceId, Record, Text, TopLevel};
use unpick_automaton::{ProctypeId, Scope};

use super::{Sema, Type, Var};
use crate::lexer::{Code, CodeKind};
use crate::syntax::{self, At, CodeAt, Name};

impl Sema<'_> {
    /// `c_decl`, or `c_code` outside of processes.
    pub(super) fn top_level_code(&mut self, code: &CodeAt) {
        self.model.has_code = true;
        if code.code.precondition.is_some() {
            self.error(code.at.0, "a precondition is for code that a process executes");
        }
        let is_declaration = code.code.kind == CodeKind::Decl;
        self.model.code.texts.push(TopLevel { is_declaration, text: text(&code.code.text, code.code.at) });
    }

    /// `c_state` or `c_track`.
    pub(super) fn code_state(&mut self, state: &syntax::CState) {
        self.model.has_code = true;
        let texts: Vec<Text> = state.texts.iter().map(|(quoted, at)| text(quoted.trim_matches('"'), *at)).collect();
        let second = texts.get(1).map_or("", |text| text.text.trim());
        if !state.is_track {
            let mut words = second.split_whitespace();
            let is_known = match (words.next(), words.next()) {
                (Some("Global" | "Hidden"), None) => true,
                (Some("Local"), Some(name)) => self.check_local_state(name, &texts[1]),
                _ => false,
            };
            if !is_known {
                let message = "where `c_state` lies is \"Global\", \"Hidden\" or \"Local\" with a process type";
                self.error(texts.get(1).map_or(state.at.0, |text| text.span), message);
            }
        } else if let Some(third) = texts.get(2)
            && !matches!(third.text.trim(), "Matched" | "UnMatched")
        {
            self.error(third.span, "data behind `c_track` are \"Matched\" or \"UnMatched\"");
        }
        self.model.code.states.push(CState { is_track: state.is_track, texts, span: state.at.0 });
    }

    fn check_local_state(&mut self, name: &str, text: &Text) -> bool {
        let name = if name == "init" { ":init:" } else { name };
        if !self.proctypes.contains_key(name) {
            self.error(text.span, format!("there is no process type `{name}` that this could be local to"));
        }
        true
    }

    /// Code that a process executes, or an expression.
    pub(super) fn piece(&mut self, code: &Code) -> PieceId {
        self.model.has_code = true;
        let piece = Piece {
            is_expression: code.kind == CodeKind::Expr,
            precondition: code.precondition.as_ref().map(|found| text(found, code.precondition_at)),
            text: text(&code.text, code.at),
            owner: self.owner,
        };
        self.model.code.pieces.push(piece)
    }

    /// Remembers a variable for C text.
    pub(super) fn declare_for_code(&mut self, name: &Name, var: &Var) {
        let declared = self.declared(name, var);
        let ProctypeId(owner) = match (var.scope, self.owner) {
            (Scope::Local, Some(owner)) => owner,
            (Scope::Global | Scope::Hidden | Scope::Local | Scope::Nowhere, _) => {
                return self.model.code.globals.push(declared);
            }
        };
        let locals = &mut self.model.code.locals;
        locals.resize(locals.len().max(owner as usize + 1), Vec::new());
        locals[owner as usize].push(declared);
    }

    fn declared(&self, name: &Name, var: &Var) -> Declared {
        Declared {
            name: name.clone(),
            ty: declared_type(var.ty, var.count.is_some()),
            count: var.count,
            scope: var.scope,
            offset: var.offset,
            span: var.span,
        }
    }

    /// Hands the record types over, once all are known.
    pub(super) fn declare_records(&mut self) {
        let records = self.records.iter().map(|record| Record {
            name: record.name.clone(),
            fields: record
                .fields
                .iter()
                .map(|field| Declared {
                    name: field.name.clone(),
                    ty: declared_type(field.ty, field.count.is_some()),
                    count: field.count,
                    scope: Scope::Nowhere,
                    offset: field.offset,
                    span: unpick_base::Span::NONE,
                })
                .collect(),
            size: record.size,
        });
        self.model.code.records = records.collect();
        let n_proctypes = self.model.proctypes.len();
        self.model.code.locals.resize(n_proctypes, Vec::new());
    }
}

fn declared_type(ty: Type, is_array: bool) -> DeclaredType {
    match ty {
        Type::Record(record) => DeclaredType::Record(record),
        Type::Scalar(_) | Type::Mtype(_) | Type::Chan => DeclaredType::Scalar(ty.scalar(is_array)),
    }
}

fn text(text: &str, at: At) -> Text {
    Text { text: text.into(), span: at.0 }
}
