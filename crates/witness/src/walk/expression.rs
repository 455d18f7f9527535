//! C expressions evaluated over the values of a trace.
//!
//! Values are texts in C notation. Names with members, subscripts and dereferences are looked up as the trace spells them,
//! so `p->next` and `a[i + 1].x` work where the trace has a value for `p->next` and `a[3].x`. Integers are computed with 128
//! bits; what is no integer can only be compared and passed on.

use std::iter::Peekable;
use std::str::Chars;

/// Deeper nesting is refused.
const MAX_DEPTH: u32 = 100;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Number(i128),
    Name(String),
    Symbol(&'static str),
}

/// Longer ones first.
const SYMBOLS: [&str; 32] = [
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!", "~", "&", "|", "^",
    "?", ":", "(", ")", "[", "]", ".", "=", ",", ";", "'",
];

/// The value of an expression in C notation.
pub(super) fn evaluate(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, at: 0, lookup, depth: 0 };
    let value = parser.conditional()?;
    match parser.peek() {
        None => value.text(),
        Some(token) => Err(format!("unexpected {}", spelling(token))),
    }
}

fn spelling(token: &Token) -> String {
    match token {
        Token::Number(number) => format!("`{number}`"),
        Token::Name(name) => format!("`{name}`"),
        Token::Symbol(symbol) => format!("`{symbol}`"),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let len = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
            tokens.push(Token::Number(number(&rest[..len])?));
            rest = &rest[len..];
        } else if first == '_' || first.is_alphabetic() {
            let len = rest.find(|letter: char| letter != '_' && !letter.is_alphanumeric()).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..len].to_owned()));
            rest = &rest[len..];
        } else if first == '\'' {
            let (value, len) = character(&rest[1..]).ok_or("a character constant is not closed")?;
            tokens.push(Token::Number(value));
            rest = &rest[1 + len..];
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol.ok_or_else(|| format!("`{first}` means nothing here"))?;
            tokens.push(Token::Symbol(symbol));
            rest = &rest[symbol.len()..];
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn number(text: &str) -> Result<i128, String> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let parsed = match digits.get(..2) {
        Some("0x" | "0X") => i128::from_str_radix(&digits[2..], 16),
        _ if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(&digits[1..], 8),
        _ => digits.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is no integer"))
}

/// A character up to the closing quote, and the bytes it takes with it.
fn character(text: &str) -> Option<(i128, usize)> {
    let mut letters: Peekable<Chars<'_>> = text.chars().peekable();
    let first = letters.next()?;
    let (value, len) = match first {
        '\\' => {
            let escaped = letters.next()?;
            let value = match escaped {
                'n' => 10,
                't' => 9,
                'r' => 13,
                '0' => 0,
                other => other as i128,
            };
            (value, 1 + escaped.len_utf8())
        }
        plain => (plain as i128, plain.len_utf8()),
    };
    (letters.next()? == '\'').then_some((value, len + 1))
}

/// What a part of an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Int(i128),
    /// Something with a place, as the trace names it, and its value if it is known.
    Place(String, Option<String>),
    /// Something else that the trace shows: a pointer, a string.
    Text(String),
}

impl Value {
    fn text(&self) -> Result<String, String> {
        match self {
            Value::Int(value) => Ok(value.to_string()),
            Value::Text(text) | Value::Place(_, Some(text)) => Ok(text.clone()),
            Value::Place(name, None) => Err(format!("the trace shows no value for `{name}` here")),
        }
    }

    fn int(&self) -> Result<i128, String> {
        if let Value::Int(value) = self {
            return Ok(*value);
        }
        let text = self.text()?;
        shown_int(&text).ok_or_else(|| format!("`{text}` is no integer"))
    }
}

