//! Control-flow graph of one thread with all calls inlined; every node knows the atomic regions around it.
//!
//! A node is an instruction in one call chain and at one depth of regions, so whether other threads may run between two
//! nodes is known from the graph alone. The registers of all call chains are variables of the thread.

use std::collections::HashMap;

use unpick_program::{
    Address, AllocKind, BlockId, CmpOp, FuncId, Function, Operand, Program, RegId, Rvalue, SlotId, Stmt, StmtKind,
    Terminator, Ty, visit,
};

use crate::Untranslatable;
use crate::layout::Cell;
use crate::objects::{Object, ObjectId, ObjectKind, Objects, pointer};
use crate::profile::{Chain, Profile, address};
use crate::webs::{self, Webs};

/// Threads with more nodes are refused.
const MAX_NODES: usize = 6_000;
/// Deeper call chains are taken for unbounded recursion.
const MAX_DEPTH: u32 = 64;

/// A variable of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) struct VarId(pub u32);

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    Var(VarId),
    Const(i32),
    /// Indeterminate.
    Undef,
    /// A constant without representation here.
    Strange,
}

/// Where a thread stands: the innermost activation, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pc {
    pub function: FuncId,
    pub block: BlockId,
    pub index: usize,
    pub depth: usize,
}

/// The operation of a node.
#[derive(Clone, Debug)]
pub(crate) enum Op<'p> {
    Stmt(&'p StmtKind),
    /// Nothing.
    Jump,
    /// To the first successor if the value is not 0, else to the second.
    Branch(Arg),
    /// To the successor of the case, or to the last.
    Switch(Arg, Ty, &'p [(u128, u128, BlockId)]),
    /// Assigns variables.
    Moves(Vec<(VarId, Arg)>),
    /// To the successor of the called function.
    Dispatch(Arg, Vec<i32>),
    /// Return: the lifetimes of these objects end, and the result goes to the caller.
    Leave(Vec<ObjectId>, Option<(VarId, Arg)>),
    /// Allocation: the next object of a pool, counted by a variable.
    Make(VarId, Vec<ObjectId>, VarId),
    /// The program ends.
    Exit,
    /// The thread ends, with its objects.
    End(Vec<ObjectId>),
    /// The value of a proposition.
    Answer(Arg),
    /// An untranslatable operation.
    Refuse(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct Node<'p> {
    pub op: Op<'p>,
    pub next: Vec<usize>,
    /// How many atomic regions are around it.
    pub n_regions: u32,
    /// A choice was made earlier in the region.
    pub has_chosen: bool,
    pub pc: Pc,
    pub instance: usize,
}

/// One activation in one call chain.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub function: FuncId,
    caller: Option<Caller>,
    first_var: u32,
    slots: Vec<ObjectId>,
    /// Which slots become variables, because their address is not taken.
    plain: Vec<bool>,
    depth: u32,
}

#[derive(Clone, Copy, Debug)]
struct Caller {
    instance: usize,
    block: BlockId,
    index: usize,
    dst: Option<RegId>,
}

/// The code of a thread.
pub(crate) struct Graph<'p> {
    pub program: &'p Program,
    pub thread: usize,
    pub nodes: Vec<Node<'p>>,
    pub entry: usize,
    pub params: Vec<VarId>,
    pub n_vars: u32,
    /// Counters from 0, live as long as the thread.
    pub counters: Vec<VarId>,
    /// Thread-local objects.
    pub locals: Vec<ObjectId>,
    pub webs: Webs,
    pub role: Role,
    instances: Vec<Instance>,
    called: HashMap<(usize, usize, FuncId), usize>,
    known: HashMap<NodeKey, usize>,
    waiting: Vec<(NodeKey, usize)>,
    made: HashMap<(usize, usize), (Vec<ObjectId>, VarId)>,
}

/// What the code of a graph is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A thread, of whose executions every end counts; with `marks`, so do its marks of progress.
    Thread { marks: bool },
    /// A proposition, which is evaluated between steps.
    Proposition,
}

