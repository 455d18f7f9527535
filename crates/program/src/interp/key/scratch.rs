//! Canonical numbering of objects, in the order in which a traversal of the memory finds them, and reused buffers.

use super::walk::Kept;
use crate::interp::state::State;
use crate::interp::value::{Lazy, Pointer};

/// Room for writing keys, reused.
#[derive(Default)]
pub(crate) struct KeyScratch {
    /// The component at hand.
    pub(super) bytes: Vec<u8>,
    /// Dynamic objects it mentions.
    pub(super) mentions: Vec<Pointer>,
    /// Open inputs it mentions.
    pub(super) lazies: Vec<Lazy>,
    /// It holds values of inputs, open or with one value left.
    pub(super) has_lazy: bool,
    /// Numbers of dynamic objects in order of discovery, by number in the state: key, generation, number.
    objects: Vec<(u32, u32, u32)>,
    /// Those of which another life of the same object number was found first.
    more_objects: Vec<(u32, u32, u32)>,
    n_objects: u32,
    /// Open inputs in order of discovery: key and number.
    pub(super) inputs: Vec<(u32, u32)>,
    pub(super) n_inputs: u32,
    /// Objects found whose contents are still to be written, the next one last.
    pub(super) pending: Vec<Pointer>,
    /// Segments of a key that is cut, and where each ends.
    pub(super) segments: Vec<u8>,
    pub(super) ends: Vec<usize>,
    pub(super) walks: Walks,
    /// Which key is being written; what other keys left behind does not count.
    pub(super) key: u32,
    pub(super) n_written: u64,
}

impl KeyScratch {
    pub(super) fn begin(&mut self, state: &State) {
        if self.key == u32::MAX {
            self.objects.clear();
            self.inputs.clear();
            self.key = 0;
        }
        self.key += 1;
        let n_numbers = state.memory.n_numbers();
        if self.objects.len() < n_numbers {
            self.objects.resize(n_numbers, (0, 0, 0));
        }
        if self.inputs.len() < state.inputs.len() {
            self.inputs.resize(state.inputs.len(), (0, 0));
        }
        self.more_objects.clear();
        self.pending.clear();
        (self.n_objects, self.n_inputs) = (0, 0);
    }

    /// An object is mentioned.
    pub(super) fn discover(&mut self, pointer: Pointer) -> Found {
        let n_found = self.n_objects;
        if self.objects.len() <= pointer.object as usize {
            self.objects.resize(pointer.object as usize + 1, (0, 0, 0));
        }
        let at = &mut self.objects[pointer.object as usize];
        if at.0 != self.key {
            *at = (self.key, pointer.generation, n_found);
            self.n_objects += 1;
            return Found { number: n_found, n_found, is_fresh: true };
        }
        if at.1 == pointer.generation {
            return Found { number: at.2, n_found, is_fresh: false };
        }
        let found = self.discover_other(pointer, n_found);
        self.n_objects += u32::from(found.is_fresh);
        found
    }

    /// Another life of a number is mentioned than the one that was found first, or than the one at present.
    pub(super) fn discover_other(&mut self, pointer: Pointer, n_found: u32) -> Found {
        let mut known = self.more_objects.iter();
        if let Some(known) = known.find(|known| (known.0, known.1) == (pointer.object, pointer.generation)) {
            return Found { number: known.2, n_found, is_fresh: false };
        }
        self.more_objects.push((pointer.object, pointer.generation, n_found));
        Found { number: n_found, n_found, is_fresh: true }
    }

    pub(super) fn is_discovered(&self, pointer: Pointer) -> bool {
        let at = self.objects[pointer.object as usize];
        let is_same = |known: &(u32, u32, u32)| (known.0, known.1) == (pointer.object, pointer.generation);
        at.0 == self.key && (at.1 == pointer.generation || self.more_objects.iter().any(is_same))
    }
}

/// An object that is mentioned.
pub(super) struct Found {
    /// Its number in the order of discovery.
    pub number: u32,
    /// How many others were found before.
    pub n_found: u32,
    /// It was not mentioned before.
    pub is_fresh: bool,
}

/// Keys of fewer objects are not cut into pieces.
const CUT_FROM: usize = 64;
/// Walks over fewer objects are not kept.
const KEEP_FROM: usize = 512;
/// Walks afresh after one that could not be made out of another, at least and at most.
const MIN_WAIT: u32 = 8;
const MAX_WAIT: u32 = 128;

/// Whether a walk over the memory is kept.
pub(super) struct Walks {
    kept: Option<Box<Kept>>,
    /// Objects in the last walk.
    pub n_objects: usize,
    pub cut_from: usize,
    pub keep_from: usize,
    /// So many walks are not kept; how many it will be the next time.
    wait: u32,
    next_wait: u32,
    /// Objects of walks that were made out of others, and those of them that had to be looked at.
    #[cfg(test)]
    pub n_walked: (u64, u64),
}

impl Default for Walks {
    fn default() -> Self {
        Self {
            kept: None,
            n_objects: 0,
            cut_from: CUT_FROM,
            keep_from: KEEP_FROM,
            wait: 0,
            next_wait: MIN_WAIT,
            #[cfg(test)]
            n_walked: (0, 0),
        }
    }
}

impl Walks {
    /// The walk to make the next one out of, or an empty one; `None` if the next one is not to be kept.
    pub(super) fn take(&mut self, numbering: u32) -> Option<Box<Kept>> {
        if let Some(kept) = self.kept.take().filter(|kept| kept.numbering == numbering) {
            return Some(kept);
        }
        if self.n_objects < self.keep_from {
            return None;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return None;
        }
        Some(Box::new(Kept::new(numbering)))
    }

    /// A walk was made out of the last one, or is the first.
    pub(super) fn keep(&mut self, kept: Box<Kept>) {
        self.n_objects = kept.n_objects();
        #[cfg(test)]
        if let Some(n_looked_at) = kept.n_looked_at() {
            self.n_walked = (self.n_walked.0 + self.n_objects as u64, self.n_walked.1 + n_looked_at);
        }
        self.next_wait = (self.next_wait - 1).max(MIN_WAIT);
        if 2 * self.n_objects >= self.keep_from {
            self.kept = Some(kept);
        }
    }

    /// Too much has changed.
    pub(super) fn give_up(&mut self) {
        self.wait = self.next_wait;
        self.next_wait = (2 * self.next_wait).min(MAX_WAIT);
    }
}
