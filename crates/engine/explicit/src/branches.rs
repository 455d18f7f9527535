//! Where executions part most: what to say when a search does not come to its end.

use std::collections::HashMap;

use unpick_ir::Loc;
use unpick_system::Brancher;

/// So many places are told.
const N_TOLD: usize = 3;

/// How often executions parted, by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branches {
    places: HashMap<Loc, Brancher>,
}

impl Branches {
    /// Executions part once more.
    pub(crate) fn note(&mut self, what: &str, loc: Loc) {
        let new = || Brancher { what: what.to_owned(), loc, n_branches: 0 };
        self.places.entry(loc).or_insert_with(new).n_branches += 1;
    }

    /// The places where they part most, the greatest first.
    pub(crate) fn most(&self) -> Vec<Brancher> {
        let mut places: Vec<Brancher> = self.places.values().cloned().collect();
        places.sort_by_key(|place| (std::cmp::Reverse(place.n_branches), place.loc));
        places.truncate(N_TOLD);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_come_first() {
        let mut branches = Branches::default();
        let at = |line| Loc { line, ..Loc::NONE };
        for (line, times) in [(1, 2), (2, 5), (3, 1), (4, 5)] {
            (0..times).for_each(|_| branches.note("input", at(line)));
        }
        let lines: Vec<u32> = branches.most().iter().map(|place| place.loc.line).collect();
        assert_eq!(lines, [2, 4, 1]);
        assert_eq!(branches.most()[0].n_branches, 5);
    }
}
