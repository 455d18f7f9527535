//! All objects of a state, and the observed addresses.
//!
//! Numbers of dead objects are recycled, but late, so that a dangling pointer usually still finds the tombstone
//! of its object; a generation tells the lives of a number apart for certain.
//!
//! An object has an address only once its pointer is turned into a number. Then it gets the lowest free range,
//! so addresses depend only on the objects that have one now.

use std::collections::VecDeque;
use std::rc::Rc;

use super::choice::Placement;
use super::object::{Object, ObjectKind};
use super::value::{FIRST_FUNCTION, Pointer, Value};
use crate::{Loc, Program};

/// What is known of an object that is no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tombstone {
    /// Where it came from.
    pub kind: ObjectKind,
    /// Its size.
    pub size: u64,
    /// Where it was made.
    pub made: Loc,
    /// Where it ended.
    pub ended: Loc,
}

#[derive(Clone, Default)]
pub(crate) struct Memory {
    entries: Entries,
    /// Numbers of dead objects; shared between states until one of them changes it.
    free: Rc<VecDeque<u32>>,
    /// Objects with an address, by ascending address: address and number.
    pub exposed: Vec<(u64, u32)>,
    /// Heap objects made so far.
    pub n_heap: u64,
    pub is_32_bit: bool,
}

/// Entries by number, in chunks that states share until one of them changes: a copy of a state copies few pointers.
/// The first chunks lie side by side, because most programs have no more; others are shared by blocks, so that many
/// objects cost a copy little.
#[derive(Clone, Default)]
struct Entries {
    chunks: Vec<Rc<Chunk>>,
    blocks: Vec<Rc<[Option<Rc<Chunk>>; BLOCK]>>,
    len: usize,
}

type Chunk = [Entry; CHUNK];

/// Small enough that changing one entry copies little, large enough that copies of states do.
const CHUNK: usize = 8;
/// Chunks side by side.
const DIRECT: usize = 64;
/// Chunks in a block.
const BLOCK: usize = 64;

impl Entries {
    #[inline]
    fn get(&self, number: u32) -> Option<&Entry> {
        self.chunk(number as usize / CHUNK).map(|chunk| &chunk[number as usize % CHUNK])
    }

    #[inline]
    fn get_mut(&mut self, number: u32) -> Option<&mut Entry> {
        let at = number as usize / CHUNK;
        let chunk = match at.checked_sub(DIRECT) {
            None => self.chunks.get_mut(at),
            Some(at) => self.blocks.get_mut(at / BLOCK).and_then(|block| Rc::make_mut(block)[at % BLOCK].as_mut()),
        };
        chunk.map(|chunk| &mut Rc::make_mut(chunk)[number as usize % CHUNK])
    }

    #[inline]
    fn chunk(&self, at: usize) -> Option<&Rc<Chunk>> {
        match at.checked_sub(DIRECT) {
            None => self.chunks.get(at),
            Some(at) => self.blocks.get(at / BLOCK).and_then(|block| block[at % BLOCK].as_ref()),
        }
    }

    fn n_chunks(&self) -> usize {
        self.len.div_ceil(CHUNK)
    }

    fn push_chunk(&mut self) {
        let chunk = Rc::new([const { UNUSED }; CHUNK]);
        match self.n_chunks().checked_sub(DIRECT) {
            None => self.chunks.push(chunk),
            Some(at) => {
                if at.is_multiple_of(BLOCK) {
                    self.blocks.push(Rc::new([const { None }; BLOCK]));
                }
                Rc::make_mut(&mut self.blocks[at / BLOCK])[at % BLOCK] = Some(chunk);
            }
        }
    }

    /// Forgets the numbers from this one on; their entries should be unused.
    fn truncate(&mut self, len: usize) {
        self.len = len;
        let n_chunks = self.n_chunks();
        self.chunks.truncate(n_chunks);
        self.blocks.truncate(n_chunks.saturating_sub(DIRECT).div_ceil(BLOCK));
        if let Some(last) = self.blocks.last_mut() {
            let n_left = (n_chunks - DIRECT - 1) % BLOCK + 1;
            Rc::make_mut(last)[n_left..].fill(None);
        }
    }

