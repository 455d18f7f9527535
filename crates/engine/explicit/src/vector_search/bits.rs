//! A bit matrix that grows in both dimensions.

/// Rows of bits.
#[derive(Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// Words of a row.
    n_words: usize,
}

impl Bits {
    /// Whether a table of so many rows and columns is more than should be made.
    pub(super) fn is_too_large(n_rows: usize, n_columns: usize) -> bool {
        n_rows.saturating_mul(n_columns) > u32::MAX as usize
    }

    /// Makes room for so many rows and columns; what is there stays.
    pub(super) fn grow(&mut self, n_rows: usize, n_columns: usize) {
        let needed = n_columns.div_ceil(64).max(1);
        if needed > self.n_words {
            let n_words = needed.next_power_of_two();
            let mut words = vec![0; n_words * n_rows];
            if self.n_words > 0 {
                for (to, from) in words.chunks_exact_mut(n_words).zip(self.words.chunks_exact(self.n_words)) {
                    to[..self.n_words].copy_from_slice(from);
                }
            }
            (self.words, self.n_words) = (words, n_words);
        }
        self.words.resize(n_rows * self.n_words, 0);
    }

    pub(super) fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.n_words + column / 64] |= 1 << (column % 64);
    }

    #[inline]
    pub(super) fn has(&self, row: usize, column: usize) -> bool {
        self.words[row * self.n_words + column / 64] >> (column % 64) & 1 != 0
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.n_words..][..self.n_words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stay_while_the_table_grows() {
        let mut bits = Bits::default();
        bits.grow(2, 3);
        bits.set(1, 2);
        bits.grow(5, 200);
        bits.set(4, 199);
        let set: Vec<(usize, usize)> = (0..5)
            .flat_map(|row| (0..200).map(move |column| (row, column)))
            .filter(|at| bits.has(at.0, at.1))
            .collect();
        assert_eq!(set, [(1, 2), (4, 199)]);
        assert_eq!(bits.row(1)[0], 4);
    }
}
