//! `unpick show`: present a saved trace, from what the file itself holds.

use unpick_report::{Outcome as Report, TraceStyle};
use unpick_system::Stats;
use unpick_witness::{Judgement, SavedTrace};

use crate::args::{ShowArgs, TraceArg};
use crate::failure::{Failure, Outcome};
use crate::input::screen;
use crate::output::say;
use crate::side_files::{Context, write};

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
    let (finding, trace) = (saved.finding.clone(), saved.trace.clone());
    let mut report = Report::new(Judgement::Violated { finding, trace }, Stats::default());
    report.properties.push(saved.finding.kind.clone());
    let name = args.trace.display().to_string();
    write(&report, &args.files, &Context { sources: &lines, baseline: None, name })?;
    let violation = unpick_report::text::violation(&saved.finding, &lines, screen.colour);
    say(&format!("{violation}\n{}", unpick_report::trace::trace(&saved.trace, style, screen)));
    Ok(0)
}
