//! Collapse compression (Holzmann 1997): states as vectors of component numbers, one for each thread with its private
//! memory, one for each shared word.
//!
//! A step of a thread is a function of its own component and of the shared words it reads. So a search can record a
//! step and reuse it wherever the same component meets the same words. [`CollapseTable::state`] assembles a state from
//! a vector, in which one thread can run; [`CollapseTable::split`] decomposes its result; [`ReadLog`] observes what it
//! read.
//!
//! Not every state can be decomposed. Shared objects besides globals get numbers of their own, by thread and place of
//! allocation; when one of them ends, nothing may point to it any more. Open inputs, addresses that became numbers and
//! pointers to dead objects are refused: [`Refused`].

mod local;
mod log;
mod word;

use std::collections::HashMap;
use std::rc::Rc;

use super::object::{Object, ObjectKind};
use super::state::{State, Thread, Threads};
use super::value::Pointer;
use super::{Machine, Options};
use crate::{FuncId, Loc, Program, StmtKind, ViolationKind};
use local::Local;
pub use log::{ReadLog, SharedRead};
use word::{WORD, Word};

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// This cannot be taken apart; with the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused(pub &'static str);

/// What a place of a vector stands for. Every place is 0 at first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Cell {
    /// How many threads there are besides the first.
    Threads,
    /// A thread: its part, counted from 1.
    Thread(u32),
    /// Whether a dynamic object is there.
    Life(u32),
    /// A word of an object: 0 for what it is at first, else its contents counted from 1.
    Word(u32, u32),
}

/// The place of the number of threads.
const THREADS: u32 = 0;
/// How many dynamic objects can be shared.
const N_DYNAMIC: u32 = 64;
/// Objects of more words are refused once they are accessed.
const MAX_WORDS: u32 = 4096;

/// What an object is, besides its contents: dynamic objects of one kind take turns under a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Birth {
    thread: u32,
    kind: ObjectKind,
    loc: Loc,
    maker: Option<FuncId>,
    is_first: bool,
    align: u64,
    size: u64,
    /// How many like it are there already.
    nth: u32,
}

/// All parts met so far.
pub struct CollapseTable<'p> {
    /// The machine that runs the states; inputs are chosen at once.
    pub machine: Machine<'p>,
    /// Shared memory as it is at first.
    first: State,
    cells: Vec<Cell>,
    places: Map<Cell, u32>,
    /// Contents of word cells at first, by place; 0 for others.
    at_first: Vec<u32>,
    /// Places of the words of each shared object, with their positions in it.
    of_object: Vec<Vec<(u32, u32)>>,
    locals: Vec<Local>,
    local_ids: Map<Vec<u8>, u32>,
    words: Vec<Word>,
    word_ids: Map<Word, u32>,
    /// Dynamic objects a word mentions.
    word_mentions: Vec<u64>,
    births: Map<Birth, u32>,
    /// Empty objects for the dynamic numbers.
    blanks: Vec<Rc<Object>>,
}

/// What became of a vector.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// New numbers, by place.
    pub writes: Vec<(u32, u32)>,
    /// Dynamic objects that have ended; see [`CollapseTable::mentions`].
    pub ended: u64,
}

impl Change {
    /// The vector after the change.
    pub fn applied(&self, vector: &[u32]) -> Vec<u32> {
        let mut next = Vec::new();
        self.apply(vector, &mut next);
        next
    }

    /// The same, in room that is there.
    pub fn apply(&self, vector: &[u32], next: &mut Vec<u32>) {
        next.clear();
        next.extend_from_slice(vector);
        for (place, number) in &self.writes {
            if *place as usize >= next.len() {
                next.resize(*place as usize + 1, 0);
            }
            next[*place as usize] = *number;
        }
    }
}

