//! Printer of the text form: transitions, one on a line.

use std::fmt::Write;

use super::super::lex::write_text;
use super::{Printer, put};
use crate::{Step, Transition};

impl Printer {
    pub(super) fn transition(&mut self, transition: &Transition) {
        self.step(&transition.step);
        if let Some(target) = transition.target {
            put!(self, " -> {target:?}");
        }
        self.flags(&[(transition.is_atomic, "atomic")]);
        if let Some(escape) = transition.escape {
            put!(self, " escape {escape:?}");
        }
        put!(self, " #{}", transition.statement);
        self.end_line(transition.span);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Skip => self.out.push_str("skip"),
            Step::Else => self.out.push_str("else"),
            Step::Condition(expr) => {
                self.out.push_str("when ");
                self.expr(expr);
            }
            Step::Assign(place, expr) => {
                self.place(place);
                self.out.push_str(" = ");
                self.expr(expr);
            }
            Step::Send { channel, is_sorted, args } => {
                self.out.push_str("send");
                self.flags(&[(*is_sorted, "sorted")]);
                self.out.push(' ');
                self.operand(channel);
                self.out.push(' ');
                self.list(args, Self::expr);
            }
            Step::Receive(receive) => {
                self.out.push_str("receive");
                self.receive(receive);
            }
            Step::Assert(expr) => {
                self.out.push_str("assert ");
                self.expr(expr);
            }
            Step::Printf(text, args) => {
                self.out.push_str("print ");
                write_text(text, &mut self.out);
                self.out.push(' ');
                self.list(args, Self::expr);
            }
            Step::Printm(expr, set) => {
                self.out.push_str("print ");
                self.expr(expr);
                self.out.push_str(" mtype");
                if let Some(set) = set {
                    put!(self, " {set}");
                }
            }
            Step::SetPriority(pid, priority) => {
                self.out.push_str("set_priority ");
                self.expr(pid);
                self.out.push_str(" to ");
                self.expr(priority);
            }
            Step::Code(piece) => put!(self, "execute {piece:?}"),
            Step::DStep(start) => put!(self, "d_step {start:?}"),
            Step::End => self.out.push_str("end"),
        }
    }
}
