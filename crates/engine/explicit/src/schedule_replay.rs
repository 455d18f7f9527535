//! Replay of a schedule: turns of threads, found by another search, followed on the interpreter.
//!
//! A search over the translation of a program knows which thread moves, the outcomes of its choices, and before which
//! instruction it stands then. Here the threads of the program are led that way, one instruction at a time, and
//! recorded as the decisions that a replay needs. If the program diverges, there is no evidence.

use std::collections::VecDeque;

use unpick_program::Program;
use unpick_program::interp::{Decision, Machine, Options, State, Stop, Until};
use unpick_system::{GuidedTurn, ProgramRun, PropertySet, Reduction};

use crate::schedule::Scheduled;
use crate::search::Search;

/// Instructions of one turn, and of all.
const FUEL: u64 = 10_000_000;

/// Follows turns to their end; the evidence of what goes wrong there, if anything does.
pub(crate) fn replay_schedule(
    program: &Program,
    options: Options,
    properties: PropertySet,
    turns: &[GuidedTurn],
) -> Option<ProgramRun> {
    let options = Options { is_lazy: false, checks: properties.iter().collect(), ..options };
    let machine = Machine::new(program, options.clone());
    let mut replay = ScheduleReplay { machine: &machine, turns, state: machine.initial(), decisions: Vec::new() };
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

struct ScheduleReplay<'a, 'p> {
    machine: &'a Machine<'p>,
    turns: &'a [GuidedTurn],
    state: State,
    decisions: Vec<Decision>,
}

impl ScheduleReplay<'_, '_> {
    /// What goes wrong in the last turn; nothing if all turns were taken.
    fn run(&mut self) -> Option<Option<unpick_program::interp::Violation>> {
        let last = self.turns.len().checked_sub(1)?;
        let mut at = 0;
        let mut queue: VecDeque<Decision> = self.turns[at].chosen.iter().copied().collect();
        let mut thread = 0;
        let mut is_resumed = false;
        loop {
            // A thread that is alone is not stopped before it has started another one, or ends.
            if self.state.n_live_threads() < 2 {
                let n_threads = self.state.n_threads();
                let starts = self.turns[at..].iter().position(|turn| turn.n_threads > n_threads);
                let to = starts.map_or(last, |turns| at + turns);
                queue.extend(self.turns[at + 1..=to].iter().flat_map(|turn| turn.chosen.clone()));
                at = to;
            }
            let until = Until { fuel: FUEL, shared_access: true, every_step: true, is_resumed, ..Until::NEVER };
            let stop = self.machine.run_silent(&mut self.state, thread, until);
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
                        let Some(turn) = self.turns.get(at) else { return Some(None) };
                        queue.extend(turn.chosen.iter().copied());
                        thread = turn.thread;
                        is_there = turn.is_first && self.is_at(turn);
                    }
                    if thread >= self.state.n_threads() {
                        return None;
                    }
                    self.decisions.push(Decision::Thread(thread as u32));
                    self.state.record_thread(thread);
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
