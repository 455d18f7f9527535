//! Layouts of random graphs: no overlaps, and texts stay within their boxes.

use proptest::prelude::*;

use super::layout::{Extent, Link, place};
use super::*;

fn node(text: &str) -> Node {
    Node { lines: vec![Line::new(text)], ..Node::default() }
}

fn picture(nodes: Vec<Node>, edges: Vec<Edge>) -> Picture {
    Picture {
        name: "test",
        graphs: vec![Graph { title: "Test".to_owned(), nodes, edges, ..Graph::default() }],
        legend: Vec::new(),
    }
}

#[test]
fn a_chain_goes_straight_down() {
    let extents = [Extent { left: 20.0, right: 20.0, height: 20.0 }; 4];
    let link = |from, to| Link { from, to, label: None };
    let placed = place(&extents, &[link(0, 1), link(1, 2), link(2, 3), link(3, 1)], false);
    for pair in placed.nodes.windows(2) {
        assert!(pair[1].1 > pair[0].1, "{:?}", placed.nodes);
    }
    // The way back begins at the lower node's top: it is the same line, seen from the other end.
    assert!(placed.edges[3].ends[1].is_bottom && !placed.edges[3].ends[0].is_bottom, "{:?}", placed.edges[3]);
}

#[test]
fn both_branches_lie_side_by_side() {
    let extents = [Extent { left: 20.0, right: 20.0, height: 20.0 }; 4];
    let link = |from, to| Link { from, to, label: Some((30.0, 14.0)) };
    let placed = place(&extents, &[link(0, 1), link(0, 2), link(1, 3), link(2, 3)], false);
    let [top, one, other, bottom] = placed.nodes[..] else { panic!("four nodes should have places") };
    assert_eq!(one.1, other.1);
    assert!((top.0 - bottom.0).abs() < 1.0 && (one.0 - other.0).abs() >= 60.0, "{:?}", placed.nodes);
    assert!(placed.edges.iter().all(|route| route.label.is_some()));
}

#[test]
fn pictures_have_all_nodes_edges_and_labels() {
    let edge = |from, to, label: &str| Edge { from, to, label: vec![label.to_owned()], ..Edge::default() };
    let mut nodes = vec![node("first"), node("second")];
    nodes[0].is_start = true;
    nodes[1].shape = Shape::DoubleCircle;
    nodes[1].tone = Tone::Bad;
    let picture = picture(nodes, vec![edge(0, 1, "a < b"), edge(1, 1, "self"), edge(1, 0, "back")]);
    let svg = picture.svg();
    assert_eq!((svg.matches("<rect").count(), svg.matches("<circle").count()), (1, 2));
    assert_eq!(svg.matches("class=\"edge").count(), 4, "three edges and the start: {svg}");
    assert!(svg.contains(">a &lt; b<") && svg.contains(">self<") && svg.contains(">Test<"), "{svg}");
    let dot = picture.dot();
    assert!(dot.starts_with("digraph test {") && dot.contains("label=\"a < b\""), "{dot}");
    assert!(dot.contains("shape=doublecircle") && dot.contains("start0_0 -> n0_0"), "{dot}");
}

#[test]
fn nothing_to_draw_is_said() {
    assert!(Picture { name: "test", ..Picture::default() }.svg().contains("nothing to draw"));
}

type Graphs = (Vec<(u8, u8)>, Vec<(usize, usize, Option<u8>)>);

fn graphs() -> impl Strategy<Value = Graphs> {
    (1usize..30).prop_flat_map(|n| {
        let nodes = prop::collection::vec((8u8..120, 8u8..60), n);
        let edges = prop::collection::vec((0..n, 0..n, prop::option::of(10u8..90)), 0..60);
        (nodes, edges)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nodes_and_labels_never_overlap((sizes, edges) in graphs(), is_by_distance in any::<bool>()) {
        let extents: Vec<Extent> = sizes
            .iter()
            .map(|(wide, high)| Extent { left: f64::from(*wide) / 2.0, right: f64::from(*wide), height: f64::from(*high) })
            .collect();
        let links: Vec<Link> = edges
            .iter()
            .map(|(from, to, label)| Link { from: *from, to: *to, label: label.map(|wide| (f64::from(wide), 14.0)) })
            .collect();
        let placed = place(&extents, &links, is_by_distance);
        let mut boxes: Vec<[f64; 4]> = placed
            .nodes
            .iter()
            .zip(&extents)
            .map(|((x, y), e)| [x - e.left, x + e.right, y - e.height / 2.0, y + e.height / 2.0])
            .collect();
        for (route, link) in placed.edges.iter().zip(&links).filter(|(_, link)| link.from != link.to) {
            prop_assert_eq!(route.label.is_some(), link.label.is_some());
            if let (Some((x, y)), Some((wide, high))) = (route.label, link.label) {
                boxes.push([x - wide / 2.0, x + wide / 2.0, y - high / 2.0, y + high / 2.0]);
            }
        }
        for (at, one) in boxes.iter().enumerate() {
            prop_assert!(one[0] >= -0.01 && one[1] <= placed.width + 0.01 && one[3] <= placed.height + 0.01);
            for other in &boxes[at + 1..] {
                let is_apart = one[1] < other[0] + 0.01 || other[1] < one[0] + 0.01 || one[3] < other[2] + 0.01 || other[3] < one[2] + 0.01;
                prop_assert!(is_apart, "{:?} {:?}", one, other);
            }
        }
    }

    #[test]
    fn any_text_stays_in_its_place(text in any::<String>()) {
        let mut nodes = vec![node(&text), node(&text)];
        nodes[0].tip = text.clone();
        nodes[0].lines[0].head = text.clone();
        let edges = vec![Edge { from: 0, to: 1, label: vec![text.clone()], ..Edge::default() }];
        let picture = picture(nodes, edges);
        let svg = picture.svg();
        prop_assert_eq!(svg.matches("<rect").count(), 2);
        prop_assert_eq!(svg.matches("<text").count(), 4);
        for line in picture.dot().lines() {
            let bare = line.replace("\\\\", "").replace("\\\"", "");
            prop_assert!(bare.matches('"').count().is_multiple_of(2), "{}", line);
        }
    }
}
