//! Generation of the Promela model from the decisions.
//!
//! Control structure stays as it is in C: `if` and loops become choices with two explicit guards, the interpretation of
//! the condition and of its negation, never an `else`. Local objects of a process are declared at its top, because
//! Promela gives an initial value only once; bodies of functions stand where they are called, with names of their own.

mod control;
mod data;
mod embedded;
mod fragment;
mod process;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use unpick_base::Span;
use unpick_front_c::ast::{DeclId, LabelId};
use unpick_front_c::types::TyId;
use unpick_front_promela::printer::{Remarks, print_annotated};
use unpick_front_promela::syntax::{At, Block, Decl, Model, Name, Step, Stmt, StmtKind, Unit};

use crate::code::{FragmentId, FragmentKind, FunctionId};
use crate::context::Context;
use crate::effect::ObjectId;
use crate::names::Names;
use crate::plan::{Plan, Treatment};
use crate::pool::{HEAP, Root};
use crate::rows::Rows;
use crate::rules::{Decisions, thread_start};
use crate::shape::{Shape, Untranslatable};
use crate::translate::{NOTHING, NOTHING_LEN};
use crate::{simplify, spin_length_limit, split};
use embedded::{CData, Member, Place};

/// What the model consists of besides what is extracted.
#[derive(Clone, Default, Debug)]
pub struct Surroundings {
    /// Declarations and processes written in Promela: a name for it and the text.
    pub environment: Vec<(String, String)>,
    /// Definitions for the built-in rows that are used.
    pub library: String,
    /// Declarations of the harness.
    pub declarations: Vec<String>,
    /// Formulas: name and text.
    pub ltl: Vec<(String, String)>,
    /// Expressions that hold in every state: name and text.
    pub invariants: Vec<(String, String)>,
    /// Formulas that are not written into the model but speak of it.
    pub spoken: Vec<(String, String)>,
    /// Objects of other units that the model has in any case.
    pub imports: Vec<String>,
    /// Whether a statement is one step, whatever it touches.
    pub has_large_steps: bool,
    /// First lines of the model.
    pub title: String,
}

/// A model and where its lines come from.
#[derive(Clone, Default, Debug)]
pub struct Written {
    /// Promela.
    pub text: String,
    /// For each line, from the first on, the fragment that it comes from.
    pub lines: Vec<Option<FragmentId>>,
    /// How many lines with content were extracted.
    pub n_extracted: usize,
    /// How many lines with content were written by hand.
    pub n_handwritten: usize,
    /// What is assumed about values that might not fit.
    pub assumptions: Vec<String>,
    /// Fragments that are to be kept and could not be said after all.
    pub untranslated: BTreeSet<FragmentId>,
    /// Whether a thread that ends inside of a function goes on in the model, where its callers are.
    pub loses_end: bool,
    /// Fragments that are one step although other processes may come between their accesses.
    pub whole: BTreeSet<FragmentId>,
    /// Assertions that the program does not have, by line from 1 on.
    pub added: BTreeMap<u32, Added>,
}

/// What an assertion says that is not the program's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// The model has a block left for what is allocated.
    Block,
    /// The model has room for one more process.
    Process,
    /// What is freed is a block in use.
    Freed,
}

