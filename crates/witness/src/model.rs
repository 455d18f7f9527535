//! Replay of model executions on the reference interpreter, told on the model's lines.
//!
//! The moves of an execution are taken again; if one is not possible, or nothing is wrong at the end, the search was
//! wrong, and nothing is shown.

mod claim;
mod flow;
mod message_matching;
mod moves;
mod states;

use claim::replay_claim;
pub use flow::{claim_flow, model_flow};
pub use moves::{moves_from_text, moves_text, retrace_model, tell_moves};
pub use states::model_states;

use unpick_automaton::embedded::CodeFault;
use unpick_automaton::interp::{Control, Fault, FaultKind, Machine, Move, Shown};
use unpick_automaton::run::Taken;
use unpick_automaton::{LocationId, Model, ProctypeId, Transition};
use unpick_base::{SourceMap, Span};
use unpick_program::ViolationKind;
use unpick_system::{AutomatonRun, AutomatonViolation};

use message_matching::MessageMatching;

use crate::{Actors, Change, Finding, ReplayMismatch, Scope, Step, Switch, Trace};

/// Replays an execution of a model that violates a goal and puts it into the user's terms.
pub fn replay_run(model: &Model, sources: &SourceMap, run: &AutomatonRun) -> Result<(Finding, Trace), ReplayMismatch> {
    if let AutomatonViolation::Behaviour { watch, is_fair } = run.wrong {
        return replay_claim(model, sources, (watch, is_fair), run);
    }
    let (found, trace) = retrace_model(model, sources, run);
    Ok((found?, trace))
}

/// Tells steps in the user's terms.
struct Teller<'a> {
    machine: &'a Machine<'a>,
    model: &'a Model,
    sources: &'a SourceMap,
}

