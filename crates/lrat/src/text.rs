//! Formulas as DIMACS and proofs as LRAT: text that other checkers read, and that is read back.

use std::fmt;

use crate::{Formula, Proof, Step};

/// Why text is not read: the line, counted from 1, and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: &'static str,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

/// More variables than any formula has: memory is taken for each.
const MAX_VARIABLES: u32 = 1 << 28;

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "p cnf {} {}", self.n_variables, self.clauses.len())?;
        for clause in &self.clauses {
            numbers(f, clause)?;
            writeln!(f, "0")?;
        }
        Ok(())
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Deletions carry the id of the last clause.
        let mut last = 0;
        for step in &self.steps {
            match step {
                Step::Add { id, clause, reasons } => {
                    last = *id;
                    write!(f, "{id} ")?;
                    numbers(f, clause)?;
                    write!(f, "0 ")?;
                    numbers(f, reasons)?;
                }
                Step::Delete { ids } => {
                    write!(f, "{last} d ")?;
                    numbers(f, ids)?;
                }
            }
            writeln!(f, "0")?;
        }
        Ok(())
    }
}

fn numbers(f: &mut fmt::Formatter<'_>, numbers: &[impl fmt::Display]) -> fmt::Result {
    numbers.iter().try_for_each(|number| write!(f, "{number} "))
}

impl Formula {
    /// Reads DIMACS.
    ///
    /// # Errors
    /// The first line that is none of it.
    pub fn parse(text: &str) -> Result<Formula, TextError> {
        let mut header = None;
        let mut clauses = Vec::new();
        let mut clause = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let error = |message| TextError { line, message };
            if text.starts_with('c') {
                continue;
            }
            if let Some(rest) = text.strip_prefix("p cnf ") {
                let mut counts = rest.split_ascii_whitespace().map(str::parse::<u32>);
                let (Some(Ok(n_variables)), Some(Ok(_)), None) = (counts.next(), counts.next(), counts.next()) else {
                    return Err(error("`p cnf` should have two counts"));
                };
                if header.replace(n_variables).is_some() || n_variables > MAX_VARIABLES {
                    return Err(error("a second head, or too many variables"));
                }
                continue;
            }
            for word in text.split_ascii_whitespace() {
                let n_variables = header.ok_or_else(|| error("a clause before `p cnf`"))?;
                match word.parse::<i32>() {
                    Ok(0) => clauses.push(std::mem::take(&mut clause)),
                    Ok(literal) if literal.unsigned_abs() <= n_variables => clause.push(literal),
                    Ok(_) | Err(_) => return Err(error("not a literal of the formula")),
                }
            }
        }
        match header {
            Some(n_variables) if clause.is_empty() => Ok(Formula { n_variables, clauses }),
            _ => Err(TextError { line: text.lines().count(), message: "the text ends within the formula" }),
        }
    }
}

impl Proof {
    /// Reads LRAT.
    ///
    /// # Errors
    /// The first line that is none of it.
    pub fn parse(text: &str) -> Result<Proof, TextError> {
        let mut steps = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            if !text.starts_with('c') && !text.trim().is_empty() {
                steps.push(step(text).ok_or(TextError { line, message: "not a line of a proof" })?);
            }
        }
        Ok(Proof { steps })
    }
}

fn step(text: &str) -> Option<Step> {
    let mut words = text.split_ascii_whitespace().peekable();
    let id = words.next()?.parse().ok()?;
    if words.next_if_eq(&"d").is_some() {
        return Some(Step::Delete { ids: list(&mut words)? }).filter(|_| words.next().is_none());
    }
    let clause = list(&mut words)?;
    let reasons = list(&mut words)?;
    Some(Step::Add { id, clause, reasons }).filter(|_| words.next().is_none())
}

/// Numbers up to a zero.
fn list<'a, N: std::str::FromStr + PartialEq + Default>(words: &mut impl Iterator<Item = &'a str>) -> Option<Vec<N>> {
    let mut numbers = Vec::new();
    loop {
        let number = words.next()?.parse().ok()?;
        if number == N::default() {
            return Some(numbers);
        }
        numbers.push(number);
    }
}
