//! Small C programs with one or two inputs of few values, made so that some inputs may lead into an error.
//!
//! Every object is initialised, loops are bounded, and what can fail has a line of its own and a result that is stored:
//! then the kind and the line of the first error do not depend on the order of evaluation, and the compiler cannot drop
//! an operand whose value does not matter.

mod expression;

use std::fmt::Write as _;

use crate::random::Random;

/// A program and the numbers its inputs may be.
pub struct Generated {
    pub text: String,
    /// For each input, in the order in which the program asks: first and last number.
    pub inputs: Vec<(i128, i128)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Int {
    name: &'static str,
    /// The part after `__VERIFIER_nondet_`.
    short: &'static str,
    bits: u32,
    is_signed: bool,
}

const INTS: [Int; 8] = [
    Int { name: "signed char", short: "char", bits: 8, is_signed: true },
    Int { name: "unsigned char", short: "uchar", bits: 8, is_signed: false },
    Int { name: "short", short: "short", bits: 16, is_signed: true },
    Int { name: "unsigned short", short: "ushort", bits: 16, is_signed: false },
    Int { name: "int", short: "int", bits: 32, is_signed: true },
    Int { name: "unsigned", short: "uint", bits: 32, is_signed: false },
    Int { name: "long", short: "long", bits: 64, is_signed: true },
    Int { name: "unsigned long", short: "ulong", bits: 64, is_signed: false },
];

impl Int {
    fn limits(self) -> (i128, i128) {
        if self.is_signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, (1 << self.bits) - 1) }
    }

    /// A number of the type as C writes it.
    fn literal(self, number: i128) -> String {
        match self.name {
            "long" if number == i128::from(i64::MIN) => "(-9223372036854775807L - 1)".into(),
            "long" => format!("{number}L"),
            "unsigned long" => format!("{number}UL"),
            "unsigned" => format!("{number}U"),
            _ if number == i128::from(i32::MIN) => "(-2147483647 - 1)".into(),
            _ => number.to_string(),
        }
    }
}

/// Names every program may define, besides `main`.
pub const NAMES: [&str; 8] = ["table", "pair", "word", "helper", "change", "descend", "pick", "counter"];

