//! A random model as a tree of statements, so that parts can be taken out.

use std::fmt::Write;

/// A model.
#[derive(Clone)]
pub struct Model {
    /// Declarations and whatever else comes before the processes.
    pub head: Vec<String>,
    pub processes: Vec<Process>,
    /// Claims, behind the processes.
    pub tail: Vec<String>,
}

/// A process type.
#[derive(Clone)]
pub struct Process {
    pub head: String,
    pub body: Vec<Stmt>,
}

/// A statement.
#[derive(Clone)]
pub enum Stmt {
    Line(String),
    /// `if` or `do`.
    Choice {
        is_loop: bool,
        options: Vec<Vec<Stmt>>,
    },
    /// `atomic`, `d_step`, or plain braces.
    Block {
        head: &'static str,
        body: Vec<Stmt>,
    },
    Unless {
        body: Vec<Stmt>,
        escape: Vec<Stmt>,
    },
}

impl Model {
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.head {
            let _ = writeln!(text, "{line}");
        }
        for process in &self.processes {
            let _ = writeln!(text, "{} {{", process.head);
            write_all(&mut text, &process.body, 1);
            let _ = writeln!(text, "}}");
        }
        for line in &self.tail {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Models with one part less.
    pub fn smaller(&self) -> Vec<Model> {
        let mut found = Vec::new();
        for at in 0..self.processes.len() {
            if self.processes.len() > 1 {
                let mut model = self.clone();
                model.processes.remove(at);
                found.push(model);
            }
            for body in smaller_bodies(&self.processes[at].body) {
                let mut model = self.clone();
                model.processes[at].body = body;
                found.push(model);
            }
        }
        for at in 0..self.head.len() {
            let mut model = self.clone();
            model.head.remove(at);
            found.push(model);
        }
        found
    }
}

fn write_all(text: &mut String, body: &[Stmt], depth: usize) {
    let indent = "  ".repeat(depth);
    for stmt in body {
        match stmt {
            Stmt::Line(line) => {
                let _ = writeln!(text, "{indent}{line};");
            }
            Stmt::Choice { is_loop, options } => {
                let (open, close) = if *is_loop { ("do", "od") } else { ("if", "fi") };
                let _ = writeln!(text, "{indent}{open}");
                for option in options {
                    let _ = writeln!(text, "{indent}::");
                    write_all(text, option, depth + 1);
                }
                let _ = writeln!(text, "{indent}{close};");
            }
            Stmt::Block { head, body } => {
                let _ = writeln!(text, "{indent}{head} {{");
                write_all(text, body, depth + 1);
                let _ = writeln!(text, "{indent}}};");
            }
            Stmt::Unless { body, escape } => {
                let _ = writeln!(text, "{indent}{{");
                write_all(text, body, depth + 1);
                let _ = writeln!(text, "{indent}}} unless {{");
                write_all(text, escape, depth + 1);
                let _ = writeln!(text, "{indent}}};");
            }
        }
    }
}

fn smaller_bodies(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    for at in 0..body.len() {
        if body.len() > 1 {
            let mut less = body.to_vec();
            less.remove(at);
            found.push(less);
        }
        let mut replace = |with: Vec<Stmt>| {
            let mut less = body.to_vec();
            less.splice(at..=at, with);
            found.push(less);
        };
        match &body[at] {
            Stmt::Line(line) if line != "skip" => replace(vec![Stmt::Line("skip".to_owned())]),
            Stmt::Line(_) => {}
            Stmt::Choice { is_loop, options } => {
                for option in options {
                    replace(option.clone());
                }
                for (index, option) in options.iter().enumerate() {
                    if options.len() > 1 {
                        let mut options = options.clone();
                        options.remove(index);
                        replace(vec![Stmt::Choice { is_loop: *is_loop, options }]);
                    }
                    for smaller in smaller_bodies(option) {
                        let mut options = options.clone();
                        options[index] = smaller;
                        replace(vec![Stmt::Choice { is_loop: *is_loop, options }]);
                    }
                }
            }
            Stmt::Block { head, body } => {
                replace(body.clone());
                for body in smaller_bodies(body) {
                    replace(vec![Stmt::Block { head, body }]);
                }
            }
            Stmt::Unless { body, escape } => {
                replace(body.clone());
                for body in smaller_bodies(body) {
                    replace(vec![Stmt::Unless { body, escape: escape.clone() }]);
                }
                for escape in smaller_bodies(escape) {
                    replace(vec![Stmt::Unless { body: body.clone(), escape }]);
                }
            }
        }
    }
    found
}
