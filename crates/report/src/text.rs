//! The report as text: violation, trace, assumptions, statistics, verdict.

use annotate_snippets::Level;
use unpick_system::Reason;
use unpick_system::Stats;
use unpick_witness::{Finding, Judgement, LockGraph};

use crate::accept;
use crate::escape::visible;
use crate::snippet::{Message, SourcePoint};
use crate::trace::{count, trace};
use crate::{Colour, Outcome, Screen, Sources, TraceStyle};

/// So many statements that were not reached are listed.
const MAX_UNREACHED: usize = 20;

/// Circles of locks shown without being asked for.
const MAX_CIRCLES: usize = 3;

/// The whole report; its last line is the verdict.
pub fn text(outcome: &Outcome, style: TraceStyle, sources: &dyn Sources, screen: Screen) -> String {
    let colour = screen.colour;
    let mut text = match &outcome.judgement {
        Judgement::Verified => String::new(),
        Judgement::Violated { finding, trace: execution } => {
            let mut text = violation(finding, sources, colour);
            let table = trace(execution, style, screen);
            if !table.is_empty() {
                text.push('\n');
                text += &table;
            }
            text.push('\n');
            text
        }
        Judgement::Unknown(why) => why.reasons().into_iter().map(|item| reason(item, sources, colour) + "\n").collect(),
    };
    for other in outcome.others.iter().map(|other| &other.finding) {
        let accepted =
            other.accepted.as_ref().map_or(String::new(), |why| format!(" ({})", visible(&accept::text(why))));
        let (file, message) = (visible(&other.file), visible(&other.message));
        text += &format!("also: {} at {file}:{}: {message}{accepted}\n", other.kind, other.line);
    }
    if !outcome.assumptions.is_empty() {
        text += "assumptions:\n";
        for assumption in &outcome.assumptions {
            text += &format!("  - {}\n", visible(assumption));
        }
    }
    text += &lock_circles(outcome, screen.colour);
    for bound in &outcome.bounds {
        text += &format!("no violation within {}: {}\n", bound.text(), count(bound.n_states, "state"));
    }
    text += &unreached(outcome);
    text += &statistics(&outcome.stats);
    // Without a program nothing could be reached.
    if let (Judgement::Unknown(_), 1..) = (&outcome.judgement, outcome.stats.reach.functions.1) {
        text += &coverage(&outcome.stats);
    }
    text += &outcome.verdict_line();
    text.push('\n');
    text
}

/// Statements of a model that no process came to.
fn unreached(outcome: &Outcome) -> String {
    let missed = outcome.coverage.iter().flat_map(|file| {
        file.missed_statements.iter().map(|(line, statement)| (visible(&file.file), *line, visible(statement)))
    });
    let missed: Vec<_> = missed.collect();
    if missed.is_empty() || matches!(outcome.judgement, Judgement::Violated { .. }) {
        return String::new();
    }
    let mut text = "not reached:\n".to_owned();
    for (file, line, statement) in missed.iter().take(MAX_UNREACHED) {
        text += &format!("  {file}:{line}: {statement}\n");
    }
    let n_more = missed.len().saturating_sub(MAX_UNREACHED);
    if n_more > 0 {
        text += &format!("  and {n_more} more statements; --html shows them all\n");
    }
    text
}

/// Locks that are taken in a circle. A deadlock speaks for itself.
fn lock_circles(outcome: &Outcome, colour: Colour) -> String {
    let is_deadlock = matches!(&outcome.judgement, Judgement::Violated { finding, .. } if finding.kind == "deadlock");
    if is_deadlock {
        return String::new();
    }
    let locks = &outcome.locks;
    let mut text = String::new();
    for circle in locks.circles.iter().take(MAX_CIRCLES) {
        let title = format!("locks are taken in a circle: {}", locks.circle_text(circle));
        let edges = circle.iter().filter_map(|at| locks.edges.get(*at));
        let mut notes: Vec<String> = edges
            .map(|edge| format!("{} is taken while {} is held, at {}:{}", edge.taken, edge.held, edge.file, edge.line))
            .collect();
        notes.push(match locks.is_harmless {
            true => "no execution deadlocks because of it".to_owned(),
            false => "threads may wait for each other for ever".to_owned(),
        });
        let message = Message { level: Level::WARNING, id: None, title, points: Vec::new(), notes, help: None };
        text += &message.render(colour);
    }
    let n_more = locks.circles.len().saturating_sub(MAX_CIRCLES);
    if n_more > 0 {
        text += &format!("  and {n_more} more; --lock-order shows all\n");
    }
    text
}

