//! Source map: from offsets in preprocessed text to the user's file, line and column.
//!
//! Every text handed to a front end occupies a range of one 32-bit address space, so a span is two
//! numbers whatever file it lies in. Line markers (`# 12 "file.c" 1 3`) are recorded as the lexer meets
//! them; looking a place up is a binary search for the last marker before it and a count of line ends.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// A half-open range of the source map's address space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of nothing in particular.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    /// From `lo` to before `hi`.
    pub fn new(lo: u32, hi: u32) -> Self {
        Self { lo, hi }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        if self == Span::NONE {
            return other;
        }
        if other == Span::NONE {
            return self;
        }
        Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// A position as people write it: lines and columns count from one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// File as the line marker names it.
    pub file: Rc<str>,
    /// Line in that file, from one.
    pub line: u32,
    /// Byte column, from one: in the user's line if that is known, else in the preprocessed one.
    pub column: u32,
    /// Whether the marker said "system header".
    pub system: bool,
}

/// One text and where it lies in the address space.
#[derive(Debug)]
pub struct SourceText {
    /// Name given on the command line.
    pub name: Rc<str>,
    /// The (preprocessed) text.
    pub text: Rc<str>,
    /// Address of its first byte.
    pub base: u32,
    line_starts: Vec<u32>,
    markers: Vec<Marker>,
}

#[derive(Debug)]
struct Marker {
    /// Offset in the text of the first line the marker speaks of.
    offset: u32,
    file: Rc<str>,
    line: u32,
    system: bool,
}

/// All texts of a run. Address 0 is never used, so that [`Span::NONE`] lies nowhere.
#[derive(Default, Debug)]
pub struct SourceMap {
    texts: Vec<SourceText>,
    /// Lines of files as the user wrote them, to tell columns before macros moved them.
    originals: HashMap<Rc<str>, Vec<Rc<str>>>,
}

impl SourceMap {
    /// A map without texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text and returns its index; `None` if the address space (4 GiB) is full.
    pub fn add(&mut self, name: &str, text: &str) -> Option<usize> {
        let base = self.texts.last().map_or(1, |last| last.base as usize + last.text.len() + 1);
        u32::try_from(base + text.len() + 1).ok()?;
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        self.texts.push(SourceText {
            name: name.into(),
            text: text.into(),
            base: base as u32,
            line_starts,
            markers: Vec::new(),
        });
        Some(self.texts.len() - 1)
    }

    /// Remembers a file as it was before preprocessing.
    pub fn add_original(&mut self, file: &str, text: &str) {
        self.originals.insert(file.into(), text.lines().map(Rc::from).collect());
    }

    /// The text with this index.
    pub fn text(&self, index: usize) -> &SourceText {
        &self.texts[index]
    }

    /// Records that from `offset` (within text `index`) on, lines are those of `file` from `line` on.
    /// Markers must come in ascending order.
    pub fn mark(&mut self, index: usize, offset: u32, file: &str, line: u32, system: bool) {
        let markers = &mut self.texts[index].markers;
        let file = match markers.iter().rev().take(16).find(|marker| &*marker.file == file) {
            Some(marker) => marker.file.clone(),
            None => file.into(),
        };
        markers.push(Marker { offset, file, line, system });
    }

    /// The characters of a span; empty for a span that lies nowhere.
    pub fn snippet(&self, span: Span) -> &str {
        let Some(text) = self.owner(span.lo) else { return "" };
        let range = (span.lo - text.base) as usize..(span.hi.max(span.lo) - text.base) as usize;
        text.text.get(range).unwrap_or("")
    }

    /// Where an address lies for the user; `None` for [`Span::NONE`].
    pub fn place(&self, address: u32) -> Option<Place> {
        let text = self.owner(address)?;
        let offset = address - text.base;
        let row = text.line_starts.partition_point(|start| *start <= offset) - 1;
        let column = offset - text.line_starts[row] + 1;
        let before = text.markers.partition_point(|marker| marker.offset <= offset);
        let Some(marker) = before.checked_sub(1).map(|at| &text.markers[at]) else {
            return Some(Place { file: text.name.clone(), line: row as u32 + 1, column, system: false });
        };
        let marker_row = text.line_starts.partition_point(|start| *start <= marker.offset) - 1;
        let line = marker.line + (row - marker_row) as u32;
        let original = self.originals.get(&marker.file).and_then(|lines| lines.get(line as usize - 1));
        let column = match original {
            Some(original) => original_column(original, text.row(row), column),
            None => column,
        };
        Some(Place { file: marker.file.clone(), line, column, system: marker.system })
    }

    /// The preprocessed line an address lies on, and its range in the text.
    pub fn line(&self, address: u32) -> Option<(&str, Range<usize>)> {
        let text = self.owner(address)?;
        let offset = address - text.base;
        let row = text.line_starts.partition_point(|start| *start <= offset) - 1;
        let start = text.line_starts[row] as usize;
        let line = text.row(row);
        Some((line, start..start + line.len()))
    }

