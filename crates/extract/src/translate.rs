//! Translation of C expressions and assignments to Promela, where they have the same meaning.

mod build;
mod target;

use std::cell::RefCell;
use std::collections::BTreeMap;

use unpick_base::{Interner, SourceMap};
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind, UnaryOp, Unit};
use unpick_front_c::types::{RecordId, TyId};
use unpick_front_promela::syntax::{Binary, Expr, ExprKind as To, Name, Step, StmtKind, Unary, VarRef};

use crate::code::DefinedFunctions;
use crate::effect::{indexed_array, record_key};
use crate::embed::{Embedder, code_expr};
use crate::pool::{Part, Pools, Root};
use crate::shape::{Scalar, Shape, Shapes, Untranslatable};
pub use build::{at, falsehood, int, negation, step, truth, var, var_ref};
pub(crate) use build::{binary, indexed, path, unary, with_field};
use build::{binary_op, cut, cuts_itself, is_truth, sum};
pub(crate) use target::Targets;
pub use target::{NOTHING, NOTHING_LEN, used_name};

/// What translation needs to know.
#[derive(Clone)]
pub struct Translator<'a> {
    /// The unit whose expressions are translated.
    pub unit: &'a Unit,
    /// Its number.
    pub index: usize,
    /// How data is held.
    pub shapes: &'a Shapes<'a>,
    /// Names.
    pub interner: &'a Interner,
    /// Texts.
    pub sources: &'a SourceMap,
    /// What a variable is called in the model and how it is held; the reason if it is not there.
    pub variable: &'a dyn Fn(usize, DeclId) -> Result<(Name, Shape), Untranslatable>,
    /// What pointers may point to.
    pub pools: &'a Pools,
    /// Whether a variable is such that the model could hold it.
    pub is_holdable: &'a dyn Fn(usize, DeclId) -> bool,
    /// Functions with bodies.
    pub known: &'a DefinedFunctions,
    /// Whether an expression of a unit is what `malloc` gives for one object.
    pub is_allocation: &'a dyn Fn(usize, ExprId) -> bool,
    /// Whether `malloc` may fail.
    pub malloc_fails: bool,
    /// A pointer whose value is known already, as that of a variable of the model.
    pub pinned: Option<(ExprId, Expr)>,
    /// Writes what stays C.
    pub embedder: Option<&'a Embedder<'a>>,
    /// Enumerators that may be written by name.
    pub constants: &'a BTreeMap<String, i128>,
    /// Those that were.
    pub used: &'a RefCell<BTreeMap<String, i32>>,
}

/// A place in the model: the path so far, and how what lies there is held.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) path: Vec<(Name, Option<Expr>)>,
    pub(crate) shape: Shape,
    /// Where it lies in which object, and the indices on the way.
    pub(crate) root: Root,
    pub(crate) parts: Vec<Part>,
    pub(crate) indices: Vec<Expr>,
}

impl Held {
    /// One of the elements of an array.
    pub(crate) fn enter(&mut self, index: Expr) -> Result<(), Untranslatable> {
        let Shape::Array(element, len) = self.shape.clone() else { return Err("is not an array".into()) };
        let last = self.path.last_mut().expect("a path should have a name");
        match last.1 {
            None => last.1 = Some(index.clone()),
            // Promela knows arrays of one dimension; the inner ones lie in records.
            Some(_) => self.path.push((Name::from(INNER), Some(index.clone()))),
        }
        self.shape = in_array(*element);
        self.parts.push(Part::Elements(len));
        self.indices.push(index);
        Ok(())
    }

    /// A field of a record.
    pub(crate) fn descend(&mut self, shapes: &Shapes<'_>, key: &str, position: u32) -> Result<(), Untranslatable> {
        // Members of records without a name belong to the record around them; those are not held.
        let (name, shape) = shapes.field(key, position).ok_or("is a field that is not held")?;
        self.path.push((Name::from(name), None));
        self.shape = shape;
        self.parts.push(Part::Field(key.to_owned(), position));
        Ok(())
    }
}

