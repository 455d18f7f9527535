//! Replay: an engine's decisions on the reference interpreter, checked to end in the same violation.
//!
//! The run is concrete: every input has its value from the decisions. So whatever an engine inferred about
//! ranges of inputs plays no part here.

mod telling;

use std::collections::{HashMap, HashSet};
use std::fmt;

use unpick_automaton::run::Impossible;
use unpick_program::interp::{Choice, ChoiceKind, Decision, Machine, Race, State, Stop, Until, Violation};
use unpick_program::{Loc, Program, ViolationKind};
use unpick_system::ProgramRun;

use self::telling::{chosen_text, describe};
use crate::endless::Endless;
use crate::explain::Explanation;
use crate::narrate::{Narrator, TurnEnd};
use crate::observers::ReplayObservers;
use crate::place::shared_values;
use crate::schedule::{Recorder, Schedule};
use crate::slice::{Slicer, has_condition};
use crate::wait::handler_name;
use crate::{Finding, Trace};

/// Instructions that a thread may run before anyone asks whether it ever comes to an end.
const LONG_RUN: u64 = 200_000;
/// A thread that is not needed any more is left in the middle of a run that is longer than this, so that a trace does not
/// tell a hundred thousand rounds of a loop that only waits.
const SHORT_RUN: u64 = 500;

/// The replay did not show what the engine claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayMismatch {
    /// The execution asks for a decision that was not recorded.
    Missing {
        /// What it asks for.
        asked: String,
    },
    /// The recorded decision does not answer the question.
    Unfit {
        /// What was asked.
        asked: String,
        /// What was recorded.
        recorded: Decision,
    },
    /// The execution ended otherwise.
    Ended {
        /// How it ended.
        how: String,
        /// How it should have.
        expected: ViolationKind,
    },
    /// An execution of a model does not go as it was found.
    Model {
        /// What is different.
        how: String,
    },
}

impl From<Impossible> for ReplayMismatch {
    fn from(impossible: Impossible) -> Self {
        ReplayMismatch::new(&impossible.to_string())
    }
}

impl ReplayMismatch {
    /// The execution of a model does not go as it should.
    pub(crate) fn new(how: &str) -> Self {
        ReplayMismatch::Model { how: how.to_owned() }
    }
}

impl fmt::Display for ReplayMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayMismatch::Missing { asked } => write!(f, "no decision was recorded for {asked}"),
            ReplayMismatch::Unfit { asked, recorded } => write!(f, "{recorded:?} does not answer {asked}"),
            ReplayMismatch::Ended { how, expected } => write!(f, "{how} instead of {expected}"),
            ReplayMismatch::Model { how } => write!(f, "{how}"),
        }
    }
}

/// Replays an execution on a machine that runs concretely (not lazily) with the same checks, and tells it.
pub fn replay(
    machine: &Machine<'_>,
    program: &Program,
    evidence: &ProgramRun,
) -> Result<(Finding, Trace), ReplayMismatch> {
    let (finding, trace) = retrace(machine, program, evidence);
    Ok((finding?, trace))
}

/// Like [`replay`], with the steps up to where the execution goes another way.
pub fn retrace(
    machine: &Machine<'_>,
    program: &Program,
    evidence: &ProgramRun,
) -> (Result<Finding, ReplayMismatch>, Trace) {
    let (found, trace) = follow(machine, program, evidence, false);
    (found.map(|(finding, _)| finding), trace)
}

/// Like [`replay`], with the turns of the threads on the user's own accesses instead of the steps.
pub fn replay_turns(
    machine: &Machine<'_>,
    program: &Program,
    evidence: &ProgramRun,
) -> Result<(Finding, Schedule), ReplayMismatch> {
    follow(machine, program, evidence, true).0
}