/// The order in which locks were taken, as a list.
pub fn lock_order(locks: &LockGraph) -> String {
    if locks.edges.is_empty() {
        return "lock order: no lock was taken while another was held\n".to_owned();
    }
    let mut text = "lock order:\n".to_owned();
    for edge in &locks.edges {
        let (held, taken, file) = (visible(&edge.held), visible(&edge.taken), visible(&edge.file));
        text += &format!("  {held} -> {taken} at {file}:{}\n", edge.line);
    }
    for circle in &locks.circles {
        text += &format!("  circle: {}\n", visible(&locks.circle_text(circle)));
    }
    text
}

/// The violation on its source line.
pub fn violation(finding: &Finding, sources: &dyn Sources, colour: Colour) -> String {
    let source = sources.line(&finding.file, finding.line);
    let mut notes = Vec::new();
    if let Some(inside) = &finding.inside {
        notes.push(format!("it happens inside the library function `{inside}`"));
    }
    if finding.is_process {
        notes.push(format!("in process {}", finding.thread));
    } else if let Some(handler) = &finding.handler {
        notes.push(format!("in the interrupt handler `{handler}`"));
    } else if finding.thread != 0 {
        notes.push(format!("in thread {}", finding.thread));
    }
    for frame in finding.stack.iter().skip(1).take(10) {
        notes.push(format!("called from `{}` at {}:{}", frame.function, frame.file, frame.line));
    }
    if finding.stack.len() > 11 {
        notes.push(format!("and {} more calls", finding.stack.len() - 11));
    }
    notes.extend(finding.notes.iter().cloned());
    notes.extend(finding.accepted.as_ref().map(accept::text));
    let len = source.as_deref().map_or(1, |line| token_len(line, finding.column));
    let mut points = Vec::new();
    if finding.line != 0 {
        points.push(SourcePoint {
            file: finding.file.clone(),
            line: finding.line,
            column: finding.column,
            source,
            len,
            label: if finding.function.is_empty() { String::new() } else { format!("in `{}`", finding.function) },
            is_primary: true,
        });
    }
    points.extend(finding.related.iter().map(|related| {
        let source = sources.line(&related.file, related.line);
        let len = source.as_deref().map_or(1, |line| token_len(line, related.column));
        let (file, label) = (related.file.clone(), related.label.clone());
        SourcePoint { file, line: related.line, column: related.column, source, len, label, is_primary: false }
    }));
    let id = Some(finding.kind.clone());
    Message { level: Level::ERROR, id, title: finding.message.clone(), points, notes, help: None }.render(colour)
}

fn reason(reason: &Reason, sources: &dyn Sources, colour: Colour) -> String {
    let point = reason.site().and_then(|site| {
        let source = sources.line(&site.file, site.line)?;
        let len = token_len(&source, site.column);
        let (file, line, column) = (site.file.clone(), site.line, site.column);
        Some(SourcePoint { file, line, column, source: Some(source), len, label: String::new(), is_primary: true })
    });
    let (title, help) = (reason.text(), reason.remedy());
    let level = Level::WARNING.with_name("unknown");
    Message { level, id: None, title, points: point.into_iter().collect(), notes: Vec::new(), help }.render(colour)
}

/// Length of the word or operator at a column (from one).
fn token_len(line: &str, column: u32) -> usize {
    let Some(rest) = line.get((column.max(1) - 1) as usize..) else { return 1 };
    let word = rest.find(|character: char| !character.is_alphanumeric() && character != '_');
    match word {
        Some(0) => rest.chars().next().map_or(1, char::len_utf8),
        Some(len) => len,
        None => rest.len().max(1),
    }
}

fn statistics(stats: &Stats) -> String {
    // Whatever ended before the search began has none.
    let engine = if stats.engine.is_empty() { String::new() } else { format!(", engine {}", stats.engine) };
    format!(
        "statistics: {}, {}, depth {}, {:.2} s, {}{engine}\n",
        count(stats.states, "state"),
        count(stats.transitions, "transition"),
        stats.depth,
        stats.seconds,
        bytes(stats.peak_bytes),
    )
}

/// What was reached before the search came to its end: most useful when it was cut short.
fn coverage(stats: &Stats) -> String {
    let ((functions, all_functions), (lines, all_lines)) = (stats.reach.functions, stats.reach.lines);
    format!("coverage: {functions} of {all_functions} functions and {lines} of {all_lines} lines reached\n")
}

