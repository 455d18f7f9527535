//! Parser of the text form, without recursion, since nothing in the form nests.
//!
//! Names of globals and functions, and how many files and shapes there are, are collected in a first walk
//! over the tokens, so that references may point forward and every id is checked where it stands. After a
//! mistake the reader goes on with the next line, or outside functions with the next item.

mod constant;
mod item;
mod rvalue;
mod stmt;

use std::collections::HashMap;

use unpick_base::IdVec;

use super::TextError;
use super::lex::{Token, TokenKind, read_bytes, tokenize};
use super::words::{Word, is_item_word, number_after, ty_of_word};
use crate::program::*;

/// Reading stops after this many mistakes.
const MAX_ERRORS: usize = 100;

/// Reads a program, or says everything that is wrong with the text.
pub fn parse(text: &str) -> Result<Program, Vec<TextError>> {
    let mut errors = Vec::new();
    if u32::try_from(text.len()).is_err() {
        return Err(vec![TextError { line: 1, column: 1, message: "the text is larger than 4 GiB".into() }]);
    }
    let tokens = tokenize(text, &mut errors);
    errors.truncate(MAX_ERRORS);
    let mut parser = Parser::new(tokens, errors);
    parser.program();
    let Parser { mut errors, program, .. } = parser;
    if errors.is_empty() {
        return Ok(program);
    }
    errors.sort_by_key(|error| (error.line, error.column));
    Err(errors)
}

/// The mistake has been recorded; the caller only has to find its way on.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// A name's number, or that several things have it.
enum NameOwner {
    One(u32),
    Several,
}

/// What the first walk found: the things a reference may name before they are read.
#[derive(Default)]
struct Outline<'t> {
    globals: HashMap<&'t str, NameOwner>,
    functions: HashMap<&'t str, NameOwner>,
    n_globals: u32,
    n_functions: u32,
    n_files: u32,
    n_shapes: u32,
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    errors: Vec<TextError>,
    outline: Outline<'t>,
    program: Program,
    /// The function being read.
    function: Function,
    /// Uses of the function's blocks, checked at its end; with the tokens they stand at.
    block_uses: Vec<(BlockId, usize)>,
    /// Addresses of labels, checked when all functions are known.
    label_uses: Vec<(FuncId, BlockId, usize)>,
    /// The place of what has none.
    loc: Loc,
    has_pointer_size: bool,
}

impl<'t> Parser<'t> {
    fn new(tokens: Vec<Token<'t>>, errors: Vec<TextError>) -> Self {
        let outline = outline(&tokens);
        Self {
            tokens,
            at: 0,
            errors,
            outline,
            program: Program { pointer_bytes: 8, ..Program::default() },
            function: empty_function(),
            block_uses: Vec::new(),
            label_uses: Vec::new(),
            loc: Loc::NONE,
            has_pointer_size: false,
        }
    }

