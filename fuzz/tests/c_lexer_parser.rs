//! The C lexer, parser and semantic analysis.

use bolero::check;
use unpick_front_c::session::Session;
use unpick_front_c::{analyse, parser::parse_all};
use unpick_fuzz::c_text::c_text;
use unpick_fuzz::effort::{effort, on_big_stack, watched};

#[test]
fn syntax() {
    let (n_inputs, time) = effort(1000);
    on_big_stack(|| {
        check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
            watched(&c_text(bytes), |text| examine(text, |session, index| drop(parse_all(session, index))));
        });
    });
}

#[test]
fn meaning() {
    let (n_inputs, time) = effort(1000);
    on_big_stack(|| {
        check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
            watched(&c_text(bytes), |text| examine(text, |session, index| drop(analyse(session, index))));
        });
    });
}

/// Runs a stage on a text; it must not panic, and its messages must lie inside the text.
fn examine(text: &str, stage: impl Fn(&mut Session, usize)) {
    let mut session = Session::default();
    let index = session.sources.add("fuzz.c", text).expect("a short text should fit");
    stage(&mut session, index);
    let end = session.sources.text(index).base as usize + text.len();
    for diagnostic in session.diagnostics.iter() {
        assert!(diagnostic.span.hi as usize <= end, "{} lies outside the text", diagnostic.message);
    }
}
