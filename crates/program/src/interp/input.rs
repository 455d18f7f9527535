//! Open inputs (values that are still sets, see `domain.rs`): how they are made, enumerated and forgotten.

use std::rc::Rc;

use super::choice::{Choice, ChoiceKind, Logged, truncate};
use super::domain::Domain;
use super::exec::{Exec, Step};
use super::narrow::{View, sign_extend};
use super::object::{Cell, Found, Object};
use super::state::{Input, State};
use super::value::{Lazy, Value};
use super::{Observer, Stop};
use crate::{Loc, Operand, RegId, Shape, Ty};

/// As many values of an input that has too many are tried.
const MAX_SAMPLES: usize = 24;

impl State {
    /// The value, concrete if only one is left.
    #[inline]
    pub(crate) fn settle(&self, lazy: Lazy, width: u32) -> Value {
        match self.domain_of(lazy).as_single() {
            Some(x) => Value::from_bits(width, truncate(lazy.image(x) as u128, width)),
            None => Value::Lazy(lazy),
        }
    }

    /// The value in the execution that [`super::Machine::decisions`] describes.
    pub(crate) fn witnessed(&self, value: Value, width: u32) -> Value {
        match value {
            Value::Lazy(lazy) => {
                let number = lazy.image(self.domain_of(lazy).min());
                Value::from_bits(width, truncate(number as u128, width))
            }
            value => value,
        }
    }

    /// The value at an offset as a load would give it, open inputs as witnessed; `None` if indeterminate or out of
    /// bounds.
    pub(crate) fn peek(&self, object: &Object, offset: u64, ty: Ty, pointer_bytes: u8) -> Option<Value> {
        let len = super::exec::stored_bytes(ty, pointer_bytes);
        let width = super::exec::width(ty, pointer_bytes);
        if offset.checked_add(len)? > object.size() {
            return None;
        }
        match object.find(offset, len) {
            Found::Whole(value) => Some(self.witnessed(value, width)),
            Found::Bytes(bits) => Some(Value::from_bits(width, truncate(bits, width))),
            Found::Mixed(Cell { value: Value::Ptr(pointer), offset: start, .. }) if len == 1 => {
                Some(Value::Fragment { pointer, byte: (offset - start) as u8 })
            }
            Found::Mixed(_) => self.plain_bits(object, offset, len).map(|bits| Value::from_bits(width, bits)),
            Found::Undef => None,
        }
    }

    /// Bytes (at most 16) as a number, open inputs as witnessed; `None` if a bit is indeterminate, a byte belongs to
    /// a pointer, or the range is out of bounds.
    pub(crate) fn plain_bits(&self, object: &Object, offset: u64, len: u64) -> Option<u128> {
        if offset.checked_add(len)? > object.size() || object.has_undef(offset, len) {
            return None;
        }
        let mut bits = 0;
        for at in offset..offset + len {
            let byte = match object.cell_in(at, 1) {
                None => object.bytes[at as usize],
                Some(cell) => {
                    let whole = self.witnessed(cell.value, 8 * u32::from(cell.len)).bits()?;
                    (whole >> (8 * (at - cell.offset))) as u8
                }
            };
            bits |= u128::from(byte) << (8 * (at - offset));
        }
        Some(bits)
    }

    pub(crate) fn domain_of(&self, lazy: Lazy) -> &Domain {
        let input = self.inputs[lazy.input() as usize].as_ref();
        &input.expect("a lazy value should belong to an open input").domain
    }

    /// Adds an open input.
    pub(crate) fn open(&mut self, domain: Domain, ty: Ty, width: u32, label: Rc<str>, loc: Loc) -> Lazy {
        let serial = self.n_inputs;
        self.n_inputs += 1;
        self.log.push(Logged::Open(serial));
        let input = Some(Rc::new(Input { serial, domain, ty, width, label, loc }));
        let number = match self.inputs.iter().position(Option::is_none) {
            Some(free) => {
                self.inputs[free] = input;
                free
            }
            None => {
                self.inputs.push(input);
                self.inputs.len() - 1
            }
        };
        Lazy::new(number as u32, 1, 0).expect("one and zero are small")
    }
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// Executes `Choose`.
    pub(crate) fn choose(&mut self, dst: RegId, range: Option<(i128, i128)>, label: &str) -> Step {
        let reg = &self.function.regs[dst];
        let shape = reg.shape.map(|shape| &self.program.shapes[shape]);
        let is_unsigned = matches!(shape, Some(Shape::Int { is_signed: false, .. } | Shape::Bool));
        let ty = reg.ty;
        let value = self.fresh(ty, range, is_unsigned, label)?;
        self.assign(dst, value);
        Ok(())
    }

