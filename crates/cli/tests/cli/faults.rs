//! The outside world fails: disks are full, readers go away, memory ends, sources have no end. Every command says so, or
//! ends quietly, and never with a panic; limits hold from the first moment on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the scratch folder should be writable");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("the scratch folder should be writable");
    };
    write("ok.c", "int main(void) { return 0; }\n");
    write("bad.c", "#include <assert.h>\nint main(void) { assert(0); return 0; }\n");
    write("endless.c", "int main(void) { volatile unsigned x = 0; for (;;) x++; }\n");
    write(
        "hello.c",
        "#include <stdio.h>\nint main(void) { for (int i = 0; i < 20000; i++) puts(\"hello\"); return 0; }\n",
    );
    write("chatter.c", "#include <stdio.h>\nint main(void) { for (;;) puts(\"hello\"); }\n");
    write(
        "wide.c",
        "int __VERIFIER_nondet_int(void);\nint main(void) { static int a[100000]; int s = 0; for (;;) { int i = \
         __VERIFIER_nondet_int(); if (i > s) a[s] = i; if (++s > 90000) s = 0; } }\n",
    );
    folder
}

/// Runs a line of the shell in a folder, with `$U` for the command.
fn shell(folder: &Path, line: &str) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", line]).current_dir(folder).env("U", env!("CARGO_BIN_EXE_unpick"));
    command.output().expect("the shell should run")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const COMMANDS: [&str; 8] = [
    "check ok.c",
    "check bad.c",
    "check --json ok.c",
    "extract ok.c",
    "table ok.c",
    "simulate hello.c",
    "library",
    "completions bash",
];

#[test]
fn a_full_disk_is_an_error() {
    let folder = folder("full");
    for command in COMMANDS {
        let output = shell(&folder, &format!("$U {command} > /dev/full"));
        assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("cannot write to standard output"), "{command}: {}", stderr(&output));
        let output = shell(&folder, &format!("$U {command} > /dev/null"));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {}", stderr(&output));
    }
}

#[test]
fn a_full_or_closed_standard_error_ends_in_no_panic() {
    let folder = folder("stderr");
    for command in ["check missing.c", "check bad.c", "simulate bad.c", "frobnicate", "table ok.c"] {
        for to in ["2>/dev/full", "2>&-", "2>&1 | head -0"] {
            let output = shell(&folder, &format!("set -o pipefail; $U {command} {to}"));
            assert!(matches!(output.status.code(), Some(0..=3)), "{command} {to}: {:?}", output.status);
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder("pipe");
    for command in COMMANDS {
        let output = shell(&folder, &format!("$U {command} | head -1 > /dev/null; exit ${{PIPESTATUS[0]}}"));
        let expected = i32::from(command == "check bad.c");
        assert_eq!(output.status.code(), Some(expected), "{command}");
        assert_eq!(stderr(&output), "", "{command}");
    }
    let output = shell(&folder, "timeout 100 $U simulate chatter.c | head -1; exit ${PIPESTATUS[0]}");
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(0), "hello\n"), "{}", stderr(&output));
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = folder("closed");
    for command in COMMANDS {
        let output = shell(&folder, &format!("$U {command} >&-"));
        assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("cannot write to standard output: it is closed"), "{command}");
    }
    // Nobody misses what was not said.
    let output = shell(&folder, "$U check --syntax-only ok.c >&-");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = folder("files");
    for flag in ["--save-trace", "--html", "--sarif", "--junit", "--dot"] {
        let output = shell(&folder, &format!("$U check {flag} no/such/folder/out bad.c"));
        assert_eq!(output.status.code(), Some(2), "{flag}");
        assert!(stderr(&output).contains("cannot write no/such/folder/out"), "{flag}: {}", stderr(&output));
        let output = shell(&folder, &format!("$U check {flag} /dev/full bad.c; ls -l /dev/full"));
        assert!(stderr(&output).contains("cannot write /dev/full"), "{flag}: {}", stderr(&output));
        assert!(stdout(&output).contains("crw"), "a device stays one: {}", stdout(&output));
        // What is too large for the folder leaves what was there as it was.
        let line = format!("echo old > out; ulimit -f 1; trap '' XFSZ; $U check {flag} out bad.c");
        if flag == "--html" {
            let output = shell(&folder, &line);
            assert_eq!(output.status.code(), Some(2), "{flag}: {}", stderr(&output));
            assert_eq!(std::fs::read_to_string(folder.join("out")).expect("it should be there"), "old\n");
        }
    }
    let left: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder should be there")
        .map(|entry| entry.expect("an entry should be readable").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".c") && name != "out")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_link_stays_a_link() {
    let folder = folder("link");
    let output = shell(&folder, "touch real; ln -s real out; $U check --sarif out ok.c; readlink out; head -c 1 real");
    assert!(stdout(&output).ends_with("real\n{"), "{}", stdout(&output));
}

