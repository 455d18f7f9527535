//! Executable memory for compiled code: written once, then made executable and never written again (W^X).
//!
//! Code is compiled in batches, each with pages of its own, so that no page is ever writable and executable at
//! once while other workers run what is there already.

use std::io;

use memmap2::{Mmap, MmapMut};

/// Functions begin at multiples of this.
const ALIGN: usize = 32;

/// Functions that will lie together.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
}

/// Where a function lies in its batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At(usize);

impl Batch {
    /// Adds a function, which must not depend on where it lies.
    pub(crate) fn add(&mut self, code: &[u8]) -> At {
        let at = self.bytes.len().next_multiple_of(ALIGN);
        self.bytes.resize(at, 0xcc);
        self.bytes.extend_from_slice(code);
        At(at)
    }

    /// Makes the functions executable.
    pub(crate) fn seal(self) -> io::Result<Sealed> {
        let mut map = MmapMut::map_anon(self.bytes.len().max(1))?;
        map[..self.bytes.len()].copy_from_slice(&self.bytes);
        Ok(Sealed { map: map.make_exec()? })
    }
}

/// Executable functions; they live as long as this.
pub(crate) struct Sealed {
    map: Mmap,
}

impl Sealed {
    /// The address of a function.
    pub(crate) fn address(&self, at: At) -> *const u8 {
        &raw const self.map[at.0]
    }
}
