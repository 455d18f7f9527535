//! Webs of registers (Muchnick, "Advanced Compiler Design and Implementation", 1997): def-use chains that share a use
//! become one variable.
//!
//! Registers may be assigned any number of times, and one temporary may hold an address and later a number. A
//! flow-insensitive analysis would mix the two, so every definition gets a variable of its own, joined with the
//! definitions that reach the same use.

use std::collections::{BTreeMap, HashMap};

use unpick_program::{CastOp, Rvalue, StmtKind, Ty, visit};

use crate::Untranslatable;
use crate::graph::{Arg, Graph, Op, VarId};
use crate::objects::Objects;

/// The entry of the thread, which defines all variables.
const ENTRY: usize = usize::MAX;

/// The web of a register at a node, where it is read and where it is written.
#[derive(Default)]
pub(crate) struct Webs {
    pub read: HashMap<(usize, VarId), VarId>,
    pub written: HashMap<(usize, VarId), VarId>,
    /// Variables that are one constant wherever they are read.
    pub constants: HashMap<VarId, i32>,
}

/// Gives a graph variables that are webs.
pub(crate) fn rename(graph: &mut Graph<'_>, objects: &mut Objects) -> Result<(), Untranslatable> {
    let mut uses = Vec::new();
    for node in 0..graph.nodes.len() {
        uses.push(raw(graph, node, objects)?);
    }
    let mut definitions: Vec<(usize, VarId)> = (0..graph.n_vars).map(|var| (ENTRY, VarId(var))).collect();
    for (node, (_, writes)) in uses.iter().enumerate() {
        definitions.extend(writes.iter().map(|var| (node, *var)));
    }
    let mut parents: Vec<usize> = (0..definitions.len()).collect();
    let mut of_use: BTreeMap<(usize, VarId), usize> = BTreeMap::new();
    for (number, (from, var)) in definitions.iter().enumerate() {
        for node in reached_uses(graph, &uses, *from, *var) {
            match of_use.get(&(node, *var)) {
                Some(other) => {
                    let (one, other) = (root(&mut parents, number), root(&mut parents, *other));
                    parents[one] = other;
                }
                None => {
                    of_use.insert((node, *var), number);
                }
            }
        }
    }
    let mut webs = Webs::default();
    let mut numbers: HashMap<usize, VarId> = HashMap::new();
    let mut number = |parents: &mut Vec<usize>, definition: usize| {
        let next = VarId(numbers.len() as u32);
        *numbers.entry(root(parents, definition)).or_insert(next)
    };
    // Parameters and counters first.
    let params: Vec<VarId> = graph.params.iter().map(|var| number(&mut parents, var.0 as usize)).collect();
    let counters: HashMap<VarId, VarId> =
        graph.counters.iter().map(|var| (*var, number(&mut parents, var.0 as usize))).collect();
    for ((node, var), definition) in &of_use {
        webs.read.insert((*node, *var), number(&mut parents, *definition));
    }
    for (at, (node, var)) in definitions.iter().enumerate().filter(|(_, (node, _))| *node != ENTRY) {
        webs.written.insert((*node, *var), number(&mut parents, at));
    }
    graph.n_vars = numbers.len() as u32;
    graph.params = params;
    for node in 0..graph.nodes.len() {
        let read = |arg: Arg| match arg {
            Arg::Var(var) => Arg::Var(webs.read[&(node, var)]),
            arg => arg,
        };
        match &mut graph.nodes[node].op {
            Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) | Op::Answer(arg) => *arg = read(*arg),
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

/// Constant propagation: variables that are written once, with a constant or a value computed from one.
fn find_constants(graph: &mut Graph<'_>, objects: &mut Objects) -> Result<(), Untranslatable> {
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
            Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) | Op::Answer(arg) => known(arg),
            Op::Moves(moves) => moves.iter_mut().for_each(|(_, arg)| known(arg)),
            Op::Leave(_, Some((_, arg))) => known(arg),
            Op::Leave(_, None) | Op::Stmt(_) | Op::Make(..) | Op::Jump | Op::Exit | Op::End(_) | Op::Refuse(_) => {}
        }
    }
    Ok(())
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// The uses that a definition of a variable, at a node or the entry, reaches.
fn reached_uses(graph: &Graph<'_>, uses: &[(Vec<VarId>, Vec<VarId>)], from: usize, var: VarId) -> Vec<usize> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut open = if from == ENTRY { vec![graph.entry] } else { graph.nodes[from].next.clone() };
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

/// The variables that a node reads and writes, before they are renamed.
fn raw(graph: &Graph<'_>, node: usize, objects: &mut Objects) -> Result<(Vec<VarId>, Vec<VarId>), Untranslatable> {
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
        Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) | Op::Answer(arg) => read(*arg),
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
