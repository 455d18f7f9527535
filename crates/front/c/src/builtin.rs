//! Compiler built-ins: the list of them, and the types of calls to them.

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

/// A built-in by its full name.
pub fn lookup(name: &str) -> Option<Known> {
    if let Some(rest) = name.strip_prefix("__builtin_") {
        return Some(lookup_builtin(rest));
    }
    if let Some(rest) = name.strip_prefix("__sync_") {
        return lookup_sync(rest).map(Known::Special);
    }
    if let Some(rest) = name.strip_prefix("__atomic_") {
        return lookup_atomic(rest).map(Known::Special);
    }
    if let Some(rest) = name.strip_prefix("__c11_atomic_") {
        return lookup_c11_atomic(rest).map(Known::Special);
    }
    name.strip_prefix("__CPROVER_").and_then(lookup_cprover)
}

/// Functions of CBMC that are no functions of the library models.
fn lookup_cprover(name: &str) -> Option<Known> {
    Some(match name {
        "printf" => Known::Library("printf", &[]),
        "input" | "output" | "cover" | "fence" => Known::Typed(Builtin::Ignored, "v ."),
        "r_ok" => Known::Special(Special::Accessible("__CPROVER_r_ok")),
        "w_ok" => Known::Special(Special::Accessible("__CPROVER_w_ok")),
        "rw_ok" => Known::Special(Special::Accessible("__CPROVER_rw_ok")),
        _ => return None,
    })
}

fn lookup_builtin(name: &str) -> Known {
    use Builtin as B;
    use Known::{Special as S, Typed};
    match name {
        "expect" => Typed(B::First, "l l l"),
        "expect_with_probability" => Typed(B::First, "l l l d"),
        "unpredictable" => Typed(B::First, "l l"),
        "assume" => Typed(B::CompilerAssume, "v b"),
        "nondeterministic_value" => S(Special::AnyLikeFirst),
        "assume_aligned" => S(Special::AssumeAligned),
        "unreachable" => Typed(B::Unreachable, "v"),
        "trap" | "debugtrap" => Typed(B::Trap, "v"),
        "readcyclecounter" | "readsteadycounter" => Typed(B::Nondet, "M"),
        "va_start" | "stdarg_start" | "next_arg" => S(Special::VaStart),
        "va_end" => S(Special::VaEnd),
        "va_copy" => S(Special::VaCopy),
        "constant_p" => S(Special::ConstantP),
        "classify_type" => S(Special::ClassifyType),
        "object_size" | "dynamic_object_size" => Typed(B::ObjectSize, "z Kv* i"),
        "alloca" => Typed(B::Alloca, "v* z"),
        "alloca_with_align" => Typed(B::Alloca, "v* z z"),
        "alloca_with_align_and_max" => Typed(B::Alloca, "v* z z z"),
        "frame_address" => Typed(B::FrameAddress, "v* u"),
        "return_address" => Typed(B::ReturnAddress, "v* u"),
        "extract_return_addr" | "frob_return_addr" => Typed(B::First, "v* v*"),
        "prefetch" => Typed(B::Prefetch, "v Kv* ."),
        "__clear_cache" => Typed(B::ClearCache, "v v* v*"),
        "LINE" => S(Special::Line),
        "FILE" => S(Special::File),
        "FUNCTION" => S(Special::Function),
        "complex" => S(Special::Complex),
        "shuffle" | "shufflevector" => S(Special::LikeFirst),
        "speculation_safe_value" => S(Special::Same),
        "cpu_supports" | "cpu_is" => Typed(B::Unmodelled, "i Kc*"),
        "cpu_init" => Typed(B::Unmodelled, "i"),
        "setjmp" => Typed(B::Unmodelled, "i v*"),
        "longjmp" => Typed(B::Unmodelled, "v v* i"),
        "bswap16" => Typed(B::Bswap16, "H H"),
        "bswap32" => Typed(B::Bswap32, "u u"),
        "bswap64" => Typed(B::Bswap64, "U U"),
        "bswap128" => Typed(B::Bswap128, "Q Q"),
        "fpclassify" => S(Special::Fpclassify),
        _ => lookup_bits(name)
            .or_else(|| lookup_overflow(name))
            .or_else(|| lookup_float(name))
            .or_else(|| lookup_checked(name))
            .or_else(|| library_twin(name))
            .unwrap_or(Known::Special(Special::Unmodelled)),
    }
}

