//! Code generation: the control-flow graph of a thread becomes a process whose locations are the thread's scheduling
//! points (macro steps between visible operations).
//!
//! Outside atomic regions a thread has a scheduling point before every operation that is visible to other threads. A
//! step is a `d_step` over the instructions up to the next scheduling point; where the program waits for a condition
//! the step cannot be taken at all, which is what `undoes` of the model means. A nondeterministic choice is a
//! scheduling point with a transition for each value. Inside an atomic region it is one too, but no other thread may
//! run in between: the steps around it are atomic, and the region is left through an extra location from which one step
//! that is not atomic leads on (`atomic_exit`).

use std::cell::RefCell;
use std::collections::HashMap;

use unpick_automaton::{Automaton, Binary, Expr, Index, Location, LocationId, Place, Scalar, Scope, Step, Transition};
use unpick_base::Span;
use unpick_base::id::Id as _;
use unpick_program::interp::Checks;
use unpick_program::{Operand, RegId, StmtKind, Ty};

use crate::Untranslatable;
use crate::arith::{Arith, FailedCheck, Value, binary, equal, number};
use crate::colour::Colours;
use crate::graph::{Arg, Graph, Op, Role, VarId, is_plain};
use crate::layout::{Layout, accesses, touched};
use crate::objects::{Objects, pointer};
use crate::points_to::PointsTo;
use crate::translation::LocationMeaning;

/// Choices with more values are refused.
const MAX_VALUES: i128 = 16;

/// Layout of data that belongs to no object.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// In the global frame: one byte for each thread: 0 before it is started, 1 while it runs, 2 when it has ended.
    pub status_at: u32,
    pub n_threads: u32,
    /// In the global frame: how many threads were started.
    pub count_at: u32,
    /// In the global frame: whether the program is over, if its end is a step.
    pub over_at: Option<u32>,
    /// In the global frame: the arguments of each thread.
    pub args_at: Vec<u32>,
    /// Arguments that are equal for all threads, by position.
    pub constants: Vec<Option<i32>>,
    /// In the frame of a process: its variables.
    pub vars_at: Vec<u32>,
}

impl Frame {
    pub fn status(&self, thread: usize) -> Place {
        Place {
            scope: Scope::Global,
            offset: self.status_at + thread as u32,
            indices: Vec::new(),
            scalar: Scalar::Byte,
        }
    }

    pub fn count(&self) -> Place {
        Place { scope: Scope::Global, offset: self.count_at, indices: Vec::new(), scalar: Scalar::Byte }
    }

    /// Whether the program is over.
    pub fn over(&self) -> Option<Place> {
        let place = |offset| Place { scope: Scope::Global, offset, indices: Vec::new(), scalar: Scalar::Byte };
        self.over_at.map(place)
    }

    /// The place of a thread's argument; none if it is the same for all threads.
    pub fn arg(&self, thread: usize, at: usize) -> Option<Place> {
        let is_constant = |at: &usize| self.constants.get(*at).copied().flatten().is_some();
        if is_constant(&at) {
            return None;
        }
        let n_before = (0..at).filter(|at| !is_constant(at)).count();
        let offset = self.args_at[thread] + 4 * n_before as u32;
        Some(Place { scope: Scope::Global, offset, indices: Vec::new(), scalar: Scalar::Int })
    }

    fn any_status(&self, thread: Expr) -> Place {
        let index = Index { expr: thread, count: self.n_threads, stride: 1, span: Span::NONE };
        Place { indices: vec![index], ..self.status(0) }
    }
}

/// Generates the process of a thread.
pub(crate) struct Emitter<'a, 'p> {
    pub graph: &'a Graph<'p>,
    pub points_to: &'a PointsTo,
    pub layout: &'a Layout,
    pub objects: &'a RefCell<Objects>,
    pub colours: &'a Colours,
    pub frame: &'a Frame,
    /// Variables of each thread that may be live at its scheduling points.
    pub live_at_points: &'a [Vec<VarId>],
    /// The first functions of threads, as pointers.
    functions: &'a [i32],
    /// What counts as a violation.
    checks: Checks,
    automaton: Automaton,
    scheduling_points: HashMap<usize, LocationId>,
    inner: HashMap<(usize, bool), LocationId>,
    atomic_exits: HashMap<LocationId, LocationId>,
    waiting: Vec<(usize, bool, LocationId)>,
    open_points: Vec<(usize, LocationId)>,
    failures: HashMap<Option<&'static str>, LocationId>,
    pub meanings: HashMap<LocationId, LocationMeaning>,
    ended: LocationId,
    needs_spare: bool,
}

