//! Printer: the syntax tree as Promela that SPIN accepts, with `parse(print(model)) == model`.
//!
//! Separators are always written, parentheses only where precedence asks for them.

mod expr;

use std::fmt::Write;

use crate::syntax::{
    Block, Decl, Expr, Model, Mtype, Proctype, Receive, ReceiveArg, Step, Stmt, StmtKind, TypeName, Unit, Var, VarInit,
    Visibility,
};
pub use expr::{expr_text, var_text};

/// The model as text.
pub fn print(model: &Model) -> String {
    print_annotated(model, &|_| Remarks::default())
}

/// What is said about a statement in comments.
#[derive(Clone, Default, Debug)]
pub struct Remarks {
    /// On lines of their own before it.
    pub before: Vec<String>,
    /// At the end of its first line.
    pub behind: Option<String>,
}

/// The model as text with comments on statements.
pub fn print_annotated(model: &Model, remarks: &dyn Fn(&Stmt) -> Remarks) -> String {
    let mut printer = Printer { text: String::new(), indent: 0, remarks: Some(remarks), pending: None };
    for unit in &model.units {
        printer.unit(unit);
    }
    printer.text
}

/// Where comments at the end of lines begin, if there is room.
const REMARK_COLUMN: usize = 56;

struct Printer<'a> {
    text: String,
    indent: usize,
    remarks: Option<&'a dyn Fn(&Stmt) -> Remarks>,
    /// A comment for the end of this line.
    pending: Option<String>,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Ends the line, with the comment that belongs to it.
    fn line(&mut self) {
        if let Some(remark) = self.pending.take() {
            let start = self.text.rfind('\n').map_or(0, |at| at + 1);
            let width = self.text[start..].chars().count();
            let room = REMARK_COLUMN.saturating_sub(width).max(1);
            self.text.push_str(&format!("{}/* {remark} */", " ".repeat(room)));
        }
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(proctype) => self.proctype(proctype),
            Unit::Init(init) => {
                self.put("init ");
                self.priority(init.priority);
                self.body(&init.body);
            }
            Unit::Never(claim) => {
                self.put("never ");
                if let Some(name) = &claim.name {
                    self.put(&format!("{name} "));
                }
                self.body(&claim.body);
            }
            Unit::Trace(trace) => {
                self.put(if trace.is_negated { "notrace " } else { "trace " });
                self.body(&trace.body);
            }
            Unit::Ltl(ltl) => {
                let name = ltl.name.as_ref().map_or(String::new(), |name| format!("{name} "));
                self.put(&format!("ltl {name}{{ {} }}", expr_text(&ltl.formula)));
            }
            Unit::Decl(decl) => {
                self.decl(decl);
                self.put(";");
            }
            Unit::Mtype(mtype) => self.mtype(mtype),
            Unit::Typedef(typedef) => {
                self.put(&format!("typedef {} {{", typedef.name));
                self.indent += 1;
                for (index, field) in typedef.fields.iter().enumerate() {
                    self.put(if index > 0 { ";" } else { "" });
                    self.line();
                    self.decl(field);
                }
                self.indent -= 1;
                self.put("\n}");
            }
            Unit::Inline(inline) => {
                let params = inline.params.join(", ");
                self.put(&format!("inline {}({params}) {{{}\n}}", inline.name, inline.text));
            }
            Unit::Code(code) => self.put(&code.code.spelling()),
            Unit::State(state) => {
                self.put(if state.is_track { "c_track " } else { "c_state " });
                let texts: Vec<&str> = state.texts.iter().map(|(text, _)| &**text).collect();
                self.put(&texts.join(" "));
            }
        }
        self.put("\n\n");
    }

    fn priority(&mut self, priority: Option<i32>) {
        if let Some(priority) = priority {
            self.put(&format!("priority {} ", priority as u32));
        }
    }

    fn proctype(&mut self, proctype: &Proctype) {
        if let Some(active) = &proctype.active {
            let count = active.count.as_ref().map_or(String::new(), |count| format!("[{}] ", expr_text(count)));
            self.put(&format!("active {count}"));
        }
        let keyword = if proctype.is_deterministic { "D_proctype" } else { "proctype" };
        self.put(&format!("{keyword} {}(", proctype.name));
        for (index, param) in proctype.params.iter().enumerate() {
            self.put(if index > 0 { "; " } else { "" });
            self.decl(param);
        }
        self.put(") ");
        self.priority(proctype.priority);
        if let Some(provided) = &proctype.provided {
            self.put(&format!("provided ({}) ", expr_text(provided)));
        }
        self.body(&proctype.body);
    }

    fn mtype(&mut self, mtype: &Mtype) {
        let names: Vec<&str> = mtype.names.iter().map(|(name, _)| &**name).collect();
        let set = mtype.set.as_ref().map_or(String::new(), |set| format!(":{set}"));
        self.put(&format!("mtype{set} = {{ {} }};", names.join(", ")));
    }

    fn decl(&mut self, decl: &Decl) {
        self.put(match decl.visibility {
            Some(Visibility::Hidden) => "hidden ",
            Some(Visibility::Local) => "local ",
            Some(Visibility::Show) => "show ",
            None => "",
        });
        self.put(&format!("{} ", type_text(&decl.ty)));
        for (index, var) in decl.vars.iter().enumerate() {
            self.put(if index > 0 { ", " } else { "" });
            self.var(var);
        }
    }

    fn var(&mut self, var: &Var) {
        self.put(&var.name);
        if let Some(width) = var.width {
            self.put(&format!(" : {}", width as u32));
        }
        if let Some(size) = &var.size {
            self.put(&format!("[{}]", expr_text(size)));
        }
        match &var.init {
            None => {}
            Some(VarInit::Expr(expr)) => self.put(&format!(" = {}", expr_text(expr))),
            Some(VarInit::List(values)) => self.put(&format!(" = {{ {} }}", list_text(values))),
            Some(VarInit::Channel(channel)) => {
                let fields: Vec<String> = channel.fields.iter().map(type_text).collect();
                self.put(&format!(" = [{}] of {{ {} }}", expr_text(&channel.capacity), fields.join(", ")));
            }
        }
    }

    fn body(&mut self, block: &Block) {
        self.put("{");
        self.indent += 1;
        self.line();
        self.steps(block);
        self.indent -= 1;
        self.line();
        self.put("}");
    }

    fn steps(&mut self, block: &Block) {
        for (index, step) in block.iter().enumerate() {
            if index > 0 {
                self.put(";");
                self.line();
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Decl(decl) => self.decl(decl),
            Step::Exclusive(exclusive) => {
                let channels: Vec<String> = exclusive.channels.iter().map(var_text).collect();
                self.put(if exclusive.is_send { "xs " } else { "xr " });
                self.put(&channels.join(", "));
            }
            Step::Stmt(stmt) => self.stmt(stmt),
            Step::Unless(stmt, escape) => {
                self.stmt(stmt);
                self.put(" unless ");
                self.stmt(escape);
            }
        }
    }

    fn options(&mut self, open: &str, options: &[Block], close: &str) {
        self.put(open);
        for option in options {
            self.line();
            self.put(":: ");
            self.indent += 1;
            self.option(option);
            self.indent -= 1;
        }
        self.line();
        self.put(close);
    }

    /// A guard and what follows it: `->` after the first statement reads better than `;`.
    fn option(&mut self, option: &Block) {
        let Some((first, rest)) = option.split_first() else { return };
        self.step(first);
        if rest.is_empty() {
            return;
        }
        self.put(if matches!(first, Step::Stmt(_)) { " ->" } else { ";" });
        self.line();
        self.steps(&rest.to_vec());
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(remarks) = self.remarks {
            let remarks = remarks(stmt);
            for remark in remarks.before {
                self.put(&format!("/* {remark} */"));
                self.line();
            }
            if remarks.behind.is_some() {
                self.pending = remarks.behind;
            }
        }
        match &stmt.kind {
            StmtKind::Label(name, labelled) => {
                self.put(&format!("{name}:"));
                if let Some(labelled) = labelled {
                    self.put(" ");
                    self.stmt(labelled);
                }
            }
            StmtKind::Receive(receive) => self.receive(receive),
            StmtKind::Send { channel, is_sorted, args } => {
                let operator = if *is_sorted { "!!" } else { "!" };
                self.put(&format!("{} {operator} {}", var_text(channel), list_text(args)));
            }
            StmtKind::For { var, from, to, body } => {
                self.put(&format!("for ({} : {} .. {}) ", var_text(var), expr_text(from), expr_text(to)));
                self.body(body);
            }
            StmtKind::ForIn { var, container, body } => {
                self.put(&format!("for ({} in {}) ", var_text(var), var_text(container)));
                self.body(body);
            }
            StmtKind::Select { var, from, to, is_literal: _ } => {
                self.put("select (");
                let _ = write!(self.text, "{} : {} .. {})", var_text(var), expr_text(from), expr_text(to));
            }
            StmtKind::If(options) => self.options("if", options, "fi"),
            StmtKind::Do(options) => self.options("do", options, "od"),
            StmtKind::Break => self.put("break"),
            StmtKind::Goto(name, _) => self.put(&format!("goto {name}")),
            StmtKind::Assign(var, value) => self.put(&format!("{} = {}", var_text(var), expr_text(value))),
            StmtKind::Increment(var) => self.put(&format!("{}++", var_text(var))),
            StmtKind::Decrement(var) => self.put(&format!("{}--", var_text(var))),
            StmtKind::SetPriority(pid, priority) => {
                self.put(&format!("set_priority({}, {})", expr_text(pid), expr_text(priority)));
            }
            StmtKind::Printf(text, args) if args.is_empty() => self.put(&format!("printf({text})")),
            StmtKind::Printf(text, args) => self.put(&format!("printf({text}, {})", list_text(args))),
            StmtKind::Printm(expr) => self.put(&format!("printm({})", expr_text(expr))),
            StmtKind::Assert(expr) => self.put(&format!("assert({})", expr_text(expr))),
            StmtKind::Code(code) => self.put(&code.spelling()),
            StmtKind::Condition(expr) => self.put(&expr::condition_text(expr)),
            StmtKind::Else => self.put("else"),
            StmtKind::Atomic(block) => {
                self.put("atomic ");
                self.body(block);
            }
            StmtKind::DStep(block) => {
                self.put("d_step ");
                self.body(block);
            }
            StmtKind::Block(block) => self.body(block),
            StmtKind::Call(call) => {
                if let Some(result) = &call.result {
                    self.put(&format!("{} = ", var_text(result)));
                }
                self.put(&format!("{}({})", call.name, call.args.join(", ")));
            }
            StmtKind::Return(expr) => self.put(&format!("return {}", expr_text(expr))),
        }
    }

    fn receive(&mut self, receive: &Receive) {
        let operator = if receive.is_random { "??" } else { "?" };
        let args = receive_args_text(&receive.args);
        let channel = var_text(&receive.channel);
        match receive.is_copy {
            true => self.put(&format!("{channel} {operator} <{args}>")),
            false => self.put(&format!("{channel} {operator} {args}")),
        }
    }
}

fn list_text(exprs: &[Expr]) -> String {
    exprs.iter().map(expr_text).collect::<Vec<_>>().join(", ")
}

fn receive_args_text(args: &[ReceiveArg]) -> String {
    let text = |arg: &ReceiveArg| match arg {
        ReceiveArg::Var(var) => var_text(var),
        ReceiveArg::Eval(expr) => format!("eval({})", expr_text(expr)),
        ReceiveArg::Const(expr) => expr::constant_text(expr),
    };
    args.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn type_text(ty: &TypeName) -> String {
    match ty {
        TypeName::Bit => "bit".to_owned(),
        TypeName::Bool => "bool".to_owned(),
        TypeName::Byte => "byte".to_owned(),
        TypeName::Pid => "pid".to_owned(),
        TypeName::Short => "short".to_owned(),
        TypeName::Int => "int".to_owned(),
        TypeName::Unsigned => "unsigned".to_owned(),
        TypeName::Chan => "chan".to_owned(),
        TypeName::Mtype(None) => "mtype".to_owned(),
        TypeName::Mtype(Some(set)) => format!("mtype:{set}"),
        TypeName::User(name) => name.to_string(),
    }
}
