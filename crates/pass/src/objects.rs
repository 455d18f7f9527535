//! Numbering of objects, and the encoding of pointers as 32-bit numbers.
//!
//! The upper half of a pointer is the number of its object, from 1 on, the lower half the offset plus a bias, so that
//! pointers a little before an object can be represented. An upper half of 0 or -1 marks a small integer that was cast
//! to a pointer.

use std::collections::BTreeMap;

use unpick_program::{FuncId, GlobalId, Program};

use crate::Untranslatable;

/// What is added to offsets.
pub(crate) const BIAS: i32 = 0x4000;
/// Larger objects are refused.
const MAX_SIZE: u64 = 0x8000;
/// At most so many objects have numbers.
const MAX_OBJECTS: usize = 0x7000;

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) struct ObjectId(pub u32);

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectKind {
    /// A static object; with its thread if each has one.
    Global(GlobalId, Option<usize>),
    /// A stack object of one activation of a thread, or an object that it makes.
    Own(usize),
    /// Code.
    Function(FuncId),
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub what: ObjectKind,
    pub size: u32,
    /// The initial contents are indeterminate, so each cell has a byte that tells whether it was written.
    pub is_shadowed: bool,
    pub is_read_only: bool,
    /// It belongs to a library model: races on it do not count.
    pub is_model: bool,
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub all: Vec<Object>,
    globals: BTreeMap<(GlobalId, usize), ObjectId>,
    functions: BTreeMap<FuncId, ObjectId>,
}

impl Objects {
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.all[id.0 as usize - 1]
    }

    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (1..=self.all.len() as u32).map(ObjectId)
    }

    pub fn add(&mut self, object: Object, size: u64) -> Result<ObjectId, Untranslatable> {
        if size > MAX_SIZE || self.all.len() >= MAX_OBJECTS {
            return Untranslatable::new("objects are too large or too many");
        }
        self.all.push(Object { size: size as u32, ..object });
        Ok(ObjectId(self.all.len() as u32))
    }

    /// The object of a global, for a thread-local one that of a thread.
    pub fn global(&mut self, program: &Program, thread: usize, id: GlobalId) -> Result<ObjectId, Untranslatable> {
        let global = &program.globals[id];
        let owner = global.is_thread_local.then_some(thread);
        let key = (id, owner.map_or(0, |owner| owner + 1));
        if let Some(known) = self.globals.get(&key) {
            return Ok(*known);
        }
        if global.init.any.is_some() {
            return Untranslatable::new(format!("`{}` is not defined and holds anything", global.name));
        }
        let object = Object {
            what: ObjectKind::Global(id, owner),
            size: 0,
            is_shadowed: false,
            is_read_only: global.is_read_only,
            is_model: global.is_model,
        };
        let made = self.add(object, global.size)?;
        self.globals.insert(key, made);
        Ok(made)
    }

    /// The object of a function.
    pub fn function(&mut self, id: FuncId) -> Result<ObjectId, Untranslatable> {
        if let Some(known) = self.functions.get(&id) {
            return Ok(*known);
        }
        let what = ObjectKind::Function(id);
        let object = Object { what, size: 0, is_shadowed: false, is_read_only: true, is_model: false };
        let made = self.add(object, 0)?;
        self.functions.insert(id, made);
        Ok(made)
    }
}

/// The encoding of a pointer.
pub(crate) fn pointer(object: ObjectId, offset: i64) -> Result<i32, Untranslatable> {
    let low = offset + i64::from(BIAS);
    match u16::try_from(low) {
        Ok(low) => Ok(((object.0 << 16) | u32::from(low)) as i32),
        Err(_) => Untranslatable::new("an address far from its object"),
    }
}