/// Whether a node is a scheduling point.
pub(crate) fn is_scheduling_point(
    graph: &Graph<'_>,
    node: usize,
    points_to: &PointsTo,
    layout: &Layout,
    objects: &mut Objects,
) -> bool {
    let number = node;
    let node = &graph.nodes[node];
    let is_choice = matches!(node.op, Op::Stmt(StmtKind::Choose { .. } | StmtKind::AtomicCas { is_weak: true, .. }));
    if is_choice {
        return true;
    }
    if node.n_regions > 0 {
        return false;
    }
    match &node.op {
        Op::End(_) | Op::Exit => return true,
        Op::Stmt(StmtKind::Progress) => return graph.role == Role::Thread { marks: true },
        Op::Stmt(StmtKind::AtomicBegin | StmtKind::Spawn { .. } | StmtKind::ThreadEnded { .. }) => return true,
        _ => {}
    }
    let accesses = accesses(graph, number, objects).unwrap_or_default();
    let mut places = accesses.iter().flat_map(|access| points_to.of(graph.thread, access.addr));
    let is_shared = |object| layout.get(object).is_shared();
    let is_make = matches!(node.op, Op::Make(..));
    places.any(|place| is_shared(place.object)) || !is_make && touched(graph, node).into_iter().any(is_shared)
}

impl<'a, 'p> Emitter<'a, 'p> {
    #[expect(clippy::too_many_arguments, reason = "all that is known of the program")]
    pub fn new(
        graph: &'a Graph<'p>,
        points_to: &'a PointsTo,
        layout: &'a Layout,
        objects: &'a RefCell<Objects>,
        colours: &'a Colours,
        frame: &'a Frame,
        live_at_points: &'a [Vec<VarId>],
        functions: &'a [i32],
        checks: Checks,
    ) -> Self {
        let mut emitter = Self {
            graph,
            points_to,
            layout,
            objects,
            colours,
            frame,
            live_at_points,
            functions,
            checks,
            automaton: Automaton::default(),
            scheduling_points: HashMap::new(),
            inner: HashMap::new(),
            atomic_exits: HashMap::new(),
            waiting: Vec::new(),
            open_points: Vec::new(),
            failures: HashMap::new(),
            meanings: HashMap::new(),
            ended: LocationId(0),
            needs_spare: false,
        };
        emitter.fresh(false);
        emitter.ended = emitter.fresh(false);
        emitter.meanings.insert(emitter.ended, LocationMeaning::Ended);
        emitter
    }

    /// The process, the meaning of its locations, and the number of its variables.
    pub fn run(mut self) -> Result<(Automaton, HashMap<LocationId, LocationMeaning>, u32), Untranslatable> {
        let start = self.fresh(false);
        self.meanings.insert(start, LocationMeaning::Start);
        let first = self.location_of(self.graph.entry, self.has_inner_choice(self.graph.entry));
        let begun = self.begin(first);
        let is_atomic = self.has_inner_choice(self.graph.entry);
        self.automaton.locations[start].transitions.push(transition(Step::DStep(begun), None, is_atomic));
        self.automaton.start = Some(start);
        loop {
            if let Some((node, at)) = self.open_points.pop() {
                self.emit_point(node, at)?;
            } else if let Some((node, has_inner_choice, at)) = self.waiting.pop() {
                let n_before = self.automaton.locations.len();
                let body = self.body(node, has_inner_choice)?;
                self.put(at, body, n_before);
            } else {
                break;
            }
            if self.automaton.locations.len() > usize::from(u16::MAX) {
                return Untranslatable::new("a thread of too many locations");
            }
        }
        let stays = self.meanings.iter().filter(|(_, meaning)| {
            matches!(
                meaning,
                LocationMeaning::Start | LocationMeaning::Ended | LocationMeaning::Exit(_) | LocationMeaning::Over
            )
        });
        let stays: Vec<LocationId> = stays.map(|(location, _)| *location).collect();
        for location in stays {
            let is_first = self.graph.thread == 0 && Some(location) == self.automaton.start;
            self.automaton.locations[location].is_end = !is_first;
        }
        let n_places = self.colours.n_places + u32::from(self.needs_spare);
        let (automaton, meanings) = renumbered(&self.automaton, &self.meanings);
        Ok((automaton, meanings, n_places))
    }

