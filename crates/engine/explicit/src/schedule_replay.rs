//! Replay of a schedule: turns of threads, found by another search, followed on the interpreter.
//!
//! A search over the translation of a program knows which thread moves, the outcomes of its choices, and before which
//! instruction it stands then. Here the threads of the program are led that way, one instruction at a time, and
//! recorded as the decisions that a replay needs. If the program diverges, there is no evidence.
//!
//! An execution that violates a claim goes round: its last turns are repeated until the program comes back to the state
//! in which a round began. That may take more than one, because the translation does not tell states apart by values
//! that nobody reads any more.

use std::collections::VecDeque;

use unpick_program::interp::{Checks, Decision, Machine, Options, State, Stop, Until};
use unpick_program::{Program, ViolationKind};
use unpick_system::{Claim, ClaimKind, GuidedTurn, ProgramRun, PropertySet, Reduction};

use crate::guided_search::violation;
use crate::schedule::Scheduled;
use crate::search::Search;

/// Instructions of one turn, and of all.
const FUEL: u64 = 10_000_000;
/// An execution that does not come back to one state after so many rounds is given up.
const MAX_ROUNDS: usize = 4;

/// Follows turns to their end; the evidence of what goes wrong there, if anything does.
pub(crate) fn replay_schedule(
    program: &Program,
    options: Options,
    properties: PropertySet,
    turns: &[GuidedTurn],
) -> Option<ProgramRun> {
    let options = Options { is_lazy: false, checks: properties.iter().collect(), ..options };
    let machine = Machine::new(program, options.clone());
    let mut replay = ScheduleReplay::new(&machine, turns);
    let violation = match replay.run()? {
        Some(violation) => violation,
        None => {
            let machine = Machine::new(program, options);
            let mut search = Search::new(machine, properties, Reduction::None, usize::MAX);
            match search.schedule(&replay.state, 0, None, None) {
                Scheduled::Violated(violation) => violation,
                Scheduled::Threads(..) | Scheduled::Over => return None,
            }
        }
    };
    Some(ProgramRun { decisions: replay.decisions, every_step: true, claim: None, loop_from: None, violation })
}

/// Follows turns that lead to where a claim is violated, round their endless part if there is one: from the turn
/// `loop_from` on, or nothing happens any more if that is behind the last one.
pub(crate) fn replay_claim(
    program: &Program,
    options: Options,
    claim: &Claim,
    turns: &[GuidedTurn],
    loop_from: Option<usize>,
) -> Option<ProgramRun> {
    let checks = Checks::ALL.without(ViolationKind::DataRace);
    let machine = Machine::new(program, Options { is_lazy: false, checks, ..options });
    let mut replay = ScheduleReplay { round: Some(Round::new(loop_from)), ..ScheduleReplay::new(&machine, turns) };
    // The program may stand where the first turn ends, or the endless part begins, before anything has happened.
    replay.pass(0);
    if !turns.is_empty() && replay.run()?.is_some() {
        return None;
    }
    let ScheduleReplay { state, decisions, round, thread, .. } = replay;
    let start = round.and_then(|round| round.start);
    let loop_from = match (loop_from, start) {
        (None, _) => None,
        (Some(_), Some((start, _))) => Some(start),
        (Some(_), None) => return None,
    };
    let message = match claim.kind {
        ClaimKind::Invariant => format!("the invariant `{}` does not hold", claim.text),
        ClaimKind::Ltl(_) => format!("the formula `{}` does not hold for this execution", claim.text),
        ClaimKind::Livelock => "threads run for ever without progress".to_owned(),
        ClaimKind::Termination => "the execution never ends: it comes back to the same state".to_owned(),
    };
    let violation = violation(&machine, &state, thread, claim.violation(), message);
    Some(ProgramRun { decisions, every_step: true, claim: Some(claim.clone()), loop_from, violation })
}

/// How an endless part is followed.
struct Round {
    /// The turn with which it begins.
    loop_from: Option<usize>,
    /// The decision with which the round began, and the state there.
    start: Option<(usize, Vec<u8>)>,
    n_rounds: usize,
}

impl Round {
    fn new(loop_from: Option<usize>) -> Self {
        Self { loop_from, start: None, n_rounds: 0 }
    }
}

struct ScheduleReplay<'a, 'p> {
    machine: &'a Machine<'p>,
    turns: &'a [GuidedTurn],
    state: State,
    decisions: Vec<Decision>,
    /// Who moved last.
    thread: usize,
    /// For executions that a claim is about.
    round: Option<Round>,
}

