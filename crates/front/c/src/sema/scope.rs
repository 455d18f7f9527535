//! Symbol table: a stack of bindings for each name, undone when a scope ends.

use unpick_base::Symbol;

use crate::ast::DeclId;
use crate::types::{EnumId, RecordId};

/// What a tag names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Binding<T> {
    symbol: Symbol,
    /// The binding this one hides.
    hidden: u32,
    depth: u32,
    what: T,
}

/// One name space: bindings in order, and per name the innermost.
struct Space<T> {
    heads: Vec<u32>,
    bindings: Vec<Binding<T>>,
}

impl<T: Copy> Space<T> {
    fn new() -> Self {
        Self { heads: Vec::new(), bindings: Vec::new() }
    }

    fn lookup(&self, symbol: Symbol) -> Option<(T, u32)> {
        let head = *self.heads.get(symbol.0 as usize)?;
        let binding = self.bindings.get(head as usize)?;
        Some((binding.what, binding.depth))
    }

    fn bind(&mut self, symbol: Symbol, depth: u32, what: T) {
        let slot = symbol.0 as usize;
        if self.heads.len() <= slot {
            self.heads.resize(slot + 1, NONE);
        }
        let hidden = std::mem::replace(&mut self.heads[slot], self.bindings.len() as u32);
        self.bindings.push(Binding { symbol, hidden, depth, what });
    }

    fn unwind(&mut self, len: usize) {
        for binding in self.bindings.drain(len..).rev() {
            self.heads[binding.symbol.0 as usize] = binding.hidden;
        }
    }
}

/// The scopes open at one place of the source.
pub(super) struct Scopes {
    names: Space<DeclId>,
    tags: Space<Tag>,
    /// Lengths of both spaces when each scope began.
    starts: Vec<(usize, usize)>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self { names: Space::new(), tags: Space::new(), starts: Vec::new() }
    }
}

impl Scopes {
    /// 0 at file scope.
    pub fn depth(&self) -> u32 {
        self.starts.len() as u32
    }

    pub fn enter(&mut self) {
        self.starts.push((self.names.bindings.len(), self.tags.bindings.len()));
    }

    pub fn leave(&mut self) {
        if let Some((names, tags)) = self.starts.pop() {
            self.names.unwind(names);
            self.tags.unwind(tags);
        }
    }

    pub fn name(&self, symbol: Symbol) -> Option<DeclId> {
        self.names.lookup(symbol).map(|(decl, _)| decl)
    }

    /// The binding made in the innermost scope itself.
    pub fn name_here(&self, symbol: Symbol) -> Option<DeclId> {
        self.names.lookup(symbol).filter(|(_, depth)| *depth == self.depth()).map(|(decl, _)| decl)
    }

    pub fn bind_name(&mut self, symbol: Symbol, decl: DeclId) {
        self.names.bind(symbol, self.depth(), decl);
    }

    /// Binds at file scope, below everything that is open.
    pub fn bind_name_at_file_scope(&mut self, symbol: Symbol, decl: DeclId) {
        if self.starts.is_empty() || self.names.lookup(symbol).is_some() {
            return self.bind_name(symbol, decl);
        }
        // Nothing is hidden, so an entry that outlives the open scopes can go to the bottom of the stack:
        // open scopes simply begin one later.
        let at = self.starts[0].0;
        let depth = 0;
        self.names.bindings.insert(at, Binding { symbol, hidden: NONE, depth, what: decl });
        for start in &mut self.starts {
            start.0 += 1;
        }
        for binding in &mut self.names.bindings[at + 1..] {
            if binding.hidden != NONE && binding.hidden >= at as u32 {
                binding.hidden += 1;
            }
        }
        let slot = symbol.0 as usize;
        if self.names.heads.len() <= slot {
            self.names.heads.resize(slot + 1, NONE);
        }
        for index in at + 1..self.names.bindings.len() {
            let symbol = self.names.bindings[index].symbol.0 as usize;
            // Later bindings of the same name come later in this loop, so the innermost wins.
            self.names.heads[symbol] = index as u32;
        }
        self.names.heads[slot] = at as u32;
    }

    pub fn tag(&self, symbol: Symbol) -> Option<Tag> {
        self.tags.lookup(symbol).map(|(tag, _)| tag)
    }

    pub fn tag_here(&self, symbol: Symbol) -> Option<Tag> {
        self.tags.lookup(symbol).filter(|(_, depth)| *depth == self.depth()).map(|(tag, _)| tag)
    }

    pub fn bind_tag(&mut self, symbol: Symbol, tag: Tag) {
        self.tags.bind(symbol, self.depth(), tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scopes_hide_and_give_back() {
        let mut scopes = Scopes::default();
        let (a, b) = (Symbol(3), Symbol(7));
        scopes.bind_name(a, DeclId(1));
        scopes.enter();
        assert_eq!(scopes.name_here(a), None);
        scopes.bind_name(a, DeclId(2));
        scopes.enter();
        scopes.bind_name(a, DeclId(3));
        scopes.bind_name_at_file_scope(b, DeclId(9));
        assert_eq!((scopes.name(a), scopes.name(b)), (Some(DeclId(3)), Some(DeclId(9))));
        scopes.leave();
        assert_eq!((scopes.name(a), scopes.name(b)), (Some(DeclId(2)), Some(DeclId(9))));
        scopes.leave();
        assert_eq!((scopes.name(a), scopes.name(b)), (Some(DeclId(1)), Some(DeclId(9))));
        assert_eq!(scopes.name_here(b), Some(DeclId(9)));
    }
}
