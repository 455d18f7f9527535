//! Parser of formulas: SPIN's notation and the usual one, around expressions of a host language.
//!
//! A formula for a program speaks of the program's own expressions: `[](count <= 1 -> <>(p->next == q))`. The host
//! language is not known here, only that its expressions look like C. The rules:
//!
//! 1. **Structure comes first.** `[] <> -> <-> && || ! => <=> /\ \/`, the letters `G F X U V R W M` and the words `always
//!    eventually next until stronguntil weakuntil release implies equivalent and or not` are operators of the
//!    formula. What lies between them is host text; it becomes an atom, in parentheses or not. All host operators
//!    bind tighter than the formula's, except that `!x == y` is left to the host whole.
//! 2. **A word is an operator only where it can be one.** `X` needs an operand after it that does not begin with a
//!    binary sign, and `U` an operand on both sides: in `X == 3`, `(X + 1) > U`, `f(G, x)` and `<> X`, they are names. `X U q`
//!    is "`X` until `q`". `X (q)` is "next `q`".
//! 3. **`p->x` is a member, `p -> x` an implication.** Without spaces, between a name and a name, the host wins, unless the
//!    host is Promela, where there are no such members.
//! 4. **`&`, `|` and `~`** belong to the host (`flags & 4`) unless an operand has a temporal operator (`G a & F b`). Where
//!    both readings are possible and differ, it is an error. `~p` alone is `!p`.
//! 5. **Connectives split atoms if that cannot hurt.** `a && b == 1` makes two atoms. But in `p && p->x`, or
//!    `i < n -> t[i] == 0`, the right side may only be evaluated if the left side asks for it; such an expression stays
//!    one atom, with implications spelled as the host would (`!(i < n) || (t[i] == 0)`). So an atom never fails to
//!    evaluate because its guard was taken away.
//! 6. **Braces are host text** whatever is in them: `<>{ X(y) & 1 }`. So are `a, b`, `a ? b : c` and assignments, as far as
//!    they have no temporal operator inside.
//!
//! Unary operators bind tightest, then `U V R W M`, then `&&`, `||`, `->`, `<->`. Binary temporal operators and `->`
//! associate to the right; in SPIN's dialect everything associates to the left and `->` and `<->` bind alike.

use unpick_base::{Diagnostic, IdVec, Severity, Span};

use crate::formula::{AtomId, Formula};
use crate::guard::MAX_ATOMS;

mod atoms;
mod grammar;
mod lexer;
mod role;

pub(crate) use role::is_operator_word;

/// The deepest formula that is read, well below what [`translate`](crate::translate()) accepts.
const MAX_NESTING: usize = 200;

/// Whose notation is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// All operators; host expressions are C.
    #[default]
    Common,
    /// As in SPIN's `ltl` blocks: `G F R M` are names, `->` is never a member, associativity is SPIN's.
    Spin,
}

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whose notation.
    pub dialect: Dialect,
    /// The address of the text's first byte, to which all spans are relative.
    pub base: u32,
}

/// A host expression that stands for an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The expression.
    pub text: String,
    /// Where it stands first.
    pub span: Span,
    /// Whether `text` is what stands at `span`; else it says the same in the host's own connectives.
    pub verbatim: bool,
}

/// A formula and what its atoms stand for.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// The expressions of its atoms; equal ones are the same atom.
    pub atoms: IdVec<AtomId, Atom>,
}

impl Parsed {
    /// The text of an atom, as `Formula::display` and others ask for it.
    pub fn name(&self, atom: AtomId) -> String {
        self.atoms.get(atom).map_or_else(|| format!("{atom:?}"), |atom| atom.text.clone())
    }
}

/// Reads a formula. The error says where, what, and what to do.
///
/// ```
/// use unpick_logic::parse::{Options, parse};
/// let parsed = parse("[](count <= 1 -> <>(x == y && p->z > 3))", &Options::default()).unwrap();
/// let atoms: Vec<&str> = parsed.atoms.iter().map(|atom| &*atom.text).collect();
/// assert_eq!(atoms, ["count <= 1", "x == y && p->z > 3"]);
/// ```
pub fn parse(text: &str, options: &Options) -> Result<Parsed, Diagnostic> {
    let tokens = lexer::tokens(text, options)?;
    let raw = grammar::parse(text, &tokens, options)?;
    let mut atoms = atoms::Atoms::new(text, &tokens, options);
    let formula = atoms.formula(&raw)?;
    Ok(Parsed { formula, atoms: atoms.items })
}

fn error(span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, span, message).help(help)
}

fn too_deep(span: Span) -> Diagnostic {
    error(
        span,
        format!("the formula is nested deeper than {MAX_NESTING} levels"),
        "leave out parentheses and operators that change nothing, or split the formula",
    )
}

fn too_many_atoms(span: Span) -> Diagnostic {
    error(
        span,
        format!("the formula has more than {MAX_ATOMS} different expressions"),
        "split the formula, or give several expressions a common name",
    )
}
