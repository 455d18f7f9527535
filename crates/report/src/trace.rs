//! A trace as a table: one line for each step, calls indented, library calls folded.

use anstyle::{AnsiColor, Style};
use unpick_witness::{Step, Trace};

use crate::escape::visible;
use crate::{Colour, TraceStyle};

/// A short trace always ends with this many steps, eventful or not.
const N_LAST: usize = 20;
/// The statement column is cut at this width, so that the changes stay in sight.
const TEXT_WIDTH: usize = 60;
/// Indentation stops here: deep recursion should not push the text out of sight.
const MAX_INDENT: u32 = 10;

const QUIET: Style = Style::new().dimmed();
const STRONG: Style = AnsiColor::Cyan.on_default();

/// Draws a trace; empty if nothing is to be shown.
pub fn trace(trace: &Trace, style: TraceStyle, colour: Colour) -> String {
    let shown: Vec<usize> = match style {
        TraceStyle::None => return String::new(),
        TraceStyle::Full => (0..trace.steps.len()).collect(),
        TraceStyle::Short => (0..trace.steps.len())
            .filter(|at| {
                let step = &trace.steps[*at];
                let is_last_of_turn = trace.steps.get(at + 1).is_some_and(|next| next.thread != step.thread);
                step.is_eventful()
                    || is_last_of_turn
                    || at + N_LAST >= trace.steps.len()
                    || trace.loop_start == Some(*at)
            })
            .collect(),
    };
    if trace.steps.is_empty() {
        return String::new();
    }
    let n_threads = trace.steps.iter().map(|step| step.thread).max().unwrap_or(0) + 1;
    let rows: Vec<Row> = shown.iter().map(|at| Row::new(*at, &trace.steps[*at], n_threads)).collect();
    let widths = Widths::of(&rows);
    let mut text = format!("trace ({}):\n", extent(trace.steps.len(), shown.len()));
    if trace.n_omitted > 0 {
        text += &format!("  ({} more steps are left out of the middle)\n", trace.n_omitted);
    }
    let mut next = 0;
    let mut thread = 0;
    for row in &rows {
        if row.at > next {
            let n_left_out = row.at - next;
            let plural = if n_left_out == 1 { "" } else { "s" };
            text += &paint(
                &format!("  {:>1$}  ({n_left_out} step{plural} without change)", "...", widths.number),
                QUIET,
                colour,
            );
            text.push('\n');
        }
        next = row.at + 1;
        if n_threads > 1 && row.thread != thread {
            thread = row.thread;
            text += &paint(&format!("  -- thread {thread} --"), QUIET, colour);
            text.push('\n');
        }
        if trace.loop_start == Some(row.at) {
            text += "  -- from here on the execution repeats itself --\n";
        }
        row.draw(&widths, colour, &mut text);
    }
    if trace.loop_start.is_some() {
        text += "  -- back to the beginning of the repetition --\n";
    }
    text
}

fn extent(n_steps: usize, n_shown: usize) -> String {
    let plural = if n_steps == 1 { "" } else { "s" };
    if n_steps == n_shown { format!("{n_steps} step{plural}") } else { format!("{n_shown} of {n_steps} steps") }
}

/// The cells of a line.
struct Row {
    at: usize,
    thread: u32,
    number: String,
    place: String,
    function: String,
    text: String,
    events: Vec<String>,
}

struct Widths {
    number: usize,
    place: usize,
    function: usize,
    text: usize,
}

impl Widths {
    fn of(rows: &[Row]) -> Self {
        let widest = |cell: fn(&Row) -> &str| rows.iter().map(|row| cell(row).chars().count()).max().unwrap_or(0);
        Self {
            number: widest(|row| &row.number).max(3),
            place: widest(|row| &row.place),
            function: widest(|row| &row.function),
            text: widest(|row| &row.text),
        }
    }
}

impl Row {
    fn new(at: usize, step: &Step, n_threads: u32) -> Self {
        let place = if step.line == 0 { String::new() } else { format!("{}:{}", visible(&step.file), step.line) };
        let place = if n_threads > 1 { format!("[{}] {place}", step.thread) } else { place };
        let indent = "  ".repeat(step.depth.saturating_sub(1).min(MAX_INDENT) as usize);
        Self {
            at,
            thread: step.thread,
            number: (at + 1).to_string(),
            place,
            function: visible(&step.function).into_owned(),
            text: cut(&format!("{indent}{}", visible(&step.text))),
            events: events(step),
        }
    }

