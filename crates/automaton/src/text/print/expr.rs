//! Printer of the text form: expressions. A row of operators of one kind needs no parentheses, everything else below an
//! operator does.

use std::fmt::Write;

use super::super::words::kind_of;
use super::{Printer, put};
use crate::{Binary, Expr, Match, Receive};

impl Printer {
    /// An expression where nothing else could be meant to belong to it.
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(operator, left, right) => self.row(*operator, left, right),
            Expr::Conditional(parts) => {
                self.operand(&parts.0);
                self.out.push_str(" ? ");
                self.operand(&parts.1);
                self.out.push_str(" : ");
                self.operand(&parts.2);
            }
            _ => self.operand(expr),
        }
    }

    /// The left operands of operators of one kind, innermost first; they may be many.
    fn row(&mut self, operator: Binary, left: &Expr, right: &Expr) {
        let mut rest = vec![(operator, right)];
        let mut first = left;
        while let Expr::Binary(inner, left, right) = first
            && kind_of(*inner) == kind_of(operator)
        {
            rest.push((*inner, right));
            first = left;
        }
        self.operand(first);
        for (operator, right) in rest.into_iter().rev() {
            put!(self, " {} ", operator.spelling());
            self.operand(right);
        }
    }

    /// An expression below another one.
    pub(super) fn operand(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value) => put!(self, "{value}"),
            Expr::Load(place) => self.place(place),
            Expr::Pid => self.out.push_str("pid"),
            Expr::ProcessCount => self.out.push_str("processes"),
            Expr::Last => self.out.push_str("last"),
            Expr::Priority => self.out.push_str("priority"),
            Expr::Timeout => self.out.push_str("timeout"),
            Expr::NonProgress => self.out.push_str("nonprogress"),
            Expr::Unary(operator, operand) => {
                self.out.push_str(operator.spelling());
                // A minus before a number is part of the number.
                match **operand {
                    Expr::Const(value) => put!(self, "({value})"),
                    _ => self.operand(operand),
                }
            }
            Expr::Binary(..) | Expr::Conditional(_) => {
                self.out.push('(');
                self.expr(expr);
                self.out.push(')');
            }
            Expr::Run(run) => {
                put!(self, "run {:?} ", run.proctype);
                self.list(&run.args, Self::expr);
                put!(self, " priority {}", run.priority);
                self.span(run.span);
            }
            Expr::Len(channel) => self.prefixed("len", channel),
            Expr::Probe(probe, channel) => self.prefixed(probe.spelling(), channel),
            Expr::Poll(receive) => {
                self.out.push_str("poll");
                self.receive(receive);
            }
            Expr::Enabled(pid) => self.prefixed("enabled", pid),
            Expr::GetPriority(pid) => self.prefixed("priority_of", pid),
            Expr::PcValue(pid) => self.prefixed("location_of", pid),
            Expr::RemoteLabel(proctype, pid, location) => {
                put!(self, "at {proctype:?}");
                self.pid(pid.as_deref());
                put!(self, " {location:?}");
            }
            Expr::RemoteVar(proctype, pid, place) => {
                put!(self, "remote {proctype:?}");
                self.pid(pid.as_deref());
                self.out.push(' ');
                self.place(place);
            }
            Expr::Code(piece, span) => {
                put!(self, "value {piece:?}");
                self.span(*span);
            }
        }
    }

    fn prefixed(&mut self, word: &str, operand: &Expr) {
        self.out.push_str(word);
        self.out.push(' ');
        self.operand(operand);
    }

    fn pid(&mut self, pid: Option<&Expr>) {
        if let Some(pid) = pid {
            self.out.push('[');
            self.expr(pid);
            self.out.push(']');
        }
    }

    /// What follows the word for a receive or for its test.
    pub(super) fn receive(&mut self, receive: &Receive) {
        self.flags(&[(receive.is_random, "random"), (receive.is_copy, "copy")]);
        self.out.push(' ');
        self.operand(&receive.channel);
        self.out.push(' ');
        self.list(&receive.args, |printer, arg| match arg {
            Match::Store(place) => {
                printer.out.push_str("-> ");
                printer.place(place);
            }
            Match::Equal(expr) => printer.expr(expr),
        });
        self.span(receive.span);
    }
}
