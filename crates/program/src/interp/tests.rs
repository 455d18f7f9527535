//! Hand-made programs, run to the end.

mod keys;
mod lazy;
mod memory;
mod snapshot;
mod threads;

use super::{Machine, Observer, Options, Silent, State, Stop, Until, Violation};
use crate::build::FunctionBuilder;
use crate::{
    BinOp, CmpOp, Global, GlobalId, GlobalInit, Loc, Operand, Program, RegId, Rvalue, StmtKind, Terminator, Ty,
    ViolationKind,
};

pub(super) const I32: Ty = Ty::Int(32);
pub(super) const I64: Ty = Ty::Int(64);
pub(super) const BOOL: Ty = Ty::Int(1);

pub(super) fn int(value: i64) -> Operand {
    Operand::Bits(I32, u128::from(value as u32))
}

pub(super) fn long(value: i64) -> Operand {
    Operand::Bits(I64, u128::from(value as u64))
}

pub(super) fn exit(code: Operand) -> Terminator {
    Terminator::Exit { code, is_abort: false }
}

pub(super) fn program(main: FunctionBuilder) -> Program {
    let mut program = Program { pointer_bytes: 8, ..Program::default() };
    program.files.push("test.c".into());
    program.entry = Some(program.functions.push(main.finish()));
    program
}

pub(super) fn global(program: &mut Program, name: &str, size: u64) -> GlobalId {
    program.globals.push(Global {
        name: name.into(),
        source_name: Some(name.into()),
        size,
        align: 8,
        init: GlobalInit::default(),
        is_thread_local: false,
        is_read_only: false,
        is_model: false,
        shape: None,
        loc: Loc::NONE,
    })
}

pub(super) fn eager() -> Options {
    Options { is_lazy: false, ..Options::default() }
}

pub(super) fn run(program: &Program) -> Stop {
    let machine = Machine::new(program, Options::default());
    machine.run(&mut machine.initial(), 0, Until::NEVER, &mut Silent)
}

pub(super) fn violation(stop: Stop) -> Violation {
    match stop {
        Stop::Violated(violation) => violation,
        other => panic!("expected a violation, got {other:?}"),
    }
}

/// All ways an execution can end, by following every option of every choice.
pub(super) fn outcomes(program: &Program, options: &Options) -> Vec<Stop> {
    let machine = Machine::new(program, options.clone());
    let mut ends = Vec::new();
    let mut pending = vec![machine.initial()];
    while let Some(mut state) = pending.pop() {
        match machine.run(&mut state, 0, Until::NEVER, &mut Silent) {
            Stop::Choice(choice) => {
                for pick in 0..choice.n_options {
                    let mut next = state.clone();
                    machine.pick(&mut next, &choice, pick);
                    pending.push(next);
                }
            }
            end => ends.push(end),
        }
    }
    ends
}

/// Runs concretely with the decisions of another run.
pub(super) fn replay(program: &Program, decisions: &[super::Decision]) -> Stop {
    let machine = Machine::new(program, eager());
    let mut state = machine.initial();
    let mut decisions = decisions.iter();
    loop {
        match machine.run(&mut state, 0, Until::NEVER, &mut Silent) {
            Stop::Choice(choice) => {
                let decision = decisions.next().expect("a decision for every choice");
                let pick = choice.option_of(decision).expect("the decision should fit the choice");
                machine.pick(&mut state, &choice, pick);
            }
            end => return end,
        }
    }
}

/// `sum = 0; for (i = 0; i < n; i++) sum += i; exit(sum)` with wrapping sums.
pub(super) fn counting_loop(n: i64) -> Program {
    let mut main = FunctionBuilder::new("main");
    let (sum, i, cond) = (main.new_reg(I32), main.new_reg(I32), main.new_reg(BOOL));
    main.assign(sum, Rvalue::Use(int(0)));
    main.assign(i, Rvalue::Use(int(0)));
    let (head, body, end) = (main.new_loop_head(), main.new_block(), main.new_block());
    main.terminate(Terminator::Goto(head));
    main.switch_to(head);
    main.assign(cond, Rvalue::Compare(CmpOp::SLt, I32, Operand::Reg(i), int(n)));
    main.terminate(Terminator::Branch { cond: Operand::Reg(cond), then: body, otherwise: end });
    main.switch_to(body);
    main.assign(sum, Rvalue::Binary(BinOp::Add, I32, Operand::Reg(sum), Operand::Reg(i)));
    main.assign(i, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(i), int(1)));
    main.terminate(Terminator::Goto(head));
    main.switch_to(end);
    main.terminate(exit(Operand::Reg(sum)));
    program(main)
}

#[test]
fn a_loop_counts() {
    assert_eq!(run(&counting_loop(10)), Stop::Exited { code: 45, is_abort: false });
}

#[test]
fn runs_stop_at_loop_heads_and_without_fuel() {
    let program = counting_loop(3);
    let machine = Machine::new(&program, Options::default());
    let mut state = machine.initial();
    let until = Until { loop_heads: true, ..Until::NEVER };
    let mut n_heads = 0;
    while let Stop::LoopHead(..) = machine.run(&mut state, 0, until, &mut Silent) {
        n_heads += 1;
    }
    assert_eq!(n_heads, 4);
    let mut state = machine.initial();
    let until = Until { fuel: 5, ..Until::NEVER };
    assert_eq!(machine.run(&mut state, 0, until, &mut Silent), Stop::Fuel);
    assert_eq!(machine.run(&mut state, 0, Until::NEVER, &mut Silent), Stop::Exited { code: 3, is_abort: false });
}

