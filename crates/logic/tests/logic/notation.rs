//! Notations of formulas: what is an operator, what an expression of the host language, and what is refused.

use proptest::prelude::*;
use unpick_logic::parse::{Dialect, Options, Parsed, parse};

use crate::random;

fn common(text: &str) -> Parsed {
    parse(text, &Options::default()).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// The structure with numbered atoms, and the atoms.
fn read(text: &str) -> String {
    show(&common(text))
}

fn read_spin(text: &str) -> String {
    let options = Options { dialect: Dialect::Spin, base: 0 };
    show(&parse(text, &options).unwrap_or_else(|error| panic!("{text}: {error:?}")))
}

fn show(parsed: &Parsed) -> String {
    let atoms: Vec<&str> = parsed.atoms.iter().map(|atom| &*atom.text).collect();
    format!("{:?}: {}", parsed.formula, atoms.join(", "))
}

#[test]
fn both_notations() {
    for text in ["[](p -> <>q)", "G(p => F q)", "always (p implies eventually q)", "[ ] ( p->(<>q))", "[](p -> <> (q))"]
    {
        assert_eq!(read(text), "[](a0 -> <>a1): p, q", "{text}");
    }
    assert_eq!(read("[] /* all */ (p -> // some\n <>q)"), read("[](p -> <>q)"));
    assert_eq!(read("p U q"), read("p until q"));
    assert_eq!(read("p V q"), read("p R q"));
    assert_eq!(read("p W q"), read("p weakuntil q"));
    assert_eq!(read("!p && q || r <-> X s"), "((!a0 && a1) || a2) <-> X a3: p, q, r, s");
    assert_eq!(read("not p and q or r equivalent next s"), read("!p && q || r <-> X s"));
    assert_eq!(read("~p /\\ q \\/ r <=> X s"), read("!p && q || r <-> X s"));
    assert_eq!(read("<>true || []false"), "<>true || []false: ");
}

#[test]
fn precedence_and_associativity() {
    assert_eq!(read("[] a U b"), "([]a0) U a1: a, b".replace("([]a0)", "[]a0"));
    assert_eq!(read("a U b U c"), "a0 U (a1 U a2): a, b, c");
    assert_eq!(read_spin("a U b U c"), "(a0 U a1) U a2: a, b, c");
    assert_eq!(read("a -> b -> c"), "a0 -> (a1 -> a2): a, b, c");
    assert_eq!(read_spin("a -> b -> c"), "(a0 -> a1) -> a2: a, b, c");
    assert_eq!(read_spin("a <-> b -> c"), "(a0 <-> a1) -> a2: a, b, c");
    assert_eq!(read("a -> b && <>c"), "a0 -> (a1 && <>a2): a, b, c");
    assert_eq!(read("a && b U c"), "a0 && (a1 U a2): a, b, c");
}

#[test]
fn expressions_of_the_host() {
    assert_eq!(read("[]<>(in_cs0)"), "[]<>a0: in_cs0");
    assert_eq!(read("[](count <= 1 -> <>(x == y && p->z > 3))"), "[](a0 -> <>a1): count <= 1, x == y && p->z > 3");
    assert_eq!(read("[] x == 1"), "[]a0: x == 1");
    assert_eq!(read("<> (a + b) * 2 > c[i]"), "<>a0: (a + b) * 2 > c[i]");
    assert_eq!(read("<> f(a, b && c) U (int) x"), "<>a0 U a1: f(a, b && c), (int) x");
    assert_eq!(read("<>(a ? b : c)"), "<>a0: a ? b : c");
    assert_eq!(read("[]!crit@P && <>P[0]@done"), "[]!a0 && <>a1: crit@P, P[0]@done");
    assert_eq!(read("!x == y"), "a0: !x == y");
    assert_eq!(read("!(x == y)"), "!a0: x == y");
    assert_eq!(read("!p->x U !t[i]"), "!a0 U !a1: p->x, t[i]");
    assert_eq!(read("<>(s[0] == '(' && name == \"]\")"), "<>(a0 && a1): s[0] == '(', name == \"]\"");
    assert_eq!(read("x==1 && <>( x == 1 )"), "a0 && <>a0: x==1");
    assert_eq!(read("<>{ X(y) & 1 }"), "<>a0: X(y) & 1");
    assert_eq!(read("[](flags & MASK)"), "[]a0: flags & MASK");
    assert_eq!(read("x == -1 -> y != -2"), "a0 -> a1: x == -1, y != -2");
}

#[test]
fn guards_keep_what_they_guard() {
    assert_eq!(read("[](p && p->x)"), "[]a0: p && p->x");
    assert_eq!(read("[](p -> p->x > 1)"), "[]a0: !(p) || (p->x > 1)");
    assert_eq!(read("[]((p) && (p->x) && <>q)"), "[](a0 && <>a1): (p) && (p->x), q");
    assert_eq!(read("[](i < n <-> t[i] == 0)"), "[]a0: !(i < n) == !(t[i] == 0)");
    assert_eq!(read("[](i < n and t[i])"), "[]a0: (i < n) && (t[i])");
    assert_eq!(read("[]!(p == 0 || p->x)"), "[]!a0: p == 0 || p->x");
    assert_eq!(read("p->x && p"), "a0 && a1: p->x, p");
    assert_eq!(read("n != 0 -> m / n > 1"), "a0: !(n != 0) || (m / n > 1)");
}

#[test]
fn operator_names_as_names() {
    assert_eq!(read("[](X == 3)"), "[]a0: X == 3");
    assert_eq!(read("<> X"), "<>a0: X");
    assert_eq!(read("X U q"), "a0 U a1: X, q");
    assert_eq!(read("X X U q"), "X a0 U a1: X, q");
    assert_eq!(read("G (U > 1) U V"), "[]a0 U a1: U > 1, V");
    assert_eq!(read("F U G"), "a0 U a1: F, G");
    assert_eq!(read("<>(f(G, X) && U)"), "<>(a0 && a1): f(G, X), U");
    assert_eq!(read("<>(X + 1 > G)"), "<>a0: X + 1 > G");
    assert_eq!(read("<>(list->next == 0)"), "<>a0: list->next == 0");
    assert_eq!(read("<>(list->next->until (x))"), "<>a0: list->next->until (x)");
    assert_eq!(read("<>(s.X (1))"), "<>a0: s.X (1)");
    assert_eq!(read("G F p"), "[]<>a0: p");
    assert_eq!(read("G U"), "[]a0: U");
    assert_eq!(read_spin("[](G && F)"), "[](a0 && a1): G, F");
    assert_eq!(read_spin("p U q"), "a0 U a1: p, q");
    assert_eq!(read_spin("[](p->q)"), "[](a0 -> a1): p, q");
    assert_eq!(read("[](p->q)"), "[]a0: p->q");
    assert_eq!(read_spin("<>(q?[ack] && P[1]:x == 2)"), "<>a0: q?[ack] && P[1]:x == 2");
    assert_eq!(read("<>(sizeof(struct U *) > X)"), "<>a0: sizeof(struct U *) > X");
}

#[test]
fn signs_with_two_meanings() {
    assert_eq!(read("G a & F b"), "[]a0 && <>a1: a, b");
    assert_eq!(read("F b & G a | c"), "(<>a0 && []a1) || a2: b, a, c");
    assert_eq!(read("(G a) & b"), "[]a0 && a1: a, b");
    assert_eq!(read("~G a"), "![]a0: a");
    assert_eq!(read("[]~a"), "[]!a0: a");
    for text in ["G a & b", "a | b U c", "a U b & c", "[](a | ~b)", "[](req)->ack"] {
        assert!(parse(text, &Options::default()).is_err(), "{text}");
    }
    assert_eq!(read("(<>req)->ack"), "<>a0 -> a1: req, ack");
    assert_eq!(read("f(x)->ack"), "a0: f(x)->ack");
}

#[test]
fn mistakes_are_explained_in_their_place() {
    let cases = [
        ("", 0, 0, "the formula ends where an operand should stand"),
        ("[](p", 2, 3, "`(` is never closed"),
        ("p)", 1, 2, "`)` closes nothing"),
        ("p && ", 5, 5, "the formula ends where an operand should stand"),
        ("p && && q", 5, 7, "an operand should stand before `&&`"),
        ("p Until q", 2, 7, "an operator should stand before `Until`"),
        ("p <> q", 2, 4, "an operator should stand before `<>`"),
        ("f(<>p)", 2, 4, "the operator `<>` stands inside an expression"),
        ("([]p) == 1", 1, 3, "the operator `[]` stands inside an expression"),
        ("<>p ? q : r", 4, 5, "`?` beside operators of the formula"),
        ("p ` q", 2, 3, "``` has no meaning in a formula"),
        ("'a", 0, 1, "`'` is never closed"),
        ("[]{}", 3, 4, "an operand should stand before `}`"),
        ("()", 1, 2, "an operand should stand before `)`"),
    ];
    for (text, lo, hi, message) in cases {
        let options = Options { base: 100, ..Options::default() };
        let error = parse(text, &options).expect_err(text);
        assert_eq!((error.span.lo, error.span.hi, &*error.message), (100 + lo, 100 + hi, message), "{text}");
        assert!(error.help.is_some(), "{text}");
    }
}

#[test]
fn limits_are_errors() {
    let deep = [
        format!("{}p{}", "(".repeat(20_000), ")".repeat(20_000)),
        format!("{}p", "!".repeat(20_000)),
        format!("{}p", "[]".repeat(20_000)),
        format!("p{}", " U p".repeat(20_000)),
        format!("p{}", " -> p".repeat(20_000)),
        format!("p{}", " <-> p".repeat(20_000)),
        format!("{}p{}", "[](".repeat(150), ")".repeat(150)),
    ];
    for text in deep {
        for dialect in [Dialect::Common, Dialect::Spin] {
            let error = parse(&text, &Options { dialect, base: 0 }).expect_err("deep formulas should be refused");
            assert!(error.message.contains("nested deeper"), "{}", error.message);
        }
    }
    common(&format!("p{}", " && p".repeat(20_000)));
    let many = (0..65).map(|at| format!("p{at}")).collect::<Vec<_>>().join(" && ");
    assert!(parse(&many, &Options::default()).expect_err("many atoms should be refused").message.contains("64"));
}

/// Pieces of formulas and of C, and a few characters that are neither.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[]", "<>", "->", "<->", "&&", "||", "!", "~", "&", "|", "=>", "<=>", "U", "V", "W", "X", "G", "F", "R", "M",
        "until", "next", "not", "and", "(", ")", "[", "]", "{", "}", "p", "q", "x", "1", "0", "==", "<", "-", "*", ".",
        ",", "?", ":", "=", "'c'", "\"s\"", "'", "@", "true", " ", " ", " ", "é", "\\", "/\\", "sizeof", "struct",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn formulas_read_back(formula in random::formula(4)) {
        let names = ["p", "x == 1", "X", "t[0]"];
        let text = formula.display(&|atom| names[atom.0 as usize].to_owned()).to_string();
        let parsed = common(&text);
        let number = |atom| names.iter().position(|name| *name == parsed.name(atom));
        let back = parsed.formula.map_atoms(&mut |atom| match number(atom) {
            Some(number) => unpick_logic::Formula::atom(number as u32),
            None => unpick_logic::Formula::atom(99),
        });
        // What stays together for its guard reads as one atom; otherwise the tree is the same.
        if parsed.atoms.iter().all(|atom| names.contains(&&*atom.text)) {
            prop_assert_eq!(back, formula, "{}", text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*", soup in soup()) {
        for text in [text, soup] {
            for dialect in [Dialect::Common, Dialect::Spin] {
                match parse(&text, &Options { dialect, base: 0 }) {
                    Err(error) => prop_assert!(error.span.lo <= error.span.hi && error.span.hi as usize <= text.len()),
                    Ok(parsed) => {
                        for atom in parsed.atoms.iter().filter(|atom| atom.verbatim) {
                            prop_assert_eq!(&text[atom.span.lo as usize..atom.span.hi as usize], &*atom.text);
                        }
                        // What is printed is read as the same formula over the same expressions.
                        let again = parsed.formula.display(&|atom| format!("{{{}}}", parsed.name(atom))).to_string();
                        prop_assert_eq!(common(&again).formula, parsed.formula, "{} {}", text, again);
                    }
                }
            }
        }
    }
}
