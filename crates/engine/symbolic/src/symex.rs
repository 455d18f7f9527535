//! Symbolic execution of a program with one state for all paths to a place (King 1976; joins as in large-block encoding,
//! Beyer et al. 2009): activations are walked block by block in a weak topological order, and states are joined wherever
//! they meet.
//!
//! The stack of activations is that of one execution: a call is walked in place, its returns become one state again, and
//! the caller goes on. Loops are unrolled as far as states arrive at their heads. What goes wrong, what is assumed, and
//! what has no meaning here goes to the log in the order of execution (`log.rs`), where the solver decides it.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use unpick_base::IdVec;
use unpick_program::analysis::{Analyses, Liveness};
use unpick_program::{FuncId, GlobalId, Loc, Program, RegId, Terminator};
use unpick_system::{Control, Coverage, PropertySet, Reason, Site, Strategy};
use unpick_term::{Term, Terms};

use crate::goals::{Died, Step};
use crate::guard::{Guard, Guards};
use crate::log::{About, Log};
use crate::memory::Memory;
use crate::object::{Ground, Object, ObjectKind};
use crate::order::{BlockOrder, Place, Position};
use crate::solve::{Feasible, Interrupted, Solving};
use crate::state::State;
use crate::value::{ObjectId, Value};

/// More nested calls than the interpreter follows.
pub(crate) const MAX_FRAMES: usize = 10_000;

/// One symbolic execution.
pub(crate) struct Symex<'p> {
    pub(crate) program: &'p Program,
    pub(crate) properties: PropertySet,
    pub(crate) strategy: &'p Strategy,
    pub(crate) control: &'p dyn Control,
    pub(crate) terms: Terms,
    pub(crate) guards: Guards,
    pub(crate) log: Log,
    pub(crate) solving: Solving<'p>,
    analyses: Analyses<'p>,
    liveness: Liveness,
    orders: IdVec<FuncId, Option<Rc<BlockOrder>>>,
    stack: Vec<Activation>,
    pub(crate) n_objects: u32,
    /// Ways of calls through pointers so far.
    pub(crate) n_ways: u32,
    /// Loops whose exits depend on inputs come round at most so often.
    pub(crate) bound: u32,
    pub(crate) work: Work,
    /// What was walked.
    pub(crate) coverage: Coverage,
}

/// What was done, in numbers.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Work {
    pub(crate) instructions: u64,
    pub(crate) joins: u64,
    pub(crate) max_depth: u64,
    since_poll: u64,
}

/// One call that is at work.
struct Activation {
    function: FuncId,
    /// States by where they stand.
    pending: BTreeMap<Position, Vec<(Place, State)>>,
    /// States at returns; their only register is the value.
    returned: Vec<State>,
    /// The guard of the call.
    entry: Guard,
    caller: Option<Suspended>,
    /// The guard at the head of each loop when it last came round, by the position of the head without its own iteration.
    heads: HashMap<Vec<u32>, Guard>,
}

/// What a caller waits with.
struct Suspended {
    place: Place,
    dst: Option<RegId>,
    state: State,
}

/// What comes after an instruction.
pub(crate) enum Next {
    /// The next instruction.
    Go,
    /// The callee's activation; the state has gone with it.
    Called,
}

impl<'p> Symex<'p> {
    pub(crate) fn new(
        program: &'p Program,
        properties: PropertySet,
        strategy: &'p Strategy,
        control: &'p dyn Control,
        bound: u32,
    ) -> Self {
        Symex {
            program,
            properties,
            strategy,
            control,
            terms: Terms::new(),
            guards: Guards::new(),
            log: Log::default(),
            solving: Solving::new(program, properties, strategy, control),
            analyses: Analyses::new(program),
            liveness: Liveness::new(program),
            orders: program.functions.iter().map(|_| None).collect(),
            stack: Vec::new(),
            n_objects: 0,
            n_ways: 0,
            bound,
            work: Work::default(),
            coverage: Coverage::default(),
        }
    }

    /// Walks the whole program, and decides what was met also if that was not all.
    pub(crate) fn run(&mut self, entry: FuncId) -> Result<(), Interrupted> {
        let end = self.walk_all(entry);
        if matches!(end, Ok(()) | Err(Interrupted::Spent)) {
            self.flush()?;
        }
        end
    }

