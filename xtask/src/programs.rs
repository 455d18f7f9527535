//! The project's own programs and models as command lines of `unpick check`: the cases under `tests/`, the rows of
//! `bench/`, the examples.
//!
//! Each file says at its top how it is run; the keys are those of the test runner (`run:`, `with:`, `files:`) and of the
//! benchmarks (`row:`, `flags:`, and the lists under `bench/promela`).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// One command line: `unpick check FLAGS FILES`, run in the folder of the first file.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub group: Group,
    /// Relative to the project's root.
    pub folder: PathBuf,
    pub flags: Vec<String>,
    /// Relative to the folder.
    pub files: Vec<String>,
    pub is_model: bool,
    /// Whether its text mentions threads or interrupts.
    pub has_threads: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    Tests,
    /// A row of a benchmark that takes milliseconds.
    Small,
    /// A row of a benchmark that takes seconds.
    Medium,
    Examples,
}

impl Program {
    /// The first file's path from the root, then the flags, quoted where a shell would need it.
    pub fn name(&self) -> String {
        let first = self.folder.join(self.files.first().map_or("", String::as_str));
        let words = [first.display().to_string()].into_iter().chain(self.flags.iter().map(|flag| quoted(flag)));
        words.collect::<Vec<_>>().join(" ")
    }

    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|word| word == flag)
    }

    pub fn with(&self, flags: &[&str]) -> Program {
        let mut program = self.clone();
        program.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
        program
    }
}

fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty() && !word.contains(char::is_whitespace);
    if is_plain { word.to_owned() } else { format!("'{word}'") }
}

/// The project's root, whatever folder the command is called in.
pub fn root() -> Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().context("the project's root")
}

/// Examples that are more than one file.
const EXAMPLES: [(&str, &[&str], &[&str]); 7] = [
    ("examples/tables/abp", &["--tabled"], &["abp.c"]),
    ("examples/tables/quicksort", &["--tabled"], &["quicksort.c"]),
    ("examples/tables/phone", &["--tabled"], &["phone.c"]),
    ("examples/tables/phone", &["--tabled", "-DBUG_TIMER", "--property", "no_clock_in_talk"], &["phone.c"]),
    ("examples/tables/checkpoint", &["--tabled"], &["manager.c", "worker.c", "main.c"]),
    ("examples/tables/checkpoint", &["--tabled", "-DBUG_LOST"], &["manager.c", "worker.c", "main.c"]),
    ("examples/tables/checkpoint", &["--tabled", "-DBUG_LEAVE"], &["manager.c", "worker.c", "main.c"]),
];

/// All of them, sorted by name; a command line that two lists share comes once.
pub fn collect(root: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    visit(&root.join("tests"), &mut |file, text| programs.extend(cases(&relative(root, file), text)))?;
    visit(&root.join("bench"), &mut |file, text| programs.extend(rows(&relative(root, file), text)))?;
    for (list, group) in [("small.txt", Group::Small), ("models.txt", Group::Medium)] {
        let list = std::fs::read_to_string(root.join("bench/promela").join(list))?;
        programs.extend(lines(&list).map(|line| listed(group, line)));
    }
    let list = std::fs::read_to_string(root.join("bench/promela/liveness.txt"))?;
    programs.extend(lines(&list).map(question));
    for entry in std::fs::read_dir(root.join("examples"))? {
        let file = relative(root, &entry?.path());
        if has_language(&file) {
            programs.push(program(Group::Examples, &file, "", &[]));
        }
    }
    visit(&root.join("examples/receiver"), &mut |file, text| {
        programs.push(program(Group::Examples, &relative(root, file), text, &[]));
    })?;
    for (folder, flags, files) in EXAMPLES {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut program = program(Group::Examples, &Path::new(folder).join(files[0]), "", &owned(flags));
        program.files = owned(files);
        programs.push(program);
    }
    programs.sort_by_key(Program::name);
    programs.dedup_by_key(|program| program.name());
    Ok(programs)
}

fn relative(root: &Path, file: &Path) -> PathBuf {
    file.strip_prefix(root).unwrap_or(file).to_path_buf()
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn has_language(file: &Path) -> bool {
    ["c", "i", "ir", "pml", "prom"].contains(&extension(file))
}

fn visit(folder: &Path, look: &mut impl FnMut(&Path, &str)) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            visit(&path, look)?;
        } else if has_language(&path) {
            // The lexer's cases are not all UTF-8.
            look(&path, &String::from_utf8_lossy(&std::fs::read(&path)?));
        }
    }
    Ok(())
}

fn program(group: Group, file: &Path, text: &str, flags: &[String]) -> Program {
    let threads = ["pthread", "thrd_create", "spawn", "isr"];
    let is_tabled = flags.iter().any(|flag| flag == "--tabled" || flag == "--table");
    Program {
        group,
        folder: file.parent().map(Path::to_path_buf).unwrap_or_default(),
        flags: flags.to_vec(),
        files: vec![file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()],
        is_model: is_tabled || ["pml", "prom"].contains(&extension(file)),
        has_threads: threads.iter().any(|word| text.contains(word)),
    }
}

/// The directives at the top of a file that begin with this key.
fn directives<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let head = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(['/', ';']));
    head.filter_map(move |line| line.trim_start_matches(['/', ';']).trim().strip_prefix(key)).map(str::trim)
}

fn words(text: &str) -> Vec<String> {
    shlex::split(text).unwrap_or_default()
}

