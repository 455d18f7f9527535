//! What bytes hold: terms, pointers, single bytes of pointers, each with what is indeterminate of it.

use std::rc::Rc;

use unpick_term::{Sort, Term, Terms};

use crate::value::{Base, Targets, Value};

/// A run of bytes and what it holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Piece {
    pub(crate) len: u64,
    pub(crate) content: Content,
}

/// What a run of bytes holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Content {
    /// Bits, low byte first.
    Word { bits: Term, undef: Mask },
    /// A whole pointer.
    Pointer { targets: Targets, undef: Term },
    /// One byte of a pointer.
    Fragment { targets: Targets, byte: u8, undef: Term },
    /// Unknown bytes that are inputs once they are read: with these bits, and where `asked` holds they were read or written
    /// already.
    Any { bits: Term, asked: Term, label: Rc<str> },
    /// Unknown bytes that nobody has looked at on any path.
    Fresh { label: Rc<str> },
    /// Bytes of pointers and other bytes, on different paths: whoever reads them would have to know addresses.
    Lost,
}

/// What is indeterminate of a word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Mask {
    /// All of it, under this condition.
    Whole(Term),
    /// The bits that are 1.
    Bits(Term),
}

impl Mask {
    pub(crate) const NONE: Mask = Mask::Whole(Term::FALSE);

    /// Whether some bit is indeterminate.
    pub(crate) fn any(self, terms: &mut Terms) -> Term {
        match self {
            Mask::Whole(undef) => undef,
            Mask::Bits(bits) => {
                let is_zero = terms.is_zero(bits);
                terms.not(is_zero)
            }
        }
    }

    /// A one for each indeterminate bit.
    pub(crate) fn bits(self, terms: &mut Terms, width: u32) -> Term {
        match self {
            Mask::Whole(undef) => terms.sext(undef, width),
            Mask::Bits(bits) => bits,
        }
    }

    fn extract(self, terms: &mut Terms, low: u32, width: u32) -> Mask {
        match self {
            Mask::Whole(_) => self,
            Mask::Bits(bits) => Mask::of_bits(terms, bits, low, width),
        }
    }

    fn of_bits(terms: &mut Terms, bits: Term, low: u32, width: u32) -> Mask {
        let part = terms.extract(bits, low + width - 1, low);
        match terms.constant_u128(part) {
            Some(0) => Mask::NONE,
            _ => Mask::Bits(part),
        }
    }

    /// The bits that are 1 in a term.
    pub(crate) fn of(terms: &Terms, bits: Term) -> Mask {
        match terms.constant_u128(bits) {
            Some(0) => Mask::NONE,
            _ => Mask::Bits(bits),
        }
    }

    fn join(terms: &mut Terms, when: Term, left: Mask, right: Mask, width: u32) -> Mask {
        match (left, right) {
            (Mask::Whole(left), Mask::Whole(right)) => Mask::Whole(terms.ite(when, left, right)),
            (left, right) => {
                let (left, right) = (left.bits(terms, width), right.bits(terms, width));
                Mask::Bits(terms.ite(when, left, right))
            }
        }
    }
}

/// Bits of a number of bytes.
fn width_of(len: u64) -> u32 {
    8 * len as u32
}

impl Piece {
    /// Bytes that nobody may look at.
    pub(crate) fn undefined(terms: &mut Terms, len: u64) -> Piece {
        let bits = terms.constant(width_of(len), 0);
        Piece { len, content: Content::Word { bits, undef: Mask::Whole(Term::TRUE) } }
    }

    /// Plain bytes.
    pub(crate) fn number(terms: &mut Terms, len: u64, bits: u128) -> Piece {
        let bits = terms.constant(width_of(len), bits);
        Piece { len, content: Content::Word { bits, undef: Mask::NONE } }
    }

    /// What a value is in memory.
    pub(crate) fn store(terms: &mut Terms, value: Value, len: u64) -> Piece {
        let content = match value {
            Value::Word { bits, undef } => {
                Content::Word { bits: terms.zext(bits, width_of(len)), undef: Mask::Whole(undef) }
            }
            Value::Pointer { targets, undef } => Content::Pointer { targets, undef },
            Value::Fragment { targets, byte, undef } => Content::Fragment { targets, byte, undef },
        };
        Piece { len, content }
    }

