//! Extracted models, checked by SPIN. Tests named `row_N` show row N of the list that the specification of tables ends
//! with; rows 9, 11 and 12 have further ones among those of the commands.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;

use unpick_automaton::interp::{Control, Machine};
use unpick_base::{Diagnostics, Severity};
use unpick_extract::entry::{Entry, entries};
use unpick_extract::extraction::{Decided, Inputs, Program};
use unpick_extract::harness::Harness;
use unpick_extract::report::{Changes, Figures, explain, refreshed};
use unpick_front_c::session::Session;

/// A program, its table and what came of it.
struct Case {
    session: Session,
    program: Program,
}

impl Case {
    fn new(source: &str, inputs: Inputs) -> Case {
        let mut session = Session::default();
        let index = session.sources.add("case.c", source).expect("a case should be small");
        let unit = unpick_front_c::analyse(&mut session, index);
        let program = Program::new(
            vec![unit],
            inputs,
            &mut session.interner,
            &mut session.sources,
            &mut session.diagnostics,
            &mut |path| Err(format!("cannot read {path}")),
        );
        Case { session, program }
    }

    fn tabled(source: &str, table: &str) -> Case {
        Case::new(source, Inputs { table: Some(("case.map".into(), table.into())), ..Inputs::default() })
    }

    /// What the decisions say, or the errors.
    fn decide<T>(&mut self, ask: impl FnOnce(&Decided<'_>) -> T) -> Result<T, Vec<String>> {
        let mut diagnostics: Diagnostics = std::mem::take(&mut self.session.diagnostics);
        let decided = self.program.decide(&self.session.interner, &self.session.sources, &mut diagnostics);
        let errors = diagnostics.iter().filter(|item| item.severity == Severity::Error);
        let errors: Vec<String> = errors.map(|item| item.message.clone()).collect();
        decided.map(|decided| ask(&decided)).ok_or(errors)
    }

    fn model(&mut self) -> String {
        self.decide(|decided| decided.model("", true).text).expect("the table should be right")
    }

    fn raw_model(&mut self) -> String {
        self.decide(|decided| decided.model("", false).text).expect("the table should be right")
    }

    fn entries(&mut self) -> Vec<Entry> {
        self.decide(|decided| entries(&decided.context, &decided.decisions)).expect("the table should be right")
    }
}

fn processes(names: &[&str]) -> Harness {
    Harness { processes: names.iter().map(|name| (*name).to_owned()).collect(), ..Harness::default() }
}

/// What SPIN says: whether there is an error, and how many states there are without reductions.
fn spin(model: &str) -> (bool, u64) {
    let folder = tempfile(model);
    let run = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(&folder).output();
        let output = output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || program == "./pan", "{program} {args:?}\n{text}\n{model}");
        text
    };
    run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"]);
    run("cc", &["-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"]);
    let text = run(folder.join("pan").to_str().expect("paths should be text"), &["-c1", "-m100000"]);
    std::fs::remove_dir_all(&folder).expect("the scratch folder should be removable");
    let errors = text.split("errors: ").nth(1).unwrap_or_else(|| panic!("pan said {text}\n{model}"));
    let n_errors: u64 =
        errors.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number of errors");
    let line = text.lines().find(|line| line.contains("states, stored")).expect("a number of states");
    let n_states = line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number of states");
    if n_errors == 0 {
        assert_eq!(reached(model), n_states, "{model}");
    }
    (n_errors > 0, n_states)
}

