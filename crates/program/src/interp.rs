//! The reference interpreter of programs: their semantics, one instruction at a time.
//!
//! [`Machine`] holds what never changes, [`State`] what does. [`Machine::run`] executes one thread until it
//! needs the caller: a choice, a violation, the end, a loop head. The caller owns the search; a state is cheap
//! to clone (objects are shared until written) and carries the decisions that led to it.
//!
//! Inputs may be lazy: the value of a `Choose` stays open, as an input with a [`Domain`], and is passed around
//! until something depends on it. A comparison then splits the domain in two, a division by ten in ten; only a
//! use that we cannot follow makes the caller try all values that are left. Invariants: the domain of an input
//! is never empty; every value left in it leads to exactly the execution so far; so at any point each open
//! input may be fixed to any value of its domain and a concrete replay takes the same path.
//!
//! An instruction that needs a choice has no effect before it; after [`Machine::pick`] it starts again.

mod access;
mod adapt;
mod affine;
mod arith;
mod ask;
mod checked;
mod choice;
mod collapse;
mod device;
mod domain;
mod exec;
mod float;
mod footprint;
mod input;
mod interrupt;
mod jump;
mod key;
mod leak;
mod lifetimes;
mod low_bits;
mod memory;
mod narrow;
mod object;
mod operation;
mod oracle;
mod partial_deadlock;
mod pattern;
mod range;
mod shared;
mod single;
mod snapshot;
mod state;
mod thread;
mod uninitialised;
mod unselected;
mod value;

pub use adapt::ADAPTED_CALL;
pub use ask::Answer;
pub use choice::{Choice, ChoiceKind, Decision, Placement};
pub use collapse::{Change, CollapseTable, ReadLog, Refused, SharedRead};
pub use device::volatile_kept;
pub use domain::Domain;
pub use footprint::{Footprint, Name, Pending, Touched};
pub use key::{NoRoom, Numbering};
pub use memory::Tombstone;
pub use object::{Object, ObjectKind};
pub use oracle::{Asked, Followed, Key, Misfit, Oracle, Positional};
pub use partial_deadlock::{DeadlockedThread, Wait, may_deadlock, partial_deadlock};
pub use shared::{NextAccess, Part, Race};
pub use snapshot::{Prepared, Unfrozen};
pub use state::{FrameView, Held, State, ThreadSet};
pub use unselected::{INDEXES, MISUSED, OVERLAPS, UNREACHABLE, WRAPS};
pub use value::{Lazy, Pointer, Value};

pub use exec::stored_bytes;
pub(crate) use exec::width;
pub(crate) use float::display as display_float;

use crate::analysis::Liveness;
use crate::{FuncId, GlobalId, Loc, Program, RegId, Stmt, ViolationKind};

/// What never changes during an exploration.
pub struct Machine<'p> {
    /// The program that runs.
    pub program: &'p Program,
    /// How it runs.
    pub options: Options,
    pub(crate) liveness: std::rc::Rc<Liveness>,
    pub(crate) initial: State,
    /// Where registers without a value are read, if that is not checked: an indeterminate value is any value then.
    pub(crate) uninitialised: Option<uninitialised::UninitialisedReads>,
    pub(crate) may_block: bool,
    /// Some instruction starts a thread.
    pub(crate) has_threads: bool,
    /// Some instruction changes what may interrupt a thread.
    pub(crate) has_interrupts: bool,
    /// Local variables of which there is only one in an execution.
    pub(crate) single_slots: std::rc::Rc<std::collections::HashSet<(FuncId, crate::SlotId)>>,
    key_scratch: std::cell::RefCell<key::KeyScratch>,
}

/// How programs run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Keep inputs open until something depends on them. Replay runs without.
    pub is_lazy: bool,
    /// More activations than this in one thread are a [`Stop::Limit`].
    pub max_frames: u32,
    /// More values than this are not enumerated: [`Stop::TooWide`].
    pub max_enumerate: u128,
    /// Kinds of violations that stop a run.
    pub checks: Checks,
    /// Where an object lies that shows its address is a choice, instead of the lowest free place.
    pub asks_addresses: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { is_lazy: true, max_frames: 10_000, max_enumerate: 65_536, checks: Checks::ALL, asks_addresses: false }
    }
}

/// A set of violation kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks(u64);

impl Checks {
    /// Every kind.
    pub const ALL: Checks = Checks(u64::MAX);
    /// No kind.
    pub const NONE: Checks = Checks(0);

    /// This set and one more kind.
    #[must_use]
    pub fn with(self, kind: ViolationKind) -> Checks {
        Checks(self.0 | 1 << kind as u32)
    }

