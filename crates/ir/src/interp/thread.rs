//! Threads, atomic regions, guarded selection and channels.
//!
//! An instruction that cannot go on has no effect; inside an atomic region or a guard, what came before it in the
//! region is undone too. Whether a thread can do a step is found out by trying on a copy.

use std::rc::Rc;

use super::choice::{Choice, ChoiceKind};
use super::exec::{Exec, Step};
use super::object::{Channel, Object, ObjectKind};
use super::state::{Atomic, Held};
use super::value::{Pointer, Value};
use super::{Machine, Observer, Silent, State, Stop, Until};
use crate::{
    BinOp, BlockId, FuncId, InterruptOp, LockOp, Operand, Program, RecvField, RegId, RmwOp, Stmt, StmtKind, Terminator,
    Ty, ViolationKind,
};

/// A trial that runs longer than this counts as able to go on.
pub(crate) const TRIAL_FUEL: u64 = 100_000;

impl Machine<'_> {
    /// The threads that can do a step.
    pub fn runnable(&self, state: &State) -> Vec<usize> {
        if let Some(atomic) = &state.atomic {
            return vec![atomic.thread];
        }
        (0..state.threads.len()).filter(|thread| self.can_step(state, *thread)).collect()
    }
}

/// Whether some instruction of the program waits for other threads.
pub(crate) fn may_block(program: &Program) -> bool {
    let mut blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.any(|block| {
        matches!(block.terminator, Terminator::Select { .. }) || block.stmts.iter().any(|stmt| is_blocking(&stmt.kind))
    })
}

/// Whether some instruction of the program starts a thread.
pub(crate) fn has_threads(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::Spawn { .. }))
}

/// Whether the instruction waits for other threads.
pub(crate) fn is_blocking(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Wait(_) | StmtKind::Send { .. } | StmtKind::Recv { .. } => true,
        StmtKind::Interrupts { op, .. } => *op == InterruptOp::Enter,
        _other => false,
    }
}

