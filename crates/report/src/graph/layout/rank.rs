//! Layer assignment: every node below its predecessors, apart from edges that close a cycle.

use super::{Extent, Layered, Link, Vertex};

/// Puts nodes into layers and cuts edges into pieces.
pub(super) fn layered(nodes: &[Extent], links: &[Link], is_by_distance: bool) -> Layered {
    let is_turned = match is_by_distance {
        true => nearer(nodes.len(), links),
        false => turned(nodes.len(), links),
    };
    let down: Vec<(usize, usize)> = links
        .iter()
        .zip(&is_turned)
        .map(|(link, is_turned)| if *is_turned { (link.to, link.from) } else { (link.from, link.to) })
        .collect();
    // With room for labels in between.
    let length = if links.iter().any(|link| link.label.is_some()) { 2 } else { 1 };
    let ranks = ranks(nodes.len(), &down, length);
    let mut layered = Layered {
        vertices: nodes
            .iter()
            .zip(&ranks)
            .map(|(extent, rank)| Vertex { rank: *rank, extent: *extent, edge: None })
            .collect(),
        is_turned,
        ..Layered::default()
    };
    for (edge, ((upper, lower), link)) in down.iter().zip(links).enumerate() {
        let mut chain = Vec::new();
        if upper != lower {
            chain.push(*upper);
            let middle = (ranks[*upper] + ranks[*lower]) / 2;
            for rank in ranks[*upper] + 1..ranks[*lower] {
                let (width, height) = link.label.filter(|_| rank == middle).unwrap_or_default();
                let extent = Extent { left: width / 2.0, right: width / 2.0, height };
                chain.push(layered.vertices.len());
                layered.vertices.push(Vertex { rank, extent, edge: Some(edge) });
            }
            chain.push(*lower);
        }
        layered.chains.push(chain);
    }
    connect(&mut layered);
    layered
}

fn connect(layered: &mut Layered) {
    let n_vertices = layered.vertices.len();
    layered.above = vec![Vec::new(); n_vertices];
    layered.below = vec![Vec::new(); n_vertices];
    for chain in &layered.chains {
        for pair in chain.windows(2) {
            layered.below[pair[0]].push(pair[1]);
            layered.above[pair[1]].push(pair[0]);
        }
    }
    let n_layers = layered.vertices.iter().map(|vertex| vertex.rank + 1).max().unwrap_or(0);
    layered.layers = vec![Vec::new(); n_layers];
    // A walk from the first node on puts together what belongs together.
    let mut is_seen = vec![false; n_vertices];
    for start in 0..n_vertices {
        let mut stack = vec![start];
        while let Some(vertex) = stack.pop() {
            if !std::mem::replace(&mut is_seen[vertex], true) {
                layered.layers[layered.vertices[vertex].rank].push(vertex);
                stack.extend(layered.below[vertex].iter().rev());
            }
        }
    }
}

/// The edges that lead nearer to the first node, or to an earlier one at the same distance.
fn nearer(n_nodes: usize, links: &[Link]) -> Vec<bool> {
    let mut out = vec![Vec::new(); n_nodes];
    links.iter().for_each(|link| out[link.from].push(link.to));
    let mut distance = vec![usize::MAX; n_nodes];
    for start in 0..n_nodes {
        if distance[start] != usize::MAX {
            continue;
        }
        distance[start] = 0;
        let mut waiting = std::collections::VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for target in &out[node] {
                if distance[*target] == usize::MAX {
                    distance[*target] = distance[node] + 1;
                    waiting.push_back(*target);
                }
            }
        }
    }
    links.iter().map(|link| (distance[link.from], link.from) > (distance[link.to], link.to)).collect()
}

/// The edges that lead back to a node on the way to them.
fn turned(n_nodes: usize, links: &[Link]) -> Vec<bool> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut out = vec![Vec::new(); n_nodes];
    links.iter().enumerate().for_each(|(edge, link)| out[link.from].push(edge));
    let mut is_turned = vec![false; links.len()];
    let mut mark = vec![NEW; n_nodes];
    for start in 0..n_nodes {
        if mark[start] != NEW {
            continue;
        }
        mark[start] = OPEN;
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(edge) = out[*node].get(*next).copied() else {
                mark[*node] = DONE;
                stack.pop();
                continue;
            };
            *next += 1;
            let target = links[edge].to;
            match mark[target] {
                OPEN => is_turned[edge] = true,
                NEW => {
                    mark[target] = OPEN;
                    stack.push((target, 0));
                }
                _ => {}
            }
        }
    }
    is_turned
}

/// As far up as possible; then down again where more edges lead away than come.
fn ranks(n_nodes: usize, down: &[(usize, usize)], length: usize) -> Vec<usize> {
    let mut out = vec![Vec::new(); n_nodes];
    let mut n_in = vec![0usize; n_nodes];
    for (from, to) in down.iter().filter(|(from, to)| from != to) {
        out[*from].push(*to);
        n_in[*to] += 1;
    }
    let mut left = n_in.clone();
    let mut order: Vec<usize> = (0..n_nodes).filter(|node| left[*node] == 0).collect();
    let mut ranks = vec![0; n_nodes];
    let mut at = 0;
    while let Some(node) = order.get(at).copied() {
        at += 1;
        for target in &out[node] {
            ranks[*target] = ranks[*target].max(ranks[node] + length);
            left[*target] -= 1;
            if left[*target] == 0 {
                order.push(*target);
            }
        }
    }
    for node in order.iter().rev() {
        let lowest = out[*node].iter().map(|target| ranks[*target] - length).min();
        if let Some(lowest) = lowest.filter(|_| out[*node].len() > n_in[*node]) {
            ranks[*node] = lowest;
        }
    }
    // What moved down may have left the first layers empty.
    let first = ranks.iter().copied().min().unwrap_or(0);
    ranks.iter_mut().for_each(|rank| *rank -= first);
    ranks
}
