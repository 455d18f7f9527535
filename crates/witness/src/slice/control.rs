//! Which branches decide whether a block is executed, and which could have assigned a variable.
//!
//! A block depends on a branch if one way from the branch always leads to the block and another one need not. The ways
//! are those of the control flow graph to the end of the function; a loop without an exit is given one at its head.

use std::collections::HashMap;

use unpick_base::id::{Id as _, IdVec};
use unpick_ir::{Address, BlockId, Function, GlobalId, Operand, RegId, SlotId, StmtKind, visit};

/// What the control flow of a function says.
pub(super) struct Flow {
    /// For each block the branches that decide about it.
    pub deciders: IdVec<BlockId, Vec<BlockId>>,
    /// For each variable the branches that decide whether it is assigned. What a branch does not do can be why
    /// something fails, as with a variable that only one way initialises.
    pub assigners: HashMap<Variable, Vec<BlockId>>,
}

/// What an instruction names directly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(super) enum Variable {
    Register(RegId),
    Slot(SlotId),
    Global(GlobalId),
}

impl Variable {
    fn at(addr: &Operand) -> Option<Variable> {
        match addr {
            Operand::Slot(slot) => Some(Variable::Slot(*slot)),
            Operand::Address(Address::Global(global, _)) => Some(Variable::Global(*global)),
            Operand::Reg(_) | Operand::Bits(..) | Operand::Null | Operand::Address(_) | Operand::Undef(_) => None,
        }
    }

    /// The variable in memory that an instruction reads.
    pub fn read_by(stmt: &StmtKind) -> Option<Variable> {
        if let StmtKind::Load { addr, .. } | StmtKind::LoadBits { addr, .. } = stmt { Self::at(addr) } else { None }
    }

    fn written_by(stmt: &StmtKind) -> Vec<Variable> {
        let mut written = Vec::new();
        visit::written(stmt, |reg| written.push(Variable::Register(*reg)));
        if let StmtKind::Store { addr, .. } | StmtKind::StoreBits { addr, .. } = stmt {
            written.extend(Self::at(addr));
        }
        written
    }
}

impl Flow {
    pub fn new(function: &Function) -> Flow {
        let deciders = deciders(function);
        let mut assigners: HashMap<Variable, Vec<BlockId>> = HashMap::new();
        for (block, body) in function.blocks.iter_enumerated() {
            for variable in body.stmts.iter().flat_map(|stmt| Variable::written_by(&stmt.kind)) {
                let list = assigners.entry(variable).or_default();
                list.extend(
                    deciders[block].iter().filter(|branch| !list.contains(branch)).copied().collect::<Vec<_>>(),
                );
            }
        }
        Flow { deciders, assigners }
    }
}

fn deciders(function: &Function) -> IdVec<BlockId, Vec<BlockId>> {
    let graph = Graph::new(function);
    let after = graph.post_dominators();
    let mut deciders: IdVec<BlockId, Vec<BlockId>> = function.blocks.iter().map(|_| Vec::new()).collect();
    for (branch, targets) in graph.next.iter().enumerate().filter(|(_, targets)| targets.len() > 1) {
        for target in targets {
            let mut at = *target;
            while at != after[branch] && at != graph.end {
                let list = &mut deciders[BlockId::from_index(at)];
                if !list.contains(&BlockId::from_index(branch)) {
                    list.push(BlockId::from_index(branch));
                }
                at = after[at];
            }
        }
    }
    deciders
}

/// The graph with one end behind all ends.
struct Graph {
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    end: usize,
}

impl Graph {
    fn new(function: &Function) -> Graph {
        let end = function.blocks.len();
        let mut next: Vec<Vec<usize>> = Vec::new();
        for block in function.blocks.iter() {
            let mut targets = Vec::new();
            visit::successors(&block.terminator, |target| targets.push(target.index()));
            targets.sort_unstable();
            targets.dedup();
            if targets.is_empty() {
                targets.push(end);
            }
            next.push(targets);
        }
        next.push(Vec::new());
        let mut graph = Graph { before: Vec::new(), next, end };
        graph.turn_round();
        // The last stuck block of a loop is the one to leave it from: heads come first.
        while let Some(stuck) = graph.stuck() {
            graph.next[stuck].push(end);
            graph.turn_round();
        }
        graph
    }

    fn turn_round(&mut self) {
        self.before = vec![Vec::new(); self.next.len()];
        for (from, targets) in self.next.iter().enumerate() {
            for target in targets {
                self.before[*target].push(from);
            }
        }
    }

    /// A block from which the end is out of reach.
    fn stuck(&self) -> Option<usize> {
        let order = self.backwards();
        (0..self.end).find(|block| !order.contains(block))
    }

    /// The blocks in an order in which each comes after one of those that follow it, beginning with the end.
    fn backwards(&self) -> Vec<usize> {
        let mut is_seen = vec![false; self.next.len()];
        let mut order = Vec::new();
        let mut open = vec![(self.end, 0)];
        is_seen[self.end] = true;
        while let Some((block, at)) = open.pop() {
            match self.before[block].get(at) {
                Some(earlier) => {
                    open.push((block, at + 1));
                    if !std::mem::replace(&mut is_seen[*earlier], true) {
                        open.push((*earlier, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }

    /// For each block the next one that all ways from it to the end pass.
    fn post_dominators(&self) -> Vec<usize> {
        let order = self.backwards();
        let mut rank = vec![usize::MAX; self.next.len()];
        for (at, block) in order.iter().enumerate() {
            rank[*block] = at;
        }
        let mut after = vec![usize::MAX; self.next.len()];
        after[self.end] = self.end;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for block in order.iter().skip(1) {
                let known = self.next[*block].iter().copied().filter(|target| after[*target] != usize::MAX);
                let met = known.reduce(|left, right| meet(&after, &rank, left, right));
                if let Some(met) = met.filter(|met| after[*block] != *met) {
                    after[*block] = met;
                    has_changed = true;
                }
            }
        }
        after
    }
}

fn meet(after: &[usize], rank: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        if rank[left] > rank[right] {
            left = after[left];
        } else {
            right = after[right];
        }
    }
    left
}
