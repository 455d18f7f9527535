//! Small models in text form, run on the interpreter.

use super::{Control, FaultKind, Machine};
use crate::text::parse;
use crate::verify::verify;

/// What comes after the first state: how many states, or what goes wrong.
fn successors(text: &str) -> Result<usize, FaultKind> {
    let model = parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verify(&model), Ok(()));
    let machine = Machine::new(&model);
    let first = machine.initial().expect("there should be a first state");
    machine.successors(&first, Control::Any).map(|found| found.len()).map_err(|fault| fault.kind)
}

fn two_processes(one: &str, other: &str) -> Result<usize, FaultKind> {
    let proctype = |id: usize, condition: &str| {
        format!("proctype p{id} P{id} size 0 {{ start l1 l0: l1: when {condition} -> l2 #0 l2: end #1 }}\n")
    };
    let (one, other) = (proctype(0, one), proctype(1, other));
    successors(&format!("automaton {one} {other} process p0 priority 1 process p1 priority 1"))
}

#[test]
fn processes_that_ask_each_other_go_wrong() {
    assert_eq!(two_processes("enabled 1", "enabled 0"), Err(FaultKind::EnabledSelf));
    assert_eq!(two_processes("enabled 0", "1"), Err(FaultKind::EnabledSelf));
    // Each process is asked once, in one direction.
    assert_eq!(two_processes("enabled 1", "1"), Ok(2));
    assert_eq!(two_processes("enabled 1", "processes == 3"), Ok(0));
}
