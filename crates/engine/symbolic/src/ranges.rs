//! Instructions on runs of bytes: copies, fills, output. Lengths that depend on inputs are taken byte by byte.

use unpick_program::interp::OVERLAPS;
use unpick_program::{Operand, Ty, ViolationKind};
use unpick_term::Term;

use crate::access::{LOST, MAX_PLACES, Spot};
use crate::content::{Content, Mask, Piece};
use crate::goals::Step;
use crate::object::Ground;
use crate::state::State;
use crate::symex::Symex;
use crate::value::{Base, OFFSET_BITS, Target, Targets};

/// Runs of a length that is known are at most so long.
const MAX_RUN: u64 = 1 << 16;

impl Symex<'_> {
    /// A number of bytes.
    pub(crate) fn byte_count(&mut self, state: &mut State, operand: &Operand) -> Step<Term> {
        let width = self.width(Ty::Ptr);
        let bits = self.number(state, operand, width)?;
        Ok(self.terms.resize_unsigned(bits, OFFSET_BITS))
    }

    /// A length and a pointer that matters only if the length is not zero: the executions in which it is zero are told
    /// apart by the condition.
    fn range(&mut self, state: &mut State, addr: &Operand, len: Term, is_write: bool) -> Step<Vec<Spot>> {
        let is_empty = self.terms.is_zero(len);
        let value = self.operand(state, addr);
        let is_bad = self.terms.not(is_empty);
        let is_bad = self.terms.and(is_bad, value.undef());
        self.determinate(state, is_bad)?;
        let targets = self.targets(state, &value)?;
        let targets = self.unless(&targets, is_empty);
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        self.spots(state, &targets, len, is_write)
    }

    /// Targets that matter only without a condition.
    fn unless(&mut self, targets: &Targets, exempt: Term) -> Targets {
        if exempt == Term::FALSE {
            return targets.clone();
        }
        let needed = self.terms.not(exempt);
        let all: Vec<Target> = targets
            .iter()
            .map(|target| Target { when: self.terms.and(needed, target.when), ..target.clone() })
            .filter(|target| target.when != Term::FALSE)
            .collect();
        all.into()
    }

    pub(crate) fn mem_copy(
        &mut self,
        state: &mut State,
        (dst, src): (&Operand, &Operand),
        bytes: &Operand,
        may_overlap: bool,
    ) -> Step {
        let len = self.byte_count(state, bytes)?;
        if self.terms.constant_u128(len) == Some(0) {
            return Ok(());
        }
        let sources = self.range(state, src, len, false)?;
        let targets = self.range(state, dst, len, true)?;
        if !may_overlap {
            self.check_overlap(state, &sources, &targets, len)?;
        }
        match self.terms.constant_u128(len) {
            Some(len) => self.copy_run(state, &sources, &targets, len as u64),
            None => self.copy_bytes(state, &sources, &targets, len),
        }
    }

    /// Source and destination lie apart, or are the same.
    fn check_overlap(&mut self, state: &mut State, sources: &[Spot], targets: &[Spot], len: Term) -> Step {
        for source in sources {
            for target in targets.iter().filter(|target| target.object == source.object) {
                let (from, to) = (source.offset.term, target.offset.term);
                let (from_end, to_end) = (self.terms.add(from, len), self.terms.add(to, len));
                let (before, behind) = (self.terms.ult(from, to_end), self.terms.ult(to, from_end));
                let overlaps = self.terms.and(before, behind);
                let is_same = self.terms.eq(from, to);
                let apart = self.terms.not(overlaps);
                let is_fine = self.terms.or(apart, is_same);
                let both = self.terms.and(source.when, target.when);
                let ok = self.terms.implies(both, is_fine);
                self.require_or(state, ok, ViolationKind::OutOfBounds, OVERLAPS)?;
            }
        }
        Ok(())
    }

    /// A copy of a known length: with all that the bytes carry.
    fn copy_run(&mut self, state: &mut State, sources: &[Spot], targets: &[Spot], len: u64) -> Step {
        if len > MAX_RUN {
            return Err(self.unsupported(state, "copies of so many bytes"));
        }
        let Some(run) = self.read_run(state, sources, len)? else { return Ok(()) };
        self.write_run(state, targets, run)
    }

    /// What lies at some spots.
    fn read_run(&mut self, state: &mut State, sources: &[Spot], len: u64) -> Step<Option<Vec<Piece>>> {
        let pointer_bytes = u64::from(self.program.pointer_bytes);
        let mut result: Option<Vec<Piece>> = None;
        for source in sources {
            let places = self.places(state, source, len)?;
            if places.len() as u64 * len > MAX_RUN {
                return Err(self.unsupported(state, "copies from so many places"));
            }
            for (when, place) in places {
                self.touch_range(state, source.object, (place, len), when)?;
                let object = state.memory.get(source.object).expect("the access was checked").clone();
                let run = crate::unknown::known(object.read(&mut self.terms, place, len));
                result = Some(match result {
                    None => run,
                    Some(rest) => crate::content::join_runs(&mut self.terms, when, (run, rest), pointer_bytes),
                });
            }
        }
        Ok(result)
    }

    /// A copy of a length that depends on inputs.
    fn copy_bytes(&mut self, state: &mut State, sources: &[Spot], targets: &[Spot], len: Term) -> Step {
        let most = self.longest(state, sources).min(self.longest(state, targets)).min(MAX_PLACES);
        let is_short = {
            let limit = self.terms.constant(OFFSET_BITS, u128::from(most));
            self.terms.ule(len, limit)
        };
        self.supported(state, is_short, "copies of so many bytes")?;
        // All bytes are read before any is written.
        let mut bytes = Vec::with_capacity(most as usize);
        for at in 0..most {
            let number = self.terms.constant(OFFSET_BITS, u128::from(at));
            let is_copied = self.terms.ult(number, len);
            if is_copied == Term::FALSE {
                break;
            }
            let shifted = self.shifted(sources, at, is_copied);
            bytes.push((at, is_copied, self.read_run(state, &shifted, 1)?));
        }
        for (at, is_copied, run) in bytes {
            if let Some(run) = run {
                let shifted = self.shifted(targets, at, is_copied);
                self.write_run(state, &shifted, run)?;
            }
        }
        Ok(())
    }

    /// The same spots some bytes further on, under one more condition.
    fn shifted(&mut self, spots: &[Spot], bytes: u64, when: Term) -> Vec<Spot> {
        let step = crate::value::Offset::constant(&mut self.terms, bytes as i64);
        let shift = |spot: &Spot| Spot {
            when: self.terms.and(spot.when, when),
            object: spot.object,
            offset: spot.offset.plus(&mut self.terms, step),
        };
        spots.iter().map(shift).collect()
    }

    /// No run of bytes from these spots on is longer.
    fn longest(&mut self, state: &State, spots: &[Spot]) -> u64 {
        let rest = |spot: &Spot| {
            let size = state.memory.get(spot.object).and_then(|object| self.terms.constant_u128(object.size));
            let start = spot.offset.number().unwrap_or(0).max(0) as u64;
            size.map_or(u64::MAX, |size| (size as u64).saturating_sub(start))
        };
        spots.iter().map(rest).max().unwrap_or(0)
    }

    pub(crate) fn mem_set(&mut self, state: &mut State, dst: &Operand, byte: &Operand, bytes: &Operand) -> Step {
        let len = self.byte_count(state, bytes)?;
        if self.terms.constant_u128(len) == Some(0) {
            return Ok(());
        }
        let value = self.operand(state, byte);
        let (bits, undef) = self.word(state, &value, 8)?;
        let targets = self.range(state, dst, len, true)?;
        let piece = Piece { len: 1, content: Content::Word { bits, undef: Mask::Whole(undef) } };
        let Some(number) = self.terms.constant_u128(len) else {
            return self.fill_bytes(state, &targets, &piece, len);
        };
        if self.fill_whole(state, &targets, &piece, number as u64) {
            return Ok(());
        }
        if number > u128::from(MAX_RUN) {
            return Err(self.unsupported(state, "fills of so many bytes"));
        }
        let run = self.repeated(&piece, number as u64);
        self.write_run(state, &targets, run)
    }

    /// Pieces of eight equal bytes, then single ones.
    fn repeated(&mut self, piece: &Piece, len: u64) -> Vec<Piece> {
        let Content::Word { bits, undef } = piece.content else { return vec![piece.clone(); len as usize] };
        let eight = self.terms.concat_all(&[bits; 8]);
        let whole = Piece { len: 8, content: Content::Word { bits: eight, undef } };
        let mut run = vec![whole; (len / 8) as usize];
        run.extend(std::iter::repeat_n(piece.clone(), (len % 8) as usize));
        run
    }

    /// A whole object gets zeros, or becomes indeterminate: whatever its size is.
    fn fill_whole(&mut self, state: &mut State, targets: &[Spot], piece: &Piece, len: u64) -> bool {
        let ground = match &piece.content {
            Content::Word { bits, undef: Mask::NONE } if self.terms.constant_u128(*bits) == Some(0) => {
                Ground::Bytes([].into())
            }
            Content::Word { undef: Mask::Whole(Term::TRUE), .. } => Ground::Undefined,
            _other => return false,
        };
        let [spot] = targets else { return false };
        let size = state.memory.get(spot.object).and_then(|object| self.terms.constant_u128(object.size));
        if spot.when != Term::TRUE || spot.offset.number() != Some(0) || size != Some(u128::from(len)) || len < 64 {
            return false;
        }
        let object = state.memory.get_mut(spot.object).expect("the access was checked");
        object.clear();
        object.ground = ground;
        true
    }

    fn fill_bytes(&mut self, state: &mut State, targets: &[Spot], piece: &Piece, len: Term) -> Step {
        let most = self.longest(state, targets).min(MAX_PLACES);
        let limit = self.terms.constant(OFFSET_BITS, u128::from(most));
        let is_short = self.terms.ule(len, limit);
        self.supported(state, is_short, "fills of so many bytes")?;
        for at in 0..most {
            let number = self.terms.constant(OFFSET_BITS, u128::from(at));
            let is_filled = self.terms.ult(number, len);
            if is_filled == Term::FALSE {
                break;
            }
            let shifted = self.shifted(targets, at, is_filled);
            self.write_run(state, &shifted, vec![piece.clone()])?;
        }
        Ok(())
    }

    /// Bytes become anything. Pointers among them may be taken to stay.
    pub(crate) fn mem_any(
        &mut self,
        state: &mut State,
        dst: &Operand,
        bytes: &Operand,
        (keeps_pointers, label): (bool, &str),
    ) -> Step {
        let len = self.byte_count(state, bytes)?;
        let targets = self.range(state, dst, len, true)?;
        let len = match self.terms.constant_u128(len) {
            Some(0) => return Ok(()),
            Some(len) if len <= u128::from(MAX_RUN) => len as u64,
            _open => return Err(self.unsupported(state, "a number of unknown bytes that depends on inputs")),
        };
        if keeps_pointers && self.has_pointers(state, &targets, len)? {
            return Err(self.unsupported(state, "unknown bytes beside pointers that stay"));
        }
        let run = vec![Piece { len, content: Content::Fresh { label: label.into() } }];
        self.write_run(state, &targets, run)
    }

    fn has_pointers(&mut self, state: &mut State, targets: &[Spot], len: u64) -> Step<bool> {
        let mut has_any = false;
        for spot in targets {
            for (_, place) in self.places(state, spot, len)? {
                let object = state.memory.get(spot.object).expect("the access was checked").clone();
                let run = object.read(&mut self.terms, place, len);
                has_any |= run.iter().any(|piece| {
                    !matches!(piece.content, Content::Word { .. } | Content::Fresh { .. } | Content::Any { .. })
                });
            }
        }
        Ok(has_any)
    }

    /// Bytes that are output have to have values.
    pub(crate) fn output(&mut self, state: &mut State, addr: &Operand, bytes: &Operand) -> Step {
        let len = self.byte_count(state, bytes)?;
        if self.terms.constant_u128(len) == Some(0) {
            return Ok(());
        }
        let sources = self.range(state, addr, len, false)?;
        let most = self.longest(state, &sources);
        let most = self.terms.constant_u128(len).map_or(most, |len| len as u64);
        if most > MAX_PLACES {
            return Err(self.unsupported(state, "output of so many bytes"));
        }
        for at in 0..most {
            let number = self.terms.constant(OFFSET_BITS, u128::from(at));
            let is_output = self.terms.ult(number, len);
            let shifted = self.shifted(&sources, at, is_output);
            for spot in shifted.iter().filter(|spot| spot.when != Term::FALSE) {
                for (when, place) in self.places(state, spot, 1)? {
                    self.touch_range(state, spot.object, (place, 1), when)?;
                    let object = state.memory.get(spot.object).expect("the access was checked").clone();
                    let run = object.read(&mut self.terms, place, 1);
                    let [piece] = &run[..] else { continue };
                    if piece.content == Content::Lost {
                        let ok = self.terms.not(when);
                        self.supported(state, ok, LOST)?;
                    }
                    let undef = piece.undef(&mut self.terms);
                    let is_bad = self.terms.and(when, undef);
                    self.determinate(state, is_bad)?;
                }
            }
        }
        Ok(())
    }

    /// A pointer that leads nowhere yet: for objects that are just being made.
    pub(crate) fn to_object(&mut self, object: crate::value::ObjectId) -> Targets {
        let offset = crate::value::Offset::constant(&mut self.terms, 0);
        [Target { when: Term::TRUE, base: Base::Object(object), offset }].into()
    }
}
