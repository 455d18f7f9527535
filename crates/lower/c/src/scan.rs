//! Escape scan of a function: variables that need memory (address taken, or not scalar), and pointers that only ever
//! point to the beginning of an array member.

use std::collections::{HashMap, HashSet};

use unpick_program::program::Reg;

use super::class::{Class, class_of};
use super::function::{FunctionLowering, Home};
use super::place::declared_length;
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, Init, StmtId, StmtKind, Storage, Unit};
use unpick_front_c::types::Type;

/// What a walk over the body found.
#[derive(Default)]
pub(super) struct Taken {
    addresses: HashSet<DeclId, foldhash::fast::RandomState>,
    /// Variables declared in the body.
    declared: Vec<DeclId>,
    /// Lengths of the array members that variables are made to point to; `None` for anything else.
    targets: HashMap<DeclId, Option<u64>, foldhash::fast::RandomState>,
}

impl Taken {
    fn points_to(&mut self, variable: DeclId, len: Option<u64>) {
        self.targets
            .entry(variable)
            .and_modify(|known| *known = known.filter(|known| Some(*known) == len))
            .or_insert(len);
    }
}

/// Pointer variables in registers that point to nothing but the first elements of array members of one length.
pub(super) fn part_lengths(unit: &Unit, taken: &Taken) -> super::Map<DeclId, u64> {
    let declared = taken.declared.iter().filter(|id| !needs_memory(unit, **id, taken));
    declared.filter_map(|id| Some((*id, (*taken.targets.get(id)?)?))).collect()
}

/// The length of the array member to whose first element an expression points; null says nothing.
fn target(unit: &Unit, expr: ExprId) -> Target {
    match &unit.exprs[expr].kind {
        ExprKind::Cast { kind: CastKind::NullToPointer, .. } => Target::Null,
        ExprKind::Cast { kind: CastKind::NoOp | CastKind::PointerToPointer, operand, .. } => {
            match (unit.types.get(unit.exprs[expr].ty.ty), unit.types.get(unit.exprs[*operand].ty.ty)) {
                (Type::Pointer(to), Type::Pointer(from))
                    if unit.types.size_of(to.ty) == unit.types.size_of(from.ty) =>
                {
                    target(unit, *operand)
                }
                (_, _) => Target::Else,
            }
        }
        ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } => match &unit.exprs[*operand].kind {
            ExprKind::Member { .. } => declared_length(unit, *operand).map_or(Target::Else, Target::Part),
            _other => Target::Else,
        },
        _other => Target::Else,
    }
}

enum Target {
    Null,
    Part(u64),
    Else,
}

pub(super) fn address_taken(unit: &Unit, body: StmtId) -> Taken {
    let mut taken = Taken::default();
    Walk { unit, taken: &mut taken }.stmt(body);
    taken
}

/// Whether a variable has to be an object in memory.
pub(super) fn needs_memory(unit: &Unit, id: DeclId, taken: &Taken) -> bool {
    let decl = &unit.decls[id];
    let DeclKind::Var(var) = &decl.kind else { return true };
    let is_scalar = matches!(class_of(&unit.types, decl.ty.ty), Class::Scalar(_));
    !is_scalar
        || decl.ty.is_volatile()
        || decl.ty.is_atomic()
        || var.cleanup.is_some()
        || matches!(unit.types.get(decl.ty.ty), Type::VaList)
        || !matches!(var.storage, Storage::Automatic | Storage::Parameter)
        || taken.addresses.contains(&id)
}

/// Makes the registers of all variables that do not need memory.
pub(super) fn registers(lowering: &mut FunctionLowering<'_, '_, '_>, taken: &Taken) {
    for &id in &taken.declared {
        if needs_memory(lowering.unit, id, taken) || lowering.homes.contains_key(&id) {
            continue;
        }
        let decl = &lowering.unit.decls[id];
        let Class::Scalar(ty) = class_of(&lowering.unit.types, decl.ty.ty) else { continue };
        let shape = Some(lowering.cx.shape(lowering.unit_index, decl.ty.ty));
        let name = Some(lowering.name(decl.name));
        let reg = lowering.func.regs.push(Reg { ty, name, shape });
        lowering.homes.insert(id, Home::Reg(reg));
    }
}

struct Walk<'u, 't> {
    unit: &'u Unit,
    taken: &'t mut Taken,
}