    fn walk_all(&mut self, entry: FuncId) -> Result<(), Interrupted> {
        let state = self.initial(entry);
        self.enter(entry, state, None);
        while let Some(activation) = self.stack.last_mut() {
            match activation.pending.pop_first() {
                Some((_, arrivals)) => {
                    if let Some((place, state)) = self.arrive(arrivals)? {
                        self.walk(place, state)?;
                    }
                }
                None => self.finish_activation()?,
            }
        }
        Ok(())
    }

    /// Whether to stop; asked often.
    pub(crate) fn tick(&mut self) -> Result<(), Interrupted> {
        self.work.instructions += 1;
        self.work.since_poll += 1;
        if self.work.since_poll >= 256 || self.control.is_urgent() {
            self.work.since_poll = 0;
            self.solving.poll(&self.terms, &self.work)?;
        }
        Ok(())
    }

    fn initial(&mut self, entry: FuncId) -> State {
        let mut memory = Memory::default();
        for (id, global) in self.program.globals.iter_enumerated() {
            let ground = match &global.init.any {
                Some(label) => Ground::Unknown(label.as_str().into()),
                None => Ground::Bytes(global.init.bytes.as_slice().into()),
            };
            let size = self.terms.constant(64, u128::from(global.size));
            let mut object = Object::new(ObjectKind::Global(id), size, global.align, ground);
            object.is_read_only = global.is_read_only;
            for (offset, address) in &global.init.pointers {
                let bytes = u64::from(self.program.pointer_bytes);
                if offset + bytes <= global.size {
                    let value = self.address(*address);
                    let piece = crate::content::Piece::store(&mut self.terms, value, bytes);
                    object.write(&mut self.terms, *offset, vec![piece]);
                }
            }
            memory.put(Self::global(id), object);
        }
        self.n_objects = self.program.globals.len() as u32;
        let (regs, slots) = self.frame(entry);
        State { guard: Guard::ALWAYS, known: Guard::ALWAYS, regs, slots, allocas: Rc::default(), memory }
    }

    /// The object of a global: they come first.
    pub(crate) fn global(id: GlobalId) -> ObjectId {
        ObjectId(id.0)
    }

    /// Registers and stack objects of a new activation.
    #[allow(clippy::type_complexity)]
    fn frame(&mut self, function: FuncId) -> (Rc<Vec<Value>>, Rc<Vec<Option<crate::value::Targets>>>) {
        let body = &self.program.functions[function];
        let widths: Vec<u32> = body.regs.iter().map(|reg| self.width(reg.ty)).collect();
        let regs = widths.into_iter().map(|width| Value::undefined(&mut self.terms, width)).collect();
        (Rc::new(regs), Rc::new(vec![None; body.slots.len()]))
    }

    /// The function and instruction at work.
    pub(crate) fn function(&self) -> FuncId {
        self.stack.last().expect("an activation should be at work").function
    }

    /// How often a function is at work.
    fn nesting(&self, function: FuncId) -> usize {
        self.stack.iter().filter(|activation| activation.function == function).count()
    }

    /// A place of the program by its name.
    pub(crate) fn site(&self, loc: Loc) -> Site {
        Site::new(self.program, loc)
    }

    fn order(&mut self, function: FuncId) -> Rc<BlockOrder> {
        let body = &self.program.functions[function];
        self.orders[function].get_or_insert_with(|| Rc::new(BlockOrder::new(body))).clone()
    }

    // ---- activations ----

    fn enter(&mut self, function: FuncId, state: State, caller: Option<Suspended>) {
        let entry = state.guard;
        let pending = BTreeMap::new();
        self.coverage.functions.insert(function);
        self.stack.push(Activation { function, pending, returned: Vec::new(), entry, caller, heads: HashMap::new() });
        self.work.max_depth = self.work.max_depth.max(self.stack.len() as u64);
        let place = Place::entry(self.analyses.loops(function));
        self.arrive_later(place, state);
    }

    /// A state waits at a place of the activation at work.
    pub(crate) fn arrive_later(&mut self, place: Place, state: State) {
        let function = self.function();
        let order = self.order(function);
        let position = order.position(self.analyses.loops(function), &place);
        let activation = self.stack.last_mut().expect("an activation should be at work");
        activation.pending.entry(position).or_default().push((place, state));
    }

