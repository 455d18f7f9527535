//! Simplification of the model's control structure, preserving verdicts of stutter-invariant properties.
//!
//! They remove steps in which nothing happens, so they keep safety and every formula that does not count steps, but not
//! formulas with `X`. A choice in which nothing is possible stays: it blocks, and that is what the table says.

use unpick_front_promela::syntax::{Block, Expr, ExprKind, Model, Step, Stmt, StmtKind, Unit};

/// Rewrites all processes until nothing changes.
pub fn simplify(model: &mut Model) {
    for unit in &mut model.units {
        match unit {
            Unit::Proctype(proctype) => while block(&mut proctype.body) {},
            Unit::Init(init) => while block(&mut init.body) {},
            _ => {}
        }
    }
}

/// Gives endless loops without effect a step that SPIN takes for one: it refuses `do :: true od`.
pub fn animate(model: &mut Model) {
    for unit in &mut model.units {
        match unit {
            Unit::Proctype(proctype) => proctype.body.iter_mut().for_each(animate_step),
            Unit::Init(init) => init.body.iter_mut().for_each(animate_step),
            _ => {}
        }
    }
}

fn animate_step(step: &mut Step) {
    if let Step::Stmt(stmt) = step {
        animate_stmt(stmt);
    }
}

fn animate_stmt(stmt: &mut Stmt) {
    match &mut stmt.kind {
        StmtKind::Label(_, Some(inner)) => animate_stmt(inner),
        StmtKind::Do(options) => {
            for option in options {
                if is_idle(option) {
                    let at = match option.first() {
                        Some(Step::Stmt(stmt)) => stmt.at,
                        _ => Default::default(),
                    };
                    let print = StmtKind::Printf("\"on and on\\n\"".into(), Vec::new());
                    *option = vec![Step::Stmt(Stmt { kind: print, at })];
                }
                option.iter_mut().for_each(animate_step);
            }
        }
        StmtKind::If(options) => options.iter_mut().flatten().for_each(animate_step),
        StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => {
            inner.iter_mut().for_each(animate_step)
        }
        _ => {}
    }
}

fn block(steps: &mut Block) -> bool {
    let mut has_changed = false;
    for step in steps.iter_mut() {
        if let Step::Stmt(stmt) = step {
            has_changed |= statement(stmt);
        }
    }
    let mut at = 0;
    while at < steps.len() {
        if let Step::Stmt(stmt) = &steps[at]
            && let Some(replacement) = dissolved(stmt)
        {
            // A block must not become empty, nor an option lose its guard.
            let is_only = steps.len() == 1;
            if !(is_only && replacement.is_empty()) {
                let is_first_label =
                    matches!(replacement.first(), Some(Step::Stmt(Stmt { kind: StmtKind::Label(..), .. })));
                if !(at == 0 && is_first_label) {
                    steps.splice(at..=at, replacement);
                    has_changed = true;
                    continue;
                }
            }
        }
        // match: a guard that is never true, then statements
        // result: the guard alone
        if let Step::Stmt(Stmt { kind: StmtKind::Condition(expr), .. }) = &steps[at]
            && constant(expr) == Some(false)
            && at + 1 < steps.len()
            && !steps[at + 1..].iter().any(has_label)
        {
            steps.truncate(at + 1);
            has_changed = true;
        }
        at += 1;
    }
    has_changed
}

fn statement(stmt: &mut Stmt) -> bool {
    match &mut stmt.kind {
        StmtKind::Label(_, Some(inner)) => statement(inner),
        StmtKind::If(options) => {
            let mut has_changed = options.iter_mut().fold(false, |changed, option| block(option) | changed);
            has_changed |= prune(options);
            has_changed
        }
        StmtKind::Do(options) => {
            let mut has_changed = options.iter_mut().fold(false, |changed, option| block(option) | changed);
            has_changed |= prune(options);
            has_changed
        }
        StmtKind::Atomic(inner) | StmtKind::Block(inner) => block(inner),
        // The order of options means something in a `d_step`, and its inner steps are invisible.
        _ => false,
    }
}

/// match: an option that is never possible beside others; two equal options
/// result: without it; one of them
fn prune(options: &mut Vec<Block>) -> bool {
    let before = options.len();
    let is_dead = |option: &Block| {
        let is_false = matches!(option.first(), Some(Step::Stmt(Stmt { kind: StmtKind::Condition(expr), .. }))
            if constant(expr) == Some(false));
        is_false && !option.iter().any(has_label)
    };
    let dead: Vec<bool> = options.iter().map(is_dead).collect();
    if dead.iter().any(|is_dead| !is_dead) {
        let mut dead = dead.into_iter();
        options.retain(|_| !dead.next().unwrap_or(false));
    } else {
        options.truncate(1);
    }
    let mut at = 0;
    while at < options.len() {
        let is_double = options[..at].contains(&options[at]) && !options[at].iter().any(has_label);
        if is_double {
            options.remove(at);
        } else {
            at += 1;
        }
    }
    options.len() != before
}

/// What a choice without a choice is replaced by.
fn dissolved(stmt: &Stmt) -> Option<Block> {
    let StmtKind::If(options) = &stmt.kind else { return None };
    // match: every option is `true` and nothing else
    // result: nothing
    if options.iter().all(is_idle) {
        return Some(Block::new());
    }
    // match: one option, guarded by `true`
    // result: its body
    match options.as_slice() {
        [only] => {
            let (first, rest) = only.split_first()?;
            is_true(first).then(|| rest.to_vec())
        }
        _ => None,
    }
}

fn is_idle(option: &Block) -> bool {
    option.iter().all(is_true)
}

fn is_true(step: &Step) -> bool {
    matches!(step, Step::Stmt(Stmt { kind: StmtKind::Condition(expr), .. }) if constant(expr) == Some(true))
}

fn constant(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Literal(value, _) => Some(*value != 0),
        _ => None,
    }
}

/// Whether a step can be a jump target.
fn has_label(step: &Step) -> bool {
    let in_block = |block: &Block| block.iter().any(has_label);
    match step {
        Step::Stmt(stmt) | Step::Unless(stmt, _) => match &stmt.kind {
            StmtKind::Label(..) => true,
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(in_block),
            StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => in_block(inner),
            StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => in_block(body),
            _ => false,
        },
        Step::Decl(_) | Step::Exclusive(_) => false,
    }
}
