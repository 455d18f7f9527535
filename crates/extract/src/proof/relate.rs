//! Abstraction relations: how each object of the program relates to its representation in the model.

use std::collections::{BTreeMap, BTreeSet};

use unpick_front_c::ast::{DeclId, DeclKind, Init, Storage};
use unpick_front_promela::printer::expr_text;
use unpick_front_promela::syntax::{Block, Decl, Expr, ExprKind, Name, Step, StmtKind, TypeName, VarInit};
use unpick_sat::circuit::Bit;

use super::evaluate::{Cells, Evaluator, NoCircuit, cells_of, cut};
use crate::code::{Fragment, FragmentKind};
use crate::effect::ObjectId;
use crate::extraction::Decided;
use crate::shape::{Scalar, Shape};
use crate::table::Mapping;
use crate::translate::{int, negation, step, var_ref};

/// How many conditions are tried as what a truth value stands for.
const MAX_CANDIDATES: usize = 12;

/// What the model may hold of an object.
#[derive(Clone, PartialEq, Debug)]
enum Candidate {
    /// The value itself, as long as it fits.
    Value,
    /// What an expression says about it.
    Predicate(Expr),
}

/// An object that the model holds in another way.
struct Abstracted {
    shape: Shape,
    candidates: Vec<Candidate>,
    picked: usize,
}

/// What the model holds of all objects.
pub struct Relations {
    abstracted: BTreeMap<ObjectId, Abstracted>,
    /// Objects that rows take out of the model.
    absent: BTreeSet<ObjectId>,
}

impl Relations {
    /// Looks at all declarations.
    pub fn new(decided: &Decided<'_>) -> Relations {
        let mut relations = Relations { abstracted: BTreeMap::new(), absent: BTreeSet::new() };
        for (id, fragment) in decided.context.code.fragments.iter_enumerated() {
            let FragmentKind::Declaration(decl) = fragment.what else { continue };
            let Some(object) = decided.context.object(fragment.unit, decl) else { continue };
            let name = &decided.context.code.objects.get(object).name;
            match &decided.decisions.plain[id].mapping {
                Mapping::Text(_) => match declared_shape(&decided.rows().steps(id, false), name) {
                    Some(shape) => relations.add(decided, object, shape),
                    None => {
                        relations.absent.insert(object);
                    }
                },
                Mapping::Print | Mapping::Comment | Mapping::Hide => {
                    relations.absent.insert(object);
                }
                Mapping::Keep if decided.context.has_library_shape(fragment.unit, decl) => {
                    let natural = natural(decided, fragment.unit, decl);
                    let held = decided.context.variable(fragment.unit, decl);
                    if let (Ok(natural @ Shape::Scalar(_)), Ok(held)) = (natural, held)
                        && natural != held
                    {
                        relations.add(decided, object, held);
                    }
                }
                Mapping::Keep | Mapping::True | Mapping::False => {}
            }
        }
        relations
    }

    fn add(&mut self, decided: &Decided<'_>, object: ObjectId, shape: Shape) {
        let name = &decided.context.code.objects.get(object).name;
        let stated = decided.program.table.predicates.iter().rev().find(|(known, _, _)| known == name);
        let candidates = match stated.and_then(|(_, text, _)| crate::rows::expression(text).ok()) {
            Some(expr) => vec![Candidate::Predicate(expr)],
            None => candidates(decided, object, &shape),
        };
        self.abstracted.insert(object, Abstracted { shape, candidates, picked: 0 });
    }

    /// Objects that the model holds in another way.
    pub fn abstracted(&self) -> Vec<ObjectId> {
        self.abstracted.keys().copied().collect()
    }

    /// Whether the model holds an object in another way.
    pub fn is_abstracted(&self, object: ObjectId) -> bool {
        self.abstracted.contains_key(&object)
    }

    /// How many ways there are to say what is held.
    pub fn n_candidates(&self, object: ObjectId) -> usize {
        self.abstracted.get(&object).map_or(0, |known| known.candidates.len())
    }

    /// Picks one of them.
    pub fn pick(&mut self, object: ObjectId, candidate: usize) {
        if let Some(known) = self.abstracted.get_mut(&object) {
            known.picked = candidate;
        }
    }

    /// What is held of which objects, for people.
    pub fn shown(&self, decided: &Decided<'_>) -> Vec<(String, String)> {
        let shown = self.abstracted.iter().map(|(object, known)| {
            let text = match known.candidates.get(known.picked) {
                Some(Candidate::Predicate(expr)) => expr_text(expr),
                Some(Candidate::Value) | None => "its value".into(),
            };
            (decided.context.code.objects.get(*object).name.clone(), text)
        });
        shown.collect()
    }

