//! What a claim does beside one execution of the model: the product of the execution and the claim is small.
//!
//! The endless part of the execution may have to go round several times before the claim comes back to where it was.
//! A round is a relation between locations of the claim at its beginning and at its end, with or without a state that is
//! accepted on the way; a violation is a cycle of this relation with acceptance, the fewest rounds first.

use std::collections::HashMap;

use super::{Product, ProductFault, ProductStepper};
use crate::successors::{NOBODY, Successors};
use crate::system::{Stepper as _, System as _, Which};

/// An execution beside its claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// States of the product.
    pub path: Vec<Vec<u8>>,
    /// Which state of the execution each of them is.
    pub positions: Vec<usize>,
    /// Where the endless part begins: after the last state comes this one again. Nowhere if something is wrong in the
    /// last state already.
    pub loop_from: Option<usize>,
}

/// A position of the execution and a location of the claim.
type Pair = (usize, u16);

struct Search<'a, 'p> {
    product: &'p Product<'p>,
    path: &'a [Vec<u8>],
    loop_from: Option<usize>,
    stepper: ProductStepper<'p>,
    successors: Successors,
    known: HashMap<Pair, Result<Vec<u16>, ProductFault>>,
}

impl Product<'_> {
    /// A violation of what watches the model by this execution of it, if there is one. `path` has the states at which
    /// everybody may move; after the last one comes `path[loop_from]` again, if the execution is endless.
    pub fn beside(&self, path: &[Vec<u8>], loop_from: Option<usize>) -> Option<Beside> {
        let start = self.initial().ok().map(|initial| self.location(&initial))?;
        let (stepper, successors, known) = (self.steps(), Successors::default(), HashMap::new());
        let mut search = Search { product: self, path, loop_from, stepper, successors, known };
        search.prefix(start).or_else(|| search.wrong(start))
    }

    /// The location of the claim with its marks.
    fn location(&self, state: &[u8]) -> u16 {
        let location = &state[state.len() - 2..];
        u16::from_le_bytes([location[0], location[1]])
    }
}

/// One layer of positions: locations, each with the one it was reached from.
type Layer = Vec<(u16, usize)>;

impl Search<'_, '_> {
    fn state(&self, (position, location): Pair) -> Vec<u8> {
        [&self.path[position][..], &location.to_le_bytes()].concat()
    }

    /// Where the claim goes while the execution goes on, or what is wrong.
    fn targets(&mut self, pair: Pair) -> Result<Vec<u16>, ProductFault> {
        if let Some(known) = self.known.get(&pair) {
            return known.clone();
        }
        let product = self.product;
        let state = self.state(pair);
        self.successors.clear();
        self.stepper.expand(&state, Which::All, &mut self.successors);
        let next = self.path.get(pair.0 + 1).or_else(|| self.path.get(self.loop_from?));
        let found = match self.stepper.take_wrong() {
            Some(wrong) => Err(wrong),
            None => {
                // A model that has ended stays as it is while its claim goes on.
                let has_ended = next.is_none();
                let next = &next.unwrap_or(&self.path[pair.0])[product.floor().key_start()..];
                let successors = self.successors.list.iter().filter(|found| !has_ended || found.mover == NOBODY);
                let states = successors.map(|found| self.successors.state(*found));
                let states = states.filter(|state| next == product.key(&state[..state.len() - 2]));
                let mut targets: Vec<u16> = states.map(|state| product.location(state)).collect();
                targets.sort_unstable();
                targets.dedup();
                Ok(targets)
            }
        };
        self.known.insert(pair, found.clone());
        found
    }

    /// Follows the claim to the endless part, or to something wrong.
    fn prefix(&mut self, start: u16) -> Option<Beside> {
        let mut layers: Vec<Layer> = vec![vec![(start, 0)]];
        let last = self.loop_from.unwrap_or(self.path.len().checked_sub(1)?);
        for position in 0..=last {
            let mut next: Layer = Vec::new();
            for at in 0..layers[position].len() {
                if position == last && self.loop_from.is_some() {
                    break;
                }
                match self.targets((position, layers[position][at].0)) {
                    Err(_) if position == last => return Some(self.told(&unwind(&layers, position, at), None)),
                    // The claim may go another way as well.
                    Err(_) => {}
                    Ok(targets) => add(&mut next, targets, at),
                }
            }
            if position < last {
                layers.push(next);
            }
        }
        let from = self.loop_from?;
        // The locations at the beginning of rounds, in the order found, with the round that led there.
        let mut reached: Vec<(u16, Vec<Pair>)> = Vec::new();
        for at in 0..layers[from].len() {
            reached.push((layers[from][at].0, unwind(&layers, from, at)));
        }
        let mut at = 0;
        while at < reached.len() {
            let (location, way) = reached[at].clone();
            if let Some(mut cycle) = self.cycle(from, location) {
                let mut pairs = way;
                let loop_from = pairs.len() - 1;
                cycle.remove(0);
                pairs.extend(cycle);
                return Some(self.told(&pairs, Some(loop_from)));
            }
            for (target, _, round) in self.round(from, location) {
                if !reached.iter().any(|(known, _)| *known == target) {
                    let mut longer = reached[at].1.clone();
                    longer.extend(&round[1..]);
                    longer.push((from, target));
                    reached.push((target, longer));
                }
            }
            at += 1;
        }
        None
    }

