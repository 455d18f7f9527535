//! Whether a violation of an extracted model is one of the program, and what to take back of the table if it is not.
//!
//! Where the model is freer than the program, its table says; following the lines is the work of the crate `check`.

use std::collections::{BTreeMap, BTreeSet};

use unpick_check::confirm::{Found, Freedom, Inquiry, Reply, Request};
use unpick_extract::code::FragmentKind;
use unpick_extract::extraction::Decided;
use unpick_extract::plan::Treatment;
use unpick_extract::proof::Proofs;
use unpick_extract::refine::{Edit, ideas, widened};
use unpick_report::Sources as _;
use unpick_system::{ProgramRun, Reason};
use unpick_witness::{Extracted, Finding, Recipe, Step, Trace};

use super::model::{Confirmation, Confirmed, EXTRACTED, Saved};
use super::{again, fingerprint};
use crate::attendant::Attendant;
use crate::engines::ENGINES;
use crate::input::{Loaded, Settings, load};

/// Where a model is freer than its program, and what could be taken back there.
pub struct Widening {
    pub freedom: Freedom,
    edits: BTreeMap<(String, u32), Vec<Edit>>,
}

impl Widening {
    pub fn new(decided: &Decided<'_>, proofs: &Proofs) -> Widening {
        let code = decided.context.code;
        let edits = widened(decided, proofs).into_iter().map(|(place, fragments)| {
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
        let edits: BTreeMap<(String, u32), Vec<Edit>> = edits.collect();
        let lines = edits.keys().cloned().collect();
        let own_file = EXTRACTED;
        let freedom = Freedom { lines, processes, invariants, only_rows, entry, is_certain: true, own_file };
        Widening { freedom, edits }
    }

    /// What could be taken back, of what decided freely last.
    fn edits_before(&self, trace: &Trace, n_steps: usize) -> Vec<Edit> {
        let place = |step: &Step| (step.file.clone(), step.line);
        let before = trace.steps[..n_steps.min(trace.steps.len())].iter().rev();
        let behind = trace.steps[n_steps.min(trace.steps.len())..].iter();
        let mut edits = before.chain(behind).filter_map(|step| self.edits.get(&place(step)));
        edits.find(|edits| !edits.is_empty()).cloned().unwrap_or_default()
    }
}

/// Follows a violation of the model on the program; and what to take back if it is not one of the program.
pub fn confirm(
    source: &mut Source,
    widening: &Widening,
    found: &Found<'_>,
    attendant: &Attendant<'_>,
) -> (Confirmation, Vec<Edit>) {
    let freedom = &widening.freedom;
    if freedom.leaves_no_doubt(found) {
        return (Confirmation::Stands, Vec::new());
    }
    match follow(source, freedom, found, attendant) {
        Ok(confirmed) => (Confirmation::Confirmed(Box::new(confirmed)), Vec::new()),
        Err((why, n_steps)) => {
            let edits = widening.edits_before(found.trace, n_steps);
            let rows: Vec<String> = edits.iter().map(Edit::shown).collect();
            let remedy = match rows.is_empty() {
                true => "give the conditions on its way a meaning, see `unpick table --audit`".to_owned(),
                false => format!("check it again {}, or let --refine do so", rows.join(", ")),
            };
            let text = format!("a violation of the model was not confirmed: {why}");
            (Confirmation::Possible(Reason::Abstraction { text, remedy: Some(remedy) }), edits)
        }
    }
}

/// The program's own execution; or why there is none, and how many steps of the model's may be the program's.
fn follow(
    source: &mut Source,
    freedom: &Freedom,
    found: &Found<'_>,
    attendant: &Attendant<'_>,
) -> Result<Confirmed, (String, usize)> {
    let all = |why: String| (why, found.trace.steps.len());
    freedom.entry.as_ref().map_err(|why| all(why.clone()))?;
    let request = freedom.request(found).map_err(all)?;
    let (Asked { loaded, inquiry }, entry) = source.ask(freedom, &request).map_err(all)?;
    match freedom.follow((&loaded.program, inquiry), found, ENGINES, attendant) {
        Reply::Confirmed { finding, trace, run } => Ok(confirmed(loaded, entry, (*finding, trace), &run)),
        Reply::Possible { why, n_steps } => Err((why, n_steps)),
    }
}

/// Where the program comes from; what was loaded last is kept for the next question of the same kind.
pub struct Source {
    settings: Settings,
    known: Option<(String, Asked)>,
}

impl Source {
    pub fn new(settings: Settings) -> Source {
        Source { settings, known: None }
    }

    /// The program, which starts where the model does, and the name of the function; or why it cannot be asked.
    fn ask(&mut self, freedom: &Freedom, request: &Request) -> Result<(&Asked, &str), String> {
        if let Ok(entry) = &freedom.entry {
            self.settings.entry.clone_from(entry);
        }
        let key = format!("{} {request:?}", self.settings.entry);
        let asked = match self.known.take().filter(|(known, _)| *known == key) {
            Some((_, asked)) => asked,
            None => Asked::new(&mut self.settings, request)?,
        };
        let (_, asked) = self.known.insert((key, asked));
        Ok((asked, &self.settings.entry))
    }
}

/// The program, and what it is asked for.
pub struct Asked {
    pub loaded: Loaded,
    pub inquiry: Inquiry,
}

impl Asked {
    /// Loads the program with what a claim needs; or says why it cannot be asked.
    pub fn new(settings: &mut Settings, request: &Request) -> Result<Asked, String> {
        settings.wanted = request.wanted.clone();
        let loaded = load(settings).map_err(|failure| request.not_loaded(&failure.message))?;
        let inquiry = request.of(&loaded.program)?;
        Ok(Asked { loaded, inquiry })
    }
}

/// What is told of an execution of the program, and how it is executed again.
fn confirmed(loaded: &Loaded, entry: &str, (finding, mut trace): (Finding, Trace), run: &ProgramRun) -> Confirmed {
    trace.fill_text(|file, line| loaded.lines.line(file, line));
    let mut assumptions = loaded.assumptions.clone();
    assumptions.push("the violation of the model was confirmed on the program itself".to_owned());
    let extracted = Extracted {
        entry: Some(entry.to_owned()),
        is_fair: run.claim.as_ref().is_some_and(|claim| claim.is_fair),
        ..Extracted::default()
    };
    let saved = Saved {
        fingerprint: fingerprint(&loaded.program),
        decisions: run.decisions.clone(),
        recipe: Recipe { extracted: Some(extracted), ..again::recipe(run, &loaded.program) },
    };
    Confirmed { finding, trace, assumptions, saved }
}
