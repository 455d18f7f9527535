//! Automaton construction: transitions read off the control flow of a process.
//!
//! Every element gets a location. Jumps, joins and loop exits are skipped on the way to the next statement,
//! unless that would lead out of an `atomic` unnoticed. A selection has the transitions of the first statements
//! of its options; so has a block. Escapes are put before the transitions of the statements they guard.

use std::collections::HashMap;

use unpick_base::IdVec;
use unpick_base::id::Id;

use super::{BlockKind, Element, ElementId, ElementKind, Flow, Misplaced, SequenceId, Special, Target, special};
use crate::syntax::Name;
use unpick_automaton::{Automaton, Expr, Location, LocationId, Step, Transition};

/// How many jumps in a row are followed; more is a circle.
const MAX_JUMPS: usize = 500;

/// The location of a label, for remote references.
pub fn location_of(element: ElementId) -> LocationId {
    LocationId(element.0 + 1)
}

impl Flow {
    /// The element that bears this label, for references from other processes. A jump that bears one becomes
    /// a step; otherwise no process could ever be at the label.
    pub fn remote_label(&mut self, name: &Name) -> Option<LocationId> {
        let element = self.labels.iter().rev().find(|label| label.name == *name)?.element;
        if let ElementKind::Goto(target) = self.elements[element].kind.clone() {
            let span = self.elements[element].span;
            let goto = self.element(ElementKind::Goto(target), span);
            let old = self.elements[element].clone();
            self.elements[goto] = Element { kind: old.kind, ..self.elements[goto].clone() };
            self.elements[goto].next = old.next;
            self.elements[goto].is_atomic = old.is_atomic;
            self.elements[goto].is_last_atomic = old.is_last_atomic;
            self.elements[element].kind = ElementKind::Step(Step::Skip);
            self.elements[element].next = Some(goto);
            for sequence in self.sequences.iter_mut() {
                if sequence.last == Some(element) {
                    sequence.last = Some(goto);
                }
            }
        }
        Some(location_of(element))
    }

    /// The automaton of the process whose body is this sequence.
    pub fn build(&mut self, body: SequenceId) -> Automaton {
        self.tie_ends();
        let mut builder = Builder { flow: self, locations: IdVec::new() };
        builder.singles();
        builder.flags();
        builder.pull_options();
        builder.escapes();
        let start = {
            let first = builder.flow.first(body);
            builder.hunt(first, builder.flow.elements[first].is_atomic)
        };
        let locations = builder.locations;
        let labels = self.labels.iter().map(|label| (label.name.clone(), location_of(label.element))).collect();
        Automaton { locations, start: Some(location_of(start)), labels }
    }

    /// What follows a block follows its last statement.
    fn tie_ends(&mut self) {
        let ids: Vec<ElementId> = self.elements.ids().rev().collect();
        for id in ids {
            let ElementKind::Block(_, body) = self.elements[id].kind else { continue };
            let last = self.sequences[body].last.expect("a closed sequence should have a statement");
            self.patch_jumps(body);
            if self.elements[last].next.is_none() || !matches!(self.elements[last].kind, ElementKind::Goto(_)) {
                self.elements[last].next = self.elements[id].next;
            }
        }
    }

    /// A jump out of an `atomic` ends it; a jump into one goes on with it.
    fn patch_jumps(&mut self, sequence: SequenceId) {
        let extent = self.sequences[sequence].extent;
        let mut at = self.sequences[sequence].first;
        while let Some(id) = at {
            if let ElementKind::Goto(target) = self.elements[id].kind.clone() {
                if let Some(to) = self.find(&target) {
                    let is_inside = self.elements[to].is_atomic || self.elements[to].is_last_atomic;
                    let element = &mut self.elements[id];
                    if element.is_atomic || element.is_last_atomic {
                        element.is_atomic = is_inside;
                        element.is_last_atomic = !is_inside;
                    }
                }
            } else {
                for sub in self.elements[id].subs.clone() {
                    self.patch_jumps(sub);
                }
            }
            if at == extent {
                break;
            }
            at = self.elements[id].next;
        }
    }

