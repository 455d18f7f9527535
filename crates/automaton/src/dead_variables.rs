//! Dead-variable analysis and reset (Bozga, Fernandez and Ghirvu 1999): variables of a process that are overwritten
//! before they are read again, and global variables that are never read.
//!
//! Two states that differ only in dead variables have the same future, so a search may set these to zero and store
//! fewer states. A variable is live at a location if some path from there reads it before it writes all of it (the
//! usual backward analysis, by bytes, over all transitions of a location, enabled or not). Variables that others can
//! read from outside, through remote references, are always live.

use std::ops::Range;

use unpick_base::id::Id as _;

use super::layout::{Layout, Position};
use super::{Expr, Match, Model, Place, ProctypeId, Receive, Scope, Step, Transition};

/// Larger frames are left alone.
const MAX_FRAME: u32 = 1 << 12;

/// What is dead, by process type and location; see the module.
pub struct DeadVariables {
    /// Where the locations of each process type begin.
    first_slots: Vec<usize>,
    /// Of each location, which stretches are its own.
    slots: Vec<Range<u32>>,
    dead_bytes: Vec<DeadBytes>,
    /// Bytes of a state.
    globals: Vec<(usize, usize)>,
    layout: Layout,
}

/// One, two, four or eight dead bytes of a frame.
#[derive(Clone, Copy)]
struct DeadBytes {
    /// Counted from the first variable of the frame.
    at: u32,
    len: u32,
}

impl DeadBytes {
    /// Without a watcher of old values, only writes, a word at a time: reading what was copied a moment ago in other
    /// pieces would take longer.
    #[inline(always)]
    fn forget(self, state: &mut [u8], first: usize, forgotten: &mut impl FnMut(usize, &[u8])) {
        #[inline(always)]
        fn zero<const N: usize>(state: &mut [u8], at: usize, forgotten: &mut impl FnMut(usize, &[u8])) {
            let bytes = &mut state[at..][..N];
            forgotten(at, bytes);
            bytes.copy_from_slice(&[0; N]);
        }
        let at = first + self.at as usize;
        match self.len {
            1 => zero::<1>(state, at, forgotten),
            2 => zero::<2>(state, at, forgotten),
            4 => zero::<4>(state, at, forgotten),
            _ => zero::<8>(state, at, forgotten),
        }
    }
}

/// A set of bytes.
#[derive(Clone, PartialEq, Eq)]
struct Bytes(Vec<bool>);

impl Bytes {
    fn none(len: u32) -> Self {
        Self(vec![false; len as usize])
    }

    fn set(&mut self, (from, to): (u32, u32), value: bool) {
        let len = self.0.len();
        self.0[(from as usize).min(len)..(to as usize).min(len)].fill(value);
    }

    fn add(&mut self, other: &Bytes) {
        self.0.iter_mut().zip(&other.0).for_each(|(one, other)| *one |= other);
    }

    /// The stretches of bytes that are not in the set.
    fn gaps(&self) -> Vec<(usize, usize)> {
        let mut gaps: Vec<(usize, usize)> = Vec::new();
        for (at, _) in self.0.iter().enumerate().filter(|(_, is_in)| !**is_in) {
            match gaps.last_mut() {
                Some((_, end)) if *end == at => *end += 1,
                _ => gaps.push((at, at + 1)),
            }
        }
        gaps
    }
}

impl DeadVariables {
    /// Looks through a model; `None` if it holds C text, which may look at anything, or nothing ever dies.
    pub fn new(model: &Model) -> Option<Self> {
        if model.has_code {
            return None;
        }
        let mut read = Bytes::none(model.globals.size);
        let mut watched: Vec<Bytes> = model.proctypes.iter().map(|p| Bytes::none(p.frame.size)).collect();
        model.clone().visit_mut(&mut |expr| match expr {
            Expr::Load(place) if place.scope == Scope::Global => read.set(place.extent(), true),
            Expr::RemoteVar(proctype, _, place) => watched[proctype.index()].set(place.extent(), true),
            _ => {}
        });
        let globals_at = model.hidden_size as usize + model.global_head();
        let (mut first_slots, mut slots, mut dead_bytes) = (Vec::new(), Vec::new(), Vec::new());
        for (id, _) in model.proctypes.iter_enumerated() {
            first_slots.push(slots.len());
            for bytes in alive(model, id, &watched[id.index()]) {
                let first = dead_bytes.len() as u32;
                bytes.gaps().into_iter().for_each(|gap| cut(gap, &mut dead_bytes));
                slots.push(first..dead_bytes.len() as u32);
            }
        }
        let dead = Self {
            first_slots,
            slots,
            dead_bytes,
            globals: read.gaps().into_iter().map(|(from, to)| (globals_at + from, globals_at + to)).collect(),
            layout: Layout::new(model),
        };
        let is_any = !dead.globals.is_empty() || !dead.dead_bytes.is_empty();
        is_any.then_some(dead)
    }

    /// Resets dead variables to zero, in a state at which all processes may move.
    pub fn forget(&self, state: &mut [u8]) {
        self.forget_telling(state, &mut |_, _| {});
    }

