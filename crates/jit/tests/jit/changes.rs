//! The changes of weighted sums that compiled steps tell are those that comparing the states gives.

use unpick_automaton::Model;
use unpick_automaton::interp::Machine;
use unpick_base::weighted_sum;
use unpick_front_promela::compile;
use unpick_front_promela::session::Session;
use unpick_jit::Native;
use unpick_system::step::{MicroSteps, Successors, Who};
use unpick_system::{System, Walking, Which};

/// Checks what steps from a state tell; how many tell something.
pub fn check(model: &Model, state: &[u8], found: &Successors) -> usize {
    let hidden = model.hidden_size as usize;
    let known = found.list.iter().filter(|next| next.len > 0 && next.has_change);
    let check = |next| {
        let after = found.state(next);
        let change = weighted_sum::change(&state[hidden..], &after[hidden..]);
        assert_eq!(next.known_change(), Some(change), "from {state:?} to {after:?}");
    };
    known.map(|next| check(*next)).count()
}

/// Every kind of write: variables of all sizes, in arrays, in frames, of hidden ones; messages that come, go and move up;
/// rendezvous, maybe with the same element twice; `d_step` with loops; `_last`; atomic regions.
#[test]
fn all_writes_are_counted() {
    let text = "
        hidden byte unseen; bit flag; short s; int big; byte x, a[3];
        chan q = [3] of { byte, short }; chan wide = [4] of { int, int, byte }; chan r = [0] of { byte, byte };
        active proctype P() {
            byte i; int k = 70000;
            do
            :: x < 3 -> x++; a[x % 3] = i; unseen = i
            :: big = big + k
            :: s = s - 300; flag = !flag
            :: q ! x, s
            :: wide ! big, k, i
            :: wide ? k, big, i
            :: q ? i, _ -> r ! i, x
            :: _last > 0 -> x = x
            :: atomic { x > 0 -> x--; a[0] = a[0] + 1; i = x }
            :: i > 1 && len(q) < 3 -> d_step { x = 0; do :: i > 0 -> i--; a[i % 3] = a[i % 3] + i :: else -> break od; q ! 3, 4 }
            od
        }
        active [2] proctype Q() { byte m; end: do :: r ? a[0], a[m % 3] :: nfull(q) -> q ! 9, -1 :: full(q) -> q ? m, eval(3 + 1) od }
    ";
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a model should fit");
    let model = compile(&mut session, index).expect("the model should be right");
    let native = Native::eager_noting_changes(&model);
    let (n_compiled, n_locations) = native.n_compiled();
    assert_eq!(n_compiled, n_locations, "{:?}", native.not_compilable());
    let mut stepper = native.stepper(Walking::default());
    let first = Machine::new(&model).initial().expect("there should be a first state");
    let mut seen = std::collections::HashSet::from([first.clone()]);
    let mut waiting = std::collections::VecDeque::from([first]);
    let (mut scratch, mut micro, mut found) = (native.scratch(), Successors::default(), Successors::default());
    let (mut n_known, mut n_all) = (0, 0);
    while let Some(state) = waiting.pop_front() {
        micro.clear();
        native.steps(&mut scratch, &state, Who::All, &mut micro);
        check(&model, &state, &micro);
        found.clear();
        stepper.expand(&state, Which::All, &mut found);
        n_known += check(&model, &state, &found);
        for next in found.list.iter().filter(|next| next.len > 0) {
            n_all += 1;
            if seen.len() < 20_000 && seen.insert(found.state(*next).to_vec()) {
                waiting.push_back(found.state(*next).to_vec());
            }
        }
    }
    assert_eq!(n_known, n_all);
    assert_eq!(seen.len(), 20_000);
}
