//! The syntax tree of Promela, close to the text: names are unresolved, and only calls of inlines are expanded, because
//! their bodies have a meaning only there.

use std::sync::Arc;

pub use unpick_automaton::Probe;
use unpick_base::Span;

use crate::lexer::Code;

mod operator;

pub use operator::{Binary, Unary};

/// A name as written.
pub type Name = Arc<str>;

/// A place in the text. All places are equal, so that trees compare by meaning.
#[derive(Clone, Copy, Default, Debug)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Its parts in order.
    pub units: Vec<Unit>,
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `proctype P(...) { ... }`
    Proctype(Proctype),
    /// `init { ... }`
    Init(Init),
    /// `never { ... }`
    Never(Claim),
    /// `trace { ... }`, `notrace { ... }`
    Trace(Trace),
    /// `ltl name { ... }`
    Ltl(Ltl),
    /// Global variables.
    Decl(Decl),
    /// `mtype = { a, b }`
    Mtype(Mtype),
    /// `typedef T { ... }`
    Typedef(Typedef),
    /// `inline f(x) { ... }`
    Inline(Inline),
    /// `c_code { ... }`, `c_decl { ... }`
    Code(CodeAt),
    /// `c_state "..." "..."`, `c_track "..." "..."`
    State(CState),
}

/// Embedded C and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeAt {
    /// The text.
    pub code: Arc<Code>,
    /// Where.
    pub at: At,
}

/// `c_state` and `c_track`: two or three strings, kept with their quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CState {
    /// Whether it is `c_track`.
    pub is_track: bool,
    /// The strings and where they stand.
    pub texts: Vec<(Arc<str>, At)>,
    /// Where.
    pub at: At,
}

/// A process type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proctype {
    /// How many run from the start: `active [n]`; `active` alone is one.
    pub active: Option<Active>,
    /// Whether it is `D_proctype`.
    pub is_deterministic: bool,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Decl>,
    /// `priority n`
    pub priority: Option<i32>,
    /// `provided (expr)`
    pub provided: Option<Expr>,
    /// What it does.
    pub body: Block,
    /// Where its name stands.
    pub at: At,
}

/// `active`, `active [n]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Active {
    /// The number between brackets.
    pub count: Option<Expr>,
}

/// The first process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Init {
    /// `priority n`
    pub priority: Option<i32>,
    /// What it does.
    pub body: Block,
    /// Where.
    pub at: At,
}

/// A never claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What it does.
    pub body: Block,
    /// Where.
    pub at: At,
}

/// An assertion about the order of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Whether it is `notrace`.
    pub is_negated: bool,
    /// What it does.
    pub body: Block,
    /// Where.
    pub at: At,
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What should hold.
    pub formula: Expr,
    /// Where.
    pub at: At,
}

/// Symbolic constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mtype {
    /// `mtype:set = ...`
    pub set: Option<Name>,
    /// The constants in order.
    pub names: Vec<(Name, At)>,
    /// Where.
    pub at: At,
}

/// A record type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Decl>,
    /// Where.
    pub at: At,
}

/// A named piece of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inline {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Name>,
    /// Its text between the braces: tokens, and line ends where they may separate.
    pub text: Arc<str>,
    /// Where.
    pub at: At,
}

/// Variables of one type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decl {
    /// `hidden`, `local`, `show`.
    pub visibility: Option<Visibility>,
    /// Their type.
    pub ty: TypeName,
    /// The variables.
    pub vars: Vec<Var>,
    /// Where.
    pub at: At,
}

/// What is said before a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Visibility {
    Hidden,
    Local,
    Show,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    /// `mtype`, `mtype:set`
    Mtype(Option<Name>),
    /// A typedef.
    User(Name),
}

/// One declared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Its name.
    pub name: Name,
    /// `x : width`
    pub width: Option<i32>,
    /// `x[size]`
    pub size: Option<Expr>,
    /// `= value`
    pub init: Option<VarInit>,
    /// Where its name stands.
    pub at: At,
}

/// What a variable starts with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VarInit {
    /// `= expr`
    Expr(Expr),
    /// `= { 1, 2 }`
    List(Vec<Expr>),
    /// `= [n] of { types }`
    Channel(ChannelInit),
}

/// A new channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelInit {
    /// How many messages it holds.
    pub capacity: Expr,
    /// What a message consists of.
    pub fields: Vec<TypeName>,
    /// Where.
    pub at: At,
}

/// Steps one after the other.
pub type Block = Vec<Step>;

/// A member of a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Local variables.
    Decl(Decl),
    /// `xr a, b`, `xs a, b`
    Exclusive(Exclusive),
    /// A statement.
    Stmt(Stmt),
    /// `main unless escape`
    Unless(Stmt, Box<Stmt>),
}

