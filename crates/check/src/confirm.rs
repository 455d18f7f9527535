//! Whether a violation of an extracted model is one of the program: its lines are followed on the program itself
//! (the check for spurious counterexamples in counterexample-guided abstraction refinement, Clarke et al. 2000).
//!
//! The program is asked for the same kind of violation. What a failed assertion of the model means depends on where it
//! comes from: the program's own is looked for as such, that of an invariant as an invariant, and what stands for a call
//! of the library as the error that the call makes. Undefined behaviour on the way counts as well, because models assume
//! that there is none. Formulas and livelocks are claims about endless executions of the program, with propositions read
//! as C.

use std::collections::{BTreeMap, BTreeSet};

use unpick_program::interp::{Checks, Machine, Options};
use unpick_program::{Program, ViolationKind};
use unpick_system::{
    Claim, ClaimKind, Control, Engine, Evidence, Goal, Guidance, ProgramRun, PropertySet, Reason, Strategy, Subject,
    Task, Verdict, Waypoint,
};
use unpick_witness::{Finding, Step, Trace, replay};

use crate::claims::{BadClaim, Wanted};
use crate::portfolio::first_able;

/// Where a model is freer than its program.
#[derive(Clone, Debug)]
pub struct Freedom {
    /// Lines at which it may go on although the program cannot.
    pub lines: BTreeSet<(String, u32)>,
    /// The names of processes that are threads of the program.
    pub processes: BTreeSet<String>,
    /// Expressions that should hold in every state, by the names of the processes that look after them.
    pub invariants: BTreeMap<String, String>,
    /// Lines whose assertions are the word of a row.
    pub only_rows: BTreeSet<(String, u32)>,
    /// The function with which the program starts, or why it cannot be run by itself.
    pub entry: Result<String, String>,
    /// Whether what goes through nothing free is sure to be an execution of the program.
    pub is_certain: bool,
    /// What the model calls itself where no line of the source is to blame.
    pub own_file: &'static str,
}

/// A violation of a model.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// What goes wrong.
    pub finding: &'a Finding,
    /// How it comes about.
    pub trace: &'a Trace,
    /// What is asserted is an addition of the model to what the program asserts.
    pub is_added: bool,
    /// The model has gone on where it had no room for what the program asks for.
    pub is_beyond_bounds: bool,
    /// Only weakly fair executions count.
    pub is_fair: bool,
    /// The formula that does not hold.
    pub formula: Option<String>,
}

/// What the program is to be asked, before it is loaded with what the claim needs.
#[derive(Clone, Debug)]
pub struct Request {
    kind: ViolationKind,
    is_fair: bool,
    /// What is claimed, and has to be loaded with the program.
    pub wanted: Wanted,
}

/// What is asked of a loaded program.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// What an execution should violate as a whole.
    pub claim: Option<Claim>,
    /// What should not happen on the way, or, without a claim, what one of should happen.
    pub properties: PropertySet,
}

/// What the program says to a violation of its model.
pub enum Reply {
    /// It does the same.
    Confirmed {
        /// What goes wrong.
        finding: Box<Finding>,
        /// How it comes about.
        trace: Trace,
        /// The execution.
        run: Box<ProgramRun>,
    },
    /// It is not known to do so.
    Possible {
        /// Why not.
        why: String,
        /// So many steps of the model's execution may be those of the program.
        n_steps: usize,
    },
}

impl Freedom {
    /// Whether the program can be run without the model.
    pub fn can_be_run(&self) -> bool {
        self.entry.is_ok()
    }

    /// Whether a violation needs nothing that the program does not do.
    pub fn leaves_no_doubt(&self, found: &Found<'_>) -> bool {
        // What progress is, the program knows better.
        let is_meant = found.finding.kind != ViolationKind::Livelock.name() || !self.can_be_run();
        let is_free = |step: &Step| self.lines.contains(&(step.file.clone(), step.line));
        self.is_certain && !found.is_beyond_bounds && is_meant && !found.trace.steps.iter().any(is_free)
    }

