//! Embedded C of a model as one translation unit: its types and variables as in SPIN's verifier, its texts with their
//! line numbers, and a function for every piece that steps execute.
//!
//! What is declared where is what C text written for SPIN expects: `now` holds the global variables, `Pname` points to
//! those of the running process of type `name`, `c_decl` comes before these types, `c_code` outside of processes
//! behind them. The compiled unit's parts are found by [`names`].

use std::collections::HashMap;
use std::fmt::Write as _;

use unpick_automaton::code::{Code, Declared, DeclaredType, MAX_PROCESSES, Piece, Text, names};
use unpick_automaton::{Binary, Expr, Model, Proctype, Scalar, Scope, Step, Unary};
use unpick_base::{SourceMap, Span};

/// What SPIN's verifier includes, as far as C text may rely on it.
const HEADERS: [&str; 8] = ["stdio", "stdlib", "string", "ctype", "errno", "limits", "stdarg", "time"];

/// Where diagnostics place what no user has written.
pub const PLACE: &str = "declarations for embedded C";

/// The translation unit, and the functions in it that something outside calls.
pub struct CodeUnit {
    /// Not preprocessed yet.
    pub text: String,
    /// Names of functions.
    pub functions: Vec<String>,
}

/// Writes the C of a model.
pub fn unit(model: &Model, sources: &SourceMap) -> CodeUnit {
    let is_test = tests(model);
    let mut writer = Writer { model, code: &model.code, sources, out: String::new(), functions: Vec::new() };
    writer.head();
    writer.texts(true);
    writer.types();
    writer.objects();
    writer.texts(false);
    writer.starts();
    for (id, piece) in model.code.pieces.iter_enumerated() {
        if let Some(precondition) = &piece.precondition {
            writer.expression(&names::precondition(id), piece, precondition, true);
        }
        match piece.is_expression {
            true => writer.expression(&names::piece(id), piece, &piece.text, is_test[id.0 as usize]),
            false => writer.statements(&names::piece(id), piece),
        }
    }
    CodeUnit { text: writer.out, functions: writer.functions }
}

/// Which expressions are only asked whether they are zero: these may be pointers too.
fn tests(model: &Model) -> Vec<bool> {
    let mut is_test = vec![false; model.code.pieces.len()];
    let processes = model.proctypes.iter().map(|proctype| &proctype.automaton);
    for automaton in processes.chain(model.claims.iter().map(|claim| &claim.automaton)) {
        for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
            if let Step::Condition(expr) | Step::Assert(expr) = &transition.step {
                mark_tests(expr, &mut is_test);
            }
        }
    }
    is_test
}

fn mark_tests(expr: &Expr, is_test: &mut [bool]) {
    match expr {
        Expr::Code(piece, _) => is_test[piece.0 as usize] = true,
        Expr::Unary(Unary::Not, operand) => mark_tests(operand, is_test),
        Expr::Binary(Binary::And | Binary::Or, left, right) => {
            mark_tests(left, is_test);
            mark_tests(right, is_test);
        }
        _ => {}
    }
}

