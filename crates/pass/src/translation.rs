//! Translation of a C program into automata over state vectors, and of their executions back into those of the program.

use std::cell::RefCell;
use std::collections::HashMap;

use unpick_automaton::interp::{Control, Machine, Move, Successor};
use unpick_automaton::layout::Layout as Positions;
use unpick_automaton::run::{Moves, Taken, Then, Walk, walk_through};
use unpick_automaton::{self, Expr, FrameInit, LocationId, Model, Place, Proctype};
use unpick_base::{IdVec, Span};
use unpick_program::interp::Checks;
use unpick_program::{BlockId, FuncId, Program, StmtKind};

use crate::Untranslatable;
use crate::arith::equal;
use crate::colour::Colours;
pub use crate::emit::ChoiceOutcome;
use crate::emit::{Emitter, Frame, function_pointer, is_scheduling_point};
use crate::graph::{Arg, Graph, Op, Pc, Role, VarId};
use crate::layout::Layout;
use crate::objects::{BIAS, Objects};
use crate::points_to::PointsTo;
use crate::profile::Profile;
use crate::proposition::Proposition;

/// More threads are not translated.
const MAX_THREADS: usize = 40;
/// Threads and propositions have a bit each.
const MAX_GRAPHS: usize = 64;

/// The meaning of a location of a process in terms of the thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LocationMeaning {
    /// The thread has not been started.
    Start,
    /// The thread has ended.
    Ended,
    /// The program has ended.
    Over,
    /// The program ends with the next instruction of the thread.
    Exit(SchedulingPoint),
    /// The exit of an atomic region: one invisible step leads on.
    AtomicExit,
    /// The program has violated a property.
    Violated,
    /// The translation does not cover this execution.
    Refused(&'static str),
    /// The thread is at a scheduling point before an instruction.
    At(SchedulingPoint),
}

/// A scheduling point of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchedulingPoint {
    /// The active function.
    pub function: FuncId,
    /// Its block.
    pub block: BlockId,
    /// The next instruction.
    pub index: usize,
    /// The depth of the call stack.
    pub depth: usize,
    /// The outcome of the choice that each transition stands for.
    pub(crate) chosen: Vec<Option<ChoiceOutcome>>,
    /// It is inside an atomic region, so no other thread may run here.
    pub(crate) is_atomic: bool,
    pub(crate) next: Vec<NextAccess>,
}

impl From<Pc> for SchedulingPoint {
    fn from(Pc { function, block, index, depth }: Pc) -> Self {
        Self { function, block, index, depth, chosen: Vec::new(), is_atomic: false, next: Vec::new() }
    }
}

/// A memory access of a thread's next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NextAccess {
    pub addr: Pointing,
    pub bytes: i32,
    pub is_write: bool,
    pub is_atomic: bool,
}

/// A constant pointer, or the offset of a pointer variable in the frame of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pointing {
    Const(i32),
    At(u32),
}

/// One step of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The thread that moves.
    pub thread: usize,
    /// The outcome of its choice.
    pub chosen: Option<ChoiceOutcome>,
    /// The scheduling point it reaches; none if it does not stop, ends or violates a property.
    pub to: Option<SchedulingPoint>,
    /// The number of threads afterwards.
    pub n_threads: usize,
    /// It is the first step of the thread.
    pub is_first: bool,
}

/// The fault at the end of an execution of the automata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Diagnosis {
    /// The last step violates a property.
    Violation,
    /// The next steps of two threads race.
    Race,
    /// No thread can go on.
    Deadlock,
    /// The translation does not cover the execution; nothing is known.
    Refused(String),
}

