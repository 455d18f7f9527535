//! Printer of the text form: embedded C.

use std::fmt::Write;

use super::super::lex::{write_name, write_text};
use super::super::words::scope_word;
use super::{Printer, put};
use crate::code::{Code, Declared, DeclaredType, Text};

impl Printer {
    pub(super) fn code(&mut self, code: &Code) {
        if *code == Code::default() {
            return;
        }
        self.out.push_str("code {\n");
        for (id, piece) in code.pieces.iter_enumerated() {
            put!(self, "  {} {id:?}", if piece.is_expression { "expression" } else { "statements" });
            if let Some(owner) = piece.owner {
                put!(self, " in {owner:?}");
            }
            if let Some(precondition) = &piece.precondition {
                self.out.push_str(" requires ");
                self.text(precondition);
            }
            self.out.push(' ');
            self.text(&piece.text);
            self.out.push('\n');
        }
        for top in &code.texts {
            self.out.push_str(if top.is_declaration { "  declaration " } else { "  text " });
            self.text(&top.text);
            self.out.push('\n');
        }
        for state in &code.states {
            self.out.push_str(if state.is_track { "  track " } else { "  state " });
            self.list(&state.texts, Self::text);
            self.end_line(state.span);
        }
        for record in &code.records {
            self.out.push_str("  record ");
            write_name(&record.name, &mut self.out);
            put!(self, " size {} {{\n", record.size);
            self.all_declared(&record.fields);
        }
        if !code.globals.is_empty() {
            self.out.push_str("  globals {\n");
            self.all_declared(&code.globals);
        }
        for locals in &code.locals {
            self.out.push_str("  locals {\n");
            self.all_declared(locals);
        }
        if let Some(memory) = code.memory {
            put!(self, "  memory global{}", memory.at);
            if let Some(hidden_at) = memory.hidden_at {
                put!(self, " hidden{hidden_at}");
            }
            self.out.push('\n');
        }
        self.out.push_str("}\n");
    }

    fn text(&mut self, text: &Text) {
        write_text(&text.text, &mut self.out);
        self.span(text.span);
    }

    fn all_declared(&mut self, all: &[Declared]) {
        for declared in all {
            self.out.push_str("    ");
            write_name(&declared.name, &mut self.out);
            put!(self, " {}{}.", scope_word(declared.scope), declared.offset);
            match declared.ty {
                DeclaredType::Scalar(scalar) => self.scalar(scalar),
                DeclaredType::Record(record) => put!(self, "record {record}"),
            }
            if let Some(count) = declared.count {
                put!(self, " times {count}");
            }
            self.end_line(declared.span);
        }
        self.out.push_str("  }\n");
    }
}
