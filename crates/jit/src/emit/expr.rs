//! Code for expressions, and branches on them.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use unpick_automaton::{Binary, Expr, Place, Probe, ProctypeId, Scope, Unary};

use super::{Address, Emitted, Emitter, NotCompilable, View, flags, own};
use crate::context::Context;
use crate::facts::limit;

impl Emitter<'_, '_> {
    /// Goes to one block or the other.
    pub(super) fn branch(&mut self, view: View, expr: &Expr, yes: Block, no: Block) -> Emitted<()> {
        match expr {
            Expr::Const(value) => {
                self.builder.ins().jump(if *value != 0 { yes } else { no }, &[]);
                return Ok(());
            }
            Expr::Unary(Unary::Not, operand) => return self.branch(view, operand, no, yes),
            Expr::Binary(operator @ (Binary::And | Binary::Or), left, right) if !self.facts.is_simple(right) => {
                let go_on = self.builder.create_block();
                match operator {
                    Binary::And => self.branch(view, left, go_on, no)?,
                    _ => self.branch(view, left, yes, go_on)?,
                }
                self.builder.switch_to_block(go_on);
                return self.branch(view, right, yes, no);
            }
            _ => {}
        }
        let truth = self.truth(view, expr)?;
        self.builder.ins().brif(truth, yes, &[], no, &[]);
        Ok(())
    }

    /// Whether the value is other than zero, as 0 or 1 in 8 bits.
    pub(super) fn truth(&mut self, view: View, expr: &Expr) -> Emitted<Value> {
        match expr {
            Expr::Unary(Unary::Not, operand) => {
                let truth = self.truth(view, operand)?;
                return Ok(self.builder.ins().bxor_imm_u(truth, 1));
            }
            Expr::Binary(operator, left, right) => {
                if let Some(how) = comparison(*operator) {
                    let left = self.value(view, left)?;
                    if let Expr::Const(right) = **right {
                        return Ok(self.compare(how, left, right.into()));
                    }
                    let right = self.value(view, right)?;
                    return Ok(self.builder.ins().icmp(how, left, right));
                }
                if matches!(operator, Binary::And | Binary::Or) {
                    return self.both(view, *operator, left, right);
                }
            }
            _ => {}
        }
        let value = self.value(view, expr)?;
        Ok(self.compare(IntCC::NotEqual, value, 0))
    }

    /// `&&` and `||`: without a jump where the right side may always be computed.
    fn both(&mut self, view: View, operator: Binary, left: &Expr, right: &Expr) -> Emitted<Value> {
        let is_and = operator == Binary::And;
        let first = self.truth(view, left)?;
        if self.facts.is_simple(right) {
            let second = self.truth(view, right)?;
            let ins = self.builder.ins();
            return Ok(if is_and { ins.band(first, second) } else { ins.bor(first, second) });
        }
        let (more, done) = (self.builder.create_block(), self.builder.create_block());
        let result = self.builder.append_block_param(done, I8);
        let known = self.builder.ins().iconst(I8, i64::from(!is_and));
        match is_and {
            true => self.builder.ins().brif(first, more, &[], done, &[known.into()]),
            false => self.builder.ins().brif(first, done, &[known.into()], more, &[]),
        };
        self.builder.switch_to_block(more);
        let second = self.truth(view, right)?;
        self.builder.ins().jump(done, &[second.into()]);
        self.builder.switch_to_block(done);
        Ok(result)
    }