    /// This set without a kind.
    #[must_use]
    pub fn without(self, kind: ViolationKind) -> Checks {
        Checks(self.0 & !(1 << kind as u32))
    }

    /// Whether the kind is in the set.
    #[inline]
    pub fn contains(self, kind: ViolationKind) -> bool {
        self.0 >> (kind as u32) & 1 == 1
    }
}

impl FromIterator<ViolationKind> for Checks {
    fn from_iter<T: IntoIterator<Item = ViolationKind>>(kinds: T) -> Self {
        kinds.into_iter().fold(Checks::NONE, Checks::with)
    }
}

/// When a run should come back although it could go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Until {
    /// After this many instructions.
    pub fuel: u64,
    /// On arrival at the head of a loop.
    pub loop_heads: bool,
    /// Before an instruction (other than the first) that touches memory other threads may reach, or that
    /// concerns other threads.
    pub shared_access: bool,
    /// With `shared_access`, before every instruction as long as there are several threads.
    pub every_step: bool,
    /// With `shared_access`, also while there is only one thread.
    pub alone_too: bool,
    /// The first instruction counts as well: the run goes on where one came back for fuel or at a loop head.
    pub is_resumed: bool,
}

impl Until {
    /// Only when the caller is needed.
    pub const NEVER: Until = Until {
        fuel: u64::MAX,
        loop_heads: false,
        shared_access: false,
        every_step: false,
        alone_too: false,
        is_resumed: false,
    };
}

/// Why a run came back.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The fuel is used up.
    Fuel,
    /// The thread has just arrived at this head of a loop; running on goes into it.
    LoopHead(FuncId, crate::BlockId),
    /// The next instruction touches shared memory or concerns other threads.
    Shared,
    /// Take one of the options with [`Machine::pick`], then run on.
    Choice(Choice),
    /// The thread cannot go on before another one does something.
    Blocked,
    /// The thread's first function returned; other threads may go on.
    ThreadEnded,
    /// The program ended.
    Exited {
        /// Exit status.
        code: i32,
        /// By `abort` or a trap.
        is_abort: bool,
    },
    /// An assumption does not hold: this execution is of no interest.
    Infeasible,
    /// Something went wrong.
    Violated(Violation),
    /// Something without a meaning was reached; the execution cannot be judged.
    Unmodelled {
        /// Where.
        loc: Loc,
        /// What.
        what: String,
    },
    /// An input has too many values to try them all.
    TooWide {
        /// A few of its values worth trying; taking one of them is no proof.
        samples: Choice,
        /// What the input stands for.
        label: String,
        /// Where it was chosen.
        loc_of_choose: Loc,
        /// What depends on it.
        loc_of_use: Loc,
        /// How many values are left.
        count: u128,
    },
    /// A limit of [`Options`] was reached.
    Limit {
        /// Which, in words.
        what: String,
        /// Where.
        loc: Loc,
    },
}

/// What went wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Its kind.
    pub kind: ViolationKind,
    /// What to tell the user.
    pub message: String,
    /// Where the bad operation executes; for a leak, where the object was allocated.
    pub loc: Loc,
    /// Name of the function as people know it.
    pub function: String,
    /// Number of the thread.
    pub thread: usize,
    /// Activations from the outermost to the innermost, each with the place it is at.
    pub frames: Vec<(FuncId, Loc)>,
}