fn lookup_bits(name: &str) -> Option<Known> {
    let stems = [
        ("clz", Builtin::Clz),
        ("ctz", Builtin::Ctz),
        ("ffs", Builtin::Ffs),
        ("popcount", Builtin::Popcount),
        ("parity", Builtin::Parity),
        ("clrsb", Builtin::Clrsb),
    ];
    let (stem, builtin) = stems.into_iter().find(|(stem, _)| name.starts_with(stem))?;
    Some(match &name[stem.len()..] {
        "" => Known::Typed(builtin, "i u"),
        "l" => Known::Typed(builtin, "i m"),
        "ll" | "imax" => Known::Typed(builtin, "i M"),
        "g" => Known::Special(Special::GenericBits(builtin)),
        _ => return None,
    })
}

fn lookup_overflow(name: &str) -> Option<Known> {
    let generic = match name {
        "add_overflow" => Special::Overflow(Builtin::AddOverflow),
        "sub_overflow" => Special::Overflow(Builtin::SubOverflow),
        "mul_overflow" => Special::Overflow(Builtin::MulOverflow),
        "add_overflow_p" => Special::OverflowP(Builtin::AddOverflowP),
        "sub_overflow_p" => Special::OverflowP(Builtin::SubOverflowP),
        "mul_overflow_p" => Special::OverflowP(Builtin::MulOverflowP),
        _ => return lookup_sized_overflow(name),
    };
    Some(Known::Special(generic))
}

/// `sadd_overflow`, `umulll_overflow` and their kin.
fn lookup_sized_overflow(name: &str) -> Option<Known> {
    let name = name.strip_suffix("_overflow")?;
    let is_signed = match name.as_bytes().first()? {
        b's' => true,
        b'u' => false,
        _ => return None,
    };
    let (builtin, size) = [("add", Builtin::AddOverflow), ("sub", Builtin::SubOverflow), ("mul", Builtin::MulOverflow)]
        .into_iter()
        .find_map(|(stem, builtin)| Some((builtin, name[1..].strip_prefix(stem)?)))?;
    let signature = match (size, is_signed) {
        ("", true) => "b i i i*",
        ("l", true) => "b l l l*",
        ("ll", true) => "b L L L*",
        ("", false) => "b u u u*",
        ("l", false) => "b m m m*",
        ("ll", false) => "b M M M*",
        _ => return None,
    };
    Some(Known::Typed(builtin, signature))
}

