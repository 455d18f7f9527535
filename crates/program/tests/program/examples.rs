//! The programs under `tests/ir` are well-formed, and reading, printing and reading again changes nothing.

use std::path::{Path, PathBuf};

use unpick_program::text::{parse, print};
use unpick_program::verify::{Form, verify};

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("tests/ir should be readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ir") {
            found.push(path);
        }
    }
}

#[test]
fn every_example_reads_verifies_and_prints() {
    let mut found = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir"), &mut found);
    assert!(!found.is_empty(), "there should be examples");
    for path in found {
        let text = std::fs::read_to_string(&path).expect("an example should be readable");
        let name = path.display();
        let program = parse(&text).unwrap_or_else(|errors| panic!("{name}:{}", errors[0]));
        verify(&program, Form::Program).unwrap_or_else(|faults| panic!("{name}: {}", faults[0]));
        assert_eq!(parse(&print(&program)).as_ref(), Ok(&program), "{name}");
    }
}
