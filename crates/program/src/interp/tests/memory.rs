//! Tests of objects, pointers and lifetimes.

use super::*;
use crate::interp::{Pointer, Value};
use crate::{Access, Address, AllocKind, BitRange, CastOp, Contents, FileId, Shape, ShapeField};

const BYTE: Ty = Ty::Int(8);

fn start() -> FunctionBuilder {
    let mut main = FunctionBuilder::new("main");
    main.loc = Loc { file: FileId(0), line: 1, column: 1 };
    main
}

fn load(main: &mut FunctionBuilder, ty: Ty, addr: Operand) -> RegId {
    let dst = main.new_reg(ty);
    main.push(StmtKind::Load { dst, addr, access: Access::default() });
    dst
}

fn store(main: &mut FunctionBuilder, addr: Operand, value: Operand, ty: Ty) {
    main.push(StmtKind::Store { addr, value, ty, access: Access::default() });
}

fn malloc(main: &mut FunctionBuilder, bytes: i64) -> Operand {
    let dst = main.new_reg(Ty::Ptr);
    let (kind, contents) = (AllocKind::Heap, Contents::Indeterminate);
    main.push(StmtKind::Alloc { dst, bytes: long(bytes), align: 16, kind, contents });
    main.next_line();
    Operand::Reg(dst)
}

fn free(main: &mut FunctionBuilder, addr: Operand) {
    main.push(StmtKind::Free { addr, kind: AllocKind::Heap });
    main.next_line();
}

fn offset(main: &mut FunctionBuilder, base: Operand, bytes: i64) -> Operand {
    let dst = main.new_reg(Ty::Ptr);
    main.assign(dst, Rvalue::PtrAdd { base, index: long(bytes), stride: 1 });
    Operand::Reg(dst)
}

/// Ends the program and runs it.
fn finish(mut main: FunctionBuilder, code: Operand) -> Stop {
    main.terminate(exit(code));
    run(&program(main))
}

fn exited(code: i32) -> Stop {
    Stop::Exited { code, is_abort: false }
}

#[test]
fn null_and_wild_pointers_do_not_point() {
    let mut main = start();
    load(&mut main, I32, Operand::Null);
    let found = violation(finish(main, int(0)));
    assert_eq!(found.kind, ViolationKind::NullDereference);
    assert_eq!(found.message, "read of 4 bytes through a null pointer");

    let mut main = start();
    let field = offset(&mut main, Operand::Null, 8);
    store(&mut main, field, int(1), I32);
    assert_eq!(violation(finish(main, int(0))).message, "write of 4 bytes through a null pointer plus 8");
}

#[test]
fn accesses_stay_in_their_object() {
    let mut main = start();
    let array = main.new_slot("array", 12);
    main.push(StmtKind::SlotLive(array));
    let end = offset(&mut main, Operand::Slot(array), 12);
    load(&mut main, I32, end);
    let found = violation(finish(main, int(0)));
    assert_eq!(found.kind, ViolationKind::OutOfBounds);
    assert_eq!(found.message, "read of 4 bytes at offset 12 of local `array` of `main`, which has 12 bytes");
}

#[test]
fn freed_objects_are_remembered() {
    let mut main = start();
    let p = malloc(&mut main, 4);
    free(&mut main, p);
    let q = malloc(&mut main, 4);
    load(&mut main, I32, p);
    free(&mut main, q);
    let found = violation(finish(main, int(0)));
    assert_eq!(found.kind, ViolationKind::UseAfterFree);
    let place = "the heap object of 4 bytes allocated at test.c:1 and freed at test.c:2";
    assert_eq!(found.message, format!("read of 4 bytes from {place}"));

    let mut main = start();
    let p = malloc(&mut main, 4);
    free(&mut main, p);
    free(&mut main, p);
    let found = violation(finish(main, int(0)));
    assert_eq!((found.kind, found.message), (ViolationKind::DoubleFree, format!("second free of {place}")));
}

#[test]
fn only_the_start_of_a_heap_object_can_be_freed() {
    let mut main = start();
    let p = malloc(&mut main, 4);
    let inner = offset(&mut main, p, 1);
    free(&mut main, inner);
    assert_eq!(violation(finish(main, int(0))).kind, ViolationKind::InvalidFree);

    let mut main = start();
    let local = main.new_slot("x", 4);
    main.push(StmtKind::SlotLive(local));
    free(&mut main, Operand::Slot(local));
    let found = violation(finish(main, int(0)));
    assert_eq!(found.message, "free of local `x` of `main`, which is not on the heap");

    let mut main = start();
    free(&mut main, Operand::Null);
    assert_eq!(finish(main, int(0)), exited(0));
}

