//! A program as automata over flat states, and the way back from their executions to those of the program.

use std::cell::RefCell;
use std::collections::HashMap;

use unpick_base::{IdVec, Span};
use unpick_ir::automaton::interp::{Control, Machine, Move, Successor};
use unpick_ir::automaton::layout::Layout as Positions;
use unpick_ir::automaton::run::{Moves, Taken, Then, Walk, walk_through};
use unpick_ir::automaton::{self, Expr, FrameInit, LocationId, Model, Proctype};
use unpick_ir::interp::Checks;
use unpick_ir::{BlockId, FuncId, Program, StmtKind};

use crate::Unfit;
use crate::colour::Colours;
pub use crate::emit::Chosen;
use crate::emit::{Emitter, Frame, function_pointer, rests};
use crate::graph::{Arg, Graph, Op, Pc, VarId};
use crate::guess::Guess;
use crate::layout::Layout;
use crate::objects::{BIAS, Objects};
use crate::points::Points;

/// More threads are not translated.
const MAX_THREADS: usize = 40;

/// What a location of a process means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spot {
    /// The thread has not been started.
    Start,
    /// The thread has ended.
    Over,
    /// The program ends with the next instruction of the thread.
    Exit(Reaching),
    /// A step leads on from here that nobody notices.
    Bridge,
    /// The program has gone wrong.
    Violated,
    /// The translation does not know what happens here.
    Refused(&'static str),
    /// The thread rests before an instruction.
    At(Reaching),
}

/// Where a thread rests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaching {
    /// The function at work.
    pub function: FuncId,
    /// Its block.
    pub block: BlockId,
    /// The next instruction.
    pub index: usize,
    /// How many functions are at work.
    pub depth: usize,
    /// What is chosen by each transition.
    pub(crate) chosen: Vec<Option<Chosen>>,
    /// It is inside an atomic region, so that nobody else comes in between.
    pub(crate) is_inside: bool,
    pub(crate) next: Vec<NextAccess>,
}

impl From<Pc> for Reaching {
    fn from(Pc { function, block, index, depth }: Pc) -> Self {
        Self { function, block, index, depth, chosen: Vec::new(), is_inside: false, next: Vec::new() }
    }
}

/// What a thread touches with its next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NextAccess {
    pub addr: Pointing,
    pub bytes: i32,
    pub is_write: bool,
    pub is_atomic: bool,
}

/// A pointer, or where it lies in the frame of the process.
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
    /// What it chooses.
    pub chosen: Option<Chosen>,
    /// Where it rests then; nowhere if it does not stop, ends or goes wrong.
    pub to: Option<Reaching>,
    /// How many threads there are then.
    pub n_threads: usize,
    /// It is the first step of the thread.
    pub is_first: bool,
}

/// What is wrong at the end of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The last step goes wrong.
    Violation,
    /// Two threads are about to touch the same memory.
    Race,
    /// No thread can go on.
    Deadlock,
    /// The translation does not go so far; nothing is known.
    Refused(String),
}

/// A translated program.
pub struct Flat {
    /// The automata: one process for each thread, all of them there from the start, in the order of their numbers.
    pub model: Model,
    spots: Vec<HashMap<LocationId, Spot>>,
    /// By thread and location, which of the accesses.
    accesses: Vec<Vec<Vec<NextAccess>>>,
    exits: Vec<Vec<bool>>,
    /// By object, its size; nothing where races do not count.
    sizes: Vec<Option<u32>>,
    positions: Positions,
    count_at: usize,
}

