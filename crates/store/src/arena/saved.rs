//! Saving and loading records: chunks byte for byte, verified record by record on loading.

use std::io;
use std::sync::atomic::Ordering;

use super::{Arena, CHUNK_BITS, HEADER, Head, INDEX_EVERY, MAX_CHUNKS, Place, read_head, record_len};
use crate::memory::{Allowance, Region};
use crate::saved::{LoadError, Loader, Saver};

impl Arena {
    /// Saves all records, while no worker appends.
    pub(crate) fn save(&self, saver: &mut Saver) -> io::Result<()> {
        let n_chunks = self.n_chunks.load(Ordering::Acquire) as usize;
        saver.number(self.workers.len() as u64)?;
        saver.number(n_chunks as u64)?;
        let mut owners = vec![(0, 0); n_chunks];
        for (number, worker) in self.workers.iter().enumerate() {
            let mut chunk = worker.first_chunk.load(Ordering::Acquire);
            while let Some(at) = chunk.checked_sub(1) {
                let at = at as usize;
                let used = match self.chunks[at].used_and_one.load(Ordering::Relaxed) {
                    0 => self.appender(number).head().at,
                    used => used as usize - 1,
                };
                owners[at] = (number as u64, used);
                chunk = self.chunks[at].next.load(Ordering::Acquire);
            }
        }
        for (at, (owner, used)) in owners.into_iter().enumerate() {
            saver.number(owner)?;
            saver.number(self.chunks[at].len.load(Ordering::Relaxed).into())?;
            saver.number(used as u64)?;
            // SAFETY: the first `used` bytes of a chunk are published records. Padding was zero from the beginning
            // or has been written by a record that was given up.
            saver.bytes(unsafe { std::slice::from_raw_parts(self.starts[at].load(Ordering::Relaxed), used) })?;
        }
        Ok(())
    }

    /// Loads records for at least so many workers. If it is as many as before, ids stay.
    pub(crate) fn load(loader: &mut Loader, allowance: &Allowance, n_workers: usize) -> Result<Self, LoadError> {
        let n_saved = loader.number_to(1 << 16)?;
        let mut arena = Self::new(n_workers.max(n_saved as usize));
        let n_chunks = loader.number_to(MAX_CHUNKS as u64)?;
        for at in 0..n_chunks as usize {
            let owner = loader.number_to(n_saved.saturating_sub(1))? as usize;
            let len = loader.number_to(1 << CHUNK_BITS)? as usize;
            let used = loader.number_to(len as u64)? as usize;
            let region = allowance.region(len)?;
            // SAFETY: the region is new, so no other thread knows it, and as long as that.
            loader.bytes(unsafe { std::slice::from_raw_parts_mut(region.start(), used) })?;
            arena.adopt(at, owner, region, used)?;
        }
        Ok(arena)
    }

    /// Makes a region with records up to `used` the owner's last chunk.
    fn adopt(&mut self, at: usize, owner: usize, region: Region, used: usize) -> Result<(), LoadError> {
        let (n_workers, len) = (self.workers.len() as u64, region.len());
        let worker = &mut self.workers[owner];
        let n_records = worker.n_records.get_mut();
        let first = *n_records;
        let (mut from, mut end, mut n_in_chunk) = (0, len, 0u32);
        while from < used {
            let record = region.start().wrapping_add(from);
            if from + HEADER > used {
                return Err(LoadError::Damaged);
            }
            // SAFETY: the head is within the region.
            let (_, bytes) = unsafe { read_head(record) };
            let next = from + record_len(bytes);
            let is_listed = n_in_chunk.is_multiple_of(INDEX_EVERY);
            if next > used || next > end - if is_listed { 4 } else { 0 } {
                return Err(LoadError::Damaged);
            }
            let id = *n_records * n_workers + owner as u64;
            // SAFETY: as above; the entry of the list is behind all records, as just checked.
            unsafe {
                record.cast::<u64>().write_unaligned((bytes as u64) << super::ID_BITS | id);
                if is_listed {
                    end -= 4;
                    region.start().add(end).cast::<u32>().write_unaligned(from as u32);
                }
            }
            (*n_records, n_in_chunk, from) = (*n_records + 1, n_in_chunk + 1, next);
        }
        let chunk = at as u32 + 1;
        let head = worker.head.get_mut();
        if let Some(before) = self.chunks.get_mut((head.chunk as usize).wrapping_sub(1)) {
            *before.used_and_one.get_mut() = head.at as u32 + 1;
            *before.next.get_mut() = chunk;
        } else {
            *worker.first_chunk.get_mut() = chunk;
        }
        let start = region.into_start().as_ptr();
        let next_len = (len * 4).clamp(super::FIRST_CHUNK, 1 << CHUNK_BITS);
        *head = Head { chunk, start, at: used, end, n_in_chunk, next_len };
        *self.chunks[at].len.get_mut() = len as u32;
        *self.chunks[at].first.get_mut() = first;
        *self.starts[at].get_mut() = start;
        *self.n_chunks.get_mut() = chunk;
        Ok(())
    }

    /// Whether a record that could be one is at this place, and all of it.
    pub(crate) fn has(&self, place: Place) -> bool {
        let (chunk, at) = super::split(place);
        if chunk >= self.n_chunks.load(Ordering::Relaxed) as usize {
            return false;
        }
        let len = self.chunks[chunk].len.load(Ordering::Relaxed) as usize;
        let start = self.starts[chunk].load(Ordering::Relaxed);
        at + HEADER <= len && {
            // SAFETY: the head is within the chunk, all of which is initialised.
            let (_, bytes) = unsafe { read_head(start.add(at)) };
            at + record_len(bytes) <= len
        }
    }
}
