//! Small random models in Promela: a few processes that share variables and channels, with whatever the language has to
//! synchronise them, and something to be claimed of them.
//!
//! Values are kept small, indices in range and `d_step`s from blocking, so that a model has few states and what goes
//! wrong is what was asked for.

mod wide;

use super::model::{Model, Process, Stmt};
use crate::random::Random;

/// What is asked of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Assertions and invalid ends.
    Safety,
    /// A formula.
    Ltl,
    /// A never claim.
    Never,
    /// Accepted states again and again.
    Acceptance,
    /// No progress.
    NonProgress,
}

/// What is special in a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// Some statements, conditions and propositions are C, over data of their own and those of the model.
    Code,
    /// Processes of one type have parameters: which they are, and channels from and to others.
    Cast,
    /// There is a little of everything that the language has.
    Wide,
}

/// Which seeds stand for which models, up to the last of them.
const KINDS: [(u64, Kind); 3] = [(2000, Kind::Plain), (2400, Kind::Code), (3200, Kind::Cast)];

const QUESTIONS: [Question; 7] = [
    Question::Safety,
    Question::Ltl,
    Question::Safety,
    Question::NonProgress,
    Question::Ltl,
    Question::Acceptance,
    Question::Never,
];

/// A model and its question.
pub fn generate(seed: u64) -> (Model, Question) {
    let question = QUESTIONS[(seed % 7) as usize];
    let kind = KINDS.iter().find(|(last, _)| seed <= *last).map_or(Kind::Wide, |(_, kind)| *kind);
    let random = Random::new(seed);
    let mut writer = Writer { random, question, kind, has_rendezvous: true, n_labels: 0, depth: 0, labels: Vec::new() };
    let model = match kind {
        Kind::Plain | Kind::Code => writer.model(),
        Kind::Cast => writer.cast(),
        Kind::Wide => writer.wide(),
    };
    (model, question)
}

struct Writer {
    random: Random,
    question: Question,
    kind: Kind,
    /// Wide models have either rendezvous or priorities.
    has_rendezvous: bool,
    n_labels: u32,
    depth: u32,
    labels: Vec<(usize, String)>,
}

const BYTES: [&str; 3] = ["a", "b", "c"];
/// Data of C, tracked, so that SPIN counts them.
const C_DATA: [&str; 4] = [
    "c_decl { unsigned char n; short cells[3]; }",
    "c_track \"&n\" \"sizeof(n)\"",
    "c_track \"cells\" \"sizeof(cells)\"",
    "c_code { int next(int v) { cells[v] = now.a % 3; return (v + 1) % 3; } }",
];
const C_STATEMENTS: [&str; 8] = [
    "n = (n + 1) % 3;",
    "n = next(n);",
    "n = now.b % 3; now.b = n;",
    "now.c = n; now.f = n == 1;",
    "cells[n] = now.t[n] % 3; now.t[2] = cells[1];",
    "now.r.x = n; now.r.y = !now.r.y;",
    "if (now.f) now.a = cells[now.a % 3]; else n = 2;",
    "for (n = 0; n < 2 && cells[n]; n++) cells[n] = 0;",
];
const C_CONDITIONS: [&str; 6] =
    ["n == 1", "n < 2 && now.a <= 1", "cells[n]", "now.f || cells[0] != 2", "now.t[n] == cells[1]", "now._nr_pr > 2"];
const PLACES: [&str; 7] = ["a", "b", "c", "f", "t[0]", "t[a % 3]", "r.x"];
/// What processes with parameters write to and look at.
const OWN_PLACES: [&str; 10] = [
    "u[me]",
    "u[me]",
    "u[(me + 1) % 4]",
    "t[_pid % 3]",
    "u[3 - me]",
    "mine",
    "a",
    "t[b % 3]",
    "v[me / 2].x[a % 2]",
    "z[150 + me / 2]",
];
const OWN_CHANNELS: [&str; 4] = ["from", "to", "w[me]", "w[(me + 1) % 3]"];

impl Writer {
    fn has_code(&self) -> bool {
        self.kind == Kind::Code
    }

