//! Property files of the competitions: `CHECK( init(main()), LTL(G ! overflow) )`, one or more of them.

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::files;

/// What a property file asks for, as a list for `--property`, and where execution starts.
pub struct Asked {
    pub properties: String,
    pub entry: String,
}

/// Whether `--property` names a file.
pub fn is_file(list: &str) -> bool {
    list.ends_with(".prp")
}

/// Reads a property file.
pub fn read(path: &str) -> Outcome<Asked> {
    let text =
        files::read_to_string(Path::new(path)).map_err(|error| Failure::new(format!("cannot read {path}: {error}")))?;
    parse(&text).map_err(|error| {
        Failure::new(format!("{path}: {error}"))
            .help("property files hold lines like CHECK( init(main()), LTL(G ! call(reach_error())) )")
    })
}

fn parse(text: &str) -> Result<Asked, String> {
    let mut properties: Vec<&str> = Vec::new();
    let mut entry = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let wrong = || format!("`{line}` is no property");
        let inner = line.strip_prefix("CHECK(").and_then(|rest| rest.trim_end().strip_suffix(')')).ok_or_else(wrong)?;
        let (start, formula) = inner.split_once(',').ok_or_else(wrong)?;
        let start = start.trim().strip_prefix("init(").and_then(|rest| rest.strip_suffix("())")).ok_or_else(wrong)?;
        let formula = formula.trim().strip_prefix("LTL(").and_then(|rest| rest.strip_suffix(')')).ok_or_else(wrong)?;
        start.clone_into(&mut entry);
        let words: String = formula.chars().filter(|letter| !letter.is_whitespace()).collect();
        properties.push(match words.as_str() {
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" => "reach-error",
            "G!overflow" => "overflow",
            "G!data-race" => "race",
            "Gvalid-free" => "double-free,invalid-free",
            "Gvalid-deref" => "null-dereference,out-of-bounds,use-after-free",
            "Gvalid-memtrack" | "Gvalid-memcleanup" => "leak",
            "Fend" => "termination",
            _ => return Err(format!("there is no check for `{formula}`")),
        });
    }
    match properties.is_empty() {
        true => Err("there is no property in it".to_owned()),
        false => Ok(Asked { properties: properties.join(","), entry }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_of_the_competitions_are_read() {
        let read = |text: &str| parse(text).map(|asked| (asked.properties, asked.entry)).ok();
        let reach = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        assert_eq!(read(reach), Some(("reach-error".to_owned(), "main".to_owned())));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\n\nCHECK( init(main()), LTL(G valid-memtrack) )";
        assert_eq!(read(memory).map(|asked| asked.0).as_deref(), Some("double-free,invalid-free,leak"));
        assert_eq!(read("CHECK( init(main()), LTL(G p) )"), None);
        assert_eq!((read(""), read("CHECK()")), (None, None));
    }
}
