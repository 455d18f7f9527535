//! Clock, memory and signals for a running search, and the progress line.

use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use unpick_report::text::bytes;
use unpick_system::{Halt, Snapshot};

use crate::{events, guard};

/// Shorter runs show no progress.
const QUIET_TIME: Duration = Duration::from_secs(2);
/// On a terminal the line is redrawn this often; into a file it is written every [`FILE_PERIOD`].
const TERMINAL_PERIOD: Duration = Duration::from_millis(200);
const FILE_PERIOD: Duration = Duration::from_secs(10);
/// Progress is an event this often.
const EVENT_PERIOD: Duration = Duration::from_secs(1);

/// Watches over one run; searches that work side by side ask it in turn.
pub struct Supervisor {
    time_limit: Duration,
    is_quiet: bool,
    is_terminal: bool,
    bar: ProgressBar,
    told: Mutex<Told>,
}

/// What has been told so far, and when.
#[derive(Default)]
struct Told {
    shown: Duration,
    streamed: Duration,
    growth: Growth,
}

/// How the search grew, in at most [`MAX_SAMPLES`] points: when there are too many, every second one goes.
#[derive(Default)]
struct Growth {
    samples: Vec<(f64, u64)>,
    period: f64,
}

const MAX_SAMPLES: usize = 240;

impl Growth {
    fn note(&mut self, seconds: f64, states: u64) {
        let (last, most) = self.samples.last().copied().unwrap_or((f64::MIN, 0));
        if seconds - last < self.period || states < most {
            return;
        }
        self.samples.push((seconds, states));
        if self.samples.len() > MAX_SAMPLES {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.period = (self.period * 2.0).max(0.02);
        }
    }
}

impl Supervisor {
    /// The clock has been running since the process began. Ctrl-C ends the search, and what was learnt is still reported.
    pub fn start(time_limit: Duration, is_quiet: bool) -> Supervisor {
        guard::enter("searching");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        bar.set_style(ProgressStyle::with_template("{msg}").expect("the template should be well-formed"));
        Supervisor { time_limit, is_quiet, is_terminal: std::io::stderr().is_terminal(), bar, told: Mutex::default() }
    }

    pub fn seconds(&self) -> f64 {
        guard::elapsed().as_secs_f64()
    }

    /// Seconds and states, in order.
    pub fn growth(&self) -> Vec<(f64, u64)> {
        self.told().growth.samples.clone()
    }

    /// Each update is a single assignment, so that a panic elsewhere leaves nothing half done.
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A line for people, above the progress line.
    pub fn say(&self, text: &str) {
        self.bar.suspend(|| tell!("{text}"));
    }

    /// An event for other programs.
    fn stream(told: &mut Told, elapsed: Duration, snapshot: &Snapshot) {
        if events::is_streaming() && elapsed.saturating_sub(told.streamed) >= EVENT_PERIOD {
            told.streamed = elapsed;
            events::progress(snapshot, elapsed.as_secs_f64());
        }
    }

    /// Removes the progress line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, told: &mut Told, elapsed: Duration, snapshot: &Snapshot) {
        let period = if self.is_terminal { TERMINAL_PERIOD } else { FILE_PERIOD };
        let since = elapsed.saturating_sub(told.shown);
        if self.is_quiet || elapsed < QUIET_TIME || (since < period && !told.shown.is_zero()) {
            return;
        }
        told.shown = elapsed;
        let rate = snapshot.states as f64 / elapsed.as_secs_f64();
        let line = format!(
            "{}: {} states, {rate:.0} states/s, depth {}, {}, {:.0} s",
            snapshot.phase,
            snapshot.states,
            snapshot.depth,
            bytes(snapshot.bytes),
            elapsed.as_secs_f64()
        );
        if self.is_terminal {
            self.bar.set_message(line);
            self.bar.tick();
        } else {
            tell!("{line}");
        }
    }

    /// Something worth telling has been reached.
    pub fn milestone(&self, text: &str) {
        let elapsed = guard::elapsed();
        if !self.is_quiet && elapsed >= QUIET_TIME {
            self.bar.suspend(|| tell!("{text}, {:.1} s", elapsed.as_secs_f64()));
        }
    }

    /// What was asked for is not done.
    pub fn warn(&self, text: &str) {
        if !self.is_quiet {
            self.say(&format!("note: {text}"));
        }
    }

    /// Shows where a search stands, and says whether it is to end.
    pub fn poll(&self, snapshot: &Snapshot) -> Option<Halt> {
        let elapsed = guard::elapsed();
        let mut told = self.told();
        self.show(&mut told, elapsed, snapshot);
        Self::stream(&mut told, elapsed, snapshot);
        told.growth.note(elapsed.as_secs_f64(), snapshot.states);
        drop(told);
        guard::note(snapshot);
        guard::halt().or_else(|| (elapsed >= self.time_limit).then_some(Halt::Time))
    }

    /// How much of the time is over, from 0 to 1.
    pub fn elapsed(&self) -> f64 {
        guard::elapsed().as_secs_f64() / self.time_limit.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// The default of `--memory`: three quarters of the machine's memory, and half of the address space if that
/// is limited, because stacks and reserves take some of it.
pub fn default_memory() -> u64 {
    let of_machine = machine_bytes().map_or(4 << 30, |bytes| bytes / 4 * 3);
    unpick_limits::address_space_limit().map_or(of_machine, |bytes| of_machine.min(bytes / 2))
}

/// Memory of the machine.
fn machine_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kibibytes * 1024)
}
