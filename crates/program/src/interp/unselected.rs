//! Unchecked violations: the semantics of undefined operations whose check is off.
//!
//! A kind of violation that is not among [`super::Options::checks`] does not stop a run. The operation then means what
//! gcc with `-fwrapv` makes of it on x86-64, where that is one thing: arithmetic wraps round, shifts mask their amount,
//! conversions give what the processor gives, what the processor refuses ends the program. An indeterminate value is
//! any value, chosen when it is first read and the same from then on. Each of these meanings is an assumption that is
//! noted when an execution needs it. What has no such meaning (an access outside of every object, a second `free`) ends
//! in [`Stop::Unmodelled`].

use std::rc::Rc;

use super::choice::truncate;
use super::exec::{Exec, Step, stored_bytes};
use super::float;
use super::object::Object;
use super::value::{Pointer, Value};
use super::{Observer, Stop};
use crate::{Operand, RegId, Shape, ShapeId, Stmt, Terminator, Ty, ViolationKind};

/// What is assumed of signed overflow that is not looked for.
pub const WRAPS: &str =
    "overflow is not looked for: signed arithmetic that leaves its type wraps round, as with gcc -fwrapv";
const CONVERTS: &str = "overflow is not looked for: a floating value that does not fit the integer type is converted as \
                        x86-64 does it";
const MASKS: &str =
    "invalid-shift is not looked for: the amount of a shift is taken modulo the width, as x86-64 does it";
const COUNTS: &str = "invalid-shift is not looked for: counting the zero bits of zero gives the width";
const DIVIDES: &str = "division-by-zero is not looked for: such a division ends the program, as it does on x86-64";
const DIVIDES_OVER: &str = "overflow is not looked for: dividing the smallest number by -1 ends the program, as it does \
                            on x86-64";
const NULL_ENDS: &str = "null-dereference is not looked for: an access through a null pointer ends the program, as a segmentation fault does";
const CONSTANT_ENDS: &str = "out-of-bounds is not looked for: writing to a constant object of static storage ends the \
                             program, as a segmentation fault does";
/// What is assumed of overlapping copies that are not looked for.
pub const OVERLAPS: &str = "out-of-bounds is not looked for: memcpy between overlapping ranges copies as memmove does";
/// What is assumed of indices out of bounds that are not looked for.
pub const INDEXES: &str =
    "out-of-bounds is not looked for: an index may leave its array as long as it stays inside the whole object";
/// What is assumed of misused threads and locks that are not looked for.
pub const MISUSED: &str = "unlock-error is not looked for: a thread or lock used against its rules behaves as the model of \
                       the library function does";
/// What is assumed of reaching `__builtin_unreachable` if that is not looked for.
pub const UNREACHABLE: &str =
    "reach-error is not looked for: executions that reach __builtin_unreachable() are of no interest";
const ANY: &str =
    "uninitialized is not looked for: an indeterminate value is any value of its type, the same each time it is read";
const ANY_POINTER: &str =
    "uninitialized is not looked for: an indeterminate pointer is null or an address where nothing lies";

const COPIES: &str = "uninitialized is not looked for: of a copy of many indeterminate values only the first ones are those of \
                      the original";

/// As many indeterminate values are chosen by one copy.
const MAX_COPIED: u32 = 256;
const MAX_COPIED_BYTES: u64 = 4096;

/// The type of a number in memory, its values if they are not all of the type, and whether it is unsigned.
type Scalar = (Ty, Option<(i128, i128)>, bool);

