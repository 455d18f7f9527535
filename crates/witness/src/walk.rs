//! Navigation in a trace as in a debugger: positions of threads, call stacks and variables, forwards and backwards.
//!
//! To stand at a step means that it is about to be done: the variables have the values from before it. A trace tells only
//! what changes, so a global that has not changed yet has the value that its first change replaces. Steps of one thread
//! follow its own order; only [`Walk::step_in`] and its inverse follow the order of the whole execution.

mod expression;
mod values;

use crate::{Scope, Step, Trace};
pub use values::{HeapObject, Values};

/// A position in a trace, and what to stop at.
#[derive(Clone, Debug)]
pub struct Walk {
    trace: Trace,
    at: usize,
    /// Where the latest moves forwards came from, so that going back undoes them.
    trail: Vec<(usize, usize)>,
    /// Steps that do not bear on the failure are passed over.
    is_brief: bool,
    /// Lines to stop at.
    lines: Vec<(String, u32)>,
    /// Variables whose change to stop at.
    watched: Vec<String>,
}

/// Why a move ended where it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// It was asked to go there.
    Step,
    /// At a breakpoint.
    Line,
    /// At a watchpoint: a variable changes.
    Variable,
    /// There is nothing before.
    Beginning,
    /// At the failure.
    End,
}

/// An activation of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Activation {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// How many calls enclose it, from one.
    pub depth: u32,
}

/// A variable with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub value: String,
    pub scope: Option<Scope>,
}

