//! Data of the page's script: steps, and the source around them, as embedded JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use unpick_witness::{Finding, Message, Step, Switch, Trace};

use crate::escape::visible;
use crate::{Outcome, Sources};

/// Steps that a page holds; of longer executions the middle is left out.
const N_FIRST: usize = 1_000;
const N_LAST: usize = 9_000;
/// Sources larger than this together are shown only around the lines that matter.
const MAX_SOURCE_BYTES: usize = 300_000;
const N_AROUND: u32 = 25;
/// Longer lines and values are cut.
const MAX_LINE: usize = 400;
const MAX_VALUE: usize = 300;
const MAX_LINES: u32 = 200_000;

/// The data of a page.
pub(super) struct Data {
    pub json: String,
    pub has_sources: bool,
}

#[derive(Serialize)]
struct File {
    name: String,
    /// Runs of lines: the number of the first, and the texts.
    lines: Vec<(u32, Vec<String>)>,
    reached: Vec<u32>,
    missed: Vec<u32>,
}

/// Collects what the page shows.
pub(super) fn data(outcome: &Outcome, finding: Option<&Finding>, trace: &Trace, sources: &dyn Sources) -> Data {
    let places = places(outcome, finding, trace);
    let files: Vec<&str> = places.keys().copied().collect();
    let number = |file: &str| files.iter().position(|known| *known == file);
    let texts = texts(&places, sources);
    let listed: Vec<File> = files
        .iter()
        .zip(texts)
        .map(|(file, lines)| {
            let coverage = outcome.coverage.iter().find(|coverage| coverage.file == *file);
            File {
                name: visible(file).into_owned(),
                lines,
                reached: coverage.map_or(Vec::new(), |coverage| coverage.reached.clone()),
                missed: coverage.map_or(Vec::new(), |coverage| coverage.missed.clone()),
            }
        })
        .collect();
    let n_steps = trace.steps.len();
    let is_kept = |at: &usize| *at < N_FIRST || *at + N_LAST >= n_steps;
    let kept: Vec<usize> = (0..n_steps).filter(is_kept).collect();
    let n_cut = n_steps - kept.len();
    let steps: Vec<Value> = kept.iter().map(|at| step(&trace.steps[*at], &number, &listed)).collect();
    let loop_start = trace.loop_start.map(|start| kept.partition_point(|at| *at < start));
    let wrong: Vec<(usize, u32)> =
        finding.iter().flat_map(|finding| finding_lines(finding)).filter_map(|(f, l)| Some((number(f)?, l))).collect();
    let has_sources = listed.iter().any(|file| !file.lines.is_empty());
    let document = json!({
        "noun": visible(&trace.actors.noun),
        "handlers": trace.actors.handlers,
        "names": trace.actors.names.iter().map(|name| visible(name)).collect::<Vec<_>>(),
        "files": listed,
        "steps": steps,
        "loop": loop_start,
        "omitted": trace.n_omitted + n_cut as u64,
        "switches": trace.n_switches,
        "preemptions": trace.n_preemptions,
        "constants": trace.constants.iter().map(|(name, text)| [value(name), value(text)]).collect::<Vec<_>>(),
        "wrong": wrong,
        "message": finding.map_or(String::new(), |finding| visible(&finding.message).into_owned()),
    });
    Data { json: inside_script(&document.to_string()), has_sources }
}

/// JSON that cannot end the element it stands in.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn finding_lines(finding: &Finding) -> Vec<(&str, u32)> {
    let related = finding.related.iter().map(|related| (related.file.as_str(), related.line));
    std::iter::once((finding.file.as_str(), finding.line)).chain(related).filter(|(_, line)| *line > 0).collect()
}

/// The files that matter, each with its lines that do.
fn places<'a>(
    outcome: &'a Outcome,
    finding: Option<&'a Finding>,
    trace: &'a Trace,
) -> BTreeMap<&'a str, BTreeSet<u32>> {
    let mut places: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut add = |file: &'a str, line: u32| {
        if line > 0 {
            places.entry(file).or_default().insert(line);
        }
    };
    trace.steps.iter().for_each(|step| add(&step.file, step.line));
    finding.into_iter().flat_map(finding_lines).for_each(|(file, line)| add(file, line));
    for file in &outcome.coverage {
        file.reached.iter().chain(&file.missed).for_each(|line| add(&file.file, *line));
    }
    places
}

