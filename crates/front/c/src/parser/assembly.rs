//! Parser of inline assembly: statements, file scope, and symbol names.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{Asm, AsmOperand};

impl Parser {
    /// `asm volatile ("..." : outputs : inputs : clobbers : labels);`
    pub(super) fn asm_statement(&mut self) -> Parsed<Asm> {
        let start = self.position;
        self.bump();
        let mut is_volatile = false;
        while matches!(
            self.kind(),
            TokenKind::Volatile | TokenKind::Inline | TokenKind::Goto | TokenKind::Const | TokenKind::Restrict
        ) {
            is_volatile |= self.bump().kind != TokenKind::Inline;
        }
        let open = self.expect(TokenKind::LParen, "after `asm`")?.span;
        let template = self.string_text("assembly text")?;
        let mut asm = Asm {
            template,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            is_volatile,
            span: self.span(),
        };
        self.asm_sections(&mut asm)?;
        self.expect_close(TokenKind::RParen, open, "after assembly")?;
        self.expect_semi("assembly")?;
        asm.span = self.span_from(start);
        Ok(asm)
    }

    fn asm_sections(&mut self, asm: &mut Asm) -> Parsed<()> {
        let mut section = 0;
        loop {
            match self.kind() {
                TokenKind::Colon => section += 1,
                TokenKind::ColonColon => section += 2,
                _ => return Ok(()),
            }
            self.bump();
            if matches!(self.kind(), TokenKind::Colon | TokenKind::ColonColon | TokenKind::RParen) {
                continue;
            }
            loop {
                match section {
                    1 => asm.outputs.push(self.asm_operand()?),
                    2 => asm.inputs.push(self.asm_operand()?),
                    3 => asm.clobbers.push(self.string_text("clobbered register")?),
                    4 => asm.labels.push(self.identifier("label")?),
                    _ => return self.expected("`)` after assembly"),
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
    }

    fn asm_operand(&mut self) -> Parsed<AsmOperand> {
        let mut name = None;
        if self.at(TokenKind::LBracket) {
            let open = self.bump().span;
            name = Some(self.identifier("operand name")?);
            self.expect_close(TokenKind::RBracket, open, "after operand name")?;
        }
        let constraint = self.string_text("operand constraint")?;
        let open = self.expect(TokenKind::LParen, "after operand constraint")?.span;
        let value = self.expression()?;
        self.expect_close(TokenKind::RParen, open, "after operand")?;
        Ok(AsmOperand { name, constraint, value })
    }

    /// `asm("name")` behind a declarator.
    pub(super) fn asm_label(&mut self) -> Parsed<String> {
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `asm`")?.span;
        let name = self.string_text("symbol name")?;
        self.expect_close(TokenKind::RParen, open, "after symbol name")?;
        Ok(name)
    }
}
