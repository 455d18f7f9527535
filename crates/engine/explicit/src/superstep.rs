//! Supersteps (Zaks and Joshi, SPIN 2008): a thread runs over several accesses as long as no other thread could observe
//! the difference.
//!
//! From a state, every thread that can move is followed, each by a sequence of steps of which only the last one may
//! conflict with what the others do from there; then some thread's whole sequence always comes before the others' last
//! steps, and the states in between need not be kept. The sequences depend on each other, so they are built one after
//! the other: a table holds what each thread touches, beginning with its next step, also if it has to wait for it. A
//! step that conflicts with a step in the middle of another sequence is not taken any more; one that conflicts with
//! the last step of another sequence is taken as the last. (The test of Zaks and Joshi
//! lets a conflict with a last step hide one with a middle step, and leaves waiting threads out; both lose states.)

use unpick_program::interp::Pending;

use crate::dpor::NextSteps;

/// Steps after which a sequence ends in any case, so that a thread that is on its own for ever meets itself.
const MAX_STEPS: usize = 100;

/// What the sequences from a state touch, by thread.
#[derive(Clone)]
pub(crate) struct Supersteps {
    table: Vec<Vec<Pending>>,
    /// The step at hand is the last one of its sequence.
    is_last: bool,
    /// A step of another sequence that races with the step at hand: the thread, and how many steps come before.
    rival: Option<(usize, usize)>,
}

enum Clash {
    /// With nothing, or only with steps that touch other memory.
    None,
    /// With the last step of another sequence.
    Last,
    /// With a step in the middle of another sequence.
    Middle,
}

impl Supersteps {
    pub(crate) fn new(next: &NextSteps) -> Self {
        let first = |waiting: &Option<std::rc::Rc<crate::dpor::NextStep>>| {
            waiting.iter().map(|waiting| waiting.pending.clone()).collect()
        };
        Self { table: next.iter().map(first).collect(), is_last: false, rival: None }
    }

    /// The sequence of a thread begins with its next step.
    pub(crate) fn begin(&mut self, thread: usize) {
        let Some(first) = self.table[thread].first().cloned() else { return };
        self.is_last = !matches!(self.clash(thread, &first), Clash::None);
    }

    /// Whether the thread's sequence goes on with what it would do next.
    pub(crate) fn goes_on(&mut self, thread: usize, next: &NextSteps) -> bool {
        // A thread that has just been started is in no table.
        let is_known = next.len() == self.table.len();
        if self.is_last || !is_known || self.table[thread].len() >= MAX_STEPS {
            return false;
        }
        let Some(waiting) = &next[thread] else { return false };
        if waiting.pending.is_open {
            // The others must have the chance to come first.
            return false;
        }
        match self.clash(thread, &waiting.pending) {
            Clash::Middle => return false,
            Clash::Last => self.is_last = true,
            Clash::None => {}
        }
        self.table[thread].push(waiting.pending.clone());
        true
    }

    /// A step of another sequence that races with the one at hand, or that the one at hand was stopped by: both are
    /// possible at once when the sequences have come that far, because what comes before commutes.
    pub(crate) fn take_rival(&mut self) -> Option<(usize, usize)> {
        self.rival.take()
    }

    /// How many steps the thread's sequence has so far.
    #[cfg(test)]
    pub(crate) fn len(&self, thread: usize) -> usize {
        self.table[thread].len()
    }

    fn clash(&mut self, thread: usize, pending: &Pending) -> Clash {
        let mut worst = Clash::None;
        let others = self.table.iter().enumerate().filter(|(other, _)| *other != thread);
        for (other, steps) in others {
            let is_clash =
                |step: &Pending| step.is_open || pending.is_open || step.footprint.conflicts(&pending.footprint);
            let clashing = steps.iter().enumerate().filter(|(_, step)| is_clash(step));
            for (at, step) in clashing {
                let is_access = step.may_race && pending.may_race;
                if is_access && !(step.is_atomic && pending.is_atomic) {
                    self.rival = Some((other, at));
                }
                match at + 1 < steps.len() {
                    true => worst = Clash::Middle,
                    false if matches!(worst, Clash::None) => worst = Clash::Last,
                    false => {}
                }
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use unpick_program::interp::{Machine, Options};
    use unpick_program::text;
    use unpick_system::{Budget, PropertySet};

    use crate::search::Search;
    use unpick_system::Reduction;

    /// One reads through a pointer, then `x`, then `y`; one writes `y`; one writes `m`, looks at `k`, writes `x`.
    #[test]
    fn sequences_end_where_others_could_tell() {
        let program = "pointer 8\nentry main\nfile 0 \"a.c\"\n\
            global k: size 4 align 4\nglobal x: size 4 align 4\nglobal y: size 4 align 4\nglobal m: size 4 align 4\n\
            fn main() -> i32 @0:1:1 {\n  reg r0: i32\n  reg r1: i1\nb0:\n  atomic.begin\n  r0 = spawn one()\n  \
            r0 = spawn two()\n  r0 = spawn three()\n  atomic.end\n  r1 = 0\n  wait r1\n  exit 0\n}\n\
            fn one() @0:1:1 {\n  reg r0: i32\nb0:\n  r0 = load &k @2:1\n  r0 = load &x @3:1\n  r0 = load &y @4:1\n  \
            return @5:1\n}\n\
            fn two() @0:1:1 {\nb0:\n  store i32 6 -> &y @6:1\n  return @7:1\n}\n\
            fn three() @0:1:1 {\n  reg r0: i32\nb0:\n  store i32 1 -> &m @8:1\n  r0 = load &m @9:1\n  \
            r0 = load &k @10:1\n  store i32 8 -> &x @11:1\n  return @12:1\n}\n";
        let program = text::parse(program).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let machine = Machine::new(&program, Options::default());
        let mut search = Search::new(machine, PropertySet::EMPTY, Reduction::Superstep, 16);
        search.explore(&Budget::UNLIMITED);
        assert_eq!(search.lengths, [(1, 3), (2, 1), (3, 3)]);
    }
}
