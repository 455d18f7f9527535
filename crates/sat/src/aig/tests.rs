//! Tests of the graph: every gate against its meaning on all inputs, over graphs of all small shapes.

use proptest::prelude::*;

use super::*;

/// The truth tables of six unknowns, one value a bit.
const TABLES: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

fn six_inputs() -> (Aig, Vec<Edge>) {
    let mut aig = Aig::new();
    let inputs = (0..6).map(|_| aig.input()).collect();
    (aig, inputs)
}

fn tables(aig: &Aig) -> Simulation {
    let mut simulation = Simulation::new();
    simulation.extend(aig, &mut |number: u32| TABLES[number as usize]);
    simulation
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// Whatever the rules make of it, a gate has the truth table of its operands.
    #[test]
    fn gates_have_their_truth_tables(gates in prop::collection::vec((0..5_u8, any::<[u16; 3]>()), 1..60)) {
        let (mut aig, mut edges) = six_inputs();
        let mut expected: Vec<u64> = TABLES.to_vec();
        edges.push(Edge::TRUE);
        expected.push(u64::MAX);
        for (gate, operands) in gates {
            let at = operands.map(|operand| usize::from(operand >> 1) % edges.len());
            let [a, b, c] = [0, 1, 2].map(|k| edges[at[k]].negated_if(operands[k] & 1 == 1));
            let [x, y, z] = [0, 1, 2].map(|k| if operands[k] & 1 == 1 { !expected[at[k]] } else { expected[at[k]] });
            let (edge, table) = match gate {
                0 => (aig.and(a, b), x & y),
                1 => (aig.or(a, b), x | y),
                2 => (aig.xor(a, b), x ^ y),
                3 => (aig.ite(a, b, c), x & y | !x & z),
                _ => (aig.majority(a, b, c), x & y | x & z | y & z),
            };
            prop_assert_eq!(tables(&aig).word(edge), table);
            edges.push(edge);
            expected.push(table);
        }
    }
}

#[test]
fn equal_functions_of_two_levels_are_one_node() {
    let (mut aig, inputs) = six_inputs();
    let [x, y, z] = [inputs[0], inputs[1], inputs[2]];
    let (xy, xz) = (aig.and(x, y), aig.and(x, z));
    assert_eq!(aig.and(y, x), xy, "order does not matter");
    assert_eq!(aig.and(xy, !x), Edge::FALSE);
    assert_eq!(aig.and(xy, x), xy);
    assert_eq!(aig.and(!xy, !x), !x);
    let not_x_z = aig.and(!x, z);
    assert_eq!(aig.and(xy, not_x_z), Edge::FALSE);
    assert_eq!(aig.and(xy, !not_x_z), xy);
    let x_not_y = aig.and(x, !y);
    assert_eq!(aig.and(!xy, !x_not_y), !x);
    assert_eq!(aig.and(!xy, x), x_not_y);
    assert_eq!(aig.and(xy, !xz), aig.and(xy, !z));
    assert_eq!(aig.and(xy, xz), aig.and(xy, z));
    assert_eq!(aig.xor(x, y), !aig.xor(!x, y));
    assert_eq!(aig.ite(x, y, z), aig.ite(!x, z, y));
    assert_eq!(aig.ite(x, !y, y), aig.xor(x, y));
}

#[test]
fn a_cone_holds_what_its_roots_depend_on() {
    let (mut aig, inputs) = six_inputs();
    let kept = aig.and(inputs[0], inputs[1]);
    let other = aig.and(inputs[2], inputs[3]);
    assert_eq!(aig.cone(&[!kept]), [inputs[0].node(), inputs[1].node(), kept.node()]);
    let top = aig.or(kept, other);
    assert_eq!(aig.cone(&[top]).len(), 7);
    assert!(aig.has_one_user(kept.node()));
}

#[test]
fn simulation_grows_with_the_graph() {
    let (mut aig, inputs) = six_inputs();
    let mut simulation = tables(&aig);
    let and = aig.and(inputs[0], inputs[5]);
    simulation.extend(&aig, &mut |_: u32| panic!("no input is new"));
    assert_eq!(simulation.word(!and), !(TABLES[0] & TABLES[5]));
}
