//! Word components: four bytes of a shared object with all their attributes.

use super::super::object::{Cell, Object};
use super::super::value::{Pointer, Value};
use super::Refused;

/// Bytes of a word.
pub(super) const WORD: u64 = 4;

/// What a word holds. The last one of an object may have fewer bytes; then the rest is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Word {
    bytes: [u8; WORD as usize],
    undef: [u8; WORD as usize],
    /// Values over its bytes: where they begin, from the start of the word, and how long they are.
    cells: Vec<(i64, u8, Value)>,
}

impl Word {
    /// A word of an object, with pointers as others know them.
    pub(super) fn of(
        object: &Object,
        word: u32,
        rename: &mut dyn FnMut(Pointer) -> Result<Pointer, Refused>,
    ) -> Result<Word, Refused> {
        let from = u64::from(word) * WORD;
        let len = WORD.min(object.size().saturating_sub(from));
        let mut found = Word { bytes: [0; 4], undef: [0; 4], cells: Vec::new() };
        for at in 0..len {
            found.bytes[at as usize] = object.bytes[(from + at) as usize];
            found.undef[at as usize] = object.undef_bits(from + at);
        }
        for cell in object.cells_in(from, len) {
            let value = renamed(cell.value, rename)?;
            found.cells.push((cell.offset as i64 - from as i64, cell.len, value));
        }
        Ok(found)
    }

    /// All pointers in it.
    pub(super) fn pointers(&self) -> impl Iterator<Item = Pointer> {
        self.cells.iter().filter_map(|(_, _, value)| super::super::leak::pointer_in(*value))
    }
}

/// A value with its pointer under another name; open inputs are refused.
pub(super) fn renamed(
    value: Value,
    rename: &mut dyn FnMut(Pointer) -> Result<Pointer, Refused>,
) -> Result<Value, Refused> {
    Ok(match value {
        Value::Ptr(pointer) => Value::Ptr(rename(pointer)?),
        Value::Fragment { pointer, byte } => Value::Fragment { pointer: rename(pointer)?, byte },
        Value::Lazy(_) => return Err(Refused("an input stays open")),
        Value::Undef | Value::Bits(_) | Value::Wide(_) => value,
    })
}

/// Puts words into an object; `None` if they do not fit together.
pub(super) fn fill<'a>(object: &mut Object, words: impl Iterator<Item = (u32, &'a Word)>) -> Option<()> {
    let mut cells: Vec<Cell> = Vec::new();
    for (at, word) in words {
        let from = u64::from(at) * WORD;
        let len = WORD.min(object.size().checked_sub(from)?);
        object.cells.retain(|cell| cell.offset + u64::from(cell.len) <= from || cell.offset >= from + len);
        for at in 0..len {
            object.bytes[(from + at) as usize] = word.bytes[at as usize];
            object.set_undef_bits(from + at, word.undef[at as usize]);
        }
        for (start, len, value) in &word.cells {
            let offset = u64::try_from(from as i64 + start).ok()?;
            cells.push(Cell { offset, len: *len, value: *value });
        }
    }
    cells.extend_from_slice(&object.cells);
    cells.sort_unstable_by_key(|cell| (cell.offset, cell.len));
    cells.dedup();
    let is_disjoint = cells.windows(2).all(|pair| pair[0].offset + u64::from(pair[0].len) <= pair[1].offset);
    let is_inside = cells.last().is_none_or(|last| last.offset + u64::from(last.len) <= object.size());
    object.cells = cells;
    object.memo.forget();
    (is_disjoint && is_inside).then_some(())
}
