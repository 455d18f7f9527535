//! Fingerprints of findings, stable when lines move: the kind of violation, the function, and the text of the line.
//!
//! Line numbers and folders are left out on purpose, so that code above a finding may change and checkouts may lie
//! anywhere. Spaces do not count. A second finding of the same kind on the same text in the same function has the same
//! fingerprint, and is accepted together with the first.

use unpick_witness::Finding;
use xxhash_rust::xxh3::xxh3_128;

use crate::Sources;

/// Name of the algorithm in SARIF; another algorithm needs another name.
pub const ALGORITHM: &str = "unpick/v1";

/// The fingerprint of a finding, 32 hexadecimal digits.
pub fn of(finding: &Finding, sources: &dyn Sources) -> String {
    let mut parts = vec![finding.kind.clone()];
    let mut places = vec![part(&finding.file, finding.line, sources)];
    places.extend(finding.related.iter().map(|related| part(&related.file, related.line, sources)));
    // Which access of a data race comes first depends on the search.
    places.sort();
    parts.extend(places);
    if finding.related.is_empty() {
        parts.push(finding.function.clone());
    }
    format!("{:032x}", xxh3_128(parts.join("\u{1f}").as_bytes()))
}

fn part(file: &str, line: u32, sources: &dyn Sources) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let text = sources.line(file, line).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("{name}\u{1f}{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use unpick_witness::Related;

    use super::*;

    fn finding(kind: &str, line: u32) -> Finding {
        Finding { kind: kind.to_owned(), file: "src/a.c".to_owned(), line, ..Finding::default() }
    }

    #[test]
    fn moving_lines_and_folders_changes_nothing() {
        let before = |_: &str, line: u32| (line == 3).then(|| "x = 1 / y;".to_owned());
        let after = |_: &str, line: u32| (line == 9).then(|| "    x =  1 / y;".to_owned());
        let moved = Finding { file: "/tmp/a.c".to_owned(), ..finding("overflow", 9) };
        assert_eq!(of(&finding("overflow", 3), &before), of(&moved, &after));
        assert_ne!(of(&finding("overflow", 3), &before), of(&finding("leak", 3), &before));
        assert_ne!(of(&finding("overflow", 3), &before), of(&finding("overflow", 4), &before));
    }

    #[test]
    fn the_accesses_of_a_race_may_change_places() {
        let lines = |_: &str, line: u32| Some(format!("line {line}"));
        let race = |one: u32, other: u32| {
            let related = Related { file: "src/a.c".to_owned(), line: other, ..Related::default() };
            let function = format!("f{one}");
            Finding { related: vec![related], function, ..finding("data-race", one) }
        };
        assert_eq!(of(&race(3, 7), &lines), of(&race(7, 3), &lines));
    }
}
