//! Whether a violation of an extracted model is one of the program: its lines are followed on the program itself.
//!
//! The program is asked for the same kind of violation. What a failed assertion of the model means depends on where it
//! comes from: the program's own is looked for as such, that of an invariant as an invariant, and what stands for a call
//! of the library as the error that the call makes. Undefined behaviour on the way counts as well, because models assume
//! that there is none. Formulas and livelocks are claims about endless executions of the program, with propositions read
//! as C.

use std::collections::{BTreeMap, BTreeSet};

use unpick_engine_explicit::along::{Followed, Waypoint, follow_claim, follow_lines};
use unpick_extract::code::FragmentKind;
use unpick_extract::extraction::Decided;
use unpick_extract::plan::Treatment;
use unpick_extract::proof::Proofs;
use unpick_extract::refine::{Edit, ideas, widened};
use unpick_ir::interp::{Checks, Machine, Options};
use unpick_ir::{Program, ViolationKind};
use unpick_report::Sources as _;
use unpick_system::{Claim, ClaimKind, ProgramRun, PropertySet, Reason};
use unpick_witness::{Extracted, Recipe, Step, Trace, replay};

use super::model::{Confirmation, Confirmed, EXTRACTED, Found, Saved};
use super::{again, fingerprint, has_threads};
use crate::claims::Wanted;
use crate::input::{Loaded, Settings, load};

/// Where a model is freer than its program.
pub struct Freedom {
    /// Lines at which it may go on although the program cannot, and what could be taken back there.
    lines: BTreeMap<(String, u32), Vec<Edit>>,
    /// The names of processes that are threads of the program.
    processes: BTreeSet<String>,
    /// Expressions that should hold in every state, by the names of the processes that look after them.
    invariants: BTreeMap<String, String>,
    /// Lines whose assertions are the word of a row.
    only_rows: BTreeSet<(String, u32)>,
    /// The function with which the program starts, or why it cannot be run by itself.
    entry: Result<String, String>,
    /// Whether what goes through nothing free is sure to be an execution of the program.
    pub is_certain: bool,
}

impl Freedom {
    pub fn new(decided: &Decided<'_>, proofs: &Proofs) -> Freedom {
        let code = decided.context.code;
        let lines = widened(decided, proofs).into_iter().map(|(place, fragments)| {
            let edits: BTreeSet<Edit> = fragments.into_iter().flat_map(|id| ideas(decided, proofs, id)).collect();
            (place, edits.into_iter().collect())
        });
        let entry = match decided.plan.starts.as_slice() {
            _ if !decided.program.harness.environment.is_empty() => Err("only the model has its environment".into()),
            [start] if start.count == 1 && start.arguments.is_empty() => {
                Ok(code.functions[start.function].name.clone())
            }
            _ => Err("only the model starts these processes".into()),
        };
        let is_thread = |function| decided.plan.treatment(function) == Treatment::Process;
        let threads = code.functions.iter_enumerated().filter(|(id, _)| is_thread(*id));
        let processes = threads.map(|(_, function)| function.name.clone()).collect();
        let invariants = decided.program.harness.invariants.iter().cloned().collect();
        let is_word = |id| {
            let decision = &decided.decisions.plain[id];
            decision.is_row() && decision.mapping.text().contains("assert")
        };
        let is_own = |kind: &FragmentKind| matches!(kind, FragmentKind::Assertion(_));
        let said = code.fragments.iter_enumerated().filter(|(id, fragment)| is_word(*id) && !is_own(&fragment.what));
        let only_rows = said.filter_map(|(_, fragment)| decided.context.sources.place(fragment.span.lo));
        let only_rows = only_rows.map(|place| (place.file.to_string(), place.line)).collect();
        Freedom { lines: lines.collect(), processes, invariants, only_rows, entry, is_certain: true }
    }

    /// Whether the program can be run without the model.
    pub fn can_be_run(&self) -> bool {
        self.entry.is_ok()
    }

    /// Lets the program start where the model does.
    pub fn enter(&self, settings: &mut Settings) {
        if let Ok(entry) = &self.entry {
            settings.entry.clone_from(entry);
        }
    }

    fn is_free(&self, step: &Step) -> bool {
        self.lines.contains_key(&(step.file.clone(), step.line))
    }
}

