//! From the command line's files to a program: settings, preprocessing, front end, verifier.

mod settings;

use std::path::{Path, PathBuf};

use unpick_base::{Diagnostic, Severity, SourceMap};
use unpick_front_c::ast::Unit;
use unpick_front_c::session::Session;
use unpick_front_c::types::Target;
use unpick_lower_c::LowerOptions;
use unpick_program::Program;
use unpick_program::verify::{Form, verify};
use unpick_report::diagnostic::{assumption_line, diagnostic};
use unpick_report::escape::visible_lines;
use unpick_report::{Colour, DEFAULT_WIDTH, Screen, Sources};
use unpick_witness::FileCoverage;

use crate::args::{TargetArg, VolatileArg};
use crate::failure::{Detail, Failure, Outcome};
use crate::guard;
use crate::lines::Lines;
use crate::output::tell_drawn;
use crate::preprocess::{NO_32_BIT_HEADERS, preprocess, to_text};

pub use self::settings::Settings;

/// A program ready to be run or explored.
pub struct Loaded {
    pub program: Program,
    /// Holes of the sources, one sentence each.
    pub assumptions: Vec<String>,
    pub lines: Lines,
    /// Functions of the user's own to which no call leads, so that they are no part of the program.
    pub unlinked: Vec<Defined>,
}

/// A function that a source defines.
pub struct Defined {
    pub name: String,
    pub file: String,
    /// Lines with statements.
    pub lines: Vec<u32>,
}

impl Loaded {
    /// What is no part of the program was not reached either.
    pub fn add_unlinked(&self, coverage: &mut Vec<FileCoverage>) {
        for function in &self.unlinked {
            let known = coverage.iter().position(|file| file.file == function.file);
            let at = known.unwrap_or_else(|| {
                coverage.push(FileCoverage { file: function.file.clone(), ..FileCoverage::default() });
                coverage.len() - 1
            });
            let file = &mut coverage[at];
            file.missed.extend(function.lines.iter().filter(|line| !file.reached.contains(line)));
            file.missed.sort_unstable();
            file.missed.dedup();
            file.missed_functions.push(function.name.clone());
        }
    }
}

/// The sources after the front end.
pub struct Analysed {
    pub session: Session,
    pub units: Vec<Unit>,
    /// Headers that were not there, one sentence each.
    pub missing: Vec<String>,
    pub lines: Lines,
}

/// Reads all sources up to the verified program.
pub fn load(settings: &Settings) -> Outcome<Loaded> {
    if let [file] = settings.files.as_slice()
        && has_extension(file, "ir")
    {
        return load_ir(file);
    }
    let analysed = analyse(settings)?;
    lower(settings, analysed)
}

/// Preprocesses and analyses all C sources.
pub fn analyse(settings: &Settings) -> Outcome<Analysed> {
    let target = match settings.target {
        TargetArg::Lp64 => Target::Lp64,
        TargetArg::Ilp32 => Target::Ilp32,
    };
    let mut session = Session { target, is_strict: settings.is_strict, ..Session::default() };
    let folders = settings.files.iter().filter_map(|file| settings.flags_of(file).directory).collect();
    let lines = Lines::new(folders);
    let mut missing = Vec::new();
    let mut units = Vec::new();
    let mut texts = Vec::new();
    guard::enter("preprocessing");
    for file in &settings.files {
        texts.push(read_source(settings, file, &mut session, &mut missing)?);
    }
    for (at, addition) in settings.wanted.additions(&texts) {
        texts[at].push_str(&addition);
    }
    guard::enter("analysing the sources");
    for (file, text) in settings.files.iter().zip(&texts) {
        let name = file.display().to_string();
        let index = session
            .sources
            .add(&name, text)
            .ok_or_else(|| Failure::new("the sources are larger than 4 GiB together"))?;
        units.push(unpick_front_c::analyse(&mut session, index));
    }
    refuse_guesses(&session, &lines)?;
    explain_arrows(settings, &session, &lines)?;
    warn(&session, &lines).map_err(|failure| match missing.iter().any(|line| line == NO_32_BIT_HEADERS) {
        true => failure.help(NO_32_BIT_HEADERS),
        false => failure,
    })?;
    Ok(Analysed { session, units, missing, lines })
}

