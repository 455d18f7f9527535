//! Local objects: their declarations at the top of a process, and the steps that give them their initial values.

use unpick_front_c::ast::{DeclId, DeclKind, Init};
use unpick_front_promela::syntax::{Block, Expr, Name, Step, StmtKind, VarInit, VarRef};

use super::control::append;
use super::{Frame, Process, Writer};
use crate::shape::{Shape, Untranslatable};
use crate::translate::{step, var_ref};

impl Writer<'_> {
    /// A local object comes into being: it is declared at the top, and gets its value here.
    pub(super) fn declared(
        &mut self,
        unit: usize,
        decl: DeclId,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Result<Block, Untranslatable> {
        if self.context.is_embedded(unit, decl) {
            return self.c_declared(unit, decl, frame, process);
        }
        let shape = self.context.variable(unit, decl)?;
        let name = self.local(unit, decl, &shape, frame, process);
        let DeclKind::Var(var) = &self.context.code.units[unit].decls[decl].kind else { return Ok(Block::new()) };
        let Some(init) = var.init.clone() else { return Ok(Block::new()) };
        if self.context.has_library_shape(unit, decl) {
            return Ok(Block::new());
        }
        let mut steps = Block::new();
        self.initial(unit, &init, &var_ref(name.clone()), &shape, Some(frame), &mut steps)?;
        // At the start of a process a constant may stand in the declaration.
        if frame.is_at_top
            && let [Step::Stmt(stmt)] = steps.as_slice()
            && let StmtKind::Assign(_, value) = &stmt.kind
            && is_constant(value)
            && matches!(init, Init::Expr(_))
        {
            let declared = process.decls.iter_mut().flat_map(|decl| &mut decl.vars).find(|var| var.name == name);
            if let Some(declared) = declared {
                declared.init = Some(VarInit::Expr(value.clone()));
                return Ok(Block::new());
            }
        }
        frame.is_at_top = false;
        Ok(steps)
    }

    /// The same for one that stays C.
    pub(super) fn c_declared(
        &mut self,
        unit: usize,
        decl: DeclId,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Result<Block, Untranslatable> {
        let name = self.c_local(unit, decl, frame, process);
        let item = &self.context.code.units[unit].decls[decl];
        let DeclKind::Var(var) = &item.kind else { return Ok(Block::new()) };
        let Some(init) = &var.init else { return Ok(Block::new()) };
        self.translated(unit, frame, |translator| {
            let embedder = translator.embedder.ok_or("is not held as C")?;
            embedder.initial(init, &name, item.ty.ty)
        })
    }

    /// The name of a local object, declared on first sight.
    pub(super) fn local(
        &mut self,
        unit: usize,
        decl: DeclId,
        shape: &Shape,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Name {
        if let Some(name) = frame.names.get(&decl) {
            return name.clone();
        }
        // Numbered objects are shared by all processes.
        let global = self.context.object(unit, decl).and_then(|object| self.globals.get(&object));
        if let Some(name) = global.filter(|_| self.context.pools.has_local(unit, decl)) {
            return name.clone();
        }
        if let Some(name) = process.locals.get(&(unit, decl)) {
            frame.names.insert(decl, name.clone());
            return name.clone();
        }
        let wanted = self.context.interner.name(self.context.code.units[unit].decls[decl].name);
        let name = process.names.fresh(if wanted.is_empty() { "unnamed" } else { wanted });
        frame.names.insert(decl, name.clone());
        process.locals.insert((unit, decl), name.clone());
        process.declared.insert(name.clone());
        let decl = self.decl(&name, shape);
        process.decls.push(decl);
        name
    }

    /// What a list leaves out is zero, each time anew; only what has never had a value is zero already.
    pub(super) fn zero(&self, place: &VarRef, shape: &Shape, frame: Option<&Frame>, steps: &mut Block) {
        if frame.is_none_or(|frame| frame.is_at_top) {
            return;
        }
        match shape {
            Shape::Scalar(_) => {
                append(steps, vec![step(StmtKind::Assign(place.clone(), crate::translate::int(0)))]);
            }
            Shape::Array(element, n) => {
                (0..*n).for_each(|index| self.zero(&super::data::element(place, index), element, frame, steps));
            }
            Shape::Record(key) => {
                for (_, name, shape) in self.needed_fields(key) {
                    self.zero(&super::data::field(place, &name), &shape, frame, steps);
                }
            }
        }
    }

    /// Steps that give an object its first value.
    pub(super) fn initial(
        &self,
        unit: usize,
        init: &Init,
        place: &VarRef,
        shape: &Shape,
        frame: Option<&Frame>,
        steps: &mut Block,
    ) -> Result<(), Untranslatable> {
        let variable = |unit: usize, decl: DeclId| self.variable(frame, unit, decl);
        let name = |unit: usize, decl: DeclId| self.c_name(frame, unit, decl);
        match (init, shape) {
            // Only free locks can be taken.
            (_, Shape::Scalar(scalar)) if scalar.is_lock => self.zero(place, shape, frame, steps),
            (Init::Expr(expr), Shape::Scalar(_)) => {
                let given = self.context.translate(unit, &variable, &name, |translator| {
                    match translator.allocated(*expr, place) {
                        Some(steps) => Ok(steps),
                        None => {
                            let value = translator.cut_into(*expr, shape)?;
                            Ok(vec![step(StmtKind::Assign(place.clone(), value))])
                        }
                    }
                })?;
                append(steps, given);
            }
            (Init::Expr(expr), _) => {
                let copied = self
                    .context
                    .translate(unit, &variable, &name, |translator| translator.copied(*expr, place, shape))?;
                append(steps, copied);
            }
            (Init::Str { units, .. }, Shape::Array(element, n)) => {
                for index in 0..*n {
                    let place = super::data::element(place, index);
                    match units.get(index as usize) {
                        Some(unit) => {
                            let value = crate::translate::int(*unit as i32);
                            append(steps, vec![step(StmtKind::Assign(place, value))]);
                        }
                        None => self.zero(&place, element, frame, steps),
                    }
                }
            }
            (Init::Str { .. }, _) => return Err("is a text".into()),
            (Init::List { entries, .. }, Shape::Array(element, n)) => {
                for index in 0..*n {
                    let place = super::data::element(place, index);
                    match entries.iter().find(|entry| (entry.index..=entry.last).contains(&index)) {
                        Some(entry) => self.initial(unit, &entry.init, &place, element, frame, steps)?,
                        None => self.zero(&place, element, frame, steps),
                    }
                }
            }
            (Init::List { entries, .. }, Shape::Record(key)) => {
                for (position, name, shape) in self.needed_fields(key) {
                    let place = super::data::field(place, &name);
                    match entries.iter().find(|entry| entry.index == u64::from(position)) {
                        Some(entry) => self.initial(unit, &entry.init, &place, &shape, frame, steps)?,
                        None => self.zero(&place, &shape, frame, steps),
                    }
                }
            }
            (Init::List { entries, .. }, Shape::Scalar(_)) => {
                for entry in entries {
                    self.initial(unit, &entry.init, place, shape, frame, steps)?;
                }
            }
        }
        Ok(())
    }
}

fn is_constant(expr: &Expr) -> bool {
    use unpick_front_promela::syntax::{ExprKind, Unary};
    match &expr.kind {
        ExprKind::Literal(..) => true,
        ExprKind::Unary(Unary::Minus, operand) => is_constant(operand),
        // Enumerators are numbers by the time the model is read.
        ExprKind::Var(var) => {
            var.index.is_none()
                && var.field.is_none()
                && var.name.chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric())
        }
        _ => false,
    }
}
