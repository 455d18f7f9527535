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

/// A folder with these files.
fn scratch(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("unpick-tables-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder should be possible");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file should be writable");
    }
    folder
}

#[test]
fn a_violation_that_the_model_owes_to_its_freedom_is_none() {
    let source =
        "#include <assert.h>\nint x;\nint main(void) {\n  x = 1;\n  if (x > 2)\n    assert(x == 0);\n  return 0;\n}\n";
    let folder = scratch("free", &[("p.c", source), ("t.map", "x > 2\ttrue\n!(x > 2)\ttrue\n")]);
    let (code, text, _) = unpick(&folder, &["check", "--table", "t.map", "p.c"]);
    assert!(code == 3 && text.contains("possible, but not confirmed"), "{text}");
    assert!(text.contains("no execution of the program goes this way") && text.contains("p.c:5"), "{text}");
    assert!(text.contains("without `x > 2 -> true` (t.map:1)"), "{text}");
    let (code, text, errors) = unpick(&folder, &["check", "--table", "t.map", "--refine", "p.c"]);
    assert!(code == 0 && errors.contains("refined: without `x > 2 -> true`"), "{text}{errors}");
    assert!(text.contains("the table is taken without") && text.ends_with("verdict: verified\n"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

#[test]
fn a_violation_through_free_decisions_is_confirmed_on_the_program() {
    let source = "#include <assert.h>\nint get(void);\nint main(void) {\n  int y = 0;\n  int n = get();\n  if (n > 2)\n    \
                  y = n;\n  if (n > 7)\n    y = 0;\n  assert(y == 0);\n  return 0;\n}\n";
    let folder = scratch("real", &[("p.c", source)]);
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "p.c"]);
    assert!(code == 3 && text.contains("1 assertions are not in the model"), "{text}");
    let source = source.replace("y = n;", "y = 1;");
    std::fs::write(folder.join("p.c"), source).expect("the source should be writable");
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "p.c"]);
    assert!(code == 1 && text.ends_with("verdict: violated (assertion at p.c:10)\n"), "{text}");
    // The execution that is shown is the program's own: it has a value for the input.
    assert!(text.contains("get()") && !text.contains("not confirmed"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

#[test]
fn threads_of_a_violation_take_their_turns_in_the_program() {
    let source = "#include <assert.h>\n#include <pthread.h>\nint a, b, c;\nint get(void);\nvoid *worker(void *arg) {\n  \
                  if (get())\n    a = 1;\n  b = 1;\n  return 0;\n}\nint main(void) {\n  pthread_t t;\n  \
                  pthread_create(&t, 0, worker, 0);\n  c = a;\n  if (b)\n    assert(a == c);\n  pthread_join(t, 0);\n  \
                  return 0;\n}\n";
    let folder = scratch("turns", &[("p.c", source)]);
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "p.c"]);
    assert!(code == 1 && text.ends_with("verdict: violated (assertion at p.c:16)\n"), "{text}");
    assert!(!text.contains("not confirmed"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

#[test]
fn trails_of_spin_are_shown_on_the_source() {
    let folder = changed("trail", |source| source.replace("if (in.seq == expected)", "if (in.seq != 2)"), "");
    let (code, _, errors) = unpick(&folder, &["extract", "--to", "promela", "abp.c", "-o", "abp.pml"]);
    assert!(code == 0, "{errors}");
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(&folder).output();
        output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"))
    };
    run("spin", &["-a", "abp.pml"]);
    run("cc", &["-w", "-o", "pan", "pan.c"]);
    run(folder.join("pan").to_str().expect("a path should be text"), &["-m10000"]);
    let (code, text, errors) = unpick(&folder, &["show", "--trail", "abp.pml.trail", "abp.pml"]);
    assert!(code == 0 && text.contains("abp.c:48") && text.contains("deliver(in.data);"), "{text}{errors}");
    let (code, _, errors) = unpick(&folder, &["show", "--trail", "none.trail", "abp.pml"]);
    assert!(code == 2 && errors.contains("none.trail"), "{errors}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

#[test]
fn every_mistake_in_a_table_is_told_at_its_place() {
    let wrong = [
        ("bit = 1 - bit\thide\n", "`bit` depends on `bit = 1 - bit`", "abp.c:33"),
        ("nothing(x)\tskip\n", "no entry is `nothing(x)`", "abp.map:"),
        ("Function sender\nexpected = 1 - expected\tskip\n", "no entry of `sender` is", "abp.map:"),
        ("Function nobody\nbit = 1 - bit\tskip\n", "no function with a body has this name", "abp.map:"),
        ("bit = 1 - bit\tbit = = 1\n", "the right side is no Promela", "abp.map:"),
        ("bit = 1 - bit\tnosuch = 1\n", "the right side does not fit the model", "abp.map:"),
        ("bit = 1 - bit\tbit = $v\n", "does not stand on the left side", "abp.map:"),
        ("bit = 1 - bit skip\n", "tab", "abp.map:"),
        ("Q: bit = 1 - bit\tskip\n", "`Q:`", "abp.map:"),
        ("Include none.map\n", "none.map", "abp.map:"),
        ("Import nosuch\n", "no object `nosuch` is declared", "abp.map:"),
        ("Substitute BOOL\n", "two words", "abp.map:"),
        ("Predicate nosuch nosuch > 0\n", "the program has no object `nosuch`", "abp.map:"),
        ("Predicate bit bit >\n", "no expression", "abp.map:"),
        ("Declare byte = 3\n", "the model is wrong", "byte = 3"),
        ("Function sender\nDeclare skip\n", "only variables", "abp.map:"),
        ("Function nobody\nDeclare byte x\n", "no function with a body is called `nobody`", "abp.map:"),
    ];
    for (at, (table, message, place)) in wrong.into_iter().enumerate() {
        let folder = changed(&format!("mistake-{at}"), str::to_owned, table);
        let (code, _, errors) = unpick(&folder, &["extract", "--to", "promela", "abp.c", "-o", "model.pml"]);
        assert!(code == 2 && !folder.join("model.pml").exists(), "{table}{errors}");
        assert!(errors.contains(message) && errors.contains(place), "{table}{errors}");
        std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
    }
}

#[test]
fn formulas_of_the_harness_hold_or_not_here_and_in_spin() {
    let source = "int busy, done;\nvoid server(void) {\n  while (1) {\n    busy = 1;\n    done = 0;\n    busy = 0;\n    \
                  done = 1;\n  }\n}\n";
    let harness = "[extract]\nprocesses = [\"server\"]\nltl = { answered = \"[] (busy == 1 -> <> (busy == 0))\", idle = \
                   \"[] (done == 0)\", order = \"!((done == 0) U (busy == 1))\" }\n";
    let folder = scratch("ltl", &[("server.c", source), ("unpick.toml", harness)]);
    let (code, _, errors) = unpick(&folder, &["extract", "--to", "promela", "server.c", "-o", "server.pml"]);
    assert!(code == 0, "{errors}");
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(&folder).output();
        let output = output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run("spin", &["-a", "server.pml"]);
    run("cc", &["-w", "-o", "pan", "pan.c"]);
    let pan = folder.join("pan");
    for (name, holds) in [("answered", true), ("idle", false), ("order", false)] {
        let (code, text, errors) = unpick(&folder, &["check", "--tabled", "--property", name, "server.c"]);
        assert_eq!(code, if holds { 0 } else { 1 }, "{name}: {text}{errors}");
        assert!(holds || text.contains("server.c:"), "{name}: {text}");
        let (code, text, _) = unpick(&folder, &["check", "--property", name, "server.pml"]);
        assert_eq!(code, if holds { 0 } else { 1 }, "{name}: {text}");
        let text = run(pan.to_str().expect("a path should be text"), &["-a", "-N", name]);
        assert_eq!(text.contains("errors: 0"), holds, "{name}: {text}");
    }
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

const TWO_LOCKS: &str = "#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, 0);
    return 0;
}
";

/// A deadlock over locks that rows take out of the model is not seen, so nothing is verified.
#[test]
fn locks_that_rows_hide_are_told() {
    let hidden = "pthread_mutex_lock(...\thide\npthread_mutex_unlock(...\tskip\n";
    let folder = scratch("locks", &[("two.c", TWO_LOCKS), ("two.map", hidden)]);
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "two.c"]);
    assert!(code == 1 && text.contains("verdict: violated (end-state"), "{text}");
    let (code, text, _) = unpick(&folder, &["check", "--table", "two.map", "two.c"]);
    assert!(code == 3 && text.contains("`pthread_mutex_lock(&a)`") && text.contains("not in the model"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

/// Whoever wants statements to be single steps gets them, and is told what that means.
#[test]
fn statements_may_be_single_steps() {
    let source = "#include <assert.h>\n#include <pthread.h>\nstatic int n;\nstatic void *up(void *x) { n = n + 1; return x; }\n\
                  int main(void) { pthread_t t; pthread_create(&t, 0, up, 0); n = n + 1; pthread_join(t, 0); \
                  assert(n == 2); return 0; }\n";
    let folder = scratch("steps", &[("n.c", source), ("unpick.toml", "[extract]\nsteps = \"statements\"\n")]);
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "n.c"]);
    assert!(code == 0 && text.contains("`n = n + 1` is one step"), "{text}");
    std::fs::write(folder.join("unpick.toml"), "").expect("the harness should be writable");
    let (code, text, _) = unpick(&folder, &["check", "--tabled", "n.c"]);
    assert!(code == 1 && text.contains("verdict: violated (assertion at n.c:5)"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

/// What is written into a table that changes nothing: locks and joins of the library, sizes, names with a dollar, entries
/// that do not get the same everywhere.
const ALL_KINDS: &str = "#include <pthread.h>\n#include <unistd.h>\n#include <string.h>\n\
    struct s { int a; char b[8]; };\nstatic struct s g;\nstatic int n, $rate = 1;\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    static void *up(void *x) { pthread_mutex_lock(&m); n = n + $rate; pthread_mutex_unlock(&m); return x; }\n\
    static int size(void) { int q = sizeof(struct s) / sizeof(int); return q; }\n\
    int main(void) { pthread_t t; int got = 0; memset(&g, 0, sizeof g); pthread_create(&t, 0, up, 0);\n\
    if (n > (int)sizeof(g.b)) got = size(); pthread_join(t, NULL); got = write(1, &got, sizeof(got));\n\
    { int q = read(0, &g, sizeof(g)); n = q; } return got; }\n";

#[test]
fn a_written_table_is_read_back_and_changes_nothing() {
    let folder = scratch("round", &[("all.c", ALL_KINDS), ("two.c", TWO_LOCKS)]);
    for file in ["all.c", "two.c"] {
        let (code, table, errors) = unpick(&folder, &["table", file]);
        assert!(code == 0, "{errors}");
        std::fs::write(folder.join("written.map"), &table).expect("the table should be writable");
        let (code, again, errors) = unpick(&folder, &["table", "--table", "written.map", file]);
        assert!(code == 0 && again == table, "{errors}{again}\n{table}");
        let verdict = |words: &[&str]| {
            let (code, text, errors) = unpick(&folder, words);
            assert!(code != 2, "{errors}");
            text.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(verdict(&["check", "--table", "written.map", file]), verdict(&["check", "--tabled", file]));
    }
    let (_, table, _) = unpick(&folder, &["table", "two.c"]);
    assert!(table.contains("thread_join(") && table.contains("mutex_lock("), "{table}");
    // A row that says something else is one.
    let changed = table.replace("mutex_lock(a)", "hide").replace("mutex_unlock(a)", "hide");
    assert_ne!(changed, table);
    std::fs::write(folder.join("written.map"), changed).expect("the table should be writable");
    let (code, text, _) = unpick(&folder, &["check", "--table", "written.map", "two.c"]);
    assert!(code == 3 && text.contains("`pthread_mutex_lock(&a)`"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}

#[test]
fn models_without_some_locks_say_so_themselves() {
    let hidden = "pthread_mutex_lock(&a)\tskip\npthread_mutex_unlock(&a)\tprint\n";
    let folder = scratch("head", &[("two.c", TWO_LOCKS), ("two.map", hidden)]);
    let (_, audit, _) = unpick(&folder, &["table", "--audit", "--table", "two.map", "two.c"]);
    assert!(audit.contains("unsynchronised: 2 of "), "{audit}");
    let (_, audit, _) = unpick(&folder, &["table", "--audit", "two.c"]);
    assert!(!audit.contains("unsynchronised"), "{audit}");
    let extract = ["extract", "--to", "promela", "-o", "model.pml", "two.c"];
    let (code, _, errors) = unpick(&folder, &[&extract[..], &["--table", "two.map"]].concat());
    assert!(code == 0 && errors.contains("warning: `pthread_mutex_lock(&a)`"), "{errors}");
    let (code, text, _) = unpick(&folder, &["check", "model.pml"]);
    assert!(code == 3 && text.contains("`pthread_mutex_lock(&a)`") && text.contains("not in the model"), "{text}");
    // All locks are there: it deadlocks.
    let (code, _, errors) = unpick(&folder, &extract);
    assert!(code == 0 && !errors.contains("warning"), "{errors}");
    let (code, text, _) = unpick(&folder, &["check", "model.pml"]);
    assert!(code == 1 && text.contains("violated (end-state"), "{text}");
    std::fs::remove_dir_all(folder).expect("the scratch folder should be removable");
}
