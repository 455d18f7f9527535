//! Violations of extracted models, followed on the program: the same kind is looked for, endless executions too.

use std::path::Path;
use std::process::Command;

fn unpick(folder: &Path, words: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    let output = command.args(words).current_dir(folder).output().expect("unpick should run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stderr) + &text(&output.stdout))
}

/// A folder with these files.
fn scratch(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder should be possible");
    for (file, text) in files {
        std::fs::write(folder.path().join(file), text).expect("a file should be writable");
    }
    folder
}

const COUNTED: &str = "#include <pthread.h>
int get(void);
int n;
static void *up(void *x) {
    if (get())
        n = n + 1;
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, up, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn invariants_are_looked_for_in_the_program() {
    let folder = scratch(&[("n.c", COUNTED)]);
    let check = |invariant: &str| unpick(folder.path(), &["check", "--tabled", "--invariant", invariant, "n.c"]);
    let (code, text) = check("n < 2");
    assert!(code == 1 && text.contains("verdict: violated (invariant at n.c:"), "{text}");
    assert!(text.contains("confirmed on the program itself"), "{text}");
    let (code, text) = check("n < 3");
    assert!(code == 0 && text.ends_with("verdict: verified\n"), "{text}");
}

const BUSY: &str = "int get(void);
int busy, tries;
int main(void) {
    while (1) {
        busy = 1;
        tries = 3;
        while (tries > 0)
            tries = tries - 1;
        busy = 0;
    }
}
";

const FREE: &str = "tries > 0\ttrue\n!(tries > 0)\ttrue\ntries = 3\thide\ntries = tries - 1\thide\n";
const IDLE: &str = "[] (busy -> <> !busy)";

#[test]
fn endless_executions_that_the_model_owes_to_its_freedom_are_none() {
    let folder = scratch(&[("busy.c", BUSY), ("busy.map", FREE)]);
    let check = ["check", "--table", "busy.map", "--ltl", IDLE, "busy.c"];
    let (code, text) = unpick(folder.path(), &check);
    assert!(code == 3 && text.contains("possible, but not confirmed"), "{text}");
    assert!(text.contains("no execution of the program goes this way"), "{text}");
    assert!(text.contains("without `tries > 0 -> true` (busy.map:1)"), "{text}");
    // What the condition reads is held again as well.
    let (code, text) = unpick(folder.path(), &[&check[..], &["--refine"]].concat());
    assert!(code == 0 && text.contains("refined: without `tries = 3 -> hide`"), "{text}");
    assert!(text.ends_with("verdict: verified\n"), "{text}");
}

#[test]
fn endless_executions_are_confirmed_on_the_program() {
    let source = BUSY.replace("tries = tries - 1", "tries = get()");
    let table = FREE.replace("tries - 1", "get()");
    let folder = scratch(&[("busy.c", &source), ("busy.map", &table)]);
    let (code, text) = unpick(folder.path(), &["check", "--table", "busy.map", "--ltl", IDLE, "busy.c"]);
    assert!(code == 1 && text.contains("verdict: violated (ltl at busy.c:"), "{text}");
    // It is the program's own execution, which comes back to the same state.
    assert!(text.contains("get() chose") && text.contains("back to the beginning of the repetition"), "{text}");
    // Executions that end stay where they are.
    let source = BUSY.replace("busy = 0;", "if (get())\n            return 0;\n        busy = 0;");
    std::fs::write(folder.path().join("busy.c"), source).expect("the source should be writable");
    std::fs::write(folder.path().join("busy.map"), "").expect("the table should be writable");
    let (code, text) = unpick(folder.path(), &["check", "--table", "busy.map", "--ltl", IDLE, "busy.c"]);
    assert!(code == 1 && text.contains("verdict: violated (ltl at"), "{text}");
}

/// What a formula of the command line speaks of is in the model, whichever function holds it.
#[test]
fn formulas_may_be_the_only_readers() {
    let source = "int a, b, idle;\nint main(void) {\n    a = 1;\n    while (1)\n        b = 1 - b;\n}\n";
    let folder = scratch(&[("a.c", source)]);
    for data in ["promela", "c"] {
        for (formula, expected) in [("<> (a == 1)", 0), ("[] <> (b == 1)", 0), ("<> (idle == 1)", 1)] {
            let (code, text) = unpick(folder.path(), &["check", "--tabled", "--data", data, "--ltl", formula, "a.c"]);
            assert!(code == expected, "{data} {formula}: {text}");
        }
    }
}

const WAITING: &str = "#include <pthread.h>
int flag, rounds;
static void *other(void *x) {
    flag = 1;
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    while (flag == 0)
        rounds = 1 - rounds;
    pthread_join(t, 0);
    return 0;
}
";

#[test]
fn livelocks_are_followed_with_every_thread() {
    let free = "flag == 0\ttrue\n!(flag == 0)\ttrue\nflag = 1\thide\n";
    let folder = scratch(&[("wait.c", WAITING), ("wait.map", free)]);
    let check = ["check", "--property", "livelock", "--table", "wait.map", "wait.c"];
    let (code, text) = unpick(folder.path(), &check);
    assert!(code == 3 && text.contains("no execution of the program goes this way"), "{text}");
    let (code, text) = unpick(folder.path(), &[&check[..], &["--refine"]].concat());
    assert!(code == 0 && text.ends_with("verdict: verified\n"), "{text}");
    let source = WAITING.replace("flag = 1;", "flag = 0;");
    let folder = scratch(&[("wait.c", &source), ("wait.map", &free.replace("= 1", "= 0"))]);
    let (code, text) = unpick(folder.path(), &check);
    assert!(code == 1 && text.contains("verdict: violated (livelock at wait.c:"), "{text}");
}

#[test]
fn what_only_a_row_asserts_is_not_refuted() {
    let source = "int get(void);\nvoid mark(int x);\nint main(void) {\n  int x = 0;\n  if (get())\n    x = 1;\n  mark(x);\n  return 0;\n}\n";
    let folder = scratch(&[("mark.c", source), ("mark.map", "mark(x)\tassert(x == 0)\n")]);
    let (code, text) = unpick(folder.path(), &["check", "--table", "mark.map", "mark.c"]);
    assert!(code == 3 && text.contains("only the model asserts this"), "{text}");
}

/// Checks, keeps the trace, and executes it again.
fn kept(folder: &Path, words: &[&str]) -> String {
    let words = [&["check", "--save-trace", "bug.json"], words].concat();
    let (code, text) = unpick(folder, &words);
    assert!(code == 1, "{text}");
    let (code, text) = unpick(folder, &["show", "--verify", "bug.json"]);
    assert!(code == 0 && text.starts_with("the trace replays:"), "{text}");
    std::fs::read_to_string(folder.join("bug.json")).expect("the trace should be there")
}

const CERTAIN: &str = "#include <assert.h>
int x, y;
int main(void) {
    x = 1;
    if (x == 1)
        y = 2;
    assert(y == 0);
    return 0;
}
";

#[test]
fn traces_of_extracted_models_are_executed_again() {
    let folder = scratch(&[("p.c", CERTAIN), ("p.map", "y = 2\ty = 3\n")]);
    for words in [&["--tabled"][..], &["--table", "p.map"], &["--tabled", "--data", "c"]] {
        let trace = kept(folder.path(), &[words, &["p.c"]].concat());
        assert!(trace.contains("\"extracted\"") && trace.contains("\"p.c\""), "{trace}");
    }
    // A claim is followed by its states.
    kept(folder.path(), &["--tabled", "--property", "assertion", "--ltl", "[] (y == 0)", "p.c"]);
    // What the model does now is told.
    kept(folder.path(), &["--tabled", "p.c"]);
    let changed = CERTAIN.replace("y = 2", "y = 0");
    std::fs::write(folder.path().join("p.c"), changed).expect("the source should be writable");
    let (code, text) = unpick(folder.path(), &["show", "--verify", "bug.json"]);
    assert!(code == 3 && text.contains("does not replay any more"), "{text}");
    std::fs::remove_file(folder.path().join("p.c")).expect("the source should be removable");
    let (code, text) = unpick(folder.path(), &["show", "--verify", "bug.json"]);
    assert!(code == 2 && text.contains("p.c"), "{text}");
}

#[test]
fn traces_that_the_program_confirmed_are_executed_again() {
    let folder = scratch(&[("n.c", COUNTED)]);
    kept(folder.path(), &["--tabled", "--invariant", "n < 2", "n.c"]);
    let source = BUSY.replace("tries = tries - 1", "tries = get()");
    let table = FREE.replace("tries - 1", "get()");
    let folder = scratch(&[("busy.c", &source), ("busy.map", &table)]);
    let trace = kept(folder.path(), &["--table", "busy.map", "--ltl", IDLE, "busy.c"]);
    assert!(trace.contains("\"busy.map\""), "{trace}");
}

/// Trails of models with embedded C are spelt out by their own verifier.
#[test]
fn trails_of_models_with_embedded_c_are_shown_on_the_source() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/data/lost_update.c");
    let source = std::fs::read_to_string(source).expect("the program should be there");
    let folder = scratch(&[("lost_update.c", &source)]);
    let (code, text) =
        unpick(folder.path(), &["extract", "--to", "promela", "--data", "c", "lost_update.c", "-o", "m.pml"]);
    assert!(code == 0, "{text}");
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(folder.path()).output();
        output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"))
    };
    run("spin", &["-a", "m.pml"]);
    // SPIN takes embedded C for local to its process.
    run("cc", &["-w", "-DNOREDUCE", "-o", "pan", "pan.c"]);
    run(folder.path().join("pan").to_str().expect("a path should be text"), &["-m10000"]);
    let (code, text) =
        unpick(folder.path(), &["show", "--width", "200", "--trail", "m.pml.trail", "--run-model-code", "m.pml"]);
    assert!(code == 0 && text.contains("error[assertion]") && text.contains("lost_update.c:28"), "{text}");
    assert!(text.contains("int seen = counter.value;"), "{text}");
}
