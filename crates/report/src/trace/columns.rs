//! Trace layout with a column for each thread: time goes down, and only the active thread has text in its column.
//!
//! What happens before a second thread does anything has the whole width; a thread that does nothing later needs no
//! column.

use unpick_witness::{Step, Switch};

use super::{ALARM, Drawn, Picture, QUIET, STRONG, Shown, events, is_alarming, statement};
use crate::cells::{width, wrap};
use crate::escape::visible;

/// Narrower columns are not worth reading.
const MIN_COLUMN: usize = 24;
/// Wider ones only scatter.
const MAX_COLUMN: usize = 70;
/// A statement is cut after so many lines, a change too.
const MAX_LINES: usize = 3;
/// Columns between two threads: a bar and a space behind it.
const GAP: usize = 2;

/// A line of a column: its text and how it is painted.
type Line = (String, Option<anstyle::Style>);

/// Draws the trace, or gives up because the columns would be too narrow, or there is but one.
pub(super) fn draw(picture: &Picture<'_>, columns: usize) -> Option<Drawn> {
    if picture.threads.len() < 2 {
        return None;
    }
    let first = picture.steps.first()?.step.thread;
    let n_alone = picture.steps.iter().take_while(|shown| shown.step.thread == first).count();
    let mut threads: Vec<u32> = picture.steps[n_alone..].iter().map(|shown| shown.step.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let gutter = 2 + 2 + picture.number_width() + 2;
    let room = columns.saturating_sub(gutter + GAP * threads.len().saturating_sub(1));
    if room / threads.len().max(1) < MIN_COLUMN {
        return None;
    }
    let cells = cells(picture, n_alone, &threads);
    let wanted: Vec<usize> = (0..threads.len()).map(|column| wanted(&cells[n_alone..], column)).collect();
    let widths = share(room, &wanted);
    let alone = [columns.saturating_sub(gutter)];
    let mut lines = Vec::new();
    for (at, (shown, cell)) in picture.steps.iter().zip(&cells).enumerate() {
        let mut text = String::new();
        if let Some(left_out) = &shown.left_out {
            text += &picture.left_out(left_out, columns);
        }
        if at == n_alone {
            text += &header(picture, &threads, gutter, &widths);
        }
        let (widths, column) = if at < n_alone { (&alone[..], 0) } else { (&widths[..], cell.column) };
        for (at, line) in cell.wrapped(widths[column]).into_iter().enumerate() {
            let head = if at == cell.n_heads { mark(shown, picture) } else { " ".repeat(gutter - 2) };
            text += &row(&head, column, &line, widths, picture);
        }
        lines.push(text);
    }
    let has_preemption = picture.steps.iter().any(|shown| shown.switch == Switch::Preemption);
    let legend = "> switch; ! preemption: the other could have gone on";
    let legend = if has_preemption { format!("  {}\n", picture.paint(legend, QUIET)) } else { String::new() };
    Some(Drawn { text: legend + &picture.bracket(lines), has_files: false })
}

/// The mark of a switch and the number of the step.
fn mark(shown: &Shown<'_>, picture: &Picture<'_>) -> String {
    let number = format!("{:>1$}", shown.at + 1, picture.number_width());
    let mark = match shown.switch {
        Switch::None => " ".to_owned(),
        Switch::Yield => picture.paint(">", STRONG),
        Switch::Preemption => picture.paint("!", ALARM),
    };
    format!("{mark} {}  ", picture.paint(&number, QUIET))
}

fn header(picture: &Picture<'_>, threads: &[u32], gutter: usize, widths: &[usize]) -> String {
    let cells: Vec<String> = threads
        .iter()
        .zip(widths)
        .map(|(thread, width)| {
            let name = picture.actors.short(*thread);
            let spaces = " ".repeat(width.saturating_sub(name.len()));
            picture.paint(&name, STRONG) + &spaces
        })
        .collect();
    let bar = picture.paint("|", QUIET);
    let line = format!("{}{}", " ".repeat(gutter), cells.join(&format!("{bar} ")));
    line.trim_end().to_owned() + "\n"
}

/// One line of the picture: text in one column, bars between all.
fn row(head: &str, column: usize, line: &Line, widths: &[usize], picture: &Picture<'_>) -> String {
    let bar = picture.paint("|", QUIET);
    let mut text = format!("  {head}");
    for (at, width) in widths.iter().enumerate() {
        if at > 0 {
            text += &format!("{bar} ");
        }
        let (content, style) = if at == column { (line.0.as_str(), line.1) } else { ("", None) };
        text += &style.map_or_else(|| content.to_owned(), |style| picture.paint(content, style));
        text += &" ".repeat(width.saturating_sub(crate::cells::width(content)));
    }
    text.trim_end().to_owned() + "\n"
}

/// What stands in the column of a step.
struct Cell {
    column: usize,
    /// Where the thread is, said when it changes; before the step itself.
    heading: Option<String>,
    /// Lines of the cell before the one that gets the number.
    n_heads: usize,
    /// Line number, aligned.
    line: String,
    statement: String,
    events: Vec<String>,
    is_alarming: bool,
}

/// The cells of all steps; where a thread is, is said again after the first `n_alone`, under a new heading.
fn cells(picture: &Picture<'_>, n_alone: usize, threads: &[u32]) -> Vec<Cell> {
    let line_width = picture.steps.iter().map(|shown| shown.step.line.to_string().len()).max().unwrap_or(1);
    let has_files = picture.file().is_none();
    let mut places: Vec<Option<(&str, &str)>> = vec![None; threads.len().max(1)];
    let mut cells = Vec::new();
    for (at, shown) in picture.steps.iter().enumerate() {
        if at == n_alone {
            places.fill(None);
        }
        let step = shown.step;
        let column = if at < n_alone { 0 } else { threads.binary_search(&step.thread).unwrap_or(0) };
        let place = Some((step.file.as_str(), step.function.as_str()));
        let heading = (places[column] != place).then(|| match at {
            // The steps of one thread alone stand under no name of a thread.
            0 => format!("{}, {}", picture.actors.short(step.thread), heading(step, has_files)),
            _ => heading(step, has_files),
        });
        places[column] = place;
        let line = if step.line == 0 { String::new() } else { step.line.to_string() };
        cells.push(Cell {
            column,
            n_heads: usize::from(heading.is_some()),
            heading,
            line: format!("{line:>line_width$}"),
            statement: statement(step),
            events: events(step),
            is_alarming: is_alarming(step),
        });
    }
    cells
}

/// Columns that a thread would like to have, within reason.
fn wanted(cells: &[Cell], column: usize) -> usize {
    let cells = cells.iter().filter(|cell| cell.column == column);
    let widest = cells.map(|cell| {
        let margin = cell.margin();
        let events = cell.events.iter().map(|event| margin + 4 + width(event));
        let heading = cell.heading.iter().map(|heading| width(heading));
        events.chain(heading).max().unwrap_or(0).max(margin + 2 + width(&cell.statement))
    });
    widest.max().unwrap_or(0).clamp(MIN_COLUMN, MAX_COLUMN)
}

impl Cell {
    /// Columns in front of the statement.
    fn margin(&self) -> usize {
        width(&self.line) + 2
    }

    fn wrapped(&self, columns: usize) -> Vec<Line> {
        let margin = " ".repeat(self.margin());
        let room = columns.saturating_sub(self.margin());
        let mut lines: Vec<Line> = Vec::new();
        if let Some(heading) = &self.heading {
            lines.extend(wrap(heading, columns, 1).into_iter().map(|line| (line, Some(QUIET))));
        }
        // Continuation lines are indented by more than the statement itself.
        let indent = self.statement.len() - self.statement.trim_start().len();
        let indent = indent.min(room / 2);
        let statement = wrap(self.statement.trim_start(), room.saturating_sub(indent + 2), MAX_LINES);
        for (at, line) in statement.into_iter().enumerate() {
            let head = if at == 0 { format!("{}  ", self.line) } else { format!("{margin}  ") };
            lines.push((format!("{head}{}{line}", " ".repeat(indent)), None));
        }
        let n_events = self.events.len();
        for (at, event) in self.events.iter().enumerate() {
            let style = Some(if at + 1 == n_events && self.is_alarming { ALARM } else { STRONG });
            for (line_at, line) in wrap(event, room.saturating_sub(indent + 4), MAX_LINES).iter().enumerate() {
                let more = if line_at > 0 { "  " } else { "" };
                lines.push((format!("{margin}  {}{more}{line}", " ".repeat(indent)), style));
            }
        }
        lines
    }
}

fn heading(step: &Step, has_files: bool) -> String {
    let function = format!("{}():", visible(&step.function));
    if has_files { format!("{} {function}", visible(&step.file)) } else { function }
}

/// Divides the width: no column gets more than it wants, and the rest is shared.
fn share(room: usize, wanted: &[usize]) -> Vec<usize> {
    let mut widths = vec![0; wanted.len()];
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|at| wanted[*at]);
    let mut left = room;
    for (n_done, at) in order.iter().enumerate() {
        let fair = left / (wanted.len() - n_done);
        widths[*at] = wanted[*at].min(fair);
        left -= widths[*at];
    }
    widths
}