    /// A new input of the type.
    pub(crate) fn fresh(&mut self, ty: Ty, range: Option<(i128, i128)>, is_unsigned: bool, label: &str) -> Step<Value> {
        let width = self.width(ty);
        if let Some(bits) = self.state.threads[self.thread].picked.take() {
            return Ok(Value::from_bits(width, bits));
        }
        if ty == Ty::Ptr {
            return Err(self.unmodelled(format!("any pointer ({label})")));
        }
        if let Some((low, high)) = range
            && low > high
        {
            return Err(Box::new(Stop::Infeasible));
        }
        let view = if is_unsigned || width < 8 || !matches!(ty, Ty::Int(_)) { View::Unsigned } else { View::Signed };
        let domain = match range {
            Some((low, high)) => Some(Domain::range(low, high)),
            None if width <= 64 => {
                let (low, high) = view.limits(width);
                Some(Domain::range(low, high))
            }
            None => None,
        };
        let loc = self.loc();
        match domain {
            Some(domain) if self.machine.options.is_lazy && width <= 64 => {
                self.collect_inputs();
                let lazy = self.state.open(domain, ty, width, label.into(), loc);
                Ok(self.state.settle(lazy, width))
            }
            domain => {
                let n_options = domain.as_ref().map_or(u128::MAX, Domain::count);
                let kind = ChoiceKind::Value { domain, width };
                Err(self.choice(kind, n_options, label.into(), loc))
            }
        }
    }

    /// A new input of a few bits that is needed at once, also in lazy runs: an open one would be lost when the
    /// instruction starts again.
    pub(crate) fn fresh_now(&mut self, width: u32, label: &str) -> Step<u128> {
        if let Some(bits) = self.state.threads[self.thread].picked.take() {
            return Ok(bits);
        }
        let domain = Domain::range(0, (1 << width) - 1);
        let n_options = domain.count();
        let kind = ChoiceKind::Value { domain: Some(domain), width };
        Err(self.choice(kind, n_options, label.into(), self.loc()))
    }

    pub(crate) fn choice(&self, kind: ChoiceKind, n_options: u128, label: String, loc: Loc) -> Box<Stop> {
        // An eager input of all values of a wide type counts as too wide when all of them are wanted,
        // but a replay only wants one: the caller decides.
        Box::new(Stop::Choice(Choice { kind, n_options, label, loc, thread: self.thread }))
    }

    /// Stops for a decision between parts of the input's domain. Empty parts are left out.
    pub(crate) fn split(&self, lazy: Lazy, parts: Vec<Domain>) -> Box<Stop> {
        let input = self.state.inputs[lazy.input() as usize].as_ref().expect("the input should be open");
        let parts: Rc<[Domain]> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let n_options = parts.len() as u128;
        self.choice(ChoiceKind::Split { input: lazy.input(), parts }, n_options, input.label.to_string(), self.loc())
    }

    /// Stops for a decision on the value.
    pub(crate) fn enumerate(&self, lazy: Lazy) -> Box<Stop> {
        let input = self.state.inputs[lazy.input() as usize].as_ref().expect("the input should be open");
        let count = input.domain.count();
        let label = input.label.to_string();
        if count <= self.machine.options.max_enumerate {
            let kind = ChoiceKind::Enumerate { input: lazy.input(), domain: input.domain.clone() };
            return self.choice(kind, count, label, self.loc());
        }
        let values = self.samples(input);
        let n_options = values.len() as u128;
        let kind = ChoiceKind::Samples { input: Some(lazy.input()), values, width: input.width };
        let loc_of_use = self.loc();
        let samples = Choice { kind, n_options, label: label.clone(), loc: loc_of_use, thread: self.thread };
        Box::new(Stop::TooWide { samples, label, loc_of_choose: input.loc, loc_of_use, count })
    }

