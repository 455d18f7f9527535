//! Linking: the pieces of a model and places for its variables in the compiled C program.

use super::footprint::AccessedVariables;
use super::mirror::{Copied, From};
use super::{Embedded, Entry, ProcessCode};
use unpick_automaton::code::{Code, Declared, DeclaredType, MAX_PROCESSES, MemoryPlace, names};
use unpick_automaton::{Model, ProctypeId, Scalar, Scope};
use unpick_base::{IdVec, ViolationKind};
use unpick_program::interp::{Checks, Options};
use unpick_program::{FuncId, GlobalId, Program, Shape, ShapeId};

/// More nested calls than this end in `unknown`.
const MAX_FRAMES: u32 = 1000;

impl Embedded {
    /// Joins a model with the program that its C was compiled to, and makes room for the number of a memory in its
    /// states unless there is some already. Variables that no C text can name get no place.
    ///
    /// # Panics
    ///
    /// If the program was not made for this model.
    pub fn link(mut program: Program, model: &mut Model) -> Embedded {
        // Only one thread ever runs, so thread-local objects are shared.
        program.globals.iter_mut().for_each(|global| global.is_thread_local = false);
        let memory = model.code.memory.unwrap_or_else(|| make_room(model));
        let code = &model.code;
        let finder = Finder { program: &program, code };
        let pieces = code.pieces.iter_enumerated().map(|(id, piece)| Entry {
            function: finder.wanted(&names::piece(id)),
            precondition: piece.precondition.as_ref().map(|_| finder.wanted(&names::precondition(id))),
            text: piece.precondition.as_ref().map_or("".into(), |text| text.text.trim().into()),
        });
        let tracks = code.states.iter().enumerate().filter(|(_, state)| state.is_track && state.is_unmatched());
        let hidden = code.states.iter().filter(|state| !state.is_track && state.is_unmatched());
        let touched = AccessedVariables::new(&program, finder.function(names::OBJECTS));
        let mut globals = finder.globals();
        globals.retain(|copied| touched.has(copied));
        let processes: IdVec<ProctypeId, ProcessCode> =
            model.proctypes.ids().map(|id| finder.process(id, model)).collect();
        let owned = processes.iter_enumerated();
        let owners = owned.flat_map(|(at, process)| process.objects.iter().map(move |object| (*object, at))).collect();
        Embedded {
            identity: Default::default(),
            pieces: pieces.collect(),
            start: finder.function(names::START),
            globals,
            processes,
            owners,
            memory,
            hidden: hidden.filter_map(|state| finder.global(state.name())).collect(),
            unmatched: tracks
                .map(|(at, _)| (finder.wanted(&names::track(at)), finder.wanted(&names::track_size(at))))
                .collect(),
            options: Options {
                is_lazy: false,
                max_frames: MAX_FRAMES,
                checks: Checks::ALL.without(ViolationKind::Leak),
                ..Options::default()
            },
            data: finder.data(model),
            table: Default::default(),
            found: Default::default(),
            program,
        }
    }
}

/// Makes room for the number of a memory, and for that of the whole memory if some of it tells no states apart.
fn make_room(model: &mut Model) -> MemoryPlace {
    let is_hiding = model.code.states.iter().any(|state| state.is_unmatched());
    let memory = MemoryPlace { at: model.globals.size, hidden_at: is_hiding.then_some(model.hidden_size) };
    model.globals.size += 4;
    model.hidden_size += if is_hiding { 4 } else { 0 };
    model.code.memory = Some(memory);
    memory
}

struct Finder<'a> {
    program: &'a Program,
    code: &'a Code,
}

/// A part of a C object.
#[derive(Clone, Copy)]
struct ObjectPart {
    /// The C object; a process has its own.
    object: Option<GlobalId>,
    /// Bytes from its start.
    offset: u64,
    /// What the part looks like.
    shape: Option<ShapeId>,
}

