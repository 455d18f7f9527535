//! The table of engines. What is asked first comes first; whose answer counts is decided in the crate `check`.

use unpick_automaton::Model;
use unpick_engine_explicit::{
    Compile, Cycles, DepthFirst, FewSwitches, Guided, Reachability, Shorten, WholeExecutions,
};
use unpick_engine_symbolic::Symbolic;
use unpick_jit::Native;
use unpick_system::{Engine, System};

/// All engines.
pub static ENGINES: &[&dyn Engine] = &[
    &DepthFirst,
    &FewSwitches,
    &WholeExecutions,
    &Guided,
    &Shorten,
    &Symbolic,
    &Reachability(&Compiled),
    &Cycles(&Compiled),
];

/// Automata as native code.
struct Compiled;

impl Compile for Compiled {
    fn compile<'m>(&self, model: &'m Model, notes_changes: bool) -> Box<dyn System + 'm> {
        let native = Native::new(model);
        Box::new(if notes_changes { native.noting_changes() } else { native })
    }
}
