//! Printer of the text form: a model and its top-level items.
//!
//! Printing never fails, also not on models the verifier would refuse: ids that lead nowhere are written as they are.

mod code;
mod expr;
mod step;

use std::fmt::Write;

use unpick_base::Span;

use super::lex::{write_name, write_text};
use super::words::{scalar_word, scope_word};
use crate::{Automaton, ChannelType, Claim, Frame, FrameInit, Location, Model, Place, Proctype, Scalar};

/// The text of a model; [`parse`](super::parse()) gives back an equal one, compiled C aside.
pub fn print(model: &Model) -> String {
    let mut printer = Printer { out: String::new() };
    printer.model(model);
    printer.out
}

struct Printer {
    out: String,
}

/// Appends to the text.
macro_rules! put {
    ($printer:expr, $($argument:tt)*) => {
        write!($printer.out, $($argument)*).expect("writing to a string should succeed")
    };
}
use put;

impl Printer {
    fn model(&mut self, model: &Model) {
        self.out.push_str("automaton");
        self.flags(&[
            (model.has_last, "last"),
            (model.has_priority, "priority"),
            (model.undoes, "undoes"),
            (model.is_beside_claim, "beside_claim"),
            (model.has_code, "has_code"),
        ]);
        self.out.push('\n');
        if model.hidden_size != 0 {
            put!(self, "hidden size {}\n", model.hidden_size);
        }
        for (set, names) in &model.mtypes {
            self.out.push_str("mtype ");
            write_name(set, &mut self.out);
            self.out.push(' ');
            self.list(names, |printer, name| write_name(name, &mut printer.out));
            self.out.push('\n');
        }
        for (id, ty) in model.channel_types.iter_enumerated() {
            put!(self, "channel {id:?}: ");
            self.channel_type(ty);
        }
        if model.globals != Frame::default() {
            put!(self, "globals size {} {{\n", model.globals.size);
            self.frame(&model.globals);
            self.out.push_str("}\n");
        }
        self.code(&model.code);
        for (id, proctype) in model.proctypes.iter_enumerated() {
            put!(self, "proctype {id:?} ");
            self.proctype(proctype);
        }
        for (proctype, priority) in &model.start {
            put!(self, "process {proctype:?} priority {priority}\n");
        }
        for claim in &model.claims {
            self.claim(claim);
        }
        for (is_negated, automaton) in &model.traces {
            self.out.push_str(if *is_negated { "notrace {\n" } else { "trace {\n" });
            self.automaton(automaton);
            self.out.push_str("}\n");
        }
    }

    fn channel_type(&mut self, ty: &ChannelType) {
        put!(self, "{} of", ty.capacity);
        // Fields and their sets are two lists, which a broken model may have of different lengths.
        for at in 0..ty.fields.len().max(ty.mtypes.len()) {
            self.out.push_str(if at == 0 { " " } else { ", " });
            match ty.fields.get(at) {
                Some(field) => self.scalar(*field),
                None => self.out.push_str("none"),
            }
            match ty.mtypes.get(at) {
                Some(Some(set)) => put!(self, " mtype {set}"),
                Some(None) => {}
                None => self.out.push_str(" bare"),
            }
        }
        self.end_line(ty.span);
    }

    fn frame(&mut self, frame: &Frame) {
        for channel in &frame.channels {
            put!(self, "  channel {channel:?}\n");
        }
        for init in &frame.init {
            self.out.push_str("  init ");
            match init {
                FrameInit::Value(place, expr) => {
                    self.place(place);
                    self.out.push_str(" = ");
                    self.expr(expr);
                }
                FrameInit::Channel(place, position) => {
                    self.place(place);
                    put!(self, " = channel {position}");
                }
            }
            self.out.push('\n');
        }
        for var in &frame.vars {
            self.out.push_str("  var ");
            write_name(&var.name, &mut self.out);
            self.out.push(' ');
            self.place(&var.place);
            if let Some(set) = var.mtype {
                put!(self, " mtype {set}");
            }
            self.end_line(var.span);
        }
    }

    fn proctype(&mut self, proctype: &Proctype) {
        write_name(&proctype.name, &mut self.out);
        put!(self, " size {}", proctype.frame.size);
        self.flags(&[(proctype.is_deterministic, "deterministic")]);
        self.span(proctype.span);
        self.out.push_str(" {\n");
        self.frame(&proctype.frame);
        for param in &proctype.params {
            self.out.push_str("  param ");
            self.place(param);
            self.out.push('\n');
        }
        if let Some(provided) = &proctype.provided {
            self.out.push_str("  provided ");
            self.expr(provided);
            self.out.push('\n');
        }
        self.automaton(&proctype.automaton);
        self.out.push_str("}\n");
    }

    fn claim(&mut self, claim: &Claim) {
        self.out.push_str("claim ");
        write_name(&claim.name, &mut self.out);
        if let Some(formula) = &claim.formula {
            self.out.push_str(" formula ");
            write_text(formula, &mut self.out);
        }
        self.flags(&[(claim.is_stutter_invariant, "stutter_invariant")]);
        self.span(claim.span);
        self.out.push_str(" {\n");
        self.automaton(&claim.automaton);
        self.out.push_str("}\n");
    }

    fn automaton(&mut self, automaton: &Automaton) {
        if let Some(start) = automaton.start {
            put!(self, "  start {start:?}\n");
        }
        for (name, location) in &automaton.labels {
            self.out.push_str("  label ");
            write_name(name, &mut self.out);
            put!(self, " {location:?}\n");
        }
        for (id, location) in automaton.locations.iter_enumerated() {
            put!(self, "  {id:?}");
            self.location(location);
        }
    }

    fn location(&mut self, location: &Location) {
        self.flags(&[
            (location.is_end, "end"),
            (location.is_accept, "accept"),
            (location.is_progress, "progress"),
            (location.is_in_d_step, "d_step"),
        ]);
        self.span(location.span);
        self.out.push_str(":\n");
        for transition in &location.transitions {
            self.out.push_str("    ");
            self.transition(transition);
        }
    }

    fn place(&mut self, place: &Place) {
        put!(self, "{}{}", scope_word(place.scope), place.offset);
        for index in &place.indices {
            self.out.push('[');
            self.expr(&index.expr);
            put!(self, " of {} by {}", index.count, index.stride);
            self.span(index.span);
            self.out.push(']');
        }
        self.out.push('.');
        self.scalar(place.scalar);
    }

    fn scalar(&mut self, scalar: Scalar) {
        self.out.push_str(&scalar_word(scalar));
    }

    /// The words of what is so.
    fn flags(&mut self, flags: &[(bool, &str)]) {
        for (_, word) in flags.iter().filter(|(is_set, _)| *is_set) {
            self.out.push(' ');
            self.out.push_str(word);
        }
    }

    fn span(&mut self, span: Span) {
        if span != Span::NONE {
            put!(self, " @{}-{}", span.lo, span.hi);
        }
    }

    fn end_line(&mut self, span: Span) {
        self.span(span);
        self.out.push('\n');
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.out.push('(');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
        self.out.push(')');
    }
}
