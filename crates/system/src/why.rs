//! Reasons for the verdict `unknown`, each with its text and with what the user can do about it.
//!
//! One text for each limit and reason, whatever the language: reasons know their places by name, so the program is not needed to
//! read them.

use std::fmt;

use unpick_program::{Loc, Program};

use crate::Halt;

/// A place in a source, as users know it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Site {
    /// The file; empty if the place is not known.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

impl Site {
    /// A place of a program.
    pub fn new(program: &Program, loc: Loc) -> Self {
        match program.files.get(loc.file).filter(|_| loc.line != 0) {
            Some(file) => Self { file: file.clone(), line: loc.line, column: loc.column },
            None => Self::default(),
        }
    }

    /// Whether it is known.
    pub fn is_known(&self) -> bool {
        self.line != 0
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_known() {
            true => write!(f, "{}:{}", self.file, self.line),
            false => f.write_str("an unknown place"),
        }
    }
}

/// All reasons why nothing better than `unknown` can be said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Why {
    reasons: Vec<Reason>,
}

/// One reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The search was cut off as a whole.
    Limit {
        /// By what.
        limit: Limit,
        /// The loop that came round most often on the execution at hand.
        hottest: Option<HotLoop>,
        /// What made most branches, the greatest first.
        branches: Vec<Brancher>,
    },
    /// The run was cut off outside of a search.
    Stopped {
        /// By what.
        limit: Limit,
        /// What it was doing: `preprocessing`.
        phase: String,
    },
    /// An execution met something without a meaning.
    Unmodelled {
        /// What it is.
        what: String,
        /// Where.
        site: Site,
    },
    /// An input had too many values left when a single one was needed.
    TooWide {
        /// What the input stands for.
        label: String,
        /// Where it was chosen.
        chosen: Site,
        /// Where its value was needed.
        used: Site,
        /// How many values were left.
        n_values: u128,
    },
    /// `--unwind` cut a loop.
    Unwinding {
        /// The loop.
        loop_head: Site,
        /// The bound.
        bound: u64,
    },
    /// Calls nested too deeply.
    Recursion {
        /// The interpreter's words.
        what: String,
        /// Where.
        site: Site,
    },
    /// No execution satisfies the assumptions, so the goal holds for no good reason.
    Vacuous {
        /// One assumption that cut executions off.
        site: Site,
    },
    /// The engine cannot treat the program or goal.
    Unsupported {
        /// What it cannot treat.
        what: String,
        /// Where.
        site: Site,
    },
    /// Executions with more changes of thread than a bound were not followed.
    Bounded(Bound),
    /// The states are kept in a store that may forget some.
    LossyStore,
    /// No execution passes all the lines that it should.
    OffRoute {
        /// The most of them that any execution passes.
        n_passed: usize,
    },
    /// A model was searched instead of the program, and what it leaves open is open.
    Abstraction {
        /// One sentence, lower case, no full stop.
        text: String,
        /// What the user can do.
        remedy: Option<String>,
    },
    /// Our own mistake.
    Internal(String),
}

/// A bound on changes of thread within which everything was followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// What is counted.
    pub measure: Measure,
    /// How many.
    pub bound: u32,
    /// States within it.
    pub n_states: u64,
}

/// What a bound on changes of thread counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Threads that are left although they could go on.
    Preemptions,
    /// All changes of thread.
    Switches,
}

impl Bound {
    /// `3 preemptions`.
    pub fn text(&self) -> String {
        let plural = if self.bound == 1 { "" } else { "s" };
        match self.measure {
            Measure::Preemptions => format!("{} preemption{plural}", self.bound),
            Measure::Switches => format!("{} context switch{}", self.bound, if self.bound == 1 { "" } else { "es" }),
        }
    }
}

/// What a brancher is called where threads take turns.
pub const TURNS: &str = "turns of threads";

/// What cut the search off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// `--time`.
    Time,
    /// `--memory`.
    Memory,
    /// `--depth`.
    Depth(u64),
    /// The user.
    Interrupt,
}

impl Limit {
    /// What happened.
    fn text(&self) -> String {
        match self {
            Limit::Time => "the time limit was reached".to_owned(),
            Limit::Memory => "the memory limit was reached".to_owned(),
            Limit::Depth(depth) => format!("the depth limit of {depth} steps was reached"),
            Limit::Interrupt => "interrupted".to_owned(),
        }
    }

    /// The flag that raises it.
    fn option(&self) -> Option<&'static str> {
        match self {
            Limit::Time => Some("--time"),
            Limit::Memory => Some("--memory"),
            Limit::Depth(_) => Some("--depth"),
            Limit::Interrupt => None,
        }
    }
}

impl From<Halt> for Limit {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Time => Limit::Time,
            Halt::Memory => Limit::Memory,
            Halt::Interrupt => Limit::Interrupt,
        }
    }
}

