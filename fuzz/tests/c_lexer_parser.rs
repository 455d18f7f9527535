//! The C lexer and parser.

use bolero::check;
use unpick_front_c::parser::parse_all;
use unpick_front_c::session::Session;
use unpick_fuzz::c_text::c_text;
use unpick_fuzz::effort::effort;

#[test]
fn arbitrary_text() {
    let (n_inputs, time) = effort(1000);
    check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
        let text = c_text(bytes);
        let mut session = Session::default();
        let index = session.sources.add("fuzz.c", &text).expect("a short text should fit");
        parse_all(&mut session, index);
        let end = session.sources.text(index).base as usize + text.len();
        for diagnostic in session.diagnostics.iter() {
            assert!(diagnostic.span.hi as usize <= end, "{} lies outside the text", diagnostic.message);
        }
    });
}
