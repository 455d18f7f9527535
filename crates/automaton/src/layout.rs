//! Positions of processes in the vector of a state, for analyses that read only their types and locations.

use super::{Frame, Model};

/// Found once for a model.
pub struct Layout {
    /// Where the number of processes lies.
    count_at: usize,
    /// Where the first process lies.
    first: usize,
    /// Bytes of a process before its variables.
    pub head: usize,
    /// How many bytes a process of each type takes, with its channels.
    sizes: Vec<usize>,
}

/// A process in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Where it lies.
    pub at: usize,
    /// Its type.
    pub proctype: u8,
    /// Its location.
    pub location: u16,
    /// How many processes lie behind it.
    n_younger: u8,
}

impl Layout {
    /// The layout of a model's states.
    pub fn new(model: &Model) -> Self {
        let channels = |frame: &Frame| -> usize {
            frame.channels.iter().map(|channel| model.channel_types[*channel].size() as usize).sum()
        };
        let size = |frame: &Frame| model.process_head() + frame.size as usize + channels(frame);
        let count_at = model.hidden_size as usize;
        Self {
            count_at,
            first: count_at + model.global_head() + model.globals.size as usize + channels(&model.globals),
            head: model.process_head(),
            sizes: model.proctypes.iter().map(|proctype| size(&proctype.frame)).collect(),
        }
    }

    /// How many processes there are in a state.
    #[inline]
    pub fn n_processes(&self, state: &[u8]) -> usize {
        state[self.count_at].into()
    }

    /// The oldest process of a state.
    #[inline]
    pub fn first_position(&self, state: &[u8]) -> Option<Position> {
        (state[self.count_at] > 0).then(|| self.position(state, self.first, state[self.count_at] - 1))
    }

    /// The next younger process; types and locations must not have changed meanwhile.
    #[inline]
    pub fn next_position(&self, state: &[u8], last: Position) -> Option<Position> {
        let at = last.at + self.sizes[usize::from(last.proctype)];
        (last.n_younger > 0).then(|| self.position(state, at, last.n_younger - 1))
    }

    /// All processes of a state, oldest first.
    #[inline]
    pub fn positions<'s>(&'s self, state: &'s [u8]) -> impl Iterator<Item = Position> + 's {
        std::iter::successors(self.first_position(state), |last| self.next_position(state, *last))
    }

    /// The process that lies at a place, as if it were the youngest.
    #[inline]
    pub fn at(&self, state: &[u8], at: usize) -> Position {
        self.position(state, at, 0)
    }

    #[inline]
    fn position(&self, state: &[u8], at: usize, n_younger: u8) -> Position {
        Position { at, proctype: state[at], location: u16::from_le_bytes([state[at + 1], state[at + 2]]), n_younger }
    }
}