    /// The value in 32 bits.
    pub(super) fn value(&mut self, view: View, expr: &Expr) -> Emitted<Value> {
        Ok(match expr {
            Expr::Const(value) => self.int(*value),
            Expr::Load(place) => self.load(view, place)?,
            Expr::Pid => self.process,
            Expr::ProcessCount => self.field(I32, offset_of!(Context, n_processes)),
            Expr::Last => self.last(view)?,
            Expr::Unary(operator, operand) => match operator {
                Unary::Not => {
                    let truth = self.truth(view, expr)?;
                    self.builder.ins().uextend(I32, truth)
                }
                Unary::Minus => {
                    let value = self.value(view, operand)?;
                    self.builder.ins().ineg(value)
                }
                Unary::Complement => {
                    let value = self.value(view, operand)?;
                    self.builder.ins().bnot(value)
                }
            },
            Expr::Binary(operator, left, right) => self.binary(view, expr, *operator, left, right)?,
            Expr::Conditional(parts) => self.conditional(view, &parts.0, &parts.1, &parts.2)?,
            Expr::Len(channel) => self.any_len(view, channel)?,
            Expr::Probe(probe, channel) => self.probe(view, *probe, channel)?,
            Expr::Poll(poll) => self.poll(view, poll)?,
            Expr::Timeout => self.field(I32, offset_of!(Context, is_timeout)),
            Expr::PcValue(pid) => {
                self.demand_positions()?;
                let pid = self.value(view, pid)?;
                self.with_process(view, pid, |this, frame| this.builder.ins().uload16(I32, flags(view), frame, 1))
            }
            Expr::NonProgress => {
                self.demand_positions()?;
                self.non_progress(view)
            }
            Expr::RemoteLabel(proctype, pid, location) => {
                self.demand_positions()?;
                let wanted = i64::from(proctype.0 | location.0 << 8);
                let pid = match pid {
                    Some(pid) => self.value(view, pid)?,
                    None => self.first_of(view, *proctype),
                };
                self.with_process(view, pid, |this, frame| {
                    // Type and location lie side by side.
                    let word = this.builder.ins().load(I32, flags(view), frame, 0);
                    let word = this.builder.ins().band_imm_u(word, 0xff_ffff);
                    let truth = this.builder.ins().icmp_imm_u(IntCC::Equal, word, wanted);
                    this.builder.ins().uextend(I32, truth)
                })
            }
            Expr::RemoteVar(proctype, pid, place) if place.scope == Scope::Local => {
                let address = self.address(view, place)?.ok_or(NotCompilable("a remote variable that is nowhere"))?;
                let pid = match pid {
                    Some(pid) => self.value(view, pid)?,
                    None => self.first_of(view, *proctype),
                };
                let scalar = place.scalar;
                self.with_process(view, pid, |this, frame| {
                    let actual = this.builder.ins().uload8(I32, flags(view), frame, 0);
                    let is_right = this.compare(IntCC::Equal, actual, proctype.0.into());
                    this.if_else_zero(is_right, |this| this.read(View { frame, ..view }, address, scalar))
                })
            }
            Expr::Run(_) => return Err(NotCompilable("run")),
            Expr::RemoteVar(..) | Expr::Priority | Expr::Enabled(_) | Expr::GetPriority(_) | Expr::Code(..) => {
                return Err(NotCompilable("priorities, enabled, embedded C"));
            }
        })
    }

    fn binary(&mut self, view: View, expr: &Expr, operator: Binary, left: &Expr, right: &Expr) -> Emitted<Value> {
        if comparison(operator).is_some() || matches!(operator, Binary::And | Binary::Or) {
            let truth = self.truth(view, expr)?;
            return Ok(self.builder.ins().uextend(I32, truth));
        }
        let first = self.value(view, left)?;
        if matches!(operator, Binary::Divide | Binary::Remainder) {
            return self.divide(view, operator == Binary::Divide, first, right);
        }
        let second = self.value(view, right)?;
        let ins = self.builder.ins();
        Ok(match operator {
            Binary::BitOr => ins.bor(first, second),
            Binary::BitXor => ins.bxor(first, second),
            Binary::BitAnd => ins.band(first, second),
            Binary::ShiftLeft => ins.ishl(first, second),
            Binary::ShiftRight => ins.sshr(first, second),
            Binary::Add => ins.iadd(first, second),
            Binary::Subtract => ins.isub(first, second),
            Binary::Multiply => ins.imul(first, second),
            Binary::Or
            | Binary::And
            | Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::Divide
            | Binary::Remainder => return Err(NotCompilable("an operator that should have been treated before")),
        })
    }

    fn divide(&mut self, view: View, is_quotient: bool, first: Value, right: &Expr) -> Emitted<Value> {
        let second = self.value(view, right)?;
        if let Expr::Const(divisor) = right
            && !matches!(divisor, 0 | -1)
        {
            let ins = self.builder.ins();
            return Ok(if is_quotient { ins.sdiv(first, second) } else { ins.srem(first, second) });
        }
        let is_valid = self.compare(IntCC::NotEqual, second, 0);
        self.demand(is_valid);
        // In 64 bits the smallest number divided by -1 is no overflow.
        let (first, second) = (self.builder.ins().sextend(I64, first), self.builder.ins().sextend(I64, second));
        let ins = self.builder.ins();
        let result = if is_quotient { ins.sdiv(first, second) } else { ins.srem(first, second) };
        Ok(self.builder.ins().ireduce(I32, result))
    }