/// How many states our own interpreter reaches.
fn reached(model: &str) -> u64 {
    let mut text = model.to_owned();
    for line in model.lines() {
        if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
            text = text.replace(line, "");
            text = replaced(&text, name, value);
        }
    }
    let mut session = unpick_front_promela::session::Session::default();
    let index = session.sources.add("model.pml", &text).expect("a model should fit");
    let model = unpick_front_promela::compile(&mut session, index);
    let model = model.unwrap_or_else(|| panic!("{:?}\n{text}", session.diagnostics));
    let machine = Machine::new(&model);
    let first = machine.initial().expect("the first state should exist");
    let mut states = HashSet::from([machine.key(&first).to_vec()]);
    let mut inner = HashSet::new();
    let mut waiting = vec![(first, Control::Any)];
    while let Some((state, control)) = waiting.pop() {
        let next = machine.successors(&state, control).expect("there should be a next state");
        let gives_up = next.is_empty() && control != Control::Any && states.insert(machine.key(&state).to_vec());
        if gives_up {
            waiting.push((state.clone(), Control::Any));
        }
        for successor in next {
            let is_new = match successor.control {
                Control::Any => states.insert(machine.key(&successor.state).to_vec()),
                Control::Only(_) => inner.insert((successor.state.clone(), successor.control)),
            };
            if is_new {
                waiting.push((successor.state, successor.control));
            }
        }
    }
    states.len() as u64
}

/// A text with one word replaced.
fn replaced(text: &str, name: &str, value: &str) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for character in text.chars().chain(std::iter::once('\n')) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        result.push_str(if word == name { value } else { &word });
        word.clear();
        result.push(character);
    }
    result
}

fn tempfile(model: &str) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("unpick-extract-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder should be possible");
    std::fs::write(folder.join("model.pml"), model).expect("the model should be writable");
    folder
}

