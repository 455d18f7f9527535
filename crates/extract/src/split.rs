//! Atomicity refinement: a statement with several accesses to shared objects becomes several steps with one access
//! each.
//!
//! `x = x + 1` loads and stores, and another thread may come between. In a model every statement is one step, so the load
//! becomes a step of its own, into an object that only this process has: `x_seen = x; x = x_seen + 1`. A statement with
//! one such access needs nothing, because its place among the steps of others is that of the access. What is read twice
//! in one expression is read once here: pointers are written out as comparisons of one number with all they may be.
//!
//! Reads that happen only under a condition are done in any case, which changes nothing; but an element whose index only
//! the condition keeps in bounds cannot be read before. Such a statement stays one step, and so does the copy of a whole
//! record; these are recorded for the verdict.

mod shared_access;

use std::collections::{BTreeSet, HashSet};

use unpick_front_promela::syntax::{
    At, Binary, Block, Decl, Expr, ExprKind, Model, Name, Step, Stmt, StmtKind, TypeName, Unit, Var, VarRef,
};

use self::shared_access::{accesses, locals, names, path, reads, shared};
use crate::translate::{at, binary, int, var as loaded, var_ref};

/// What is known of statements by their places.
pub struct StatementFacts<'a> {
    /// Whether a statement is as in the program.
    pub is_kept: &'a dyn Fn(At) -> bool,
    /// Whether the program makes it one step, as with `x++` on an atomic object.
    pub is_atomic: &'a dyn Fn(At) -> bool,
    /// A place of the same origin for another statement.
    pub again: &'a mut dyn FnMut(At) -> At,
    /// Names that processes written by hand mention.
    pub outside: &'a BTreeSet<String>,
}

/// Places of statements between whose accesses other processes may come.
#[derive(Default)]
pub struct Places {
    /// Those that have become several steps.
    pub parted: Vec<At>,
    /// Those that stay one step.
    pub whole: Vec<At>,
}

/// Splits statements of all processes.
pub fn split(model: &mut Model, known: &mut StatementFacts<'_>) -> Places {
    let shared = shared(model, known.outside);
    let mut places = Places::default();
    if shared.is_empty() {
        return places;
    }
    let taken: HashSet<Name> = names(model);
    for unit in &mut model.units {
        let Unit::Proctype(proctype) = unit else { continue };
        let locals = locals(&proctype.params, &proctype.body);
        let mut splitter = Splitter {
            shared: &shared,
            locals: &locals,
            taken: &taken,
            known,
            temporaries: BTreeSet::new(),
            loads: Vec::new(),
            places: &mut places,
        };
        let body = splitter.block(std::mem::take(&mut proctype.body));
        let decls = splitter.temporaries.iter().map(|name| Step::Decl(number(name.clone())));
        proctype.body = decls.collect();
        proctype.body.extend(body);
    }
    places
}

fn number(name: Name) -> Decl {
    let var = Var { name, width: None, size: None, init: None, at: At::default() };
    Decl { visibility: None, ty: TypeName::Int, vars: vec![var], at: At::default() }
}

struct Splitter<'a, 'k> {
    shared: &'a BTreeSet<String>,
    locals: &'a HashSet<Name>,
    taken: &'a HashSet<Name>,
    known: &'a mut StatementFacts<'k>,
    /// Objects for what was loaded.
    temporaries: BTreeSet<Name>,
    /// Loads of the statement that is being split.
    loads: Vec<(VarRef, Name)>,
    places: &'a mut Places,
}

impl Splitter<'_, '_> {
    fn block(&mut self, block: Block) -> Block {
        let mut steps = Block::new();
        for step in block {
            match step {
                Step::Stmt(stmt) => steps.extend(self.stmt(stmt).into_iter().map(Step::Stmt)),
                step => steps.push(step),
            }
        }
        steps
    }

    fn stmt(&mut self, mut stmt: Stmt) -> Vec<Stmt> {
        match stmt.kind {
            StmtKind::Label(name, Some(inner)) => {
                let at = stmt.at;
                let mut stmts = self.stmt(*inner);
                let first = stmts.remove(0);
                stmts.insert(0, Stmt { kind: StmtKind::Label(name, Some(Box::new(first))), at });
                stmts
            }
            StmtKind::If(options) => {
                let (loads, options) = self.choice(options, stmt.at);
                self.behind(loads, StmtKind::If(options), stmt.at)
            }
            StmtKind::Do(options) => {
                let (loads, options) = self.choice(options, stmt.at);
                if loads.is_empty() {
                    return vec![Stmt { kind: StmtKind::Do(options), at: stmt.at }];
                }
                let at = (self.known.again)(stmt.at);
                let round = self.behind(loads, StmtKind::If(options), at);
                let round = round.into_iter().map(Step::Stmt).collect();
                vec![Stmt { kind: StmtKind::Do(vec![round]), at: stmt.at }]
            }
            StmtKind::Block(block) => {
                stmt.kind = StmtKind::Block(self.block(block));
                vec![stmt]
            }
            StmtKind::Assign(..)
            | StmtKind::Increment(_)
            | StmtKind::Decrement(_)
            | StmtKind::Condition(_)
            | StmtKind::Assert(_)
            | StmtKind::DStep(_)
                if (self.known.is_kept)(stmt.at) =>
            {
                self.simple(stmt)
            }
            _ => vec![stmt],
        }
    }

