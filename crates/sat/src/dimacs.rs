//! DIMACS: formulas in conjunctive normal form and answers of solvers, as text.
//!
//! What is read comes from programs that we did not write: nothing in it may make us panic, take memory without bound, or
//! believe a model that was not checked.

use std::fmt::Write;

use crate::solver::{ClauseSink, Clauses, Lit};

/// What a solver printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A model: the value of each variable that was mentioned.
    Model(Vec<Option<bool>>),
    /// No model, says the solver.
    NoModel,
    /// It does not say, or not so that it can be understood.
    Nothing(String),
}

/// The clauses, and each assumption as a clause of one literal.
pub fn write(clauses: &Clauses, assumptions: &[Lit]) -> String {
    let highest = assumptions.iter().map(|literal| literal.index() + 1).max().unwrap_or(0);
    let n_variables = clauses.n_variables().max(highest);
    let mut text = format!("p cnf {n_variables} {}\n", clauses.len() + assumptions.len());
    for clause in clauses.iter().chain(assumptions.chunks(1)) {
        for literal in clause {
            write!(text, "{} ", literal.dimacs()).expect("text should grow");
        }
        text.push_str("0\n");
    }
    text
}

/// Reads a formula.
///
/// # Errors
/// The first line that is none of it.
pub fn read(text: &str) -> Result<Clauses, String> {
    let mut clauses = Clauses::new();
    let mut n_variables = None;
    let mut clause = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.starts_with('c') {
            continue;
        }
        if let Some(counts) = text.strip_prefix("p cnf ") {
            let count = counts.split_ascii_whitespace().next().and_then(|word| word.parse::<i32>().ok());
            match count {
                Some(count) if n_variables.is_none() && (0..1 << 28).contains(&count) => n_variables = Some(count),
                Some(_) | None => return Err(format!("line {line}: not a head, or a second one")),
            }
            (0..count.unwrap_or(0)).for_each(|_| {
                clauses.new_literal();
            });
            continue;
        }
        for word in text.split_ascii_whitespace() {
            let highest = n_variables.ok_or_else(|| format!("line {line}: a clause before the head"))?;
            let number = word.parse::<i32>().ok().filter(|number| number.unsigned_abs() <= highest.unsigned_abs());
            match number.map(Lit::from_dimacs) {
                Some(Some(literal)) => clause.push(literal),
                Some(None) => clauses.add_clause(&std::mem::take(&mut clause)),
                None => return Err(format!("line {line}: `{word}` is no literal of the formula")),
            }
        }
    }
    if n_variables.is_none() || !clause.is_empty() {
        return Err("the text ends within the formula".to_owned());
    }
    Ok(clauses)
}

/// Reads what a solver printed about a formula with so many variables: lines `s` and `v` of the competitions, or the two
/// lines that MiniSat writes.
pub fn read_answer(text: &str, n_variables: usize) -> Answer {
    let (mut status, mut values) = (None, vec![None; n_variables]);
    let nothing = |why: String| Answer::Nothing(why);
    for line in text.lines() {
        let said = match line.trim_end() {
            "s SATISFIABLE" | "SAT" => Some(true),
            "s UNSATISFIABLE" | "UNSAT" => Some(false),
            _ => None,
        };
        if let Some(is_satisfiable) = said {
            if status.is_some_and(|status| status != is_satisfiable) {
                return nothing("it says both that there is a model and that there is none".to_owned());
            }
            status = Some(is_satisfiable);
            continue;
        }
        let is_bare = status == Some(true) && line.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let Some(line) = line.strip_prefix("v ").or(is_bare.then_some(line)) else { continue };
        for word in line.split_ascii_whitespace() {
            let Ok(number) = word.parse::<i32>() else { return nothing(format!("`{}` is no literal", shown(word))) };
            let Some(literal) = Lit::from_dimacs(number) else { continue };
            // Solvers may have variables of their own.
            let Some(value) = values.get_mut(literal.index()) else { continue };
            if value.is_some_and(|value| value == literal.is_negated()) {
                return nothing(format!("variable {} is both true and false", literal.index() + 1));
            }
            *value = Some(!literal.is_negated());
        }
    }
    match status {
        Some(true) => Answer::Model(values),
        Some(false) => Answer::NoModel,
        None => nothing("it prints no line that begins with `s`".to_owned()),
    }
}

/// The beginning of a word that somebody else wrote.
fn shown(word: &str) -> String {
    word.chars().take(20).map(|shown| if shown.is_control() { '?' } else { shown }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clauses() -> impl Strategy<Value = Clauses> {
        let literal = (-9..=9_i32).prop_filter_map("zero", Lit::from_dimacs);
        prop::collection::vec(prop::collection::vec(literal, 0..6), 0..12).prop_map(|list| {
            let mut clauses = Clauses::new();
            list.iter().for_each(|clause| clauses.add_clause(clause));
            clauses
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn what_is_written_reads_back(clauses in clauses()) {
            prop_assert_eq!(read(&write(&clauses, &[])), Ok(clauses));
        }

        #[test]
        fn no_formula_makes_it_panic(text in "[-0-9pcnf \n]{0,80}") {
            let _ = read(&text);
        }

        #[test]
        fn no_answer_makes_it_panic(text in "(s UNSATISFIABLE\n|s SATISFIABLE\n|SAT\n|v |-?[0-9]{1,12} |[-v \nsé\u{0}])*") {
            let _ = read_answer(&text, 5);
        }
    }

    #[test]
    fn answers_are_read() {
        let model = |values: [i8; 3]| Answer::Model(values.map(|value| (value != 0).then_some(value > 0)).to_vec());
        assert_eq!(read_answer("c hello\ns SATISFIABLE\nv 1 -2\nv 0\n", 3), model([1, -1, 0]));
        assert_eq!(read_answer("SATISFIABLE\nSAT\n1 -2 3 0\n", 3), model([1, -1, 1]));
        assert_eq!(read_answer("s UNSATISFIABLE\n", 3), Answer::NoModel);
        assert_eq!(read_answer("UNSAT\n", 3), Answer::NoModel);
        for bad in ["", "s UNKNOWN\n", "s SATISFIABLE\nv 1 -1 0\n", "s SATISFIABLE\nv x\n", "SAT\nUNSAT\n"] {
            assert!(matches!(read_answer(bad, 3), Answer::Nothing(_)), "{bad}");
        }
        let far = read_answer("s SATISFIABLE\nv 999999999 -2147483648 2 0\n", 3);
        assert_eq!(far, model([0, 1, 0]));
    }

    #[test]
    fn assumptions_become_clauses() {
        let mut clauses = Clauses::new();
        let (a, b) = (clauses.new_literal(), clauses.new_literal());
        clauses.add_clause(&[a, b]);
        assert_eq!(write(&clauses, &[!a]), "p cnf 2 2\n1 2 0\n-1 0\n");
    }
}
