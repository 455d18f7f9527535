//! Computation of footprints: a walk over the steps of a model that collects what they touch and numbers the cells.

use std::collections::{BTreeSet, HashMap};

use crate::{
    Automaton, Claim, Expr, FrameInit, Location, LocationId, Match, Model, Place, Proctype, ProctypeId, Receive, Scope,
    Step, Transition,
};
use unpick_base::id::Id as _;

use super::places::for_each_place;
use super::specialisation::{ConstantParameters, is_decided};
use super::{CODE, COUNT, FIRST_FREE, Footprint, PROCESSES, TRACE, Touched, inner_start, watched};

/// More elements of arrays are not told apart: cells have few numbers, and others want one, too.
const MAX_ELEMENTS: usize = 128;

/// Numbers cells and finds what steps touch.
pub(super) struct Finder<'m> {
    model: &'m Model,
    /// Borders of the stretches of hidden and global variables, by scope.
    pub(super) borders: [Vec<u32>; 2],
    /// The first number of the cells of a scope.
    pub(super) first: [usize; 2],
    /// The first number of the channels' ends.
    pub(super) first_end: usize,
    /// Variables that hold one channel for ever: place of the variable, channels it and its array may be.
    fixed: HashMap<u32, usize>,
    n_channels: usize,
    /// Processes of the type at hand make channels, which end with them.
    has_channels: bool,
    /// Processes of the type at hand have C data, which end with them.
    has_data: bool,
    /// Processes look at others in a way that is not seen here.
    pub(super) is_blind: bool,
    /// Something at the location depends on all processes.
    pub(super) is_watching: bool,
    /// Something at the location may be done by two processes at once.
    is_meeting: bool,
}