    /// How the program holds what a name means in a fragment.
    pub fn concrete(&self, decided: &Decided<'_>, fragment: &Fragment, name: &str) -> Result<Option<Shape>, NoCircuit> {
        let Some((unit, decl)) = resolve(decided, fragment, name)? else { return Ok(None) };
        match natural(decided, unit, decl).or_else(|_| decided.context.variable(unit, decl)) {
            Ok(shape) => Ok(Some(shape)),
            Err(why) => Err(why),
        }
    }

    /// How the model holds it; `None` for what only the model knows.
    pub fn modelled(&self, decided: &Decided<'_>, fragment: &Fragment, name: &str) -> Result<Option<Shape>, NoCircuit> {
        let Some((unit, decl)) = resolve(decided, fragment, name)? else { return Ok(None) };
        let Some(object) = decided.context.object(unit, decl) else { return Ok(None) };
        if let Some(known) = self.abstracted.get(&object) {
            return Ok(Some(known.shape.clone()));
        }
        if self.is_absent(decided, object) {
            return Ok(None);
        }
        decided.context.variable(unit, decl).map(Some)
    }

    fn is_absent(&self, decided: &Decided<'_>, object: ObjectId) -> bool {
        self.absent.contains(&object) || decided.decisions.lost.contains_key(&object)
    }

    /// Names that matter for a fragment: in its meaning, read, or written.
    pub fn names(&self, block: &Block, read: &Cells, written: &Cells) -> BTreeSet<String> {
        let root = |cell: &String| cell.split(['[', '.']).next().unwrap_or_default().to_owned();
        let cells = read.keys().chain(written.keys()).map(root);
        crate::rows::names(block).into_iter().chain(cells).collect()
    }

    /// What the model holds of a name when the program holds `cells`; `fits` gets whether it can.
    #[allow(clippy::too_many_arguments)]
    pub fn held(
        &self,
        decided: &Decided<'_>,
        fragment: &Fragment,
        name: &str,
        program: &mut Evaluator<'_>,
        cells: &Cells,
        into: &mut Cells,
        fits: &mut Vec<Bit>,
    ) -> Result<(), NoCircuit> {
        let Some((unit, decl)) = resolve(decided, fragment, name)? else { return Ok(()) };
        let Some(object) = decided.context.object(unit, decl) else { return Ok(()) };
        let Some(known) = self.abstracted.get(&object) else {
            if self.is_absent(decided, object) {
                return Ok(());
            }
            let mut all = Vec::new();
            cells_of(name, &decided.context.variable(unit, decl)?, &decided.context.shapes, &mut all);
            for (cell, scalar) in all {
                let word = program.cell(&cell, &scalar, cells);
                into.insert(cell, word);
            }
            return Ok(());
        };
        match (known.candidates.get(known.picked), &known.shape) {
            (Some(Candidate::Predicate(expr)), Shape::Scalar(scalar)) => {
                let word = program.expr(expr, cells)?;
                let held = cut(program.circuit, &word, scalar);
                fits.push(program.circuit.equal(&word, &held));
                into.insert(name.to_owned(), held);
            }
            (Some(Candidate::Predicate(_)), _) => return Err(format!("`{name}` is more than a number")),
            (Some(Candidate::Value) | None, shape) => {
                let mut all = Vec::new();
                cells_of(name, shape, &decided.context.shapes, &mut all);
                for (cell, scalar) in all {
                    let word = program.cell(&cell, &scalar, cells);
                    let held = cut(program.circuit, &word, &scalar);
                    fits.push(program.circuit.equal(&word, &held));
                    into.insert(cell, held);
                }
            }
        }
        Ok(())
    }
}

/// How the type of a variable is held, whatever tables say.
fn natural(decided: &Decided<'_>, unit: usize, decl: DeclId) -> Result<Shape, NoCircuit> {
    let tree = &decided.context.code.units[unit];
    decided.context.shapes.shape(tree, unit, tree.decls[decl].ty.ty)
}

/// The value itself, or for truth values any condition on the object alone.
fn candidates(decided: &Decided<'_>, object: ObjectId, shape: &Shape) -> Vec<Candidate> {
    let mut found = vec![Candidate::Value];
    let is_truth = matches!(shape, Shape::Scalar(Scalar { ty: TypeName::Bool | TypeName::Bit, .. }));
    if !is_truth {
        return found;
    }
    let mut negated = Vec::new();
    for fragment in decided.context.code.fragments.iter() {
        let FragmentKind::Condition(expr) = fragment.what else { continue };
        if fragment.effects.uses.len() != 1 || !fragment.effects.uses.contains(&object) {
            continue;
        }
        let Ok(value) = decided.context.probe(fragment.unit, |translator| translator.expr(expr)) else { continue };
        let candidate = Candidate::Predicate(truth_of(value.clone()));
        if found.len() < MAX_CANDIDATES && !found.contains(&candidate) {
            found.push(candidate);
            negated.push(Candidate::Predicate(negation(value)));
        }
    }
    found.extend(negated);
    found
}

