//! Context switches in a trace: interrupted and waiting threads, and values that a line had read before.
//!
//! A scheduler may take a thread's turn away when it has come to a line and has not done anything there yet. Such a
//! step would only confuse: it is told when the thread goes on.

use unpick_program::interp::{ObjectKind, Pointer, State};
use unpick_program::{Loc, show};

use super::{Narrator, Open};
use crate::place::leaves;
use crate::wait::awaited;
use crate::{Read, Step, Switch};

/// More reads of one line than this are not told.
const MAX_READS: usize = 8;

/// Why a thread's turn is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TurnEnd {
    /// It could have gone on.
    Preempted,
    /// It waits for others.
    Blocked,
    /// It does nothing more.
    Gone,
}

/// What is known of the turns so far.
#[derive(Default)]
pub(super) struct Turns {
    /// The step that was told last of each thread.
    latest: Vec<Option<Latest>>,
    /// The thread of the last step, and of the one before.
    running: (Option<usize>, Option<usize>),
    /// Threads that could have gone on when others took over.
    preempted: Vec<bool>,
    pub n_switches: u64,
    pub n_preemptions: u64,
}

struct Latest {
    activation: u64,
    is_waiting: bool,
    /// Where it was.
    step: Step,
}

impl Latest {
    fn is_at(&self, thread: usize, activation: u64, loc: Loc) -> bool {
        self.step.thread as usize == thread && self.activation == activation && self.step.line == loc.line
    }
}

impl Open {
    /// Whether the line has done nothing yet.
    fn is_idle(&self) -> bool {
        let step = &self.step;
        let values = &self.values[self.n_params..];
        !self.has_effect
            && !step.is_eventful()
            && step.calls.is_empty()
            && self.reads.is_empty()
            && values.iter().all(|watched| watched.change.old == watched.change.new)
    }
}

impl Turns {
    /// How a thread comes to work after the last step.
    pub(super) fn switch_to(&mut self, thread: usize) -> Switch {
        let before = self.running.0;
        self.running = (Some(thread), before);
        let Some(before) = before.filter(|before| *before != thread) else { return Switch::None };
        self.n_switches += 1;
        if self.preempted.get(before).copied().unwrap_or(false) {
            self.n_preemptions += 1;
            return Switch::Preemption;
        }
        Switch::Yield
    }

    fn undo(&mut self, switch: Switch) {
        match switch {
            Switch::None => {}
            Switch::Yield => self.n_switches -= 1,
            Switch::Preemption => {
                self.n_switches -= 1;
                self.n_preemptions -= 1;
            }
        }
        self.running.0 = self.running.1;
    }

    fn latest(&self, thread: usize) -> Option<&Latest> {
        self.latest.get(thread)?.as_ref()
    }

    /// Whether the latest step of a thread was about this line.
    pub(super) fn is_latest(&self, thread: usize, activation: u64, loc: Loc) -> bool {
        self.latest(thread).is_some_and(|latest| latest.is_at(thread, activation, loc))
    }

    /// The next step of a thread is a new one, wherever it is.
    pub(super) fn forget_latest(&mut self, thread: usize) {
        if let Some(latest) = self.latest.get_mut(thread).and_then(Option::as_mut) {
            latest.activation = 0;
        }
    }

    /// A step has been told.
    pub(super) fn told(&mut self, thread: usize, activation: u64, step: &Step) {
        while self.latest.len() <= thread {
            self.latest.push(None);
        }
        let place = Step {
            thread: step.thread,
            file: step.file.clone(),
            line: step.line,
            column: step.column,
            function: step.function.clone(),
            depth: step.depth,
            ..Step::default()
        };
        self.latest[thread] = Some(Latest { activation, is_waiting: step.is_waiting, step: place });
    }
}

impl Narrator<'_, '_> {
    /// The turn of a thread is over.
    pub(crate) fn depart(&mut self, state: &State, thread: usize, end: TurnEnd) {
        let preempted = &mut self.turns.preempted;
        preempted.resize(preempted.len().max(thread + 1), false);
        preempted[thread] = end == TurnEnd::Preempted;
        match end {
            TurnEnd::Gone => self.leave(thread),
            TurnEnd::Blocked => self.wait(state, thread, true),
            TurnEnd::Preempted => match self.open.take_if(|open| open.thread == thread) {
                Some(open) if open.is_idle() => self.take_back(&open),
                open => {
                    self.open = open.or(self.open.take());
                    self.tell_reads(state, thread);
                }
            },
        }
    }