impl Teller<'_> {
    fn place(&self, span: Span) -> (String, u32, u32) {
        match self.sources.place(span.lo) {
            Some(place) => (place.file.to_string(), place.line, place.column),
            None => Default::default(),
        }
    }

    /// A statement on one line: several often share a line of the source.
    fn text(&self, span: Span) -> String {
        statement_text(self.sources, span)
    }

    fn finding(&self, kind: ViolationKind, span: Span, process: Option<u8>, state: &[u8], message: String) -> Finding {
        let (file, line, column) = self.place(span);
        let process = process.unwrap_or(0);
        let positions = if state.is_empty() { Vec::new() } else { self.machine.positions(state) };
        let function = positions.get(usize::from(process)).map(|(proctype, _)| self.name(*proctype));
        Finding {
            kind: kind.name().to_owned(),
            file,
            line,
            column,
            function: function.unwrap_or_default(),
            thread: process.into(),
            // Before the first state no process runs.
            is_process: !positions.is_empty(),
            message,
            ..Finding::default()
        }
    }

    fn name(&self, proctype: ProctypeId) -> String {
        self.model.proctypes[proctype].name.trim_matches(':').to_owned()
    }

    fn fault(&self, fault: &Fault, process: Option<u8>, state: &[u8]) -> Finding {
        let process = process.or_else(|| (!state.is_empty()).then(|| self.culprit(state, fault)).flatten());
        if let FaultKind::Code(number) = fault.kind
            && let Some(found) = self.model.embedded.as_ref().and_then(|embedded| embedded.fault(number))
        {
            return self.code_fault(found, fault.span, process, state);
        }
        let (kind, message) = describe(fault.kind, &self.text(fault.span));
        self.finding(kind, fault.span, process, state, message)
    }

    /// What went wrong in C code, on the lines of C. Without a kind it is no violation, but nothing is known.
    fn code_fault(&self, found: CodeFault, span: Span, process: Option<u8>, state: &[u8]) -> Finding {
        let kind = found.kind.unwrap_or(ViolationKind::Assertion);
        let mut finding = self.finding(kind, span, process, state, found.message);
        finding.is_unknown = found.kind.is_none();
        if found.line > 0 {
            (finding.file, finding.line, finding.column) = (found.file, found.line, found.column);
        }
        if let Some(function) = found.function {
            finding.function = function;
        }
        finding
    }

    fn transition(&self, moved: &Move, positions: &[(ProctypeId, LocationId)]) -> &Transition {
        let proctype = &self.model.proctypes[positions[usize::from(moved.process)].0];
        &proctype.automaton.locations[moved.location].transitions[moved.transition as usize]
    }

    fn invalid_end(&self, state: &[u8]) -> Finding {
        let positions = self.machine.positions(state);
        let is_end = |at: &(ProctypeId, LocationId)| self.model.proctypes[at.0].automaton.locations[at.1].is_end;
        let stuck = positions.iter().position(|at| !is_end(at)).unwrap_or(0);
        let span = positions.get(stuck).map_or(Span::NONE, |at| self.span_of(*at));
        let n_stuck = positions.iter().filter(|at| !is_end(at)).count();
        let who = match n_stuck {
            0 => "the trace is".to_owned(),
            1 => "a process is".to_owned(),
            n => format!("{n} processes are"),
        };
        let message = format!("nothing is possible any more, and {who} not at an end");
        let mut finding = self.finding(ViolationKind::EndState, span, Some(stuck as u8), state, message);
        for (process, at) in positions.iter().enumerate().filter(|(_, at)| !is_end(at)) {
            let (file, line, _) = self.place(self.span_of(*at));
            let name = self.name(at.0);
            finding.notes.push(format!("process {process} ({name}) stands at {file}:{line}"));
        }
        finding
    }

    fn span_of(&self, at: (ProctypeId, LocationId)) -> Span {
        let location = &self.model.proctypes[at.0].automaton.locations[at.1];
        location.transitions.first().map_or(location.span, |transition| transition.span)
    }

    fn trace(&self, taken: &[Taken]) -> Trace {
        let mut trace =
            Trace { actors: Actors { noun: "process".to_owned(), ..Actors::default() }, ..Trace::default() };
        let mut last: Option<u8> = None;
        let mut can_go_on = true;
        let mut post = MessageMatching::default();
        for step in taken {
            let positions = self.machine.positions(&step.before);
            self.name_actors(&mut trace.actors, &positions);
            let before = self.machine.values(&step.before);
            let after = self.machine.values(&step.next.state);
            let n_moves = step.next.moves.len();
            for (at, moved) in step.next.moves.iter().enumerate() {
                let mut told = self.step(step, moved, &positions);
                if last.is_some_and(|last| last != moved.process) {
                    trace.n_switches += 1;
                    let is_forced = !can_go_on || at > 0;
                    trace.n_preemptions += u64::from(!is_forced);
                    told.switch = if is_forced { Switch::Yield } else { Switch::Preemption };
                }
                if at + 1 == n_moves {
                    told.changes = changes(&before, &after, &positions, self);
                }
                let transition = self.transition(moved, &positions);
                post.pass(self.machine, &step.before, &step.next, (moved, transition), &mut told);
                if n_moves == 2 {
                    let partner = step.next.moves[1 - at].process;
                    let verb = if at == 0 { "hands over to" } else { "takes from" };
                    told.remark = format!("{verb} process {partner}");
                }
                last = Some(moved.process);
                trace.steps.push(told);
            }
            if let (0, Some(fault)) = (n_moves, step.next.faults.first()) {
                trace.steps.extend(self.failing(&step.before, fault, &positions));
            }
            let mover = last.unwrap_or(0);
            let own = self.machine.steps(&step.next.state, Control::Only(mover), false);
            can_go_on = own.is_ok_and(|found| !found.is_empty());
        }
        if let Some(last) = taken.last() {
            self.name_actors(&mut trace.actors, &self.machine.positions(&last.next.state));
            let shared = self.machine.values(&last.next.state).into_iter().filter(|shown| shown.process.is_none());
            trace.keep_constants(shared.map(|shown| (shown.name, shown.value)));
        }
        trace
    }

    /// A step that does not come to its end.
    fn failing(&self, before: &[u8], fault: &Fault, positions: &[(ProctypeId, LocationId)]) -> Option<Step> {
        let process = self.culprit(before, fault)?;
        let (file, line, column) = self.place(fault.span);
        Some(Step {
            thread: process.into(),
            file,
            line,
            column,
            function: self.name(positions[usize::from(process)].0),
            text: self.text(fault.span),
            remark: "goes wrong".to_owned(),
            ..Step::default()
        })
    }

    /// The process of which a step goes wrong so that no state follows.
    fn culprit(&self, before: &[u8], fault: &Fault) -> Option<u8> {
        let n_processes = self.machine.positions(before).len() as u8;
        let goes_wrong = |process: u8, is_timeout: bool| {
            let found = self.machine.steps(before, Control::Only(process), is_timeout);
            found.is_err_and(|found| found == *fault)
        };
        (0..n_processes).rev().find(|process| goes_wrong(*process, false) || goes_wrong(*process, true))
    }

    fn name_actors(&self, actors: &mut Actors, positions: &[(ProctypeId, LocationId)]) {
        for (process, at) in positions.iter().enumerate() {
            if process >= actors.names.len() {
                actors.names.push(self.name(at.0));
            }
        }
    }

    fn step(&self, taken: &Taken, moved: &Move, positions: &[(ProctypeId, LocationId)]) -> Step {
        let at = positions[usize::from(moved.process)];
        let transition = self.transition(moved, positions);
        let (file, line, column) = self.place(transition.span);
        Step {
            thread: moved.process.into(),
            file,
            line,
            column,
            function: self.name(at.0),
            text: match transition.step {
                unpick_automaton::Step::End => "ends".to_owned(),
                _ => self.text(transition.span),
            },
            output: self.machine.output(&taken.before, moved.process, transition),
            ..Step::default()
        }
    }

    /// Where the processes stand at the end.
    fn add_waiting(&self, trace: &mut Trace, state: &[u8]) {
        for (process, at) in self.machine.positions(state).into_iter().enumerate() {
            let location = &self.model.proctypes[at.0].automaton.locations[at.1];
            if location.is_end {
                continue;
            }
            let (file, line, column) = self.place(self.span_of(at));
            let remark = "cannot be executed".to_owned();
            trace.steps.push(Step {
                thread: process as u32,
                file,
                line,
                column,
                function: self.name(at.0),
                text: self.text(self.span_of(at)),
                remark,
                is_waiting: true,
                ..Step::default()
            });
        }
    }
}

