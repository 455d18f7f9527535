//! Graphs as SVG, in the light or dark colours of the reader's system, from text and lines only.

use super::layout::{Extent, Link, Placed, Port, Route, place};
use super::{Edge, Graph, MAX_CELLS, MAX_LABEL, Node, Picture, Shape, Tone};
use crate::cells::{cut, pad, width};
use crate::xml::escape;

/// Size of a character in nodes, and on edges.
const CELL: f64 = 7.25;
const LINE: f64 = 17.0;
const LABEL_CELL: f64 = 6.7;
const LABEL_LINE: f64 = 14.0;
const MARGIN: f64 = 28.0;
/// Room for the arrow into a first node.
const START: f64 = 26.0;
const TITLE: f64 = 34.0;
/// How far an edge from a node to itself goes to the right.
const LOOP: f64 = 30.0;
/// Graphs go side by side up to this width.
const MAX_WIDTH: f64 = 1_700.0;

const STYLE: &str = "svg{background:#fbfaf7}text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1d2330;\
white-space:pre}.title{font:600 14px system-ui,'DejaVu Sans',sans-serif}.legend{font:11px system-ui,'DejaVu Sans',sans-serif;\
fill:#667085}.head{fill:#8a8f98}.label{font-size:11px;fill:#475066;paint-order:stroke;stroke:#fbfaf7;stroke-width:4px;\
stroke-linejoin:round}.node{fill:#fff;stroke:#9aa1ae;stroke-width:1.2}.ring{fill:none;stroke:#9aa1ae;stroke-width:1.2}.edge{\
fill:none;stroke:#7b8494;stroke-width:1.3}.tip{fill:#7b8494}.good.node{fill:#eef8f1;stroke:#1a7f45}.good.edge{stroke:#1a7f45}\
.good.tip{fill:#1a7f45}.bad.node{fill:#fdeceb;stroke:#b42318;stroke-width:1.6}.bad.edge{stroke:#b42318}.bad.tip{fill:#b42318}\
.bad.label{fill:#b42318}.quiet.node{fill:#f3f1ea;stroke:#d5d3cb}.quiet.edge{stroke:#c9ccd3;stroke-dasharray:4 3}.quiet.tip{\
fill:#c9ccd3}@media(prefers-color-scheme:dark){svg{background:#14171d}text{fill:#e6e9ef}.legend,.head{fill:#98a2b3}.label{\
fill:#b6bfce;stroke:#14171d}.node{fill:#1b1f27;stroke:#566073}.ring{stroke:#566073}.edge{stroke:#7d8796}.tip{fill:#7d8796}\
.good.node{fill:#173325;stroke:#6fd19a}.good.edge{stroke:#6fd19a}.good.tip{fill:#6fd19a}.bad.node{fill:#3d1f1f;stroke:#ff8a80}\
.bad.edge{stroke:#ff8a80}.bad.tip,.bad.label{fill:#ff8a80}.quiet.node{fill:#181b22;stroke:#2d333f}.quiet.edge{stroke:#3a4150}\
.quiet.tip{fill:#3a4150}}";

pub(super) fn svg(picture: &Picture) -> String {
    let drawn: Vec<Drawn> = picture.graphs.iter().map(draw).collect();
    let (mut x, mut y, mut row, mut right) = (MARGIN, MARGIN, 0.0f64, 0.0f64);
    let mut body = String::new();
    for part in &drawn {
        if x > MARGIN && x + part.width > MAX_WIDTH {
            (x, y, row) = (MARGIN, y + row + MARGIN, 0.0);
        }
        body += &format!("<g transform=\"translate({x:.1} {y:.1})\">\n{}</g>\n", part.text);
        x += part.width + 2.0 * MARGIN;
        row = row.max(part.height);
        right = right.max(x - 2.0 * MARGIN);
    }
    let mut bottom = y + row;
    if drawn.is_empty() {
        body += &format!("<text x=\"{MARGIN}\" y=\"{:.1}\">There is nothing to draw.</text>\n", bottom + 14.0);
        (right, bottom) = (right.max(MARGIN + 200.0), bottom + 20.0);
    }
    let legend = legend(picture, bottom + MARGIN);
    right = right.max(legend.width);
    bottom = legend.height;
    let (width, height) = ((right + MARGIN).ceil(), (bottom + MARGIN).ceil());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" role=\"img\"><style>{STYLE}</style>\n{body}{}</svg>\n",
        legend.text
    )
}

/// A part of the picture.
struct Drawn {
    text: String,
    width: f64,
    height: f64,
}

fn legend(picture: &Picture, y: f64) -> Drawn {
    let mut legend = Drawn { text: String::new(), width: MARGIN, height: y - MARGIN };
    for (tone, text) in &picture.legend {
        let x = legend.width;
        legend.text += &format!(
            "<rect class=\"node{}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"16\" height=\"12\" rx=\"3\"/><text class=\"legend\" \
             x=\"{:.1}\" y=\"{y:.1}\">{}</text>\n",
            class(*tone),
            y - 10.0,
            x + 22.0,
            escape(text)
        );
        legend.width += 22.0 + 6.4 * width(text) as f64 + 18.0;
        legend.height = y;
    }
    legend
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => " good",
        Tone::Bad => " bad",
        Tone::Quiet => " quiet",
    }
}

