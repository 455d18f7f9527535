//! Parser of items: files, shapes, globals, functions with their declarations.

use unpick_base::IdVec;

use super::{Failed, MAX_ERRORS, Parsed, Parser, empty_function};
use crate::program::*;
use crate::text::lex::TokenKind;
use crate::text::words::{is_item_word, number_after};

impl Parser<'_> {
    pub(super) fn program(&mut self) {
        while self.token().kind != TokenKind::End && self.errors.len() < MAX_ERRORS {
            let start = self.at;
            if self.item().is_err() {
                self.skip_to_item(start);
            }
        }
        if self.errors.is_empty() {
            self.check_label_uses();
        }
        let has_all = self.program.files.len() == self.outline.n_files as usize
            && self.program.shapes.len() == self.outline.n_shapes as usize
            && self.program.globals.len() == self.outline.n_globals as usize
            && self.program.functions.len() == self.outline.n_functions as usize;
        if !has_all && self.errors.is_empty() {
            self.error_at(self.at, "an item is not where it can be read");
        }
    }

    fn item(&mut self) -> Parsed<()> {
        let at = self.at;
        let word = self.token().text;
        if self.token().kind != TokenKind::Word {
            return self.expected("`pointer`, `entry`, `file`, `shape`, `global` or `fn`");
        }
        match word {
            "pointer" => {
                self.advance();
                if self.has_pointer_size || !self.program.functions.is_empty() {
                    return Err(self.error_at(at, "`pointer` should stand once, before all functions"));
                }
                self.has_pointer_size = true;
                self.program.pointer_bytes = self.unsigned("a pointer size")?;
                Ok(())
            }
            "entry" => {
                self.advance();
                if self.program.entry.is_some() {
                    return Err(self.error_at(at, "there is already an entry"));
                }
                self.program.entry = Some(self.function_use()?);
                Ok(())
            }
            "file" => {
                self.advance();
                self.dense_number(self.program.files.len())?;
                let name = self.text()?;
                self.program.files.push(name);
                Ok(())
            }
            "shape" => {
                self.advance();
                self.dense_number(self.program.shapes.len())?;
                self.expect(":")?;
                let shape = self.shape()?;
                self.program.shapes.push(shape);
                Ok(())
            }
            "global" => self.global(),
            "fn" => self.function(),
            _ => self.expected("`pointer`, `entry`, `file`, `shape`, `global` or `fn`"),
        }
    }

    /// Goes on at the next line that starts with an item.
    fn skip_to_item(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        while self.token().kind != TokenKind::End {
            let token = self.token();
            let is_first = self.at == 0 || self.tokens[self.at - 1].line != token.line;
            if is_first && token.kind == TokenKind::Word && is_item_word(token.text) {
                return;
            }
            self.advance();
        }
    }

    fn check_label_uses(&mut self) {
        for (function, block, at) in std::mem::take(&mut self.label_uses) {
            let target = self.program.functions.get(function).and_then(|function| function.blocks.get(block));
            if target.is_none() {
                self.error_at(at, format!("that function has no block {block:?}"));
            }
        }
    }

    /// The number of a definition, which has to be the next one.
    fn dense_number(&mut self, next: usize) -> Parsed<()> {
        let at = self.at;
        let number: u32 = self.unsigned("a number")?;
        if number as usize == next { Ok(()) } else { Err(self.error_at(at, format!("expected number {next} here"))) }
    }

    fn dense_id(&mut self, prefix: &str, what: &str, next: usize) -> Parsed<()> {
        let at = self.at;
        let number = self.id(prefix, what)?;
        if number as usize == next { Ok(()) } else { Err(self.error_at(at, format!("expected {prefix}{next} here"))) }
    }

    fn shape(&mut self) -> Parsed<Shape> {
        let at = self.at;
        match self.word("the kind of a shape")? {
            "int" => {
                let name = self.text()?;
                Ok(Shape::Int { name, size: self.size()?, is_signed: self.sign()? })
            }
            "char" => Ok(Shape::Char { is_signed: self.sign()? }),
            "bool" => Ok(Shape::Bool),
            "float" => Ok(Shape::Float(self.ty()?)),
            "pointer" if self.eat_word("to") => Ok(Shape::Pointer(Some(self.shape_use()?))),
            "pointer" => Ok(Shape::Pointer(None)),
            "code" => Ok(Shape::Code),
            "array" => {
                self.expect_word("of")?;
                let element = self.shape_use()?;
                self.expect_word("len")?;
                let len = self.unsigned("a length")?;
                self.expect_word("stride")?;
                Ok(Shape::Array { element, len, stride: self.unsigned("a stride")? })
            }
            word @ ("struct" | "union") => {
                let name = self.text()?;
                self.expect("{")?;
                let fields = self.list("}", Self::field)?;
                Ok(Shape::Record { name, is_union: word == "union", fields })
            }
            "enum" => {
                let name = self.text()?;
                let (size, is_signed) = (self.size()?, self.sign()?);
                self.expect("{")?;
                let names = self.list("}", |parser| {
                    let name = parser.name()?;
                    parser.expect("=")?;
                    Ok((parser.signed("a value")?, name))
                })?;
                Ok(Shape::Enum { name, size, is_signed, names })
            }
            "opaque" => Ok(Shape::Opaque { size: self.size()? }),
            _ => Err(self.error_at(at, "this is not the kind of a shape")),
        }
    }

    fn field(&mut self) -> Parsed<ShapeField> {
        let name = self.name()?;
        self.expect(":")?;
        let shape = self.shape_use()?;
        self.expect_word("at")?;
        let offset = self.unsigned("an offset")?;
        let bits = if self.is_word("bits") { Some(self.bit_range()?) } else { None };
        Ok(ShapeField { name, offset, bits, shape })
    }

    fn size<N: TryFrom<u128>>(&mut self) -> Parsed<N> {
        self.expect_word("size")?;
        self.unsigned("a size")
    }

    fn sign(&mut self) -> Parsed<bool> {
        if self.eat_word("signed") {
            return Ok(true);
        }
        if self.eat_word("unsigned") { Ok(false) } else { self.expected("`signed` or `unsigned`") }
    }

    fn size_and_align(&mut self) -> Parsed<(u64, u64)> {
        let size = self.size()?;
        self.expect_word("align")?;
        Ok((size, self.unsigned("an alignment")?))
    }

    fn shape_of(&mut self) -> Parsed<Option<ShapeId>> {
        if self.eat_word("as") { Ok(Some(self.shape_use()?)) } else { Ok(None) }
    }

    /// Behind `device`: where it lies, what reading gives, what writing does.
    fn device(&mut self) -> Parsed<Device> {
        let address = if self.eat_word("at") { Some(self.unsigned("an address")?) } else { None };
        let reads = self.word("`any` or `held`")?;
        let read = self.table_word(Some(reads), "`any` or `held`")?;
        let writes = self.word("`ignored`, `held` or `clears.ones`")?;
        let write = self.table_word(Some(writes), "`ignored`, `held` or `clears.ones`")?;
        Ok(Device { address, read, write })
    }

    fn global(&mut self) -> Parsed<()> {
        self.advance();
        self.loc = Loc::NONE;
        let name = self.name()?;
        self.expect(":")?;
        let (size, align) = self.size_and_align()?;
        let source_name = if self.eat_word("unnamed") { None } else { Some(self.source_name(&name)?) };
        let is_thread_local = self.eat_word("threadlocal");
        let is_read_only = self.eat_word("readonly");
        if self.eat_word("device") {
            let device = self.device()?;
            self.program.devices.insert(crate::GlobalId(self.program.globals.len() as u32), device);
        }
        let is_model = self.eat_word("model");
        let shape = self.shape_of()?;
        let loc = self.place()?;
        let init = if self.eat("=") { self.initialiser()? } else { GlobalInit::default() };
        let global =
            Global { name, source_name, size, align, init, is_thread_local, is_read_only, is_model, shape, loc };
        self.program.globals.push(global);
        Ok(())
    }

    fn source_name(&mut self, name: &str) -> Parsed<String> {
        if self.eat_word("source") { self.name() } else { Ok(name.to_string()) }
    }

    fn initialiser(&mut self) -> Parsed<GlobalInit> {
        let mut init = GlobalInit::default();
        if self.eat_word("hex") {
            init.bytes = self.hex_bytes()?;
        } else if self.token().kind == TokenKind::Text {
            init.bytes = self.bytes()?;
        }
        if self.eat("{") {
            init.pointers = self.list("}", |parser| {
                let offset = parser.unsigned("an offset")?;
                parser.expect(":")?;
                Ok((offset, parser.address()?))
            })?;
        }
        if self.eat_word("any") {
            init.any = Some(self.text()?);
        }
        Ok(init)
    }

    fn hex_bytes(&mut self) -> Parsed<Vec<u8>> {
        let at = self.at;
        let digits: Vec<u8> = self.bytes()?.into_iter().filter(|byte| *byte != b' ').collect();
        let value = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
        let pairs = digits.chunks(2).map(|pair| match pair {
            [high, low] => Some(value(*high)? << 4 | value(*low)?),
            [_] | [] | [..] => None,
        });
        let bytes: Option<Vec<u8>> = pairs.collect();
        bytes.ok_or_else(|| self.error_at(at, "expected pairs of hexadecimal digits"))
    }

    fn function(&mut self) -> Parsed<()> {
        self.advance();
        self.loc = Loc::NONE;
        self.function = empty_function();
        self.block_uses.clear();
        self.function.name = self.name()?;
        self.expect("(")?;
        let params_at = self.at;
        self.function.params = self.list(")", |parser| Ok(RegId(parser.id("r", "a register")?)))?;
        self.function.ret = if self.eat("->") { Some(self.ty()?) } else { None };
        let name = self.function.name.clone();
        self.function.source_name = self.source_name(&name)?;
        self.function.is_variadic = self.eat_word("variadic");
        self.function.is_model = self.eat_word("model");
        self.function.loc = self.place()?;
        self.expect("{")?;
        while self.is_word("reg") || self.is_word("slot") {
            let start = self.at;
            let is_fine = if self.is_word("reg") { self.register_line() } else { self.slot_line() };
            if is_fine.is_err() {
                self.skip_line(start);
            }
        }
        self.blocks()?;
        self.check_function_uses(params_at);
        let function = std::mem::replace(&mut self.function, empty_function());
        self.program.functions.push(function);
        Ok(())
    }

    fn check_function_uses(&mut self, params_at: usize) {
        let n_regs = self.function.regs.len();
        if let Some(param) = self.function.params.iter().find(|param| param.0 as usize >= n_regs) {
            let message = format!("parameter {param:?} is not declared");
            self.error_at(params_at, message);
        }
        for (block, at) in std::mem::take(&mut self.block_uses) {
            if self.function.blocks.get(block).is_none() {
                self.error_at(at, format!("there is no block {block:?}"));
            }
        }
    }

    /// `reg r0 name: i32 as shape0`, `reg r1 r2 r3: i32`.
    fn register_line(&mut self) -> Parsed<()> {
        self.advance();
        let first = self.function.regs.len();
        let mut next = first;
        self.dense_id("r", "a register", next)?;
        next += 1;
        while self.token().kind == TokenKind::Word && number_after(self.token().text, "r").is_some() {
            self.dense_id("r", "a register", next)?;
            next += 1;
        }
        let name_at = self.at;
        let name = if self.is_punct(":") { None } else { Some(self.name()?) };
        self.expect(":")?;
        let reg = Reg { ty: self.ty()?, name, shape: self.shape_of()? };
        if reg.name.is_some() && next > first + 1 {
            return Err(self.error_at(name_at, "a named register stands alone"));
        }
        (first..next).for_each(|_| {
            self.function.regs.push(reg.clone());
        });
        Ok(())
    }

    fn slot_line(&mut self) -> Parsed<()> {
        self.advance();
        self.dense_id("slot", "a stack object", self.function.slots.len())?;
        let name = if self.is_punct(":") { None } else { Some(self.name()?) };
        self.expect(":")?;
        let (size, align) = self.size_and_align()?;
        let shape = self.shape_of()?;
        self.function.slots.push(Slot { name, size, align, shape });
        Ok(())
    }

    /// Blocks up to the closing brace.
    fn blocks(&mut self) -> Parsed<()> {
        let mut blocks = IdVec::new();
        while !self.eat("}") {
            if self.errors.len() >= MAX_ERRORS || self.at_item_line() {
                return self.expected("`}`");
            }
            let start = self.at;
            self.function.blocks = blocks;
            let block = self.block();
            blocks = std::mem::take(&mut self.function.blocks);
            match block {
                Ok(block) => {
                    blocks.push(block);
                }
                Err(Failed) => self.skip_to_block(start),
            }
        }
        self.function.blocks = blocks;
        Ok(())
    }

    /// Goes on at the next label or the end of the function.
    fn skip_to_block(&mut self, start: usize) {
        self.skip_line(start);
        while !self.is_punct("}") && !self.at_item_line() && !self.at_block_label() {
            self.advance();
        }
    }

    /// Whether the function's closing brace must have been forgotten.
    fn at_item_line(&self) -> bool {
        let token = self.token();
        token.kind == TokenKind::End || token.kind == TokenKind::Word && matches!(token.text, "global" | "fn" | "entry")
    }

    fn block(&mut self) -> Parsed<Block> {
        let at = self.at;
        let (number, next) = (self.id("b", "a block")?, self.function.blocks.len());
        if number as usize != next {
            // The block is read all the same: what is wrong inside is worth saying too.
            self.error_at(at, format!("expected b{next} here"));
        }
        self.expect(":")?;
        let loop_head = if self.eat_word("loop") { Some(self.place()?) } else { None };
        let mut block = Block { stmts: Vec::new(), terminator: Terminator::Unreachable, loc: Loc::NONE, loop_head };
        loop {
            let start = self.at;
            match self.line() {
                Ok(Line::Stmt(stmt)) => block.stmts.push(stmt),
                Ok(Line::Terminator(terminator, loc)) => {
                    block.terminator = terminator;
                    block.loc = loc;
                    return Ok(block);
                }
                Ok(Line::None) => {
                    self.error_at(start, "a block ends with `goto`, `branch`, `switch`, `select`, `return`, `exit`, `abort` or `unreachable`");
                    return Ok(block);
                }
                Err(Failed) => self.skip_line(start),
            }
            if self.errors.len() >= MAX_ERRORS {
                return Ok(block);
            }
        }
    }

    fn line(&mut self) -> Parsed<Line> {
        let is_end = self.is_punct("}") || self.at_item_line() || self.at_block_label();
        if is_end {
            return Ok(Line::None);
        }
        if let Some(terminator) = self.terminator()? {
            return Ok(Line::Terminator(terminator, self.place()?));
        }
        let kind = self.stmt()?;
        Ok(Line::Stmt(Stmt { kind, loc: self.place()? }))
    }

    fn at_block_label(&self) -> bool {
        let is_block = self.token().kind == TokenKind::Word && number_after(self.token().text, "b").is_some();
        is_block && self.tokens.get(self.at + 1).is_some_and(|next| next.text == ":")
    }

    /// Goes on with the line after the mistake; always leaves the token the line started with.
    fn skip_line(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        let line = self.tokens[self.at.saturating_sub(1)].line;
        while self.token().kind != TokenKind::End && self.token().line == line {
            self.advance();
        }
    }
}

/// What a line of a block holds.
enum Line {
    Stmt(Stmt),
    Terminator(Terminator, Loc),
    /// The block ends here without a terminator.
    None,
}
