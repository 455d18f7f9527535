//! Heap objects that a walk does not find: each is a leak to come. Their places are counted on from walk to walk.

use std::collections::BTreeMap;

use super::Kept;
use crate::Loc;
use crate::interp::memory::Memory;
use crate::interp::object::{Object, ObjectKind};

impl Kept {
    /// Heap objects that nothing mentions.
    pub(super) fn count_lost(&mut self, memory: &Memory) {
        let Self { lost, nodes, now, walk, .. } = self;
        if now.is_first {
            lost.clear();
            for (pointer, object) in memory.iter() {
                if let Some(loc) = heap_place(Some(object))
                    && nodes[pointer.object as usize].found_in != *walk
                {
                    *lost.entry(loc).or_default() += 1;
                }
            }
            return;
        }
        for number in &now.odd {
            let node = &nodes[*number as usize];
            let is_found = node.found_in == *walk;
            if node.changed_in != *walk
                && let Some(loc) = heap_place(memory.get(memory.start_of(*number)))
            {
                if is_found {
                    take_one(lost, loc);
                } else {
                    *lost.entry(loc).or_default() += 1;
                }
            }
        }
        for number in &now.changed {
            let node = &nodes[*number as usize];
            let is_found =
                node.found_in == *walk || self.runs.get(node.run as usize).is_some_and(|run| run.kept_in == *walk);
            if !is_found && let Some(loc) = heap_place(memory.get(memory.start_of(*number))) {
                *lost.entry(loc).or_default() += 1;
            }
        }
    }
}

pub(super) fn heap_place(object: Option<&Object>) -> Option<Loc> {
    object.filter(|object| matches!(object.kind, ObjectKind::Heap(_))).map(|object| object.loc)
}

pub(super) fn take_one(lost: &mut BTreeMap<Loc, u32>, loc: Loc) {
    if let Some(count) = lost.get_mut(&loc) {
        *count -= 1;
        if *count == 0 {
            lost.remove(&loc);
        }
    }
}