/// The identity of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct NodeKey {
    instance: usize,
    block: BlockId,
    index: usize,
    n_regions: u32,
    has_chosen: bool,
}

impl<'p> Graph<'p> {
    pub fn new(
        program: &'p Program,
        thread: usize,
        (function, role): (FuncId, Role),
        profile: &Profile,
        objects: &mut Objects,
    ) -> Result<Self, Untranslatable> {
        let mut graph = Graph {
            program,
            thread,
            nodes: Vec::new(),
            entry: 0,
            params: Vec::new(),
            n_vars: 0,
            counters: Vec::new(),
            locals: Vec::new(),
            webs: Webs::default(),
            role,
            instances: Vec::new(),
            called: HashMap::new(),
            known: HashMap::new(),
            waiting: Vec::new(),
            made: HashMap::new(),
        };
        for (id, global) in program.globals.iter_enumerated() {
            if global.is_thread_local {
                graph.locals.push(objects.global(program, thread, id)?);
            }
        }
        let first = graph.instance(function, None, objects)?;
        let declared = &program.functions[function];
        graph.params = declared.params.iter().map(|param| graph.raw_var(first, *param)).collect();
        let place = NodeKey { instance: first, block: BlockId(0), index: 0, n_regions: 0, has_chosen: false };
        graph.entry = graph.at(place);
        while let Some((place, node)) = graph.waiting.pop() {
            if graph.nodes.len() > MAX_NODES {
                return Untranslatable::new("the code of a thread is too large with all calls opened out");
            }
            graph.build(place, node, profile, objects)?;
        }
        webs::rename(&mut graph, objects)?;
        Ok(graph)
    }

    pub fn raw_var(&self, instance: usize, reg: RegId) -> VarId {
        VarId(self.instances[instance].first_var + reg.0)
    }

    pub fn slot(&self, instance: usize, slot: SlotId) -> ObjectId {
        self.instances[instance].slots[slot.0 as usize]
    }

    /// The type of a register of a node.
    pub fn ty(&self, node: usize, reg: RegId) -> Ty {
        self.program.functions[self.instances[self.nodes[node].instance].function].regs[reg].ty
    }

    /// The variable that a node writes as a register.
    pub fn written(&self, node: usize, reg: RegId) -> VarId {
        self.webs.written[&(node, self.raw_var(self.nodes[node].instance, reg))]
    }

    /// An operand of a node.
    pub fn arg(&self, objects: &mut Objects, node: usize, operand: &Operand) -> Result<Arg, Untranslatable> {
        Ok(match self.raw_arg(objects, self.nodes[node].instance, operand)? {
            Arg::Var(var) => self.known_or(self.webs.read[&(node, var)]),
            arg => arg,
        })
    }

    /// A variable, or its value if that is constant.
    pub fn known_or(&self, var: VarId) -> Arg {
        self.webs.constants.get(&var).map_or(Arg::Var(var), |value| Arg::Const(*value))
    }

    /// An operand of an instance, before variables are renamed. All its objects are known since the node was made.
    pub fn raw_arg(&self, objects: &mut Objects, instance: usize, operand: &Operand) -> Result<Arg, Untranslatable> {
        Ok(match *operand {
            Operand::Reg(reg) => Arg::Var(self.raw_var(instance, reg)),
            Operand::Bits(ty, bits) => constant(ty, bits),
            Operand::Null => Arg::Const(0),
            Operand::Address(Address::Global(global, offset)) => {
                Arg::Const(pointer(objects.global(self.program, self.thread, global)?, offset)?)
            }
            Operand::Address(Address::Func(function)) => Arg::Const(pointer(objects.function(function)?, 0)?),
            Operand::Address(Address::Label(..)) => Arg::Strange,
            Operand::Slot(slot) => Arg::Const(pointer(self.slot(instance, slot), 0)?),
            Operand::Undef(_) => Arg::Undef,
        })
    }

