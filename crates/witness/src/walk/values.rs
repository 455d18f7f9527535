//! Memory at one point of a trace: shared variables, variables of activations, heap objects, as far as they are known.
//!
//! The same part of a heap object has many names (`p->next`, `list.head->next`), and names move on when pointers do. So
//! parts are kept by object and offset, and each remembers the ways that led to it: which pointer it was, and what stood
//! behind it. A name leads to a part only if the pointer in it is that pointer now.

use std::collections::BTreeMap;

use super::{Variable, expression};
use crate::{Change, Part, Scope, Step};

/// Whose a variable is: thread, depth and function.
type Owner = (u32, u32, String);

/// A heap object with what is known of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeapObject {
    /// `heap#3`.
    pub name: String,
    /// How large it is, if the trace shows how it was made.
    pub bytes: Option<u64>,
    /// The line that made it.
    pub made: Option<(String, u32)>,
    /// Its parts by their latest names, in the order of memory.
    pub parts: Vec<Variable>,
    /// Variables that point to it.
    pub pointers: Vec<String>,
}

/// Everything that is known at one point.
#[derive(Clone, Debug, Default)]
pub struct Values {
    plain: BTreeMap<(Option<Owner>, String), Variable>,
    parts: BTreeMap<(u64, u64), KnownPart>,
    objects: BTreeMap<u64, Made>,
}

#[derive(Clone, Debug)]
struct KnownPart {
    size: u64,
    variable: Variable,
    ways: Vec<Way>,
}

/// A pointer, and what was written behind it to name a part: `&heap#3` and `->next`.
type Way = (String, String);

#[derive(Clone, Debug)]
struct Made {
    bytes: Option<u64>,
    place: Option<(String, u32)>,
}

impl Values {
    /// Adds shared variables that no step changes.
    pub(crate) fn add_constants(&mut self, constants: &[(String, String)]) {
        for (name, value) in constants {
            let variable = || Variable { name: name.clone(), value: value.clone(), scope: None };
            self.plain.entry((None, name.clone())).or_insert_with(variable);
        }
    }

    /// What is known when `at` is about to be done. A trace tells only what changes, so what is shared and has not changed
    /// yet has the value that its first change replaces.
    pub fn before(steps: &[Step], at: usize) -> Values {
        let (done, left) = steps.split_at(at.min(steps.len()));
        let mut values = Values::default();
        for step in done {
            values.pass(step);
        }
        if let Some(step) = left.first() {
            values.leave(step);
        }
        let mut unborn: Vec<u64> = Vec::new();
        for step in left {
            unborn.extend(step.made.iter().map(|made| made.object));
            for change in step.changes.iter().filter(|change| change.scope.is_none()) {
                match &change.part {
                    Some(part) if unborn.contains(&part.object) => {}
                    Some(part) => values.expect_part(part, change),
                    None => {
                        let key = (None, change.name.clone());
                        values.plain.entry(key).or_insert_with(|| variable(change, &change.old));
                    }
                }
            }
        }
        values
    }

    fn pass(&mut self, step: &Step) {
        self.leave(step);
        for made in &step.made {
            let place = (step.line > 0).then(|| (step.file.clone(), step.line));
            self.objects.insert(made.object, Made { bytes: Some(made.bytes), place });
        }
        for change in &step.changes {
            match &change.part {
                Some(part) => self.write_part(part, change, step),
                None => {
                    self.plain.insert((owner(change), change.name.clone()), variable(change, &change.new));
                }
            }
        }
        for object in &step.freed {
            self.objects.remove(object);
            self.parts.retain(|(of, _), _| of != object);
        }
    }

    /// The thread has left the activations that are deeper than its step.
    fn leave(&mut self, step: &Step) {
        self.plain.retain(|(owner, _), _| {
            owner.as_ref().is_none_or(|(thread, depth, function)| {
                *thread != step.thread || *depth < step.depth || (*depth == step.depth && *function == step.function)
            })
        });
    }

    fn write_part(&mut self, part: &Part, change: &Change, step: &Step) {
        let ways = self.ways(&change.name, part.object, step.thread, step.depth);
        let (start, end) = (part.offset, part.offset + part.size.max(1));
        let mut known = match self.parts.remove(&(part.object, start)) {
            Some(known) if known.size == part.size => known,
            Some(_) | None => {
                // What lay there as something else is gone.
                self.parts.retain(|(object, offset), known| {
                    *object != part.object || *offset >= end || offset + known.size <= start
                });
                KnownPart { size: part.size, variable: variable(change, &change.new), ways: Vec::new() }
            }
        };
        known.variable = variable(change, &change.new);
        for way in ways {
            if !known.ways.contains(&way) {
                known.ways.push(way);
            }
        }
        self.objects.entry(part.object).or_insert(Made { bytes: None, place: None });
        self.parts.insert((part.object, start), known);
    }

    /// A part that changes later, as it is now.
    fn expect_part(&mut self, part: &Part, change: &Change) {
        let (start, end) = (part.offset, part.offset + part.size.max(1));
        let is_known = self.parts.iter().any(|((object, offset), known)| {
            *object == part.object && *offset < end && offset + known.size.max(1) > start
        });
        if !is_known {
            let known = KnownPart { size: part.size, variable: variable(change, &change.old), ways: Vec::new() };
            self.objects.entry(part.object).or_insert(Made { bytes: None, place: None });
            self.parts.insert((part.object, start), known);
        }
    }

