//! Compiler built-ins: the list of them, and what calls to them become.

mod library;
mod names;

pub use self::library::library_signature;
pub use self::names::lookup;
pub use crate::intrinsic::intrinsic;

/// A built-in function after semantic analysis. `__builtin_` forms with a library twin of the same meaning
/// (`__builtin_memcpy`, `__builtin_strlen`, `__builtin_malloc`, `__builtin_printf`, ...) are ordinary calls
/// of that twin and do not appear here; neither do forms that fold to constants (`constant_p`, `choose_expr`,
/// `types_compatible_p`, `offsetof`, `classify_type`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `expect`, `expect_with_probability`, `unpredictable`, `assume_aligned`: the first argument.
    First,
    Unreachable,
    /// Clang's `assume(c)`: undefined where `c` is false, which is not evaluated if it has effects.
    CompilerAssume,
    Trap,
    /// `va_start(list, last)`, `va_end(list)`, `va_copy(to, from)`: lists are lvalues or decayed pointers.
    VaStart,
    VaEnd,
    VaCopy,
    /// Result through the third argument's pointer; operands keep their own types.
    AddOverflow,
    SubOverflow,
    MulOverflow,
    /// `__builtin_add_overflow_p` and its kin: only the type of the third argument counts.
    AddOverflowP,
    SubOverflowP,
    MulOverflowP,
    /// Argument of an unsigned type of the right width; undefined for zero (`clz`, `ctz`) without a second one.
    Clz,
    Ctz,
    Ffs,
    Popcount,
    Parity,
    Clrsb,
    Bswap16,
    Bswap32,
    Bswap64,
    Bswap128,
    /// `object_size(p, kind)`, `dynamic_object_size`.
    ObjectSize,
    Alloca,
    /// Unmodelled when reached.
    FrameAddress,
    ReturnAddress,
    /// Memory effects ignored.
    Prefetch,
    /// `__builtin___clear_cache`.
    ClearCache,
    /// Floating constants and predicates: `huge_val`, `inf`, `nan("")` fold; these stay.
    IsNan,
    IsInf,
    IsInfSign,
    IsFinite,
    IsNormal,
    Signbit,
    Fpclassify,
    IsGreater,
    IsGreaterEqual,
    IsLess,
    IsLessEqual,
    IsLessGreater,
    IsUnordered,
    Fabs,
    Copysign,
    /// `setjmp`, `longjmp`, `apply`, `complex`, vector shuffles and all else: unmodelled when reached.
    Unmodelled,

    // Atomics: pointer first, memory orders as values.
    /// `__atomic_load_n`, `__c11_atomic_load`.
    AtomicLoadN,
    /// `__atomic_load(p, ret, order)`.
    AtomicLoad,
    AtomicStoreN,
    AtomicStore,
    AtomicExchangeN,
    AtomicExchange,
    /// `(p, expected_ptr, desired, weak, success, failure)`.
    AtomicCompareExchangeN,
    AtomicCompareExchange,
    AtomicFetchAdd,
    AtomicFetchSub,
    AtomicFetchAnd,
    AtomicFetchOr,
    AtomicFetchXor,
    AtomicFetchNand,
    AtomicAddFetch,
    AtomicSubFetch,
    AtomicAndFetch,
    AtomicOrFetch,
    AtomicXorFetch,
    AtomicNandFetch,
    AtomicTestAndSet,
    AtomicClear,
    AtomicThreadFence,
    AtomicSignalFence,
    AtomicIsLockFree,
    /// Older family; full barriers.
    SyncBoolCompareAndSwap,
    SyncValCompareAndSwap,
    SyncLockTestAndSet,
    SyncLockRelease,
    SyncSynchronize,

    // Intrinsics of our own library models and of verification competitions.
    /// `__VERIFIER_assume(c)`, `__CPROVER_assume(c)`.
    Assume,
    /// `__CPROVER_assert(c, "text")`.
    Assert,
    /// `__VERIFIER_nondet_T()`: any value of the call's type.
    Nondet,
    /// `__CPROVER_ASYNC_n: f(x);`: its argument, a call, in a thread of its own.
    Async,
    /// `__CPROVER_input`, `__CPROVER_output`, `__CPROVER_cover`, `__CPROVER_fence`: only the arguments' own effects.
    Ignored,
    /// `__VERIFIER_atomic_begin/end`, `__CPROVER_atomic_begin/end`, `__unpick_atomic_begin/end`.
    AtomicBegin,
    AtomicEnd,
    /// `__unpick_alloc(bytes, align, contents)`: a heap object; contents (a constant): 0 indeterminate,
    /// 1 zero, 2 any.
    UnpickAlloc,
    /// `__unpick_free(p)`.
    UnpickFree,
    /// `__unpick_object_size(p)`: bytes from `p` to the end of its object, all ones if unknown.
    UnpickObjectSize,
    /// `__unpick_memcpy(d, s, n)`, `__unpick_memmove`, `__unpick_memset(d, c, n)`: one instruction each.
    UnpickMemcpy,
    UnpickMemmove,
    UnpickMemset,
    /// `__unpick_memany(p, n)`, `__VERIFIER_nondet_memory`, `__CPROVER_havoc_slice`: any bytes, chosen when read.
    UnpickMemAny,
    /// `__unpick_writable(p)`: bytes of the part of an object that a pointer points to; 0 if nothing may be written.
    UnpickWritable,
    /// `__unpick_output(stream, p, n)`.
    UnpickOutput,
    /// `__unpick_exit(code)`, `__unpick_abort()`.
    UnpickExit,
    UnpickAbort,
    /// `__unpick_fail("kind", "message")`: a violation at the call of the model.
    UnpickFail,
    /// `__unpick_unmodelled("what")`.
    UnpickUnmodelled,
    /// `__unpick_note("assumption")`.
    UnpickNote,
    /// `__unpick_option("malloc-fails")`: an `int`, the value of a run option known when lowering.
    UnpickOption,
    /// `__unpick_sqrt` and friends: one floating operation on a `double`.
    UnpickSqrt,
    UnpickFloor,
    UnpickCeil,
    UnpickTrunc,
    UnpickRound,
    UnpickRint,
    UnpickFmod,
    /// `__unpick_wait(c)`: blocks while zero.
    UnpickWait,
    /// `__unpick_spawn(function, argument, argument, argument)` (pointers), `__unpick_self()`, `__unpick_ended(thread)`.
    UnpickSpawn,
    UnpickSelf,
    UnpickEnded,
    /// `__unpick_taken(lock, is_exclusive)`, before the wait for it; `__unpick_got(lock, is_exclusive)`, without one;
    /// `__unpick_given_back(lock, is_exclusive)`.
    UnpickTaken,
    UnpickGot,
    /// `__unpick_progress()`: infinite executions that pass here infinitely often are no livelock.
    UnpickProgress,
    UnpickGivenBack,
    /// `__unpick_long_jump(buffer, value)`: back to the call of `setjmp` that filled the buffer.
    UnpickLongJump,
    /// `__unpick_end_thread()`: the running thread, with all its activations.
    UnpickEndThread,
    /// `__unpick_disable_interrupts()`: whether they were off; `__unpick_enable_interrupts()`.
    UnpickDisableInterrupts,
    UnpickEnableInterrupts,
}

