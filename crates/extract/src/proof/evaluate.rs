//! Symbolic evaluation of Promela into circuits: expressions become bit vectors, statements become guarded paths.
//!
//! Numbers have 32 bits as in SPIN; variables cut what they hold. A way through a block is a condition under which it is
//! possible and the values that it leaves. What does more than change data (messages, processes, endless loops) has no
//! circuit and is refused.

use std::collections::BTreeMap;

use unpick_front_promela::syntax::{Binary, Block, Expr, ExprKind, Step, Stmt, StmtKind, TypeName, Unary, VarRef};
use unpick_sat::circuit::{Bit, Circuit};
use unpick_sat::word::Word;

use crate::shape::{Scalar, Shape, Shapes};

/// Bits of a number.
pub const WIDTH: usize = 32;

/// Rows with more paths are not evaluated.
const MAX_WAYS: usize = 64;

/// Larger arrays are not expanded to elements.
const MAX_ELEMENTS: u64 = 64;

/// Why something has no circuit.
pub type NoCircuit = String;

/// Values of variables, by their full names: `x`, `a[2]`, `r.f`.
pub type Cells = BTreeMap<String, Word>;

/// One path through a block.
#[derive(Clone)]
pub struct Way {
    /// Whether it is possible.
    pub guard: Bit,
    /// The values that it assigns.
    pub cells: Cells,
}

/// The shape of a variable, by its name; `None` for variables of the model alone.
pub type Holds<'a> = dyn Fn(&str) -> Result<Option<Shape>, NoCircuit> + 'a;

/// Builds circuits for Promela.
pub struct Evaluator<'a> {
    /// The gates.
    pub circuit: &'a mut Circuit,
    /// Records.
    pub shapes: &'a Shapes<'a>,
    /// Variables.
    pub holds: &'a Holds<'a>,
    /// Names of numbers.
    pub constants: &'a BTreeMap<String, i128>,
    /// Initial values of variables.
    pub initial: Cells,
    /// Definedness of operations: no overflow, no division by zero, indices within bounds.
    pub defined: Vec<Bit>,
    /// Where the next condition on operations is evaluated at all.
    context: Bit,
}

impl<'a> Evaluator<'a> {
    /// Nothing evaluated yet.
    pub fn new(
        circuit: &'a mut Circuit,
        shapes: &'a Shapes<'a>,
        holds: &'a Holds<'a>,
        constants: &'a BTreeMap<String, i128>,
    ) -> Self {
        let context = circuit.constant(true);
        Evaluator { circuit, shapes, holds, constants, initial: Cells::new(), defined: Vec::new(), context }
    }

    fn require(&mut self, bit: Bit) {
        let bit = self.circuit.or(!self.context, bit);
        self.defined.push(bit);
    }

    /// Evaluates only where `condition` is true.
    fn under<T>(
        &mut self,
        condition: Bit,
        ask: impl FnOnce(&mut Self) -> Result<T, NoCircuit>,
    ) -> Result<T, NoCircuit> {
        let outer = self.context;
        self.context = self.circuit.and(outer, condition);
        let result = ask(self);
        self.context = outer;
        result
    }

    fn truth(&self, bit: Bit) -> Word {
        let mut word = self.circuit.constant_word(0, WIDTH);
        word.0[0] = bit;
        word
    }

    /// Whether an expression is true.
    pub fn condition(&mut self, expr: &Expr, cells: &Cells) -> Result<Bit, NoCircuit> {
        let word = self.expr(expr, cells)?;
        Ok(self.circuit.is_true(&word))
    }