    /// Whether an assertion stands in a row or in the environment.
    fn is_word_of_model(&self, found: &Found<'_>) -> bool {
        let finding = found.finding;
        let is_row = self.only_rows.contains(&(finding.file.clone(), finding.line));
        let is_own = is_row || finding.file == self.own_file;
        finding.kind == ViolationKind::Assertion.name() && !found.is_added && is_own
    }

    /// What the program is to be asked because of a violation; or why it cannot be asked.
    pub fn request(&self, found: &Found<'_>) -> Result<Request, String> {
        let finding = found.finding;
        let kind = ViolationKind::from_name(&finding.kind).unwrap_or(ViolationKind::Assertion);
        let invariant = self.invariants.get(&finding.function).filter(|_| finding.file == self.own_file);
        let (kind, text) = match (kind, invariant) {
            (ViolationKind::Assertion, Some(text)) => (ViolationKind::Invariant, Some(text.as_str())),
            (ViolationKind::Ltl, _) => match &found.formula {
                Some(text) => (kind, Some(text.as_str())),
                None => return Err("the program does not know what is claimed".to_owned()),
            },
            (ViolationKind::EndState, _) => (ViolationKind::Deadlock, None),
            (kind, _) => (kind, None),
        };
        Request::new(kind, text, found.is_fair).map_err(no_c)
    }

    /// Follows a violation on the program.
    pub fn follow(
        &self,
        (program, inquiry): (&Program, &Inquiry),
        found: &Found<'_>,
        engines: &[&dyn Engine],
        control: &dyn Control,
    ) -> Reply {
        let all = found.trace.steps.len();
        let possible = |why: String| Reply::Possible { why, n_steps: all };
        let Route { waypoints, steps, loop_from } = Route::new(self, program, found.trace);
        let goals = [match &inquiry.claim {
            Some(claim) => Goal::Claim(claim.clone()),
            None => Goal::Safety(inquiry.properties),
        }];
        let guidance = Guidance::Lines { waypoints: waypoints.clone(), loop_from };
        let strategy = Strategy { guidance, ..Strategy::default() };
        let task = Task { subject: Subject::Program(program), goals: &goals, strategy: &strategy };
        let why = match first_able(engines, &task, control).verdict {
            Verdict::Fails(Evidence::Program(run)) => {
                return confirmed(program, inquiry.checks(), run).unwrap_or_else(possible);
            }
            Verdict::Unknown(why) => why,
            Verdict::Holds(_) | Verdict::Fails(_) => return possible("no execution goes this way".to_owned()),
        };
        let Some(Reason::OffRoute { n_passed }) = why.reasons().first().copied() else {
            return possible(why.summary());
        };
        if self.is_word_of_model(found) {
            return possible("only the model asserts this".to_owned());
        }
        let place = match n_passed.checked_sub(1).and_then(|last| waypoints.get(last)) {
            Some(_) if *n_passed == waypoints.len() => "though it passes all the lines".to_owned(),
            Some(last) => format!("it does not get further than {}:{}", last.file, last.line),
            None => "it does not even begin so".to_owned(),
        };
        let why = format!("no execution of the program goes this way, {place}");
        Reply::Possible { why, n_steps: steps.get(*n_passed).map_or(all, |step| step + 1) }
    }
}

impl Request {
    /// Asks for a violation of this kind, of a claim if there is a text for one.
    pub fn new(kind: ViolationKind, text: Option<&str>, is_fair: bool) -> Result<Request, BadClaim> {
        let given = |wanted: ViolationKind| text.filter(|_| kind == wanted).map(str::to_owned).into_iter();
        let formulas: Vec<String> = given(ViolationKind::Ltl).collect();
        let invariants: Vec<String> = given(ViolationKind::Invariant).collect();
        Ok(Request { kind, is_fair, wanted: Wanted::new(&formulas, &invariants, is_fair)? })
    }