/// Translates a program, with threads and numbers of objects as guessed, and violations of these kinds.
pub fn flatten(program: &Program, guess: &Guess, checks: Checks) -> Result<Flat, Unfit> {
    let Some(entry) = program.entry else { return Unfit::new("there is no entry") };
    if program.pointer_bytes != 8 || !program.devices.is_empty() {
        return Unfit::new("pointers of four bytes, or registers of hardware");
    }
    if guess.is_unsteady || guess.threads.len() >= MAX_THREADS {
        return Unfit::new("threads that are started in different orders, or too many of them");
    }
    let mut objects = Objects::default();
    let mut graphs = Vec::new();
    let mut functions = Vec::new();
    for (thread, function) in std::iter::once(&entry).chain(&guess.threads).enumerate() {
        graphs.push(Graph::new(program, thread, *function, guess, &mut objects)?);
        if thread > 0 {
            functions.push(function_pointer(&mut objects, *function)?);
        }
    }
    let points = Points::new(&graphs, &mut objects)?;
    let layout = Layout::new(&graphs, &points, &mut objects)?;
    let mut colours = Vec::new();
    for graph in &graphs {
        colours.push(Colours::new(graph, &mut objects)?);
    }
    let mut resting: Vec<Vec<VarId>> = Vec::new();
    for (graph, colours) in graphs.iter().zip(&colours) {
        let nodes = 0..graph.nodes.len();
        let outside = nodes.filter(|node| graph.nodes[*node].n_regions == 0);
        let rests = outside.filter(|node| *node == graph.entry || rests(graph, *node, &points, &layout, &mut objects));
        let mut vars: Vec<VarId> = rests.flat_map(|node| colours.before[node].iter()).collect();
        vars.sort_unstable();
        vars.dedup();
        resting.push(vars);
    }
    let (frame, n_global) = frame(&graphs, &layout, constants(&graphs, &mut objects)?);
    let globals = layout.initial(program, &mut objects, None)?;
    let mut model = Model { undoes: true, ..Model::default() };
    model.globals.size = n_global;
    model.globals.init = globals;
    model.globals.init.push(FrameInit::Value(frame.status(0), Expr::Const(1)));
    model.globals.init.push(FrameInit::Value(frame.count(), Expr::Const(1)));
    let objects = RefCell::new(objects);
    let mut spots = Vec::new();
    for (thread, graph) in graphs.iter().enumerate() {
        let colours = &colours[thread];
        let emitter = Emitter::new(graph, &points, &layout, &objects, colours, &frame, &resting, &functions, checks);
        let (automaton, meaning, n_places) = emitter.run()?;
        let mut local = automaton::Frame { size: frame.vars_at[thread] + 4 * n_places, ..Default::default() };
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
        spots.push(meaning);
    }
    let sizes = objects.borrow();
    let sizes = sizes.all.iter().map(|object| (!object.is_model).then_some(object.size)).collect();
    Ok(Flat::new(model, spots, sizes, &frame))
}