/// Runs a check that has to end at a limit, in time.
fn assert_unknown(folder: &Path, line: &str, seconds: f64, why: &str) {
    let start = Instant::now();
    let output = shell(folder, line);
    let took = start.elapsed().as_secs_f64();
    assert_eq!(output.status.code(), Some(3), "{line}: {}{}", stdout(&output), stderr(&output));
    let last = stdout(&output).lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("verdict: unknown (") && last.contains(why), "{line}: {last}");
    // The machine may be busy with other tests.
    assert!(took < seconds + 30.0, "{line}: {took} s");
}

#[test]
fn limits_hold_while_sources_are_read() {
    let folder = folder("sources");
    let mut doubling = "#define A0 x +\n".to_owned();
    for n in 1..24 {
        doubling += &format!("#define A{n} A{} A{}\n", n - 1, n - 1);
    }
    doubling += "int main(void) { int x = 0; return A23 0; }\n";
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder should be writable");
    write("doubling.c", &doubling);
    write("zero.c", "#include \"/dev/zero\"\nint main(void) { return 0; }\n");
    write("waits.c", "#include \"waits.h\"\nint main(void) { return 0; }\n");
    assert!(shell(&folder, "mkfifo waits.h pipe2.c && truncate -s 4G huge.c").status.success());
    assert_unknown(&folder, "$U check --time 2s --memory 1G doubling.c", 2.0, "limit was reached");
    assert_unknown(&folder, "$U check --time 2s --memory 600M zero.c", 2.0, "limit was reached");
    assert_unknown(&folder, "$U check --time 2s waits.c", 2.0, "time limit");
    assert_unknown(&folder, "$U check --memory 500M huge.c", 1.0, "memory limit");
    for special in ["/dev/zero", "pipe2.c", "."] {
        let output = shell(&folder, &format!("$U check {special}"));
        assert_eq!(output.status.code(), Some(2), "{special}: {}", stderr(&output));
    }
    let output = shell(&folder, "pgrep -f 'cc1?.*[w]aits[.]c' || true");
    assert_eq!(stdout(&output), "", "no preprocessor is left behind");
}

