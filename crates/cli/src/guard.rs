//! The limits of the whole process: time, memory and signals, from its first moment on.
//!
//! A search asks [`halt`] through its control and ends by itself, with what it has learnt. Whatever else takes too long
//! (a preprocessor, a huge source, a report) has learnt nothing that could be told, so a thread that looks at the clock and
//! at the resident memory ends the process for it, with the same verdict: `unknown`. It waits while a file is being
//! written, and it ends our children first.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use unpick_limits::{Stream, end_with, kill_group, prepare, processor_time, resident_bytes};
use unpick_report::{Colour, DEFAULT_WIDTH, Outcome as Report, Screen, TraceStyle};
use unpick_system::{Halt, Reason, Snapshot, Stats, Why};
use unpick_witness::Judgement;

use crate::scratch;

/// How often the thread looks. Memory can be filled with a few megabytes a millisecond.
const PERIOD: Duration = Duration::from_millis(10);
/// How long after a limit the process may take to answer by itself.
const GRACE: Duration = Duration::from_millis(800);
/// On a busy machine it may take longer, until it has had as much of the processors; and when a violation was found, which
/// must not be lost because a deep search takes its time to end.
const LONGEST_GRACE: Duration = Duration::from_secs(5);
/// As a shell has it for a program that an interrupt ended.
const INTERRUPTED: i32 = 130;
const UNKNOWN: i32 = 3;
const WRONG: i32 = 2;
/// So many writers mean that the process is being ended, and nothing is written any more.
const ENDING: usize = usize::MAX / 2;
/// More children do not run at the same time.
const MAX_CHILDREN: usize = 8;

static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard {
    start: Instant::now(),
    is_interrupted: AtomicBool::new(false),
    n_writing: AtomicUsize::new(0),
    resident: AtomicU64::new(0),
    looked_ms: AtomicU64::new(0),
    is_urgent: AtomicBool::new(false),
    has_found: AtomicBool::new(false),
    children: [const { AtomicU32::new(0) }; MAX_CHILDREN],
    state: Mutex::new(State { limits: None, phase: "reading the sources", stats: Stats::default(), answer: None }),
});

struct Guard {
    start: Instant,
    is_interrupted: AtomicBool,
    /// Files and reports that are being written.
    n_writing: AtomicUsize,
    /// As it was last seen.
    resident: AtomicU64,
    /// When that was, in milliseconds.
    looked_ms: AtomicU64,
    /// Whether the thread has seen a limit reached.
    is_urgent: AtomicBool,
    /// Whether a search has found a violation that it will answer with.
    has_found: AtomicBool,
    /// Process groups of children; zero where there is none.
    children: [AtomicU32; MAX_CHILDREN],
    state: Mutex<State>,
}

struct State {
    /// `None` for commands that give no verdict: an interrupt just ends them.
    limits: Option<Limits>,
    phase: &'static str,
    /// As the search has last said.
    stats: Stats,
    /// What to say, and the exit code, when the verdict is known and only its telling takes too long.
    answer: Option<(String, i32)>,
}

/// What a run may cost, and how its verdict is told.
#[derive(Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    pub memory: u64,
    pub telling: Telling,
}

/// How the end at a limit is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// As a report with a verdict, on standard output.
    Text,
    /// The same as a JSON document.
    Json,
    /// As a message on standard error: standard output belongs to a simulated program.
    Message,
}

