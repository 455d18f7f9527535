//! What processes of a model touch besides their own variables: at each location, and from each location on.
//!
//! Things that can be touched are numbered: stretches of the global variables between any two borders of an access
//! (so that an element under a constant index is a thing of its own as long as nobody computes an index into its
//! array), the two ends of each channel, the making and ending of processes, and the data of embedded C. If there are
//! too many, several share a number, which costs precision only.
//!
//! Embedded C touches its data and every variable of the model that any C code can touch: a pointer to a variable may
//! be kept in one step and used in another.

mod watched;

use std::collections::{BTreeSet, HashMap};

use unpick_base::id::Id as _;
use unpick_ir::automaton::{
    Automaton, Claim, Expr, FrameInit, Location, LocationId, Match, Model, Place, ProctypeId, Receive, Scope, Step,
    Transition,
};
use unpick_system::Watch;

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
                for transition in &location.transitions {
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

/// Numbers things and finds what steps touch.
struct Finder<'m> {
    model: &'m Model,
    /// Borders of the stretches of hidden and global variables, by scope.
    borders: [Vec<u32>; 2],
    /// The first number of the things of a scope.
    first: [usize; 2],
    /// The first number of the channels' ends.
    first_end: usize,
    /// Variables that hold one channel for ever: place of the variable, channels it and its array may be.
    fixed: HashMap<u32, usize>,
    n_channels: usize,
    /// Processes of the type at hand make channels, which end with them.
    has_channels: bool,
    /// Processes of the type at hand have C data, which end with them.
    has_data: bool,
    /// Processes look at others in a way that is not seen here.
    is_blind: bool,
    /// Something at the location depends on all processes.
    is_watching: bool,
    /// Something at the location may be done by two processes at once.
    is_meeting: bool,
}

impl<'m> Finder<'m> {
    fn new(model: &'m Model, claim: Option<&Claim>) -> Self {
        let mut borders = [BTreeSet::new(), BTreeSet::new()];
        let mut add = |place: &Place| {
            if let Some(scope) = shared(place.scope) {
                let (from, to) = place.extent();
                borders[scope].extend([from, to]);
            }
        };
        for_each_place(model, &mut add);
        model.embedded.iter().for_each(|embedded| embedded.touched().for_each(|place| add(&place)));
        claim.into_iter().for_each(|claim| watched::for_each_place(claim, &mut add));
        let borders = borders.map(|borders| borders.into_iter().collect::<Vec<u32>>());
        let first = [FIRST_FREE, FIRST_FREE + borders[0].len()];
        let first_end = first[1] + borders[1].len();
        let fixed = fixed_channels(model);
        let n_channels = model.globals.channels.len();
        Self {
            model,
            borders,
            first,
            first_end,
            fixed,
            n_channels,
            has_channels: false,
            has_data: false,
            is_blind: false,
            is_watching: false,
            is_meeting: false,
        }
    }

    /// What the steps at a location touch, and what of it can matter to others.
    fn location(&mut self, automaton: &Automaton, location: &Location, provided: Option<&Expr>) -> Touched {
        (self.is_watching, self.is_meeting) = (false, false);
        let mut all = Access::default();
        if let Some(condition) = provided {
            self.expr(condition, &mut all);
        }
        let is_alone = location.transitions.len() == 1;
        let (mut own, mut whole) = (all, all);
        for transition in &location.transitions {
            self.transition(automaton, transition, false, &mut all, &mut BTreeSet::new());
            self.transition(automaton, transition, !is_alone, &mut own, &mut BTreeSet::new());
            self.transition(automaton, transition, true, &mut whole, &mut BTreeSet::new());
        }
        let is_tied = self.is_watching || self.is_meeting || whole.touches(PROCESSES) || whole.touches(COUNT);
        Touched { all, own: (!self.is_watching).then_some(own), whole: (!is_tied).then_some(whole) }
    }

