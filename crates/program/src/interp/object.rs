//! Objects: bytes, their indeterminate bits, and symbolic values that bytes cannot express.
//!
//! A pointer, a byte of a pointer or an open input lies in memory as a *cell* over the bytes. The bytes below a
//! cell are zero and mean nothing. Objects without cells and without indeterminate bits are the common case.

use std::rc::Rc;

use super::key::Memo;
use super::value::Value;
use crate::{FuncId, GlobalId, Loc, ShapeId, SlotId};

/// An object in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    /// Where it comes from.
    pub kind: ObjectKind,
    /// Where it was made, on the user's lines.
    pub loc: Loc,
    /// The user's function that made it.
    pub maker: Option<FuncId>,
    /// The thread that made it.
    pub thread: u32,
    /// The first heap object its thread made at this place.
    pub is_first: bool,
    /// Alignment.
    pub align: u64,
    /// Writing is a violation.
    pub is_read_only: bool,
    /// Only the thread that made it can reach it.
    pub(crate) is_private: bool,
    /// The address, once it was observed.
    pub(crate) base: Option<u64>,
    pub(crate) bytes: Vec<u8>,
    /// Indeterminate bits.
    pub(crate) undef: Undef,
    /// Values that are not plain bytes, by ascending offset, disjoint.
    pub(crate) cells: Vec<Cell>,
    /// Indeterminate bytes are inputs, all or some.
    pub(crate) any: Option<Box<AnyBytes>>,
    /// What an object of unknown contents looks like.
    pub(crate) shape: Option<ShapeId>,
    /// What its contents were numbered as.
    pub(crate) memo: Memo,
}

/// Which indeterminate bytes of an object are inputs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AnyBytes {
    /// What they stand for, as users know it.
    pub label: Rc<str>,
    /// Ranges (start and end) with indeterminate bits, ascending and apart; `None` for the whole object.
    pub parts: Option<Vec<(u64, u64)>>,
}

impl AnyBytes {
    /// The whole object was made unknown.
    pub(crate) fn whole(label: Rc<str>) -> Box<AnyBytes> {
        Box::new(AnyBytes { label, parts: None })
    }

    fn covers(&self, at: u64) -> bool {
        self.parts.as_ref().is_none_or(|parts| parts.iter().any(|(from, to)| *from <= at && at < *to))
    }

    fn remove(&mut self, from: u64, to: u64) {
        if let Some(parts) = &mut self.parts
            && parts.iter().any(|part| part.0 < to && from < part.1)
        {
            let cut = |part: &(u64, u64)| [(part.0, part.1.min(from)), (part.0.max(to), part.1)];
            *parts = parts.iter().flat_map(cut).filter(|part| part.0 < part.1).collect();
        }
    }

    fn add(&mut self, from: u64, to: u64) {
        let Some(parts) = &mut self.parts else { return };
        let first = parts.partition_point(|part| part.1 < from);
        let last = parts.partition_point(|part| part.0 <= to);
        let from = parts[first..last].first().map_or(from, |part| part.0.min(from));
        let to = parts[first..last].last().map_or(to, |part| part.1.max(to));
        parts.splice(first..last, [(from, to)]);
    }
}

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ObjectKind {
    /// Static storage, or one thread's instance of thread-local storage.
    Global(GlobalId),
    /// A local variable.
    Slot(FuncId, SlotId),
    /// `alloca` or a variable length array, made by this function.
    Alloca(FuncId),
    /// The heap; the number counts heap objects.
    Heap(u64),
}

/// Indeterminate bits of an object. Small masks are kept when no bit is left, for the next life of the object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undef {
    /// One mask per byte, or nothing while no bit is indeterminate.
    mask: Vec<u8>,
    /// How many masks are not zero.
    n_bytes: usize,
}

impl PartialEq for Undef {
    fn eq(&self, other: &Undef) -> bool {
        self.n_bytes == other.n_bytes && (self.n_bytes == 0 || self.mask == other.mask)
    }
}

