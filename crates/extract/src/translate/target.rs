//! Resolution of lvalues: one place, or the pointees of a pointer selected by its number.

use unpick_front_c::ast::{CastKind, DeclKind, ExprId, ExprKind};
use unpick_front_c::types::TyId;
use unpick_front_promela::syntax::{Binary, Expr, ExprKind as To, Name, Step, Stmt, StmtKind, VarRef};

use super::{Held, Translator, at, binary, int, path, step, sum, var_ref, whole};
use crate::effect::indexed_array;
use crate::pool::{Dimension, HEAP, Member, Part, Pool, Root, dimensions, pointee};
use crate::shape::{Shape, Untranslatable};

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

/// A place with the condition under which it is meant, if there is one, and its shape.
pub(crate) type Alternative = (Option<Expr>, VarRef, Shape);

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

    /// Each place with the condition under which it is meant, and the step for when it is none of them.
    pub(crate) fn alternatives(&self) -> (Vec<Alternative>, Option<Step>) {
        let place =
            |(condition, held): &(Option<Expr>, Held)| (condition.clone(), path(held.path.clone()), held.shape.clone());
        let none = self.pointer.as_ref().map(|pointer| step(StmtKind::Assign(missing(pointer), int(0))));
        (self.all.iter().map(place).collect(), none)
    }

    /// Goes further into each place.
    pub(super) fn each(
        mut self,
        mut go: impl FnMut(&mut Held) -> Result<(), Untranslatable>,
    ) -> Result<Targets, Untranslatable> {
        for (_, held) in &mut self.all {
            go(held)?;
        }
        Ok(self)
    }

    /// What is there.
    pub(super) fn value(&self, value: impl Fn(&Held) -> Result<Expr, Untranslatable>) -> Result<Expr, Untranslatable> {
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
        mut change: impl FnMut(VarRef, Shape) -> Result<Vec<Step>, Untranslatable>,
    ) -> Result<Vec<Step>, Untranslatable> {
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
    // With this bit set it is never zero or one, nor is a number below zero.
    let index = binary(Binary::BitOr, pointer.clone(), int(NOTHING_LEN));
    VarRef { index: Some(Box::new(index)), ..var_ref(Name::from(NOTHING)) }
}

