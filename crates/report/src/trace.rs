//! Traces for the terminal: selection of steps, choice of layout, and the surrounding text.
//!
//! A short trace leaves out what does not bear on the failure, or, where that is unknown, what changes nothing; and it
//! shows loops by their first round and what the others changed. An execution of several threads has a column for each of them as long as columns are wide enough to read;
//! otherwise, and for one thread, it is a table with one line for each step.

mod columns;
mod repeat;
mod table;

use anstyle::{AnsiColor, Style};
use unpick_witness::{Actors, Step, Switch, Trace};

use crate::cells::wrap;
use crate::escape::visible;
use crate::{Colour, Screen, TraceStyle};

/// A short trace always ends with this many steps, eventful or not.
const N_LAST: usize = 20;
/// Indentation stops here: deep recursion should not push the text out of sight.
const MAX_INDENT: u32 = 10;

/// A remark on steps that are not shown is cut after so many lines; they are not made narrower than this.
const MAX_REMARK_LINES: usize = 4;
const MIN_REMARK: usize = 24;

const QUIET: Style = Style::new().dimmed();
const STRONG: Style = AnsiColor::Cyan.on_default();
const ALARM: Style = AnsiColor::Yellow.on_default().bold();

/// Draws a trace; empty if nothing is to be shown.
pub fn trace(trace: &Trace, style: TraceStyle, screen: Screen) -> String {
    let is_sliced = trace.is_sliced();
    let shown: Vec<Told> = match style {
        TraceStyle::None => return String::new(),
        TraceStyle::Full => (0..trace.steps.len()).map(|at| Told { at, folded: None }).collect(),
        TraceStyle::Short => {
            let told: Vec<bool> = (0..trace.steps.len()).map(|at| is_told(trace, at, is_sliced)).collect();
            // A single step takes no more room than the remark that it was left out.
            let is_lone = |at: usize| at > 0 && told[at - 1] && told.get(at + 1).is_some_and(|next| *next);
            let told = (0..told.len()).filter(|at| told[*at] || is_lone(*at)).filter(|at| !is_return(trace, *at));
            let told: Vec<usize> = told.collect();
            repeat::fold(trace, &told)
        }
    };
    if trace.steps.is_empty() {
        return String::new();
    }
    let extent = extent(trace.steps.len(), shown.len());
    let picture = Picture::new(trace, &shown, is_sliced, screen.colour);
    let drawn = columns::draw(&picture, screen.width).unwrap_or_else(|| table::draw(&picture, screen.width));
    let file = picture.file().filter(|_| !drawn.has_files);
    let place = file.map_or(String::new(), |file| format!(" in {}", visible(file)));
    let rest = if shown.len() < trace.steps.len() { "; --trace full shows all" } else { "" };
    let mut text = format!("trace ({extent}{place}{rest}):\n");
    if trace.n_omitted > 0 {
        text += &format!("  ({} more steps are left out of the middle)\n", trace.n_omitted);
    }
    text + &drawn.text + &switches(trace, &picture)
}

/// A step of a short trace.
struct Told {
    at: usize,
    /// What is said of rounds of a loop that are left out before it.
    folded: Option<String>,
}

/// Whether a step belongs to a short trace.
fn is_told(trace: &Trace, at: usize, is_sliced: bool) -> bool {
    let step = &trace.steps[at];
    if is_sliced {
        return !step.is_irrelevant;
    }
    let is_last_of_turn = trace.steps.get(at + 1).is_some_and(|next| next.thread != step.thread);
    let n_left = trace.steps.len() - at;
    // What threads do to each other they mostly do in library functions.
    let may_concern_others = trace.n_switches > 0 && !step.folded.is_empty();
    step.is_eventful() || may_concern_others || is_last_of_turn || n_left <= N_LAST || trace.loop_start == Some(at)
}

/// Whether a step only comes back to the line that made the call before, and nothing more is to be seen there.
fn is_return(trace: &Trace, at: usize) -> bool {
    let step = &trace.steps[at];
    let is_blank = !step.is_eventful()
        && step.calls.is_empty()
        && step.folded.is_empty()
        && step.sent.is_empty()
        && step.received.is_empty()
        && step.made.is_empty()
        && step.freed.is_empty()
        && step.switch == Switch::None;
    let is_edge = at == 0 || at + 1 == trace.steps.len() || trace.loop_start == Some(at);
    if !is_blank || is_edge || trace.steps[at - 1].depth <= step.depth {
        return false;
    }
    let own = trace.steps[..at].iter().rev().find(|before| before.thread == step.thread && before.depth <= step.depth);
    own.is_some_and(|call| {
        call.depth == step.depth && call.line == step.line && call.file == step.file && !call.calls.is_empty()
    })
}

fn extent(n_steps: usize, n_shown: usize) -> String {
    if n_steps == n_shown { count(n_steps as u64, "step") } else { format!("{n_shown} of {n_steps} steps") }
}

/// A number with its noun, which has an `s` unless there is one.
pub fn count(number: u64, what: &str) -> String {
    let plural = match number {
        1 => "",
        _ if what.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {what}{plural}")
}

/// How often threads took turns.
fn switches(trace: &Trace, picture: &Picture<'_>) -> String {
    if picture.threads.len() < 2 {
        return String::new();
    }
    let preemptions = match trace.n_preemptions {
        0 => "no preemption".to_owned(),
        number => count(number, "preemption"),
    };
    format!("  {}, {preemptions}\n", count(trace.n_switches, "context switch"))
}

/// A picture of the steps.
struct Drawn {
    text: String,
    /// Whether the name of the file is on each line.
    has_files: bool,
}

/// What both forms draw.
struct Picture<'t> {
    steps: Vec<Shown<'t>>,
    /// The threads with steps, in order.
    threads: Vec<u32>,
    loop_start: Option<usize>,
    actors: &'t Actors,
    colour: Colour,
}

