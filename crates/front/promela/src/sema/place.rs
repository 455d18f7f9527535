//! Places of variables, elements and fields in the state vector.

use unpick_base::Span;

use super::{Sema, Type, Var};
use crate::syntax::VarRef;
use unpick_automaton::{ChannelTypeId, Expr, Index, Place, Scalar, Scope};

/// What a reference means.
pub(super) struct Found {
    pub(super) scope: Scope,
    pub(super) offset: u32,
    pub(super) indices: Vec<Index>,
    pub(super) ty: Type,
    /// A whole array: no index was given.
    pub(super) whole: Option<u32>,
    /// Whether the scalar is an element of an array.
    pub(super) is_element: bool,
    /// What is known of the channel.
    pub(super) channel: Option<ChannelTypeId>,
}

impl Found {
    pub(super) fn place(self) -> Place {
        let scalar = self.ty.scalar(self.is_element || self.whole.is_some());
        Place { scope: self.scope, offset: self.offset, indices: self.indices, scalar }
    }
}

impl Sema<'_> {
    /// Looks a reference up; reports what is wrong with it.
    pub(super) fn find(&mut self, var: &VarRef) -> Option<Found> {
        let Some(declared) = self.lookup(&var.name).cloned() else {
            let message = match self.proctypes.contains_key(&var.name) {
                true => format!("process type `{}` is used as a variable", var.name),
                false => format!("`{}` is not declared", var.name),
            };
            self.error(var.at.0, message);
            return None;
        };
        self.find_in(var, &declared)
    }

    pub(super) fn find_in(&mut self, var: &VarRef, declared: &Var) -> Option<Found> {
        let start = Found {
            scope: declared.scope,
            offset: declared.offset,
            indices: Vec::new(),
            ty: declared.ty,
            whole: None,
            is_element: false,
            channel: declared.channel,
        };
        self.narrow(var, start, declared.count)
    }

    fn narrow(&mut self, var: &VarRef, mut found: Found, count: Option<u32>) -> Option<Found> {
        let stride = self.size_of(found.ty, count) / count.unwrap_or(1);
        match (&var.index, count) {
            (Some(index), Some(count)) => {
                let expr = self.number(index)?;
                match expr {
                    Expr::Const(value @ 0..) if (value as u32) < count => found.offset += value as u32 * stride,
                    expr => found.indices.push(Index { expr, count, stride, span: index.at.0 }),
                }
                found.is_element = true;
            }
            (Some(index), None) => {
                if self.number(index)? != Expr::Const(0) {
                    self.error(index.at.0, format!("`{}` is no array", var.name));
                    return None;
                }
            }
            (None, Some(count)) => found.whole = Some(count),
            (None, None) => {}
        }
        let Some(field) = &var.field else { return Some(found) };
        self.whole_is_wrong(var, found.whole)?;
        let Type::Record(record) = found.ty else {
            self.error(field.at.0, format!("`{}` is no record and has no fields", var.name));
            return None;
        };
        let Some(declared) = self.records[record].fields.iter().find(|known| known.name == field.name).cloned() else {
            let message = format!("type `{}` has no field `{}`", self.records[record].name, field.name);
            self.error(field.at.0, message);
            return None;
        };
        found.offset += declared.offset;
        found.ty = declared.ty;
        found.is_element = false;
        found.channel = declared.channel;
        self.narrow(field, found, declared.count)
    }

    fn whole_is_wrong(&mut self, var: &VarRef, whole: Option<u32>) -> Option<()> {
        if whole.is_some() {
            self.error(var.at.0, format!("array `{}` needs an index", var.name));
            return None;
        }
        Some(())
    }

    /// A reference to one scalar.
    pub(super) fn scalar(&mut self, var: &VarRef) -> Option<(Place, Type, Option<ChannelTypeId>)> {
        let found = self.find(var)?;
        self.whole_is_wrong(var, found.whole)?;
        if let Type::Record(_) = found.ty {
            self.error(var.at.0, format!("record `{}` needs a field", var.name));
            return None;
        }
        let (ty, channel) = (found.ty, found.channel);
        Some((found.place(), ty, channel))
    }

    /// A reference as the scalars it consists of: one, or all of a record.
    pub(super) fn scalars(&mut self, var: &VarRef) -> Option<Vec<Place>> {
        let found = self.find(var)?;
        self.whole_is_wrong(var, found.whole)?;
        let Type::Record(record) = found.ty else { return Some(vec![found.place()]) };
        let mut places = Vec::new();
        self.write_out(record, found.offset, &found, &mut places, var.at.0)?;
        Some(places)
    }

    fn write_out(&mut self, record: usize, offset: u32, of: &Found, into: &mut Vec<Place>, span: Span) -> Option<()> {
        for field in self.records[record].fields.clone() {
            let offset = offset + field.offset;
            if let Type::Record(inner) = field.ty {
                if field.count.is_some() {
                    self.error(
                        span,
                        format!("field `{}` is an array of records and cannot be written out", field.name),
                    );
                    return None;
                }
                self.write_out(inner, offset, of, into, span)?;
                continue;
            }
            let scalar = field.ty.scalar(field.count.is_some());
            for index in 0..field.count.unwrap_or(1) {
                let offset = offset + index * scalar.size();
                into.push(Place { scope: of.scope, offset, indices: of.indices.clone(), scalar });
            }
        }
        Some(())
    }

    /// A place that forgets.
    pub(super) fn nowhere() -> Place {
        Place { scope: Scope::Nowhere, offset: 0, indices: Vec::new(), scalar: Scalar::Int }
    }
}