impl<'p, O: Observer + ?Sized> Exec<'_, 'p, O> {
    // ---- atomic accesses ----

    pub(crate) fn atomic_rmw(&mut self, dst: RegId, op: RmwOp, addr: &Operand, value: &Operand) -> Step {
        let ty = self.function.regs[dst].ty;
        let pointer = self.pointer(addr, "the address of an atomic access")?;
        let old = self.load_slow(pointer, ty)?;
        let right = self.operand(value);
        let combined = match op {
            RmwOp::Exchange => right,
            RmwOp::Add => self.binary(BinOp::Add, ty, old, right)?,
            RmwOp::Sub => self.binary(BinOp::Sub, ty, old, right)?,
            RmwOp::And => self.binary(BinOp::And, ty, old, right)?,
            RmwOp::Or => self.binary(BinOp::Or, ty, old, right)?,
            RmwOp::Xor => self.binary(BinOp::Xor, ty, old, right)?,
            RmwOp::Nand => {
                let both = self.binary(BinOp::And, ty, old, right)?;
                self.unary(crate::UnOp::Not, ty, both)?
            }
        };
        let len = super::exec::stored_bytes(ty, self.program.pointer_bytes);
        self.store_value(pointer, combined, ty, len)?;
        self.assign(dst, old);
        Ok(())
    }

    pub(crate) fn atomic_cas(
        &mut self,
        dst: RegId,
        ok: RegId,
        addr: &Operand,
        expected: &Operand,
        desired: &Operand,
        is_weak: bool,
    ) -> Step {
        let ty = self.function.regs[dst].ty;
        let pointer = self.pointer(addr, "the address of an atomic access")?;
        let old = self.load_slow(pointer, ty)?;
        // Also when it fails, what others write decides.
        let len = super::exec::stored_bytes(ty, self.program.pointer_bytes);
        self.observe_read(pointer.at(0), pointer.offset as u64, len);
        let (expected, desired) = (self.operand(expected), self.operand(desired));
        let compared = match ty {
            Ty::Int(_) | Ty::Ptr => self.compare(crate::CmpOp::Eq, ty, old, expected)?,
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => self.compare(crate::CmpOp::FEq, ty, old, expected)?,
        };
        let Value::Bits(is_equal) = compared else {
            let message = "an atomic comparison depends on an indeterminate value".into();
            return Err(self.violation(ViolationKind::Uninitialized, message));
        };
        let mut is_equal = is_equal == 1;
        if is_equal && is_weak {
            match self.state.threads[self.thread].picked.take() {
                Some(fails) => is_equal = fails == 0,
                None => {
                    let label = "a weak compare and exchange may fail".into();
                    let choice =
                        Choice { kind: ChoiceKind::Fail, n_options: 2, label, loc: self.loc(), thread: self.thread };
                    return Err(Box::new(Stop::Choice(choice)));
                }
            }
        }
        if is_equal {
            self.store_value(pointer, desired, ty, len)?;
        }
        self.assign(dst, old);
        self.assign(ok, Value::from_bool(is_equal));
        Ok(())
    }

    // ---- atomic regions ----

    pub(crate) fn atomic_begin(&mut self) {
        match &mut self.state.atomic {
            Some(atomic) => atomic.depth += 1,
            None => {
                self.save();
                // Nobody goes on with the state of a trial that blocks.
                let is_kept = self.machine.may_block && !self.is_trial;
                let start = is_kept.then(|| Rc::new(self.state.clone()));
                self.state.atomic = Some(Atomic { thread: self.thread, depth: 1, start });
            }
        }
    }

    pub(crate) fn atomic_end(&mut self) -> Step {
        if let Some(atomic) = &mut self.state.atomic {
            atomic.depth -= 1;
            if atomic.depth == 0 {
                self.state.atomic = None;
                // Whether the region goes through is all that a trial wants to know.
                if self.is_trial && !self.in_guard {
                    return Err(Box::new(Stop::Fuel));
                }
            }
        }
        Ok(())
    }

    /// The thread cannot go on: undoes the atomic region it is in. What was learned about inputs stays, because it
    /// is why the region blocks.
    pub(crate) fn blocked(&mut self) -> Box<Stop> {
        if let Some(start) = self.state.atomic.take().and_then(|atomic| atomic.start) {
            let inputs = std::mem::replace(self.state, (*start).clone()).inputs;
            for (input, later) in self.state.inputs.iter_mut().zip(inputs) {
                if let (Some(input), Some(later)) = (input, later)
                    && input.serial == later.serial
                {
                    input.domain = later.domain;
                }
            }
            self.restore();
        }
        Box::new(Stop::Blocked)
    }

    pub(crate) fn wait(&mut self, cond: &Operand) -> Step {
        if !self.condition(cond, "a wait")? {
            return Err(self.blocked());
        }
        self.guard_passed()
    }

    /// Behind the first instruction of an arm that could have blocked.
    fn guard_passed(&mut self) -> Step {
        let was_guard = std::mem::take(&mut self.in_guard);
        if was_guard && self.is_trial {
            return Err(Box::new(Stop::Fuel));
        }
        Ok(())
    }

    // ---- threads ----

    pub(crate) fn spawn(&mut self, dst: RegId, callee: &Operand, args: &[Operand]) -> Step {
        let function: FuncId = self.callee(callee)?;
        let args: Vec<Value> = args.iter().map(|arg| self.operand(arg)).collect();
        for arg in &args {
            if let Value::Ptr(pointer) = arg {
                self.state.memory.publish(*pointer);
            }
        }
        let thread = self.state.start_thread(self.program, function, &args);
        self.state.threads[thread].parent = Some(self.thread as u32);
        self.state.threads[thread].known_ended = self.state.threads[self.thread].known_ended;
        self.observer.spawned(self.state, self.thread, thread);
        self.is_alone = false;
        self.assign(dst, Value::Bits(thread as u64));
        Ok(())
    }

    pub(crate) fn thread_ended(&mut self, dst: RegId, thread: &Operand) -> Step {
        let number = self.operand(thread);
        let ended = match self.int(number, 32)? {
            Some(number) => self.state.threads.get(number as usize).map(|thread| (number as usize, thread.is_ended)),
            None => None,
        };
        if let Some((number, is_ended)) = ended {
            self.observer.asked_for_end(self.state, self.thread, number);
            if is_ended {
                self.state.threads[self.thread].known_ended.insert(number);
            }
        }
        let ended = ended.map(|(_, is_ended)| is_ended);
        self.assign(dst, ended.map_or(Value::Undef, Value::from_bool));
        Ok(())
    }

    pub(crate) fn hold(&mut self, addr: &Operand, op: LockOp, is_exclusive: bool) -> Step {
        let lock = self.pointer(addr, "the address of a lock")?;
        let lock = Held { lock, is_exclusive };
        let held = &mut self.state.threads[self.thread].held;
        match op {
            LockOp::Take => {
                held.push(lock);
                self.observer.taken(self.state, self.thread, lock);
            }
            LockOp::Get => held.push(lock),
            LockOp::Give => {
                if let Some(at) = held.iter().rposition(|held| *held == lock) {
                    held.remove(at);
                }
            }
        }
        Ok(())
    }

    // ---- guarded selection ----

    pub(crate) fn select(&mut self, arms: &'p [BlockId], otherwise: Option<BlockId>) -> Step {
        if let Some(arm) = self.state.threads[self.thread].picked.take() {
            let target = arms.get(arm as usize).copied().or(otherwise).expect("the arm should exist");
            self.goto(target).ok();
            self.in_guard = true;
            return Ok(());
        }
        let open: Vec<u32> = (0..arms.len() as u32).filter(|arm| self.arm_is_open(arms[*arm as usize])).collect();
        match (&open[..], otherwise) {
            ([], None) => Err(self.blocked()),
            ([], Some(target)) => self.goto(target),
            ([only], _) => {
                self.goto(arms[*only as usize]).ok();
                self.in_guard = true;
                Ok(())
            }
            (_, _) => Err(self.arm_choice(open)),
        }
    }

    fn arm_choice(&self, arms: Vec<u32>) -> Box<Stop> {
        let n_options = arms.len() as u128;
        let kind = ChoiceKind::Arm { arms: arms.into() };
        let label = "which alternative goes on".into();
        Box::new(Stop::Choice(Choice { kind, n_options, label, loc: self.loc(), thread: self.thread }))
    }

    /// Whether an arm's guard lets through, tried on a copy.
    fn arm_is_open(&mut self, arm: BlockId) -> bool {
        self.save();
        let mut trial = self.state.clone();
        // Blocking inside the arm must not undo the atomic region around the selection.
        trial.atomic = None;
        let mut silent = Silent;
        let until = Until { fuel: TRIAL_FUEL, ..Until::NEVER };
        let mut exec = Exec::new(self.machine, &mut trial, self.thread, until, &mut silent);
        exec.goto(arm).ok();
        exec.in_guard = true;
        exec.is_trial = true;
        // The arm's own block decides: without a guard in it, the arm is open.
        let has_guard = exec.block.stmts.iter().any(|stmt| is_blocking(&stmt.kind));
        !has_guard || *exec.go() != Stop::Blocked
    }

    // ---- channels ----

    pub(crate) fn chan_new(&mut self, dst: RegId, capacity: u32, fields: &[Ty]) {
        let mut object = Object::new(ObjectKind::Channel, 0, 1, self.loc());
        object.channel = Some(Box::new(Channel { capacity, fields: fields.to_vec(), messages: Vec::new() }));
        let pointer = self.state.memory.add(object);
        self.assign(dst, Value::Ptr(pointer));
    }

    /// The channel a pointer points to.
    fn channel(&mut self, chan: &Operand) -> Step<(Pointer, &Channel)> {
        let pointer = self.pointer(chan, "a channel")?;
        if self.state.memory.get(pointer).is_none_or(|object| object.channel.is_none()) {
            let message = "a message goes through something that is no channel".into();
            return Err(self.violation(ViolationKind::NullDereference, message));
        }
        self.observer.used_channel(self.state, self.thread, pointer);
        let object = self.state.memory.get(pointer).expect("the channel was just seen");
        Ok((pointer, object.channel.as_ref().expect("the channel was just seen")))
    }

    pub(crate) fn chan_len(&mut self, dst: RegId, chan: &Operand) -> Step {
        let (_, channel) = self.channel(chan)?;
        let len = channel.messages.len() as u64;
        self.assign(dst, Value::Bits(len));
        Ok(())
    }

    pub(crate) fn send(&mut self, chan: &Operand, values: &[Operand], is_sorted: bool) -> Step {
        let message: Vec<Value> = values.iter().map(|value| self.operand(value)).collect();
        let (pointer, channel) = self.channel(chan)?;
        let (capacity, len) = (channel.capacity as usize, channel.messages.len());
        let fields = channel.fields.clone();
        for value in &message {
            if let Value::Ptr(target) = value {
                self.state.memory.publish(*target);
            }
        }
        if capacity == 0 {
            return self.hand_over(pointer, &message, &fields);
        }
        if len >= capacity {
            return Err(self.blocked());
        }
        let at = if is_sorted { self.sorted_position(pointer, &message, &fields)? } else { len };
        let object = self.state.memory.get_mut(pointer).expect("the channel was just seen");
        object.channel.as_mut().expect("the channel was just seen").messages.insert(at, message);
        self.guard_passed()
    }

    /// Where a message keeps the channel sorted: before the first one that is greater.
    fn sorted_position(&mut self, pointer: Pointer, message: &[Value], fields: &[Ty]) -> Step<usize> {
        let numbers = |exec: &mut Self, message: &[Value]| -> Step<Vec<i128>> {
            message.iter().zip(fields).map(|(value, ty)| exec.number(*value, *ty)).collect()
        };
        let mine = numbers(self, message)?;
        let object = self.state.memory.get(pointer).expect("the channel was just seen");
        let messages = object.channel.as_ref().expect("the channel was just seen").messages.clone();
        for (at, other) in messages.iter().enumerate() {
            if numbers(self, other)? > mine {
                return Ok(at);
            }
        }
        Ok(messages.len())
    }

    /// A field as a number, for order and matching.
    fn number(&mut self, value: Value, ty: Ty) -> Step<i128> {
        let width = self.width(ty);
        match self.int(value, width)? {
            Some(bits) => Ok(super::narrow::sign_extend(bits, width)),
            None => Err(self.violation(ViolationKind::Uninitialized, "an indeterminate message is compared".into())),
        }
    }

    /// Gives a message directly to a thread that waits for it.
    fn hand_over(&mut self, channel: Pointer, message: &[Value], fields: &[Ty]) -> Step {
        self.save();
        let mut partners: Vec<(usize, Option<BlockId>)> = Vec::new();
        for thread in 0..self.state.threads.len() {
            if thread == self.thread {
                continue;
            }
            for arm in self.receiving_places(thread) {
                if self.would_take(thread, arm, channel, message, fields)? {
                    partners.push((thread, arm));
                }
            }
        }
        let picked = self.state.threads[self.thread].picked.take();
        let partner = match (&partners[..], picked) {
            ([], _) => return Err(self.blocked()),
            ([only], None) => *only,
            (_, Some(at)) => partners[at as usize],
            (_, None) => return Err(self.arm_choice((0..partners.len() as u32).collect())),
        };
        self.deliver(partner.0, partner.1, message);
        self.guard_passed()
    }

    /// Where a thread may be about to receive: its next instruction, or the first of each arm of a selection.
    fn receiving_places(&self, thread: usize) -> Vec<Option<BlockId>> {
        let Some(frame) = self.state.threads[thread].frames.last() else { return Vec::new() };
        let block = &self.program.functions[frame.function].blocks[frame.block];
        match (block.stmts.get(frame.index as usize), &block.terminator) {
            (Some(Stmt { kind: StmtKind::Recv { .. }, .. }), _) => vec![None],
            (None, Terminator::Select { arms, .. }) => arms.iter().map(|arm| Some(*arm)).collect(),
            (_, _) => Vec::new(),
        }
    }

    /// The receive at a place of another thread.
    fn receive_at(&self, thread: usize, arm: Option<BlockId>) -> Option<(&'p Operand, &'p [RecvField])> {
        let frame = self.state.threads[thread].frames.last()?;
        let (block, index) = arm.map_or((frame.block, frame.index as usize), |arm| (arm, 0));
        match self.program.functions[frame.function].blocks[block].stmts.get(index) {
            Some(Stmt { kind: StmtKind::Recv { chan, fields, .. }, .. }) => Some((chan, fields)),
            _ => None,
        }
    }

    /// The value of an operand in another thread.
    fn operand_of(&self, thread: usize, operand: &Operand) -> Value {
        let frame = self.state.threads[thread].frames.last().expect("the thread should have an activation");
        match operand {
            Operand::Reg(reg) => self.state.threads[thread].regs[frame.reg_base as usize + reg.0 as usize],
            Operand::Slot(slot) => {
                Value::Ptr(self.state.threads[thread].slots[frame.slot_base as usize + slot.0 as usize])
            }
            Operand::Address(crate::Address::Global(global, offset)) => {
                Value::Ptr(self.state.global(thread, *global).at(*offset))
            }
            Operand::Bits(..) | Operand::Null | Operand::Address(_) | Operand::Undef(_) => self.operand(operand),
        }
    }

    fn would_take(
        &mut self,
        thread: usize,
        arm: Option<BlockId>,
        channel: Pointer,
        message: &[Value],
        types: &[Ty],
    ) -> Step<bool> {
        let Some((chan, fields)) = self.receive_at(thread, arm) else { return Ok(false) };
        if self.operand_of(thread, chan) != Value::Ptr(channel) {
            return Ok(false);
        }
        for ((field, value), ty) in fields.iter().zip(message).zip(types) {
            if let RecvField::Match(operand) = field {
                let expected = self.operand_of(thread, operand);
                if self.number(expected, *ty)? != self.number(*value, *ty)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Completes the receive of another thread.
    fn deliver(&mut self, thread: usize, arm: Option<BlockId>, message: &[Value]) {
        let (_, fields) = self.receive_at(thread, arm).expect("the partner should be receiving");
        let receiver = &mut self.state.threads[thread];
        let frame = receiver.frames.last_mut().expect("the partner should have an activation");
        for (field, value) in fields.iter().zip(message) {
            if let RecvField::Bind(reg) = field {
                receiver.regs[frame.reg_base as usize + reg.0 as usize] = *value;
            }
        }
        match arm {
            None => frame.index += 1,
            Some(arm) => {
                frame.block = arm;
                frame.index = 1;
            }
        }
    }

    pub(crate) fn recv(&mut self, chan: &Operand, fields: &[RecvField], is_random: bool, is_peek: bool) -> Step {
        let (pointer, channel) = self.channel(chan)?;
        let types = channel.fields.clone();
        let messages = channel.messages.clone();
        let n_candidates = if is_random { messages.len() } else { messages.len().min(1) };
        for (at, message) in messages[..n_candidates].iter().enumerate() {
            if !self.matches(fields, message, &types)? {
                continue;
            }
            if !is_peek {
                let object = self.state.memory.get_mut(pointer).expect("the channel was just seen");
                object.channel.as_mut().expect("the channel was just seen").messages.remove(at);
            }
            for (field, value) in fields.iter().zip(message) {
                if let RecvField::Bind(reg) = field {
                    self.assign(*reg, *value);
                }
            }
            return self.guard_passed();
        }
        // A rendezvous is completed by the sender.
        Err(self.blocked())
    }

    fn matches(&mut self, fields: &[RecvField], message: &[Value], types: &[Ty]) -> Step<bool> {
        for ((field, value), ty) in fields.iter().zip(message).zip(types) {
            if let RecvField::Match(operand) = field {
                let expected = self.operand(operand);
                if self.number(expected, *ty)? != self.number(*value, *ty)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