    fn instance(
        &mut self,
        function: FuncId,
        caller: Option<Caller>,
        objects: &mut Objects,
    ) -> Result<usize, Untranslatable> {
        let declared = &self.program.functions[function];
        let depth = caller.map_or(1, |caller| self.instances[caller.instance].depth + 1);
        let first_var = self.n_vars;
        self.n_vars += (declared.regs.len() + declared.slots.len()) as u32;
        let plain = plain_slots(declared);
        let mut slots = Vec::new();
        for slot in declared.slots.iter() {
            let what = ObjectKind::Own(self.thread);
            let object = Object { what, size: 0, is_shadowed: true, is_read_only: false, is_model: false };
            slots.push(objects.add(object, slot.size)?);
        }
        self.instances.push(Instance { function, caller, first_var, slots, plain, depth });
        Ok(self.instances.len() - 1)
    }

    fn at(&mut self, place: NodeKey) -> usize {
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        let instance = &self.instances[place.instance];
        let pc =
            Pc { function: instance.function, block: place.block, index: place.index, depth: instance.depth as usize };
        let node = Node {
            op: Op::Jump,
            next: Vec::new(),
            n_regions: place.n_regions,
            has_chosen: place.has_chosen,
            pc,
            instance: place.instance,
        };
        self.nodes.push(node);
        let id = self.nodes.len() - 1;
        self.known.insert(place, id);
        self.waiting.push((place, id));
        id
    }

    fn build(
        &mut self,
        place: NodeKey,
        node: usize,
        profile: &Profile,
        objects: &mut Objects,
    ) -> Result<(), Untranslatable> {
        let program = self.program;
        let function = self.instances[place.instance].function;
        let block = &program.functions[function].blocks[place.block];
        let Some(stmt) = block.stmts.get(place.index) else {
            return self.terminator(place, node, &block.terminator, objects);
        };
        let mut operands = Vec::new();
        visit::operands(&stmt.kind, |operand| operands.push(*operand));
        for operand in operands {
            self.raw_arg(objects, place.instance, &operand)?;
        }
        let mut after = NodeKey { index: place.index + 1, ..place };
        if let Some(op) = self.plain_access(place.instance, &stmt.kind, objects)? {
            let next = vec![self.at(after)];
            return self.finish(node, op, next);
        }
        match &stmt.kind {
            StmtKind::AtomicBegin => after.n_regions += 1,
            StmtKind::AtomicEnd if place.n_regions == 0 => {
                return self.finish(node, Op::Refuse("the end of a region that did not begin"), Vec::new());
            }
            StmtKind::AtomicEnd => {
                after.n_regions -= 1;
                after.has_chosen &= after.n_regions > 0;
            }
            StmtKind::Choose { .. } => after.has_chosen |= place.n_regions > 0,
            StmtKind::AtomicCas { is_weak: true, .. } => after.has_chosen |= place.n_regions > 0,
            StmtKind::Call { dst, callee, args } => {
                let caller = Caller { instance: place.instance, block: place.block, index: place.index + 1, dst: *dst };
                return self.call(place, node, address(stmt), caller, callee, args, profile, objects);
            }
            StmtKind::Alloc { kind: AllocKind::Stack, .. } => {
                return self.finish(
                    node,
                    Op::Refuse("an object that a function makes and that ends with it"),
                    Vec::new(),
                );
            }
            StmtKind::Alloc { dst, bytes, contents, .. } => {
                let seen = (self.thread, self.chain(place.instance), address(stmt));
                let n_made = profile.made.get(&seen).copied().unwrap_or(0);
                let Operand::Bits(_, size) = *bytes else {
                    return self.finish(node, Op::Refuse("an object of a size that varies"), Vec::new());
                };
                if *contents == unpick_program::Contents::Any {
                    return self.finish(node, Op::Refuse("an object that holds anything"), Vec::new());
                }
                let is_shadowed = *contents == unpick_program::Contents::Indeterminate;
                let key = (place.instance, address(stmt));
                let (pool, counter) = self.pool(key, n_made, size as u64, is_shadowed, objects)?;
                let next = vec![self.at(after)];
                return self.finish(node, Op::Make(self.raw_var(place.instance, *dst), pool, counter), next);
            }
            _ => {}
        }
        let next = vec![self.at(after)];
        self.finish(node, Op::Stmt(&stmt.kind), next)
    }