/// The `check` lines of a case, each also with what `with:` adds. A model or a text of the IR without any is checked as
/// it is; a C file without any is a part of another program.
fn cases(file: &Path, text: &str) -> Vec<Program> {
    let more: Vec<String> = directives(text, "files:").flat_map(words).collect();
    let variants: Vec<Vec<String>> = directives(text, "with:").flat_map(|line| line.split(" | ")).map(words).collect();
    let mut programs = Vec::new();
    let mut runs = directives(text, "run:").peekable();
    if runs.peek().is_none() && extension(file) != "c" {
        return vec![program(Group::Tests, file, text, &[])];
    }
    for run in runs {
        let run = words(run.split(" => ").next().unwrap_or(run));
        let Some(("check", flags)) = run.split_first().map(|(verb, flags)| (verb.as_str(), flags)) else { continue };
        for variant in [&Vec::new()].into_iter().chain(&variants) {
            let mut program = program(Group::Tests, file, text, &[flags, variant].concat());
            program.files.extend(more.iter().cloned());
            programs.push(program);
        }
    }
    programs
}

/// The rows at the top of a benchmark's program, for the model of the same name too.
fn rows(file: &Path, text: &str) -> Vec<Program> {
    let flags: Vec<String> = directives(text, "flags:").flat_map(words).collect();
    let mut programs = Vec::new();
    for row in directives(text, "row:") {
        let row = words(row);
        let Some((size, macros)) = row.split_first() else { continue };
        let group = match size.as_str() {
            "small" => Group::Small,
            "medium" => Group::Medium,
            _large => continue,
        };
        programs.push(program(group, file, text, &[&flags, macros].concat()));
        if group == Group::Small {
            programs.push(program(group, &file.with_extension("pml"), text, macros));
        }
    }
    programs
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// `FILE MACROS...`
fn listed(group: Group, line: &str) -> Program {
    let words = words(line);
    let (file, macros) = words.split_first().map_or(("", &[][..]), |(file, macros)| (file.as_str(), macros));
    program(group, &Path::new("bench").join(file), "", macros)
}

/// `KIND FILE MACROS... [| FORMULA]`
fn question(line: &str) -> Program {
    let (line, formula) = match line.split_once('|') {
        Some((line, formula)) => (line, Some(formula.trim().to_owned())),
        None => (line, None),
    };
    let (kind, line) = line.split_once(' ').unwrap_or((line, ""));
    let program = listed(Group::Medium, line);
    let fair: &[&str] = if kind.starts_with("fair-") { &["--fair"] } else { &[] };
    let asked = match (kind.trim_start_matches("fair-"), &formula) {
        (_, Some(formula)) => ["--ltl", formula.as_str()],
        ("progress", None) => ["--property", "non-progress"],
        (_, None) => ["--property", "acceptance"],
    };
    program.with(&asked).with(fair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(programs: &[Program]) -> Vec<String> {
        programs.iter().map(Program::name).collect()
    }

    #[test]
    fn every_check_of_a_case_is_a_run_and_so_is_each_variant() {
        let text = "// run: check --workers 2 => verified\n// run: simulate\n// run: check -DX='1 2'\n\
                    // files: b.c\n// with: --seed 1 | --seed 2\nint x; // run: check\n";
        let programs = cases(Path::new("tests/c/a.c"), text);
        let expected = [
            "tests/c/a.c --workers 2",
            "tests/c/a.c --workers 2 --seed 1",
            "tests/c/a.c --workers 2 --seed 2",
            "tests/c/a.c '-DX=1 2'",
            "tests/c/a.c '-DX=1 2' --seed 1",
            "tests/c/a.c '-DX=1 2' --seed 2",
        ];
        assert_eq!(names_of(&programs), expected);
        assert!(programs.iter().all(|program| program.files == ["a.c", "b.c"] && !program.is_model));
    }

    #[test]
    fn parts_are_no_programs_and_models_need_no_directive() {
        assert!(cases(Path::new("tests/c/part.c"), "int part;\n").is_empty());
        assert_eq!(names_of(&cases(Path::new("tests/promela/a.pml"), "init { skip }\n")), ["tests/promela/a.pml"]);
    }

    #[test]
    fn rows_of_benchmarks_leave_the_large_ones_out() {
        let text = "// flags: --no-spurious\n// row: small -DN=1\n// row: medium -DN=2\n// row: large -DN=9\nint x;\n";
        let expected = ["b/a.c --no-spurious -DN=1", "b/a.pml -DN=1", "b/a.c --no-spurious -DN=2"];
        assert_eq!(names_of(&rows(Path::new("b/a.c"), text)), expected);
    }

    #[test]
    fn questions_become_flags() {
        let name = |line| question(line).name();
        assert_eq!(name("ltl p/a.pml -DN=1 | [] (x == 0)"), "bench/p/a.pml -DN=1 --ltl '[] (x == 0)'");
        assert_eq!(name("fair-progress p/a.pml"), "bench/p/a.pml --property non-progress --fair");
        assert_eq!(name("accept p/a.pml"), "bench/p/a.pml --property acceptance");
    }

    #[test]
    fn all_languages_and_folders_are_there() {
        let programs = collect(&root().expect("there should be a root")).expect("the files should be readable");
        let has = |start: &str| programs.iter().any(|program| program.name().starts_with(start));
        for start in
            ["tests/c/", "tests/ir/", "tests/promela/", "tests/show/", "bench/threads/", "bench/promela/", "examples/"]
        {
            assert!(has(start), "{start}");
        }
        assert!(programs.len() > 800, "only {}", programs.len());
    }
}
