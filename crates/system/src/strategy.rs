//! Strategies: how a question is to be searched. A strategy is data that is handed to an engine: orders, bounds, stores
//! and hints are no engines of their own.

use unpick_program::interp::Decision;
use unpick_program::{BlockId, FuncId, GlobalId};

use crate::{Budget, Control, Hashing, Measure, ProgramRun};

/// What a search may use, and how it goes about it.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// Bytes that states may take.
    pub memory_bytes: Option<u64>,
    /// How many choices may follow one another on one execution.
    pub depth: Option<u64>,
    /// How often a loop may come round in one activation.
    pub unwind: Option<u64>,
    /// More threads than this at once are a reason for `unknown`.
    pub max_threads: usize,
    /// As many values of an input are tried one by one where a single one is needed.
    pub max_enumerate: u128,
    /// How many threads of ours search.
    pub n_workers: usize,
    /// Which interleavings need not be followed.
    pub reduction: Reduction,
    /// Search by number of changes of thread, up to a bound if one is given. Nothing is thinned out then.
    pub bounds: Option<(Measure, Option<u32>)>,
    /// When two states of a program count as the same; unless they are, silence is no proof.
    pub matching: Matching,
    /// Look for all violations that differ in kind or place.
    pub keeps_going: bool,
    /// From how many states on steps of threads are cached (transition cache); `None` leaves that to the engine.
    pub cache_steps_from: Option<u64>,
    /// Try threads and values in another order than they come, the same one for the same seed.
    pub seed: Option<u64>,
    /// How flat states are kept, ordered and hashed.
    pub vectors: Vectors,
    /// What becomes of inputs.
    pub inputs: Inputs,
    /// What leads the way.
    pub guidance: Guidance,
    /// Tells the search from others on disk.
    pub about: u128,
}

impl Default for Strategy {
    /// No limit and no hint.
    fn default() -> Self {
        Self {
            memory_bytes: None,
            depth: None,
            unwind: None,
            max_threads: 16,
            max_enumerate: 65_536,
            n_workers: 1,
            reduction: Reduction::default(),
            bounds: None,
            matching: Matching::default(),
            keeps_going: false,
            cache_steps_from: None,
            seed: None,
            vectors: Vectors::default(),
            inputs: Inputs::default(),
            guidance: Guidance::Free,
            about: 0,
        }
    }
}

impl Strategy {
    /// What one search may use.
    pub fn budget<'a>(&self, control: &'a dyn Control) -> Budget<'a> {
        Budget { memory_bytes: self.memory_bytes, depth: self.depth, unwind: self.unwind, control }
    }
}

/// What becomes of the inputs of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inputs {
    /// Their values are told apart where something depends on them.
    #[default]
    Split,
    /// All values are followed at once, as terms.
    Symbolic,
}

/// How the interleavings of threads are thinned out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// A switch is possible before every instruction.
    None,
    /// As before; but where states are flat, steps that commute are taken in one order only: sleep sets.
    Sleep,
    /// A switch is possible before every access to memory that other threads can reach.
    GlobalAccess,
    /// As before, but a thread runs on as long as its accesses do not conflict with others': supersteps.
    Superstep,
    /// As with `GlobalAccess`, but only as many threads are followed as do not commute: dynamic partial-order reduction.
    #[default]
    Dpor,
}

/// When two states of a program count as the same: if they are, or if the user says so.
#[derive(Clone, Default, Debug)]
pub struct Matching {
    /// What this function writes and returns stands for the memory of the state; its name comes first. Where the
    /// threads are counts in any case.
    pub abstraction: Option<(String, FuncId)>,
    /// These globals do not count, with their names.
    pub unmatched: Vec<(String, GlobalId)>,
}

impl Matching {
    /// Whether states are matched by what they are.
    pub fn is_exact(&self) -> bool {
        self.abstraction.is_none() && self.unmatched.is_empty()
    }
}

/// How flat states are kept, ordered and hashed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Vectors {
    /// In which kind of set.
    pub store: StoreKind,
    /// Which states come first.
    pub order: Order,
    /// How states are hashed.
    pub hashing: Hashing,
}

/// A kind of set for flat states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoreKind {
    /// Plain states as long as they fit, then smaller ones.
    #[default]
    Auto,
    /// Plain states.
    Exact,
    /// Compressed states.
    Tree,
    /// Signatures of states.
    Compact,
    /// A few bits for each state.
    Bitstate,
}

/// Which of the states that wait is looked at first. The reduction is right in any order: a process is followed alone
/// only if that leads to a state found later, so that somewhere behind all are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The oldest: executions that are shown are short.
    #[default]
    Breadth,
    /// The newest: what lies deep is found soon, and few states wait.
    Depth,
}

/// What is known of the execution that is looked for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Guidance {
    /// Nothing.
    #[default]
    Free,
    /// It takes these turns: they come from a translation of the program.
    Turns {
        /// The turns.
        turns: Vec<GuidedTurn>,
        /// From which of them on the execution goes round; if there are no more, it has ended.
        loop_from: Option<usize>,
    },
    /// It passes these lines in this order: they come from a model of the program.
    Lines {
        /// The lines with their threads.
        waypoints: Vec<Waypoint>,
        /// From which of them on the execution goes round.
        loop_from: Option<usize>,
    },
    /// It ends in the same violation as this one, after fewer steps.
    Shorter {
        /// The execution that is known.
        than: Box<ProgramRun>,
        /// What looking for it may cost, about one unit for each instruction.
        work: u64,
    },
}

/// One turn of a thread.
#[derive(Clone, Debug)]
pub struct GuidedTurn {
    /// Whose turn it is.
    pub thread: usize,
    /// What it chooses on the way.
    pub chosen: Vec<Decision>,
    /// Where it stands then: function, block, instruction, how many functions are at work. Nothing if it goes wrong
    /// or ends.
    pub to: Option<(FuncId, BlockId, usize, usize)>,
    /// How many threads there are then.
    pub n_threads: usize,
    /// The thread has not done anything before, and may stand there already.
    pub is_first: bool,
}

/// A thread at a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// The thread, by number.
    pub thread: usize,
    /// The file as the program knows it.
    pub file: String,
    /// The line.
    pub line: u32,
}