/// The values, by position, that all threads begin with.
fn constants(graphs: &[Graph<'_>], objects: &mut Objects) -> Result<Vec<Option<i32>>, Unfit> {
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

/// Where everything besides objects lies.
fn frame(graphs: &[Graph<'_>], layout: &Layout, constants: Vec<Option<i32>>) -> (Frame, u32) {
    let status_at = layout.globals;
    let count_at = status_at + graphs.len() as u32;
    let mut next = count_at + 1;
    let mut args_at = Vec::new();
    for graph in graphs {
        args_at.push(next);
        let varies = |at: &usize| constants.get(*at).copied().flatten().is_none();
        let n_varying = (0..graph.params.len()).filter(varies).count() as u32;
        next += if graph.thread == 0 { 0 } else { 4 * n_varying };
    }
    let vars_at = layout.locals.clone();
    (Frame { status_at, n_threads: graphs.len() as u32, count_at, args_at, constants, vars_at }, next)
}

impl Flat {
    fn new(model: Model, spots: Vec<HashMap<LocationId, Spot>>, sizes: Vec<Option<u32>>, frame: &Frame) -> Self {
        let by_location = |thread: usize| {
            let locations: &IdVec<LocationId, _> =
                &model.proctypes[automaton::ProctypeId(thread as u32)].automaton.locations;
            locations.ids().map(move |location| (thread, location)).collect::<Vec<_>>()
        };
        let (mut accesses, mut exits) = (Vec::new(), Vec::new());
        for thread in 0..spots.len() {
            let at = |(thread, location): (usize, LocationId)| spots[thread].get(&location);
            let next = |spot: Option<&Spot>| match spot {
                Some(Spot::At(reaching)) if !reaching.is_inside => reaching.next.clone(),
                _ => Vec::new(),
            };
            accesses.push(by_location(thread).into_iter().map(|key| next(at(key))).collect());
            exits.push(by_location(thread).into_iter().map(|key| matches!(at(key), Some(Spot::Exit(_)))).collect());
        }
        let positions = Positions::new(&model);
        let count_at = model.global_head() + frame.count_at as usize;
        Self { model, spots, accesses, exits, sizes, positions, count_at }
    }

    /// Whether two threads are about to touch the same memory, one of them to write it and not both atomically.
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

    /// Whether some thread is about to end the program: then nobody has to be able to go on.
    pub fn may_exit(&self, state: &[u8]) -> bool {
        let mut positions = self.positions.positions(state);
        positions.any(|position| self.exits[usize::from(position.proctype)][usize::from(position.location)])
    }

    /// The turns of an execution of the model, and what is wrong at its end.
    pub fn meaning(&self, moves: &[Moves], is_end: bool) -> Result<(Meaning, Vec<Turn>), String> {
        let machine = Machine::new(&self.model);
        let first = machine.initial().map_err(|fault| format!("{fault:?}"))?;
        let walk = Walk::new(&machine, &first, moves);
        walk.last().map_err(|impossible| impossible.to_string())?;
        // What goes wrong is looked for from the last state before it at which everybody may move.
        let is_harmless = |n_steps: usize| walk.taken[..n_steps].iter().all(|step| step.next.faults.is_empty());
        let last = walk.states.iter().rev().find(|(n_before, _)| is_harmless(*n_before));
        let (n_before, state) = last.ok_or("an execution without a first state")?;
        let mut turns = Vec::new();
        for step in &walk.taken[..*n_before] {
            turns.extend(step.next.moves.iter().map(|moved| self.turn(&machine, moved, &step.next.state)));
        }
        if is_end {
            return Ok((Meaning::Deadlock, turns));
        }
        let spot = |next: &Successor| {
            let process = next.moves[0].process;
            self.spots[usize::from(process)].get(&machine.positions(&next.state)[usize::from(process)].1).cloned()
        };
        let goes_wrong = |next: &Successor| !next.faults.is_empty() && spot(next) == Some(Spot::Violated);
        match self.way(&machine, state, &goes_wrong) {
            Ok(Some(to_there)) => {
                turns.extend(to_there);
                return Ok((Meaning::Violation, turns));
            }
            Ok(None) => {}
            Err(what) => return Ok((Meaning::Refused(what), turns)),
        }
        if self.has_race(state) {
            return Ok((Meaning::Race, turns));
        }
        let refused = std::cell::Cell::new("something that was not expected");
        let is_refused = |next: &Successor| {
            if let Some(Spot::Refused(what)) = spot(next) {
                refused.set(what);
            }
            !next.faults.is_empty()
        };
        turns.extend(self.way(&machine, state, &is_refused)?.unwrap_or_default());
        Ok((Meaning::Refused(refused.get().to_owned()), turns))
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
                step.next.moves.iter().map(|moved| self.turn(machine, moved, &step.next.state)).collect()
            };
            found = Ok(Some(met.taken().iter().flat_map(turns).collect()));
            Then::Stop
        });
        found
    }

    fn turn(&self, machine: &Machine<'_>, step: &Move, state: &[u8]) -> Turn {
        let thread = usize::from(step.process);
        let spots = &self.spots[thread];
        let chosen = match spots.get(&step.location) {
            Some(Spot::At(reaching)) => reaching.chosen.get(step.transition as usize).copied().flatten(),
            _ => None,
        };
        let to = match spots.get(&machine.positions(state)[thread].1) {
            Some(Spot::At(reaching) | Spot::Exit(reaching)) if !reaching.is_inside => Some(reaching.clone()),
            _ => None,
        };
        let is_first = spots.get(&step.location) == Some(&Spot::Start);
        Turn { thread, chosen, to, n_threads: usize::from(state[self.count_at]), is_first }
    }

    /// How many threads and bytes a state holds.
    pub fn summary(&self) -> String {
        let n_bytes: u32 =
            self.model.globals.size + self.model.proctypes.iter().map(|proctype| proctype.frame.size + 3).sum::<u32>();
        format!("{} threads, {n_bytes} bytes", self.spots.len())
    }
}
