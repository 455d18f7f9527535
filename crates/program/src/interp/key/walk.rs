//! The last walk over the memory, kept and edited where the memory differs: the cost of a key is that of what has
//! changed, not that of all there is.
//!
//! A walk takes objects from a stack: it writes the segment of the topmost one, numbers what that mentions for the
//! first time, and puts it on the stack. The kept walk is a row of *runs*, each a few dozen objects taken one after the
//! other. A run does the same again, and is taken over as a whole, if
//!
//! - what it takes from the stack lies on the stack in the same order, and none of its objects has changed (objects
//!   are shared between states, so that a pointer tells);
//! - of what it mentions exactly the same has been found before. The kept walk is followed alongside, and
//!   `odd` holds what only one of the two has found up to here;
//! - the distances in it are the same: what it mentions again was found as many steps ago as in the kept walk, or is
//!   among the first few, which are named by their numbers;
//! - the cutter stands as it stood (see [`super::cut`]), and no input is mentioned, whose domain changes in silence.
//!
//! So the result is that of a fresh walk, object by object; `interp/tests/keys.rs` compares them. If too much has
//! changed, a fresh walk is cheaper, and the kept one is thrown away.

use std::collections::BTreeMap;

use self::lost::{heap_place, take_one};
use self::progress::{Progress, low_bits};
use self::run::{Run, Slot};
use super::cut::{Cutter, Window};
use super::scratch::{Found, KeyScratch};
use super::{LOW, NoRoom, Numbering};
use crate::Loc;
use crate::interp::memory::{Memory, Past};
use crate::interp::value::Pointer;

mod lost;
mod progress;
mod run;

/// Objects in a run at most.
const MAX_RUN: usize = 128;
/// Runs shorter than this are joined with what follows.
const MIN_RUN: usize = 32;
/// So many odd objects are looked for in the targets of a run; with more, objects are taken one by one.
const MAX_ODD: usize = 64;
/// Objects that may be taken one by one in any case.
const FREE_WORK: usize = 256;

/// No run, or what threads and globals mention.
const NO_RUN: Slot = u32::MAX;
const ROOTS: Slot = u32::MAX - 1;
/// Takes a number in the order of discovery, and is nothing one could find again.
const STALE: u32 = u32::MAX;

/// A walk and the memory it went over.
pub(super) struct Kept {
    /// Numbers of segments and pieces are those of this numbering.
    pub numbering: u32,
    memory: Past,
    /// Objects by number.
    nodes: Vec<Node>,
    runs: Vec<Run>,
    unused: Vec<Slot>,
    order: Vec<Slot>,
    /// What threads and globals mention, in order.
    roots: Vec<u32>,
    /// Where heap objects were made that were not found, and how many.
    lost: BTreeMap<Loc, u32>,
    n_objects: usize,
    n_made: u64,
    /// Counts walks.
    walk: u32,
    now: Progress,
}

#[derive(Clone, Copy)]
struct Node {
    /// Where it was found in the kept walk, and as which of those found there.
    run: Slot,
    rank: u32,
    /// The run that takes it from the stack.
    owner: Slot,
    /// It was found by itself in this walk, with this number.
    found_in: u32,
    number: u32,
    /// It is another than in the kept walk.
    changed_in: u32,
    /// Where it is among the odd ones; [`EVEN`] if it is not.
    odd_at: u32,
}

const EVEN: u32 = u32::MAX;
const UNKNOWN: Node = Node { run: NO_RUN, rank: 0, owner: NO_RUN, found_in: 0, number: 0, changed_in: 0, odd_at: EVEN };

impl Kept {
    pub(super) fn new(numbering: u32) -> Self {
        Self {
            numbering,
            memory: Past::default(),
            nodes: Vec::new(),
            runs: Vec::new(),
            unused: Vec::new(),
            order: Vec::new(),
            roots: Vec::new(),
            lost: BTreeMap::new(),
            n_objects: 0,
            n_made: 0,
            walk: 0,
            now: Progress::new(),
        }
    }

    /// Places of heap objects that the last walk did not find, ascending.
    pub(super) fn lost(&self) -> impl ExactSizeIterator<Item = &Loc> {
        self.lost.keys()
    }

