//! Adaptation of calls whose arguments do not match the definition, as the machine's calling convention would.
//!
//! C lets a program call a function through another type (old-style declarations, disagreeing
//! prototypes). Missing arguments become indeterminate, surplus ones are dropped, integers are cut or
//! extended as registers would hold them; a number where a floating value is expected is indeterminate.

use unpick_base::IdVec;
use unpick_program::interp::ADAPTED_CALL;
use unpick_program::program::{
    Address, Block, CastOp, FuncId, Function, Operand, Reg, RegId, Rvalue, Stmt, StmtKind, Ty,
};

use super::Lowering;

/// Parameter and result types of one function.
struct Callee {
    params: Vec<Ty>,
    ret: Option<Ty>,
    is_model: bool,
}

impl Lowering<'_> {
    pub(super) fn adapt_calls(&mut self) {
        let callees: IdVec<FuncId, Callee> = self.program.functions.iter().map(callee).collect();
        let word = Ty::Int(self.program.pointer_bytes * 8);
        for function in self.program.functions.iter_mut() {
            let Function { blocks, regs, .. } = function;
            for block in blocks.iter_mut() {
                if block.stmts.iter().any(|stmt| needs_change(stmt, regs, &callees)) {
                    rewrite(block, regs, &callees, word);
                }
            }
        }
    }
}

fn callee(function: &Function) -> Callee {
    Callee {
        params: function.params.iter().map(|param| function.regs[*param].ty).collect(),
        ret: function.ret,
        is_model: function.is_model,
    }
}

fn type_of(operand: Operand, regs: &IdVec<RegId, Reg>) -> Ty {
    match operand {
        Operand::Reg(reg) => regs[reg].ty,
        Operand::Bits(ty, _) | Operand::Undef(ty) => ty,
        Operand::Null | Operand::Address(_) | Operand::Slot(_) => Ty::Ptr,
    }
}

fn needs_change(stmt: &Stmt, regs: &IdVec<RegId, Reg>, callees: &IdVec<FuncId, Callee>) -> bool {
    let StmtKind::Call { dst, callee: Operand::Address(Address::Func(id)), args } = &stmt.kind else { return false };
    let callee = &callees[*id];
    let fits = callee.params.len() == args.len()
        && args.iter().zip(&callee.params).all(|(arg, param)| type_of(*arg, regs) == *param);
    !fits || dst.is_some_and(|dst| Some(regs[dst].ty) != callee.ret)
}

fn rewrite(block: &mut Block, regs: &mut IdVec<RegId, Reg>, callees: &IdVec<FuncId, Callee>, word: Ty) {
    let stmts = std::mem::take(&mut block.stmts);
    for mut stmt in stmts {
        if !needs_change(&stmt, regs, callees) {
            block.stmts.push(stmt);
            continue;
        }
        let loc = stmt.loc;
        let mut after = None;
        if let StmtKind::Call { dst, callee: Operand::Address(Address::Func(id)), args } = &mut stmt.kind {
            let callee = &callees[*id];
            if !callee.is_model {
                block.stmts.push(Stmt { kind: StmtKind::Note(ADAPTED_CALL.to_owned()), loc });
            }
            args.truncate(callee.params.len());
            for (at, param) in callee.params.iter().enumerate() {
                match args.get(at).copied() {
                    None => args.push(Operand::Undef(*param)),
                    Some(arg) => args[at] = convert(&mut block.stmts, regs, arg, *param, word, loc),
                }
            }
            if let Some(wanted) = *dst
                && Some(regs[wanted].ty) != callee.ret
            {
                let ty = regs[wanted].ty;
                let given = callee.ret.map(|ret| regs.push(Reg { ty: ret, name: None, shape: None }));
                *dst = given;
                after = Some((wanted, given.map_or(Operand::Undef(ty), Operand::Reg), ty));
            }
        }
        block.stmts.push(stmt);
        if let Some((wanted, value, ty)) = after {
            let value = convert(&mut block.stmts, regs, value, ty, word, loc);
            block.stmts.push(Stmt { kind: StmtKind::Assign(wanted, Rvalue::Use(value)), loc });
        }
    }
}

fn convert(
    stmts: &mut Vec<Stmt>,
    regs: &mut IdVec<RegId, Reg>,
    value: Operand,
    to: Ty,
    word: Ty,
    loc: unpick_program::program::Loc,
) -> Operand {
    let from = type_of(value, regs);
    let mut cast = |op: CastOp, from: Ty, to: Ty, value: Operand| {
        let reg = regs.push(Reg { ty: to, name: None, shape: None });
        stmts.push(Stmt { kind: StmtKind::Assign(reg, Rvalue::Cast(op, from, to, value)), loc });
        Operand::Reg(reg)
    };
    let mut resize = |value: Operand, from: Ty, to: Ty| match (from, to) {
        (Ty::Int(a), Ty::Int(b)) if a < b => cast(CastOp::ZeroExtend, from, to, value),
        (Ty::Int(a), Ty::Int(b)) if a > b => cast(CastOp::Truncate, from, to, value),
        _same => value,
    };
    match (from, to) {
        _ if from == to => value,
        (Ty::Int(_), Ty::Int(_)) => resize(value, from, to),
        (Ty::Int(_), Ty::Ptr) => {
            let wide = resize(value, from, word);
            cast(CastOp::IntToPtr, word, Ty::Ptr, wide)
        }
        (Ty::Ptr, Ty::Int(_)) => {
            let wide = cast(CastOp::PtrToInt, Ty::Ptr, word, value);
            let reg_word = word;
            match (reg_word, to) {
                (Ty::Int(a), Ty::Int(b)) if a > b => cast(CastOp::Truncate, word, to, wide),
                (Ty::Int(a), Ty::Int(b)) if a < b => cast(CastOp::ZeroExtend, word, to, wide),
                _same => wide,
            }
        }
        _unrelated => Operand::Undef(to),
    }
}