impl Finder<'_> {
    fn function(&self, name: &str) -> Option<FuncId> {
        self.program.functions.iter_enumerated().find(|(_, function)| function.source_name == name).map(|(id, _)| id)
    }

    fn wanted(&self, name: &str) -> FuncId {
        self.function(name).unwrap_or_else(|| panic!("`{name}` should be in the program"))
    }

    fn global(&self, name: &str) -> Option<GlobalId> {
        self.program.globals.iter_enumerated().find(|(_, global)| global.name == name).map(|(id, _)| id)
    }

    fn globals(&self) -> Vec<Copied> {
        let mut copied = Vec::new();
        if let Some(now) = self.global(names::NOW) {
            let part = ObjectPart { object: Some(now), offset: 0, shape: self.program.globals[now].shape };
            self.head(part, "_nr_pr", From::ProcessCount, &mut copied);
            self.head(part, "_last", From::Last, &mut copied);
            for var in self.code.globals.iter().filter(|var| var.scope == Scope::Global) {
                self.field(var, var.offset, Scope::Global, part, names::NOW, &mut copied);
            }
        }
        for var in self.code.globals.iter().filter(|var| var.scope == Scope::Hidden) {
            let Some(object) = self.global(&var.name) else { continue };
            let part = ObjectPart { object: Some(object), offset: 0, shape: self.program.globals[object].shape };
            self.elements(var, var.offset, Scope::Hidden, part, &var.name, &mut copied);
        }
        copied
    }

    fn process(&self, proctype: ProctypeId, model: &Model) -> ProcessCode {
        let has_data = self.code.has_data(&model.proctypes[proctype].name);
        let proctype = proctype.0 as usize;
        let objects: Vec<GlobalId> = match has_data {
            true => (0..MAX_PROCESSES).filter_map(|at| self.global(&names::object(proctype, Some(at)))).collect(),
            false => self.global(&names::object(proctype, None)).into_iter().collect(),
        };
        let mut copied = Vec::new();
        if let Some(first) = objects.first() {
            let part = ObjectPart { object: None, offset: 0, shape: self.program.globals[*first].shape };
            self.head(part, "_pid", From::Pid, &mut copied);
            for var in &self.code.locals[proctype] {
                self.field(var, var.offset, Scope::Local, part, "the process", &mut copied);
            }
        }
        ProcessCode { objects, copied, start: self.function(&names::process_start(proctype)), has_data }
    }

    /// What `c_state` declares beside variables of the model.
    fn data(&self, model: &Model) -> Vec<(String, Option<ProctypeId>)> {
        let states = self.code.states.iter().filter(|state| !state.is_track && !state.is_unmatched());
        let owner = |name: &str| {
            let mut named = model.proctypes.iter_enumerated().filter(|(_, proctype)| &*proctype.name == name);
            named.next().map(|(id, _)| id)
        };
        states.map(|state| (state.name().to_owned(), state.local_to().and_then(owner))).collect()
    }

    fn head(&self, part: ObjectPart, name: &str, from: From, copied: &mut Vec<Copied>) {
        if let Some((bit, width, _)) = self.member(part, name) {
            let bit = part.offset * 8 + bit;
            copied.push(Copied { from, object: part.object, bit, width: width.unwrap_or(8), name: name.to_owned() });
        }
    }

    /// Where a member lies: bits from the start of the record, bits if it is a bit-field, its shape.
    fn member(&self, part: ObjectPart, name: &str) -> Option<(u64, Option<u32>, ShapeId)> {
        let Shape::Record { fields, .. } = &self.program.shapes[part.shape?] else { return None };
        let field = fields.iter().find(|field| field.name == name)?;
        let bit = field.bits.map_or(0, |bits| u64::from(bits.offset));
        Some((field.offset * 8 + bit, field.bits.map(|bits| u32::from(bits.width)), field.shape))
    }

    /// A variable that is a member of a record; not there if C text has no name for it.
    fn field(&self, var: &Declared, at: u32, scope: Scope, within: ObjectPart, whole: &str, copied: &mut Vec<Copied>) {
        let Some((bit, width, shape)) = self.member(within, &var.name) else { return };
        let name = format!("{whole}.{}", var.name);
        if let (Some(width), DeclaredType::Scalar(scalar)) = (width, var.ty) {
            let from = From::Var { scope, offset: at, scalar };
            copied.push(Copied { from, object: within.object, bit: within.offset * 8 + bit, width, name });
            return;
        }
        let part = ObjectPart { object: within.object, offset: within.offset + bit / 8, shape: Some(shape) };
        self.elements(var, at, scope, part, &name, copied);
    }

    fn elements(&self, var: &Declared, at: u32, scope: Scope, part: ObjectPart, name: &str, copied: &mut Vec<Copied>) {
        let Some(count) = var.count else { return self.element(var.ty, at, scope, part, name, copied) };
        let Some(Shape::Array { element, stride, .. }) = part.shape.map(|shape| &self.program.shapes[shape]) else {
            return;
        };
        for index in 0..count {
            let offset = part.offset + u64::from(index) * stride;
            let part = ObjectPart { offset, shape: Some(*element), ..part };
            let at = at + index * self.size(var.ty);
            self.element(var.ty, at, scope, part, &format!("{name}[{index}]"), copied);
        }
    }

    fn element(&self, ty: DeclaredType, at: u32, scope: Scope, part: ObjectPart, name: &str, copied: &mut Vec<Copied>) {
        match ty {
            DeclaredType::Scalar(scalar) => {
                let from = From::Var { scope, offset: at, scalar };
                let (bit, width) = (part.offset * 8, c_bits(scalar));
                copied.push(Copied { from, object: part.object, bit, width, name: name.to_owned() });
            }
            DeclaredType::Record(record) => {
                for field in &self.code.records[record].fields {
                    self.field(field, at + field.offset, scope, part, name, copied);
                }
            }
        }
    }

    fn size(&self, ty: DeclaredType) -> u32 {
        match ty {
            DeclaredType::Scalar(scalar) => scalar.size(),
            DeclaredType::Record(record) => self.code.records[record].size,
        }
    }
}

/// How many bits the C type has that stands for a number outside of bit-fields.
fn c_bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bit | Scalar::Byte => 8,
        Scalar::Short => 16,
        Scalar::Int | Scalar::Unsigned(_) => 32,
    }
}
