//! Dominators, post-dominators and control dependence.
//!
//! Trees of immediate dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm",
//! 2001): blocks in reverse postorder, the two-finger intersection, until nothing changes. Lengauer and Tarjan would be
//! asymptotically faster, but functions are small and nearly always reducible, where one round is enough. Queries are
//! answered by numbering each tree, so that descendants have a range of numbers.
//!
//! Post-dominators need an end that every block reaches. Blocks of an endless loop reach none, so the first block (by
//! number) that does not reach the end is given an edge to it, until all do. Control dependence after Ferrante,
//! Ottenstein and Warren (1987).

use unpick_base::IdVec;
use unpick_base::id::Id as _;

use crate::visit::successors;
use crate::{BlockId, Function};

/// Which blocks lie on every path from the entry to a block.
#[derive(Debug)]
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    /// Of a function with at least one block.
    pub fn new(function: &Function) -> Self {
        let next = edges(function);
        Self { tree: Tree::new(&reversed(&next), &next, 0) }
    }

    /// The closest other block on every path from the entry; none for the entry and for unreachable blocks.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block.index()).map(BlockId::from_index)
    }

    /// Whether every path from the entry to `below` passes `above`. Each reachable block dominates itself; unreachable
    /// blocks neither dominate nor are dominated.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        self.tree.is_below(below.index(), above.index())
    }

    /// Whether a path leads from the entry to a block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.tree.is_below(block.index(), block.index())
    }
}

/// Which blocks lie on every path from a block to the end of the function.
#[derive(Debug)]
pub struct PostDominators {
    tree: Tree,
    /// Stands for the end of the function.
    end: usize,
    /// The graph with its edges to the end.
    next: Vec<Vec<usize>>,
}

impl PostDominators {
    /// Of a function with at least one block.
    pub fn new(function: &Function) -> Self {
        let mut next = edges(function);
        let end = next.len();
        next.iter_mut().filter(|targets| targets.is_empty()).for_each(|targets| targets.push(end));
        next.push(Vec::new());
        let before = reversed(&next);
        let mut reaches_end = vec![false; next.len()];
        flood(end, &before, &mut reaches_end);
        for block in 0..end {
            if !reaches_end[block] {
                next[block].push(end);
                flood(block, &before, &mut reaches_end);
            }
        }
        let before = reversed(&next);
        Self { tree: Tree::new(&next, &before, end), end, next }
    }

    /// The closest other block on every path to the end; none if that is the end itself.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block.index()).filter(|parent| *parent != self.end).map(BlockId::from_index)
    }

    /// Whether every path from `before` to the end passes `after`. Each block post-dominates itself.
    pub fn post_dominates(&self, after: BlockId, before: BlockId) -> bool {
        self.tree.is_below(before.index(), after.index())
    }

    /// For each block the branches it is control dependent on: one way from the branch always leads to the block, and
    /// another one need not.
    pub fn control_dependences(&self) -> IdVec<BlockId, Vec<BlockId>> {
        let mut dependences: IdVec<BlockId, Vec<BlockId>> = (0..self.end).map(|_| Vec::new()).collect();
        for (branch, targets) in self.next.iter().enumerate().filter(|(_, targets)| targets.len() > 1) {
            let stop = self.tree.parent(branch);
            for target in targets {
                let mut at = Some(*target);
                while let Some(block) = at.filter(|block| Some(*block) != stop && *block != self.end) {
                    let branches = &mut dependences[BlockId::from_index(block)];
                    if branches.last() != Some(&BlockId::from_index(branch)) {
                        branches.push(BlockId::from_index(branch));
                    }
                    at = self.tree.parent(block);
                }
            }
        }
        dependences
    }
}

/// Successors of each block, each once, ascending.
fn edges(function: &Function) -> Vec<Vec<usize>> {
    let targets = |block: &crate::Block| {
        let mut targets = Vec::new();
        successors(&block.terminator, |target| targets.push(target.index()));
        targets.sort_unstable();
        targets.dedup();
        targets
    };
    function.blocks.iter().map(targets).collect()
}

fn reversed(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); next.len()];
    for (from, targets) in next.iter().enumerate() {
        targets.iter().for_each(|target| before[*target].push(from));
    }
    before
}

/// Marks everything that is reached from a node and was not marked before.
fn flood(from: usize, next: &[Vec<usize>], is_marked: &mut [bool]) {
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut is_marked[node], true) {
            open.extend(&next[node]);
        }
    }
}

/// A tree of immediate dominators over a graph with a root.
#[derive(Debug)]
struct Tree {
    /// `usize::MAX` for the root and for nodes that are not reached from it.
    parents: Vec<usize>,
    /// For each node the numbers of its first and last descendant; empty where it is not reached.
    ranges: Vec<(u32, u32)>,
}

impl Tree {
    /// `before` are the edges towards the root, `next` those away from it.
    fn new(before: &[Vec<usize>], next: &[Vec<usize>], root: usize) -> Self {
        let order = reverse_postorder(next, root);
        let mut ranks = vec![usize::MAX; next.len()];
        order.iter().enumerate().for_each(|(rank, node)| ranks[*node] = rank);
        let mut parents = vec![usize::MAX; next.len()];
        parents[root] = root;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for node in &order[1..] {
                let known = before[*node].iter().copied().filter(|source| parents[*source] != usize::MAX);
                let met = known.reduce(|left, right| intersect(&parents, &ranks, left, right));
                if let Some(met) = met.filter(|met| parents[*node] != *met) {
                    parents[*node] = met;
                    has_changed = true;
                }
            }
        }
        parents[root] = usize::MAX;
        let ranges = ranges(&parents, &order);
        Self { parents, ranges }
    }

    fn parent(&self, node: usize) -> Option<usize> {
        Some(self.parents[node]).filter(|parent| *parent != usize::MAX)
    }

    /// Whether a node is another one or hangs below it.
    fn is_below(&self, node: usize, above: usize) -> bool {
        let ((from, to), (at, end)) = (self.ranges[above], self.ranges[node]);
        from < to && at < end && from <= at && at < to
    }
}

fn intersect(parents: &[usize], ranks: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        if ranks[left] > ranks[right] {
            left = parents[left];
        } else {
            right = parents[right];
        }
    }
    left
}

fn reverse_postorder(next: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut is_seen = vec![false; next.len()];
    let mut order = Vec::new();
    let mut open = vec![(root, 0)];
    is_seen[root] = true;
    while let Some((node, at)) = open.pop() {
        match next[node].get(at) {
            Some(target) => {
                open.push((node, at + 1));
                if !std::mem::replace(&mut is_seen[*target], true) {
                    open.push((*target, 0));
                }
            }
            None => order.push(node),
        }
    }
    order.reverse();
    order
}

/// Numbers a tree in preorder. In `order` parents come before their children.
fn ranges(parents: &[usize], order: &[usize]) -> Vec<(u32, u32)> {
    let mut sizes = vec![0u32; parents.len()];
    for node in order.iter().rev() {
        sizes[*node] += 1;
        if let Some(size) = sizes.get(parents[*node]).copied() {
            sizes[parents[*node]] = size + sizes[*node];
        }
    }
    // The next free number below each node.
    let mut free = vec![0u32; parents.len()];
    let mut ranges = vec![(0, 0); parents.len()];
    for node in order {
        let from = match free.get_mut(parents[*node]) {
            Some(free) => {
                let from = *free;
                *free += sizes[*node];
                from
            }
            None => 0,
        };
        ranges[*node] = (from, from + sizes[*node]);
        free[*node] = from + 1;
    }
    ranges
}
