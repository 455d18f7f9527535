//! Questions about programs: safety properties for the portfolio, then claims about whole executions; what fails is
//! replayed.

use unpick_program::interp::Checks;
use unpick_program::{Program, ViolationKind};
use unpick_system::{
    Answer, Bound, Claim, Control, Coverage, Engine, Evidence, Goal, Inputs, Ledger, ProgramRun, ProofKind,
    PropertySet, Reach, Reason, Stats, Strategy, Subject, Task, Verdict, Why,
};
use unpick_witness::coverage::add_trace;
use unpick_witness::{Failing, Judgement};

use crate::capped::Capped;
use crate::claimed;
use crate::judge::Judge;
use crate::portfolio::{first_able, portfolio};
use crate::translated;

/// So many states are looked at on the interpreter before a claim is decided over flat states, which take some time to
/// begin.
const FEW_STATES: u64 = 2_000;

/// What is asked of a program.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The program; it is verified.
    pub program: &'a Program,
    /// What must not go wrong, endless executions included.
    pub properties: PropertySet,
    /// What is claimed of whole executions.
    pub claims: &'a [Claim],
    /// How to search.
    pub strategy: &'a Strategy,
    /// What is searched.
    pub searched: Searched,
}

/// What is searched to answer a question about a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Searched {
    /// Safety on the program; claims on automata as soon as they take more than a little work.
    #[default]
    Either,
    /// The program, on the interpreter.
    Program,
    /// The program with all its inputs at once; claims on the interpreter.
    Symbolically,
    /// Automata over flat states, and the program where it does not fit.
    Automata,
    /// Automata only: what was asked for the program's search does not have.
    AutomataOnly,
}

impl Searched {
    /// Automata were asked for.
    fn is_flat(self) -> bool {
        matches!(self, Searched::Automata | Searched::AutomataOnly)
    }
}

/// What can be told of a program.
pub struct Conclusion {
    /// The verdict, with a violation replayed.
    pub judgement: Judgement,
    /// Violations besides it.
    pub others: Vec<Failing>,
    /// Executions of the violations, in this order.
    pub evidence: Vec<ProgramRun>,
    /// Whether there are no others, apart from what may lie behind them.
    pub is_complete: bool,
    /// What the verdict rests on.
    pub assumptions: Vec<String>,
    /// What it cost; the caller adds the time.
    pub stats: Stats,
    /// Bounds on changes of thread within which everything was followed.
    pub bounds: Vec<Bound>,
    /// What executions reached.
    pub coverage: Coverage,
}

impl Question<'_> {
    /// What the search for single steps looks for; endless executions are for claims.
    pub fn safety(&self) -> PropertySet {
        let claimed = self.claims.iter().map(Claim::violation);
        claimed.fold(self.properties.without(ViolationKind::Livelock), PropertySet::without)
    }

    /// How an execution that violates this claim, or none, is replayed: what is not looked for has another meaning.
    pub fn checks(&self, claim: Option<&Claim>) -> Checks {
        match claim {
            Some(_) => Checks::ALL.without(ViolationKind::DataRace),
            None => self.safety().iter().collect(),
        }
    }

    /// Asks the engines, and replays a violation before anyone believes it.
    pub fn ask(&self, engines: &[&dyn Engine], control: &dyn Control) -> Conclusion {
        if self.searched == Searched::Symbolically {
            return self.conclude(engines, self.symbolic(engines, control), control);
        }
        if !self.searched.is_flat() || self.safety().is_empty() {
            return self.conclude(engines, self.explicit(engines, control), control);
        }
        let why = match translated::answer(self, engines, control) {
            Ok(answer) => {
                let conclusion = self.conclude(engines, answer, control);
                match &conclusion.judgement {
                    // The interpreter is the judge of what native code found, and the usual search answers where they
                    // differ.
                    Judgement::Unknown(why) if is_internal(why) => {
                        debug_assert!(false, "a violation should replay: {}", why.summary());
                        why.summary()
                    }
                    Judgement::Verified | Judgement::Violated { .. } | Judgement::Unknown(_) => return conclusion,
                }
            }
            Err(why) => why,
        };
        if self.searched == Searched::AutomataOnly {
            return self.conclude(engines, refused(&why), control);
        }
        // It was asked for, so why it is not done matters at once.
        control.warn(&format!("not searched over flat states: {why}"));
        let mut conclusion = self.conclude(engines, self.explicit(engines, control), control);
        if self.claims.is_empty() {
            conclusion.stats.engine = "explicit instead of flat";
        }
        conclusion
    }

    /// What the engines say that follow all inputs at once.
    fn symbolic(&self, engines: &[&dyn Engine], control: &dyn Control) -> Answer {
        let strategy = Strategy { inputs: Inputs::Symbolic, ..self.strategy.clone() };
        let question = Question { strategy: &strategy, ..*self };
        question.explicit(engines, control)
    }

    fn explicit(&self, engines: &[&dyn Engine], control: &dyn Control) -> Answer {
        let properties = self.safety();
        if properties.is_empty() {
            let verdict = Ledger::default().settle(ProofKind::Exhausted { n_states: 0 });
            return Answer::new(verdict, Stats { engine: "explicit", ..Stats::default() });
        }
        let goals = [Goal::Safety(properties)];
        let task = Task { subject: Subject::Program(self.program), goals: &goals, strategy: self.strategy };
        portfolio(engines, &task, control)
    }

    /// Decides the claims too, and judges.
    fn conclude(&self, engines: &[&dyn Engine], answer: Answer, control: &dyn Control) -> Conclusion {
        let answer = self.with_claims(engines, answer, control);
        control.enter("replaying what was found");
        let Answer { verdict, stats, assumptions, others, found_all, bounds, mut coverage, reached: _ } = answer;
        let claim = match &verdict {
            Verdict::Fails(Evidence::Program(found)) => found.claim.as_ref(),
            _no_claim => None,
        };
        let about = |claim| (self.program, self.safety(), self.checks(claim));
        let (judgement, first) = Judge::new(engines, about(claim), self.strategy, control).judge(&verdict);
        let mut evidence: Vec<ProgramRun> = first.into_iter().collect();
        let mut judge = Judge::new(engines, about(None), self.strategy, control);
        let mut failing = Vec::new();
        for other in others {
            if let (Judgement::Violated { finding, trace }, Some(run)) = judge.judge(&Verdict::Fails(other)) {
                failing.push(Failing { finding, trace });
                evidence.push(run);
            }
        }
        if let Judgement::Violated { trace, .. } = &judgement {
            add_trace(self.program, &mut coverage, trace);
        }
        failing.iter().for_each(|other| add_trace(self.program, &mut coverage, &other.trace));
        let stats = Stats { reach: Reach::new(self.program, &coverage), ..stats };
        // A claim is decided only if nothing else goes wrong.
        let is_complete = found_all && self.claims.is_empty();
        Conclusion { judgement, others: failing, evidence, is_complete, assumptions, stats, bounds, coverage }
    }

    /// Claims matter where no step goes wrong.
    fn with_claims(&self, engines: &[&dyn Engine], mut answer: Answer, control: &dyn Control) -> Answer {
        if self.claims.is_empty() || matches!(answer.verdict, Verdict::Fails(_)) {
            return answer;
        }
        let claimed = self.decide_claims(engines, control);
        // The first search has said more precisely what several threads rest on.
        let about = |text: &str| text.starts_with("memory is sequentially consistent");
        for note in claimed.assumptions {
            if !answer.assumptions.iter().any(|said| *said == note || (about(said) && about(&note))) {
                answer.assumptions.push(note);
            }
        }
        let engine = match (self.safety().is_empty(), claimed.stats.engine) {
            (true, engine) => engine,
            (false, "flat") if answer.stats.engine != "flat" => "explicit, flat for claims",
            (false, _) => answer.stats.engine,
        };
        answer.stats = Stats { engine, ..answer.stats.and(claimed.stats) };
        answer.verdict = both(answer.verdict, claimed.verdict);
        answer
    }
}

