//! `unpick show`: present a saved trace, from what the file itself holds; or a trail that SPIN has left.

mod trail;

use unpick_report::escape::visible;
use unpick_report::{Outcome as Report, TraceStyle};
use unpick_system::Stats;
use unpick_witness::{Judgement, SavedTrace};

use crate::args::{ShowArgs, TraceArg};
use crate::commands::check::{Again, execute_again};
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::input::screen;
use crate::output::say;
use crate::side_files::{Context, write};
use crate::tui;

pub fn run(args: ShowArgs) -> Outcome<u8> {
    if let Some(trail) = &args.trail {
        return trail::run(&args, trail);
    }
    let name = args.trace.display();
    let text =
        files::read_to_string(&args.trace).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    let saved = SavedTrace::from_json(&text).map_err(|error| {
        Failure::new(format!("{name}: {error}")).help("traces are written by `unpick check --save-trace FILE`")
    })?;
    if args.verify {
        return verify(&saved);
    }
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
    report.assumptions.clone_from(&saved.assumptions);
    let name = args.trace.display().to_string();
    write(&report, &args.files, &Context { sources: &lines, baseline: None, name, files: &[], is_64_bit: true })?;
    if args.tui {
        return tui::run(saved);
    }
    let violation = unpick_report::text::violation(&saved.finding, &lines, screen.colour);
    say(&format!("{violation}\n{}", unpick_report::trace::trace(&saved.trace, style, screen)));
    Ok(0)
}

/// Says whether the trace is still what happens.
fn verify(saved: &SavedTrace) -> Outcome<u8> {
    let Again { is_changed, difference, mismatch } = execute_again(saved)?;
    let finding = &saved.finding;
    let place = format!("{} at {}:{}", finding.kind, visible(&finding.file), finding.line);
    if difference.is_none() && mismatch.is_none() {
        let changed = if is_changed { ", although the program has changed elsewhere" } else { "" };
        say(&format!("the trace replays{changed}: {} steps, {place}\n", saved.trace.steps.len()));
        return Ok(0);
    }
    let mut text = format!("the trace does not replay any more: {place} was recorded\n");
    if let Some(difference) = difference {
        let told = |step: Option<String>| {
            step.map_or("nothing, the execution is over".to_owned(), |step| visible(&step).into_owned())
        };
        text += &format!("  step {} differs\n", difference.step);
        text += &format!("    recorded: {}\n", told(difference.recorded));
        text += &format!("    now:      {}\n", told(difference.now));
    }
    if let Some(mismatch) = mismatch {
        text += &format!("  it ends otherwise: {}\n", visible(&mismatch));
    }
    let why = match is_changed {
        true => "the program has changed since the trace was saved",
        false => "the program is the same; was the trace edited, or written by another version?",
    };
    say(&format!("{text}  {why}\n"));
    Ok(3)
}