/// Masks of larger objects are given back when no bit is indeterminate any more.
const KEPT_MASK_BYTES: usize = 64;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    pub offset: u64,
    pub len: u8,
    pub value: Value,
}

/// What a range of bytes holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Found {
    /// Plain bytes, low byte first.
    Bytes(u128),
    /// A value stored with exactly this extent.
    Whole(Value),
    /// Some bit is indeterminate.
    Undef,
    /// Cells that do not fit the range; the first of them. Bytes of one pointer may still make a whole.
    Mixed(Cell),
}

impl Object {
    pub(crate) fn new(kind: ObjectKind, size: u64, align: u64, loc: Loc) -> Object {
        Object {
            kind,
            loc,
            maker: None,
            thread: 0,
            is_first: false,
            align,
            is_read_only: false,
            is_private: false,
            base: None,
            bytes: vec![0; size as usize],
            undef: Undef::default(),
            cells: Vec::new(),
            any: None,
            shape: None,
            memo: Memo::default(),
        }
    }

    /// Size in bytes.
    #[inline]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The value that lies in a range of at most 16 bytes, for observers; `None` if it is out of
    /// bounds, indeterminate or a mixture.
    pub fn scalar(&self, offset: u64, len: u64) -> Option<Value> {
        if len > 16 || offset.checked_add(len)? > self.size() {
            return None;
        }
        match self.find(offset, len) {
            Found::Bytes(bits) => Some(Value::from_bits(len as u32 * 8, bits)),
            Found::Whole(value) => Some(value),
            Found::Undef | Found::Mixed(_) => None,
        }
    }

    /// The masks of indeterminate bits, if any bit is.
    pub(crate) fn undef_mask(&self) -> Option<&[u8]> {
        (self.undef.n_bytes > 0).then_some(&self.undef.mask[..])
    }

    /// Whether both hold the same.
    pub(crate) fn has_contents_of(&self, other: &Object) -> bool {
        self.bytes == other.bytes && self.undef == other.undef && self.cells == other.cells
    }

    /// Makes all bytes indeterminate.
    pub(crate) fn forget(&mut self) {
        self.cells.clear();
        let size = self.bytes.len();
        self.bytes.fill(0);
        self.undef.mask.clear();
        self.undef.mask.resize(size, 0xff);
        self.undef.n_bytes = size;
    }

