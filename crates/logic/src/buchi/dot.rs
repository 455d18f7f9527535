//! Büchi automata as graphs for Graphviz: accepting states have a double circle.

use std::fmt::Write;

use super::Buchi;
use crate::formula::AtomId;

pub(super) fn write(automaton: &Buchi, names: &dyn Fn(AtomId) -> String) -> String {
    let mut out = String::from("digraph buchi {\n  rankdir=LR;\n  start [shape=point];\n");
    for (state, accepting) in automaton.accepting.iter().enumerate() {
        let shape = if *accepting { "doublecircle" } else { "circle" };
        writeln!(out, "  {state} [shape={shape}];").expect("writing to a string should succeed");
    }
    writeln!(out, "  start -> {};", automaton.initial).expect("writing to a string should succeed");
    for (state, edges) in automaton.edges.iter().enumerate() {
        for edge in edges {
            let label = edge.guard.display(names).to_string().replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(out, "  {state} -> {} [label=\"{label}\"];", edge.target)
                .expect("writing to a string should succeed");
        }
    }
    out.push_str("}\n");
    out
}