    /// A thread waits until it is started, then takes its arguments.
    fn begin(&mut self, to: LocationId) -> LocationId {
        let thread = self.graph.thread;
        let mut to = to;
        if thread == 0 {
            return self.step(Step::Skip, to);
        }
        for (at, param) in self.graph.params.iter().enumerate() {
            let Some(arg) = self.frame.arg(thread, at) else {
                let value = self.frame.constants[at].unwrap_or(0);
                to = self.step(Step::Assign(self.var(*param), number(value)), to);
                continue;
            };
            to = self.step(Step::Assign(arg.clone(), number(0)), to);
            to = self.step(Step::Assign(self.var(*param), Expr::Load(Box::new(arg))), to);
        }
        let is_started = equal(Expr::Load(Box::new(self.frame.status(thread))), 1);
        self.location(vec![(Step::Condition(is_started), to)])
    }

    // ---- places and locations ----

    pub fn var(&self, var: VarId) -> Place {
        self.local(self.colours.of[var.0 as usize])
    }

    /// A temporary place within one instruction.
    pub fn spare(&mut self) -> Place {
        self.needs_spare = true;
        self.local(self.colours.n_places)
    }

    fn local(&self, at: u32) -> Place {
        let offset = self.frame.vars_at[self.graph.thread] + 4 * at;
        Place { scope: Scope::Local, offset, indices: Vec::new(), scalar: Scalar::Int }
    }

    pub fn expr(&self, arg: Arg) -> Option<Expr> {
        match arg {
            Arg::Var(var) => Some(Expr::Load(Box::new(self.var(var)))),
            Arg::Const(value) => Some(number(value)),
            Arg::Undef | Arg::Strange => None,
        }
    }

    fn fresh(&mut self, is_in_d_step: bool) -> LocationId {
        self.automaton.locations.push(Location { is_in_d_step, ..Location::default() })
    }

    /// A location inside a step.
    pub fn location(&mut self, ways: Vec<(Step, LocationId)>) -> LocationId {
        let at = self.fresh(true);
        self.automaton.locations[at].transitions =
            ways.into_iter().map(|(step, target)| transition(step, Some(target), false)).collect();
        at
    }

    pub fn step(&mut self, step: Step, to: LocationId) -> LocationId {
        self.location(vec![(step, to)])
    }

    pub fn check(&mut self, condition: Expr, failure: FailedCheck, to: LocationId) -> LocationId {
        let failure = self.failure(failure);
        self.location(vec![(Step::Condition(condition), to), (Step::Else, failure)])
    }

    pub fn checks(&mut self, checks: &[(Expr, FailedCheck)], to: LocationId) -> LocationId {
        checks.iter().rev().fold(to, |to, (condition, failure)| self.check(condition.clone(), *failure, to))
    }

    pub fn refuse(&mut self, what: &'static str) -> LocationId {
        self.failure(FailedCheck::Refused(what))
    }

    pub fn failure(&mut self, failure: FailedCheck) -> LocationId {
        let key = match failure {
            FailedCheck::Violation => None,
            FailedCheck::Refused(what) => Some(what),
        };
        if let Some(known) = self.failures.get(&key) {
            return *known;
        }
        let end = self.fresh(false);
        self.meanings.insert(end, key.map_or(LocationMeaning::Violated, LocationMeaning::Refused));
        let at = self.step(Step::Assert(number(0)), end);
        self.failures.insert(key, at);
        at
    }

    /// Makes a location behave as the body that was just generated for it.
    fn put(&mut self, at: LocationId, body: LocationId, n_before: usize) {
        let made = &self.automaton.locations[body];
        let is_new = body.index() >= n_before && !made.transitions.is_empty() && made.is_in_d_step;
        let transitions = match is_new {
            true => made.transitions.clone(),
            false => vec![transition(Step::Skip, Some(body), false)],
        };
        self.automaton.locations[at].transitions = transitions;
    }

    // ---- scheduling points ----

    fn is_scheduling_point(&self, node: usize) -> bool {
        is_scheduling_point(self.graph, node, self.points_to, self.layout, &mut self.objects.borrow_mut())
    }

