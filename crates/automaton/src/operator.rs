//! Operators of expressions in automata, with their spellings.

/// Tests of how many messages a channel holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Probe {
    Full,
    Nfull,
    Empty,
    Nempty,
}

impl Probe {
    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Probe::Full => "full",
            Probe::Nfull => "nfull",
            Probe::Empty => "empty",
            Probe::Nempty => "nempty",
        }
    }
}

/// Operators before their operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Not,
    Minus,
    Complement,
}

impl Unary {
    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Minus => "-",
            Unary::Complement => "~",
        }
    }
}

/// Operators between their operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::BitAnd => "&",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
        }
    }
}
