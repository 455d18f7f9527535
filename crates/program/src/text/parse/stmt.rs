//! Parser of instructions and terminators.

use super::{Parsed, Parser};
use crate::ViolationKind;
use crate::program::*;
use crate::text::lex::TokenKind;
use crate::text::words::{Word, number_after};

/// An inclusive range of values and where it leads.
type Case = (u128, u128, BlockId);

impl Parser<'_> {
    pub(super) fn stmt(&mut self) -> Parsed<StmtKind> {
        let token = self.token();
        if token.kind != TokenKind::Word {
            return self.expected("an instruction");
        }
        if number_after(token.text, "r").is_some() {
            return self.assignment();
        }
        let mut parts = token.text.split('.');
        let head = parts.next().unwrap_or_default();
        let suffixes: Vec<&str> = parts.collect();
        match head {
            "store" | "storebits" | "memcopy" | "memmove" | "memset" | "memany" | "output" | "live" | "dead"
            | "free" | "longjump" => self.memory(head, &suffixes),
            "fence" | "atomic" | "wait" | "progress" | "lock" => self.concurrency(head, &suffixes),
            "call" | "assume" | "assert" | "checkindex" | "note" | "unmodelled" if suffixes.is_empty() => {
                self.plain(head)
            }
            _ => self.error(format!("`{}` is not an instruction", token.text)),
        }
    }

    fn plain(&mut self, head: &str) -> Parsed<StmtKind> {
        self.advance();
        match head {
            "call" => {
                let (callee, args) = self.invoke()?;
                Ok(StmtKind::Call { dst: None, callee, args })
            }
            "assume" => Ok(StmtKind::Assume(self.condition()?)),
            "assert" => {
                let cond = self.condition()?;
                self.expect_word("else")?;
                Ok(StmtKind::Assert { cond, kind: self.violation_kind()?, message: self.text()? })
            }
            "checkindex" => {
                let index = self.index()?;
                self.expect("<")?;
                let one_past = self.eat("=");
                Ok(StmtKind::CheckIndex { index, len: self.unsigned("a length")?, one_past })
            }
            "note" => Ok(StmtKind::Note(self.text()?)),
            _ => Ok(StmtKind::Unmodelled(self.text()?)),
        }
    }

    fn memory(&mut self, head: &str, suffixes: &[&str]) -> Parsed<StmtKind> {
        self.advance();
        match head {
            "store" => {
                let access = self.access(suffixes)?;
                let ty = self.ty()?;
                let value = self.operand(Some(ty))?;
                self.expect("->")?;
                return Ok(StmtKind::Store { addr: self.pointer()?, value, ty, access });
            }
            "storebits" => {
                let access = self.access(suffixes)?;
                let value = self.operand(None)?;
                self.expect("->")?;
                return Ok(StmtKind::StoreBits { addr: self.pointer()?, bits: self.bit_range()?, value, access });
            }
            "free" => {
                let kind = self.only_suffix(suffixes, "`free.heap` or `free.stack`")?;
                return Ok(StmtKind::Free { addr: self.pointer()?, kind });
            }
            _ => self.no_suffix(suffixes)?,
        }
        match head {
            "memset" => {
                let byte = self.operand(Some(Ty::Int(8)))?;
                self.expect("->")?;
                Ok(StmtKind::MemSet { dst: self.pointer()?, byte, bytes: self.byte_count()? })
            }
            "memany" => {
                let label = self.text()?;
                self.expect("->")?;
                let (dst, bytes) = (self.pointer()?, self.byte_count()?);
                Ok(StmtKind::MemAny { dst, bytes, is_assumed: self.eat_word("assumed"), label })
            }
            "output" => {
                let stream = self.operand(Some(Ty::Int(32)))?;
                self.expect(",")?;
                Ok(StmtKind::Output { stream, addr: self.pointer()?, bytes: self.byte_count()? })
            }
            "longjump" => {
                let addr = self.pointer()?;
                self.expect(",")?;
                Ok(StmtKind::LongJump { addr, value: self.operand(Some(Ty::Int(32)))? })
            }
            "live" => Ok(StmtKind::SlotLive(self.slot()?)),
            "dead" => Ok(StmtKind::SlotDead(self.slot()?)),
            _ => {
                let src = self.pointer()?;
                self.expect("->")?;
                let may_overlap = head == "memmove";
                Ok(StmtKind::MemCopy { dst: self.pointer()?, src, bytes: self.byte_count()?, may_overlap })
            }
        }
    }

    fn concurrency(&mut self, head: &str, suffixes: &[&str]) -> Parsed<StmtKind> {
        self.advance();
        match (head, suffixes) {
            ("fence", _) => Ok(StmtKind::Fence(self.only_suffix(suffixes, "an order as in `fence.seqcst`")?)),
            ("atomic", ["begin"]) => Ok(StmtKind::AtomicBegin),
            ("atomic", ["end"]) => Ok(StmtKind::AtomicEnd),
            ("progress", []) => Ok(StmtKind::Progress),
            ("wait", []) => Ok(StmtKind::Wait(self.condition()?)),
            ("lock", ["take" | "get" | "give"] | ["take" | "get" | "give", "shared"]) => {
                let op = match suffixes[0] {
                    "take" => LockOp::Take,
                    "get" => LockOp::Get,
                    _ => LockOp::Give,
                };
                Ok(StmtKind::Hold { addr: self.pointer()?, op, is_exclusive: suffixes.len() == 1 })
            }
            _ => Err(self.error_at(self.at - 1, format!("`{head}` does not take this suffix"))),
        }
    }

    /// An instruction that starts with `rN =` or `rN, rM =`.
    fn assignment(&mut self) -> Parsed<StmtKind> {
        let dst = self.reg()?;
        if self.eat(",") {
            return self.compare_and_swap(dst);
        }
        self.expect("=")?;
        let token = self.token();
        if token.kind != TokenKind::Word {
            return Ok(StmtKind::Assign(dst, self.rvalue(dst)?));
        }
        let mut parts = token.text.split('.');
        let head = parts.next().unwrap_or_default();
        let suffixes: Vec<&str> = parts.collect();
        match head {
            "load" | "loadbits" | "alloc" | "rmw" => self.suffixed_assignment(dst, head, &suffixes),
            "objectsize" | "call" | "choose" | "spawn" | "self" | "ended" | "interrupts" | "setjump"
                if suffixes.is_empty() =>
            {
                self.plain_assignment(dst, head)
            }
            _ => Ok(StmtKind::Assign(dst, self.rvalue(dst)?)),
        }
    }

    fn suffixed_assignment(&mut self, dst: RegId, head: &str, suffixes: &[&str]) -> Parsed<StmtKind> {
        self.advance();
        match head {
            "load" => {
                let access = self.access(suffixes)?;
                Ok(StmtKind::Load { dst, addr: self.pointer()?, access })
            }
            "loadbits" => {
                let is_signed = suffixes.first() == Some(&"signed");
                let access = self.access(&suffixes[usize::from(is_signed)..])?;
                Ok(StmtKind::LoadBits { dst, addr: self.pointer()?, bits: self.bit_range()?, is_signed, access })
            }
            "alloc" => {
                let kind = self.only_suffix(suffixes, "`alloc.heap` or `alloc.stack`")?;
                let bytes = self.index()?;
                self.expect_word("align")?;
                let align = self.unsigned("an alignment")?;
                let word = self.word("`indeterminate`, `zero` or `any`")?;
                let contents = self.table_word(Some(word), "`indeterminate`, `zero` or `any`")?;
                Ok(StmtKind::Alloc { dst, bytes, align, kind, contents })
            }
            _ => {
                let [op, order] = suffixes else {
                    return Err(self.error_at(self.at - 1, "expected an operation and an order as in `rmw.add.seqcst`"));
                };
                let op = self.table_word(Some(op), "an operation as in `rmw.add.seqcst`")?;
                let order = self.table_word(Some(order), "an order as in `rmw.add.seqcst`")?;
                let addr = self.pointer()?;
                self.expect(",")?;
                let ty = self.function.regs.get(dst).map(|reg| reg.ty);
                Ok(StmtKind::AtomicRmw { dst, op, addr, value: self.operand(ty)?, order })
            }
        }
    }

    fn plain_assignment(&mut self, dst: RegId, head: &str) -> Parsed<StmtKind> {
        self.advance();
        match head {
            "objectsize" => {
                let addr = self.pointer()?;
                let element = if self.eat_word("of") { Some(self.unsigned("a size")?) } else { None };
                Ok(StmtKind::ObjectSize { dst, addr, element })
            }
            "call" => {
                let (callee, args) = self.invoke()?;
                Ok(StmtKind::Call { dst: Some(dst), callee, args })
            }
            "choose" => {
                let mut range = None;
                if self.token().kind != TokenKind::Text {
                    let low = self.signed("a bound")?;
                    self.expect_word("to")?;
                    range = Some((low, self.signed("a bound")?));
                }
                Ok(StmtKind::Choose { dst, range, label: self.text()? })
            }
            "spawn" => {
                let (callee, args) = self.invoke()?;
                Ok(StmtKind::Spawn { dst, callee, args })
            }
            "self" => Ok(StmtKind::SelfThread(dst)),
            "ended" => Ok(StmtKind::ThreadEnded { dst, thread: self.operand(Some(Ty::Int(32)))? }),
            "setjump" => {
                let addr = self.pointer()?;
                self.expect(",")?;
                Ok(StmtKind::SetJump { dst, addr, anchor: self.slot()? })
            }
            _ => {
                let what = "`enter`, `leave`, `set`, `nest` or `get`";
                let word = self.word(what)?;
                let op = self.table_word(Some(word), what)?;
                Ok(StmtKind::Interrupts { dst, op, value: self.operand(Some(Ty::Int(32)))? })
            }
        }
    }

    fn compare_and_swap(&mut self, dst: RegId) -> Parsed<StmtKind> {
        let ok = self.reg()?;
        self.expect("=")?;
        let word = self.word("`cas`")?;
        let (is_weak, order) = match word.strip_prefix("cas.") {
            Some(rest) => rest.strip_prefix("weak.").map_or((false, rest), |order| (true, order)),
            None => return Err(self.error_at(self.at - 1, "only `cas` has two results")),
        };
        let order = self.table_word(Some(order), "an order as in `cas.seqcst`")?;
        let addr = self.pointer()?;
        let ty = self.function.regs.get(dst).map(|reg| reg.ty);
        self.expect_word("expect")?;
        let expected = self.operand(ty)?;
        self.expect_word("set")?;
        let desired = self.operand(ty)?;
        Ok(StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak, order })
    }

    /// A terminator, if the line starts with the word of one.
    pub(super) fn terminator(&mut self) -> Parsed<Option<Terminator>> {
        if self.token().kind != TokenKind::Word {
            return Ok(None);
        }
        let word = self.token().text;
        match word {
            "goto" | "branch" | "switch" | "return" | "exit" | "abort" | "endthread" | "unreachable" => {
                self.advance();
            }
            _ => return Ok(None),
        }
        let terminator = match word {
            "goto" if self.eat("*") => {
                let addr = self.pointer()?;
                self.expect("[")?;
                Terminator::IndirectGoto { addr, targets: self.list("]", Self::block_use)? }
            }
            "goto" => Terminator::Goto(self.block_use()?),
            "branch" => {
                let cond = self.condition()?;
                self.expect("?")?;
                let then = self.block_use()?;
                self.expect(":")?;
                Terminator::Branch { cond, then, otherwise: self.block_use()? }
            }
            "switch" => self.switch()?,
            "return" if self.at_line_end() => Terminator::Return(None),
            "return" => Terminator::Return(Some(self.operand(self.function.ret)?)),
            "endthread" => Terminator::EndThread,
            "unreachable" => Terminator::Unreachable,
            _ => Terminator::Exit { code: self.operand(Some(Ty::Int(32)))?, is_abort: word == "abort" },
        };
        Ok(Some(terminator))
    }

    /// Whether a `return` has no value: a place, a label or the end of the function follows.
    fn at_line_end(&self) -> bool {
        let token = self.token();
        match token.kind {
            TokenKind::Punct => matches!(token.text, "@" | "}"),
            TokenKind::Word => number_after(token.text, "b").is_some(),
            TokenKind::End => true,
            TokenKind::Number | TokenKind::Text => false,
        }
    }

    fn switch(&mut self) -> Parsed<Terminator> {
        let ty = self.ty()?;
        let value = self.operand(Some(ty))?;
        self.expect("{")?;
        let rest = self.switch_cases(ty);
        if rest.is_err() {
            // The brace that closes the cases must not be taken for the function's.
            while self.token().kind != TokenKind::End && !self.is_punct("}") && !self.is_punct("{") {
                self.advance();
            }
            self.eat("}");
        }
        let (cases, default) = rest?;
        Ok(Terminator::Switch { value, ty, cases, default })
    }

    fn switch_cases(&mut self, ty: Ty) -> Parsed<(Vec<Case>, BlockId)> {
        let Ty::Int(width) = ty else { return self.error("only integers can be switched on") };
        let mut cases = Vec::new();
        while !self.eat_word("else") {
            let low = self.integer_bits(width)?;
            let high = if self.eat_word("to") { self.integer_bits(width)? } else { low };
            self.expect("->")?;
            cases.push((low, high, self.block_use()?));
            self.expect(",")?;
        }
        let default = self.block_use()?;
        self.expect("}")?;
        Ok((cases, default))
    }

    /// `main(i32 1)` or `*r1(i32 1)`.
    fn invoke(&mut self) -> Parsed<(Operand, Vec<Operand>)> {
        let callee =
            if self.eat("*") { self.pointer()? } else { Operand::Address(Address::Func(self.function_use()?)) };
        self.expect("(")?;
        Ok((callee, self.list(")", |parser| parser.operand(None))?))
    }

    fn byte_count(&mut self) -> Parsed<Operand> {
        self.expect_word("bytes")?;
        self.index()
    }

    /// `null-dereference`: words with hyphens between them.
    fn violation_kind(&mut self) -> Parsed<ViolationKind> {
        let at = self.at;
        let mut name = self.word("the kind of a violation")?.to_string();
        while self.eat("-") {
            name.push('-');
            name.push_str(self.word("the kind of a violation")?);
        }
        let kind = ViolationKind::from_name(&name);
        kind.ok_or_else(|| self.error_at(at, format!("`{name}` is not the kind of a violation")))
    }

    /// `.volatile`, `.seqcst`, `.volatile.seqcst` or nothing.
    fn access(&mut self, suffixes: &[&str]) -> Parsed<Access> {
        let is_volatile = suffixes.first() == Some(&"volatile");
        let atomic = match &suffixes[usize::from(is_volatile)..] {
            [] => None,
            [order] => Some(self.table_word::<Order>(Some(order), "`volatile` or an order as suffix")?),
            [_, ..] => return Err(self.error_at(self.at - 1, "expected `volatile` and an order as suffixes")),
        };
        Ok(Access { is_volatile, atomic })
    }

    fn only_suffix<W: Word>(&mut self, suffixes: &[&str], what: &str) -> Parsed<W> {
        let word = if let [word] = suffixes { Some(*word) } else { None };
        self.table_word(word, what)
    }

    fn no_suffix(&mut self, suffixes: &[&str]) -> Parsed<()> {
        if suffixes.is_empty() {
            return Ok(());
        }
        Err(self.error_at(self.at - 1, "this instruction takes no suffix"))
    }
}
