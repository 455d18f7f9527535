//! Inline assembly with known semantics: compiler barriers, hints, fences, and interrupt masks.
//!
//! A template is split into instructions, and each of them is looked up; a template with one unknown instruction has no
//! meaning as a whole, and the execution that reaches it ends as unmodelled. Fences of a processor become fences of C11,
//! whose rules decide what synchronises. Instructions that wait for an event (`wfi`, `wfe`) may go on at any time. Masks
//! turn interrupts off and on where handlers are named; without handlers there is nothing to keep off.

use unpick_base::Span;
use unpick_program::program::{InterruptOp, Operand, Order, StmtKind as IrStmt, Ty};

use super::class::Class;
use super::function::FunctionLowering;
use unpick_front_c::ast::{Asm, ExprId};

/// An instruction with a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instruction {
    /// Changes nothing.
    Hint,
    /// Waits for something that may happen at any time.
    WaitForEvent,
    Fence(Order),
    /// Turns interrupts off or on.
    Mask {
        is_off: bool,
    },
    /// Writes whether interrupts are off to an operand.
    ReadMask(usize),
    /// Turns interrupts off if the lowest bit of an operand is set, and on otherwise.
    WriteMask(usize),
}

impl FunctionLowering<'_, '_, '_> {
    /// A statement of inline assembly. A value that goes in and comes out of the same register is kept.
    pub(super) fn asm(&mut self, span: Span, asm: &Asm) {
        let instructions = if asm.labels.is_empty() { instructions(&asm.template) } else { None };
        let Some(instructions) = instructions.filter(|found| found.iter().all(|it| self.has_operand(asm, *it))) else {
            let text: String = asm.template.trim().chars().take(40).collect();
            self.emit(span, IrStmt::Unmodelled(format!("inline assembly `{}`", text.escape_debug())));
            return;
        };
        let mark = self.temporaries.len();
        let inputs: Vec<(String, Operand)> =
            asm.inputs.iter().map(|(constraint, expr)| (constraint.clone(), self.asm_input(*expr))).collect();
        let mut written = Vec::new();
        if instructions.is_empty() {
            self.emit(span, IrStmt::Fence(Order::SeqCst));
        }
        for instruction in &instructions {
            match *instruction {
                Instruction::Hint => {}
                Instruction::WaitForEvent => {
                    let text = "instructions that wait for an event or an interrupt may go on at any time";
                    self.emit(span, IrStmt::Note(text.into()));
                }
                Instruction::Fence(order) => self.emit(span, IrStmt::Fence(order)),
                Instruction::Mask { is_off } => self.write_mask(span, Operand::Bits(Ty::Int(32), u128::from(is_off))),
                Instruction::WriteMask(operand) => {
                    let (_, expr) = asm.inputs[operand - asm.outputs.len()];
                    let (value, from) = (inputs[operand - asm.outputs.len()].1, self.scalar(self.ty(expr)));
                    let lowest = match from {
                        Ty::Int(1) => value,
                        Ty::Int(bits) => self.resize(span, value, bits, 1, false),
                        Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => Operand::Undef(Ty::Int(1)),
                    };
                    let mask = self.extend_bit(span, lowest, Ty::Int(32));
                    self.write_mask(span, mask);
                }
                Instruction::ReadMask(operand) => {
                    let value = self.read_mask(span);
                    written.push((operand, value));
                }
            }
        }
        self.asm_outputs(span, asm, &inputs, &written);
        self.end_temporaries(span, mark);
    }

    /// Whether the operand that an instruction names is one that it can use.
    fn has_operand(&self, asm: &Asm, instruction: Instruction) -> bool {
        let is_number = |expr: ExprId| matches!(self.class(self.ty(expr)), Class::Scalar(Ty::Int(_)));
        match instruction {
            Instruction::Hint | Instruction::WaitForEvent | Instruction::Fence(_) | Instruction::Mask { .. } => true,
            Instruction::ReadMask(operand) => asm.outputs.get(operand).is_some_and(|(_, expr)| is_number(*expr)),
            Instruction::WriteMask(operand) => {
                let input = operand.checked_sub(asm.outputs.len()).and_then(|operand| asm.inputs.get(operand));
                input.is_some_and(|(_, expr)| is_number(*expr))
            }
        }
    }

    fn asm_outputs(&mut self, span: Span, asm: &Asm, inputs: &[(String, Operand)], written: &[(usize, Operand)]) {
        for (index, (constraint, expr)) in asm.outputs.iter().enumerate() {
            let ty = self.unit.exprs[*expr].ty;
            let value = written.iter().rev().find(|(operand, _)| *operand == index).map(|(_, value)| *value);
            let tied = inputs.iter().find(|(constraint, _)| constraint.trim() == index.to_string());
            let value = match (value, tied, self.class(ty.ty)) {
                (Some(value), _, Class::Scalar(Ty::Int(bits))) => self.resize(span, value, 32, bits, false),
                (None, _, _) if constraint.contains('+') => continue,
                (_, Some((_, value)), _) => *value,
                _none if constraint.contains('m') => continue,
                _none => Operand::Undef(self.scalar(ty.ty)),
            };
            let place = self.place(*expr, false);
            self.store(span, place, ty, value);
        }
    }

    fn asm_input(&mut self, expr: ExprId) -> Operand {
        match self.class(self.ty(expr)) {
            Class::Scalar(_) if !self.is_lvalue(expr) => self.value(expr),
            Class::Scalar(_) => {
                let place = self.place(expr, false);
                self.load(self.span(expr), place, self.unit.exprs[expr].ty)
            }
            Class::Void | Class::Memory => Operand::Undef(Ty::Ptr),
        }
    }

    /// Without handlers a mask must not keep other threads from running, as it does on the one processor of handlers.
    fn write_mask(&mut self, span: Span, is_off: Operand) {
        if self.cx.options.interrupts.handlers.is_empty() {
            let text =
                "assembly that turns interrupts off or on changes nothing: no interrupt handler is named (--isr)";
            self.emit(span, IrStmt::Note(text.into()));
        } else {
            self.set_interrupts(span, InterruptOp::Set, is_off);
        }
    }

    /// Whether interrupts are off, as a number of 32 bits.
    fn read_mask(&mut self, span: Span) -> Operand {
        if !self.cx.options.interrupts.handlers.is_empty() {
            return Operand::Reg(self.set_interrupts(span, InterruptOp::Get, Operand::Bits(Ty::Int(32), 0)));
        }
        let text = "whether interrupts are off is any value where assembly asks: no interrupt handler is named (--isr)";
        self.emit(span, IrStmt::Note(text.into()));
        let dst = self.temp(Ty::Int(1));
        self.emit(span, IrStmt::Choose { dst, range: None, label: "interrupts are off".into() });
        self.extend_bit(span, Operand::Reg(dst), Ty::Int(32))
    }
}

