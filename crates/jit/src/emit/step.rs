//! Code for steps in two parts: guards and operands first, then the changes in the copy.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use unpick_automaton::{Match, Receive, Scalar, Step};

use super::channel::Channel;
use super::{Address, Emitted, Emitter, NotCompilable, View};
use crate::context::{Context, Offer};

/// What a step changes.
pub(super) enum Effect<'m> {
    Nothing,
    Assign(Option<Address>, Scalar, Value),
    Put {
        channel: Channel,
        len: Value,
        values: Vec<Value>,
    },
    Take {
        channel: Channel,
        len: Value,
        receive: &'m Receive,
        values: Vec<Option<Value>>,
    },
    /// The offered message is kept.
    Accept {
        receive: &'m Receive,
        values: Vec<Option<Value>>,
    },
    /// Something is wrong if the value, 0 or 1 in 8 bits, is 1.
    Fault(Value),
    End,
}

impl<'a> Emitter<'a, '_> {
    /// Goes to `no` if the step cannot be taken; nothing at all if it never can. Values are read from the view.
    pub(super) fn guard<'m>(&mut self, view: View, step: &'m Step, no: Block) -> Emitted<Option<Effect<'m>>> {
        Ok(Some(match step {
            Step::Skip | Step::Else => Effect::Nothing,
            Step::Condition(expr) => {
                let yes = self.builder.create_block();
                self.branch(view, expr, yes, no)?;
                self.builder.switch_to_block(yes);
                Effect::Nothing
            }
            Step::Assign(place, expr) => {
                let value = self.value(view, expr)?;
                Effect::Assign(self.address(view, place)?, place.scalar, value)
            }
            Step::Send { channel, is_sorted, args } => {
                let channel = self.channel(view, channel)?;
                let ty = self.channel_type(&channel);
                if *is_sorted || args.len() != ty.fields.len() || ty.capacity == 0 {
                    return Err(NotCompilable(
                        "sorted sends, messages with too many or too few fields, rendezvous in a d_step",
                    ));
                }
                let len = self.len_of(view, &channel);
                let has_room = self.compare(IntCC::UnsignedLessThan, len, ty.capacity.into());
                self.require(has_room, no);
                let values = args.iter().map(|arg| self.value(view, arg)).collect::<Emitted<_>>()?;
                Effect::Put { channel, len, values }
            }
            Step::Receive(receive) => return self.receive(view, receive, no),
            Step::Assert(expr) => {
                let truth = self.truth(view, expr)?;
                Effect::Fault(self.builder.ins().bxor_imm_u(truth, 1))
            }
            // Nothing is printed, but arguments can be wrong.
            Step::Printf(_, args) => {
                for arg in args {
                    self.value(view, arg)?;
                }
                Effect::Nothing
            }
            Step::Printm(expr, _) => {
                self.value(view, expr)?;
                Effect::Nothing
            }
            Step::End if self.has_data() => return Err(NotCompilable("the end of a process with C data")),
            Step::End => {
                let n_processes = self.field(I32, offset_of!(Context, n_processes));
                let next = self.add(self.process, 1);
                let is_youngest = self.builder.ins().icmp(IntCC::Equal, next, n_processes);
                self.require(is_youngest, no);
                Effect::End
            }
            Step::SetPriority(..) | Step::Code(_) | Step::DStep(_) => {
                return Err(NotCompilable("set_priority, embedded C, a d_step in a d_step"));
            }
        }))
    }

    /// Whether C data end with the process.
    fn has_data(&self) -> bool {
        let embedded = self.model.embedded.as_ref();
        embedded.zip(self.proctype).is_some_and(|(embedded, proctype)| embedded.has_data(proctype))
    }

    fn receive<'m>(&mut self, view: View, receive: &'m Receive, no: Block) -> Emitted<Option<Effect<'m>>> {
        let channel = self.channel(view, &receive.channel)?;
        let ty = self.channel_type(&channel);
        if ty.capacity > 0 {
            if self.is_taker {
                return Ok(None);
            }
            let len = self.matching(view, &channel, receive, no)?;
            let values = self.oldest(view, &channel, receive);
            return Ok(Some(Effect::Take { channel, len, receive, values }));
        }
        if receive.is_copy || receive.args.len() != ty.fields.len() {
            return Err(NotCompilable("a look into a rendezvous channel, messages with too many or too few fields"));
        }
        if !self.is_taker {
            return Ok(None);
        }
        let number = self.channel_number(view, &receive.channel)?;
        let offered = self.field(I32, offset_of!(Context, offer) + offset_of!(Offer, channel));
        let is_same = self.builder.ins().icmp(IntCC::Equal, number, offered);
        self.require(is_same, no);
        let mut values = Vec::new();
        for (field, arg) in receive.args.iter().enumerate() {
            let value = self.field(I32, offset_of!(Context, offer) + offset_of!(Offer, values) + 4 * field);
            match arg {
                Match::Store(_) => values.push(Some(value)),
                Match::Equal(expr) => {
                    let wanted = self.value(view, expr)?;
                    let is_equal = self.builder.ins().icmp(IntCC::Equal, value, wanted);
                    self.require(is_equal, no);
                    values.push(None);
                }
            }
        }
        Ok(Some(Effect::Accept { receive, values }))
    }

    /// Changes the copy; what was there before is still in `from`. The value is a fault, if one is possible.
    pub(super) fn apply(&mut self, from: View, to: View, effect: &Effect) -> Emitted<Option<Value>> {
        match effect {
            Effect::Nothing | Effect::End => {}
            Effect::Assign(address, scalar, value) => {
                if let Some(address) = address {
                    self.write(to, *address, *scalar, *value);
                }
            }
            Effect::Put { channel, len, values } => self.put(to, channel, *len, values),
            Effect::Take { channel, len, receive, values } => {
                if !receive.is_copy {
                    self.drop_oldest(from, to, channel, *len)?;
                }
                self.keep(to, receive, values)?;
            }
            Effect::Accept { receive, values } => self.keep(to, receive, values)?,
            Effect::Fault(fault) => return Ok(Some(*fault)),
        }
        Ok(None)
    }

    /// Keeps the fields of a message one after the other: where one goes may depend on those before.
    fn keep(&mut self, to: View, receive: &Receive, values: &[Option<Value>]) -> Emitted<()> {
        for (arg, value) in receive.args.iter().zip(values) {
            if let (Match::Store(place), Some(value)) = (arg, value)
                && let Some(address) = self.address(to, place)?
            {
                self.write(to, address, place.scalar, *value);
            }
        }
        Ok(())
    }
}
