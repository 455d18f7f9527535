//! Endless executions of flat models: strongly connected components of the product with a claim, found on the way.
//!
//! One depth-first search visits every state of the product once and keeps the components of what it has seen so far
//! (Couvreur's algorithm): a stack of roots, each with what its component has passed. When an edge leads back to a
//! state that is still alive, the components on the way become one; as soon as one has passed an accepting state
//! and, where only weakly fair executions count, for every process a step of it or a state in which it could not move, an
//! endless execution that violates the claim exists. A nested search would visit accepting parts twice, and fairness
//! would multiply the states by the number of processes; here it is a set of processes in each root.
//!
//! For executions without progress, states with progress are left aside and looked at later, so that components
//! never contain them.
//!
//! Nothing is recursive, and nothing is allocated for a state but its place in the store and four bytes.

mod lasso;

use unpick_automaton::run::Impossible;
use unpick_store::{Batch, InsertBatch, Recall, Seen, Span, StateId};
use unpick_system::{
    AutomatonRun, Budget, Limit, LivenessProperty, Processes, Product, ProductStepper, Snapshot, Stats, Stepper as _,
    Successors, System as _, Which,
};

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LivenessEnd {
    /// Every state of the product has been looked at, and no execution violates the claim.
    Exhausted,
    /// An execution does.
    Violated(AutomatonRun),
    /// An execution does that the interpreter cannot take: our own mistake.
    Mismatch(Impossible),
    /// A limit was met first.
    Halted(Limit),
    /// An execution of the reduced model does, and could not be made again: only a search without reduction can tell.
    Lost,
}

impl LivenessEnd {
    /// A violation by states of the product.
    pub(crate) fn violated(product: &Product<'_>, path: &[Vec<u8>], loop_from: Option<usize>) -> Self {
        let path: Vec<Vec<u8>> = path.iter().map(|state| product.split(state).0.to_vec()).collect();
        Self::violated_along(product, &path, loop_from)
    }

    /// A violation by states of the model.
    pub(crate) fn violated_along(product: &Product<'_>, path: &[Vec<u8>], loop_from: Option<usize>) -> Self {
        match AutomatonRun::round(product.system(), path, loop_from, (product.watch(), product.is_fair())) {
            Ok(run) => LivenessEnd::Violated(run),
            Err(impossible) => LivenessEnd::Mismatch(impossible),
        }
    }
}

/// States between two looks at the clock.
const PATIENCE: u64 = 1 << 12;
/// Marks of states in [`Search::places`].
const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

/// What a component has passed.
#[derive(Clone, Copy, Default)]
struct Marks {
    is_accepting: bool,
    /// Processes that moved or could not.
    fair: Processes,
}

impl Marks {
    fn extend(&mut self, other: Marks) {
        self.is_accepting |= other.is_accepting;
        self.fair.extend(other.fair);
    }
}

/// A component.
#[derive(Clone, Copy)]
struct Root {
    /// Where its first state lies among the living.
    place: u32,
    marks: Marks,
    /// The movers of the edge that leads to it.
    edge: Processes,
}

/// A state on the way and which of its successors have been looked at.
#[derive(Clone, Copy)]
struct Frame {
    place: u32,
    first: u32,
    at: u32,
}

/// The search; see the module.
struct Search<'a> {
    product: &'a Product<'a>,
    store: &'a dyn Recall,
    stepper: ProductStepper<'a>,
    successors: Successors,
    state: Vec<u8>,
    key: Vec<u8>,
    /// Successors as the store takes them, what it keeps of them meanwhile, and what it says of them.
    spans: Vec<Span>,
    insertions: InsertBatch,
    seen: Vec<Seen>,
    is_fair: bool,
    /// For each state: unseen, done, or one more than its place among the living.
    places: Vec<u32>,
    /// States whose component may grow, in the order of their discovery.
    living: Vec<u32>,
    frames: Vec<Frame>,
    /// Successors of the states on the way.
    pending: Vec<u32>,
    /// The movers to each of them, if that counts.
    movers: Vec<Processes>,
    roots: Vec<Root>,
    /// Values of hidden variables when a state was seen first.
    hidden: Vec<u8>,
    /// Where states were reached from, and those with progress that have not been looked at.
    origins: Vec<u32>,
    aside: std::collections::VecDeque<u32>,
    n_transitions: u64,
    n_visited: u64,
    depth: u64,
}

