//! The screen: steps and source on the left; stacks, values, heap and watched expressions on the right; one line for
//! messages. Small screens show the steps and the pane in focus.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use unpick_report::Colour;
use unpick_report::escape::visible;
use unpick_witness::walk::Variable;
use unpick_witness::{Change, Step, Switch};

use super::help::KEYS;
use super::{Pane, Prompt, Viewer};

/// Smaller screens have no room for all panes.
const MIN_COLUMNS: u16 = 70;
const MIN_ROWS: u16 = 18;
/// Indentation stops here.
const MAX_INDENT: u32 = 10;

/// Whether there are colours besides bold and reversed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    is_coloured: bool,
}

impl Palette {
    pub fn of(colour: Colour) -> Palette {
        Palette { is_coloured: colour == Colour::Always }
    }

    fn colour(self, colour: Color) -> Style {
        if self.is_coloured { Style::new().fg(colour) } else { Style::new() }
    }

    fn thread(self, thread: u32) -> Style {
        const COLOURS: [Color; 6] =
            [Color::Cyan, Color::Magenta, Color::Green, Color::Yellow, Color::Blue, Color::LightRed];
        self.colour(COLOURS[thread as usize % COLOURS.len()])
    }

    fn alarm(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }
}

const QUIET: Style = Style::new().add_modifier(Modifier::DIM);
const HERE: Style = Style::new().add_modifier(Modifier::REVERSED);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);

pub fn draw(frame: &mut Frame<'_>, viewer: &Viewer, palette: Palette) {
    let [body, bottom] = Layout::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(frame.area());
    let is_small = body.width < MIN_COLUMNS || body.height < MIN_ROWS;
    if viewer.is_zoomed {
        pane(frame, body, viewer, palette, viewer.focus);
    } else if is_small {
        let other = if viewer.focus == Pane::Steps { Pane::Values } else { viewer.focus };
        let [top, low] = Layout::vertical([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(body);
        pane(frame, top, viewer, palette, Pane::Steps);
        pane(frame, low, viewer, palette, other);
    } else {
        draw_all(frame, body, viewer, palette);
    }
    let text = match &viewer.prompt {
        None => viewer.message.clone(),
        Some(Prompt::Search(text)) => format!("change of: {text}_"),
        Some(Prompt::Watch(text)) => format!("watch: {text}_"),
        Some(Prompt::Go(text)) => format!("go to: {text}_"),
    };
    frame.render_widget(Paragraph::new(visible(&text).into_owned()), bottom);
    if viewer.shows_help {
        help(frame, body);
    }
}

fn draw_all(frame: &mut Frame<'_>, body: Rect, viewer: &Viewer, palette: Palette) {
    let columns = Layout::horizontal([Constraint::Percentage(60), Constraint::Percentage(40)]);
    let [left, right] = columns.areas(body);
    let [steps, source] = Layout::vertical([Constraint::Percentage(60), Constraint::Percentage(40)]).areas(left);
    pane(frame, steps, viewer, palette, Pane::Steps);
    pane(frame, source, viewer, palette, Pane::Source);
    // Panes are as high as what is in them while there is room; the values take what is left.
    let height = |which: Pane| {
        let n_lines = u16::try_from(lines(viewer, palette, which, right).len()).unwrap_or(u16::MAX);
        n_lines.clamp(1, right.height / 4).saturating_add(2)
    };
    let heights = [Pane::Threads, Pane::Heap, Pane::Watched].map(height);
    let rows = [
        Constraint::Length(heights[0]),
        Constraint::Min(3),
        Constraint::Length(heights[1]),
        Constraint::Length(heights[2]),
    ];
    let [threads, values, heap, watched] = Layout::vertical(rows).areas(right);
    for (area, which) in
        [(threads, Pane::Threads), (values, Pane::Values), (heap, Pane::Heap), (watched, Pane::Watched)]
    {
        pane(frame, area, viewer, palette, which);
    }
}

fn pane(frame: &mut Frame<'_>, area: Rect, viewer: &Viewer, palette: Palette, which: Pane) {
    let mut block = Block::bordered().title(title(viewer, which));
    if viewer.focus == which {
        block = block.border_style(STRONG).title_style(STRONG);
    }
    let lines = lines(viewer, palette, which, area);
    // The pane of steps chooses its lines itself; others do not scroll beyond their end.
    let room = area.height.saturating_sub(2);
    let most = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_sub(room);
    let scrolled = viewer.scrolled[which as usize].min(most);
    let mut text = Paragraph::new(lines).block(block).scroll((scrolled, 0));
    if viewer.is_zoomed && !matches!(which, Pane::Steps | Pane::Source) {
        text = text.wrap(Wrap { trim: false });
    }
    frame.render_widget(text, area);
}

fn title(viewer: &Viewer, which: Pane) -> String {
    let walk = &viewer.walk;
    match which {
        Pane::Steps => {
            let rest = if viewer.is_brief { "; those that bear on the failure, a shows all" } else { "" };
            format!("step {} of {}{rest}", walk.at() + 1, viewer.n_steps())
        }
        Pane::Source => visible(walk.step().map_or("source", |step| step.file.as_str())).into_owned(),
        Pane::Threads => format!("{}s", walk.trace().actors.noun),
        Pane::Values => "values".to_owned(),
        Pane::Heap => "heap".to_owned(),
        Pane::Watched => "watched".to_owned(),
    }
}

fn lines(viewer: &Viewer, palette: Palette, which: Pane, area: Rect) -> Vec<Line<'static>> {
    let height = usize::from(area.height.saturating_sub(2));
    match which {
        Pane::Steps => steps(viewer, palette, height),
        Pane::Source => source(viewer, palette, height),
        Pane::Threads => stacks(viewer, palette),
        Pane::Values => values(viewer),
        Pane::Heap => heap(viewer),
        Pane::Watched => watched(viewer),
    }
}

fn span(text: &str, style: Style) -> Span<'static> {
    Span::styled(visible(text).into_owned(), style)
}

