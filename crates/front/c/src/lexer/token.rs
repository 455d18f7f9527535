//! Kinds of tokens, their spellings, and the keywords.

use unpick_base::{Interner, Span, Symbol};

/// One token. Literals are decoded from their span when the parser reaches them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    /// The name of identifiers and keywords; meaningless for other tokens.
    pub symbol: Symbol,
    pub span: Span,
}

macro_rules! token_kinds {
    ($($name:ident $text:literal,)*) => {
        /// What a token is. Keywords that can begin a declaration lie between `Typedef` and `Extension`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum TokenKind {
            $($name,)*
        }

        impl TokenKind {
            /// How a message names the kind.
            pub fn text(self) -> &'static str {
                match self {
                    $(TokenKind::$name => $text,)*
                }
            }
        }
    };
}

token_kinds! {
    Eof "end of file",
    Ident "identifier",
    Number "number",
    Char "character constant",
    Str "string literal",
    // Declaration keywords, in one range.
    Typedef "typedef", Extern "extern", Static "static", Auto "auto", Register "register",
    ThreadLocal "_Thread_local", Inline "inline", Noreturn "_Noreturn", Alignas "_Alignas",
    Const "const", Volatile "volatile", Restrict "restrict", Atomic "_Atomic",
    Void "void", CharWord "char", Short "short", Int "int", Long "long", Signed "signed", Unsigned "unsigned",
    Float "float", Double "double", Bool "_Bool", Complex "_Complex", Int128 "__int128",
    Int128Name "__int128_t", Uint128Name "__uint128_t",
    Float16 "_Float16", Float32 "_Float32", Float64 "_Float64", Float128 "_Float128", Float32x "_Float32x",
    Float64x "_Float64x", Float80 "__float80", Unsupported "unsupported type",
    VaList "__builtin_va_list", AutoType "__auto_type", Typeof "typeof", TypeofUnqual "typeof_unqual",
    Struct "struct", Union "union", Enum "enum", Attribute "__attribute__", Extension "__extension__",
    // Statements.
    StaticAssert "_Static_assert", Asm "asm", LocalLabel "__label__", If "if", Else "else", While "while", Do "do",
    For "for", Switch "switch", Case "case", Default "default", Goto "goto", Continue "continue", Break "break",
    Return "return",
    // Expressions.
    Sizeof "sizeof", Alignof "_Alignof", Generic "_Generic", Real "__real__", Imag "__imag__",
    FuncName "__func__", VaArg "__builtin_va_arg", Offsetof "__builtin_offsetof",
    TypesCompatible "__builtin_types_compatible_p", ChooseExpr "__builtin_choose_expr",
    True "true", False "false", Nullptr "nullptr", PragmaWord "_Pragma",
    // Punctuators.
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
    Semi ";", Comma ",", Colon ":", Question "?", Dot ".", Arrow "->", Ellipsis "...", ColonColon "::",
    Assign "=", AddAssign "+=", SubAssign "-=", MulAssign "*=", DivAssign "/=", RemAssign "%=", AndAssign "&=",
    OrAssign "|=", XorAssign "^=", ShlAssign "<<=", ShrAssign ">>=",
    PlusPlus "++", MinusMinus "--", Plus "+", Minus "-", Star "*", Slash "/", Percent "%",
    Amp "&", AmpAmp "&&", Pipe "|", PipePipe "||", Caret "^", Tilde "~", Bang "!",
    Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=", Shl "<<", Shr ">>",
}

impl TokenKind {
    /// Whether this keyword can begin a declaration.
    pub fn is_declaration_word(self) -> bool {
        (TokenKind::Typedef..=TokenKind::Extension).contains(&self)
    }

    /// Whether this keyword is part of a type's name (and not an attribute or a storage class).
    pub fn is_type_word(self) -> bool {
        (TokenKind::Const..=TokenKind::Enum).contains(&self)
    }

    /// Whether this keyword begins a statement, so that an error before it need not swallow it.
    pub fn is_statement_word(self) -> bool {
        (TokenKind::If..=TokenKind::Return).contains(&self)
    }
}