    fn token(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    /// Steps over a token; the end is never left.
    fn advance(&mut self) {
        if self.token().kind != TokenKind::End {
            self.at += 1;
        }
    }

    fn error_at(&mut self, at: usize, message: impl Into<String>) -> Failed {
        let Token { line, column, .. } = self.tokens[at];
        self.push_error(line, column, message.into());
        Failed
    }

    fn push_error(&mut self, line: u32, column: u32, message: String) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(TextError { line, column, message });
        }
    }

    fn error<T>(&mut self, message: impl Into<String>) -> Parsed<T> {
        Err(self.error_at(self.at, message))
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        match token.kind {
            TokenKind::End => self.error(format!("expected {what}, found the end of the text")),
            TokenKind::Text => self.error(format!("expected {what}, found a string")),
            TokenKind::Word | TokenKind::Number | TokenKind::Punct => {
                self.error(format!("expected {what}, found `{}`", token.text))
            }
        }
    }

    fn is_punct(&self, text: &str) -> bool {
        self.token().kind == TokenKind::Punct && self.token().text == text
    }

    fn is_word(&self, text: &str) -> bool {
        self.token().kind == TokenKind::Word && self.token().text == text
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_there = self.is_punct(text);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn eat_word(&mut self, text: &str) -> bool {
        let is_there = self.is_word(text);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    fn expect_word(&mut self, text: &str) -> Parsed<()> {
        if self.eat_word(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    fn word(&mut self, what: &str) -> Parsed<&'t str> {
        let token = self.token();
        if token.kind != TokenKind::Word {
            return self.expected(what);
        }
        self.advance();
        Ok(token.text)
    }

    /// A word of one of the tables, e.g. a memory order.
    fn table_word<W: Word>(&mut self, word: Option<&str>, what: &str) -> Parsed<W> {
        match word.and_then(W::from_word) {
            Some(value) => Ok(value),
            None => Err(self.error_at(self.at.saturating_sub(1), format!("expected {what} here"))),
        }
    }

    fn ty(&mut self) -> Parsed<Ty> {
        match ty_of_word(self.token().text).filter(|_| self.token().kind == TokenKind::Word) {
            Some(ty) => {
                self.advance();
                Ok(ty)
            }
            None => self.expected("a type"),
        }
    }

    fn bytes(&mut self) -> Parsed<Vec<u8>> {
        let token = self.token();
        if token.kind != TokenKind::Text {
            return self.expected("a string");
        }
        self.advance();
        read_bytes(token.text).map_err(|(offset, message)| {
            self.push_error(token.line, token.column + offset as u32, message);
            Failed
        })
    }

    fn text(&mut self) -> Parsed<String> {
        let at = self.at;
        let bytes = self.bytes()?;
        String::from_utf8(bytes).map_err(|_| self.error_at(at, "this string is not UTF-8"))
    }

    /// A name, plain or quoted.
    fn name(&mut self) -> Parsed<String> {
        match self.token().kind {
            TokenKind::Text => self.text(),
            TokenKind::Word if is_item_word(self.token().text) => {
                self.error("this word is reserved; quote it as a name")
            }
            TokenKind::Word => Ok(self.word("a name")?.to_string()),
            TokenKind::Number | TokenKind::Punct | TokenKind::End => self.expected("a name"),
        }
    }

    /// The number of an id such as `r3`, without a check of its range.
    fn id(&mut self, prefix: &str, what: &str) -> Parsed<u32> {
        let number = number_after(self.token().text, prefix).filter(|_| self.token().kind == TokenKind::Word);
        match number {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => self.expected(what),
        }
    }

    fn reg(&mut self) -> Parsed<RegId> {
        let at = self.at;
        let reg = RegId(self.id("r", "a register")?);
        match self.function.regs.get(reg) {
            Some(_) => Ok(reg),
            None => Err(self.error_at(at, format!("register {reg:?} is not declared"))),
        }
    }

    fn slot(&mut self) -> Parsed<SlotId> {
        let at = self.at;
        let slot = SlotId(self.id("slot", "a stack object")?);
        match self.function.slots.get(slot) {
            Some(_) => Ok(slot),
            None => Err(self.error_at(at, format!("stack object {slot:?} is not declared"))),
        }
    }

    fn block_use(&mut self) -> Parsed<BlockId> {
        let at = self.at;
        let block = BlockId(self.id("b", "a block")?);
        self.block_uses.push((block, at));
        Ok(block)
    }

    fn shape_use(&mut self) -> Parsed<ShapeId> {
        let at = self.at;
        let shape = ShapeId(self.id("shape", "a shape")?);
        if shape.0 < self.outline.n_shapes {
            return Ok(shape);
        }
        Err(self.error_at(at, format!("{shape:?} is not defined")))
    }

    fn global_use(&mut self) -> Parsed<GlobalId> {
        let number = self.reference(|outline| (&outline.globals, outline.n_globals), "global")?;
        Ok(GlobalId(number))
    }

    fn function_use(&mut self) -> Parsed<FuncId> {
        let number = self.reference(|outline| (&outline.functions, outline.n_functions), "function")?;
        Ok(FuncId(number))
    }

    /// `name`, `"name"` or `#3`.
    fn reference(
        &mut self,
        table: impl for<'o> Fn(&'o Outline<'t>) -> (&'o HashMap<&'t str, NameOwner>, u32),
        what: &str,
    ) -> Parsed<u32> {
        let at = self.at;
        if self.eat("#") {
            let number = self.unsigned::<u32>("a number")?;
            if number < table(&self.outline).1 {
                return Ok(number);
            }
            return Err(self.error_at(at, format!("there is no {what} number {number}")));
        }
        // The outline holds literals as they are spelled, which costs no copy; a differently spelled
        // literal of the same name is found by its meaning.
        let spelling = self.token().text;
        let name = self.name()?;
        let (names, _) = table(&self.outline);
        let owner = names.get(spelling).or_else(|| names.get(name.as_str())).or_else(|| {
            let mut quoted = String::new();
            super::lex::write_text(&name, &mut quoted);
            names.get(quoted.as_str())
        });
        let message = match owner {
            Some(NameOwner::One(number)) => return Ok(*number),
            Some(NameOwner::Several) => format!("several {what}s are called `{name}`; refer to one by number, as `#3`"),
            None => format!("there is no {what} called `{name}`"),
        };
        Err(self.error_at(at, message))
    }

    /// A place if one stands here, else the one before.
    fn place(&mut self) -> Parsed<Loc> {
        if !self.eat("@") {
            return Ok(self.loc);
        }
        if self.eat_word("none") {
            self.loc = Loc::NONE;
            return Ok(self.loc);
        }
        let at = self.at;
        let first = self.unsigned::<u32>("a line")?;
        self.expect(":")?;
        let second = self.unsigned::<u32>("a column")?;
        let loc = if self.eat(":") {
            Loc { file: FileId(first), line: second, column: self.unsigned("a column")? }
        } else {
            Loc { file: self.loc.file, line: first, column: second }
        };
        if loc.file.0 >= self.outline.n_files && loc.line != 0 {
            return Err(self.error_at(at, format!("there is no file {}", loc.file.0)));
        }
        self.loc = loc;
        Ok(loc)
    }

    /// Items separated by commas up to the closing bracket.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
    }
}

/// The first walk: every item outside braces, by its leading word.
fn outline<'t>(tokens: &[Token<'t>]) -> Outline<'t> {
    let mut outline = Outline::default();
    let mut depth = 0usize;
    for pair in tokens.windows(2) {
        let [token, next] = pair else { continue };
        match (token.kind, token.text) {
            (TokenKind::Punct, "{") => depth += 1,
            (TokenKind::Punct, "}") => depth = depth.saturating_sub(1),
            (TokenKind::Word, "file") if depth == 0 => outline.n_files += 1,
            (TokenKind::Word, "shape") if depth == 0 => outline.n_shapes += 1,
            (TokenKind::Word, "global") if depth == 0 => {
                add_name(&mut outline.globals, next.text, &mut outline.n_globals);
            }
            (TokenKind::Word, "fn") if depth == 0 => {
                add_name(&mut outline.functions, next.text, &mut outline.n_functions);
            }
            (TokenKind::Word | TokenKind::Number | TokenKind::Text | TokenKind::Punct | TokenKind::End, _) => {}
        }
    }
    outline
}

fn add_name<'t>(names: &mut HashMap<&'t str, NameOwner>, name: &'t str, count: &mut u32) {
    let number = *count;
    *count += 1;
    names.entry(name).and_modify(|owner| *owner = NameOwner::Several).or_insert(NameOwner::One(number));
}

fn empty_function() -> Function {
    Function {
        name: String::new(),
        source_name: String::new(),
        params: Vec::new(),
        is_variadic: false,
        ret: None,
        regs: IdVec::new(),
        slots: IdVec::new(),
        blocks: IdVec::new(),
        is_model: false,
        loc: Loc::NONE,
    }
}
