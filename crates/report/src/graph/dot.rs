//! A graph as text for Graphviz.

use super::{Graph, MAX_CELLS, Node, Picture, Shape, Tone};
use crate::cells::cut;
use crate::escape::visible;

pub(super) fn dot(picture: &Picture) -> String {
    let mut text = format!(
        "digraph {} {{\n  node [shape=box, style=rounded, fontname=monospace, fontsize=10];\n  edge [fontname=monospace, \
         fontsize=9];\n",
        picture.name
    );
    let is_alone = picture.graphs.len() < 2;
    for (number, graph) in picture.graphs.iter().enumerate() {
        match is_alone {
            true if graph.title.is_empty() => {}
            true => text += &format!("  label={};\n", quoted(&graph.title)),
            false => text += &format!("  subgraph cluster_{number} {{\n  label={};\n", quoted(&graph.title)),
        }
        text += &body(graph, number);
        if !is_alone {
            text += "  }\n";
        }
    }
    text + "}\n"
}

fn body(graph: &Graph, number: usize) -> String {
    let mut text = String::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        text += &format!("  n{number}_{at} [label={}{}{}];\n", label(node), shape(node.shape), tone(node.tone));
        if node.is_start {
            text +=
                &format!("  start{number}_{at} [shape=point, label=\"\"];\n  start{number}_{at} -> n{number}_{at};\n");
        }
    }
    for edge in &graph.edges {
        let lines: Vec<String> = edge.label.iter().map(|line| cut(line, MAX_CELLS)).collect();
        let label = if lines.is_empty() { String::new() } else { format!("label={}", quoted(&lines.join("\n"))) };
        let marks = format!("{label}{}", tone(edge.tone));
        let marks = marks.trim_start_matches(", ");
        let marks = if marks.is_empty() { String::new() } else { format!(" [{marks}]") };
        text += &format!("  n{number}_{} -> n{number}_{}{marks};\n", edge.from, edge.to);
    }
    text
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Box => "",
        Shape::Circle => ", shape=circle, style=solid",
        Shape::DoubleCircle => ", shape=doublecircle, style=solid",
    }
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => ", color=\"#1a7f45\"",
        Tone::Bad => ", color=\"#b42318\"",
        Tone::Quiet => ", color=gray",
    }
}

/// The lines of a node, left-justified if there are several.
fn label(node: &Node) -> String {
    let end = if node.lines.len() > 1 { "\\l" } else { "" };
    let lines = node.lines.iter().map(|line| {
        let text = format!("{} {}", line.head, line.text);
        format!("{}{end}", inner(&cut(text.trim_start(), MAX_CELLS)))
    });
    format!("\"{}\"", lines.collect::<String>())
}

/// A string of dot. Backslashes would start an escape there.
pub(crate) fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(inner).collect();
    format!("\"{}\"", lines.join("\\n"))
}

fn inner(line: &str) -> String {
    visible(line).replace('\\', "\\\\").replace('"', "\\\"")
}
