//! Control-flow graph by lines, with the edges that executions took.
//!
//! Blocks of the IR are finer than lines: a condition with `&&` makes several, a `for` three. Parts of one line that
//! follow each other become one node again, and lines that always follow each other one node with several lines.

use std::collections::{BTreeMap, BTreeSet};

use unpick_base::id::Id;
use unpick_program::{BlockId, FuncId, Function, Program, Terminator};
use unpick_system::Coverage;

use crate::graph::{FlowEdge, FlowGraph, FlowNode};

/// The graphs of all functions of the user's own, in the order of the source.
pub fn program_flow(
    program: &Program,
    coverage: Option<&Coverage>,
    text: &dyn Fn(&str, u32) -> Option<String>,
) -> Vec<FlowGraph> {
    let own = program.functions.iter_enumerated();
    let mut own: Vec<_> = own
        .filter(|(_, function)| !function.is_model && !function.blocks.is_empty() && function.loc.line != 0)
        .collect();
    own.sort_by_key(|(_, function)| function.loc);
    own.into_iter().map(|(id, function)| Lines::new(program, id, function, coverage, text).graph(text)).collect()
}

/// A part of a line in a block.
struct Part {
    line: u32,
    is_reached: Option<bool>,
    is_end: bool,
}

/// Control goes from one part to another.
struct Way {
    from: usize,
    to: usize,
    label: String,
    is_reached: Option<bool>,
}

