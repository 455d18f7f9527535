//! Builder of one function: blocks, registers, stack objects, prologue and epilogue.

use std::collections::HashSet;

use unpick_base::{Span, Symbol, id::Id as _};
use unpick_program::program::{
    Access, Block, BlockId, FuncId, Function, Loc, Operand, Order, Reg, RegId, Rvalue, Slot, SlotId, Stmt, StmtKind,
    Terminator, Ty,
};
use unpick_program::visit;

use super::class::{self, Class};
use super::scope::{Position, Scopes};
use super::{DeclRef, Lowering, Map, scan, share, simplify_cfg};
use unpick_front_c::ast::{self, Decl, DeclId, DeclKind, ExprId, LabelId, Unit};
use unpick_front_c::types::{QualTy, TyId};

/// Where a variable of the function lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Reg(RegId),
    Slot(SlotId),
    /// At the address in a register: parameters of struct type, variable length arrays.
    At(RegId),
}

/// Target of `break` or `continue`: the block, and how many scopes stay open there.
#[derive(Clone, Copy)]
pub(super) struct Exit {
    pub block: BlockId,
    pub depth: usize,
}

/// The labels of a `switch` found so far.
pub(super) struct SwitchLabels {
    pub cases: Vec<(i128, i128, BlockId, Position)>,
    pub default: Option<(BlockId, Position)>,
}

pub(super) struct LabelState {
    pub block: BlockId,
    /// Known once the label has been passed.
    pub position: Option<Position>,
}

/// State of lowering one function.
pub(super) struct FunctionLowering<'l, 'a, 'u> {
    pub cx: &'l mut Lowering<'a>,
    pub unit: &'u Unit,
    pub unit_index: usize,
    pub id: FuncId,
    pub func: Function,
    pub block: BlockId,
    pub homes: Map<DeclId, Home>,
    /// Lengths of the array members that pointer variables point to, where they never point elsewhere.
    pub part_lengths: Map<DeclId, u64>,
    pub scopes: Scopes,
    pub breaks: Vec<Exit>,
    pub continues: Vec<Exit>,
    pub switches: Vec<SwitchLabels>,
    pub labels: Map<LabelId, LabelState>,
    /// Labels whose address is taken.
    pub address_labels: Vec<LabelId>,
    /// Blocks that lead from a `goto` to its label, to be filled when all labels are known.
    pub gotos: Vec<(BlockId, Position, LabelId, Span)>,
    /// Lengths of variable length arrays, by the expression in their type.
    pub extents: Map<ExprId, RegId>,
    /// Objects that die with the full expression.
    pub temporaries: Vec<SlotId>,
    /// Temporaries that have ended, for the next ones of the same size and alignment.
    pub free_temporaries: Map<(u64, u64), Vec<SlotId>>,
    /// Registers without a name that are read more than once, so that nothing may take their place.
    pub pinned: HashSet<RegId, foldhash::fast::RandomState>,
    /// Values for `CondValue`, innermost last.
    pub cond_values: Vec<Operand>,
    /// Result type, and the pointer to write a struct result through.
    pub ret: TyId,
    pub result_pointer: Option<RegId>,
    pub variadic_pack: Option<RegId>,
    /// Runs as one step of its thread.
    pub is_atomic: bool,
}

impl Lowering<'_> {
    pub(super) fn lower_function(&mut self, id: FuncId, def: DeclRef) {
        let unit = self.unit(def.unit);
        let decl = &unit.decls[def.decl];
        let DeclKind::Function(function) = &decl.kind else { return };
        let Some(body) = function.body else { return };
        let mut lowering = FunctionLowering::new(self, &unit, def.unit, id, decl);
        lowering.whole(decl, function, body);
        let func = lowering.func;
        self.program.functions[id] = func;
    }
}

