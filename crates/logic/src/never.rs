//! Büchi automata as SPIN's never claims.
//!
//! A claim is matched by behaviours the automaton accepts, so it is written for the negation of what should hold. A state
//! that accepts whatever follows becomes the end of the claim, which SPIN reports without looking for a cycle.

use std::fmt::Write;

use crate::buchi::Buchi;
use crate::formula::AtomId;

/// The claim; `names` gives the text of atoms, and `comment` says what the claim is about.
pub fn never_claim(automaton: &Buchi, names: &dyn Fn(AtomId) -> String, comment: &str) -> String {
    let mut out = format!("never {{    /* {} */\n", comment.replace("*/", "* /"));
    write_states(automaton, names, &mut out).expect("writing to a string should succeed");
    out.push_str("}\n");
    out
}

fn write_states(automaton: &Buchi, names: &dyn Fn(AtomId) -> String, out: &mut String) -> std::fmt::Result {
    // A claim starts at its first state.
    let others = (0..automaton.n_states).filter(|state| *state != automaton.initial);
    for state in std::iter::once(automaton.initial).chain(others) {
        writeln!(out, "{}:", label(automaton, state))?;
        if is_final(automaton, state) {
            writeln!(out, "\tskip;")?;
            continue;
        }
        if automaton.edges[state].is_empty() {
            writeln!(out, "\tfalse;")?;
            continue;
        }
        writeln!(out, "\tdo")?;
        for edge in &automaton.edges[state] {
            writeln!(out, "\t:: ({}) -> goto {}", edge.guard.display(names), label(automaton, edge.target))?;
        }
        writeln!(out, "\tod;")?;
    }
    Ok(())
}

/// Whether every continuation is accepted, by staying here.
fn is_final(automaton: &Buchi, state: usize) -> bool {
    automaton.accepting[state]
        && matches!(&automaton.edges[state][..], [edge] if edge.target == state && edge.guard.is_true())
}

fn label(automaton: &Buchi, state: usize) -> String {
    let start = if automaton.accepting[state] { "accept" } else { "T0" };
    match state {
        _ if is_final(automaton, state) => format!("{start}_all{state}"),
        _ if state == automaton.initial => format!("{start}_init"),
        _ => format!("{start}_S{state}"),
    }
}