impl<'p> CollapseTable<'p> {
    /// Empty tables, and the vector of the first state; `None` if the program is not of the right kind.
    pub fn new(program: &'p Program, options: Options) -> Option<(Self, Vec<u32>)> {
        let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
        let makes_any =
            { blocks }.flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::MemAny { .. }));
        let is_any = makes_any || program.globals.iter().any(|global| global.init.any.is_some());
        let machine = Machine::new(program, Options { is_lazy: false, ..options });
        if is_any || machine.has_interrupts || !program.devices.is_empty() || !machine.has_threads {
            return None;
        }
        let first = State::initial_with_room(program, N_DYNAMIC);
        let n_shared = program.globals.len() + N_DYNAMIC as usize;
        let mut parts = Self {
            machine,
            first,
            cells: Vec::new(),
            places: Map::default(),
            at_first: Vec::new(),
            of_object: vec![Vec::new(); n_shared + 1],
            locals: Vec::new(),
            local_ids: Map::default(),
            words: Vec::new(),
            word_ids: Map::default(),
            word_mentions: Vec::new(),
            births: Map::default(),
            blanks: Vec::new(),
        };
        parts.place(Cell::Threads).ok()?;
        let first = parts.first.clone();
        let local = parts.local(&first, 0, &Map::default()).ok()?;
        let place = parts.place(Cell::Thread(0)).ok()?;
        let mut vector = vec![0; place as usize + 1];
        vector[place as usize] = local + 1;
        parts.first.memory.truncate(n_shared + 1);
        Some((parts, vector))
    }

    /// Bytes of all tables, estimated.
    pub fn bytes(&self) -> u64 {
        (self.locals.len() * 1024 + self.words.len() * 128 + self.cells.len() * 64) as u64
    }

    /// Numbers above this belong to objects of one thread.
    fn n_shared(&self) -> u32 {
        self.of_object.len() as u32 - 1
    }

    fn n_globals(&self) -> u32 {
        self.n_shared() - N_DYNAMIC
    }

    /// Where something stands in vectors; a new place at the end if it has none.
    fn place(&mut self, cell: Cell) -> Result<u32, Refused> {
        if let Some(place) = self.places.get(&cell) {
            return Ok(*place);
        }
        let at_first = match cell {
            Cell::Word(object, word) if object <= self.n_globals() => {
                let pointer = self.first.memory.start_of(object);
                let object = self.first.memory.get(pointer).ok_or(Refused("a global is not there"))?;
                let contents = Word::of(object, word, &mut |pointer| Ok(pointer))?;
                self.word(contents)?
            }
            Cell::Word(..) | Cell::Life(_) | Cell::Thread(_) | Cell::Threads => 0,
        };
        let place = self.cells.len() as u32;
        if let Cell::Word(object, word) = cell {
            if word >= MAX_WORDS {
                return Err(Refused("a large object is shared"));
            }
            self.of_object[object as usize].push((place, word));
        }
        self.cells.push(cell);
        self.at_first.push(at_first);
        self.places.insert(cell, place);
        Ok(place)
    }

    /// The number of a word's contents.
    fn word(&mut self, word: Word) -> Result<u32, Refused> {
        if let Some(known) = self.word_ids.get(&word) {
            return Ok(*known);
        }
        let mut mentions = 0;
        for pointer in word.pointers() {
            mentions |= self.mention(pointer);
        }
        let id = self.words.len() as u32;
        self.words.push(word.clone());
        self.word_mentions.push(mentions);
        self.word_ids.insert(word, id);
        Ok(id)
    }

    /// The dynamic object a pointer points into, as a set.
    fn mention(&self, pointer: Pointer) -> u64 {
        let (n_globals, n_shared) = (self.n_globals(), self.n_shared());
        if pointer.object > n_globals && pointer.object <= n_shared { 1 << (pointer.object - n_globals - 1) } else { 0 }
    }

    // ---- what vectors say ----

    /// How many threads there are.
    pub fn n_threads(&self, vector: &[u32]) -> usize {
        vector.first().map_or(0, |count| *count as usize) + 1
    }

    /// Where a thread stands in vectors, if it ever existed.
    pub fn thread_place(&self, thread: usize) -> Option<u32> {
        self.places.get(&Cell::Thread(thread as u32)).copied()
    }

    /// The number of a thread's part, from 0.
    pub fn part_of(&self, vector: &[u32], thread: usize) -> Option<u32> {
        vector.get(self.thread_place(thread)? as usize)?.checked_sub(1)
    }

    /// Whether a thread with this part has ended.
    pub fn is_ended(&self, part: u32) -> bool {
        self.locals[part as usize].thread.is_ended
    }

    /// How many parts of threads there are.
    pub fn n_parts(&self) -> usize {
        self.locals.len()
    }

    /// Dynamic objects that what stands at a place mentions.
    pub fn mentions(&self, place: u32, number: u32) -> u64 {
        if number == 0 {
            return 0;
        }
        match self.cells[place as usize] {
            Cell::Threads | Cell::Life(_) => 0,
            Cell::Thread(_) => self.locals[number as usize - 1].mentions,
            Cell::Word(..) => self.word_mentions[number as usize - 1],
        }
    }

    // ---- putting together ----

    /// A state in which one thread can run: all threads, all that is shared, and what only that thread can reach.
    pub fn state(&self, vector: &[u32], thread: usize) -> Option<State> {
        let mut memory = self.first.memory.clone();
        for object in 1..=self.n_shared() {
            if let Some(filled) = self.filled(vector, object)? {
                memory.put(object, filled);
            }
        }
        let mut threads: Vec<Rc<Thread>> = Vec::new();
        for other in 0..self.n_threads(vector) {
            let local = &self.locals[self.part_of(vector, other)? as usize];
            threads.push(local.thread.clone());
            if other == thread {
                for (at, object) in local.objects.iter().enumerate() {
                    memory.put(self.n_shared() + 1 + at as u32, object.clone());
                }
            }
        }
        let threads = Threads::from_shared(threads);
        Some(State { memory, threads, inputs: Vec::new(), n_inputs: 0, log: Default::default(), atomic: None })
    }

    /// A shared object as the vector has it; `None` inside if it is as at first.
    fn filled(&self, vector: &[u32], object: u32) -> Option<Option<Rc<Object>>> {
        let at = |place: u32| vector.get(place as usize).copied().unwrap_or(0);
        let words = self.of_object[object as usize].iter().map(|(place, word)| (*word, at(*place)));
        let words =
            words.filter(|(_, number)| *number != 0).map(|(word, number)| (word, &self.words[number as usize - 1]));
        if object > self.n_globals() {
            let is_there = self.places.get(&Cell::Life(object)).is_some_and(|place| at(*place) != 0);
            if !is_there {
                return Some(None);
            }
            let mut filled = (*self.blanks[(object - self.n_globals()) as usize - 1]).clone();
            word::fill(&mut filled, words)?;
            return Some(Some(Rc::new(filled)));
        }
        let mut words = words.peekable();
        if words.peek().is_none() {
            return Some(None);
        }
        let pointer = self.first.memory.start_of(object);
        let mut filled = self.first.memory.get(pointer)?.clone();
        word::fill(&mut filled, words)?;
        Some(Some(Rc::new(filled)))
    }

    // ---- taking apart ----

    /// What a run of a thread from `before` (put together as `start`) to `state` changed. `log` has watched it, and
    /// learns what else the outcome depends on.
    pub fn split(
        &mut self,
        before: &[u32],
        start: &State,
        state: &State,
        thread: usize,
        log: &mut ReadLog<'_>,
    ) -> Result<Change, Refused> {
        if state.atomic.is_some() || state.memory.exposed.len() != self.first.memory.exposed.len() {
            return Err(Refused("addresses or atomic regions stay open"));
        }
        let mut change = Change::default();
        let names = self.published(before, state, thread, log)?;
        self.shared_changes(before, start, state, &names, log, &mut change)?;
        if state.threads.len() > start.threads.len() {
            change.writes.push((THREADS, state.threads.len() as u32 - 1));
        }
        for moved in std::iter::once(thread).chain(start.threads.len()..state.threads.len()) {
            let local = self.local(state, moved, &names)?;
            let place = self.place(Cell::Thread(moved as u32))?;
            change.writes.push((place, local + 1));
        }
        Ok(change)
    }

    /// Numbers for the objects that others can reach from now on.
    fn published(
        &mut self,
        before: &[u32],
        state: &State,
        thread: usize,
        log: &mut ReadLog<'_>,
    ) -> Result<Map<u32, u32>, Refused> {
        let mut names: Map<u32, u32> = Map::default();
        for number in self.n_shared() + 1..state.memory.n_numbers() as u32 {
            let Some(object) = state.memory.get(state.memory.start_of(number)) else { continue };
            let is_lost_heap = self.machine.options.checks.contains(ViolationKind::Leak)
                && matches!(object.kind, ObjectKind::Heap(_))
                && object.is_private;
            if object.any.is_some() || is_lost_heap {
                return Err(Refused("an object of a kind that is not followed"));
            }
            if object.is_private {
                continue;
            }
            if object.thread as usize != thread {
                return Err(Refused("an object of another thread is shared"));
            }
            let mut nth = 0;
            loop {
                let named = self.born(object, nth)?;
                let place = self.place(Cell::Life(named))?;
                log.look(SharedRead::Place(place));
                let is_taken = names.values().any(|taken| *taken == named);
                if !is_taken && before.get(place as usize).copied().unwrap_or(0) == 0 {
                    names.insert(number, named);
                    break;
                }
                nth += 1;
            }
        }
        Ok(names)
    }

    /// The number of the `nth` object like this one.
    fn born(&mut self, object: &Object, nth: u32) -> Result<u32, Refused> {
        let birth = Birth {
            thread: object.thread,
            kind: plain_kind(object.kind),
            loc: object.loc,
            maker: object.maker,
            is_first: object.is_first,
            align: object.align,
            size: object.size(),
            nth,
        };
        if let Some(known) = self.births.get(&birth) {
            return Ok(*known);
        }
        if self.blanks.len() as u32 >= N_DYNAMIC {
            return Err(Refused("too many shared objects"));
        }
        let mut blank = object.clone();
        blank.forget();
        blank.kind = birth.kind;
        self.blanks.push(Rc::new(blank));
        let number = self.n_globals() + self.blanks.len() as u32;
        self.births.insert(birth, number);
        Ok(number)
    }

    fn shared_changes(
        &mut self,
        before: &[u32],
        start: &State,
        state: &State,
        names: &Map<u32, u32>,
        log: &mut ReadLog<'_>,
        change: &mut Change,
    ) -> Result<(), Refused> {
        for number in 1..=self.n_shared() {
            let pointer = Pointer { object: number, generation: 0, offset: 0 };
            match (start.memory.get_shared(pointer), state.memory.get_shared(pointer)) {
                (Some(old), Some(new)) if Rc::ptr_eq(old, new) => {}
                (Some(old), Some(new)) => {
                    self.unwritten_stay(number, old, new, log)?;
                    self.words_of(before, state, (number, new), names, Some(log), change)?;
                }
                (Some(_), None) if state.memory.start_of(number).generation == 0 => {
                    let life = self.place(Cell::Life(number))?;
                    change.ended |= self.mention(pointer);
                    change.writes.push((life, 0));
                    let places: Vec<u32> = self.of_object[number as usize].iter().map(|(place, _)| *place).collect();
                    change.writes.extend(places.into_iter().map(|place| (place, 0)));
                }
                (None, None) if state.memory.start_of(number).generation == 0 => {}
                (_, _) => return Err(Refused("a number is used again")),
            }
        }
        let mut published: Vec<(u32, u32)> = names.iter().map(|(old, new)| (*old, *new)).collect();
        published.sort_unstable();
        for (old, new) in published {
            let life = self.place(Cell::Life(new))?;
            change.writes.push((life, 1));
            let object = state.memory.get_shared(state.memory.start_of(old)).ok_or(Refused("a lost object"))?.clone();
            self.words_of(before, state, (new, &object), names, None, change)?;
        }
        Ok(())
    }

    /// Writing one byte of a pointer changes what all of its bytes are; such neighbours should be known.
    fn unwritten_stay(&self, number: u32, old: &Object, new: &Object, log: &ReadLog<'_>) -> Result<(), Refused> {
        if old.cells.is_empty() && new.cells.is_empty() {
            return Ok(());
        }
        for word in (0..old.size().div_ceil(WORD) as u32).filter(|word| !log.has_written(number, *word)) {
            if Word::of(old, word, &mut |pointer| Ok(pointer))? != Word::of(new, word, &mut |pointer| Ok(pointer))? {
                return Err(Refused("a word changed that nobody wrote"));
            }
        }
        Ok(())
    }

    /// The words of an object that are not what they were. Words that were not written should be unchanged.
    fn words_of(
        &mut self,
        before: &[u32],
        state: &State,
        (number, object): (u32, &Object),
        names: &Map<u32, u32>,
        log: Option<&ReadLog<'_>>,
        change: &mut Change,
    ) -> Result<(), Refused> {
        let n_words = object.size().div_ceil(WORD) as u32;
        if n_words > MAX_WORDS {
            return Err(Refused("a large object is shared"));
        }
        let n_shared = self.n_shared();
        for word in 0..n_words {
            let is_written = log.is_none_or(|log| log.has_written(number, word));
            let known = self.places.get(&Cell::Word(number, word)).copied();
            if !is_written && known.is_none() {
                continue;
            }
            let mut rename = |pointer: Pointer| match names.get(&pointer.object) {
                Some(_) if state.object(pointer).is_none() => Err(Refused("a pointer to a dead object")),
                Some(name) => Ok(Pointer { object: *name, generation: 0, offset: pointer.offset }),
                None if local::is_own(pointer, n_shared) => Err(Refused("shared memory points to private memory")),
                None => Ok(pointer),
            };
            let contents = Word::of(object, word, &mut rename)?;
            let place = self.place(Cell::Word(number, word))?;
            let id = self.word(contents)?;
            let is_at_first = number <= self.n_globals() && self.at_first[place as usize] == id;
            let value = if is_at_first { 0 } else { id + 1 };
            if before.get(place as usize).copied().unwrap_or(0) != value {
                if !is_written {
                    return Err(Refused("a word changed that nobody wrote"));
                }
                change.writes.push((place, value));
            } else if is_written {
                change.writes.push((place, value));
            }
        }
        Ok(())
    }

    /// The places whose contents a run has looked at.
    pub fn place_of(&mut self, object: u32, word: u32) -> Result<u32, Refused> {
        self.place(Cell::Word(object, word))
    }

    /// The place that says whether a dynamic object is there.
    pub fn place_of_life(&mut self, object: u32) -> Result<u32, Refused> {
        self.place(Cell::Life(object))
    }
}

/// Kinds without what depends on the order of allocations.
fn plain_kind(kind: ObjectKind) -> ObjectKind {
    match kind {
        ObjectKind::Heap(_) => ObjectKind::Heap(0),
        ObjectKind::Global(_) | ObjectKind::Slot(..) | ObjectKind::Alloca(_) => kind,
    }
}
