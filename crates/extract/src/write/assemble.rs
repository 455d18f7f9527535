//! The parts of a model in one text: what is extracted, its surroundings, and from where each line comes.

use std::collections::{BTreeMap, BTreeSet};

use unpick_front_promela::printer::{Remarks, print_annotated};
use unpick_front_promela::syntax::{Model, Stmt, Unit};

use super::{Surroundings, Writer};
use crate::code::{FragmentId, FragmentKind};
use crate::context::Context;
use crate::pool::Root;
use crate::table::Mapping;
use crate::translate::{NOTHING, NOTHING_LEN};

/// A model and where its lines come from.
#[derive(Clone, Default, Debug)]
pub struct Written {
    /// Promela.
    pub text: String,
    /// For each line, from the first on, the fragment that it comes from.
    pub lines: Vec<Option<FragmentId>>,
    /// How many lines with content were extracted.
    pub n_extracted: usize,
    /// How many lines with content were written by hand.
    pub n_handwritten: usize,
    /// What is assumed about values that might not fit.
    pub assumptions: Vec<String>,
    /// Fragments that are to be kept and could not be said after all.
    pub untranslated: BTreeSet<FragmentId>,
    /// Whether a thread that ends inside of a function goes on in the model, where its callers are.
    pub loses_end: bool,
    /// Fragments that are one step although other processes may come between their accesses.
    pub whole: BTreeSet<FragmentId>,
    /// Assertions that the program does not have, by line from 1 on.
    pub added: BTreeMap<u32, Added>,
}

/// What an assertion says that is not the program's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// The model has a block left for what is allocated.
    Block,
    /// The model has room for one more process.
    Process,
    /// What is freed is a block in use.
    Freed,
}