#[test]
fn locals_end_with_their_scope() {
    let mut main = start();
    let (local, p) = (main.new_slot("x", 4), main.new_reg(Ty::Ptr));
    main.push(StmtKind::SlotLive(local));
    main.assign(p, Rvalue::Use(Operand::Slot(local)));
    main.push(StmtKind::SlotDead(local));
    load(&mut main, I32, Operand::Reg(p));
    let found = violation(finish(main, int(0)));
    assert_eq!(found.kind, ViolationKind::UseAfterFree);
    assert_eq!(found.message, "read of 4 bytes from local `x` of `main`, which is no longer alive");
}

#[test]
fn lost_heap_objects_are_leaks() {
    let mut main = start();
    malloc(&mut main, 4);
    let p = malloc(&mut main, 8);
    main.assign(RegId(0), Rvalue::Use(p));
    let found = violation(finish(main, int(0)));
    assert_eq!((found.kind, found.loc.line), (ViolationKind::Leak, 1));

    // What a global still points to is no leak, also over several steps.
    let mut main = start();
    let (p, q) = (malloc(&mut main, 8), malloc(&mut main, 8));
    store(&mut main, p, q, Ty::Ptr);
    store(&mut main, Operand::Address(Address::Global(GlobalId(0), 0)), p, Ty::Ptr);
    for reg in [RegId(0), RegId(1)] {
        main.assign(reg, Rvalue::Use(Operand::Null));
    }
    main.terminate(exit(int(0)));
    let mut program = program(main);
    global(&mut program, "root", 8);
    assert_eq!(run(&program), exited(0));
}

#[test]
fn indeterminate_bytes_stay_so_through_copies() {
    let mut main = start();
    let (a, b) = (main.new_slot("a", 8), main.new_slot("b", 8));
    main.push(StmtKind::SlotLive(a));
    main.push(StmtKind::SlotLive(b));
    let first = offset(&mut main, Operand::Slot(a), 0);
    store(&mut main, first, int(7), I32);
    let (dst, src) = (Operand::Slot(b), Operand::Slot(a));
    main.push(StmtKind::MemCopy { dst, src, bytes: long(8), may_overlap: false });
    let good = load(&mut main, I32, Operand::Slot(b));
    let half = offset(&mut main, Operand::Slot(b), 4);
    let bad = load(&mut main, I32, half);
    let cond = main.new_reg(BOOL);
    main.assign(cond, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(good), int(7)));
    main.push(StmtKind::Assume(Operand::Reg(cond)));
    main.assign(cond, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(bad), int(7)));
    main.push(StmtKind::Assume(Operand::Reg(cond)));
    assert_eq!(violation(finish(main, int(0))).kind, ViolationKind::Uninitialized);
}

#[test]
fn bit_fields_leave_their_neighbours_alone() {
    let mut main = start();
    let unit = main.new_slot("unit", 4);
    main.push(StmtKind::SlotLive(unit));
    let addr = Operand::Slot(unit);
    let access = Access::default();
    for (offset, width, value) in [(0, 3, 5), (3, 6, 33)] {
        main.push(StmtKind::StoreBits { addr, bits: BitRange::new(offset, width), value: int(value), access });
    }
    let (low, high) = (main.new_reg(I32), main.new_reg(I32));
    main.push(StmtKind::LoadBits { dst: low, addr, bits: BitRange::new(0, 3), is_signed: true, access });
    let bits = BitRange::new(3, 6);
    main.push(StmtKind::LoadBits { dst: high, addr, bits, is_signed: false, access });
    let sum = main.new_reg(I32);
    main.assign(sum, Rvalue::Binary(BinOp::Add, I32, Operand::Reg(low), Operand::Reg(high)));
    assert_eq!(finish(main, Operand::Reg(sum)), exited(33 - 3));

    let mut main = start();
    let unit = main.new_slot("unit", 4);
    main.push(StmtKind::SlotLive(unit));
    let addr = Operand::Slot(unit);
    main.push(StmtKind::StoreBits { addr, bits: BitRange::new(0, 3), value: int(1), access });
    main.push(StmtKind::LoadBits { dst: RegId(0), addr, bits, is_signed: false, access });
    let mut with_reg = main;
    let reg = with_reg.new_reg(I32);
    assert_eq!(reg, RegId(0));
    assert_eq!(violation(finish(with_reg, Operand::Reg(reg))).kind, ViolationKind::Uninitialized);
}

