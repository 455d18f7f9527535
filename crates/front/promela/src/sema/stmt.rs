//! Analysis of statements: each becomes the steps that SPIN makes of it.

use std::collections::HashMap;
use std::sync::Arc;

use unpick_base::Span;

use super::{ContextKind, Sema, Type};
use crate::flow::{BlockKind, Closing, LoopId, Node, Path, Target};
use crate::syntax::{self, Block, Call, ExprKind, Name, Stmt, StmtKind, VarRef};
use unpick_automaton::{Binary, Expr, Match, Place, Receive, Scalar, Scope, Step};

/// A statement with the labels before it.
struct Labelled {
    node: Node,
    labels: Vec<(Name, Path, Span)>,
    span: Span,
}

/// Up to this many values a `select` is a choice; beyond, a loop.
const MAX_SELECT: i64 = 32;

impl Sema<'_> {
    pub(super) fn steps(&mut self, block: &Block) {
        for step in block {
            match step {
                syntax::Step::Decl(decl) => self.local(decl),
                syntax::Step::Exclusive(exclusive) => self.exclusive(exclusive),
                syntax::Step::Stmt(stmt) => {
                    if let Some(labelled) = self.stmt(stmt) {
                        self.add(labelled);
                    }
                }
                syntax::Step::Unless(main, escape) => {
                    let (main, escape) = (self.stmt(main), self.stmt(escape));
                    if let (Some(main), Some(escape)) = (main, escape)
                        && let Some(labelled) = self.unless(main, escape)
                    {
                        self.add(labelled);
                    }
                }
            }
        }
    }

    /// Adds a node at the place at which it is told.
    fn put(&mut self, node: Node, labels: &[(Name, Path, Span)], span: Span) {
        let span = self.context.as_ref().and_then(|context| context.site).unwrap_or(span);
        self.flow().add(node, labels, span);
    }

    fn add(&mut self, labelled: Labelled) {
        self.put(labelled.node, &labelled.labels, labelled.span);
    }

    fn add_step(&mut self, step: Step, span: Span) {
        self.put(Node::Step(step), &[], span);
    }

    fn exclusive(&mut self, exclusive: &syntax::Exclusive) {
        for channel in &exclusive.channels {
            // Also whole arrays and records of channels may be claimed.
            if let Some(found) = self.find(channel)
                && !matches!(found.ty, Type::Chan | Type::Record(_))
            {
                self.error(channel.at.0, format!("`{}` is no channel", channel.name));
            }
        }
    }

    /// What the statement is, and the labels before it. Steps that SPIN puts before it are added on the way.
    fn stmt(&mut self, stmt: &Stmt) -> Option<Labelled> {
        let mut labels = Vec::new();
        let mut inner = stmt;
        let path = self.path();
        let mut node = None;
        while let StmtKind::Label(name, labelled) = &inner.kind {
            if self.lookup(name).is_some() {
                self.error(inner.at.0, format!("label `{name}` has the name of a variable"));
            }
            labels.push((name.clone(), path.clone(), inner.at.0));
            match labelled {
                Some(labelled) => inner = labelled,
                None => {
                    node = Some(Node::Step(Step::Skip));
                    break;
                }
            }
        }
        let span = inner.at.0;
        let node = match node {
            Some(node) => Some(node),
            None => self.node(inner, &mut labels),
        };
        if let Some(context) = &mut self.context {
            context.is_at_start = false;
        }
        Some(Labelled { node: node?, labels, span })
    }

    fn path(&self) -> Path {
        self.context.as_ref().map_or_else(|| Arc::from([]), |context| Arc::from(&context.path[..]))
    }

    fn node(&mut self, stmt: &Stmt, labels: &mut Vec<(Name, Path, Span)>) -> Option<Node> {
        let span = stmt.at.0;
        let kind = self.context.as_ref().map(|context| context.kind);
        if kind == Some(ContextKind::Trace) && !is_event(&stmt.kind) {
            self.error(span, "only sends and receives are events of a `trace`");
        }
        match &stmt.kind {
            StmtKind::Label(..) => None,
            StmtKind::If(options) => {
                let options = self.options(options, span)?;
                Some(Node::If(options))
            }
            StmtKind::Do(options) => {
                let id = self.enter_loop();
                let options = self.options(options, span);
                self.leave_loop();
                Some(Node::Do(options?, id))
            }
            StmtKind::For { var, from, to, body } => self.for_range(var, from, to, body, span),
            StmtKind::ForIn { var, container, body } => self.for_in(var, container, body, span),
            StmtKind::Select { var, from, to, is_literal } => self.select(var, from, to, *is_literal, labels, span),
            StmtKind::Break => match self.context.as_ref().and_then(|context| context.loops.last()) {
                Some(id) => Some(Node::Goto(Target::Exit(*id))),
                None => {
                    self.error(span, "`break` outside a loop");
                    None
                }
            },
            StmtKind::Goto(name, at) => {
                if self.lookup(name).is_some() {
                    self.error(at.0, format!("`{name}` is a variable, not a label"));
                }
                Some(Node::Goto(Target::Label(name.clone(), self.path())))
            }
            StmtKind::Atomic(block) => self.block(block, BlockKind::Atomic, span),
            StmtKind::DStep(block) => self.d_step(block, span),
            StmtKind::Block(block) => self.block(block, BlockKind::Plain, span),
            StmtKind::Call(call) => self.call(call, span, labels),
            _ => Some(Node::Step(self.simple(stmt)?)),
        }
    }

    fn call(&mut self, call: &Call, span: Span, labels: &mut Vec<(Name, Path, Span)>) -> Option<Node> {
        let site = self.is_in_c(span).then_some(span);
        let context = self.context.as_mut()?;
        context.is_at_start = false;
        context.results.push(call.result.clone());
        let outer = context.site;
        context.site = outer.or(site);
        let node = self.node(&call.body, labels);
        let context = self.context.as_mut()?;
        context.site = outer;
        context.results.pop();
        node
    }

    /// Whether line markers say that a place lies in a source of C.
    fn is_in_c(&self, span: Span) -> bool {
        let place = self.session.sources.place(span.lo);
        place.is_some_and(|place| [".c", ".h", ".i"].iter().any(|extension| place.file.ends_with(extension)))
    }

    /// A statement that is one step.
    fn simple(&mut self, stmt: &Stmt) -> Option<Step> {
        let span = stmt.at.0;
        match &stmt.kind {
            StmtKind::Receive(receive) => Some(Step::Receive(self.receive(receive, span)?)),
            StmtKind::Send { channel, is_sorted, args } => {
                let (channel, known) = self.channel(channel)?;
                let args = self.message(args)?;
                self.check_fields(known, args.len(), "sent", span);
                Some(Step::Send { channel, is_sorted: *is_sorted, args })
            }
            StmtKind::Assign(var, value) => self.assign(var, value),
            StmtKind::Increment(var) => self.count(var, Binary::Add),
            StmtKind::Decrement(var) => self.count(var, Binary::Subtract),
            StmtKind::Return(value) => match self.context.as_ref()?.results.last().cloned().flatten() {
                Some(result) => self.assign(&result, value),
                None => None,
            },
            StmtKind::SetPriority(pid, priority) => {
                self.model.has_priority = true;
                let (pid, priority) = (self.number(pid), self.number(priority));
                Some(Step::SetPriority(pid?, priority?))
            }
            StmtKind::Printf(text, args) => {
                let args = args.iter().filter_map(|arg| self.value(arg)).collect();
                Some(Step::Printf(text.clone(), args))
            }
            StmtKind::Printm(expr) => {
                let set = match &expr.kind {
                    ExprKind::Var(var) => self.mtypes.get(&var.name).map(|(set, _)| *set),
                    _ => None,
                };
                Some(Step::Printm(self.value(expr)?, set))
            }
            StmtKind::Assert(expr) => Some(Step::Assert(self.value(expr)?)),
            StmtKind::Code(code) => Some(Step::Code(self.piece(code))),
            StmtKind::Condition(expr) => {
                self.check_runs(expr);
                match self.value(expr)? {
                    Expr::Const(1) => Some(Step::Skip),
                    value => Some(Step::Condition(value)),
                }
            }
            StmtKind::Else => Some(Step::Else),
            _ => None,
        }
    }

    /// A process is made once, not as part of something bigger.
    fn check_runs(&mut self, expr: &syntax::Expr) {
        let n_runs = count_runs(expr);
        if n_runs > 1 {
            self.error(expr.at.0, "an expression may make only one process");
        }
        let is_compound = !matches!(expr.kind, ExprKind::Run { .. });
        if n_runs == 1 && is_compound {
            self.error(expr.at.0, "`run` inside a compound expression");
        }
    }

    fn assign(&mut self, var: &VarRef, value: &syntax::Expr) -> Option<Step> {
        match &*var.name {
            "_" => {
                let value = self.value(value)?;
                return Some(Step::Assign(Self::nowhere(), value));
            }
            "_priority" => {
                self.model.has_priority = true;
                return Some(Step::SetPriority(Expr::Pid, self.number(value)?));
            }
            "_pid" | "_nr_pr" | "_last" => {
                self.error(var.at.0, format!("`{}` cannot be assigned", var.name));
                return None;
            }
            name if self.mtypes.contains_key(name) => {
                self.error(var.at.0, format!("`{name}` is a constant"));
                return None;
            }
            _ => {}
        }
        let (place, ty, _) = self.scalar(var)?;
        if var.field.is_none() {
            self.check_assigned(ty, &var.name, value);
        }
        Some(Step::Assign(place, self.value(value)?))
    }

    fn count(&mut self, var: &VarRef, operator: Binary) -> Option<Step> {
        let (place, ty, _) = self.scalar(var)?;
        if ty == Type::Chan {
            self.error(var.at.0, format!("channel `{}` cannot be counted", var.name));
            return None;
        }
        Some(counted(place, operator))
    }

    fn options(&mut self, options: &[Block], span: Span) -> Option<Vec<crate::flow::SequenceId>> {
        let mut found = Some(Vec::new());
        for option in options {
            self.open();
            self.steps(option);
            match (&mut found, self.flow().close(Closing::Option, span)) {
                (Some(found), Some(id)) => found.push(id),
                _ => found = None,
            }
        }
        found
    }

    fn open(&mut self) {
        self.flow().open();
        if let Some(context) = &mut self.context {
            context.is_at_start = false;
        }
    }

    fn enter_scope(&mut self) {
        if let Some(context) = &mut self.context {
            context.n_blocks += 1;
            context.path.push(context.n_blocks);
            context.scopes.push(HashMap::new());
        }
    }

    fn leave_scope(&mut self) {
        if let Some(context) = &mut self.context {
            context.path.pop();
            context.scopes.pop();
        }
    }

    fn block(&mut self, block: &Block, kind: BlockKind, span: Span) -> Option<Node> {
        self.open();
        self.enter_scope();
        self.steps(block);
        self.leave_scope();
        let closing = match kind {
            BlockKind::Plain => Closing::Block,
            BlockKind::Atomic => Closing::Atomic,
            BlockKind::DStep => Closing::DStep,
        };
        let id = self.flow().close(closing, span)?;
        Some(Node::Block(kind, id))
    }

    fn d_step(&mut self, block: &Block, span: Span) -> Option<Node> {
        let context = self.context.as_mut()?;
        context.n_d_steps += 1;
        let id = context.n_d_steps;
        let outer = context.flow.d_step.replace(context.flow.d_step.unwrap_or(id));
        let node = self.block(block, BlockKind::DStep, span);
        self.flow().d_step = outer;
        node
    }

    fn enter_loop(&mut self) -> LoopId {
        let context = self.context.as_mut().expect("a loop should have a context");
        let id = context.flow.new_loop();
        context.loops.push(id);
        id
    }

    fn leave_loop(&mut self) {
        if let Some(context) = &mut self.context {
            context.loops.pop();
        }
    }

    fn unless(&mut self, main: Labelled, escape: Labelled) -> Option<Labelled> {
        let span = main.span;
        let escape = match escape.node {
            Node::Block(BlockKind::Plain, id) if escape.labels.is_empty() => Some(id),
            _ => {
                let span = escape.span;
                self.flow().open();
                self.add(escape);
                self.flow().close(Closing::Escape, span)
            }
        }?;
        match main.node {
            Node::Block(BlockKind::Plain, id) if main.labels.is_empty() => {
                Some(Labelled { node: Node::Unless(id, escape), labels: Vec::new(), span })
            }
            // The label moves to a block around the whole.
            Node::Block(kind, id) if !main.labels.is_empty() => {
                self.flow().open();
                self.put(Node::Unless(id, escape), &[], span);
                let id = self.flow().close(Closing::Body, span)?;
                Some(Labelled { node: Node::Block(kind, id), labels: main.labels, span })
            }
            node => {
                self.flow().open();
                self.add(Labelled { node, labels: main.labels, span });
                let id = self.flow().close(Closing::Main, span)?;
                Some(Labelled { node: Node::Unless(id, escape), labels: Vec::new(), span })
            }
        }
    }

    /// The variable that counts in a loop.
    fn counter(&mut self, var: &VarRef) -> Option<Place> {
        let (place, ty, _) = self.scalar(var)?;
        if matches!(ty, Type::Chan) || var.field.is_some() && var.index.is_some() {
            self.error(var.at.0, format!("`{}` cannot count", var.name));
            return None;
        }
        Some(place)
    }

    fn for_range(
        &mut self,
        var: &VarRef,
        from: &syntax::Expr,
        to: &syntax::Expr,
        body: &Block,
        span: Span,
    ) -> Option<Node> {
        let place = self.counter(var);
        let (from, to) = (self.number(from), self.number(to));
        let (place, from, to) = (place?, from?, to?);
        if let (Expr::Const(first), Expr::Const(last)) = (&from, &to)
            && first > last
        {
            self.error(span, "the loop begins behind its end");
        }
        self.loop_over(place, from, to, body, span)
    }

    /// `place` runs from `from` to `to`; the steps are an assignment, then a loop with a test and an increment.
    fn loop_over(&mut self, place: Place, from: Expr, to: Expr, body: &Block, span: Span) -> Option<Node> {
        let id = self.enter_loop();
        self.add_step(Step::Assign(place.clone(), from), span);
        self.open();
        let load = Expr::Load(Box::new(place.clone()));
        let test = Expr::Binary(Binary::LessEqual, Box::new(load), Box::new(to));
        self.add_step(Step::Condition(test), span);
        self.loop_body(place, body, id, span)
    }

    /// The rest of a loop whose sequence is open.
    fn loop_body(&mut self, place: Place, body: &Block, id: LoopId, span: Span) -> Option<Node> {
        self.enter_scope();
        self.steps(body);
        self.leave_scope();
        self.close_loop(place, id, true, span)
    }

    fn close_loop(&mut self, place: Place, id: LoopId, has_else: bool, span: Span) -> Option<Node> {
        self.add_step(counted(place, Binary::Add), span);
        let main = self.flow().close(Closing::Loop, span);
        self.open();
        if has_else {
            self.add_step(Step::Else, span);
        }
        self.put(Node::Goto(Target::Exit(id)), &[], span);
        let exit = self.flow().close(Closing::Loop, span);
        self.leave_loop();
        Some(Node::Do(vec![exit?, main?], id))
    }

    fn for_in(&mut self, var: &VarRef, container: &VarRef, body: &Block, span: Span) -> Option<Node> {
        let found = self.find(container)?;
        if let Some(count) = found.whole {
            let place = self.counter(var)?;
            return self.loop_over(place, Expr::Const(0), Expr::Const(count as i32 - 1), body, span);
        }
        let known = found.channel.map(|channel| self.model.channel_types[channel].clone());
        let (Type::Chan, Some(known)) = (found.ty, known) else {
            self.error(container.at.0, format!("`{}` is no array and no channel that is known here", container.name));
            return None;
        };
        let fields = self.scalars(var)?;
        let is_fitting = fields.iter().map(|place| place.scalar).eq(known.fields.iter().copied());
        if !is_fitting || known.capacity == 0 {
            self.error(var.at.0, format!("`{}` is no message of channel `{}`", var.name, container.name));
            return None;
        }
        let (channel, _) = self.channel(container)?;
        let place = self.hidden_counter();
        let id = self.enter_loop();
        self.add_step(Step::Assign(place.clone(), Expr::Const(0)), span);
        self.open();
        let load = Expr::Load(Box::new(place.clone()));
        let len = Expr::Len(Box::new(channel.clone()));
        self.add_step(Step::Condition(Expr::Binary(Binary::Less, Box::new(load), Box::new(len))), span);
        // Every message is taken and put back behind the others.
        let args = fields.iter().cloned().map(Match::Store).collect();
        let receive = Receive { channel: channel.clone(), is_random: false, is_copy: false, args, span };
        self.add_step(Step::Receive(receive), span);
        let args = fields.into_iter().map(|place| Expr::Load(Box::new(place))).collect();
        self.add_step(Step::Send { channel, is_sorted: false, args }, span);
        self.loop_body(place, body, id, span)
    }

    /// The counter of loops over channels in this block.
    fn hidden_counter(&mut self) -> Place {
        let path = self.path();
        let context = self.context.as_mut().expect("a loop should have a context");
        let frame = &mut context.frame;
        let place = context.counters.entry(path).or_insert_with(|| {
            frame.size += 1;
            Place { scope: Scope::Local, offset: frame.size - 1, indices: Vec::new(), scalar: Scalar::Byte }
        });
        place.clone()
    }

    fn select(
        &mut self,
        var: &VarRef,
        from: &syntax::Expr,
        to: &syntax::Expr,
        is_literal: bool,
        labels: &mut Vec<(Name, Path, Span)>,
        span: Span,
    ) -> Option<Node> {
        let place = self.counter(var);
        let (from, to) = (self.number(from), self.number(to));
        let (place, from, to) = (place?, from?, to?);
        let range = match (&from, &to) {
            (Expr::Const(first), Expr::Const(last)) => Some((*first, *last)),
            _ => None,
        };
        if range.is_some_and(|(first, last)| first > last) {
            self.error(span, "the range is empty");
            return None;
        }
        match range {
            Some((first, last)) if is_literal && i64::from(last) - i64::from(first) <= MAX_SELECT => {
                let mut options = Vec::new();
                for value in first..=last {
                    self.open();
                    self.add_step(Step::Assign(place.clone(), Expr::Const(value)), span);
                    options.push(self.flow().close(Closing::Option, span)?);
                }
                Some(Node::If(options))
            }
            _ if is_literal => {
                let first = Labelled {
                    node: Node::Step(Step::Assign(place.clone(), from)),
                    labels: std::mem::take(labels),
                    span,
                };
                self.add(first);
                self.count_up(place, to, span)
            }
            _ => {
                self.add_step(Step::Assign(place.clone(), from), span);
                self.count_up(place, to, span)
            }
        }
    }

    /// A loop that stops at any value up to `to`.
    fn count_up(&mut self, place: Place, to: Expr, span: Span) -> Option<Node> {
        let id = self.enter_loop();
        self.open();
        let load = Expr::Load(Box::new(place.clone()));
        let test = Expr::Binary(Binary::Less, Box::new(load), Box::new(to));
        self.add_step(Step::Condition(test), span);
        self.close_loop(place, id, false, span)
    }
}