    /// Chunks with their places that this memory does not share with another one, and those of the other.
    fn differing<'a>(
        &'a self,
        other: &'a Entries,
        n_chunks: usize,
    ) -> impl Iterator<Item = (usize, Option<&'a Rc<Chunk>>, Option<&'a Rc<Chunk>>)> {
        let is_shared = |block: &usize| match (self.blocks.get(*block), other.blocks.get(*block)) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (_, _) => false,
        };
        let blocks = (0..n_chunks.saturating_sub(DIRECT).div_ceil(BLOCK)).filter(move |block| !is_shared(block));
        let behind = blocks.flat_map(|block| DIRECT + block * BLOCK..DIRECT + (block + 1) * BLOCK);
        let places = (0..DIRECT).chain(behind).take_while(move |at| *at < n_chunks);
        places.map(|at| (at, self.chunk(at), other.chunk(at))).filter(|(_, one, other)| match (one, other) {
            (Some(one), Some(other)) => !Rc::ptr_eq(one, other),
            (Some(_), None) | (None, Some(_)) => true,
            (None, None) => false,
        })
    }

    /// The generation of a number in use.
    fn generation(&self, number: u32) -> u32 {
        self.get(number).map_or(0, |entry| entry.generation)
    }

    fn push(&mut self, entry: Entry) {
        if self.len.is_multiple_of(CHUNK) {
            self.push_chunk();
        }
        self.len += 1;
        *self.get_mut(self.len as u32 - 1).expect("there should be room") = entry;
    }

    fn iter(&self) -> impl Iterator<Item = &Entry> {
        let blocks = self.blocks.iter().flat_map(|block| block.iter().flatten());
        self.chunks.iter().chain(blocks).flat_map(|chunk| chunk.iter())
    }
}

#[derive(Clone)]
struct Entry {
    generation: u32,
    life: Life,
}

#[derive(Clone)]
enum Life {
    Live(Rc<Object>),
    /// Small objects are kept for the next life of their number; the place is where this one ended.
    Retired(Rc<Object>, Loc),
    Dead(Rc<Tombstone>),
    /// Nothing has had the number yet.
    Unused,
}

/// Who has which number in one memory, to be compared with another.
#[derive(Default)]
pub(crate) struct Past(Entries);

/// Who has a number.
pub(crate) struct Holder<'a> {
    generation: u32,
    /// The object, if it lives.
    pub object: Option<&'a Object>,
    tombstone: Option<ObjectKind>,
}

impl Holder<'_> {
    fn new(entry: Option<&Entry>) -> Holder<'_> {
        let (object, tombstone) = match entry.map(|entry| &entry.life) {
            Some(Life::Live(object)) => (Some(&**object), None),
            Some(Life::Retired(object, _)) => (None, Some(object.kind)),
            Some(Life::Dead(tombstone)) => (None, Some(tombstone.kind)),
            Some(Life::Unused) | None => (None, None),
        };
        Holder { generation: entry.map_or(0, |entry| entry.generation), object, tombstone }
    }

    /// Whether a pointer to one and a pointer to the other lead to an object, or to the same kind of dead one.
    pub(crate) fn is_alike(&self, other: &Holder<'_>) -> bool {
        self.generation == other.generation
            && self.object.is_some() == other.object.is_some()
            && self.tombstone == other.tombstone
    }
}

impl Entry {
    /// Nothing of it can have changed.
    fn is_same(&self, other: &Entry) -> bool {
        self.generation == other.generation
            && match (&self.life, &other.life) {
                (Life::Live(one), Life::Live(other)) => Rc::ptr_eq(one, other),
                (Life::Retired(one, _), Life::Retired(other, _)) => Rc::ptr_eq(one, other),
                (Life::Dead(one), Life::Dead(other)) => Rc::ptr_eq(one, other),
                (Life::Unused, Life::Unused) => true,
                (Life::Live(_) | Life::Retired(..) | Life::Dead(_) | Life::Unused, _) => false,
            }
    }
}

impl Past {
    /// Becomes a memory; tells of all numbers whose holders may differ, those of before and after.
    pub(crate) fn catch_up(&mut self, memory: &Memory, mut changed: impl FnMut(u32, Holder<'_>, Holder<'_>)) {
        let (past, present) = (&self.0, &memory.entries);
        let n_chunks = past.n_chunks().max(present.n_chunks());
        for (at, before, after) in past.differing(present, n_chunks) {
            for in_chunk in 0..CHUNK {
                let before = before.map(|chunk| &chunk[in_chunk]);
                let after = after.map(|chunk| &chunk[in_chunk]);
                let is_same = match (before, after) {
                    (Some(before), Some(after)) => before.is_same(after),
                    (None, None) => true,
                    (Some(entry), None) | (None, Some(entry)) => entry.is_same(&UNUSED),
                };
                if !is_same {
                    changed((at * CHUNK + in_chunk) as u32, Holder::new(before), Holder::new(after));
                }
            }
        }
        self.0 = present.clone();
    }
}