    /// Some of its bytes.
    pub(crate) fn part(&self, terms: &mut Terms, from: u64, len: u64, into: &mut Vec<Piece>) {
        if from == 0 && len == self.len {
            return into.push(self.clone());
        }
        match &self.content {
            Content::Word { bits, undef } => {
                let (low, width) = (width_of(from), width_of(len));
                let bits = terms.extract(*bits, low + width - 1, low);
                let undef = undef.extract(terms, low, width);
                into.push(Piece { len, content: Content::Word { bits, undef } });
            }
            Content::Pointer { targets, undef } => into.extend((from..from + len).map(|byte| Piece {
                len: 1,
                content: Content::Fragment { targets: targets.clone(), byte: byte as u8, undef: *undef },
            })),
            Content::Fragment { .. } => into.push(self.clone()),
            Content::Any { bits, asked, label } => {
                let (low, width) = (width_of(from), width_of(len));
                let bits = terms.extract(*bits, low + width - 1, low);
                into.push(Piece { len, content: Content::Any { bits, asked: *asked, label: label.clone() } });
            }
            Content::Fresh { label } => into.push(Piece { len, content: Content::Fresh { label: label.clone() } }),
            Content::Lost => into.push(Piece { len, content: Content::Lost }),
        }
    }

    /// Whether it has a part of a pointer.
    fn has_pointer(&self) -> bool {
        matches!(self.content, Content::Pointer { .. } | Content::Fragment { .. })
    }

    /// Some bit is indeterminate.
    pub(crate) fn undef(&self, terms: &mut Terms) -> Term {
        match &self.content {
            Content::Word { undef, .. } => undef.any(terms),
            Content::Pointer { undef, .. } | Content::Fragment { undef, .. } => *undef,
            Content::Any { .. } | Content::Fresh { .. } | Content::Lost => Term::FALSE,
        }
    }

    fn value(&self, terms: &mut Terms) -> Option<Value> {
        Some(match &self.content {
            Content::Word { bits, undef } => Value::Word { bits: *bits, undef: undef.any(terms) },
            Content::Pointer { targets, undef } => Value::Pointer { targets: targets.clone(), undef: *undef },
            Content::Fragment { targets, byte, undef } => {
                Value::Fragment { targets: targets.clone(), byte: *byte, undef: *undef }
            }
            // Whoever reads it has asked for it.
            Content::Any { bits, .. } => Value::word(*bits),
            Content::Fresh { .. } | Content::Lost => return None,
        })
    }
}

/// The value of some bytes together; `None` if bytes of pointers would have to be numbers.
pub(crate) fn scalar(terms: &mut Terms, pieces: &[Piece], pointer_bytes: u64) -> Option<Value> {
    if let [piece] = pieces {
        return piece.value(terms);
    }
    let len: u64 = pieces.iter().map(|piece| piece.len).sum();
    let undefs: Vec<Term> = pieces.iter().map(|piece| piece.undef(terms)).collect();
    let undef = terms.or_all(&undefs);
    if undef == Term::TRUE {
        return Some(Value::undefined(terms, width_of(len)));
    }
    if let Some(Content::Fragment { targets, byte: 0, .. }) = pieces.first().map(|piece| &piece.content) {
        let is_byte = |(at, piece): (usize, &Piece)| {
            matches!(&piece.content, Content::Fragment { targets: other, byte, .. }
                if usize::from(*byte) == at && other == targets)
        };
        if len == pointer_bytes && pieces.iter().enumerate().all(is_byte) {
            return Some(Value::Pointer { targets: targets.clone(), undef });
        }
    }
    let mut all: Option<Term> = None;
    for piece in pieces {
        let bits = number(terms, piece)?;
        all = Some(match all {
            None => bits,
            Some(low) => terms.concat(bits, low),
        });
    }
    Some(Value::Word { bits: all?, undef })
}

/// The bits of a piece, if no address is needed for it.
fn number(terms: &mut Terms, piece: &Piece) -> Option<Term> {
    match &piece.content {
        Content::Word { bits, .. } => Some(*bits),
        Content::Pointer { targets, .. } => number_of(terms, targets, width_of(piece.len)),
        Content::Fragment { targets, byte, .. } => {
            let whole = number_of(terms, targets, 64)?;
            let low = 8 * u32::from(*byte);
            Some(terms.extract(whole, low + 7, low))
        }
        Content::Any { bits, .. } => Some(*bits),
        Content::Fresh { .. } | Content::Lost => None,
    }
}

/// The bits of a pointer that leads to plain numbers only.
pub(crate) fn number_of(terms: &mut Terms, targets: &Targets, width: u32) -> Option<Term> {
    let mut all: Option<Term> = None;
    for target in targets.iter() {
        if target.base != Base::Number {
            return None;
        }
        let bits = terms.resize_unsigned(target.offset.term, width);
        all = Some(match all {
            None => bits,
            Some(rest) => terms.ite(target.when, bits, rest),
        });
    }
    all
}