    /// Calls a function from a place; `loc` is that of the call.
    pub(crate) fn call(
        &mut self,
        place: &Place,
        mut state: State,
        (callee, args, dst): (FuncId, Vec<Value>, Option<RegId>),
        loc: Loc,
    ) -> Result<(), Interrupted> {
        if self.stack.len() >= MAX_FRAMES {
            let site = self.site(loc);
            let what = format!("more than {MAX_FRAMES} nested calls");
            self.refuse(&mut state, Reason::Recursion { what, site });
            return Ok(());
        }
        if self.is_cut_by_recursion(&mut state, callee, loc)? {
            return Ok(());
        }
        let (mut regs, slots) = self.frame(callee);
        let params = &self.program.functions[callee].params;
        let all = Rc::make_mut(&mut regs);
        for (param, arg) in params.iter().zip(args) {
            all[param.0 as usize] = arg;
        }
        let inner = State { regs, slots, allocas: Rc::default(), ..state.clone() };
        let place = Place { index: place.index + 1, callee: None, ..place.clone() };
        self.enter(callee, inner, Some(Suspended { place, dst, state }));
        Ok(())
    }

    /// Recursion is a loop on the function, with its own bound.
    fn is_cut_by_recursion(&mut self, state: &mut State, callee: FuncId, loc: Loc) -> Result<bool, Interrupted> {
        let nesting = self.nesting(callee) as u32;
        let last = self.stack.iter().rev().find(|activation| activation.function == callee);
        let Some(last) = last.map(|activation| activation.entry) else { return Ok(false) };
        if last == state.guard {
            return Ok(false);
        }
        if is_asked(nesting) && self.feasible(state)? == Feasible::No {
            self.kill(state);
            return Ok(true);
        }
        if nesting >= self.bound {
            let name = &self.program.functions[callee].source_name;
            let what = format!("the recursion of `{name}` goes on after {nesting} nested calls");
            let reason = Reason::Recursion { what, site: self.site(loc) };
            self.cut(state, reason);
            return Ok(true);
        }
        Ok(false)
    }

    /// All states of the activation have returned or are over.
    fn finish_activation(&mut self) -> Result<(), Interrupted> {
        let activation = self.stack.pop().expect("an activation should be at work");
        let returned = activation.returned;
        if returned.is_empty() {
            return Ok(());
        }
        let Some(mut result) = self.join_all(returned, &[RegId(0)], self.program.functions[activation.function].loc)
        else {
            return Ok(());
        };
        // All executions of the call that are not over came back.
        result.guard = activation.entry;
        let Some(caller) = activation.caller else {
            return self.end(&mut result);
        };
        let Suspended { place, dst, state } = caller;
        let value = result.regs[0].clone();
        let State { guard, known, memory, .. } = result;
        let mut state = State { guard, known, memory, ..state };
        if let Some(dst) = dst {
            Rc::make_mut(&mut state.regs)[dst.0 as usize] = value;
        }
        self.walk(place, state)
    }

    /// A state comes back from its function.
    pub(crate) fn leave(&mut self, mut state: State, value: Option<Value>) {
        self.end_frame(&mut state);
        let value = value.unwrap_or_else(|| Value::undefined(&mut self.terms, 1));
        state.regs = Rc::new(vec![value]);
        state.slots = Rc::default();
        state.allocas = Rc::default();
        let activation = self.stack.last_mut().expect("an activation should be at work");
        activation.returned.push(state);
    }

    // ---- joins ----

    /// The one state of all that have arrived at a place; none if its executions are known not to exist or are cut.
    fn arrive(&mut self, mut arrivals: Vec<(Place, State)>) -> Result<Option<(Place, State)>, Interrupted> {
        let place = arrivals[0].0.clone();
        let function = self.function();
        let mut state = if arrivals.len() == 1 {
            arrivals.pop().expect("there should be a state").1
        } else {
            let live = self.liveness.at(self.program, function, place.block, place.index).to_vec();
            let loc = self.program.functions[function].blocks[place.block].loc;
            let states = arrivals.into_iter().map(|(_, state)| state).collect();
            let Some(state) = self.join_all(states, &live, loc) else { return Ok(None) };
            state
        };
        state.guard = self.guards.normal(&mut self.terms, state.guard);
        let activation = self.stack.last().expect("an activation should be at work");
        if activation.pending.is_empty() && activation.returned.is_empty() {
            // All other executions of the activation are over.
            state.guard = activation.entry;
        }
        if place.index == 0 && self.is_over_at_head(&place, &mut state)? {
            return Ok(None);
        }
        Ok(Some((place, state)))
    }

