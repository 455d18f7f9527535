//! What the comparison looks like: a table to read, and all numbers as comma-separated values.

use std::fmt::Write;

use super::{Compared, Measured, Verdict};

/// Below this many states the memory is that of the program, not of the states.
const MANY_STATES: f64 = 10_000.0;

pub fn markdown(compared: &[Compared]) -> String {
    let mut text = String::from(
        "# Programs of several threads against SPIN\n\n\
         Command: `cargo xtask bench threads`. Times are wall seconds from source to verdict: `unpick check` on C;\n\
         `spin -a`, `gcc -O2 -DSAFETY`, `pan` on Promela that means the same, with SPIN's default reduction; the\n\
         middle of several runs where both are quick. Ratios are SPIN's sum over ours, by the wall and by processor time, which\n\
         other work on the machine hardly changes and by which states per second count. Bytes per state: peak resident\n\
         memory over states, where there are at least 10,000. `unpick` also looks for data races, memory errors,\n\
         overflows and misuse of locks.\n\n\
         | program | size | verdict | unpick s | spin s | gcc s | pan s | ratio | CPU ratio | states | SPIN's | states/s | \
         SPIN's | bytes/state | SPIN's |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for Compared { row, ours, spin } in compared {
        let verdict = match row.verdict {
            Verdict::Verified => "verified",
            Verdict::Assertion => "assertion",
            Verdict::Deadlock => "deadlock",
            Verdict::None => "none",
        };
        let program = format!("{} {}", row.name, row.macros.join(" ").replace("-D", ""));
        let cells = [
            program,
            row.size.clone(),
            verdict.to_owned(),
            seconds(ours),
            format!("{:.2}", spin.generate.wall),
            format!("{:.2}", spin.compile.wall),
            seconds(&spin.pan),
            ratio(ours.verdict, spin.pan.verdict, spin.cost().wall / ours.cost.wall),
            ratio(ours.verdict, spin.pan.verdict, cpu_factor(ours, spin.cost().cpu)),
            count(ours.states),
            count(spin.pan.states),
            count(rate(ours)),
            count(rate(&spin.pan)),
            bytes(ours),
            bytes(&spin.pan),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.push('\n');
    for size in ["small", "medium", "large"] {
        text.push_str(&summary(compared, size));
    }
    text
}

/// How the ratios of one size are spread.
fn summary(compared: &[Compared], size: &str) -> String {
    let of_size: Vec<&Compared> = compared.iter().filter(|compared| compared.row.size == size).collect();
    let finished: Vec<&Compared> = of_size.iter().copied().filter(|compared| both_finished(compared)).collect();
    let spread = |mut ratios: Vec<f64>| {
        ratios.sort_by(f64::total_cmp);
        let (least, most) = (ratios.first()?, ratios.last()?);
        Some(format!("from {least:.1} to {most:.1}, middle {:.1}", ratios[ratios.len() / 2]))
    };
    let wall = spread(finished.iter().map(|c| c.spin.cost().wall / c.ours.cost.wall).collect());
    let cpu = spread(finished.iter().map(|c| cpu_factor(&c.ours, c.spin.cost().cpu)).collect());
    let (Some(wall), Some(cpu)) = (wall, cpu) else { return String::new() };
    let mut line = format!("- {size}, {} rows: ratio {wall}; CPU ratio {cpu}", of_size.len());
    let n_ours = of_size.iter().filter(|compared| compared.ours.verdict == Verdict::None).count();
    let n_theirs = of_size.iter().filter(|compared| compared.spin.pan.verdict == Verdict::None).count();
    if n_ours + n_theirs > 0 {
        let _ = write!(line, "; without verdict: {n_ours} of ours, {n_theirs} of SPIN's");
    }
    line.push_str(".\n");
    line
}

fn both_finished(compared: &Compared) -> bool {
    compared.ours.verdict != Verdict::None && compared.spin.pan.verdict != Verdict::None
}

/// The clock of processes ticks a hundred times a second.
fn cpu_factor(ours: &Measured, theirs: f64) -> f64 {
    theirs / ours.cost.cpu.max(0.01)
}

pub fn csv(compared: &[Compared]) -> String {
    let mut text = String::from(
        "program,macros,size,verdict,unpick_verdict,unpick_seconds,unpick_cpu_seconds,unpick_search_seconds,\
         unpick_states,unpick_peak_bytes,spin_verdict,spin_seconds,spin_cpu_seconds,gcc_seconds,gcc_cpu_seconds,\
         pan_seconds,pan_cpu_seconds,pan_states,pan_peak_bytes\n",
    );
    for Compared { row, ours, spin } in compared {
        let _ = writeln!(
            text,
            "{},{},{},{:?},{:?},{:.3},{:.2},{:.4},{},{},{:?},{:.3},{:.2},{:.3},{:.2},{:.3},{:.2},{},{}",
            row.name,
            row.macros.join(" "),
            row.size,
            row.verdict,
            ours.verdict,
            ours.cost.wall,
            ours.cost.cpu,
            ours.search_seconds,
            ours.states,
            ours.cost.peak_bytes,
            spin.pan.verdict,
            spin.generate.wall,
            spin.generate.cpu,
            spin.compile.wall,
            spin.compile.cpu,
            spin.pan.cost.wall,
            spin.pan.cost.cpu,
            spin.pan.states,
            spin.pan.cost.peak_bytes,
        );
    }
    text
}

fn seconds(measured: &Measured) -> String {
    match measured.verdict {
        Verdict::None => format!("no verdict, {:.0}", measured.cost.wall),
        Verdict::Verified | Verdict::Assertion | Verdict::Deadlock if measured.cost.wall < 0.1 => {
            format!("{:.3}", measured.cost.wall)
        }
        Verdict::Verified | Verdict::Assertion | Verdict::Deadlock => format!("{:.2}", measured.cost.wall),
    }
}

/// SPIN's time over ours; only a bound when one of them has not finished.
fn ratio(ours: Verdict, theirs: Verdict, factor: f64) -> String {
    match (ours, theirs) {
        (Verdict::None, Verdict::None) => "–".to_owned(),
        (Verdict::None, _) => format!("< {factor:.2}"),
        (_, Verdict::None) => format!("> {factor:.1}"),
        (_, _) => format!("{factor:.1}"),
    }
}

/// States per second of processor time, as far as it goes into exploring.
fn rate(measured: &Measured) -> f64 {
    measured.states / (measured.cost.cpu * measured.search_seconds / measured.cost.wall)
}

fn bytes(measured: &Measured) -> String {
    if measured.states < MANY_STATES { String::new() } else { count(measured.cost.peak_bytes / measured.states) }
}

/// A number with commas between the thousands.
fn count(number: f64) -> String {
    if !number.is_finite() {
        return String::new();
    }
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!(count(7.0), "7");
        assert_eq!(count(1234.4), "1,234");
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(f64::INFINITY), "");
    }
}