    fn is_cast(&self) -> bool {
        self.kind == Kind::Cast
    }

    /// Whether it is time for something that only wide models have.
    fn is_wide(&mut self) -> bool {
        self.kind == Kind::Wide && self.random.chance(50)
    }

    fn model(&mut self) -> Model {
        let mut head: Vec<String> = ["byte a, b, c;", "bool f;", "byte t[3];", "mtype = { red, green };"]
            .into_iter()
            .map(str::to_owned)
            .collect();
        head.push("typedef R { byte x; bool y };".to_owned());
        head.push("R r;".to_owned());
        head.push(format!("chan q = [{}] of {{ byte }};", 1 + self.random.below(2)));
        head.push("chan h = [0] of { byte };".to_owned());
        head.push("chan m = [1] of { mtype, byte };".to_owned());
        if self.has_code() {
            head.extend(C_DATA.iter().map(|line| (*line).to_owned()));
        }
        let n_processes = 1 + self.random.below(3) as usize;
        let mut processes = Vec::new();
        for number in 0..n_processes {
            let count = if self.random.chance(20) && n_processes < 3 { "[2] " } else { "" };
            let provided = if self.random.chance(4) { " provided (a != 2)" } else { "" };
            let head = format!("active {count}proctype P{number}(){provided}");
            let mut body = vec![Stmt::Line("byte i".to_owned())];
            body.extend(self.process_body(number));
            processes.push(Process { head, body });
        }
        if self.random.chance(15) {
            let body = vec![Stmt::Line("byte i".to_owned()), self.assignment()];
            processes.insert(0, Process { head: "proctype C(byte n)".to_owned(), body });
            let run = format!("run C({})", self.random.below(3));
            let limit = 1 + n_processes as u64 + self.random.below(2);
            let guarded = vec![Stmt::Line(format!("_nr_pr <= {limit}")), Stmt::Line(run)];
            let last = processes.last_mut().expect("there should be a process");
            let at = 1 + self.random.below(last.body.len() as u64) as usize;
            last.body.insert(at, Stmt::Block { head: "atomic", body: guarded });
        }
        let tail = self.claim();
        Model { head, processes, tail }
    }

    /// Two or three processes of one type, made by one that may wait for them.
    fn cast(&mut self) -> Model {
        let capacity = if self.random.chance(15) { 0 } else { 1 + self.random.below(2) };
        let head = ["byte a, b, c;".to_owned(), "bool f;".to_owned(), "byte t[3], u[4];".to_owned()]
            .into_iter()
            .chain(["typedef V { byte x[2] };", "V v[2];", "byte z[160];"].map(str::to_owned))
            .chain([format!("chan w[3] = [{capacity}] of {{ byte }};")]);
        let mut body = vec![Stmt::Line("byte i, mine".to_owned())];
        body.extend(self.process_body(0));
        body.extend((0..self.random.below(3)).map(|_| self.statement(0)).collect::<Vec<_>>());
        let mut processes = vec![Process { head: "proctype P0(byte me; chan from; chan to)".to_owned(), body }];
        let n_processes = 2 + self.random.below(2);
        let runs = (0..n_processes).map(|me| {
            let (from, to) = (me, (me + 1) % n_processes);
            Stmt::Line(format!("run P0({me}, w[{from}], w[{to}])"))
        });
        let mut first = vec![Stmt::Block { head: "atomic", body: runs.collect() }];
        if self.random.chance(60) {
            first.push(Stmt::Line(
                self.random.pick(&["_nr_pr == 1", "_nr_pr < 2", "_nr_pr <= 2", "f || _nr_pr == 1"]).to_owned(),
            ));
            first.push(Stmt::Line("u[0] = u[1]".to_owned()));
            if self.random.chance(50) {
                // Beside a claim, that is one more.
                let alone = Stmt::Line(format!("_nr_pr <= {}", 1 + self.random.below(2)));
                let body = |value: u64| vec![alone.clone(), Stmt::Line(format!("a = {value}"))];
                first.extend((1..=3).map(|value| Stmt::Block { head: "atomic", body: body(value) }));
            }
            if self.question == Question::Safety {
                first.push(Stmt::Line(format!("assert(u[{}] < 2)", self.random.below(4))));
            }
        }
        processes.push(Process { head: "init".to_owned(), body: first });
        let tail = self.claim();
        Model { head: head.collect(), processes, tail }
    }

