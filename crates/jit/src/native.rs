//! A model stepped by native code, and by the interpreter where a location is not compiled.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use unpick_automaton::interp::{Control, Machine};
use unpick_automaton::{LocationId, Model};
use unpick_base::weighted_sum::weight;
use unpick_system::Reached;
use unpick_system::step::{Asleep, Interpreted, MicroSteps, NOBODY, NOWHERE, Successor, Successors, Who};

use crate::compile::{Compiler, FunctionKey, target};
use crate::context::{Context, DONE, GIVE_UP, SLACK, StepCode, UNIT};
use crate::facts::Facts;
use crate::limits::Limits;

/// How often a location is interpreted before it is compiled: compiling takes about as long as that.
const PATIENCE: u32 = 128;

/// The most bytes that all successors of one state may need; beyond, states are interpreted.
const MAX_BYTES: usize = 1 << 30;

/// The most units of a state that are copied without a loop.
const MAX_UNITS: usize = SLACK / UNIT;

/// The number that a claim has in place of a process's.
const CLAIM: u32 = 255;

/// Functions for locations, and how often each was missed.
struct Table {
    keys: Vec<FunctionKey>,
    code: Box<[AtomicPtr<c_void>]>,
    misses: Box<[AtomicU32]>,
}

impl Table {
    fn new(keys: Vec<FunctionKey>, missing: *mut c_void) -> Self {
        let code = keys.iter().map(|_| AtomicPtr::new(missing)).collect();
        let misses = keys.iter().map(|_| AtomicU32::new(0)).collect();
        Self { keys, code, misses }
    }
}

/// A model that is compiled while it runs.
///
/// ```
/// # use unpick_automaton::Model;
/// use unpick_jit::Native;
/// use unpick_system::step::{MicroSteps, Successors, Who};
/// # let model = Model::default();
/// let native = Native::new(&model);
/// let mut scratch = native.scratch();
/// let mut next = Successors::default();
/// native.steps(&mut scratch, &[0], Who::All, &mut next);
/// assert!(next.list.is_empty());
/// ```
pub struct Native<'a> {
    model: &'a Model,
    interpreted: Interpreted<'a>,
    facts: Facts<'a>,
    patience: u32,
    /// Steps tell by how much they change the weighted sum of the state.
    notes_changes: bool,
    /// The first slot of each claim.
    first_claim: Vec<u32>,
    steps: Table,
    takers: Table,
    claims: Table,
    /// The longest state that was interpreted.
    longest: AtomicU32,
    limits: Limits,
    /// Whether a slot's location is progress.
    progress: Vec<u8>,
    compiler: Option<Mutex<Compiler>>,
}

// SAFETY: compiled code is never written to after it is published, and the pointers in the tables lead to it or to
// functions of this crate.
unsafe impl Sync for Native<'_> {}
// SAFETY: as above; nothing depends on the thread.
unsafe impl Send for Native<'_> {}

impl<'a> Native<'a> {
    /// A model that is compiled as it is needed.
    pub fn new(model: &'a Model) -> Self {
        Self::with_patience(model, PATIENCE)
    }

    /// A model of which everything that can be compiled is compiled at once.
    pub fn eager(model: &'a Model) -> Self {
        Self::with_patience(model, 0).compiled()
    }

    /// The same, with changes [noted](Self::noting_changes).
    pub fn eager_noting_changes(model: &'a Model) -> Self {
        Self::with_patience(model, 0).noting_changes().compiled()
    }

    fn compiled(self) -> Self {
        if let Ok(state) = Machine::new(self.model).initial() {
            self.longest.fetch_max(state.len() as u32, Ordering::Relaxed);
        }
        self.compile_missed();
        self
    }

    /// Lets compiled steps tell by how much they change the weighted sum of a state ([`Successor::change`]). To be called
    /// before anything is compiled.
    #[must_use]
    pub fn noting_changes(mut self) -> Self {
        debug_assert!(self.n_compiled().0 == 0, "nothing should be compiled yet");
        self.notes_changes = true;
        self
    }