    /// The value of an expression.
    pub fn expr(&mut self, expr: &Expr, cells: &Cells) -> Result<Word, NoCircuit> {
        match &expr.kind {
            ExprKind::Literal(value, _) => Ok(self.circuit.constant_word((*value).into(), WIDTH)),
            ExprKind::Var(var) => self.load(var, cells),
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand, cells)?;
                match op {
                    Unary::Not => {
                        let bit = self.circuit.is_true(&operand);
                        Ok(self.truth(!bit))
                    }
                    Unary::Complement => Ok(self.circuit.complement(&operand)),
                    Unary::Minus => {
                        let smallest = self.circuit.constant_word(i32::MIN.into(), WIDTH);
                        let is_smallest = self.circuit.equal(&operand, &smallest);
                        self.require(!is_smallest);
                        Ok(self.circuit.negate(&operand))
                    }
                    Unary::Next | Unary::Always | Unary::Eventually => Err("is a formula".into()),
                }
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or), left, right) => {
                let left = self.condition(left, cells)?;
                let needs_right = if *op == Binary::And { left } else { !left };
                let right = self.under(needs_right, |this| this.condition(right, cells))?;
                let bit = match op {
                    Binary::And => self.circuit.and(left, right),
                    _ => self.circuit.or(left, right),
                };
                Ok(self.truth(bit))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, cells)?, self.expr(right, cells)?);
                self.binary(*op, &left, &right)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.condition(condition, cells)?;
                let yes = self.under(condition, |this| this.expr(yes, cells))?;
                let no = self.under(!condition, |this| this.expr(no, cells))?;
                Ok(self.circuit.choose_word(condition, &yes, &no))
            }
            _ => Err("speaks of more than data".into()),
        }
    }

    fn binary(&mut self, op: Binary, left: &Word, right: &Word) -> Result<Word, NoCircuit> {
        let circuit = &mut *self.circuit;
        Ok(match op {
            Binary::BitOr => circuit.bitwise(left, right, Circuit::or),
            Binary::BitXor => circuit.bitwise(left, right, Circuit::xor),
            Binary::BitAnd => circuit.bitwise(left, right, Circuit::and),
            Binary::Equal | Binary::NotEqual => {
                let equal = circuit.equal(left, right);
                self.truth(if op == Binary::Equal { equal } else { !equal })
            }
            Binary::Less | Binary::GreaterEqual => {
                let less = circuit.less(left, right);
                self.truth(if op == Binary::Less { less } else { !less })
            }
            Binary::Greater | Binary::LessEqual => {
                let less = circuit.less(right, left);
                self.truth(if op == Binary::Greater { less } else { !less })
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let fill = (op == Binary::ShiftRight).then(|| left.sign());
                let word = circuit.shift(left, right, fill);
                let width = circuit.constant_word(WIDTH as i64, WIDTH);
                let is_small = circuit.less_unsigned(right, &width);
                self.require(is_small);
                word
            }
            Binary::Add | Binary::Subtract => {
                // Overflow shows in one bit more.
                let (left, right) = (left.resized(circuit, WIDTH + 1, true), right.resized(circuit, WIDTH + 1, true));
                let wide = if op == Binary::Add { circuit.add(&left, &right) } else { circuit.subtract(&left, &right) };
                self.cut_of(&wide)
            }
            Binary::Multiply => {
                let (left, right) = (left.resized(circuit, 2 * WIDTH, true), right.resized(circuit, 2 * WIDTH, true));
                let wide = circuit.multiply(&left, &right);
                self.cut_of(&wide)
            }
            Binary::Divide | Binary::Remainder => {
                let (quotient, rest) = circuit.divide(left, right);
                let is_divisor = circuit.is_true(right);
                self.require(is_divisor);
                if op == Binary::Divide { quotient } else { rest }
            }
            Binary::And | Binary::Or => {
                let (left, right) = (circuit.is_true(left), circuit.is_true(right));
                let bit = if op == Binary::And { circuit.and(left, right) } else { circuit.or(left, right) };
                self.truth(bit)
            }
            Binary::Implies | Binary::Equivalent | Binary::Until | Binary::WeakUntil | Binary::Release => {
                return Err("is a formula".into());
            }
        })
    }

    /// The lower half of a result that has to fit it.
    fn cut_of(&mut self, wide: &Word) -> Word {
        let cut = wide.resized(self.circuit, WIDTH, true);
        let again = cut.resized(self.circuit, wide.width(), true);
        let fits = self.circuit.equal(wide, &again);
        self.require(fits);
        cut
    }

    fn load(&mut self, var: &VarRef, cells: &Cells) -> Result<Word, NoCircuit> {
        if let (None, None, Some(value)) = (&var.index, &var.field, self.constants.get(&*var.name)) {
            return Ok(self.circuit.constant_word(*value as i64, WIDTH));
        }
        let places = self.places(var, cells)?;
        let mut value: Option<Word> = None;
        for (name, condition, scalar) in places {
            let word = self.cell(&name, &scalar, cells);
            value = Some(match value {
                None => word,
                Some(others) => self.circuit.choose_word(condition, &word, &others),
            });
        }
        value.ok_or_else(|| "is an array of nothing".into())
    }

    /// What a variable holds; an arbitrary value if its initial value is unknown.
    pub fn cell(&mut self, name: &str, scalar: &Scalar, cells: &Cells) -> Word {
        if let Some(word) = cells.get(name).or_else(|| self.initial.get(name)) {
            return word.clone();
        }
        let word = any(self.circuit, scalar);
        self.initial.insert(name.to_owned(), word.clone());
        word
    }

    /// The cells that a variable with unknown indices may be, and when it is which.
    pub fn places(&mut self, var: &VarRef, cells: &Cells) -> Result<Vec<(String, Bit, Scalar)>, NoCircuit> {
        let shape = (self.holds)(&var.name)?;
        let shape = match shape {
            Some(shape) => shape,
            // Only the model knows it: some number.
            None if var.index.is_none() && var.field.is_none() => Shape::Scalar(plain_int()),
            None => return Err(format!("`{}` is no object of the program", var.name)),
        };
        let truth = self.circuit.constant(true);
        self.walk(var, var.name.to_string(), truth, shape, cells)
    }

    fn walk(
        &mut self,
        var: &VarRef,
        path: String,
        condition: Bit,
        shape: Shape,
        cells: &Cells,
    ) -> Result<Vec<(String, Bit, Scalar)>, NoCircuit> {
        match (&var.index, shape) {
            (Some(index), Shape::Array(element, n)) => {
                if n > MAX_ELEMENTS {
                    return Err(format!("`{path}` has {n} elements"));
                }
                let index = self.expr(index, cells)?;
                let bound = self.circuit.constant_word(n as i64, WIDTH);
                let is_inside = self.circuit.less_unsigned(&index, &bound);
                self.require(is_inside);
                let mut places = Vec::new();
                for at in 0..n {
                    let number = self.circuit.constant_word(at as i64, WIDTH);
                    let is_meant = self.circuit.equal(&index, &number);
                    if self.circuit.value(is_meant) == Some(false) {
                        continue;
                    }
                    let condition = self.circuit.and(condition, is_meant);
                    let path = format!("{path}[{at}]");
                    places.extend(self.field(var, path, condition, (*element).clone(), cells)?);
                }
                Ok(places)
            }
            (None, shape) => self.field(var, path, condition, shape, cells),
            (Some(_), Shape::Scalar(_) | Shape::Record(_)) => Err(format!("`{path}` is no array")),
        }
    }

    fn field(
        &mut self,
        var: &VarRef,
        path: String,
        condition: Bit,
        shape: Shape,
        cells: &Cells,
    ) -> Result<Vec<(String, Bit, Scalar)>, NoCircuit> {
        match (&var.field, shape) {
            (None, Shape::Scalar(scalar)) => Ok(vec![(path, condition, scalar)]),
            (Some(field), Shape::Record(key)) => {
                let record = self.shapes.record_shape(&key).ok_or("is a record of which nothing is held")?;
                let found = record.fields.iter().find(|(_, name, _)| **name == *field.name);
                let (_, _, shape) = found.ok_or_else(|| format!("`{path}` has no `{}`", field.name))?;
                self.walk(field, format!("{path}.{}", field.name), condition, shape.clone(), cells)
            }
            (Some(field), shape @ Shape::Array(..)) if *field.name == *crate::translate::INNER => {
                self.walk(field, path, condition, shape, cells)
            }
            (Some(_), _) => Err(format!("`{path}` is no record")),
            (None, Shape::Array(..) | Shape::Record(_)) => Err(format!("`{path}` is more than a number")),
        }
    }

    /// Puts a value into a variable.
    pub fn store(&mut self, var: &VarRef, value: &Word, cells: &mut Cells) -> Result<(), NoCircuit> {
        for (name, condition, scalar) in self.places(var, cells)? {
            let old = self.cell(&name, &scalar, cells);
            let new = cut(self.circuit, value, &scalar);
            let word = self.circuit.choose_word(condition, &new, &old);
            cells.insert(name, word);
        }
        Ok(())
    }

    /// The ways through a block.
    pub fn ways(&mut self, block: &Block, from: Way) -> Result<Vec<Way>, NoCircuit> {
        let mut ways = vec![from];
        for step in block {
            let stmt = match step {
                Step::Stmt(stmt) => stmt,
                Step::Decl(_) => continue,
                Step::Exclusive(_) | Step::Unless(..) => return Err("does more than change data".into()),
            };
            let mut next = Vec::new();
            for way in ways {
                let guard = way.guard;
                next.extend(self.under(guard, |this| this.stmt(stmt, way))?);
            }
            if next.len() > MAX_WAYS {
                return Err(format!("has more than {MAX_WAYS} ways through it"));
            }
            ways = next;
        }
        Ok(ways)
    }

    fn stmt(&mut self, stmt: &Stmt, mut way: Way) -> Result<Vec<Way>, NoCircuit> {
        match &stmt.kind {
            StmtKind::Assign(var, value) => {
                let value = self.expr(value, &way.cells)?;
                self.store(var, &value, &mut way.cells)?;
            }
            StmtKind::Increment(var) | StmtKind::Decrement(var) => {
                let old = self.load(var, &way.cells)?;
                let one = self.circuit.constant_word(1, WIDTH);
                let is_up = matches!(stmt.kind, StmtKind::Increment(_));
                let value = self.binary(if is_up { Binary::Add } else { Binary::Subtract }, &old, &one)?;
                self.store(var, &value, &mut way.cells)?;
            }
            StmtKind::Condition(expr) => {
                let condition = self.condition(expr, &way.cells)?;
                way.guard = self.circuit.and(way.guard, condition);
            }
            StmtKind::Printf(..) | StmtKind::Printm(_) => {}
            StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => return self.ways(block, way),
            StmtKind::Call(call) if call.result.is_none() => return self.stmt(&call.body, way),
            StmtKind::If(options) => return self.options(options, way),
            StmtKind::Select { var, from, to, .. } => return self.select(var, from, to, way),
            _ => return Err("does more than change data".into()),
        }
        Ok(vec![way])
    }

    fn options(&mut self, options: &[Block], way: Way) -> Result<Vec<Way>, NoCircuit> {
        let is_else = |block: &Block| matches!(block.first(), Some(Step::Stmt(Stmt { kind: StmtKind::Else, .. })));
        let mut others = self.circuit.constant(true);
        for option in options.iter().filter(|option| !is_else(option)) {
            let possible = match option.first() {
                Some(Step::Stmt(Stmt { kind: StmtKind::Condition(expr), .. })) => self.condition(expr, &way.cells)?,
                _ => self.circuit.constant(true),
            };
            others = self.circuit.and(others, !possible);
        }
        let mut ways = Vec::new();
        for option in options {
            if is_else(option) {
                let guard = self.circuit.and(way.guard, others);
                ways.extend(self.ways(&option[1..].to_vec(), Way { guard, cells: way.cells.clone() })?);
            } else {
                ways.extend(self.ways(option, way.clone())?);
            }
        }
        Ok(ways)
    }

    fn select(&mut self, var: &VarRef, from: &Expr, to: &Expr, way: Way) -> Result<Vec<Way>, NoCircuit> {
        let (ExprKind::Literal(from, _), ExprKind::Literal(to, _)) = (&from.kind, &to.kind) else {
            return Err("selects between values that are not written out".into());
        };
        let mut ways = Vec::new();
        for value in *from..=*to {
            if ways.len() > MAX_WAYS {
                return Err(format!("has more than {MAX_WAYS} ways through it"));
            }
            let mut way = way.clone();
            let word = self.circuit.constant_word(value.into(), WIDTH);
            self.store(var, &word, &mut way.cells)?;
            ways.push(way);
        }
        Ok(ways)
    }
}

