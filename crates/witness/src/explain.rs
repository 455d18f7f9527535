//! Explanation of deadlocks and data races: who waits for whom, and which locks were held.

use unpick_program::interp::{Machine, NextAccess, ObjectKind, Part, Race, State};
use unpick_program::{Loc, Program, show};
use unpick_system::place;

use crate::reach::named_part;
use crate::wait::{Awaited, MAX_LEVELS, awaited, circle, held, who};
use crate::{Finding, Related};

/// What a finding of several threads says beyond the engine's words.
#[derive(Default)]
pub(crate) struct Explanation {
    /// Instead of the engine's message.
    message: Option<String>,
    notes: Vec<String>,
    related: Vec<Related>,
}

impl Explanation {
    pub(crate) fn complete(self, finding: &mut Finding) {
        if let Some(message) = self.message {
            finding.message = message;
        }
        finding.notes.extend(self.notes);
        finding.related.extend(self.related);
    }
}

/// No thread can go on.
pub(crate) fn deadlock(machine: &Machine<'_>, state: &State) -> Explanation {
    let is_left = |thread: &usize| !state.is_ended(*thread) && !machine.is_idle_handler(state, *thread);
    let left = (0..state.n_threads()).filter(is_left);
    let waiting: Vec<(usize, Option<Awaited>)> = left.map(|thread| (thread, awaited(machine, state, thread))).collect();
    explained(machine, state, "no thread can go on", &waiting)
}

/// Some threads wait for each other for ever, while others can go on.
pub(crate) fn stuck(machine: &Machine<'_>, state: &State) -> Explanation {
    let stuck = machine.partial_deadlock(state);
    let waiting: Vec<(usize, Option<Awaited>)> =
        stuck.iter().map(|stuck| (stuck.thread, awaited(machine, state, stuck.thread))).collect();
    let head = match waiting.as_slice() {
        [_] => "a thread waits for ever, whatever the others do",
        _ => "threads wait for each other, and nobody else can release them",
    };
    explained(machine, state, head, &waiting)
}

/// A partial deadlock in one line: the cycle of waiting threads.
pub fn stuck_text(machine: &Machine<'_>, state: &State) -> String {
    stuck(machine, state).message.unwrap_or_else(|| "threads wait for each other: deadlock".to_owned())
}

fn explained(machine: &Machine<'_>, state: &State, head: &str, waiting: &[(usize, Option<Awaited>)]) -> Explanation {
    let of = |thread: usize| waiting.iter().find(|(other, _)| *other == thread).and_then(|(_, found)| found.as_ref());
    let message = match (circle(waiting), waiting) {
        (Some(circle), _) => Some(format!("{head}: {}", circle_text(&circle, &of))),
        (None, [(thread, Some(awaited))]) => {
            let holders = awaited.helpers();
            let why = match holders {
                [holder] if state.is_ended(*holder) => ", which has ended",
                _ => ", and no other thread is left",
            };
            Some(format!("{head}: thread {thread} {}{why}", awaited.text()))
        }
        (None, waiting) => {
            let texts: Option<Vec<String>> = waiting
                .iter()
                .map(|(thread, awaited)| Some(format!("thread {thread} {}", awaited.as_ref()?.text())))
                .collect();
            texts.map(|texts| format!("{head}: {}", texts.join("; ")))
        }
    };
    let notes = waiting.iter().map(|(thread, awaited)| waiting_note(machine, state, *thread, awaited.as_ref()));
    Explanation { message, notes: notes.collect(), related: Vec::new() }
}

/// `thread 1 holds &b, waits for &a held by thread 2, which waits for &b`.
fn circle_text<'a>(circle: &[usize], of: &dyn Fn(usize) -> Option<&'a Awaited>) -> String {
    let Some((last, before)) = circle.split_last() else { return String::new() };
    let mut text = format!("thread {}", circle[0]);
    if let (Some(Awaited::Lock(lock, _)), false) = (of(*last), before.is_empty()) {
        text += &format!(" holds {lock},");
    }
    for (at, thread) in before.iter().enumerate() {
        let which = if at == 0 { "" } else { ", which" };
        let next = circle[at + 1];
        match of(*thread) {
            Some(Awaited::Lock(lock, _)) => text += &format!("{which} waits for {lock} held by thread {next}"),
            Some(awaited) => text += &format!("{which} {}", awaited.text()),
            None => {}
        }
    }
    match (of(*last), before.is_empty()) {
        (Some(Awaited::Lock(lock, _)), true) => text += &format!(" waits for {lock}, which it holds itself"),
        (Some(Awaited::Lock(lock, _)), false) => text += &format!(", which waits for {lock}"),
        (Some(awaited), true) => text += &format!(" {}", awaited.text()),
        (Some(awaited), false) => text += &format!(", which {}", awaited.text()),
        (None, _) => {}
    }
    text
}