/// A step that is shown.
struct Shown<'t> {
    /// Its place in the trace.
    at: usize,
    step: &'t Step,
    /// What is said of the steps before it that are not shown.
    left_out: Option<String>,
    /// How the thread came to its turn, also if the first steps of the turn are not shown.
    switch: Switch,
    /// The thread that was shown before.
    before: u32,
}

impl<'t> Picture<'t> {
    fn new(trace: &'t Trace, told: &[Told], is_sliced: bool, colour: Colour) -> Self {
        let mut steps: Vec<Shown<'t>> = Vec::new();
        for Told { at, folded } in told {
            let next = steps.last().map_or(0, |last| last.at + 1);
            let turn = &trace.steps[next..=*at];
            let switch = turn.iter().rev().map(|step| step.switch).find(|switch| *switch != Switch::None);
            let step = &trace.steps[*at];
            let before = steps.last().map_or(step.thread, |last| last.step.thread);
            // Turns of others that are left out altogether are no switch to anyone who is shown.
            let switch = switch.filter(|_| before != step.thread).unwrap_or_default();
            let n_left_out = (next..*at).filter(|at| !is_return(trace, *at)).count();
            let left_out = match (folded, n_left_out) {
                (Some(folded), _) => Some(folded.clone()),
                (None, 0) => None,
                (None, n) if is_sliced => {
                    let verb = if n == 1 { "does" } else { "do" };
                    Some(format!("{} that {verb} not bear on the failure", count(n as u64, "step")))
                }
                (None, n) => Some(format!("{} without change", count(n as u64, "step"))),
            };
            steps.push(Shown { at: *at, step, left_out, switch, before });
        }
        let mut threads: Vec<u32> = trace.steps.iter().map(|step| step.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        Self { steps, threads, loop_start: trace.loop_start, actors: &trace.actors, colour }
    }

    /// The only file, if there is but one.
    fn file(&self) -> Option<&'t str> {
        let first = self.steps.first()?.step.file.as_str();
        self.steps.iter().all(|shown| shown.step.file == first).then_some(first)
    }

    fn number_width(&self) -> usize {
        self.steps.last().map_or(1, |last| (last.at + 1).to_string().len()).max(3)
    }

    fn paint(&self, text: &str, style: Style) -> String {
        match self.colour {
            Colour::Always if !text.trim().is_empty() => format!("{style}{text}{style:#}"),
            Colour::Always | Colour::Never => text.to_owned(),
        }
    }

    /// A line for steps that are not shown.
    fn left_out(&self, what: &str, columns: usize) -> String {
        let number = self.number_width();
        let what = visible(what);
        let lines = wrap(&format!("({what})"), columns.saturating_sub(number + 6).max(MIN_REMARK), MAX_REMARK_LINES);
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            let (dots, indent) = if at == 0 { ("...", "") } else { ("", "  ") };
            let line = format!("{dots:>number$}  {indent}{line}");
            text += &format!("  {}\n", self.paint(&line, QUIET));
        }
        text
    }

    /// Marks the lines that an endless execution repeats with a bracket at their left. `lines` are those of each
    /// step, all of which begin with two spaces.
    fn bracket(&self, lines: Vec<String>) -> String {
        let first = self.loop_start.and_then(|start| self.steps.iter().position(|shown| shown.at >= start));
        let Some(first) = first else { return lines.concat() };
        let mut text = lines[..first].concat();
        text += "+-> from here on the execution repeats itself\n";
        for line in lines[first..].iter().flat_map(|lines| lines.lines()) {
            let rest = line.strip_prefix("  ").unwrap_or(line);
            text += format!("| {rest}").trim_end();
            text.push('\n');
        }
        text + "+-- back to the beginning of the repetition\n"
    }
}

/// What a step tells beyond its line; the remark is the last. A first value is told without the lack of one before.
pub fn events(step: &Step) -> Vec<String> {
    let reads = step.reads.iter().map(|read| format!("read {}: {}", read.name, read.value));
    let choices = step.choices.iter().map(|choice| format!("{} chose {}", choice.label, choice.value));
    let changes = step.changes.iter().map(|change| match change.old == "indeterminate" {
        true => format!("{} = {}", change.name, change.new),
        false => format!("{}: {} -> {}", change.name, change.old, change.new),
    });
    let output = (!step.output.is_empty()).then(|| format!("output {:?}", step.output));
    let remark = (!step.remark.is_empty()).then(|| step.remark.clone());
    let events = reads.chain(choices).chain(changes).chain(output).chain(remark);
    events.map(|event| visible(&event).into_owned()).collect()
}

/// Whether the last event of a step is one to look at.
fn is_alarming(step: &Step) -> bool {
    !step.remark.is_empty() && (step.is_waiting || step.is_pending)
}

/// The source line without a comment behind it.
fn code(line: &str) -> &str {
    let comment =
        line.match_indices("//").map(|(at, _)| at).find(|at| line[..*at].matches('"').count().is_multiple_of(2));
    match comment.map(|at| line[..at].trim_end()) {
        Some(code) if !code.is_empty() => code,
        Some(_) | None => line,
    }
}

/// The source line, indented as deep as the call; dots if it was begun before.
fn statement(step: &Step) -> String {
    let indent = "  ".repeat(step.depth.saturating_sub(1).min(MAX_INDENT) as usize);
    let dots = if step.is_continued { "... " } else { "" };
    format!("{indent}{dots}{}", visible(code(&step.text)))
}

#[cfg(test)]
mod tests;
