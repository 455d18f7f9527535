//! Code for channels: addresses, lengths, sends and receives.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I8X16, I16, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value};
use unpick_automaton::{ChannelType, ChannelTypeId, Expr, Match, Receive, Scalar};

use super::{Address, Emitted, Emitter, NotCompilable, View, flags, own};
use crate::context::{ChannelAt, Context};
use crate::facts::Named;

/// The most bytes that are moved without a loop when a message leaves a channel.
const MAX_MOVED: u32 = 512;

/// A channel that an expression names.
#[derive(Clone, Copy)]
pub(super) struct Channel {
    /// Where it begins.
    pub(super) address: Address,
    pub(super) ty: ChannelTypeId,
}

impl<'a> Emitter<'a, '_> {
    /// The channel that an expression names; gives up if there is none, or if it is not of the type expected.
    pub(super) fn channel(&mut self, view: View, expr: &Expr) -> Emitted<Channel> {
        let fixed = |is_in_frame, offset, ty| {
            let offset = i32::try_from(offset).map_err(|_| NotCompilable("a long state"))?;
            Ok(Channel { address: Address { is_in_frame, dynamic: None, offset }, ty })
        };
        match self.facts.named(self.proctype, expr) {
            Named::Global(position) => {
                let ty = self.model.globals.channels[position as usize];
                fixed(false, self.facts.global_channels[position as usize], ty)
            }
            Named::Local(position) => {
                let proctype = self.own_type()?;
                let ty = self.model.proctypes[proctype].frame.channels[position as usize];
                fixed(true, self.facts.local_channel(proctype, position), ty)
            }
            Named::Types(types) => {
                let ty = match (types.as_slice(), self.assumed) {
                    ([ty], _) => *ty,
                    (_, Some(ty)) => ty,
                    ([], None) => return Err(NotCompilable("a channel of unknown type")),
                    (_, None) => return Err(NotCompilable("a channel of several possible types")),
                };
                self.found_channel(view, expr, ty)
            }
        }
    }

    /// A channel whose number is only known when the code runs.
    fn found_channel(&mut self, view: View, expr: &Expr, ty: ChannelTypeId) -> Emitted<Channel> {
        let entry = self.channel_entry(view, expr)?;
        let at = offset_of!(Context, channels);
        let actual = self.builder.ins().load(I32, own(), entry, (at + offset_of!(ChannelAt, ty)) as i32);
        let is_right = self.compare(IntCC::Equal, actual, ty.0.into());
        self.demand(is_right);
        let offset = self.builder.ins().uload32(own(), entry, (at + offset_of!(ChannelAt, offset)) as i32);
        Ok(Channel { address: Address { is_in_frame: false, dynamic: Some(offset), offset: 0 }, ty })
    }

    /// The entry of a channel in the context, less where the entries begin; gives up if there is no such channel.
    fn channel_entry(&mut self, view: View, expr: &Expr) -> Emitted<Value> {
        let number = self.value(view, expr)?;
        let n_channels = self.field(I32, offset_of!(Context, n_channels));
        let position = self.add(number, -1);
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, position, n_channels);
        self.demand(exists);
        let index = self.builder.ins().uextend(I64, number);
        let index = self.scale(index, size_of::<ChannelAt>() as u32);
        Ok(self.builder.ins().iadd(self.context, index))
    }

    /// The type of the channel that an expression names.
    pub(super) fn actual_type(&mut self, view: View, expr: &Expr) -> Emitted<Value> {
        let entry = self.channel_entry(view, expr)?;
        let offset = offset_of!(Context, channels) + offset_of!(ChannelAt, ty);
        Ok(self.builder.ins().load(I32, own(), entry, offset as i32))
    }

    /// How many messages the channel holds that an expression names, whatever its type.
    pub(super) fn any_len(&mut self, view: View, expr: &Expr) -> Emitted<Value> {
        if !matches!(self.facts.named(self.proctype, expr), Named::Types(_)) {
            let channel = self.channel(view, expr)?;
            return Ok(self.len_of(view, &channel));
        }
        let entry = self.channel_entry(view, expr)?;
        let offset = offset_of!(Context, channels) + offset_of!(ChannelAt, offset);
        let offset = self.builder.ins().uload32(own(), entry, offset as i32);
        Ok(self.read(view, Address { is_in_frame: false, dynamic: Some(offset), offset: 0 }, Scalar::Byte))
    }

    /// The number of the channel that an expression names.
    pub(super) fn channel_number(&mut self, view: View, expr: &Expr) -> Emitted<Value> {
        match self.facts.named(self.proctype, expr) {
            Named::Global(position) => Ok(self.int(position as i32 + 1)),
            Named::Local(_) | Named::Types(_) => self.value(view, expr),
        }
    }

    pub(super) fn channel_type(&self, channel: &Channel) -> &'a ChannelType {
        &self.model.channel_types[channel.ty]
    }

    /// How many messages a channel holds.
    pub(super) fn len_of(&mut self, view: View, channel: &Channel) -> Value {
        self.read(view, channel.address, Scalar::Byte)
    }

    /// Whether a receive could be done, as 0 or 1.
    pub(super) fn poll(&mut self, view: View, poll: &Receive) -> Emitted<Value> {
        let channel = self.channel(view, &poll.channel)?;
        if self.channel_type(&channel).capacity == 0 {
            return Err(NotCompilable("a look into a rendezvous channel"));
        }
        let (no, done) = (self.builder.create_block(), self.builder.create_block());
        let result = self.builder.append_block_param(done, I32);
        self.matching(view, &channel, poll, no)?;
        let one = self.int(1);
        self.builder.ins().jump(done, &[one.into()]);
        self.builder.switch_to_block(no);
        let zero = self.int(0);
        self.builder.ins().jump(done, &[zero.into()]);
        self.builder.switch_to_block(done);
        Ok(result)
    }

    /// Goes on with the number of messages if the oldest one matches.
    pub(super) fn matching(&mut self, view: View, channel: &Channel, receive: &Receive, no: Block) -> Emitted<Value> {
        let ty = self.channel_type(channel);
        let has_pattern = receive.args.iter().any(|arg| matches!(arg, Match::Equal(_)));
        if receive.is_random && has_pattern || receive.args.len() != ty.fields.len() {
            return Err(NotCompilable("random receives, messages with too many or too few fields"));
        }
        let len = self.len_of(view, channel);
        self.require(len, no);
        let mut address = shifted(channel.address, 1);
        for (arg, field) in receive.args.iter().zip(&ty.fields) {
            if let Match::Equal(expr) = arg {
                let actual = self.read(view, address, *field);
                let wanted = self.value(view, expr)?;
                let is_equal = self.builder.ins().icmp(IntCC::Equal, actual, wanted);
                self.require(is_equal, no);
            }
            address = shifted(address, field.size());
        }
        Ok(len)
    }

    /// The fields of the oldest message that are kept.
    pub(super) fn oldest(&mut self, view: View, channel: &Channel, receive: &Receive) -> Vec<Option<Value>> {
        let ty = self.channel_type(channel);
        let mut address = shifted(channel.address, 1);
        let mut values = Vec::new();
        for (arg, field) in receive.args.iter().zip(&ty.fields) {
            let is_kept = matches!(arg, Match::Store(_));
            values.push(is_kept.then(|| self.read(view, address, *field)));
            address = shifted(address, field.size());
        }
        values
    }

    /// Puts a message after the others.
    pub(super) fn put(&mut self, view: View, channel: &Channel, len: Value, values: &[Value]) {
        let ty = self.channel_type(channel);
        let mut address = shifted(channel.address, 1);
        if ty.capacity == 1 {
            let one = self.int(1);
            self.write(view, channel.address, Scalar::Byte, one);
        } else {
            let more = self.add(len, 1);
            self.write(view, channel.address, Scalar::Byte, more);
            let slot = self.builder.ins().uextend(I64, len);
            let slot = self.scale(slot, ty.message_size());
            address.dynamic = Some(match address.dynamic {
                Some(dynamic) => self.builder.ins().iadd(dynamic, slot),
                None => slot,
            });
        }
        for (value, field) in values.iter().zip(&ty.fields) {
            self.write(view, address, *field, *value);
            address = shifted(address, field.size());
        }
    }

    /// Takes the oldest message out: the others move down, and zeros follow them. Unused slots are zero, so all
    /// slots are moved, however many are used.
    pub(super) fn drop_oldest(&mut self, from: View, to: View, channel: &Channel, len: Value) -> Emitted<()> {
        let ty = self.channel_type(channel);
        let size = ty.message_size();
        let moved = size * (ty.capacity - 1);
        if moved > MAX_MOVED {
            return Err(NotCompilable("a large channel"));
        }
        let less = if ty.capacity == 1 { self.int(0) } else { self.add(len, -1) };
        self.write(to, channel.address, Scalar::Byte, less);
        self.note_shift(from, shifted(channel.address, 1), moved, size);
        let (source, source_offset) = self.resolve(from, shifted(channel.address, 1 + size));
        let (target, target_offset) = self.resolve(to, shifted(channel.address, 1));
        for (at, part) in parts(moved) {
            let value = self.builder.ins().load(part, flags(from), source, source_offset + at as i32);
            self.builder.ins().store(own(), value, target, target_offset + at as i32);
        }
        for (at, part) in parts(size) {
            let offset = target_offset + (moved + at) as i32;
            let zero = match part {
                I8X16 => self.zero_unit(),
                part => self.builder.ins().iconst(part, 0),
            };
            self.builder.ins().store(own(), zero, target, offset);
        }
        Ok(())
    }
}

/// So many bytes as pieces of the widest kinds.
fn parts(n_bytes: u32) -> Vec<(u32, Type)> {
    let mut parts = Vec::new();
    let mut at = 0;
    for ty in [I8X16, I64, I32, I16, I8] {
        while n_bytes - at >= ty.bytes() {
            parts.push((at, ty));
            at += ty.bytes();
        }
    }
    parts
}

pub(super) fn shifted(address: Address, by: u32) -> Address {
    Address { offset: address.offset + by as i32, ..address }
}
