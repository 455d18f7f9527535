//! Kinds of violations: a sentence about each, for formats that carry their rules with them.

/// A kind of violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Its name, as `--property` takes it.
    pub name: &'static str,
    /// What is wrong.
    pub summary: &'static str,
    /// Number in the Common Weakness Enumeration, where there is a fitting one.
    pub weakness: Option<u32>,
}

/// All kinds, in the order in which they are documented.
pub const KINDS: [Kind; 21] = [
    kind("assertion", "An assertion does not hold.", Some(617)),
    kind(
        "deadlock",
        "Threads wait for ever: none can go on, or some wait for each other and nobody can release them.",
        Some(833),
    ),
    kind("data-race", "Two threads access the same memory, one of them writes, and nothing orders them.", Some(362)),
    kind("null-dereference", "Memory is accessed through a null pointer.", Some(476)),
    kind("out-of-bounds", "Memory is accessed outside of an object.", Some(119)),
    kind("use-after-free", "An object is used after its lifetime.", Some(416)),
    kind("double-free", "Memory is freed twice.", Some(415)),
    kind("invalid-free", "Something is freed that was not allocated.", Some(590)),
    kind("leak", "Allocated memory is lost.", Some(401)),
    kind("overflow", "Signed arithmetic leaves the range of its type.", Some(190)),
    kind("division-by-zero", "A number is divided by zero.", Some(369)),
    kind("invalid-shift", "A value is shifted by too much, or by a negative number.", Some(1335)),
    kind("uninitialized", "A decision depends on an indeterminate value.", Some(457)),
    kind("unlock-error", "A lock is released by a thread that does not hold it.", Some(832)),
    kind("livelock", "An execution goes on for ever without progress.", Some(835)),
    kind("ltl", "An execution violates a temporal formula.", None),
    kind("invariant", "An invariant does not hold in a state.", None),
    kind("end-state", "A process stops where it must not end.", None),
    kind("unwinding", "A loop runs more often than was assumed.", None),
    kind("reach-error", "A call that must not be reached is reached.", Some(617)),
    kind("termination", "An execution never ends.", Some(835)),
];

const fn kind(name: &'static str, summary: &'static str, weakness: Option<u32>) -> Kind {
    Kind { name, summary, weakness }
}

/// The kind with a name.
pub fn named(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use unpick_system::PropertySet;

    use super::*;

    #[test]
    fn every_kind_of_violation_is_described() {
        let groups = ["default", "memory", "race"];
        let all: Vec<&str> = PropertySet::names().into_iter().filter(|name| !groups.contains(name)).collect();
        assert!(all.iter().all(|name| named(name).is_some()), "{all:?}");
        assert_eq!(all.len(), KINDS.len());
    }
}
