//! DIVINE: `/* TAGS: ... */` at the top, `/* ERROR */` on the line that fails, options in comments.
//!
//! Files `NAME.pkg.c` stand for several programs that differ in macros (`// V: NAME CC_OPT: -DN=3`, with
//! `/* ERR_NAME */` on the failing line); the first variant that is not marked as big is taken.

use std::path::Path;

use super::walk::{name, place};
use super::{Label, Task};

pub fn task(file: &Path, text: &str) -> Option<Task> {
    let tags = option(text, "TAGS:")?;
    let (folder, main) = place(file);
    let mut flags = Vec::new();
    // The competition gives indeterminate values a meaning: any value.
    let is_competition = folder.components().any(|part| part.as_os_str() == "svcomp");
    let label = label(text, &tags, &main, is_competition, &mut flags);
    Some(Task { suite: "DIVINE", name: name(file), folder, files: vec![main], flags, label })
}

fn label(text: &str, tags: &str, main: &str, is_competition: bool, flags: &mut Vec<String>) -> Label {
    if tags.split_whitespace().any(|tag| tag == "skip") {
        return Label::Skipped("no program of its own".into());
    }
    if let Some(word) = OWN_NAMES.iter().find(|word| text.contains(**word)) {
        return Label::Skipped(format!("uses DIVINE's own {word}"));
    }
    let mut verifier = option(text, "VERIFY_OPTS:").unwrap_or_default();
    let mut compiler = option(text, "CC_OPTS:").unwrap_or_default();
    let mut mark = "ERROR".to_string();
    if main.ends_with(".pkg.c") {
        let Some(variant) = variant(text) else { return Label::Skipped("no variant".into()) };
        compiler = format!("{compiler} {}", variant.compiler);
        verifier = format!("{verifier} {}", variant.verifier);
        // The mark of a family of variants has the part of their names before the dot.
        let family = variant.name.split('.').next().unwrap_or_default();
        let own = [variant.name.as_str(), family].map(|name| format!("ERR_{name}"));
        mark = own.into_iter().find(|own| text.contains(&format!("/* {own} */"))).unwrap_or(mark);
    }
    if let Some(word) =
        ["--liveness", "--relaxed-memory", "--lart", "--capture"].iter().find(|word| verifier.contains(**word))
    {
        return Label::Skipped(format!("option {word}"));
    }
    if verifier.split_whitespace().any(|word| word.starts_with("-E") || word == "--stdin") {
        return Label::Skipped("an environment or standard input of its own".into());
    }
    if option(text, "PROGRAM_OPTS:").is_some() || option(text, "EXTRA_SRCS:").is_some() {
        return Label::Skipped("arguments or further sources".into());
    }
    flags.extend(compiler.split_whitespace().filter(|word| word.starts_with("-D")).map(str::to_string));
    flags.extend(["--property".into(), properties(&verifier, text, is_competition)]);
    if !verifier.contains("nofail:malloc") && !verifier.contains("--svcomp") {
        flags.push("--malloc-fails".into());
    }
    let mark = format!("/* {mark}");
    let marked = text.lines().zip(1..).filter(|(line, _)| line.contains(&mark)).map(|(_, number)| number);
    let lines: Vec<u64> = marked.collect();
    match option(text, "EXPECT:") {
        Some(expected) if expected.contains("--result error") => Label::Fails,
        // Names of the competition carry the verdict, also where no line is marked.
        _ if lines.is_empty() && is_competition && main.contains("_false-") => Label::Fails,
        _ if lines.is_empty() => Label::Holds,
        _ => Label::FailsAt(lines),
    }
}

/// Programs written against DIVINE's machine or operating system.
const OWN_NAMES: [&str; 9] =
    ["sys/divm.h", "dios.h", "__dios", "__vm_", "rst/", "sys/lart.h", "abstract/", "__sym_", "sys/lamp.h"];

/// What DIVINE looks for with these options.
fn properties(verifier: &str, text: &str, is_competition: bool) -> String {
    if verifier.contains("--svcomp") {
        return "assertion".into();
    }
    let mut kinds =
        vec!["assertion,null-dereference,out-of-bounds,use-after-free,double-free,invalid-free,division-by-zero"];
    // A mark on a call into the library says that its rules are broken there.
    if text.lines().any(|line| line.contains("pthread_") && line.contains("/* ERROR")) {
        kinds.push("unlock-error");
    }
    if !verifier.contains("ignore:control") && !is_competition {
        kinds.push("uninitialized");
    }
    if verifier.contains("--leakcheck") || text.contains("TAGS: leak") {
        kinds.push("leak");
    }
    if !verifier.contains("--sequential") {
        kinds.push("deadlock");
    }
    kinds.join(",")
}

