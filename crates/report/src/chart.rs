//! The failing execution as a picture: a sequence chart (SVG), or a graph for `dot`.
//!
//! Each thread or process has a line of its own; time goes down. Where nothing fails, the picture is the order of locks.

use std::collections::{BTreeMap, BTreeSet};

use unpick_witness::{Judgement, Step, Switch, Trace};

use crate::Outcome;
use crate::graph::quoted;
use crate::picture::locks;
use crate::xml::escape;

/// Of longer executions the end is drawn.
const MAX_STEPS: usize = 400;
const COLUMN: usize = 230;
const ROW: usize = 34;
const TOP: usize = 56;
const MAX_LABEL: usize = 30;

const STYLE: &str = "svg{background:#fff;color:#1d2330}text{font:12px ui-monospace,monospace;fill:#1d2330}.who{font-weight:700}\
.event{fill:#667085;font-size:10px}.life{stroke:#c9ccd3;stroke-width:2}.box{fill:#f3f1ea;stroke:#c9ccd3}.wrong{stroke:#b42318;\
stroke-width:2}.switch{stroke:#667085;stroke-dasharray:2 4;fill:none}.preempt{stroke:#b42318;stroke-width:1.6;fill:none}.message{\
stroke:#2456c6;stroke-width:1.4;fill:none}.loop{stroke:#b42318;fill:none;stroke-width:1.5}@media(prefers-color-scheme:dark){svg{\
background:#14171d}text{fill:#e6e9ef}.box{fill:#232833;stroke:#3a4150}.life{stroke:#3a4150}.event{fill:#98a2b3}}";

/// A sequence chart of the failing execution, or the order of locks if nothing fails.
pub fn svg(outcome: &Outcome) -> String {
    match &outcome.judgement {
        Judgement::Violated { trace, .. } => sequence(trace),
        Judgement::Verified | Judgement::Unknown(_) => locks(&outcome.locks).svg(),
    }
}

fn sequence(trace: &Trace) -> String {
    let first = trace.steps.len().saturating_sub(MAX_STEPS);
    let steps = &trace.steps[first..];
    let threads: BTreeSet<u32> = steps.iter().map(|step| step.thread).collect();
    let columns: BTreeMap<u32, usize> = threads.iter().enumerate().map(|(at, thread)| (*thread, at)).collect();
    let x = |step: &Step| 40 + columns[&step.thread] * COLUMN + COLUMN / 2;
    let y = |at: usize| TOP + 20 + at * ROW;
    let (width, height) = (80 + threads.len().max(1) * COLUMN, TOP + 40 + steps.len().max(1) * ROW);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\"><style>{STYLE}</style><defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" \
         orient=\"auto\"><path d=\"M0 0 L7 3 L0 6 Z\" fill=\"#2456c6\"/></marker></defs>\n"
    );
    if steps.is_empty() {
        svg += "<text x=\"20\" y=\"40\">No execution to draw.</text>\n";
    }
    for (thread, column) in &columns {
        let middle = 40 + column * COLUMN + COLUMN / 2;
        let name = escape(&trace.actors.long(*thread));
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
                let side =
                    if x(step) > x(&steps[*origin]) { x(step) - COLUMN / 2 + 12 } else { x(step) + COLUMN / 2 - 12 };
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
        svg += &step_box(step, first + at, (x(step), y(at)), first + at + 1 == trace.steps.len());
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

fn step_box(step: &Step, at: usize, (x, y): (usize, usize), is_last: bool) -> String {
    let class = if is_last { "box wrong" } else { "box" };
    let events = crate::trace::events(step).join(", ");
    let label = format!("{} {}", step.line, step.text);
    let mut svg = format!(
        "<g><title>{}</title><rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"26\" rx=\"5\"/><text x=\"{x}\" \
         y=\"{}\" text-anchor=\"middle\">{}</text>",
        escape(&format!("step {}: {} {events}", at + 1, step.text)),
        x - COLUMN / 2 + 12,
        y - 13,
        COLUMN - 24,
        if events.is_empty() { y + 4 } else { y - 1 },
        escape(&short(&label, MAX_LABEL)),
    );
    if !events.is_empty() {
        let events = escape(&short(&events, MAX_LABEL + 6));
        svg += &format!("<text class=\"event\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{events}</text>", y + 10);
    }
    svg + "</g>\n"
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

/// A graph for `dot`: the failing execution, or the order of locks if nothing fails.
pub fn dot(outcome: &Outcome) -> String {
    match &outcome.judgement {
        Judgement::Violated { trace, .. } => execution(trace),
        Judgement::Verified | Judgement::Unknown(_) => locks(&outcome.locks).dot(),
    }
}

fn execution(trace: &Trace) -> String {
    let mut text = "digraph execution {\n  node [shape=box, fontname=monospace, fontsize=10];\n".to_owned();
    let first = trace.steps.len().saturating_sub(MAX_STEPS);
    let steps: Vec<(usize, &Step)> = trace.steps.iter().enumerate().skip(first).collect();
    let threads: BTreeSet<u32> = steps.iter().map(|(_, step)| step.thread).collect();
    for thread in threads {
        text += &format!("  subgraph cluster_{thread} {{\n    label={};\n", quoted(&trace.actors.long(thread)));
        for (at, step) in steps.iter().filter(|(_, step)| step.thread == thread) {
            let events = crate::trace::events(step).join("\n");
            let label = quoted(&format!("{}: {}:{}\n{}\n{events}", at + 1, step.file, step.line, step.text));
            let colour = if *at + 1 == trace.steps.len() { ", color=red" } else { "" };
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
