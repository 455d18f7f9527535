//! Tests of the parser: tables of valid and invalid C, and random token sequences.

mod bad;
mod good;
mod shape;

use unpick_base::{Diagnostic, Severity};

use super::*;

/// Runs on a stack the deepest allowed nesting fits even without optimisation.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(64 << 20);
        let thread = builder.spawn_scoped(scope, work).expect("a thread should start");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn parse(text: &str) -> (Session, Vec<ExternalDecl>) {
    let mut session = Session::default();
    let index = session.sources.add("t.c", text).expect("a small text should fit");
    let externals = parse_all(&mut session, index);
    (session, externals)
}

fn render(session: &Session, diagnostic: &Diagnostic) -> String {
    let place = session.sources.place(diagnostic.span.lo).expect("a message should have a place");
    let kind = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Assumption => "assumption",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    format!("{}:{}: {kind}: {}", place.line, place.column, diagnostic.message)
}

/// All messages on a text, as `line:column: severity: message`.
fn complaints(text: &str) -> Vec<String> {
    let (session, _) = parse(text);
    session.diagnostics.iter().map(|diagnostic| render(&session, diagnostic)).collect()
}
