//! Why a command ends without a verdict: exit code 2, with what to do about it.

use std::fmt;

use unpick_check::claims::BadClaim;
use unpick_system::Halt;

/// A command that cannot go on.
#[derive(Debug)]
pub struct Failure {
    /// One sentence: what is wrong.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Diagnostics with places, already drawn for the terminal, and as data for `--json`.
    pub details: Vec<Detail>,
    /// A limit was reached: the verdict is unknown, and no error occurred.
    pub halt: Option<Halt>,
}

/// A diagnostic resolved to the user's file.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Detail {
    pub severity: &'static str,
    pub file: Option<String>,
    pub line: u32,
    pub column: u32,
    pub message: String,
    #[serde(skip)]
    pub rendered: String,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, details: Vec::new(), halt: None }
    }

    /// A limit ends the command.
    pub fn halted(halt: Halt) -> Self {
        let what = match halt {
            Halt::Time => "the time limit was reached",
            Halt::Memory => "the memory limit was reached",
            Halt::Interrupt => "interrupted",
        };
        Self { halt: Some(halt), ..Self::new(what) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<BadClaim> for Failure {
    fn from(BadClaim { message, help }: BadClaim) -> Self {
        Self { help, ..Self::new(message) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

pub type Outcome<T> = Result<T, Failure>;
