//! The run loop of the interpreter, and control flow.

use std::rc::Rc;

use super::choice::{Choice, ChoiceKind, Decision, Logged, truncate};
use super::domain::Domain;
use super::state::constant_pointer;
use super::value::{Pointer, Value};
use super::{Machine, Observer, Silent, State, Stop, Until, Violation, Wants};
use crate::{
    Address, BitRange, Block, BlockId, FuncId, Function, Loc, Operand, Program, RegId, Stmt, StmtKind, Terminator, Ty,
    ViolationKind,
};

/// What an instruction gives, or why it cannot go on. Boxed because going on is what matters.
pub(crate) type Step<T = ()> = Result<T, Box<Stop>>;

/// A thread at work. The innermost activation's place is kept here and written back when the run stops.
pub(crate) struct Exec<'a, 'p, O: ?Sized> {
    pub machine: &'a Machine<'p>,
    pub program: &'p Program,
    pub state: &'a mut State,
    pub observer: &'a mut O,
    wants: Wants,
    pub thread: usize,
    pub function_id: FuncId,
    pub function: &'p Function,
    pub block_id: BlockId,
    pub block: &'p Block,
    /// Next instruction; the number of instructions stands for the terminator.
    pub index: usize,
    /// First register of the activation.
    pub base: usize,
    /// First stack object of the activation.
    pub slot_base: usize,
    until: Until,
    /// No other thread lives.
    pub is_alone: bool,
    /// A trial stops behind the atomic region it begins with.
    pub is_trial: bool,
}

impl<'p> Machine<'p> {
    /// Runs a thread until something needs the caller.
    pub fn run(&self, state: &mut State, thread: usize, until: Until, observer: &mut dyn Observer) -> Stop {
        self.run_observed(state, thread, until, observer)
    }

    /// Like [`Machine::run`] without an observer.
    pub fn run_silent(&self, state: &mut State, thread: usize, until: Until) -> Stop {
        self.run_observed(state, thread, until, &mut Silent)
    }

    /// Exactly two instances, both in this crate: one for all observers, one for none.
    fn run_observed<O: Observer + ?Sized>(
        &self,
        state: &mut State,
        thread: usize,
        until: Until,
        observer: &mut O,
    ) -> Stop {
        if state.threads[thread].is_ended || state.threads[thread].frames.is_empty() {
            return Stop::ThreadEnded;
        }
        if state.atomic.as_ref().is_some_and(|atomic| atomic.thread != thread) {
            return Stop::Blocked;
        }
        let mut exec = Exec::new(self, state, thread, until, observer);
        let stop = exec.go();
        exec.save();
        *stop
    }

    /// Takes option `pick` (from 0) of the choice the state stopped at.
    pub fn pick(&self, state: &mut State, choice: &Choice, pick: u128) {
        let at = usize::try_from(pick).unwrap_or(usize::MAX);
        match &choice.kind {
            ChoiceKind::Value { domain, width } => {
                let value = domain.as_ref().map_or(pick, |domain| {
                    domain.nth(pick).expect("the option should be below the number of options") as u128
                });
                choose_value(state, choice.thread, truncate(value, *width));
            }
            ChoiceKind::Split { input, parts } => narrow(state, *input, parts[at].clone()),
            ChoiceKind::Enumerate { input, domain } => {
                let value = domain.nth(pick).expect("the option should be below the number of options");
                narrow(state, *input, Domain::single(value));
            }
            ChoiceKind::Samples { input: Some(input), values, .. } => {
                narrow(state, *input, Domain::single(values[at]));
            }
            ChoiceKind::Samples { input: None, values, width } => {
                choose_value(state, choice.thread, truncate(values[at] as u128, *width));
            }
            ChoiceKind::Address { object, room } => {
                let address = u64::try_from(pick).ok().filter(|address| room.has(*address));
                let address = address.expect("the object should have room at the address");
                state.memory.place_shown(*object, address);
                state.log.push(Logged::Made(Decision::Address(address)));
            }
            ChoiceKind::Fail => {
                state.threads[choice.thread].picked = Some(pick);
                state.log.push(Logged::Made(Decision::Fail(pick == 1)));
            }
        }
    }
}

