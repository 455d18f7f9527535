//! Exploration order of threads and values: as they come, or a permutation for each seed.
//!
//! Whatever the order, everything is tried unless the search ends before, so the verdict does not depend on it.
//! Which violation is met first does.

/// Gives orders; the same seed gives the same ones in the same search.
pub(crate) struct Order {
    seed: Option<u64>,
    n_asked: u64,
}

impl Order {
    /// Without a seed everything stays in the order in which it comes.
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self { seed, n_asked: 0 }
    }

    /// Puts threads into an order.
    pub(crate) fn arrange(&mut self, threads: &mut [usize]) {
        let Some(mut draw) = self.draw() else { return };
        for left in (2..=threads.len()).rev() {
            threads.swap(left - 1, (draw % left as u64) as usize);
            draw = mix(draw);
        }
    }

    /// Which of so many values is the first; the others follow in a circle.
    pub(crate) fn first_of(&mut self, n_options: u128) -> u128 {
        self.draw().map_or(0, |draw| u128::from(draw) % n_options.max(1))
    }

    fn draw(&mut self) -> Option<u64> {
        let seed = self.seed?;
        self.n_asked += 1;
        Some(mix(mix(seed) ^ self.n_asked))
    }
}

/// The finaliser of splitmix64: every bit of the result depends on every bit of the number.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(seed: Option<u64>) -> Vec<Vec<usize>> {
        let mut order = Order::new(seed);
        let arranged = |_| {
            let mut threads = vec![3, 0, 1, 2];
            order.arrange(&mut threads);
            threads
        };
        (0..200).map(arranged).collect()
    }

    #[test]
    fn a_seed_means_one_sequence_of_all_orders() {
        assert_eq!(orders(Some(1)), orders(Some(1)));
        assert_ne!(orders(Some(1)), orders(Some(2)));
        let different: std::collections::BTreeSet<Vec<usize>> = orders(Some(1)).into_iter().collect();
        assert_eq!(different.len(), 24);
        assert!(orders(None).iter().all(|threads| *threads == [3, 0, 1, 2]));
    }

    #[test]
    fn every_value_is_first_some_time() {
        let mut order = Order::new(Some(5));
        let firsts: std::collections::BTreeSet<u128> = (0..100).map(|_| order.first_of(5)).collect();
        assert_eq!(firsts.len(), 5);
        assert_eq!(Order::new(None).first_of(5), 0);
    }
}
