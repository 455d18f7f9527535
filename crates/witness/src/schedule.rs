//! An execution as turns of threads on the user's own accesses and calls, so that a compiled program can be made to
//! take the same turns.
//!
//! Instructions that touch no memory commute with everything, so a turn may end anywhere between two *events*: reads and
//! writes of memory in the user's code, and its calls of library functions. An event is named by its place in the source
//! and how often the thread has passed there. What happens inside a library function is no event: a turn that ends there
//! ends inside the call.

use std::collections::{BTreeMap, HashMap};

use unpick_program::interp::{Decision, Machine, Observer, State, Stop, Until};
use unpick_program::{FuncId, Loc, Program, Stmt, StmtKind};

use crate::narrate::TurnEnd;

/// What a thread does at a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventKind {
    Read,
    Write,
    /// A read and a write in one.
    Update,
    /// A call of a library function.
    Call,
}

/// A place in the source where a turn ends or something is decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    pub kind: EventKind,
    /// File as the user named it.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Where a turn ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnLimit {
    /// Before the thread passes the point for the n-th time, counted from one.
    Before { point: u32, nth: u32 },
    /// Inside the library call that it makes there for the n-th time, after so many of its indivisible parts.
    Inside { point: u32, nth: u32, n_parts: u32 },
    /// Where the thread can go on no more.
    Stuck,
    /// Anywhere: nothing that the thread would do matters to others.
    Anywhere,
}

/// One thread at work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    pub thread: u32,
    pub until: TurnLimit,
}

/// What a library function decided inside a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub thread: u32,
    pub point: u32,
    pub nth: u32,
    pub values: Vec<u64>,
}

/// The turns and inputs of one execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    pub points: Vec<Point>,
    pub turns: Vec<Turn>,
    /// Values of the program's own unknown inputs: the thread that asked, in order.
    pub inputs: Vec<(u32, u128)>,
    pub answers: Vec<Answer>,
}

/// Steps of a thread, after the end, in which its next event is looked for.
const MAX_AHEAD: u32 = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Event {
    kind: EventKind,
    loc: Loc,
}

/// An activation as the recorder knows it.
struct Frame {
    is_library: bool,
    /// For the outermost of a library's activations.
    call: Option<Call>,
}

/// A call of a library function.
#[derive(Clone, Copy)]
struct Call {
    event: usize,
    /// Something has happened in it that others can notice.
    has_effect: bool,
    /// Its indivisible parts so far.
    n_parts: u32,
}

#[derive(Default)]
struct Recorded {
    frames: Vec<Frame>,
    events: Vec<Event>,
    /// The instruction at hand was begun before a choice.
    is_retried: bool,
    /// The instruction at hand reads memory.
    is_reading: bool,
    /// By event.
    answers: BTreeMap<usize, Vec<u64>>,
}

struct RawTurn {
    thread: usize,
    n_events: usize,
    end: TurnEnd,
    /// The library call the thread was in, if it was.
    call: Option<Call>,
}

/// Watches a replay.
pub(crate) struct Recorder<'p> {
    program: &'p Program,
    threads: Vec<Recorded>,
    turns: Vec<RawTurn>,
    inputs: Vec<(u32, u128)>,
    is_library: Vec<bool>,
}