fn changes(
    before: &[Shown],
    after: &[Shown],
    positions: &[(ProctypeId, LocationId)],
    teller: &Teller<'_>,
) -> Vec<Change> {
    let mut found = Vec::new();
    for new in after {
        let old = before.iter().find(|old| old.process == new.process && old.name == new.name);
        // A new process's variables have just come to be.
        let Some(old) = old.filter(|old| old.value != new.value) else { continue };
        let scope = new.process.map(|process| Scope {
            thread: process.into(),
            function: positions.get(usize::from(process)).map(|at| teller.name(at.0)).unwrap_or_default(),
            depth: 0,
        });
        found.push(Change {
            name: new.name.clone(),
            old: old.value.clone(),
            new: new.value.clone(),
            scope,
            part: None,
        });
    }
    found
}

fn describe(kind: FaultKind, text: &str) -> (ViolationKind, String) {
    match kind {
        FaultKind::Assertion => (ViolationKind::Assertion, format!("`{text}` does not hold")),
        FaultKind::Index => (ViolationKind::OutOfBounds, format!("an index lies outside its array: `{text}`")),
        FaultKind::Division => (ViolationKind::DivisionByZero, format!("division by zero: `{text}`")),
        FaultKind::NoChannel => (ViolationKind::Assertion, format!("there is no channel: `{text}`")),
        FaultKind::Fields => (ViolationKind::Assertion, format!("the message has another number of fields: `{text}`")),
        FaultKind::RendezvousPoll => (ViolationKind::Assertion, format!("a rendezvous cannot be polled: `{text}`")),
        FaultKind::BlockedDStep => (ViolationKind::Assertion, format!("a d_step cannot go on at `{text}`")),
        FaultKind::EndlessDStep => (ViolationKind::Assertion, "a d_step does not end".to_owned()),
        FaultKind::TooManyProcesses => (ViolationKind::Assertion, "more than 255 processes".to_owned()),
        FaultKind::TooManyChannels => (ViolationKind::Assertion, "more than 255 channels".to_owned()),
        FaultKind::EnabledSelf => (ViolationKind::Assertion, "a process asks whether it is enabled itself".to_owned()),
        FaultKind::Priority => (ViolationKind::Assertion, "a priority is outside 1 to 255".to_owned()),
        FaultKind::Choice => (ViolationKind::Assertion, format!("a D_proctype has a choice at `{text}`")),
        FaultKind::Code(_) => (ViolationKind::Assertion, format!("embedded C goes wrong: `{text}`")),
        FaultKind::NoCode => (ViolationKind::Assertion, format!("embedded C that is not compiled: `{text}`")),
        FaultKind::Trace => (ViolationKind::Assertion, format!("the `trace` does not allow `{text}`")),
        FaultKind::NoTrace => (ViolationKind::Assertion, format!("`{text}` completes what `notrace` forbids")),
        FaultKind::TraceChoice => (ViolationKind::Assertion, format!("the trace can follow `{text}` in two ways")),
        FaultKind::ClaimEffect => (ViolationKind::Assertion, format!("a claim does more than look: `{text}`")),
    }
}

/// A statement on one line. Inside of an inline it may begin in the inline and end where that is used: what lies between
/// is no part of it, line markers tell.
pub fn statement_text(sources: &SourceMap, span: Span) -> String {
    let is_marker =
        |line: &str| line.strip_prefix("# ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let lines = sources.snippet(span).lines().take_while(|line| !is_marker(line));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
