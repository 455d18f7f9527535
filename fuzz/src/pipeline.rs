//! C through all stages up to a verified program.

use unpick_base::Severity;
use unpick_lower_c::LowerOptions;
use unpick_front_c::session::Session;
use unpick_front_c::types::Target;
use unpick_program::text::{parse, print};
use unpick_program::verify::{Form, verify};

/// Compiles a text; what comes out must verify, and read back as it was printed.
pub fn compile(text: &str, target: Target) -> Result<(), Vec<String>> {
    let mut session = Session { target, ..Session::default() };
    let index = session.sources.add("fuzz.c", text).expect("a short text should fit");
    let program = unpick_lower_c::compile(&mut session, &[index], &LowerOptions::default());
    let Some(program) = program else {
        assert!(session.diagnostics.n_errors() > 0, "no program and no error:\n{text}");
        let errors = session.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        return Err(errors.map(|error| error.message.clone()).collect());
    };
    if let Err(faults) = verify(&program, Form::Program) {
        panic!("ill-formed: {}\n{text}\n{}", faults[0], print(&program));
    }
    let printed = print(&program);
    match parse(&printed) {
        Ok(again) => assert!(again == program, "reads back differently:\n{text}"),
        Err(errors) => panic!("does not read back: {}\n{text}\n{printed}", errors[0]),
    }
    Ok(())
}
