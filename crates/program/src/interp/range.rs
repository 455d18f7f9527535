//! Instructions on byte ranges: copies, fills, output.

use std::rc::Rc;

use super::Observer;
use super::exec::{Exec, Step};
use super::object::{Cell, Object};
use super::unselected::OVERLAPS;
use super::value::{Pointer, Value};
use crate::{Operand, Shape, Ty, ViolationKind};

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// A number of bytes.
    pub(crate) fn length(&mut self, operand: &Operand) -> Step<u64> {
        let width = self.width(Ty::Ptr);
        let value = self.operand(operand);
        match self.int(value, width)? {
            Some(bits) => Ok(bits as u64),
            None => Err(self.violation(ViolationKind::Uninitialized, "a number of bytes is indeterminate".into())),
        }
    }

    pub(crate) fn mem_copy(&mut self, dst: &Operand, src: &Operand, bytes: &Operand, may_overlap: bool) -> Step {
        let len = self.length(bytes)?;
        if len == 0 {
            return Ok(());
        }
        let source = self.pointer(src, "the source of a copy")?;
        let target = self.pointer(dst, "the destination of a copy")?;
        let from = self.check_access(source, len, false)?;
        let to = self.check_access(target, len, true)?;
        if source == target {
            return Ok(());
        }
        let overlaps = source.same_object(target) && from < to + len && to < from + len;
        if overlaps && !may_overlap {
            if self.looks_for(ViolationKind::OutOfBounds) {
                let message = "source and destination of memcpy overlap".into();
                return Err(self.violation(ViolationKind::OutOfBounds, message));
            }
            self.observer.note(OVERLAPS);
        }
        self.touch_range(source, from, len)?;
        if self.machine.uninitialised.is_some() {
            self.choose_copied(source, from, len)?;
        }
        if self.is_write_lost(target, "a copy")? {
            return Ok(());
        }
        self.make_room(source, from, len)?;
        self.make_room(target, to, len)?;
        self.observe_read(source.at(0), from, len);
        self.observe_before_write(target.at(0), to, len);
        self.copy_range(source, from, target, to, len);
        self.observe_written(target.at(0), to, len);
        Ok(())
    }

    fn copy_range(&mut self, source: Pointer, from: u64, target: Pointer, to: u64, len: u64) {
        let original: Rc<Object> = self.state.memory.get_shared(source).expect("the access was checked").clone();
        // Pointers that stick out leave single bytes behind; splitting a copy keeps the original whole.
        let cells: Vec<Cell> = original
            .cells_in(from, len)
            .iter()
            .flat_map(|cell| cell.within(from, len))
            .map(|cell| Cell { offset: cell.offset - from + to, ..cell })
            .collect();
        if self.state.memory.get(target).is_some_and(|object| !object.is_private) {
            for cell in &cells {
                if let Value::Ptr(pointer) | Value::Fragment { pointer, .. } = cell.value {
                    self.state.memory.publish(pointer);
                }
            }
        }
        let object = self.state.memory.get_mut(target).expect("the access was checked");
        object.write_bytes(to, &original.bytes[from as usize..(from + len) as usize]);
        if original.has_undef(from, len) {
            for at in 0..len {
                object.set_undef_bits(to + at, original.undef_bits(from + at));
            }
        }
        object.insert_cells(cells);
    }

    /// Makes untouched bytes of an object with any contents determinate.
    fn touch_range(&mut self, pointer: Pointer, offset: u64, len: u64) -> Step {
        let object = self.state.memory.get(pointer).expect("the access was checked");
        if !object.has_undef(offset, len) || !object.has_any(offset, len) {
            return Ok(());
        }
        let label = self.any_label(pointer);
        self.refuse_fickle(pointer)?;
        let mut at = offset;
        while at < offset + len {
            let object = self.state.memory.get(pointer).expect("the access was checked");
            match self.word_to_touch(object, at, offset + len) {
                Some((bytes, true)) => {
                    self.any_pointer(pointer.at(at as i64), &label)?;
                    at += bytes;
                }
                Some((bytes, false)) => {
                    let ty = Ty::Int(8 * bytes as u8);
                    let value = self.fresh(ty, None, false, &label)?;
                    self.write_value(pointer, at, bytes, ty, value)?;
                    at += bytes;
                }
                None => {
                    if object.is_any(at, 1) {
                        self.touch_byte(pointer, at)?;
                    }
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Bytes that are best made one input, and whether they are a pointer: what the declared type says, else words of
    /// four.
    fn word_to_touch(&self, object: &Object, at: u64, end: u64) -> Option<(u64, bool)> {
        let (bytes, is_pointer) = match crate::show::scalar_at(self.program, object, at) {
            Some(shape) => {
                let is_pointer = matches!(self.program.shapes[shape], Shape::Pointer(Some(_)));
                (crate::show::size_of(self.program, shape), is_pointer)
            }
            None => (4, false),
        };
        let is_open = [2, 4, 8].contains(&bytes)
            && at.is_multiple_of(bytes)
            && at + bytes <= end
            && (at..at + bytes).all(|at| object.undef_bits(at) == 0xff)
            && object.is_any(at, bytes);
        is_open.then_some((bytes, is_pointer))
    }

    /// Executes `MemAny`.
    pub(crate) fn mem_any(&mut self, dst: &Operand, bytes: &Operand, keeps_pointers: bool, label: &str) -> Step {
        let len = self.length(bytes)?;
        if len == 0 {
            return Ok(());
        }
        let pointer = self.pointer(dst, "the destination of any values")?;
        let offset = self.check_access(pointer, len, true)?;
        if self.is_write_lost(pointer, "a write of any values")? {
            return Ok(());
        }
        self.make_room(pointer, offset, len)?;
        self.observe_before_write(pointer.at(0), offset, len);
        let object = self.state.memory.get_mut(pointer).expect("the access was checked");
        object.write_any(offset, len, keeps_pointers, label);
        self.observe_written(pointer.at(0), offset, len);
        Ok(())
    }

    pub(crate) fn mem_set(&mut self, dst: &Operand, byte: &Operand, bytes: &Operand) -> Step {
        let len = self.length(bytes)?;
        if len == 0 {
            return Ok(());
        }
        let pointer = self.pointer(dst, "the destination of a fill")?;
        let value = self.operand(byte);
        let byte = self.int(value, 8)?;
        let offset = self.check_access(pointer, len, true)?;
        if self.is_write_lost(pointer, "a fill")? {
            return Ok(());
        }
        self.make_room(pointer, offset, len)?;
        self.observe_before_write(pointer.at(0), offset, len);
        let object = self.state.memory.get_mut(pointer).expect("the access was checked");
        match byte {
            Some(byte) => {
                object.clear_cells(offset, len);
                object.define(offset, len);
                object.bytes[offset as usize..(offset + len) as usize].fill(byte as u8);
            }
            None => object.write_undef(offset, len),
        }
        self.observe_written(pointer.at(0), offset, len);
        Ok(())
    }

    pub(crate) fn output(&mut self, stream: &Operand, addr: &Operand, bytes: &Operand) -> Step {
        let len = self.length(bytes)?;
        let stream = self.operand(stream);
        let stream = self.int(stream, 32)?.unwrap_or(1) as u32 as i32;
        if len == 0 {
            return Ok(());
        }
        let pointer = self.pointer(addr, "the address of output")?;
        let offset = self.check_access(pointer, len, false)?;
        self.touch_range(pointer, offset, len)?;
        let object = self.state.memory.get(pointer).expect("the access was checked");
        if object.has_undef(offset, len) {
            if self.machine.uninitialised.is_none() {
                return Err(self.violation(ViolationKind::Uninitialized, "indeterminate bytes are output".into()));
            }
            self.touch_indeterminate(pointer, offset, len)?;
        }
        self.observe_read(pointer.at(0), offset, len);
        // Output to stream 0 is invisible: open inputs may stay open.
        if stream == 0 {
            return Ok(());
        }
        let mut text = Vec::with_capacity(len as usize);
        for at in offset..offset + len {
            let byte = self.plain_byte(pointer, at)?;
            text.push(byte);
        }
        self.observer.output(stream, &text);
        Ok(())
    }
}
