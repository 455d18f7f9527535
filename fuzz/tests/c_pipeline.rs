//! From C to a verified program.

use bolero::check;
use unpick_base::Severity;
use unpick_front_c::lower::LowerOptions;
use unpick_front_c::session::Session;
use unpick_front_c::types::Target;
use unpick_fuzz::c_text::{PROGRAMS, edited_program};
use unpick_fuzz::effort::{effort, on_big_stack, watched};
use unpick_fuzz::soup::Decisions;
use unpick_ir::text::{parse, print};
use unpick_ir::verify::{Form, verify};

/// The programs that edits start from have to compile, or the edits would find nothing.
#[test]
fn unedited() {
    on_big_stack(|| {
        for text in PROGRAMS {
            for target in [Target::Lp64, Target::Ilp32] {
                assert_eq!(compile(text, target), Ok(()), "{target:?}\n{text}");
            }
        }
    });
}

#[test]
fn edited() {
    let (n_inputs, time) = effort(500);
    on_big_stack(|| {
        check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
            let mut decisions = Decisions(bytes);
            let target = if decisions.byte() % 4 == 3 { Target::Ilp32 } else { Target::Lp64 };
            watched(&edited_program(&mut decisions), |text| drop(compile(text, target)));
        });
    });
}

/// Compiles a text; what comes out must verify, and read back as it was printed.
fn compile(text: &str, target: Target) -> Result<(), Vec<String>> {
    let mut session = Session { target, ..Session::default() };
    let index = session.sources.add("fuzz.c", text).expect("a short text should fit");
    let program = unpick_front_c::compile(&mut session, &[index], &LowerOptions::default());
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
