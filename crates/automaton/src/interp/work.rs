//! Positions of frames and channels in the vector of a state, computed once and kept while steps are executed on it.

use crate::interp::Fault;
use crate::{ChannelTypeId, LocationId, Model, ProctypeId, Scalar};

/// A rendezvous message that waits for a receiver.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    /// The number of the channel.
    pub(super) channel: i32,
    pub(super) values: Vec<i32>,
}

/// A state and where its parts lie.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) bytes: Vec<u8>,
    /// Where the frames of the processes begin.
    pub(super) processes: Vec<usize>,
    /// Where the channels begin, and what they are.
    pub(super) channels: Vec<(usize, ChannelTypeId)>,
    pub(super) offer: Option<Offer>,
    pub(super) is_timeout: bool,
    /// A claim looks again at a state in which nothing is possible.
    pub(super) is_stuttering: bool,
    pub(super) faults: Vec<Fault>,
    /// Who asks with `enabled`, one for the other.
    pub(super) asking: Vec<u8>,
    /// Where the global frame begins.
    pub(super) globals: usize,
    has_last: bool,
    has_priority: bool,
}

impl Work {
    /// A state without processes.
    pub(super) fn empty(model: &Model) -> Self {
        let globals = model.hidden_size as usize;
        let size = globals + model.global_head() + model.globals.size as usize;
        Self {
            bytes: vec![0; size],
            processes: Vec::new(),
            channels: Vec::new(),
            offer: None,
            is_timeout: false,
            is_stuttering: false,
            faults: Vec::new(),
            asking: Vec::new(),
            globals,
            has_last: model.has_last,
            has_priority: model.has_priority,
        }
    }

    /// Cuts a state up.
    pub(super) fn new(model: &Model, state: &[u8]) -> Self {
        let mut work = Self::empty(model);
        let mut at = work.bytes.len();
        work.bytes = state.to_vec();
        for channel in &model.globals.channels {
            work.channels.push((at, *channel));
            at += model.channel_types[*channel].size() as usize;
        }
        for _ in 0..state[work.globals] {
            work.processes.push(at);
            let frame = &model.proctypes[ProctypeId(state[at].into())].frame;
            at += model.process_head() + frame.size as usize;
            for channel in &frame.channels {
                work.channels.push((at, *channel));
                at += model.channel_types[*channel].size() as usize;
            }
        }
        debug_assert_eq!(at, state.len(), "a state should end with its last frame");
        work
    }

    /// Type and location of a process.
    pub(super) fn position(&self, process: usize) -> (ProctypeId, LocationId) {
        let at = self.processes[process];
        let location = u16::from_le_bytes([self.bytes[at + 1], self.bytes[at + 2]]);
        (ProctypeId(self.bytes[at].into()), LocationId(location.into()))
    }

    pub(super) fn set_location(&mut self, process: usize, location: LocationId) {
        let at = self.processes[process];
        self.bytes[at + 1..at + 3].copy_from_slice(&(location.0 as u16).to_le_bytes());
    }

    pub(super) fn priority(&self, process: usize) -> u8 {
        if self.has_priority { self.bytes[self.processes[process] + 3] } else { 1 }
    }

    pub(super) fn set_priority(&mut self, process: usize, priority: u8) {
        if self.has_priority {
            let at = self.processes[process] + 3;
            self.bytes[at] = priority;
        }
    }

    pub(super) fn last(&self) -> u8 {
        if self.has_last { self.bytes[self.globals + 1] } else { 0 }
    }

    pub(super) fn set_last(&mut self, process: u8) {
        if self.has_last {
            self.bytes[self.globals + 1] = process;
        }
    }

    /// Where the model's trace stands; only for models with one.
    pub(super) fn trace(&self) -> LocationId {
        let at = self.globals + 1 + usize::from(self.has_last);
        LocationId(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]).into())
    }

    pub(super) fn set_trace(&mut self, location: LocationId) {
        let at = self.globals + 1 + usize::from(self.has_last);
        self.bytes[at..at + 2].copy_from_slice(&(location.0 as u16).to_le_bytes());
    }

    pub(super) fn set_process_count(&mut self) {
        self.bytes[self.globals] = self.processes.len() as u8;
    }

    pub(super) fn read(&self, at: usize, scalar: Scalar) -> i32 {
        let byte = |n: usize| i32::from(self.bytes[at + n]);
        match (scalar, scalar.size()) {
            (Scalar::Short, _) => i32::from(i16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])),
            (_, 1) => byte(0),
            (_, 2) => byte(0) | byte(1) << 8,
            _ => byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24,
        }
    }

    pub(super) fn write(&mut self, at: usize, scalar: Scalar, value: i32) {
        let bytes = scalar.cut(value).to_le_bytes();
        let size = scalar.size() as usize;
        self.bytes[at..at + size].copy_from_slice(&bytes[..size]);
    }
}
