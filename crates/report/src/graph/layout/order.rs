//! Crossing reduction: the order of vertices within layers, by medians of their neighbours.

use super::Layered;

/// Sweeps down and up; more bring little.
const N_SWEEPS: usize = 24;
/// Neighbours are exchanged one by one only in graphs up to this size.
const MAX_EXCHANGED: usize = 4_000;

/// Looks for an order with few crossings.
pub(super) fn order(layered: &mut Layered) {
    let mut best = layered.layers.clone();
    let mut fewest = n_crossings(layered, &best);
    for sweep in 0..N_SWEEPS {
        if fewest == 0 {
            break;
        }
        let is_down = sweep % 2 == 0;
        let mut layers = layered.layers.clone();
        arrange(layered, &mut layers, is_down, sweep % 4 < 2);
        if layered.vertices.len() <= MAX_EXCHANGED {
            exchange(layered, &mut layers);
        }
        let n_now = n_crossings(layered, &layers);
        layered.layers = layers;
        if n_now < fewest {
            fewest = n_now;
            best.clone_from(&layered.layers);
        }
    }
    layered.layers = best;
}

/// Orders each layer by the middle of the neighbours in the layer before.
fn arrange(layered: &Layered, layers: &mut [Vec<usize>], is_down: bool, is_left: bool) {
    let mut places = places(layered, layers);
    let n_layers = layers.len();
    let neighbours = if is_down { &layered.above } else { &layered.below };
    for step in 1..n_layers {
        let at = if is_down { step } else { n_layers - 1 - step };
        let mut keyed: Vec<(f64, usize)> = layers[at]
            .iter()
            .map(|vertex| (middle(&neighbours[*vertex], &places).unwrap_or(places[*vertex] as f64), *vertex))
            .collect();
        // Equals keep their order, or turn it round every other time.
        if !is_left {
            keyed.reverse();
        }
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        layers[at] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
        layers[at].iter().enumerate().for_each(|(place, vertex)| places[*vertex] = place);
    }
}

fn middle(neighbours: &[usize], places: &[usize]) -> Option<f64> {
    let n_neighbours = neighbours.len();
    let sum: usize = neighbours.iter().map(|neighbour| places[*neighbour]).sum();
    (n_neighbours > 0).then(|| sum as f64 / n_neighbours as f64)
}

/// Exchanges neighbours as long as that helps.
fn exchange(layered: &Layered, layers: &mut [Vec<usize>]) {
    let mut places = places(layered, layers);
    for _ in 0..4 {
        let mut has_changed = false;
        for layer in layers.iter_mut() {
            for at in 1..layer.len() {
                let (one, other) = (layer[at - 1], layer[at]);
                let both = |first: usize, second: usize| {
                    crossing(&layered.above[first], &layered.above[second], &places)
                        + crossing(&layered.below[first], &layered.below[second], &places)
                };
                if both(other, one) < both(one, other) {
                    layer.swap(at - 1, at);
                    (places[one], places[other]) = (at, at - 1);
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            break;
        }
    }
}

/// Crossings of edges to these neighbours if the first lies to the left.
fn crossing(first: &[usize], second: &[usize], places: &[usize]) -> usize {
    first.iter().map(|one| second.iter().filter(|other| places[**other] < places[*one]).count()).sum()
}

fn places(layered: &Layered, layers: &[Vec<usize>]) -> Vec<usize> {
    let mut places = vec![0; layered.vertices.len()];
    for layer in layers {
        layer.iter().enumerate().for_each(|(place, vertex)| places[*vertex] = place);
    }
    places
}

/// How many pairs of edges cross.
fn n_crossings(layered: &Layered, layers: &[Vec<usize>]) -> usize {
    let places = places(layered, layers);
    let mut n_crossings = 0;
    for (at, layer) in layers.iter().enumerate().take(layers.len().saturating_sub(1)) {
        // Edges from left to right; those that end to the left of an earlier one cross it. Counts are kept in a
        // binary indexed tree.
        let mut tree = vec![0usize; layers[at + 1].len() + 1];
        let mut n_edges = 0;
        for vertex in layer {
            let mut ends: Vec<usize> = layered.below[*vertex].iter().map(|below| places[*below]).collect();
            ends.sort_unstable();
            for end in &ends {
                let mut n_left = 0;
                let mut index = end + 1;
                while index > 0 {
                    n_left += tree[index];
                    index &= index - 1;
                }
                n_crossings += n_edges - n_left;
            }
            for end in ends {
                n_edges += 1;
                let mut index = end + 1;
                while index < tree.len() {
                    tree[index] += 1;
                    index += index & index.wrapping_neg();
                }
            }
        }
    }
    n_crossings
}
