//! SV-COMP: task definitions (`.yml`) with input files, one expected verdict per property, a data model.
//!
//! The files use a small part of YAML, of which this reads what the format allows: scalars, lists and the
//! two levels below `properties` and `options`.

use std::path::Path;

use super::walk::{name, place};
use super::{Label, Task};

#[derive(Debug, Default, PartialEq, Eq)]
struct Definition {
    files: Vec<String>,
    /// Property file, expected verdict.
    properties: Vec<(String, Option<bool>)>,
    ilp32: bool,
}

/// One task per property.
pub fn tasks(file: &Path) -> Vec<Task> {
    let Ok(text) = std::fs::read_to_string(file) else { return Vec::new() };
    let Some(definition) = read(&text) else { return Vec::new() };
    let (folder, _) = place(file);
    let task = |(property, expected): &(String, Option<bool>)| {
        let property = property.rsplit('/').next().unwrap_or(property).trim_end_matches(".prp");
        let mut flags = Vec::new();
        let label = match (flag(property), expected) {
            (None, _) => Label::Skipped(format!("property {property}")),
            (Some(_), None) => Label::Skipped("no expected verdict".into()),
            (Some(flag), Some(holds)) => {
                flags.extend(["--property".into(), flag.into()]);
                if *holds { Label::Holds } else { Label::Fails }
            }
        };
        if definition.ilp32 {
            flags.extend(["--target".into(), "ilp32".into()]);
        }
        Task {
            suite: "SV-COMP",
            name: format!("{}:{property}", name(file)),
            folder: folder.clone(),
            files: definition.files.clone(),
            flags,
            label,
        }
    };
    definition.properties.iter().map(task).collect()
}

/// Our name for a property of the competition.
fn flag(property: &str) -> Option<&'static str> {
    match property {
        "unreach-call" => Some("assertion"),
        "valid-memsafety" => Some("null-dereference,out-of-bounds,use-after-free,double-free,invalid-free,leak"),
        "valid-memcleanup" => Some("leak"),
        "no-overflow" => Some("overflow"),
        "no-data-race" => Some("race"),
        "termination" => Some("termination"),
        _ => None,
    }
}

fn read(text: &str) -> Option<Definition> {
    let mut definition = Definition::default();
    let (mut section, mut is_definition) = (String::new(), false);
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or_default();
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let is_top = !line.starts_with([' ', '-']);
        let item = content.trim_start_matches("- ").trim();
        let (key, value) = match item.split_once(':') {
            Some((key, value)) => (key.trim(), unquoted(value)),
            None => ("", unquoted(item)),
        };
        if is_top {
            section = key.to_string();
        }
        match (section.as_str(), key) {
            ("format_version", _) => is_definition = true,
            ("input_files", "input_files") if !value.is_empty() => definition.files.push(value),
            ("input_files", "") => definition.files.push(value),
            ("properties", "property_file") => definition.properties.push((value, None)),
            ("properties", "expected_verdict") => {
                if let Some(property) = definition.properties.last_mut() {
                    property.1 = Some(value == "true");
                }
            }
            ("options", "data_model") => definition.ilp32 = value == "ILP32",
            _ => {}
        }
    }
    (is_definition && !definition.files.is_empty()).then_some(definition)
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['\'', '"']).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_name_files_properties_and_the_data_model() {
        let text = "format_version: '2.0'\n\n# a comment\ninput_files: 'a.i'\nproperties:\n  - property_file: \
                    ../p/unreach-call.prp\n    expected_verdict: false\n  - property_file: ../p/no-overflow.prp\n    \
                    expected_verdict: true\noptions:\n  language: C\n  data_model: ILP32\n";
        let definition = read(text).expect("a definition");
        assert_eq!(definition.files, ["a.i"]);
        let expected =
            [("../p/unreach-call.prp".to_string(), Some(false)), ("../p/no-overflow.prp".into(), Some(true))];
        assert_eq!(definition.properties, expected);
        assert!(definition.ilp32);
    }

    #[test]
    fn input_files_may_be_a_list() {
        let definition = read("format_version: '2.0'\ninput_files:\n  - 'a.c'\n  - \"b.c\"\n").expect("a definition");
        assert_eq!(definition.files, ["a.c", "b.c"]);
    }

    #[test]
    fn other_yaml_is_none_of_ours() {
        assert_eq!(read("entry_type: invariant\ninput_files: 'a.c'\n"), None);
    }
}