/// Why the search stops.
enum Stop {
    Limit(Limit),
    /// The component with the topmost root has a cycle that counts.
    Cycle,
    Fault,
}

/// Looks for an execution that violates what watches the model. The store should be empty.
pub fn search(product: &Product<'_>, store: &dyn Recall, budget: &Budget<'_>) -> (LivenessEnd, Stats) {
    let mut search = Search::new(product, store);
    let end = match search.run(budget) {
        Ok(()) => LivenessEnd::Exhausted,
        Err(Stop::Limit(limit)) => LivenessEnd::Halted(limit),
        Err(Stop::Cycle) => {
            let (path, loop_from) = search.lasso();
            LivenessEnd::violated(product, &path, Some(loop_from))
        }
        Err(Stop::Fault) => LivenessEnd::violated(product, &search.way(), None),
    };
    let snapshot = search.snapshot();
    let stats = Stats {
        states: snapshot.states,
        transitions: snapshot.transitions,
        depth: search.depth,
        peak_bytes: snapshot.bytes,
        engine: "explicit",
        ..Stats::default()
    };
    (end, stats)
}

impl<'a> Search<'a> {
    fn new(product: &'a Product<'a>, store: &'a dyn Recall) -> Self {
        Self {
            product,
            store,
            stepper: product.steps(),
            successors: Successors::default(),
            state: Vec::new(),
            key: Vec::new(),
            spans: Vec::new(),
            insertions: InsertBatch::default(),
            seen: Vec::new(),
            is_fair: product.is_fair(),
            places: Vec::new(),
            living: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            movers: Vec::new(),
            roots: Vec::new(),
            hidden: Vec::new(),
            origins: Vec::new(),
            aside: std::collections::VecDeque::new(),
            n_transitions: 0,
            n_visited: 0,
            depth: 0,
        }
    }

    fn run(&mut self, budget: &Budget<'_>) -> Result<(), Stop> {
        let initial = match self.product.initial() {
            Ok(initial) => initial,
            Err(_) => return Err(Stop::Fault),
        };
        let hash = self.store.hash(self.product.key(&initial));
        let initial = self.number(hash, &initial)?;
        self.remember(initial, initial);
        if self.is_aside(initial) {
            self.set_aside(initial, initial);
        } else {
            self.components_from(initial, budget)?;
        }
        while let Some(state) = self.aside.pop_front() {
            self.look_at_aside(state, budget)?;
        }
        Ok(())
    }

    /// All components that can be reached from a state without passing progress.
    fn components_from(&mut self, first: u32, budget: &Budget<'_>) -> Result<(), Stop> {
        self.visit(first, Processes::default(), budget)?;
        while let Some(frame) = self.frames.last_mut() {
            if frame.at as usize == self.pending.len() {
                self.leave();
                continue;
            }
            let at = frame.at as usize;
            frame.at += 1;
            let from = self.living[frame.place as usize];
            let next = self.pending[at];
            let edge = if self.is_fair { self.movers[at] } else { Processes::default() };
            let place = self.places[next as usize];
            match place {
                DONE => {}
                UNSEEN if self.is_aside(next) => self.set_aside(next, from),
                UNSEEN => {
                    self.remember(next, from);
                    self.visit(next, edge, budget)?;
                }
                _ => self.merge(place - 1, edge)?,
            }
        }
        Ok(())
    }

