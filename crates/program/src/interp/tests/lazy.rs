//! Open inputs behave like the set of their values.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{CastOp, UnOp};

fn choose(main: &mut FunctionBuilder, ty: Ty) -> RegId {
    let reg = main.new_reg(ty);
    main.push(StmtKind::Choose { dst: reg, range: None, label: "input".into() });
    reg
}

#[test]
fn a_comparison_splits_in_two() {
    let mut main = FunctionBuilder::new("main");
    let x = choose(&mut main, I32);
    let cond = main.new_reg(BOOL);
    main.assign(cond, Rvalue::Compare(CmpOp::SLt, I32, Operand::Reg(x), int(5)));
    let (then, otherwise) = (main.new_block(), main.new_block());
    main.terminate(Terminator::Branch { cond: Operand::Reg(cond), then, otherwise });
    main.switch_to(then);
    main.terminate(exit(int(1)));
    main.switch_to(otherwise);
    main.terminate(exit(int(0)));
    let ends = outcomes(&program(main), &Options::default());
    assert_eq!(ends.len(), 2);
}

#[test]
fn a_remainder_costs_as_many_values_as_it_has() {
    let mut main = FunctionBuilder::new("main");
    let x = choose(&mut main, I32);
    let rest = main.new_reg(I32);
    main.assign(rest, Rvalue::Binary(BinOp::URem, I32, Operand::Reg(x), int(10)));
    main.terminate(exit(Operand::Reg(rest)));
    let ends = outcomes(&program(main), &Options::default());
    let codes: BTreeSet<i32> = ends.iter().map(exit_code).collect();
    assert_eq!(codes, (0..10).collect());
    // Once per half of the signed range.
    assert!(ends.len() <= 20, "{} ends", ends.len());
}

fn exit_code(stop: &Stop) -> i32 {
    match stop {
        Stop::Exited { code, .. } => *code,
        other => panic!("expected an exit, got {other:?}"),
    }
}

#[test]
fn a_checked_sum_splits_off_the_overflow() {
    let mut main = FunctionBuilder::new("main");
    let x = choose(&mut main, I32);
    let sum = main.new_reg(I32);
    main.assign(sum, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(x), int(1)));
    main.terminate(exit(int(0)));
    let program = program(main);
    let machine = Machine::new(&program, Options::default());
    let mut state = machine.initial();
    let Stop::Choice(choice) = machine.run(&mut state, 0, Until::NEVER, &mut Silent) else { panic!("a choice") };
    assert_eq!(choice.n_options, 2);
    machine.pick(&mut state, &choice, 1);
    let lazy = machine.run(&mut state, 0, Until::NEVER, &mut Silent);
    let found = violation(lazy.clone());
    assert_eq!(found.message, "2147483647 + 1 does not fit in int (32 bits)");
    assert_eq!(replay(&program, &machine.decisions(&state)), lazy);
}

#[test]
fn too_many_values_are_named() {
    let mut main = FunctionBuilder::new("main");
    main.loc = Loc { file: crate::FileId(0), line: 3, column: 1 };
    let x = choose(&mut main, I32);
    let square = main.new_reg(I32);
    main.next_line();
    main.assign(square, Rvalue::Binary(BinOp::Mul, I32, Operand::Reg(x), Operand::Reg(x)));
    main.terminate(exit(int(0)));
    match run(&program(main)) {
        Stop::TooWide { samples, label, loc_of_choose, loc_of_use, count } => {
            assert_eq!((label.as_str(), loc_of_choose.line, loc_of_use.line, count), ("input", 3, 4, 1 << 32));
            assert!(samples.n_options >= 5 && !samples.is_exhaustive());
        }
        other => panic!("expected too many values, got {other:?}"),
    }
}

#[test]
fn forgotten_inputs_do_not_pile_up() {
    let mut main = FunctionBuilder::new("main");
    let (x, i, cond) = (main.new_reg(I32), main.new_reg(I32), main.new_reg(BOOL));
    main.assign(i, Rvalue::Use(int(0)));
    let (head, end) = (main.new_loop_head(), main.new_block());
    main.terminate(Terminator::Goto(head));
    main.switch_to(head);
    main.push(StmtKind::Choose { dst: x, range: None, label: "input".into() });
    main.assign(i, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(i), int(1)));
    main.assign(cond, Rvalue::Compare(CmpOp::SLt, I32, Operand::Reg(i), int(1000)));
    main.terminate(Terminator::Branch { cond: Operand::Reg(cond), then: head, otherwise: end });
    main.switch_to(end);
    main.terminate(exit(int(0)));
    let program = program(main);
    let machine = Machine::new(&program, Options::default());
    let mut state = machine.initial();
    machine.run(&mut state, 0, Until::NEVER, &mut Silent);
    assert!(state.inputs.len() <= 64, "{} inputs", state.inputs.len());
    assert_eq!(machine.decisions(&state).len(), 1000);
}

