//! Display of the C data of a state.

use super::Embedded;
use unpick_automaton::code::names;
use unpick_automaton::embedded::{Caller, Frames, ShownData};
use unpick_program::interp::{Machine, State};
use unpick_program::{GlobalId, Shape, ShapeId, show};

impl Embedded {
    /// All data of C that users have declared.
    pub(super) fn declared_data(&self, frames: &dyn Frames, processes: &[Caller]) -> Vec<ShownData> {
        let scratch = self.scratch();
        let machine = Machine::again(&self.program, self.options.clone(), &scratch.prepared);
        let state = self.memory(&machine, &scratch, frames);
        let mut shown = Vec::new();
        for (id, global) in self.program.globals.iter_enumerated() {
            let Some(name) = &global.source_name else { continue };
            let is_ours = name.starts_with("__unpick_") || self.globals.iter().any(|copied| copied.object == Some(id));
            if name == names::NOW {
                self.members(&machine, &state, id, None, &mut shown);
            } else if !is_ours && !global.is_model && !global.is_read_only {
                let value = show::region(&machine, &state, machine.pointer_to(id), 0, global.size, None);
                shown.push(ShownData { process: None, name: name.clone(), value });
            }
        }
        for caller in processes {
            let Some(proctype) = caller.proctype.filter(|proctype| self.processes[*proctype].has_data) else {
                continue;
            };
            if let Some(object) = self.object_of(proctype, caller.process) {
                self.members(&machine, &state, object, Some(*caller), &mut shown);
            }
        }
        shown
    }

    /// Members that are no variables of the model.
    fn members(
        &self,
        machine: &Machine<'_>,
        state: &State,
        object: GlobalId,
        caller: Option<Caller>,
        shown: &mut Vec<ShownData>,
    ) {
        let shape = self.program.globals[object].shape.map(|shape| &self.program.shapes[shape]);
        let Some(Shape::Record { fields, .. }) = shape else { return };
        for field in fields.iter().filter(|field| self.is_data(&field.name, caller)) {
            let (pointer, size) = (machine.pointer_to(object), self.size(field.shape));
            let value = show::region(machine, state, pointer, field.offset, size, Some(field.shape));
            let name = if caller.is_some() { field.name.clone() } else { format!("{}.{}", names::NOW, field.name) };
            shown.push(ShownData { process: caller.map(|caller| caller.process), name, value });
        }
    }

    /// Whether a member was declared with `c_state`.
    fn is_data(&self, name: &str, caller: Option<Caller>) -> bool {
        let place = caller.and_then(|caller| caller.proctype);
        self.data.iter().any(|(known, owner)| known == name && *owner == place)
    }

    fn size(&self, shape: ShapeId) -> u64 {
        match &self.program.shapes[shape] {
            Shape::Int { size, .. } | Shape::Enum { size, .. } => u64::from(*size),
            Shape::Char { .. } | Shape::Bool => 1,
            Shape::Float(ty) => unpick_program::interp::stored_bytes(*ty, self.program.pointer_bytes),
            Shape::Pointer(_) | Shape::Code => self.program.pointer_bytes.into(),
            Shape::Array { len, stride, .. } => len * stride,
            Shape::Record { fields, .. } => {
                fields.iter().map(|field| field.offset + self.size(field.shape)).max().unwrap_or(0)
            }
            Shape::Opaque { size } => *size,
        }
    }
}
