//! What processes of a model touch besides their own variables: at each location, and from each location on.
//!
//! Things that can be touched are numbered: stretches of the global variables between any two borders of an access
//! (so that an element under a constant index is a thing of its own as long as nobody computes an index into its
//! array), the two ends of each channel, the making and ending of processes, and the data of embedded C. If there are
//! too many, several share a number, which costs precision only.
//!
//! Embedded C touches its data and every variable of the model that any C code can touch: a pointer to a variable may
//! be kept in one step and used in another.

mod alone;
mod finder;
mod places;
mod watched;

use unpick_base::id::Id as _;
use unpick_ir::automaton::{Expr, LocationId, Model, ProctypeId, Step, Transition};
use unpick_system::Watch;

use alone::needs_to_be_alone;
use finder::{Finder, has_data};

const WORDS: usize = 4;
/// Which processes there are: written by making one, read by ending one, because that needs the youngest.
const PROCESSES: usize = 0;
/// How many processes there are: written by looking at it, read by ending one, so that two ends do not conflict.
const COUNT: usize = 1;
/// The data of embedded C, all together.
const CODE: usize = 2;
/// Other things begin here.
const FIRST_FREE: usize = 3;

/// A set of things.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Things([u64; WORDS]);

impl Things {
    fn insert(&mut self, thing: usize) {
        // More things than fit share what there is, the first ones excepted.
        let most = WORDS * 64;
        let thing = if thing < most { thing } else { FIRST_FREE + (thing - FIRST_FREE) % (most - FIRST_FREE) };
        self.0[thing / 64] |= 1 << (thing % 64);
    }

    fn add(&mut self, other: &Things) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    #[inline]
    fn meets(&self, other: &Things) -> bool {
        self.0.iter().zip(other.0).any(|(one, other)| one & other != 0)
    }
}

/// What steps read and write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Access {
    reads: Things,
    writes: Things,
}

impl Access {
    pub(super) fn add(&mut self, other: &Access) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
    }

    fn touches(&self, thing: usize) -> bool {
        let mut one = Things::default();
        one.insert(thing);
        self.reads.meets(&one) || self.writes.meets(&one)
    }

    /// Whether the order of the steps may matter.
    #[inline]
    pub(super) fn conflicts(&self, other: &Access) -> bool {
        self.writes.meets(&other.writes) || self.writes.meets(&other.reads) || self.reads.meets(&other.writes)
    }
}

/// What is known of a location.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Known {
    /// What the next step may touch, as far as it can matter to others that it is taken before theirs; `None` if it
    /// always can.
    pub(super) own: Option<Access>,
    /// What the next step may touch, in whatever way, whether it can be taken included; `None` if it depends on more.
    pub(super) whole: Option<Access>,
    /// What all steps from here on may touch.
    pub(super) future: Access,
}

/// What is known of all locations, by process type and location.
pub(super) struct Accesses {
    known: Vec<Vec<Known>>,
    /// What is watched, as if a process could look at it at any time.
    pub(super) watched: Access,
}

impl Accesses {
    /// Looks through a model; `None` if processes, or who watches them, can see what this does not. Steps that change what
    /// is watched never can be taken before those of others.
    pub(super) fn new(model: &Model, watch: Option<Watch>) -> Option<Self> {
        if model.has_last || model.has_priority || !model.traces.is_empty() {
            return None;
        }
        if model.has_code && model.embedded.is_none() {
            return None;
        }
        let claim = watched::claim(model, watch);
        let mut finder = Finder::new(model, claim);
        let mut own: Vec<Vec<Touched>> = Vec::new();
        for (id, proctype) in model.proctypes.iter_enumerated() {
            finder.has_channels = !proctype.frame.channels.is_empty();
            finder.has_data = has_data(model, id);
            let provided = proctype.provided.as_ref();
            let automaton = &proctype.automaton;
            let each = automaton.locations.iter().map(|location| finder.location(automaton, location, provided));
            own.push(each.collect());
        }
        let watched = claim.map(|claim| finder.claim(claim)).unwrap_or_default();
        if finder.is_blind {
            return None;
        }
        let futures = futures(model, &own);
        let known = own.iter().zip(futures).map(|(own, futures)| {
            let known =
                |(touched, future): (&Touched, Access)| Known { own: touched.own, whole: touched.whole, future };
            own.iter().zip(futures).map(known).collect()
        });
        let mut known: Vec<Vec<Known>> = known.collect();
        for ((proctype, known), seen) in model.proctypes.iter().zip(&mut known).zip(watched::seen(model, watch)) {
            for (at, known) in known.iter_mut().enumerate() {
                if watched::is_visible(&proctype.automaton, LocationId(at as u32), &seen) {
                    known.own = None;
                }
            }
        }
        Some(Self { known, watched })
    }

    /// What is known of the locations of each process type.
    pub(super) fn by_proctype(&self) -> impl Iterator<Item = &[Known]> {
        self.known.iter().map(Vec::as_slice)
    }
}

/// What the steps at a location touch.
struct Touched {
    all: Access,
    /// See [`Known`].
    own: Option<Access>,
    whole: Option<Access>,
}

/// Everything that can be touched from each location on, processes made on the way included.
fn futures(model: &Model, own: &[Vec<Touched>]) -> Vec<Vec<Access>> {
    let mut futures: Vec<Vec<Access>> = own.iter().map(|own| own.iter().map(|own| own.all).collect()).collect();
    let mut is_changing = true;
    while is_changing {
        is_changing = false;
        for (proctype, declared) in model.proctypes.iter_enumerated() {
            for (id, location) in declared.automaton.locations.iter_enumerated() {
                let mut future = futures[proctype.index()][id.index()];
                for transition in location.transitions.iter().filter(|transition| !needs_to_be_alone(transition)) {
                    let next = [transition.target, inner_start(transition)];
                    for target in next.into_iter().flatten() {
                        future.add(&futures[proctype.index()][target.index()]);
                    }
                    for made in made_by(transition) {
                        let start = model.proctypes[made].automaton.start;
                        future.add(&futures[made.index()][start.map_or(0, |start| start.index())]);
                    }
                }
                let known = &mut futures[proctype.index()][id.index()];
                is_changing |= *known != future;
                *known = future;
            }
        }
    }
    futures
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
