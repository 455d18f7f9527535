//! Incremental hashing of state vectors by a weighted sum of their bytes (multilinear hashing, Carter and Wegman 1979; in
//! a model checker Nguyen and Ruys, SPIN 2008): an update costs as much as the change, not as the vector.
//!
//! Every byte counts its value times the weight of its position, modulo 2^64, and the length counts too. So when a byte
//! changes, the sum changes by the difference times the weight: a writer that knows the old byte
//! adjusts the sum with one subtraction, one multiplication and one addition, and changes add up along several steps
//! whatever lies between them. Weights are odd and look like random numbers, so that two given vectors have equal sums with
//! a probability of about 2^-63 (2^-57 if all differences are multiples of 128). Words of eight bytes with one weight each would
//! be cheaper to sum up from scratch, but the last bytes of such words would meet in a few upper bits.
//!
//! In a sum, lower bits know nothing of higher ones: it is [finished](finish) before a table or a bit array uses it, by a
//! bijection, so that no more vectors meet.
//!
//! The alternative, a mixing function of position and word (Zobrist 1970), has to know the whole old and new word around each
//! write and costs two rounds of mixing; rotations by the position (as in SPIN) take vectors for one another in which small
//! values change places.

const MULTIPLIERS: [u64; 2] = [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// Weights of so many positions are looked up, the others computed.
const N_TABLED: usize = 1024;
const WORD: usize = 8;

static TABLED: [u64; N_TABLED] = {
    let mut table = [0; N_TABLED];
    let mut position = 0;
    while position < N_TABLED {
        table[position] = computed(position);
        position += 1;
    }
    table
};

const fn computed(position: usize) -> u64 {
    mix((position as u64 + 1).wrapping_mul(GOLDEN)) | 1
}

/// The weight of the byte at a position; odd.
#[inline]
pub fn weight(position: usize) -> u64 {
    TABLED.get(position).copied().unwrap_or_else(|| computed(position))
}

/// The sum of a whole vector.
pub fn sum(bytes: &[u8]) -> u64 {
    added(of_len(bytes.len()), bytes, 0)
}

/// By how much the sum grows, modulo 2^64, from one vector to another: they are compared word by word.
pub fn change(before: &[u8], after: &[u8]) -> u64 {
    let n_common = before.len().min(after.len());
    let (old_words, old_rest) = before[..n_common].as_chunks::<WORD>();
    let (new_words, new_rest) = after[..n_common].as_chunks::<WORD>();
    let mut change = 0u64;
    for (at, (old, new)) in old_words.iter().zip(new_words).enumerate() {
        let mut different = u64::from_le_bytes(*old) ^ u64::from_le_bytes(*new);
        while different != 0 {
            let byte = different.trailing_zeros() as usize / 8;
            change = change.wrapping_add(byte_change(at * WORD + byte, old[byte], new[byte]));
            different &= !(0xff << (8 * byte));
        }
    }
    let first = n_common - old_rest.len();
    for (at, (old, new)) in old_rest.iter().zip(new_rest).enumerate() {
        change = change.wrapping_add(byte_change(first + at, *old, *new));
    }
    if before.len() != after.len() {
        change = change.wrapping_add(of_len(after.len())).wrapping_sub(of_len(before.len()));
        change = added(change, &after[n_common..], n_common);
        change = change.wrapping_sub(added(0, &before[n_common..], n_common));
    }
    change
}

/// By how much the sum grows, modulo 2^64, when one byte changes.
#[inline(always)]
pub fn byte_change(position: usize, old: u8, new: u8) -> u64 {
    u64::from(new).wrapping_sub(u64::from(old)).wrapping_mul(weight(position))
}

/// The hash: as good in every bit as in any other.
#[inline(always)]
pub const fn finish(sum: u64) -> u64 {
    mix(sum)
}

/// Spreads every bit over all bits (the finaliser of splitmix64), bijectively.
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(MULTIPLIERS[0]);
    let x = (x ^ x >> 27).wrapping_mul(MULTIPLIERS[1]);
    x ^ x >> 31
}

/// What the length counts: vectors that differ in zeros at their end differ.
fn of_len(len: usize) -> u64 {
    mix(!(len as u64))
}

