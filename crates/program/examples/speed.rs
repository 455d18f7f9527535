//! Instructions per second of the reference interpreter, in a loop over an array.
//!
//! `cargo run --release -p unpick-program --example speed`

use std::time::Instant;

use unpick_program::build::FunctionBuilder;
use unpick_program::interp::{Machine, Options, Stop, Until};
use unpick_program::{
    Access, Address, BinOp, CastOp, CmpOp, FuncId, Operand, Program, Rvalue, StmtKind, Terminator, Ty,
};

const I32: Ty = Ty::Int(32);
const I64: Ty = Ty::Int(64);

fn int(value: u32) -> Operand {
    Operand::Bits(I32, value.into())
}

/// `for (i = 0; i < n; i++) { a[i % 16] += i; }`, each iteration with a call if asked for.
fn program(n: u32, with_call: bool) -> Program {
    let mut main = FunctionBuilder::new("main");
    let access = Access::default();
    let (i, cond, at, wide) = (main.new_reg(I32), main.new_reg(Ty::Int(1)), main.new_reg(I32), main.new_reg(I64));
    let (addr, old) = (main.new_reg(Ty::Ptr), main.new_reg(I32));
    let array = main.new_slot("a", 64);
    main.push(StmtKind::SlotLive(array));
    let bytes = Operand::Bits(I64, 64);
    main.push(StmtKind::MemSet { dst: Operand::Slot(array), byte: Operand::Bits(Ty::Int(8), 0), bytes });
    main.assign(i, Rvalue::Use(int(0)));
    let (head, body, end) = (main.new_loop_head(), main.new_block(), main.new_block());
    main.terminate(Terminator::Goto(head));
    main.switch_to(head);
    main.assign(cond, Rvalue::Compare(CmpOp::ULt, I32, Operand::Reg(i), int(n)));
    main.terminate(Terminator::Branch { cond: Operand::Reg(cond), then: body, otherwise: end });
    main.switch_to(body);
    main.assign(at, Rvalue::Binary(BinOp::URem, I32, Operand::Reg(i), int(16)));
    main.assign(wide, Rvalue::Cast(CastOp::ZeroExtend, I32, I64, Operand::Reg(at)));
    main.push(StmtKind::CheckIndex { index: Operand::Reg(wide), len: 16, one_past: false });
    main.assign(addr, Rvalue::PtrAdd { base: Operand::Slot(array), index: Operand::Reg(wide), stride: 4 });
    main.push(StmtKind::Load { dst: old, addr: Operand::Reg(addr), access });
    main.assign(old, Rvalue::Binary(BinOp::Add, I32, Operand::Reg(old), Operand::Reg(i)));
    main.push(StmtKind::Store { addr: Operand::Reg(addr), value: Operand::Reg(old), ty: I32, access });
    if with_call {
        let callee = Operand::Address(Address::Func(FuncId(1)));
        main.push(StmtKind::Call { dst: None, callee, args: vec![Operand::Reg(i)] });
    }
    main.assign(i, Rvalue::Binary(BinOp::Add, I32, Operand::Reg(i), int(1)));
    main.terminate(Terminator::Goto(head));
    main.switch_to(end);
    main.terminate(Terminator::Exit { code: Operand::Reg(old), is_abort: false });
    let mut leaf = FunctionBuilder::new("leaf");
    let param = leaf.new_param(I32);
    let local = leaf.new_slot("local", 4);
    leaf.push(StmtKind::SlotLive(local));
    leaf.push(StmtKind::Store { addr: Operand::Slot(local), value: Operand::Reg(param), ty: I32, access });
    leaf.terminate(Terminator::Return(None));
    let mut program = Program { pointer_bytes: 8, ..Program::default() };
    program.entry = Some(program.functions.push(main.finish()));
    program.functions.push(leaf.finish());
    program
}

fn main() {
    for (name, with_call, per_iteration) in [("array loop", false, 11.0), ("with calls", true, 15.0)] {
        let n = 5_000_000;
        let program = program(n, with_call);
        let machine = Machine::new(&program, Options::default());
        let mut state = machine.initial();
        let start = Instant::now();
        let stop = machine.run_silent(&mut state, 0, Until::NEVER);
        let seconds = start.elapsed().as_secs_f64();
        assert!(matches!(stop, Stop::Exited { .. }), "{stop:?}");
        println!("{name}: {:.1} M instructions/s", f64::from(n) * per_iteration / seconds / 1e6);
    }
}
