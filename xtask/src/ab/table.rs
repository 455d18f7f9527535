//! The table of two builds, and its summary.

use std::fmt::Write;

use super::{Measured, Row};
use crate::programs::Group;

/// Runs that are shorter have a ratio that says little.
const SHORTEST_SECONDS: f64 = 0.01;

/// Less than this is the noise of starting a process.
const NOISE_SECONDS: f64 = 0.05;

impl Row {
    fn ratio(&self) -> f64 {
        self.new.cpu_seconds / self.old.cpu_seconds.max(1e-6)
    }

    fn is_slower(&self) -> bool {
        self.new.cpu_seconds > self.old.cpu_seconds * 1.1 + NOISE_SECONDS
    }

    fn is_long(&self) -> bool {
        self.old.cpu_seconds >= SHORTEST_SECONDS
    }
}

/// The programs of a group.
struct Part {
    title: &'static str,
    groups: &'static [Group],
}

const PARTS: [Part; 3] = [
    Part { title: "tests", groups: &[Group::Tests] },
    Part { title: "bench", groups: &[Group::Small, Group::Medium] },
    Part { title: "examples", groups: &[Group::Examples] },
];

pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| programs | runs | same verdict | slower by more than 10 % (and 50 ms) | CPU seconds before | after | states \
         before | after |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for part in PARTS {
        let rows: Vec<&Row> = rows.iter().filter(|row| part.groups.contains(&row.program.group)).collect();
        if !rows.is_empty() {
            summary(&mut text, part.title, &rows);
        }
    }
    let mut ratios: Vec<&Row> = rows.iter().filter(|row| row.is_long()).collect();
    ratios.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
    if let (Some(middle), Some(worst)) = (ratios.get(ratios.len() / 2), ratios.last()) {
        let _ = writeln!(
            text,
            "\nOf {} programs that take 10 ms or more, the middle one needs {:.3} times as long as before, the worst, {}, {:.3}.",
            ratios.len(),
            middle.ratio(),
            worst.program.name(),
            worst.ratio()
        );
    }
    section(&mut text, "Other verdicts", rows.iter().filter(|row| row.old.verdict != row.new.verdict));
    section(&mut text, "Slower", rows.iter().filter(|row| row.is_slower()));
    let is_bench = |row: &&Row| PARTS[1].groups.contains(&row.program.group);
    section(&mut text, "Benchmarks", rows.iter().filter(is_bench));
    text
}

fn summary(text: &mut String, title: &str, rows: &[&Row]) {
    let same = rows.iter().filter(|row| row.old.verdict == row.new.verdict).count();
    let slower = rows.iter().filter(|row| row.is_slower()).count();
    let seconds = |of: fn(&Row) -> &Measured| rows.iter().map(|row| of(row).cpu_seconds).sum::<f64>();
    let states = |of: fn(&Row) -> &Measured| rows.iter().map(|row| of(row).states).sum::<u64>();
    let _ = writeln!(
        text,
        "| {title} | {} | {same} | {slower} | {:.1} | {:.1} | {} | {} |",
        rows.len(),
        seconds(|row| &row.old),
        seconds(|row| &row.new),
        states(|row| &row.old),
        states(|row| &row.new),
    );
}

/// Rows under a title, if there are any.
fn section<'a>(text: &mut String, title: &str, rows: impl Iterator<Item = &'a Row>) {
    let rows: Vec<&Row> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let counts = rows.iter().any(|row| row.old.instructions.is_some());
    let (names, line) = if counts { (" instructions before | after |", "--:|--:|") } else { ("", "") };
    let _ = write!(
        text,
        "\n## {title}\n\n| program | verdict | CPU seconds before | after | ratio | states before | after |{names}\n\
         |---|---|--:|--:|--:|--:|--:|{line}\n",
    );
    for row in rows {
        let (old, new) = (&row.old, &row.new);
        let verdict = match old.verdict == new.verdict {
            true => new.verdict.clone(),
            false => format!("{}, now {}", old.verdict, new.verdict),
        };
        let name = row.program.name().replace('|', "\\|");
        let (ratio, seconds) = (row.ratio(), [old.cpu_seconds, new.cpu_seconds]);
        let _ = write!(text, "| {name} | {verdict} | {:.3} | {:.3} | {ratio:.2} ", seconds[0], seconds[1]);
        let _ = write!(text, "| {} | {} |", old.states, new.states);
        if counts {
            let shown = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
            let _ = write!(text, " {} | {} |", shown(old.instructions), shown(new.instructions));
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Program;

    fn row(group: Group, name: &str, old: (&str, f64), new: (&str, f64)) -> Row {
        let measured = |(verdict, cpu_seconds): (&str, f64)| Measured {
            verdict: verdict.to_owned(),
            states: 3,
            cpu_seconds,
            instructions: None,
        };
        let program = Program {
            group,
            folder: "".into(),
            flags: Vec::new(),
            files: vec![name.to_owned()],
            is_model: false,
            has_threads: false,
        };
        Row { program, old: measured(old), new: measured(new) }
    }

    #[test]
    fn other_verdicts_and_slow_runs_are_listed() {
        let rows = [
            row(Group::Tests, "same.c", ("verified", 1.0), ("verified", 1.05)),
            row(Group::Tests, "slow.c", ("verified", 1.0), ("verified", 1.5)),
            row(Group::Tests, "other.c", ("verified", 1.0), ("unknown", 1.0)),
            row(Group::Tests, "short.c", ("verified", 0.001), ("verified", 0.004)),
            row(Group::Small, "bench.c", ("verified", 2.0), ("verified", 1.0)),
        ];
        let text = markdown(&rows);
        assert!(text.contains("| tests | 4 | 3 | 1 | 3.0 | 3.6 | 12 | 12 |"), "{text}");
        assert!(text.contains("| bench | 1 | 1 | 0 | 2.0 | 1.0 | 3 | 3 |"), "{text}");
        assert!(text.contains("Of 4 programs that take 10 ms or more, the middle one needs 1.050 times"), "{text}");
        assert!(text.contains("the worst, slow.c, 1.500."), "{text}");
        assert!(text.contains("| other.c | verified, now unknown | 1.000 | 1.000 | 1.00 | 3 | 3 |"), "{text}");
        assert_eq!((text.matches("slow.c |").count(), text.matches("same.c").count()), (1, 0));
        assert!(text.contains("## Benchmarks") && !text.contains("instructions"), "{text}");
    }

    #[test]
    fn instructions_are_columns_where_they_are_counted() {
        let mut row = row(Group::Small, "bench.c", ("verified", 2.0), ("verified", 1.0));
        (row.old.instructions, row.new.instructions) = (Some(70), Some(60));
        let text = markdown(&[row]);
        assert!(text.contains("| 0.50 | 3 | 3 | 70 | 60 |"), "{text}");
    }
}
