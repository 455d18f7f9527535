//! Differential test of the library models, compiled by gcc, against the C library on equal inputs.
//!
//! Every symbol of the models is renamed with a prefix, so that `printf` is the C library's and `model_printf`
//! ours; `tests/models/driver.c` supplies the intrinsics.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} should start: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} should succeed:\n{text}");
    text
}

fn c_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory should be readable");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry should be readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn gcc(flags: &[&str]) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-std=gnu11", "-O1", "-fno-pie", "-Wall", "-Wextra", "-fno-builtin", "-fno-strict-aliasing"]);
    command.args(flags).arg("-I").arg(root().join("tests/models"));
    command
}

#[test]
fn models_answer_as_the_c_library() {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models_against_libc");
    fs::create_dir_all(&build).expect("the build directory should be writable");
    let mut objects = Vec::new();
    for file in c_files(&root().join("models")) {
        let object = build.join(file.file_name().expect("a file has a name")).with_extension("o");
        let mut command = gcc(&["-Werror", "-include", "intrinsics.h", "-c"]);
        run(command.arg(&file).arg("-o").arg(&object));
        objects.push(object);
    }
    let (joined, prefixed, program) = (build.join("joined"), build.join("prefixed.o"), build.join("driver"));
    run(Command::new("ld").args(["-r", "-o"]).arg(&joined).args(&objects));
    run(Command::new("objcopy").arg("--prefix-symbols=model_").arg(&joined).arg(&prefixed));
    let mut command = gcc(&["-no-pie", "-Wno-format"]);
    run(command.args(c_files(&root().join("tests/models"))).arg(&prefixed).arg("-lm").arg("-o").arg(&program));
    run(&mut Command::new(&program));
}

/// The names a model file defines for the linker, as gcc sees them.
fn defined_names(file: &Path, build: &Path) -> Vec<String> {
    let object = build.join(file.file_name().expect("a file has a name")).with_extension("o");
    let mut command = gcc(&["-include", "intrinsics.h", "-c"]);
    run(command.arg(file).arg("-o").arg(&object));
    let symbols = run(Command::new("nm").args(["--defined-only", "--extern-only"]).arg(&object));
    let functions = symbols.lines().filter_map(|line| line.split_once(" T "));
    let internal =
        ["__cancel_", "__cancellable_", "__model_", "__mutex_", "__quiet_", "__thread_", "__waiters_", "__within_"];
    let is_public = |name: &String| !internal.iter().any(|prefix| name.starts_with(prefix));
    functions.map(|(_, name)| name.to_owned()).filter(is_public).collect()
}

#[test]
fn every_model_says_how_faithful_it_is() {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models_remarks");
    fs::create_dir_all(&build).expect("the build directory should be writable");
    for file in c_files(&root().join("models")) {
        let text = fs::read_to_string(&file).expect("a model should be readable");
        assert!(text.starts_with("//! header: "), "{} should name its header first", file.display());
        let mut remarked: Vec<&str> = Vec::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("/// ")) {
            let (name, remark) = line.split_once(": ").expect("a remark should have the form `name: kind`");
            let kind = remark.split(" — ").next().expect("split yields at least one part");
            assert!(["exact", "any value", "bounded", "unmodelled"].contains(&kind), "{}: {line}", file.display());
            remarked.push(name);
        }
        let mut defined = defined_names(&file, &build);
        remarked.sort_unstable();
        defined.sort_unstable();
        assert_eq!(remarked, defined, "remarks and functions of {}", file.display());
    }
}
