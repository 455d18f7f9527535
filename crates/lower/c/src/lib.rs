//! Lowering: from typed trees to one IR program, by linking the units and lowering what the entry can reach.
//!
//! Lowering is driven by demand: naming a function or an object gives it a number and puts it on a list
//! of work, so that a huge file costs only what the program uses, and an undefined reference
//! matters only if it is reachable. A name that no unit defines is looked up in the library models,
//! whose files join the program as further units when first needed.
#![forbid(unsafe_code)]

mod adapt;
mod arguments;
mod arith;
mod asm;
mod assign;
mod atomic;
mod bits;
mod buffer;
mod builtin;
mod call;
mod cancel;
mod class;
mod device;
mod expr;
mod function;
mod globals;
mod init;
mod interrupt;
mod link;
mod missing;
mod order;
mod place;
mod scan;
mod scope;
mod section;
mod shapes;
mod share;
mod simplify_cfg;
mod start;
mod stmt;
mod stub;
#[cfg(test)]
mod tests;
mod variant;
mod vector;
mod verifier;
mod vla;

use std::collections::HashMap;
use std::rc::Rc;

use unpick_base::Span;
use unpick_program::program::{BlockId, FileId, FuncId, GlobalId, Loc, Program, ShapeId};

pub use arguments::Arguments;
pub use device::DeviceRange;
pub use interrupt::{Handler, Interrupts};
pub use missing::{Missing, MissingMode};

use unpick_front_c::analyse;
use unpick_front_c::ast::{DeclId, ExprId, LabelId, Unit};
use unpick_front_c::session::Session;
use unpick_front_c::types::TyId;

/// Analyses the texts as the units of one program, links and lowers them; library models join as needed.
pub fn compile(session: &mut Session, text_indices: &[usize], options: &LowerOptions) -> Option<Program> {
    let n_errors = session.diagnostics.n_errors();
    let units = text_indices.iter().map(|index| analyse(session, *index)).collect();
    if session.diagnostics.n_errors() > n_errors {
        return None;
    }
    lower(session, units, options)
}

/// What lowering wants to know of the run.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// The function to start with.
    pub entry: String,
    /// Functions that are wanted although the entry may not reach them.
    pub also: Vec<String>,
    /// Values of `__unpick_option("name")`; a name that is missing is 0.
    pub options: HashMap<String, i64>,
    /// Interrupt handlers, and what turns interrupts off and on.
    pub interrupts: Interrupts,
    /// Ranges of addresses that hardware stands behind.
    pub devices: Vec<DeviceRange>,
    /// Variables that read as any value, each time.
    pub volatile_any: Vec<String>,
    /// What functions without a body do.
    pub missing: Missing,
    /// What `main` is called with.
    pub arguments: Arguments,
    /// Whether accesses to volatile numbers and pointers are relaxed atomic ones.
    pub is_volatile_atomic: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        let interrupts = Interrupts::default();
        Self {
            entry: "main".to_owned(),
            also: Vec::new(),
            options: HashMap::new(),
            interrupts,
            devices: Vec::new(),
            volatile_any: Vec::new(),
            missing: Missing::default(),
            arguments: Arguments::default(),
            is_volatile_atomic: false,
        }
    }
}

/// Links the units and lowers everything the entry reaches. `None` after an error, which is in the
/// session's diagnostics.
pub fn lower(session: &mut Session, units: Vec<Unit>, options: &LowerOptions) -> Option<Program> {
    let n_errors = session.diagnostics.n_errors();
    let mut lowering = Lowering::new(session, options);
    for unit in units {
        lowering.add_unit(unit, false);
    }
    lowering.make_start()?;
    lowering.add_wanted();
    lowering.work();
    lowering.adapt_calls();
    lowering.add_devices();
    lowering.add_volatile_any();
    lowering.note_holes();
    let is_clean = lowering.session.diagnostics.n_errors() == n_errors;
    is_clean.then_some(lowering.program)
}

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// A declaration of one unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct DeclRef {
    unit: usize,
    decl: DeclId,
}

/// A unit and whether it is ours.
#[derive(Clone)]
struct UnitEntry {
    unit: Rc<Unit>,
    is_model: bool,
    /// Some object of it is put in a linker section.
    has_sections: bool,
}