struct Writer<'a> {
    model: &'a Model,
    code: &'a Code,
    sources: &'a SourceMap,
    out: String,
    functions: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn head(&mut self) {
        self.generated();
        for header in HEADERS {
            self.line(&format!("#include <{header}.h>"));
        }
        self.generated();
        for (name, ty) in [("uchar", "char"), ("ushort", "short"), ("uint", "int"), ("ulong", "long")] {
            self.line(&format!("typedef unsigned {ty} {name};"));
        }
        self.line("#define Printf printf");
    }

    /// The lines that follow are generated, no user's text.
    fn generated(&mut self) {
        self.line(&format!("\n#line 1 \"{PLACE}\""));
    }

    /// Text of the user, on its own lines and columns. What closes it comes right behind, where the user's own closing
    /// bracket stands, so that it is there that something is missed.
    fn users(&mut self, text: &Text, closing: &str) {
        self.out.push('\n');
        let mut at = 0;
        while at < text.text.len() || at == 0 {
            let rest = &text.text[at..];
            // SPIN's way to write a line for the C preprocessor: `\#` begins it, wherever it stands.
            let directive = rest.find("\\#");
            let end = directive.unwrap_or(rest.len());
            self.marked(&rest[..end], text.span, at);
            let Some(start) = directive else { break };
            let line_end = rest[start..].find('\n').map_or(rest.len(), |end| start + end);
            self.out.push('\n');
            self.marked(&rest[start + 1..line_end], text.span, at + start + 1);
            self.out.push('\n');
            at += line_end;
            if at >= text.text.len() {
                break;
            }
        }
        if text.text.lines().last().is_some_and(|line| line.contains("//") || line.contains("\\#")) {
            self.out.push('\n');
        }
        self.line(closing);
        self.generated();
    }

    /// A stretch of text behind a line marker. Directives begin their line.
    fn marked(&mut self, text: &str, span: Span, at: usize) {
        if let Some(place) = self.sources.place(span.lo + at as u32) {
            let file = place.file.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(self.out, "#line {} \"{file}\"", place.line);
            let column = if text.starts_with('#') { 1 } else { place.column };
            self.out.extend(std::iter::repeat_n(' ', column.saturating_sub(1) as usize));
        }
        self.out.push_str(text);
    }

    fn texts(&mut self, are_declarations: bool) {
        for text in self.code.texts.iter().filter(|text| text.is_declaration == are_declarations) {
            self.users(&text.text, "");
        }
    }

    fn types(&mut self) {
        for record in &self.code.records {
            self.line(&format!("struct {} {{", record.name));
            record.fields.iter().for_each(|field| self.member(field));
            self.line("};");
        }
        self.line("typedef struct State {\n\tuchar _nr_pr;");
        if self.model.has_last {
            self.line("\tuchar _last;");
        }
        for var in self.code.globals.iter().filter(|var| var.scope == Scope::Global) {
            self.member(var);
        }
        self.data("Global");
        self.line("} State;");
        for (at, proctype) in self.model.proctypes.iter().enumerate() {
            self.line(&format!("typedef struct P{at} {{\n\tunsigned _pid : 8;"));
            let mut n_named: HashMap<&str, usize> = HashMap::new();
            for var in &self.code.locals[at] {
                *n_named.entry(&var.name).or_default() += 1;
            }
            // A name that several blocks declare does not say which is meant.
            for var in self.code.locals[at].iter().filter(|var| n_named[&*var.name] == 1) {
                self.member(var);
            }
            self.data(&format!("Local {}", proctype.name.trim_matches(':')));
            self.line(&format!("}} P{at};"));
        }
    }

    /// A variable of the model as a member.
    fn member(&mut self, var: &Declared) {
        let line = declaration(var, self.code, true);
        self.line(&format!("\t{line}"));
    }

    /// Data of C that lie here.
    fn data(&mut self, place: &str) {
        for state in self.code.states.iter().filter(|state| !state.is_track) {
            let lies_here = state.texts.get(1).is_some_and(|text| words(&text.text) == words(place));
            if let (true, Some(text)) = (lies_here, state.texts.first()) {
                self.quoted(text, ";");
            }
        }
    }

    /// The text of a string, whose quotes are not part of it.
    fn quoted(&mut self, text: &Text, closing: &str) {
        let span = Span { lo: text.span.lo + 1, ..text.span };
        self.users(&Text { text: text.text.clone(), span }, closing);
    }

    fn objects(&mut self) {
        self.line(&format!("State {};", names::NOW));
        let mut objects = vec![names::NOW.to_owned()];
        for var in self.code.globals.iter().filter(|var| var.scope == Scope::Hidden) {
            let line = declaration(var, self.code, false);
            self.line(&line);
            objects.push(var.name.to_string());
        }
        self.data("Hidden");
        for (at, proctype) in self.model.proctypes.iter().enumerate() {
            let all = match self.code.has_data(&proctype.name) {
                true => (0..MAX_PROCESSES).map(|process| names::object(at, Some(process))).collect(),
                false => vec![names::object(at, None)],
            };
            self.line(&format!("P{at} {};", all.join(", ")));
            objects.extend(all);
        }
        let objects = objects.iter().fold(String::new(), |mut text, object| {
            let _ = write!(text, " sink = &{object};");
            text
        });
        self.line(&format!("void {}(void) {{ void *volatile sink;{objects} }}", names::OBJECTS));
        self.functions.push(names::OBJECTS.to_owned());
    }

    /// Functions that give data of C their first values, and those that find tracked data.
    fn starts(&mut self) {
        self.line(&format!("void {}(void) {{", names::START));
        self.first_values("Global", &format!("{}.", names::NOW));
        self.first_values("Hidden", "");
        self.line("}");
        self.functions.push(names::START.to_owned());
        for (at, proctype) in self.model.proctypes.iter().enumerate() {
            if !self.code.has_data(&proctype.name) {
                continue;
            }
            let (name, pointer) = (names::process_start(at), pointer_name(proctype));
            self.line(&format!("void {name}(P{at} *{pointer}) {{"));
            self.first_values(&format!("Local {}", proctype.name.trim_matches(':')), &format!("{pointer}->"));
            self.line("}");
            self.functions.push(name);
        }
        for (at, state) in self.code.states.iter().enumerate().filter(|(_, state)| state.is_track) {
            let (Some(place), Some(size)) = (state.texts.first(), state.texts.get(1)) else { continue };
            self.line(&format!("void *{}(void) {{ return (void *)(", names::track(at)));
            self.quoted(place, "); }");
            self.line(&format!("unsigned long {}(void) {{ return (", names::track_size(at)));
            self.quoted(size, "); }");
            self.functions.extend([names::track(at), names::track_size(at)]);
        }
    }

    fn first_values(&mut self, place: &str, whole: &str) {
        for state in self.code.states.iter().filter(|state| !state.is_track) {
            let lies_here = state.texts.get(1).is_some_and(|text| words(&text.text) == words(place));
            if let (true, Some(value)) = (lies_here, state.texts.get(2)) {
                self.line(&format!("{whole}{} =", state.name()));
                self.quoted(value, ";");
            }
        }
    }

    fn expression(&mut self, name: &str, piece: &Piece, text: &Text, is_test: bool) {
        let test = if is_test { "!!" } else { "" };
        self.line(&format!("int {name}({}) {{ return {test}(", self.params(piece)));
        self.users(text, "); }");
        self.functions.push(name.to_owned());
    }

    fn statements(&mut self, name: &str, piece: &Piece) {
        self.line(&format!("void {name}({}) {{", self.params(piece)));
        self.users(&piece.text, "}");
        self.functions.push(name.to_owned());
    }

    fn params(&self, piece: &Piece) -> String {
        match piece.owner {
            Some(owner) => format!("P{} *{}", owner.0, pointer_name(&self.model.proctypes[owner])),
            None => "void".to_owned(),
        }
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// What C text calls the variables of a process.
fn pointer_name(proctype: &Proctype) -> String {
    format!("P{}", proctype.name.trim_matches(':'))
}

/// A variable of the model in C.
fn declaration(var: &Declared, code: &Code, is_member: bool) -> String {
    let name = &var.name;
    let count = var.count.map_or(String::new(), |count| format!("[{count}]"));
    match var.ty {
        DeclaredType::Record(record) => format!("struct {} {name}{count};", code.records[record].name),
        DeclaredType::Scalar(scalar) => match scalar {
            Scalar::Bit if is_member && var.count.is_none() => format!("unsigned {name} : 1;"),
            Scalar::Unsigned(bits) if is_member && var.count.is_none() => format!("unsigned {name} : {bits};"),
            Scalar::Bit | Scalar::Byte => format!("uchar {name}{count};"),
            Scalar::Short => format!("short {name}{count};"),
            Scalar::Int => format!("int {name}{count};"),
            Scalar::Unsigned(_) => format!("unsigned {name}{count};"),
        },
    }
}