fn follow(
    machine: &Machine<'_>,
    program: &Program,
    evidence: &ProgramRun,
    is_recorded: bool,
) -> (Result<(Finding, Schedule), ReplayMismatch>, Trace) {
    let mut replayer = Replayer {
        machine,
        evidence,
        state: machine.initial(),
        thread: 0,
        n_used: 0,
        narrator: Narrator::new(machine),
        visited: HashMap::new(),
        loop_start: None,
        circling: None,
        left: Vec::new(),
        is_infeasible: false,
        endless: evidence.claim.as_ref().map(|claim| Endless::new(claim, evidence.loop_from)),
        explanation: Explanation::default(),
        recorder: is_recorded.then(|| Recorder::new(program)),
        slicer: (evidence.claim.is_none() && has_condition(evidence.violation.kind)).then(|| Slicer::new(machine)),
        racing: Vec::new(),
        stuck: Vec::new(),
    };
    let violation = match replayer.run() {
        Ok(violation) => violation,
        Err(mismatch) => return (Err(mismatch), replayer.narrator.finish()),
    };
    let schedule = replayer.schedule(violation.kind);
    let mut finding = Finding::of(program, &violation);
    std::mem::take(&mut replayer.explanation).complete(&mut finding);
    let is_own = violation.frames.last().is_some_and(|(function, _)| !program.functions[*function].is_model);
    if violation.kind == ViolationKind::Assertion && is_own {
        let operands = replayer.narrator.operands(&violation.message);
        finding.message += &operands.map(|operands| format!(": {operands}")).unwrap_or_default();
    }
    let handler = handler_name(machine, &replayer.state, violation.thread);
    finding.handler = handler.filter(|_| violation.thread < replayer.state.n_threads());
    let mut trace = replayer.narrator.finish();
    trace.loop_start = replayer.loop_start;
    replayer.mark_irrelevant(&mut trace, violation.kind);
    if violation.kind == ViolationKind::Deadlock {
        finding.notes.extend(replayer.tell_lost_signals(&mut trace));
    }
    trace.keep_constants(shared_values(machine, &replayer.state));
    // After the end of `main` none of the user's functions is at work: the line that was left last is to blame.
    let is_ours = !violation.frames.is_empty()
        && violation.frames.iter().all(|(function, _)| program.functions[*function].is_model);
    if let (Some(step), true) = (trace.steps.last(), is_ours && violation.kind != ViolationKind::Leak) {
        finding.file.clone_from(&step.file);
        finding.function.clone_from(&step.function);
        (finding.line, finding.column) = (step.line, step.column);
    }
    (Ok((finding, schedule)), trace)
}

struct Replayer<'m, 'p> {
    machine: &'m Machine<'p>,
    evidence: &'m ProgramRun,
    state: State,
    thread: usize,
    /// Decisions used so far.
    n_used: usize,
    narrator: Narrator<'m, 'p>,
    /// States at loop heads and the number of steps told before; only for endless executions.
    visited: HashMap<Vec<u8>, usize>,
    loop_start: Option<usize>,
    /// States at loop heads of a long run of one thread, which may go on for ever while others have their turn.
    circling: Option<HashSet<Vec<u8>>>,
    /// Threads that were left in the middle of a long run.
    left: Vec<usize>,
    /// The running thread has failed an assumption that is not handled yet.
    is_infeasible: bool,
    /// What a claim about the whole execution sees of it.
    endless: Option<Endless<'m>>,
    explanation: Explanation,
    recorder: Option<Recorder<'m>>,
    slicer: Option<Slicer<'m>>,
    /// The threads whose accesses are a data race.
    racing: Vec<usize>,
    /// The threads that wait for each other while others can go on.
    stuck: Vec<usize>,
}

