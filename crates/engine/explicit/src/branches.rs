//! Branching statistics: which choices a search that did not end spent most of its branches on.

use std::collections::HashMap;

use unpick_program::{Loc, Program};
use unpick_system::{Brancher, Site};

/// So many places are told.
const N_TOLD: usize = 3;

/// How often executions parted, by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branches {
    places: HashMap<Loc, (String, u64)>,
}

impl Branches {
    /// Executions part once more.
    pub(crate) fn note(&mut self, what: &str, loc: Loc) {
        self.places.entry(loc).or_insert_with(|| (what.to_owned(), 0)).1 += 1;
    }

    /// The places where they part most, the greatest first.
    pub(crate) fn most(&self, program: &Program) -> Vec<Brancher> {
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_by_key(|(loc, (_, n_branches))| (std::cmp::Reverse(*n_branches), **loc));
        places.truncate(N_TOLD);
        let told = places.into_iter().map(|(loc, (what, n_branches))| Brancher {
            what: what.clone(),
            site: Site::new(program, *loc),
            n_branches: *n_branches,
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_program::FileId;

    #[test]
    fn the_greatest_come_first() {
        let mut branches = Branches::default();
        let mut program = Program::default();
        program.files.push("a.c".to_owned());
        let at = |line| Loc { file: FileId(0), line, column: 0 };
        for (line, times) in [(1, 2), (2, 5), (3, 1), (4, 5)] {
            (0..times).for_each(|_| branches.note("input", at(line)));
        }
        let lines: Vec<u32> = branches.most(&program).iter().map(|place| place.site.line).collect();
        assert_eq!(lines, [2, 4, 1]);
        assert_eq!(branches.most(&program)[0].n_branches, 5);
    }
}
