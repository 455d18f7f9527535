//! Character constants and string literals: escapes decoded, adjacent literals joined.

use crate::syntax::{Encoding, StrLit};

/// What is wrong with a literal, and where in its spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    pub at: usize,
    pub message: String,
    /// The literal still has a value.
    pub is_warning: bool,
}

/// The prefix of a literal's spelling and the text between its quotes (with the offset it starts at).
pub fn split(spelling: &str) -> (Encoding, &str, usize) {
    let (encoding, length) = match spelling.as_bytes() {
        [b'u', b'8', ..] => (Encoding::Utf8, 2),
        [b'u', ..] => (Encoding::Utf16, 1),
        [b'U', ..] => (Encoding::Utf32, 1),
        [b'L', ..] => (Encoding::Wide, 1),
        _ => (Encoding::Plain, 0),
    };
    let quote = spelling[length..].chars().next().unwrap_or('"');
    let body = spelling.get(length + 1..).unwrap_or("");
    (encoding, body.strip_suffix(quote).unwrap_or(body), length + 1)
}

/// Decodes one literal's body and appends its code units.
pub fn decode(body: &str, encoding: Encoding, units: &mut Vec<u32>, flaws: &mut Vec<Flaw>) {
    let bytes = body.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += escape(body, at, encoding, units, flaws),
            byte if byte < 0x80 => {
                units.push(u32::from(byte));
                at += 1;
            }
            _ => {
                let Some(char) = body[at..].chars().next() else { return };
                push_char(char, encoding, units);
                at += char.len_utf8();
            }
        }
    }
}

/// Decodes and joins adjacent literals. The result's encoding is the one prefix they agree on; `None` if
/// they do not agree.
pub fn join(spellings: &[&str], flaws: &mut Vec<Flaw>) -> Option<StrLit> {
    let mut encoding = Encoding::Plain;
    for spelling in spellings {
        match split(spelling).0 {
            Encoding::Plain => {}
            other if encoding == Encoding::Plain || encoding == other => encoding = other,
            _ => return None,
        }
    }
    let mut units = Vec::with_capacity(spellings.iter().map(|spelling| spelling.len()).sum());
    for spelling in spellings {
        decode(split(spelling).1, encoding, &mut units, flaws);
    }
    Some(StrLit { units, encoding })
}

/// The value of a character constant: for plain ones the bits of the `int` it stands for.
pub fn char_value(spelling: &str, flaws: &mut Vec<Flaw>) -> (u32, Encoding) {
    let (encoding, body, start) = split(spelling);
    let mut units = Vec::new();
    decode(body, encoding, &mut units, flaws);
    flaws.iter_mut().for_each(|flaw| flaw.at += start);
    let flaw = |message: &str, is_warning| Flaw { at: 0, message: message.to_owned(), is_warning };
    if units.is_empty() {
        flaws.push(flaw("empty character constant", false));
        return (0, encoding);
    }
    if encoding != Encoding::Plain {
        if units.len() > 1 {
            flaws.push(flaw("character constant holds more than one character", false));
        }
        return (units[units.len() - 1], encoding);
    }
    match units[..] {
        // Plain `char` is signed on every target we know.
        [unit] => (unit as u8 as i8 as i32 as u32, encoding),
        _ => {
            if units.len() > 4 {
                flaws.push(flaw("character constant is too long for its type", true));
            }
            (units.iter().fold(0_u32, |value, unit| value << 8 | (unit & 0xff)), encoding)
        }
    }
}