impl<'p> Recorder<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let is_library = program.functions.iter().map(|function| function.is_model).collect();
        Self { program, threads: Vec::new(), turns: Vec::new(), inputs: Vec::new(), is_library }
    }

    fn thread(&mut self, thread: usize) -> &mut Recorded {
        while self.threads.len() <= thread {
            self.threads.push(Recorded::default());
        }
        &mut self.threads[thread]
    }

    /// Whether a function belongs to the library.
    fn is_library(&self, function: FuncId) -> bool {
        self.is_library[function.0 as usize]
    }

    /// Something was decided for a thread.
    pub(crate) fn choice(&mut self, thread: usize, decision: &Decision) {
        let value = match decision {
            Decision::Value(value) => *value,
            Decision::Thread(thread) => u128::from(*thread),
            Decision::Fail(fails) => u128::from(*fails),
            Decision::Address(address) => u128::from(*address),
        };
        let recorded = self.thread(thread);
        recorded.is_retried = true;
        match recorded.call() {
            Some(call) => recorded.answers.entry(call.event).or_default().push(value as u64),
            // What lies in unknown memory is decided where it is read, not here.
            None if recorded.is_reading => {}
            None => self.inputs.push((thread as u32, value)),
        }
    }

    /// The turn of a thread is over.
    pub(crate) fn depart(&mut self, thread: usize, end: TurnEnd) {
        let recorded = self.thread(thread);
        let (n_events, call) = (recorded.events.len(), recorded.call());
        self.turns.push(RawTurn { thread, n_events, end, call });
    }

    /// The execution is over; `running` was the last to run. Threads that would go on with something are asked what.
    pub(crate) fn finish(mut self, machine: &Machine<'_>, state: &State, running: Option<usize>) -> Schedule {
        for thread in 0..self.threads.len().min(state.n_threads()) {
            let is_waiting_for_more = |turn: &RawTurn| {
                turn.thread == thread && turn.n_events == self.threads[thread].events.len() && turn.call.is_none()
            };
            if self.turns.iter().any(is_waiting_for_more) && !state.is_ended(thread) {
                self.look_ahead(machine, state, thread);
            }
        }
        let mut points = PointTable::default();
        let mut turns: Vec<Turn> = self.turns.iter().map(|turn| self.turn(turn, &mut points)).collect();
        if let Some(running) = running {
            turns.push(Turn { thread: running as u32, until: TurnLimit::Stuck });
        }
        let mut answers = Vec::new();
        for (thread, recorded) in self.threads.iter().enumerate() {
            for (event, values) in &recorded.answers {
                let (point, nth) = points.locate(recorded, *event);
                answers.push(Answer { thread: thread as u32, point, nth, values: values.clone() });
            }
        }
        let points = points.events.iter().map(|event| Point {
            kind: event.kind,
            file: self.program.files.get(event.loc.file).cloned().unwrap_or_default(),
            line: event.loc.line,
            column: event.loc.column,
        });
        Schedule { points: points.collect(), turns, inputs: self.inputs, answers }
    }

    /// Runs a thread on, on a copy of the state, until its next event.
    fn look_ahead(&mut self, machine: &Machine<'_>, state: &State, thread: usize) {
        let mut state = state.clone();
        let n_events = self.threads[thread].events.len();
        let n_inputs = self.inputs.len();
        let until = Until { fuel: 1, ..Until::NEVER };
        for _ in 0..MAX_AHEAD {
            let stop = machine.run(&mut state, thread, until, self);
            if self.threads[thread].events.len() > n_events || !matches!(stop, Stop::Fuel) {
                break;
            }
        }
        self.threads[thread].events.truncate(n_events + 1);
        self.inputs.truncate(n_inputs);
    }

    fn turn(&self, raw: &RawTurn, points: &mut PointTable) -> Turn {
        let recorded = &self.threads[raw.thread];
        let until = match (raw.end, raw.call) {
            (TurnEnd::Preempted, Some(Call { event, has_effect: false, .. })) => {
                let (point, nth) = points.locate(recorded, event);
                TurnLimit::Before { point, nth }
            }
            (TurnEnd::Preempted | TurnEnd::Blocked, Some(Call { event, n_parts, .. })) => {
                let (point, nth) = points.locate(recorded, event);
                TurnLimit::Inside { point, nth, n_parts }
            }
            (TurnEnd::Preempted, None) if raw.n_events < recorded.events.len() => {
                let (point, nth) = points.locate(recorded, raw.n_events);
                TurnLimit::Before { point, nth }
            }
            (TurnEnd::Preempted, None) => TurnLimit::Anywhere,
            (TurnEnd::Blocked, None) | (TurnEnd::Gone, _) => TurnLimit::Stuck,
        };
        Turn { thread: raw.thread as u32, until }
    }
}

