//! Propositions of claims: functions of the program without effects, as expressions over the state vector (symbolic
//! execution of loop-free code, King 1976).
//!
//! A claim looks at states between the steps of threads, so a proposition is one expression, and what it reads counts as
//! read by one more thread: then every write to it is a step of its own. The code is followed along all its paths, with
//! an expression for each variable; where paths part, the value is a conditional expression. Beside the value there is
//! a condition under which it has one: pointers lead to objects, numbers fit, nothing is indeterminate. Where that does not
//! hold, whoever asks has to ask the program itself. Code with loops, effects or anything that a step could refuse is not
//! translated.

use std::collections::BTreeMap;

use unpick_automaton::{Binary, Expr};
use unpick_program::{Operand, StmtKind, Ty};

use crate::Untranslatable;
use crate::arith::{Arith, Value, binary, equal, low, not, number, object};
use crate::graph::{Arg, Graph, Op, VarId};
use crate::layout::{Cell, Layout, offsets};
use crate::objects::{BIAS, Objects, pointer};
use crate::points_to::{LocationSet, PointsTo};
use crate::transfer::shadow;

/// More nodes are not passed, on all paths together.
const MAX_NODES: usize = 2_000;
/// Larger expressions are given up.
const MAX_SIZE: usize = 400;

/// A proposition about the states of automata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// It holds if this is not zero.
    pub value: Expr,
    /// The value means something if this is not zero.
    pub is_defined: Expr,
}

impl Proposition {
    /// The proposition that a graph computes.
    pub(crate) fn new(
        graph: &Graph<'_>,
        points_to: &PointsTo,
        layout: &Layout,
        objects: &mut Objects,
    ) -> Result<Self, Untranslatable> {
        let mut evaluation = Evaluation { graph, points_to, layout, objects, n_nodes: 0 };
        evaluation.from(graph.entry, BTreeMap::new())
    }
}

/// What is known of variables.
type Values = BTreeMap<VarId, Expr>;

struct Evaluation<'a, 'p> {
    graph: &'a Graph<'p>,
    points_to: &'a PointsTo,
    layout: &'a Layout,
    objects: &'a mut Objects,
    n_nodes: usize,
}

fn refused<T>() -> Result<T, Untranslatable> {
    Untranslatable::new("a proposition that is more than an expression")
}

fn both(left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (Expr::Const(value), _) if *value != 0 => right,
        (_, Expr::Const(value)) if *value != 0 => left,
        _ => binary(Binary::And, left, right),
    }
}

fn either(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if then == otherwise { then } else { Expr::Conditional(Box::new((condition, then, otherwise))) }
}

fn size(expr: &Expr) -> usize {
    let mut size = 0;
    expr.visit(&mut |_| size += 1);
    size
}

impl Evaluation<'_, '_> {
    /// The value from a node on.
    fn from(&mut self, mut node: usize, mut values: Values) -> Result<Proposition, Untranslatable> {
        let mut is_defined = number(1);
        loop {
            self.n_nodes += 1;
            if self.n_nodes > MAX_NODES || size(&is_defined) > MAX_SIZE {
                return Untranslatable::new("a proposition of too many steps");
            }
            let graph = self.graph;
            match &graph.nodes[node].op {
                Op::Jump => {}
                Op::Stmt(stmt) => is_defined = both(is_defined, self.stmt(node, stmt, &mut values)?),
                Op::Moves(moves) => {
                    let moved: Vec<_> = moves.iter().map(|(var, arg)| (*var, value(*arg, &values))).collect();
                    moved.into_iter().for_each(|(var, value)| set(&mut values, var, value));
                }
                Op::Leave(_, result) => {
                    if let Some((var, arg)) = result {
                        let returned = value(*arg, &values);
                        set(&mut values, *var, returned);
                    }
                }
                Op::Branch(condition) => {
                    let Some(condition) = value(*condition, &values) else { return refused() };
                    let next = &graph.nodes[node].next;
                    if let Expr::Const(value) = condition {
                        node = if value != 0 { next[0] } else { next[1] };
                        continue;
                    }
                    let then = self.from(next[0], values.clone())?;
                    let otherwise = self.from(next[1], values)?;
                    let joined = either(condition.clone(), then.is_defined, otherwise.is_defined);
                    let value = either(condition, then.value, otherwise.value);
                    if size(&value) + size(&joined) > MAX_SIZE {
                        return Untranslatable::new("a proposition of too many steps");
                    }
                    return Ok(Proposition { value, is_defined: both(is_defined, joined) });
                }
                Op::Answer(answer) => {
                    let Some(value) = value(*answer, &values) else { return refused() };
                    return Ok(Proposition { value, is_defined });
                }
                Op::Switch(..) | Op::Dispatch(..) | Op::Make(..) | Op::Exit | Op::End(_) | Op::Refuse(_) => {
                    return refused();
                }
            }
            node = graph.nodes[node].next[0];
        }
    }

