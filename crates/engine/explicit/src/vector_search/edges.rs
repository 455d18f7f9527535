//! The kept part of the product graph in compressed form: four bytes for a state and four for an edge.

use crate::graph::Graph;

/// Words of a piece; the successors of a state lie in one.
const PIECE_BITS: u32 = 20;
const PIECE: usize = 1 << PIECE_BITS;
/// In front of a state's successors stands the state itself, with this mark.
const HEAD: u32 = 1 << 31;
/// The state is accepted.
const ACCEPTING: u32 = 1 << 30;
/// States with larger numbers cannot be kept.
pub(super) const MAX_ID: u64 = (1 << 30) - 1;

/// What one worker has kept.
#[derive(Default)]
pub(super) struct Edges {
    pieces: Vec<Vec<u32>>,
    /// Successors of the state at hand.
    pending: Vec<u32>,
}

impl Edges {
    pub(super) fn push(&mut self, target: u32) {
        self.pending.push(target);
    }

    /// What was pushed does not count.
    pub(super) fn discard(&mut self) {
        self.pending.clear();
    }

    /// What was pushed are the successors of this state. False if they are too many.
    pub(super) fn commit(&mut self, source: u32, is_accepting: bool) -> bool {
        if self.pending.is_empty() {
            return true;
        }
        let n_words = self.pending.len() + 1;
        if n_words > PIECE {
            return false;
        }
        if self.pieces.last().is_none_or(|piece| piece.len() + n_words > PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        let piece = self.pieces.last_mut().expect("there should be a piece");
        piece.push(source | HEAD | if is_accepting { ACCEPTING } else { 0 });
        piece.append(&mut self.pending);
        true
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.pieces.len() * PIECE * size_of::<u32>()) as u64
    }
}

/// All that workers have kept.
pub(super) struct EdgeGraph<'a> {
    pieces: Vec<&'a [u32]>,
    /// Where the successors of a state begin, and one; zero if it has none.
    first: Vec<u32>,
}

impl<'a> EdgeGraph<'a> {
    pub(super) fn new(edges: impl Iterator<Item = &'a Edges>, n_ids: usize) -> Self {
        let pieces: Vec<&[u32]> = edges.flat_map(|edges| &edges.pieces).map(Vec::as_slice).collect();
        let mut first = vec![0; if pieces.is_empty() { 0 } else { n_ids }];
        for (number, piece) in pieces.iter().enumerate() {
            for (at, word) in piece.iter().enumerate().filter(|(_, word)| **word & HEAD != 0) {
                first[source(*word) as usize] = (number << PIECE_BITS | at) as u32 + 1;
            }
        }
        Self { pieces, first }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn is_accepting(&self, state: u32) -> bool {
        match self.first[state as usize].checked_sub(1) {
            Some(at) => self.pieces[(at >> PIECE_BITS) as usize][at as usize % PIECE] & ACCEPTING != 0,
            None => false,
        }
    }
}

impl Graph for EdgeGraph<'_> {
    fn n_nodes(&self) -> usize {
        self.first.len()
    }

    fn sources(&self) -> impl Iterator<Item = u32> + '_ {
        self.pieces.iter().flat_map(|piece| piece.iter()).filter(|word| **word & HEAD != 0).map(|word| source(*word))
    }

    #[inline]
    fn begin(&self, state: u32) -> u32 {
        // Behind the head; nowhere is behind the end of all pieces.
        match self.first[state as usize] {
            0 => u32::MAX,
            first => first,
        }
    }

    #[inline]
    fn at(&self, position: u32) -> Option<u32> {
        let target = *self.pieces.get((position >> PIECE_BITS) as usize)?.get(position as usize % PIECE)?;
        (target & HEAD == 0).then_some(target)
    }
}

fn source(word: u32) -> u32 {
    word & !(HEAD | ACCEPTING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_come_back() {
        let mut edges = Edges::default();
        assert!(edges.commit(1, true));
        for (state, n) in [(0, 3), (7, 700_000), (2, 400_000)] {
            (0..n).for_each(|target| edges.push(target));
            assert!(edges.commit(state, state == 7));
        }
        let graph = EdgeGraph::new([&edges].into_iter(), 9);
        assert_eq!(graph.successors(0).collect::<Vec<u32>>(), [0, 1, 2]);
        assert_eq!(graph.successors(2).count(), 400_000);
        assert_eq!(graph.successors(7).last(), Some(699_999));
        assert_eq!((graph.successors(1).count(), graph.successors(8).count()), (0, 0));
        assert_eq!([0, 1, 7].map(|state| graph.is_accepting(state)), [false, false, true]);
        assert_eq!(graph.sources().collect::<Vec<u32>>(), [0, 7, 2]);
        (0..PIECE as u32).for_each(|target| edges.push(target));
        assert!(!edges.commit(3, false));
    }
}
