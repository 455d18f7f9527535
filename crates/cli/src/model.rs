//! From a file of Promela to a checked model.

use std::path::Path;

use unpick_automaton::Model;
use unpick_front_promela::session::Session;
use unpick_report::Sources;

use crate::args::TargetArg;
use crate::embedded;
use crate::failure::{Failure, Outcome};
use crate::flags::Flags;
use crate::input::{colour_of_stderr, detail, read_text};
use crate::lines::Lines;
use crate::output::tell_drawn;
use crate::preprocess::preprocess;
use crate::scratch;

/// What an extracted model calls itself where no line of the source is to blame.
pub const EXTRACTED: &str = "model.pml";

/// A model and what is needed to speak of its text.
pub struct LoadedModel {
    pub model: Model,
    pub session: Session,
    pub lines: Lines,
    /// What embedded C leans on, one sentence each.
    pub assumptions: Vec<String>,
}

/// Whether a file holds a model, by its name.
pub fn is_model(file: &Path) -> bool {
    file.extension().is_some_and(|found| ["pml", "prom", "promela", "pm"].iter().any(|known| found == *known))
}

/// Reads, preprocesses and checks a model, with formulas that were given beside it.
pub fn load_model(files: &[std::path::PathBuf], flags: &Flags, formulas: &[String]) -> Outcome<LoadedModel> {
    let [file] = files else {
        return Err(Failure::new("a model is one file, and several are given")
            .help("put the parts together with #include, or name the main file alone"));
    };
    let name = file.display().to_string();
    let original = read_text(file)?;
    let text = match needs_preprocessing(&original, flags) {
        true if formulas.is_empty() => preprocess(file, flags, TargetArg::Lp64, true).map(|found| found.text),
        true => preprocess_with(file, &name, flags, formulas),
        false => Ok(format!("{original}{}", blocks(formulas))),
    };
    let text = text.map_err(|failure| failure.help("add the folders of included files with -I, as for a compiler"))?;
    compile((file, &name), &original, &text, flags)
}

/// Checks the text of an extracted model, with formulas that were given beside it.
pub fn load_text(text: &str, flags: &Flags, formulas: &[String]) -> Outcome<LoadedModel> {
    if !needs_preprocessing(text, flags) {
        let whole = format!("{text}{}", blocks(formulas));
        return compile((Path::new(EXTRACTED), EXTRACTED), text, &whole, flags);
    }
    let cannot = |error: std::io::Error| Failure::new(format!("cannot write a temporary file: {error}"));
    let folder = scratch::Folder::new().map_err(cannot)?;
    let path = folder.path().join(EXTRACTED);
    std::fs::write(&path, text).map_err(cannot)?;
    load_model(&[path], flags, formulas)
}

/// From the text of a model, and what the preprocessor made of it, to automata.
fn compile((file, name): (&Path, &str), original: &str, text: &str, flags: &Flags) -> Outcome<LoadedModel> {
    let mut session = Session::default();
    session.sources.add_original(name, original);
    let index = session.sources.add(name, text).ok_or_else(|| Failure::new("the model is larger than 4 GiB"))?;
    let lines = Lines::default();
    let model = unpick_front_promela::compile(&mut session, index);
    show_warnings(&session, &lines);
    match model {
        Some(model) if model.start.is_empty() => Err(Failure::new(format!("{name}: no process runs"))
            .help("write `init { ... }`, or `active` before a proctype")),
        Some(mut model) => {
            let assumptions = embedded::join(&mut model, &session, &lines, file, flags)?;
            Ok(LoadedModel { model, session, lines, assumptions })
        }
        None => Err(rejected(&session, &lines)),
    }
}

/// Formulas as a model writes them; line markers say where they come from.
fn blocks(formulas: &[String]) -> String {
    formulas.iter().map(|formula| format!("\n# 1 \"--ltl\"\nltl {{ {formula} }}\n")).collect()
}

/// Preprocesses a model and formulas together, so that formulas may use the model's macros.
fn preprocess_with(file: &Path, name: &str, flags: &Flags, formulas: &[String]) -> Outcome<String> {
    let cannot = |error: std::io::Error| Failure::new(format!("cannot write a temporary file: {error}"));
    let folder = scratch::Folder::new().map_err(cannot)?;
    let around = folder.path().join("formulas.pml");
    let path = std::path::absolute(file).map_err(cannot)?.display().to_string();
    std::fs::write(&around, format!("#include \"{path}\"\n{}", blocks(formulas))).map_err(cannot)?;
    let text = preprocess(&around, flags, TargetArg::Lp64, true)?.text;
    Ok(text.replace(&format!("\"{path}\""), &format!("\"{name}\"")))
}

/// Starting a compiler takes longer than checking a small model. Line markers are read without one.
fn needs_preprocessing(text: &str, flags: &Flags) -> bool {
    let is_marker = |line: &str| line.trim_start().starts_with(|digit: char| digit.is_ascii_digit());
    let is_directive = |line: &str| line.trim_start().strip_prefix('#').is_some_and(|rest| !is_marker(rest));
    flags.change_text() || text.lines().any(is_directive) || text.contains("__LINE__")
}

fn show_warnings(session: &Session, lines: &Lines) {
    use unpick_base::Severity;
    for item in session.diagnostics.iter().filter(|item| item.severity < Severity::Error) {
        tell_drawn(&unpick_report::diagnostic::diagnostic(item, &session.sources, lines, colour_of_stderr()));
    }
}

fn rejected(session: &Session, lines: &dyn Sources) -> Failure {
    let errors = session.diagnostics.iter().filter(|item| item.severity == unpick_base::Severity::Error);
    let details: Vec<_> = errors.map(|item| detail(item, &session.sources, lines)).collect();
    let message = match details.len() {
        1 => "the model has an error".to_owned(),
        n => format!("the model has {n} errors"),
    };
    Failure { details, ..Failure::new(message) }
}
