//! Programs with a few small inputs, against all values of them: branches, loops, arrays at offsets that depend on inputs,
//! pointers to one of several variables.

use unpick_program::generate::Random;
use unpick_program::interp::{Decision, Key, Machine, Observer, Options, Oracle, Stop};
use unpick_program::text;
use unpick_system::{Evidence, PropertySet, Reason, Verdict};

use crate::random_programs::ask;

/// The values of the inputs, in the order in which they are asked for.
struct Values(Vec<u8>, usize);

impl Oracle for Values {
    fn decide(&mut self, _: &Key) -> Option<Decision> {
        self.1 += 1;
        self.0.get(self.1 - 1).map(|value| Decision::Value(u128::from(*value)))
    }
}

struct Silent;

impl Observer for Silent {}

const HEAD: &str = "pointer 8\nentry main\nfile 0 \"a.c\"\nglobal g: size 8 align 8\nglobal h: size 8 align 8\n\
    fn pick(r0, r1) -> i8 @0:9:1 {\n  reg r0 r1 r2: i8\n  reg r3: i1\nb0:\n  r3 = cmp.ult i8 r0, r1\n  branch r3 ? b1 : b2\n\
    b1:\n  r2 = add i8 r0, 3\n  return r2\nb2:\n  r3 = cmp.eq i8 r1, 0\n  branch r3 ? b3 : b4\nb3:\n  return 7\nb4:\n  \
    r2 = sub i8 r1, 1\n  r2 = call pick(r0, r2)\n  return r2\n}\n\
    fn main() -> i32 @0:1:1 {\n  reg r0 r1 r2 r3: i8\n  reg r4: i64\n  reg r5 r6: ptr\n  reg r7 r8: i1\n  reg r9: i8\n  \
    slot slot0: size 8 align 8\nb0:\n  live slot0\n  r5 = &g\n  r6 = &h\n  r7 = 1\n  r8 = 0\n  r2 = 1\n  r3 = 2\n  \
    r9 = 0\n  r4 = 0\n  memset 3 -> &slot0 bytes 6\n";

struct Writer {
    random: Random,
    text: String,
    n_blocks: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.random.below(items.len())]
    }

    fn small(&mut self) -> String {
        match self.random.below(5) {
            0 => (self.random.below(12) as i32 - 3).to_string(),
            _reg => self.pick(&["r0", "r1", "r2", "r3"]).to_owned(),
        }
    }

    fn bit(&mut self) -> &'static str {
        self.pick(&["r7", "r8"])
    }

    fn pointer(&mut self) -> &'static str {
        self.pick(&["r5", "r6", "&g", "&h", "&slot0"])
    }

    fn stmt(&mut self) {
        let (dst, left, right) = (self.pick(&["r1", "r2", "r3"]), self.small(), self.small());
        let (bit, other) = (self.bit(), self.bit());
        let (pointer, to) = (self.pointer(), self.pick(&["r5", "r6"]));
        match self.random.below(16) {
            0 | 1 => {
                let op = self.pick(&["add", "sub", "mul", "and", "or", "xor", "add.checked", "sub.checked"]);
                self.line(&format!("{dst} = {op} i8 {left}, {right}"));
            }
            2 => {
                let op = self.pick(&["udiv.checked", "srem.checked", "urem.checked", "shl.checked", "ashr.checked"]);
                self.line(&format!("{dst} = {op} i8 {left}, {right}"));
            }
            3..=5 => {
                let op = self.pick(&["eq", "ne", "slt", "sle", "ult", "uge"]);
                self.line(&format!("{bit} = cmp.{op} i8 {left}, {right}"));
            }
            6 => self.line(&format!("{dst} = select {bit} ? {left} : {right}")),
            7 => self.line(&format!("{to} = select {bit} ? {pointer} : r6")),
            8 | 9 => {
                self.line(&format!("r4 = zext i8 {left} to i64"));
                let mask = self.pick(&["3", "5", "7", "9"]);
                self.line(&format!("r4 = and i64 r4, {mask}"));
                let stride = self.pick(&["1", "1", "2", "3"]);
                self.line(&format!("{to} = ptradd {pointer}, r4 * {stride}"));
            }
            10 => self.line(&format!("store i8 {left} -> {pointer}")),
            11 => self.line(&format!("{dst} = load {pointer}")),
            12 => self.line(&format!("{bit} = cmp.eq ptr r5, {pointer}")),
            13 => {
                let argument = if left.starts_with('r') { left } else { format!("i8 {left}") };
                self.line(&format!("{dst} = call pick({argument}, i8 3)"));
            }
            14 => {
                let kind = self.random.below(6);
                let text = if kind == 0 { format!("assume {other}") } else { format!("store i8 {right} -> {to}") };
                self.line(&text);
            }
            _assert => {
                self.line(&format!("{bit} = cmp.ult i8 {left}, {right}"));
                self.line(&format!("assert {other} else assertion \"a\""));
            }
        }
    }

    fn begin(&mut self, number: usize, is_head: bool) {
        let mark = if is_head { ": loop" } else { ":" };
        self.text.push_str(&format!("b{number}{mark}\n"));
    }

    /// A few instructions, a branch or a loop; ends in a block that goes on.
    fn part(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            self.stmt();
        }
        if depth == 0 {
            return;
        }
        let bit = self.bit();
        match self.random.below(3) {
            0 => {}
            1 => {
                let [then, other, end] = [1, 2, 3].map(|more| self.n_blocks + more);
                self.n_blocks += 3;
                self.line(&format!("branch {bit} ? b{then} : b{other}"));
                let mut rest: Vec<(usize, String)> = Vec::new();
                for at in [then, other] {
                    let outer = std::mem::take(&mut self.text);
                    self.begin(at, false);
                    self.part(depth - 1);
                    self.line(&format!("goto b{end}"));
                    rest.push((at, std::mem::replace(&mut self.text, outer)));
                }
                for (_, text) in rest {
                    self.text.push_str(&text);
                }
                self.begin(end, false);
                self.stmt();
            }
            _loop => {
                let [head, body, end] = [1, 2, 3].map(|more| self.n_blocks + more);
                self.n_blocks += 3;
                let limit = self.small();
                self.line("r9 = 0");
                self.line(&format!("goto b{head}"));
                self.begin(head, true);
                self.line(&format!("r7 = cmp.ult i8 r9, {limit}"));
                self.line("r8 = cmp.ult i8 r9, 5");
                self.line("r7 = and i1 r7, r8");
                self.line(&format!("branch r7 ? b{body} : b{end}"));
                self.begin(body, false);
                for _ in 0..1 + self.random.below(3) {
                    self.stmt();
                }
                self.line("r9 = add i8 r9, 1");
                self.line(&format!("goto b{head}"));
                self.begin(end, false);
            }
        }
    }
}

fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed), text: HEAD.to_owned(), n_blocks: 0 };
    writer.line("r0 = choose 0 to 15 \"x\"");
    writer.line("r1 = choose 0 to 15 \"y\"");
    for _ in 0..4 {
        writer.part(2);
    }
    writer.line("return 0");
    let text = writer.text + "}\n";
    // Blocks are declared in order.
    let (head, body) = text.split_once("b0:\n  live").expect("the text should have a first block");
    let mut blocks: Vec<(usize, String)> = Vec::new();
    for line in format!("b0:\n  live{body}").lines() {
        let number =
            line.strip_prefix('b').and_then(|rest| rest.split_once(':')).and_then(|(number, _)| number.parse().ok());
        match number {
            Some(number) => blocks.push((number, format!("{line}\n"))),
            None if line == "}" => {}
            None => blocks.last_mut().expect("a block should have begun").1.push_str(&format!("{line}\n")),
        }
    }
    blocks.sort_by_key(|(number, _)| *number);
    let blocks: String = blocks.into_iter().map(|(_, text)| text).collect();
    format!("{head}{blocks}}}\n")
}

#[test]
fn verdicts_agree_with_all_inputs() {
    let given = std::env::var("UNPICK_SYMBOLIC").ok();
    let range = given.as_deref().and_then(|text| text.split_once('-'));
    let range = range.and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    let properties = PropertySet::default_for_c();
    let (mut n_verified, mut n_violated, mut n_unknown) = (0, 0, 0);
    for seed in range.unwrap_or(1..300_u64) {
        let text = program(seed);
        let program = text::parse(&text).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{text}", errors[0]));
        let options = Options { is_lazy: false, checks: properties.iter().collect(), ..Options::default() };
        let machine = Machine::new(&program, options);
        let mut worst: Option<Stop> = None;
        let mut is_feasible = false;
        for x in 0..16 {
            for y in 0..16 {
                let run = machine.follow(&mut Values(vec![x, y], 0), 1_000_000, 100, &mut Silent);
                match run.map(|followed| followed.stop) {
                    Ok(Stop::Infeasible) => {}
                    Ok(Stop::Exited { .. } | Stop::Blocked | Stop::ThreadEnded) => is_feasible = true,
                    Ok(stop) => worst = Some(stop),
                    Err(misfit) => panic!("seed {seed}: {misfit:?}"),
                }
            }
        }
        let answer = ask(&program, properties).expect("the program should be treated");
        match (&answer.verdict, worst) {
            (Verdict::Holds(_), None) => n_verified += 1,
            (Verdict::Fails(Evidence::Program(_)), Some(_)) => n_violated += 1,
            (Verdict::Unknown(why), None) if !is_feasible => {
                assert!(
                    matches!(why.reasons()[..], [Reason::Vacuous { .. }]),
                    "seed {seed}: {}\n{text}",
                    why.summary()
                );
            }
            (Verdict::Unknown(why), _) => {
                let is_ours = why.reasons().iter().any(|reason| matches!(reason, Reason::Internal(_)));
                assert!(!is_ours, "seed {seed}: {}\n{text}", why.summary());
                n_unknown += 1;
            }
            (verdict, worst) => panic!("seed {seed}: {verdict:?}, but {worst:?}\n{text}"),
        }
    }
    println!("{n_verified} verified, {n_violated} violated, {n_unknown} unknown");
    assert!(n_verified > 20 && n_violated > 20, "{n_verified} verified, {n_violated} violated, {n_unknown} unknown");
}