    /// The operation of an access to a slot that became a variable.
    fn plain_access(
        &self,
        instance: usize,
        stmt: &StmtKind,
        objects: &mut Objects,
    ) -> Result<Option<Op<'p>>, Untranslatable> {
        let of = &self.instances[instance];
        let n_regs = self.program.functions[of.function].regs.len() as u32;
        let var = |slot: &SlotId| of.plain[slot.0 as usize].then_some(VarId(of.first_var + n_regs + slot.0));
        Ok(match stmt {
            StmtKind::Load { dst, addr: Operand::Slot(slot), .. } => {
                var(slot).map(|var| Op::Moves(vec![(self.raw_var(instance, *dst), Arg::Var(var))]))
            }
            StmtKind::Store { addr: Operand::Slot(slot), value, .. } => match var(slot) {
                Some(var) => Some(Op::Moves(vec![(var, self.raw_arg(objects, instance, value)?)])),
                None => None,
            },
            StmtKind::SlotLive(slot) | StmtKind::SlotDead(slot) => var(slot).map(|_| Op::Jump),
            _ => None,
        })
    }

    fn finish(&mut self, node: usize, op: Op<'p>, next: Vec<usize>) -> Result<(), Untranslatable> {
        self.nodes[node].op = op;
        self.nodes[node].next = next;
        Ok(())
    }

    /// The pool of objects that an instruction allocates, one after the other.
    fn pool(
        &mut self,
        key: (usize, usize),
        n_made: u32,
        size: u64,
        is_shadowed: bool,
        objects: &mut Objects,
    ) -> Result<(Vec<ObjectId>, VarId), Untranslatable> {
        if let Some(known) = self.made.get(&key) {
            return Ok(known.clone());
        }
        let counter = VarId(self.n_vars);
        self.n_vars += 1;
        self.counters.push(counter);
        let mut pool = Vec::new();
        for _ in 0..n_made {
            let what = ObjectKind::Own(self.thread);
            let object = Object { what, size: 0, is_shadowed, is_read_only: false, is_model: false };
            pool.push(objects.add(object, size)?);
        }
        self.made.insert(key, (pool.clone(), counter));
        Ok((pool, counter))
    }

    #[expect(clippy::too_many_arguments, reason = "what a call has")]
    fn call(
        &mut self,
        place: NodeKey,
        node: usize,
        stmt: usize,
        caller: Caller,
        callee: &Operand,
        args: &'p [Operand],
        profile: &Profile,
        objects: &mut Objects,
    ) -> Result<(), Untranslatable> {
        if let Operand::Address(Address::Func(function)) = callee {
            return match self.entered(place, stmt, caller, *function, args, objects)? {
                Some((moves, next)) => self.finish(node, Op::Moves(moves), vec![next]),
                None => self.finish(node, Op::Refuse("a call that is not opened out"), Vec::new()),
            };
        }
        let called = profile.callees.get(&(self.thread, stmt)).cloned().unwrap_or_default();
        let (mut values, mut next) = (Vec::new(), Vec::new());
        for function in called {
            let Some((moves, entry)) = self.entered(place, stmt, caller, function, args, objects)? else {
                continue;
            };
            values.push(pointer(objects.function(function)?, 0)?);
            // The node of the moves corresponds to no instruction of the program.
            let moving = Node { op: Op::Moves(moves), next: vec![entry], ..self.nodes[node].clone() };
            self.nodes.push(moving);
            next.push(self.nodes.len() - 1);
        }
        let callee = self.raw_arg(objects, place.instance, callee)?;
        self.finish(node, Op::Dispatch(callee, values), next)
    }

    /// The moves into a function's parameters, and its first node; nothing if it is not inlined.
    #[expect(clippy::type_complexity, reason = "moves and where they lead")]
    fn entered(
        &mut self,
        place: NodeKey,
        stmt: usize,
        caller: Caller,
        function: FuncId,
        args: &[Operand],
        objects: &mut Objects,
    ) -> Result<Option<(Vec<(VarId, Arg)>, usize)>, Untranslatable> {
        let declared = &self.program.functions[function];
        let is_deep = self.instances[place.instance].depth >= MAX_DEPTH || self.is_running(place.instance, function);
        if is_deep || args.len() != declared.params.len() || declared.is_variadic {
            return Ok(None);
        }
        let key = (place.instance, stmt, function);
        let instance = match self.called.get(&key) {
            Some(known) => *known,
            None => {
                let made = self.instance(function, Some(caller), objects)?;
                self.called.insert(key, made);
                made
            }
        };
        let mut moves = Vec::new();
        for (param, arg) in declared.params.iter().zip(args) {
            moves.push((self.raw_var(instance, *param), self.raw_arg(objects, place.instance, arg)?));
        }
        let entry = self.at(NodeKey { instance, block: BlockId(0), index: 0, ..place });
        Ok(Some((moves, entry)))
    }

    /// The calls around an instance, the outermost first.
    fn chain(&self, instance: usize) -> Chain {
        let mut chain = Chain::new();
        let mut at = self.instances[instance].caller;
        while let Some(caller) = at {
            let around = &self.instances[caller.instance];
            chain.push((around.function, caller.block, caller.index - 1));
            at = around.caller;
        }
        chain.reverse();
        chain
    }

    fn is_running(&self, instance: usize, function: FuncId) -> bool {
        let mut at = Some(instance);
        while let Some(instance) = at.map(|at| &self.instances[at]) {
            if instance.function == function {
                return true;
            }
            at = instance.caller.map(|caller| caller.instance);
        }
        false
    }

    fn terminator(
        &mut self,
        place: NodeKey,
        node: usize,
        terminator: &'p Terminator,
        objects: &mut Objects,
    ) -> Result<(), Untranslatable> {
        let to = |graph: &mut Self, block: BlockId| graph.at(NodeKey { block, index: 0, ..place });
        match terminator {
            Terminator::Goto(target) => {
                let next = vec![to(self, *target)];
                self.finish(node, Op::Jump, next)
            }
            Terminator::Branch { cond, then, otherwise } => {
                let function = &self.program.functions[self.instances[place.instance].function];
                if let Some(is_so) = decided(&function.blocks[place.block].stmts, cond) {
                    let next = vec![to(self, if is_so { *then } else { *otherwise })];
                    return self.finish(node, Op::Jump, next);
                }
                let cond = self.raw_arg(objects, place.instance, cond)?;
                let next = vec![to(self, *then), to(self, *otherwise)];
                self.finish(node, Op::Branch(cond), next)
            }
            Terminator::Switch { value, ty, cases, default } => {
                let value = self.raw_arg(objects, place.instance, value)?;
                let mut next: Vec<usize> = cases.iter().map(|(_, _, target)| to(self, *target)).collect();
                next.push(to(self, *default));
                self.finish(node, Op::Switch(value, *ty, cases), next)
            }
            Terminator::Return(value) => {
                let Instance { caller, slots, .. } = self.instances[place.instance].clone();
                let value = match value {
                    Some(value) => self.raw_arg(objects, place.instance, value)?,
                    None => Arg::Undef,
                };
                let Some(caller) = caller else {
                    let op = if self.role == Role::Proposition { Op::Answer(value) } else { Op::End(slots) };
                    return self.finish(node, op, Vec::new());
                };
                let result = caller.dst.map(|dst| (self.raw_var(caller.instance, dst), value));
                let Caller { instance, block, index, .. } = caller;
                let next = vec![self.at(NodeKey { instance, block, index, ..place })];
                self.finish(node, Op::Leave(slots, result), next)
            }
            Terminator::Exit { .. } => self.finish(node, Op::Exit, Vec::new()),
            Terminator::EndThread => {
                let mut slots = Vec::new();
                let mut at = Some(place.instance);
                while let Some(instance) = at {
                    slots.extend_from_slice(&self.instances[instance].slots);
                    at = self.instances[instance].caller.map(|caller| caller.instance);
                }
                self.finish(node, Op::End(slots), Vec::new())
            }
            Terminator::IndirectGoto { .. } => self.finish(node, Op::Refuse("a jump through a pointer"), Vec::new()),
            Terminator::Unreachable => self.finish(node, Op::Refuse("an execution that is of no interest"), Vec::new()),
        }
    }
}

