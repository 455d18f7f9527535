//! Batches of states, inserted together so that their cache misses overlap.

use crate::StoreFull;

/// Where a state lies in an array of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// How many bytes it has.
    pub len: u32,
}

/// States that are inserted together, in the order of their spans.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// All states.
    pub bytes: &'a [u8],
    /// Where each lies.
    pub spans: &'a [Span],
    /// Their hashes, if the caller computes them; see [`crate::StateStore::hash`].
    pub hashes: Option<&'a [u64]>,
}

impl<'a> Batch<'a> {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The state with this position.
    #[inline(always)]
    pub fn state(&self, at: usize) -> &'a [u8] {
        let Span { start, len } = self.spans[at];
        &self.bytes[start as usize..][..len as usize]
    }

    /// The states in order.
    #[inline(always)]
    pub fn states(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (bytes, spans) = (self.bytes, self.spans);
        spans.iter().map(move |span| &bytes[span.start as usize..][..span.len as usize])
    }
}

/// A worker's buffers for insertions that have begun, reused from batch to batch.
#[derive(Default, Debug)]
pub struct InsertBatch {
    /// The result of [`crate::StateStore::begin`] for each state, in stores without a faster way.
    pub(crate) pending: Vec<Result<u64, StoreFull>>,
    /// The hash of each state, in stores that need no more.
    pub(crate) hashes: Vec<u64>,
    /// The table word with a matching tag for each state, or zero.
    pub(crate) words: Vec<u64>,
}

impl InsertBatch {
    /// Forgets what was begun.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.hashes.clear();
        self.words.clear();
    }
}
