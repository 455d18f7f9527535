//! `unpick extract`: write the model that is checked.

use crate::args::{ExtractArgs, ExtractTo};
use crate::config::Layers;
use crate::failure::Outcome;
use crate::input::{Settings, analyse, load};
use crate::output::{save, say};

pub fn run(args: ExtractArgs) -> Outcome<u8> {
    let layers = Layers::read(&args.input)?;
    let settings = Settings::new(&args.input, &layers)?;
    let text = match args.to {
        ExtractTo::Ir => unpick_ir::text::print(&load(&settings)?.program),
        ExtractTo::C => {
            let analysed = analyse(&settings)?;
            let interner = &analysed.session.interner;
            analysed.units.iter().map(|unit| unpick_front_c::printer::print_unit(unit, interner)).collect()
        }
    };
    match &args.output {
        Some(path) => save(path, &text)?,
        None => say(&text),
    }
    Ok(0)
}
