//! State shared by all stages of one run: sources, names, diagnostics, target.

use unpick_base::{Diagnostics, Interner, SourceMap};

use crate::types::Target;

/// Shared by lexer, parser, semantic analysis and lowering of all translation units of a run.
#[derive(Default)]
pub struct Session {
    pub sources: SourceMap,
    pub interner: Interner,
    pub diagnostics: Diagnostics,
    pub target: Target,
    /// Holes in the input are errors instead of assumptions.
    pub is_strict: bool,
}
