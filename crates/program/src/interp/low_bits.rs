//! Truncated inputs: inputs of which only the low bits are still visible.
//!
//! `int r = f();` with a `long f(void)` keeps 32 bits of 64: the number that is read is the input modulo 2^32, and a
//! comparison cuts the input's domain into four thousand million pieces. But if everything that mentions the input is
//! that narrow, two values of it with the same low bits have the same future, and one interval that has all low bits
//! once stands for the whole domain.

use super::domain::Domain;
use super::exec::{Exec, width};
use super::narrow::View;
use super::value::{Lazy, Value};
use super::{Observer, Stop};

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// Stops because a view of the value has too many pieces: for an interval that stands for all, else for a decision
    /// whether the number fits, else for single values.
    pub(crate) fn too_many_pieces(&self, lazy: Lazy, view_width: u32, view: View) -> Box<Stop> {
        if let Some(part) = self.low_bits(lazy) {
            return self.split(lazy, vec![part]);
        }
        let (from, to) = lazy.preimage(view.limits(view_width));
        let domain = self.state.domain_of(lazy);
        let (fits, rest) = (domain.within(from, to), domain.outside_all(&[(from, to)]));
        match fits.is_empty() || rest.is_empty() {
            true => self.enumerate(lazy),
            false => self.split(lazy, vec![fits, rest]),
        }
    }

    /// A smaller domain that stands for all of the input's.
    fn low_bits(&self, lazy: Lazy) -> Option<Domain> {
        // A region that blocks goes back to where more of the input may have been in use.
        if self.state.atomic.as_ref().is_some_and(|atomic| atomic.start.is_some()) {
            return None;
        }
        let size = 1i128 << self.widest(lazy.input())?;
        let domain = self.state.domain_of(lazy);
        let starts = [-size / 2, 0, domain.min(), domain.max() - size + 1];
        let parts = starts.into_iter().map(|low| domain.within(low, low + size - 1));
        let mut whole = parts.filter(|part| part.count() == size as u128);
        whole.next().filter(|part| part.count() < domain.count())
    }

    /// The width of the widest place that holds something of the input; `None` if it is no plain place.
    fn widest(&self, input: u32) -> Option<u32> {
        let is_of = |value: &Value| matches!(value, Value::Lazy(lazy) if lazy.input() == input);
        let mut widest = 8;
        for (number, thread) in self.state.threads.iter().enumerate() {
            for (depth, frame) in thread.frames.iter().enumerate() {
                let is_running = number == self.thread && depth + 1 == thread.frames.len();
                let (block, index) = match is_running {
                    true => (self.block_id, self.index),
                    false => (frame.block, frame.index as usize),
                };
                let declared = &self.program.functions[frame.function].regs;
                for reg in self.machine.liveness.at(self.program, frame.function, block, index) {
                    if thread.regs.get(frame.reg_base as usize + reg.0 as usize).is_some_and(is_of) {
                        widest = widest.max(width(declared[*reg].ty, self.program.pointer_bytes));
                    }
                }
            }
        }
        for (_, object) in self.state.memory.iter() {
            let cells = object.cells.iter().filter(|cell| is_of(&cell.value));
            widest = cells.map(|cell| 8 * u32::from(cell.len)).fold(widest, u32::max);
        }
        (widest < 64).then_some(widest)
    }
}
