//! Nondeterministic choices, made by the caller, and the record of them.

use std::rc::Rc;

use super::{Domain, Pointer};
use crate::Loc;

/// A point where an execution can go on in several ways.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// What is chosen.
    pub kind: ChoiceKind,
    /// How many options there are (`u128::MAX` also if more).
    pub n_options: u128,
    /// What the value stands for, as users know it.
    pub label: String,
    /// Where.
    pub loc: Loc,
    /// The thread that stopped.
    pub thread: usize,
}

/// What is chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum ChoiceKind {
    /// The value of an input, now; option `i` is the i-th value of the domain, or (`None`) the bits `i`.
    Value {
        /// Values, ascending; as bits they are taken modulo the width.
        domain: Option<Domain>,
        /// Width of the value in bits.
        width: u32,
    },
    /// Which part of its domain the input lies in; option `i` is `parts[i]`. Parts are disjoint and cover all.
    Split {
        /// Number of the input.
        input: u32,
        /// The parts.
        parts: Rc<[Domain]>,
    },
    /// The value of a lazy input; option `i` is the i-th value of its domain.
    Enumerate {
        /// Number of the input.
        input: u32,
        /// Its domain.
        domain: Domain,
    },
    /// Some values of an input that has too many. Not exhaustive.
    Samples {
        /// Number of the lazy input; `None` for an eager one of `width` bits.
        input: Option<u32>,
        /// The values.
        values: Rc<[i128]>,
        /// Width of the value in bits.
        width: u32,
    },
    /// Whether a weak compare and exchange fails for no reason; option 1 fails.
    Fail,
    /// Where an object lies; option `i` is the address `i`, if [`Placement::has`] it.
    Address {
        /// The object.
        object: Pointer,
        /// Where there is room for it.
        room: Placement,
    },
}

/// Where an object may lie: on a multiple of its alignment, inside the address space, not at null, and apart from the
/// objects that have shown their addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// Bytes of the object.
    pub size: u64,
    /// Addresses are multiples of this.
    pub align: u64,
    /// The lowest address at which objects are put by default.
    pub lowest: u64,
    /// No object ends behind it.
    pub limit: u64,
    /// First and last byte of what is taken, one past the end of each object included.
    pub taken: Rc<[(u64, u64)]>,
}

impl Placement {
    /// Whether the object may lie at an address.
    pub fn has(&self, address: u64) -> bool {
        let Some(end) = address.checked_add(self.size).filter(|end| *end <= self.limit) else { return false };
        let is_free = self.taken.iter().all(|(first, last)| end < *first || *last < address);
        address > 0 && address.is_multiple_of(self.align) && is_free
    }
}

impl Choice {
    /// Whether taking every option covers every execution.
    pub fn is_exhaustive(&self) -> bool {
        !matches!(self.kind, ChoiceKind::Samples { .. })
    }

    /// The option that a recorded decision stands for, in a concrete (not lazy) run.
    pub fn option_of(&self, decision: &Decision) -> Option<u128> {
        match (&self.kind, decision) {
            (ChoiceKind::Value { domain: None, .. }, Decision::Value(bits)) => Some(*bits),
            (ChoiceKind::Value { domain: Some(domain), width }, Decision::Value(bits)) => {
                let modulus = if *width >= 127 { None } else { Some(1i128 << width) };
                let bits = *bits as i128;
                domain.position(bits).or_else(|| domain.position(bits - modulus?))
            }
            (ChoiceKind::Samples { values, width, .. }, Decision::Value(bits)) => {
                values.iter().position(|value| truncate(*value as u128, *width) == *bits).map(|at| at as u128)
            }
            (ChoiceKind::Fail, Decision::Fail(fails)) => Some(u128::from(*fails)),
            (ChoiceKind::Address { room, .. }, Decision::Address(address)) => {
                room.has(*address).then(|| u128::from(*address))
            }
            (
                ChoiceKind::Value { .. }
                | ChoiceKind::Split { .. }
                | ChoiceKind::Enumerate { .. }
                | ChoiceKind::Samples { .. }
                | ChoiceKind::Fail
                | ChoiceKind::Address { .. },
                _,
            ) => None,
        }
    }

    /// What is recorded when an option is taken in a concrete (not lazy) run.
    pub(crate) fn decision_of(&self, option: u128) -> Option<Decision> {
        match &self.kind {
            ChoiceKind::Value { domain, width } => {
                let value = domain.as_ref().map_or(Some(option), |domain| Some(domain.nth(option)? as u128))?;
                Some(Decision::Value(truncate(value, *width)))
            }
            ChoiceKind::Samples { input: None, values, width } => {
                let value = values.get(usize::try_from(option).ok()?)?;
                Some(Decision::Value(truncate(*value as u128, *width)))
            }
            ChoiceKind::Fail => Some(Decision::Fail(option == 1)),
            ChoiceKind::Address { .. } => Some(Decision::Address(u64::try_from(option).ok()?)),
            ChoiceKind::Split { .. } | ChoiceKind::Enumerate { .. } | ChoiceKind::Samples { .. } => None,
        }
    }

    /// The option for which there is no reason to take another one: the smallest value, the lowest address.
    pub(crate) fn smallest(&self) -> u128 {
        match &self.kind {
            ChoiceKind::Address { room, .. } => room.lowest.into(),
            ChoiceKind::Value { .. }
            | ChoiceKind::Split { .. }
            | ChoiceKind::Enumerate { .. }
            | ChoiceKind::Samples { .. }
            | ChoiceKind::Fail => 0,
        }
    }
}

/// One decision of an execution; in order they determine it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Decision {
    /// Bits of an input, in the order the inputs were chosen.
    Value(u128),
    /// Thread that runs next; recorded by the caller with [`super::State::record_thread`].
    Thread(u32),
    /// Whether a weak compare and exchange failed for no reason.
    Fail(bool),
    /// Where an object lies, on a machine that asks for it ([`super::Options::asks_addresses`]).
    Address(u64),
}

/// Decisions in the reverse order, shared between states. Values of lazy inputs are recorded as open when the
/// input is made, and fixed by a later entry or, at the end, from the domain.
#[derive(Clone, Default)]
pub(crate) struct ReadLog(Option<Rc<Entry>>);

struct Entry {
    what: Logged,
    before: ReadLog,
}

#[derive(Clone, Copy)]
pub(crate) enum Logged {
    Made(Decision),
    /// Input with this serial number is open.
    Open(u64),
    /// The input with this serial number is forgotten by the state; its bits may be these.
    Fixed(u64, u128),
}

impl ReadLog {
    pub(crate) fn push(&mut self, what: Logged) {
        let before = std::mem::take(self);
        self.0 = Some(Rc::new(Entry { what, before }));
    }

    /// Entries from the newest to the oldest.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Logged> {
        std::iter::successors(self.0.as_deref(), |entry| entry.before.0.as_deref()).map(|entry| entry.what)
    }
}

impl Drop for ReadLog {
    /// A recursive drop of a long log would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(entry) = next {
            next = Rc::try_unwrap(entry).ok().and_then(|mut entry| entry.before.0.take());
        }
    }
}

/// The low `width` bits.
#[inline]
pub(crate) fn truncate(bits: u128, width: u32) -> u128 {
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}