    /// Whether the step that begins with a node may reach a choice inside an atomic region.
    fn has_inner_choice(&self, node: usize) -> bool {
        let graph = self.graph;
        let mut seen = vec![false; graph.nodes.len()];
        let mut open = vec![node];
        let mut is_first = true;
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) && !is_first {
                continue;
            }
            if self.is_scheduling_point(at) && !(is_first && at == node) {
                if graph.nodes[at].n_regions > 0 {
                    return true;
                }
                continue;
            }
            is_first = false;
            open.extend(&graph.nodes[at].next);
        }
        false
    }

    /// The location of a node: its scheduling point, or its code inside a step.
    fn location_of(&mut self, node: usize, has_inner_choice: bool) -> LocationId {
        if !self.is_scheduling_point(node) {
            if let Some(known) = self.inner.get(&(node, has_inner_choice)) {
                return *known;
            }
            let at = self.fresh(true);
            self.inner.insert((node, has_inner_choice), at);
            self.waiting.push((node, has_inner_choice, at));
            return at;
        }
        let emit_point = match self.scheduling_points.get(&node) {
            Some(known) => *known,
            None => {
                let at = self.fresh(false);
                self.scheduling_points.insert(node, at);
                self.open_points.push((node, at));
                let pc = self.graph.nodes[node].pc;
                let meaning = match self.graph.nodes[node].op {
                    Op::Exit => LocationMeaning::Exit(pc.into()),
                    _ => LocationMeaning::At(pc.into()),
                };
                self.meanings.insert(at, meaning);
                at
            }
        };
        let is_atomic = self.graph.nodes[node].n_regions > 0;
        if has_inner_choice && !is_atomic { self.atomic_exit(emit_point) } else { emit_point }
    }

    /// A location outside the atomic region that leads on to a scheduling point.
    fn atomic_exit(&mut self, to: LocationId) -> LocationId {
        if let Some(known) = self.atomic_exits.get(&to) {
            return *known;
        }
        let at = self.fresh(false);
        self.automaton.locations[at].transitions.push(transition(Step::Skip, Some(to), false));
        self.meanings.insert(at, LocationMeaning::AtomicExit);
        self.atomic_exits.insert(to, at);
        at
    }

    /// The transitions of a scheduling point.
    fn emit_point(&mut self, node: usize, at: LocationId) -> Result<(), Untranslatable> {
        let graph = self.graph;
        let is_atomic = graph.nodes[node].n_regions > 0;
        let has_inner_choice = is_atomic || self.has_inner_choice(node);
        let mut starts = Vec::new();
        match &graph.nodes[node].op {
            Op::Exit => starts.extend(self.exit().map(|start| (start, None))),
            Op::Stmt(StmtKind::Choose { dst, range, .. }) => {
                let to = self.location_of(graph.nodes[node].next[0], has_inner_choice);
                let ty = graph.ty(node, *dst);
                let dst = self.var(graph.written(node, *dst));
                match values(ty, *range) {
                    Some(values) => {
                        for (value, bits) in values {
                            starts.push((
                                self.step(Step::Assign(dst.clone(), number(value)), to),
                                Some(ChoiceOutcome::Value(bits)),
                            ));
                        }
                    }
                    None => starts.push((self.refuse("a choice of many values"), None)),
                }
            }
            Op::Stmt(StmtKind::AtomicCas { is_weak: true, .. }) => {
                starts.push((self.body(node, has_inner_choice)?, Some(ChoiceOutcome::Fails(false))));
                starts.push((self.weak(node, true, has_inner_choice)?, Some(ChoiceOutcome::Fails(true))));
            }
            _ => starts.push((self.body(node, has_inner_choice)?, None)),
        }
        let mut chosen = Vec::new();
        for (start, choice) in starts {
            // The guard of a `d_step` is its first step; a later step that blocks undoes the whole.
            let start = self.step(Step::Skip, start);
            self.automaton.locations[at].transitions.push(transition(Step::DStep(start), None, has_inner_choice));
            chosen.push(choice);
        }
        if let Some(LocationMeaning::At(point)) = self.meanings.get_mut(&at) {
            point.chosen = chosen;
            point.is_atomic = is_atomic;
        }
        self.automaton.locations[at].is_progress = matches!(graph.nodes[node].op, Op::Stmt(StmtKind::Progress));
        self.record_access(node, at)
    }

    /// The end of the program, where that is a step: from there on nobody moves, which is for others to say.
    fn exit(&mut self) -> Option<LocationId> {
        let over = self.frame.over()?;
        let at = self.fresh(false);
        self.meanings.insert(at, LocationMeaning::Over);
        Some(self.step(Step::Assign(over, number(1)), at))
    }

    /// Records the next accesses of a scheduling point, for the detection of races.
    fn record_access(&mut self, node: usize, at: LocationId) -> Result<(), Untranslatable> {
        let is_atomic = match &self.graph.nodes[node].op {
            Op::Stmt(StmtKind::Load { access, .. } | StmtKind::Store { access, .. }) => access.atomic.is_some(),
            Op::Stmt(StmtKind::AtomicRmw { .. } | StmtKind::AtomicCas { .. }) => true,
            _ => false,
        };
        let found = accesses(self.graph, node, &mut self.objects.borrow_mut())?;
        let mut next = Vec::new();
        for access in found {
            let addr = match access.addr {
                Arg::Const(value) => crate::translation::Pointing::Const(value),
                Arg::Var(var) => crate::translation::Pointing::At(self.var(var).offset),
                Arg::Undef | Arg::Strange => continue,
            };
            next.push(crate::translation::NextAccess {
                addr,
                bytes: access.bytes,
                is_write: access.is_write,
                is_atomic,
            });
        }
        if let Some(LocationMeaning::At(point)) = self.meanings.get_mut(&at) {
            point.next = next;
        }
        Ok(())
    }

    fn weak(&mut self, node: usize, fails: bool, has_inner_choice: bool) -> Result<LocationId, Untranslatable> {
        let Op::Stmt(StmtKind::AtomicCas { dst, ok, addr, expected, desired, .. }) = &self.graph.nodes[node].op else {
            return Untranslatable::new("a choice that is none");
        };
        let to = self.location_of(self.graph.nodes[node].next[0], has_inner_choice);
        let regs = (self.graph.written(node, *dst), self.graph.written(node, *ok));
        let ty = self.graph.ty(node, *dst);
        let arg = |operand: &Operand| self.operand(node, operand);
        let (addr, expected, desired) = (arg(addr)?, arg(expected)?, arg(desired)?);
        self.cas(regs, ty, addr, expected, desired, fails, to)
    }

    // ---- code of nodes ----

    /// The first location of the code of a node.
    fn body(&mut self, node: usize, has_inner_choice: bool) -> Result<LocationId, Untranslatable> {
        let graph = self.graph;
        let next: Vec<LocationId> =
            graph.nodes[node].next.iter().map(|next| self.location_of(*next, has_inner_choice)).collect();
        match &graph.nodes[node].op {
            Op::Jump => Ok(next[0]),
            Op::Stmt(stmt) => self.stmt(node, stmt, next[0]),
            Op::Branch(cond) => Ok(match self.expr(*cond) {
                Some(cond) => self.location(vec![(Step::Condition(cond), next[0]), (Step::Else, next[1])]),
                None => self.failure(FailedCheck::Violation),
            }),
            Op::Switch(value, ty, cases) => Ok(self.switch(*value, *ty, cases, &next)),
            Op::Moves(moves) => Ok(self.moves(node, moves, next[0])),
            Op::Dispatch(callee, values) => Ok(match self.expr(*callee) {
                Some(callee) => {
                    let ways = values.iter().zip(&next);
                    let ways = ways.map(|(value, to)| (Step::Condition(equal(callee.clone(), *value)), *to));
                    let mut ways: Vec<(Step, LocationId)> = ways.collect();
                    ways.push((Step::Else, self.refuse("a call through a pointer that was not expected")));
                    self.location(ways)
                }
                None => self.refuse("a call through a pointer that is indeterminate"),
            }),
            Op::Leave(slots, result) => {
                let ended = self.end_life(node, slots, next[0])?;
                Ok(self.moves(node, &result.iter().copied().collect::<Vec<_>>(), ended))
            }
            Op::Make(dst, pool, counter) => self.make(*dst, pool, *counter, next[0]),
            Op::Exit => Ok(self.refuse("the program ends inside an atomic region")),
            Op::End(slots) => {
                let ended = if has_inner_choice { self.atomic_exit(self.ended) } else { self.ended };
                let status = self.frame.status(graph.thread);
                let ended = self.step(Step::Assign(status, number(2)), ended);
                let all: Vec<_> = slots.iter().chain(&graph.locals).copied().collect();
                self.end_life(node, &all, ended)
            }
            Op::Answer(_) => Untranslatable::new("a thread with an answer"),
            Op::Refuse(what) => Ok(self.refuse(what)),
        }
    }

    /// Assigns variables; refuses an indeterminate value for a live variable.
    fn moves(&mut self, node: usize, moves: &[(VarId, Arg)], to: LocationId) -> LocationId {
        let mut to = to;
        for (var, arg) in moves.iter().rev() {
            to = match self.expr(*arg) {
                Some(value) => self.step(Step::Assign(self.var(*var), value), to),
                None if self.colours.live_out[node].has(*var) => {
                    return self.refuse("an indeterminate value is passed on");
                }
                None => to,
            };
        }
        to
    }

    fn switch(
        &mut self,
        value: Arg,
        ty: Ty,
        cases: &[(u128, u128, unpick_program::BlockId)],
        next: &[LocationId],
    ) -> LocationId {
        let (Some(value), Ty::Int(width @ (8 | 16 | 32 | 64))) = (self.expr(value), ty) else {
            return self.refuse("a switch on a rare type");
        };
        let mut ways = Vec::new();
        for ((low, high, _), to) in cases.iter().zip(next) {
            let kept = |bits: u128| match width {
                8 | 16 => i32::try_from(bits).ok(),
                32 => Some(bits as u32 as i32),
                _ => i32::try_from(bits as u64 as i64).ok(),
            };
            let condition = match (kept(*low), kept(*high)) {
                (Some(low), Some(high)) if low == high => equal(value.clone(), low),
                (Some(low), Some(high)) if low <= high => binary(
                    Binary::And,
                    binary(Binary::GreaterEqual, value.clone(), number(low)),
                    binary(Binary::LessEqual, value.clone(), number(high)),
                ),
                _ => return self.refuse("a switch over large numbers"),
            };
            ways.push((Step::Condition(condition), *to));
        }
        ways.push((Step::Else, next[cases.len()]));
        self.location(ways)
    }

    fn stmt(&mut self, node: usize, stmt: &StmtKind, to: LocationId) -> Result<LocationId, Untranslatable> {
        let graph = self.graph;
        let var = |reg: RegId| graph.written(node, reg);
        let ty = |reg: RegId| graph.ty(node, reg);
        Ok(match stmt {
            StmtKind::Assign(dst, rvalue) => {
                let value = |operand: &Operand| self.operand(node, operand);
                let expr = |arg| self.expr(arg);
                let found = match is_plain(ty(*dst)) {
                    true => Arith { value: &value, expr: &expr }.rvalue(rvalue)?,
                    false => None,
                };
                let is_undefined = match rvalue {
                    unpick_program::Rvalue::Use(operand) => self.operand(node, operand)? == Arg::Undef,
                    _ => false,
                };
                match found {
                    Some(Value { checks, expr }) => {
                        let done = self.step(Step::Assign(self.var(var(*dst)), expr), to);
                        self.checks(&checks, done)
                    }
                    None if is_undefined && !self.colours.live_out[node].has(var(*dst)) => to,
                    None => self.refuse("a computation that is not translated"),
                }
            }
            StmtKind::Load { dst, addr, .. } => {
                let addr = self.operand(node, addr)?;
                self.load(var(*dst), ty(*dst), addr, to)?
            }
            StmtKind::Store { addr, value, ty, .. } => {
                let (addr, value) = (self.operand(node, addr)?, self.operand(node, value)?);
                self.store(addr, value, *ty, to)?
            }
            StmtKind::AtomicRmw { dst, op, addr, value, .. } => {
                let (addr, value) = (self.operand(node, addr)?, self.operand(node, value)?);
                self.rmw(var(*dst), ty(*dst), *op, addr, value, to)?
            }
            StmtKind::AtomicCas { dst, ok, addr, expected, desired, .. } => {
                let (expected, desired) = (self.operand(node, expected)?, self.operand(node, desired)?);
                let addr = self.operand(node, addr)?;
                self.cas((var(*dst), var(*ok)), ty(*dst), addr, expected, desired, false, to)?
            }
            StmtKind::MemCopy { dst, src, bytes, .. } => {
                let bytes = self.operand(node, bytes)?;
                let (dst, src) = (self.operand(node, dst)?, self.operand(node, src)?);
                self.copy(dst, src, bytes, to)?
            }
            StmtKind::MemSet { dst, byte, bytes } => {
                let (byte, bytes) = (self.operand(node, byte)?, self.operand(node, bytes)?);
                let dst = self.operand(node, dst)?;
                self.set(dst, byte, bytes, to)?
            }
            StmtKind::SlotLive(slot) | StmtKind::SlotDead(slot) => {
                self.end_life(node, &[graph.slot(graph.nodes[node].instance, *slot)], to)?
            }
            StmtKind::Assert { kind, .. } if !self.checks.contains(*kind) => to,
            StmtKind::Assert { cond, .. } => match self.operand(node, cond)? {
                Arg::Const(0) => self.failure(FailedCheck::Violation),
                cond => match self.expr(cond) {
                    Some(cond) => self.check(cond, FailedCheck::Violation, to),
                    None => self.failure(FailedCheck::Violation),
                },
            },
            StmtKind::CheckIndex { index, len, one_past } => {
                let index = self.operand(node, index)?;
                let last = i64::try_from(*len).unwrap_or(i64::MAX) - i64::from(!*one_past);
                match (self.expr(index), i32::try_from(last)) {
                    (Some(index), Ok(last)) => {
                        let is_below = binary(Binary::LessEqual, index.clone(), number(last));
                        let is_above = binary(Binary::GreaterEqual, index, number(0));
                        self.check(binary(Binary::And, is_above, is_below), FailedCheck::Violation, to)
                    }
                    _ => self.refuse("an index that is large or indeterminate"),
                }
            }
            StmtKind::Wait(cond) => {
                let cond = self.operand(node, cond)?;
                match self.expr(cond) {
                    Some(_) if graph.nodes[node].n_regions == 0 => self.refuse("a wait outside atomic regions"),
                    Some(cond) if graph.nodes[node].has_chosen => {
                        self.check(cond, FailedCheck::Refused("a wait behind a choice in one region"), to)
                    }
                    Some(cond) => self.location(vec![(Step::Condition(cond), to)]),
                    None => self.failure(FailedCheck::Violation),
                }
            }
            StmtKind::Spawn { dst, callee, args } => self.spawn(node, var(*dst), callee, args, to)?,
            StmtKind::SelfThread(dst) => self.step(Step::Assign(self.var(var(*dst)), number(graph.thread as i32)), to),
            StmtKind::ThreadEnded { dst, thread } => {
                let thread = self.operand(node, thread)?;
                let Some(thread) = self.expr(thread) else { return Ok(self.refuse("a thread without a number")) };
                let status = Expr::Load(Box::new(self.frame.any_status(thread.clone())));
                let done = self.step(Step::Assign(self.var(var(*dst)), equal(status.clone(), 2)), to);
                let is_started = self.check(status, FailedCheck::Refused("a thread that was not started"), done);
                let is_below = binary(Binary::Less, thread.clone(), number(self.frame.n_threads as i32));
                let is_number = binary(Binary::And, binary(Binary::GreaterEqual, thread, number(0)), is_below);
                self.check(is_number, FailedCheck::Refused("a thread that was not expected"), is_started)
            }
            StmtKind::Progress if graph.nodes[node].n_regions > 0 && graph.role == Role::Thread { marks: true } => {
                self.refuse("a mark of progress inside an atomic region")
            }
            StmtKind::Fence(_)
            | StmtKind::Progress
            | StmtKind::Hold { .. }
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd => to,
            StmtKind::Assume(_) => self.refuse("an assumption of the program"),
            StmtKind::LoadBits { .. }
            | StmtKind::StoreBits { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Free { .. }
            | StmtKind::ObjectSize { .. }
            | StmtKind::MemAny { .. }
            | StmtKind::Call { .. }
            | StmtKind::Choose { .. }
            | StmtKind::Note(_)
            | StmtKind::Unmodelled(_)
            | StmtKind::Output { .. }
            | StmtKind::SetJump { .. }
            | StmtKind::LongJump { .. }
            | StmtKind::Interrupts { .. } => self.refuse("an instruction that is not translated"),
        })
    }

    fn spawn(
        &mut self,
        node: usize,
        dst: VarId,
        callee: &Operand,
        args: &[Operand],
        to: LocationId,
    ) -> Result<LocationId, Untranslatable> {
        let callee = self.operand(node, callee)?;
        let Some(callee) = self.expr(callee) else { return Ok(self.refuse("a thread of nothing")) };
        let mut given = Vec::new();
        for arg in args {
            let arg = self.operand(node, arg)?;
            let Some(arg) = self.expr(arg) else {
                return Ok(self.refuse("a thread begins with an indeterminate value"));
            };
            given.push(arg);
        }
        let count = self.frame.count();
        let mut ways = Vec::new();
        for (at, function) in self.functions.iter().enumerate() {
            let thread = at + 1;
            let mut to = self.step(Step::Assign(self.var(dst), number(thread as i32)), to);
            to = self.step(Step::Assign(count.clone(), number(thread as i32 + 1)), to);
            to = self.step(Step::Assign(self.frame.status(thread), number(1)), to);
            for (at, arg) in given.iter().enumerate() {
                if let Some(place) = self.frame.arg(thread, at) {
                    to = self.step(Step::Assign(place, arg.clone()), to);
                }
            }
            let is_next = equal(Expr::Load(Box::new(count.clone())), thread as i32);
            let is_function = equal(callee.clone(), *function);
            ways.push((Step::Condition(binary(Binary::And, is_next, is_function)), to));
        }
        let more = self.refuse("a thread that was not expected");
        ways.push((Step::Else, more));
        Ok(self.location(ways))
    }
}