    /// Whether nothing has happened in the step at hand: control has come to the line, or into a library function that has
    /// not done anything yet.
    pub(super) fn has_only_begun(&self) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let is_inside = self.user(open.thread).is_some_and(|at| at + 1 < self.threads[open.thread].len());
            open.is_blank() || is_inside && open.is_idle()
        })
    }

    /// The execution is back at the step with this number. A line that has only begun is that step, or comes later.
    pub(crate) fn come_round(&mut self, n_steps: usize) {
        let has_only_begun = self.has_only_begun();
        match self.open.take() {
            Some(open) if has_only_begun && self.steps.len() > n_steps => self.take_back(&open),
            open => {
                self.open = open;
                self.close();
            }
        }
    }

    /// What a thread is about to do becomes a step of its own; it is not done any more.
    pub(crate) fn pending(&mut self, state: &State, thread: usize, remark: String) {
        self.close();
        self.look(state, thread);
        if let Some(open) = &mut self.open {
            open.step.remark = remark;
            open.step.is_pending = true;
        }
        self.close();
    }

    /// The thread waits where it stands. If it does not run at the moment and has been seen there, that was told.
    pub(crate) fn wait(&mut self, state: &State, thread: usize, is_running: bool) {
        let is_open = self.open.as_ref().is_some_and(|open| open.thread == thread);
        match (is_open, is_running) {
            (true, _) => {}
            (false, true) => self.turn_to(Some(state), thread),
            (false, false) => {
                let here = self.user(thread).map(|at| &self.threads[thread][at]);
                let is_told = self
                    .turns
                    .latest(thread)
                    .zip(here)
                    .is_some_and(|(latest, here)| latest.is_waiting && latest.is_at(thread, here.number, here.loc));
                if is_told {
                    return;
                }
                self.close();
                self.look(state, thread);
            }
        }
        let remark = awaited(self.machine, state, thread).map_or_else(|| "waits".to_owned(), |awaited| awaited.text());
        if let Some(open) = self.open.as_mut().filter(|open| open.thread == thread) {
            open.step.is_waiting = true;
            open.step.remark = remark;
        }
        self.close();
    }

    /// A step for the line where a thread stands that does not run.
    fn look(&mut self, state: &State, thread: usize) {
        let Some(frame) = state.frames(self.machine.program, thread).last().copied() else { return };
        self.arrive(thread, frame.function, frame.loc);
        self.turn_to(Some(state), thread);
        if let Some(open) = &mut self.open {
            self.turns.undo(std::mem::take(&mut open.step.switch));
        }
    }

    /// The thread ends. After the last line of its function some of the library's work may be left.
    fn leave(&mut self, thread: usize) {
        if self.turns.running.0 == Some(thread) {
            return;
        }
        self.close();
        let Some(latest) = self.turns.latest(thread) else { return };
        let place = latest.step.clone();
        let switch = self.turns.switch_to(thread);
        self.steps.push(Step { switch, is_continued: true, remark: "ends".to_owned(), ..place });
    }

    /// Undoes the beginning of a step.
    fn take_back(&mut self, open: &Open) {
        let activation = self.threads[open.thread].iter_mut().find(|activation| activation.number == open.activation);
        if let (Some(activation), true) = (activation, open.n_params > 0) {
            activation.is_told = false;
        }
        self.turns.undo(open.step.switch);
    }

    /// Keeps what a line reads of objects that others may know.
    pub(super) fn note_read(&mut self, state: &State, thread: usize, object: Pointer, range: (u64, u64)) {
        let Some(at) = self.user(thread) else { return };
        let function = self.threads[thread][at].function;
        let is_own = at + 1 == self.threads[thread].len();
        let Some(open) = self.open.as_mut().filter(|open| open.thread == thread) else { return };
        open.has_effect |= !is_own;
        let is_shared = state.object(object).is_some_and(|object| match object.kind {
            ObjectKind::Global(_) | ObjectKind::Heap(_) => !object.is_read_only,
            ObjectKind::Slot(owner, _) | ObjectKind::Alloca(owner) => owner != function,
        });
        let part = (object.at(0), range.0, range.1);
        if is_own && is_shared && open.reads.len() < MAX_READS && !open.reads.contains(&part) {
            open.reads.push(part);
        }
    }

    /// The line is interrupted: what it has read so far is what it goes on with.
    fn tell_reads(&mut self, state: &State, thread: usize) {
        let user = self.user_frame(state, thread);
        let n_levels = self.n_levels();
        let Some(open) = self.open.as_mut().filter(|open| open.thread == thread) else { return };
        for (object, offset, bytes) in std::mem::take(&mut open.reads) {
            for leaf in leaves(self.machine, state, user, object, (offset, bytes), false, n_levels) {
                let value = show::region(self.machine, state, object, leaf.offset, leaf.size, leaf.shape);
                let read = Read { name: leaf.name, value };
                let is_changed = open.values.iter().any(|watched| watched.change.name == read.name);
                if !is_changed && !open.step.reads.contains(&read) {
                    open.step.reads.push(read);
                }
            }
        }
    }
}
