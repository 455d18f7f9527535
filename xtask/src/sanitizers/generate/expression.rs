//! Expressions whose operands may be out of their bounds.

use super::{INTS, Writer};

impl Writer {
    /// An index for so many elements; may leave them.
    pub(super) fn index(&mut self, len: u64, may_leave: bool) -> String {
        let value = self.atom();
        let wide = len.next_power_of_two();
        match self.random.below(4) {
            _ if may_leave && self.dares(2) => match self.random.below(4) {
                0 => format!("({value}) & {}", 2 * wide - 1),
                1 => format!("({value}) % {len}"),
                2 => format!("(({value}) & {}) - 1", wide / 2 - 1),
                _ => format!("(unsigned char)({value}) % {}", len + 1),
            },
            0 if wide / 2 > 1 => format!("({value}) & {}", wide / 2 - 1),
            1 => format!("(unsigned char)({value}) % {len}"),
            2 => format!("(unsigned)({value}) % {len}u"),
            _ => self.random.below(len).to_string(),
        }
    }

    /// A shift amount for so many bits; may be too large.
    pub(super) fn amount(&mut self, bits: u32) -> String {
        let value = self.atom();
        if self.dares(2) {
            return self.random.pick(&[format!("(({value}) & 127)").as_str(), &format!("(({value}) % 40)")]).to_owned();
        }
        format!("(({value}) & {})", bits - 1)
    }

    pub(super) fn condition(&mut self) -> String {
        let left = self.expression(1);
        let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let number = self.random.below(200) as i64 - 70;
        match self.random.below(6) {
            0 => format!("({left}) {op} {}", self.atom()),
            1 => format!("!({left})"),
            2 => format!("(({left}) & {}) != 0", 1 << self.random.below(8)),
            3 => format!("({left}) > {number} && {} {op} {}", self.atom(), number / 2),
            4 => format!("({left}) {op} {number} || {} == {}", self.atom(), number / 3),
            _ => format!("({left}) {op} {number}"),
        }
    }

    pub(super) fn atom(&mut self) -> String {
        match self.random.below(12) {
            0 => (self.random.below(40) as i64 - 12).to_string(),
            1 if !self.counters.is_empty() => {
                let index = self.random.below(self.counters.len() as u64) as usize;
                self.counters[index].clone()
            }
            2..6 if !self.input_names.is_empty() => {
                let index = self.random.below(self.input_names.len() as u64) as usize;
                self.input_names[index].0.to_owned()
            }
            _ => self.writable().0,
        }
    }

    fn read(&mut self) -> String {
        if !self.in_main {
            return if self.random.chance(30) { "counter".into() } else { self.atom() };
        }
        let may_leave = self.dares(2);
        let text = match self.random.below(9) {
            0 => format!("array[{}]", self.index(self.array_len, may_leave)),
            1 => format!("table[{}]", self.index(self.table_len, may_leave)),
            2 => format!("s.y[{}]", self.index(3, may_leave)),
            3 => self.random.pick(&["s.f", "s.g", "t.g", "t.f", "t.h", "s.x", "t.z"]).to_owned(),
            4 => format!("w.{}", self.random.pick(&["u", "b[1]", "b[3]", "h[0]", "c[0]", "c[3]"])),
            5 => format!("text[{}]", self.index(self.text_len, may_leave)),
            6 => {
                let index = self.random.below(self.heap_len);
                return self.keep(&format!("heap[{index}]"));
            }
            7 => return self.keep("*p"),
            8 => "counter".into(),
            _ => self.atom(),
        };
        if may_leave { self.keep(&text) } else { text }
    }

    /// An arithmetic expression of any type.
    pub(super) fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.random.chance(20) {
            return if self.random.chance(25) { self.read() } else { self.atom() };
        }
        let left = self.expression(depth - 1);
        let right = self.expression(depth - 1);
        match self.random.below(17) {
            0 if self.dares(2) => {
                let op = self.random.pick(&["+", "-", "*"]);
                self.keep(&format!("({left}) {op} ({right})"))
            }
            0 | 1 => format!("(unsigned)({left}) {} (unsigned)({right})", self.random.pick(&["+", "-", "*"])),
            2 => format!("(unsigned long)({left}) {} ({right})", self.random.pick(&["+", "-", "*"])),
            // Products of these do not leave int.
            3 => format!("(signed char)({left}) {} (short)({right})", self.random.pick(&["+", "-", "*"])),
            4 => format!("(unsigned char)({left}) {} {}", self.random.pick(&["+", "-", "*"]), self.random.below(99)),
            5 if self.dares(2) => {
                let op = self.random.pick(&["/", "%"]);
                self.keep(&format!("({left}) {op} ({right})"))
            }
            5 | 6 => format!("({left}) {} {}", self.random.pick(&["/", "%"]), 1 + self.random.below(12)),
            7 => format!("({left}) {} ((({right}) & 7) + 1)", self.random.pick(&["/", "%"])),
            8 => format!("({left}) {} ({right})", self.random.pick(&["&", "|", "^"])),
            9 => format!("({left}) & {}", self.random.pick(&[1, 3, 7, 15, 24, 127, 240, 255, 65280])),
            10 => {
                let (op, amount, may_fail) = (self.random.pick(&["<<", ">>"]), self.atom(), self.dares(2));
                let text = format!("({left}) {op} (({amount}) & {})", if may_fail { 127 } else { 31 });
                if may_fail { self.keep(&text) } else { text }
            }
            11 => format!("({left}) {} ({right})", self.random.pick(&["<", "<=", "==", "!=", ">", ">="])),
            12 => format!("({left}) {} ({right})", self.random.pick(&["&&", "||"])),
            13 => format!("({}) ? ({left}) : ({right})", self.atom()),
            14 => format!("({})({left})", self.random.pick(&INTS).name),
            15 if self.dares(2) => self.keep(&format!("-({left})")),
            15 => self.random.pick(&[format!("~({left})").as_str(), &format!("!({left})")]).to_owned(),
            _ if self.dares(2) => {
                let ty = self.random.pick(&INTS).name;
                self.keep(&format!("({ty})(({left}) * 1.5)"))
            }
            _ => format!("(long)((unsigned)({left}) * 0.25)"),
        }
    }
}