    fn draw(&self, widths: &Widths, colour: Colour, text: &mut String) {
        let number = format!("{:>1$}", self.number, widths.number);
        let place = pad(&self.place, widths.place);
        let function = pad(&self.function, widths.function);
        let head = format!("  {}  {}  {function}  ", paint(&number, QUIET, colour), paint(&place, STRONG, colour));
        let Some((first, rest)) = self.events.split_first() else {
            *text += format!("{head}{}", self.text).trim_end();
            text.push('\n');
            return;
        };
        *text += &format!("{head}{}  {first}\n", pad(&self.text, widths.text));
        let margin = " ".repeat(2 + widths.number + 2 + widths.place + 2 + widths.function + 2 + widths.text + 2);
        for event in rest {
            *text += &format!("{margin}{event}\n");
        }
    }
}

fn events(step: &Step) -> Vec<String> {
    let choices = step.choices.iter().map(|choice| format!("{} chose {}", choice.label, choice.value));
    let changes = step.changes.iter().map(|change| format!("{}: {} -> {}", change.name, change.old, change.new));
    let output = (!step.output.is_empty()).then(|| format!("output {:?}", step.output));
    choices.chain(changes).chain(output).map(|event| visible(&event).into_owned()).collect()
}

fn cut(text: &str) -> String {
    if text.chars().count() <= TEXT_WIDTH {
        return text.to_owned();
    }
    text.chars().take(TEXT_WIDTH - 3).chain("...".chars()).collect()
}

fn pad(text: &str, width: usize) -> String {
    let n_missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(n_missing))
}

fn paint(text: &str, style: Style, colour: Colour) -> String {
    match colour {
        Colour::Always => format!("{style}{text}{style:#}"),
        Colour::Never => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use unpick_witness::{Change, Chosen};

    use super::*;

    fn step(line: u32, text: &str, depth: u32) -> Step {
        Step {
            file: "a.c".to_owned(),
            line,
            function: "main".to_owned(),
            text: text.to_owned(),
            depth,
            ..Step::default()
        }
    }

    #[test]
    fn columns_stand_under_each_other() {
        let mut first = step(9, "int x = any();", 1);
        first.choices.push(Chosen { label: "any()".to_owned(), value: "4".to_owned() });
        first.changes.push(Change { name: "x".to_owned(), old: "indeterminate".to_owned(), new: "4".to_owned() });
        let steps = vec![first, step(10, "f(x);", 1), step(3, "g();", 2)];
        let text = trace(&Trace { steps, loop_start: None, n_omitted: 0 }, TraceStyle::Full, Colour::Never);
        let expected = "trace (3 steps):\n\
            \x20   1  a.c:9   main  int x = any();  any() chose 4\n\
            \x20                                    x: indeterminate -> 4\n\
            \x20   2  a.c:10  main  f(x);\n\
            \x20   3  a.c:3   main    g();\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn short_leaves_out_what_changes_nothing() {
        let mut steps: Vec<_> = (1..=50).map(|line| step(line, "f();", 1)).collect();
        steps[4].changes.push(Change { name: "x".to_owned(), old: "0".to_owned(), new: "1".to_owned() });
        let whole = Trace { steps, loop_start: None, n_omitted: 0 };
        let text = trace(&whole, TraceStyle::Short, Colour::Never);
        assert!(text.starts_with("trace (21 of 50 steps):\n"), "{text}");
        assert!(text.contains("(4 steps without change)") && text.contains("(25 steps without change)"), "{text}");
        assert_eq!(trace(&whole, TraceStyle::None, Colour::Never), "");
    }

    #[test]
    fn switches_between_threads_are_marked() {
        let other = Step { thread: 1, ..step(5, "x++;", 1) };
        let steps = vec![step(1, "x++;", 1), other, step(1, "x++;", 1)];
        let text = trace(&Trace { steps, loop_start: None, n_omitted: 0 }, TraceStyle::Short, Colour::Never);
        let expected = "trace (3 steps):\n\
            \x20   1  [0] a.c:1  main  x++;\n\
            \x20 -- thread 1 --\n\
            \x20   2  [1] a.c:5  main  x++;\n\
            \x20 -- thread 0 --\n\
            \x20   3  [0] a.c:1  main  x++;\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_repetition_is_marked() {
        let steps = vec![step(1, "x = 1;", 1), step(2, "while (1)", 1)];
        let text = trace(&Trace { steps, loop_start: Some(1), n_omitted: 0 }, TraceStyle::Short, Colour::Never);
        assert!(text.contains("repeats itself --\n    2  a.c:2"), "{text}");
    }
}