fn draw(graph: &Graph) -> Drawn {
    let nodes: Vec<Node> = graph.nodes.iter().map(short).collect();
    let sizes: Vec<(f64, f64)> = nodes.iter().map(size).collect();
    let mut extents: Vec<Extent> =
        sizes.iter().map(|(width, height)| Extent { left: width / 2.0, right: width / 2.0, height: *height }).collect();
    let labels: Vec<Vec<String>> =
        graph.edges.iter().map(|edge| edge.label.iter().map(|line| cut(line, MAX_LABEL)).collect()).collect();
    let label_size = |label: &[String]| {
        let cells = label.iter().map(|line| width(line)).max().unwrap_or(0);
        (cells as f64 * LABEL_CELL + 8.0, label.len() as f64 * LABEL_LINE + 4.0)
    };
    // What a node has to itself lies to its right, one below the other.
    let mut loops: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.from == edge.to) {
        loops[edge.from].push(at);
    }
    for (node, own) in loops.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        let widest = own.iter().map(|edge| label_size(&labels[*edge]).0).fold(0.0, f64::max);
        extents[node].right += LOOP + widest;
        let n_lines: usize = own.iter().map(|edge| labels[*edge].len().max(1)).sum();
        extents[node].height = extents[node].height.max(n_lines as f64 * LABEL_LINE + 14.0);
    }
    let links: Vec<Link> = graph
        .edges
        .iter()
        .zip(&labels)
        .map(|(edge, label)| Link {
            from: edge.from,
            to: edge.to,
            label: (!label.is_empty()).then(|| label_size(label)),
        })
        .collect();
    let placed = place(&extents, &links, graph.is_by_distance);
    let title = if graph.title.is_empty() { 0.0 } else { TITLE };
    let top = title + if nodes.iter().any(|node| node.is_start) { START } else { 0.0 };
    let mut text = String::new();
    if !graph.title.is_empty() {
        text += &format!("<text class=\"title\" x=\"0\" y=\"14\">{}</text>\n", escape(&cut(&graph.title, 120)));
    }
    text += &format!("<g transform=\"translate(0 {top:.1})\">\n");
    let sketch = Sketch { nodes: &nodes, sizes: &sizes, placed: &placed };
    for ((edge, route), label) in graph.edges.iter().zip(&placed.edges).zip(&labels) {
        if edge.from != edge.to {
            text += &sketch.edge(edge, route, label);
        }
    }
    for own in &loops {
        text += &sketch.loops(graph, own, &labels);
    }
    for at in 0..nodes.len() {
        text += &sketch.node(at);
    }
    text += "</g>\n";
    let title_width = width(&graph.title) as f64 * 8.6;
    Drawn { text, width: placed.width.max(title_width), height: placed.height + top }
}

/// The node with texts that are not too long.
fn short(node: &Node) -> Node {
    let mut node = node.clone();
    for line in &mut node.lines {
        line.head = cut(&line.head, MAX_CELLS / 2);
        line.text = cut(&line.text, MAX_CELLS);
    }
    node
}

fn size(node: &Node) -> (f64, f64) {
    let (wide, high) = (node.cells() as f64 * CELL, node.lines.len() as f64 * LINE);
    match node.shape {
        Shape::Box => ((wide + 22.0).max(34.0), high.max(LINE) + 11.0),
        Shape::Circle | Shape::DoubleCircle => {
            let side = (wide * wide + high * high).sqrt().max(22.0) + 14.0;
            (side, side)
        }
    }
}

/// What is drawn from.
struct Sketch<'a> {
    nodes: &'a [Node],
    sizes: &'a [(f64, f64)],
    placed: &'a Placed,
}