/// A loop that came round often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HotLoop {
    /// Where it is.
    pub site: Site,
    /// The function it is in.
    pub function: String,
    /// How often it came round so far.
    pub n_iterations: u64,
}

/// A place where executions part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Brancher {
    /// Which input, or that threads take turns.
    pub what: String,
    /// Where.
    pub site: Site,
    /// How often executions parted there.
    pub n_branches: u64,
}

impl Why {
    /// A single reason.
    pub fn because(reason: Reason) -> Self {
        Self { reasons: vec![reason] }
    }

    /// Adds a reason unless it is known already.
    pub fn add(&mut self, reason: Reason) {
        if !self.reasons.iter().any(|known| known.says_as_much_as(&reason)) {
            self.reasons.push(reason);
        }
    }

    /// Whether memory ran out, and nothing else is to blame.
    pub fn is_out_of_memory(&self) -> bool {
        let is_memory = |reason: &Reason| matches!(reason, Reason::Limit { limit: Limit::Memory, .. });
        !self.reasons.is_empty() && self.reasons.iter().all(is_memory)
    }

    /// Whether there is no reason.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// All reasons, the weightiest first; which execution met them first makes no difference.
    pub fn reasons(&self) -> Vec<&Reason> {
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|reason| match reason {
            Reason::Unmodelled { what, site } => (reason.weight(), Some(site), what.as_str()),
            _ => (reason.weight(), None, ""),
        });
        reasons
    }

    /// The first reason and how many more there are: fits in the last line of a report.
    pub fn summary(&self) -> String {
        match self.reasons().as_slice() {
            [] => "no reason was recorded".to_owned(),
            [only] => only.text(),
            [first, rest @ ..] => format!("{}; and {} more", first.text(), rest.len()),
        }
    }
}

impl Reason {
    /// A limit, where nothing is known of loops and branches.
    pub fn limit(limit: Limit) -> Self {
        Reason::Limit { limit, hottest: None, branches: Vec::new() }
    }

