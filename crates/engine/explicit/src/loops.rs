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
    /// The thread is not followed further along this execution.
    is_cut: bool,
    /// Activations entered since the start.
    depth: u32,
    /// Heads met by each activation, in the order first met; outermost activations first.
    counts: Vec<Count>,
    /// Where the first `n_listed` counts are found, for activations that meet many heads.
    listed: HashMap<(u32, FuncId, BlockId), usize>,
    n_listed: usize,
}

/// So many counts are looked through one by one.
const FEW: usize = 64;

/// Arrivals at a head.
#[derive(Clone, Copy, Debug)]
struct Count {
    depth: u32,
    /// Where the counts of its activation begin.
    first: u32,
    function: FuncId,
    head: BlockId,
    count: u64,
}

/// Which loops lie inside which, found when first needed.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    forests: HashMap<FuncId, Forest>,
}

impl Loops {
    fn of(&mut self, thread: usize) -> &mut ThreadLoops {
        let threads = Rc::make_mut(&mut self.threads);
        if threads.len() <= thread {
            threads.resize_with(thread + 1, Rc::default);
        }
        Rc::make_mut(&mut threads[thread])
    }

    /// The thread is not followed further: not because of the state, which can be met again with other counts.
    pub(crate) fn cut(&mut self, thread: usize) {
        self.of(thread).is_cut = true;
    }

    /// Threads that are not followed further.
    pub(crate) fn cut_threads(&self) -> impl Iterator<Item = usize> {
        let threads = self.threads.iter().enumerate();
        threads.filter(|(_, loops)| loops.is_cut).map(|(thread, _)| thread)
    }

    /// A function was entered.
    pub(crate) fn enter(&mut self, thread: usize) {
        self.of(thread).depth += 1;
    }

    /// A function is left.
    pub(crate) fn leave(&mut self, thread: usize) {
        let thread = self.of(thread);
        let first = thread.first();
        thread.counts.truncate(first);
        thread.forget_behind(first);
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
        thread.list();
        let Some(at) = thread.position(function, head) else {
            let first = thread.first() as u32;
            return thread.counts.push(Count { depth: thread.depth, first, function, head, count: 1 });
        };
        thread.counts[at].count += 1;
        // Loops inside this one were met after it.
        if at + 1 < thread.counts.len() {
            let forest = nesting.forest(program, function);
            let mut n_kept = at + 1;
            for next in at + 1..thread.counts.len() {
                let count = thread.counts[next];
                // A step that begins in the middle of a function finds the counts of another activation at its depth.
                if count.function == function && !forest.is_inside(count.head, head) {
                    thread.counts[n_kept] = count;
                    n_kept += 1;
                }
            }
            thread.counts.truncate(n_kept);
            thread.forget_behind(at + 1);
        }
    }

    /// How often the running activation has passed a head.
    pub(crate) fn count(&self, thread: usize, function: FuncId, head: BlockId) -> u64 {
        let Some(thread) = self.threads.get(thread) else { return 0 };
        thread.position(function, head).map_or(0, |at| thread.counts[at].count)
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
        match self.counts.last() {
            Some(last) if last.depth == self.depth => last.first as usize,
            Some(_) | None => self.counts.len(),
        }
    }

    /// Where the running activation counts a head. The loop that runs was met last, or nearly so.
    fn position(&self, function: FuncId, head: BlockId) -> Option<usize> {
        let first = self.first().max(self.n_listed);
        let is_it = |count: &Count| count.function == function && count.head == head;
        let recent = self.counts[first..].iter().rposition(is_it).map(|at| first + at);
        recent.or_else(|| self.listed.get(&(self.depth, function, head)).copied())
    }

    /// Lists the counts when there are many that are not.
    fn list(&mut self) {
        if self.counts.len() - self.n_listed <= FEW {
            return;
        }
        let new = self.counts.iter().enumerate().skip(self.n_listed);
        self.listed.extend(new.map(|(at, count)| ((count.depth, count.function, count.head), at)));
        self.n_listed = self.counts.len();
    }

    /// Counts from here on have gone or moved.
    fn forget_behind(&mut self, from: usize) {
        if from < self.n_listed {
            self.listed.retain(|_, at| *at < from);
            self.n_listed = from;
        }
    }
}

impl Nesting {
    fn forest(&mut self, program: &Program, function: FuncId) -> &Forest {
        self.forests.entry(function).or_insert_with(|| Forest::new(&program.functions[function]))
    }
}

/// The loops of a function (Havlak's loop nesting forest): a block lies in the innermost loop whose head it hangs below.
/// Found in one walk for all loops together, because functions can have thousands. A loop with a second way in is taken to
/// be what is reached from its head only.
#[derive(Debug)]
struct Forest {
    /// For each block, the numbers of its first and last descendant in a walk through the forest.
    range: Vec<(u32, u32)>,
}

