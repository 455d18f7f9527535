//! The contract between whoever wants verdicts and whoever searches for them.

use std::collections::BTreeSet;

use unpick_base::{IdVec, define_id};
use unpick_ir::{BlockId, FileId, FuncId, Program};

use crate::{Budget, LockOrder, PropertySet, Verdict};

define_id! {
    /// A question of a run.
    pub struct GoalId("goal");
}

/// A question: does no execution show a violation of these kinds?
#[derive(Clone, Debug)]
pub struct Goal {
    /// What to look for.
    pub properties: PropertySet,
    /// The answer, once there is one.
    pub verdict: Option<Verdict>,
}

impl Goal {
    /// An open question.
    pub fn new(properties: PropertySet) -> Self {
        Self { properties, verdict: None }
    }
}

/// The questions of a run.
pub type Goals = IdVec<GoalId, Goal>;

/// Owns its search; the caller owns the verdicts.
pub trait Engine {
    /// Asked first: no engine panics on a goal it cannot treat.
    fn supports(&self, goal: &Goal) -> bool;
    /// Works until a goal settles or the budget ends; call again to go on.
    fn advance(&mut self, goals: &mut Goals, budget: &Budget<'_>) -> Progress;
    /// What the search cost so far.
    fn stats(&self) -> Stats;
    /// What executions met that the verdict leans on, in the order met.
    fn assumptions(&self) -> Vec<String>;
    /// What executions reached so far.
    fn coverage(&self) -> Coverage;
}

/// How a call of [`Engine::advance`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// This goal has its verdict.
    Settled(GoalId),
    /// Every goal has its verdict.
    Done,
    /// The budget ended first; the open goals were given `Unknown`.
    OutOfBudget,
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
    /// Adds what another search has reached; the order of locks is left to whoever knows which search saw all of it.
    pub fn extend(&mut self, other: Coverage) {
        self.functions.extend(other.functions);
        self.lines.extend(other.lines);
        self.blocks.extend(other.blocks);
        self.jumps.extend(other.jumps);
    }
}
