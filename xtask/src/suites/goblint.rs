//! Goblint's regression tests: `NN-group/NN-name.c` with comments at the ends of lines.
//!
//! Goblint over-approximates, so some labels describe Goblint rather than the program: `UNKNOWN`, `RACE` and
//! `WARN` without an exclamation mark allow either answer. `FAIL`, `UNKNOWN!`, `RACE!`, `DEADLOCK` and `WARN!`
//! say that some execution fails; `NORACE`, `NODEADLOCK`, `NOWARN`, `SUCCESS`, and a check without a comment,
//! that none does. Lines marked `TODO` claim nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::judge::Class;
use super::walk::{name, place};
use super::{Label, Task};

/// A stand-in for the header of Goblint's own functions: a check that fails is reported, and the execution
/// in which it is not looked at goes on, as in Goblint.
pub const HEADER: &str = "\
#ifndef GOBLINT_H
#define GOBLINT_H
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
#define __goblint_check(e) do { if (!(e)) { if (__VERIFIER_nondet_bool()) assert(0 && \"check\"); } } while (0)
#define __goblint_assert(e) assert(e)
#define __goblint_assume(e) __VERIFIER_assume(!!(e))
#define __goblint_assume_join(t) ((void)0)
#define __goblint_globalize(p) ((void)(p))
#define __goblint_split_begin(e) ((void)0)
#define __goblint_split_end(e) ((void)0)
#define __goblint_bounded(e) ((void)0)
#endif
";

/// What a line's comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    Check,
    Race,
    Deadlock,
    /// Any other finding.
    Warning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub about: About,
    /// Whether some execution fails here; `None`: either answer is fine.
    pub fails: Option<bool>,
}

pub fn task(file: &Path, text: &str, headers: &Path) -> Option<Task> {
    let (folder, main) = place(file);
    let numbered = |name: &str| name.len() > 3 && name.as_bytes()[..2].iter().all(u8::is_ascii_digit);
    let group = folder.file_name()?.to_str()?.to_string();
    if !numbered(&group) || !numbered(&main) {
        return None;
    }
    let claims = claims(text);
    let label = skip(&group, text).map_or_else(|| Label::Lines(claims.clone()), Label::Skipped);
    let label = if claims.is_empty() && !matches!(label, Label::Skipped(_)) {
        Label::Skipped("no claim about the program".into())
    } else {
        label
    };
    let mut flags = vec!["-I".into(), headers.display().to_string()];
    flags.extend(["--property".into(), properties(&claims)]);
    Some(Task { suite: "Goblint", name: name(file), folder, files: vec![main], flags, label })
}

fn skip(group: &str, text: &str) -> Option<String> {
    let first = text.lines().next().unwrap_or_default();
    if group.ends_with("osek") || group.ends_with("arinc") {
        return Some("operating system without a counterpart".into());
    }
    if first.contains("kernel true") || text.contains("<linux/") {
        return Some("headers of the Linux kernel".into());
    }
    if first.contains("mainfun") {
        return Some("other entry points".into());
    }
    if first.contains("CRAM") || first.contains("SKIP") || text.contains("NOCHECK") {
        return Some("no claim about the program".into());
    }
    let option = OTHER_MEANING.iter().find(|option| first.contains(**option))?;
    Some(format!("option {option}"))
}

/// Options under which the labels are not about the program as C means it.
const OTHER_MEANING: [&str; 5] = ["allfuns", "otherfun", "sem.lock.fail", "ana.race.free", "ana.race.volatile"];

fn properties(claims: &BTreeMap<u64, Claim>) -> String {
    let abouts: BTreeSet<About> = claims.values().map(|claim| claim.about).collect();
    let name = |about: &About| match about {
        About::Check => "assertion",
        About::Race => "race",
        About::Deadlock => "deadlock",
        About::Warning => "memory,overflow,leak",
    };
    abouts.iter().map(name).collect::<Vec<_>>().join(",")
}

fn claims(text: &str) -> BTreeMap<u64, Claim> {
    let has_checks = text.contains("goblint_check") || text.contains("assert");
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with("//"));
    lines.filter_map(|(line, number)| Some((number, claim(line, has_checks)?))).collect()
}

