//! Footprints of steps, for partial-order reduction: what processes read and write besides their own variables, at each
//! location and from each location on (may-accesses, a static over-approximation).
//!
//! Cells that can be touched are numbered: stretches of the global variables between any two borders of an access
//! (so that an element under a constant index is a cell of its own unless some index into its array is computed), the two ends of each channel, the making and ending of processes, and the data of embedded C. If there are
//! too many, several share a number, which costs precision only.
//!
//! Embedded C touches its data and every variable of the model that any C code can touch: a pointer to a variable may
//! be kept in one step and used in another.

mod alone;
mod finder;
mod places;
mod specialisation;
mod specialised;
mod unnamed;
mod watched;

use unpick_base::id::Id as _;

use crate::layout::{Layout, Position};
use crate::{Automaton, Expr, LivenessProperty, LocationId, Model, ProctypeId, Step, Transition};

use alone::needs_to_be_alone;
use finder::Finder;
use specialisation::ConstantParameters;
pub use specialised::SpecialisedProcesses;

const WORDS: usize = 4;
/// Cell for which processes there are: written by making one, read by ending one, because that needs the youngest.
const PROCESSES: usize = 0;
/// Cell for `_nr_pr`. Reading and writing are swapped on purpose: the ends of two processes commute, and looking at `_nr_pr`
/// conflicts with each end.
const COUNT: usize = 1;
/// Cell for the data of embedded C, all together.
const CODE: usize = 2;
/// Cell for how far the `trace` has come, and what it looks at.
const TRACE: usize = 3;
/// Other cells begin here.
const FIRST_FREE: usize = 4;

/// A set of cells: one bit each; beyond 256 they are folded, so that sets only become larger.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Cells([u64; WORDS]);

impl Cells {
    fn insert(&mut self, cell: usize) {
        // More cells than fit share what there is, the first ones excepted.
        let most = WORDS * 64;
        let cell = if cell < most { cell } else { FIRST_FREE + (cell - FIRST_FREE) % (most - FIRST_FREE) };
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    fn add(&mut self, other: &Cells) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    #[inline]
    fn meets(&self, other: &Cells) -> bool {
        self.0.iter().zip(other.0).any(|(one, other)| one & other != 0)
    }
}

/// A footprint: the cells that steps read and write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Footprint {
    reads: Cells,
    writes: Cells,
}

impl Footprint {
    /// Adds another footprint.
    pub fn add(&mut self, other: &Footprint) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
    }

    fn touches(&self, cell: usize) -> bool {
        let mut one = Cells::default();
        one.insert(cell);
        self.reads.meets(&one) || self.writes.meets(&one)
    }

    /// Whether the order of the steps may matter.
    #[inline]
    pub fn conflicts(&self, other: &Footprint) -> bool {
        self.writes.meets(&other.writes) || self.writes.meets(&other.reads) || self.reads.meets(&other.writes)
    }
}

/// The footprints of a location.
#[derive(Clone, Copy, Default, Debug)]
pub struct LocationFootprints {
    /// What the next step may touch, as far as it can matter to others that it is taken before theirs; `None` if it
    /// always can.
    pub own: Option<Footprint>,
    /// What the next step may touch, in whatever way, whether it can be taken included; `None` if it depends on more.
    pub whole: Option<Footprint>,
    /// What all steps from here on may touch.
    pub future: Footprint,
}

/// The footprints of all locations, by specialisation and location.
pub struct Footprints<'m> {
    model: &'m Model,
    finder: Finder<'m>,
    parameters: ConstantParameters,
    /// Locations, by process type, from which steps change what is watched.
    visible: Vec<Vec<bool>>,
    /// One unspecialised for each process type; then those met in states.
    specialisations: Vec<Specialisation>,
    /// What is watched, as if a process could look at it at any time.
    pub watched: Footprint,
}

/// A proctype with constant parameters substituted, so that indices become constants.
struct Specialisation {
    proctype: usize,
    values: Vec<i32>,
    known: Vec<LocationFootprints>,
}

