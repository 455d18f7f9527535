//! Stutter invariance against repeating letters of random words.

use proptest::prelude::*;
use unpick_logic::parse::{Options, parse};
use unpick_logic::stutter::{Stuttering, stuttering};
use unpick_logic::{Formula, Lasso};

use crate::random;

#[test]
fn examples() {
    let check = |text: &str| {
        let parsed = parse(text, &Options::default()).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        stuttering(&parsed.formula, 1_000)
    };
    for text in ["[]<>p", "p U q", "X true", "X []<>p", "p || X <>p", "<>(p && X <>q && !q)", "[](p || X !p || X true)"]
    {
        assert_eq!(check(text), Stuttering::Invariant, "{text}");
    }
    // The first position at which `p` changes, and what holds after the change.
    let change = "<>(p && X(!p && <>q))";
    assert_eq!(check(change), Stuttering::Invariant, "{change}");
    for text in ["X p", "<>(p && X p)", "[](p -> X q)", "[](p <-> X X p)", "<>(p && X q)", "p && X(p && X !p)"] {
        assert_eq!(check(text), Stuttering::Sensitive, "{text}");
    }
}

#[test]
fn too_much_work_is_said() {
    let many = (0..12).map(|at| format!("X p{at}")).collect::<Vec<_>>().join(" && ");
    let parsed = parse(&many, &Options::default()).expect("the formula should parse");
    assert_eq!(stuttering(&parsed.formula, 1_000), Stuttering::Unknown);
}

/// The same word with letters of prefix and cycle repeated.
fn repeated(word: &Lasso, times: &[usize]) -> Lasso {
    let repeat = |letters: &[u64], offset: usize| -> Vec<u64> {
        let copies = |at: usize| times[(offset + at) % times.len()];
        letters.iter().enumerate().flat_map(|(at, letter)| std::iter::repeat_n(*letter, copies(at))).collect()
    };
    Lasso { prefix: repeat(&word.prefix, 0), cycle: repeat(&word.cycle, word.prefix.len()) }
}

/// Words over one atom with up to three letters before the cycle and up to two in it.
fn short_words() -> Vec<Lasso> {
    let words = |len: usize| (0..1u64 << len).map(move |bits| (0..len).map(|at| bits >> at & 1).collect::<Vec<u64>>());
    let lengths = (0..=3).flat_map(|prefix| (1..=2).map(move |cycle| (prefix, cycle)));
    let all = |(prefix, cycle)| {
        words(prefix).flat_map(move |prefix| words(cycle).map(move |cycle| Lasso { prefix: prefix.clone(), cycle }))
    };
    lengths.flat_map(all).collect()
}

fn tells_apart(formula: &Formula) -> bool {
    let times: Vec<Vec<usize>> = (0..1usize << 5).map(|bits| (0..5).map(|at| 1 + (bits >> at & 1)).collect()).collect();
    short_words().iter().any(|word| {
        let value = word.satisfies(formula);
        times.iter().any(|times| repeated(word, times).satisfies(formula) != value)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn invariant_formulas_cannot_tell(
        formula in random::formula(2),
        words in prop::collection::vec((prop::collection::vec(0..4u64, 0..4), prop::collection::vec(0..4u64, 1..4)), 20),
        times in prop::collection::vec(1..4usize, 6),
    ) {
        if stuttering(&formula, 1_000) == Stuttering::Invariant {
            for (prefix, cycle) in words {
                let word = Lasso { prefix, cycle };
                let longer = repeated(&word, &times);
                prop_assert_eq!(word.satisfies(&formula), longer.satisfies(&formula), "{:?} {:?}", word, longer);
            }
        }
    }

    #[test]
    fn decided_as_by_trying_short_words(formula in random::formula_of_size(1, 3, 5)) {
        let expected = if tells_apart(&formula) { Stuttering::Sensitive } else { Stuttering::Invariant };
        prop_assert_eq!(stuttering(&formula, 1_000), expected);
    }
}
