//! Automata compared with SPIN: no larger than those of `spin -f`, claims that `spin -a` accepts, and the same
//! language.
//!
//! The formulas are patterns everyone uses and the lists from papers on the translation of LTL. Without `spin` the tests
//! say so and end.

use std::fs;
use std::process::Command;

use unpick_logic::never::never_claim;
use unpick_logic::parse::{Dialect, Options, parse};
use unpick_logic::{Buchi, Cube, Edge, Guard, Lasso, translate};

const FORMULAS: &[&str] = &[
    // Patterns of specifications: absence, existence, universality, precedence, response.
    "[]!p",
    "<>r -> (!p U r)",
    "[](q -> []!p)",
    "[]((q && !r && <>r) -> (!p U r))",
    "[](q && !r -> ((!p U r) || []!p))",
    "<>p",
    "!r U ((p && !r) || [](!r))",
    "[]!q || <>(q && <>p)",
    "[](q && !r -> (!r U (p && !r)))",
    "[]p",
    "<>r -> (p U r)",
    "[](q -> []p)",
    "[]((q && !r && <>r) -> (p U r))",
    "!p U (s || []!p)",
    "<>r -> (!p U (s || r))",
    "[]!q || <>(q && (!p U (s || []!p)))",
    "[]((q && !r && <>r) -> (!p U (s || r)))",
    "[](p -> <>s)",
    "<>r -> ((p -> (!r U (s && !r))) U r)",
    "[](q -> [](p -> <>s))",
    "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
    // Negations of the most common.
    "![]!p",
    "!<>p",
    "![]<>p",
    "!<>[]p",
    "![](p -> <>q)",
    "!([]<>p -> []<>q)",
    "!(p U (q U r))",
    "!([]<>p && []<>q -> []<>r)",
    "!(<>p U q)",
    // Fairness.
    "[]<>p",
    "<>[]p",
    "[]<>p && []<>q",
    "[]<>p -> []<>q",
    "<>[]p -> []<>q",
    "([]<>p && []<>q) -> []<>r",
    "[]<>p || <>[]q",
    "[]<>p && <>[]q",
    "[](p -> <>q) && [](r -> <>s)",
    "(<>[]p -> []<>q) && <>r",
    "[]<>p && []<>q && []<>r",
    // Nested untils and releases, from the literature on translations.
    "p U q",
    "p U (q U r)",
    "!(p U (q U r))",
    "(p U q) U r",
    "p V q",
    "(p V q) V r",
    "[]<>p -> []<>(q && r)",
    "<>p U []q",
    "[]p U q",
    "!(<><>p <-> <>p)",
    "!([]<>p -> <>q)",
    "!([]<>p <-> []<>q)",
    "p V (p || q)",
    "<>(p && <>q)",
    "<>(p && <>(q && <>r))",
    "<>q && (!q U p)",
    "[](p -> (q U r))",
    "(p U q) || (q U p)",
    "<>[](p U q)",
    "[](<>p && <>q)",
    "(p U q) && (r U s)",
    "!(p U q) && <>r",
    "[](p || []q) && [](r || []!q)",
    "[]<>(p -> <>q)",
    "!([](p -> <>(q && <>r)))",
];

fn spin(arguments: &[&str], folder: &std::path::Path) -> Option<String> {
    match Command::new("spin").args(arguments).current_dir(folder).output() {
        Ok(output) => {
            let text =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "spin {arguments:?} should succeed: {text}");
            Some(text)
        }
        Err(error) => {
            eprintln!("SKIPPED: spin cannot be run ({error}); automata are not compared with its claims");
            None
        }
    }
}

/// States of a claim, whatever their labels.
fn n_states(claim: &str) -> usize {
    claim.lines().filter(|line| matches!(line.trim(), "do" | "if" | "skip" | "skip;" | "false;")).count()
}

#[test]
fn no_larger_than_those_of_spin() {
    let folder = tempfile::tempdir().expect("a folder should be possible");
    let (mut ours, mut theirs) = (0, 0);
    for formula in FORMULAS {
        let Some(claim) = spin(&["-f", formula], folder.path()) else { return };
        let parsed = parse(formula, &Options { dialect: Dialect::Spin, base: 0 }).expect("the formula should parse");
        let automaton = translate(&parsed.formula, 10_000).expect("the automaton should be small");
        let (our, their) = (automaton.n_states, n_states(&claim));
        println!("{our:3} {their:3}  {formula}");
        assert!(our <= their, "{formula}: {our} states, SPIN has {their}\n{automaton}\n{claim}");
        ours += our;
        theirs += their;
    }
    println!("{ours:3} {theirs:3}  states of {} formulas, ours and SPIN's", FORMULAS.len());
}

