//! Specialisation of process types by constant parameters (partial evaluation): parameters that never change become
//! constants, so that indices and channels are known.
//!
//! A process gets its parameters when it is created, and many never write to them; nor does `_pid` change. Where such
//! values choose an element of an array (`forks[(me + 1) % N]`) or a channel (`proctype node(chan in, out)`), two
//! processes of one type may have disjoint footprints. The values are read off the state and substituted into the
//! steps: a process type with some values substituted is a specialisation.
//!
//! Which values count depends on nothing but the model and the values, so that every worker finds the same
//! specialisations.

use crate::interp::{binary, unary};
use crate::{Expr, Model, Proctype, Receive, Scalar, Scope, Step};

use super::places::for_each_place;

/// Limits on the number and values of parameters: there are as many specialisations as combinations.
const MAX_PARAMETERS: usize = 2;
const BOUND: i32 = 64;

/// A parameter that never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConstantParameter {
    Pid,
    /// A variable of the process: where it lies, and how it is kept.
    Local(u32, Scalar),
}

impl ConstantParameter {
    /// Where the value lies in a state, of the process whose variables begin at `first`.
    pub(super) fn bytes(self, first: usize) -> std::ops::Range<usize> {
        match self {
            ConstantParameter::Pid => first..first,
            ConstantParameter::Local(offset, scalar) => {
                first + offset as usize..first + (offset + scalar.size()) as usize
            }
        }
    }

    /// The value in a state, of the process whose variables begin at `first`; `None` if it does not count.
    pub(super) fn read(self, state: &[u8], first: usize, process: usize) -> Option<i32> {
        let value = match self {
            ConstantParameter::Pid => process as i32,
            ConstantParameter::Local(offset, scalar) => {
                let bytes = &state[first + offset as usize..];
                match scalar.size() {
                    1 => i32::from(bytes[0]),
                    2 => i32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
                    _ => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
                }
            }
        };
        (0..BOUND).contains(&value).then_some(value)
    }

    fn is(self, expr: &Expr) -> bool {
        match (self, expr) {
            (ConstantParameter::Pid, Expr::Pid) => true,
            (ConstantParameter::Local(offset, scalar), Expr::Load(place)) => {
                place.scope == Scope::Local
                    && place.indices.is_empty()
                    && (place.offset, place.scalar) == (offset, scalar)
            }
            _ => false,
        }
    }
}

/// The constant parameters of each process type.
pub(super) struct ConstantParameters(Vec<Vec<ConstantParameter>>);

impl ConstantParameters {
    pub(super) fn new(model: &Model) -> Self {
        // C code may write to any variable.
        let of = |proctype: &Proctype| if model.has_code { Vec::new() } else { parameters(proctype) };
        Self(model.proctypes.iter().map(of).collect())
    }

    #[inline]
    pub(super) fn of(&self, proctype: usize) -> &[ConstantParameter] {
        &self.0[proctype]
    }
}

/// The constant parameters of a process type that its footprints depend on.
fn parameters(proctype: &Proctype) -> Vec<ConstantParameter> {
    let written = written(proctype);
    let mut found: Vec<ConstantParameter> = Vec::new();
    for_each_choice(proctype, &mut |expr| {
        let mut leaves = Vec::new();
        if leaves_of(expr, &written, &mut leaves) {
            for leaf in leaves {
                if !found.contains(&leaf) && found.len() < MAX_PARAMETERS {
                    found.push(leaf);
                }
            }
        }
    });
    found
}

/// Calls for every index of what is shared, and every expression for a channel.
fn for_each_choice(proctype: &Proctype, visit: &mut dyn FnMut(&Expr)) {
    for_each_place(proctype, &mut |place| {
        if matches!(place.scope, Scope::Global | Scope::Hidden) {
            place.indices.iter().for_each(|index| visit(&index.expr));
        }
    });
    proctype.clone().visit_mut(&mut |expr| match expr {
        Expr::Len(channel) | Expr::Probe(_, channel) => visit(channel),
        Expr::Poll(receive) => visit(&receive.channel),
        _ => {}
    });
    for transition in proctype.automaton.locations.iter().flat_map(|location| &location.transitions) {
        if let Step::Send { channel, .. } | Step::Receive(Receive { channel, .. }) = &transition.step {
            visit(channel);
        }
    }
}

/// The bytes of the frame that steps write.
fn written(proctype: &Proctype) -> Vec<(u32, u32)> {
    let mut written = Vec::new();
    proctype.automaton.for_each_written(&mut |place| {
        if place.scope == Scope::Local {
            written.push(place.extent());
        }
    });
    written
}

/// Adds what an expression consists of; false if something of it can change.
fn leaves_of(expr: &Expr, written: &[(u32, u32)], leaves: &mut Vec<ConstantParameter>) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::Pid => {
            leaves.push(ConstantParameter::Pid);
            true
        }
        Expr::Load(place) if place.scope == Scope::Local && place.indices.is_empty() => {
            let (from, to) = place.extent();
            leaves.push(ConstantParameter::Local(place.offset, place.scalar));
            written.iter().all(|(start, end)| *end <= from || to <= *start)
        }
        Expr::Unary(_, operand) => leaves_of(operand, written, leaves),
        Expr::Binary(_, left, right) => leaves_of(left, written, leaves) && leaves_of(right, written, leaves),
        Expr::Conditional(parts) => {
            [&parts.0, &parts.1, &parts.2].into_iter().all(|part| leaves_of(part, written, leaves))
        }
        _ => false,
    }
}

/// Whether an index has one value in each specialisation.
pub(super) fn is_decided(expr: &Expr, parameters: &[ConstantParameter]) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::Pid | Expr::Load(_) => parameters.iter().any(|known| known.is(expr)),
        Expr::Unary(_, operand) => is_decided(operand, parameters),
        Expr::Binary(_, left, right) => is_decided(left, parameters) && is_decided(right, parameters),
        Expr::Conditional(parts) => [&parts.0, &parts.1, &parts.2].into_iter().all(|part| is_decided(part, parameters)),
        _ => false,
    }
}

/// A process type with values substituted for constant parameters, without the transitions that are never enabled then.
pub(super) fn put_in(proctype: &Proctype, parameters: &[ConstantParameter], values: &[i32]) -> Proctype {
    let mut specialisation = proctype.clone();
    specialisation.visit_mut(&mut |expr| {
        if let Some(at) = parameters.iter().position(|known| known.is(expr)) {
            *expr = Expr::Const(values[at]);
        }
        if let Some(simpler) = simpler(expr) {
            *expr = simpler;
        }
    });
    for location in specialisation.automaton.locations.iter_mut() {
        location.transitions.retain(|transition| transition.step != Step::Condition(Expr::Const(0)));
    }
    specialisation
}

/// The expression with constant operands, worked out.
fn simpler(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Unary(operator, operand) => match **operand {
            Expr::Const(value) => Some(Expr::Const(unary(*operator, value))),
            _ => None,
        },
        Expr::Binary(operator, left, right) => match (&**left, &**right) {
            (Expr::Const(left), Expr::Const(right)) => binary(*operator, *left, *right).map(Expr::Const),
            _ => None,
        },
        Expr::Conditional(parts) => match parts.0 {
            Expr::Const(condition) => Some(if condition != 0 { parts.1.clone() } else { parts.2.clone() }),
            _ => None,
        },
        _ => None,
    }
}