impl<'m> Footprints<'m> {
    /// Looks through a model; `None` if processes, or who watches them, can see what this does not. Steps that change what
    /// is watched never can be taken before those of others.
    pub fn new(model: &'m Model, watch: Option<LivenessProperty>) -> Option<Self> {
        if model.has_last || model.has_priority {
            return None;
        }
        if model.has_code && model.embedded.is_none() {
            return None;
        }
        let claim = watched::claim(model, watch);
        let parameters = ConstantParameters::new(model);
        let mut finder = Finder::new(model, claim, &parameters);
        let touched: Vec<Vec<Touched>> =
            model.proctypes.iter_enumerated().map(|(id, proctype)| finder.proctype(id, proctype)).collect();
        let watched = claim.map(|claim| finder.claim(claim)).unwrap_or_default();
        if finder.is_blind {
            return None;
        }
        let visible = model.proctypes.iter().zip(watched::seen(model, watch)).map(|(proctype, seen)| {
            let automaton = &proctype.automaton;
            automaton.locations.ids().map(|at| watched::is_visible(automaton, at, &seen)).collect()
        });
        let visible = visible.collect();
        let mut accesses = Self { model, finder, parameters, visible, specialisations: Vec::new(), watched };
        for (proctype, futures) in futures(model, &touched).into_iter().enumerate() {
            accesses.add_role(proctype, Vec::new(), &touched[proctype], futures);
        }
        Some(accesses)
    }

    /// Where processes lie in states.
    pub fn layout(&self) -> Layout {
        Layout::new(self.model)
    }

    /// Whether processes can see no more of each other than what they touch: values that states do not tell, and C code,
    /// would be more.
    pub fn are_complete(&self) -> bool {
        !self.model.has_code && self.model.hidden_size == 0
    }

    /// The footprints of a location of a specialisation.
    pub fn known(&self, specialisation: u32, location: u16) -> &LocationFootprints {
        &self.specialisations[specialisation as usize].known[usize::from(location)]
    }

    /// The footprints of all specialisations, from one of them on.
    pub fn roles_from(&self, first: usize) -> impl Iterator<Item = &[LocationFootprints]> {
        self.specialisations[first..].iter().map(|specialisation| specialisation.known.as_slice())
    }

    /// How many specialisations are known.
    #[inline]
    pub fn n_roles(&self) -> usize {
        self.specialisations.len()
    }

    /// Whether all specialisations are known from the beginning.
    pub fn is_without_traits(&self) -> bool {
        (0..self.model.proctypes.len()).all(|proctype| self.parameters.of(proctype).is_empty())
    }

    /// The specialisation of a process in a state, which may be a new one.
    fn specialisation(&mut self, state: &[u8], process: usize, position: Position) -> usize {
        let proctype = usize::from(position.proctype);
        let first = position.at + self.model.process_head();
        let parameters = self.parameters.of(proctype);
        let values: Option<Vec<i32>> = parameters.iter().map(|known| known.read(state, first, process)).collect();
        match values {
            Some(values) if !values.is_empty() => {
                let is_role = |specialisation: &Specialisation| {
                    specialisation.proctype == proctype && specialisation.values == values
                };
                let known = self.specialisations.iter().position(is_role);
                known.unwrap_or_else(|| self.new_role(proctype, values))
            }
            _ => proctype,
        }
    }

    /// The bytes of a state that determine the specialisation of a process.
    fn signs(&self, position: Position) -> impl Iterator<Item = usize> {
        let first = position.at + self.model.process_head();
        let parameters = self.parameters.of(usize::from(position.proctype)).iter();
        std::iter::once(position.at).chain(parameters.flat_map(move |known| known.bytes(first)))
    }

    fn new_role(&mut self, proctype: usize, values: Vec<i32>) -> usize {
        let id = ProctypeId(proctype as u32);
        let specialisation = specialisation::put_in(&self.model.proctypes[id], self.parameters.of(proctype), &values);
        let touched = self.finder.proctype(id, &specialisation);
        let mut futures: Vec<Footprint> = touched.iter().map(|touched| touched.all).collect();
        // Processes created on the way can have any specialisation.
        let made = |made: ProctypeId| {
            let start = self.model.proctypes[made].automaton.start;
            self.specialisations[made.index()].known[start.map_or(0, |start| start.index())].future
        };
        while add_futures(&specialisation.automaton, &mut futures, &made) {}
        self.add_role(proctype, values, &touched, futures);
        self.specialisations.len() - 1
    }

