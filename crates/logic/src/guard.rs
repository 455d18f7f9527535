//! Guards of transitions: disjunctions of cubes, which are conjunctions of literals over the atoms of one state.
//!
//! A letter says which atoms are true, one bit each. A cube is two masks, so testing it costs two instructions;
//! that is also why there are at most [`MAX_ATOMS`] atoms.

use std::fmt;

use unpick_base::id::Id;

use crate::formula::AtomId;

/// The number of different atoms that automata and words can tell apart.
pub const MAX_ATOMS: usize = 64;

/// Which atoms are true in a state: bit `n` belongs to the atom with number `n`.
pub type Letter = u64;

/// A conjunction of literals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// Atoms that must be true.
    pub positive: Letter,
    /// Atoms that must be false.
    pub negative: Letter,
}

impl Cube {
    /// The cube without literals.
    pub const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// The cube of one literal; `atom` must be below [`MAX_ATOMS`].
    pub fn literal(atom: AtomId, positive: bool) -> Self {
        let bit = 1 << atom.index();
        if positive { Self { positive: bit, negative: 0 } } else { Self { positive: 0, negative: bit } }
    }

    /// Whether the letter fulfils all literals.
    pub fn holds(self, letter: Letter) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }

    /// The conjunction; `None` if the cubes contradict each other.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether every letter of this cube is one of `other`.
    pub fn implies(self, other: Cube) -> bool {
        other.positive & !self.positive == 0 && other.negative & !self.negative == 0
    }

    /// Some letter that fulfils the cube.
    pub fn letter(self) -> Letter {
        self.positive
    }

    /// The literals in the order of their atoms.
    pub fn literals(self) -> impl Iterator<Item = (AtomId, bool)> {
        (0..MAX_ATOMS).filter_map(move |atom| {
            let bit = 1 << atom;
            let positive = self.positive & bit != 0;
            (positive || self.negative & bit != 0).then(|| (AtomId::from_index(atom), positive))
        })
    }

    fn mentions(self) -> Letter {
        self.positive | self.negative
    }
}

/// A disjunction of cubes; none of them implies another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard {
    cubes: Vec<Cube>,
}

impl Guard {
    /// The guard every letter fulfils.
    pub fn truth() -> Self {
        Self { cubes: vec![Cube::TRUE] }
    }

    /// The disjunction of the cubes, simplified.
    pub fn new(cubes: impl IntoIterator<Item = Cube>) -> Self {
        let mut guard = Self { cubes: Vec::new() };
        for cube in cubes {
            guard.add(cube);
        }
        guard.cubes.sort_unstable();
        guard
    }

    /// The cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether the letter fulfils some cube.
    pub fn holds(&self, letter: Letter) -> bool {
        self.cubes.iter().any(|cube| cube.holds(letter))
    }

    /// Whether every letter fulfils it.
    pub fn is_true(&self) -> bool {
        covers(&self.cubes, Cube::TRUE)
    }

    /// The disjunction of both.
    pub fn or(&self, other: &Guard) -> Guard {
        Guard::new(self.cubes.iter().chain(&other.cubes).copied())
    }

    /// Shows the guard as an expression of C or Promela; `names` gives the text of atoms, which is put in
    /// parentheses.
    pub fn display<'a>(&'a self, names: &'a dyn Fn(AtomId) -> String) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            if self.cubes.is_empty() {
                return f.write_str("false");
            }
            for (at, cube) in self.cubes.iter().enumerate() {
                if at > 0 {
                    f.write_str(" || ")?;
                }
                let alone = self.cubes.len() == 1 || cube.mentions().count_ones() < 2;
                f.write_str(if alone { "" } else { "(" })?;
                if *cube == Cube::TRUE {
                    f.write_str("true")?;
                }
                for (at, (atom, positive)) in cube.literals().enumerate() {
                    f.write_str(if at > 0 { " && " } else { "" })?;
                    write!(f, "{}({})", if positive { "" } else { "!" }, names(atom))?;
                }
                f.write_str(if alone { "" } else { ")" })?;
            }
            Ok(())
        })
    }

    /// Adds a cube, joining it with others: `a & b` and `a & !b` make `a`; `a` and `!a & b` make `a` and `b`.
    fn add(&mut self, mut cube: Cube) {
        loop {
            if self.cubes.iter().any(|other| cube.implies(*other)) {
                return;
            }
            let shorter = cube.literals().map(|(atom, positive)| without(cube, atom, positive)).find(|shorter| {
                // Leaving out a literal is right if what it kept out is there already.
                let literal = cube.mentions() & !shorter.mentions();
                let opposite = Cube {
                    positive: shorter.positive | (literal & cube.negative),
                    negative: shorter.negative | (literal & cube.positive),
                };
                covers(&self.cubes, opposite)
            });
            match shorter {
                Some(shorter) => cube = shorter,
                None => break,
            }
        }
        self.cubes.retain(|other| !other.implies(cube));
        self.cubes.push(cube);
        self.reconsider(cube);
    }

    /// The newcomer may shorten an older cube.
    fn reconsider(&mut self, newcomer: Cube) {
        let shortened = self.cubes.iter().position(|old| {
            *old != newcomer
                && old.literals().any(|(atom, positive)| {
                    let rest = without(*old, atom, positive);
                    rest.and(Cube::literal(atom, !positive)).is_some_and(|opposite| covers(&self.cubes, opposite))
                })
        });
        if let Some(at) = shortened {
            let old = self.cubes.swap_remove(at);
            self.add(old);
        }
    }
}

fn without(cube: Cube, atom: AtomId, positive: bool) -> Cube {
    let literal = Cube::literal(atom, positive);
    Cube { positive: cube.positive & !literal.positive, negative: cube.negative & !literal.negative }
}

/// Whether every letter of `cube` is in one of `cubes`, decided by splitting on an atom of a cube that meets it.
pub(crate) fn covers(cubes: &[Cube], cube: Cube) -> bool {
    if cubes.iter().any(|other| cube.implies(*other)) {
        return true;
    }
    let meeting: Vec<Cube> = cubes.iter().copied().filter(|other| cube.and(*other).is_some()).collect();
    let Some(free) = meeting.iter().map(|other| other.mentions() & !cube.mentions()).find(|free| *free != 0) else {
        return false;
    };
    let bit = free & free.wrapping_neg();
    covers(&meeting, Cube { positive: cube.positive | bit, ..cube })
        && covers(&meeting, Cube { negative: cube.negative | bit, ..cube })
}

impl fmt::Display for Cube {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Cube::TRUE {
            return f.write_str("true");
        }
        for (at, (atom, positive)) in self.literals().enumerate() {
            let between = if at > 0 { " & " } else { "" };
            write!(f, "{between}{}{atom:?}", if positive { "" } else { "!" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cubes.is_empty() {
            return f.write_str("false");
        }
        for (at, cube) in self.cubes.iter().enumerate() {
            write!(f, "{}{cube}", if at > 0 { " | " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Cube {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
