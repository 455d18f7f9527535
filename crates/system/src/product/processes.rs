//! Sets of processes: one bit for each number a process can have.

/// A set of processes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Processes([u64; 4]);

impl Processes {
    /// All that there could be.
    pub const ALL: Processes = Processes([u64::MAX; 4]);

    /// Adds a process.
    pub fn insert(&mut self, process: u8) {
        self.0[usize::from(process >> 6)] |= 1 << (process & 63);
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: Processes) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own |= other;
        }
    }

    /// Whether a process is in it.
    pub fn contains(&self, process: u8) -> bool {
        self.0[usize::from(process >> 6)] >> (process & 63) & 1 == 1
    }

    /// Whether all of another set are in it.
    pub fn contains_all(&self, other: Processes) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| other & !own == 0)
    }

    /// Those that are in both.
    #[must_use]
    pub fn common(self, other: Processes) -> Processes {
        Processes(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// All that are not in it.
    #[must_use]
    pub fn complement(self) -> Processes {
        Processes(self.0.map(|word| !word))
    }
}

impl FromIterator<u8> for Processes {
    fn from_iter<I: IntoIterator<Item = u8>>(processes: I) -> Self {
        let mut set = Processes::default();
        processes.into_iter().for_each(|process| set.insert(process));
        set
    }
}
