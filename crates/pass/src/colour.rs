//! Register allocation by graph colouring (Chaitin et al. 1981): variables of a thread that are never live at the same
//! time share a place of the state vector.
//!
//! Liveness is the usual backward dataflow analysis. Two variables that are live at once interfere and get different
//! places, chosen greedily; most variables are temporaries of one instruction, so few places are enough.

use std::collections::BTreeSet;

use unpick_program::visit;

use crate::Untranslatable;
use crate::graph::{Arg, Graph, Op, VarId};
use crate::objects::Objects;

/// Sets of variables, as bits.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    fn none(len: u32) -> Self {
        Self(vec![0; len as usize / 64 + 1])
    }

    pub fn has(&self, var: VarId) -> bool {
        self.0[var.0 as usize / 64] >> (var.0 % 64) & 1 != 0
    }

    fn set(&mut self, var: VarId) {
        self.0[var.0 as usize / 64] |= 1 << (var.0 % 64);
    }

    fn clear(&mut self, var: VarId) {
        self.0[var.0 as usize / 64] &= !(1 << (var.0 % 64));
    }

    fn add(&mut self, other: &Bits) -> bool {
        let mut is_new = false;
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            is_new |= *other & !*one != 0;
            *one |= other;
        }
        is_new
    }

    pub fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| VarId((at * 64 + bit) as u32))
        })
    }
}

/// Liveness and the places of variables.
pub(crate) struct Colours {
    /// Live variables after each node.
    pub live_out: Vec<Bits>,
    /// Live variables before each node.
    pub live_in: Vec<Bits>,
    /// The place of each variable.
    pub of: Vec<u32>,
    pub n_places: u32,
}

impl Colours {
    pub fn new(graph: &Graph<'_>, objects: &mut Objects) -> Result<Self, Untranslatable> {
        let n_nodes = graph.nodes.len();
        let mut uses = Vec::with_capacity(n_nodes);
        for node in 0..n_nodes {
            uses.push(reads_and_writes(graph, node, objects)?);
        }
        let mut live_in = vec![Bits::none(graph.n_vars); n_nodes];
        let mut live_out = live_in.clone();
        let mut is_changing = true;
        while std::mem::take(&mut is_changing) {
            for node in (0..n_nodes).rev() {
                let mut live = Bits::none(graph.n_vars);
                graph.nodes[node].next.iter().for_each(|next| {
                    live.add(&live_in[*next]);
                });
                is_changing |= live_out[node].add(&live);
                let (reads, writes) = &uses[node];
                writes.iter().for_each(|var| live.clear(*var));
                reads.iter().for_each(|var| live.set(*var));
                is_changing |= live_in[node].add(&live);
            }
        }
        let known: BTreeSet<VarId> = graph.params.iter().chain(&graph.counters).copied().collect();
        if live_in[graph.entry].iter().any(|var| !known.contains(&var)) {
            return Untranslatable::new("a variable may be read before it has a value");
        }
        Ok(Self::colour(graph, &uses, live_in, live_out))
    }

    fn colour(graph: &Graph<'_>, uses: &[(Vec<VarId>, Vec<VarId>)], live_in: Vec<Bits>, live_out: Vec<Bits>) -> Self {
        let mut interference = vec![Bits::none(graph.n_vars); graph.n_vars as usize];
        let mut interfere = |one: VarId, others: &Bits| {
            interference[one.0 as usize].add(others);
            for other in others.iter() {
                interference[other.0 as usize].set(one);
            }
        };
        for (node, (_, writes)) in uses.iter().enumerate() {
            // A node writes and reads in several steps, so its results must not overwrite its operands.
            let mut live = live_out[node].clone();
            live.add(&live_in[node]);
            for var in writes {
                interfere(*var, &live);
                for other in writes.iter().filter(|other| *other != var) {
                    let mut one = Bits::none(graph.n_vars);
                    one.set(*other);
                    interfere(*var, &one);
                }
            }
        }
        // Parameters are live together at the entry, and counters everywhere.
        let mut first = Bits::none(graph.n_vars);
        graph.params.iter().chain(&graph.counters).for_each(|var| first.set(*var));
        graph.params.iter().for_each(|var| interfere(*var, &first));
        let mut all = Bits::none(graph.n_vars);
        (0..graph.n_vars).for_each(|var| all.set(VarId(var)));
        graph.counters.iter().for_each(|var| interfere(*var, &all));
        let mut of = vec![u32::MAX; graph.n_vars as usize];
        let mut n_places = 0;
        for var in 0..graph.n_vars {
            let taken: BTreeSet<u32> = interference[var as usize]
                .iter()
                .filter(|other| other.0 != var)
                .map(|other| of[other.0 as usize])
                .collect();
            let place = (0..).find(|place| !taken.contains(place)).expect("there are enough numbers");
            of[var as usize] = place;
            n_places = n_places.max(place + 1);
        }
        Self { live_out, live_in, of, n_places }
    }
}

fn reads_and_writes(
    graph: &Graph<'_>,
    node: usize,
    objects: &mut Objects,
) -> Result<(Vec<VarId>, Vec<VarId>), Untranslatable> {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut read = |arg: Arg| match arg {
        Arg::Var(var) => reads.push(var),
        Arg::Const(_) | Arg::Undef | Arg::Strange => {}
    };
    match &graph.nodes[node].op {
        Op::Stmt(stmt) => {
            let mut operands = Vec::new();
            visit::operands(stmt, |operand| operands.push(*operand));
            for operand in operands {
                read(graph.arg(objects, node, &operand)?);
            }
            visit::written(stmt, |reg| writes.push(graph.written(node, *reg)));
        }
        Op::Branch(arg) | Op::Switch(arg, ..) | Op::Dispatch(arg, _) | Op::Answer(arg) => read(*arg),
        Op::Moves(moves) => {
            for (var, arg) in moves {
                read(*arg);
                writes.push(*var);
            }
        }
        Op::Leave(_, result) => {
            if let Some((var, arg)) = result {
                read(*arg);
                writes.push(*var);
            }
        }
        Op::Make(var, _, counter) => {
            read(Arg::Var(*counter));
            writes.push(*var);
        }
        Op::Jump | Op::Exit | Op::End(_) | Op::Refuse(_) => {}
    }
    Ok((reads, writes))
}
