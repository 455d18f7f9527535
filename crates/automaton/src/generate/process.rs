//! Random control graphs of models: process types, claims and traces.

use unpick_base::{IdVec, Span};

use super::expr::Where;
use super::{Generator, plain};
use crate::{
    Automaton, Binary, Expr, Frame, Location, LocationId, Place, Proctype, ProctypeId, Scalar, Scope, Step, Transition,
    Unary,
};

impl Generator {
    /// Variables, parameters and the number of locations: what others may speak of.
    pub(super) fn proctype_head(&mut self) {
        let mut frame = Frame::default();
        let mut declared = Vec::new();
        self.variables(&mut frame, Scope::Local, &mut declared, 1, 3);
        let plain_ones = declared.iter().filter(|variable| variable.count.is_none());
        let params: Vec<Place> = plain_ones.take(self.random.below(3)).map(plain).collect();
        if self.random.once_in(3) {
            self.channels(&mut frame, Scope::Local, &mut declared, 1);
        }
        self.declared.locals.push(declared);
        self.declared.n_locations.push(5 + self.random.below(6));
        let (name, span, is_deterministic) = (self.name().into(), self.span(), self.random.once_in(12));
        let automaton = Automaton::default();
        self.model.proctypes.push(Proctype { name, frame, params, provided: None, is_deterministic, automaton, span });
    }

    pub(super) fn proctype_body(&mut self, id: ProctypeId) {
        let own = Where { proctype: Some(id), depth: 2 };
        if self.random.once_in(8) {
            self.model.proctypes[id].provided = Some(self.expr(own));
        }
        let n_plain = self.declared.n_locations[id.0 as usize];
        let mut locations: IdVec<LocationId, Location> = IdVec::new();
        locations.push(Location::default());
        for at in 1..n_plain {
            let mut location = self.location();
            if at + 1 == n_plain && !self.random.once_in(4) {
                location.is_end = true;
                location.transitions.push(self.transition(Step::End, None));
            } else {
                self.transitions(own, n_plain, &mut location);
            }
            locations.push(location);
        }
        for _ in 0..self.random.below(3) {
            self.d_step(own, n_plain, &mut locations);
        }
        let labels = vec![("here".into(), LocationId(1)), (self.name().into(), LocationId(0))];
        let start = Some(LocationId(1 + self.random.below(2) as u32));
        self.model.proctypes[id].automaton = Automaton { locations, start, labels };
    }

    fn location(&mut self) -> Location {
        Location {
            transitions: Vec::new(),
            is_end: self.random.once_in(5),
            is_accept: self.random.once_in(8),
            is_progress: self.random.once_in(8),
            is_in_d_step: false,
            span: self.span(),
        }
    }

    fn transition(&mut self, step: Step, target: Option<LocationId>) -> Transition {
        let (statement, span) = (self.random.below(20) as u32, self.span());
        let is_atomic = target.is_some() && self.random.once_in(4);
        Transition { step, target, is_atomic, escape: None, statement, span }
    }

    /// A location that is no part of a `d_step`, forward more often than back.
    fn any_target(&mut self, n_plain: usize) -> LocationId {
        LocationId(1 + self.random.below(n_plain - 1) as u32)
    }

    fn transitions(&mut self, own: Where, n_plain: usize, location: &mut Location) {
        if self.random.once_in(10) {
            let (step, target, escape) = (self.step(own), self.any_target(n_plain), self.any_target(n_plain));
            let transition = self.transition(step, Some(target));
            location.transitions.push(Transition { escape: Some(escape), ..transition });
        }
        for _ in 0..1 + self.random.below(3) {
            let (step, target) = (self.step(own), self.any_target(n_plain));
            let transition = self.transition(step, Some(target));
            location.transitions.push(transition);
        }
        if self.random.once_in(4) {
            let target = self.any_target(n_plain);
            let transition = self.transition(Step::Else, Some(target));
            location.transitions.push(transition);
        }
    }

    /// A few locations that are passed at once, and a transition that does so. Steps lead forward, but for a loop that
    /// counts a byte down.
    fn d_step(&mut self, own: Where, n_plain: usize, locations: &mut IdVec<LocationId, Location>) {
        let first = locations.len() as u32;
        let n_inside = 1 + self.random.below(4) as u32;
        let end = first + n_inside;
        for at in first..end {
            let mut location = Location { is_in_d_step: true, ..self.location() };
            for _ in 0..1 + self.random.below(2) {
                let step = self.step(own);
                let target = self.forward(at, end, n_plain);
                let transition = self.transition(step, Some(target));
                location.transitions.push(Transition { is_atomic: false, ..transition });
            }
            if !self.random.once_in(12) {
                let target = self.forward(at, end, n_plain);
                let transition = self.transition(Step::Else, Some(target));
                location.transitions.push(Transition { is_atomic: false, ..transition });
            }
            locations.push(location);
        }
        let start = match self.byte_variable(own) {
            Some(byte) if self.random.once_in(3) => self.countdown(byte, first, locations),
            _ => LocationId(first),
        };
        let from = LocationId(1 + self.random.below(n_plain - 2) as u32);
        let (step, target) = (Step::DStep(start), self.any_target(n_plain));
        let transition = self.transition(step, Some(target));
        // `else` stays behind everything else.
        let at = locations[from].transitions.len().saturating_sub(1);
        let at = at.max(locations[from].transitions.iter().filter(|declared| declared.escape.is_some()).count());
        locations[from].transitions.insert(at, transition);
    }

