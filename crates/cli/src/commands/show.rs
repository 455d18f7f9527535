//! `unpick show`: present a saved trace, from what the file itself holds.

use unpick_report::TraceStyle;
use unpick_witness::SavedTrace;

use crate::args::{ShowArgs, TraceArg};
use crate::failure::{Failure, Outcome};
use crate::input::screen;
use crate::output::say;

pub fn run(args: ShowArgs) -> Outcome<u8> {
    let name = args.trace.display();
    let text =
        std::fs::read_to_string(&args.trace).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    let saved = SavedTrace::from_json(&text).map_err(|error| {
        Failure::new(format!("{name}: {error}")).help("traces are written by `unpick check --save-trace FILE`")
    })?;
    let lines = |file: &str, line: u32| saved.line(file, line).map(str::to_owned);
    let screen = screen(args.width);
    let style = match args.how {
        TraceArg::Full => TraceStyle::Full,
        TraceArg::Short => TraceStyle::Short,
        TraceArg::None => TraceStyle::None,
    };
    let violation = unpick_report::text::violation(&saved.finding, &lines, screen.colour);
    say(&format!("{violation}\n{}", unpick_report::trace::trace(&saved.trace, style, screen)));
    Ok(0)
}
