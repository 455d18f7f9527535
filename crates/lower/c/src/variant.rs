//! Specialised library models: calls that a second model of the same function serves better.

use unpick_program::program::Operand;

use super::DeclRef;
use super::function::FunctionLowering;
use super::link::Target;
use unpick_front_c::ast::{CastKind, ExprId, ExprKind};
use unpick_front_c::models::{self, QUIET_PREFIX, WITHIN_PREFIX};

/// A function called instead of the one the source names.
pub(super) struct ModelVariant {
    pub callee: Operand,
    /// An argument to put after the first one.
    pub capacity: Option<Operand>,
}

impl FunctionLowering<'_, '_, '_> {
    /// Where output does not matter, a library function that writes has a variant that only checks its
    /// arguments: converting an open input to text would have to enumerate it.
    pub(super) fn quiet_variant(&mut self, callee: ExprId) -> Option<ModelVariant> {
        if self.cx.options.options.get("skip-output").is_none_or(|value| *value == 0) {
            return None;
        }
        let callee = self.variant_named(QUIET_PREFIX, callee)?;
        Some(ModelVariant { callee, capacity: None })
    }

    /// A string function that writes to an array inside a larger object has a variant that stays within the
    /// array: the pointer alone knows only the bounds of the whole object. (Functions that copy a number of bytes
    /// have none: copying several neighbouring members at once is common.)
    pub(super) fn bounded_variant(&mut self, callee: ExprId, args: &[ExprId]) -> Option<ModelVariant> {
        let capacity = self.part_capacity(*args.first()?)?;
        let callee = self.variant_named(WITHIN_PREFIX, callee)?;
        Some(ModelVariant { callee, capacity: Some(Operand::Bits(self.word(), u128::from(capacity))) })
    }

    /// The length of the array that is a member or an element and decays to this pointer.
    fn part_capacity(&self, pointer: ExprId) -> Option<u64> {
        let ExprKind::Cast { kind, operand, .. } = self.unit.exprs[pointer].kind else { return None };
        match kind {
            CastKind::PointerToPointer | CastKind::NoOp => self.part_capacity(operand),
            CastKind::ArrayDecay => {
                let is_part = matches!(self.unit.exprs[operand].kind, ExprKind::Member { .. } | ExprKind::Index { .. });
                let capacity = self.unit.types.size_of(self.ty(operand))?;
                (is_part && self.checked_length(operand).is_some()).then_some(capacity)
            }
            _ => None,
        }
    }

    /// The library's function of that name behind a prefix, if the callee is the library's and has one.
    pub(super) fn variant_named(&mut self, prefix: &str, callee: ExprId) -> Option<Operand> {
        let decl = self.direct_callee(callee)?;
        let Target::Defined(def) = self.cx.resolve(DeclRef { unit: self.unit_index, decl }) else { return None };
        // The variant itself calls the plain function.
        if !self.cx.units[def.unit].is_model || self.cx.units[self.unit_index].is_model {
            return None;
        }
        let name = self.cx.unit(def.unit).decls[def.decl].name;
        let variant = format!("{prefix}{}", self.name(name));
        models::file_for(&variant)?;
        self.external_function(&variant)
    }
}