fn choose_value(state: &mut State, thread: usize, bits: u128) {
    state.threads[thread].picked = Some(bits);
    state.log.push(Logged::Made(Decision::Value(bits)));
}

fn narrow(state: &mut State, input: u32, domain: Domain) {
    let input = state.inputs[input as usize].as_mut().expect("a choice should concern an open input");
    Rc::make_mut(input).domain = domain;
}

impl<'a, 'p, O: Observer + ?Sized> Exec<'a, 'p, O> {
    pub(crate) fn new(
        machine: &'a Machine<'p>,
        state: &'a mut State,
        thread: usize,
        until: Until,
        observer: &'a mut O,
    ) -> Self {
        let program = machine.program;
        let frame = *state.threads[thread].frames.last().expect("a running thread should have an activation");
        let function = &program.functions[frame.function];
        let is_alone = state.n_live_threads() < 2;
        Exec {
            machine,
            program,
            state,
            wants: observer.wants(),
            observer,
            thread,
            function_id: frame.function,
            function,
            block_id: frame.block,
            block: &function.blocks[frame.block],
            index: frame.index as usize,
            base: frame.reg_base as usize,
            slot_base: frame.slot_base as usize,
            until,
            is_alone,
            is_trial: false,
        }
    }

    /// Writes the place of the innermost activation back.
    pub(crate) fn save(&mut self) {
        if let Some(frame) = self.state.threads[self.thread].frames.last_mut() {
            frame.block = self.block_id;
            frame.index = self.index as u32;
        }
    }

    /// Takes the place of the innermost activation from the state.
    pub(crate) fn restore(&mut self) {
        let frame = self.state.threads[self.thread].frames.last().expect("the thread should have an activation");
        self.function_id = frame.function;
        self.function = &self.program.functions[frame.function];
        self.block_id = frame.block;
        self.block = &self.function.blocks[frame.block];
        self.index = frame.index as usize;
        self.base = frame.reg_base as usize;
        self.slot_base = frame.slot_base as usize;
    }