impl<'m> Finder<'m> {
    pub(super) fn new(model: &'m Model, claim: Option<&Claim>, parameters: &ConstantParameters) -> Self {
        let mut borders = [BTreeSet::new(), BTreeSet::new()];
        let mut add = |place: &Place| {
            if let Some(scope) = shared(place.scope) {
                let (from, to) = place.extent();
                borders[scope].extend([from, to]);
            }
        };
        let mut told_apart = BTreeSet::new();
        for (proctype, declared) in model.proctypes.iter_enumerated() {
            let parameters = parameters.of(proctype.index());
            for_each_place(declared, &mut |place| {
                add(place);
                // A specialisation touches one element of an array.
                let is_constant = place.indices.iter().all(|index| matches!(index.expr, Expr::Const(_)));
                let is_decided = place.indices.iter().all(|index| is_decided(&index.expr, parameters));
                let elements = if is_decided && !is_constant { elements(place) } else { Vec::new() };
                let starts = || elements.iter().map(|element| element.extent().0);
                let n_new = starts().filter(|start| !told_apart.contains(start)).count();
                if told_apart.len() + n_new <= MAX_ELEMENTS {
                    told_apart.extend(starts());
                    elements.iter().for_each(&mut add);
                }
            });
        }
        model.embedded.iter().for_each(|embedded| embedded.touched().iter().for_each(&mut add));
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

    /// What the steps of a process type touch, by location.
    pub(super) fn proctype(&mut self, id: ProctypeId, proctype: &Proctype) -> Vec<Touched> {
        self.has_channels = !proctype.frame.channels.is_empty();
        self.has_data = has_data(self.model, id);
        let automaton = &proctype.automaton;
        let provided = proctype.provided.as_ref();
        automaton.locations.iter().map(|location| self.location(automaton, location, provided)).collect()
    }

    /// What the steps at a location touch, and what of it can matter to others.
    fn location(&mut self, automaton: &Automaton, location: &Location, provided: Option<&Expr>) -> Touched {
        (self.is_watching, self.is_meeting) = (false, false);
        let mut all = Footprint::default();
        if let Some(condition) = provided {
            self.expr(condition, &mut all);
        }
        let is_alone = location.transitions.len() == 1;
        // What others do to a channel may take `else` away again, or what stands before `unless`.
        let can_lapse = { location.transitions.iter() }
            .any(|transition| transition.step == Step::Else || transition.escape.is_some());
        let (mut own, mut whole) = (all, all);
        for transition in &location.transitions {
            self.transition(automaton, transition, can_lapse, &mut all, &mut BTreeSet::new());
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
        access: &mut Footprint,
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
        access: &mut Footprint,
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

    fn step(&mut self, step: &Step, may_wait: bool, access: &mut Footprint) {
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
                self.event(channel, access);
                if *is_sorted {
                    self.channel(channel, Some(false), true, access);
                }
            }
            Step::Receive(receive) => {
                self.receive(receive, access);
                self.event(&receive.channel, access);
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

    fn receive(&mut self, receive: &Receive, access: &mut Footprint) {
        for arg in &receive.args {
            match arg {
                Match::Store(place) => self.place(place, true, access),
                Match::Equal(expr) => self.expr(expr, access),
            }
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr, access: &mut Footprint) {
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
    fn code(&mut self, is_write: bool, access: &mut Footprint) {
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

    fn place(&mut self, place: &Place, is_write: bool, access: &mut Footprint) {
        for index in &place.indices {
            self.expr(&index.expr, access);
        }
        let Some(scope) = shared(place.scope) else { return };
        let (from, to) = place.extent();
        let borders = &self.borders[scope];
        // The footprint of a specialisation may begin in the middle of a stretch.
        let start = borders.partition_point(|border| *border <= from).saturating_sub(1);
        let cells = borders[start..].iter().take_while(|border| **border < to).enumerate();
        for (at, _) in cells {
            let cell = self.first[scope] + start + at;
            if is_write { access.writes.insert(cell) } else { access.reads.insert(cell) }
        }
    }

    /// An end of a channel is used: that of senders, that of receivers, or both are looked at. `both`: whether it can
    /// be used depends on the other end.
    fn channel(&mut self, channel: &Expr, sends: Option<bool>, both: bool, access: &mut Footprint) {
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

    /// The trace follows what happens to its channels.
    fn event(&mut self, channel: &Expr, access: &mut Footprint) {
        let Some((_, automaton)) = self.model.traces.first() else { return };
        let channels = self.channels(channel);
        for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
            let (Step::Send { channel: followed, .. } | Step::Receive(Receive { channel: followed, .. })) =
                &transition.step
            else {
                continue;
            };
            if !self.channels(followed).iter().any(|channel| channels.contains(channel)) {
                continue;
            }
            access.writes.insert(TRACE);
            self.expr(followed, access);
            if let Step::Receive(receive) = &transition.step {
                for arg in &receive.args {
                    // Variables that are received stand for anything.
                    if let Match::Equal(expr) = arg {
                        self.expr(expr, access);
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
        if let Expr::Const(number) = channel {
            // Number 0 is none, and using it goes wrong.
            let position = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
            return position.map(|position| position.min(self.n_channels)).into_iter().collect();
        }
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
    model.embedded.iter().for_each(|embedded| embedded.touched().iter().for_each(&mut forget));
    model.proctypes.iter().for_each(|proctype| proctype.automaton.for_each_written(&mut forget));
    fixed
}

/// The elements that a place may be, as places of their own.
fn elements(place: &Place) -> Vec<Place> {
    let mut elements = vec![place.clone()];
    for at in 0..place.indices.len() {
        let count = place.indices[at].count.min(MAX_ELEMENTS as u32 + 1);
        let values = |element: &Place| match element.indices[at].expr {
            Expr::Const(value) => value..value + 1,
            _ => 0..count as i32,
        };
        let with = |element: &Place, value: i32| {
            let mut element = element.clone();
            element.indices[at].expr = Expr::Const(value);
            element
        };
        elements = elements.iter().flat_map(|element| values(element).map(move |value| with(element, value))).collect();
        elements.truncate(MAX_ELEMENTS + 1);
    }
    elements
}

/// Whether C data belong to each process of a type.
fn has_data(model: &Model, proctype: ProctypeId) -> bool {
    model.embedded.as_ref().is_some_and(|embedded| embedded.has_data(proctype))
}

/// Hidden variables are the first scope, global ones the second.
pub(super) fn shared(scope: Scope) -> Option<usize> {
    match scope {
        Scope::Hidden => Some(0),
        Scope::Global => Some(1),
        Scope::Local | Scope::Nowhere => None,
    }
}
