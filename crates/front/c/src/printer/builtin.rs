//! Printer of built-in functions under their gcc names, chosen by the types of their arguments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Printer;
use super::expr::ASSIGN;
use crate::ast::{ExprId, ExprKind};
use crate::builtin::Builtin;
use crate::types::{FloatKind, IntKind, TyId, Type};

impl Printer<'_> {
    pub(super) fn builtin(&mut self, call: ExprId, builtin: Builtin, args: &[ExprId], ty: TyId) {
        match builtin {
            Builtin::Unmodelled => {
                let known = self.unit.unmodelled.binary_search_by_key(&call, |(call, _)| *call);
                let name = known.map_or(builtin.c_name(), |at| self.interner.name(self.unit.unmodelled[at].1));
                self.out.push_str(name);
                self.arguments(args);
            }
            Builtin::VaStart | Builtin::VaEnd | Builtin::VaCopy => self.va_operation(builtin, args),
            Builtin::Nondet => {
                let name = self.nondet_name(ty);
                let _ = write!(self.out, "{name}()");
            }
            _ => {
                let name = self.builtin_name(builtin, args, ty);
                self.out.push_str(&name);
                self.arguments(args);
                // Read-modify-write forms of the older family carry no memory order: theirs is the strongest.
                if args.len() == 2 && name.starts_with("__atomic_") && needs_order(builtin) {
                    self.out.pop();
                    self.out.push_str(", 5)");
                }
            }
        }
    }

    fn va_operation(&mut self, builtin: Builtin, args: &[ExprId]) {
        self.out.push_str(match builtin {
            Builtin::VaStart => "__builtin_va_start(",
            Builtin::VaEnd => "__builtin_va_end(",
            _ => "__builtin_va_copy(",
        });
        for (position, &arg) in args.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            if builtin == Builtin::VaStart && position > 0 { self.expr(arg, ASSIGN) } else { self.list_argument(arg) }
        }
        if builtin == Builtin::VaStart && args.len() < 2 {
            self.out.push_str(", 0");
        }
        self.out.push(')');
    }

    fn builtin_name(&self, builtin: Builtin, args: &[ExprId], ty: TyId) -> String {
        let first = args.first().map(|&arg| self.unit.exprs[arg].ty.ty);
        let int_suffix = || match first.and_then(|ty| self.unit.types.int_kind_of(ty)) {
            Some(IntKind::Long | IntKind::ULong) => "l",
            Some(IntKind::LongLong | IntKind::ULongLong) => "ll",
            Some(IntKind::Int | IntKind::UInt) | None => "",
            // Only the generic forms take narrower and wider ones.
            Some(
                IntKind::Bool
                | IntKind::Char
                | IntKind::SChar
                | IntKind::UChar
                | IntKind::Short
                | IntKind::UShort
                | IntKind::Int128
                | IntKind::UInt128,
            ) => "g",
        };
        let float_suffix = || match first.and_then(|ty| self.unit.types.float_kind_of(ty)) {
            Some(FloatKind::Float | FloatKind::Float32) => "f",
            Some(FloatKind::LongDouble | FloatKind::Float64x) => "l",
            Some(FloatKind::Float128) => "f128",
            _ => "",
        };
        match builtin {
            Builtin::First if self.unit.types.is_pointer(ty) => "__builtin_assume_aligned".to_owned(),
            Builtin::First if args.len() == 3 => "__builtin_expect_with_probability".to_owned(),
            Builtin::Clz | Builtin::Ctz | Builtin::Ffs | Builtin::Popcount | Builtin::Parity | Builtin::Clrsb => {
                format!("{}{}", builtin.c_name(), if args.len() == 2 { "g" } else { int_suffix() })
            }
            Builtin::Fabs | Builtin::Copysign => format!("{}{}", builtin.c_name(), float_suffix()),
            _ => builtin.c_name().to_owned(),
        }
    }

    fn nondet_name(&self, ty: TyId) -> String {
        let word = match self.unit.types.get(ty) {
            Type::Int(kind) => nondet_word(*kind).to_owned(),
            Type::Float(kind) => kind.name().replace(' ', ""),
            Type::Pointer(_) => "pointer".to_owned(),
            _ => self.unit.types.int_kind_of(ty).map_or("int", nondet_word).to_owned(),
        };
        format!("__VERIFIER_nondet_{word}")
    }

    /// Declares the verification intrinsics that the unit calls without declaring them, before everything else.
    pub(super) fn intrinsic_declarations(&mut self) {
        let unit = self.unit;
        let mut lines: BTreeMap<String, String> = BTreeMap::new();
        for node in unit.exprs.iter() {
            let ExprKind::Builtin { builtin, args } = &node.kind else { continue };
            if builtin.is_gcc() {
                continue;
            }
            let name = match builtin {
                Builtin::Nondet => self.nondet_name(node.ty.ty),
                _ => builtin.c_name().to_owned(),
            };
            let is_declared = self.interner.lookup(&name).is_some_and(|symbol| self.global_names.contains(&symbol));
            if is_declared {
                continue;
            }
            let params: Vec<String> = args.iter().map(|&arg| self.type_name(unit.exprs[arg].ty.ty)).collect();
            let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
            let line = format!("{};\n", self.declare(node.ty, format!("{name}({params})")));
            lines.entry(name).or_insert(line);
        }
        let text: String = lines.into_values().collect();
        self.out.insert_str(self.types_end, &text);
    }
}

