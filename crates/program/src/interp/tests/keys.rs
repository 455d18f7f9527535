//! Walks over the memory that are made out of the last one against fresh ones, on random graphs of objects that are
//! changed at random: lists that grow at both ends, trees, cycles, objects that die and whose numbers are used again,
//! inputs that are narrowed, steps back to earlier states.

use std::cell::RefCell;
use std::collections::HashMap;

use super::*;
use crate::interp::domain::Domain;
use crate::interp::object::{Cell, Object, ObjectKind};
use crate::interp::state::global_pointer;
use crate::interp::{Checks, Numbering, Pointer, Value};

const N_GLOBALS: u32 = 6;
/// Pointers in an object; behind them lies a byte.
const N_FIELDS: u64 = 3;

#[derive(Default)]
struct Numbers(RefCell<HashMap<Vec<u8>, u32>>);

impl Numbering for Numbers {
    fn identity(&self) -> u32 {
        1
    }

    fn number(&self, bytes: &[u8]) -> Option<u32> {
        let mut numbers = self.0.borrow_mut();
        let next = numbers.len() as u32;
        Some(*numbers.entry(bytes.to_vec()).or_insert(next))
    }
}

/// Numbers at random: the same ones from the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A state whose memory is changed by hand.
struct Graph {
    random: Random,
    state: State,
    /// Objects made so far and not known to be dead.
    objects: Vec<Pointer>,
    /// Pointers to dead ones.
    dangling: Vec<Pointer>,
    n_places: u32,
    n_values: usize,
    /// One of so many changes does not make it grow.
    calm: usize,
}

impl Graph {
    fn loc(&mut self) -> Loc {
        Loc { file: crate::FileId(0), line: 1 + self.random.below(self.n_places as usize) as u32, column: 1 }
    }

    fn fresh(&mut self) -> Pointer {
        let loc = self.loc();
        self.state.memory.n_heap += 1;
        let mut object = Object::new(ObjectKind::Heap(self.state.memory.n_heap), 8 * N_FIELDS + 1, 8, loc);
        object.bytes[8 * N_FIELDS as usize] = self.random.below(self.n_values) as u8;
        let pointer = self.state.memory.add(object);
        self.objects.push(pointer);
        pointer
    }

    fn some_global(&mut self) -> Pointer {
        global_pointer(GlobalId(self.random.below(N_GLOBALS as usize) as u32))
    }

    /// Where a pointer can be put.
    fn some_holder(&mut self) -> Pointer {
        match self.random.below(4) {
            0 => self.some_global(),
            _ => self.some_object().unwrap_or(global_pointer(GlobalId(0))),
        }
    }

    fn some_object(&mut self) -> Option<Pointer> {
        (!self.objects.is_empty()).then(|| self.objects[self.random.below(self.objects.len())])
    }

    fn write(&mut self, holder: Pointer, field: u64, value: Value) {
        if let Some(object) = self.state.memory.get_mut(holder) {
            object.write_cell(Cell { offset: 8 * field, len: 8, value });
        }
    }