    fn conditional(&mut self, view: View, condition: &Expr, yes: &Expr, no: &Expr) -> Emitted<Value> {
        let blocks = [self.builder.create_block(), self.builder.create_block(), self.builder.create_block()];
        let result = self.builder.append_block_param(blocks[2], I32);
        self.branch(view, condition, blocks[0], blocks[1])?;
        for (block, expr) in [(blocks[0], yes), (blocks[1], no)] {
            self.builder.switch_to_block(block);
            let value = self.value(view, expr)?;
            self.builder.ins().jump(blocks[2], &[value.into()]);
        }
        self.builder.switch_to_block(blocks[2]);
        Ok(result)
    }

    fn last(&mut self, view: View) -> Emitted<Value> {
        if !self.model.has_last {
            return Ok(self.int(0));
        }
        self.demand_positions()?;
        let offset = self.model.hidden_size as i32 + 1;
        Ok(self.builder.ins().uload8(I32, flags(view), view.base, offset))
    }

    /// Where processes are is only right in a state that no step has begun to change: a receiver in a rendezvous
    /// sees the sender where it was, and inside a `d_step` the location is set at its end.
    fn demand_positions(&self) -> Emitted<()> {
        if self.is_taker || self.is_in_d_step {
            Err(NotCompilable("a look at locations inside a step"))
        } else {
            Ok(())
        }
    }

    fn load(&mut self, view: View, place: &Place) -> Emitted<Value> {
        Ok(match self.address(view, place)? {
            Some(address) => self.read(view, address, place.scalar),
            None => self.int(0),
        })
    }