/// The number is unused.
const UNUSED: Entry = Entry { generation: 0, life: Life::Unused };

/// How many other objects die before a number is used again.
const QUARANTINE: usize = 64;
/// Larger objects are given back when they die.
const MAX_RETIRED_BYTES: u64 = 256;
/// Distance between the addresses of functions.
const FUNCTION_STRIDE: u64 = 0x1000;
const FUNCTION_BASE: u64 = 0x10_0000;
/// Up to here there are null, what is near it, and functions.
const BELOW_OBJECTS: u64 = 0x0fff_ffff;

impl Memory {
    pub(crate) fn new(program: &Program) -> Memory {
        // Number 0 stands for "no object" and is never live.
        let mut entries = Entries::default();
        entries.push(Entry { generation: u32::MAX, life: Life::Unused });
        Memory { entries, is_32_bit: program.pointer_bytes == 4, ..Memory::default() }
    }

    /// Keeps numbers for objects that are put there later.
    pub(crate) fn reserve(&mut self, n_numbers: u32) {
        for _ in 0..n_numbers {
            self.entries.push(Entry { generation: 0, life: Life::Unused });
        }
    }

    /// Forgets the objects from this number on, as if they had never been.
    pub(crate) fn truncate(&mut self, n_numbers: usize) {
        for number in n_numbers..self.entries.len {
            if let Some(entry) = self.entries.get_mut(number as u32) {
                *entry = Entry { generation: 0, life: Life::Unused };
            }
        }
        self.entries.truncate(n_numbers);
    }

    /// Puts an object at a number that is in use, reserved or the next one.
    pub(crate) fn put(&mut self, number: u32, object: Rc<Object>) {
        if number as usize == self.entries.len {
            self.entries.push(Entry { generation: 0, life: Life::Unused });
        }
        if let Some(entry) = self.entries.get_mut(number) {
            *entry = Entry { generation: 0, life: Life::Live(object) };
        }
    }

    /// Keeps the next number for an object that is no more, with what is known of it.
    pub(crate) fn put_dead(&mut self, tombstone: Option<Tombstone>) {
        let life = tombstone.map_or(Life::Unused, |tombstone| Life::Dead(Rc::new(tombstone)));
        self.entries.push(Entry { generation: 0, life });
    }

    /// Adds an object.
    pub(crate) fn add(&mut self, object: Object) -> Pointer {
        let life = Life::Live(Rc::new(object));
        if self.free.len() > QUARANTINE
            && let Some(number) = Rc::make_mut(&mut self.free).pop_front()
            && let Some(entry) = self.entries.get_mut(number)
        {
            entry.generation += 1;
            entry.life = life;
            return Pointer { object: number, generation: entry.generation, offset: 0 };
        }
        let number = self.entries.len as u32;
        self.entries.push(Entry { generation: 0, life });
        Pointer { object: number, generation: 0, offset: 0 }
    }

    /// Adds a stack object, indeterminate; like [`Memory::add`], but with the room of a dead one where possible.
    pub(crate) fn add_slot(&mut self, kind: ObjectKind, size: u64, align: u64, loc: Loc, thread: usize) -> Pointer {
        if self.free.len() > QUARANTINE
            && let Some(number) = self.free.front().copied()
            && let Some(Entry { generation, life }) = self.entries.get_mut(number)
            && let Life::Retired(object, _) = life
            && let Some(room) = Rc::get_mut(object)
        {
            *room = Object {
                is_private: true,
                thread: thread as u32,
                bytes: std::mem::take(&mut room.bytes),
                undef: std::mem::take(&mut room.undef),
                cells: std::mem::take(&mut room.cells),
                ..Object::new(kind, 0, align, loc)
            };
            room.bytes.resize(size as usize, 0);
            room.forget();
            *generation += 1;
            *life = Life::Live(object.clone());
            Rc::make_mut(&mut self.free).pop_front();
            return self.start_of(number);
        }
        let mut object = Object::new(kind, size, align, loc);
        object.is_private = true;
        object.thread = thread as u32;
        object.forget();
        self.add(object)
    }

    /// The live object a pointer points into.
    #[inline]
    pub(crate) fn get(&self, pointer: Pointer) -> Option<&Object> {
        match self.entries.get(pointer.object) {
            Some(Entry { generation, life: Life::Live(object) }) if *generation == pointer.generation => Some(object),
            _ => None,
        }
    }