    fn add_role(&mut self, proctype: usize, values: Vec<i32>, touched: &[Touched], futures: Vec<Footprint>) {
        let visible = &self.visible[proctype];
        let known = touched.iter().zip(futures).zip(visible).map(|((touched, future), is_visible)| {
            LocationFootprints { own: touched.own.filter(|_| !is_visible), whole: touched.whole, future }
        });
        let known = known.collect();
        self.specialisations.push(Specialisation { proctype, values, known });
    }
}

/// What the steps at a location touch.
struct Touched {
    all: Footprint,
    /// See [`LocationFootprints`].
    own: Option<Footprint>,
    whole: Option<Footprint>,
}

/// Everything that can be touched from each location on, processes made on the way included.
fn futures(model: &Model, touched: &[Vec<Touched>]) -> Vec<Vec<Footprint>> {
    let mut futures: Vec<Vec<Footprint>> =
        touched.iter().map(|touched| touched.iter().map(|touched| touched.all).collect()).collect();
    let mut is_changing = true;
    while is_changing {
        is_changing = false;
        for (proctype, declared) in model.proctypes.iter_enumerated() {
            let starts: Vec<Footprint> = model
                .proctypes
                .iter_enumerated()
                .map(|(made, declared)| {
                    futures[made.index()][declared.automaton.start.map_or(0, |start| start.index())]
                })
                .collect();
            is_changing |=
                add_futures(&declared.automaton, &mut futures[proctype.index()], &|made| starts[made.index()]);
        }
    }
    futures
}

/// Adds to what can be touched from each location on what can be from the next ones on, and by processes that are made;
/// false if all of it was known.
fn add_futures(automaton: &Automaton, futures: &mut [Footprint], made: &dyn Fn(ProctypeId) -> Footprint) -> bool {
    let mut is_changing = false;
    for (id, location) in automaton.locations.iter_enumerated() {
        let mut future = futures[id.index()];
        for transition in location.transitions.iter().filter(|transition| !needs_to_be_alone(transition)) {
            for target in [transition.target, inner_start(transition)].into_iter().flatten() {
                future.add(&futures[target.index()]);
            }
            made_by(transition).into_iter().for_each(|proctype| future.add(&made(proctype)));
        }
        is_changing |= futures[id.index()] != future;
        futures[id.index()] = future;
    }
    is_changing
}

fn inner_start(transition: &Transition) -> Option<LocationId> {
    match transition.step {
        Step::DStep(start) => Some(start),
        _ => None,
    }
}

/// Process types that a transition makes processes of.
fn made_by(transition: &Transition) -> Vec<ProctypeId> {
    fn of(expr: &Expr, found: &mut Vec<ProctypeId>) {
        match expr {
            Expr::Run(run) => {
                found.push(run.proctype);
                run.args.iter().for_each(|arg| of(arg, found));
            }
            Expr::Unary(_, operand) => of(operand, found),
            Expr::Binary(_, left, right) => {
                of(left, found);
                of(right, found);
            }
            Expr::Conditional(parts) => {
                of(&parts.0, found);
                of(&parts.1, found);
                of(&parts.2, found);
            }
            Expr::Const(_)
            | Expr::Load(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Priority
            | Expr::Len(_)
            | Expr::Probe(..)
            | Expr::Poll(_)
            | Expr::Enabled(_)
            | Expr::GetPriority(_)
            | Expr::PcValue(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::RemoteLabel(..)
            | Expr::RemoteVar(..)
            | Expr::Code(..) => {}
        }
    }
    let mut found = Vec::new();
    match &transition.step {
        Step::Condition(expr) | Step::Assign(_, expr) | Step::Assert(expr) | Step::Printm(expr, _) => {
            of(expr, &mut found);
        }
        Step::Send { args, .. } | Step::Printf(_, args) => args.iter().for_each(|arg| of(arg, &mut found)),
        Step::SetPriority(pid, priority) => {
            of(pid, &mut found);
            of(priority, &mut found);
        }
        Step::Skip | Step::Else | Step::Receive(_) | Step::Code(_) | Step::DStep(_) | Step::End => {}
    }
    found
}
