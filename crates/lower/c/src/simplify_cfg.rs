//! Simplification of the control-flow graph: removes unreachable blocks and jumps to jumps.

use unpick_base::{IdVec, id::Id as _};
use unpick_program::program::{Address, Block, BlockId, FuncId, Function, Operand, Terminator};

use unpick_program::visit;

/// Renumbers the blocks; the result says where each old block went. Blocks in `roots` are kept, because
/// their addresses are taken.
pub(super) fn simplify(func: &mut Function, id: FuncId, roots: impl Iterator<Item = BlockId>) -> Vec<Option<BlockId>> {
    let roots: Vec<BlockId> = roots.collect();
    thread_jumps(func, &roots);
    let order = reachable(func, &roots);
    let mut kept = vec![None; func.blocks.len()];
    for (new, old) in order.iter().enumerate() {
        kept[old.index()] = Some(BlockId::from_index(new));
    }
    let mut old_blocks: Vec<Option<Block>> =
        std::mem::take(&mut func.blocks).iter_mut().map(|block| Some(take(block))).collect();
    let blocks = order.iter().map(|old| old_blocks[old.index()].take().expect("each block should be kept once"));
    let mut blocks: IdVec<BlockId, Block> = blocks.collect();
    for block in blocks.iter_mut() {
        for_targets(&mut block.terminator, &mut |target| {
            *target = kept[target.index()].expect("a target should be reachable");
        });
        renumber_labels(block, id, &kept);
    }
    func.blocks = blocks;
    kept
}

fn take(block: &mut Block) -> Block {
    Block {
        stmts: std::mem::take(&mut block.stmts),
        terminator: std::mem::replace(&mut block.terminator, Terminator::Unreachable),
        loc: block.loc,
        loop_head: block.loop_head,
    }
}

/// Follows chains of empty blocks. A chain that closes on itself stays as it is.
fn thread_jumps(func: &mut Function, roots: &[BlockId]) {
    let forward: Vec<BlockId> = func
        .blocks
        .iter_enumerated()
        .map(|(id, block)| match &block.terminator {
            Terminator::Goto(target) if block.stmts.is_empty() && block.loop_head.is_none() && !roots.contains(&id) => {
                *target
            }
            _other => id,
        })
        .collect();
    let ends = chain_ends(&forward);
    for block in func.blocks.iter_mut() {
        for_targets(&mut block.terminator, &mut |target| *target = ends[target.index()]);
    }
}

/// Where each chain ends; blocks of a closed chain stay where they are.
fn chain_ends(forward: &[BlockId]) -> Vec<BlockId> {
    let mut ends: Vec<Option<BlockId>> = vec![None; forward.len()];
    for start in 0..forward.len() {
        let mut path = Vec::new();
        let mut at = BlockId::from_index(start);
        let end = loop {
            if let Some(end) = ends[at.index()] {
                break end;
            }
            path.push(at);
            // A provisional end, so that a chain which closes on itself stops here.
            ends[at.index()] = Some(at);
            let next = forward[at.index()];
            if next == at {
                break at;
            }
            at = next;
        };
        for block in path {
            ends[block.index()] = Some(end);
        }
    }
    ends.into_iter().map(|end| end.expect("every chain should have an end")).collect()
}

/// Blocks reachable from the entry or a root, in order of their numbers (which follow the source).
fn reachable(func: &mut Function, roots: &[BlockId]) -> Vec<BlockId> {
    let mut is_seen = vec![false; func.blocks.len()];
    let mut pending = vec![BlockId(0)];
    pending.extend_from_slice(roots);
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut is_seen[block.index()], true) {
            continue;
        }
        for_targets(&mut func.blocks[block].terminator, &mut |target| pending.push(*target));
    }
    func.blocks.ids().filter(|block| is_seen[block.index()]).collect()
}

fn for_targets(terminator: &mut Terminator, visit: &mut dyn FnMut(&mut BlockId)) {
    match terminator {
        Terminator::Goto(target) => visit(target),
        Terminator::Branch { then, otherwise, .. } => {
            visit(then);
            visit(otherwise);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|(_, _, target)| visit(target));
            visit(default);
        }
        Terminator::IndirectGoto { targets, .. } => targets.iter_mut().for_each(visit),
        Terminator::Return(_) | Terminator::Exit { .. } | Terminator::EndThread | Terminator::Unreachable => {}
    }
}

fn renumber_labels(block: &mut Block, id: FuncId, kept: &[Option<BlockId>]) {
    let mut renumber = |operand: &mut Operand| {
        if let Operand::Address(Address::Label(func, block)) = operand
            && *func == id
        {
            *block = kept[block.index()].expect("a label whose address is taken should be kept");
        }
    };
    for stmt in &mut block.stmts {
        visit::operands_mut(&mut stmt.kind, &mut renumber);
    }
    visit::terminator_operands_mut(&mut block.terminator, &mut renumber);
}
