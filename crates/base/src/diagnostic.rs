//! Diagnostics: an error in the input with its place, an explanation, and a suggestion.
//!
//! Front ends collect diagnostics instead of stopping at the first; `report` draws them.

use crate::source::Span;

/// How much a diagnostic matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Additional information.
    Note,
    /// Suspicious, but given a meaning.
    Warning,
    /// A hole in the input filled by an assumption; an error under `--strict`.
    Assumption,
    /// The input cannot be given a meaning.
    Error,
}

/// A second place that belongs to a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One message to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Where; [`Span::NONE`] if it concerns no place.
    pub span: Span,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without labels and help.
    pub fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self { severity, message: message.into(), span, labels: Vec::new(), help: None }
    }

    /// Adds a second place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds what to do next.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// The diagnostics of a run, in the order found.
#[derive(Default, Debug)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    n_errors: usize,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.n_errors += usize::from(diagnostic.severity == Severity::Error);
        self.items.push(diagnostic);
    }

    /// Adds an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(Severity::Error, span, message));
    }

    /// Adds a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(Severity::Warning, span, message));
    }

    /// Adds an assumption.
    pub fn assumption(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(Severity::Assumption, span, message));
    }

    /// How many errors there are.
    pub fn n_errors(&self) -> usize {
        self.n_errors
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Moves all of `other` to the end.
    pub fn append(&mut self, other: Diagnostics) {
        self.n_errors += other.n_errors;
        self.items.extend(other.items);
    }
}