    fn with_patience(model: &'a Model, patience: u32) -> Self {
        let facts = Facts::new(model);
        let mut first_claim = Vec::new();
        let (mut steps, mut takers, mut claims) = (Vec::new(), Vec::new(), Vec::new());
        for (proctype, declared) in model.proctypes.iter_enumerated() {
            steps.extend(declared.automaton.locations.ids().map(|location| FunctionKey::Steps(proctype, location)));
            takers.extend(declared.automaton.locations.ids().map(|location| FunctionKey::Takes(proctype, location)));
        }
        for (position, claim) in model.claims.iter().enumerate() {
            first_claim.push(claims.len() as u32);
            claims.extend(claim.automaton.locations.ids().map(|location| FunctionKey::Claim(position, location)));
        }
        let locations = model.proctypes.iter().flat_map(|proctype| proctype.automaton.locations.iter());
        let progress = locations.map(|location| u8::from(location.is_progress)).collect();
        let takers = Table::new(takers, take_missing as *mut c_void);
        for (slot, key) in takers.keys.iter().enumerate() {
            let is_needed = match key {
                FunctionKey::Takes(proctype, location) => facts.has_rendezvous && facts.may_take(*proctype, *location),
                FunctionKey::Steps(..) | FunctionKey::Claim(..) => true,
            };
            if !is_needed {
                takers.code[slot].store(std::ptr::null_mut(), Ordering::Release);
            }
        }
        Self {
            model,
            interpreted: Interpreted::new(model),
            limits: Limits::new(model, &facts),
            facts,
            patience,
            notes_changes: false,
            first_claim,
            steps: Table::new(steps, step_missing as *mut c_void),
            takers,
            claims: Table::new(claims, std::ptr::null_mut()),
            longest: AtomicU32::new(0),
            progress,
            compiler: target()
                .filter(|_| !model.has_priority && model.traces.is_empty())
                .map(Compiler::new)
                .map(Mutex::new),
        }
    }

    /// How many locations of processes are compiled, and how many there are.
    pub fn n_compiled(&self) -> (usize, usize) {
        let missing = step_missing as *mut c_void;
        let is_compiled = |code: &&AtomicPtr<c_void>| code.load(Ordering::Relaxed) != missing;
        (self.steps.code.iter().filter(is_compiled).count(), self.steps.code.len())
    }

    /// Locations that could not be compiled, with the reason.
    pub fn not_compilable(&self) -> Vec<String> {
        let compiler = self.compiler.as_ref().and_then(|compiler| compiler.lock().ok());
        compiler.map_or(Vec::new(), |compiler| {
            compiler.not_compilable().iter().map(|(key, why)| format!("{key:?}: {why}")).collect()
        })
    }

    /// A function was missed: once that happened often enough, it is compiled, and others with it.
    fn miss(&self, table: &Table, slot: usize) {
        let n_misses = table.misses[slot].fetch_add(1, Ordering::Relaxed) + 1;
        if n_misses == self.patience.max(1) {
            self.compile_missed();
        }
    }

    #[cold]
    fn compile_missed(&self) {
        // Another worker is compiling: functions missed now are compiled later.
        let Some(Ok(mut compiler)) = self.compiler.as_ref().map(Mutex::try_lock) else { return };
        let n_units = (self.longest.load(Ordering::Relaxed) as usize).div_ceil(UNIT).clamp(1, MAX_UNITS);
        // What was missed a few times will be missed again.
        let enough = self.patience / 4;
        for (table, missing) in [
            (&self.steps, step_missing as *mut c_void),
            (&self.takers, take_missing as *mut c_void),
            (&self.claims, std::ptr::null_mut()),
        ] {
            let is_wanted = |slot: &usize| {
                let n_misses = table.misses[*slot].load(Ordering::Relaxed);
                n_misses >= enough && n_misses < TRIED && table.code[*slot].load(Ordering::Relaxed) == missing
            };
            let slots: Vec<usize> = (0..table.code.len()).filter(is_wanted).collect();
            let keys: Vec<FunctionKey> = slots.iter().map(|slot| table.keys[*slot]).collect();
            let compiled = compiler.compile(self.model, &self.facts, &keys, n_units, self.notes_changes);
            for (slot, address) in slots.into_iter().zip(compiled) {
                table.misses[slot].store(TRIED, Ordering::Relaxed);
                if let Some(address) = address {
                    table.code[slot].store(address.cast_mut().cast(), Ordering::Release);
                }
            }
        }
    }

