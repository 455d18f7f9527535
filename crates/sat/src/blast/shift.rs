//! Barrel shifters: one row of multiplexers for each bit of the amount that can matter.

use super::{Word, choose};
use crate::aig::{Aig, Edge};

/// To the left; zeros come in.
pub(super) fn left(aig: &mut Aig, word: &[Edge], amount: &[Edge]) -> Word {
    let reversed: Word = word.iter().rev().copied().collect();
    let mut shifted = right(aig, &reversed, amount, Edge::FALSE);
    shifted.reverse();
    shifted
}

/// To the right; the fill comes in.
pub(super) fn right(aig: &mut Aig, word: &[Edge], amount: &[Edge], fill: Edge) -> Word {
    let width = word.len();
    let is_inside = |position: usize| position < usize::BITS as usize && 1_usize << position < width;
    let mut shifted = word.to_vec();
    for (position, bit) in amount.iter().enumerate().take_while(|(position, _)| is_inside(*position)) {
        let step = 1 << position;
        let moved: Word = (0..width).map(|at| shifted.get(at + step).copied().unwrap_or(fill)).collect();
        shifted = choose(aig, *bit, &moved, &shifted);
    }
    let beyond: Word = (0..).zip(amount).filter(|(position, _)| !is_inside(*position)).map(|(_, bit)| *bit).collect();
    let is_beyond = aig.or_all(&beyond);
    choose(aig, is_beyond, &vec![fill; width], &shifted)
}
