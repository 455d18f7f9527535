//! Value macros of the C library, for sources that use them without the header.
//!
//! Values are those of glibc on Linux. Functions are not listed here: the library models know their types.

use crate::types::TyId;

/// A macro that stands for a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    pub header: &'static str,
    pub value: ConstantValue,
}

/// What it stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConstantValue {
    /// An `int`.
    Int(i128),
    /// The ends of an integer type.
    Least(TyId),
    Greatest(TyId),
    /// The greatest `size_t`.
    GreatestSize,
    Null,
    /// Digits of a floating constant.
    Float(&'static str, TyId),
}

/// Macros that stand for something else than a constant, with their headers.
pub const MACROS: &[(&str, &str)] = &[("assert", "assert.h"), ("errno", "errno.h")];

/// The constant of this name.
pub fn constant(name: &str) -> Option<Constant> {
    let (_, header, value) = CONSTANTS.iter().find(|(known, ..)| *known == name)?;
    Some(Constant { header, value: *value })
}

use ConstantValue::{Float, Greatest, GreatestSize, Int, Least, Null};

const CONSTANTS: &[(&str, &str, ConstantValue)] = &[
    ("NULL", "stddef.h", Null),
    ("true", "stdbool.h", Int(1)),
    ("false", "stdbool.h", Int(0)),
    ("EXIT_SUCCESS", "stdlib.h", Int(0)),
    ("EXIT_FAILURE", "stdlib.h", Int(1)),
    ("RAND_MAX", "stdlib.h", Int(2_147_483_647)),
    ("EOF", "stdio.h", Int(-1)),
    ("BUFSIZ", "stdio.h", Int(8192)),
    ("SEEK_SET", "stdio.h", Int(0)),
    ("SEEK_CUR", "stdio.h", Int(1)),
    ("SEEK_END", "stdio.h", Int(2)),
    ("STDIN_FILENO", "unistd.h", Int(0)),
    ("STDOUT_FILENO", "unistd.h", Int(1)),
    ("STDERR_FILENO", "unistd.h", Int(2)),
    ("CHAR_BIT", "limits.h", Int(8)),
    ("CHAR_MIN", "limits.h", Int(-128)),
    ("CHAR_MAX", "limits.h", Int(127)),
    ("SCHAR_MIN", "limits.h", Int(-128)),
    ("SCHAR_MAX", "limits.h", Int(127)),
    ("UCHAR_MAX", "limits.h", Int(255)),
    ("SHRT_MIN", "limits.h", Int(-32_768)),
    ("SHRT_MAX", "limits.h", Int(32_767)),
    ("USHRT_MAX", "limits.h", Int(65_535)),
    ("INT_MIN", "limits.h", Least(TyId::INT)),
    ("INT_MAX", "limits.h", Greatest(TyId::INT)),
    ("UINT_MAX", "limits.h", Greatest(TyId::UINT)),
    ("LONG_MIN", "limits.h", Least(TyId::LONG)),
    ("LONG_MAX", "limits.h", Greatest(TyId::LONG)),
    ("ULONG_MAX", "limits.h", Greatest(TyId::ULONG)),
    ("LLONG_MIN", "limits.h", Least(TyId::LONGLONG)),
    ("LLONG_MAX", "limits.h", Greatest(TyId::LONGLONG)),
    ("ULLONG_MAX", "limits.h", Greatest(TyId::ULONGLONG)),
    ("PATH_MAX", "limits.h", Int(4096)),
    ("INT8_MIN", "stdint.h", Int(-128)),
    ("INT8_MAX", "stdint.h", Int(127)),
    ("UINT8_MAX", "stdint.h", Int(255)),
    ("INT16_MIN", "stdint.h", Int(-32_768)),
    ("INT16_MAX", "stdint.h", Int(32_767)),
    ("UINT16_MAX", "stdint.h", Int(65_535)),
    ("INT32_MIN", "stdint.h", Least(TyId::INT)),
    ("INT32_MAX", "stdint.h", Greatest(TyId::INT)),
    ("UINT32_MAX", "stdint.h", Greatest(TyId::UINT)),
    ("INT64_MIN", "stdint.h", Least(TyId::LONGLONG)),
    ("INT64_MAX", "stdint.h", Greatest(TyId::LONGLONG)),
    ("UINT64_MAX", "stdint.h", Greatest(TyId::ULONGLONG)),
    ("SIZE_MAX", "stdint.h", GreatestSize),
    ("FLT_EPSILON", "float.h", Float("1.19209290e-7", TyId::FLOAT)),
    ("FLT_MIN", "float.h", Float("1.17549435e-38", TyId::FLOAT)),
    ("FLT_MAX", "float.h", Float("3.40282347e+38", TyId::FLOAT)),
    ("DBL_EPSILON", "float.h", Float("2.2204460492503131e-16", TyId::DOUBLE)),
    ("DBL_MIN", "float.h", Float("2.2250738585072014e-308", TyId::DOUBLE)),
    ("DBL_MAX", "float.h", Float("1.7976931348623157e+308", TyId::DOUBLE)),
    ("M_PI", "math.h", Float("3.14159265358979323846", TyId::DOUBLE)),
    ("EPERM", "errno.h", Int(1)),
    ("ENOENT", "errno.h", Int(2)),
    ("ESRCH", "errno.h", Int(3)),
    ("EINTR", "errno.h", Int(4)),
    ("EIO", "errno.h", Int(5)),
    ("EBADF", "errno.h", Int(9)),
    ("EAGAIN", "errno.h", Int(11)),
    ("EWOULDBLOCK", "errno.h", Int(11)),
    ("ENOMEM", "errno.h", Int(12)),
    ("EACCES", "errno.h", Int(13)),
    ("EBUSY", "errno.h", Int(16)),
    ("EEXIST", "errno.h", Int(17)),
    ("EINVAL", "errno.h", Int(22)),
    ("ENOSPC", "errno.h", Int(28)),
    ("EPIPE", "errno.h", Int(32)),
    ("EDOM", "errno.h", Int(33)),
    ("ERANGE", "errno.h", Int(34)),
    ("EDEADLK", "errno.h", Int(35)),
    ("ENOSYS", "errno.h", Int(38)),
    ("ETIMEDOUT", "errno.h", Int(110)),
];
