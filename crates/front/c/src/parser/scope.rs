//! Scopes of typedef names: which identifiers name types.
//!
//! One table indexed by symbol holds the present meaning of every name; leaving a scope replays an undo
//! log. Looking a name up, which happens at every identifier, is one array access.

use unpick_base::{Interner, Symbol};

use crate::lexer::TokenKind;
use crate::lexer::token::SOFT_KEYWORDS;

/// What a name means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Unknown,
    /// A variable, function or enumerator.
    Ordinary,
    Type,
    /// Declared nowhere, but used where only a type makes sense.
    AssumedType,
    /// Declared nowhere, and found where only a macro without meaning to us (`WINAPI`) makes sense.
    Macro,
    /// A late keyword the program has not declared as something else.
    Soft(TokenKind),
}

impl Name {
    pub fn is_type(self) -> bool {
        matches!(self, Name::Type | Name::AssumedType)
    }
}

pub(super) struct Names {
    meanings: Vec<Name>,
    undo: Vec<(Symbol, Name)>,
    /// Lengths of the undo log at the opening of each scope.
    scopes: Vec<usize>,
}

impl Names {
    pub fn new(interner: &mut Interner) -> Self {
        let mut names = Names { meanings: Vec::new(), undo: Vec::new(), scopes: Vec::new() };
        for (text, kind) in SOFT_KEYWORDS {
            names.set(interner.intern(text), Name::Soft(*kind));
        }
        for text in ["__CPROVER_size_t", "__CPROVER_ssize_t"] {
            names.set(interner.intern(text), Name::AssumedType);
        }
        names
    }

    pub fn get(&self, symbol: Symbol) -> Name {
        self.meanings.get(symbol.0 as usize).copied().unwrap_or(Name::Unknown)
    }

    fn set(&mut self, symbol: Symbol, name: Name) -> Name {
        let at = symbol.0 as usize;
        if self.meanings.len() <= at {
            self.meanings.resize((at + 1).next_power_of_two(), Name::Unknown);
        }
        std::mem::replace(&mut self.meanings[at], name)
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, symbol: Symbol, name: Name) {
        let old = self.set(symbol, name);
        if !self.scopes.is_empty() && old != name {
            self.undo.push((symbol, old));
        }
    }

    /// Remembers for good what an undeclared name must be.
    pub fn assume(&mut self, symbol: Symbol, name: Name) {
        self.set(symbol, name);
    }

    pub fn is_file_scope(&self) -> bool {
        self.scopes.is_empty()
    }

    pub fn open(&mut self) {
        self.scopes.push(self.undo.len());
    }

    pub fn close(&mut self) {
        let start = self.scopes.pop().expect("a scope should be closed once");
        while self.undo.len() > start {
            let (symbol, name) = self.undo.pop().expect("the log should be longer than its start");
            self.set(symbol, name);
        }
    }
}
