//! Guards against letter by letter evaluation of the cubes they are made of.

use proptest::prelude::*;
use unpick_logic::{Cube, Guard};

/// Cubes over five atoms that do not contradict themselves.
fn cube() -> impl Strategy<Value = Cube> {
    (0..32u64, 0..32u64).prop_map(|(positive, negative)| Cube { positive: positive & !negative, negative })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn simplification_changes_no_letter(cubes in prop::collection::vec(cube(), 0..7)) {
        let guard = Guard::new(cubes.clone());
        let holds = |letter| cubes.iter().any(|cube| cube.holds(letter));
        for letter in 0..32 {
            prop_assert_eq!(guard.holds(letter), holds(letter), "{} {:?}", guard, cubes);
        }
        prop_assert_eq!(guard.is_true(), (0..32).all(holds));
        prop_assert!(guard.cubes().len() <= cubes.len());
        for (at, one) in guard.cubes().iter().enumerate() {
            prop_assert!(guard.cubes()[..at].iter().all(|other| !one.implies(*other) && !other.implies(*one)));
        }
    }

    #[test]
    fn operations_of_cubes(one in cube(), other in cube()) {
        for letter in 0..32 {
            let both = one.and(other).is_some_and(|both| both.holds(letter));
            prop_assert_eq!(both, one.holds(letter) && other.holds(letter));
            prop_assert!(!one.implies(other) || !one.holds(letter) || other.holds(letter));
        }
        prop_assert!(one.holds(one.letter()));
        let either = Guard::new([one]).or(&Guard::new([other]));
        prop_assert!(either.holds(one.letter()) && either.holds(other.letter()));
    }
}

#[test]
fn neighbours_are_joined() {
    let read = |positive, negative| Cube { positive, negative };
    assert_eq!(Guard::new([read(0b1, 0), read(0, 0b1)]), Guard::truth());
    assert_eq!(Guard::new([read(0b11, 0), read(0b1, 0b10)]).cubes(), [read(0b1, 0)]);
    assert_eq!(Guard::new([read(0b1, 0), read(0b10, 0b1)]).cubes(), [read(0b1, 0), read(0b10, 0)]);
}
