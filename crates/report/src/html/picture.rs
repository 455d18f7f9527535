//! Inline pictures of the page: growth of the search, and the lock order. Colours come from the page's style.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use unpick_witness::LockGraph;

use crate::xml::escape;

/// More locks than this make no picture that anyone can read.
const MAX_LOCKS: usize = 24;

/// States over time; empty if there is nothing to see.
pub(super) fn growth(samples: &[(f64, u64)]) -> String {
    let (Some((last, _)), Some(most)) = (samples.last(), samples.iter().map(|(_, states)| *states).max()) else {
        return String::new();
    };
    if samples.len() < 3 || most == 0 || *last <= 0.0 {
        return String::new();
    }
    let point = |(seconds, states): &(f64, u64)| {
        let (x, y) = (30.0 + 350.0 * seconds / last, 110.0 - 95.0 * *states as f64 / most as f64);
        format!("{x:.1} {y:.1}")
    };
    // Every search begins with nothing.
    let curve: Vec<String> = std::iter::once(&(0.0, 0)).chain(samples).map(point).collect();
    let last = if *last < 1.0 { format!("{last:.2}") } else { format!("{last:.1}") };
    let curve = curve.join(" L");
    format!(
        "<svg class=\"picture\" id=\"growth\" viewBox=\"0 0 400 130\" role=\"img\" aria-label=\"states over time\"><path \
         class=\"axis\" d=\"M30 10 L30 110 L385 110\"/><path class=\"area\" d=\"M{curve} L380 110 L30 110 Z\"/><path \
         class=\"curve\" d=\"M{curve}\"/><text class=\"small\" x=\"34\" y=\"18\">{most} states</text><text class=\"small\" \
         x=\"380\" y=\"124\" text-anchor=\"end\">{last} s</text></svg>"
    )
}

/// Which lock was taken while which was held, on a circle; empty if none was, or too many.
pub(super) fn locks(graph: &LockGraph) -> String {
    let names: BTreeSet<&str> = graph.edges.iter().flat_map(|edge| [edge.held.as_str(), edge.taken.as_str()]).collect();
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() || names.len() > MAX_LOCKS {
        return String::new();
    }
    let (width, height, radius) = (460.0, 300.0, 105.0);
    let place = |name: &str| {
        let at = names.iter().position(|known| *known == name).unwrap_or(0);
        let angle = TAU * at as f64 / names.len() as f64 - TAU / 4.0;
        (width / 2.0 + 1.5 * radius * angle.cos(), height / 2.0 + radius * angle.sin())
    };
    let in_circle: BTreeSet<usize> = graph.circles.iter().flatten().copied().collect();
    let mut svg = format!(
        "<svg class=\"picture\" id=\"locks\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"order of locks\">"
    );
    for (at, edge) in graph.edges.iter().enumerate() {
        let is_bad = in_circle.contains(&at);
        svg += &arrow(place(&edge.held), place(&edge.taken), is_bad);
    }
    for name in &names {
        let (x, y) = place(name);
        let label = if name.chars().count() > 22 {
            format!("{}\u{2026}", name.chars().take(21).collect::<String>())
        } else {
            (*name).to_owned()
        };
        let half = 3.6 * label.chars().count() as f64 + 8.0;
        svg += &format!(
            "<rect class=\"node\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"22\" rx=\"6\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}<title>{}</title></text>",
            x - half,
            y - 11.0,
            2.0 * half,
            y + 4.0,
            escape(&label),
            escape(name),
        );
    }
    svg + "</svg>"
}

/// A bent arrow, so that the way back is another one.
fn arrow((x0, y0): (f64, f64), (x1, y1): (f64, f64), is_bad: bool) -> String {
    let (class, tip) = if is_bad { ("edge circle", "tip bad") } else { ("edge", "tip") };
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = (dx * dx + dy * dy).sqrt();
    if length < 1.0 {
        return format!(
            "<path class=\"{class}\" d=\"M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
            x0 - 12.0,
            y0 - 10.0,
            x0 - 40.0,
            y0 - 55.0,
            x0 + 40.0,
            y0 - 55.0,
            x0 + 12.0,
            y0 - 11.0
        );
    }
    let (ux, uy) = (dx / length, dy / length);
    let bend = 26.0;
    let (cx, cy) = ((x0 + x1) / 2.0 - uy * bend, (y0 + y1) / 2.0 + ux * bend);
    // The arrow ends where the box of the lock begins, more or less.
    let (ex, ey) = (x1 - cx, y1 - cy);
    let rest = (ex * ex + ey * ey).sqrt().max(1.0);
    let (vx, vy) = (ex / rest, ey / rest);
    let gap = if vx.abs() > 0.8 { 34.0 } else { 16.0 };
    let (tx, ty) = (x1 - vx * gap, y1 - vy * gap);
    format!(
        "<path class=\"{class}\" d=\"M{x0:.1} {y0:.1} Q{cx:.1} {cy:.1} {tx:.1} {ty:.1}\"/><path class=\"{tip}\" d=\"M{tx:.1} \
         {ty:.1} L{:.1} {:.1} L{:.1} {:.1} Z\"/>",
        tx - vx * 9.0 - vy * 4.5,
        ty - vy * 9.0 + vx * 4.5,
        tx - vx * 9.0 + vy * 4.5,
        ty - vy * 9.0 - vx * 4.5,
    )
}
