//! The operand values of a failed assertion: `6 == 2`.
//!
//! They are kept when the comparison is made, because the expression may change its own operands (`value == received++`).

use unpick_program::interp::{Pointer, State, Value};
use unpick_program::{CmpOp, Operand, RegId, Rvalue, Shape, ShapeId, Stmt, StmtKind, show};

use super::Narrator;

/// More comparisons of one line than this are not kept.
const MAX_COMPARED: usize = 32;

/// What the line at hand has compared so far.
#[derive(Default)]
pub(super) struct Operands {
    /// How the values of registers are to be read, for those without a name.
    shapes: Vec<(RegId, ShapeId)>,
    /// The register that is being loaded.
    loaded: Option<RegId>,
    compared: Vec<Compared>,
}

/// A comparison.
struct Compared {
    op: CmpOp,
    result: RegId,
    /// Left, operator, right.
    texts: (String, &'static str, String),
    /// The right side is the zero with which C compares whatever is a condition.
    is_with_zero: bool,
    /// What came out; `None` until it has.
    is_true: Option<bool>,
}

impl Operands {
    fn shape(&self, reg: RegId) -> Option<ShapeId> {
        self.shapes.iter().rev().find(|(other, _)| *other == reg).map(|(_, shape)| *shape)
    }
}

/// The operator in C.
fn operator(op: CmpOp) -> Option<&'static str> {
    match op {
        CmpOp::Eq | CmpOp::FEq => Some("=="),
        CmpOp::Ne | CmpOp::FNe => Some("!="),
        CmpOp::SLt | CmpOp::ULt | CmpOp::FLt => Some("<"),
        CmpOp::SLe | CmpOp::ULe | CmpOp::FLe => Some("<="),
        CmpOp::SGt | CmpOp::UGt | CmpOp::FGt => Some(">"),
        CmpOp::SGe | CmpOp::UGe | CmpOp::FGe => Some(">="),
        CmpOp::FUno => None,
    }
}

fn is_unsigned(op: CmpOp) -> bool {
    matches!(op, CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe)
}

impl Narrator<'_, '_> {
    /// Before an instruction of the user's own.
    pub(super) fn note_operands(&mut self, state: &State, thread: usize, stmt: &Stmt) {
        let Some((thread, frame, function)) = self.user_frame(state, thread) else { return };
        let program = self.machine.program;
        let regs = &program.functions[function].regs;
        let Some(open) = &mut self.open else { return };
        let operands = &mut open.operands;
        let shape_of = |operands: &Operands, operand: &Operand| match operand {
            Operand::Reg(reg) => regs[*reg].shape.or_else(|| operands.shape(*reg)),
            Operand::Bits(..) | Operand::Null | Operand::Address(_) | Operand::Slot(_) | Operand::Undef(_) => None,
        };
        operands.loaded = None;
        let (dst, rvalue) = match &stmt.kind {
            StmtKind::Assign(dst, rvalue) => (*dst, rvalue),
            StmtKind::Load { dst, .. } => {
                operands.shapes.retain(|(reg, _)| reg != dst);
                operands.loaded = Some(*dst);
                return;
            }
            _other => return,
        };
        let copied = match rvalue {
            Rvalue::Use(operand) => shape_of(operands, operand),
            _other => None,
        };
        let (op, ty, left, right) = match rvalue {
            Rvalue::Compare(op, ty, left, right) => (*op, *ty, left, right),
            _other => {
                operands.shapes.retain(|(reg, _)| *reg != dst);
                operands.shapes.extend(copied.map(|shape| (dst, shape)));
                return;
            }
        };
        let Some(sign) = operator(op).filter(|_| operands.compared.len() < MAX_COMPARED) else { return };
        // Both sides of a comparison have one type: what is known of one side tells how to read the other.
        let is_plain = |shape: &ShapeId| !matches!(program.shapes[*shape], Shape::Char { .. } | Shape::Pointer(_));
        let shapes = [shape_of(operands, left), shape_of(operands, right)];
        let text = |operand: &Operand, own: Option<ShapeId>| {
            let shape = own.or_else(|| shapes.iter().flatten().copied().find(is_plain));
            let value = match operand {
                Operand::Reg(reg) => state.register(thread, frame, *reg),
                Operand::Bits(_, bits) => match u64::try_from(*bits) {
                    Ok(bits) => Value::Bits(bits),
                    Err(_) => Value::Wide([*bits as u64, (*bits >> 64) as u64]),
                },
                Operand::Null => return Some("NULL".to_owned()),
                Operand::Address(_) | Operand::Slot(_) | Operand::Undef(_) => return None,
            };
            Some(match (shape, value.bits()) {
                (None, Some(bits)) if is_unsigned(op) => bits.to_string(),
                (shape, _) => show::value(self.machine, state, value, ty, shape),
            })
        };
        let Some((left, right_text)) = text(left, shapes[0]).zip(text(right, shapes[1])) else { return };
        let is_with_zero = matches!(right, Operand::Null | Operand::Bits(_, 0)) && matches!(sign, "==" | "!=");
        let texts = (left, sign, right_text);
        operands.compared.push(Compared { op, result: dst, texts, is_with_zero, is_true: None });
    }

    /// A register has been loaded from there.
    pub(super) fn note_loaded(&mut self, state: &State, object: Pointer, range: (u64, u64)) {
        let Some(dst) = self.open.as_mut().and_then(|open| open.operands.loaded.take()) else { return };
        let shape = show::shape_at(self.machine, state, object.at(0), range.0, range.1);
        if let (Some(open), Some(shape)) = (&mut self.open, shape) {
            open.operands.shapes.push((dst, shape));
        }
    }

    /// A comparison has come out.
    pub(super) fn note_result(&mut self, state: &State, thread: usize, reg: RegId) {
        let Some((thread, frame, _)) = self.user_frame(state, thread) else { return };
        let Some(last) = self.open.as_mut().and_then(|open| open.operands.compared.last_mut()) else { return };
        if last.result == reg && last.is_true.is_none() {
            last.is_true = state.register(thread, frame, reg).bits().map(|bits| bits != 0);
        }
    }

    /// The values that the assertion at hand compared, if its text shows that it compares.
    pub(crate) fn operands(&self, message: &str) -> Option<String> {
        let compared = &self.open.as_ref()?.operands.compared;
        let has_text = message.starts_with("assertion `");
        let is_told = |compared: &&Compared| match has_text {
            true => message.contains(compared.texts.1),
            false => !compared.is_with_zero && operator(compared.op).is_some(),
        };
        let told: Vec<&Compared> = compared.iter().filter(is_told).collect();
        let mut failed: Vec<&&Compared> = told.iter().filter(|compared| compared.is_true == Some(false)).collect();
        if failed.is_empty() {
            failed.extend(told.last());
        }
        let mut texts: Vec<String> = Vec::new();
        for Compared { texts: (left, sign, right), .. } in failed {
            let text = format!("{left} {sign} {right}");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        (!texts.is_empty()).then(|| texts.join(" and "))
    }
}