/// Slots of a function that are only loaded from and stored to, always as a whole and as the same type.
fn plain_slots(function: &Function) -> Vec<bool> {
    let mut types: Vec<Option<Ty>> = vec![None; function.slots.len()];
    let mut plain = vec![true; function.slots.len()];
    let mut see = |slot: SlotId, ty: Option<Ty>| {
        let (known, size) = (&mut types[slot.0 as usize], function.slots[slot].size);
        let is_whole = ty.and_then(Cell::of).is_some_and(|cell| cell.size as u64 == size);
        let is_same = known.is_none_or(|known| Some(known) == ty);
        plain[slot.0 as usize] &= is_whole && is_same;
        *known = ty;
    };
    for block in function.blocks.iter() {
        for stmt in &block.stmts {
            let addressed = match &stmt.kind {
                StmtKind::Load { dst, addr: Operand::Slot(slot), .. } => {
                    see(*slot, Some(function.regs[*dst].ty));
                    continue;
                }
                StmtKind::Store { addr: Operand::Slot(slot), ty, value, .. } if *value != Operand::Slot(*slot) => {
                    see(*slot, Some(*ty));
                    Some(*slot)
                }
                _ => None,
            };
            visit::operands(&stmt.kind, |operand| {
                if let Operand::Slot(slot) = operand
                    && Some(*slot) != addressed
                {
                    see(*slot, None);
                }
            });
        }
        visit::terminator_operands(&block.terminator, |operand| {
            if let Operand::Slot(slot) = operand {
                see(*slot, None);
            }
        });
    }
    plain
}

