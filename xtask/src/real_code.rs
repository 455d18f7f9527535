//! Well-known C libraries, as vendored by their Rust bindings: whatever `cc -fsyntax-only` accepts must
//! pass our front end, and the sqlite amalgamation must be read as fast as clang reads it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{cc, in_parallel, output_within, scratch, unpick};

/// A library: the crate that carries it, folders with units, header folders and macros.
pub struct Library {
    pub name: &'static str,
    requirement: &'static str,
    units: &'static [&'static str],
    headers: &'static [&'static str],
    macros: &'static [&'static str],
}

pub const LIBRARIES: &[Library] = &[
    Library {
        name: "libz-sys",
        requirement: "\"1\"",
        units: &["src/zlib"],
        headers: &["src/zlib"],
        macros: &["HAVE_UNISTD_H"],
    },
    Library {
        name: "zstd-sys",
        requirement: "\"2\"",
        units: &["zstd/lib", "zstd/contrib/seekable_format"],
        headers: &["zstd/lib", "zstd/lib/common", "zstd/lib/legacy"],
        macros: &["ZSTD_LEGACY_SUPPORT=1", "ZSTD_MULTITHREAD=1"],
    },
    Library {
        name: "lua-src",
        requirement: "\"550\"",
        units: &["lua-5.1.5", "lua-5.2.4", "lua-5.3.6", "lua-5.4.8", "lua-5.5.0"],
        headers: &[],
        macros: &["LUA_USE_LINUX"],
    },
    Library {
        name: "libsqlite3-sys",
        requirement: "{ version = \"0\", features = [\"bundled\"] }",
        units: &["sqlite3"],
        headers: &["sqlite3"],
        macros: &["SQLITE_ENABLE_FTS5", "SQLITE_ENABLE_RTREE", "SQLITE_ENABLE_COLUMN_METADATA"],
    },
    Library {
        name: "libuv-sys2",
        requirement: "\"1\"",
        units: &["libuv/src", "libuv/test", "libuv/docs/code"],
        headers: &["libuv/include", "libuv/src", "libuv/src/unix", "libuv/test"],
        macros: &["_GNU_SOURCE", "_FILE_OFFSET_BITS=64", "_LARGEFILE_SOURCE"],
    },
    Library {
        name: "libgit2-sys",
        requirement: "\"0\"",
        units: &["libgit2/src", "libgit2/deps"],
        headers: &[
            "features",
            "libgit2/include",
            "libgit2/src/libgit2",
            "libgit2/src/util",
            "libgit2/src/cli",
            "libgit2/deps/llhttp",
            "libgit2/deps/xdiff",
            "libgit2/deps/pcre2",
            "libgit2/deps/ntlmclient",
        ],
        macros: &[
            "GIT_REGEX_BUILTIN=1",
            "PCRE2_STATIC",
            "PCRE2_EXPORT=",
            "PCRE2_EXP_DECL=",
            "PCRE2_EXP_DEFN=",
            "PCRE2_CODE_UNIT_WIDTH=8",
            "SUPPORT_PCRE2_8=1",
            "SUPPORT_UNICODE=1",
            "LINK_SIZE=2",
            "HEAP_LIMIT=20000000",
            "MATCH_LIMIT=10000000",
            "MATCH_LIMIT_DEPTH=MATCH_LIMIT",
            "MAX_VARLOOKBEHIND=255",
            "NEWLINE_DEFAULT=2",
            "PARENS_NEST_LIMIT=250",
            "MAX_NAME_SIZE=128",
            "MAX_NAME_COUNT=10000",
            "SHA1DC_NO_STANDARD_INCLUDES=1",
            "SHA1DC_CUSTOM_INCLUDE_SHA1_C=\"common.h\"",
            "SHA1DC_CUSTOM_INCLUDE_UBC_CHECK_C=\"common.h\"",
        ],
    },
    Library {
        name: "curl-sys",
        requirement: "\"0\"",
        units: &["curl/lib", "curl/src"],
        headers: &["curl/lib", "curl/include", "curl/src"],
        macros: &[
            "BUILDING_LIBCURL",
            "CURL_STATICLIB",
            "CURL_DISABLE_LDAP",
            "CURL_DISABLE_LDAPS",
            "USE_IPV6",
            "CURL_OS=\"unknown\"",
            "CURL_EXTERN_SYMBOL=",
            "HAVE_ARPA_INET_H",
            "HAVE_ASSERT_H",
            "HAVE_BOOL_T",
            "HAVE_ERRNO_H",
            "HAVE_FCNTL_H",
            "HAVE_FCNTL_O_NONBLOCK",
            "HAVE_GETADDRINFO",
            "HAVE_GETPEERNAME",
            "HAVE_GETSOCKNAME",
            "HAVE_LONGLONG",
            "HAVE_NETDB_H",
            "HAVE_NETINET_IN_H",
            "HAVE_NETINET_TCP_H",
            "HAVE_POLL_H",
            "HAVE_PTHREAD_H",
            "HAVE_SYS_SELECT_H",
            "HAVE_THREADS_POSIX",
            "HAVE_SOCKETPAIR",
            "USE_UNIX_SOCKETS",
            "HAVE_RECV",
            "HAVE_SELECT",
            "HAVE_SEND",
            "HAVE_SOCKET",
            "HAVE_STDBOOL_H",
            "HAVE_STDINT_H",
            "HAVE_STRUCT_TIMEVAL",
            "HAVE_SYS_SOCKET_H",
            "HAVE_SYS_STAT_H",
            "HAVE_SYS_TIME_H",
            "HAVE_SYS_TYPES_H",
            "HAVE_SYS_UN_H",
            "HAVE_UNISTD_H",
            "RECV_TYPE_ARG1=int",
            "RECV_TYPE_ARG2=void*",
            "RECV_TYPE_ARG3=size_t",
            "RECV_TYPE_ARG4=int",
            "RECV_TYPE_RETV=ssize_t",
            "SEND_QUAL_ARG2=const",
            "SEND_TYPE_ARG1=int",
            "SEND_TYPE_ARG2=void*",
            "SEND_TYPE_ARG3=size_t",
            "SEND_TYPE_ARG4=int",
            "SEND_TYPE_RETV=ssize_t",
            "SIZEOF_CURL_OFF_T=8",
            "SIZEOF_INT=4",
            "SIZEOF_LONG=8",
            "SIZEOF_OFF_T=8",
            "SIZEOF_SIZE_T=8",
            "SIZEOF_TIME_T=8",
            "SIZEOF_CURL_SOCKET_T=4",
            "USE_RESOLV_THREADED",
        ],
    },
];

