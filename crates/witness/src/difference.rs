//! Divergence of two executions: the first step of a recorded one that no longer happens.

use crate::{Change, Step, Trace};

/// The first step that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// From one.
    pub step: usize,
    /// The step as it was recorded; none if the execution went on beyond the record.
    pub recorded: Option<String>,
    /// The step as it is now; none if the execution ended before.
    pub now: Option<String>,
}

/// The first step of a recorded execution that is not the same any more. Texts of lines do not count.
pub fn first_difference(recorded: &Trace, now: &Trace) -> Option<Difference> {
    let n_steps = recorded.steps.len().max(now.steps.len());
    let differs = |at: &usize| match (recorded.steps.get(*at), now.steps.get(*at)) {
        (Some(one), Some(other)) => essence(one) != essence(other),
        (one, other) => one.is_some() != other.is_some(),
    };
    let at = (0..n_steps).find(differs)?;
    let told = |trace: &Trace| trace.steps.get(at).map(|step| tell(trace, step));
    Some(Difference { step: at + 1, recorded: told(recorded), now: told(now) })
}

/// What has to be the same.
fn essence(step: &Step) -> Step {
    let changes = step.changes.iter().map(|change| Change { part: None, ..change.clone() }).collect();
    // What is worth showing is judged anew each time, and old files do not know the heap.
    Step {
        text: String::new(),
        column: 0,
        is_irrelevant: false,
        made: Vec::new(),
        freed: Vec::new(),
        changes,
        ..step.clone()
    }
}

/// A step in one line: `thread 1 at a.c:12 in f: x: 0 -> 1`.
fn tell(trace: &Trace, step: &Step) -> String {
    let who = trace.actors.short(step.thread);
    let changes = step.changes.iter().map(|change| format!("{}: {} -> {}", change.name, change.old, change.new));
    let choices = step.choices.iter().map(|choice| format!("{} chose {}", choice.label, choice.value));
    let remark = (!step.remark.is_empty()).then(|| step.remark.clone());
    let events: Vec<String> = choices.chain(changes).chain(remark).collect();
    let events = if events.is_empty() { String::new() } else { format!(": {}", events.join(", ")) };
    format!("{who} at {}:{} in {}(){events}", step.file, step.line, step.function)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &[u32]) -> Trace {
        let step =
            |line: &u32| Step { file: "a.c".to_owned(), line: *line, function: "f".to_owned(), ..Step::default() };
        Trace { steps: lines.iter().map(step).collect(), ..Trace::default() }
    }

    #[test]
    fn the_first_step_that_differs_is_told() {
        assert_eq!(first_difference(&trace(&[1, 2]), &trace(&[1, 2])), None);
        let found = first_difference(&trace(&[1, 2]), &trace(&[1, 3])).expect("the steps should differ");
        assert_eq!((found.step, found.now.as_deref()), (2, Some("thread 0 at a.c:3 in f()")));
        let found = first_difference(&trace(&[1, 2]), &trace(&[1])).expect("one should be shorter");
        assert_eq!((found.step, found.now), (2, None));
    }

    #[test]
    fn values_count_and_texts_do_not() {
        let (mut one, mut other) = (trace(&[1]), trace(&[1]));
        other.steps[0].text = "x = 1;".to_owned();
        assert_eq!(first_difference(&one, &other), None);
        let change = |new: &str| Change { name: "x".to_owned(), new: new.to_owned(), ..Change::default() };
        one.steps[0].changes.push(change("1"));
        other.steps[0].changes.push(change("2"));
        assert!(first_difference(&one, &other).is_some());
    }
}
