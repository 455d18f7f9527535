//! Escaping of untrusted text for terminals: control and direction characters become visible.

use std::borrow::Cow;

use crate::Colour;

/// The text with every character that could steer a terminal replaced by a visible one. Tabs become a space.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| harmless(character) == character) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(harmless).collect())
}

/// Like [`visible`], keeping line ends: for messages of several lines.
pub fn visible_lines(text: &str) -> String {
    text.chars().map(|character| if character == '\n' { character } else { harmless(character) }).collect()
}

/// What a writer may pass on: lines and tabs stay, and with colours the codes that reports are drawn with; everything
/// else that could steer a terminal becomes visible. Reports in colours have made the input's own text visible
/// before; this is the last gate.
pub fn printable(text: &str, colour: Colour) -> Cow<'_, str> {
    if text.chars().all(|character| is_layout(character) || harmless(character) == character) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let code = if colour == Colour::Always { colour_code(rest) } else { 0 };
        if code > 0 {
            shown.push_str(&rest[..code]);
            rest = &rest[code..];
            continue;
        }
        shown.push(if is_layout(character) { character } else { harmless(character) });
        rest = &rest[character.len_utf8()..];
    }
    Cow::Owned(shown)
}

/// A JSON document in which no character steers a terminal. Such characters stand in strings only, where a number says
/// the same.
pub fn json(document: &str) -> Cow<'_, str> {
    if document.chars().all(|character| is_layout(character) || harmless(character) == character) {
        return Cow::Borrowed(document);
    }
    let mut escaped = String::with_capacity(document.len() + 16);
    for character in document.chars() {
        if is_layout(character) || harmless(character) == character {
            escaped.push(character);
            continue;
        }
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(escaped)
}

fn is_layout(character: char) -> bool {
    matches!(character, '\n' | '\t')
}

/// How many bytes a colour code takes at the start of a text: none of those that hide text or set a background.
fn colour_code(text: &str) -> usize {
    let Some(inner) = text.strip_prefix("\x1b[") else { return 0 };
    let Some(end) = inner.find('m').filter(|end| *end <= 16) else { return 0 };
    let mut numbers = inner[..end].split(';');
    while let Some(number) = numbers.next() {
        let is_known = match number {
            "" | "0" | "1" | "2" | "3" | "4" | "22" | "23" | "24" | "39" => true,
            // A colour out of a palette.
            "38" => numbers.next() == Some("5") && numbers.next().is_some_and(|number| number.parse::<u8>().is_ok()),
            other => other.parse::<u8>().is_ok_and(|number| matches!(number, 30..=37 | 90..=97)),
        };
        if !is_known {
            return 0;
        }
    }
    "\x1b[".len() + end + 1
}

/// Where the character that starts at byte `at` of `text` starts in [`visible`] of it.
pub fn moved(text: &str, at: usize) -> usize {
    text.char_indices().take_while(|(start, _)| *start < at).map(|(_, character)| harmless(character).len_utf8()).sum()
}

fn harmless(character: char) -> char {
    match character {
        '\t' => ' ',
        // The Unicode block of control pictures mirrors the control characters.
        '\0'..='\x1f' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // Characters that take no room and show nothing make different names look alike.
        '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            '\u{fffd}'
        }
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        // Marks that turn the direction of writing hide what a line says.
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        character => character,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_steers_a_terminal(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert_eq!(shown.chars().count(), text.chars().count());
            prop_assert_eq!(moved(&text, text.len()), shown.len());
            let printed = printable(&text, Colour::Never);
            prop_assert!(!printed.chars().any(|character| character.is_control() && !is_layout(character)));
        }

        #[test]
        fn documents_keep_their_meaning(text in any::<String>()) {
            let document = serde_json::to_string(&text).expect("a text should be a document");
            let escaped = json(&document);
            prop_assert!(!escaped.chars().any(char::is_control));
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).expect("it should be a document"), text);
        }
    }

    #[test]
    fn escapes_are_shown() {
        assert_eq!(visible("a\x1b[31mb\tc"), "a\u{241b}[31mb c");
        assert_eq!(moved("\x1bx", 1), 3);
    }

    #[test]
    fn only_our_own_colours_pass() {
        let drawn = "\x1b[1m\x1b[91merror\x1b[0m: \x1b[38;5;12m|\x1b[0m\n\tx";
        assert_eq!(printable(drawn, Colour::Always), drawn);
        assert!(!printable(drawn, Colour::Never).contains('\x1b'));
        for code in [
            "\x1b[2J",
            "\x1b[8m",
            "\x1b[41m",
            "\x1b]0;t\x07",
            "\x1b[",
            "\x1b[38;2;0;0;0m",
            "\u{9b}2J",
            "\u{202e}",
            "\r",
        ] {
            let shown = printable(code, Colour::Always);
            assert!(!shown.contains(['\x1b', '\x07', '\u{9b}', '\u{202e}', '\r']), "{code:?}");
        }
        assert_eq!(json("\"\u{9b}\u{e0041}\""), "\"\\u009b\\udb40\\udc41\"");
    }
}
