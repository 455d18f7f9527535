//! What came of the units of a corpus: kept in a file line by line, so that nothing is done twice, and told as a table.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::real_code::LIBRARIES;

/// What came of a unit.
#[derive(Clone, Default)]
pub struct Outcome {
    /// Whether the compiler takes it.
    pub is_ours: bool,
    /// Functions with bodies that the compiler keeps.
    pub n_functions: usize,
    /// Those in models that SPIN takes.
    pub n_passed: usize,
    /// Those that were not tried, because it would take too long.
    pub n_untried: usize,
    /// Time to extract the whole unit.
    pub seconds: f64,
    /// Time of `spin -a` for it.
    pub spin_seconds: f64,
    /// Why the model of the whole unit was not taken.
    pub complaint: Option<String>,
}

/// Outcomes by names of units, as one binary gave them.
pub struct Results {
    file: File,
    known: BTreeMap<String, (String, Outcome)>,
}

impl Results {
    /// Reads what an earlier run has found; what took too long then may be quicker now.
    pub fn open(folder: &Path, binary: &Path) -> Result<Results> {
        let mut hasher = DefaultHasher::new();
        std::fs::read(binary).with_context(|| binary.display().to_string())?.hash(&mut hasher);
        let path = folder.join(format!("results-{:016x}.tsv", hasher.finish()));
        let text = if path.is_file() { std::fs::read_to_string(&path)? } else { String::new() };
        let lines = text.lines().filter_map(read_line);
        let is_settled = |outcome: &Outcome| !outcome.complaint.as_ref().is_some_and(|text| text.contains("longer"));
        let known = lines.filter(|(_, (_, outcome))| is_settled(outcome)).collect();
        let file = File::options().create(true).append(true).open(&path).with_context(|| path.display().to_string())?;
        Ok(Results { file, known })
    }

    /// Whether a unit has been looked at.
    pub fn knows(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Remembers an outcome.
    pub fn add(&mut self, library: &str, name: &str, outcome: Outcome) -> Result<()> {
        let Outcome { is_ours, n_functions, n_passed, n_untried, seconds, spin_seconds, complaint } = &outcome;
        let complaint = complaint.as_deref().unwrap_or("");
        writeln!(
            self.file,
            "{library}\t{name}\t{is_ours}\t{n_functions}\t{n_passed}\t{n_untried}\t{seconds}\t{spin_seconds}\t{complaint}"
        )?;
        self.known.insert(name.to_owned(), (library.to_owned(), outcome));
        Ok(())
    }
}

/// A line that was not written to its end says nothing.
fn read_line(line: &str) -> Option<(String, (String, Outcome))> {
    let words: Vec<&str> = line.split('\t').collect();
    let [library, name, is_ours, n_functions, n_passed, n_untried, seconds, spin_seconds, complaint] = words[..] else {
        return None;
    };
    let outcome = Outcome {
        is_ours: is_ours.parse().ok()?,
        n_functions: n_functions.parse().ok()?,
        n_passed: n_passed.parse().ok()?,
        n_untried: n_untried.parse().ok()?,
        seconds: seconds.parse().ok()?,
        spin_seconds: spin_seconds.parse().ok()?,
        complaint: (!complaint.is_empty()).then(|| complaint.to_owned()),
    };
    Some((name.to_owned(), (library.to_owned(), outcome)))
}

/// The sum over some units.
#[derive(Default)]
struct Sum {
    n_units: usize,
    n_whole: usize,
    n_functions: usize,
    n_passed: usize,
    seconds: f64,
    spin_seconds: f64,
}

/// A table of these units with the reasons for what is refused, and the share of functions in models that SPIN takes.
pub fn report(results: &Results, names: &[&str]) -> (String, f64) {
    let mut text = String::from(
        "| library | units | models that SPIN takes | functions | in such models | seconds to extract | seconds of `spin -a` |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let (mut complaints, mut total) = (String::new(), Sum::default());
    for library in LIBRARIES {
        let mut sum = Sum::default();
        for (name, (of, outcome)) in &results.known {
            if of != library.name || !outcome.is_ours || !names.contains(&name.as_str()) {
                continue;
            }
            for sum in [&mut sum, &mut total] {
                sum.n_units += 1;
                sum.n_whole += usize::from(outcome.complaint.is_none());
                sum.n_functions += outcome.n_functions;
                sum.n_passed += outcome.n_passed;
                sum.seconds += outcome.seconds;
                sum.spin_seconds += outcome.spin_seconds;
            }
            if let Some(complaint) = &outcome.complaint {
                let untried = match outcome.n_untried {
                    0 => String::new(),
                    n => format!(", {n} not tried"),
                };
                let Outcome { n_functions, n_passed, .. } = outcome;
                complaints.push_str(&format!(
                    "- `{name}` ({n_passed} of {n_functions} functions pass alone{untried}): {complaint}\n"
                ));
            }
        }
        text.push_str(&row(library.name, &sum));
    }
    text.push_str(&row("all", &total));
    let share = 100.0 * total.n_passed as f64 / total.n_functions.max(1) as f64;
    text.push_str(&format!("\nFunctions in models that SPIN takes: {share:.2} %.\n"));
    if !complaints.is_empty() {
        text.push_str(&format!("\n{complaints}"));
    }
    (text, share)
}

fn row(name: &str, sum: &Sum) -> String {
    let Sum { n_units, n_whole, n_functions, n_passed, seconds, spin_seconds } = sum;
    format!("| {name} | {n_units} | {n_whole} | {n_functions} | {n_passed} | {seconds:.1} | {spin_seconds:.1} |\n")
}
