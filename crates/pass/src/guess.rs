//! What a few executions tell about a program: which threads there are, what is called through pointers, how many
//! objects are made.
//!
//! A translation needs these numbers before it begins. They are only guessed: the translated program checks every
//! one of them and goes wrong, in its own way, where an execution needs more.

use std::collections::{BTreeMap, BTreeSet};

use unpick_ir::interp::{Machine, Observer, Options, State, Stop, Until, Wants};
use unpick_ir::{BlockId, FuncId, Loc, Program, Stmt, StmtKind};

/// Executions that are looked at.
const N_RUNS: u64 = 6;
/// Turns of one execution.
const MAX_TURNS: u64 = 4_000;
/// Instructions of one turn.
const FUEL: u64 = 64;

/// The calls that are at work but for the innermost: where each was made.
pub(crate) type Chain = Vec<(FuncId, BlockId, usize)>;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Guess {
    /// The first function of each thread but the first one.
    pub threads: Vec<FuncId>,
    /// What a thread called through a pointer, by the address of the instruction.
    pub(crate) callees: BTreeMap<(usize, usize), BTreeSet<FuncId>>,
    /// How often a thread executed an instruction that makes an object, by the calls that led there.
    pub(crate) made: BTreeMap<(usize, Chain, usize), u32>,
    /// The same thread number was given to different functions.
    pub(crate) is_unsteady: bool,
}

impl Guess {
    /// Runs a program a few times, with threads taking turns in different ways.
    pub fn new(program: &Program) -> Self {
        let options = Options { is_lazy: false, ..Options::default() };
        let machine = Machine::new(program, options);
        let mut guess = Guess::default();
        for run in 0..N_RUNS {
            guess.run(&machine, run);
        }
        guess
    }

    fn run(&mut self, machine: &Machine<'_>, run: u64) {
        let mut state = machine.initial();
        let mut seen = Seen { guess: self, program: machine.program, call: 0, made: BTreeMap::new() };
        let mut dice = run.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut thread = 0;
        let mut n_blocked = 0;
        for _ in 0..MAX_TURNS {
            // Who has just been started should have a turn before the program ends.
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
    guess: &'a mut Guess,
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
        self.guess.callees.entry((thread, self.call)).or_default().insert(callee);
    }

    fn spawned(&mut self, state: &State, _: usize, child: usize) {
        let Some(frame) = state.frames(self.program, child).first().map(|frame| frame.function) else { return };
        match self.guess.threads.get(child - 1) {
            Some(known) => self.guess.is_unsteady |= *known != frame,
            None => self.guess.threads.push(frame),
        }
    }
}
