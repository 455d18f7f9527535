//! What a search has done and where it pauses: counted work, polls, peaks.
//!
//! Work is counted, not timed, so that pauses come at the same places everywhere.

use unpick_system::Stats;

/// Work between two polls: instructions and bytes of keys.
const POLL_WORK: u64 = 200_000;
/// Choices between two polls.
const POLL_TRANSITIONS: u64 = 1_000;
/// What a transition costs besides its instructions.
const TRANSITION: u64 = 8;
/// What asking a thread for its next step costs.
const LOOK: u64 = 16;

/// Counts of one search.
pub(crate) struct Meter {
    /// States and instructions are counted elsewhere.
    pub stats: Stats,
    /// Choices on the way to the current state.
    pub depth: u64,
    /// Bytes of the summaries of all states.
    pub summary_bytes: u64,
    /// Bytes of states that wait to be followed, estimated.
    pub waiting_bytes: u64,
    /// How often a thread was asked for its next step, and one for each time: work, as instructions are.
    pub n_looks: u64,
    /// The search pauses when so much work is done.
    pub pause_at: u64,
    /// It was halted for a pause.
    pub is_paused: bool,
    polled: (u64, u64),
}

impl Meter {
    pub(crate) fn new() -> Self {
        let (stats, pause_at) = (Stats::default(), u64::MAX);
        Self {
            stats,
            depth: 0,
            summary_bytes: 0,
            waiting_bytes: 0,
            n_looks: 0,
            pause_at,
            is_paused: false,
            polled: (0, 0),
        }
    }

    /// All work, where `basic` are instructions and written keys.
    pub(crate) fn done(&self, basic: u64) -> u64 {
        basic + TRANSITION * self.stats.transitions + LOOK * self.n_looks
    }

    /// Whether it is time for a pause. It ends the search as the end of the time does, but says so.
    pub(crate) fn pauses(&mut self, basic: u64) -> bool {
        self.is_paused = self.done(basic) >= self.pause_at;
        self.is_paused
    }

    /// Whether enough was done since the last poll.
    pub(crate) fn is_poll_due(&self, basic: u64) -> bool {
        basic - self.polled.0 >= POLL_WORK || self.stats.transitions - self.polled.1 >= POLL_TRANSITIONS
    }

    pub(crate) fn polled(&mut self, basic: u64) {
        self.polled = (basic, self.stats.transitions);
    }

    /// The search stands so deep.
    pub(crate) fn set_depth(&mut self, depth: u64) {
        self.depth = depth;
        self.stats.depth = self.stats.depth.max(depth);
    }

    pub(crate) fn note_bytes(&mut self, bytes: u64) {
        self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
    }
}
