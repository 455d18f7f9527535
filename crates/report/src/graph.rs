//! Graph drawings: states, automata and control flow, as SVG with a layout of our own, or for `dot`.
//!
//! The caller says what the nodes and edges are, and in which tone they are drawn; where they lie
//! is decided in `layout.rs`. No other program is needed: `dot` is on few machines.

mod dot;
mod layout;
mod svg;

pub(crate) use dot::quoted;

use crate::cells::width;

/// A picture: graphs side by side.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// What it shows; a word for `dot`.
    pub name: &'static str,
    /// The graphs, in order.
    pub graphs: Vec<Graph>,
    /// What the tones mean, if that has to be said.
    pub legend: Vec<(Tone, String)>,
}

/// One graph under a heading.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The heading; may be empty.
    pub title: String,
    /// Nodes; the first ones come first in the picture where there is a choice.
    pub nodes: Vec<Node>,
    /// Arrows between them.
    pub edges: Vec<Edge>,
    /// Layers follow the distance from the first node, as suits states; otherwise the longest way, as suits programs.
    pub is_by_distance: bool,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Written in it.
    pub lines: Vec<Line>,
    /// Its form.
    pub shape: Shape,
    /// How it is to be seen.
    pub tone: Tone,
    /// An arrow from nowhere points at it.
    pub is_start: bool,
    /// Shown when a pointer rests on it.
    pub tip: String,
}

/// A line of text in a node.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What stands to the left, in grey: a number, a name.
    pub head: String,
    /// The text.
    pub text: String,
}

impl Line {
    /// A line without anything to the left.
    pub fn new(text: impl Into<String>) -> Self {
        Self { head: String::new(), text: text.into() }
    }
}

/// An arrow.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// Where it begins: a position in [`Graph::nodes`].
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Written on it, line by line.
    pub label: Vec<String>,
    /// How it is to be seen.
    pub tone: Tone,
}

/// The form of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// A box with round corners.
    #[default]
    Box,
    /// A circle.
    Circle,
    /// A circle with a second line around it: accepting, visited infinitely often by accepted runs.
    DoubleCircle,
}

/// How something is to be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tone {
    /// As usual.
    #[default]
    Plain,
    /// Seen by the search.
    Good,
    /// An error, or unreached.
    Bad,
    /// Less important than others.
    Quiet,
}

/// More nodes than this make no picture.
pub const MAX_NODES: usize = 400;
/// Longer texts in nodes and on edges are cut.
const MAX_CELLS: usize = 64;
const MAX_LABEL: usize = 40;

impl Picture {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    /// The picture as text for `dot`.
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.graphs.iter().map(|graph| graph.nodes.len()).sum()
    }
}

impl Node {
    fn cells(&self) -> usize {
        let head = self.head_cells();
        self.lines.iter().map(|line| head + width(&line.text)).max().unwrap_or(0)
    }

    /// Columns to the left of the texts.
    fn head_cells(&self) -> usize {
        self.lines.iter().map(|line| width(&line.head)).max().filter(|cells| *cells > 0).map_or(0, |cells| cells + 1)
    }
}

#[cfg(test)]
mod tests;
