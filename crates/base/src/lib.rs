//! The base of all crates: typed ids, interned names, source spans, diagnostics, weighted sums.
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod id;
pub mod intern;
pub mod source;
pub mod violation;
pub mod weighted_sum;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use id::IdVec;
pub use intern::{Interner, Symbol};
pub use source::{Place, SourceMap, Span};
pub use violation::ViolationKind;