    /// The element a jump leads to: the label in the same block, else in a block around, else any.
    pub(super) fn find(&self, target: &Target) -> Option<ElementId> {
        let (name, path) = match target {
            Target::Exit(id) => return self.exits[*id],
            Target::Label(name, path) => (name, path),
        };
        let mut any = None;
        for label in self.labels.iter().rev().filter(|label| label.name == *name) {
            if label.path == *path {
                return Some(label.element);
            }
            if path.starts_with(&label.path) || any.is_none() {
                any = Some(label.element);
            }
        }
        any
    }

    /// Reports jumps to nowhere and across the borders of a `d_step`.
    pub fn check_jumps(&mut self) {
        let mut found = Vec::new();
        for element in self.elements.iter() {
            let ElementKind::Goto(target) = &element.kind else { continue };
            let message = match (self.find(target), target) {
                (None, Target::Label(name, _)) => format!("label `{name}` is not declared"),
                (None, Target::Exit(_)) => "the loop to leave does not end".to_owned(),
                (Some(to), _) if self.elements[to].d_step != element.d_step => {
                    "a jump must not cross the border of a `d_step`".to_owned()
                }
                _ => continue,
            };
            found.push(Misplaced { span: element.span, message, is_error: true });
        }
        self.misplaced.extend(found);
    }
}

struct Builder<'a> {
    flow: &'a mut Flow,
    locations: IdVec<LocationId, Location>,
}

