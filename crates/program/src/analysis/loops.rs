//! Loop forest: the natural loops of a function and how they nest (Havlak, "Nesting of Reducible and Irreducible Loops",
//! 1997).
//!
//! A depth-first walk from the entry makes some edges back edges: those to a block that is still on the walk's stack.
//! The target of a back edge is the head of a loop. The loop holds the blocks that the walk met below its head and from
//! which control comes back to the head without leaving what lies below it. Such loops are nested or disjoint, also
//! where a loop can be entered beside its head (irreducible control flow); there the head is the block that the walk
//! met first.
//!
//! Found in one walk for all loops together, because functions can have thousands. Statement shapes of the source and
//! the marks of [`crate::Block::loop_head`] play no part.

use unpick_base::id::Id as _;
use unpick_base::{IdVec, define_id};

use crate::{BlockId, Function, visit};

define_id! {
    /// A loop of one function; outer loops have smaller numbers than the loops inside them.
    pub struct LoopId("loop");
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Where it begins.
    pub head: BlockId,
    /// The smallest loop around it.
    pub parent: Option<LoopId>,
    /// How many loops it lies in, itself included.
    pub depth: u32,
    /// Blocks that lead back to the head, ascending.
    pub back_edges: Vec<BlockId>,
    /// Edges from a block of the loop to one outside, in order of the blocks.
    pub exits: Vec<(BlockId, BlockId)>,
    /// Edges from outside to a block of the loop that is not its head; none in reducible control flow.
    pub side_entries: Vec<(BlockId, BlockId)>,
}

/// The loops of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopForest {
    loops: IdVec<LoopId, Loop>,
    /// For each block the smallest loop it lies in; a head lies in its own.
    innermost: IdVec<BlockId, Option<LoopId>>,
    /// For each loop the last one inside it, or itself.
    last_inside: IdVec<LoopId, LoopId>,
}

impl LoopForest {
    /// Of a function with at least one block.
    pub fn new(function: &Function) -> Self {
        let walk = Walk::new(function);
        let heads = enclosing_heads(&walk);
        let mut forest = LoopForest {
            loops: IdVec::new(),
            innermost: function.blocks.iter().map(|_| None).collect(),
            last_inside: IdVec::new(),
        };
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); heads.len()];
        let mut open = Vec::new();
        for head in walk.order.iter().rev().copied().filter(|block| walk.back_edges(*block).next().is_some()) {
            match heads[head] {
                Some(around) => inside[around].push(head),
                None => open.push((head, None)),
            }
        }
        // Loops inside a loop follow it at once, so that they have a range of numbers.
        while let Some((head, parent)) = open.pop() {
            let id = forest.add(&walk, head, parent);
            open.extend(inside[head].iter().map(|head| (*head, Some(id))));
        }
        for block in walk.order.iter().copied() {
            let head = heads[block].map(BlockId::from_index);
            let around = head.and_then(|head| forest.innermost[head]);
            let innermost = &mut forest.innermost[BlockId::from_index(block)];
            *innermost = innermost.or(around);
        }
        for id in forest.loops.ids().rev() {
            if let Some(parent) = forest.loops[id].parent {
                forest.last_inside[parent] = forest.last_inside[id].max(forest.last_inside[parent]);
            }
        }
        forest.find_crossings(&walk);
        forest
    }

    fn add(&mut self, walk: &Walk, head: usize, parent: Option<LoopId>) -> LoopId {
        let mut back_edges: Vec<BlockId> = walk.back_edges(head).map(BlockId::from_index).collect();
        back_edges.sort_unstable();
        let head = BlockId::from_index(head);
        let depth = parent.map_or(0, |parent| self.loops[parent].depth) + 1;
        let (exits, side_entries) = (Vec::new(), Vec::new());
        let id = self.loops.push(Loop { head, parent, depth, back_edges, exits, side_entries });
        self.last_inside.push(id);
        self.innermost[head] = Some(id);
        id
    }

    /// All loops, outer ones before those inside them.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter_enumerated()
    }

    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there is no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    /// The smallest loop that a block lies in; for a head its own.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block]
    }

    /// The loop of a head.
    pub fn of_head(&self, head: BlockId) -> Option<LoopId> {
        self.innermost[head].filter(|id| self.loops[*id].head == head)
    }

    /// Whether a block lies in a loop.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        self.innermost[block].is_some_and(|inner| id <= inner && inner <= self.last_inside[id])
    }

    /// Whether a block other than the head lies in the loop of a head.
    pub fn is_inside(&self, block: BlockId, head: BlockId) -> bool {
        block != head && self.of_head(head).is_some_and(|id| self.contains(id, block))
    }

    /// A loop as people read it: `loop 3 of f at head b5`.
    pub fn name(&self, function: &Function, id: LoopId) -> String {
        format!("loop {} of {} at head {:?}", id.0, function.name, self.loops[id].head)
    }

    /// Lists the edges that leave loops, and those that enter them beside their heads.
    fn find_crossings(&mut self, walk: &Walk) {
        for from in (0..walk.successors.len()).filter(|block| walk.is_met(*block)) {
            for to in &walk.successors[from] {
                let edge = (BlockId::from_index(from), BlockId::from_index(*to));
                self.cross(edge, edge.0, edge.1, |left| &mut left.exits);
                self.cross(edge, edge.1, edge.0, |entered| &mut entered.side_entries);
            }
        }
    }

    /// Adds an edge to the lists of the loops that hold one of its ends and not the other.
    fn cross(
        &mut self,
        edge: (BlockId, BlockId),
        inside: BlockId,
        outside: BlockId,
        list: fn(&mut Loop) -> &mut Vec<(BlockId, BlockId)>,
    ) {
        let mut at = self.innermost[inside];
        while let Some(id) = at.filter(|id| !self.contains(*id, outside)) {
            at = self.loops[id].parent;
            let is_at_head = inside == edge.1 && self.loops[id].head == inside;
            if !is_at_head {
                list(&mut self.loops[id]).push(edge);
            }
        }
    }
}

