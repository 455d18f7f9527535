//! The explicit-state search against enumerating all decisions and all interleavings.

mod agreement;
mod bounds;
mod interleavings;
mod search;
