//! Analysis of declarations: `mtype` values, record types, variables and their channels.

use unpick_base::Span;

use super::{ContextKind, Field, Record, Sema, Type, Var};
use crate::flow::Node;
use crate::syntax::{self, ChannelInit, ExprKind, Name, TypeName, VarInit, Visibility};
use unpick_automaton::{
    ChannelType, ChannelTypeId, Expr, Frame, FrameInit, Place, ProctypeId, Scalar, Scope, Step, VarInfo,
};

/// How many elements an array may have; a state is kept millions of times.
const MAX_ARRAY: i32 = 1 << 16;

/// How many bytes a variable or the variables of a process may take.
const MAX_SIZE: u32 = 1 << 20;

/// How many fields a message may have.
const MAX_FIELDS: usize = 1 << 10;

impl Sema<'_> {
    pub(super) fn mtype(&mut self, mtype: &syntax::Mtype) {
        let set = self.mtype_set(mtype.set.as_deref().unwrap_or(""));
        // SPIN numbers the names of one declaration from its end: the last one is 1.
        for (name, at) in mtype.names.iter().rev() {
            if self.mtypes.contains_key(name) {
                self.error(at.0, format!("`{name}` appears twice among the `mtype` names"));
                continue;
            }
            let names = &mut self.model.mtypes[set].1;
            names.push(name.clone());
            let value = names.len() as i32;
            self.mtypes.insert(name.clone(), (set, value));
            if value > 255 {
                self.error(at.0, "an `mtype` has more than 255 names");
            }
        }
    }

    pub(super) fn typedef(&mut self, typedef: &syntax::Typedef) {
        let mut record = Record { name: typedef.name.clone(), fields: Vec::new(), size: 0 };
        for decl in &typedef.fields {
            for var in &decl.vars {
                let span = var.at.0;
                if record.fields.iter().any(|field| field.name == var.name) {
                    self.error(span, format!("field `{}` appears twice", var.name));
                }
                let ty = self.scalar_type(&decl.ty, var.width, span);
                let count = self.array_size(var);
                let (mut channel, mut value) = (None, None);
                match &var.init {
                    Some(VarInit::Channel(init)) if ty == Type::Chan => channel = self.channel_type(init),
                    Some(VarInit::Expr(expr)) => value = self.constant(expr),
                    Some(_) => self.error(span, format!("field `{}` cannot start with this", var.name)),
                    None => {}
                }
                let offset = record.size;
                record.size = record.size.saturating_add(self.size_of(ty, count));
                self.check_size(record.size, span);
                record.fields.push(Field { name: var.name.clone(), ty, count, offset, channel, value });
            }
        }
        self.record_names.insert(typedef.name.clone(), self.records.len());
        self.records.push(record);
    }

    fn array_size(&mut self, var: &syntax::Var) -> Option<u32> {
        let size = var.size.as_ref()?;
        if let ExprKind::Var(bound) = &size.kind
            && self.lookup(&bound.name).is_some_and(|bound| bound.value.is_none_or(|value| value <= 0))
        {
            self.warn(size.at.0, format!("`{}` starts with no usable number and is taken for 8", bound.name));
            return Some(8);
        }
        match self.constant(size) {
            Some(count @ 1..=MAX_ARRAY) => Some(count as u32),
            Some(_) => {
                self.error(size.at.0, format!("`{}` should have between 1 and {MAX_ARRAY} elements", var.name));
                Some(1)
            }
            None => Some(1),
        }
    }

    pub(super) fn size_of(&self, ty: Type, count: Option<u32>) -> u32 {
        let one = match ty {
            Type::Record(record) => self.records[record].size,
            ty => ty.scalar(count.is_some()).size(),
        };
        one.saturating_mul(count.unwrap_or(1))
    }

    /// Refuses what no state could hold.
    fn check_size(&mut self, size: u32, span: Span) -> Option<()> {
        if size > MAX_SIZE {
            self.error(span, format!("more than {MAX_SIZE} bytes for one variable"));
            return None;
        }
        Some(())
    }

    pub(super) fn channel_type(&mut self, init: &ChannelInit) -> Option<ChannelTypeId> {
        let capacity = self.constant(&init.capacity)?;
        let Ok(capacity @ 0..=255) = u32::try_from(capacity) else {
            self.error(init.at.0, "a channel holds between 0 and 255 messages");
            return None;
        };
        let mut fields = Vec::new();
        let mut mtypes = Vec::new();
        for ty in &init.fields {
            let ty = self.scalar_type(ty, None, init.at.0);
            self.flatten_type(ty, None, &mut fields, init.at.0);
            // Names are for people; fields of records are shown as numbers.
            let mtype = if let Type::Mtype(set) = ty { Some(set) } else { None };
            mtypes.resize(fields.len(), mtype);
        }
        if fields.len() > MAX_FIELDS {
            self.error(init.at.0, format!("a message of more than {MAX_FIELDS} fields"));
            return None;
        }
        self.max_fields = self.max_fields.max(fields.len());
        Some(self.model.channel_types.push(ChannelType { capacity, fields, mtypes, span: init.at.0 }))
    }

    /// The scalars of a type, records and their arrays written out.
    fn flatten_type(&mut self, ty: Type, count: Option<u32>, into: &mut Vec<Scalar>, span: Span) {
        let Type::Record(record) = ty else {
            let scalar = ty.scalar(count.is_some());
            into.extend(std::iter::repeat_n(scalar, count.unwrap_or(1) as usize));
            return;
        };
        if count.is_some() {
            self.error(span, "an array of records cannot be written out");
            return;
        }
        let fields: Vec<_> = self.records[record].fields.iter().map(|field| (field.ty, field.count)).collect();
        for (ty, count) in fields {
            self.flatten_type(ty, count, into, span);
        }
    }

    pub(super) fn param_scalars(&mut self, decl: &syntax::Decl) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        for var in &decl.vars {
            let ty = self.scalar_type(&decl.ty, var.width, var.at.0);
            self.flatten_type(ty, None, &mut scalars, var.at.0);
        }
        scalars
    }

    pub(super) fn params(&mut self, id: ProctypeId, decl: &syntax::Decl) {
        for var in &decl.vars {
            if var.size.is_some() {
                self.error(var.at.0, format!("parameter `{}` cannot be an array", var.name));
            }
            if var.init.is_some() {
                self.error(var.at.0, format!("parameter `{}` cannot have a value", var.name));
            }
            let plain = syntax::Var { init: None, size: None, ..var.clone() };
            let Some(declared) = self.new_var(decl, &plain) else { continue };
            let places = self.flatten_places(&declared);
            self.model.proctypes[id].params.extend(places);
        }
    }

    fn flatten_places(&mut self, var: &Var) -> Vec<Place> {
        let mut scalars = Vec::new();
        self.flatten_type(var.ty, var.count, &mut scalars, var.span);
        let mut offset = var.offset;
        let mut place = |scalar: Scalar| {
            let place = Place { scope: var.scope, offset, indices: Vec::new(), scalar };
            offset += scalar.size();
            place
        };
        scalars.into_iter().map(&mut place).collect()
    }

    pub(super) fn global(&mut self, decl: &syntax::Decl) {
        for var in &decl.vars {
            let Some(declared) = self.new_var(decl, var) else { continue };
            self.start_value(var, &declared);
        }
    }

    /// A declaration inside a process: part of its start, or an assignment where it stands.
    pub(super) fn local(&mut self, decl: &syntax::Decl) {
        for var in &decl.vars {
            let Some(declared) = self.new_var(decl, var) else { continue };
            if self.context.as_ref().is_some_and(|context| context.is_at_start) {
                self.start_value(var, &declared);
                continue;
            }
            if matches!(declared.ty, Type::Record(_)) {
                // As in SPIN, its fields have their values from the start, and the step does nothing.
                self.start_value(var, &declared);
            }
            let place = match declared.ty {
                Type::Record(_) => Place { scope: Scope::Nowhere, offset: 0, indices: Vec::new(), scalar: Scalar::Int },
                ty => Place {
                    scope: declared.scope,
                    offset: declared.offset,
                    indices: Vec::new(),
                    scalar: ty.scalar(declared.count.is_some()),
                },
            };
            let value = match &var.init {
                None => Some(Expr::Const(0)),
                // The start has complained.
                Some(_) if matches!(declared.ty, Type::Record(_)) => None,
                Some(VarInit::Expr(expr)) => self.start_expr(var, &declared, expr),
                Some(VarInit::List(_)) => {
                    self.error(var.at.0, "a list of values may only be given before the first statement");
                    None
                }
                Some(VarInit::Channel(_)) => {
                    self.error(var.at.0, "a channel has to be declared before the first statement");
                    None
                }
            };
            if let Some(value) = value {
                self.flow().add(Node::Step(Step::Assign(place, value)), &[], var.at.0);
            }
        }
    }

    /// Checks the value a variable is declared with.
    fn start_expr(&mut self, var: &syntax::Var, declared: &Var, expr: &syntax::Expr) -> Option<Expr> {
        if matches!(declared.ty, Type::Record(_)) {
            self.error(var.at.0, format!("record `{}` cannot start with a value", var.name));
            return None;
        }
        if matches!(expr.kind, ExprKind::Run { .. }) {
            self.error(expr.at.0, "`run` cannot be what a variable starts with");
            return None;
        }
        self.check_assigned(declared.ty, &var.name, expr);
        self.value(expr)
    }

    /// What the frame does when it is made.
    fn start_value(&mut self, var: &syntax::Var, declared: &Var) {
        let stride = declared.ty.scalar(declared.count.is_some()).size();
        let element = |index: u32| Place {
            scope: declared.scope,
            offset: declared.offset + index * stride,
            indices: Vec::new(),
            scalar: declared.ty.scalar(declared.count.is_some()),
        };
        if let Type::Record(record) = declared.ty {
            if var.init.is_some() {
                self.error(var.at.0, format!("record `{}` cannot start with a value", var.name));
            }
            let size = self.records[record].size;
            for index in 0..declared.count.unwrap_or(1) {
                self.start_record(declared.scope, record, declared.offset + index * size);
            }
            return;
        }
        let mut init = Vec::new();
        let count = declared.count.unwrap_or(1);
        match &var.init {
            None => {}
            Some(VarInit::Expr(expr)) => {
                let Some(value) = self.start_expr(var, declared, expr) else { return };
                if value != Expr::Const(0) {
                    init.extend((0..count).map(|index| FrameInit::Value(element(index), value.clone())));
                }
            }
            Some(VarInit::List(values)) => {
                if declared.count.is_none() {
                    return self.error(var.at.0, format!("`{}` is no array", var.name));
                }
                let values: Vec<Expr> = values.iter().filter_map(|value| self.value(value)).collect();
                let Some(last) = values.last().cloned() else { return };
                let value = |index: u32| values.get(index as usize).unwrap_or(&last).clone();
                init.extend((0..count).map(|index| FrameInit::Value(element(index), value(index))));
            }
            Some(VarInit::Channel(_)) => {
                if declared.ty != Type::Chan {
                    return self.error(var.at.0, format!("`{}` is no channel", var.name));
                }
                let Some(id) = declared.channel else { return };
                for index in 0..count {
                    let number = self.new_channel(id);
                    init.push(FrameInit::Channel(element(index), number));
                }
            }
        }
        self.frame().init.extend(init);
    }

    fn start_record(&mut self, scope: Scope, record: usize, offset: u32) {
        for field in self.records[record].fields.clone() {
            let scalar = field.ty.scalar(field.count.is_some());
            for index in 0..field.count.unwrap_or(1) {
                if let Type::Record(inner) = field.ty {
                    let size = self.records[inner].size;
                    self.start_record(scope, inner, offset + field.offset + index * size);
                    continue;
                }
                let at = offset + field.offset + index * scalar.size();
                let place = Place { scope, offset: at, indices: Vec::new(), scalar };
                if let Some(channel) = field.channel {
                    let number = self.new_channel(channel);
                    self.frame().init.push(FrameInit::Channel(place, number));
                } else if let Some(value) = field.value.filter(|value| *value != 0) {
                    self.frame().init.push(FrameInit::Value(place, Expr::Const(value)));
                }
            }
        }
    }

    fn new_channel(&mut self, id: ChannelTypeId) -> u32 {
        let frame = self.frame();
        frame.channels.push(id);
        frame.channels.len() as u32 - 1
    }

    fn frame(&mut self) -> &mut Frame {
        match &mut self.context {
            Some(context) => &mut context.frame,
            None => &mut self.model.globals,
        }
    }

    /// Declares a variable and gives it a place.
    fn new_var(&mut self, decl: &syntax::Decl, var: &syntax::Var) -> Option<Var> {
        let span = var.at.0;
        if let Some(context) = &self.context
            && context.kind != ContextKind::Process
        {
            self.error(span, "claims have no variables");
            return None;
        }
        if let Some(known) = self.lookup(&var.name) {
            let first = known.span;
            let message = format!("`{}` is declared already", var.name);
            let diagnostic = unpick_base::Diagnostic::new(unpick_base::Severity::Error, span, message);
            self.session.diagnostics.push(diagnostic.label(first, "declared here"));
            return None;
        }
        let known = self.proctypes.get(&var.name);
        let is_name_of_process = known.is_some_and(|id| self.signatures[id.0 as usize].is_finished);
        if is_name_of_process
            || self.mtypes.contains_key(&var.name)
            || matches!(&*var.name, "_pid" | "_nr_pr" | "_last" | "_" | "_priority")
        {
            self.error(span, format!("`{}` is declared already", var.name));
            return None;
        }
        let ty = self.scalar_type(&decl.ty, var.width, span);
        let count = self.array_size(var);
        let mut scope = if self.context.is_some() { Scope::Local } else { Scope::Global };
        if decl.visibility == Some(Visibility::Hidden) {
            scope = self.hide(decl, scope, span);
        }
        let size = self.size_of(ty, count);
        let whole = self.frame().size.saturating_add(size);
        self.check_size(whole, span)?;
        let offset = match scope {
            Scope::Hidden => {
                self.model.hidden_size += size;
                self.model.hidden_size - size
            }
            Scope::Global | Scope::Local | Scope::Nowhere => {
                let frame = self.frame();
                frame.size += size;
                frame.size - size
            }
        };
        let (mut channel, mut value) = (None, None);
        match &var.init {
            Some(VarInit::Channel(init)) if ty == Type::Chan => channel = self.channel_type(init),
            Some(VarInit::Expr(expr)) => value = literal(expr),
            _ => {}
        }
        let declared = Var { scope, offset, ty, count, value, channel, span };
        self.show_var(&var.name, &declared);
        self.declare_for_code(&var.name, &declared);
        let map = match &mut self.context {
            Some(context) => context.scopes.last_mut().expect("there should be a scope"),
            None => &mut self.globals,
        };
        map.insert(var.name.clone(), declared.clone());
        Some(declared)
    }

    fn hide(&mut self, decl: &syntax::Decl, scope: Scope, span: Span) -> Scope {
        if scope == Scope::Local {
            self.error(span, "only global variables can be hidden");
            return scope;
        }
        if matches!(decl.ty, TypeName::Bit | TypeName::Bool) {
            self.error(span, "a bit cannot be hidden");
        }
        Scope::Hidden
    }

    /// Records the variable for the display of states.
    fn show_var(&mut self, name: &Name, var: &Var) {
        let mut found = Vec::new();
        self.show_parts(name, var.ty, var.count, var, var.offset, &mut found);
        self.frame().vars.extend(found);
    }

    fn show_parts(&self, name: &str, ty: Type, count: Option<u32>, var: &Var, offset: u32, found: &mut Vec<VarInfo>) {
        let size = self.size_of(ty, count) / count.unwrap_or(1);
        for index in 0..count.unwrap_or(1) {
            let name = if count.is_some() { format!("{name}[{index}]") } else { name.to_owned() };
            let offset = offset + index * size;
            if let Type::Record(record) = ty {
                for field in &self.records[record].fields {
                    let name = format!("{name}.{}", field.name);
                    self.show_parts(&name, field.ty, field.count, var, offset + field.offset, found);
                }
                continue;
            }
            let place = Place { scope: var.scope, offset, indices: Vec::new(), scalar: ty.scalar(count.is_some()) };
            let mtype = if let Type::Mtype(set) = ty { Some(set) } else { None };
            found.push(VarInfo { name: name.into(), place, mtype, span: var.span });
        }
    }
}

fn literal(expr: &syntax::Expr) -> Option<i32> {
    match &expr.kind {
        ExprKind::Literal(value, _) => Some(*value),
        _ => None,
    }
}
