//! The typed abstract syntax tree of one translation unit.
//!
//! Semantic analysis has resolved every name, typed every expression and made every conversion a
//! [`ExprKind::Cast`] node, so that lowering and the printer need no rule of C beyond what stands here:
//! operands of arithmetic have the operation's type, array and function designators decay through a
//! cast, lvalues become values through [`CastKind::Load`].

use unpick_base::{IdVec, Span, Symbol, define_id};

pub use crate::syntax::Encoding;
use crate::types::{QualTy, RecordId, TyId, TypeTable};

define_id! {
    pub struct ExprId("e");
    pub struct StmtId("s");
    pub struct DeclId("d");
    pub struct LabelId("l");
}

/// One translation unit after semantic analysis.
#[derive(Debug)]
pub struct Unit {
    /// Name of the main file.
    pub name: String,
    pub types: TypeTable,
    pub exprs: IdVec<ExprId, Expr>,
    pub stmts: IdVec<StmtId, Stmt>,
    pub decls: IdVec<DeclId, Decl>,
    pub labels: IdVec<LabelId, Label>,
    /// File-scope items in source order (for the printer; each decl once per declaration).
    pub items: Vec<Item>,
    /// Names of the built-ins that [`Builtin::Unmodelled`](crate::builtin::Builtin::Unmodelled) stands for, in
    /// ascending order of the calls.
    pub unmodelled: Vec<(ExprId, Symbol)>,
    /// Holes filled by assumption, one sentence each, in order of discovery.
    pub assumptions: Vec<String>,
}

/// A file-scope item, in order, as the printer needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A record or enum became complete here.
    Type(TyId),
    /// A declaration or definition of an object or function.
    Decl(DeclId),
}

#[derive(Debug)]
pub struct Decl {
    pub name: Symbol,
    /// Where the name stands in the (first defining, else first) declaration.
    pub span: Span,
    pub ty: QualTy,
    pub kind: DeclKind,
}

#[derive(Debug)]
pub enum DeclKind {
    Var(Var),
    Function(Function),
    /// Value in the enumerator's type.
    Enumerator {
        value: i128,
    },
    Typedef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    External,
    Internal,
    None,
}

/// An object.
#[derive(Debug)]
pub struct Var {
    pub linkage: Linkage,
    pub storage: Storage,
    /// Initialiser of the definition. A static object without one is zero.
    pub init: Option<Init>,
    /// An `extern` declaration without initialiser, never defined in this unit.
    pub is_declared_only: bool,
    /// Defined without initialiser at file scope (may meet a definition in another unit).
    pub is_tentative: bool,
    /// Explicit alignment, if stricter than the type's.
    pub align: Option<u64>,
    /// `__attribute__((cleanup(f)))`.
    pub cleanup: Option<DeclId>,
    /// `asm("name")` on the declaration.
    pub asm_label: Option<String>,
    /// `__attribute__((weak))`.
    pub is_weak: bool,
    /// Undeclared: it rests on an assumption.
    pub is_assumed: bool,
    /// `__attribute__((section("name")))`.
    pub section: Option<String>,
    /// Of a pointer parameter: how many elements its declaration promises behind it (`[static n]`).
    pub at_least: Option<u64>,
    /// `&v` is taken, or an array member is used, so it needs memory.
    pub is_address_taken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Static,
    ThreadLocal,
    Automatic,
    Parameter,
}

/// A function, defined here if it has a body.
#[derive(Debug)]
pub struct Function {
    pub linkage: Linkage,
    pub is_inline: bool,
    /// Inline definition that provides no external definition (C99 inline, or gnu_inline extern).
    pub is_inline_only: bool,
    /// `__attribute__((always_inline))`: calls never need an external definition.
    pub is_always_inline: bool,
    pub is_noreturn: bool,
    pub is_weak: bool,
    pub alias: Option<String>,
    pub asm_label: Option<String>,
    /// `nonnull`: numbers of parameters, counted from 1; empty for all of them.
    pub nonnull: Option<Vec<u64>>,
    /// `constructor`, `destructor` with priority.
    pub constructor: Option<u32>,
    pub destructor: Option<u32>,
    /// Undeclared: it rests on an assumption.
    pub is_assumed: bool,
    pub params: Vec<DeclId>,
    pub body: Option<StmtId>,
    /// Labels of the body whose address is taken, in order.
    pub address_labels: Vec<LabelId>,
}

#[derive(Debug)]
pub struct Label {
    pub name: Symbol,
    pub span: Span,
}

/// An initialiser brought into the shape of its type: brace elision and designators resolved.
#[derive(Clone, Debug)]
pub enum Init {
    /// A scalar, or a whole struct or union from an expression of that type.
    Expr(ExprId),
    /// A character array from a literal; shorter literals leave zeros.
    Str { units: Vec<u32>, unit_bytes: u64 },
    /// Arrays: `index..=last`; structs and unions: `index == last` is the field number. In ascending
    /// order of evaluation; later entries override earlier ones; what is not named is zero.
    List { ty: TyId, entries: Vec<InitEntry> },
}

