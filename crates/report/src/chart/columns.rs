//! A sequence chart as text: a column for each process, a line for each step, arrows for messages.

use std::collections::{BTreeMap, BTreeSet};

use unpick_witness::{Step, Trace};

use crate::cells::{cut, pad};
use crate::escape::visible;

/// Room for the number of a step.
const NUMBER: usize = 7;
const MIN_COLUMN: usize = 14;
const MAX_COLUMN: usize = 36;

/// The chart in so many columns of a terminal. Without `all` it shows messages, output, ends, and where it stops.
pub fn columns(trace: &Trace, all: bool, columns: usize) -> String {
    let last = trace.steps.len().saturating_sub(1);
    let is_shown = |(at, step): &(usize, &Step)| all || *at == last || is_seen_from_outside(step);
    let steps: Vec<(usize, &Step)> = trace.steps.iter().enumerate().filter(is_shown).collect();
    let threads: BTreeSet<u32> = trace.steps.iter().map(|step| step.thread).collect();
    let threads: Vec<u32> = threads.into_iter().collect();
    let room = columns.saturating_sub(NUMBER) / threads.len().max(1);
    let chart = Chart { threads: &threads, width: room.clamp(MIN_COLUMN, MAX_COLUMN) };
    let mut text = chart.line("step", threads.iter().map(|thread| chart.cell(&trace.actors.long(*thread))));
    let sent: BTreeMap<u64, u32> = { trace.steps.iter() }
        .flat_map(|step| step.sent.iter().map(move |message| (message.id, step.thread)))
        .collect();
    let mut is_before_loop = trace.loop_start.is_some();
    for (at, step) in steps {
        if is_before_loop && trace.loop_start.is_some_and(|start| at >= start) {
            is_before_loop = false;
            text += "  -- repeats for ever from here --\n";
        }
        let origin = step.received.iter().find_map(|message| sent.get(&message.id)).copied();
        text += &chart.step(&(at + 1).to_string(), step, origin.filter(|origin| *origin != step.thread));
        for line in step.output.lines() {
            text += &chart.event("", step.thread, &format!("\"{line}\""));
        }
        if !step.remark.is_empty() && step.is_waiting {
            text += &chart.event("", step.thread, &format!("({})", step.remark));
        }
    }
    text
}

/// Whether others notice the step.
fn is_seen_from_outside(step: &Step) -> bool {
    let has_message = !step.sent.is_empty() || !step.received.is_empty();
    has_message || !step.output.is_empty() || step.is_waiting || step.text == "ends"
}

/// The chart under construction: columns of processes.
struct Chart<'a> {
    threads: &'a [u32],
    width: usize,
}

impl Chart<'_> {
    /// One line out of cells, each as wide as a column.
    fn line(&self, number: &str, cells: impl Iterator<Item = String>) -> String {
        let line: String = cells.collect();
        format!("{number:>5}  {}\n", line.trim_end())
    }

    fn cell(&self, text: &str) -> String {
        pad(&cut(&visible(text), self.width - 1), self.width)
    }

    /// A line on which one process does something by itself.
    fn event(&self, number: &str, thread: u32, text: &str) -> String {
        let cell = |other: &u32| if *other == thread { self.cell(text) } else { pad("|", self.width) };
        self.line(number, self.threads.iter().map(cell))
    }

    /// A step, with an arrow from the sender of what it receives.
    fn step(&self, number: &str, step: &Step, origin: Option<u32>) -> String {
        let Some(origin) = origin else { return self.event(number, step.thread, &step.text) };
        let is_rightwards = origin < step.thread;
        let shaft = format!("|{}", "-".repeat(self.width - 1));
        let cell = |other: &u32| {
            let is_between = (*other > origin.min(step.thread)) && (*other < origin.max(step.thread));
            match *other {
                other if other == step.thread && is_rightwards => self.cell(&format!(">{}", step.text)),
                other if other == step.thread => {
                    let text = format!("{}<", cut(&visible(&step.text), self.width - 2));
                    let n_cells = crate::cells::width(&text);
                    format!("{text}{}", "-".repeat(self.width - n_cells))
                }
                other if is_between || (other == origin && is_rightwards) => shaft.clone(),
                _ => pad("|", self.width),
            }
        };
        self.line(number, self.threads.iter().map(cell))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unpick_witness::{Actors, Message};

    use super::*;
    use crate::cells::width;

    fn trace(text: &str) -> Trace {
        let message = Message { id: 7, channel: "c".to_owned(), text: String::new() };
        let step = |thread, text: &str| Step { thread, text: text.to_owned(), ..Step::default() };
        let sends = Step { sent: vec![message.clone()], ..step(2, "c!1") };
        let receives = Step { received: vec![message], output: "got it\n".to_owned(), ..step(0, "c?x") };
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let steps = vec![sends, step(1, text), receives, step(0, "x = 2")];
        Trace { steps, actors: Actors { noun: "process".to_owned(), names, ..Actors::default() }, ..Trace::default() }
    }

    #[test]
    fn messages_are_arrows() {
        let text = columns(&trace("y = 1"), false, 64);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "    1  |                  |                  c!1", "{text}");
        assert_eq!(lines[2], "    3  c?x<---------------|------------------|", "{text}");
        assert_eq!(lines[3], "       \"got it\"           |                  |", "{text}");
        assert_eq!(lines.len(), 5, "{text}");
        assert!(columns(&trace("y = 1"), true, 64).contains("    2  |                  y = 1"));
    }

    proptest! {
        #[test]
        fn lines_have_no_more_columns_than_there_are(text in any::<String>(), n in 60usize..200) {
            for line in columns(&trace(&text), true, n).lines() {
                prop_assert!(width(line) <= n, "{}", line);
            }
        }
    }
}