#[test]
fn large_sources_take_time_in_proportion() {
    let folder = folder("large");
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder should be writable");
    let functions: String = (0..30_000).map(|n| format!("int f{n}(int x) {{ return x + {n}; }}\n")).collect();
    write("functions.c", &(functions + "int main(void) { return f5(1) - 6; }\n"));
    let label = |n: usize| format!("l{n}: x++; if (x < 0) goto l{};\n", n * 7 % 20_000);
    let labels: String = (0..20_000).map(label).collect();
    write("labels.c", &format!("int main(void) {{ int x = 0;\n{labels}return 0; }}\n"));
    let loops = "for (int i = 0; i < 1; i++) c ^= i;\n".repeat(10_000);
    write("line.c", &format!("int main(void) {{ int x = 0; {} return 0; }}\n", "x++; ".repeat(50_000)));
    write("loops.c", &format!("int main(void) {{ int c = 0;\n{loops}return 0; }}\n"));
    for name in ["functions.c", "labels.c", "loops.c", "line.c"] {
        let output = shell(&folder, &format!("$U check --time 120s {name}"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stdout(&output));
    }
}

#[test]
fn memory_that_ends_is_no_crash() {
    let folder = folder("memory");
    let grow = "#include <stdlib.h>\nstruct item { struct item *next; char bytes[1 << 20]; };\nint main(void) { \
                struct item *all = 0; for (;;) { struct item *new = malloc(sizeof *new); new->next = all; all = new; \
                for (int i = 0; i < 1 << 20; i += 4096) new->bytes[i] = 1; } }\n";
    std::fs::write(folder.join("grow.c"), grow).expect("the folder should be writable");
    assert_unknown(&folder, "ulimit -v 700000; $U check --time 60s grow.c", 60.0, "memory limit");
    let output = shell(&folder, "$U check --time 60s --memory 300M grow.c & wait $!; echo $?");
    assert!(stdout(&output).contains("memory limit"), "{}", stdout(&output));
    let output = shell(&folder, "ulimit -v 700000; $U check ok.c");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn simulations_can_be_bounded() {
    let folder = folder("simulate");
    let start = Instant::now();
    let output = shell(&folder, "$U simulate --time 1s endless.c");
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("the time limit of 1 s was reached"), "{}", stderr(&output));
    let output = shell(&folder, "mkfifo pipe.h; echo '#include \"pipe.h\"' > pipe.c; $U simulate --time 1s pipe.c");
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(3), ""), "{}", stderr(&output));
    assert!(stderr(&output).contains("the time limit was reached while preprocessing"), "{}", stderr(&output));
    let output = shell(&folder, "$U simulate endless.c & sleep 0.5; kill -TERM $!; wait $!");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("interrupted"), "{}", stderr(&output));
    assert!(start.elapsed() < Duration::from_secs(60));
    let output = shell(&folder, "$U simulate --time 1m hello.c | wc -l");
    assert_eq!(stdout(&output).trim(), "20000");
}

#[test]
fn folders_that_cannot_be_written_to_are_named() {
    let folder = folder("read-only");
    // The system's own folders take no files, even from root.
    for flag in ["--save-trace", "--html", "--sarif"] {
        let output = shell(&folder, &format!("$U check {flag} /sys/out bad.c"));
        assert_eq!(output.status.code(), Some(2), "{flag}");
        assert!(stderr(&output).contains("cannot write /sys/out"), "{flag}: {}", stderr(&output));
    }
    let output = shell(&folder, "TMPDIR=/sys $U check ok.c");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot make a temporary folder"), "{}", stderr(&output));
    let output = shell(&folder, "mkdir locked && cp ok.c locked && chmod a-w locked && cd locked && $U check ok.c");
    assert_eq!(output.status.code(), Some(0), "what is only read needs no more: {}", stderr(&output));
}

#[test]
fn a_process_that_is_killed_leaves_no_half_of_a_file() {
    let folder = folder("killed");
    let long = "#include <assert.h>\nint main(void) { int a[50]; for (int i = 0; i < 2000; i++) a[i % 50] = i; \
                assert(a[7] == 0); return 0; }\n";
    std::fs::write(folder.join("long.c"), long).expect("the folder should be writable");
    let out = folder.join("out.html");
    let written = |delay: u32| {
        std::fs::write(&out, "old").expect("the folder should be writable");
        // The report of the shell about the killed job goes nowhere.
        let line = format!("$U check --html out.html long.c > /dev/null & sleep 0.{delay:03}; kill -9 $!; wait $!");
        shell(&folder, &line);
        let text = std::fs::read_to_string(&out).expect("it should be there");
        assert!(text == "old" || text.trim_end().ends_with("</html>"), "after {delay} ms: {} bytes", text.len());
        text != "old"
    };
    let n_new = (0..12).filter(|n| written(n * 60)).count();
    let output = shell(&folder, "$U check --html out.html long.c");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = std::fs::read_to_string(&out).expect("it should be there");
    assert!(text.trim_end().ends_with("</html>"), "{n_new} were written before");
}

