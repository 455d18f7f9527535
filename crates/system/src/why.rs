//! Why a verdict is unknown: every reason on its own, with what the user can do about it.

use unpick_ir::{Loc, Program};

use crate::Halt;

/// All reasons why nothing better than `unknown` can be said.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Why {
    reasons: Vec<Reason>,
}

/// One reason.
#[derive(Clone, PartialEq, Debug)]
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
    /// An execution met something without a meaning.
    Unmodelled {
        /// What it is.
        what: String,
        /// Where.
        loc: Loc,
    },
    /// An input had too many values left when a single one was needed.
    TooWide {
        /// What the input stands for.
        label: String,
        /// Where it was chosen.
        chosen: Loc,
        /// Where its value was needed.
        used: Loc,
        /// How many values were left.
        n_values: u128,
    },
    /// `--unwind` cut a loop.
    Unwinding {
        /// The loop.
        loop_head: Loc,
        /// The bound.
        bound: u64,
    },
    /// Calls nested too deeply.
    Recursion {
        /// The interpreter's words.
        what: String,
        /// Where.
        loc: Loc,
    },
    /// No execution satisfies the assumptions, so the goal holds for no good reason.
    Vacuous {
        /// One assumption that cut executions off.
        loc: Loc,
    },
    /// The engine cannot treat the program or goal.
    Unsupported {
        /// What it cannot treat.
        what: String,
        /// Where.
        loc: Loc,
    },
    /// Executions with more changes of thread than a bound were not followed.
    Bounded(Bound),
    /// The states are kept in a store that may forget some.
    LossyStore,
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
#[derive(Clone, PartialEq, Debug)]
pub struct HotLoop {
    /// Where it is.
    pub loc: Loc,
    /// The function it is in.
    pub function: String,
    /// How often it came round so far.
    pub n_iterations: u64,
}

/// A place where executions part.
#[derive(Clone, PartialEq, Debug)]
pub struct Brancher {
    /// Which input, or that threads take turns.
    pub what: String,
    /// Where.
    pub loc: Loc,
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

    /// Whether there is no reason.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// All reasons, the weightiest first; which execution met them first makes no difference.
    pub fn reasons(&self) -> Vec<&Reason> {
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|reason| match reason {
            Reason::Unmodelled { what, loc } => (reason.weight(), *loc, what.as_str()),
            _ => (reason.weight(), Loc::NONE, ""),
        });
        reasons
    }

    /// The first reason and how many more there are: fits in the last line of a report.
    pub fn summary(&self, program: &Program) -> String {
        match self.reasons().as_slice() {
            [] => "no reason was recorded".to_owned(),
            [only] => only.text(program),
            [first, rest @ ..] => format!("{}; and {} more", first.text(program), rest.len()),
        }
    }
}

impl Reason {
    /// One sentence, lower case, no full stop.
    pub fn text(&self, program: &Program) -> String {
        let at = |loc: Loc| place(program, loc);
        match self {
            Reason::Limit { limit, hottest, .. } => {
                let mut text = match limit {
                    Limit::Time => "the time limit was reached".to_owned(),
                    Limit::Memory => "the memory limit was reached".to_owned(),
                    Limit::Depth(depth) => format!("the depth limit of {depth} choices was reached"),
                    Limit::Interrupt => "interrupted".to_owned(),
                };
                if let Some(HotLoop { loc, function, n_iterations }) = hottest {
                    let place = at(*loc);
                    text += &format!(" in the loop at {place} in `{function}` after {n_iterations} iterations");
                }
                text
            }
            Reason::Unmodelled { what, loc } => format!("unmodelled at {}: {what}", at(*loc)),
            Reason::TooWide { label, chosen, used, n_values } => format!(
                "input {label} chosen at {} is too wide: {} are left where it is used at {}",
                at(*chosen),
                count(*n_values),
                at(*used),
            ),
            Reason::Unwinding { loop_head, bound } => {
                format!("the loop at {} goes on after {bound} iterations", at(*loop_head))
            }
            Reason::Recursion { what, loc } => format!("{what} at {}", at(*loc)),
            Reason::Vacuous { loc } if loc.line == 0 => "vacuous: no execution satisfies the assumptions".to_owned(),
            Reason::Vacuous { loc } => {
                format!("vacuous: no execution satisfies the assumptions, see {}", at(*loc))
            }
            Reason::Unsupported { what, loc } if loc.line == 0 => what.clone(),
            Reason::Unsupported { what, loc } => format!("{what} at {}", at(*loc)),
            Reason::Bounded(bound) => format!("no violation within {}", bound.text()),
            Reason::LossyStore => "the state store may have taken a new state for a known one".to_owned(),
            Reason::Internal(what) => format!("internal: {what}"),
        }
    }

