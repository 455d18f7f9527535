//! Executions of which something is known: the turns that they take, the lines that they pass, or a longer one.

use unpick_program::Program;
use unpick_program::interp::{Checks, Machine, Options};
use unpick_system::{
    Answer, Claim, Control, Engine, Goal, Guidance, GuidedTurn, ProgramRun, PropertySet, Reason, Stats, Strategy,
    Subject, Task, Unfit, Verdict, Waypoint, Why,
};

use crate::guided_search::{Followed, follow_claim, follow_lines};
use crate::safety;
use crate::schedule_replay::{replay_claim, replay_schedule};
use crate::shorten::shorter;

/// Looks for an execution along given turns or lines.
pub struct Guided;

/// Looks for a shorter execution that ends in the violation of a known one.
pub struct Shorten;

/// What a guided search is asked.
enum Question<'a> {
    Turns(&'a [GuidedTurn], PropertySet),
    ClaimTurns(&'a [GuidedTurn], Option<usize>, &'a Claim),
    Lines(&'a [Waypoint], PropertySet),
    Claim(&'a [Waypoint], Option<usize>, &'a Claim),
}

impl<'a> Question<'a> {
    fn new(task: &Task<'a>) -> Option<(&'a Program, Self)> {
        let Subject::Program(program) = task.subject else { return None };
        let question = match (&task.strategy.guidance, task.goals) {
            (Guidance::Turns { turns, loop_from }, [Goal::Claim(claim)]) => {
                Question::ClaimTurns(turns, *loop_from, claim)
            }
            (Guidance::Turns { turns, .. }, goals) => Question::Turns(turns, safety(goals)?),
            (Guidance::Lines { waypoints, loop_from }, [Goal::Claim(claim)]) => {
                Question::Claim(waypoints, *loop_from, claim)
            }
            (Guidance::Lines { waypoints, .. }, goals) => Question::Lines(waypoints, safety(goals)?),
            _another_hint => return None,
        };
        Some((program, question))
    }
}

impl Engine for Guided {
    fn name(&self) -> &'static str {
        "guided"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        Question::new(task).map(|_| ()).ok_or(Unfit::Foreign)
    }

    fn run(&self, task: &Task<'_>, _control: &dyn Control) -> Answer {
        let Some((program, question)) = Question::new(task) else { return nothing(0) };
        let lazy = |checks| {
            Machine::new(program, Options { checks, max_enumerate: task.strategy.max_enumerate, ..Options::default() })
        };
        let followed = match question {
            Question::Turns(turns, properties) => {
                let options = Options { max_enumerate: task.strategy.max_enumerate, ..Options::default() };
                reached(replay_schedule(program, options, properties, turns))
            }
            Question::ClaimTurns(turns, loop_from, claim) => {
                let options = Options { max_enumerate: task.strategy.max_enumerate, ..Options::default() };
                reached(replay_claim(program, options, claim, turns, loop_from))
            }
            Question::Lines(waypoints, properties) => {
                let checks: Checks = properties.iter().collect();
                follow_lines(&lazy(checks), waypoints, checks)
            }
            Question::Claim(waypoints, loop_from, claim) => {
                let checks = Claim::checks_on_the_way();
                follow_claim(&lazy(checks), waypoints, loop_from, claim)
            }
        };
        let verdict = match followed {
            Followed::Reached(run) => Verdict::from(*run),
            Followed::Lost { n_passed } => Verdict::Unknown(Why::because(Reason::OffRoute { n_passed })),
            Followed::Undecided { why } => Verdict::Unknown(Why::because(Reason::unsupported(why))),
        };
        Answer::new(verdict, Stats { engine: "guided", ..Stats::default() })
    }
}

impl Engine for Shorten {
    fn name(&self) -> &'static str {
        "shorter"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        match (task.subject, &task.strategy.guidance, safety(task.goals)) {
            (Subject::Program(_), Guidance::Shorter { .. }, Some(_)) => Ok(()),
            _another_question => Err(Unfit::Foreign),
        }
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        let Strategy { guidance, max_enumerate, .. } = task.strategy;
        let (Subject::Program(program), Guidance::Shorter { than, work }, Some(properties)) =
            (task.subject, guidance, safety(task.goals))
        else {
            return nothing(0);
        };
        let checks = properties.iter().collect();
        let options = Options { checks, max_enumerate: *max_enumerate, ..Options::default() };
        let mut left = *work;
        match shorter(program, &options, than, &mut left, control) {
            Some(run) => Answer::new(Verdict::from(run), cost(work - left)),
            None => nothing(work - left),
        }
    }
}

/// What became of turns.
fn reached(run: Option<ProgramRun>) -> Followed {
    match run {
        Some(run) => Followed::Reached(Box::new(run)),
        None => Followed::Lost { n_passed: 0 },
    }
}

fn cost(instructions: u64) -> Stats {
    Stats { engine: "guided", instructions, ..Stats::default() }
}

/// The answer that says least, after so much work.
fn nothing(instructions: u64) -> Answer {
    let why = Why::because(Reason::unsupported("nothing that answers the hint was found"));
    Answer::new(Verdict::Unknown(why), cost(instructions))
}
