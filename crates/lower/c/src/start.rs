//! The start-up code: constructors, the entry function with its arguments, destructors, exit.

use unpick_base::{Diagnostic, Severity, Span};
use unpick_program::program::{
    Address, BlockId, FuncId, Function, Global, GlobalId, GlobalInit, InterruptOp, Loc, Operand, Stmt, StmtKind,
    Terminator, Ty,
};

use super::class::{self, Class};
use super::function::FunctionLowering;
use super::{DeclRef, Lowering};
use unpick_front_c::ast::{DeclKind, Linkage};
use unpick_front_c::intrinsic::distance;

/// What fuzzers call instead of `main`.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

impl Lowering<'_> {
    /// Makes the program's first function; `None` if there is no such entry.
    pub(super) fn make_start(&mut self) -> Option<()> {
        let Some(entry) = self.find_entry() else {
            self.complain_about_entry(&self.options.entry, "to start with", "--entry");
            return None;
        };
        let handlers = self.handler_threads()?;
        let constructors = self.special_functions(|function| function.constructor);
        let destructors = self.special_functions(|function| function.destructor);
        let name = self.unique_name("__unpick_start");
        let id = self.program.functions.push(Function {
            source_name: name.clone(),
            name,
            params: Vec::new(),
            is_variadic: false,
            ret: None,
            regs: Default::default(),
            slots: Default::default(),
            blocks: Default::default(),
            is_model: true,
            loc: Loc::NONE,
        });
        self.program.entry = Some(id);
        let unit = self.unit(entry.unit);
        let decl = &unit.decls[entry.decl];
        let mut lowering = FunctionLowering::new(self, &unit, entry.unit, id, decl);
        for function in constructors {
            lowering.call_plain(function);
        }
        if lowering.cx.options.interrupts.start_off {
            lowering.set_interrupts(Span::NONE, InterruptOp::Set, Operand::Bits(Ty::Int(32), 1));
        }
        for thread in handlers {
            lowering.spawn_handler(thread);
        }
        let code = lowering.call_entry(entry);
        for function in destructors.into_iter().rev() {
            lowering.call_plain(function);
        }
        lowering.exit_with(code);
        lowering.finish();
        let func = lowering.func;
        self.program.functions[id] = func;
        Some(())
    }

    /// Says, where the program starts, which undefined objects it uses.
    pub(super) fn note_holes(&mut self) {
        let Some(entry) = self.program.entry else { return };
        let undeclared = self.program.globals.iter().filter_map(|global| global.init.any.clone());
        let notes = std::mem::take(&mut self.notes).into_iter().chain(undeclared);
        let notes: Vec<Stmt> = notes.map(|text| Stmt { kind: StmtKind::Note(text), loc: Loc::NONE }).collect();
        self.program.functions[entry].blocks[BlockId(0)].stmts.splice(0..0, notes);
    }

    /// The function to start with. Fuzz targets have no `main`.
    fn find_entry(&self) -> Option<DeclRef> {
        let fuzz_target = || (self.options.entry == "main").then(|| self.find_function(FUZZ_TARGET)).flatten();
        self.find_function(&self.options.entry).or_else(fuzz_target)
    }

    /// Lowers functions that are called from outside the program.
    pub(super) fn add_wanted(&mut self) {
        for name in &self.options.also {
            if let Some(function) = self.find_function(name) {
                self.function_id(function);
            }
        }
    }

    /// The function of a name, one that other files see first.
    pub(super) fn find_function(&self, wanted: &str) -> Option<DeclRef> {
        let named = |entry: &super::UnitEntry, at: usize, only_external: bool| {
            entry.unit.decls.iter_enumerated().find_map(|(decl, item)| {
                let DeclKind::Function(function) = &item.kind else { return None };
                let is_it = function.body.is_some()
                    && self.session.interner.name(item.name) == wanted
                    && (!only_external || function.linkage == Linkage::External);
                is_it.then_some(DeclRef { unit: at, decl })
            })
        };
        let units = || self.units.iter().enumerate();
        let external = units().find_map(|(at, entry)| named(entry, at, true));
        external.or_else(|| units().find_map(|(at, entry)| named(entry, at, false)))
    }

    /// No function has this name: `purpose` says what it is wanted for, `flag` who asked.
    pub(super) fn complain_about_entry(&mut self, wanted: &str, purpose: &str, flag: &str) {
        let mut names: Vec<String> = Vec::new();
        for entry in &self.units {
            for decl in entry.unit.decls.iter() {
                if let DeclKind::Function(function) = &decl.kind
                    && function.body.is_some()
                    && function.linkage == Linkage::External
                {
                    names.push(self.session.interner.name(decl.name).to_owned());
                }
            }
        }
        names.sort_by_cached_key(|name| (distance(name, wanted), name.clone()));
        names.dedup();
        let help = match names.as_slice() {
            [] => "no function is defined in these files".to_owned(),
            [first, rest @ ..] => {
                let others: Vec<&str> = rest.iter().take(11).map(String::as_str).collect();
                let more = if rest.len() > 11 { ", ..." } else { "" };
                let close = distance(first, wanted) <= wanted.len() / 3;
                let list = [first.as_str()].into_iter().chain(others).collect::<Vec<_>>().join(", ");
                if close {
                    format!("did you mean `{first}`? `{flag} NAME` can be: {list}{more}")
                } else {
                    format!("`{flag} NAME` can be: {list}{more}")
                }
            }
        };
        let message = format!("there is no function `{wanted}` {purpose}");
        self.session.diagnostics.push(Diagnostic::new(Severity::Error, Span::NONE, message).help(help));
    }

    /// Constructors or destructors, by priority and then in order of definition.
    fn special_functions(&mut self, priority: impl Fn(&unpick_front_c::ast::Function) -> Option<u32>) -> Vec<FuncId> {
        let mut found = Vec::new();
        for (at, entry) in self.units.iter().enumerate() {
            for (decl, item) in entry.unit.decls.iter_enumerated() {
                if let DeclKind::Function(function) = &item.kind
                    && function.body.is_some()
                    && let Some(priority) = priority(function)
                {
                    found.push((priority, DeclRef { unit: at, decl }));
                }
            }
        }
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, at)| self.function_id(at)).collect()
    }

    /// A static array of pointers that ends with a null pointer.
    pub(super) fn pointer_table(&mut self, name: &str, pointers: &[Address]) -> GlobalId {
        let pointer_bytes = u64::from(self.program.pointer_bytes);
        let pointers = pointers.iter().enumerate().map(|(at, address)| (at as u64 * pointer_bytes, *address));
        let pointers: Vec<(u64, Address)> = pointers.collect();
        let size = (pointers.len() as u64 + 1) * pointer_bytes;
        let global = Global {
            name: self.unique_name(name),
            source_name: None,
            size,
            align: pointer_bytes,
            init: GlobalInit { bytes: vec![0; size as usize], pointers, any: None },
            is_thread_local: false,
            is_read_only: false,
            is_model: true,
            shape: None,
            loc: Loc::NONE,
        };
        self.program.globals.push(global)
    }
}