    /// How many objects the last walk wrote.
    pub(super) fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// How many objects the last walk looked at, if it was made out of another.
    #[cfg(test)]
    pub(super) fn n_looked_at(&self) -> Option<u64> {
        let sizes = self.order.iter().map(|slot| &self.runs[*slot as usize]);
        let n = sizes.filter(|run| run.kept_in != self.walk).map(|run| run.segments.len() as u64).sum();
        (!self.now.is_first).then_some(n)
    }

    /// Begins a walk over a memory, dynamic objects behind a number. `None` if too much has changed.
    pub(super) fn begin(&mut self, memory: &Memory, n_globals: u32) -> Option<()> {
        let is_first = self.walk == 0;
        let allowed = if is_first { usize::MAX } else { self.n_objects / 8 + FREE_WORK };
        self.walk = self.walk.checked_add(1)?;
        for number in &self.now.odd {
            self.nodes[*number as usize].odd_at = EVEN;
        }
        self.now = Progress { is_first, allowed, ..Progress::new() };
        if self.nodes.len() < memory.n_numbers() {
            self.nodes.resize(memory.n_numbers(), UNKNOWN);
        }
        let Self { memory: past, nodes, runs, lost, now, walk, .. } = self;
        past.catch_up(memory, |number, before, after| {
            if is_first || number <= n_globals {
                return;
            }
            let node = &mut nodes[number as usize];
            node.changed_in = *walk;
            now.changed.push(number);
            if let Some(run) = runs.get_mut(node.owner as usize) {
                run.is_changed = true;
            }
            if node.run != NO_RUN && !before.is_alike(&after) {
                now.reborn.push(number);
            }
            if node.run == NO_RUN
                && let Some(loc) = heap_place(before.object)
            {
                take_one(lost, loc);
            }
        });
        (self.now.changed.len() <= self.now.allowed / 2).then_some(())
    }

    /// An object is mentioned.
    pub(super) fn mention(&mut self, number: u32, is_live: bool) -> Found {
        let n_found = self.now.n_found;
        if self.nodes.len() <= number as usize {
            self.nodes.resize(number as usize + 1, UNKNOWN);
        }
        let node = self.nodes[number as usize];
        let known = if node.found_in == self.walk {
            Some(node.number)
        } else {
            self.runs.get(node.run as usize).filter(|run| run.kept_in == self.walk).map(|run| run.new_first + node.rank)
        };
        self.now.open.targets.push(number);
        if let Some(known) = known {
            match known < LOW {
                true => self.now.open.low |= 1 << known,
                false => self.now.open.reach = self.now.open.reach.min(known),
            }
            return Found { number: known, n_found, is_fresh: false };
        }
        let old = match node.run {
            NO_RUN => None,
            ROOTS => Some(node.rank),
            run => Some(self.runs[run as usize].first + node.rank),
        };
        let node = &mut self.nodes[number as usize];
        (node.found_in, node.number) = (self.walk, n_found);
        if is_live {
            self.now.stack.push(number);
        } else {
            node.owner = NO_RUN;
        }
        self.now.count(old, 1);
        self.found_by_one(number);
        self.now.open.found.push(number);
        Found { number: n_found, n_found, is_fresh: true }
    }

    /// An object is mentioned whose number another has taken since.
    pub(super) fn mention_stale(&mut self, scratch: &mut KeyScratch, pointer: Pointer) -> Found {
        let n_found = self.now.n_found;
        let found = scratch.discover_other(pointer, n_found);
        if found.is_fresh {
            self.now.open.found.push(STALE);
            self.now.count(None, 1);
        }
        self.now.open.is_unsettled = true;
        found
    }

    /// The object at hand cannot be taken over unseen: others decide what it says.
    pub(super) fn unsettle(&mut self) {
        self.now.open.is_unsettled = true;
    }

    /// All that threads and globals mention has been mentioned.
    pub(super) fn roots_done(&mut self) {
        self.now.roots = std::mem::take(&mut self.now.open.found);
        self.now.stack.reverse();
        for at in 0..self.roots.len() {
            self.found_by_one(self.roots[at]);
        }
        self.now.begin_run(Window::default());
    }

    /// Takes objects over as long as possible; the next one that has to be looked at.
    pub(super) fn next(&mut self) -> Option<u32> {
        loop {
            let top = *self.now.stack.last()?;
            let slot = self.nodes[top as usize].owner;
            if slot == NO_RUN || !self.takes_over(slot, top) {
                self.take(top);
                return Some(top);
            }
        }
    }