impl Walk<'_, '_> {
    fn stmt(&mut self, id: StmtId) {
        match &self.unit.stmts[id].kind {
            StmtKind::Empty | StmtKind::Type(_) | StmtKind::Goto(_) | StmtKind::Continue | StmtKind::Break => {}
            StmtKind::Error => {}
            StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) => self.expr(*expr),
            StmtKind::Decl(decls) => decls.iter().for_each(|decl| self.decl(*decl)),
            StmtKind::VlaSizes(exprs) => exprs.iter().for_each(|expr| self.expr(*expr)),
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(*stmt)),
            StmtKind::If { cond, then, otherwise } => {
                self.expr(*cond);
                self.stmt(*then);
                otherwise.iter().for_each(|stmt| self.stmt(*stmt));
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expr(*cond);
                self.stmt(*body);
            }
            StmtKind::For { init, cond, step, body } => {
                init.iter().for_each(|stmt| self.stmt(*stmt));
                cond.iter().chain(step).for_each(|expr| self.expr(*expr));
                self.stmt(*body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(*value);
                self.stmt(*body);
            }
            StmtKind::Case { body, .. } | StmtKind::Default { body } | StmtKind::Label { body, .. } => self.stmt(*body),
            StmtKind::Return(value) => value.iter().for_each(|expr| self.expr(*expr)),
            StmtKind::Asm(asm) => {
                asm.outputs.iter().chain(&asm.inputs).for_each(|(_, expr)| self.expr(*expr));
            }
        }
    }

    fn decl(&mut self, id: DeclId) {
        self.taken.declared.push(id);
        let unit = self.unit;
        let mut ty = unit.decls[id].ty.ty;
        loop {
            ty = match unit.types.get(ty) {
                Type::Array { element, extent } => {
                    if let unpick_front_c::types::ArrayExtent::Variable(expr) = extent {
                        self.expr(*expr);
                    }
                    element.ty
                }
                Type::Pointer(pointee) if unit.types.is_variably_modified(pointee.ty) => pointee.ty,
                _other => break,
            };
        }
        if let DeclKind::Var(var) = &unit.decls[id].kind
            && matches!(var.storage, Storage::Automatic | Storage::Parameter)
            && let Some(init) = &var.init
        {
            if let Init::Expr(expr) = init {
                self.target(id, *expr);
            }
            self.init(init);
        }
    }

    fn target(&mut self, variable: DeclId, value: ExprId) {
        match target(self.unit, value) {
            Target::Null => {}
            Target::Part(len) => self.taken.points_to(variable, Some(len)),
            Target::Else => self.taken.points_to(variable, None),
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Expr(expr) => self.expr(*expr),
            Init::Str { .. } => {}
            Init::List { entries, .. } => entries.iter().for_each(|entry| self.init(&entry.init)),
        }
    }

    fn expr(&mut self, id: ExprId) {
        match &self.unit.exprs[id].kind {
            ExprKind::Assign { lhs, rhs } => {
                if let ExprKind::Decl(variable) = self.unit.exprs[*lhs].kind {
                    self.target(variable, *rhs);
                }
            }
            ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => {
                if let ExprKind::Decl(variable) = self.unit.exprs[*lhs].kind {
                    self.taken.points_to(variable, None);
                }
            }
            _other => {}
        }
        match &self.unit.exprs[id].kind {
            ExprKind::Decl(_)
            | ExprKind::Str { .. }
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::LabelAddr(_)
            | ExprKind::CondValue
            | ExprKind::SizeofVla(_)
            | ExprKind::Error => {}
            ExprKind::AddrOf(operand) => {
                self.take(*operand);
                self.expr(*operand);
            }
            ExprKind::Deref(operand) | ExprKind::Unary(_, operand) | ExprKind::Member { base: operand, .. } => {
                self.expr(*operand);
            }
            ExprKind::Cast { operand, .. } | ExprKind::IncDec { lhs: operand, .. } => self.expr(*operand),
            ExprKind::VaArg { list } => {
                self.take(*list);
                self.expr(*list);
            }
            ExprKind::Index { base: left, index: right }
            | ExprKind::Binary(_, left, right)
            | ExprKind::LogAnd(left, right)
            | ExprKind::LogOr(left, right)
            | ExprKind::Comma(left, right)
            | ExprKind::Assign { lhs: left, rhs: right }
            | ExprKind::CompoundAssign { lhs: left, rhs: right, .. } => {
                self.expr(*left);
                self.expr(*right);
            }
            ExprKind::CompoundLiteral { init, .. } => self.init(init),
            ExprKind::Cond { cond, then, otherwise } => {
                [cond, then, otherwise].into_iter().for_each(|expr| self.expr(*expr));
            }
            ExprKind::CondElvis { cond, converted, otherwise } => {
                [cond, converted, otherwise].into_iter().for_each(|expr| self.expr(*expr));
            }
            ExprKind::Call { callee, args } => {
                self.expr(*callee);
                args.iter().for_each(|arg| self.expr(*arg));
            }
            ExprKind::Builtin { args, .. } => args.iter().for_each(|arg| self.expr(*arg)),
            ExprKind::StmtExpr(stmt) => self.stmt(*stmt),
        }
    }

    /// The variable an lvalue lies in has its address taken.
    fn take(&mut self, id: ExprId) {
        match &self.unit.exprs[id].kind {
            ExprKind::Decl(decl) => {
                self.taken.addresses.insert(*decl);
            }
            ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => self.take(*base),
            ExprKind::Cast { operand, .. } => self.take(*operand),
            _other => {}
        }
    }
}
