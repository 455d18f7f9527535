//! Guided search for violations: the lines are followed depth first.

use std::collections::HashSet;

use unpick_program::interp::{Checks, Choice, Machine, State, Stop, Until, Violation};
use unpick_program::{FileId, ViolationKind};
use unpick_system::{ProgramRun, Waypoint};

use super::{Followed, line_of, violation};

/// Instructions that are spent on one question.
const MAX_INSTRUCTIONS: u64 = 3_000_000;
/// More options of one choice are not tried.
const MAX_OPTIONS: u128 = 256;
/// More executions are not put aside, and more bytes are not spent on those that were there before.
const MAX_OPEN: usize = 10_000;
const MAX_BYTES: usize = 64 << 20;

/// Looks for an execution along the waypoints that ends in a violation of one of these kinds. `machine` keeps inputs
/// open, and looks for them.
pub(crate) fn follow_lines(machine: &Machine<'_>, waypoints: &[Waypoint], kinds: Checks) -> Followed {
    let mut search = Search {
        machine,
        waypoints,
        kinds,
        open: vec![Path {
            state: machine.initial(),
            thread: 0,
            at: 0,
            is_resumed: false,
            is_busy: false,
            line: None,
            is_further: false,
        }],
        seen: HashSet::new(),
        n_instructions: 0,
        n_bytes: 0,
        n_passed: 0,
        left_out: None,
    };
    while let Some(path) = search.open.pop() {
        if let Some(evidence) = search.follow(path) {
            return Followed::Reached(Box::new(evidence));
        }
        if search.n_instructions > MAX_INSTRUCTIONS || search.open.len() > MAX_OPEN || search.n_bytes > MAX_BYTES {
            return Followed::Undecided { why: "the program runs too long between the lines of the model".into() };
        }
    }
    match search.left_out {
        Some(why) => Followed::Undecided { why },
        None => Followed::Lost { n_passed: search.n_passed },
    }
}

/// An execution so far.
#[derive(Clone)]
struct Path {
    state: State,
    thread: usize,
    /// The next waypoint.
    at: usize,
    is_resumed: bool,
    /// The running thread is still at the line that it came for.
    is_busy: bool,
    /// The line at which it stands.
    line: Option<(FileId, u32)>,
    /// It has just come there.
    is_further: bool,
}

struct Search<'a, 'p> {
    machine: &'a Machine<'p>,
    waypoints: &'a [Waypoint],
    kinds: Checks,
    open: Vec<Path>,
    seen: HashSet<Vec<u8>>,
    n_instructions: u64,
    n_bytes: usize,
    n_passed: usize,
    left_out: Option<String>,
}

impl Search<'_, '_> {
    /// Follows one execution; others that branch off are put aside.
    fn follow(&mut self, mut path: Path) -> Option<ProgramRun> {
        loop {
            self.n_instructions += 1;
            let is_over = self.n_instructions > MAX_INSTRUCTIONS || self.open.len() > MAX_OPEN;
            if is_over || self.n_bytes > MAX_BYTES || !self.arrive(&mut path) {
                return None;
            }
            let until = Until {
                fuel: 1,
                loop_heads: false,
                shared_access: true,
                every_step: true,
                alone_too: false,
                is_resumed: path.is_resumed,
            };
            let stop = self.machine.run_silent(&mut path.state, path.thread, until);
            path.is_resumed = stop == Stop::Fuel;
            match stop {
                Stop::Fuel => {}
                Stop::Shared => self.turn(&mut path),
                Stop::Blocked | Stop::ThreadEnded => match self.relieve(&mut path) {
                    Relief::Someone => {}
                    Relief::Nobody => return None,
                    Relief::Deadlock(violation) => return Some(self.evidence(&path.state, violation)),
                },
                Stop::Choice(choice) => self.branch(&mut path, &choice)?,
                Stop::TooWide { samples, label, .. } => {
                    self.left_out.get_or_insert(format!("the input {label} has too many values"));
                    self.branch(&mut path, &samples)?;
                }
                Stop::Violated(violation) if self.kinds.contains(violation.kind) => {
                    return Some(self.evidence(&path.state, violation));
                }
                Stop::Violated(_) | Stop::Exited { .. } | Stop::Infeasible | Stop::LoopHead(..) => return None,
                Stop::Unmodelled { what, .. } | Stop::Limit { what, .. } => {
                    self.left_out.get_or_insert(format!("the program does something unmodelled: {what}"));
                    return None;
                }
            }
        }
    }

