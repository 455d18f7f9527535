//! Random programs for property tests, campaigns and fuzzers: [`program`] makes well-formed ones out of arbitrary bytes,
//! [`running`](running()) makes ones out of a seed whose executions get far.
//!
//! The bytes are the decisions, taken one after the other; when they run out every further decision is the
//! first, simplest one. So shorter input makes simpler programs and a shrinking tester does the right thing.
//! The programs use every instruction and satisfy [`Form::Program`](crate::verify::Form); they are not meant
//! to compute anything sensible.

mod body;
pub mod kinds;
mod running;

use std::collections::BTreeSet;

use unpick_base::IdVec;

use crate::program::*;
use crate::visit::{addresses, successors};
pub use running::{Random, running};

/// A well-formed program made from these decisions.
pub fn program(decisions: &[u8]) -> Program {
    let mut generator = Generator { decisions, program: Program::default(), n_blocks: Vec::new() };
    generator.program();
    generator.program
}

/// Types every function has registers of, so that no instruction lacks an operand.
const TYPES: [Ty; 12] = [
    Ty::Int(32),
    Ty::Ptr,
    Ty::Int(1),
    Ty::Int(64),
    Ty::Int(8),
    Ty::F64,
    Ty::F32,
    Ty::F80,
    Ty::F128,
    Ty::Int(128),
    Ty::Int(16),
    Ty::Int(7),
];

/// Names with everything that a text form could stumble over.
const NAMES: [&str; 16] = [
    "x",
    "counter",
    "f::count",
    "str.3",
    "with space",
    "",
    "r1",
    "slot0",
    "b2",
    "fn",
    "global",
    "quote\"back\\slash",
    "line\nbreak\t\r\0",
    "größe → ∞ \u{85}\u{2028}",
    "; no comment",
    "$odd.",
];

struct Generator<'d> {
    decisions: &'d [u8],
    program: Program,
    /// Planned number of blocks per function, since addresses of labels may point forward.
    n_blocks: Vec<u32>,
}