/// The program, and what it is asked for.
pub struct Asked {
    pub loaded: Loaded,
    /// What an execution should violate as a whole.
    pub claim: Option<Claim>,
    /// What should not happen on the way, or, without a claim, what one of should happen.
    pub checks: Checks,
}

/// Follows a violation of the model on the program; and what to take back if it is not one of the program.
pub fn confirm(settings: &mut Settings, freedom: &Freedom, found: &Found<'_>) -> (Confirmation, Vec<Edit>) {
    let Found { finding, trace, .. } = found;
    // What progress is, the program knows better.
    let is_meant = finding.kind != ViolationKind::Livelock.name() || !freedom.can_be_run();
    if freedom.is_certain && is_meant && !trace.steps.iter().any(|step| freedom.is_free(step)) {
        return (Confirmation::Stands, Vec::new());
    }
    let all = trace.steps.len();
    let possible = |why: String, n_steps: usize| {
        let edits = edits_before(freedom, trace, n_steps);
        let rows: Vec<String> = edits.iter().map(Edit::shown).collect();
        let remedy = match rows.is_empty() {
            true => "give the conditions on its way a meaning, see `unpick table --audit`".to_owned(),
            false => format!("check it again {}, or let --refine do so", rows.join(", ")),
        };
        let text = format!("a violation of the model was not confirmed: {why}");
        (Confirmation::Possible(Reason::Abstraction { text, remedy: Some(remedy) }), edits)
    };
    if let Err(why) = &freedom.entry {
        return possible(why.clone(), all);
    }
    let Asked { loaded, claim, checks } = match ask(settings, freedom, found) {
        Ok(asked) => asked,
        Err(why) => return possible(why, all),
    };
    let Route { waypoints, steps, loop_from } = Route::new(freedom, &loaded.program, trace);
    let machine = Machine::new(&loaded.program, Options { checks, ..Options::default() });
    let followed = match &claim {
        None => follow_lines(&machine, &waypoints, checks),
        Some(claim) => follow_claim(&machine, &waypoints, loop_from, claim),
    };
    match followed {
        Followed::Reached(evidence) => match confirmed(&loaded, &settings.entry, checks, &evidence) {
            Ok(confirmation) => (confirmation, Vec::new()),
            Err(why) => possible(why, all),
        },
        Followed::Lost { .. } if is_word_of_model(freedom, found) => {
            possible("only the model asserts this".to_owned(), all)
        }
        Followed::Lost { n_passed } => {
            let n_steps = steps.get(n_passed).map_or(all, |step| step + 1);
            let place = match n_passed.checked_sub(1).and_then(|last| waypoints.get(last)) {
                Some(_) if n_passed == waypoints.len() => "though it passes all the lines".to_owned(),
                Some(last) => format!("it does not get further than {}:{}", last.file, last.line),
                None => "it does not even begin so".to_owned(),
            };
            possible(format!("no execution of the program goes this way, {place}"), n_steps)
        }
        Followed::Undecided { why } => possible(why, all),
    }
}

/// The program, and what it is asked for because of a violation; or why it cannot be asked.
fn ask(settings: &mut Settings, freedom: &Freedom, found: &Found<'_>) -> Result<Asked, String> {
    let Found { finding, recipe, .. } = found;
    let kind = ViolationKind::from_name(&finding.kind).unwrap_or(ViolationKind::Assertion);
    let invariant = freedom.invariants.get(&finding.function).filter(|_| finding.file == EXTRACTED);
    let is_fair = recipe.is_some_and(|recipe| recipe.is_fair);
    let (kind, text) = match (kind, invariant) {
        (ViolationKind::Assertion, Some(text)) => (ViolationKind::Invariant, Some(text.as_str())),
        (ViolationKind::Ltl, _) => match &found.formula {
            Some(text) => (kind, Some(text.as_str())),
            None => return Err("the program does not know what is claimed".to_owned()),
        },
        (ViolationKind::EndState, _) => (ViolationKind::Deadlock, None),
        (kind, _) => (kind, None),
    };
    Asked::new(settings, kind, text, is_fair)
}

