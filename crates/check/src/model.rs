//! Questions about models: assertions and end states first, then one claim after the other; what fails is replayed.

use std::sync::Arc;

use unpick_automaton::interp::Machine;
use unpick_automaton::{Model, Step, Transition};
use unpick_base::SourceMap;
use unpick_program::ViolationKind;
use unpick_system::{
    Answer, AutomatonRun, AutomatonViolation, Control, Engine, Evidence, Goal, Ledger, LivenessProperty, ProofKind,
    PropertySet, Reached, Reason, Stats, Strategy, Subject, Task, Verdict, Why,
};
use unpick_witness::Judgement;

use crate::fingerprint;
use crate::portfolio::{first_able, portfolio};

/// What is looked for, and whether only weakly fair executions count.
pub type Watched = (LivenessProperty, bool);

/// What to look for in a model.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Assertions that fail.
    pub assertions: bool,
    /// States in which nothing is possible although some process may not stay there.
    pub end_states: bool,
    /// What is looked for in whole executions.
    pub watches: Vec<Watched>,
}

/// A property that a model does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownProperty {
    /// Its name.
    pub name: String,
    /// The names of the model's claims.
    pub claims: Vec<String>,
}

impl Wanted {
    /// Reads a list of names; the last `n_given` claims of the model are asked for by being there.
    pub fn parse(list: &str, model: &Model, is_fair: bool, n_given: usize) -> Result<Wanted, UnknownProperty> {
        let mut wanted = Wanted { assertions: false, end_states: false, watches: Vec::new() };
        for name in list.split(',').map(str::trim) {
            match name {
                "default" => {
                    wanted.assertions = true;
                    wanted.end_states = true;
                    wanted
                        .watches
                        .extend((0..model.claims.len()).map(|claim| (LivenessProperty::Claim(claim), is_fair)));
                }
                "assertion" => wanted.assertions = true,
                "end-state" | "deadlock" => wanted.end_states = true,
                "acceptance" => wanted.watches.push((LivenessProperty::Accepted, is_fair)),
                "non-progress" => wanted.watches.push((LivenessProperty::NonProgress, is_fair)),
                "livelock" => wanted.watches.push((LivenessProperty::NonProgress, true)),
                name => match model.claims.iter().position(|claim| &*claim.name == name) {
                    Some(claim) => wanted.watches.push((LivenessProperty::Claim(claim), is_fair)),
                    None => {
                        let claims = model.claims.iter().map(|claim| claim.name.to_string()).collect();
                        return Err(UnknownProperty { name: name.to_owned(), claims });
                    }
                },
            }
        }
        for claim in model.claims.len() - n_given..model.claims.len() {
            if !wanted.watches.contains(&(LivenessProperty::Claim(claim), is_fair)) {
                wanted.watches.push((LivenessProperty::Claim(claim), is_fair));
            }
        }
        Ok(wanted)
    }

    /// Whether single steps and states are looked at.
    pub fn has_safety(&self) -> bool {
        self.assertions || self.end_states
    }

    /// What is looked for, by name.
    pub fn names(&self, model: &Model) -> Vec<String> {
        let kinds = [(self.assertions, "assertion"), (self.end_states, "end-state")];
        let kinds = kinds.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, name)| name.to_owned());
        let watches = self.watches.iter().map(|(watch, _)| match watch {
            LivenessProperty::Claim(claim) => model.claims[*claim].name.to_string(),
            LivenessProperty::Accepted => "acceptance".to_owned(),
            LivenessProperty::NonProgress => "non-progress".to_owned(),
        });
        kinds.chain(watches).collect()
    }

    /// Takes assertions out of the model if they are not looked for, but those that say where its bounds are.
    pub fn prepare(&self, model: &mut Model, is_bound: impl Fn(&Transition) -> bool) {
        if self.assertions {
            return;
        }
        if let Some(embedded) = model.embedded.as_mut().and_then(Arc::get_mut) {
            embedded.without_assertions();
        }
        without_assertions(model, |transition| !is_bound(transition));
    }
}

/// Takes assertions out of a model. What is asserted is still computed, and may go wrong in other ways.
pub fn without_assertions(model: &mut Model, is_meant: impl Fn(&Transition) -> bool) {
    for proctype in model.proctypes.iter_mut() {
        for location in proctype.automaton.locations.iter_mut() {
            for transition in location.transitions.iter_mut().filter(|transition| is_meant(transition)) {
                if let Step::Assert(expr) = &transition.step {
                    transition.step = Step::Printf("".into(), vec![expr.clone()]);
                }
            }
        }
    }
}

/// What is asked of a model.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The model, prepared.
    pub model: &'a Model,
    /// Its text.
    pub sources: &'a SourceMap,
    /// What to look for.
    pub wanted: &'a Wanted,
    /// How to search.
    pub strategy: &'a Strategy,
    /// Why nothing is proved of what the model stands for, even if nothing is found.
    pub doubts: &'a [String],
}

