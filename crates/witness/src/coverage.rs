//! Which lines of the user's own code executions reached, file by file.

use std::collections::BTreeMap;

use unpick_ir::Program;
use unpick_system::Coverage;

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
            }
        });
        files.collect()
    }
}
