//! Nodes a second and bytes a node, on the kind of terms that executing a program symbolically makes: a checksum over bytes, a
//! sort by conditional exchange, guards and reads of an array. `cargo run --release -p unpick-term --example rates`.

use std::time::Instant;

use unpick_term::{Level, Signedness, Sort, Term, Terms};

fn main() {
    for level in [Level::Fold, Level::Zero, Level::One] {
        let start = Instant::now();
        let mut terms = Terms::new();
        terms.set_level(level);
        let mut round = 0;
        while terms.n_nodes() < 2_000_000 {
            program(&mut terms, round);
            round += 1;
        }
        let (nodes, seconds) = (terms.n_nodes() as f64, start.elapsed().as_secs_f64());
        let bytes = terms.n_bytes() as f64 / nodes;
        println!("{level:?}: {:.2} million nodes a second, {bytes:.0} bytes a node", nodes / seconds / 1e6);
        if level == Level::One {
            let mut uses: Vec<(u64, &str)> = terms.rule_uses().map(|(rule, uses)| (uses, rule.name)).collect();
            uses.sort_unstable_by(|one, other| other.cmp(one));
            for (uses, name) in uses.iter().take(12) {
                println!("{uses:9} {name}");
            }
        }
    }
}

fn program(terms: &mut Terms, round: usize) {
    let bytes: Vec<Term> = (0..16).map(|index| terms.input(&format!("b{round}.{index}"), Sort::Bits(8))).collect();
    let memory = terms.input(&format!("m{round}"), Sort::Array { index: 64, element: 8 });
    let checksum = checksum(terms, &bytes);
    let mut words: Vec<Term> = bytes.chunks(4).map(|chunk| word(terms, chunk)).collect();
    words.push(checksum);
    sort(terms, &mut words);
    let mut array = memory;
    for &value in &words {
        let low = terms.extract(value, 15, 0);
        let index = terms.zext(low, 64);
        let byte = terms.extract(value, 7, 0);
        array = terms.store(array, index, byte);
        let next = terms.constant(64, 1);
        let next = terms.add(index, next);
        let read = terms.select(array, next);
        let wide = terms.zext(read, 32);
        let sum = terms.checked_add(wide, value, Signedness::Signed);
        let limit = terms.constant(32, 1000);
        let guard = terms.slt(sum.result, limit);
        terms.implies(guard, sum.ok);
    }
}

/// Shifts, exclusive ors and conditional polynomials, as a CRC has them.
fn checksum(terms: &mut Terms, bytes: &[Term]) -> Term {
    let mut crc = terms.constant(32, 0xffff_ffff);
    let polynomial = terms.constant(32, 0xedb8_8320);
    let one = terms.constant(32, 1);
    for &byte in bytes {
        let wide = terms.zext(byte, 32);
        crc = terms.xor(crc, wide);
        for _ in 0..8 {
            let bit = terms.bit(crc, 0);
            let shifted = terms.lshr(crc, one);
            let changed = terms.xor(shifted, polynomial);
            crc = terms.ite(bit, changed, shifted);
        }
    }
    crc
}

/// Four bytes as C puts them together.
fn word(terms: &mut Terms, bytes: &[Term]) -> Term {
    let mut word = terms.constant(32, 0);
    for (position, &byte) in bytes.iter().enumerate() {
        let wide = terms.zext(byte, 32);
        let amount = terms.constant(32, 8 * position as u128);
        let shifted = terms.shl(wide, amount);
        word = terms.or(word, shifted);
    }
    word
}

fn sort(terms: &mut Terms, words: &mut [Term]) {
    for end in (1..words.len()).rev() {
        for position in 0..end {
            let (left, right) = (words[position], words[position + 1]);
            let is_less = terms.slt(right, left);
            words[position] = terms.ite(is_less, right, left);
            words[position + 1] = terms.ite(is_less, left, right);
        }
    }
}