#[test]
fn pointers_survive_byte_by_byte_copies_and_integers() {
    let mut main = start();
    let (x, from, to) = (main.new_slot("x", 4), main.new_slot("from", 8), main.new_slot("to", 8));
    for slot in [x, from, to] {
        main.push(StmtKind::SlotLive(slot));
    }
    store(&mut main, Operand::Slot(x), int(42), I32);
    store(&mut main, Operand::Slot(from), Operand::Slot(x), Ty::Ptr);
    for at in 0..8 {
        let source = offset(&mut main, Operand::Slot(from), at);
        let byte = load(&mut main, BYTE, source);
        let target = offset(&mut main, Operand::Slot(to), at);
        store(&mut main, target, Operand::Reg(byte), BYTE);
    }
    let copy = load(&mut main, Ty::Ptr, Operand::Slot(to));
    let (number, back) = (main.new_reg(I64), main.new_reg(Ty::Ptr));
    main.assign(number, Rvalue::Cast(CastOp::PtrToInt, Ty::Ptr, I64, Operand::Reg(copy)));
    // A real look at the address: twice and half of it is the same number.
    main.assign(number, Rvalue::Binary(BinOp::Mul, I64, Operand::Reg(number), long(2)));
    main.assign(number, Rvalue::Binary(BinOp::UDiv, I64, Operand::Reg(number), long(2)));
    main.assign(back, Rvalue::Cast(CastOp::IntToPtr, I64, Ty::Ptr, Operand::Reg(number)));
    let value = load(&mut main, I32, Operand::Reg(back));
    assert_eq!(finish(main, Operand::Reg(value)), exited(42));
}

#[test]
fn low_bits_of_addresses_are_known() {
    let mut main = start();
    let p = malloc(&mut main, 32);
    let inner = offset(&mut main, p, 5);
    let (number, low) = (main.new_reg(I64), main.new_reg(I64));
    main.assign(number, Rvalue::Cast(CastOp::PtrToInt, Ty::Ptr, I64, inner));
    main.assign(low, Rvalue::Binary(BinOp::And, I64, Operand::Reg(number), long(7)));
    let code = main.new_reg(I32);
    main.assign(code, Rvalue::Cast(CastOp::Truncate, I64, I32, Operand::Reg(low)));
    free(&mut main, p);
    assert_eq!(finish(main, Operand::Reg(code)), exited(5));
}

#[test]
fn one_past_the_end_is_not_the_next_object() {
    let mut main = start();
    let (p, q) = (malloc(&mut main, 16), malloc(&mut main, 16));
    let end = offset(&mut main, p, 16);
    let (equal, code) = (main.new_reg(BOOL), main.new_reg(I32));
    main.assign(equal, Rvalue::Compare(CmpOp::Eq, Ty::Ptr, end, q));
    main.assign(code, Rvalue::Cast(CastOp::ZeroExtend, BOOL, I32, Operand::Reg(equal)));
    free(&mut main, p);
    free(&mut main, q);
    assert_eq!(finish(main, Operand::Reg(code)), exited(0));

    let mut main = start();
    let (p, q) = (malloc(&mut main, 16), malloc(&mut main, 16));
    let less = main.new_reg(BOOL);
    main.assign(less, Rvalue::Compare(CmpOp::ULt, Ty::Ptr, p, q));
    assert_eq!(violation(finish(main, int(0))).kind, ViolationKind::OutOfBounds);
}

#[test]
fn overlapping_copies_need_permission() {
    for (may_overlap, is_fine) in [(true, true), (false, false)] {
        let mut main = start();
        let array = main.new_slot("array", 8);
        main.push(StmtKind::SlotLive(array));
        store(&mut main, Operand::Slot(array), long(0x0807_0605_0403_0201), I64);
        let dst = offset(&mut main, Operand::Slot(array), 1);
        main.push(StmtKind::MemCopy { dst, src: Operand::Slot(array), bytes: long(4), may_overlap });
        let value = load(&mut main, I32, dst);
        let stop = finish(main, Operand::Reg(value));
        if is_fine {
            assert_eq!(stop, exited(0x0403_0201));
        } else {
            assert_eq!(violation(stop).message, "source and destination of memcpy overlap");
        }
    }
}

