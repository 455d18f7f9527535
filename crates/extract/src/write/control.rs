//! Generation of control structure: choices, loops, jumps.

use unpick_front_c::ast::LabelId;
use unpick_front_promela::syntax::{At, Block, Expr, ExprKind, Name, Step, Stmt, StmtKind};

use super::{Exit, Frame, Process, Target, Writer, filled};
use crate::code::{Arm, Ends, FragmentId, Node, Switch};
use crate::translate::{binary, falsehood, step, truth};

impl Writer<'_> {
    pub(super) fn nodes(&mut self, nodes: &[Node], frame: &mut Frame, process: &mut Process) -> Block {
        let mut block = Block::new();
        for node in nodes {
            if !matches!(node, Node::Do(_)) {
                frame.is_at_top = false;
            }
            self.node(node, frame, process, &mut block);
        }
        block
    }

    fn node(&mut self, node: &Node, frame: &mut Frame, process: &mut Process, block: &mut Block) {
        match node {
            Node::Do(fragment) if self.is_progress(*fragment) => {
                let name = self.label("progress", process);
                push(block, labelled(name, None));
                let mut passed = vec![condition(truth())];
                self.mark(&mut passed, *fragment, frame);
                append(block, passed);
            }
            Node::Do(fragment) => {
                let steps = self.fragment(*fragment, frame, process);
                append(block, steps);
            }
            Node::If { condition, then, otherwise } => {
                let (mut yes, mut no) = self.guards(*condition, frame);
                append(&mut yes, self.nodes(then, frame, process));
                append(&mut no, self.nodes(otherwise, frame, process));
                let mut choice = vec![step(StmtKind::If(vec![option(yes), option(no)]))];
                self.mark_head(&mut choice, *condition, frame);
                append(block, choice);
            }
            Node::Loop { before, condition, is_tested_first, body, step: next } => {
                let steps = self.repeat(before, *condition, *is_tested_first, body, next, frame, process);
                append(block, steps);
            }
            Node::Once(body) => {
                let end = self.label("after_block", process);
                frame.targets.push(Target::Jump { end: end.clone(), is_used: false, is_loop: true });
                append(block, self.nodes(body, frame, process));
                if let Some(Target::Jump { is_used: true, .. }) = frame.targets.pop() {
                    push(block, labelled(end, None));
                }
            }
            Node::Switch(switch) => {
                let steps = self.switch(switch, frame, process);
                append(block, steps);
            }
            Node::CaseLabel(position) => {
                let name = frame.targets.iter().rev().find_map(|target| match target {
                    Target::Cases { names, .. } => names.get(*position).cloned(),
                    Target::Loop { .. } | Target::Jump { .. } => None,
                });
                append(block, name.map(|name| labelled(name, None)).into_iter().collect());
            }
            Node::Label(label) => {
                let name = self.user_label(*label, frame, process);
                let is_passed = ["accept", "progress"].iter().any(|special| name.starts_with(special));
                push(block, labelled(name, None));
                // What counts is to pass it, not to wait for what comes behind.
                if is_passed {
                    push(block, condition(truth()));
                }
            }
            Node::Goto(label) => {
                let name = self.user_label(*label, frame, process);
                push(block, goto(name));
            }
            Node::GotoAny(labels) => {
                let names: Vec<Name> = labels.iter().map(|label| self.user_label(*label, frame, process)).collect();
                let options = names.into_iter().map(|name| vec![condition(truth()), goto(name)]).collect::<Vec<_>>();
                push(block, if options.is_empty() { condition(falsehood()) } else { step(StmtKind::If(options)) });
            }
            Node::Break => push(block, leave(frame)),
            Node::Continue => {
                let again = frame.targets.iter_mut().rev().find_map(|target| match target {
                    Target::Loop { again, is_again_used } => {
                        *is_again_used = true;
                        Some(again.clone())
                    }
                    Target::Jump { end, is_used, is_loop: true } => {
                        *is_used = true;
                        Some(end.clone())
                    }
                    Target::Jump { .. } | Target::Cases { .. } => None,
                });
                append(block, again.map(goto).into_iter().collect());
            }
            Node::Return(value) => {
                if let Some(value) = value {
                    let steps = self.returned(*value, frame, process);
                    append(block, steps);
                }
                let (Exit::Process { label, is_used }
                | Exit::Inline { label, is_used, .. }
                | Exit::Callable { label, is_used, .. }) = &mut frame.exit;
                *is_used = true;
                push(block, goto(label.clone()));
            }
            Node::Stop(Ends::Program) if process.is_one_of_many => {
                let name = self.label("progress", process);
                push(block, labelled(name, Some(over())));
            }
            Node::Stop(Ends::Thread) if process.is_main => {
                process.is_left = true;
                push(block, goto(process.leave.clone()));
            }
            Node::Stop(ends) => {
                self.loses_end |= *ends == Ends::Thread && process.is_callable;
                process.is_stopped = true;
                push(block, goto(process.finish.clone()));
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn repeat(
        &mut self,
        before: &[Node],
        tested: Option<FragmentId>,
        is_tested_first: bool,
        body: &[Node],
        next: &[Node],
        frame: &mut Frame,
        process: &mut Process,
    ) -> Block {
        let again = self.label("again", process);
        let comments = std::mem::take(&mut frame.comments);
        let before = self.nodes(before, frame, process);
        frame.targets.push(Target::Loop { again: again.clone(), is_again_used: false });
        let body = self.nodes(body, frame, process);
        let is_again_used = match frame.targets.pop() {
            Some(Target::Loop { is_again_used, .. }) => is_again_used,
            Some(_) | None => false,
        };
        let mut next = self.nodes(next, frame, process);
        frame.comments.splice(0..0, comments);
        let is_head = is_tested_first && next.is_empty();
        let mut round = Block::new();
        let test = tested.map(|condition| self.guards(condition, frame));
        let options = match (test, is_tested_first) {
            (None, _) => {
                append(&mut round, before);
                append(&mut round, body);
                self.continued(&mut round, &mut next, is_again_used && !is_head, &again);
                vec![option(filled(round))]
            }
            (Some((mut yes, mut no)), true) => {
                append(&mut yes, body);
                self.continued(&mut yes, &mut next, is_again_used && !is_head, &again);
                no.push(step(StmtKind::Break));
                if before.is_empty() {
                    vec![option(yes), option(no)]
                } else {
                    let mut round = before;
                    round.push(step(StmtKind::If(vec![option(yes), option(no)])));
                    vec![option(round)]
                }
            }
            (Some((yes, mut no)), false) => {
                no.push(step(StmtKind::Break));
                round = body;
                let mut tail = before;
                tail.push(step(StmtKind::If(vec![option(yes), option(no)])));
                self.continued(&mut round, &mut tail, is_again_used, &again);
                vec![option(round)]
            }
        };
        let mut repetition = vec![step(StmtKind::Do(options))];
        match tested {
            Some(condition) => self.mark_head(&mut repetition, condition, frame),
            None => {
                if let (Some(Step::Stmt(stmt)), false) = (repetition.first_mut(), frame.comments.is_empty()) {
                    self.notes.push(super::Note { before: std::mem::take(&mut frame.comments), ..Default::default() });
                    let index = self.notes.len() as u32 - 1;
                    stmt.at = At(unpick_base::Span::new(index, index));
                }
            }
        }
        if is_again_used && is_head {
            let Some(Step::Stmt(stmt)) = repetition.pop() else { return repetition };
            repetition.push(labelled(again, Some(stmt)));
        }
        repetition
    }

    /// Adds what comes after a round, behind the label that `continue` jumps to.
    fn continued(&mut self, round: &mut Block, next: &mut Block, is_labelled: bool, again: &Name) {
        if is_labelled {
            round.push(labelled(again.clone(), None));
        }
        append(round, std::mem::take(next));
    }

    fn switch(&mut self, switch: &Switch, frame: &mut Frame, process: &mut Process) -> Block {
        let end = self.label("after_switch", process);
        if !switch.is_structured {
            return self.jump_table(switch, end, frame, process);
        }
        let entries: Vec<Name> = switch.arms.iter().map(|_| self.label("case", process)).collect();
        let mut guards = self.arm_guards(&switch.arms, frame);
        let mut options = Vec::new();
        frame.targets.push(Target::Jump { end: end.clone(), is_used: false, is_loop: false });
        let mut falls_into: Option<usize> = None;
        for (position, arm) in switch.arms.iter().enumerate() {
            let mut nodes = arm.body.as_slice();
            let is_broken = matches!(nodes.last(), Some(Node::Break));
            if is_broken {
                nodes = &nodes[..nodes.len() - 1];
            }
            let mut body = self.nodes(nodes, frame, process);
            let is_open = !is_broken && can_go_on(nodes) && position + 1 < switch.arms.len();
            let is_entered = falls_into == Some(position);
            falls_into = is_open.then_some(position + 1);
            if is_open {
                push(&mut body, goto(entries[position + 1].clone()));
            }
            let mut block = std::mem::take(&mut guards[position]);
            if is_entered {
                block.push(labelled(entries[position].clone(), None));
            }
            append(&mut block, body);
            options.push(option(block));
        }
        let is_used = matches!(frame.targets.pop(), Some(Target::Jump { is_used: true, .. }));
        if let Some(rest) = guards.get_mut(switch.arms.len()) {
            options.push(option(std::mem::take(rest)));
        }
        let mut block = if options.is_empty() { Block::new() } else { vec![step(StmtKind::If(options))] };
        if let Some(condition) = switch.arms.iter().flat_map(|arm| &arm.conditions).next() {
            self.mark_head(&mut block, *condition, frame);
        }
        if is_used {
            block.push(labelled(end, None));
        }
        block
    }

    /// A switch whose cases lie anywhere: jumps first, then the body with labels.
    fn jump_table(&mut self, switch: &Switch, end: Name, frame: &mut Frame, process: &mut Process) -> Block {
        let names: Vec<Name> = switch.arms.iter().map(|_| self.label("case", process)).collect();
        let guards = self.arm_guards(&switch.arms, frame);
        let mut options = Vec::new();
        for (position, mut guard) in guards.into_iter().enumerate() {
            guard.push(goto(names.get(position).cloned().unwrap_or(end.clone())));
            options.push(option(guard));
        }
        let is_left = !switch.arms.iter().any(|arm| arm.is_default);
        let mut block = if options.is_empty() { Block::new() } else { vec![step(StmtKind::If(options))] };
        frame.targets.push(Target::Cases { names, end: end.clone(), is_used: is_left });
        append(&mut block, self.nodes(&switch.body, frame, process));
        if let Some(Target::Cases { is_used: true, .. }) = frame.targets.pop() {
            block.push(labelled(end, None));
        }
        block
    }

    /// Guards of the arms; without a `default` a last one for all other values.
    fn arm_guards(&mut self, arms: &[Arm], frame: &mut Frame) -> Vec<Block> {
        let mut guards: Vec<Block> = Vec::new();
        let mut others: Option<Expr> = None;
        for condition in arms.iter().flat_map(|arm| &arm.conditions) {
            let (_, no) = self.guards(*condition, frame);
            others = Some(join(others, guard_expr(&no), unpick_front_promela::syntax::Binary::And));
        }
        let others = others.unwrap_or_else(truth);
        for arm in arms {
            let mut guard: Option<Expr> = arm.is_default.then(|| others.clone());
            if let ([only], false) = (arm.conditions.as_slice(), arm.is_default) {
                guards.push(self.guards(*only, frame).0);
                continue;
            }
            for condition in &arm.conditions {
                let (yes, _) = self.guards(*condition, frame);
                guard = Some(join(guard, guard_expr(&yes), unpick_front_promela::syntax::Binary::Or));
            }
            guards.push(vec![condition(guard.unwrap_or_else(falsehood))]);
        }
        if !arms.iter().any(|arm| arm.is_default) {
            guards.push(vec![condition(others)]);
        }
        guards
    }

    pub(super) fn label(&mut self, base: &str, process: &mut Process) -> Name {
        process.n_labels += 1;
        process.names.fresh(&format!("{base}_{}", process.n_labels))
    }

    fn user_label(&mut self, label: LabelId, frame: &mut Frame, process: &mut Process) -> Name {
        if let Some(name) = frame.labels.get(&label) {
            return name.clone();
        }
        let unit = self.context.code.functions[frame.function].unit;
        let name = self.context.interner.name(self.context.code.units[unit].labels[label].name);
        // Labels that begin so mean something to the checker. In C `progress` does too, wherever it stands; `accept` and
        // `end` alone are names like others.
        let is_special = ["end", "accept"].iter().any(|special| name.starts_with(special));
        let is_meant = ["end_", "accept_"].iter().any(|special| name.starts_with(special));
        if name.starts_with("end_") {
            let text = format!("whoever waits at the label `{name}` may do so for ever, as the label says");
            if !self.waits.contains(&text) {
                self.waits.push(text);
            }
        }
        let is_other = is_special && !is_meant;
        let name = process.names.fresh(&if is_other { format!("label_{name}") } else { name.to_owned() });
        frame.labels.insert(label, name.clone());
        name
    }

    /// Whether a fragment says that progress is made, and no row says otherwise.
    fn is_progress(&self, id: FragmentId) -> bool {
        self.context.code.fragments[id].text == "__unpick_progress()" && !self.decisions.plain[id].is_row()
    }

    /// Marks a choice or a loop with its condition.
    fn mark_head(&mut self, block: &mut Block, fragment: FragmentId, frame: &mut Frame) {
        self.mark(block, fragment, frame);
    }
}

fn leave(frame: &mut Frame) -> Step {
    match frame.targets.last_mut() {
        Some(Target::Jump { end, is_used, .. } | Target::Cases { end, is_used, .. }) => {
            *is_used = true;
            goto(end.clone())
        }
        Some(Target::Loop { .. }) | None => step(StmtKind::Break),
    }
}

/// Whether control may reach the end.
fn can_go_on(nodes: &[Node]) -> bool {
    match nodes.last() {
        Some(Node::Break | Node::Continue | Node::Goto(_) | Node::GotoAny(_) | Node::Return(_) | Node::Stop(_)) => {
            false
        }
        Some(Node::If { then, otherwise, .. }) => can_go_on(then) || can_go_on(otherwise),
        Some(
            Node::Do(_) | Node::Loop { .. } | Node::Once(_) | Node::Switch(_) | Node::CaseLabel(_) | Node::Label(_),
        )
        | None => true,
    }
}

/// What stands for the end of the program: a process goes on for ever and does nothing, so that there is no deadlock. That is no
/// livelock, so the label should begin with `progress`.
pub(super) fn over() -> Stmt {
    Stmt { kind: StmtKind::Do(vec![vec![condition(truth())]]), at: At::default() }
}

/// An option must not begin with a label, which would speak of the state behind the first statement.
fn option(block: Block) -> Block {
    let mut block = filled(block);
    let first = block.iter().find(|step| matches!(step, Step::Stmt(_)));
    if let Some(Step::Stmt(Stmt { kind: StmtKind::Label(..), .. })) = first {
        block.insert(0, condition(truth()));
    }
    block
}

/// Puts steps behind others; a label that waits for a statement gets it.
pub(super) fn append(block: &mut Block, steps: Block) {
    for next in steps {
        push(block, next);
    }
}

/// Puts one step behind others.
pub(super) fn push(block: &mut Block, next: Step) {
    let slot = match block.last_mut() {
        Some(Step::Stmt(stmt)) => open_slot(stmt),
        Some(Step::Decl(_) | Step::Exclusive(_) | Step::Unless(..)) | None => None,
    };
    match (slot, next) {
        // Nothing may jump to a d_step.
        (Some(slot), Step::Stmt(stmt)) if starts_with_d_step(&stmt) => {
            *slot = Some(Box::new(condition_stmt(truth())));
            block.push(Step::Stmt(stmt));
        }
        (Some(slot), Step::Stmt(stmt)) => *slot = Some(Box::new(stmt)),
        (None, Step::Stmt(stmt)) if starts_with_d_step(&stmt) => {
            if matches!(block.last(), Some(Step::Stmt(last)) if is_left_by_jump(last)) {
                block.push(condition(truth()));
            }
            block.push(Step::Stmt(stmt));
        }
        (_, next) => block.push(next),
    }
}

/// Whether the first thing a statement does is a `d_step`, perhaps inside of an inline.
fn starts_with_d_step(stmt: &Stmt) -> bool {
    let first = |block: &Block| match block.first() {
        Some(Step::Stmt(stmt)) => starts_with_d_step(stmt),
        _ => false,
    };
    match &stmt.kind {
        StmtKind::DStep(_) => true,
        StmtKind::Call(call) => starts_with_d_step(&call.body),
        StmtKind::Block(block) | StmtKind::Atomic(block) => first(block),
        _ => false,
    }
}

/// Whether a `break` leads from the inside of a statement to what comes behind it.
fn is_left_by_jump(stmt: &Stmt) -> bool {
    let last = |block: &Block| match block.last() {
        Some(Step::Stmt(stmt)) => is_left_by_jump(stmt),
        _ => false,
    };
    match &stmt.kind {
        StmtKind::Do(_) | StmtKind::For { .. } | StmtKind::ForIn { .. } => true,
        StmtKind::If(options) => options.iter().any(last),
        StmtKind::Label(_, Some(stmt)) => is_left_by_jump(stmt),
        StmtKind::Call(call) => is_left_by_jump(&call.body),
        StmtKind::Block(block) | StmtKind::Atomic(block) => last(block),
        _ => false,
    }
}

/// Where the statement of a label is missing.
fn open_slot(stmt: &mut Stmt) -> Option<&mut Option<Box<Stmt>>> {
    match &mut stmt.kind {
        StmtKind::Label(_, slot) => match slot {
            Some(inner) if matches!(inner.kind, StmtKind::Label(..)) => {
                let StmtKind::Label(_, slot) = &mut stmt.kind else { return None };
                slot.as_mut().and_then(|inner| open_slot(inner))
            }
            Some(_) => None,
            None => match &mut stmt.kind {
                StmtKind::Label(_, slot) => Some(slot),
                _ => None,
            },
        },
        _ => None,
    }
}

pub(super) fn labelled(name: Name, stmt: Option<Stmt>) -> Step {
    step(StmtKind::Label(name, stmt.map(Box::new)))
}

pub(super) fn goto(name: Name) -> Step {
    step(StmtKind::Goto(name, At::default()))
}

pub(super) fn condition(expr: Expr) -> Step {
    step(StmtKind::Condition(expr))
}

pub(super) fn condition_stmt(expr: Expr) -> Stmt {
    Stmt { kind: StmtKind::Condition(expr), at: At::default() }
}

/// The expression of a guard.
fn guard_expr(guard: &Block) -> Expr {
    match guard.first() {
        Some(Step::Stmt(Stmt { kind: StmtKind::Condition(expr), .. })) => expr.clone(),
        Some(_) | None => truth(),
    }
}

/// Joins two guards; constants disappear.
fn join(first: Option<Expr>, second: Expr, op: unpick_front_promela::syntax::Binary) -> Expr {
    use unpick_front_promela::syntax::Binary;
    let Some(first) = first else { return second };
    let constant = |expr: &Expr| match expr.kind {
        ExprKind::Literal(value, _) => Some(value != 0),
        _ => None,
    };
    match (op, constant(&first), constant(&second)) {
        (Binary::And, Some(true), _) | (Binary::Or, Some(false), _) => second,
        (Binary::And, _, Some(true)) | (Binary::Or, _, Some(false)) => first,
        (Binary::And, Some(false), _) | (Binary::Or, Some(true), _) => first,
        (Binary::And, _, Some(false)) | (Binary::Or, _, Some(true)) => second,
        _ => binary(op, first, second),
    }
}