/// A tight `->` is a member access; people who meant an implication are told.
fn explain_arrows(settings: &Settings, session: &Session, lines: &Lines) -> Outcome<()> {
    let is_ours = |item: &Diagnostic| {
        let place = session.sources.place(item.span.lo);
        item.severity == Severity::Error && place.is_some_and(|place| &*place.file == unpick_check::claims::PLACE)
    };
    let has_arrow = settings.wanted.atoms.iter().any(|atom| atom.contains("->"));
    if !has_arrow || !session.diagnostics.iter().any(is_ours) {
        return Ok(());
    }
    let mut failure = rejected(session, lines, 0);
    failure.help = Some("`p->q` is a member of what p points to; write spaces for an implication: `p -> q`".into());
    Err(failure)
}

/// What a proposition speaks of must be there: guessing would claim something else.
fn refuse_guesses(session: &Session, lines: &Lines) -> Outcome<()> {
    let is_ours = |item: &&Diagnostic| {
        let place = session.sources.place(item.span.lo);
        item.severity == Severity::Assumption && place.is_some_and(|place| &*place.file == unpick_check::claims::PLACE)
    };
    let Some(assumption) = session.diagnostics.iter().find(is_ours) else { return Ok(()) };
    let mut failure = rejected(session, lines, 0);
    failure.message = format!("{}: {}", unpick_check::claims::PLACE, assumption.message);
    failure.help =
        Some("propositions are C expressions over what the sources declare; macros are not known there".into());
    Err(failure)
}

fn read_source(settings: &Settings, file: &Path, session: &mut Session, missing: &mut Vec<String>) -> Outcome<String> {
    let name = file.display();
    let bytes = read_text_bytes(file)?;
    if has_extension(file, "i") {
        return Ok(to_text(bytes));
    }
    if !["c", "h"].iter().any(|known| has_extension(file, known)) {
        let known = ".c and .h (C), .i (preprocessed C), .pml and .prom (Promela), .ir (unpick's own representation)";
        return Err(Failure::new(format!("{name}: the language is known by the extension, and this one is not"))
            .help(format!("known extensions: {known}")));
    }
    session.sources.add_original(&name.to_string(), &String::from_utf8_lossy(&bytes));
    let preprocessed = preprocess(file, &settings.flags_of(file), settings.target, settings.is_strict)?;
    if preprocessed.lacks_32_bit_headers && !missing.iter().any(|line| line == NO_32_BIT_HEADERS) {
        missing.push(NO_32_BIT_HEADERS.to_owned());
    }
    for header in preprocessed.missing {
        missing.push(format!("header `{}` is missing and taken to be empty ({})", header.header, header.place));
    }
    Ok(preprocessed.text)
}

/// A file that holds text.
pub fn read_text(file: &Path) -> Outcome<String> {
    Ok(to_text(read_text_bytes(file)?))
}

fn read_text_bytes(file: &Path) -> Outcome<Vec<u8>> {
    let name = file.display();
    let bytes = read_bytes(file)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::new(format!("{name} is empty: there is nothing to check")));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        return Err(Failure::new(format!("{name}:{line}: not a text file: it holds a zero byte at offset {at}"))
            .help("pass source text, not a compiled or compressed file"));
    }
    Ok(bytes)
}

