//! The results of `models` as a table in a file, read back so that a later run goes on where an earlier one ended.

use std::fmt::Write as _;

use crate::promela::Answer;

/// How two answers stand to each other.
const OUTCOMES: [&str; 6] = ["equal", "SPIN undecided", "we undecided", "both undecided", "refused by SPIN", "differ"];

const HEAD: &str = "| model | question | SPIN | unpick | answers |\n|---|---|---|---|---|\n";

/// One question and what both said.
struct Row {
    name: String,
    /// What stands between the name and the outcome.
    told: String,
    outcome: String,
}

/// All of them.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Takes the rows out of what was written before.
    pub fn read(text: &str) -> Table {
        let row = |line: &str| {
            let (name, rest) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
            let (told, outcome) = rest.rsplit_once(" | ")?;
            OUTCOMES.contains(&outcome).then(|| Row {
                name: name.to_owned(),
                told: told.to_owned(),
                outcome: outcome.to_owned(),
            })
        };
        Table { rows: text.lines().filter_map(row).collect() }
    }

    pub fn knows(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name == name)
    }

    pub fn push(&mut self, name: &str, what: &str, theirs: &Answer, ours: &Answer, is_wrong: bool) {
        let is_open = |answer: &Answer| matches!(answer, Answer::Limit);
        let outcome = match (theirs, ours) {
            _ if is_wrong => "differ",
            (Answer::Rejected(_), _) => "refused by SPIN",
            _ if is_open(theirs) && is_open(ours) => "both undecided",
            _ if is_open(theirs) => "SPIN undecided",
            _ if is_open(ours) => "we undecided",
            _ => "equal",
        };
        let told = format!("{what} | {} | {}", told(theirs), told(ours));
        self.rows.push(Row { name: name.to_owned(), told, outcome: outcome.to_owned() });
    }

    pub fn extend(&mut self, other: Table) {
        self.rows.extend(other.rows);
    }

    /// The whole, in the order of names.
    pub fn text(&mut self, seconds: u64, memory_mb: u64) -> String {
        self.rows.sort_by(|left, right| left.name.cmp(&right.name));
        format!("{}\n{seconds} s and {memory_mb} MB for each search.\n\n{HEAD}{}", self.summary(), self.rows())
    }

    pub fn rows(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            writeln!(text, "| {} | {} | {} |", row.name, row.told, row.outcome).expect("a string takes text");
        }
        text
    }

    pub fn n_differ(&self) -> usize {
        self.rows.iter().filter(|row| row.outcome == "differ").count()
    }

    /// How many questions ended how.
    pub fn summary(&self) -> String {
        let count = |outcome: &str| self.rows.iter().filter(|row| row.outcome == outcome).count();
        let counts: Vec<String> = OUTCOMES.iter().map(|outcome| format!("{} {outcome}", count(outcome))).collect();
        let mut names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        format!("{} models, {} questions: {}.", names.len(), self.rows.len(), counts.join(", "))
    }
}

fn told(answer: &Answer) -> String {
    let short = |text: &str| text.lines().next().unwrap_or("").replace('|', "/").chars().take(60).collect::<String>();
    match answer {
        Answer::Verified(states) => format!("verified, {states} states"),
        // Not the expression that does not hold: the table is no place for what others wrote.
        Answer::Violated(what) if what.contains("assertion") => "violated: assertion".to_owned(),
        Answer::Violated(what) => format!("violated: {}", short(what.split(" (at depth").next().unwrap_or(what))),
        Answer::Rejected(why) if why.contains("VECTORSZ") => "refused: state too large".to_owned(),
        Answer::Rejected(why) if why.contains("partial order") => "refused: reduction invalid".to_owned(),
        Answer::Rejected(_) => "refused".to_owned(),
        Answer::Limit => "limit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut table = Table::default();
        table.push("b.pml", "safety", &Answer::Verified(3), &Answer::Verified(3), false);
        table.push("b.pml", "claim p", &Answer::Limit, &Answer::Verified(7), false);
        table.push("a.pml", "safety", &Answer::Violated("x|y".to_owned()), &Answer::Verified(7), true);
        let text = table.text(20, 4000);
        let mut again = Table::read(&text);
        assert_eq!(again.text(20, 4000), text);
        assert!(again.knows("a.pml") && again.n_differ() == 1);
        assert!(text.starts_with("2 models, 3 questions: 1 equal, 1 SPIN undecided, 0 we"));
    }
}
