//! Models of a few thousand states, where making the verifier takes longer than running it: seconds until the verdict,
//! of the whole `unpick check` against `spin -a`, `gcc` and `pan` together.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::measure::{compile, done, generate};
use super::table::median;
use super::{LIMIT, Row};
use crate::campaign::output_within;

/// How often we are asked, of which the fastest counts; SPIN is asked half as often.
const N_TRIES: usize = 6;

pub struct Compared {
    name: String,
    states: f64,
    /// With `gcc -O2` and `-O0`.
    spin: [f64; 2],
    ours: f64,
}

pub fn compare(bench: &Path, folder: &Path, binary: &Path, row: &Row) -> Result<Compared> {
    let own = folder.join("small");
    let mut spin = [f64::INFINITY; 2];
    let mut is_error = [false; 2];
    for _ in 0..N_TRIES / 2 {
        for (option, seconds) in ["-O2", "-O0"].into_iter().zip(&mut spin) {
            let start = Instant::now();
            generate(bench, &own, row, false)?;
            compile(&own, &[option, "-DSAFETY"])?;
            let mut pan = Command::new(own.join("pan"));
            let output = output_within(pan.current_dir(&own), LIMIT)?.context("SPIN takes too long")?;
            *seconds = seconds.min(start.elapsed().as_secs_f64());
            is_error[0] = !String::from_utf8_lossy(&output.stdout).contains("errors: 0");
            std::fs::remove_dir_all(&own)?;
        }
    }
    let (mut ours, mut states) = (f64::INFINITY, f64::NAN);
    for _ in 0..N_TRIES {
        let mut command = Command::new(binary);
        command.args(["check", "--json", "--quiet", "--property", "assertion,end-state"]).args(&row.macros);
        command.arg(bench.join(&row.file)).current_dir(folder);
        let start = Instant::now();
        let output = command.output()?;
        ours = ours.min(start.elapsed().as_secs_f64());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
        states = json["stats"]["states"].as_f64().context("no states")?;
        is_error[1] = json["verdict"] != "verified";
    }
    if is_error[0] != is_error[1] {
        bail!("{}: one finds an error, the other does not", row.name());
    }
    Ok(Compared { name: row.name(), states, spin, ours })
}

pub fn markdown(rows: &[Compared]) -> String {
    let mut text = String::from(
        "## Small models: seconds until the verdict\n\n`spin -a`, `gcc -O2 -DSAFETY` (or `-O0`) and `pan` together; \
         `unpick check` as a whole process, two workers. The fastest of three and of six.\n\n\
         | model | states, ours | SPIN, `-O2` | SPIN, `-O0` | ours | ratio, `-O2` | ratio, `-O0` |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    for row in rows {
        let ratios = row.spin.map(|seconds| seconds / row.ours);
        slow.push(ratios[0]);
        fast.push(ratios[1]);
        text += &format!(
            "| {} | {:.0} | {:.2} | {:.2} | {:.4} | {:.0} | {:.0} |\n",
            row.name, row.states, row.spin[0], row.spin[1], row.ours, ratios[0], ratios[1],
        );
    }
    let (slow_median, fast_median) = (median(&mut slow), median(&mut fast));
    let least = |sorted: &[f64]| sorted.first().copied().unwrap_or(f64::NAN);
    text + &format!(
        "\nMedian ratio: {slow_median:.0} with `-O2` (least {:.0}), {fast_median:.0} with `-O0` (least {:.0}).\n\n",
        least(&slow),
        least(&fast),
    )
}

/// The processor's frequency rises and caches fill before anything is measured.
pub fn settle(folder: &Path, binary: &Path) -> Result<()> {
    done(folder, Command::new(binary).arg("--version"))
}
