//! What an lvalue can mean: one place, or what a pointer points to, depending on its number.

use unpick_front_c::ast::{CastKind, DeclKind, ExprId, ExprKind};
use unpick_front_c::types::TyId;
use unpick_front_promela::syntax::{Binary, Expr, ExprKind as To, Name, Step, Stmt, StmtKind, VarRef};

use super::{Held, Translator, at, binary, in_array, int, path, step, sum, var_ref};
use crate::effect::indexed_array;
use crate::pool::{HEAP, Member, Place, Pool, pointee};
use crate::shape::{Shape, Why};

/// The array that does not have the elements that null pointers point to.
pub const NOTHING: &str = "nothing";
/// How many elements it has.
pub const NOTHING_LEN: i32 = 2;

/// The places that an lvalue can mean.
pub struct Targets {
    /// Each with the condition under which it is meant; none if nothing else is possible.
    all: Vec<(Option<Expr>, Held)>,
    /// The pointer, if it may point to nothing.
    pointer: Option<Expr>,
}

impl Targets {
    /// A variable.
    pub(super) fn one(held: Held) -> Targets {
        Targets { all: vec![(None, held)], pointer: None }
    }

    /// The only place, if there is only one.
    pub(super) fn only(mut self) -> Option<Held> {
        match self.all.pop() {
            Some((None, held)) => Some(held),
            Some(_) | None => None,
        }
    }

    /// Goes further into each place.
    pub(super) fn each(mut self, mut go: impl FnMut(&mut Held) -> Result<(), Why>) -> Result<Targets, Why> {
        for (_, held) in &mut self.all {
            go(held)?;
        }
        Ok(self)
    }

    /// What is there.
    pub(super) fn value(&self, value: impl Fn(&Held) -> Result<Expr, Why>) -> Result<Expr, Why> {
        // Reading what is not there is an error of the model.
        let mut result = self.pointer.as_ref().map(|pointer| at(To::Var(missing(pointer))));
        for (condition, held) in self.all.iter().rev() {
            let here = value(held)?;
            result = Some(match (condition, result) {
                (Some(condition), Some(others)) => {
                    at(To::Conditional(Box::new(condition.clone()), Box::new(here), Box::new(others)))
                }
                (None, _) | (_, None) => here,
            });
        }
        result.ok_or_else(|| "points to nothing that is known".into())
    }

    /// Steps that change what is there.
    pub(super) fn update(
        &self,
        mut change: impl FnMut(VarRef, Shape) -> Result<Vec<Step>, Why>,
    ) -> Result<Vec<Step>, Why> {
        if let [(None, held)] = self.all.as_slice() {
            return change(path(held.path.clone()), held.shape.clone());
        }
        let mut options = Vec::new();
        for (condition, held) in &self.all {
            let Some(condition) = condition else { return Err("goes through a pointer".into()) };
            let mut option = vec![step(StmtKind::Condition(condition.clone()))];
            option.extend(change(path(held.path.clone()), held.shape.clone())?);
            options.push(option);
        }
        if let Some(pointer) = &self.pointer {
            let otherwise = Step::Stmt(Stmt { kind: StmtKind::Else, at: Default::default() });
            options.push(vec![otherwise, step(StmtKind::Assign(missing(pointer), int(0)))]);
        }
        Ok(vec![step(StmtKind::DStep(vec![step(StmtKind::If(options))]))])
    }
}

/// The array that says which elements of a heap are in use.
pub fn used_name(heap: &str) -> String {
    format!("{heap}_used")
}

fn at_index(name: &str, index: Expr) -> VarRef {
    VarRef { index: Some(Box::new(index)), ..var_ref(Name::from(name)) }
}

/// An element that is not there, whatever the number.
fn missing(pointer: &Expr) -> VarRef {
    let index = sum(Binary::Add, pointer.clone(), int(NOTHING_LEN));
    VarRef { index: Some(Box::new(index)), ..var_ref(Name::from(NOTHING)) }
}

