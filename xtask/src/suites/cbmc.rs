//! CBMC's regression tests: `test.desc` with a level, the main file, options, and patterns of its output.
//!
//! Options become ours where there is a counterpart; those of the solver change no answer. A test with any
//! other option is skipped, and so is one whose patterns look at something else than the verdict.

use std::path::Path;

use super::walk::{name, place};
use super::{Label, Task};

pub fn task(file: &Path) -> Option<Task> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut lines = text.lines();
    let (_level, main) = (lines.next()?, lines.next()?.trim());
    let options: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    // Before the first `--` stands what has to be printed.
    let patterns: Vec<&str> = lines.take_while(|line| *line != "--").collect();
    if !main.ends_with(".c") && !main.ends_with(".i") {
        return None;
    }
    let (folder, _) = place(file);
    let is_compiler = folder.components().any(|part| part.as_os_str() == "ansi-c");
    let mut translated = Translated::new(is_compiler);
    let source = std::fs::read(folder.join(main)).unwrap_or_default();
    let label = match translated.read(&options) {
        Err(reason) => Label::Skipped(reason),
        Ok(()) if String::from_utf8_lossy(&source).contains("#pragma CPROVER check") => {
            Label::Skipped("checks chosen by pragmas".into())
        }
        Ok(()) => label(&patterns, is_compiler),
    };
    // Where a bound is given, a failure that no pattern names may be that of the bound.
    let is_bounded =
        options.contains(&"--unwinding-assertions") && !patterns.iter().any(|line| line.contains("FAILURE"));
    let label = match label {
        Label::Fails if is_bounded => Label::Skipped("the bound is the claim".into()),
        label => label,
    };
    let mut flags = translated.flags;
    if !is_compiler {
        flags.extend(["--property".into(), translated.properties.join(",")]);
        if translated.malloc_fails {
            flags.push("--malloc-fails".into());
        }
    }
    let mut files = vec![main.to_string()];
    files.extend(translated.files);
    Some(Task { suite: "CBMC", name: name(file), folder, files, flags, label })
}

fn label(patterns: &[&str], is_compiler: bool) -> Label {
    let has = |text: &str| patterns.iter().any(|pattern| pattern.contains(text));
    if has("VERIFICATION SUCCESSFUL") {
        return Label::Holds;
    }
    if has("unwinding assertion") || has("recursion") {
        return Label::Skipped("the bound is the claim".into());
    }
    if has("VERIFICATION FAILED") {
        return Label::Fails;
    }
    if has("CONVERSION ERROR") || has("PARSING ERROR") || has("EXIT=6") || has("EXIT=(64|1)") || has("EXIT=(1|64)") {
        return Label::Refused;
    }
    if is_compiler && has("EXIT=0") {
        return Label::Compiles;
    }
    Label::Skipped("no verdict expected".into())
}

/// CBMC's command line in our words.
struct Translated {
    flags: Vec<String>,
    files: Vec<String>,
    properties: Vec<&'static str>,
    malloc_fails: bool,
    is_compiler: bool,
}

const STANDARD: [&str; 9] = [
    "null-dereference",
    "out-of-bounds",
    "use-after-free",
    "double-free",
    "invalid-free",
    "division-by-zero",
    "overflow",
    "invalid-shift",
    "assertion",
];

const POINTERS: [&str; 5] = ["null-dereference", "out-of-bounds", "use-after-free", "double-free", "invalid-free"];

/// How the formula is built, solved or shown.
const NO_MATTER: [&str; 42] = [
    "--no-simplify",
    "--no-propagation",
    "--arrays-uf-always",
    "--arrays-uf-never",
    "--refine-arrays",
    "--refine",
    "--refine-arithmetic",
    "--refine-strings",
    "--trace",
    "--compact-trace",
    "--stack-trace",
    "--trace-hex",
    "--trace-show-code",
    "--trace-show-function-calls",
    "--slice-formula",
    "--full-slice",
    "--reachability-slice",
    "--reachability-slice-fb",
    "--floatbv",
    "--little-endian",
    "--stop-on-fail",
    "--all-properties",
    "--smt2",
    "--z3",
    "--validate-goto-model",
    "--no-unwinding-assertions",
    "--unwinding-assertions",
    "--retain-trivial-checks",
    "--drop-unused-functions",
    "--no-built-in-assertions",
    "--no-malloc-may-fail",
    "--string-abstraction",
    "--symex-cache-dereferences",
    "--no-pointer-primitive-check",
    "--pointer-primitive-check",
    "--gcc",
    "--64",
    "--no-library",
    "--incremental",
    "--localize-faults",
    "--flush",
    "--no-sat-preprocessor",
];

