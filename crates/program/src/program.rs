//! Programs as data: functions of basic blocks over typed registers and byte-addressed objects.
//!
//! Registers hold scalars and are private to an activation; everything whose address matters is an object.
//! An instruction makes at most one access to memory, so that a scheduler may switch between any two
//! instructions; `AtomicBegin`/`AtomicEnd` widen a step. There is no undefined behaviour: an operation that
//! would be undefined in the source language is a violation with a kind and a place. Nothing here is in SSA
//! form; registers are assigned as often as one likes.

use std::collections::BTreeMap;

use unpick_base::{IdVec, define_id};

use crate::ViolationKind;

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

/// An instruction and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub loc: Loc,
}

/// A value at hand: no memory access, no failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Operand {
    /// Contents of a register.
    Reg(RegId),
    /// Bits of an integer or floating constant (in its type's format), zero-extended.
    Bits(Ty, u128),
    /// The null pointer.
    Null,
    /// A pointer to static storage, code or a label.
    Address(Address),
    /// A pointer to a live stack object of this activation.
    Slot(SlotId),
    /// An indeterminate value.
    Undef(Ty),
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// Computes on registers; may fail if the operation is checked.
    Assign(RegId, Rvalue),
    /// Reads a scalar of the register's type. Null, dead, freed or out-of-bounds addresses are violations;
    /// indeterminate contents give an indeterminate register.
    Load {
        /// Destination.
        dst: RegId,
        /// Pointer.
        addr: Operand,
        /// Kind of access.
        access: Access,
    },
    /// Writes a scalar.
    Store {
        /// Pointer.
        addr: Operand,
        /// What to write.
        value: Operand,
        /// Its type.
        ty: Ty,
        /// Kind of access.
        access: Access,
    },
    /// Reads a bit-field into a register of at least `width` bits.
    LoadBits {
        /// Destination.
        dst: RegId,
        /// Pointer to the lowest byte the field touches.
        addr: Operand,
        /// Where the bits lie.
        bits: BitRange,
        /// Sign-extend to the register, else zero-extend.
        is_signed: bool,
        /// Kind of access.
        access: Access,
    },
    /// Writes the low bits of a value into a bit-field; neighbouring bits stay, also if indeterminate.
    StoreBits {
        /// Pointer to the lowest byte the field touches.
        addr: Operand,
        /// Where the bits lie.
        bits: BitRange,
        /// What to write (an integer).
        value: Operand,
        /// Kind of access.
        access: Access,
    },
    /// Copies bytes with all they carry (pointers, indeterminate bits). Overlap is a violation unless allowed.
    MemCopy {
        /// Pointer.
        dst: Operand,
        /// Pointer.
        src: Operand,
        /// Number of bytes (pointer-sized integer).
        bytes: Operand,
        /// `memmove`, or an assignment of an object to itself.
        may_overlap: bool,
    },
    /// Sets bytes.
    MemSet {
        /// Pointer.
        dst: Operand,
        /// An 8-bit value.
        byte: Operand,
        /// Number of bytes (pointer-sized integer).
        bytes: Operand,
    },
    /// Makes bytes any value, chosen when they are first read.
    MemAny {
        /// Pointer.
        dst: Operand,
        /// Number of bytes (pointer-sized integer).
        bytes: Operand,
        /// Whether the bytes are written at all is unknown: two such writes are no data race, and pointers to
        /// objects among the bytes are taken to stay.
        is_assumed: bool,
        /// The writer, as users know it: `what read_sensor() wrote`.
        label: String,
    },
    /// The stack object begins a new life, indeterminate. Ends the previous life, if any.
    SlotLive(SlotId),
    /// The stack object's life ends; pointers to it dangle.
    SlotDead(SlotId),
    /// Makes an object.
    Alloc {
        /// Receives the pointer.
        dst: RegId,
        /// Number of bytes (pointer-sized integer).
        bytes: Operand,
        /// Alignment.
        align: u64,
        /// The function that frees it.
        kind: AllocKind,
        /// What it holds at first.
        contents: Contents,
    },
    /// Frees a heap object (null is fine; anything but the start of a live heap object is a violation), or
    /// ends a variable length array's life.
    Free {
        /// Pointer.
        addr: Operand,
        /// Must be what made it.
        kind: AllocKind,
    },
    /// Size of the object a pointer points into, from the pointer to its end; all ones if unknown.
    ObjectSize {
        /// A pointer-sized integer.
        dst: RegId,
        /// Pointer.
        addr: Operand,
        /// Ask for the rest of the array of elements of so many bytes instead, or for one element if there is no
        /// such array; for elements of unknown size (0) or bytes, for the part that begins there. 0 if nothing may be
        /// written there.
        element: Option<u64>,
    },
    /// Calls a function and waits for its return.
    Call {
        /// Receives the result.
        dst: Option<RegId>,
        /// Pointer to a function.
        callee: Operand,
        /// Arguments, in order.
        args: Vec<Operand>,
    },
    /// Any value of the register's type within the range, chosen anew.
    Choose {
        /// Receives the value.
        dst: RegId,
        /// Inclusive, as signed or unsigned numbers of the register's width; `None` for all values.
        range: Option<(i128, i128)>,
        /// What the value stands for, as users know it: `__VERIFIER_nondet_int()`, `result of read()`.
        label: String,
    },
    /// Executions in which the condition (an `Int(1)`) is false are of no interest.
    Assume(Operand),
    /// Fails if the condition (an `Int(1)`) is false.
    Assert {
        /// The condition.
        cond: Operand,
        /// What it means to fail.
        kind: ViolationKind,
        /// What to tell the user.
        message: String,
    },
    /// Fails with `OutOfBounds` unless `index` (read as signed) is at least 0 and below `len`, or equal to it
    /// where only the address is taken.
    CheckIndex {
        /// A pointer-sized integer.
        index: Operand,
        /// Declared length of the array.
        len: u64,
        /// Whether one past the end is fine.
        one_past: bool,
    },
    /// The program leans on an assumption from here on; recorded once when reached.
    Note(String),
    /// Something we have no meaning for: the execution ends in `unknown`.
    Unmodelled(String),
    /// Bytes written to a file descriptor: shown by `simulate`, otherwise without effect.
    Output {
        /// 1 or 2, or 0: the bytes are invisible, but they have to have values (a 32-bit integer).
        stream: Operand,
        /// Pointer.
        addr: Operand,
        /// Number of bytes (pointer-sized integer).
        bytes: Operand,
    },
    /// Atomic read-modify-write; `dst` receives the old value.
    AtomicRmw {
        /// Old value.
        dst: RegId,
        /// How the new value is made.
        op: RmwOp,
        /// Pointer.
        addr: Operand,
        /// Right operand.
        value: Operand,
        /// Ordering.
        order: Order,
    },
    /// Atomic compare and exchange: `dst` receives the old value, `ok` whether it was the expected one.
    AtomicCas {
        /// Old value.
        dst: RegId,
        /// An `Int(1)`.
        ok: RegId,
        /// Pointer.
        addr: Operand,
        /// Expected value.
        expected: Operand,
        /// New value.
        desired: Operand,
        /// May fail for no reason.
        is_weak: bool,
        /// Ordering.
        order: Order,
    },
    /// A memory fence.
    Fence(Order),
    /// Other threads do not run until the matching `AtomicEnd` (unless this one blocks). Nests.
    AtomicBegin,
    /// Ends an atomic region.
    AtomicEnd,
    /// Blocks while the condition (an `Int(1)`) is false. The instructions of the same atomic region that
    /// computed it are undone and tried again.
    Wait(Operand),
    /// Starts a thread.
    Spawn {
        /// Receives its number (`Int(32)`).
        dst: RegId,
        /// Pointer to a function.
        callee: Operand,
        /// Arguments.
        args: Vec<Operand>,
    },
    /// Number of the running thread (`Int(32)`); the first is 0.
    SelfThread(RegId),
    /// Whether a thread has ended (`Int(1)`); a number that names no thread gives indeterminate.
    ThreadEnded {
        /// An `Int(1)`.
        dst: RegId,
        /// Number (`Int(32)`).
        thread: Operand,
    },
    /// Something useful has been done: an infinite execution that passes here infinitely often is no livelock.
    Progress,
    /// The running thread has taken a lock, is about to wait for it, or has given it back. Tells people and
    /// reductions what protects what; changes nothing else.
    Hold {
        /// Pointer to the lock.
        addr: Operand,
        /// What becomes of it.
        op: LockOp,
        /// It excludes all other holders.
        is_exclusive: bool,
    },
    /// Remembers this place of the running activation in a buffer, for [`StmtKind::LongJump`]; see `interp/jump.rs`.
    SetJump {
        /// Receives 0, and after a jump the value that came with it (`Int(32)`).
        dst: RegId,
        /// The buffer.
        addr: Operand,
    },
    /// Ends activations down to the one that filled the buffer, and goes on there.
    LongJump {
        /// The buffer.
        addr: Operand,
        /// What the other place gets; 1 if it is 0 (`Int(32)`).
        value: Operand,
    },
    /// The running thread changes what may interrupt it; see `interp/interrupt.rs`.
    Interrupts {
        /// Receives 1 if the thread kept interrupts off before, else 0 (`Int(32)`).
        dst: RegId,
        /// How.
        op: InterruptOp,
        /// A level or a switch, by the operation (`Int(32)`).
        value: Operand,
    },
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct Access {
    /// Declared volatile.
    pub is_volatile: bool,
    /// Atomic, with this ordering.
    pub atomic: Option<Order>,
}

