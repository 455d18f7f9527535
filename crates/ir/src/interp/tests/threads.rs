//! Threads, atomic regions, channels.

use std::collections::BTreeSet;

use super::*;
use crate::{Access, Address, FuncId, RecvField};

fn shared(at: i64) -> Operand {
    Operand::Address(Address::Global(GlobalId(0), at))
}

fn load(main: &mut FunctionBuilder, addr: Operand) -> RegId {
    let dst = main.new_reg(I32);
    main.push(StmtKind::Load { dst, addr, access: Access::default() });
    dst
}

fn store(main: &mut FunctionBuilder, addr: Operand, value: Operand) {
    main.push(StmtKind::Store { addr, value, ty: I32, access: Access::default() });
}

fn spawn(main: &mut FunctionBuilder, function: u32, args: Vec<Operand>) -> RegId {
    let dst = main.new_reg(I32);
    let callee = Operand::Address(Address::Func(FuncId(function)));
    main.push(StmtKind::Spawn { dst, callee, args });
    dst
}

fn join(main: &mut FunctionBuilder, thread: RegId) {
    let ended = main.new_reg(BOOL);
    main.push(StmtKind::AtomicBegin);
    main.push(StmtKind::ThreadEnded { dst: ended, thread: Operand::Reg(thread) });
    main.push(StmtKind::Wait(Operand::Reg(ended)));
    main.push(StmtKind::AtomicEnd);
}

fn with_threads(main: FunctionBuilder, threads: Vec<FunctionBuilder>) -> Program {
    let mut program = program(main);
    for thread in threads {
        program.functions.push(thread.finish());
    }
    global(&mut program, "shared", 16);
    program
}

/// All ends over all interleavings of steps at shared accesses.
fn interleavings(program: &Program) -> BTreeSet<String> {
    let machine = Machine::new(program, Options::default());
    let until = Until { shared_access: true, ..Until::NEVER };
    let mut ends = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut pending = vec![machine.initial()];
    while let Some(state) = pending.pop() {
        let mut key = Vec::new();
        machine.key(&state, &mut key);
        if !seen.insert(key) {
            continue;
        }
        let runnable = machine.runnable(&state);
        if runnable.is_empty() {
            ends.insert("deadlock".to_string());
        }
        for thread in runnable {
            let mut work = vec![state.clone()];
            while let Some(mut next) = work.pop() {
                match machine.run(&mut next, thread, until, &mut Silent) {
                    Stop::Choice(choice) => {
                        for pick in 0..choice.n_options {
                            let mut picked = next.clone();
                            machine.pick(&mut picked, &choice, pick);
                            work.push(picked);
                        }
                    }
                    Stop::Shared | Stop::ThreadEnded | Stop::Blocked => pending.push(next),
                    Stop::Exited { code, .. } => {
                        ends.insert(code.to_string());
                    }
                    other => {
                        ends.insert(format!("{other:?}"));
                    }
                }
            }
        }
    }
    ends
}

/// Two threads that each add one to a shared variable, as a load and a store.
fn counters(is_atomic: bool) -> Program {
    let mut main = FunctionBuilder::new("main");
    let threads = [spawn(&mut main, 1, vec![]), spawn(&mut main, 1, vec![])];
    threads.into_iter().for_each(|thread| join(&mut main, thread));
    let result = load(&mut main, shared(0));
    main.terminate(exit(Operand::Reg(result)));
    let mut worker = FunctionBuilder::new("worker");
    if is_atomic {
        worker.push(StmtKind::AtomicBegin);
    }
    let old = load(&mut worker, shared(0));
    worker.assign(old, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(old), int(1)));
    store(&mut worker, shared(0), Operand::Reg(old));
    if is_atomic {
        worker.push(StmtKind::AtomicEnd);
    }
    worker.terminate(Terminator::Return(None));
    with_threads(main, vec![worker])
}

fn set(ends: &[&str]) -> BTreeSet<String> {
    ends.iter().map(ToString::to_string).collect()
}

#[test]
fn increments_get_lost_unless_atomic() {
    assert_eq!(interleavings(&counters(false)), set(&["1", "2"]));
    assert_eq!(interleavings(&counters(true)), set(&["2"]));
}

#[test]
fn waiting_for_nobody_is_a_deadlock() {
    let mut main = FunctionBuilder::new("main");
    let flag = load(&mut main, shared(0));
    let cond = main.new_reg(BOOL);
    main.assign(cond, Rvalue::Compare(CmpOp::Ne, I32, Operand::Reg(flag), int(0)));
    main.push(StmtKind::Wait(Operand::Reg(cond)));
    main.terminate(exit(int(0)));
    assert_eq!(interleavings(&with_threads(main, vec![])), set(&["deadlock"]));
}