    fn take(&mut self, top: u32) {
        let now = &mut self.now;
        if now.stack.len() == now.floor {
            now.floor -= 1;
            now.open.taken.push(top);
        }
        now.stack.pop();
        now.owners.push(top);
        now.mentions_from = now.stack.len();
        now.work += 1;
    }

    /// The object that was taken says this. `None` if a fresh walk is cheaper.
    pub(super) fn segment(&mut self, segment: &[u8]) -> Option<()> {
        let now = &mut self.now;
        now.stack[now.mentions_from..].reverse();
        if now.open.segments.push(segment) || now.open.segments.len() == MAX_RUN {
            self.close();
        }
        (self.now.work <= self.now.allowed).then_some(())
    }

    /// One of the two walks has found an object.
    fn found_by_one(&mut self, number: u32) {
        if self.now.is_first || number == STALE {
            return;
        }
        let (nodes, odd) = (&mut self.nodes, &mut self.now.odd);
        let at = std::mem::replace(&mut nodes[number as usize].odd_at, EVEN);
        if at == EVEN {
            nodes[number as usize].odd_at = odd.len() as u32;
            odd.push(number);
            return;
        }
        odd.swap_remove(at as usize);
        if let Some(moved) = odd.get(at as usize) {
            nodes[*moved as usize].odd_at = at;
        }
    }

    /// The run at hand is finished.
    fn close(&mut self) {
        let now = &mut self.now;
        if now.open.segments.len() == 0 {
            return;
        }
        let behind = now.open.segments.behind_them();
        let mut run = std::mem::replace(&mut now.open, Run::new(now.n_found, behind));
        run.left = now.stack[now.floor..].to_vec();
        now.floor = now.stack.len();
        run.targets.sort_unstable();
        run.targets.dedup();
        self.n_made += 1;
        run.identity = self.n_made;
        let slot = match self.unused.pop() {
            Some(slot) => {
                self.runs[slot as usize] = run;
                slot
            }
            None => {
                self.runs.push(run);
                self.runs.len() as Slot - 1
            }
        };
        self.now.order.push(slot);
        self.now.made.push((slot, std::mem::take(&mut self.now.owners)));
    }

    /// Takes over a run of the kept walk, if it does the same again.
    fn takes_over(&mut self, slot: Slot, top: u32) -> bool {
        let run = &self.runs[slot as usize];
        let n_open = self.now.open.segments.len();
        if run.is_changed
            || run.is_unsettled
            || run.taken.first() != Some(&top)
            || (run.position as usize) < self.now.n_behind
            || run.segments.before() != self.now.open.segments.behind_them()
            // Short runs grow together, or there would be more and more of them.
            || (n_open > 0 && n_open < MIN_RUN && run.segments.len() < MAX_RUN / 2)
            || !self.now.stack.iter().rev().take(run.taken.len()).eq(&run.taken)
        {
            return false;
        }
        self.leave_behind(run.position as usize);
        if !self.is_same(slot) {
            return false;
        }
        self.close();
        let run = &mut self.runs[slot as usize];
        (run.kept_in, run.new_first) = (self.walk, self.now.n_found);
        let now = &mut self.now;
        now.stack.truncate(now.stack.len() - run.taken.len());
        now.stack.extend_from_slice(&run.left);
        now.n_behind += 1;
        now.order.push(slot);
        now.count(Some(run.first), run.found.len() as u32);
        now.begin_run(run.segments.behind_them());
        true
    }

    /// The kept walk is followed up to this run.
    fn leave_behind(&mut self, position: usize) {
        while self.now.n_behind < position {
            let slot = self.order[self.now.n_behind];
            self.now.n_behind += 1;
            self.now.dropped.push(slot);
            let found = std::mem::take(&mut self.runs[slot as usize].found);
            self.now.work += found.len() / 8;
            found.into_iter().for_each(|number| self.found_by_one(number));
        }
    }

