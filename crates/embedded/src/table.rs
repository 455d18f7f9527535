//! Interned C memories: each stored once, by number.

use std::collections::HashMap;
use std::sync::Arc;

/// Memories met so far; number 0 is the first.
#[derive(Default)]
pub(super) struct Table {
    whole: Interned,
    /// Memories without what tells no states apart.
    matched: Interned,
}

#[derive(Default)]
struct Interned {
    numbers: HashMap<Arc<[u8]>, u32, foldhash::fast::RandomState>,
    all: Vec<Arc<[u8]>>,
    n_bytes: u64,
}

/// Bytes that an entry takes besides its contents: two counts, two pointers with lengths, a number.
const ENTRY: u64 = 64;

impl Interned {
    fn number(&mut self, bytes: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(bytes) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).expect("memory should run out before numbers do");
        let bytes: Arc<[u8]> = bytes.into();
        self.n_bytes += bytes.len() as u64 + ENTRY;
        self.all.push(bytes.clone());
        self.numbers.insert(bytes, number);
        number
    }
}

impl Table {
    /// The number of a memory.
    pub(super) fn number(&mut self, bytes: &[u8]) -> u32 {
        self.whole.number(bytes)
    }

    /// The number of a memory without what tells no states apart.
    pub(super) fn matched(&mut self, bytes: &[u8]) -> u32 {
        self.matched.number(bytes)
    }

    /// The memory with a number.
    pub(super) fn get(&self, number: u32) -> Option<Arc<[u8]>> {
        self.whole.all.get(number as usize).cloned()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.whole.n_bytes + self.matched.n_bytes
    }
}