    /// A state is seen for the first time: it is a component of its own.
    fn visit(&mut self, id: u32, edge: Processes, budget: &Budget<'_>) -> Result<(), Stop> {
        self.n_visited += 1;
        if self.n_visited.is_multiple_of(PATIENCE) {
            self.check(budget)?;
        }
        let place = self.living.len() as u32;
        self.living.push(id);
        self.places[id as usize] = place + 1;
        self.load(id);
        let first = self.pending.len() as u32;
        self.frames.push(Frame { place, first, at: first });
        self.depth = self.depth.max(self.frames.len() as u64);
        if budget.depth.is_some_and(|depth| self.frames.len() as u64 > depth) {
            return Err(Stop::Limit(Limit::Depth(budget.depth.unwrap_or(0))));
        }
        let mut marks = Marks { is_accepting: self.stepper.is_accepting(&self.state), fair: Processes::ALL };
        self.expand()?;
        if self.is_fair {
            marks.fair = self.successors.enabled.complement();
        }
        self.roots.push(Root { place, marks, edge });
        Ok(())
    }

    /// Finds the successors of the state at hand.
    fn expand(&mut self) -> Result<(), Stop> {
        let mut successors = std::mem::take(&mut self.successors);
        successors.clear();
        self.stepper.expand(&self.state, Which::All, &mut successors);
        let result = if self.stepper.take_wrong().is_some() { Err(Stop::Fault) } else { Ok(()) };
        let result = result.and_then(|()| self.take_in(&successors));
        self.successors = successors;
        result
    }

    /// All successors are called for before the first is asked for, so that memory answers in parallel.
    fn take_in(&mut self, successors: &Successors) -> Result<(), Stop> {
        self.n_transitions += successors.list.len() as u64;
        let n_hidden = self.product.floor().key_start() as u32;
        self.spans.clear();
        self.spans
            .extend(successors.list.iter().map(|next| Span { start: next.start + n_hidden, len: next.len - n_hidden }));
        let batch = Batch { bytes: &successors.bytes, spans: &self.spans, hashes: None };
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        self.store.begin_each(0, &mut self.insertions, &batch);
        let finished = self.store.finish_each(0, &mut self.insertions, &batch, &mut seen);
        for (at, (next, seen)) in successors.list.iter().zip(&seen).enumerate() {
            let id = self.number_of(*seen, successors.state(*next))?;
            self.pending.push(id);
            if self.is_fair {
                self.movers.push(successors.movers[at]);
            }
        }
        self.seen = seen;
        finished.map_err(|_| Stop::Limit(Limit::Memory))?;
        self.store.quiescent_point(0);
        Ok(())
    }

    /// An edge leads back to a living state.
    fn merge(&mut self, place: u32, edge: Processes) -> Result<(), Stop> {
        let mut marks = Marks { is_accepting: false, fair: edge };
        while let Some(root) = self.roots.last() {
            if root.place <= place {
                break;
            }
            marks.extend(root.marks);
            marks.fair.extend(root.edge);
            self.roots.pop();
        }
        let root = self.roots.last_mut().expect("a living state should have a component");
        root.marks.extend(marks);
        match root.marks.is_accepting && root.marks.fair == Processes::ALL {
            true => Err(Stop::Cycle),
            false => Ok(()),
        }
    }

    /// All successors of the topmost state have been looked at.
    fn leave(&mut self) {
        let frame = self.frames.pop().expect("there should be a state on the way");
        self.pending.truncate(frame.first as usize);
        if self.is_fair {
            self.movers.truncate(frame.first as usize);
        }
        if self.roots.last().is_some_and(|root| root.place == frame.place) {
            self.roots.pop();
            for id in self.living.drain(frame.place as usize..) {
                self.places[id as usize] = DONE;
            }
        }
    }

    /// The number of a state, which may be new.
    fn number(&mut self, hash: u64, state: &[u8]) -> Result<u32, Stop> {
        let seen = self.store.insert_hashed(0, hash, self.product.key(state));
        self.number_of(seen.map_err(|_| Stop::Limit(Limit::Memory))?, state)
    }

    /// The number of a state, as the store says.
    fn number_of(&mut self, seen: Seen, state: &[u8]) -> Result<u32, Stop> {
        let key = self.product.key(state);
        let Ok(id) = u32::try_from(seen.id().0) else { return Err(Stop::Limit(Limit::Memory)) };
        if seen.is_fresh() {
            if self.places.len() <= id as usize {
                let size = (id as usize + 1).max(self.places.len() + self.places.len() / 2);
                self.places.resize(size, UNSEEN);
            }
            let n_hidden = state.len() - key.len();
            if n_hidden > 0 {
                self.hidden.resize(self.hidden.len().max((id as usize + 1) * n_hidden), 0);
                self.hidden[id as usize * n_hidden..][..n_hidden].copy_from_slice(&state[..n_hidden]);
            }
        }
        Ok(id)
    }

