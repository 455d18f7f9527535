//! Input from strangers: configuration, traces, databases, sources, models, tables. Whatever the answer is, nothing
//! that they say is executed, nothing is written beside them, and no control character reaches the output.
//!
//! Each case runs in a folder of its own. The files try to make a file `pwned` in every way that is known; folder, home
//! and temporary folder are listed before and after.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The bytes that steer terminals, in every encoding that reaches one.
const STEER: &str = "\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{2066}\u{7f}\u{8}\r";

/// The first word goes to the flag before; the others are flags of their own to gcc.
const SHELL: &str = "inc -wrapper sh,-c,touch${IFS}pwned\n";
const OK: &str = "int main(void) { return 0; }\n";

struct Stage {
    base: PathBuf,
    folder: PathBuf,
}

impl Stage {
    fn new(name: &str) -> Stage {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
        let _ = std::fs::remove_dir_all(&base);
        let folder = base.join("deep/sources");
        for made in [&folder, &base.join("tmp"), &base.join("home")] {
            std::fs::create_dir_all(made).expect("the target folder should be writable");
        }
        let stage = Stage { base, folder };
        stage.put("r.rsp", SHELL);
        stage.put("ok.c", OK);
        stage
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the target folder should be writable");
        std::fs::write(path, text).expect("the target folder should be writable");
    }

    fn listing(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.base.clone()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(entry.path());
                }
                found.insert(entry.path());
            }
        }
        found
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(std::env::var("UNPICK_BINARY").unwrap_or(env!("CARGO_BIN_EXE_unpick").into()));
        command.current_dir(&self.folder).args(words).env("HOME", self.base.join("home"));
        command.env("TMPDIR", self.base.join("tmp")).env_remove("XDG_CONFIG_HOME").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs a command and checks that it did nothing but speak, and how it spoke.
    fn run(&self, words: &[&str]) -> Output {
        self.run_fed(words, "")
    }

    fn run_fed(&self, words: &[&str], input: &str) -> Output {
        let before = self.listing();
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("unpick should start");
        let mut stdin = child.stdin.take().expect("a pipe");
        let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("unpick should end");
        let after = self.listing();
        let new: Vec<_> = after.difference(&before).collect();
        assert!(new.is_empty(), "{words:?} has written {new:?}\n{}", said(&output));
        let gone: Vec<_> = before.difference(&after).collect();
        assert!(gone.is_empty(), "{words:?} has removed {gone:?}");
        is_plain(&output.stdout);
        is_plain(&output.stderr);
        assert_ne!(output.status.code(), Some(101), "{}", said(&output));
        output
    }

    /// Runs a command that has to be refused, with each part in the message.
    fn refuses(&self, words: &[&str], parts: &[&str]) {
        let output = self.run(words);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}\n{said}");
        for part in parts {
            assert!(said.contains(part), "lacks `{part}`:\n{said}");
        }
    }

    /// Runs a command that has to give an answer.
    fn answers(&self, words: &[&str], code: i32) {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}\n{}", said(&output));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// No byte and no character that steers a terminal.
fn is_plain(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("what is printed should be UTF-8");
    let steers = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    let found = text.chars().find(|letter| steers(*letter));
    assert!(found.is_none(), "{found:?} is printed in {text:?}");
}

/// Values of path keys that gcc would take for flags.
const WORDS: [&str; 4] = ["@r.rsp", "-wrapper", "../sources/@r.rsp", "-B."];

#[test]
fn configuration_beside_a_source() {
    for (at, word) in WORDS.iter().enumerate() {
        for key in ["include-dirs", "includes"] {
            let stage = Stage::new(&format!("config-{key}-{at}"));
            stage.put("unpick.toml", &format!("{key} = [\"{word}\"]\n"));
            stage.run(&["check", "ok.c"]);
            stage.run(&["simulate", "ok.c"]);
        }
    }
    for (at, key) in ["defines", "undefines"].iter().enumerate() {
        for (other, word) in ["@r.rsp", "X=1\\n#include \\\"r.rsp\\\"", "X -wrapper sh"].iter().enumerate() {
            let stage = Stage::new(&format!("config-macro-{at}-{other}"));
            stage.put("unpick.toml", &format!("{key} = [\"{word}\"]\n"));
            stage.refuses(&["check", "ok.c"], &["macro"]);
        }
    }
    let stage = Stage::new("config-std");
    stage.put("unpick.toml", "std = \"c11 @r.rsp\"\n");
    stage.refuses(&["check", "ok.c"], &["no standard of C"]);
    // The near miss: what is harmless is taken.
    let stage = Stage::new("config-near-miss");
    stage.put("unpick.toml", "include-dirs = [\"inc\"]\ndefines = [\"N=1\", \"F(x)=x\"]\nstd = \"gnu11\"\n");
    stage.put("inc/n.h", "#define M F(N)\n");
    stage.put("near.c", "#include <assert.h>\n#include <n.h>\nint main(void) { assert(M == 1); return 0; }\n");
    stage.answers(&["check", "near.c"], 0);
}