    /// Loads, and then the statement that uses what was loaded.
    fn behind(&mut self, loads: Vec<(VarRef, Name)>, kind: StmtKind, at: At) -> Vec<Stmt> {
        let mut stmts: Vec<Stmt> = Vec::new();
        if !loads.is_empty() {
            self.places.parted.push(at);
        }
        for (place, name) in loads {
            let at = if stmts.is_empty() { at } else { (self.known.again)(at) };
            stmts.push(Stmt { kind: StmtKind::Assign(var_ref(name), value(place)), at });
        }
        let at = if stmts.is_empty() { at } else { (self.known.again)(at) };
        stmts.push(Stmt { kind, at });
        stmts
    }

    /// A choice: what its guards read is loaded before.
    fn choice(&mut self, mut options: Vec<Block>, at: At) -> (Vec<(VarRef, Name)>, Vec<Block>) {
        let before = options.clone();
        let mut n_reads = HashSet::new();
        for guard in guards(&mut options) {
            if (self.known.is_kept)(guard.1) {
                reads(guard.0, &mut |var, _| {
                    if self.is_shared(var) {
                        n_reads.insert(format!("{var:?}"));
                    }
                });
            }
        }
        let mut loads = Vec::new();
        if n_reads.len() > 1 {
            self.loads.clear();
            // The last one may stay: the choice is made when it is read.
            let mut room = n_reads.len() - 1;
            let mut is_done = true;
            for (guard, _) in guards(&mut options) {
                is_done &= self.lower(guard, false, &mut room, None);
            }
            loads = std::mem::take(&mut self.loads);
            if !is_done {
                options = before;
                loads.clear();
                self.places.whole.push(at);
            }
        }
        let options = options.into_iter().map(|option| self.option(option)).collect();
        (loads, options)
    }

    /// What follows a guard.
    fn option(&mut self, mut option: Block) -> Block {
        let is_guarded = matches!(option.first(), Some(Step::Stmt(Stmt { kind: StmtKind::Condition(_), .. })));
        if !is_guarded {
            return self.block(option);
        }
        let rest = option.split_off(1);
        option.extend(self.block(rest));
        option
    }

    fn is_shared(&self, var: &VarRef) -> bool {
        !self.locals.contains(&var.name) && self.shared.contains(&path(var))
    }

    /// A statement that does one thing.
    fn simple(&mut self, stmt: Stmt) -> Vec<Stmt> {
        if matches!(stmt.kind, StmtKind::DStep(_)) && (self.known.is_atomic)(stmt.at) {
            return vec![stmt];
        }
        let (mut n_reads, mut n_writes) = (HashSet::new(), 0);
        let updated = match &stmt.kind {
            StmtKind::Increment(place) | StmtKind::Decrement(place) => Some(place.clone()),
            StmtKind::Assign(place, _) => Some(place.clone()),
            _ => None,
        };
        let one_step = updated.clone().filter(|_| (self.known.is_atomic)(stmt.at));
        let is_update = matches!(stmt.kind, StmtKind::Increment(_) | StmtKind::Decrement(_));
        accesses(&vec![Step::Stmt(stmt.clone())], &mut |var, is_written| {
            if !self.is_shared(var) {
                return;
            }
            n_writes = n_writes.max(usize::from(is_written));
            let is_part = one_step.as_ref() == Some(var);
            if !is_part && (!is_written || is_update) {
                n_reads.insert(format!("{var:?}"));
            }
        });
        if n_reads.len() + n_writes < 2 {
            return vec![stmt];
        }
        let mut room = if n_writes == 1 { n_reads.len() } else { n_reads.len() - 1 };
        self.loads.clear();
        let mut kind = stmt.kind.clone();
        let is_done = match &mut kind {
            StmtKind::Assign(place, value) => {
                self.lower(value, false, &mut room, one_step.as_ref()) && self.lower_indices(place, false, &mut room)
            }
            StmtKind::Increment(place) | StmtKind::Decrement(place) => {
                let op = if matches!(stmt.kind, StmtKind::Increment(_)) { Binary::Add } else { Binary::Subtract };
                let mut place = place.clone();
                let is_done = self.lower_indices(&mut place, false, &mut room);
                let mut old = value(place.clone());
                let is_done = is_done && self.lower(&mut old, false, &mut room, None);
                kind = StmtKind::Assign(place, binary(op, old, int(1)));
                is_done
            }
            StmtKind::Condition(expr) | StmtKind::Assert(expr) => self.lower(expr, false, &mut room, None),
            StmtKind::DStep(block) => self.lower_update(block, &mut room),
            _ => false,
        };
        let loads = std::mem::take(&mut self.loads);
        if !is_done {
            self.places.whole.push(stmt.at);
            return vec![stmt];
        }
        self.behind(loads, kind, stmt.at)
    }

