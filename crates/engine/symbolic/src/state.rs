//! States: all executions that stand at one place of one activation, at once.

use std::rc::Rc;

use unpick_program::RegId;
use unpick_term::{Term, Terms};

use crate::guard::{Guard, Guards};
use crate::memory::Memory;
use crate::value::{ObjectId, Targets, Value};

/// The executions that satisfy a guard, at one place of an activation.
#[derive(Clone)]
pub(crate) struct State {
    /// The branches that lead here.
    pub(crate) guard: Guard,
    /// What is known here besides: assumptions, checks that were passed, and the branches once more.
    pub(crate) known: Guard,
    /// Registers of the activation.
    pub(crate) regs: Rc<Vec<Value>>,
    /// Where the stack objects of the activation are; none while they do not live.
    pub(crate) slots: Rc<Vec<Option<Targets>>>,
    /// Variable length arrays of the activation, with the condition under which they were made.
    pub(crate) allocas: Rc<Vec<(ObjectId, Term)>>,
    pub(crate) memory: Memory,
}

/// Bytes of a pointer do not agree with those of other values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeedsAddress;

impl State {
    /// The states of two paths to one place; only live registers matter.
    pub(crate) fn join(
        terms: &mut Terms,
        guards: &mut Guards,
        (left, right): (State, State),
        live: &[RegId],
        pointer_bytes: u64,
    ) -> Result<State, NeedsAddress> {
        let (guard, when) = guards.join(terms, left.guard, right.guard);
        let known = guards.common(left.known, right.known);
        let mut regs = left.regs;
        if !Rc::ptr_eq(&regs, &right.regs) {
            for reg in live {
                let at = reg.0 as usize;
                if regs[at] != right.regs[at] {
                    let joined = Value::join(terms, when, &regs[at], &right.regs[at]).ok_or(NeedsAddress)?;
                    Rc::make_mut(&mut regs)[at] = joined;
                }
            }
        }
        let mut slots = left.slots;
        if slots != right.slots {
            let all = Rc::make_mut(&mut slots);
            for (slot, other) in all.iter_mut().zip(right.slots.iter()) {
                if slot != other {
                    *slot = join_slots(terms, when, slot, other);
                }
            }
        }
        let mut allocas = left.allocas;
        if allocas != right.allocas {
            let not = terms.not(when);
            let all: Vec<(ObjectId, Term)> = allocas
                .iter()
                .map(|(id, made)| {
                    (*id, if right.allocas.contains(&(*id, *made)) { *made } else { terms.and(when, *made) })
                })
                .collect();
            let mut all = all;
            for (id, made) in right.allocas.iter() {
                if !allocas.contains(&(*id, *made)) {
                    let made = terms.and(not, *made);
                    all.push((*id, made));
                }
            }
            allocas = all.into();
        }
        let memory = Memory::join(terms, when, &left.memory, &right.memory, pointer_bytes);
        Ok(State { guard, known, regs, slots, allocas, memory })
    }
}

/// A stack object that lives on one path only has no place on the other: nobody asks for it there.
fn join_slots(terms: &mut Terms, when: Term, left: &Option<Targets>, right: &Option<Targets>) -> Option<Targets> {
    match (left, right) {
        (Some(left), Some(right)) => {
            let pointer = |targets: &Targets| Value::Pointer { targets: targets.clone(), undef: Term::FALSE };
            match Value::join(terms, when, &pointer(left), &pointer(right)) {
                Some(Value::Pointer { targets, .. }) => Some(targets),
                Some(Value::Word { .. } | Value::Fragment { .. }) | None => None,
            }
        }
        // What lives on one path must end there as well.
        (Some(one), None) => Some(under(terms, when, one)),
        (None, Some(other)) => {
            let not = terms.not(when);
            Some(under(terms, not, other))
        }
        (None, None) => None,
    }
}

/// The targets under one more condition, else null: that is what the address of a stack object is that does not live.
fn under(terms: &mut Terms, when: Term, targets: &Targets) -> Targets {
    use crate::value::{Base, Offset};
    let null = Value::pointer(Base::Number, Offset::constant(terms, 0));
    let pointer = Value::Pointer { targets: targets.clone(), undef: Term::FALSE };
    match Value::join(terms, when, &pointer, &null) {
        Some(Value::Pointer { targets, .. }) => targets,
        Some(Value::Word { .. } | Value::Fragment { .. }) | None => targets.clone(),
    }
}