/// The reachable locations in postorder (each after its successors, cycles aside), so that backward analyses over locations
/// in ascending order converge quickly.
fn renumbered(
    automaton: &Automaton,
    meanings: &HashMap<LocationId, LocationMeaning>,
) -> (Automaton, HashMap<LocationId, LocationMeaning>) {
    let next = |at: LocationId| -> Vec<LocationId> {
        let transitions = automaton.locations[at].transitions.iter();
        transitions
            .filter_map(|transition| match transition.step {
                Step::DStep(start) => Some(start),
                _ => transition.target,
            })
            .collect()
    };
    let mut numbers: HashMap<LocationId, LocationId> = HashMap::new();
    let mut order = vec![LocationId(0)];
    let mut seen = vec![false; automaton.locations.len()];
    let start = automaton.start.expect("a process should have a first location");
    let mut stack = vec![(start, next(start))];
    seen[start.index()] = true;
    while let Some((at, open)) = stack.last_mut() {
        match open.pop() {
            Some(target) if std::mem::replace(&mut seen[target.index()], true) => {}
            Some(target) => stack.push((target, next(target))),
            None => {
                numbers.insert(*at, LocationId(order.len() as u32));
                order.push(*at);
                stack.pop();
            }
        }
    }
    let mut renumbered = Automaton { start: numbers.get(&start).copied(), ..Automaton::default() };
    for old in order {
        let mut location = automaton.locations[old].clone();
        for transition in &mut location.transitions {
            transition.target = transition.target.map(|target| numbers[&target]);
            if let Step::DStep(start) = &mut transition.step {
                *start = numbers[start];
            }
        }
        renumbered.locations.push(location);
    }
    let meanings = meanings.iter().filter_map(|(at, meaning)| Some((*numbers.get(at)?, meaning.clone()))).collect();
    (renumbered, meanings)
}

