//! Code for a location: all its transitions in order, and the recording of successors.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, Signature, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::Variable;
use unpick_automaton::{Expr, Location, LocationId, Step, Transition};
use unpick_system::step::{NOBODY, NOWHERE, Successor};

use super::channel::Channel;
use super::step::Effect;
use super::{Emitted, Emitter, NotCompilable, View, own};
use crate::context::{Context, DONE, MAX_FIELDS, Offer};
use crate::facts::Named;

/// How often a `d_step` may go back to where it was before the interpreter looks at it.
const MAX_BACK: i64 = 100_000;

/// The most types of a channel for which there is code.
const MAX_TYPES: usize = 6;

/// The signature of compiled code.
pub(crate) fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([I64, I64, I64, I32].map(AbiParam::new));
    signature.returns.push(AbiParam::new(I32));
    signature
}

impl<'a> Emitter<'a, '_> {
    /// The body of a function for a location.
    pub(crate) fn location(&mut self, location: &'a Location) -> Emitted<()> {
        let proctype = &self.model.proctypes[self.own_type()?];
        if self.model.has_priority || proctype.is_deterministic {
            return Err(NotCompilable("priorities, D_proctype"));
        }
        let exit = self.builder.create_block();
        if let Some(provided) = &proctype.provided {
            let go_on = self.builder.create_block();
            self.branch(self.state, provided, go_on, exit)?;
            self.builder.switch_to_block(go_on);
        }
        let has_else = location.transitions.iter().any(|transition| transition.step == Step::Else);
        let first = has_else.then(|| self.field(I64, offset_of!(Context, list)));
        let escape = self.escape_variable(location);
        for transition in &location.transitions {
            if self.is_taker && !matches!(transition.step, Step::Receive(_) | Step::DStep(_)) {
                continue;
            }
            if let Some(escape) = escape {
                self.check_escape(escape, transition, exit);
            }
            let next = self.builder.create_block();
            if let (Step::Else, Some(first)) = (&transition.step, first) {
                let list = self.field(I64, offset_of!(Context, list));
                let is_alone = self.builder.ins().icmp(IntCC::Equal, list, first);
                self.require(is_alone, next);
            }
            self.transition(transition, escape, next)?;
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(next);
        }
        self.builder.ins().jump(exit, &[]);
        self.builder.switch_to_block(exit);
        self.finish_with(DONE);
        Ok(())
    }

    /// Which escape was taken last, if the location has any.
    fn escape_variable(&mut self, location: &Location) -> Option<Variable> {
        if location.transitions.iter().all(|transition| transition.escape.is_none()) {
            return None;
        }
        let variable = self.builder.declare_var(I32);
        let none = self.int(0);
        self.builder.def_var(variable, none);
        Some(variable)
    }

    fn check_escape(&mut self, escape: Variable, transition: &Transition, exit: Block) {
        let taken = self.builder.use_var(escape);
        let mut may_go_on = self.compare(IntCC::Equal, taken, 0);
        if transition.escape.is_some() {
            let is_same = self.compare(IntCC::Equal, taken, escape_number(transition));
            may_go_on = self.builder.ins().bor(may_go_on, is_same);
        }
        self.require(may_go_on, exit);
    }

    /// One transition; goes to `next` if it cannot be taken. Where its channel can be of several types, there is
    /// code for each.
    fn transition(&mut self, transition: &'a Transition, escape: Option<Variable>, next: Block) -> Emitted<()> {
        let channel = match &transition.step {
            Step::Send { channel, .. } => channel,
            Step::Receive(receive) => &receive.channel,
            _ => return self.transition_of_type(transition, escape, next),
        };
        let types = match self.facts.named(self.proctype, channel) {
            Named::Types(types) if types.len() > 1 => types,
            _ => return self.transition_of_type(transition, escape, next),
        };
        if types.len() > MAX_TYPES {
            return Err(NotCompilable("a channel of many possible types"));
        }
        let actual = self.actual_type(self.state, channel)?;
        for ty in types {
            let other = self.builder.create_block();
            let is_right = self.compare(IntCC::Equal, actual, ty.0.into());
            self.require(is_right, other);
            self.assumed = Some(ty);
            self.transition_of_type(transition, escape, next)?;
            self.assumed = None;
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(other);
        }
        self.builder.ins().jump(self.give_up, &[]);
        let unreachable = self.builder.create_block();
        self.builder.switch_to_block(unreachable);
        Ok(())
    }

    fn transition_of_type(&mut self, transition: &'a Transition, escape: Option<Variable>, next: Block) -> Emitted<()> {
        let was_done = match &transition.step {
            Step::DStep(start) => {
                self.d_step(transition, *start, next)?;
                None
            }
            Step::Send { channel, args, .. } if self.is_rendezvous(channel) => {
                Some(self.hand_over(transition, channel, args)?)
            }
            step => {
                let Some(effect) = self.guard(self.state, step, next)? else {
                    return Ok(());
                };
                let copy = self.copy_state();
                let fault = self.apply(self.state, copy, &effect)?;
                self.commit(copy, transition, transition.target, fault, matches!(effect, Effect::End));
                None
            }
        };
        if let Some(escape) = escape {
            let number = self.int(escape_number(transition) as i32);
            let number = match was_done {
                Some(was_done) => {
                    let none = self.int(0);
                    self.builder.ins().select(was_done, number, none)
                }
                None => number,
            };
            self.builder.def_var(escape, number);
        }
        Ok(())
    }

    fn is_rendezvous(&self, channel: &Expr) -> bool {
        match self.assumed {
            Some(ty) => self.model.channel_types[ty].capacity == 0,
            None => self.facts.is_rendezvous(self.proctype, channel),
        }
    }

    /// Offers a message to all other processes, youngest first. The value says whether one took it.
    fn hand_over(&mut self, transition: &Transition, channel: &Expr, args: &[Expr]) -> Emitted<Value> {
        let found: Channel = self.channel(self.state, channel)?;
        let ty = self.channel_type(&found);
        if args.len() != ty.fields.len() || args.len() > MAX_FIELDS {
            return Err(NotCompilable("a message with too many or too few fields"));
        }
        let offer = offset_of!(Context, offer);
        let mut values = Vec::new();
        for (arg, field) in args.iter().zip(&ty.fields) {
            let value = self.value(self.state, arg)?;
            values.push(self.cut(*field, value));
        }
        for (position, value) in values.into_iter().enumerate() {
            self.set_field(value, offer + offset_of!(Offer, values) + 4 * position);
        }
        let number = self.channel_number(self.state, channel)?;
        self.set_field(number, offer + offset_of!(Offer, channel));
        let target = self.int(transition.target.ok_or(NotCompilable("a send without a target"))?.0 as i32);
        self.set_field(target, offer + offset_of!(Offer, target));
        let frame = self.builder.ins().isub(self.state.frame, self.state.base);
        self.set_field(frame, offer + offset_of!(Offer, frame));
        let mover = self.builder.ins().ishl_imm_u(self.process, 8);
        self.set_field(mover, offer + offset_of!(Offer, mover));
        let before = self.field(I64, offset_of!(Context, list));
        self.ask_all();
        let after = self.field(I64, offset_of!(Context, list));
        Ok(self.builder.ins().icmp(IntCC::NotEqual, before, after))
    }

    /// Calls the code that takes offers for every process but this one.
    fn ask_all(&mut self) {
        let [head, body, found, asked, exit] = std::array::from_fn(|_| self.builder.create_block());
        let left = self.builder.append_block_param(head, I32);
        let n_processes = self.field(I32, offset_of!(Context, n_processes));
        self.builder.ins().jump(head, &[n_processes.into()]);
        self.builder.switch_to_block(head);
        self.builder.ins().brif(left, body, &[], exit, &[]);
        self.builder.switch_to_block(body);
        let partner = self.add(left, -1);
        let frame = self.frame_of(self.state, partner);
        let slot = self.slot_of(self.state, frame);
        let slot = self.scale(slot, 8);
        let takers = self.field(I64, offset_of!(Context, takers));
        let entry = self.builder.ins().iadd(takers, slot);
        let taker = self.builder.ins().load(I64, own(), entry, 0);
        let is_other = self.builder.ins().icmp(IntCC::NotEqual, partner, self.process);
        let is_there = self.compare(IntCC::NotEqual, taker, 0);
        let is_asked = self.builder.ins().band(is_other, is_there);
        self.builder.ins().brif(is_asked, found, &[], head, &[partner.into()]);
        self.builder.switch_to_block(found);
        let convention = self.builder.func.signature.call_conv;
        let signature = self.builder.import_signature(signature(convention));
        let arguments = [self.context, self.state.base, frame, partner];
        let call = self.builder.ins().call_indirect(signature, taker, &arguments);
        let status = self.builder.inst_results(call)[0];
        self.builder.ins().brif(status, self.give_up, &[], asked, &[]);
        self.builder.switch_to_block(asked);
        self.builder.ins().jump(head, &[partner.into()]);
        self.builder.switch_to_block(exit);
    }

    /// The copy is a successor.
    fn commit(
        &mut self,
        copy: View,
        transition: &Transition,
        target: Option<LocationId>,
        fault: Option<Value>,
        is_end: bool,
    ) {
        let hidden = self.model.hidden_size as i32;
        if self.model.has_last {
            self.note_hidden_head(copy, hidden + 1, self.process);
            self.builder.ins().istore8(own(), self.process, copy.base, hidden + 1);
        }
        if let (Some(target), false) = (target, is_end) {
            self.note_location(target);
            let target = self.int(target.0 as i32);
            self.builder.ins().istore16(own(), target, copy.frame, 1);
        }
        let only = match transition.is_atomic {
            true => self.process,
            false => self.int(NOBODY.into()),
        };
        let mover = if self.is_taker {
            self.move_sender(copy);
            self.field(I32, offset_of!(Context, offer) + offset_of!(Offer, mover))
        } else {
            self.builder.ins().ishl_imm_u(self.process, 8)
        };
        let mut word = self.builder.ins().bor(only, mover);
        if let Some(fault) = fault {
            let fault = self.builder.ins().uextend(I32, fault);
            let fault = self.builder.ins().ishl_imm_u(fault, 16);
            word = self.builder.ins().bor(word, fault);
        }
        let change = self.change().filter(|_| !is_end);
        if change.is_some() {
            let has_change = 8 * (offset_of!(Successor, has_change) - offset_of!(Successor, only));
            word = self.builder.ins().bor_imm_u(word, 1 << has_change);
        }
        let head = self.field(I64, offset_of!(Context, head));
        let mut entry = head;
        if is_end {
            self.builder.ins().istore8(own(), self.process, copy.base, hidden);
            let len = self.builder.ins().isub(self.state.frame, self.state.base);
            let len = self.builder.ins().ishl_imm_u(len, 32);
            let start = self.builder.ins().band_imm_u(head, 0xffff_ffff);
            entry = self.builder.ins().bor(start, len);
        }
        let list = self.field(I64, offset_of!(Context, list));
        self.builder.ins().store(own(), entry, list, 0);
        self.builder.ins().store(own(), word, list, offset_of!(Successor, only) as i32);
        // Every field of an entry is written, known or not.
        let change = change.unwrap_or_else(|| self.long(0));
        self.builder.ins().store(own(), change, list, offset_of!(Successor, change) as i32);
        let slot = self.int(if self.is_taker { NOWHERE } else { self.slot } as i32);
        self.builder.ins().store(own(), slot, list, offset_of!(Successor, slot) as i32);
        let list = self.add(list, size_of::<Successor>() as i64);
        self.set_field(list, offset_of!(Context, list));
        let stride = self.field(I64, offset_of!(Context, stride));
        let head = self.builder.ins().iadd(head, stride);
        self.set_field(head, offset_of!(Context, head));
        let out = self.builder.ins().iadd(copy.base, stride);
        self.set_field(out, offset_of!(Context, out));
    }

    /// Moves the process whose offer was taken.
    fn move_sender(&mut self, copy: View) {
        let offer = offset_of!(Context, offer);
        let frame = self.field(I64, offer + offset_of!(Offer, frame));
        let target = self.field(I32, offer + offset_of!(Offer, target));
        self.note_sender(copy, frame, target);
        let frame = self.builder.ins().iadd(copy.base, frame);
        self.builder.ins().istore16(own(), target, frame, 1);
    }

    /// A `d_step`: its steps change the copy one after the other, and only the last is seen.
    fn d_step(&mut self, transition: &'a Transition, start: LocationId, next: Block) -> Emitted<()> {
        let automaton = &self.model.proctypes[self.own_type()?].automaton;
        let is_taker = std::mem::replace(&mut self.is_in_d_step, true);
        debug_assert!(!is_taker, "a d_step should not be inside another");
        let mut inner = Inner {
            blocks: HashMap::new(),
            waiting: Vec::new(),
            fault: self.builder.declare_var(cranelift_codegen::ir::types::I8),
            left: self.builder.declare_var(I64),
            done: self.builder.create_block(),
        };
        let zero = self.builder.ins().iconst(cranelift_codegen::ir::types::I8, 0);
        self.builder.def_var(inner.fault, zero);
        let left = self.long(MAX_BACK);
        self.builder.def_var(inner.left, left);
        let was_taker = self.is_taker;
        for first in automaton.locations[start].transitions.iter().filter(|first| first.escape.is_none()) {
            if was_taker && !matches!(first.step, Step::Receive(_)) {
                continue;
            }
            let no = self.builder.create_block();
            let copy = match self.guard(self.state, &first.step, no)? {
                Some(Effect::End) => return Err(NotCompilable("an end inside a d_step")),
                Some(effect) => {
                    let copy = self.copy_state();
                    self.inner_step(&mut inner, self.state, copy, first, &effect)?;
                    Some(copy)
                }
                None => None,
            };
            if copy.is_none() {
                self.builder.ins().jump(no, &[]);
            }
            self.builder.switch_to_block(no);
        }
        self.builder.ins().jump(next, &[]);
        // The offer is taken: what follows is as in any other `d_step`.
        self.is_taker = false;
        while let Some((location, block)) = inner.waiting.pop() {
            self.builder.switch_to_block(block);
            let base = self.field(I64, offset_of!(Context, out));
            let delta = self.builder.ins().isub(self.state.frame, self.state.base);
            let frame = self.builder.ins().iadd(base, delta);
            let copy = View { base, frame, is_constant: false };
            if !automaton.locations[location].is_in_d_step {
                self.is_taker = was_taker;
                let fault = self.builder.use_var(inner.fault);
                self.commit(copy, transition, transition.target.or(Some(location)), Some(fault), false);
                self.is_taker = false;
                self.builder.ins().jump(inner.done, &[]);
                continue;
            }
            for step in automaton.locations[location].transitions.iter().filter(|step| step.escape.is_none()) {
                let no = self.builder.create_block();
                match self.guard(copy, &step.step, no)? {
                    Some(Effect::End) => return Err(NotCompilable("an end inside a d_step")),
                    Some(effect) => self.inner_step(&mut inner, copy, copy, step, &effect)?,
                    None => {
                        self.builder.ins().jump(no, &[]);
                    }
                }
                self.builder.switch_to_block(no);
            }
            // Only a private copy was changed.
            let stuck = if self.model.undoes { next } else { self.give_up };
            self.builder.ins().jump(stuck, &[]);
        }
        self.is_taker = was_taker;
        self.is_in_d_step = false;
        self.builder.switch_to_block(inner.done);
        Ok(())
    }

    /// One step inside a `d_step`, then on to where it leads.
    fn inner_step(
        &mut self,
        inner: &mut Inner,
        from: View,
        to: View,
        step: &Transition,
        effect: &Effect,
    ) -> Emitted<()> {
        if let Some(fault) = self.apply(from, to, effect)? {
            let before = self.builder.use_var(inner.fault);
            let fault = self.builder.ins().bor(before, fault);
            self.builder.def_var(inner.fault, fault);
        }
        let target = step.target.ok_or(NotCompilable("a step without a target"))?;
        if let Some(block) = inner.blocks.get(&target) {
            // Perhaps back to where it was before.
            let left = self.builder.use_var(inner.left);
            let left = self.add(left, -1);
            self.builder.def_var(inner.left, left);
            self.demand(left);
            self.builder.ins().jump(*block, &[]);
            return Ok(());
        }
        let block = self.builder.create_block();
        inner.blocks.insert(target, block);
        inner.waiting.push((target, block));
        self.builder.ins().jump(block, &[]);
        Ok(())
    }
}

/// The inside of a `d_step`.
struct Inner {
    blocks: HashMap<LocationId, Block>,
    waiting: Vec<(LocationId, Block)>,
    fault: Variable,
    left: Variable,
    done: Block,
}

/// Escapes are numbered from 1; 0 is none.
fn escape_number(transition: &Transition) -> i64 {
    transition.escape.map_or(0, |escape| i64::from(escape.0) + 1)
}