#[test]
fn a_blocked_region_is_undone() {
    // The region adds one and then waits; while it waits, nobody sees the sum.
    let mut main = FunctionBuilder::new("main");
    let thread = spawn(&mut main, 1, vec![]);
    let seen = load(&mut main, shared(0));
    store(&mut main, shared(4), int(1));
    join(&mut main, thread);
    main.terminate(exit(Operand::Reg(seen)));
    let mut worker = FunctionBuilder::new("worker");
    let cond = worker.new_reg(BOOL);
    worker.push(StmtKind::AtomicBegin);
    store(&mut worker, shared(0), int(7));
    let flag = load(&mut worker, shared(4));
    worker.assign(cond, Rvalue::Compare(CmpOp::Ne, I32, Operand::Reg(flag), int(0)));
    worker.push(StmtKind::Wait(Operand::Reg(cond)));
    worker.push(StmtKind::AtomicEnd);
    worker.terminate(Terminator::Return(None));
    assert_eq!(interleavings(&with_threads(main, vec![worker])), set(&["0"]));
}

/// Main receives two numbers sent by two threads, and exits with ten times the first plus the second.
fn channel_program(capacity: u32) -> Program {
    let mut main = FunctionBuilder::new("main");
    let chan = main.new_reg(Ty::Ptr);
    main.push(StmtKind::ChanNew { dst: chan, capacity, fields: vec![I32] });
    for value in [1, 2] {
        spawn(&mut main, 1, vec![Operand::Reg(chan), int(value)]);
    }
    let (first, second) = (main.new_reg(I32), main.new_reg(I32));
    for reg in [first, second] {
        let fields = vec![RecvField::Bind(reg)];
        main.push(StmtKind::Recv { chan: Operand::Reg(chan), fields, is_random: false, is_peek: false });
    }
    main.assign(first, Rvalue::Binary(BinOp::Mul, I32, Operand::Reg(first), int(10)));
    main.assign(first, Rvalue::Binary(BinOp::Add, I32, Operand::Reg(first), Operand::Reg(second)));
    main.terminate(exit(Operand::Reg(first)));
    let mut sender = FunctionBuilder::new("sender");
    let (chan, value) = (sender.new_param(Ty::Ptr), sender.new_param(I32));
    sender.push(StmtKind::Send { chan: Operand::Reg(chan), values: vec![Operand::Reg(value)], is_sorted: false });
    sender.terminate(Terminator::Return(None));
    with_threads(main, vec![sender])
}

#[test]
fn messages_arrive_in_any_order_of_their_senders() {
    for capacity in [0, 1, 2] {
        assert_eq!(interleavings(&channel_program(capacity)), set(&["12", "21"]), "capacity {capacity}");
    }
}

#[test]
fn selection_takes_any_open_arm_else_the_alternative() {
    for (flags, expected) in [([1, 1], vec!["0", "1"]), ([0, 1], vec!["1"]), ([0, 0], vec!["9"])] {
        let mut main = FunctionBuilder::new("main");
        store(&mut main, shared(0), int(flags[0]));
        store(&mut main, shared(4), int(flags[1]));
        let arms = vec![main.new_block(), main.new_block()];
        let otherwise = main.new_block();
        main.terminate(Terminator::Select { arms: arms.clone(), otherwise: Some(otherwise) });
        for (at, arm) in arms.iter().enumerate() {
            main.switch_to(*arm);
            let flag = load(&mut main, shared(4 * at as i64));
            let cond = main.new_reg(BOOL);
            main.assign(cond, Rvalue::Compare(CmpOp::Ne, I32, Operand::Reg(flag), int(0)));
            main.push(StmtKind::Wait(Operand::Reg(cond)));
            main.terminate(exit(int(at as i64)));
        }
        main.switch_to(otherwise);
        main.terminate(exit(int(9)));
        let expected: Vec<&str> = expected;
        assert_eq!(interleavings(&with_threads(main, vec![])), set(&expected));
    }
}

#[test]
fn thread_local_storage_is_separate() {
    let mut main = FunctionBuilder::new("main");
    store(&mut main, shared(0), int(5));
    let thread = spawn(&mut main, 1, vec![]);
    join(&mut main, thread);
    let mine = load(&mut main, shared(0));
    main.terminate(exit(Operand::Reg(mine)));
    let mut worker = FunctionBuilder::new("worker");
    let old = load(&mut worker, shared(0));
    worker.assign(old, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(old), int(3)));
    store(&mut worker, shared(0), Operand::Reg(old));
    worker.terminate(Terminator::Return(None));
    let mut program = with_threads(main, vec![worker]);
    program.globals[GlobalId(0)].is_thread_local = true;
    assert_eq!(interleavings(&program), set(&["5"]));
}

#[test]
fn atomic_updates_return_the_old_value() {
    let mut main = FunctionBuilder::new("main");
    let (old, ok, order) = (main.new_reg(I32), main.new_reg(BOOL), crate::Order::SeqCst);
    let addr = shared(0);
    main.push(StmtKind::AtomicRmw { dst: old, op: crate::RmwOp::Add, addr, value: int(5), order });
    let (expected, desired) = (int(5), int(9));
    main.push(StmtKind::AtomicCas { dst: old, ok, addr, expected, desired, is_weak: true, order });
    let new = load(&mut main, addr);
    main.terminate(exit(Operand::Reg(new)));
    assert_eq!(interleavings(&with_threads(main, vec![])), set(&["5", "9"]));
}
