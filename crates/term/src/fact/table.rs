//! Where facts are kept: a number for each node, and facts only where something is known, in half the room for 64 bits and
//! less.

use super::Fact;

/// The facts of all nodes.
pub(crate) struct FactTable {
    /// For each node the number of its fact: 0 for none, odd for narrow ones.
    numbers: Vec<u32>,
    narrow: Vec<[u64; 8]>,
    wide: Vec<Fact>,
}

impl FactTable {
    pub fn new() -> FactTable {
        FactTable { numbers: Vec::new(), narrow: Vec::new(), wide: Vec::new() }
    }

    /// Adds the fact of the next node.
    pub fn push(&mut self, fact: Option<Fact>) {
        let Some(fact) = fact.filter(|fact| *fact != Fact::unknown(fact.width)) else {
            self.numbers.push(0);
            return;
        };
        let (index, kind) = if fact.width <= 64 {
            let Fact { zeros, ones, umin, umax, smin, smax, stride, residue, .. } = fact;
            let words = [zeros, ones, umin, umax, smin as u128, smax as u128, stride, residue];
            self.narrow.push(words.map(|word| word as u64));
            (self.narrow.len(), 1)
        } else {
            self.wide.push(fact);
            (self.wide.len(), 0)
        };
        self.numbers.push((index as u32) << 1 | kind);
    }

    /// The fact of a node, if something is known.
    pub fn get(&self, node: usize, width: u32) -> Option<Fact> {
        let number = self.numbers[node];
        let index = (number >> 1) as usize;
        match number {
            0 => None,
            _ if number & 1 == 0 => Some(self.wide[index - 1]),
            _ => {
                let [zeros, ones, umin, umax, smin, smax, stride, residue] = self.narrow[index - 1];
                let [zeros, ones, umin, umax, stride, residue] =
                    [zeros, ones, umin, umax, stride, residue].map(u128::from);
                let (smin, smax) = (i128::from(smin as i64), i128::from(smax as i64));
                Some(Fact { width, zeros, ones, umin, umax, smin, smax, stride, residue })
            }
        }
    }

    /// Bytes held, vectors at their capacity.
    pub fn n_bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<u32>()
            + self.narrow.capacity() * size_of::<[u64; 8]>()
            + self.wide.capacity() * size_of::<Fact>()
    }
}