/// What a template does; `None` if one of its instructions is unknown. Prefixes (`lock`, `rep`) may stand before a
/// semicolon of their own.
fn instructions(template: &str) -> Option<Vec<Instruction>> {
    let text = template.to_ascii_lowercase().replace("%%", "%");
    let mut found = Vec::new();
    let mut prefix = "";
    for line in text.split(['\n', ';']) {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        if matches!(words[0], "lock" | "rep") && prefix.is_empty() {
            prefix = words.remove(0);
            if words.is_empty() {
                continue;
            }
        }
        found.push(instruction(prefix, words[0], &words[1..].concat())?);
        prefix = "";
    }
    prefix.is_empty().then_some(found)
}

/// An instruction of x86, Arm or RISC-V; operands have no spaces.
fn instruction(prefix: &str, name: &str, operands: &str) -> Option<Instruction> {
    use Instruction as I;
    Some(match (prefix, name, operands) {
        ("" | "rep", "nop", "") | ("", "pause" | "yield" | "sev" | "sevl", "") => I::Hint,
        ("", "wfi" | "wfe" | "hlt", "") => I::WaitForEvent,
        ("", "mfence" | "fence" | "fence.i" | "isb", "") | ("", "isb", "sy") => I::Fence(Order::SeqCst),
        ("", "lfence", "") => I::Fence(Order::Acquire),
        ("", "sfence", "") => I::Fence(Order::Release),
        ("lock", _, _) if is_added_zero(name, operands) => I::Fence(Order::SeqCst),
        ("", "dmb" | "dsb", domain) => I::Fence(barrier(domain)?),
        ("", "fence", "rw,rw" | "iorw,iorw") => I::Fence(Order::SeqCst),
        ("", "fence", "r,rw") => I::Fence(Order::Acquire),
        ("", "fence", "rw,w" | "w,w") => I::Fence(Order::Release),
        ("", "cli", "") | ("", "cpsid", "i") | ("", "msr", "daifset,#2") => I::Mask { is_off: true },
        ("", "sti", "") | ("", "cpsie", "i") | ("", "msr", "daifclr,#2") => I::Mask { is_off: false },
        ("", "mrs", _) => I::ReadMask(operand(operands.strip_suffix(",primask")?)?),
        ("", "msr", _) => I::WriteMask(operand(operands.strip_prefix("primask,")?)?),
        _unknown => return None,
    })
}

