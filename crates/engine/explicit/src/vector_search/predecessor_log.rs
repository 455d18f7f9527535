//! Predecessor log: four bytes for each state name its predecessor and the position among that state's successors.
//!
//! A worker takes chunks of states and finds new ones; it notes the chunk once, and for each new state the position
//! of its predecessor in the chunk, the process that moved, and which of this process's successors it is. That is
//! enough to make the state again, so no store has to give states back.

use std::io::{self, Read, Write};

use unpick_system::{Successor, Successors};

use super::checkpoint::{read_bytes, read_u64, write_u64};

/// A state, by the worker that found it and its position among those that this worker found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct StateNumber {
    pub(super) worker: u32,
    pub(super) index: u64,
}

impl StateNumber {
    /// No state: what comes before the first.
    pub(super) const NONE: StateNumber = StateNumber { worker: u32::MAX, index: u64::MAX };
}

/// Where a state came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    pub(super) parent: StateNumber,
    pub(super) mover: u8,
    pub(super) rank: u32,
}

/// Entries of a piece.
const PIECE: usize = 1 << 16;

/// The states that one worker found; see the module.
#[derive(Default)]
pub(super) struct PredecessorLog {
    /// From this state on, predecessors are counted from that one.
    sources: Vec<(u64, StateNumber)>,
    /// In pieces of [`PIECE`], so that growing copies nothing and wastes nothing.
    pieces: Vec<Vec<Entry>>,
    /// States with more successors before them than an entry can tell.
    far: Vec<(u64, u32)>,
}

#[derive(Clone, Copy)]
struct Entry {
    offset: u16,
    mover: u8,
    rank: u8,
}

impl PredecessorLog {
    #[inline]
    pub(super) fn len(&self) -> u64 {
        let Some(last) = self.pieces.last() else { return 0 };
        ((self.pieces.len() - 1) * PIECE + last.len()) as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        let n_entries: usize = self.pieces.iter().map(Vec::capacity).sum();
        (n_entries * size_of::<Entry>() + self.sources.capacity() * size_of::<(u64, StateNumber)>()) as u64
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_u64(out, self.sources.len() as u64)?;
        for (from, source) in &self.sources {
            for number in [*from, source.worker.into(), source.index] {
                write_u64(out, number)?;
            }
        }
        write_u64(out, self.far.len() as u64)?;
        for (index, rank) in &self.far {
            write_u64(out, *index)?;
            write_u64(out, (*rank).into())?;
        }
        write_u64(out, self.len())?;
        for entry in self.pieces.iter().flatten() {
            let [low, high] = entry.offset.to_le_bytes();
            out.write_all(&[low, high, entry.mover, entry.rank])?;
        }
        Ok(())
    }

    pub(super) fn read(input: &mut dyn Read) -> io::Result<Self> {
        let mut log = Self::default();
        for _ in 0..read_u64(input)? {
            let (from, worker, index) = (read_u64(input)?, read_u64(input)?, read_u64(input)?);
            log.sources.push((from, StateNumber { worker: worker as u32, index }));
        }
        for _ in 0..read_u64(input)? {
            log.far.push((read_u64(input)?, read_u64(input)? as u32));
        }
        let len = read_u64(input)?;
        let bytes = read_bytes(input, len.saturating_mul(4))?;
        let entry =
            |entry: &[u8]| Entry { offset: u16::from_le_bytes([entry[0], entry[1]]), mover: entry[2], rank: entry[3] };
        bytes.chunks_exact(4).map(entry).for_each(|entry| log.add(entry));
        Ok(log)
    }

    /// The states that follow come from a chunk that begins with this one.
    pub(super) fn begin(&mut self, source: StateNumber) {
        let len = self.len();
        match self.sources.last_mut() {
            Some(last) if last.0 == len => last.1 = source,
            _ => self.sources.push((len, source)),
        }
    }

    /// A new state.
    #[inline]
    pub(super) fn push(&mut self, offset: usize, mover: u8, rank: usize) {
        if rank >= usize::from(u8::MAX) {
            self.far.push((self.len(), rank as u32));
        }
        let rank = rank.min(usize::from(u8::MAX)) as u8;
        self.add(Entry { offset: offset as u16, mover, rank });
    }

    #[inline]
    fn add(&mut self, entry: Entry) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(entry),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(entry);
                self.pieces.push(piece);
            }
        }
    }

    pub(super) fn origin(&self, index: u64) -> Origin {
        let entry = self.pieces[index as usize / PIECE][index as usize % PIECE];
        let after = self.sources.partition_point(|(from, _)| *from <= index);
        let source = self.sources[after - 1].1;
        let parent = match source {
            StateNumber::NONE => source,
            _ => StateNumber { index: source.index + u64::from(entry.offset), ..source },
        };
        let rank = match entry.rank {
            u8::MAX => {
                let at = self.far.partition_point(|(known, _)| *known < index);
                self.far[at].1
            }
            rank => rank.into(),
        };
        Origin { parent, mover: entry.mover, rank }
    }
}

/// Among the successors from `first` on that a process began, how many come before this one.
#[inline]
pub(super) fn rank(next: &Successors, first: usize, at: usize) -> usize {
    let mover = next.list[at].mover;
    next.list[first..at].iter().filter(|successor| successor.mover == mover).count()
}

/// The successor that a process began and that has this many before it.
pub(super) fn nth_of(next: &Successors, first: usize, mover: u8, rank: usize) -> Option<Successor> {
    next.list[first..].iter().filter(|successor| successor.mover == mover).nth(rank).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_come_back() {
        let mut log = PredecessorLog::default();
        log.begin(StateNumber::NONE);
        log.push(0, 0, 0);
        log.begin(StateNumber { worker: 1, index: 5 });
        log.begin(StateNumber { worker: 1, index: 100_000 });
        log.push(7, 3, 2);
        log.push(9, 4, 700);
        assert_eq!(log.origin(0).parent, StateNumber::NONE);
        let parent = StateNumber { worker: 1, index: 100_007 };
        assert_eq!(log.origin(1), Origin { parent, mover: 3, rank: 2 });
        assert_eq!(log.origin(2).rank, 700);
    }
}