impl Replayer<'_, '_> {
    fn run(&mut self) -> Result<Violation, ReplayMismatch> {
        let expected = &self.evidence.violation;
        let is_endless = expected.kind == ViolationKind::Termination && self.endless.is_none();
        if self.endless.is_some() {
            self.pass(Some(0));
        }
        let mut is_resumed = false;
        loop {
            let loop_heads = is_endless || self.circling.is_some();
            let every_step = self.evidence.every_step;
            let alone_too = self.evidence.claim.is_some();
            let was_resumed = is_resumed;
            let fuel = if was_resumed { LONG_RUN } else { SHORT_RUN };
            let until = Until { fuel, loop_heads, shared_access: true, every_step, alone_too, is_resumed };
            let mut observers = ReplayObservers {
                narrator: &mut self.narrator,
                recorder: self.recorder.as_mut(),
                slicer: self.slicer.as_mut(),
            };
            let stop = self.machine.run(&mut self.state, self.thread, until, &mut observers);
            if let (Some(slicer), Stop::Blocked) = (&mut self.slicer, &stop) {
                slicer.blocked(self.thread);
            }
            is_resumed = matches!(stop, Stop::Fuel | Stop::LoopHead(..));
            match stop {
                Stop::Fuel if self.may_be_left() => {
                    self.left.push(self.thread);
                    is_resumed = !self.turn();
                }
                Stop::Fuel => {
                    if was_resumed
                        && self.circling.is_none()
                        && (self.next_thread().is_some() || self.endless.is_some())
                    {
                        self.circling = Some(HashSet::new());
                    }
                }
                Stop::LoopHead(..) if is_endless && self.is_repeated() => return Ok(expected.clone()),
                Stop::LoopHead(..) if self.circles() => {
                    if self.is_used_up() && self.endless.is_some() {
                        return self.conclude(true);
                    }
                    is_resumed = !self.turn();
                }
                Stop::LoopHead(..) => {}
                // The search did not follow the thread further, and others are looked at.
                Stop::Choice(_) if self.next_thread().is_some() => {
                    self.turn();
                }
                Stop::Choice(choice) => self.choose(&choice)?,
                Stop::Violated(violation) if same(&violation, expected) => return Ok(violation),
                Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                    if let Some(violation) = self.switch()? {
                        return Ok(violation);
                    }
                }
                // The thread stands before something else that goes wrong or has no meaning, and others are looked at.
                Stop::Violated(_) | Stop::Unmodelled { .. } | Stop::Limit { .. } if self.next_thread().is_some() => {
                    self.turn();
                }
                Stop::Infeasible if self.next_thread().is_some() => {
                    self.is_infeasible = true;
                    self.turn();
                    self.is_infeasible = false;
                }
                Stop::Exited { .. } if self.is_used_up() && self.endless.is_some() => {
                    self.pass(None);
                    return self.conclude(false);
                }
                other => return Err(self.ended(describe(&other))),
            }
        }
    }

    /// The turns, now that the execution is over.
    fn schedule(&mut self, kind: ViolationKind) -> Schedule {
        let Some(mut recorder) = self.recorder.take() else { return Schedule::default() };
        // Both threads of a race stand before their accesses; any other failure is met by the last thread.
        let is_race = kind == ViolationKind::DataRace;
        if is_race {
            recorder.depart(self.thread, self.turn_end());
        }
        recorder.finish(self.machine, &self.state, (!is_race).then_some(self.thread))
    }

    /// Marks the steps that do not bear on the failure.
    fn mark_irrelevant(&mut self, trace: &mut Trace, kind: ViolationKind) {
        let (Some(slicer), Some(numbers)) = (&mut self.slicer, self.narrator.numbers()) else { return };
        slicer.tell(None);
        let threads: Vec<usize> = match kind {
            ViolationKind::DataRace => self.racing.clone(),
            ViolationKind::Deadlock if !self.stuck.is_empty() => self.stuck.clone(),
            ViolationKind::Deadlock => {
                (0..self.state.n_threads()).filter(|thread| !self.state.is_ended(*thread)).collect()
            }
            _ => vec![self.thread],
        };
        for thread in &threads {
            match kind {
                ViolationKind::DataRace => slicer.look(&self.state, *thread),
                // What the thread waits for may have changed hands since it last looked.
                ViolationKind::Deadlock => {
                    let until = Until { fuel: LONG_RUN, ..Until::NEVER };
                    self.machine.run(&mut self.state.clone(), *thread, until, slicer);
                }
                _ => {}
            }
        }
        let Some(marked) = slicer.slice(&threads) else { return };
        let steps = &trace.steps;
        let last = |thread: u32| steps.iter().rposition(|step| step.thread == thread);
        let is_relevant = slicer.steps(&marked, numbers, last, steps.len());
        let n_steps = steps.len();
        for (at, (step, is_relevant)) in trace.steps.iter_mut().zip(is_relevant).enumerate() {
            step.is_irrelevant = !is_relevant && !step.is_pending && at + 1 != n_steps;
        }
    }

    /// Whether the running thread does nothing new any more.
    fn circles(&mut self) -> bool {
        let Some(visited) = &mut self.circling else { return false };
        let mut key = Vec::new();
        self.machine.key(&self.state, &mut key);
        !visited.insert(key)
    }

    /// The thread that runs next, if that is the next decision.
    fn next_thread(&self) -> Option<usize> {
        match self.evidence.decisions.get(self.n_used) {
            Some(Decision::Thread(thread)) if (*thread as usize) < self.state.n_threads() => Some(*thread as usize),
            Some(_) | None => None,
        }
    }

    /// Whether the running thread can be left in the middle of a long run: it has no turn after this one, and how
    /// far it has come is unknown. The search may not have followed it to the end of the run.
    fn may_be_left(&self) -> bool {
        let is_own =
            |decision: &Decision| matches!(decision, Decision::Thread(thread) if *thread as usize == self.thread);
        self.endless.is_none()
            && self.next_thread().is_some_and(|next| self.machine.runnable(&self.state).contains(&next))
            && !self.evidence.decisions[self.n_used..].iter().any(is_own)
    }

    /// Lets a thread finish its long run if the violation does not show without it.
    fn come_back(&mut self) -> bool {
        let is_shown = match self.evidence.violation.kind {
            ViolationKind::Deadlock => {
                self.machine.blocked_owner(&self.state).is_some()
                    || self.machine.runnable(&self.state).is_empty()
                    || !self.machine.partial_deadlock(&self.state).is_empty()
            }
            ViolationKind::DataRace => self.race().is_some(),
            _ => true,
        };
        if is_shown {
            return false;
        }
        let Some(thread) = self.left.pop() else { return false };
        self.change_to(thread);
        true
    }

    /// Lets the thread run that the next decision names; whether it names one.
    fn turn(&mut self) -> bool {
        let Some(thread) = self.next_thread() else { return false };
        self.pass(Some(thread));
        self.n_used += 1;
        self.change_to(thread);
        true
    }

    fn change_to(&mut self, thread: usize) {
        if thread != self.thread {
            let end = self.turn_end();
            self.narrator.depart(&self.state, self.thread, end);
            if let Some(recorder) = &mut self.recorder {
                recorder.depart(self.thread, end);
            }
        }
        self.thread = thread;
        self.state.record_thread(thread);
        self.circling = None;
    }

    /// Why the turn of the running thread is over.
    fn turn_end(&self) -> TurnEnd {
        if self.state.is_ended(self.thread) || self.is_infeasible {
            TurnEnd::Gone
        } else if self.machine.runnable(&self.state).contains(&self.thread) {
            TurnEnd::Preempted
        } else {
            TurnEnd::Blocked
        }
    }

    /// Whether the state at a loop head was met before; an environment that repeats its decisions then keeps
    /// the program running for ever.
    fn is_repeated(&mut self) -> bool {
        let mut key = Vec::new();
        self.machine.key(&self.state, &mut key);
        let n_steps = self.narrator.cut();
        match self.visited.get(&key) {
            Some(start) => {
                self.loop_start = Some(*start);
                true
            }
            None => {
                self.visited.insert(key, n_steps);
                false
            }
        }
    }

    fn choose(&mut self, choice: &Choice) -> Result<(), ReplayMismatch> {
        let asked = || format!("{} at line {}", choice.label, choice.loc.line);
        let decision =
            *self.evidence.decisions.get(self.n_used).ok_or_else(|| ReplayMismatch::Missing { asked: asked() })?;
        let unfit = || ReplayMismatch::Unfit { asked: asked(), recorded: decision };
        let option = choice.option_of(&decision).ok_or_else(unfit)?;
        self.n_used += 1;
        let byte = match (&choice.kind, &decision) {
            (ChoiceKind::Value { width: 8, .. }, Decision::Value(bits)) => Some(*bits as u8),
            _ => None,
        };
        self.narrator.choice(self.thread, &choice.label, chosen_text(choice, &decision), byte);
        if let Some(recorder) = &mut self.recorder {
            recorder.choice(self.thread, &decision);
        }
        self.machine.pick(&mut self.state, choice, option);
        Ok(())
    }

    /// A point where threads may switch: the decisions name the next one, or something is wrong in this state.
    fn switch(&mut self) -> Result<Option<Violation>, ReplayMismatch> {
        if self.turn() || self.come_back() {
            return Ok(None);
        }
        let expected = &self.evidence.violation;
        if let Some(endless) = &self.endless
            && self.is_used_up()
        {
            if endless.breaks_invariant(self.machine, &self.state) {
                return Ok(Some(expected.clone()));
            }
            if !endless.is_closed(self.machine, &self.state) && self.machine.runnable(&self.state).is_empty() {
                self.pass(None);
            }
            return self.conclude(false).map(Some);
        }
        match expected.kind {
            ViolationKind::Deadlock if self.machine.blocked_owner(&self.state).is_some() => self.tell_wait(),
            ViolationKind::Deadlock if self.machine.runnable(&self.state).is_empty() => self.tell_deadlock(),
            ViolationKind::Deadlock if !self.machine.partial_deadlock(&self.state).is_empty() => self.tell_stuck(),
            ViolationKind::DataRace => match self.race() {
                Some(race) => self.tell_race(&race),
                None => return Err(self.ended("no data race was met".to_owned())),
            },
            _ => return Err(self.ended(format!("thread {} cannot go on", self.thread))),
        }
        Ok(Some(expected.clone()))
    }

    /// The expected data race.
    fn race(&self) -> Option<Race> {
        let expected = &self.evidence.violation;
        let mut races = self.machine.races(&self.state, usize::MAX);
        races.retain(|race| race.first.thread == expected.thread);
        let at = races.iter().position(|race| race.first.loc == expected.loc).unwrap_or(0);
        (at < races.len()).then(|| races.swap_remove(at))
    }

    fn is_used_up(&self) -> bool {
        self.n_used == self.evidence.decisions.len()
    }

    /// A point of an execution that a claim is about; the thread moves next.
    fn pass(&mut self, thread: Option<usize>) {
        let Some(endless) = &mut self.endless else { return };
        if std::mem::take(&mut self.narrator.has_progressed) {
            endless.progressed();
        }
        let n_steps = match self.evidence.loop_from {
            Some(at) if at == self.n_used => self.narrator.cut(),
            Some(_) | None => 0,
        };
        endless.pass(self.machine, &self.state, thread, self.n_used, n_steps);
    }

    /// The decisions are used up and the execution goes round, as a whole or because the running thread circles: whether
    /// that violates the claim.
    fn conclude(&mut self, is_circling: bool) -> Result<Violation, ReplayMismatch> {
        let Some(endless) = &mut self.endless else { return Err(self.ended("nothing is endless".to_owned())) };
        // A search that knows dead variables may identify states that differ in them.
        let is_exact = self.evidence.every_step;
        if is_exact && !is_circling && !endless.is_closed(self.machine, &self.state) {
            return Err(self.ended("the execution does not come back to the same state".to_owned()));
        }
        if std::mem::take(&mut self.narrator.has_progressed) {
            endless.progressed();
        }
        match endless.violation() {
            Some(n_steps) => {
                self.narrator.come_round(n_steps);
                self.loop_start = Some(n_steps);
                Ok(self.evidence.violation.clone())
            }
            None => Err(self.ended("the claim holds for the execution".to_owned())),
        }
    }

    fn ended(&self, how: String) -> ReplayMismatch {
        ReplayMismatch::Ended { how, expected: self.evidence.violation.kind }
    }
}

/// Messages may differ: the engine may not have known all values.
fn same(left: &Violation, right: &Violation) -> bool {
    left.kind == right.kind && (left.loc == right.loc || right.loc == Loc::NONE)
}