/// The value of a condition that compares two constants in the same block, such as sizes of types.
fn decided(stmts: &[Stmt], cond: &Operand) -> Option<bool> {
    let Operand::Reg(reg) = cond else { return None };
    let writes = |stmt: &&Stmt| {
        let mut is_written = false;
        visit::written(&stmt.kind, |written| is_written |= written == reg);
        is_written
    };
    match &stmts.iter().rev().find(writes)?.kind {
        StmtKind::Assign(_, Rvalue::Compare(op, _, Operand::Bits(_, left), Operand::Bits(_, right))) => match op {
            CmpOp::Eq => Some(left == right),
            CmpOp::Ne => Some(left != right),
            _ => None,
        },
        _ => None,
    }
}

/// A constant in the representation of its type.
fn constant(ty: Ty, bits: u128) -> Arg {
    match ty {
        Ty::Int(1 | 8 | 16) => Arg::Const(bits as i32),
        Ty::Int(32) => Arg::Const(bits as u32 as i32),
        Ty::Int(64) => i32::try_from(bits as u64 as i64).map_or(Arg::Strange, Arg::Const),
        Ty::Ptr => i16::try_from(bits as u64 as i64).map_or(Arg::Strange, |bits| Arg::Const(bits.into())),
        Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => Arg::Strange,
    }
}

/// Whether a type has a representation here.
pub(crate) fn is_plain(ty: Ty) -> bool {
    matches!(ty, Ty::Int(1 | 8 | 16 | 32 | 64) | Ty::Ptr)
}