fn example(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn alternating_bit() -> Case {
    let harness = Harness {
        declare: vec!["chan forth = [1] of { byte, byte };".into(), "chan back = [1] of { byte }; byte last;".into()],
        ..processes(&["sender", "receiver"])
    };
    let table = Some(("abp.map".into(), example("abp/abp.map")));
    Case::new(&example("abp/abp.c"), Inputs { table, harness, ..Inputs::default() })
}

#[test]
fn row_9_the_alternating_bit_protocol_is_mostly_extracted() {
    let mut case = alternating_bit();
    let figures = case.decide(|decided| Figures::new(decided, &decided.model("", true))).expect("the table is right");
    assert_eq!(figures.n_entries, 22);
    assert!(figures.explicit_percent() <= 50, "{figures:?}");
    assert!(figures.extracted_percent() >= 96, "{figures:?}");
    assert_eq!(spin(&case.model()), (false, 102));
}

#[test]
fn a_receiver_that_takes_everything_is_found_out() {
    let source = example("abp/abp.c").replace("if (in.seq == expected)", "if (in.seq != 2)");
    let mut case = alternating_bit();
    let harness = case.program.harness.clone();
    let table = Some(("abp.map".into(), example("abp/abp.map")));
    case = Case::new(&source, Inputs { table, harness, ..Inputs::default() });
    assert!(spin(&case.model()).0);
}

#[test]
fn row_1_every_condition_is_entered_twice() {
    let mut case = Case::tabled(&example("abp/abp.c"), "");
    let texts: Vec<String> = case.entries().iter().map(|entry| entry.text.clone()).collect();
    for text in ["in.seq == bit", "!(in.seq == bit)", "!from_receiver(&in)", "from_receiver(&in)"] {
        assert!(texts.iter().any(|known| known == text), "{text} in {texts:?}");
    }
    let mut sort = Case::tabled(&example("quicksort/quicksort.c"), "");
    assert_eq!(sort.entries().len(), 22);
    // The array, and what exchanges two elements, are not part of the procedure itself.
    let elsewhere = ["int v[4]", "int temp", "temp = v[i]", "v[i] = v[j]", "v[j] = temp"];
    let own = sort.entries().iter().filter(|entry| !elsewhere.contains(&entry.text.as_str())).count();
    assert_eq!(own, 17);
}

#[test]
fn row_2_incomplete_sources_give_models() {
    let source = "extern int limit; int level(struct pump *p);\n\
                  void step(struct pump *p) { int n = level(p); if (n > limit) stop(p); else while (!ready(p)) wait_for(p); }";
    let mut case = Case::new(source, Inputs::default());
    assert!(!spin(&case.model()).0);
}

#[test]
fn row_3_one_row_hides_all_calls() {
    let source = "int x; void f(void) { trace(\"a\"); x = 1; trace(\"b\", x); }";
    let hidden = Case::tabled(source, "trace(...\thide\n").model();
    assert!(!hidden.contains("trace("), "{hidden}");
    let printed = Case::tabled(source, "trace(...\tprint\n").model();
    assert!(printed.contains("printf(\"trace('a')"), "{printed}");
}

#[test]
fn row_4_restriction_exact_point_abstraction() {
    let source = "unsigned char x, y; void f(void) { while (1) { x = (x + 1) % 5; if (x > 2) y = x; else y = 0; } }";
    let n_states = |table: &str| spin(&Case::tabled(source, table).model()).1;
    let (restricted, exact, abstracted) =
        (n_states("x > 2\tfalse\n!(x > 2)\ttrue\n"), n_states(""), n_states("x > 2\ttrue\n!(x > 2)\ttrue\n"));
    assert!(restricted < exact && exact < abstracted, "{restricted} {exact} {abstracted}");
}

const TIMER: &str = "int timer; int lost;
    void tick(void) { while (1) { if (timer > 0) { timer--; if (!(timer > 0)) lost = 1; } } }
    void set(void) { timer = 0; while (1) { timer = 60; timer = 10; if (lost) assert_not_lost(); timer = 0; } }";

#[test]
fn row_5_a_timer_becomes_a_truth_value() {
    let table = "D: int timer\tbool timer\nA: timer = 60\ttimer = true\nA: timer = 10\ttimer = true\n\
                 A: timer = 0\ttimer = false\nE: timer--\tif :: timer = true :: timer = false fi\n\
                 C: timer > 0\tkeep\nC: !(timer > 0)\tkeep\nassert_not_lost()\tassert(!lost)\n";
    let inputs = Inputs {
        table: Some(("timer.map".into(), table.into())),
        harness: processes(&["tick", "set"]),
        ..Inputs::default()
    };
    let model = Case::new(TIMER, inputs).model();
    let (is_wrong, n_states) = spin(&model);
    assert!(is_wrong && n_states < 200, "{n_states}\n{model}");
}

#[test]
fn row_6_rows_win_over_restrictions_over_defaults() {
    let source = "int x, y; void f(void) { x = 1; y = 2; x = y; }";
    let inputs = |table: &str, preferences: &str| Inputs {
        table: Some(("t.map".into(), table.into())),
        preferences: Some(("p".into(), preferences.into())),
        ..Inputs::default()
    };
    let why = |table: &str, preferences: &str, what: &str| {
        Case::new(source, inputs(table, preferences))
            .decide(|decided| explain(decided, what))
            .expect("a right table")
            .expect("an entry")
    };
    let all = "Default A comment\nRestrict x print\n";
    let text = why("x = 1\tskip\n", all, "x = 1");
    assert!(text.contains("the row `x = 1`") && text.contains("wins over the restriction of `x` to print"), "{text}");
    assert!(text.contains("default for a assignment, comment"), "{text}");
    assert!(why("", all, "x = 1").contains("the restriction of `x` to print"));
    assert!(why("", "Default A comment\n", "x = 1").contains("preferences' default"));
    assert!(why("", "", "x = 1").contains("built-in default: the model can hold it"));
    // The smallest rank wins among restrictions.
    assert!(why("", "Restrict x hide\nRestrict y print\n", "x = y").contains("the restriction of `y` to print"));
}

#[test]
fn row_7_hiding_the_only_assignment_is_an_error() {
    let source = "int level; int f(void) { level = 5; if (level > 3) return 1; return 0; }";
    let errors = Case::tabled(source, "level = 5\thide\n").decide(|_| ()).expect_err("the table is wrong");
    assert!(errors[0].contains("`level > 3` is kept, but `level` depends on `level = 5`"), "{errors:?}");
    // Restricted as a whole, the object is gone with all that depends on it.
    let preferences = Some(("p".into(), "Restrict level hide\n".into()));
    let model = Case::new(source, Inputs { preferences, ..Inputs::default() }).model();
    assert!(!model.contains(":: (level") && !model.contains("int level"), "{model}");
}

#[test]
fn calls_that_write_through_pointers_count_as_assignments() {
    let source = "int n; void read_it(int *p); void f(void) { read_it(&n); if (n) n = 0; }";
    let errors = Case::tabled(source, "read_it(&n)\thide\n").decide(|_| ()).expect_err("the table is wrong");
    assert!(errors[0].contains("`n` depends on `read_it(&n)`"), "{errors:?}");
    let model = Case::tabled(source, "").model();
    assert!(!model.contains("n = 0;"), "{model}");
    assert!(Case::tabled(source, "read_it(&n)\tif :: n = 0 :: n = 1 fi\n").model().contains("if"));
}

#[test]
fn wrong_tables_are_told_apart() {
    let source = "int x; void f(int *p) { x = 1; *p = 2; }";
    let errors = |table: &str| Case::tabled(source, table).decide(|_| ()).expect_err("the table is wrong").join("\n");
    assert!(errors("x = 2\thide\n").contains("no entry is `x = 2`"));
    assert!(errors("x = 1\tx = = 1\n").contains("the right side is no Promela"));
    assert!(errors("*p = 2\tkeep\n").contains("cannot be kept"));
    assert!(errors("Function g\nx = 1\thide\n").contains("no function with a body has this name"));
    assert!(errors("x = 1\tx = $v\n").contains("does not stand on the left side"));
}

#[test]
fn metavariables_carry_subexpressions_over() {
    let source = "struct s { int state; int other; } one; void f(int n) { one.state = n + 1; one.state = 4; }";
    let model = Case::tabled(source, "one.state = 4\tone.other = 2\none.state = $v\tone.other = $v\n");
    let mut model = model;
    model.program.harness = processes(&["f(3)"]);
    let text = model.model();
    assert!(text.contains("one.other = n + 1") && text.contains("one.other = 2"), "{text}");
}

#[test]
fn row_8_simplification_keeps_verdicts() {
    let source = "int x, y; void f(void) { while (1) { if (x > 3) { } if (y) x = 0; else y = 1; x++; check(x); } }";
    for bound in [3, 9] {
        let table =
            format!("x > 3\ttrue\n!(x > 3)\ttrue\ny\ttrue\n!y\tfalse\ncheck(x)\tassert(x < {bound}); x = x % 5\n");
        let mut case = Case::tabled(source, &table);
        let (simple, raw) = (case.model(), case.raw_model());
        assert!(simple.lines().count() < raw.lines().count());
        assert_eq!(spin(&simple).0, spin(&raw).0);
    }
}

#[test]
fn row_10_changed_sources_change_tables() {
    let old = "A: x = 1\tskip\nA: x = 2\tskip\nF: log(...\thide\n";
    let source = "int x, y; void f(void) { x = 1; x = 3; y = 7; log(x); }";
    let mut case = Case::tabled(source, old);
    let mut diagnostics = Diagnostics::new();
    let decided = case.program.decide_loosely(&case.session.interner, &case.session.sources, &mut diagnostics);
    let (text, changes): (String, Changes) = refreshed(&decided.expect("a readable table"), old);
    assert_eq!(changes.orphaned, ["x = 2"]);
    assert!(changes.changed().contains(&("x = 2".into(), "x = 3".into())), "{changes:?}");
    assert!(changes.new.contains(&"y = 7".into()));
    assert!(text.contains("# orphaned: A: x = 2") && text.contains("A: y = 7\tkeep"), "{text}");
    let _ = &mut case;
}

const THREADS: &str = "typedef unsigned long pthread_t; typedef struct { int x; } pthread_mutex_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
    int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
    void __assert_fail(const char *, const char *, unsigned, const char *);
    pthread_mutex_t m; int count;
    void *worker(void *arg) { int seen; LOCK seen = count; count = seen + 1; UNLOCK return 0; }
    int main(void) { pthread_t a, b; pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
        pthread_join(a, 0); pthread_join(b, 0);
        ((count == 2) ? (void)0 : __assert_fail(\"\", \"\", 1, \"\")); return 0; }";

#[test]
fn threads_and_locks_need_no_rows() {
    let locked = THREADS.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);");
    assert!(!spin(&Case::new(&locked, Inputs::default()).model()).0);
    let open = THREADS.replace("UNLOCK", "").replace("LOCK", "");
    assert!(spin(&Case::new(&open, Inputs::default()).model()).0);
}

#[test]
fn functions_that_call_themselves_become_processes_to_wait_for() {
    let source = "int v, w; int sum(int n) { if (n == 0) return 0; int rest = sum(n - 1); return rest + n; }
                  void f(void) { v = sum(4); check(v); }";
    let mut case = Case::tabled(source, "check(v)\tassert(v == 10)\n");
    case.program.harness = processes(&["f"]);
    let model = case.model();
    assert!(!spin(&model).0, "{model}");
}

#[test]
fn switches_fall_through() {
    let source = "enum e { RED, GREEN, BLUE }; enum e c; int n;
        void f(int k) { switch (c) { case RED: n++; case GREEN: n += 2; break; default: n = 9; if (n) break; n = 8; } check(n); }";
    let mut case = Case::tabled(source, "check(n)\tassert(n == 3)\n");
    case.program.harness = processes(&["f(1)"]);
    let model = case.model();
    assert!(model.contains("c == RED") && model.contains("#define RED 0"), "{model}");
    assert!(!spin(&model).0, "{model}");
}

#[test]
fn row_12_formulas_are_checked_on_models() {
    let source = "int x; void f(void) { while (1) { x = 1; x = 0; } }";
    let mut case = Case::new(source, Inputs::default());
    case.program.harness.ltl = vec![("live".into(), "[] <> (x == 1)".into())];
    let model = case.model();
    assert!(model.contains("ltl live { [] <> (x == 1) }"), "{model}");
    assert!(!spin(&model).0);
}

#[test]
fn functions_have_declarations_of_their_own() {
    let source = "extern int limit; int x, y; void f(void) { x = 3; y = 1; } void g(void) { x = 4; }";
    let table =
        "Import limit\nFunction f\nDeclare byte seen = 1\nx = $v\tseen = $v; \\\n x = seen + limit\nFunction *\n";
    let mut case = Case::tabled(source, table);
    case.program.harness = processes(&["f", "g"]);
    let model = case.model();
    let of =
        |name: &str| model.split("active proctype ").find(|part| part.starts_with(name)).expect("a process").to_owned();
    assert!(of("f").contains("byte seen = 1;") && of("f").contains("x = seen + limit"), "{model}");
    assert!(!of("g").contains("seen") && of("g").contains("x = 4") && model.contains("int limit;"), "{model}");
    assert!(!spin(&model).0);
}

#[test]
fn pointers_are_numbers_of_objects() {
    let source = "struct node { int value; struct node *next; }; struct node a, b, pool[3]; struct node *head; int n;
        void push(struct node *p) { p->next = head; head = p; }
        void f(void) { struct node *p; push(&a); push(&pool[1]); push(&b); pool[1].value = 2; b.value = 1; a.value = 4;
            n = 0; for (p = head; p != 0; p = p->next) n = n * 10 + p->value; check(n); head = 0; fail(); }";
    let mut case = Case::tabled(source, "check(n)\tassert(n == 124)\nfail()\tskip\n");
    case.program.harness = processes(&["f"]);
    let model = case.model();
    assert!(model.contains("a.next = head") && !model.contains("printf"), "{model}");
    assert!(!spin(&model).0, "{model}");
    // Through the null pointer there is nothing, in SPIN and here.
    let source = source.replace("fail();", "n = head->value;");
    let mut case = Case::tabled(&source, "check(n)\tassert(n == 124)\n");
    case.program.harness = processes(&["f"]);
    let model = case.model();
    assert!(spin(&model).0, "{model}");
}

#[test]
fn pointers_go_along_arrays() {
    let source = "int a[4]; int other; int *q; int total;
        void sum(int *v, int n) { int i; for (i = 0; i < n; i++) total += v[i]; }
        void f(void) { int *p; for (p = a; p < a + 4; p++) *p = p - a; q = &other; *q = 7; q = &a[2]; *q += 10; (*q)++;
            sum(a, 4); check(total); }";
    let mut case = Case::tabled(source, "check(total)\tassert(total == 17 && other == 7)\n");
    case.program.harness = processes(&["f"]);
    let model = case.model();
    assert!(!model.contains("printf") && !spin(&model).0, "{model}");
}

#[test]
fn addresses_without_a_number_take_the_pointer_with_them() {
    let source = "int x; void f(int y) { int *p = &x; p = &y; *p = 2; check(x); }";
    let mut case = Case::tabled(source, "check(x)\tskip\n");
    let model = case.model();
    assert!(!model.contains("byte p") && !model.contains("p == "), "{model}");
    assert!(!spin(&model).0);
}

#[test]
fn calls_through_pointers_are_choices() {
    let source =
        "int n; void up(int k) { n = n + k; } void down(int k) { n = n - k; } int twice(int k) { return 2 * k; }
        void (*step)(int); int (*map)(int);
        void f(void) { step = up; step(3); step = &down; step(1); map = twice; n = map(n); check(n); }";
    let mut case = Case::tabled(source, "check(n)\tassert(n == 4)\n");
    case.program.harness = processes(&["f"]);
    let entries: Vec<String> = case.entries().iter().map(|entry| entry.text.clone()).collect();
    assert!(
        entries.iter().any(|text| text == "step == down") && entries.iter().any(|text| text == "up(3)"),
        "{entries:?}"
    );
    let model = case.model();
    assert!(!spin(&model).0, "{model}");
    let wrong = source.replace("step = &down;", "step = up;");
    let mut case = Case::tabled(&wrong, "check(n)\tassert(n == 4)\n");
    case.program.harness = processes(&["f"]);
    assert!(spin(&case.model()).0);
}

#[test]
fn a_union_of_which_one_member_is_used_is_a_record() {
    let source =
        "union u { int number; char bytes[4]; } u; struct s { int tag; union { short a; int b; } value; } r[2]; int n;
        void f(void) { u.number = 5; r[1].value.b = u.number + 1; n = r[1].value.b; check(n); }";
    let mut case = Case::tabled(source, "check(n)\tassert(n == 6)\n");
    case.program.harness = processes(&["f"]);
    let model = case.model();
    assert!(!model.contains("printf") && !spin(&model).0, "{model}");
    // With two of them in use, what one holds depends on the other.
    let source = source.replace("n = r", "u.bytes[1] = 1; n = r");
    let mut case = Case::tabled(&source, "check(n)\tskip\n");
    case.program.harness = processes(&["f"]);
    let model = case.model();
    assert!(!model.contains("int number"), "{model}");
}

#[test]
fn allocated_objects_come_from_a_small_heap() {
    let source = "void *malloc(unsigned long); void free(void *);
        struct node { int value; struct node *next; }; struct node *head; int n;
        void push(int v) { struct node *p = malloc(sizeof(struct node)); if (!p) return; p->value = v; p->next = head; head = p; }
        void f(void) { struct node *p; push(1); push(2); p = head; head = p->next; free(p); push(3);
            n = 0; for (p = head; p; p = p->next) n = n * 10 + p->value; check(n); BODY }";
    let with = |body: &str| {
        let mut case = Case::tabled(&source.replace("BODY", body), "check(n)\tassert(n == 31)\n");
        case.program.harness = processes(&["f"]);
        case.model()
    };
    let model = with("");
    assert!(model.contains("heap_node") && !model.contains("printf") && !spin(&model).0, "{model}");
    // Freed twice.
    let model = with("p = head; free(p); free(p);");
    assert!(spin(&model).0, "{model}");
}