fn lookup_float(name: &str) -> Option<Known> {
    use Builtin as B;
    let special = match name {
        "huge_val" | "inf" | "infd64" => Special::Infinity("d"),
        "huge_valf" | "inff" => Special::Infinity("f"),
        "huge_vall" | "infl" => Special::Infinity("e"),
        "huge_valf128" | "inff128" => Special::Infinity("F"),
        "huge_valf32" | "inff32" => Special::Infinity("1"),
        "huge_valf64" | "inff64" => Special::Infinity("2"),
        "huge_valf32x" | "inff32x" => Special::Infinity("3"),
        "huge_valf64x" | "inff64x" => Special::Infinity("4"),
        "huge_valf16" | "inff16" => Special::Infinity("5"),
        "nan" | "nans" => Special::Nan("d"),
        "nanf" | "nansf" => Special::Nan("f"),
        "nanl" | "nansl" => Special::Nan("e"),
        "nanf128" | "nansf128" => Special::Nan("F"),
        "nanf32" | "nansf32" => Special::Nan("1"),
        "nanf64" | "nansf64" => Special::Nan("2"),
        "nanf32x" | "nansf32x" => Special::Nan("3"),
        "nanf64x" | "nansf64x" => Special::Nan("4"),
        "nanf16" | "nansf16" => Special::Nan("5"),
        "isnan" => Special::FloatPredicate(B::IsNan),
        "isinf" => Special::FloatPredicate(B::IsInf),
        "isinf_sign" => Special::FloatPredicate(B::IsInfSign),
        "isfinite" | "finite" => Special::FloatPredicate(B::IsFinite),
        "isnormal" => Special::FloatPredicate(B::IsNormal),
        "signbit" => Special::FloatPredicate(B::Signbit),
        "isgreater" => Special::FloatCompare(B::IsGreater),
        "isgreaterequal" => Special::FloatCompare(B::IsGreaterEqual),
        "isless" => Special::FloatCompare(B::IsLess),
        "islessequal" => Special::FloatCompare(B::IsLessEqual),
        "islessgreater" => Special::FloatCompare(B::IsLessGreater),
        "isunordered" => Special::FloatCompare(B::IsUnordered),
        _ => return lookup_typed_float(name),
    };
    Some(Known::Special(special))
}

fn lookup_typed_float(name: &str) -> Option<Known> {
    use Builtin as B;
    let (builtin, signature) = match name {
        "isnanf" => (B::IsNan, "i f"),
        "isnanl" => (B::IsNan, "i e"),
        "isinff" => (B::IsInf, "i f"),
        "isinfl" => (B::IsInf, "i e"),
        "finitef" => (B::IsFinite, "i f"),
        "finitel" => (B::IsFinite, "i e"),
        "signbitf" => (B::Signbit, "i f"),
        "signbitl" => (B::Signbit, "i e"),
        "fabs" => (B::Fabs, "d d"),
        "fabsf" => (B::Fabs, "f f"),
        "fabsl" => (B::Fabs, "e e"),
        "fabsf128" => (B::Fabs, "F F"),
        "copysign" => (B::Copysign, "d d d"),
        "copysignf" => (B::Copysign, "f f f"),
        "copysignl" => (B::Copysign, "e e e"),
        "copysignf128" => (B::Copysign, "F F F"),
        _ => return None,
    };
    Some(Known::Typed(builtin, signature))
}

/// `__builtin___memcpy_chk` and its kin: the size arguments go. Those that clang never turns into calls are calls here.
fn lookup_checked(name: &str) -> Option<Known> {
    Some(match name {
        "memcpy_inline" => Known::Library("memcpy", &[]),
        "memset_inline" => Known::Library("memset", &[]),
        "__memcpy_chk" => Known::Library("memcpy", &[3]),
        "__memmove_chk" => Known::Library("memmove", &[3]),
        "__mempcpy_chk" => Known::Library("mempcpy", &[3]),
        "__memset_chk" => Known::Library("memset", &[3]),
        "__strcpy_chk" => Known::Library("strcpy", &[2]),
        "__stpcpy_chk" => Known::Library("stpcpy", &[2]),
        "__strcat_chk" => Known::Library("strcat", &[2]),
        "__strncpy_chk" => Known::Library("strncpy", &[3]),
        "__stpncpy_chk" => Known::Library("stpncpy", &[3]),
        "__strncat_chk" => Known::Library("strncat", &[3]),
        "__sprintf_chk" => Known::Library("sprintf", &[1, 2]),
        "__vsprintf_chk" => Known::Library("vsprintf", &[1, 2]),
        "__snprintf_chk" => Known::Library("snprintf", &[2, 3]),
        "__vsnprintf_chk" => Known::Library("vsnprintf", &[2, 3]),
        "__printf_chk" => Known::Library("printf", &[0]),
        "__vprintf_chk" => Known::Library("vprintf", &[0]),
        "__fprintf_chk" => Known::Library("fprintf", &[1]),
        "__vfprintf_chk" => Known::Library("vfprintf", &[1]),
        _ => return None,
    })
}

