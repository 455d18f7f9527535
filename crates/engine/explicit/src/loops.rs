//! How often each loop has come round, counted as users count: since the loop was entered.
//!
//! Every activation counts on its own, and arriving at the head of a loop forgets the loops inside it. So the
//! loop with the highest count is the one that does not end, not one that it runs again and again.

use std::collections::HashMap;
use std::rc::Rc;

use unpick_base::id::Id;
use unpick_ir::{BlockId, FuncId, Function, Program, Terminator};
use unpick_system::HotLoop;

/// Counts along one execution. Copies, made where it branches, share what has not changed since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    threads: Rc<Vec<Rc<ThreadLoops>>>,
}

/// Counts of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadLoops {
    /// Activations entered since the start.
    depth: u32,
    /// Heads met by each activation, in the order first met; outermost activations first.
    counts: Vec<Count>,
}

/// Arrivals at a head.
#[derive(Clone, Copy, Debug)]
struct Count {
    depth: u32,
    function: FuncId,
    head: BlockId,
    count: u64,
}

/// Which loop heads lie inside which loops, found when first needed.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    inner: HashMap<(FuncId, BlockId), Vec<BlockId>>,
}

impl Loops {
    fn of(&mut self, thread: usize) -> &mut ThreadLoops {
        let threads = Rc::make_mut(&mut self.threads);
        if threads.len() <= thread {
            threads.resize_with(thread + 1, Rc::default);
        }
        Rc::make_mut(&mut threads[thread])
    }

    /// A function was entered.
    pub(crate) fn enter(&mut self, thread: usize) {
        self.of(thread).depth += 1;
    }

    /// A function is left.
    pub(crate) fn leave(&mut self, thread: usize) {
        let thread = self.of(thread);
        while thread.counts.pop_if(|last| last.depth == thread.depth).is_some() {}
        thread.depth = thread.depth.saturating_sub(1);
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
        let thread = self.of(thread);
        let first = thread.first();
        match thread.counts[first..].iter_mut().find(|count| count.head == head) {
            Some(count) => count.count += 1,
            None => thread.counts.push(Count { depth: thread.depth, function, head, count: 1 }),
        }
        if thread.counts.len() > first + 1 {
            let inner = nesting.inner(program, function, head);
            let depth = thread.depth;
            thread.counts.retain(|count| count.depth != depth || !inner.contains(&count.head));
        }
    }

    /// How often the running activation has passed a head.
    pub(crate) fn count(&self, thread: usize, head: BlockId) -> u64 {
        let Some(thread) = self.threads.get(thread) else { return 0 };
        thread.counts[thread.first()..].iter().find(|count| count.head == head).map_or(0, |count| count.count)
    }

    /// The loop that has come round most often; one of the user's own, if there is any.
    pub(crate) fn hottest(&self, program: &Program) -> Option<HotLoop> {
        let counts = self.threads.iter().flat_map(|thread| &thread.counts);
        let all = counts.map(|count| (count.function, count.head, count.count));
        let came_round = all.filter(|(_, _, count)| *count > 1);
        let rank = |(function, _, count): &(FuncId, BlockId, u64)| (!program.functions[*function].is_model, *count);
        let (function, block, count) = came_round.max_by_key(rank)?;
        let body = &program.functions[function];
        let loc = body.blocks[block].loop_head.unwrap_or(body.blocks[block].loc);
        Some(HotLoop { loc, function: body.source_name.clone(), n_iterations: count - 1 })
    }
}

impl ThreadLoops {
    /// Where the counts of the running activation begin.
    fn first(&self) -> usize {
        self.counts.iter().rposition(|count| count.depth != self.depth).map_or(0, |at| at + 1)
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
