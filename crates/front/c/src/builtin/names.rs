//! What the name of a built-in stands for: the spellings of gcc, clang and CBMC.

use super::library::library_twin;
use super::{Builtin, Known, Special};

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
