//! Schoolbook arithmetic on limbs, least significant first (Knuth, The Art of Computer Programming 4.3.1); division bit by
//! bit, because constants of this size are divided by next to nobody.

/// Clears the bits from `width` on.
pub fn truncate(limbs: &mut [u64], width: u32) {
    for (position, limb) in limbs.iter_mut().enumerate() {
        let rest = width.saturating_sub(position as u32 * 64);
        if rest < 64 {
            *limb &= (1 << rest) - 1;
        }
    }
}

/// Whether all bits from `width` on are clear.
pub fn fits(limbs: &[u64], width: u32) -> bool {
    let mut truncated = limbs.to_vec();
    truncate(&mut truncated, width);
    truncated == limbs
}

pub fn add(left: &[u64], right: &[u64], mut carry: bool) -> Vec<u64> {
    let mut sum = Vec::with_capacity(left.len());
    for (&a, &b) in left.iter().zip(right) {
        let (partial, first) = a.overflowing_add(b);
        let (total, second) = partial.overflowing_add(u64::from(carry));
        carry = first || second;
        sum.push(total);
    }
    sum
}

pub fn mul(left: &[u64], right: &[u64]) -> Vec<u64> {
    let mut product = vec![0u64; left.len()];
    for (i, &a) in left.iter().enumerate() {
        let mut carry = 0u128;
        for (j, &b) in right.iter().enumerate().take(left.len() - i) {
            let total = u128::from(a) * u128::from(b) + u128::from(product[i + j]) + carry;
            product[i + j] = total as u64;
            carry = total >> 64;
        }
    }
    product
}

pub fn shift_left(limbs: &[u64], distance: u32) -> Vec<u64> {
    let (whole, part) = (distance as usize / 64, distance % 64);
    let limb = |position: Option<usize>| position.and_then(|position| limbs.get(position)).copied().unwrap_or(0);
    let shifted = |position: usize| {
        let high = limb(position.checked_sub(whole)) << part;
        let low = if part == 0 { 0 } else { limb(position.checked_sub(whole + 1)) >> (64 - part) };
        high | low
    };
    (0..limbs.len()).map(shifted).collect()
}

pub fn shift_right(limbs: &[u64], distance: u32) -> Vec<u64> {
    let (whole, part) = (distance as usize / 64, distance % 64);
    let limb = |position: usize| limbs.get(position).copied().unwrap_or(0);
    let shifted = |position: usize| {
        let low = limb(position + whole) >> part;
        let high = if part == 0 { 0 } else { limb(position + whole + 1) << (64 - part) };
        low | high
    };
    (0..limbs.len()).map(shifted).collect()
}

/// Quotient and remainder; by 0 all ones (of whole limbs) and the dividend.
pub fn divide(left: &[u64], right: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if right.iter().all(|&limb| limb == 0) {
        return (vec![u64::MAX; left.len()], left.to_vec());
    }
    // One limb more: the remainder shifted by one may need it.
    let mut remainder = vec![0u64; left.len() + 1];
    let mut quotient = vec![0u64; left.len()];
    let divisor: Vec<u64> = right.iter().copied().chain([0]).collect();
    let negated: Vec<u64> = divisor.iter().map(|limb| !limb).collect();
    for position in (0..left.len() * 64).rev() {
        remainder = shift_left(&remainder, 1);
        remainder[0] |= left[position / 64] >> (position % 64) & 1;
        if remainder.iter().rev().ge(divisor.iter().rev()) {
            remainder = add(&remainder, &negated, true);
            quotient[position / 64] |= 1 << (position % 64);
        }
    }
    remainder.pop();
    (quotient, remainder)
}