/// What waits to be lowered.
enum Work {
    Function(FuncId, DeclRef),
    /// The function has no body anywhere.
    Stub(FuncId, DeclRef),
    /// The function turns interrupts off or on.
    Mask(FuncId, DeclRef, interrupt::Mask),
    Global(GlobalId, DeclRef),
    Literal(GlobalId, usize, ExprId),
    /// The objects of a linker section.
    Section(String),
}

/// The program under construction.
struct Lowering<'a> {
    session: &'a mut Session,
    options: &'a LowerOptions,
    units: Vec<UnitEntry>,
    program: Program,
    symbols: Map<(String, link::Kind), link::Symbol>,
    functions: Map<DeclRef, FuncId>,
    globals: Map<DeclRef, GlobalId>,
    /// Compound literals of static storage, by unit and expression.
    literals: Map<(usize, ExprId), GlobalId>,
    /// Linker sections whose bounds are asked for, by name.
    sections: Map<String, section::Section>,
    /// Assumptions that hold from the start.
    notes: Vec<String>,
    /// String literals by contents.
    strings: Map<(Vec<u8>, u64), GlobalId>,
    labels: Map<(usize, LabelId), (FuncId, BlockId)>,
    shapes: Map<(usize, TyId), ShapeId>,
    names: Map<String, u32>,
    work: Vec<Work>,
    files: Map<Rc<str>, FileId>,
    last_loc: (u32, Loc),
    loaded_models: Vec<&'static str>,
    endings: cancel::Endings,
    /// What functions touch, as far as it was asked for.
    touches: Map<DeclRef, order::Touches>,
}

impl<'a> Lowering<'a> {
    fn new(session: &'a mut Session, options: &'a LowerOptions) -> Self {
        let program = Program { pointer_bytes: session.target.pointer_bytes() as u8, ..Program::default() };
        Self {
            session,
            options,
            units: Vec::new(),
            program,
            symbols: Map::default(),
            functions: Map::default(),
            globals: Map::default(),
            literals: Map::default(),
            sections: Map::default(),
            notes: Vec::new(),
            strings: Map::default(),
            labels: Map::default(),
            shapes: Map::default(),
            names: Map::default(),
            work: Vec::new(),
            files: Map::default(),
            last_loc: (0, Loc::NONE),
            loaded_models: Vec::new(),
            endings: cancel::Endings::default(),
            touches: Map::default(),
        }
    }

    fn work(&mut self) {
        // First come, first served keeps the numbering close to the order of first use.
        let mut next = 0;
        while next < self.work.len() {
            let work = std::mem::replace(&mut self.work[next], Work::Function(FuncId(0), DeclRef::NONE));
            next += 1;
            match work {
                Work::Function(id, def) => self.lower_function(id, def),
                Work::Stub(id, decl) => self.make_stub(id, decl),
                Work::Mask(id, decl, mask) => self.make_mask(id, decl, mask),
                Work::Global(id, def) => self.fill_global(id, def),
                Work::Literal(id, unit, expr) => self.fill_literal(id, unit, expr),
                Work::Section(name) => self.fill_section(&name),
            }
        }
    }

    /// The place of a span's start in the program's table of files.
    fn loc(&mut self, span: Span) -> Loc {
        if span == Span::NONE {
            return Loc::NONE;
        }
        if self.last_loc.0 == span.lo {
            return self.last_loc.1;
        }
        let Some(place) = self.session.sources.place(span.lo) else { return Loc::NONE };
        let file = match self.files.get(&place.file) {
            Some(&file) => file,
            None => {
                let file = self.program.files.push(place.file.to_string());
                self.files.insert(place.file, file);
                file
            }
        };
        let loc = Loc { file, line: place.line, column: place.column };
        self.last_loc = (span.lo, loc);
        loc
    }

    /// `name`, or `name.2`, `name.3` if it is taken.
    fn unique_name(&mut self, name: &str) -> String {
        let count = self.names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name.to_owned();
        }
        let candidate = format!("{name}.{count}");
        self.unique_name(&candidate)
    }

    fn unit(&self, index: usize) -> Rc<Unit> {
        self.units[index].unit.clone()
    }
}

impl DeclRef {
    const NONE: DeclRef = DeclRef { unit: 0, decl: DeclId(0) };
}