/// The first of `height` lines so that one of `n_lines` is seen in the middle.
fn first_shown(at: usize, height: usize, n_lines: usize) -> usize {
    at.saturating_sub(height / 2).min(n_lines.saturating_sub(height))
}

/// The steps around the position; the one at hand tells everything, the others what fits behind them.
fn steps(viewer: &Viewer, palette: Palette, height: usize) -> Vec<Line<'static>> {
    let steps = &viewer.walk.trace().steps;
    let here = viewer.walk.at();
    let shown: Vec<usize> = (0..steps.len()).filter(|at| viewer.walk.is_stop(*at) || *at == here).collect();
    let events = steps.get(here).map(unpick_report::trace::events).unwrap_or_default();
    let n_steps = height.saturating_sub(events.len()).max(1);
    let at = shown.partition_point(|at| *at < here);
    let first = first_shown(at, n_steps, shown.len());
    let width = steps.len().to_string().len();
    let mut lines = Vec::new();
    for number in shown.into_iter().skip(first).take(n_steps) {
        let step = &steps[number];
        lines.push(step_line(viewer, palette, number, step, width));
        if number == here {
            let margin = " ".repeat(width + 14 + indent(step).len());
            lines.extend(
                events.iter().map(|event| Line::from(span(&format!("{margin}{event}"), event_style(step, palette)))),
            );
        }
    }
    lines
}

fn indent(step: &Step) -> String {
    "  ".repeat(step.depth.saturating_sub(1).min(MAX_INDENT) as usize)
}

fn event_style(step: &Step, palette: Palette) -> Style {
    if step.is_waiting || step.is_pending { palette.alarm() } else { STRONG }
}

fn step_line(viewer: &Viewer, palette: Palette, number: usize, step: &Step, width: usize) -> Line<'static> {
    let is_here = number == viewer.walk.at();
    let in_loop = viewer.walk.trace().loop_start.is_some_and(|start| number >= start);
    let (mark, mark_style) = match step.switch {
        Switch::None => (' ', QUIET),
        Switch::Yield => ('>', STRONG),
        Switch::Preemption => ('!', palette.alarm()),
    };
    let dots = if step.is_continued { "... " } else { "" };
    let events = if is_here { String::new() } else { unpick_report::trace::events(step).join(", ") };
    let gap = if events.is_empty() { "" } else { "   " };
    let text_style = match (is_here, step.is_irrelevant) {
        (true, _) => HERE,
        (false, true) => QUIET,
        (false, false) => Style::new(),
    };
    Line::from(vec![
        span(if in_loop { "|" } else { " " }, palette.alarm()),
        span(&mark.to_string(), mark_style),
        span(&format!("{:>width$} ", number + 1), QUIET),
        span(&format!("[{}] ", step.thread), palette.thread(step.thread)),
        span(&format!("{:>4}  ", step.line), QUIET),
        span(&format!("{}{dots}{}", indent(step), step.text), text_style),
        span(&format!("{gap}{events}"), event_style(step, palette)),
    ])
}

/// The file around the line that is about to be done, with the numbers of the threads that stand in it.
fn source(viewer: &Viewer, palette: Palette, height: usize) -> Vec<Line<'static>> {
    let walk = &viewer.walk;
    let Some(step) = walk.step() else { return Vec::new() };
    let Some(text) = viewer.saved.sources.get(&step.file) else { return vec![Line::from("(no text)")] };
    let stands: Vec<(u32, u32)> = walk
        .threads()
        .into_iter()
        .filter_map(|thread| Some((thread, walk.stack(thread).into_iter().next()?)))
        .filter(|(_, activation)| activation.file == step.file)
        .map(|(thread, activation)| (thread, activation.line))
        .collect();
    let here = text.keys().position(|line| *line == step.line).unwrap_or(0);
    let first = first_shown(here, height, text.len());
    let shown = text.iter().skip(first);
    let lines = shown.map(|(number, content)| {
        let there: Vec<u32> = stands.iter().filter(|(_, line)| line == number).map(|(thread, _)| *thread).collect();
        let names: Vec<String> = there.iter().map(u32::to_string).collect();
        let style = if *number == step.line { HERE } else { Style::new() };
        let mark = format!("{:>3} ", names.join(","));
        Line::from(vec![
            span(&mark, there.first().map_or(QUIET, |thread| palette.thread(*thread))),
            span(&format!("{number:>4}  "), QUIET),
            span(&content.replace('\t', "    "), style),
        ])
    });
    lines.collect()
}