    /// `d_step { if :: p == 1 -> a = v :: p == 2 -> b = v :: else ... fi }`: a store through a pointer.
    fn lower_update(&mut self, block: &mut Block, room: &mut usize) -> bool {
        let [Step::Stmt(Stmt { kind: StmtKind::If(options), .. })] = block.as_mut_slice() else { return false };
        for option in options.iter_mut() {
            let [Step::Stmt(guard), Step::Stmt(change)] = option.as_mut_slice() else { return false };
            match &mut guard.kind {
                StmtKind::Condition(guard) => {
                    if !self.lower(guard, false, room, None) {
                        return false;
                    }
                }
                StmtKind::Else => {}
                _ => return false,
            }
            let is_done = match &mut change.kind {
                StmtKind::Assign(place, value) => {
                    self.lower(value, true, room, None) && self.lower_indices(place, true, room)
                }
                StmtKind::Increment(place) | StmtKind::Decrement(place) => {
                    let mut old = value(place.clone());
                    let is_done = self.lower_indices(place, true, room) && self.lower(&mut old, true, room, None);
                    let is_up = matches!(change.kind, StmtKind::Increment(_));
                    let op = if is_up { Binary::Add } else { Binary::Subtract };
                    let (StmtKind::Increment(place) | StmtKind::Decrement(place)) = &change.kind else { return false };
                    change.kind = StmtKind::Assign(place.clone(), binary(op, old, int(1)));
                    is_done
                }
                _ => return false,
            };
            if !is_done {
                return false;
            }
        }
        true
    }

    /// Puts loaded values in the place of what is read, as long as there is room; whether it could be done.
    fn lower(&mut self, expr: &mut Expr, is_conditional: bool, room: &mut usize, but: Option<&VarRef>) -> bool {
        match &mut expr.kind {
            ExprKind::Var(var) => {
                if !self.lower_indices(var, is_conditional, room) {
                    return false;
                }
                if !self.is_shared(var) || but == Some(var) {
                    return true;
                }
                if let Some((_, name)) = self.loads.iter().find(|(place, _)| place == var) {
                    *expr = loaded(name.clone());
                    return true;
                }
                if *room == 0 {
                    return true;
                }
                if is_conditional && has_variable_index(var) {
                    return false;
                }
                *room -= 1;
                let name = self.temporary(var);
                self.loads.push((var.clone(), name.clone()));
                *expr = loaded(name);
                true
            }
            ExprKind::Unary(_, operand) => self.lower(operand, is_conditional, room, but),
            ExprKind::Binary(op, left, right) => {
                let is_second_conditional = is_conditional || matches!(op, Binary::And | Binary::Or);
                self.lower(left, is_conditional, room, but) && self.lower(right, is_second_conditional, room, but)
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.lower(condition, is_conditional, room, but)
                    && self.lower(yes, true, room, but)
                    && self.lower(no, true, room, but)
            }
            ExprKind::Run { args, .. } => args.iter_mut().all(|arg| self.lower(arg, is_conditional, room, but)),
            ExprKind::Literal(..) | ExprKind::Timeout | ExprKind::NonProgress => true,
            ExprKind::Len(_)
            | ExprKind::Probe(..)
            | ExprKind::Poll(_)
            | ExprKind::Enabled(_)
            | ExprKind::GetPriority(_)
            | ExprKind::PcValue(_)
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVar { .. }
            | ExprKind::Code(_) => false,
        }
    }

    fn lower_indices(&mut self, var: &mut VarRef, is_conditional: bool, room: &mut usize) -> bool {
        let index = var.index.as_mut().is_none_or(|index| self.lower(index, is_conditional, room, None));
        index && var.field.as_mut().is_none_or(|field| self.lower_indices(field, is_conditional, room))
    }

    /// An object of the process for a value of this place; one statement needs different ones.
    fn temporary(&mut self, place: &VarRef) -> Name {
        let base = format!("{}_seen", path(place).replace('.', "_"));
        let mut count = 1;
        loop {
            let name = if count == 1 { Name::from(base.as_str()) } else { Name::from(format!("{base}_{count}")) };
            let is_loaded = self.loads.iter().any(|(_, used)| *used == name);
            if !is_loaded && !self.taken.contains(&name) {
                self.temporaries.insert(name.clone());
                return name;
            }
            count += 1;
        }
    }
}

/// The value of a place.
fn value(place: VarRef) -> Expr {
    at(ExprKind::Var(place))
}

fn has_variable_index(var: &VarRef) -> bool {
    let is_variable = |index: &Expr| !matches!(index.kind, ExprKind::Literal(..));
    var.index.as_deref().is_some_and(is_variable) || var.field.as_deref().is_some_and(has_variable_index)
}

/// The guards of a choice, with their places.
fn guards(options: &mut [Block]) -> impl Iterator<Item = (&mut Expr, At)> {
    options.iter_mut().filter_map(|option| match option.first_mut() {
        Some(Step::Stmt(Stmt { kind: StmtKind::Condition(expr), at })) => Some((expr, *at)),
        _ => None,
    })
}