    /// Follows a statement; the condition under which it goes as it should.
    fn stmt(&mut self, node: usize, stmt: &StmtKind, values: &mut Values) -> Result<Expr, Untranslatable> {
        let graph = self.graph;
        match stmt {
            StmtKind::Assign(dst, rvalue) => {
                let objects = std::cell::RefCell::new(&mut *self.objects);
                let operand = |operand: &Operand| graph.arg(&mut objects.borrow_mut(), node, operand);
                let expr = |arg| value(arg, values);
                let found = Arith { value: &operand, expr: &expr }.rvalue(rvalue)?;
                let Some(Value { checks, expr }) = found else { return refused() };
                if size(&expr) > MAX_SIZE {
                    return Untranslatable::new("a proposition of too many steps");
                }
                set(values, graph.written(node, *dst), Some(expr));
                Ok(checks.into_iter().fold(number(1), |all, (check, _)| both(all, check)))
            }
            StmtKind::Load { dst, addr, .. } => {
                let addr = graph.arg(self.objects, node, addr)?;
                let (loaded, is_defined) = self.load(addr, graph.ty(node, *dst), values)?;
                set(values, graph.written(node, *dst), Some(loaded));
                Ok(is_defined)
            }
            StmtKind::Assert { cond: condition, .. } => {
                match value(graph.arg(self.objects, node, condition)?, values) {
                    Some(condition) => Ok(condition),
                    None => refused(),
                }
            }
            StmtKind::CheckIndex { index, len, one_past } => {
                let index = value(graph.arg(self.objects, node, index)?, values);
                let last = i64::try_from(*len).unwrap_or(i64::MAX) - i64::from(!*one_past);
                match (index, i32::try_from(last)) {
                    (Some(index), Ok(last)) => Ok(both(
                        binary(Binary::GreaterEqual, index.clone(), number(0)),
                        binary(Binary::LessEqual, index, number(last)),
                    )),
                    _ => refused(),
                }
            }
            StmtKind::Fence(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::SlotLive(_)
            | StmtKind::SlotDead(_) => Ok(number(1)),
            _ => refused(),
        }
    }

    /// What lies where a pointer points to, and the condition under which something does.
    fn load(&mut self, addr: Arg, ty: Ty, values: &Values) -> Result<(Expr, Expr), Untranslatable> {
        let (Some(Cell { size, .. }), Some(at)) = (Cell::of(ty), value(addr, values)) else { return refused() };
        let (mut loaded, mut is_defined) = (number(0), number(0));
        for place in self.points_to.of(self.graph.thread, addr) {
            let (condition, index) = match place.stride {
                0 => (equal(at.clone(), pointer(place.object, place.start.into())?), None),
                _ => {
                    let count = offsets(place, size, self.objects.get(place.object).size).len() as i32;
                    let (condition, index) = within(place, count, &at);
                    (condition, Some(index))
                }
            };
            let Some((found, is_written)) = self.cell(place, size, index)? else { continue };
            if let Arg::Const(_) = addr {
                return Ok((found, is_written));
            }
            is_defined = either(condition.clone(), is_written, is_defined);
            loaded = either(condition, found, loaded);
        }
        Ok((loaded, is_defined))
    }

    /// The number at a place, and the condition that it has been written.
    fn cell(
        &mut self,
        place: LocationSet,
        size: i32,
        index: Option<Expr>,
    ) -> Result<Option<(Expr, Expr)>, Untranslatable> {
        let found = match index {
            None => {
                let constant = self.layout.constant(self.graph.program, self.objects, place.object, place.start)?;
                if let Some(value) = constant {
                    return Ok(Some((number(value), number(1))));
                }
                self.layout.cell(place.object, place.start).map(|(cell, _)| cell)
            }
            Some(index) => self.layout.cells(self.objects, place, 0, size, index).map(|(cell, _)| cell),
        };
        let Some(cell) = found else { return Ok(None) };
        let is_written = match self.objects.get(place.object).is_shadowed {
            true => Expr::Load(Box::new(shadow(&cell))),
            false => number(1),
        };
        // A thread's own object is not where a claim could look.
        if self.layout.get(place.object).owner.is_some() {
            return refused();
        }
        Ok(Some((Expr::Load(Box::new(cell)), is_written)))
    }
}

/// The condition that a pointer leads to one of so many elements of a place, and to which.
fn within(place: LocationSet, count: i32, at: &Expr) -> (Expr, Expr) {
    let apart = binary(Binary::Subtract, low(at), number(BIAS + place.start));
    let is_object = equal(object(at), place.object.0 as i32);
    let is_above = binary(Binary::GreaterEqual, apart.clone(), number(0));
    let is_below = binary(Binary::LessEqual, apart.clone(), number((count - 1) * place.stride));
    let is_whole = not(binary(Binary::Remainder, apart.clone(), number(place.stride)));
    let all = [is_above, is_below, is_whole];
    let condition = all.into_iter().fold(is_object, |all, one| binary(Binary::And, all, one));
    (condition, binary(Binary::Divide, apart, number(place.stride)))
}

fn value(arg: Arg, values: &Values) -> Option<Expr> {
    match arg {
        Arg::Const(value) => Some(number(value)),
        Arg::Var(var) => values.get(&var).cloned(),
        Arg::Undef | Arg::Strange => None,
    }
}

/// A variable gets a value, or has none from here on.
fn set(values: &mut Values, var: VarId, value: Option<Expr>) {
    match value {
        Some(value) => {
            values.insert(var, value);
        }
        None => {
            values.remove(&var);
        }
    }
}
