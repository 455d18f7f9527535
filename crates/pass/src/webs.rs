//! Registers cut into webs: definitions and uses that belong together.
//!
//! Registers are assigned as often as one likes, and a temporary holds an address now and a number later. What is known
//! of a variable regardless of order would mix the two, so every definition gets a variable of its own, joined with
//! those that reach the same use.

use std::collections::{BTreeMap, HashMap};

use unpick_ir::{CastOp, Rvalue, StmtKind, Ty, visit};

use crate::Unfit;
use crate::graph::{Arg, Graph, Op, VarId};
use crate::objects::Objects;

/// Stands for the beginning of the thread, which defines everything.
const BEGINNING: usize = usize::MAX;

/// Which variable of its own stands for a register at a node, where it is read and where it is written.
#[derive(Default)]
pub(crate) struct Webs {
    pub read: HashMap<(usize, VarId), VarId>,
    pub written: HashMap<(usize, VarId), VarId>,
    /// Variables that are one constant wherever they are read.
    pub constants: HashMap<VarId, i32>,
}

/// Gives a graph variables that are webs.
pub(crate) fn rename(graph: &mut Graph<'_>, objects: &mut Objects) -> Result<(), Unfit> {
    let mut uses = Vec::new();
    for node in 0..graph.nodes.len() {
        uses.push(raw(graph, node, objects)?);
    }
    let mut definitions: Vec<(usize, VarId)> = (0..graph.n_vars).map(|var| (BEGINNING, VarId(var))).collect();
    for (node, (_, writes)) in uses.iter().enumerate() {
        definitions.extend(writes.iter().map(|var| (node, *var)));
    }
    let mut joined: Vec<usize> = (0..definitions.len()).collect();
    let mut of_use: BTreeMap<(usize, VarId), usize> = BTreeMap::new();
    for (number, (from, var)) in definitions.iter().enumerate() {
        for node in reached(graph, &uses, *from, *var) {
            match of_use.get(&(node, *var)) {
                Some(other) => {
                    let (one, other) = (root(&mut joined, number), root(&mut joined, *other));
                    joined[one] = other;
                }
                None => {
                    of_use.insert((node, *var), number);
                }
            }
        }
    }
    let mut webs = Webs::default();
    let mut numbers: HashMap<usize, VarId> = HashMap::new();
    let mut number = |joined: &mut Vec<usize>, definition: usize| {
        let next = VarId(numbers.len() as u32);
        *numbers.entry(root(joined, definition)).or_insert(next)
    };
    // What a thread begins with, and what counts, first.
    let params: Vec<VarId> = graph.params.iter().map(|var| number(&mut joined, var.0 as usize)).collect();
    let counters: HashMap<VarId, VarId> =
        graph.counters.iter().map(|var| (*var, number(&mut joined, var.0 as usize))).collect();
    for ((node, var), definition) in &of_use {
        webs.read.insert((*node, *var), number(&mut joined, *definition));
    }
    for (at, (node, var)) in definitions.iter().enumerate().filter(|(_, (node, _))| *node != BEGINNING) {
        webs.written.insert((*node, *var), number(&mut joined, at));
    }
    graph.n_vars = numbers.len() as u32;
    graph.params = params;
    for node in 0..graph.nodes.len() {
        let read = |arg: Arg| match arg {
            Arg::Var(var) => Arg::Var(webs.read[&(node, var)]),
            arg => arg,
        };
        match &mut graph.nodes[node].op {
            Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) => *arg = read(*arg),
            Op::Moves(moves) => {
                for (var, arg) in moves {
                    (*var, *arg) = (webs.written[&(node, *var)], read(*arg));
                }
            }
            Op::Leave(_, Some((var, arg))) => (*var, *arg) = (webs.written[&(node, *var)], read(*arg)),
            Op::Make(var, _, counter) => (*var, *counter) = (webs.written[&(node, *var)], counters[counter]),
            Op::Leave(_, None) | Op::Stmt(_) | Op::Jump | Op::Exit | Op::End(_) | Op::Refuse(_) => {}
        }
    }
    graph.counters = graph.counters.iter().map(|var| counters[var]).collect();
    graph.webs = webs;
    find_constants(graph, objects)
}