/// What becomes of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockOp {
    /// The thread has it, or waits until it has: others that hold it keep the thread from going on.
    Take,
    /// The thread has got it without waiting; had others held it, the thread would have gone on without it.
    Get,
    /// The thread has given it back.
    Give,
}

/// How a thread changes what may interrupt it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum InterruptOp {
    /// The thread becomes an active handler of the level `value`, once that is above the level of every other thread.
    Enter,
    /// The handler has run to its end: the thread has no level any more.
    Leave,
    /// Interrupts are off if `value` is not 0.
    Set,
    /// A critical section is entered if `value` is not 0, else left; these nest.
    Nest,
    /// Nothing changes.
    Get,
}

/// Bits within memory, counted from the lowest bit of the addressed byte upwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct BitRange {
    /// 0 to 7.
    pub offset: u8,
    /// 1 to 128.
    pub width: u8,
}

/// C11 memory orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum Order {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Where an allocated object belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AllocKind {
    /// Lives until freed.
    Heap,
    /// Lives until the activation ends, or (a variable length array) until freed.
    Stack,
}

/// What a new object holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Contents {
    /// Nothing one may look at.
    Indeterminate,
    /// Zeros.
    Zero,
    /// Any bytes, chosen when first read.
    Any,
}

/// What `AtomicRmw` stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

