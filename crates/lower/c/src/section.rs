//! Linker sections with bounds that a program refers to: `__start_NAME` and `__stop_NAME`.
//!
//! The objects of such a section are parts of one object, so that a pointer can walk from one to the next.

use unpick_program::program::{Global, GlobalId, GlobalInit, Loc, Shape};

use super::globals::Image;
use super::link::Target;
use super::{DeclRef, Lowering, Work};
use unpick_front_c::ast::{DeclKind, Var};

/// One section: its object, the bytes it takes, and where each definition lies in it.
#[derive(Clone)]
pub(super) struct Section {
    global: GlobalId,
    size: u64,
    parts: Vec<(DeclRef, u64)>,
}

impl Lowering<'_> {
    /// The object that a static object lies in, and at which offset.
    pub(super) fn global_place(&mut self, at: DeclRef, enclosing: Option<&str>) -> (GlobalId, i64) {
        match self.section_place(at) {
            Some(place) => place,
            None => (self.global_id(at, enclosing), 0),
        }
    }

    fn section_place(&mut self, at: DeclRef) -> Option<(GlobalId, i64)> {
        // Hardly any program has sections.
        if !self.units.iter().any(|entry| entry.has_sections) {
            return None;
        }
        match self.resolve(at) {
            Target::Undefined(first) => {
                let unit = self.unit(first.unit);
                let name = self.session.interner.name(unit.decls[first.decl].name);
                let (name, is_end) = match (name.strip_prefix("__start_"), name.strip_prefix("__stop_")) {
                    (Some(name), _) => (name.to_owned(), false),
                    (None, Some(name)) => (name.to_owned(), true),
                    (None, None) => return None,
                };
                let section = self.section(&name)?;
                Some((section.global, if is_end { section.size as i64 } else { 0 }))
            }
            Target::Defined(def) => {
                let unit = self.unit(def.unit);
                let name = section_of(&unit.decls[def.decl].kind)?.to_owned();
                let bounds = ["__start_", "__stop_"].map(|prefix| format!("{prefix}{name}"));
                if !bounds.iter().any(|bound| self.is_declared(bound)) {
                    return None;
                }
                let section = self.section(&name)?;
                let (_, offset) = section.parts.iter().find(|(part, _)| *part == def)?;
                Some((section.global, *offset as i64))
            }
        }
    }

    fn is_declared(&self, name: &str) -> bool {
        let interner = &self.session.interner;
        self.units.iter().any(|entry| entry.unit.decls.iter().any(|decl| interner.name(decl.name) == name))
    }

    /// The section of a name, laid out when it is first asked for; `None` if nothing lies in it.
    fn section(&mut self, name: &str) -> Option<Section> {
        if let Some(section) = self.sections.get(name) {
            return Some(section.clone());
        }
        let (mut size, mut align, mut parts) = (0u64, 1u64, Vec::new());
        let mut types = Vec::new();
        for at in self.definitions_in(name) {
            let unit = self.unit(at.unit);
            let decl = &unit.decls[at.decl];
            let DeclKind::Var(var) = &decl.kind else { continue };
            let own = unit.types.align_of_qualified(decl.ty).unwrap_or(1).max(var.align.unwrap_or(1));
            let bytes = unit.types.size_of(decl.ty.ty).unwrap_or(0);
            size = size.next_multiple_of(own);
            parts.push((at, size));
            types.push((at.unit, decl.ty.ty, bytes));
            (size, align) = (size + bytes, align.max(own));
        }
        let (unit, ty, stride) = *types.first()?;
        let is_uniform = types.iter().all(|other| *other == types[0]) && size == stride * parts.len() as u64;
        let shape = is_uniform.then(|| {
            let element = self.shape(unit, ty);
            self.program.shapes.push(Shape::Array { element, len: parts.len() as u64, stride })
        });
        let global = Global {
            name: self.unique_name(&format!("section.{name}")),
            source_name: Some(format!("__start_{name}")),
            size,
            align,
            init: GlobalInit::default(),
            is_thread_local: false,
            is_read_only: false,
            is_model: false,
            shape,
            loc: Loc::NONE,
        };
        let global = self.program.globals.push(global);
        self.notes.push(format!("the objects of section `{name}` lie behind each other as they are defined"));
        let section = Section { global, size, parts };
        self.sections.insert(name.to_owned(), section.clone());
        self.work.push(Work::Section(name.to_owned()));
        Some(section)
    }

    /// Everything defined in a section, in the order of files and definitions.
    fn definitions_in(&mut self, name: &str) -> Vec<DeclRef> {
        let mut found: Vec<DeclRef> = Vec::new();
        for unit in 0..self.units.len() {
            let tree = self.unit(unit);
            for (decl, item) in tree.decls.iter_enumerated() {
                let is_in = section_of(&item.kind) == Some(name);
                if is_in
                    && let Target::Defined(def) = self.resolve(DeclRef { unit, decl })
                    && !found.contains(&def)
                {
                    found.push(def);
                }
            }
        }
        found
    }

    /// Gives the objects of a section their contents.
    pub(super) fn fill_section(&mut self, name: &str) {
        let Some(section) = self.sections.get(name).cloned() else { return };
        let mut image = Image::default();
        for (at, offset) in section.parts {
            let unit = self.unit(at.unit);
            let decl = &unit.decls[at.decl];
            if let DeclKind::Var(Var { init: Some(init), .. }) = &decl.kind
                && let Err(bad) = self.write_init(at.unit, &unit, &mut image, offset, decl.ty.ty, init)
            {
                self.complain_about_init(bad.map_or(decl.span, |expr| unit.exprs[expr].span));
            }
        }
        let global = &mut self.program.globals[section.global];
        global.init = GlobalInit { bytes: image.bytes, pointers: image.pointers, any: None };
    }
}

/// The section that a static object is put in.
pub(super) fn section_of(kind: &DeclKind) -> Option<&str> {
    match kind {
        DeclKind::Var(var) => var.section.as_deref(),
        DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => None,
    }
}
