//! Reading an arena for the last time: chunks are given back as soon as they have been read.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use super::{Arena, Cursor};
use crate::memory::{Allowance, Region};

/// Reads the records of one worker; see the module.
pub(crate) struct Drain<'a> {
    arena: &'a Arena,
    allowance: &'a Allowance,
    cursor: Cursor,
    /// The first chunk that has not been given back, counted from one; zero if there is none.
    first: u32,
}

impl Arena {
    /// Reads the records of a worker for the last time. Nobody else may read them, or append, meanwhile or later.
    pub(crate) fn drain<'a>(&'a self, allowance: &'a Allowance, worker: usize) -> Drain<'a> {
        let cursor = self.cursor(worker, 0).expect("there should be a place before the first record");
        let first = self.workers[worker].first_chunk.load(Ordering::Acquire);
        Drain { arena: self, allowance, cursor, first }
    }
}

impl Drain<'_> {
    /// The next record.
    #[inline]
    pub(crate) fn next_record(&mut self) -> Option<&[u8]> {
        self.arena.next(&mut self.cursor).map(|(_, bytes)| bytes)
    }

    /// Gives chunks back that have been read to their end.
    #[inline]
    pub(crate) fn give_back(&mut self) {
        if self.cursor.chunk != self.first {
            self.give_back_up_to(self.cursor.chunk);
        }
    }

    #[cold]
    fn give_back_up_to(&mut self, end: u32) {
        while self.first != end && self.first != 0 {
            let at = self.first as usize - 1;
            let chunk = &self.arena.chunks[at];
            let len = chunk.len.load(Ordering::Relaxed) as usize;
            if let Some(start) = NonNull::new(self.arena.starts[at].load(Ordering::Relaxed)) {
                // SAFETY: the chunk was a region of this length before it was taken apart. It is not dropped: its
                // addresses stay those of the arena, and read as zeros from now on.
                let region = ManuallyDrop::new(unsafe { Region::from_parts(start, len) });
                region.discard();
                self.allowance.give_back(len as u64);
            }
            self.first = chunk.next.load(Ordering::Acquire);
        }
    }
}

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        self.give_back_up_to(0);
    }
}
