//! Semantic analysis: names resolved, types checked, and automata built from the syntax tree.
//!
//! The rules are SPIN's: a name is declared before it is used and hides no other one that is seen; numbers
//! convert freely; a declaration behind the first statement of a process is an assignment of its own. What SPIN
//! only finds when the verifier runs is found here where it can be, as a warning.

mod code;
mod decl;
mod expr;
mod ltl;
mod place;
mod stmt;

use std::collections::HashMap;
use std::sync::Arc;

use unpick_base::{Diagnostic, Severity, Span};

use crate::flow::{Closing, Flow, LoopId, Node, Path, SequenceId};
use crate::session::Session;
use crate::syntax::{self, ExprKind, Name, TypeName, Unit, VarRef};
use unpick_automaton::{
    Automaton, ChannelTypeId, Claim, Expr, Frame, Model, Place, Proctype, ProctypeId, Scalar, Scope, Step,
};

/// Checks the tree and gives it a meaning. Errors are in the session's diagnostics; with any, the model must not
/// be used.
pub fn check(session: &mut Session, tree: &syntax::Model) -> Model {
    let mut sema = Sema {
        session,
        model: Model::default(),
        records: Vec::new(),
        record_names: HashMap::new(),
        mtypes: HashMap::new(),
        proctypes: HashMap::new(),
        signatures: Vec::new(),
        globals: HashMap::new(),
        bodies: Vec::new(),
        context: None,
        owner: None,
        max_fields: 0,
        messages: Vec::new(),
        n_unnamed_formulas: 0,
    };
    sema.run(tree);
    sema.model
}

/// A checked type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Scalar(Scalar),
    /// A set of `mtype`, by position in the model.
    Mtype(usize),
    Chan,
    Record(usize),
}

impl Type {
    /// How one element is kept.
    fn scalar(self, is_array: bool) -> Scalar {
        match self {
            // Arrays of bits are arrays of bytes: SPIN keeps what does not fit a bit.
            Type::Scalar(Scalar::Bit) if is_array => Scalar::Byte,
            Type::Scalar(scalar) => scalar,
            Type::Mtype(_) | Type::Chan | Type::Record(_) => Scalar::Byte,
        }
    }
}

/// A record type.
struct Record {
    name: Name,
    fields: Vec<Field>,
    size: u32,
}

#[derive(Clone)]
struct Field {
    name: Name,
    ty: Type,
    count: Option<u32>,
    offset: u32,
    /// A channel made with every variable of the record type.
    channel: Option<ChannelTypeId>,
    value: Option<i32>,
}

/// A declared variable.
#[derive(Clone)]
struct Var {
    scope: Scope,
    offset: u32,
    ty: Type,
    count: Option<u32>,
    /// What it starts with, if that is a constant.
    value: Option<i32>,
    channel: Option<ChannelTypeId>,
    span: Span,
}

/// The parameters of a process type, records written out.
struct Signature {
    params: Vec<Scalar>,
    is_finished: bool,
    top: HashMap<Name, Var>,
}

/// The process type that is being read.
struct Context {
    flow: Flow,
    frame: Frame,
    scopes: Vec<HashMap<Name, Var>>,
    path: Vec<u32>,
    n_blocks: u32,
    n_d_steps: u32,
    loops: Vec<LoopId>,
    /// Where the inlines that are being read put their results.
    results: Vec<Option<VarRef>>,
    /// The call of an inline that stands for a statement of C: what the inline does is told there.
    site: Option<Span>,
    /// Counters of loops over channels, one for each block.
    counters: HashMap<Path, Place>,
    /// No statement came yet: declarations are part of the start.
    is_at_start: bool,
    kind: ContextKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContextKind {
    Process,
    Claim,
    Trace,
}

/// A body waiting for all labels to be known.
struct Body {
    flow: Flow,
    body: Option<SequenceId>,
    owner: Owner,
}

enum Owner {
    Proctype(ProctypeId),
    Claim(usize),
    Trace(usize),
}

struct Sema<'a> {
    session: &'a mut Session,
    model: Model,
    records: Vec<Record>,
    record_names: HashMap<Name, usize>,
    /// Set and value.
    mtypes: HashMap<Name, (usize, i32)>,
    proctypes: HashMap<Name, ProctypeId>,
    signatures: Vec<Signature>,
    globals: HashMap<Name, Var>,
    bodies: Vec<Body>,
    context: Option<Context>,
    /// The process type whose text is being read.
    owner: Option<ProctypeId>,
    /// The longest message of any channel.
    max_fields: usize,
    /// How many fields messages have that are sent or received, and where.
    messages: Vec<(usize, Span)>,
    /// How many formulas had to be given a name.
    n_unnamed_formulas: u32,
}

