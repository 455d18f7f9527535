//! Models with the rest of the language: all types and their ends, records in records and in messages, channels in
//! messages and of processes, priorities, `inline`, `goto`, `for` over arrays and channels, processes that make others,
//! assertions beside claims, event traces, and what claims alone can see.

use super::{Question, Writer};
use crate::promela::model::{Model, Process, Stmt};

/// The number of the process type that others make; it has no label to go back to, and makes no process.
const CHILD: usize = 9;

const HEAD: [&str; 18] = [
    "#define NEXT(v) ((v + 1) % 3)",
    "byte a, b, c;",
    "bool f;",
    "bit z;",
    "short s;",
    "int n = -1;",
    "unsigned w : 3 = 5;",
    "byte t[3];",
    "mtype = { red, green };",
    "mtype colour = red;",
    "typedef Q { byte x; bool y };",
    "typedef R { byte x; short s[2]; Q q };",
    "R r, rr[2];",
    "Q sent, taken;",
    "chan m = [1] of { mtype, bool };",
    "chan g = [1] of { chan };",
    "chan k[2] = [1] of { byte };",
    "chan o = [1] of { Q };",
];

const INLINES: [&str; 2] = [
    "inline turn(v) { v = NEXT(v); if :: v == 0 -> f = !f :: else fi }",
    "inline give(what) { atomic { nfull(q) -> q!what,_pid } }",
];

const ASSIGNMENTS: [&str; 23] = [
    "z = z + 1",
    "w = w + 3",
    "w++",
    "z--",
    "s = -1 - s",
    "s = -32768 - s",
    "n = n ^ -1",
    "n = -n",
    "c = ~c",
    "b = b ^ 3",
    "colour = (colour == red -> green : red)",
    "gone = a",
    "l[i % 2] = NEXT(a)",
    "rr[b % 2].s[f] = s",
    "r.s[1] = -1",
    "r.q.y = !r.q.y",
    "rr[f].q.x = NEXT(rr[1 - f].q.x)",
    "sent.x = NEXT(sent.x)",
    "turn(a)",
    "turn(t[1])",
    "turn(l[i % 2])",
    "t[a] = 0",
    "child = _pid",
];

const CONDITIONS: [&str; 17] = [
    "s < 0",
    "w & 1",
    "w > 4",
    "z",
    "n == -1",
    "c > 2",
    "colour == red",
    "_pid == 1",
    "_nr_pr > 2",
    "rr[a % 2].s[0] != 0",
    "r.q.y || rr[0].q.x",
    "l[0] == l[1]",
    "(a + b) * 2 - w / 2 > 1",
    "(s >> 1) == -1 || w << 1 == 6",
    "child == 0",
    "t[a] != 1",
    "(f -> a : b) == t[i % 3]",
];

const COMMUNICATIONS: [&str; 30] = [
    "q!a % 3,1",
    "q!i % 3,b % 3",
    "q!!b % 3,z",
    "q!!0,a % 3",
    "q?a,b",
    "q?_,i",
    "q??1,b",
    "q??eval(a),i",
    "q?<a,_>",
    "q??<1,i>",
    "q?[1,_]",
    "q??[1,0]",
    "q?1(z)",
    "give(b % 3)",
    "own!1",
    "own?i",
    "own?<i>",
    "g!own",
    "g!k[a % 2]",
    "k[f]!z",
    "k[a % 2]?i",
    "k[1 - f]?eval(z)",
    "m!colour,f",
    "m?red,f",
    "m?eval(colour),_",
    "o!sent",
    "o?taken",
    "o?<taken>",
    "h!z",
    "h?eval(i)",
];

const EVENTS: [&str; 7] = ["q!_,_", "q?_,_", "q!0,_", "q?1,_", "m!red,_", "m?_,_", "o?_,_"];