impl Translator<'_> {
    /// What a pointer points to, which may be written as the address of a place.
    pub(crate) fn behind_pointer(&self, pointer: ExprId) -> Result<Targets, Untranslatable> {
        match self.unit.exprs[pointer].kind {
            ExprKind::AddrOf(place) => self.targets(place),
            ExprKind::Cast { kind: CastKind::NoOp, operand, .. } => self.behind_pointer(operand),
            ExprKind::Cast { kind: CastKind::PointerToPointer, operand, .. }
                if self.same_pointee(operand, self.unit.exprs[pointer].ty.ty) =>
            {
                self.behind_pointer(operand)
            }
            _ => self.behind(pointer),
        }
    }

    /// What a pointer points to.
    pub(super) fn behind(&self, pointer: ExprId) -> Result<Targets, Untranslatable> {
        let pool = self.pool(self.unit.exprs[pointer].ty.ty).ok_or("goes through a pointer to anything")?;
        let number = self.expr(pointer)?;
        if let To::Literal(number, _) = number.kind {
            return self.numbered(&pool, pointer, number);
        }
        let mut all = Vec::new();
        for member in pool.members.iter().filter(|member| self.is_held(member, pointer)) {
            let (condition, held) = self.numbered_member(member, pointer, &number)?;
            all.push((Some(condition), held));
        }
        // An index outside of the only array is an error by itself.
        if let ([(condition, held)], [_]) = (all.as_mut_slice(), pool.members.as_slice())
            && let [Part::Elements(_)] = held.parts.as_slice()
        {
            *condition = None;
            return Ok(Targets { all, pointer: None });
        }
        match all.is_empty() {
            true => Err("goes through a pointer to nothing that is known".into()),
            false => Ok(Targets { all, pointer: Some(number) }),
        }
    }

    /// What no model could hold has no address in one either: no pointer of the model leads there.
    fn is_held(&self, member: &Member, pointer: ExprId) -> bool {
        let is_root_held = match member.root {
            Root::Variable(unit, decl) => (self.is_holdable)(unit, decl),
            Root::Heap(..) => {
                // Only now the shapes of its fields are known.
                let _ = self.member_root(member, pointer);
                true
            }
        };
        is_root_held
            && member.parts.iter().all(|part| match part {
                Part::Field(key, position) => self.shapes.field(key, *position).is_some(),
                Part::Elements(_) => true,
            })
    }

    /// The object of a member that a number means, and the condition under which it means one of them.
    fn numbered_member(&self, member: &Member, pointer: ExprId, number: &Expr) -> Result<(Expr, Held), Untranslatable> {
        let first = int(member.first as i32);
        let (dimensions, span) = dimensions(&member.parts);
        let offset = match (&number.kind, dimensions.is_empty()) {
            (To::Literal(number, _), _) => int(number - member.first as i32),
            (_, true) => int(0),
            (_, false) => binary(Binary::Subtract, number.clone(), first.clone()),
        };
        let mut held = self.member_root(member, pointer)?;
        let mut at = 0;
        for part in &member.parts {
            match part {
                Part::Field(key, position) => held.descend(self.shapes, key, *position)?,
                Part::Elements(_) => {
                    held.enter(index_of(&offset, &dimensions, at))?;
                    at += 1;
                }
            }
        }
        if dimensions.is_empty() {
            return Ok((binary(Binary::Equal, number.clone(), first), held));
        }
        let last = int((member.first + span - 1) as i32);
        let from = binary(Binary::GreaterEqual, number.clone(), first);
        let mut condition = binary(Binary::And, from, binary(Binary::LessEqual, number.clone(), last));
        for dimension in dimensions.iter().filter(|dimension| dimension.has_gap) {
            let rest = binary(Binary::Remainder, offset.clone(), int(dimension.stride as i32));
            let is_object = binary(Binary::NotEqual, rest, int(dimension.stride as i32 - 1));
            condition = binary(Binary::And, condition, is_object);
        }
        Ok((condition, held))
    }

    /// The object that a member lies in.
    fn member_root(&self, member: &Member, pointer: ExprId) -> Result<Held, Untranslatable> {
        match &member.root {
            Root::Variable(unit, decl) => {
                let (name, shape) = (self.variable)(*unit, *decl)?;
                Ok(whole(member.root.clone(), name, shape))
            }
            Root::Heap(name, unit, ty) => {
                let (tree, index, ty) = match member.parts.as_slice() {
                    // The type as this unit knows it.
                    [Part::Elements(_)] => {
                        let to = self.unit.types.pointee_of(self.unit.exprs[pointer].ty.ty).ok_or("is no pointer")?;
                        (self.unit, self.index, to.ty)
                    }
                    _ if *unit == self.index => (self.unit, *unit, *ty),
                    _ => return Err("points into an object that another unit allocates".into()),
                };
                let element = self.shapes.shape(tree, index, ty)?;
                let shape = Shape::Array(Box::new(element), HEAP);
                Ok(whole(member.root.clone(), Name::from(name.as_str()), shape))
            }
        }
    }

    /// `place = malloc(...)`: the first element that is free. Without one an assertion of the model's own fails, and
    /// whoever goes on behind it has the null pointer.
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
        // That there is no room is a bound of the model, never the program's word.
        let no_room = step(StmtKind::Assert(int(0)));
        let none = || step(StmtKind::Assign(place.clone(), int(0)));
        if self.malloc_fails {
            options.push(vec![step(StmtKind::Condition(others?)), no_room, none()]);
            options.push(vec![step(StmtKind::Condition(super::truth())), none()]);
            return Some(vec![step(StmtKind::Atomic(vec![step(StmtKind::If(options))]))]);
        }
        let otherwise = Step::Stmt(Stmt { kind: StmtKind::Else, at: Default::default() });
        options.push(vec![otherwise, no_room, none()]);
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
        pool.members.iter().find_map(|member| match (&member.root, member.parts.as_slice()) {
            (Root::Heap(name, ..), [Part::Elements(_)]) => Some((name.clone(), member.first)),
            (Root::Heap(..) | Root::Variable(..), _) => None,
        })
    }

    /// The object with a number.
    fn numbered(&self, pool: &Pool, pointer: ExprId, number: i32) -> Result<Targets, Untranslatable> {
        for member in pool.members.iter().filter(|member| self.is_held(member, pointer)) {
            let (dimensions, span) = dimensions(&member.parts);
            let offset = i64::from(number) - member.first as i64;
            let is_gap = |dimension: &Dimension| {
                dimension.has_gap && offset % dimension.stride as i64 == dimension.stride as i64 - 1
            };
            if (0..span as i64).contains(&offset) && !dimensions.iter().any(is_gap) {
                let (_, held) = self.numbered_member(member, pointer, &int(number))?;
                return Ok(Targets::one(held));
            }
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
    pub(super) fn address(&self, place: ExprId) -> Result<Expr, Untranslatable> {
        match self.unit.exprs[place].kind {
            ExprKind::Decl(decl) if matches!(self.unit.decls[decl].kind, DeclKind::Function(_)) => {
                let name = self.interner.name(self.unit.decls[decl].name);
                let function = self.known.get(self.index, decl, name).and_then(|id| self.pools.function(id));
                function.map(|number| int(number as i32)).ok_or_else(|| "takes an address".into())
            }
            ExprKind::Deref(pointer) if indexed_array(self.unit, pointer).is_none() => self.expr(pointer),
            // What is not in the model has no address there.
            _ => self.targets(place)?.value(|held| self.number(held, self.unit.exprs[place].ty.ty)),
        }
    }

    /// The number of the first element of an array.
    pub(super) fn address_of_array(&self, array: ExprId) -> Result<Expr, Untranslatable> {
        let ty = self.unit.exprs[array].ty.ty;
        let element = self.unit.types.element_of(ty).ok_or("is not an array")?;
        self.targets(array)?.value(|held| {
            let mut held = held.clone();
            held.enter(int(0))?;
            self.number(&held, element.ty)
        })
    }

    /// The number of what lies somewhere.
    fn number(&self, held: &Held, ty: TyId) -> Result<Expr, Untranslatable> {
        let unknown = || Untranslatable::from("takes an address");
        let pointee = pointee(self.unit, self.index, ty, self.sources).ok_or_else(unknown)?;
        let (first, dimensions) = self.pools.number(&pointee, &held.root, &held.parts).ok_or_else(unknown)?;
        let mut number = int(first as i32);
        for (dimension, index) in dimensions.iter().zip(&held.indices) {
            let step = match (&index.kind, dimension.stride) {
                (To::Literal(index, _), stride) => int(index.saturating_mul(stride as i32)),
                (_, 1) => index.clone(),
                (_, stride) => binary(Binary::Multiply, index.clone(), int(stride as i32)),
            };
            number = sum(Binary::Add, number, step);
        }
        Ok(number)
    }
}

/// The index in one dimension of a number that counts from the first object.
fn index_of(offset: &Expr, dimensions: &[Dimension], at: usize) -> Expr {
    let stride = dimensions[at].stride;
    if let To::Literal(offset, _) = offset.kind {
        let inner = at.checked_sub(1).map_or(offset, |outer| offset % dimensions[outer].stride as i32);
        return int(inner / stride as i32);
    }
    // What is left within one element of the dimension around it; the outermost has none.
    let mut inner = offset.clone();
    if let Some(outer) = at.checked_sub(1).map(|outer| dimensions[outer]) {
        inner = binary(Binary::Remainder, inner, int(outer.stride as i32));
    }
    match stride {
        1 => inner,
        stride => binary(Binary::Divide, inner, int(stride as i32)),
    }
}