impl Asked {
    /// Asks for a violation of this kind, of a claim if there is a text for one; or says why that cannot be.
    pub fn new(
        settings: &mut Settings,
        kind: ViolationKind,
        text: Option<&str>,
        is_fair: bool,
    ) -> Result<Asked, String> {
        let given = |wanted: ViolationKind| text.filter(|_| kind == wanted).map(str::to_owned).into_iter();
        let formulas: Vec<String> = given(ViolationKind::Ltl).collect();
        let invariants: Vec<String> = given(ViolationKind::Invariant).collect();
        let properties = if kind == ViolationKind::Livelock { set("livelock") } else { PropertySet::EMPTY };
        let is_claim = !formulas.is_empty() || !invariants.is_empty();
        let no_c = |failure: crate::failure::Failure| format!("what is claimed is no C: {}", failure.message);
        settings.wanted = Wanted::new(&formulas, &invariants, is_fair).map_err(no_c)?;
        let loaded = load(settings).map_err(|failure| match is_claim {
            true => no_c(failure),
            false => format!("the program cannot be run by itself: {}", failure.message),
        })?;
        let claims = settings.wanted.claims(&loaded.program, properties, has_threads(&loaded.program)).map_err(no_c)?;
        if let Some(mut claim) = claims.into_iter().next() {
            if matches!(&claim.kind, ClaimKind::Ltl(formula) if formula.has_next()) {
                return Err("the formula counts steps, and those of the program are others".to_owned());
            }
            if let ClaimKind::Livelock = claim.kind {
                claim.is_fair = is_fair;
            }
            let checks = Checks::ALL.without(ViolationKind::DataRace).without(ViolationKind::Leak);
            return Ok(Asked { loaded, claim: Some(claim), checks });
        }
        let undefined = set("memory,overflow,unlock-error");
        let asserted = if kind == ViolationKind::Deadlock { PropertySet::EMPTY } else { set("assertion") };
        let checks = undefined.iter().chain(asserted.iter()).chain([kind]).collect();
        Ok(Asked { loaded, claim: None, checks })
    }
}

fn set(names: &str) -> PropertySet {
    PropertySet::parse(names).expect("the names should be those of properties")
}

/// Whether an assertion stands in a row or in the environment.
fn is_word_of_model(freedom: &Freedom, found: &Found<'_>) -> bool {
    let Found { finding, added, .. } = found;
    let is_row = freedom.only_rows.contains(&(finding.file.clone(), finding.line));
    finding.kind == ViolationKind::Assertion.name() && added.is_none() && (is_row || finding.file == EXTRACTED)
}

/// Replays what was found, concretely.
fn confirmed(loaded: &Loaded, entry: &str, checks: Checks, evidence: &ProgramRun) -> Result<Confirmation, String> {
    let machine = Machine::new(&loaded.program, Options { checks, is_lazy: false, ..Options::default() });
    match replay(&machine, &loaded.program, evidence) {
        Ok((finding, mut trace)) => {
            trace.fill_text(|file, line| loaded.lines.line(file, line));
            let mut assumptions = loaded.assumptions.clone();
            assumptions.push("the violation of the model was confirmed on the program itself".to_owned());
            let extracted = Extracted {
                entry: Some(entry.to_owned()),
                is_fair: evidence.claim.as_ref().is_some_and(|claim| claim.is_fair),
                ..Extracted::default()
            };
            let saved = Saved {
                fingerprint: fingerprint(&loaded.program),
                decisions: evidence.decisions.clone(),
                recipe: Recipe { extracted: Some(extracted), ..again::recipe(evidence, &loaded.program) },
            };
            Ok(Confirmation::Confirmed(Box::new(Confirmed { finding, trace, assumptions, saved })))
        }
        Err(mismatch) if evidence.loop_from.is_some() => {
            Err(format!("the program does not do the same round after round: {mismatch}"))
        }
        Err(mismatch) => Err(format!("internal error: the replay disagrees: {mismatch}")),
    }
}

/// What could be taken back, of what decided freely last.
fn edits_before(freedom: &Freedom, trace: &Trace, n_steps: usize) -> Vec<Edit> {
    let place = |step: &Step| (step.file.clone(), step.line);
    let before = trace.steps[..n_steps.min(trace.steps.len())].iter().rev();
    let behind = trace.steps[n_steps.min(trace.steps.len())..].iter();
    let mut edits = before.chain(behind).filter_map(|step| freedom.lines.get(&place(step)));
    edits.find(|edits| !edits.is_empty()).cloned().unwrap_or_default()
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