impl Writer {
    /// Some processes of two types, and one that others make.
    pub(super) fn wide(&mut self) -> Model {
        let mut head: Vec<String> = HEAD.iter().map(|line| (*line).to_owned()).collect();
        let hidden = if self.random.chance(15) { "hidden " } else { "" };
        head.push(format!("{hidden}byte gone;"));
        // SPIN takes rendezvous neither with priorities nor where it is asked who can move.
        self.has_rendezvous = self.random.chance(60);
        head.push(format!("chan h = [{}] of {{ byte }};", u8::from(!self.has_rendezvous)));
        head.push(format!("chan q = [{}] of {{ byte, byte }};", 1 + self.random.below(3)));
        head.extend(INLINES.map(str::to_owned));
        let mut child = vec![locals()];
        child.extend(self.sequence(CHILD).into_iter().take(2));
        child.push(Stmt::Line(self.random.pick(&["from!x", "from?x", "from?a", "x = 2", "own!x; from!0"]).to_owned()));
        let mut processes = vec![Process { head: "proctype C(byte x; chan from)".to_owned(), body: child }];
        for number in 0..1 + self.random.below(2) as usize {
            let count = if self.random.chance(25) { "[2] " } else { "" };
            let priority = if !self.has_rendezvous && self.random.chance(25) { " priority 2" } else { "" };
            let provided = if self.random.chance(5) { " provided (a != 2)" } else { "" };
            let head = format!("active {count}proctype P{number}(){priority}{provided}");
            let mut body = vec![locals(), Stmt::Line(format!("back_{number}: skip"))];
            self.labels.push((number, format!("back_{number}")));
            body.extend(self.process_body(number));
            processes.push(Process { head, body });
        }
        let mut tail = self.claim();
        if self.question == Question::Safety && self.random.chance(30) {
            tail.push(self.events());
        }
        Model { head, processes, tail }
    }

    /// A statement that other models do not have.
    pub(super) fn wide_statement(&mut self, number: usize) -> Stmt {
        let line = |text: &str| Stmt::Line(text.to_owned());
        match self.random.below(12) {
            0 if number != CHILD => Stmt::Line(format!("goto back_{number}")),
            1 => line("for (i in t) { t[i] = i % 2 }"),
            2 => line("for (taken in o) { f = taken.y }"),
            3..=4 if number != CHILD => {
                let from = self.random.pick(&["own", "k[0]", "h", "k[f]"]);
                let made = format!("child = run C({}, {from})", self.random.pick(&["0", "1", "a % 3", "_pid"]));
                let limit = 3 + self.random.below(2);
                Stmt::Block { head: "atomic", body: vec![Stmt::Line(format!("_nr_pr < {limit}")), Stmt::Line(made)] }
            }
            5..=6 => {
                let used = self.random.pick(&["got!2", "got?i", "len(got) == 0", "nfull(got) -> got!1"]);
                Stmt::Block { head: "atomic", body: vec![line("g?got"), line(used)] }
            }
            7 => line(self.random.pick(&["printf(\"%d %e\\n\", a, colour)", "printm(colour)"])),
            8 => {
                let (one, two) = (self.d_step(), self.assignment());
                let first = vec![Stmt::Block { head: "d_step", body: one }];
                Stmt::Choice { is_loop: false, options: vec![first, vec![two]] }
            }
            9 if !matches!(self.question, Question::Ltl | Question::Never) => {
                Stmt::Line(format!("assert({})", self.condition()))
            }
            _ => self.assignment(),
        }
    }

    pub(super) fn wide_assignment(&mut self) -> Stmt {
        let is_prior = !self.has_rendezvous && self.random.chance(8);
        Stmt::Line(if is_prior { "set_priority(_pid, 1 + a % 2)" } else { self.random.pick(&ASSIGNMENTS) }.to_owned())
    }

    pub(super) fn wide_condition(&mut self) -> String {
        let is_prior = !self.has_rendezvous && self.random.chance(6);
        if is_prior { "get_priority(_pid) > 1" } else { self.random.pick(&CONDITIONS) }.to_owned()
    }

    pub(super) fn wide_communication(&mut self) -> String {
        self.random.pick(&COMMUNICATIONS).to_owned()
    }

    /// Something that claims see.
    pub(super) fn wide_atom(&mut self) -> String {
        let seen = [
            "(_last == 0)",
            "(P0[0]:i == 1)",
            "(P0[0]:child == 1)",
            "(s < 0)",
            "(w > 4)",
            "(colour == red)",
            "(len(k[0]) == 1)",
            "(r.q.y)",
            "(len(q) > 0)",
            "(z != f)",
        ];
        match (self.question, self.random.below(12)) {
            (Question::Never, 0) if !self.has_rendezvous => "(enabled(0))".to_owned(),
            _ => self.random.pick(&seen).to_owned(),
        }
    }

    /// What has to happen on channels, or must not.
    fn events(&mut self) -> String {
        let kind = self.random.pick(&["trace", "notrace"]);
        let [one, two, three] = [(); 3].map(|()| self.random.pick(&EVENTS));
        match self.random.below(3) {
            0 => format!("{kind} {{ do :: {one} :: {two} -> {three} od }}"),
            1 => format!("{kind} {{ {one}; {two}; {three} }}"),
            _ => format!("{kind} {{ do :: {one}; {two} od }}"),
        }
    }
}

fn locals() -> Stmt {
    Stmt::Line("byte i, l[2]; pid child; chan got; chan own = [1] of { byte }".to_owned())
}