/// A translated program.
pub struct Translation {
    /// The automata: one process for each thread, all of them there from the start, in the order of their numbers.
    pub model: Model,
    /// What was asked for as propositions, in this order.
    pub propositions: Vec<Proposition>,
    /// Whether the program is over, if its end is a step: the place, and where it lies in a state.
    over_place: Option<Place>,
    over: Option<usize>,
    /// By thread and location, whether something has gone wrong there.
    failed: Vec<Vec<bool>>,
    meanings: Vec<HashMap<LocationId, LocationMeaning>>,
    /// By thread and location, which of the accesses.
    accesses: Vec<Vec<Vec<NextAccess>>>,
    exits: Vec<Vec<bool>>,
    /// By object, its size; nothing where races do not count.
    sizes: Vec<Option<u32>>,
    positions: Positions,
    count_at: usize,
}

/// What the automata are for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose<'a> {
    /// Steps that go wrong in one of these ways are looked for.
    Safety(Checks),
    /// Whole executions are looked at: the end of the program is a step, marks of progress are locations, and functions of
    /// the program are propositions about every state.
    Claims {
        /// What counts as a step that goes wrong.
        checks: Checks,
        /// The functions.
        propositions: &'a [FuncId],
    },
}

impl Purpose<'_> {
    fn checks(&self) -> Checks {
        match self {
            Purpose::Safety(checks) | Purpose::Claims { checks, .. } => *checks,
        }
    }
}

/// Translates a program, with the threads and numbers of objects of a profile.
pub fn to_automata(program: &Program, profile: &Profile, purpose: Purpose<'_>) -> Result<Translation, Untranslatable> {
    let Some(entry) = program.entry else { return Untranslatable::new("there is no entry") };
    if program.pointer_bytes != 8 || !program.devices.is_empty() {
        return Untranslatable::new("pointers of four bytes, or registers of hardware");
    }
    if profile.has_varying_threads || profile.threads.len() >= MAX_THREADS {
        return Untranslatable::new("threads that are started in different orders, or too many of them");
    }
    let threads: Vec<FuncId> = std::iter::once(entry).chain(profile.threads.iter().copied()).collect();
    let mut objects = Objects::default();
    let (graphs, functions) = graphs(program, profile, &threads, purpose, &mut objects)?;
    let points_to = PointsTo::new(&graphs, &mut objects)?;
    let layout = Layout::new(&graphs, threads.len(), &points_to, &mut objects)?;
    let (graphs, asked) = graphs.split_at(threads.len());
    let mut colours = Vec::new();
    for graph in graphs {
        colours.push(Colours::new(graph, &mut objects)?);
    }
    let live_at_points = live_at_points(graphs, &colours, &points_to, &layout, &mut objects);
    let has_exit_step = matches!(purpose, Purpose::Claims { .. });
    let (frame, n_global) = frame(graphs, &layout, constants(graphs, &mut objects)?, has_exit_step);
    let mut propositions = Vec::new();
    for graph in asked {
        propositions.push(Proposition::new(graph, &points_to, &layout, &mut objects)?);
    }
    let globals = layout.initial(program, &mut objects, None)?;
    let mut model = Model { undoes: true, ..Model::default() };
    model.globals.size = n_global;
    model.globals.init = globals;
    model.globals.init.push(FrameInit::Value(frame.status(0), Expr::Const(1)));
    model.globals.init.push(FrameInit::Value(frame.count(), Expr::Const(1)));
    let objects = RefCell::new(objects);
    let checks = purpose.checks();
    let mut meanings = Vec::new();
    for (thread, graph) in graphs.iter().enumerate() {
        let colours = &colours[thread];
        let emitter =
            Emitter::new(graph, &points_to, &layout, &objects, colours, &frame, &live_at_points, &functions, checks);
        let (automaton, meaning, n_places) = emitter.run()?;
        let mut local = unpick_automaton::Frame { size: frame.vars_at[thread] + 4 * n_places, ..Default::default() };
        local.init = layout.initial(program, &mut objects.borrow_mut(), Some(thread))?;
        let proctype = model.proctypes.push(Proctype {
            name: format!("thread {thread}").into(),
            frame: local,
            params: Vec::new(),
            provided: None,
            is_deterministic: false,
            automaton,
            span: Span::NONE,
        });
        model.start.push((proctype, 1));
        meanings.push(meaning);
    }
    let sizes = objects.borrow();
    let sizes = sizes.all.iter().map(|object| (!object.is_model).then_some(object.size)).collect();
    Ok(Translation { propositions, ..Translation::new(model, meanings, sizes, &frame) })
}

