//! `unpick extract`: write the model that is checked.

use unpick_extract::omissions::{head, left_out};
use unpick_extract::origin::Origins;
use unpick_logic::never::never_claim;
use unpick_logic::translate::translate;

use crate::args::{ExtractArgs, ExtractTo};
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::{Settings, analyse, load};
use crate::output::{save, say};
use crate::tabled::{read, warn, wrong_table};
use unpick_check::claims::read as read_formula;

/// Larger automata cannot be read as a picture.
const MAX_STATES: usize = 10_000;

pub fn run(args: ExtractArgs) -> Outcome<u8> {
    if args.model.data.is_some() && args.to != ExtractTo::Promela {
        return Err(
            Failure::new("--data goes with --to promela").help("as in: unpick extract --to promela --data c queue.c")
        );
    }
    match args.to {
        ExtractTo::Never => return never(&args),
        ExtractTo::States | ExtractTo::Flow | ExtractTo::Automaton => return crate::pictures::extract(&args),
        ExtractTo::Ir | ExtractTo::C | ExtractTo::Promela => {}
    }
    if !args.ltl.is_empty() {
        return Err(Failure::new("--ltl goes with --to never and --to automaton")
            .help("claims of an extracted model belong into its harness, see docs/tables.md"));
    }
    let layers = Layers::read(&args.input)?;
    let settings = Settings::new(&args.input, &layers)?;
    let text = match args.to {
        ExtractTo::Never | ExtractTo::States | ExtractTo::Flow | ExtractTo::Automaton => {
            unreachable!("formulas and pictures were treated above")
        }
        ExtractTo::Ir => unpick_program::text::print(&load(&settings)?.program),
        ExtractTo::C => {
            let analysed = analyse(&settings)?;
            let interner = &analysed.session.interner;
            analysed.units.iter().map(|unit| unpick_front_c::printer::print_unit(unit, interner)).collect()
        }
        ExtractTo::Promela => promela(&args, &layers)?,
    };
    match &args.output {
        Some(path) => save(path, &text)?,
        None => say(&text),
    }
    Ok(0)
}

/// Never claims for the negations of formulas.
fn never(args: &ExtractArgs) -> Outcome<u8> {
    if args.ltl.is_empty() || !args.input.files.is_empty() {
        return Err(Failure::new("--to never takes formulas and no files")
            .help("as in: unpick extract --to never --ltl '[]<> p'"));
    }
    let mut text = String::new();
    for formula in &args.ltl {
        let parsed = read_formula(formula)?;
        let automaton = translate(&parsed.formula.negated(), MAX_STATES)
            .map_err(|error| Failure::new(format!("--ltl: {formula}: {error}")))?;
        let comment = format!("!({formula})");
        text += &never_claim(&automaton, &|atom| format!("({})", parsed.name(atom)), &comment);
    }
    match &args.output {
        Some(path) => save(path, &text)?,
        None => say(&text),
    }
    Ok(0)
}

fn promela(args: &ExtractArgs, layers: &Layers) -> Outcome<String> {
    let mut modelled = read(&args.input, &args.model, layers)?;
    let mut diagnostics = std::mem::take(&mut modelled.session.diagnostics);
    let n_before = diagnostics.iter().count();
    let decided = modelled.program.decide(&modelled.session.interner, &modelled.session.sources, &mut diagnostics);
    let mut doubt = None;
    let written = decided.and_then(|decided| {
        // What is not in the model is known when it is written.
        let written = decided.model("", !args.model.no_simplify);
        let title = head(&decided, &written, &names(args));
        doubt = left_out(&title);
        let mut written = decided.checked_model(&title, !args.model.no_simplify, &mut diagnostics)?;
        let origins = Origins::new(&written, &decided.context).comments();
        written.text.push_str(&origins);
        Some(written)
    });
    modelled.session.diagnostics = diagnostics;
    let Some(written) = written else { return Err(wrong_table(&modelled.session, &modelled.lines, n_before)) };
    warn(&modelled);
    for assumption in modelled.missing.iter().chain(&written.assumptions) {
        tell!("assumption: {assumption}");
    }
    if let Some(doubt) = doubt {
        tell!("warning: {doubt}");
    }
    Ok(written.text)
}

fn names(args: &ExtractArgs) -> String {
    let names = args.input.files.iter().filter_map(|file| file.file_name()).map(|name| name.to_string_lossy());
    let names: Vec<_> = names.collect();
    names.join(", ")
}
