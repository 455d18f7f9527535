//! Evaluation of expressions: C's arithmetic on 32 bits.

use unpick_base::Span;

use super::work::Work;
use super::{Fault, FaultKind, Machine};
use crate::{Binary, Expr, Match, Place, Probe, ProctypeId, Receive, Scope, Unary};

/// The result of an operator before its operand.
pub fn unary(operator: Unary, value: i32) -> i32 {
    match operator {
        Unary::Not => i32::from(value == 0),
        Unary::Minus => value.wrapping_neg(),
        Unary::Complement => !value,
    }
}

/// The result of an operator between its operands; `None` for a division by zero.
pub fn binary(operator: Binary, left: i32, right: i32) -> Option<i32> {
    Some(match operator {
        Binary::Or => i32::from(left != 0 || right != 0),
        Binary::And => i32::from(left != 0 && right != 0),
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::BitAnd => left & right,
        Binary::Equal => i32::from(left == right),
        Binary::NotEqual => i32::from(left != right),
        Binary::Less => i32::from(left < right),
        Binary::LessEqual => i32::from(left <= right),
        Binary::Greater => i32::from(left > right),
        Binary::GreaterEqual => i32::from(left >= right),
        // The shift count is taken modulo 32, as the machine does.
        Binary::ShiftLeft => left.wrapping_shl(right as u32),
        Binary::ShiftRight => left.wrapping_shr(right as u32),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => return (right != 0).then(|| left.wrapping_div(right)),
        Binary::Remainder => return (right != 0).then(|| left.wrapping_rem(right)),
    })
}

