//! Parser of the text form: transitions and their steps.

use super::super::lex::TokenKind;
use super::{Parsed, Parser};
use crate::{Step, Transition};

impl Parser<'_> {
    pub(super) fn transition(&mut self) -> Parsed<Transition> {
        let step = self.step()?;
        let target = if self.eat("->") { Some(self.location_id()?) } else { None };
        let is_atomic = self.eat("atomic");
        let escape = if self.eat("escape") { Some(self.location_id()?) } else { None };
        let statement = self.number_of("#")?;
        Ok(Transition { step, target, is_atomic, escape, statement, span: self.span()? })
    }

    fn step(&mut self) -> Parsed<Step> {
        if self.token().kind != TokenKind::Word {
            return self.expected("a step");
        }
        let word = self.token().text;
        if super::super::words::scope_of(word).is_some() {
            let place = self.place()?;
            self.expect("=")?;
            return Ok(Step::Assign(place, self.expr()?));
        }
        self.advance();
        Ok(match word {
            "skip" => Step::Skip,
            "else" => Step::Else,
            "end" => Step::End,
            "when" => Step::Condition(self.expr()?),
            "assert" => Step::Assert(self.expr()?),
            "send" => {
                let is_sorted = self.eat("sorted");
                let channel = self.operand()?;
                Step::Send { channel, is_sorted, args: self.list(Self::expr)? }
            }
            "receive" => Step::Receive(self.receive()?),
            "print" if self.token().kind == TokenKind::Text => {
                let text = self.text()?;
                Step::Printf(text, self.list(Self::expr)?)
            }
            "print" => {
                let expr = self.expr()?;
                self.expect("mtype")?;
                let set = if self.token().kind == TokenKind::Number { Some(self.number()?) } else { None };
                Step::Printm(expr, set)
            }
            "set_priority" => {
                let pid = self.expr()?;
                self.expect("to")?;
                Step::SetPriority(pid, self.expr()?)
            }
            "execute" => Step::Code(self.piece_id()?),
            "d_step" => Step::DStep(self.location_id()?),
            _ => {
                self.at -= 1;
                return self.expected("a step");
            }
        })
    }
}