/// The outcome of a choice that a transition stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceOutcome {
    /// The bits of a value.
    Value(u128),
    /// Whether a weak compare and exchange fails spuriously.
    Fails(bool),
}

/// The values of a choice, as they are kept and as bits.
fn values(ty: Ty, range: Option<(i128, i128)>) -> Option<Vec<(i32, u128)>> {
    let Ty::Int(width @ (1 | 8 | 16 | 32 | 64)) = ty else { return None };
    let (low, high) = match range {
        Some(range) => range,
        None if width == 1 => (0, 1),
        None => return None,
    };
    if high - low >= MAX_VALUES || high < low {
        return None;
    }
    let mask = if width == 64 { u128::from(u64::MAX) } else { (1 << width) - 1 };
    let kept = |value: i128| {
        let bits = value as u128 & mask;
        let kept = if width < 32 { bits as i32 } else { i32::try_from(value).ok()? };
        Some((kept, bits))
    };
    (low..=high).map(kept).collect()
}

fn transition(step: Step, target: Option<LocationId>, is_atomic: bool) -> Transition {
    Transition { step, target, is_atomic, escape: None, statement: 0, span: Span::NONE }
}

/// The number of a function as a pointer.
pub(crate) fn function_pointer(objects: &mut Objects, function: unpick_program::FuncId) -> Result<i32, Untranslatable> {
    pointer(objects.function(function)?, 0)
}