#[test]
fn configuration_that_points_elsewhere() {
    let keys = [
        "include-dirs = [\"/etc\"]",
        "include-dirs = [\"../..\"]",
        "include-dirs = [\"link\"]",
        "includes = [\"/etc/passwd\"]",
        "property = \"/etc/x.prp\"",
        "compile-commands = \"db.json\"",
        "[extract]\ntable = \"/etc/passwd\"",
        "[extract]\nenvironment = [\"../../x\"]",
    ];
    for (at, line) in keys.iter().enumerate() {
        let stage = Stage::new(&format!("elsewhere-{at}"));
        // The folder of a repository counts as the project; the target folder lies in one.
        std::fs::create_dir(stage.folder.join(".git")).expect("the target folder should be writable");
        std::os::unix::fs::symlink("/etc", stage.folder.join("link")).expect("the target folder should be writable");
        stage.put("unpick.toml", &format!("{line}\n"));
        stage.refuses(&["check", "ok.c"], &["unpick.toml", "--config unpick.toml"]);
    }
    let stage = Stage::new("elsewhere-asked");
    stage.put("unpick.toml", "include-dirs = [\"/etc\"]\n");
    stage.answers(&["check", "--config", "unpick.toml", "ok.c"], 0);
}

#[test]
fn compilation_databases() {
    let words = [
        "\"-I\", \"@r.rsp\"",
        "\"-I@r.rsp\"",
        "\"-isystem\", \"@r.rsp\"",
        "\"-iquote\", \"-wrapper\"",
        "\"-wrapper\", \"sh,-c,touch${IFS}pwned\"",
        "\"-D\", \"@r.rsp\"",
        "\"-U\", \"@r.rsp\"",
        "\"-include\", \"@r.rsp\"",
        "\"@r.rsp\"",
        "\"-std=c11\", \"-B.\"",
    ];
    for (at, word) in words.iter().enumerate() {
        let stage = Stage::new(&format!("database-{at}"));
        let entry = format!("[{{\"directory\": \".\", \"file\": \"ok.c\", \"arguments\": [\"cc\", {word}]}}]");
        stage.put("db.json", &entry);
        stage.run(&["check", "--compile-commands", "db.json", "ok.c"]);
        stage.run(&["check", "--compile-commands", "db.json"]);
    }
    let stage = Stage::new("database-command");
    stage.put("db.json", "[{\"directory\": \".\", \"file\": \"@ok.c\", \"command\": \"cc -I @r.rsp $(touch pwned)\"}]");
    stage.put("@ok.c", OK);
    stage.refuses(&["check", "--compile-commands", "db.json"], &["another name"]);
}

#[test]
fn names_that_look_like_flags() {
    for (at, name) in ["@r.c", "-wrapper.c", "-.c"].iter().enumerate() {
        let stage = Stage::new(&format!("name-{at}"));
        stage.put(name, if at == 0 { "-wrapper sh,-c,touch${IFS}pwned\n" } else { OK });
        stage.run(&["check", "--", name]);
    }
}

#[test]
fn traces() {
    for (at, words) in
        ["\"-I@r.rsp\"", "\"-I\", \"@r.rsp\"", "\"--config\", \"evil.toml\"", "\"--compile-commands\", \"db.json\""]
            .iter()
            .enumerate()
    {
        let stage = Stage::new(&format!("trace-{at}"));
        stage.put("bug.c", "#include <assert.h>\nint main(void) { assert(0); return 0; }\n");
        stage.put("evil.toml", "include-dirs = [\"@r.rsp\"]\nincludes = [\"/etc/passwd\"]\n");
        stage.put(
            "db.json",
            "[{\"directory\": \".\", \"file\": \"bug.c\", \"arguments\": [\"cc\", \"-I\", \"@r.rsp\"]}]",
        );
        let saved = stage.command(&["check", "--save-trace", "t.json", "bug.c"]).output().expect("unpick should start");
        assert_eq!(saved.status.code(), Some(1), "{}", said(&saved));
        let text = std::fs::read_to_string(stage.folder.join("t.json")).expect("a trace");
        let mut trace: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let mut list: Vec<serde_json::Value> = vec!["check".into()];
        let extra: serde_json::Value = serde_json::from_str(&format!("[{words}]")).expect("JSON");
        list.extend(extra.as_array().expect("a list").clone());
        list.extend(["--html", "x.html", "--save-trace", "y.json", "bug.c"].map(Into::into));
        trace["recipe"]["arguments"] = list.into();
        trace["violation"]["message"] = STEER.into();
        trace["violation"]["file"] = format!("bug{STEER}.c").into();
        stage.put("t.json", &trace.to_string());
        stage.run(&["show", "t.json"]);
        stage.run(&["show", "--verify", "t.json"]);
        stage.run(&["replay", "t.json"]);
        let body = "{\"seq\":1,\"type\":\"request\",\"command\":\"launch\",\"arguments\":{\"trace\":\"t.json\"}}";
        stage.run_dap(body);
    }
}