#[test]
fn unknown_contents_are_inputs_that_stay_what_they_are() {
    let mut main = start();
    let object = Operand::Address(Address::Global(GlobalId(0), 0));
    let (first, second) = (load(&mut main, I32, object), load(&mut main, I32, object));
    let same = main.new_reg(BOOL);
    main.assign(same, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(first), Operand::Reg(second)));
    let kind = ViolationKind::Assertion;
    main.push(StmtKind::Assert { cond: Operand::Reg(same), kind, message: "same".into() });
    main.assign(same, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(first), int(77)));
    main.push(StmtKind::Assume(Operand::Reg(same)));
    main.terminate(exit(Operand::Reg(second)));
    let mut program = program(main);
    let id = global(&mut program, "environment", 4);
    program.globals[id].init.any = Some("extern `environment`".into());
    let mut ends = outcomes(&program, &Options::default());
    ends.retain(|end| *end != Stop::Infeasible);
    assert_eq!(ends, [exited(77)]);
}

/// Makes the bytes of the first global unknown.
fn make_any(main: &mut FunctionBuilder, at: i64, bytes: u128, is_assumed: bool) {
    let dst = Operand::Address(Address::Global(GlobalId(0), at));
    let bytes = Operand::Bits(Ty::Int(64), bytes);
    main.push(StmtKind::MemAny { dst, bytes, is_assumed, label: "what a sensor wrote".into() });
}

#[test]
fn bytes_made_unknown_are_inputs_and_the_others_stay() {
    let mut main = start();
    let at = |offset| Operand::Address(Address::Global(GlobalId(0), offset));
    store(&mut main, at(0), int(5), I32);
    store(&mut main, at(4), int(6), I32);
    make_any(&mut main, 0, 4, false);
    let (first, second) = (load(&mut main, I32, at(0)), load(&mut main, I32, at(4)));
    let is_wanted = main.new_reg(BOOL);
    main.assign(is_wanted, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(first), int(1000)));
    main.push(StmtKind::Assume(Operand::Reg(is_wanted)));
    main.terminate(exit(Operand::Reg(second)));
    let mut program = program(main);
    global(&mut program, "values", 8);
    let mut ends = outcomes(&program, &Options::default());
    ends.retain(|end| *end != Stop::Infeasible);
    assert_eq!(ends, [exited(6)]);
}

#[test]
fn pointers_among_bytes_that_may_be_written_stay() {
    let mut main = start();
    let at = |offset| Operand::Address(Address::Global(GlobalId(0), offset));
    let target = Operand::Address(Address::Global(GlobalId(1), 0));
    store(&mut main, at(8), target, Ty::Ptr);
    make_any(&mut main, 0, 24, true);
    let pointer = load(&mut main, Ty::Ptr, at(8));
    let value = load(&mut main, I32, Operand::Reg(pointer));
    main.terminate(exit(Operand::Reg(value)));
    let mut program = program(main);
    global(&mut program, "links", 24);
    let target = global(&mut program, "target", 4);
    program.globals[target].init.bytes = vec![9, 0, 0, 0];
    assert_eq!(run(&program), exited(9));
}

#[test]
fn an_indeterminate_value_over_unknown_bytes_is_no_input() {
    let mut main = start();
    let at = Operand::Address(Address::Global(GlobalId(0), 0));
    make_any(&mut main, 0, 4, true);
    store(&mut main, at, Operand::Undef(I32), I32);
    let value = load(&mut main, I32, at);
    let is_zero = main.new_reg(BOOL);
    main.assign(is_zero, Rvalue::Compare(CmpOp::Eq, I32, Operand::Reg(value), int(0)));
    let end = main.new_block();
    main.terminate(Terminator::Branch { cond: Operand::Reg(is_zero), then: end, otherwise: end });
    main.switch_to(end);
    main.terminate(exit(int(0)));
    let mut program = program(main);
    global(&mut program, "value", 4);
    assert_eq!(violation(run(&program)).kind, ViolationKind::Uninitialized);
}

#[test]
fn literals_must_not_be_modified() {
    let mut main = start();
    store(&mut main, Operand::Address(Address::Global(GlobalId(0), 0)), Operand::Bits(BYTE, 65), BYTE);
    main.terminate(exit(int(0)));
    let mut program = program(main);
    let id = global(&mut program, "str.0", 4);
    program.globals[id].is_read_only = true;
    program.globals[id].source_name = None;
    assert_eq!(violation(run(&program)).message, "write to a string literal, which must not be modified");
}

/// Two heap objects made in either order, with the same pointers to them in the end.
fn two_objects(is_swapped: bool) -> Program {
    let mut main = start();
    let (p, q) = (malloc(&mut main, 4), malloc(&mut main, 4));
    let (first, second) = if is_swapped { (q, p) } else { (p, q) };
    store(&mut main, first, int(1), I32);
    store(&mut main, second, int(2), I32);
    store(&mut main, Operand::Address(Address::Global(GlobalId(0), 0)), first, Ty::Ptr);
    store(&mut main, Operand::Address(Address::Global(GlobalId(0), 8)), second, Ty::Ptr);
    let end = main.new_loop_head();
    main.terminate(Terminator::Goto(end));
    main.switch_to(end);
    main.terminate(exit(int(0)));
    let mut program = program(main);
    global(&mut program, "roots", 16);
    program
}

