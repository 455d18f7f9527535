//! Wait-for graph in the user's terms: locks by name, and the cycles of waiting threads.
//!
//! A thread waits inside a library function. Which one it is, and what it was called with, tells what for; which
//! locks the others hold tells for whom.

use unpick_base::id::Id;
use unpick_program::interp::{FrameView, Held, Machine, Pointer, State, Value};
use unpick_program::{FuncId, InterruptOp, Program, RegId, Shape, ShapeId, SlotId, StmtKind, show};

use crate::reach::named_part;

/// Pointers that a name may lead through.
pub(crate) const MAX_LEVELS: usize = 4;

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Awaited {
    /// A lock, and the threads that hold it.
    Lock(String, Vec<usize>),
    /// A signal of a condition variable.
    Condition(String),
    /// The end of a thread.
    Thread(usize),
    /// The end of all other threads.
    Others,
    /// A semaphore that is zero.
    Semaphore(String),
    /// More threads at a barrier: how many are there and how many have to come.
    Barrier(String, Option<(u64, u64)>),
    /// Something else inside a library function.
    Call(String),
}

impl Awaited {
    /// A half sentence: `waits for &a, held by thread 2`.
    pub(crate) fn text(&self) -> String {
        match self {
            Awaited::Lock(lock, holders) => match holders.as_slice() {
                [] => format!("waits for {lock}"),
                holders => format!("waits for {lock}, held by {}", threads(holders)),
            },
            Awaited::Condition(condition) => format!("waits for a signal of {condition}"),
            Awaited::Thread(thread) => format!("waits for the end of thread {thread}"),
            Awaited::Others => "waits for the end of all other threads".to_owned(),
            Awaited::Semaphore(semaphore) => format!("waits for {semaphore} to be posted"),
            Awaited::Barrier(barrier, None) => format!("waits at {barrier}"),
            Awaited::Barrier(barrier, Some((n_arrived, n_needed))) => {
                format!("waits at {barrier}, {n_arrived} of {n_needed} are there")
            }
            Awaited::Call(name) => format!("waits in {name}()"),
        }
    }

    /// The threads that could help.
    pub(crate) fn helpers(&self) -> &[usize] {
        match self {
            Awaited::Lock(_, holders) => holders,
            Awaited::Thread(thread) => std::slice::from_ref(thread),
            Awaited::Condition(_)
            | Awaited::Others
            | Awaited::Semaphore(_)
            | Awaited::Barrier(..)
            | Awaited::Call(_) => &[],
        }
    }
}

/// What a thread that cannot go on waits for; `None` if no library function is at work.
pub(crate) fn awaited(machine: &Machine<'_>, state: &State, thread: usize) -> Option<Awaited> {
    let program = machine.program;
    let frames = state.frames(program, thread);
    let own = frames.iter().rposition(|frame| !program.functions[frame.function].is_model)?;
    let inner = (own + 1..frames.len()).rev();
    let known = inner.map(|at| Call { machine, state, thread, at, frame: frames[at] }).find_map(|call| call.awaited());
    let outermost = || Some(Awaited::Call(program.functions[frames.get(own + 1)?.function].source_name.clone()));
    known.or_else(outermost)
}

/// The condition variable for whose signal a thread waits.
pub(crate) fn awaited_condition(machine: &Machine<'_>, state: &State, thread: usize) -> Option<Pointer> {
    let frames = state.frames(machine.program, thread);
    let calls = (0..frames.len()).rev().map(|at| Call { machine, state, thread, at, frame: frames[at] });
    calls.into_iter().find_map(|call| call.condition())
}

/// What a thread is called: `thread 2`, or `interrupt tick`.
pub(crate) fn who(machine: &Machine<'_>, state: &State, thread: usize) -> String {
    match handler_name(machine, state, thread) {
        Some(name) => format!("interrupt {name}"),
        None => format!("thread {thread}"),
    }
}

/// The interrupt handler that a thread stands for.
pub(crate) fn handler_name(machine: &Machine<'_>, state: &State, thread: usize) -> Option<String> {
    if !machine.has_interrupts() || thread >= state.n_threads() {
        return None;
    }
    let frames = state.frames(machine.program, thread);
    frames.first().filter(|frame| is_handler(machine.program, frame.function))?;
    Some(machine.program.functions[frames.get(1)?.function].source_name.clone())
}

