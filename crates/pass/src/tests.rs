//! Small programs translated to automata and run on the reference interpreter.

use std::collections::HashSet;

use unpick_automaton::interp::{Control, Machine};
use unpick_automaton::run::moves_along;
use unpick_program::Program;
use unpick_program::interp::Checks;

use crate::{Diagnosis, Profile, Purpose, Translation, to_automata};

/// Two threads that add to a counter, `between` which others may come or not.
fn adders(begin: &str, end: &str) -> Program {
    let text = format!(
        "pointer 8
entry main
global x: size 4 align 4
global done: size 4 align 4

fn add(r0) {{
  reg r0: ptr
  reg r1: i32
b0:
  {begin}
  r1 = load.seqcst &x
  r1 = add i32 r1, 1
  store.seqcst i32 r1 -> &x
  {end}
  return
}}

fn main() {{
  reg r0: i32
  reg r1: i32
  reg r2: i1
b0:
  r0 = spawn add(null)
  r1 = spawn add(null)
  atomic.begin
  r2 = ended r0
  wait r2
  atomic.end
  atomic.begin
  r2 = ended r1
  wait r2
  atomic.end
  r0 = load.seqcst &x
  r2 = cmp.eq i32 r0, 2
  assert r2 else assertion \"two\"
  exit 0
}}
"
    );
    unpick_program::text::parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

fn flat(program: &Program) -> Translation {
    to_automata(program, &Profile::new(program), Purpose::Safety(Checks::ALL))
        .unwrap_or_else(|unfit| panic!("{}", unfit.0))
}

/// All states, and the way to the first that goes wrong.
fn search(flat: &Translation) -> (usize, Option<Vec<Vec<u8>>>) {
    let machine = Machine::new(&flat.model);
    let first = machine.initial().expect("there should be a first state");
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![vec![first]];
    while let Some(path) = open.pop() {
        let state = path.last().expect("a path should have a state");
        if flat.has_race(state) {
            return (seen.len(), Some(path));
        }
        for next in machine.successors(state, Control::Any).expect("no step should fail") {
            assert_eq!(next.control, Control::Any, "nothing is chosen here");
            if !next.faults.is_empty() {
                return (seen.len(), Some(path));
            }
            if seen.insert(next.state.clone()) {
                open.push(path.iter().cloned().chain([next.state]).collect());
            }
        }
    }
    (seen.len(), None)
}

#[test]
fn a_load_and_a_store_are_two_steps() {
    let flat = flat(&adders("", ""));
    let (_, wrong) = search(&flat);
    let path = wrong.expect("an update should be lost");
    let (meaning, turns) = flat
        .diagnose(&moves_along(&flat.model, &path, false, true).expect("the states should follow each other"), false)
        .expect("the execution should be found again");
    assert_eq!(meaning, Diagnosis::Violation);
    assert_eq!(turns.last().map(|turn| turn.thread), Some(0));
    assert!(turns.iter().any(|turn| turn.thread == 1) && turns.iter().any(|turn| turn.thread == 2));
}

#[test]
fn a_region_is_one_step() {
    let flat = flat(&adders("atomic.begin", "atomic.end"));
    assert_eq!(search(&flat).1, None);
}

#[test]
fn a_wait_undoes_its_region() {
    // Both joins wait in regions; a thread that waits has not moved, so no state shows one inside.
    let flat = flat(&adders("atomic.begin", "atomic.end"));
    let machine = Machine::new(&flat.model);
    let first = machine.initial().expect("there should be a first state");
    let movers = |state: &[u8]| {
        let found = machine.successors(state, Control::Any).expect("no step should fail");
        found.into_iter().map(|next| (next.moves[0].process, next.state)).collect::<Vec<_>>()
    };
    let mut state = first;
    while let Some((_, next)) = movers(&state).into_iter().find(|(process, _)| *process == 0) {
        state = next;
    }
    assert_eq!(movers(&state).iter().map(|(process, _)| *process).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn plain_accesses_race() {
    let mut program = adders("", "");
    for function in program.functions.iter_mut() {
        for block in function.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                if let unpick_program::StmtKind::Load { access, .. } | unpick_program::StmtKind::Store { access, .. } =
                    &mut stmt.kind
                {
                    access.atomic = None;
                }
            }
        }
    }
    let flat = flat(&program);
    let path = search(&flat).1.expect("there should be a race");
    assert_eq!(
        flat.diagnose(
            &moves_along(&flat.model, &path, false, true).expect("the states should follow each other"),
            false
        )
        .map(|(meaning, _)| meaning),
        Ok(Diagnosis::Race)
    );
}

#[test]
fn what_was_not_guessed_is_refused() {
    let program = adders("", "");
    let mut profile = Profile::new(&program);
    profile.threads.truncate(1);
    let flat =
        to_automata(&program, &profile, Purpose::Safety(Checks::ALL)).unwrap_or_else(|unfit| panic!("{}", unfit.0));
    let path = search(&flat).1.expect("the second thread should be missed");
    let (meaning, _) = flat
        .diagnose(&moves_along(&flat.model, &path, false, true).expect("the states should follow each other"), false)
        .expect("the execution should be found again");
    assert_eq!(meaning, Diagnosis::Refused("a thread that was not expected".into()));
}