/// One content of the same length or the other.
pub(crate) fn join(terms: &mut Terms, when: Term, left: &Piece, right: &Piece) -> Piece {
    if left == right {
        return left.clone();
    }
    let len = left.len;
    let content = match (&left.content, &right.content) {
        (Content::Word { bits, undef }, Content::Word { bits: other_bits, undef: other_undef })
            if [undef, other_undef].iter().any(|undef| matches!(undef, Mask::Bits(_)))
                || [undef, other_undef].iter().all(|undef| **undef != Mask::Whole(Term::TRUE)) =>
        {
            let undef = Mask::join(terms, when, *undef, *other_undef, width_of(len));
            Content::Word { bits: terms.ite(when, *bits, *other_bits), undef }
        }
        (Content::Any { .. } | Content::Fresh { .. }, _) | (_, Content::Any { .. } | Content::Fresh { .. }) => {
            join_unknown(terms, when, left, right)
        }
        (_, _) => match (whole(terms, left), whole(terms, right)) {
            (Some(left), Some(right)) => match Value::join(terms, when, &left, &right) {
                Some(value) => return Piece { len, ..Piece::store(terms, value, len) },
                None => Content::Lost,
            },
            (_, _) => Content::Lost,
        },
    };
    Piece { len, content }
}

/// Unknown bytes on one path at least: they stay inputs there.
fn join_unknown(terms: &mut Terms, when: Term, left: &Piece, right: &Piece) -> Content {
    let label = match (&left.content, &right.content) {
        (Content::Any { label, .. } | Content::Fresh { label }, _)
        | (_, Content::Any { label, .. } | Content::Fresh { label }) => label.clone(),
        (_, _) => return Content::Lost,
    };
    let parts = [left, right].map(|piece| match &piece.content {
        Content::Any { bits, asked, .. } => Some((Some(*bits), *asked)),
        Content::Fresh { .. } => Some((None, Term::FALSE)),
        Content::Word { bits, undef: Mask::NONE } => Some((Some(*bits), Term::TRUE)),
        _other => None,
    });
    let [Some((left_bits, left_asked)), Some((right_bits, right_asked))] = parts else { return Content::Lost };
    let asked = terms.ite(when, left_asked, right_asked);
    let bits = match (left_bits, right_bits) {
        (Some(left), Some(right)) => terms.ite(when, left, right),
        // The bytes that nobody has looked at are any: a new input where the other side has a value.
        (Some(known), None) => {
            let fresh = terms.fresh_input("unread", Sort::Bits(width_of(left.len)));
            terms.ite(when, known, fresh)
        }
        (None, Some(known)) => {
            let fresh = terms.fresh_input("unread", Sort::Bits(width_of(left.len)));
            terms.ite(when, fresh, known)
        }
        (None, None) => return Content::Fresh { label },
    };
    Content::Any { bits, asked, label }
}

/// The value of a piece of which all or nothing is indeterminate; a number is seen as a pointer where that is all there is.
fn whole(terms: &mut Terms, piece: &Piece) -> Option<Value> {
    if let Content::Word { undef: Mask::Bits(_), .. } = piece.content {
        return None;
    }
    piece.value(terms)
}

/// Two runs of the same length, joined piece by piece. Words are cut where either is; around pointers both become as whole
/// as they can.
pub(crate) fn join_runs(
    terms: &mut Terms,
    when: Term,
    (left, right): (Vec<Piece>, Vec<Piece>),
    pointer_bytes: u64,
) -> Vec<Piece> {
    let is_alike = left.len() == right.len() && left.iter().zip(&right).all(|(left, right)| left.len == right.len);
    if is_alike {
        return left.iter().zip(&right).map(|(left, right)| join(terms, when, left, right)).collect();
    }
    let len: u64 = left.iter().map(|piece| piece.len).sum();
    let has_pointer = left.iter().chain(&right).any(Piece::has_pointer);
    if has_pointer
        && len <= 16
        && let (Some(left), Some(right)) = (scalar(terms, &left, pointer_bytes), scalar(terms, &right, pointer_bytes))
    {
        let (left, right) = (Piece::store(terms, left, len), Piece::store(terms, right, len));
        return vec![join(terms, when, &left, &right)];
    }
    let (left, right) = (cut(terms, &left, &right), cut(terms, &right, &left));
    left.iter().zip(&right).map(|(left, right)| join(terms, when, left, right)).collect()
}

/// A run, cut where another one is as well; parts of pointers are single bytes.
fn cut(terms: &mut Terms, run: &[Piece], by: &[Piece]) -> Vec<Piece> {
    let mut ends: Vec<u64> = Vec::new();
    for pieces in [run, by] {
        let mut at = 0;
        for piece in pieces {
            // Parts of pointers are as long as a byte.
            let is_split = piece.has_pointer();
            ends.extend((1..piece.len).filter(|_| is_split).map(|byte| at + byte));
            at += piece.len;
            ends.push(at);
        }
    }
    ends.sort_unstable();
    ends.dedup();
    let mut parts = Vec::new();
    let mut start = 0;
    for piece in run {
        let end = start + piece.len;
        let mut from = start;
        for to in ends.iter().copied().filter(|to| *to > start && *to <= end) {
            piece.part(terms, from - start, to - from, &mut parts);
            from = to;
        }
        start = end;
    }
    parts
}