impl Guard {
    /// The state is replaced as a whole, so that a panic elsewhere leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Starts the clock and listens for signals. Commands that take the signals themselves do without.
pub fn start() {
    LazyLock::force(&GUARD);
    prepare(b"error: the system gives no more memory\n".to_vec(), WRONG, Stream::Error);
    // A second signal ends the process at once.
    let _ = ctrlc::set_handler(|| {
        let is_second = GUARD.is_interrupted.swap(true, Ordering::SeqCst);
        if is_second {
            end(b"", INTERRUPTED, Telling::Message);
        }
        if GUARD.state().limits.is_none() {
            // A file that is being written leaves no half of it behind; this is a thread of its own, which can wait.
            let since = Instant::now();
            while GUARD.n_writing.load(Ordering::SeqCst) > 0 && since.elapsed() < GRACE {
                std::thread::sleep(PERIOD);
            }
            end(b"", INTERRUPTED, Telling::Message);
        }
    });
}

/// Sets the limits, and has the process ended when it does not keep them.
pub fn limit(limits: Limits) {
    let is_first = GUARD.state().limits.replace(limits).is_none();
    if is_first {
        let words =
            report(Halt::Memory, "allocating, because the system gives no more", Stats::default(), limits.telling);
        prepare(words.into_bytes(), UNKNOWN, stream(limits.telling));
        // Without it, the searches still ask.
        let _ = std::thread::Builder::new().name("guard".into()).stack_size(1 << 20).spawn(watch);
    }
}

pub fn is_interrupted() -> bool {
    GUARD.is_interrupted.load(Ordering::Relaxed)
}

/// Time since the process began.
pub fn elapsed() -> Duration {
    GUARD.start.elapsed()
}

/// What is being done now, for the verdict if it takes too long.
pub fn enter(phase: &'static str) {
    GUARD.state().phase = phase;
}

/// Where the search stands.
pub fn note(snapshot: &Snapshot) {
    let Snapshot { states, transitions, depth, bytes, .. } = *snapshot;
    GUARD.state().stats = Stats { states, transitions, depth, peak_bytes: bytes, ..Stats::default() };
}

/// The verdict is known; if telling it with everything that belongs to it takes too long, it is told without.
pub fn found(report: &Report, exit_code: u8) {
    // Nobody interrupts what takes no time.
    let Some(limits) = GUARD.state().limits.filter(|_| elapsed() >= GRACE) else { return };
    let words = draw(report, limits.telling);
    GUARD.state().answer = Some((words, i32::from(exit_code)));
}

/// Everything has been told; if the process takes too long to give back its memory, it ends without another word.
pub fn told(exit_code: u8) {
    GUARD.state().answer = Some((String::new(), i32::from(exit_code)));
}

/// A search has found a violation and goes on.
pub fn found_one() {
    GUARD.has_found.store(true, Ordering::Relaxed);
}

/// Whether it is time to ask [`halt`].
pub fn is_urgent() -> bool {
    GUARD.is_urgent.load(Ordering::Relaxed)
}

/// Whether a limit has been reached.
pub fn halt() -> Option<Halt> {
    let limits = GUARD.state().limits;
    if is_interrupted() {
        return Some(Halt::Interrupt);
    }
    let limits = limits?;
    if elapsed() >= limits.time {
        return Some(Halt::Time);
    }
    // On a busy machine the thread that looks may wait for its turn while the search fills the memory.
    let is_stale = elapsed() > Duration::from_millis(GUARD.looked_ms.load(Ordering::Relaxed)) + 2 * PERIOD;
    let resident = if is_stale { look() } else { GUARD.resident.load(Ordering::Relaxed) };
    (resident > limits.memory).then_some(Halt::Memory)
}

/// Reads the resident memory, and remembers it.
fn look() -> u64 {
    let resident = resident_bytes().unwrap_or(0);
    GUARD.resident.store(resident, Ordering::Relaxed);
    GUARD.looked_ms.store(elapsed().as_millis() as u64, Ordering::Relaxed);
    resident
}

/// Bytes that this run may use, if that is limited.
pub fn memory() -> Option<u64> {
    GUARD.state().limits.map(|limits| limits.memory)
}

/// No limit ends the process as long as this lives: a file, or the report, is being written.
pub struct Writing(());

impl Writing {
    pub fn new() -> Self {
        let enter = |n_writing: usize| (n_writing < ENDING).then_some(n_writing + 1);
        while GUARD.n_writing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, enter).is_err() {
            // The thread that ends the process has the word.
            std::thread::sleep(PERIOD);
        }
        Writing(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        GUARD.n_writing.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A child that ends with us.
pub struct Child {
    leader: u32,
}

impl Child {
    pub fn new(leader: u32) -> Self {
        let is_free = |slot: &&AtomicU32| slot.compare_exchange(0, leader, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        let _ = GUARD.children.iter().find(is_free);
        Child { leader }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        for slot in &GUARD.children {
            let _ = slot.compare_exchange(self.leader, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
    }
}

fn watch() {
    // The first limit that was reached, when, and the processor time until then.
    let mut over: Option<(Halt, Duration, Duration)> = None;
    loop {
        let resident = look();
        GUARD.is_urgent.store(halt().is_some(), Ordering::Relaxed);
        let (limits, elapsed) = (GUARD.state().limits, elapsed());
        if let Some(limits) = limits {
            // A search that asks in time ends at the limit itself.
            let most = limits.memory.saturating_add(limits.memory / 33).saturating_add(20 << 20);
            let halt = match is_interrupted() {
                true => Some(Halt::Interrupt),
                false => (elapsed >= limits.time).then_some(Halt::Time),
            };
            if let (Some(halt), None) = (halt, over) {
                over = Some((halt, elapsed, processor_time()));
            }
            let overdue = over.filter(|(_, since, used)| {
                let (late, used) = (elapsed.saturating_sub(*since), processor_time().saturating_sub(*used));
                let has_found = GUARD.has_found.load(Ordering::Relaxed);
                late >= LONGEST_GRACE || (!has_found && late >= GRACE && used >= GRACE)
            });
            let halt = match resident > most {
                true => Some(Halt::Memory),
                false => overdue.map(|(halt, ..)| halt),
            };
            let is_writing = GUARD.n_writing.load(Ordering::SeqCst) > 0;
            let waited = over.map_or(Duration::ZERO, |(_, since, _)| elapsed.saturating_sub(since));
            if is_writing && is_interrupted() && waited >= LONGEST_GRACE {
                // Nobody takes what is written.
                end(b"", INTERRUPTED, limits.telling);
            }
            // From here on no thread begins to write: half of one report behind another is useless.
            let may_end = || GUARD.n_writing.compare_exchange(0, ENDING, Ordering::SeqCst, Ordering::SeqCst).is_ok();
            if let Some(halt) = halt.filter(|_| may_end()) {
                let answer = GUARD.state().answer.take();
                let (words, exit_code) = answer.unwrap_or_else(|| (words(halt, limits.telling), UNKNOWN));
                end(words.as_bytes(), exit_code, limits.telling);
            }
        }
        std::thread::sleep(PERIOD);
    }
}

fn end(words: &[u8], exit_code: i32, telling: Telling) -> ! {
    for child in &GUARD.children {
        kill_group(child.load(Ordering::SeqCst));
    }
    scratch::remove_all();
    end_with(words, exit_code, stream(telling))
}

fn stream(telling: Telling) -> Stream {
    match telling {
        Telling::Text | Telling::Json => Stream::Output,
        Telling::Message => Stream::Error,
    }
}

/// How the limits of this run are told, if it has any.
pub fn telling() -> Option<Telling> {
    GUARD.state().limits.map(|limits| limits.telling)
}

/// The report of a run that a limit ended.
pub fn words(halt: Halt, telling: Telling) -> String {
    let (phase, stats) = {
        let state = GUARD.state();
        (state.phase, state.stats)
    };
    report(halt, phase, stats, telling)
}

fn report(halt: Halt, phase: &str, stats: Stats, telling: Telling) -> String {
    let why = Why::because(Reason::Stopped { limit: halt.into(), phase: phase.to_owned() });
    if telling == Telling::Message {
        return format!("unpick: {}\n", why.summary());
    }
    let stats = Stats { seconds: elapsed().as_secs_f64(), ..stats };
    draw(&Report::new(Judgement::Unknown(why), stats), telling)
}

/// A report without an execution.
fn draw(report: &Report, telling: Telling) -> String {
    match telling {
        Telling::Json => unpick_report::json::json(report) + "\n",
        Telling::Text | Telling::Message => {
            let screen = Screen { colour: Colour::Never, width: DEFAULT_WIDTH };
            unpick_report::text::text(report, TraceStyle::None, &|_: &str, _| None, screen)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_report_begins_when_the_process_ends() {
        let has_begun = AtomicBool::new(false);
        std::thread::scope(|scope| {
            GUARD.n_writing.store(ENDING, Ordering::SeqCst);
            scope.spawn(|| {
                let _writing = Writing::new();
                has_begun.store(true, Ordering::SeqCst);
            });
            std::thread::sleep(3 * PERIOD);
            assert!(!has_begun.load(Ordering::SeqCst));
            GUARD.n_writing.store(0, Ordering::SeqCst);
        });
        assert!(has_begun.load(Ordering::SeqCst));
        assert_eq!(GUARD.n_writing.load(Ordering::SeqCst), 0);
    }
}
