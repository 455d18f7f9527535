//! Trace layout as a table: one line for each step, calls indented, threads by number.
//!
//! On narrow screens the function is left out, the file too if there is but one, and changes stand below their line.

use unpick_witness::Switch;

use super::{ALARM, Drawn, Picture, QUIET, STRONG, Shown, events, is_alarming, statement};
use crate::cells::{cut, cut_left, pad, width, wrap};
use crate::escape::visible;

/// The statement column is cut at this width, so that the changes stay in sight.
const TEXT_WIDTH: usize = 60;
/// It is not made narrower than this for the sake of long changes.
const MIN_TEXT_WIDTH: usize = 24;
/// With less room than this for a statement and its changes, they stand below each other.
const MIN_ROOM: usize = 56;
/// Places take no more than this part of a line.
const PLACE_PART: usize = 3;
/// A change is cut after so many lines.
const MAX_LINES: usize = 4;

/// The cells of a line.
struct Row<'s, 't> {
    shown: &'s Shown<'t>,
    number: String,
    place: String,
    function: String,
    text: String,
    events: Vec<String>,
}

/// The columns of the table.
struct Layout {
    number: usize,
    place: usize,
    /// Nothing if functions are not shown.
    function: usize,
    text: usize,
    events: usize,
    is_stacked: bool,
}

pub(super) fn draw(picture: &Picture<'_>, columns: usize) -> Drawn {
    let has_threads = picture.threads.len() > 1;
    let rows = |is_narrow: bool| -> Vec<Row<'_, '_>> {
        let has_file = !is_narrow || picture.file().is_none();
        picture.steps.iter().map(|shown| Row::new(shown, has_threads, has_file, !is_narrow)).collect()
    };
    let mut rows_drawn = rows(false);
    let mut layout = Layout::of(&rows_drawn, picture.number_width(), columns);
    if layout.is_stacked {
        rows_drawn = rows(true);
        layout = Layout::of(&rows_drawn, picture.number_width(), columns);
    }
    let lines = rows_drawn.iter().map(|row| {
        let mut text = String::new();
        if let Some(left_out) = &row.shown.left_out {
            text += &picture.left_out(left_out, columns);
        }
        if has_threads && row.shown.step.thread != row.shown.before {
            text += &switch(row.shown, picture);
        }
        match layout.is_stacked {
            true => row.draw_stacked(&layout, picture, &mut text),
            false => row.draw(&layout, picture, &mut text),
        }
        text
    });
    Drawn { text: picture.bracket(lines.collect()), has_files: !layout.is_stacked }
}

/// The line between two turns.
fn switch(shown: &Shown<'_>, picture: &Picture<'_>) -> String {
    let thread = picture.actors.short(shown.step.thread);
    let before = picture.actors.short(shown.before);
    let line = match shown.switch {
        Switch::None | Switch::Yield => picture.paint(&format!("-- {thread} --"), QUIET),
        Switch::Preemption => {
            let text = format!("-- {thread} (preemption: {before} could have gone on) --");
            picture.paint(&text, ALARM)
        }
    };
    format!("  {line}\n")
}

impl Layout {
    fn of(rows: &[Row<'_, '_>], number: usize, columns: usize) -> Self {
        let widest = |cell: fn(&Row<'_, '_>) -> usize| rows.iter().map(cell).max().unwrap_or(0);
        let place = widest(|row| width(&row.place)).min(columns / PLACE_PART);
        let function = widest(|row| width(&row.function)).min(columns / PLACE_PART);
        let text = widest(|row| width(&row.text)).min(TEXT_WIDTH);
        let events = widest(|row| row.events.iter().map(|event| width(event)).max().unwrap_or(0));
        let function_and_gap = if function == 0 { 0 } else { function + 2 };
        let room = columns.saturating_sub(2 + number + 2 + place + 2 + function_and_gap);
        if room < MIN_ROOM && text + 2 + events > room {
            let text = room.max(MIN_TEXT_WIDTH);
            return Self { number, place, function, text, events: text.saturating_sub(2), is_stacked: true };
        }
        // Long changes may take up to half of the room before the statements give way.
        let text = text.min(room.saturating_sub(2 + events.min(room / 2)).max(MIN_TEXT_WIDTH));
        let events = room.saturating_sub(text + 2).max(MIN_TEXT_WIDTH);
        Self { number, place, function, text, events, is_stacked: false }
    }

    /// Columns in front of the statement.
    fn margin(&self) -> usize {
        2 + self.number + 2 + self.place + 2 + if self.function == 0 { 0 } else { self.function + 2 }
    }
}

impl<'s, 't> Row<'s, 't> {
    fn new(shown: &'s Shown<'t>, has_threads: bool, has_file: bool, has_function: bool) -> Self {
        let step = shown.step;
        let place = match (step.line, has_file) {
            (0, _) => String::new(),
            (line, true) => format!("{}:{line}", visible(&step.file)),
            (line, false) => line.to_string(),
        };
        let place = if has_threads { format!("[{}] {place}", step.thread) } else { place };
        Self {
            shown,
            number: (shown.at + 1).to_string(),
            place,
            function: if has_function { visible(&step.function).into_owned() } else { String::new() },
            text: statement(step),
            events: events(step),
        }
    }

    fn head(&self, layout: &Layout, picture: &Picture<'_>) -> String {
        let number = format!("{:>1$}", self.number, layout.number);
        let place = pad(&cut_left(&self.place, layout.place), layout.place);
        let head = format!("  {}  {}  ", picture.paint(&number, QUIET), picture.paint(&place, STRONG));
        if layout.function == 0 {
            head
        } else {
            format!("{head}{}  ", pad(&cut(&self.function, layout.function), layout.function))
        }
    }

    /// The changes in lines that fit, continuation lines indented.
    fn event_lines(&self, layout: &Layout, picture: &Picture<'_>) -> Vec<String> {
        let n_events = self.events.len();
        let mut lines = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            let is_alarm = at + 1 == n_events && is_alarming(self.shown.step);
            for (line_at, line) in wrap(event, layout.events.saturating_sub(2), MAX_LINES).iter().enumerate() {
                let indent = if line_at > 0 { "  " } else { "" };
                let line = if is_alarm { picture.paint(line, ALARM) } else { line.clone() };
                lines.push(format!("{indent}{line}"));
            }
        }
        lines
    }

    fn draw(&self, layout: &Layout, picture: &Picture<'_>, text: &mut String) {
        let head = self.head(layout, picture) + &pad(&cut(&self.text, layout.text), layout.text);
        let lines = self.event_lines(layout, picture);
        *text += format!("{head}  {}", lines.first().map_or("", String::as_str)).trim_end();
        text.push('\n');
        let margin = " ".repeat(layout.margin() + layout.text + 2);
        for line in lines.iter().skip(1) {
            *text += &format!("{margin}{line}\n");
        }
    }

    fn draw_stacked(&self, layout: &Layout, picture: &Picture<'_>, text: &mut String) {
        let margin = " ".repeat(layout.margin());
        let statement = self.text.trim_start();
        let indent = (self.text.len() - statement.len()).min(layout.text / 2);
        let indent = " ".repeat(indent);
        let lines = wrap(statement, layout.text.saturating_sub(indent.len() + 2), MAX_LINES);
        for (at, line) in lines.iter().enumerate() {
            match at {
                0 => *text += format!("{}{indent}{line}", self.head(layout, picture)).trim_end(),
                _ => *text += &format!("{margin}{indent}  {line}"),
            }
            text.push('\n');
        }
        for line in self.event_lines(layout, picture) {
            *text += &format!("{margin}  {line}\n");
        }
    }
}