/// One or zero, where an expression is any number.
fn truth_of(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) => expr,
        _ => crate::translate::binary(unpick_front_promela::syntax::Binary::NotEqual, expr, int(0)),
    }
}

/// The variable that a name means in a fragment's function; `None` if the program has none.
fn resolve(decided: &Decided<'_>, fragment: &Fragment, name: &str) -> Result<Option<(usize, DeclId)>, NoCircuit> {
    let code = decided.context.code;
    let named = |unit: usize, decl: DeclId| decided.context.interner.name(code.units[unit].decls[decl].name) == name;
    if let Some(function) = fragment.function {
        let function = &code.functions[function];
        let declared = crate::plan::fragments(&function.body);
        let declared = declared.iter().filter_map(|id| match code.fragments[*id].what {
            FragmentKind::Declaration(decl) => Some(decl),
            _ => None,
        });
        let all: BTreeSet<DeclId> = function.params.iter().chain(&function.locals).copied().chain(declared).collect();
        let mut found = all.into_iter().filter(|decl| named(function.unit, *decl));
        match (found.next(), found.next()) {
            (Some(decl), None) => return Ok(Some((function.unit, decl))),
            (Some(_), Some(_)) => return Err(format!("`{name}` means several objects of `{}`", function.name)),
            (None, _) => {}
        }
    }
    let globals = code.globals.iter().filter_map(|id| match code.fragments[*id].what {
        FragmentKind::Declaration(decl) => Some((code.fragments[*id].unit, decl)),
        _ => None,
    });
    let mut globals = globals.chain(code.undefined.iter().copied());
    // An object of the same unit comes first; others have to be visible from there.
    let own = globals.clone().find(|(unit, decl)| *unit == fragment.unit && named(*unit, *decl));
    Ok(own.or_else(|| globals.find(|(unit, decl)| named(*unit, *decl))))
}

/// What the declaration of a row makes of an object.
fn declared_shape(block: &Block, name: &str) -> Option<Shape> {
    let decls = block.iter().filter_map(|step| match step {
        Step::Decl(decl) => Some(decl),
        Step::Exclusive(_) | Step::Stmt(_) | Step::Unless(..) => None,
    });
    let mut found = decls.flat_map(|decl: &Decl| decl.vars.iter().map(move |var| (decl, var)));
    let (decl, var) = found.find(|(_, var)| *var.name == *name)?;
    if matches!(decl.ty, TypeName::Chan | TypeName::User(_)) {
        return None;
    }
    let scalar = Shape::Scalar(Scalar { ty: decl.ty.clone(), width: var.width, is_exact: true, is_lock: false });
    match &var.size {
        None => Some(scalar),
        Some(Expr { kind: ExprKind::Literal(n, _), .. }) => {
            Some(Shape::Array(Box::new(scalar), u64::try_from(*n).ok()?))
        }
        Some(_) => None,
    }
}

/// Declarations as assignments of what they start with.
pub fn with_declared(block: Block) -> Block {
    let mut steps = Block::new();
    for item in block {
        match item {
            Step::Decl(decl) => {
                for var in decl.vars {
                    let value = match (var.init, var.size) {
                        (Some(VarInit::Expr(value)), None) => value,
                        (None, None) => int(0),
                        // Elements are zero unless written.
                        _ => continue,
                    };
                    steps.push(step(StmtKind::Assign(var_ref(var.name), value)));
                }
            }
            Step::Exclusive(_) | Step::Stmt(_) | Step::Unless(..) => steps.push(item),
        }
    }
    steps
}

/// A declaration that leaves the value open: a read before a write is an error.
pub fn is_indeterminate(decided: &Decided<'_>, fragment: &Fragment) -> bool {
    let FragmentKind::Declaration(decl) = fragment.what else { return false };
    match &decided.context.code.units[fragment.unit].decls[decl].kind {
        DeclKind::Var(var) => var.init.is_none() && var.storage == Storage::Automatic,
        DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => false,
    }
}

/// What an object of the program starts with.
pub fn initial_values(decided: &Decided<'_>, unit: usize, decl: DeclId) -> Result<Block, NoCircuit> {
    let tree = &decided.context.code.units[unit];
    let name = Name::from(decided.context.interner.name(tree.decls[decl].name));
    let DeclKind::Var(var) = &tree.decls[decl].kind else { return Ok(Block::new()) };
    let value = match &var.init {
        None => int(0),
        Some(Init::Expr(expr)) => decided.context.probe(unit, |translator| translator.expr(*expr))?,
        Some(Init::List { .. } | Init::Str { .. }) => return Err("it starts with several values".into()),
    };
    match natural(decided, unit, decl)? {
        Shape::Scalar(_) => Ok(vec![step(StmtKind::Assign(var_ref(name), value))]),
        Shape::Array(..) | Shape::Record(_) => Err("it is more than a number".into()),
    }
}
