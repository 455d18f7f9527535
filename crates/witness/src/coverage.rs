//! Line coverage of the user's own code, file by file.

use std::collections::{BTreeMap, BTreeSet};

use unpick_automaton::{Model, Step, Transition};
use unpick_base::SourceMap;
use unpick_program::Program;
use unpick_system::{Coverage, Reached};

use crate::Trace;

/// The lines of one file that have code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileCoverage {
    /// File as the user named it.
    pub file: String,
    /// Lines of which something ran, in order.
    pub reached: Vec<u32>,
    /// Lines of which nothing ran, in order.
    pub missed: Vec<u32>,
    /// Functions that were never entered.
    pub missed_functions: Vec<String>,
    /// Statements of processes to which none of them came: lines and texts, in order.
    pub missed_statements: Vec<(u32, String)>,
}

impl FileCoverage {
    /// What a search has seen, for every file with code of the user's own.
    pub fn of(program: &Program, coverage: &Coverage) -> Vec<FileCoverage> {
        let mut lines: BTreeMap<_, BTreeMap<u32, bool>> = BTreeMap::new();
        let mut functions: BTreeMap<_, Vec<String>> = BTreeMap::new();
        let own = program.functions.iter_enumerated();
        for (id, function) in own.filter(|(_, function)| !function.is_model && !function.blocks.is_empty()) {
            let stmts = function.blocks.iter().flat_map(|block| &block.stmts).map(|stmt| stmt.loc);
            let locs = stmts.chain(function.blocks.iter().map(|block| block.loc)).filter(|loc| loc.line != 0);
            for loc in locs.clone() {
                let is_reached = coverage.lines.contains(&(loc.file, loc.line));
                *lines.entry(loc.file).or_default().entry(loc.line).or_default() |= is_reached;
            }
            if let (Some(loc), false) = (locs.into_iter().next(), coverage.functions.contains(&id)) {
                functions.entry(loc.file).or_default().push(function.source_name.clone());
            }
        }
        let files = lines.into_iter().map(|(file, lines)| {
            let side = |wanted: bool| lines.iter().filter(|(_, is)| **is == wanted).map(|(line, _)| *line).collect();
            FileCoverage {
                file: program.files.get(file).cloned().unwrap_or_default(),
                reached: side(true),
                missed: side(false),
                missed_functions: functions.remove(&file).unwrap_or_default(),
                missed_statements: Vec::new(),
            }
        });
        files.collect()
    }

    /// The same for a model. What is inside a `d_step` counts with its beginning, where no process ever stands.
    pub fn of_model(model: &Model, sources: &SourceMap, reached: &Reached) -> Vec<FileCoverage> {
        let mut files: BTreeMap<String, BTreeMap<(u32, String), bool>> = BTreeMap::new();
        for (proctype, declared) in model.proctypes.iter_enumerated() {
            for (id, location) in declared.automaton.locations.iter_enumerated() {
                if location.is_in_d_step {
                    continue;
                }
                for transition in location.transitions.iter().filter(|transition| is_statement(transition)) {
                    let Some(place) = sources.place(transition.span.lo) else { continue };
                    let text = crate::model::statement_text(sources, transition.span);
                    let statements = files.entry(place.file.to_string()).or_default();
                    *statements.entry((place.line, text)).or_default() |= reached.has(proctype, id);
                }
            }
        }
        files.into_iter().map(|(file, statements)| Self::of_statements(file, statements)).collect()
    }

    fn of_statements(file: String, statements: BTreeMap<(u32, String), bool>) -> Self {
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        for ((line, _), is_reached) in &statements {
            *lines.entry(*line).or_default() |= is_reached;
        }
        let side = |wanted: bool| lines.iter().filter(|(_, is)| **is == wanted).map(|(line, _)| *line).collect();
        FileCoverage {
            file,
            reached: side(true),
            missed: side(false),
            missed_functions: Vec::new(),
            missed_statements: statements.into_iter().filter(|(_, is)| !is).map(|(statement, _)| statement).collect(),
        }
    }
}

/// Adds what an execution reached: a search counts a block only when it was run to its end, and this one went wrong
/// before.
pub fn add_trace(program: &Program, coverage: &mut Coverage, trace: &Trace) {
    let done = trace.steps.iter().filter(|step| step.line != 0);
    let lines: BTreeSet<(&str, u32)> = done.clone().map(|step| (step.file.as_str(), step.line)).collect();
    let functions: BTreeSet<&str> = done.map(|step| step.function.as_str()).collect();
    for (file, line) in lines {
        let file = program.files.iter_enumerated().find(|(_, name)| *name == file);
        coverage.lines.extend(file.map(|(file, _)| (file, line)));
    }
    let own = program.functions.iter_enumerated().filter(|(_, function)| !function.is_model);
    let entered = own.filter(|(_, function)| functions.contains(function.source_name.as_str()));
    coverage.functions.extend(entered.map(|(id, _)| id));
}

/// Jumps and ends are not of the user's making.
fn is_statement(transition: &Transition) -> bool {
    match transition.step {
        Step::Skip | Step::Else | Step::End => false,
        Step::Condition(_)
        | Step::Assign(..)
        | Step::Send { .. }
        | Step::Receive(_)
        | Step::Assert(_)
        | Step::Printf(..)
        | Step::Printm(..)
        | Step::SetPriority(..)
        | Step::Code(_)
        | Step::DStep(_) => transition.span.lo < transition.span.hi,
    }
}
