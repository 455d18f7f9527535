//! Portfolio of engines on one task: which of them take part, and whose answer counts.
//!
//! All engines of the table that support the task take part; the first of them leads and the others help. What a helper
//! finds is preferred, because helpers look for simple executions, but only if it took no more than a few times the
//! leader's work; of several, what took least. Work is counted in transitions and not timed, so the answer does not
//! depend on the speed of the machine or on the number of workers; it does where a limit of time or memory cut the
//! leader short, because then whatever is known is better than nothing.

use unpick_system::{Answer, Control, Engine, Limit, Reason, Stats, Strategy, Task, Unfit, Verdict, Why};

use crate::turns::{Turns, UNLIMITED};

/// A helper may need this many times the transitions of the leader, and some more, for its execution to be preferred.
const PATIENCE: u64 = 4;
const FREE_TRANSITIONS: u64 = 10_000;
/// Helpers keep whole states, and must leave room for the leader, who proves.
const MEMORY_SHARE: u64 = 8;

/// How many transitions a helper may need if the leader needed so many.
pub(crate) fn allowance(transitions: u64) -> u64 {
    transitions.saturating_mul(PATIENCE).saturating_add(FREE_TRANSITIONS)
}

/// The engines that support a task, in the order of the table; if there is none, why.
fn able<'e>(engines: &[&'e dyn Engine], task: &Task<'_>) -> Result<Vec<&'e dyn Engine>, Why> {
    let mut refusals = Why::default();
    let mut able = Vec::new();
    for engine in engines {
        match engine.supports(task) {
            Ok(()) => able.push(*engine),
            Err(Unfit::Foreign) => {}
            Err(Unfit::Refused(why)) => refusals.add(Reason::unsupported(why)),
        }
    }
    if !able.is_empty() {
        return Ok(able);
    }
    if refusals.is_empty() {
        refusals.add(Reason::unsupported("no engine is for this question"));
    }
    Err(refusals)
}

fn refused(why: Why) -> Answer {
    Answer::new(Verdict::Unknown(why), Stats::default())
}

/// The answer of the first engine that supports a task.
pub fn first_able(engines: &[&dyn Engine], task: &Task<'_>, control: &dyn Control) -> Answer {
    match able(engines, task) {
        Ok(able) => able[0].run(task, control),
        Err(why) => refused(why),
    }
}

/// The answer of all engines that support a task. With fewer workers than engines they take turns.
pub fn portfolio(engines: &[&dyn Engine], task: &Task<'_>, control: &dyn Control) -> Answer {
    let able = match able(engines, task) {
        Ok(able) => able,
        Err(why) => return refused(why),
    };
    let (leader, helpers) = (able[0], &able[1..]);
    if helpers.is_empty() {
        return leader.run(task, control);
    }
    let memory_bytes = task.strategy.memory_bytes.map(|bytes| bytes / MEMORY_SHARE);
    let modest = Strategy { memory_bytes, ..task.strategy.clone() };
    let turns = Turns::new(able.len(), task.strategy.n_workers, control);
    std::thread::scope(|scope| {
        let (turns, modest) = (&turns, &modest);
        let mut helping = Vec::new();
        for (index, helper) in helpers.iter().enumerate() {
            helping.push(scope.spawn(move || {
                let seat = turns.take(index + 1)?;
                let answer = helper.run(&Task { strategy: modest, ..*task }, &seat);
                seat.leave(&answer);
                Some(answer)
            }));
        }
        let seat = turns.take(0).expect("the leader should have a seat");
        let complete = leader.run(task, &seat);
        seat.leave(&complete);
        let join = |helper: std::thread::ScopedJoinHandle<'_, Option<Answer>>| match helper.join() {
            Ok(answer) => answer,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        choose(complete, helping.into_iter().filter_map(join).collect())
    })
}

/// How much work helpers may do after the leader has answered.
pub(crate) fn left_to_helpers(answer: &Answer) -> u64 {
    match &answer.verdict {
        Verdict::Holds(_) => 0,
        Verdict::Unknown(why) if is_cut_short(why) => UNLIMITED,
        Verdict::Unknown(_) | Verdict::Fails(_) => allowance(answer.stats.transitions),
    }
}

/// The answer that counts.
fn choose(mut leader: Answer, mut helpers: Vec<Answer>) -> Answer {
    let limit = left_to_helpers(&leader);
    let is_open = matches!(&leader.verdict, Verdict::Unknown(why) if is_cut_short(why));
    let fails = |helper: &Answer| matches!(helper.verdict, Verdict::Fails(_)) && helper.stats.transitions <= limit;
    let holds = |helper: &Answer| is_open && matches!(helper.verdict, Verdict::Holds(_));
    let simplest = (0..helpers.len()).filter(|at| fails(&helpers[*at])).min_by_key(|at| helpers[*at].stats.transitions);
    if let Some(at) = simplest.or_else(|| helpers.iter().position(holds)) {
        return helpers.swap_remove(at);
    }
    if let (Verdict::Unknown(why), true) = (&mut leader.verdict, is_open) {
        // Neither has come to an end: what they know is told together.
        for helper in helpers {
            if let Some(bound) = helper.bounds.last() {
                why.add(Reason::Bounded(*bound));
            }
            leader.bounds.extend(helper.bounds);
            leader.coverage.extend(helper.coverage);
            let new: Vec<String> =
                helper.assumptions.into_iter().filter(|text| !leader.assumptions.contains(text)).collect();
            leader.assumptions.extend(new);
        }
    }
    leader
}

/// Whether time or memory ran out, so that another search may still find something.
fn is_cut_short(why: &Why) -> bool {
    why.reasons().iter().any(|reason| matches!(reason, Reason::Limit { limit: Limit::Time | Limit::Memory, .. }))
}
