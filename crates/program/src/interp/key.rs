//! Canonical bytes of a state.
//!
//! Objects are numbered in the order in which they are found from threads and globals, open inputs likewise, so
//! that neither the order of allocations nor forgotten inputs show. What no future can see is left out: dead
//! registers, lost heap objects (unless leaks count), where objects were made, decisions.
//!
//! A state is a list of components: threads, changed globals, dynamic objects. What a component says does not
//! depend on the rest of the state: the objects and inputs it mentions are left out of its bytes and listed behind
//! it. So the bytes of most components are known from the state before. A short key has numbers in place of the
//! bytes; a component remembers its number until it changes.
//!
//! Objects are walked over depth first: an object that lies on the way to many others is followed by them, so that
//! what is put in or taken out somewhere leaves the rest in its order. What one object adds to the key is its segment:
//! its component and what it mentions. An object that was found before is named by how many have been found since,
//! which stays the same when objects are put in before both; the first few, which many others tend to know, by their
//! numbers. Short keys of many objects are cut into pieces, and the walk is kept for the next one.

use std::cell::{Cell, RefCell};

use self::bytes::kind_tag;
use self::cut::Cutter;
use self::scratch::Found;
pub(crate) use self::scratch::KeyScratch;
use self::walk::Kept;
use super::Machine;
use super::object::{Object, ObjectKind};
use super::state::{State, Thread};
use super::value::{Lazy, Pointer, Value};
use crate::{GlobalId, Loc, ViolationKind};

mod bytes;
mod cut;
mod scratch;
mod walk;

/// Gives numbers to byte strings: equal ones for equal strings, different ones for different strings.
pub trait Numbering {
    /// Tells numberings apart; not 0.
    fn identity(&self) -> u32;
    /// The number of a string; `None` if there is no room for another.
    fn number(&self, bytes: &[u8]) -> Option<u32>;
}

/// There is no room for another component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

impl Machine<'_> {
    /// Appends canonical bytes: equal for two states only if they have the same future. Registers that are never
    /// read again, unreachable objects, object numbers and decisions do not count.
    pub fn key(&self, state: &State, out: &mut Vec<u8>) {
        let mut scratch = self.key_scratch.borrow_mut();
        let written = self.write_key(state, None, &mut scratch, out);
        written.expect("only a numbering should run out of room");
    }

    /// Appends a key that is short because a numbering knows its components: equal for two states exactly if their
    /// keys are. Gives the number of bytes that had to be written for it.
    pub fn short_key(&self, state: &State, numbering: &dyn Numbering, out: &mut Vec<u8>) -> Result<u64, NoRoom> {
        let mut scratch = self.key_scratch.borrow_mut();
        let before = scratch.n_written;
        self.write_key(state, Some(numbering), &mut scratch, out)?;
        Ok(scratch.n_written - before)
    }

    /// Short keys of at least so many objects are cut into pieces, and walks over at least so many are kept. Whether
    /// walks are kept never shows in a key. For tests, whose programs are small.
    pub fn set_key_limits(&self, cut_from: usize, keep_from: usize) {
        let mut scratch = self.key_scratch.borrow_mut();
        (scratch.walks.cut_from, scratch.walks.keep_from) = (cut_from, keep_from);
    }

    /// How many objects walks went over that were made out of others, and how many of them they looked at.
    #[cfg(test)]
    pub(super) fn n_walked(&self) -> (u64, u64) {
        self.key_scratch.borrow().walks.n_walked
    }

    fn write_key(
        &self,
        state: &State,
        numbering: Option<&dyn Numbering>,
        scratch: &mut KeyScratch,
        out: &mut Vec<u8>,
    ) -> Result<(), NoRoom> {
        let is_written = match numbering.and_then(|numbering| scratch.walks.take(numbering.identity())) {
            Some(mut kept) => {
                let start = out.len();
                scratch.begin(state);
                let done = Writer { machine: self, state, numbering, scratch, kept: Some(&mut kept), out }.again()?;
                match done {
                    Some(()) => scratch.walks.keep(kept),
                    None => {
                        out.truncate(start);
                        scratch.walks.give_up();
                    }
                }
                done.is_some()
            }
            None => false,
        };
        if !is_written {
            scratch.begin(state);
            Writer { machine: self, state, numbering, scratch, kept: None, out }.afresh()?;
        }
        if let Some(atomic) = &state.atomic {
            out.push(1);
            number(out, atomic.thread as u64);
            number(out, u64::from(atomic.depth));
            if let Some(start) = &atomic.start {
                self.write_key(start, numbering, scratch, out)?;
            }
        } else {
            out.push(0);
        }
        Ok(())
    }

    /// A cheap necessary condition for equal keys.
    pub fn shallow_eq(&self, a: &State, b: &State) -> bool {
        let place = |thread: &Thread| {
            let place = thread.frames.last().map(|frame| (frame.function, frame.block, frame.index));
            (thread.frames.len(), place, thread.is_ended)
        };
        a.threads.len() == b.threads.len()
            && a.threads.iter().zip(b.threads.iter()).all(|(a, b)| place(a) == place(b) && self.same_numbers(a, b))
            && a.memory.exposed.len() == b.memory.exposed.len()
    }

    /// Whether the live registers of the innermost activations, at the same place, do not differ in plain bits.
    fn same_numbers(&self, a: &Thread, b: &Thread) -> bool {
        let (Some(frame), Some(other)) = (a.frames.last(), b.frames.last()) else { return true };
        let live = self.liveness.at(self.program, frame.function, frame.block, frame.index as usize);
        let (a, b) = (&a.regs[frame.reg_base as usize..], &b.regs[other.reg_base as usize..]);
        live.iter().all(|reg| match (a.get(reg.0 as usize), b.get(reg.0 as usize)) {
            (Some(Value::Bits(a)), Some(Value::Bits(b))) => a == b,
            _ => true,
        })
    }
}

