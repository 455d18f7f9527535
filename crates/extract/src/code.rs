//! The program as tables see it: control structure around fragments of source text.
//!
//! Control flow is always kept as it is; whatever happens between two decisions is a [`Fragment`], and the table
//! decides what becomes of each. Expressions still live in the typed tree of their unit, so that text, effects and
//! translation of a fragment all come from one place.

use std::collections::{BTreeSet, HashMap};

use unpick_base::{IdVec, Span, define_id};
use unpick_front_c::ast::{DeclId, ExprId, LabelId, Unit};

use crate::effect::{Effects, ObjectId, Objects};

define_id! {
    /// A fragment of some function, or of file scope.
    pub struct FragmentId("fragment");
    /// A function with a body.
    pub struct FunctionId("function");
}

/// The class of a fragment, which its prefix names in a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// `D:` a declaration with its initialiser.
    Declaration,
    /// `A:` an assignment.
    Assignment,
    /// `F:` a function call.
    Call,
    /// `C:` a condition.
    Condition,
    /// `E:` any other expression, such as a decrement.
    Expression,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 5] =
        [Class::Declaration, Class::Assignment, Class::Call, Class::Condition, Class::Expression];

    /// The letter before the colon.
    pub fn letter(self) -> char {
        match self {
            Class::Declaration => 'D',
            Class::Assignment => 'A',
            Class::Call => 'F',
            Class::Condition => 'C',
            Class::Expression => 'E',
        }
    }

    /// The class with this letter.
    pub fn of_letter(letter: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| letter.len() == 1 && letter.starts_with(class.letter()))
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Declaration => "declaration",
            Class::Assignment => "assignment",
            Class::Call => "call",
            Class::Condition => "condition",
            Class::Expression => "expression",
        }
    }
}

/// The kind of a fragment, with its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FragmentKind {
    /// An object comes into scope, perhaps with a value.
    Declaration(DeclId),
    /// An expression is evaluated for its effect.
    Effect(ExprId),
    /// A decision.
    Condition(ExprId),
    /// `assert(...)`, however the library spells it.
    Assertion(ExprId),
    /// `__VERIFIER_assume(...)`: executions go on only where it is true.
    Assumption(ExprId),
    /// `return value`.
    Return(ExprId),
    /// What happens when a pointer to a function points to none that is known: the call, or the assignment of its result,
    /// and the pointer.
    Stray(ExprId, ExprId),
}

/// A piece of the source that is one entry of the table, conditions two.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Its class.
    pub class: Class,
    /// Its parts.
    pub what: FragmentKind,
    /// Its text in canonical form.
    pub text: String,
    /// For conditions: the text of the negation.
    pub negated: String,
    /// Where.
    pub span: Span,
    /// Which unit.
    pub unit: usize,
    /// Which function; none at file scope.
    pub function: Option<FunctionId>,
    /// What it reads and writes.
    pub effects: Effects,
}

/// Control structure.
#[derive(Clone, Debug)]
pub enum Node {
    /// Something happens.
    Do(FragmentId),
    /// `if`, or what is decided like it.
    If { condition: FragmentId, then: Vec<Node>, otherwise: Vec<Node> },
    /// A loop. `before` runs before each test, `step` after each round.
    Loop { before: Vec<Node>, condition: Option<FragmentId>, is_tested_first: bool, body: Vec<Node>, step: Vec<Node> },
    /// `do { ... } while (0)`, which `break` and `continue` may leave.
    Once(Vec<Node>),
    /// `switch`, with cases in order.
    Switch(Switch),
    /// The place of a case inside of a nested statement.
    CaseLabel(usize),
    /// `label:`
    Label(LabelId),
    /// `goto`
    Goto(LabelId),
    /// `goto *p`: one of these.
    GotoAny(Vec<LabelId>),
    /// `break` of a loop or a switch.
    Break,
    /// `continue`
    Continue,
    /// `return`, with the value if there is one.
    Return(Option<FragmentId>),
    /// A function that does not return was called.
    Stop(Ends),
}

/// What a function that does not return brings to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// The whole program.
    Program,
    /// The thread that calls it.
    Thread,
}

/// A `switch`: each case is a condition of its own.
#[derive(Clone, Debug)]
pub struct Switch {
    /// The conditions of the cases; an arm may have several.
    pub arms: Vec<Arm>,
    /// Whether all cases stand at the top of the body; if not, the arms only say where to jump, and `body` has
    /// [`Node::CaseLabel`]s.
    pub is_structured: bool,
    /// What all arms share if the switch is not structured.
    pub body: Vec<Node>,
}

/// One or several cases and what they do.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Conditions `value == constant`.
    pub conditions: Vec<FragmentId>,
    /// Whether `default` is among the labels.
    pub is_default: bool,
    /// What it does if the switch is structured; falling through to the next arm is implied where the end can be
    /// reached.
    pub body: Vec<Node>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Which unit.
    pub unit: usize,
    /// Its declaration.
    pub decl: DeclId,
    /// Its parameters.
    pub params: Vec<DeclId>,
    /// Its local objects in order of appearance, also the temporary ones.
    pub locals: Vec<DeclId>,
    /// What it does.
    pub body: Vec<Node>,
    /// The object that stands for its result.
    pub result: ObjectId,
    /// Functions with bodies that it calls, in order.
    pub callees: Vec<FunctionId>,
    /// Where its name stands.
    pub span: Span,
}

/// The whole program.
#[derive(Debug)]
pub struct Code {
    /// The typed trees; normalisation has added expressions and temporary objects.
    pub units: Vec<Unit>,
    /// Functions with bodies.
    pub functions: IdVec<FunctionId, Function>,
    /// Functions that start in threads of their own, by `pthread_create` and its kin.
    pub thread_functions: Vec<FunctionId>,
    /// Functions that are mentioned otherwise than by calling them: they may be called by pointer.
    pub addressed: BTreeSet<FunctionId>,
    /// All fragments.
    pub fragments: IdVec<FragmentId, Fragment>,
    /// Declarations at file scope and `static` ones.
    pub globals: Vec<FragmentId>,
    /// Objects that only exist in other units: declared, but not defined.
    pub undefined: Vec<(usize, DeclId)>,
    /// What fragments read and write.
    pub objects: Objects,
    /// Which functions have bodies.
    pub known: DefinedFunctions,
}

impl Code {
    /// The function with this name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter_enumerated().find(|(_, function)| function.name == name).map(|(id, _)| id)
    }

    /// The function that a declaration of some unit means, if it has a body.
    pub fn function_of(&self, unit: usize, decl: DeclId, name: &str) -> Option<FunctionId> {
        self.known.get(unit, decl, name)
    }
}

/// Functions with bodies: those with linkage by name, `static` ones by unit and declaration.
#[derive(Default, Debug)]
pub struct DefinedFunctions {
    /// By name.
    pub external: HashMap<String, FunctionId>,
    /// By unit and declaration.
    pub internal: HashMap<(usize, DeclId), FunctionId>,
}

impl DefinedFunctions {
    /// The function that a declaration means.
    pub fn get(&self, unit: usize, decl: DeclId, name: &str) -> Option<FunctionId> {
        self.internal.get(&(unit, decl)).or_else(|| self.external.get(name)).copied()
    }
}