/// What libgit2's build writes before compiling.
const GIT_FEATURES: &str = "\
#define GIT_THREADS 1
#define GIT_TRACE 1
#define GIT_HTTPPARSER_BUILTIN 1
#define GIT_USE_NSEC 1
#define GIT_IO_POLL 1
#define GIT_IO_SELECT 1
#define GIT_USE_STAT_MTIM 1
#define GIT_ARCH_64 1
#define GIT_SHA1_COLLISIONDETECT 1
#define GIT_SHA256_BUILTIN 1
";

enum Outcome {
    /// `cc` itself rejects the unit (another system's code, a missing header).
    NotOurs,
    Passed {
        seconds: f64,
    },
    /// No error, but something undeclared was assumed, where `cc` only warns.
    Assumed {
        seconds: f64,
    },
    Failed {
        complaint: String,
    },
}

pub fn run(words: &[&str]) -> Result<()> {
    let table = match words {
        [] => None,
        ["--table", file] => Some(PathBuf::from(file)),
        _ => bail!("usage: cargo xtask real-code [--table FILE]"),
    };
    let folder = scratch("real-code")?;
    let binary = unpick()?;
    fetch(&folder)?;
    let mut text = String::from(
        "| library | units | passed | of these with assumptions | failed | seconds |\n|---|---|---|---|---|---|\n",
    );
    let mut n_failed = 0;
    for library in LIBRARIES {
        let (row, failed) = measure(&folder, &binary, library)?;
        text.push_str(&row);
        n_failed += failed;
    }
    text.push_str(&sqlite_speed(&folder, &binary)?);
    print!("{text}");
    if let Some(table) = table {
        std::fs::write(table, &text)?;
    }
    std::fs::remove_dir_all(&folder)?;
    if n_failed > 0 {
        bail!("{n_failed} units failed");
    }
    Ok(())
}

/// Lets cargo bring the sources into `folder/vendor`.
pub fn fetch(folder: &Path) -> Result<()> {
    let mut manifest = String::from(
        "[package]\nname = \"units\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n",
    );
    for library in LIBRARIES {
        manifest.push_str(&format!("{} = {}\n", library.name, library.requirement));
    }
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("lib.rs"), "")?;
    let fetched = Command::new("cargo").args(["vendor", "--quiet", "vendor"]).current_dir(folder).output()?;
    if !fetched.status.success() {
        bail!("cargo vendor failed: {}", String::from_utf8_lossy(&fetched.stderr));
    }
    let features = folder.join("vendor/libgit2-sys/features");
    std::fs::create_dir_all(&features)?;
    std::fs::write(features.join("git2_features.h"), GIT_FEATURES)?;
    Ok(())
}

/// The sources of a library, and the flags to read them with.
pub fn units(folder: &Path, library: &Library) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let base = folder.join("vendor").join(library.name);
    let mut units = Vec::new();
    for unit in library.units {
        collect(&base.join(unit), &mut units)?;
    }
    units.sort();
    let flags: Vec<String> = (library.headers.iter().map(|dir| format!("-I{}", base.join(dir).display())))
        .chain(["zlib"].map(|dir| format!("-I{}", folder.join("vendor/libz-sys/src").join(dir).display())))
        .chain(library.macros.iter().map(|name| format!("-D{name}")))
        .collect();
    Ok((units, flags))
}

