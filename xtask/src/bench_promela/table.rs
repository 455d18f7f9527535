//! The measurements of `bench promela` as tables in Markdown.

use super::measure::Measured;
use super::{Compared, Results, Way, hashing, profile, small};

pub fn markdown(results: &Results) -> String {
    let mut text = String::from("# Promela models against SPIN\n\n");
    text += "Rates are states per second of the search alone; the CPU columns are processor time of the whole run, which \
             depends less on what else the machine does. SPIN: `-O2 -DSAFETY`, the best of up to three `-w` around one slot for \
             each state. The fastest of up to three searches on each side, of one if it takes longer than five seconds; memory \
             is touched before each. Bytes per state are those of the set of states, for SPIN without its stack, for us without \
             states that wait and without the way back to the first state, which the column \"in all\" counts too.\n\n";
    let rows = &results.compared;
    text += &rates(
        rows,
        Way::Asleep,
        "Every state, plain, steps that commute in one order (`-DNOREDUCE`; `--reduce sleep --store exact`)",
    );
    text += &rates(rows, Way::Plain, "Every state, plain, by every step (`-DNOREDUCE`; `--reduce none --store exact`)");
    text += &rates(
        rows,
        Way::Compressed,
        "Every state, compressed (`-DNOREDUCE -DCOLLAPSE`; `--reduce none --store tree`)",
    );
    text += &reduced(rows);
    if !results.small.is_empty() {
        text += &small::markdown(&results.small);
    }
    if !results.profiles.is_empty() {
        text += &profile::markdown(&results.latency, &results.profiles);
    }
    if !results.hashing.is_empty() {
        text += &hashing::markdown(&results.hashing);
    }
    text
}

fn of(rows: &[Compared], way: Way) -> impl Iterator<Item = &Compared> {
    rows.iter().filter(move |row| row.way == way)
}

fn rate(measured: &Measured) -> f64 {
    measured.states / measured.seconds.max(0.01)
}

fn rates(rows: &[Compared], way: Way, title: &str) -> String {
    if of(rows, way).next().is_none() {
        return String::new();
    }
    let head = "| model | states | SPIN s | ours s, 1 worker | 2 workers | SPIN states/s | ours, 1 worker | ratio | CPU ratio | \
                ours, 2 workers | ratio | SPIN B/state | ours B/state | in all |\n\
                |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    let mut text = format!("## {title}\n\n{head}");
    let [mut ones, mut twos, mut cpus, mut bytes] = [const { Vec::new() }; 4];
    let (mut n_rows, mut n_smaller) = (0, 0);
    for row in of(rows, way) {
        let (Some(spin), [Some(one), Some(two)]) = (&row.spin, &row.ours) else {
            text += &format!("| {} | no result |\n", row.name);
            continue;
        };
        let (first, second) = (rate(one) / rate(spin), rate(two) / rate(spin));
        let cpu = spin.cpu / one.cpu.max(0.01);
        n_rows += 1;
        n_smaller += usize::from(one.bytes < spin.bytes);
        ones.push(first);
        twos.push(second);
        cpus.push(cpu);
        bytes.push(one.bytes / one.states);
        text += &format!(
            "| {} | {:.0} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} | {first:.2} | {cpu:.2} | {:.0} | {second:.2} | {:.1} | {:.1} | {:.1} |\n",
            row.name,
            one.states,
            spin.seconds,
            one.seconds,
            two.seconds,
            rate(spin),
            rate(one),
            rate(two),
            spin.bytes / spin.states,
            one.bytes / one.states,
            one.all_bytes / one.states,
        );
    }
    let (first, cpu, second, middle) = (median(&mut ones), median(&mut cpus), median(&mut twos), median(&mut bytes));
    let least = |sorted: &[f64]| sorted.first().copied().unwrap_or(f64::NAN);
    let n_faster = ones.iter().filter(|ratio| **ratio >= 1.0).count();
    text + &format!(
        "\nMedian ratio: one worker {first:.2} (processor time {cpu:.2}), two workers {second:.2}; least {:.2} and {:.2}. One \
         worker is faster than SPIN on {n_faster} of {n_rows}. Median bytes per state: {middle:.1}; fewer than SPIN's on \
         {n_smaller} of {n_rows}.\n\n",
        least(&ones),
        least(&twos),
    )
}

fn reduced(rows: &[Compared]) -> String {
    if of(rows, Way::Reduced).next().is_none() {
        return String::new();
    }
    let mut text = String::from(
        "## Reduction on\n\nSeconds of the search; making and compiling SPIN's verifier is not counted.\n\n\
         | model | SPIN states | ours | SPIN s | ours s, 1 worker | ratio | 2 workers | ratio |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let (mut n_fewer, mut n_faster, mut ratios) = (0, 0, Vec::new());
    for row in of(rows, Way::Reduced) {
        let (Some(spin), [Some(one), Some(two)]) = (&row.spin, &row.ours) else {
            text += &format!("| {} | no result |\n", row.name);
            continue;
        };
        let [first, second] = [one, two].map(|ours| spin.seconds.max(0.001) / ours.seconds.max(0.001));
        n_fewer += usize::from(one.states <= spin.states);
        n_faster += usize::from(first >= 1.0);
        ratios.push(first);
        text += &format!(
            "| {} | {:.0} | {:.0} | {:.2} | {:.2} | {first:.2} | {:.2} | {second:.2} |\n",
            row.name, spin.states, one.states, spin.seconds, one.seconds, two.seconds,
        );
    }
    let n_rows = ratios.len();
    text + &format!(
        "\nNo more states than SPIN: {n_fewer} of {n_rows}. No slower with one worker: {n_faster} of {n_rows}; median ratio \
         {:.2}.\n\n",
        median(&mut ratios),
    )
}

/// Sorts, and gives the middle one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