impl Machine<'_> {
    /// The value of an expression for a process. Only `run` changes the state.
    pub(super) fn eval(&self, work: &mut Work, process: u8, expr: &Expr) -> Result<i32, Fault> {
        let fault = |kind| Err(Fault { kind, span: Span::NONE });
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Load(place) => self.load(work, process, place)?,
            Expr::Pid => process.into(),
            Expr::ProcessCount => work.processes.len() as i32,
            Expr::Last => work.last().into(),
            Expr::Priority => self.process_at(work, process.into()).map_or(0, |pid| work.priority(pid).into()),
            Expr::Unary(operator, operand) => {
                let value = self.eval(work, process, operand)?;
                unary(*operator, value)
            }
            Expr::Binary(operator, left, right) => return self.eval_binary(work, process, *operator, left, right),
            Expr::Conditional(parts) => {
                let (condition, yes, no) = &**parts;
                let chosen = if self.eval(work, process, condition)? != 0 { yes } else { no };
                self.eval(work, process, chosen)?
            }
            Expr::Run(run) => {
                let mut args = Vec::with_capacity(run.args.len());
                for arg in &run.args {
                    args.push(self.eval(work, process, arg)?);
                }
                self.spawn(work, run.proctype, &args, run.priority, run.span)?
            }
            Expr::Len(channel) => self.channel_state(work, process, channel)?.0,
            Expr::Probe(probe, channel) => {
                let (len, capacity) = self.channel_state(work, process, channel)?;
                let is_full = len == capacity.max(1);
                i32::from(match probe {
                    Probe::Full => is_full,
                    Probe::Nfull => !is_full,
                    Probe::Empty => len == 0,
                    Probe::Nempty => len > 0,
                })
            }
            Expr::Poll(poll) => i32::from(self.poll(work, process, poll)?),
            Expr::Enabled(pid) => {
                let pid = self.eval(work, process, pid)?;
                let asked = u8::try_from(pid).ok();
                if asked.is_some_and(|asked| asked == process || work.asking.contains(&asked)) {
                    return fault(FaultKind::EnabledSelf);
                }
                match asked {
                    Some(asked) if usize::from(asked) < work.processes.len() => {
                        work.asking.push(process);
                        let is_enabled = self.is_enabled(work, asked);
                        work.asking.pop();
                        i32::from(is_enabled?)
                    }
                    _ => 0,
                }
            }
            Expr::GetPriority(pid) => {
                let pid = self.eval(work, process, pid)?;
                self.process_at(work, pid).map_or(0, |pid| work.priority(pid).into())
            }
            Expr::PcValue(pid) => {
                let pid = self.eval(work, process, pid)?;
                self.process_at(work, pid).map_or(0, |pid| work.position(pid).1.0 as i32)
            }
            Expr::Timeout => i32::from(work.is_timeout),
            Expr::NonProgress => i32::from(!work.is_stuttering && !self.is_progress(&work.bytes)),
            Expr::RemoteLabel(proctype, pid, location) => {
                match self.remote(work, process, *proctype, pid.as_deref())? {
                    Some(pid) => i32::from(work.position(pid).1 == *location),
                    None => 0,
                }
            }
            Expr::RemoteVar(proctype, pid, place) => match self.remote(work, process, *proctype, pid.as_deref())? {
                Some(pid) => {
                    let at = work.processes[pid] + self.model.process_head();
                    let offset = self.offset(work, process, place)?;
                    work.read(at + offset, place.scalar)
                }
                None => 0,
            },
            Expr::Code(piece, span) => self.code_value(work, process, *piece, *span)?,
        })
    }

    fn eval_binary(
        &self,
        work: &mut Work,
        process: u8,
        operator: Binary,
        left: &Expr,
        right: &Expr,
    ) -> Result<i32, Fault> {
        let left = self.eval(work, process, left)?;
        match operator {
            Binary::And if left == 0 => return Ok(0),
            Binary::Or if left != 0 => return Ok(1),
            _ => {}
        }
        let right = self.eval(work, process, right)?;
        binary(operator, left, right).ok_or(Fault { kind: FaultKind::Division, span: Span::NONE })
    }

    fn process_at(&self, work: &Work, pid: i32) -> Option<usize> {
        usize::try_from(pid).ok().filter(|pid| *pid < work.processes.len())
    }

    /// The process a remote reference means: the one with this number, or the first of the type.
    fn remote(
        &self,
        work: &mut Work,
        process: u8,
        proctype: ProctypeId,
        pid: Option<&Expr>,
    ) -> Result<Option<usize>, Fault> {
        let is_right = |work: &Work, pid: &usize| work.position(*pid).0 == proctype;
        Ok(match pid {
            Some(pid) => {
                let pid = self.eval(work, process, pid)?;
                self.process_at(work, pid).filter(|pid| is_right(work, pid))
            }
            None => (0..work.processes.len()).find(|pid| is_right(work, pid)),
        })
    }

    /// Bytes from the first variable of the frame to the place.
    pub(super) fn offset(&self, work: &mut Work, process: u8, place: &Place) -> Result<usize, Fault> {
        let mut offset = place.offset as usize;
        for index in &place.indices {
            let value = self.eval(work, process, &index.expr)?;
            match usize::try_from(value) {
                Ok(value) if value < index.count as usize => offset += value * index.stride as usize,
                _ => return Err(Fault { kind: FaultKind::Index, span: index.span }),
            }
        }
        Ok(offset)
    }

    /// Where a place lies in the state; nowhere if what is written is lost.
    fn address(&self, work: &mut Work, process: u8, place: &Place) -> Result<Option<usize>, Fault> {
        let offset = self.offset(work, process, place)?;
        Ok(match place.scope {
            Scope::Global => Some(work.globals + self.model.global_head() + offset),
            Scope::Hidden => Some(offset),
            Scope::Local => Some(work.processes[usize::from(process)] + self.model.process_head() + offset),
            Scope::Nowhere => None,
        })
    }

    pub(super) fn load(&self, work: &mut Work, process: u8, place: &Place) -> Result<i32, Fault> {
        Ok(self.address(work, process, place)?.map_or(0, |at| work.read(at, place.scalar)))
    }

    pub(super) fn store(&self, work: &mut Work, process: u8, place: &Place, value: i32) -> Result<(), Fault> {
        if let Some(at) = self.address(work, process, place)? {
            work.write(at, place.scalar, value);
        }
        Ok(())
    }

    /// The position of the channel that an expression names.
    pub(super) fn channel(&self, work: &mut Work, process: u8, channel: &Expr) -> Result<usize, Fault> {
        let number = self.eval(work, process, channel)?;
        match usize::try_from(number) {
            Ok(number) if (1..=work.channels.len()).contains(&number) => Ok(number - 1),
            _ => Err(Fault { kind: FaultKind::NoChannel, span: Span::NONE }),
        }
    }

    /// How many messages a channel holds and can hold.
    fn channel_state(&self, work: &mut Work, process: u8, channel: &Expr) -> Result<(i32, i32), Fault> {
        let channel = self.channel(work, process, channel)?;
        let (at, ty) = work.channels[channel];
        Ok((work.bytes[at].into(), self.model.channel_types[ty].capacity as i32))
    }

    fn poll(&self, work: &mut Work, process: u8, poll: &Receive) -> Result<bool, Fault> {
        let channel = self.channel(work, process, &poll.channel)?;
        let ty = work.channels[channel].1;
        if self.model.channel_types[ty].capacity == 0 {
            work.faults.push(Fault { kind: FaultKind::RendezvousPoll, span: poll.span });
            return Ok(false);
        }
        // Without anything to match, only the oldest message is looked at.
        let is_random = poll.is_random && poll.args.iter().any(|arg| matches!(arg, Match::Equal(_)));
        let receive = Receive { is_random, ..poll.clone() };
        Ok(self.find_message(work, process, channel, &receive)?.is_some())
    }
}
