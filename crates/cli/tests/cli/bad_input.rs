//! Input that cannot be checked gets a precise message and exit code 2, never a panic.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .expect("unpick should start")
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bad-input-{name}"));
    std::fs::create_dir_all(&folder).expect("the target folder should be writable");
    folder
}

/// Writes the file, checks it and expects exit code 2 with each part in the message.
fn rejects(name: &str, contents: &[u8], parts: &[&str]) {
    let folder = folder(name);
    std::fs::write(folder.join("input.c"), contents).expect("the target folder should be writable");
    refuses(&folder, &["check", "input.c"], parts);
}

fn refuses(folder: &Path, words: &[&str], parts: &[&str]) {
    let output = unpick(folder, words);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}\n{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "lacks `{part}`:\n{stderr}");
    }
}

#[test]
fn empty_file() {
    rejects("empty", b"", &["input.c is empty"]);
    rejects("blank", b"\n\n  \n", &["input.c is empty"]);
}

#[test]
fn binary_file() {
    rejects("binary", b"int x;\n\x7fELF\x00\x01\x02", &["input.c:2", "zero byte at offset 11"]);
    let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2654435761) >> 24) as u8 | 1).collect();
    rejects("noise", &noise, &["error"]);
}

#[test]
fn unterminated_comment() {
    rejects("comment", b"int main(void) { return 0; }\n/* no end\n", &["input.c:2", "unterminated comment"]);
}

#[test]
fn unterminated_comment_in_preprocessed_text() {
    let folder = folder("comment-i");
    std::fs::write(folder.join("input.i"), "int main(void) { return 0; }\n/* no end\n").unwrap();
    refuses(&folder, &["check", "input.i"], &["input.i:2", "comment is never closed"]);
}

#[test]
fn deep_nesting() {
    for (name, open, close) in
        [("parens", "(", ")"), ("braces", "{", "}"), ("brackets", "a[", "]"), ("minus", "- ", "")]
    {
        let (open, close) = (open.repeat(100_000), close.repeat(100_000));
        let body = if name == "braces" { format!("{open}{close}") } else { format!("return {open}1{close};") };
        rejects(name, format!("int main(void) {{ int *a = 0;\n{body} }}\n").as_bytes(), &["input.c:2", "nested"]);
    }
    let stars = format!("int {}p;\nint main(void) {{ return 0; }}\n", "*".repeat(100_000));
    let folder = folder("stars");
    std::fs::write(folder.join("input.c"), stars).unwrap();
    assert!(unpick(&folder, &["check", "input.c"]).status.code().is_some_and(|code| code <= 3));
}

#[test]
fn missing_file_and_folder() {
    let folder = folder("missing");
    refuses(&folder, &["check", "nowhere.c"], &["cannot read nowhere.c"]);
    refuses(&folder, &["check", "."], &["is a folder"]);
    refuses(&folder, &["check"], &["no source file"]);
    refuses(&folder, &["show", "nowhere.json"], &["cannot read nowhere.json"]);
}

#[test]
fn no_main() {
    rejects(
        "no-main",
        b"int helper(int x) { return x; }\nint mian(void) { return 0; }\n",
        &["main", "mian", "--entry"],
    );
    let folder = folder("no-main");
    refuses(&folder, &["check", "--entry", "helpr", "input.c"], &["helpr", "helper"]);
}

#[test]
fn cyclic_include() {
    let folder = folder("cycle");
    std::fs::write(folder.join("a.h"), "#include \"b.h\"\n").unwrap();
    std::fs::write(folder.join("b.h"), "#include \"a.h\"\n").unwrap();
    std::fs::write(folder.join("input.c"), "#include \"a.h\"\nint main(void) { return 0; }\n").unwrap();
    refuses(&folder, &["check", "input.c"], &["nested depth", "include guard"]);
}

#[test]
fn error_directive() {
    rejects("directive", b"int x;\n#error stop here\n", &["input.c:2", "stop here"]);
}

