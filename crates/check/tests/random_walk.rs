//! A toy engine: random walks (West 1986). It shows what an engine has to do, and that a new one touches no other crate; see
//! `docs/add-an-engine.md`.
//!
//! A walk proves nothing, so the engine says `Fails` with an execution, or `Unknown`. Nothing of what it says is believed
//! before the crate `check` has replayed it.

use unpick_automaton::Model;
use unpick_automaton::interp::{Control as Turn, Machine as Automata};
use unpick_check::model::{Question as ModelQuestion, Wanted};
use unpick_check::program::{Question as ProgramQuestion, Searched};
use unpick_program::Program;
use unpick_program::interp::{Machine, Options, Stop, Until};
use unpick_system::{
    Answer, AutomatonRun, AutomatonViolation, Control, Engine, Goal, Ledger, ProgramRun, PropertySet, Reason, Snapshot,
    Stats, Strategy, Subject, Task, Unfit, Unwatched, Verdict,
};
use unpick_witness::Judgement;

/// Walks, and steps of each.
const N_WALKS: u64 = 2_000;
const N_STEPS: u64 = 2_000;

/// Walks at random until something goes wrong.
struct RandomWalk;

impl Engine for RandomWalk {
    fn name(&self) -> &'static str {
        "random walk"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        match (task.subject, task.goals) {
            (Subject::Program(_) | Subject::Automata(_, None), [Goal::Safety(_)]) => Ok(()),
            _another_question => Err(Unfit::Foreign),
        }
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        let mut dice = Dice(task.strategy.seed.unwrap_or(1));
        let mut stats = Stats { engine: "random walk", ..Stats::default() };
        let ledger = Ledger::default();
        for n_walks in 0..N_WALKS {
            let found = match (task.subject, task.goals) {
                (Subject::Program(program), [Goal::Safety(kinds)]) => {
                    walk(program, *kinds, &mut dice, &mut stats).map(Verdict::from)
                }
                (Subject::Automata(model, _), _) => walk_model(model, &mut dice, &mut stats).map(Verdict::from),
                _not_supported => None,
            };
            if let Some(verdict) = found {
                return Answer::new(verdict, stats);
            }
            let Stats { transitions, depth, .. } = stats;
            let snapshot = Snapshot { phase: "walking", states: 0, transitions, depth, bytes: 0 };
            if let Some(halt) = control.poll(&snapshot) {
                return Answer::new(ledger.halted(Reason::limit(halt.into())), stats);
            }
            stats.executions = n_walks + 1;
        }
        Answer::new(ledger.halted(Reason::unsupported("random walks found nothing, and prove nothing")), stats)
    }
}

/// One execution of a program; what goes wrong in it.
fn walk(program: &Program, kinds: PropertySet, dice: &mut Dice, stats: &mut Stats) -> Option<ProgramRun> {
    let machine = Machine::new(program, Options { checks: kinds.iter().collect(), ..Options::default() });
    let (mut state, mut thread) = (machine.initial(), 0);
    for _ in 0..N_STEPS {
        stats.transitions += 1;
        match machine.run_silent(&mut state, thread, Until { fuel: 100_000, shared_access: true, ..Until::NEVER }) {
            Stop::Choice(choice) => {
                let option = dice.below(u64::try_from(choice.n_options).unwrap_or(u64::MAX));
                machine.pick(&mut state, &choice, option.into());
            }
            Stop::Shared | Stop::Blocked | Stop::ThreadEnded if state.n_live_threads() > 0 => {
                let able = machine.runnable(&state);
                thread = *able.get(dice.below(able.len() as u64) as usize)?;
                state.record_thread(thread);
            }
            Stop::Violated(violation) => {
                let decisions = machine.decisions(&state);
                return Some(ProgramRun { decisions, every_step: false, claim: None, loop_from: None, violation });
            }
            _the_walk_is_over => return None,
        }
    }
    None
}

/// One execution of automata that ends in a fault.
fn walk_model(model: &Model, dice: &mut Dice, stats: &mut Stats) -> Option<AutomatonRun> {
    let machine = Automata::new(model);
    let (mut state, mut turn, mut moves) = (machine.initial().ok()?, Turn::Any, Vec::new());
    let fault = |moves| Some(AutomatonRun { moves, loop_from: None, wrong: AutomatonViolation::Fault });
    for _ in 0..N_STEPS {
        stats.transitions += 1;
        let Ok(mut able) = machine.successors(&state, turn) else {
            moves.push(Vec::new());
            return fault(moves);
        };
        if able.is_empty() && turn != Turn::Any {
            turn = Turn::Any;
            continue;
        }
        if able.is_empty() {
            return None;
        }
        let next = able.swap_remove(dice.below(able.len() as u64) as usize);
        moves.push(next.moves);
        if !next.faults.is_empty() {
            return fault(moves);
        }
        (state, turn) = (next.state, next.control);
    }
    None
}

