//! The untyped syntax tree that the parser hands to semantic analysis, one external declaration at a time.
//!
//! The tree keeps the source's shape and knows nothing of types beyond which identifiers name types.
//! It lives only until `sema` has turned the declaration into the typed tree of [`crate::ast`].

use unpick_base::{Span, Symbol};

/// An identifier and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Symbol,
    pub span: Span,
}

/// What can stand at file scope.
#[derive(Debug)]
pub enum ExternalDecl {
    Function(Box<FunctionDef>),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// `asm("...");` at file scope.
    Asm(Asm),
    /// A lone `;`, or a `#pragma` line other than `pack`.
    Empty,
    /// `#pragma pack(...)`, which changes the layout of what follows.
    PragmaPack(PragmaPack),
}

/// `#pragma pack`, in the forms gcc knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaPack {
    /// `pack(n)`.
    Set(u32),
    /// `pack()`.
    Reset,
    /// `pack(push)` or `pack(push, n)`.
    Push(Option<u32>),
    /// `pack(pop)`.
    Pop,
}

/// `_Static_assert(condition, "message")`.
#[derive(Debug)]
pub struct StaticAssert {
    pub condition: Expr,
    pub message: Option<String>,
    pub span: Span,
}

/// A function definition, with K&R parameter declarations if it has them.
#[derive(Debug)]
pub struct FunctionDef {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    /// Declarations between `)` and `{` of an old-style definition.
    pub old_style: Vec<Declaration>,
    pub body: Block,
    pub span: Span,
}

/// Specifiers and the declarators they apply to.
#[derive(Debug)]
pub struct Declaration {
    pub specs: DeclSpecs,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

/// One declarator of a declaration with what may follow it.
#[derive(Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    /// `asm("name")`.
    pub asm_label: Option<String>,
    pub init: Option<Initializer>,
}

/// Storage classes, as a set because `static _Thread_local` combines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageSpecs {
    pub is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_auto: bool,
    pub is_register: bool,
    pub is_thread_local: bool,
}

/// Type qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    /// `_Atomic` without parentheses.
    pub is_atomic: bool,
}

/// Everything before the first declarator.
#[derive(Debug)]
pub struct DeclSpecs {
    pub storage: StorageSpecs,
    pub quals: Quals,
    pub is_inline: bool,
    pub is_noreturn: bool,
    pub ty: TypeSpec,
    pub aligns: Vec<AlignSpec>,
    pub attrs: Vec<Attr>,
    pub span: Span,
}

/// `_Alignas(type)` or `_Alignas(expression)`.
#[derive(Debug)]
pub enum AlignSpec {
    Type(TypeName),
    Expr(Expr),
}

/// The type named by the specifiers. Combinations of basic words are already resolved.
#[derive(Debug)]
pub enum TypeSpec {
    /// No type specifier at all: implicit `int`.
    Implicit,
    Basic(Basic),
    /// `_Complex` applied to a floating type.
    Complex(Basic),
    /// A typedef name, or an undeclared name in a place where only a type makes sense.
    Named(Ident),
    Record(Box<RecordSpec>),
    Enum(Box<EnumSpec>),
    TypeofExpr(Box<Expr>),
    TypeofType(Box<TypeName>),
    /// `typeof_unqual` forms.
    TypeofUnqualExpr(Box<Expr>),
    TypeofUnqualType(Box<TypeName>),
    /// `_Atomic(type)`.
    Atomic(Box<TypeName>),
    /// `__auto_type`, or C23 `auto` without another type.
    Auto,
    /// `__builtin_va_list`.
    VaList,
}

/// A basic type after its words have been put together (`long unsigned int` is `ULong`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basic {
    Void,
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    Float16,
    Float,
    Double,
    LongDouble,
    /// `_Float128` and `__float128`.
    Float128,
    /// `_Float32`, `_Float64`, `_Float32x`, `_Float64x` as distinct names.
    Float32,
    Float64,
    Float32x,
    Float64x,
}