fn read_bytes(file: &Path) -> Outcome<Vec<u8>> {
    let name = file.display();
    if file.is_dir() {
        return Err(Failure::new(format!("{name} is a folder")).help("name the source files in it"));
    }
    let wrong = |error: std::io::Error| Failure::new(format!("cannot read {name}: {error}"));
    // A device may have no end, and a pipe may never have a beginning.
    let data = std::fs::metadata(file).map_err(wrong)?;
    if !data.is_file() {
        return Err(Failure::new(format!("{name} is no regular file")).help("pass files with source text"));
    }
    if guard::memory().is_some_and(|most| data.len() > most / 4) {
        return Err(Failure::halted(unpick_system::Halt::Memory));
    }
    std::fs::read(file).map_err(wrong)
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// Links and lowers the analysed sources.
pub fn lower(settings: &Settings, analysed: Analysed) -> Outcome<Loaded> {
    guard::enter("translating the program");
    let Analysed { mut session, units, missing, lines } = analysed;
    let n_before = session.diagnostics.iter().count();
    let defined = defined(&session, &units, &settings.files);
    let mut options = LowerOptions {
        entry: settings.entry.clone(),
        also: settings.wanted.functions(),
        interrupts: settings.interrupts.clone(),
        devices: settings.devices.clone(),
        volatile_any: settings.volatile_any.clone(),
        missing: settings.missing.clone(),
        arguments: settings.arguments.clone().unwrap_or_default(),
        is_volatile_atomic: settings.volatile == VolatileArg::Atomic,
        ..LowerOptions::default()
    };
    options.options.insert("malloc-fails".into(), i64::from(settings.malloc_fails));
    options.options.insert("library-fails".into(), i64::from(settings.library_fails));
    options.options.insert("library-races".into(), i64::from(settings.library_races));
    options.options.insert("no-spurious".into(), i64::from(settings.no_spurious));
    options.options.insert("rand-seeded".into(), i64::from(settings.is_rand_seeded));
    options.options.insert("skip-output".into(), i64::from(!settings.shows_output));
    let program = unpick_lower_c::lower(&mut session, units, &options);
    let holes = session.diagnostics.iter().filter(|item| item.severity == Severity::Assumption);
    let mut assumptions: Vec<String> =
        missing.into_iter().chain(holes.map(|item| assumption_line(item, &session.sources))).collect();
    if program.as_ref().is_some_and(has_relaxed_volatile) {
        assumptions.push("accesses to volatile objects are relaxed atomic accesses (--volatile atomic)".into());
    }
    show_from(&session, &lines, n_before);
    let Some(program) = program else { return Err(rejected(&session, &lines, n_before)) };
    check_form(&program)?;
    let linked: std::collections::HashSet<&str> =
        program.functions.iter().map(|known| known.source_name.as_str()).collect();
    let is_linked = |function: &Defined| linked.contains(function.name.as_str());
    let unlinked = defined.into_iter().filter(|function| !is_linked(function)).collect();
    Ok(Loaded { program, assumptions, lines, unlinked })
}

/// Whether accesses to volatile objects are atomic because the user says so.
fn has_relaxed_volatile(program: &Program) -> bool {
    use unpick_program::program::{Order, StmtKind};
    let statements =
        program.functions.iter().flat_map(|function| function.blocks.iter().flat_map(|block| &block.stmts));
    statements.into_iter().any(|stmt| match &stmt.kind {
        StmtKind::Load { access, .. } | StmtKind::Store { access, .. } => {
            access.is_volatile && access.atomic == Some(Order::Relaxed)
        }
        _ => false,
    })
}

/// The functions that the user's own files define.
fn defined(session: &Session, units: &[unpick_front_c::ast::Unit], files: &[PathBuf]) -> Vec<Defined> {
    use unpick_front_c::ast::{DeclKind, StmtKind};
    let mut found = Vec::new();
    for unit in units {
        let mut starts: Vec<(u32, &unpick_front_c::ast::Stmt)> =
            unit.stmts.iter().map(|stmt| (stmt.span.lo, stmt)).collect();
        starts.sort_by_key(|(lo, _)| *lo);
        for decl in unit.decls.iter() {
            let DeclKind::Function(function) = &decl.kind else { continue };
            let (Some(body), Some(place)) = (function.body, session.sources.place(decl.span.lo)) else { continue };
            if !files.iter().any(|file| file.as_os_str() == &*place.file) {
                continue;
            }
            let whole = unit.stmts[body].span;
            // Looking at every statement for every function would be quadratic.
            let from = starts.partition_point(|(lo, _)| *lo < whole.lo);
            let inside = starts[from..].iter().take_while(|(lo, _)| *lo < whole.hi).map(|(_, stmt)| *stmt);
            let inside = inside.filter(|stmt| stmt.span.hi <= whole.hi);
            let has_code = |kind: &StmtKind| !matches!(kind, StmtKind::Empty | StmtKind::Block(_) | StmtKind::Type(_));
            let places =
                inside.filter(|stmt| has_code(&stmt.kind)).filter_map(|stmt| session.sources.place(stmt.span.lo));
            let mut lines: Vec<u32> = places.filter(|inner| inner.file == place.file).map(|inner| inner.line).collect();
            lines.sort_unstable();
            lines.dedup();
            let name = session.interner.name(decl.name).to_owned();
            found.push(Defined { name, file: place.file.to_string(), lines });
        }
    }
    found
}

/// Every program passes the verifier before anyone relies on it.
fn check_form(program: &Program) -> Outcome<()> {
    if let Err(faults) = verify(program, Form::Program) {
        let list: Vec<String> = faults.iter().take(5).map(ToString::to_string).collect();
        panic!("a lowered program should be well-formed:\n{}", list.join("\n"));
    }
    Ok(())
}

fn load_ir(file: &Path) -> Outcome<Loaded> {
    let name = file.display();
    let text = String::from_utf8(read_bytes(file)?)
        .map_err(|_| Failure::new(format!("{name}: not a text file: it is not valid UTF-8")))?;
    if text.trim().is_empty() {
        return Err(Failure::new(format!("{name} is empty: there is nothing to check")));
    }
    let program = unpick_program::text::parse(&text).map_err(|errors| {
        let mut details: Vec<Detail> = errors
            .iter()
            .map(|error| Detail {
                severity: "error",
                file: Some(name.to_string()),
                line: error.line,
                column: error.column,
                message: error.message.clone(),
                rendered: visible_lines(&format!(
                    "error: {}\n --> {name}:{}:{}\n",
                    error.message, error.line, error.column
                )),
            })
            .collect();
        details.truncate(20);
        Failure { details, ..Failure::new(format!("{name} is not a program: {} errors", errors.len())) }
    })?;
    if let Err(faults) = verify(&program, Form::Program) {
        let list: Vec<String> = faults.iter().take(10).map(ToString::to_string).collect();
        return Err(Failure::new(format!("{name} is not a well-formed program:\n{}", list.join("\n"))));
    }
    Ok(Loaded { program, assumptions: Vec::new(), lines: Lines::default(), unlinked: Vec::new() })
}

/// Shows what the front end had to say; errors end the command.
fn warn(session: &Session, lines: &Lines) -> Outcome<()> {
    if session.diagnostics.n_errors() > 0 {
        return Err(rejected(session, lines, 0));
    }
    show_from(session, lines, 0);
    Ok(())
}

/// More warnings than this only hide the verdict.
const MAX_WARNINGS: usize = 20;

/// Assumptions are listed with the verdict; only warnings are shown while reading.
pub fn show_from(session: &Session, lines: &Lines, first: usize) {
    let colour = colour_of_stderr();
    let is_warning = |item: &&Diagnostic| item.severity == Severity::Warning;
    let warnings: Vec<&Diagnostic> = session.diagnostics.iter().skip(first).filter(is_warning).collect();
    for item in warnings.iter().take(MAX_WARNINGS) {
        tell_drawn(&diagnostic(item, &session.sources, lines, colour));
    }
    if warnings.len() > MAX_WARNINGS {
        tell!("warning: {} more warnings are not shown", warnings.len() - MAX_WARNINGS);
    }
}

/// An error often follows from a hole (an undeclared array length), so holes are shown with the errors.
pub fn rejected(session: &Session, lines: &Lines, first: usize) -> Failure {
    let matters = |item: &&Diagnostic| item.severity >= Severity::Assumption;
    let items: Vec<&Diagnostic> = session.diagnostics.iter().skip(first).filter(matters).collect();
    let n_errors = items.iter().filter(|item| item.severity == Severity::Error).count();
    let details = items.iter().map(|item| detail(item, &session.sources, lines)).collect();
    let message = match n_errors {
        1 => "the source has an error".to_owned(),
        n => format!("the source has {n} errors"),
    };
    Failure { details, ..Failure::new(message) }
}

pub fn detail(item: &Diagnostic, sources: &SourceMap, lines: &dyn Sources) -> Detail {
    let place = sources.place(item.span.lo);
    Detail {
        severity: if item.severity == Severity::Error { "error" } else { "assumption" },
        file: place.as_ref().map(|place| place.file.to_string()),
        line: place.as_ref().map_or(0, |place| place.line),
        column: place.as_ref().map_or(0, |place| place.column),
        message: item.message.clone(),
        rendered: diagnostic(item, sources, lines, colour_of_stderr()),
    }
}

/// Colours follow the terminal and `NO_COLOR`.
pub fn colour_of_stderr() -> Colour {
    colour(std::io::IsTerminal::is_terminal(&std::io::stderr()))
}

pub fn colour_of_stdout() -> Colour {
    colour(std::io::IsTerminal::is_terminal(&std::io::stdout()))
}

/// What standard output is: a terminal of some width, or something that takes lines of the usual one.
pub fn screen(width: Option<u16>) -> Screen {
    let of_terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    let width = width.or_else(of_terminal).filter(|width| *width > 0);
    Screen { colour: colour_of_stdout(), width: width.map_or(DEFAULT_WIDTH, usize::from) }
}

fn colour(is_terminal: bool) -> Colour {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced = is_set("CLICOLOR_FORCE") && std::env::var("CLICOLOR_FORCE").as_deref() != Ok("0");
    if !is_set("NO_COLOR") && (forced || is_terminal) { Colour::Always } else { Colour::Never }
}
