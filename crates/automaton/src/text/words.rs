//! Keywords of the text form: one table for each enumeration, used in both directions.

use crate::{Binary, Probe, Scalar, Scope, Unary};

/// All scopes and their words.
const SCOPES: [(Scope, &str); 4] =
    [(Scope::Global, "global"), (Scope::Hidden, "hidden"), (Scope::Local, "local"), (Scope::Nowhere, "nowhere")];

/// All operators before an operand.
pub(super) const UNARY: [Unary; 3] = [Unary::Not, Unary::Minus, Unary::Complement];

/// All tests of channels.
pub(super) const PROBES: [Probe; 4] = [Probe::Full, Probe::Nfull, Probe::Empty, Probe::Nempty];

/// All operators between operands.
const BINARY: [Binary; 18] = [
    Binary::Or,
    Binary::And,
    Binary::BitOr,
    Binary::BitXor,
    Binary::BitAnd,
    Binary::Equal,
    Binary::NotEqual,
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::Add,
    Binary::Subtract,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
];

/// The operator with this spelling.
pub(super) fn binary_of(spelling: &str) -> Option<Binary> {
    BINARY.into_iter().find(|operator| operator.spelling() == spelling)
}

/// Operators of one kind may stand in a row, the left ones first.
pub(super) fn kind_of(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 0,
        Binary::And => 1,
        Binary::BitOr => 2,
        Binary::BitXor => 3,
        Binary::BitAnd => 4,
        Binary::Equal | Binary::NotEqual => 5,
        Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => 6,
        Binary::ShiftLeft | Binary::ShiftRight => 7,
        Binary::Add | Binary::Subtract => 8,
        Binary::Multiply | Binary::Divide | Binary::Remainder => 9,
    }
}

/// The word before a place's offset.
pub(super) fn scope_word(scope: Scope) -> &'static str {
    SCOPES.into_iter().find(|(known, _)| *known == scope).map_or("nowhere", |(_, word)| word)
}

/// Scope and offset of a word such as `global12`.
pub(super) fn scope_of(word: &str) -> Option<(Scope, u32)> {
    SCOPES.into_iter().find_map(|(scope, prefix)| Some((scope, number_after(word, prefix)?)))
}

/// How a value is kept.
pub(super) fn scalar_word(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bit => "bit".to_owned(),
        Scalar::Byte => "byte".to_owned(),
        Scalar::Short => "short".to_owned(),
        Scalar::Int => "int".to_owned(),
        Scalar::Unsigned(bits) => format!("unsigned{bits}"),
    }
}

/// The scalar of a word.
pub(super) fn scalar_of(word: &str) -> Option<Scalar> {
    match word {
        "bit" => Some(Scalar::Bit),
        "byte" => Some(Scalar::Byte),
        "short" => Some(Scalar::Short),
        "int" => Some(Scalar::Int),
        _ => Some(Scalar::Unsigned(number_after(word, "unsigned")?.try_into().ok()?)),
    }
}

/// The number of a word such as `l12`, if it is this prefix and a number as it is printed.
pub(super) fn number_after(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}
