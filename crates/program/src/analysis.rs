//! Control-flow and data-flow analyses of a program, each computed once per function and on demand.
//!
//! [`Analyses`] keeps the results: dominator trees, post-dominator trees and loop forests. Live registers, which the
//! interpreter needs for every state, are in [`liveness`]. Every analysis works on the control-flow graph alone, never
//! on the shape of source statements, and is compared with its textbook definition on random programs.

pub mod dominators;
pub mod liveness;
pub mod loops;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use unpick_base::IdVec;

use crate::{FuncId, Program};
pub use dominators::{Dominators, PostDominators};
pub use liveness::Liveness;
pub use loops::{Loop, LoopForest, LoopId};

/// The analyses of a program's functions, filled on demand.
#[derive(Debug)]
pub struct Analyses<'p> {
    program: &'p Program,
    functions: IdVec<FuncId, Analysed>,
}

#[derive(Debug, Default)]
struct Analysed {
    dominators: OnceCell<Dominators>,
    post_dominators: OnceCell<PostDominators>,
    loops: OnceCell<LoopForest>,
}

impl<'p> Analyses<'p> {
    /// Nothing is computed yet.
    pub fn new(program: &'p Program) -> Self {
        Self { program, functions: program.functions.iter().map(|_| Analysed::default()).collect() }
    }

    /// The dominator tree of a function.
    pub fn dominators(&self, function: FuncId) -> &Dominators {
        let body = &self.program.functions[function];
        self.functions[function].dominators.get_or_init(|| Dominators::new(body))
    }

    /// The post-dominator tree of a function.
    pub fn post_dominators(&self, function: FuncId) -> &PostDominators {
        let body = &self.program.functions[function];
        self.functions[function].post_dominators.get_or_init(|| PostDominators::new(body))
    }

    /// The loop forest of a function.
    pub fn loops(&self, function: FuncId) -> &LoopForest {
        let body = &self.program.functions[function];
        self.functions[function].loops.get_or_init(|| LoopForest::new(body))
    }

    /// A loop as people read it: `loop 3 of f at head b5`.
    pub fn loop_name(&self, function: FuncId, id: LoopId) -> String {
        self.loops(function).name(&self.program.functions[function], id)
    }
}