    fn process_body(&mut self, number: usize) -> Vec<Stmt> {
        let n_before = self.random.below(2);
        let mut body: Vec<Stmt> = (0..n_before).map(|_| self.statement(number)).collect();
        if self.random.chance(70) {
            body.push(self.choice(number, true));
        }
        if self.random.chance(40) || body.is_empty() {
            body.push(self.statement(number));
        }
        body
    }

    fn sequence(&mut self, number: usize) -> Vec<Stmt> {
        let n = 1 + self.random.below(3);
        (0..n).map(|_| self.statement(number)).collect()
    }

    fn statement(&mut self, number: usize) -> Stmt {
        if self.kind == Kind::Wide && self.random.chance(25) {
            return self.wide_statement(number);
        }
        self.depth += 1;
        let is_deep = self.depth > 3;
        let stmt = match self.random.below(if is_deep { 62 } else { 100 }) {
            0..=24 => self.assignment(),
            25..=33 => Stmt::Line(self.condition()),
            34..=56 => Stmt::Line(self.communication()),
            57..=58 => Stmt::Line("skip".to_owned()),
            59..=61 => self.assertion(),
            62..=71 => self.choice(number, false),
            72..=76 => self.choice(number, true),
            77..=85 => Stmt::Block { head: "atomic", body: self.sequence(number) },
            86..=90 => Stmt::Block { head: "d_step", body: self.d_step() },
            91..=95 => Stmt::Unless { body: self.sequence(number), escape: self.escape(number) },
            96..=97 => Stmt::Line("select (i : 0 .. 2)".to_owned()),
            _ => Stmt::Line(format!(
                "for (i : 0 .. {}) {{ {} = i % 3 }}",
                1 + self.random.below(2),
                self.random.pick(&BYTES)
            )),
        };
        self.depth -= 1;
        self.labelled(stmt, number)
    }

    /// Puts a label before some statements.
    fn labelled(&mut self, stmt: Stmt, number: usize) -> Stmt {
        let (kind, percent) = match self.question {
            Question::Acceptance => ("accept", 18),
            Question::NonProgress => ("progress", 18),
            Question::Safety => ("end", 12),
            Question::Ltl => ("L", 6),
            Question::Never => ("accept", 2),
        };
        // Inside of options, blocks and escapes the place of a label is restricted.
        let Stmt::Line(line) = &stmt else { return stmt };
        if self.depth > 0 || !self.random.chance(percent * 2) || line.starts_with("byte") {
            return stmt;
        }
        self.n_labels += 1;
        let label = format!("{kind}_{}", self.n_labels);
        if !self.is_cast() {
            self.labels.push((number, label.clone()));
        }
        Stmt::Line(format!("{label}: {line}"))
    }

    fn assignment(&mut self) -> Stmt {
        if self.has_code() && self.random.chance(35) {
            return Stmt::Line(format!("c_code {{ {} }}", self.random.pick(&C_STATEMENTS)));
        }
        if self.is_wide() {
            return self.wide_assignment();
        }
        let place = if self.is_cast() { self.random.pick(&OWN_PLACES) } else { self.random.pick(&PLACES) };
        if place == "f" {
            return Stmt::Line(if self.random.chance(50) {
                "f = !f".to_owned()
            } else {
                format!("f = ({})", self.condition())
            });
        }
        let value = match self.random.below(6) {
            0 => self.random.below(3).to_string(),
            1 => format!("({place} + 1) % 3"),
            2 => format!("1 - ({place} % 2)"),
            3 => format!("{} % 3", self.random.pick(&BYTES)),
            4 if self.is_cast() => format!("len({})", self.random.pick(&OWN_CHANNELS)),
            4 => "len(q)".to_owned(),
            _ => format!("(({}) -> {} : {})", self.condition(), self.random.below(3), self.random.below(3)),
        };
        Stmt::Line(format!("{place} = {value}"))
    }

