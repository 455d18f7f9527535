//! Whether a violation of an extracted model is one of the program: its lines are followed on the program itself.

use std::collections::{BTreeMap, BTreeSet};

use unpick_extract::extraction::Decided;
use unpick_extract::proof::Proofs;
use unpick_extract::refine::{Edit, ideas, widened};
use unpick_ir::interp::{Checks, Machine, Options};
use unpick_ir::{Program, ViolationKind};
use unpick_report::Sources as _;
use unpick_witness::{Doubt, Finding, Followed, Step, Trace, Waypoint, follow_lines, replay};

use super::model::Confirmation;
use crate::input::{Settings, load};

/// Where a model is freer than its program.
pub struct Freedom {
    /// Lines at which it may go on although the program cannot, and what could be taken back there.
    lines: BTreeMap<(String, u32), Vec<Edit>>,
    /// The names of processes that are functions of the program.
    processes: BTreeSet<String>,
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
        let processes = code.functions.iter().map(|function| function.name.clone()).collect();
        Freedom { lines: lines.collect(), processes, entry, is_certain: true }
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

/// Follows a violation of the model on the program; and what to take back if it is not one of the program.
pub fn confirm(settings: &Settings, freedom: &Freedom, finding: &Finding, trace: &Trace) -> (Confirmation, Vec<Edit>) {
    if freedom.is_certain && !trace.steps.iter().any(|step| freedom.is_free(step)) {
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
        let doubt = Doubt { text, remedy: Some(remedy), ..Doubt::default() };
        (Confirmation::Possible(doubt), edits)
    };
    let kind = match finding.kind.as_str() {
        "assertion" => ViolationKind::Assertion,
        "end-state" => ViolationKind::Deadlock,
        _ => return possible("endless executions and formulas are not followed on the program".into(), all),
    };
    if let Err(why) = &freedom.entry {
        return possible(why.clone(), all);
    }
    let loaded = match load(settings) {
        Ok(loaded) => loaded,
        Err(failure) => return possible(format!("the program cannot be run by itself: {}", failure.message), all),
    };
    let (waypoints, steps) = waypoints(freedom, &loaded.program, trace);
    let checks: Checks = [kind].into_iter().collect();
    let machine = Machine::new(&loaded.program, Options { checks, ..Options::default() });
    match follow_lines(&machine, &waypoints, kind) {
        Followed::Reached(evidence) => {
            let options = Options { checks, is_lazy: false, ..Options::default() };
            let machine = Machine::new(&loaded.program, options);
            match replay(&machine, &loaded.program, &evidence) {
                Ok((finding, mut trace)) => {
                    trace.fill_text(|file, line| loaded.lines.line(file, line));
                    let mut assumptions = loaded.assumptions.clone();
                    assumptions.push("the violation of the model was confirmed on the program itself".to_owned());
                    (Confirmation::Confirmed(Box::new((finding, trace)), assumptions), Vec::new())
                }
                Err(mismatch) => possible(format!("internal error: the replay disagrees: {mismatch}"), all),
            }
        }
        Followed::Lost { n_passed } => {
            let n_steps = steps.get(n_passed).map_or(all, |step| step + 1);
            let place = match n_passed.checked_sub(1).and_then(|last| waypoints.get(last)) {
                Some(last) => format!("it does not get further than {}:{}", last.file, last.line),
                None => "it does not even begin so".to_owned(),
            };
            possible(format!("no execution of the program goes this way, {place}"), n_steps)
        }
        Followed::Undecided { why } => possible(why, all),
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

/// The lines of an execution with the threads of the program, and the steps they come from.
fn waypoints(freedom: &Freedom, program: &Program, trace: &Trace) -> (Vec<Waypoint>, Vec<usize>) {
    let names = trace.actors.names.iter().enumerate();
    let threads: Vec<usize> =
        names.filter(|(_, name)| freedom.processes.contains(*name)).map(|(process, _)| process).collect();
    let (mut waypoints, mut steps): (Vec<Waypoint>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, step) in trace.steps.iter().enumerate().filter(|(_, step)| !step.is_waiting) {
        let thread = threads.iter().position(|process| *process == step.thread as usize);
        let Some(thread) = thread.filter(|_| program.files.iter().any(|file| *file == step.file)) else { continue };
        let waypoint = Waypoint { thread, file: step.file.clone(), line: step.line };
        if waypoints.last() != Some(&waypoint) {
            waypoints.push(waypoint);
            steps.push(at);
        }
    }
    (waypoints, steps)
}