    /// The nearest pair in which something is wrong already.
    fn wrong(&mut self, start: u16) -> Option<Beside> {
        let mut pairs: Vec<(Pair, usize)> = vec![((0, start), 0)];
        let mut at = 0;
        while at < pairs.len() {
            let (pair, _) = pairs[at];
            let Ok(targets) = self.targets(pair) else {
                let mut way = vec![pair];
                while at != 0 {
                    at = pairs[at].1;
                    way.push(pairs[at].0);
                }
                way.reverse();
                return Some(self.told(&way, None));
            };
            let next = if pair.0 + 1 < self.path.len() { pair.0 + 1 } else { self.loop_from.unwrap_or(pair.0) };
            for found in targets.into_iter().map(|target| (next, target)) {
                if !pairs.iter().any(|(known, _)| *known == found) {
                    pairs.push((found, at));
                }
            }
            at += 1;
        }
        None
    }

    /// The fewest rounds from a location back to it that pass a state that is accepted, without the last pair, which is
    /// the first.
    fn cycle(&mut self, from: usize, location: u16) -> Option<Vec<Pair>> {
        let mut rounds: Vec<(u16, bool, Vec<Pair>)> = vec![(location, false, Vec::new())];
        let mut at = 0;
        while at < rounds.len() {
            let (source, accepts, way) = rounds[at].clone();
            for (target, is_accepting, round) in self.round(from, source) {
                let accepts = accepts || is_accepting;
                let longer = [&way[..], &round[..]].concat();
                if target == location && accepts {
                    return Some(longer);
                }
                if !rounds.iter().any(|(known, accepted, _)| (*known, *accepted) == (target, accepts)) {
                    rounds.push((target, accepts, longer));
                }
            }
            at += 1;
        }
        None
    }

    /// Where one round leads from a location: the location at its end, whether a state on it is accepted, and its pairs.
    fn round(&mut self, from: usize, location: u16) -> Vec<(u16, bool, Vec<Pair>)> {
        let mut layers: Vec<Vec<(u16, bool, usize)>> = vec![vec![(location, false, 0)]];
        for position in from..self.path.len() {
            let here = layers[position - from].clone();
            let mut next: Vec<(u16, bool, usize)> = Vec::new();
            for (at, (location, accepts, _)) in here.into_iter().enumerate() {
                let state = self.state((position, location));
                let accepts = accepts || self.stepper.is_accepting(&state);
                for target in self.targets((position, location)).unwrap_or_default() {
                    if !next.iter().any(|(known, accepted, _)| (*known, *accepted) == (target, accepts)) {
                        next.push((target, accepts, at));
                    }
                }
            }
            layers.push(next);
        }
        let ends = layers.last().expect("a round should have a beginning").clone();
        let rounds = ends.into_iter().map(|(target, accepts, mut at)| {
            let mut pairs = Vec::new();
            for position in (from..self.path.len()).rev() {
                let (location, _, origin) = layers[position - from][at];
                pairs.push((position, location));
                at = origin;
            }
            pairs.reverse();
            (target, accepts, pairs)
        });
        rounds.collect()
    }

    fn told(&self, pairs: &[Pair], loop_from: Option<usize>) -> Beside {
        Beside {
            path: pairs.iter().map(|pair| self.state(*pair)).collect(),
            positions: pairs.iter().map(|(position, _)| *position).collect(),
            loop_from,
        }
    }
}

fn add(layer: &mut Layer, targets: Vec<u16>, origin: usize) {
    for target in targets {
        if !layer.iter().any(|(known, _)| *known == target) {
            layer.push((target, origin));
        }
    }
}

/// The pairs that lead to one of a layer.
fn unwind(layers: &[Layer], position: usize, mut at: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for position in (0..=position).rev() {
        let (location, origin) = layers[position][at];
        pairs.push((position, location));
        at = origin;
    }
    pairs.reverse();
    pairs
}
