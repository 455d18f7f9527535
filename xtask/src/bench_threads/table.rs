//! What the comparison looks like: a table to read, and all numbers as comma-separated values.

use std::fmt::Write;

use super::{Compared, Measured, Verdict};

/// Below this many states the memory is that of the program, not of the states.
const MANY_STATES: f64 = 10_000.0;

pub fn markdown(compared: &[Compared]) -> String {
    let mut text = String::from(
        "# Programs of several threads against SPIN\n\n\
         Command: `cargo xtask bench threads`. Times are wall seconds from source to verdict: `unpick check` on C;\n\
         `spin -a`, `gcc -O2 -DSAFETY`, `pan` on Promela that means the same, with SPIN's default reduction. Middle\n\
         of three runs, large ones once. Bytes per state: peak resident memory over states, where there are at least\n\
         10,000. `unpick` also looks for data races, memory errors, overflows and misuse of locks.\n\n\
         | program | size | verdict | unpick s | spin s | gcc s | pan s | ratio | states | SPIN's | states/s | SPIN's | bytes/state | SPIN's |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
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
            format!("{:.2}", spin.generate_seconds),
            format!("{:.2}", spin.compile_seconds),
            seconds(&spin.pan),
            ratio(ours, &spin.pan, spin.seconds()),
            count(ours.states),
            count(spin.pan.states),
            count(ours.states / ours.search_seconds),
            count(spin.pan.states / spin.pan.search_seconds),
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
    let mut ratios: Vec<f64> = of_size.iter().filter(|compared| both_finished(compared)).map(|c| factor(c)).collect();
    ratios.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else { return String::new() };
    let (ours, theirs): (f64, f64) = of_size
        .iter()
        .filter(|compared| both_finished(compared))
        .fold((0.0, 0.0), |(ours, theirs), c| (ours + c.ours.seconds, theirs + c.spin.seconds()));
    let mut line = format!(
        "{size}: {} rows, SPIN's time over ours from {least:.1} to {most:.1}, middle {:.1}; sums {ours:.2} s and \
         {theirs:.2} s",
        of_size.len(),
        ratios[ratios.len() / 2],
    );
    let n_ours = of_size.iter().filter(|compared| compared.ours.verdict == Verdict::None).count();
    let n_theirs = of_size.iter().filter(|compared| compared.spin.pan.verdict == Verdict::None).count();
    if n_ours + n_theirs > 0 {
        let _ = write!(line, "; without verdict: {n_ours} of ours, {n_theirs} of SPIN's");
    }
    line.push_str(".\n\n");
    line
}

fn both_finished(compared: &Compared) -> bool {
    compared.ours.verdict != Verdict::None && compared.spin.pan.verdict != Verdict::None
}

fn factor(compared: &Compared) -> f64 {
    compared.spin.seconds() / compared.ours.seconds
}

pub fn csv(compared: &[Compared]) -> String {
    let mut text = String::from(
        "program,macros,size,verdict,unpick_verdict,unpick_seconds,unpick_search_seconds,unpick_states,\
         unpick_peak_bytes,spin_verdict,spin_seconds,gcc_seconds,pan_seconds,pan_states,pan_peak_bytes\n",
    );
    for Compared { row, ours, spin } in compared {
        let _ = writeln!(
            text,
            "{},{},{},{:?},{:?},{:.4},{:.4},{},{},{:?},{:.4},{:.4},{:.4},{},{}",
            row.name,
            row.macros.join(" "),
            row.size,
            row.verdict,
            ours.verdict,
            ours.seconds,
            ours.search_seconds,
            ours.states,
            ours.peak_bytes,
            spin.pan.verdict,
            spin.generate_seconds,
            spin.compile_seconds,
            spin.pan.seconds,
            spin.pan.states,
            spin.pan.peak_bytes,
        );
    }
    text
}

fn seconds(measured: &Measured) -> String {
    match measured.verdict {
        Verdict::None => format!("no verdict, {:.0}", measured.seconds),
        Verdict::Verified | Verdict::Assertion | Verdict::Deadlock if measured.seconds < 0.1 => {
            format!("{:.3}", measured.seconds)
        }
        Verdict::Verified | Verdict::Assertion | Verdict::Deadlock => format!("{:.2}", measured.seconds),
    }
}

/// SPIN's time over ours; only a bound when one of them has not finished.
fn ratio(ours: &Measured, pan: &Measured, theirs: f64) -> String {
    match (ours.verdict, pan.verdict) {
        (Verdict::None, Verdict::None) => "–".to_owned(),
        (Verdict::None, _) => format!("< {:.2}", theirs / ours.seconds),
        (_, Verdict::None) => format!("> {:.1}", theirs / ours.seconds),
        (_, _) => format!("{:.1}", theirs / ours.seconds),
    }
}

fn bytes(measured: &Measured) -> String {
    if measured.states < MANY_STATES { String::new() } else { count(measured.peak_bytes / measured.states) }
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