    /// Joins states at one place, those first that parted last.
    fn join_all(&mut self, mut states: Vec<State>, live: &[RegId], loc: Loc) -> Option<State> {
        for state in &mut states {
            state.guard = self.guards.normal(&mut self.terms, state.guard);
        }
        states.sort_by_key(|state| self.guards.depth(state.guard));
        let mut waiting: Vec<State> = Vec::new();
        while let Some(state) = states.pop() {
            let sibling = self.guards.last(state.guard).map(|(parent, literal)| {
                let other = self.terms.not(literal);
                self.guards.push(&mut self.terms, parent, other)
            });
            let at = waiting.iter().position(|other| Some(other.guard) == sibling);
            let Some(at) = at else {
                waiting.push(state);
                continue;
            };
            let other = waiting.swap_remove(at);
            if let Some(joined) = self.join(state, other, live, loc) {
                let depth = self.guards.depth(joined.guard);
                let at = states.partition_point(|state| self.guards.depth(state.guard) <= depth);
                states.insert(at, joined);
            }
        }
        let mut all = waiting.pop()?;
        while let Some(other) = waiting.pop() {
            all = self.join(all, other, live, loc)?;
        }
        Some(all)
    }

    fn join(&mut self, left: State, right: State, live: &[RegId], loc: Loc) -> Option<State> {
        self.work.joins += 1;
        let bytes = u64::from(self.program.pointer_bytes);
        let (mut one, mut other) = (left.clone(), right.clone());
        match State::join(&mut self.terms, &mut self.guards, (left, right), live, bytes) {
            Ok(mut joined) => {
                joined.guard = self.guards.normal(&mut self.terms, joined.guard);
                Some(joined)
            }
            Err(_) => {
                let site = self.site(loc);
                let what = "parts of an address and a number meet in one variable".to_owned();
                self.refuse(&mut one, Reason::Unsupported { what: what.clone(), site: site.clone() });
                self.refuse(&mut other, Reason::Unsupported { what, site });
                None
            }
        }
    }

    // ---- loops ----

