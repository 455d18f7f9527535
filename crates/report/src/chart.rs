//! Message sequence charts of executions: as SVG, as text in columns, or as a graph for `dot`.
//!
//! Each thread or process has a line of its own; time goes down. Where nothing fails, the picture is the order of locks.

mod columns;

use std::collections::{BTreeMap, BTreeSet};

use unpick_witness::{Judgement, Step, Switch, Trace};

use crate::Outcome;
use crate::cells::{cut, width};
use crate::escape::visible;
use crate::graph::quoted;
use crate::picture::locks;
use crate::xml::escape;

pub use columns::columns;

/// Of longer executions the end is drawn.
const MAX_STEPS: usize = 400;
/// Columns are as wide as what stands in them, within reason.
const MIN_COLUMN: usize = 230;
const MAX_COLUMN: usize = 460;
/// Between the boxes of two columns, and between a box and its text.
const GAP: usize = 24;
const PADDING: usize = 6;
const ROW: usize = 34;
const TOP: usize = 56;
/// Tenths of a pixel that a character of a monospaced font takes: of statements, and of what they do.
const LARGE: usize = 74;
const SMALL: usize = 62;

const STYLE: &str = "svg{background:#fff;color:#1d2330}text{font:12px ui-monospace,monospace;fill:#1d2330}.who{font-weight:700}\
.event{fill:#667085;font-size:10px}.life{stroke:#c9ccd3;stroke-width:2}.box{fill:#f3f1ea;stroke:#c9ccd3}.wrong{stroke:#b42318;\
stroke-width:2}.switch{stroke:#667085;stroke-dasharray:2 4;fill:none}.preempt{stroke:#b42318;stroke-width:1.6;fill:none}.message{\
stroke:#2456c6;stroke-width:1.4;fill:none}.loop{stroke:#b42318;fill:none;stroke-width:1.5}@media(prefers-color-scheme:dark){svg{\
background:#14171d}text{fill:#e6e9ef}.box{fill:#232833;stroke:#3a4150}.life{stroke:#3a4150}.event{fill:#98a2b3}}";

/// A sequence chart of the failing execution, or the order of locks if nothing fails.
pub fn svg(outcome: &Outcome) -> String {
    match &outcome.judgement {
        Judgement::Violated { trace, .. } => sequence(trace, true),
        Judgement::Verified | Judgement::Unknown(_) => locks(&outcome.locks).svg(),
    }
}

/// A sequence chart of an execution; the last step is marked if it is wrong.
pub fn sequence(trace: &Trace, is_wrong: bool) -> String {
    let first = trace.steps.len().saturating_sub(MAX_STEPS);
    let steps = &trace.steps[first..];
    let threads: BTreeSet<u32> = steps.iter().map(|step| step.thread).collect();
    let columns: BTreeMap<u32, usize> = threads.iter().enumerate().map(|(at, thread)| (*thread, at)).collect();
    let column_width = column_width(trace, steps, &threads);
    let middle_of = |column: usize| 40 + column * column_width + column_width / 2;
    let x = |step: &Step| middle_of(columns[&step.thread]);
    let y = |at: usize| TOP + 20 + at * ROW;
    let (width, height) = (80 + threads.len().max(1) * column_width, TOP + 40 + steps.len().max(1) * ROW);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\"><style>{STYLE}</style><defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" \
         orient=\"auto\"><path d=\"M0 0 L7 3 L0 6 Z\" fill=\"#2456c6\"/></marker></defs>\n"
    );
    if steps.is_empty() {
        svg += "<text x=\"20\" y=\"40\">No execution to draw.</text>\n";
    }
    for (thread, column) in &columns {
        let middle = middle_of(*column);
        let name = escape(&fitting(&trace.actors.long(*thread), column_width, LARGE));
        svg += &format!("<line class=\"life\" x1=\"{middle}\" x2=\"{middle}\" y1=\"{TOP}\" y2=\"{}\"/>", height - 20);
        svg += &format!("<text class=\"who\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{name}</text>\n", TOP - 14);
    }
    let sent: BTreeMap<u64, usize> =
        steps.iter().enumerate().flat_map(|(at, step)| step.sent.iter().map(move |message| (message.id, at))).collect();
    for (at, step) in steps.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &steps[before]).filter(|before| before.thread != step.thread);
        if let Some(before) = before {
            let class = if step.switch == Switch::Preemption { "preempt" } else { "switch" };
            svg += &format!(
                "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
                x(before),
                y(at - 1) + 11,
                x(step),
                y(at) - 11
            );
        }
        for message in &step.received {
            if let Some(origin) = sent.get(&message.id).filter(|origin| steps[**origin].thread != step.thread) {
                let reach = (column_width - GAP) / 2;
                let side = if x(step) > x(&steps[*origin]) { x(step) - reach } else { x(step) + reach };
                let label = escape(&format!("{} {}", message.channel, message.text));
                svg += &format!(
                    "<line class=\"message\" marker-end=\"url(#tip)\" x1=\"{}\" y1=\"{}\" x2=\"{side}\" y2=\"{}\"><title>{label}\
                     </title></line>",
                    x(&steps[*origin]),
                    y(*origin),
                    y(at)
                );
            }
        }
        svg += &step_box(step, first + at, (x(step), y(at), column_width), is_wrong && at + 1 == steps.len());
    }
    if let Some(start) = trace.loop_start.filter(|start| *start >= first && !steps.is_empty()) {
        let (from, to) = (y(steps.len() - 1), y(start - first));
        svg += &format!(
            "<path class=\"loop\" d=\"M30 {from} L14 {from} L14 {to} L30 {to} M24 {} L30 {to} L24 {}\"/>",
            to - 4,
            to + 4
        );
    }
    svg + "</svg>\n"
}