/// A declaration of exclusive access to a channel (`xr`, `xs`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusive {
    /// `xs`: only this process sends; `xr`: only it receives.
    pub is_send: bool,
    /// The channels.
    pub channels: Vec<VarRef>,
    /// Where.
    pub at: At,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub at: At,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `name: stmt`; without a statement it labels a `skip`.
    Label(Name, Option<Box<Stmt>>),
    /// `q ? args` and its kin.
    Receive(Receive),
    /// `q ! args`, `q !! args`
    Send {
        /// Where to.
        channel: VarRef,
        /// `!!`
        is_sorted: bool,
        /// The message.
        args: Vec<Expr>,
    },
    /// `for (var : from .. to) { body }`
    For {
        /// Counts.
        var: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// What is repeated.
        body: Block,
    },
    /// `for (var in container) { body }`
    ForIn {
        /// The index, or the message.
        var: VarRef,
        /// An array or a channel.
        container: VarRef,
        /// What is repeated.
        body: Block,
    },
    /// `select (var : from .. to)`
    Select {
        /// Gets a value.
        var: VarRef,
        /// Smallest.
        from: Expr,
        /// Largest.
        to: Expr,
        /// Whether the bounds are literals that SPIN expands before parsing.
        is_literal: bool,
    },
    /// `if :: ... fi`
    If(Vec<Block>),
    /// `do :: ... od`
    Do(Vec<Block>),
    /// `break`
    Break,
    /// `goto label`
    Goto(Name, At),
    /// `x = expr`
    Assign(VarRef, Expr),
    /// `x++`
    Increment(VarRef),
    /// `x--`
    Decrement(VarRef),
    /// `set_priority(pid, priority)`
    SetPriority(Expr, Expr),
    /// `printf("...", args)`; the text with its quotes.
    Printf(Arc<str>, Vec<Expr>),
    /// `printm(x)`
    Printm(Expr),
    /// `assert(expr)`
    Assert(Expr),
    /// `c_code { ... }`
    Code(Arc<Code>),
    /// An expression that must be true.
    Condition(Expr),
    /// `else`
    Else,
    /// `atomic { ... }`
    Atomic(Block),
    /// `d_step { ... }`
    DStep(Block),
    /// `{ ... }`
    Block(Block),
    /// `f(args)`, `x = f(args)`
    Call(Call),
    /// `return expr`, only inside an inline.
    Return(Expr),
}

/// The call of an inline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Gets what the inline returns.
    pub result: Option<VarRef>,
    /// Which inline.
    pub name: Name,
    /// The text of the arguments.
    pub args: Vec<Name>,
    /// The body with the arguments put in: a block.
    pub body: Box<Stmt>,
}

/// A receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receive {
    /// Where from.
    pub channel: VarRef,
    /// `??`: the first message that matches, not only the oldest.
    pub is_random: bool,
    /// `?<...>`: the message stays.
    pub is_copy: bool,
    /// The fields.
    pub args: Vec<ReceiveArg>,
}

/// A field of a receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReceiveArg {
    /// Gets the value. A name of an `mtype` has to match instead.
    Var(VarRef),
    /// `eval(expr)` has to match.
    Eval(Expr),
    /// A constant has to match.
    Const(Expr),
}

/// A variable, an element, a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarRef {
    /// The name.
    pub name: Name,
    /// `[index]`
    pub index: Option<Box<Expr>>,
    /// `.field`
    pub field: Option<Box<VarRef>>,
    /// Where.
    pub at: At,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub at: At,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A constant and how it was written.
    Literal(i32, Literal),
    /// A variable, or the name of an `mtype`.
    Var(VarRef),
    /// An operator before its operand.
    Unary(Unary, Box<Expr>),
    /// An operator between its operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(condition -> yes : no)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(args) priority n`
    Run {
        /// Which process type.
        name: Name,
        /// Its arguments.
        args: Vec<Expr>,
        /// Its priority.
        priority: Option<i32>,
    },
    /// `len(q)`
    Len(VarRef),
    /// `full(q)` and its kin.
    Probe(Probe, VarRef),
    /// `q?[args]`, `q??[args]`
    Poll(Box<Receive>),
    /// `enabled(pid)`
    Enabled(Box<Expr>),
    /// `get_priority(pid)`
    GetPriority(Box<Expr>),
    /// `pc_value(pid)`
    PcValue(Box<Expr>),
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `P[pid]@label`
    RemoteLabel {
        /// Which process type.
        proctype: Name,
        /// Which process.
        pid: Option<Box<Expr>>,
        /// Where it should be.
        label: Name,
    },
    /// `P[pid]:x`
    RemoteVar {
        /// Which process type.
        proctype: Name,
        /// Which process.
        pid: Option<Box<Expr>>,
        /// Its variable, perhaps with an index.
        var: VarRef,
    },
    /// `c_expr { ... }`
    Code(Arc<Code>),
}

/// How a constant was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Literal {
    Number,
    Char,
    True,
    False,
    Skip,
}