#[test]
fn wrong_flags() {
    let folder = folder("flags");
    std::fs::write(folder.join("input.c"), "int main(void) { return 0; }\n").unwrap();
    refuses(&folder, &["check", "--proprety", "leak", "input.c"], &["--proprety", "--property"]);
    refuses(&folder, &["check", "--property", "leeks", "input.c"], &["leeks", "leak"]);
    refuses(&folder, &["check", "--time", "soon", "input.c"], &["`soon` is not a time"]);
    refuses(&folder, &["check", "--memory", "lots", "input.c"], &["`lots` is not a size"]);
    refuses(&folder, &["check", "--target", "pdp11", "input.c"], &["pdp11", "ilp32"]);
    refuses(&folder, &["chekc", "input.c"], &["chekc"]);
    std::fs::write(folder.join("input.pas"), "begin end.").unwrap();
    refuses(&folder, &["check", "input.pas"], &["extension", ".c"]);
}

/// A compiler that has its headers for 64 bits only, whatever is installed here.
fn compiler_without_32_bit_headers(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let script = "#!/bin/sh\nfor word; do shift; [ \"$word\" = -m32 ] && word=-nostdinc; set -- \"$@\" \"$word\"; done\n\
                  exec cc \"$@\"\n";
    let path = folder.join("cc64");
    std::fs::write(&path, script).expect("the target folder should be writable");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("the file should be ours");
    path
}

#[test]
fn headers_for_32_bits_are_not_installed() {
    let folder = folder("ilp32");
    let compiler = compiler_without_32_bit_headers(&folder);
    let check = |text: &str| {
        std::fs::write(folder.join("input.c"), text).expect("the target folder should be writable");
        let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
        command.current_dir(&folder).args(["check", "--target", "ilp32", "input.c"]).env("CC", &compiler);
        let output = command.output().expect("unpick should start");
        let said = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
        (output.status.code(), said)
    };
    let advice = "headers for 32 bits are not installed: install gcc-multilib";
    // What needs them fails, in the preprocessor or behind it, and what does not need them goes on.
    for (includes, expected) in [
        ("#include <stdio.h>\n#if MORE(3)\n#endif\n", 2),
        ("#include <stdio.h>\nint broken(void) { return EOF +; }\n", 2),
        ("#include <stdio.h>\n", 0),
    ] {
        let (code, said) = check(&format!("{includes}int main(void) {{ return 0; }}\n"));
        assert_eq!(code, Some(expected), "{said}");
        assert!(said.contains(advice), "lacks the advice:\n{said}");
    }
    // A header that is missing for both is simply missing.
    let (code, said) = check("#include \"settings_of_ours.h\"\nint main(void) { return 0; }\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("settings_of_ours.h") && !said.contains(advice), "{said}");
}

#[test]
fn bad_configuration() {
    let folder = folder("config");
    std::fs::write(folder.join("input.c"), "int main(void) { return 0; }\n").unwrap();
    std::fs::write(folder.join("bad.toml"), "entry = \"main\"\nproprety = \"leak\"\n").unwrap();
    refuses(&folder, &["check", "--config", "bad.toml", "input.c"], &["bad.toml", "line 2", "proprety"]);
    refuses(&folder, &["check", "--config", "none.toml", "input.c"], &["none.toml"]);
    std::fs::write(folder.join("db.json"), "{").unwrap();
    refuses(&folder, &["check", "--compile-commands", "db.json", "input.c"], &["db.json"]);
}

#[test]
fn several_errors_in_one_file() {
    let source = b"int f(void) { return 1 }\nint g(void) { int x = ; return x; }\nint main(void) { return f() +; }\n";
    rejects("several", source, &["input.c:1", "input.c:2", "input.c:3"]);
}

#[test]
fn errors_as_json() {
    let folder = folder("json");
    std::fs::write(folder.join("input.c"), "int main(void) { return 1 }\n").unwrap();
    let output = unpick(&folder, &["check", "--json", "input.c"]);
    assert_eq!(output.status.code(), Some(2));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("stdout should be JSON");
    assert_eq!(json["error"]["diagnostics"][0]["line"], 1);
}

#[test]
fn bad_ir() {
    let folder = folder("ir");
    std::fs::write(folder.join("input.ir"), "this is not a program\n").unwrap();
    refuses(&folder, &["check", "input.ir"], &["input.ir:1"]);
}

#[test]
fn unwritable_trace_file() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("input.c"), "int main(void) { int *p = 0; return *p; }\n").unwrap();
    refuses(&folder, &["check", "--save-trace", "no/such/folder/t.json", "input.c"], &["cannot write"]);
}