/// A computation on values at hand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rvalue {
    /// The operand itself.
    Use(Operand),
    /// Both operands and the result have the type; shifts take their amount in the same type.
    Binary(BinOp, Ty, Operand, Operand),
    /// Like `Binary`, but a result that C leaves undefined is a violation: `Add Sub Mul` as signed
    /// (`Overflow`), divisions (`DivisionByZero`, `Overflow`), shifts by a bad amount (`InvalidShift`).
    Checked(BinOp, Ty, Operand, Operand),
    /// Whether the exact result of the (signed or unsigned) operation does not fit: an `Int(1)`.
    Overflows {
        /// `Add`, `Sub` or `Mul`.
        op: BinOp,
        /// Read the operands as signed.
        is_signed: bool,
        /// Their type.
        ty: Ty,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// One operand, result of the same type.
    Unary(UnOp, Ty, Operand),
    /// Compares two operands of the type; an `Int(1)`.
    Compare(CmpOp, Ty, Operand, Operand),
    /// Converts between types. Out-of-range `FloatToSigned`/`FloatToUnsigned` are `Overflow` violations.
    Cast(CastOp, Ty, Ty, Operand),
    /// `base + index * stride`, with the index read as signed. The pointer may leave its object; only
    /// accesses through it are checked.
    PtrAdd {
        /// Pointer.
        base: Operand,
        /// A pointer-sized integer.
        index: Operand,
        /// Bytes per index step; may be negative.
        stride: i64,
    },
    /// `(left - right) / stride`; pointers into different objects are an `OutOfBounds` violation.
    PtrDiff {
        /// Pointer.
        left: Operand,
        /// Pointer.
        right: Operand,
        /// Bytes per element.
        stride: u64,
    },
    /// `cond` (an `Int(1)`) decides.
    Select {
        /// An `Int(1)`.
        cond: Operand,
        /// If true.
        then: Operand,
        /// If false.
        otherwise: Operand,
    },
}