/// A step of a random program over 4-bit registers.
#[derive(Clone, Debug)]
enum Op {
    Binary(BinOp, bool, usize, Result<usize, u128>),
    Unary(UnOp, usize),
    /// Compare, then assume.
    Assume(CmpOp, usize, Result<usize, u128>),
    /// Compare, then choose between two registers.
    Select(CmpOp, usize, Result<usize, u128>, usize, usize),
    /// To 8 bits, compare there, assume.
    Widen(bool, CmpOp, usize, u128),
    Overflows(BinOp, bool, usize, Result<usize, u128>),
    ThroughMemory(usize),
    Bits(u8, usize),
    Switch(usize, u128, u128),
    Index(usize, u64),
}

fn random_op() -> impl Strategy<Value = Op> {
    use BinOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    use CmpOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
    let reg = 0usize..4;
    let other = prop_oneof![(0usize..4).prop_map(Ok), (0u128..16).prop_map(Err)];
    let cmp = proptest::sample::select(vec![Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe]);
    let bin = proptest::sample::select(vec![Add, Sub, Mul, SDiv, UDiv, SRem, URem, Shl, LShr, AShr, And, Or, Xor]);
    let sum = proptest::sample::select(vec![Add, Sub, Mul]);
    prop_oneof![
        4 => (bin, any::<bool>(), reg.clone(), other.clone()).prop_map(|(op, c, l, r)| Op::Binary(op, c, l, r)),
        1 => (proptest::sample::select(vec![UnOp::Neg, UnOp::Not, UnOp::NegChecked, UnOp::Popcount]), reg.clone())
            .prop_map(|(op, reg)| Op::Unary(op, reg)),
        2 => (cmp.clone(), reg.clone(), other.clone()).prop_map(|(op, l, r)| Op::Assume(op, l, r)),
        1 => (cmp.clone(), reg.clone(), other.clone(), reg.clone(), reg.clone())
            .prop_map(|(op, l, r, t, e)| Op::Select(op, l, r, t, e)),
        1 => (any::<bool>(), cmp, reg.clone(), 0u128..256).prop_map(|(s, op, l, r)| Op::Widen(s, op, l, r)),
        1 => (sum, any::<bool>(), reg.clone(), other).prop_map(|(op, s, l, r)| Op::Overflows(op, s, l, r)),
        1 => reg.clone().prop_map(Op::ThroughMemory),
        1 => (1u8..5, reg.clone()).prop_map(|(width, reg)| Op::Bits(width, reg)),
        1 => (reg.clone(), 0u128..16, 0u128..16).prop_map(|(reg, a, b)| Op::Switch(reg, a.min(b), a.max(b))),
        1 => (reg, 1u64..16).prop_map(|(reg, len)| Op::Index(reg, len)),
    ]
}

/// Two inputs of 4 bits and steps on four registers; ends with the registers as exit status.
fn random_program(ops: &[Op]) -> Program {
    let nibble = Ty::Int(4);
    let mut main = FunctionBuilder::new("main");
    let mut regs: Vec<RegId> = (0..2).map(|_| choose(&mut main, nibble)).collect();
    regs.extend([3, 12].map(|bits| {
        let reg = main.new_reg(nibble);
        main.assign(reg, Rvalue::Use(Operand::Bits(nibble, bits)));
        reg
    }));
    let slot = main.new_slot("cell", 8);
    main.push(StmtKind::SlotLive(slot));
    for (at, op) in ops.iter().enumerate() {
        let target = regs[at % 4];
        push_op(&mut main, &regs, target, slot, op);
    }
    let wide = Ty::Int(32);
    let code = main.new_reg(wide);
    main.assign(code, Rvalue::Use(Operand::Bits(wide, 0)));
    for reg in regs {
        let part = main.new_reg(wide);
        main.assign(part, Rvalue::Cast(CastOp::ZeroExtend, nibble, wide, Operand::Reg(reg)));
        main.assign(code, Rvalue::Binary(BinOp::Mul, wide, Operand::Reg(code), Operand::Bits(wide, 16)));
        main.assign(code, Rvalue::Binary(BinOp::Add, wide, Operand::Reg(code), Operand::Reg(part)));
    }
    // The status itself would not need all values.
    main.assign(code, Rvalue::Binary(BinOp::Xor, wide, Operand::Reg(code), Operand::Bits(wide, 5)));
    main.terminate(exit(Operand::Reg(code)));
    program(main)
}