impl Translator<'_> {
    /// What a pointer points to.
    pub(super) fn behind(&self, pointer: ExprId) -> Result<Targets, Why> {
        let pool = self.pool(self.unit.exprs[pointer].ty.ty).ok_or("goes through a pointer to anything")?;
        let number = self.expr(pointer)?;
        if let To::Literal(number, _) = number.kind {
            return self.numbered(&pool, pointer, i64::from(number));
        }
        let mut all = Vec::new();
        for member in &pool.members {
            let (name, shape) = self.member_place(member, pointer)?;
            let first = int(member.first as i32);
            let (condition, held) = match (member.len, shape) {
                (None, shape) => {
                    (binary(Binary::Equal, number.clone(), first), Held { path: vec![(name, None)], shape })
                }
                (Some(len), Shape::Array(element, _)) => {
                    let last = int((member.first + len - 1) as i32);
                    let from = binary(Binary::GreaterEqual, number.clone(), first.clone());
                    let to = binary(Binary::LessEqual, number.clone(), last);
                    let index = binary(Binary::Subtract, number.clone(), first);
                    (binary(Binary::And, from, to), Held { path: vec![(name, Some(index))], shape: in_array(*element) })
                }
                (Some(_), _) => return Err("is not an array".into()),
            };
            all.push((Some(condition), held));
        }
        // An index outside of the only array is an error by itself.
        if let ([(condition, _)], Some(_)) = (all.as_mut_slice(), pool.members.first().and_then(|only| only.len)) {
            *condition = None;
            return Ok(Targets { all, pointer: None });
        }
        match all.is_empty() {
            true => Err("goes through a pointer to nothing that is known".into()),
            false => Ok(Targets { all, pointer: Some(number) }),
        }
    }

    /// The name and shape of an object that this pointer may point to.
    fn member_place(&self, member: &Member, pointer: ExprId) -> Result<(Name, Shape), Why> {
        match &member.place {
            Place::Variable(unit, decl) => (self.variable)(*unit, *decl),
            Place::Heap(name, ..) => {
                let to = self.unit.types.pointee_of(self.unit.exprs[pointer].ty.ty).ok_or("is no pointer")?;
                let element = self.shapes.shape(self.unit, self.index, to.ty)?;
                Ok((Name::from(name.as_str()), Shape::Array(Box::new(element), HEAP)))
            }
        }
    }

    /// `place = malloc(...)`: the first element that is free, or the null pointer.
    pub(crate) fn allocated(&self, value: ExprId, place: &VarRef) -> Option<Vec<Step>> {
        if !(self.is_allocation)(self.index, value) {
            return None;
        }
        let (name, first) = self.heap(value)?;
        let used = |at: u64| at_index(&used_name(&name), int(at as i32));
        let mut options = Vec::new();
        let mut others: Option<Expr> = None;
        for at in 0..HEAP {
            let is_used = super::at(To::Var(used(at)));
            let is_free = super::negation(is_used.clone());
            let guard = match &others {
                Some(others) => binary(Binary::And, others.clone(), is_free),
                None => is_free,
            };
            others = Some(match others {
                Some(others) => binary(Binary::And, others, is_used),
                None => is_used,
            });
            options.push(vec![
                step(StmtKind::Condition(guard)),
                step(StmtKind::Assign(used(at), int(1))),
                step(StmtKind::Assign(place.clone(), int((first + at) as i32))),
            ]);
        }
        let otherwise = Step::Stmt(Stmt { kind: StmtKind::Else, at: Default::default() });
        let none = step(StmtKind::Assign(place.clone(), int(0)));
        if self.malloc_fails {
            options.push(vec![step(StmtKind::Condition(super::truth())), none]);
            return Some(vec![step(StmtKind::Atomic(vec![step(StmtKind::If(options))]))]);
        }
        options.push(vec![otherwise, none]);
        Some(vec![step(StmtKind::DStep(vec![step(StmtKind::If(options))]))])
    }

    /// `free(pointer)`: its element is free again, and empty.
    pub(super) fn freed(&self, callee: ExprId, args: &[ExprId]) -> Option<Vec<Step>> {
        let decl = crate::effect::direct_callee(self.unit, callee)?;
        let name = self.interner.name(self.unit.decls[decl].name);
        let [pointer] = args else { return None };
        if name != "free" || self.known.get(self.index, decl, name).is_some() {
            return None;
        }
        let mut pointer = *pointer;
        while let ExprKind::Cast { operand, kind: CastKind::PointerToPointer | CastKind::NoOp, .. } =
            self.unit.exprs[pointer].kind
        {
            pointer = operand;
        }
        let (heap, first) = self.heap(pointer)?;
        let number = self.expr(pointer).ok()?;
        let index = binary(Binary::Subtract, number.clone(), int(first as i32));
        let to = self.unit.types.pointee_of(self.unit.exprs[pointer].ty.ty)?;
        let shape = self.shapes.shape(self.unit, self.index, to.ty).ok()?;
        // What is freed twice is not used: an error of the program, and of the model.
        let used = at_index(&used_name(&heap), index.clone());
        let mut steps =
            vec![step(StmtKind::Assert(super::at(To::Var(used.clone())))), step(StmtKind::Assign(used, int(0)))];
        self.emptied(&at_index(&heap, index), &shape, &mut steps);
        let is_object = binary(Binary::NotEqual, number.clone(), int(0));
        let is_null = binary(Binary::Equal, number, int(0));
        let mut option = vec![step(StmtKind::Condition(is_object))];
        option.append(&mut steps);
        let options = vec![option, vec![step(StmtKind::Condition(is_null))]];
        Some(vec![step(StmtKind::DStep(vec![step(StmtKind::If(options))]))])
    }

    fn emptied(&self, place: &VarRef, shape: &Shape, steps: &mut Vec<Step>) {
        match shape {
            Shape::Scalar(_) => steps.push(step(StmtKind::Assign(place.clone(), int(0)))),
            Shape::Array(element, n) => {
                for index in 0..*n {
                    self.emptied(&super::indexed(place, &int(index as i32)), element, steps);
                }
            }
            Shape::Record(key) => {
                for (_, name, shape) in self.shapes.record_shape(key).map(|record| record.fields).unwrap_or_default() {
                    self.emptied(&super::with_field(place, &name), &shape, steps);
                }
            }
        }
    }

    /// The array for what is allocated of the type that a pointer points to, and the number of its first element.
    fn heap(&self, pointer: ExprId) -> Option<(String, u64)> {
        let ty = self.unit.exprs[pointer].ty.ty;
        let pool = self.pool(ty)?;
        // Of what is not held at all, there is no array.
        self.shapes.shape(self.unit, self.index, self.unit.types.pointee_of(ty)?.ty).ok()?;
        pool.members.iter().find_map(|member| match &member.place {
            Place::Heap(name, ..) => Some((name.clone(), member.first)),
            Place::Variable(..) => None,
        })
    }

    /// The object with a number.
    fn numbered(&self, pool: &Pool, pointer: ExprId, number: i64) -> Result<Targets, Why> {
        for member in &pool.members {
            let (first, len) = (member.first as i64, member.len.unwrap_or(1) as i64);
            if !(first..first + len).contains(&number) {
                continue;
            }
            let (name, shape) = self.member_place(member, pointer)?;
            let held = match (member.len, shape) {
                (None, shape) => Held { path: vec![(name, None)], shape },
                (Some(_), Shape::Array(element, _)) => {
                    Held { path: vec![(name, Some(int((number - first) as i32)))], shape: in_array(*element) }
                }
                (Some(_), _) => return Err("is not an array".into()),
            };
            return Ok(Targets::one(held));
        }
        Err("goes through a null pointer".into())
    }

    /// What pointers of a type point into.
    fn pool(&self, ty: TyId) -> Option<Pool> {
        let to = self.unit.types.pointee_of(ty)?;
        Some(self.pools.of(&pointee(self.unit, self.index, to.ty, self.sources)?))
    }

    /// Whether a pointer means the same after a cast.
    pub(super) fn same_pointee(&self, operand: ExprId, ty: TyId) -> bool {
        let of = |ty: TyId| {
            let to = self.unit.types.pointee_of(ty)?;
            pointee(self.unit, self.index, to.ty, self.sources)
        };
        let from = of(self.unit.exprs[operand].ty.ty);
        from.is_some() && from == of(ty)
    }

    /// The number of an object.
    pub(super) fn address(&self, place: ExprId) -> Result<Expr, Why> {
        let unknown = || Why::from("takes an address");
        match self.unit.exprs[place].kind {
            ExprKind::Decl(decl) if matches!(self.unit.decls[decl].kind, DeclKind::Function(_)) => {
                let name = self.interner.name(self.unit.decls[decl].name);
                let function = self.known.get(self.index, decl, name).and_then(|id| self.pools.function(id));
                function.map(|number| int(number as i32)).ok_or_else(unknown)
            }
            ExprKind::Decl(decl) => {
                let number = self.pools.number(self.index, decl).ok_or_else(unknown)?;
                // What is not in the model has no address there.
                (self.variable)(self.index, decl)?;
                Ok(int(number as i32))
            }
            ExprKind::Index { base, index } => Ok(sum(Binary::Add, self.address_of_array(base)?, self.expr(index)?)),
            ExprKind::Deref(pointer) => match indexed_array(self.unit, pointer) {
                Some((array, index)) => {
                    let index = index.map_or(Ok(int(0)), |index| self.expr(index))?;
                    Ok(sum(Binary::Add, self.address_of_array(array)?, index))
                }
                None => self.expr(pointer),
            },
            _ => Err(unknown()),
        }
    }

    /// The number of the first element of an array.
    pub(super) fn address_of_array(&self, array: ExprId) -> Result<Expr, Why> {
        match self.unit.exprs[array].kind {
            ExprKind::Decl(_) => self.address(array),
            _ => Err("takes an address".into()),
        }
    }
}
