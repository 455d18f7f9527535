//! Execution of transitions: enabledness and effect.

use unpick_base::Span;

use super::trace::Event;
use super::work::{Offer, Work};
use super::{Fault, FaultKind, Machine};
use crate::{Expr, Frame, FrameInit, LocationId, Match, Place, ProctypeId, Receive, Step, Transition, VarInfo};

/// How many steps a `d_step` may take.
const MAX_D_STEP: usize = 10_000_000;

impl Machine<'_> {
    /// Takes a transition if that is possible; if not, nothing changes. With an offer, only taking it is possible;
    /// a send without a channel's room makes one.
    pub(super) fn take(&self, work: &mut Work, process: u8, transition: &Transition) -> Result<bool, Fault> {
        let place = |fault: Fault| match fault.span {
            Span::NONE => Fault { span: transition.span, ..fault },
            _ => fault,
        };
        let is_taken = self.act(work, process, &transition.step, transition.span).map_err(place)?;
        if is_taken {
            work.set_last(process);
            if let (Some(target), false) = (transition.target, transition.step == Step::End) {
                work.set_location(process.into(), target);
            }
        }
        Ok(is_taken)
    }

    pub(super) fn act(&self, work: &mut Work, process: u8, step: &Step, span: Span) -> Result<bool, Fault> {
        if work.offer.is_some() && !matches!(step, Step::Receive(_) | Step::DStep(_)) {
            return Ok(false);
        }
        match step {
            Step::Skip | Step::Else => {}
            Step::Condition(expr) => return Ok(self.eval(work, process, expr)? != 0),
            Step::Assign(place, expr) => {
                let value = self.eval(work, process, expr)?;
                self.store(work, process, place, value)?;
            }
            Step::Send { channel, is_sorted, args } => {
                return self.send(work, process, channel, *is_sorted, args, span);
            }
            Step::Receive(receive) => return self.receive(work, process, receive),
            Step::Assert(expr) => {
                if self.eval(work, process, expr)? == 0 {
                    work.faults.push(Fault { kind: FaultKind::Assertion, span });
                }
            }
            // What is printed is no part of a state, but its arguments can be wrong.
            Step::Printf(_, args) => {
                for arg in args {
                    self.eval(work, process, arg)?;
                }
            }
            Step::Printm(expr, _) => {
                self.eval(work, process, expr)?;
            }
            Step::SetPriority(pid, priority) => {
                let pid = self.eval(work, process, pid)?;
                let priority = self.eval(work, process, priority)?;
                match (usize::try_from(pid), u8::try_from(priority)) {
                    (Ok(pid), _) if pid >= work.processes.len() => {}
                    (Err(_), _) => {}
                    (Ok(pid), Ok(priority @ 1..)) => work.set_priority(pid, priority),
                    _ => return Err(Fault { kind: FaultKind::Priority, span }),
                }
            }
            Step::Code(piece) => return self.execute(work, process, *piece, span, None),
            Step::DStep(start) => return self.d_step(work, process, *start, span),
            Step::End => {
                if usize::from(process) + 1 != work.processes.len() {
                    return Ok(false);
                }
                self.end_process_code(work, process)?;
                let at = work.processes.pop().expect("the process should exist");
                work.bytes.truncate(at);
                work.channels.retain(|(channel, _)| *channel < at);
                work.set_process_count();
            }
        }
        Ok(true)
    }

    fn d_step(&self, work: &mut Work, process: u8, start: LocationId, span: Span) -> Result<bool, Fault> {
        let (proctype, before) = work.position(process.into());
        let automaton = &self.model.proctypes[proctype].automaton;
        let had_offer = work.offer.is_some();
        let untouched = self.model.undoes.then(|| work.clone());
        work.set_location(process.into(), start);
        for n_steps in 0..MAX_D_STEP {
            let location = &automaton.locations[work.position(process.into()).1];
            if n_steps > 0 && !location.is_in_d_step {
                return Ok(true);
            }
            let mut is_taken = false;
            for transition in location.transitions.iter().filter(|transition| transition.escape.is_none()) {
                if self.take(work, process, transition)? {
                    is_taken = true;
                    break;
                }
            }
            if !is_taken && n_steps == 0 {
                work.set_location(process.into(), before);
                return Ok(false);
            }
            if let (Some(untouched), false) = (&untouched, is_taken) {
                work.clone_from(untouched);
                return Ok(false);
            }
            if !is_taken || work.offer.is_some() && !had_offer {
                return Err(Fault { kind: FaultKind::BlockedDStep, span: location.span });
            }
        }
        Err(Fault { kind: FaultKind::EndlessDStep, span })
    }

    fn send(
        &self,
        work: &mut Work,
        process: u8,
        channel: &Expr,
        is_sorted: bool,
        args: &[Expr],
        span: Span,
    ) -> Result<bool, Fault> {
        let channel = self.channel(work, process, channel)?;
        let (at, ty) = work.channels[channel];
        let ty = &self.model.channel_types[ty];
        let len = work.bytes[at] as usize;
        if ty.capacity > 0 && len >= ty.capacity as usize {
            return Ok(false);
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(work, process, arg)?);
        }
        if values.len() != ty.fields.len() {
            work.faults.push(Fault { kind: FaultKind::Fields, span });
            values.resize(ty.fields.len(), 0);
        }
        if ty.capacity == 0 {
            let values: Vec<i32> = values.iter().zip(&ty.fields).map(|(value, field)| field.cut(*value)).collect();
            self.follow(work, process, &Event { is_send: true, channel, message: &values, span })?;
            work.offer = Some(Offer { channel: channel as i32, values });
            return Ok(true);
        }
        let size = ty.message_size() as usize;
        let mut slot = len;
        if is_sorted {
            slot = (0..len).find(|slot| values < self.message(work, channel, *slot)).unwrap_or(len);
        }
        let first = at + 1 + slot * size;
        work.bytes.copy_within(first..at + 1 + len * size, first + size);
        let mut field_at = first;
        for (value, field) in values.iter().zip(&ty.fields) {
            work.write(field_at, *field, *value);
            field_at += field.size() as usize;
        }
        work.bytes[at] += 1;
        if !self.model.traces.is_empty() {
            let message = self.message(work, channel, len);
            self.follow(work, process, &Event { is_send: true, channel, message: &message, span })?;
        }
        Ok(true)
    }

    /// The fields of the message in a slot.
    pub(super) fn message(&self, work: &Work, channel: usize, slot: usize) -> Vec<i32> {
        let (at, ty) = work.channels[channel];
        let ty = &self.model.channel_types[ty];
        let mut at = at + 1 + slot * ty.message_size() as usize;
        let mut values = Vec::with_capacity(ty.fields.len());
        for field in &ty.fields {
            values.push(work.read(at, *field));
            at += field.size() as usize;
        }
        values
    }

    /// The slot and contents of the message that a receive would take.
    pub(super) fn find_message(
        &self,
        work: &mut Work,
        process: u8,
        channel: usize,
        receive: &Receive,
    ) -> Result<Option<(usize, Vec<i32>)>, Fault> {
        let len = work.bytes[work.channels[channel].0] as usize;
        let n_looked = if receive.is_random { len } else { len.min(1) };
        for slot in 0..n_looked {
            let message = self.message(work, channel, slot);
            if self.matches(work, process, receive, &message)? {
                return Ok(Some((slot, message)));
            }
        }
        Ok(None)
    }

    fn matches(&self, work: &mut Work, process: u8, receive: &Receive, message: &[i32]) -> Result<bool, Fault> {
        if receive.args.len() > message.len() {
            return Err(Fault { kind: FaultKind::Fields, span: receive.span });
        }
        for (arg, value) in receive.args.iter().zip(message) {
            if let Match::Equal(expr) = arg
                && self.eval(work, process, expr)? != *value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn receive(&self, work: &mut Work, process: u8, receive: &Receive) -> Result<bool, Fault> {
        let channel = self.channel(work, process, &receive.channel)?;
        let (at, ty) = work.channels[channel];
        let ty = &self.model.channel_types[ty];
        let message = if ty.capacity == 0 {
            if receive.is_copy {
                // Nobody can look at a message that is not kept: to try goes wrong.
                return match work.offer {
                    Some(_) => Ok(false),
                    None => Err(Fault { kind: FaultKind::RendezvousPoll, span: receive.span }),
                };
            }
            let Some(offer) = work.offer.clone().filter(|offer| offer.channel == channel as i32) else {
                return Ok(false);
            };
            if !self.matches(work, process, receive, &offer.values)? {
                return Ok(false);
            }
            work.offer = None;
            offer.values
        } else {
            if work.offer.is_some() {
                return Ok(false);
            }
            let Some((slot, message)) = self.find_message(work, process, channel, receive)? else {
                return Ok(false);
            };
            if !receive.is_copy {
                let (len, size) = (work.bytes[at] as usize, ty.message_size() as usize);
                let (first, end) = (at + 1 + slot * size, at + 1 + len * size);
                work.bytes.copy_within(first + size..end, first);
                work.bytes[end - size..end].fill(0);
                work.bytes[at] -= 1;
            }
            message
        };
        if !receive.is_copy {
            let event = Event { is_send: false, channel, message: &message, span: receive.span };
            self.follow(work, process, &event)?;
        }
        if receive.args.len() != message.len() {
            work.faults.push(Fault { kind: FaultKind::Fields, span: receive.span });
        }
        for (arg, value) in receive.args.iter().zip(message) {
            if let Match::Store(place) = arg {
                self.store(work, process, place, value)?;
            }
        }
        Ok(true)
    }

    /// Makes a process and returns its number.
    pub(super) fn spawn(
        &self,
        work: &mut Work,
        proctype: ProctypeId,
        args: &[i32],
        priority: u8,
        span: Span,
    ) -> Result<i32, Fault> {
        let number = work.processes.len();
        if number >= 255 {
            return Err(Fault { kind: FaultKind::TooManyProcesses, span });
        }
        let declared = &self.model.proctypes[proctype];
        let at = work.bytes.len();
        work.processes.push(at);
        work.bytes.resize(at + self.model.process_head() + declared.frame.size as usize, 0);
        work.bytes[at] = proctype.0 as u8;
        work.set_process_count();
        work.set_priority(number, priority);
        let start = declared.automaton.start.expect("a process should have a first location");
        work.set_location(number, start);
        for (place, value) in declared.params.iter().zip(args) {
            self.store(work, number as u8, place, *value)?;
        }
        self.init_frame(work, Some(number as u8), &declared.frame)?;
        self.start_process_code(work, number as u8, proctype)?;
        Ok(number as i32)
    }

    /// Makes the channels of a new frame and gives its variables their first values.
    pub(super) fn init_frame(&self, work: &mut Work, process: Option<u8>, frame: &Frame) -> Result<(), Fault> {
        let first = work.channels.len();
        for channel in &frame.channels {
            let at = work.bytes.len();
            work.channels.push((at, *channel));
            work.bytes.resize(at + self.model.channel_types[*channel].size() as usize, 0);
        }
        if work.channels.len() > 255 {
            return Err(Fault { kind: FaultKind::TooManyChannels, span: Span::NONE });
        }
        let process = process.unwrap_or(0);
        for init in &frame.init {
            let (place, value) = match init {
                FrameInit::Value(place, expr) => {
                    let value = self.eval(work, process, expr);
                    (place, value.map_err(|fault| declared(frame, place, fault))?)
                }
                FrameInit::Channel(place, position) => (place, first as i32 + *position as i32 + 1),
            };
            self.store(work, process, place, value)?;
        }
        Ok(())
    }
}

/// A fault of an initialiser that does not say where it is happened at the declaration.
fn declared(frame: &Frame, place: &Place, fault: Fault) -> Fault {
    let (from, to) = place.extent();
    let holds = |info: &&VarInfo| {
        let (first, end) = info.place.extent();
        first <= from && to <= end
    };
    match (fault.span, frame.vars.iter().find(holds)) {
        (Span::NONE, Some(info)) => Fault { span: info.span, ..fault },
        (_, Some(_) | None) => fault,
    }
}