/// The rest of the first comment with this key.
fn option(text: &str, key: &str) -> Option<String> {
    let line = text.lines().take(12).find(|line| line.contains(key) && !line.contains("// V:"))?;
    let rest = line.split(key).nth(1)?;
    Some(rest.split("*/").next().unwrap_or(rest).trim().to_string())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Variant {
    name: String,
    compiler: String,
    verifier: String,
}

fn variant(text: &str) -> Option<Variant> {
    let mut first = None;
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("// V:")) {
        let (mut variant, mut is_big, mut key) = (Variant::default(), false, "V:");
        for word in line.split_whitespace() {
            match (word, key) {
                ("CC_OPT:" | "V_OPT:" | "TAGS:" | "V:", _) => key = word,
                (_, "V:") => variant.name = word.into(),
                (_, "CC_OPT:") => variant.compiler = format!("{} {word}", variant.compiler),
                (_, "V_OPT:") => variant.verifier = format!("{} {word}", variant.verifier),
                (_, "TAGS:") => is_big |= word == "big" || word == "todo",
                _ => {}
            }
        }
        if !is_big {
            return Some(variant);
        }
        first = first.or(Some(variant));
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label_of(text: &str) -> (Label, Vec<String>) {
        let mut flags = Vec::new();
        let tags = option(text, "TAGS:").expect("tags");
        (label(text, &tags, "a.c", false, &mut flags), flags)
    }

    #[test]
    fn the_marked_line_fails() {
        let (label, flags) =
            label_of("/* TAGS: c */\n/* VERIFY_OPTS: -o nofail:malloc */\nint main() {\n  f(); /* ERROR */\n}\n");
        assert_eq!(label, Label::FailsAt(vec![4]));
        assert!(!flags.contains(&"--malloc-fails".to_string()));
    }

    #[test]
    fn without_a_mark_the_program_holds() {
        let (label, flags) = label_of("/* TAGS: c */\n/* CC_OPTS: -DN=2 -O2 */\nint main() { return 0; }\n");
        assert_eq!(label, Label::Holds);
        assert_eq!(flags[0], "-DN=2");
        assert!(flags.contains(&"--malloc-fails".to_string()));
    }

    #[test]
    fn names_of_the_competition_are_labels() {
        let mut flags = Vec::new();
        let label_of = |name: &str, flags: &mut Vec<String>| label("/* TAGS: c todo */\n", "c todo", name, true, flags);
        assert_eq!(label_of("list_false-valid-deref.c", &mut flags), Label::Fails);
        assert_eq!(label_of("list_true.c", &mut flags), Label::Holds);
        assert!(!flags.iter().any(|flag| flag.contains("uninitialized")));
    }

    #[test]
    fn what_has_no_counterpart_is_skipped() {
        assert!(matches!(label_of("/* TAGS: c */\n/* VERIFY_OPTS: --liveness */\n").0, Label::Skipped(_)));
        assert!(matches!(label_of("/* TAGS: c skip */\n").0, Label::Skipped(_)));
        assert!(matches!(label_of("/* TAGS: c */\n// VERIFY_OPTS: -Ea -E B=c\n").0, Label::Skipped(_)));
        assert!(matches!(label_of("/* TAGS: c */\n// VERIFY_OPTS: --stdin $SRC_DIR/x\n").0, Label::Skipped(_)));
    }

    #[test]
    fn a_mark_may_belong_to_a_family_of_variants() {
        let text = "/* TAGS: c */\n// V: error.i2 CC_OPT: -DBUG\n// V: valid.i2\nf(); /* ERR_error */\n";
        let label_of = |text: &str| label(text, "c", "a.pkg.c", false, &mut Vec::new());
        assert_eq!(label_of(text), Label::FailsAt(vec![4]));
        assert_eq!(label_of(&text.replace("error.i2", "fine.i2")), Label::Holds);
    }

    #[test]
    fn the_first_small_variant_is_taken() {
        let text = "// V: huge.9 CC_OPT: -DN=9 TAGS: big\n// V: few.2 CC_OPT: -DN=2 V_OPT: --sequential\n";
        let variant = variant(text).expect("a variant");
        assert_eq!(
            (variant.name.as_str(), variant.compiler.trim(), variant.verifier.trim()),
            ("few.2", "-DN=2", "--sequential")
        );
    }
}