/// Watches a run. The program counter of the running thread in the [`State`] it is shown may be that of the
/// beginning of the run; registers and memory are current.
pub trait Observer {
    /// Which of the frequent hooks are called; asked once at the beginning of each run.
    fn wants(&self) -> Wants {
        Wants::ALL
    }
    /// Before an instruction. It may be tried again after a choice.
    fn step(&mut self, _state: &State, _thread: usize, _function: FuncId, _stmt: &Stmt) {}
    /// An option was taken for a thread: its instruction starts again.
    fn picked(&mut self, _thread: usize) {}
    /// Before the end of a block.
    fn terminator(&mut self, _state: &State, _thread: usize, _function: FuncId, _block: &crate::Block) {}
    /// Control goes from one block to another.
    fn jumped(&mut self, _function: FuncId, _from: crate::BlockId, _to: crate::BlockId) {}
    /// Before bytes of an object change.
    fn before_write(&mut self, _state: &State, _thread: usize, _object: Pointer, _offset: u64, _bytes: u64) {}
    /// After bytes of an object have changed.
    fn written(&mut self, _state: &State, _thread: usize, _object: Pointer, _offset: u64, _bytes: u64) {}
    /// After bytes of an object have been read.
    fn read(&mut self, _state: &State, _thread: usize, _object: Pointer, _offset: u64, _bytes: u64) {}
    /// A bit-field is read or written whose memory location has more bytes than those told as read or written.
    fn location(&mut self, _: &State, _thread: usize, _object: Pointer, _offset: u64, _bytes: u64, _is_write: bool) {}
    /// The running program has made an object on the heap.
    fn made(&mut self, _state: &State, _thread: usize, _object: Pointer) {}
    /// Before the end of an object's life.
    fn ended(&mut self, _state: &State, _thread: usize, _object: Pointer) {}
    /// Whether an object lives, and how large it is, has been looked at.
    fn looked_at(&mut self, _state: &State, _thread: usize, _object: Pointer) {}
    /// Something useful has been done.
    fn progress(&mut self) {}
    /// A thread has started another.
    fn spawned(&mut self, _state: &State, _thread: usize, _child: usize) {}
    /// A thread has ended.
    fn thread_ended(&mut self, _state: &State, _thread: usize) {}
    /// A thread has looked whether another one has ended.
    fn asked_for_end(&mut self, _state: &State, _thread: usize, _other: usize) {}
    /// A thread has taken a lock, or is about to wait for it.
    fn taken(&mut self, _state: &State, _thread: usize, _lock: Held) {}
    /// A register of the running activation has a new value.
    fn assigned(&mut self, _state: &State, _thread: usize, _function: FuncId, _reg: RegId, _old: Value) {}
    /// A function was entered (its parameters are set).
    fn called(&mut self, _state: &State, _thread: usize, _callee: FuncId, _loc: Loc) {}
    /// A function is about to be left.
    fn returned(&mut self, _state: &State, _thread: usize, _function: FuncId, _value: Option<Value>) {}
    /// The program leans on an assumption.
    fn note(&mut self, _text: &str) {}
    /// A variable was read that is volatile and that nothing but the program changes, see [`volatile_kept`].
    fn read_volatile(&mut self, _global: GlobalId) {}
    /// The program wrote to a file descriptor.
    fn output(&mut self, _stream: i32, _bytes: &[u8]) {}
}

/// The hooks of an [`Observer`] that are called so often that a call for nothing would cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wants {
    /// [`Observer::step`].
    pub steps: bool,
    /// [`Observer::terminator`] and [`Observer::jumped`].
    pub blocks: bool,
    /// [`Observer::assigned`].
    pub registers: bool,
    /// [`Observer::read`], [`Observer::before_write`], [`Observer::written`] and [`Observer::location`].
    pub accesses: bool,
}

impl Wants {
    /// All hooks.
    pub const ALL: Wants = Wants { steps: true, blocks: true, registers: true, accesses: true };
    /// None of the frequent hooks.
    pub const RARE: Wants = Wants { steps: false, blocks: false, registers: false, accesses: false };
}

/// Observes nothing; see [`Machine::run_silent`].
pub(crate) struct Silent;

impl Observer for Silent {
    fn wants(&self) -> Wants {
        Wants::RARE
    }
}

impl<'p> Machine<'p> {
    /// Prepares a program. It should have passed the verifier.
    pub fn new(program: &'p Program, options: Options) -> Machine<'p> {
        let liveness: std::rc::Rc<_> = Liveness::new(program).into();
        let initial = State::initial(program);
        let is_any = !options.checks.contains(ViolationKind::Uninitialized);
        let uninitialised = is_any.then(|| uninitialised::UninitialisedReads::new(program, &liveness));
        Machine {
            program,
            options,
            uninitialised,
            liveness,
            initial,
            may_block: thread::may_block(program),
            has_threads: thread::has_threads(program),
            has_interrupts: interrupt::has_interrupts(program),
            single_slots: single::single_slots(program).into(),
            key_scratch: std::cell::RefCell::default(),
        }
    }

    /// Whether the program says itself where it makes progress.
    pub fn marks_progress(&self) -> bool {
        let blocks = self.program.functions.iter().flat_map(|function| function.blocks.iter());
        blocks.flat_map(|block| &block.stmts).any(|stmt| stmt.kind == crate::StmtKind::Progress)
    }

    /// Whether the program can have more than one thread.
    pub fn has_threads(&self) -> bool {
        self.has_threads
    }

    /// The state in which the program starts: thread 0 is about to enter the entry function.
    pub fn initial(&self) -> State {
        self.initial.clone()
    }

    /// The pointer to the start of a global, as seen by a thread.
    pub fn global(&self, state: &State, thread: usize, global: GlobalId) -> Pointer {
        state.global(thread, global)
    }

    /// The decisions taken so far, with every input that is still open fixed to a value of its domain.
    pub fn decisions(&self, state: &State) -> Vec<Decision> {
        state.decisions()
    }
}

#[cfg(test)]
mod tests;