/// A number of bytes in the unit people would choose.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use unpick_system::Why;
    use unpick_witness::{Frame, LockStep, Trace};

    use super::*;

    fn outcome(judgement: Judgement) -> Outcome {
        let assumptions = vec!["`read` has no body".to_owned()];
        let stats = Stats { states: 3, engine: "explicit", ..Stats::default() };
        Outcome { assumptions, ..Outcome::new(judgement, stats) }
    }

    const PLAIN: Screen = Screen { colour: Colour::Never, width: crate::DEFAULT_WIDTH };

    fn no_sources(_: &str, _: u32) -> Option<String> {
        None
    }

    #[test]
    fn a_violation_shows_line_caret_and_callers() {
        let frame = |function: &str, line| Frame { function: function.to_owned(), file: "a.c".to_owned(), line };
        let finding = Finding {
            kind: "out-of-bounds".to_owned(),
            file: "a.c".to_owned(),
            line: 7,
            column: 3,
            function: "f".to_owned(),
            message: "index 4 of an array of 4".to_owned(),
            stack: vec![frame("f", 7), frame("main", 12)],
            ..Finding::default()
        };
        let outcome = outcome(Judgement::Violated { finding, trace: Trace::default() });
        let sources = |_: &str, _: u32| Some("  abc[i] = 1;".to_owned());
        let text = text(&outcome, TraceStyle::Short, &sources, PLAIN);
        assert!(text.contains("error[out-of-bounds]: index 4 of an array of 4"), "{text}");
        assert!(text.contains("--> a.c:7:3") && text.contains("|   ^^^ in `f`"), "{text}");
        assert!(text.contains("called from `main` at a.c:12"), "{text}");
        assert!(text.ends_with("\nverdict: violated (out-of-bounds at a.c:7)\n"), "{text}");
        assert_eq!(outcome.exit_code(), 1);
    }

    #[test]
    fn verified_lists_what_it_rests_on() {
        let text = text(&outcome(Judgement::Verified), TraceStyle::Short, &no_sources, PLAIN);
        let expected = "assumptions:\n  - `read` has no body\nstatistics: 3 states, 0 transitions, depth 0, 0.00 s, \
            0 B, engine explicit\nverdict: verified\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn every_doubt_is_shown_with_its_remedy() {
        let reason = |text: &str| Reason::Abstraction { text: text.to_owned(), remedy: Some("do".to_owned()) };
        let mut why = Why::because(reason("time"));
        why.add(reason("width"));
        let outcome = outcome(Judgement::Unknown(why));
        let text = text(&outcome, TraceStyle::Short, &no_sources, PLAIN);
        assert!(
            text.contains("unknown: time") && text.contains("unknown: width") && text.contains("help: do"),
            "{text}"
        );
        assert!(text.ends_with("verdict: unknown (time; and 1 more)\n"), "{text}");
        assert_eq!(outcome.exit_code(), 3);
    }

    #[test]
    fn circles_of_locks_are_a_warning() {
        let edge = |held: &str, taken: &str, line| {
            let (held, taken, file) = (held.to_owned(), taken.to_owned(), "a.c".to_owned());
            LockStep { held, taken, file, line }
        };
        let locks = LockGraph {
            edges: vec![edge("&a", "&b", 3), edge("&b", "&a", 9)],
            circles: vec![vec![0, 1]],
            is_harmless: true,
        };
        let listed = lock_order(&locks);
        let expected = "lock order:\n  &a -> &b at a.c:3\n  &b -> &a at a.c:9\n  circle: &a -> &b -> &a\n";
        assert_eq!(listed, expected);
        let outcome = Outcome { locks, ..outcome(Judgement::Verified) };
        let text = text(&outcome, TraceStyle::Short, &no_sources, PLAIN);
        assert!(text.contains("warning: locks are taken in a circle: &a -> &b -> &a\n"), "{text}");
        assert!(text.contains("&b is taken while &a is held, at a.c:3\n"), "{text}");
        assert!(text.contains("no execution deadlocks because of it\n"), "{text}");
    }

    #[test]
    fn bytes_read_well() {
        assert_eq!((bytes(12), bytes(2048), bytes(3 << 30)), ("12 B".into(), "2.0 KiB".into(), "3.0 GiB".into()));
    }
}