/// A sum with what bytes count that begin at a position.
fn added(sum: u64, bytes: &[u8], first: usize) -> u64 {
    let counts = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0);
    counts.fold(sum, |sum, (at, byte)| sum.wrapping_add(byte_change(first + at, 0, *byte)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Numbers that are always the same.
    fn numbers(seed: u64) -> impl FnMut() -> u64 {
        let mut at = seed;
        move || {
            at = at.wrapping_add(GOLDEN);
            mix(at)
        }
    }

    #[test]
    fn changes_lead_to_the_sum_from_scratch() {
        let mut next = numbers(7);
        for round in 0..500 {
            let len = 1 + next() as usize % if round % 50 == 0 { 2 * N_TABLED } else { 70 };
            let before: Vec<u8> = (0..len).map(|_| (next() % 3) as u8).collect();
            let mut after = before.clone();
            let mut written = sum(&before);
            for _ in 0..next() % 9 {
                let (at, value) = (next() as usize % len, next() as u8);
                written = written.wrapping_add(byte_change(at, after[at], value));
                after[at] = value;
            }
            assert_eq!(written, sum(&after));
            assert_eq!(sum(&before).wrapping_add(change(&before, &after)), sum(&after));
            // Processes come and go.
            after.resize(next() as usize % (2 * len), 3);
            assert_eq!(sum(&before).wrapping_add(change(&before, &after)), sum(&after));
        }
    }

    #[test]
    fn lengths_tell() {
        let sums: HashSet<u64> = (0..64).map(|len| sum(&vec![0; len])).collect();
        assert_eq!(sums.len(), 64);
    }

    /// Every bit of a hash changes with a probability near one half when any one bit of the vector does.
    #[test]
    fn every_bit_depends_on_every_bit() {
        let mut next = numbers(1);
        const N_ROUNDS: u32 = 400;
        for bit in 0..8 * 24 {
            let mut n_changed = [0u32; 64];
            for _ in 0..N_ROUNDS {
                let mut state: Vec<u8> = (0..24).map(|_| next() as u8).collect();
                let before = finish(sum(&state));
                state[bit / 8] ^= 1 << (bit % 8);
                let different = before ^ finish(sum(&state));
                n_changed.iter_mut().enumerate().for_each(|(at, n)| *n += (different >> at & 1) as u32);
            }
            assert!(n_changed.iter().all(|n| (N_ROUNDS / 4..N_ROUNDS * 3 / 4).contains(n)), "{bit}: {n_changed:?}");
        }
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
            let hash = finish(sum(&state));
            hashes.insert(hash);
            halves[0].insert(hash as u32);
            halves[1].insert((hash >> 32) as u32);
        }
        let n = 3usize.pow(N_DISCS as u32);
        assert_eq!(hashes.len(), n);
        // 32 bits are not enough for all; at random 3.7 are expected to be lost.
        let n_lost = halves.map(|half| n - half.len());
        assert!(n_lost.iter().all(|n_lost| *n_lost < 16), "{n_lost:?}");
    }

    /// Few values at many places, as flags and counters have them: all vectors with up to four bytes of 1, 2, 128 or 255.
    #[test]
    fn sparse_vectors_are_told_apart() {
        const LEN: usize = 20;
        const VALUES: [u8; 4] = [1, 2, 128, 255];
        let mut states = vec![([0u8; LEN], 0)];
        let mut from = 0;
        for _ in 0..4 {
            let to = states.len();
            for at in from..to {
                let (state, first) = states[at];
                for place in first..LEN {
                    for value in VALUES {
                        let mut more = state;
                        more[place] = value;
                        states.push((more, place + 1));
                    }
                }
            }
            from = to;
        }
        let hashes: HashSet<u64> = states.iter().map(|(state, _)| finish(sum(state))).collect();
        assert_eq!(hashes.len(), states.len());
        let n_lost =
            states.len() - states.iter().map(|(state, _)| finish(sum(state)) >> 24).collect::<HashSet<_>>().len();
        // At random, 0.8 of 1.3 million states have 40 upper bits in common with another.
        assert!(n_lost < 8, "{n_lost} of {}", states.len());
    }
}
