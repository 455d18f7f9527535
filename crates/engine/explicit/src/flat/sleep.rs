//! Which processes need not be asked in a state, because of the step that led there.
//!
//! If a step of one process and what an older one can do at its location touch nothing in common but what both only read,
//! their order does not matter: both orders lead to the same states. Of the two, the one in which the older process comes
//! first is kept; in a state that the younger one's step was the first to find, the older sleeps. All states are found
//! all the same, only not on all ways: a state has one step on the average that must be taken, so that up to all others
//! can be saved. (Sleep sets do this for whole executions; here one step is remembered, and only for as long as the
//! state waits.)
//!
//! Why no state is lost, in whatever order states are looked at: let `t`, a step of process `p` at `s`, have been the first
//! to find `s'`, and let `u` be a step of a process `q < p` that sleeps there. `u` was possible at `s` too. That what
//! a step leads to is found is shown by induction, first over the processes from the youngest to the oldest, then over
//! the order in which states were found. `s` was found before `s'`, and `u` belongs to the same process there, so what
//! `u` leads to from `s` is found; from there `t`, of a younger process, leads to what `u` leads to from `s'`, so
//! that is found. In the same way, a step that goes wrong does so where it is taken, and with breadth first no
//! execution becomes longer. A state in which all who are awake can do nothing has to be asked in full.
//!
//! Steps that depend on more than what they touch are never saved and save none: a handshake moves two processes,
//! `timeout` asks all, and whether a process can end depends on those behind it.

use unpick_ir::automaton::Model;
use unpick_system::{Asleep, Successor};

use super::access::Accesses;
use super::ample::Classes;

/// Beyond so many words, the table costs more than it saves.
const MAX_WORDS: usize = 1 << 20;

/// The step by which a state was found: the row of the table, and the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrival(u32);

impl Arrival {
    /// Nobody sleeps after it.
    pub(super) const NONE: Arrival = Arrival(0);
}

/// Who sleeps after which step; see the module.
pub(super) struct Sleep {
    /// The row of the steps of each location; the first row is empty.
    row_of: Vec<u32>,
    /// Rows of bits: the locations whose steps commute with those of the row.
    rows: Vec<u64>,
    n_words: usize,
}

impl Sleep {
    /// `None` if processes, or who watches them, can see more of each other than what they touch.
    pub(super) fn new(model: &Model) -> Option<Self> {
        if model.has_code || model.hidden_size > 0 {
            return None;
        }
        let accesses = Accesses::new(model, None)?;
        let mut classes = Classes::default();
        let known = accesses.by_proctype().flatten();
        let slots: Vec<Option<u32>> = known.map(|known| known.whole.map(|whole| classes.class(whole))).collect();
        let n_words = slots.len().div_ceil(64);
        let n_rows = classes.all.len() + 1;
        if slots.is_empty() || n_rows * n_words > MAX_WORDS {
            return None;
        }
        let mut rows = vec![0; n_rows * n_words];
        for (row, access) in rows.chunks_exact_mut(n_words).skip(1).zip(&classes.all) {
            let commutes: Vec<bool> = classes.all.iter().map(|other| !access.conflicts(other)).collect();
            let sleeps = slots.iter().map(|class| class.is_some_and(|class| commutes[class as usize]));
            sleeps.enumerate().filter(|(_, sleeps)| *sleeps).for_each(|(slot, _)| row[slot / 64] |= 1 << (slot % 64));
        }
        let row_of = slots.iter().map(|class| class.map_or(0, |class| class + 1)).collect();
        Some(Self { row_of, rows, n_words })
    }

    /// The step that led to a state.
    #[inline]
    pub(super) fn arrival(&self, successor: Successor) -> Arrival {
        let row = self.row_of.get(successor.slot as usize).copied().unwrap_or(0);
        Arrival(row << 8 | u32::from(successor.mover))
    }

    /// Who sleeps after a step.
    #[inline]
    pub(super) fn after(&self, arrival: Arrival) -> Asleep<'_> {
        let row = (arrival.0 >> 8) as usize;
        Asleep { below: arrival.0 as u8, slots: &self.rows[row * self.n_words..][..self.n_words] }
    }
}