/// Whether the operation takes one memory order after two operands.
fn needs_order(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::AtomicFetchAdd
            | Builtin::AtomicFetchSub
            | Builtin::AtomicFetchAnd
            | Builtin::AtomicFetchOr
            | Builtin::AtomicFetchXor
            | Builtin::AtomicFetchNand
            | Builtin::AtomicAddFetch
            | Builtin::AtomicSubFetch
            | Builtin::AtomicAndFetch
            | Builtin::AtomicOrFetch
            | Builtin::AtomicXorFetch
            | Builtin::AtomicNandFetch
            | Builtin::AtomicStoreN
            | Builtin::AtomicExchangeN
    )
}

fn nondet_word(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "bool",
        IntKind::UChar => "uchar",
        IntKind::UShort => "ushort",
        IntKind::UInt => "uint",
        IntKind::ULong => "ulong",
        IntKind::LongLong => "longlong",
        IntKind::ULongLong => "ulonglong",
        IntKind::Int128 => "int128",
        IntKind::UInt128 => "uint128",
        IntKind::SChar => "schar",
        IntKind::Char | IntKind::Short | IntKind::Int | IntKind::Long => kind.name(),
    }
}

impl Builtin {
    /// The name in C; families over several types have their plain member's name here.
    pub fn c_name(self) -> &'static str {
        match self {
            Builtin::First => "__builtin_expect",
            Builtin::Unreachable => "__builtin_unreachable",
            Builtin::CompilerAssume => "__builtin_assume",
            Builtin::Trap => "__builtin_trap",
            Builtin::VaStart => "__builtin_va_start",
            Builtin::VaEnd => "__builtin_va_end",
            Builtin::VaCopy => "__builtin_va_copy",
            Builtin::AddOverflow => "__builtin_add_overflow",
            Builtin::SubOverflow => "__builtin_sub_overflow",
            Builtin::MulOverflow => "__builtin_mul_overflow",
            Builtin::AddOverflowP => "__builtin_add_overflow_p",
            Builtin::SubOverflowP => "__builtin_sub_overflow_p",
            Builtin::MulOverflowP => "__builtin_mul_overflow_p",
            Builtin::Clz => "__builtin_clz",
            Builtin::Ctz => "__builtin_ctz",
            Builtin::Ffs => "__builtin_ffs",
            Builtin::Popcount => "__builtin_popcount",
            Builtin::Parity => "__builtin_parity",
            Builtin::Clrsb => "__builtin_clrsb",
            Builtin::Bswap16 => "__builtin_bswap16",
            Builtin::Bswap32 => "__builtin_bswap32",
            Builtin::Bswap64 => "__builtin_bswap64",
            Builtin::Bswap128 => "__builtin_bswap128",
            Builtin::ObjectSize => "__builtin_object_size",
            Builtin::Alloca => "__builtin_alloca",
            Builtin::FrameAddress => "__builtin_frame_address",
            Builtin::ReturnAddress => "__builtin_return_address",
            Builtin::Prefetch => "__builtin_prefetch",
            Builtin::ClearCache => "__builtin___clear_cache",
            Builtin::IsNan => "__builtin_isnan",
            Builtin::IsInf => "__builtin_isinf",
            Builtin::IsInfSign => "__builtin_isinf_sign",
            Builtin::IsFinite => "__builtin_isfinite",
            Builtin::IsNormal => "__builtin_isnormal",
            Builtin::Signbit => "__builtin_signbit",
            Builtin::Fpclassify => "__builtin_fpclassify",
            Builtin::IsGreater => "__builtin_isgreater",
            Builtin::IsGreaterEqual => "__builtin_isgreaterequal",
            Builtin::IsLess => "__builtin_isless",
            Builtin::IsLessEqual => "__builtin_islessequal",
            Builtin::IsLessGreater => "__builtin_islessgreater",
            Builtin::IsUnordered => "__builtin_isunordered",
            Builtin::Fabs => "__builtin_fabs",
            Builtin::Copysign => "__builtin_copysign",
            Builtin::Unmodelled => "__builtin_unmodelled",
            Builtin::AtomicLoadN => "__atomic_load_n",
            Builtin::AtomicLoad => "__atomic_load",
            Builtin::AtomicStoreN => "__atomic_store_n",
            Builtin::AtomicStore => "__atomic_store",
            Builtin::AtomicExchangeN => "__atomic_exchange_n",
            Builtin::AtomicExchange => "__atomic_exchange",
            Builtin::AtomicCompareExchangeN => "__atomic_compare_exchange_n",
            Builtin::AtomicCompareExchange => "__atomic_compare_exchange",
            Builtin::AtomicFetchAdd => "__atomic_fetch_add",
            Builtin::AtomicFetchSub => "__atomic_fetch_sub",
            Builtin::AtomicFetchAnd => "__atomic_fetch_and",
            Builtin::AtomicFetchOr => "__atomic_fetch_or",
            Builtin::AtomicFetchXor => "__atomic_fetch_xor",
            Builtin::AtomicFetchNand => "__atomic_fetch_nand",
            Builtin::AtomicAddFetch => "__atomic_add_fetch",
            Builtin::AtomicSubFetch => "__atomic_sub_fetch",
            Builtin::AtomicAndFetch => "__atomic_and_fetch",
            Builtin::AtomicOrFetch => "__atomic_or_fetch",
            Builtin::AtomicXorFetch => "__atomic_xor_fetch",
            Builtin::AtomicNandFetch => "__atomic_nand_fetch",
            Builtin::AtomicTestAndSet => "__atomic_test_and_set",
            Builtin::AtomicClear => "__atomic_clear",
            Builtin::AtomicThreadFence => "__atomic_thread_fence",
            Builtin::AtomicSignalFence => "__atomic_signal_fence",
            Builtin::AtomicIsLockFree => "__atomic_is_lock_free",
            Builtin::SyncBoolCompareAndSwap => "__sync_bool_compare_and_swap",
            Builtin::SyncValCompareAndSwap => "__sync_val_compare_and_swap",
            Builtin::SyncLockTestAndSet => "__sync_lock_test_and_set",
            Builtin::SyncLockRelease => "__sync_lock_release",
            Builtin::SyncSynchronize => "__sync_synchronize",
            Builtin::Assume => "__VERIFIER_assume",
            Builtin::Assert => "__CPROVER_assert",
            Builtin::Nondet => "__VERIFIER_nondet",
            Builtin::Async => "__CPROVER_async",
            Builtin::Ignored => "__CPROVER_output",
            Builtin::AtomicBegin => "__VERIFIER_atomic_begin",
            Builtin::AtomicEnd => "__VERIFIER_atomic_end",
            Builtin::UnpickAlloc => "__unpick_alloc",
            Builtin::UnpickFree => "__unpick_free",
            Builtin::UnpickObjectSize => "__unpick_object_size",
            Builtin::UnpickMemcpy => "__unpick_memcpy",
            Builtin::UnpickMemmove => "__unpick_memmove",
            Builtin::UnpickMemset => "__unpick_memset",
            Builtin::UnpickMemAny => "__unpick_memany",
            Builtin::UnpickWritable => "__unpick_writable",
            Builtin::UnpickOutput => "__unpick_output",
            Builtin::UnpickExit => "__unpick_exit",
            Builtin::UnpickAbort => "__unpick_abort",
            Builtin::UnpickFail => "__unpick_fail",
            Builtin::UnpickUnmodelled => "__unpick_unmodelled",
            Builtin::UnpickNote => "__unpick_note",
            Builtin::UnpickOption => "__unpick_option",
            Builtin::UnpickSqrt => "__unpick_sqrt",
            Builtin::UnpickFloor => "__unpick_floor",
            Builtin::UnpickCeil => "__unpick_ceil",
            Builtin::UnpickTrunc => "__unpick_trunc",
            Builtin::UnpickRound => "__unpick_round",
            Builtin::UnpickRint => "__unpick_rint",
            Builtin::UnpickFmod => "__unpick_fmod",
            Builtin::UnpickWait => "__unpick_wait",
            Builtin::UnpickLongJump => "__unpick_long_jump",
            Builtin::UnpickEndThread => "__unpick_end_thread",
            Builtin::UnpickSpawn => "__unpick_spawn",
            Builtin::UnpickSelf => "__unpick_self",
            Builtin::UnpickEnded => "__unpick_ended",
            Builtin::UnpickProgress => "__unpick_progress",
            Builtin::UnpickTaken => "__unpick_taken",
            Builtin::UnpickGot => "__unpick_got",
            Builtin::UnpickDisableInterrupts => "__unpick_disable_interrupts",
            Builtin::UnpickEnableInterrupts => "__unpick_enable_interrupts",
            Builtin::UnpickGivenBack => "__unpick_given_back",
        }
    }

    /// Whether gcc knows the function, so that it needs no declaration.
    pub fn is_gcc(self) -> bool {
        let name = self.c_name();
        !name.starts_with("__VERIFIER_") && !name.starts_with("__CPROVER_") && !name.starts_with("__unpick_")
    }
}
