//! Functions the compiler knows: which they are, and how calls to them are typed.

/// A built-in function after semantic analysis. `__builtin_` forms with a library twin of the same meaning
/// (`__builtin_memcpy`, `__builtin_strlen`, `__builtin_malloc`, `__builtin_printf`, ...) are ordinary calls
/// of that twin and do not appear here; neither do forms that fold to constants (`constant_p`, `choose_expr`,
/// `types_compatible_p`, `offsetof`, `classify_type`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `expect`, `expect_with_probability`, `assume_aligned`: the first argument.
    First,
    Unreachable,
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
    /// Argument of an unsigned type of the right width; undefined for zero (`clz`, `ctz`).
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
    /// `__unpick_spawn(function, argument)`, `__unpick_self()`, `__unpick_ended(thread)`.
    UnpickSpawn,
    UnpickSelf,
    UnpickEnded,
}
