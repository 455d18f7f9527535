//! What the end of a replay says about itself: deadlocks, lost signals, races, what blocks and what was chosen.

use unpick_program::interp::{Choice, ChoiceKind, Decision, Race, Stop};
use unpick_program::{Ty, show};
use unpick_system::place;

use super::Replayer;
use crate::Trace;
use crate::explain::{self, list, part_name, verb};
use crate::narrate::TurnEnd;
use crate::wait::{awaited_condition, held, lock_name};

impl Replayer<'_, '_> {
    /// An interrupt handler waits, or the thread that disabled interrupts.
    pub(super) fn tell_wait(&mut self) {
        if let Some(owner) = self.machine.blocked_owner(&self.state) {
            self.narrator.wait(&self.state, owner, false);
        }
    }

    /// Every thread that is left waits.
    pub(super) fn tell_deadlock(&mut self) {
        if !self.state.is_ended(self.thread) {
            self.narrator.depart(&self.state, self.thread, TurnEnd::Blocked);
        }
        let is_idle = |thread| self.machine.is_idle_handler(&self.state, thread);
        let left = (0..self.state.n_threads()).filter(|thread| !self.state.is_ended(*thread) && !is_idle(*thread));
        for thread in left.collect::<Vec<_>>() {
            self.narrator.wait(&self.state, thread, false);
        }
        self.explanation = explain::deadlock(self.machine, &self.state);
    }

    /// Some threads wait for each other for ever.
    pub(super) fn tell_stuck(&mut self) {
        self.stuck = self.machine.partial_deadlock(&self.state).iter().map(|stuck| stuck.thread).collect();
        if !self.state.is_ended(self.thread) {
            self.narrator.depart(&self.state, self.thread, self.turn_end());
        }
        for thread in self.stuck.clone() {
            self.narrator.wait(&self.state, thread, false);
        }
        self.explanation = explain::stuck(self.machine, &self.state);
    }

    /// Signals that came before any thread waited for them stay in the picture, because they are missing now.
    pub(super) fn tell_lost_signals(&self, trace: &mut Trace) -> Vec<String> {
        let mut notes = Vec::new();
        for thread in (0..self.state.n_threads()).filter(|thread| !self.state.is_ended(*thread)) {
            let Some(condition) = awaited_condition(self.machine, &self.state, thread) else { continue };
            let Some(lost) = self.narrator.lost_signal(condition) else { continue };
            let name = lock_name(self.machine, &self.state, condition);
            let note =
                format!("{name} was signalled at {}, while nobody waited", place(self.machine.program, lost.loc));
            if !notes.contains(&note) {
                notes.push(note);
            }
            let number =
                self.narrator.numbers().and_then(|numbers| numbers.get(lost.serial as usize).copied().flatten());
            if let Some(step) = number.and_then(|number| trace.steps.get_mut(number)) {
                step.remark = format!("signals {name} while nobody waits");
                step.is_irrelevant = false;
            }
        }
        notes
    }

    /// Two threads are about to touch the same memory.
    pub(super) fn tell_race(&mut self, race: &Race) {
        self.racing = vec![race.first.thread, race.second.thread];
        self.narrator.depart(&self.state, self.thread, self.turn_end());
        for (access, part) in [(&race.second, &race.second_part), (&race.first, &race.first_part)] {
            let name = part_name(self.machine, &self.state, part);
            let locks = match held(self.machine, &self.state, access.thread) {
                locks if locks.is_empty() => String::new(),
                locks => format!(" holding {}", list(&locks)),
            };
            let remark = format!("{} of {name}{locks}: data race", verb(access, part));
            self.narrator.pending(&self.state, access.thread, remark);
        }
        self.explanation = explain::race(self.machine, &self.state, race);
    }
}

pub(super) fn describe(stop: &Stop) -> String {
    match stop {
        Stop::Exited { code, .. } => format!("the program ended with status {code}"),
        Stop::Infeasible => "an assumption did not hold".to_owned(),
        Stop::Violated(violation) => {
            format!("{} at line {} ({})", violation.kind, violation.loc.line, violation.message)
        }
        Stop::Unmodelled { what, .. } => format!("something unmodelled was reached ({what})"),
        Stop::TooWide { label, .. } => format!("input {label} was too wide"),
        Stop::Limit { what, .. } => what.clone(),
        Stop::Fuel | Stop::LoopHead(..) | Stop::Shared | Stop::Choice(_) | Stop::Blocked | Stop::ThreadEnded => {
            "the execution stopped".to_owned()
        }
    }
}

/// How a decision reads. Inputs are shown with a sign and as integers if their name does not say otherwise.
pub(super) fn chosen_text(choice: &Choice, decision: &Decision) -> String {
    let says = |words: &[&str]| words.iter().any(|word| choice.label.contains(word));
    match (decision, &choice.kind) {
        (Decision::Value(bits), ChoiceKind::Value { width: 32, .. }) if says(&["nondet_float"]) => {
            show::float(Ty::F32, *bits)
        }
        (Decision::Value(bits), ChoiceKind::Value { width: 64, .. }) if says(&["nondet_double"]) => {
            show::float(Ty::F64, *bits)
        }
        (Decision::Value(bits), ChoiceKind::Value { .. }) if says(UNSIGNED) => bits.to_string(),
        (Decision::Value(bits), ChoiceKind::Value { domain: Some(domain), .. }) => {
            let option = choice.option_of(decision);
            option.and_then(|rank| domain.nth(rank)).map_or_else(|| bits.to_string(), |value| value.to_string())
        }
        (Decision::Value(bits), ChoiceKind::Value { domain: None, width }) => {
            let is_negative = *width < 128 && *width > 1 && bits >> (width - 1) & 1 == 1;
            if is_negative { (*bits as i128 - (1 << width)).to_string() } else { bits.to_string() }
        }
        (Decision::Value(bits), _) => bits.to_string(),
        (Decision::Thread(thread), _) => format!("thread {thread}"),
        (Decision::Address(address), _) => format!("{address:#x}"),
        (Decision::Fail(fails), _) => if *fails { "failure" } else { "success" }.to_owned(),
    }
}

/// Words in the names of inputs that have no sign.
const UNSIGNED: &[&str] =
    &["unsigned", "uint", "ulong", "uchar", "ushort", "size", "_u8", "_u16", "_u32", "_u64", "u128", "bool"];
