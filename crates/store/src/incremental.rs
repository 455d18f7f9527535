//! Incremental hashing of states (Zobrist 1970; Nguyen and Ruys, SPIN 2008): an update costs as much as the change, not
//! as the state.
//!
//! A state is a row of slots of eight bytes. Its hash is the sum, modulo 2^64, of one contribution for each slot and
//! one for what the slots do not tell (the length, the number of processes). A contribution mixes value and slot number
//! until every bit depends on every bit of both, unlike a rotation by the slot number, with which slots 64 apart are
//! interchangeable and small changes cancel out. So when a slot changes, its old contribution is subtracted and the new
//! one added. Sums, not exclusive-ors, so that equal contributions do not vanish in pairs.
//!
//! Slots are numbered from the front of the state, without gaps. When a part of a state moves, its slots are hashed
//! anew.

const MULTIPLIERS: [u64; 2] = [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// Slot number of what is no slot.
const FRAME: u64 = u64::MAX;
/// Bytes of a slot.
pub const SLOT_BYTES: usize = 8;

/// The hash of a whole state; `frame` distinguishes states with equal bytes, for instance the number of processes.
pub fn hash(state: &[u8], frame: u64) -> u64 {
    let (slots, rest) = state.as_chunks::<SLOT_BYTES>();
    let mut sum = contribution(FRAME, mix(state.len() as u64) ^ frame);
    for (slot, value) in slots.iter().enumerate() {
        sum = sum.wrapping_add(contribution(slot as u64, u64::from_le_bytes(*value)));
    }
    if !rest.is_empty() {
        sum = sum.wrapping_add(contribution(slots.len() as u64, slot_value(state, slots.len())));
    }
    sum
}

/// The hash after one slot has changed from `old` to `new`.
#[inline(always)]
#[must_use]
pub fn update(hash: u64, slot: u64, old: u64, new: u64) -> u64 {
    hash.wrapping_sub(contribution(slot, old)).wrapping_add(contribution(slot, new))
}

/// The hash after length or frame have changed; slots that came or went are for [`add`] and [`remove`].
#[must_use]
pub fn reframe(hash: u64, old: (usize, u64), new: (usize, u64)) -> u64 {
    update(hash, FRAME, mix(old.0 as u64) ^ old.1, mix(new.0 as u64) ^ new.1)
}

/// The hash with one slot more.
#[inline(always)]
#[must_use]
pub fn add(hash: u64, slot: u64, value: u64) -> u64 {
    hash.wrapping_add(contribution(slot, value))
}

/// The hash with one slot less.
#[inline(always)]
#[must_use]
pub fn remove(hash: u64, slot: u64, value: u64) -> u64 {
    hash.wrapping_sub(contribution(slot, value))
}

/// The value of a slot: eight bytes, or those that are left, padded with zeros.
#[inline(always)]
pub fn slot_value(state: &[u8], slot: usize) -> u64 {
    let from = slot * SLOT_BYTES;
    let mut value = [0; SLOT_BYTES];
    let to = state.len().min(from + SLOT_BYTES);
    value[..to - from].copy_from_slice(&state[from..to]);
    u64::from_le_bytes(value)
}

/// The hash of a successor of the same length and frame, from the state it was made from: all slots are compared.
#[must_use]
pub fn successor(hash: u64, before: &[u8], after: &[u8]) -> u64 {
    debug_assert_eq!(before.len(), after.len(), "a successor of another length should be hashed anew");
    let mut hash = hash;
    for slot in 0..after.len().div_ceil(SLOT_BYTES) {
        let (old, new) = (slot_value(before, slot), slot_value(after, slot));
        if old != new {
            hash = update(hash, slot as u64, old, new);
        }
    }
    hash
}

/// An incremental hash that is not the hash of its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The hash after updates.
    pub incremental: u64,
    /// The hash computed from scratch.
    pub from_scratch: u64,
}

/// Compares an incremental hash with the one computed from scratch.
pub fn audit(state: &[u8], frame: u64, incremental: u64) -> Result<(), Mismatch> {
    let from_scratch = hash(state, frame);
    if incremental == from_scratch { Ok(()) } else { Err(Mismatch { incremental, from_scratch }) }
}

