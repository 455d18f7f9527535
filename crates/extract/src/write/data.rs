//! Generation of types and objects of the model.

use std::collections::BTreeSet;

use unpick_front_c::ast::DeclKind;
use unpick_front_promela::syntax::{
    At, Block, Decl, Expr, ExprKind, Name, Step, Stmt, StmtKind, TypeName, Typedef, Unit, Var, VarInit, VarRef,
};

use super::Writer;
use crate::code::{FragmentId, FragmentKind};
use crate::effect::{Key, ObjectId};
use crate::plan::Treatment;
use crate::pool::HEAP;
use crate::shape::{Scalar, Shape};
use crate::table::Mapping;
use crate::translate::{INNER, int, used_name, var_ref};

impl Writer<'_> {
    /// Global objects, in order.
    pub(super) fn global_data(&mut self) {
        let code = self.context.code;
        // What some unit defines is declared there, with its value.
        let defined: BTreeSet<ObjectId> =
            code.globals.iter().flat_map(|id| code.fragments[*id].effects.defs.iter().copied()).collect();
        for (unit, decl) in code.undefined.clone() {
            let Some(object) = self.context.object(unit, decl).filter(|object| !self.is_lost(*object)) else {
                continue;
            };
            let is_imported = self.imported.contains(&code.objects.get(object).name);
            let is_elsewhere =
                defined.contains(&object) || self.globals.contains_key(&object) || self.is_c_global(object);
            if is_elsewhere || !(self.is_touched(object) || is_imported) {
                continue;
            }
            if self.context.is_embedded(unit, decl) && self.context.holds(unit, decl).is_ok() {
                self.c_global(unit, decl, object);
                continue;
            }
            let Ok(shape) = self.context.variable(unit, decl) else { continue };
            let name = self.names.fresh(&code.objects.get(object).name);
            self.globals.insert(object, name.clone());
            let decl = self.decl(&name, &shape);
            self.units.push(Unit::Decl(decl));
        }
        for id in code.globals.clone() {
            let fragment = &code.fragments[id];
            let FragmentKind::Declaration(decl) = fragment.what else { continue };
            let Some(object) = self.context.object(fragment.unit, decl) else { continue };
            match &self.decisions.plain[id].mapping {
                Mapping::Keep
                    if !self.globals.contains_key(&object)
                        && !self.is_c_global(object)
                        && self.is_needed(object, id) =>
                {
                    self.global(fragment.unit, decl, object);
                }
                Mapping::Text(_) => {
                    let name = self.names.fresh(&code.objects.get(object).name);
                    self.globals.insert(object, name);
                    for step in self.rows.steps(id, false) {
                        match step {
                            Step::Decl(decl) => self.units.push(Unit::Decl(decl)),
                            step => self.start.push(step),
                        }
                    }
                }
                _ => {}
            }
        }
        self.numbered_locals();
    }

    /// Local objects that pointers of the model may point to.
    fn numbered_locals(&mut self) {
        for (unit, decl) in self.context.pools.locals().collect::<Vec<_>>() {
            let object = self.context.object(unit, decl).filter(|object| !self.is_lost(*object));
            let Some(object) = object.filter(|object| self.is_touched(*object)) else { continue };
            let Ok(shape) = self.context.variable(unit, decl) else { continue };
            let name = self.names.fresh(&self.context.code.objects.get(object).name);
            self.globals.insert(object, name.clone());
            let decl = self.decl(&name, &shape);
            self.units.push(Unit::Decl(decl));
        }
    }

    /// Arrays for what is allocated, if the model can hold it.
    pub(super) fn heap_data(&mut self, processes: &str) -> Vec<Unit> {
        let mut units = Vec::new();
        for (name, unit, ty) in self.context.pools.heaps() {
            let Ok(element) = self.context.shapes.shape(&self.context.code.units[unit], unit, ty) else { continue };
            if !processes.contains(&format!("{name}_used[")) && !processes.contains(&format!("{name}[")) {
                continue;
            }
            let used = Shape::Array(
                Box::new(Shape::Scalar(Scalar { ty: TypeName::Bit, width: None, is_exact: true, is_lock: false })),
                HEAP,
            );
            units.push(Unit::Decl(self.decl(&Name::from(name.as_str()), &Shape::Array(Box::new(element), HEAP))));
            units.push(Unit::Decl(self.decl(&Name::from(used_name(&name)), &used)));
            self.heaps.push(name);
        }
        units
    }

    fn is_touched(&self, object: ObjectId) -> bool {
        self.touched.contains(&object)
    }

    /// Whether the model says anything about an object besides declaring it.
    fn is_needed(&self, object: ObjectId, declaration: FragmentId) -> bool {
        let is_row = self.decisions.plain[declaration].is_row();
        is_row || self.touched.contains(&object) || self.mentioned.contains(&self.context.code.objects.get(object).name)
    }

    /// Objects that statements of the model touch.
    pub(super) fn find_touched(&mut self) {
        let code = self.context.code;
        for (id, fragment) in code.fragments.iter_enumerated() {
            let is_written = fragment.function.is_some_and(|function| {
                !matches!(self.plan.treatment(function), Treatment::Unused | Treatment::Abstract)
            });
            let is_kept = |mapping: &Mapping| matches!(mapping, Mapping::Keep | Mapping::Text(_));
            let negated = self.decisions.negated.get(&id).is_some_and(|negated| is_kept(&negated.mapping));
            if is_written && (negated || is_kept(&self.decisions.plain[id].mapping)) {
                let arguments = fragment.effects.call.iter().flat_map(|(_, bindings)| bindings);
                let arguments = arguments.flat_map(|binding| binding.uses.iter().copied());
                self.touched.extend(fragment.effects.touched().chain(arguments));
            }
        }
        // What stands in an initialiser has to be there as well.
        let mut n_before = 0;
        while self.context.embedding.is_some() && n_before != self.touched.len() {
            n_before = self.touched.len();
            for id in &code.globals {
                let effects = &code.fragments[*id].effects;
                let is_kept = self.decisions.plain[*id].mapping == Mapping::Keep;
                if is_kept && effects.defs.iter().any(|object| self.is_needed(*object, *id)) {
                    self.touched.extend(effects.uses.iter().copied());
                }
            }
        }
    }

    fn global(&mut self, unit: usize, decl: unpick_front_c::ast::DeclId, object: ObjectId) {
        if self.context.is_embedded(unit, decl) {
            return self.c_global(unit, decl, object);
        }
        let Ok(shape) = self.context.variable(unit, decl) else { return };
        let name = self.names.fresh(&self.context.code.objects.get(object).name);
        self.globals.insert(object, name.clone());
        let mut declaration = self.decl(&name, &shape);
        let init = match &self.context.code.units[unit].decls[decl].kind {
            DeclKind::Var(var) if !self.context.has_library_shape(unit, decl) => var.init.clone(),
            _ => None,
        };
        if let Some(init) = init {
            let mut steps = Block::new();
            let done = self.initial(unit, &init, &var_ref(name), &shape, None, &mut steps);
            if done.is_ok() {
                steps.retain(|step| !is_zero(step));
                match steps.as_slice() {
                    [Step::Stmt(stmt)] if matches!(shape, Shape::Scalar(_)) => {
                        if let StmtKind::Assign(_, value) = &stmt.kind {
                            declaration.vars[0].init = Some(VarInit::Expr(value.clone()));
                        }
                    }
                    _ => match list(&steps, &shape) {
                        Some(values) => declaration.vars[0].init = Some(VarInit::List(values)),
                        None => self.start.extend(steps),
                    },
                }
            }
        }
        self.units.push(Unit::Decl(declaration));
    }

    /// The declaration of a variable.
    pub(super) fn decl(&mut self, name: &Name, shape: &Shape) -> Decl {
        let (ty, width, size) = self.declarator(shape);
        if !is_exact(shape) {
            self.inexact.insert(format!("`{name}`"));
        }
        let var = Var { name: name.clone(), width, size: size.map(|n| int(n as i32)), init: None, at: At::default() };
        Decl { visibility: None, ty, vars: vec![var], at: At::default() }
    }

    fn declarator(&mut self, shape: &Shape) -> (TypeName, Option<i32>, Option<u64>) {
        match shape {
            Shape::Scalar(Scalar { ty, width, .. }) => (ty.clone(), *width, None),
            Shape::Record(key) => {
                let name = self.context.shapes.record_shape(key).map_or("record".into(), |record| record.name);
                (TypeName::User(Name::from(name)), None, None)
            }
            Shape::Array(element, n) => match &**element {
                Shape::Array(..) => (TypeName::User(self.wrapper(element)), None, Some(*n)),
                // Promela has no arrays of narrow unsigned numbers.
                Shape::Scalar(Scalar { ty: TypeName::Unsigned, .. }) => (TypeName::Int, None, Some(*n)),
                Shape::Scalar(_) | Shape::Record(_) => {
                    let (ty, width, _) = self.declarator(element);
                    (ty, width, Some(*n))
                }
            },
        }
    }

    /// The type of an inner dimension.
    fn wrapper(&mut self, shape: &Shape) -> Name {
        let (ty, _, size) = self.declarator(shape);
        let element = match ty {
            TypeName::Bit => "bit".to_owned(),
            TypeName::Bool => "bool".to_owned(),
            TypeName::Byte => "byte".to_owned(),
            TypeName::Short => "short".to_owned(),
            TypeName::User(name) => name.to_string(),
            _ => "int".to_owned(),
        };
        let n = size.unwrap_or(1);
        let name = format!("{element}_{n}");
        self.wrappers.insert((name.clone(), element, n));
        Name::from(name)
    }

    /// The types that declarations mention, each after those in it.
    pub(super) fn type_units(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut done: Vec<String> = Vec::new();
        let mentioned = self.mentioned_records();
        for key in mentioned {
            self.record_units(&key, &mut done, &mut units);
        }
        let wrappers = self.wrappers.clone();
        let mut wrapper_units = Vec::new();
        for (name, element, n) in wrappers {
            let ty = match element.as_str() {
                "bit" => TypeName::Bit,
                "bool" => TypeName::Bool,
                "byte" => TypeName::Byte,
                "short" => TypeName::Short,
                "int" => TypeName::Int,
                _ => TypeName::User(Name::from(element.as_str())),
            };
            let var =
                Var { name: Name::from(INNER), width: None, size: Some(int(n as i32)), init: None, at: At::default() };
            let field = Decl { visibility: None, ty, vars: vec![var], at: At::default() };
            wrapper_units.push(Unit::Typedef(Typedef {
                name: Name::from(name),
                fields: vec![field],
                at: At::default(),
            }));
        }
        // A wrapper may hold records, and records may hold wrappers of scalars: sorted by need.
        let mut all: Vec<Unit> = wrapper_units.into_iter().chain(units).collect();
        let mut sorted: Vec<Unit> = Vec::new();
        while !all.is_empty() {
            let names: Vec<Name> = all.iter().filter_map(typedef_name).collect();
            let is_ready = |unit: &Unit| match unit {
                Unit::Typedef(typedef) => typedef.fields.iter().all(|field| match &field.ty {
                    TypeName::User(name) => *name == typedef.name || !names.contains(name),
                    _ => true,
                }),
                _ => true,
            };
            let at = all.iter().position(is_ready).unwrap_or(0);
            sorted.push(all.remove(at));
        }
        sorted
    }

    fn mentioned_records(&self) -> Vec<String> {
        self.context.shapes.used_records()
    }

    /// Records that are allocated: `free` empties all of them, and their types are needed.
    pub(super) fn find_allocated(&mut self) {
        for (_, unit, ty) in self.context.pools.heaps() {
            if let Ok(shape) = self.context.shapes.shape(&self.context.code.units[unit], unit, ty) {
                self.add_allocated(&shape);
            }
        }
    }

    fn add_allocated(&mut self, shape: &Shape) {
        match shape {
            Shape::Scalar(_) => {}
            Shape::Array(element, _) => self.add_allocated(element),
            Shape::Record(key) => {
                self.allocated.insert(key.clone());
                let record = self.context.shapes.record_shape(key);
                for (_, _, shape) in record.map(|record| record.fields).unwrap_or_default() {
                    self.add_allocated(&shape);
                }
            }
        }
    }

    /// The fields of a record that something in the model touches.
    pub(super) fn needed_fields(&self, key: &str) -> Vec<(u32, String, Shape)> {
        let record = self.context.shapes.record_shape(key);
        let fields = record.map(|record| record.fields).unwrap_or_default();
        if self.allocated.contains(key) {
            return fields;
        }
        let is_needed = |position: u32, name: &String| {
            let object = |position: u32| self.context.code.objects.by_key(&Key::Field(key.to_owned(), position));
            // The members of a union are one object.
            let object = object(position).or_else(|| object(0));
            object.is_some_and(|object| self.touched.contains(&object)) || self.mentioned.contains(name)
        };
        fields.into_iter().filter(|(position, name, _)| is_needed(*position, name)).collect()
    }

    fn record_units(&mut self, key: &str, done: &mut Vec<String>, units: &mut Vec<Unit>) {
        if done.iter().any(|known| known == key) {
            return;
        }
        done.push(key.to_owned());
        let Some(record) = self.context.shapes.record_shape(key) else { return };
        let needed = self.needed_fields(key);
        let mut fields: Vec<Decl> =
            needed.iter().map(|(_, name, shape)| self.decl(&Name::from(name.as_str()), shape)).collect();
        if let (true, Some((_, name, shape))) = (fields.is_empty(), record.fields.first()) {
            fields.push(self.decl(&Name::from(name.as_str()), shape));
        }
        units.push(Unit::Typedef(Typedef { name: Name::from(record.name.as_str()), fields, at: At::default() }));
    }
}

