//! From C to a verified program.

use bolero::check;
use unpick_front_c::types::Target;
use unpick_fuzz::c_text::{PROGRAMS, edited_program};
use unpick_fuzz::effort::{effort, on_big_stack, watched};
use unpick_fuzz::pipeline::compile;
use unpick_fuzz::soup::Decisions;

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