/// How a call of a known name is typed and what it becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Arguments convert as for this prototype (see [`library_signature`]).
    Typed(Builtin, &'static str),
    /// A call of the library function, without the arguments at the positions given.
    Library(&'static str, &'static [usize]),
    Special(Special),
}

/// Built-ins whose type depends on their arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    ConstantP,
    ClassifyType,
    /// Infinity of the type the code stands for.
    Infinity(&'static str),
    Nan(&'static str),
    VaStart,
    VaEnd,
    VaCopy,
    AssumeAligned,
    /// `(a, b, pointer)` of any integer types.
    Overflow(Builtin),
    /// `(a, b, value)`.
    OverflowP(Builtin),
    /// One floating argument of any type.
    FloatPredicate(Builtin),
    /// Two arguments brought to their common type.
    FloatCompare(Builtin),
    Fpclassify,
    /// Bit counts of an integer of any width, which is not promoted; some take the result for zero as well.
    GenericBits(Builtin),
    Atomic(Builtin),
    /// `__sync_` form of a read-modify-write.
    SyncFetch(Builtin),
    Sync(Builtin),
    /// `__c11_atomic_compare_exchange_strong` (`false`) and `_weak`.
    C11CompareExchange(bool),
    Line,
    File,
    Function,
    /// The result has the type of the first argument; unmodelled.
    LikeFirst,
    /// Any value of the type of its argument, which is not evaluated.
    AnyLikeFirst,
    Complex,
    /// Unmodelled, of unknown type.
    Unmodelled,
    /// The first argument unchanged.
    Same,
    /// A question about the bytes behind a pointer: as many as the second argument says, else as its type has.
    Accessible(&'static str),
}