impl Written {
    /// The model with line markers that lead to the source, so that messages about it name the source's lines.
    /// Assertions that the program does not have keep the lines of the model, so that they are known by them.
    pub fn marked(&self, context: &Context<'_>, name: &str) -> String {
        let mut text = String::new();
        let quoted = |file: &str| file.replace('\\', "\\\\").replace('"', "\\\"");
        for (at, (line, fragment)) in self.text.lines().zip(&self.lines).enumerate() {
            let is_added = self.added.contains_key(&(at as u32 + 1));
            let place = fragment.filter(|_| !is_added);
            let place = place.and_then(|id| context.sources.place(context.code.fragments[id].span.lo));
            match place {
                Some(place) => text.push_str(&format!("# {} \"{}\"\n", place.line, quoted(&place.file))),
                None => text.push_str(&format!("# {} \"{}\"\n", at + 1, quoted(name))),
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

impl Writer<'_> {
    /// Joins the parts to a text.
    pub(super) fn assemble(
        &mut self,
        types: &[Unit],
        globals: &[Unit],
        processes: &Model,
        surroundings: &Surroundings,
    ) -> Written {
        let mut written = Written::default();
        let mut parts: Vec<(String, bool)> = Vec::new();
        parts.push((surroundings.title.clone(), true));
        let printed = self.print(processes);
        let heaps = self.heap_data(&printed);
        parts.push((self.c_text(&printed), true));
        let mut used = self.context.used.borrow().clone();
        for name in &self.mentioned {
            if let Some(Ok(value)) = self.context.constants.get(name).map(|value| i32::try_from(*value)) {
                used.insert(name.clone(), value);
            }
        }
        let defines: String = used.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        parts.insert(1, (defines, true));
        for units in [types, globals, heaps.as_slice()] {
            parts.push((self.print(&Model { units: units.to_vec() }), true));
        }
        let declarations: String = surroundings.declarations.iter().map(|text| format!("{text}\n")).collect();
        parts.push((declarations, false));
        parts.push((surroundings.library.clone(), true));
        parts.extend(surroundings.environment.iter().map(|(_, text)| (text.clone(), false)));
        let processes = printed;
        if processes.contains(&format!("{NOTHING}[")) {
            let comment = "/* Null pointers lead behind its end. */";
            parts.push((format!("bit {NOTHING}[{NOTHING_LEN}]; {comment}\n"), true));
        }
        parts.push((processes, true));
        let invariants: String = surroundings
            .invariants
            .iter()
            .map(|(name, text)| format!("active proctype {name}() {{\n    assert({text})\n}}\n\n"))
            .collect();
        parts.push((invariants, false));
        let formulas: String =
            surroundings.ltl.iter().map(|(name, text)| format!("ltl {name} {{ {text} }}\n\n")).collect();
        parts.push((formulas, false));
        for (part, is_extracted) in parts {
            let part = part.trim_matches('\n');
            if part.is_empty() {
                continue;
            }
            if !written.text.is_empty() {
                written.text.push('\n');
                written.lines.push(None);
            }
            self.append(part, is_extracted, &mut written);
        }
        written.assumptions =
            self.inexact.iter().map(|name| format!("values of {name} fit 32 bits with a sign")).collect();
        written.assumptions.append(&mut self.c_assumptions);
        written.assumptions.append(&mut self.waits);
        written.assumptions.extend(self.pointed_into().iter().map(|name| {
            format!(
                "pointers to fields of `{name}` are not moved to other fields, which would be an error of the model"
            )
        }));
        written.untranslated = std::mem::take(&mut self.untranslated);
        written.loses_end = self.loses_end;
        written
    }

    /// Objects of the model with fields that pointers may point to.
    fn pointed_into(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for root in self.context.pools.with_fields() {
            match root {
                Root::Variable(unit, decl) => {
                    let object = self.context.object(*unit, *decl).filter(|object| !self.is_lost(*object));
                    names.extend(object.and_then(|object| self.globals.get(&object)).map(|name| name.to_string()));
                }
                Root::Heap(name, ..) => names.extend(Some(name.clone()).filter(|name| self.heaps.contains(name))),
            }
        }
        names
    }

    /// Adds a part, takes the marks of statements out and remembers where they were.
    fn append(&self, part: &str, is_extracted: bool, written: &mut Written) {
        for line in part.lines() {
            let mut fragment = None;
            let mut text = line.to_owned();
            if let (Some(open), Some(close)) = (text.find('\u{1}'), text.rfind('\u{1}')) {
                let index: usize = text[open + 1..close].parse().unwrap_or(0);
                fragment = self.notes.get(index).and_then(|note| note.fragment);
                text.replace_range(open..=close, "");
                text = text.trim_end_matches("/*  */").trim_end().to_owned();
            }
            if let (Some(added), true) = (self.added(fragment, &text), is_extracted) {
                written.added.insert(written.lines.len() as u32 + 1, added);
            }
            let content = text.trim();
            let is_content = !(content.is_empty() || content.starts_with("/*") && content.ends_with("*/"));
            written.n_extracted += usize::from(is_content && is_extracted);
            written.n_handwritten += usize::from(is_content && !is_extracted);
            written.text.push_str(&text);
            written.text.push('\n');
            written.lines.push(fragment);
        }
    }

    /// What a line asserts, if that is neither the program's word nor that of a row.
    fn added(&self, fragment: Option<FragmentId>, line: &str) -> Option<Added> {
        let asserted = line.trim_start().strip_prefix("assert(")?;
        let Some(id) = fragment else { return asserted.starts_with("_pid < ").then_some(Added::Process) };
        let (what, decision) = (&self.context.code.fragments[id].what, &self.decisions.plain[id]);
        let is_said = decision.is_row() && decision.mapping != Mapping::Keep;
        if is_said || matches!(what, FragmentKind::Assertion(_)) {
            return None;
        }
        // Nothing but a request without room asserts a constant.
        let is_block = asserted.contains("_has_room ()") || asserted.starts_with("0)");
        let is_freed = || asserted.contains("heap_holds (").then_some(Added::Freed);
        is_block.then_some(Added::Block).or_else(is_freed)
    }

    fn print(&self, model: &Model) -> String {
        print_annotated(model, &|stmt: &Stmt| {
            let index = stmt.at.0.lo as usize;
            match self.notes.get(index) {
                Some(note) if index > 0 => {
                    let safe = |text: &String| text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ");
                    let text = note.text.as_ref().map(safe).unwrap_or_default();
                    let before = note.before.iter().map(safe).collect();
                    Remarks { before, behind: Some(format!("\u{1}{index}\u{1}{text}")) }
                }
                Some(_) | None => Remarks::default(),
            }
        })
    }
}