fn push_op(main: &mut FunctionBuilder, regs: &[RegId], target: RegId, slot: crate::SlotId, op: &Op) {
    let nibble = Ty::Int(4);
    let reg = |at: usize| Operand::Reg(regs[at]);
    let other = |value: &Result<usize, u128>| match value {
        Ok(at) => Operand::Reg(regs[*at]),
        Err(bits) => Operand::Bits(nibble, *bits),
    };
    match op {
        Op::Binary(op, is_checked, left, right) => {
            // Unchecked shifts by too much have no agreed result.
            let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
            let (left, right) = (reg(*left), other(right));
            let rvalue = if *is_checked || is_shift {
                Rvalue::Checked(*op, nibble, left, right)
            } else {
                Rvalue::Binary(*op, nibble, left, right)
            };
            main.assign(target, rvalue);
        }
        Op::Unary(op, operand) => main.assign(target, Rvalue::Unary(*op, nibble, reg(*operand))),
        Op::Assume(op, left, right) => {
            let cond = main.new_reg(BOOL);
            main.assign(cond, Rvalue::Compare(*op, nibble, reg(*left), other(right)));
            main.push(StmtKind::Assume(Operand::Reg(cond)));
        }
        Op::Select(op, left, right, then, otherwise) => {
            let cond = main.new_reg(BOOL);
            main.assign(cond, Rvalue::Compare(*op, nibble, reg(*left), other(right)));
            let (then, otherwise) = (reg(*then), reg(*otherwise));
            main.assign(target, Rvalue::Select { cond: Operand::Reg(cond), then, otherwise });
        }
        Op::Widen(is_signed, op, left, right) => {
            let byte = Ty::Int(8);
            let (wide, cond) = (main.new_reg(byte), main.new_reg(BOOL));
            let cast = if *is_signed { CastOp::SignExtend } else { CastOp::ZeroExtend };
            main.assign(wide, Rvalue::Cast(cast, nibble, byte, reg(*left)));
            main.assign(wide, Rvalue::Binary(BinOp::Add, byte, Operand::Reg(wide), Operand::Bits(byte, 100)));
            main.assign(cond, Rvalue::Compare(*op, byte, Operand::Reg(wide), Operand::Bits(byte, *right)));
            main.push(StmtKind::Assume(Operand::Reg(cond)));
            main.assign(target, Rvalue::Cast(CastOp::Truncate, byte, nibble, Operand::Reg(wide)));
        }
        Op::Overflows(op, is_signed, left, right) => {
            let cond = main.new_reg(BOOL);
            let (left, right) = (reg(*left), other(right));
            main.assign(cond, Rvalue::Overflows { op: *op, is_signed: *is_signed, ty: nibble, left, right });
            main.assign(target, Rvalue::Cast(CastOp::ZeroExtend, BOOL, nibble, Operand::Reg(cond)));
        }
        Op::ThroughMemory(operand) => {
            let addr = Operand::Slot(slot);
            let access = crate::Access::default();
            main.push(StmtKind::Store { addr, value: reg(*operand), ty: nibble, access });
            main.push(StmtKind::Load { dst: target, addr, access });
        }
        Op::Bits(width, operand) => {
            let addr = Operand::Slot(slot);
            let (access, bits) = (crate::Access::default(), crate::BitRange::new(6, *width));
            main.push(StmtKind::StoreBits { addr, bits, value: reg(*operand), access });
            main.push(StmtKind::LoadBits { dst: target, addr, bits, is_signed: *width > 2, access });
        }
        Op::Switch(operand, low, high) => {
            let (inside, outside, join) = (main.new_block(), main.new_block(), main.new_block());
            let cases = vec![(*low, *high, inside)];
            main.terminate(Terminator::Switch { value: reg(*operand), ty: nibble, cases, default: outside });
            main.switch_to(inside);
            main.assign(target, Rvalue::Use(Operand::Bits(nibble, 5)));
            main.terminate(Terminator::Goto(join));
            main.switch_to(outside);
            main.terminate(Terminator::Goto(join));
            main.switch_to(join);
        }
        Op::Index(operand, len) => {
            let index = main.new_reg(I64);
            main.assign(index, Rvalue::Cast(CastOp::SignExtend, nibble, I64, reg(*operand)));
            main.push(StmtKind::CheckIndex { index: Operand::Reg(index), len: *len, one_past: false });
        }
    }
}

