//! Random programs that run far: most instructions have operands with which they succeed.
//!
//! A program is made from a seed. Every function begins by giving its registers values and its stack objects life. Its
//! body is structured: sequences, branches, switches, computed jumps, and loops that count, so that executions end.
//! Functions call later ones, one calls itself with a counter that falls, and pointers to functions go through a table.
//! Addresses are those of globals, stack and heap objects with room for the access; one in twenty is any pointer. So a
//! run meets violations now and then, but rarely at once. Threads share the globals, take a lock and are waited for.

mod code;
mod stmt;

use unpick_base::IdVec;

use crate::program::*;

/// The program of a seed. It satisfies [`Form::Program`](crate::verify::Form).
pub fn running(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let pointer_bytes = if random.one_in(6) { 4 } else { 8 };
    let mut program = Program { pointer_bytes, ..Program::default() };
    program.files.push("random.c".into());
    let n_functions = 2 + random.below(4);
    let n_workers = if random.one_in(2) { 1 + random.below(2) } else { 0 };
    let globals = Globals::new(&mut program, &mut random, n_functions);
    let signatures: Vec<Signature> =
        (0..n_functions + n_workers).map(|index| Signature::new(&mut random, index, n_functions)).collect();
    for index in 0..signatures.len() {
        let function = code::function(&mut random, &program, &globals, &signatures, index);
        program.functions.push(function);
    }
    program.entry = Some(FuncId(0));
    program
}

/// A sequence of numbers from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below a limit; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_u64() % limit.max(1) as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn flag(&mut self) -> bool {
        self.one_in(2)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Types of registers; every function has some of each.
const TYPES: [Ty; 13] = [
    Ty::Int(1),
    Ty::Int(7),
    Ty::Int(8),
    Ty::Int(16),
    Ty::Int(32),
    Ty::Int(33),
    Ty::Int(64),
    Ty::Int(128),
    Ty::F32,
    Ty::F64,
    Ty::F80,
    Ty::F128,
    Ty::Ptr,
];

/// What a call has to know.
struct Signature {
    params: Vec<Ty>,
    ret: Option<Ty>,
    /// A thread of its own.
    is_worker: bool,
    /// The first parameter counts calls of itself that are left.
    is_recursive: bool,
}

impl Signature {
    fn new(random: &mut Random, index: usize, n_functions: usize) -> Self {
        let is_worker = index >= n_functions;
        let is_recursive = index + 1 == n_functions && random.flag();
        let mut params: Vec<Ty> = Vec::new();
        if index > 0 && !is_worker {
            params.extend(is_recursive.then_some(Ty::Int(32)));
            params.extend((0..random.below(3)).map(|_| random.pick(&TYPES)));
        } else if is_worker {
            params.extend(random.flag().then_some(Ty::Int(32)));
        }
        let ret = if random.one_in(3) || is_worker { None } else { Some(random.pick(&TYPES)) };
        Signature { params, ret, is_worker, is_recursive }
    }
}

/// The globals that code knows how to use.
struct Globals {
    /// Plain memory to read and write, with its size.
    plain: Vec<(GlobalId, u64)>,
    /// A lock word.
    lock: GlobalId,
    /// Pointers to functions without parameters.
    table: GlobalId,
    /// A buffer for jumps.
    jumps: GlobalId,
    /// May be read only.
    literal: GlobalId,
    /// Of unknown contents.
    any: GlobalId,
}

impl Globals {
    fn new(program: &mut Program, random: &mut Random, n_functions: usize) -> Self {
        let mut plain = Vec::new();
        for index in 0..2 + random.below(3) {
            let size = 32 + 8 * random.below(5) as u64;
            let mut global = new_global(&format!("g{index}"), size);
            global.init.bytes = (0..random.below(size as usize)).map(|_| random.below(7) as u8).collect();
            global.is_thread_local = index > 1 && random.one_in(3);
            let id = program.globals.push(global);
            plain.push((id, size));
        }
        if random.one_in(4) {
            let mut global = new_global("hardware", 4);
            let read = random.pick(&[DeviceRead::Any, DeviceRead::Held]);
            global.init.any = (read == DeviceRead::Any).then(|| "a register of hardware".into());
            let write = random.pick(&[DeviceWrite::Ignored, DeviceWrite::Held, DeviceWrite::ClearsOnes]);
            let id = program.globals.push(global);
            let address = random.flag().then_some(0x4000_0000);
            program.devices.insert(id, Device { address, read, write });
        }
        let lock = program.globals.push(new_global("lock", 4));
        let word = u64::from(program.pointer_bytes);
        let mut table = new_global("table", 4 * word);
        for entry in 0..4 {
            let function = FuncId(random.below(n_functions) as u32);
            table.init.pointers.push((entry * word, Address::Func(function)));
        }
        let table = program.globals.push(table);
        let jumps = program.globals.push(new_global("buffer", 200));
        let mut literal = new_global("literal", 32);
        literal.source_name = None;
        literal.is_read_only = true;
        literal.init.bytes = b"some text of a literal".to_vec();
        let literal = program.globals.push(literal);
        let mut any = new_global("unknown", 32);
        any.init.any = Some("an object without a definition".into());
        let any = program.globals.push(any);
        Globals { plain, lock, table, jumps, literal, any }
    }
}

fn new_global(name: &str, size: u64) -> Global {
    Global {
        name: name.into(),
        source_name: Some(name.into()),
        size,
        align: 16,
        init: GlobalInit::default(),
        is_thread_local: false,
        is_read_only: false,
        is_model: false,
        shape: None,
        loc: Loc::NONE,
    }
}

/// A function without code.
fn new_function(name: &str, ret: Option<Ty>) -> Function {
    Function {
        name: name.into(),
        source_name: name.into(),
        params: Vec::new(),
        is_variadic: false,
        ret,
        regs: IdVec::new(),
        slots: IdVec::new(),
        blocks: IdVec::new(),
        is_model: false,
        loc: Loc::NONE,
    }
}
