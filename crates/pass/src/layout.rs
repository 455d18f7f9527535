//! Layout of C objects in the state vector: typed cells, one for each number that the program keeps in an object.
//!
//! Every byte has to be used at one type and offset by all accesses of the program, or the program is refused: then a
//! cell is a number of the vector, whatever else C could do with bytes. Parts that are never accessed take no space.
//! Pointers and numbers of 64 bits take four bytes, see `arith.rs`. An object that only one thread accesses lies in the
//! frame of its process, so steps that touch it are independent of other threads.

use std::collections::BTreeMap;

use unpick_automaton::{self, Expr, FrameInit, Index, Scalar, Scope};
use unpick_base::Span;
use unpick_program::{Address, GlobalId, Operand, Program, StmtKind, Ty};

use crate::Untranslatable;
use crate::graph::{Arg, Graph, Node, Op, is_plain};
use crate::objects::{ObjectId, ObjectKind, Objects, pointer};
use crate::points_to::{LocationSet, PointsTo, PointsToSet};

/// Objects with more cells are refused.
const MAX_CELLS: usize = 4_096;

/// One number of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    /// Bytes in the program.
    pub size: i32,
    pub is_pointer: bool,
    /// Its offset among the packed bytes.
    packed: u32,
}

impl Cell {
    pub fn of(ty: Ty) -> Option<Cell> {
        let size = match ty {
            Ty::Int(8) => 1,
            Ty::Int(16) => 2,
            Ty::Int(32) => 4,
            Ty::Int(64) | Ty::Ptr => 8,
            Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => return None,
        };
        Some(Cell { size, is_pointer: ty == Ty::Ptr, packed: 0 })
    }

    pub fn scalar(self) -> Scalar {
        match self.size {
            1 => Scalar::Byte,
            2 => Scalar::Unsigned(16),
            _ => Scalar::Int,
        }
    }
}

/// An object in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectLayout {
    pub cells: BTreeMap<i32, Cell>,
    /// Period of the object in bytes of the program and bytes of the state; without it, all bytes are kept.
    period: Option<(i32, u32)>,
    strides: Vec<i32>,
    /// Bytes of the state.
    bytes: u32,
    base: u32,
    /// The threads that access it, as bits.
    threads: u64,
    pub is_written: bool,
    /// Some of it is copied.
    is_copied: bool,
    /// The thread whose frame holds it; none for the global frame.
    pub owner: Option<usize>,
    /// It takes no space: it is never written, and the offset of every access is constant.
    pub is_constant: bool,
}

impl ObjectLayout {
    /// Whether writes to it are visible to other threads.
    pub fn is_shared(&self) -> bool {
        self.owner.is_none() && self.is_written && self.threads.count_ones() > 1
    }
}

/// A memory access of a node.
pub(crate) struct Access {
    pub addr: Arg,
    pub bytes: i32,
    pub cell: Option<Cell>,
    pub is_write: bool,
}

/// The layout of all objects.
pub(crate) struct Layout {
    pub laid: Vec<ObjectLayout>,
    /// Bytes of the global frame, and of the frame of each thread.
    pub globals: u32,
    pub locals: Vec<u32>,
}

