//! Operators and their spellings, those of formulas among them.

use unpick_automaton as ir;

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

    /// What it does with values; nothing if it only makes sense in a formula.
    pub fn arithmetic(self) -> Option<ir::Unary> {
        match self {
            Unary::Not => Some(ir::Unary::Not),
            Unary::Minus => Some(ir::Unary::Minus),
            Unary::Complement => Some(ir::Unary::Complement),
            Unary::Next | Unary::Always | Unary::Eventually => None,
        }
    }

    /// Whether it only makes sense in a formula.
    pub fn is_temporal(self) -> bool {
        self.arithmetic().is_none()
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
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "V",
            _ => self.arithmetic().map_or("", ir::Binary::spelling),
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

    /// What it does with values; nothing if it only makes sense in a formula.
    pub fn arithmetic(self) -> Option<ir::Binary> {
        Some(match self {
            Binary::Or => ir::Binary::Or,
            Binary::And => ir::Binary::And,
            Binary::BitOr => ir::Binary::BitOr,
            Binary::BitXor => ir::Binary::BitXor,
            Binary::BitAnd => ir::Binary::BitAnd,
            Binary::Equal => ir::Binary::Equal,
            Binary::NotEqual => ir::Binary::NotEqual,
            Binary::Less => ir::Binary::Less,
            Binary::LessEqual => ir::Binary::LessEqual,
            Binary::Greater => ir::Binary::Greater,
            Binary::GreaterEqual => ir::Binary::GreaterEqual,
            Binary::ShiftLeft => ir::Binary::ShiftLeft,
            Binary::ShiftRight => ir::Binary::ShiftRight,
            Binary::Add => ir::Binary::Add,
            Binary::Subtract => ir::Binary::Subtract,
            Binary::Multiply => ir::Binary::Multiply,
            Binary::Divide => ir::Binary::Divide,
            Binary::Remainder => ir::Binary::Remainder,
            Binary::Implies | Binary::Equivalent | Binary::Until | Binary::WeakUntil | Binary::Release => return None,
        })
    }

    /// Whether it only makes sense in a formula.
    pub fn is_temporal(self) -> bool {
        self.arithmetic().is_none()
    }
}
