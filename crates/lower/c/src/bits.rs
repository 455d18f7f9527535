//! Memory locations of bit-fields (C11 3.14): a bit-field and its neighbours are one location, up to the next member that
//! is none, or is one of width zero. Compilers may write them all when one is assigned, so threads that write different
//! ones race.

use unpick_front_c::types::{Field, Record};
use unpick_program::program::BitRange;

/// The bits of a member, and the rest of its memory location.
pub(super) fn bit_range(record: &Record, index: usize, width: u32) -> BitRange {
    let field = &record.fields[index];
    let bits = BitRange::new(field.bit_offset as u8, width as u8);
    // Members of a union are no neighbours: each lies at the beginning.
    if record.is_union {
        return bits;
    }
    let is_neighbour = |field: &&Field| field.bits.is_some_and(|width| width > 0);
    let before = record.fields[..index].iter().rev().take_while(is_neighbour);
    let after = record.fields[index + 1..].iter().take_while(is_neighbour);
    let (mut start, mut end) = (field.offset, field.offset + bits.n_bytes());
    for other in before.chain(after) {
        let width = other.bits.unwrap_or(0);
        start = start.min(other.offset);
        end = end.max(other.offset + BitRange::new(other.bit_offset as u8, width as u8).n_bytes());
    }
    let (before, after) = (field.offset - start, end - field.offset - bits.n_bytes());
    BitRange { before: before as u32, after: after as u32, ..bits }
}
