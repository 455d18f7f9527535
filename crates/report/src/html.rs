//! The HTML report of a run: one file without network requests, to step through an execution or to inspect the explored
//! states.
//!
//! What comes from the checked program reaches the page in two ways only: through the template, which escapes, and as
//! JSON that the script reads and shows as text. A content security policy names the hashes of our own script and style,
//! so that nothing else would run even if it got in.

mod data;
mod picture;

use askama::Template;
use sha2::{Digest as _, Sha256};
use unpick_system::Reason;
use unpick_witness::{FileCoverage, Finding, Judgement, Trace};

use crate::escape::visible;
use crate::{Colour, DEFAULT_WIDTH, Outcome, Screen, Sources, TraceStyle};

const STYLE: &str = include_str!("../templates/page.css");
const SCRIPT: &str = include_str!("../templates/page.js");
/// More statements that were not reached are counted only.
const MAX_STATEMENTS: usize = 40;
/// Longer executions are not repeated as text.
const MAX_TEXT_STEPS: usize = 2_000;

#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    title: String,
    version: &'static str,
    style: &'static str,
    style_hash: String,
    script: &'static str,
    script_hash: String,
    verdict: &'static str,
    headline: String,
    name: String,
    noun: String,
    finding: Option<Headline>,
    notes: Vec<String>,
    has_trace: bool,
    has_sources: bool,
    others: Vec<String>,
    doubts: Vec<String>,
    assumptions: Vec<String>,
    properties: Vec<String>,
    statistics: Vec<(&'static str, String)>,
    growth: String,
    coverage: Vec<Explored>,
    locks: String,
    lock_edges: Vec<String>,
    text: String,
    data: String,
}

struct Headline {
    kind: String,
    message: String,
    place: String,
    function: String,
    actor: String,
}

struct Explored {
    name: String,
    reached: usize,
    all: usize,
    missed: Vec<String>,
    /// Statements of a model to which no process came.
    statements: Vec<String>,
    n_more: usize,
}

/// The page of a run; `name` is what was checked.
pub fn html(outcome: &Outcome, name: &str, sources: &dyn Sources) -> String {
    let (verdict, violated, headline, doubts) = match &outcome.judgement {
        Judgement::Verified => ("verified", None, "No execution goes wrong".to_owned(), Vec::new()),
        Judgement::Violated { finding, trace } => ("violated", Some((finding, trace)), String::new(), Vec::new()),
        Judgement::Unknown(why) => ("unknown", None, outcome.reason(), why.reasons().into_iter().map(reason).collect()),
    };
    let nothing = Trace::default();
    let trace = violated.map_or(&nothing, |(_, trace)| trace);
    let finding = violated.map(|(finding, _)| finding);
    let data = data::data(outcome, finding, trace, sources);
    let page = Page {
        title: shown(&match finding {
            Some(finding) => format!("{} at {}:{} \u{b7} unpick", finding.kind, finding.file, finding.line),
            None => format!("{verdict}: {name} \u{b7} unpick"),
        }),
        version: env!("CARGO_PKG_VERSION"),
        style: STYLE,
        style_hash: hash(STYLE),
        script: SCRIPT,
        script_hash: hash(SCRIPT),
        verdict,
        headline: shown(&headline),
        name: shown(name),
        noun: shown(&trace.actors.noun),
        finding: finding.map(|finding| headline_of(finding, trace)),
        notes: finding.map_or(Vec::new(), notes),
        has_trace: !trace.steps.is_empty(),
        has_sources: data.has_sources,
        others: outcome.others.iter().map(|other| one_line(&other.finding)).collect(),
        doubts,
        assumptions: outcome.assumptions.iter().map(|text| shown(text)).collect(),
        properties: outcome.properties.iter().map(|text| shown(text)).collect(),
        statistics: statistics(outcome),
        growth: picture::growth(&outcome.growth),
        coverage: outcome.coverage.iter().map(explored).collect(),
        locks: picture::locks(&outcome.locks),
        lock_edges: outcome
            .locks
            .edges
            .iter()
            .map(|edge| shown(&format!("{} \u{2192} {} at {}:{}", edge.held, edge.taken, edge.file, edge.line)))
            .collect(),
        text: match trace.steps.len() {
            0 => String::new(),
            n_steps if n_steps > MAX_TEXT_STEPS => String::new(),
            _ => {
                let screen = Screen { colour: Colour::Never, width: DEFAULT_WIDTH };
                crate::trace::trace(trace, TraceStyle::Full, screen)
            }
        },
        data: data.json,
    };
    page.render().expect("a template over strings should always render")
}

fn shown(text: &str) -> String {
    visible(text).into_owned()
}

/// As content security policies name a script.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            match digit <= chunk.len() {
                true => text.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize])),
                false => text.push('='),
            }
        }
    }
    text
}

fn headline_of(finding: &Finding, trace: &Trace) -> Headline {
    let is_alone = trace.steps.iter().all(|step| step.thread == 0) && finding.thread == 0;
    Headline {
        kind: shown(&finding.kind),
        message: shown(&finding.message),
        place: shown(&format!("{}:{}:{}", finding.file, finding.line, finding.column)),
        function: shown(&finding.function),
        actor: if is_alone { String::new() } else { shown(&trace.actors.long(finding.thread)) },
    }
}

fn notes(finding: &Finding) -> Vec<String> {
    let inside = finding.inside.iter().map(|name| format!("it happens inside the library function {name}()"));
    let related = finding.related.iter().map(|place| format!("{} at {}:{}", place.label, place.file, place.line));
    let callers = finding.stack.iter().skip(1).take(10);
    let callers = callers.map(|frame| format!("called from {}() at {}:{}", frame.function, frame.file, frame.line));
    let accepted = finding.accepted.iter().map(crate::accept::text);
    let all = inside.chain(related).chain(callers).chain(finding.notes.iter().cloned()).chain(accepted);
    all.map(|note| shown(&note)).collect()
}

fn one_line(finding: &Finding) -> String {
    shown(&format!("{} at {}:{}: {}", finding.kind, finding.file, finding.line, finding.message))
}

fn reason(reason: &Reason) -> String {
    let place = reason.site().map_or(String::new(), |site| format!(" ({site})"));
    let remedy = reason.remedy().map_or(String::new(), |remedy| format!("; {remedy}"));
    shown(&format!("{}{place}{remedy}", reason.text()))
}

fn statistics(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let stats = &outcome.stats;
    if stats.engine.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![
        ("states", stats.states.to_string()),
        ("transitions", stats.transitions.to_string()),
        ("depth", stats.depth.to_string()),
        ("time", format!("{:.2} s", stats.seconds)),
        ("memory of states", crate::text::bytes(stats.peak_bytes)),
        ("engine", stats.engine.to_owned()),
    ];
    rows.extend(outcome.bounds.iter().map(|bound| ("complete within", bound.text())));
    rows
}

fn explored(file: &FileCoverage) -> Explored {
    Explored {
        name: shown(&file.file),
        reached: file.reached.len(),
        all: file.reached.len() + file.missed.len(),
        missed: file.missed_functions.iter().map(|name| shown(name)).collect(),
        statements: file
            .missed_statements
            .iter()
            .take(MAX_STATEMENTS)
            .map(|(line, text)| shown(&format!("{line}: {text}")))
            .collect(),
        n_more: file.missed_statements.len().saturating_sub(MAX_STATEMENTS),
    }
}

#[cfg(test)]
mod tests;
