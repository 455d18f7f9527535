//! Places in SARIF: files as URIs, columns in characters, the text of the line beside its number.

use serde_sarif::sarif::{
    ArtifactContent, ArtifactLocation, Location, LogicalLocation, Message, PhysicalLocation, Region,
};

use super::message;
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
) -> Location {
    let source = sources.line(file, line);
    let artifact = ArtifactLocation::builder().uri(uri(file)).build();
    let mut region = Region::builder().start_line(i64::from(line.max(1))).build();
    region.start_column = (column > 0).then(|| characters(source.as_deref(), column));
    region.snippet = source
        .filter(|text| text.len() <= MAX_SNIPPET)
        .map(|text| ArtifactContent::builder().text(visible(&text)).build());
    let mut physical = PhysicalLocation::builder().artifact_location(artifact).build();
    physical.region = (line > 0).then_some(region);
    let mut location = Location::builder().physical_location(physical).build();
    let words: Option<Message> = text.map(message);
    location.message = words;
    location.id = id;
    location.logical_locations = function.filter(|name| !name.is_empty()).map(|name| {
        let name = visible(name).into_owned();
        vec![LogicalLocation::builder().fully_qualified_name(name).kind("function").build()]
    });
    location
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