/// A number that only the model knows.
pub fn plain_int() -> Scalar {
    Scalar { ty: TypeName::Int, width: None, is_exact: true, is_lock: false }
}

/// Bits of a type and whether it has a sign.
fn width_of(scalar: &Scalar) -> (usize, bool) {
    match scalar.ty {
        TypeName::Bit | TypeName::Bool => (1, false),
        TypeName::Byte | TypeName::Pid | TypeName::Mtype(_) | TypeName::Chan => (8, false),
        TypeName::Short => (16, true),
        TypeName::Unsigned => (scalar.width.unwrap_or(8).clamp(1, 31) as usize, false),
        TypeName::Int | TypeName::User(_) => (WIDTH, true),
    }
}

/// Any value of a type.
pub fn any(circuit: &mut Circuit, scalar: &Scalar) -> Word {
    let (width, is_signed) = width_of(scalar);
    circuit.unknown_word(width).resized(circuit, WIDTH, is_signed)
}

/// What a variable of this type makes of a value.
pub fn cut(circuit: &Circuit, value: &Word, scalar: &Scalar) -> Word {
    let (width, is_signed) = width_of(scalar);
    value.resized(circuit, width, false).resized(circuit, WIDTH, is_signed)
}

/// The names of all numbers that a variable consists of, up to a bound.
pub fn cells_of(name: &str, shape: &Shape, shapes: &Shapes<'_>, into: &mut Vec<(String, Scalar)>) {
    match shape {
        Shape::Scalar(scalar) => into.push((name.to_owned(), scalar.clone())),
        Shape::Array(element, n) => {
            for at in 0..(*n).min(MAX_ELEMENTS) {
                cells_of(&format!("{name}[{at}]"), element, shapes, into);
            }
        }
        Shape::Record(key) => {
            for (_, field, shape) in shapes.record_shape(key).map(|record| record.fields).unwrap_or_default() {
                cells_of(&format!("{name}.{field}"), &shape, shapes, into);
            }
        }
    }
}