/// The code of threads and then of propositions, and the first functions of threads as pointers.
fn graphs<'p>(
    program: &'p Program,
    profile: &Profile,
    threads: &[FuncId],
    purpose: Purpose<'_>,
    objects: &mut Objects,
) -> Result<(Vec<Graph<'p>>, Vec<i32>), Untranslatable> {
    let (asked, marks) = match purpose {
        Purpose::Safety(_) => (&[][..], false),
        Purpose::Claims { propositions, .. } => (propositions, has_marks(program)),
    };
    if threads.len() + asked.len() >= MAX_GRAPHS {
        return Untranslatable::new("too many threads and propositions");
    }
    let (mut graphs, mut functions) = (Vec::new(), Vec::new());
    for (thread, function) in threads.iter().enumerate() {
        graphs.push(Graph::new(program, thread, (*function, Role::Thread { marks }), profile, objects)?);
        if thread > 0 {
            functions.push(function_pointer(objects, *function)?);
        }
    }
    for (at, function) in asked.iter().enumerate() {
        graphs.push(Graph::new(program, threads.len() + at, (*function, Role::Proposition), profile, objects)?);
    }
    Ok((graphs, functions))
}

/// Whether the program says itself where it makes progress.
pub fn has_marks(program: &Program) -> bool {
    let mut blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.any(|block| block.stmts.iter().any(|stmt| stmt.kind == StmtKind::Progress))
}

