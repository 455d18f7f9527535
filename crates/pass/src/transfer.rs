//! Translation of memory accesses: a dispatch at run time over the location sets that the pointer may point to.

use unpick_automaton::{self, Binary, Expr, LocationId, Scalar, Step};
use unpick_program::{Operand, RmwOp, Ty};

use crate::Untranslatable;
use crate::arith::{FailedCheck, binary, equal, low, not, number, object};
use crate::emit::Emitter;
use crate::graph::{Arg, VarId};
use crate::layout::{Cell, offsets};
use crate::objects::{BIAS, ObjectId, pointer};
use crate::points_to::LocationSet;

/// The target of a pointer.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    place: LocationSet,
    /// Which of the offsets, if there are several.
    index: Option<Expr>,
}

impl Emitter<'_, '_> {
    /// Dispatches on the target of a pointer, with a violation if it has none.
    pub fn dispatch(
        &mut self,
        addr: Arg,
        bytes: i32,
        mut body: impl FnMut(&mut Self, &Target) -> Result<LocationId, Untranslatable>,
    ) -> Result<LocationId, Untranslatable> {
        let Some(value) = self.expr(addr) else {
            return Ok(self.failure(FailedCheck::Refused("an address that is indeterminate")));
        };
        let mut ways = Vec::new();
        for place in self.points_to.of(self.graph.thread, addr) {
            let count = offsets(place, bytes, self.objects.borrow().get(place.object).size).len() as i32;
            if count == 0 {
                continue;
            }
            let (condition, index) = if place.stride == 0 {
                (equal(value.clone(), pointer(place.object, place.start.into())?), None)
            } else {
                let apart = binary(Binary::Subtract, low(&value), number(BIAS + place.start));
                let is_object = equal(object(&value), place.object.0 as i32);
                let is_above = binary(Binary::GreaterEqual, apart.clone(), number(0));
                let is_below = binary(Binary::LessEqual, apart.clone(), number((count - 1) * place.stride));
                let is_whole = equal(binary(Binary::Remainder, apart.clone(), number(place.stride)), 0);
                let all = [is_above, is_below, is_whole];
                let condition = all.into_iter().fold(is_object, |all, one| binary(Binary::And, all, one));
                (condition, Some(binary(Binary::Divide, apart, number(place.stride))))
            };
            let target = body(self, &Target { place, index })?;
            if let Arg::Const(_) = addr {
                return Ok(target);
            }
            ways.push((Step::Condition(condition), target));
        }
        let nowhere = self.failure(FailedCheck::Violation);
        if ways.is_empty() {
            return Ok(nowhere);
        }
        ways.push((Step::Else, nowhere));
        Ok(self.location(ways))
    }

    /// The cell at an offset into a target of so many bytes.
    fn cell(&self, target: &Target, at: i32, bytes: i32) -> Option<unpick_automaton::Place> {
        match &target.index {
            None => self.layout.cell(target.place.object, target.place.start + at).map(|(place, _)| place),
            Some(index) => {
                let objects = self.objects.borrow();
                self.layout.cells(&objects, target.place, at, bytes, index.clone()).map(|(place, _)| place)
            }
        }
    }

    fn is_shadowed(&self, target: &Target) -> bool {
        self.objects.borrow().get(target.place.object).is_shadowed
    }

    /// Reads a number into a place, then goes on.
    fn read(&mut self, target: &Target, bytes: i32, into: unpick_automaton::Place, to: LocationId) -> LocationId {
        let Some(cell) = self.cell(target, 0, bytes) else { return self.failure(FailedCheck::Violation) };
        let load = self.step(Step::Assign(into, Expr::Load(Box::new(cell.clone()))), to);
        if !self.is_shadowed(target) {
            return load;
        }
        self.check(Expr::Load(Box::new(shadow(&cell))), FailedCheck::Refused("a value that may be indeterminate"), load)
    }

    /// Writes a number, then goes on.
    fn write(&mut self, target: &Target, bytes: i32, value: Expr, to: LocationId) -> LocationId {
        let Some(cell) = self.cell(target, 0, bytes) else { return self.failure(FailedCheck::Violation) };
        if self.objects.borrow().get(target.place.object).is_read_only {
            return self.failure(FailedCheck::Violation);
        }
        let mut to = to;
        if self.is_shadowed(target) {
            to = self.step(Step::Assign(shadow(&cell), number(1)), to);
        }
        self.step(Step::Assign(cell, value), to)
    }