/// `struct` or `union`, with or without members.
#[derive(Debug)]
pub struct RecordSpec {
    pub is_union: bool,
    pub tag: Option<Ident>,
    /// `None` for `struct tag` without braces.
    pub members: Option<Vec<Member>>,
    pub attrs: Vec<Attr>,
    pub span: Span,
}

/// One line inside a record.
#[derive(Debug)]
pub enum Member {
    /// Without declarators: an anonymous struct or union (or a useless declaration).
    Fields {
        specs: DeclSpecs,
        declarators: Vec<FieldDeclarator>,
        span: Span,
    },
    StaticAssert(StaticAssert),
    PragmaPack(PragmaPack),
}

/// A member declarator; `name` may be missing for unnamed bit-fields.
#[derive(Debug)]
pub struct FieldDeclarator {
    pub declarator: Declarator,
    pub width: Option<Expr>,
}

/// `enum`, with or without enumerators.
#[derive(Debug)]
pub struct EnumSpec {
    pub tag: Option<Ident>,
    /// C23 `enum e : type`.
    pub underlying: Option<TypeName>,
    pub enumerators: Option<Vec<Enumerator>>,
    pub attrs: Vec<Attr>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Enumerator {
    pub name: Ident,
    pub value: Option<Expr>,
    pub attrs: Vec<Attr>,
}

/// A declarator as the list of steps from the specified type to the declared one, in the order they
/// apply: `int *a[3]` is `[Pointer, Array(3)]`, `int (*a)[3]` is `[Array(3), Pointer]`.
#[derive(Debug)]
pub struct Declarator {
    pub name: Option<Ident>,
    pub derivations: Vec<Derivation>,
    /// Attributes anywhere in or right after the declarator (including after its initialiser's `asm`).
    pub attrs: Vec<Attr>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Derivation {
    Pointer { quals: Quals, attrs: Vec<Attr> },
    Array { len: ArrayLen, quals: Quals, is_static: bool, span: Span },
    Function { params: Params, attrs: Vec<Attr>, span: Span },
}

#[derive(Debug)]
pub enum ArrayLen {
    /// `[]`.
    Unspecified,
    /// `[*]`.
    Star,
    Expr(Box<Expr>),
}

#[derive(Debug)]
pub enum Params {
    /// `()`: nothing is known of the parameters.
    Empty,
    /// `(a, b)` of an old-style definition.
    Names(Vec<Ident>),
    /// `(void)` is a prototype without parameters.
    Prototype { params: Vec<Param>, is_variadic: bool },
}

#[derive(Debug)]
pub struct Param {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

/// A type in a cast, `sizeof` and the like.
#[derive(Debug)]
pub struct TypeName {
    pub specs: DeclSpecs,
    /// Without a name.
    pub declarator: Declarator,
    pub span: Span,
}

/// `__attribute__((name(args)))` or `[[vendor::name(args)]]`; underscores around the name are removed.
#[derive(Debug)]
pub struct Attr {
    pub name: Symbol,
    pub args: Vec<AttrArg>,
    pub span: Span,
}

#[derive(Debug)]
pub enum AttrArg {
    /// A lone identifier, as in `mode(DI)` or `cleanup(fn)`.
    Ident(Ident),
    Expr(Expr),
    Type(TypeName),
}

#[derive(Debug)]
pub enum Initializer {
    Expr(Expr),
    List(InitList),
}

#[derive(Debug)]
pub struct InitList {
    pub items: Vec<InitItem>,
    pub span: Span,
}

#[derive(Debug)]
pub struct InitItem {
    pub designators: Vec<Designator>,
    pub init: Initializer,
}

#[derive(Debug)]
pub enum Designator {
    Field(Ident),
    Index(Expr),
    /// `[low ... high]`.
    Range(Expr, Expr),
}

/// An expression and where it stands.
#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind {
    Int(IntLit),
    Float(FloatLit),
    /// Value already decoded; the prefix decides the type.
    Char {
        value: u32,
        prefix: Encoding,
    },
    /// Adjacent literals already joined.
    Str(StrLit),
    Ident(Ident),
    /// `true`, `false`.
    Bool(bool),
    Nullptr,
    /// `__func__` and its GNU spellings.
    FuncName,
    Paren(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `None` is plain `=`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `then` is missing in GNU `a ?: b`.
    Cond(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Cast(Box<TypeName>, Box<Expr>),
    CompoundLiteral(Box<TypeName>, InitList),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member {
        base: Box<Expr>,
        field: Ident,
        is_arrow: bool,
    },
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    AlignofType(Box<TypeName>),
    Generic {
        control: Box<GenericControl>,
        arms: Vec<GenericArm>,
    },
    /// `({ ... })`.
    StmtExpr(Box<Block>),
    /// `&&label`.
    LabelAddr(Ident),
    /// `__builtin_va_arg(list, type)`.
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_offsetof(type, path)`; the path starts with a field.
    Offsetof(Box<TypeName>, Vec<Designator>),
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    ChooseExpr(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The parser has already complained.
    Error,
}

#[derive(Debug)]
pub enum GenericControl {
    Expr(Expr),
    Type(TypeName),
}

#[derive(Debug)]
pub struct GenericArm {
    /// `None` for `default`.
    pub ty: Option<TypeName>,
    pub value: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLit {
    pub value: u128,
    pub is_unsigned: bool,
    pub size: IntSize,
    /// Decimal literals never become unsigned by their size.
    pub is_decimal: bool,
    pub is_imaginary: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntSize {
    Int,
    Long,
    LongLong,
}

/// A floating literal, still in its source spelling (without suffix; decimal or hexadecimal).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatLit {
    pub digits: String,
    pub ty: Basic,
    pub is_imaginary: bool,
}

/// How the characters of a literal are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    Plain,
    Wide,
    Utf8,
    Utf16,
    Utf32,
}

/// A string literal as code units (bytes for plain and UTF-8), without the terminating zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrLit {
    pub units: Vec<u32>,
    pub encoding: Encoding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    Deref,
    AddrOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    Real,
    Imag,
    /// `__extension__`: no meaning, kept out of the way.
    Extension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogAnd,
    LogOr,
}

#[derive(Debug)]
pub struct Block {
    pub items: Vec<BlockItem>,
    /// Includes the braces.
    pub span: Span,
}

#[derive(Debug)]
pub enum BlockItem {
    Declaration(Declaration),
    /// A nested function: diagnosed by sema.
    Function(Box<FunctionDef>),
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`.
    LocalLabels(Vec<Ident>),
    PragmaPack(PragmaPack),
    Stmt(Stmt),
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Expr(Expr),
    Empty,
    Block(Block),
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
    },
    For {
        init: Option<ForInit>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// `case low:` or `case low ... high:`. A label before `}` or a declaration has an `Empty` body.
    Case {
        low: Expr,
        high: Option<Expr>,
        body: Box<Stmt>,
    },
    Default(Box<Stmt>),
    Label {
        label: Ident,
        attrs: Vec<Attr>,
        body: Box<Stmt>,
    },
    Goto(Ident),
    GotoComputed(Expr),
    Continue,
    Break,
    Return(Option<Expr>),
    Asm(Asm),
    /// `__attribute__((fallthrough));` and the like.
    Attrs(Vec<Attr>),
    /// The parser has already complained.
    Error,
}

#[derive(Debug)]
pub enum ForInit {
    Expr(Expr),
    Declaration(Declaration),
}

/// Inline assembly, in any of its forms.
#[derive(Debug)]
pub struct Asm {
    pub template: String,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
    pub clobbers: Vec<String>,
    /// Targets of `asm goto`.
    pub labels: Vec<Ident>,
    pub is_volatile: bool,
    pub span: Span,
}

#[derive(Debug)]
pub struct AsmOperand {
    /// What the template calls it: `%[name]`.
    pub name: Option<Ident>,
    pub constraint: String,
    pub value: Expr,
}