    /// Notices where the running thread is; whether it has been here before.
    fn arrive(&mut self, path: &mut Path) -> bool {
        let found = line_of(self.machine, &path.state, path.thread);
        path.is_further = found.is_some() && found != path.line;
        path.line = found.or(path.line);
        let files = &self.machine.program.files;
        let here = found.and_then(|(file, line)| Some((files.get(file)?, line)));
        let is_new = match (&here, path.at.checked_sub(1).map(|last| &self.waypoints[last])) {
            (Some((file, line)), Some(last)) => *line != last.line || *file != &last.file,
            (Some(_), None) => true,
            (None, _) => false,
        };
        path.is_busy &= !is_new;
        while let (Some((file, line)), Some(next)) = (&here, self.waypoints.get(path.at)) {
            if next.thread != path.thread || next.line != *line || &next.file != *file {
                break;
            }
            path.at += 1;
            path.is_busy = true;
            self.n_passed = self.n_passed.max(path.at);
        }
        if !is_new {
            return true;
        }
        let mut key = Vec::new();
        self.machine.key(&path.state, &mut key);
        key.extend([path.thread as u8, u8::from(path.is_resumed)]);
        key.extend((path.at as u32).to_le_bytes());
        self.n_bytes += key.len();
        self.seen.insert(key)
    }

    /// The thread to run: that of the next waypoint, once the running thread is done with its line.
    fn turn(&mut self, path: &mut Path) {
        let wanted = self.waypoints.get(path.at).map_or(path.thread, |next| next.thread);
        let is_possible = wanted < path.state.n_threads() && !path.state.is_ended(wanted);
        if wanted != path.thread && is_possible {
            let mut other = path.clone();
            other.thread = wanted;
            (other.is_busy, other.line) = (false, None);
            if path.is_busy {
                // A line may be several steps of the model, with others in between.
                other.state.record_thread(wanted);
                self.open.push(other);
            } else {
                // What comes next may not be in the model, and others may wait for it.
                if path.is_further {
                    let mut further = path.clone();
                    further.state.record_thread(further.thread);
                    self.open.push(further);
                }
                *path = other;
            }
        }
        path.state.record_thread(path.thread);
    }

    /// The running thread cannot go on.
    fn relieve(&mut self, path: &mut Path) -> Relief {
        let runnable = self.machine.runnable(&path.state);
        let next = match self.waypoints.get(path.at) {
            Some(next) => {
                let wanted = Some(next.thread).filter(|thread| *thread != path.thread && runnable.contains(thread));
                // The wanted thread may wait for something that is not in the model.
                wanted.or_else(|| runnable.iter().copied().find(|thread| *thread != path.thread))
            }
            None if self.kinds.contains(ViolationKind::Deadlock) => {
                let left = (0..path.state.n_threads()).find(|thread| !path.state.is_ended(*thread));
                match (runnable.first(), left) {
                    (None, Some(thread)) => {
                        let text = "threads remain and none can go on".to_owned();
                        let found = violation(self.machine, &path.state, thread, ViolationKind::Deadlock, text);
                        return Relief::Deadlock(found);
                    }
                    (next, _) => next.copied(),
                }
            }
            None => runnable.first().copied(),
        };
        let Some(next) = next else { return Relief::Nobody };
        path.thread = next;
        (path.is_busy, path.line) = (false, None);
        path.state.record_thread(next);
        Relief::Someone
    }

    /// Takes the first option, puts the others aside.
    fn branch(&mut self, path: &mut Path, choice: &Choice) -> Option<()> {
        let n_options = choice.n_options.min(MAX_OPTIONS);
        if choice.n_options > MAX_OPTIONS {
            self.left_out.get_or_insert(format!("the input {} has too many values", choice.label));
        }
        for option in 1..n_options {
            let mut other = path.clone();
            self.machine.pick(&mut other.state, choice, option);
            self.open.push(other);
        }
        (n_options > 0).then(|| self.machine.pick(&mut path.state, choice, 0))
    }

    fn evidence(&self, state: &State, violation: Violation) -> ProgramRun {
        let decisions = self.machine.decisions(state);
        ProgramRun { decisions, every_step: true, claim: None, loop_from: None, violation }
    }
}

/// The thread that continues when another is blocked.
enum Relief {
    Someone,
    Nobody,
    Deadlock(Violation),
}
