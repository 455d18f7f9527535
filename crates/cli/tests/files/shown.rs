//! One bug of each kind, as the terminal shows it: `tests/show/KIND.c` or `KIND.pml` says how it is run, `KIND.txt` beside
//! it is what is shown, word for word. `UNPICK_BLESS=1` rewrites it; read the difference.

use libtest_mimic::{Failed, Trial};
use unpick_program::ViolationKind;

use crate::annotated::Annotated;
use crate::binary::{lossy, shown, unpick};

pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    let programs = || files.iter().filter(|file| file.is_below("show"));
    let mut trials: Vec<Trial> =
        programs().map(|file| Trial::test(format!("show/{}", file.file_name()), || compare(file))).collect();
    let kinds: Vec<&str> = programs().map(kind).collect();
    trials.push(Trial::test("show/every_kind", move || every_kind_is_shown(kinds)));
    trials
}

/// The kind of violation that a program is there for.
fn kind(file: &Annotated) -> &str {
    file.file_name().split('.').next().unwrap_or_default()
}

fn compare(file: &Annotated) -> Result<(), Failed> {
    let run = file.value("run").ok_or("the program should say how it is run")?;
    let words: Vec<&str> = run.split_whitespace().chain(["--width", "100", file.file_name()]).collect();
    let output = unpick(file.folder(), &words)?;
    if output.status.code() != Some(1) {
        return Err(shown(&output).into());
    }
    let text = lossy(&output.stdout);
    // What the search costs is not what is tested here.
    let is_cost = |line: &&str| line.starts_with("statistics:") || line.starts_with("no violation within");
    let now: String = text.lines().filter(|line| !is_cost(line)).map(|line| format!("{line}\n")).collect();
    assert!(now.contains(&format!("error[{}]", kind(file))), "{now}");
    let expected = file.path.with_extension("txt");
    if std::env::var_os("UNPICK_BLESS").is_some() {
        std::fs::write(&expected, &now)?;
    }
    let recorded = std::fs::read_to_string(&expected).unwrap_or_default();
    if recorded == now {
        return Ok(());
    }
    Err(format!("UNPICK_BLESS=1 records what is shown now\n--- recorded\n{recorded}\n--- now\n{now}").into())
}

fn every_kind_is_shown(mut kinds: Vec<&str>) -> Result<(), Failed> {
    // Unwinding assertions are not made by any engine yet.
    let mut wanted: Vec<&str> = ViolationKind::ALL.iter().map(|kind| kind.name()).collect();
    wanted.retain(|kind| *kind != "unwinding");
    wanted.sort_unstable();
    kinds.sort_unstable();
    assert_eq!(kinds, wanted);
    Ok(())
}