fn library_twin(name: &str) -> Option<Known> {
    let is_twin = |twin: &str| twin.strip_prefix("__builtin_").unwrap_or(twin) == name;
    let (twin, _) = LIBRARY.iter().find(|(twin, _)| is_twin(twin))?;
    Some(Known::Library(twin, &[]))
}

fn lookup_sync(name: &str) -> Option<Special> {
    // Library forms carry the width of the operand.
    let name = ["_1", "_2", "_4", "_8", "_16"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    Some(match name {
        "fetch_and_add" => Special::SyncFetch(Builtin::AtomicFetchAdd),
        "fetch_and_sub" => Special::SyncFetch(Builtin::AtomicFetchSub),
        "fetch_and_and" => Special::SyncFetch(Builtin::AtomicFetchAnd),
        "fetch_and_or" => Special::SyncFetch(Builtin::AtomicFetchOr),
        "fetch_and_xor" => Special::SyncFetch(Builtin::AtomicFetchXor),
        "fetch_and_nand" => Special::SyncFetch(Builtin::AtomicFetchNand),
        "add_and_fetch" => Special::SyncFetch(Builtin::AtomicAddFetch),
        "sub_and_fetch" => Special::SyncFetch(Builtin::AtomicSubFetch),
        "and_and_fetch" => Special::SyncFetch(Builtin::AtomicAndFetch),
        "or_and_fetch" => Special::SyncFetch(Builtin::AtomicOrFetch),
        "xor_and_fetch" => Special::SyncFetch(Builtin::AtomicXorFetch),
        "nand_and_fetch" => Special::SyncFetch(Builtin::AtomicNandFetch),
        "bool_compare_and_swap" => Special::Sync(Builtin::SyncBoolCompareAndSwap),
        "val_compare_and_swap" => Special::Sync(Builtin::SyncValCompareAndSwap),
        "lock_test_and_set" => Special::Sync(Builtin::SyncLockTestAndSet),
        "lock_release" => Special::Sync(Builtin::SyncLockRelease),
        "synchronize" => Special::Sync(Builtin::SyncSynchronize),
        _ => return None,
    })
}

fn lookup_atomic(name: &str) -> Option<Special> {
    use Builtin as B;
    Some(Special::Atomic(match name {
        "load_n" => B::AtomicLoadN,
        "load" => B::AtomicLoad,
        "store_n" => B::AtomicStoreN,
        "store" => B::AtomicStore,
        "exchange_n" => B::AtomicExchangeN,
        "exchange" => B::AtomicExchange,
        "compare_exchange_n" => B::AtomicCompareExchangeN,
        "compare_exchange" => B::AtomicCompareExchange,
        "fetch_add" => B::AtomicFetchAdd,
        "fetch_sub" => B::AtomicFetchSub,
        "fetch_and" => B::AtomicFetchAnd,
        "fetch_or" => B::AtomicFetchOr,
        "fetch_xor" => B::AtomicFetchXor,
        "fetch_nand" => B::AtomicFetchNand,
        "add_fetch" => B::AtomicAddFetch,
        "sub_fetch" => B::AtomicSubFetch,
        "and_fetch" => B::AtomicAndFetch,
        "or_fetch" => B::AtomicOrFetch,
        "xor_fetch" => B::AtomicXorFetch,
        "nand_fetch" => B::AtomicNandFetch,
        "test_and_set" => B::AtomicTestAndSet,
        "clear" => B::AtomicClear,
        "thread_fence" => B::AtomicThreadFence,
        "signal_fence" => B::AtomicSignalFence,
        "is_lock_free" | "always_lock_free" => B::AtomicIsLockFree,
        _ => return None,
    }))
}

fn lookup_c11_atomic(name: &str) -> Option<Special> {
    Some(match name {
        "load" => Special::Atomic(Builtin::AtomicLoadN),
        "store" | "init" => Special::Atomic(Builtin::AtomicStoreN),
        "exchange" => Special::Atomic(Builtin::AtomicExchangeN),
        "compare_exchange_strong" => Special::C11CompareExchange(false),
        "compare_exchange_weak" => Special::C11CompareExchange(true),
        _ => return lookup_atomic(name),
    })
}

/// The prototype of a well-known library function: result and parameters as codes separated by blanks.
///
/// Codes: `v` void, `b` _Bool, `c C h` char signed and unsigned, `s H` short, `i u` int, `l m` long, `L M`
/// long long, `q Q` 128 bits, `U` uint64_t, `f d e F` floating, `z Z` size_t and its signed twin, `w W`
/// wchar_t and wint_t, `A` va_list, `X` an opaque struct, `K` const, `*` pointer, `.` variadic.
pub fn library_signature(name: &str) -> Option<&'static str> {
    LIBRARY.iter().find(|(twin, _)| *twin == name).map(|(_, signature)| *signature)
}