impl Written {
    /// The model with line markers that lead to the source, so that messages about it name the source's lines.
    /// Assertions that the program does not have keep the lines of the model, so that they are known by them.
    pub fn marked(&self, context: &Context<'_>, name: &str) -> String {
        let mut text = String::new();
        let quoted = |file: &str| file.replace('\\', "\\\\").replace('"', "\\\"");
        for (at, (line, fragment)) in self.text.lines().zip(&self.lines).enumerate() {
            let is_added = self.added.contains_key(&(at as u32 + 1));
            let place = fragment.filter(|_| !is_added);
            let place = place.and_then(|id| context.sources.place(context.code.fragments[id].span.lo));
            match place {
                Some(place) => text.push_str(&format!("# {} \"{}\"\n", place.line, quoted(&place.file))),
                None => text.push_str(&format!("# {} \"{}\"\n", at + 1, quoted(name))),
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Writes the model.
pub fn write(
    context: &Context<'_>,
    decisions: &Decisions,
    plan: &Plan,
    rows: &Rows,
    surroundings: &Surroundings,
    simplifies: bool,
) -> Written {
    let mut writer = Writer {
        context,
        decisions,
        plan,
        rows,
        notes: vec![Note::default()],
        globals: HashMap::new(),
        names: Names::default(),
        processes: HashMap::new(),
        callable: HashMap::new(),
        process_names: HashMap::new(),
        wanted: Vec::new(),
        written: BTreeSet::new(),
        units: Vec::new(),
        wrappers: BTreeSet::new(),
        start: Vec::new(),
        inexact: BTreeSet::new(),
        shows_ends: crate::library::needs_ends(&surroundings.library),
        mentioned: BTreeSet::new(),
        touched: BTreeSet::new(),
        imported: surroundings.imports.iter().cloned().collect(),
        heaps: Vec::new(),
        allocated: BTreeSet::new(),
        untranslated: BTreeSet::new(),
        c: CData::default(),
        c_assumptions: Vec::new(),
        waits: Vec::new(),
        loses_end: false,
        n_others: others(decisions, surroundings),
        shared_back: None,
        thread_starts: context
            .code
            .fragments
            .ids()
            .filter(|id| thread_start(context.code, context.interner, *id).is_some())
            .collect(),
    };
    writer.reserve(surroundings);
    writer.find_touched();
    writer.find_allocated();
    writer.global_data();
    writer.share_back();
    let global_units = std::mem::take(&mut writer.units);
    writer.processes();
    let process_units = std::mem::take(&mut writer.units);
    let type_units = writer.type_units();
    let mut processes = Model { units: process_units };
    if simplifies {
        simplify::simplify(&mut processes);
    }
    simplify::animate(&mut processes);
    let whole = writer.split(&mut processes, surroundings);
    spin_length_limit::label_long_sequences(&mut processes);
    let mut written = writer.assemble(&type_units, &global_units, &processes, surroundings);
    written.whole = whole;
    written
}

/// How many processes are not extracted; nothing if texts of the user's may run any number.
fn others(decisions: &Decisions, surroundings: &Surroundings) -> Option<u64> {
    let all = decisions.plain.iter().chain(decisions.negated.values());
    let runs = all.filter(|decision| decision.is_row()).any(|decision| decision.mapping.text().contains("run "));
    let is_known = surroundings.environment.is_empty() && surroundings.declarations.is_empty() && !runs;
    is_known.then_some(surroundings.invariants.len() as u64)
}

/// What is said about a statement.
#[derive(Clone, Default)]
struct Note {
    fragment: Option<FragmentId>,
    text: Option<String>,
    before: Vec<String>,
}

struct Writer<'a> {
    context: &'a Context<'a>,
    decisions: &'a Decisions,
    plan: &'a Plan,
    rows: &'a Rows,
    /// Notes on statements; a statement's place is the position of its note.
    notes: Vec<Note>,
    globals: HashMap<ObjectId, Name>,
    names: Names,
    processes: HashMap<FunctionId, Name>,
    callable: HashMap<FunctionId, Name>,
    /// What functions that run on their own are called in the model, by their names in the program.
    process_names: HashMap<String, Name>,
    /// Callable functions that are still to be written.
    wanted: Vec<FunctionId>,
    written: BTreeSet<FunctionId>,
    units: Vec<Unit>,
    /// Inner dimensions of arrays that need a type of their own.
    wrappers: BTreeSet<(String, String, u64)>,
    /// Values that only statements can give to global objects.
    start: Block,
    /// Objects whose values may not fit.
    inexact: BTreeSet<String>,
    /// Whether threads are joined.
    shows_ends: bool,
    /// Names in what is written by hand.
    mentioned: BTreeSet<String>,
    /// Objects that statements of the model touch.
    touched: BTreeSet<ObjectId>,
    /// Objects of other units that the model has in any case.
    imported: BTreeSet<String>,
    /// Arrays for what is allocated.
    heaps: Vec<String>,
    /// Records that are allocated.
    allocated: BTreeSet<String>,
    /// Fragments that are to be kept and could not be said after all.
    untranslated: BTreeSet<FragmentId>,
    /// What stays C.
    c: CData,
    /// What is assumed about it.
    c_assumptions: Vec<String>,
    /// Where processes may wait for ever, because labels say so.
    waits: Vec<String>,
    /// Whether a function that callers wait for ends its thread, and the callers go on.
    loses_end: bool,
    /// How many processes there are besides those of functions, if known.
    n_others: Option<u64>,
    /// The channel on which all functions return, if they share one.
    shared_back: Option<Name>,
    /// Fragments that start threads.
    thread_starts: BTreeSet<FragmentId>,
}

/// One process while it is being written.
struct Process {
    names: Names,
    decls: Vec<Decl>,
    declared: BTreeSet<Name>,
    /// Local objects of functions that stand in it. A function runs once at a time in a process, so wherever it stands,
    /// its objects are the same: other ones would only keep dead values, which tell states apart.
    locals: HashMap<(usize, DeclId), Name>,
    results: HashMap<FunctionId, Place>,
    /// The channel on which results come back, if one is needed.
    back: Option<Name>,
    n_labels: u32,
    /// Where it ends.
    finish: Name,
    /// Whether it ends somewhere inside.
    is_stopped: bool,
    /// Where it ends while others go on, if its end is that of the program.
    leave: Name,
    is_left: bool,
    /// Whether its end is that of the program, because it is `main` and there are threads.
    is_main: bool,
    /// Whether callers wait for it.
    is_callable: bool,
    /// Whether others go on when it ends.
    is_one_of_many: bool,
    /// What stands before its members in embedded C.
    base: String,
    members: Vec<Member>,
    member_names: Names,
    c_locals: HashMap<(usize, DeclId), String>,
    /// Members for values between reading and writing, by unit and type.
    c_values: HashMap<(usize, TyId), String>,
}

/// One function while it is being written, as a process or inside of one.
struct Frame {
    function: FunctionId,
    names: HashMap<DeclId, Name>,
    /// What objects are called that stay C.
    c_names: HashMap<DeclId, String>,
    /// The process type that it is part of.
    proctype: Name,
    labels: HashMap<LabelId, Name>,
    exit: Exit,
    targets: Vec<Target>,
    /// Comments that wait for the next statement.
    comments: Vec<String>,
    /// Whether only declarations came before, at the top of a process.
    is_at_top: bool,
}

/// What `return` does.
enum Exit {
    /// Jumps to the end of the process.
    Process { label: Name, is_used: bool },
    /// Leaves a value and jumps behind the body.
    Inline { label: Name, is_used: bool, result: Option<Place> },
    /// Sends a value.
    Callable { label: Name, is_used: bool, result: Option<Place> },
}

/// What `break` and `continue` leave.
enum Target {
    Loop {
        again: Name,
        is_again_used: bool,
    },
    /// A switch or a block that runs once.
    Jump {
        end: Name,
        is_used: bool,
        is_loop: bool,
    },
    /// The labels of the cases of a switch whose cases lie anywhere.
    Cases {
        names: Vec<Name>,
        end: Name,
        is_used: bool,
    },
}

impl<'a> Writer<'a> {
    /// Makes several steps of what touches shared objects more than once; returns what stays one step.
    fn split(&mut self, processes: &mut Model, surroundings: &Surroundings) -> BTreeSet<FragmentId> {
        let outside: BTreeSet<String> =
            surroundings.environment.iter().flat_map(|(_, text)| crate::pattern::words(text)).collect();
        let (context, decisions) = (self.context, self.decisions);
        let known: Vec<Option<FragmentId>> = self.notes.iter().map(|note| note.fragment).collect();
        let fragment = |at: At| known.get(at.0.lo as usize).copied().flatten();
        let is_keep = |decision: &crate::rules::Decision| decision.mapping == crate::table::Mapping::Keep;
        let is_kept = |at: At| {
            fragment(at)
                .is_some_and(|id| is_keep(&decisions.plain[id]) || decisions.negated.get(&id).is_some_and(is_keep))
        };
        let is_atomic = |at: At| fragment(at).is_some_and(|id| context.is_atomic_update(&context.code.fragments[id]));
        let notes = &mut self.notes;
        let mut again = |at: At| {
            let fragment = notes.get(at.0.lo as usize).and_then(|note| note.fragment);
            notes.push(Note { fragment, ..Note::default() });
            let index = notes.len() as u32 - 1;
            At(Span::new(index, index))
        };
        let mut known =
            split::StatementFacts { is_kept: &is_kept, is_atomic: &is_atomic, again: &mut again, outside: &outside };
        if surroundings.has_large_steps {
            let places = split::split(&mut processes.clone(), &mut known);
            return places.parted.into_iter().chain(places.whole).filter_map(fragment).collect();
        }
        split::split(processes, &mut known).whole.into_iter().filter_map(fragment).collect()
    }

    /// Names that mean something already.
    fn reserve(&mut self, surroundings: &Surroundings) {
        let claims = surroundings.ltl.iter().chain(&surroundings.invariants).chain(&surroundings.spoken);
        let claims = claims.map(|(_, text)| text);
        let texts = surroundings.environment.iter().map(|(_, text)| text).chain(claims);
        let texts = texts.chain(&surroundings.declarations).chain(std::iter::once(&surroundings.library));
        let is_name = |word: &String| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let words = texts.flat_map(|text| crate::pattern::words(text)).filter(is_name);
        self.mentioned = words.chain(self.rows.words()).collect();
        // What is written by hand mentions the program's own objects and functions, which keep their names, and others.
        let code = self.context.code;
        let own: BTreeSet<String> = (code.objects.iter().map(|(_, object)| object.name.as_str()))
            .chain(code.functions.iter().map(|function| function.name.as_str()))
            .flat_map(|name| [name.to_owned(), crate::names::allowed(name)])
            .collect();
        for word in self.mentioned.iter().filter(|word| !own.contains(word.as_str())) {
            self.names.reserve(word);
        }
        self.names.reserve(NOTHING);
        for constant in self.context.constants.keys() {
            self.names.reserve(constant);
        }
    }

    fn note(&mut self, fragment: FragmentId, text: Option<String>) -> At {
        self.notes.push(Note { fragment: Some(fragment), text, before: Vec::new() });
        let index = self.notes.len() as u32 - 1;
        At(Span::new(index, index))
    }

    /// Puts the place of a fragment on the statements of a block, and its text on the first.
    fn mark(&mut self, block: &mut Block, fragment: FragmentId, frame: &mut Frame) {
        let mut text = Some(self.context.code.fragments[fragment].text.clone());
        for step in block.iter_mut() {
            let (Step::Stmt(stmt) | Step::Unless(stmt, _)) = step else { continue };
            self.mark_stmt(stmt, fragment, text.take());
            let index = stmt.at.0.lo as usize;
            self.notes[index].before.append(&mut frame.comments);
        }
    }

    /// Statements inside of others belong to the same fragment, unless they have one.
    fn mark_stmt(&mut self, stmt: &mut Stmt, fragment: FragmentId, text: Option<String>) {
        if stmt.at.0.lo != 0 && stmt.at.0.lo == stmt.at.0.hi && text.is_none() {
            return;
        }
        stmt.at = self.note(fragment, text);
        let inner: Vec<&mut Block> = match &mut stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => options.iter_mut().collect(),
            StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => vec![block],
            StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => vec![body],
            StmtKind::Label(_, Some(inner)) => return self.mark_stmt(inner, fragment, None),
            _ => Vec::new(),
        };
        for step in inner.into_iter().flatten() {
            if let Step::Stmt(stmt) | Step::Unless(stmt, _) = step {
                self.mark_stmt(stmt, fragment, None);
            }
        }
    }

    /// A variable's name and shape, in a function.
    fn variable(&self, frame: Option<&Frame>, unit: usize, decl: DeclId) -> Result<(Name, Shape), Untranslatable> {
        let shape = self.context.variable(unit, decl)?;
        let object = self.context.object(unit, decl);
        if let Some(name) = object.and_then(|object| self.globals.get(&object)) {
            return Ok((name.clone(), shape));
        }
        if let Some(name) = frame.and_then(|frame| frame.names.get(&decl)) {
            return Ok((name.clone(), shape));
        }
        let name = self.context.interner.name(self.context.code.units[unit].decls[decl].name);
        Err(format!("`{name}` is not declared in the model"))
    }

    fn is_lost(&self, object: ObjectId) -> bool {
        self.decisions.lost.contains_key(&object)
    }

    fn processes(&mut self) {
        let mut order: Vec<FunctionId> = Vec::new();
        let plan = self.plan;
        for start in &plan.starts {
            if !order.contains(&start.function) {
                order.push(start.function);
            }
        }
        for (function, treatment) in plan.treatments() {
            if treatment == Treatment::Process && !order.contains(&function) {
                order.push(function);
            }
        }
        // A thread has no caller that waits, even if its function is called elsewhere.
        let is_thread = |function: &FunctionId| self.context.code.thread_functions.contains(function);
        let (recursive, order): (Vec<FunctionId>, Vec<FunctionId>) =
            order.into_iter().partition(|function| plan.is_recursive(*function) && !is_thread(function));
        self.reserve_fields();
        for function in &order {
            let name = self.names.fresh(&self.context.code.functions[*function].name);
            self.processes.insert(*function, name);
        }
        let named = |(id, name): (&FunctionId, &Name)| (self.context.code.functions[*id].name.clone(), name.clone());
        self.process_names = self.processes.iter().map(named).collect();
        for function in recursive.into_iter().chain(plan.roots.iter().copied()) {
            self.callable_name(function);
        }
        for function in order {
            self.process(function);
        }
        while let Some(function) = self.wanted.pop() {
            self.callable_process(function);
        }
        self.start_process();
    }

    /// SPIN does not take the name of a process type for a field. What is written by hand means the process.
    fn reserve_fields(&mut self) {
        let shapes = &self.context.shapes;
        let records = shapes.used_records().into_iter().filter_map(|key| shapes.record_shape(&key));
        let fields: BTreeSet<String> = records.flat_map(|record| record.fields).map(|(_, name, _)| name).collect();
        for name in fields.difference(&self.mentioned) {
            self.names.reserve(name);
        }
    }

    /// The name of the process type of a function that callers wait for; it is written later.
    fn callable_name(&mut self, function: FunctionId) -> Name {
        if let Some(name) = self.callable.get(&function) {
            return name.clone();
        }
        let name = self.names.fresh(&self.context.code.functions[function].name);
        self.callable.insert(function, name.clone());
        self.wanted.push(function);
        name
    }

    /// Joins the parts to a text.
    fn assemble(
        &mut self,
        types: &[Unit],
        globals: &[Unit],
        processes: &Model,
        surroundings: &Surroundings,
    ) -> Written {
        let mut written = Written::default();
        let mut parts: Vec<(String, bool)> = Vec::new();
        parts.push((surroundings.title.clone(), true));
        let printed = self.print(processes);
        let heaps = self.heap_data(&printed);
        parts.push((self.c_text(&printed), true));
        let mut used = self.context.used.borrow().clone();
        for name in &self.mentioned {
            if let Some(Ok(value)) = self.context.constants.get(name).map(|value| i32::try_from(*value)) {
                used.insert(name.clone(), value);
            }
        }
        let defines: String = used.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        parts.insert(1, (defines, true));
        for units in [types, globals, heaps.as_slice()] {
            parts.push((self.print(&Model { units: units.to_vec() }), true));
        }
        let declarations: String = surroundings.declarations.iter().map(|text| format!("{text}\n")).collect();
        parts.push((declarations, false));
        parts.push((surroundings.library.clone(), true));
        parts.extend(surroundings.environment.iter().map(|(_, text)| (text.clone(), false)));
        let processes = printed;
        if processes.contains(&format!("{NOTHING}[")) {
            let comment = "/* Null pointers lead behind its end. */";
            parts.push((format!("bit {NOTHING}[{NOTHING_LEN}]; {comment}\n"), true));
        }
        parts.push((processes, true));
        let invariants: String = surroundings
            .invariants
            .iter()
            .map(|(name, text)| format!("active proctype {name}() {{\n    assert({text})\n}}\n\n"))
            .collect();
        parts.push((invariants, false));
        let formulas: String =
            surroundings.ltl.iter().map(|(name, text)| format!("ltl {name} {{ {text} }}\n\n")).collect();
        parts.push((formulas, false));
        for (part, is_extracted) in parts {
            let part = part.trim_matches('\n');
            if part.is_empty() {
                continue;
            }
            if !written.text.is_empty() {
                written.text.push('\n');
                written.lines.push(None);
            }
            self.append(part, is_extracted, &mut written);
        }
        written.assumptions =
            self.inexact.iter().map(|name| format!("values of {name} fit 32 bits with a sign")).collect();
        written.assumptions.append(&mut self.c_assumptions);
        written.assumptions.append(&mut self.waits);
        for heap in &self.heaps {
            let text = format!("at most {HEAP} objects are in `{heap}` at the same time; further requests fail");
            written.assumptions.push(text);
        }
        written.assumptions.extend(self.pointed_into().iter().map(|name| {
            format!(
                "pointers to fields of `{name}` are not moved to other fields, which would be an error of the model"
            )
        }));
        written.untranslated = std::mem::take(&mut self.untranslated);
        written.loses_end = self.loses_end;
        written
    }

    /// Objects of the model with fields that pointers may point to.
    fn pointed_into(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for root in self.context.pools.with_fields() {
            match root {
                Root::Variable(unit, decl) => {
                    let object = self.context.object(*unit, *decl).filter(|object| !self.is_lost(*object));
                    names.extend(object.and_then(|object| self.globals.get(&object)).map(|name| name.to_string()));
                }
                Root::Heap(name, ..) => names.extend(Some(name.clone()).filter(|name| self.heaps.contains(name))),
            }
        }
        names
    }

    /// Adds a part, takes the marks of statements out and remembers where they were.
    fn append(&self, part: &str, is_extracted: bool, written: &mut Written) {
        for line in part.lines() {
            let mut fragment = None;
            let mut text = line.to_owned();
            if let (Some(open), Some(close)) = (text.find('\u{1}'), text.rfind('\u{1}')) {
                let index: usize = text[open + 1..close].parse().unwrap_or(0);
                fragment = self.notes.get(index).and_then(|note| note.fragment);
                text.replace_range(open..=close, "");
                text = text.trim_end_matches("/*  */").trim_end().to_owned();
            }
            if let (Some(added), true) = (self.added(fragment, &text), is_extracted) {
                written.added.insert(written.lines.len() as u32 + 1, added);
            }
            let content = text.trim();
            let is_content = !(content.is_empty() || content.starts_with("/*") && content.ends_with("*/"));
            written.n_extracted += usize::from(is_content && is_extracted);
            written.n_handwritten += usize::from(is_content && !is_extracted);
            written.text.push_str(&text);
            written.text.push('\n');
            written.lines.push(fragment);
        }
    }

    /// What a line asserts, if that is neither the program's word nor that of a row.
    fn added(&self, fragment: Option<FragmentId>, line: &str) -> Option<Added> {
        let asserted = line.trim_start().strip_prefix("assert(")?;
        let Some(id) = fragment else { return asserted.starts_with("_pid < ").then_some(Added::Process) };
        let is_own = matches!(self.context.code.fragments[id].what, FragmentKind::Assertion(_));
        if is_own || self.decisions.plain[id].is_row() {
            return None;
        }
        let is_block = asserted.contains("_has_room ()").then_some(Added::Block);
        is_block.or_else(|| asserted.contains("heap_holds (").then_some(Added::Freed))
    }

    fn print(&self, model: &Model) -> String {
        print_annotated(model, &|stmt: &Stmt| {
            let index = stmt.at.0.lo as usize;
            match self.notes.get(index) {
                Some(note) if index > 0 => {
                    let safe = |text: &String| text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ");
                    let text = note.text.as_ref().map(safe).unwrap_or_default();
                    let before = note.before.iter().map(safe).collect();
                    Remarks { before, behind: Some(format!("\u{1}{index}\u{1}{text}")) }
                }
                Some(_) | None => Remarks::default(),
            }
        })
    }
}

/// A block that is never empty.
fn filled(block: Block) -> Block {
    let has_statement = block.iter().any(|step| matches!(step, Step::Stmt(_) | Step::Unless(..)));
    if has_statement { block } else { vec![skip()] }
}

fn skip() -> Step {
    use unpick_front_promela::syntax::{Expr, ExprKind, Literal};
    let skip = Expr { kind: ExprKind::Literal(1, Literal::Skip), at: At::default() };
    Step::Stmt(Stmt { kind: StmtKind::Condition(skip), at: At::default() })
}