fn counted(place: Place, operator: Binary) -> Step {
    let load = Expr::Load(Box::new(place.clone()));
    Step::Assign(place, Expr::Binary(operator, Box::new(load), Box::new(Expr::Const(1))))
}

fn count_runs(expr: &syntax::Expr) -> usize {
    match &expr.kind {
        ExprKind::Run { .. } => 1,
        ExprKind::Unary(_, operand) => count_runs(operand),
        ExprKind::Binary(_, left, right) => count_runs(left) + count_runs(right),
        ExprKind::Conditional(condition, yes, no) => count_runs(condition) + count_runs(yes) + count_runs(no),
        _ => 0,
    }
}

fn is_event(kind: &StmtKind) -> bool {
    !matches!(
        kind,
        StmtKind::Assign(..)
            | StmtKind::Increment(_)
            | StmtKind::Decrement(_)
            | StmtKind::SetPriority(..)
            | StmtKind::Printf(..)
            | StmtKind::Printm(_)
            | StmtKind::Assert(_)
            | StmtKind::Code(_)
            | StmtKind::Condition(_)
            | StmtKind::Else
            | StmtKind::Atomic(_)
            | StmtKind::DStep(_)
            | StmtKind::Block(_)
            | StmtKind::Call(_)
            | StmtKind::Return(_)
    )
}