impl Forest {
    fn new(function: &Function) -> Self {
        let n_blocks = function.blocks.len();
        let walk = Walk::new(function);
        // Blocks are merged into the head of the innermost loop found so far.
        let mut merged: Vec<usize> = (0..n_blocks).collect();
        let mut parent = vec![usize::MAX; n_blocks];
        for head in walk.order.iter().rev().copied() {
            let mut body = Vec::new();
            let is_new = |found: usize, body: &mut Vec<usize>, parent: &mut Vec<usize>| {
                if found != head && parent[found] == usize::MAX && walk.is_below(found, head) {
                    parent[found] = head;
                    body.push(found);
                }
            };
            for source in &walk.predecessors[head] {
                if walk.is_below(*source, head) {
                    let source = root(&mut merged, *source);
                    is_new(source, &mut body, &mut parent);
                }
            }
            let mut next = 0;
            while next < body.len() {
                let block = body[next];
                next += 1;
                for source in &walk.predecessors[block] {
                    // Ways back to the head of an inner loop stay in it.
                    if !walk.is_below(*source, block) {
                        let source = root(&mut merged, *source);
                        is_new(source, &mut body, &mut parent);
                    }
                }
            }
            body.into_iter().for_each(|block| merged[block] = head);
        }
        Self { range: ranges(&parent) }
    }

    /// Whether a head lies inside the loop of another.
    fn is_inside(&self, inner: BlockId, outer: BlockId) -> bool {
        let ((inner, _), (from, to)) = (self.range[inner.index()], self.range[outer.index()]);
        from < inner && inner <= to
    }
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

/// Numbers every tree from its root down, so that descendants have a range of numbers.
fn ranges(parent: &[usize]) -> Vec<(u32, u32)> {
    let mut children = vec![Vec::new(); parent.len()];
    let mut stack = Vec::new();
    for (block, above) in parent.iter().enumerate() {
        match children.get_mut(*above) {
            Some(siblings) => siblings.push(block),
            None => stack.push((block, 0)),
        }
    }
    let mut range = vec![(0, 0); parent.len()];
    let mut n_seen = 0;
    while let Some((block, next)) = stack.pop() {
        if next == 0 {
            n_seen += 1;
            range[block].0 = n_seen;
        }
        match children[block].get(next) {
            Some(child) => stack.extend([(block, next + 1), (*child, 0)]),
            None => range[block].1 = n_seen,
        }
    }
    range
}

/// A walk through the blocks, depth first from the entry.
struct Walk {
    /// Blocks as they were met.
    order: Vec<usize>,
    /// When each block was met, and when the last one below it; blocks that were not met are below none.
    range: Vec<(u32, u32)>,
    /// Blocks that were met and lead here.
    predecessors: Vec<Vec<usize>>,
}

impl Walk {
    fn new(function: &Function) -> Self {
        let n_blocks = function.blocks.len();
        let mut walk =
            Walk { order: Vec::new(), range: vec![(u32::MAX, 0); n_blocks], predecessors: vec![Vec::new(); n_blocks] };
        let mut stack = vec![walk.meet(function, 0)];
        while let Some((block, successors)) = stack.last_mut() {
            let Some(next) = successors.pop() else {
                walk.range[*block].1 = walk.order.len() as u32;
                stack.pop();
                continue;
            };
            walk.predecessors[next].push(*block);
            if walk.range[next].0 == u32::MAX {
                let met = walk.meet(function, next);
                stack.push(met);
            }
        }
        walk
    }

    /// Notes a block; the result is it and what it leads to, the first last.
    fn meet(&mut self, function: &Function, block: usize) -> (usize, Vec<usize>) {
        self.order.push(block);
        self.range[block].0 = self.order.len() as u32;
        let targets = successors(&function.blocks[BlockId::from_index(block)].terminator);
        (block, targets.into_iter().rev().map(Id::index).collect())
    }

    /// Whether a block is another or was met below it.
    fn is_below(&self, block: usize, above: usize) -> bool {
        let (from, to) = self.range[above];
        (from..=to).contains(&self.range[block].0)
    }
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

#[cfg(test)]
mod tests {
    use unpick_ir::text;

    use super::*;

    /// Steps that are looked up begin in the middle of functions, so one depth can have met the loops of several. A block
    /// of one function is no block of another, which may have fewer.
    #[test]
    fn loops_of_another_function_at_the_same_depth_are_forgotten() {
        let program = "pointer 8\nentry small\nfile 0 \"a.c\"\n\
            fn small() -> i32 @0:1:1 {\nb0:\n  goto b1\nb1: loop @2:1\n  goto b1\n}\n\
            fn large() @0:1:1 {\nb0:\n  goto b1\nb1:\n  goto b2\nb2:\n  goto b3\nb3: loop @3:1\n  goto b3\n}\n";
        let program = text::parse(program).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let functions: Vec<FuncId> = program.functions.iter_enumerated().map(|(id, _)| id).collect();
        let (small, large) = ((functions[0], BlockId(1)), (functions[1], BlockId(3)));
        let (mut loops, mut nesting) = (Loops::default(), Nesting::default());
        for (function, head) in [small, large, small, large] {
            loops.pass(&program, &mut nesting, 0, function, head);
        }
        assert_eq!((loops.count(0, small.0, small.1), loops.count(0, large.0, large.1)), (2, 1));
    }
}