/// Binary operations. Those with `F` are on floating types, the others on integers, wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    SDiv,
    UDiv,
    SRem,
    URem,
    Shl,
    /// Fills with zeros.
    LShr,
    /// Fills with the sign.
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// `fmod`.
    FRem,
}

/// Unary operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum UnOp {
    /// Wrapping negation.
    Neg,
    /// Negation; the smallest number is an `Overflow` violation.
    NegChecked,
    Not,
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    /// To nearest, ties away from zero.
    FRound,
    /// To nearest, ties to even.
    FRint,
    /// Leading zeros; of zero: the width.
    Clz,
    /// Trailing zeros; of zero: the width.
    Ctz,
    Popcount,
    Bswap,
}

/// Comparisons. Pointers compare with `Eq`/`Ne` anywhere and with `U..` inside one object; ordered
/// comparison of pointers into different objects is an `OutOfBounds` violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    /// Floating comparisons; false on NaN, except `FNe`.
    FEq,
    FNe,
    FLt,
    FLe,
    FGt,
    FGe,
    /// Whether either is NaN.
    FUno,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum CastOp {
    ZeroExtend,
    SignExtend,
    Truncate,
    SignedToFloat,
    UnsignedToFloat,
    FloatToSigned,
    FloatToUnsigned,
    FloatToFloat,
    /// Keeps the pointer inside the integer, so that casting back restores it.
    PtrToInt,
    IntToPtr,
    /// Same bits, same size (`float` and its image).
    Bitcast,
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

/// How bytes are shown to people: the source type.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// An integer.
    Int {
        /// Spelling of the type.
        name: String,
        /// Bytes.
        size: u8,
        /// Shown with a sign.
        is_signed: bool,
    },
    /// A character.
    Char {
        /// Shown with a sign where not printable.
        is_signed: bool,
    },
    /// `_Bool`.
    Bool,
    /// A floating number.
    Float(Ty),
    /// A pointer.
    Pointer(Option<ShapeId>),
    /// A pointer to a function.
    Code,
    /// An array.
    Array {
        /// Shape of an element.
        element: ShapeId,
        /// How many.
        len: u64,
        /// Bytes of one element.
        stride: u64,
    },
    /// A struct or union.
    Record {
        /// `struct point`.
        name: String,
        /// Members overlap.
        is_union: bool,
        /// Members in order.
        fields: Vec<ShapeField>,
    },
    /// An enumeration.
    Enum {
        /// `enum colour`.
        name: String,
        /// Bytes.
        size: u8,
        /// Shown with a sign where no name fits.
        is_signed: bool,
        /// Values and names.
        names: Vec<(i128, String)>,
    },
    /// Bytes without a better description.
    Opaque {
        /// Bytes.
        size: u64,
    },
}

/// A member of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct ShapeField {
    /// Its name; empty for anonymous members.
    pub name: String,
    /// Bytes from the start.
    pub offset: u64,
    /// Set for bit-fields.
    pub bits: Option<BitRange>,
    /// Its shape.
    pub shape: ShapeId,
}