/// Whether a function is what interrupt handlers are called from.
pub(crate) fn is_handler(program: &Program, function: FuncId) -> bool {
    let mut stmts = program.functions[function].blocks.iter().flat_map(|block| &block.stmts);
    stmts.any(|stmt| matches!(stmt.kind, StmtKind::Interrupts { op: InterruptOp::Enter, .. }))
}

/// The locks that a thread holds, by name.
pub(crate) fn held(machine: &Machine<'_>, state: &State, thread: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for Held { lock, .. } in state.held(thread) {
        let name = lock_name(machine, state, *lock);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Threads each of which waits for the next, and the last for the first: `None` if there is no such circle.
pub(crate) fn circle(waiting: &[(usize, Option<Awaited>)]) -> Option<Vec<usize>> {
    let next = |thread: usize| -> &[usize] {
        let found = waiting.iter().find(|(other, _)| *other == thread);
        found.and_then(|(_, awaited)| awaited.as_ref()).map_or(&[], Awaited::helpers)
    };
    waiting.iter().find_map(|(start, _)| {
        let mut path = Vec::new();
        path_back(*start, *start, &next, &mut path).then_some(path)
    })
}

fn path_back<'a>(at: usize, goal: usize, next: &dyn Fn(usize) -> &'a [usize], path: &mut Vec<usize>) -> bool {
    path.push(at);
    for helper in next(at) {
        if *helper == goal || !path.contains(helper) && path_back(*helper, goal, next, path) {
            return true;
        }
    }
    path.pop();
    false
}

/// `thread 1`, `threads 1, 2 and 4`.
pub(crate) fn threads(numbers: &[usize]) -> String {
    match numbers {
        [] => "no thread".to_owned(),
        [only] => format!("thread {only}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("threads {} and {last}", first.join(", "))
        }
    }
}

/// The address of a lock or the like in C notation: `&forks[1]`. Members that belong to the library are left out.
pub(crate) fn lock_name(machine: &Machine<'_>, state: &State, lock: Pointer) -> String {
    let path = state.object(lock).and_then(|object| {
        let offset = u64::try_from(lock.offset).ok()?;
        let path = show::path_to_lock(machine.program, object, offset)?;
        Some(format!("&{}{path}", show::kind_name(machine.program, object.kind)))
    });
    path.or_else(|| reached_name(machine, state, lock)).unwrap_or_else(|| show::pointer(machine, state, lock))
}

/// The name of a lock that a variable leads to: `&bank[0]->lock`, or the variable itself if it points to the lock.
fn reached_name(machine: &Machine<'_>, state: &State, lock: Pointer) -> Option<String> {
    let range = (u64::try_from(lock.offset).ok()?, 1);
    let name = named_part(machine, state, None, lock, range, MAX_LEVELS)?.into_iter().next()?.name;
    if let Some(end) = name.find("->__") {
        return Some(name[..end].to_owned());
    }
    if let Some(pointer) = name.strip_prefix('*') {
        return Some(pointer.to_owned());
    }
    Some(format!("&{}", &name[..name.find(".__").unwrap_or(name.len())]))
}

/// A library function at work.
struct Call<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    thread: usize,
    /// Place among the activations of the thread.
    at: usize,
    frame: FrameView,
}

