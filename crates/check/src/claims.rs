//! Claims as users write them: formulas and invariants whose propositions are C expressions.
//!
//! Each expression becomes a function at the end of the first source that knows all its names, so that it means there
//! what it would mean in that file, `static` variables included.

use unpick_base::id::Id;
use unpick_logic::formula::Formula;
use unpick_logic::parse::{Options, Parsed, parse};
use unpick_program::{FuncId, Program, ViolationKind};
use unpick_system::{Claim, ClaimKind, PropertySet, has_threads};

/// A claim that cannot be made, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadClaim {
    /// One sentence, maybe with the place shown below it.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl BadClaim {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }
}

/// Name under which diagnostics place the expressions.
pub const PLACE: &str = "--ltl or --invariant";

/// Claims that wait for the program.
#[derive(Clone, Default, Debug)]
pub struct Wanted {
    claims: Vec<WantedClaim>,
    /// The expressions, each once.
    pub atoms: Vec<String>,
    is_fair: bool,
    /// Functions that are wanted for other reasons.
    pub also: Vec<String>,
}

#[derive(Clone, Debug)]
struct WantedClaim {
    text: String,
    /// The formula; absent for an invariant.
    formula: Option<Formula>,
    /// Numbers of its expressions.
    atoms: Vec<usize>,
}

/// Reads a formula; what is wrong with it is shown below it.
pub fn read(text: &str) -> Result<Parsed, BadClaim> {
    parse(text, &Options::default()).map_err(|error| {
        let column = error.span.lo as usize;
        let pointer = format!("  {text}\n  {}^", " ".repeat(text.get(..column).map_or(0, |t| t.chars().count())));
        BadClaim { message: format!("--ltl: {}\n{pointer}", error.message), help: error.help }
    })
}

impl Wanted {
    /// Reads formulas and invariants.
    pub fn new(formulas: &[String], invariants: &[String], is_fair: bool) -> Result<Wanted, BadClaim> {
        let mut wanted = Wanted { is_fair, ..Wanted::default() };
        for text in formulas {
            let parsed = read(text)?;
            let atoms = parsed.atoms.iter().map(|atom| wanted.atom(&atom.text)).collect();
            wanted.claims.push(WantedClaim { text: text.clone(), formula: Some(parsed.formula), atoms });
        }
        for text in invariants {
            if text.trim().is_empty() {
                return Err(BadClaim::new("--invariant needs an expression"));
            }
            let atoms = vec![wanted.atom(text)];
            wanted.claims.push(WantedClaim { text: text.clone(), formula: None, atoms });
        }
        Ok(wanted)
    }

    fn atom(&mut self, text: &str) -> usize {
        if let Some(known) = self.atoms.iter().position(|known| known == text) {
            return known;
        }
        self.atoms.push(text.to_owned());
        self.atoms.len() - 1
    }

    /// What a verdict on the claims rests on.
    pub fn assumptions(&self) -> Vec<String> {
        let has_next = |claim: &&WantedClaim| claim.formula.as_ref().is_some_and(Formula::has_next);
        let note = |claim: &WantedClaim| {
            format!("\"next\" in `{}` is the state before the next access to shared memory", claim.text)
        };
        self.claims.iter().filter(has_next).map(note).collect()
    }

    /// The claims as they were written.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.claims.iter().map(|claim| claim.text.clone())
    }

    /// Names of the functions that the expressions become.
    pub fn functions(&self) -> Vec<String> {
        (0..self.atoms.len()).map(function_name).chain(self.also.iter().cloned()).collect()
    }

    /// What is to be added to the sources: the number of the source and the text.
    pub fn additions(&self, sources: &[String]) -> Vec<(usize, String)> {
        let add = |(number, atom): (usize, &String)| {
            let names = identifiers(atom);
            let knows = |source: &String| names.iter().all(|name| mentions(source, name));
            let at = sources.iter().position(knows).unwrap_or(0);
            let is_function = names.len() == 1
                && names[0] == atom.trim()
                && sources.get(at).is_some_and(|source| is_called(source, &names[0]));
            let call = if is_function { "()" } else { "" };
            let name = function_name(number);
            (at, format!("\n# 1 \"{PLACE}\"\nint {name}(void) {{ return !!({atom}{call}); }}\n"))
        };
        self.atoms.iter().enumerate().map(add).collect()
    }

    /// The claims about a program, with those that properties ask for.
    pub fn claims(&self, program: &Program, properties: PropertySet) -> Result<Vec<Claim>, BadClaim> {
        let mut functions = Vec::new();
        for number in 0..self.atoms.len() {
            let name = function_name(number);
            let id = program.functions.iter().position(|function| function.source_name == name);
            functions.push(FuncId::from_index(id.ok_or_else(|| {
                let help = Some("leave --ltl and --invariant out for other inputs".to_owned());
                BadClaim { help, ..BadClaim::new("propositions need C sources") }
            })?));
        }
        let mut claims: Vec<Claim> = self
            .claims
            .iter()
            .map(|claim| Claim {
                kind: claim.formula.clone().map_or(ClaimKind::Invariant, ClaimKind::Ltl),
                is_fair: self.is_fair && claim.formula.is_some(),
                text: claim.text.clone(),
                atoms: claim.atoms.iter().map(|atom| functions[*atom]).collect(),
            })
            .collect();
        let mut add = |kind, text: &str| {
            claims.push(Claim { kind, is_fair: true, text: text.to_owned(), atoms: Vec::new() });
        };
        if properties.contains(ViolationKind::Livelock) {
            add(ClaimKind::Livelock, "no livelock");
        }
        if properties.contains(ViolationKind::Termination) && has_threads(program) {
            add(ClaimKind::Termination, "termination");
        }
        Ok(claims)
    }
}

fn function_name(number: usize) -> String {
    format!("__unpick_claim_{number}")
}

/// Words of C that are no names of anything.
const KEYWORDS: [&str; 12] =
    ["sizeof", "int", "char", "long", "short", "unsigned", "signed", "const", "volatile", "void", "struct", "_Bool"];

fn identifiers(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    let names = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && !KEYWORDS.contains(word));
    names.map(str::to_owned).collect()
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    occurrences(text, word).next().is_some()
}

/// Whether some occurrence of a word is followed by a parenthesis.
fn is_called(text: &str, word: &str) -> bool {
    occurrences(text, word).any(|at| text[at + word.len()..].trim_start().starts_with('('))
}

fn occurrences<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_go_where_their_names_are() {
        let wanted = Wanted::new(&["[]<>(in_cs0)".to_owned()], &["check".to_owned()], false).unwrap();
        let sources = ["int check(void) { return 1; }".to_owned(), "static int in_cs0;".to_owned()];
        let added = wanted.additions(&sources);
        assert_eq!(added[0].0, 1);
        assert!(added[0].1.contains("!!(in_cs0)"));
        assert!(added[1].0 == 0 && added[1].1.contains("!!(check())"));
    }

    #[test]
    fn bad_formulas_point_at_the_mistake() {
        let bad = Wanted::new(&["[] (a &&".to_owned()], &[], false).err().unwrap();
        assert!(bad.message.contains('^'), "{}", bad.message);
    }
}