    pub fn load(&mut self, dst: VarId, ty: Ty, addr: Arg, to: LocationId) -> Result<LocationId, Untranslatable> {
        let Some(Cell { size, .. }) = Cell::of(ty) else { return Ok(self.refuse("a number of a rare type")) };
        let into = self.var(dst);
        self.dispatch(addr, size, |emitter, target| {
            let (object, at) = (target.place.object, target.place.start);
            let constant = {
                let mut objects = emitter.objects.borrow_mut();
                emitter.layout.constant(emitter.graph.program, &mut objects, object, at)?
            };
            Ok(match constant.filter(|_| target.index.is_none()) {
                Some(value) => emitter.step(Step::Assign(into.clone(), number(value)), to),
                None => emitter.read(target, size, into.clone(), to),
            })
        })
    }

    pub fn store(&mut self, addr: Arg, value: Arg, ty: Ty, to: LocationId) -> Result<LocationId, Untranslatable> {
        let Some(Cell { size, .. }) = Cell::of(ty) else { return Ok(self.refuse("a number of a rare type")) };
        let Some(value) = self.expr(value) else { return Ok(self.refuse("an indeterminate value is kept")) };
        self.dispatch(addr, size, |emitter, target| Ok(emitter.write(target, size, value.clone(), to)))
    }

    pub fn rmw(
        &mut self,
        dst: VarId,
        ty: Ty,
        op: RmwOp,
        addr: Arg,
        value: Arg,
        to: LocationId,
    ) -> Result<LocationId, Untranslatable> {
        let (Some(Cell { size, .. }), Some(value)) = (Cell::of(ty), self.expr(value)) else {
            return Ok(self.refuse("an atomic operation on a rare type"));
        };
        let (old, spare) = (Expr::Load(Box::new(self.spare())), self.spare());
        let Ty::Int(width) = ty else {
            if op != RmwOp::Exchange {
                return Ok(self.refuse("an atomic operation on pointers"));
            }
            let done = self.step(Step::Assign(self.var(dst), old), to);
            return self.dispatch(addr, size, |emitter, target| {
                let kept = emitter.write(target, size, value.clone(), done);
                Ok(emitter.read(target, size, spare.clone(), kept))
            });
        };
        let operator = match op {
            RmwOp::Exchange => None,
            RmwOp::Add => Some(unpick_program::BinOp::Add),
            RmwOp::Sub => Some(unpick_program::BinOp::Sub),
            RmwOp::And => Some(unpick_program::BinOp::And),
            RmwOp::Or => Some(unpick_program::BinOp::Or),
            RmwOp::Xor => Some(unpick_program::BinOp::Xor),
            RmwOp::Nand => return Ok(self.refuse("an atomic nand")),
        };
        let mut checks = Vec::new();
        let new = match operator {
            None => Some(value),
            Some(operator) => crate::arith::plain(operator, width, old.clone(), value, &mut checks),
        };
        let Some(new) = new else { return Ok(self.refuse("an atomic operation on a rare type")) };
        let done = self.step(Step::Assign(self.var(dst), old), to);
        self.dispatch(addr, size, |emitter, target| {
            let kept = emitter.write(target, size, new.clone(), done);
            let checked = emitter.checks(&checks, kept);
            Ok(emitter.read(target, size, spare.clone(), checked))
        })
    }

    /// A compare and exchange; with `fails`, one that fails spuriously, which is possible only where it could succeed.
    #[expect(clippy::too_many_arguments, reason = "what the instruction has")]
    pub fn cas(
        &mut self,
        (dst, ok): (VarId, VarId),
        ty: Ty,
        addr: Arg,
        expected: Arg,
        desired: Arg,
        fails: bool,
        to: LocationId,
    ) -> Result<LocationId, Untranslatable> {
        let (Some(Cell { size, .. }), Some(expected), Some(desired)) =
            (Cell::of(ty), self.expr(expected), self.expr(desired))
        else {
            return Ok(self.refuse("an atomic operation on a rare type"));
        };
        let (old, spare) = (Expr::Load(Box::new(self.spare())), self.spare());
        let done = self.step(Step::Assign(self.var(dst), old.clone()), to);
        let is_not = self.step(Step::Assign(self.var(ok), number(0)), done);
        let is_so = self.step(Step::Assign(self.var(ok), number(1)), done);
        self.dispatch(addr, size, |emitter, target| {
            let is_equal = Step::Condition(binary(Binary::Equal, old.clone(), expected.clone()));
            let compared = if fails {
                emitter.location(vec![(is_equal, is_not)])
            } else {
                let kept = emitter.write(target, size, desired.clone(), is_so);
                emitter.location(vec![(is_equal, kept), (Step::Else, is_not)])
            };
            Ok(emitter.read(target, size, spare.clone(), compared))
        })
    }