impl Translator<'_> {
    /// The value of an expression; what Promela does not hold is asked for in C.
    pub fn expr(&self, expr: ExprId) -> Result<Expr, Untranslatable> {
        let Some(embedder) = self.embedder else { return self.promela(expr) };
        match self.promela(expr) {
            Ok(value) => Ok(value),
            Err(_) => embedder.text(expr).map(|text| code_expr(&text)),
        }
    }

    /// A place as embedded C.
    pub fn embedded(&self, place: ExprId) -> Option<String> {
        self.embedder.and_then(|embedder| embedder.text(place).ok())
    }

    /// The value of an expression that Promela holds.
    fn promela(&self, expr: ExprId) -> Result<Expr, Untranslatable> {
        if let Some((pinned, value)) = &self.pinned
            && *pinned == expr
        {
            return Ok(value.clone());
        }
        let node = &self.unit.exprs[expr];
        match &node.kind {
            ExprKind::Int(value) => self.int(expr, *value),
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => self.load(*operand),
            ExprKind::Cast { kind, operand, .. } => self.cast(*kind, *operand, node.ty.ty),
            ExprKind::Unary(op, operand) => {
                let operand = self.promela(*operand)?;
                Ok(match op {
                    UnaryOp::Neg => unary(Unary::Minus, operand),
                    UnaryOp::BitNot => unary(Unary::Complement, operand),
                    UnaryOp::LogNot => unary(Unary::Not, operand),
                    UnaryOp::Plus => operand,
                    UnaryOp::Real | UnaryOp::Imag => return Err("is a complex number".into()),
                })
            }
            ExprKind::Binary(op, left, right) => Ok(sum(binary_op(*op), self.promela(*left)?, self.promela(*right)?)),
            ExprKind::LogAnd(left, right) => Ok(binary(Binary::And, self.promela(*left)?, self.promela(*right)?)),
            ExprKind::LogOr(left, right) => Ok(binary(Binary::Or, self.promela(*left)?, self.promela(*right)?)),
            ExprKind::Cond { cond, then, otherwise } => {
                let (cond, then, otherwise) = (self.promela(*cond)?, self.promela(*then)?, self.promela(*otherwise)?);
                Ok(at(To::Conditional(Box::new(cond), Box::new(then), Box::new(otherwise))))
            }
            ExprKind::Builtin { builtin: unpick_front_c::builtin::Builtin::First, args } => {
                self.promela(*args.first().ok_or("has no argument")?)
            }
            ExprKind::Builtin { builtin: unpick_front_c::builtin::Builtin::AtomicLoadN, args } => {
                self.load(self.pointed(*args.first().ok_or("has no argument")?)?)
            }
            ExprKind::Call { callee, .. } => {
                let name = crate::effect::direct_callee(self.unit, *callee)
                    .map_or("a function pointer".to_owned(), |decl| {
                        format!("`{}`, which has no model", self.interner.name(self.unit.decls[decl].name))
                    });
                Err(format!("calls {name}"))
            }
            ExprKind::AddrOf(place) => self.address(*place),
            ExprKind::LabelAddr(_) => Err("takes an address".into()),
            ExprKind::Str { .. } => Err("is a text".into()),
            ExprKind::Float(_) => Err("is a floating-point number".into()),
            ExprKind::Decl(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::CompoundLiteral { .. } => Err("is a whole record".into()),
            ExprKind::Error => Err("has a value that nobody knows".into()),
            ExprKind::CondElvis { .. }
            | ExprKind::CondValue
            | ExprKind::Comma(..)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Builtin { .. }
            | ExprKind::VaArg { .. }
            | ExprKind::StmtExpr(_)
            | ExprKind::SizeofVla(_) => Err("has no counterpart".into()),
        }
    }

    /// The place that `&place` points to.
    pub fn pointed(&self, pointer: ExprId) -> Result<ExprId, Untranslatable> {
        match self.unit.exprs[pointer].kind {
            ExprKind::AddrOf(place) => Ok(place),
            ExprKind::Cast { operand, kind: CastKind::PointerToPointer | CastKind::NoOp, .. } => self.pointed(operand),
            _ => Err("goes through a pointer".into()),
        }
    }

    fn int(&self, expr: ExprId, value: i128) -> Result<Expr, Untranslatable> {
        let number = i32::try_from(value).map_err(|_| format!("the number {value} does not fit 32 bits"))?;
        let spelled = self.sources.snippet(self.unit.exprs[expr].span).trim();
        if self.constants.get(spelled) == Some(&value) {
            self.used.borrow_mut().insert(spelled.to_owned(), number);
            return Ok(var(Name::from(spelled)));
        }
        Ok(int(number))
    }

    fn load(&self, place: ExprId) -> Result<Expr, Untranslatable> {
        let targets = self.targets(place)?;
        let value = |held: &Held| match held.shape {
            // A parameter that never changes may be a number instead of a variable.
            Shape::Scalar(_) => Ok(match held.path.as_slice() {
                [(name, None)] if name.starts_with(|first: char| first.is_ascii_digit()) => {
                    name.parse().map_or_else(|_| var(name.clone()), int)
                }
                _ => at(To::Var(path(held.path.clone()))),
            }),
            Shape::Array(..) | Shape::Record(_) => Err(Untranslatable::from("is a whole record")),
        };
        targets.value(value)
    }

    fn cast(&self, kind: CastKind, operand: ExprId, ty: TyId) -> Result<Expr, Untranslatable> {
        match kind {
            CastKind::NoOp => self.promela(operand),
            CastKind::ToBool => {
                let operand_expr = self.promela(operand)?;
                if is_truth(&operand_expr) {
                    return Ok(operand_expr);
                }
                Ok(binary(Binary::NotEqual, operand_expr, int(0)))
            }
            CastKind::IntToInt => {
                let value = self.promela(operand)?;
                let from = self.unit.types.int_kind_of(self.unit.exprs[operand].ty.ty);
                match self.unit.types.int_kind_of(ty) {
                    Some(to) => Ok(cut(value, from, to)),
                    None => Err("has no counterpart".into()),
                }
            }
            CastKind::Load => self.load(operand),
            CastKind::NullToPointer => Ok(int(0)),
            CastKind::PointerToPointer if self.same_pointee(operand, ty) => self.promela(operand),
            CastKind::IntToPointer | CastKind::PointerToInt | CastKind::PointerToPointer => Err("is a pointer".into()),
            CastKind::ArrayDecay => self.address_of_array(operand),
            CastKind::FunctionDecay => self.address(operand),
            CastKind::IntToFloat | CastKind::FloatToInt | CastKind::FloatToFloat => {
                Err("is a floating-point number".into())
            }
            CastKind::ToVoid | CastKind::ToUnion | CastKind::Complex | CastKind::Vector => {
                Err("has no counterpart".into())
            }
        }
    }

    /// A place as a variable of the model.
    pub fn place(&self, place: ExprId) -> Result<(VarRef, Shape), Untranslatable> {
        let held = self.held(place)?;
        Ok((path(held.path), held.shape))
    }

    /// The only place that an lvalue can mean.
    fn held(&self, place: ExprId) -> Result<Held, Untranslatable> {
        self.targets(place)?.only().ok_or("goes through a pointer to several objects".into())
    }

    /// The places that an lvalue can mean.
    pub(crate) fn targets(&self, place: ExprId) -> Result<Targets, Untranslatable> {
        match self.unit.exprs[place].kind {
            ExprKind::Decl(decl) => match self.unit.decls[decl].kind {
                DeclKind::Var(_) => {
                    let (name, shape) = (self.variable)(self.index, decl)?;
                    Ok(Targets::one(whole(Root::Variable(self.index, decl), name, shape)))
                }
                DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => Err("is a function".into()),
            },
            ExprKind::Index { base, index } => self.element(base, Some(index)),
            ExprKind::Deref(pointer) => match indexed_array(self.unit, pointer) {
                Some((array, index)) => self.element(array, index),
                None => self.behind(pointer),
            },
            ExprKind::Member { base, record, index } => self.member(base, record, index),
            ExprKind::CompoundLiteral { .. } => Err("is an object without a name".into()),
            ExprKind::Str { .. } => Err("is a text".into()),
            _ => Err("is not a variable".into()),
        }
    }

    fn element(&self, array: ExprId, index: Option<ExprId>) -> Result<Targets, Untranslatable> {
        let index = match index {
            Some(index) => self.expr(index)?,
            None => int(0),
        };
        self.targets(array)?.each(|held| held.enter(index.clone()))
    }

    fn member(&self, base: ExprId, record: RecordId, index: u32) -> Result<Targets, Untranslatable> {
        let key = record_key(self.unit, record, self.index, self.sources);
        self.targets(base)?.each(|held| held.descend(self.shapes, &key, index))
    }

    /// An assignment, an increment, a decrement; what happens to data that stays C happens there.
    pub fn effect(&self, expr: ExprId) -> Result<Vec<Step>, Untranslatable> {
        let Some(embedder) = self.embedder else { return self.promela_effect(expr) };
        match self.promela_effect(expr) {
            Ok(steps) => Ok(steps),
            Err(why) => {
                let lhs = match self.unit.exprs[expr].kind {
                    ExprKind::Assign { lhs, .. }
                    | ExprKind::CompoundAssign { lhs, .. }
                    | ExprKind::IncDec { lhs, .. } => Some(lhs),
                    _ => None,
                };
                match lhs {
                    // C does not cut values as Promela's types do.
                    Some(lhs) if self.targets(lhs).is_ok() => Err(why),
                    _ => embedder.effect(expr),
                }
            }
        }
    }

    fn promela_effect(&self, expr: ExprId) -> Result<Vec<Step>, Untranslatable> {
        match self.unit.exprs[expr].kind {
            ExprKind::Assign { lhs, rhs } => self.assign(lhs, rhs),
            ExprKind::CompoundAssign { op, lhs, rhs, compute } => {
                let rhs = self.expr(rhs)?;
                self.targets(lhs)?.update(|place, shape| {
                    let Shape::Scalar(scalar) = shape else { return Err("is a whole record".into()) };
                    let value = sum(binary_op(op), at(To::Var(place.clone())), rhs.clone());
                    let Some(to) = self.unit.types.int_kind_of(self.unit.exprs[lhs].ty.ty) else {
                        return Ok(vec![step(StmtKind::Assign(place, value))]);
                    };
                    let from = self.unit.types.int_kind_of(compute);
                    let value = if cuts_itself(&scalar.ty, to) { value } else { cut(value, from, to) };
                    Ok(vec![step(StmtKind::Assign(place, value))])
                })
            }
            ExprKind::IncDec { lhs, is_inc, .. } => self.targets(lhs)?.update(|place, shape| {
                let Shape::Scalar(scalar) = shape else { return Err("is a whole record".into()) };
                let to = self.unit.types.int_kind_of(self.unit.exprs[lhs].ty.ty);
                match to {
                    Some(to) if !cuts_itself(&scalar.ty, to) => {
                        let op = if is_inc { Binary::Add } else { Binary::Subtract };
                        let value = cut(binary(op, at(To::Var(place.clone())), int(1)), None, to);
                        Ok(vec![step(StmtKind::Assign(place, value))])
                    }
                    // Numbers of objects in a row follow each other.
                    Some(_) | None => {
                        let kind = if is_inc { StmtKind::Increment(place) } else { StmtKind::Decrement(place) };
                        Ok(vec![step(kind)])
                    }
                }
            }),
            ExprKind::Call { callee, ref args } => match self.failed(callee).or_else(|| self.freed(callee, args)) {
                Some(steps) => Ok(steps),
                None => self.promela(expr).and_then(|_| Err("has no effect that the model could have".into())),
            },
            _ => self.promela(expr).and_then(|_| Err("has no effect that the model could have".into())),
        }
    }

    /// A call that says that the program is wrong here.
    fn failed(&self, callee: ExprId) -> Option<Vec<Step>> {
        let decl = crate::effect::direct_callee(self.unit, callee)?;
        let name = self.interner.name(self.unit.decls[decl].name);
        let is_failure = crate::library::is_failure(name) && self.known.get(self.index, decl, name).is_none();
        is_failure.then(|| vec![step(StmtKind::Assert(falsehood()))])
    }

    fn assign(&self, lhs: ExprId, rhs: ExprId) -> Result<Vec<Step>, Untranslatable> {
        self.targets(lhs)?.update(|place, shape| match shape {
            Shape::Scalar(_) => match self.allocated(rhs, &place) {
                Some(steps) => Ok(steps),
                None => Ok(vec![step(StmtKind::Assign(place, self.cut_into(rhs, &shape)?))]),
            },
            Shape::Array(..) | Shape::Record(_) => self.copied(rhs, &place, &shape),
        })
    }

    /// A value on its way into a variable that may cut it by itself.
    pub fn stored(&self, value: ExprId, place: ExprId) -> Result<Expr, Untranslatable> {
        let shape = self.place(place)?.1;
        self.cut_into(value, &shape)
    }

    /// The same, for a variable of this shape.
    pub fn cut_into(&self, value: ExprId, shape: &Shape) -> Result<Expr, Untranslatable> {
        if let (ExprKind::Cast { kind: CastKind::IntToInt, operand, .. }, Shape::Scalar(scalar)) =
            (&self.unit.exprs[value].kind, shape)
            && let Some(to) = self.unit.types.int_kind_of(self.unit.exprs[value].ty.ty)
            && cuts_itself(&scalar.ty, to)
        {
            return self.expr(*operand);
        }
        self.expr(value)
    }

    /// What a call has returned, on its way into `lhs = (casts) call(...)`.
    pub fn returned(&self, value: ExprId, call: ExprId, result: Expr) -> Result<Expr, Untranslatable> {
        if value == call {
            return Ok(result);
        }
        let ExprKind::Cast { kind, operand, .. } = self.unit.exprs[value].kind else {
            return Err("is converted".into());
        };
        let inner = self.returned(operand, call, result)?;
        let kind_of = |expr: ExprId| self.unit.types.int_kind_of(self.unit.exprs[expr].ty.ty);
        match (kind, kind_of(value)) {
            (CastKind::NoOp, _) => Ok(inner),
            (CastKind::ToBool, _) => Ok(binary(Binary::NotEqual, inner, int(0))),
            (CastKind::IntToInt, Some(to)) => Ok(cut(inner, kind_of(operand), to)),
            (CastKind::PointerToPointer, _) if self.same_pointee(operand, self.unit.exprs[value].ty.ty) => Ok(inner),
            _ => Err("is converted".into()),
        }
    }

    /// A whole record or array, from another one.
    pub fn copied(&self, value: ExprId, place: &VarRef, shape: &Shape) -> Result<Vec<Step>, Untranslatable> {
        let ExprKind::Cast { kind: CastKind::Load, operand, .. } = self.unit.exprs[value].kind else {
            return Err("is a whole record".into());
        };
        let (from, _) = self.place(operand)?;
        let mut steps = Vec::new();
        self.copy(place, &from, shape, &mut steps);
        Ok(vec![step(StmtKind::DStep(steps))])
    }

    fn copy(&self, to: &VarRef, from: &VarRef, shape: &Shape, steps: &mut Vec<Step>) {
        match shape {
            Shape::Scalar(_) => steps.push(step(StmtKind::Assign(to.clone(), at(To::Var(from.clone()))))),
            Shape::Array(element, n) => {
                for index in 0..*n {
                    let index = int(i32::try_from(index).unwrap_or(i32::MAX));
                    self.copy(&indexed(to, &index), &indexed(from, &index), element, steps);
                }
            }
            Shape::Record(key) => {
                let Some(record) = self.shapes.record_shape(key) else { return };
                for (_, name, shape) in &record.fields {
                    self.copy(&with_field(to, name), &with_field(from, name), shape, steps);
                }
            }
        }
    }
}

/// A whole object.
pub(crate) fn whole(root: Root, name: Name, shape: Shape) -> Held {
    Held { path: vec![(name, None)], shape, root, parts: Vec::new(), indices: Vec::new() }
}

/// How an element of an array is held: Promela has no arrays of narrow unsigned numbers, so they do not cut.
pub(crate) fn in_array(element: Shape) -> Shape {
    match element {
        Shape::Scalar(scalar) if scalar.width.is_some() => Scalar::int(),
        element => element,
    }
}

/// The field that holds the inner dimension of an array.
pub const INNER: &str = "at";