/// The texts of the files; whole if they are not too large together.
fn texts(places: &BTreeMap<&str, BTreeSet<u32>>, sources: &dyn Sources) -> Vec<Vec<(u32, Vec<String>)>> {
    let whole = |file: &str| (1..=MAX_LINES).map_while(|line| sources.line(file, line)).collect::<Vec<String>>();
    let all: Vec<Vec<String>> = places.keys().map(|file| whole(file)).collect();
    let n_bytes: usize = all.iter().flatten().map(|line| line.len().min(MAX_LINE) + 4).sum();
    let some = |file: &str, lines: &BTreeSet<u32>| {
        let mut wanted = BTreeSet::new();
        for line in lines {
            wanted.extend(line.saturating_sub(N_AROUND).max(1)..=line.saturating_add(N_AROUND));
        }
        let texts = wanted.into_iter().filter_map(|line| Some((line, sources.line(file, line)?)));
        let mut runs: Vec<(u32, Vec<String>)> = Vec::new();
        for (line, text) in texts {
            match runs.last_mut() {
                Some((first, run)) if *first as usize + run.len() == line as usize => run.push(shown_line(&text)),
                Some(_) | None => runs.push((line, vec![shown_line(&text)])),
            }
        }
        runs
    };
    places
        .iter()
        .zip(all)
        .map(|((file, lines), whole)| match !whole.is_empty() && n_bytes <= MAX_SOURCE_BYTES {
            true => vec![(1, whole.iter().map(|line| shown_line(line)).collect())],
            // A saved trace may hold single lines only.
            false => some(file, lines),
        })
        .collect()
}

fn shown_line(line: &str) -> String {
    let line = line.trim_end().replace('\t', "    ");
    cut(&visible(&line), MAX_LINE)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

fn value(text: &str) -> String {
    cut(&visible(text), MAX_VALUE)
}

/// One step; what is usual is left out, because there are many.
fn step(step: &Step, number: &dyn Fn(&str) -> Option<usize>, files: &[File]) -> Value {
    let file = number(&step.file);
    let mut entry = json!({
        "t": step.thread,
        "f": file.map_or(-1, |file| file as i64),
        "l": step.line,
        "d": step.depth,
        "fn": visible(&step.function),
    });
    let mut add = |key: &str, value: Value, is_said: bool| {
        if is_said {
            entry[key] = value;
        }
    };
    let text = value(&step.text);
    let line = file.and_then(|file| text_of(&files[file], step.line)).map(str::trim);
    add("x", json!(text), line != Some(text.as_str()));
    let changes: Vec<Value> = step
        .changes
        .iter()
        .map(|change| match &change.scope {
            Some(scope) => {
                let scope = json!([scope.thread, visible(&scope.function), scope.depth]);
                json!([value(&change.name), value(&change.old), value(&change.new), scope])
            }
            None => json!([value(&change.name), value(&change.old), value(&change.new)]),
        })
        .collect();
    add("ch", json!(changes), !changes.is_empty());
    let pairs = |pairs: &mut dyn Iterator<Item = (&String, &String)>| -> Vec<[String; 2]> {
        pairs.map(|(first, second)| [value(first), value(second)]).collect()
    };
    let choices = pairs(&mut step.choices.iter().map(|choice| (&choice.label, &choice.value)));
    add("cho", json!(choices), !choices.is_empty());
    let reads = pairs(&mut step.reads.iter().map(|read| (&read.name, &read.value)));
    add("rd", json!(reads), !reads.is_empty());
    let names = |names: &[String]| names.iter().map(|name| value(name)).collect::<Vec<_>>();
    add("calls", json!(names(&step.calls)), !step.calls.is_empty());
    add("fold", json!(names(&step.folded)), !step.folded.is_empty());
    add("out", json!(value(&step.output)), !step.output.is_empty());
    add("rem", json!(value(&step.remark)), !step.remark.is_empty());
    let switch = match step.switch {
        Switch::None => 0,
        Switch::Yield => 1,
        Switch::Preemption => 2,
    };
    add("sw", json!(switch), switch != 0);
    add("co", json!(1), step.is_continued);
    add("wa", json!(1), step.is_waiting);
    add("pe", json!(1), step.is_pending);
    add("ir", json!(1), step.is_irrelevant);
    let messages = |messages: &[Message]| -> Vec<Value> {
        messages.iter().map(|message| json!([message.id, value(&message.channel), value(&message.text)])).collect()
    };
    add("snd", json!(messages(&step.sent)), !step.sent.is_empty());
    add("rcv", json!(messages(&step.received)), !step.received.is_empty());
    entry
}

fn text_of(file: &File, line: u32) -> Option<&str> {
    let run = file.lines.iter().find(|(first, run)| *first <= line && line < *first + run.len() as u32)?;
    run.1.get((line - run.0) as usize).map(String::as_str)
}