    /// Whether bytes are all there is.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.undef.n_bytes == 0 && self.cells.is_empty()
    }

    /// Mask of indeterminate bits of a byte.
    #[inline]
    pub(crate) fn undef_bits(&self, at: u64) -> u8 {
        if self.undef.n_bytes == 0 { 0 } else { self.undef.mask[at as usize] }
    }

    /// Whether a bit of the range is indeterminate.
    pub(crate) fn has_undef(&self, offset: u64, len: u64) -> bool {
        self.undef.n_bytes > 0
            && self.undef.mask[offset as usize..(offset + len) as usize].iter().any(|mask| *mask != 0)
    }

    pub(crate) fn set_undef_bits(&mut self, at: u64, mask: u8) {
        if self.undef.n_bytes == 0 {
            if mask == 0 {
                return;
            }
            self.undef.mask.resize(self.bytes.len(), 0);
        }
        let old = std::mem::replace(&mut self.undef.mask[at as usize], mask);
        self.undef.n_bytes = self.undef.n_bytes + usize::from(mask != 0) - usize::from(old != 0);
        // Bits that become indeterminate are no inputs, and what is determinate is none any more.
        if mask & !old != 0 || mask == 0 {
            self.close(at, 1);
        }
        self.drop_empty_mask();
    }

    /// Makes the range determinate.
    pub(crate) fn define(&mut self, offset: u64, len: u64) {
        let undef = &mut self.undef;
        if undef.n_bytes == 0 {
            return;
        }
        let mask = &mut undef.mask[offset as usize..(offset + len) as usize];
        undef.n_bytes -= n_set(mask);
        mask.fill(0);
        self.close(offset, len);
        self.drop_empty_mask();
    }

    /// The range holds no inputs to be any more; unknown objects stay unknown.
    fn close(&mut self, offset: u64, len: u64) {
        if let Some(any) = &mut self.any {
            any.remove(offset, offset + len);
            if any.parts.as_ref().is_some_and(Vec::is_empty) {
                self.any = None;
            }
        }
    }

    /// Whether all that is indeterminate in the range is an input.
    pub(crate) fn is_any(&self, offset: u64, len: u64) -> bool {
        let is_input = |any: &AnyBytes| {
            any.parts.is_none() || (offset..offset + len).all(|at| self.undef_bits(at) == 0 || any.covers(at))
        };
        self.any.as_deref().is_some_and(is_input)
    }

    /// Whether some of what is indeterminate in the range is an input.
    pub(crate) fn has_any(&self, offset: u64, len: u64) -> bool {
        let is_input = |any: &AnyBytes| (offset..offset + len).any(|at| self.undef_bits(at) != 0 && any.covers(at));
        self.any.as_deref().is_some_and(is_input)
    }

    /// Whether nothing in the range has been read since it was made unknown.
    pub(crate) fn is_untouched(&self, offset: u64, len: u64) -> bool {
        (offset..offset + len).all(|at| self.undef_bits(at) == 0xff) && self.is_any(offset, len)
    }

    /// Makes the range an input; pointers in it that lead to objects may be left alone.
    pub(crate) fn write_any(&mut self, offset: u64, len: u64, keeps_pointers: bool, label: &str) {
        let is_kept = |cell: &&Cell| {
            keeps_pointers
                && matches!(cell.value, Value::Ptr(_))
                && offset <= cell.offset
                && cell.offset + u64::from(cell.len) <= offset + len
        };
        let kept: Vec<Cell> = self.cells_in(offset, len).iter().filter(is_kept).copied().collect();
        let mut from = offset;
        for to in kept.iter().map(|cell| cell.offset).chain([offset + len]) {
            if from < to {
                self.write_undef(from, to - from);
                let none = || Box::new(AnyBytes { label: label.into(), parts: Some(Vec::new()) });
                let any = self.any.get_or_insert_with(none);
                any.label = label.into();
                any.add(from, to);
            }
            from = to + kept.iter().find(|cell| cell.offset == to).map_or(0, |cell| u64::from(cell.len));
        }
    }

    fn drop_empty_mask(&mut self) {
        if self.undef.n_bytes == 0 && self.undef.mask.len() > KEPT_MASK_BYTES {
            self.undef.mask = Vec::new();
        }
    }

    /// Index of the first cell that ends behind `offset`.
    fn first_cell(&self, offset: u64) -> usize {
        self.cells.partition_point(|cell| cell.offset + u64::from(cell.len) <= offset)
    }

    /// The first cell that overlaps the range.
    pub(crate) fn cell_in(&self, offset: u64, len: u64) -> Option<Cell> {
        self.cells.get(self.first_cell(offset)).filter(|cell| cell.offset < offset + len).copied()
    }

    /// All cells that overlap the range.
    pub(crate) fn cells_in(&self, offset: u64, len: u64) -> &[Cell] {
        let first = self.first_cell(offset);
        let count = self.cells[first..].iter().take_while(|cell| cell.offset < offset + len).count();
        &self.cells[first..first + count]
    }

    /// What the range (in bounds, at most 16 bytes) holds.
    pub(crate) fn find(&self, offset: u64, len: u64) -> Found {
        if self.has_undef(offset, len) {
            return Found::Undef;
        }
        match self.cell_in(offset, len) {
            None => Found::Bytes(self.raw(offset, len)),
            Some(cell) if cell.offset == offset && u64::from(cell.len) == len => Found::Whole(cell.value),
            Some(cell) => Found::Mixed(cell),
        }
    }

    /// The plain bytes as a number.
    #[inline]
    pub(crate) fn raw(&self, offset: u64, len: u64) -> u128 {
        let mut buffer = [0; 16];
        buffer[..len as usize].copy_from_slice(&self.bytes[offset as usize..(offset + len) as usize]);
        u128::from_le_bytes(buffer)
    }

    /// Takes the cells out of the range; bytes of pointers that stick out stay as single bytes. Lazy cells should
    /// lie fully inside (the caller makes them concrete otherwise).
    pub(crate) fn clear_cells(&mut self, offset: u64, len: u64) {
        if self.cells.is_empty() {
            return;
        }
        let first = self.first_cell(offset);
        let last = first + self.cells[first..].iter().take_while(|cell| cell.offset < offset + len).count();
        if first == last {
            return;
        }
        let fragments: Vec<Cell> = self.cells[first..last]
            .iter()
            .flat_map(|cell| cell.split())
            .filter(|piece| piece.offset < offset || piece.offset >= offset + len)
            .collect();
        self.cells.splice(first..last, fragments);
    }

    /// Writes plain bytes.
    #[inline]
    pub(crate) fn write_bytes(&mut self, offset: u64, source: &[u8]) {
        let len = source.len() as u64;
        if !self.is_plain() {
            self.clear_cells(offset, len);
            self.define(offset, len);
        }
        self.bytes[offset as usize..offset as usize + source.len()].copy_from_slice(source);
    }

    /// Writes a value that is not plain bytes.
    pub(crate) fn write_cell(&mut self, cell: Cell) {
        let len = u64::from(cell.len);
        self.clear_cells(cell.offset, len);
        self.define(cell.offset, len);
        self.bytes[cell.offset as usize..(cell.offset + len) as usize].fill(0);
        let at = self.first_cell(cell.offset);
        self.cells.insert(at, cell);
    }

    /// Adds cells over plain bytes; they ascend.
    pub(crate) fn insert_cells(&mut self, cells: Vec<Cell>) {
        let Some(first) = cells.first() else { return };
        let at = self.first_cell(first.offset);
        for cell in &cells {
            self.bytes[cell.offset as usize..(cell.offset + u64::from(cell.len)) as usize].fill(0);
        }
        self.cells.splice(at..at, cells);
    }

    /// Makes the range indeterminate.
    pub(crate) fn write_undef(&mut self, offset: u64, len: u64) {
        if len == 0 {
            return;
        }
        self.clear_cells(offset, len);
        let range = offset as usize..(offset + len) as usize;
        self.bytes[range.clone()].fill(0);
        if self.undef.n_bytes == 0 {
            self.undef.mask.resize(self.bytes.len(), 0);
        }
        let mask = &mut self.undef.mask[range];
        self.undef.n_bytes += mask.len() - n_set(mask);
        mask.fill(0xff);
        self.close(offset, len);
    }
}

/// How many bytes are not zero. Short stretches are counted in bytes, which the compiler does many at a time.
fn n_set(mask: &[u8]) -> usize {
    mask.chunks(usize::from(u8::MAX))
        .map(|part| part.iter().map(|byte| u8::from(*byte != 0)).sum::<u8>())
        .map(usize::from)
        .sum()
}

impl Cell {
    /// The part of the cell inside a range: itself, or those of its bytes.
    pub(crate) fn within(self, offset: u64, len: u64) -> impl Iterator<Item = Cell> {
        let is_inside = move |cell: &Cell| cell.offset >= offset && cell.offset + u64::from(cell.len) <= offset + len;
        let whole = is_inside(&self).then_some(self);
        let pieces = whole.is_none().then(|| self.split().filter(move |piece| is_inside(piece)));
        whole.into_iter().chain(pieces.into_iter().flatten())
    }

    /// The cell as single bytes.
    fn split(self) -> impl Iterator<Item = Cell> {
        (0..self.len).map(move |byte| Cell {
            offset: self.offset + u64::from(byte),
            len: 1,
            value: match self.value {
                Value::Ptr(pointer) => Value::Fragment { pointer, byte },
                other => other,
            },
        })
    }
}
