//! Text layout in columns of a terminal: display width, truncation, wrapping and padding.

use unicode_width::UnicodeWidthChar;

/// Columns that a text takes: those of its characters, as most terminals draw them one by one.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// The text in at most so many columns; what is missing shows as dots.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let dots = ".".repeat(columns.min(3));
    let end = fitting(text, columns - dots.len());
    format!("{}{dots}", &text[..end])
}

/// Like [`cut`], keeping the end of the text.
pub(crate) fn cut_left(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let reversed: String = text.chars().rev().collect();
    cut(&reversed, columns).chars().rev().collect()
}

/// The text in lines of at most so many columns, broken where it reads best. The last of `max_lines` is cut.
pub(crate) fn wrap(text: &str, columns: usize, max_lines: usize) -> Vec<String> {
    let columns = columns.max(4);
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while width(rest) > columns && lines.len() + 1 < max_lines {
        let end = fitting(rest, columns).max(rest.chars().next().map_or(0, char::len_utf8));
        let (line, more) = rest.split_at(break_before(rest, end));
        lines.push(line.trim_end().to_owned());
        rest = more.trim_start();
    }
    lines.push(cut(rest, columns));
    lines
}

/// The text with spaces up to so many columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// How many bytes of the text fit into so many columns.
fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return at;
        }
    }
    text.len()
}

/// The best place to break in the first `end` bytes: behind a space or a comma, not too far to the left.
fn break_before(text: &str, end: usize) -> usize {
    if text[end..].starts_with(' ') {
        return end;
    }
    let candidates = text[..end].char_indices().filter(|(_, character)| " ,;(".contains(*character));
    let best = candidates.map(|(at, character)| at + character.len_utf8()).next_back();
    best.filter(|at| *at * 3 > end).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_is_wider_than_allowed(text in "\\PC*", columns in 4usize..40, max_lines in 1usize..5) {
            prop_assert!(width(&cut(&text, columns)) <= columns);
            prop_assert!(width(&cut_left(&text, columns)) <= columns);
            let lines = wrap(&text, columns, max_lines);
            prop_assert!(!lines.is_empty() && lines.len() <= max_lines);
            prop_assert!(lines.iter().all(|line| width(line) <= columns), "{:?}", lines);
        }

        #[test]
        fn wrapping_loses_nothing_but_spaces(text in "[a-z (),]*", columns in 4usize..40) {
            let glue = |text: &str| text.replace(' ', "");
            prop_assert_eq!(glue(&wrap(&text, columns, usize::MAX).concat()), glue(&text));
        }
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("\u{6f22}\u{5b57}"), 4);
        assert_eq!(cut("\u{6f22}\u{5b57}\u{6f22}\u{5b57}", 6), "\u{6f22}...");
        assert_eq!(pad("\u{6f22}", 4), "\u{6f22}  ");
    }

    #[test]
    fn lines_break_where_they_read_best() {
        assert_eq!(wrap("pthread_create(&one, 0, count, 0);", 24, 3), ["pthread_create(&one, 0,", "count, 0);"]);
        assert_eq!(wrap("abcdefghij", 4, 2), ["abcd", "e..."]);
    }
}