const PROLOGUE: &str = "\
extern signed char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
extern void (reach_error)(void);
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long), *realloc(void *, unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern unsigned long strlen(const char *);
extern int strcmp(const char *, const char *), memcmp(const void *, const void *, unsigned long);
extern char *strcpy(char *, const char *), *strncpy(char *, const char *, unsigned long);
extern char *strcat(char *, const char *), *strchr(const char *, int);
";

struct Writer {
    random: Random,
    text: String,
    depth: usize,
    /// Percentage of places that can fail, of those that could be made to.
    daring: u64,
    n_kept: usize,
    inputs: Vec<(i128, i128)>,
    input_names: Vec<(&'static str, Int)>,
    scalars: Vec<(String, Int)>,
    /// Loop counters: read, never written.
    counters: Vec<String>,
    in_main: bool,
    element: Int,
    array_len: u64,
    heap_element: Int,
    heap_len: u64,
    text_len: u64,
    table_len: u64,
    n_loops: usize,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let element = random.pick(&INTS[..6]);
    let heap_element = random.pick(&INTS);
    let array_len = 4 + random.below(7);
    let heap_len = 3 + random.below(8);
    let text_len = 4 + random.below(7);
    let table_len = 3 + random.below(8);
    let daring = random.pick(&[3, 6, 12, 25]);
    let mut writer = Writer {
        random,
        text: PROLOGUE.to_owned(),
        depth: 0,
        daring,
        n_kept: 0,
        inputs: Vec::new(),
        input_names: Vec::new(),
        scalars: Vec::new(),
        counters: Vec::new(),
        in_main: false,
        element,
        array_len,
        heap_element,
        heap_len,
        text_len,
        table_len,
        n_loops: 0,
    };
    writer.globals();
    writer.main();
    Generated { text: writer.text, inputs: writer.inputs }
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 4 * self.depth);
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// Whether to make this place one that can fail.
    fn dares(&mut self, times: u64) -> bool {
        self.random.chance(self.daring * times)
    }

    /// Evaluates on a line before the current statement. The type is the widest: gcc narrows arithmetic whose result is
    /// narrowed, and an overflow is gone.
    fn keep(&mut self, expression: &str) -> String {
        let name = format!("r{}", self.n_kept);
        self.n_kept += 1;
        self.line(&format!("long {name} = {expression};"));
        name
    }

    fn globals(&mut self) {
        let first = self.random.pick(&INTS).name;
        let second = self.random.pick(&INTS).name;
        self.line(&format!(
            "struct pair {{ {first} x; {second} y[3]; unsigned f : 3; int g : 5; _Bool h : 1; {first} z; }};"
        ));
        self.line("union word { unsigned u; unsigned char b[4]; short h[2]; signed char c[4]; };");
        self.line("static int counter;");
        let numbers: Vec<String> =
            (0..self.table_len).map(|_| (self.random.below(200) as i64 - 100).to_string()).collect();
        let ty = self.random.pick(&INTS[..6]);
        let ty = if ty.is_signed { ty } else { INTS[2] };
        self.line(&format!("static {} table[{}] = {{ {} }};", ty.name, self.table_len, numbers.join(", ")));
        self.scalars = vec![("x".into(), INTS[4]), ("y".into(), INTS[5])];
        self.open("static int helper(int x, unsigned y) {");
        for _ in 0..1 + self.random.below(2) {
            self.statement(1);
        }
        self.result();
        self.close("}");
        self.open("static struct pair change(struct pair s, int x) {");
        self.scalars = vec![("x".into(), INTS[4])];
        let value = self.expression(2);
        let index = self.random.below(3);
        self.line(&format!("s.y[{index}] = {value};"));
        let value = self.expression(1);
        self.line(&format!("s.g = {value};"));
        self.line("return s;");
        self.close("}");
        self.open("static int descend(unsigned n, int x) {");
        let value = self.expression(1);
        self.line(&format!("if (n == 0) return (short)({value});"));
        let step = self.random.pick(&["descend(n - 1, x) + 1", "1 - descend(n - 1, x)", "descend(n / 2, x)"]);
        self.line(&format!("return {step};"));
        self.close("}");
        self.open(&format!("static {0} *pick({0} *left, {0} *right, int x) {{", self.element.name));
        let condition = self.condition();
        self.line(&format!("return ({condition}) ? left : right;"));
        self.close("}");
    }

    fn result(&mut self) {
        let value = self.expression(1);
        self.line(&format!("return (short)({value});"));
    }

    fn main(&mut self) {
        self.open("int main(void) {");
        self.scalars.clear();
        self.ask();
        self.objects();
        self.in_main = true;
        for _ in 0..3 + self.random.below(7) {
            self.statement(2);
        }
        self.line("return 0;");
        self.close("}");
    }

    /// The inputs: all values of a small type or a few of a large one, often at its ends.
    fn ask(&mut self) {
        let two = self.random.chance(40);
        for name in ["a", "b"].into_iter().take(if two { 2 } else { 1 }) {
            let ty = self.random.pick(&INTS);
            let (min, max) = ty.limits();
            let count = if two { 16 } else { self.random.pick(&[16, 40, 100, 256]) };
            self.line(&format!("{} {name} = __VERIFIER_nondet_{}();", ty.name, ty.short));
            let start = match self.random.below(5) {
                0 => min,
                1 => max - count + 1,
                2 if ty.is_signed => -count / 2,
                3 => self.random.below(120) as i128,
                _ => 0,
            };
            let (low, high) = (start.max(min), (start + count - 1).min(max));
            if (low, high) != (min, max) {
                let (low, high) = (ty.literal(low), ty.literal(high));
                let text = match self.random.below(3) {
                    0 => format!("__VERIFIER_assume({name} >= {low});\n    __VERIFIER_assume({name} <= {high});"),
                    1 => format!("__VERIFIER_assume({low} <= {name} && {name} <= {high});"),
                    _ => format!("if ({name} < {low} || {high} < {name}) return 0;"),
                };
                self.line(&text);
            }
            if self.random.chance(15) {
                let (modulus, residue) = (2 + self.random.below(5), self.random.below(2));
                self.line(&format!("__VERIFIER_assume({name} % {modulus} != {residue});"));
            }
            self.inputs.push((low, high));
            self.input_names.push((name, ty));
            self.scalars.push((name.to_owned(), ty));
        }
    }

    fn objects(&mut self) {
        for number in 0..3 {
            let ty = self.random.pick(&INTS);
            let value = self.expression(2);
            self.line(&format!("{} v{number} = {value};", ty.name));
            self.scalars.push((format!("v{number}"), ty));
        }
        let (element, len) = (self.element.name, self.array_len);
        self.line(&format!("{element} array[{len}] = {{ 3, 1, 2 }};"));
        let start = self.random.below(len);
        self.line(&format!("{element} *p = array + {start};"));
        let (element, len) = (self.heap_element.name, self.heap_len);
        if self.random.chance(50) {
            self.line(&format!("{element} *heap = calloc({len}, sizeof *heap);"));
        } else {
            self.line(&format!("{element} *heap = malloc({len} * sizeof *heap);"));
            self.line(&format!("for (int i = 0; i < {len}; i++) heap[i] = ({element})(i * 37);"));
        }
        let alias = self.random.pick(&["heap", "heap + 1", "0"]);
        self.line(&format!("{element} *alias = {alias};"));
        self.line(&format!("char text[{}] = \"ab\";", self.text_len));
        self.line("struct pair s = { 1, { 2, 3, 4 }, 5, -6, 1, 7 }, t = { .z = 2 };");
        self.line("union word w = { 0x8001fe03u };");
    }

    fn statements(&mut self, depth: u64) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u64) {
        match self.random.below(if self.in_main { 100 } else { 45 }) {
            0..15 => self.assignment(),
            15..25 if depth > 0 => self.conditional(depth),
            25..31 if depth > 0 => self.choice(depth),
            31..39 if depth > 0 => self.repetition(depth),
            39..53 => self.claim(),
            53..61 => self.array(),
            61..72 => self.heap(),
            72..80 => self.pointer(),
            80..90 => self.string(),
            90..100 => self.record(),
            _ => self.assignment(),
        }
    }

    fn writable(&mut self) -> (String, Int) {
        let index = self.random.below(self.scalars.len() as u64) as usize;
        self.scalars[index].clone()
    }

    fn assignment(&mut self) {
        let (name, ty) = self.writable();
        match self.random.below(8) {
            0 => {
                let op = self.random.pick(&["&", "|", "^"]);
                let value = self.expression(1);
                self.line(&format!("{name} {op}= {value};"));
            }
            1 => {
                let amount = self.amount(ty.bits.max(32));
                let op = self.random.pick(&["<<", ">>"]);
                self.line(&format!("{name} {op}= {amount};"));
            }
            // Narrow and unsigned types wrap; for the others these can fail.
            2 if ty.bits < 32 || !ty.is_signed || self.dares(3) => {
                let text = self.random.pick(&["++", "--", " += 5", " -= 3", " *= 2"]);
                self.line(&format!("{name}{text};"));
            }
            3 if self.in_main => {
                let (left, right) = (self.atom(), self.atom());
                self.line(&format!("{name} = helper((int)({left}), (unsigned)({right}));"));
            }
            4 if self.in_main => {
                let (left, right) = (self.atom(), self.atom());
                self.line(&format!("{name} = descend(({left}) & 7, (int)({right}));"));
            }
            5 => {
                let step = self.random.below(3);
                self.line(&format!("counter += {step};"));
            }
            _ => {
                let value = self.expression(3);
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    fn conditional(&mut self, depth: u64) {
        let condition = self.condition();
        self.open(&format!("if ({condition}) {{"));
        self.statements(depth - 1);
        if self.random.chance(40) {
            self.close("} else {");
            self.depth += 1;
            self.statements(depth - 1);
        }
        self.close("}");
    }

    fn choice(&mut self, depth: u64) {
        let value = self.expression(1);
        self.open(&format!("switch ({value}) {{"));
        let first = self.random.below(12) as i64 - 4;
        let step = 1 + self.random.below(20) as i64;
        for number in 0..2 + self.random.below(3) as i64 {
            let label = first + number * step;
            if self.random.chance(15) {
                self.line(&format!("case {label} ... {}:", label + step - 1));
            } else {
                self.line(&format!("case {label}:"));
            }
            self.depth += 1;
            self.statement(depth - 1);
            if self.random.chance(75) {
                self.line("break;");
            }
            self.depth -= 1;
        }
        if self.random.chance(50) {
            self.line("default:");
            self.depth += 1;
            self.statement(depth - 1);
            self.depth -= 1;
        }
        self.close("}");
    }

    fn repetition(&mut self, depth: u64) {
        let counter = format!("i{}", self.n_loops);
        self.n_loops += 1;
        let bound = self.expression(1);
        let ty = self.random.pick(&["int", "unsigned", "unsigned char", "long"]);
        let mask = self.random.pick(&[3, 7, 12]);
        match self.random.below(3) {
            0 => self.open(&format!("for ({ty} {counter} = 0; {counter} < (({bound}) & {mask}); {counter}++) {{")),
            1 => self.open(&format!("for (int {counter} = ({bound}) & {mask}; {counter} > 0; {counter}--) {{")),
            _ => {
                let condition = self.condition();
                self.open(&format!("for ({ty} {counter} = 0; {counter} < {mask} && ({condition}); {counter} += 2) {{"));
            }
        }
        self.counters.push(counter);
        self.statements(depth - 1);
        if self.random.chance(20) {
            let condition = self.condition();
            let way = self.random.pick(&["break", "continue"]);
            self.line(&format!("if ({condition}) {way};"));
        }
        self.counters.pop();
        self.close("}");
    }

    /// Something that is wrong for few values, if for any.
    fn claim(&mut self) {
        let value = self.expression(2);
        let number = self.random.below(300) as i64 - 120;
        let text = match self.random.below(6) {
            0 => format!("({value}) < {number}"),
            1 => format!("({value}) > {number}"),
            2 => format!("({value}) % 16 == {}", number % 16),
            3 => format!("(({value}) & 31) == {}", number & 31),
            _ => format!("({value}) == {number}"),
        };
        self.line(&format!("if ({text}) reach_error();"));
    }

    fn array(&mut self) {
        let index = self.index(self.array_len, true);
        let value = self.expression(2);
        self.line(&format!("array[{index}] = {value};"));
    }

    fn heap(&mut self) {
        let (element, len) = (self.heap_element.name, self.heap_len);
        match self.random.below(9) {
            0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) free(heap);"));
            }
            1 => {
                let condition = self.condition();
                self.open(&format!("if ({condition}) {{"));
                self.line("free(heap);");
                let next = self.random.pick(&["0", "calloc(1, sizeof *heap)", "calloc(12, sizeof *heap)"]);
                self.line(&format!("heap = {next};"));
                self.close("}");
            }
            2 => {
                let size = self.index(len, false);
                self.line(&format!("heap = realloc(heap, (({size}) + 1) * sizeof *heap);"));
                self.line(&format!("memset(heap, 1, (({size}) + 1) * sizeof *heap);"));
            }
            3 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) alias = heap;"));
            }
            4 => {
                let (name, _) = self.writable();
                let place = self.random.pick(&["*alias", "alias[1]", "*heap"]);
                self.line(&format!("{name} = {place};"));
            }
            _ => {
                let value = self.expression(2);
                // A heap that is gone fails here, so that below only the index can.
                self.keep("*heap");
                let index = self.index(len, true);
                self.line(&format!("heap[{index}] = ({element})({value});"));
            }
        }
    }

    fn pointer(&mut self) {
        let element = self.element.name;
        let index = self.random.below(self.array_len);
        match self.random.below(9) {
            0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) p = 0;"));
            }
            1 => self.line(&format!("p = &array[{index}];")),
            2 => {
                // The object dies with its block; the pointer may survive.
                let value = self.expression(1);
                self.open("{");
                self.line(&format!("{element} inner = {value};"));
                let condition = self.condition();
                self.line(&format!("if ({condition}) p = &inner;"));
                self.close("}");
            }
            3 => {
                let value = self.atom();
                self.line(&format!("p = pick(p, &array[{index}], (int)({value}));"));
            }
            4 => {
                let value = self.expression(1);
                self.line(&format!("p = array + (({value}) & {});", self.array_len.next_power_of_two() - 1));
                self.line(&format!("if (p > array + {0}) p = array + {0};", self.array_len + 2));
            }
            5 | 6 => {
                let value = self.expression(1);
                self.line(&format!("*p = {value};"));
            }
            _ => {
                let (name, _) = self.writable();
                let place = self.random.pick(&["*p", "p[0]", "*p + 1", "(*p & 7)"]);
                self.line(&format!("{name} = {place};"));
            }
        }
    }

    fn string(&mut self) {
        let (name, _) = self.writable();
        let literal = self.random.pick(&["\"\"", "\"a\"", "\"abc\"", "\"hello\"", "\"\\377\\200z\""]);
        let wide = self.text_len.next_power_of_two();
        let mask = if self.dares(2) { 2 * wide - 1 } else { self.text_len.next_power_of_two() / 2 - 1 };
        let amount = self.atom();
        let text = match self.random.below(11) {
            0 => format!("memset(text, {amount}, {});", 1 + self.random.below(self.text_len)),
            1 => format!("memset(text, 'x', ({amount}) & {mask});"),
            2 => format!("strncpy(text, {literal}, ({amount}) & {mask});"),
            3 => format!("text[({amount}) & {mask}] = {};", self.random.pick(&["0", "'q'", "-1", "200"])),
            4 => format!("{name} = text[({amount}) & {mask}];"),
            5 => format!("{name} = strlen(text);"),
            6 => format!("{name} = strcmp(text, {literal}) < 0;"),
            7 => format!("{name} = strchr(text, 'x') != 0;"),
            8 if self.text_len > 6 || self.dares(1) => format!("strcpy(text, {literal});"),
            9 => format!("memmove(text + 1, text, ({amount}) & {mask});"),
            _ => format!("memcpy(text, array, ({amount}) & {});", self.text_len.next_power_of_two() / 2 - 1),
        };
        self.line(&text);
    }

    fn record(&mut self) {
        let value = self.expression(1);
        let text = match self.random.below(12) {
            0 => "t = s;".to_owned(),
            1 => format!("s = change(t, (int)({value}));"),
            2 => format!("s.f = {value};"),
            3 => format!("t.g = {value};"),
            4 => format!("s.x = {value};"),
            5 => {
                let index = self.index(3, true);
                let right = self.atom();
                format!("s.y[{index}] = {right};")
            }
            6 => format!("w.u = {value};"),
            7 => format!("w.b[({value}) & 3] = 255;"),
            8 => format!("w.h[({value}) & 1] = -2;"),
            9 => format!("(s.x == t.x ? &s : &t)->z = {value};"),
            10 => "memcpy(&t, &s, sizeof t);".to_owned(),
            _ => format!("t.h = {value};"),
        };
        self.line(&text);
    }
}