    /// Brings a state back into `state`.
    fn load(&mut self, id: u32) {
        let n_hidden = self.product.floor().key_start();
        self.store.recall(StateId(id.into()), &mut self.key);
        self.state.clear();
        if n_hidden > 0 {
            self.state.extend_from_slice(&self.hidden[id as usize * n_hidden..][..n_hidden]);
        }
        self.state.extend_from_slice(&self.key);
    }

    /// Whether a state is progress that is looked for.
    fn is_aside(&mut self, id: u32) -> bool {
        if self.product.watch() != LivenessProperty::NonProgress {
            return false;
        }
        self.load(id);
        self.stepper.is_progress(&self.state)
    }

    fn set_aside(&mut self, id: u32, from: u32) {
        self.remember(id, from);
        self.places[id as usize] = DONE;
        self.aside.push_back(id);
    }

    fn look_at_aside(&mut self, id: u32, budget: &Budget<'_>) -> Result<(), Stop> {
        self.n_visited += 1;
        self.load(id);
        debug_assert!(self.pending.is_empty(), "no state should be on the way");
        // The way to a fault leads here.
        self.living.push(id);
        self.frames.push(Frame { place: 0, first: 0, at: 0 });
        self.expand()?;
        self.frames.clear();
        self.living.clear();
        let successors = std::mem::take(&mut self.pending);
        self.movers.clear();
        for next in &successors {
            if self.places[*next as usize] != UNSEEN {
                continue;
            }
            if self.is_aside(*next) {
                self.set_aside(*next, id);
            } else {
                self.remember(*next, id);
                self.components_from(*next, budget)?;
            }
        }
        Ok(())
    }

    /// Keeps where a state was reached from, if states are left aside.
    fn remember(&mut self, id: u32, from: u32) {
        if self.product.watch() == LivenessProperty::NonProgress {
            self.origins.resize(self.origins.len().max(self.places.len()), 0);
            self.origins[id as usize] = from;
        }
    }

    /// The states from the first one to the topmost one.
    fn way(&mut self) -> Vec<Vec<u8>> {
        let mut ids: Vec<u32> = self.frames.iter().map(|frame| self.living[frame.place as usize]).collect();
        if self.product.watch() == LivenessProperty::NonProgress {
            let mut before = Vec::new();
            let mut at = ids.first().copied();
            while let Some(id) = at {
                let from = self.origins.get(id as usize).copied().unwrap_or(id);
                at = (from != id).then_some(from);
                before.extend(at);
            }
            ids.splice(0..0, before.into_iter().rev());
        }
        ids.into_iter().map(|id| self.bytes_of(id)).collect()
    }

    fn bytes_of(&mut self, id: u32) -> Vec<u8> {
        self.load(id);
        self.state.clone()
    }

    fn check(&self, budget: &Budget<'_>) -> Result<(), Stop> {
        let snapshot = self.snapshot();
        if budget.memory_bytes.is_some_and(|limit| snapshot.bytes > limit) {
            return Err(Stop::Limit(Limit::Memory));
        }
        match budget.control.poll(&snapshot) {
            Some(halt) => Err(Stop::Limit(halt.into())),
            None => Ok(()),
        }
    }

    fn snapshot(&self) -> Snapshot {
        let words = self.places.capacity() + self.living.capacity() + self.pending.capacity() + self.origins.capacity();
        let frames = self.frames.capacity() * size_of::<Frame>() + self.roots.capacity() * size_of::<Root>();
        let movers = self.movers.capacity() * size_of::<Processes>();
        Snapshot {
            phase: "exploring",
            states: self.store.len(),
            transitions: self.n_transitions,
            depth: self.frames.len() as u64,
            bytes: self.store.bytes() + (words * 4 + frames + movers + self.hidden.capacity()) as u64,
        }
    }
}
