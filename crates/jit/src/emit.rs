//! Code generation from automata: one function for each location of a process type.
//!
//! A function looks at the state of its process, and for each transition that can be taken copies the whole state
//! to the output and changes the copy. What cannot be compiled is [`NotCompilable`]: then the location stays with the
//! interpreter. What goes wrong while code runs gives up, and the interpreter says what it is.

mod change;
mod channel;
mod claim;
mod expr;
mod location;
mod step;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I8X16, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;
pub(crate) use location::signature;
use std::mem::offset_of;
use unpick_automaton::{ChannelTypeId, LocationId, Model, ProctypeId, Scalar};

use self::change::Changes;
use crate::context::{Context, GIVE_UP, UNIT};
use crate::facts::Facts;

/// A construct that is not compiled but left to the interpreter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotCompilable(pub(crate) &'static str);

/// The result of code generation.
pub(crate) type Emitted<T> = Result<T, NotCompilable>;

/// A state to be read or written: its first byte, and the first byte of the process's frame.
#[derive(Clone, Copy)]
pub(crate) struct View {
    base: Value,
    frame: Value,
    /// Nothing writes to it while the function runs.
    is_constant: bool,
}

/// A place in any view.
#[derive(Clone, Copy)]
struct Address {
    is_in_frame: bool,
    /// 64 bits.
    dynamic: Option<Value>,
    offset: i32,
}

/// Writes one function.
pub(crate) struct Emitter<'a, 'b> {
    pub(crate) model: &'a Model,
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) builder: FunctionBuilder<'b>,
    /// The type of the process that moves; none for a claim.
    pub(crate) proctype: Option<ProctypeId>,
    /// How many units of a state are copied without asking.
    pub(crate) n_units: usize,
    /// The slot of the location that a process moves from.
    pub(crate) slot: u32,
    /// The location itself.
    pub(crate) source: LocationId,
    /// Where the change of the weighted sum is kept, if it is.
    changes: Option<Changes>,
    /// Whether an offered message is to be taken.
    pub(crate) is_taker: bool,
    /// Whether the code is inside a `d_step`, after its first step or in it.
    is_in_d_step: bool,
    /// The type that a channel of several possible types is taken to have.
    assumed: Option<ChannelTypeId>,
    context: Value,
    state: View,
    process: Value,
    give_up: Block,
}

impl<'a, 'b> Emitter<'a, 'b> {
    /// Begins a function: context, state, frame, process.
    pub(crate) fn new(
        model: &'a Model,
        facts: &'a Facts<'a>,
        mut builder: FunctionBuilder<'b>,
        proctype: Option<ProctypeId>,
        n_units: usize,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let params = builder.block_params(entry).to_vec();
        let give_up = builder.create_block();
        builder.set_cold_block(give_up);
        let state = View { base: params[1], frame: params[2], is_constant: true };
        let (context, process) = (params[0], params[3]);
        Self {
            model,
            facts,
            builder,
            proctype,
            n_units,
            slot: 0,
            source: LocationId(0),
            changes: None,
            is_taker: false,
            is_in_d_step: false,
            assumed: None,
            context,
            state,
            process,
            give_up,
        }
    }

    /// Ends the function.
    pub(crate) fn finish(mut self, config: cranelift_codegen::isa::TargetFrontendConfig) {
        self.builder.switch_to_block(self.give_up);
        self.finish_with(GIVE_UP);
        self.builder.seal_all_blocks();
        self.builder.finalize(config);
    }

    /// The type of the process that moves.
    fn own_type(&self) -> Emitted<ProctypeId> {
        self.proctype.ok_or(NotCompilable("a claim with variables"))
    }

    fn finish_with(&mut self, status: i32) {
        let status = self.int(status);
        self.builder.ins().return_(&[status]);
    }

    fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(I32, i64::from(value))
    }

    fn long(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(I64, value)
    }

    fn add(&mut self, value: Value, constant: i64) -> Value {
        if constant == 0 { value } else { self.builder.ins().iadd_imm_s(value, constant) }
    }

    fn scale(&mut self, value: Value, factor: u32) -> Value {
        match factor {
            1 => value,
            factor if factor.is_power_of_two() => {
                self.builder.ins().ishl_imm_u(value, i64::from(factor.trailing_zeros()))
            }
            factor => self.builder.ins().imul_imm_s(value, i64::from(factor)),
        }
    }

    /// Goes on in a new block if the condition holds, else there.
    fn require(&mut self, condition: Value, otherwise: Block) {
        let go_on = self.builder.create_block();
        self.builder.ins().brif(condition, go_on, &[], otherwise, &[]);
        self.builder.switch_to_block(go_on);
    }

    /// Gives up unless the condition holds.
    fn demand(&mut self, condition: Value) {
        self.require(condition, self.give_up);
    }

    fn compare(&mut self, how: IntCC, value: Value, constant: i64) -> Value {
        self.builder.ins().icmp_imm_s(how, value, constant)
    }

    /// A field of the context.
    fn field(&mut self, ty: Type, offset: usize) -> Value {
        self.builder.ins().load(ty, own(), self.context, offset as i32)
    }

    fn set_field(&mut self, value: Value, offset: usize) {
        self.builder.ins().store(own(), value, self.context, offset as i32);
    }

    fn resolve(&mut self, view: View, address: Address) -> (Value, i32) {
        let start = if address.is_in_frame { view.frame } else { view.base };
        match address.dynamic {
            Some(dynamic) => (self.builder.ins().iadd(start, dynamic), address.offset),
            None => (start, address.offset),
        }
    }

    fn read(&mut self, view: View, address: Address, scalar: Scalar) -> Value {
        let (start, offset) = self.resolve(view, address);
        let flags = flags(view);
        let ins = self.builder.ins();
        match (scalar, scalar.size()) {
            (Scalar::Short, _) => ins.sload16(I32, flags, start, offset),
            (_, 1) => ins.uload8(I32, flags, start, offset),
            (_, 2) => ins.uload16(I32, flags, start, offset),
            _ => ins.load(I32, flags, start, offset),
        }
    }

    fn write(&mut self, view: View, address: Address, scalar: Scalar, value: Value) {
        let (start, offset) = self.resolve(view, address);
        let value = match scalar {
            Scalar::Bit => self.builder.ins().band_imm_u(value, 1),
            Scalar::Unsigned(bits) if !matches!(bits, 8 | 16 | 32..) => {
                self.builder.ins().band_imm_u(value, (1_i64 << bits) - 1)
            }
            Scalar::Byte | Scalar::Short | Scalar::Int | Scalar::Unsigned(_) => value,
        };
        self.note_write(view, address, scalar.size(), value);
        let ins = self.builder.ins();
        match scalar.size() {
            1 => ins.istore8(own(), value, start, offset),
            2 => ins.istore16(own(), value, start, offset),
            _ => ins.store(own(), value, start, offset),
        };
    }

    /// What is left of a value when it is kept so.
    fn cut(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Bit => self.builder.ins().band_imm_u(value, 1),
            Scalar::Byte => self.builder.ins().band_imm_u(value, 0xff),
            Scalar::Short => {
                let short = self.builder.ins().ireduce(cranelift_codegen::ir::types::I16, value);
                self.builder.ins().sextend(I32, short)
            }
            Scalar::Int => value,
            Scalar::Unsigned(bits) if bits >= 32 => value,
            Scalar::Unsigned(bits) => self.builder.ins().band_imm_u(value, (1_i64 << bits) - 1),
        }
    }

    /// Copies the state to the place of the next successor.
    fn copy_state(&mut self) -> View {
        let out = self.field(I64, offset_of!(Context, out));
        let delta = self.builder.ins().isub(self.state.frame, self.state.base);
        let frame = self.builder.ins().iadd(out, delta);
        for unit in 0..self.n_units {
            self.copy_unit(out, (unit * UNIT) as i32);
        }
        self.copy_rest(out);
        self.begin_change();
        View { base: out, frame, is_constant: false }
    }

    fn zero_unit(&mut self) -> Value {
        let zero = self.builder.ins().iconst(I8, 0);
        self.builder.ins().splat(I8X16, zero)
    }

    fn copy_unit(&mut self, out: Value, offset: i32) {
        let unit = self.builder.ins().load(I8X16, constant(), self.state.base, offset);
        self.builder.ins().store(own(), unit, out, offset);
    }

    /// Longer states than expected: the units after the expected ones.
    fn copy_rest(&mut self, out: Value) {
        let done = (self.n_units * UNIT) as i64;
        let stride = self.field(I64, offset_of!(Context, stride));
        let (head, body, exit) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(head);
        self.builder.set_cold_block(body);
        let at = self.builder.append_block_param(head, I64);
        let first = self.long(done);
        let is_longer = self.compare(IntCC::UnsignedGreaterThan, stride, done);
        self.builder.ins().brif(is_longer, head, &[first.into()], exit, &[]);
        self.builder.switch_to_block(head);
        let is_left = self.builder.ins().icmp(IntCC::UnsignedLessThan, at, stride);
        self.builder.ins().brif(is_left, body, &[], exit, &[]);
        self.builder.switch_to_block(body);
        let from = self.builder.ins().iadd(self.state.base, at);
        let to = self.builder.ins().iadd(out, at);
        let unit = self.builder.ins().load(I8X16, constant(), from, 0);
        self.builder.ins().store(own(), unit, to, 0);
        let next = self.add(at, UNIT as i64);
        self.builder.ins().jump(head, &[next.into()]);
        self.builder.switch_to_block(exit);
    }
}

/// Loads and stores of memory that is there and may change.
fn own() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Loads of memory that does not change.
fn constant() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_readonly()
}

fn flags(view: View) -> MemFlagsData {
    if view.is_constant { constant() } else { own() }
}
