//! Hashing as a whole against hashing what a step has changed: processor time of our own search in user mode, by stores and
//! by models, from short vectors to long ones.
//!
//! The ways take turns, and the fastest of several runs counts, so that what else the machine does matters little. The kernel's
//! time is left out: it clears pages, of which a bit array has many whatever is hashed. States and transitions have to be
//! the same in an exact set.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::table::median;
use super::{LIMIT, Row};
use crate::campaign::measured;

/// How often each way is measured.
const N_TRIES: usize = 5;

const STORES: [&str; 3] = ["exact", "compact", "bitstate"];
const WAYS: [&str; 3] = ["full", "incremental", "auto"];

/// One model over one store.
pub struct Compared {
    name: String,
    store: &'static str,
    states: u64,
    /// Bytes of a state, as far as a plain set takes them.
    bytes: f64,
    /// Seconds, by ways.
    seconds: [f64; WAYS.len()],
    /// What was chosen where it was left open.
    chosen: String,
}

pub fn compare(bench: &Path, folder: &Path, binary: &Path, row: &Row) -> Result<Vec<Compared>> {
    let mut all = Vec::new();
    let mut bytes = f64::NAN;
    for store in STORES {
        let mut compared =
            Compared { name: row.name(), store, states: 0, bytes, seconds: [f64::INFINITY; 3], chosen: String::new() };
        let mut counts = None;
        for _ in 0..N_TRIES {
            for (way, seconds) in WAYS.into_iter().zip(&mut compared.seconds) {
                let mut command = Command::new(binary);
                command.args(["check", "--json", "--quiet", "--trace", "none", "--property", "assertion,end-state"]);
                command.args(["--memory", "1G", "--workers", "1", "--reduce", "none", "--store", store, "--hash", way]);
                command.args(&row.macros).arg(bench.join(&row.file)).current_dir(folder);
                let (output, cost) = measured(&mut command, LIMIT)?.context("unpick takes too long")?;
                let json: serde_json::Value = serde_json::from_slice(&output.stdout)
                    .with_context(|| format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
                let stats = &json["stats"];
                let found = (stats["states"].as_u64(), stats["transitions"].as_u64());
                if store == "exact" && *counts.get_or_insert(found) != found {
                    bail!("{}: {found:?} with --hash {way}, {counts:?} before", row.name());
                }
                *seconds = seconds.min(cost.user);
                compared.states = found.0.context("no states")?;
                if store == "exact" {
                    bytes = stats["store_bytes"].as_f64().unwrap_or(f64::NAN) / compared.states as f64;
                    compared.bytes = bytes;
                }
                compared.chosen = stats["hash"].as_str().unwrap_or_default().to_owned();
            }
        }
        let [full, incremental, auto] = compared.seconds;
        eprintln!("{} {store}: full {full:.2} s, incremental {incremental:.2}, auto {auto:.2}", compared.name);
        all.push(compared);
    }
    Ok(all)
}

pub fn markdown(rows: &[Compared]) -> String {
    let mut text = String::from(
        "## Hashing what a step has changed\n\n`--hash full`, `incremental` and `auto`, one worker, `--reduce none`: seconds of \
         the processor in user mode, whole process, by turns, the fastest of five. Ratios are times as fast as the full hash.\n\n\
         | model | store | states | B/state, plain | full s | incremental s | ratio | auto s | chosen | auto / better |\n\
         |---|---|--:|--:|--:|--:|--:|--:|---|--:|\n",
    );
    for row in rows {
        let [full, incremental, auto] = row.seconds;
        text += &format!(
            "| {} | {} | {} | {:.0} | {full:.2} | {incremental:.2} | {:.2} | {auto:.2} | {} | {:.2} |\n",
            row.name,
            row.store,
            row.states,
            row.bytes,
            full / incremental,
            row.chosen,
            auto / full.min(incremental),
        );
    }
    text += "\n";
    for store in STORES {
        let long = rows.iter().filter(|row| row.store == store && row.bytes >= 200.0);
        let mut ratios: Vec<f64> = long.map(|row| row.seconds[0] / row.seconds[1]).collect();
        text += &format!("Median ratio on vectors of 200 bytes and more, {store}: {:.2}.\n", median(&mut ratios));
    }
    text + "\n"
}