    fn owner(&self, address: u32) -> Option<&SourceText> {
        let index = self.texts.partition_point(|text| text.base <= address).checked_sub(1)?;
        let text = &self.texts[index];
        (address - text.base <= text.text.len() as u32).then_some(text)
    }
}

impl SourceText {
    /// A line of the text, without its end.
    fn row(&self, row: usize) -> &str {
        let start = self.line_starts[row] as usize;
        let end = self.line_starts.get(row + 1).map_or(self.text.len(), |next| *next as usize - 1);
        self.text.get(start..end).unwrap_or("")
    }
}

/// In longer lines columns are those after preprocessing.
const LONG_LINE: usize = 1 << 14;

/// Where the token at a column of the preprocessed line stands in the line as written: expanded macros move
/// what follows them. The n-th occurrence of a token corresponds to the n-th occurrence in the original; a token
/// that only a macro produced is shown at the start of the line's text.
fn original_column(original: &str, preprocessed: &str, column: u32) -> u32 {
    // Looking through the line for every token in it takes time that grows with the square of its length.
    if preprocessed.len().max(original.len()) > LONG_LINE {
        return column.min(original.len() as u32 + 1);
    }
    let at = column as usize - 1;
    if original == preprocessed {
        return column;
    }
    let Some(rest) = preprocessed.get(at..) else { return column };
    if !rest.is_empty() && original.get(..at) == preprocessed.get(..at) {
        return column;
    }
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let len = match rest.find(|character| !is_word(character)) {
        Some(0) => rest.chars().next().map_or(0, char::len_utf8),
        Some(len) => len,
        None => rest.len(),
    };
    let token = &rest[..len];
    let starts = |line: &str| -> Vec<usize> {
        let alone = |start: usize| {
            let before = line[..start].chars().next_back();
            let after = line[start + token.len()..].chars().next();
            !token.starts_with(is_word) || (!before.is_some_and(is_word) && !after.is_some_and(is_word))
        };
        line.match_indices(token).map(|(start, _)| start).filter(|start| alone(*start)).collect()
    };
    let indent = (original.len() - original.trim_start().len()) as u32 + 1;
    if token.trim().is_empty() {
        return indent;
    }
    let nth = starts(preprocessed).iter().take_while(|start| **start < at).count();
    let found = starts(original);
    // Counted from the end too: a macro usually repeats tokens before, rarely after.
    found.get(nth).or(found.last()).map_or(indent, |start| *start as u32 + 1)
}

/// A byte that is not part of UTF-8 text, as a private character: sources in Latin-1 stay text, and a
/// lexer can give literals their bytes back.
pub fn char_of_byte(byte: u8) -> char {
    char::from_u32(0xf700 + u32::from(byte)).expect("private characters should be characters")
}

/// The byte that [`char_of_byte`] hid in a character.
pub fn byte_of_char(character: char) -> Option<u8> {
    u32::from(character).checked_sub(0xf700).and_then(|byte| u8::try_from(byte).ok()).filter(|byte| *byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_bytes_come_back() {
        for byte in 0x80..=0xff {
            assert_eq!(byte_of_char(char_of_byte(byte)), Some(byte));
        }
        assert_eq!(byte_of_char('é'), None);
    }

    #[test]
    fn macros_do_not_move_columns() {
        let original = "  if (MAX(a, b) > NULL) c = d;";
        let preprocessed = "  if (((a) > (b) ? (a) : (b)) > ((void *)0)) c = d;";
        let column = |token: &str| {
            let at = preprocessed.rfind(token).unwrap() as u32 + 1;
            original_column(original, preprocessed, at) as usize - 1
        };
        assert_eq!(column("c ="), original.find("c =").unwrap());
        assert_eq!(column("d;"), original.find("d;").unwrap());
        assert_eq!(column("if"), 2);
        assert_eq!(column("void"), 2);
        let long = " ".repeat(LONG_LINE + 1);
        assert_eq!(original_column(original, &long, 7), 7);
        assert_eq!(original_column(original, &long, 10_000) as usize, original.len() + 1);
    }

    #[test]
    fn markers_lead_back_to_the_users_lines() {
        let mut map = SourceMap::new();
        map.add("first.c", "int a;\nint b;\n").unwrap();
        let text = "# 1 \"x.c\"\nint c;\n# 7 \"y.h\" 1 3\nint d;\n  int e;\n";
        let second = map.add("x.c", text).unwrap();
        map.mark(second, 10, "x.c", 1, false);
        map.mark(second, 31, "y.h", 7, true);
        let base = map.text(second).base;
        let at = |needle: &str| map.place(base + text.find(needle).unwrap() as u32).unwrap();
        assert_eq!((at("int c").line, at("int c").column, &*at("int c").file), (1, 1, "x.c"));
        assert_eq!((at("int e").line, at("int e").column, at("int e").system), (8, 3, true));
        assert_eq!(map.place(1 + 7).unwrap().line, 2);
        assert!(map.place(0).is_none());
    }
}
