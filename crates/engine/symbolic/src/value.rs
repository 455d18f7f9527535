//! Values of registers and cells: bits, or a pointer as a set of guarded targets.
//!
//! A pointer is a list of (condition, object, offset) whose conditions exclude each other and cover all executions on the
//! path (value sets, as in CBMC; here exact). A value is indeterminate where its `undef` holds; its bits mean nothing there,
//! so a join may take those of the other side.

use std::rc::Rc;

use unpick_program::FuncId;
use unpick_term::{Op, Term, Terms};

/// Number of an object: in the order of its birth, never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId(pub(crate) u32);

/// Offsets have as many bits, whatever the size of a pointer.
pub(crate) const OFFSET_BITS: u32 = 64;

/// As many constant offsets into one object are kept apart.
const MAX_CONSTANT_OFFSETS: usize = 4;

/// What a register holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    /// The bits of an integer or floating number.
    Word { bits: Term, undef: Term },
    /// A pointer, perhaps inside an integer of its size.
    Pointer { targets: Targets, undef: Term },
    /// One byte of a pointer.
    Fragment { targets: Targets, byte: u8, undef: Term },
}

/// Where a pointer may lead.
pub(crate) type Targets = Rc<[Target]>;

/// One place a pointer may lead to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Target {
    /// Under which condition it does.
    pub(crate) when: Term,
    pub(crate) base: Base,
    pub(crate) offset: Offset,
}

/// What an offset is relative to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Base {
    /// Nothing: a plain number. Null is 0.
    Number,
    /// An object.
    Object(ObjectId),
    /// A function; labels are `1 + block` bytes into it.
    Function(FuncId),
}

/// A number of bytes, and what is known of it whatever the inputs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offset {
    /// Of [`OFFSET_BITS`] bits, read as signed.
    pub(crate) term: Term,
    /// The offset is `residue` modulo this; 0: it is a constant.
    pub(crate) stride: u64,
    pub(crate) residue: i64,
    /// Its absolute value is below this power of two. Beyond `MAX_EXACT`, arithmetic may have wrapped round, and the stride
    /// is a power of two.
    magnitude: u32,
}

/// Numbers of so many bits can be added without wrapping round.
const MAX_EXACT: u32 = 62;

impl Offset {
    pub(crate) fn constant(terms: &mut Terms, number: i64) -> Offset {
        let term = terms.constant(OFFSET_BITS, u128::from(number as u64));
        Offset { term, stride: 0, residue: number, magnitude: 64 - number.unsigned_abs().leading_zeros() }
    }

    /// Any number.
    pub(crate) fn any(terms: &mut Terms, term: Term) -> Offset {
        Offset::new(terms, term, (1, 0), OFFSET_BITS)
    }

    fn new(terms: &mut Terms, term: Term, (stride, residue): (u64, i64), magnitude: u32) -> Offset {
        if let Some(number) = terms.constant_u128(term) {
            return Offset::constant(terms, number as i64);
        }
        let is_exact = magnitude <= MAX_EXACT;
        let stride = if is_exact { stride } else { 1 << stride.trailing_zeros().min(63) };
        let residue = i128::from(residue).rem_euclid(i128::from(stride.max(1))) as i64;
        Offset { term, stride: stride.max(1), residue, magnitude: if is_exact { magnitude } else { OFFSET_BITS } }
    }

    /// A number of elements of so many bytes.
    pub(crate) fn scaled(terms: &mut Terms, index: Term, bytes: i64) -> Offset {
        let factor = terms.constant(OFFSET_BITS, u128::from(bytes as u64));
        let term = terms.mul(index, factor);
        let bits = match terms.op(index) {
            Op::Sext | Op::Zext => terms.width(terms.args(index)[0]),
            _wide => OFFSET_BITS,
        };
        let magnitude = bits + 64 - bytes.unsigned_abs().leading_zeros();
        Offset::new(terms, term, (bytes.unsigned_abs(), 0), magnitude)
    }

    /// The number, if it is known.
    pub(crate) fn number(&self) -> Option<i64> {
        (self.stride == 0).then_some(self.residue)
    }

    pub(crate) fn plus(self, terms: &mut Terms, other: Offset) -> Offset {
        if let (Some(left), Some(right)) = (self.number(), other.number()) {
            return Offset::constant(terms, left.wrapping_add(right));
        }
        let term = terms.add(self.term, other.term);
        let stride = gcd(self.stride, other.stride);
        let residue = self.residue.wrapping_add(other.residue);
        Offset::new(terms, term, (stride, residue), self.magnitude.max(other.magnitude) + 1)
    }

    /// One or the other.
    pub(crate) fn join(terms: &mut Terms, when: Term, left: Offset, right: Offset) -> Offset {
        if left.term == right.term {
            return left;
        }
        let term = terms.ite(when, left.term, right.term);
        let apart = left.residue.abs_diff(right.residue);
        let stride = gcd(gcd(left.stride, right.stride), apart);
        Offset::new(terms, term, (stride, left.residue), left.magnitude.max(right.magnitude))
    }
}