#[test]
fn signals_are_answered_in_every_phase() {
    let folder = folder("signals");
    assert!(shell(&folder, "mkfifo pipe.h && echo '#include \"pipe.h\"' > pipe.c").status.success());
    let start = Instant::now();
    for signal in ["TERM", "INT"] {
        for (words, phase) in [
            ("check pipe.c", "preprocessing"),
            ("check endless.c", ""),
            ("check --property assertion wide.c", ""),
            ("check --property assertion --shortest wide.c", ""),
            ("check --json --property assertion --shortest wide.c", ""),
        ] {
            // Jobs of a shell that is no terminal ignore the interrupt unless they are told not to.
            let line = format!("set -m; $U {words} & sleep 1; kill -{signal} $!; wait $!");
            let output = shell(&folder, &line);
            assert_eq!(output.status.code(), Some(3), "{line}: {}{}", stdout(&output), stderr(&output));
            let text = stdout(&output);
            assert!(text.contains("interrupted") && text.contains(phase), "{line}: {text}");
            assert!(!words.contains("--json") || text.starts_with('{') && text.ends_with("}\n"), "{text}");
        }
        let output = shell(&folder, &format!("set -m; $U extract pipe.c & sleep 1; kill -{signal} $!; wait $!"));
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    }
    let output = shell(&folder, "pgrep -f 'cc1?.*[p]ipe[.]c' || true");
    assert_eq!(stdout(&output), "", "no preprocessor is left behind");
    assert!(start.elapsed() < Duration::from_secs(200));
}

#[test]
fn what_was_found_before_a_limit_is_told() {
    let folder = folder("learnt");
    // The search by numbers of context switches asks as often as the others.
    let line = "$U check --property assertion --shortest --time 2s wide.c";
    assert_unknown(&folder, line, 2.0, "time limit");
    let output = shell(&folder, line);
    let statistics = stdout(&output);
    let statistics = statistics.lines().find(|line| line.starts_with("statistics: ")).unwrap_or_default();
    assert!(!statistics.contains(" 0 states") && statistics.contains("engine explicit"), "{}", stdout(&output));
}

#[test]
fn memory_of_the_checked_program_counts() {
    let folder = folder("counted");
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder should be writable");
    write("global.c", "int a[1 << 29];\nint main(void) { for (int i = 0; i < 1 << 29; i++) a[i] = i; return 0; }\n");
    write(
        "doubling.c",
        "#include <stdlib.h>\n#include <string.h>\nint main(void) { char *p = 0; for (size_t n = 1;; n *= 2) { p = \
         realloc(p, n); memset(p, 1, n); } }\n",
    );
    for name in ["global.c", "doubling.c", "wide.c"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
        command.args(["check", "--property", "assertion", "--memory", "300M", "--time", "60s", name]);
        command.current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("unpick should start");
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().expect("the child should be ours").is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
            most = kibibytes.unwrap_or(0).max(most);
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().expect("the output should be readable");
        assert!(stdout(&output).contains("the memory limit was reached"), "{name}: {}", stdout(&output));
        // Five parts of a hundred and 50 MB more are allowed; the machine may be busy.
        assert!(most < 450 * 1024, "{name}: {most} KiB were used");
    }
}

#[test]
fn files_without_an_end_are_not_read() {
    let folder = folder("special");
    assert!(shell(&folder, "mkfifo pipe").status.success());
    for file in ["/dev/zero", "pipe"] {
        for command in [
            format!("check --config {file} ok.c"),
            format!("check --baseline {file} ok.c"),
            format!("check --table {file} ok.c"),
            format!("check --compile-commands {file} ok.c"),
            format!("show {file}"),
        ] {
            let output = shell(&folder, &format!("timeout 100 $U {command}"));
            assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
            assert!(stderr(&output).contains("it is no regular file"), "{command}: {}", stderr(&output));
        }
    }
    let output = shell(&folder, "$U check --save-trace t.json bad.c > /dev/null; $U show <(cat t.json)");
    assert_eq!(output.status.code(), Some(0), "pipes of the shell have an end: {}", stderr(&output));
}
