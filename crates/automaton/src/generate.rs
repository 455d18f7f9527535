//! Random well-formed models for tests, reproducible by seed.
//!
//! They use every kind of step and expression except C, with values that go wrong now and then, and are not meant to do
//! anything sensible. Loops inside a `d_step` count down, so that none goes on for ever.

mod expr;
mod frame;
mod process;

use std::sync::Arc;

use unpick_base::Span;

use super::{ChannelTypeId, Claim, Model, Place, ProctypeId, Scope};

/// The model of a seed.
pub fn model(seed: u64) -> Model {
    let mut generator = Generator { random: Random(seed), model: Model::default(), declared: Declared::default() };
    generator.model();
    generator.model
}

/// Random numbers: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below a limit, or 0.
    fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    /// One time in so many.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A variable that can be named; arrays have one index.
#[derive(Clone, Debug)]
struct Variable {
    scope: Scope,
    offset: u32,
    scalar: super::Scalar,
    /// How many, if it is an array.
    count: Option<u32>,
    /// It is meant to hold the number of a channel.
    is_channel: bool,
    /// The type of the channel that it is made with.
    made_with: Option<ChannelTypeId>,
}

/// What has been decided about a model so far.
#[derive(Default)]
struct Declared {
    globals: Vec<Variable>,
    /// Of each process type.
    locals: Vec<Vec<Variable>>,
    /// How many locations each process type has.
    n_locations: Vec<usize>,
}

struct Generator {
    random: Random,
    model: Model,
    declared: Declared,
}

impl Generator {
    fn model(&mut self) {
        self.model.has_last = self.random.once_in(8);
        self.model.has_priority = self.random.once_in(8);
        self.model.undoes = self.random.once_in(4);
        for _ in 0..self.random.below(3) {
            let names = ["red", "green", "with space"].into_iter().take(self.random.below(4)).map(Arc::from).collect();
            self.model.mtypes.push((if self.random.once_in(2) { "" } else { "colour" }.into(), names));
        }
        self.channel_types();
        self.globals();
        let n_proctypes = 1 + self.random.below(4);
        for _ in 0..n_proctypes {
            self.proctype_head();
        }
        for id in self.model.proctypes.ids() {
            self.proctype_body(id);
        }
        for _ in 0..1 + self.random.below(3) {
            let proctype = ProctypeId(self.random.below(n_proctypes) as u32);
            self.model.start.push((proctype, 1 + self.random.below(3) as u8));
        }
        if self.random.once_in(3) {
            let (automaton, span) = (self.claim(), self.span());
            let formula = self.random.once_in(2).then(|| "[] \"p\" -> <> q".into());
            let is_stutter_invariant = self.random.once_in(2);
            let name = self.name().into();
            self.model.claims.push(Claim { name, formula, automaton, is_stutter_invariant, span });
        }
        if self.random.once_in(12) {
            let is_negated = self.random.once_in(2);
            let automaton = self.trace();
            self.model.traces.push((is_negated, automaton));
        }
    }

    fn span(&mut self) -> Span {
        match self.random.below(4) {
            0 => Span::NONE,
            _ => {
                let lo = self.random.below(1_000) as u32;
                Span { lo, hi: lo + self.random.below(20) as u32 }
            }
        }
    }

    fn name(&mut self) -> &'static str {
        self.random.pick(&["x", "run", "a[0].b", ":init:", "", "größe \u{85}", "\"\\\n", "p0", "9", "end"])
    }
}

/// A place without indices.
fn plain(variable: &Variable) -> Place {
    Place { scope: variable.scope, offset: variable.offset, indices: Vec::new(), scalar: variable.scalar }
}
