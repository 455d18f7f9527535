//! A solver that is another program: it reads DIMACS and prints an answer.
//!
//! The program is named by the caller, never by a file that is checked. It gets all clauses anew for each query. A model
//! is believed only if every clause is true in it; that there is none is taken on trust, and the core is all assumptions.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{Budget, ClauseSink, Clauses, Lit, Outcome, Solver, Unfinished};
use crate::dimacs::{self, Answer};

/// A program that solves.
pub struct External {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    clauses: Clauses,
    model: Vec<Option<bool>>,
    core: Vec<Lit>,
}

/// How often the caller is asked whether to stop while the program runs.
const PAUSE: Duration = Duration::from_millis(20);
/// More than any solver says beside its model.
const MAX_CHATTER: u64 = 16 << 20;

impl External {
    /// A program that reads the formula from its standard input and writes its answer to its standard output.
    pub fn new(program: PathBuf, arguments: Vec<OsString>) -> External {
        External { program, arguments, clauses: Clauses::new(), model: Vec::new(), core: Vec::new() }
    }

    /// What the program prints, or nothing if the caller stopped it.
    fn ask(&self, formula: String, stop: &dyn Fn() -> bool) -> io::Result<Option<String>> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (mut input, output) = (child.stdin.take(), child.stdout.take());
        // A program that answers before it has read everything closes the pipe; its answer counts.
        thread::spawn(move || input.as_mut().map(|input| input.write_all(formula.as_bytes())));
        let max_bytes = MAX_CHATTER + 16 * self.clauses.n_variables() as u64;
        let (sender, printed) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let result = output.map(|output| output.take(max_bytes).read_to_end(&mut bytes));
            sender.send(result.transpose().map(|_| bytes))
        });
        let text = loop {
            match printed.recv_timeout(PAUSE) {
                Ok(bytes) => break Some(String::from_utf8_lossy(&bytes?).into_owned()),
                Err(mpsc::RecvTimeoutError::Timeout) if stop() => break None,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break Some(String::new()),
            }
        };
        end(&mut child)?;
        Ok(text)
    }

    fn judge(&mut self, text: &str, assumptions: &[Lit]) -> Outcome {
        match dimacs::read_answer(text, self.clauses.n_variables()) {
            Answer::NoModel => {
                self.core = assumptions.to_vec();
                Outcome::Unsatisfiable
            }
            Answer::Nothing(why) => self.failed(&why),
            Answer::Model(values) => {
                let value = |literal: Lit| values[literal.index()].unwrap_or(false) != literal.is_negated();
                if !self.clauses.are_satisfied(&value) || !assumptions.iter().all(|literal| value(*literal)) {
                    return self.failed("its model makes a clause false");
                }
                self.model = values;
                Outcome::Satisfiable
            }
        }
    }

    fn failed(&self, why: &str) -> Outcome {
        Outcome::Unknown(Unfinished::Failed(format!("`{}`: {why}", self.program.display())))
    }
}

/// Ends a program whose answer is known or not wanted any more.
fn end(child: &mut Child) -> io::Result<()> {
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().map(drop)
}

impl ClauseSink for External {
    fn new_literal(&mut self) -> Lit {
        self.clauses.new_literal()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses.add_clause(clause);
    }
}

impl Solver for External {
    fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// Conflicts are not counted: the program runs until it answers or the caller stops it.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget<'_>) -> Outcome {
        (self.model, self.core) = (Vec::new(), Vec::new());
        while assumptions.iter().any(|literal| literal.index() >= self.clauses.n_variables()) {
            self.clauses.new_literal();
        }
        match self.ask(dimacs::write(&self.clauses, assumptions), budget.stop) {
            Ok(Some(text)) => self.judge(&text, assumptions),
            Ok(None) => Outcome::Unknown(Unfinished::Stopped),
            Err(error) => self.failed(&error.to_string()),
        }
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.model.get(literal.index())?.map(|value| value != literal.is_negated())
    }

    fn core(&self) -> &[Lit] {
        &self.core
    }

    fn prefer(&mut self, _: Lit) {}

    fn n_conflicts(&self) -> u64 {
        0
    }
}