#[test]
fn the_order_of_allocations_does_not_show_in_keys() {
    let keys = [false, true].map(|is_swapped| {
        let program = two_objects(is_swapped);
        let checks = crate::interp::Checks::ALL.without(ViolationKind::Leak);
        let machine = Machine::new(&program, Options { checks, ..Options::default() });
        let mut state = machine.initial();
        let until = Until { loop_heads: true, ..Until::NEVER };
        assert!(matches!(machine.run(&mut state, 0, until, &mut Silent), Stop::LoopHead(..)));
        let mut key = Vec::new();
        machine.key(&state, &mut key);
        key
    });
    assert_eq!(keys[0], keys[1]);
}

#[test]
fn numbers_of_objects_are_recycled() {
    let mut main = start();
    let (i, cond) = (main.new_reg(I32), main.new_reg(BOOL));
    main.assign(i, Rvalue::Use(int(0)));
    let (head, end) = (main.new_loop_head(), main.new_block());
    main.terminate(Terminator::Goto(head));
    main.switch_to(head);
    let p = malloc(&mut main, 4);
    free(&mut main, p);
    main.assign(i, Rvalue::Checked(BinOp::Add, I32, Operand::Reg(i), int(1)));
    main.assign(cond, Rvalue::Compare(CmpOp::SLt, I32, Operand::Reg(i), int(10_000)));
    main.terminate(Terminator::Branch { cond: Operand::Reg(cond), then: head, otherwise: end });
    main.switch_to(end);
    main.terminate(exit(int(0)));
    let program = program(main);
    let machine = Machine::new(&program, Options::default());
    let mut state = machine.initial();
    assert_eq!(machine.run(&mut state, 0, Until::NEVER, &mut Silent), exited(0));
    assert!(state.memory.n_numbers() < 100);
}

#[test]
fn values_are_shown_as_in_c() {
    let mut main = start();
    main.terminate(exit(int(0)));
    let mut program = program(main);
    let int_shape = program.shapes.push(Shape::Int { name: "int".into(), size: 4, is_signed: true });
    let char_shape = program.shapes.push(Shape::Char { is_signed: true });
    let name = program.shapes.push(Shape::Array { element: char_shape, len: 4, stride: 1 });
    let next = program.shapes.push(Shape::Pointer(Some(int_shape)));
    let field = |name: &str, offset, shape| ShapeField { name: name.into(), offset, bits: None, shape };
    let fields = vec![field("x", 0, int_shape), field("name", 4, name), field("next", 8, next)];
    let record = program.shapes.push(Shape::Record { name: "struct item".into(), is_union: false, fields });
    let items = program.shapes.push(Shape::Array { element: record, len: 2, stride: 16 });
    let id = global(&mut program, "items", 32);
    program.globals[id].shape = Some(items);
    program.globals[id].init.bytes = vec![0xfe, 0xff, 0xff, 0xff, b'h', b'i', 0, 0];
    program.globals[id].init.pointers = vec![(8, Address::Global(id, 16))];
    let machine = Machine::new(&program, Options::default());
    let state = machine.initial();
    let object = machine.global(&state, 0, id);
    let shown = crate::show::region(&machine, &state, object, 0, 32, None);
    let second = "{.x = 0, .name = \"\", .next = NULL}";
    assert_eq!(shown, format!("{{{{.x = -2, .name = \"hi\", .next = &items[1].x}}, {second}}}"));
    assert_eq!(crate::show::place(&machine, &state, object, 16, 4), "items[1].x");
    assert_eq!(crate::show::place(&machine, &state, object, 5, 1), "items[0].name[1]");
    let value = |value, ty, shape| crate::show::value(&machine, &state, value, ty, shape);
    assert_eq!(value(Value::Bits(97), Ty::Int(8), Some(char_shape)), "97 'a'");
    assert_eq!(value(Value::Undef, I32, None), "indeterminate");
    assert_eq!(value(Value::Ptr(Pointer::NULL), Ty::Ptr, Some(next)), "NULL");
    assert_eq!(value(Value::Ptr(Pointer::function(crate::FuncId(0))), Ty::Ptr, None), "&main");
    assert_eq!(value(Value::Bits(1.5f64.to_bits()), Ty::F64, None), "1.5");
}
