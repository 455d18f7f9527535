//! Profiling runs: which threads a program starts, what it calls through pointers, how many objects it allocates.
//!
//! The translation needs these numbers before it begins. They come from a few executions and may be too small: the
//! translated program checks each of them and stops with a refusal where an execution needs more.

use std::collections::{BTreeMap, BTreeSet};

use unpick_program::interp::{Machine, Observer, Options, State, Stop, Until, Wants};
use unpick_program::{BlockId, FuncId, Loc, Program, Stmt, StmtKind};

/// Number of executions.
const N_RUNS: u64 = 6;
/// Turns of one execution.
const MAX_TURNS: u64 = 4_000;
/// Instructions of one turn.
const FUEL: u64 = 64;

/// A call chain without the innermost call: the call sites.
pub(crate) type Chain = Vec<(FuncId, BlockId, usize)>;

/// Observations of the profiling runs.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The first function of each thread but the first one.
    pub threads: Vec<FuncId>,
    /// The functions that a thread called through a pointer, by the address of the instruction.
    pub(crate) callees: BTreeMap<(usize, usize), BTreeSet<FuncId>>,
    /// How often a thread executed an allocation, by call chain.
    pub(crate) made: BTreeMap<(usize, Chain, usize), u32>,
    /// The same thread number was used for different functions.
    pub(crate) has_varying_threads: bool,
}

impl Profile {
    /// Runs a program a few times under different schedules.
    pub fn new(program: &Program) -> Self {
        let options = Options { is_lazy: false, ..Options::default() };
        let machine = Machine::new(program, options);
        let mut profile = Profile::default();
        for run in 0..N_RUNS {
            profile.run(&machine, run);
        }
        profile
    }

    fn run(&mut self, machine: &Machine<'_>, run: u64) {
        let mut state = machine.initial();
        let mut seen = Seen { profile: self, program: machine.program, call: 0, made: BTreeMap::new() };
        let mut dice = run.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut thread = 0;
        let mut n_blocked = 0;
        for _ in 0..MAX_TURNS {
            // A thread that was just started should run before the program ends.
            let fuel = if run == 1 { FUEL / 16 } else { FUEL };
            let until = Until { fuel, ..Until::NEVER };
            let stop = machine.run(&mut state, thread, until, &mut seen);
            match stop {
                Stop::Fuel | Stop::Shared | Stop::LoopHead(..) => n_blocked = 0,
                Stop::Choice(choice) => {
                    dice = next(dice);
                    let pick = u128::from(dice >> 33) % choice.n_options.max(1);
                    machine.pick(&mut state, &choice, pick);
                    n_blocked = 0;
                    continue;
                }
                Stop::Blocked | Stop::ThreadEnded => n_blocked += 1,
                Stop::Exited { .. }
                | Stop::Infeasible
                | Stop::Violated(_)
                | Stop::Unmodelled { .. }
                | Stop::TooWide { .. }
                | Stop::Limit { .. } => break,
            }
            if n_blocked > 4 * state.n_threads() {
                break;
            }
            let n_threads = state.n_threads() as u64;
            thread = match state.atomic_thread() {
                Some(owner) => owner,
                // The first execution lets threads take turns in order, the second the youngest go on as long as it can.
                None if run == 0 => (thread + 1) % n_threads as usize,
                None if run == 1 && n_blocked == 0 => n_threads as usize - 1,
                None if run == 1 => thread.checked_sub(1).unwrap_or(n_threads as usize - 1),
                None => {
                    dice = next(dice);
                    ((dice >> 33) % n_threads) as usize
                }
            };
        }
        let made = seen.made;
        for (key, count) in made {
            let known = self.made.entry(key).or_default();
            *known = (*known).max(count);
        }
    }
}

fn next(dice: u64) -> u64 {
    dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// Tells instructions apart as long as the program stays where it is.
pub(crate) fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt) as usize
}

struct Seen<'a> {
    profile: &'a mut Profile,
    program: &'a Program,
    /// The last call.
    call: usize,
    made: BTreeMap<(usize, Chain, usize), u32>,
}

impl Observer for Seen<'_> {
    fn wants(&self) -> Wants {
        Wants { steps: true, ..Wants::RARE }
    }

    fn step(&mut self, state: &State, thread: usize, _: FuncId, stmt: &Stmt) {
        match stmt.kind {
            StmtKind::Call { .. } => self.call = address(stmt),
            StmtKind::Alloc { .. } => {
                let mut chain: Chain = state
                    .frames(self.program, thread)
                    .iter()
                    .map(|frame| (frame.function, frame.block, frame.index))
                    .collect();
                chain.pop();
                *self.made.entry((thread, chain, address(stmt))).or_default() += 1;
            }
            _ => {}
        }
    }

    fn called(&mut self, _: &State, thread: usize, callee: FuncId, _: Loc) {
        self.profile.callees.entry((thread, self.call)).or_default().insert(callee);
    }

    fn spawned(&mut self, state: &State, _: usize, child: usize) {
        let Some(frame) = state.frames(self.program, child).first().map(|frame| frame.function) else { return };
        match self.profile.threads.get(child - 1) {
            Some(known) => self.profile.has_varying_threads |= *known != frame,
            None => self.profile.threads.push(frame),
        }
    }
}
