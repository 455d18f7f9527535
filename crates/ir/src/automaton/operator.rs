//! Operators of expressions and formulas over automata.

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
    Next,
    Always,
    Eventually,
}

impl Unary {
    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Minus => "-",
            Unary::Complement => "~",
            Unary::Next => "X",
            Unary::Always => "[]",
            Unary::Eventually => "<>",
        }
    }

    /// Whether it only makes sense in a formula.
    pub fn is_temporal(self) -> bool {
        matches!(self, Unary::Next | Unary::Always | Unary::Eventually)
    }
}

/// Operators between their operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Implies,
    Equivalent,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
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
    /// How it is written; the temporal ones as they are in formulas.
    pub fn spelling(self) -> &'static str {
        match self {
            Binary::Implies => "->",
            Binary::Equivalent => "<->",
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "V",
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

    /// How tightly it binds; all group to the left.
    pub fn precedence(self) -> u8 {
        match self {
            Binary::Implies | Binary::Equivalent => 1,
            Binary::Or => 2,
            Binary::And => 3,
            Binary::Until | Binary::WeakUntil | Binary::Release => 4,
            Binary::BitOr => 5,
            Binary::BitXor => 6,
            Binary::BitAnd => 7,
            Binary::Equal | Binary::NotEqual => 8,
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => 9,
            Binary::ShiftLeft | Binary::ShiftRight => 10,
            Binary::Add | Binary::Subtract => 11,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 12,
        }
    }

    /// Whether it only makes sense in a formula.
    pub fn is_temporal(self) -> bool {
        matches!(self, Binary::Implies | Binary::Equivalent | Binary::Until | Binary::WeakUntil | Binary::Release)
    }
}