impl Call<'_, '_> {
    fn awaited(&self) -> Option<Awaited> {
        let function = &self.machine.program.functions[self.frame.function];
        let name = function.source_name.as_str();
        match name {
            "pthread_mutex_lock" | "pthread_rwlock_rdlock" | "pthread_rwlock_wrlock" | "pthread_spin_lock" => {
                Some(self.lock(self.pointer(0)?))
            }
            "pthread_cond_wait" | "wait_in_time" => Some(match self.condition() {
                None => self.lock(self.pointer(1)?),
                Some(condition) => Awaited::Condition(self.name(condition)),
            }),
            "pthread_join" => match self.argument(0)? {
                Value::Bits(thread) => Some(Awaited::Thread(thread as usize)),
                Value::Undef | Value::Wide(_) | Value::Ptr(_) | Value::Fragment { .. } | Value::Lazy(_) => None,
            },
            "pthread_exit" => Some(Awaited::Others),
            "sem_wait" => Some(Awaited::Semaphore(self.name(self.pointer(0)?))),
            "pthread_barrier_wait" => {
                let barrier = self.pointer(0)?;
                let shape = self.pointee(function.regs[*function.params.first()?].shape);
                let count = |field: &str| self.field(barrier, shape, field);
                Some(Awaited::Barrier(self.name(barrier), count("n_arrived").zip(count("n_needed"))))
            }
            _ => None,
        }
    }

    /// The condition variable whose signal has not come yet.
    fn condition(&self) -> Option<Pointer> {
        let name = self.machine.program.functions[self.frame.function].source_name.as_str();
        let is_waiting = matches!(name, "pthread_cond_wait" | "wait_in_time") && !self.is_woken();
        self.pointer(0).filter(|_| is_waiting)
    }

    fn argument(&self, number: usize) -> Option<Value> {
        let param: RegId = *self.machine.program.functions[self.frame.function].params.get(number)?;
        Some(self.state.register(self.thread, self.at, param))
    }

    fn pointer(&self, number: usize) -> Option<Pointer> {
        match self.argument(number)? {
            Value::Ptr(pointer) => Some(pointer),
            Value::Undef | Value::Bits(_) | Value::Wide(_) | Value::Fragment { .. } | Value::Lazy(_) => None,
        }
    }

    fn name(&self, pointer: Pointer) -> String {
        lock_name(self.machine, self.state, pointer)
    }

    fn lock(&self, lock: Pointer) -> Awaited {
        let holds = |thread: &usize| self.state.held(*thread).iter().any(|held| held.lock == lock);
        Awaited::Lock(self.name(lock), (0..self.state.n_threads()).filter(holds).collect())
    }

    /// Whether the signal has come and only the mutex is missing.
    fn is_woken(&self) -> bool {
        let slots = &self.machine.program.functions[self.frame.function].slots;
        let mut slots = (0..slots.len()).map(SlotId::from_index).map(|id| (id, &slots[id]));
        let Some((id, waiter)) = slots.find(|(_, slot)| slot.name.as_deref() == Some("waiter")) else { return false };
        let place = self.state.slot(self.thread, self.at, id);
        place.and_then(|place| self.field(place, waiter.shape, "is_woken")).is_some_and(|woken| woken != 0)
    }

    fn pointee(&self, shape: Option<ShapeId>) -> Option<ShapeId> {
        match self.machine.program.shapes[shape?] {
            Shape::Pointer(pointee) => pointee,
            Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Bool
            | Shape::Float(_)
            | Shape::Code
            | Shape::Array { .. }
            | Shape::Record { .. }
            | Shape::Enum { .. }
            | Shape::Opaque { .. } => None,
        }
    }

    /// A number of four bytes in a record of the library.
    fn field(&self, record: Pointer, shape: Option<ShapeId>, name: &str) -> Option<u64> {
        let Shape::Record { fields, .. } = &self.machine.program.shapes[shape?] else { return None };
        let field = fields.iter().find(|field| field.name == name)?;
        let offset = u64::try_from(record.offset).ok()? + field.offset;
        match self.state.object(record)?.scalar(offset, 4)? {
            Value::Bits(bits) => Some(bits),
            Value::Undef | Value::Wide(_) | Value::Ptr(_) | Value::Fragment { .. } | Value::Lazy(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_behind_tails() {
        let lock = |holders: &[usize]| Some(Awaited::Lock("&a".to_owned(), holders.to_vec()));
        let waiting = [(0, Some(Awaited::Thread(1))), (1, lock(&[2])), (2, lock(&[3])), (3, lock(&[1]))];
        assert_eq!(circle(&waiting), Some(vec![1, 2, 3]));
        assert_eq!(circle(&waiting[..3]), None);
        assert_eq!(circle(&[(4, lock(&[4]))]), Some(vec![4]));
    }
}