/// The call stacks of all threads.
fn stacks(viewer: &Viewer, palette: Palette) -> Vec<Line<'static>> {
    let walk = &viewer.walk;
    let mut lines = Vec::new();
    for thread in walk.threads() {
        let mark = if thread == walk.thread() { "*" } else { " " };
        let name = format!("{mark}{}", walk.trace().actors.long(thread));
        lines.push(Line::from(span(&name, palette.thread(thread))));
        for frame in walk.stack(thread) {
            lines.push(Line::from(span(&format!("   {}() at {}:{}", frame.function, frame.file, frame.line), QUIET)));
        }
    }
    lines
}

/// The variables of the activation at work, those that all share, and those of everyone else.
fn values(viewer: &Viewer) -> Vec<Line<'static>> {
    let (thread, depth) = (viewer.walk.thread(), viewer.depth());
    let own = viewer.values.locals(thread, depth);
    let others =
        viewer.values.variables().into_iter().filter(|variable| {
            variable.scope.as_ref().is_some_and(|scope| scope.thread != thread || scope.depth != depth)
        });
    let mut lines: Vec<Line<'static>> = own.into_iter().map(|variable| value_line(viewer, variable)).collect();
    lines.extend(viewer.values.statics().into_iter().map(|variable| value_line(viewer, variable)));
    lines.extend(others.map(|variable| value_line(viewer, &variable)));
    lines
}

fn value_line(viewer: &Viewer, variable: &Variable) -> Line<'static> {
    let is_same = |change: &&Change| change.name == variable.name && change.scope == variable.scope;
    let change = viewer.walk.step().and_then(|step| step.changes.iter().find(is_same));
    let owner = variable.scope.as_ref().map_or_else(String::new, |scope| {
        format!("  {}(), {}", scope.function, viewer.walk.trace().actors.short(scope.thread))
    });
    let value = match change {
        Some(change) => span(&format!("{} -> {}", variable.value, change.new), STRONG),
        None => span(&variable.value, Style::new()),
    };
    Line::from(vec![span(&format!("{} = ", variable.name), Style::new()), value, span(&owner, QUIET)])
}

/// The objects of the heap with their parts and the pointers to them.
fn heap(viewer: &Viewer) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for object in viewer.values.heap() {
        let bytes = object.bytes.map_or_else(String::new, |bytes| format!(", {bytes} bytes"));
        let made = object.made.as_ref().map_or_else(String::new, |(file, line)| format!(" from {file}:{line}"));
        let pointers = match object.pointers.as_slice() {
            [] => String::new(),
            pointers => format!("  <- {}", pointers.join(", ")),
        };
        lines.push(Line::from(vec![
            span(&object.name, STRONG),
            span(&format!("{bytes}{made}"), QUIET),
            span(&pointers, Style::new()),
        ]));
        for part in &object.parts {
            let mut line = value_line(viewer, part);
            line.spans.insert(0, Span::raw("   "));
            lines.push(line);
        }
    }
    lines
}

fn watched(viewer: &Viewer) -> Vec<Line<'static>> {
    let lines = viewer.watches().into_iter().map(|(text, value)| match value {
        Ok(value) => Line::from(vec![span(&format!("{text} = "), Style::new()), span(&value, STRONG)]),
        Err(why) => Line::from(vec![span(&format!("{text}  "), Style::new()), span(&format!("({why})"), QUIET)]),
    });
    lines.collect()
}

fn help(frame: &mut Frame<'_>, body: Rect) {
    let width = KEYS.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let lines: Vec<Line<'_>> = KEYS
        .iter()
        .map(|(key, meaning)| match key.is_empty() {
            true => Line::from(Span::styled(*meaning, STRONG)),
            false => Line::from(vec![Span::styled(format!("  {key:<width$}  "), STRONG), Span::raw(*meaning)]),
        })
        .collect();
    let columns = lines.iter().map(Line::width).max().unwrap_or(0) + 2;
    let area = Rect {
        width: body.width.min(u16::try_from(columns).unwrap_or(u16::MAX)),
        height: body.height.min(u16::try_from(lines.len() + 2).unwrap_or(u16::MAX)),
        ..body
    };
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title("keys; any key goes on")), area);
}
