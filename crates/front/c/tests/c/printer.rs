//! Printed programs behave like their originals: hand-written ones for each feature, and those of csmith.
//!
//! `UNPICK_CSMITH_SEEDS=1-300` runs the campaign over that range of seeds; a few run by default.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use unpick_front_c::printer::{PrintOptions, print_unit, print_unit_with};
use unpick_front_c::types::Target;

use crate::front;

/// The ways a program is printed.
const OPTIONS: [PrintOptions; 2] =
    [PrintOptions { explicit_conversions: false }, PrintOptions { explicit_conversions: true }];

#[test]
fn features_keep_their_behaviour() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printer");
    let mut failures = Vec::new();
    let mut n_programs = 0;
    for entry in std::fs::read_dir(sources).expect("the folder of programs should exist") {
        let path = entry.expect("the folder of programs should be readable").path();
        n_programs += 1;
        if let Err(failure) = round_trip(&path, &[], Duration::from_secs(20)) {
            failures.push(format!("{}: {failure}", path.display()));
        }
    }
    assert!(n_programs > 0, "there should be programs");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn csmith_programs_keep_their_checksum() {
    let range = std::env::var("UNPICK_CSMITH_SEEDS").unwrap_or_else(|_| "1-8".to_owned());
    let (first, last) = range.split_once('-').expect("UNPICK_CSMITH_SEEDS should be FIRST-LAST");
    let parse = |text: &str| text.trim().parse::<u32>().expect("a seed should be a number");
    let folder = front::folder("printer-csmith");
    let (mut n_same, mut n_slow, mut failures) = (0, 0, Vec::new());
    for seed in parse(first)..=parse(last) {
        let source = folder.join(format!("seed{seed}.c"));
        let generated = Command::new("csmith").args(["--seed", &seed.to_string(), "-o"]).arg(&source).output();
        generated.expect("csmith should be installed (Debian: apt-get install csmith libcsmith-dev)");
        match round_trip(&source, &["-I/usr/include/csmith"], Duration::from_secs(5)) {
            Ok(Outcome::Same) => n_same += 1,
            Ok(Outcome::TooSlow) => n_slow += 1,
            Err(failure) => failures.push(format!("seed {seed}: {failure}")),
        }
    }
    eprintln!("{n_same} programs kept their checksum, {n_slow} did not end in time, {} failed", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

enum Outcome {
    Same,
    /// The original does not end in time, so there is nothing to compare.
    TooSlow,
}

/// Compiles and runs a program as it is and as printed; also prints what was printed once more.
fn round_trip(source: &Path, flags: &[&str], limit: Duration) -> Result<Outcome, String> {
    let stem = source.file_stem().and_then(|stem| stem.to_str()).expect("a test's file should have a name");
    let folder = front::folder("printer");
    let original = folder.join(stem);
    front::compile(source, &original, flags)?;
    let Some(expected) = front::run(&original, limit) else { return Ok(Outcome::TooSlow) };
    let text = front::preprocess(source, flags)?;
    let (unit, session) = front::analyse(&text, stem, Target::Lp64)?;
    for (number, options) in OPTIONS.into_iter().enumerate() {
        let printed = print_unit_with(&unit, &session.interner, options);
        let printed_source = folder.join(format!("{stem}-printed{number}.c"));
        let program = folder.join(format!("{stem}-printed{number}"));
        std::fs::write(&printed_source, &printed).expect("the folder for temporary files should be writable");
        front::compile(&printed_source, &program, &[]).map_err(|error| format!("the printed text: {error}"))?;
        match front::run(&program, limit * 3) {
            Some(found) if found == expected => {}
            Some(found) => {
                let show = |(out, code): &(Vec<u8>, Option<i32>)| {
                    format!("{} (status {code:?})", String::from_utf8_lossy(out))
                };
                return Err(format!("was\n{}\nis\n{}", show(&expected), show(&found)));
            }
            None => return Err("the printed program does not end".to_owned()),
        }
        if !options.explicit_conversions {
            let (again, session) =
                front::analyse(&printed, stem, Target::Lp64).map_err(|error| format!("the printed text: {error}"))?;
            if print_unit(&again, &session.interner) != printed {
                return Err("printing the printed text changes it".to_owned());
            }
        }
    }
    Ok(Outcome::Same)
}
