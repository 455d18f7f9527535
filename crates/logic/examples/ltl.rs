//! Shows what becomes of formulas: `cargo run -p unpick-logic --example ltl -- '[](p -> <>q)'`.

use unpick_logic::never::never_claim;
use unpick_logic::parse::{Options, parse};
use unpick_logic::{rewrite, stutter, translate};

fn main() {
    for text in std::env::args().skip(1) {
        let parsed = match parse(&text, &Options::default()) {
            Ok(parsed) => parsed,
            Err(error) => {
                eprintln!("{}..{}: {}", error.span.lo, error.span.hi, error.message);
                eprintln!("help: {}", error.help.unwrap_or_default());
                continue;
            }
        };
        let names = |atom| parsed.name(atom);
        for (number, atom) in parsed.atoms.iter_enumerated() {
            println!("{number:?} is `{}`", atom.text);
        }
        println!("simplified: {}", rewrite::simplify(&parsed.formula).display(&names));
        println!("repetitions: {:?}", stutter::stuttering(&parsed.formula, 1_000));
        match translate(&parsed.formula, 10_000) {
            Ok(automaton) => print!("{automaton}{}", never_claim(&automaton, &names, &text)),
            Err(error) => println!("{error}"),
        }
    }
}
