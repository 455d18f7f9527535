//! Unknown memory: bytes that become inputs when they are read, as the interpreter makes them (`Contents::Any`, `memany`).
//!
//! The interpreter asks for a whole scalar if none of its bytes was looked at before, else for its bytes one by one, and a
//! copy asks for words of four. So that a model can be replayed, the same is asked here, under the condition that a byte was
//! not looked at on the path. Where what is asked would depend on the path, nothing is said.

use unpick_program::interp::Asked;
use unpick_program::{Shape, ShapeId, Ty};
use unpick_term::{Sort, Term};

use crate::content::{Content, Mask, Piece};
use crate::goals::Step;
use crate::log::Input;
use crate::object::{Ground, Object, ObjectKind};
use crate::state::State;
use crate::symex::Symex;
use crate::value::ObjectId;

const UNKNOWN: &str = "unknown memory that is read in parts";

/// Bytes that were asked for are words.
pub(crate) fn known(mut run: Vec<Piece>) -> Vec<Piece> {
    for piece in &mut run {
        if let Content::Any { bits, .. } = piece.content {
            piece.content = Content::Word { bits, undef: Mask::NONE };
        }
    }
    run
}

impl Symex<'_> {
    fn pieces(&mut self, state: &State, id: ObjectId, (from, len): (u64, u64)) -> Vec<Piece> {
        let object = state.memory.get(id).expect("the access was checked").clone();
        object.read(&mut self.terms, from, len)
    }

    /// Whether a piece may still have to be asked for, as far as the state knows.
    fn is_open(&mut self, state: &State, piece: &Piece) -> bool {
        match piece.content {
            Content::Any { asked, .. } => self.decide(state, asked) != Some(true),
            Content::Fresh { .. } => true,
            Content::Word { .. } | Content::Pointer { .. } | Content::Fragment { .. } | Content::Lost => false,
        }
    }

    /// Before a scalar is read: what is unknown of it becomes an input.
    pub(crate) fn touch_scalar(
        &mut self,
        state: &mut State,
        id: ObjectId,
        (from, len): (u64, u64),
        when: Term,
        ty: Ty,
    ) -> Step {
        let run = self.pieces(state, id, (from, len));
        if !run.iter().any(|piece| self.is_open(state, piece)) {
            return Ok(());
        }
        let width = self.width(ty);
        let is_odd = u64::from(width) != 8 * len;
        let is_fresh = run.iter().all(|piece| matches!(piece.content, Content::Fresh { .. }));
        let is_special = ty == Ty::Ptr || self.has_bools(state, id) || matches!(ty, Ty::F80);
        if is_special || (is_odd && !is_fresh) {
            let never = self.terms.not(when);
            return self.supported(state, never, UNKNOWN);
        }
        // All of it was looked at, or nothing.
        let mut parts: Vec<Term> = Vec::new();
        let mut all_asked = None;
        for piece in &run {
            match &piece.content {
                Content::Fresh { .. } if all_asked.is_none_or(|asked| asked == Term::FALSE) => {
                    all_asked = Some(Term::FALSE);
                    let bits = if is_odd { width } else { 8 * piece.len as u32 };
                    if is_odd && run.len() > 1 {
                        break;
                    }
                    let input = self.terms.fresh_input("unread", Sort::Bits(bits));
                    parts.push(self.terms.zext(input, 8 * piece.len as u32));
                }
                Content::Any { bits, asked, .. } if all_asked.is_none_or(|other| other == *asked) => {
                    all_asked = Some(*asked);
                    parts.push(*bits);
                }
                _other => break,
            }
        }
        if parts.len() < run.len() {
            return self.touch_bytes(state, id, (from, len), when);
        }
        let asked = all_asked.unwrap_or(Term::FALSE);
        parts.reverse();
        let bits = self.terms.concat_all(&parts);
        self.ask(state, id, from, (bits, width, asked), (&run, when))
    }

    /// One input for a run: asked for under a condition where it was not before.
    fn ask(
        &mut self,
        state: &mut State,
        id: ObjectId,
        from: u64,
        (bits, width, asked): (Term, u32, Term),
        (run, when): (&[Piece], Term),
    ) -> Step {
        let label = run.iter().find_map(|piece| match &piece.content {
            Content::Any { label, .. } | Content::Fresh { label } => Some(label.clone()),
            Content::Word { .. } | Content::Pointer { .. } | Content::Fragment { .. } | Content::Lost => None,
        });
        let label = label.unwrap_or_else(|| "memory of unknown contents".into());
        let guard = self.guards.term(state.guard);
        let not_asked = self.terms.not(asked);
        let now = self.terms.and(when, not_asked);
        let guard = self.terms.and(guard, now);
        let value = self.terms.resize_unsigned(bits, width);
        let at = self.log.at;
        self.log.inputs.push(Input { guard, at, asked: Asked::Value, value });
        let asked = self.terms.or(asked, when);
        let len = run.iter().map(|piece| piece.len).sum();
        let piece = Piece { len, content: Content::Any { bits, asked, label } };
        let object = state.memory.get_mut(id).expect("the access was checked");
        object.write(&mut self.terms, from, vec![piece]);
        Ok(())
    }

    /// The bytes of a range that nobody has looked at become inputs, one after the other.
    fn touch_bytes(&mut self, state: &mut State, id: ObjectId, (from, len): (u64, u64), when: Term) -> Step {
        for at in from..from + len {
            let run = self.pieces(state, id, (at, 1));
            let [piece] = &run[..] else { continue };
            match &piece.content {
                Content::Fresh { .. } => {
                    let bits = self.terms.fresh_input("unread", Sort::Bits(8));
                    self.ask(state, id, at, (bits, 8, Term::FALSE), (&run, when))?;
                }
                Content::Any { asked, .. } if self.decide(state, *asked) != Some(true) => {
                    let never = self.terms.not(when);
                    return self.supported(state, never, UNKNOWN);
                }
                // Beside inputs, indeterminate bytes are none.
                Content::Word { undef: Mask::NONE, .. } | Content::Any { .. } => {}
                Content::Word { .. } | Content::Pointer { .. } | Content::Fragment { .. } | Content::Lost => {
                    let never = self.terms.not(when);
                    return self.supported(state, never, UNKNOWN);
                }
            }
        }
        Ok(())
    }

    /// Before a range is copied or output: words of four are inputs, then single bytes, where no type says more.
    pub(crate) fn touch_range(&mut self, state: &mut State, id: ObjectId, (from, len): (u64, u64), when: Term) -> Step {
        let run = self.pieces(state, id, (from, len));
        if !run.iter().any(|piece| self.is_open(state, piece)) {
            return Ok(());
        }
        let has_type = state.memory.get(id).is_none_or(|object| has_type(object));
        let never = self.terms.not(when);
        if has_type || when != Term::TRUE {
            return self.supported(state, never, UNKNOWN);
        }
        let mut at = from;
        while at < from + len {
            let is_word = at.is_multiple_of(4) && at + 4 <= from + len;
            let bytes = if is_word { 4 } else { 1 };
            let run = self.pieces(state, id, (at, bytes));
            if run.iter().all(|piece| matches!(piece.content, Content::Fresh { .. })) {
                let width = 8 * bytes as u32;
                let bits = self.terms.fresh_input("unread", Sort::Bits(width));
                self.ask(state, id, at, (bits, width, Term::FALSE), (&run, when))?;
            } else if run.iter().any(|piece| self.is_open(state, piece)) {
                return self.supported(state, never, UNKNOWN);
            }
            at += bytes;
        }
        Ok(())
    }

    /// What must not be read before it was asked for.
    pub(crate) fn refuse_open(&mut self, state: &mut State, id: ObjectId, range: (u64, u64), when: Term) -> Step {
        let run = self.pieces(state, id, range);
        if !run.iter().any(|piece| self.is_open(state, piece)) {
            return Ok(());
        }
        let never = self.terms.not(when);
        self.supported(state, never, UNKNOWN)
    }

    /// In unknown objects, what is written indeterminate becomes an input again: that is left open.
    pub(crate) fn check_unknown(&mut self, state: &mut State, id: ObjectId, run: &[Piece], when: Term) -> Step {
        let is_unknown = state.memory.get(id).is_some_and(|object| matches!(object.ground, Ground::Unknown(_)));
        if !is_unknown {
            return Ok(());
        }
        for piece in run {
            let undef = piece.undef(&mut self.terms);
            let is_bad = self.terms.and(when, undef);
            let ok = self.terms.not(is_bad);
            self.supported(state, ok, UNKNOWN)?;
        }
        Ok(())
    }

    /// Whether some byte of an object may be a `bool` by its type, which has two values only.
    fn has_bools(&self, state: &State, id: ObjectId) -> bool {
        let Some(object) = state.memory.get(id) else { return true };
        let shape = match object.kind {
            ObjectKind::Global(global) => self.program.globals[global].shape,
            ObjectKind::Slot(function, slot) => self.program.functions[function].slots[slot].shape,
            ObjectKind::Alloca | ObjectKind::Heap => None,
        };
        shape.is_some_and(|shape| self.is_bool_inside(shape))
    }

    fn is_bool_inside(&self, shape: ShapeId) -> bool {
        match &self.program.shapes[shape] {
            Shape::Bool => true,
            Shape::Array { element, .. } => self.is_bool_inside(*element),
            Shape::Record { fields, .. } => fields.iter().any(|field| self.is_bool_inside(field.shape)),
            Shape::Int { .. }
            | Shape::Char { .. }
            | Shape::Float(_)
            | Shape::Pointer(_)
            | Shape::Code
            | Shape::Enum { .. }
            | Shape::Opaque { .. } => false,
        }
    }
}

/// Whether the declared type of an object says how its bytes belong together.
fn has_type(object: &Object) -> bool {
    match object.kind {
        ObjectKind::Global(_) | ObjectKind::Slot(..) => true,
        ObjectKind::Alloca | ObjectKind::Heap => false,
    }
}
