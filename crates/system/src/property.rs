//! Properties: the kinds of violations that a run looks for, single ones and groups under the names that users know.

use std::fmt;

use unpick_program::ViolationKind;

/// A set of violation kinds.
///
/// ```
/// use unpick_program::ViolationKind;
/// use unpick_system::PropertySet;
/// let set = PropertySet::parse("default,leak").unwrap();
/// assert!(set.contains(ViolationKind::Leak) && set.contains(ViolationKind::Overflow));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PropertySet {
    bits: u32,
}

/// A name that `--property` does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownProperty {
    /// What was asked for.
    pub name: String,
}

/// A name for several kinds.
struct Group {
    name: &'static str,
    kinds: &'static [ViolationKind],
}

/// The groups; every other name is that of a single kind. `assertion` covers `reach-error` too, because a
/// call of `reach_error` is how the competitions spell a failed assertion.
const GROUPS: [Group; 4] = [
    Group { name: "assertion", kinds: &[ViolationKind::Assertion, ViolationKind::ReachError] },
    Group {
        name: "memory",
        kinds: &[
            ViolationKind::NullDereference,
            ViolationKind::OutOfBounds,
            ViolationKind::UseAfterFree,
            ViolationKind::DoubleFree,
            ViolationKind::InvalidFree,
            ViolationKind::Uninitialized,
        ],
    },
    Group { name: "race", kinds: &[ViolationKind::DataRace] },
    Group {
        name: "overflow",
        kinds: &[ViolationKind::Overflow, ViolationKind::DivisionByZero, ViolationKind::InvalidShift],
    },
];

const DEFAULT: [&str; 6] = ["assertion", "deadlock", "memory", "race", "overflow", "unlock-error"];

impl PropertySet {
    /// No property.
    pub const EMPTY: PropertySet = PropertySet { bits: 0 };

    /// The default set for C.
    pub fn default_for_c() -> Self {
        DEFAULT.into_iter().fold(Self::EMPTY, |set, name| {
            set.union(Self::named(name).expect("the default names should be known names"))
        })
    }

    /// What one name stands for.
    pub fn named(name: &str) -> Option<Self> {
        if name == "default" {
            return Some(Self::default_for_c());
        }
        if let Some(group) = GROUPS.iter().find(|group| group.name == name) {
            return Some(group.kinds.iter().copied().collect());
        }
        ViolationKind::from_name(name).map(|kind| Self::EMPTY.with(kind))
    }

    /// Reads a comma-separated list of names.
    pub fn parse(list: &str) -> Result<Self, UnknownProperty> {
        let mut set = Self::EMPTY;
        for name in list.split(',').map(str::trim) {
            set = set.union(Self::named(name).ok_or_else(|| UnknownProperty { name: name.to_owned() })?);
        }
        Ok(set)
    }

    /// Every name that [`PropertySet::parse`] takes, groups first.
    pub fn names() -> Vec<&'static str> {
        let groups = GROUPS.iter().map(|group| group.name);
        let kinds = ViolationKind::ALL.into_iter().map(ViolationKind::name);
        let mut names: Vec<_> = std::iter::once("default").chain(groups).collect();
        for kind in kinds {
            if !names.contains(&kind) {
                names.push(kind);
            }
        }
        names
    }

    /// Whether the kind is in the set.
    pub fn contains(self, kind: ViolationKind) -> bool {
        self.bits & bit(kind) != 0
    }

    /// This set without a kind.
    #[must_use]
    pub fn without(self, kind: ViolationKind) -> Self {
        Self { bits: self.bits & !bit(kind) }
    }

    /// The set with one more kind.
    pub fn with(self, kind: ViolationKind) -> Self {
        Self { bits: self.bits | bit(kind) }
    }

    /// All that is in either set.
    pub fn union(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits }
    }

    /// Whether no kind is in the set.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// The kinds of the set, in the order of [`ViolationKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = ViolationKind> {
        ViolationKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<ViolationKind> for PropertySet {
    fn from_iter<It: IntoIterator<Item = ViolationKind>>(kinds: It) -> Self {
        kinds.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for PropertySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for PropertySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(ViolationKind::name).collect();
        f.write_str(&names.join(","))
    }
}

impl fmt::Display for UnknownProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = PropertySet::names().join(", ");
        write!(f, "unknown property `{}`; known names are: {names}", self.name)
    }
}

impl std::error::Error for UnknownProperty {}

fn bit(kind: ViolationKind) -> u32 {
    1 << kind as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_what_the_contract_says() {
        let default = PropertySet::parse("default").unwrap();
        for kind in ["reach-error", "uninitialized", "data-race", "division-by-zero", "unlock-error"] {
            assert!(default.contains(ViolationKind::from_name(kind).unwrap()), "{kind}");
        }
        for kind in ["leak", "livelock", "termination", "end-state"] {
            assert!(!default.contains(ViolationKind::from_name(kind).unwrap()), "{kind}");
        }
        assert!(PropertySet::parse("default, leak").unwrap().contains(ViolationKind::Leak));
    }

    #[test]
    fn every_name_parses_and_every_kind_stands_alone() {
        for name in PropertySet::names() {
            assert!(!PropertySet::parse(name).unwrap().is_empty(), "{name}");
        }
        for kind in ViolationKind::ALL {
            assert!(PropertySet::parse(kind.name()).unwrap().contains(kind));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = PropertySet::parse("memory,leeks").unwrap_err();
        assert_eq!(error.name, "leeks");
        assert!(error.to_string().contains("leak, ") && error.to_string().contains("`leeks`"));
        assert!(PropertySet::parse("").is_err());
    }
}
