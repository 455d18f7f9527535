//! Rules about everything in a model but its steps: counts, sizes, frames, control graphs.

use super::expr::{Context, MaySpawn};
use super::{Part, Verifier};
use crate::{Automaton, Expr, Frame, FrameInit, LocationId, Place, Proctype, ProctypeId, Scalar, Scope, Step};

/// No part of a state has so many bytes.
const MAX_BYTES: u64 = 1 << 30;

impl Verifier<'_> {
    pub(super) fn model(&mut self) {
        let model = self.model;
        self.require(model.proctypes.len() <= 256, 1, || format!("{} process types", model.proctypes.len()));
        self.require(model.traces.len() <= 1, 1, || format!("{} traces", model.traces.len()));
        self.require(u64::from(model.hidden_size) < MAX_BYTES, 2, || "the hidden variables are too large".to_owned());
        self.channel_types();
        self.frame(None, &model.globals);
        self.require(model.start.len() <= 255, 6, || format!("{} processes at the start", model.start.len()));
        for (proctype, priority) in &model.start {
            self.require(model.proctypes.get(*proctype).is_some(), 6, || format!("there is no {proctype:?} to start"));
            self.require(*priority != 0, 14, || format!("a {proctype:?} starts with priority 0"));
        }
        self.code();
        for (id, proctype) in model.proctypes.iter_enumerated() {
            self.part = Part::Proctype(id);
            self.proctype(id, proctype);
        }
        for (position, claim) in model.claims.iter().enumerate() {
            self.part = Part::Claim(position);
            self.require(claim.automaton.start.is_some(), 6, || "a claim without a first location".to_owned());
            self.automaton(&claim.automaton, None, 1 << 15);
        }
        for (position, (_, automaton)) in model.traces.iter().enumerate() {
            self.part = Part::Trace(position);
            self.automaton(automaton, None, 1 << 16);
        }
        self.part = Part::Model;
    }

    fn channel_types(&mut self) {
        for (id, ty) in self.model.channel_types.iter_enumerated() {
            self.require(ty.capacity <= 255, 4, || format!("{id:?} holds {} messages", ty.capacity));
            self.require(ty.fields.len() == ty.mtypes.len(), 4, || {
                format!(
                    "{id:?} has {} fields and says of {} whether they are of an mtype",
                    ty.fields.len(),
                    ty.mtypes.len()
                )
            });
            ty.fields.iter().for_each(|field| self.scalar(*field));
            ty.mtypes.iter().for_each(|set| self.mtype(*set));
        }
    }

    pub(super) fn mtype(&mut self, set: Option<usize>) {
        let n_sets = self.model.mtypes.len();
        self.require(set.is_none_or(|set| set < n_sets), 5, || format!("there is no mtype set {set:?}"));
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) {
        if let Scalar::Unsigned(bits) = scalar {
            self.require((1..=32).contains(&bits), 3, || format!("unsigned with {bits} bits"));
        }
    }

    fn frame(&mut self, owner: Option<ProctypeId>, frame: &Frame) {
        let model = self.model;
        let head = if owner.is_some() { model.process_head() } else { model.global_head() };
        let mut size = u64::from(frame.size) + head as u64;
        for channel in &frame.channels {
            match model.channel_types.get(*channel) {
                Some(ty) => {
                    let message: u64 = ty.fields.iter().map(|field| u64::from(field.size())).sum();
                    size = size.saturating_add(1 + u64::from(ty.capacity).saturating_mul(message));
                }
                None => self.require(false, 4, || format!("there is no {channel:?}")),
            }
        }
        self.require(frame.channels.len() <= 255, 4, || format!("{} channels in a frame", frame.channels.len()));
        self.require(size < MAX_BYTES, 2, || format!("a frame of {size} bytes"));
        let context = Context { proctype: owner, may_spawn: MaySpawn::No };
        for init in &frame.init {
            match init {
                FrameInit::Value(place, expr) => {
                    self.initialised(owner, place, context);
                    self.expr(expr, context);
                }
                FrameInit::Channel(place, position) => {
                    self.initialised(owner, place, context);
                    self.require(place.scalar == Scalar::Byte, 12, || "a channel is put into no byte".to_owned());
                    let is_there = (*position as usize) < frame.channels.len();
                    self.require(is_there, 12, || format!("the frame has no channel {position}"));
                }
            }
        }
        for var in &frame.vars {
            self.place(&var.place, context);
            self.mtype(var.mtype);
            let is_shown = var.place.indices.iter().all(|index| match index.expr {
                Expr::Const(value) => u32::try_from(value).is_ok_and(|value| value < index.count),
                _ => false,
            });
            self.require(is_shown, 12, || format!("which element `{}` is depends on the state", var.name));
        }
    }

    fn initialised(&mut self, owner: Option<ProctypeId>, place: &Place, context: Context) {
        let is_own = match place.scope {
            Scope::Global => owner.is_none(),
            Scope::Local => owner.is_some(),
            Scope::Hidden | Scope::Nowhere => true,
        };
        self.require(is_own, 12, || "a frame initialises what is not its own".to_owned());
        self.place(place, context);
    }

    fn proctype(&mut self, id: ProctypeId, proctype: &Proctype) {
        self.frame(Some(id), &proctype.frame);
        let context = Context { proctype: Some(id), may_spawn: MaySpawn::No };
        for (position, param) in proctype.params.iter().enumerate() {
            self.place(param, context);
            let is_plain = param.scope == Scope::Local && param.indices.is_empty();
            self.require(is_plain, 11, || format!("parameter {position} is no plain local variable"));
            let (from, to) = (u64::from(param.offset), u64::from(param.offset) + u64::from(param.scalar.size()));
            let is_apart = proctype.params[..position].iter().all(|other| {
                let first = u64::from(other.offset);
                to <= first || first + u64::from(other.scalar.size()) <= from
            });
            self.require(is_apart, 11, || format!("parameter {position} lies where another one lies"));
        }
        if let Some(provided) = &proctype.provided {
            self.expr(provided, context);
        }
        self.require(proctype.automaton.start.is_some(), 6, || "a process type without a first location".to_owned());
        self.automaton(&proctype.automaton, Some(id), 1 << 16);
    }

    fn automaton(&mut self, automaton: &Automaton, proctype: Option<ProctypeId>, n_most: usize) {
        let n_locations = automaton.locations.len();
        self.require(n_locations <= n_most, 1, || format!("{n_locations} locations"));
        automaton.start.iter().for_each(|start| self.target(automaton, *start));
        for (name, location) in &automaton.labels {
            let is_there = automaton.locations.get(*location).is_some();
            self.require(is_there, 7, || format!("label `{name}` is at {location:?}, which does not exist"));
        }
        for (id, location) in automaton.locations.iter_enumerated() {
            self.location = Some((id, None));
            self.require(id.0 != 0 || location.transitions.is_empty(), 7, || "l0 has a transition".to_owned());
            let mut is_over = false;
            for (position, transition) in location.transitions.iter().enumerate() {
                self.location = Some((id, Some(position)));
                self.transition(automaton, location, transition, proctype);
                let is_first = transition.escape.is_none() || !is_over;
                self.require(is_first, 19, || "an escape comes after other transitions".to_owned());
                is_over |= transition.escape.is_none();
            }
        }
        self.location = None;
    }

    /// Something leads to this location.
    pub(super) fn target(&mut self, automaton: &Automaton, target: LocationId) {
        let is_there = target.0 != 0 && automaton.locations.get(target).is_some();
        self.require(is_there, 7, || format!("{target:?} is no location to be at"));
    }

    /// A `d_step` begins at this location.
    pub(super) fn d_step(&mut self, automaton: &Automaton, start: LocationId) {
        self.target(automaton, start);
        let Some(location) = automaton.locations.get(start) else { return };
        self.require(location.is_in_d_step, 15, || format!("{start:?}, where a d_step begins, is not inside it"));
        let has_end = location.transitions.iter().any(|transition| transition.step == Step::End);
        self.require(!has_end, 15, || "a process ends inside a d_step".to_owned());
    }
}
