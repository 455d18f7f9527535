//! Every library model passes our own front end without a diagnostic, for both targets, and is in the index.

use unpick_front_c::session::Session;
use unpick_front_c::types::Target;
use unpick_front_c::{analyse, models};

fn messages_of(file: &models::ModelFile, target: Target) -> Vec<String> {
    let mut session = Session { target, ..Session::default() };
    let text = session.sources.add(file.name, file.text).expect("a model should fit the source map");
    analyse(&mut session, text);
    session.diagnostics.iter().map(|item| format!("{}: {}", file.name, item.message)).collect()
}

#[test]
fn models_give_no_messages() {
    for target in [Target::Lp64, Target::Ilp32] {
        let messages: Vec<String> = models::FILES.iter().flat_map(|file| messages_of(file, target)).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
    }
}

#[test]
fn every_file_is_embedded() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let entries = std::fs::read_dir(directory).expect("the models should be readable");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let embedded: Vec<&str> = models::FILES.iter().map(|file| file.name).collect();
    assert_eq!(names, embedded);
}

#[test]
fn functions_are_found_by_name() {
    for (name, file) in [("printf", "printf.c"), ("malloc", "memory.c"), ("stdout", "stdio.c"), ("optarg", "getopt.c")]
    {
        assert_eq!(models::file_for(name).map(|file| file.name), Some(file));
    }
    assert!(models::file_for("no_such_function").is_none());
}
