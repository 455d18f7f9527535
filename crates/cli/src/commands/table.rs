//! `unpick table`: every statement and condition with what it means in a model.

use unpick_extract::extraction::Decided;
use unpick_extract::report::{Changes, Figures, explain, refreshed};
use unpick_extract::{audit, entry};

use crate::args::TableArgs;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::output::{save, say};
use crate::tabled::{Modelled, read, warn, wrong_table};

pub fn run(args: TableArgs) -> Outcome<u8> {
    let layers = Layers::read(&args.input)?;
    let mut modelled = read(&args.input, &args.model, &layers)?;
    let text = if args.refresh { refresh(&mut modelled)? } else { answer(&mut modelled, &args)? };
    warn(&modelled);
    match &args.output {
        Some(path) => save(path, &text)?,
        None => say(&text),
    }
    Ok(0)
}

fn answer(modelled: &mut Modelled, args: &TableArgs) -> Outcome<String> {
    let mut diagnostics = std::mem::take(&mut modelled.session.diagnostics);
    let n_before = diagnostics.iter().count();
    let decided = modelled.program.decide(&modelled.session.interner, &modelled.session.sources, &mut diagnostics);
    let text = decided.map(|decided| asked(&decided, args));
    modelled.session.diagnostics = diagnostics;
    text.unwrap_or_else(|| Err(wrong_table(&modelled.session, &modelled.lines, n_before)))
}

fn asked(decided: &Decided<'_>, args: &TableArgs) -> Outcome<String> {
    if let Some(what) = &args.explain {
        return explain(decided, what).ok_or_else(|| {
            Failure::new(format!("no entry is on line {what}, and none is `{what}`"))
                .help("`unpick table FILE` lists all entries with their lines")
        });
    }
    if args.audit {
        return Ok(audit::report(decided));
    }
    if args.stats {
        let written = decided.model("", !args.model.no_simplify);
        return Ok(Figures::new(decided, &written).text());
    }
    Ok(entry::filled(&decided.context, &decided.decisions))
}

/// Brings a table up to date; what has changed is told on stderr.
fn refresh(modelled: &mut Modelled) -> Outcome<String> {
    let Some(old) = modelled.table_text.clone() else {
        return Err(Failure::new("there is no table to be refreshed").help("name it: --table FILE"));
    };
    let mut diagnostics = std::mem::take(&mut modelled.session.diagnostics);
    let n_before = diagnostics.iter().count();
    let interner = &modelled.session.interner;
    let decided = modelled.program.decide_loosely(interner, &modelled.session.sources, &mut diagnostics);
    let result = decided.map(|decided| refreshed(&decided, &old));
    modelled.session.diagnostics = diagnostics;
    let Some((text, changes)) = result else { return Err(wrong_table(&modelled.session, &modelled.lines, n_before)) };
    tell(&changes);
    Ok(text)
}

fn tell(changes: &Changes) {
    let changed = changes.changed();
    for (old, new) in &changed {
        tell!("changed: {old}  ->  {new}");
    }
    for new in changes.new.iter().filter(|new| !changed.iter().any(|(_, changed)| changed == *new)) {
        tell!("new: {new}");
    }
    for orphan in changes.orphaned.iter().filter(|orphan| !changed.iter().any(|(changed, _)| changed == *orphan)) {
        tell!("orphaned: {orphan}");
    }
}
