//! Tests of the analyses against their textbook definitions, on random control-flow graphs and random programs.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use unpick_base::id::Id as _;

use super::{Dominators, Liveness, LoopForest, PostDominators};
use crate::build::FunctionBuilder;
use crate::{BlockId, FuncId, Function, Operand, Program, RegId, StmtKind, Terminator, Ty, generate, visit};

/// A function whose blocks only jump: the targets of each block, none for an end.
fn jumps(targets: &[Vec<usize>]) -> Function {
    let mut function = FunctionBuilder::new("f");
    let (value, cond) = (function.new_reg(Ty::Int(32)), function.new_reg(Ty::Int(1)));
    (1..targets.len()).for_each(|_| {
        function.new_block();
    });
    for (block, targets) in targets.iter().enumerate() {
        function.switch_to(BlockId::from_index(block));
        let targets: Vec<BlockId> = targets.iter().map(|target| BlockId::from_index(*target)).collect();
        function.terminate(match targets[..] {
            [] => Terminator::Return(None),
            [only] => Terminator::Goto(only),
            [then, otherwise] => Terminator::Branch { cond: Operand::Reg(cond), then, otherwise },
            [default, ref cases @ ..] => {
                let cases = cases.iter().enumerate().map(|(at, target)| (at as u128, at as u128, *target)).collect();
                Terminator::Switch { value: Operand::Reg(value), ty: Ty::Int(32), cases, default }
            }
        });
    }
    function.finish()
}

fn next(function: &Function, block: BlockId) -> Vec<BlockId> {
    let mut next = Vec::new();
    visit::successors(&function.blocks[block].terminator, |target| next.push(target));
    next
}

/// What is reached from a block without entering a block that is not allowed; itself included if it is.
fn reached(function: &Function, from: BlockId, is_allowed: impl Fn(BlockId) -> bool) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        if is_allowed(block) && seen.insert(block) {
            open.extend(next(function, block));
        }
    }
    seen
}

fn check_dominators(function: &Function) {
    let dominators = Dominators::new(function);
    let entry = BlockId(0);
    let all = reached(function, entry, |_| true);
    for below in function.blocks.ids() {
        assert_eq!(dominators.is_reachable(below), all.contains(&below));
        let dominates = |above: BlockId| {
            all.contains(&below)
                && all.contains(&above)
                && !reached(function, entry, |block| block != above).contains(&below)
        };
        let above: BTreeSet<BlockId> = function.blocks.ids().filter(|above| dominates(*above)).collect();
        let found: BTreeSet<BlockId> =
            function.blocks.ids().filter(|above| dominators.dominates(*above, below)).collect();
        assert_eq!(found, above, "dominators of {below:?}");
        // The immediate one is dominated by all others.
        let immediate = above.iter().copied().find(|one| {
            *one != below && above.iter().all(|other| *other == below || dominators.dominates(*other, *one))
        });
        assert_eq!(dominators.immediate(below), immediate, "immediate dominator of {below:?}");
    }
}

fn check_post_dominators(function: &Function) {
    let found = PostDominators::new(function);
    // The edges to the end, as the definition has them.
    let mut ends: BTreeSet<BlockId> = function.blocks.ids().filter(|block| next(function, *block).is_empty()).collect();
    for block in function.blocks.ids() {
        if reached(function, block, |_| true).is_disjoint(&ends) {
            ends.insert(block);
        }
    }
    let post_dominates =
        |after: BlockId, before: BlockId| reached(function, before, |block| block != after).is_disjoint(&ends);
    for before in function.blocks.ids() {
        for after in function.blocks.ids() {
            assert_eq!(found.post_dominates(after, before), post_dominates(after, before), "{after:?} {before:?}");
        }
    }
    let dependences = found.control_dependences();
    for branch in function.blocks.ids() {
        let targets: BTreeSet<BlockId> = next(function, branch).into_iter().collect();
        let n_ways = targets.len() + usize::from(ends.contains(&branch));
        for block in function.blocks.ids() {
            let always = targets.iter().any(|target| post_dominates(block, *target));
            let depends = n_ways > 1 && always && (block == branch || !post_dominates(block, branch));
            assert_eq!(dependences[block].contains(&branch), depends, "{block:?} on {branch:?}");
        }
    }
}

/// The order of a depth-first walk with what each block has below it, as the definition says.
fn walk(function: &Function, block: BlockId, order: &mut Vec<BlockId>, below: &mut [BTreeSet<BlockId>]) {
    let first = order.len();
    order.push(block);
    for target in next(function, block) {
        if !order.contains(&target) {
            walk(function, target, order, below);
        }
    }
    below[block.index()] = order[first..].iter().copied().collect();
}