    /// A few values worth trying: the ends, small numbers, and the neighbours of constants in the function.
    fn samples(&self, input: &Input) -> Rc<[i128]> {
        let domain = &input.domain;
        let (min, max) = (domain.min(), domain.max());
        let mut values = match input.ty {
            Ty::F32 => {
                [0.0, 1.0, -1.0, 0.5, f32::MAX, f32::INFINITY, f32::NAN].map(|x| i128::from(x.to_bits())).to_vec()
            }
            Ty::F64 => {
                [0.0, 1.0, -1.0, 0.5, f64::MAX, f64::INFINITY, f64::NAN].map(|x| i128::from(x.to_bits())).to_vec()
            }
            Ty::Int(_) | Ty::F80 | Ty::F128 | Ty::Ptr => {
                vec![0, 1, min, max, -1, 2, min + 1, max - 1, min + (max - min) / 2]
            }
        };
        for stmt in self.function.blocks.iter().flat_map(|block| &block.stmts) {
            crate::visit::operands(&stmt.kind, |operand| {
                if let Operand::Bits(Ty::Int(width @ 8..=64), bits) = *operand {
                    let number = sign_extend(bits, u32::from(width));
                    values.extend([number, number - 1, number + 1]);
                }
            });
        }
        let mut seen = Vec::new();
        values.retain(|value| {
            domain.contains(*value) && !seen.contains(value) && seen.len() < MAX_SAMPLES && {
                seen.push(*value);
                true
            }
        });
        values.into()
    }

    /// Forgets inputs that no value mentions, and those with one value left, once many have gathered.
    fn collect_inputs(&mut self) {
        // A region that blocks goes back to where its inputs may still have been in use.
        if self.state.atomic.as_ref().is_some_and(|atomic| atomic.start.is_some()) {
            return;
        }
        let n_open = self.state.inputs.iter().flatten().count();
        if n_open < 64 || !n_open.is_power_of_two() {
            return;
        }
        self.state.settle_all(self.program);
        let mut used = vec![false; self.state.inputs.len()];
        self.state.for_each_lazy(|lazy| used[lazy.input() as usize] = true);
        for (number, is_used) in used.into_iter().enumerate() {
            if !is_used && let Some(input) = self.state.inputs[number].take() {
                let bits = truncate(input.domain.min() as u128, input.width);
                self.state.log.push(Logged::Fixed(input.serial, bits));
            }
        }
    }
}

impl State {
    /// Calls for every lazy value in registers and memory. The snapshot of an atomic region has its own inputs.
    pub(crate) fn for_each_lazy(&self, mut visit: impl FnMut(Lazy)) {
        let mut see = |value: &Value| {
            if let Value::Lazy(lazy) = value {
                visit(*lazy);
            }
        };
        self.threads.iter().flat_map(|thread| &thread.regs).for_each(&mut see);
        for (_, object) in self.memory.iter() {
            object.cells.iter().map(|cell| &cell.value).for_each(&mut see);
        }
    }

    /// Writes inputs with one value left as plain values wherever they occur.
    fn settle_all(&mut self, program: &crate::Program) {
        for thread in 0..self.threads.len() {
            for frame in 0..self.threads[thread].frames.len() {
                let (base, function) =
                    (self.threads[thread].frames[frame].reg_base as usize, self.threads[thread].frames[frame].function);
                for (reg, declared) in program.functions[function].regs.iter_enumerated() {
                    let at = base + reg.0 as usize;
                    if let Value::Lazy(lazy) = self.threads[thread].regs[at] {
                        let width = super::exec::width(declared.ty, program.pointer_bytes);
                        self.threads[thread].regs[at] = self.settle(lazy, width);
                    }
                }
            }
        }
        let settled: Vec<_> = self
            .memory
            .iter()
            .flat_map(|(pointer, object)| object.cells.iter().map(move |cell| (pointer, *cell)))
            .filter_map(|(pointer, cell)| match cell.value {
                Value::Lazy(lazy) => Some((pointer, cell, self.domain_of(lazy).as_single().map(|x| lazy.image(x))?)),
                _ => None,
            })
            .collect();
        for (pointer, cell, number) in settled {
            let object: &mut Object = self.memory.get_mut(pointer).expect("the object should be live");
            object.write_bytes(cell.offset, &number.to_le_bytes()[..usize::from(cell.len)]);
        }
    }
}