fn waiting_note(machine: &Machine<'_>, state: &State, thread: usize, awaited: Option<&Awaited>) -> String {
    let program = machine.program;
    let frames = state.frames(program, thread);
    let own = frames.iter().rposition(|frame| !program.functions[frame.function].is_model);
    let loc = own.map(|at| frames[at].loc).or(frames.last().map(|frame| frame.loc));
    let call = own.and_then(|at| frames.get(at + 1)).map(|frame| &program.functions[frame.function].source_name);
    let mut text = who(machine, state, thread);
    if let Some(call) = call {
        text += &format!(", in {call}()");
    }
    let what = awaited.filter(|awaited| !matches!(awaited, Awaited::Call(_)));
    let what = what.map_or("waits".to_owned(), Awaited::text);
    text += &format!(" at {}: {what}", place(program, loc.unwrap_or(Loc::NONE)));
    match held(machine, state, thread).as_slice() {
        [] => text,
        locks => text + &format!("; it holds {}", list(locks)),
    }
}

/// Two threads are about to touch the same memory.
pub(crate) fn race(machine: &Machine<'_>, state: &State, race: &Race) -> Explanation {
    let accesses = [&race.first, &race.second];
    let locks = accesses.map(|access| held(machine, state, access.thread));
    let notes = match &locks {
        [first, second] if first.is_empty() && second.is_empty() => vec!["neither thread holds a lock".to_owned()],
        locks => accesses
            .iter()
            .zip(locks)
            .map(|(access, locks)| match locks.as_slice() {
                [] => format!("{} holds no lock", who(machine, state, access.thread)),
                locks => format!("{} holds {}", who(machine, state, access.thread), list(locks)),
            })
            .collect(),
    };
    let [first, second] = [(&race.first, &race.first_part), (&race.second, &race.second_part)];
    let at = |access: &NextAccess| {
        format!("{} in {}", place(machine.program, access.loc), who(machine, state, access.thread))
    };
    let message = format!(
        "{} of `{}` at {} and {} at {}, with nothing ordering them",
        verb(first.0, first.1),
        part_name(machine, state, first.1),
        at(first.0),
        verb(second.0, second.1),
        at(second.0),
    );
    let label = format!("{} in {}", verb(second.0, second.1), who(machine, state, race.second.thread));
    let related = related(machine.program, &race.second, label).into_iter().collect();
    Explanation { message: Some(message), notes, related }
}

/// What an access does.
pub(crate) fn verb(access: &NextAccess, part: &Part) -> &'static str {
    match (access.is_free, access.is_atomic, part.is_write) {
        (true, _, _) => "free",
        (false, true, true) => "atomic write",
        (false, true, false) => "atomic read",
        (false, false, true) => "write",
        (false, false, false) => "read",
    }
}

/// A part of an object by a name that means the same in all threads.
pub(crate) fn part_name(machine: &Machine<'_>, state: &State, part: &Part) -> String {
    let is_heap = state.object(part.object).is_some_and(|object| matches!(object.kind, ObjectKind::Heap(_)));
    let range = (part.offset, part.bytes);
    let named = if is_heap { named_part(machine, state, None, part.object, range, MAX_LEVELS) } else { None };
    match named.as_deref() {
        Some([only]) => only.name.clone(),
        Some(_) | None => show::place(machine, state, part.object, part.offset, part.bytes),
    }
}

fn related(program: &Program, access: &NextAccess, label: String) -> Option<Related> {
    let Loc { line, column, file } = access.loc;
    let file = program.files.get(file).filter(|_| line != 0)?.clone();
    Some(Related { file, line, column, label })
}

/// `&a`, `&a and &b`, `&a, &b and &c`.
pub(crate) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_read_as_one_sentence() {
        let lock = |name: &str, holder| Awaited::Lock(name.to_owned(), vec![holder]);
        let waits = [Awaited::Thread(1), lock("&a", 2), lock("&b", 1), lock("&m", 3)];
        let of = |thread: usize| waits.get(thread);
        let text = "thread 1 holds &b, waits for &a held by thread 2, which waits for &b";
        assert_eq!(circle_text(&[1, 2], &of), text);
        assert_eq!(circle_text(&[3], &of), "thread 3 waits for &m, which it holds itself");
        let waits = [Awaited::Thread(1), lock("&a", 0)];
        let of = |thread: usize| waits.get(thread);
        assert_eq!(circle_text(&[0, 1], &of), "thread 0 holds &a, waits for the end of thread 1, which waits for &a");
    }
}