/// The greatest common divisor; 0 is divided by all.
fn gcd(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl Value {
    /// An indeterminate value of a width.
    pub(crate) fn undefined(terms: &mut Terms, width: u32) -> Value {
        Value::Word { bits: terms.constant(width, 0), undef: Term::TRUE }
    }

    /// A determinate number.
    pub(crate) fn word(bits: Term) -> Value {
        Value::Word { bits, undef: Term::FALSE }
    }

    /// A pointer that leads to one place.
    pub(crate) fn pointer(base: Base, offset: Offset) -> Value {
        Value::Pointer { targets: [Target { when: Term::TRUE, base, offset }].into(), undef: Term::FALSE }
    }

    /// When it is indeterminate.
    pub(crate) fn undef(&self) -> Term {
        match self {
            Value::Word { undef, .. } | Value::Pointer { undef, .. } | Value::Fragment { undef, .. } => *undef,
        }
    }

    /// The value, indeterminate in more cases.
    #[must_use]
    pub(crate) fn with_undef(self, terms: &mut Terms, more: Term) -> Value {
        match self {
            Value::Word { bits, undef } => Value::Word { bits, undef: terms.or(undef, more) },
            Value::Pointer { targets, undef } => Value::Pointer { targets, undef: terms.or(undef, more) },
            Value::Fragment { targets, byte, undef } => Value::Fragment { targets, byte, undef: terms.or(undef, more) },
        }
    }

    /// One value or the other; `None` if bytes of pointers would have to be numbers.
    pub(crate) fn join(terms: &mut Terms, when: Term, left: &Value, right: &Value) -> Option<Value> {
        if left == right || when == Term::TRUE {
            return Some(left.clone());
        }
        if when == Term::FALSE {
            return Some(right.clone());
        }
        let undef = terms.ite(when, left.undef(), right.undef());
        if left.undef() == Term::TRUE {
            return Some(right.clone().with_only_undef(undef));
        }
        if right.undef() == Term::TRUE {
            return Some(left.clone().with_only_undef(undef));
        }
        match (left, right) {
            (Value::Word { bits: left, .. }, Value::Word { bits: right, .. }) => {
                Some(Value::Word { bits: terms.ite(when, *left, *right), undef })
            }
            (Value::Fragment { .. }, _) | (_, Value::Fragment { .. }) => match (left, right) {
                (
                    Value::Fragment { targets: left, byte: left_byte, .. },
                    Value::Fragment { targets: right, byte: right_byte, .. },
                ) if left_byte == right_byte => {
                    let targets = join_targets(terms, when, left, right);
                    Some(Value::Fragment { targets, byte: *left_byte, undef })
                }
                (_, _) => None,
            },
            (_, _) => {
                let (left, right) = (targets_of(terms, left)?, targets_of(terms, right)?);
                Some(Value::Pointer { targets: join_targets(terms, when, &left, &right), undef })
            }
        }
    }

    fn with_only_undef(self, undef: Term) -> Value {
        match self {
            Value::Word { bits, .. } => Value::Word { bits, undef },
            Value::Pointer { targets, .. } => Value::Pointer { targets, undef },
            Value::Fragment { targets, byte, .. } => Value::Fragment { targets, byte, undef },
        }
    }
}

/// The targets of a pointer; a number leads to itself.
pub(crate) fn targets_of(terms: &mut Terms, value: &Value) -> Option<Targets> {
    match value {
        Value::Pointer { targets, .. } => Some(targets.clone()),
        Value::Word { bits, .. } => {
            let bits = terms.zext(*bits, OFFSET_BITS);
            let offset = Offset::any(terms, bits);
            Some([Target { when: Term::TRUE, base: Base::Number, offset }].into())
        }
        Value::Fragment { .. } => None,
    }
}

fn join_targets(terms: &mut Terms, when: Term, left: &[Target], right: &[Target]) -> Targets {
    let not = terms.not(when);
    let mut all: Vec<Target> = Vec::new();
    for (side, targets) in [(when, left), (not, right)] {
        for target in targets {
            let condition = terms.and(side, target.when);
            add_target(terms, &mut all, Target { when: condition, ..target.clone() });
        }
    }
    all.into()
}

/// Adds a target; one that leads to the same place is extended.
pub(crate) fn add_target(terms: &mut Terms, all: &mut Vec<Target>, target: Target) {
    if target.when == Term::FALSE {
        return;
    }
    if let Some(same) = all.iter_mut().find(|known| known.base == target.base && known.offset == target.offset) {
        same.when = terms.or(same.when, target.when);
        return;
    }
    let n_alike = all.iter().filter(|known| known.base == target.base).count();
    let is_apart = target.offset.number().is_some() && n_alike < MAX_CONSTANT_OFFSETS;
    let is_met = |known: &&mut Target| known.base == target.base && !(is_apart && known.offset.number().is_some());
    match all.iter_mut().find(is_met) {
        Some(known) => {
            known.offset = Offset::join(terms, target.when, target.offset, known.offset);
            known.when = terms.or(known.when, target.when);
        }
        None => all.push(target),
    }
}