impl Builder<'_> {
    fn kind(&self, id: ElementId) -> &ElementKind {
        &self.flow.elements[id].kind
    }

    fn at(&mut self, id: ElementId) -> &mut Location {
        &mut self.locations[location_of(id)]
    }

    /// The statement that control really reaches when it goes to this element.
    fn hunt(&mut self, from: ElementId, is_atomic: bool) -> ElementId {
        let mut id = from;
        for _ in 0..MAX_JUMPS {
            let element = &self.flow.elements[id];
            let to = match &element.kind {
                ElementKind::Goto(target) => self.flow.find(target),
                ElementKind::Join | ElementKind::Exit => element.next,
                ElementKind::Unless => {
                    let first = self.flow.first(element.subs[0]);
                    Some(self.hunt(first, is_atomic))
                }
                ElementKind::Step(_) | ElementKind::Choice | ElementKind::Block(..) => return id,
            };
            let Some(to) = to else { return id };
            if to == id {
                break;
            }
            if is_atomic && !self.flow.elements[to].is_atomic {
                return id;
            }
            id = to;
        }
        let span = self.flow.elements[from].span;
        let message = "jumps lead in a circle".to_owned();
        self.flow.misplaced.push(Misplaced { span, message, is_error: true });
        id
    }

    /// The statement an option or a block begins with.
    fn head(&self, from: ElementId) -> ElementId {
        let mut id = from;
        for _ in 0..MAX_JUMPS {
            let element = &self.flow.elements[id];
            id = match &element.kind {
                ElementKind::Join => match element.next {
                    Some(next) => next,
                    None => return id,
                },
                ElementKind::Unless => self.flow.first(element.subs[0]),
                _ => return id,
            };
        }
        id
    }

    /// Transitions of everything that is one statement.
    fn singles(&mut self) {
        self.locations.push(Location::default());
        for id in self.flow.elements.ids() {
            let element = self.flow.elements[id].clone();
            let (step, next) = match &element.kind {
                ElementKind::Step(step) => (Some(step.clone()), element.next),
                ElementKind::Goto(target) => (Some(Step::Skip), self.flow.find(target)),
                ElementKind::Join | ElementKind::Exit => (Some(Step::Skip), element.next),
                ElementKind::Block(BlockKind::DStep, body) => {
                    let first = self.flow.first(*body);
                    let start = self.hunt(first, false);
                    (Some(Step::DStep(location_of(start))), element.next)
                }
                ElementKind::Choice | ElementKind::Unless | ElementKind::Block(..) => (None, None),
            };
            let mut location =
                Location { span: element.span, is_in_d_step: element.is_in_d_step, ..Location::default() };
            if let Some(step) = step {
                let target = next.map(|next| location_of(self.hunt(next, element.is_atomic)));
                let target = if step == Step::End { None } else { target };
                let is_end = step == Step::End;
                let (is_atomic, span) = (element.is_atomic, element.span);
                let transition = Transition { step, target, is_atomic, escape: None, statement: id.0, span };
                if target.is_some() || is_end {
                    location.transitions.push(transition);
                }
                location.is_end = is_end;
            }
            self.locations.push(location);
        }
    }

    fn flags(&mut self) {
        for label in self.flow.labels.clone() {
            let location = self.at(label.element);
            match special(&label.name) {
                Some(Special::Accept) => location.is_accept = true,
                Some(Special::End) => location.is_end = true,
                Some(Special::Progress) => location.is_progress = true,
                None => {}
            }
        }
    }

    /// The first statements of the options; a selection inside one adds its own.
    fn heads(&mut self, id: ElementId, depth: usize, found: &mut Vec<ElementId>) {
        let subs = match self.kind(id).clone() {
            ElementKind::Choice => self.flow.elements[id].subs.clone(),
            ElementKind::Block(BlockKind::Plain | BlockKind::Atomic, body) => vec![body],
            _ => {
                found.push(id);
                return;
            }
        };
        if depth > MAX_JUMPS {
            return;
        }
        let is_choice = matches!(self.kind(id), ElementKind::Choice);
        for sub in subs {
            let head = self.head(self.flow.first(sub));
            let element = &self.flow.elements[head];
            let is_never = matches!(element.kind, ElementKind::Step(Step::Condition(Expr::Const(0))));
            if is_choice && is_never && element.escapes.is_empty() {
                continue;
            }
            if depth > 0 {
                self.inherit(id, head);
            }
            self.heads(head, depth + 1, found);
        }
    }

    /// What a label says of a selection inside an option, it says of what comes first in it.
    fn inherit(&mut self, from: ElementId, to: ElementId) {
        let from = self.at(from).clone();
        merge_flags(self.at(to), &from);
    }

    /// Gives selections and blocks the transitions of their first statements.
    fn pull_options(&mut self) {
        let ids: Vec<ElementId> = self.flow.elements.ids().collect();
        let mut pulled: HashMap<ElementId, Vec<ElementId>> = HashMap::new();
        for id in &ids {
            let is_choice = matches!(
                self.kind(*id),
                ElementKind::Choice | ElementKind::Block(BlockKind::Plain | BlockKind::Atomic, _)
            );
            if is_choice {
                let mut heads = Vec::new();
                self.heads(*id, 0, &mut heads);
                pulled.insert(*id, heads);
            }
        }
        for id in ids {
            let Some(heads) = pulled.get(&id) else { continue };
            for head in heads {
                let from = self.at(*head).clone();
                for transition in &from.transitions {
                    // The first statement is no state here: its labels speak of the state behind it.
                    if let Some(target) = transition.target {
                        merge_flags(&mut self.locations[target], &from);
                    }
                }
                self.at(id).transitions.extend(from.transitions);
            }
        }
        for id in self.flow.elements.ids() {
            let location = self.at(id);
            let target = match &location.transitions[..] {
                [only] if location.is_end => only.target,
                _ => None,
            };
            if let (Some(target), ElementKind::Join) = (target, self.kind(id)) {
                self.locations[target].is_end = true;
            }
        }
    }

    /// Puts the transitions of escapes before those of the statements they guard.
    fn escapes(&mut self) {
        for index in 0..self.flow.elements.len() {
            let id = ElementId::from_index(index);
            let mut list = self.at(id).transitions.clone();
            let own: Vec<ElementId> = list.iter().map(|transition| ElementId(transition.statement)).collect();
            for guarded in own {
                let element = &self.flow.elements[guarded];
                if matches!(element.kind, ElementKind::Join) {
                    continue;
                }
                let (escapes, is_atomic) = (element.escapes.clone(), element.is_atomic);
                for escape in escapes.into_iter().rev() {
                    let first = self.flow.first(escape);
                    let entry = self.hunt(first, is_atomic);
                    self.add_escape(&mut list, entry);
                }
            }
            self.at(id).transitions = list;
        }
    }

    fn add_escape(&mut self, list: &mut Vec<Transition>, entry: ElementId) {
        for transition in self.at(entry).transitions.clone() {
            if list.iter().any(|known| known.statement == transition.statement) {
                continue;
            }
            list.insert(0, Transition { escape: Some(location_of(entry)), ..transition });
        }
    }
}

fn merge_flags(to: &mut Location, from: &Location) {
    // The end of the process is an end of its own.
    let is_process_end = matches!(from.transitions.first(), Some(Transition { step: Step::End, .. }));
    to.is_accept |= from.is_accept;
    to.is_end |= from.is_end && !is_process_end;
    to.is_progress |= from.is_progress;
}