impl Question<'_> {
    /// Decides the claims: on the interpreter while that is little work, then over flat states if the program fits.
    fn decide_claims(&self, engines: &[&dyn Engine], control: &dyn Control) -> Answer {
        let goals: Vec<Goal> = self.claims.iter().cloned().map(Goal::Claim).collect();
        let task = Task { subject: Subject::Program(self.program), goals: &goals, strategy: self.strategy };
        if matches!(self.searched, Searched::Program | Searched::Symbolically) {
            return first_able(engines, &task, control);
        }
        if self.searched == Searched::Either {
            let capped = Capped::new(control, FEW_STATES);
            let answer = first_able(engines, &task, &capped);
            if !capped.is_over() {
                return answer;
            }
        }
        let why = match claimed::answer(self, engines, control) {
            Ok(answer) if self.is_replayed(&answer.verdict, engines, control) => return answer,
            Ok(_) => "the interpreter does not confirm what was found".to_owned(),
            Err(why) => why,
        };
        match self.searched {
            Searched::AutomataOnly => return refused(&why),
            Searched::Automata => control.warn(&format!("claims are not decided over flat states: {why}")),
            Searched::Either | Searched::Program | Searched::Symbolically => {
                control.milestone(&format!("claims are not decided over flat states: {why}"));
            }
        }
        first_able(engines, &task, control)
    }

    /// Whether a violation, if a verdict is one, can be replayed.
    fn is_replayed(&self, verdict: &Verdict, engines: &[&dyn Engine], control: &dyn Control) -> bool {
        let Verdict::Fails(Evidence::Program(found)) = verdict else { return true };
        let about = (self.program, self.safety(), self.checks(found.claim.as_ref()));
        let (judgement, _) = Judge::new(engines, about, self.strategy, control).judge(verdict);
        matches!(judgement, Judgement::Violated { .. })
    }
}

/// What was asked for is for programs that fit only.
fn refused(why: &str) -> Answer {
    let what = format!("stores, orders of search and checkpoints are for programs that flat states fit, and {why}");
    Answer::new(Ledger::default().halted(Reason::unsupported(what)), Stats { engine: "flat", ..Stats::default() })
}

/// The verdict on two sets of goals.
fn both(first: Verdict, second: Verdict) -> Verdict {
    match (first, second) {
        (first, Verdict::Holds(_)) => first,
        (Verdict::Unknown(mut first), Verdict::Unknown(second)) => {
            second.reasons().into_iter().for_each(|reason| first.add(reason.clone()));
            Verdict::Unknown(first)
        }
        (_, second) => second,
    }
}

/// Whether we are to blame.
pub(crate) fn is_internal(why: &Why) -> bool {
    why.reasons().iter().any(|reason| matches!(reason, Reason::Internal(_)))
}
