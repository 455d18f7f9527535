//! Endless executions: the search on all cores, reduced or not, over plain or compressed states, says what the plain
//! sequential one says, and every execution that it shows is one that violates the claim.

use proptest::prelude::*;
use unpick_automaton::Model;
use unpick_automaton::interp::Machine;
use unpick_base::SourceMap;
use unpick_engine_explicit::couvreur::{self, LivenessEnd};
use unpick_engine_explicit::vector_search::Order;
use unpick_engine_explicit::vector_search::cycles::{self, CycleOptions};
use unpick_front_promela::compile;
use unpick_front_promela::session::Session;
use unpick_store::{ExactStore, NumberedTreeStore};
use unpick_system::{Budget, Halt, Interpreted, LivenessProperty, Product, Snapshot, Stats};
use unpick_witness::replay_run;

/// Larger models are left alone.
const MAX_STATES: u64 = 20_000;

fn read(text: &str) -> Result<Model, String> {
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a model should fit");
    let model = compile(&mut session, index);
    model.ok_or_else(|| session.diagnostics.iter().map(|found| format!("{}\n", found.message)).collect())
}

fn is_violated(model: &Model, end: &LivenessEnd) -> Option<bool> {
    match end {
        LivenessEnd::Exhausted => Some(false),
        LivenessEnd::Violated(run) => {
            let replayed = replay_run(model, &SourceMap::default(), run);
            assert!(replayed.is_ok(), "{replayed:?}: {run:?}");
            Some(true)
        }
        LivenessEnd::Mismatch(impossible) => panic!("the interpreter should follow the search: {impossible}"),
        LivenessEnd::Halted(_) => None,
        LivenessEnd::Lost => panic!("an execution of the reduced model should be one of the model"),
    }
}

/// Compares all ways to decide a claim; the states of the plain one, and of the reduced one.
fn compare(model: &Model, watch: LivenessProperty, is_fair: bool) -> Option<[Stats; 2]> {
    // Without a first state there is nothing that a claim could look at.
    Machine::new(model).initial().ok()?;
    let beside = model.beside_claim();
    let model = if watch == LivenessProperty::Accepted { model } else { &beside };
    let step = Interpreted::new(model);
    let product = Product::new(&step, &model.claims, watch, is_fair);
    let patience = |snapshot: &Snapshot| (snapshot.states > MAX_STATES).then_some(Halt::Time);
    let budget = Budget { control: &patience, ..Budget::UNLIMITED };
    let (end, plain) = couvreur::search(&product, &ExactStore::new(None), &budget);
    let expected = is_violated(model, &end)?;
    if !cycles::is_possible(&product) {
        return None;
    }
    let mut least = plain;
    for n_workers in [1, 2] {
        for (reduces, order) in [(false, Order::Breadth), (true, Order::Breadth), (true, Order::Depth)] {
            let options = CycleOptions { reduces, order };
            let ends = [
                cycles::search(&product, &ExactStore::with_workers(None, n_workers), options, &budget),
                cycles::search(&product, &NumberedTreeStore::with_workers(None, n_workers), options, &budget),
            ];
            for (end, stats) in ends {
                let Some(found) = is_violated(model, &end) else { continue };
                assert_eq!(found, expected, "{watch:?} fair {is_fair}, {n_workers} workers, reduces {reduces}");
                if !expected && !reduces {
                    assert_eq!(stats.states, plain.states, "{watch:?}");
                }
                assert!(expected || stats.states <= plain.states, "{watch:?}: {} states", stats.states);
                if reduces {
                    least = stats;
                }
            }
        }
    }
    (!expected).then_some([plain, least])
}

fn compare_all(model: &Model) -> (usize, u64, u64) {
    let claims = (0..model.claims.len()).map(LivenessProperty::Claim);
    let (mut n_compared, mut n_plain, mut n_reduced) = (0, 0, 0);
    for watch in claims.chain([LivenessProperty::Accepted, LivenessProperty::NonProgress]) {
        for is_fair in [false, true] {
            n_compared += 1;
            if let Some([plain, reduced]) = compare(model, watch, is_fair) {
                n_plain += plain.states;
                n_reduced += reduced.states;
            }
        }
    }
    (n_compared, n_plain, n_reduced)
}

