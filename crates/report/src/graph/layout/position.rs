//! Horizontal coordinates (Brandes and Köpf 2001, "Fast and simple horizontal coordinate assignment"): vertices are
//! aligned with the median of their neighbours, in four ways (from above and below, leaning left and right), each is
//! compacted, and the average of the two medians is taken. Long edges come out straight, in linear time; least squares
//! would bend them.

use std::collections::{HashMap, HashSet};

use super::{Layered, Vertex};

/// Columns of vertices that share a place.
struct Blocks {
    root: Vec<usize>,
    align: Vec<usize>,
}

/// The horizontal place of each vertex, from zero on.
pub(super) fn positions(layered: &Layered, gap: fn(&Vertex, &Vertex) -> f64) -> Vec<f64> {
    let conflicts = conflicts(layered);
    let mut candidates: Vec<Vec<f64>> = Vec::new();
    for is_upward in [false, true] {
        for is_mirrored in [false, true] {
            let mut layers = layered.layers.clone();
            if is_upward {
                layers.reverse();
            }
            if is_mirrored {
                layers.iter_mut().for_each(|layer| layer.reverse());
            }
            let neighbours = if is_upward { &layered.below } else { &layered.above };
            let blocks = align(&layers, neighbours, &conflicts);
            let apart = |one: usize, other: usize| {
                let (one, other) = if is_mirrored { (other, one) } else { (one, other) };
                gap(&layered.vertices[one], &layered.vertices[other])
            };
            let mut x = compact(&layers, &blocks, &apart);
            if is_mirrored {
                x.iter_mut().for_each(|x| *x = -*x);
            }
            candidates.push(x);
        }
    }
    balance(layered, candidates)
}

/// Edges that cross a straight piece of a long edge give way to it.
fn conflicts(layered: &Layered) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    let mut places = vec![0; layered.vertices.len()];
    for layer in &layered.layers {
        layer.iter().enumerate().for_each(|(place, vertex)| places[*vertex] = place);
    }
    let is_piece = |vertex: usize| layered.vertices[vertex].edge.is_some();
    for layer in layered.layers.iter().skip(1) {
        let inner: Vec<(usize, usize)> = layer
            .iter()
            .filter(|vertex| is_piece(**vertex))
            .flat_map(|lower| {
                layered.above[*lower].iter().filter(|upper| is_piece(**upper)).map(|upper| (*upper, *lower))
            })
            .collect();
        if inner.is_empty() {
            continue;
        }
        for lower in layer {
            for upper in &layered.above[*lower] {
                if is_piece(*upper) && is_piece(*lower) {
                    continue;
                }
                let crosses = |(above, below): &(usize, usize)| {
                    (places[*upper] < places[*above] && places[*lower] > places[*below])
                        || (places[*upper] > places[*above] && places[*lower] < places[*below])
                };
                if inner.iter().any(crosses) {
                    found.insert((*upper, *lower));
                }
            }
        }
    }
    found
}

fn align(layers: &[Vec<usize>], neighbours: &[Vec<usize>], conflicts: &HashSet<(usize, usize)>) -> Blocks {
    let n_vertices = neighbours.len();
    let mut blocks = Blocks { root: (0..n_vertices).collect(), align: (0..n_vertices).collect() };
    let mut places = vec![0; n_vertices];
    for layer in layers {
        layer.iter().enumerate().for_each(|(place, vertex)| places[*vertex] = place);
    }
    for layer in layers {
        // Alignments must not cross each other.
        let mut next_free = 0;
        for vertex in layer {
            let mut around = neighbours[*vertex].clone();
            around.sort_by_key(|neighbour| places[*neighbour]);
            around.dedup();
            let Some(last) = around.len().checked_sub(1) else { continue };
            for middle in [last / 2, last.div_ceil(2)] {
                let neighbour = around[middle];
                let is_free = blocks.align[*vertex] == *vertex && places[neighbour] >= next_free;
                let is_in_conflict =
                    conflicts.contains(&(neighbour, *vertex)) || conflicts.contains(&(*vertex, neighbour));
                if is_free && !is_in_conflict {
                    blocks.align[neighbour] = *vertex;
                    blocks.root[*vertex] = blocks.root[neighbour];
                    blocks.align[*vertex] = blocks.root[*vertex];
                    next_free = places[neighbour] + 1;
                }
            }
        }
    }
    blocks
}

/// Puts columns as far to the left as they go, then to the right where nothing keeps them back.
fn compact(layers: &[Vec<usize>], blocks: &Blocks, apart: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
    let n_vertices = blocks.root.len();
    let mut gaps: HashMap<(usize, usize), f64> = HashMap::new();
    for layer in layers {
        for pair in layer.windows(2) {
            let gap = gaps.entry((blocks.root[pair[0]], blocks.root[pair[1]])).or_default();
            *gap = gap.max(apart(pair[0], pair[1]));
        }
    }
    let mut after: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_vertices];
    let mut n_before = vec![0usize; n_vertices];
    let mut pairs: Vec<_> = gaps.into_iter().collect();
    pairs.sort_by_key(|(pair, _)| *pair);
    for ((one, other), gap) in pairs {
        after[one].push((other, gap));
        n_before[other] += 1;
    }
    let is_root = |vertex: &usize| blocks.root[*vertex] == *vertex;
    let mut order: Vec<usize> = (0..n_vertices).filter(|vertex| is_root(vertex) && n_before[*vertex] == 0).collect();
    let mut x = vec![0.0f64; n_vertices];
    let mut at = 0;
    while let Some(block) = order.get(at).copied() {
        at += 1;
        for (other, gap) in &after[block] {
            x[*other] = x[*other].max(x[block] + gap);
            n_before[*other] -= 1;
            if n_before[*other] == 0 {
                order.push(*other);
            }
        }
    }
    for block in order.iter().rev() {
        let most = after[*block].iter().map(|(other, gap)| x[*other] - gap).fold(f64::INFINITY, f64::min);
        if most.is_finite() {
            x[*block] = x[*block].max(most);
        }
    }
    (0..n_vertices).map(|vertex| x[blocks.root[vertex]]).collect()
}

/// Lays the four over each other, the narrowest first, and takes the middle.
fn balance(layered: &Layered, mut candidates: Vec<Vec<f64>>) -> Vec<f64> {
    let bounds = |x: &[f64]| {
        let sides = layered.vertices.iter().zip(x);
        sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(left, right), (vertex, x)| {
            (left.min(x - vertex.extent.left), right.max(x + vertex.extent.right))
        })
    };
    let width = |x: &Vec<f64>| bounds(x).1 - bounds(x).0;
    let narrowest = candidates.iter().min_by(|one, other| width(one).total_cmp(&width(other)));
    let Some((left, right)) = narrowest.map(|x| bounds(x)) else { return Vec::new() };
    for (number, x) in candidates.iter_mut().enumerate() {
        let own = bounds(x);
        // Those that lean left are laid against the left side.
        let shift = if number % 2 == 0 { left - own.0 } else { right - own.1 };
        x.iter_mut().for_each(|x| *x += shift);
    }
    let mut x: Vec<f64> = (0..layered.vertices.len())
        .map(|vertex| {
            let mut found: Vec<f64> = candidates.iter().map(|x| x[vertex]).collect();
            found.sort_by(f64::total_cmp);
            (found[1] + found[2]) / 2.0
        })
        .collect();
    let (left, _) = bounds(&x);
    if left.is_finite() {
        x.iter_mut().for_each(|x| *x -= left);
    }
    x
}