    /// What a transition touches, with all that follows inside the same `atomic` or `d_step`. `may_wait`: whether it
    /// can be taken may change, because another transition of the location is.
    fn transition(
        &mut self,
        automaton: &Automaton,
        transition: &Transition,
        may_wait: bool,
        access: &mut Access,
        seen: &mut BTreeSet<LocationId>,
    ) {
        self.step(&transition.step, may_wait, access);
        let inner = inner_start(transition);
        let next = transition.target.filter(|_| transition.is_atomic);
        for target in [inner, next].into_iter().flatten() {
            self.inside(automaton, target, inner.is_some(), transition.is_atomic, access, seen);
        }
    }

    fn inside(
        &mut self,
        automaton: &Automaton,
        at: LocationId,
        is_d_step: bool,
        is_atomic: bool,
        access: &mut Access,
        seen: &mut BTreeSet<LocationId>,
    ) {
        if !seen.insert(at) || automaton.locations[at].transitions.is_empty() {
            return;
        }
        let location = &automaton.locations[at];
        for transition in &location.transitions {
            // What happens in the middle may have to wait for others.
            self.transition(automaton, transition, true, access, seen);
            if is_d_step
                && let Some(target) = transition.target
                && (automaton.locations[target].is_in_d_step || is_atomic)
            {
                // Behind an atomic `d_step` the process goes on alone.
                let is_inside = automaton.locations[target].is_in_d_step;
                self.inside(automaton, target, is_inside, is_atomic && is_inside, access, seen);
            }
        }
    }

    fn step(&mut self, step: &Step, may_wait: bool, access: &mut Access) {
        match step {
            Step::Skip | Step::Else | Step::DStep(_) => {}
            Step::Condition(expr) | Step::Assert(expr) | Step::Printm(expr, _) => self.expr(expr, access),
            Step::Assign(place, expr) => {
                self.expr(expr, access);
                self.place(place, true, access);
            }
            Step::Send { channel, is_sorted, args } => {
                args.iter().for_each(|arg| self.expr(arg, access));
                self.channel(channel, Some(true), *is_sorted || may_wait, access);
                if *is_sorted {
                    self.channel(channel, Some(false), true, access);
                }
            }
            Step::Receive(receive) => {
                self.receive(receive, access);
                if !receive.is_copy {
                    self.channel(&receive.channel, Some(false), may_wait || receive.is_random, access);
                } else {
                    self.channel(&receive.channel, None, true, access);
                }
            }
            Step::Printf(_, args) => args.iter().for_each(|arg| self.expr(arg, access)),
            Step::SetPriority(..) => self.is_blind = true,
            Step::Code(_) => self.code(true, access),
            Step::End => {
                if self.has_data {
                    access.writes.insert(CODE);
                }
                access.reads.insert(PROCESSES);
                access.reads.insert(COUNT);
                if self.has_channels {
                    access.writes.insert(self.first_end + 2 * self.n_channels);
                    access.writes.insert(self.first_end + 2 * self.n_channels + 1);
                }
            }
        }
    }

    fn receive(&mut self, receive: &Receive, access: &mut Access) {
        for arg in &receive.args {
            match arg {
                Match::Store(place) => self.place(place, true, access),
                Match::Equal(expr) => self.expr(expr, access),
            }
        }
    }

