//! Programs of several threads searched as models are: translated to automata over flat states, stepped by native code.
//!
//! What is verified so rests on the translation; a violation is led back to the program, turn by turn, and is replayed on
//! the interpreter before anybody believes it. Wherever the translation does not go so far, or the way back is not found,
//! the usual search answers instead.

use unpick_engine_explicit::{GuidedTurn, guide, memory_model};
use unpick_ir::interp::{Checks, Decision, Machine, Options, volatile_kept};
use unpick_ir::{Address, GlobalId, Operand, Program, StmtKind};
use unpick_pass::{ChoiceOutcome, Diagnosis, Profile, Translation, Turn, to_automata};
use unpick_system::{
    AutomatonRun, Claim, Control as _, Coverage, Evidence, PropertySet, Reason, Stats, Verdict, Wrong,
};
use unpick_witness::replay;

use super::model_search::{self, Disk, ModelSearch, about};
use super::{Limits, has_threads};
use crate::args::CheckArgs;
use crate::explore::Searched;
use crate::failure::Outcome;
use crate::quantity;
use crate::watch::Watch;

/// What a proof over flat states leaves open.
const ALL_OR_NONE: &str = "threads that wait for each other while others run on or end the program were not looked for: \
                           over flat states a deadlock is that no thread can go on";

/// Searches a program so, if it fits and the search can answer; else nothing, and says why.
pub fn answer(
    args: &CheckArgs,
    program: &Program,
    limits: &Limits,
    claims: &[Claim],
    watch: &Watch,
) -> Outcome<Option<Searched>> {
    match try_answer(args, program, limits, claims, watch)? {
        Ok(searched) => Ok(Some(searched)),
        Err(why) => {
            // It was asked for, so why it is not done matters at once.
            if !args.quiet {
                tell!("note: not searched over flat states: {why}");
            }
            Ok(None)
        }
    }
}

fn try_answer(
    args: &CheckArgs,
    program: &Program,
    limits: &Limits,
    claims: &[Claim],
    watch: &Watch,
) -> Outcome<Result<Searched, String>> {
    if let Some(what) = unfit_question(program, limits, claims) {
        return Ok(Err(what.to_owned()));
    }
    let profile = Profile::new(program);
    if profile.threads.is_empty() || profile.threads.len() >= limits.threads {
        return Ok(Err("no thread was started, or too many were".to_owned()));
    }
    let checks: Checks = limits.properties.iter().collect();
    let flat = match to_automata(program, &profile, checks) {
        Ok(flat) => flat,
        Err(unfit) => return Ok(Err(unfit.0)),
    };
    watch.milestone(&format!("flat states: {}", flat.summary()));
    let every = args.checkpoint_every.as_deref().map(quantity::duration).transpose()?;
    let disk = Disk {
        checkpoint: args.checkpoint.clone().or_else(|| args.resume.clone()),
        every: every.unwrap_or(super::model::DEFAULT_EVERY),
        resume: args.resume.clone(),
    };
    let search = ModelSearch {
        model: &flat.model,
        program: Some(&flat),
        stops_at_invalid_ends: true,
        limits,
        watch,
        about: about(&flat.model, &[], limits),
        disk: &disk,
    };
    let model_search::Searched { verdict, stats, notes, .. } = search.run(limits.workers)?;
    let verdict = match verdict {
        Verdict::Fails(Evidence::Automaton(run)) => match violated(program, &flat, limits, &run) {
            Ok(verdict) => verdict,
            Err(why) => return Ok(Err(why)),
        },
        verdict => verdict,
    };
    // The interpreter is the judge of what native code found, and the usual search answers where they differ.
    if let Verdict::Unknown(why) = &verdict
        && why.reasons().iter().any(|reason| matches!(reason, Reason::Internal(_)))
    {
        return Ok(Err(why.summary()));
    }
    if matches!(&verdict, Verdict::Unknown(why) if why.is_out_of_memory()) {
        return Ok(Err("the memory limit was reached".to_owned()));
    }
    let mut assumptions = vec![memory_model(program, limits.properties).to_owned()];
    assumptions.extend(notes);
    assumptions.extend(volatile_variables(program).into_iter().filter_map(|global| volatile_kept(program, global)));
    if matches!(verdict, Verdict::Holds(_)) {
        assumptions.push(ALL_OR_NONE.to_owned());
    }
    let stats = Stats { engine: "flat", ..stats };
    let (others, bounds, coverage) = (Vec::new(), Vec::new(), Coverage::default());
    Ok(Ok(Searched { verdict, stats, assumptions, others, found_all: false, bounds, coverage }))
}

/// What about the question is not for this search.
fn unfit_question(program: &Program, limits: &Limits, claims: &[Claim]) -> Option<&'static str> {
    let questions = [
        (!has_threads(program), "the program has one thread"),
        (limits.properties != PropertySet::default_for_c(), "other properties than the default ones are asked for"),
        (!claims.is_empty(), "a claim is asked for"),
        (limits.all, "all violations are asked for"),
        (limits.bounds.is_some() || limits.unwind.is_some() || limits.depth.is_some(), "a bound is given"),
        (!limits.matching.is_exact(), "states are matched in another way"),
    ];
    questions.into_iter().find(|(is_so, _)| *is_so).map(|(_, what)| what)
}

/// The violation on the program, replayed; or why there is none.
fn violated(program: &Program, flat: &Translation, limits: &Limits, run: &AutomatonRun) -> Result<Verdict, String> {
    let (diagnosis, turns) = flat.diagnose(&run.moves, run.wrong == Wrong::InvalidEnd)?;
    if let Diagnosis::Refused(what) = diagnosis {
        return Err(what);
    }
    let options = Options { max_enumerate: u128::from(limits.enumerate), ..Options::default() };
    let turns = merged(&turns);
    let found = guide(program, options.clone(), limits.properties, &turns);
    let Some(found) = found else {
        debug_assert!(false, "the program should go as its translation: {diagnosis:?} {turns:?}");
        return Err(format!("the way to a violation ({diagnosis:?}) is not found in the program"));
    };
    let checks: Checks = limits.properties.iter().collect();
    let concrete = Machine::new(program, Options { is_lazy: false, checks, ..options });
    match replay(&concrete, program, &found) {
        Ok(_) => Ok(found.into()),
        Err(mismatch) => {
            debug_assert!(false, "a violation should replay: {mismatch}");
            Err(format!("a violation does not replay: {mismatch}"))
        }
    }
}

/// Steps of one thread between which nobody can come are one turn.
fn merged(turns: &[Turn]) -> Vec<GuidedTurn> {
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
fn volatile_variables(program: &Program) -> Vec<GlobalId> {
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
