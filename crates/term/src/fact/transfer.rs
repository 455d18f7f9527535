//! Transfer functions: from the facts of the arguments to that of the result. The functions on known bits of sums are those
//! of LLVM's `KnownBits` (carries that are certain on both extremes); ranges are corner values where nothing wraps.

use super::{Fact, gcd, signed};
use crate::bits::mask;
use crate::node::Op;

/// What is known of the result of an operation of width 2 to [`Fact::MAX_WIDTH`]; `low` is the lowest bit of an extraction.
pub(crate) fn transfer(op: Op, width: u32, low: u32, args: &[Fact]) -> Fact {
    let fact = match op {
        Op::Not => not(&args[0]),
        Op::And => and(&args[0], &args[1]),
        Op::Xor => xor(&args[0], &args[1]),
        Op::Neg => neg(&args[0]),
        Op::Add => add(&args[0], &args[1]),
        Op::Mul => mul(&args[0], &args[1]),
        Op::Udiv => udiv(&args[0], &args[1]),
        Op::Urem => urem(&args[0], &args[1]),
        Op::Shl => shl(&args[0], &args[1]),
        Op::Lshr => lshr(&args[0], &args[1]),
        Op::Ashr => ashr(&args[0], &args[1]),
        Op::Ite => args[1].join(&args[2]),
        Op::Concat => concat(&args[0], &args[1]),
        Op::Extract => extract(&args[0], width, low),
        Op::Zext => zext(&args[0], width),
        Op::Sext => sext(&args[0], width),
        Op::Clz => from_range(width, leading_zeros(width, args[0].umax), leading_zeros(width, args[0].umin)),
        Op::Ctz => ctz(&args[0]),
        Op::Popcount => {
            let (least, most) = (args[0].ones.count_ones(), width - args[0].zeros.count_ones());
            from_range(width, u128::from(least), u128::from(most))
        }
        Op::Const | Op::Input | Op::Eq | Op::Ult | Op::Slt | Op::UmulOverflow | Op::SmulOverflow => {
            Fact::unknown(width)
        }
        Op::Fp(_) | Op::ConstArray | Op::Store | Op::Select | Op::Fill | Op::Copy => Fact::unknown(width),
    };
    debug_assert_eq!(fact.width, width);
    fact.reduced()
}

fn from_range(width: u32, umin: u128, umax: u128) -> Fact {
    Fact { umin, umax, ..Fact::unknown(width) }
}

fn not(x: &Fact) -> Fact {
    let all = mask(x.width);
    Fact {
        zeros: x.ones,
        ones: x.zeros,
        umin: all - x.umax,
        umax: all - x.umin,
        smin: !x.smax,
        smax: !x.smin,
        ..Fact::unknown(x.width)
    }
}

fn and(x: &Fact, y: &Fact) -> Fact {
    Fact { zeros: x.zeros | y.zeros, ones: x.ones & y.ones, umax: x.umax.min(y.umax), ..Fact::unknown(x.width) }
}

fn xor(x: &Fact, y: &Fact) -> Fact {
    let ones = x.ones & y.zeros | x.zeros & y.ones;
    let zeros = x.zeros & y.zeros | x.ones & y.ones;
    Fact { zeros, ones, ..Fact::unknown(x.width) }
}

/// Known bits of `x + y + carry`.
fn bits_of_sum(width: u32, x: (u128, u128), y: (u128, u128), carry: bool) -> (u128, u128) {
    let ((x_zeros, x_ones), (y_zeros, y_ones)) = (x, y);
    let carry = u128::from(carry);
    let greatest = (!x_zeros).wrapping_add(!y_zeros).wrapping_add(carry);
    let least = x_ones.wrapping_add(y_ones).wrapping_add(carry);
    let no_carry = !(greatest ^ x_zeros ^ y_zeros);
    let is_carry = least ^ x_ones ^ y_ones;
    let known = (x_zeros | x_ones) & (y_zeros | y_ones) & (no_carry | is_carry) & mask(width);
    (!greatest & known, least & known)
}