    fn expr(&mut self, expr: &Expr, access: &mut Access) {
        match expr {
            Expr::Const(_) | Expr::Pid => {}
            Expr::Load(place) => self.place(place, false, access),
            Expr::ProcessCount => access.writes.insert(COUNT),
            Expr::Unary(_, operand) => self.expr(operand, access),
            Expr::Binary(_, left, right) => {
                self.expr(left, access);
                self.expr(right, access);
            }
            Expr::Conditional(parts) => {
                self.expr(&parts.0, access);
                self.expr(&parts.1, access);
                self.expr(&parts.2, access);
            }
            Expr::Run(run) => {
                run.args.iter().for_each(|arg| self.expr(arg, access));
                access.writes.insert(PROCESSES);
                access.writes.insert(COUNT);
                if has_data(self.model, run.proctype) {
                    // What gives its data their first values is C code too.
                    self.code(true, access);
                }
                // Its variables may be initialised from shared ones.
                for init in &self.model.proctypes[run.proctype].frame.init {
                    if let FrameInit::Value(_, expr) = init {
                        self.expr(expr, access);
                    }
                }
            }
            Expr::Len(channel) | Expr::Probe(_, channel) => self.channel(channel, None, true, access),
            Expr::Poll(receive) => {
                self.receive(receive, access);
                self.channel(&receive.channel, None, true, access);
            }
            Expr::Timeout => self.is_watching = true,
            Expr::Last
            | Expr::Priority
            | Expr::Enabled(_)
            | Expr::GetPriority(_)
            | Expr::PcValue(_)
            | Expr::NonProgress
            | Expr::RemoteLabel(..)
            | Expr::RemoteVar(..) => self.is_blind = true,
            Expr::Code(..) => self.code(false, access),
        }
    }

    /// Embedded C is executed or looked at.
    fn code(&mut self, is_write: bool, access: &mut Access) {
        if is_write {
            access.writes.insert(CODE)
        } else {
            access.reads.insert(CODE)
        }
        let Some(embedded) = &self.model.embedded else { return };
        for place in embedded.touched() {
            self.place(&place, is_write, access);
        }
        if embedded.counts_processes() {
            access.writes.insert(COUNT);
        }
    }

    fn place(&mut self, place: &Place, is_write: bool, access: &mut Access) {
        for index in &place.indices {
            self.expr(&index.expr, access);
        }
        let Some(scope) = shared(place.scope) else { return };
        let (from, to) = place.extent();
        let borders = &self.borders[scope];
        let start = borders.partition_point(|border| *border < from);
        let things = borders[start..].iter().take_while(|border| **border < to).enumerate();
        for (at, _) in things {
            let thing = self.first[scope] + start + at;
            if is_write { access.writes.insert(thing) } else { access.reads.insert(thing) }
        }
    }

    /// An end of a channel is used: that of senders, that of receivers, or both are looked at. `both`: whether it can
    /// be used depends on the other end.
    fn channel(&mut self, channel: &Expr, sends: Option<bool>, both: bool, access: &mut Access) {
        self.expr(channel, access);
        for number in self.channels(channel) {
            let ends = [self.first_end + 2 * number, self.first_end + 2 * number + 1];
            let is_rendezvous = self.is_rendezvous(number);
            match sends {
                _ if is_rendezvous => {
                    self.is_meeting = true;
                    ends.iter().for_each(|end| access.writes.insert(*end));
                }
                None => ends.iter().for_each(|end| access.reads.insert(*end)),
                Some(sends) => {
                    access.writes.insert(ends[usize::from(!sends)]);
                    if both {
                        access.reads.insert(ends[usize::from(sends)]);
                    }
                }
            }
        }
    }

    fn is_rendezvous(&self, number: usize) -> bool {
        let channel = self.model.globals.channels.get(number);
        channel.is_none_or(|channel| self.model.channel_types[*channel].capacity == 0)
    }

    /// The channels that an expression may stand for; the last number stands for all that processes make.
    fn channels(&self, channel: &Expr) -> Vec<usize> {
        if let Expr::Load(place) = channel
            && place.scope == Scope::Global
        {
            let (from, to) = place.extent();
            let found: Option<Vec<usize>> = (from..to).map(|at| self.fixed.get(&at).copied()).collect();
            if let Some(found) = found {
                return found;
            }
        }
        (0..=self.n_channels).collect()
    }
}

