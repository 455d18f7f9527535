//! How often each loop has come round, counted as users count: since the loop was entered.
//!
//! Every activation counts on its own, and arriving at the head of a loop forgets the loops inside it. So the
//! loop with the highest count is the one that does not end, not one that it runs again and again.

use std::collections::HashMap;

use unpick_base::id::Id;
use unpick_ir::{BlockId, FuncId, Function, Program, Terminator};
use unpick_system::HotLoop;

/// Counts along one execution; cloned where it branches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    threads: Vec<ThreadLoops>,
}

/// Counts of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadLoops {
    /// Activations entered since the start.
    depth: u32,
    /// Activations that have met a loop, outermost first.
    activations: Vec<Activation>,
}

#[derive(Clone, Debug)]
struct Activation {
    depth: u32,
    function: FuncId,
    /// Arrivals at heads, in the order first met.
    counts: Vec<(BlockId, u64)>,
}

/// Which loop heads lie inside which loops, found when first needed.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    inner: HashMap<(FuncId, BlockId), Vec<BlockId>>,
}

impl Loops {
    fn of(&mut self, thread: usize) -> &mut ThreadLoops {
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, ThreadLoops::default);
        }
        &mut self.threads[thread]
    }

    /// A function was entered.
    pub(crate) fn enter(&mut self, thread: usize) {
        self.of(thread).depth += 1;
    }

    /// A function is left.
    pub(crate) fn leave(&mut self, thread: usize) {
        let counts = self.of(thread);
        counts.activations.pop_if(|last| last.depth == counts.depth);
        counts.depth = counts.depth.saturating_sub(1);
    }

    /// Control passes a head.
    pub(crate) fn pass(
        &mut self,
        program: &Program,
        nesting: &mut Nesting,
        thread: usize,
        function: FuncId,
        head: BlockId,
    ) {
        let activation = self.of(thread).activation(function);
        match activation.counts.iter_mut().find(|(block, _)| *block == head) {
            Some((_, count)) => *count += 1,
            None => activation.counts.push((head, 1)),
        }
        if activation.counts.len() > 1 {
            let inner = nesting.inner(program, function, head);
            activation.counts.retain(|(block, _)| !inner.contains(block));
        }
    }

    /// How often the running activation has passed a head.
    pub(crate) fn count(&mut self, thread: usize, function: FuncId, head: BlockId) -> u64 {
        let counts = &self.of(thread).activation(function).counts;
        counts.iter().find(|(block, _)| *block == head).map_or(0, |(_, count)| *count)
    }

    /// The loop that has come round most often; one of the user's own, if there is any.
    pub(crate) fn hottest(&self, program: &Program) -> Option<HotLoop> {
        let activations = self.threads.iter().flat_map(|thread| &thread.activations);
        let all = activations.flat_map(|activation| {
            activation.counts.iter().map(|(block, count)| (activation.function, *block, *count))
        });
        let came_round = all.filter(|(_, _, count)| *count > 1);
        let rank = |(function, _, count): &(FuncId, BlockId, u64)| (!program.functions[*function].is_model, *count);
        let (function, block, count) = came_round.max_by_key(rank)?;
        let body = &program.functions[function];
        let loc = body.blocks[block].loop_head.unwrap_or(body.blocks[block].loc);
        Some(HotLoop { loc, function: body.source_name.clone(), n_iterations: count - 1 })
    }
}

impl ThreadLoops {
    fn activation(&mut self, function: FuncId) -> &mut Activation {
        let depth = self.depth;
        if self.activations.last().is_none_or(|last| last.depth != depth) {
            self.activations.push(Activation { depth, function, counts: Vec::new() });
        }
        self.activations.last_mut().expect("an activation should have been pushed")
    }
}

impl Nesting {
    fn inner(&mut self, program: &Program, function: FuncId, head: BlockId) -> &[BlockId] {
        self.inner.entry((function, head)).or_insert_with(|| inner_heads(&program.functions[function], head))
    }
}

/// Heads inside the natural loop of `head`: blocks that reach a back edge to it without passing it.
fn inner_heads(function: &Function, head: BlockId) -> Vec<BlockId> {
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for (block, data) in function.blocks.iter_enumerated() {
        for successor in successors(&data.terminator) {
            predecessors[successor.index()].push(block);
        }
    }
    let mut is_body = vec![false; function.blocks.len()];
    is_body[head.index()] = true;
    let mut pending = back_edges(function, head);
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut is_body[block.index()], true) {
            pending.extend(&predecessors[block.index()]);
        }
    }
    let is_inner =
        |block: &BlockId| *block != head && is_body[block.index()] && function.blocks[*block].loop_head.is_some();
    function.blocks.ids().filter(is_inner).collect()
}

/// Sources of edges to `head` from blocks that a depth-first walk meets below it.
fn back_edges(function: &Function, head: BlockId) -> Vec<BlockId> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut mark = vec![NEW; function.blocks.len()];
    let mut sources = Vec::new();
    let mut stack = vec![(BlockId::from_index(0), 0)];
    mark[0] = OPEN;
    while let Some((block, next)) = stack.last_mut() {
        let block = *block;
        let Some(successor) = successors(&function.blocks[block].terminator).get(*next).copied() else {
            mark[block.index()] = DONE;
            stack.pop();
            continue;
        };
        *next += 1;
        if successor == head && mark[head.index()] == OPEN {
            sources.push(block);
        }
        if mark[successor.index()] == NEW {
            mark[successor.index()] = OPEN;
            stack.push((successor, 0));
        }
    }
    sources
}

fn successors(terminator: &Terminator) -> Vec<BlockId> {
    match terminator {
        Terminator::Goto(block) => vec![*block],
        Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        Terminator::Switch { cases, default, .. } => {
            cases.iter().map(|(_, _, block)| *block).chain([*default]).collect()
        }
        Terminator::IndirectGoto { targets, .. } => targets.clone(),
        Terminator::Select { arms, otherwise } => arms.iter().copied().chain(*otherwise).collect(),
        Terminator::Return(_) | Terminator::Exit { .. } | Terminator::EndThread | Terminator::Unreachable => Vec::new(),
    }
}