/// What a component was numbered as, and in which numbering. A copy has forgotten it, because copies are made to be
/// changed.
#[derive(Default, Debug)]
pub(crate) struct Memo(Cell<(u32, u32)>);

impl Memo {
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        self.0.get_mut().0 = 0;
    }

    fn get(&self, numbering: &dyn Numbering) -> Option<u32> {
        let (identity, number) = self.0.get();
        (identity == numbering.identity()).then_some(number)
    }
}

impl Clone for Memo {
    fn clone(&self) -> Memo {
        Memo::default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

/// Objects a component mentions; as forgetful as [`Memo`].
#[derive(Default, Debug)]
pub(crate) struct Mentions(RefCell<Vec<Pointer>>);

impl Clone for Mentions {
    fn clone(&self) -> Mentions {
        Mentions::default()
    }
}

struct Writer<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    numbering: Option<&'a dyn Numbering>,
    scratch: &'a mut KeyScratch,
    /// The walk that this one is made out of.
    kept: Option<&'a mut Kept>,
    out: &'a mut Vec<u8>,
}

/// Small numbers take one byte.
fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Writer<'_, '_> {
    /// Everything, whatever was written before.
    fn afresh(&mut self) -> Result<(), NoRoom> {
        self.roots()?;
        self.scratch.pending.reverse();
        self.scratch.ends.clear();
        let start = self.out.len();
        while let Some(pointer) = self.scratch.pending.pop() {
            let n_pending = self.scratch.pending.len();
            let object = self.state.memory.get(pointer).expect("only live objects are pending");
            self.object_component(object, Writer::object)?;
            self.scratch.pending[n_pending..].reverse();
            self.scratch.ends.push(self.out.len() - start);
        }
        if let Some(numbering) = self.numbering {
            self.scratch.walks.n_objects = self.scratch.ends.len();
            if self.scratch.ends.len() < self.scratch.walks.cut_from {
                self.out.insert(start, UNCUT);
            } else {
                self.scratch.segments.clear();
                self.scratch.segments.extend_from_slice(&self.out[start..]);
                self.out.truncate(start);
                let (segments, ends) = (&self.scratch.segments, &self.scratch.ends);
                let mut cutter = Cutter::new(numbering);
                let starts = std::iter::once(&0).chain(ends);
                cutter.whole(starts.zip(ends).map(|(start, end)| &segments[*start..*end]))?;
                self.pieces(&cutter.pieces);
            }
        }
        if self.machine.options.checks.contains(ViolationKind::Leak) {
            self.lost_objects();
        }
        Ok(())
    }

    /// The same, made out of the last walk; `None` if that costs more.
    fn again(&mut self) -> Result<Option<()>, NoRoom> {
        let (memory, n_globals) = (&self.state.memory, self.n_globals());
        if self.kept().begin(memory, n_globals).is_none() {
            return Ok(None);
        }
        self.roots()?;
        self.kept().roots_done();
        let start = self.out.len();
        while let Some(number) = self.kept().next() {
            let object = memory.get(memory.start_of(number)).expect("only live objects are pending");
            self.object_component(object, Writer::object)?;
            let (has_lazy, out) = (self.scratch.has_lazy, &self.out[start..]);
            let kept = self.kept.as_deref_mut().expect("this walk should be made out of another");
            if has_lazy {
                kept.unsettle();
            }
            if kept.segment(out).is_none() {
                return Ok(None);
            }
            self.out.truncate(start);
        }
        let looks_for_leaks = self.machine.options.checks.contains(ViolationKind::Leak);
        self.kept().finish(memory, looks_for_leaks);
        let kept = self.kept.as_deref_mut().expect("this walk should be made out of another");
        if kept.n_objects() < self.scratch.walks.cut_from {
            self.out.push(UNCUT);
            kept.bytes().for_each(|bytes| self.out.extend_from_slice(bytes));
        } else if let Some(numbering) = self.numbering {
            let mut pieces = Vec::new();
            kept.pieces(numbering, &mut pieces)?;
            self.pieces(&pieces);
        }
        if looks_for_leaks {
            let kept = self.kept.as_deref().expect("this walk should be made out of another");
            places(self.out, kept.lost());
        }
        Ok(Some(()))
    }

    fn kept(&mut self) -> &mut Kept {
        self.kept.as_deref_mut().expect("this walk should be made out of another")
    }

    fn pieces(&mut self, pieces: &[u32]) {
        number(self.out, pieces.len() as u64);
        for piece in pieces {
            number(self.out, u64::from(*piece));
        }
    }

    /// Threads and globals.
    fn roots(&mut self) -> Result<(), NoRoom> {
        let state = self.state;
        number(self.out, state.threads.len() as u64);
        for thread in state.threads.iter() {
            self.thread_component(thread)?;
        }
        self.globals()?;
        number(self.out, state.memory.exposed.len() as u64);
        for (base, object) in &state.memory.exposed {
            number(self.out, *base);
            // All of these live: globals have their places, the others are found here if nowhere else.
            number(self.out, u64::from(*object <= self.n_globals()));
            match *object <= self.n_globals() {
                true => number(self.out, u64::from(*object)),
                false => self.mention(state.memory.start_of(*object)),
            }
        }
        Ok(())
    }

    fn n_globals(&self) -> u32 {
        self.machine.program.globals.len() as u32
    }

    // ---- components ----

    fn thread_component(&mut self, thread: &Thread) -> Result<(), NoRoom> {
        if let Some(numbering) = self.numbering
            && let Some(known) = thread.memo.get(numbering)
        {
            number(self.out, u64::from(known));
            for pointer in thread.mentions.0.borrow().iter() {
                self.mention(*pointer);
            }
            return Ok(());
        }
        self.begin_component();
        self.thread(thread);
        if let Some(identified) = self.end_component()? {
            thread.memo.0.set(identified);
            let mut mentions = thread.mentions.0.borrow_mut();
            mentions.clear();
            mentions.extend_from_slice(&self.scratch.mentions);
        }
        Ok(())
    }

    fn object_component(&mut self, object: &Object, write: fn(&mut Self, &Object)) -> Result<(), NoRoom> {
        if let Some(numbering) = self.numbering
            && let Some(known) = object.memo.get(numbering)
        {
            self.scratch.has_lazy = false;
            number(self.out, u64::from(known));
            let values = object.cells.iter().map(|cell| cell.value);
            for value in values {
                if let Value::Ptr(pointer) | Value::Fragment { pointer, .. } = value
                    && self.is_dynamic(pointer)
                {
                    self.mention(pointer);
                }
            }
            return Ok(());
        }
        self.begin_component();
        write(self, object);
        if let Some(identified) = self.end_component()? {
            object.memo.0.set(identified);
        }
        Ok(())
    }

    fn begin_component(&mut self) {
        self.scratch.bytes.clear();
        self.scratch.mentions.clear();
        self.scratch.lazies.clear();
        self.scratch.has_lazy = false;
    }

    /// Puts the component at hand into the key. What to remember, if it will be the same in other states.
    fn end_component(&mut self) -> Result<Option<(u32, u32)>, NoRoom> {
        let known = self.put_bytes()?;
        for at in 0..self.scratch.mentions.len() {
            self.mention(self.scratch.mentions[at]);
        }
        let is_settled = !self.scratch.has_lazy;
        for at in 0..self.scratch.lazies.len() {
            self.input(self.scratch.lazies[at])?;
        }
        // Inputs are narrowed without the values that name them being touched.
        Ok(known.filter(|_| is_settled))
    }

    /// The bytes at hand, or their number.
    fn put_bytes(&mut self) -> Result<Option<(u32, u32)>, NoRoom> {
        let bytes = &self.scratch.bytes;
        self.scratch.n_written += bytes.len() as u64;
        let Some(numbering) = self.numbering else {
            self.out.extend_from_slice(bytes);
            return Ok(None);
        };
        let known = numbering.number(bytes).ok_or(NoRoom)?;
        number(self.out, u64::from(known));
        Ok(Some((numbering.identity(), known)))
    }

    /// A dynamic object that a component mentions. Those found here for the first time have the next number, so that
    /// it need not be written: only whether they live, and else what they were.
    fn mention(&mut self, pointer: Pointer) {
        let memory = &self.state.memory;
        let Self { kept, scratch, .. } = self;
        let found = match kept {
            None => scratch.discover(pointer),
            Some(kept) if memory.start_of(pointer.object).generation == pointer.generation => {
                kept.mention(pointer.object, memory.get(pointer).is_some())
            }
            Some(kept) => kept.mention_stale(scratch, pointer),
        };
        if !found.is_fresh {
            number(self.out, found.code());
        } else if memory.get(pointer).is_some() {
            self.out.push(0);
            if self.kept.is_none() {
                self.scratch.pending.push(pointer.at(0));
            }
        } else {
            let kind = memory.tombstone(pointer).map(|tombstone| kind_tag(tombstone.kind));
            self.out.push(kind.unwrap_or(NO_KIND));
        }
    }

    /// An open input that a component mentions: its domain, if for the first time, else how many have been found since.
    fn input(&mut self, lazy: Lazy) -> Result<(), NoRoom> {
        let n_found = self.scratch.n_inputs;
        let at = &mut self.scratch.inputs[lazy.input() as usize];
        if at.0 == self.scratch.key {
            number(self.out, u64::from(n_found - at.1));
            return Ok(());
        }
        *at = (self.scratch.key, n_found);
        self.scratch.n_inputs += 1;
        self.out.push(0);
        self.scratch.bytes.clear();
        self.state.domain_of(lazy).encode(&mut self.scratch.bytes);
        self.put_bytes()?;
        Ok(())
    }

    /// Changed globals, each behind its distance from the one before. Read-only ones never change.
    fn globals(&mut self) -> Result<(), NoRoom> {
        let (state, machine) = (self.state, self.machine);
        let mut last = 0;
        for (at, now, then) in state.memory.differing(&machine.initial.memory, self.n_globals()) {
            let global = &machine.program.globals[GlobalId(at - 1)];
            let is_known = self.numbering.is_some_and(|numbering| now.memo.get(numbering).is_some());
            if global.is_read_only || global.is_thread_local || (!is_known && now.has_contents_of(then)) {
                continue;
            }
            number(self.out, u64::from(at - last));
            last = at;
            self.object_component(now, Writer::contents)?;
        }
        self.out.push(0);
        Ok(())
    }

    // ---- leaks ----

    /// Where heap objects were made that nothing points to: each is a leak to come.
    fn lost_objects(&mut self) {
        let lost = self.state.memory.iter().filter(|(pointer, object)| {
            matches!(object.kind, ObjectKind::Heap(_)) && !self.scratch.is_discovered(*pointer)
        });
        let mut lost: Vec<Loc> = lost.map(|(_, object)| object.loc).collect();
        lost.sort_unstable();
        lost.dedup();
        places(self.out, lost.iter());
    }
}

/// Places in the source, ascending.
fn places<'l>(out: &mut Vec<u8>, places: impl ExactSizeIterator<Item = &'l Loc>) {
    number(out, places.len() as u64);
    for loc in places {
        for part in [loc.file.0, loc.line, loc.column] {
            number(out, u64::from(part));
        }
    }
}

impl Found {
    /// What stands for an object that was found before.
    fn code(&self) -> u64 {
        FIRST_KNOWN
            + match self.number < LOW {
                true => 2 * u64::from(self.number),
                false => 2 * u64::from(self.n_found - self.number) + 1,
            }
    }
}

/// What nothing is known of any more.
const NO_KIND: u8 = 6;
/// Smaller numbers tell what an object is that is mentioned for the first time.
const FIRST_KNOWN: u64 = 7;
/// In place of the number of pieces: the segments follow as they are.
const UNCUT: u8 = 0;
/// Objects with smaller numbers are named by them when they are mentioned again, others by their distance.
const LOW: u32 = 32;