    /// Something that is not treated, at no place in particular.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Reason::Unsupported { what: what.into(), site: Site::default() }
    }

    /// One sentence, lower case, no full stop.
    pub fn text(&self) -> String {
        match self {
            Reason::Limit { limit, hottest, .. } => {
                let mut text = limit.text();
                if let Some(HotLoop { site, function, n_iterations }) = hottest {
                    text += &format!(" in the loop at {site} in `{function}` after {n_iterations} iterations");
                }
                text
            }
            Reason::Stopped { limit, phase } => format!("{} while {phase}", limit.text()),
            Reason::Unmodelled { what, site } => format!("unmodelled at {site}: {what}"),
            Reason::TooWide { label, chosen, used, n_values } => format!(
                "input {label} chosen at {chosen} is too wide: {} are left where it is used at {used}",
                count(*n_values),
            ),
            Reason::Unwinding { loop_head, bound } => {
                format!("the loop at {loop_head} goes on after {bound} iterations")
            }
            Reason::Recursion { what, site } => format!("{what} at {site}"),
            Reason::Vacuous { site } if !site.is_known() => {
                "vacuous: no execution satisfies the assumptions".to_owned()
            }
            Reason::Vacuous { site } => {
                format!("vacuous: no execution satisfies the assumptions, see {site}")
            }
            Reason::Unsupported { what, site } if !site.is_known() => what.clone(),
            Reason::Unsupported { what, site } => format!("{what} at {site}"),
            Reason::Bounded(bound) => format!("no violation within {}", bound.text()),
            Reason::LossyStore => {
                "nothing was found, but the store does not keep whole states, so some may have been missed".to_owned()
            }
            Reason::OffRoute { .. } => "no execution of the program goes this way".to_owned(),
            Reason::Abstraction { text, .. } => text.clone(),
            Reason::Internal(what) => format!("internal: {what}"),
        }
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> Option<String> {
        let text = match self {
            Reason::Limit { limit, hottest, branches } => {
                let option = limit.option()?;
                let advice = match (hottest, branches.first()) {
                    (Some(_), _) => format!("raise {option}, bound the loop in the driver, or cut it with --unwind N"),
                    (None, Some(most)) if most.what == TURNS => {
                        format!("raise {option}, use fewer threads, or look at few changes with --preemptions N")
                    }
                    (None, Some(_)) => format!("raise {option}, or narrow the inputs with __VERIFIER_assume"),
                    (None, None) => format!("raise {option}"),
                };
                let most = branches.iter().map(|Brancher { what, site, n_branches }| {
                    format!("{what} at {site} ({n_branches} branch{})", if *n_branches == 1 { "" } else { "es" })
                });
                match most.collect::<Vec<_>>().join(", ") {
                    most if most.is_empty() => advice,
                    most => format!("{advice}; executions part most at: {most}"),
                }
            }
            Reason::Stopped { limit, .. } => format!("raise {}", limit.option()?),
            Reason::Unmodelled { .. } => "give a body in C that does what matters here".to_owned(),
            Reason::TooWide { .. } => "narrow the input with __VERIFIER_assume or a range check".to_owned(),
            Reason::Unwinding { .. } => "raise --unwind, or leave it out".to_owned(),
            Reason::Recursion { .. } => "bound the recursion in the driver".to_owned(),
            Reason::Vacuous { .. } => "look for assumptions that contradict each other".to_owned(),
            Reason::Bounded(bound) => match bound.measure {
                Measure::Preemptions => "raise --preemptions, or leave it out".to_owned(),
                Measure::Switches => "raise --switches, or leave it out".to_owned(),
            },
            Reason::Internal(_) => "this is a bug of unpick; please report it with the input".to_owned(),
            Reason::LossyStore => "give it more memory, or --store tree".to_owned(),
            Reason::Abstraction { remedy, .. } => return remedy.clone(),
            Reason::OffRoute { .. } | Reason::Unsupported { .. } => return None,
        };
        Some(text)
    }

    /// The place a reason speaks of, if it speaks of one.
    pub fn site(&self) -> Option<&Site> {
        let site = match self {
            Reason::Limit { hottest, .. } => hottest.as_ref().map(|hot| &hot.site),
            Reason::Unmodelled { site, .. }
            | Reason::Recursion { site, .. }
            | Reason::Vacuous { site }
            | Reason::Unsupported { site, .. } => Some(site),
            Reason::TooWide { used, .. } => Some(used),
            Reason::Unwinding { loop_head, .. } => Some(loop_head),
            Reason::Stopped { .. }
            | Reason::Bounded(_)
            | Reason::LossyStore
            | Reason::OffRoute { .. }
            | Reason::Abstraction { .. }
            | Reason::Internal(_) => None,
        };
        site.filter(|site| site.is_known())
    }

    /// Whether users learn nothing more from the other reason: it may differ in numbers.
    fn says_as_much_as(&self, other: &Reason) -> bool {
        match (self, other) {
            (
                Reason::TooWide { label, chosen, used, .. },
                Reason::TooWide { label: other_label, chosen: other_chosen, used: other_used, .. },
            ) => label == other_label && chosen == other_chosen && used == other_used,
            (Reason::Limit { limit, .. }, Reason::Limit { limit: other, .. }) => limit == other,
            (left, right) => left == right,
        }
    }

    /// Orders reasons for the summary: our own mistakes first, then what cut most off.
    fn weight(&self) -> u8 {
        match self {
            Reason::Internal(_) => 0,
            Reason::Unsupported { .. } => 1,
            Reason::Limit { .. } | Reason::Stopped { .. } => 2,
            Reason::Vacuous { .. } => 3,
            Reason::TooWide { .. } => 4,
            Reason::Unmodelled { .. } => 5,
            Reason::Recursion { .. } => 6,
            Reason::Unwinding { .. } => 7,
            Reason::LossyStore => 8,
            Reason::Bounded(_) => 9,
            Reason::OffRoute { .. } | Reason::Abstraction { .. } => 10,
        }
    }
}

/// `file.c:12`, as people write places.
pub fn place(program: &Program, loc: Loc) -> String {
    Site::new(program, loc).to_string()
}

/// A number of values; large powers of two by their exponent.
fn count(n_values: u128) -> String {
    if n_values == 0 {
        return "2^128 values".to_owned();
    }
    if n_values >= 1 << 20 && n_values.is_power_of_two() {
        return format!("2^{} values", n_values.trailing_zeros());
    }
    format!("{n_values} values")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_place_and_remedy() {
        let site = Site { file: "a.c".to_owned(), line: 7, column: 3 };
        let hottest = Some(HotLoop { site: site.clone(), function: "f".to_owned(), n_iterations: 12 });
        let mut why = Why::because(Reason::Unwinding { loop_head: site.clone(), bound: 3 });
        why.add(Reason::Limit { limit: Limit::Time, hottest, branches: Vec::new() });
        why.add(Reason::Unwinding { loop_head: site.clone(), bound: 3 });
        assert_eq!(why.reasons().len(), 2);
        let summary = why.summary();
        assert_eq!(summary, "the time limit was reached in the loop at a.c:7 in `f` after 12 iterations; and 1 more");
        assert!(why.reasons()[0].remedy().unwrap().contains("--unwind"));
        let branches = vec![Brancher { what: "x()".to_owned(), site: site.clone(), n_branches: 9 }];
        let limit = Reason::Limit { limit: Limit::Time, hottest: None, branches };
        let remedy = limit.remedy().unwrap();
        assert!(remedy.contains("executions part most at: x() at a.c:7 (9 branches)"), "{remedy}");
        let wide = Reason::TooWide { label: "x()".to_owned(), chosen: site.clone(), used: site, n_values: 1 << 32 };
        assert!(wide.text().contains("2^32 values"));
    }
}