/// An address where nothing lies.
const NOWHERE: u64 = 0x6b6b_0000;

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// Whether a kind of violation stops the run.
    #[inline]
    pub(crate) fn looks_for(&self, kind: ViolationKind) -> bool {
        self.machine.options.checks.contains(kind)
    }

    /// The end of the run where an unchecked kind of violation is met.
    #[cold]
    pub(crate) fn not_looked_for(&mut self, kind: ViolationKind, message: &str) -> Box<Stop> {
        match kind {
            ViolationKind::DivisionByZero => self.trap(DIVIDES, 136, kind, message),
            // The only overflow that comes here is that of a division.
            ViolationKind::Overflow => self.trap(DIVIDES_OVER, 136, kind, message),
            _other => self.meaningless(kind, message),
        }
    }

    pub(crate) fn meaningless(&self, kind: ViolationKind, message: &str) -> Box<Stop> {
        self.unmodelled(format!("undefined behaviour not selected by --property ({kind}: {message})"))
    }

    /// The processor refuses an operation and the program ends. While other threads live that would have to be an
    /// event that all of them notice, and it is no such instruction: then nothing is said.
    fn trap(&mut self, note: &str, code: i32, kind: ViolationKind, message: &str) -> Box<Stop> {
        if self.state.n_live_threads() > 1 {
            return self.meaningless(kind, message);
        }
        self.observer.note(note);
        Box::new(Stop::Exited { code, is_abort: true })
    }

    /// An access that is an unchecked violation.
    pub(crate) fn unlooked_access(&mut self, pointer: Pointer, kind: ViolationKind, message: &str) -> Box<Stop> {
        let is_null = pointer.object == 0 && (-65_536..65_536).contains(&pointer.offset);
        match kind {
            ViolationKind::NullDereference if is_null => self.trap(NULL_ENDS, 139, kind, message),
            ViolationKind::OutOfBounds if self.is_constant_inside(pointer) => {
                self.trap(CONSTANT_ENDS, 139, kind, message)
            }
            _other => self.meaningless(kind, message),
        }
    }

    fn is_constant_inside(&self, pointer: Pointer) -> bool {
        let object = self.state.memory.get(pointer);
        object
            .is_some_and(|object| object.is_read_only && pointer.offset >= 0 && (pointer.offset as u64) < object.size())
    }

    /// Continues after a failing check that is off.
    #[cold]
    pub(crate) fn passes(&mut self, kind: ViolationKind, message: &str) -> Step {
        match kind {
            // The program goes on after these by itself, or ends itself.
            ViolationKind::Assertion | ViolationKind::ReachError => Ok(()),
            ViolationKind::UnlockError => {
                self.observer.note(MISUSED);
                Ok(())
            }
            ViolationKind::InvalidShift => {
                self.observer.note(if message.starts_with("counting") { COUNTS } else { MASKS });
                Ok(())
            }
            _other => Err(self.meaningless(kind, message)),
        }
    }

    pub(crate) fn unreachable(&mut self) -> Box<Stop> {
        self.observer.note(UNREACHABLE);
        Box::new(Stop::Infeasible)
    }

    /// The amount by which x86 shifts.
    pub(crate) fn masked_amount(&mut self, width: u32, amount: Value) -> Step<Value> {
        self.observer.note(MASKS);
        // Narrow types are shifted as `int`; there an amount of the width or more shifts everything out.
        let mask = u128::from(width.next_power_of_two().max(32) - 1);
        self.binary(crate::BinOp::And, Ty::Int(width as u8), amount, Value::from_bits(width, truncate(mask, width)))
    }

    /// What x86 makes of a floating value that does not fit: gcc converts to narrow types through 32 bits, to unsigned
    /// ones through 64, and what does not fit there either is the smallest number.
    pub(crate) fn converted(&mut self, from: Ty, bits: u128, width: u32, is_signed: bool) -> Step<u128> {
        // The x87 and the library functions for wide types have their own ways.
        if !matches!(from, Ty::F32 | Ty::F64) || width > 64 {
            let message = format!("{} does not fit in an integer of {width} bits", float::display(from, bits));
            return Err(self.meaningless(ViolationKind::Overflow, &message));
        }
        self.observer.note(CONVERTS);
        let through = |by: u32| float::to_int(from, bits, by, true).unwrap_or(1 << (by - 1));
        let result = match (width, is_signed) {
            (..32, _) => through(32),
            (32, false) => through(64),
            // Numbers from 2^63 on are brought below it first: what is still too large ends as zero.
            (64, false) if float::is_large(from, bits) => 0,
            (64, false) => through(64),
            (_, _) => 1 << (width - 1),
        };
        Ok(truncate(result, width))
    }

    // ---- indeterminate values ----

    /// Indeterminate values that the instruction reads become inputs.
    pub(crate) fn determine(&mut self, stmt: &Stmt) -> Step {
        let mut found: Vec<RegId> = Vec::new();
        crate::visit::operands(&stmt.kind, |operand| self.note_undef(operand, &mut found));
        found.into_iter().try_for_each(|reg| self.determine_reg(reg))
    }

    /// The same for the end of a block.
    pub(crate) fn determine_end(&mut self, terminator: &Terminator) -> Step {
        let mut found: Vec<RegId> = Vec::new();
        crate::visit::terminator_operands(terminator, |operand| self.note_undef(operand, &mut found));
        found.into_iter().try_for_each(|reg| self.determine_reg(reg))
    }

    fn note_undef(&self, operand: &Operand, found: &mut Vec<RegId>) {
        if let Operand::Reg(reg) = *operand
            && self.operand(operand) == Value::Undef
            && !found.contains(&reg)
        {
            found.push(reg);
        }
    }

    fn determine_reg(&mut self, reg: RegId) -> Step {
        let declared = &self.function.regs[reg];
        let label = match &declared.name {
            Some(name) => format!("the indeterminate `{name}`"),
            None => "an indeterminate value".to_owned(),
        };
        let shape = declared.shape.map(|shape| &self.program.shapes[shape]);
        let is_unsigned = matches!(shape, Some(Shape::Int { is_signed: false, .. } | Shape::Bool));
        let range = matches!(shape, Some(Shape::Bool)).then_some((0, 1));
        let value = self.any_value(declared.ty, range, is_unsigned, &label)?;
        self.assign(reg, value);
        Ok(())
    }

    /// Any value of a type, chosen now.
    fn any_value(&mut self, ty: Ty, range: Option<(i128, i128)>, is_unsigned: bool, label: &str) -> Step<Value> {
        if ty == Ty::Ptr {
            let is_null = self.fresh_now(1, &format!("whether {label} is null"))? == 1;
            self.observer.note(ANY_POINTER);
            return Ok(Value::Ptr(if is_null { Pointer::NULL } else { Pointer::wild(NOWHERE) }));
        }
        let value = self.fresh(ty, range, is_unsigned, label)?;
        self.observer.note(ANY);
        Ok(value)
    }

    /// The label under which an unwritten byte of an object becomes an input; `None` if they stay
    /// indeterminate.
    pub(crate) fn label_of_unknown(&self, pointer: Pointer, object: &Object, at: u64) -> Option<Rc<str>> {
        match &object.any {
            Some(any) if object.is_any(at, 1) => Some(any.label.clone()),
            Some(_) | None if self.machine.uninitialised.is_some() => {
                Some(format!("the indeterminate contents of {}", self.describe_object(pointer)).into())
            }
            Some(_) | None => None,
        }
    }

    /// A read of indeterminate memory: what is read is chosen, and stays.
    pub(crate) fn load_indeterminate(&mut self, pointer: Pointer, ty: Ty) -> Step<Value> {
        let len = stored_bytes(ty, self.program.pointer_bytes);
        let offset = pointer.offset as u64;
        let object = self.state.memory.get(pointer).expect("the access was checked");
        let is_untouched = (offset..offset + len).all(|at| object.undef_bits(at) == 0xff);
        if is_untouched {
            let label = self.label_of_unknown(pointer, object, offset).unwrap_or_else(|| "indeterminate memory".into());
            self.observe_before_write(pointer.at(0), offset, len);
            let is_odd = u64::from(self.width(ty)) != 8 * len;
            let value = self.any_value(ty, None, is_odd, &label)?;
            self.write_value(pointer, offset, len, ty, value)?;
            self.observe_written(pointer.at(0), offset, len);
            return Ok(value);
        }
        self.touch_indeterminate(pointer, offset, len)?;
        self.load_slow(pointer, ty)
    }

    /// Chooses what is indeterminate in a range of bytes.
    pub(crate) fn touch_indeterminate(&mut self, pointer: Pointer, offset: u64, len: u64) -> Step {
        self.observer.note(ANY);
        self.observe_before_write(pointer.at(0), offset, len);
        for at in offset..offset + len {
            self.touch_byte(pointer, at)?;
        }
        self.observe_written(pointer.at(0), offset, len);
        Ok(())
    }

    /// A copy reads: what is indeterminate in the source is chosen, so that both hold the same. Pointers stay as they
    /// are, and so does padding, which is never read.
    pub(crate) fn choose_copied(&mut self, source: Pointer, from: u64, len: u64) -> Step {
        let object = self.state.memory.get(source).expect("the access was checked");
        if !object.has_undef(from, len) || object.is_any(from, len) {
            return Ok(());
        }
        let label = self.label_of_unknown(source, object, from).unwrap_or_else(|| "indeterminate memory".into());
        let (mut at, mut n_chosen) = (from, 0);
        while at < from + len {
            if at - from > MAX_COPIED_BYTES {
                self.observer.note(COPIES);
                return Ok(());
            }
            let Some((ty, range, is_unsigned)) = self.indeterminate_scalar(source, at, from + len) else {
                at += 1;
                continue;
            };
            let bytes = stored_bytes(ty, self.program.pointer_bytes);
            if n_chosen == MAX_COPIED {
                self.observer.note(COPIES);
                return Ok(());
            }
            self.observe_before_write(source.at(0), at, bytes);
            let value = self.any_value(ty, range, is_unsigned, &label)?;
            self.write_value(source, at, bytes, ty, value)?;
            self.observe_written(source.at(0), at, bytes);
            n_chosen += 1;
            at += bytes;
        }
        Ok(())
    }

    /// The number of which all bits are indeterminate at an offset.
    fn indeterminate_scalar(&self, source: Pointer, at: u64, end: u64) -> Option<Scalar> {
        let object = self.state.memory.get(source)?;
        let is_free = |bytes: u64| at + bytes <= end && (at..at + bytes).all(|at| object.undef_bits(at) == 0xff);
        match crate::show::shape_at(self.machine, self.state, source, 0, u64::MAX) {
            Some(shape) => self.scalar_within(shape, at, &is_free).filter(|scalar| scalar.0 != Ty::Ptr),
            // Memory without a type is mostly read by words.
            None => (at.is_multiple_of(4) && is_free(4)).then_some((Ty::Int(32), None, false)),
        }
    }

    /// The number or pointer at an offset of a shape; the widest of those of a union.
    fn scalar_within(&self, shape: ShapeId, offset: u64, is_free: &impl Fn(u64) -> bool) -> Option<Scalar> {
        let bytes = |scalar: &Scalar| stored_bytes(scalar.0, self.program.pointer_bytes);
        let scalar = match &self.program.shapes[shape] {
            Shape::Array { element, len, stride } => {
                let is_inside = *stride > 0 && (*len == 0 || offset < len * stride);
                return if is_inside { self.scalar_within(*element, offset % stride, is_free) } else { None };
            }
            Shape::Record { fields, .. } => {
                let members = fields.iter().filter(|field| field.offset <= offset);
                let found = members.filter_map(|field| self.scalar_within(field.shape, offset - field.offset, is_free));
                return found.max_by_key(|scalar| (bytes(scalar), scalar.0 == Ty::Ptr));
            }
            Shape::Int { size, is_signed, .. } => (Ty::Int(size * 8), None, !is_signed),
            Shape::Char { is_signed } => (Ty::Int(8), None, !is_signed),
            Shape::Bool => (Ty::Int(8), Some((0, 1)), true),
            Shape::Float(ty) => (*ty, None, true),
            Shape::Enum { size, is_signed, .. } => (Ty::Int(size * 8), None, !is_signed),
            Shape::Pointer(_) | Shape::Code => (Ty::Ptr, None, false),
            Shape::Opaque { .. } => return None,
        };
        (offset == 0 && is_free(bytes(&scalar))).then_some(scalar)
    }
}