impl Layout {
    /// The first `n_threads` graphs are threads; others only look, between the steps of threads.
    pub fn new(
        graphs: &[Graph<'_>],
        n_threads: usize,
        points_to: &PointsTo,
        objects: &mut Objects,
    ) -> Result<Self, Untranslatable> {
        let laid = vec![ObjectLayout::default(); objects.all.len()];
        let mut layout = Layout { laid, globals: 0, locals: vec![0; graphs.len()] };
        for graph in graphs {
            for (number, node) in graph.nodes.iter().enumerate() {
                for access in accesses(graph, number, objects)? {
                    layout.note(graph.thread, &access, &points_to.of(graph.thread, access.addr), objects)?;
                }
                for object in touched(graph, node) {
                    layout.touch(object, graph.thread, true);
                }
            }
        }
        layout.copies(graphs, points_to, objects)?;
        for id in objects.ids() {
            layout.pack(id, n_threads, objects);
        }
        Ok(layout)
    }

    pub fn get(&self, object: ObjectId) -> &ObjectLayout {
        &self.laid[object.0 as usize - 1]
    }

    fn touch(&mut self, object: ObjectId, thread: usize, is_write: bool) {
        let laid = &mut self.laid[object.0 as usize - 1];
        laid.threads |= 1 << thread;
        laid.is_written |= is_write;
    }

    fn note(
        &mut self,
        thread: usize,
        access: &Access,
        places: &PointsToSet,
        objects: &Objects,
    ) -> Result<(), Untranslatable> {
        for place in places {
            self.touch(place.object, thread, access.is_write);
            let laid = &mut self.laid[place.object.0 as usize - 1];
            if place.stride != 0 && !laid.strides.contains(&place.stride) {
                laid.strides.push(place.stride);
            }
            let Some(cell) = access.cell else {
                laid.is_copied = true;
                continue;
            };
            for offset in offsets(*place, cell.size, objects.get(place.object).size) {
                self.label(place.object, offset, cell)?;
            }
        }
        Ok(())
    }

    /// Records how bytes of an object are used; whether that is new.
    fn label(&mut self, object: ObjectId, offset: i32, cell: Cell) -> Result<bool, Untranslatable> {
        let cells = &mut self.laid[object.0 as usize - 1].cells;
        for (at, known) in cells.range(offset - 7..offset + cell.size) {
            if *at == offset && known.size == cell.size && known.is_pointer == cell.is_pointer {
                return Ok(false);
            }
            if at + known.size > offset {
                let text = format!("bytes {offset} and {at} of object {} are used in different ways", object.0);
                return Untranslatable::new(text);
            }
        }
        if cells.len() >= MAX_CELLS {
            return Untranslatable::new("an object of too many numbers");
        }
        cells.insert(offset, cell);
        Ok(true)
    }

    /// Source and target of a copy have the same cells.
    fn copies(
        &mut self,
        graphs: &[Graph<'_>],
        points_to: &PointsTo,
        objects: &mut Objects,
    ) -> Result<(), Untranslatable> {
        let mut pairs = Vec::new();
        for graph in graphs {
            for (number, node) in graph.nodes.iter().enumerate() {
                let Op::Stmt(StmtKind::MemCopy { dst, src, bytes, .. }) = &node.op else { continue };
                let mut arg = |operand: &Operand| graph.arg(objects, number, operand);
                let (dst, src, Arg::Const(bytes)) = (arg(dst)?, arg(src)?, arg(bytes)?) else { continue };
                for to in points_to.of(graph.thread, dst) {
                    for from in points_to.of(graph.thread, src) {
                        pairs.push((to, from, bytes));
                    }
                }
            }
        }
        let mut is_changing = true;
        while std::mem::take(&mut is_changing) {
            for (to, from, bytes) in &pairs {
                for (one, other) in [(to, from), (from, to)] {
                    is_changing |= self.copy(*one, *other, *bytes, objects)?;
                }
            }
        }
        Ok(())
    }

    fn copy(
        &mut self,
        to: LocationSet,
        from: LocationSet,
        bytes: i32,
        objects: &Objects,
    ) -> Result<bool, Untranslatable> {
        let mut is_new = false;
        let sources = offsets(from, bytes, objects.get(from.object).size);
        let targets = offsets(to, bytes, objects.get(to.object).size);
        if sources.len() * targets.len() > 1 << 14 {
            return Untranslatable::new("a copy between too many places");
        }
        for source in sources {
            let cells: Vec<(i32, Cell)> =
                self.get(from.object).cells.range(source..source + bytes).map(|(at, cell)| (*at, *cell)).collect();
            for target in &targets {
                for (at, cell) in &cells {
                    if at + cell.size > source + bytes {
                        return Untranslatable::new("a copy of a part of a number");
                    }
                    is_new |= self.label(to.object, target + at - source, *cell)?;
                }
            }
        }
        Ok(is_new)
    }

    /// Packs an object's cells and places it in a frame.
    fn pack(&mut self, id: ObjectId, n_threads: usize, objects: &Objects) {
        let object = objects.get(id);
        let laid = &mut self.laid[id.0 as usize - 1];
        let room = |cell: &Cell| cell.scalar().size() + u32::from(object.is_shadowed);
        laid.period = period(laid, object.size as i32);
        match laid.period {
            // Cells without gaps.
            None if laid.strides.is_empty() => {
                for cell in laid.cells.values_mut() {
                    cell.packed = laid.bytes;
                    laid.bytes += room(cell);
                }
            }
            Some((every, _)) => {
                let mut packed = 0;
                let mut within = BTreeMap::new();
                for (at, cell) in laid.cells.range(..every) {
                    within.insert(*at, packed);
                    packed += room(cell);
                }
                for (at, cell) in &mut laid.cells {
                    cell.packed = (at / every) as u32 * packed + within[&(at % every)];
                    laid.bytes = laid.bytes.max(cell.packed + room(cell));
                }
                laid.period = Some((every, packed));
            }
            // All bytes, each with a byte behind it for whether it has been written.
            None => {
                let scale = 1 + u32::from(object.is_shadowed);
                for (at, cell) in &mut laid.cells {
                    cell.packed = *at as u32 * scale;
                    laid.bytes = laid.bytes.max(cell.packed + room(cell));
                }
            }
        }
        let only = (laid.threads.count_ones() == 1).then(|| laid.threads.trailing_zeros() as usize);
        laid.owner = only.filter(|thread| *thread < n_threads);
        laid.is_constant = !laid.is_written && !laid.is_copied && laid.strides.is_empty() && !object.is_shadowed;
        if laid.is_constant {
            return;
        }
        let frame = match laid.owner {
            Some(thread) => &mut self.locals[thread],
            None => &mut self.globals,
        };
        laid.base = *frame;
        *frame += laid.bytes;
    }

    /// The place of the cell at an offset.
    pub fn cell(&self, object: ObjectId, offset: i32) -> Option<(unpick_automaton::Place, Cell)> {
        let laid = self.get(object);
        let cell = *laid.cells.get(&offset)?;
        let scope = if laid.owner.is_some() { Scope::Local } else { Scope::Global };
        let offset = laid.base + cell.packed;
        Some((unpick_automaton::Place { scope, offset, indices: Vec::new(), scalar: cell.scalar() }, cell))
    }

    /// The cell that an index chooses, and how many there are.
    pub fn cells(
        &self,
        objects: &Objects,
        place: LocationSet,
        at: i32,
        size: i32,
        index: Expr,
    ) -> Option<(unpick_automaton::Place, u32)> {
        let (mut first, _) = self.cell(place.object, place.start + at)?;
        let count = offsets(place, size, objects.get(place.object).size).len() as u32;
        let is_shadowed = objects.get(place.object).is_shadowed;
        let stride = match self.get(place.object).period {
            Some((every, packed)) => (place.stride / every) as u32 * packed,
            None => place.stride as u32 * (1 + u32::from(is_shadowed)),
        };
        first.indices.push(Index { expr: index, count, stride, span: Span::NONE });
        Some((first, count))
    }

    /// The initial contents of the objects in the global frame, or in a thread's.
    pub fn initial(
        &self,
        program: &Program,
        objects: &mut Objects,
        owner: Option<usize>,
    ) -> Result<Vec<FrameInit>, Untranslatable> {
        let mut init = Vec::new();
        for id in objects.ids() {
            let laid = self.get(id);
            let ObjectKind::Global(global, thread) = objects.get(id).what else { continue };
            if laid.owner != owner || laid.is_constant {
                continue;
            }
            for (at, cell) in &laid.cells {
                let value = first_value(program, objects, global, thread, *at, *cell)?;
                if value != 0 {
                    let (place, _) = self.cell(id, *at).expect("the cell was just seen");
                    init.push(FrameInit::Value(place, Expr::Const(value)));
                }
            }
        }
        Ok(init)
    }

    /// The number at an offset of an object that is constant.
    pub fn constant(
        &self,
        program: &Program,
        objects: &mut Objects,
        object: ObjectId,
        at: i32,
    ) -> Result<Option<i32>, Untranslatable> {
        let laid = self.get(object);
        let (Some(cell), ObjectKind::Global(global, thread)) = (laid.cells.get(&at), objects.get(object).what) else {
            return Ok(None);
        };
        Ok(if laid.is_constant { Some(first_value(program, objects, global, thread, at, *cell)?) } else { None })
    }
}

/// What a global holds at first.
fn first_value(
    program: &Program,
    objects: &mut Objects,
    global: GlobalId,
    thread: Option<usize>,
    at: i32,
    cell: Cell,
) -> Result<i32, Untranslatable> {
    let contents = &program.globals[global].init;
    match contents.pointers.iter().find(|(offset, _)| *offset as i32 == at) {
        Some((_, Address::Global(target, offset))) => {
            pointer(objects.global(program, thread.unwrap_or(0), *target)?, *offset)
        }
        Some((_, Address::Func(function))) => pointer(objects.function(*function)?, 0),
        Some((_, Address::Label(..))) => Untranslatable::new("the address of a label in an object"),
        None => number(&contents.bytes, at, cell),
    }
}

/// A number among bytes.
fn number(bytes: &[u8], at: i32, cell: Cell) -> Result<i32, Untranslatable> {
    let byte = |at: i32| u64::from(bytes.get(at as usize).copied().unwrap_or(0));
    let bits = (0..cell.size).fold(0, |bits, offset| bits | byte(at + offset) << (8 * offset));
    match cell.size {
        1 | 2 => Ok(bits as i32),
        4 => Ok(bits as u32 as i32),
        _ if cell.is_pointer => match i16::try_from(bits as i64) {
            Ok(small) => Ok(small.into()),
            Err(_) => Untranslatable::new("a pointer that is a large number"),
        },
        _ => i32::try_from(bits as i64).map_err(|_| Untranslatable("a number of 64 bits that is large".into())),
    }
}

/// The stride that all strides are multiples of, if the object looks the same from each to the next.
fn period(laid: &ObjectLayout, size: i32) -> Option<(i32, u32)> {
    let every = *laid.strides.iter().min()?;
    let is_regular = laid.strides.iter().all(|stride| stride % every == 0);
    let repeats = |at: &i32, cell: &Cell| {
        let same = |other: &Cell| other.size == cell.size && other.is_pointer == cell.is_pointer;
        let next = at + every;
        let is_inside = at % every + cell.size <= every;
        let has_next = next + cell.size > size || laid.cells.get(&next).is_some_and(same);
        let has_last = *at < every || laid.cells.get(&(at - every)).is_some_and(same);
        is_inside && has_next && has_last
    };
    (is_regular && laid.cells.iter().all(|(at, cell)| repeats(at, cell))).then_some((every, 0))
}

/// All offsets of a place at which so many bytes lie within an object.
pub(crate) fn offsets(place: LocationSet, bytes: i32, size: u32) -> Vec<i32> {
    let last = size as i32 - bytes;
    if place.stride == 0 {
        return if (0..=last).contains(&place.start) { vec![place.start] } else { Vec::new() };
    }
    (0..).map(|at| place.start + at * place.stride).take_while(|offset| *offset <= last).collect()
}

/// What a node does to memory through pointers.
pub(crate) fn accesses(graph: &Graph<'_>, node: usize, objects: &mut Objects) -> Result<Vec<Access>, Untranslatable> {
    let Op::Stmt(stmt) = &graph.nodes[node].op else { return Ok(Vec::new()) };
    let mut arg = |operand: &Operand| graph.arg(objects, node, operand);
    let one = |addr: Arg, ty: Ty, is_write: bool| match Cell::of(ty) {
        Some(cell) if is_plain(ty) => vec![Access { addr, bytes: cell.size, cell: Some(cell), is_write }],
        // Refused where it happens.
        _ => Vec::new(),
    };
    Ok(match stmt {
        StmtKind::Load { dst, addr, .. } => one(arg(addr)?, graph.ty(node, *dst), false),
        StmtKind::Store { addr, ty, .. } => one(arg(addr)?, *ty, true),
        StmtKind::AtomicRmw { dst, addr, .. } | StmtKind::AtomicCas { dst, addr, .. } => {
            one(arg(addr)?, graph.ty(node, *dst), true)
        }
        StmtKind::MemCopy { dst, src, bytes, .. } => match arg(bytes)? {
            Arg::Const(bytes) if bytes >= 0 => vec![
                Access { addr: arg(dst)?, bytes, cell: None, is_write: true },
                Access { addr: arg(src)?, bytes, cell: None, is_write: false },
            ],
            _ => Vec::new(),
        },
        StmtKind::MemSet { dst, bytes, .. } => match arg(bytes)? {
            Arg::Const(bytes) if bytes >= 0 => vec![Access { addr: arg(dst)?, bytes, cell: None, is_write: true }],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    })
}

/// Objects of the thread's own that a node begins or ends.
pub(crate) fn touched(graph: &Graph<'_>, node: &Node<'_>) -> Vec<ObjectId> {
    match &node.op {
        Op::Stmt(StmtKind::SlotLive(slot) | StmtKind::SlotDead(slot)) => vec![graph.slot(node.instance, *slot)],
        Op::Leave(objects, _) | Op::End(objects) | Op::Make(_, objects, _) => objects.clone(),
        _ => Vec::new(),
    }
}