fn typedef_name(unit: &Unit) -> Option<Name> {
    match unit {
        Unit::Typedef(typedef) => Some(typedef.name.clone()),
        _ => None,
    }
}

fn is_exact(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(scalar) => scalar.is_exact,
        Shape::Array(element, _) => is_exact(element),
        Shape::Record(_) => true,
    }
}

/// The values of an array as SPIN takes them in a declaration: numbers without signs.
fn list(steps: &[Step], shape: &Shape) -> Option<Vec<Expr>> {
    let Shape::Array(element, n) = shape else { return None };
    if !matches!(**element, Shape::Scalar(_)) {
        return None;
    }
    let mut values = vec![int(0); *n as usize];
    for step in steps {
        let Step::Stmt(Stmt { kind: StmtKind::Assign(place, value), .. }) = step else { return None };
        let ExprKind::Literal(index, _) = place.index.as_ref()?.kind else { return None };
        let is_plain = matches!(value.kind, ExprKind::Literal(..));
        *values.get_mut(index as usize).filter(|_| is_plain)? = value.clone();
    }
    Some(values)
}

fn is_zero(step: &Step) -> bool {
    match step {
        Step::Stmt(stmt) => {
            matches!(&stmt.kind, StmtKind::Assign(_, value) if matches!(value.kind, ExprKind::Literal(0, _)))
        }
        _ => false,
    }
}

/// An element of an array.
pub(super) fn element(place: &VarRef, index: u64) -> VarRef {
    crate::translate::indexed(place, &int(index as i32))
}

/// A field of a record.
pub(super) fn field(place: &VarRef, name: &str) -> VarRef {
    crate::translate::with_field(place, name)
}
