//! The text form of Büchi automata: one line per state and per edge.
//!
//! ```text
//! buchi from 0
//! state 0
//!   true -> 0
//!   a0 & !a1 | a2 -> 1
//! state 1 accepting
//!   !a1 -> 1
//! ```

use std::fmt;

use super::{Buchi, Edge};
use crate::formula::AtomId;
use crate::guard::{Cube, Guard, MAX_ATOMS};

/// Why a text is no automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The line, from one.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ReadError {}

pub(super) fn write(automaton: &Buchi, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "buchi from {}", automaton.initial)?;
    for (state, edges) in automaton.edges.iter().enumerate() {
        writeln!(f, "state {state}{}", if automaton.accepting[state] { " accepting" } else { "" })?;
        for edge in edges {
            writeln!(f, "  {} -> {}", edge.guard, edge.target)?;
        }
    }
    Ok(())
}

pub(super) fn read(text: &str) -> Result<Buchi, ReadError> {
    let mut automaton = Buchi { n_states: 0, initial: 0, edges: Vec::new(), accepting: Vec::new() };
    let mut header = false;
    let mut n_lines = 0;
    for (at, line) in text.lines().enumerate() {
        let fail = |message: String| ReadError { line: at + 1, message };
        let line = line.trim();
        n_lines = at + 1;
        if line.is_empty() {
            continue;
        }
        if !header {
            let initial = line.strip_prefix("buchi from ").ok_or_else(|| fail("no `buchi from`".into()))?;
            automaton.initial = number(initial).map_err(fail)?;
            header = true;
        } else if let Some(state) = line.strip_prefix("state ") {
            let (state, accepting) = match state.strip_suffix(" accepting") {
                Some(state) => (state, true),
                None => (state, false),
            };
            if number(state).map_err(fail)? != automaton.n_states {
                return Err(fail(format!("state {} should come here", automaton.n_states)));
            }
            automaton.n_states += 1;
            automaton.edges.push(Vec::new());
            automaton.accepting.push(accepting);
        } else {
            let edge = edge(line).map_err(fail)?;
            automaton.edges.last_mut().ok_or_else(|| fail("an edge before the first state".into()))?.push(edge);
        }
    }
    let mut targets = automaton.edges.iter().flatten().map(|edge| edge.target).chain([automaton.initial]);
    match targets.find(|target| *target >= automaton.n_states) {
        Some(target) => Err(ReadError { line: n_lines, message: format!("no state {target}") }),
        None => Ok(automaton),
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no number"))
}

fn edge(line: &str) -> Result<Edge, String> {
    let (guard, target) = line.split_once("->").ok_or("no `->`")?;
    let cubes = match guard.trim() {
        "false" => Vec::new(),
        guard => guard.split('|').map(cube).collect::<Result<Vec<Cube>, String>>()?,
    };
    Ok(Edge { guard: Guard::new(cubes), target: number(target)? })
}

fn cube(text: &str) -> Result<Cube, String> {
    if text.trim() == "true" {
        return Ok(Cube::TRUE);
    }
    let mut cube = Cube::TRUE;
    for literal in text.split('&') {
        let literal = literal.trim();
        let (atom, positive) = match literal.strip_prefix('!') {
            Some(atom) => (atom, false),
            None => (literal, true),
        };
        let atom = number(atom.strip_prefix('a').ok_or_else(|| format!("`{literal}` is no literal"))?)?;
        if atom >= MAX_ATOMS {
            return Err(format!("atom {atom} is beyond {MAX_ATOMS}"));
        }
        let literal = Cube::literal(AtomId(atom as u32), positive);
        cube = cube.and(literal).ok_or_else(|| format!("`{text}` contradicts itself"))?;
    }
    Ok(cube)
}
