//! The interface of engines: what they are asked, what they answer, and what the answer cost.

use std::collections::BTreeSet;

use unpick_program::{BlockId, FileId, FuncId, Program};

use crate::{Bound, Control, Evidence, LockOrder, Reached, Task, Verdict};

/// A family of algorithms: a value in the table of engines. It owns its search; the caller owns the
/// way from the question to the answer.
pub trait Engine: Sync {
    /// Its name in messages.
    fn name(&self) -> &'static str;
    /// Asked first: no engine panics on a task that it cannot treat.
    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit>;
    /// Works until there is a verdict on all goals together, or `control` ends the search.
    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer;
}

/// Why an engine does not treat a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// Tasks of this sort are for other engines.
    Foreign,
    /// It is for such tasks, but not for this one; one sentence, lower case, no full stop.
    Refused(String),
}

/// What came of a task.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether all goals are met.
    pub verdict: Verdict,
    /// What it cost.
    pub stats: Stats,
    /// What executions met that the verdict leans on, in the order met.
    pub assumptions: Vec<String>,
    /// Violations besides that in the verdict.
    pub others: Vec<Evidence>,
    /// Whether there are no others, apart from what may lie behind them.
    pub found_all: bool,
    /// Bounds on changes of thread within which everything was followed, from the smallest.
    pub bounds: Vec<Bound>,
    /// What executions of a program reached.
    pub coverage: Coverage,
    /// Where processes of automata stood, if that was looked at.
    pub reached: Option<Reached>,
}

impl Answer {
    /// An answer that is nothing but a verdict.
    pub fn new(verdict: Verdict, stats: Stats) -> Self {
        Self {
            verdict,
            stats,
            assumptions: Vec::new(),
            others: Vec::new(),
            found_all: false,
            bounds: Vec::new(),
            coverage: Coverage::default(),
            reached: None,
        }
    }
}

/// What a search cost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// Distinct states stored.
    pub states: u64,
    /// Choices taken.
    pub transitions: u64,
    /// Longest execution in choices.
    pub depth: u64,
    /// Executions followed to their end (or to a known state).
    pub executions: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Wall-clock time; filled in by the caller, who has the clock.
    pub seconds: f64,
    /// Most bytes that states took.
    pub peak_bytes: u64,
    /// How many of them were the set of states alone, without states that wait and the ways to them; zero if not known.
    pub store_bytes: u64,
    /// How states were hashed, as the flag has it, if it could have been otherwise; else nothing.
    pub hash: &'static str,
    /// Name of the engine.
    pub engine: &'static str,
    /// How much of the program was reached; filled in by the caller.
    pub reach: Reach,
}

/// How much of a program's own code executions reached, library models left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Functions entered, and all that there are.
    pub functions: (u64, u64),
    /// Lines of which some instruction ran, and all that have any.
    pub lines: (u64, u64),
}

impl Reach {
    /// Counts what was reached.
    pub fn new(program: &Program, coverage: &Coverage) -> Self {
        let mut functions = (0, 0);
        let mut lines = BTreeSet::new();
        let own = program.functions.iter_enumerated();
        for (id, function) in own.filter(|(_, function)| !function.is_model && !function.blocks.is_empty()) {
            functions.1 += 1;
            functions.0 += u64::from(coverage.functions.contains(&id));
            let stmts = function.blocks.iter().flat_map(|block| &block.stmts).map(|stmt| stmt.loc);
            let locs = stmts.chain(function.blocks.iter().map(|block| block.loc));
            lines.extend(locs.filter(|loc| loc.line != 0).map(|loc| (loc.file, loc.line)));
        }
        let n_reached = lines.intersection(&coverage.lines).count();
        Self { functions, lines: (n_reached as u64, lines.len() as u64) }
    }
}

impl Stats {
    /// The cost of two searches, one after the other.
    #[must_use]
    pub fn and(self, other: Stats) -> Stats {
        Stats {
            states: self.states + other.states,
            transitions: self.transitions + other.transitions,
            depth: self.depth.max(other.depth),
            executions: self.executions + other.executions,
            instructions: self.instructions + other.instructions,
            seconds: self.seconds + other.seconds,
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            store_bytes: self.store_bytes.max(other.store_bytes),
            hash: self.hash,
            engine: self.engine,
            reach: self.reach,
        }
    }
}

/// What executions reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Functions entered.
    pub functions: BTreeSet<FuncId>,
    /// Lines of which some instruction ran.
    pub lines: BTreeSet<(FileId, u32)>,
    /// Blocks run to their end.
    pub blocks: BTreeSet<(FuncId, BlockId)>,
    /// Ways from block to block that were taken.
    pub jumps: BTreeSet<(FuncId, BlockId, BlockId)>,
    /// Locks taken while others were held.
    pub lock_order: LockOrder,
}

impl Coverage {
    /// Adds what another search has reached; the order of locks is left to the caller, who knows which search was complete.
    pub fn extend(&mut self, other: Coverage) {
        self.functions.extend(other.functions);
        self.lines.extend(other.lines);
        self.blocks.extend(other.blocks);
        self.jumps.extend(other.jumps);
    }
}
