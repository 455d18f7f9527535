//! Data races between cached steps: two threads whose next accesses overlap.

use unpick_program::interp::{Machine, NextAccess, ObjectKind, Part, State};

/// Different accesses, numbered from 1; 0 is none.
#[derive(Default)]
pub(super) struct Accesses {
    all: Vec<Access>,
    /// Whether two race, by number.
    races: Vec<Vec<bool>>,
}

#[derive(PartialEq, Eq)]
struct Access {
    is_atomic: bool,
    parts: Vec<Part>,
}

impl Accesses {
    /// The number of a thread's next access in a state.
    pub(super) fn class(&mut self, machine: &Machine<'_>, state: &State, access: Option<NextAccess>) -> u32 {
        let Some(access) = access else { return 0 };
        let mut parts = access.parts;
        // Library models keep their own house in order.
        parts.retain(|part| match state.object(part.object).map(|object| object.kind) {
            Some(ObjectKind::Global(global)) => !machine.program.globals[global].is_model,
            Some(ObjectKind::Slot(..) | ObjectKind::Alloca(_) | ObjectKind::Heap(_)) => true,
            None => false,
        });
        let access = Access { is_atomic: access.is_atomic, parts };
        if let Some(known) = self.all.iter().position(|known| *known == access) {
            return known as u32 + 1;
        }
        self.all.push(access);
        let number = self.all.len();
        for one in 0..number {
            let race = self.all[one].races(&self.all[number - 1]);
            if one + 1 < number {
                self.races[one].push(race);
            }
        }
        let row = (0..number).map(|other| self.all[number - 1].races(&self.all[other])).collect();
        self.races.push(row);
        number as u32
    }

    #[inline]
    pub(super) fn race(&self, one: u32, other: u32) -> bool {
        one != 0 && other != 0 && self.races[one as usize - 1][other as usize - 1]
    }
}

impl Access {
    fn races(&self, other: &Access) -> bool {
        !(self.is_atomic && other.is_atomic)
            && self.parts.iter().any(|one| other.parts.iter().any(|other| one.conflicts(other)))
    }
}
