//! Reports: verdicts, traces and diagnostics as text, JSON and other formats. Nothing here opens a file.
#![forbid(unsafe_code)]

pub mod accept;
mod cells;
pub mod chart;
pub mod competition;
pub mod diagnostic;
pub mod escape;
pub mod fingerprint;
pub mod graph;
pub mod html;
pub mod json;
pub mod junit;
pub mod kinds;
pub mod picture;
pub mod sarif;
pub mod snippet;
pub mod text;
pub mod trace;
mod xml;

use unpick_system::{Bound, Stats};
use unpick_witness::{Failing, FileCoverage, Finding, Judgement, LockGraph, Trace};

/// Everything a run has to say.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict in the user's terms.
    pub judgement: Judgement,
    /// Violations besides the one that is the verdict, each replayed.
    pub others: Vec<Failing>,
    /// What was looked for: names of kinds, and claims as they were written.
    pub properties: Vec<String>,
    /// Whether the search went on behind the first violation, to its end.
    pub is_complete: bool,
    /// What the verdict rests on, in the order to be listed.
    pub assumptions: Vec<String>,
    /// Bounds on changes of thread within which everything was followed.
    pub bounds: Vec<Bound>,
    /// What the search cost.
    pub stats: Stats,
    /// The order in which locks were taken.
    pub locks: LockGraph,
    /// Line coverage; empty if it was not recorded.
    pub coverage: Vec<FileCoverage>,
    /// How the search grew: seconds and states, in order; empty for short runs.
    pub growth: Vec<(f64, u64)>,
}

impl Outcome {
    /// An outcome that has nothing to say beyond the verdict.
    pub fn new(judgement: Judgement, stats: Stats) -> Self {
        Self {
            judgement,
            others: Vec::new(),
            properties: Vec::new(),
            is_complete: false,
            assumptions: Vec::new(),
            bounds: Vec::new(),
            stats,
            locks: LockGraph::default(),
            coverage: Vec::new(),
            growth: Vec::new(),
        }
    }
}

/// Source lines by file and number, implemented where files may be opened.
pub trait Sources {
    /// A line (from one) of a file under the name that places use; without its line end.
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

impl<F: Fn(&str, u32) -> Option<String>> Sources for F {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        self(file, line)
    }
}

/// Whether text carries terminal colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Escape sequences for colours.
    Always,
    /// Plain text.
    Never,
}

/// What text is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Whether it may carry colours.
    pub colour: Colour,
    /// How many columns a line has.
    pub width: usize,
}

/// Columns where there is no terminal.
pub const DEFAULT_WIDTH: usize = 100;

/// How much of a trace is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceStyle {
    /// Every step.
    Full,
    /// Steps that change or decide something, and the last ones.
    #[default]
    Short,
    /// None.
    None,
}

impl Outcome {
    /// The exit code of a run with this outcome.
    pub fn exit_code(&self) -> u8 {
        match self.judgement {
            Judgement::Verified => 0,
            Judgement::Violated { .. } if !self.is_all_accepted() => 1,
            Judgement::Violated { .. } if self.is_complete => 0,
            Judgement::Violated { .. } | Judgement::Unknown(_) => 3,
        }
    }

    /// Everything that goes wrong, the verdict's violation first.
    pub fn failing(&self) -> impl Iterator<Item = (&Finding, &Trace)> {
        let first = match &self.judgement {
            Judgement::Violated { finding, trace } => Some((finding, trace)),
            Judgement::Verified | Judgement::Unknown(_) => None,
        };
        first.into_iter().chain(self.others.iter().map(|other| (&other.finding, &other.trace)))
    }

    /// Whether every violation was known before the run, or a comment accepts it.
    pub fn is_all_accepted(&self) -> bool {
        self.failing().all(|(finding, _)| finding.accepted.is_some())
    }

    /// The last line on standard output, without its line end.
    pub fn verdict_line(&self) -> String {
        match &self.judgement {
            Judgement::Verified => "verdict: verified".to_owned(),
            Judgement::Violated { finding, .. } => {
                let file = escape::visible(&finding.file);
                let accepted = if self.is_all_accepted() { "; accepted" } else { "" };
                format!("verdict: violated ({} at {file}:{}{accepted})", finding.kind, finding.line)
            }
            Judgement::Unknown(_) => format!("verdict: unknown ({})", escape::visible(&self.reason())),
        }
    }

    /// Why the verdict is unknown; empty if it is not.
    pub fn reason(&self) -> String {
        match &self.judgement {
            Judgement::Unknown(why) => why.summary(),
            Judgement::Verified | Judgement::Violated { .. } => String::new(),
        }
    }
}