    /// What the user can do about it.
    pub fn remedy(&self, program: &Program) -> Option<String> {
        let text = match self {
            Reason::Limit { limit, hottest, branches } => {
                let option = match limit {
                    Limit::Time => "--time",
                    Limit::Memory => "--memory",
                    Limit::Depth(_) => "--depth",
                    Limit::Interrupt => return None,
                };
                let advice = match (hottest, branches.first()) {
                    (Some(_), _) => format!("raise {option}, bound the loop in the driver, or cut it with --unwind N"),
                    (None, Some(most)) if most.what == TURNS => {
                        format!("raise {option}, use fewer threads, or look at few changes with --preemptions N")
                    }
                    (None, _) => format!("raise {option}, or narrow the inputs with __VERIFIER_assume"),
                };
                let most = branches.iter().map(|Brancher { what, loc, n_branches }| {
                    let place = place(program, *loc);
                    format!("{what} at {place} ({n_branches} branch{})", if *n_branches == 1 { "" } else { "es" })
                });
                match most.collect::<Vec<_>>().join(", ") {
                    most if most.is_empty() => advice,
                    most => format!("{advice}; executions part most at: {most}"),
                }
            }
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
            Reason::Unsupported { .. } | Reason::LossyStore => return None,
        };
        Some(text)
    }

    /// The place a reason speaks of, if it speaks of one.
    pub fn loc(&self) -> Option<Loc> {
        match self {
            Reason::Limit { hottest, .. } => hottest.as_ref().map(|hot| hot.loc),
            Reason::Unmodelled { loc, .. }
            | Reason::Recursion { loc, .. }
            | Reason::Vacuous { loc }
            | Reason::Unsupported { loc, .. } => (loc.line != 0).then_some(*loc),
            Reason::TooWide { used, .. } => Some(*used),
            Reason::Unwinding { loop_head, .. } => Some(*loop_head),
            Reason::Bounded(_) | Reason::LossyStore | Reason::Internal(_) => None,
        }
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
            Reason::Limit { .. } => 2,
            Reason::Vacuous { .. } => 3,
            Reason::TooWide { .. } => 4,
            Reason::Unmodelled { .. } => 5,
            Reason::Recursion { .. } => 6,
            Reason::Unwinding { .. } => 7,
            Reason::LossyStore => 8,
            Reason::Bounded(_) => 9,
        }
    }
}

/// `file.c:12`, as people write places.
pub fn place(program: &Program, loc: Loc) -> String {
    match program.files.get(loc.file) {
        Some(file) if loc.line != 0 => format!("{file}:{}", loc.line),
        Some(_) | None => "an unknown place".to_owned(),
    }
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
    use unpick_ir::FileId;

    #[test]
    fn reasons_name_place_and_remedy() {
        let mut program = Program::default();
        program.files.push("a.c".to_owned());
        let loc = Loc { file: FileId(0), line: 7, column: 3 };
        let hottest = Some(HotLoop { loc, function: "f".to_owned(), n_iterations: 12 });
        let mut why = Why::because(Reason::Unwinding { loop_head: loc, bound: 3 });
        why.add(Reason::Limit { limit: Limit::Time, hottest, branches: Vec::new() });
        why.add(Reason::Unwinding { loop_head: loc, bound: 3 });
        assert_eq!(why.reasons().len(), 2);
        let summary = why.summary(&program);
        assert_eq!(summary, "the time limit was reached in the loop at a.c:7 in `f` after 12 iterations; and 1 more");
        assert!(why.reasons()[0].remedy(&program).unwrap().contains("--unwind"));
        let branches = vec![Brancher { what: "x()".to_owned(), loc, n_branches: 9 }];
        let limit = Reason::Limit { limit: Limit::Time, hottest: None, branches };
        let remedy = limit.remedy(&program).unwrap();
        assert!(remedy.contains("executions part most at: x() at a.c:7 (9 branches)"), "{remedy}");
        let wide = Reason::TooWide { label: "x()".to_owned(), chosen: loc, used: loc, n_values: 1 << 32 };
        assert!(wide.text(&program).contains("2^32 values"));
    }
}