impl Stage {
    fn run_dap(&self, body: &str) {
        // Line ends of the protocol are no characters of ours.
        let before = self.listing();
        let input = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut child =
            self.command(&["dap", "t.json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        is_plain(said(&output).replace("\r\n", "\n").as_bytes());
        assert_eq!(self.listing(), before);
    }
}

#[test]
fn language_server() {
    let stage = Stage::new("lsp");
    stage.put("unpick.toml", "include-dirs = [\"@r.rsp\"]\n");
    let uri = format!("file://{}/ok.c", stage.folder.display());
    let message = serde_json::json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen",
        "params": { "textDocument": { "uri": uri, "text": OK } } })
    .to_string();
    let input = format!("Content-Length: {}\r\n\r\n{message}", message.len());
    let before = stage.listing();
    let mut child = stage.command(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    is_plain(said(&output).replace("\r\n", "\n").as_bytes());
    assert_eq!(stage.listing(), before);
}

#[test]
fn headers_that_are_missing() {
    let stage = Stage::new("headers");
    let up = "../".repeat(12);
    let base = stage.base.display().to_string();
    let headers = [
        "../made/y.h".to_owned(),
        "../../made/y.h".to_owned(),
        format!("{base}/made/y.h"),
        format!("{up}{}", base.trim_start_matches('/').to_owned() + "/made/y.h"),
        format!("{}made/y.h", "../".repeat(100)),
        "x/../../../../made/y.h".to_owned(),
    ];
    for (at, header) in headers.iter().enumerate() {
        stage.put(&format!("h{at}.c"), &format!("#include \"{header}\"\n{OK}"));
        stage.run(&["check", &format!("h{at}.c")]);
    }
    // The near misses: a header of a project is still taken to be empty.
    stage.answers(&["check", "h0.c"], 0);
    stage.answers(&["check", "h1.c"], 0);
    stage.refuses(&["check", "h2.c"], &["cannot be taken to be empty"]);
}

#[test]
fn sources_that_steer_a_terminal() {
    let sources = [
        format!("#error {STEER}\n"),
        format!("#include \"{STEER}.h\"\n{OK}"),
        format!("int main(void) {{ return \"{STEER}\"; }}\n"),
        format!("#include <assert.h>\nint main(void) {{ assert(!\"{STEER}\"); return 0; }}\n"),
        format!("int main(void) {{ int x{STEER} = 1 }}\n"),
        format!("# 1 \"name{STEER}.c\"\nint main(void) {{ return 1 }}\n"),
        format!("int {STEER}(void);\n{OK}"),
        format!("_Static_assert(0, \"{STEER}\");\n{OK}"),
        format!("__attribute__((warning(\"{STEER}\"))) int f(void);\nint main(void) {{ return f(); }}\n"),
    ];
    for (at, source) in sources.iter().enumerate() {
        let stage = Stage::new(&format!("source-{at}"));
        // gcc takes a carriage return for a line end.
        stage.put("s.c", source);
        stage.put("s.i", source);
        for file in ["s.c", "s.i"] {
            for words in
                [&["check", file][..], &["check", "--json", file], &["extract", "--to", "c", file], &["table", file]]
            {
                stage.run(words);
            }
        }
    }
}

#[test]
fn other_files_that_steer_a_terminal() {
    let stage = Stage::new("others");
    stage.put("a.toml", &format!("\"{}\" = 1\n", "\\u001b[2J\\u009b\\u202e"));
    stage.put("b.toml", &format!("entry = \"{STEER}\"\n"));
    stage.put("c.toml", "entry = \"\\u001b[2J\\u009b\\u202e\"\nisr = [\"\\u001b]0;x\\u0007\"]\n");
    for file in ["a.toml", "b.toml", "c.toml"] {
        stage.run(&["check", "--config", file, "ok.c"]);
        stage.run(&["check", "--print-config", "--config", file, "ok.c"]);
    }
    stage.put("p.prp", &format!("CHECK( init(main()), LTL(G {STEER}) )\n"));
    stage.refuses(&["check", "--property", "p.prp", "ok.c"], &[]);
    stage.put("d.json", "[{\"directory\": \"\\u001b[2J\", \"file\": \"\\u009b\\u202e\", \"command\": \"'\\u001b\"}]");
    stage.refuses(&["check", "--compile-commands", "d.json"], &[]);
    stage.put("t.json", "{\"format\": \"unpick-trace\", \"schema\": 1, \"program\": \"\\u001b[2J\", \"\\u009b\": 1}");
    stage.refuses(&["show", "t.json"], &[]);
    stage.put("t.map", &format!("{STEER}\tkeep\n{STEER}\n"));
    stage.run(&["check", "--table", "t.map", "ok.c"]);
    stage.run(&["table", "--table", "t.map", "ok.c"]);
    stage.put("m.ir", &format!("func {STEER}\n"));
    stage.run(&["check", "m.ir"]);
}

#[test]
fn words_that_steer_a_terminal() {
    let stage = Stage::new("words");
    for words in [
        &["check", &format!("--{STEER}")[..]][..],
        &["check", "--entry", STEER, "ok.c"],
        &["check", &format!("{STEER}.c")],
        &["check", "--time", STEER, "ok.c"],
        &["check", "--target", STEER, "ok.c"],
        &["check", "--property", STEER, "ok.c"],
        &["check", "--ltl", STEER, "ok.c"],
        &["check", "-D", STEER, "ok.c"],
        &[STEER],
    ] {
        stage.refuses(words, &[]);
    }
}

#[test]
fn models() {
    let stage = Stage::new("models");
    let sources = [
        format!("init {{ printf(\"{STEER}\") }}\n"),
        format!("init {{ assert(false) /* {STEER} */ }}\n"),
        format!("# 1 \"{STEER}\"\ninit {{ x = 1 }}\n"),
        "#include \"../../made/y.h\"\ninit { skip }\n".to_owned(),
        "c_code { system(\"touch pwned\"); }\ninit { c_code { system(\"touch pwned\"); } }\n".to_owned(),
    ];
    for (at, source) in sources.iter().enumerate() {
        let name = format!("m{at}.pml");
        stage.put(&name, source);
        stage.run(&["check", &name]);
        stage.run(&["simulate", &name]);
    }
    stage.put("unpick.toml", "defines = [\"X=$(touch pwned)\"]\n");
    stage.put(
        "c.pml",
        "c_decl { int system(const char *); }\ninit { c_code { system(\"touch pwned\"); }; assert(false) }\n",
    );
    stage.put("c.pml.trail", "-4:-4:-4\n1:0:0\n2:0:1\n");
    stage.refuses(&["show", "--trail", "c.pml.trail", "c.pml"], &["--run-model-code"]);
    stage.refuses(&["simulate", "--guide", "c.pml.trail", "c.pml"], &["--run-model-code"]);
    // SPIN would hand the macro and the name to a shell.
    stage.put("$(touch pwned).pml", "init { assert(X) }\n");
    stage.put("$(touch pwned).pml.trail", "-4:-4:-4\n1:0:0\n");
    stage.run(&["show", "-D", "X=$(touch pwned)", "--trail", "$(touch pwned).pml.trail", "$(touch pwned).pml"]);
    stage.run(&["simulate", "--guide", "$(touch pwned).pml.trail", "$(touch pwned).pml"]);
}

#[test]
fn files_that_are_asked_for_hold_nothing_raw() {
    let stage = Stage::new("side-files");
    let source = format!("#include <assert.h>\nint main(void) {{ assert(!\"{STEER}\"); return 0; }}\n");
    stage.put("s.c", &source.replace(['\r', '\n'], " ").replacen("> ", ">\n", 1));
    let names = ["s.html", "s.dot", "s.svg", "s.sarif", "s.xml", "s.graphml"];
    let output = stage
        .command(&[
            "check",
            "--html",
            names[0],
            "--dot",
            names[1],
            "--sarif",
            names[3],
            "--junit",
            names[4],
            "--witness",
            names[5],
            "s.c",
        ])
        .output()
        .expect("unpick should start");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for name in names.iter().filter(|name| **name != "s.svg") {
        is_plain(&std::fs::read(stage.folder.join(name)).expect("it should be written"));
    }
}

#[test]
fn a_simulated_program_keeps_its_bytes_in_a_pipe() {
    let stage = Stage::new("simulate");
    stage.put("s.c", "#include <stdio.h>\nint main(void) { fputs(\"\\033[2J\\377\", stdout); return 0; }\n");
    let output = stage.command(&["simulate", "s.c"]).output().expect("unpick should start");
    assert_eq!(output.stdout, b"\x1b[2J\xff");
}
