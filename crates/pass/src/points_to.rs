//! Inclusion-based points-to analysis (Andersen 1994) over location sets of object, offset and stride (Wilson and Lam
//! 1995).
//!
//! Flow-insensitive and over all threads at once; context-sensitive, because calls are inlined and each call chain has
//! variables and stack objects of its own. Offsets are exact, or exact modulo a stride. Numbers that were cast to
//! pointers point nowhere, and pointers that are cast to numbers are refused where it happens, so nothing flows through
//! integers.

use std::collections::{BTreeMap, BTreeSet};

use unpick_program::{Address, Operand, Rvalue, StmtKind};

use crate::Untranslatable;
use crate::graph::{Arg, Graph, Op, VarId};
use crate::objects::{BIAS, ObjectId, ObjectKind, Objects};

/// More offsets into one object become multiples of a stride.
const MAX_OFFSETS: usize = 12;
/// With larger points-to sets the program is refused.
const MAX_PLACES: usize = 128;

/// A location set: offsets into an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) struct LocationSet {
    pub object: ObjectId,
    pub start: i32,
    /// 0 for exactly this offset; else all that differ by multiples of it, and `start` is the smallest from 0 on.
    pub stride: i32,
}

impl LocationSet {
    fn moved(self, by: i64, stride: i64) -> Option<LocationSet> {
        let stride = gcd(self.stride.into(), stride);
        let start = i64::from(self.start) + by;
        let start = if stride == 0 { start } else { start.rem_euclid(stride) };
        Some(LocationSet { start: i32::try_from(start).ok()?, stride: i32::try_from(stride).ok()?, ..self })
    }

    /// Whether both may be the same offset.
    fn meets(self, other: LocationSet) -> bool {
        let stride = gcd(self.stride.into(), other.stride.into());
        let apart = i64::from(self.start) - i64::from(other.start);
        self.object == other.object && if stride == 0 { apart == 0 } else { apart % stride == 0 }
    }
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one.abs() } else { gcd(other, one % other) }
}

pub(crate) type PointsToSet = BTreeSet<LocationSet>;

/// The points-to sets of variables and memory.
pub(crate) struct PointsTo {
    vars: Vec<Vec<PointsToSet>>,
    pub memory: BTreeMap<ObjectId, BTreeMap<LocationSet, PointsToSet>>,
    is_changing: bool,
    is_too_much: bool,
}

