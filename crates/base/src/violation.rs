//! The ways an execution can go wrong, under the names users see.

use std::fmt;

/// Kind of a violation; the text is the name in verdicts, JSON and `--property`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ViolationKind {
    Assertion,
    Deadlock,
    DataRace,
    NullDereference,
    OutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    Leak,
    Overflow,
    DivisionByZero,
    InvalidShift,
    Uninitialized,
    UnlockError,
    Livelock,
    Ltl,
    Invariant,
    EndState,
    Unwinding,
    ReachError,
    Termination,
}

impl ViolationKind {
    /// Every kind.
    pub const ALL: [ViolationKind; 21] = [
        ViolationKind::Assertion,
        ViolationKind::Deadlock,
        ViolationKind::DataRace,
        ViolationKind::NullDereference,
        ViolationKind::OutOfBounds,
        ViolationKind::UseAfterFree,
        ViolationKind::DoubleFree,
        ViolationKind::InvalidFree,
        ViolationKind::Leak,
        ViolationKind::Overflow,
        ViolationKind::DivisionByZero,
        ViolationKind::InvalidShift,
        ViolationKind::Uninitialized,
        ViolationKind::UnlockError,
        ViolationKind::Livelock,
        ViolationKind::Ltl,
        ViolationKind::Invariant,
        ViolationKind::EndState,
        ViolationKind::Unwinding,
        ViolationKind::ReachError,
        ViolationKind::Termination,
    ];

    /// The name users see.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::DataRace => "data-race",
            ViolationKind::NullDereference => "null-dereference",
            ViolationKind::OutOfBounds => "out-of-bounds",
            ViolationKind::UseAfterFree => "use-after-free",
            ViolationKind::DoubleFree => "double-free",
            ViolationKind::InvalidFree => "invalid-free",
            ViolationKind::Leak => "leak",
            ViolationKind::Overflow => "overflow",
            ViolationKind::DivisionByZero => "division-by-zero",
            ViolationKind::InvalidShift => "invalid-shift",
            ViolationKind::Uninitialized => "uninitialized",
            ViolationKind::UnlockError => "unlock-error",
            ViolationKind::Livelock => "livelock",
            ViolationKind::Ltl => "ltl",
            ViolationKind::Invariant => "invariant",
            ViolationKind::EndState => "end-state",
            ViolationKind::Unwinding => "unwinding",
            ViolationKind::ReachError => "reach-error",
            ViolationKind::Termination => "termination",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<ViolationKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