    /// Steps by native code; false if the interpreter has to do it all.
    fn native_steps(&self, scratch: &mut Scratch, state: &[u8], who: Who<'_>, into: &mut Successors) -> bool {
        let context = &mut *scratch.context;
        keep(&mut scratch.state, state);
        context.cut(self.model, state, self.facts.has_runs, &self.limits, &self.facts.first_slots);
        let (n_most, n_bytes) = (context.n_most, context.n_bytes);
        if n_bytes > MAX_BYTES {
            return false;
        }
        let start = into.bytes.len().next_multiple_of(UNIT);
        if start != into.bytes.len() {
            into.bytes.resize(start, 0);
        }
        into.bytes.reserve(n_bytes + SLACK);
        into.list.reserve(n_most);
        let (n_before, first) = (into.list.len(), into.list.as_mut_ptr());
        // SAFETY: there is room for so many.
        unsafe {
            context.out = into.bytes.as_mut_ptr().add(start);
            context.out_end = context.out.add(n_bytes);
            context.list = first.add(n_before);
            context.list_end = context.list.add(n_most);
        }
        context.head = start as u64 | (state.len() as u64) << 32;
        context.is_timeout = u32::from(who == Who::Timeout);
        context.first_slot = self.facts.first_slots.as_ptr();
        context.progress = self.progress.as_ptr();
        context.takers = self.takers.code.as_ptr().cast();
        context.owner = (&raw const *self).cast();
        if self.notes_changes {
            let hidden = self.model.hidden_size as usize;
            for at in scratch.weights.len()..state.len() {
                scratch.weights.push(at.checked_sub(hidden).map_or(0, weight));
            }
            context.weights = scratch.weights.as_ptr();
        }
        let marks = scratch.reached.marks();
        let status = match who {
            Who::All | Who::Timeout => self.all(context, &scratch.state, marks),
            Who::Awake(asleep) => self.awake(context, &scratch.state, marks, asleep),
            Who::Only(process) if u32::from(process) < context.n_processes => {
                let code = self.code(context, &scratch.state, process.into(), marks);
                self.call(context, &scratch.state, process.into(), code)
            }
            Who::Only(_) => DONE,
        };
        if status != DONE {
            return false;
        }
        // SAFETY: so many bytes and entries were written, one after the other; between states lie bytes that were
        // copied from the room.
        unsafe {
            into.bytes.set_len((context.head & 0xffff_ffff) as usize);
            into.list.set_len(context.list.offset_from(first) as usize);
        }
        true
    }

    /// Steps all processes, youngest first. Which code each needs is looked up for all before any runs: where the
    /// processor does not foresee the right code, it then at least knows it at once.
    fn all(&self, context: &mut Context, state: &[u8], marks: &mut [u8]) -> i32 {
        let n_processes = context.n_processes as usize & 0xff;
        for process in 0..n_processes {
            context.codes[process] = self.code(context, state, process, marks);
        }
        for process in (0..n_processes).rev() {
            let status = self.call(context, state, process, context.codes[process]);
            if status != DONE {
                return status;
            }
        }
        DONE
    }

    /// Steps all processes that do not sleep, youngest first. Who does is decided without a branch for each, because the
    /// processor could only guess.
    fn awake(&self, context: &mut Context, state: &[u8], marks: &mut [u8], asleep: Asleep<'_>) -> i32 {
        let n_processes = context.n_processes as usize & 0xff;
        let mut n_awake = 0;
        for process in (0..n_processes).rev() {
            let slot = self.marked(context, state, process, marks);
            context.awake[n_awake & 0xff] = process as u8;
            n_awake += usize::from(!asleep.has(process, slot));
            context.codes[process] = self.at(slot);
        }
        for at in 0..n_awake & 0xff {
            let process = usize::from(context.awake[at]);
            let status = self.call(context, state, process, context.codes[process]);
            if status != DONE {
                return status;
            }
        }
        DONE
    }