impl FunctionLowering<'_, '_, '_> {
    fn call_plain(&mut self, function: FuncId) {
        let callee = Operand::Address(Address::Func(function));
        self.emit(Span::NONE, StmtKind::Call { dst: None, callee, args: Vec::new() });
    }

    /// Calls the entry; gives the exit status.
    fn call_entry(&mut self, entry: DeclRef) -> Operand {
        let unit = self.unit;
        let decl = &unit.decls[entry.decl];
        let DeclKind::Function(function) = &decl.kind else { return Operand::Bits(Ty::Int(32), 0) };
        let is_main = self.name(decl.name) == "main";
        if self.name(decl.name) == FUZZ_TARGET && self.cx.options.entry == "main" {
            let text = format!("there is no `main`: the program is assumed to start in `{FUZZ_TARGET}`");
            self.emit(decl.span, StmtKind::Note(text));
        }
        let function_type = class::function_type(&unit.types, decl.ty.ty);
        let mut args = Vec::new();
        let ret = self.ret;
        if self.class(ret) == Class::Memory {
            args.push(Operand::Slot(self.temporary_for(Span::NONE, ret)));
        }
        let entry_name = self.name(decl.name);
        let given = if is_main { self.main_arguments(decl.span, &function.params) } else { Vec::new() };
        let mut number = 0;
        while let Some(param) = function.params.get(number) {
            let pair =
                if is_main { None } else { self.buffer_arguments(decl.span, &entry_name, &function.params[number..]) };
            if let Some(pair) = pair {
                args.extend(pair);
                number += 2;
                continue;
            }
            let value = match given.get(number) {
                Some(value) => *value,
                None => {
                    let is_named = |numbers: &Vec<u64>| numbers.is_empty() || numbers.contains(&(number as u64 + 1));
                    self.any_argument(decl.span, *param, function.nonnull.as_ref().is_some_and(is_named))
                }
            };
            args.push(value);
            number += 1;
        }
        if function_type.is_some_and(|function| function.is_variadic) {
            args.push(Operand::Null);
        }
        let callee = Operand::Address(Address::Func(self.cx.function_id(entry)));
        let dst = match self.class(ret) {
            Class::Scalar(scalar) => Some(self.temp(scalar)),
            Class::Void | Class::Memory => None,
        };
        self.emit(Span::NONE, StmtKind::Call { dst, callee, args });
        let zero = Operand::Bits(Ty::Int(32), 0);
        match (dst, is_main) {
            (Some(dst), true) => match self.func.regs[dst].ty {
                Ty::Int(bits) => self.resize(Span::NONE, Operand::Reg(dst), bits, 32, true),
                Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => zero,
            },
            _other => zero,
        }
    }

    /// Any value for a parameter of an entry that is not `main`.
    fn any_argument(&mut self, span: Span, param: unpick_front_c::ast::DeclId, is_nonnull: bool) -> Operand {
        let decl = &self.unit.decls[param];
        let name = self.name(decl.name);
        let ty = decl.ty.ty;
        if self.class(ty) == Class::Scalar(Ty::Ptr) {
            let entry = self.cx.options.entry.clone();
            let promised = match &decl.kind {
                DeclKind::Var(var) => var.at_least,
                DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => None,
            };
            if let Some(n_elements) = promised.or(is_nonnull.then_some(1)) {
                let what = if n_elements == 1 { "one object" } else { &format!("{n_elements} elements") };
                let text = format!("parameter `{name}` of `{entry}` points to {what}, as its declaration promises");
                self.emit(span, StmtKind::Note(text));
                return self.new_object(span, ty, n_elements);
            }
            let text = format!("parameter `{name}` of `{entry}` is assumed to be NULL or to point to one object");
            self.emit(span, StmtKind::Note(text));
            return self.null_or_new(span, ty, &format!("parameter {name}"));
        }
        self.any_value(span, ty, format!("parameter {name}"))
    }

    fn exit_with(&mut self, code: Operand) {
        if let Some(callee) = self.external_function("exit") {
            self.emit(Span::NONE, StmtKind::Call { dst: None, callee, args: vec![code] });
        }
        self.terminate(Span::NONE, Terminator::Exit { code, is_abort: false });
    }
}
