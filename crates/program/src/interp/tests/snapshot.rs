//! Tests of snapshots: canonical, and sufficient to resume from.

use super::*;
use crate::interp::{Silent, Value};
use crate::{Access, Address, AllocKind, Contents, FuncId};

/// Globals `one` and `two`; functions that make an object each and let a global point to it, one that lets go of what
/// `one` points to, and one that makes an object point back to `one`.
fn cells() -> Program {
    let mut made = program(FunctionBuilder::new("main"));
    let globals = [global(&mut made, "one", 8), global(&mut made, "two", 8)];
    let at = |global: GlobalId| Operand::Address(Address::Global(global, 0));
    for (name, global) in [("fill_one", globals[0]), ("fill_two", globals[1])] {
        let mut fill = FunctionBuilder::new(name);
        let dst = fill.new_reg(Ty::Ptr);
        let (kind, contents) = (AllocKind::Heap, Contents::Indeterminate);
        fill.push(StmtKind::Alloc { dst, bytes: long(24), align: 16, kind, contents });
        let access = Access::default();
        fill.push(StmtKind::Store { addr: Operand::Reg(dst), value: int(5), ty: I32, access });
        fill.push(StmtKind::Store { addr: at(global), value: Operand::Reg(dst), ty: Ty::Ptr, access });
        fill.terminate(Terminator::Return(None));
        made.functions.push(fill.finish());
    }
    let mut drop = FunctionBuilder::new("drop");
    let dst = drop.new_reg(Ty::Ptr);
    drop.push(StmtKind::Load { dst, addr: at(globals[0]), access: Access::default() });
    drop.push(StmtKind::Free { addr: Operand::Reg(dst), kind: AllocKind::Heap });
    drop.terminate(Terminator::Return(None));
    made.functions.push(drop.finish());
    let mut back = FunctionBuilder::new("back");
    let dst = back.new_reg(Ty::Ptr);
    back.push(StmtKind::Load { dst, addr: at(globals[0]), access: Access::default() });
    let inside = back.new_reg(Ty::Ptr);
    back.assign(inside, Rvalue::PtrAdd { base: Operand::Reg(dst), index: long(8), stride: 1 });
    let (addr, value) = (Operand::Reg(inside), at(globals[0]));
    back.push(StmtKind::Store { addr, value, ty: Ty::Ptr, access: Access::default() });
    back.terminate(Terminator::Return(None));
    made.functions.push(back.finish());
    made
}

const FILL_ONE: FuncId = FuncId(1);
const FILL_TWO: FuncId = FuncId(2);
const DROP: FuncId = FuncId(3);
const BACK: FuncId = FuncId(4);

fn after(machine: &Machine<'_>, mut state: State, functions: &[FuncId]) -> State {
    for function in functions {
        machine.begin(&mut state, *function, &[]);
        assert_eq!(machine.run(&mut state, 0, Until::NEVER, &mut Silent), Stop::ThreadEnded);
        machine.rest(&mut state);
    }
    state
}

#[test]
fn the_order_of_allocations_does_not_show() {
    let program = cells();
    let machine = Machine::new(&program, eager());
    let frozen = |functions: &[FuncId]| machine.freeze(&after(&machine, machine.at_rest(), functions)).expect("plain");
    assert_eq!(frozen(&[FILL_ONE, FILL_TWO]), frozen(&[FILL_TWO, FILL_ONE]));
    assert_eq!(frozen(&[FILL_ONE, FILL_TWO]), frozen(&[FILL_ONE, FILL_ONE, FILL_TWO]), "a lost object is gone");
    assert_ne!(frozen(&[FILL_ONE]), frozen(&[FILL_TWO]));
    assert_ne!(frozen(&[FILL_ONE]), frozen(&[FILL_ONE, DROP]), "what is dead is not alive");
    assert_ne!(frozen(&[FILL_ONE]), frozen(&[FILL_ONE, BACK]));
}

#[test]
fn what_is_thawed_goes_on_as_it_would_have() {
    let program = cells();
    let machine = Machine::new(&program, eager());
    let ways: [&[FuncId]; 5] =
        [&[], &[FILL_TWO, FILL_ONE], &[FILL_ONE, BACK], &[FILL_ONE, DROP], &[FILL_ONE, BACK, DROP]];
    for way in ways {
        let state = after(&machine, machine.at_rest(), way);
        let bytes = machine.freeze(&state).expect("plain");
        let again = machine.thaw(&bytes);
        assert_eq!(machine.freeze(&again), Ok(bytes), "{way:?}");
        let more = |state: State| machine.freeze(&after(&machine, state, &[FILL_TWO, FILL_ONE, BACK]));
        assert_eq!(more(again), more(state), "{way:?}");
    }
}

#[test]
fn a_dangling_pointer_stays_one() {
    let program = cells();
    let machine = Machine::new(&program, eager());
    let bytes = machine.freeze(&after(&machine, machine.at_rest(), &[FILL_ONE, DROP])).expect("plain");
    let mut state = machine.thaw(&bytes);
    let pointer = state.object(machine.pointer_to(GlobalId(0))).and_then(|object| object.scalar(0, 8));
    let Some(Value::Ptr(pointer)) = pointer else { panic!("{pointer:?}") };
    assert!(state.object(pointer).is_none() && state.tombstone(pointer).is_some_and(|tombstone| tombstone.size == 24));
    machine.begin(&mut state, DROP, &[]);
    let Stop::Violated(violation) = machine.run(&mut state, 0, Until::NEVER, &mut Silent) else {
        panic!("freed twice")
    };
    assert_eq!(violation.kind, ViolationKind::DoubleFree);
}