impl<'a, 'p> ScheduleReplay<'a, 'p> {
    fn new(machine: &'a Machine<'p>, turns: &'a [GuidedTurn]) -> Self {
        Self { machine, turns, state: machine.initial(), decisions: Vec::new(), thread: 0, round: None }
    }

    /// The turn that comes next is that with this number; whether the execution is complete.
    fn pass(&mut self, at: usize) -> Option<bool> {
        let is_last = at == self.turns.len();
        let Some(round) = &mut self.round else { return Some(is_last) };
        let is_round = is_last && round.loop_from.is_some_and(|from| from < at);
        if round.loop_from != Some(at) && !is_round {
            return Some(is_last);
        }
        let mut key = Vec::new();
        self.machine.key(&self.state, &mut key);
        if round.start.as_ref().is_some_and(|(_, start)| *start == key) {
            return Some(true);
        }
        round.start = Some((self.decisions.len(), key));
        round.n_rounds += 1;
        if round.n_rounds > MAX_ROUNDS {
            return None;
        }
        Some(is_last && !is_round)
    }
    /// What goes wrong in the last turn; nothing if all turns were taken.
    fn run(&mut self) -> Option<Option<unpick_program::interp::Violation>> {
        let last = self.turns.len().checked_sub(1)?;
        let is_whole = self.round.is_some();
        let mut at = 0;
        if is_whole && self.turns[0].is_first && self.is_at(&self.turns[0]) {
            at = 1;
            if self.pass(at)? {
                return Some(None);
            }
        }
        let mut queue: VecDeque<Decision> = self.turns[at].chosen.iter().copied().collect();
        let mut is_resumed = false;
        loop {
            // A thread that is alone is not stopped before it has started another one, or ends.
            if !is_whole && self.state.n_live_threads() < 2 {
                let n_threads = self.state.n_threads();
                let starts = self.turns[at..].iter().position(|turn| turn.n_threads > n_threads);
                let to = starts.map_or(last, |turns| at + turns);
                queue.extend(self.turns[at + 1..=to].iter().flat_map(|turn| turn.chosen.clone()));
                at = to;
            }
            let until = Until { fuel: FUEL, shared_access: true, every_step: true, is_resumed, ..Until::NEVER };
            let until = Until { alone_too: is_whole, ..until };
            let stop = self.machine.run_silent(&mut self.state, self.thread, until);
            is_resumed = stop == Stop::Fuel;
            match stop {
                Stop::Choice(choice) => {
                    let decision = queue.pop_front()?;
                    let option = choice.option_of(&decision)?;
                    self.decisions.push(decision);
                    self.machine.pick(&mut self.state, &choice, option);
                }
                Stop::Violated(violation) => return Some(Some(violation)),
                Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                    let mut is_there = stop == Stop::ThreadEnded || self.is_at(&self.turns[at]);
                    if stop == Stop::Blocked && !is_there {
                        return None;
                    }
                    while is_there {
                        at += 1;
                        if self.pass(at)? {
                            return Some(None);
                        }
                        if let (Some(round), true) = (&self.round, at == self.turns.len()) {
                            at = round.loop_from?;
                        }
                        let turn = &self.turns[at];
                        queue.extend(turn.chosen.iter().copied());
                        self.thread = turn.thread;
                        is_there = turn.is_first && self.is_at(turn);
                    }
                    if self.thread >= self.state.n_threads() {
                        return None;
                    }
                    self.decisions.push(Decision::Thread(self.thread as u32));
                    self.state.record_thread(self.thread);
                }
                // The end of the program is the end of the execution, if it is the last turn.
                Stop::Exited { .. } if is_whole && at + 1 == self.turns.len() => {
                    return self.pass(at + 1)?.then_some(None);
                }
                Stop::Fuel => {}
                Stop::LoopHead(..)
                | Stop::Exited { .. }
                | Stop::Infeasible
                | Stop::Unmodelled { .. }
                | Stop::TooWide { .. }
                | Stop::Limit { .. } => return None,
            }
        }
    }

    /// Whether the thread stands where its turn ends.
    fn is_at(&self, turn: &GuidedTurn) -> bool {
        if turn.thread >= self.state.n_threads() {
            return false;
        }
        let frames = self.state.frames(self.machine.program, turn.thread);
        let place = frames.last().map(|frame| (frame.function, frame.block, frame.index, frames.len()));
        turn.to.is_some() && place == turn.to && self.state.atomic_thread().is_none()
    }
}
