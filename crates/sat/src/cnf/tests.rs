//! Tests of the clauses: what they allow is what simulation of the graph allows, asked in any order and polarity.

use super::*;
use crate::aig::Simulation;
use crate::solver::tests::Numbers;
use crate::solver::{Budget, Clauses, Light, Outcome, Solver};

/// A random graph over six inputs and some of its edges.
fn random_graph(seed: u64) -> (Aig, Vec<Edge>) {
    let mut numbers = Numbers::new(seed);
    let mut aig = Aig::new();
    let mut edges: Vec<Edge> = (0..6).map(|_| aig.input()).collect();
    for _ in 0..40 {
        let [a, b, c] = [(); 3].map(|()| edges[numbers.below(edges.len())].negated_if(numbers.next() & 64 == 0));
        edges.push(match numbers.below(5) {
            0 | 1 => aig.and(a, b),
            2 => aig.xor(a, b),
            3 => aig.ite(a, b, c),
            _ => aig.majority(a, b, c),
        });
    }
    (aig, edges)
}

#[test]
fn clauses_allow_what_the_graph_computes() {
    for seed in 1..60 {
        let (aig, edges) = random_graph(seed);
        let mut simulation = Simulation::new();
        simulation.extend(&aig, &mut |number: u32| (0..64_u64).map(|at| (at >> number & 1) << at).sum());
        let (mut encoder, mut solver) = (Encoder::new(), Light::new());
        let mut numbers = Numbers::new(seed);
        for _ in 0..12 {
            let asked: Vec<Edge> = (0..1 + numbers.below(3))
                .map(|_| edges[numbers.below(edges.len())].negated_if(numbers.next() & 64 == 0))
                .collect();
            let expected = asked.iter().fold(u64::MAX, |all, edge| all & simulation.word(*edge));
            let assumed: Vec<Lit> = asked.iter().map(|edge| encoder.literal(&aig, *edge, &mut solver)).collect();
            let outcome = solver.solve(&assumed, &Budget::UNLIMITED);
            assert_eq!(outcome == Outcome::Satisfiable, expected != 0, "seed {seed}: {asked:?}");
            if outcome == Outcome::Satisfiable {
                // The inputs of the model, as a pattern, make all of it true.
                let is_set = |node: &Node| {
                    let literal = encoder.known(Edge::new(*node, false));
                    literal.and_then(|literal| solver.value(literal)).unwrap_or(false)
                };
                let at = aig.inputs().iter().rev().fold(0, |at, node| at << 1 | u64::from(is_set(node)));
                assert_eq!(expected >> at & 1, 1, "seed {seed}: model {at:b}");
            }
        }
    }
}

#[test]
fn gates_are_recognised() {
    let mut aig = Aig::new();
    let [a, b, c] = [(); 3].map(|()| aig.input());
    let majority = aig.majority(a, b, c);
    let ite = aig.ite(a, b, c);
    let xor = aig.xor(a, b);
    let and = aig.and_all(&[a, b, c]);
    for (edge, n_variables, n_clauses) in
        [(majority, 4, 3), (!majority, 4, 3), (ite, 4, 2), (xor, 3, 2), (and, 4, 3), (!and, 4, 1)]
    {
        let mut clauses = Clauses::new();
        Encoder::new().literal(&aig, edge, &mut clauses);
        assert_eq!((clauses.n_variables(), clauses.len()), (n_variables, n_clauses), "{edge:?}");
    }
}

#[test]
fn only_what_is_new_is_written() {
    let mut aig = Aig::new();
    let [a, b, c] = [(); 3].map(|()| aig.input());
    let (mut encoder, mut clauses) = (Encoder::new(), Clauses::new());
    let xor = aig.xor(a, b);
    let literal = encoder.literal(&aig, xor, &mut clauses);
    assert_eq!(encoder.literal(&aig, xor, &mut clauses), literal);
    assert_eq!(clauses.len(), 2);
    encoder.literal(&aig, !xor, &mut clauses);
    assert_eq!(clauses.len(), 4, "the other polarity");
    let more = aig.and(xor, c);
    encoder.literal(&aig, more, &mut clauses);
    assert_eq!(clauses.len(), 6);
    assert_eq!(encoder.n_clauses(), 6);
}

#[test]
fn constants_are_clauses() {
    let aig = Aig::new();
    let (mut encoder, mut solver) = (Encoder::new(), Light::new());
    let (yes, no) = (encoder.literal(&aig, Edge::TRUE, &mut solver), encoder.literal(&aig, Edge::FALSE, &mut solver));
    assert_eq!(solver.solve(&[yes], &Budget::UNLIMITED), Outcome::Satisfiable);
    assert_eq!(solver.solve(&[no], &Budget::UNLIMITED), Outcome::Unsatisfiable);
}