    /// The ways in which a name leads to a heap object, for a thread in an activation.
    fn ways(&self, name: &str, object: u64, thread: u32, depth: u32) -> Vec<Way> {
        let pointers = splits(name).into_iter().filter_map(|(base, rest)| {
            let pointer = self.look_up(base, thread, depth)?;
            (object_of(&pointer) == Some(object)).then(|| (pointer, rest.to_owned()))
        });
        pointers.collect()
    }

    /// The value of what a name means to a thread in an activation.
    pub(super) fn look_up(&self, name: &str, thread: u32, depth: u32) -> Option<String> {
        let is_own = |variable: &Variable| {
            variable.scope.as_ref().is_some_and(|scope| scope.thread == thread && scope.depth == depth)
        };
        let own = self.plain.values().find(|variable| variable.name == name && is_own(variable));
        let shared = || self.plain.get(&(None, name.to_owned()));
        if let Some(variable) = own.or_else(shared) {
            return Some(variable.value.clone());
        }
        let mut is_pointer_known = false;
        for (base, rest) in splits(name) {
            let Some(pointer) = self.look_up(base, thread, depth) else { continue };
            let Some(object) = object_of(&pointer) else { continue };
            is_pointer_known = true;
            let mut parts = self.parts.range((object, 0)..=(object, u64::MAX)).map(|(_, known)| known);
            let leads = |known: &&KnownPart| known.ways.iter().any(|way| way.0 == pointer && way.1 == rest);
            if let Some(known) = parts.find(leads) {
                return Some(known.variable.value.clone());
            }
        }
        // The trace does not always show the pointer itself.
        let mut named = self.parts.values().filter(|known| !is_pointer_known && known.variable.name == name);
        named.next().map(|known| known.variable.value.clone())
    }

    /// All variables: shared ones and parts of the heap by name, then those of activations that are still at work.
    pub fn variables(&self) -> Vec<Variable> {
        let shared = self.plain.values().filter(|variable| variable.scope.is_none());
        let parts = self.parts.values().map(|known| &known.variable);
        let mut variables: Vec<Variable> = shared.chain(parts).cloned().collect();
        variables.sort_by(|left, right| left.name.cmp(&right.name));
        variables.extend(self.plain.values().filter(|variable| variable.scope.is_some()).cloned());
        variables
    }

    /// Variables with static storage.
    pub fn statics(&self) -> Vec<&Variable> {
        self.plain.values().filter(|variable| variable.scope.is_none()).collect()
    }

    /// The variables of an activation.
    pub fn locals(&self, thread: u32, depth: u32) -> Vec<&Variable> {
        let is_of = |scope: &Scope| scope.thread == thread && scope.depth == depth;
        self.plain.values().filter(|variable| variable.scope.as_ref().is_some_and(is_of)).collect()
    }

    /// The objects of the heap that live.
    pub fn heap(&self) -> Vec<HeapObject> {
        let objects = self.objects.iter().map(|(number, made)| {
            let of_parts = self.parts.range((*number, 0)..=(*number, u64::MAX));
            let points = |variable: &&Variable| object_of(&variable.value) == Some(*number);
            let all = self.plain.values().chain(self.parts.values().map(|known| &known.variable));
            let mut pointers: Vec<String> = all.filter(points).map(|variable| variable.name.clone()).collect();
            pointers.sort();
            pointers.dedup();
            HeapObject {
                name: format!("heap#{number}"),
                bytes: made.bytes,
                made: made.place.clone(),
                parts: of_parts.map(|(_, known)| known.variable.clone()).collect(),
                pointers,
            }
        });
        objects.collect()
    }

    /// The value of a C expression in an activation, or why it has none.
    pub fn evaluate(&self, expression: &str, thread: u32, depth: u32) -> Result<String, String> {
        expression::evaluate(expression, &|name| self.look_up(name, thread, depth))
    }
}

/// Where names may go through a pointer: what is before, and the rest. The last one first.
fn splits(name: &str) -> Vec<(&str, &str)> {
    let arrows = name.match_indices("->").map(|(at, _)| at);
    let brackets = name.match_indices('[').map(|(at, _)| at);
    let mut places: Vec<usize> = arrows.chain(brackets).filter(|at| *at > 0).collect();
    places.sort_unstable();
    let mut splits: Vec<(&str, &str)> = places.into_iter().rev().map(|at| name.split_at(at)).collect();
    splits.extend(name.strip_prefix('*').map(|pointer| (pointer, "*")));
    splits
}

/// The heap object that a shown pointer leads into.
fn object_of(pointer: &str) -> Option<u64> {
    let rest = pointer.strip_prefix("&heap#")?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn owner(change: &Change) -> Option<Owner> {
    change.scope.as_ref().map(|scope| (scope.thread, scope.depth, scope.function.clone()))
}

fn variable(change: &Change, value: &str) -> Variable {
    Variable { name: change.name.clone(), value: value.to_owned(), scope: change.scope.clone() }
}
