//! Places in SARIF: files as URIs, columns in characters, the text of the line beside its number.

use serde_json::{Value, json};

use super::{lean, message};
use crate::Sources;
use crate::escape::visible;

/// Longer lines are not quoted.
const MAX_SNIPPET: usize = 1_000;

/// A place (file, line and column from one; 0 for unknown), with what happens there and in which function.
pub(super) fn location(
    (file, line, column): (&str, u32, u32),
    text: Option<&str>,
    function: Option<&str>,
    id: Option<i64>,
    sources: &dyn Sources,
) -> Value {
    let source = sources.line(file, line);
    let region = (line > 0).then(|| {
        let snippet = source.as_deref().filter(|text| text.len() <= MAX_SNIPPET);
        lean(json!({
            "startLine": line,
            "startColumn": (column > 0).then(|| characters(source.as_deref(), column)),
            "snippet": snippet.map(|text| json!({"text": visible(text)})),
        }))
    });
    let function = function.filter(|name| !name.is_empty());
    let function = function.map(|name| json!([{"fullyQualifiedName": visible(name), "kind": "function"}]));
    lean(json!({
        "physicalLocation": lean(json!({"artifactLocation": {"uri": uri(file)}, "region": region})),
        "message": text.map(message),
        "id": id,
        "logicalLocations": function,
    }))
}

/// Our columns count bytes.
fn characters(line: Option<&str>, column: u32) -> i64 {
    let before = line.and_then(|line| line.get(..column as usize - 1));
    before.map_or(i64::from(column), |before| before.chars().count() as i64 + 1)
}

/// A file name as a relative or absolute URI: everything that means something in URIs is escaped.
pub(super) fn uri(file: &str) -> String {
    let mut uri = String::new();
    if file.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