/// The same with a value behind them.
const NO_MATTER_WITH_VALUE: [&str; 8] = [
    "--verbosity",
    "--object-bits",
    "--unwind",
    "--sat-solver",
    "--unwind-max",
    "--unwind-min",
    "--max-field-sensitivity-array-size",
    "--paths",
];

impl Translated {
    fn new(is_compiler: bool) -> Translated {
        let properties = STANDARD.to_vec();
        Translated { flags: Vec::new(), files: Vec::new(), properties, malloc_fails: true, is_compiler }
    }

    fn add(&mut self, names: &[&'static str]) {
        self.properties.extend(names.iter().filter(|name| !self.properties.contains(name)).collect::<Vec<_>>());
    }

    fn drop(&mut self, names: &[&str]) {
        self.properties.retain(|property| !names.contains(property));
    }

    fn read(&mut self, options: &[&str]) -> Result<(), String> {
        // Which checks there are by default is settled before others are added.
        if options.contains(&"--no-standard-checks") {
            self.properties = vec!["assertion"];
            self.malloc_fails = false;
        }
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match *option {
                "--no-standard-checks" => {}
                "--function" => {
                    let name = options.next().ok_or("--function without a name")?;
                    self.flags.extend(["--entry".into(), (*name).into()]);
                }
                "-I" | "-D" | "-U" | "-include" => {
                    let value = options.next().ok_or("an option without its value")?;
                    self.flags.extend([(*option).into(), (*value).into()]);
                }
                "--32" => self.flags.extend(["--target".into(), "ilp32".into()]),
                "--c89" | "--c99" | "--c11" => {
                    self.flags.extend(["--std".into(), option.trim_start_matches('-').into()]);
                }
                "--pointer-check" => self.add(&POINTERS),
                "--no-pointer-check" => {
                    self.drop(&["null-dereference", "use-after-free", "double-free", "invalid-free"])
                }
                "--bounds-check" => self.add(&["out-of-bounds"]),
                "--no-bounds-check" => self.drop(&["out-of-bounds"]),
                "--div-by-zero-check" => self.add(&["division-by-zero"]),
                "--no-div-by-zero-check" => self.drop(&["division-by-zero"]),
                "--signed-overflow-check" => self.add(&["overflow"]),
                "--no-signed-overflow-check" => self.drop(&["overflow"]),
                "--undefined-shift-check" => self.add(&["invalid-shift"]),
                "--no-undefined-shift-check" => self.drop(&["invalid-shift"]),
                "--memory-leak-check" => self.add(&["leak"]),
                "--malloc-may-fail" | "--malloc-fail-null" => self.malloc_fails = true,
                "--no-assertions" => self.drop(&["assertion"]),
                known if NO_MATTER.contains(&known) => {
                    self.malloc_fails &= known != "--no-malloc-may-fail";
                }
                known if NO_MATTER_WITH_VALUE.contains(&known) => {
                    options.next();
                }
                macros if macros.starts_with("-D") || macros.starts_with("-U") || macros.starts_with("-I") => {
                    self.flags.push(macros.into());
                }
                std if std.starts_with("-std=") => self.flags.push(std.into()),
                "-c" | "-Wall" if self.is_compiler => {}
                source if source.ends_with(".c") && !source.starts_with('-') => self.files.push(source.into()),
                other => return Err(format!("option {}", other.split('=').next().unwrap_or(other))),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(options: &[&str]) -> (Translated, Result<(), String>) {
        let mut translated = Translated::new(false);
        let result = translated.read(options);
        (translated, result)
    }

    #[test]
    fn patterns_become_labels() {
        assert_eq!(label(&["^EXIT=0$", "^VERIFICATION SUCCESSFUL$"], false), Label::Holds);
        assert_eq!(label(&["^EXIT=10$", "^VERIFICATION FAILED$"], false), Label::Fails);
        assert_eq!(label(&["^EXIT=6$", "^CONVERSION ERROR$"], false), Label::Refused);
        assert_eq!(label(&["^EXIT=0$"], true), Label::Compiles);
        assert!(matches!(label(&["^EXIT=0$"], false), Label::Skipped(_)));
        let bounded = ["^VERIFICATION FAILED$", "unwinding assertion loop 0: FAILURE"];
        assert!(matches!(label(&bounded, false), Label::Skipped(_)));
    }

    #[test]
    fn options_become_ours() {
        let options = ["--no-standard-checks", "--bounds-check", "--function", "f", "--unwind", "3", "-DN=1"];
        let (translated, result) = translated(&options);
        assert_eq!(result, Ok(()));
        assert_eq!(translated.properties, ["assertion", "out-of-bounds"]);
        assert_eq!(translated.flags, ["--entry", "f", "-DN=1"]);
        assert!(!translated.malloc_fails);
    }

    #[test]
    fn options_without_a_counterpart_are_named() {
        assert_eq!(translated(&["--nan-check"]).1, Err("option --nan-check".into()));
    }
}