/// A function as parts of lines.
struct Lines<'a> {
    function: &'a Function,
    file: &'a str,
    parts: Vec<Part>,
    ways: Vec<Way>,
    /// Where it begins.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(
        program: &'a Program,
        id: FuncId,
        function: &'a Function,
        coverage: Option<&Coverage>,
        text: &dyn Fn(&str, u32) -> Option<String>,
    ) -> Self {
        let file = program.files.get(function.loc.file).map_or("", String::as_str);
        let mut lines = Lines { function, file, parts: Vec::new(), ways: Vec::new(), starts: Vec::new() };
        let mut in_block: Vec<Vec<usize>> = Vec::new();
        for (block, data) in function.blocks.iter_enumerated() {
            let is_done = coverage.map(|coverage| coverage.blocks.contains(&(id, block)));
            let is_begun = coverage.map(|coverage| {
                let enters = |(function, _, to): &(FuncId, BlockId, BlockId)| *function == id && *to == block;
                (block.index() == 0 && coverage.functions.contains(&id)) || coverage.jumps.iter().any(enters)
            });
            let stmts = data.stmts.iter().map(|stmt| stmt.loc);
            // Jumps alone have no line worth showing.
            let end = (!matches!(data.terminator, Terminator::Goto(_))).then_some(data.loc);
            let mut own: Vec<usize> = Vec::new();
            let says_something = |line| {
                text(file, line)
                    .is_none_or(|text| !text.chars().all(|letter| "{};".contains(letter) || letter.is_whitespace()))
            };
            let own_locs = stmts.chain(end).filter(|loc| loc.line != 0 && loc.file == function.loc.file);
            for loc in own_locs.filter(|loc| says_something(loc.line)) {
                if own.last().is_some_and(|last| lines.parts[*last].line == loc.line) {
                    continue;
                }
                // A block that something stopped in was reached as far as its lines were.
                let is_seen = coverage.is_some_and(|coverage| coverage.lines.contains(&(loc.file, loc.line)));
                let is_reached = is_done.map(|is_done| is_done || (is_seen && is_begun == Some(true)));
                if let Some(last) = own.last() {
                    lines.ways.push(Way { from: *last, to: lines.parts.len(), label: String::new(), is_reached });
                }
                own.push(lines.parts.len());
                lines.parts.push(Part { line: loc.line, is_reached, is_end: false });
            }
            if let (Some(last), []) = (own.last(), successors(&data.terminator).as_slice()) {
                lines.parts[*last].is_end = true;
            }
            in_block.push(own);
        }
        lines.connect(id, &in_block, coverage);
        lines
    }

    /// Finds the ways between blocks, through those that have no line.
    fn connect(&mut self, id: FuncId, in_block: &[Vec<usize>], coverage: Option<&Coverage>) {
        for (block, data) in self.function.blocks.iter_enumerated() {
            let Some(last) = in_block[block.index()].last() else { continue };
            for (next, label) in successors(&data.terminator) {
                let mut seen = BTreeSet::new();
                let taken = |from, to| coverage.map(|coverage| coverage.jumps.contains(&(id, from, to)));
                let mut waiting = vec![(next, taken(block, next))];
                while let Some((at, is_reached)) = waiting.pop() {
                    if !seen.insert(at) {
                        continue;
                    }
                    if let Some(first) = in_block[at.index()].first() {
                        self.ways.push(Way { from: *last, to: *first, label: label.clone(), is_reached });
                        continue;
                    }
                    for (further, _) in successors(&self.function.blocks[at].terminator) {
                        let both = is_reached.zip(taken(at, further)).map(|(one, other)| one && other);
                        waiting.push((further, both));
                    }
                }
            }
        }
        let mut waiting = vec![BlockId::from_index(0)];
        let mut seen = BTreeSet::new();
        while let Some(at) = waiting.pop() {
            match in_block[at.index()].first() {
                _ if !seen.insert(at) => {}
                Some(first) => self.starts.push(*first),
                None => {
                    let next = successors(&self.function.blocks[at].terminator);
                    waiting.extend(next.into_iter().map(|(block, _)| block));
                }
            }
        }
    }

    fn graph(self, text: &dyn Fn(&str, u32) -> Option<String>) -> FlowGraph {
        let class = self.classes();
        let mut nodes: BTreeMap<usize, FlowNode> = BTreeMap::new();
        for (part, class) in self.parts.iter().zip(&class) {
            let node = nodes.entry(*class).or_insert_with(|| {
                let text = text(self.file, part.line).unwrap_or_default().trim().to_owned();
                FlowNode { lines: vec![(part.line, text)], is_reached: part.is_reached, ..FlowNode::default() }
            });
            node.is_reached = node.is_reached.zip(part.is_reached).map(|(one, other)| one || other);
            node.is_end |= part.is_end;
        }
        let mut edges: BTreeMap<(usize, usize, String), Option<bool>> = BTreeMap::new();
        for way in &self.ways {
            let (from, to) = (class[way.from], class[way.to]);
            if from != to {
                let known = edges.entry((from, to, way.label.clone())).or_insert(way.is_reached);
                *known = known.zip(way.is_reached).map(|(one, other)| one || other);
            }
        }
        let start = self.starts.first().map(|part| class[*part]);
        let mut flow = Flow { nodes, edges, start };
        flow.drop_unreachable();
        flow.join_lines();
        flow.finish(format!("{}()", self.function.source_name))
    }

    /// Parts of one line that follow each other are one.
    fn classes(&self) -> Vec<usize> {
        let mut class: Vec<usize> = (0..self.parts.len()).collect();
        fn root(class: &mut [usize], mut at: usize) -> usize {
            while class[at] != at {
                class[at] = class[class[at]];
                at = class[at];
            }
            at
        }
        for way in &self.ways {
            if self.parts[way.from].line == self.parts[way.to].line {
                let (one, other) = (root(&mut class, way.from), root(&mut class, way.to));
                class[one.max(other)] = one.min(other);
            }
        }
        (0..class.len()).map(|at| root(&mut class, at)).collect()
    }
}

/// A graph while it is made smaller.
struct Flow {
    nodes: BTreeMap<usize, FlowNode>,
    edges: BTreeMap<(usize, usize, String), Option<bool>>,
    start: Option<usize>,
}

