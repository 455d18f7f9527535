//! Programs as data: functions of basic blocks over typed registers and byte-addressed objects.
//!
//! Registers hold scalars and are private to an activation; everything whose address matters is an object.
//! An instruction makes at most one access to memory, so that a scheduler may switch between any two
//! instructions; `AtomicBegin`/`AtomicEnd` widen a step. There is no undefined behaviour: an operation that
//! would be undefined in the source language is a violation with a kind and a place. Nothing here is in SSA
//! form; registers are assigned as often as one likes.

mod rvalue;
mod shape;
mod stmt;

use std::collections::BTreeMap;

use unpick_base::{IdVec, define_id};

pub use self::rvalue::{BinOp, CastOp, CmpOp, Operand, Rvalue, UnOp};
pub use self::shape::{Shape, ShapeField};
pub use self::stmt::{Access, AllocKind, BitRange, Contents, InterruptOp, LockOp, Order, RmwOp, Stmt, StmtKind};

define_id! {
    /// A source file named by locations.
    pub struct FileId("file");
    /// A function or process body.
    pub struct FuncId("f");
    /// A static or thread-local object.
    pub struct GlobalId("g");
    /// A register of one function.
    pub struct RegId("r");
    /// A stack object of one function.
    pub struct SlotId("slot");
    /// A basic block of one function.
    pub struct BlockId("b");
    /// A description of how bytes are shown to people.
    pub struct ShapeId("shape");
}

/// A whole program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Size of a pointer: 8, or 4 for ILP32. Little-endian always.
    pub pointer_bytes: u8,
    /// Files that locations name.
    pub files: IdVec<FileId, String>,
    /// How values are shown; execution never looks at them.
    pub shapes: IdVec<ShapeId, Shape>,
    /// Static and thread-local objects.
    pub globals: IdVec<GlobalId, Global>,
    /// Functions and processes.
    pub functions: IdVec<FuncId, Function>,
    /// Where execution starts: a function without parameters.
    pub entry: Option<FuncId>,
    /// Globals that hardware stands behind.
    pub devices: BTreeMap<GlobalId, Device>,
}

/// How a global behaves that hardware stands behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Device {
    /// Where it lies, if numbers lead to it; not 0.
    pub address: Option<u64>,
    /// What reading gives.
    pub read: DeviceRead,
    /// What writing does.
    pub write: DeviceWrite,
}

/// What reading a device gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DeviceRead {
    /// Any value, each time.
    Any,
    /// What it holds, as other objects do.
    Held,
}

/// What writing a device does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DeviceWrite {
    /// Nothing that shows in what it holds.
    Ignored,
    /// It holds what was written.
    Held,
    /// Bits written as one become zero.
    ClearsOnes,
}

/// A place in the source; `line == 0` means nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Loc {
    /// The file.
    pub file: FileId,
    /// From one.
    pub line: u32,
    /// From one.
    pub column: u32,
}

impl Loc {
    /// No place.
    pub const NONE: Loc = Loc { file: FileId(0), line: 0, column: 0 };
}

/// Type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Ty {
    /// Bits without sign, 1 to 128 of them. In memory they take the next power of two of bytes.
    Int(u8),
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// x87 extended; 10 bytes of value, 16 (or 12 on ILP32) in memory.
    F80,
    /// IEEE quadruple.
    F128,
    /// A pointer.
    Ptr,
}

/// A static or thread-local object.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// Unique name in the text form (`counter`, `f::count`, `str.3`).
    pub name: String,
    /// Name as people know it; `None` for literals and other unnamed objects.
    pub source_name: Option<String>,
    /// Bytes.
    pub size: u64,
    /// Alignment, a power of two.
    pub align: u64,
    /// Initial contents.
    pub init: GlobalInit,
    /// One instance per thread.
    pub is_thread_local: bool,
    /// A string literal: writing to it is a violation.
    pub is_read_only: bool,
    /// Belongs to a library model: folded in traces.
    pub is_model: bool,
    /// How it is shown.
    pub shape: Option<ShapeId>,
    /// Where it is declared.
    pub loc: Loc,
}

/// Initial contents of a global.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GlobalInit {
    /// Leading bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// Pointers laid over the bytes, in ascending order of offset.
    pub pointers: Vec<(u64, Address)>,
    /// Contents are any value (an undefined object); the reason, for the assumptions.
    pub any: Option<String>,
}

/// A constant address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Address {
    /// `offset` bytes into a global.
    Global(GlobalId, i64),
    /// A function.
    Func(FuncId),
    /// A block of a function (label as value).
    Label(FuncId, BlockId),
}

/// A function, or the body of a process or thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Unique name in the text form.
    pub name: String,
    /// Name as people know it.
    pub source_name: String,
    /// Parameters, all registers. Structs come as pointers to a copy the caller made; a struct result is
    /// written through a pointer in the first parameter.
    pub params: Vec<RegId>,
    /// The last parameter points to the variable arguments (each in a 16-byte aligned cell).
    pub is_variadic: bool,
    /// Type of the result.
    pub ret: Option<Ty>,
    /// Registers.
    pub regs: IdVec<RegId, Reg>,
    /// Stack objects; each exists from `SlotLive` to `SlotDead` or the end of the activation.
    pub slots: IdVec<SlotId, Slot>,
    /// Blocks; the first is the entry.
    pub blocks: IdVec<BlockId, Block>,
    /// Belongs to a library model: folded in traces.
    pub is_model: bool,
    /// Where it is defined.
    pub loc: Loc,
}

/// A register: indeterminate until assigned.
#[derive(Clone, PartialEq, Debug)]
pub struct Reg {
    /// Its type.
    pub ty: Ty,
    /// The source variable it holds; `None` for temporaries.
    pub name: Option<String>,
    /// How it is shown.
    pub shape: Option<ShapeId>,
}

/// A stack object: indeterminate when it becomes live.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// The source variable; `None` for temporaries.
    pub name: Option<String>,
    /// Bytes.
    pub size: u64,
    /// Alignment, a power of two.
    pub align: u64,
    /// How it is shown.
    pub shape: Option<ShapeId>,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Executed in order.
    pub stmts: Vec<Stmt>,
    /// Then this.
    pub terminator: Terminator,
    /// Place of the terminator.
    pub loc: Loc,
    /// The loop of which this block is the head: every cycle of control passes a loop head.
    pub loop_head: Option<Loc>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    /// To a block.
    Goto(BlockId),
    /// By an `Int(1)`; indeterminate is a violation.
    Branch {
        /// The condition.
        cond: Operand,
        /// If true.
        then: BlockId,
        /// If false.
        otherwise: BlockId,
    },
    /// By an integer; indeterminate is a violation.
    Switch {
        /// The value.
        value: Operand,
        /// Its type.
        ty: Ty,
        /// Inclusive ranges (unsigned bits of the type, `low <= high`), disjoint.
        cases: Vec<(u128, u128, BlockId)>,
        /// If none matches.
        default: BlockId,
    },
    /// To a label whose address is the operand.
    IndirectGoto {
        /// Pointer to a label.
        addr: Operand,
        /// Labels of this function whose address is taken.
        targets: Vec<BlockId>,
    },
    /// Back to the caller; the end of a thread's first function ends the thread.
    Return(Option<Operand>),
    /// Ends the program.
    Exit {
        /// Exit status (`Int(32)`).
        code: Operand,
        /// By `abort`, `__builtin_trap`: leaks do not count.
        is_abort: bool,
    },
    /// Ends the running thread, with all its activations.
    EndThread,
    /// Ends an execution that control cannot leave (after `Assert` of false, `Assume` of false, ...).
    Unreachable,
}