impl<'l, 'a, 'u> FunctionLowering<'l, 'a, 'u> {
    pub(super) fn new(
        cx: &'l mut Lowering<'a>,
        unit: &'u Unit,
        unit_index: usize,
        id: FuncId,
        decl: &Decl,
    ) -> FunctionLowering<'l, 'a, 'u> {
        let ret = class::function_type(&unit.types, decl.ty.ty).map_or(TyId::INT, |function| function.ret.ty);
        let func = cx.program.functions[id].clone();
        let mut lowering = FunctionLowering {
            cx,
            unit,
            unit_index,
            id,
            func,
            block: BlockId(0),
            homes: Map::default(),
            part_lengths: Map::default(),
            scopes: Scopes::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: Map::default(),
            address_labels: Vec::new(),
            gotos: Vec::new(),
            extents: Map::default(),
            temporaries: Vec::new(),
            free_temporaries: Map::default(),
            pinned: HashSet::default(),
            cond_values: Vec::new(),
            ret,
            result_pointer: None,
            variadic_pack: None,
            is_atomic: false,
        };
        lowering.block = lowering.new_block();
        lowering.scopes.open();
        lowering
    }

    fn whole(&mut self, decl: &Decl, function: &ast::Function, body: ast::StmtId) {
        let taken = scan::address_taken(self.unit, body);
        self.is_atomic = self.func.source_name.starts_with("__VERIFIER_atomic_");
        self.address_labels.clone_from(&function.address_labels);
        self.parameters(decl, function, &taken);
        if self.is_atomic {
            self.emit(decl.span, StmtKind::AtomicBegin);
        }
        scan::registers(self, &taken);
        self.part_lengths = scan::part_lengths(self.unit, &taken);
        self.stmt(body);
        let end = Span::new(self.unit.stmts[body].span.hi.saturating_sub(1), self.unit.stmts[body].span.hi);
        let value = match class::class_of(&self.unit.types, self.ret) {
            Class::Scalar(Ty::Int(bits)) if self.func.source_name == "main" => Some(Operand::Bits(Ty::Int(bits), 0)),
            Class::Scalar(ty) => Some(Operand::Undef(ty)),
            Class::Void | Class::Memory => None,
        };
        self.leave_function(end, value);
        self.finish();
    }

    /// Fills what had to wait for all labels, then drops unreachable blocks.
    pub(super) fn finish(&mut self) {
        self.connect_gotos();
        let labels = std::mem::take(&mut self.address_labels);
        let roots: Vec<(LabelId, BlockId)> = labels.iter().map(|label| (*label, self.label_block(*label))).collect();
        let kept = simplify_cfg::simplify(&mut self.func, self.id, roots.iter().map(|(_, block)| *block));
        share::share_registers(&mut self.func);
        for (label, block) in roots {
            let block = kept[block.index()].expect("a label whose address is taken should be kept");
            self.cx.labels.insert((self.unit_index, label), (self.id, block));
        }
    }

    fn parameters(&mut self, decl: &Decl, function: &ast::Function, taken: &scan::Taken) {
        let Some(function_type) = class::function_type(&self.unit.types, decl.ty.ty) else { return };
        let types = &self.unit.types;
        match class::class_of(types, self.ret) {
            Class::Memory => {
                let reg = self.temp(Ty::Ptr);
                self.func.params.push(reg);
                self.result_pointer = Some(reg);
            }
            Class::Scalar(ty) => self.func.ret = Some(ty),
            Class::Void => {}
        }
        for param in &function.params {
            self.parameter(*param, function_type.has_prototype, taken);
        }
        if function_type.is_variadic {
            let reg = self.temp(Ty::Ptr);
            self.func.params.push(reg);
            self.func.is_variadic = true;
            self.variadic_pack = Some(reg);
        }
    }

    fn parameter(&mut self, id: DeclId, has_prototype: bool, taken: &scan::Taken) {
        let decl = &self.unit.decls[id];
        let ty = match class::passed_class(&self.unit.types, decl.ty.ty) {
            Class::Void => return,
            Class::Memory => {
                let reg = self.temp(Ty::Ptr);
                self.func.params.push(reg);
                self.homes.insert(id, Home::At(reg));
                return;
            }
            Class::Scalar(ty) => ty,
        };
        let passed = if has_prototype { ty } else { promoted(ty) };
        let is_register = !scan::needs_memory(self.unit, id, taken);
        let shape = self.cx.shape(self.unit_index, decl.ty.ty);
        if is_register && passed == ty {
            let name = Some(self.name(decl.name));
            let reg = self.func.regs.push(Reg { ty, name, shape: Some(shape) });
            self.func.params.push(reg);
            self.homes.insert(id, Home::Reg(reg));
            return;
        }
        let incoming = self.temp(passed);
        self.func.params.push(incoming);
        let value = match (passed, ty) {
            (Ty::F64, Ty::F32) => {
                let cast = Rvalue::Cast(
                    unpick_program::program::CastOp::FloatToFloat,
                    Ty::F64,
                    Ty::F32,
                    Operand::Reg(incoming),
                );
                self.compute(decl.span, ty, cast)
            }
            (Ty::Int(from), Ty::Int(to)) => self.resize(decl.span, Operand::Reg(incoming), from, to, true),
            _same => Operand::Reg(incoming),
        };
        if is_register {
            let name = Some(self.name(decl.name));
            let reg = self.func.regs.push(Reg { ty, name, shape: Some(shape) });
            self.homes.insert(id, Home::Reg(reg));
            self.emit(decl.span, StmtKind::Assign(reg, Rvalue::Use(value)));
        } else {
            let slot = self.declare_slot(id);
            self.emit(decl.span, StmtKind::SlotLive(slot));
            let access = Access { is_volatile: false, atomic: None };
            self.emit(decl.span, StmtKind::Store { addr: Operand::Slot(slot), value, ty, access });
        }
    }

    /// A stack object for a variable.
    pub(super) fn declare_slot(&mut self, id: DeclId) -> SlotId {
        let decl = &self.unit.decls[id];
        let types = &self.unit.types;
        let size = types.size_of(decl.ty.ty).unwrap_or(0);
        let own = types.align_of_qualified(decl.ty).unwrap_or(1);
        let explicit = match &decl.kind {
            DeclKind::Var(var) => var.align.unwrap_or(1),
            DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => 1,
        };
        let shape = Some(self.cx.shape(self.unit_index, decl.ty.ty));
        let name = Some(self.name(decl.name));
        let slot = self.func.slots.push(Slot { name, size, align: own.max(explicit), shape });
        self.homes.insert(id, Home::Slot(slot));
        slot
    }

    pub(super) fn name(&self, symbol: Symbol) -> String {
        self.cx.session.interner.name(symbol).to_owned()
    }

    pub(super) fn loc(&mut self, span: Span) -> Loc {
        self.cx.loc(span)
    }

    pub(super) fn new_block(&mut self) -> BlockId {
        self.func.blocks.push(Block {
            stmts: Vec::new(),
            terminator: Terminator::Unreachable,
            loc: Loc::NONE,
            loop_head: None,
        })
    }

    pub(super) fn emit(&mut self, span: Span, kind: StmtKind) {
        let loc = self.loc(span);
        self.func.blocks[self.block].stmts.push(Stmt { kind, loc });
    }

    /// Ends the current block; what follows is unreachable until a block is entered.
    pub(super) fn terminate(&mut self, span: Span, terminator: Terminator) {
        let loc = self.loc(span);
        let block = &mut self.func.blocks[self.block];
        block.terminator = terminator;
        block.loc = loc;
        self.block = self.new_block();
    }

    pub(super) fn goto(&mut self, span: Span, target: BlockId) {
        self.terminate(span, Terminator::Goto(target));
    }

    /// Falls through into a block.
    pub(super) fn enter(&mut self, span: Span, block: BlockId) {
        let loc = self.loc(span);
        let current = &mut self.func.blocks[self.block];
        current.terminator = Terminator::Goto(block);
        current.loc = loc;
        self.block = block;
    }

    /// Continues at the end of a block that others jump to.
    pub(super) fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    pub(super) fn mark_loop(&mut self, block: BlockId, span: Span) {
        let loc = self.loc(span);
        self.func.blocks[block].loop_head.get_or_insert(loc);
    }

    /// A register without a name.
    pub(super) fn temp(&mut self, ty: Ty) -> RegId {
        self.func.regs.push(Reg { ty, name: None, shape: None })
    }

    /// Computes into a new register.
    pub(super) fn compute(&mut self, span: Span, ty: Ty, rvalue: Rvalue) -> Operand {
        let reg = self.temp(ty);
        self.emit(span, StmtKind::Assign(reg, rvalue));
        Operand::Reg(reg)
    }

    /// Gives a register the value of an operand. If the operand was computed by the very last instruction
    /// into a register without a name, that instruction writes the named register instead.
    pub(super) fn assign_reg(&mut self, span: Span, reg: RegId, value: Operand) {
        if let Operand::Reg(from) = value
            && self.func.regs[from].name.is_none()
            && self.func.regs[from].ty == self.func.regs[reg].ty
            && !self.pinned.contains(&from)
            && !self.func.params.contains(&from)
            && let Some(last) = self.func.blocks[self.block].stmts.last_mut()
            && writes_only(&last.kind, from)
        {
            visit::written_mut(&mut last.kind, |dst| *dst = reg);
            return;
        }
        self.emit(span, StmtKind::Assign(reg, Rvalue::Use(value)));
    }

    /// A stack object that lives until the end of the full expression.
    pub(super) fn temporary(&mut self, span: Span, size: u64, align: u64) -> SlotId {
        let slot = match self.free_temporaries.get_mut(&(size, align)).and_then(Vec::pop) {
            Some(slot) => slot,
            None => self.func.slots.push(Slot { name: None, size, align, shape: None }),
        };
        self.emit(span, StmtKind::SlotLive(slot));
        self.temporaries.push(slot);
        slot
    }

    /// A temporary for a value of a type.
    pub(super) fn temporary_for(&mut self, span: Span, ty: TyId) -> SlotId {
        let size = self.unit.types.size_of(ty).unwrap_or(0);
        let align = self.unit.types.align_of(ty).unwrap_or(1);
        self.temporary(span, size, align)
    }

    /// Ends the temporaries made since there were `mark` of them.
    pub(super) fn end_temporaries(&mut self, span: Span, mark: usize) {
        for slot in self.take_temporaries(mark) {
            self.emit(span, StmtKind::SlotDead(slot));
        }
    }

    /// The temporaries made since there were `mark` of them, last first; the caller ends them.
    pub(super) fn take_temporaries(&mut self, mark: usize) -> Vec<SlotId> {
        let mut ended = self.temporaries.split_off(mark);
        ended.reverse();
        for slot in &ended {
            let Slot { size, align, .. } = self.func.slots[*slot];
            self.free_temporaries.entry((size, align)).or_default().push(*slot);
        }
        ended
    }

    /// The type of pointer-sized integers.
    pub(super) fn word(&self) -> Ty {
        Ty::Int(self.word_bits())
    }

    pub(super) fn word_bits(&self) -> u8 {
        self.cx.program.pointer_bytes * 8
    }

    pub(super) fn word_value(&self, value: u64) -> Operand {
        Operand::Bits(self.word(), u128::from(value))
    }

    pub(super) fn class(&self, ty: TyId) -> Class {
        class::class_of(&self.unit.types, ty)
    }

    /// The scalar type, with a stand-in for what has none.
    pub(super) fn scalar(&self, ty: TyId) -> Ty {
        match self.class(ty) {
            Class::Scalar(ty) => ty,
            Class::Void => Ty::Int(8),
            Class::Memory => Ty::Ptr,
        }
    }

    pub(super) fn is_signed(&self, ty: TyId) -> bool {
        class::is_signed(&self.unit.types, ty)
    }

    pub(super) fn access(&self, ty: QualTy) -> Access {
        let atomic = match (ty.is_atomic(), self.class(ty.ty)) {
            (true, _) => Some(Order::SeqCst),
            // What a processor reads and writes at once.
            (false, Class::Scalar(Ty::Int(..=64) | Ty::Ptr)) if self.is_relaxed(ty) => Some(Order::Relaxed),
            (false, Class::Scalar(_) | Class::Memory | Class::Void) => None,
        };
        Access { is_volatile: ty.is_volatile(), atomic }
    }

    /// Bit-fields are never atomic.
    pub(super) fn bit_access(&self, ty: QualTy) -> Access {
        Access { is_volatile: ty.is_volatile(), atomic: ty.is_atomic().then_some(Order::SeqCst) }
    }

    fn is_relaxed(&self, ty: QualTy) -> bool {
        ty.is_volatile() && self.cx.options.is_volatile_atomic
    }

    pub(super) fn ty(&self, expr: ExprId) -> TyId {
        self.unit.exprs[expr].ty.ty
    }

    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.unit.exprs[expr].span
    }

    /// Emits what stands for a construct without meaning, and a value of the type.
    pub(super) fn unmodelled(&mut self, span: Span, what: impl Into<String>, ty: TyId) -> Operand {
        self.emit(span, StmtKind::Unmodelled(what.into()));
        match self.class(ty) {
            Class::Scalar(ty) => Operand::Undef(ty),
            Class::Void => Operand::Undef(Ty::Int(8)),
            Class::Memory => Operand::Slot(self.temporary_for(span, ty)),
        }
    }
}

/// Type after the default argument promotions.
pub(super) fn promoted(ty: Ty) -> Ty {
    match ty {
        Ty::Int(bits) if bits < 32 => Ty::Int(32),
        Ty::F32 => Ty::F64,
        Ty::Int(_) | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => ty,
    }
}

/// Whether the register is the one and only that the instruction writes.
fn writes_only(kind: &StmtKind, reg: RegId) -> bool {
    let mut written = Vec::new();
    visit::written(kind, |dst| written.push(*dst));
    written == [reg]
}
