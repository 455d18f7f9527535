//! String interning: equal names are equal symbols, and comparing them costs nothing.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// An interned name; only meaningful beside the [`Interner`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sym{}", self.0)
    }
}

/// The table of names. One interner serves all translation units of a run.
#[derive(Default)]
pub struct Interner {
    symbols: HashMap<Rc<str>, Symbol, foldhash::fast::RandomState>,
    names: Vec<Rc<str>>,
}

impl Interner {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of a name, made on first sight.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).expect("names should fit 32 bits"));
        let name: Rc<str> = name.into();
        self.names.push(name.clone());
        self.symbols.insert(name, symbol);
        symbol
    }

    /// The symbol of a name that was interned before, if it was.
    pub fn lookup(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}