const LIBRARY: &[(&str, &str)] = &[
    ("memcpy", "v* v* Kv* z"),
    ("memmove", "v* v* Kv* z"),
    ("mempcpy", "v* v* Kv* z"),
    ("memset", "v* v* i z"),
    ("memcmp", "i Kv* Kv* z"),
    ("memchr", "v* Kv* i z"),
    ("strlen", "z Kc*"),
    ("strnlen", "z Kc* z"),
    ("strcpy", "c* c* Kc*"),
    ("strncpy", "c* c* Kc* z"),
    ("stpcpy", "c* c* Kc*"),
    ("stpncpy", "c* c* Kc* z"),
    ("strcat", "c* c* Kc*"),
    ("strncat", "c* c* Kc* z"),
    ("strcmp", "i Kc* Kc*"),
    ("strncmp", "i Kc* Kc* z"),
    ("strcasecmp", "i Kc* Kc*"),
    ("strncasecmp", "i Kc* Kc* z"),
    ("strchr", "c* Kc* i"),
    ("strrchr", "c* Kc* i"),
    ("index", "c* Kc* i"),
    ("rindex", "c* Kc* i"),
    ("strstr", "c* Kc* Kc*"),
    ("strspn", "z Kc* Kc*"),
    ("strcspn", "z Kc* Kc*"),
    ("strpbrk", "c* Kc* Kc*"),
    ("strdup", "c* Kc*"),
    ("strndup", "c* Kc* z"),
    ("bcmp", "i Kv* Kv* z"),
    ("bcopy", "v Kv* v* z"),
    ("bzero", "v v* z"),
    ("malloc", "v* z"),
    ("calloc", "v* z z"),
    ("realloc", "v* v* z"),
    ("free", "v v*"),
    ("aligned_alloc", "v* z z"),
    ("posix_memalign", "i v** z z"),
    ("abort", "v"),
    ("__assert_fail", "v Kc* Kc* u Kc*"),
    ("exit", "v i"),
    ("_exit", "v i"),
    ("_Exit", "v i"),
    ("printf", "i Kc* ."),
    ("vprintf", "i Kc* A"),
    ("fprintf", "i X* Kc* ."),
    ("vfprintf", "i X* Kc* A"),
    ("sprintf", "i c* Kc* ."),
    ("vsprintf", "i c* Kc* A"),
    ("snprintf", "i c* z Kc* ."),
    ("vsnprintf", "i c* z Kc* A"),
    ("scanf", "i Kc* ."),
    ("fscanf", "i X* Kc* ."),
    ("sscanf", "i Kc* Kc* ."),
    ("vscanf", "i Kc* A"),
    ("vsscanf", "i Kc* Kc* A"),
    ("puts", "i Kc*"),
    ("putchar", "i i"),
    ("fputs", "i Kc* X*"),
    ("fputc", "i i X*"),
    ("putc", "i i X*"),
    ("fwrite", "z Kv* z z X*"),
    ("printf_unlocked", "i Kc* ."),
    ("puts_unlocked", "i Kc*"),
    ("putchar_unlocked", "i i"),
    ("fputs_unlocked", "i Kc* X*"),
    ("fputc_unlocked", "i i X*"),
    ("fwrite_unlocked", "z Kv* z z X*"),
    ("abs", "i i"),
    ("labs", "l l"),
    ("llabs", "L L"),
    ("isalnum", "i i"),
    ("isalpha", "i i"),
    ("isascii", "i i"),
    ("isblank", "i i"),
    ("iscntrl", "i i"),
    ("isdigit", "i i"),
    ("isgraph", "i i"),
    ("islower", "i i"),
    ("isprint", "i i"),
    ("ispunct", "i i"),
    ("isspace", "i i"),
    ("isupper", "i i"),
    ("isxdigit", "i i"),
    ("toascii", "i i"),
    ("tolower", "i i"),
    ("toupper", "i i"),
    ("fabs", "d d"),
    ("fabsf", "f f"),
    ("fabsl", "e e"),
    ("sqrt", "d d"),
    ("sqrtf", "f f"),
    ("sqrtl", "e e"),
    ("cbrt", "d d"),
    ("cbrtf", "f f"),
    ("floor", "d d"),
    ("floorf", "f f"),
    ("floorl", "e e"),
    ("ceil", "d d"),
    ("ceilf", "f f"),
    ("ceill", "e e"),
    ("trunc", "d d"),
    ("truncf", "f f"),
    ("truncl", "e e"),
    ("round", "d d"),
    ("roundf", "f f"),
    ("roundl", "e e"),
    ("rint", "d d"),
    ("rintf", "f f"),
    ("rintl", "e e"),
    ("nearbyint", "d d"),
    ("nearbyintf", "f f"),
    ("nearbyintl", "e e"),
    ("lround", "l d"),
    ("lroundf", "l f"),
    ("lroundl", "l e"),
    ("llround", "L d"),
    ("llroundf", "L f"),
    ("lrint", "l d"),
    ("lrintf", "l f"),
    ("lrintl", "l e"),
    ("llrint", "L d"),
    ("llrintf", "L f"),
    ("fmod", "d d d"),
    ("fmodf", "f f f"),
    ("fmodl", "e e e"),
    ("remainder", "d d d"),
    ("remainderf", "f f f"),
    ("pow", "d d d"),
    ("powf", "f f f"),
    ("powl", "e e e"),
    ("powi", "d d i"),
    ("powif", "f f i"),
    ("exp", "d d"),
    ("expf", "f f"),
    ("expl", "e e"),
    ("exp2", "d d"),
    ("exp2f", "f f"),
    ("exp10", "d d"),
    ("expm1", "d d"),
    ("log", "d d"),
    ("logf", "f f"),
    ("logl", "e e"),
    ("log2", "d d"),
    ("log2f", "f f"),
    ("log2l", "e e"),
    ("log10", "d d"),
    ("log10f", "f f"),
    ("log10l", "e e"),
    ("log1p", "d d"),
    ("logb", "d d"),
    ("ilogb", "i d"),
    ("sin", "d d"),
    ("sinf", "f f"),
    ("sinl", "e e"),
    ("cos", "d d"),
    ("cosf", "f f"),
    ("cosl", "e e"),
    ("tan", "d d"),
    ("tanf", "f f"),
    ("tanl", "e e"),
    ("asin", "d d"),
    ("asinf", "f f"),
    ("acos", "d d"),
    ("acosf", "f f"),
    ("atan", "d d"),
    ("atanf", "f f"),
    ("atan2", "d d d"),
    ("atan2f", "f f f"),
    ("atan2l", "e e e"),
    ("sinh", "d d"),
    ("sinhf", "f f"),
    ("cosh", "d d"),
    ("coshf", "f f"),
    ("tanh", "d d"),
    ("tanhf", "f f"),
    ("asinh", "d d"),
    ("acosh", "d d"),
    ("atanh", "d d"),
    ("erf", "d d"),
    ("erfc", "d d"),
    ("tgamma", "d d"),
    ("lgamma", "d d"),
    ("hypot", "d d d"),
    ("hypotf", "f f f"),
    ("hypotl", "e e e"),
    ("fmin", "d d d"),
    ("fminf", "f f f"),
    ("fminl", "e e e"),
    ("fmax", "d d d"),
    ("fmaxf", "f f f"),
    ("fmaxl", "e e e"),
    ("fdim", "d d d"),
    ("fma", "d d d d"),
    ("fmaf", "f f f f"),
    ("fmal", "e e e e"),
    ("ldexp", "d d i"),
    ("ldexpf", "f f i"),
    ("ldexpl", "e e i"),
    ("scalbn", "d d i"),
    ("scalbln", "d d l"),
    ("frexp", "d d i*"),
    ("frexpf", "f f i*"),
    ("frexpl", "e e i*"),
    ("modf", "d d d*"),
    ("modff", "f f f*"),
    ("modfl", "e e e*"),
    ("nextafter", "d d d"),
    ("nextafterf", "f f f"),
    ("nexttoward", "d d e"),
    ("significand", "d d"),
    ("copysign", "d d d"),
    ("copysignf", "f f f"),
    ("copysignl", "e e e"),
    ("isnan", "i d"),
    ("isinf", "i d"),
    ("fork", "i"),
    ("execl", "i Kc* Kc* ."),
    ("execv", "i Kc* c**"),
    ("gettext", "c* Kc*"),
    ("dgettext", "c* Kc* Kc*"),
    ("dcgettext", "c* Kc* Kc* i"),
    ("ffs", "i i"),
    ("ffsl", "i l"),
    ("ffsll", "i L"),
    ("imaxabs", "l l"),
    ("strftime", "z c* z Kc* Kv*"),
    ("strfmon", "Z c* z Kc* ."),
    ("iswalnum", "i W"),
    ("iswalpha", "i W"),
    ("iswdigit", "i W"),
    ("iswspace", "i W"),
    ("iswupper", "i W"),
    ("iswlower", "i W"),
    ("towlower", "W W"),
    ("towupper", "W W"),
    ("wcslen", "z Kw*"),
    ("__builtin_rotateleft8", "h h h"),
    ("__builtin_rotateright8", "h h h"),
    ("__builtin_bitreverse8", "h h"),
    ("__builtin_rotateleft16", "H H H"),
    ("__builtin_rotateright16", "H H H"),
    ("__builtin_bitreverse16", "H H"),
    ("__builtin_rotateleft32", "u u u"),
    ("__builtin_rotateright32", "u u u"),
    ("__builtin_bitreverse32", "u u"),
    ("__builtin_rotateleft64", "M M M"),
    ("__builtin_rotateright64", "M M M"),
    ("__builtin_bitreverse64", "M M"),
    ("__builtin_addcb", "h h h h h*"),
    ("__builtin_subcb", "h h h h h*"),
    ("__builtin_addcs", "H H H H H*"),
    ("__builtin_subcs", "H H H H H*"),
    ("__builtin_addc", "u u u u u*"),
    ("__builtin_subc", "u u u u u*"),
    ("__builtin_addcl", "m m m m m*"),
    ("__builtin_subcl", "m m m m m*"),
    ("__builtin_addcll", "M M M M M*"),
    ("__builtin_subcll", "M M M M M*"),
];
