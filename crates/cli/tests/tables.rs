//! Tables from the command line: the commands of `docs/tables.md` on the alternating bit protocol.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables/abp")
}

fn unpick(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let output: Output =
        Command::new(env!("CARGO_BIN_EXE_unpick")).args(words).current_dir(folder).output().expect("unpick should run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// A folder with the protocol in it, changed.
fn changed(name: &str, change: impl Fn(&str) -> String, table: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("unpick-tables-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder should be possible");
    let read = |file: &str| std::fs::read_to_string(example().join(file)).expect("the example should be there");
    std::fs::write(folder.join("abp.c"), change(&read("abp.c"))).expect("the source should be writable");
    std::fs::write(folder.join("abp.map"), read("abp.map") + table).expect("the table should be writable");
    std::fs::write(folder.join("unpick.toml"), read("unpick.toml")).expect("the harness should be writable");
    folder
}

#[test]
fn a_table_is_listed_explained_and_counted() {
    let folder = example();
    let (code, table, _) = unpick(&folder, &["table", "abp.c"]);
    assert!(code == 0 && table.lines().count() == 22 && table.contains("C: !(in.seq == bit)"), "{table}");
    let (_, why, _) = unpick(&folder, &["table", "--explain", "33", "abp.c"]);
    assert!(why.contains("A: bit = 1 - bit") && why.contains("built-in default"), "{why}");
    let (_, figures, _) = unpick(&folder, &["table", "--stats", "abp.c"]);
    assert!(figures.contains("table entries         22") && figures.contains("model extracted      96%"), "{figures}");
    let (_, audit, _) = unpick(&folder, &["table", "--audit", "abp.c"]);
    assert!(audit.contains("unverified: 7 of 22") && audit.contains("widening: 0"), "{audit}");
}

#[test]
fn a_program_is_checked_through_its_table() {
    let (code, text, _) = unpick(&example(), &["check", "--table", "abp.map", "abp.c"]);
    assert!(code == 0 && text.ends_with("verdict: verified\n"), "{text}");
    let folder = changed("wrong", |source| source.replace("if (in.seq == expected)", "if (in.seq != 2)"), "");
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "abp.c"]);
    assert!(code == 1 && text.contains("verdict: violated (assertion at abp.c:48)"), "{text}");
    assert!(text.contains("deliver(in.data);"), "{text}");
    // A restriction proves nothing.
    let restricted = changed("restricted", str::to_owned, "!(in.seq == bit)\tfalse\n");
    let (code, text, _) = unpick(&restricted, &["check", "--tabled", "--property", "assertion", "abp.c"]);
    assert!(code == 3 && text.contains("rows say so"), "{text}");
    for folder in [folder, restricted] {
        std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
    }
}

#[test]
fn wrong_tables_write_nothing() {
    let folder = changed("broken", str::to_owned, "bit = 1 - bit\thide\nnothing(x)\tskip\n");
    let output = folder.join("model.pml");
    let (code, _, errors) = unpick(&folder, &["extract", "--to", "promela", "abp.c", "-o", "model.pml"]);
    assert!(code == 2 && !output.exists(), "{errors}");
    assert!(errors.contains("no entry is `nothing(x)`") && errors.contains("abp.map:"), "{errors}");
    assert!(errors.contains("`bit` depends on `bit = 1 - bit`") && errors.contains("abp.c:33"), "{errors}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}
