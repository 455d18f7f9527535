//! Lock-order recording: which locks executions take while they hold others.
//!
//! A lock has to have the same name in all interleavings: a variable its own, a heap object that of the place where it
//! was made. Later objects of one place count as one, so an order among them says nothing.

use std::collections::HashMap;

use unpick_program::interp::{Held, ObjectKind, Pointer, State};
use unpick_program::{FuncId, GlobalId, Loc, Program, SlotId, show};
use unpick_system::{LockEdge, LockOrder, OrderedLock, place};

/// What a lock is a part of, and how it is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Lock {
    owner: Owner,
    offset: i64,
    is_exclusive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Global(GlobalId),
    /// A local variable of a function that this thread called.
    Slot(FuncId, SlotId, u32),
    /// The first object made here by a thread.
    First(Loc, u32),
    /// One of many made here.
    Later(Loc),
}

struct Seen {
    loc: Loc,
    threads: u64,
    /// Other locks that were held every time.
    guards: Vec<Lock>,
}

/// What has been seen of locks.
#[derive(Default)]
pub(crate) struct Locks {
    edges: HashMap<(Lock, Lock), Seen>,
    names: HashMap<Lock, String>,
}

impl Locks {
    /// A thread takes a lock, which is already the last of those it holds.
    pub(crate) fn taken(&mut self, program: &Program, state: &State, thread: usize, lock: Held) {
        let held = state.held(thread);
        if held.len() < 2 {
            return;
        }
        let Some(new) = Lock::of(state, lock) else { return };
        let before = held[..held.len() - 1].iter();
        let others: Vec<(Lock, Pointer)> =
            before.filter_map(|held| Some((Lock::of(state, *held)?, held.lock))).collect();
        // Taking a lock again does not wait.
        if others.iter().any(|(other, _)| other.is_same(&new)) {
            return;
        }
        let bit = 1 << thread.min(63);
        for (other, pointer) in &others {
            let is_guard = |guard: &Lock| guard.is_exclusive && !guard.is_same(other) && guard.is_unique();
            if let Some(seen) = self.edges.get_mut(&(*other, new)) {
                seen.threads |= bit;
                seen.guards.retain(|guard| others.iter().any(|(other, _)| other == guard));
                continue;
            }
            // A try-lock does not wait.
            let Some(loc) = waiting_place(program, state, thread) else { return };
            let guards = others.iter().map(|(other, _)| *other).filter(is_guard).collect();
            self.edges.insert((*other, new), Seen { loc, threads: bit, guards });
            self.name(program, state, *other, *pointer);
            self.name(program, state, new, lock.lock);
        }
    }

    fn name(&mut self, program: &Program, state: &State, lock: Lock, pointer: Pointer) {
        self.names.entry(lock).or_insert_with(|| name(program, state, lock, pointer));
    }

    /// What executions did so far.
    pub(crate) fn order(&self) -> LockOrder {
        let name = |lock: &Lock| self.names.get(lock).cloned().unwrap_or_default();
        let ordered = |lock: &Lock| OrderedLock { name: name(lock), is_exclusive: lock.is_exclusive };
        let mut order = LockOrder::default();
        for ((held, taken), seen) in &self.edges {
            let guards = seen.guards.iter().map(name).collect();
            let (held, taken) = (ordered(held), ordered(taken));
            order.add(LockEdge { held, taken, loc: seen.loc, threads: seen.threads, guards });
        }
        order
    }
}

impl Lock {
    fn of(state: &State, held: Held) -> Option<Self> {
        let object = state.object(held.lock)?;
        let owner = match object.kind {
            ObjectKind::Global(global) => Owner::Global(global),
            ObjectKind::Slot(function, slot) => Owner::Slot(function, slot, object.thread),
            ObjectKind::Heap(_) if object.is_first => Owner::First(object.loc, object.thread),
            ObjectKind::Alloca(_) | ObjectKind::Heap(_) => Owner::Later(object.loc),
        };
        Some(Self { owner, offset: held.lock.offset, is_exclusive: held.is_exclusive })
    }

    /// Whether they are one lock, or cannot be told apart.
    fn is_same(&self, other: &Self) -> bool {
        self.owner == other.owner && (self.offset == other.offset || !self.is_unique())
    }

    fn is_unique(&self) -> bool {
        match self.owner {
            Owner::Global(_) | Owner::Slot(..) | Owner::First(..) => true,
            Owner::Later(_) => false,
        }
    }
}

fn name(program: &Program, state: &State, lock: Lock, pointer: Pointer) -> String {
    let Some(object) = state.object(pointer) else { return String::new() };
    let base = match lock.owner {
        Owner::Global(_) | Owner::Slot(_, _, 0) => show::kind_name(program, object.kind),
        Owner::Slot(_, _, thread) => format!("{}@thread {thread}", show::kind_name(program, object.kind)),
        Owner::First(loc, 0) => format!("heap@{}", place(program, loc)),
        Owner::First(loc, thread) => format!("heap@{}@thread {thread}", place(program, loc)),
        Owner::Later(loc) => format!("heap@{}@later", place(program, loc)),
    };
    let path = u64::try_from(lock.offset).ok().and_then(|offset| show::path_to_lock(program, object, offset));
    match (path, lock.offset) {
        (Some(path), _) => format!("&{base}{path}"),
        (None, 0) => format!("&{base}"),
        (None, offset) => format!("&{base} + {offset} bytes"),
    }
}

/// Where the user's code takes a lock; `None` if it would not wait for it.
fn waiting_place(program: &Program, state: &State, thread: usize) -> Option<Loc> {
    let frames = state.frames(program, thread);
    let own = frames.iter().rposition(|frame| !program.functions[frame.function].is_model);
    let inner = &frames[own.map_or(0, |at| at + 1)..];
    let only_tries = inner.iter().any(|frame| {
        let name = program.functions[frame.function].source_name.as_str();
        name.contains("try") || name.contains("timed") || name == "take_in_time"
    });
    let loc = own.or(frames.len().checked_sub(1)).map(|at| frames[at].loc);
    loc.filter(|_| !only_tries)
}
