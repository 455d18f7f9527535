//! Text from the input made harmless for terminals: control and direction characters become visible.

use std::borrow::Cow;

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
        }
    }

    #[test]
    fn escapes_are_shown() {
        assert_eq!(visible("a\x1b[31mb\tc"), "a\u{241b}[31mb c");
        assert_eq!(moved("\x1bx", 1), 3);
    }
}