/// Global variables that hold the channel they were made with for ever, by their bytes.
fn fixed_channels(model: &Model) -> HashMap<u32, usize> {
    let mut fixed = HashMap::new();
    for init in &model.globals.init {
        if let FrameInit::Channel(place, position) = init {
            fixed.insert(place.offset, *position as usize);
        }
    }
    let mut forget = |place: &Place| {
        if place.scope == Scope::Global {
            let (from, to) = place.extent();
            fixed.retain(|at, _| *at < from || *at >= to);
        }
    };
    model.embedded.iter().for_each(|embedded| embedded.touched().for_each(|place| forget(&place)));
    for proctype in model.proctypes.iter() {
        for transition in proctype.automaton.locations.iter().flat_map(|location| &location.transitions) {
            match &transition.step {
                Step::Assign(place, _) => forget(place),
                Step::Receive(receive) => {
                    for arg in &receive.args {
                        if let Match::Store(place) = arg {
                            forget(place);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    fixed
}

/// Whether C data belong to each process of a type.
fn has_data(model: &Model, proctype: ProctypeId) -> bool {
    model.embedded.as_ref().is_some_and(|embedded| embedded.has_data(proctype))
}

/// Hidden variables are the first scope, global ones the second.
fn shared(scope: Scope) -> Option<usize> {
    match scope {
        Scope::Hidden => Some(0),
        Scope::Global => Some(1),
        Scope::Local | Scope::Nowhere => None,
    }
}

/// Calls for every place that occurs in the processes.
fn for_each_place(model: &Model, visit: &mut dyn FnMut(&Place)) {
    for proctype in model.proctypes.iter() {
        if let Some(condition) = &proctype.provided {
            places_of(condition, visit);
        }
        for init in &proctype.frame.init {
            if let FrameInit::Value(_, expr) = init {
                places_of(expr, visit);
            }
        }
        for transition in proctype.automaton.locations.iter().flat_map(|location| &location.transitions) {
            match &transition.step {
                Step::Condition(expr) | Step::Assert(expr) | Step::Printm(expr, _) => places_of(expr, visit),
                Step::Assign(place, expr) => {
                    place_and_indices(place, visit);
                    places_of(expr, visit);
                }
                Step::Send { channel, args, .. } => {
                    places_of(channel, visit);
                    args.iter().for_each(|arg| places_of(arg, visit));
                }
                Step::Receive(receive) => places_of_receive(receive, visit),
                Step::Printf(_, args) => args.iter().for_each(|arg| places_of(arg, visit)),
                Step::SetPriority(pid, priority) => {
                    places_of(pid, visit);
                    places_of(priority, visit);
                }
                Step::Skip | Step::Else | Step::Code(_) | Step::DStep(_) | Step::End => {}
            }
        }
    }
}

fn place_and_indices(place: &Place, visit: &mut dyn FnMut(&Place)) {
    visit(place);
    place.indices.iter().for_each(|index| places_of(&index.expr, visit));
}

fn places_of_receive(receive: &Receive, visit: &mut dyn FnMut(&Place)) {
    places_of(&receive.channel, visit);
    for arg in &receive.args {
        match arg {
            Match::Store(place) => place_and_indices(place, visit),
            Match::Equal(expr) => places_of(expr, visit),
        }
    }
}

fn places_of(expr: &Expr, visit: &mut dyn FnMut(&Place)) {
    match expr {
        Expr::Load(place) => place_and_indices(place, visit),
        Expr::Unary(_, operand)
        | Expr::Len(operand)
        | Expr::Probe(_, operand)
        | Expr::Enabled(operand)
        | Expr::GetPriority(operand)
        | Expr::PcValue(operand) => places_of(operand, visit),
        Expr::Binary(_, left, right) => {
            places_of(left, visit);
            places_of(right, visit);
        }
        Expr::Conditional(parts) => {
            places_of(&parts.0, visit);
            places_of(&parts.1, visit);
            places_of(&parts.2, visit);
        }
        Expr::Run(run) => run.args.iter().for_each(|arg| places_of(arg, visit)),
        Expr::Poll(receive) => places_of_receive(receive, visit),
        Expr::RemoteLabel(_, pid, _) => pid.iter().for_each(|pid| places_of(pid, visit)),
        Expr::RemoteVar(_, pid, place) => {
            pid.iter().for_each(|pid| places_of(pid, visit));
            place_and_indices(place, visit);
        }
        Expr::Const(_)
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Priority
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Code(..) => {}
    }
}