    fn forward(&mut self, at: u32, end: u32, n_plain: usize) -> LocationId {
        match at + 1 < end && !self.random.once_in(4) {
            true => LocationId(at + 1 + self.random.below((end - at - 1) as usize) as u32),
            false => self.any_target(n_plain),
        }
    }

    fn byte_variable(&self, own: Where) -> Option<Place> {
        let locals = self.declared.locals.get(own.proctype?.0 as usize)?;
        let all = self.declared.globals.iter().chain(locals);
        let mut bytes =
            all.filter(|variable| variable.scalar == Scalar::Byte && variable.count.is_none() && !variable.is_channel);
        bytes.next().map(plain)
    }

    /// Counts the place down to zero and goes on then.
    fn countdown(&mut self, place: Place, then: u32, locations: &mut IdVec<LocationId, Location>) -> LocationId {
        let head = locations.next_id();
        let body = LocationId(head.0 + 1);
        let load = || Box::new(Expr::Load(Box::new(place.clone())));
        let is_over = Step::Condition(Expr::Unary(Unary::Not, load()));
        let less = Expr::Binary(Binary::Subtract, load(), Box::new(Expr::Const(1)));
        let mut inside = |steps: Vec<(Step, LocationId)>| {
            let mut location = Location { is_in_d_step: true, span: Span::NONE, ..Location::default() };
            for (step, target) in steps {
                let transition = self.transition(step, Some(target));
                location.transitions.push(Transition { is_atomic: false, ..transition });
            }
            locations.push(location);
        };
        inside(vec![(is_over, LocationId(then)), (Step::Else, body)]);
        inside(vec![(Step::Assign(place.clone(), less), head)]);
        head
    }

    fn step(&mut self, own: Where) -> Step {
        match self.random.below(24) {
            0..=4 => Step::Condition(self.expr(own)),
            5..=9 => {
                let place = self.place(own);
                Step::Assign(place, self.expr(own))
            }
            10 => self.pass_channel(own),
            11..=13 => {
                let (channel, n_args) = self.channel_and_arity(own);
                let args = (0..n_args).map(|_| self.expr(Where { depth: 1, ..own })).collect();
                Step::Send { channel, is_sorted: self.random.once_in(4), args }
            }
            14..=17 => Step::Receive(self.receive(own)),
            18 => Step::Assert(self.expr(own)),
            19 => Step::Printf("\"%d\\n\"".into(), vec![self.expr(own)]),
            20 if !self.model.mtypes.is_empty() => Step::Printm(self.expr(own), Some(0)),
            21 if self.model.has_priority => {
                let pid = self.expr(own);
                Step::SetPriority(pid, Expr::Const(self.random.below(4) as i32))
            }
            22 if self.random.once_in(3) => Step::Condition(self.run(own)),
            _ => Step::Skip,
        }
    }

    /// The number of a channel goes into another variable.
    fn pass_channel(&mut self, own: Where) -> Step {
        match (self.channel(own), self.channel(own)) {
            (Expr::Load(place), from) => Step::Assign(*place, from),
            (_, _) => Step::Skip,
        }
    }

    pub(super) fn claim(&mut self) -> Automaton {
        let nobody = Where { proctype: None, depth: 2 };
        let n_locations = 3 + self.random.below(3);
        let mut locations: IdVec<LocationId, Location> = IdVec::new();
        locations.push(Location::default());
        for _ in 1..n_locations {
            let mut location = Location { is_end: self.random.once_in(10), ..self.location() };
            for _ in 0..1 + self.random.below(3) {
                let step = match self.random.below(6) {
                    0 => Step::Skip,
                    1 => Step::Assert(self.expr(nobody)),
                    _ => Step::Condition(self.expr(nobody)),
                };
                let target = self.any_target(n_locations);
                let transition = self.transition(step, Some(target));
                location.transitions.push(Transition { is_atomic: self.random.once_in(12), ..transition });
            }
            locations.push(location);
        }
        Automaton { locations, start: Some(LocationId(1)), labels: Vec::new() }
    }

    pub(super) fn trace(&mut self) -> Automaton {
        let nobody = Where { proctype: None, depth: 0 };
        let n_locations = 3 + self.random.below(3);
        let mut locations: IdVec<LocationId, Location> = IdVec::new();
        locations.push(Location::default());
        for at in 1..n_locations {
            let mut location = self.location();
            if at + 1 == n_locations {
                location.transitions.push(self.transition(Step::End, None));
            } else {
                for _ in 0..1 + self.random.below(2) {
                    let step = match self.random.once_in(2) {
                        true => {
                            let channel = self.channel(nobody);
                            Step::Send { channel, is_sorted: false, args: vec![self.expr(nobody)] }
                        }
                        false => Step::Receive(self.receive(nobody)),
                    };
                    let target = self.any_target(n_locations);
                    let transition = self.transition(step, Some(target));
                    location.transitions.push(transition);
                }
            }
            locations.push(location);
        }
        Automaton { locations, start: Some(LocationId(1)), labels: Vec::new() }
    }
}
