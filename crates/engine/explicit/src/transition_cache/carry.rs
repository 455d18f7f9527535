//! From the interpreter to cached steps: what a depth-first search has found is kept.
//!
//! The states met so far form a tree, in which each was reached by one step of a thread from its parent. The same steps,
//! looked up, lead to their vectors. Summaries are about effects of steps, which have the same numbers in both searches.

use unpick_program::interp::Refused;
use unpick_store::{Seen, StateId};

use super::cache::{After, NONE};
use super::{CachedThreads, Lookup, Vector};
use crate::dfs::{Dfs, Logged, Node};
use crate::search::Search;

impl<'p> Search<'p> {
    /// The search so far with vectors as states; `None` if it has to start over.
    pub(super) fn carried(
        &mut self,
        lookup: &mut Lookup<'p>,
        first: &[u32],
    ) -> Result<Option<Dfs<Vector, ()>>, Refused> {
        let Some(mut dfs) = self.dfs.take() else { return Ok(None) };
        // The log is read once; the search that may have to go on later needs it no more.
        let carried = match dfs.log.take() {
            Some(log) => CachedThreads { search: self, lookup }.carry(&dfs, &log, first),
            None => Ok(None),
        };
        self.dfs = Some(dfs);
        carried
    }
}

impl CachedThreads<'_, '_> {
    fn carry<S, P>(
        &mut self,
        dfs: &Dfs<S, P>,
        log: &[Logged],
        first: &[u32],
    ) -> Result<Option<Dfs<Vector, ()>>, Refused> {
        self.lookup.next.clear();
        self.lookup.next.extend_from_slice(first);
        let mut numbers = vec![(self.search.visited.first, self.store()?.id())];
        // The vectors on the way, each with its place in `numbers`.
        let mut trail = vec![(Vector::new(first.to_vec(), Vec::new()), 0)];
        for Logged { id, depth, thread } in log {
            trail.truncate(*depth);
            let Some((parent, _)) = trail.last_mut() else { return Ok(None) };
            let Some(new) = self.step(parent, *thread)? else { return Ok(None) };
            trail.push((Vector::new(self.lookup.next.clone(), Vec::new()), numbers.len()));
            numbers.push((*id, new));
        }
        let mut stack: Vec<Node<Vector>> = Vec::new();
        for (node, (mut at, number)) in dfs.stack.iter().zip(trail) {
            let (old, new) = numbers[number];
            let Some(backtrack) = node.backtrack.as_ref().filter(|_| node.id == old) else { return Ok(None) };
            let n_threads = self.lookup.cache.parts.n_threads(&at.numbers);
            at.transitions = self.transitions(&at.numbers, n_threads)?;
            let can_go = |transition: &u32| {
                *transition != NONE && !self.lookup.cache.transition(*transition).outcomes.is_empty()
            };
            let n_enabled = at.transitions.iter().filter(|transition| can_go(transition)).count();
            if n_enabled != backtrack.enabled.len()
                || !backtrack.enabled.iter().all(|one| can_go(&at.transitions[*one]))
            {
                return Ok(None);
            }
            if let Some(thread) = backtrack.taken() {
                (at.thread, at.running, at.outcome) = (thread, at.transitions[thread], 1);
            }
            stack.push(node.with(at, new));
        }
        if stack.len() < dfs.stack.len() {
            return Ok(None);
        }
        Ok(Some(Dfs::standing(stack, dfs.summaries.renumbered(&numbers))))
    }

    /// Stores the vector that the only outcome of a thread's step leads to.
    fn step(&mut self, from: &mut Vector, thread: usize) -> Result<Option<StateId>, Refused> {
        let head = self.lookup.cache.head(&from.numbers);
        let running = self.transition(&from.numbers, head, thread)?;
        if running == NONE {
            return Ok(None);
        }
        match &self.lookup.cache.transition(running).outcomes[..] {
            [outcome] if outcome.after == After::Going => {}
            _several_or_none => return Ok(None),
        }
        (from.thread, from.running, from.outcome) = (thread, running, 1);
        self.apply(from)?;
        match self.store()? {
            Seen::Fresh(id) => Ok(Some(id)),
            Seen::Known(_) => Ok(None),
        }
    }
}