fn claim(line: &str, has_checks: bool) -> Option<Claim> {
    let comment = line.find("//").or_else(|| line.find("/*")).map_or("", |start| &line[start..]);
    let code = &line[..line.len() - comment.len()];
    let has = |word: &str| comment.contains(word);
    let is_check = ["__goblint_check", "assert"].iter().any(|name| code.contains(&format!("{name}(")));
    let about = if has("RACE") {
        About::Race
    } else if has("DEADLOCK") {
        About::Deadlock
    } else if is_check {
        About::Check
    } else if has("WARN") && !has_checks {
        About::Warning
    } else {
        return None;
    };
    // A definition of the check is none, and neither is a macro with one inside.
    if about == About::Check && (code.trim_start().starts_with('#') || code.contains("extern")) {
        return None;
    }
    let fails = if has("TODO") || has("SKIP") {
        None
    } else if has("NORACE") || has("NODEADLOCK") || has("NOWARN") || has("SUCCESS") {
        Some(false)
    } else if has("RACE!") || has("DEADLOCK") && !has("DEADLOCK?") || has("UNKNOWN!") || has("WARN!") || has("FAIL") {
        Some(true)
    } else if has("RACE") || has("UNKNOWN") || has("WARN") || has("DEADLOCK") {
        None
    } else {
        Some(false)
    };
    Some(Claim { about, fails })
}

pub fn verified(claims: &BTreeMap<u64, Claim>) -> (Class, String) {
    let failing = claims.iter().find(|(_, claim)| claim.fails == Some(true));
    match failing {
        Some((line, claim)) => (Class::Wrong, format!("verified, line {line} should fail ({:?})", claim.about)),
        None => (Class::Right, String::new()),
    }
}

pub fn violated(claims: &BTreeMap<u64, Claim>, kind: &str, line: u64) -> (Class, String) {
    let about = match kind {
        "assertion" | "reach-error" => About::Check,
        "data-race" => About::Race,
        "deadlock" => About::Deadlock,
        _ => About::Warning,
    };
    // Who closes a circle is a matter of the schedule: any line of it may be the last.
    let is_there = |claim: &&Claim| claim.about == about && claim.fails != Some(false);
    if about == About::Deadlock && claims.values().any(|claim| is_there(&claim)) {
        return (Class::Right, String::new());
    }
    match claims.get(&line).filter(|claim| claim.about == about) {
        Some(Claim { fails: Some(false), .. }) => (Class::Wrong, format!("{kind} at line {line}, labelled as correct")),
        Some(_) => (Class::Right, String::new()),
        None => (Class::Unlabelled, format!("{kind} at line {line}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int x;\n__goblint_check(x == 0);\n__goblint_check(x == 1); // FAIL\nx++; // NORACE\n\
                        x--; // RACE!\n__goblint_check(x); // UNKNOWN!\n__goblint_check(x); // UNKNOWN\n\
                        __goblint_check(x); // TODO\n";

    #[test]
    fn comments_become_claims() {
        let claims = claims(TEXT);
        let claim = |line: u64| claims.get(&line).map(|claim| (claim.about, claim.fails));
        assert_eq!(claim(1), None);
        assert_eq!(claim(2), Some((About::Check, Some(false))));
        assert_eq!(claim(3), Some((About::Check, Some(true))));
        assert_eq!(claim(4), Some((About::Race, Some(false))));
        assert_eq!(claim(5), Some((About::Race, Some(true))));
        assert_eq!(claim(6), Some((About::Check, Some(true))));
        assert_eq!(claim(7), Some((About::Check, None)));
        assert_eq!(claim(8), Some((About::Check, None)));
    }

    #[test]
    fn answers_are_held_against_single_lines() {
        let claims = claims(TEXT);
        assert_eq!(verified(&claims).0, Class::Wrong);
        assert_eq!(violated(&claims, "assertion", 2).0, Class::Wrong);
        assert_eq!(violated(&claims, "assertion", 3).0, Class::Right);
        assert_eq!(violated(&claims, "data-race", 4).0, Class::Wrong);
        assert_eq!(violated(&claims, "data-race", 5).0, Class::Right);
        assert_eq!(violated(&claims, "data-race", 1).0, Class::Unlabelled);
    }

    #[test]
    fn options_that_change_the_meaning_are_named() {
        let reason = skip("04-mutex", "// PARAM: --set sem.lock.fail true\nint x;\n");
        assert_eq!(reason.as_deref(), Some("option sem.lock.fail"));
        assert_eq!(skip("04-mutex", "// PARAM: --set ana.activated[+] deadlock\n"), None);
    }

    #[test]
    fn only_what_is_labelled_is_looked_for() {
        assert_eq!(properties(&claims(TEXT)), "assertion,race");
    }
}