/// Marsaglia's xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n.max(1)
    }
}

fn check_c(text: &str) -> Judgement {
    let mut session = unpick_front_c::session::Session::default();
    let index = session.sources.add("a.c", text).expect("the text should be short");
    let program = unpick_lower_c::compile(&mut session, &[index], &unpick_lower_c::LowerOptions::default());
    let program = program.expect("the program should be well-formed");
    let strategy = Strategy::default();
    let properties = PropertySet::default_for_c();
    let question = ProgramQuestion {
        program: &program,
        properties,
        claims: &[],
        strategy: &strategy,
        searched: Searched::Program,
    };
    question.ask(&[&RandomWalk], &Unwatched).judgement
}

fn check_promela(text: &str) -> Judgement {
    let mut session = unpick_front_promela::session::Session::default();
    let index = session.sources.add("a.pml", text).expect("the text should be short");
    let model = unpick_front_promela::compile(&mut session, index).expect("the model should be well-formed");
    let wanted = Wanted::parse("default", &model, false, 0).expect("the properties should be known");
    let (sources, strategy) = (&session.sources, Strategy::default());
    let question = ModelQuestion { model: &model, sources, wanted: &wanted, strategy: &strategy, doubts: &[] };
    question.ask(&[&RandomWalk], &Unwatched).judgement
}

/// The line of a violation.
fn line(judgement: &Judgement) -> u32 {
    match judgement {
        Judgement::Violated { finding, .. } => finding.line,
        Judgement::Verified | Judgement::Unknown(_) => panic!("{judgement:?} should be a violation"),
    }
}

#[test]
fn violations_of_programs_replay() {
    let of_input = "int __VERIFIER_nondet_int(void);\nint main(void) {\n  unsigned char n = __VERIFIER_nondet_int();\n  \
                    int a[250];\n  a[n] = 1;\n  return 0;\n}\n";
    assert_eq!(line(&check_c(of_input)), 5);
    let right = of_input.replace("250", "256");
    assert!(matches!(check_c(&right), Judgement::Unknown(_)), "a walk should prove nothing");
}

#[test]
fn violations_of_threads_replay() {
    let text = "typedef unsigned long pthread_t;\nint pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
                int pthread_join(pthread_t, void **);\nvoid __VERIFIER_error(void);\n_Atomic int x;\n\
                void *up(void *p) { int y = x; x = y + 1; return p; }\n\
                int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, up, 0);\n  up(0);\n  pthread_join(t, 0);\n  \
                if (x != 2) __VERIFIER_error();\n  return 0;\n}\n";
    assert_eq!(line(&check_c(text)), 12);
}

#[test]
fn violations_of_models_replay() {
    let text = "byte x;\nactive [2] proctype P() {\n  byte y;\n  y = x;\n  x = y + 1;\n  \
                if :: _pid == 0 -> _nr_pr == 1; assert(x == 2) :: else fi\n}\n";
    assert_eq!(line(&check_promela(text)), 6);
    let right = text.replace("y = x;\n  x = y + 1;", "atomic { y = x;\n  x = y + 1 };");
    assert!(matches!(check_promela(&right), Judgement::Unknown(_)), "a walk should prove nothing");
}

#[test]
fn what_the_engine_cannot_do_is_unknown() {
    let mut session = unpick_front_promela::session::Session::default();
    let text = "active proctype P() { accept: goto accept }";
    let index = session.sources.add("a.pml", text).expect("the text should be short");
    let model = unpick_front_promela::compile(&mut session, index).expect("the model should be well-formed");
    let wanted = Wanted::parse("acceptance", &model, false, 0).expect("the properties should be known");
    let (sources, strategy) = (&session.sources, Strategy::default());
    let question = ModelQuestion { model: &model, sources, wanted: &wanted, strategy: &strategy, doubts: &[] };
    let judgement = question.ask(&[&RandomWalk], &Unwatched).judgement;
    assert!(matches!(&judgement, Judgement::Unknown(why) if why.summary().contains("no engine")), "{judgement:?}");
}