    fn condition(&mut self) -> String {
        if self.has_code() && self.random.chance(30) {
            return format!("c_expr {{ {} }}", self.random.pick(&C_CONDITIONS));
        }
        if self.is_wide() {
            return self.wide_condition();
        }
        let place = match self.is_cast() {
            true => self.random.pick(&OWN_PLACES),
            false => self.random.pick(&["a", "b", "c", "i % 3", "t[1]", "t[b % 3]", "r.x"]),
        };
        let compare = self.random.pick(&["==", "!=", "<", ">=", "<="]);
        let constant = self.random.below(3);
        match self.random.below(9) {
            0 => "f".to_owned(),
            1 => "!f".to_owned(),
            2 => format!("{place} {compare} {constant} && !f"),
            3 => format!("{place} {compare} {constant} || f"),
            4 if self.is_cast() => format!("len({}) {compare} 1", self.random.pick(&OWN_CHANNELS)),
            4 => format!("len(q) {compare} 1"),
            5 => format!("{place} {compare} {}", self.random.pick(&BYTES)),
            _ => format!("{place} {compare} {constant}"),
        }
    }

    fn communication(&mut self) -> String {
        if self.kind == Kind::Wide {
            return self.wide_communication();
        }
        let place = self.random.pick(&["a", "b", "i", "t[1]", "r.x"]);
        let constant = self.random.below(3);
        if self.is_cast() {
            let channel = self.random.pick(&OWN_CHANNELS);
            let place = self.random.pick(&["mine", "i", "u[me]", "a"]);
            return match self.random.below(10) {
                0..=2 => format!("to!{constant}"),
                3..=4 => format!("from?{place}"),
                5 => format!("{channel}!mine % 3"),
                6 => format!("{channel}?{place}"),
                7 => format!("{channel}?{constant}"),
                8 => format!("from?<{place}>"),
                _ => format!("{}({channel})", self.random.pick(&["nfull", "nempty", "full", "empty"])),
            };
        }
        match self.random.below(20) {
            0..=2 => format!("q!{constant}"),
            3 => "q!a % 3".to_owned(),
            4..=6 => format!("q?{place}"),
            7 => format!("q?{constant}"),
            8 => format!("q??{constant}"),
            9 => format!("q!!{constant}"),
            10 => format!("q?<{place}>"),
            11 => format!("q?[{constant}]"),
            12..=13 => format!("h!{constant}"),
            14..=15 => format!("h?{place}"),
            16 => format!("h?{constant}"),
            17 => format!("m!{},{constant}", self.random.pick(&["red", "green"])),
            18 => format!("m?{},{place}", self.random.pick(&["red", "green", "_"])),
            _ => {
                self.random.pick(&["nfull(q)", "nempty(q)", "full(m)", "empty(m)", "h?eval(b)", "q?eval(c)"]).to_owned()
            }
        }
    }

    fn assertion(&mut self) -> Stmt {
        match self.question {
            Question::Safety => Stmt::Line(format!("assert({})", self.condition())),
            _ => self.assignment(),
        }
    }

    fn guard(&mut self) -> Stmt {
        match self.random.below(20) {
            0..=8 => Stmt::Line(self.condition()),
            9..=14 => Stmt::Line(self.communication()),
            15 => Stmt::Line("timeout".to_owned()),
            _ => self.assignment(),
        }
    }

    fn choice(&mut self, number: usize, is_loop: bool) -> Stmt {
        self.depth += 1;
        let n_options = 1 + self.random.below(3);
        let mut options = Vec::new();
        for _ in 0..n_options {
            let mut option = vec![self.guard()];
            if self.random.chance(60) {
                option.extend(self.sequence(number));
            }
            options.push(option);
        }
        if is_loop && self.random.chance(50) {
            options.push(vec![self.guard(), Stmt::Line("break".to_owned())]);
        }
        if self.random.chance(if is_loop { 15 } else { 50 }) {
            let last = if is_loop && self.random.chance(60) { "break" } else { "skip" };
            options.push(vec![Stmt::Line("else".to_owned()), Stmt::Line(last.to_owned())]);
        }
        self.depth -= 1;
        Stmt::Choice { is_loop, options }
    }