fn add(x: &Fact, y: &Fact) -> Fact {
    let width = x.width;
    let (zeros, ones) = bits_of_sum(width, (x.zeros, x.ones), (y.zeros, y.ones), false);
    let mut fact = Fact { zeros, ones, ..Fact::unknown(width) };
    let fits = |sum: Option<u128>| sum.filter(|&sum| sum <= mask(width));
    if let Some(umax) = fits(x.umax.checked_add(y.umax)) {
        (fact.umin, fact.umax) = (x.umin + y.umin, umax);
        (fact.stride, fact.residue) = congruence(gcd(x.stride, y.stride), x.residue.checked_add(y.residue));
    } else if fits(x.umin.checked_add(y.umin)).is_none() {
        // Always one turn too far.
        fact.umin = x.umin.wrapping_add(y.umin) & mask(width);
        fact.umax = x.umax.wrapping_add(y.umax) & mask(width);
    }
    (fact.smin, fact.smax) =
        signed_range(width, x.smin.checked_add(y.smin), x.smax.checked_add(y.smax)).unwrap_or((fact.smin, fact.smax));
    fact
}

/// A congruence, if the residue could be computed.
fn congruence(stride: u128, residue: Option<u128>) -> (u128, u128) {
    match (stride, residue) {
        (0, Some(residue)) => (0, residue),
        (_, Some(residue)) => (stride, residue % stride),
        (_, None) => (1, 0),
    }
}

/// A range of exact signed results, if no result leaves the width.
fn signed_range(width: u32, smin: Option<i128>, smax: Option<i128>) -> Option<(i128, i128)> {
    let whole = Fact::unknown(width);
    let (smin, smax) = (smin?, smax?);
    (whole.smin <= smin && smax <= whole.smax).then_some((smin, smax))
}

fn neg(x: &Fact) -> Fact {
    let width = x.width;
    let (zeros, ones) = bits_of_sum(width, (x.ones, x.zeros), (mask(width), 0), true);
    let mut fact = Fact { zeros, ones, ..Fact::unknown(width) };
    if x.umin > 0 {
        (fact.umin, fact.umax) = (mask(width) - x.umax + 1, mask(width) - x.umin + 1);
    }
    (fact.smin, fact.smax) =
        signed_range(width, x.smax.checked_neg(), x.smin.checked_neg()).unwrap_or((fact.smin, fact.smax));
    fact
}

fn mul(x: &Fact, y: &Fact) -> Fact {
    let width = x.width;
    let mut fact = Fact::unknown(width);
    // The lowest bits depend on the lowest bits only; zeros at the end add up.
    let n_known = |fact: &Fact| (fact.zeros | fact.ones).trailing_ones().min(width);
    let low = mask(n_known(x).min(n_known(y)));
    let product = x.ones.wrapping_mul(y.ones);
    let zeros_below = (x.zeros.trailing_ones() + y.zeros.trailing_ones()).min(width);
    fact.ones = product & low & mask(width);
    fact.zeros = (!product & low | mask(zeros_below)) & mask(width);
    if let Some(umax) = x.umax.checked_mul(y.umax).filter(|&umax| umax <= mask(width)) {
        (fact.umin, fact.umax) = (x.umin * y.umin, umax);
        (fact.stride, fact.residue) = stride_of_product(x, y).unwrap_or((1, 0));
    }
    let corners = [(x.smin, y.smin), (x.smin, y.smax), (x.smax, y.smin), (x.smax, y.smax)];
    let products: Option<Vec<i128>> = corners.iter().map(|&(a, b)| a.checked_mul(b)).collect();
    if let Some(products) = products {
        let (smin, smax) = (products.iter().min().copied(), products.iter().max().copied());
        (fact.smin, fact.smax) = signed_range(width, smin, smax).unwrap_or((fact.smin, fact.smax));
    }
    fact
}

/// `(s*a + r) * (t*b + q)` is `r*q` modulo the divisor that `s*t`, `s*q` and `t*r` have in common.
fn stride_of_product(x: &Fact, y: &Fact) -> Option<(u128, u128)> {
    let both = x.stride.checked_mul(y.stride)?;
    let (first, second) = (x.stride.checked_mul(y.residue)?, y.stride.checked_mul(x.residue)?);
    Some(congruence(gcd(gcd(both, first), second), x.residue.checked_mul(y.residue)))
}

fn udiv(x: &Fact, y: &Fact) -> Fact {
    // By 0 the result is all ones, which is the greatest of all.
    let umax = x.umax.checked_div(y.umin).unwrap_or(mask(x.width));
    from_range(x.width, x.umin.checked_div(y.umax).unwrap_or(mask(x.width)), umax)
}

