//! Kinds of tokens of Promela.

use std::sync::Arc;

use unpick_base::Span;

use crate::syntax::At;

/// One token of the text.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it lies.
    pub span: Span,
    /// Whether a line ends between this token and the one before it; line ends may stand for semicolons.
    pub is_after_newline: bool,
    /// Of a token in the argument of an inline: where the parameter stands that it replaces.
    pub parameter: Option<Span>,
}

impl Token {
    /// Where the statement stands that the token is part of.
    pub fn place(&self) -> Span {
        self.parameter.unwrap_or(self.span)
    }
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name that is no keyword.
    Name(Arc<str>),
    /// A decimal number, already cut to 32 bits.
    Number(i32),
    /// A character between single quotes.
    Char(u8),
    /// A string with its quotes, escapes untouched.
    Text(Arc<str>),
    /// A reserved word.
    Keyword(Keyword),
    /// Embedded C with its braces removed.
    Code(Arc<Code>),
    /// An operator or a bracket.
    Punct(Punct),
    /// The end of the text.
    End,
}

impl TokenKind {
    /// Whether the token is this operator.
    pub fn is(&self, punct: Punct) -> bool {
        *self == TokenKind::Punct(punct)
    }

    /// Whether the token is this keyword.
    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        *self == TokenKind::Keyword(keyword)
    }

    /// The token as people write it.
    pub fn spelling(&self) -> String {
        match self {
            TokenKind::Name(name) => name.to_string(),
            TokenKind::Number(value) => (*value as u32).to_string(),
            TokenKind::Char(value) => char_spelling(*value),
            TokenKind::Text(text) => text.to_string(),
            TokenKind::Keyword(keyword) => keyword.spelling().to_owned(),
            TokenKind::Code(code) => code.spelling(),
            TokenKind::Punct(punct) => punct.spelling().to_owned(),
            TokenKind::End => String::new(),
        }
    }
}

/// A character constant as the lexer reads it.
pub fn char_spelling(value: u8) -> String {
    match value {
        b'\n' => "'\\n'".to_owned(),
        b'\r' => "'\\r'".to_owned(),
        b'\t' => "'\\t'".to_owned(),
        b'\x0c' => "'\\f'".to_owned(),
        b'\\' => "'\\\\'".to_owned(),
        value => format!("'{}'", value as char),
    }
}

/// `c_code [precondition] { text }` and its sisters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Which of them.
    pub kind: CodeKind,
    /// The C expression between brackets, if any.
    pub precondition: Option<Arc<str>>,
    /// The C text between the braces.
    pub text: Arc<str>,
    /// Where the text lies.
    pub at: At,
    /// Where the precondition lies.
    pub precondition_at: At,
}

impl Code {
    /// The whole as it stands in the text.
    pub fn spelling(&self) -> String {
        let keyword = match self.kind {
            CodeKind::Code => "c_code",
            CodeKind::Decl => "c_decl",
            CodeKind::Expr => "c_expr",
        };
        match &self.precondition {
            Some(precondition) => format!("{keyword} [{precondition}] {{{}}}", self.text),
            None => format!("{keyword} {{{}}}", self.text),
        }
    }
}

/// What embedded C is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeKind {
    /// `c_code`: a statement, or text at the top level.
    Code,
    /// `c_decl`: declarations.
    Decl,
    /// `c_expr`: an expression without effects.
    Expr,
}

macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $text:literal)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum $name { $($variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// How it is written.
            pub fn spelling(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The one written so.
            pub fn of(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

spelled! {
    /// Reserved words. `c_code` and its sisters come as [`TokenKind::Code`]; `in` is a name outside `for`.
    Keyword {
        Active "active" Assert "assert" Atomic "atomic" Bit "bit" Bool "bool" Break "break" Byte "byte"
        CState "c_state" CTrack "c_track" Chan "chan" DProctype "D_proctype" DStep "d_step" Do "do"
        Else "else" Empty "empty" Enabled "enabled" Eval "eval" False "false" Fi "fi" For "for" Full "full"
        GetPriority "get_priority" Goto "goto" Hidden "hidden" If "if" Init "init" Inline "inline" Int "int"
        Len "len" Local "local" Ltl "ltl" Mtype "mtype" Nempty "nempty" Never "never" Nfull "nfull"
        Notrace "notrace" NonProgress "np_" Od "od" Of "of" PcValue "pc_value" Pid "pid" Printf "printf"
        Printm "printm" Priority "priority" Proctype "proctype" Provided "provided" Return "return" Run "run"
        Select "select" SetPriority "set_priority" Short "short" Show "show" Skip "skip" Timeout "timeout"
        Trace "trace" True "true" Typedef "typedef" Unless "unless" Unsigned "unsigned" Xr "xr" Xs "xs"
    }
}

spelled! {
    /// Operators and brackets.
    Punct {
        OpenParen "(" CloseParen ")" OpenBracket "[" CloseBracket "]" OpenBrace "{" CloseBrace "}"
        Comma "," Semicolon ";" Arrow "->" DoubleColon "::" Colon ":" DotDot ".." Dot "." At "@"
        Assign "=" Equal "==" NotEqual "!=" Bang "!" DoubleBang "!!" Query "?" DoubleQuery "??"
        AndAnd "&&" OrOr "||" And "&" Or "|" Caret "^" Tilde "~" Less "<" LessEqual "<=" Greater ">"
        GreaterEqual ">=" ShiftLeft "<<" ShiftRight ">>" Plus "+" Increment "++" Minus "-" Decrement "--"
        Star "*" Slash "/" Percent "%"
    }
}