/// Finds variables that are written once, with a constant or what is made of one.
fn find_constants(graph: &mut Graph<'_>, objects: &mut Objects) -> Result<(), Unfit> {
    let mut n_written: HashMap<VarId, u32> = HashMap::new();
    for var in graph.webs.written.values().chain(&graph.params).chain(&graph.counters) {
        *n_written.entry(*var).or_default() += 1;
    }
    let mut is_changing = true;
    while std::mem::take(&mut is_changing) {
        let mut found: Vec<(VarId, i32)> = Vec::new();
        for node in 0..graph.nodes.len() {
            let known = |arg: Arg| match arg {
                Arg::Var(var) => graph.known_or(var),
                arg => arg,
            };
            match &graph.nodes[node].op {
                Op::Stmt(StmtKind::Assign(dst, rvalue)) => {
                    let value = match rvalue {
                        Rvalue::Use(operand) => graph.arg(objects, node, operand)?,
                        Rvalue::Cast(CastOp::SignExtend, Ty::Int(32), Ty::Int(64), operand) => {
                            graph.arg(objects, node, operand)?
                        }
                        _ => continue,
                    };
                    if let Arg::Const(value) = value {
                        found.push((graph.written(node, *dst), value));
                    }
                }
                Op::Moves(moves) => {
                    for (var, arg) in moves {
                        if let Arg::Const(value) = known(*arg) {
                            found.push((*var, value));
                        }
                    }
                }
                _ => {}
            }
        }
        for (var, value) in found.into_iter().filter(|(var, _)| n_written[var] == 1) {
            is_changing |= graph.webs.constants.insert(var, value).is_none();
        }
    }
    for node in 0..graph.nodes.len() {
        let constants = &graph.webs.constants;
        let known = |arg: &mut Arg| {
            if let Arg::Var(var) = arg
                && let Some(value) = constants.get(var)
            {
                *arg = Arg::Const(*value);
            }
        };
        match &mut graph.nodes[node].op {
            Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) => known(arg),
            Op::Moves(moves) => moves.iter_mut().for_each(|(_, arg)| known(arg)),
            Op::Leave(_, Some((_, arg))) => known(arg),
            Op::Leave(_, None) | Op::Stmt(_) | Op::Make(..) | Op::Jump | Op::Exit | Op::End(_) | Op::Refuse(_) => {}
        }
    }
    Ok(())
}

fn root(joined: &mut [usize], mut at: usize) -> usize {
    while joined[at] != at {
        joined[at] = joined[joined[at]];
        at = joined[at];
    }
    at
}

/// The nodes that read a variable as a node, or the beginning, left it.
fn reached(graph: &Graph<'_>, uses: &[(Vec<VarId>, Vec<VarId>)], from: usize, var: VarId) -> Vec<usize> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut open = if from == BEGINNING { vec![graph.entry] } else { graph.nodes[from].next.clone() };
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        let (reads, writes) = &uses[node];
        if reads.contains(&var) {
            found.push(node);
        }
        if !writes.contains(&var) {
            open.extend(&graph.nodes[node].next);
        }
    }
    found
}

/// What a node reads and writes, before variables are renamed.
fn raw(graph: &Graph<'_>, node: usize, objects: &mut Objects) -> Result<(Vec<VarId>, Vec<VarId>), Unfit> {
    let node = &graph.nodes[node];
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut read = |arg: Arg| match arg {
        Arg::Var(var) => reads.push(var),
        Arg::Const(_) | Arg::Undef | Arg::Strange => {}
    };
    match &node.op {
        Op::Stmt(stmt) => {
            let mut operands = Vec::new();
            visit::operands(stmt, |operand| operands.push(*operand));
            for operand in operands {
                read(graph.raw_arg(objects, node.instance, &operand)?);
            }
            visit::written(stmt, |reg| writes.push(graph.raw_var(node.instance, *reg)));
        }
        Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) => read(*arg),
        Op::Moves(moves) => {
            for (var, arg) in moves {
                read(*arg);
                writes.push(*var);
            }
        }
        Op::Leave(_, Some((var, arg))) => {
            read(*arg);
            writes.push(*var);
        }
        Op::Make(var, ..) => writes.push(*var),
        Op::Leave(_, None) | Op::Jump | Op::Exit | Op::End(_) | Op::Refuse(_) => {}
    }
    Ok((reads, writes))
}