    /// The same, and tells what was where, zeros or not, before it is reset.
    #[inline]
    pub fn forget_telling(&self, state: &mut [u8], forgotten: &mut impl FnMut(usize, &[u8])) {
        self.forget_globals(state, forgotten);
        let mut next = self.layout.first_position(state);
        while let Some(process) = next {
            self.forget_of(state, process, forgotten);
            next = self.layout.next_position(state, process);
        }
    }

    /// The same after a step of the process that lies at a place, if nothing was left to forget before.
    #[inline]
    pub fn forget_after(&self, state: &mut [u8], at: usize) {
        self.forget_after_telling(state, at, &mut |_, _| {});
    }

    /// The same, and tells what was where, zeros or not, before it is reset.
    #[inline]
    pub fn forget_after_telling(&self, state: &mut [u8], at: usize, forgotten: &mut impl FnMut(usize, &[u8])) {
        self.forget_globals(state, forgotten);
        self.forget_of(state, self.layout.at(state, at), forgotten);
    }

    #[inline]
    fn forget_globals(&self, state: &mut [u8], forgotten: &mut impl FnMut(usize, &[u8])) {
        for (from, to) in &self.globals {
            forgotten(*from, &state[*from..*to]);
            state[*from..*to].fill(0);
        }
    }

    #[inline]
    fn forget_of(&self, state: &mut [u8], process: Position, forgotten: &mut impl FnMut(usize, &[u8])) {
        let first = process.at + self.layout.head;
        let slot = self.first_slots[usize::from(process.proctype)] + usize::from(process.location);
        let own = &self.slots[slot];
        for dead in &self.dead_bytes[own.start as usize..own.end as usize] {
            dead.forget(state, first, forgotten);
        }
    }
}

/// Cuts bytes into stretches.
fn cut((mut from, to): (usize, usize), dead_bytes: &mut Vec<DeadBytes>) {
    while from < to {
        let len = 1 << (to - from).ilog2().min(3);
        dead_bytes.push(DeadBytes { at: from as u32, len });
        from += len as usize;
    }
}

/// The bytes of the frame that are alive at each location.
fn alive(model: &Model, id: ProctypeId, watched: &Bytes) -> Vec<Bytes> {
    let proctype = &model.proctypes[id];
    let automaton = &proctype.automaton;
    let mut always = watched.clone();
    if let Some(provided) = &proctype.provided {
        reads(provided, &mut always);
    }
    if proctype.frame.size > MAX_FRAME {
        always.set((0, proctype.frame.size), true);
    }
    let mut alive = vec![always; automaton.locations.len()];
    let mut is_changing = true;
    while is_changing {
        is_changing = false;
        for (at, location) in automaton.locations.iter_enumerated() {
            for transition in &location.transitions {
                let before = before(transition, &alive);
                let known = &mut alive[at.index()];
                let mut next = known.clone();
                next.add(&before);
                is_changing |= next != *known;
                *known = next;
            }
        }
    }
    alive
}

/// What is alive before a transition.
fn before(transition: &Transition, alive: &[Bytes]) -> Bytes {
    let none = || Bytes(vec![false; alive[0].0.len()]);
    // What comes behind a `d_step` comes behind its last step.
    let next = match transition.step {
        Step::DStep(start) => Some(start),
        _ => transition.target,
    };
    let mut bytes = next.map_or_else(none, |next| alive[next.index()].clone());
    match &transition.step {
        Step::Skip | Step::Else | Step::Code(_) | Step::DStep(_) | Step::End => {}
        Step::Condition(expr) | Step::Assert(expr) | Step::Printm(expr, _) => reads(expr, &mut bytes),
        Step::Assign(place, expr) => {
            writes(place, &mut bytes);
            place_reads(place, &mut bytes);
            reads(expr, &mut bytes);
        }
        Step::Send { channel, args, .. } => {
            reads(channel, &mut bytes);
            args.iter().for_each(|arg| reads(arg, &mut bytes));
        }
        Step::Receive(receive) => receives(receive, &mut bytes),
        Step::Printf(_, args) => args.iter().for_each(|arg| reads(arg, &mut bytes)),
        Step::SetPriority(pid, priority) => {
            reads(pid, &mut bytes);
            reads(priority, &mut bytes);
        }
    }
    bytes
}

fn receives(receive: &Receive, bytes: &mut Bytes) {
    for arg in &receive.args {
        if let Match::Store(place) = arg {
            writes(place, bytes);
        }
    }
    reads(&receive.channel, bytes);
    for arg in &receive.args {
        match arg {
            Match::Store(place) => place_reads(place, bytes),
            Match::Equal(expr) => reads(expr, bytes),
        }
    }
}

/// What is written for sure is dead before.
fn writes(place: &Place, bytes: &mut Bytes) {
    let is_certain = place.indices.iter().all(|index| matches!(index.expr, Expr::Const(_)));
    if place.scope == Scope::Local && is_certain {
        bytes.set(place.extent(), false);
    }
}

fn place_reads(place: &Place, bytes: &mut Bytes) {
    place.indices.iter().for_each(|index| reads(&index.expr, bytes));
}

fn reads(expr: &Expr, bytes: &mut Bytes) {
    expr.visit(&mut |expr| {
        if let Expr::Load(place) = expr
            && place.scope == Scope::Local
        {
            bytes.set(place.extent(), true);
        }
    });
}