    /// Why the program could not be loaded, in words that fit what is asked.
    pub fn not_loaded(&self, message: &str) -> String {
        match self.wanted.texts().next() {
            Some(_) => format!("what is claimed is no C: {message}"),
            None => format!("the program cannot be run by itself: {message}"),
        }
    }

    /// What is asked of the program, now that it is loaded; or why it cannot be asked.
    pub fn of(&self, program: &Program) -> Result<Inquiry, String> {
        let livelock = self.kind == ViolationKind::Livelock;
        let properties = if livelock { set("livelock") } else { PropertySet::EMPTY };
        let claims = self.wanted.claims(program, properties).map_err(no_c)?;
        if let Some(mut claim) = claims.into_iter().next() {
            if matches!(&claim.kind, ClaimKind::Ltl(formula) if formula.has_next()) {
                return Err("the formula counts steps, and those of the program are others".to_owned());
            }
            if let ClaimKind::Livelock = claim.kind {
                claim.is_fair = self.is_fair;
            }
            return Ok(Inquiry { claim: Some(claim), properties: PropertySet::EMPTY });
        }
        let undefined = set("memory,overflow,unlock-error").with(self.kind);
        let is_deadlock = self.kind == ViolationKind::Deadlock;
        let properties = if is_deadlock { undefined } else { undefined.union(set("assertion")) };
        Ok(Inquiry { claim: None, properties })
    }
}

impl Inquiry {
    /// What an execution is looked at for when it is run again.
    pub fn checks(&self) -> Checks {
        match self.claim {
            Some(_) => Claim::checks_on_the_way(),
            None => self.properties.iter().collect(),
        }
    }
}

fn no_c(bad: BadClaim) -> String {
    format!("what is claimed is no C: {}", bad.message)
}

fn set(names: &str) -> PropertySet {
    PropertySet::parse(names).expect("the names should be those of properties")
}

/// Replays what was found, concretely.
fn confirmed(program: &Program, checks: Checks, run: ProgramRun) -> Result<Reply, String> {
    let machine = Machine::new(program, Options { checks, is_lazy: false, ..Options::default() });
    match replay(&machine, program, &run) {
        Ok((finding, trace)) => Ok(Reply::Confirmed { finding: Box::new(finding), trace, run: Box::new(run) }),
        Err(mismatch) if run.loop_from.is_some() => {
            Err(format!("the program does not do the same round after round: {mismatch}"))
        }
        Err(mismatch) => Err(format!("internal error: the replay disagrees: {mismatch}")),
    }
}

/// The lines of an execution with the threads of the program.
struct Route {
    waypoints: Vec<Waypoint>,
    /// The steps that they come from.
    steps: Vec<usize>,
    /// From which of them on the execution goes round.
    loop_from: Option<usize>,
}

impl Route {
    fn new(freedom: &Freedom, program: &Program, trace: &Trace) -> Route {
        let names = trace.actors.names.iter().enumerate();
        let threads: Vec<usize> =
            names.filter(|(_, name)| freedom.processes.contains(*name)).map(|(process, _)| process).collect();
        let mut route = Route { waypoints: Vec::new(), steps: Vec::new(), loop_from: None };
        for (at, step) in trace.steps.iter().enumerate().filter(|(_, step)| !step.is_waiting) {
            if trace.loop_start.is_some_and(|start| at >= start) && route.loop_from.is_none() {
                route.loop_from = Some(route.waypoints.len());
            }
            let thread = threads.iter().position(|process| *process == step.thread as usize);
            let Some(thread) = thread.filter(|_| program.files.iter().any(|file| *file == step.file)) else { continue };
            let waypoint = Waypoint { thread, file: step.file.clone(), line: step.line };
            // Where the execution comes back to, it may pass the same line again.
            if route.waypoints.last() != Some(&waypoint) || route.loop_from == Some(route.waypoints.len()) {
                route.waypoints.push(waypoint);
                route.steps.push(at);
            }
        }
        route
    }
}
