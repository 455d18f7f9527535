//! What was measured, as tables.

use super::{Compared, Measured, Way};

pub fn markdown(rows: &[Compared]) -> String {
    let mut text = String::from("# Promela models against SPIN\n\n");
    text += "Rates are states per second of the search alone; the CPU columns are processor time of the whole run, which \
             depends less on what else the machine does. SPIN: `-O2 -DSAFETY`, the best of four `-w`. The fastest of up to four searches on each side; memory is touched before each.\n\n";
    text += &rates(rows, Way::Plain, "Every state, plain (`-DNOREDUCE`; `--reduce none --store exact`)");
    text += &rates(
        rows,
        Way::Compressed,
        "Every state, compressed (`-DNOREDUCE -DCOLLAPSE`; `--reduce none --store tree`)",
    );
    text += &reduced(rows);
    text
}

fn find(row: &Compared, way: Way) -> Option<(&Option<Measured>, &[Option<Measured>; 2])> {
    row.results.iter().find(|(known, _, _)| *known == way).map(|(_, spin, ours)| (spin, ours))
}

fn rates(rows: &[Compared], way: Way, title: &str) -> String {
    let head = "| model | states | SPIN states/s | ours, 1 worker | ratio | CPU ratio | ours, 2 workers | ratio | SPIN B/state | \
                ours B/state |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    let mut text = format!("## {title}\n\n{head}");
    let (mut ones, mut twos, mut cpus, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let Some((Some(spin), [Some(one), Some(two)])) = find(row, way) else {
            text += &format!("| {} | no result |\n", row.name);
            continue;
        };
        let rate = |measured: &Measured| measured.states / measured.seconds.max(0.01);
        let (first, second) = (rate(one) / rate(spin), rate(two) / rate(spin));
        let cpu = spin.cpu / one.cpu.max(0.01);
        ones.push(first);
        twos.push(second);
        cpus.push(cpu);
        bytes.push(one.bytes / one.states);
        text += &format!(
            "| {} | {:.0} | {:.0} | {:.0} | {first:.2} | {cpu:.2} | {:.0} | {second:.2} | {:.1} | {:.1} |\n",
            row.name,
            one.states,
            rate(spin),
            rate(one),
            rate(two),
            spin.bytes / spin.states,
            one.bytes / one.states,
        );
    }
    text += &format!(
        "\nMedian ratio: one worker {:.2} (processor time {:.2}), two workers {:.2}; least with one worker {:.2}. Median \
         bytes per state: {:.1}.\n\n",
        median(&mut ones),
        median(&mut cpus),
        median(&mut twos),
        ones.first().copied().unwrap_or(f64::NAN),
        median(&mut bytes),
    );
    text
}

fn reduced(rows: &[Compared]) -> String {
    let mut text = String::from(
        "## Reduction on\n\n| model | SPIN states | ours | SPIN s (with setup) | ours s | ratio |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let (mut n_fewer, mut n_rows) = (0, 0);
    for row in rows {
        let Some((Some(spin), [Some(one), _])) = find(row, Way::Reduced) else { continue };
        n_rows += 1;
        n_fewer += usize::from(one.states <= spin.states);
        let whole = spin.seconds + row.spin_setup;
        text += &format!(
            "| {} | {:.0} | {:.0} | {:.2} ({whole:.2}) | {:.2} | {:.2} |\n",
            row.name,
            spin.states,
            one.states,
            spin.seconds,
            one.seconds,
            spin.seconds / one.seconds.max(0.001),
        );
    }
    text + &format!("\nNo more states than SPIN: {n_fewer} of {n_rows}.\n")
}

/// Sorts, and gives the middle one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