    /// At the head of a loop that has come round: whether nothing is left to follow.
    fn is_over_at_head(&mut self, place: &Place, state: &mut State) -> Result<bool, Interrupted> {
        let function = self.function();
        let forest = self.analyses.loops(function);
        let Some((id, iteration)) = place.iteration(forest) else { return Ok(false) };
        let outer = place.loops.iter().filter(|(other, _)| *other != id);
        let key: Vec<u32> = outer.flat_map(|(id, iteration)| [id.0, *iteration]).chain([id.0]).collect();
        let activation = self.stack.last_mut().expect("an activation should be at work");
        let before = activation.heads.insert(key, state.guard);
        let is_bounded = self.strategy.unwind.is_some_and(|unwind| u64::from(iteration) >= unwind);
        if iteration == 0 || (before == Some(state.guard) && !is_bounded) {
            return Ok(false);
        }
        if is_asked(iteration) && self.feasible(state)? == Feasible::No {
            self.kill(state);
            return Ok(true);
        }
        let limit = self.strategy.unwind.map_or(u64::from(self.bound), |unwind| unwind.min(u64::from(self.bound)));
        if u64::from(iteration) >= limit {
            let body = &self.program.functions[function].blocks[place.block];
            let loop_head = self.site(body.loop_head.unwrap_or(body.loc));
            self.cut(state, Reason::Unwinding { loop_head, bound: u64::from(iteration) });
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether the executions of a state exist, as far as the log goes.
    pub(crate) fn feasible(&mut self, state: &State) -> Result<Feasible, Interrupted> {
        let guard = self.guards.term(state.guard);
        if guard == Term::TRUE {
            return Ok(Feasible::Unknown);
        }
        self.flush()?;
        self.solving.feasible(&mut self.terms, guard)
    }

    /// A state is not followed further, which is no reason to give up yet.
    fn cut(&mut self, state: &mut State, reason: Reason) {
        let guard = self.guards.term(state.guard);
        self.log.goal(guard, Term::FALSE, About::Cut(reason));
        self.kill(state);
    }

    // ---- blocks ----

    /// Executes a block from a place on.
    fn walk(&mut self, mut place: Place, mut state: State) -> Result<(), Interrupted> {
        let function = self.function();
        let program = self.program;
        let block = &program.functions[function].blocks[place.block];
        while let Some(stmt) = block.stmts.get(place.index) {
            self.tick()?;
            self.log.at = (function, place.block, place.index);
            self.log.loc = stmt.loc;
            self.coverage.lines.insert((stmt.loc.file, stmt.loc.line));
            match self.stmt(&mut state, &place, stmt)? {
                Ok(Next::Go) => place.index += 1,
                Ok(Next::Called) | Err(Died) => return Ok(()),
            }
        }
        self.tick()?;
        self.log.at = (function, place.block, place.index);
        self.log.loc = block.loc;
        // Whoever dies in here is over.
        match self.terminator(&mut state, &place, &block.terminator) {
            Ok(Ends::Jumped) | Err(Died) => Ok(()),
            Ok(Ends::Returned(value)) => {
                self.leave(state, value);
                Ok(())
            }
            Ok(Ends::Exited) => self.end(&mut state),
        }
    }

    fn terminator(&mut self, state: &mut State, place: &Place, terminator: &Terminator) -> Step<Ends> {
        match terminator {
            Terminator::Goto(target) => self.jump(state.clone(), place, *target),
            Terminator::Branch { cond, then, otherwise } => {
                let cond = self.condition(state, cond)?;
                self.part(state, place, cond, *then, *otherwise);
            }
            Terminator::Switch { value, ty, cases, default } => {
                self.switch(state, place, (value, *ty), cases, *default)?
            }
            Terminator::IndirectGoto { addr, targets } => self.indirect_goto(state, place, addr, targets)?,
            Terminator::Return(value) => {
                let value = value.as_ref().map(|value| self.operand(state, value));
                return Ok(Ends::Returned(value));
            }
            Terminator::Exit { code, is_abort: _ } => {
                self.exit_status(state, code)?;
                return Ok(Ends::Exited);
            }
            Terminator::EndThread => return Ok(Ends::Exited),
            Terminator::Unreachable => {
                // Control gets here only behind a check that was not asked for.
                self.log.note(unpick_program::interp::UNREACHABLE);
                self.log.has_assumption = true;
                self.kill(state);
                return Err(Died);
            }
        }
        Ok(Ends::Jumped)
    }

    /// A state goes to a block.
    pub(crate) fn jump(&mut self, state: State, place: &Place, target: unpick_program::BlockId) {
        let forest = self.analyses.loops(self.function());
        let next = place.follow(forest, target);
        self.arrive_later(next, state);
    }

    /// A state goes two ways.
    fn part(
        &mut self,
        state: &mut State,
        place: &Place,
        cond: Term,
        then: unpick_program::BlockId,
        otherwise: unpick_program::BlockId,
    ) {
        match self.decide(state, cond) {
            Some(true) => self.jump(state.clone(), place, then),
            Some(false) => self.jump(state.clone(), place, otherwise),
            None => {
                let other = self.fork(state, cond);
                self.jump(state.clone(), place, then);
                self.jump(other, place, otherwise);
            }
        }
    }

    /// Takes the executions with a condition; gives the others.
    pub(crate) fn fork(&mut self, state: &mut State, cond: Term) -> State {
        let mut other = state.clone();
        let not = self.terms.not(cond);
        self.restrict(state, cond);
        self.restrict(&mut other, not);
        other
    }

    fn restrict(&mut self, state: &mut State, cond: Term) {
        state.guard = self.guards.push(&mut self.terms, state.guard, cond);
        state.known = self.guards.push(&mut self.terms, state.known, cond);
    }

    /// The program ends here: the executions were none to be wrong.
    fn end(&mut self, state: &mut State) -> Result<(), Interrupted> {
        if !self.solving.is_feasible {
            if !self.log.has_assumption {
                self.solving.is_feasible = true;
            } else {
                self.flush()?;
                let guard = self.guards.term(state.guard);
                self.solving.reach_end(&mut self.terms, guard)?;
            }
        }
        self.kill(state);
        Ok(())
    }
}

/// How a block ends.
enum Ends {
    Jumped,
    Returned(Option<Value>),
    Exited,
}

/// Iterations at which it is asked whether a loop can go on: the first ones, then a quarter more each time.
fn is_asked(iteration: u32) -> bool {
    iteration <= 8 || iteration.is_multiple_of((iteration.next_power_of_two() / 8).max(1))
}