    /// Where a place lies; nowhere if what is written there is lost.
    pub(super) fn address(&mut self, view: View, place: &Place) -> Emitted<Option<Address>> {
        let (is_in_frame, head) = match place.scope {
            Scope::Global => (false, self.model.hidden_size + self.model.global_head() as u32),
            Scope::Hidden => (false, 0),
            Scope::Local => (true, self.model.process_head() as u32),
            Scope::Nowhere => (false, 0),
        };
        let mut offset = head + place.offset;
        let mut dynamic = None;
        for index in &place.indices {
            if let Expr::Const(value) = index.expr {
                let value = u32::try_from(value).ok().filter(|value| *value < index.count);
                let value = value.ok_or(NotCompilable("an index that is always wrong"))?;
                offset += value * index.stride;
                continue;
            }
            let value = self.value(view, &index.expr)?;
            if limit(&index.expr).is_none_or(|limit| limit > index.count) {
                let is_valid = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, i64::from(index.count));
                self.demand(is_valid);
            }
            let value = self.builder.ins().uextend(I64, value);
            let value = self.scale(value, index.stride);
            dynamic = Some(match dynamic {
                Some(sum) => self.builder.ins().iadd(sum, value),
                None => value,
            });
        }
        let offset = i32::try_from(offset).map_err(|_| NotCompilable("a long state"))?;
        Ok((place.scope != Scope::Nowhere).then_some(Address { is_in_frame, dynamic, offset }))
    }

    fn probe(&mut self, view: View, probe: Probe, channel: &Expr) -> Emitted<Value> {
        let truth = match probe {
            Probe::Empty | Probe::Nempty => {
                let len = self.any_len(view, channel)?;
                let how = if probe == Probe::Empty { IntCC::Equal } else { IntCC::NotEqual };
                self.compare(how, len, 0)
            }
            Probe::Full | Probe::Nfull => {
                let channel = self.channel(view, channel)?;
                let full = self.channel_type(&channel).capacity.max(1);
                let len = self.len_of(view, &channel);
                let how = if probe == Probe::Full { IntCC::Equal } else { IntCC::NotEqual };
                self.compare(how, len, full.into())
            }
        };
        Ok(self.builder.ins().uextend(I32, truth))
    }

    /// Whether no process is at a progress location.
    fn non_progress(&mut self, view: View) -> Value {
        let exit = self.builder.create_block();
        let result = self.builder.append_block_param(exit, I32);
        self.for_each_process(|this, pid| {
            let frame = this.frame_of(view, pid);
            let slot = this.slot_of(view, frame);
            let table = this.field(I64, offset_of!(Context, progress));
            let entry = this.builder.ins().iadd(table, slot);
            let is_progress = this.builder.ins().uload8(I32, own(), entry, 0);
            let none = this.int(0);
            let go_on = this.builder.create_block();
            this.builder.ins().brif(is_progress, exit, &[none.into()], go_on, &[]);
            this.builder.switch_to_block(go_on);
        });
        let all = self.int(1);
        self.builder.ins().jump(exit, &[all.into()]);
        self.builder.switch_to_block(exit);
        result
    }

    /// The oldest process of a type; a number that no process has if there is none.
    fn first_of(&mut self, view: View, proctype: ProctypeId) -> Value {
        let exit = self.builder.create_block();
        let result = self.builder.append_block_param(exit, I32);
        self.for_each_process(|this, pid| {
            let frame = this.frame_of(view, pid);
            let ty = this.builder.ins().uload8(I32, flags(view), frame, 0);
            let is_right = this.compare(IntCC::Equal, ty, proctype.0.into());
            let go_on = this.builder.create_block();
            this.builder.ins().brif(is_right, exit, &[pid.into()], go_on, &[]);
            this.builder.switch_to_block(go_on);
        });
        let none = self.int(-1);
        self.builder.ins().jump(exit, &[none.into()]);
        self.builder.switch_to_block(exit);
        result
    }

    /// Code that is run for every process, oldest first.
    fn for_each_process(&mut self, each: impl FnOnce(&mut Self, Value)) {
        let [head, body, exit] = std::array::from_fn(|_| self.builder.create_block());
        let pid = self.builder.append_block_param(head, I32);
        let first = self.int(0);
        self.builder.ins().jump(head, &[first.into()]);
        self.builder.switch_to_block(head);
        let n_processes = self.field(I32, offset_of!(Context, n_processes));
        let is_left = self.builder.ins().icmp(IntCC::UnsignedLessThan, pid, n_processes);
        self.builder.ins().brif(is_left, body, &[], exit, &[]);
        self.builder.switch_to_block(body);
        each(self, pid);
        let next = self.add(pid, 1);
        self.builder.ins().jump(head, &[next.into()]);
        self.builder.switch_to_block(exit);
    }

    /// The slot of a process's type and location.
    pub(super) fn slot_of(&mut self, view: View, frame: Value) -> Value {
        let ty = self.builder.ins().uload8(I64, flags(view), frame, 0);
        let at = self.builder.ins().uload16(I64, flags(view), frame, 1);
        let slots = self.field(I64, offset_of!(Context, first_slot));
        let ty = self.scale(ty, 4);
        let first = self.builder.ins().iadd(slots, ty);
        let first = self.builder.ins().uload32(own(), first, 0);
        self.builder.ins().iadd(first, at)
    }

    /// What is found in the frame of a process; 0 if there is none with this number.
    fn with_process(&mut self, view: View, pid: Value, then: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let n_processes = self.field(I32, offset_of!(Context, n_processes));
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, pid, n_processes);
        self.if_else_zero(exists, |this| {
            let frame = this.frame_of(view, pid);
            then(this, frame)
        })
    }

    fn if_else_zero(&mut self, condition: Value, then: impl FnOnce(&mut Self) -> Value) -> Value {
        let (found, done) = (self.builder.create_block(), self.builder.create_block());
        let result = self.builder.append_block_param(done, I32);
        let none = self.int(0);
        self.builder.ins().brif(condition, found, &[], done, &[none.into()]);
        self.builder.switch_to_block(found);
        let value = then(self);
        self.builder.ins().jump(done, &[value.into()]);
        self.builder.switch_to_block(done);
        result
    }

    /// Where the frame of a process begins.
    pub(super) fn frame_of(&mut self, view: View, pid: Value) -> Value {
        let index = self.builder.ins().uextend(I64, pid);
        let index = self.scale(index, 4);
        let entry = self.builder.ins().iadd(self.context, index);
        let offset = self.builder.ins().uload32(own(), entry, offset_of!(Context, frames) as i32);
        self.builder.ins().iadd(view.base, offset)
    }
}

fn comparison(operator: Binary) -> Option<IntCC> {
    match operator {
        Binary::Equal => Some(IntCC::Equal),
        Binary::NotEqual => Some(IntCC::NotEqual),
        Binary::Less => Some(IntCC::SignedLessThan),
        Binary::LessEqual => Some(IntCC::SignedLessThanOrEqual),
        Binary::Greater => Some(IntCC::SignedGreaterThan),
        Binary::GreaterEqual => Some(IntCC::SignedGreaterThanOrEqual),
        Binary::Or
        | Binary::And
        | Binary::BitOr
        | Binary::BitXor
        | Binary::BitAnd
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::Add
        | Binary::Subtract
        | Binary::Multiply
        | Binary::Divide
        | Binary::Remainder => None,
    }
}
