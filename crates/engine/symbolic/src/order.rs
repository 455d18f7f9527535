//! Positions: where a state stands in a function, with the iterations of the loops around it, in a weak topological order
//! (Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993).
//!
//! A position is the list of (head, iteration) of the loops around a block, from the outermost, and the block, each by its
//! number in reverse postorder. The smallest position goes first: so all ways to a block are known when it is its turn, an
//! iteration is over before the next one, and a loop before what lies behind it. The order matters for joins alone; any
//! other would be as right.

use unpick_base::IdVec;
use unpick_program::analysis::{LoopForest, LoopId};
use unpick_program::{BlockId, FuncId, Function, visit};

/// A place in the unrolled graph of an activation, ordered as it is executed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Position(Vec<u32>);

/// The order of one function's blocks.
pub(crate) struct BlockOrder {
    /// Numbers in reverse postorder.
    rank: IdVec<BlockId, u32>,
}

/// A block with the iterations of the loops around it, from the outermost.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) block: BlockId,
    /// The next instruction.
    pub(crate) index: usize,
    pub(crate) loops: Vec<(LoopId, u32)>,
    /// The call at the next instruction goes to this function: one of several ways, with a number of its own, so that it is
    /// not joined with the others.
    pub(crate) callee: Option<(u32, FuncId)>,
}

impl Place {
    /// The beginning of a function.
    pub(crate) fn entry(forest: &LoopForest) -> Place {
        let block = BlockId(0);
        Place { block, index: 0, loops: around(forest, block).into_iter().map(|id| (id, 0)).collect(), callee: None }
    }

    /// Behind an edge.
    pub(crate) fn follow(&self, forest: &LoopForest, target: BlockId) -> Place {
        let loops = around(forest, target).into_iter().map(|id| {
            let known = self.loops.iter().find(|(other, _)| *other == id);
            let iteration = known.map_or(0, |(_, iteration)| iteration + u32::from(forest.get(id).head == target));
            (id, iteration)
        });
        Place { block: target, index: 0, loops: loops.collect(), callee: None }
    }

    /// The loop whose head this is, and how often it has come round.
    pub(crate) fn iteration(&self, forest: &LoopForest) -> Option<(LoopId, u32)> {
        let id = forest.of_head(self.block)?;
        self.loops.iter().find(|(other, _)| *other == id).copied()
    }
}

/// Loops around a block, from the outermost.
fn around(forest: &LoopForest, block: BlockId) -> Vec<LoopId> {
    let mut loops: Vec<LoopId> = std::iter::successors(forest.innermost(block), |id| forest.get(*id).parent).collect();
    loops.reverse();
    loops
}

impl BlockOrder {
    pub(crate) fn new(function: &Function) -> BlockOrder {
        let mut rank: IdVec<BlockId, u32> = function.blocks.iter().map(|_| u32::MAX).collect();
        let successors = |block: BlockId| {
            let mut all = Vec::new();
            visit::successors(&function.blocks[block].terminator, |target| all.push(target));
            all
        };
        let mut is_met: IdVec<BlockId, bool> = function.blocks.iter().map(|_| false).collect();
        let mut postorder = Vec::new();
        let mut stack = vec![(BlockId(0), successors(BlockId(0)), 0)];
        is_met[BlockId(0)] = true;
        while let Some((block, next, at)) = stack.last_mut() {
            let Some(target) = next.get(*at).copied() else {
                postorder.push(*block);
                stack.pop();
                continue;
            };
            *at += 1;
            if !std::mem::replace(&mut is_met[target], true) {
                stack.push((target, successors(target), 0));
            }
        }
        for (number, block) in postorder.into_iter().rev().enumerate() {
            rank[block] = number as u32;
        }
        BlockOrder { rank }
    }

    /// The position of a place.
    pub(crate) fn position(&self, forest: &LoopForest, place: &Place) -> Position {
        let mut position = Vec::with_capacity(2 * place.loops.len() + 3);
        for (id, iteration) in &place.loops {
            position.extend([self.rank[forest.get(*id).head], *iteration]);
        }
        position.extend([self.rank[place.block], place.index as u32, place.callee.map_or(0, |(number, _)| number)]);
        Position(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_base::id::Id as _;
    use unpick_program::text;

    #[test]
    fn iterations_come_before_what_lies_behind_the_loop() {
        let program = "pointer 8\nentry main\nfile 0 \"a.c\"\n\
            fn main() @0:1:1 {\n  reg r0: i1\nb0:\n  goto b1\nb1: loop @2:1\n  branch r0 ? b2 : b3\nb2:\n  goto b1\nb3:\n  return\n}\n";
        let program = text::parse(program).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let function = &program.functions[FuncId::from_index(0)];
        let (forest, order) = (LoopForest::new(function), BlockOrder::new(function));
        let head = Place::entry(&forest).follow(&forest, BlockId(1));
        let body = head.follow(&forest, BlockId(2));
        let again = body.follow(&forest, BlockId(1));
        let behind = head.follow(&forest, BlockId(3));
        assert_eq!(again.iteration(&forest).map(|(_, iteration)| iteration), Some(1));
        let positions: Vec<Position> =
            [&head, &body, &again, &behind].into_iter().map(|place| order.position(&forest, place)).collect();
        assert!(positions.is_sorted() && positions[1] < positions[2], "{positions:?}");
    }
}
