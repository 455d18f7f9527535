//! The data of C in a state, for people.

use super::Embedded;
use super::run::{Frames, Who};
use crate::automaton::code::names;
use crate::interp::{Machine, State};
use crate::{GlobalId, Shape, ShapeId, show};

/// What C text calls something, whose it is, and its value.
pub(crate) struct ShownData {
    pub(crate) process: Option<u8>,
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Embedded {
    /// All data of C that users have declared.
    pub(crate) fn shown(&self, frames: &dyn Frames, processes: &[Who]) -> Vec<ShownData> {
        let room = self.room();
        let machine = Machine::again(&self.program, self.options.clone(), &room.prepared);
        let state = self.memory(&machine, &room, frames);
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
        for who in processes {
            let Some(proctype) = who.proctype.filter(|proctype| self.processes[*proctype].has_data) else { continue };
            if let Some(object) = self.object_of(proctype, who.process) {
                self.members(&machine, &state, object, Some(*who), &mut shown);
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
        who: Option<Who>,
        shown: &mut Vec<ShownData>,
    ) {
        let shape = self.program.globals[object].shape.map(|shape| &self.program.shapes[shape]);
        let Some(Shape::Record { fields, .. }) = shape else { return };
        for field in fields.iter().filter(|field| self.is_data(&field.name, who)) {
            let (pointer, size) = (machine.pointer_to(object), self.size(field.shape));
            let value = show::region(machine, state, pointer, field.offset, size, Some(field.shape));
            let name = if who.is_some() { field.name.clone() } else { format!("{}.{}", names::NOW, field.name) };
            shown.push(ShownData { process: who.map(|who| who.process), name, value });
        }
    }

    /// Whether a member was declared with `c_state`.
    fn is_data(&self, name: &str, who: Option<Who>) -> bool {
        let place = who.and_then(|who| who.proctype);
        self.data.iter().any(|(known, owner)| known == name && *owner == place)
    }

    fn size(&self, shape: ShapeId) -> u64 {
        match &self.program.shapes[shape] {
            Shape::Int { size, .. } | Shape::Enum { size, .. } => u64::from(*size),
            Shape::Char { .. } | Shape::Bool => 1,
            Shape::Float(ty) => crate::interp::stored_bytes(*ty, self.program.pointer_bytes),
            Shape::Pointer(_) | Shape::Code => self.program.pointer_bytes.into(),
            Shape::Array { len, stride, .. } => len * stride,
            Shape::Record { fields, .. } => {
                fields.iter().map(|field| field.offset + self.size(field.shape)).max().unwrap_or(0)
            }
            Shape::Opaque { size } => *size,
        }
    }
}