/// The integer that a shown value stands for: `-3`, `0x10`, `'a'`, `97 'a'`, `true`, `NULL`.
fn shown_int(text: &str) -> Option<i128> {
    let text = text.trim();
    match text {
        "true" => return Some(1),
        "false" | "NULL" => return Some(0),
        _ => {}
    }
    if let Some(quoted) = text.strip_prefix('\'') {
        return character(quoted).map(|(value, _)| value);
    }
    let first = text.split(' ').next()?;
    let (sign, digits) = first.strip_prefix('-').map_or((1, first), |digits| (-1, digits));
    number(digits).ok().map(|value| sign * value)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    lookup: &'a dyn Fn(&str) -> Option<String>,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn eat(&mut self, symbol: &'static str) -> bool {
        let is_there = self.peek() == Some(&Token::Symbol(symbol));
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), String> {
        if self.eat(symbol) { Ok(()) } else { Err(format!("`{symbol}` is missing")) }
    }

    fn place(&self, name: String) -> Value {
        let value = (self.lookup)(&name);
        Value::Place(name, value)
    }

    fn conditional(&mut self) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the expression is nested too deeply".to_owned());
        }
        let value = self.binary(0)?;
        let result = if self.eat("?") {
            let then = self.conditional();
            self.expect(":")?;
            let otherwise = self.conditional();
            if value.int()? != 0 { then } else { otherwise }
        } else {
            Ok(value)
        };
        self.depth -= 1;
        result
    }

    fn binary(&mut self, least: u8) -> Result<Value, String> {
        let mut left = self.unary()?;
        while let Some(Token::Symbol(operator)) = self.peek() {
            let operator = *operator;
            let Some(strength) = strength(operator).filter(|strength| *strength >= least) else { break };
            self.at += 1;
            let right = self.binary(strength + 1)?;
            left = apply(operator, &left, &right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the expression is nested too deeply".to_owned());
        }
        let value = match self.peek() {
            Some(Token::Symbol(symbol @ ("-" | "+" | "!" | "~"))) => {
                let symbol = *symbol;
                self.at += 1;
                let operand = self.unary()?.int()?;
                Ok(Value::Int(match symbol {
                    "-" => operand.wrapping_neg(),
                    "!" => i128::from(operand == 0),
                    "~" => !operand,
                    _ => operand,
                }))
            }
            Some(Token::Symbol("*")) => {
                self.at += 1;
                match self.unary()? {
                    Value::Place(name, value) => {
                        // What a pointer to a variable points to is that variable.
                        let target = value.as_deref().and_then(|value| value.strip_prefix('&')).map(str::to_owned);
                        let direct = self.place(format!("*{name}"));
                        match (&direct, target) {
                            (Value::Place(_, None), Some(target)) => Ok(self.place(target)),
                            _ => Ok(direct),
                        }
                    }
                    Value::Text(text) if text.starts_with('&') => Ok(self.place(text[1..].to_owned())),
                    Value::Int(_) | Value::Text(_) => Err("only what has a name can be followed".to_owned()),
                }
            }
            Some(Token::Symbol("&")) => {
                self.at += 1;
                match self.unary()? {
                    Value::Place(name, _) => Ok(Value::Text(format!("&{name}"))),
                    Value::Int(_) | Value::Text(_) => Err("this has no address".to_owned()),
                }
            }
            _ => self.postfix(),
        };
        self.depth -= 1;
        value
    }

    fn postfix(&mut self) -> Result<Value, String> {
        let mut value = match self.tokens.get(self.at).cloned() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Value::Int(number)
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                match name.as_str() {
                    "NULL" => Value::Text(name),
                    "true" => Value::Int(1),
                    "false" => Value::Int(0),
                    _ => self.place(name),
                }
            }
            Some(Token::Symbol("(")) => {
                self.at += 1;
                let value = self.conditional()?;
                self.expect(")")?;
                value
            }
            Some(token) => return Err(format!("unexpected {}", spelling(&token))),
            None => return Err("the expression ends too soon".to_owned()),
        };
        loop {
            let suffix = if self.eat("[") {
                let index = self.conditional()?.int()?;
                self.expect("]")?;
                format!("[{index}]")
            } else if self.eat("->") {
                format!("->{}", self.member()?)
            } else if self.eat(".") {
                format!(".{}", self.member()?)
            } else {
                return Ok(value);
            };
            let Value::Place(name, _) = &value else { return Err(format!("`{suffix}` needs a name before it")) };
            value = self.place(format!("{name}{suffix}"));
        }
    }

    fn member(&mut self) -> Result<String, String> {
        match self.tokens.get(self.at).cloned() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            Some(_) | None => Err("the name of a member is missing".to_owned()),
        }
    }
}

fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

fn apply(operator: &str, left: &Value, right: &Value) -> Result<Value, String> {
    if let "==" | "!=" = operator
        && (left.int().is_err() || right.int().is_err())
    {
        let is_same = left.text()? == right.text()?;
        return Ok(Value::Int(i128::from(is_same == (operator == "=="))));
    }
    let (left, right) = (left.int()?, right.int()?);
    let shift = || u32::try_from(right).ok().filter(|bits| *bits < 127).ok_or("a shift by too much");
    let value = match operator {
        "||" => i128::from(left != 0 || right != 0),
        "&&" => i128::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i128::from(left == right),
        "!=" => i128::from(left != right),
        "<" => i128::from(left < right),
        ">" => i128::from(left > right),
        "<=" => i128::from(left <= right),
        ">=" => i128::from(left >= right),
        "<<" => left.wrapping_shl(shift()?),
        ">>" => left >> shift()?,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right).ok_or("division by zero")?,
        _ => left.checked_rem(right).ok_or("division by zero")?,
    };
    Ok(Value::Int(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(name: &str) -> Option<String> {
        Some(
            match name {
                "x" => "5",
                "p" => "&x",
                "p->next" => "NULL",
                "a[3].y" => "-7",
                "c" => "'a'",
                "s" => "\"text\"",
                _ => return None,
            }
            .to_owned(),
        )
    }

    fn value(text: &str) -> Result<String, String> {
        evaluate(text, &shown)
    }

    #[test]
    fn values_of_expressions() {
        for (text, wanted) in [
            ("x", "5"),
            ("x + 2 * 3", "11"),
            ("(x + 2) * 3", "21"),
            ("x == 5 && !0", "1"),
            ("a[x - 2].y", "-7"),
            ("p->next == NULL", "1"),
            ("p == &x", "1"),
            ("*p", "5"),
            ("c == 97", "1"),
            ("s", "\"text\""),
            ("x > 3 ? 0x10 : 010", "16"),
            ("-x << 2", "-20"),
        ] {
            assert_eq!(value(text).as_deref(), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_says_why() {
        assert_eq!(value("y"), Err("the trace shows no value for `y` here".to_owned()));
        assert_eq!(value("x / 0"), Err("division by zero".to_owned()));
        assert!(value("x +").is_err() && value("").is_err() && value("x y").is_err() && value("s + 1").is_err());
    }

    proptest! {
        #[test]
        fn sums_agree_with_arithmetic(a in -1000i128..1000, b in 1i128..1000, c in -1000i128..1000) {
            let text = format!("{a} * {b} - {c} / {b} + ({a} < {c})");
            prop_assert_eq!(value(&text), Ok((a * b - c / b + i128::from(a < c)).to_string()));
        }

        #[test]
        fn any_text_is_answered_without_a_panic(text in ".{0,40}") {
            let _ = value(&text);
        }
    }
}
