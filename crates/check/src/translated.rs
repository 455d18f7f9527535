//! Programs of several threads searched as automata: translated where the layout of their states is known beforehand.
//!
//! What is verified so rests on the translation; a violation is led back to the program, turn by turn, and is replayed
//! on the interpreter before it is believed. Wherever the translation does not go so far, or the way back is not
//! found, the usual search answers instead.

use unpick_pass::{ChoiceOutcome, Diagnosis, Profile, Purpose, Translation, Turn, to_automata};
use unpick_program::interp::{Decision, volatile_kept};
use unpick_program::{Address, GlobalId, Operand, Program, StmtKind};
use unpick_system::{
    Answer, AutomatonRun, AutomatonViolation, Control, Engine, Evidence, Goal, Guidance, GuidedTurn, PropertySet,
    Rules, Stats, Strategy, Subject, Task, Verdict, has_threads, memory_model,
};

use crate::fingerprint;
use crate::portfolio::first_able;
use crate::program::{Question, is_internal};

/// What a proof over flat states leaves open.
const ALL_OR_NONE: &str = "threads that wait for each other while others run on or end the program were not looked for: \
                           over flat states a deadlock is that no thread can go on";

/// What the automata of a translated program do not say: data races, and that the end of the program is the end of all
/// threads.
struct TranslationRules<'a>(&'a Translation);

impl Rules for TranslationRules<'_> {
    fn may_exit(&self, state: &[u8]) -> bool {
        self.0.may_exit(state)
    }

    fn has_race(&self, state: &[u8]) -> bool {
        self.0.has_race(state)
    }
}

/// Searches a program so, if it fits and the search can answer; else says why not.
pub(crate) fn answer(
    question: &Question<'_>,
    engines: &[&dyn Engine],
    control: &dyn Control,
) -> Result<Answer, String> {
    if let Some(what) = unfit(question) {
        return Err(what.to_owned());
    }
    let program = question.program;
    let profile = Profile::new(program);
    if profile.threads.is_empty() || profile.threads.len() >= question.strategy.max_threads {
        return Err("no thread was started, or too many were".to_owned());
    }
    let translation =
        to_automata(program, &profile, Purpose::Safety(question.safety().iter().collect())).map_err(|unfit| unfit.0)?;
    control.milestone(&format!("flat states: {}", translation.summary()));
    let about = fingerprint::of_search(&translation.model, &[], question.strategy);
    let strategy = Strategy { about, ..question.strategy.clone() };
    let (goals, rules) = ([Goal::Safety(question.safety())], TranslationRules(&translation));
    let task =
        Task { subject: Subject::Automata(&translation.model, Some(&rules)), goals: &goals, strategy: &strategy };
    let mut answer = first_able(engines, &task, control);
    if let Verdict::Fails(Evidence::Automaton(run)) = &answer.verdict {
        answer.verdict = lifted(question, &translation, run, engines, control)?;
    }
    if let Verdict::Unknown(why) = &answer.verdict
        && (is_internal(why) || why.is_out_of_memory())
    {
        return Err(why.summary());
    }
    let notes = std::mem::take(&mut answer.assumptions);
    answer.assumptions.push(memory_model(program, question.properties).to_owned());
    answer.assumptions.extend(notes);
    answer.assumptions.extend(volatile_variables(program).into_iter().filter_map(|id| volatile_kept(program, id)));
    if matches!(answer.verdict, Verdict::Holds(_)) {
        answer.assumptions.push(ALL_OR_NONE.to_owned());
    }
    answer.stats = Stats { engine: "flat", ..answer.stats };
    Ok(answer)
}

/// What about the question is not for this search.
fn unfit(question: &Question<'_>) -> Option<&'static str> {
    let Strategy { keeps_going, bounds, unwind, depth, matching, .. } = question.strategy;
    let questions = [
        (!has_threads(question.program), "the program has one thread"),
        (question.properties != PropertySet::default_for_c(), "other properties than the default ones are asked for"),
        (*keeps_going, "all violations are asked for"),
        (bounds.is_some() || unwind.is_some() || depth.is_some(), "a bound is given"),
        (!matching.is_exact(), "states are matched in another way"),
    ];
    questions.into_iter().find(|(is_so, _)| *is_so).map(|(_, what)| what)
}

/// The violation on the program; or why there is none.
fn lifted(
    question: &Question<'_>,
    translation: &Translation,
    run: &AutomatonRun,
    engines: &[&dyn Engine],
    control: &dyn Control,
) -> Result<Verdict, String> {
    let (diagnosis, turns) = translation.diagnose(&run.moves, run.wrong == AutomatonViolation::InvalidEnd)?;
    if let Diagnosis::Refused(what) = diagnosis {
        return Err(what);
    }
    let strategy =
        Strategy { guidance: Guidance::Turns { turns: merged(&turns), loop_from: None }, ..question.strategy.clone() };
    let goals = [Goal::Safety(question.properties)];
    let task = Task { subject: Subject::Program(question.program), goals: &goals, strategy: &strategy };
    match first_able(engines, &task, control).verdict {
        verdict @ Verdict::Fails(_) => Ok(verdict),
        Verdict::Holds(_) | Verdict::Unknown(_) => {
            debug_assert!(false, "the program should go as its translation: {diagnosis:?} {turns:?}");
            Err(format!("the way to a violation ({diagnosis:?}) is not found in the program"))
        }
    }
}

/// Uninterruptible steps of one thread are one turn.
pub(crate) fn merged(turns: &[Turn]) -> Vec<GuidedTurn> {
    let mut merged: Vec<GuidedTurn> = Vec::new();
    for turn in turns {
        let chosen = turn.chosen.map(|chosen| match chosen {
            ChoiceOutcome::Value(bits) => Decision::Value(bits),
            ChoiceOutcome::Fails(fails) => Decision::Fail(fails),
        });
        let to = turn.to.as_ref().map(|to| (to.function, to.block, to.index, to.depth));
        match merged.last_mut().filter(|last| last.to.is_none() && last.thread == turn.thread) {
            Some(last) => {
                last.chosen.extend(chosen);
                (last.to, last.n_threads) = (to, turn.n_threads);
            }
            None => merged.push(GuidedTurn {
                thread: turn.thread,
                chosen: chosen.into_iter().collect(),
                to,
                n_threads: turn.n_threads,
                is_first: turn.is_first,
            }),
        }
    }
    merged
}

/// Variables that are read as volatile and not atomically.
pub(crate) fn volatile_variables(program: &Program) -> Vec<GlobalId> {
    let mut variables = Vec::new();
    let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    for stmt in blocks.flat_map(|block| &block.stmts) {
        if let StmtKind::Load { addr: Operand::Address(Address::Global(global, _)), access, .. } = &stmt.kind
            && access.is_volatile
            && access.atomic.is_none()
            && !variables.contains(global)
        {
            variables.push(*global);
        }
    }
    variables
}
