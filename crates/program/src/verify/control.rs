//! Rules about control flow: loop heads and indirect jumps.

use std::collections::BTreeSet;

use super::Faults;
use crate::program::*;
use crate::visit::{addresses, successors};

/// Removes blocks without predecessors repeatedly, ignoring edges into loop heads; what remains lies
/// on a cycle without a head, or behind one.
pub(super) fn check_loops(function: &Function, faults: &mut Faults) {
    let mut n_before = vec![0u32; function.blocks.len()];
    let each_edge = |block: &Block, n_before: &mut Vec<u32>, visit: &mut dyn FnMut(usize, &mut Vec<u32>)| {
        successors(&block.terminator, |target| {
            if function.blocks.get(target).is_some_and(|target| target.loop_head.is_none()) {
                visit(target.0 as usize, n_before);
            }
        });
    };
    for block in function.blocks.iter() {
        each_edge(block, &mut n_before, &mut |target, n_before| n_before[target] += 1);
    }
    let mut ready: Vec<usize> = (0..n_before.len()).filter(|block| n_before[*block] == 0).collect();
    while let Some(block) = ready.pop() {
        each_edge(&function.blocks.as_slice()[block], &mut n_before, &mut |target, n_before| {
            n_before[target] -= 1;
            if n_before[target] == 0 {
                ready.push(target);
            }
        });
    }
    if let Some(block) = n_before.iter().position(|n_before| *n_before > 0) {
        faults.block = Some(BlockId(block as u32));
        faults.add("loop", format!("b{block} lies on or behind a cycle of control without a loop head"));
        faults.block = None;
    }
}

/// An indirect jump has to list every label of its function that anything in the program takes the address of.
pub(super) fn check_indirect(program: &Program, faults: &mut Faults) {
    let mut taken: Vec<BTreeSet<BlockId>> = vec![BTreeSet::new(); program.functions.len()];
    let mut take = |address| match address {
        Address::Label(function, block) => {
            if let Some(blocks) = taken.get_mut(function.0 as usize) {
                blocks.insert(block);
            }
        }
        Address::Global(..) | Address::Func(_) => {}
    };
    program.globals.iter().for_each(|global| global.init.pointers.iter().for_each(|(_, address)| take(*address)));
    program.functions.iter().for_each(|function| addresses(function, &mut take));
    for ((id, function), taken) in program.functions.iter_enumerated().zip(&taken) {
        for (block_id, block) in function.blocks.iter_enumerated() {
            let Terminator::IndirectGoto { targets, .. } = &block.terminator else { continue };
            let listed: BTreeSet<BlockId> = targets.iter().copied().collect();
            faults.function = Some(id);
            faults.block = Some(block_id);
            faults.stmt = Some(block.stmts.len());
            faults.require("indirect", listed.len() == targets.len(), || "a target is listed twice".into());
            if let Some(missing) = taken.difference(&listed).next() {
                faults.add("indirect", format!("the address of {missing:?} is taken but it is not a target"));
            }
        }
    }
    faults.function = None;
    faults.block = None;
    faults.stmt = None;
}