impl PointsTo {
    pub fn new(graphs: &[Graph<'_>], objects: &mut Objects) -> Result<Self, Untranslatable> {
        let vars = graphs.iter().map(|graph| vec![PointsToSet::new(); graph.n_vars as usize]).collect();
        let mut points_to = PointsTo { vars, memory: BTreeMap::new(), is_changing: true, is_too_much: false };
        points_to.initial(graphs, objects)?;
        while std::mem::take(&mut points_to.is_changing) {
            for at in 0..graphs.len() {
                for node in 0..graphs[at].nodes.len() {
                    points_to.node(graphs, at, node, objects)?;
                }
            }
            if points_to.is_too_much {
                return Untranslatable::new("pointers may point to too many places");
            }
        }
        Ok(points_to)
    }

    /// The points-to set of an operand.
    pub fn of(&self, thread: usize, arg: Arg) -> PointsToSet {
        match arg {
            Arg::Var(var) => self.vars[thread][var.0 as usize].clone(),
            Arg::Const(value) if value >> 16 > 0 => {
                let object = ObjectId((value >> 16) as u32);
                PointsToSet::from([LocationSet { object, start: (value & 0xffff) - BIAS, stride: 0 }])
            }
            Arg::Const(_) | Arg::Undef | Arg::Strange => PointsToSet::new(),
        }
    }

    /// The pointers of static initialisers.
    fn initial(&mut self, graphs: &[Graph<'_>], objects: &mut Objects) -> Result<(), Untranslatable> {
        let mut at = 0;
        // Objects that are pointed to are found on the way.
        while at < objects.all.len() {
            let (id, what) = (ObjectId(at as u32 + 1), objects.all[at].what);
            at += 1;
            let ObjectKind::Global(global, owner) = what else { continue };
            let program = graphs[0].program;
            for (offset, target) in &program.globals[global].init.pointers {
                let place = match *target {
                    Address::Global(target, start) => {
                        let object = objects.global(program, owner.unwrap_or(0), target)?;
                        let start = i32::try_from(start)
                            .map_err(|_| Untranslatable("an address far from its object".into()))?;
                        LocationSet { object, start, stride: 0 }
                    }
                    Address::Func(function) => LocationSet { object: objects.function(function)?, start: 0, stride: 0 },
                    Address::Label(..) => return Untranslatable::new("the address of a label in an object"),
                };
                self.keep(LocationSet { object: id, start: *offset as i32, stride: 0 }, &PointsToSet::from([place]));
            }
        }
        Ok(())
    }

    fn keep(&mut self, place: LocationSet, values: &PointsToSet) {
        if values.is_empty() {
            return;
        }
        let known = self.memory.entry(place.object).or_default().entry(place).or_default();
        merge(known, values, &mut self.is_changing, &mut self.is_too_much);
    }

    fn kept(&self, place: LocationSet) -> PointsToSet {
        let known = self.memory.get(&place.object).into_iter().flatten();
        known.filter(|(at, _)| at.meets(place)).flat_map(|(_, values)| values.iter().copied()).collect()
    }

    fn assign(&mut self, thread: usize, var: VarId, values: &PointsToSet) {
        let known = &mut self.vars[thread][var.0 as usize];
        merge(known, values, &mut self.is_changing, &mut self.is_too_much);
    }

    fn node(
        &mut self,
        graphs: &[Graph<'_>],
        thread: usize,
        node: usize,
        objects: &mut Objects,
    ) -> Result<(), Untranslatable> {
        match &graphs[thread].nodes[node].op {
            Op::Stmt(stmt) => self.stmt(graphs, thread, node, stmt, objects)?,
            Op::Moves(moves) => {
                for (var, arg) in moves {
                    self.assign(thread, *var, &self.of(thread, *arg));
                }
            }
            Op::Leave(_, Some((var, arg))) => self.assign(thread, *var, &self.of(thread, *arg)),
            Op::Make(var, pool, _) => {
                let places = pool.iter().map(|object| LocationSet { object: *object, start: 0, stride: 0 }).collect();
                self.assign(thread, *var, &places);
            }
            Op::Leave(_, None)
            | Op::Jump
            | Op::Branch(_)
            | Op::Switch(..)
            | Op::Dispatch(..)
            | Op::Exit
            | Op::End(_)
            | Op::Answer(_)
            | Op::Refuse(_) => {}
        }
        Ok(())
    }

    fn stmt(
        &mut self,
        graphs: &[Graph<'_>],
        thread: usize,
        node: usize,
        stmt: &StmtKind,
        objects: &mut Objects,
    ) -> Result<(), Untranslatable> {
        let graph = &graphs[thread];
        let mut of = |points_to: &Self, operand: &Operand| -> Result<PointsToSet, Untranslatable> {
            Ok(points_to.of(thread, graph.arg(objects, node, operand)?))
        };
        match stmt {
            StmtKind::Assign(dst, rvalue) => {
                let values = match rvalue {
                    Rvalue::Use(value) | Rvalue::Cast(unpick_program::CastOp::Bitcast, _, _, value) => of(self, value)?,
                    Rvalue::Select { then, otherwise, .. } => &of(self, then)? | &of(self, otherwise)?,
                    Rvalue::PtrAdd { base, index, stride } => {
                        let (by, stride) = match graph.arg(objects, node, index)? {
                            Arg::Const(index) => (i64::from(index) * stride, 0),
                            Arg::Var(_) | Arg::Undef | Arg::Strange => (0, *stride),
                        };
                        let base = self.of(thread, graph.arg(objects, node, base)?);
                        base.into_iter().filter_map(|place| place.moved(by, stride)).collect()
                    }
                    Rvalue::Cast(..)
                    | Rvalue::Binary(..)
                    | Rvalue::Checked(..)
                    | Rvalue::Overflows { .. }
                    | Rvalue::Unary(..)
                    | Rvalue::Compare(..)
                    | Rvalue::PtrDiff { .. } => return Ok(()),
                };
                self.assign(thread, graph.written(node, *dst), &values);
            }
            StmtKind::Load { dst, addr, .. } => {
                for place in of(self, addr)? {
                    self.assign(thread, graph.written(node, *dst), &self.kept(place));
                }
            }
            StmtKind::Store { addr, value, .. } => {
                let values = of(self, value)?;
                for place in of(self, addr)? {
                    self.keep(place, &values);
                }
            }
            StmtKind::AtomicRmw { dst, addr, value, .. } | StmtKind::AtomicCas { dst, addr, desired: value, .. } => {
                let values = of(self, value)?;
                for place in of(self, addr)? {
                    self.assign(thread, graph.written(node, *dst), &self.kept(place));
                    self.keep(place, &values);
                }
            }
            StmtKind::MemCopy { dst, src, bytes, .. } => {
                let (to, from) = (of(self, dst)?, of(self, src)?);
                if let Arg::Const(bytes) = graph.arg(objects, node, bytes)? {
                    self.copy(&to, &from, bytes);
                }
            }
            StmtKind::Spawn { args, .. } => {
                for (at, arg) in args.iter().enumerate() {
                    let values = of(self, arg)?;
                    for started in &graphs[1..] {
                        if let Some(param) = started.params.get(at) {
                            self.assign(started.thread, *param, &values);
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn copy(&mut self, to: &PointsToSet, from: &PointsToSet, bytes: i32) {
        for source in from {
            let known: Vec<(LocationSet, PointsToSet)> = self
                .memory
                .get(&source.object)
                .into_iter()
                .flatten()
                .map(|(at, values)| (*at, values.clone()))
                .collect();
            for (at, values) in known {
                let apart = match gcd(source.stride.into(), at.stride.into()) {
                    0 => i64::from(at.start) - i64::from(source.start),
                    stride => (i64::from(at.start) - i64::from(source.start)).rem_euclid(stride),
                };
                if (0..i64::from(bytes)).contains(&apart) {
                    for target in to {
                        let stride = gcd(source.stride.into(), at.stride.into());
                        let stride = if target.stride == 0 && stride >= i64::from(bytes) { 0 } else { stride };
                        if let Some(place) = target.moved(apart, stride) {
                            self.keep(place, &values);
                        }
                    }
                }
            }
        }
    }
}

/// Adds location sets; many offsets into one object become one stride (widening).
fn merge(known: &mut PointsToSet, more: &PointsToSet, is_changing: &mut bool, is_too_much: &mut bool) {
    for place in more {
        if known.iter().any(|other| covers(*other, *place)) {
            continue;
        }
        known.insert(*place);
        *is_changing = true;
        let same: Vec<LocationSet> = known.iter().filter(|other| other.object == place.object).copied().collect();
        if same.len() > MAX_OFFSETS {
            let first = same[0];
            let stride = same.iter().fold(0, |stride, other| {
                gcd(gcd(stride, other.stride.into()), i64::from(other.start) - i64::from(first.start))
            });
            known.retain(|other| other.object != place.object);
            known.extend(first.moved(0, stride));
        }
    }
    *is_too_much |= known.len() > MAX_PLACES;
}

fn covers(wide: LocationSet, narrow: LocationSet) -> bool {
    let apart = i64::from(wide.start) - i64::from(narrow.start);
    wide.object == narrow.object
        && match i64::from(wide.stride) {
            0 => narrow.stride == 0 && apart == 0,
            stride => apart % stride == 0 && i64::from(narrow.stride) % stride == 0,
        }
}