/// Words that are keywords in every dialect we read.
pub const KEYWORDS: &[(&str, TokenKind)] = &[
    ("typedef", TokenKind::Typedef),
    ("extern", TokenKind::Extern),
    ("static", TokenKind::Static),
    ("auto", TokenKind::Auto),
    ("register", TokenKind::Register),
    ("_Thread_local", TokenKind::ThreadLocal),
    ("__thread", TokenKind::ThreadLocal),
    ("inline", TokenKind::Inline),
    ("__inline", TokenKind::Inline),
    ("__inline__", TokenKind::Inline),
    ("_Noreturn", TokenKind::Noreturn),
    ("_Alignas", TokenKind::Alignas),
    ("const", TokenKind::Const),
    ("__const", TokenKind::Const),
    ("__const__", TokenKind::Const),
    ("volatile", TokenKind::Volatile),
    ("__volatile", TokenKind::Volatile),
    ("__volatile__", TokenKind::Volatile),
    ("restrict", TokenKind::Restrict),
    ("__restrict", TokenKind::Restrict),
    ("__restrict__", TokenKind::Restrict),
    ("_Atomic", TokenKind::Atomic),
    ("void", TokenKind::Void),
    ("char", TokenKind::CharWord),
    ("short", TokenKind::Short),
    ("int", TokenKind::Int),
    ("long", TokenKind::Long),
    ("signed", TokenKind::Signed),
    ("__signed", TokenKind::Signed),
    ("__signed__", TokenKind::Signed),
    ("unsigned", TokenKind::Unsigned),
    ("float", TokenKind::Float),
    ("double", TokenKind::Double),
    ("_Bool", TokenKind::Bool),
    ("_Complex", TokenKind::Complex),
    ("__complex", TokenKind::Complex),
    ("__complex__", TokenKind::Complex),
    ("__int128", TokenKind::Int128),
    ("__fp16", TokenKind::Float16),
    ("__float80", TokenKind::Float80),
    ("_Decimal32", TokenKind::Unsupported),
    ("_Decimal64", TokenKind::Unsupported),
    ("_Decimal128", TokenKind::Unsupported),
    ("__bf16", TokenKind::Unsupported),
    ("_BitInt", TokenKind::Unsupported),
    ("__builtin_va_list", TokenKind::VaList),
    ("__auto_type", TokenKind::AutoType),
    ("typeof", TokenKind::Typeof),
    ("__typeof", TokenKind::Typeof),
    ("__typeof__", TokenKind::Typeof),
    ("__typeof_unqual", TokenKind::TypeofUnqual),
    ("__typeof_unqual__", TokenKind::TypeofUnqual),
    ("struct", TokenKind::Struct),
    ("union", TokenKind::Union),
    ("enum", TokenKind::Enum),
    ("__attribute__", TokenKind::Attribute),
    ("__attribute", TokenKind::Attribute),
    ("__extension__", TokenKind::Extension),
    ("_Static_assert", TokenKind::StaticAssert),
    ("asm", TokenKind::Asm),
    ("__asm", TokenKind::Asm),
    ("__asm__", TokenKind::Asm),
    ("__label__", TokenKind::LocalLabel),
    ("if", TokenKind::If),
    ("else", TokenKind::Else),
    ("while", TokenKind::While),
    ("do", TokenKind::Do),
    ("for", TokenKind::For),
    ("switch", TokenKind::Switch),
    ("case", TokenKind::Case),
    ("default", TokenKind::Default),
    ("goto", TokenKind::Goto),
    ("continue", TokenKind::Continue),
    ("break", TokenKind::Break),
    ("return", TokenKind::Return),
    ("sizeof", TokenKind::Sizeof),
    ("_Alignof", TokenKind::Alignof),
    ("__alignof", TokenKind::Alignof),
    ("__alignof__", TokenKind::Alignof),
    ("_Generic", TokenKind::Generic),
    ("__real", TokenKind::Real),
    ("__real__", TokenKind::Real),
    ("__imag", TokenKind::Imag),
    ("__imag__", TokenKind::Imag),
    ("__func__", TokenKind::FuncName),
    ("__FUNCTION__", TokenKind::FuncName),
    ("__PRETTY_FUNCTION__", TokenKind::FuncName),
    ("__builtin_va_arg", TokenKind::VaArg),
    ("__builtin_offsetof", TokenKind::Offsetof),
    ("__builtin_types_compatible_p", TokenKind::TypesCompatible),
    ("__builtin_choose_expr", TokenKind::ChooseExpr),
    ("__null", TokenKind::Nullptr),
    ("_Pragma", TokenKind::PragmaWord),
];

/// Words that C23 or gcc made keywords, or that are as good as keywords: they keep that meaning only until the program declares them, as
/// old code does with `bool` and system headers do with `_Float32`.
pub const SOFT_KEYWORDS: &[(&str, TokenKind)] = &[
    ("bool", TokenKind::Bool),
    ("true", TokenKind::True),
    ("false", TokenKind::False),
    ("nullptr", TokenKind::Nullptr),
    ("static_assert", TokenKind::StaticAssert),
    ("thread_local", TokenKind::ThreadLocal),
    ("alignas", TokenKind::Alignas),
    ("alignof", TokenKind::Alignof),
    ("typeof_unqual", TokenKind::TypeofUnqual),
    // Macros of headers that fragments may lack.
    ("va_list", TokenKind::VaList),
    ("va_arg", TokenKind::VaArg),
    ("offsetof", TokenKind::Offsetof),
    // CBMC's.
    ("__CPROVER_bool", TokenKind::Bool),
    ("__CPROVER_thread_local", TokenKind::ThreadLocal),
    ("__int128_t", TokenKind::Int128Name),
    ("__uint128_t", TokenKind::Uint128Name),
    ("_Float16", TokenKind::Float16),
    ("_Float32", TokenKind::Float32),
    ("_Float64", TokenKind::Float64),
    ("_Float128", TokenKind::Float128),
    ("__float128", TokenKind::Float128),
    ("_Float32x", TokenKind::Float32x),
    ("_Float64x", TokenKind::Float64x),
];

/// From symbols to keywords.
pub struct Keywords {
    /// Indexed by symbol; symbols beyond the end are identifiers.
    kinds: Vec<TokenKind>,
}

impl Keywords {
    /// Interns all keywords.
    pub fn new(interner: &mut Interner) -> Self {
        let mut kinds = Vec::new();
        for (text, kind) in KEYWORDS {
            let at = interner.intern(text).0 as usize;
            if kinds.len() <= at {
                kinds.resize(at + 1, TokenKind::Ident);
            }
            kinds[at] = *kind;
        }
        Self { kinds }
    }

    /// The keyword this symbol is, or `Ident`.
    pub fn kind(&self, symbol: Symbol) -> TokenKind {
        self.kinds.get(symbol.0 as usize).copied().unwrap_or(TokenKind::Ident)
    }
}
