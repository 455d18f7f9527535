//! Memory-mapped devices: reads may return another value each time, writes may have no effect. Volatile variables that
//! are not declared as devices keep their values.

use std::rc::Rc;

use super::Observer;
use super::choice::truncate;
use super::exec::{Exec, Step};
use super::narrow::sign_extend;
use super::object::ObjectKind;
use super::value::{Pointer, Value};
use crate::{Access, BinOp, BitRange, Device, DeviceRead, DeviceWrite, GlobalId, Operand, Program, RegId, Ty, UnOp};

/// What is assumed of a volatile variable that is read: only the program changes it. `None` if the user has said more about it,
/// or it has no name.
pub fn volatile_kept(program: &Program, global: GlobalId) -> Option<String> {
    let is_own = !program.globals[global].is_model && !program.devices.contains_key(&global);
    let name = program.globals[global].source_name.as_ref().filter(|_| is_own)?;
    Some(format!("the volatile variable `{name}` changes only where the program writes it (--volatile-any {name})"))
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// The device a pointer points into.
    #[inline]
    pub(crate) fn device(&self, pointer: Pointer) -> Option<Device> {
        if self.program.devices.is_empty() {
            return None;
        }
        match self.state.memory.get(pointer)?.kind {
            ObjectKind::Global(global) => self.program.devices.get(&global).copied(),
            ObjectKind::Slot(..) | ObjectKind::Alloca(_) | ObjectKind::Heap(_) => None,
        }
    }

    /// A volatile access that is no atomic one reads: tells the variable.
    #[inline]
    pub(crate) fn watch_volatile(&mut self, addr: &Operand, access: &Access) {
        if access.is_volatile
            && access.atomic.is_none()
            && let Value::Ptr(pointer) = self.operand(addr)
            && let Some(ObjectKind::Global(global)) = self.state.memory.get(pointer).map(|object| object.kind)
        {
            self.observer.read_volatile(global);
        }
    }

    /// Whether each read gives another value.
    pub(crate) fn is_fickle(&self, pointer: Pointer) -> bool {
        self.device(pointer).is_some_and(|device| device.read == DeviceRead::Any)
    }

    fn label(&self, pointer: Pointer) -> Rc<str> {
        let object = self.state.memory.get(pointer);
        object
            .and_then(|object| object.any.as_ref())
            .map(|any| any.label.clone())
            .unwrap_or_else(|| Rc::from("a device"))
    }

    pub(crate) fn load_fickle(&mut self, pointer: Pointer, ty: Ty, len: u64) -> Step<Value> {
        let label = self.label(pointer);
        if ty == Ty::Ptr {
            return Err(self.unmodelled(format!("a pointer is read from {label}")));
        }
        let is_odd = u64::from(self.width(ty)) != 8 * len;
        self.fresh(ty, None, is_odd, &label)
    }

    pub(crate) fn load_bits_fickle(&mut self, dst: RegId, pointer: Pointer, bits: BitRange, is_signed: bool) -> Step {
        let label = self.label(pointer);
        let width = u32::from(bits.width);
        let value = self.fresh_now(width, &label)?;
        let dst_width = self.width(self.function.regs[dst].ty);
        let value = if is_signed { truncate(sign_extend(value, width) as u128, dst_width) } else { value };
        self.assign(dst, Value::from_bits(dst_width, value));
        Ok(())
    }

    /// What reads bytes one by one would see them stay what they are.
    pub(crate) fn refuse_fickle(&mut self, pointer: Pointer) -> Step {
        if self.is_fickle(pointer) {
            let label = self.label(pointer);
            return Err(self.unmodelled(format!("bytes are read one by one from {label}")));
        }
        Ok(())
    }

    /// Whether a write of several bytes at once leaves no trace.
    pub(crate) fn is_write_lost(&mut self, pointer: Pointer, what: &str) -> Step<bool> {
        match self.device(pointer).map(|device| device.write) {
            None | Some(DeviceWrite::Held) => Ok(false),
            Some(DeviceWrite::Ignored) => Ok(true),
            Some(DeviceWrite::ClearsOnes) => {
                let label = self.label(pointer);
                Err(self.unmodelled(format!("{what} goes to {label}, where ones clear bits")))
            }
        }
    }

    pub(crate) fn store_device(&mut self, pointer: Pointer, device: Device, value: Value, ty: Ty, len: u64) -> Step {
        if device.write == DeviceWrite::Ignored || device.read == DeviceRead::Any {
            return Ok(());
        }
        let Ty::Int(_) = ty else {
            let label = self.label(pointer);
            return Err(self.unmodelled(format!("something other than an integer is written to {label}")));
        };
        let held = self.load_slow(pointer, ty)?;
        let kept = self.unary(UnOp::Not, ty, value)?;
        let left = self.binary(BinOp::And, ty, held, kept)?;
        let offset = self.check_access(pointer, len, true)?;
        self.make_room(pointer, offset, len)?;
        self.observe_before_write(pointer.at(0), offset, len);
        self.write_value(pointer, offset, len, ty, left)?;
        self.observe_written(pointer.at(0), offset, len);
        Ok(())
    }
}