    /// Steps that cannot block once begun.
    fn d_step(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        if self.random.chance(50) {
            body.push(Stmt::Line(self.condition()));
        }
        for _ in 0..1 + self.random.below(2) {
            body.push(self.assignment());
        }
        if self.random.chance(40) {
            let yes = vec![Stmt::Line(self.condition()), self.assignment()];
            let no = vec![Stmt::Line("else".to_owned()), Stmt::Line("skip".to_owned())];
            body.push(Stmt::Choice { is_loop: false, options: vec![yes, no] });
        }
        body
    }

    fn escape(&mut self, number: usize) -> Vec<Stmt> {
        let mut escape = vec![Stmt::Line(if self.random.chance(60) { self.condition() } else { self.communication() })];
        if self.random.chance(50) {
            escape.push(self.statement(number));
        }
        escape
    }

    fn atom(&mut self) -> String {
        // In claims, SPIN and we count the claim among the processes.
        if self.has_code() && self.random.chance(30) {
            return format!("(c_expr {{ {} }})", self.random.pick(&C_CONDITIONS[..5]));
        }
        if self.is_wide() {
            return self.wide_atom();
        }
        let others = if self.is_cast() { ["u[0]", "u[2]"] } else { ["c", "r.x"] };
        let place = self.random.pick(&["a", "b", others[0], "t[1]", others[1]]);
        let compare = self.random.pick(&["==", "!=", "<"]);
        match self.random.below(24) {
            0..=2 => "f".to_owned(),
            3..=5 if self.is_cast() => format!("(len(w[{}]) {compare} 1)", self.random.below(3)),
            3..=5 => format!("(len(q) {compare} {})", 1 + self.random.below(2)),
            6 => self.random.pick(&["true", "false"]).to_owned(),
            7..=9 if !self.labels.is_empty() => {
                let at = self.random.below(self.labels.len() as u64) as usize;
                let (process, label) = &self.labels[at];
                format!("(P{process}@{label})")
            }
            _ => format!("({place} {compare} {})", self.random.below(3)),
        }
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.atom();
        }
        let operand = |writer: &mut Writer| writer.formula(depth - 1);
        match self.random.below(12) {
            0..=2 => format!("[] ({})", operand(self)),
            3..=5 => format!("<> ({})", operand(self)),
            6 => format!("! ({})", operand(self)),
            7 => format!("(({}) U ({}))", operand(self), operand(self)),
            8 => format!("(({}) -> ({}))", operand(self), operand(self)),
            9 => format!("(({}) && ({}))", operand(self), operand(self)),
            10 => format!("(({}) || ({}))", operand(self), operand(self)),
            _ => format!("(({}) W ({}))", operand(self), operand(self)),
        }
    }

    fn claim(&mut self) -> Vec<String> {
        match self.question {
            Question::Safety | Question::Acceptance | Question::NonProgress => Vec::new(),
            Question::Ltl => {
                let depth = 2 + self.random.below(2) as u32;
                vec![format!("ltl p {{ {} }}", self.formula(depth))]
            }
            Question::Never => {
                let (one, two, three) = (self.atom(), self.atom(), self.atom());
                let text = match self.random.below(5) {
                    0 => format!("do :: {one} -> break :: true od; accept: do :: {two} od"),
                    1 => format!("do :: {one} -> break :: else od; do :: {two} -> break :: {three} od"),
                    2 => format!("do :: true :: {one} && !({two}) -> goto accept od; accept: do :: !({two}) od"),
                    3 => format!("do :: atomic {{ {one} -> assert(!({one})) }} :: {two} od"),
                    _ => format!(
                        "T: if :: {one} -> goto accept :: {two} -> goto T fi; accept: if :: {three} -> goto T :: true fi"
                    ),
                };
                vec![format!("never {{ {text} }}")]
            }
        }
    }
}
