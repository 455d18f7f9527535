//! Threads and atomic regions.

use std::collections::BTreeSet;

use super::*;
use crate::{Access, Address, FuncId};

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
    // The region adds one and then waits; while it waits, the sum is invisible.
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
