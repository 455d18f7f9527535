//! Right sides of rows, parsed as Promela once, with diagnostics on the row.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use unpick_base::{Diagnostic, Diagnostics, Severity, Span};
use unpick_front_c::ast::ExprId;
use unpick_front_promela::lexer::Code;
use unpick_front_promela::printer::{expr_text, var_text};
use unpick_front_promela::session::Session;
use unpick_front_promela::syntax::{
    Block, Expr, ExprKind, Name, Receive, ReceiveArg, Step, Stmt, StmtKind, Unit, VarInit, VarRef,
};

use crate::code::FragmentId;
use crate::context::Context;
use crate::pattern::words;
use crate::rules::{Decision, Decisions, Origin};
use crate::shape::Shape;
use crate::table::{Mapping, Table};

/// The right sides that decisions need.
#[derive(Default)]
pub struct Rows {
    steps: HashMap<(FragmentId, bool), Block>,
    words: Vec<String>,
    declares: HashMap<String, Block>,
}

impl Rows {
    /// The steps for a fragment, or for the negation of a condition.
    pub fn steps(&self, fragment: FragmentId, is_negated: bool) -> Block {
        self.steps.get(&(fragment, is_negated)).cloned().unwrap_or_default()
    }

    /// What the table declares for the process of a function.
    pub fn declares(&self, function: &str) -> Block {
        self.declares.get(function).cloned().unwrap_or_default()
    }

    /// All names they mention.
    pub fn words(&self) -> impl Iterator<Item = String> + '_ {
        self.words.iter().cloned()
    }
}

/// Reads all right sides that are Promela. `prelude` declares what they may call.
pub fn parse(
    context: &Context<'_>,
    decisions: &Decisions,
    table: &Table,
    library: &Table,
    prelude: &str,
    diagnostics: &mut Diagnostics,
) -> Rows {
    let mut rows = Rows::default();
    let mut texts: Vec<String> = Vec::new();
    let mut owners: HashMap<String, Vec<(FragmentId, bool)>> = HashMap::new();
    let mut spans: HashMap<String, Span> = HashMap::new();
    let plain = decisions.plain.iter_enumerated().map(|(id, decision)| (id, false, decision));
    let negated = decisions.negated.iter().map(|(id, decision)| (*id, true, decision));
    let mut all: Vec<(FragmentId, bool, &Decision)> = plain.chain(negated).collect();
    all.sort_by_key(|(id, is_negated, _)| (id.0, *is_negated));
    for (id, is_negated, decision) in all {
        let Mapping::Text(text) = &decision.mapping else { continue };
        let span = match decision.origin {
            Origin::Row(row) => table.rows[row].mapping_span,
            Origin::Library(row) => library.rows[row].mapping_span,
            _ => Span::NONE,
        };
        let text = match substituted(context, id, decision, text) {
            Ok(text) => text,
            Err(why) => {
                diagnostics.error(span, why);
                continue;
            }
        };
        if !owners.contains_key(&text) {
            texts.push(text.clone());
            spans.insert(text.clone(), span);
        }
        owners.entry(text).or_default().push((id, is_negated));
    }
    let blocks = read(&texts, prelude, |index, message, help| {
        let mut item = Diagnostic::new(Severity::Error, spans[&texts[index]], message);
        item.help = help;
        diagnostics.push(item);
    });
    for (text, block) in texts.iter().zip(blocks) {
        for owner in &owners[text] {
            rows.steps.insert(*owner, block.clone());
        }
        let names = words(text).into_iter().filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        rows.words.extend(names);
    }
    read_declares(context, table, prelude, &mut rows, diagnostics);
    rows
}

/// Reads what the table declares for single functions.
fn read_declares(context: &Context<'_>, table: &Table, prelude: &str, rows: &mut Rows, diagnostics: &mut Diagnostics) {
    let local = table.declares.iter().filter_map(|item| item.function.as_ref().map(|function| (function, item)));
    let local: Vec<_> = local.collect();
    let texts: Vec<String> = local.iter().map(|(_, item)| item.text.clone()).collect();
    let blocks = read(&texts, prelude, |index, message, help| {
        let mut item = Diagnostic::new(Severity::Error, local[index].1.span, message.replace("the right side", "this"));
        item.help = help;
        diagnostics.push(item);
    });
    for ((function, item), block) in local.iter().zip(blocks) {
        if context.code.function_named(function).is_none() {
            diagnostics.error(item.span, format!("no function with a body is called `{function}`"));
        }
        if block.iter().any(|step| !matches!(step, Step::Decl(_))) {
            diagnostics.error(item.span, "only variables can be declared for one function");
        }
        rows.declares.entry((*function).clone()).or_default().extend(block);
    }
}