#[test]
fn models_get_the_same_answers() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/promela");
    let mut n_compared = 0;
    for folder in std::fs::read_dir(root).expect("the models should be there") {
        let folder = folder.expect("a folder should be readable").path();
        for entry in std::fs::read_dir(folder).expect("a folder should be readable") {
            let path = entry.expect("a folder should be readable").path();
            let text = std::fs::read_to_string(&path).expect("a model should be readable");
            let Ok(model) = read(&text) else { continue };
            if !model.has_code && model.traces.is_empty() {
                n_compared += compare_all(&model).0;
            }
        }
    }
    assert!(n_compared > 200, "only {n_compared} claims were compared");
}

/// The reduction has to be worth its name where processes mind their own business.
#[test]
fn reduction_leaves_states_out() {
    let text = "byte done; active [3] proctype worker() { byte k; do :: k < 5 -> k++ :: else -> break od; done++ }
                ltl p { <> (done == 3) }";
    let model = read(text).expect("the model should be right");
    let [plain, reduced] = compare(&model, LivenessProperty::Claim(0), false).expect("the claim should hold");
    assert!(reduced.states * 4 < plain.states, "{} of {} states", reduced.states, plain.states);
}

fn statement() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x = 1 - x",
        "y = (y + 1) % 3",
        "x == 1",
        "y != 0",
        "x = 1",
        "y = 0",
        "q!x",
        "q?x",
        "r!1",
        "r?l",
        "l = 1 - l",
        "m = (m + 1) % 3",
        "l == 1",
        "m == 0",
        "m = y",
        "y = m",
        "atomic { x == 0 -> x = 1; m = 0 }",
        "d_step { l = y; y = 0 }",
        "len(q) == 0",
        "skip",
        "timeout",
    ]);
    leaf.prop_map(str::to_owned)
}

fn body() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        4 => statement(),
        1 => statement().prop_map(|statement| format!("accept_@: {statement}")),
        1 => statement().prop_map(|statement| format!("progress_@: {statement}")),
        1 => statement().prop_map(|statement| format!("here_@: {statement}")),
    ];
    let sequence = prop::collection::vec(step, 1..4);
    let options = prop::collection::vec(sequence.clone(), 1..3);
    (sequence, options, any::<bool>(), any::<bool>()).prop_map(|(first, options, is_loop, has_break)| {
        let mut text = first.join("; ");
        text += if is_loop { "; do" } else { "; if" };
        for option in &options {
            // A label belongs behind the first statement of an option.
            text += &format!("\n:: skip; {}", option.join("; "));
        }
        if has_break && is_loop {
            text += "\n:: break";
        }
        text += if is_loop { " od" } else { " fi" };
        let mut parts = text.split('@');
        let mut numbered = parts.next().unwrap_or_default().to_owned();
        parts.enumerate().for_each(|(number, part)| numbered += &format!("{number}{part}"));
        numbered
    })
}

fn formula() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "x == 1",
        "y == 2",
        "y == 0",
        "len(q) == 1",
        "one[0]@here_0",
        "_nr_pr == 2",
        "x == y",
    ]);
    let shape = prop::sample::select(vec![
        "<> (A)",
        "[] (A)",
        "[]<> (A)",
        "<>[] (A)",
        "[] ((A) -> <> (B))",
        "(A) U (B)",
        "[]<> (A) -> []<> (B)",
        "<>[] (A) -> []<> (B)",
        "!((A) U (B))",
        "[] ((A) -> ((A) U (B)))",
        "<> ((A) && <> (B))",
        "X (A)",
    ]);
    (shape, atom.clone(), atom).prop_map(|(shape, a, b)| shape.replace('A', a).replace('B', b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_models_get_the_same_answers(bodies in prop::collection::vec(body(), 2..4), formula in formula()) {
        let mut text = String::from("byte x, y; chan q = [2] of { byte }; chan r = [0] of { byte };\n");
        for (name, body) in ["one", "two", "three"].iter().zip(&bodies) {
            text += &format!("active proctype {name}() {{ byte l, m;\n{body}\n}}\n");
        }
        text += &format!("ltl p {{ {formula} }}\n");
        let model = read(&text).or_else(|_| read(&text.replace("one[0]@here_0", "x == 2")));
        if let Ok(model) = model {
            compare_all(&model);
        }
    }
}
