//! States that are inserted together.

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
    /// Their hashes, if the caller makes them; see [`crate::StateStore::hash`].
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

/// What a worker keeps of insertions that have begun, for the store to use again.
#[derive(Default, Debug)]
pub struct Desk {
    /// What the store gave for each, where it gives such a thing.
    pub(crate) tickets: Vec<Result<u64, StoreFull>>,
    /// The hash of each, where that is all it needs.
    pub(crate) hashes: Vec<u64>,
    /// What a first glance found for each.
    pub(crate) words: Vec<u64>,
}