    /// The same, shared.
    pub(crate) fn get_shared(&self, pointer: Pointer) -> Option<&Rc<Object>> {
        match self.entries.get(pointer.object) {
            Some(Entry { generation, life: Life::Live(object) }) if *generation == pointer.generation => Some(object),
            _ => None,
        }
    }

    /// The live object a pointer points into, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, pointer: Pointer) -> Option<&mut Object> {
        match self.entries.get_mut(pointer.object) {
            Some(Entry { generation, life: Life::Live(object) }) if *generation == pointer.generation => {
                let object = Rc::make_mut(object);
                object.memo.forget();
                Some(object)
            }
            _ => None,
        }
    }

    /// What is known of the dead object a pointer points into.
    pub(crate) fn tombstone(&self, pointer: Pointer) -> Option<Tombstone> {
        let entry = self.entries.get(pointer.object)?;
        if pointer.object == 0 || entry.generation != pointer.generation {
            return None;
        }
        match &entry.life {
            Life::Live(_) => None,
            Life::Retired(object, ended) => Some(tombstone_of(object, *ended)),
            Life::Dead(tombstone) => Some(**tombstone),
            Life::Unused => None,
        }
    }

    /// Ends the life of an object.
    pub(crate) fn end(&mut self, pointer: Pointer, loc: Loc) {
        let Some(object) = self.get_shared(pointer) else { return };
        if object.base.is_some() {
            self.exposed.retain(|(_, number)| *number != pointer.object);
        }
        if let Some(Entry { life, .. }) = self.entries.get_mut(pointer.object)
            && let Life::Live(object) = life
        {
            *life = if object.size() <= MAX_RETIRED_BYTES {
                Life::Retired(object.clone(), loc)
            } else {
                Life::Dead(Rc::new(tombstone_of(object, loc)))
            };
        }
        Rc::make_mut(&mut self.free).push_back(pointer.object);
    }

    /// Other threads can reach the object from now on, and all it points to.
    pub(crate) fn publish(&mut self, pointer: Pointer) {
        let mut pending = vec![pointer];
        while let Some(pointer) = pending.pop() {
            if self.get(pointer).is_none_or(|object| !object.is_private) {
                continue;
            }
            let object = self.get_mut(pointer).expect("the object was just seen");
            object.is_private = false;
            pending.extend(object.cells.iter().filter_map(|cell| match cell.value {
                Value::Ptr(target) | Value::Fragment { pointer: target, .. } => Some(target),
                Value::Undef | Value::Bits(_) | Value::Wide(_) | Value::Lazy(_) => None,
            }));
        }
    }

    /// A pointer to the start of the current life of a number.
    pub(crate) fn start_of(&self, number: u32) -> Pointer {
        Pointer { object: number, generation: self.entries.generation(number), offset: 0 }
    }

    /// Numbers of objects are below this.
    pub(crate) fn n_numbers(&self) -> usize {
        self.entries.len
    }

    /// Numbers from 1 to `last` whose live objects are not shared by both memories, with the objects of each.
    pub(crate) fn differing<'a>(
        &'a self,
        other: &'a Memory,
        last: u32,
    ) -> impl Iterator<Item = (u32, &'a Object, &'a Object)> {
        let chunks = self.entries.differing(&other.entries, last as usize / CHUNK + 1);
        let both = chunks.filter_map(|(at, one, other)| Some((at, one?.iter().zip(other?.iter()))));
        let entries =
            both.flat_map(|(at, pairs)| pairs.enumerate().map(move |(in_chunk, pair)| (at * CHUNK + in_chunk, pair)));
        entries.take_while(move |(number, _)| *number <= last as usize).filter_map(|(number, (one, other))| {
            match (&one.life, &other.life) {
                (Life::Live(one), Life::Live(other)) if !Rc::ptr_eq(one, other) => {
                    Some((number as u32, &**one, &**other))
                }
                (_, _) => None,
            }
        })
    }

    /// The live objects with pointers to their starts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Pointer, &Object)> {
        self.entries.iter().enumerate().filter_map(|(number, entry)| match &entry.life {
            Life::Live(object) => {
                Some((Pointer { object: number as u32, generation: entry.generation, offset: 0 }, &**object))
            }
            Life::Retired(..) | Life::Dead(_) | Life::Unused => None,
        })
    }

    /// The address a pointer stands for; the object gets one if it has none. Dead objects have lost theirs: their
    /// pointers read as an address where nothing lies.
    pub(crate) fn expose(&mut self, pointer: Pointer) -> u64 {
        let address = if pointer.object == 0 {
            0
        } else if pointer.object >= FIRST_FUNCTION {
            FUNCTION_BASE + u64::from(pointer.object - FIRST_FUNCTION) * FUNCTION_STRIDE
        } else {
            match self.get(pointer) {
                Some(Object { base: Some(base), .. }) => *base,
                Some(object) => {
                    let (size, align) = (object.size(), object.align);
                    self.assign_base(pointer, size, align)
                }
                None => self.dead_base(pointer),
            }
        };
        let address = address.wrapping_add(pointer.offset as u64);
        if self.is_32_bit { address & 0xffff_ffff } else { address }
    }

    fn first_address(&self) -> u64 {
        if self.is_32_bit { 0x4000_0000 } else { 0x5555_0000_0000 }
    }

    /// Dead objects get addresses above everything else, apart from each other.
    fn dead_base(&self, pointer: Pointer) -> u64 {
        if self.is_32_bit {
            0xc000_0000 + u64::from(pointer.object) * 16
        } else {
            0x7ff0_0000_0000 + u64::from(pointer.object) * 4096
        }
    }

    fn assign_base(&mut self, pointer: Pointer, size: u64, align: u64) -> u64 {
        let base = self.lowest_base(size, align.max(16));
        self.place_shown(pointer, base);
        base
    }

    /// The lowest address with room for an object behind those at which objects begin.
    fn lowest_base(&self, size: u64, align: u64) -> u64 {
        let mut base = self.first_address().next_multiple_of(align);
        for (start, number) in &self.exposed {
            // One byte between objects keeps one-past-the-end apart from the next start.
            if base + size < *start {
                break;
            }
            base = base.max(self.end_of(*start, *number) + 1).next_multiple_of(align);
        }
        base
    }

    /// One past the end of an object that has shown its address.
    fn end_of(&self, start: u64, number: u32) -> u64 {
        let object = Pointer { object: number, generation: self.entries.generation(number), offset: 0 };
        start + self.get(object).map_or(0, Object::size)
    }

    /// Where a live object may lie that has not shown its address.
    pub(crate) fn room(&self, pointer: Pointer) -> Option<Placement> {
        let object = self.get(pointer).filter(|object| object.base.is_none())?;
        let (size, align) = (object.size(), object.align.max(16));
        // Dead objects have addresses of their own, above all others.
        let limit = if self.is_32_bit { 0xc000_0000 } else { 0x7ff0_0000_0000 };
        let objects = self.exposed.iter().map(|(start, number)| (*start, self.end_of(*start, *number)));
        let taken = std::iter::once((0, BELOW_OBJECTS)).chain(objects).collect();
        Some(Placement { size, align, lowest: self.lowest_base(size, align), limit, taken })
    }

    /// The object shows its address, which is this one.
    pub(crate) fn place_shown(&mut self, pointer: Pointer, address: u64) {
        // Whoever learns the number can make a pointer of it.
        self.publish(pointer);
        self.place(pointer, address);
    }

    /// The object lies at an address from the beginning.
    pub(crate) fn place(&mut self, pointer: Pointer, address: u64) {
        let at = self.exposed.partition_point(|(base, _)| *base <= address);
        self.exposed.insert(at, (address, pointer.object));
        if let Some(object) = self.get_mut(pointer) {
            object.base = Some(address);
        }
    }

    /// The pointer a number turns into: into an object that has shown its address, else a plain address.
    pub(crate) fn from_address(&self, address: u64, n_functions: usize) -> Pointer {
        let at = self.exposed.partition_point(|(base, _)| *base <= address);
        if let Some((base, number)) = at.checked_sub(1).map(|at| self.exposed[at]) {
            let start = Pointer { object: number, generation: self.entries.generation(number), offset: 0 };
            let offset = address - base;
            if self.get(start).is_some_and(|object| offset <= object.size()) {
                return start.at(offset as i64);
            }
        }
        if address >= FUNCTION_BASE && address < FUNCTION_BASE + n_functions as u64 * FUNCTION_STRIDE {
            let index = (address - FUNCTION_BASE) / FUNCTION_STRIDE;
            let offset = ((address - FUNCTION_BASE) % FUNCTION_STRIDE) as i64;
            return Pointer { object: FIRST_FUNCTION + index as u32, generation: 0, offset };
        }
        Pointer::wild(address)
    }
}

fn tombstone_of(object: &Object, ended: Loc) -> Tombstone {
    Tombstone { kind: object.kind, size: object.size(), made: object.loc, ended }
}
