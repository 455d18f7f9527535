//! `cargo xtask kill`: a search that is killed at random moments and taken up again comes to the same end.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{scratch, unpick};

const USAGE: &str = "usage: cargo xtask kill [N] [--model FILE MACROS...]";

/// A model of more than twenty million states.
const MODEL: [&str; 2] = ["bench/threads/robots.pml", "-DSIZE=42"];

pub fn run(words: &[&str]) -> Result<()> {
    let (mut n_rounds, mut model) = (10, MODEL.to_vec());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--model" => model = words.by_ref().copied().collect(),
            _ => n_rounds = word.parse().context(USAGE)?,
        }
    }
    let binary = unpick()?;
    let folder = scratch("kill")?;
    let kept = folder.join("search");
    let check = |flag: &str| {
        let mut command = Command::new(&binary);
        command.args(["check", "--json", "--quiet", "--reduce", "none", "--property", "assertion,end-state"]);
        command.args(["--time", "1h", "--store", "tree"]).args(&model[1..]).arg(model[0]);
        if !flag.is_empty() {
            command.arg(flag).arg(&kept);
        }
        if flag == "--checkpoint" {
            command.args(["--checkpoint-every", "1s"]);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        command
    };
    let start = Instant::now();
    let whole = states(&check("").output()?.stdout)?;
    let mut seconds = start.elapsed().as_secs_f64();
    println!("{}: {whole} states in {seconds:.0} s without interruption", model.join(" "));
    // Another moment each time, the same ones in every run.
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut round = 1;
    while round <= n_rounds {
        let _ = std::fs::remove_file(&kept);
        let mut child = check("--checkpoint").spawn()?;
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Not before it was kept once.
        let moment = 2.5 + (seconds - 3.0).max(0.0) * (dice >> 40) as f64 / (1u64 << 24) as f64;
        let begun = Instant::now();
        std::thread::sleep(Duration::from_secs_f64(moment));
        // On a busy machine it may take longer until the search is kept for the first time.
        while !kept.exists() && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(100));
        }
        let moment = begun.elapsed().as_secs_f64();
        if child.try_wait()?.is_some() {
            // It is faster than the first time: no process was killed.
            seconds *= 0.8;
            continue;
        }
        child.kill()?;
        child.wait()?;
        let size = std::fs::metadata(&kept).context("nothing was kept before the search was killed")?.len();
        let found = states(&check("--resume").output()?.stdout)?;
        println!("round {round}: killed after {moment:.1} s, {size} bytes kept, {found} states in the end");
        if found != whole {
            bail!("{found} states instead of {whole}");
        }
        round += 1;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The number of states in a report that says `verified`.
fn states(json: &[u8]) -> Result<u64> {
    let json: serde_json::Value = serde_json::from_slice(json).context("no report")?;
    if json["verdict"] != "verified" {
        bail!("not verified: {json}");
    }
    json["stats"]["states"].as_u64().context("no number of states")
}
