//! Loop iteration counts, counted as users count: since the loop was entered.
//!
//! Every activation counts on its own, and arriving at the head of a loop forgets the loops inside it. So the
//! loop with the highest count is the one that does not end, not a loop inside it.

use std::collections::HashMap;
use std::rc::Rc;

use unpick_program::analysis::Analyses;
use unpick_program::{BlockId, FuncId, Loc, Program};
use unpick_system::{HotLoop, Site};

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
    pub(crate) fn pass(&mut self, analyses: &Analyses<'_>, thread: usize, function: FuncId, head: BlockId) {
        let thread = self.of(thread);
        thread.list();
        let Some(at) = thread.position(function, head) else {
            let first = thread.first() as u32;
            return thread.counts.push(Count { depth: thread.depth, first, function, head, count: 1 });
        };
        thread.counts[at].count += 1;
        // Loops inside this one were met after it.
        if at + 1 < thread.counts.len() {
            let forest = analyses.loops(function);
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
        let (loc, function, n_iterations) = self.most_rounds(program)?;
        let function = program.functions[function].source_name.clone();
        Some(HotLoop { site: Site::new(program, loc), function, n_iterations })
    }

    /// Where it is.
    pub(crate) fn hottest_loc(&self, program: &Program) -> Option<Loc> {
        self.most_rounds(program).map(|(loc, ..)| loc)
    }

    fn most_rounds(&self, program: &Program) -> Option<(Loc, FuncId, u64)> {
        let counts = self.threads.iter().flat_map(|thread| &thread.counts);
        let all = counts.map(|count| (count.function, count.head, count.count));
        let came_round = all.filter(|(_, _, count)| *count > 1);
        let rank = |(function, _, count): &(FuncId, BlockId, u64)| (!program.functions[*function].is_model, *count);
        let (function, block, count) = came_round.max_by_key(rank)?;
        let body = &program.functions[function];
        let loc = body.blocks[block].loop_head.unwrap_or(body.blocks[block].loc);
        Some((loc, function, count - 1))
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

#[cfg(test)]
mod tests {
    use unpick_program::text;

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
        let (mut loops, analyses) = (Loops::default(), Analyses::new(&program));
        for (function, head) in [small, large, small, large] {
            loops.pass(&analyses, 0, function, head);
        }
        assert_eq!((loops.count(0, small.0, small.1), loops.count(0, large.0, large.1)), (2, 1));
    }
}
