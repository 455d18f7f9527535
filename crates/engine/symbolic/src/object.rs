//! Objects: cells at constant offsets over a ground that nothing has been written to yet.

use std::collections::BTreeMap;
use std::rc::Rc;

use unpick_program::{FuncId, GlobalId, SlotId};
use unpick_term::{Term, Terms};

use crate::content::{Content, Piece, join_runs};

/// Untouched ground is read in pieces of so many bytes.
const GROUND_BYTES: u64 = 8;

/// An object of one state.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// Bytes, as a term of 64 bits.
    pub(crate) size: Term,
    /// Its life is not over; on paths on which it was never made, this means nothing.
    pub(crate) live: Term,
    pub(crate) align: u64,
    pub(crate) is_read_only: bool,
    /// What lies where there is no cell.
    pub(crate) ground: Ground,
    cells: BTreeMap<u64, Piece>,
}

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectKind {
    Global(GlobalId),
    Slot(FuncId, SlotId),
    Alloca,
    Heap,
}

/// Contents that were there from the beginning.
#[derive(Clone, Debug)]
pub(crate) enum Ground {
    /// Anything: bytes are inputs once they are read.
    Unknown(Rc<str>),
    /// Nothing one may look at.
    Undefined,
    /// These bytes, then zeros.
    Bytes(Rc<[u8]>),
}

impl Object {
    pub(crate) fn new(kind: ObjectKind, size: Term, align: u64, ground: Ground) -> Object {
        Object { kind, size, live: Term::TRUE, align, is_read_only: false, ground, cells: BTreeMap::new() }
    }

    /// The life of the object is over on all paths: what it held does not matter.
    pub(crate) fn clear(&mut self) {
        self.cells = BTreeMap::new();
    }

    /// Cells in the order of their offsets.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (u64, &Piece)> {
        self.cells.iter().map(|(at, piece)| (*at, piece))
    }

    /// What a range holds.
    pub(crate) fn read(&self, terms: &mut Terms, from: u64, len: u64) -> Vec<Piece> {
        let end = from + len;
        let mut run = Vec::new();
        let mut at = from;
        let first = self.cells.range(..=from).next_back().filter(|(start, piece)| *start + piece.len > from);
        for (start, piece) in first.into_iter().chain(self.cells.range(from + 1..end.max(from + 1))) {
            self.read_ground(terms, at, *start, &mut run);
            let (low, high) = (from.max(*start), end.min(start + piece.len));
            piece.part(terms, low - start, high - low, &mut run);
            at = high;
        }
        self.read_ground(terms, at, end, &mut run);
        run
    }

    fn read_ground(&self, terms: &mut Terms, mut at: u64, end: u64, run: &mut Vec<Piece>) {
        while at < end {
            let stop = end.min((at / GROUND_BYTES + 1) * GROUND_BYTES);
            let len = stop - at;
            run.push(match &self.ground {
                Ground::Unknown(label) => Piece { len, content: Content::Fresh { label: label.clone() } },
                Ground::Undefined => Piece::undefined(terms, len),
                Ground::Bytes(bytes) => {
                    let byte = |at: u64| bytes.get(at as usize).copied().unwrap_or(0);
                    let bits = (at..stop).rev().fold(0, |bits, at| bits << 8 | u128::from(byte(at)));
                    Piece::number(terms, len, bits)
                }
            });
            at = stop;
        }
    }

    /// Puts pieces one after the other.
    pub(crate) fn write(&mut self, terms: &mut Terms, from: u64, run: Vec<Piece>) {
        let len: u64 = run.iter().map(|piece| piece.len).sum();
        let end = from + len;
        // A cell of the same extent is replaced, as nearly always.
        if let [piece] = &run[..]
            && let Some(known) = self.cells.get_mut(&from)
            && known.len == piece.len
        {
            *known = piece.clone();
            return;
        }
        let first = self.cells.range(..from).next_back().filter(|(start, piece)| *start + piece.len > from);
        let hit: Vec<u64> = first.into_iter().chain(self.cells.range(from..end)).map(|(start, _)| *start).collect();
        for start in hit {
            let piece = self.cells.remove(&start).expect("the cell was just seen");
            let piece_end = start + piece.len;
            if start < from {
                self.put_part(terms, &piece, start, (start, from));
            }
            if piece_end > end {
                self.put_part(terms, &piece, start, (end, piece_end));
            }
        }
        let mut at = from;
        for piece in run {
            let len = piece.len;
            self.cells.insert(at, piece);
            at += len;
        }
    }

    fn put_part(&mut self, terms: &mut Terms, piece: &Piece, start: u64, (from, to): (u64, u64)) {
        let mut parts = Vec::new();
        piece.part(terms, from - start, to - from, &mut parts);
        let mut at = from;
        for part in parts {
            let len = part.len;
            self.cells.insert(at, part);
            at += len;
        }
    }

    /// Puts pieces under a condition.
    pub(crate) fn write_if(&mut self, terms: &mut Terms, when: Term, from: u64, run: Vec<Piece>, pointer_bytes: u64) {
        if when == Term::FALSE {
            return;
        }
        if when == Term::TRUE {
            return self.write(terms, from, run);
        }
        let len = run.iter().map(|piece| piece.len).sum();
        let old = self.read(terms, from, len);
        let new = join_runs(terms, when, (run, old), pointer_bytes);
        self.write(terms, from, new);
    }

    /// One state of the object or the other.
    pub(crate) fn join(terms: &mut Terms, when: Term, left: &Object, right: &Object, pointer_bytes: u64) -> Object {
        let mut joined = left.clone();
        joined.live = terms.ite(when, left.live, right.live);
        if left.live == Term::FALSE && right.live == Term::FALSE {
            joined.clear();
            return joined;
        }
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let differs = |(at, piece): &(u64, &Piece), other: &Object| other.cells.get(at) != Some(*piece);
        for (one, other) in [(left, right), (right, left)] {
            ranges.extend(one.cells().filter(|cell| differs(cell, other)).map(|(at, piece)| (at, at + piece.len)));
        }
        ranges.sort_unstable();
        let mut clusters: Vec<(u64, u64)> = Vec::new();
        for (from, to) in ranges {
            match clusters.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                Some(_) | None => clusters.push((from, to)),
            }
        }
        for (from, to) in clusters {
            let runs = (left.read(terms, from, to - from), right.read(terms, from, to - from));
            let run = join_runs(terms, when, runs, pointer_bytes);
            joined.write(terms, from, run);
        }
        joined
    }
}
