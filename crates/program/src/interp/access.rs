//! Loads and stores of scalars and bit-fields.

use std::rc::Rc;

use super::choice::truncate;
use super::exec::{Exec, Step, stored_bytes};
use super::narrow::{View, sign_extend};
use super::object::{AnyBytes, Cell, Found, Object, ObjectKind};
use super::value::{Pointer, Value};
use super::{Observer, Stop};
use crate::{BitRange, DeviceWrite, Operand, RegId, Shape, SlotId, Ty, ViolationKind};

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    // ---- pointers ----

    /// The pointer an operand holds; an indeterminate one is a violation.
    #[inline]
    pub(crate) fn pointer(&mut self, operand: &Operand, what: &str) -> Step<Pointer> {
        match self.operand(operand) {
            Value::Ptr(pointer) => Ok(pointer),
            Value::Undef => {
                let message = format!("{what} is indeterminate");
                Err(self.violation(ViolationKind::Uninitialized, message))
            }
            value => self.as_pointer(value),
        }
    }

    /// The pointer a determinate value stands for.
    pub(crate) fn as_pointer(&mut self, value: Value) -> Step<Pointer> {
        if let Value::Ptr(pointer) = value {
            return Ok(pointer);
        }
        let width = self.width(Ty::Ptr);
        let bits = self.int(value, width)?.unwrap_or(0);
        Ok(self.state.memory.from_address(bits as u64, self.program.functions.len()))
    }

    pub(crate) fn slot_address(&self, slot: SlotId) -> Value {
        Value::Ptr(self.state.threads[self.thread].slots[self.slot_base + slot.0 as usize])
    }

    /// The offset of a range of bytes that may be accessed through a pointer, or the violation.
    pub(crate) fn check_access(&mut self, pointer: Pointer, len: u64, is_write: bool) -> Step<u64> {
        match self.state.memory.get(pointer) {
            Some(object)
                if pointer.offset >= 0
                    && pointer.offset as u64 <= object.size()
                    && len <= object.size() - pointer.offset as u64
                    && !(is_write && object.is_read_only) =>
            {
                Ok(pointer.offset as u64)
            }
            _ => {
                let (kind, message) = self.bad_access(pointer, len, is_write);
                Err(self.bad_pointer(pointer, kind, message))
            }
        }
    }

    /// The violation of using a pointer, or what it means if its kind was not asked for.
    #[cold]
    pub(crate) fn bad_pointer(&mut self, pointer: Pointer, kind: ViolationKind, message: String) -> Box<Stop> {
        match self.looks_for(kind) {
            true => self.violation(kind, message),
            false => self.unlooked_access(pointer, kind, &message),
        }
    }

    #[cold]
    fn bad_access(&self, pointer: Pointer, len: u64, is_write: bool) -> (ViolationKind, String) {
        let verb = if is_write { "write" } else { "read" };
        let bytes = if len == 1 { "1 byte".to_string() } else { format!("{len} bytes") };
        if pointer.object == 0 {
            let wild = self.describe_wild(pointer);
            return (ViolationKind::NullDereference, format!("{verb} of {bytes} through {wild}"));
        }
        if pointer.as_function().is_some() {
            let what = self.describe_object(pointer);
            return (ViolationKind::OutOfBounds, format!("{verb} of {bytes} from {what} as if it were data"));
        }
        let what = self.describe_object(pointer);
        let Some(object) = self.state.memory.get(pointer) else {
            return (ViolationKind::UseAfterFree, format!("{verb} of {bytes} from {what}"));
        };
        let size = object.size();
        let is_inside = pointer.offset >= 0 && (pointer.offset as u64).saturating_add(len) <= size;
        if is_inside && object.is_read_only {
            return (ViolationKind::OutOfBounds, format!("write to {what}, which must not be modified"));
        }
        let offset = pointer.offset;
        let size = if size == 1 { "1 byte".to_string() } else { format!("{size} bytes") };
        (ViolationKind::OutOfBounds, format!("{verb} of {bytes} at offset {offset} of {what}, which has {size}"))
    }

    /// A pointer without object in words.
    pub(crate) fn describe_wild(&self, pointer: Pointer) -> String {
        match pointer.offset {
            0 => "a null pointer".into(),
            offset if (-65_536..65_536).contains(&offset) => format!("a null pointer plus {offset}"),
            offset => format!("the wild pointer {:#x}", offset as u64),
        }
    }

    /// The object a pointer points into, in words.
    pub(crate) fn describe_object(&self, pointer: Pointer) -> String {
        crate::show::describe(self.machine, self.state, pointer)
    }

    // ---- scalars ----

    #[inline]
    pub(crate) fn load(&mut self, dst: RegId, addr: &Operand) -> Step {
        let ty = self.function.regs[dst].ty;
        let len = stored_bytes(ty, self.program.pointer_bytes);
        let pointer = self.pointer(addr, "the address of a read")?;
        let value = match self.state.memory.get(pointer) {
            Some(object) if object.is_plain() && !matches!(ty, Ty::Ptr) => match read_word(object, pointer, len) {
                Some(bits) => match ty {
                    Ty::Int(8 | 16 | 32 | 64) | Ty::F32 | Ty::F64 => Value::Bits(bits),
                    _ => self.load_slow(pointer, ty)?,
                },
                None => self.load_slow(pointer, ty)?,
            },
            _ => self.load_slow(pointer, ty)?,
        };
        self.observe_read(pointer.at(0), pointer.offset as u64, len);
        self.assign(dst, value);
        Ok(())
    }

    pub(crate) fn load_slow(&mut self, pointer: Pointer, ty: Ty) -> Step<Value> {
        let len = stored_bytes(ty, self.program.pointer_bytes);
        let offset = self.check_access(pointer, len, false)?;
        let object = self.state.memory.get(pointer).expect("the access was checked");
        let width = self.width(ty);
        let value = match object.find(offset, len) {
            Found::Bytes(bits) => Value::from_bits(width, truncate(bits, width)),
            Found::Undef if object.is_any(offset, len) => return self.load_any(pointer, ty, len),
            Found::Undef if self.machine.uninitialised.is_some() => return self.load_indeterminate(pointer, ty),
            Found::Undef => return Ok(Value::Undef),
            Found::Whole(value) => self.reinterpret(value, ty, len)?,
            Found::Mixed(cell) => self.load_mixed(pointer, offset, len, cell)?,
        };
        match (ty, value) {
            (Ty::Ptr, value) => Ok(Value::Ptr(self.as_pointer(value)?)),
            (_, value) => Ok(value),
        }
    }

    /// A value that was stored with this length, read as a type.
    fn reinterpret(&mut self, value: Value, ty: Ty, len: u64) -> Step<Value> {
        let width = self.width(ty);
        match (value, ty) {
            (Value::Lazy(lazy), _) if u64::from(width) == 8 * len => Ok(self.state.settle(lazy, width)),
            (Value::Lazy(_), _) => {
                let bits = self.int(value, 8 * len as u32)?.unwrap_or(0);
                Ok(Value::from_bits(width, truncate(bits, width)))
            }
            (Value::Ptr(_), Ty::Ptr) => Ok(value),
            (Value::Ptr(_), Ty::Int(_)) if u64::from(width) == 8 * len => Ok(value),
            (Value::Fragment { .. }, Ty::Int(8)) => Ok(value),
            (value, _) => {
                let bits = self.int(value, 8 * len as u32)?.unwrap_or(0);
                Ok(Value::from_bits(width, truncate(bits, width)))
            }
        }
    }

    /// Bytes under cells of another extent: whole pointers made of bytes, bytes of pointers, or whatever the bytes
    /// of addresses and inputs are.
    fn load_mixed(&mut self, pointer: Pointer, offset: u64, len: u64, first: Cell) -> Step<Value> {
        if let (Value::Ptr(target), 1) = (first.value, len) {
            return Ok(Value::Fragment { pointer: target, byte: (offset - first.offset) as u8 });
        }
        if len == u64::from(self.program.pointer_bytes)
            && let Some(target) = self.joined(pointer, offset, len)
        {
            return Ok(Value::Ptr(target));
        }
        let mut bits = 0;
        for at in 0..len {
            bits |= u128::from(self.plain_byte(pointer, offset + at)?) << (8 * at);
        }
        Ok(Value::from_bits(8 * len as u32, bits))
    }

    /// The pointer of which the range holds all bytes, one by one.
    fn joined(&self, pointer: Pointer, offset: u64, len: u64) -> Option<Pointer> {
        let cells = self.state.memory.get(pointer)?.cells_in(offset, len);
        let Value::Fragment { pointer: target, byte: 0 } = cells.first()?.value else { return None };
        let is_whole = cells.len() as u64 == len
            && cells.iter().enumerate().all(|(at, cell)| {
                cell.offset == offset + at as u64 && cell.value == Value::Fragment { pointer: target, byte: at as u8 }
            });
        is_whole.then_some(target)
    }

    /// One determinate byte; inputs are enumerated, pointers show their address.
    pub(crate) fn plain_byte(&mut self, pointer: Pointer, at: u64) -> Step<u8> {
        let object = self.state.memory.get(pointer).expect("the access was checked");
        match object.cell_in(at, 1) {
            None => Ok(object.bytes[at as usize]),
            Some(cell) => {
                let bits = self.int(cell.value, 8 * u32::from(cell.len))?.unwrap_or(0);
                Ok((bits >> (8 * (at - cell.offset))) as u8)
            }
        }
    }

    /// A read of an object with any contents: what was not touched before is a new input, and stays what it is.
    fn load_any(&mut self, pointer: Pointer, ty: Ty, len: u64) -> Step<Value> {
        let offset = pointer.offset as u64;
        if self.is_fickle(pointer) {
            return self.load_fickle(pointer, ty, len);
        }
        let object = self.state.memory.get(pointer).expect("the access was checked");
        let is_untouched = (offset..offset + len).all(|at| object.undef_bits(at) == 0xff);
        let label = self.any_label(pointer);
        if is_untouched && ty == Ty::Ptr {
            return self.any_pointer(pointer, &label);
        }
        if is_untouched {
            // Padding of odd widths stays zero.
            let is_odd = u64::from(self.width(ty)) != 8 * len;
            let shape = crate::show::shape_at(self.machine, self.state, pointer, offset, len);
            let (range, is_unsigned) = match shape.map(|shape| &self.program.shapes[shape]) {
                Some(Shape::Bool) => (Some((0, 1)), true),
                Some(Shape::Int { is_signed, .. }) => (None, is_odd || !is_signed),
                Some(_) | None => (None, is_odd),
            };
            let value = self.fresh(ty, range, is_unsigned, &label)?;
            self.write_value(pointer, offset, len, ty, value)?;
            return Ok(value);
        }
        for at in offset..offset + len {
            self.touch_byte(pointer, at)?;
        }
        self.load_slow(pointer, ty)
    }

    /// A pointer read from unknown memory: null, or to an object of its own that is unknown in turn. This needs to
    /// know what it points to.
    pub(crate) fn any_pointer(&mut self, pointer: Pointer, label: &Rc<str>) -> Step<Value> {
        let offset = pointer.offset as u64;
        let bytes = u64::from(self.program.pointer_bytes);
        let shape = crate::show::shape_at(self.machine, self.state, pointer, offset, bytes);
        let Some(Shape::Pointer(Some(pointee))) = shape.map(|shape| &self.program.shapes[shape]) else {
            return Err(self.unmodelled(format!("a pointer is read from memory of unknown contents ({label})")));
        };
        let is_set = self.fresh_now(1, &format!("whether a pointer is set ({label})"))?;
        self.observer.note("a pointer in unknown memory is null or points to an object of its own");
        let mut value = Value::NULL;
        if is_set == 1 {
            let size = crate::show::size_of(self.program, *pointee);
            let (maker, loc) = self.user_place();
            self.state.memory.n_heap += 1;
            let mut object = Object::new(ObjectKind::Heap(self.state.memory.n_heap), size, 16, loc);
            object.maker = Some(maker);
            object.forget();
            object.any = Some(AnyBytes::whole(label.clone()));
            object.shape = Some(*pointee);
            value = Value::Ptr(self.state.memory.add(object));
        }
        self.write_value(pointer, offset, bytes, Ty::Ptr, value)?;
        Ok(value)
    }

    /// What the inputs of an object stand for.
    pub(crate) fn any_label(&self, pointer: Pointer) -> Rc<str> {
        let any = self.state.memory.get(pointer).and_then(|object| object.any.as_ref());
        any.expect("only objects with any contents come here").label.clone()
    }

    /// Makes a byte of an object with any contents determinate.
    pub(crate) fn touch_byte(&mut self, pointer: Pointer, at: u64) -> Step {
        let object = self.state.memory.get(pointer).expect("the access was checked");
        let mask = object.undef_bits(at);
        if mask == 0 {
            return Ok(());
        }
        let label = self.label_of_unknown(pointer, object, at).expect("only bytes of any value come here");
        self.refuse_fickle(pointer)?;
        if mask == 0xff {
            let value = self.fresh(Ty::Int(8), None, true, &label)?;
            return self.write_value(pointer, at, 1, Ty::Int(8), value);
        }
        let bits = self.fresh_now(8, &label)? as u8;
        let object = self.state.memory.get_mut(pointer).expect("the access was checked");
        object.bytes[at as usize] = object.bytes[at as usize] & !mask | bits & mask;
        object.set_undef_bits(at, 0);
        Ok(())
    }

    #[inline]
    pub(crate) fn store(&mut self, addr: &Operand, value: &Operand, ty: Ty) -> Step {
        let pointer = self.pointer(addr, "the address of a write")?;
        let value = self.operand(value);
        let len = stored_bytes(ty, self.program.pointer_bytes);
        self.store_value(pointer, value, ty, len)
    }

    #[inline]
    pub(crate) fn store_value(&mut self, pointer: Pointer, value: Value, ty: Ty, len: u64) -> Step {
        let offset = self.check_access(pointer, len, true)?;
        if let Some(device) = self.device(pointer)
            && device.write != DeviceWrite::Held
        {
            return self.store_device(pointer, device, value, ty, len);
        }
        self.make_room(pointer, offset, len)?;
        self.observe_before_write(pointer.at(0), offset, len);
        self.write_value(pointer, offset, len, ty, value)?;
        self.observe_written(pointer.at(0), offset, len);
        Ok(())
    }

    /// Inputs that stick out of a range about to be written must be known.
    #[inline]
    pub(crate) fn make_room(&mut self, pointer: Pointer, offset: u64, len: u64) -> Step {
        match self.state.memory.get(pointer) {
            Some(object) if !object.cells.is_empty() => self.make_room_slow(pointer, offset, len),
            _ => Ok(()),
        }
    }

    fn make_room_slow(&mut self, pointer: Pointer, offset: u64, len: u64) -> Step {
        let object = self.state.memory.get(pointer).expect("the access was checked");
        let sticks_out = |cell: &&Cell| {
            matches!(cell.value, Value::Lazy(_))
                && (cell.offset < offset || cell.offset + u64::from(cell.len) > offset + len)
        };
        let cells: Vec<Cell> = object.cells_in(offset, len).iter().filter(sticks_out).copied().collect();
        for cell in cells {
            let bits = self.int(cell.value, 8 * u32::from(cell.len))?.unwrap_or(0);
            let object = self.state.memory.get_mut(pointer).expect("the access was checked");
            object.write_bytes(cell.offset, &bits.to_le_bytes()[..usize::from(cell.len)]);
        }
        Ok(())
    }

    /// Writes a value in bounds.
    #[inline]
    pub(crate) fn write_value(&mut self, pointer: Pointer, offset: u64, len: u64, ty: Ty, value: Value) -> Step {
        if let Value::Bits(bits) = value {
            let object = self.state.memory.get_mut(pointer).expect("the access was checked");
            write_word(object, offset, len, bits);
            return Ok(());
        }
        self.write_value_slow(pointer, offset, len, ty, value)
    }

    fn write_value_slow(&mut self, pointer: Pointer, offset: u64, len: u64, ty: Ty, value: Value) -> Step {
        let width = self.width(ty);
        let value = match value {
            // Null and wild pointers are plain numbers.
            Value::Ptr(Pointer { object: 0, offset, .. }) => Value::Bits(truncate(offset as u128, width) as u64),
            Value::Lazy(lazy) => match self.state.settle(lazy, width) {
                Value::Lazy(lazy) if u64::from(width) != 8 * len => {
                    let value = self.normalise(lazy, width, View::Unsigned)?;
                    Value::Lazy(value)
                }
                settled => settled,
            },
            value => value,
        };
        let is_private = self.state.memory.get(pointer).is_some_and(|object| object.is_private);
        if let Value::Ptr(target) | Value::Fragment { pointer: target, .. } = value
            && !is_private
        {
            self.state.memory.publish(target);
        }
        let object = self.state.memory.get_mut(pointer).expect("the access was checked");
        match value {
            Value::Undef => object.write_undef(offset, len),
            Value::Bits(bits) => object.write_bytes(offset, &u128::from(bits).to_le_bytes()[..len as usize]),
            Value::Wide([low, high]) => {
                let bits = u128::from(low) | u128::from(high) << 64;
                object.write_bytes(offset, &bits.to_le_bytes()[..len as usize]);
            }
            Value::Ptr(_) | Value::Fragment { .. } | Value::Lazy(_) => {
                object.write_cell(Cell { offset, len: len as u8, value });
            }
        }
        Ok(())
    }

    // ---- bit-fields ----

    pub(crate) fn load_bits(&mut self, dst: RegId, addr: &Operand, bits: BitRange, is_signed: bool) -> Step {
        let pointer = self.pointer(addr, "the address of a read")?;
        let width = u32::from(bits.width);
        let len = bits.n_bytes();
        let offset = self.check_access(pointer, len, false)?;
        if self.is_fickle(pointer) {
            return self.load_bits_fickle(dst, pointer, bits, is_signed);
        }
        let mut result = 0u128;
        let mut is_undef = false;
        for at in 0..len {
            let mask = byte_mask(bits, at);
            let object = self.state.memory.get(pointer).expect("the access was checked");
            if object.undef_bits(offset + at) & mask != 0 {
                if object.is_any(offset + at, 1) {
                    self.touch_byte(pointer, offset + at)?;
                } else if self.machine.uninitialised.is_some() {
                    self.touch_indeterminate(pointer, offset + at, 1)?;
                } else {
                    is_undef = true;
                }
            }
            let byte = u128::from(self.plain_byte(pointer, offset + at)? & mask);
            let place = 8 * at as i32 - i32::from(bits.offset);
            result |= if place < 0 { byte >> -place } else { byte << place };
        }
        self.observe_read(pointer.at(0), offset, len);
        self.observe_location(pointer.at(0), offset, bits, false);
        let dst_width = self.width(self.function.regs[dst].ty);
        let result = if is_signed { truncate(sign_extend(result, width) as u128, dst_width) } else { result };
        self.assign(dst, if is_undef { Value::Undef } else { Value::from_bits(dst_width, result) });
        Ok(())
    }

    pub(crate) fn store_bits(&mut self, addr: &Operand, bits: BitRange, value: &Operand) -> Step {
        let pointer = self.pointer(addr, "the address of a write")?;
        let len = bits.n_bytes();
        let offset = self.check_access(pointer, len, true)?;
        if self.is_write_lost(pointer, "a bit-field")? {
            return Ok(());
        }
        let value = match self.operand(value) {
            // Only the low bits matter: the input is narrowed to their residue.
            Value::Lazy(lazy) if bits.width < 64 => match self.remainder(lazy, 1 << bits.width)? {
                Value::Lazy(lazy) => Some(self.int(Value::Lazy(lazy), u32::from(bits.width))?.unwrap_or(0)),
                value => value.bits(),
            },
            value => self.int(value, 128)?,
        };
        // Neighbouring bits stay, so whatever covers them must be plain bytes.
        let mut plain = [0u8; 17];
        for at in 0..len {
            plain[at as usize] = self.plain_byte(pointer, offset + at)?;
        }
        self.make_room(pointer, offset, len)?;
        self.observe_location(pointer.at(0), offset, bits, true);
        self.observe_before_write(pointer.at(0), offset, len);
        let object = self.state.memory.get_mut(pointer).expect("the access was checked");
        object.clear_cells(offset, len);
        for at in 0..len {
            let mask = byte_mask(bits, at);
            let place = 8 * at as i32 - i32::from(bits.offset);
            let number = value.unwrap_or(0);
            let piece = (if place < 0 { number << -place } else { number >> place }) as u8;
            object.bytes[(offset + at) as usize] = plain[at as usize] & !mask | piece & mask;
            let undef = object.undef_bits(offset + at);
            object.set_undef_bits(offset + at, if value.is_some() { undef & !mask } else { undef | mask });
        }
        self.observe_written(pointer.at(0), offset, len);
        Ok(())
    }
}

