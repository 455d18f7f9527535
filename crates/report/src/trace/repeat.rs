//! Folding of loops in a short trace: the first iteration, and one line for the following ones with their changes.
//!
//! Rounds are runs of the same statements on the same lines in the same threads, whatever the values. The round with which
//! the trace ends is shown, because the failure is in it. What an endless execution repeats is not folded together with what comes before.

use unpick_witness::{Step, Trace};

use super::{Told, count};

/// Longer rounds are not looked for.
const MAX_ROUND: usize = 32;
/// Fewer rounds, and fewer steps in them, are shown.
const MIN_FOLDED: usize = 2;
const MIN_STEPS: usize = 3;
/// More variables than this are not named.
const MAX_CHANGES: usize = 8;
/// Nor are more bytes of an input.
const MAX_BYTES: usize = 32;

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
    let mut folded: Option<String> = None;
    while at < told.len() {
        match round(trace, &told[at..]) {
            Some((n_rounds, len)) => {
                for step in &told[at..at + len] {
                    shown.push(Told { at: *step, folded: folded.take() });
                }
                let n_folded = n_folded(n_rounds, len, told.len() - at);
                let (first, end) = (at + len, at + len + n_folded * len);
                let rest = told.get(end).copied().unwrap_or(trace.steps.len());
                folded = Some(summary(trace, n_folded, len, told[at]..told[first], told[first]..rest));
                at = end;
            }
            None => {
                shown.push(Told { at: told[at], folded: folded.take() });
                at += 1;
            }
        }
    }
    shown
}

/// How many of the rounds are folded: not the first, and not the one with which everything ends.
fn n_folded(n_rounds: usize, len: usize, n_left: usize) -> usize {
    let is_at_end = n_rounds * len == n_left;
    n_rounds.saturating_sub(if is_at_end { 2 } else { 1 })
}

/// What is said of rounds that are not shown: `shown` are the steps of the round before, `folded` their own.
fn summary(
    trace: &Trace,
    n_rounds: usize,
    len: usize,
    shown: std::ops::Range<usize>,
    folded: std::ops::Range<usize>,
) -> String {
    let steps = if len == 1 { "this step".to_owned() } else { format!("these {len} steps") };
    let head = format!("{} of {steps}", count(n_rounds as u64, "more round"));
    let before: Vec<_> = trace.steps[shown].iter().flat_map(|step| &step.changes).collect();
    // The value before the rounds and the one after them, of each variable in the order of the first change.
    let mut changes: Vec<(&str, &Option<unpick_witness::Scope>, &str, &str)> = Vec::new();
    for change in trace.steps[folded.clone()].iter().flat_map(|step| &step.changes) {
        match changes.iter_mut().find(|(name, scope, ..)| *name == change.name && **scope == change.scope) {
            Some(known) => known.3 = &change.new,
            None => changes.push((&change.name, &change.scope, &change.old, &change.new)),
        }
    }
    changes.retain(|(name, scope, old, new)| {
        let known = before.iter().rev().find(|change| change.name == *name && change.scope == **scope);
        old != new && known.is_none_or(|change| change.new != *new)
    });
    let n_more = changes.len().saturating_sub(MAX_CHANGES);
    let mut parts: Vec<String> = changes
        .iter()
        .take(MAX_CHANGES)
        .map(|(name, _, old, new)| match *old == "indeterminate" {
            true => format!("{name} = {new}"),
            false => format!("{name}: {old} -> {new}"),
        })
        .collect();
    parts.extend((n_more > 0).then(|| format!("and {n_more} more")));
    parts.splice(0..0, choices(trace, folded));
    if parts.is_empty() { head } else { format!("{head}: {}", parts.join(", ")) }
}

/// What the environment decided in the rounds, where it was not the same each time.
fn choices(trace: &Trace, folded: std::ops::Range<usize>) -> Vec<String> {
    let mut chosen: Vec<(&str, Vec<&str>)> = Vec::new();
    for choice in trace.steps[folded].iter().flat_map(|step| &step.choices) {
        match chosen.iter_mut().find(|(label, _)| *label == choice.label) {
            Some((_, values)) => values.push(&choice.value),
            None => chosen.push((&choice.label, vec![&choice.value])),
        }
    }
    chosen.retain(|(_, values)| values.iter().any(|value| *value != values[0]));
    let text = |(label, values): (&str, Vec<&str>)| {
        if let Some(bytes) = bytes(label, &values) {
            return format!("{label} chose {bytes}");
        }
        let rest = if values.len() > MAX_CHANGES { ", ..." } else { "" };
        let first: Vec<&str> = values.into_iter().take(MAX_CHANGES).collect();
        format!("{label} chose {}{rest}", first.join(", "))
    };
    chosen.into_iter().map(text).collect()
}

/// The values of an input of bytes as one line in hexadecimal.
fn bytes(label: &str, values: &[&str]) -> Option<String> {
    let byte = |value: &&str| -> Option<u8> {
        let number: i16 = value.parse().ok()?;
        u8::try_from(number).ok().or_else(|| i8::try_from(number).ok().map(|number| number as u8))
    };
    let bytes: Option<Vec<u8>> = values.iter().map(byte).collect();
    let bytes = bytes.filter(|_| label.contains("char()"))?;
    let shown: Vec<String> = bytes.iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let rest = if bytes.len() > MAX_BYTES { " ..." } else { "" };
    Some(format!("bytes {}{rest}", shown.join(" ")))
}

/// How many rounds of how many steps begin with the first one, if there are enough; the shortest round that explains most.
fn round(trace: &Trace, told: &[usize]) -> Option<(usize, usize)> {
    let is_alike = |left: usize, right: usize| place(&trace.steps[left]) == place(&trace.steps[right]);
    let mut best: Option<(usize, usize)> = None;
    for len in 1..=MAX_ROUND.min(told.len() / 2) {
        let n_alike = told.iter().zip(&told[len..]).take_while(|(left, right)| is_alike(**left, **right)).count();
        let n_rounds = n_alike / len + 1;
        let n_folded = n_folded(n_rounds, len, told.len());
        let is_worth = n_folded >= MIN_FOLDED && n_folded * len >= MIN_STEPS;
        if is_worth && best.is_none_or(|(best_rounds, best_len)| n_rounds * len > best_rounds * best_len) {
            best = Some((n_rounds, len));
        }
    }
    best
}

fn place(step: &Step) -> (u32, u32, &str, &str, &str, u32, bool) {
    (step.thread, step.line, &step.text, &step.file, &step.function, step.depth, step.is_continued)
}