/// `addl $0, (%esp)` and the like: with a lock it is a fence, and the top of the stack is private.
fn is_added_zero(name: &str, operands: &str) -> bool {
    let is_kept = matches!(name, "addb" | "addw" | "addl" | "addq" | "add" | "orb" | "orw" | "orl" | "orq" | "or");
    let Some((zero, place)) = operands.split_once(',') else { return false };
    let Some((offset, register)) = place.split_once('(') else { return false };
    let offset = offset.strip_prefix('-').unwrap_or(offset);
    let is_stack = matches!(register, "%esp)" | "%rsp)" | "%sp)");
    is_kept && matches!(zero, "$0" | "$0x0") && is_stack && offset.chars().all(|digit| digit.is_ascii_digit())
}

/// Barriers of Arm by what they order; which other processors see it makes no difference here.
fn barrier(domain: &str) -> Option<Order> {
    Some(match domain {
        "" | "sy" | "ish" | "nsh" | "osh" | "#15" | "#0xf" | "0xf" | "15" => Order::SeqCst,
        "ld" | "ishld" | "nshld" | "oshld" => Order::Acquire,
        "st" | "ishst" | "nshst" | "oshst" => Order::Release,
        _unknown => return None,
    })
}

/// The number of an operand: `%1`, or `%w1` with a modifier.
fn operand(text: &str) -> Option<usize> {
    let text = text.strip_prefix('%')?;
    text.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_looked_up_by_instruction() {
        use Instruction as I;
        let one = |text: &str| instructions(text).map(|found| (found.len(), found[0]));
        for text in ["nop", " rep nop\n", "rep; nop", "pause", "yield"] {
            assert_eq!(one(text), Some((1, I::Hint)), "{text}");
        }
        for text in ["mfence", "lock; addl $0,0(%%esp)", "lock addq $0, -8(%rsp)", "dmb ish", "DSB sy", "isb"] {
            assert_eq!(one(text), Some((1, I::Fence(Order::SeqCst))), "{text}");
        }
        assert_eq!(one("dmb ishst"), Some((1, I::Fence(Order::Release))));
        assert_eq!(one("mrs %0, primask\n\tcpsid i"), Some((2, I::ReadMask(0))));
        assert_eq!(instructions(" \n"), Some(Vec::new()));
    }

    #[test]
    fn unknown_instructions_have_no_meaning() {
        let unknown = ["nop; ret", "lock; nop", "lock", "rep movsb", "lock; addl $1,0(%%esp)", "lock; addl $0,(%%rax)"];
        for text in unknown.into_iter().chain(["dmb x", "mrs %0, basepri", "msr primask, r0", "mov %1, %0", "#x"]) {
            assert_eq!(instructions(text), None, "{text}");
        }
    }
}
