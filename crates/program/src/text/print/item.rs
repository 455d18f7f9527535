//! Printer of items: files, shapes, globals, functions.

use std::fmt::Write;

use super::{Printer, numbered, put};
use crate::program::*;
use crate::text::lex::{write_bytes, write_name, write_text};
use crate::text::words::Word;

impl<'p> Printer<'p> {
    pub(super) fn program(&mut self) {
        put!(self, "pointer {}\n", self.program.pointer_bytes);
        if let Some(entry) = self.program.entry {
            self.out.push_str("entry ");
            self.function_name(entry);
            self.out.push('\n');
        }
        for (number, file) in numbered(&self.program.files) {
            put!(self, "file {number} ");
            write_text(file, &mut self.out);
            self.out.push('\n');
        }
        for (number, shape) in numbered(&self.program.shapes) {
            put!(self, "shape {number}: ");
            self.shape(shape);
            self.out.push('\n');
        }
        for (id, global) in self.program.globals.iter_enumerated() {
            self.global(id, global);
        }
        for function in self.program.functions.iter() {
            self.out.push('\n');
            self.function(function);
        }
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Int { name, size, is_signed } => {
                self.out.push_str("int ");
                write_text(name, &mut self.out);
                put!(self, " size {size} {}", sign(*is_signed));
            }
            Shape::Char { is_signed } => put!(self, "char {}", sign(*is_signed)),
            Shape::Bool => self.out.push_str("bool"),
            Shape::Float(ty) => {
                self.out.push_str("float ");
                self.ty(*ty);
            }
            Shape::Pointer(None) => self.out.push_str("pointer"),
            Shape::Pointer(Some(target)) => put!(self, "pointer to {target:?}"),
            Shape::Code => self.out.push_str("code"),
            Shape::Array { element, len, stride } => put!(self, "array of {element:?} len {len} stride {stride}"),
            Shape::Record { name, is_union, fields } => {
                self.out.push_str(if *is_union { "union " } else { "struct " });
                write_text(name, &mut self.out);
                self.out.push_str(" {");
                self.list(fields, Self::field);
                self.out.push('}');
            }
            Shape::Enum { name, size, is_signed, names } => {
                self.out.push_str("enum ");
                write_text(name, &mut self.out);
                put!(self, " size {size} {} {{", sign(*is_signed));
                self.list(names, |printer, (value, name)| {
                    write_name(name, &mut printer.out);
                    put!(printer, " = {value}");
                });
                self.out.push('}');
            }
            Shape::Opaque { size } => put!(self, "opaque size {size}"),
        }
    }

    fn field(&mut self, field: &ShapeField) {
        write_name(&field.name, &mut self.out);
        put!(self, ": {:?} at {}", field.shape, field.offset);
        if let Some(bits) = field.bits {
            self.bit_range(bits);
        }
    }

    fn global(&mut self, id: GlobalId, global: &Global) {
        self.loc = Loc::NONE;
        self.out.push_str("global ");
        write_name(&global.name, &mut self.out);
        put!(self, ": size {} align {}", global.size, global.align);
        match &global.source_name {
            None => self.out.push_str(" unnamed"),
            Some(name) => self.source_name(&global.name, name),
        }
        self.flag(global.is_thread_local, "threadlocal");
        self.flag(global.is_read_only, "readonly");
        if let Some(device) = self.program.devices.get(&id) {
            self.out.push_str(" device");
            if let Some(address) = device.address {
                put!(self, " at {address}");
            }
            put!(self, " {} {}", device.read.word(), device.write.word());
        }
        self.flag(global.is_model, "model");
        self.shape_of(global.shape);
        self.place(global.loc);
        self.initialiser(&global.init);
        self.out.push('\n');
    }

    fn initialiser(&mut self, init: &GlobalInit) {
        if *init == GlobalInit::default() {
            return;
        }
        self.out.push_str(" =");
        if !init.bytes.is_empty() {
            self.out.push(' ');
            self.bytes(&init.bytes);
        }
        if !init.pointers.is_empty() {
            self.out.push_str(" {");
            self.list(&init.pointers, |printer, (offset, address)| {
                put!(printer, "{offset}: ");
                printer.address(*address);
            });
            self.out.push('}');
        }
        if let Some(reason) = &init.any {
            self.out.push_str(" any ");
            write_text(reason, &mut self.out);
        }
    }

    /// Bytes as a string if they look like one, else in hexadecimal.
    fn bytes(&mut self, bytes: &[u8]) {
        let n_readable = bytes.iter().filter(|byte| matches!(byte, 0x20..=0x7e | b'\n' | b'\t')).count();
        if n_readable * 4 >= bytes.len() * 3 {
            write_bytes(bytes, &mut self.out);
            return;
        }
        self.out.push_str("hex \"");
        bytes.iter().for_each(|byte| put!(self, "{byte:02x}"));
        self.out.push('"');
    }

    fn function(&mut self, function: &'p Function) {
        self.loc = Loc::NONE;
        self.function = Some(function);
        self.out.push_str("fn ");
        write_name(&function.name, &mut self.out);
        self.out.push('(');
        self.list(&function.params, |printer, reg| put!(printer, "{reg:?}"));
        self.out.push(')');
        if let Some(ty) = function.ret {
            self.out.push_str(" -> ");
            self.ty(ty);
        }
        self.source_name(&function.name, &function.source_name);
        self.flag(function.is_variadic, "variadic");
        self.flag(function.is_model, "model");
        self.place(function.loc);
        self.out.push_str(" {\n");
        self.registers(function);
        for (id, slot) in function.slots.iter_enumerated() {
            put!(self, "  slot {id:?}");
            self.variable_name(slot.name.as_deref());
            put!(self, ": size {} align {}", slot.size, slot.align);
            self.shape_of(slot.shape);
            self.out.push('\n');
        }
        for (id, block) in function.blocks.iter_enumerated() {
            self.block(id, block);
        }
        self.out.push_str("}\n");
        self.function = None;
    }

    /// Declarations of registers; neighbouring temporaries of one kind share a line.
    fn registers(&mut self, function: &Function) {
        let mut previous: Option<&Reg> = None;
        let mut n_on_line = 0;
        for (id, reg) in function.regs.iter_enumerated() {
            if previous.is_some_and(|previous| previous == reg && reg.name.is_none()) && n_on_line < 12 {
                put!(self, " {id:?}");
                n_on_line += 1;
            } else {
                self.end_register_line(previous);
                put!(self, "  reg {id:?}");
                n_on_line = 1;
            }
            previous = Some(reg);
        }
        self.end_register_line(previous);
    }

    fn end_register_line(&mut self, reg: Option<&Reg>) {
        let Some(reg) = reg else { return };
        self.variable_name(reg.name.as_deref());
        self.out.push_str(": ");
        self.ty(reg.ty);
        self.shape_of(reg.shape);
        self.out.push('\n');
    }

    fn block(&mut self, id: BlockId, block: &Block) {
        put!(self, "{id:?}:");
        if let Some(loc) = block.loop_head {
            self.out.push_str(" loop");
            self.place(loc);
        }
        self.out.push('\n');
        for stmt in &block.stmts {
            self.out.push_str("  ");
            self.stmt(&stmt.kind);
            self.place_and_end(stmt.loc);
        }
        self.out.push_str("  ");
        self.terminator(&block.terminator);
        self.place_and_end(block.loc);
    }

    fn variable_name(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.out.push(' ');
            write_name(name, &mut self.out);
        }
    }

    fn source_name(&mut self, name: &str, source_name: &str) {
        if name != source_name {
            self.out.push_str(" source ");
            write_name(source_name, &mut self.out);
        }
    }

    fn flag(&mut self, is_set: bool, word: &str) {
        if is_set {
            put!(self, " {word}");
        }
    }

    fn shape_of(&mut self, shape: Option<ShapeId>) {
        if let Some(shape) = shape {
            put!(self, " as {shape:?}");
        }
    }
}

fn sign(is_signed: bool) -> &'static str {
    if is_signed { "signed" } else { "unsigned" }
}