fn measure(folder: &Path, binary: &Path, library: &Library) -> Result<(String, usize)> {
    let (units, flags) = units(folder, library)?;
    let outcomes = in_parallel(&units, |unit| check(binary, unit, &flags));
    let (mut passed, mut assumed, mut failed, mut seconds) = (0, 0, 0, 0.0);
    for (unit, outcome) in units.iter().zip(outcomes) {
        match outcome.with_context(|| unit.display().to_string())? {
            Outcome::NotOurs => {}
            Outcome::Passed { seconds: one } => {
                passed += 1;
                seconds += one;
            }
            Outcome::Assumed { seconds: one } => {
                passed += 1;
                assumed += 1;
                seconds += one;
            }
            Outcome::Failed { complaint } => {
                failed += 1;
                let name = unit.strip_prefix(folder).unwrap_or(unit).display();
                eprintln!("{name}: {}", complaint.lines().take(6).collect::<Vec<_>>().join("\n  "));
            }
        }
    }
    let n_units = passed + failed;
    let row = format!("| {} | {n_units} | {passed} | {assumed} | {failed} | {seconds:.1} |\n", library.name);
    eprint!("{row}");
    Ok((row, failed))
}

fn check(binary: &Path, unit: &Path, flags: &[String]) -> Result<Outcome> {
    let limit = Duration::from_secs(120);
    let accepted = output_within(cc().args(["-fsyntax-only", "-w"]).args(flags).arg(unit), limit)?;
    if !accepted.is_some_and(|output| output.status.success()) {
        return Ok(Outcome::NotOurs);
    }
    for strictness in ["--strict", "--quiet"] {
        let start = Instant::now();
        let mut command = Command::new(binary);
        command.args(["check", "--syntax-only", strictness]).args(flags).arg(unit);
        let Some(output) = output_within(&mut command, limit)? else {
            return Ok(Outcome::Failed { complaint: "too slow".into() });
        };
        let seconds = start.elapsed().as_secs_f64();
        match (output.status.success(), strictness) {
            (true, "--strict") => return Ok(Outcome::Passed { seconds }),
            (true, _) => return Ok(Outcome::Assumed { seconds }),
            (false, "--strict") => {}
            (false, _) => {
                return Ok(Outcome::Failed { complaint: String::from_utf8_lossy(&output.stderr).into_owned() });
            }
        }
    }
    unreachable!("the second round should decide");
}

fn collect(folder: &Path, units: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, units)?;
        } else if path.extension().is_some_and(|extension| extension == "c") {
            units.push(path);
        }
    }
    Ok(())
}

/// Median of five runs each on the same preprocessed text.
fn sqlite_speed(folder: &Path, binary: &Path) -> Result<String> {
    let source = folder.join("vendor/libsqlite3-sys/sqlite3/sqlite3.c");
    let text = folder.join("sqlite3.i");
    // clang reads what clang preprocessed: gcc's headers use built-ins that it does not know.
    let has_clang = Command::new("clang").arg("--version").output().is_ok();
    let mut preprocessor = if has_clang { Command::new("clang") } else { cc() };
    let status = preprocessor.arg("-E").arg(&source).arg("-o").arg(&text).status()?;
    if !status.success() {
        bail!("cannot preprocess sqlite3.c");
    }
    let median = |program: &Path, args: &[&str]| -> Result<f64> {
        let mut times = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            let output = Command::new(program).args(args).arg(&text).output()?;
            if !output.status.success() {
                bail!("{} failed on sqlite3.i: {}", program.display(), String::from_utf8_lossy(&output.stderr));
            }
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times[2])
    };
    let ours = median(binary, &["check", "--syntax-only"])?;
    if !has_clang {
        return Ok(format!("\nsqlite3.i: unpick {ours:.3} s; clang is not installed, so no ratio\n"));
    }
    let clang = median(Path::new("clang"), &["-fsyntax-only", "-w"])?;
    let peak = peak_memory(binary, &text).map_or_else(String::new, |kib| format!(", peak {} MiB", kib / 1024));
    Ok(format!("\nsqlite3.i: unpick {ours:.3} s, clang {clang:.3} s, ratio {:.2}{peak}\n", ours / clang))
}

/// Peak resident memory in KiB, as `/usr/bin/time`-less machines can tell: the child's own status file.
fn peak_memory(binary: &Path, text: &Path) -> Option<u64> {
    let mut child = Command::new(binary)
        .args(["check", "--syntax-only"])
        .arg(text)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().ok()?.is_none() {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).or(peak);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}