fn urem(x: &Fact, y: &Fact) -> Fact {
    let mut fact = from_range(x.width, 0, x.umax);
    if x.umax < y.umin {
        return *x;
    }
    if y.umin > 0 {
        fact.umax = fact.umax.min(y.umax - 1);
    }
    if y.stride == 0 && y.residue > 0 {
        let step = gcd(x.stride, y.residue);
        (fact.stride, fact.residue) = congruence(step, Some(x.residue));
    }
    fact
}

fn shl(x: &Fact, amount: &Fact) -> Fact {
    let width = x.width;
    let mut fact = Fact::unknown(width);
    if amount.umin >= u128::from(width) {
        return Fact::constant(width, 0);
    }
    let zeros_below = x.zeros.trailing_ones() + amount.umin as u32;
    fact.zeros = mask(zeros_below.min(width));
    if amount.umax <= u128::from(x.leading_zeros()) {
        // Nothing is lost. Only 0 is shifted by all 128 bits.
        fact.umin = x.umin.checked_shl(amount.umin as u32).unwrap_or(0);
        fact.umax = x.umax.checked_shl(amount.umax as u32).unwrap_or(0);
    }
    fact
}

fn lshr(x: &Fact, amount: &Fact) -> Fact {
    let shifted = |value: u128, amount: u128| value.checked_shr(amount.min(128) as u32).unwrap_or(0);
    from_range(x.width, shifted(x.umin, amount.umax), shifted(x.umax, amount.umin))
}

fn ashr(x: &Fact, amount: &Fact) -> Fact {
    let (least, most) = (amount.umin.min(127) as u32, amount.umax.min(127) as u32);
    // The further, the nearer to 0 or -1.
    let smin = if x.smin < 0 { x.smin >> least } else { x.smin >> most };
    let smax = if x.smax < 0 { x.smax >> most } else { x.smax >> least };
    Fact { smin, smax, ..Fact::unknown(x.width) }
}

fn concat(x: &Fact, y: &Fact) -> Fact {
    let join = |high: u128, low: u128| high << y.width | low;
    let (umin, umax) = (join(x.umin, y.umin), join(x.umax, y.umax));
    let step = x.stride.checked_mul(1 << y.width).map(|high| gcd(high, y.stride));
    let residue = (x.residue << y.width).checked_add(y.residue);
    let (stride, residue) = step.map_or((1, 0), |step| congruence(step, residue));
    let (zeros, ones) = (join(x.zeros, y.zeros), join(x.ones, y.ones));
    Fact { zeros, ones, umin, umax, stride, residue, ..Fact::unknown(x.width + y.width) }
}

fn extract(x: &Fact, width: u32, low: u32) -> Fact {
    let part = |value: u128| value >> low & mask(width);
    let mut fact = Fact { zeros: part(x.zeros), ones: part(x.ones), ..Fact::unknown(width) };
    let above = |value: u128| value.checked_shr(low + width).unwrap_or(0);
    if above(x.umin) == above(x.umax) {
        (fact.umin, fact.umax) = (part(x.umin), part(x.umax));
    }
    if low == 0 && x.umax <= mask(width) {
        (fact.stride, fact.residue) = (x.stride, x.residue);
    }
    let whole = Fact::unknown(width);
    if low == 0 && whole.smin <= x.smin && x.smax <= whole.smax {
        (fact.smin, fact.smax) = (x.smin, x.smax);
    }
    fact
}

fn zext(x: &Fact, width: u32) -> Fact {
    let zeros = x.zeros | mask(width) & !mask(x.width);
    Fact { width, zeros, smin: 0, smax: signed(width, mask(width) >> 1), ..*x }
}

fn sext(x: &Fact, width: u32) -> Fact {
    let extend = |bits: u128| signed(x.width, bits) as u128 & mask(width);
    let mut fact =
        Fact { zeros: extend(x.zeros), ones: extend(x.ones), smin: x.smin, smax: x.smax, ..Fact::unknown(width) };
    if x.smin >= 0 {
        (fact.stride, fact.residue) = (x.stride, x.residue);
    }
    fact
}

fn leading_zeros(width: u32, value: u128) -> u128 {
    u128::from(value.leading_zeros() - (128 - width))
}

fn ctz(x: &Fact) -> Fact {
    let least = x.zeros.trailing_ones().min(x.width);
    let most = x.ones.trailing_zeros().min(x.width);
    from_range(x.width, u128::from(least), u128::from(most))
}