/// The text with metavariables replaced by what they stand for.
fn substituted(context: &Context<'_>, id: FragmentId, decision: &Decision, text: &str) -> Result<String, String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        let len = rest[at + 1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len() - at - 1);
        let name = &rest[at + 1..at + 1 + len];
        rest = &rest[at + 1 + len..];
        let is_code = context.embedding.is_some() && is_inside_code(&result);
        if is_code && name == "self" {
            result.push_str(&format!("{MARK}self{MARK}"));
            continue;
        }
        let bound = decision.bindings.iter().find(|(known, _, _)| known == name);
        let (_, shown, expr) = bound.ok_or(format!("`${name}` does not stand on the left side of the row"))?;
        let unit = context.code.fragments[id].unit;
        if let Some(function) = context.designated(unit, *expr) {
            result.push_str(&crate::names::allowed(&context.code.functions[function].name));
            continue;
        }
        if let Some((helper, _)) = outcomes(context, id, decision).iter().find(|(_, out)| out == expr) {
            result.push_str(helper);
            continue;
        }
        if is_code || is_embedded(context, unit, *expr) {
            let mark = format!("{MARK}{unit}:{}{MARK}", expr.0);
            result.push_str(&if is_code { mark } else { format!("c_expr {{ {mark} }}") });
            continue;
        }
        let place = context.probe(unit, |translator| translator.place(*expr).map(|(place, _)| var_text(&place)));
        if crate::library::is_pointed(name) || place.is_err() && is_choice(context, id, decision, name, *expr) {
            result.push_str(&stand_in(name));
            continue;
        }
        let value = place
            .or_else(|_| context.probe(unit, |translator| translator.expr(*expr).map(|value| parenthesised(&value))));
        result.push_str(&value.map_err(|why| format!("`${name}` stands for `{shown}` here, which {why}"))?);
    }
    result.push_str(rest);
    Ok(result)
}

/// Whether a metavariable of a built-in row stands for one of several places, which only a pointer tells.
pub fn is_choice(context: &Context<'_>, id: FragmentId, decision: &Decision, name: &str, expr: ExprId) -> bool {
    let unit = context.code.fragments[id].unit;
    matches!(decision.origin, Origin::Library(_))
        && context.embedding.is_none()
        && context.designated(unit, expr).is_none()
        && context.probe(unit, |translator| translator.place(expr)).is_err()
        && chosen(context, unit, name, expr).is_ok()
}

/// Whether all places that a metavariable may mean are held as numbers.
pub fn chosen(
    context: &Context<'_>,
    unit: usize,
    name: &str,
    expr: ExprId,
) -> Result<(), crate::shape::Untranslatable> {
    context.probe(unit, |translator| {
        let targets = match crate::library::is_pointed(name) {
            true => translator.behind_pointer(expr)?,
            false => translator.targets(expr)?,
        };
        let is_number = |shape: &Shape| matches!(shape, Shape::Scalar(_));
        match targets.alternatives().0.iter().all(|(_, _, shape)| is_number(shape)) {
            true => Ok(()),
            false => Err("is a whole record".into()),
        }
    })
}

/// What stands in a right side where one of several places will.
pub fn stand_in(name: &str) -> String {
    format!("{STAND_IN}{name}")
}

const STAND_IN: &str = "place_of_";

/// Stands around an expression of the program in embedded C until its names are known.
const MARK: char = '\u{2}';

/// Whether an expression can only be said in C.
pub fn is_embedded(context: &Context<'_>, unit: usize, expr: ExprId) -> bool {
    context.embedding.is_some()
        && context.probe(unit, |translator| translator.place(expr)).is_err()
        && context.probe(unit, |translator| translator.expr(expr)).is_ok_and(|value| has_code(&value))
}

fn has_code(expr: &Expr) -> bool {
    expr_text(expr).contains("c_expr")
}

/// Whether a text ends inside of embedded C.
fn is_inside_code(text: &str) -> bool {
    let start = ["c_code", "c_expr", "c_decl"].iter().filter_map(|word| text.rfind(word)).max();
    start.is_some_and(|start| {
        let count = |letter: char| text[start..].matches(letter).count();
        count('{') > count('}')
    })
}