    pub fn copy(&mut self, dst: Arg, src: Arg, bytes: Arg, to: LocationId) -> Result<LocationId, Untranslatable> {
        let Arg::Const(bytes @ 1..) = bytes else { return Ok(self.refuse("a copy of a size that varies")) };
        self.dispatch(dst, bytes, |emitter, target| {
            if emitter.objects.borrow().get(target.place.object).is_read_only {
                return Ok(emitter.failure(FailedCheck::Violation));
            }
            emitter.dispatch(src, bytes, |emitter, source| emitter.copy_cells(target, source, bytes, to))
        })
    }

    fn copy_cells(
        &mut self,
        target: &Target,
        source: &Target,
        bytes: i32,
        to: LocationId,
    ) -> Result<LocationId, Untranslatable> {
        let (one, other) = (target.place, source.place);
        if one.object == other.object && (one.start - other.start).abs() < bytes && one.start != other.start {
            return Ok(self.refuse("a copy of parts of an object over each other"));
        }
        if one.object == other.object && [one, other].iter().any(|place| place.stride != 0 && place.stride < bytes) {
            return Ok(self.refuse("a copy of parts of an object over each other"));
        }
        let cells: Vec<i32> = {
            let all = &self.layout.get(other.object).cells;
            all.range(other.start..other.start + bytes).map(|(at, _)| at - other.start).collect()
        };
        let mut to = to;
        for at in cells.into_iter().rev() {
            let (Some(into), Some(from)) = (self.cell(target, at, bytes), self.cell(source, at, bytes)) else {
                return Ok(self.refuse("a copy of numbers to where there are none"));
            };
            let load = Expr::Load(Box::new(from.clone()));
            to = match (self.is_shadowed(target), self.is_shadowed(source)) {
                (true, true) => {
                    let written = Expr::Load(Box::new(shadow(&from)));
                    self.step(Step::Assign(shadow(&into), written), to)
                }
                (true, false) => self.step(Step::Assign(shadow(&into), number(1)), to),
                (false, _) => to,
            };
            to = self.step(Step::Assign(into, load), to);
            if self.is_shadowed(source) && !self.is_shadowed(target) {
                let written = Expr::Load(Box::new(shadow(&from)));
                to = self.check(written, FailedCheck::Refused("a copy of indeterminate values"), to);
            }
        }
        Ok(to)
    }

    pub fn set(&mut self, dst: Arg, byte: Arg, bytes: Arg, to: LocationId) -> Result<LocationId, Untranslatable> {
        let (Arg::Const(0), Arg::Const(bytes @ 1..)) = (byte, bytes) else {
            return Ok(self.refuse("bytes that are set to something else than zero, or a number of them that varies"));
        };
        self.dispatch(dst, bytes, |emitter, target| {
            if emitter.objects.borrow().get(target.place.object).is_read_only {
                return Ok(emitter.failure(FailedCheck::Violation));
            }
            let (start, object) = (target.place.start, target.place.object);
            let all = emitter.layout.get(object).cells.range(start - 7..start + bytes);
            let cells: Vec<(i32, i32)> = all.map(|(at, cell)| (at - start, cell.size)).collect();
            let mut to = to;
            for (at, size) in cells {
                if at + size <= 0 {
                    continue;
                }
                let cell = emitter.cell(target, at, bytes).filter(|_| at >= 0 && at + size <= bytes);
                let Some(cell) = cell else { return Ok(emitter.refuse("a part of a number is set to zero")) };
                if emitter.is_shadowed(target) {
                    to = emitter.step(Step::Assign(shadow(&cell), number(1)), to);
                }
                to = emitter.step(Step::Assign(cell, number(0)), to);
            }
            Ok(to)
        })
    }