/// Variables of each thread that may be live where others may run.
fn live_at_points(
    graphs: &[Graph<'_>],
    colours: &[Colours],
    points_to: &PointsTo,
    layout: &Layout,
    objects: &mut Objects,
) -> Vec<Vec<VarId>> {
    let mut live_at_points: Vec<Vec<VarId>> = Vec::new();
    for (graph, colours) in graphs.iter().zip(colours) {
        let nodes = 0..graph.nodes.len();
        let outside = nodes.filter(|node| graph.nodes[*node].n_regions == 0);
        let points = outside
            .filter(|node| *node == graph.entry || is_scheduling_point(graph, *node, points_to, layout, objects));
        let mut vars: Vec<VarId> = points.flat_map(|node| colours.live_in[node].iter()).collect();
        vars.sort_unstable();
        vars.dedup();
        live_at_points.push(vars);
    }
    live_at_points
}

/// The arguments, by position, that are the same constant for all threads.
fn constants(graphs: &[Graph<'_>], objects: &mut Objects) -> Result<Vec<Option<i32>>, Untranslatable> {
    let mut found: Option<Vec<Option<i32>>> = None;
    for graph in graphs {
        for node in 0..graph.nodes.len() {
            let Op::Stmt(StmtKind::Spawn { args, .. }) = &graph.nodes[node].op else { continue };
            let mut given = Vec::new();
            for arg in args {
                given.push(match graph.arg(objects, node, arg)? {
                    Arg::Const(value) => Some(value),
                    Arg::Var(_) | Arg::Undef | Arg::Strange => None,
                });
            }
            found = Some(match found {
                None => given,
                Some(known) => known.iter().zip(&given).map(|(one, other)| one.filter(|_| one == other)).collect(),
            });
        }
    }
    Ok(found.unwrap_or_default())
}

/// The layout of everything but objects.
fn frame(graphs: &[Graph<'_>], layout: &Layout, constants: Vec<Option<i32>>, has_exit_step: bool) -> (Frame, u32) {
    let status_at = layout.globals;
    let count_at = status_at + graphs.len() as u32;
    let over_at = has_exit_step.then_some(count_at + 1);
    let mut next = count_at + 1 + u32::from(has_exit_step);
    let mut args_at = Vec::new();
    for graph in graphs {
        args_at.push(next);
        let varies = |at: &usize| constants.get(*at).copied().flatten().is_none();
        let n_varying = (0..graph.params.len()).filter(varies).count() as u32;
        next += if graph.thread == 0 { 0 } else { 4 * n_varying };
    }
    let vars_at = layout.locals.clone();
    (Frame { status_at, n_threads: graphs.len() as u32, count_at, over_at, args_at, constants, vars_at }, next)
}

impl Translation {
    fn new(
        model: Model,
        meanings: Vec<HashMap<LocationId, LocationMeaning>>,
        sizes: Vec<Option<u32>>,
        frame: &Frame,
    ) -> Self {
        let by_location = |thread: usize| {
            let locations: &IdVec<LocationId, _> =
                &model.proctypes[unpick_automaton::ProctypeId(thread as u32)].automaton.locations;
            locations.ids().map(move |location| (thread, location)).collect::<Vec<_>>()
        };
        let (mut accesses, mut exits, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for thread in 0..meanings.len() {
            let at = |(thread, location): (usize, LocationId)| meanings[thread].get(&location);
            let next = |meaning_of: Option<&LocationMeaning>| match meaning_of {
                Some(LocationMeaning::At(point)) if !point.is_atomic => point.next.clone(),
                _ => Vec::new(),
            };
            accesses.push(by_location(thread).into_iter().map(|key| next(at(key))).collect());
            exits.push(
                by_location(thread).into_iter().map(|key| matches!(at(key), Some(LocationMeaning::Exit(_)))).collect(),
            );
        }
        for thread in 0..meanings.len() {
            let has_failed = |(thread, location): (usize, LocationId)| {
                let meaning = meanings[thread].get(&location);
                matches!(meaning, Some(LocationMeaning::Violated | LocationMeaning::Refused(_)))
            };
            failed.push(by_location(thread).into_iter().map(has_failed).collect());
        }
        let positions = Positions::new(&model);
        let count_at = model.global_head() + frame.count_at as usize;
        let (propositions, over_place) = (Vec::new(), frame.over());
        let over = over_place.as_ref().map(|place| model.global_head() + place.offset as usize);
        Self { model, propositions, over_place, over, failed, meanings, accesses, exits, sizes, positions, count_at }
    }

    /// Whether the next steps of two threads race: both access the same memory, one writes, and not both are atomic.
    pub fn has_race(&self, state: &[u8]) -> bool {
        let next = self.positions.positions(state).map(|position| {
            let accesses = &self.accesses[usize::from(position.proctype)][usize::from(position.location)];
            (position.at + self.positions.head, accesses.as_slice())
        });
        let next = next.filter(|(_, accesses)| !accesses.is_empty());
        let mut seen: [(usize, &[NextAccess]); MAX_THREADS] = [(0, &[]); MAX_THREADS];
        for (n_seen, (frame, accesses)) in next.enumerate() {
            for (other_frame, others) in &seen[..n_seen] {
                let race = |one: &NextAccess, other: &NextAccess| {
                    (one.is_write || other.is_write)
                        && !(one.is_atomic && other.is_atomic)
                        && self.overlaps(state, (frame, one), (*other_frame, other))
                };
                if accesses.iter().any(|one| others.iter().any(|other| race(one, other))) {
                    return true;
                }
            }
            seen[n_seen] = (frame, accesses);
        }
        false
    }

    fn overlaps(&self, state: &[u8], one: (usize, &NextAccess), other: (usize, &NextAccess)) -> bool {
        let pointer = |(frame, access): (usize, &NextAccess)| match access.addr {
            Pointing::Const(pointer) => pointer,
            Pointing::At(offset) => {
                let at = frame + offset as usize;
                i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]])
            }
        };
        let (left, right) = (pointer(one), pointer(other));
        if left >> 16 != right >> 16 || left >> 16 < 1 {
            return false;
        }
        let Some(Some(size)) = self.sizes.get((left >> 16) as usize - 1) else { return false };
        let (from, to) = ((left & 0xffff) - BIAS, (right & 0xffff) - BIAS);
        let is_inside = |at: i32, bytes: i32| at >= 0 && at + bytes <= *size as i32;
        is_inside(from, one.1.bytes)
            && is_inside(to, other.1.bytes)
            && from < to + other.1.bytes
            && to < from + one.1.bytes
    }

    /// Whether a thread is about to end the program: then threads that wait are no deadlock.
    pub fn may_exit(&self, state: &[u8]) -> bool {
        let mut positions = self.positions.positions(state);
        positions.any(|position| self.exits[usize::from(position.proctype)][usize::from(position.location)])
    }

    /// The turns of an execution of the model, and the fault at its end.
    pub fn diagnose(&self, moves: &[Moves], is_end: bool) -> Result<(Diagnosis, Vec<Turn>), String> {
        let machine = Machine::new(&self.model);
        let first = machine.initial().map_err(|fault| format!("{fault:?}"))?;
        let walk = Walk::new(&machine, &first, moves);
        walk.last().map_err(|impossible| impossible.to_string())?;
        // The fault is searched from the last state before it at which every process may move.
        let is_harmless = |n_steps: usize| walk.taken[..n_steps].iter().all(|step| step.next.faults.is_empty());
        let last = walk.states.iter().rev().find(|(n_before, _)| is_harmless(*n_before));
        let (n_before, state) = last.ok_or("an execution without a first state")?;
        let mut turns = Vec::new();
        for step in &walk.taken[..*n_before] {
            turns.extend(step.next.moves.iter().filter_map(|moved| self.turn(&machine, moved, &step.next.state)));
        }
        if is_end {
            return Ok((Diagnosis::Deadlock, turns));
        }
        let meaning_of = |next: &Successor| {
            let process = next.moves[0].process;
            self.meanings[usize::from(process)].get(&machine.positions(&next.state)[usize::from(process)].1).cloned()
        };
        let goes_wrong =
            |next: &Successor| !next.faults.is_empty() && meaning_of(next) == Some(LocationMeaning::Violated);
        match self.way(&machine, state, &goes_wrong) {
            Ok(Some(to_there)) => {
                turns.extend(to_there);
                return Ok((Diagnosis::Violation, turns));
            }
            Ok(None) => {}
            Err(what) => return Ok((Diagnosis::Refused(what), turns)),
        }
        if self.has_race(state) {
            return Ok((Diagnosis::Race, turns));
        }
        let refused = std::cell::Cell::new("something that was not expected");
        let is_refused = |next: &Successor| {
            if let Some(LocationMeaning::Refused(what)) = meaning_of(next) {
                refused.set(what);
            }
            !next.faults.is_empty()
        };
        turns.extend(self.way(&machine, state, &is_refused)?.unwrap_or_default());
        Ok((Diagnosis::Refused(refused.get().to_owned()), turns))
    }

    /// The turns of the fewest steps from a state, through states in which one process goes on alone, to one that is wanted.
    fn way(
        &self,
        machine: &Machine<'_>,
        state: &[u8],
        is_wanted: &dyn Fn(&Successor) -> bool,
    ) -> Result<Option<Vec<Turn>>, String> {
        let mut found = Ok(None);
        walk_through(machine, state, &mut |met| {
            let Some(next) = met.last else { return Then::Elsewhere };
            if let (true, Some(fault)) = (next.moves.is_empty(), next.faults.first()) {
                found = Err(format!("{:?}", fault.kind));
                return Then::Stop;
            }
            let is_end = next.control == Control::Any || !next.faults.is_empty();
            if !is_end {
                return Then::Through;
            }
            if !is_wanted(next) {
                return Then::Elsewhere;
            }
            let turns = |step: &Taken| -> Vec<Turn> {
                step.next.moves.iter().filter_map(|moved| self.turn(machine, moved, &step.next.state)).collect()
            };
            found = Ok(Some(met.taken().iter().flat_map(turns).collect()));
            Then::Stop
        });
        found
    }

    /// The turns of an execution that goes round from the step `loop_from` on, or ends if that is behind the last one; and
    /// the turn with which the endless part begins.
    pub fn turns(&self, moves: &[Moves], loop_from: Option<usize>) -> Result<(Vec<Turn>, Option<usize>), String> {
        let machine = Machine::new(&self.model);
        let first = machine.initial().map_err(|fault| format!("{fault:?}"))?;
        let walk = Walk::new(&machine, &first, moves);
        walk.last().map_err(|impossible| impossible.to_string())?;
        let (mut turns, mut first_turn) = (Vec::new(), None);
        for (at, step) in walk.taken.iter().enumerate() {
            if loop_from == Some(at) {
                first_turn = Some(turns.len());
            }
            turns.extend(step.next.moves.iter().filter_map(|moved| self.turn(&machine, moved, &step.next.state)));
            if self.is_over(&step.next.state) {
                // What the automata do then means nothing.
                break;
            }
        }
        let first_turn = first_turn.or_else(|| loop_from.map(|_| turns.len()));
        Ok((turns, first_turn))
    }

    /// The turn that a step is; none if the thread stands where it stood.
    fn turn(&self, machine: &Machine<'_>, step: &Move, state: &[u8]) -> Option<Turn> {
        let thread = usize::from(step.process);
        let meanings = &self.meanings[thread];
        let chosen = match meanings.get(&step.location) {
            Some(LocationMeaning::AtomicExit) => return None,
            Some(LocationMeaning::At(point)) => point.chosen.get(step.transition as usize).copied().flatten(),
            _ => None,
        };
        let mut at = machine.positions(state)[thread].1;
        if meanings.get(&at) == Some(&LocationMeaning::AtomicExit) {
            let location = &self.model.proctypes[unpick_automaton::ProctypeId(thread as u32)].automaton.locations[at];
            at = location.transitions.first().and_then(|exit| exit.target).unwrap_or(at);
        }
        let to = match meanings.get(&at) {
            Some(LocationMeaning::At(point) | LocationMeaning::Exit(point)) if !point.is_atomic => Some(point.clone()),
            _ => None,
        };
        let is_first = meanings.get(&step.location) == Some(&LocationMeaning::Start);
        Some(Turn { thread, chosen, to, n_threads: usize::from(state[self.count_at]), is_first })
    }

    /// Whether the program has ended, where its end is a step.
    pub fn is_over(&self, state: &[u8]) -> bool {
        self.over.is_some_and(|at| state[at] != 0)
    }

    /// Whether a step of a thread has gone wrong: it violates a property, or is not translated.
    pub fn has_failed(&self, state: &[u8]) -> bool {
        let mut positions = self.positions.positions(state);
        positions.any(|position| self.failed[usize::from(position.proctype)][usize::from(position.location)])
    }

    /// An expression that never holds and reads whether the program is over: who looks at it sees the end of the program.
    pub fn never(&self) -> Option<Expr> {
        self.over_place.clone().map(|over| equal(Expr::Load(Box::new(over)), 2))
    }

    /// How many threads and bytes a state holds.
    pub fn summary(&self) -> String {
        let n_bytes: u32 =
            self.model.globals.size + self.model.proctypes.iter().map(|proctype| proctype.frame.size + 3).sum::<u32>();
        format!("{} threads, {n_bytes} bytes", self.meanings.len())
    }
}