#[test]
fn spin_accepts_our_claims() {
    let folder = tempfile::tempdir().expect("a folder should be possible");
    for formula in FORMULAS.iter().chain(&["false", "true", "X p", "[](p M X q)"]) {
        let parsed = parse(formula, &Options::default()).expect("the formula should parse");
        let automaton = translate(&parsed.formula, 10_000).expect("the automaton should be small");
        let claim = never_claim(&automaton, &|atom| parsed.name(atom), formula);
        let model = format!("bool p, q, r, s;\nactive proctype P() {{ do :: p = !p :: q = !q od }}\n{claim}");
        fs::write(folder.path().join("model.pml"), &model).expect("the model should be written");
        let Some(text) = spin(&["-a", "model.pml"], folder.path()) else { return };
        assert!(!text.contains("rror"), "{text}\n{model}");
    }
}

/// SPIN's own claim as an automaton. A line of a state is `:: (guard) -> goto label`, or `:: atomic { (guard) -> assert(..)
/// }` for an edge to the end of the claim, which accepts everything.
fn read_claim(claim: &str) -> Buchi {
    let labels: Vec<&str> = claim.lines().filter_map(|line| line.strip_suffix(':')).collect();
    let end = labels.len();
    // Several labels may stand at one state; each gets the edges, and all accept if one does.
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); end + 1];
    let mut accepting: Vec<bool> = labels.iter().map(|label| label.starts_with("accept")).collect();
    accepting.push(true);
    let everything = |target| Edge { guard: Guard::truth(), target };
    edges[end].push(everything(end));
    let mut states: Vec<usize> = Vec::new();
    let mut after_edges = true;
    for line in claim.lines() {
        if let Some(label) = line.strip_suffix(':') {
            if std::mem::take(&mut after_edges) {
                states.clear();
            }
            states.push(labels.iter().position(|other| *other == label).expect("labels should be known"));
            let accepts = states.iter().any(|state| accepting[*state]);
            states.iter().for_each(|state| accepting[*state] = accepts);
            continue;
        }
        let line = line.trim();
        after_edges |= line == "skip" || line.starts_with("::");
        let edge = if line == "skip" {
            everything(end)
        } else if line == ":: false" {
            continue;
        } else if let Some(choice) = line.strip_prefix(":: ") {
            let (guard, target) = match choice.strip_prefix("atomic { ") {
                Some(choice) => (choice.split_once(" -> assert").expect("an assertion should follow").0, end),
                None => {
                    let (guard, label) = choice.split_once(" -> goto ").expect("a jump should follow");
                    (guard, labels.iter().position(|other| *other == label).expect("labels should be known"))
                }
            };
            Edge { guard: read_guard(guard), target }
        } else {
            continue;
        };
        for state in &states {
            edges[*state].push(edge.clone());
        }
    }
    let initial = labels.iter().position(|label| label.ends_with("init")).expect("a claim should start somewhere");
    Buchi { n_states: end + 1, initial, edges, accepting }
}

const NAMES: [&str; 4] = ["p", "q", "r", "s"];

/// All letters that fulfil the expression, each a cube.
fn read_guard(text: &str) -> Guard {
    let parsed = parse(text, &Options { dialect: Dialect::Spin, base: 0 }).expect("guards should parse");
    let holds = |letter: u64| {
        let renumbered = parsed.formula.map_atoms(&mut |atom| {
            let number = NAMES.iter().position(|name| *name == parsed.name(atom)).expect("atoms should be known");
            unpick_logic::Formula::atom(number as u32)
        });
        Lasso { prefix: Vec::new(), cycle: vec![letter] }.satisfies(&renumbered)
    };
    let letters = (0..16).filter(|letter| holds(*letter));
    Guard::new(letters.map(|letter| Cube { positive: letter, negative: !letter & 15 }))
}

