//! The interface in memory between compiled code and its callers, while one state is stepped.
//!
//! The layout of these structures is part of the compiled code: it reads and writes them by offset.

use std::ffi::c_void;

use unpick_automaton::{Model, ProctypeId};
use unpick_system::step::Successor;

use crate::limits::Limits;

/// The most fields of a message that compiled code hands over in a rendezvous.
pub(crate) const MAX_FIELDS: usize = 16;

/// How many bytes may be read and written after the end of a state.
pub(crate) const SLACK: usize = 256;

/// States are copied in units of this many bytes, and successors begin at multiples of it.
pub(crate) const UNIT: usize = 16;

/// Nothing unusual happened.
pub(crate) const DONE: i32 = 0;
/// Something that only the interpreter can do right: whatever was found is to be forgotten.
pub(crate) const GIVE_UP: i32 = 1;

/// Adds what a process can do; with an offer in the context, by taking it. Context, state, frame, process number.
pub(crate) type StepCode = unsafe extern "C" fn(*mut Context, *const u8, *const u8, u32) -> i32;

/// Where a channel lies.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ChannelAt {
    pub(crate) offset: u32,
    pub(crate) ty: u32,
}

/// A message that a process wants to hand over.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Offer {
    /// The number of the channel.
    pub(crate) channel: u32,
    /// Where the sender goes.
    pub(crate) target: u32,
    /// Where the sender's frame begins.
    pub(crate) frame: u64,
    /// The sender, where a successor's word has it.
    pub(crate) mover: u32,
    pub(crate) values: [i32; MAX_FIELDS],
}

/// The context of one worker.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Context {
    /// Where the next successor's bytes go.
    pub(crate) out: *mut u8,
    /// Where the next successor's entry goes.
    pub(crate) list: *mut Successor,
    /// Its first word: where the bytes start, and in the upper half how many there are.
    pub(crate) head: u64,
    /// The length of the state in whole units.
    pub(crate) stride: u64,
    /// The length of the state.
    pub(crate) len: u64,
    pub(crate) n_processes: u32,
    pub(crate) n_channels: u32,
    pub(crate) is_timeout: u32,
    /// The first slot of each process type.
    pub(crate) first_slot: *const u32,
    /// What takes offers, by slot; null where nothing does.
    pub(crate) takers: *const c_void,
    /// Whether a slot's location is progress.
    pub(crate) progress: *const u8,
    /// The weights of a state's bytes, zeros for those that tell no states apart; null if changes are not noted.
    pub(crate) weights: *const u64,
    /// The interpreter, for locations without code.
    pub(crate) owner: *const c_void,
    /// The end of the room for bytes, and for entries.
    pub(crate) out_end: *mut u8,
    pub(crate) list_end: *mut Successor,
    /// Where the claim's next locations go.
    pub(crate) claim_out: *mut u16,
    pub(crate) offer: Offer,
    /// Where frames begin, by process.
    pub(crate) frames: [u32; 256],
    /// Where channels lie, by number; number 0 is none.
    pub(crate) channels: [ChannelAt; 257],
    /// The process types that the frames belong to.
    types: [u8; 256],
    /// The first slots of these types.
    pub(crate) slots: [u32; 256],
    /// The code for each process, looked up before any runs.
    pub(crate) codes: [*mut c_void; 256],
    /// The processes that are not asleep.
    pub(crate) awake: [u8; 256],
    /// How long the state with so many processes is.
    ends: [u32; 256],
    /// How many channels there are with so many processes.
    channel_counts: [u32; 256],
    /// How many processes the above is valid for.
    n_known: usize,
    /// How many successors the state can have, and how many bytes they take.
    pub(crate) n_most: usize,
    pub(crate) n_bytes: usize,
}

impl Context {
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            out: std::ptr::null_mut(),
            list: std::ptr::null_mut(),
            head: 0,
            stride: 0,
            len: 0,
            n_processes: u32::MAX,
            n_channels: 0,
            is_timeout: 0,
            first_slot: std::ptr::null(),
            takers: std::ptr::null(),
            progress: std::ptr::null(),
            weights: std::ptr::null(),
            owner: std::ptr::null(),
            out_end: std::ptr::null_mut(),
            list_end: std::ptr::null_mut(),
            claim_out: std::ptr::null_mut(),
            offer: Offer { channel: 0, target: 0, frame: 0, mover: 0, values: [0; MAX_FIELDS] },
            frames: [0; 256],
            channels: [ChannelAt::default(); 257],
            types: [0; 256],
            slots: [0; 256],
            codes: [std::ptr::null_mut(); 256],
            awake: [0; 256],
            ends: [0; 256],
            channel_counts: [0; 256],
            n_known: usize::MAX,
            n_most: 0,
            n_bytes: 0,
        })
    }

    /// Cuts a state up. Most states have the processes of the one before: then the types are compared, and the
    /// rest is as it was. Where no process is ever made, types cannot differ.
    #[inline(always)]
    pub(crate) fn cut(&mut self, model: &Model, state: &[u8], has_runs: bool, limits: &Limits, first_slot: &[u32]) {
        let n_processes = usize::from(state[model.hidden_size as usize]);
        let is_known = n_processes as u32 == self.n_processes
            && state.len() as u64 == self.len
            && (!has_runs
                || (0..n_processes).all(|process| state[self.frames[process] as usize] == self.types[process]));
        if !is_known {
            self.cut_anew(model, state, n_processes, limits, first_slot);
        }
        debug_assert_eq!(self.ends[n_processes] as usize, state.len(), "a state should end with its last frame");
    }

    #[cold]
    fn cut_anew(&mut self, model: &Model, state: &[u8], n_processes: usize, limits: &Limits, first_slot: &[u32]) {
        self.n_processes = n_processes as u32;
        self.len = state.len() as u64;
        self.stride = state.len().next_multiple_of(UNIT) as u64;
        self.n_most = limits.successors(n_processes);
        self.n_bytes = self.n_most.saturating_mul(self.stride as usize + limits.growth);
        let n_known = self.n_known;
        let is_known = n_known != usize::MAX
            && n_processes <= n_known
            && (0..n_processes).all(|process| state[self.frames[process] as usize] == self.types[process]);
        if !is_known {
            self.cut_frames(model, state, n_processes, first_slot);
        }
        self.n_channels = self.channel_counts[n_processes];
    }

    fn cut_frames(&mut self, model: &Model, state: &[u8], n_processes: usize, first_slot: &[u32]) {
        let mut at = model.hidden_size + model.global_head() as u32 + model.globals.size;
        let mut n_channels = 0;
        for channel in &model.globals.channels {
            n_channels += 1;
            self.channels[n_channels] = ChannelAt { offset: at, ty: channel.0 };
            at += model.channel_types[*channel].size();
        }
        self.ends[0] = at;
        self.channel_counts[0] = n_channels as u32;
        for process in 0..n_processes {
            self.frames[process] = at;
            let ty = state[at as usize];
            self.types[process] = ty;
            self.slots[process] = first_slot[usize::from(ty)];
            let frame = &model.proctypes[ProctypeId(ty.into())].frame;
            at += model.process_head() as u32 + frame.size;
            for channel in &frame.channels {
                n_channels += 1;
                self.channels[n_channels] = ChannelAt { offset: at, ty: channel.0 };
                at += model.channel_types[*channel].size();
            }
            self.ends[process + 1] = at;
            self.channel_counts[process + 1] = n_channels as u32;
        }
        self.n_known = n_processes;
    }
}