    /// The next object of a pool.
    pub fn make(
        &mut self,
        dst: VarId,
        pool: &[ObjectId],
        counter: VarId,
        to: LocationId,
    ) -> Result<LocationId, Untranslatable> {
        let counted = Expr::Load(Box::new(self.var(counter)));
        let mut ways = Vec::new();
        for (at, made) in pool.iter().enumerate() {
            let counts = self.step(Step::Assign(self.var(counter), number(at as i32 + 1)), to);
            let assigned = self.step(Step::Assign(self.var(dst), number(pointer(*made, 0)?)), counts);
            ways.push((Step::Condition(equal(counted.clone(), at as i32)), assigned));
        }
        let more = self.refuse("more objects are made than expected");
        ways.push((Step::Else, more));
        Ok(self.location(ways))
    }

    /// Ends the lifetimes of objects: a live pointer to one is refused; their contents are cleared.
    pub fn end_life(&mut self, node: usize, ending: &[ObjectId], to: LocationId) -> Result<LocationId, Untranslatable> {
        let mut to = to;
        for object in ending {
            to = self.clear(*object, to);
        }
        let mut checks = Vec::new();
        for object in ending {
            self.holders(node, *object, ending, &mut checks);
        }
        Ok(self.checks(&checks, to))
    }

    fn clear(&mut self, object: ObjectId, to: LocationId) -> LocationId {
        let offsets: Vec<i32> = self.layout.get(object).cells.keys().copied().collect();
        let is_shadowed = self.objects.borrow().get(object).is_shadowed;
        let mut to = to;
        for at in offsets {
            let Some((cell, _)) = self.layout.cell(object, at) else { continue };
            if is_shadowed {
                to = self.step(Step::Assign(shadow(&cell), number(0)), to);
            }
            to = self.step(Step::Assign(cell, number(0)), to);
        }
        to
    }

    /// The checks that no live variable or memory holds a pointer to an object after a node.
    fn holders(&self, node: usize, ending: ObjectId, all: &[ObjectId], checks: &mut Vec<(Expr, FailedCheck)>) {
        const KEPT: FailedCheck = FailedCheck::Refused("a pointer to an object whose life is over");
        let thread = self.graph.thread;
        let points_there = |var: VarId, thread: usize| {
            self.points_to.of(thread, Arg::Var(var)).iter().any(|place| place.object == ending)
        };
        let leads_there = |pointer: Expr| not(equal(object(&pointer), ending.0 as i32));
        for var in self.colours.live_out[node].iter().filter(|var| points_there(*var, thread)) {
            checks.push((leads_there(Expr::Load(Box::new(self.var(var)))), KEPT));
        }
        let mut others = 0_u64;
        for (holder, kept) in &self.points_to.memory {
            if all.contains(holder) || !kept.values().flatten().any(|place| place.object == ending) {
                continue;
            }
            match self.layout.get(*holder).owner {
                Some(owner) if owner != thread => others |= 1 << owner,
                _ => {
                    // Constants point to static objects.
                    if self.layout.get(*holder).is_constant {
                        continue;
                    }
                    let cells = self.layout.get(*holder).cells.iter().filter(|(_, cell)| cell.is_pointer);
                    for (at, _) in cells {
                        let (cell, _) = self.layout.cell(*holder, *at).expect("the cell was just seen");
                        checks.push((leads_there(Expr::Load(Box::new(cell))), KEPT));
                    }
                }
            }
        }
        for (other, live) in self.live_at_points.iter().enumerate().filter(|(other, _)| *other != thread) {
            if live.iter().any(|var| points_there(*var, other)) {
                others |= 1 << other;
            }
        }
        for other in (0..64).filter(|other| others >> other & 1 != 0) {
            let status = Expr::Load(Box::new(self.frame.status(other)));
            checks.push((not(equal(status, 1)), KEPT));
        }
    }

    /// An operand of a statement of a node.
    pub fn operand(&self, node: usize, operand: &Operand) -> Result<Arg, Untranslatable> {
        self.graph.arg(&mut self.objects.borrow_mut(), node, operand)
    }
}

/// The byte that tells whether a cell has been written.
pub(crate) fn shadow(cell: &unpick_automaton::Place) -> unpick_automaton::Place {
    unpick_automaton::Place { offset: cell.offset + cell.scalar.size(), scalar: Scalar::Byte, ..cell.clone() }
}
