//! All states of a small program as a graph: nodes where threads can take turns, where inputs are chosen, and at the
//! heads of loops as long as there is one thread.
//!
//! Nothing is reduced: a picture should show every order. A state stands for all that are the same to
//! the search, so a value that differs between them is not shown.

use unpick_base::id::Id;
use unpick_program::interp::{Choice, ChoiceKind, FrameView, Machine, Observer, State, Stop, Until, Value, Wants};
use unpick_program::{FuncId, GlobalId, Loc, RegId, SlotId, Stmt, show};

use crate::graph::{Mark, ShownState, StateGraph, StateGraphBuilder, TooManyStates};
use crate::wait::held;

/// Instructions of one step.
const FUEL: u64 = 2_000_000;
/// Values of an input that are followed, each with an edge of its own.
const MAX_OPTIONS: u128 = 64;
/// Lines that a step names.
const MAX_LINES: usize = 3;
/// Longer values are no help in a picture.
const MAX_VALUE: usize = 28;

/// Every state of the program, unless there are more than `most`. `text` gives lines of the source.
pub fn program_states(
    machine: &Machine<'_>,
    text: &dyn Fn(&str, u32) -> Option<String>,
    most: usize,
) -> Result<StateGraph, TooManyStates> {
    let mut explorer = Explorer { machine, text, builder: StateGraphBuilder::new(most) };
    explorer.arrive(machine.initial())?;
    while let Some((from, state)) = explorer.builder.next() {
        explorer.follow(from, &state)?;
    }
    Ok(explorer.builder.finish())
}

struct Explorer<'m, 'p> {
    machine: &'m Machine<'p>,
    text: &'m dyn Fn(&str, u32) -> Option<String>,
    builder: StateGraphBuilder<State>,
}

/// The user's own lines that a step touches.
struct Lines<'m, 'p> {
    machine: &'m Machine<'p>,
    found: Vec<Loc>,
}

impl Observer for Lines<'_, '_> {
    fn wants(&self) -> Wants {
        Wants { steps: true, blocks: true, ..Wants::RARE }
    }

    fn step(&mut self, _: &State, _: usize, function: FuncId, stmt: &Stmt) {
        self.pass(function, stmt.loc);
    }

    fn terminator(&mut self, _: &State, _: usize, function: FuncId, block: &unpick_program::Block) {
        self.pass(function, block.loc);
    }
}

impl Lines<'_, '_> {
    fn pass(&mut self, function: FuncId, loc: Loc) {
        let is_known = self.found.iter().any(|known| (known.file, known.line) == (loc.file, loc.line));
        if loc.line != 0 && !is_known && !self.machine.program.functions[function].is_model {
            self.found.push(loc);
        }
    }
}

impl Explorer<'_, '_> {
    /// The number of a state, which may be new.
    fn arrive(&mut self, state: State) -> Result<usize, TooManyStates> {
        let mut key = Vec::new();
        self.machine.key(&state, &mut key);
        let shown = self.shown(&state);
        self.builder.arrive(key, shown, state)
    }

    fn follow(&mut self, from: usize, state: &State) -> Result<(), TooManyStates> {
        if state.n_live_threads() > 1 && self.machine.race(state).is_some() {
            let shown = &mut self.builder.graph.states[from];
            (shown.mark, shown.remark) = (Mark::AutomatonViolation, "data race".to_owned());
        }
        let runnable = self.machine.runnable(state);
        if runnable.is_empty() {
            let shown = &mut self.builder.graph.states[from];
            (shown.mark, shown.remark) = (Mark::AutomatonViolation, "deadlock".to_owned());
        }
        for thread in runnable {
            self.step(from, state.clone(), thread)?;
        }
        Ok(())
    }

