//! Escaping of text in XML.

use crate::escape::visible_lines;

/// Text for elements and for attributes in double quotes. Control characters become visible ones; XML 1.0 has none.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in visible_lines(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Also kept apart from what parsers normalise.
            '\n' => escaped.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_is_left_that_xml_would_read(text in any::<String>()) {
            let escaped = escape(&text);
            let forbidden = ['<', '>', '"', '\'', '\n', '\u{0}', '\u{1b}', '\u{ffff}'];
            prop_assert!(!escaped.contains(forbidden));
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;", "#10;"];
            let is_reference = |rest: &str| known.iter().any(|known| rest.starts_with(known));
            prop_assert!(escaped.split('&').skip(1).all(is_reference));
        }
    }
}
