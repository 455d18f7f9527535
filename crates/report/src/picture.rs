//! Drawings of programs and models: state graphs, control flow, automata, lock order.

use std::collections::BTreeMap;

use unpick_witness::{FlowEdge, FlowGraph, FlowNode, LockGraph, Mark, ShownState, StateGraph};

use crate::graph::{Edge, Graph, Line, Node, Picture, Shape, Tone};

/// More lines of a state than this are cut.
const MAX_VALUES: usize = 12;
/// More parts of a step than this are cut.
const MAX_LABEL: usize = 6;

/// All states of a small program or model.
pub fn states(graph: &StateGraph, title: &str) -> Picture {
    let nodes = graph.states.iter().enumerate().map(|(at, state)| state_node(state, at == 0)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    for step in &graph.steps {
        let mut label: Vec<String> = step.label.iter().take(MAX_LABEL).cloned().collect();
        if step.label.len() > MAX_LABEL {
            label.push(format!("\u{2026} and {} more", step.label.len() - MAX_LABEL));
        }
        let tone = if step.is_wrong { Tone::Bad } else { Tone::Plain };
        let edge = Edge { from: step.from, to: step.to, label, tone };
        let is_known = |known: &Edge| known.from == edge.from && known.to == edge.to && known.label == edge.label;
        if !edges.iter().any(is_known) {
            edges.push(edge);
        }
    }
    let has = |mark: Mark| graph.states.iter().any(|state| state.mark == mark);
    let known = [
        (Tone::Good, "an end", has(Mark::End)),
        (Tone::Bad, "something is wrong", has(Mark::AutomatonViolation)),
        (Tone::Quiet, "what follows is not known", has(Mark::Open)),
    ];
    let legend = known.into_iter().filter(|(_, _, is_there)| *is_there);
    let legend = legend.map(|(tone, text, _)| (tone, text.to_owned())).collect();
    let n_states = graph.states.len();
    let title = format!("{title}: {n_states} state{}", if n_states == 1 { "" } else { "s" });
    Picture { name: "states", graphs: vec![Graph { title, nodes, edges, is_by_distance: true }], legend }
}

fn state_node(state: &ShownState, is_start: bool) -> Node {
    let places: Vec<String> =
        state.places.iter().map(|(who, place)| format!("{who} {place}").trim().to_owned()).collect();
    let mut lines = Vec::new();
    // Two to a line, so that nodes stay small.
    for pair in places.chunks(2) {
        lines.push(Line::new(pair.join("  ")));
    }
    lines.extend(state.values.iter().take(MAX_VALUES).map(|value| Line::new(value_text(value))));
    if state.values.len() > MAX_VALUES {
        lines.push(Line::new("\u{2026}"));
    }
    if !state.remark.is_empty() {
        lines.push(Line::new(state.remark.clone()));
    }
    if lines.is_empty() {
        lines.push(Line::new("start"));
    }
    let tip = state.values.iter().map(value_text).collect::<Vec<_>>().join("\n");
    let tone = match state.mark {
        Mark::None => Tone::Plain,
        Mark::End => Tone::Good,
        Mark::AutomatonViolation => Tone::Bad,
        Mark::Open => Tone::Quiet,
    };
    Node { lines, tone, is_start, tip, shape: Shape::Box }
}

fn value_text((name, value): &(String, String)) -> String {
    let between = if name.ends_with(" holds") || name == "holds" { " " } else { " = " };
    format!("{name}{between}{value}")
}

/// The control-flow graph, with executed edges if they were recorded.
pub fn flow(graphs: &[FlowGraph]) -> Picture {
    let drawn = graphs.iter().map(|graph| Graph {
        title: heading(graph),
        nodes: graph.nodes.iter().enumerate().map(|(at, node)| flow_node(node, at == 0)).collect(),
        edges: graph.edges.iter().map(flow_edge).collect(),
        is_by_distance: false,
    });
    let has_coverage = graphs.iter().flat_map(|graph| &graph.nodes).any(|node| node.is_reached.is_some());
    let legend = match has_coverage {
        true => vec![(Tone::Good, "explored".to_owned()), (Tone::Bad, "never reached".to_owned())],
        false => Vec::new(),
    };
    Picture { name: "flow", graphs: drawn.collect(), legend }
}

/// The name, and how much of it was reached.
fn heading(graph: &FlowGraph) -> String {
    let nodes: Vec<bool> = graph.nodes.iter().filter_map(|node| node.is_reached).collect();
    let ways: Vec<bool> = graph.edges.iter().filter_map(|edge| edge.is_reached).collect();
    let n_true = |all: &[bool]| all.iter().filter(|is_reached| **is_reached).count();
    let is_every_way_known = ways.len() == graph.edges.len() && !ways.is_empty();
    match (nodes.len(), is_every_way_known) {
        (0, _) => graph.name.clone(),
        (_, true) => format!("{}: {} of {} ways taken", graph.name, n_true(&ways), ways.len()),
        (n_nodes, false) => format!("{}: {} of {n_nodes} places reached", graph.name, n_true(&nodes)),
    }
}

fn tone(is_reached: Option<bool>) -> Tone {
    match is_reached {
        None => Tone::Plain,
        Some(true) => Tone::Good,
        Some(false) => Tone::Bad,
    }
}

fn flow_node(node: &FlowNode, is_start: bool) -> Node {
    let is_place = node.lines.iter().all(|(_, text)| text.is_empty());
    let lines: Vec<Line> = match is_place {
        true if !node.labels.is_empty() => node.labels.iter().map(Line::new).collect(),
        true => node.lines.iter().map(|(line, _)| Line::new(place(*line))).collect(),
        false => node.lines.iter().map(|(line, text)| Line { head: line.to_string(), text: text.clone() }).collect(),
    };
    let shape = match (node.is_accepting, is_place) {
        (true, _) => Shape::DoubleCircle,
        (false, true) if node.labels.is_empty() => Shape::Circle,
        (false, _) => Shape::Box,
    };
    let tip = if node.is_end { "it may end here" } else { "" };
    Node { lines, shape, tone: tone(node.is_reached), is_start, tip: tip.to_owned() }
}

fn place(line: u32) -> String {
    if line == 0 { String::new() } else { line.to_string() }
}

fn flow_edge(edge: &FlowEdge) -> Edge {
    let label = if edge.label.is_empty() { Vec::new() } else { vec![edge.label.clone()] };
    Edge { from: edge.from, to: edge.to, label, tone: tone(edge.is_reached) }
}

/// Automata of properties: accepting states have a double circle.
pub fn automata(graphs: &[FlowGraph]) -> Picture {
    let mut picture = Picture { name: "automata", ..flow(graphs) };
    for (drawn, graph) in picture.graphs.iter_mut().zip(graphs) {
        for (number, (node, source)) in drawn.nodes.iter_mut().zip(&graph.nodes).enumerate() {
            node.shape = if source.is_accepting { Shape::DoubleCircle } else { Shape::Circle };
            node.tip = source.labels.join(", ");
            // Names of states say nothing that the circle does not; numbers can be spoken of.
            node.lines = vec![Line::new(number.to_string())];
        }
    }
    picture
}

/// Which lock was taken while which was held.
pub fn locks(graph: &LockGraph) -> Picture {
    let in_circle: std::collections::BTreeSet<usize> = graph.circles.iter().flatten().copied().collect();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut drawn = Graph { title: "Order of locks".to_owned(), ..Graph::default() };
    for edge in &graph.edges {
        for name in [&edge.held, &edge.taken] {
            places.entry(name).or_insert_with(|| {
                drawn.nodes.push(Node { lines: vec![Line::new(name.clone())], ..Node::default() });
                drawn.nodes.len() - 1
            });
        }
    }
    for (at, edge) in graph.edges.iter().enumerate() {
        let tone = if in_circle.contains(&at) { Tone::Bad } else { Tone::Plain };
        let file = edge.file.rsplit('/').next().unwrap_or_default();
        let label = vec![format!("{file}:{}", edge.line)];
        let (from, to) = (places[edge.held.as_str()], places[edge.taken.as_str()]);
        drawn.edges.push(Edge { from, to, label, tone });
    }
    let legend = match in_circle.is_empty() {
        true => Vec::new(),
        false => vec![(Tone::Bad, "part of a circle".to_owned())],
    };
    let graphs = if drawn.nodes.is_empty() { Vec::new() } else { vec![drawn] };
    Picture { name: "locks", graphs, legend }
}

#[cfg(test)]
mod tests {
    use unpick_witness::{LockStep, ShownStep};

    use super::*;

    #[test]
    fn marks_of_states_have_tones_and_a_legend() {
        let state = |mark, remark: &str| ShownState {
            places: vec![("[0]".to_owned(), "main:4".to_owned())],
            values: vec![("x".to_owned(), "1".to_owned())],
            remark: remark.to_owned(),
            mark,
        };
        let step = |to| ShownStep { from: 0, to, label: vec!["x = 1;".to_owned()], is_wrong: to == 2 };
        let graph = StateGraph {
            states: vec![
                state(Mark::None, ""),
                state(Mark::End, "exit 0"),
                state(Mark::AutomatonViolation, "deadlock"),
            ],
            steps: vec![step(1), step(2), step(2)],
        };
        let picture = states(&graph, "a.c");
        let svg = picture.svg();
        assert_eq!(picture.graphs[0].edges.len(), 2, "equal steps should be drawn once");
        for text in ["a.c: 3 states", "[0] main:4", "x = 1", "exit 0", "deadlock", "something is wrong"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }

    #[test]
    fn coverage_is_counted_in_the_heading() {
        let node = |is_reached| FlowNode {
            lines: vec![(3, "return;".to_owned())],
            is_reached: Some(is_reached),
            ..FlowNode::default()
        };
        let edge = |to, is_reached| FlowEdge { to, is_reached: Some(is_reached), ..FlowEdge::default() };
        let graph = FlowGraph {
            name: "main()".to_owned(),
            nodes: vec![node(true), node(true), node(false)],
            edges: vec![edge(1, true), edge(2, false)],
        };
        let svg = flow(&[graph]).svg();
        assert!(svg.contains("main(): 1 of 2 ways taken") && svg.contains("never reached"), "{svg}");
        assert_eq!(svg.matches("class=\"node bad\"").count(), 2, "one node and the legend: {svg}");
    }

    #[test]
    fn circles_of_locks_are_seen() {
        let edge = |held: &str, taken: &str| LockStep {
            held: held.to_owned(),
            taken: taken.to_owned(),
            file: "a.c".to_owned(),
            line: 7,
        };
        let graph = LockGraph {
            edges: vec![edge("&a", "&b"), edge("&b", "&a"), edge("&b", "&c")],
            circles: vec![vec![0, 1]],
            is_harmless: false,
        };
        let picture = locks(&graph);
        assert_eq!((picture.n_nodes(), picture.graphs[0].edges.len()), (3, 3));
        assert_eq!(picture.svg().matches("class=\"edge bad\"").count(), 2);
        assert!(locks(&LockGraph::default()).svg().contains("nothing to draw"));
    }
}
