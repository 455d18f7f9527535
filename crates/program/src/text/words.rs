//! Keywords of the text form: one table for each enumeration, used in both directions.

use crate::program::*;

/// An enumeration whose values have a word each.
pub(super) trait Word: Sized {
    /// The word of this value.
    fn word(self) -> &'static str;
    /// The value of a word.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($($kind:ident { $($variant:ident $word:literal)* })*) => {$(
        impl Word for $kind {
            fn word(self) -> &'static str {
                match self {
                    $($kind::$variant => $word,)*
                }
            }
            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($kind::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

words! {
    BinOp {
        Add "add" Sub "sub" Mul "mul" SDiv "sdiv" UDiv "udiv" SRem "srem" URem "urem" Shl "shl" LShr "lshr"
        AShr "ashr" And "and" Or "or" Xor "xor" FAdd "fadd" FSub "fsub" FMul "fmul" FDiv "fdiv" FRem "frem"
    }
    UnOp {
        Neg "neg" NegChecked "neg.checked" Not "not" FNeg "fneg" FAbs "fabs" FSqrt "fsqrt" FFloor "ffloor"
        FCeil "fceil" FTrunc "ftrunc" FRound "fround" FRint "frint" Clz "clz" Ctz "ctz" Popcount "popcount"
        Bswap "bswap"
    }
    CmpOp {
        Eq "eq" Ne "ne" SLt "slt" SLe "sle" SGt "sgt" SGe "sge" ULt "ult" ULe "ule" UGt "ugt" UGe "uge"
        FEq "feq" FNe "fne" FLt "flt" FLe "fle" FGt "fgt" FGe "fge" FUno "funo"
    }
    CastOp {
        ZeroExtend "zext" SignExtend "sext" Truncate "trunc" SignedToFloat "stof" UnsignedToFloat "utof"
        FloatToSigned "ftos" FloatToUnsigned "ftou" FloatToFloat "ftof" PtrToInt "ptrtoint"
        IntToPtr "inttoptr" Bitcast "bitcast"
    }
    Order {
        Relaxed "relaxed" Consume "consume" Acquire "acquire" Release "release" AcqRel "acqrel"
        SeqCst "seqcst"
    }
    RmwOp { Exchange "exchange" Add "add" Sub "sub" And "and" Or "or" Xor "xor" Nand "nand" }
    InterruptOp { Enter "enter" Leave "leave" Set "set" Nest "nest" Get "get" }
    DeviceRead { Any "any" Held "held" }
    DeviceWrite { Ignored "ignored" Held "held" ClearsOnes "clears.ones" }
    AllocKind { Heap "heap" Stack "stack" }
    Contents { Indeterminate "indeterminate" Zero "zero" Any "any" }
}

/// A type's word.
pub(super) fn ty_word(ty: Ty) -> String {
    match ty {
        Ty::Int(width) => format!("i{width}"),
        Ty::F32 => "f32".into(),
        Ty::F64 => "f64".into(),
        Ty::F80 => "f80".into(),
        Ty::F128 => "f128".into(),
        Ty::Ptr => "ptr".into(),
    }
}

/// The type of a word. Widths outside 1 to 128 are no types.
pub(super) fn ty_of_word(word: &str) -> Option<Ty> {
    match word {
        "f32" => Some(Ty::F32),
        "f64" => Some(Ty::F64),
        "f80" => Some(Ty::F80),
        "f128" => Some(Ty::F128),
        "ptr" => Some(Ty::Ptr),
        _ => {
            let width: u8 = number_after(word, "i")?.try_into().ok()?;
            (1..=128).contains(&width).then_some(Ty::Int(width))
        }
    }
}

/// The number of an id like `r12`, if the word is its prefix followed by digits.
pub(super) fn number_after(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

/// Whether the word starts an item of a program.
pub(super) fn is_item_word(word: &str) -> bool {
    matches!(word, "pointer" | "entry" | "file" | "shape" | "global" | "fn")
}

/// Whether a name would be taken for something else if it stood without quotes.
pub(super) fn is_reserved(name: &str) -> bool {
    is_item_word(name) || ["r", "b", "slot", "shape"].into_iter().any(|prefix| looks_like_id(name, prefix))
}

fn looks_like_id(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
