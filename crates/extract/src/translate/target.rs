//! What an lvalue can mean: one place, or what a pointer points to, depending on its number.

use unpick_front_c::ast::{DeclKind, ExprId, ExprKind};
use unpick_front_c::types::TyId;
use unpick_front_promela::syntax::{Binary, Expr, ExprKind as To, Name, Step, Stmt, StmtKind, VarRef};

use super::{Held, Translator, at, binary, int, path, step, sum, var_ref};
use crate::effect::indexed_array;
use crate::pool::{Pool, pointee};
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
            return self.numbered(&pool, i64::from(number));
        }
        let mut all = Vec::new();
        for member in &pool.members {
            let (name, shape) = (self.variable)(member.unit, member.decl)?;
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
                    (binary(Binary::And, from, to), Held { path: vec![(name, Some(index))], shape: *element })
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

    /// The object with a number.
    fn numbered(&self, pool: &Pool, number: i64) -> Result<Targets, Why> {
        for member in &pool.members {
            let (first, len) = (member.first as i64, member.len.unwrap_or(1) as i64);
            if !(first..first + len).contains(&number) {
                continue;
            }
            let (name, shape) = (self.variable)(member.unit, member.decl)?;
            let held = match (member.len, shape) {
                (None, shape) => Held { path: vec![(name, None)], shape },
                (Some(_), Shape::Array(element, _)) => {
                    Held { path: vec![(name, Some(int((number - first) as i32)))], shape: *element }
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