    pub(crate) fn go(&mut self) -> Box<Stop> {
        let mut fuel = self.until.fuel;
        let mut is_first = !self.until.is_resumed;
        loop {
            if fuel == 0 {
                return Box::new(Stop::Fuel);
            }
            fuel -= 1;
            if self.until.shared_access {
                if (!self.is_alone || self.until.alone_too)
                    && !is_first
                    && self.state.atomic.is_none()
                    && (self.until.every_step || self.concerns_others())
                {
                    return Box::new(Stop::Shared);
                }
                is_first = false;
            }
            let block = self.block;
            let result = if let Some(stmt) = block.stmts.get(self.index) {
                if self.wants.steps {
                    self.observer.step(self.state, self.thread, self.function_id, stmt);
                }
                match &self.machine.uninitialised {
                    Some(uninitialised) if uninitialised.is_read_in(self.function_id, self.block_id) => {
                        self.determine(stmt).and_then(|()| self.stmt(stmt))
                    }
                    Some(_) | None => self.stmt(stmt),
                }
            } else {
                if self.wants.blocks {
                    self.observer.terminator(self.state, self.thread, self.function_id, block);
                }
                match (&block.terminator, &self.machine.uninitialised) {
                    (Terminator::Goto(target), _) => self.goto(*target),
                    (terminator, Some(uninitialised)) if uninitialised.is_read_in(self.function_id, self.block_id) => {
                        self.determine_end(terminator).and_then(|()| self.terminator(terminator))
                    }
                    (terminator, Some(_) | None) => self.terminator(terminator),
                }
            };
            if let Err(stop) = result {
                return stop;
            }
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Step {
        match &stmt.kind {
            StmtKind::Assign(dst, rvalue) => {
                let value = self.rvalue(rvalue)?;
                self.assign(*dst, value);
            }
            StmtKind::Load { dst, addr, access } => {
                self.watch_volatile(addr, access);
                self.load(*dst, addr)?;
            }
            StmtKind::Store { addr, value, ty, access: _ } => self.store(addr, value, *ty)?,
            StmtKind::LoadBits { dst, addr, bits, is_signed, access } => {
                self.watch_volatile(addr, access);
                self.load_bits(*dst, addr, *bits, *is_signed)?;
            }
            StmtKind::StoreBits { addr, bits, value, access: _ } => self.store_bits(addr, *bits, value)?,
            StmtKind::MemCopy { dst, src, bytes, may_overlap } => self.mem_copy(dst, src, bytes, *may_overlap)?,
            StmtKind::MemSet { dst, byte, bytes } => self.mem_set(dst, byte, bytes)?,
            StmtKind::MemAny { dst, bytes, is_assumed, label } => self.mem_any(dst, bytes, *is_assumed, label)?,
            StmtKind::SlotLive(slot) => self.slot_live(*slot),
            StmtKind::SlotDead(slot) => self.slot_dead(*slot),
            StmtKind::Alloc { dst, bytes, align, kind, contents } => {
                self.alloc(*dst, bytes, *align, *kind, *contents)?;
            }
            StmtKind::Free { addr, kind } => self.free(addr, *kind)?,
            StmtKind::ObjectSize { dst, addr, element } => self.object_size(*dst, addr, *element)?,
            StmtKind::Call { dst, callee, args } => return self.call(*dst, callee, args),
            StmtKind::Choose { dst, range, label } => self.choose(*dst, *range, label)?,
            StmtKind::Assume(cond) => {
                if !self.condition(cond, "an assumption")? {
                    return Err(Box::new(Stop::Infeasible));
                }
            }
            StmtKind::Assert { cond, kind, message } => {
                if !self.condition(cond, "a checked condition")? {
                    if self.looks_for(*kind) {
                        return Err(self.violation(*kind, message.clone()));
                    }
                    self.passes(*kind, message)?;
                }
            }
            StmtKind::CheckIndex { index, len, one_past } => self.check_index(index, *len, *one_past)?,
            StmtKind::Note(text) => self.observer.note(text),
            StmtKind::Unmodelled(what) => return Err(self.unmodelled(what.clone())),
            StmtKind::Output { stream, addr, bytes } => self.output(stream, addr, bytes)?,
            StmtKind::AtomicRmw { dst, op, addr, value, order: _ } => self.atomic_rmw(*dst, *op, addr, value)?,
            StmtKind::AtomicCas { dst, ok, addr, expected, desired, is_weak, order: _ } => {
                self.atomic_cas(*dst, *ok, addr, expected, desired, *is_weak)?;
            }
            StmtKind::Fence(_) => {}
            StmtKind::AtomicBegin => self.atomic_begin(),
            StmtKind::AtomicEnd => self.atomic_end()?,
            StmtKind::Progress => self.observer.progress(),
            StmtKind::Wait(cond) => self.wait(cond)?,
            StmtKind::Spawn { dst, callee, args } => self.spawn(*dst, callee, args)?,
            StmtKind::SelfThread(dst) => self.assign(*dst, Value::Bits(self.thread as u64)),
            StmtKind::Hold { addr, op, is_exclusive } => self.hold(addr, *op, *is_exclusive)?,
            StmtKind::ThreadEnded { dst, thread } => self.thread_ended(*dst, thread)?,
            StmtKind::Interrupts { dst, op, value } => self.interrupts(*dst, *op, value)?,
            StmtKind::SetJump { dst, addr, anchor } => self.set_jump(*dst, addr, *anchor)?,
            StmtKind::LongJump { addr, value } => return self.long_jump(addr, value),
        }
        self.index += 1;
        Ok(())
    }

    fn terminator(&mut self, terminator: &'p Terminator) -> Step {
        match terminator {
            Terminator::Goto(target) => self.goto(*target),
            Terminator::Branch { cond, then, otherwise } => {
                let target = if self.condition(cond, "a condition")? { *then } else { *otherwise };
                self.goto(target)
            }
            Terminator::Switch { value, ty, cases, default } => {
                let target = self.switch(value, *ty, cases, *default)?;
                self.goto(target)
            }
            Terminator::IndirectGoto { addr, targets } => self.indirect_goto(addr, targets),
            Terminator::Return(value) => self.leave(value.as_ref()),
            Terminator::Exit { code, is_abort } => self.exit(code, *is_abort),
            Terminator::EndThread => self.end_thread(),
            // Control gets here only behind a check that was not asked for.
            Terminator::Unreachable => Err(self.unreachable()),
        }
    }

    #[inline(always)]
    pub(crate) fn goto(&mut self, target: BlockId) -> Step {
        if self.wants.blocks {
            self.observer.jumped(self.function_id, self.block_id, target);
        }
        self.block_id = target;
        self.block = &self.function.blocks[target];
        self.index = 0;
        if self.until.loop_heads && self.block.loop_head.is_some() {
            return Err(Box::new(Stop::LoopHead(self.function_id, target)));
        }
        Ok(())
    }

    fn indirect_goto(&mut self, addr: &Operand, targets: &[BlockId]) -> Step {
        let pointer = self.pointer(addr, "the target of a computed goto")?;
        if pointer.object == 0 {
            let message = format!("computed goto to {}", self.describe_wild(pointer));
            return Err(self.violation(ViolationKind::NullDereference, message));
        }
        let label = u32::try_from(pointer.offset - 1).map(BlockId);
        match label {
            Ok(block) if pointer.as_function() == Some(self.function_id) && targets.contains(&block) => {
                self.goto(block)
            }
            Ok(_) | Err(_) => {
                let message = format!("computed goto to something that is no label of `{}`", self.function.source_name);
                Err(self.violation(ViolationKind::OutOfBounds, message))
            }
        }
    }

    /// The function a pointer points to, or the violation.
    pub(crate) fn callee(&mut self, callee: &Operand) -> Step<FuncId> {
        if let Operand::Address(Address::Func(function)) = callee {
            return Ok(*function);
        }
        let pointer = self.pointer(callee, "the called function pointer")?;
        match pointer.as_function() {
            Some(function) if pointer.offset == 0 && function.0 < self.program.functions.len() as u32 => Ok(function),
            Some(_) => Err(self.violation(ViolationKind::OutOfBounds, "call into the middle of a function".into())),
            None if pointer.object == 0 => {
                let message = format!("call through {}", self.describe_wild(pointer));
                Err(self.bad_pointer(pointer, ViolationKind::NullDereference, message))
            }
            None => {
                let message = format!("call of {}, which is no function", self.describe_object(pointer));
                Err(self.violation(ViolationKind::OutOfBounds, message))
            }
        }
    }

    fn call(&mut self, dst: Option<RegId>, via: &Operand, args: &[Operand]) -> Step {
        let callee = self.callee(via)?;
        let loc = self.loc();
        if self.state.threads[self.thread].frames.len() as u32 >= self.machine.options.max_frames {
            let what = format!(
                "more than {} nested calls, the innermost of `{}`",
                self.machine.options.max_frames, self.program.functions[callee].source_name
            );
            return Err(Box::new(Stop::Limit { what, loc }));
        }
        let adapted = self.adapted_arguments(callee, via, args)?;
        let args = if adapted.is_some() { &[] } else { args };
        self.index += 1;
        self.save();
        let program = self.program;
        let body = &program.functions[callee];
        let new_base = self.state.threads[self.thread].regs.len();
        self.state.threads[self.thread].enter(program, callee, adapted.as_deref().unwrap_or_default(), dst);
        for (param, arg) in body.params.iter().zip(args) {
            // Operands are still those of the caller: the place in `self` moves only afterwards.
            let value = self.operand(arg);
            self.state.threads[self.thread].regs[new_base + param.0 as usize] = value;
        }
        self.restore();
        self.observer.called(self.state, self.thread, callee, loc);
        Ok(())
    }

    pub(crate) fn leave(&mut self, value: Option<&Operand>) -> Step {
        let value = match value {
            Some(value) => Some(self.adapted_result(self.operand(value))?),
            None => None,
        };
        self.observer.returned(self.state, self.thread, self.function_id, value);
        let loc = self.loc();
        let at = self.thread;
        let frame = self.state.threads[at].frames.pop().expect("a running thread should have an activation");
        while self.state.threads[at].slots.len() > frame.slot_base as usize {
            if let Some(pointer) = self.state.threads[at].slots.pop()
                && pointer != Pointer::NULL
            {
                self.end(pointer, loc);
            }
        }
        while self.state.threads[at].allocas.len() > frame.alloca_base as usize {
            if let Some(pointer) = self.state.threads[at].allocas.pop() {
                self.end(pointer, loc);
            }
        }
        let thread = &mut self.state.threads[at];
        thread.regs.truncate(frame.reg_base as usize);
        if thread.frames.is_empty() {
            thread.is_ended = true;
            for (_, pointer) in std::mem::take(&mut thread.locals) {
                self.end(pointer, loc);
            }
            self.observer.thread_ended(self.state, at);
            // A region ends with its thread.
            self.state.atomic = None;
            return Err(Box::new(Stop::ThreadEnded));
        }
        self.restore();
        if let Some(dst) = frame.dst {
            self.assign(dst, value.unwrap_or(Value::Undef));
        }
        Ok(())
    }

    fn end_thread(&mut self) -> Step {
        // The end of the last activation stops.
        loop {
            self.leave(None)?;
        }
    }

    fn exit(&mut self, code: &Operand, is_abort: bool) -> Step {
        // Nothing depends on the status any more: one value of an open input speaks for all.
        let value = self.state.witnessed(self.operand(code), 32);
        let Some(code) = self.int(value, 32)? else {
            return Err(self.violation(ViolationKind::Uninitialized, "the exit status is indeterminate".into()));
        };
        if !is_abort && self.machine.options.checks.contains(ViolationKind::Leak) {
            self.save();
            if let Some(violation) = self.machine.find_leak(self.state, self.thread) {
                return Err(Box::new(Stop::Violated(violation)));
            }
        }
        Err(Box::new(Stop::Exited { code: code as u32 as i32, is_abort }))
    }

    // ---- values at hand ----

    /// The value of an operand. Inputs with one value left are concrete.
    #[inline(always)]
    pub(crate) fn operand(&self, operand: &Operand) -> Value {
        match *operand {
            Operand::Reg(reg) => {
                let value = self.state.threads[self.thread].regs[self.base + reg.0 as usize];
                if let Value::Lazy(lazy) = value { self.settled(reg, lazy) } else { value }
            }
            Operand::Bits(ty, bits) => Value::from_bits(self.width(ty), bits),
            Operand::Slot(slot) => self.slot_address(slot),
            Operand::Null | Operand::Address(_) | Operand::Undef(_) => self.rare_operand(operand),
        }
    }

    #[cold]
    fn settled(&self, reg: RegId, lazy: super::value::Lazy) -> Value {
        self.state.settle(lazy, self.width(self.function.regs[reg].ty))
    }

    #[inline(never)]
    fn rare_operand(&self, operand: &Operand) -> Value {
        match *operand {
            Operand::Null => Value::NULL,
            Operand::Address(Address::Global(global, offset)) => {
                Value::Ptr(self.state.global(self.thread, global).at(offset))
            }
            Operand::Address(address) => Value::Ptr(constant_pointer(address)),
            Operand::Undef(_) | Operand::Reg(_) | Operand::Bits(..) | Operand::Slot(_) => Value::Undef,
        }
    }

    #[inline(always)]
    pub(crate) fn assign(&mut self, dst: RegId, value: Value) {
        let reg = &mut self.state.threads[self.thread].regs[self.base + dst.0 as usize];
        let old = std::mem::replace(reg, value);
        if self.wants.registers {
            self.observer.assigned(self.state, self.thread, self.function_id, dst, old);
        }
    }

    #[inline]
    pub(crate) fn observe_read(&mut self, object: Pointer, offset: u64, bytes: u64) {
        if self.wants.accesses {
            self.observer.read(self.state, self.thread, object, offset, bytes);
        }
    }

    /// A bit-field is accessed, at an offset of an object.
    pub(crate) fn observe_location(&mut self, object: Pointer, offset: u64, bits: BitRange, is_write: bool) {
        if self.wants.accesses && (bits.before != 0 || bits.after != 0) {
            let size = self.state.memory.get(object).map_or(0, super::Object::size);
            let (offset, bytes) = bits.location(offset, size);
            self.observer.location(self.state, self.thread, object, offset, bytes, is_write);
        }
    }

    #[inline]
    pub(crate) fn observe_before_write(&mut self, object: Pointer, offset: u64, bytes: u64) {
        if self.wants.accesses {
            self.observer.before_write(self.state, self.thread, object, offset, bytes);
        }
    }

    #[inline]
    pub(crate) fn observe_written(&mut self, object: Pointer, offset: u64, bytes: u64) {
        if self.wants.accesses {
            self.observer.written(self.state, self.thread, object, offset, bytes);
        }
    }

    /// Bits of a type.
    #[inline]
    pub(crate) fn width(&self, ty: Ty) -> u32 {
        width(ty, self.program.pointer_bytes)
    }

    /// The place of the running instruction.
    #[inline]
    pub(crate) fn loc(&self) -> Loc {
        self.block.stmts.get(self.index).map_or(self.block.loc, |stmt| stmt.loc)
    }

    /// The innermost function that is no library model, and where it is.
    pub(crate) fn user_place(&self) -> (FuncId, Loc) {
        if !self.function.is_model {
            return (self.function_id, self.loc());
        }
        let frames = self.state.frames(self.program, self.thread);
        let user = frames.iter().rev().skip(1).find(|frame| !self.program.functions[frame.function].is_model);
        user.map_or((self.function_id, self.loc()), |frame| (frame.function, frame.loc))
    }

    // ---- bad ends ----

    /// A violation, or what it means if its kind was not asked for.
    #[cold]
    pub(crate) fn violation(&mut self, kind: ViolationKind, message: String) -> Box<Stop> {
        if !self.looks_for(kind) {
            return self.not_looked_for(kind, &message);
        }
        self.save();
        let mut frames: Vec<_> =
            self.state.frames(self.program, self.thread).iter().map(|frame| (frame.function, frame.loc)).collect();
        let loc = self.loc();
        if let Some(last) = frames.last_mut() {
            last.1 = loc;
        }
        let function = self.function.source_name.clone();
        Box::new(Stop::Violated(Violation { kind, message, loc, function, thread: self.thread, frames }))
    }

    #[cold]
    pub(crate) fn unmodelled(&self, what: String) -> Box<Stop> {
        Box::new(Stop::Unmodelled { loc: self.loc(), what })
    }
}

/// Bits of a type.
#[inline]
pub(crate) fn width(ty: Ty, pointer_bytes: u8) -> u32 {
    match ty {
        Ty::Int(width) => u32::from(width),
        Ty::F32 => 32,
        Ty::F64 => 64,
        Ty::F80 => 80,
        Ty::F128 => 128,
        Ty::Ptr => u32::from(pointer_bytes) * 8,
    }
}

/// Bytes of value a type takes in memory.
#[inline]
pub fn stored_bytes(ty: Ty, pointer_bytes: u8) -> u64 {
    match ty {
        Ty::Int(width) => u64::from(width).div_ceil(8).next_power_of_two(),
        Ty::F32 => 4,
        Ty::F64 => 8,
        Ty::F80 => 10,
        Ty::F128 => 16,
        Ty::Ptr => u64::from(pointer_bytes),
    }
}