impl Sema<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.session.diagnostics.error(span, message);
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.session.diagnostics.push(Diagnostic::new(Severity::Warning, span, message));
    }

    fn run(&mut self, tree: &syntax::Model) {
        self.model.mtypes.push(("".into(), Vec::new()));
        for unit in &tree.units {
            self.declare(unit);
        }
        for unit in &tree.units {
            self.unit(unit);
        }
        for unit in &tree.units {
            match unit {
                Unit::Never(claim) => self.claim(claim),
                Unit::Trace(trace) => self.trace(trace),
                Unit::Ltl(ltl) => self.ltl(ltl),
                _ => {}
            }
        }
        self.finish();
    }

    /// First pass: what may be used before it is written.
    fn declare(&mut self, unit: &Unit) {
        match unit {
            Unit::Mtype(mtype) => self.mtype(mtype),
            Unit::Typedef(typedef) => self.typedef(typedef),
            Unit::Proctype(proctype) => {
                let id = self.new_proctype(proctype.name.clone(), proctype.is_deterministic, proctype.at.0);
                self.proctypes.insert(proctype.name.clone(), id);
                let params = proctype.params.iter().flat_map(|decl| self.param_scalars(decl)).collect();
                self.signatures[id.0 as usize].params = params;
                self.model.has_priority |= proctype.priority.is_some();
            }
            Unit::Init(init) => {
                if self.proctypes.contains_key(":init:") {
                    self.error(init.at.0, "`init` is written twice");
                }
                let id = self.new_proctype(":init:".into(), false, init.at.0);
                self.proctypes.insert(":init:".into(), id);
                self.model.has_priority |= init.priority.is_some();
            }
            _ => {}
        }
    }

    fn new_proctype(&mut self, name: Name, is_deterministic: bool, span: Span) -> ProctypeId {
        self.signatures.push(Signature { params: Vec::new(), is_finished: false, top: HashMap::new() });
        self.model.proctypes.push(Proctype {
            name,
            frame: Frame::default(),
            params: Vec::new(),
            provided: None,
            is_deterministic,
            automaton: Automaton::default(),
            span,
        })
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Decl(decl) => self.global(decl),
            Unit::Proctype(proctype) => self.proctype(proctype),
            Unit::Init(init) => {
                let id = self.proctypes[":init:"];
                self.process(id, &[], &init.body, init.at.0);
                let priority = self.priority(init.priority, init.at.0);
                self.model.start.push((id, priority));
            }
            Unit::Code(code) => self.top_level_code(code),
            Unit::State(state) => self.code_state(state),
            Unit::Never(_) | Unit::Trace(_) | Unit::Ltl(_) | Unit::Mtype(_) | Unit::Typedef(_) | Unit::Inline(_) => {}
        }
    }

    fn priority(&mut self, priority: Option<i32>, span: Span) -> u8 {
        let priority = priority.unwrap_or(1);
        match u8::try_from(priority) {
            Ok(priority @ 1..) => priority,
            _ => {
                self.error(span, "a priority is a number from 1 to 255");
                1
            }
        }
    }

    fn proctype(&mut self, proctype: &syntax::Proctype) {
        let id = self.proctypes[&proctype.name];
        if self.globals.contains_key(&proctype.name) || self.mtypes.contains_key(&proctype.name) {
            self.error(proctype.at.0, format!("`{}` is declared already", proctype.name));
        }
        self.process(id, &proctype.params, &proctype.body, proctype.at.0);
        if let Some(provided) = &proctype.provided {
            self.check_provided(provided);
            self.model.proctypes[id].provided = self.value(provided);
        }
        let Some(active) = &proctype.active else { return };
        let count = match &active.count {
            None => Some(1),
            Some(count) => self.constant(count),
        };
        let priority = self.priority(proctype.priority, proctype.at.0);
        match count {
            Some(count @ 0..=255) => {
                for _ in 0..count {
                    self.model.start.push((id, priority));
                }
                if self.model.start.len() > 255 {
                    self.error(proctype.at.0, "more than 255 processes at the start");
                }
            }
            Some(count) => self.error(proctype.at.0, format!("{count} processes cannot be started: 255 is the most")),
            None => {}
        }
    }

    /// What `provided` may look at: nothing of the process but its number and priority.
    fn check_provided(&mut self, expr: &syntax::Expr) {
        match &expr.kind {
            ExprKind::Binary(_, left, right) => {
                self.check_provided(left);
                self.check_provided(right);
            }
            ExprKind::Unary(_, operand) => self.check_provided(operand),
            ExprKind::Run { .. }
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVar { .. }
            | ExprKind::NonProgress => {
                self.error(expr.at.0, "`provided` may not look at this");
            }
            _ => {}
        }
    }

    fn new_context(kind: ContextKind) -> Context {
        let mut flow = Flow::default();
        flow.is_claim = kind == ContextKind::Claim;
        Context {
            flow,
            frame: Frame::default(),
            scopes: vec![HashMap::new()],
            path: Vec::new(),
            n_blocks: 0,
            n_d_steps: 0,
            loops: Vec::new(),
            results: Vec::new(),
            site: None,
            counters: HashMap::new(),
            is_at_start: true,
            kind,
        }
    }

    fn process(&mut self, id: ProctypeId, params: &[syntax::Decl], body: &syntax::Block, span: Span) {
        self.context = Some(Self::new_context(ContextKind::Process));
        self.owner = Some(id);
        for decl in params {
            self.params(id, decl);
        }
        let sequence = self.body(body, span);
        self.owner = None;
        let context = self.context.take().expect("the context should still be there");
        let signature = &mut self.signatures[id.0 as usize];
        signature.is_finished = true;
        signature.top = context.scopes.into_iter().flatten().collect();
        self.model.proctypes[id].frame = context.frame;
        self.bodies.push(Body { flow: context.flow, body: sequence, owner: Owner::Proctype(id) });
    }

    /// The sequence of a whole body, its end included. Its outermost variables stay in the last scope.
    fn body(&mut self, body: &syntax::Block, span: Span) -> Option<SequenceId> {
        self.flow().open();
        let context = self.context.as_mut().expect("a body should have a context");
        context.path.push(0);
        context.scopes.push(HashMap::new());
        self.steps(body);
        self.flow().add(Node::Step(Step::End), &[], span);
        self.flow().close(Closing::Body, span)
    }

    fn flow(&mut self) -> &mut Flow {
        &mut self.context.as_mut().expect("statements should have a context").flow
    }

    fn claim(&mut self, claim: &syntax::Claim) {
        self.context = Some(Self::new_context(ContextKind::Claim));
        let body = self.body(&claim.body, claim.at.0);
        let context = self.context.take().expect("the context should still be there");
        let name = match &claim.name {
            Some(name) => name.clone(),
            // Formulas have numbers of their own.
            None => {
                let n_before = self.model.claims.iter().filter(|claim| claim.formula.is_none()).count();
                format!("never_{n_before}").into()
            }
        };
        self.check_claim_name(&name, claim.at.0);
        let index = self.model.claims.len();
        self.model.claims.push(Claim {
            name,
            formula: None,
            automaton: Automaton::default(),
            is_stutter_invariant: false,
            span: claim.at.0,
        });
        self.bodies.push(Body { flow: context.flow, body, owner: Owner::Claim(index) });
    }

    fn trace(&mut self, trace: &syntax::Trace) {
        self.context = Some(Self::new_context(ContextKind::Trace));
        let body = self.body(&trace.body, trace.at.0);
        let context = self.context.take().expect("the context should still be there");
        if !self.model.traces.is_empty() {
            self.error(trace.at.0, "`trace` is written twice");
        }
        let index = self.model.traces.len();
        self.model.traces.push((trace.is_negated, Automaton::default()));
        self.bodies.push(Body { flow: context.flow, body, owner: Owner::Trace(index) });
    }

    /// Claims and formulas are asked for by their names, so these differ.
    fn check_claim_name(&mut self, name: &Name, span: Span) {
        if self.model.claims.iter().any(|other| other.name == *name) {
            self.error(span, format!("claim `{name}` is written twice"));
        }
    }

    /// Reads the automata off, now that all remote labels are known.
    fn finish(&mut self) {
        for mut waiting in std::mem::take(&mut self.bodies) {
            waiting.flow.check_jumps();
            let is_sound = waiting.flow.misplaced.iter().all(|misplaced| !misplaced.is_error);
            let mut automaton = Automaton::default();
            if waiting.flow.n_elements() >= usize::from(u16::MAX) {
                self.session.diagnostics.error(Span::NONE, "a process has more than 65534 statements");
            }
            if let (true, Some(body), 0) = (is_sound, waiting.body, self.session.diagnostics.n_errors()) {
                automaton = waiting.flow.build(body);
            }
            for misplaced in &waiting.flow.misplaced {
                match misplaced.is_error {
                    true => self.session.diagnostics.error(misplaced.span, misplaced.message.clone()),
                    false => self.session.diagnostics.warning(misplaced.span, misplaced.message.clone()),
                }
            }
            match waiting.owner {
                Owner::Proctype(id) => self.model.proctypes[id].automaton = automaton,
                Owner::Claim(index) => self.model.claims[index].automaton = automaton,
                Owner::Trace(index) => self.model.traces[index].1 = automaton,
            }
        }
        for (n_fields, span) in std::mem::take(&mut self.messages) {
            if n_fields > self.max_fields.max(1) {
                let message =
                    format!("a message of {n_fields} fields, but no channel has more than {}", self.max_fields);
                self.error(span, message);
            }
        }
        self.declare_records();
        if self.model.proctypes.len() > 255 {
            self.error(Span::NONE, "more than 255 process types");
        }
        if self.model.proctypes.is_empty() && self.session.diagnostics.n_errors() == 0 {
            self.error(Span::NONE, "the model has no processes");
        }
    }

    /// The variable that a name means here.
    fn lookup(&self, name: &str) -> Option<&Var> {
        let locals = self.context.iter().flat_map(|context| context.scopes.iter().rev());
        locals.flat_map(|scope| scope.get(name)).next().or_else(|| self.globals.get(name))
    }

    /// The value of a constant expression.
    fn constant(&mut self, expr: &syntax::Expr) -> Option<i32> {
        let value = match &expr.kind {
            ExprKind::Var(var) if var.index.is_none() && var.field.is_none() => {
                match (self.mtypes.get(&var.name), self.lookup(&var.name)) {
                    (Some((_, value)), _) => return Some(*value),
                    (None, Some(Var { value: Some(value), .. })) => {
                        let value = *value;
                        let message = format!("`{}` is taken for the {value} that it starts with", var.name);
                        self.warn(expr.at.0, message);
                        return Some(value);
                    }
                    _ => None,
                }
            }
            _ => self.value(expr).and_then(|value| fold(&value)),
        };
        if value.is_none() {
            self.error(expr.at.0, "a constant is needed here");
        }
        value
    }

    fn scalar_type(&mut self, ty: &TypeName, width: Option<i32>, span: Span) -> Type {
        if width.is_some() && *ty != TypeName::Unsigned {
            self.error(span, "only `unsigned` has a width");
        }
        match ty {
            TypeName::Bit | TypeName::Bool => Type::Scalar(Scalar::Bit),
            TypeName::Byte | TypeName::Pid => Type::Scalar(Scalar::Byte),
            TypeName::Short => Type::Scalar(Scalar::Short),
            TypeName::Int => Type::Scalar(Scalar::Int),
            TypeName::Unsigned => match width {
                Some(width @ 1..=31) => Type::Scalar(Scalar::Unsigned(width as u8)),
                Some(_) => {
                    self.error(span, "the width of an `unsigned` is a number from 1 to 31");
                    Type::Scalar(Scalar::Int)
                }
                None => {
                    self.error(span, "`unsigned` needs a width: `unsigned x : 5`");
                    Type::Scalar(Scalar::Int)
                }
            },
            TypeName::Chan => Type::Chan,
            TypeName::Mtype(set) => {
                let set: Name = set.clone().unwrap_or_else(|| "".into());
                Type::Mtype(self.mtype_set(&set))
            }
            TypeName::User(name) => match self.record_names.get(name) {
                Some(record) => Type::Record(*record),
                None => {
                    self.error(span, format!("type `{name}` is not declared"));
                    Type::Scalar(Scalar::Int)
                }
            },
        }
    }

    /// The position of a set of `mtype`, made on first sight.
    fn mtype_set(&mut self, name: &str) -> usize {
        match self.model.mtypes.iter().position(|(set, _)| &**set == name) {
            Some(position) => position,
            None => {
                self.model.mtypes.push((Arc::from(name), Vec::new()));
                self.model.mtypes.len() - 1
            }
        }
    }
}

/// The value of an expression without variables.
fn fold(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Unary(operator, operand) => Some(unpick_automaton::interp::unary(*operator, fold(operand)?)),
        Expr::Binary(operator, left, right) => unpick_automaton::interp::binary(*operator, fold(left)?, fold(right)?),
        _ => None,
    }
}