/// Objects that stay C and that a built-in row gives a value: by way of a variable of Promela.
pub fn outcomes(context: &Context<'_>, id: FragmentId, decision: &Decision) -> Vec<(&'static str, ExprId)> {
    if context.embedding.is_none() || !matches!(decision.origin, Origin::Library(_)) {
        return Vec::new();
    }
    let unit = context.code.fragments[id].unit;
    let text = decision.mapping.text();
    let found = decision.bindings.iter().filter_map(|(name, _, expr)| {
        let helper = match name.as_str() {
            "result" => "answer",
            "m" if text.contains("? $m") => "received",
            _ => return None,
        };
        let is_c = context.probe(unit, |translator| translator.place(*expr)).is_err();
        is_c.then_some((helper, *expr))
    });
    found.collect()
}

/// Embedded C with the expressions that its marks stand for.
pub fn without_marks(code: &str, text: &dyn Fn(usize, ExprId) -> String, own: &str) -> String {
    let mut result = String::new();
    for (at, part) in code.split(MARK).enumerate() {
        if at % 2 == 0 {
            result.push_str(part);
            continue;
        }
        match part.split_once(':').map(|(unit, expr)| (unit.parse(), expr.parse())) {
            Some((Ok(unit), Ok(expr))) => {
                let text = text(unit, ExprId(expr));
                let is_plain = text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
                result.push_str(&if is_plain { text } else { format!("({text})") });
            }
            _ => result.push_str(own),
        }
    }
    result
}

/// Changes all embedded C in a block.
pub fn replace_code(block: &mut Block, new: &dyn Fn(&str) -> String) {
    let changed = |code: &Arc<Code>| Arc::new(Code { text: new(&code.text).into(), ..(**code).clone() });
    for step in block {
        let stmts: Vec<&mut Stmt> = match step {
            Step::Stmt(stmt) => vec![stmt],
            Step::Unless(stmt, escape) => vec![stmt, escape],
            Step::Decl(_) | Step::Exclusive(_) => Vec::new(),
        };
        for stmt in stmts {
            match &mut stmt.kind {
                StmtKind::Code(code) => *code = changed(code),
                StmtKind::Condition(expr) | StmtKind::Assert(expr) | StmtKind::Assign(_, expr) => {
                    replace_code_in(expr, &changed);
                }
                StmtKind::Send { args, .. } | StmtKind::Printf(_, args) => {
                    args.iter_mut().for_each(|arg| replace_code_in(arg, &changed));
                }
                StmtKind::If(options) | StmtKind::Do(options) => {
                    options.iter_mut().for_each(|option| replace_code(option, new));
                }
                StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => replace_code(block, new),
                StmtKind::Label(_, Some(inner)) => {
                    let mut alone = vec![Step::Stmt((**inner).clone())];
                    replace_code(&mut alone, new);
                    if let Some(Step::Stmt(stmt)) = alone.pop() {
                        **inner = stmt;
                    }
                }
                StmtKind::Call(call) => {
                    for arg in &mut call.args {
                        *arg = Name::from(new(arg));
                    }
                }
                _ => {}
            }
        }
    }
}

fn replace_code_in(expr: &mut Expr, changed: &dyn Fn(&Arc<Code>) -> Arc<Code>) {
    match &mut expr.kind {
        ExprKind::Code(code) => *code = changed(code),
        ExprKind::Unary(_, one) => replace_code_in(one, changed),
        ExprKind::Binary(_, one, other) => {
            replace_code_in(one, changed);
            replace_code_in(other, changed);
        }
        ExprKind::Conditional(condition, yes, no) => {
            [condition, yes, no].into_iter().for_each(|expr| replace_code_in(expr, changed));
        }
        ExprKind::Var(var) => {
            var.index.iter_mut().for_each(|index| replace_code_in(index, changed));
        }
        _ => {}
    }
}

fn parenthesised(expr: &Expr) -> String {
    match expr.kind {
        ExprKind::Binary(..) => format!("({})", expr_text(expr)),
        _ => expr_text(expr),
    }
}

/// Reads one expression.
pub fn expression(text: &str) -> Result<Expr, String> {
    let mut wrong = None;
    let blocks = read(&[format!("({text})")], "", |_, message, _| {
        wrong.get_or_insert(message);
    });
    match (wrong, blocks.into_iter().flatten().next()) {
        (None, Some(Step::Stmt(Stmt { kind: StmtKind::Condition(expr), .. }))) => Ok(expr),
        (Some(message), _) => Err(message.replace("the right side is no Promela", "this is no expression of Promela")),
        (None, _) => Err("this is no expression".into()),
    }
}