#[test]
fn spins_claims_accept_what_satisfies() {
    let folder = tempfile::tempdir().expect("a folder should be possible");
    for formula in FORMULAS {
        let Some(claim) = spin(&["-f", formula], folder.path()) else { return };
        let theirs = read_claim(&claim);
        let parsed = parse(formula, &Options { dialect: Dialect::Spin, base: 0 }).expect("the formula should parse");
        let ours = parsed.formula.map_atoms(&mut |atom| {
            let number = NAMES.iter().position(|name| *name == parsed.name(atom)).expect("atoms should be known");
            unpick_logic::Formula::atom(number as u32)
        });
        let mut seed = 12345u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..60 {
            let (n_prefix, n_cycle) = (random(4), 1 + random(4));
            let prefix = (0..n_prefix).map(|_| random(16)).collect();
            let word = Lasso { prefix, cycle: (0..n_cycle).map(|_| random(16)).collect() };
            assert_eq!(theirs.accepts(&word), word.satisfies(&ours), "{formula}: {word:?}\n{claim}");
        }
    }
}

/// A stream of numbers that is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    /// A formula as SPIN writes it, without `X`, which SPIN has to be compiled for.
    fn formula(&mut self, depth: u64) -> String {
        if depth == 0 || self.below(12) == 0 {
            return NAMES[self.below(4) as usize].to_owned();
        }
        let (left, right) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.below(10) {
            0 | 1 => format!("[] ({left})"),
            2 | 3 => format!("<> ({left})"),
            4 => format!("! ({left})"),
            5 => format!("(({left}) && ({right}))"),
            6 => format!("(({left}) || ({right}))"),
            7 => format!("(({left}) -> ({right}))"),
            8 => format!("(({left}) U ({right}))"),
            _ => format!("(({left}) V ({right}))"),
        }
    }

    fn word(&mut self) -> Lasso {
        let (n_prefix, n_cycle) = (self.below(4), 1 + self.below(4));
        let prefix = (0..n_prefix).map(|_| self.below(16)).collect();
        Lasso { prefix, cycle: (0..n_cycle).map(|_| self.below(16)).collect() }
    }
}

/// Random formulas: both automata accept the same words, and ours is no larger nine times out of ten. How many are tried
/// says `UNPICK_FORMULAS`; `cargo xtask ltl` asks for a thousand.
#[test]
fn random_formulas_agree_with_spin() {
    let folder = tempfile::tempdir().expect("a folder should be possible");
    let n_formulas = std::env::var("UNPICK_FORMULAS").ok().and_then(|text| text.parse().ok()).unwrap_or(40_u64);
    let (mut n_compared, mut n_smaller, mut n_larger, mut ours_total, mut theirs_total) = (0, 0, 0, 0, 0);
    for seed in 1..=n_formulas {
        let mut random = Random(seed);
        let depth = 1 + seed % 3;
        let text = random.formula(depth);
        let Some(claim) = spin(&["-f", &text], folder.path()) else { return };
        let theirs = read_claim(&claim);
        let parsed = parse(&text, &Options { dialect: Dialect::Spin, base: 0 }).expect("the formula should parse");
        let formula = parsed.formula.map_atoms(&mut |atom| {
            let number = NAMES.iter().position(|name| *name == parsed.name(atom)).expect("atoms should be known");
            unpick_logic::Formula::atom(number as u32)
        });
        let ours = translate(&formula, 10_000).expect("the automaton should be small");
        for _ in 0..50 {
            let word = random.word();
            let is_satisfied = word.satisfies(&formula);
            assert_eq!(ours.accepts(&word), is_satisfied, "{text}: {word:?}\n{ours}");
            assert_eq!(theirs.accepts(&word), is_satisfied, "{text}: {word:?}\n{claim}");
        }
        let (our, their) = (ours.n_states, n_states(&claim));
        n_compared += 1;
        n_smaller += usize::from(our < their);
        if our > their {
            n_larger += 1;
            println!("{our:3} {their:3}  {text}");
        }
        ours_total += our;
        theirs_total += their;
    }
    println!(
        "{n_compared} formulas: {ours_total} states, SPIN {theirs_total}; smaller {n_smaller}, larger {n_larger} times"
    );
    assert!(n_larger * 10 <= n_compared, "{n_larger} of {n_compared} automata are larger than SPIN's");
}
