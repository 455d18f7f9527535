//! Generation of the Promela model from the decisions.
//!
//! Control structure stays as it is in C: `if` and loops become choices with two explicit guards, the interpretation of
//! the condition and of its negation, never an `else`. Local objects of a process are declared at its top, because
//! Promela gives an initial value only once; bodies of functions stand where they are called, with names of their own.

mod assemble;
mod call;
mod control;
mod data;
mod embedded;
mod fragment;
mod local;
mod process;

use std::collections::{BTreeSet, HashMap};

use unpick_base::Span;
use unpick_front_c::ast::{DeclId, LabelId};
use unpick_front_c::types::TyId;
use unpick_front_promela::syntax::{At, Block, Decl, Model, Name, Step, Stmt, StmtKind, Unit};

use crate::code::{FragmentId, FunctionId};
use crate::context::Context;
use crate::effect::ObjectId;
use crate::names::Names;
use crate::plan::{Plan, Treatment};
use crate::rows::Rows;
use crate::rules::{Decisions, thread_start};
use crate::shape::{Shape, Untranslatable};
use crate::translate::NOTHING;
use crate::{simplify, spin_length_limit, split};
pub use assemble::{Added, Written};
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
