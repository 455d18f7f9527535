//! Control-flow graphs of a model's processes and claims: points between statements, and the statements that connect
//! them.

use unpick_automaton::{Automaton, LocationId, Model, Step, Transition};
use unpick_base::id::Id;
use unpick_base::{SourceMap, Span};
use unpick_system::Reached;

use crate::graph::{FlowEdge, FlowGraph, FlowNode};

/// The graphs of all process types; with where processes stood, if a search has looked.
pub fn model_flow(model: &Model, sources: &SourceMap, reached: Option<&Reached>) -> Vec<FlowGraph> {
    let own = model.proctypes.iter_enumerated();
    own.map(|(id, proctype)| {
        let has_stood = |location| reached.map(|reached| reached.has(id, location));
        graph(proctype.name.trim_matches(':').to_owned(), &proctype.automaton, sources, &has_stood)
    })
    .collect()
}

/// The automata of all claims.
pub fn claim_flow(model: &Model, sources: &SourceMap) -> Vec<FlowGraph> {
    let name = |claim: &unpick_automaton::Claim| match &claim.formula {
        Some(formula) => format!("not ({formula})"),
        None => format!("never {}", claim.name),
    };
    model.claims.iter().map(|claim| graph(name(claim), &claim.automaton, sources, &|_| None)).collect()
}

fn graph(
    name: String,
    automaton: &Automaton,
    sources: &SourceMap,
    has_stood: &dyn Fn(LocationId) -> Option<bool>,
) -> FlowGraph {
    let mut graph = FlowGraph { name, ..FlowGraph::default() };
    let Some(start) = automaton.start else { return graph };
    let mut places = vec![None; automaton.locations.len()];
    let mut order = vec![start];
    places[start.index()] = Some(0);
    let mut at = 0;
    while let Some(location) = order.get(at).copied() {
        for transition in &automaton.locations[location].transitions {
            // A process that ends goes nowhere, and what a `d_step` does inside is one step.
            let Some(target) = transition.target else { continue };
            let to = *places[target.index()].get_or_insert_with(|| {
                order.push(target);
                order.len() - 1
            });
            let label = text(transition, sources);
            graph.edges.push(FlowEdge { from: at, to, label, is_reached: None });
        }
        at += 1;
    }
    for location in &order {
        let data = &automaton.locations[*location];
        let line = line(sources, data.transitions.first().map_or(data.span, |transition| transition.span));
        let labels = automaton.labels.iter().filter(|(_, known)| known == location);
        graph.nodes.push(FlowNode {
            lines: vec![(line, String::new())],
            labels: labels.map(|(name, _)| name.to_string()).collect(),
            is_reached: has_stood(*location),
            is_end: data.is_end,
            is_accepting: data.is_accept,
        });
    }
    judge_edges(&mut graph);
    graph
}

/// A search knows where processes stood, not which way they came: a way is known to be taken if it is the only one to a
/// place where some process stood, and unreached if no process stood at one of its ends.
fn judge_edges(graph: &mut FlowGraph) {
    let mut n_ways = vec![0; graph.nodes.len()];
    graph.edges.iter().for_each(|edge| n_ways[edge.to] += 1);
    for edge in &mut graph.edges {
        let ends = graph.nodes[edge.from].is_reached.zip(graph.nodes[edge.to].is_reached);
        edge.is_reached = match ends {
            Some((true, true)) if n_ways[edge.to] == 1 && edge.to != 0 => Some(true),
            Some((true, true)) | None => None,
            Some(_) => Some(false),
        };
    }
}

fn line(sources: &SourceMap, span: Span) -> u32 {
    sources.place(span.lo).map_or(0, |place| place.line)
}

fn text(transition: &Transition, sources: &SourceMap) -> String {
    match transition.step {
        Step::Else => "else".to_owned(),
        Step::Skip
        | Step::Condition(_)
        | Step::Assign(..)
        | Step::Send { .. }
        | Step::Receive(_)
        | Step::Assert(_)
        | Step::Printf(..)
        | Step::Printm(..)
        | Step::SetPriority(..)
        | Step::Code(_)
        | Step::DStep(_)
        | Step::End => super::statement_text(sources, transition.span),
    }
}