fn check_loops(function: &Function) {
    let forest = LoopForest::new(function);
    let mut order = Vec::new();
    let mut below = vec![BTreeSet::new(); function.blocks.len()];
    walk(function, BlockId(0), &mut order, &mut below);
    let mut n_loops = 0;
    for head in function.blocks.ids() {
        let below = &below[head.index()];
        let back_edges: Vec<BlockId> =
            below.iter().copied().filter(|block| next(function, *block).contains(&head)).collect();
        let found = forest.of_head(head);
        assert_eq!(found.is_some(), !back_edges.is_empty(), "{head:?} is a head");
        let Some(id) = found else { continue };
        n_loops += 1;
        let body: BTreeSet<BlockId> = below
            .iter()
            .copied()
            .filter(|block| reached(function, *block, |block| below.contains(&block)).contains(&head))
            .collect();
        let held: BTreeSet<BlockId> = function.blocks.ids().filter(|block| forest.contains(id, *block)).collect();
        assert_eq!(held, body, "body of the loop at {head:?}");
        let found = forest.get(id);
        assert_eq!((found.head, &found.back_edges), (head, &back_edges));
        let mut exits = Vec::new();
        let mut side_entries = Vec::new();
        for from in order.iter().copied().collect::<BTreeSet<_>>() {
            let mut seen = HashSet::new();
            for to in next(function, from).into_iter().filter(|to| seen.insert(*to)) {
                if body.contains(&from) && !body.contains(&to) {
                    exits.push((from, to));
                }
                if !body.contains(&from) && body.contains(&to) && to != head {
                    side_entries.push((from, to));
                }
            }
        }
        assert_eq!((&found.exits, &found.side_entries), (&exits, &side_entries), "edges of {head:?}");
        let mut around: Vec<_> =
            forest.iter().filter(|(other, _)| *other != id && forest.contains(*other, head)).collect();
        around.sort_by_key(|(_, around)| around.depth);
        let parent = around.last().map(|(id, _)| *id);
        assert_eq!((found.parent, found.depth as usize), (parent, around.len() + 1));
        assert!(parent.is_none_or(|parent| parent < id));
        for block in function.blocks.ids() {
            assert_eq!(forest.is_inside(block, head), block != head && body.contains(&block));
        }
    }
    assert_eq!(forest.len(), n_loops);
    for block in function.blocks.ids() {
        let around = forest.iter().filter(|(id, _)| forest.contains(*id, block));
        assert_eq!(forest.innermost(block), around.max_by_key(|(_, around)| around.depth).map(|(id, _)| id));
    }
}

/// Whether some path from a place reads a register before anything writes it.
fn is_read_later(function: &Function, block: BlockId, index: usize, reg: RegId) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![(block, index)];
    while let Some((block, index)) = open.pop() {
        if !seen.insert((block, index)) {
            continue;
        }
        let body = &function.blocks[block];
        let (mut is_read, mut is_written) = (false, false);
        let mut read = |operand: &Operand| is_read |= *operand == Operand::Reg(reg);
        match body.stmts.get(index) {
            Some(stmt) => {
                visit::operands(&stmt.kind, read);
                visit::written(&stmt.kind, |written| is_written |= *written == reg);
            }
            None => visit::terminator_operands(&body.terminator, &mut read),
        }
        if is_read {
            return true;
        }
        match body.stmts.get(index) {
            Some(_) if is_written => {}
            Some(_) => open.push((block, index + 1)),
            None => open.extend(next(function, block).into_iter().map(|target| (target, 0))),
        }
    }
    false
}

fn check_liveness(program: &Program) {
    let liveness = Liveness::new(program);
    for (id, function) in program.functions.iter_enumerated() {
        let is_jump = |kind: &StmtKind| matches!(kind, StmtKind::SetJump { .. });
        let places = function.blocks.iter_enumerated().flat_map(|(block, body)| {
            let jumps = body.stmts.iter().enumerate().filter(|(_, stmt)| is_jump(&stmt.kind));
            jumps.map(move |(index, _)| (block, index + 1))
        });
        let places: Vec<(BlockId, usize)> = places.collect();
        for (block, body) in function.blocks.iter_enumerated() {
            for index in 0..=body.stmts.len() {
                let here = [(block, index)];
                let live = |reg: &RegId| {
                    here.iter().chain(&places).any(|(block, index)| is_read_later(function, *block, *index, *reg))
                };
                let expected: Vec<RegId> = function.regs.ids().filter(live).collect();
                assert_eq!(liveness.at(program, id, block, index), expected, "{block:?} #{index}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_graphs(targets in prop::collection::vec(prop::collection::vec(0usize..12, 0..4), 1..12)) {
        let n_blocks = targets.len();
        let inside = |targets: &Vec<usize>| targets.iter().map(|target| target % n_blocks).collect();
        let function = jumps(&targets.iter().map(inside).collect::<Vec<_>>());
        check_dominators(&function);
        check_post_dominators(&function);
        check_loops(&function);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_programs(decisions in prop::collection::vec(any::<u8>(), 0..1500)) {
        let program = generate::program(&decisions);
        check_liveness(&program);
        for function in program.functions.iter() {
            check_dominators(function);
            check_post_dominators(function);
            check_loops(function);
        }
    }
}

#[test]
fn loops_have_names() {
    // b1 is the head of an outer loop with the loop b2 in it; b3 goes round, b4 is behind both.
    let function = jumps(&[vec![1], vec![2], vec![2, 3], vec![1, 4], vec![]]);
    let mut program = Program { pointer_bytes: 8, ..Program::default() };
    program.functions.push(function);
    let analyses = super::Analyses::new(&program);
    let names: Vec<String> =
        analyses.loops(FuncId(0)).iter().map(|(id, _)| analyses.loop_name(FuncId(0), id)).collect();
    assert_eq!(names, ["loop 0 of f at head b1", "loop 1 of f at head b2"]);
}

#[test]
fn a_loop_entered_in_the_middle_is_one_loop() {
    // Both b1 and b2 are entered from b0; the walk meets b1 first.
    let function = jumps(&[vec![1, 2], vec![2], vec![1, 3], vec![]]);
    let forest = LoopForest::new(&function);
    let loops: Vec<_> = forest.iter().map(|(_, found)| (found.head, found.side_entries.clone())).collect();
    assert_eq!(loops, [(BlockId(1), vec![(BlockId(0), BlockId(2))])]);
}
