//! Instructions.
//!
//! Each makes at most one access to memory; what C leaves undefined is a violation with a kind.

use super::{Loc, Operand, RegId, Rvalue, SlotId, Ty};
use crate::ViolationKind;

/// An instruction and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub loc: Loc,
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
        /// A stack object by which the activation is known; it begins to live here if it does not live yet.
        anchor: SlotId,
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

/// Bits within memory, counted from the lowest bit of the addressed byte upwards, and the rest of their memory location
/// (C11 3.14): neighbouring bit-fields are one, and who writes one of them may write them all. What is read and written
/// are the bits alone; for data races and the order of accesses the location counts as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct BitRange {
    /// 0 to 7.
    pub offset: u8,
    /// 1 to 128.
    pub width: u8,
    /// Bytes of the location before the lowest byte that the bits touch.
    pub before: u32,
    /// Bytes of the location behind the highest byte that the bits touch.
    pub after: u32,
}

impl BitRange {
    /// Bits that touch all bytes of their location.
    pub fn new(offset: u8, width: u8) -> BitRange {
        BitRange { offset, width, before: 0, after: 0 }
    }

    /// How many bytes the bits touch.
    pub fn n_bytes(self) -> u64 {
        (u64::from(self.offset) + u64::from(self.width)).div_ceil(8)
    }

    /// The bytes of the memory location, cut to an object of `size` bytes: their offset and number, where the lowest byte
    /// of the bits is at `offset`.
    pub fn location(self, offset: u64, size: u64) -> (u64, u64) {
        let end = offset.saturating_add(self.n_bytes()).saturating_add(u64::from(self.after)).min(size);
        let start = offset.saturating_sub(u64::from(self.before));
        (start, end.saturating_sub(start))
    }
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