    fn read(&self, holder: Pointer, field: u64) -> Option<Pointer> {
        match self.state.memory.get(holder)?.scalar(8 * field, 8)? {
            Value::Ptr(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The last object of the list that begins in a global.
    fn end_of_list(&mut self) -> Pointer {
        let mut last = self.some_global();
        for _ in 0..2000 {
            match self.read(last, 0).filter(|next| self.state.memory.get(*next).is_some()) {
                Some(next) => last = next,
                None => break,
            }
        }
        last
    }

    fn change(&mut self) {
        let grows = self.random.below(self.calm) != 0;
        match self.random.below(if grows { 12 } else { 24 }) {
            // Growing at the front, doubly linked or not.
            0..=6 => {
                let (head, node) = (self.some_global(), self.fresh());
                if let Some(next) = self.read(head, 0) {
                    self.write(node, 0, Value::Ptr(next));
                    if self.random.below(2) == 0 {
                        self.write(next, 1, Value::Ptr(node));
                    }
                }
                self.write(head, 0, Value::Ptr(node));
            }
            7..=10 => {
                let (last, node) = (self.end_of_list(), self.fresh());
                self.write(last, 0, Value::Ptr(node));
                let tail = self.some_global();
                self.write(tail, 1, Value::Ptr(node));
                self.write(node, 2, Value::Ptr(last));
            }
            11 | 12 => {
                let (holder, node, field) = (self.some_holder(), self.fresh(), self.random.below(3) as u64);
                self.write(holder, field, Value::Ptr(node));
            }
            13 | 14 => {
                let (holder, field) = (self.some_holder(), self.random.below(3) as u64);
                if let Some(target) = self.some_object() {
                    self.write(holder, field, Value::Ptr(target));
                }
            }
            15 => {
                let (holder, field) = (self.some_holder(), self.random.below(3) as u64);
                self.write(holder, field, Value::Bits(0));
            }
            16 => {
                // The front of a list goes.
                let head = self.some_global();
                if let Some(first) = self.read(head, 0) {
                    let next = self.read(first, 0).unwrap_or(Pointer::NULL);
                    self.write(head, 0, Value::Ptr(next));
                    self.end(first);
                }
            }
            17 => {
                if let Some(object) = self.some_object() {
                    self.end(object);
                }
            }
            18 => {
                let (holder, field) = (self.some_holder(), self.random.below(3) as u64);
                if !self.dangling.is_empty() {
                    // The numbers of the first are used again first.
                    let target = self.dangling[self.random.below(self.dangling.len().min(3))];
                    self.write(holder, field, Value::Ptr(target));
                }
            }
            19 => {
                let (one, other) = (self.some_global(), self.some_global());
                let (a, b) = (self.read(one, 0).unwrap_or(Pointer::NULL), self.read(other, 0).unwrap_or(Pointer::NULL));
                self.write(one, 0, Value::Ptr(b));
                self.write(other, 0, Value::Ptr(a));
            }
            20 => self.input(),
            21 => {
                if let Some(object) = self.some_object()
                    && self.random.below(8) == 0
                {
                    self.state.memory.expose(object);
                }
            }
            _ => {
                let value = [self.random.below(self.n_values) as u8];
                if let Some(object) = self.some_object().and_then(|object| self.state.memory.get_mut(object)) {
                    object.write_bytes(8 * N_FIELDS, &value);
                }
            }
        }
    }

    /// A new input, or an old one is narrowed.
    fn input(&mut self) {
        let n_inputs = self.state.inputs.len();
        if n_inputs > 0 && self.random.below(2) == 0 {
            let at = self.random.below(n_inputs);
            let high = self.random.below(4) as i128;
            if let Some(input) = &mut self.state.inputs[at] {
                std::rc::Rc::make_mut(input).domain = Domain::range(0, high);
            }
            return;
        }
        let lazy = self.state.open(Domain::range(0, 7), I64, 64, "input".into(), Loc::NONE);
        for _ in 0..1 + self.random.below(2) {
            let (holder, field) = (self.some_holder(), self.random.below(3) as u64);
            self.write(holder, field, Value::Lazy(lazy));
        }
    }

    fn end(&mut self, object: Pointer) {
        let loc = self.loc();
        self.state.memory.end(object, loc);
        self.objects.retain(|known| *known != object);
        self.dangling.push(object);
    }
}

fn program_with_globals() -> Program {
    let mut main = FunctionBuilder::new("main");
    main.terminate(exit(int(0)));
    let mut program = program(main);
    for number in 0..N_GLOBALS {
        global(&mut program, &format!("g{number}"), 8 * N_FIELDS);
    }
    program
}

/// Compares keys of as many states. How many objects walks went over that were made out of others, and how many of them
/// they looked at.
fn compare(seed: u64, n_states: usize, calm: usize, limits: Option<(usize, usize)>) -> (u64, u64) {
    let program = program_with_globals();
    let checks = if seed.is_multiple_of(2) { Checks::ALL } else { Checks::NONE };
    let machine = || Machine::new(&program, Options { checks, ..Options::default() });
    let (again, afresh) = (machine(), machine());
    let (cut_from, keep_from) = limits.unwrap_or((64, 200));
    again.set_key_limits(cut_from, keep_from);
    afresh.set_key_limits(cut_from, usize::MAX);
    let numbers = Numbers::default();
    let mut random = Random(seed);
    let (n_places, n_values) = (1 + random.below(3) as u32, 1 + random.below(3));
    let n_changes = 1 + random.below(3);
    let goes_back = 2 + random.below(60);
    let (objects, dangling) = (Vec::new(), Vec::new());
    let mut graph = Graph { random, state: again.initial(), objects, dangling, n_places, n_values, calm };
    if seed.is_multiple_of(3) {
        // Numbers of dead objects are used again from now on.
        let many: Vec<Pointer> = (0..70).map(|_| graph.fresh()).collect();
        many.into_iter().for_each(|object| graph.end(object));
    }
    let mut earlier: Vec<(State, Vec<Pointer>, Vec<Pointer>)> = Vec::new();
    let mut seen: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut wholes: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    for step in 0..n_states {
        if graph.random.below(goes_back) == 0 && !earlier.is_empty() {
            let at = earlier.len() - 1 - graph.random.below(earlier.len().min(20));
            (graph.state, graph.objects, graph.dangling) = earlier[at].clone();
        } else {
            (0..n_changes).for_each(|_| graph.change());
        }
        if step.is_multiple_of(5) {
            earlier.push((graph.state.clone(), graph.objects.clone(), graph.dangling.clone()));
        }
        let (mut short, mut other, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        again.short_key(&graph.state, &numbers, &mut short).expect("there should be room");
        afresh.short_key(&graph.state, &numbers, &mut other).expect("there should be room");
        assert!(short == other, "seed {seed}, step {step}: {short:?} instead of {other:?}");
        if step.is_multiple_of(8) {
            // Short keys and keys tell the same states apart.
            again.key(&graph.state, &mut whole);
            assert_eq!(seen.entry(short.clone()).or_insert_with(|| whole.clone()), &whole, "seed {seed}, step {step}");
            assert_eq!(wholes.entry(whole).or_insert_with(|| short.clone()), &short, "seed {seed}, step {step}");
        }
    }
    again.n_walked()
}

#[test]
fn walks_made_out_of_others_are_those_made_afresh() {
    for seed in 0..200 {
        compare(seed, 120, 1 + seed as usize % 4, Some((3, 1)));
    }
}

#[test]
fn long_walks_made_out_of_others_are_those_made_afresh() {
    let (mut n_objects, mut n_looked_at) = (0, 0);
    for seed in 0..16 {
        let of_seed = compare(seed, 1500, 20 + 10 * seed as usize, None);
        (n_objects, n_looked_at) = (n_objects + of_seed.0, n_looked_at + of_seed.1);
    }
    assert!(n_objects > 500_000 && n_looked_at < n_objects * 3 / 4, "{n_looked_at} of {n_objects}");
}

#[test]
fn growing_costs_what_changes() {
    for at_front in [true, false] {
        let program = program_with_globals();
        let machine = Machine::new(&program, Options::default());
        let numbers = Numbers::default();
        let state = machine.initial();
        let (random, objects, dangling) = (Random(1), Vec::new(), Vec::new());
        let mut graph = Graph { random, state, objects, dangling, n_places: 1, n_values: 1, calm: 1 };
        let list = global_pointer(GlobalId(0));
        let mut last = list;
        for _ in 0..3000 {
            let node = graph.fresh();
            if at_front {
                let next = graph.read(list, 0).unwrap_or(Pointer::NULL);
                graph.write(node, 0, Value::Ptr(next));
                graph.write(next, 1, Value::Ptr(node));
                graph.write(list, 0, Value::Ptr(node));
            } else {
                graph.write(last, 0, Value::Ptr(node));
                graph.write(node, 1, Value::Ptr(last));
                graph.write(list, 1, Value::Ptr(node));
                last = node;
            }
            machine.short_key(&graph.state, &numbers, &mut Vec::new()).expect("there should be room");
        }
        let (n_objects, n_looked_at) = machine.n_walked();
        assert!(n_objects > 4_000_000 && n_looked_at < n_objects / 8, "{n_looked_at} of {n_objects}");
        let n_bytes: usize = numbers.0.borrow().keys().map(Vec::len).sum();
        assert!(n_bytes < 300 * 3000, "{n_bytes} bytes for 3000 states");
    }
}