/// `exit(left op right)` with a checked operation.
fn checked(op: BinOp, left: i64, right: i64) -> Stop {
    let mut main = FunctionBuilder::new("main");
    let result = main.new_reg(I32);
    main.assign(result, Rvalue::Checked(op, I32, int(left), int(right)));
    main.terminate(exit(Operand::Reg(result)));
    run(&program(main))
}

#[test]
fn undefined_arithmetic_is_a_violation() {
    let found = violation(checked(BinOp::Add, i64::from(i32::MAX), 1));
    assert_eq!(found.kind, ViolationKind::Overflow);
    assert_eq!(found.message, "2147483647 + 1 does not fit in int (32 bits)");
    assert_eq!(violation(checked(BinOp::SDiv, 1, 0)).kind, ViolationKind::DivisionByZero);
    assert_eq!(violation(checked(BinOp::SRem, i64::from(i32::MIN), -1)).kind, ViolationKind::Overflow);
    assert_eq!(violation(checked(BinOp::Shl, 1, 32)).kind, ViolationKind::InvalidShift);
    assert_eq!(violation(checked(BinOp::AShr, 1, -1)).kind, ViolationKind::InvalidShift);
    assert_eq!(checked(BinOp::SRem, -7, 3), Stop::Exited { code: -1, is_abort: false });
    assert_eq!(checked(BinOp::Shl, 1, 31), Stop::Exited { code: i32::MIN, is_abort: false });
}

#[test]
fn kinds_that_were_not_asked_for_do_not_stop_a_run() {
    let mut main = FunctionBuilder::new("main");
    let result = main.new_reg(I32);
    main.assign(result, Rvalue::Checked(BinOp::Add, I32, int(i64::from(i32::MAX)), int(1)));
    main.terminate(exit(Operand::Reg(result)));
    let program = program(main);
    let checks = super::Checks::ALL.without(ViolationKind::Overflow);
    let machine = Machine::new(&program, Options { checks, ..Options::default() });
    let stop = machine.run(&mut machine.initial(), 0, Until::NEVER, &mut Silent);
    assert_eq!(stop, Stop::Exited { code: i32::MIN, is_abort: false });
}

/// `int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }  exit(f(n))`
fn recursion(n: i64) -> Program {
    let mut main = FunctionBuilder::new("main");
    let result = main.new_reg(I32);
    let callee = Operand::Address(crate::Address::Func(crate::FuncId(1)));
    main.push(StmtKind::Call { dst: Some(result), callee, args: vec![int(n)] });
    main.terminate(exit(Operand::Reg(result)));
    let mut f = FunctionBuilder::new("f");
    let n = f.new_param(I32);
    f.returns(I32);
    let (cond, less, result) = (f.new_reg(BOOL), f.new_reg(I32), f.new_reg(I32));
    let (zero, more) = (f.new_block(), f.new_block());
    f.assign(cond, Rvalue::Compare(CmpOp::SLe, I32, Operand::Reg(n), int(0)));
    f.terminate(Terminator::Branch { cond: Operand::Reg(cond), then: zero, otherwise: more });
    f.switch_to(zero);
    f.terminate(Terminator::Return(Some(int(0))));
    f.switch_to(more);
    f.assign(less, Rvalue::Checked(BinOp::Sub, I32, Operand::Reg(n), int(1)));
    f.push(StmtKind::Call { dst: Some(result), callee, args: vec![Operand::Reg(less)] });
    f.assign(result, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(result), int(1)));
    f.terminate(Terminator::Return(Some(Operand::Reg(result))));
    let mut program = program(main);
    program.functions.push(f.finish());
    program
}

#[test]
fn calls_nest_up_to_the_limit() {
    assert_eq!(run(&recursion(100)), Stop::Exited { code: 100, is_abort: false });
    assert!(matches!(run(&recursion(1_000_000)), Stop::Limit { what, .. } if what.contains("`f`")));
}

#[test]
fn indeterminate_conditions_are_violations() {
    let mut main = FunctionBuilder::new("main");
    let (x, cond) = (main.new_reg(I32), main.new_reg(BOOL));
    main.assign(cond, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(x), int(0)));
    let end = main.new_block();
    main.terminate(Terminator::Branch { cond: Operand::Reg(cond), then: end, otherwise: end });
    assert_eq!(violation(run(&program(main))).kind, ViolationKind::Uninitialized);
}

#[test]
fn dead_registers_do_not_show_in_keys() {
    let program = counting_loop(3);
    let machine = Machine::new(&program, Options::default());
    let key = |state: &State| {
        let mut out = Vec::new();
        machine.key(state, &mut out);
        out
    };
    let until = Until { loop_heads: true, ..Until::NEVER };
    let mut first = machine.initial();
    machine.run(&mut first, 0, until, &mut Silent);
    let mut second = first.clone();
    // The condition is computed anew at the head of the loop.
    second.threads[0].regs[2] = super::Value::Bits(1);
    assert_eq!(key(&first), key(&second));
    second.threads[0].regs[0] = super::Value::Bits(7);
    assert_ne!(key(&first), key(&second));
}

#[test]
fn observers_see_assignments_and_output() {
    struct Count(u32);
    impl Observer for Count {
        fn assigned(&mut self, _: &State, _: usize, _: crate::FuncId, _: RegId, _: super::Value) {
            self.0 += 1;
        }
    }
    let program = counting_loop(2);
    let machine = Machine::new(&program, Options::default());
    let mut count = Count(0);
    machine.run(&mut machine.initial(), 0, Until::NEVER, &mut count);
    assert_eq!(count.0, 2 + 3 + 2 * 2);
}