    /// The code for a process, whose location is marked.
    #[inline(always)]
    fn code(&self, context: &Context, state: &[u8], process: usize, marks: &mut [u8]) -> *mut c_void {
        self.at(self.marked(context, state, process, marks))
    }

    /// The slot of a process's location, which is marked.
    #[inline(always)]
    fn marked(&self, context: &Context, state: &[u8], process: usize, marks: &mut [u8]) -> usize {
        let at = context.frames[process] as usize;
        // SAFETY: frames lie in the state, and its types and locations are those of the model; there are as many marks.
        unsafe {
            let location = state.as_ptr().add(at + 1).cast::<u16>().read_unaligned();
            let slot = context.slots[process] as usize + usize::from(u16::from_le(location));
            *marks.get_unchecked_mut(slot) = 1;
            slot
        }
    }

    #[inline(always)]
    fn at(&self, slot: usize) -> *mut c_void {
        // SAFETY: there are as many functions as marks.
        unsafe { self.steps.code.get_unchecked(slot).load(Ordering::Acquire) }
    }

    #[inline(always)]
    fn call(&self, context: &mut Context, state: &[u8], process: usize, code: *mut c_void) -> i32 {
        let at = context.frames[process] as usize;
        // SAFETY: the tables hold functions of this type, never null. The state is followed by slack, frames lie in
        // it, and the context has room for all successors.
        unsafe {
            let code = std::mem::transmute::<*mut c_void, StepCode>(code);
            code(context, state.as_ptr(), state.as_ptr().add(at), process as u32)
        }
    }

    fn slot(&self, state: &[u8], at: usize) -> usize {
        let location = u16::from_le_bytes([state[at + 1], state[at + 2]]);
        self.facts.first_slots[usize::from(state[at])] as usize + usize::from(location)
    }

    /// Steps one process with the interpreter.
    fn interpret(&self, context: &mut Context, state: &[u8], process: u8) -> i32 {
        let is_timeout = context.is_timeout != 0;
        let Ok(found) = Machine::new(self.model).steps(state, Control::Only(process), is_timeout) else {
            return GIVE_UP;
        };
        let slot = self.slot(state, context.frames[usize::from(process)] as usize) as u32;
        for next in found {
            let stride = next.state.len().next_multiple_of(UNIT);
            let only = match next.control {
                Control::Any => NOBODY,
                Control::Only(process) => process,
            };
            let entry = Successor {
                start: context.head as u32,
                len: next.state.len() as u32,
                only,
                mover: next.moves[0].process,
                is_fault: !next.faults.is_empty(),
                has_change: false,
                slot: if next.moves.len() == 1 { slot } else { NOWHERE },
                change: 0,
            };
            // SAFETY: both pairs of pointers lie in one allocation each, and the room is asked for before it is
            // written to.
            unsafe {
                let n_left = context.out_end.offset_from(context.out) as usize;
                if n_left < stride || context.list == context.list_end {
                    return GIVE_UP;
                }
                std::ptr::copy_nonoverlapping(next.state.as_ptr(), context.out, next.state.len());
                std::ptr::write_bytes(context.out.add(next.state.len()), 0, stride - next.state.len());
                context.list.write(entry);
                context.out = context.out.add(stride);
                context.list = context.list.add(1);
            }
            context.head += stride as u64;
        }
        DONE
    }
}

/// Copies a state to where slack follows it. States are short: a call would take longer than the copying.
#[inline(always)]
fn keep(scratch: &mut Vec<u8>, state: &[u8]) {
    if scratch.len() < state.len() + SLACK {
        scratch.resize(state.len() + SLACK, 0);
    }
    let (Some(last), true) = (state.last_chunk::<UNIT>(), state.len() <= 8 * UNIT) else {
        scratch[..state.len()].copy_from_slice(state);
        return;
    };
    for (to, from) in scratch.chunks_exact_mut(UNIT).zip(state.chunks_exact(UNIT)) {
        to.copy_from_slice(from);
    }
    scratch[state.len() - UNIT..state.len()].copy_from_slice(last);
}