/// For each block the head of the smallest loop around it, its own loop not counted.
fn enclosing_heads(walk: &Walk) -> Vec<Option<usize>> {
    let n_blocks = walk.successors.len();
    // Blocks are merged into the head of the largest loop found so far, inner loops first.
    let mut merged: Vec<usize> = (0..n_blocks).collect();
    let mut heads = vec![None; n_blocks];
    // What leads into a merged loop beside its head.
    let mut side_sources: Vec<Vec<usize>> = vec![Vec::new(); n_blocks];
    for head in walk.order.iter().rev().copied() {
        let mut body = Vec::new();
        let mut sources: Vec<usize> = walk.back_edges(head).collect();
        while let Some(source) = sources.pop() {
            let block = root(&mut merged, source);
            if block == head || heads[block].is_some() {
                continue;
            }
            if !walk.is_below(block, head) {
                side_sources[head].push(source);
                continue;
            }
            heads[block] = Some(head);
            body.push(block);
            // Ways back to the head of an inner loop stay in it.
            sources.extend(walk.predecessors[block].iter().filter(|source| !walk.is_below(**source, block)));
            sources.extend(std::mem::take(&mut side_sources[block]));
        }
        body.into_iter().for_each(|block| merged[block] = head);
    }
    heads
}

/// Where a block was merged into, with the way there shortened.
fn root(merged: &mut [usize], block: usize) -> usize {
    let mut end = block;
    while merged[end] != end {
        end = merged[end];
    }
    let mut at = block;
    while merged[at] != end {
        at = std::mem::replace(&mut merged[at], end);
    }
    end
}

/// A walk through the blocks, depth first from the entry, successors in order.
struct Walk {
    /// Blocks as they were met.
    order: Vec<usize>,
    /// When each block was met, and when the last one below it; blocks that were not met are below none.
    range: Vec<(u32, u32)>,
    successors: Vec<Vec<usize>>,
    /// Blocks that were met and lead here.
    predecessors: Vec<Vec<usize>>,
}

impl Walk {
    fn new(function: &Function) -> Self {
        let n_blocks = function.blocks.len();
        // Each target once; a switch may name one a thousand times.
        let mut last_source = vec![usize::MAX; n_blocks];
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); n_blocks];
        for (block, body) in function.blocks.iter().enumerate() {
            visit::successors(&body.terminator, |target| {
                if std::mem::replace(&mut last_source[target.index()], block) != block {
                    successors[block].push(target.index());
                }
            });
        }
        let predecessors = vec![Vec::new(); n_blocks];
        let mut walk = Walk { order: Vec::new(), range: vec![(u32::MAX, 0); n_blocks], successors, predecessors };
        walk.meet(0);
        let mut stack = vec![(0, 0)];
        while let Some((block, at)) = stack.pop() {
            let Some(next) = walk.successors[block].get(at).copied() else {
                walk.range[block].1 = walk.order.len() as u32;
                continue;
            };
            stack.push((block, at + 1));
            walk.predecessors[next].push(block);
            if !walk.is_met(next) {
                walk.meet(next);
                stack.push((next, 0));
            }
        }
        walk
    }

    fn meet(&mut self, block: usize) {
        self.order.push(block);
        self.range[block].0 = self.order.len() as u32;
    }

    fn is_met(&self, block: usize) -> bool {
        self.range[block].0 != u32::MAX
    }

    /// Whether a block is another or was met below it.
    fn is_below(&self, block: usize, above: usize) -> bool {
        let (from, to) = self.range[above];
        (from..=to).contains(&self.range[block].0)
    }

    /// Sources of back edges to a block.
    fn back_edges(&self, head: usize) -> impl Iterator<Item = usize> {
        self.predecessors[head].iter().copied().filter(move |source| self.is_below(*source, head))
    }
}
