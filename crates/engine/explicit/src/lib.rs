//! The explicit engines: they follow every execution, and remember the states they have met.
//!
//! [`DepthFirst`] follows the choices of a program, [`FewSwitches`] does so by number of changes of thread, and
//! [`WholeExecutions`] decides claims about endless executions. [`Guided`] and [`Shorten`] are helpers: they look for
//! executions of which something is known. [`Reachability`] and [`Cycles`] search automata, by
//! [`vector_search`] and [`couvreur`]. Each is a value that answers
//! tasks; none knows of the others.
#![forbid(unsafe_code)]

mod automata;
mod bounded;
mod branches;
mod components;
pub mod couvreur;
mod cycle;
mod dfs;
mod dpor;
mod early;
mod effect;
mod explicit;
mod findings;
mod graph;
mod guided;
mod guided_search;
mod interpreter;
mod lasso;
mod locks;
mod loops;
mod macro_step;
mod matching;
mod meter;
mod observer;
mod order;
mod reduce;
mod scc_summaries;
mod schedule;
mod schedule_replay;
mod search;
mod shorten;
mod superstep;
mod temporal;
mod transition_cache;
pub mod vector_search;
mod visited;

pub use automata::{Compile, Cycles, Reachability};
pub use explicit::{DepthFirst, FewSwitches};
pub use guided::{Guided, Shorten};
pub use temporal::WholeExecutions;

use unpick_program::Program;
use unpick_system::{Goal, Guidance, Inputs, PropertySet, Subject, Task, Unfit};

/// Sets of threads have to fit in a word.
const MOST_THREADS: usize = 60;

/// The program of a task that leaves the way to the engine.
fn free_program<'t>(task: &Task<'t>) -> Result<&'t Program, Unfit> {
    match (task.subject, &task.strategy.guidance) {
        (Subject::Program(program), Guidance::Free) if task.strategy.inputs == Inputs::Split => Ok(program),
        _another_subject_or_a_hint => Err(Unfit::Foreign),
    }
}

/// What should not go wrong, if goals are about nothing else.
fn safety(goals: &[Goal]) -> Option<PropertySet> {
    goals.iter().try_fold(PropertySet::EMPTY, |all, goal| match goal {
        Goal::Safety(properties) => Some(all.union(*properties)),
        _another_question => None,
    })
}