/// So many misses mean that compiling was tried.
const TRIED: u32 = 1 << 30;

/// What one worker needs.
pub struct Scratch {
    context: Box<Context>,
    /// The state, followed by slack.
    state: Vec<u8>,
    /// The weights of its bytes.
    weights: Vec<u64>,
    reached: Reached,
}

// SAFETY: the pointers in the context are set anew by every call that uses them.
unsafe impl Send for Scratch {}

impl MicroSteps for Native<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch { context: Context::new(), state: Vec::new(), weights: Vec::new(), reached: Reached::new(self.model) }
    }

    fn model(&self) -> &Model {
        self.model
    }

    fn reached<'r>(&self, scratch: &'r Scratch) -> &'r Reached {
        &scratch.reached
    }

    fn steps(&self, scratch: &mut Scratch, state: &[u8], who: Who<'_>, into: &mut Successors) {
        if self.compiler.is_none() || !self.native_steps(scratch, state, who, into) {
            self.interpreted.steps(&mut scratch.reached, state, who, into);
        }
    }

    fn claim_steps(&self, scratch: &mut Scratch, state: &[u8], claim: usize, at: u16, into: &mut Vec<u16>) -> bool {
        let slot = self.first_claim[claim] as usize + usize::from(at);
        let code = self.claims.code[slot].load(Ordering::Acquire);
        if code.is_null() {
            self.longest.fetch_max(state.len() as u32, Ordering::Relaxed);
            self.miss(&self.claims, slot);
            return self.interpreted.claim_steps(&mut scratch.reached, state, claim, at, into);
        }
        let context = &mut *scratch.context;
        keep(&mut scratch.state, state);
        context.cut(self.model, state, self.facts.has_runs, &self.limits, &self.facts.first_slots);
        context.is_timeout = 0;
        context.first_slot = self.facts.first_slots.as_ptr();
        context.progress = self.progress.as_ptr();
        let n_most = self.model.claims[claim].automaton.locations[LocationId(at.into())].transitions.len();
        into.reserve(n_most);
        let first = into.as_mut_ptr();
        // SAFETY: the table holds functions of this type; there is room for all locations, and those up to the
        // pointer that comes back were written.
        unsafe {
            let code = std::mem::transmute::<*mut c_void, StepCode>(code);
            context.claim_out = first.add(into.len());
            let state_at = scratch.state.as_ptr();
            if code(context, state_at, state_at, CLAIM) == DONE {
                into.set_len(context.claim_out.offset_from(first) as usize);
                return true;
            }
        }
        self.interpreted.claim_steps(&mut scratch.reached, state, claim, at, into)
    }
}

/// Stands where there is no code for a location: the interpreter steps the process.
unsafe extern "C" fn step_missing(context: *mut Context, state: *const u8, frame: *const u8, process: u32) -> i32 {
    // SAFETY: called with a context that `native_steps` set up and its state, which has the length that is said.
    let (context, state, native, at) = unsafe {
        let context = &mut *context;
        let state = std::slice::from_raw_parts(state, context.len as usize);
        let native = &*context.owner.cast::<Native<'_>>();
        let at = frame.offset_from(state.as_ptr()) as usize;
        (context, state, native, at)
    };
    native.longest.fetch_max(state.len() as u32, Ordering::Relaxed);
    native.miss(&native.steps, native.slot(state, at));
    native.interpret(context, state, process as u8)
}

/// Stands where there is no code for taking offers: the interpreter has to step the whole state.
unsafe extern "C" fn take_missing(context: *mut Context, state: *const u8, frame: *const u8, _process: u32) -> i32 {
    // SAFETY: as for `step_missing`.
    let (state, native, at) = unsafe {
        let context = &*context;
        let state = std::slice::from_raw_parts(state, context.len as usize);
        (state, &*context.owner.cast::<Native<'_>>(), frame.offset_from(state.as_ptr()) as usize)
    };
    native.miss(&native.takers, native.slot(state, at));
    GIVE_UP
}