/// Numbers for the points that matter.
#[derive(Default)]
struct PointTable {
    numbers: HashMap<Event, u32>,
    events: Vec<Event>,
}

impl PointTable {
    /// The point of an event, and how often the thread has passed there with it.
    fn locate(&mut self, recorded: &Recorded, at: usize) -> (u32, u32) {
        let event = recorded.events[at];
        let next = self.events.len() as u32;
        let number = *self.numbers.entry(event).or_insert(next);
        if number == next {
            self.events.push(event);
        }
        let nth = recorded.events[..=at].iter().filter(|other| **other == event).count();
        (number, nth as u32)
    }
}

impl Recorded {
    /// The library call that the thread is in.
    fn call(&self) -> Option<Call> {
        let innermost = self.frames.last().filter(|frame| frame.is_library)?;
        let mut call = innermost.call;
        for frame in self.frames.iter().rev().take_while(|frame| frame.is_library) {
            call = frame.call.or(call);
        }
        call
    }

    /// Something that others can notice happens in a library call.
    fn mark_effect(&mut self, is_new_part: bool) {
        let outer =
            self.frames.iter_mut().rev().take_while(|frame| frame.is_library).find(|frame| frame.call.is_some());
        if let Some(call) = outer.and_then(|frame| frame.call.as_mut()) {
            call.has_effect = true;
            call.n_parts += u32::from(is_new_part);
        }
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, _: &State, thread: usize, function: FuncId, stmt: &Stmt) {
        let is_library = self.is_library(function);
        let recorded = self.thread(thread);
        if recorded.frames.is_empty() {
            recorded.frames.push(Frame { is_library, call: None });
        }
        let is_retried = std::mem::take(&mut recorded.is_retried);
        recorded.is_reading = matches!(
            stmt.kind,
            StmtKind::Load { .. } | StmtKind::LoadBits { .. } | StmtKind::MemCopy { .. } | StmtKind::AtomicRmw { .. }
        );
        let kind = match &stmt.kind {
            StmtKind::Load { .. } | StmtKind::LoadBits { .. } => EventKind::Read,
            StmtKind::Store { .. }
            | StmtKind::StoreBits { .. }
            | StmtKind::MemCopy { .. }
            | StmtKind::MemSet { .. } => EventKind::Write,
            // The compiled program has no such write where a function has no body.
            StmtKind::MemAny { .. } if is_library => EventKind::Write,
            StmtKind::AtomicRmw { .. } | StmtKind::AtomicCas { .. } => EventKind::Update,
            StmtKind::AtomicBegin | StmtKind::Spawn { .. } | StmtKind::Free { .. } if is_library => {
                recorded.mark_effect(stmt.kind == StmtKind::AtomicBegin);
                return;
            }
            _ => return,
        };
        match is_library {
            true if kind != EventKind::Read => recorded.mark_effect(false),
            false if !is_retried => recorded.events.push(Event { kind, loc: stmt.loc }),
            true | false => {}
        }
    }

    fn called(&mut self, _: &State, thread: usize, callee: FuncId, loc: Loc) {
        let is_library = self.is_library(callee);
        let recorded = self.thread(thread);
        let is_from_user = recorded.frames.last().is_some_and(|frame| !frame.is_library);
        let call = (is_library && is_from_user).then(|| {
            recorded.events.push(Event { kind: EventKind::Call, loc });
            Call { event: recorded.events.len() - 1, has_effect: false, n_parts: 0 }
        });
        recorded.frames.push(Frame { is_library, call });
    }

    fn returned(&mut self, _: &State, thread: usize, _: FuncId, _: Option<unpick_program::interp::Value>) {
        self.thread(thread).frames.pop();
    }
}
