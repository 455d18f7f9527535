//! State shared by all stages of one run: sources and diagnostics.

use unpick_base::{Diagnostics, SourceMap};

/// Shared by lexer, parser and checking of the models of a run.
#[derive(Default)]
pub struct Session {
    /// The texts, preprocessed.
    pub sources: SourceMap,
    /// What was found wrong.
    pub diagnostics: Diagnostics,
}