    /// Runs a thread on, through all values of inputs.
    fn step(&mut self, from: usize, state: State, thread: usize) -> Result<(), TooManyStates> {
        let mut waiting: Vec<(State, Vec<Loc>, Vec<String>)> = vec![(state, Vec::new(), Vec::new())];
        while let Some((mut state, found, chosen)) = waiting.pop() {
            let mut lines = Lines { machine: self.machine, found };
            let stop = self.run(&mut state, thread, &mut lines);
            let label = self.label(&state, thread, &lines.found, &chosen);
            match stop {
                Stop::Choice(choice) if choice.n_options <= MAX_OPTIONS => {
                    for option in (0..choice.n_options).rev() {
                        let mut next = state.clone();
                        self.machine.pick(&mut next, &choice, option);
                        let mut chosen = chosen.clone();
                        chosen.extend(option_text(&choice, option));
                        waiting.push((next, lines.found.clone(), chosen));
                    }
                }
                Stop::Fuel | Stop::LoopHead(..) | Stop::Shared | Stop::Blocked => {
                    let to = self.arrive(state)?;
                    self.builder.step(from, to, label, false);
                }
                Stop::ThreadEnded if state.n_live_threads() > 0 => {
                    let to = self.arrive(state)?;
                    self.builder.step(from, to, label, false);
                }
                Stop::Infeasible => {}
                stop => self.end(from, &state, stop, label)?,
            }
        }
        Ok(())
    }

    fn run(&self, state: &mut State, thread: usize, lines: &mut Lines<'_, '_>) -> Stop {
        let mut until = Until { fuel: FUEL, loop_heads: true, shared_access: true, ..Until::NEVER };
        loop {
            let stop = self.machine.run(state, thread, until, lines);
            // With several threads only what others can notice counts; fuel ends loops that do nothing of the kind.
            match stop {
                Stop::LoopHead(..) if state.n_live_threads() > 1 && until.fuel > 0 => {
                    until.fuel = until.fuel.saturating_sub(100);
                    until.is_resumed = true;
                }
                stop => return stop,
            }
        }
    }

    /// A step after which nothing follows; equal ends are one.
    fn end(&mut self, from: usize, state: &State, stop: Stop, label: Vec<String>) -> Result<(), TooManyStates> {
        let (mark, remark) = match stop {
            Stop::Exited { code, is_abort: false } => (Mark::End, format!("exit {code}")),
            Stop::Exited { .. } => (Mark::End, "abort".to_owned()),
            Stop::ThreadEnded => (Mark::End, "all threads have ended".to_owned()),
            Stop::Violated(violation) => {
                (Mark::AutomatonViolation, format!("{}: {}", violation.kind, violation.message))
            }
            Stop::Unmodelled { what, .. } => (Mark::Open, format!("no model of {what}")),
            Stop::TooWide { label, .. } => (Mark::Open, format!("{label} has too many values")),
            Stop::Choice(choice) => (Mark::Open, format!("{} has {} values", choice.label, choice.n_options)),
            Stop::Limit { what, .. } => (Mark::Open, what),
            Stop::Fuel | Stop::LoopHead(..) | Stop::Shared | Stop::Blocked | Stop::Infeasible => return Ok(()),
        };
        let values = self.shown(state).values.into_iter().filter(|(name, _)| !name.contains('.')).collect();
        let shown = ShownState { values, remark, mark, ..ShownState::default() };
        let to = self.builder.end(shown)?;
        self.builder.step(from, to, label, mark == Mark::AutomatonViolation);
        Ok(())
    }

    fn label(&self, state: &State, thread: usize, lines: &[Loc], chosen: &[String]) -> Vec<String> {
        let program = self.machine.program;
        let mut label: Vec<String> = lines
            .iter()
            .take(MAX_LINES)
            .map(|loc| {
                let file = program.files.get(loc.file).map_or("", String::as_str);
                (self.text)(file, loc.line).map_or_else(|| format!("line {}", loc.line), |text| text.trim().to_owned())
            })
            .collect();
        if lines.len() > MAX_LINES {
            label.push("\u{2026}".to_owned());
        }
        label.extend(chosen.iter().cloned());
        if label.is_empty() {
            label.push(self.inside(state, thread));
        }
        if let (Some(first), true) = (label.first_mut(), state.n_threads() > 1) {
            *first = format!("[{thread}] {first}");
        }
        label
    }

    /// What a thread is doing that has not touched a line of the user's own: the call of a library function.
    fn inside(&self, state: &State, thread: usize) -> String {
        let program = self.machine.program;
        let frames = state.frames(program, thread);
        let own = frames.iter().rfind(|frame| !program.functions[frame.function].is_model);
        let text = own.and_then(|frame| {
            let file = program.files.get(frame.loc.file).map_or("", String::as_str);
            (self.text)(file, frame.loc.line)
        });
        match text {
            Some(text) => format!("\u{2026} {}", text.trim()),
            None if frames.is_empty() || state.is_ended(thread) => "ends".to_owned(),
            None => "goes on".to_owned(),
        }
    }