/// The bits of a byte that belong to a bit-field.
fn byte_mask(bits: BitRange, at: u64) -> u8 {
    let (first, last) = (u64::from(bits.offset), u64::from(bits.offset) + u64::from(bits.width));
    (0..8).filter(|bit| (first..last).contains(&(8 * at + bit))).fold(0, |mask, bit| mask | 1 << bit)
}

#[inline]
fn read_word(object: &Object, pointer: Pointer, len: u64) -> Option<u64> {
    let from = usize::try_from(pointer.offset).ok()?;
    let bytes = object.bytes.get(from..)?;
    Some(match len {
        1 => u64::from(*bytes.first()?),
        2 => u64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
        4 => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
        8 => u64::from_le_bytes(*bytes.first_chunk()?),
        _ => return None,
    })
}

#[inline]
fn write_word(object: &mut Object, offset: u64, len: u64, bits: u64) {
    if object.is_plain()
        && let Some(bytes) = object.bytes.get_mut(offset as usize..)
    {
        match len {
            1 => bytes[0] = bits as u8,
            2 => bytes[..2].copy_from_slice(&(bits as u16).to_le_bytes()),
            4 => bytes[..4].copy_from_slice(&(bits as u32).to_le_bytes()),
            8 => bytes[..8].copy_from_slice(&bits.to_le_bytes()),
            _ => bytes[..len as usize].copy_from_slice(&u128::from(bits).to_le_bytes()[..len as usize]),
        }
        return;
    }
    object.write_bytes(offset, &u128::from(bits).to_le_bytes()[..len as usize]);
}
