//! Observers of a replay combined: narration, schedule, dependences.

use unpick_program::interp::{Observer, Pointer, State, Value};
use unpick_program::{Block, FuncId, Loc, RegId, Stmt};

use crate::narrate::Narrator;
use crate::schedule::Recorder;
use crate::slice::Slicer;

/// Hands everything on to each of them; the narrator is first, so that the others know which step it is.
pub(crate) struct ReplayObservers<'a, 'm, 'p> {
    pub narrator: &'a mut Narrator<'m, 'p>,
    pub recorder: Option<&'a mut Recorder<'m>>,
    pub slicer: Option<&'a mut Slicer<'m>>,
}

impl ReplayObservers<'_, '_, '_> {
    fn slice(&mut self, thread: usize, act: impl FnOnce(&mut Slicer<'_>)) {
        if let Some(slicer) = &mut self.slicer {
            slicer.tell(self.narrator.serial(thread));
            act(slicer);
        }
    }
}

impl Observer for ReplayObservers<'_, '_, '_> {
    fn step(&mut self, state: &State, thread: usize, function: FuncId, stmt: &Stmt) {
        self.narrator.step(state, thread, function, stmt);
        if let Some(recorder) = &mut self.recorder {
            recorder.step(state, thread, function, stmt);
        }
        self.slice(thread, |slicer| slicer.step(state, thread, function, stmt));
    }

    fn terminator(&mut self, state: &State, thread: usize, function: FuncId, block: &Block) {
        self.narrator.terminator(state, thread, function, block);
        self.slice(thread, |slicer| slicer.terminator(state, thread, function, block));
    }

    fn before_write(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.narrator.before_write(state, thread, object, offset, bytes);
    }

    fn written(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.narrator.written(state, thread, object, offset, bytes);
        self.slice(thread, |slicer| slicer.written(state, thread, object, offset, bytes));
    }

    fn read(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.narrator.read(state, thread, object, offset, bytes);
        self.slice(thread, |slicer| slicer.read(state, thread, object, offset, bytes));
    }

    fn made(&mut self, state: &State, thread: usize, object: Pointer) {
        self.narrator.made(state, thread, object);
    }

    fn ended(&mut self, state: &State, thread: usize, object: Pointer) {
        self.narrator.ended(state, thread, object);
        self.slice(thread, |slicer| slicer.ended(state, thread, object));
    }

    fn progress(&mut self) {
        self.narrator.progress();
    }

    fn spawned(&mut self, state: &State, thread: usize, child: usize) {
        self.narrator.spawned(state, thread, child);
        self.slice(thread, |slicer| slicer.spawned(state, thread, child));
    }

    fn thread_ended(&mut self, state: &State, thread: usize) {
        self.narrator.thread_ended(state, thread);
        self.slice(thread, |slicer| slicer.thread_ended(state, thread));
    }

    fn asked_for_end(&mut self, state: &State, thread: usize, other: usize) {
        self.slice(thread, |slicer| slicer.asked_for_end(state, thread, other));
    }

    fn assigned(&mut self, state: &State, thread: usize, function: FuncId, reg: RegId, old: Value) {
        self.narrator.assigned(state, thread, function, reg, old);
        self.slice(thread, |slicer| slicer.assigned(state, thread, function, reg, old));
    }

    fn called(&mut self, state: &State, thread: usize, callee: FuncId, loc: Loc) {
        self.narrator.called(state, thread, callee, loc);
        if let Some(recorder) = &mut self.recorder {
            recorder.called(state, thread, callee, loc);
        }
        self.slice(thread, |slicer| slicer.called(state, thread, callee, loc));
    }

    fn returned(&mut self, state: &State, thread: usize, function: FuncId, value: Option<Value>) {
        self.narrator.returned(state, thread, function, value);
        if let Some(recorder) = &mut self.recorder {
            recorder.returned(state, thread, function, value);
        }
        self.slice(thread, |slicer| slicer.returned(state, thread, function, value));
    }

    fn output(&mut self, stream: i32, bytes: &[u8]) {
        self.narrator.output(stream, bytes);
    }
}
