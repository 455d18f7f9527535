//! Layered graph layout (Sugiyama, Tagawa and Toda 1981), from top to bottom.
//!
//! Edges that close a cycle are turned round for the layout; `rank.rs` puts every node below those that lead to it, and
//! cuts edges over several layers into pieces; `order.rs` looks for an order within each layer with few crossings;
//! `position.rs` makes long edges straight. The label of an edge is a piece of it with a size of its own, so nothing is
//! ever written over anything else. Force-directed layouts would be shorter to write, but hide where a program begins.

mod order;
mod position;
mod rank;

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// From its middle to the left, and to the right.
    pub left: f64,
    pub right: f64,
    pub height: f64,
}

/// What is known of an edge; edges from a node to itself are left to the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    /// Width and height of the label.
    pub label: Option<(f64, f64)>,
}

/// A graph with places.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    /// The middle of each node.
    pub nodes: Vec<(f64, f64)>,
    /// For each edge the points that it passes, from the node it begins at: middles of layers.
    pub edges: Vec<Route>,
    pub width: f64,
    pub height: f64,
}

/// The way of an edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    /// Where it leaves the first and enters the last node, as a place on their width and which side.
    pub ends: [Port; 2],
    /// Stretches that it goes straight up or down: place, begin and end.
    pub stretches: Vec<(f64, f64, f64)>,
    /// The middle of its label.
    pub label: Option<(f64, f64)>,
}

/// Where an edge touches a node.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Port {
    /// To the right of the middle of the node.
    pub offset: f64,
    /// At the bottom of the node, otherwise at its top.
    pub is_bottom: bool,
}

/// Something that lies in a layer: a node, or a piece of an edge.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    rank: usize,
    extent: Extent,
    /// The edge that it is a piece of.
    edge: Option<usize>,
}

/// Nodes and pieces of edges in layers; every edge goes down by one layer.
#[derive(Debug, Default)]
struct Layered {
    vertices: Vec<Vertex>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// From left to right.
    layers: Vec<Vec<usize>>,
    /// The vertices of each edge from top to bottom, ends included; empty for those from a node to itself.
    chains: Vec<Vec<usize>>,
    /// Edges that go up.
    is_turned: Vec<bool>,
}

const NODE_GAP: f64 = 22.0;
const EDGE_GAP: f64 = 12.0;
const RANK_GAP: f64 = 40.0;
/// With labels there are twice as many layers.
const LABEL_RANK_GAP: f64 = 18.0;
const PORT_GAP: f64 = 16.0;

/// Places a graph.
pub(super) fn place(nodes: &[Extent], links: &[Link], is_by_distance: bool) -> Placed {
    let mut layered = rank::layered(nodes, links, is_by_distance);
    order::order(&mut layered);
    let x = position::positions(&layered, gap);
    let has_labels = links.iter().any(|link| link.label.is_some());
    let rank_gap = if has_labels { LABEL_RANK_GAP } else { RANK_GAP };
    let mut tops = Vec::new();
    let mut y = 0.0;
    for layer in &layered.layers {
        let height = layer.iter().map(|vertex| layered.vertices[*vertex].extent.height).fold(0.0, f64::max);
        tops.push((y, height));
        y += height + rank_gap;
    }
    let middle = |vertex: usize| {
        let (top, height) = tops[layered.vertices[vertex].rank];
        (x[vertex], top + height / 2.0)
    };
    let right = layered.vertices.iter().zip(&x).map(|(vertex, x)| x + vertex.extent.right).fold(0.0, f64::max);
    let ports = ports(&layered, nodes, &x);
    let edges = layered.chains.iter().enumerate().map(|(edge, chain)| {
        let inner = chain.get(1..chain.len().saturating_sub(1)).unwrap_or_default();
        let mut stretches: Vec<(f64, f64, f64)> = Vec::new();
        let mut label = None;
        for vertex in inner {
            let (top, height) = tops[layered.vertices[*vertex].rank];
            stretches.push((x[*vertex], top, top + height));
            if layered.vertices[*vertex].extent.height > 0.0 {
                label = Some(middle(*vertex));
            }
        }
        let mut ends = ports[edge];
        if layered.is_turned[edge] {
            ends.reverse();
            stretches.reverse();
            stretches.iter_mut().for_each(|(_, from, to)| std::mem::swap(from, to));
        }
        Route { ends, stretches, label }
    });
    Placed {
        edges: edges.collect(),
        nodes: (0..nodes.len()).map(middle).collect(),
        width: right,
        height: (y - rank_gap).max(0.0),
    }
}

/// How far the middles of two neighbours in a layer are apart at least.
fn gap(one: &Vertex, other: &Vertex) -> f64 {
    let between = if one.edge.is_some() && other.edge.is_some() { EDGE_GAP } else { NODE_GAP };
    one.extent.right + between + other.extent.left
}

/// Edges of a node touch it next to each other, in the order of where they go. For each edge its upper and lower end.
fn ports(layered: &Layered, nodes: &[Extent], x: &[f64]) -> Vec<[Port; 2]> {
    let mut ports = vec![[Port { offset: 0.0, is_bottom: true }, Port::default()]; layered.chains.len()];
    for (node, extent) in nodes.iter().enumerate() {
        for (end, is_bottom) in [(0, true), (1, false)] {
            let mut touching: Vec<(f64, usize)> = Vec::new();
            for (edge, chain) in layered.chains.iter().enumerate() {
                let (this, next) = match is_bottom {
                    true => (chain.first(), chain.get(1)),
                    false => (chain.last(), chain.len().checked_sub(2).and_then(|at| chain.get(at))),
                };
                if let (Some(this), Some(next)) = (this, next)
                    && *this == node
                {
                    touching.push((x[*next], edge));
                }
            }
            touching.sort_by(|one, other| one.0.total_cmp(&other.0));
            let room = 2.0 * extent.left.min(extent.right) - 12.0;
            let step = PORT_GAP.min(room.max(0.0) / touching.len().max(1) as f64);
            let first = -(touching.len() as f64 - 1.0) / 2.0 * step;
            for (at, (_, edge)) in touching.iter().enumerate() {
                ports[*edge][end].offset = first + at as f64 * step;
            }
        }
    }
    ports
}