/// What can be told of a model.
pub struct Conclusion {
    /// The verdict, with a violation replayed.
    pub judgement: Judgement,
    /// The execution of the violation.
    pub evidence: Option<AutomatonRun>,
    /// What it cost; the caller adds the time.
    pub stats: Stats,
    /// What the user should know of how the verdict came about.
    pub notes: Vec<String>,
    /// Where processes have stood, if that was looked at.
    pub reached: Option<Reached>,
}

impl Question<'_> {
    /// Asks the engines, and replays a violation before anyone believes it.
    pub fn ask(&self, engines: &[&dyn Engine], control: &dyn Control) -> Conclusion {
        let answer = match self.wanted.has_safety() {
            true => self.safety(engines, control),
            false => self.claims(engines, control),
        };
        let Answer { verdict, stats, assumptions: notes, reached, .. } = answer;
        let run = match &verdict {
            Verdict::Fails(Evidence::Automaton(run)) => Some(run),
            _nothing_to_replay => None,
        };
        let beside;
        let model = match run.map(|run| run.wrong) {
            // SPIN counts claims among the processes, its own for progress too.
            Some(AutomatonViolation::Behaviour {
                watch: LivenessProperty::Claim(_) | LivenessProperty::NonProgress,
                ..
            }) => {
                beside = self.model.beside_claim();
                &beside
            }
            Some(
                AutomatonViolation::Behaviour { watch: LivenessProperty::Accepted, .. }
                | AutomatonViolation::Fault
                | AutomatonViolation::InvalidEnd,
            )
            | None => self.model,
        };
        let judgement = match Judgement::of_model(model, self.sources, &verdict) {
            Judgement::Verified if !self.doubts.is_empty() => {
                let mut why = Why::default();
                let doubt = |text: &String| Reason::Abstraction { text: text.clone(), remedy: None };
                self.doubts.iter().for_each(|text| why.add(doubt(text)));
                Judgement::Unknown(why)
            }
            judgement => judgement,
        };
        let is_violated = matches!(judgement, Judgement::Violated { .. });
        Conclusion { evidence: run.filter(|_| is_violated).cloned(), judgement, stats, notes, reached }
    }

    /// Looks for assertions and end states, and then for claims.
    fn safety(&self, engines: &[&dyn Engine], control: &dyn Control) -> Answer {
        let all = PropertySet::EMPTY.with(ViolationKind::Assertion);
        let properties = if self.wanted.end_states { all.with(ViolationKind::EndState) } else { all };
        let about = fingerprint::of_search(self.model, &self.wanted.names(self.model), self.strategy);
        let strategy = Strategy { about, ..self.strategy.clone() };
        let goals = [Goal::Safety(properties)];
        let task = Task { subject: Subject::Automata(self.model, None), goals: &goals, strategy: &strategy };
        let mut answer = portfolio(engines, &task, control);
        if matches!(answer.verdict, Verdict::Holds(_)) && !self.wanted.watches.is_empty() {
            let claims = self.claims(engines, control);
            answer.verdict = claims.verdict;
            answer.stats = answer.stats.and(claims.stats);
            answer.assumptions.extend(claims.assumptions);
            if control.checkpoint().is_some() {
                answer.assumptions.push(
                    "what was kept on disk is the search for assertions and end states, not that for claims".to_owned(),
                );
            }
        }
        answer
    }

    /// Decides claims one after the other until one is violated.
    fn claims(&self, engines: &[&dyn Engine], control: &dyn Control) -> Answer {
        let stats = Stats { engine: "explicit", ..Stats::default() };
        // Without a first state there are no executions that a claim could be about.
        if !self.wanted.watches.is_empty() && Machine::new(self.model).initial().is_err() {
            let run = AutomatonRun { moves: Vec::new(), loop_from: None, wrong: AutomatonViolation::Fault };
            return Answer::new(run.into(), stats);
        }
        // SPIN counts claims among the processes, its own for progress too.
        let beside = self.model.beside_claim();
        let mut all = Answer::new(Ledger::default().settle(ProofKind::Exhausted { n_states: 0 }), stats);
        for (watch, is_fair) in self.wanted.watches.iter().copied() {
            let model = if watch == LivenessProperty::Accepted { self.model } else { &beside };
            let goals = [Goal::Unseen { watch, is_fair }];
            let task = Task { subject: Subject::Automata(model, None), goals: &goals, strategy: self.strategy };
            let Answer { verdict, stats, assumptions, .. } = first_able(engines, &task, control);
            all.stats = all.stats.and(stats);
            let new = assumptions.into_iter().filter(|note| !all.assumptions.contains(note));
            let new: Vec<String> = new.collect();
            all.assumptions.extend(new);
            all.verdict = verdict;
            if !matches!(all.verdict, Verdict::Holds(_)) {
                break;
            }
        }
        all
    }
}