    fn shown(&self, state: &State) -> ShownState {
        let mut shown = ShownState::default();
        for index in 0..self.machine.program.globals.len() {
            self.global(state, GlobalId::from_index(index), &mut shown);
        }
        for thread in (0..state.n_threads()).filter(|thread| !state.is_ended(*thread)) {
            let frames = state.frames(self.machine.program, thread);
            let own = |frame: &FrameView| !self.machine.program.functions[frame.function].is_model;
            let who = if state.n_threads() > 1 { format!("[{thread}]") } else { String::new() };
            if let Some(frame) = frames.iter().rfind(|frame| own(frame)) {
                let name = &self.machine.program.functions[frame.function].source_name;
                shown.places.push((who.clone(), format!("{name}:{}", frame.loc.line)));
            }
            let locks = held(self.machine, state, thread);
            if !locks.is_empty() {
                shown.values.push((format!("{who} holds").trim().to_owned(), locks.join(", ")));
            }
            for (at, frame) in frames.iter().enumerate().filter(|(_, frame)| own(frame)) {
                self.locals(state, (thread, at, frame.function), &who, &mut shown);
            }
        }
        // The contents of library types are hidden; the holder of a lock is shown.
        shown.values.retain(|(_, value)| !value.contains("{.__"));
        shown.values.iter_mut().for_each(|(_, value)| shorten(value));
        shown
    }

    fn global(&self, state: &State, id: GlobalId, shown: &mut ShownState) {
        let global = &self.machine.program.globals[id];
        let (Some(name), false, false) = (&global.source_name, global.is_model, global.is_read_only) else { return };
        let object = self.machine.global(state, 0, id);
        let is_open = state.object(object).and_then(|found| found.scalar(0, found.size())).is_some_and(is_open);
        let value = match is_open {
            true => "any".to_owned(),
            false => show::region(self.machine, state, object, 0, global.size, global.shape),
        };
        shown.values.push((name.clone(), value));
    }

    fn locals(
        &self,
        state: &State,
        (thread, frame, function): (usize, usize, FuncId),
        who: &str,
        shown: &mut ShownState,
    ) {
        let body = &self.machine.program.functions[function];
        let named = |name: &str| if who.is_empty() { name.to_owned() } else { format!("{who}.{name}") };
        for (id, reg) in body.regs.iter_enumerated() {
            let Some(name) = &reg.name else { continue };
            let value = state.register(thread, frame, RegId::from_index(id.index()));
            let text = match value {
                Value::Undef => continue,
                value if is_open(value) => "any".to_owned(),
                value => show::value(self.machine, state, value, reg.ty, reg.shape),
            };
            shown.values.push((named(name), text));
        }
        for (id, slot) in body.slots.iter_enumerated() {
            let Some(name) = &slot.name else { continue };
            let Some(place) = state.slot(thread, frame, SlotId::from_index(id.index())) else { continue };
            if state.object(place).is_some() {
                shown.values.push((named(name), show::region(self.machine, state, place, 0, slot.size, slot.shape)));
            }
        }
    }
}

/// Whether a value is not decided yet.
fn is_open(value: Value) -> bool {
    matches!(value, Value::Lazy(_))
}

fn shorten(value: &mut String) {
    if let Some((end, _)) = value.char_indices().nth(MAX_VALUE) {
        value.truncate(end);
        value.push('\u{2026}');
    }
}

/// How an option reads; none if it is no news.
fn option_text(choice: &Choice, option: u128) -> Option<String> {
    let nth = usize::try_from(option).unwrap_or(usize::MAX);
    let value = match &choice.kind {
        ChoiceKind::Value { domain: Some(domain), .. } | ChoiceKind::Enumerate { domain, .. } => {
            domain.nth(option)?.to_string()
        }
        ChoiceKind::Value { domain: None, .. } => option.to_string(),
        ChoiceKind::Split { parts, .. } => {
            let part = parts.get(nth)?;
            match part.as_single() {
                Some(value) => value.to_string(),
                None => format!("{}..{}", part.min(), part.max()),
            }
        }
        ChoiceKind::Samples { values, .. } => values.get(nth)?.to_string(),
        ChoiceKind::Address { .. } => format!("{option:#x}"),
        ChoiceKind::Fail => if option == 1 { "failure" } else { "success" }.to_owned(),
    };
    Some(format!("{} = {value}", choice.label))
}