impl Generator<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.decisions.split_first() else { return 0 };
        self.decisions = rest;
        *first
    }

    /// A number below `limit`, which should not exceed 256.
    fn below(&mut self, limit: usize) -> usize {
        if limit <= 1 { 0 } else { usize::from(self.byte()) % limit }
    }

    fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Any number, often a small one or one with a special pattern.
    fn number(&mut self) -> u128 {
        match self.below(5) {
            0 => u128::from(self.byte()),
            1 => u128::MAX - u128::from(self.byte()),
            2 => 1 << self.below(128),
            3 => (1 << self.below(128)) - 1,
            _ => (0..16).fold(0, |number, _| number << 8 | u128::from(self.byte())),
        }
    }

    fn name(&mut self) -> String {
        self.pick(&NAMES).to_string()
    }

    fn optional_name(&mut self) -> Option<String> {
        if self.flag() { Some(self.name()) } else { None }
    }

    fn loc(&mut self) -> Loc {
        if self.flag() {
            return Loc::NONE;
        }
        let file = FileId(self.below(self.program.files.len()) as u32);
        Loc { file, line: 1 + u32::from(self.byte()), column: u32::from(self.byte()) }
    }

    fn shape_use(&mut self) -> Option<ShapeId> {
        let n_shapes = self.program.shapes.len();
        (n_shapes > 0 && self.flag()).then(|| ShapeId(self.below(n_shapes) as u32))
    }

    fn align(&mut self) -> u64 {
        1 << self.below(12)
    }

    fn program(&mut self) {
        self.program.pointer_bytes = self.pick(&[8, 4]);
        for _ in 0..1 + self.below(3) {
            let name = self.name();
            self.program.files.push(name);
        }
        for index in 0..self.below(12) as u32 {
            let shape = self.shape(index);
            self.program.shapes.push(shape);
        }
        let n_globals = self.below(4) as u32;
        self.signatures();
        for index in 0..n_globals {
            let global = self.global(index, n_globals);
            if self.below(8) == 7 && !global.is_thread_local {
                let address = if self.flag() { Some(u64::from(index + 1) << 48) } else { None };
                let write = self.pick(&[DeviceWrite::Ignored, DeviceWrite::Held, DeviceWrite::ClearsOnes]);
                let is_open = global.init.any.is_some() && global.init.bytes.is_empty();
                let read = if is_open && global.init.pointers.is_empty() { DeviceRead::Any } else { DeviceRead::Held };
                self.program.devices.insert(GlobalId(index), Device { address, read, write });
            }
            self.program.globals.push(global);
        }
        for index in 0..self.n_blocks.len() {
            self.body(FuncId(index as u32));
        }
        self.program.entry = Some(FuncId(0));
        self.finish_control();
    }

    /// A shape that contains earlier ones only, but may point to any.
    fn shape(&mut self, index: u32) -> Shape {
        let earlier = |generator: &mut Self| ShapeId(generator.below(index as usize) as u32);
        match self.below(if index == 0 { 6 } else { 9 }) {
            0 => Shape::Int { name: self.name(), size: self.pick(&[4, 1, 8, 16]), is_signed: self.flag() },
            1 => Shape::Char { is_signed: self.flag() },
            2 => Shape::Bool,
            3 => Shape::Float(self.pick(&[Ty::F32, Ty::F64, Ty::F80, Ty::F128])),
            4 => self.pick(&[0, 1, 2, 3]).try_into().map_or(Shape::Code, |which: u8| match which {
                0 => Shape::Code,
                1 => Shape::Pointer(None),
                2 => Shape::Pointer(Some(ShapeId(index))),
                _ => Shape::Opaque { size: self.number() as u64 },
            }),
            5 => {
                let (name, size, is_signed) = (self.name(), self.pick(&[4, 1, 8, 16]), self.flag());
                let names = (0..self.below(4)).map(|_| (self.number() as i128, self.name())).collect();
                Shape::Enum { name, size, is_signed, names }
            }
            6 => Shape::Array { element: earlier(self), len: self.number() as u64, stride: self.number() as u64 },
            _ => {
                let (name, is_union) = (self.name(), self.flag());
                let n_fields = self.below(4);
                let fields = (0..n_fields).map(|_| {
                    let (name, offset) = (self.name(), self.number() as u64);
                    let bits = self.flag().then(|| self.bit_range(128));
                    ShapeField { name, offset, bits, shape: earlier(self) }
                });
                Shape::Record { name, is_union, fields: fields.collect() }
            }
        }
    }

    fn bit_range(&mut self, max_width: usize) -> BitRange {
        let bits = BitRange::new(self.below(8) as u8, 1 + self.below(max_width) as u8);
        if self.flag() {
            return bits;
        }
        BitRange { before: self.below(4) as u32, after: self.below(4) as u32, ..bits }
    }

    fn global(&mut self, index: u32, n_globals: u32) -> Global {
        let pointer_bytes = u64::from(self.program.pointer_bytes);
        let bytes: Vec<u8> = (0..self.below(40)).map(|_| self.byte()).collect();
        let size = bytes.len() as u64 + self.below(64) as u64;
        let mut pointers = Vec::new();
        let mut offset = self.below(8) as u64;
        while offset + pointer_bytes <= size && self.flag() {
            pointers.push((offset, self.address(n_globals)));
            offset += pointer_bytes + self.below(8) as u64;
        }
        let any = if self.below(4) == 3 { Some(self.name()) } else { None };
        let name = format!("{}{index}", self.name());
        let source_name = if self.flag() { Some(name.clone()) } else { self.optional_name() };
        Global {
            name,
            source_name,
            size,
            align: self.align(),
            init: GlobalInit { bytes, pointers, any },
            is_thread_local: self.flag(),
            is_read_only: self.flag(),
            is_model: self.flag(),
            shape: self.shape_use(),
            loc: self.loc(),
        }
    }

    fn address(&mut self, n_globals: u32) -> Address {
        let function = self.below(self.n_blocks.len());
        match self.below(3) {
            0 if n_globals > 0 => {
                let offset = self.pick(&[0, 4, -1, i64::MAX, i64::MIN]);
                Address::Global(GlobalId(self.below(n_globals as usize) as u32), offset)
            }
            0 | 1 => Address::Func(FuncId(function as u32)),
            _ => {
                let block = self.below(self.n_blocks[function] as usize);
                Address::Label(FuncId(function as u32), BlockId(block as u32))
            }
        }
    }

    /// Functions without bodies: calls have to know what they call.
    fn signatures(&mut self) {
        for index in 0..1 + self.below(3) {
            let n_blocks = 1 + self.below(5) as u32;
            self.n_blocks.push(n_blocks);
            let name = if self.flag() { format!("{}{index}", self.name()) } else { format!("f{index}") };
            let source_name = if self.flag() { self.name() } else { name.clone() };
            let mut regs = IdVec::new();
            for ty in TYPES {
                for _ in 0..1 + self.below(2) {
                    regs.push(Reg { ty, name: self.optional_name(), shape: self.shape_use() });
                }
            }
            let n_params = if index == 0 { 0 } else { self.below(4) };
            let mut params: Vec<RegId> = Vec::new();
            for _ in 0..n_params {
                let reg = RegId(self.below(regs.len()) as u32);
                if !params.contains(&reg) {
                    params.push(reg);
                }
            }
            let is_variadic = params.last().is_some_and(|last| regs[*last].ty == Ty::Ptr) && self.flag();
            let ret = if self.flag() { Some(self.pick(&TYPES)) } else { None };
            let slots = (0..1 + self.below(3)).map(|_| Slot {
                name: self.optional_name(),
                size: self.number() as u64,
                align: self.align(),
                shape: self.shape_use(),
            });
            let slots = slots.collect();
            let (is_model, loc) = (self.flag(), self.loc());
            let blocks = IdVec::new();
            let function = Function { name, source_name, params, is_variadic, ret, regs, slots, blocks, is_model, loc };
            self.program.functions.push(function);
        }
    }

    /// Gives indirect jumps the targets they must have and marks the heads of loops.
    fn finish_control(&mut self) {
        let mut taken = vec![BTreeSet::new(); self.n_blocks.len()];
        let mut take = |address| match address {
            Address::Label(function, block) => {
                taken[function.0 as usize].insert(block);
            }
            Address::Global(..) | Address::Func(_) => {}
        };
        self.program.globals.iter().for_each(|global| {
            global.init.pointers.iter().for_each(|(_, address)| take(*address));
        });
        self.program.functions.iter().for_each(|function| addresses(function, &mut take));
        for (function, taken) in self.program.functions.iter_mut().zip(taken) {
            let mut heads = BTreeSet::new();
            for (index, block) in function.blocks.iter_mut().enumerate() {
                if let Terminator::IndirectGoto { targets, .. } = &mut block.terminator {
                    *targets = taken.iter().copied().collect();
                }
                let is_back = |target: &BlockId| target.0 as usize <= index;
                successors(&block.terminator, |target| heads.extend(Some(target).filter(is_back)));
            }
            for head in heads {
                let loc = function.blocks[head].loc;
                function.blocks[head].loop_head.get_or_insert(loc);
            }
        }
    }
}