/// Reads texts as bodies of processes; complaints name the text.
fn read(texts: &[String], prelude: &str, mut complain: impl FnMut(usize, String, Option<String>)) -> Vec<Block> {
    let mut all: String = prelude
        .lines()
        .map(|line| if line.trim_start().starts_with('#') { "\n".to_owned() } else { format!("{line}\n") })
        .collect();
    let mut ranges = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let lo = all.len();
        all.push_str(&format!("proctype __row_{index}() {{ {text} }}\n"));
        ranges.push(lo..all.len());
    }
    let mut session = Session::default();
    let Some(index) = session.sources.add("rows", &all) else { return vec![Block::new(); texts.len()] };
    let base = session.sources.text(index).base as usize;
    let model = unpick_front_promela::parse(&mut session, index);
    for item in session.diagnostics.iter().filter(|item| item.severity == Severity::Error) {
        let at = (item.span.lo as usize).saturating_sub(base);
        if let Some(row) = ranges.iter().position(|range| range.contains(&at)) {
            complain(row, format!("the right side is no Promela: {}", item.message), item.help.clone());
        }
    }
    let mut blocks = vec![Block::new(); texts.len()];
    for unit in model.units {
        if let Unit::Proctype(proctype) = unit
            && let Some(Ok(row)) = proctype.name.strip_prefix("__row_").map(str::parse::<usize>)
        {
            let mut body = proctype.body;
            without_places(&mut body);
            blocks[row] = body;
        }
    }
    blocks
}

/// Takes the places of the rows' own text away: the model's statements stand for the source.
fn without_places(block: &mut Block) {
    for step in block {
        if let Step::Stmt(stmt) | Step::Unless(stmt, _) = step {
            without_place(stmt);
        }
    }
}

fn without_place(stmt: &mut Stmt) {
    stmt.at = Default::default();
    match &mut stmt.kind {
        StmtKind::If(options) | StmtKind::Do(options) => options.iter_mut().for_each(without_places),
        StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => without_places(block),
        StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => without_places(body),
        StmtKind::Label(_, Some(inner)) => without_place(inner),
        _ => {}
    }
}

/// All names of variables in a block; fields are not among them.
pub fn names(block: &Block) -> BTreeSet<String> {
    let found = RefCell::new(BTreeSet::new());
    rename(&mut block.clone(), &|name: &str| {
        found.borrow_mut().insert(name.to_owned());
        None
    });
    found.into_inner()
}

/// Renames variables everywhere in a block.
pub fn rename(block: &mut Block, new: &dyn Fn(&str) -> Option<Name>) {
    replace(block, &|name: &str| new(name).map(crate::translate::var_ref));
}

/// Puts other places where variables stand in a block, wherever they have these names.
pub fn replace(block: &mut Block, new: &dyn Fn(&str) -> Option<VarRef>) {
    for step in block {
        match step {
            Step::Decl(decl) => {
                for var in &mut decl.vars {
                    if let Some(place) = new(&var.name) {
                        var.name = place.name;
                    }
                    match &mut var.init {
                        Some(VarInit::Expr(expr)) => replace_expr(expr, new),
                        Some(VarInit::List(list)) => list.iter_mut().for_each(|expr| replace_expr(expr, new)),
                        Some(VarInit::Channel(_)) | None => {}
                    }
                }
            }
            Step::Exclusive(exclusive) => exclusive.channels.iter_mut().for_each(|var| replace_var(var, new)),
            Step::Stmt(stmt) => replace_stmt(stmt, new),
            Step::Unless(stmt, escape) => {
                replace_stmt(stmt, new);
                replace_stmt(escape, new);
            }
        }
    }
}

/// Gives processes that are started the names that they have in the model.
pub fn rename_runs(block: &mut Block, new: &dyn Fn(&str) -> Option<Name>) {
    for step in block {
        let Step::Stmt(stmt) = step else { continue };
        match &mut stmt.kind {
            StmtKind::Assign(_, expr) | StmtKind::Condition(expr) => {
                if let ExprKind::Run { name, .. } = &mut expr.kind
                    && let Some(known) = new(name)
                {
                    *name = known;
                }
            }
            StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => rename_runs(block, new),
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter_mut().for_each(|option| rename_runs(option, new));
            }
            _ => {}
        }
    }
}