    /// Whether what a run mentions has been found, and where it was.
    fn is_same(&self, slot: Slot) -> bool {
        let (run, now) = (&self.runs[slot as usize], &self.now);
        if now.odd.len() + now.reborn.len() > MAX_ODD {
            return false;
        }
        if now.odd.iter().chain(&now.reborn).any(|number| run.mentions(*number)) {
            return false;
        }
        let shift = i64::from(now.n_found) - i64::from(run.first);
        let found_before = low_bits(run.first);
        let are_low_same = run.low & found_before & !now.same_low == 0 && (run.low & !found_before == 0 || shift == 0);
        let reach = i64::from(run.reach) + shift;
        let are_near = run.reach == u32::MAX
            || (reach >= i64::from(LOW)
                && (run.reach >= run.first || (shift == now.shift && reach >= i64::from(now.aligned_from))));
        are_low_same && are_near
    }

    /// The walk is over; it is the one that is kept from now on.
    pub(super) fn finish(&mut self, memory: &Memory, looks_for_leaks: bool) {
        self.close();
        self.leave_behind(self.order.len());
        if looks_for_leaks {
            self.count_lost(memory);
        }
        for number in &self.now.odd {
            let node = &mut self.nodes[*number as usize];
            if node.found_in != self.walk {
                (node.run, node.owner) = (NO_RUN, NO_RUN);
            }
        }
        self.remember();
        for (position, slot) in self.order.iter().enumerate() {
            let run = &mut self.runs[*slot as usize];
            run.position = position as u32;
            if run.kept_in == self.walk {
                // What is named by its distance has moved as far.
                if run.reach != u32::MAX {
                    run.reach = run.reach + run.new_first - run.first;
                }
                run.first = run.new_first;
            }
        }
        self.n_objects = self.order.iter().map(|slot| self.runs[*slot as usize].segments.len()).sum();
    }

    /// Which object is found and taken where.
    fn remember(&mut self) {
        for slot in std::mem::take(&mut self.now.dropped) {
            self.runs[slot as usize] = Run::new(0, Window::default());
            self.unused.push(slot);
        }
        self.roots = std::mem::take(&mut self.now.roots);
        self.order = std::mem::take(&mut self.now.order);
        let made = std::mem::take(&mut self.now.made);
        let founds = made.iter().map(|(slot, _)| (*slot, &self.runs[*slot as usize].found));
        for (slot, found) in founds.chain([(ROOTS, &self.roots)]) {
            for (rank, number) in found.iter().enumerate().filter(|(_, number)| **number != STALE) {
                let node = &mut self.nodes[*number as usize];
                (node.run, node.rank) = (slot, rank as u32);
            }
        }
        for (slot, owners) in &made {
            for number in owners {
                self.nodes[*number as usize].owner = *slot;
            }
        }
    }

    /// The segments one after the other.
    pub(super) fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.order.iter().map(|slot| self.runs[*slot as usize].segments.bytes())
    }

    /// The pieces of the last walk.
    pub(super) fn pieces(&mut self, numbering: &dyn Numbering, pieces: &mut Vec<u32>) -> Result<(), NoRoom> {
        let is_end = |slot: &Slot| self.runs[*slot as usize].segments.is_cut;
        let ends: Vec<usize> = (0..self.order.len()).filter(|at| is_end(&self.order[*at])).collect();
        let mut from = 0;
        for to in ends.into_iter().map(|end| end + 1).chain([self.order.len()]) {
            if from < to {
                self.pieces_between(from, to, numbering, pieces)?;
            }
            from = to;
        }
        Ok(())
    }

    /// The pieces of runs between two cuts.
    fn pieces_between(
        &mut self,
        from: usize,
        to: usize,
        numbering: &dyn Numbering,
        pieces: &mut Vec<u32>,
    ) -> Result<(), NoRoom> {
        let (order, runs) = (&self.order[from..to], &mut self.runs);
        let identities = || order.iter().map(|slot| runs[*slot as usize].identity);
        if let Some((known, numbers)) = &runs[order[0] as usize].pieces
            && identities().eq(known.iter().copied())
        {
            pieces.extend_from_slice(numbers);
            return Ok(());
        }
        let known = identities().collect();
        let mut cutter = Cutter::new(numbering);
        for slot in order {
            cutter.segments(&runs[*slot as usize].segments)?;
        }
        cutter.cut()?;
        pieces.extend_from_slice(&cutter.pieces);
        runs[order[0] as usize].pieces = Some((known, cutter.pieces));
        Ok(())
    }
}