impl Walk {
    /// Stands at the first step.
    pub fn new(trace: Trace) -> Walk {
        Walk { trace, at: 0, trail: Vec::new(), is_brief: false, lines: Vec::new(), watched: Vec::new() }
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Number of the step, from zero.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The step that is about to be done.
    pub fn step(&self) -> Option<&Step> {
        self.trace.steps.get(self.at)
    }

    /// The thread that is about to move.
    pub fn thread(&self) -> u32 {
        self.step().map_or(0, |step| step.thread)
    }

    /// Whether to pass over steps that do not bear on the failure.
    pub fn set_brief(&mut self, is_brief: bool) {
        self.is_brief = is_brief;
    }

    /// Whether one may stop at a step.
    pub fn is_stop(&self, at: usize) -> bool {
        !self.is_brief || self.trace.steps.get(at).is_some_and(|step| !step.is_irrelevant)
    }

    fn last(&self) -> usize {
        self.trace.steps.len().saturating_sub(1)
    }

    /// Goes to a step by its number.
    pub fn go_to(&mut self, at: usize) -> Arrival {
        self.trail.clear();
        self.at = at.min(self.last());
        self.arrival(Arrival::Step)
    }

    fn arrival(&self, otherwise: Arrival) -> Arrival {
        match self.at {
            0 => Arrival::Beginning,
            at if at == self.last() => Arrival::End,
            _ => otherwise,
        }
    }

    /// Moves forwards; the way back is remembered.
    fn advance(&mut self, to: usize) -> Arrival {
        if to != self.at {
            self.trail.push((self.at, to));
        }
        self.at = to;
        if self.at == self.last() { Arrival::End } else { Arrival::Step }
    }

    /// The next step of anyone.
    pub fn step_in(&mut self) -> Arrival {
        let next = (self.at + 1..self.trace.steps.len()).find(|at| self.is_stop(*at));
        self.advance(next.unwrap_or(self.last()))
    }

    /// The next step of a thread for which something holds, else the last of all.
    fn next_of(&self, thread: u32, holds: impl Fn(&Step) -> bool) -> usize {
        let later = self.trace.steps.iter().enumerate().skip(self.at + 1);
        let mut wanted = later.filter(|(at, step)| step.thread == thread && self.is_stop(*at) && holds(step));
        wanted.next().map_or(self.last(), |(at, _)| at)
    }

    /// The next step of the thread that is neither inside a call from here nor the rest of the line after it.
    pub fn step_over(&mut self, thread: u32) -> Arrival {
        let Some(here) = self.stack(thread).into_iter().next() else { return self.advance(self.last()) };
        let mut has_called = false;
        let later = self.trace.steps.iter().enumerate().skip(self.at + 1);
        let wanted = later.filter(|(_, step)| step.thread == thread).find(|(at, step)| {
            let is_inside = step.depth > here.depth;
            let is_rest = has_called && step.depth == here.depth && step.line == here.line && step.file == here.file;
            has_called = is_inside;
            !is_inside && !is_rest && self.is_stop(*at)
        });
        let to = wanted.map_or(self.last(), |(at, _)| at);
        self.advance(to)
    }

    /// The next step of the thread after the function has returned.
    pub fn step_out(&mut self, thread: u32) -> Arrival {
        let depth = self.depth(thread);
        self.advance(self.next_of(thread, |step| step.depth < depth))
    }

    /// The next step of a thread, whatever it is.
    pub fn next_step_of(&mut self, thread: u32) -> Arrival {
        self.advance(self.next_of(thread, |_| true))
    }

    /// The step of a thread before this one, whatever it is; the first of all if there is none.
    pub fn last_step_of(&mut self, thread: u32) -> Arrival {
        let earlier = self.trace.steps.iter().enumerate().take(self.at);
        let before =
            earlier.rev().find(|(at, step)| step.thread == thread && self.is_stop(*at)).map_or(0, |(at, _)| at);
        self.go_to(before)
    }

    fn depth(&self, thread: u32) -> u32 {
        self.stack(thread).first().map_or(1, |activation| activation.depth)
    }

    /// Undoes the latest move forwards, or goes to the thread's step before this one, calls from there left out.
    pub fn step_back(&mut self, thread: u32) -> Arrival {
        if let Some((from, to)) = self.trail.pop() {
            if to == self.at {
                self.at = from;
                return self.arrival(Arrival::Step);
            }
            self.trail.clear();
        }
        let depth = self.depth(thread);
        let earlier = self.trace.steps[..self.at.min(self.trace.steps.len())].iter().enumerate().rev();
        let mut wanted = earlier.filter(|(at, step)| step.thread == thread && step.depth <= depth && self.is_stop(*at));
        self.at = wanted.next().map_or(0, |(at, _)| at);
        self.arrival(Arrival::Step)
    }

    /// The step before this one, of anyone.
    pub fn back_one(&mut self) -> Arrival {
        self.trail.clear();
        self.at = (0..self.at).rev().find(|at| self.is_stop(*at)).unwrap_or(0);
        self.arrival(Arrival::Step)
    }

    /// Lines of a file to stop at, instead of those before.
    pub fn set_lines(&mut self, file: &str, lines: &[u32]) {
        self.lines.retain(|(known, _)| known != file);
        self.lines.extend(lines.iter().map(|line| (file.to_owned(), *line)));
    }

    /// Whether any step lies on a line.
    pub fn is_reached(&self, file: &str, line: u32) -> bool {
        self.trace.steps.iter().any(|step| step.line == line && step.file == file)
    }

    /// Variables whose change to stop at, instead of those before.
    pub fn set_watched(&mut self, names: Vec<String>) {
        self.watched = names;
    }

    fn is_line_wanted(&self, at: usize) -> bool {
        let step = &self.trace.steps[at];
        self.lines.iter().any(|(file, line)| *line == step.line && *file == step.file)
    }

    fn changes_watched(&self, at: usize) -> bool {
        self.trace.steps[at].changes.iter().any(|change| self.watched.contains(&change.name))
    }

    /// Forwards to a breakpoint or behind a watchpoint, or to the end.
    pub fn run(&mut self) -> Arrival {
        let start = self.at;
        for at in start + 1..=self.last() {
            let arrival = match (self.is_line_wanted(at), self.changes_watched(at - 1)) {
                (_, true) => Arrival::Variable,
                (true, false) => Arrival::Line,
                (false, false) => continue,
            };
            self.advance(at);
            return arrival;
        }
        self.advance(self.last());
        Arrival::End
    }

    /// Backwards likewise: to a line, or before a change.
    pub fn run_back(&mut self) -> Arrival {
        self.trail.clear();
        while self.at > 0 {
            self.at -= 1;
            if self.changes_watched(self.at) {
                return Arrival::Variable;
            }
            if self.is_line_wanted(self.at) {
                return Arrival::Line;
            }
        }
        Arrival::Beginning
    }

    /// Forwards to the next step that changes a variable whose name holds the text; `false` if there is none.
    pub fn search(&mut self, text: &str) -> bool {
        let matches = |step: &Step| step.changes.iter().any(|change| change.name.contains(text));
        let found = (self.at + 1..self.trace.steps.len()).find(|at| matches(&self.trace.steps[*at]));
        found.map(|at| self.advance(at)).is_some()
    }

    /// Backwards likewise.
    pub fn search_back(&mut self, text: &str) -> bool {
        let matches = |step: &Step| step.changes.iter().any(|change| change.name.contains(text));
        let found = (0..self.at).rev().find(|at| matches(&self.trace.steps[*at]));
        found.map(|at| self.go_to(at)).is_some()
    }

    /// Threads that have done something or are about to.
    pub fn threads(&self) -> Vec<u32> {
        let end = (self.at + 1).min(self.trace.steps.len());
        let mut threads: Vec<u32> = self.trace.steps[..end].iter().map(|step| step.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// The activations of a thread, innermost first. A thread that is not about to move stands where it moves next.
    pub fn stack(&self, thread: u32) -> Vec<Activation> {
        let mut stack: Vec<Activation> = Vec::new();
        for (at, step) in self.trace.steps.iter().enumerate() {
            if step.thread != thread {
                continue;
            }
            stack.retain(|activation| activation.depth < step.depth);
            stack.push(Activation {
                function: step.function.clone(),
                file: step.file.clone(),
                line: step.line,
                column: step.column,
                depth: step.depth,
            });
            if at >= self.at {
                break;
            }
        }
        stack.reverse();
        stack
    }

    /// What is known of memory here.
    pub fn values(&self) -> Values {
        let mut values = Values::before(&self.trace.steps, self.at);
        values.add_constants(&self.trace.constants);
        values
    }

    /// What is known of all variables here: shared ones first, then those of activations that are still at work.
    pub fn variables(&self) -> Vec<Variable> {
        self.values().variables()
    }

    /// The variables that all share.
    pub fn globals(&self) -> Vec<Variable> {
        self.variables().into_iter().filter(|variable| variable.scope.is_none()).collect()
    }

    /// The variables of an activation.
    pub fn locals(&self, thread: u32, depth: u32) -> Vec<Variable> {
        self.values().locals(thread, depth).into_iter().cloned().collect()
    }

    /// The value of a C expression in an activation, or why it has none.
    pub fn evaluate(&self, expression: &str, thread: u32, depth: u32) -> Result<String, String> {
        self.values().evaluate(expression, thread, depth)
    }
}

#[cfg(test)]
mod tests;