/// The text of a `_Pragma` operand, given what is between its quotes.
pub fn pragma_text(body: &str) -> String {
    body.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// An identifier with its `\u` escapes replaced by the characters they stand for.
pub fn name_without_escapes(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        let length = if rest[at + 1..].starts_with('U') { 8 } else { 4 };
        let digits = rest.get(at + 2..at + 2 + length);
        let char = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match char {
            Some(char) => {
                result.push(char);
                rest = &rest[at + 2 + length..];
            }
            None => {
                result.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    result + rest
}

fn push_char(char: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            let mut buffer = [0; 4];
            units.extend(char.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Encoding::Utf16 => {
            let mut buffer = [0; 2];
            units.extend(char.encode_utf16(&mut buffer).iter().map(|unit| u32::from(*unit)));
        }
        Encoding::Wide | Encoding::Utf32 => units.push(char as u32),
    }
}

/// Decodes the escape at `at` and returns its length.
fn escape(body: &str, at: usize, encoding: Encoding, units: &mut Vec<u32>, flaws: &mut Vec<Flaw>) -> usize {
    let bytes = body.as_bytes();
    let simple = match bytes.get(at + 1) {
        None => {
            flaws.push(Flaw { at, message: "escape sequence is cut off".to_owned(), is_warning: false });
            return 1;
        }
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'v') => 11,
        Some(b'e' | b'E') => 27,
        Some(byte @ (b'\\' | b'\'' | b'"' | b'?')) => *byte,
        // A line continued inside the literal.
        Some(b'\n') => return 2,
        Some(b'\r') => return if bytes.get(at + 2) == Some(&b'\n') { 3 } else { 2 },
        Some(b'0'..=b'7') => {
            let digits = bytes[at + 1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            return number(body, at, 1, digits, 8, encoding, units, flaws);
        }
        Some(b'x') => {
            let digits = bytes[at + 2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            return number(body, at, 2, digits, 16, encoding, units, flaws);
        }
        Some(b'u') => return universal(body, at, 4, encoding, units, flaws),
        Some(b'U') => return universal(body, at, 8, encoding, units, flaws),
        Some(_) => {
            let char = body[at + 1..].chars().next().unwrap_or('?');
            let message = format!("unknown escape sequence `\\{char}`");
            flaws.push(Flaw { at, message, is_warning: true });
            push_char(char, encoding, units);
            return 1 + char.len_utf8();
        }
    };
    units.push(u32::from(simple));
    2
}

#[expect(clippy::too_many_arguments)]
fn number(
    body: &str,
    at: usize,
    skip: usize,
    digits: usize,
    radix: u32,
    encoding: Encoding,
    units: &mut Vec<u32>,
    flaws: &mut Vec<Flaw>,
) -> usize {
    if digits == 0 {
        let message = "`\\x` is not followed by hexadecimal digits".to_owned();
        flaws.push(Flaw { at, message, is_warning: false });
        return skip;
    }
    let max = match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Wide | Encoding::Utf32 => u32::MAX,
    };
    let text = &body[at + skip..at + skip + digits];
    let value = u32::from_str_radix(text.trim_start_matches('0'), radix);
    let value = if text.trim_start_matches('0').is_empty() { Some(0) } else { value.ok() };
    match value {
        Some(value) if value <= max => units.push(value),
        _ => {
            let message = "escape sequence is out of range for its character type".to_owned();
            flaws.push(Flaw { at, message, is_warning: true });
            units.push(value.unwrap_or(u32::MAX) & max);
        }
    }
    skip + digits
}

fn universal(
    body: &str,
    at: usize,
    length: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
    flaws: &mut Vec<Flaw>,
) -> usize {
    let digits = body.get(at + 2..at + 2 + length).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let char = digits.and_then(|text| u32::from_str_radix(text, 16).ok()).and_then(char::from_u32);
    match char {
        Some(char) => {
            push_char(char, encoding, units);
            2 + length
        }
        None => {
            let message =
                format!("`\\{}` needs {length} hexadecimal digits that name a character", &body[at + 1..at + 2]);
            flaws.push(Flaw { at, message, is_warning: false });
            2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(spelling: &str) -> Vec<u32> {
        let mut flaws = Vec::new();
        let literal = join(&[spelling], &mut flaws).expect("one literal should agree with itself");
        assert!(flaws.is_empty(), "{spelling}: {flaws:?}");
        literal.units
    }

    #[test]
    fn escapes_become_code_units() {
        assert_eq!(units(r#""a\n\0\x41\101\e\"""#), [97, 10, 0, 65, 65, 27, 34]);
        assert_eq!(units("\"é\""), [0xc3, 0xa9]);
        assert_eq!(units("L\"é\""), [0xe9]);
        assert_eq!(units("u\"😀\""), [0xd83d, 0xde00]);
        assert_eq!(units("u8\"\\u00e9\""), [0xc3, 0xa9]);
        assert_eq!(units("\"a\\\nb\""), [97, 98]);
        assert_eq!(units("\"\\x000041\""), [65]);
    }

    #[test]
    fn neighbours_take_the_one_prefix() {
        let mut flaws = Vec::new();
        let literal = join(&["\"é\"", "L\"b\""], &mut flaws).unwrap();
        assert_eq!((literal.units, literal.encoding), (vec![0xe9, 98], Encoding::Wide));
        assert!(join(&["u\"a\"", "L\"b\""], &mut flaws).is_none());
    }

    #[test]
    fn character_constants_have_int_values() {
        let value = |spelling: &str| char_value(spelling, &mut Vec::new()).0;
        assert_eq!(value("'a'"), 97);
        assert_eq!(value("'\\xff'"), u32::MAX);
        assert_eq!(value("'ab'"), 0x6162);
        assert_eq!(value("L'é'"), 0xe9);
        let mut flaws = Vec::new();
        char_value("''", &mut flaws);
        assert_eq!(flaws[0].message, "empty character constant");
    }

    #[test]
    fn escaped_names_are_the_names_they_spell() {
        assert_eq!(name_without_escapes("caf\\u00e9_x"), "café_x");
        assert_eq!(name_without_escapes("a\\uzz"), "a\\uzz");
    }
}
