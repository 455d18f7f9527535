//! The shape of a state's tree: where states of one length are cut into leaves, and how leaves are joined.
//!
//! Leaves have up to eight bytes. A caller that knows where parts begin that change together, such as processes, names
//! these borders: small parts become one leaf, larger ones several, and no leaf holds the end of one part and the
//! beginning of another. Then a change of one part changes few leaves, and recurring parts are found again.
//!
//! The tree is balanced. If one half of it were nearly the whole state, there would be as many of these halves as
//! states, each kept; of two halves of equal size there are about the square root of that.

use crate::saved::{LoadError, Loader};

/// The most bytes of a leaf.
pub(super) const LEAF: usize = 8;

/// The shape of all states of a length; see the module.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Shape {
    len: usize,
    leaves: Vec<Leaf>,
    /// The first join: where each of its numbers begins among those of the leaves, and whether it is of two of them.
    firsts: Vec<(u32, bool)>,
}

/// A stretch of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Leaf {
    len: u32,
    /// Where the eight bytes begin that it is read from, so that nothing behind the state is read.
    at: u32,
    shift: u32,
    mask: u64,
}

impl Shape {
    /// States of this length whose parts begin at these borders, in ascending order.
    pub(super) fn new(len: usize, borders: &[usize]) -> Self {
        let (mut lens, mut from) = (Vec::new(), 0);
        // Whether the last leaf holds whole parts.
        let mut is_whole = false;
        let mut add = |size: usize| match lens.last_mut() {
            Some(last) if is_whole && *last + size <= LEAF => *last += size,
            _ => {
                let n = size.div_ceil(LEAF);
                lens.extend((0..n).map(|at| (at + 1) * size / n - at * size / n));
                is_whole = n == 1;
            }
        };
        for border in borders.iter().copied().filter(|border| *border <= len).chain([len]) {
            if border > from {
                add(border - from);
                from = border;
            }
        }
        Self::of(lens)
    }

    /// States that are cut into leaves of these lengths.
    fn of(mut lens: Vec<usize>) -> Self {
        // Both halves of a root are numbers.
        lens.resize(lens.len().max(2), 0);
        let len: usize = lens.iter().sum();
        let mut end = 0;
        let leaf = |leaf: &usize| {
            let begin = end;
            end += leaf;
            let at = begin.min(len.saturating_sub(LEAF));
            let mask = if *leaf == LEAF { u64::MAX } else { (1 << (8 * leaf)) - 1 };
            // Of an empty leaf behind the last byte nothing is left whatever the shift.
            let shift = (8 * (begin - at)).min(63);
            Leaf { len: *leaf as u32, at: at as u32, shift: shift as u32, mask }
        };
        let leaves: Vec<Leaf> = lens.iter().map(leaf).collect();
        let (n, n_firsts) = (leaves.len(), 1 << leaves.len().ilog2());
        let first = |at: usize| {
            // Pairs come first: the front of a state is shared by all processes and depends on them, so balance matters
            // less.
            let (from, to) = ((at * n).div_ceil(n_firsts), ((at + 1) * n).div_ceil(n_firsts));
            (from as u32, to - from == 2)
        };
        Self { len, leaves, firsts: (0..n_firsts).map(first).collect() }
    }

    pub(super) fn n_leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The first join; from there on, numbers are joined two by two, until two are left.
    #[inline(always)]
    pub(super) fn firsts(&self) -> &[(u32, bool)] {
        &self.firsts
    }

    /// How many joins there are at most, leaves and one for the length included.
    pub(super) fn n_places(&self) -> usize {
        self.leaves.len() + 2 * self.firsts.len() + 1
    }

    /// The leaves of a state.
    #[inline(always)]
    pub(super) fn read<'s>(&'s self, state: &'s [u8]) -> impl Iterator<Item = u64> + 's {
        debug_assert_eq!(state.len(), self.len);
        // States shorter than a word are read from a copy.
        let mut short = [0; LEAF];
        if state.len() < LEAF {
            short[..state.len()].copy_from_slice(state);
        }
        self.leaves.iter().map(move |leaf| {
            let word = state[leaf.at as usize..].first_chunk::<LEAF>().unwrap_or(&short);
            u64::from_le_bytes(*word) >> leaf.shift & leaf.mask
        })
    }

    /// The state with these leaves.
    pub(super) fn write(&self, leaves: impl Iterator<Item = u64>, into: &mut Vec<u8>) {
        into.clear();
        for (leaf, value) in self.leaves.iter().zip(leaves) {
            into.extend_from_slice(&value.to_le_bytes()[..leaf.len as usize]);
        }
    }

    /// The numbers that [`Self::load`] reads back; their count is saved apart.
    pub(super) fn saved(&self) -> impl Iterator<Item = u64> {
        self.leaves.iter().map(|leaf| leaf.len.into())
    }

    /// The shape of states of this length that was saved as so many numbers.
    pub(super) fn load(loader: &mut Loader, len: usize, n_numbers: u64) -> Result<Self, LoadError> {
        let mut lens = Vec::new();
        loader.numbers(n_numbers, |leaf| {
            lens.push(leaf as usize);
            if leaf <= LEAF as u64 { Ok(()) } else { Err(LoadError::Damaged) }
        })?;
        let shape = Self::of(lens);
        if shape.len == len { Ok(shape) } else { Err(LoadError::Damaged) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn states_come_back(
            state in prop::collection::vec(any::<u8>(), 0..100),
            mut borders in prop::collection::vec(0usize..100, 0..9),
        ) {
            borders.sort_unstable();
            let shape = Shape::new(state.len(), &borders);
            let leaves: Vec<u64> = shape.read(&state).collect();
            prop_assert_eq!(leaves.len(), shape.n_leaves());
            let mut back = vec![7];
            shape.write(leaves.into_iter(), &mut back);
            prop_assert_eq!(back, state);
            let joined: usize = shape.firsts().iter().map(|(_, is_pair)| 1 + usize::from(*is_pair)).sum();
            prop_assert_eq!(joined, shape.n_leaves());
        }
    }

    #[test]
    fn no_leaf_crosses_a_border_unless_it_holds_whole_parts() {
        let lens = |len, borders: &[usize]| Shape::new(len, borders).saved().collect::<Vec<_>>();
        assert_eq!(lens(36, &[8, 12, 20, 28]), [8, 4, 8, 8, 8]);
        assert_eq!(lens(24, &[3, 7, 19]), [7, 6, 6, 5]);
        assert_eq!(lens(20, &[]), [6, 7, 7]);
        assert_eq!(lens(12, &[9, 10]), [4, 5, 3]);
        assert_eq!(lens(3, &[1]), [3, 0]);
        assert_eq!(lens(0, &[0, 5]), [0, 0]);
    }
}