/// What stands in a box: the statement with its line.
fn label(step: &Step) -> String {
    format!("{} {}", step.line, visible(&step.text))
}

fn column_width(trace: &Trace, steps: &[Step], threads: &BTreeSet<u32>) -> usize {
    let labels = steps.iter().map(|step| width(&label(step)) * LARGE);
    let events = steps.iter().map(|step| width(&crate::trace::events(step).join(", ")) * SMALL);
    let names = threads.iter().map(|thread| width(&visible(&trace.actors.long(*thread))) * LARGE);
    let widest = labels.chain(events).chain(names).max().unwrap_or(0) / 10;
    (widest + GAP + 2 * PADDING + 2).clamp(MIN_COLUMN, MAX_COLUMN)
}

/// As much of a text as a box of the column has room for.
fn fitting(text: &str, column_width: usize, character: usize) -> String {
    cut(&visible(text), (column_width - GAP - 2 * PADDING) * 10 / character)
}

fn step_box(step: &Step, at: usize, (x, y, column_width): (usize, usize, usize), is_last: bool) -> String {
    let class = if is_last { "box wrong" } else { "box" };
    let events = crate::trace::events(step).join(", ");
    let mut svg = format!(
        "<g><title>{}</title><rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"26\" rx=\"5\"/><text x=\"{x}\" \
         y=\"{}\" text-anchor=\"middle\">{}</text>",
        escape(&format!("step {}: {} {events}", at + 1, step.text)),
        x - (column_width - GAP) / 2,
        y - 13,
        column_width - GAP,
        if events.is_empty() { y + 4 } else { y - 1 },
        escape(&fitting(&label(step), column_width, LARGE)),
    );
    if !events.is_empty() {
        let events = escape(&fitting(&events, column_width, SMALL));
        svg += &format!("<text class=\"event\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{events}</text>", y + 10);
    }
    svg + "</g>\n"
}

/// A graph for `dot`: the failing execution, or the order of locks if nothing fails.
pub fn dot(outcome: &Outcome) -> String {
    match &outcome.judgement {
        Judgement::Violated { trace, .. } => execution(trace, true),
        Judgement::Verified | Judgement::Unknown(_) => locks(&outcome.locks).dot(),
    }
}