impl Flow {
    fn after(&self, node: usize) -> BTreeSet<usize> {
        self.edges.keys().filter(|(from, _, _)| *from == node).map(|(_, to, _)| *to).collect()
    }

    fn before(&self, node: usize) -> BTreeSet<usize> {
        self.edges.keys().filter(|(_, to, _)| *to == node).map(|(from, _, _)| *from).collect()
    }

    /// Lowering leaves blocks behind that nothing leads to, such as the end of a function behind its `return`.
    fn drop_unreachable(&mut self) {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<usize> = self.start.into_iter().collect();
        while let Some(node) = waiting.pop() {
            if seen.insert(node) {
                waiting.extend(self.after(node));
            }
        }
        self.nodes.retain(|node, _| seen.contains(node));
        self.edges.retain(|(from, to, _), _| seen.contains(from) && seen.contains(to));
    }

    /// Lines that always follow each other are one node.
    fn join_lines(&mut self) {
        let mut waiting: Vec<usize> = self.nodes.keys().copied().collect();
        while let Some(node) = waiting.pop() {
            let Some(kept) = self.nodes.get(&node) else { continue };
            let after = self.after(node);
            let (Some(next), 1) = (after.first().copied(), after.len()) else { continue };
            let is_only = next != node && Some(next) != self.start && self.before(next).len() == 1;
            let is_alike = self.nodes.get(&next).is_some_and(|other| other.is_reached == kept.is_reached);
            let is_plain = self.edges.contains_key(&(node, next, String::new()));
            if !is_only || !is_alike || !is_plain {
                continue;
            }
            let Some(joined) = self.nodes.remove(&next) else { continue };
            let own: Vec<_> = self.edges.extract_if(.., |(from, _, _), _| *from == node || *from == next).collect();
            for ((from, to, label), is_reached) in own.into_iter().filter(|((from, _, _), _)| *from == next) {
                debug_assert_eq!(from, next, "only what leaves the second node should stay");
                self.edges.insert((node, to, label), is_reached);
            }
            if let Some(kept) = self.nodes.get_mut(&node) {
                kept.lines.extend(joined.lines);
                kept.is_end |= joined.is_end;
            }
            waiting.push(node);
        }
    }

    fn finish(self, name: String) -> FlowGraph {
        let rank = |node: usize| (Some(node) != self.start, self.nodes[&node].lines.first().map(|line| line.0), node);
        let mut order: Vec<usize> = self.nodes.keys().copied().collect();
        order.sort_by_key(|node| rank(*node));
        let place: BTreeMap<usize, usize> = order.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let mut edges: Vec<FlowEdge> = self
            .edges
            .iter()
            .map(|((from, to, label), is_reached)| FlowEdge {
                from: place[from],
                to: place[to],
                label: label.clone(),
                is_reached: *is_reached,
            })
            .collect();
        edges.sort_by_key(|edge| (edge.from, edge.to));
        FlowGraph { name, nodes: order.iter().map(|node| self.nodes[node].clone()).collect(), edges }
    }
}

/// Where a block can go on, and when if that has a name.
fn successors(terminator: &Terminator) -> Vec<(BlockId, String)> {
    let plain = |block: &BlockId| (*block, String::new());
    match terminator {
        Terminator::Goto(block) => vec![plain(block)],
        Terminator::Branch { then, otherwise, .. } => vec![plain(then), plain(otherwise)],
        Terminator::Switch { cases, default, .. } => {
            let cases = cases.iter().map(|(low, high, block)| {
                (*block, if low == high { format!("{low}") } else { format!("{low} .. {high}") })
            });
            cases.chain([(*default, "default".to_owned())]).collect()
        }
        Terminator::IndirectGoto { targets, .. } => targets.iter().map(plain).collect(),
        Terminator::Return(_) | Terminator::Exit { .. } | Terminator::EndThread | Terminator::Unreachable => Vec::new(),
    }
}
