//! Installs what the tests compare with, so that one command passes on a machine that has never seen the project.
//!
//! As root on Debian the missing packages are installed; everywhere else the run stops before anything is compiled and
//! names the one command that installs them. A test that silently skips its peer would pass for the wrong reason.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A program (or header) that tests need, and the Debian package that brings it.
struct Tool {
    package: &'static str,
    presence: Presence,
}

enum Presence {
    /// The program is found on the path.
    Program(&'static str),
    /// The file is there.
    File(&'static [&'static str]),
}

const TOOLS: &[Tool] = &[
    Tool { package: "gcc", presence: Presence::Program("gcc") },
    Tool { package: "g++", presence: Presence::Program("g++") },
    Tool { package: "cadical", presence: Presence::Program("cadical") },
    Tool { package: "minisat", presence: Presence::Program("minisat") },
    Tool { package: "tcc", presence: Presence::Program("tcc") },
    Tool { package: "clang", presence: Presence::Program("clang") },
    Tool { package: "csmith", presence: Presence::Program("csmith") },
    Tool {
        package: "libcsmith-dev",
        presence: Presence::File(&["/usr/include/csmith/csmith.h", "/usr/include/csmith.h"]),
    },
    Tool { package: "z3", presence: Presence::Program("z3") },
    Tool { package: "spin", presence: Presence::Program("spin") },
    Tool { package: "z3", presence: Presence::Program("z3") },
    Tool { package: "chromium", presence: Presence::Program("chromium") },
    Tool {
        package: "fonts-dejavu-core",
        presence: Presence::File(&["/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"]),
    },
    Tool { package: "bsdutils", presence: Presence::Program("script") },
    Tool { package: "nodejs", presence: Presence::Program("node") },
    Tool { package: "npm", presence: Presence::Program("npm") },
];

/// Makes sure that everything is there, or says what to run.
pub fn run() -> Result<()> {
    install_packages()?;
    install_nextest()
}

fn install_packages() -> Result<()> {
    let missing = missing(&|presence| presence.is_met());
    if missing.is_empty() {
        return Ok(());
    }
    let command = format!("apt-get install -y --no-install-recommends {}", missing.join(" "));
    if !is_root() || !is_program("apt-get") {
        bail!("the tests compare with programs that are not installed; run\n\n    sudo {command}\n");
    }
    eprintln!("xtask: installing {}", missing.join(" "));
    apt(&["update", "-q"])?;
    let mut words = vec!["install", "-q", "-y", "--no-install-recommends"];
    words.extend(&missing);
    apt(&words)?;
    let still_missing = self::missing(&|presence| presence.is_met());
    if !still_missing.is_empty() {
        bail!("still missing after `{command}`: {}", still_missing.join(" "));
    }
    Ok(())
}

fn install_nextest() -> Result<()> {
    let has_nextest = Command::new("cargo").args(["nextest", "--version"]).output();
    if has_nextest.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    eprintln!("xtask: installing cargo-nextest");
    let status = Command::new("cargo").args(["install", "--locked", "cargo-nextest"]).status();
    if !status.context("cannot run cargo")?.success() {
        bail!("cargo-nextest is not installed; run\n\n    cargo install --locked cargo-nextest\n");
    }
    Ok(())
}

/// The packages of which something is not there.
fn missing(is_met: &dyn Fn(&Presence) -> bool) -> Vec<&'static str> {
    TOOLS.iter().filter(|tool| !is_met(&tool.presence)).map(|tool| tool.package).collect()
}

impl Presence {
    fn is_met(&self) -> bool {
        match self {
            Presence::Program(name) => is_program(name),
            Presence::File(paths) => paths.iter().any(|path| std::path::Path::new(path).exists()),
        }
    }
}

fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn apt(words: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    if !command.status().context("cannot run apt-get")?.success() {
        bail!("apt-get {} failed", words.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_by_its_package() {
        assert!(missing(&|_| true).is_empty());
        assert_eq!(missing(&|_| false).len(), TOOLS.len());
        let without_spin = missing(&|presence| !matches!(presence, Presence::Program("spin")));
        assert_eq!(without_spin, ["spin"]);
        assert!(!Presence::Program("no-such-program-here").is_met());
        assert!(!Presence::File(&["/no/such/file"]).is_met());
        assert!(Presence::File(&["/no/such/file", "/"]).is_met());
    }
}