/// Ends as text, without messages: a lazy run names one value of many.
fn summary(stop: &Stop) -> String {
    match stop {
        Stop::Violated(violation) => violation.kind.to_string(),
        other => format!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn lazy_and_eager_runs_reach_the_same_ends(ops in proptest::collection::vec(random_op(), 1..8)) {
        let program = random_program(&ops);
        let lazy: BTreeSet<String> = outcomes(&program, &Options::default()).iter().map(summary).collect();
        let eager: BTreeSet<String> = outcomes(&program, &eager()).iter().map(summary).collect();
        prop_assert_eq!(lazy, eager);
    }

    #[test]
    fn decisions_of_lazy_runs_replay(ops in proptest::collection::vec(random_op(), 1..8), picks: Vec<u8>) {
        let program = random_program(&ops);
        let machine = Machine::new(&program, Options::default());
        let mut state = machine.initial();
        let mut picks = picks.into_iter().map(u128::from).chain(std::iter::repeat(0));
        let end = loop {
            match machine.run(&mut state, 0, Until::NEVER, &mut Silent) {
                Stop::Choice(choice) => {
                    let pick = picks.next().expect("endless") % choice.n_options;
                    machine.pick(&mut state, &choice, pick);
                }
                end => break end,
            }
        };
        prop_assert_eq!(replay(&program, &machine.decisions(&state)), end);
    }
}

/// Reads an unknown object as a nibble, as a bit-field beside a known one, and through a copy.
fn unknown_memory() -> Program {
    let mut main = FunctionBuilder::new("main");
    let access = crate::Access::default();
    let at = |offset| Operand::Address(crate::Address::Global(GlobalId(0), offset));
    let (nibble, field, byte, cond) =
        (main.new_reg(Ty::Int(4)), main.new_reg(I32), main.new_reg(Ty::Int(8)), main.new_reg(BOOL));
    main.push(StmtKind::Load { dst: nibble, addr: at(0), access });
    let known = crate::BitRange::new(0, 4);
    main.push(StmtKind::StoreBits { addr: at(1), bits: known, value: int(9), access });
    let bits = crate::BitRange::new(3, 3);
    main.push(StmtKind::LoadBits { dst: field, addr: at(1), bits, is_signed: false, access });
    let copy = main.new_slot("copy", 1);
    main.push(StmtKind::SlotLive(copy));
    main.push(StmtKind::MemCopy { dst: Operand::Slot(copy), src: at(2), bytes: long(1), may_overlap: false });
    main.push(StmtKind::Load { dst: byte, addr: Operand::Slot(copy), access });
    main.assign(cond, Rvalue::Compare(CmpOp::ULt, Ty::Int(8), Operand::Reg(byte), Operand::Bits(Ty::Int(8), 3)));
    main.push(StmtKind::Assume(Operand::Reg(cond)));
    let (sum, part) = (main.new_reg(I32), main.new_reg(I32));
    main.assign(sum, Rvalue::Cast(CastOp::ZeroExtend, Ty::Int(4), I32, Operand::Reg(nibble)));
    main.assign(part, Rvalue::Cast(CastOp::ZeroExtend, Ty::Int(8), I32, Operand::Reg(byte)));
    for (factor, reg) in [(16, field), (256, part)] {
        main.assign(reg, Rvalue::Binary(BinOp::Mul, I32, Operand::Reg(reg), int(factor)));
        main.assign(sum, Rvalue::Binary(BinOp::Add, I32, Operand::Reg(sum), Operand::Reg(reg)));
    }
    main.assign(sum, Rvalue::Binary(BinOp::Xor, I32, Operand::Reg(sum), int(5)));
    main.terminate(exit(Operand::Reg(sum)));
    let mut program = program(main);
    let id = global(&mut program, "unknown", 3);
    program.globals[id].init.any = Some("extern `unknown`".into());
    program
}

#[test]
fn unknown_memory_has_the_same_ends_lazy_and_eager() {
    let program = unknown_memory();
    // The known part of the field is its lowest bit, set.
    let mut eager_run = BTreeSet::new();
    let machine = Machine::new(&program, eager());
    let mut pending = vec![machine.initial()];
    while let Some(mut state) = pending.pop() {
        match machine.run(&mut state, 0, Until::NEVER, &mut Silent) {
            Stop::Choice(choice) => {
                // A few values of each input are enough to tell the programs apart.
                for pick in (0..choice.n_options).filter(|pick| *pick < 16 || *pick % 37 == 0) {
                    let mut next = state.clone();
                    machine.pick(&mut next, &choice, pick);
                    pending.push(next);
                }
            }
            end => {
                eager_run.insert(summary(&end));
            }
        }
    }
    let lazy: BTreeSet<String> = outcomes(&program, &Options::default()).iter().map(summary).collect();
    assert!(eager_run.is_subset(&lazy));
    // 16 nibbles, 4 fields with the lowest bit set, 3 bytes, and the executions cut off.
    assert_eq!(lazy.len(), 16 * 4 * 3 + 1);
}