/// An execution as a graph for `dot`; the last step is marked if it is wrong.
pub fn execution(trace: &Trace, is_wrong: bool) -> String {
    let mut text = "digraph execution {\n  node [shape=box, fontname=monospace, fontsize=10];\n".to_owned();
    let first = trace.steps.len().saturating_sub(MAX_STEPS);
    let steps: Vec<(usize, &Step)> = trace.steps.iter().enumerate().skip(first).collect();
    let threads: BTreeSet<u32> = steps.iter().map(|(_, step)| step.thread).collect();
    for thread in threads {
        text += &format!("  subgraph cluster_{thread} {{\n    label={};\n", quoted(&trace.actors.long(thread)));
        for (at, step) in steps.iter().filter(|(_, step)| step.thread == thread) {
            let events = crate::trace::events(step).join("\n");
            let label = quoted(&format!("{}: {}:{}\n{}\n{events}", at + 1, step.file, step.line, step.text));
            let colour = if is_wrong && *at + 1 == trace.steps.len() { ", color=red" } else { "" };
            text += &format!("    s{at} [label={label}{colour}];\n");
        }
        text += "  }\n";
    }
    let sent: BTreeMap<u64, usize> =
        steps.iter().flat_map(|(at, step)| step.sent.iter().map(move |message| (message.id, *at))).collect();
    for pair in steps.windows(2) {
        let ((from, _), (to, step)) = (pair[0], pair[1]);
        let style = match step.switch {
            Switch::None => "",
            Switch::Yield => " [style=dashed]",
            Switch::Preemption => " [color=red, label=preemption]",
        };
        text += &format!("  s{from} -> s{to}{style};\n");
    }
    for (at, message) in steps.iter().flat_map(|(at, step)| step.received.iter().map(move |message| (at, message))) {
        if let Some(origin) = sent.get(&message.id) {
            let label = quoted(&format!("{} {}", message.channel, message.text));
            text += &format!("  s{origin} -> s{at} [color=blue, constraint=false, label={label}];\n");
        }
    }
    if let (Some(start), Some((last, _))) = (trace.loop_start.filter(|start| *start >= first), steps.last()) {
        text += &format!("  s{last} -> s{start} [color=red, label=\"for ever\"];\n");
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unpick_system::Stats;
    use unpick_witness::{Finding, Message};

    use super::*;

    fn outcome(text: &str) -> Outcome {
        let message = Message { id: 7, channel: text.to_owned(), text: String::new() };
        let step =
            |thread, line| Step { thread, line, text: text.to_owned(), remark: text.to_owned(), ..Step::default() };
        let sends = Step { sent: vec![message.clone()], ..step(0, 1) };
        let receives = Step { received: vec![message], switch: Switch::Preemption, ..step(3, 2) };
        let trace = Trace { steps: vec![sends, receives, step(0, 3)], loop_start: Some(1), ..Trace::default() };
        Outcome::new(Judgement::Violated { finding: Finding::default(), trace }, Stats::default())
    }

    #[test]
    fn threads_have_lines_and_messages_arrows() {
        let svg = svg(&outcome("x = 1;"));
        assert_eq!(svg.matches("class=\"life\"").count(), 2);
        assert_eq!((svg.matches("class=\"message\"").count(), svg.matches("class=\"preempt\"").count()), (1, 1));
        assert_eq!(svg.matches("<rect").count(), 3);
        let dot = dot(&outcome("x = 1;"));
        assert!(dot.contains("s0 -> s1 [color=red, label=preemption];") && dot.contains("subgraph cluster_3"), "{dot}");
        assert!(dot.contains("s2 -> s1 [color=red, label=\"for ever\"];"), "{dot}");
    }

    #[test]
    fn texts_stay_in_their_boxes() {
        for text in ["x = 1;".to_owned(), "some_function(with, many, arguments); ".repeat(9), "\u{6f22}".repeat(90)] {
            let svg = svg(&outcome(&text));
            let number = |part: &str| part.split('"').nth(1).and_then(|number| number.parse::<usize>().ok());
            let boxes = svg.split("<rect").skip(1);
            for drawn in boxes {
                let room = drawn.split(" width=").nth(1).and_then(number).expect("a box has a width");
                for shown in drawn.split("</g>").next().unwrap_or("").split("<text").skip(1) {
                    let size = if shown.contains("class=\"event\"") { SMALL } else { LARGE };
                    let text = shown.split('>').nth(1).and_then(|text| text.split('<').next()).unwrap_or("");
                    assert!(width(text) * size / 10 <= room, "{text} in {room} pixels");
                }
            }
        }
    }

    #[test]
    fn without_a_violation_the_order_of_locks_is_drawn() {
        let verified = Outcome::new(Judgement::Verified, Stats::default());
        assert!(dot(&verified).starts_with("digraph locks") && svg(&verified).contains("nothing to draw"));
    }

    proptest! {
        #[test]
        fn any_text_stays_in_its_place(text in any::<String>()) {
            let outcome = outcome(&text);
            prop_assert_eq!(svg(&outcome).matches("<rect").count(), 3);
            // Quotes that are not escaped come in pairs on every line.
            for line in dot(&outcome).lines() {
                let bare = line.replace("\\\\", "").replace("\\\"", "");
                prop_assert!(bare.matches('"').count().is_multiple_of(2), "{}", line);
            }
        }
    }
}
