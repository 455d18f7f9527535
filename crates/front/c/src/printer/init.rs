//! Printer of initialisers, with designators; members of anonymous records stay in place.

use std::fmt::Write as _;

use super::Printer;
use super::expr::ASSIGN;
use super::literal;
use super::types::is_anonymous_member;
use crate::ast::{Encoding, Init, InitEntry};
use crate::types::{TyId, Type};

impl Printer<'_> {
    pub(super) fn init(&mut self, init: &Init, ty: TyId) {
        match init {
            Init::Expr(expr) => self.expr(*expr, ASSIGN),
            Init::Str { units, unit_bytes: 1 } => self.out.push_str(&literal::literal(units, Encoding::Plain)),
            Init::Str { units, .. } => {
                let units: Vec<String> = units.iter().map(u32::to_string).collect();
                let _ = write!(self.out, "{{{}}}", units.join(", "));
            }
            Init::List { ty: list_ty, entries } => {
                let ty = if self.unit.types.is_array(ty) || self.unit.types.is_record(ty) { ty } else { *list_ty };
                self.out.push('{');
                let mut is_first = true;
                self.entries(entries, ty, &mut is_first);
                self.out.push('}');
            }
        }
    }

    /// A braced initialiser whatever its form, as compound literals need.
    pub(super) fn braced_init(&mut self, init: &Init, ty: TyId) {
        if matches!(init, Init::List { .. } | Init::Str { unit_bytes: 2.., .. }) {
            return self.init(init, ty);
        }
        self.out.push('{');
        self.init(init, ty);
        self.out.push('}');
    }

    fn entries(&mut self, entries: &[InitEntry], ty: TyId, is_first: &mut bool) {
        match *self.unit.types.get(ty) {
            Type::Record(record) => {
                for entry in entries {
                    let Some(field) = self.unit.types.records[record].fields.get(entry.index as usize) else {
                        continue;
                    };
                    if is_anonymous_member(field)
                        && let Init::List { entries, .. } = &entry.init
                    {
                        self.entries(entries, field.ty.ty, is_first);
                        continue;
                    }
                    self.separate(is_first);
                    if let Some(name) = field.name {
                        let stroke = self.tags.stroke(&self.unit.types.records[record]);
                        let _ = write!(self.out, ".{}{stroke} = ", self.interner.name(name));
                    }
                    self.init(&entry.init, field.ty.ty);
                }
            }
            Type::Array { element, .. } => self.elements(entries, element.ty, is_first),
            _ => {
                let element = match *self.unit.types.get(ty) {
                    Type::Vector { element, .. } => element,
                    _ => ty,
                };
                for entry in entries {
                    self.separate(is_first);
                    self.init(&entry.init, element);
                }
            }
        }
    }

    /// Designators stand only where the position is not the next one.
    fn elements(&mut self, entries: &[InitEntry], element: TyId, is_first: &mut bool) {
        let mut next = 0;
        for entry in entries {
            self.separate(is_first);
            if entry.last != entry.index {
                let _ = write!(self.out, "[{} ... {}] = ", entry.index, entry.last);
            } else if entry.index != next {
                let _ = write!(self.out, "[{}] = ", entry.index);
            }
            next = entry.last + 1;
            self.init(&entry.init, element);
        }
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !std::mem::replace(is_first, false) {
            self.out.push_str(", ");
        }
    }
}