#[derive(Clone, Debug)]
pub struct InitEntry {
    pub index: u64,
    pub last: u64,
    pub init: Init,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// For lvalues the qualified type of the object; for values the unqualified type.
    pub ty: QualTy,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    // Lvalues.
    /// An object, or (as an lvalue of function type) a function.
    Decl(DeclId),
    /// `*p`; the operand is a pointer value.
    Deref(ExprId),
    /// Field `index` of `record`; the base is an lvalue, or a value for a member of a returned struct
    /// (then the result is a value too).
    Member {
        base: ExprId,
        record: RecordId,
        index: u32,
    },
    /// `a[i]` on a declared array: the base is an lvalue of array type, so the bound is known. Subscripts of
    /// pointers are `Deref` of `Binary(PtrAdd)`.
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// An unnamed object: static at file scope, else living until the end of its block.
    CompoundLiteral {
        init: Box<Init>,
        is_static: bool,
    },
    /// A literal, an lvalue of array type.
    Str {
        units: Vec<u32>,
        encoding: Encoding,
    },

    // Values.
    /// Any integer (also enumerators and folded `sizeof`), sign- or zero-extended to 128 bits by its type.
    Int(i128),
    /// The literal's exact spelling; rounding happens in the type's format. Of complex type it is imaginary.
    Float(Box<str>),
    /// `&&label`.
    LabelAddr(LabelId),
    /// `&lvalue`, also of functions and arrays.
    AddrOf(ExprId),
    Cast {
        kind: CastKind,
        operand: ExprId,
        is_implicit: bool,
    },
    /// Arithmetic: the operand has the result's type. `LogNot` takes any scalar and yields `int`.
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `cond ? then : otherwise`; `cond` is any scalar value.
    Cond {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `cond ?: otherwise`; `cond` is evaluated once, converted to the result's type when it is not zero.
    /// `converted` is the conversion applied to [`ExprKind::CondValue`].
    CondElvis {
        cond: ExprId,
        converted: ExprId,
        otherwise: ExprId,
    },
    /// The value of `cond` inside `converted`.
    CondValue,
    LogAnd(ExprId, ExprId),
    LogOr(ExprId, ExprId),
    Comma(ExprId, ExprId),
    /// The right side already has the left side's type.
    Assign {
        lhs: ExprId,
        rhs: ExprId,
    },
    /// `lhs op= rhs`: `lhs` is converted to `compute`, the operation done there with `rhs` (already of its
    /// operand type; for shifts and pointer steps its own), and the result converted back.
    CompoundAssign {
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        compute: TyId,
    },
    /// `++`/`--` on arithmetic or pointer lvalues.
    IncDec {
        lhs: ExprId,
        is_inc: bool,
        is_prefix: bool,
    },
    /// `callee` is a value of pointer-to-function type.
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
    },
    Builtin {
        builtin: crate::builtin::Builtin,
        args: Vec<ExprId>,
    },
    /// `va_arg(list, ty)`; `list` is the lvalue (or decayed pointer) naming the list.
    VaArg {
        list: ExprId,
    },
    StmtExpr(StmtId),
    /// `sizeof` of a variably modified type: bytes, computed at run time from this type.
    SizeofVla(QualTy),
    /// Bottom of a diagnosed error.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    /// Lvalue to value (scalars, structs, unions).
    Load,
    /// Array lvalue to pointer to its first element.
    ArrayDecay,
    /// Function designator to pointer.
    FunctionDecay,
    /// Integer (or enum, or `_Bool`) to integer.
    IntToInt,
    /// Any scalar to `_Bool`: compares with zero.
    ToBool,
    IntToFloat,
    FloatToInt,
    FloatToFloat,
    IntToPointer,
    PointerToInt,
    PointerToPointer,
    /// An integer constant zero (or `(void *)0`, `nullptr`) to a null pointer.
    NullToPointer,
    ToVoid,
    /// Same representation (compatible types, qualifiers, transparent unions' member to union is `ToUnion`).
    NoOp,
    /// GNU cast to union, and arguments for transparent unions.
    ToUnion,
    /// To, from or between complex types: unmodelled.
    Complex,
    /// To, from or between vector types.
    Vector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    BitNot,
    LogNot,
    Plus,
    Real,
    Imag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    /// The result has the left operand's type; the right operand keeps its own promoted type.
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
    /// Pointer plus integer (the pointer is always the left operand). The integer keeps its type.
    PtrAdd,
    /// Pointer minus integer.
    PtrSub,
    /// Pointer minus pointer, in elements.
    PtrDiff,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    /// Objects (and functions) declared here come into scope; initialisers run here.
    Decl(Vec<DeclId>),
    /// A record or enum became complete here (printer only).
    Type(TyId),
    /// Sizes of variably modified types declared here (typedefs, parameters) are evaluated.
    VlaSizes(Vec<ExprId>),
    Block(Vec<StmtId>),
    If {
        cond: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    While {
        cond: ExprId,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        cond: ExprId,
    },
    /// `init` is an `Expr`, `Decl` or `Block`-of-`Decl` statement; its scope is the loop.
    For {
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    /// The value is promoted; case bounds are in its type.
    Switch {
        value: ExprId,
        body: StmtId,
    },
    /// Belongs to the innermost enclosing switch.
    Case {
        low: i128,
        high: i128,
        body: StmtId,
    },
    Default {
        body: StmtId,
    },
    Label {
        label: LabelId,
        body: StmtId,
    },
    Goto(LabelId),
    GotoComputed(ExprId),
    Continue,
    Break,
    Return(Option<ExprId>),
    Asm(Box<Asm>),
    Error,
}

/// Inline assembly. Operands are named in the template by their numbers.
#[derive(Debug)]
pub struct Asm {
    pub template: String,
    pub outputs: Vec<(String, ExprId)>,
    pub inputs: Vec<(String, ExprId)>,
    pub clobbers: Vec<String>,
    pub labels: Vec<LabelId>,
    pub is_volatile: bool,
}