fn replace_stmt(stmt: &mut Stmt, new: &dyn Fn(&str) -> Option<VarRef>) {
    match &mut stmt.kind {
        StmtKind::Label(_, inner) => inner.iter_mut().for_each(|stmt| replace_stmt(stmt, new)),
        StmtKind::Receive(receive) => replace_receive(receive, new),
        StmtKind::Send { channel, args, .. } => {
            replace_var(channel, new);
            args.iter_mut().for_each(|expr| replace_expr(expr, new));
        }
        StmtKind::For { var, from, to, body } => {
            replace_var(var, new);
            replace_expr(from, new);
            replace_expr(to, new);
            replace(body, new);
        }
        StmtKind::ForIn { var, container, body } => {
            replace_var(var, new);
            replace_var(container, new);
            replace(body, new);
        }
        StmtKind::Select { var, from, to, .. } => {
            replace_var(var, new);
            replace_expr(from, new);
            replace_expr(to, new);
        }
        StmtKind::If(options) | StmtKind::Do(options) => options.iter_mut().for_each(|option| replace(option, new)),
        StmtKind::Break | StmtKind::Goto(..) | StmtKind::Else | StmtKind::Code(_) => {}
        StmtKind::Assign(var, value) => {
            replace_var(var, new);
            replace_expr(value, new);
        }
        StmtKind::Increment(var) | StmtKind::Decrement(var) => replace_var(var, new),
        StmtKind::SetPriority(one, other) => {
            replace_expr(one, new);
            replace_expr(other, new);
        }
        StmtKind::Printf(_, args) => args.iter_mut().for_each(|expr| replace_expr(expr, new)),
        StmtKind::Printm(expr) | StmtKind::Assert(expr) | StmtKind::Condition(expr) | StmtKind::Return(expr) => {
            replace_expr(expr, new);
        }
        StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => replace(block, new),
        StmtKind::Call(call) => {
            call.result.iter_mut().for_each(|var| replace_var(var, new));
            for arg in &mut call.args {
                let replaced: Vec<String> = words(arg)
                    .into_iter()
                    .map(|word| new(&word).map_or(word.clone(), |place| var_text(&place)))
                    .collect();
                *arg = Name::from(replaced.join(" ").replace(" . ", ".").replace(" [ ", "[").replace(" ]", "]"));
            }
        }
    }
}

fn replace_receive(receive: &mut Receive, new: &dyn Fn(&str) -> Option<VarRef>) {
    replace_var(&mut receive.channel, new);
    for arg in &mut receive.args {
        match arg {
            ReceiveArg::Var(var) => replace_var(var, new),
            ReceiveArg::Eval(expr) | ReceiveArg::Const(expr) => replace_expr(expr, new),
        }
    }
}

fn replace_var(var: &mut VarRef, new: &dyn Fn(&str) -> Option<VarRef>) {
    indices(var, new);
    if let Some(place) = new(&var.name) {
        let whole = std::mem::replace(var, place);
        let last = last_part(var);
        last.index = whole.index.or(last.index.take());
        last.field = whole.field;
    }
}

/// Where the indices and fields of what stood there go on.
fn last_part(var: &mut VarRef) -> &mut VarRef {
    match var.field {
        Some(ref mut field) => last_part(field),
        None => var,
    }
}

/// Fields keep their names; only what stands between brackets changes.
fn indices(var: &mut VarRef, new: &dyn Fn(&str) -> Option<VarRef>) {
    var.index.iter_mut().for_each(|index| replace_expr(index, new));
    if let Some(field) = &mut var.field {
        indices(field, new);
    }
}

fn replace_expr(expr: &mut Expr, new: &dyn Fn(&str) -> Option<VarRef>) {
    match &mut expr.kind {
        ExprKind::Literal(..) | ExprKind::Timeout | ExprKind::NonProgress | ExprKind::Code(_) => {}
        ExprKind::Var(var) | ExprKind::Len(var) | ExprKind::Probe(_, var) => replace_var(var, new),
        ExprKind::Unary(_, one) | ExprKind::Enabled(one) | ExprKind::GetPriority(one) | ExprKind::PcValue(one) => {
            replace_expr(one, new);
        }
        ExprKind::Binary(_, one, other) => {
            replace_expr(one, new);
            replace_expr(other, new);
        }
        ExprKind::Conditional(condition, yes, no) => {
            replace_expr(condition, new);
            replace_expr(yes, new);
            replace_expr(no, new);
        }
        ExprKind::Run { args, .. } => args.iter_mut().for_each(|expr| replace_expr(expr, new)),
        ExprKind::Poll(receive) => replace_receive(receive, new),
        ExprKind::RemoteLabel { pid, .. } | ExprKind::RemoteVar { pid, .. } => {
            pid.iter_mut().for_each(|expr| replace_expr(expr, new));
        }
    }
}
