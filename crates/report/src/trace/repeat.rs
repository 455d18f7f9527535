//! Loops of a short trace: the first round and the last, and how many are between.
//!
//! Rounds are runs of the same statements on the same lines in the same threads, whatever the values; only many of them
//! are worth a fold. What an endless execution repeats is not folded together with what comes before.

use unpick_witness::{Step, Trace};

use super::Told;

/// Longer rounds are not looked for.
const MAX_ROUND: usize = 32;
/// Fewer rounds are shown.
const MIN_ROUNDS: usize = 5;

/// The steps that are shown, given those that a short trace tells.
pub(super) fn fold(trace: &Trace, told: &[usize]) -> Vec<Told> {
    let n_before = trace.loop_start.map_or(told.len(), |start| told.partition_point(|at| *at < start));
    let (before, repeated) = told.split_at(n_before);
    let mut shown = fold_part(trace, before);
    shown.extend(fold_part(trace, repeated));
    shown
}

fn fold_part(trace: &Trace, told: &[usize]) -> Vec<Told> {
    let mut shown = Vec::new();
    let mut at = 0;
    while at < told.len() {
        let plain = |at: usize| Told { at: told[at], repeated: None };
        match round(trace, &told[at..]) {
            Some((n_rounds, len)) => {
                shown.extend((at..at + len).map(plain));
                at += n_rounds * len;
                let last = at - len;
                shown.push(Told { at: told[last], repeated: Some((n_rounds - 2, len)) });
                shown.extend((last + 1..at).map(plain));
            }
            None => {
                shown.push(plain(at));
                at += 1;
            }
        }
    }
    shown
}

/// How many rounds of how many steps begin with the first one, if there are enough; the shortest round that explains most.
fn round(trace: &Trace, told: &[usize]) -> Option<(usize, usize)> {
    let is_alike = |left: usize, right: usize| place(&trace.steps[left]) == place(&trace.steps[right]);
    let mut best: Option<(usize, usize)> = None;
    for len in 1..=MAX_ROUND.min(told.len() / MIN_ROUNDS) {
        let n_alike = told.iter().zip(&told[len..]).take_while(|(left, right)| is_alike(**left, **right)).count();
        let n_rounds = n_alike / len + 1;
        if n_rounds >= MIN_ROUNDS && best.is_none_or(|(best_rounds, best_len)| n_rounds * len > best_rounds * best_len)
        {
            best = Some((n_rounds, len));
        }
    }
    best
}

fn place(step: &Step) -> (u32, u32, &str, &str, &str, u32, bool) {
    (step.thread, step.line, &step.text, &step.file, &step.function, step.depth, step.is_continued)
}
