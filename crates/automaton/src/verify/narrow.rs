//! Rule about narrow values: bytes that hold a value of fewer bits hold nothing else.

use std::collections::{HashMap, HashSet};

use super::Verifier;
use crate::{Automaton, Expr, Frame, FrameInit, Match, Place, ProctypeId, Scalar, Scope, Step};

/// Whose bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Global,
    Hidden,
    Local(ProctypeId),
}

/// A place without the values of its indices.
type Shape = (Owner, u32, Vec<(u32, u32)>, Scalar);

/// All shapes that occur.
#[derive(Default)]
struct Shapes {
    found: HashSet<Shape>,
}

impl Verifier<'_> {
    /// Looks for places that overlap with a narrow one and keep something else.
    pub(super) fn narrow(&mut self) {
        let mut shapes = Shapes::default();
        let model = self.model;
        shapes.frame(None, &model.globals);
        for (id, proctype) in model.proctypes.iter_enumerated() {
            shapes.frame(Some(id), &proctype.frame);
            proctype.params.iter().for_each(|place| shapes.place(Some(id), place));
            proctype.provided.iter().for_each(|expr| shapes.expr(Some(id), expr));
            shapes.automaton(Some(id), &proctype.automaton);
        }
        model.claims.iter().for_each(|claim| shapes.automaton(None, &claim.automaton));
        model.traces.iter().for_each(|(_, automaton)| shapes.automaton(None, automaton));
        let owners: HashSet<Owner> =
            shapes.found.iter().filter(|shape| is_narrow(shape.3)).map(|shape| shape.0).collect();
        for owner in owners {
            let clash = clash(shapes.found.iter().filter(|shape| shape.0 == owner));
            self.require(clash.is_none(), 10, || {
                format!("byte {} of {owner:?} keeps values of several kinds, one of them narrow", clash.unwrap_or(0))
            });
        }
    }
}

/// A byte that two scalars share, one of them narrow.
fn clash<'s>(shapes: impl Iterator<Item = &'s Shape>) -> Option<u32> {
    let mut kept: HashMap<u32, (Scalar, u32)> = HashMap::new();
    for (_, offset, indices, scalar) in shapes {
        for first in offsets(*offset, indices) {
            for byte in first..first + scalar.size() {
                let (known, start) = *kept.entry(byte).or_insert((*scalar, first));
                let is_narrow = is_narrow(known) || is_narrow(*scalar);
                if is_narrow && (known, start) != (*scalar, first) {
                    return Some(byte);
                }
            }
        }
    }
    None
}

/// Every offset that the indices lead to, each once.
fn offsets(offset: u32, indices: &[(u32, u32)]) -> Vec<u32> {
    let mut offsets = vec![offset];
    for (count, stride) in indices {
        let all = offsets.iter().flat_map(|offset| (0..*count).map(move |value| offset + value * stride));
        let all: HashSet<u32> = all.collect();
        offsets = all.into_iter().collect();
    }
    offsets
}

fn is_narrow(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Bit => true,
        Scalar::Byte | Scalar::Short | Scalar::Int => false,
        Scalar::Unsigned(bits) => u32::from(bits) != 8 * scalar.size(),
    }
}

impl Shapes {
    fn place(&mut self, proctype: Option<ProctypeId>, place: &Place) {
        let owner = match place.scope {
            Scope::Global => Some(Owner::Global),
            Scope::Hidden => Some(Owner::Hidden),
            Scope::Local => proctype.map(Owner::Local),
            Scope::Nowhere => None,
        };
        if let Some(owner) = owner {
            self.owned(owner, place);
        }
        place.indices.iter().for_each(|index| self.expr(proctype, &index.expr));
    }

    fn owned(&mut self, owner: Owner, place: &Place) {
        let mut offset = place.offset;
        let mut indices = Vec::new();
        for index in &place.indices {
            match index.expr {
                Expr::Const(value) if u32::try_from(value).is_ok_and(|value| value < index.count) => {
                    offset += value as u32 * index.stride;
                }
                _ => indices.push((index.count, index.stride)),
            }
        }
        self.found.insert((owner, offset, indices, place.scalar));
    }

    fn frame(&mut self, proctype: Option<ProctypeId>, frame: &Frame) {
        for init in &frame.init {
            match init {
                FrameInit::Value(place, expr) => {
                    self.place(proctype, place);
                    self.expr(proctype, expr);
                }
                FrameInit::Channel(place, _) => self.place(proctype, place),
            }
        }
        frame.vars.iter().for_each(|var| self.place(proctype, &var.place));
    }

    fn automaton(&mut self, proctype: Option<ProctypeId>, automaton: &Automaton) {
        for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
            match &transition.step {
                Step::Skip | Step::Else | Step::Code(_) | Step::DStep(_) | Step::End => {}
                Step::Condition(expr) | Step::Assert(expr) | Step::Printm(expr, _) => self.expr(proctype, expr),
                Step::Assign(place, expr) => {
                    self.place(proctype, place);
                    self.expr(proctype, expr);
                }
                Step::Send { channel, args, .. } => {
                    self.expr(proctype, channel);
                    args.iter().for_each(|arg| self.expr(proctype, arg));
                }
                Step::Receive(receive) => self.receive(proctype, receive),
                Step::Printf(_, args) => args.iter().for_each(|arg| self.expr(proctype, arg)),
                Step::SetPriority(pid, priority) => {
                    self.expr(proctype, pid);
                    self.expr(proctype, priority);
                }
            }
        }
    }

    fn receive(&mut self, proctype: Option<ProctypeId>, receive: &crate::Receive) {
        self.expr(proctype, &receive.channel);
        for arg in &receive.args {
            match arg {
                Match::Store(place) => self.place(proctype, place),
                Match::Equal(expr) => self.expr(proctype, expr),
            }
        }
    }

    fn expr(&mut self, proctype: Option<ProctypeId>, expr: &Expr) {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Priority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Code(..) => {}
            Expr::Load(place) => self.place(proctype, place),
            Expr::Unary(_, operand)
            | Expr::Len(operand)
            | Expr::Probe(_, operand)
            | Expr::Enabled(operand)
            | Expr::GetPriority(operand)
            | Expr::PcValue(operand) => self.expr(proctype, operand),
            Expr::Binary(_, left, right) => {
                self.expr(proctype, left);
                self.expr(proctype, right);
            }
            Expr::Conditional(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| self.expr(proctype, part));
            }
            Expr::Run(run) => run.args.iter().for_each(|arg| self.expr(proctype, arg)),
            Expr::Poll(receive) => self.receive(proctype, receive),
            Expr::RemoteLabel(_, pid, _) => pid.iter().for_each(|pid| self.expr(proctype, pid)),
            Expr::RemoteVar(of, pid, place) => {
                pid.iter().for_each(|pid| self.expr(proctype, pid));
                self.owned(Owner::Local(*of), place);
                place.indices.iter().for_each(|index| self.expr(proctype, &index.expr));
            }
        }
    }
}