/// The contribution of a slot to the hash; compiled code may compute it with the key as a constant.
#[inline(always)]
pub fn contribution(slot: u64, value: u64) -> u64 {
    mix(value ^ key(slot))
}

/// A slot's key, which makes its contributions differ from those of other slots.
#[inline(always)]
pub const fn key(slot: u64) -> u64 {
    mix(slot.wrapping_add(1).wrapping_mul(GOLDEN))
}

/// Spreads every bit over all bits (the finaliser of splitmix64).
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(MULTIPLIERS[0]);
    let x = (x ^ x >> 27).wrapping_mul(MULTIPLIERS[1]);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn updates_lead_to_the_hash_from_scratch(
            mut state in prop::collection::vec(any::<u8>(), 1..60),
            writes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
            frame: u64,
        ) {
            let mut running = hash(&state, frame);
            for (at, value) in writes {
                let at = at.index(state.len());
                let slot = at / SLOT_BYTES;
                let before = state.clone();
                state[at] = value;
                let updated = update(running, slot as u64, slot_value(&before, slot), slot_value(&state, slot));
                prop_assert_eq!(updated, successor(running, &before, &state));
                running = updated;
            }
            prop_assert_eq!(audit(&state, frame, running), Ok(()));
            prop_assert!(audit(&state, frame ^ 1, running).is_err());
        }

        #[test]
        fn a_process_comes_and_goes(state in prop::collection::vec(any::<u8>(), 0..6), values: [u64; 2]) {
            let len = state.len() * SLOT_BYTES;
            let state: Vec<u8> = state.iter().flat_map(|byte| u64::from(*byte).to_le_bytes()).collect();
            let more = [&state[..], &values[0].to_le_bytes(), &values[1].to_le_bytes()].concat();
            let slot = (len / SLOT_BYTES) as u64;
            let grown = add(add(hash(&state, 3), slot, values[0]), slot + 1, values[1]);
            let grown = reframe(grown, (len, 3), (len + 16, 4));
            prop_assert_eq!(audit(&more, 4, grown), Ok(()));
            let shrunk = remove(remove(reframe(grown, (len + 16, 4), (len, 3)), slot + 1, values[1]), slot, values[0]);
            prop_assert_eq!(shrunk, hash(&state, 3));
        }
    }

    #[test]
    fn padding_and_frames_tell() {
        let hashes: HashSet<u64> = (0..64).map(|len| hash(&vec![0; len], 0)).collect();
        assert_eq!(hashes.len(), 64);
        let hashes: HashSet<u64> = (0..64).map(|n_processes| hash(&[0; 16], n_processes)).collect();
        assert_eq!(hashes.len(), 64);
    }

    /// The towers of Hanoi, which rotating hashes take for one another: three pegs, each a row of discs.
    #[test]
    fn towers_are_told_apart() {
        const N_DISCS: usize = 11;
        let mut hashes = HashSet::new();
        let mut halves = [HashSet::new(), HashSet::new()];
        for n in 0..3u32.pow(N_DISCS as u32) {
            let mut state = [0u8; 3 * N_DISCS];
            let (mut heights, mut rest) = ([0; 3], n);
            for disc in (1..=N_DISCS).rev() {
                let peg = (rest % 3) as usize;
                rest /= 3;
                state[peg * N_DISCS + heights[peg]] = disc as u8;
                heights[peg] += 1;
            }
            let hash = hash(&state, 0);
            hashes.insert(hash);
            halves[0].insert(hash as u32);
            halves[1].insert((hash >> 32) as u32);
        }
        let n = 3usize.pow(N_DISCS as u32);
        assert_eq!(hashes.len(), n);
        // 32 bits are not enough for all; at random 3.7 are expected to be lost.
        assert!(
            halves.iter().all(|half| n - half.len() < 16),
            "{halves:?}",
            halves = halves.map(|half| n - half.len())
        );
    }
}