impl Sketch<'_> {
    fn node(&self, at: usize) -> String {
        let (node, (x, y), (wide, high)) = (&self.nodes[at], self.placed.nodes[at], self.sizes[at]);
        let tone = class(node.tone);
        let mut text = "<g>".to_owned();
        if !node.tip.is_empty() {
            text += &format!("<title>{}</title>", escape(&node.tip));
        }
        let (left, top) = (x - wide / 2.0, y - high / 2.0);
        if node.is_start {
            text += &format!(
                "<path class=\"edge\" d=\"M{x:.1} {:.1}L{x:.1} {:.1}\"/>{}",
                top - 20.0,
                top - 6.0,
                tip((x, top), (0.0, 1.0), Tone::Plain)
            );
        }
        match node.shape {
            Shape::Box => {
                text += &format!(
                    "<rect class=\"node{tone}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"7\"/>"
                );
            }
            Shape::Circle | Shape::DoubleCircle => {
                text += &format!("<circle class=\"node{tone}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>", wide / 2.0);
            }
        }
        if node.shape == Shape::DoubleCircle {
            let radius = wide / 2.0 - 3.5;
            text += &format!("<circle class=\"ring{tone}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
        }
        text + &words(node, x, y, wide) + "</g>\n"
    }

    /// Where an edge touches a node.
    fn touch(&self, node: usize, port: Port) -> (f64, f64) {
        let ((x, y), (wide, high)) = (self.placed.nodes[node], self.sizes[node]);
        let reach = match self.nodes[node].shape {
            Shape::Box => high / 2.0,
            Shape::Circle | Shape::DoubleCircle => {
                let radius = wide / 2.0;
                (radius * radius - port.offset * port.offset).max(0.0).sqrt()
            }
        };
        (x + port.offset, if port.is_bottom { y + reach } else { y - reach })
    }

    fn edge(&self, edge: &Edge, route: &Route, label: &[String]) -> String {
        let (start, end) = (self.touch(edge.from, route.ends[0]), self.touch(edge.to, route.ends[1]));
        let heading = if route.ends[1].is_bottom { -1.0 } else { 1.0 };
        let stop = (end.0, end.1 - heading * 6.0);
        let mut path = format!("M{:.1} {:.1}", start.0, start.1);
        let mut at = start;
        let curve = |from: (f64, f64), to: (f64, f64)| {
            let middle = (from.1 + to.1) / 2.0;
            format!("C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}", from.0, to.0, to.0, to.1)
        };
        for (x, from, to) in &route.stretches {
            path += &curve(at, (*x, *from));
            if to != from {
                path += &format!("L{x:.1} {to:.1}");
            }
            at = (*x, *to);
        }
        path += &curve(at, stop);
        let tone = class(edge.tone);
        let mut text = format!("<path class=\"edge{tone}\" d=\"{path}\"/>{}", tip(end, (0.0, heading), edge.tone));
        if let Some((x, y)) = route.label {
            text += &written(label, (x, y), "middle", edge.tone);
        }
        text + "\n"
    }

    /// Edges from a node to itself.
    fn loops(&self, graph: &Graph, own: &[usize], labels: &[Vec<String>]) -> String {
        let Some(first) = own.first() else { return String::new() };
        let node = graph.edges[*first].from;
        let ((x, y), (wide, _)) = (self.placed.nodes[node], self.sizes[node]);
        let is_round = self.nodes[node].shape != Shape::Box;
        let side = x + if is_round { wide / 2.0 * 0.86 } else { wide / 2.0 };
        let reach = if is_round { wide / 4.0 } else { 6.0 };
        let tone = if own.iter().all(|edge| graph.edges[*edge].tone == graph.edges[*first].tone) {
            graph.edges[*first].tone
        } else {
            Tone::Plain
        };
        let all: Vec<String> = own.iter().flat_map(|edge| labels[*edge].iter().cloned()).collect();
        let path = format!(
            "<path class=\"edge{}\" d=\"M{side:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
            class(tone),
            y - reach,
            side + LOOP,
            y - reach - 10.0,
            side + LOOP,
            y + reach + 10.0,
            side + 6.0,
            y + reach + 1.0,
        );
        path + &tip((side, y + reach), (-1.0, -0.15), tone)
            + &written(&all, (side + LOOP - 4.0, y), "start", tone)
            + "\n"
    }
}

fn words(node: &Node, x: f64, y: f64, wide: f64) -> String {
    let head_cells = node.head_cells();
    let is_round = node.shape != Shape::Box;
    let first = y - node.lines.len() as f64 * LINE / 2.0 + 12.5;
    let mut text = String::new();
    for (at, line) in node.lines.iter().enumerate() {
        let y = first + at as f64 * LINE;
        let (x, anchor) = match node.lines.len() {
            1 if head_cells == 0 || is_round => (x, " text-anchor=\"middle\""),
            _ if is_round => (x, " text-anchor=\"middle\""),
            _ => (x - wide / 2.0 + 11.0, ""),
        };
        let head = match head_cells {
            0 => String::new(),
            cells => format!("<tspan class=\"head\">{}</tspan>", escape(&pad(&line.head, cells))),
        };
        text += &format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} xml:space=\"preserve\">{head}{}</text>",
            escape(&line.text)
        );
    }
    text
}

/// The label of an edge around a place.
fn written(label: &[String], (x, y): (f64, f64), anchor: &str, tone: Tone) -> String {
    let first = y - label.len() as f64 * LABEL_LINE / 2.0 + 11.0;
    let lines = label.iter().enumerate().map(|(at, line)| {
        format!(
            "<text class=\"label{}\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            class(tone),
            first + at as f64 * LABEL_LINE,
            escape(line)
        )
    });
    lines.collect()
}

/// The point of an arrow that comes from the direction opposite to the heading.
fn tip((x, y): (f64, f64), (dx, dy): (f64, f64), tone: Tone) -> String {
    let (back, half) = (8.0, 3.6);
    format!(
        "<path class=\"tip{}\" d=\"M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        class(tone),
        x - dx * back - dy * half,
        y - dy * back + dx * half,
        x - dx * back + dy * half,
        y - dy * back - dx * half,
    )
}
